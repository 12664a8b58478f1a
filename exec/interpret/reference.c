/* The reference numerics: what the conformance files pin. This file chooses the table of the dtype.
 */
#include "exec/interpret/reference.h"

#include <string.h>

static const ct__reference *const reference[CT_DTYPE_COUNT] = {
    [CT_BOOL] = &ct__reference_bool, [CT_I8] = &ct__reference_i8,
    [CT_I16] = &ct__reference_i16,   [CT_I32] = &ct__reference_i32,
    [CT_I64] = &ct__reference_i64,   [CT_U8] = &ct__reference_u8,
    [CT_U16] = &ct__reference_u16,   [CT_U32] = &ct__reference_u32,
    [CT_U64] = &ct__reference_u64,   [CT_F16] = &ct__reference_f16,
    [CT_BF16] = &ct__reference_bf16, [CT_F32] = &ct__reference_f32,
    [CT_F64] = &ct__reference_f64,   [CT_C64] = &ct__reference_c64,
    [CT_C128] = &ct__reference_c128};

static void unary(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x)
{
    if (ct__is_small(dtype))
        ct__small_unary(op, dtype, n, y, x);
    else
        reference[dtype]->unary(op, n, y, x);
}

/* A block of elements, for an operand that does not advance. */
enum { BLOCK_BYTES = 1024 };

static void replicate(unsigned char *block, size_t n, const void *x, size_t bytes)
{
    for (size_t i = 0; i < n; i++)
        memcpy(block + i * bytes, x, bytes);
}

static void binary_arrays(ct__op op, ct_dtype dtype, size_t n, void *z, const void *x,
                          const void *y)
{
    if (ct__is_small(dtype))
        ct__small_binary(op, dtype, n, z, x, y);
    else
        reference[dtype]->binary(op, n, z, x, y);
}

static void binary(ct__op op, ct_dtype dtype, size_t n, void *z_, const void *x_, size_t x_step,
                   const void *y_, size_t y_step)
{
    _Alignas(16) unsigned char x_block[BLOCK_BYTES], y_block[BLOCK_BYTES];
    size_t bytes = ct_dtype_bytes(dtype), block = BLOCK_BYTES / bytes;
    const unsigned char *x = x_, *y = y_;
    unsigned char *z = z_;

    if (n == 0)
        return;
    if (x_step == 1 && y_step == 1)
        block = n;
    block = n < block ? n : block;
    if (x_step == 0)
        replicate(x_block, block, x, bytes);
    if (y_step == 0)
        replicate(y_block, block, y, bytes);
    for (size_t i = 0; i < n; i += block)
        binary_arrays(op, dtype, n - i < block ? n - i : block, z + i * bytes,
                      x_step ? x + i * bytes : x_block, y_step ? y + i * bytes : y_block);
}

static void fold(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x,
                 size_t stride)
{
    if (ct__is_small(dtype))
        ct__small_fold(op, dtype, n, accumulator, x, stride);
    else
        reference[dtype]->fold(op, n, accumulator, x, stride);
}

void ct__reference_compare(int direction, int type, ct_dtype dtype, size_t n, bool *z,
                           const void *x, const void *y)
{
    if (ct__is_small(dtype))
        ct__small_compare(direction, type, dtype, n, z, x, y);
    else
        reference[dtype]->compare(direction, type, n, z, x, y);
}

/* A memcpy of fixed size is a move. */
#define CHOOSE(size)                                                                               \
    for (size_t i = 0; i < n; i++)                                                                 \
    memcpy(z + i * (size), (pred[i] ? x : y) + i * (size), size)

static void choose(size_t n, size_t bytes, const bool *pred, void *z_, const void *x_,
                   const void *y_)
{
    const unsigned char *x = x_, *y = y_;
    unsigned char *z = z_;

    switch (bytes) {
    case 1: CHOOSE(1); break;
    case 2: CHOOSE(2); break;
    case 4: CHOOSE(4); break;
    case 8: CHOOSE(8); break;
    case 16: CHOOSE(16); break;
    default: CHOOSE(bytes);
    }
}

void ct__reference_is_finite(ct_dtype dtype, size_t n, bool *y, const void *x)
{
    if (ct__is_small(dtype))
        ct__small_is_finite(dtype, n, y, x);
    else
        reference[dtype]->is_finite(n, y, x);
}

static void dot(ct_dtype dtype, size_t m, size_t n, size_t k, void *c, const void *a, const void *b)
{
    if (ct__is_small(dtype))
        ct__small_dot(dtype, m, n, k, c, a, b);
    else
        reference[dtype]->dot(m, n, k, c, a, b);
}

const ct__numerics ct__reference_numerics = {.name = "reference",
                                             .element_bytes = ct_dtype_bytes,
                                             .unary = unary,
                                             .binary = binary,
                                             .fold = fold,
                                             .compare = ct__reference_compare,
                                             .select = choose,
                                             .is_finite = ct__reference_is_finite,
                                             .convert = ct__reference_convert,
                                             .iota = ct__reference_iota,
                                             .real = ct__reference_real,
                                             .dot = dot,
                                             .dequantize = ct__reference_dequantize,
                                             .quantize = ct__reference_quantize};
