/* Integers of 2 and 4 bits and floats of 4 to 8 bits, one byte each, by way of wider types.
 *
 * Integers wrap modulo 2^N: arithmetic in 8 bits, of which the low N count; what looks at all bits
 * (shifts, popcnt, count_leading_zeros) sees N of them. Floats are computed in f64 and rounded
 * once: with at most 5 digits, no f64 result lies so near a tie that rounding twice would differ.
 */
#include "exec/interpret/reference.h"

#include <cotangent/op.h>

#include <string.h>

enum { BLOCK = 128 };

uint8_t ct__wrap_small(ct_dtype dtype, uint64_t value)
{
    const unsigned bits = ct__dtype_bits(dtype), mask = (1U << bits) - 1;
    const unsigned low = (unsigned)value & mask;

    return (uint8_t)(ct_dtype_is_signed(dtype) && low >> (bits - 1) ? low | ~mask : low);
}

/* ---- Integers. */

static void wrap(ct_dtype dtype, size_t n, uint8_t *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = ct__wrap_small(dtype, y[i]);
}

/* The N bits of each element as an unsigned number. */
static void mask(ct_dtype dtype, size_t n, uint8_t *y, const uint8_t *x)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (uint8_t)(x[i] & ((1U << ct__dtype_bits(dtype)) - 1));
}

static const ct__reference *sibling(ct_dtype dtype)
{
    return ct_dtype_is_signed(dtype) ? &ct__reference_i8 : &ct__reference_u8;
}

static void unary_bits(ct__op op, ct_dtype dtype, size_t n, uint8_t *y, const uint8_t *x)
{
    mask(dtype, n, y, x);
    ct__reference_u8.unary(op, n, y, y);
    for (size_t i = 0; i < n && op == CT__OP_count_leading_zeros; i++)
        y[i] = (uint8_t)(y[i] - (8 - ct__dtype_bits(dtype)));
}

static void unary_integer(ct__op op, ct_dtype dtype, size_t n, uint8_t *y, const uint8_t *x)
{
    if (op == CT__OP_popcnt || op == CT__OP_count_leading_zeros)
        unary_bits(op, dtype, n, y, x);
    else
        sibling(dtype)->unary(op, n, y, x);
    wrap(dtype, n, y);
}

/* Amounts are read as unsigned; the top one of the N bits moves in where the shift is arithmetic,
 * for unsigned types too. */
static void shift(ct__op op, ct_dtype dtype, size_t n, uint8_t *z, const uint8_t *x,
                  const uint8_t *y)
{
    const ct_dtype as_signed = ct__dtype_bits(dtype) == 2 ? CT_I2 : CT_I4;
    uint8_t amount[BLOCK], bits[BLOCK];

    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t count = n - i < BLOCK ? n - i : BLOCK;
        mask(dtype, count, amount, y + i);
        mask(dtype, count, bits, x + i);
        if (op == CT__OP_shift_right_arithmetic)
            wrap(as_signed, count, bits);
        ct__reference_i8.binary(op, count, z + i, bits, amount);
    }
}

/* The product of N bits each has no more than 8. */
static void mulhi(ct_dtype dtype, size_t n, uint8_t *z, const uint8_t *x, const uint8_t *y)
{
    const int bits = (int)ct__dtype_bits(dtype);

    for (size_t i = 0; i < n; i++)
        z[i] = ct_dtype_is_signed(dtype) ? (uint8_t)((int8_t)x[i] * (int8_t)y[i] >> bits)
                                         : (uint8_t)(x[i] * y[i] >> bits);
}

static void binary_integer(ct__op op, ct_dtype dtype, size_t n, uint8_t *z, const uint8_t *x,
                           const uint8_t *y)
{
    if (ct__is_shift(op))
        shift(op, dtype, n, z, x, y);
    else if (op == CT__OP_mulhi)
        mulhi(dtype, n, z, x, y);
    else
        sibling(dtype)->binary(op, n, z, x, y);
    wrap(dtype, n, z);
}

/* ---- Floats. */

static void load(ct_dtype dtype, size_t n, double *y, const uint8_t *x)
{
    for (size_t i = 0; i < n; i++)
        y[i] = ct__small_float_load(dtype, x[i]);
}

static void store(ct_dtype dtype, size_t n, uint8_t *y, const double *x)
{
    for (size_t i = 0; i < n; i++)
        y[i] = ct__small_float_store(dtype, x[i]);
}

static double rounded(ct_dtype dtype, double x)
{
    return ct__small_float_load(dtype, ct__small_float_store(dtype, x));
}

/* 1 / (1 + exp(-x)), each step rounded. */
static void logistic(ct_dtype dtype, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = -x[i];
    ct__reference_f64.unary(CT__OP_exponential, n, x, x);
    for (size_t i = 0; i < n; i++)
        x[i] = 1 / rounded(dtype, 1 + rounded(dtype, x[i]));
}

static void unary_float(ct__op op, ct_dtype dtype, size_t n, uint8_t *y, const uint8_t *x)
{
    double block[BLOCK];

    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t count = n - i < BLOCK ? n - i : BLOCK;
        load(dtype, count, block, x + i);
        if (op == CT__OP_logistic)
            logistic(dtype, count, block);
        else
            ct__reference_f64.unary(op, count, block, block);
        store(dtype, count, y + i, block);
    }
}

/* The nearest number of all that lies beyond x on the side of y, or y. */
static uint8_t next_after(ct_dtype dtype, uint8_t x, uint8_t y)
{
    const double from = ct__small_float_load(dtype, x), to = ct__small_float_load(dtype, y);
    double nearest = to;

    if (from != from)
        return x;
    for (unsigned code = 0; code < 1U << ct__dtype_bits(dtype); code++) {
        const double value = ct__small_float_load(dtype, (uint8_t)code);
        if (from < to ? value > from && value < nearest : value < from && value > nearest)
            nearest = value;
    }
    return nearest == to ? y : ct__small_float_store(dtype, nearest);
}

static void binary_float(ct__op op, ct_dtype dtype, size_t n, uint8_t *z, const uint8_t *x,
                         const uint8_t *y)
{
    double a[BLOCK], b[BLOCK];

    for (size_t i = 0; i < n && op == CT__OP_next_after; i++)
        z[i] = next_after(dtype, x[i], y[i]);
    for (size_t i = 0; i < n && op != CT__OP_next_after; i += BLOCK) {
        const size_t count = n - i < BLOCK ? n - i : BLOCK;
        load(dtype, count, a, x + i);
        load(dtype, count, b, y + i);
        ct__reference_f64.binary(op, count, a, a, b);
        store(dtype, count, z + i, a);
    }
}

/* ---- Both. */

bool ct__is_small(ct_dtype dtype)
{
    return dtype >= CT_I2 && dtype <= CT_F8E8M0FNU;
}

void ct__small_unary(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x)
{
    if (ct__is_small_float(dtype))
        unary_float(op, dtype, n, y, x);
    else
        unary_integer(op, dtype, n, y, x);
}

void ct__small_binary(ct__op op, ct_dtype dtype, size_t n, void *z, const void *x, const void *y)
{
    if (ct__is_small_float(dtype))
        binary_float(op, dtype, n, z, x, y);
    else
        binary_integer(op, dtype, n, z, x, y);
}

void ct__small_fold(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x_,
                    size_t stride)
{
    const uint8_t *x = x_;

    for (size_t i = 0; i < n; i++)
        ct__small_binary(op, dtype, 1, accumulator, accumulator, x + i * stride);
}

void ct__small_compare(int direction, int type, ct_dtype dtype, size_t n, bool *z, const void *x_,
                       const void *y_)
{
    const uint8_t *x = x_, *y = y_;
    double a[BLOCK], b[BLOCK];

    if (!ct__is_small_float(dtype)) {
        sibling(dtype)->compare(direction, type, n, z, x, y);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t count = n - i < BLOCK ? n - i : BLOCK;
        load(dtype, count, a, x + i);
        load(dtype, count, b, y + i);
        ct__reference_f64.compare(direction, type, count, z + i, a, b);
    }
}

void ct__small_is_finite(ct_dtype dtype, size_t n, bool *y, const void *x_)
{
    const uint8_t *x = x_;

    for (size_t i = 0; i < n; i++) {
        const double value = ct__small_float_load(dtype, x[i]);
        y[i] = value - value == 0;
    }
}

/* Sums of integers, which wrap; floats are multiplied as f32. */
void ct__small_dot(ct_dtype dtype, size_t m, size_t n, size_t k, void *c, const void *a,
                   const void *b)
{
    ct__dot_u8(m, n, k, c, a, b);
    wrap(dtype, m * n, c);
}
