#include "ad/rules.h"

/* Data movement is linear: the jvp is the same movement of the tangent. The transposes undo it;
 * where one element went to several places, their cotangents are summed. */

/* ---- broadcast_in_dim. */

ct_tensor *ct__jvp_broadcast_in_dim(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* Axis d of x went to axis dims[d] of y. */
static bool was_repeated(const ct__transpose *q, size_t d)
{
    ct__ints dims = q->attrs->broadcast_in_dim.broadcast_dimensions;
    return q->type[0]->dim[d] != q->result_type[0]->dim[dims.item[d]];
}

/* The axes of y along which elements were repeated: the new ones and those that had extent 1. */
static size_t repeated_axes(const ct__transpose *q, int64_t *axes)
{
    ct__ints dims = q->attrs->broadcast_in_dim.broadcast_dimensions;
    size_t count = 0;
    for (int64_t r = 0; r < q->result_type[0]->rank; r++) {
        bool repeated = true;
        for (size_t d = 0; d < dims.count; d++)
            if (dims.item[d] == r)
                repeated = was_repeated(q, d);
        if (repeated)
            axes[count++] = r;
    }
    return count;
}

/* A sum over the repeated axes leaves x's other axes in y's order. Put them in x's order, then give
 * the repeated ones their extent 1 back. */
void ct__transpose_broadcast_in_dim(ct__transpose *q)
{
    ct__ints dims = q->attrs->broadcast_in_dim.broadcast_dimensions;
    const ct_type *x = q->type[0];
    int64_t repeated[CT__MAX_RANK], permutation[CT__MAX_RANK];
    size_t n = 0, n_repeated = repeated_axes(q, repeated);
    ct_tensor *sum = ct__sum_axes(q->at, q->ybar[0], (ct_dims){n_repeated, repeated});

    for (size_t d = 0; d < dims.count; d++) {
        if (was_repeated(q, d))
            continue;
        int64_t place = 0; /* how many kept axes lie before this one in y */
        for (size_t e = 0; e < dims.count; e++)
            place += !was_repeated(q, e) && dims.item[e] < dims.item[d];
        permutation[n++] = place;
    }
    ct_tensor *ordered = ct__permute(q->at, sum, n, permutation);
    ct__cotangent_add(q, 0, ct__reshaped(q->at, ordered, (ct_dims){dims.count, x->dim}));
}

/* ---- concatenate. */

void ct__jvp_concatenate(ct__jvp_whole *q)
{
    ct__jvp_linear(q);
}

/* Each operand's piece of ybar. */
void ct__transpose_concatenate(ct__transpose *q)
{
    int64_t axis = q->attrs->concatenate.dimension, begin = 0;
    int64_t start[CT__MAX_RANK] = {0}, limit[CT__MAX_RANK], stride[CT__MAX_RANK];
    size_t rank = (size_t)q->type[0]->rank;

    for (size_t i = 0; i < q->n_operands; i++) {
        for (size_t d = 0; d < rank; d++) {
            limit[d] = q->type[i]->dim[d];
            stride[d] = 1;
        }
        start[axis] = begin;
        limit[axis] = begin += q->type[i]->dim[axis];
        if (q->linear[i])
            ct__cotangent_add(q, i,
                              ct_op_slice_at(q->at, q->ybar[0], (ct_dims){rank, start},
                                             (ct_dims){rank, limit}, (ct_dims){rank, stride}));
    }
}

/* ---- pad. */

void ct__jvp_pad(ct__jvp_whole *q)
{
    ct__jvp_linear(q);
}

/* Whether the edges cut all of x away: amounts that cannot be negated do. */
static bool cuts_everything(const ct__transpose *q)
{
    ct__ints low = q->attrs->pad.edge_padding_low, high = q->attrs->pad.edge_padding_high;
    for (size_t d = 0; d < low.count; d++)
        if (low.item[d] == INT64_MIN || high.item[d] == INT64_MIN)
            return true;
    return false;
}

/* Undo the edges, which puts zeros where x was cut off, then skip what was put in between. */
static ct_tensor *cotangent_of_padded(const ct__transpose *q)
{
    const struct ct__attrs_pad *a = &q->attrs->pad;
    size_t rank = a->edge_padding_low.count;
    int64_t low[CT__MAX_RANK], high[CT__MAX_RANK], none[CT__MAX_RANK] = {0};
    int64_t limit[CT__MAX_RANK], stride[CT__MAX_RANK];
    bool spaced = false;

    for (size_t d = 0; d < rank; d++) {
        int64_t extent = q->type[0]->dim[d];
        low[d] = -a->edge_padding_low.item[d];
        high[d] = -a->edge_padding_high.item[d];
        stride[d] = extent > 1 ? a->interior_padding.item[d] + 1 : 1;
        limit[d] = extent > 1 ? (extent - 1) * stride[d] + 1 : extent;
        spaced = spaced || stride[d] > 1;
    }
    ct_tensor *zero = ct__zeros(q->ctx, q->at, q->type[1]);
    ct_tensor *inner = ct_op_pad_at(q->at, q->ybar[0], zero, (ct_dims){rank, low},
                                    (ct_dims){rank, high}, (ct_dims){rank, none});
    return spaced ? ct_op_slice_at(q->at, inner, (ct_dims){rank, none}, (ct_dims){rank, limit},
                                   (ct_dims){rank, stride})
                  : inner;
}

/* The sum of ybar with x's places masked out, which is exact; a total minus x's part would not be.
 */
static ct_tensor *cotangent_of_padding(const ct__transpose *q)
{
    const struct ct__attrs_pad *a = &q->attrs->pad;
    ct_type mask = *q->type[0], fill = *q->type[1];
    mask.dtype = fill.dtype = CT_BOOL;
    ct_tensor *of_x = ct_op_pad_at(q->at, ct__splat(q->ctx, q->at, &mask, 1),
                                   ct__splat(q->ctx, q->at, &fill, 0),
                                   ct__dims(a->edge_padding_low), ct__dims(a->edge_padding_high),
                                   ct__dims(a->interior_padding));
    ct_tensor *zeros = ct__zeros(q->ctx, q->at, q->result_type[0]);
    return ct__sum_all(q->at, ct_op_select_at(q->at, of_x, zeros, q->ybar[0]));
}

void ct__transpose_pad(ct__transpose *q)
{
    if (q->linear[0] && !cuts_everything(q))
        ct__cotangent_add(q, 0, cotangent_of_padded(q));
    if (q->linear[1])
        ct__cotangent_add(q, 1, cotangent_of_padding(q));
}

/* ---- reshape, reverse, slice, transpose. */

ct_tensor *ct__jvp_reshape(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

void ct__transpose_reshape(ct__transpose *q)
{
    ct_dims shape = {(size_t)q->type[0]->rank, q->type[0]->dim};
    ct__cotangent_add(q, 0, ct_op_reshape_at(q->at, q->ybar[0], shape));
}

ct_tensor *ct__jvp_reverse(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

void ct__transpose_reverse(ct__transpose *q)
{
    ct_dims axes = ct__dims(q->attrs->reverse.dimensions);
    ct__cotangent_add(q, 0, ct_op_reverse_at(q->at, q->ybar[0], axes));
}

ct_tensor *ct__jvp_slice(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* sum, with ybar added in the window. */
static ct_tensor *add_to_window(const ct__transpose *q, ct_tensor *sum)
{
    const struct ct__attrs_slice *a = &q->attrs->slice;
    const ct_type *index = &(ct_type){.dtype = CT_I64, .size = 1};
    ct_tensor *start[CT__MAX_RANK];
    ct_tensor *window = ct_op_slice_at(q->at, sum, ct__dims(a->start_indices),
                                       ct__dims(a->limit_indices), ct__dims(a->strides));
    for (size_t d = 0; d < a->start_indices.count; d++)
        start[d] = ct__splat(q->ctx, q->at, index, (double)a->start_indices.item[d]);
    return ct_op_dynamic_update_slice_at(q->at, sum, ct_op_add_at(q->at, window, q->ybar[0]),
                                         (ct_list){a->start_indices.count, start}, false);
}

/* Zeros where x was not read: between strides, before the start and behind the last element. */
static ct_tensor *padded(const ct__transpose *q)
{
    const struct ct__attrs_slice *a = &q->attrs->slice;
    size_t rank = a->start_indices.count;
    int64_t high[CT__MAX_RANK], interior[CT__MAX_RANK];
    for (size_t d = 0; d < rank; d++) {
        int64_t count = q->result_type[0]->dim[d], start = a->start_indices.item[d];
        interior[d] = a->strides.item[d] - 1;
        int64_t covered = count > 0 ? (count - 1) * a->strides.item[d] + 1 : 0;
        high[d] = q->type[0]->dim[d] - start - covered;
    }
    ct_tensor *zero = ct_zeros_at(q->at, q->ctx, q->type[0]->dtype, CT_SHAPE());
    return ct_op_pad_at(q->at, q->ybar[0], zero, ct__dims(a->start_indices), (ct_dims){rank, high},
                        (ct_dims){rank, interior});
}

/* What others have added for x is added to where it is, but for slices that may be put together. */
void ct__transpose_slice(ct__transpose *q)
{
    bool is_small = ct__is_small_window(q->attrs, q->type[0], q->result_type[0]);
    ct_tensor *sum = is_small ? ct__cotangent_take(q, 0) : NULL;
    if (!sum || ct__is_piece(sum)) {
        ct__cotangent_add(q, 0, sum);
        ct__cotangent_add(q, 0, padded(q));
    } else {
        ct__cotangent_add(q, 0, add_to_window(q, sum));
    }
}

ct_tensor *ct__jvp_transpose(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* The inverse permutation: axis d of y is axis permutation[d] of x. */
void ct__transpose_transpose(ct__transpose *q)
{
    ct__ints permutation = q->attrs->transpose.permutation;
    int64_t inverse[CT__MAX_RANK];
    for (size_t d = 0; d < permutation.count; d++)
        inverse[permutation.item[d]] = (int64_t)d;
    ct__cotangent_add(q, 0, ct__permute(q->at, q->ybar[0], permutation.count, inverse));
}
