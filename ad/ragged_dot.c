#include "ad/rules.h"

#include <stdio.h>
#include <string.h>

/* Bilinear: the product with the tangent in its operand's place. */
ct_tensor *ct__jvp_ragged_dot(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* With b batching, k contracting, m and n free axes, and g(i) the group of a place i on the ragged
 * axis, the transposes of the modes are each other:
 *
 *   free         z[b,m,n] = Σk x[b,m,k] y[g(m),b,k,n]
 *                xbar[b,m,k] = Σn zbar[b,m,n] y[g(m),b,k,n]             free
 *                ybar[g,b,k,n] = Σ(m in g) x[b,m,k] zbar[b,m,n]         contracting
 *   contracting  z[g,b,m,n] = Σ(k in g) x[b,m,k] y[b,k,n]
 *                xbar[b,k,m] = Σn y[b,k,n] zbar[g(k),b,m,n]             free
 *                ybar[b,k,n] = Σm x[b,m,k] zbar[g(k),b,m,n]             free
 *   batching     as those of dot_general, which it is
 *
 * In a free mode places without a group get 0, as they must. Operands are first put in the orders
 * above, so that the axes before the ragged one, whose sizes group_sizes may tell apart, are the
 * same ones in each. */

typedef struct ragged {
    ct__transpose *q;
    const struct ct__attrs_ragged_dot *attrs;
    size_t b, m, k, n;                        /* how many axes of each kind */
    int64_t place;                            /* of the ragged axis among m or k */
    int64_t x[CT__MAX_RANK], y[CT__MAX_RANK]; /* the axes in the orders [b,m,k] and */
    int64_t x_transposed[CT__MAX_RANK];       /* [g,b,k,n] or [b,k,n]; x as [b,k,m] */
    int64_t axis[2 * CT__MAX_RANK];           /* 0, 1, 2, … */
} ragged;

static size_t append(int64_t *order, size_t count, ct__ints list)
{
    for (size_t i = 0; i < list.count; i++)
        order[count++] = list.item[i];
    return count;
}

static ct__ints free_axes(int rank, ct__ints used, int64_t *axis)
{
    return (ct__ints){ct__other_axes((size_t)rank, ct__dims(used), axis), axis};
}

static size_t position(ct__ints list, int64_t axis)
{
    size_t i = 0;
    while (i < list.count && list.item[i] != axis)
        i++;
    return i;
}

static ragged begin(ct__transpose *q)
{
    const struct ct__attrs_ragged_dot *a = &q->attrs->ragged_dot;
    const ct__ints group = a->rhs_group_dimensions;
    ragged r = {.q = q,
                .attrs = a,
                .b = a->lhs_batching_dimensions.count,
                .k = a->lhs_contracting_dimensions.count};
    int64_t used[CT__MAX_RANK], axis[CT__MAX_RANK];
    size_t count = append(used, 0, a->lhs_batching_dimensions);
    count = append(used, count, a->lhs_contracting_dimensions);
    const ct__ints m = free_axes(q->type[0]->rank, (ct__ints){count, used}, axis);
    const ct__ints kind = ct__ragged_mode_of(a) == CT__RAGGED_FREE ? m
                                                                   : a->lhs_contracting_dimensions;
    r.m = m.count;
    r.place = (int64_t)position(kind, a->lhs_ragged_dimensions.item[0]);
    append(r.x, append(r.x, append(r.x, 0, a->lhs_batching_dimensions), m),
           a->lhs_contracting_dimensions);
    append(r.x_transposed,
           append(r.x_transposed, append(r.x_transposed, 0, a->lhs_batching_dimensions),
                  a->lhs_contracting_dimensions),
           m);

    count = append(r.y, append(r.y, 0, group), a->rhs_batching_dimensions);
    count = append(r.y, count, a->rhs_contracting_dimensions);
    const ct__ints n = free_axes(q->type[1]->rank, (ct__ints){count, r.y}, axis);
    r.n = n.count;
    append(r.y, count, n);
    for (size_t i = 0; i < 2 * CT__MAX_RANK; i++)
        r.axis[i] = (int64_t)i;
    return r;
}

/* The other operand in the dtype of the result, its axes in this order. */
static ct_tensor *in_order(const ragged *r, size_t operand, const int64_t *order)
{
    const ct__transpose *q = r->q;
    ct_tensor *x = ct__converted(q->at, q->x[operand], q->result_type[0]->dtype);
    return ct__permute(q->at, x, (size_t)q->type[operand]->rank, order);
}

/* Undo that for the operand's cotangent. */
static void add_in_place(const ragged *r, size_t operand, const int64_t *order, ct_tensor *bar)
{
    ct__transpose *q = r->q;
    int64_t inverse[CT__MAX_RANK];
    size_t rank = (size_t)q->type[operand]->rank;
    for (size_t d = 0; d < rank; d++)
        inverse[order[d]] = (int64_t)d;
    bar = ct__permute(q->at, bar, rank, inverse);
    ct__cotangent_add(q, operand, ct__converted(q->at, bar, q->type[operand]->dtype));
}

/* A product whose lists are neighbours: `contracted` axes from lhs_at and rhs_at on. Behind a group
 * axis, where rhs has one, batching axes come first. */
typedef struct lists {
    size_t lhs_at, rhs_at, contracted, ragged, groups;
} lists;

static ct_tensor *product(const ragged *r, ct_tensor *lhs, ct_tensor *rhs, lists l,
                          const char *precision)
{
    const ct__transpose *q = r->q;
    ct__attrs attrs = {
        .ragged_dot = {.lhs_batching_dimensions = {r->b, r->axis},
                       .rhs_batching_dimensions = {r->b, r->axis + l.groups},
                       .lhs_contracting_dimensions = {l.contracted, r->axis + l.lhs_at},
                       .rhs_contracting_dimensions = {l.contracted, r->axis + l.rhs_at},
                       .lhs_ragged_dimensions = {1, r->axis + l.ragged},
                       .rhs_group_dimensions = {l.groups, r->axis},
                       .precision_config = precision,
                       .dtype = q->result_type[0]->dtype}};
    return ct__op_on(q->at, CT__OP_ragged_dot, &attrs, 3, (ct_tensor *[]){lhs, rhs, q->x[2]});
}

static void transpose_free(const ragged *r)
{
    const size_t m = r->b, k = m + r->m, ragged_axis = m + (size_t)r->place;
    ct_tensor *zbar = r->q->ybar[0];
    if (r->q->linear[0]) {
        ct_tensor *xbar = product(r, zbar, in_order(r, 1, r->y),
                                  (lists){k, 1 + r->b + r->k, r->n, ragged_axis, 1},
                                  r->attrs->precision_config);
        add_in_place(r, 0, r->x, xbar);
    } else {
        ct_tensor *ybar = product(r, in_order(r, 0, r->x), zbar,
                                  (lists){m, m, r->m, ragged_axis, 0}, r->attrs->precision_config);
        add_in_place(r, 1, r->y, ybar);
    }
}

/* "HIGH, DEFAULT" as "DEFAULT, HIGH": the cotangent takes the precision of the operand whose place
 * it takes. */
static const char *swapped(const char *precision, char *buffer, size_t bytes)
{
    const char *comma = precision ? strchr(precision, ',') : NULL;
    if (!comma || strlen(precision) >= bytes)
        return precision;
    const char *second = comma + 1 + strspn(comma + 1, " ");
    snprintf(buffer, bytes, "%s, %.*s", second, (int)(comma - precision), precision);
    return buffer;
}

static void transpose_contracting(const ragged *r)
{
    char precision[64];
    ct_tensor *zbar = r->q->ybar[0];
    if (r->q->linear[0]) {
        ct_tensor *xbar = product(
            r, in_order(r, 1, r->y), zbar,
            (lists){r->b + r->k, 1 + r->b + r->m, r->n, r->b + (size_t)r->place, 1},
            swapped(r->attrs->precision_config, precision, sizeof precision));
        add_in_place(r, 0, r->x_transposed, xbar);
    } else {
        ct_tensor *ybar = product(r, in_order(r, 0, r->x), zbar,
                                  (lists){r->b, 1 + r->b, r->m, r->b + r->m + (size_t)r->place, 1},
                                  r->attrs->precision_config);
        add_in_place(r, 1, r->y, ybar);
    }
}

static void transpose_batching(const ct__transpose *q)
{
    const struct ct__attrs_ragged_dot *a = &q->attrs->ragged_dot;
    const ct__attrs attrs = {
        .dot_general = {.lhs_batching_dimensions = a->lhs_batching_dimensions,
                        .rhs_batching_dimensions = a->rhs_batching_dimensions,
                        .lhs_contracting_dimensions = a->lhs_contracting_dimensions,
                        .rhs_contracting_dimensions = a->rhs_contracting_dimensions,
                        .dtype = q->result_type[0]->dtype,
                        .precision_config = a->precision_config}};
    ct__transpose dot = *q;
    dot.op = CT__OP_dot_general;
    dot.attrs = &attrs;
    ct__transpose_dot_general(&dot);
}

void ct__transpose_ragged_dot(ct__transpose *q)
{
    const ct__ragged_mode mode = ct__ragged_mode_of(&q->attrs->ragged_dot);
    if (mode == CT__RAGGED_BATCH) {
        transpose_batching(q);
        return;
    }
    const ragged r = begin(q);
    if (mode == CT__RAGGED_FREE)
        transpose_free(&r);
    else
        transpose_contracting(&r);
}
