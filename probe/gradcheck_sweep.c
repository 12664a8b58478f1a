/* Many elements at once. Along a random direction over them f has the slope Σ v[j] J[i,j]. Where
 * that is the forward derivative to 110 bits, in numbers of that many and more, every J[i,j] is
 * right: an error that others make up for has to be chosen for this v. And a kink or a jump of an
 * element is one of the direction. Rows in which more is to be seen are looked at in halves of the
 * elements, and at last element by element.
 *
 * The forward derivative is linear in v by its form: there is no reverse one where its rules, the
 * program's own too, are not linear in tangents. */
#include "probe/gradcheck_run.h"

#include <math.h>
#include <string.h>

bool ct__elements_begin(ct__checking *r)
{
    const ct__subject *s = r->s;

    if (s->bits == 0 || s->bits == CT__QUOTIENTS || s->options->directions > 0 ||
        s->options->list_right || s->derivative || !r->slopes.forward.instance)
        return true;
    r->sweeps = true;
    return ct__differences_begin(&r->sweep, s, r->slopes.tangent, r->slopes.forward.f->graph);
}

bool ct__elements_part(ct__checking *r, size_t depth)
{
    const bool *whole = depth > 0 ? r->right_at[depth - 1] : NULL;
    bool **part = &r->right_at[depth];

    if (!*part)
        *part = CT__NEW_ARRAY(r->s->arena, bool, r->n_rows);
    if (!*part)
        return ct__gradcheck_memory(r->s);
    if (whole)
        memcpy(*part, whole, r->n_rows * sizeof **part);
    else
        memset(*part, 0, r->n_rows * sizeof **part);
    r->is_right = *part;
    return true;
}

bool ct__elements_right(const ct__checking *r)
{
    for (size_t row = 0; row < r->n_rows; row++)
        if (!r->is_right[row])
            return false;
    return true;
}

/* v over these elements; what all of them have been told apart by: 0 where one is not finite. */
static double set_direction(const ct__checking *r, size_t p, size_t first, size_t count)
{
    const double *x = r->s->x[p];
    double *v = r->slopes.tangent[p], smallest = 1;

    for (size_t i = first; i < first + count; i++) {
        v[i] = ct__weight(r->s->options->seed, ~(uint64_t)p, i) +
               ldexp(ct__mix_signed(r->s->options->seed, p, ~(uint64_t)i), -9);
        if (!isfinite(x[i]))
            smallest = 0;
        smallest = fmin(smallest, x[i] == 0 ? 0x1p-20 : fabs(x[i]));
    }
    return smallest;
}

static void read_rows(const ct__checking *r, bool *is_right, bool *all)
{
    const ct__subject *s = r->s;
    size_t wanted = 0;

    *all = true;
    for (size_t result = 0; result < s->graph->n_results; result++) {
        if (!s->wanted[result])
            continue;
        for (size_t i = 0; i < (size_t)ct__result_type(s->graph, result)->size; i++) {
            bool *right = &is_right[r->slopes.first_row[result] + i];
            *right = *right || ct__differences_agree(&r->sweep, wanted, i, r->slopes.size[result]);
            *all = *all && *right;
        }
        wanted++;
    }
}

bool ct__elements_agree(ct__checking *r, size_t p, size_t first, size_t count, bool *is_right,
                        bool *all)
{
    const double smallest = set_direction(r, p, first, count);
    bool fine = true;

    *all = false;
    if (smallest > 0) {
        fine = ct__differences_run(&r->sweep, smallest);
        if (fine)
            read_rows(r, is_right, all);
    }
    memset(r->slopes.tangent[p] + first, 0, count * sizeof(double));
    return fine;
}
