#include "trace/compose.h"

ct_tensor *ct_op_iota_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_dims shape, int64_t axis)
{
    const ct__attrs attrs = {
        .iota = {.dtype = dtype, .shape = ct__ints_of(shape), .iota_dimension = axis}};
    const ct__request request = {.ctx = ctx, .at = at, .op = CT__OP_iota, .attrs = &attrs};
    return ct__apply1(&request);
}

ct_tensor *ct_op_broadcast_in_dim_at(ct_place at, ct_tensor *x, ct_dims shape, ct_dims dims)
{
    const ct__attrs attrs = {.broadcast_in_dim = {.shape = ct__ints_of(shape),
                                                  .broadcast_dimensions = ct__ints_of(dims)}};
    return ct__op_on(at, CT__OP_broadcast_in_dim, &attrs, 1, &x);
}

ct_tensor *ct_op_concatenate_at(ct_place at, ct_list x, int64_t axis)
{
    const ct__attrs attrs = {.concatenate = {.dimension = axis}};
    return ct__op_on(at, CT__OP_concatenate, &attrs, x.item ? x.count : 0, x.item);
}

ct_tensor *ct_op_pad_at(ct_place at, ct_tensor *x, ct_tensor *value, ct_dims low, ct_dims high,
                        ct_dims interior)
{
    const ct__attrs attrs = {.pad = {.edge_padding_low = ct__ints_of(low),
                                     .edge_padding_high = ct__ints_of(high),
                                     .interior_padding = ct__ints_of(interior)}};
    ct_tensor *const operand[] = {x, value};
    return ct__op_on(at, CT__OP_pad, &attrs, 2, operand);
}

ct_tensor *ct_op_reshape_at(ct_place at, ct_tensor *x, ct_dims shape)
{
    const ct__attrs attrs = {.reshape = {.shape = ct__ints_of(shape)}};
    return ct__op_on(at, CT__OP_reshape, &attrs, 1, &x);
}

ct_tensor *ct_op_reverse_at(ct_place at, ct_tensor *x, ct_dims axes)
{
    const ct__attrs attrs = {.reverse = {.dimensions = ct__ints_of(axes)}};
    return ct__op_on(at, CT__OP_reverse, &attrs, 1, &x);
}

ct_tensor *ct_op_slice_at(ct_place at, ct_tensor *x, ct_dims start, ct_dims limit, ct_dims stride)
{
    const ct__attrs attrs = {.slice = {.start_indices = ct__ints_of(start),
                                       .limit_indices = ct__ints_of(limit),
                                       .strides = ct__ints_of(stride)}};
    return ct__op_on(at, CT__OP_slice, &attrs, 1, &x);
}

ct_tensor *ct_op_transpose_at(ct_place at, ct_tensor *x, ct_dims permutation)
{
    const ct__attrs attrs = {.transpose = {.permutation = ct__ints_of(permutation)}};
    return ct__op_on(at, CT__OP_transpose, &attrs, 1, &x);
}
