/* Quantized tensors: descriptions of their types, and the operations between them and others. */
#include "trace/trace.h"

#include <cotangent/op.h>

#include <stdio.h>

bool ct_type_quantization(const ct_type *type, ct_quantization *quantization)
{
    const ct__quantized *q = type ? type->quantized : NULL;

    if (!q || !quantization)
        return false;
    *quantization = (ct_quantization){.storage = type->dtype,
                                      .expressed = q->expressed,
                                      .storage_min = q->storage_min,
                                      .storage_max = q->storage_max,
                                      .axis = q->axis,
                                      .count = q->n_scales,
                                      .scale = q->scale,
                                      .zero_point = q->zero_point};
    return true;
}

/* How many scales there must be. */
static size_t slices(const ct_type *x, int axis)
{
    return axis >= 0 && axis < x->rank ? (size_t)x->dim[axis] : 1;
}

/* x's shape with elements as described: everything in `type` is borrowed, or in the arena. False
 * after reporting what is wrong. */
static bool describe(ct_context *ctx, ct_place at, const char *what, const ct_type *x,
                     const ct_quantization *q, ct__arena *arena, ct__quantized *quantized,
                     ct_type *type)
{
    char message[200];
    ct_status status = CT_ERR_ARGUMENT;
    const bool is_full = q->storage_min == 0 && q->storage_max == 0 &&
                         ct_dtype_is_integer(q->storage) && ct__dtype_bits(q->storage) <= 32;

    *quantized = (ct__quantized){q->expressed, q->storage_min, q->storage_max, q->axis,
                                 q->count,     q->scale,       q->zero_point};
    if (is_full) {
        quantized->storage_min = ct__integer_min(q->storage);
        quantized->storage_max = (int64_t)ct__integer_max(q->storage);
    }
    if (!q->zero_point)
        quantized->zero_point = CT__NEW_ARRAY(arena, int64_t, slices(x, q->axis));
    if (!quantized->zero_point) {
        ct__error_memory(ctx, at, what);
        return false;
    }
    *type = *x;
    type->dtype = q->storage;
    type->quantized = quantized;
    if (q->count > 0 && !q->scale)
        snprintf(message, sizeof message, "scale is NULL");
    else
        status = ct__quantized_check(type, message, sizeof message);
    if (status != CT_OK)
        ct__error(ctx, at, status, "%s: %s", what, message);
    return status == CT_OK;
}

/* The operation on x with a result of x's shape, quantized as described. */
static ct_tensor *apply_given(ct_place at, ct__op op, const ct__attrs *attrs, ct_tensor *x,
                              const ct_quantization *q)
{
    ct_context *ctx = ct_context_of(x);
    const ct_type *x_type = ct_type_of(x);
    ct__quantized quantized;
    ct_type type;
    const ct_type *given = &type;
    ct__request request = {
        .ctx = ctx, .at = at, .op = op, .attrs = attrs, .n_operands = 1, .operand = &x};
    ct_tensor *result;

    if (!x_type || x_type->kind != CT__TENSOR || ct_failed(ctx)) /* which is reported there */
        return ct__apply1(&request);
    if (describe(ctx, at, ct__op_describe(op)->name, x_type, q, ct__scratch_begin(ctx), &quantized,
                 &type)) {
        request.n_given = 1;
        request.given = &given;
        result = ct__apply1(&request);
    } else {
        result = ct__poison(ctx);
    }
    ct__scratch_end(ctx);
    return result;
}

ct_tensor *ct_op_uniform_quantize_at(ct_place at, ct_tensor *x, ct_quantization quantization)
{
    return apply_given(at, CT__OP_uniform_quantize, NULL, x, &quantization);
}

ct_tensor *ct_op_bitcast_quantize_at(ct_place at, ct_tensor *x, ct_quantization quantization)
{
    const ct__attrs attrs = {.bitcast_convert = {.dtype = quantization.storage}};

    return apply_given(at, CT__OP_bitcast_convert, &attrs, x, &quantization);
}

ct_tensor *ct_op_uniform_dequantize_at(ct_place at, ct_tensor *x)
{
    return ct__unary(at, CT__OP_uniform_dequantize, x);
}
