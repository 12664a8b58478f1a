/* Parts of complex numbers, and the bits of elements. */
#include "tests/values.h"

#include <cotangent/op.h>

#include <math.h>
#include <string.h>

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
