#include "trace/compose.h"

#include <cotangent/linalg.h>

#include <inttypes.h>

/* A product in progress. Every result axis has a label: 0 … batch-1 for the leading ones, then m,
 * then n. A leading axis that only one operand has is a free axis of that operand, so nothing is
 * copied to make the operands match; the product then brings the axes out of order, and a transpose
 * mends that. */
typedef struct matmul {
    ct__composite q;
    int batch;            /* leading axes of the result */
    ct__extents size[2];  /* x's and y's extents, without leading axes of 1 beside a larger one */
    ct__extents pairs[2]; /* leading axes that both have */
    ct__extents free[2];  /* labels of the axes that one has, in order */
    ct__extents pair_labels; /* of the pairs */
    ct__extents contracting[2];
} matmul;

static void push(ct__extents *list, int64_t item)
{
    list->dim[list->rank++] = item;
}

/* How many leading axes an operand has. */
static int leading(const ct_type *type)
{
    return type->rank > 2 ? type->rank - 2 : 0;
}

/* The extent of leading axis `label` of the result in an operand; -1 when it has no such axis. */
static int64_t leading_extent(const matmul *p, const ct_type *type, int label)
{
    int d = label - (p->batch - leading(type));
    return d < 0 ? -1 : type->dim[d];
}

static bool sort_leading(matmul *p, const ct_type *x, const ct_type *y)
{
    const ct_type *type[] = {x, y};
    for (int label = 0; label < p->batch; label++) {
        int64_t extent[] = {leading_extent(p, x, label), leading_extent(p, y, label)};
        if (extent[0] == extent[1]) {
            for (int side = 0; side < 2; side++) {
                push(&p->pairs[side], p->size[side].rank);
                push(&p->size[side], extent[side]);
            }
            push(&p->pair_labels, label);
            continue;
        }
        int side = extent[0] == -1 || (extent[0] == 1 && extent[1] != -1) ? 1 : 0;
        if (extent[1 - side] != -1 && extent[1 - side] != 1)
            return ct__composite_fail(&p->q, CT_ERR_SHAPE,
                                      "x and y do not broadcast: on axis %d their extents are "
                                      "%" PRId64 " and %" PRId64,
                                      label - p->batch - 2, extent[0], extent[1]);
        push(&p->free[side], label);
        push(&p->size[side], leading_extent(p, type[side], label));
    }
    return true;
}

/* The last two axes: m and k of x, k and n of y. */
static bool sort_trailing(matmul *p, const ct_type *x, const ct_type *y)
{
    int64_t kx = x->dim[x->rank - 1], ky = y->dim[y->rank > 1 ? y->rank - 2 : 0];
    if (kx != ky)
        return ct__composite_fail(&p->q, CT_ERR_SHAPE,
                                  "the contracted extents differ: x has %" PRId64
                                  " on axis -1 and y has %" PRId64 " on axis %d",
                                  kx, ky, y->rank > 1 ? -2 : -1);
    if (x->rank > 1) {
        push(&p->free[0], p->batch);
        push(&p->size[0], x->dim[x->rank - 2]);
    }
    push(&p->contracting[0], p->size[0].rank);
    push(&p->size[0], kx);
    push(&p->contracting[1], p->size[1].rank);
    push(&p->size[1], ky);
    if (y->rank > 1) {
        push(&p->free[1], p->batch + 1);
        push(&p->size[1], y->dim[y->rank - 1]);
    }
    return true;
}

/* An operand without the leading axes of extent 1 that the other one stretches. */
static ct_tensor *squeezed(const matmul *p, int side, ct_tensor *x)
{
    if (x->type->rank == p->size[side].rank)
        return x;
    return ct_op_reshape_at(p->q.at, x, ct__shape(&p->size[side]));
}

/* Axes from the product's order (pairs, free of x, free of y) into the order of their labels. */
static ct_tensor *in_order(const matmul *p, ct_tensor *z)
{
    const ct__extents *group[] = {&p->pair_labels, &p->free[0], &p->free[1]};
    int64_t place[CT__MAX_RANK + 2]; /* by label; -1: there is no such axis */
    int at = 0;
    bool sorted = true;
    for (int label = 0; label < p->batch + 2; label++)
        place[label] = -1;
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < group[g]->rank; i++)
            place[group[g]->dim[i]] = at++;
    ct__extents permutation = {.rank = 0};
    for (int label = 0; label < p->batch + 2; label++) {
        if (place[label] < 0)
            continue;
        sorted = sorted && place[label] == permutation.rank;
        push(&permutation, place[label]);
    }
    return sorted ? z : ct_op_transpose_at(p->q.at, z, ct__shape(&permutation));
}

/* Two tensors of one dtype that has a product and a sum. */
static bool begin_product(ct__composite *q, ct_place at, const char *name,
                          const ct_operand *operand)
{
    ct_dtype dtype;
    return ct__begin(q, at, name, "x y", 2, operand) &&
           ct__allow(q, 0, CT__INTS | CT__FLOATS | CT__COMPLEXES) && ct__common_dtype(q, 0, &dtype);
}

static bool begin(matmul *p, ct_place at, const ct_operand *operand)
{
    *p = (matmul){.batch = 0};
    if (!begin_product(&p->q, at, "matmul", operand))
        return false;
    const ct_type *x = operand[0].tensor->type, *y = operand[1].tensor->type;
    if (x->rank == 0 || y->rank == 0)
        return ct__composite_fail(&p->q, CT_ERR_SHAPE, "%s is a scalar (see ct_mul)",
                                  x->rank == 0 ? "x" : "y");
    p->batch = leading(x) > leading(y) ? leading(x) : leading(y);
    return sort_leading(p, x, y) && sort_trailing(p, x, y);
}

ct_tensor *ct_matmul_at(ct_place at, ct_tensor *x, ct_tensor *y)
{
    const ct_operand operand[] = {ct_operand_tensor(x), ct_operand_tensor(y)};
    matmul p;
    if (!begin(&p, at, operand))
        return ct__poison(p.q.ctx);
    ct_dot_dims dims = {.lhs_batching = ct__shape(&p.pairs[0]),
                        .rhs_batching = ct__shape(&p.pairs[1]),
                        .lhs_contracting = ct__shape(&p.contracting[0]),
                        .rhs_contracting = ct__shape(&p.contracting[1])};
    ct__open(&p.q);
    ct_tensor *z = ct_op_dot_general_at(at, squeezed(&p, 0, x), squeezed(&p, 1, y), &dims);
    return ct__close(&p.q, in_order(&p, z));
}

/* ---- Without leading axes. */

/* Σ over pairs of axes; the free axes of x, then those of y. */
static ct_tensor *contracted(const ct__composite *q, const ct__extents *x_axes,
                             const ct__extents *y_axes)
{
    ct_tensor *x = q->operand[0].tensor, *y = q->operand[1].tensor;
    if (x_axes->rank != y_axes->rank)
        return ct__composite_error(q, CT_ERR_SHAPE, "x_axes has length %d and y_axes %d",
                                   x_axes->rank, y_axes->rank);
    for (int i = 0; i < x_axes->rank; i++) {
        int64_t a = x->type->dim[x_axes->dim[i]], b = y->type->dim[y_axes->dim[i]];
        if (a != b)
            return ct__composite_error(q, CT_ERR_SHAPE,
                                       "the contracted extents differ: x has %" PRId64
                                       " on axis %" PRId64 " and y has %" PRId64
                                       " on axis %" PRId64,
                                       a, x_axes->dim[i], b, y_axes->dim[i]);
    }
    int rank = x->type->rank + y->type->rank - 2 * x_axes->rank;
    if (rank > CT__MAX_RANK)
        return ct__composite_error(q, CT_ERR_SHAPE, "the result would have rank %d; the most is %d",
                                   rank, CT__MAX_RANK);
    return ct_op_dot_general_at(
        q->at, x, y,
        &(ct_dot_dims){.lhs_contracting = ct__shape(x_axes), .rhs_contracting = ct__shape(y_axes)});
}

/* Σ over one axis of each. */
static ct_tensor *contracted_pair(const ct__composite *q, int64_t x_axis, int64_t y_axis)
{
    return contracted(q, &(ct__extents){.rank = 1, .dim = {x_axis}},
                      &(ct__extents){.rank = 1, .dim = {y_axis}});
}

ct_tensor *ct_dot_at(ct_place at, ct_tensor *x, ct_tensor *y)
{
    const ct_operand operand[] = {ct_operand_tensor(x), ct_operand_tensor(y)};
    ct__composite q;
    ct_tensor *aligned[2], *z = NULL;
    if (!begin_product(&q, at, "dot", operand))
        return ct__poison(q.ctx);
    int rank[] = {x->type->rank, y->type->rank};
    ct__open(&q);
    if (rank[0] > 0 && rank[1] > 0)
        z = contracted_pair(&q, rank[0] - 1, rank[1] > 1 ? rank[1] - 2 : 0);
    else if (ct__align(&q, 0, CT__ANY, aligned))
        z = ct_op_multiply_at(at, aligned[0], aligned[1]);
    return ct__close(&q, z ? z : ct__poison(q.ctx));
}

ct_tensor *ct_tensordot_at(ct_place at, ct_tensor *x, ct_tensor *y, int64_t n)
{
    const ct_operand operand[] = {ct_operand_tensor(x), ct_operand_tensor(y)};
    ct__composite q;
    if (!begin_product(&q, at, "tensordot", operand))
        return ct__poison(q.ctx);
    if (n < 0 || n > x->type->rank || n > y->type->rank)
        return ct__composite_error(&q, CT_ERR_SHAPE, "n = %" PRId64 " is outside [0, %d]", n,
                                   x->type->rank < y->type->rank ? x->type->rank : y->type->rank);
    ct__extents last = {.rank = 0}, first = {.rank = 0};
    for (int i = 0; i < (int)n; i++) {
        push(&last, x->type->rank - n + i);
        push(&first, i);
    }
    return contracted(&q, &last, &first);
}

ct_tensor *ct_tensordot_axes_at(ct_place at, ct_tensor *x, ct_tensor *y, ct_axes x_axes,
                                ct_axes y_axes)
{
    const ct_operand operand[] = {ct_operand_tensor(x), ct_operand_tensor(y)};
    ct__composite q;
    ct__extents of_x, of_y;
    if (!begin_product(&q, at, "tensordot_axes", operand) ||
        !ct__axes_listed(&q, x_axes, x->type->rank, &of_x) ||
        !ct__axes_listed(&q, y_axes, y->type->rank, &of_y))
        return ct__poison(q.ctx);
    return contracted(&q, &of_x, &of_y);
}

ct_tensor *ct_outer_at(ct_place at, ct_tensor *x, ct_tensor *y)
{
    const ct_operand operand[] = {ct_operand_tensor(x), ct_operand_tensor(y)};
    ct__composite q;
    ct_dtype dtype;
    if (!ct__begin(&q, at, "outer", "x y", 2, operand) || !ct__common_dtype(&q, 0, &dtype))
        return ct__poison(q.ctx);
    const ct_dims shape = CT_DIMS(x->type->size, y->type->size);
    ct__open(&q);
    ct_tensor *a = ct_op_reshape_at(at, x, CT_DIMS(shape.dim[0]));
    ct_tensor *b = ct_op_reshape_at(at, y, CT_DIMS(shape.dim[1]));
    a = ct_op_broadcast_in_dim_at(at, a, shape, CT_DIMS(0));
    b = ct_op_broadcast_in_dim_at(at, b, shape, CT_DIMS(1));
    return ct__close(&q, ct_op_multiply_at(at, a, b));
}
