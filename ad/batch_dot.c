/* Batching of products, transforms and solving. */
#include "ad/batch.h"

#include <cotangent/op_large.h>

/* ---- dot_general: lanes of both sides are batching axes, lanes of one side a free one. */

static void dot_of_both(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    struct ct__attrs_dot_general *a = &attrs.dot_general;
    a->lhs_batching_dimensions = ct__batch_behind(q, 0, a->lhs_batching_dimensions);
    a->rhs_batching_dimensions = ct__batch_behind(q, 0, a->rhs_batching_dimensions);
    a->lhs_contracting_dimensions = ct__batch_shifted(q, a->lhs_contracting_dimensions);
    a->rhs_contracting_dimensions = ct__batch_shifted(q, a->rhs_contracting_dimensions);
    ct__batch_apply_full(q, &attrs);
}

static void dot_of_one(ct__batch *q, bool left)
{
    ct__attrs attrs = *q->attrs;
    struct ct__attrs_dot_general *a = &attrs.dot_general;
    size_t batching = a->lhs_batching_dimensions.count;
    size_t free_of_x = (size_t)q->type[0]->rank - batching - a->lhs_contracting_dimensions.count;
    if (left) {
        a->lhs_batching_dimensions = ct__batch_shifted(q, a->lhs_batching_dimensions);
        a->lhs_contracting_dimensions = ct__batch_shifted(q, a->lhs_contracting_dimensions);
    } else {
        a->rhs_batching_dimensions = ct__batch_shifted(q, a->rhs_batching_dimensions);
        a->rhs_contracting_dimensions = ct__batch_shifted(q, a->rhs_contracting_dimensions);
    }
    ct__batch_apply(q, &attrs, 2, q->x);
    q->y[0] = ct__moved_axis(q->at, q->y[0], batching + (left ? 0 : free_of_x), 0);
}

/* Where the result's type is given it has the lanes in front. */
void ct__batch_dot_general(ct__batch *q)
{
    if (q->is_typed || q->batched[0] == q->batched[1])
        dot_of_both(q);
    else
        dot_of_one(q, q->batched[0]);
}

/* ---- ragged_dot: group sizes may be different in each lane, so the lanes are batching axes of all
 * three. Where the ragged axis is contracted, the result has the groups in front of the lanes. */

/* One list of sizes does for all, in all lanes too; lists of the lanes' own have the axes of x that
 * choose one between the lanes and the groups. */
static ct_tensor *group_sizes(const ct__batch *q)
{
    const ct_type *x = q->type[0], *sizes = q->type[2];
    int64_t prefix[CT__MAX_RANK], dim[CT__MAX_RANK + 2] = {q->size};
    size_t count = ct__ragged_prefix(&q->attrs->ragged_dot, prefix);
    if (sizes->rank != 1)
        return ct__batch_full(q, 2);
    if (!q->batched[2] || count == 0)
        return q->x[2];
    for (size_t i = 0; i < count; i++)
        dim[i + 1] = x->dim[prefix[i]];
    dim[count + 1] = sizes->dim[0];
    return ct_op_broadcast_in_dim_at(q->at, q->x[2], (ct_dims){count + 2, dim},
                                     CT_DIMS(0, (int64_t)count + 1));
}

void ct__batch_ragged_dot(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    struct ct__attrs_ragged_dot *a = &attrs.ragged_dot;
    bool groups_first = ct__ragged_mode_of(a) == CT__RAGGED_CONTRACTING;
    a->lhs_batching_dimensions = ct__batch_behind(q, 0, a->lhs_batching_dimensions);
    a->rhs_batching_dimensions = ct__batch_behind(q, 0, a->rhs_batching_dimensions);
    a->lhs_contracting_dimensions = ct__batch_shifted(q, a->lhs_contracting_dimensions);
    a->rhs_contracting_dimensions = ct__batch_shifted(q, a->rhs_contracting_dimensions);
    a->lhs_ragged_dimensions = ct__batch_shifted(q, a->lhs_ragged_dimensions);
    a->rhs_group_dimensions = ct__batch_shifted(q, a->rhs_group_dimensions);
    ct_tensor *operand[] = {ct__batch_full(q, 0), ct__batch_full(q, 1), group_sizes(q)};
    ct__batch_apply(q, &attrs, 3, operand);
    q->y[0] = ct__moved_axis(q->at, q->y[0], groups_first, 0);
}

/* ---- convolution: the lanes of an axis become a part of it.
 *
 *   lanes of x        in its batch; with batch groups, inside each of them
 *   lanes of kernel   in its output features, inside each group
 *   lanes of both     a feature (or batch) group for each lane and group
 *
 * An axis of `groups` blocks with the lanes inside each is [groups, size, rest]. */

/* x, whose lanes are axis 0, with them in axis `axis` of a lane: outside of all, or inside each of
 * `groups` blocks. */
static ct_tensor *merged(const ct__batch *q, ct_tensor *x, size_t axis, int64_t groups)
{
    int64_t dim[CT__MAX_RANK + 2];
    size_t rank = ct_rank(x), to = axis + (groups > 1);
    if (groups > 1 &&
        !ct_is_poison(x)) { /* cut the axis in two, which is behind the lanes so far */
        for (size_t d = 0; d <= rank; d++)
            dim[d] = ct_dim(x, (int64_t)(d - (d > axis + 1)));
        dim[axis + 1] = groups;
        dim[axis + 2] = ct_dim(x, (int64_t)axis + 1) / groups;
        x = ct_op_reshape_at(q->at, x, (ct_dims){rank + 1, dim});
    }
    x = ct__moved_axis(q->at, x, 0, to);
    if (ct_is_poison(x))
        return x;
    size_t parts = ct_rank(x) - rank + 2, kept = 0; /* how many axes become one */
    for (size_t d = 0; d < ct_rank(x); d++) {
        if (d > axis && d < axis + parts)
            dim[kept - 1] = ct__mul_extents(dim[kept - 1], ct_dim(x, (int64_t)d));
        else
            dim[kept++] = ct_dim(x, (int64_t)d);
    }
    return ct_op_reshape_at(q->at, x, (ct_dims){kept, dim});
}

/* The way back: y, of which an axis has the lanes outside of all, or inside each of `groups`
 * blocks.
 */
static ct_tensor *split(const ct__batch *q, ct_tensor *y, size_t axis, int64_t groups)
{
    const ct_type *lane = q->result_type[0];
    int64_t dim[CT__MAX_RANK + 2];
    size_t rank = 0;
    for (size_t d = 0; d < (size_t)lane->rank; d++) {
        if (d == axis && groups > 1)
            dim[rank++] = groups;
        if (d == axis)
            dim[rank++] = q->size;
        dim[rank++] = d == axis ? lane->dim[d] / groups : lane->dim[d];
    }
    y = ct_op_reshape_at(q->at, y, (ct_dims){rank, dim});
    y = ct__moved_axis(q->at, y, axis + (groups > 1), 0);
    if (groups > 1) {
        dim[0] = q->size;
        for (size_t d = 0; d < (size_t)lane->rank; d++)
            dim[d + 1] = lane->dim[d];
        y = ct_op_reshape_at(q->at, y, (ct_dims){(size_t)lane->rank + 1, dim});
    }
    return y;
}

static void convolution_of_x(ct__batch *q, const struct ct__attrs_convolution *a)
{
    ct_tensor *operand[] = {
        merged(q, q->x[0], (size_t)a->input_batch_dimension, a->batch_group_count), q->x[1]};
    q->y[0] = ct__op_on(q->at, q->op, q->attrs, 2, operand);
    q->y[0] = split(q, q->y[0], (size_t)a->output_batch_dimension, 1);
}

static void convolution_of_kernel(ct__batch *q, const struct ct__attrs_convolution *a)
{
    int64_t groups = a->feature_group_count * a->batch_group_count; /* one of them is 1 */
    ct_tensor *operand[] = {q->x[0],
                            merged(q, q->x[1], (size_t)a->kernel_output_feature_dimension, groups)};
    q->y[0] = ct__op_on(q->at, q->op, q->attrs, 2, operand);
    q->y[0] = split(q, q->y[0], (size_t)a->output_feature_dimension, groups);
}

static void convolution_of_both(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    struct ct__attrs_convolution *a = &attrs.convolution;
    bool by_batch = a->batch_group_count > 1;
    int64_t *groups = by_batch ? &a->batch_group_count : &a->feature_group_count;
    size_t of_x = (size_t)(by_batch ? a->input_batch_dimension : a->input_feature_dimension);
    if (!ct__mul_i64(*groups, q->size, groups)) {
        ct__error(q->ctx, q->at, CT_ERR_RANGE, "vmap: the groups of all lanes are too many");
        return;
    }
    ct_tensor *operand[] = {merged(q, q->x[0], of_x, 1),
                            merged(q, q->x[1], (size_t)a->kernel_output_feature_dimension, 1)};
    q->y[0] = ct__op_on(q->at, q->op, &attrs, 2, operand);
    q->y[0] = split(q, q->y[0], (size_t)a->output_feature_dimension, 1);
}

/* Whether there is room for the lanes in an axis, whose extent is free in empty tensors, and for
 * one axis more. */
static bool lanes_fit(const ct__batch *q)
{
    int64_t extent;
    if (q->type[0]->rank + 2 > CT__MAX_RANK)
        return false;
    for (size_t i = 0; i < 2; i++)
        for (int d = 0; q->batched[i] && d < q->type[i]->rank; d++)
            if (!ct__mul_i64(q->type[i]->dim[d], q->size, &extent))
                return false;
    return true;
}

/* Groups must be more than none, so no lanes and what does not fit go by loop. */
void ct__batch_convolution(ct__batch *q)
{
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    ct__batch_fail(q);
    if (q->is_typed || q->size == 0 || !lanes_fit(q))
        ct__batch_loop(q);
    else if (!q->batched[1])
        convolution_of_x(q, a);
    else if (!q->batched[0])
        convolution_of_kernel(q, a);
    else
        convolution_of_both(q);
}

/* ---- Along the last axes. */

void ct__batch_fft(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}

void ct__batch_cholesky(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}

void ct__batch_triangular_solve(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}
