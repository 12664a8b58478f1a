/* The elementwise composites: broadcasting, numbers beside tensors, dtypes, and their slopes. What
 * the primitives themselves give is tested with the interpreter. */
#include "tests/derivatives.h"

#include <cotangent/elementwise.h>
#include <cotangent/operand.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ct_tensor *V(ct_context *ctx, ct_dtype dtype, int64_t n, const double *values)
{
    return ct_from_doubles(ctx, dtype, CT_SHAPE(n), values);
}

/* ---- Broadcasting. */

TEST(broadcast_row_and_column)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *column = given(ctx, CT_F32, CT_SHAPE(2, 1), {10, 20});
    ct_tensor *row = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3});
    CHECK_VALUES(ct_add(column, row), CT_SHAPE(2, 3), {11, 12, 13, 21, 22, 23});
    CHECK_VALUES(ct_sub(row, column), CT_SHAPE(2, 3), {-9, -8, -7, -19, -18, -17});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(broadcast_ranks_and_scalars)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3, 1), *s = ct_scalar(ctx, CT_I32, 1000);
    ct_tensor *y = given(ctx, CT_I32, CT_SHAPE(1, 2), {0, 500});
    CHECK_VALUES(ct_add(s, x), CT_SHAPE(2, 3, 1), {1000, 1010, 1020, 1100, 1110, 1120});
    CHECK_VALUES(ct_add(x, y), CT_SHAPE(2, 3, 2),
                 {0, 500, 10, 510, 20, 520, 100, 600, 110, 610, 120, 620});
    CHECK_VALUES(ct_mul(s, s), CT_SHAPE(), {1000000});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(broadcast_nothing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *none = ct_zeros(ctx, CT_F64, CT_SHAPE(0, 3));
    CHECK_EMPTY(ct_add(none, 1), CT_SHAPE(0, 3));
    CHECK_EMPTY(ct_add(none, ct_ones(ctx, CT_F64, CT_SHAPE(1, 3))), CT_SHAPE(0, 3));
    CHECK_EMPTY(ct_where(ct_gt(none, 0), none, 2), CT_SHAPE(0, 3));
    ct_add(none, ct_ones(ctx, CT_F64, CT_SHAPE(2, 3)));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "on axis -2 their extents are 0 and 2");
    ct_context_free(ctx);
}

TEST(broadcast_rank_64)
{
    ct_context *ctx = ct_context_new();
    int64_t dim[64];
    for (int i = 0; i < 64; i++)
        dim[i] = 1;
    dim[0] = 2;
    ct_tensor *x = ct_from_doubles(ctx, CT_F32, (ct_shape){64, dim}, (const double[]){3, 4});
    ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(2), {10, 20});
    dim[63] = 2;
    CHECK_VALUES(ct_add(x, y), ((ct_shape){64, dim}), {13, 23, 14, 24});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The message names the composite, both operands with their shapes, the axis and the extents, and
 * the user's line. */
TEST(broadcast_message)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 3)), *y = ct_zeros(ctx, CT_F32, CT_SHAPE(4));
    ct_tensor *z = ct_mul(x, y);
    int line = __LINE__ - 1;
    CHECK(ct_is_poison(z));
    CHECK(ct_error_place(ctx).line == line);
    CHECK(strstr(ct_error_place(ctx).file, "test_elementwise.c") != NULL);
    const char *message = ct_error_message(ctx);
    CHECK(strstr(message, "mul: x and y do not broadcast: on axis -1 their extents are 3 and 4") !=
          NULL);
    CHECK_MSG(strstr(message, "f32[2,3]") && strstr(message, "f32[4]"), "%s", message);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "mul: ");

    ct_where(ct_zeros(ctx, CT_BOOL, CT_SHAPE(5, 1)), x, 1);
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "where: pred and x do not broadcast: on axis -2 their extents are 5 and 2");
    ct_context_free(ctx);
}

/* ---- Numbers. */

TEST(numbers_take_the_dtype)
{
    ct_context *ctx = ct_context_new();
    static const ct_dtype dtypes[] = {CT_I8,  CT_I16, CT_I32, CT_I64,  CT_U8,  CT_U16,
                                      CT_U32, CT_U64, CT_F16, CT_BF16, CT_F32, CT_F64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        ct_tensor *x = given(ctx, dtypes[i], CT_SHAPE(2), {3, 5});
        ct_tensor *y = ct_add(ct_mul(2, x), 1u);
        CHECK_VALUES(y, CT_SHAPE(2), {7, 11});
        CHECK(ct_dtype_of(y) == dtypes[i]);
        CHECK_VALUES(ct_sub(x, 2.0), CT_SHAPE(2), {1, 3});
    }
    CHECK_VALUES(ct_and(given(ctx, CT_BOOL, CT_SHAPE(2), {0, 1}), 1), CT_SHAPE(2), {0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* 64-bit numbers do not pass through double. */
TEST(numbers_are_exact)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *i = ct_add(ct_zeros(ctx, CT_I64, CT_SHAPE()), INT64_MAX);
    ct_tensor *j = ct_add(ct_zeros(ctx, CT_I64, CT_SHAPE()), INT64_MIN);
    ct_tensor *u = ct_add(ct_zeros(ctx, CT_U64, CT_SHAPE()), UINT64_MAX - 1);
    CHECK(ct_element_int_at(CT_HERE, i, CT_SHAPE()) == INT64_MAX);
    CHECK(ct_element_int_at(CT_HERE, j, CT_SHAPE()) == INT64_MIN);
    CHECK((uint64_t)ct_element_int_at(CT_HERE, u, CT_SHAPE()) == UINT64_MAX - 1);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(numbers_that_do_not_fit)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *i32 = ct_zeros(ctx, CT_I32, CT_SHAPE(2)), *u8 = ct_zeros(ctx, CT_U8, CT_SHAPE(2));
    ct_tensor *b = ct_zeros(ctx, CT_BOOL, CT_SHAPE(2)), *f16 = ct_zeros(ctx, CT_F16, CT_SHAPE(2));
    ct_mul(i32, 0.5);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "mul: i32 cannot hold the number 0.5");
    ct_add(300, u8);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "add: u8 cannot hold the number 300");
    ct_add(u8, -1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "u8 cannot hold the number -1");
    ct_or(b, 2);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "bool cannot hold the number 2");
    ct_add(i32, 2147483648u);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "i32 cannot hold the number 2147483648");
    ct_add(i32, NAN);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "i32 cannot hold the number nan");
    ct_add(i32, INFINITY);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "i32 cannot hold the number inf");
    ct_add(f16, 65520);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "f16 cannot hold the number 65520");
    ct_add(ct_zeros(ctx, CT_F32, CT_SHAPE()), 3.5e38);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "f32 cannot hold the number 3.5");
    ct_where(b, u8, 256);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "where: u8 cannot hold the number 256");
    ct_clip(u8, -1, 7);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "clip: u8 cannot hold the number -1");
    CHECK_VALUES(ct_add(f16, 65519), CT_SHAPE(2), {65504, 65504});
    CHECK_VALUES(ct_add(f16, INFINITY), CT_SHAPE(2), {INFINITY, INFINITY});
    CHECK_VALUES(ct_add(ct_zeros(ctx, CT_BF16, CT_SHAPE()), NAN), CT_SHAPE(), {NAN});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(operands_that_are_missing)
{
    ct_context *ctx = ct_context_new(), *other = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2)), *far = ct_ones(other, CT_F32, CT_SHAPE(2));
    ct_add(x, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "add: y is NULL");
    ct_add(x, far);
    CHECK_ERROR(ctx, CT_ERR_CONTEXT, "add: y belongs to another context");
    ct_add(x, ct_spec(ctx, CT_F32, CT_SHAPE(2)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "add: y is a type without data");
    ct_where(ct_gt(x, 0), 1, 2);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "where: numbers alone have no dtype");
    CHECK(ct_is_poison(ct_add(NULL, NULL)));
    CHECK(ct_is_poison(ct_exp(NULL)));
    CHECK(ct_is_poison(ct_add(1, 2)));
    CHECK_OK(ctx);
    CHECK_OK(other);
    ct_context_free(other);
    ct_context_free(ctx);
}

/* Poison in, poison out; the first error stays. After it is cleared, poison is a new error. */
TEST(poison)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2)), *y = ct_ones(ctx, CT_I32, CT_SHAPE(2));
    ct_tensor *bad = ct_add(x, y);
    CHECK(ct_is_poison(ct_relu(ct_clip(ct_where(ct_lt(bad, 1), bad, x), 0, bad))));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "add: x is f32 and y is i32; convert one of them with ct_cast");
    ct_reciprocal(bad);
    CHECK_ERROR(ctx, CT_ERR_POISON, "reciprocal: x is the poisoned result");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Dtypes. */

TEST(dtypes_that_are_not_taken)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *i = ct_ones(ctx, CT_I32, CT_SHAPE(2)), *f = ct_ones(ctx, CT_F32, CT_SHAPE(2));
    ct_tensor *b = ct_ones(ctx, CT_BOOL, CT_SHAPE(2)), *c = ct_ones(ctx, CT_C64, CT_SHAPE(2));
    ct_sqrt(i);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "sqrt: x is i32; it takes floats, complex (ct_cast converts)");
    ct_floor(c);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "floor: x is c64; it takes floats");
    ct_sub(b, b);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "sub: x is bool; it takes floats, integers");
    ct_xor(f, f);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "xor: x is f32; it takes integers, bool");
    ct_lt(c, c);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "lt: x is c64");
    ct_maximum(c, 1);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "maximum: x is c64");
    ct_where(i, f, f);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "where: pred is i32; it takes bool");
    ct_cast(f, (ct_dtype)99);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "cast: there is no dtype 99");
    CHECK_VALUES(ct_eq(c, 1), CT_SHAPE(2), {1, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(cast)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {-1.75, 0, 2.5, 300});
    CHECK_VALUES(ct_cast(x, CT_I32), CT_SHAPE(4), {-1, 0, 2, 300});
    CHECK_VALUES(ct_cast(x, CT_U8), CT_SHAPE(4), {0, 0, 2, 255});
    CHECK_VALUES(ct_cast(x, CT_BOOL), CT_SHAPE(4), {1, 0, 1, 1});
    ct_tensor *same = ct_cast(x, CT_F64);
    CHECK(same != x); /* a handle of its own */
    ct_release(same);
    CHECK_VALUES(x, CT_SHAPE(4), {-1.75, 0, 2.5, 300});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Values. */

TEST(arithmetic)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {6, -7, 8});
    ct_tensor *i = given(ctx, CT_I32, CT_SHAPE(3), {6, -7, 8});
    CHECK_VALUES(ct_div(x, 4), CT_SHAPE(3), {1.5, -1.75, 2});
    CHECK_VALUES(ct_div(i, 4), CT_SHAPE(3), {1, -1, 2});
    CHECK_VALUES(ct_div(24, x), CT_SHAPE(3), {4, 24.0 / -7, 3});
    CHECK_VALUES(ct_rem(x, 4), CT_SHAPE(3), {2, -3, 0});
    CHECK_VALUES(ct_rem(i, 4), CT_SHAPE(3), {2, -3, 0});
    CHECK_VALUES(ct_pow(x, 2), CT_SHAPE(3), {36, 49, 64});
    CHECK_VALUES(ct_pow(2, i), CT_SHAPE(3), {64, 0, 256});
    CHECK_VALUES(ct_maximum(x, 0), CT_SHAPE(3), {6, 0, 8});
    CHECK_VALUES(ct_minimum(NAN, x), CT_SHAPE(3), {NAN, NAN, NAN});
    CHECK_VALUES(ct_neg(i), CT_SHAPE(3), {-6, 7, -8});
    CHECK_VALUES(ct_abs(x), CT_SHAPE(3), {6, 7, 8});
    CHECK_VALUES(ct_sign(i), CT_SHAPE(3), {1, -1, 1});
    ct_tensor *u = given(ctx, CT_U8, CT_SHAPE(3), {0, 1, 200});
    CHECK_VALUES(ct_abs(u), CT_SHAPE(3), {0, 1, 200});
    CHECK_VALUES(ct_sign(u), CT_SHAPE(3), {0, 1, 1});
    CHECK_VALUES(ct_square(i), CT_SHAPE(3), {36, 49, 64});
    CHECK_VALUES(ct_reciprocal(ct_sub(x, 4)), CT_SHAPE(3), {0.5, -1.0 / 11, 0.25});
    CHECK_VALUES(ct_atan2(ct_zeros(ctx, CT_F64, CT_SHAPE()), x), CT_SHAPE(3), {0, M_PI, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Each name is its function. */
TEST(functions)
{
    ct_context *ctx = ct_context_new();
    const double v = 0.7;
    ct_tensor *x = ct_scalar(ctx, CT_F64, v);
    CHECK_CLOSE(ct_exp(x), CT_SHAPE(), 1e-15, {exp(v)});
    CHECK_CLOSE(ct_expm1(x), CT_SHAPE(), 1e-15, {expm1(v)});
    CHECK_CLOSE(ct_log(x), CT_SHAPE(), 1e-15, {log(v)});
    CHECK_CLOSE(ct_log1p(x), CT_SHAPE(), 1e-15, {log1p(v)});
    CHECK_CLOSE(ct_sqrt(x), CT_SHAPE(), 1e-15, {sqrt(v)});
    CHECK_CLOSE(ct_rsqrt(x), CT_SHAPE(), 1e-15, {1 / sqrt(v)});
    CHECK_CLOSE(ct_cbrt(x), CT_SHAPE(), 1e-15, {cbrt(v)});
    CHECK_CLOSE(ct_sin(x), CT_SHAPE(), 1e-15, {sin(v)});
    CHECK_CLOSE(ct_cos(x), CT_SHAPE(), 1e-15, {cos(v)});
    CHECK_CLOSE(ct_tan(x), CT_SHAPE(), 1e-15, {tan(v)});
    CHECK_CLOSE(ct_tanh(x), CT_SHAPE(), 1e-15, {tanh(v)});
    CHECK_CLOSE(ct_sigmoid(x), CT_SHAPE(), 1e-15, {1 / (1 + exp(-v))});
    ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(6), {-1.5, -0.5, 0.5, 1.5, 2.5, 2.25});
    CHECK_VALUES(ct_floor(y), CT_SHAPE(6), {-2, -1, 0, 1, 2, 2});
    CHECK_VALUES(ct_ceil(y), CT_SHAPE(6), {-1, 0, 1, 2, 3, 3});
    CHECK_VALUES(ct_round(y), CT_SHAPE(6), {-2, 0, 0, 2, 2, 2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(comparisons_and_logic)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 3, NAN});
    CHECK_VALUES(ct_eq(x, 2), CT_SHAPE(4), {0, 1, 0, 0});
    CHECK_VALUES(ct_ne(x, 2), CT_SHAPE(4), {1, 0, 1, 1});
    CHECK_VALUES(ct_lt(x, 2), CT_SHAPE(4), {1, 0, 0, 0});
    CHECK_VALUES(ct_le(x, 2), CT_SHAPE(4), {1, 1, 0, 0});
    CHECK_VALUES(ct_gt(x, 2), CT_SHAPE(4), {0, 0, 1, 0});
    CHECK_VALUES(ct_ge(x, 2), CT_SHAPE(4), {0, 1, 1, 0});
    CHECK_VALUES(ct_ge(2, x), CT_SHAPE(4), {1, 1, 0, 0});
    CHECK(ct_dtype_of(ct_eq(x, x)) == CT_BOOL);
    CHECK_VALUES(ct_is_finite(ct_div(x, ct_sub(x, 1))), CT_SHAPE(4), {0, 1, 1, 0});
    ct_tensor *u = given(ctx, CT_U64, CT_SHAPE(2), {12, 10});
    CHECK_VALUES(ct_gt(u, UINT64_MAX), CT_SHAPE(2), {0, 0});
    CHECK_VALUES(ct_and(u, 6), CT_SHAPE(2), {4, 2});
    CHECK_VALUES(ct_or(u, 6), CT_SHAPE(2), {14, 14});
    CHECK_VALUES(ct_xor(u, 6), CT_SHAPE(2), {10, 12});
    CHECK_VALUES(ct_not(given(ctx, CT_U8, CT_SHAPE(2), {0, 254})), CT_SHAPE(2), {255, 1});
    ct_tensor *a = given(ctx, CT_BOOL, CT_SHAPE(2, 1), {0, 1});
    ct_tensor *b = given(ctx, CT_BOOL, CT_SHAPE(2), {0, 1});
    CHECK_VALUES(ct_and(a, b), CT_SHAPE(2, 2), {0, 0, 0, 1});
    CHECK_VALUES(ct_or(a, b), CT_SHAPE(2, 2), {0, 1, 1, 1});
    CHECK_VALUES(ct_xor(a, b), CT_SHAPE(2, 2), {0, 1, 1, 0});
    CHECK_VALUES(ct_not(a), CT_SHAPE(2, 1), {1, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(relu_values)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(6), {-2, -0.0, 0, 3, NAN, -INFINITY});
    ct_tensor *y = ct_relu(x);
    CHECK_VALUES(y, CT_SHAPE(6), {0, 0, 0, 3, NAN, 0});
    CHECK(!signbit(ct_at(y, 1)));
    CHECK_VALUES(ct_relu(given(ctx, CT_I8, CT_SHAPE(3), {-128, 0, 127})), CT_SHAPE(3), {0, 0, 127});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(where_and_clip)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {-2, -1, 1, NAN});
    ct_tensor *pred = given(ctx, CT_BOOL, CT_SHAPE(2, 1), {1, 0});
    CHECK_VALUES(ct_where(pred, x, 9), CT_SHAPE(2, 4), {-2, -1, 1, NAN, 9, 9, 9, 9});
    CHECK_VALUES(ct_where(ct_scalar(ctx, CT_BOOL, 0), 9, x), CT_SHAPE(4), {-2, -1, 1, NAN});
    CHECK_VALUES(ct_clip(x, -1.5, 0.5), CT_SHAPE(4), {-1.5, -1, 0.5, NAN});
    CHECK_VALUES(ct_clip(x, 2, 0.5), CT_SHAPE(4), {0.5, 0.5, 0.5, NAN}); /* hi wins */
    CHECK_VALUES(ct_clip(x, -INFINITY, ct_scalar(ctx, CT_F32, 0)), CT_SHAPE(4), {-2, -1, 0, NAN});
    ct_tensor *lo = given(ctx, CT_F32, CT_SHAPE(2, 1), {-1.5, 0});
    CHECK_VALUES(ct_clip(x, lo, 8), CT_SHAPE(2, 4), {-1.5, -1, 1, NAN, 0, 0, 1, NAN});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Slopes. */

static ct_tensor *outer_product(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_mul(x[0], x[1]);
}

static ct_tensor *affine(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_sub(3, ct_add(ct_mul(2, x[0]), ct_neg(x[1])));
}

TEST(broadcast_slopes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *column = given(ctx, CT_F64, CT_SHAPE(2, 1), {2, 3});
    ct_tensor *row = given(ctx, CT_F64, CT_SHAPE(3), {5, 7, 11});
    CHECK_LINEAR(ctx, outer_product, NULL, 2, column, row);
    CHECK_LINEAR(ctx, affine, NULL, 2, column, row);
    CHECK_LINEAR(ctx, affine, NULL, 1, ct_scalar(ctx, CT_F64, 4), row);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A chain through most of the functions, where it is smooth. */
static ct_tensor *smooth(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *a = ct_add(ct_sin(x[0]), ct_cos(x[1]));
    ct_tensor *b = ct_div(ct_tanh(a), ct_sigmoid(x[1]));
    ct_tensor *c = ct_pow(ct_add(ct_square(b), 1), 0.75);
    ct_tensor *d = ct_add(ct_log1p(ct_exp(c)), ct_rsqrt(ct_sqrt(ct_cbrt(c))));
    return ct_add(ct_atan2(d, x[1]), ct_mul(ct_expm1(ct_reciprocal(c)), ct_tan(b)));
}

TEST(smooth_slopes)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, smooth, NULL, 2, given(ctx, CT_F64, CT_SHAPE(2, 1), {0.3, -0.8}),
                 given(ctx, CT_F64, CT_SHAPE(2), {0.6, 1.1}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *relu(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_relu(x[0]);
}

static ct_tensor *clip(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_clip(x[0], -1, 2);
}

/* log of a value that is only used where it is positive. */
static ct_tensor *guarded_log(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_where(ct_gt(x[0], 0), ct_log(x[0]), ct_mul(x[0], 3));
}

TEST(kinks)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {-2, 0, 2});
    CHECK_MATRIX(ctx, relu, NULL, CT_ARGV(x), {0, 0, 0, 0, 0, 0, 0, 0, 1});
    CHECK_MATRIX(ctx, clip, NULL, CT_ARGV(x), {0, 0, 0, 0, 1, 0, 0, 0, 0.5});
    CHECK_MATRIX(ctx, guarded_log, NULL, CT_ARGV(x), {3, 0, 0, 0, 3, 0, 0, 0, 0.5});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *stopped(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_mul(ct_stop_gradient(x[0]), x[0]);
}

static ct_tensor *through_f32(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_cast(ct_mul(ct_cast(x[0], CT_F32), 4), CT_F64);
}

TEST(stopping_and_casting)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {3, 5});
    CHECK_MATRIX(ctx, stopped, NULL, CT_ARGV(x), {3, 0, 0, 5});
    CHECK_MATRIX(ctx, through_f32, NULL, CT_ARGV(x), {4, 0, 0, 4});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

/* ---- erf and gelu; values are in test_folds_and_orders. */

static ct_tensor *gelu(const void *user, ct_tensor *const *x)
{
    return ct_gelu(x[0], *(const ct_gelu_form *)user);
}

/* No NaN at the ends, in any order: 0 with slope 0 at -inf, slope 1 at inf. */
TEST(gelu)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    for (ct_gelu_form form = CT_GELU_EXACT; form <= CT_GELU_TANH; form = (ct_gelu_form)(form + 1)) {
        CHECK_SMOOTH(ctx, gelu, &form, 3, given(ctx, CT_F64, CT_SHAPE(5), {0, -0.5, 1, 2.5, -3}));
        CHECK_DTYPES(ctx, gelu, &form, 2, given(ctx, CT_F64, CT_SHAPE(4), {0, -0.5, 1, 2.5}));
        for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
            ct_tensor *x = given(ctx, t, CT_SHAPE(4), {-inf, inf, -200, 200});
            CHECK_VALUES(ct_gelu(x, form), CT_SHAPE(4), {0, inf, 0, 200});
            CHECK_MATRIX(ctx, gelu, &form, CT_ARGV(x),
                         {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
        }
    }
    CHECK_OK(ctx);
    ct_gelu(ct_ones(ctx, CT_F32, CT_SHAPE(2)), (ct_gelu_form)5);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "gelu: there is no form 5");
    ct_gelu(ct_ones(ctx, CT_I32, CT_SHAPE(2)), CT_GELU_EXACT);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "gelu: x is i32");
    ct_erf(ct_ones(ctx, CT_I32, CT_SHAPE(2)));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "erf: x is i32");
    ct_context_free(ctx);
}

static void composites(ct_context *ctx)
{
    ct_tensor *x = V(ctx, CT_F32, 2, (const double[]){1, 2});
    ct_tensor *y = ct_where(ct_gt(x, 1), ct_relu(x), ct_clip(ct_cast(x, CT_F32), 0, 1));
    ct_add(ct_reciprocal(y), ct_from_doubles(ctx, CT_F32, CT_SHAPE(2, 1), (const double[]){1, 2}));
    ct_gelu(ct_erf(x), CT_GELU_TANH);
    ct_gelu(x, CT_GELU_EXACT);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(composites);
}

/* Blocks that are in use. */
static void *count_up(void *user, size_t bytes, size_t align)
{
    void *memory = aligned_alloc(align, (bytes + align - 1) / align * align + align);
    *(long *)user += memory != NULL;
    return memory;
}

static void count_down(void *user, void *memory, size_t bytes)
{
    (void)bytes;
    *(long *)user -= memory != NULL;
    free(memory);
}

/* Composites release what they make on the way: after the result nothing is left. */
TEST(nothing_is_left_behind)
{
    long blocks = 0;
    ct_allocator allocator = {sizeof allocator, &blocks, count_up, count_down};
    ct_context *ctx = ct_context_new_with(&allocator);
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2)),
              *column = ct_ones(ctx, CT_F32, CT_SHAPE(3, 1));
    long before = 0;
    for (int i = 0; i < 3; i++) { /* the first round fills caches */
        ct_release(ct_relu(x));
        ct_release(ct_reciprocal(x));
        ct_release(ct_add(column, x));
        ct_release(ct_clip(x, 0, column));
        CHECK_MSG(i < 2 || blocks == before, "%ld blocks were left", blocks - before);
        before = blocks;
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
    CHECK(blocks == 0);
}
