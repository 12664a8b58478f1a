/* The machine numerics: what the executors compute. Elementary functions and products of f32
 * and f64 are those of exec/kernel/arrays.h; f16 and bf16 go through f32, rounded per operation;
 * whatever else is exact or rounded once, as in the reference numerics. */
#include "exec/interpret/reference.h"
#include "exec/kernel/arrays.h"

enum { BLOCK = 512 };

/* Whether elements of this dtype, which is narrower, are computed in f32. */
static bool is_widened(ct__op op, ct_dtype dtype)
{
    return (dtype == CT_F16 || dtype == CT_BF16) && ct__is_elementary(op);
}

/* `length` numbers as f32; where there is no step, the first is all of them. */
static void load(ct_dtype dtype, size_t length, float *block, const void *x, size_t step)
{
    ct__reference_convert(CT_F32, dtype, step ? length : 1, block, x);
    for (size_t i = 1; i < length && !step; i++)
        block[i] = block[0];
}

static void widened_unary(ct__op op, ct_dtype dtype, size_t n, uint16_t *y, const uint16_t *x)
{
    float block[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = n - i < BLOCK ? n - i : BLOCK;
        load(dtype, length, block, &x[i], 1);
        ct__arrays_here()->unary_f32(op, length, block, block);
        ct__reference_convert(dtype, CT_F32, length, &y[i], block);
    }
}

static void unary(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x)
{
    const ct__arrays *arrays = ct__arrays_here();
    if ((dtype == CT_F32 && arrays->unary_f32(op, n, y, x)) ||
        (dtype == CT_F64 && arrays->unary_f64(op, n, y, x)))
        return;
    if (is_widened(op, dtype))
        widened_unary(op, dtype, n, y, x);
    else
        ct__reference_numerics.unary(op, dtype, n, y, x);
}

static void widened_binary(ct__op op, ct_dtype dtype, size_t n, uint16_t *z, const uint16_t *x,
                           size_t x_step, const uint16_t *y, size_t y_step)
{
    float a[BLOCK], b[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = n - i < BLOCK ? n - i : BLOCK;
        load(dtype, length, a, &x[i * x_step], x_step);
        load(dtype, length, b, &y[i * y_step], y_step);
        ct__arrays_here()->binary_f32(op, length, a, a, 1, b, 1);
        ct__reference_convert(dtype, CT_F32, length, &z[i], a);
    }
}

static void binary(ct__op op, ct_dtype dtype, size_t n, void *z, const void *x, size_t x_step,
                   const void *y, size_t y_step)
{
    const ct__arrays *arrays = ct__arrays_here();
    if ((dtype == CT_F32 && arrays->binary_f32(op, n, z, x, x_step, y, y_step)) ||
        (dtype == CT_F64 && arrays->binary_f64(op, n, z, x, x_step, y, y_step)))
        return;
    if (is_widened(op, dtype))
        widened_binary(op, dtype, n, z, x, x_step, y, y_step);
    else
        ct__reference_numerics.binary(op, dtype, n, z, x, x_step, y, y_step);
}

static void fold(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x,
                 size_t stride)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    if (!ct__is_elementary(op)) {
        ct__reference_numerics.fold(op, dtype, n, accumulator, x, stride);
        return;
    }
    for (size_t i = 0; i < n; i++)
        binary(op, dtype, 1, accumulator, accumulator, 1, ct__at(x, bytes, (int64_t)(i * stride)),
               1);
}

static void choose(size_t n, size_t bytes, const bool *pred, void *y, const void *on_true,
                   const void *on_false)
{
    if (bytes == 4)
        ct__arrays_here()->select_4(n, pred, y, on_true, on_false);
    else if (bytes == 8)
        ct__arrays_here()->select_8(n, pred, y, on_true, on_false);
    else
        ct__reference_numerics.select(n, bytes, pred, y, on_true, on_false);
}

/* The results hold the initial values. */
static bool fold_axis(ct__op op, ct_dtype dtype, const ct__fold_shape *s, void *y, const void *x)
{
    const ct__arrays *arrays = ct__arrays_here();
    if ((dtype != CT_F32 && dtype != CT_F64) || !ct__has_fold(op))
        return false;
    const size_t bytes = ct_dtype_bytes(dtype);
    for (size_t i = 0; i < s->outer; i++) {
        void *to = ct__at(y, bytes, (int64_t)(i * s->inner));
        const void *from = ct__at(x, bytes, (int64_t)(i * s->n * s->inner));
        if (dtype == CT_F32 && s->inner == 1)
            arrays->fold_row_f32(op, s->n, to, from);
        else if (dtype == CT_F32)
            arrays->fold_columns_f32(op, s->n, s->inner, to, from);
        else if (s->inner == 1)
            arrays->fold_row_f64(op, s->n, to, from);
        else
            arrays->fold_columns_f64(op, s->n, s->inner, to, from);
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
                                           .compare = ct__reference_compare,
                                           .is_finite = ct__reference_is_finite,
                                           .convert = ct__reference_convert,
                                           .iota = ct__reference_iota,
                                           .real = ct__reference_real,
                                           .dot = dot,
                                           .product = product,
                                           .dequantize = ct__reference_dequantize,
                                           .quantize = ct__reference_quantize};
