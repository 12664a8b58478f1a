/* Batch normalisation, and quantized tensors. */
#include "tests/samples.h"

#include <cotangent/op_large.h>
#include <cotangent/tensor.h>

#include <string.h>

enum { MOST = 24 };

typedef struct list {
    size_t count;
    ct_tensor *item[MOST];
} list;

static void add(list *l, ct_tensor *x)
{
    l->item[l->count++] = x;
}

static void normalize(list *l, ct_tensor *x, ct_tensor *s)
{
    ct_tensor *a, *b;

    add(l, ct_op_batch_norm_inference(x, s, s, s, s, 0.001, 0));
    add(l, ct_op_batch_norm_training(x, s, s, 1e-5, 0, &a, &b));
    add(l, a);
    add(l, b);
    add(l, ct_op_batch_norm_grad(x, s, a, b, x, 0, 0, &a, &b));
    add(l, a);
    add(l, b);
}

static void quantize(list *l, ct_context *ctx, ct_tensor *x)
{
    static const double scale[] = {0.0039215686274509803, 1e-3, 2};
    static const int64_t zero_point[] = {-128, 0, 127};
    static const double numbers[] = {1, -7, 100};
    const ct_quantization all = {
        .storage = CT_I8, .expressed = CT_F32, .axis = -1, .count = 1, .scale = scale};
    const ct_quantization axis = {.storage = CT_I8,
                                  .expressed = CT_F32,
                                  .storage_min = -128,
                                  .storage_max = 127,
                                  .axis = 1,
                                  .count = 3,
                                  .scale = scale,
                                  .zero_point = zero_point};
    ct_quantization narrow = axis;
    ct_tensor *q = ct_op_uniform_quantize(x, all), *p = ct_op_uniform_quantize(x, axis);

    narrow.storage = CT_U4;
    narrow.storage_min = 1;
    narrow.storage_max = 14;
    narrow.zero_point = (const int64_t[]){7, 1, 14};
    add(l, q);
    add(l, p);
    add(l, ct_op_uniform_quantize(p, narrow));
    add(l, ct_op_uniform_dequantize(p));
    add(l, ct_op_bitcast_convert(p, CT_I8));
    add(l, ct_op_bitcast_quantize(ct_op_bitcast_convert(p, CT_I8), axis));
    add(l, ct_op_transpose(p, CT_DIMS(1, 0)));
    add(l, ct_op_broadcast_in_dim(p, CT_DIMS(3, 4, 2), CT_DIMS(2, 0)));
    add(l, ct_op_reshape(p, CT_DIMS(2, 1, 3)));
    add(l, ct_op_concatenate(CT_ARGV(q, q), 1));
    add(l, ct_op_slice(q, CT_DIMS(0, 1), CT_DIMS(2, 3), CT_DIMS(1, 1)));
    add(l, ct_op_add(x, ct_op_uniform_dequantize(q)));
    add(l, ct_op_bitcast_quantize(ct_from_doubles(ctx, CT_I8, CT_SHAPE(1, 3), numbers), axis));
}

ct_function *samples_quantized(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(
        ctx, "quantized",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3)), ct_spec(ctx, CT_F32, CT_SHAPE(2))));
    list l = {0};

    normalize(&l, ct_trace_parameter(b, 0), ct_trace_parameter(b, 1));
    quantize(&l, ctx, ct_trace_parameter(b, 0));
    return ct_trace_end(b, CT_LIST(l.count, l.item));
}
