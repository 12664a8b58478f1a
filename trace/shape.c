#include "trace/compose.h"

#include <cotangent/shape.h>

#include <inttypes.h>
#include <string.h>

/* A list of the caller's as extents: one entry per axis of a value of this rank. */
static bool per_axis(const ct__composite *q, const char *name, ct_shape list, int rank,
                     ct__extents *out)
{
    if (!list.dim && list.count > 0)
        return ct__composite_fail(q, CT_ERR_ARGUMENT, "%s is NULL", name);
    if (list.count != (size_t)rank)
        return ct__composite_fail(q, CT_ERR_SHAPE, "%s has length %zu; x has rank %d", name,
                                  list.count, rank);
    out->rank = rank;
    if (rank)
        memcpy(out->dim, list.dim, (size_t)rank * sizeof *out->dim);
    return true;
}

static bool check_rank(const ct__composite *q, size_t rank)
{
    if (rank <= CT__MAX_RANK)
        return true;
    return ct__composite_fail(q, CT_ERR_SHAPE, "the result would have rank %zu; the most is %d",
                              rank, CT__MAX_RANK);
}

/* A wanted shape; its extents are checked by inference. */
static bool wanted(const ct__composite *q, ct_shape shape, ct__extents *out)
{
    if (!shape.dim && shape.count > 0)
        return ct__composite_fail(q, CT_ERR_ARGUMENT, "the shape is NULL");
    if (!check_rank(q, shape.count))
        return false;
    out->rank = (int)shape.count;
    if (out->rank)
        memcpy(out->dim, shape.dim, (size_t)out->rank * sizeof *out->dim);
    return true;
}

static ct_tensor *reshape(ct__composite *q, ct_tensor *x, const ct__extents *shape)
{
    return ct_op_reshape_at(q->at, x, ct__shape(shape));
}

/* ---- Reshape. */

/* The extent -1 becomes size / (product of the others). */
static bool infer_extent(const ct__composite *q, int64_t size, ct__extents *shape)
{
    int unknown = -1;
    int64_t known = 1;
    for (int d = 0; d < shape->rank; d++) {
        if (shape->dim[d] == -1 && unknown >= 0)
            return ct__composite_fail(q, CT_ERR_SHAPE, "axes %d and %d are both -1", unknown, d);
        if (shape->dim[d] == -1)
            unknown = d;
        else if (!ct__mul_i64(known, shape->dim[d], &known))
            return ct__composite_fail(q, CT_ERR_RANGE, "the new extents overflow");
    }
    if (unknown < 0)
        return true;
    if (known == 0)
        return ct__composite_fail(
            q, CT_ERR_SHAPE, "the extent of axis %d cannot be told: another one is 0", unknown);
    if (known < 0 || size % known != 0)
        return ct__composite_fail(q, CT_ERR_SHAPE,
                                  "%" PRId64 " elements cannot be split by the other extents, "
                                  "whose product is %" PRId64,
                                  size, known);
    shape->dim[unknown] = size / known;
    return true;
}

ct_tensor *ct_reshape_at(ct_place at, ct_tensor *x, ct_shape shape)
{
    ct__composite q;
    ct_operand operand;
    ct__extents extents;
    if (!ct__begin1(&q, at, "reshape", &operand, x) || !wanted(&q, shape, &extents) ||
        !infer_extent(&q, x->type->size, &extents))
        return ct__poison(q.ctx);
    return reshape(&q, x, &extents);
}

/* ---- Axes. */

static bool permutation(const ct__composite *q, ct_axes axes, int rank, ct__extents *order)
{
    order->rank = rank;
    for (int d = 0; axes.all && d < rank; d++)
        order->dim[d] = rank - 1 - d;
    if (axes.all)
        return true;
    if (!ct__axes_given(q, axes))
        return false;
    if (axes.count != (size_t)rank)
        return ct__composite_fail(q, CT_ERR_SHAPE, "axes has length %zu; x has rank %d", axes.count,
                                  rank);
    return ct__axes_listed(q, axes, rank, order); /* distinct, as many as there are */
}

ct_tensor *ct_transpose_at(ct_place at, ct_tensor *x, ct_axes axes)
{
    ct__composite q;
    ct_operand operand;
    ct__extents order;
    if (!ct__begin1(&q, at, "transpose", &operand, x) ||
        !permutation(&q, axes, x->type->rank, &order))
        return ct__poison(q.ctx);
    return ct_op_transpose_at(at, x, ct__shape(&order));
}

ct_tensor *ct_squeeze_at(ct_place at, ct_tensor *x, ct_axes axes)
{
    ct__composite q;
    ct_operand operand;
    ct__extents gone;
    if (!ct__begin1(&q, at, "squeeze", &operand, x) || !ct__axes(&q, axes, x->type->rank, &gone))
        return ct__poison(q.ctx);
    ct__extents shape = {.rank = 0};
    for (int d = 0, i = 0; d < x->type->rank; d++) {
        int64_t extent = x->type->dim[d];
        bool named = i < gone.rank && gone.dim[i] == d;
        i += named;
        if (named && !axes.all && extent != 1)
            return ct__composite_error(&q, CT_ERR_SHAPE,
                                       "axis %d has extent %" PRId64 ", which is not 1", d, extent);
        if (!named || extent != 1)
            shape.dim[shape.rank++] = extent;
    }
    return reshape(&q, x, &shape);
}

ct_tensor *ct_expand_dims_at(ct_place at, ct_tensor *x, ct_axes axes)
{
    ct__composite q;
    ct_operand operand;
    ct__extents new_axes;
    if (!ct__begin1(&q, at, "expand_dims", &operand, x))
        return ct__poison(q.ctx);
    if (axes.all)
        return ct__composite_error(&q, CT_ERR_ARGUMENT, "name the new axes; there is no \"all\"");
    if (!ct__axes_given(&q, axes) || !check_rank(&q, axes.count) ||
        !check_rank(&q, axes.count + (size_t)x->type->rank))
        return ct__poison(q.ctx);
    int rank = x->type->rank + (int)axes.count;
    if (!ct__axes(&q, axes, rank, &new_axes))
        return ct__poison(q.ctx);
    ct__extents shape = {.rank = rank};
    for (int d = 0, i = 0, from = 0; d < rank; d++) {
        bool is_new = i < new_axes.rank && new_axes.dim[i] == d;
        shape.dim[d] = is_new ? 1 : x->type->dim[from];
        i += is_new;
        from += !is_new;
    }
    return reshape(&q, x, &shape);
}

/* ---- Broadcasting. */

ct_tensor *ct_broadcast_to_at(ct_place at, ct_tensor *x, ct_shape shape)
{
    ct__composite q;
    ct_operand operand;
    ct__extents extents;
    if (!ct__begin1(&q, at, "broadcast_to", &operand, x) || !wanted(&q, shape, &extents))
        return ct__poison(q.ctx);
    const ct_type *type = x->type;
    if (type->rank > extents.rank)
        return ct__composite_error(&q, CT_ERR_SHAPE, "x has rank %d, the shape only %d", type->rank,
                                   extents.rank);
    for (int d = 1; d <= type->rank; d++) {
        int64_t have = type->dim[type->rank - d], want = extents.dim[extents.rank - d];
        if (have != 1 && have != want)
            return ct__composite_error(&q, CT_ERR_SHAPE,
                                       "axis %d has extent %" PRId64
                                       ", which does not stretch to %" PRId64,
                                       -d, have, want);
    }
    ct__open(&q);
    return ct__close(&q, ct__stretch(at, x, &extents));
}

/* ---- Parts. */

/* A bound that may count from the end, CT_END for the extent; true if it lies in [low, extent]. */
static bool resolve(int64_t *bound, int64_t low, int64_t extent)
{
    if (*bound == CT_END)
        *bound = extent;
    else if (*bound < 0 && *bound >= -extent)
        *bound += extent;
    return *bound >= low && *bound <= extent;
}

static bool check_bounds(const ct__composite *q, const ct_type *type, ct__extents *start,
                         ct__extents *limit, const ct__extents *stride)
{
    for (int d = 0; d < type->rank; d++) {
        int64_t extent = type->dim[d], given = start->dim[d];
        if (!resolve(&start->dim[d], 0, extent))
            return ct__composite_fail(q, CT_ERR_SHAPE,
                                      "start[%d] = %" PRId64 " is outside an extent of %" PRId64, d,
                                      given, extent);
        given = limit->dim[d];
        if (!resolve(&limit->dim[d], start->dim[d], extent))
            return ct__composite_fail(q, CT_ERR_SHAPE,
                                      "limit[%d] = %" PRId64 " is outside [%" PRId64 ", %" PRId64
                                      "], from the start to the extent",
                                      d, given, start->dim[d], extent);
        if (stride->dim[d] < 1)
            return ct__composite_fail(q, CT_ERR_SHAPE,
                                      "stride[%d] = %" PRId64 " is not positive (see ct_flip)", d,
                                      stride->dim[d]);
    }
    return true;
}

ct_tensor *ct_slice_at(ct_place at, ct_tensor *x, ct_shape start, ct_shape limit, ct_shape stride)
{
    ct__composite q;
    ct_operand operand;
    ct__extents from, to, step;
    if (!ct__begin1(&q, at, "slice", &operand, x))
        return ct__poison(q.ctx);
    const ct_type *type = x->type;
    for (int d = 0; d < type->rank; d++)
        step.dim[d] = 1;
    step.rank = type->rank;
    if (!per_axis(&q, "start", start, type->rank, &from) ||
        !per_axis(&q, "limit", limit, type->rank, &to) ||
        (stride.count > 0 && !per_axis(&q, "stride", stride, type->rank, &step)) ||
        !check_bounds(&q, type, &from, &to, &step))
        return ct__poison(q.ctx);
    return ct_op_slice_at(at, x, ct__shape(&from), ct__shape(&to), ct__shape(&step));
}

ct_tensor *ct_flip_at(ct_place at, ct_tensor *x, ct_axes axes)
{
    ct__composite q;
    ct_operand operand;
    ct__extents flipped;
    if (!ct__begin1(&q, at, "flip", &operand, x) || !ct__axes(&q, axes, x->type->rank, &flipped))
        return ct__poison(q.ctx);
    return ct_op_reverse_at(at, x, ct__shape(&flipped));
}

ct_tensor *ct_pad_at(ct_place at, ct_tensor *x, ct_shape low, ct_shape high, ct_operand value)
{
    static const ct__extents scalar = {.rank = 0};
    static const int64_t none[CT__MAX_RANK];
    const ct_operand operand[] = {ct_operand_tensor(x), value};
    ct__composite q;
    ct__extents before, after;
    ct_dtype dtype;
    if (!ct__begin(&q, at, "pad", "x value", 2, operand) || !ct__common_dtype(&q, 0, &dtype) ||
        !per_axis(&q, "low", low, x->type->rank, &before) ||
        !per_axis(&q, "high", high, x->type->rank, &after))
        return ct__poison(q.ctx);
    if (value.kind == CT_OPERAND_TENSOR && value.tensor->type->rank != 0)
        return ct__composite_error(&q, CT_ERR_SHAPE, "the value is not a scalar");
    ct__open(&q);
    return ct__close(&q, ct_op_pad_at(at, x, ct__operand(&q, 1, dtype, &scalar), ct__shape(&before),
                                      ct__shape(&after), (ct_dims){(size_t)before.rank, none}));
}

/* ---- Several. */

/* Operands of a list, in memory of the scratch; NULL after an error. */
static const ct_operand *operands_of(ct_place at, const char *name, ct_list x)
{
    ct_context *ctx = ct__context_of_list(x);
    ct_operand *operand = CT__NEW_ARRAY(&ctx->scratch, ct_operand, x.count);
    for (size_t i = 0; operand && i < x.count; i++)
        operand[i] = ct_operand_tensor(x.item[i]);
    if (!operand)
        ct__error_memory(ctx, at, name);
    return operand;
}

/* One dtype and one shape, but for the extent of `free_axis` (-1: none is free). */
static bool check_same(const ct__composite *q, int64_t free_axis)
{
    ct_dtype dtype;
    if (!ct__common_dtype(q, 0, &dtype))
        return false;
    const ct_type *first = q->operand[0].tensor->type;
    for (size_t i = 1; i < q->n_operands; i++) {
        const ct_type *type = q->operand[i].tensor->type;
        if (type->rank != first->rank)
            return ct__composite_fail(q, CT_ERR_SHAPE, "x[0] has rank %d and x[%zu] has rank %d",
                                      first->rank, i, type->rank);
        for (int d = 0; d < type->rank; d++)
            if (d != free_axis && type->dim[d] != first->dim[d])
                return ct__composite_fail(q, CT_ERR_SHAPE,
                                          "on axis %d x[0] has extent %" PRId64
                                          " and x[%zu] has %" PRId64,
                                          d, first->dim[d], i, type->dim[d]);
    }
    return true;
}

static ct_tensor *concatenate(ct_place at, ct_list x, int64_t axis)
{
    ct__composite q;
    const ct_operand *operand = operands_of(at, "concatenate", x);
    if (!operand || !ct__begin(&q, at, "concatenate", "x...", x.count, operand) ||
        !ct__axis(&q, "axis", axis, x.item[0]->type->rank, &axis) || !check_same(&q, axis))
        return ct__poison(ct__context_of_list(x));
    return ct_op_concatenate_at(at, x, axis);
}

static ct_tensor *stack(ct_place at, ct_list x, int64_t axis)
{
    ct__composite q;
    const ct_operand *operand = operands_of(at, "stack", x);
    ct_tensor **item = CT__NEW_ARRAY(&ct__context_of_list(x)->scratch, ct_tensor *, x.count);
    if (!item)
        ct__error_memory(ct__context_of_list(x), at, "stack");
    if (!operand || !item || !ct__begin(&q, at, "stack", "x...", x.count, operand) ||
        !check_rank(&q, (size_t)x.item[0]->type->rank + 1) ||
        !ct__axis(&q, "axis", axis, x.item[0]->type->rank + 1, &axis) || !check_same(&q, -1))
        return ct__poison(ct__context_of_list(x));
    ct__open(&q);
    for (size_t i = 0; i < x.count; i++)
        item[i] = ct_expand_dims_at(at, x.item[i], CT_AXES(axis));
    return ct__close(&q, ct_op_concatenate_at(at, (ct_list){x.count, item}, axis));
}

/* Without a tensor there is no context, and nothing to report to. */
static ct_tensor *joined(ct_place at, ct_list x, int64_t axis,
                         ct_tensor *(*join)(ct_place, ct_list, int64_t))
{
    ct_context *ctx = ct__context_of_list(x);
    if (ct_failed(ctx))
        return ct__poison(ctx);
    ct__scratch_begin(ctx);
    ct_tensor *y = join(at, x, axis);
    ct__scratch_end(ctx);
    return y;
}

ct_tensor *ct_concatenate_at(ct_place at, ct_list x, int64_t axis)
{
    return joined(at, x, axis, concatenate);
}

ct_tensor *ct_stack_at(ct_place at, ct_list x, int64_t axis)
{
    return joined(at, x, axis, stack);
}
