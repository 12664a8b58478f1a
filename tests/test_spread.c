/* Variance, standard deviation and norm: slopes, edges, messages, memory. Values:
 * test_composites.c. */
#include "tests/derivatives.h"

#include <cotangent/elementwise.h>
#include <cotangent/reduce.h>

#include <math.h>

static ct_tensor *var_rows(const void *user, ct_tensor *const *x)
{
    return ct_var(x[0], CT_AXES(-1), CT_KEEP_AXES, *(const int64_t *)user);
}

static ct_tensor *std_columns(const void *user, ct_tensor *const *x)
{
    return ct_std(x[0], CT_AXES(0), CT_DROP_AXES, *(const int64_t *)user);
}

static ct_tensor *norm_all(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_norm(x[0], CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *norm_rows(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_norm(x[0], CT_AXES(1), CT_KEEP_AXES);
}

static ct_tensor *norm_of_none(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_norm(x[0], CT_AXES(), CT_DROP_AXES);
}

static const int64_t none = 0, one = 1;

TEST(smooth_slopes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {0.3, -0.8, 1.1, 0.2, 2.5, -1.4});
    CHECK_SMOOTH(ctx, var_rows, &none, 2, x);
    CHECK_SMOOTH(ctx, var_rows, &one, 2, x);
    CHECK_SMOOTH(ctx, std_columns, &none, 2, x);
    CHECK_SMOOTH(ctx, std_columns, &one, 2, x);
    CHECK_SMOOTH(ctx, norm_all, NULL, 2, x);
    CHECK_SMOOTH(ctx, norm_rows, NULL, 2, x);
    /* two of the largest size: no element is special */
    CHECK_SMOOTH(ctx, norm_all, NULL, 2, given(ctx, CT_F64, CT_SHAPE(3), {2, -2, 0}));
    CHECK_SMOOTH(ctx, var_rows, &none, 2, given(ctx, CT_F64, CT_SHAPE(3), {2, 2, 0}));
    ct_tensor *exact = given(ctx, CT_F64, CT_SHAPE(2, 3), {0.5, -3, 1, 4, 2.5, -1});
    CHECK_DTYPES(ctx, var_rows, &none, 4, exact);
    CHECK_DTYPES(ctx, std_columns, &one, 4, exact);
    CHECK_DTYPES(ctx, norm_rows, NULL, 4, exact);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Equal elements have no spread, exactly, and no slope; so has the origin no slope of its norm. */
TEST(slopes_where_there_is_no_spread)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 1), {0.1, 0.1, 0.1});
    CHECK_VALUES(ct_std(x, CT_AXES(0), CT_DROP_AXES, 0), CT_SHAPE(1), {0});
    CHECK_MATRIX(ctx, std_columns, &none, CT_ARGV(x), {0, 0, 0});
    CHECK_MATRIX(ctx, std_columns, &one, CT_ARGV(x), {0, 0, 0});
    CHECK_MATRIX(ctx, var_rows, &none, CT_ARGV(x), {0, 0, 0, 0, 0, 0, 0, 0, 0});
    ct_tensor *zero = ct_zeros(ctx, CT_F64, CT_SHAPE(2, 2));
    CHECK_MATRIX(ctx, norm_all, NULL, CT_ARGV(zero), {0, 0, 0, 0});
    CHECK_MATRIX(ctx, norm_rows, NULL, CT_ARGV(zero), {0, 0, 0, 0, 0, 0, 0, 0});
    ct_tensor *half = given(ctx, CT_F64, CT_SHAPE(2, 2), {0, 0, 0, -4});
    CHECK_MATRIX(ctx, norm_rows, NULL, CT_ARGV(half), {0, 0, 0, 0, 0, 0, 0, -1});
    CHECK_MATRIX(ctx, norm_of_none, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(2), {-3, 0})),
                 {-1, 0, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* An infinite norm is its largest element; large and small ones have slopes too. */
TEST(slopes_of_norms_at_the_edges)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    CHECK_MATRIX(ctx, norm_all, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(3), {1, -inf, 2})),
                 {0, -1, 0});
    CHECK_MATRIX(ctx, norm_all, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(2), {inf, inf})),
                 {0.5, 0.5});
    CHECK_MATRIX(ctx, norm_all, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(2), {0, -0x1p1000})),
                 {0, -1});
    CHECK_MATRIX(ctx, norm_all, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(2), {0x1p-1070, 0})),
                 {1, 0});
    CHECK_MATRIX(ctx, norm_all, NULL, CT_ARGV(given(ctx, CT_F32, CT_SHAPE(2), {0x1p-149, 0})),
                 {1, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(degrees_of_freedom)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 6}),
              *single = ct_ones(ctx, CT_F32, CT_SHAPE(1));
    CHECK_VALUES(ct_var(x, CT_ALL_AXES, CT_DROP_AXES, 1), CT_SHAPE(), {7});
    CHECK_VALUES(ct_var(x, CT_ALL_AXES, CT_KEEP_AXES, -4), CT_SHAPE(1), {2});
    CHECK_VALUES(ct_var(x, CT_ALL_AXES, CT_DROP_AXES, 3), CT_SHAPE(), {INFINITY});
    CHECK_VALUES(ct_var(x, CT_ALL_AXES, CT_DROP_AXES, INT64_MAX), CT_SHAPE(), {INFINITY});
    CHECK_VALUES(ct_std(single, CT_ALL_AXES, CT_DROP_AXES, 1), CT_SHAPE(), {NAN});
    CHECK_VALUES(ct_std(single, CT_ALL_AXES, CT_DROP_AXES, 0), CT_SHAPE(), {0});
    CHECK_VALUES(ct_var(x, CT_AXES(), CT_DROP_AXES, 0), CT_SHAPE(3), {0, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(messages)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_I32, CT_SHAPE(2)), *f = ct_ones(ctx, CT_F32, CT_SHAPE(2));
    ct_var(x, CT_ALL_AXES, CT_DROP_AXES, 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "var: x is i32; it takes floats (ct_cast converts)");
    ct_norm(x, CT_ALL_AXES, CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "norm: x is i32; it takes floats");
    ct_std(f, CT_AXES(1), CT_DROP_AXES, 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "std: axis 1 does not exist in rank 1");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void spreads(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F16, CT_SHAPE(2, 3));
    ct_std(x, CT_AXES(0), CT_KEEP_AXES, 1);
    ct_norm(x, CT_AXES(1), CT_DROP_AXES);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(spreads);
}
