/* The machine numerics: what the executors compute. Elementary functions of f32 and products of f32
 * and f64 are those of exec/kernel/arrays.h; f16 and bf16 go through f32, rounded per operation;
 * whatever else is exact or rounded once, as in the reference numerics. */
#include "exec/interpret/reference.h"
#include "exec/kernel/arrays.h"

enum { BLOCK = 512 };

/* Whether elements of this dtype are computed in f32. */
static bool is_ours(ct__op op, ct_dtype dtype)
{
    return (dtype == CT_F32 || dtype == CT_F16 || dtype == CT_BF16) && ct__is_elementary(op);
}

/* `length` numbers as f32; where there is no step, the first is all of them. */
static void load(ct_dtype dtype, size_t length, float *block, const void *x, size_t step)
{
    ct__reference_convert(CT_F32, dtype, step ? length : 1, block, x);
    for (size_t i = 1; i < length && !step; i++)
        block[i] = block[0];
}

static void unary(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    float block[BLOCK];
    if (!is_ours(op, dtype)) {
        ct__reference_numerics.unary(op, dtype, n, y, x);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = n - i < BLOCK ? n - i : BLOCK;
        load(dtype, length, block, ct__at(x, bytes, (int64_t)i), 1);
        ct__arrays_here()->unary(op, length, block, block);
        ct__reference_convert(dtype, CT_F32, length, ct__at(y, bytes, (int64_t)i), block);
    }
}

static void binary(ct__op op, ct_dtype dtype, size_t n, void *z, const void *x, size_t x_step,
                   const void *y, size_t y_step)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    float a[BLOCK], b[BLOCK];
    if (!is_ours(op, dtype)) {
        ct__reference_numerics.binary(op, dtype, n, z, x, x_step, y, y_step);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = n - i < BLOCK ? n - i : BLOCK;
        load(dtype, length, a, ct__at(x, bytes, (int64_t)(i * x_step)), x_step);
        load(dtype, length, b, ct__at(y, bytes, (int64_t)(i * y_step)), y_step);
        ct__arrays_here()->binary(op, length, a, a, b);
        ct__reference_convert(dtype, CT_F32, length, ct__at(z, bytes, (int64_t)i), a);
    }
}

static void fold(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x,
                 size_t stride)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    if (!is_ours(op, dtype)) {
        ct__reference_numerics.fold(op, dtype, n, accumulator, x, stride);
        return;
    }
    for (size_t i = 0; i < n; i++)
        binary(op, dtype, 1, accumulator, accumulator, 1, ct__at(x, bytes, (int64_t)(i * stride)),
               1);
}

static void dot(ct_dtype dtype, size_t m, size_t n, size_t k, void *c, const void *a, const void *b)
{
    if (dtype == CT_F32)
        ct__arrays_here()->dot_f32(m, n, k, c, a, b);
    else if (dtype == CT_F64)
        ct__arrays_here()->dot_f64(m, n, k, c, a, b);
    else
        ct__reference_numerics.dot(dtype, m, n, k, c, a, b);
}

static size_t element_bytes(ct_dtype dtype)
{
    return ct_dtype_bytes(dtype);
}

static void compare(int direction, int type, ct_dtype dtype, size_t n, bool *z, const void *x,
                    const void *y)
{
    ct__reference_numerics.compare(direction, type, dtype, n, z, x, y);
}

static void is_finite(ct_dtype dtype, size_t n, bool *y, const void *x)
{
    ct__reference_numerics.is_finite(dtype, n, y, x);
}

const ct__numerics ct__machine_numerics = {.name = "machine",
                                           .folds_in_lanes = true,
                                           .element_bytes = element_bytes,
                                           .unary = unary,
                                           .binary = binary,
                                           .fold = fold,
                                           .compare = compare,
                                           .is_finite = is_finite,
                                           .convert = ct__reference_convert,
                                           .iota = ct__reference_iota,
                                           .dot = dot,
                                           .dequantize = ct__reference_dequantize,
                                           .quantize = ct__reference_quantize};
