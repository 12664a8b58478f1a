/* Quantized tensors: descriptions of their types, and the operations between them and others. */
#include "trace/trace.h"

#include <cotangent/op.h>

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

static bool is_integer_dtype(ct_dtype dtype)
{
    return ct_dtype_is_integer(dtype) && dtype != CT_I64 && dtype != CT_U64;
}

/* x's shape with elements as described, in the arena; NULL when memory is short. Whether there may
 * be such a type is for inference to say. */
static const ct_type *describe(ct__arena *arena, const ct_type *x, const ct_quantization *q)
{
    const int64_t *zero_point = q->zero_point;
    ct__quantized quantized = {.expressed = q->expressed,
                               .storage_min = q->storage_min,
                               .storage_max = q->storage_max,
                               .axis = q->axis,
                               .n_scales = q->count,
                               .scale = q->scale};
    ct_type type = *x;

    if (!zero_point)
        zero_point = CT__NEW_ARRAY(arena, int64_t, q->count);
    if (!zero_point)
        return NULL;
    quantized.zero_point = zero_point;
    if (q->storage_min == 0 && q->storage_max == 0 && is_integer_dtype(q->storage)) {
        quantized.storage_min = ct__integer_min(q->storage);
        quantized.storage_max = (int64_t)ct__integer_max(q->storage);
    }
    type.dtype = q->storage;
    type.quantized = &quantized;
    return ct__type_copy(arena, &type);
}

/* The operation on x with a result of x's shape, quantized as described. */
static ct_tensor *apply_given(ct_place at, ct__op op, const ct__attrs *attrs, ct_tensor *x,
                              const ct_quantization *q)
{
    ct_context *ctx = ct_context_of(x);
    ct__request request = {
        .ctx = ctx, .at = at, .op = op, .attrs = attrs, .n_operands = 1, .operand = &x};
    const char *name = ct__op_describe(op)->name;
    const ct_type *x_type = ct_type_of(x), *given = NULL;
    ct_tensor *result;

    if (!x_type || ct_failed(ctx)) /* which is reported there */
        return ct__apply1(&request);
    if (!q->scale && q->count > 0) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: scale is NULL", name);
        return ct__poison(ctx);
    }
    given = describe(ct__scratch_begin(ctx), x_type, q);
    if (given) {
        request.n_given = 1;
        request.given = &given;
        result = ct__apply1(&request);
    } else {
        ct__error_memory(ctx, at, name);
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
