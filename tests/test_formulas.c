/* Elementwise composites of several primitives: what NumPy does not say (their slopes, messages and
 * memory). Their values are in tests/test_composites.c. */
#include "tests/derivatives.h"

#include <cotangent/elementwise.h>

#include <math.h>

#define PROGRAM1(name)                                                                             \
    static ct_tensor *of_##name(const void *user, ct_tensor *const *x)                             \
    {                                                                                              \
        (void)user;                                                                                \
        return ct_##name(x[0]);                                                                    \
    }
#define PROGRAM2(name)                                                                             \
    static ct_tensor *of_##name(const void *user, ct_tensor *const *x)                             \
    {                                                                                              \
        (void)user;                                                                                \
        return ct_##name(x[0], x[1]);                                                              \
    }

PROGRAM1(exp2)
PROGRAM1(log2)
PROGRAM1(log10)
PROGRAM1(trunc)
PROGRAM1(silu)
PROGRAM1(softplus)
PROGRAM2(mod)
PROGRAM2(floor_divide)
PROGRAM2(hypot)
PROGRAM2(logaddexp)

/* ---- Smooth places, two orders. */

TEST(smooth_slopes_of_one)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {0.3, 1.5, 0.01, 9});
    ct_tensor *z = given(ctx, CT_F64, CT_SHAPE(5), {0, -0.8, 1.1, -20, 20});
    CHECK_SMOOTH(ctx, of_exp2, NULL, 2, z);
    CHECK_SMOOTH(ctx, of_log2, NULL, 2, ct_add(x, 0.5));
    CHECK_SMOOTH(ctx, of_log10, NULL, 2, ct_add(x, 0.5));
    CHECK_SMOOTH(ctx, of_silu, NULL, 2, z);
    CHECK_SMOOTH(ctx, of_softplus, NULL, 2, z);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Broadcasting both ways; where both operands are equal the formulas are smooth too. */
TEST(smooth_slopes_of_two)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *column = given(ctx, CT_F64, CT_SHAPE(2, 1), {0.7, -1.3});
    ct_tensor *row = given(ctx, CT_F64, CT_SHAPE(3), {0.7, 2.1, -0.4});
    ct_tensor *number = ct_scalar(ctx, CT_F64, -1.3);
    CHECK_SMOOTH(ctx, of_hypot, NULL, 2, column, row);
    CHECK_SMOOTH(ctx, of_hypot, NULL, 2, number, column);
    CHECK_SMOOTH(ctx, of_hypot, NULL, 2, row, ct_zeros(ctx, CT_F64, CT_SHAPE()));
    CHECK_SMOOTH(ctx, of_logaddexp, NULL, 2, column, row);
    CHECK_SMOOTH(ctx, of_logaddexp, NULL, 2, row, number);
    CHECK_SMOOTH(ctx, of_mod, NULL, 2, column, ct_add(row, 0.125));
    CHECK_SMOOTH(ctx, of_mod, NULL, 2, number, row);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* f16 and bf16 are computed in f32 and rounded at the end of each direction. */
TEST(slopes_in_every_float_dtype)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {0.5, 2.25, 3}),
              *y = ct_scalar(ctx, CT_F64, 1.5);
    CHECK_DTYPES(ctx, of_exp2, NULL, 4, x);
    CHECK_DTYPES(ctx, of_log2, NULL, 4, x);
    CHECK_DTYPES(ctx, of_log10, NULL, 4, x);
    CHECK_DTYPES(ctx, of_silu, NULL, 4, x);
    CHECK_DTYPES(ctx, of_softplus, NULL, 4, x);
    CHECK_DTYPES(ctx, of_hypot, NULL, 4, x, y);
    CHECK_DTYPES(ctx, of_logaddexp, NULL, 4, x, y);
    CHECK_DTYPES(ctx, of_mod, NULL, 4, x, y);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Kinks, poles and infinities. */

TEST(steps_are_flat)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {-1.5, 0, 2}), *y = ct_scalar(ctx, CT_F64, 2);
    CHECK_MATRIX(ctx, of_trunc, NULL, CT_ARGV(x), {0, 0, 0, 0, 0, 0, 0, 0, 0});
    CHECK_MATRIX(ctx, of_floor_divide, NULL, CT_ARGV(y, y), {0, 0});
    ct_tensor *zero = ct_scalar(ctx, CT_F64, 0);
    CHECK_MATRIX(ctx, of_floor_divide, NULL, CT_ARGV(y, zero), {0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* 1 and -floor(x / y), also at whole quotients, for each pair of signs. */
TEST(slopes_of_mod)
{
    ct_context *ctx = ct_context_new();
    static const double pair[][2] = {{7, 2}, {-7, 2}, {7, -2}, {-7, -2},
                                     {6, 2}, {-6, 2}, {6, -2}, {-6, -2}};
    for (size_t i = 0; i < 8; i++) {
        ct_tensor *x = ct_scalar(ctx, CT_F64, pair[i][0]), *y = ct_scalar(ctx, CT_F64, pair[i][1]);
        CHECK_MATRIX(ctx, of_mod, NULL, CT_ARGV(x, y), {1, -floor(pair[i][0] / pair[i][1])});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(slopes_of_hypot_at_the_edges)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    ct_tensor *zero = ct_scalar(ctx, CT_F64, 0), *three = ct_scalar(ctx, CT_F64, -3);
    ct_tensor *far = ct_scalar(ctx, CT_F64, -inf), *up = ct_scalar(ctx, CT_F64, inf);
    CHECK_MATRIX(ctx, of_hypot, NULL, CT_ARGV(zero, zero), {0, 0});
    CHECK_MATRIX(ctx, of_hypot, NULL, CT_ARGV(zero, three), {0, -1});
    CHECK_MATRIX(ctx, of_hypot, NULL, CT_ARGV(far, three), {-1, 0});
    CHECK_MATRIX(ctx, of_hypot, NULL, CT_ARGV(three, up), {0, 1});
    CHECK_MATRIX(ctx, of_hypot, NULL, CT_ARGV(far, up), {-1, 0});
    ct_tensor *large = ct_scalar(ctx, CT_F64, 0x1p1000), *small = ct_scalar(ctx, CT_F64, 0x1p-1060);
    CHECK_MATRIX(ctx, of_hypot, NULL, CT_ARGV(large, small), {1, 0});
    CHECK_MATRIX(ctx, of_hypot, NULL, CT_ARGV(zero, small), {0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(slopes_of_logaddexp_at_the_edges)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    ct_tensor *one = ct_scalar(ctx, CT_F64, 1), *far = ct_scalar(ctx, CT_F64, -inf);
    ct_tensor *up = ct_scalar(ctx, CT_F64, inf);
    CHECK_MATRIX(ctx, of_logaddexp, NULL, CT_ARGV(one, one), {0.5, 0.5});
    CHECK_MATRIX(ctx, of_logaddexp, NULL, CT_ARGV(one, far), {1, 0});
    CHECK_MATRIX(ctx, of_logaddexp, NULL, CT_ARGV(far, one), {0, 1});
    CHECK_MATRIX(ctx, of_logaddexp, NULL, CT_ARGV(up, one), {1, 0});
    CHECK_MATRIX(ctx, of_logaddexp, NULL, CT_ARGV(up, up), {0.5, 0.5});
    CHECK_MATRIX(ctx, of_logaddexp, NULL, CT_ARGV(far, far), {0.5, 0.5});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(slopes_of_one_at_the_edges)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    CHECK_MATRIX(ctx, of_silu, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(3), {-inf, 0, inf})),
                 {0, 0, 0, 0, 0.5, 0, 0, 0, 1});
    CHECK_MATRIX(ctx, of_softplus, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(3), {-inf, 0, inf})),
                 {0, 0, 0, 0, 0.5, 0, 0, 0, 1});
    CHECK_MATRIX(ctx, of_softplus, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(2), {-800, 800})),
                 {0, 0, 0, 1});
    CHECK_MATRIX(ctx, of_softplus, NULL, CT_ARGV(given(ctx, CT_F32, CT_SHAPE(2), {-800, 800})),
                 {0, 0, 0, 1});
    CHECK_MATRIX(ctx, of_log2, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(2), {0, inf})),
                 {inf, 0, 0, 0});
    CHECK_MATRIX(ctx, of_log10, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(2), {0, inf})),
                 {inf, 0, 0, 0});
    CHECK_MATRIX(ctx, of_exp2, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(2), {-inf, 2000})),
                 {0, 0, 0, inf});
    CHECK_MATRIX(ctx, of_log2, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(1), {8})),
                 {0.125 / log(2)});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Numbers, signs of zero, messages. */

TEST(numbers_beside_tensors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I32, CT_SHAPE(4), {7, -7, 0, INT32_MIN});
    CHECK_VALUES(ct_mod(x, 4), CT_SHAPE(4), {3, 1, 0, 0});
    CHECK_VALUES(ct_mod(x, -4), CT_SHAPE(4), {-1, -3, 0, 0});
    CHECK_VALUES(ct_floor_divide(x, 4), CT_SHAPE(4), {1, -2, 0, -536870912});
    CHECK_VALUES(ct_floor_divide(x, -1), CT_SHAPE(4), {-7, 7, 0, INT32_MIN});
    CHECK_VALUES(ct_mod(x, 0), CT_SHAPE(4), {0, 0, 0, 0});
    CHECK_VALUES(ct_floor_divide(100, given(ctx, CT_U8, CT_SHAPE(2), {0, 7})), CT_SHAPE(2),
                 {0, 14});
    CHECK_VALUES(ct_hypot(3, given(ctx, CT_F16, CT_SHAPE(2), {4, INFINITY})), CT_SHAPE(2),
                 {5, INFINITY});
    CHECK_VALUES(ct_hypot(NAN, given(ctx, CT_F32, CT_SHAPE(2), {4, -INFINITY})), CT_SHAPE(2),
                 {NAN, INFINITY});
    ct_tensor *most = given(ctx, CT_F16, CT_SHAPE(1), {65504});
    CHECK_VALUES(ct_logaddexp(most, -INFINITY), CT_SHAPE(1), {65504});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(dtypes_that_are_not_taken)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *i = ct_ones(ctx, CT_I32, CT_SHAPE(2)), *f = ct_ones(ctx, CT_F32, CT_SHAPE(2));
    ct_tensor *b = ct_ones(ctx, CT_BOOL, CT_SHAPE(2)), *c = ct_ones(ctx, CT_C64, CT_SHAPE(2));
    ct_mod(b, b);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "mod: x is bool; it takes floats, integers (ct_cast converts)");
    ct_floor_divide(c, 2);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "floor_divide: x is c64");
    ct_mod(i, 0.5);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "mod: i32 cannot hold the number 0.5");
    ct_hypot(i, i);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "hypot: x is i32; it takes floats");
    ct_logaddexp(f, i);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "logaddexp: x is f32 and y is i32");
    ct_logaddexp(f, ct_ones(ctx, CT_F32, CT_SHAPE(3)));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "logaddexp: x and y do not broadcast");
    ct_log2(i);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "log2: x is i32");
    ct_is_nan(i);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "is_nan: x is i32");
    ct_softplus(NULL);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void formulas(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F16, CT_SHAPE(2)), *i = ct_ones(ctx, CT_I8, CT_SHAPE(2, 1));
    ct_mod(x, -2);
    ct_mod(i, 3);
    ct_floor_divide(x, 2);
    ct_floor_divide(i, i);
    ct_hypot(x, 3);
    ct_logaddexp(x, x);
    ct_log10(x);
    ct_exp2(x);
    ct_trunc(x);
    ct_is_inf(x);
    ct_silu(x);
    ct_softplus(x);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(formulas);
}
