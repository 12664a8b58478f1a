/* The running folds: edges, errors, slopes. Their values are compared with NumPy's in
 * test_folds_and_orders. */
#include "tests/derivatives.h"

#include <cotangent/cumulative.h>

#include <math.h>

typedef struct running {
    ct_tensor *(*fold)(ct_place at, ct_tensor *x, int64_t axis, bool reverse);
    int64_t axis;
    bool reverse;
} running;

static ct_tensor *run(const void *user, ct_tensor *const *x)
{
    const running *r = user;
    return r->fold(CT_HERE, x[0], r->axis, r->reverse);
}

/* f16 and bf16 are summed in f32: 2048 + 1 would stay 2048. */
TEST(narrow_floats)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = ct_cumsum(ct_ones(ctx, CT_F16, CT_SHAPE(4096)), 0, false);
    CHECK(ct_dtype_of(y) == CT_F16 && ct_at(y, 4095) == 4096);
    y = ct_cumsum(ct_ones(ctx, CT_BF16, CT_SHAPE(512)), 0, true);
    CHECK(ct_at(y, 0) == 512 && ct_at(y, 511) == 1);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(edges)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    CHECK_EMPTY(ct_cumsum(ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0)), 1, false), CT_SHAPE(2, 0));
    CHECK_EMPTY(ct_cumprod(ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0)), 0, true), CT_SHAPE(2, 0));
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, inf, -inf, 2});
    CHECK_VALUES(ct_cumsum(x, 0, false), CT_SHAPE(4), {1, inf, NAN, NAN});
    CHECK_VALUES(ct_cummax(x, -1, true), CT_SHAPE(4), {inf, inf, 2, 2});
    x = given(ctx, CT_F32, CT_SHAPE(3), {5, NAN, 1});
    CHECK_VALUES(ct_cummin(x, 0, false), CT_SHAPE(3), {5, NAN, NAN});
    CHECK_VALUES(ct_cumsum(given(ctx, CT_U8, CT_SHAPE(3), {200, 100, 1}), 0, false), CT_SHAPE(3),
                 {200, 44, 45});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(errors)
{
    ct_context *ctx = ct_context_new();
    ct_cumsum(ct_ones(ctx, CT_F32, CT_SHAPE(2)), 1, false);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "cumsum: axis 1");
    ct_cumsum(ct_ones(ctx, CT_BOOL, CT_SHAPE(2)), 0, false);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "cumsum: x is bool");
    ct_cummax(ct_ones(ctx, CT_C64, CT_SHAPE(2)), 0, false);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "cummax: x is c64");
    ct_context_free(ctx);
}

/* ---- Slopes. */

TEST(sums)
{
    ct_context *ctx = ct_context_new();
    for (int i = 0; i < 4; i++) {
        running r = {ct_cumsum_at, i / 2, i % 2 == 1};
        CHECK_LINEAR(ctx, run, &r, 2, coded(ctx, CT_F64, 3, 4));
        CHECK_LINEAR(ctx, run, &r, 1, coded(ctx, CT_F64, 1, 1));
        CHECK_LINEAR_EMPTY(ctx, run, &r, 1, coded(ctx, CT_F64, 0, 2));
        CHECK_DTYPES(ctx, run, &r, 0, coded(ctx, CT_F64, 3, 4));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Exact where some factors are 0. */
TEST(products)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 4), {1, -2, 0, 3, 0, 2, -1, 2, 2, 0, 0, 5});
    for (int i = 0; i < 4; i++) {
        running r = {ct_cumprod_at, i / 2, i % 2 == 1};
        CHECK_LINEAR(ctx, run, &r, 3, x);
        CHECK_LINEAR_EMPTY(ctx, run, &r, 1, coded(ctx, CT_F64, 0, 2));
        CHECK_DTYPES(ctx, run, &r, 0, x);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(extremes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 4), {3, -1, 2, 5, 4, -5, 7, 1.5, -2, 6, -3, 0.5});
    for (int i = 0; i < 8; i++) {
        running r = {i < 4 ? ct_cummax_at : ct_cummin_at, i / 2 % 2, i % 2 == 1};
        CHECK_SMOOTH(ctx, run, &r, 2, x);
        CHECK_DTYPES(ctx, run, &r, 0, x);
    }
    running r = {ct_cummax_at, 0, false};
    ct_tensor *ties = given(ctx, CT_F32, CT_SHAPE(3), {1, 1, NAN});
    CHECK_MATRIX(ctx, run, &r, CT_ARGV(ties), {1, 0, 0, 1, 0, 0, 0, 0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Forward and backward in time that grows with the length, not with its square. */
TEST(long_axes)
{
    enum { N = 30000 };
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE(N));
    ct_tensor *(*const folds[])(ct_place, ct_tensor *, int64_t,
                                bool) = {ct_cumsum_at, ct_cumprod_at, ct_cummax_at};
    const double first[] = {N, N, N}, last[] = {1, 1, 0};
    for (int i = 0; i < 3; i++) {
        running r = {folds[i], 0, false};
        ct_function *f = derivatives_record(ctx, run, &r, CT_LIKE(x));
        ct_tensor *xbar = ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, x));
        CHECK_OK(ctx);
        CHECK(ct_at(xbar, 0) == first[i] && ct_at(xbar, N - 1) == last[i]);
    }
    ct_context_free(ctx);
}

static void run_all(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F16, CT_SHAPE(3));
    ct_cumsum(x, 0, true);
    ct_cumprod(x, 0, false);
    ct_cummax(x, 0, true);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(run_all);
}
