/* The numbered constraints of op.h: elementwise operations and those that move data. */
#include "tests/constraints.h"

#include <stdio.h>
#include <string.h>

/* ---- Elementwise. */

typedef struct unary_row {
    const char *name, *takes;
    ct_tensor *(*call)(ct_place, ct_tensor *);
    ct_dtype good, bad;
} unary_row;

#define INTS "an integer"
#define INTS_BOOL "an integer or bool"
#define FLOATS "a float"
#define FLOATS_COMPLEX "a float or complex"
#define SIGNED_NUMBERS "a signed integer, float or complex"
#define NUMBERS "an integer, float or complex"

TEST(elementwise_one_operand)
{
    static const unary_row row[] = {
        {"abs", SIGNED_NUMBERS, ct_op_abs_at, CT_I8, CT_U64},
        {"cbrt", FLOATS_COMPLEX, ct_op_cbrt_at, CT_F16, CT_I32},
        {"ceil", FLOATS, ct_op_ceil_at, CT_F32, CT_I8},
        {"cosine", FLOATS_COMPLEX, ct_op_cosine_at, CT_F64, CT_U8},
        {"count_leading_zeros", INTS, ct_op_count_leading_zeros_at, CT_U16, CT_F32},
        {"exponential", FLOATS_COMPLEX, ct_op_exponential_at, CT_BF16, CT_BOOL},
        {"exponential_minus_one", FLOATS_COMPLEX, ct_op_exponential_minus_one_at, CT_F32, CT_I64},
        {"floor", FLOATS, ct_op_floor_at, CT_F32, CT_U64},
        {"is_finite", FLOATS, ct_op_is_finite_at, CT_F16, CT_I32},
        {"log", FLOATS_COMPLEX, ct_op_log_at, CT_F32, CT_I32},
        {"log_plus_one", FLOATS_COMPLEX, ct_op_log_plus_one_at, CT_F32, CT_I32},
        {"logistic", FLOATS_COMPLEX, ct_op_logistic_at, CT_F32, CT_U32},
        {"negate", NUMBERS, ct_op_negate_at, CT_U8, CT_BOOL},
        {"not", INTS_BOOL, ct_op_not_at, CT_BOOL, CT_F32},
        {"popcnt", INTS, ct_op_popcnt_at, CT_I64, CT_BOOL},
        {"round_nearest_afz", FLOATS, ct_op_round_nearest_afz_at, CT_F64, CT_I16},
        {"round_nearest_even", FLOATS, ct_op_round_nearest_even_at, CT_F64, CT_U16},
        {"rsqrt", FLOATS_COMPLEX, ct_op_rsqrt_at, CT_F32, CT_I32},
        {"sign", SIGNED_NUMBERS, ct_op_sign_at, CT_I32, CT_U8},
        {"sine", FLOATS_COMPLEX, ct_op_sine_at, CT_F32, CT_I32},
        {"sqrt", FLOATS_COMPLEX, ct_op_sqrt_at, CT_F32, CT_I32},
        {"tan", FLOATS_COMPLEX, ct_op_tan_at, CT_F32, CT_BOOL},
        {"tanh", FLOATS_COMPLEX, ct_op_tanh_at, CT_F32, CT_I32},
    };
    ct_context *ctx = ct_context_new();
    char message[512];

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *dtype = ct_dtype_name(row[i].bad);
        HOLDS(row[i].call(use, T(row[i].good, 2, 3)));
        row[i].call(use, T(row[i].bad, 2, 3)); /* C1 */
        snprintf(
            message, sizeof message,
            "use.c:42: %s: x must be %s, got %s[2,3]\n    x         %s[2,3]%*s zeros, made.c:1",
            row[i].name, row[i].takes, dtype, dtype, (int)(7 - strlen(dtype)), "");
        constraints_check(__FILE__, __LINE__, ctx, CT_ERR_TYPE, message);
    }
    for (int dtype = CT_BOOL; dtype < CT_DTYPE_COUNT; dtype++)
        HOLDS(ct_op_stop_gradient_at(use, ct_ones(ctx, (ct_dtype)dtype, CT_SHAPE(2, 3))));
    ct_context_free(ctx);
}

TEST(convert)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);

    HOLDS(ct_op_convert_at(use, x, CT_BOOL));
    BREAKS(ct_op_convert_at(use, x, CT_INVALID_DTYPE), CT_ERR_TYPE, /* C1 */
           "convert: dtype = 0 must be an element type" LINE("x        ", "f32[2]      "));
    BREAKS(ct_op_convert_at(use, x, CT_DTYPE_COUNT), CT_ERR_TYPE, /* C1 */
           "convert: dtype = 31 must be an element type" LINE("x        ", "f32[2]      "));
    ct_context_free(ctx);
}

TEST(parts_and_bits)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 4), *c = T(CT_C64, 2), *bytes = T(CT_U8, 2, 4);

    HOLDS(ct_op_real_at(use, c));
    HOLDS(ct_op_imag_at(use, x));
    BREAKS(ct_op_real_at(use, bytes), CT_ERR_TYPE,
           "real: x must be a float or complex, got u8[2,4]" LINE("x        ", "u8[2,4]     "));
    HOLDS(ct_op_complex_at(use, x, x));
    BREAKS(ct_op_complex_at(use, x, T(CT_F64, 2, 4)), CT_ERR_TYPE, /* C1 */
           "complex: re and im must have one dtype, got f32[2,4] and f64[2,4]" LINE(
               "re       ", "f32[2,4]    ") LINE("im       ", "f64[2,4]    "));
    BREAKS(ct_op_complex_at(use, x, T(CT_F32, 4)), CT_ERR_SHAPE, /* C1 */
           "complex: re and im must have one shape, got f32[2,4] and f32[4]" LINE(
               "re       ", "f32[2,4]    ") LINE("im       ", "f32[4]      "));
    BREAKS(ct_op_complex_at(use, T(CT_F16, 2), T(CT_F16, 2)), CT_ERR_TYPE, /* C2 */
           "complex: re must be f32 or f64, got f16[2]" LINE("re       ", "f16[2]      ")
               LINE("im       ", "f16[2]      "));
    HOLDS(ct_op_bitcast_convert_at(use, bytes, CT_F32));
    BREAKS(ct_op_bitcast_convert_at(use, bytes, CT_F64), CT_ERR_SHAPE, /* C1 */
           "bitcast_convert: u8[2,4] of 8 bits each cannot be read as f64, of 64 bits" LINE(
               "x        ", "u8[2,4]     "));
    BREAKS(ct_op_bitcast_convert_at(use, T(CT_F6E2M3FN, 4), CT_I4), CT_ERR_SHAPE, /* C1 */
           "bitcast_convert: f6E2M3FN[4] of 6 bits each cannot be read as i4, of 4 bits" LINE(
               "x        ", "f6E2M3FN[4] "));
    BREAKS(ct_op_bitcast_convert_at(use, c, CT_F64), CT_ERR_TYPE, /* C2 */
           "bitcast_convert: both dtypes must be complex or neither, got c64[2] and f64" LINE(
               "x        ", "c64[2]      "));
    BREAKS(ct_op_bitcast_convert_at(use, x, CT_INVALID_DTYPE), CT_ERR_TYPE,
           "bitcast_convert: dtype = 0 must be an element type" LINE("x        ", "f32[2,4]    "));
    HOLDS(ct_op_reduce_precision_at(use, x, 1, 0));
    BREAKS(
        ct_op_reduce_precision_at(use, x, 0, 3), CT_ERR_SHAPE, /* C2 */
        "reduce_precision: exponent_bits = 0 must be at least 1" LINE("x        ", "f32[2,4]    "));
    BREAKS(ct_op_reduce_precision_at(use, x, 5, -1), CT_ERR_SHAPE, /* C3 */
           "reduce_precision: mantissa_bits = -1 must not be negative" LINE("x        ",
                                                                            "f32[2,4]    "));
    ct_context_free(ctx);
}

typedef struct binary_row {
    const char *name, *takes, *x, *y;
    ct_tensor *(*call)(ct_place, ct_tensor *, ct_tensor *);
    ct_dtype good, bad;
} binary_row;

static const binary_row binary_rows[] = {
    {"add", NULL, "x", "y", ct_op_add_at, CT_BOOL, CT_INVALID_DTYPE},
    {"and", INTS_BOOL, "x", "y", ct_op_and_at, CT_BOOL, CT_F32},
    {"atan2", FLOATS_COMPLEX, "y", "x", ct_op_atan2_at, CT_F32, CT_I32},
    {"divide", NUMBERS, "x", "y", ct_op_divide_at, CT_U8, CT_BOOL},
    {"maximum", NULL, "x", "y", ct_op_maximum_at, CT_BOOL, CT_INVALID_DTYPE},
    {"minimum", NULL, "x", "y", ct_op_minimum_at, CT_BOOL, CT_INVALID_DTYPE},
    {"multiply", NULL, "x", "y", ct_op_multiply_at, CT_F16, CT_INVALID_DTYPE},
    {"or", INTS_BOOL, "x", "y", ct_op_or_at, CT_I32, CT_BF16},
    {"power", NUMBERS, "x", "y", ct_op_power_at, CT_I8, CT_BOOL},
    {"remainder", NUMBERS, "x", "y", ct_op_remainder_at, CT_C64, CT_BOOL},
    {"scale", FLOATS_COMPLEX, "t", "f", ct_op_scale_at, CT_F32, CT_I32},
    {"scale_either", FLOATS_COMPLEX, "t", "u", ct_op_scale_either_at, CT_F64, CT_I8},
    {"shift_left", INTS, "x", "amount", ct_op_shift_left_at, CT_U64, CT_F32},
    {"shift_right_arithmetic", INTS, "x", "amount", ct_op_shift_right_arithmetic_at, CT_U8,
     CT_BOOL},
    {"shift_right_logical", INTS, "x", "amount", ct_op_shift_right_logical_at, CT_I8, CT_F64},
    {"subtract", NUMBERS, "x", "y", ct_op_subtract_at, CT_F32, CT_BOOL},
    {"xor", INTS_BOOL, "x", "y", ct_op_xor_at, CT_BOOL, CT_C64},
};

/* The message about operands of these types, "u8[2,3]" and so on. */
static void check_binary(const char *file, int line, ct_context *ctx, const binary_row *row,
                         ct_status status, const char *what, const char *x, const char *y)
{
    char message[512];

    snprintf(message, sizeof message,
             "use.c:42: %s: %s\n    %-9s %-12s zeros, made.c:1\n    %-9s %-12s zeros, made.c:1",
             row->name, what, row->x, x, row->y, y);
    constraints_check(file, line, ctx, status, message);
}

TEST(elementwise_two_operands)
{
    ct_context *ctx = ct_context_new();

    for (size_t i = 0; i < sizeof binary_rows / sizeof *binary_rows; i++) {
        const binary_row *r = &binary_rows[i];
        ct_tensor *x = T(r->good, 2, 3);
        char good[32], other[32], bad[32], what[256];

        snprintf(good, sizeof good, "%s[2,3]", ct_dtype_name(r->good));
        snprintf(other, sizeof other, "%s[3]", ct_dtype_name(r->good));
        snprintf(bad, sizeof bad, "%s[2,3]", ct_dtype_name(r->bad));
        HOLDS(r->call(use, x, x));
        if (r->takes) { /* C1 */
            r->call(use, T(r->bad, 2, 3), T(r->bad, 2, 3));
            snprintf(what, sizeof what, "%s must be %s, got %s", r->x, r->takes, bad);
            check_binary(__FILE__, __LINE__, ctx, r, CT_ERR_TYPE, what, bad, bad);
        }
        r->call(use, x, T(CT_U32, 2, 3)); /* C2 */
        snprintf(what, sizeof what, "%s and %s must have one dtype, got %s and u32[2,3]", r->x,
                 r->y, good);
        check_binary(__FILE__, __LINE__, ctx, r, CT_ERR_TYPE, what, good, "u32[2,3]");
        r->call(use, x, T(r->good, 3)); /* C2: nothing is broadcast */
        snprintf(what, sizeof what, "%s and %s must have one shape, got %s and %s", r->x, r->y,
                 good, other);
        check_binary(__FILE__, __LINE__, ctx, r, CT_ERR_SHAPE, what, good, other);
    }
    ct_context_free(ctx);
}

/* ---- Choosing. */

TEST(compare)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3), *i = T(CT_I32, 2), *c = T(CT_C64, 2);

    HOLDS(ct_op_compare_at(use, x, x, CT_LT, CT_COMPARE_TOTALORDER));
    HOLDS(ct_op_compare_at(use, c, c, CT_NE, CT_COMPARE_FLOAT));
    BREAKS(ct_op_compare_at(use, x, T(CT_F64, 2, 3), CT_EQ, CT_COMPARE_DEFAULT),
           CT_ERR_TYPE, /* C1 */
           "compare: x and y must have one dtype, got f32[2,3] and f64[2,3]" LINE(
               "x        ", "f32[2,3]    ") LINE("y        ", "f64[2,3]    "));
    BREAKS(ct_op_compare_at(use, x, T(CT_F32, 2, 1), CT_EQ, CT_COMPARE_DEFAULT),
           CT_ERR_SHAPE, /* C1 */
           "compare: x and y must have one shape, got f32[2,3] and f32[2,1]" LINE(
               "x        ", "f32[2,3]    ") LINE("y        ", "f32[2,1]    "));
    BREAKS(ct_op_compare_at(use, i, i, CT_EQ, CT_COMPARE_UNSIGNED), CT_ERR_TYPE, /* C2 */
           "compare: compare_type = UNSIGNED does not fit x: i32[2]" LINE(
               "x        ", "i32[2]      ") LINE("y        ", "i32[2]      "));
    BREAKS(ct_op_compare_at(use, i, i, CT_EQ, CT_COMPARE_TOTALORDER), CT_ERR_TYPE, /* C2 */
           "compare: compare_type = TOTALORDER does not fit x: i32[2]" LINE(
               "x        ", "i32[2]      ") LINE("y        ", "i32[2]      "));
    HOLDS(
        ct_op_compare_at(use, c, c, CT_LT, CT_COMPARE_DEFAULT)); /* by real, then imaginary part */
    ct_context_free(ctx);
}

TEST(select)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3), *pred = T(CT_BOOL, 2, 3);

    HOLDS(ct_op_select_at(use, pred, x, x));
    HOLDS(ct_op_select_at(use, S(CT_BOOL), x, x));
    BREAKS(ct_op_select_at(use, T(CT_I32, 2, 3), x, x), CT_ERR_TYPE, /* C1 */
           "select: pred must be a bool, got i32[2,3]" LINE("pred     ", "i32[2,3]    ")
               LINE("on_true  ", "f32[2,3]    ") LINE("on_false ", "f32[2,3]    "));
    BREAKS(ct_op_select_at(use, T(CT_BOOL, 3), x, x), CT_ERR_SHAPE, /* C1 */
           "select: pred must have rank 0 or the shape of on_true, got bool[3] and f32[2,3]" LINE(
               "pred     ", "bool[3]     ") LINE("on_true  ", "f32[2,3]    ")
               LINE("on_false ", "f32[2,3]    "));
    BREAKS(ct_op_select_at(use, pred, x, T(CT_F64, 2, 3)), CT_ERR_TYPE, /* C2 */
           "select: on_true and on_false must have one dtype, got f32[2,3] and f64[2,3]" LINE(
               "pred     ", "bool[2,3]   ") LINE("on_true  ", "f32[2,3]    ")
               LINE("on_false ", "f64[2,3]    "));
    BREAKS(ct_op_select_at(use, S(CT_BOOL), x, S(CT_F32)), CT_ERR_SHAPE, /* C2 */
           "select: on_true and on_false must have one shape, got f32[2,3] and f32[]" LINE(
               "pred     ", "bool[]      ") LINE("on_true  ", "f32[2,3]    ")
               LINE("on_false ", "f32[]       "));
    ct_context_free(ctx);
}

TEST(clamp)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3), *s = S(CT_F32);

    HOLDS(ct_op_clamp_at(use, s, x, x));
    HOLDS(ct_op_clamp_at(use, S(CT_BOOL), T(CT_BOOL, 2), S(CT_BOOL)));
    HOLDS(ct_op_clamp_at(use, S(CT_C64), T(CT_C64, 2), T(CT_C64, 2)));
    BREAKS(ct_op_clamp_at(use, T(CT_F32, 3), x, s), CT_ERR_SHAPE, /* C1 */
           "clamp: lo must have rank 0 or the shape of x, got f32[3] and f32[2,3]" LINE(
               "lo       ", "f32[3]      ") LINE("x        ", "f32[2,3]    ")
               LINE("hi       ", "f32[]       "));
    BREAKS(ct_op_clamp_at(use, s, x, T(CT_F32, 2)), CT_ERR_SHAPE, /* C1 */
           "clamp: hi must have rank 0 or the shape of x, got f32[2] and f32[2,3]" LINE(
               "lo       ", "f32[]       ") LINE("x        ", "f32[2,3]    ")
               LINE("hi       ", "f32[2]      "));
    BREAKS(ct_op_clamp_at(use, S(CT_F64), x, s), CT_ERR_TYPE, /* C2 */
           "clamp: lo and x must have one dtype, got f64[] and f32[2,3]" LINE("lo       ",
                                                                              "f64[]       ")
               LINE("x        ", "f32[2,3]    ") LINE("hi       ", "f32[]       "));
    BREAKS(ct_op_clamp_at(use, s, x, S(CT_F64)), CT_ERR_TYPE, /* C2 */
           "clamp: x and hi must have one dtype, got f32[2,3] and f64[]" LINE("lo       ",
                                                                              "f32[]       ")
               LINE("x        ", "f32[2,3]    ") LINE("hi       ", "f64[]       "));
    ct_context_free(ctx);
}

/* ---- Making and moving. */

TEST(iota)
{
    ct_context *ctx = ct_context_new();

    HOLDS(ct_op_iota_at(use, ctx, CT_U8, CT_DIMS(2, 3), 1));
    BREAKS(ct_op_iota_at(use, ctx, CT_BOOL, CT_DIMS(2, 3), 1), CT_ERR_TYPE, /* C1 */
           "iota: dtype must be an integer, float or complex, got bool");
    BREAKS(ct_op_iota_at(use, ctx, CT_F32, CT_DIMS(2, 3), 2), CT_ERR_SHAPE, /* C2 */
           "iota: iota_dimension = 2 must be an axis of shape = [2, 3]");
    BREAKS(ct_op_iota_at(use, ctx, CT_F32, CT_DIMS(), 0), CT_ERR_SHAPE, /* C2 */
           "iota: iota_dimension = 0 must be an axis of shape = []");
    BREAKS(ct_op_iota_at(use, ctx, CT_F32, CT_DIMS(2, 3), -1), CT_ERR_SHAPE, /* C2 */
           "iota: iota_dimension = -1 must be an axis of shape = [2, 3]");
    ct_context_free(ctx);
}

TEST(broadcast_in_dim)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 3, 1);

    HOLDS(ct_op_broadcast_in_dim_at(use, x, CT_DIMS(5, 2, 3), CT_DIMS(2, 0)));
    BREAKS(ct_op_broadcast_in_dim_at(use, x, CT_DIMS(5, 2, 3), CT_DIMS(2)), CT_ERR_SHAPE, /* C1 */
           "broadcast_in_dim: broadcast_dimensions = [2] must have one entry per axis of x: "
           "f32[3,1]" LINE("x        ", "f32[3,1]    "));
    BREAKS(ct_op_broadcast_in_dim_at(use, T(CT_F32, 3, 3), CT_DIMS(3, 3), CT_DIMS(1, 1)),
           CT_ERR_SHAPE, /* C2 */
           "broadcast_in_dim: broadcast_dimensions = [1, 1] must not name axis 1 twice" LINE(
               "x        ", "f32[3,3]    "));
    BREAKS(ct_op_broadcast_in_dim_at(use, x, CT_DIMS(5, 2, 3), CT_DIMS(2, 3)),
           CT_ERR_SHAPE, /* C2 */
           "broadcast_in_dim: broadcast_dimensions[1] = 3 must be an axis in [0, 3)" LINE(
               "x        ", "f32[3,1]    "));
    BREAKS(ct_op_broadcast_in_dim_at(use, x, CT_DIMS(5, 2, 4), CT_DIMS(2, 0)),
           CT_ERR_SHAPE, /* C3 */
           "broadcast_in_dim: axis 0 of x: f32[3,1] must have extent 1 or 4, that of axis 2 of the "
           "result" LINE("x        ", "f32[3,1]    "));
    ct_context_free(ctx);
}

TEST(concatenate)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3);

    HOLDS(ct_op_concatenate_at(use, CT_ARGV(x, T(CT_F32, 2, 5)), 1));
    BREAKS(ct_op_concatenate_at(use, CT_ARGV(x, T(CT_F64, 2, 3)), 1), CT_ERR_TYPE, /* C1 */
           "concatenate: x[0] and x[1] must have one dtype, got f32[2,3] and f64[2,3]" LINE(
               "x[0]     ", "f32[2,3]    ") LINE("x[1]     ", "f64[2,3]    "));
    BREAKS(ct_op_concatenate_at(use, CT_ARGV(x, T(CT_F32, 2)), 0), CT_ERR_SHAPE, /* C1 */
           "concatenate: x[0] and x[1] must have one rank, got f32[2,3] and f32[2]" LINE(
               "x[0]     ", "f32[2,3]    ") LINE("x[1]     ", "f32[2]      "));
    BREAKS(ct_op_concatenate_at(use, CT_ARGV(x), 2), CT_ERR_SHAPE, /* C2 */
           "concatenate: dimension = 2 must be an axis of x: f32[2,3]" LINE("x        ",
                                                                            "f32[2,3]    "));
    BREAKS(ct_op_concatenate_at(use, CT_ARGV(x), -1), CT_ERR_SHAPE, /* C2 */
           "concatenate: dimension = -1 must be an axis of x: f32[2,3]" LINE("x        ",
                                                                             "f32[2,3]    "));
    BREAKS(ct_op_concatenate_at(use, CT_ARGV(x, T(CT_F32, 4, 3)), 1), CT_ERR_SHAPE, /* C3 */
           "concatenate: x[0] and x[1] must agree but for axis 1, got f32[2,3] and f32[4,3]" LINE(
               "x[0]     ", "f32[2,3]    ") LINE("x[1]     ", "f32[4,3]    "));
    CHECK(ct_is_poison(ct_op_concatenate_at(use, CT_NO_TENSORS, 0))); /* C4: there is no context */
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(pad)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 4), *value = S(CT_F32);

#define PAD_LINES(type) LINE("x        ", "f32[4]      ") LINE("value    ", type)
    HOLDS(ct_op_pad_at(use, x, value, CT_DIMS(-2), CT_DIMS(-2), CT_DIMS(0)));
    BREAKS(ct_op_pad_at(use, x, S(CT_F64), CT_DIMS(1), CT_DIMS(1), CT_DIMS(0)),
           CT_ERR_TYPE, /* C1 */
           "pad: x and value must have one dtype, got f32[4] and f64[]" PAD_LINES("f64[]       "));
    BREAKS(ct_op_pad_at(use, x, T(CT_F32, 1), CT_DIMS(1), CT_DIMS(1), CT_DIMS(0)),
           CT_ERR_SHAPE, /* C1 */
           "pad: value must be a scalar, got f32[1]" PAD_LINES("f32[1]      "));
    BREAKS(ct_op_pad_at(use, x, value, CT_DIMS(), CT_DIMS(1), CT_DIMS(0)), CT_ERR_SHAPE, /* C2 */
           "pad: edge_padding_low = [] must have one entry per axis of x: f32[4]" PAD_LINES(
               "f32[]       "));
    BREAKS(ct_op_pad_at(use, x, value, CT_DIMS(1), CT_DIMS(1, 2), CT_DIMS(0)),
           CT_ERR_SHAPE, /* C2 */
           "pad: edge_padding_high = [1, 2] must have one entry per axis of x: f32[4]" PAD_LINES(
               "f32[]       "));
    BREAKS(ct_op_pad_at(use, x, value, CT_DIMS(1), CT_DIMS(1), CT_DIMS(0, 0)),
           CT_ERR_SHAPE, /* C2 */
           "pad: interior_padding = [0, 0] must have one entry per axis of x: f32[4]" PAD_LINES(
               "f32[]       "));
    BREAKS(ct_op_pad_at(use, x, value, CT_DIMS(1), CT_DIMS(1), CT_DIMS(-1)), CT_ERR_SHAPE, /* C3 */
           "pad: interior_padding[0] = -1 must not be negative" PAD_LINES("f32[]       "));
    BREAKS(
        ct_op_pad_at(use, x, value, CT_DIMS(-2), CT_DIMS(-3), CT_DIMS(0)), CT_ERR_SHAPE, /* C4 */
        "pad: edge_padding_low[0] = -2 and edge_padding_high[0] = -3 take more than there is in x: "
        "f32[4]" PAD_LINES("f32[]       "));
    ct_context_free(ctx);
}

TEST(reshape_and_reverse)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3);

    HOLDS(ct_op_reshape_at(use, x, CT_DIMS(3, 1, 2)));
    BREAKS(ct_op_reshape_at(use, x, CT_DIMS(2, 4)), CT_ERR_SHAPE, /* C1 */
           "reshape: shape = [2, 4] has 8 elements, but x: f32[2,3] has 6" LINE("x        ",
                                                                                "f32[2,3]    "));
    HOLDS(ct_op_reverse_at(use, x, CT_DIMS(1, 0)));
    BREAKS(ct_op_reverse_at(use, x, CT_DIMS(0, 0)), CT_ERR_SHAPE, /* C1 */
           "reverse: dimensions = [0, 0] must not name axis 0 twice" LINE("x        ",
                                                                          "f32[2,3]    "));
    BREAKS(
        ct_op_reverse_at(use, x, CT_DIMS(0, 2)), CT_ERR_SHAPE, /* C1 */
        "reverse: dimensions[1] = 2 must be an axis in [0, 2)" LINE("x        ", "f32[2,3]    "));
    BREAKS(
        ct_op_reverse_at(use, x, CT_DIMS(-1)), CT_ERR_SHAPE, /* C1 */
        "reverse: dimensions[0] = -1 must be an axis in [0, 2)" LINE("x        ", "f32[2,3]    "));
    ct_context_free(ctx);
}

TEST(slice_and_transpose)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 4, 5);

    HOLDS(ct_op_slice_at(use, x, CT_DIMS(4, 1), CT_DIMS(4, 5), CT_DIMS(1, 9)));
    BREAKS(ct_op_slice_at(use, x, CT_DIMS(0), CT_DIMS(4, 5), CT_DIMS(1, 1)), CT_ERR_SHAPE, /* C1 */
           "slice: start_indices = [0] must have one entry per axis of x: f32[4,5]" LINE(
               "x        ", "f32[4,5]    "));
    BREAKS(ct_op_slice_at(use, x, CT_DIMS(0, 0), CT_DIMS(4), CT_DIMS(1, 1)), CT_ERR_SHAPE, /* C1 */
           "slice: limit_indices = [4] must have one entry per axis of x: f32[4,5]" LINE(
               "x        ", "f32[4,5]    "));
    BREAKS(ct_op_slice_at(use, x, CT_DIMS(0, 0), CT_DIMS(4, 5), CT_DIMS(1)), CT_ERR_SHAPE, /* C1 */
           "slice: strides = [1] must have one entry per axis of x: f32[4,5]" LINE("x        ",
                                                                                   "f32[4,5]    "));
    BREAKS(ct_op_slice_at(use, x, CT_DIMS(0, -1), CT_DIMS(4, 5), CT_DIMS(1, 1)),
           CT_ERR_SHAPE, /* C2 */
           "slice: start_indices[1] = -1 and limit_indices[1] = 5 must be ascending and inside x: "
           "f32[4,5]" LINE("x        ", "f32[4,5]    "));
    BREAKS(ct_op_slice_at(use, x, CT_DIMS(3, 0), CT_DIMS(2, 5), CT_DIMS(1, 1)),
           CT_ERR_SHAPE, /* C2 */
           "slice: start_indices[0] = 3 and limit_indices[0] = 2 must be ascending and inside x: "
           "f32[4,5]" LINE("x        ", "f32[4,5]    "));
    BREAKS(ct_op_slice_at(use, x, CT_DIMS(0, 0), CT_DIMS(4, 6), CT_DIMS(1, 1)),
           CT_ERR_SHAPE, /* C2 */
           "slice: start_indices[1] = 0 and limit_indices[1] = 6 must be ascending and inside x: "
           "f32[4,5]" LINE("x        ", "f32[4,5]    "));
    BREAKS(ct_op_slice_at(use, x, CT_DIMS(0, 0), CT_DIMS(4, 5), CT_DIMS(1, 0)),
           CT_ERR_SHAPE, /* C3 */
           "slice: strides[1] = 0 must be positive" LINE("x        ", "f32[4,5]    "));
    HOLDS(ct_op_transpose_at(use, x, CT_DIMS(1, 0)));
    BREAKS(ct_op_transpose_at(use, x, CT_DIMS(0)), CT_ERR_SHAPE, /* C1 */
           "transpose: permutation = [0] must have one entry per axis of x: f32[4,5]" LINE(
               "x        ", "f32[4,5]    "));
    BREAKS(ct_op_transpose_at(use, x, CT_DIMS(1, 1)), CT_ERR_SHAPE, /* C1 */
           "transpose: permutation = [1, 1] must not name axis 1 twice" LINE("x        ",
                                                                             "f32[4,5]    "));
    BREAKS(ct_op_transpose_at(use, x, CT_DIMS(1, 2)), CT_ERR_SHAPE, /* C1 */
           "transpose: permutation[1] = 2 must be an axis in [0, 2)" LINE("x        ",
                                                                          "f32[4,5]    "));
    ct_context_free(ctx);
}

/* ---- Windows. */

TEST(dynamic_slice)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 4, 5), *i = S(CT_I32), *f = S(CT_F32);

#define STARTS(a, b) LINE("x        ", "f32[4,5]    ") LINE("start[0] ", a) LINE("start[1] ", b)
    HOLDS(ct_op_dynamic_slice_at(use, x, CT_ARGV(i, i), CT_DIMS(4, 0), false));
    BREAKS(ct_op_dynamic_slice_at(use, x, CT_ARGV(i), CT_DIMS(2, 3), false), CT_ERR_SHAPE, /* C1 */
           "dynamic_slice: takes one start per axis of x: f32[4,5], got 1" LINE(
               "x        ", "f32[4,5]    ") LINE("start    ", "i32[]       "));
    BREAKS(ct_op_dynamic_slice_at(use, x, CT_ARGV(i, f), CT_DIMS(2, 3), false),
           CT_ERR_TYPE, /* C1 */
           "dynamic_slice: start must be integer scalars of one dtype, got start[1]: f32[]" STARTS(
               "i32[]       ", "f32[]       "));
    BREAKS(ct_op_dynamic_slice_at(use, x, CT_ARGV(i, T(CT_I32, 1)), CT_DIMS(2, 3), false),
           CT_ERR_TYPE, /* C1 */
           "dynamic_slice: start must be integer scalars of one dtype, got start[1]: i32[1]" STARTS(
               "i32[]       ", "i32[1]      "));
    BREAKS(ct_op_dynamic_slice_at(use, x, CT_ARGV(i, S(CT_I64)), CT_DIMS(2, 3), false),
           CT_ERR_TYPE, /* C1 */
           "dynamic_slice: start must be integer scalars of one dtype, got start[1]: i64[]" STARTS(
               "i32[]       ", "i64[]       "));
    BREAKS(ct_op_dynamic_slice_at(use, x, CT_ARGV(i, i), CT_DIMS(2), false), CT_ERR_SHAPE, /* C2 */
           "dynamic_slice: slice_sizes = [2] must have one entry per axis of x: f32[4,5]" STARTS(
               "i32[]       ", "i32[]       "));
    BREAKS(ct_op_dynamic_slice_at(use, x, CT_ARGV(i, i), CT_DIMS(2, 7), false),
           CT_ERR_SHAPE, /* C2 */
           "dynamic_slice: slice_sizes[1] = 7 does not fit x: f32[4,5]" STARTS("i32[]       ",
                                                                               "i32[]       "));
    BREAKS(ct_op_dynamic_slice_at(use, x, CT_ARGV(i, i), CT_DIMS(-1, 3), false),
           CT_ERR_SHAPE, /* C2 */
           "dynamic_slice: slice_sizes[0] = -1 does not fit x: f32[4,5]" STARTS("i32[]       ",
                                                                                "i32[]       "));
    ct_context_free(ctx);
}

TEST(dynamic_update_slice)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 4, 5), *u = T(CT_F32, 2, 3), *i = S(CT_U8);

#define UPDATE(type)                                                                               \
    LINE("x        ", "f32[4,5]    ")                                                              \
    LINE("update   ", type) LINE("start[0] ", "u8[]        ") LINE("start[1] ", "u8[]        ")
    HOLDS(ct_op_dynamic_update_slice_at(use, x, u, CT_ARGV(i, i), false));
    BREAKS(ct_op_dynamic_update_slice_at(use, x, u, CT_ARGV(i), false), CT_ERR_SHAPE, /* C1 */
           "dynamic_update_slice: takes one start per axis of x: f32[4,5], got 1" LINE(
               "x        ", "f32[4,5]    ") LINE("update   ", "f32[2,3]    ")
               LINE("start    ", "u8[]        "));
    BREAKS(
        ct_op_dynamic_update_slice_at(use, x, T(CT_F64, 2, 3), CT_ARGV(i, i), false),
        CT_ERR_TYPE, /* C2 */
        "dynamic_update_slice: x and update must have one dtype, got f32[4,5] and f64[2,3]" UPDATE(
            "f64[2,3]    "));
    BREAKS(ct_op_dynamic_update_slice_at(use, x, T(CT_F32, 2), CT_ARGV(i, i), false),
           CT_ERR_SHAPE, /* C2 */
           "dynamic_update_slice: x and update must have one rank, got f32[4,5] and f32[2]" UPDATE(
               "f32[2]      "));
    BREAKS(ct_op_dynamic_update_slice_at(use, x, T(CT_F32, 5, 3), CT_ARGV(i, i), false),
           CT_ERR_SHAPE, /* C3 */
           "dynamic_update_slice: axis 0 of update: f32[5,3] does not fit x: f32[4,5]" UPDATE(
               "f32[5,3]    "));
    ct_context_free(ctx);
}
