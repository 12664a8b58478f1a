/* Parts of complex numbers, and the bits of elements. */
#include "tests/values.h"

#include <cotangent/op.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

TEST(parts_and_whole)
{
    ct_context *ctx = ct_context_new();
    static const float z[] = {1, -2, INFINITY, 0.5F, -0.0F, NAN};
    ct_tensor *x = ct_from_data(ctx, CT_C64, CT_SHAPE(3), z);
    CHECK_VALUES(ct_op_real(x), CT_SHAPE(3), {1, INFINITY, -0.0});
    CHECK_VALUES(ct_op_imag(x), CT_SHAPE(3), {-2, 0.5, NAN});
    CHECK_BITS(ct_op_complex(ct_op_real(x), ct_op_imag(x)), x);
    ct_tensor *wide = ct_op_convert(x, CT_C128);
    CHECK(ct_dtype_of(ct_op_real(wide)) == CT_F64);
    CHECK_BITS(ct_op_complex(ct_op_real(wide), ct_op_imag(wide)), wide);
    ct_tensor *real = given(ctx, CT_BF16, CT_SHAPE(2), {NAN, 3});
    CHECK_BITS(ct_op_real(real), real);
    CHECK_VALUES(ct_op_imag(real), CT_SHAPE(2), {0, 0});
    CHECK_EMPTY(ct_op_imag(ct_zeros(ctx, CT_C64, CT_SHAPE(2, 0))), CT_SHAPE(2, 0));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(bits_of_one_width)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, -0.0, INFINITY});
    CHECK_VALUES(ct_op_bitcast_convert(x, CT_U32), CT_SHAPE(3),
                 {0x3F800000, 0x80000000, 0x7F800000});
    CHECK_BITS(ct_op_bitcast_convert(ct_op_bitcast_convert(x, CT_I32), CT_F32), x);
    CHECK_VALUES(ct_op_bitcast_convert(given(ctx, CT_I4, CT_SHAPE(2), {-1, 7}), CT_U4), CT_SHAPE(2),
                 {15, 7});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The lowest bits come first. */
TEST(bits_of_two_widths)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_U32, CT_SHAPE(2),
                                (const uint32_t[]){0x04030201, 0xF8070605});
    ct_tensor *bytes = ct_op_bitcast_convert(x, CT_I8);
    CHECK_VALUES(bytes, CT_SHAPE(2, 4), {1, 2, 3, 4, 5, 6, 7, -8});
    CHECK_BITS(ct_op_bitcast_convert(bytes, CT_U32), x);
    ct_tensor *nibbles = ct_op_bitcast_convert(bytes, CT_U4);
    CHECK_VALUES(nibbles, CT_SHAPE(2, 4, 2), {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 15});
    CHECK_BITS(ct_op_bitcast_convert(nibbles, CT_I8), bytes);
    ct_tensor *pairs = ct_op_bitcast_convert(given(ctx, CT_U4, CT_SHAPE(2), {6, 13}), CT_I2);
    CHECK_VALUES(pairs, CT_SHAPE(2, 2), {-2, 1, 1, -1});
    CHECK_VALUES(ct_op_bitcast_convert(given(ctx, CT_U8, CT_SHAPE(1), {0x85}), CT_BOOL),
                 CT_SHAPE(1, 8), {1, 0, 1, 0, 0, 0, 0, 1});
    ct_tensor *z = ct_from_data(ctx, CT_C128, CT_SHAPE(1), (const double[]){1, 2});
    CHECK(ct_rank(ct_op_bitcast_convert(z, CT_C64)) == 2);
    CHECK_BITS(ct_op_bitcast_convert(ct_op_bitcast_convert(z, CT_C64), CT_C128), z);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(bits_that_do_not_fit)
{
    ct_context *ctx = ct_context_new();
    ct_op_bitcast_convert(ct_zeros(ctx, CT_U8, CT_SHAPE(2, 3)), CT_F32);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "u8[2,3] of 8 bits each cannot be read as f32, of 32 bits");
    ct_op_bitcast_convert(ct_zeros(ctx, CT_U8, CT_SHAPE()), CT_U16);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "u8[] of 8 bits each");
    ct_op_bitcast_convert(ct_zeros(ctx, CT_F64, CT_SHAPE(2)), CT_C64);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "both dtypes must be complex or neither");
    ct_op_complex(ct_zeros(ctx, CT_F16, CT_SHAPE(2)), ct_zeros(ctx, CT_F16, CT_SHAPE(2)));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "re must be f32 or f64");
    ct_op_reduce_precision(ct_zeros(ctx, CT_F32, CT_SHAPE(2)), 0, 3);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "exponent_bits = 0 must be at least 1");
    ct_op_reduce_precision(ct_zeros(ctx, CT_F32, CT_SHAPE(2)), 3, -1);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "mantissa_bits = -1 must not be negative");
    ct_context_free(ctx);
}

/* Values by jax.lax.reduce_precision, but for NaN without a mantissa: there StableHLO has +inf. */
TEST(reduced_precision)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(8),
                         {1.00048828125, 65520, 65519, -6e-5, 6.2e-5, NAN, -INFINITY, 3.1415927});
    CHECK_VALUES(ct_op_reduce_precision(x, 5, 10), CT_SHAPE(8),
                 {1, INFINITY, 65504, -0.0, 6.198883056640625e-05, NAN, -INFINITY, 3.140625});
    CHECK_VALUES(ct_op_reduce_precision(x, 8, 0), CT_SHAPE(8),
                 {1, 65536, 65536, -6.103515625e-05, 6.103515625e-05, INFINITY, -INFINITY, 4});
    CHECK_BITS(ct_op_reduce_precision(x, 8, 23), x);
    CHECK_BITS(ct_op_reduce_precision(x, 11, 52), x);
    ct_tensor *tiny = given(ctx, CT_F32, CT_SHAPE(1), {1e-44});
    CHECK_BITS(ct_op_reduce_precision(tiny, 8, 23), tiny);
    CHECK_VALUES(ct_op_reduce_precision(given(ctx, CT_F8E4M3FN, CT_SHAPE(2), {1.125, 100}), 3, 2),
                 CT_SHAPE(2), {1, NAN});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static bool is_nan_of(ct_dtype dtype, uint16_t bits)
{
    return (bits & 0x7fff) > (dtype == CT_F16 ? 0x7c00 : 0x7f80);
}

/* The results' bits as tests/data/reduce_precision.py lists them. */
static uint32_t digest(ct_context *ctx, ct_dtype dtype, ct_tensor *x, int e, int m)
{
    ct_scope scope = ct_scope_begin(ctx);
    const uint16_t *from = ct_data(x), *y = ct_data(ct_op_reduce_precision(x, e, m));
    uLong crc = crc32(0, NULL, 0);
    CHECK(y);
    for (int64_t i = 0; i < ct_size(x); i++) {
        const unsigned char bytes[2] = {(unsigned char)y[i], (unsigned char)(y[i] >> 8)};
        if (is_nan_of(dtype, from[i]))
            CHECK(m > 0 ? y[i] == from[i] : !is_nan_of(dtype, y[i]));
        else
            crc = crc32(crc, bytes, 2);
    }
    ct_scope_end(scope);
    return (uint32_t)crc;
}

TEST(reduced_as_jax)
{
    static uint16_t every[1 << 16];
    ct_context *ctx = ct_context_new();
    FILE *file = fopen(CT_SOURCE_DIR "/tests/data/reduce_precision.txt", "r");
    char name[8];
    int e, m, lines = 0;
    unsigned expected;

    for (unsigned i = 0; i < 1 << 16; i++)
        every[i] = (uint16_t)i;
    CHECK(file);
    while (fscanf(file, "%7s %d %d %8X", name, &e, &m, &expected) == 4) {
        ct_dtype dtype = strcmp(name, "f16") == 0 ? CT_F16 : CT_BF16;
        ct_tensor *x = ct_from_data(ctx, dtype, CT_SHAPE(1 << 16), every);
        CHECK_MSG(digest(ctx, dtype, x, e, m) == expected, "%s e%dm%d", name, e, m);
        lines++;
    }
    fclose(file);
    CHECK(lines == 153);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* f32 to f16's bits is f32 to f16 and back, but for subnormals; f64 to f32's likewise. */
TEST(reduced_as_converted)
{
    ct_context *ctx = ct_context_new();
    double x[1000];
    uint32_t state = 1;
    for (int i = 0; i < 1000; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = ldexp((double)(int32_t)state, -31 + i % 27 - 13);
    }
    ct_tensor *f64 = ct_from_doubles(ctx, CT_F64, CT_SHAPE(1000), x);
    ct_tensor *f32 = ct_op_convert(f64, CT_F32);
    CHECK_BITS(ct_op_reduce_precision(f64, 8, 23), ct_op_convert(f32, CT_F64));
    ct_tensor *f16 = ct_op_convert(ct_op_convert(f32, CT_F16), CT_F32);
    ct_tensor *normal = ct_op_compare(ct_op_abs(f32), ct_full(ctx, CT_F32, CT_SHAPE(1000), 0x1p-14),
                                      CT_GE, CT_COMPARE_FLOAT);
    ct_tensor *zero = ct_op_multiply(f32, ct_zeros(ctx, CT_F32, CT_SHAPE(1000)));
    ct_tensor *reduced = ct_op_reduce_precision(f32, 5, 10);
    CHECK_BITS(ct_op_select(normal, reduced, zero), ct_op_select(normal, f16, zero));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
