/* The machine numerics: what the executors compute. Elementary functions and products of f32 and
 * f64 are those of exec/kernel/arrays.h; f16 and bf16 go through f32, rounded per operation;
 * whatever else is exact or rounded once, as in the reference numerics, which do what has no loop
 * there. */
#include "exec/interpret/reference.h"
#include "exec/kernel/arrays.h"
#include "exec/kernel/running_fold.h"

#include <cotangent/op.h>

#include <string.h>

enum { BLOCK = 512 };

static const ct__plain_arrays *plain(void)
{
    return ct__arrays_here()->plain;
}

static bool is_half(ct_dtype dtype)
{
    return dtype == CT_F16 || dtype == CT_BF16;
}

static size_t block_of(size_t left)
{
    return left < BLOCK ? left : BLOCK;
}

/* ---- Operations on elements. False where there is no loop for the operation. */

static bool widened_unary(ct__op op, ct_dtype dtype, size_t n, uint16_t *y, const uint16_t *x)
{
    float block[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t length = block_of(n - i);
        plain()->convert(CT_F32, dtype, length, block, &x[i]);
        if (!ct__arrays_here()->unary_f32(op, length, block, block))
            return false;
        plain()->convert(dtype, CT_F32, length, &y[i], block);
    }
    return true;
}

/* Results of a block are made beside it, for y may be x, and what a loop declines is done again. */
static void complex_unary(ct__op op, size_t n, float *y, const float *x)
{
    float block[2 * BLOCK];
    const size_t parts = op == CT__OP_abs ? 1 : 2;
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t length = block_of(n - i);
        if (!ct__arrays_here()->unary_c64(op, length, block, &x[2 * i]))
            ct__reference_numerics.unary(op, CT_C64, length, block, &x[2 * i]);
        memcpy(&y[parts * i], block, length * parts * sizeof *y);
    }
}

static void unary(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x)
{
    if (dtype == CT_C64 && (op == CT__OP_abs || op == CT__OP_exponential)) {
        complex_unary(op, n, y, x);
        return;
    }
    const ct__arrays *arrays = ct__arrays_here();
    const bool done = dtype == CT_F32   ? arrays->unary_f32(op, n, y, x)
                      : dtype == CT_F64 ? arrays->unary_f64(op, n, y, x)
                      : is_half(dtype)  ? widened_unary(op, dtype, n, y, x)
                                        : plain()->unary(op, dtype, n, y, x);
    if (!done)
        ct__reference_numerics.unary(op, dtype, n, y, x);
}

/* Where there is no step, one number is all of them. */
static bool widened_binary(ct__op op, ct_dtype dtype, size_t n, uint16_t *z, const uint16_t *x,
                           size_t x_step, const uint16_t *y, size_t y_step)
{
    float a[BLOCK], b[BLOCK], result[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t length = block_of(n - i);
        plain()->convert(CT_F32, dtype, x_step ? length : 1, a, &x[i * x_step]);
        plain()->convert(CT_F32, dtype, y_step ? length : 1, b, &y[i * y_step]);
        if (!ct__arrays_here()->binary_f32(op, length, result, a, x_step, b, y_step))
            return false;
        plain()->convert(dtype, CT_F32, length, &z[i], result);
    }
    return true;
}

static void complex_divide(ct_dtype dtype, size_t n, void *z, const void *x, size_t x_step,
                           const void *y, size_t y_step)
{
    _Alignas(16) unsigned char memory[2 * BLOCK * sizeof(double)];
    void *block = memory;
    const size_t bytes = ct_dtype_bytes(dtype);
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t length = block_of(n - i);
        const void *xi = ct__at(x, bytes, (int64_t)(i * x_step));
        const void *yi = ct__at(y, bytes, (int64_t)(i * y_step));
        const bool done = dtype == CT_C64
                              ? ct__arrays_here()->divide_c64(length, block, xi, x_step, yi, y_step)
                              : ct__arrays_here()->divide_c128(length, block, xi, x_step, yi,
                                                               y_step);
        if (!done)
            ct__reference_numerics.binary(CT__OP_divide, dtype, length, block, xi, x_step, yi,
                                          y_step);
        memcpy(ct__at(z, bytes, (int64_t)i), block, length * bytes);
    }
}

static void binary(ct__op op, ct_dtype dtype, size_t n, void *z, const void *x, size_t x_step,
                   const void *y, size_t y_step)
{
    if (op == CT__OP_divide && ct_dtype_is_complex(dtype)) {
        complex_divide(dtype, n, z, x, x_step, y, y_step);
        return;
    }
    const ct__arrays *arrays = ct__arrays_here();
    const bool done = dtype == CT_F32   ? arrays->binary_f32(op, n, z, x, x_step, y, y_step)
                      : dtype == CT_F64 ? arrays->binary_f64(op, n, z, x, x_step, y, y_step)
                      : is_half(dtype)  ? widened_binary(op, dtype, n, z, x, x_step, y, y_step)
                                        : plain()->binary(op, dtype, n, z, x, x_step, y, y_step);
    if (!done)
        ct__reference_numerics.binary(op, dtype, n, z, x, x_step, y, y_step);
}

static void choose(size_t n, size_t bytes, const bool *pred, void *y, const void *on_true,
                   const void *on_false)
{
    if (!plain()->select(n, bytes, pred, y, on_true, on_false))
        ct__reference_numerics.select(n, bytes, pred, y, on_true, on_false);
}

static void widened_compare(int direction, ct_dtype dtype, size_t n, bool *z, const uint16_t *x,
                            const uint16_t *y)
{
    float a[BLOCK], b[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t length = block_of(n - i);
        plain()->convert(CT_F32, dtype, length, a, &x[i]);
        plain()->convert(CT_F32, dtype, length, b, &y[i]);
        plain()->compare(direction, CT_F32, length, &z[i], a, b);
    }
}

static void compare(int direction, int type, ct_dtype dtype, size_t n, bool *z, const void *x,
                    const void *y)
{
    if (type == CT_COMPARE_TOTALORDER)
        ct__reference_compare(direction, type, dtype, n, z, x, y);
    else if (is_half(dtype))
        widened_compare(direction, dtype, n, z, x, y);
    else if (!plain()->compare(direction, dtype, n, z, x, y))
        ct__reference_compare(direction, type, dtype, n, z, x, y);
}

static void is_finite(ct_dtype dtype, size_t n, bool *y, const void *x)
{
    if (!plain()->is_finite(dtype, n, y, x))
        ct__reference_is_finite(dtype, n, y, x);
}

/* ---- Conversions. */

/* Whether f32 has every number of the dtype: then what goes by way of it is rounded once. */
static bool fits_f32(ct_dtype dtype)
{
    switch (dtype) {
    case CT_BOOL:
    case CT_I8:
    case CT_U8:
    case CT_I16:
    case CT_U16:
    case CT_F16:
    case CT_BF16: return true;
    default: return false;
    }
}

static void convert_by_f32(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x)
{
    float block[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t length = block_of(n - i);
        plain()->convert(CT_F32, from, length, block, ct__at(x, ct_dtype_bytes(from), (int64_t)i));
        void *yi = ct__at(y, ct_dtype_bytes(to), (int64_t)i);
        if (!plain()->convert(to, CT_F32, length, yi, block))
            ct__reference_convert(to, CT_F32, length, yi, block);
    }
}

static void convert(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x)
{
    if (to != from && fits_f32(from) && (is_half(from) || is_half(to)) && to != CT_F32)
        convert_by_f32(to, from, n, y, x);
    else if (!plain()->convert(to, from, n, y, x))
        ct__reference_convert(to, from, n, y, x);
}

static void iota(ct_dtype dtype, size_t n, void *y, int64_t first)
{
    int64_t position[BLOCK];
    const size_t bytes = ct_dtype_bytes(dtype);
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t length = block_of(n - i);
        for (size_t k = 0; k < length; k++)
            position[k] = first + (int64_t)(i + k);
        convert(dtype, CT_I64, length, ct__at(y, bytes, (int64_t)i), position);
    }
}

/* ---- Folds. */

static void fold(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x,
                 size_t stride)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    if (stride == 1 && ct__folds_in_any_order(op, dtype) &&
        plain()->fold_row(op, dtype, n, accumulator, x))
        return;
    if (!ct__is_elementary(op)) {
        ct__reference_numerics.fold(op, dtype, n, accumulator, x, stride);
        return;
    }
    for (size_t i = 0; i < n; i++)
        binary(op, dtype, 1, accumulator, accumulator, 1, ct__at(x, bytes, (int64_t)(i * stride)),
               1);
}

/* f32, f64, f16, bf16: n elements that lie together, or rows of `inner`. */
static bool fold_floats(ct__op op, ct_dtype dtype, size_t n, size_t inner, void *y, const void *x)
{
    const ct__arrays *arrays = ct__arrays_here();
    switch (dtype) {
    case CT_F32:
        inner == 1 ? arrays->fold_row_f32(op, n, y, x)
                   : arrays->fold_columns_f32(op, n, inner, y, x);
        return true;
    case CT_F64:
        inner == 1 ? arrays->fold_row_f64(op, n, y, x)
                   : arrays->fold_columns_f64(op, n, inner, y, x);
        return true;
    case CT_F16:
        inner == 1 ? arrays->fold_row_f16(op, n, y, x)
                   : arrays->fold_columns_f16(op, n, inner, y, x);
        return true;
    case CT_BF16:
        inner == 1 ? arrays->fold_row_bf16(op, n, y, x)
                   : arrays->fold_columns_bf16(op, n, inner, y, x);
        return true;
    default: return false;
    }
}

/* The results hold the initial values. */
static bool fold_axis(ct__op op, ct_dtype dtype, const ct__fold_shape *s, void *y, const void *x)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    for (size_t i = 0; i < s->outer; i++) {
        void *to = ct__at(y, bytes, (int64_t)(i * s->inner));
        const void *from = ct__at(x, bytes, (int64_t)(i * s->n * s->inner));
        bool done = false;
        if (!ct__folds_in_any_order(op, dtype))
            done = ct__has_fold(op) && fold_floats(op, dtype, s->n, s->inner, to, from);
        else if (s->inner == 1)
            done = plain()->fold_row(op, dtype, s->n, to, from);
        else
            done = plain()->fold_columns(op, dtype, s->n, s->inner, to, from);
        if (!done)
            return false;
    }
    return true;
}

static void product(ct_dtype dtype, const ct__product *p, void *c, const void *a, const void *b,
                    void *room)
{
    if (dtype == CT_F32)
        ct__products_here()->f32(p, c, a, b, room);
    else
        ct__products_here()->f64(p, c, a, b, room);
}

static void product_at(ct_dtype dtype, const ct__product_at *p, void *c, const void *a,
                       const void *b)
{
    if (dtype == CT_F32)
        ct__products_here()->at_f32(p, c, a, b);
    else
        ct__products_here()->at_f64(p, c, a, b);
}

static void dot(ct_dtype dtype, size_t m, size_t n, size_t k, void *c, const void *a, const void *b)
{
    const ct__product p = {1, m, n, k, {0, (int64_t)k, 1}, {0, (int64_t)n, 1}, {0, (int64_t)n, 1}};
    if (dtype == CT_F32 || dtype == CT_F64)
        product(dtype, &p, c, a, b, NULL);
    else
        ct__reference_numerics.dot(dtype, m, n, k, c, a, b);
}

const ct__numerics ct__machine_numerics = {.name = "machine",
                                           .element_bytes = ct_dtype_bytes,
                                           .unary = unary,
                                           .binary = binary,
                                           .fold = fold,
                                           .fold_axis = fold_axis,
                                           .select = choose,
                                           .compare = compare,
                                           .is_finite = is_finite,
                                           .convert = convert,
                                           .iota = iota,
                                           .real = ct__reference_real,
                                           .dot = dot,
                                           .product = product,
                                           .product_at = product_at,
                                           .dequantize = ct__reference_dequantize,
                                           .quantize = ct__reference_quantize};
