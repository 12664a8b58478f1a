/* What is found along a line, element by element of each result, and by the adjoint identity. */
#include "probe/gradcheck_run.h"

#include <float.h>
#include <math.h>

static ct_shape coordinates(const ct_type *type, size_t position, int64_t *out)
{
    ct__coordinates(type->rank, type->dim, (int64_t)position, out);
    return (ct_shape){(size_t)type->rank, out};
}

static bool add_finding(const ct__checking *r, const ct__line *l, size_t result,
                        int64_t row_element, ct_gradcheck_finding finding)
{
    const ct__subject *s = r->s;
    int64_t element[CT__MAX_RANK], result_element[CT__MAX_RANK];
    finding.order = s->order;
    finding.input = l->p;
    finding.input_name = s->input_name[l->p];
    finding.direction = l->direction;
    finding.result = s->order > 1 ? (size_t)s->wrt[result] : result;
    finding.result_name = s->result_name[result];
    if (l->element >= 0)
        finding.element = coordinates(ct__param_type(s->graph, l->p), (size_t)l->element, element);
    if (row_element >= 0)
        finding.result_element = coordinates(ct__result_type(s->graph, result), (size_t)row_element,
                                             result_element);
    return ct__report_finding(s->report, &finding) || ct__gradcheck_memory(r->s);
}

/* The largest change along a line of this scale that any element of the result could make. */
static double size_along(const ct__checking *r, const ct__line *l, size_t result)
{
    double size = r->slopes.size[result];
    const size_t first = r->slopes.first_row[result];

    for (size_t i = 0; i < (size_t)ct__result_type(r->s->graph, result)->size; i++)
        size = fmax(size, isfinite(r->at[first + i]) ? fabs(r->at[first + i]) : 0);
    return size / l->scale;
}

/* An error that is no loss: 64 roundings, of the result where the derivative is 0, else of the
 * derivative itself, or what underflow leaves of it. Neighbours that are larger excuse nothing. */
static double nothing_to_lose(const ct__checking *r, const ct__line *l, size_t result, double exact,
                              ct_dtype dtype)
{
    const double epsilon = ct__epsilon(dtype), size = size_along(r, l, result);
    const double least = dtype == CT_F16 ? 0x1p-14 : dtype == CT_F64 ? DBL_MIN : (double)FLT_MIN;

    return 64 * epsilon * (fabs(exact) <= ldexp(size, -200) ? size : fmax(fabs(exact), least));
}

/* What is right may have lost digits in the program's own dtypes. */
static void judge_own(const ct__checking *r, const ct__line *l, size_t result, double exact,
                      double own, const ct_type *type, ct_gradcheck_finding *f)
{
    const double lost = ct__digits_lost(type->dtype, exact, own,
                                        nothing_to_lose(r, l, result, exact, type->dtype));

    f->in_dtype = NAN;
    if (f->verdict != CT_GRADCHECK_RIGHT || lost == 0)
        return;
    f->verdict = CT_GRADCHECK_ILL;
    f->in_dtype = own;
    f->digits_lost = lost;
}

/* One element of a result, judged. */
static bool report_row(const ct__checking *r, const ct__line *l, size_t result, size_t i)
{
    size_t row = r->slopes.first_row[result] + i;
    const ct__judgement *j = &r->judgement[row];
    ct_gradcheck_verdict verdict = j->verdict;
    if (verdict == CT_GRADCHECK_RIGHT && r->cuts[row])
        verdict = CT_GRADCHECK_CLAMPED;
    ct_gradcheck_finding f = {.verdict = verdict,
                              .kind = CT_GRADCHECK_DIFFERENCE,
                              .derivative = r->dy[row],
                              .estimate = j->estimate,
                              .uncertainty = j->uncertainty,
                              .below = j->below,
                              .above = j->above,
                              .note = j->note,
                              .in_dtype = NAN};
    if (r->own.forward.instance)
        judge_own(r, l, result, r->dy[row], r->own.dy[row], ct__result_type(r->s->own, result), &f);
    return add_finding(r, l, result, (int64_t)i, f);
}

/* A dot product of n terms is right to n roundings of its terms, and to the noise in them. */
static bool identity_holds(const ct__adjoint *a)
{
    if (!isfinite(a->forward) || !isfinite(a->reverse))
        return a->forward == a->reverse;
    double roundings = (double)(a->n_terms + 8) * DBL_EPSILON * a->terms;
    return fabs(a->forward - a->reverse) <= 4 * roundings + 2 * a->noise;
}

/* Infinite or NaN on both sides, with a NaN: nothing can be compared. */
static bool identity_is_void(const ct__adjoint *a)
{
    return !isfinite(a->forward) && !isfinite(a->reverse) &&
           (isnan(a->forward) || isnan(a->reverse));
}

static ct_gradcheck_finding adjoint_finding(const ct__adjoint *a)
{
    ct_gradcheck_finding f = {.verdict = CT_GRADCHECK_WRONG,
                              .kind = CT_GRADCHECK_ADJOINT,
                              .derivative = a->forward,
                              .estimate = a->reverse,
                              .uncertainty = (double)a->n_terms * DBL_EPSILON * a->terms,
                              .below = NAN,
                              .above = NAN,
                              .note = "forward and reverse differ",
                              .in_dtype = NAN};
    if (identity_is_void(a)) {
        f.verdict = CT_GRADCHECK_UNDEFINED;
        f.note = "forward and reverse are not finite";
    } else if (identity_holds(a)) {
        f.verdict = CT_GRADCHECK_RIGHT;
        f.note = "";
    }
    return f;
}

static bool check_adjoint(ct__checking *r, const ct__line *l, size_t result)
{
    ct__adjoint a;
    if (!ct__slopes_adjoint(&r->slopes, l->p, result, r->dy, NULL, &a))
        return false;
    if (!identity_holds(&a) &&
        (!ct__slopes_noise(&r->slopes, l->p, r->dy, r->dy_noise) ||
         !ct__slopes_adjoint(&r->slopes, l->p, result, r->dy, r->dy_noise, &a)))
        return false;
    ct_gradcheck_finding f = adjoint_finding(&a);
    if (r->own.reverse.instance && l->element >= 0) {
        const size_t column = result * r->slopes.n_columns + r->slopes.first_column[l->p];
        judge_own(r, l, result, a.reverse, r->own.bar[column + (size_t)l->element],
                  ct__param_type(r->s->own, l->p), &f);
    }
    return add_finding(r, l, result, -1, f);
}

bool ct__tell_line(ct__checking *r, const ct__line *l)
{
    const ct__graph *graph = r->s->graph;
    for (size_t result = 0; result < graph->n_results; result++) {
        if (!r->s->wanted[result])
            continue;
        for (size_t i = 0; i < (size_t)ct__result_type(graph, result)->size; i++)
            if (!report_row(r, l, result, i))
                return false;
        if (r->slopes.has_cotangents && !r->slopes.is_reverse_only && !check_adjoint(r, l, result))
            return false;
    }
    return true;
}
