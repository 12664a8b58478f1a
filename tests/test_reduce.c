/* Reductions: axes, dtypes, empty and infinite values, and their slopes. */
#include "tests/derivatives.h"

#include <cotangent/elementwise.h>
#include <cotangent/reduce.h>

#include <math.h>

/* ---- Axes. x[i][j][k] = 100i + 10j + k, extents 2, 3, 4. */

TEST(sum_over_axes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3, 4);
    CHECK_VALUES(ct_sum(x, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {24 * 50 + 24 * 10 + 36});
    CHECK_VALUES(ct_sum(x, CT_ALL_AXES, CT_KEEP_AXES), CT_SHAPE(1, 1, 1), {1476});
    CHECK_VALUES(ct_sum(x, CT_AXES(0), CT_DROP_AXES), CT_SHAPE(3, 4),
                 {100, 102, 104, 106, 120, 122, 124, 126, 140, 142, 144, 146});
    CHECK_VALUES(ct_sum(x, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(2, 4),
                 {30, 33, 36, 39, 330, 333, 336, 339});
    CHECK_VALUES(ct_sum(x, CT_AXES(-1), CT_KEEP_AXES), CT_SHAPE(2, 3, 1),
                 {6, 46, 86, 406, 446, 486});
    CHECK_VALUES(ct_sum(x, CT_AXES(2, 0), CT_DROP_AXES), CT_SHAPE(3), {412, 492, 572});
    CHECK_VALUES(ct_sum(x, CT_AXES(-3, 2), CT_KEEP_AXES), CT_SHAPE(1, 3, 1), {412, 492, 572});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* All axes, an empty list and a partial list are three things; the identity is a handle of its own.
 */
TEST(no_axes_is_the_identity)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F16, CT_SHAPE(2), {3, 5});
    ct_tensor *same = ct_sum(x, CT_AXES(), CT_DROP_AXES);
    CHECK(same != x);
    CHECK_EQUAL(same, x);
    CHECK_EQUAL(ct_mean(x, CT_AXES(), CT_KEEP_AXES), x);
    CHECK_EQUAL(ct_max(x, CT_AXES(), CT_DROP_AXES), x);
    CHECK_EQUAL(ct_logsumexp(x, CT_AXES(), CT_DROP_AXES), x);
    CHECK_VALUES(ct_softmax(x, CT_AXES()), CT_SHAPE(2), {1, 1});
    ct_release(same);
    CHECK_VALUES(ct_sum(x, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {8});
    ct_tensor *s = ct_scalar(ctx, CT_F32, 7);
    CHECK_VALUES(ct_sum(s, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {7});
    CHECK_VALUES(ct_mean(s, CT_ALL_AXES, CT_KEEP_AXES), CT_SHAPE(), {7});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Axes of extent 1, which vanish without a sum. */
TEST(axes_of_extent_one)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1, 3, 1), {1, 2, 4});
    CHECK_VALUES(ct_sum(x, CT_AXES(0, 2), CT_DROP_AXES), CT_SHAPE(3), {1, 2, 4});
    CHECK_VALUES(ct_sum(x, CT_AXES(0), CT_KEEP_AXES), CT_SHAPE(1, 3, 1), {1, 2, 4});
    CHECK_VALUES(ct_sum(x, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {7});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(axes_that_do_not_exist)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2, 3));
    ct_sum(x, CT_AXES(2), CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "sum: axis 2 does not exist in rank 2");
    ct_mean(x, CT_AXES(-3), CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "mean: axis -3 does not exist in rank 2");
    ct_max(x, CT_AXES(1, -1), CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "max: axis 1 is named twice");
    ct_softmax(x, CT_AXES(0, 1, 0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "softmax: axis 0 is named twice");
    ct_sum(ct_scalar(ctx, CT_F32, 1), CT_AXES(0), CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "sum: axis 0 does not exist in rank 0");
    CHECK(ct_is_poison(ct_sum(NULL, CT_ALL_AXES, CT_DROP_AXES)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Dtypes. */

TEST(dtypes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *b = ct_ones(ctx, CT_BOOL, CT_SHAPE(3)), *i = ct_ones(ctx, CT_I8, CT_SHAPE(3));
    ct_tensor *c = ct_ones(ctx, CT_C64, CT_SHAPE(3));
    ct_sum(b, CT_ALL_AXES, CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_TYPE,
                "sum: x is bool; it takes floats, integers, complex (ct_cast converts)");
    ct_mean(i, CT_ALL_AXES, CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "mean: x is i8; it takes floats");
    ct_logsumexp(i, CT_ALL_AXES, CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "logsumexp: x is i8");
    ct_max(c, CT_ALL_AXES, CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "max: x is c64; it takes floats, integers, bool");
    CHECK_VALUES(ct_sum(ct_mul(i, 100), CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {44}); /* wraps */
    CHECK_VALUES(ct_max(b, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {1});
    CHECK_VALUES(ct_min(ct_not(b), CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* In f16 a running sum stops at 2048: 2048 + 1 rounds to 2048. In bf16 it stops at 256. Converted
 * to f32 it does not. */
TEST(halves_are_summed_in_f32)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *f16 = ct_ones(ctx, CT_F16, CT_SHAPE(4096));
    ct_tensor *bf16 = ct_ones(ctx, CT_BF16, CT_SHAPE(2, 512));
    ct_tensor *total = ct_sum(f16, CT_ALL_AXES, CT_DROP_AXES);
    CHECK_VALUES(total, CT_SHAPE(), {4096});
    CHECK(ct_dtype_of(total) == CT_F16);
    CHECK_VALUES(ct_sum(bf16, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(2), {512, 512});
    CHECK_VALUES(ct_mean(f16, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {1});
    /* the sum 65504 · 3 overflows f16, the mean does not */
    CHECK_VALUES(
        ct_mean(given(ctx, CT_F16, CT_SHAPE(3), {65504, 65504, 65504}), CT_ALL_AXES, CT_DROP_AXES),
        CT_SHAPE(), {65504});
    ct_tensor *even = ct_softmax(bf16, CT_AXES(-1)); /* 512 times 1/512, a bf16 */
    CHECK_VALUES(ct_min(even, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {0x1p-9});
    CHECK_VALUES(ct_max(even, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {0x1p-9});
    CHECK(ct_dtype_of(even) == CT_BF16);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Values at the edges. */

TEST(reductions_of_nothing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *f = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0)), *i = ct_zeros(ctx, CT_I16, CT_SHAPE(0));
    CHECK_VALUES(ct_sum(f, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(2), {0, 0});
    CHECK_VALUES(ct_mean(f, CT_AXES(1), CT_KEEP_AXES), CT_SHAPE(2, 1), {NAN, NAN});
    CHECK_VALUES(ct_max(f, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(2), {-INFINITY, -INFINITY});
    CHECK_VALUES(ct_min(f, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {INFINITY});
    CHECK_VALUES(ct_logsumexp(f, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(2), {-INFINITY, -INFINITY});
    CHECK_EMPTY(ct_softmax(f, CT_AXES(1)), CT_SHAPE(2, 0));
    CHECK_EMPTY(ct_sum(f, CT_AXES(0), CT_DROP_AXES), CT_SHAPE(0));
    CHECK_VALUES(ct_sum(i, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {0});
    CHECK_VALUES(ct_max(i, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {-32768});
    CHECK_VALUES(ct_min(i, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {32767});
    ct_tensor *least = ct_min(ct_zeros(ctx, CT_U64, CT_SHAPE(0)), CT_ALL_AXES, CT_DROP_AXES);
    CHECK((uint64_t)ct_element_int_at(CT_HERE, least, CT_SHAPE()) == UINT64_MAX);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(extremes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {3, -1, -INFINITY, NAN, 0, 5});
    CHECK_VALUES(ct_max(x, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(3), {3, NAN, 5});
    CHECK_VALUES(ct_min(x, CT_AXES(0), CT_DROP_AXES), CT_SHAPE(2), {-INFINITY, NAN});
    ct_tensor *i = given(ctx, CT_I8, CT_SHAPE(4), {-128, 3, 127, -1});
    CHECK_VALUES(ct_max(i, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {127});
    CHECK_VALUES(ct_min(i, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {-128});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* One element is e times the other; e^1000 would overflow. */
TEST(logsumexp_and_softmax)
{
    ct_context *ctx = ct_context_new();
    const double e = exp(1), p = e / (1 + e);
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {1000, 1001, -1000, -999, 0, 1});
    CHECK_CLOSE(ct_logsumexp(x, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(3), 1e-15,
                {1000 + log1p(e), -1000 + log1p(e), log1p(e)});
    CHECK_CLOSE(ct_softmax(x, CT_AXES(1)), CT_SHAPE(3, 2), 1e-15, {1 - p, p, 1 - p, p, 1 - p, p});
    CHECK_CLOSE(ct_log_softmax(x, CT_AXES(-1)), CT_SHAPE(3, 2), 1e-14,
                {-log1p(e), 1 - log1p(e), -log1p(e), 1 - log1p(e), -log1p(e), 1 - log1p(e)});
    ct_tensor *far = given(ctx, CT_F32, CT_SHAPE(3), {0, -1000, -INFINITY});
    CHECK_VALUES(ct_softmax(far, CT_AXES(0)), CT_SHAPE(3), {1, 0, 0});
    CHECK_VALUES(ct_log_softmax(far, CT_AXES(0)), CT_SHAPE(3), {0, -1000, -INFINITY});
    CHECK_VALUES(ct_softmax(given(ctx, CT_F32, CT_SHAPE(2), {-INFINITY, -INFINITY}), CT_AXES(0)),
                 CT_SHAPE(2), {NAN, NAN});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(logsumexp_of_infinities)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(6, 2),
                         {-inf, -inf, inf, 1, inf, -inf, inf, inf, 2, -inf, NAN, inf});
    CHECK_VALUES(ct_logsumexp(x, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(6),
                 {-inf, inf, inf, inf, 2, NAN});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Slopes. */

static ct_tensor *sum_kept(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_sum(x[0], CT_AXES(1, 0), CT_KEEP_AXES);
}

static ct_tensor *mean_of_four(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_mean(x[0], CT_AXES(-1), CT_DROP_AXES);
}

TEST(linear_slopes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 2, 3, 4);
    CHECK_LINEAR(ctx, sum_kept, NULL, 2, x);
    CHECK_LINEAR(ctx, mean_of_four, NULL, 2, x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *logsumexp_all(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_logsumexp(x[0], CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *softmax_rows(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_softmax(x[0], CT_AXES(1));
}

static ct_tensor *log_softmax_columns(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_log_softmax(x[0], CT_AXES(0));
}

TEST(smooth_slopes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {0.3, -0.8, 1.1, 0.2, 2.5, -1.4});
    CHECK_SMOOTH(ctx, logsumexp_all, NULL, 2, x);
    CHECK_SMOOTH(ctx, softmax_rows, NULL, 2, x);
    CHECK_SMOOTH(ctx, log_softmax_columns, NULL, 2, x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *max_all(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_max(x[0], CT_ALL_AXES, CT_DROP_AXES);
}

/* Equal ones share the slope; where the largest is infinite logsumexp has the slope of the largest,
 * and an element -inf beside finite ones has none. */
TEST(slopes_at_ties_and_infinities)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    ct_tensor *tie = given(ctx, CT_F64, CT_SHAPE(3), {5, 3, 5});
    CHECK_MATRIX(ctx, max_all, NULL, CT_ARGV(tie), {0.5, 0, 0.5});
    ct_tensor *low = given(ctx, CT_F64, CT_SHAPE(2), {-inf, -inf});
    CHECK_MATRIX(ctx, logsumexp_all, NULL, CT_ARGV(low), {0.5, 0.5});
    ct_tensor *one = given(ctx, CT_F64, CT_SHAPE(1), {-inf});
    CHECK_MATRIX(ctx, logsumexp_all, NULL, CT_ARGV(one), {1});
    ct_tensor *high = given(ctx, CT_F64, CT_SHAPE(3), {inf, 1, -inf});
    CHECK_MATRIX(ctx, logsumexp_all, NULL, CT_ARGV(high), {1, 0, 0});
    ct_tensor *masked = given(ctx, CT_F64, CT_SHAPE(3), {0, -inf, 0});
    CHECK_MATRIX(ctx, logsumexp_all, NULL, CT_ARGV(masked), {0.5, 0, 0.5});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Products, places, truth; more values are in test_folds_and_orders. */

static ct_tensor *prod_rows(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_prod(x[0], CT_AXES(1), CT_KEEP_AXES);
}

TEST(prod)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {2, 0, -3, 1, 4, 2});
    CHECK_VALUES(ct_prod(x, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {0});
    CHECK_LINEAR(ctx, prod_rows, NULL, 3, x);
    CHECK_DTYPES(ctx, prod_rows, NULL, 0, x);
    CHECK_VALUES(ct_prod(ct_zeros(ctx, CT_I8, CT_SHAPE(2, 0)), CT_AXES(1), CT_DROP_AXES),
                 CT_SHAPE(2), {1, 1});
    /* in f32: 2^-24 2^24 2^16 / 2^16 would leave f16 on the way */
    ct_tensor *wide = given(ctx, CT_F16, CT_SHAPE(4), {0x1p-14, 0x1p-14, 0x1p14, 0x1p14});
    CHECK_VALUES(ct_prod(wide, CT_AXES(0), CT_DROP_AXES), CT_SHAPE(), {1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(places_of_extremes)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    ct_tensor *low = ct_full(ctx, CT_F32, CT_SHAPE(3), -inf);
    CHECK_VALUES(ct_argmax(low, 0, CT_DROP_AXES), CT_SHAPE(), {0});
    ct_tensor *x = given(ctx, CT_F16, CT_SHAPE(2, 4), {-0.0, 0, inf, NAN, 5, -NAN, NAN, -inf});
    CHECK_VALUES(ct_argmax(x, 1, CT_KEEP_AXES), CT_SHAPE(2, 1), {3, 1});
    CHECK_VALUES(ct_argmin(x, 1, CT_DROP_AXES), CT_SHAPE(2), {3, 1});
    CHECK_VALUES(ct_argmin(x, 0, CT_DROP_AXES), CT_SHAPE(4), {0, 1, 1, 0});
    CHECK_VALUES(ct_argmax(ct_zeros(ctx, CT_U8, CT_SHAPE(4)), 0, CT_DROP_AXES), CT_SHAPE(), {0});
    CHECK_EMPTY(ct_argmax(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3)), 1, CT_DROP_AXES), CT_SHAPE(0));
    CHECK_EMPTY(ct_argmax(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 0)), 1, CT_DROP_AXES), CT_SHAPE(0));
    CHECK_OK(ctx);
    ct_argmax(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3)), 0, CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "argmax: axis 0 has extent 0");
    ct_argmin(ct_ones(ctx, CT_C64, CT_SHAPE(2)), 0, CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "argmin: x is c64");
    ct_argmin(ct_ones(ctx, CT_F32, CT_SHAPE()), 0, CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "argmin: axis");
    ct_context_free(ctx);
}

/* A constant: what is computed with it has a derivative all the same. */
static ct_tensor *beside_argmax(const void *user, ct_tensor *const *x)
{
    ct_tensor *place = ct_cast(ct_argmax(x[0], 0, CT_DROP_AXES), ct_dtype_of(x[0]));
    ct_tensor *any = ct_cast(ct_any(x[0], CT_ALL_AXES, CT_DROP_AXES), ct_dtype_of(x[0]));
    (void)user;
    return ct_mul(ct_square(x[0]), ct_add(place, any));
}

TEST(slopes_beside_places)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, beside_argmax, NULL, 2, given(ctx, CT_F64, CT_SHAPE(3), {1, -2, 5}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(truth)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *none = ct_zeros(ctx, CT_BOOL, CT_SHAPE(2, 0));
    CHECK_VALUES(ct_any(none, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(2), {0, 0});
    CHECK_VALUES(ct_all(none, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(2), {1, 1});
    CHECK_EQUAL(ct_any(ct_ones(ctx, CT_BOOL, CT_SHAPE(2)), CT_AXES(), CT_DROP_AXES),
                ct_ones(ctx, CT_BOOL, CT_SHAPE(2)));
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2, 2), {NAN, 1, -0.0, 0});
    CHECK_VALUES(ct_all(x, CT_AXES(1), CT_DROP_AXES), CT_SHAPE(2), {1, 0});
    CHECK_VALUES(ct_any(x, CT_AXES(-1), CT_KEEP_AXES), CT_SHAPE(2, 1), {1, 0});
    static const float z[] = {0, 0, 0, 1}; /* 0 and i */
    ct_tensor *c = ct_from_data(ctx, CT_C64, CT_SHAPE(2), z);
    CHECK_VALUES(ct_any(c, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {1});
    CHECK_VALUES(ct_all(c, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(), {0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void reductions(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F16, CT_SHAPE(2, 3));
    ct_mean(x, CT_AXES(0), CT_KEEP_AXES);
    ct_logsumexp(x, CT_AXES(1), CT_DROP_AXES);
    ct_log_softmax(x, CT_AXES(1));
    ct_prod(x, CT_AXES(1), CT_DROP_AXES);
    ct_argmin(x, 1, CT_DROP_AXES);
    ct_all(x, CT_AXES(1), CT_DROP_AXES);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(reductions);
}
