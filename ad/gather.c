#include "ad/rules.h"

ct_tensor *ct__per_component(ct_place at, ct_tensor *indices, int64_t index_vector_dim,
                             size_t count, const int64_t *value)
{
    if (ct_is_poison(indices))
        return indices;
    ct_dtype dtype = ct_dtype_of(indices);
    uint64_t data[CT__MAX_RANK], largest = ct__integer_max(dtype);
    int64_t smallest = ct__integer_min(dtype);
    size_t bytes = ct_dtype_bytes(dtype);
    for (size_t k = 0; k < count; k++) {
        unsigned char *element = (unsigned char *)data + k * bytes;
        if (value[k] > 0 && (uint64_t)value[k] > largest)
            ct__store_unsigned(dtype, element, largest);
        else
            ct__store_signed(dtype, element, value[k] < smallest ? smallest : value[k]);
    }
    /* an index_vector_dim behind the last axis: every index is a vector of one component */
    size_t rank = (size_t)index_vector_dim < ct_rank(indices) ? 1 : 0;
    ct_dims shape = {rank, (int64_t[]){(int64_t)count}}, axis = {rank, &index_vector_dim};
    ct_tensor *vector = ct_from_data_at(at, ct_context_of(indices), dtype, shape, data);
    return ct_op_broadcast_in_dim_at(at, vector, ct_shape_of(indices), axis);
}

ct_tensor *ct__elements_at(ct_place at, ct_tensor *x, ct_tensor *position)
{
    ct_tensor *flat = ct__reshaped(at, x, CT_DIMS(ct_size(x)));
    ct_gather_dims dims = {.collapsed_slice_dims = CT_DIMS(0),
                           .start_index_map = CT_DIMS(0),
                           .index_vector_dim = (int64_t)ct_rank(position),
                           .slice_sizes = CT_DIMS(1)};
    return ct_op_gather_at(at, flat, position, &dims);
}

/* The same places of dx. */
ct_tensor *ct__jvp_gather(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* Where the gather read: starts clamped into [0, dim - slice] in their own dtype, so that an
 * unsigned one stays unsigned; a bound that the dtype cannot hold binds nothing. */
static ct_tensor *clamped_starts(const ct__transpose *q)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;
    int64_t last[CT__MAX_RANK];
    for (size_t k = 0; k < a->start_index_map.count; k++) {
        int64_t d = a->start_index_map.item[k];
        last[k] = q->type[0]->dim[d] - a->slice_sizes.item[d];
    }
    ct_tensor *zero = ct_zeros_at(q->at, q->ctx, q->type[1]->dtype, CT_SHAPE());
    ct_tensor *bound = ct__per_component(q->at, q->x[1], a->index_vector_dim,
                                         a->start_index_map.count, last);
    return ct_op_clamp_at(q->at, zero, q->x[1], bound);
}

/* Reading transposes to adding, to what others have added for x. A scatter skips what is out of
 * range where a gather clamps, so the starts are clamped first; where `strict` makes them an error,
 * the scatter finds it. Clamping one component may unsort sorted vectors. */
void ct__transpose_gather(ct__transpose *q)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;
    ct_scatter_dims dims = {
        .update_window_dims = ct__dims(a->offset_dims),
        .inserted_window_dims = ct__dims(a->collapsed_slice_dims),
        .input_batching_dims = ct__dims(a->operand_batching_dims),
        .scatter_indices_batching_dims = ct__dims(a->start_indices_batching_dims),
        .scatter_dims_to_operand_dims = ct__dims(a->start_index_map),
        .index_vector_dim = a->index_vector_dim,
        .strict = a->strict,
    };
    ct_tensor *places = a->strict ? q->x[1] : clamped_starts(q);
    ct_tensor *sum = ct__cotangent_take_or_zeros(q, 0);
    ct__cotangent_add(q, 0, ct_op_scatter_add_at(q->at, sum, places, q->ybar[0], &dims));
}
