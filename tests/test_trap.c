/* Where trouble is born. What is expected follows from the arguments by hand: log(-1) is the only
 * NaN, 100 + 100 the only i8 that does not fit, and so on. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const ct_executor executors[] = {CT_EXECUTOR_DEFAULT, CT_EXECUTOR_INTERPRETER,
                                        CT_EXECUTOR_MACHINE, CT_EXECUTOR_CPU, CT_EXECUTOR_JIT};

/* In every executor the run ends so. NULL: it does not end before its end. */
static void check_function(int line, ct_function *f, ct_list arguments, unsigned traps,
                           const char *expected)
{
    ct_context *ctx = ct_function_context(f);

    for (size_t i = 0; i < sizeof executors / sizeof *executors; i++) {
        const ct_compile_options options = {
            .size = sizeof options, .executor = executors[i], .traps = traps};
        ct_executable *x = ct_compile(f, &options);
        ct_tensor *result[4];
        ct_call(x, arguments, result, ct_executable_results(x));
        const char *message = ct_error_message(ctx);
        if (expected)
            CHECK_MSG(ct_error_status(ctx) == CT_ERR_TRAP && strstr(message, expected),
                      "line %d, executor %d: %s", line, (int)executors[i], message);
        else
            CHECK_MSG(!ct_failed(ctx), "line %d: %s", line, message);
        ct_error_clear(ctx);
    }
}

#define CHECK_TRAP(f, arguments, traps, expected)                                                  \
    check_function(__LINE__, ct_trace(ctx, f, arguments), arguments, traps, expected)

/* ---- NaN. */

static ct_tensor *logarithm(ct_tensor *x)
{
    return ct_sum(ct_log(ct_add(x, 0.0)), CT_AXES(1), CT_DROP_AXES);
}

static ct_tensor *folded(ct_tensor *x)
{
    return ct_sum(ct_mul(ct_transpose(x, CT_AXES(1, 0)), 2.0), CT_AXES(0), CT_DROP_AXES);
}

TEST(nans)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *bad = given(ctx, CT_F32, CT_SHAPE(2, 3), {1, 2, 3, 4, -1, 6});
    ct_tensor *with = given(ctx, CT_F32, CT_SHAPE(2, 3), {1, NAN, 3, 4, -INFINITY, 6});

    CHECK_TRAP(logarithm, CT_ARGV(bad), CT_TRAP_NAN, "log: nan born at [1,1] of f32[2,3]");
    CHECK_TRAP(logarithm, CT_ARGV(bad), CT_TRAP_ALL, "\n    x = -1");
    CHECK_TRAP(logarithm, CT_ARGV(bad), CT_TRAP_ALL & ~CT_TRAP_NAN, NULL);
    /* the NaN among the arguments arrives everywhere, and is born nowhere */
    CHECK_TRAP(folded, CT_ARGV(with), CT_TRAP_ALL, NULL);
    /* -inf gives a NaN, and that is a birth; the older NaN at [0,1] is none */
    CHECK_TRAP(logarithm, CT_ARGV(with), CT_TRAP_ALL, "log: nan born at [1,1] of f32[2,3]");
    CHECK_TRAP(logarithm, CT_ARGV(with), CT_TRAP_ALL, "\n    x = -inf");
    ct_context_free(ctx);
}

static ct_tensor *product(ct_tensor *x, ct_tensor *w)
{
    return ct_matmul(x, w);
}

/* Row 0 has a NaN; row 1 an infinity, which 0 makes one. */
TEST(nans_of_sums_of_products)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {NAN, 1, INFINITY, 1, 2, 3});
    ct_tensor *w = given(ctx, CT_F64, CT_SHAPE(2, 2), {0, 1, 1, 1});
    ct_tensor *ones = given(ctx, CT_F64, CT_SHAPE(2, 2), {1, 1, 1, 1});

    CHECK_TRAP(product, CT_ARGV(x, w), CT_TRAP_NAN, "dot_general: nan born at [1,0] of f64[3,2]");
    CHECK_TRAP(product, CT_ARGV(x, w), CT_TRAP_NAN, "\n    y f64[2,2] = [0, 1, 1, 1]");
    CHECK_TRAP(product, CT_ARGV(x, ones), CT_TRAP_ALL, NULL);
    ct_context_free(ctx);
}

/* ---- Infinities. */

static ct_tensor *exponential(ct_tensor *x)
{
    return ct_add(ct_exp(x), 1.0);
}

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *largest(ct_tensor *x)
{
    return ct_max(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *narrowed(ct_tensor *x)
{
    return ct_cast(x, CT_F16);
}

TEST(infinities)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {INFINITY, 1, 89});
    ct_tensor *large = given(ctx, CT_F32, CT_SHAPE(2), {3e38, 3e38});
    ct_tensor *least = given(ctx, CT_F32, CT_SHAPE(2), {-INFINITY, -INFINITY});

    CHECK_TRAP(exponential, CT_ARGV(x), CT_TRAP_INFINITY,
               "exponential: infinity born at [2] of f32[3]");
    CHECK_TRAP(exponential, CT_ARGV(x), CT_TRAP_INFINITY, "\n    x = 89");
    CHECK_TRAP(exponential, CT_ARGV(x), CT_TRAP_ALL & ~CT_TRAP_INFINITY, NULL);
    CHECK_TRAP(total, CT_ARGV(large), CT_TRAP_ALL, "reduce: infinity born in f32[]");
    CHECK_TRAP(total, CT_ARGV(x), CT_TRAP_ALL, NULL);
    CHECK_TRAP(largest, CT_ARGV(least), CT_TRAP_ALL, NULL);
    CHECK_TRAP(narrowed, CT_ARGV(large), CT_TRAP_ALL, "convert: infinity born at [0] of f16[2]");
    ct_context_free(ctx);
}

/* ---- Integers. */

static ct_tensor *plus(ct_tensor *x, ct_tensor *y)
{
    return ct_op_add(x, y);
}

static ct_tensor *times(ct_tensor *x, ct_tensor *y)
{
    return ct_op_multiply(x, y);
}

static ct_tensor *over(ct_tensor *x, ct_tensor *y)
{
    return ct_op_divide(x, y);
}

static ct_tensor *rest(ct_tensor *x, ct_tensor *y)
{
    return ct_op_remainder(x, y);
}

static ct_tensor *power(ct_tensor *x, ct_tensor *y)
{
    return ct_op_power(x, y);
}

static ct_tensor *magnitude(ct_tensor *x)
{
    return ct_op_abs(x);
}

static ct_tensor *as_i8(ct_tensor *x)
{
    return ct_cast(x, CT_I8);
}

static ct_tensor *as_i32(ct_tensor *x)
{
    return ct_cast(x, CT_I32);
}

TEST(overflows)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I8, CT_SHAPE(3), {27, -28, 100});
    ct_tensor *y = given(ctx, CT_I8, CT_SHAPE(3), {100, -100, 28});
    ct_tensor *low = given(ctx, CT_I8, CT_SHAPE(2), {-127, -128});
    ct_tensor *minus = given(ctx, CT_I8, CT_SHAPE(2), {-1, -1});
    ct_tensor *u = given(ctx, CT_U8, CT_SHAPE(2), {200, 255});
    ct_tensor *large = given(ctx, CT_I64, CT_SHAPE(2), {0x1p31, 0x1p32});
    ct_tensor *three = given(ctx, CT_I64, CT_SHAPE(2), {-3, 3});
    ct_tensor *n = given(ctx, CT_I64, CT_SHAPE(2), {39, 40}); /* 3^39 < 2^63 < 3^40 */
    ct_tensor *real = given(ctx, CT_F64, CT_SHAPE(2), {127.9, -129});

    CHECK_TRAP(plus, CT_ARGV(x, y), CT_TRAP_OVERFLOW, "add: integer overflow at [2] of i8[3]");
    CHECK_TRAP(plus, CT_ARGV(x, y), CT_TRAP_ALL, "\n    x = 100\n    y = 28");
    CHECK_TRAP(plus, CT_ARGV(x, y), CT_TRAP_ALL & ~CT_TRAP_OVERFLOW, NULL);
    CHECK_TRAP(plus, CT_ARGV(u, u), CT_TRAP_ALL, NULL); /* wraps by definition */
    CHECK_TRAP(magnitude, CT_ARGV(low), CT_TRAP_ALL, "abs: integer overflow at [1] of i8[2]");
    CHECK_TRAP(over, CT_ARGV(low, minus), CT_TRAP_ALL, "divide: integer overflow at [1]");
    CHECK_TRAP(times, CT_ARGV(large, large), CT_TRAP_ALL, "multiply: integer overflow at [1]");
    CHECK_TRAP(power, CT_ARGV(three, n), CT_TRAP_ALL, "power: integer overflow at [1] of i64[2]");
    CHECK_TRAP(as_i8, CT_ARGV(real), CT_TRAP_ALL, "convert: integer overflow at [1] of i8[2]");
    CHECK_TRAP(as_i8, CT_ARGV(n), CT_TRAP_ALL, NULL);
    CHECK_TRAP(as_i8, CT_ARGV(large), CT_TRAP_ALL, "\n    x = 2147483648");
    ct_context_free(ctx);
}

static ct_tensor *negative(ct_tensor *x)
{
    return ct_op_negate(x);
}

static ct_tensor *left(ct_tensor *x, ct_tensor *y)
{
    return ct_op_shift_left(x, y);
}

static ct_tensor *right(ct_tensor *x, ct_tensor *y)
{
    return ct_op_shift_right_arithmetic(x, y);
}

/* What the result would be is told, too. */
TEST(exact_results)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I8, CT_SHAPE(2), {100, -128});
    ct_tensor *y = given(ctx, CT_I8, CT_SHAPE(2), {27, 1});
    ct_tensor *least = ct_full(ctx, CT_I64, CT_SHAPE(1), INT64_MIN);
    ct_tensor *nan = given(ctx, CT_F32, CT_SHAPE(3), {2147483520.0, -2147483648.0, NAN});

    CHECK_TRAP(plus, CT_ARGV(x, x), CT_TRAP_ALL, "y = 100\n    exactly 200");
    CHECK_TRAP(negative, CT_ARGV(x), CT_TRAP_ALL,
               "negate: integer overflow at [1] of i8[2]\n    x = -128\n    exactly 128");
    CHECK_TRAP(negative, CT_ARGV(y), CT_TRAP_ALL, NULL);
    CHECK_TRAP(magnitude, CT_ARGV(least), CT_TRAP_ALL, "exactly 9223372036854775808");
    CHECK_TRAP(times, CT_ARGV(least, least), CT_TRAP_ALL,
               "exactly 85070591730234615865843651857942052864"); /* 2^126 */
    CHECK_TRAP(over, CT_ARGV(least, ct_full(ctx, CT_I64, CT_SHAPE(1), -1)), CT_TRAP_ALL,
               "divide: integer overflow at [0]");
    CHECK_TRAP(rest, CT_ARGV(least, ct_full(ctx, CT_I64, CT_SHAPE(1), -1)), CT_TRAP_ALL, NULL);
    CHECK_TRAP(as_i32, CT_ARGV(nan), CT_TRAP_ALL,
               "convert: integer overflow at [2] of i32[3]\n    x = nan");
    ct_context_free(ctx);
}

TEST(shifts_and_powers)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I32, CT_SHAPE(3), {1, -1, 0});
    ct_tensor *by = given(ctx, CT_I32, CT_SHAPE(3), {31, 32, -1});
    ct_tensor *less = given(ctx, CT_I32, CT_SHAPE(3), {31, 30, -1});
    ct_tensor *u = given(ctx, CT_U8, CT_SHAPE(2), {7, 8});

    CHECK_TRAP(left, CT_ARGV(x, by), CT_TRAP_OVERFLOW,
               "shift_left: shift beyond the width at [1] of i32[3]\n    x = -1\n    amount = 32");
    CHECK_TRAP(left, CT_ARGV(u, u), CT_TRAP_ALL, "shift beyond the width at [1] of u8[2]");
    CHECK_TRAP(right, CT_ARGV(x, less), CT_TRAP_ALL,
               "shift_right_arithmetic: shift beyond the width at [2]");
    CHECK_TRAP(right, CT_ARGV(x, by), CT_TRAP_ALL & ~CT_TRAP_OVERFLOW, NULL);
    /* 0 to the power of -1; (-1)^30 and 1^31 are 1 */
    CHECK_TRAP(power, CT_ARGV(x, less), CT_TRAP_ALL,
               "power: division by zero at [2] of i32[3]\n    x = 0\n    y = -1");
    ct_context_free(ctx);
}

/* ---- Integers in sums and products of whole arrays. */

static ct_tensor *row_sums(ct_tensor *x)
{
    return ct_sum(x, CT_AXES(1), CT_DROP_AXES);
}

static ct_tensor *row_products(ct_tensor *x)
{
    return ct_prod(x, CT_AXES(1), CT_DROP_AXES);
}

static ct_tensor *running(ct_tensor *x)
{
    return ct_cumsum(x, 1, false);
}

static ct_tensor *running_product(ct_tensor *x)
{
    return ct_cumprod(x, 1, false);
}

/* 100 + 27 fits, whatever comes in between; 100 + 28 does not. */
TEST(overflows_of_sums)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I8, CT_SHAPE(2, 4), {100, 100, -73, 0, 64, 50, 14, 0});
    ct_tensor *wraps = given(ctx, CT_I8, CT_SHAPE(1, 3), {127, 1, -1});
    ct_tensor *factors = given(ctx, CT_I32, CT_SHAPE(2, 4),
                               {65536, 65536, 3, 0, 65536, -32768, -1, 1});
    ct_tensor *unsigned_ones = given(ctx, CT_U8, CT_SHAPE(1, 2), {200, 100});

    CHECK_TRAP(row_sums, CT_ARGV(x), CT_TRAP_OVERFLOW, "reduce: integer overflow at [1] of i8[2]");
    CHECK_TRAP(row_sums, CT_ARGV(x), CT_TRAP_ALL, "exactly 128");
    CHECK_TRAP(row_sums, CT_ARGV(x), CT_TRAP_ALL & ~CT_TRAP_OVERFLOW, NULL);
    CHECK_TRAP(row_sums, CT_ARGV(wraps), CT_TRAP_ALL, NULL);
    CHECK_TRAP(row_sums, CT_ARGV(unsigned_ones), CT_TRAP_ALL, NULL);
    CHECK_TRAP(row_products, CT_ARGV(factors), CT_TRAP_ALL,
               "reduce: integer overflow at [1] of i32[2]");
    CHECK_TRAP(row_products, CT_ARGV(factors), CT_TRAP_ALL, "exactly 2147483648");
    CHECK_TRAP(running, CT_ARGV(wraps), CT_TRAP_ALL, "integer overflow at [0,1] of i8[1,3]");
    CHECK_TRAP(running, CT_ARGV(wraps), CT_TRAP_ALL, "exactly 128");
    CHECK_TRAP(running_product, CT_ARGV(factors), CT_TRAP_ALL,
               "integer overflow at [0,1] of i32[2,4]");
    ct_context_free(ctx);
}

/* A program of text, whose function takes nothing. */
static void check_text(int line, const char *text, const char *expected)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_module_function(
        ct_read_stablehlo_text(ctx, "text.mlir", text, strlen(text)), "main");

    CHECK_OK(ctx);
    check_function(line, f, CT_NO_TENSORS, CT_TRAP_OVERFLOW, expected);
    check_function(line, f, CT_NO_TENSORS, CT_TRAP_ALL, expected);
    check_function(line, f, CT_NO_TENSORS, CT_TRAP_ALL & ~CT_TRAP_OVERFLOW, NULL);
    ct_context_free(ctx);
}

#define CHECK_TEXT(text, expected) check_text(__LINE__, text, expected)

/* Of the two updates of x[1] one alone would fit. */
TEST(overflows_of_scatters)
{
    CHECK_TEXT("func.func @main() -> tensor<3xi16> {\n"
               "  %x = stablehlo.constant dense<[0, 32000, 32000]> : tensor<3xi16>\n"
               "  %at = stablehlo.constant dense<[[1], [0], [1]]> : tensor<3x1xi32>\n"
               "  %u = stablehlo.constant dense<[700, 32767, 68]> : tensor<3xi16>\n"
               "  %y = \"stablehlo.scatter\"(%x, %at, %u) <{scatter_dimension_numbers = "
               "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
               "index_vector_dim = 1>}> ({\n"
               "  ^bb0(%a: tensor<i16>, %b: tensor<i16>):\n"
               "    %c = stablehlo.add %a, %b : tensor<i16>\n"
               "    stablehlo.return %c : tensor<i16>\n"
               "  }) : (tensor<3xi16>, tensor<3x1xi32>, tensor<3xi16>) -> tensor<3xi16>\n"
               "  return %y : tensor<3xi16>\n}\n",
               "scatter: integer overflow at [1] of i16[3]");
}

/* 60 + 64 + 3 fits, 60 + 64 + 4 does not. */
TEST(overflows_of_windows)
{
    CHECK_TEXT(
        "func.func @main() -> tensor<2xi8> {\n"
        "  %x = stablehlo.constant dense<[3, 64, 60, 4]> : tensor<4xi8>\n"
        "  %z = stablehlo.constant dense<0> : tensor<i8>\n"
        "  %y = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 3>}> ({\n"
        "  ^bb0(%a: tensor<i8>, %b: tensor<i8>):\n"
        "    %c = stablehlo.add %a, %b : tensor<i8>\n"
        "    stablehlo.return %c : tensor<i8>\n"
        "  }) : (tensor<4xi8>, tensor<i8>) -> tensor<2xi8>\n"
        "  return %y : tensor<2xi8>\n}\n",
        "reduce_window: integer overflow at [1] of i8[2]");
}

/* The largest of both windows is 5: 100 + 28 comes to it. */
TEST(overflows_of_selections)
{
    CHECK_TEXT("func.func @main() -> tensor<3xi8> {\n"
               "  %x = stablehlo.constant dense<[1, 5, 2]> : tensor<3xi8>\n"
               "  %s = stablehlo.constant dense<[100, 28]> : tensor<2xi8>\n"
               "  %z = stablehlo.constant dense<0> : tensor<i8>\n"
               "  %y = \"stablehlo.select_and_scatter\"(%x, %s, %z) <{window_dimensions = "
               "array<i64: 2>, window_strides = array<i64: 1>}> ({\n"
               "  ^bb0(%a: tensor<i8>, %b: tensor<i8>):\n"
               "    %p = stablehlo.compare GE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>\n"
               "    stablehlo.return %p : tensor<i1>\n"
               "  }, {\n"
               "  ^bb0(%a: tensor<i8>, %b: tensor<i8>):\n"
               "    %c = stablehlo.add %a, %b : tensor<i8>\n"
               "    stablehlo.return %c : tensor<i8>\n"
               "  }) : (tensor<3xi8>, tensor<2xi8>, tensor<i8>) -> tensor<3xi8>\n"
               "  return %y : tensor<3xi8>\n}\n",
               "exactly 128\n    in the body of select_and_scatter");
}

/* 2·60 + 1·8 */
TEST(overflows_of_convolutions)
{
    CHECK_TEXT("func.func @main() -> tensor<1x2x1xi8> {\n"
               "  %x = stablehlo.constant dense<[[[2], [4], [60]]]> : tensor<1x3x1xi8>\n"
               "  %k = stablehlo.constant dense<[[[2]], [[2]]]> : tensor<2x1x1xi8>\n"
               "  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
               "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
               "(tensor<1x3x1xi8>, tensor<2x1x1xi8>) -> tensor<1x2x1xi8>\n"
               "  return %y : tensor<1x2x1xi8>\n}\n",
               "convolution: integer overflow at [0,1,0] of i8[1,2,1]");
}

TEST(overflows_of_products)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I32, CT_SHAPE(2, 2), {46340, 1, 46341, 0});
    ct_tensor *w = given(ctx, CT_I32, CT_SHAPE(2, 2), {0, 46341, 5, -46341});
    const int64_t most[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    ct_tensor *large = ct_from_data(ctx, CT_I64, CT_SHAPE(1, 3), most);
    ct_tensor *signs = given(ctx, CT_I64, CT_SHAPE(3, 1), {1, 1, -1});

    /* 46341^2 = 2^31 + 4633 */
    CHECK_TRAP(product, CT_ARGV(x, w), CT_TRAP_ALL,
               "dot_general: integer overflow at [1,1] of i32[2,2]");
    CHECK_TRAP(product, CT_ARGV(x, w), CT_TRAP_ALL, "y i32[2,2] = [0, 46341, 5, -46341]");
    CHECK_TRAP(product, CT_ARGV(x, w), CT_TRAP_ALL, "exactly 2147488281");
    /* the sum of the first two does not fit, and all three do */
    CHECK_TRAP(product, CT_ARGV(large, signs), CT_TRAP_ALL, NULL);
    ct_context_free(ctx);
}

/* x + y + 1: what a body of two operations does is seen in it. */
static ct_tensor *both(ct_tensor *x, ct_tensor *y)
{
    return ct_op_add(ct_op_add(x, y), ct_scalar(ct_context_of(x), CT_I8, 1));
}

static ct_tensor *folded_with_one(ct_tensor *x)
{
    ct_tensor *zero = ct_scalar(ct_context_of(x), CT_I8, 0);

    return ct_op_reduce(x, zero, ct_trace(ct_context_of(x), both, CT_LIKE(zero, zero)), CT_DIMS(1));
}

TEST(overflows_of_bodies)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I8, CT_SHAPE(2, 2), {1, 124, 125, 1});
    ct_tensor *fine = given(ctx, CT_I8, CT_SHAPE(2, 2), {1, 124, 124, 1});
    ct_tensor *many = ct_full(ctx, CT_I8, CT_SHAPE(64, 2), 63);

    CHECK_TRAP(folded_with_one, CT_ARGV(x), CT_TRAP_ALL, "add: integer overflow in i8[]");
    CHECK_TRAP(folded_with_one, CT_ARGV(x), CT_TRAP_ALL, "\n    in the body of reduce, ");
    CHECK_TRAP(folded_with_one, CT_ARGV(fine), CT_TRAP_ALL, NULL);
    CHECK_TRAP(folded_with_one, CT_ARGV(many), CT_TRAP_ALL, "\n    in the body of reduce, ");
    ct_context_free(ctx);
}

typedef ct_tensor *binary(ct_tensor *x, ct_tensor *y);

/* 100 and then x, by a body of one operation: all of x, in windows of two, scattered to one place.
 */
static ct_tensor *folded_by(ct_tensor *x, binary *body)
{
    ct_context *ctx = ct_context_of(x);
    ct_tensor *start = ct_scalar(ctx, ct_dtype_of(x), 100);

    return ct_op_reduce(x, start, ct_trace(ctx, body, CT_LIKE(start, start)), CT_DIMS(0));
}

static ct_tensor *windows_by(ct_tensor *x, binary *body)
{
    ct_context *ctx = ct_context_of(x);
    ct_tensor *start = ct_scalar(ctx, ct_dtype_of(x), 100);

    return ct_op_reduce_window(x, start, ct_trace(ctx, body, CT_LIKE(start, start)),
                               &(ct_window_dims){.window_dimensions = CT_DIMS(2)});
}

static ct_tensor *scattered_by(ct_tensor *x, binary *body)
{
    ct_context *ctx = ct_context_of(x);
    ct_tensor *start = ct_full(ctx, ct_dtype_of(x), CT_SHAPE(1), 100);
    ct_tensor *element = ct_scalar(ctx, ct_dtype_of(x), 0);
    ct_tensor *at = ct_full(ctx, CT_I32, CT_SHAPE(3, 1), 0);

    return ct_op_scatter(start, at, x, ct_trace(ctx, body, CT_LIKE(element, element)),
                         &(ct_scatter_dims){.inserted_window_dims = CT_DIMS(0),
                                            .scatter_dims_to_operand_dims = CT_DIMS(0),
                                            .index_vector_dim = 1});
}

#define FOLDS_BY(name, body)                                                                       \
    static ct_tensor *reduced_##name(ct_tensor *x)                                                 \
    {                                                                                              \
        return folded_by(x, body);                                                                 \
    }                                                                                              \
    static ct_tensor *windows_##name(ct_tensor *x)                                                 \
    {                                                                                              \
        return windows_by(x, body);                                                                \
    }                                                                                              \
    static ct_tensor *scattered_##name(ct_tensor *x)                                               \
    {                                                                                              \
        return scattered_by(x, body);                                                              \
    }
FOLDS_BY(quotient, over)
FOLDS_BY(remainder, rest)
FOLDS_BY(power, power)
FOLDS_BY(shift, left)

#define CHECK_FOLDS(name, x, fine, kinds, message)                                                 \
    do {                                                                                           \
        CHECK_TRAP(reduced_##name, CT_ARGV(x), kinds, message);                                    \
        CHECK_TRAP(windows_##name, CT_ARGV(x), kinds, message);                                    \
        CHECK_TRAP(scattered_##name, CT_ARGV(x), kinds, message);                                  \
        CHECK_TRAP(reduced_##name, CT_ARGV(x), kinds, "\n    in the body of reduce, ");            \
        CHECK_TRAP(reduced_##name, CT_ARGV(fine), kinds, NULL);                                    \
        CHECK_TRAP(windows_##name, CT_ARGV(fine), kinds, NULL);                                    \
        CHECK_TRAP(scattered_##name, CT_ARGV(fine), kinds, NULL);                                  \
    } while (0)

TEST(bodies_of_one_operation)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *zero = given(ctx, CT_I8, CT_SHAPE(3), {7, 0, 2});
    ct_tensor *two = given(ctx, CT_I8, CT_SHAPE(3), {1, 2, 0});
    ct_tensor *one = given(ctx, CT_I8, CT_SHAPE(3), {1, 1, 0});
    ct_tensor *small = given(ctx, CT_U8, CT_SHAPE(3), {7, 3, 2});
    ct_tensor *unsigned_zero = given(ctx, CT_U8, CT_SHAPE(3), {7, 0, 2});
    ct_tensor *wide = given(ctx, CT_I8, CT_SHAPE(3), {1, 8, 0});

    CHECK_FOLDS(quotient, zero, given(ctx, CT_I8, CT_SHAPE(3), {7, 1, 2}), CT_TRAP_ALL,
                "divide: division by zero in i8[]");
    CHECK_FOLDS(quotient, unsigned_zero, small, CT_TRAP_DIVISION,
                "divide: division by zero in u8[]");
    CHECK_FOLDS(remainder, zero, given(ctx, CT_I8, CT_SHAPE(3), {7, 1, 2}), CT_TRAP_DIVISION,
                "remainder: division by zero in i8[]");
    CHECK_FOLDS(power, two, one, CT_TRAP_OVERFLOW, "power: integer overflow in i8[]");
    CHECK_FOLDS(shift, wide, two, CT_TRAP_ALL, "shift_left: shift beyond the width in i8[]");
    ct_context_free(ctx);
}

TEST(divisions_by_zero)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I32, CT_SHAPE(2), {7, 0});
    ct_tensor *y = given(ctx, CT_I32, CT_SHAPE(2), {2, 0});
    ct_tensor *a = given(ctx, CT_F32, CT_SHAPE(3), {0, 1, -2.5});
    ct_tensor *b = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, -0.0});

    CHECK_TRAP(over, CT_ARGV(x, y), CT_TRAP_DIVISION, "divide: division by zero at [1] of i32[2]");
    CHECK_TRAP(rest, CT_ARGV(x, y), CT_TRAP_ALL, "remainder: division by zero at [1] of i32[2]");
    CHECK_TRAP(over, CT_ARGV(a, b), CT_TRAP_DIVISION, "divide: division by zero at [2] of f32[3]");
    CHECK_TRAP(over, CT_ARGV(a, b), CT_TRAP_ALL, "\n    x = -2.5\n    y = -0");
    CHECK_TRAP(over, CT_ARGV(a, b), CT_TRAP_INFINITY, "divide: infinity born at [2] of f32[3]");
    CHECK_TRAP(over, CT_ARGV(a, b), CT_TRAP_NAN | CT_TRAP_OVERFLOW, NULL);
    ct_context_free(ctx);
}

/* ---- Indices. */

static ct_tensor *taken(ct_tensor *x, ct_tensor *at)
{
    return ct_take(x, at, 0, CT_CLAMP);
}

static ct_tensor *window(ct_tensor *x, ct_tensor *at)
{
    return ct_dynamic_slice(x, CT_ARGV(at), CT_SHAPE(2), CT_CLAMP);
}

TEST(indices)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 3, 4});
    ct_tensor *at = given(ctx, CT_I32, CT_SHAPE(3), {3, 0, 4});
    ct_tensor *good = given(ctx, CT_I32, CT_SHAPE(3), {3, 0, 2});
    ct_tensor *three = given(ctx, CT_I64, CT_SHAPE(), {3});

    CHECK_TRAP(taken, CT_ARGV(x, at), CT_TRAP_INDEX, "gather: 1 of 3 indices are out of range");
    CHECK_TRAP(taken, CT_ARGV(x, at), CT_TRAP_ALL, "is 4");
    CHECK_TRAP(taken, CT_ARGV(x, at), CT_TRAP_ALL & ~CT_TRAP_INDEX, NULL);
    CHECK_TRAP(taken, CT_ARGV(x, good), CT_TRAP_ALL, NULL);
    CHECK_TRAP(window, CT_ARGV(x, three), CT_TRAP_ALL, "dynamic_slice: 1 of 1 indices are out of");
    ct_context_free(ctx);
}

/* ---- Derivatives. */

static ct_tensor *roots(ct_tensor *x)
{
    return ct_sum(ct_sqrt(x), CT_ALL_AXES, CT_DROP_AXES);
}

/* 1e-30 · 1e30 · 1e30 fits in f32; the cotangent 1e30 · 1e30 does not. */
static ct_tensor *scaled(ct_tensor *x, ct_tensor *a)
{
    return ct_sum(ct_mul(ct_mul(x, a), a), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(derivatives)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 4, 0});
    ct_tensor *small = given(ctx, CT_F32, CT_SHAPE(2), {1e-30, 2e-30});
    ct_tensor *a = given(ctx, CT_F32, CT_SHAPE(), {1e30});
    ct_function *f = ct_trace(ctx, roots, CT_ARGV(x)),
                *g = ct_trace(ctx, scaled, CT_ARGV(small, a));

    check_function(__LINE__, f, CT_ARGV(x), CT_TRAP_ALL, NULL);
    check_function(__LINE__, ct_grad(f, CT_ARGS(0)), CT_ARGV(x), CT_TRAP_ALL,
                   "divide: division by zero at [2] of f32[3], in the derivative of sqrt");
    check_function(__LINE__, g, CT_ARGV(small, a), CT_TRAP_ALL, NULL);
    check_function(__LINE__, ct_grad(g, CT_ARGS(0)), CT_ARGV(small, a), CT_TRAP_ALL,
                   "infinity born at [0] of f32[2], in the backward derivative of multiply");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The forward operation's line is the backward one's place. */
TEST(places_of_derivatives)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *small = given(ctx, CT_F32, CT_SHAPE(2), {1e-30, 2e-30});
    ct_tensor *a = given(ctx, CT_F32, CT_SHAPE(), {1e30});
    ct_function *g = ct_grad(ct_trace(ctx, scaled, CT_ARGV(small, a)), CT_ARGS(0));
    const ct_compile_options options = {.size = sizeof options, .traps = CT_TRAP_ALL};

    ct_call1(ct_compile(g, &options), CT_ARGV(small, a));
    CHECK(ct_failed(ctx) && strstr(ct_error_place(ctx).file, "test_trap.c") != NULL);
    ct_context_free(ctx);
}

/* ---- Loops and branches. */

static void shrink(void *user, ct_tensor *i, ct_tensor **carry)
{
    (void)user, (void)i;
    carry[0] = ct_sub(ct_log(carry[0]), 0.0);
}

/* From 1 on 0, -inf, NaN; from 4 on 1.39, 0.33, -1.12, NaN. */
static ct_tensor *logarithms(ct_tensor *x)
{
    ct_tensor *carry[] = {x};

    ct_for(shrink, NULL, ct_scalar(ct_context_of(x), CT_I64, 9), 1, carry);
    return carry[0];
}

static ct_tensor *logarithms_now(void *user)
{
    return logarithms(user);
}

static ct_tensor *nothing(void *user)
{
    return user;
}

static ct_tensor *chosen(ct_tensor *x)
{
    return ct_if(ct_gt(x, 2.0), logarithms_now, nothing, x);
}

TEST(iterations)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(), {1}), *four;

    CHECK_TRAP(logarithms, CT_ARGV(x), CT_TRAP_INFINITY, "in iteration 1 of for, ");
    CHECK_TRAP(logarithms, CT_ARGV(x), CT_TRAP_INFINITY, "log: infinity born in f64[]\n    x = 0");
    CHECK_TRAP(logarithms, CT_ARGV(x), CT_TRAP_NAN, "log: nan born in f64[]\n    x = -inf");
    CHECK_TRAP(logarithms, CT_ARGV(x), CT_TRAP_NAN, "in iteration 2 of for, ");
    four = given(ctx, CT_F64, CT_SHAPE(), {4});
    CHECK_TRAP(chosen, CT_ARGV(four), CT_TRAP_NAN, "in iteration 3 of for, ");
    CHECK_TRAP(chosen, CT_ARGV(four), CT_TRAP_NAN, "\n    in a branch of if, ");
    CHECK_TRAP(chosen, CT_ARGV(x), CT_TRAP_ALL, NULL);
    ct_context_free(ctx);
}

static void step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    carry[0] = ct_div(carry[0], x[0]);
    y[0] = carry[0];
}

static ct_tensor *quotients(ct_tensor *x)
{
    ct_tensor *carry[] = {ct_scalar(ct_context_of(x), CT_F32, 1)}, *ys;

    ct_scan(step, NULL, .length = 4, .n_carry = 1, .carry = carry, .xs = CT_ARGV(x), .n_ys = 1,
            .ys = &ys);
    return ct_sum(ys, CT_ALL_AXES, CT_DROP_AXES);
}

TEST(iterations_of_scans)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 0, 3});
    ct_tensor *tiny = given(ctx, CT_F32, CT_SHAPE(4), {1, 1e-25, 1e10, 1});
    ct_function *f = ct_trace(ctx, quotients, CT_ARGV(x));

    check_function(__LINE__, f, CT_ARGV(x), CT_TRAP_ALL, "in iteration 2 of scan, ");
    check_function(__LINE__, f, CT_ARGV(tiny), CT_TRAP_ALL, NULL);
    /* d(1/x)/dx is -1/x², which is 1e50 at 1e-25 */
    check_function(__LINE__, ct_grad(f, CT_ARGS(0)), CT_ARGV(tiny), CT_TRAP_ALL,
                   "derivative of divide");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Options, bits, instances, memory. */

TEST(options)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1), {1});
    ct_function *f = ct_trace(ctx, exponential, CT_ARGV(x));
    ct_compile_options options = {.size = sizeof options, .traps = 64};

    CHECK(ct_executable_is_poison(ct_compile(f, &options)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "compile: there is no trap 64");
    options = (ct_compile_options){
        .size = sizeof options, .executor = CT_EXECUTOR_MPFR, .traps = CT_TRAP_NAN};
    CHECK(ct_executable_is_poison(ct_compile(f, &options)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "compile: ");
    options.executor = (ct_executor)77;
    CHECK(ct_executable_is_poison(ct_compile(f, &options)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "compile: there is no executor 77");
    CHECK(strcmp(ct_status_name(CT_ERR_TRAP), "trap") == 0);
    ct_context_free(ctx);
}

static ct_tensor *mixed(ct_tensor *x)
{
    ct_tensor *y = ct_softmax(ct_matmul(ct_tanh(x), ct_transpose(x, CT_AXES(1, 0))), CT_AXES(1));
    return ct_sum(ct_mul(y, ct_sin(y)), CT_ALL_AXES, CT_DROP_AXES);
}

/* Looking changes no bit. */
TEST(bits)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(33, 65));
    ct_function *f = ct_grad(ct_trace(ctx, mixed, CT_ARGV(x)), CT_ARGS(0));

    for (size_t i = 0; i < sizeof executors / sizeof *executors; i++) {
        const ct_compile_options plain = {.size = sizeof plain, .executor = executors[i]};
        ct_compile_options looking = plain;
        looking.traps = CT_TRAP_ALL;
        CHECK_BITS(ct_call1(ct_compile(f, &looking), CT_ARGV(x)),
                   ct_call1(ct_compile(f, &plain), CT_ARGV(x)));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(instances)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {1, 710});
    const ct_compile_options options = {.size = sizeof options, .traps = CT_TRAP_INFINITY};
    ct_instance *instance = ct_instance_new(
        ct_compile(ct_trace(ctx, exponential, CT_ARGV(x)), &options));
    double in[2] = {1, 710}, out[2];

    CHECK(ct_bind_input(instance, 0, in, sizeof in) == CT_OK);
    CHECK(ct_bind_output(instance, 0, out, sizeof out) == CT_OK);
    CHECK(ct_run(instance) == CT_ERR_TRAP);
    CHECK(strstr(ct_instance_error(instance), "exponential: infinity born at [1] of f64[2]"));
    CHECK(strstr(ct_instance_error(instance), "x = 710"));
    in[1] = 2;
    CHECK(ct_run(instance) == CT_OK && fabs(out[1] - (exp(2) + 1)) < 1e-12);
    ct_instance_free(instance);
    ct_context_free(ctx);
}

static void trap_with_failures(ct_context *ctx)
{
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {NAN, 1, INFINITY, 1, 2, 3});
    ct_tensor *w = given(ctx, CT_F64, CT_SHAPE(2, 2), {1, 1, 1, 1});
    const ct_compile_options options = {.size = sizeof options, .traps = CT_TRAP_ALL};

    ct_call1(ct_compile(ct_trace(ctx, product, CT_ARGV(x, w)), &options), CT_ARGV(x, w));
}

static void sum_with_failures(ct_context *ctx)
{
    ct_tensor *x = given(ctx, CT_I8, CT_SHAPE(2, 2), {100, 100, 1, 2});
    const ct_compile_options options = {.size = sizeof options, .traps = CT_TRAP_ALL};

    ct_call1(ct_compile(ct_trace(ctx, row_sums, CT_ARGV(x)), &options), CT_ARGV(x));
    if (ct_error_status(ctx) == CT_ERR_TRAP)
        ct_error_clear(ctx);
}

TEST(short_memory)
{
    CHECK_ALLOCATIONS(trap_with_failures);
    CHECK_ALLOCATIONS(sum_with_failures);
}
