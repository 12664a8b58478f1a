/* Batching of operations that move data: the batch is an axis that they leave alone. */
#include "ad/batch.h"

void ct__batch_broadcast_in_dim(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.broadcast_in_dim.shape = ct__batch_prepended(q, q->size, attrs.broadcast_in_dim.shape);
    attrs.broadcast_in_dim.broadcast_dimensions = ct__batch_behind(
        q, 0, attrs.broadcast_in_dim.broadcast_dimensions);
    ct__batch_apply_full(q, &attrs);
}

void ct__batch_concatenate(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.concatenate.dimension++;
    ct__batch_apply_full(q, &attrs);
}

void ct__batch_reshape(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.reshape.shape = ct__batch_prepended(q, q->size, attrs.reshape.shape);
    ct__batch_apply_full(q, &attrs);
}

void ct__batch_reverse(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.reverse.dimensions = ct__batch_shifted(q, attrs.reverse.dimensions);
    ct__batch_apply_full(q, &attrs);
}

void ct__batch_slice(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.slice.start_indices = ct__batch_prepended(q, 0, attrs.slice.start_indices);
    attrs.slice.limit_indices = ct__batch_prepended(q, q->size, attrs.slice.limit_indices);
    attrs.slice.strides = ct__batch_prepended(q, 1, attrs.slice.strides);
    ct__batch_apply_full(q, &attrs);
}

void ct__batch_transpose(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.transpose.permutation = ct__batch_behind(q, 0, attrs.transpose.permutation);
    ct__batch_apply_full(q, &attrs);
}

/* ---- pad. */

static ct__attrs padding(const ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.pad.edge_padding_low = ct__batch_prepended(q, 0, attrs.pad.edge_padding_low);
    attrs.pad.edge_padding_high = ct__batch_prepended(q, 0, attrs.pad.edge_padding_high);
    attrs.pad.interior_padding = ct__batch_prepended(q, 0, attrs.pad.interior_padding);
    return attrs;
}

/* One lane's result: true where an element of x stands. */
static ct_tensor *inside(const ct__batch *q)
{
    const struct ct__attrs_pad *a = &q->attrs->pad;
    ct_shape shape = {(size_t)q->type[0]->rank, q->type[0]->dim};
    return ct_op_pad_at(q->at, ct_ones_at(q->at, q->ctx, CT_BOOL, shape),
                        ct_zeros_at(q->at, q->ctx, CT_BOOL, CT_SHAPE()),
                        ct__dims(a->edge_padding_low), ct__dims(a->edge_padding_high),
                        ct__dims(a->interior_padding));
}

/* A value of each lane's own: x padded with some number, which is then replaced. */
static void pad_by_lane(ct__batch *q)
{
    const ct_type *result = ct__batched_type(q->ctx, q->at, q->arena, q->result_type[0], q->size);
    ct__attrs attrs = padding(q);
    if (!result) {
        ct__batch_fail(q);
        return;
    }
    ct_dims shape = {(size_t)result->rank, result->dim};
    ct_tensor *operand[] = {ct__batch_full(q, 0),
                            ct_ones_at(q->at, q->ctx, result->dtype, CT_SHAPE())};
    ct_tensor *value = ct_op_broadcast_in_dim_at(q->at, q->x[1], shape, CT_DIMS(0));
    ct_tensor *mask = ct__batch_spread(
        q, inside(q),
        &(ct_type){.dtype = CT_BOOL, .rank = result->rank - 1, .dim = result->dim + 1});
    ct__batch_apply(q, &attrs, 2, operand);
    q->y[0] = ct_op_select_at(q->at, mask, q->y[0], value);
}

void ct__batch_pad(ct__batch *q)
{
    if (q->batched[1] && q->type[1]->quantized) {
        ct__batch_loop(q);
    } else if (q->batched[1]) {
        pad_by_lane(q);
    } else {
        ct__attrs attrs = padding(q);
        ct_tensor *operand[] = {ct__batch_full(q, 0), q->x[1]};
        ct__batch_apply(q, &attrs, 2, operand);
    }
}
