/* Derivative rules of elementwise operations: against central differences at smooth points, three
 * orders deep, in every float dtype; and the values at kinks, ties, poles and ends of domains. */
#include "tests/derivatives.h"

#include <math.h>

typedef ct_tensor *unary_op(ct_place at, ct_tensor *x);
typedef ct_tensor *binary_op(ct_place at, ct_tensor *x, ct_tensor *y);

typedef struct unary {
    unary_op *op;
} unary;
typedef struct binary {
    binary_op *op;
} binary;

static ct_tensor *apply_unary(const void *user, ct_tensor *const *x)
{
    return ((const unary *)user)->op(CT_HERE, x[0]);
}

static ct_tensor *apply_binary(const void *user, ct_tensor *const *x)
{
    return ((const binary *)user)->op(CT_HERE, x[0], x[1]);
}

/* ---- Smooth points. */

TEST(unary_smooth)
{
    static const struct {
        unary_op *op;
        double x[4];
    } cases[] = {
        {ct_op_abs_at, {-2.5, -0.5, 0.75, 3}},
        {ct_op_cbrt_at, {-2, -0.5, 0.75, 3}},
        {ct_op_cosine_at, {-2, 0, 0.75, 3}},
        {ct_op_exponential_at, {-2, 0, 0.75, 1.5}},
        {ct_op_exponential_minus_one_at, {-2, 0, 0.75, 1.5}},
        {ct_op_log_at, {0.5, 1, 1.75, 3}},
        {ct_op_log_plus_one_at, {-0.5, 0, 0.75, 3}},
        {ct_op_logistic_at, {-3, 0, 0.75, 3}},
        {ct_op_negate_at, {-2, 0, 0.75, 3}},
        {ct_op_rsqrt_at, {0.5, 1, 1.75, 3}},
        {ct_op_sine_at, {-2, 0, 0.75, 3}},
        {ct_op_sqrt_at, {0.5, 1, 1.75, 3}},
        {ct_op_tan_at, {-1, 0, 0.5, 1}},
        {ct_op_tanh_at, {-2, 0, 0.75, 1.5}},
    };
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unary u = {cases[i].op};
        ct_tensor *x = ct_from_doubles(ctx, CT_F64, CT_SHAPE(2, 2), cases[i].x);
        CHECK_SMOOTH(ctx, apply_unary, &u, 3, x);
        CHECK_DTYPES(ctx, apply_unary, &u, 6, x);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(binary_smooth)
{
    static const struct {
        binary_op *op;
        double x[4], y[4];
    } cases[] = {
        {ct_op_add_at, {-2, 0, 0.75, 3}, {3, -0.5, 0, 1}},
        {ct_op_subtract_at, {-2, 0, 0.75, 3}, {3, -0.5, 0, 1}},
        {ct_op_multiply_at, {-2, 0, 0.75, 3}, {3, -0.5, 0, 1}},
        {ct_op_divide_at, {-2, 0, 0.75, 3}, {3, -0.5, 2, 1}},
        {ct_op_atan2_at, {-2, 0.5, 0.75, 3}, {3, -0.5, 2, -1}},
        {ct_op_power_at, {0.5, 1, 1.75, 3}, {3, -0.5, 0, 1}},
        {ct_op_maximum_at, {-2, 0, 0.75, 3}, {3, -0.5, 0, 1}},
        {ct_op_minimum_at, {-2, 0, 0.75, 3}, {3, -0.5, 0, 1}},
        {ct_op_remainder_at, {-5, 0.5, 0.75, 3}, {3, -2, 0.5, -1.25}},
    };
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        binary b = {cases[i].op};
        ct_tensor *x = ct_from_doubles(ctx, CT_F64, CT_SHAPE(4), cases[i].x);
        ct_tensor *y = ct_from_doubles(ctx, CT_F64, CT_SHAPE(4), cases[i].y);
        CHECK_SMOOTH(ctx, apply_binary, &b, 2, x, y);
        CHECK_DTYPES(ctx, apply_binary, &b, 8, x, y);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* scale and scale_either are the product where neither factor is 0. */
TEST(scale_smooth)
{
    ct_context *ctx = ct_context_new();
    binary b = {ct_op_scale_at};
    ct_tensor *t = given(ctx, CT_F64, CT_SHAPE(3), {-2, 0.75, 3});
    CHECK_SMOOTH(ctx, apply_binary, &b, 3, t, given(ctx, CT_F64, CT_SHAPE(3), {3, -0.5, 1}));
    b.op = ct_op_scale_either_at;
    CHECK_SMOOTH(ctx, apply_binary, &b, 3, t, given(ctx, CT_F64, CT_SHAPE(3), {3, -0.5, 1}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *chain(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *a = ct_op_tanh(ct_op_multiply(x[0], x[1]));
    ct_tensor *b = ct_op_divide(ct_op_exponential(ct_op_sine(x[0])), x[1]);
    return ct_op_power(ct_op_logistic(ct_op_add(a, b)), ct_op_sqrt(x[1]));
}

TEST(chain_smooth)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {-0.75, 0.5});
    CHECK_SMOOTH(ctx, chain, NULL, 3, x, given(ctx, CT_F64, CT_SHAPE(2), {1.5, 0.75}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Values that are known. */

/* f'(x) = slope, forward and reverse, in the dtype. Bound: relative, in units of the last place. */
static void check_slope(ct_context *ctx, unary_op *op, ct_dtype dtype, double x, double slope)
{
    static const double unit[CT_DTYPE_COUNT] = {
        [CT_F16] = 0x1p-10, [CT_BF16] = 0x1p-7, [CT_F32] = 0x1p-23, [CT_F64] = 0x1p-52};
    unary u = {op};
    ct_tensor *at = ct_scalar(ctx, dtype, x), *one = ct_scalar(ctx, dtype, 1);
    ct_function *f = derivatives_record(ctx, apply_unary, &u, CT_LIKE(at));
    ct_tensor *both[2];
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(at, one), both, 2);
    double forward = ct_item(both[1]);
    double reverse = ct_item(ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(at, one)));
    bool fine = isfinite(slope) ? fabs(forward - slope) <= 4 * unit[dtype] * fabs(slope)
                                : forward == slope;
    CHECK_OK(ctx);
    CHECK_MSG(fine, "%s(%g): slope %.9g, expected %.9g", ct_dtype_name(dtype), x, forward, slope);
    CHECK_MSG(forward == reverse, "%s(%g): %.9g forward, %.9g reverse", ct_dtype_name(dtype), x,
              forward, reverse);
}

TEST(kinks_and_ends)
{
    ct_context *ctx = ct_context_new();
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        check_slope(ctx, ct_op_abs_at, t, 0, 0);
        check_slope(ctx, ct_op_abs_at, t, -0.0, 0);
        check_slope(ctx, ct_op_sqrt_at, t, 0, INFINITY);
        check_slope(ctx, ct_op_sqrt_at, t, -0.0, INFINITY);
        check_slope(ctx, ct_op_sqrt_at, t, INFINITY, 0);
        check_slope(ctx, ct_op_log_at, t, 0, INFINITY);
        check_slope(ctx, ct_op_log_at, t, -0.0, INFINITY);
        check_slope(ctx, ct_op_log_plus_one_at, t, -1, INFINITY);
        check_slope(ctx, ct_op_cbrt_at, t, 0, INFINITY);
        check_slope(ctx, ct_op_cbrt_at, t, -0.0, INFINITY);
        check_slope(ctx, ct_op_rsqrt_at, t, 0, -INFINITY);
        check_slope(ctx, ct_op_rsqrt_at, t, INFINITY, 0);
        check_slope(ctx, ct_op_exponential_at, t, -INFINITY, 0);
        check_slope(ctx, ct_op_tanh_at, t, INFINITY, 0);
        check_slope(ctx, ct_op_logistic_at, t, INFINITY, 0);
        check_slope(ctx, ct_op_logistic_at, t, -INFINITY, 0);
        check_slope(ctx, ct_op_floor_at, t, 2, 0);
        check_slope(ctx, ct_op_ceil_at, t, 2, 0);
        check_slope(ctx, ct_op_sign_at, t, 0, 0);
        check_slope(ctx, ct_op_round_nearest_afz_at, t, 0.5, 0);
        check_slope(ctx, ct_op_round_nearest_even_at, t, 0.5, 0);
        check_slope(ctx, ct_op_stop_gradient_at, t, 2, 0);
    }
    ct_context_free(ctx);
}

/* Where the formula in the textbook cancels, over- or underflows. */
TEST(accurate_factors)
{
    ct_context *ctx = ct_context_new();
    check_slope(ctx, ct_op_exponential_minus_one_at, CT_F32, -20, 2.0611536224385579e-9);
    check_slope(ctx, ct_op_exponential_minus_one_at, CT_F64, -50, 1.9287498479639178e-22);
    check_slope(ctx, ct_op_logistic_at, CT_F32, 25, 1.3887943864771144e-11);
    check_slope(ctx, ct_op_logistic_at, CT_F32, -25, 1.3887943864771144e-11);
    check_slope(ctx, ct_op_logistic_at, CT_F64, 50, 1.9287498479639178e-22);
    check_slope(ctx, ct_op_cbrt_at, CT_F16, 0x1p-24, 21845.333333333332); /* y² is subnormal */
    check_slope(ctx, ct_op_rsqrt_at, CT_F16, 49152, -0x1p-24);            /* 2x overflows */
    ct_context_free(ctx);
}

/* The derivatives of op(x, y) by both. */
static void check_slopes(ct_context *ctx, binary_op *op, ct_dtype dtype, double x, double y,
                         double by_x, double by_y)
{
    binary b = {op};
    ct_tensor *at[] = {ct_scalar(ctx, dtype, x), ct_scalar(ctx, dtype, y)};
    derivatives_check_matrix(__FILE__, __LINE__, ctx, apply_binary, &b, (ct_list){2, at},
                             (const double[]){by_x, by_y}, 2);
    CHECK_OK(ctx);
}

TEST(ties)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY, nan = NAN;
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        check_slopes(ctx, ct_op_maximum_at, t, 2, 2, 0.5, 0.5);
        check_slopes(ctx, ct_op_maximum_at, t, 0, -0.0, 0.5, 0.5);
        check_slopes(ctx, ct_op_maximum_at, t, inf, inf, 0.5, 0.5);
        check_slopes(ctx, ct_op_maximum_at, t, inf, 1, 1, 0);
        check_slopes(ctx, ct_op_maximum_at, t, -inf, 1, 0, 1);
        check_slopes(ctx, ct_op_minimum_at, t, 2, 2, 0.5, 0.5);
        check_slopes(ctx, ct_op_minimum_at, t, -inf, 1, 1, 0);
        check_slopes(ctx, ct_op_maximum_at, t, nan, 1, 1, 0); /* the NaN was taken */
        check_slopes(ctx, ct_op_minimum_at, t, 1, nan, 0, 1);
        check_slopes(ctx, ct_op_minimum_at, t, nan, nan, 0.5, 0.5);
    }
    ct_context_free(ctx);
}

static ct_tensor *larger_of_same(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_maximum(x[0], x[0]);
}

TEST(tie_with_itself)
{
    ct_context *ctx = ct_context_new();
    CHECK_MATRIX(ctx, larger_of_same, NULL, CT_ARGV(ct_scalar(ctx, CT_F32, 3)), {1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(powers)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY, nan = NAN;
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        check_slopes(ctx, ct_op_power_at, t, 0, 0, 0, 0);
        check_slopes(ctx, ct_op_power_at, t, -0.0, 0, 0, 0);
        check_slopes(ctx, ct_op_power_at, t, 0, 1, 1, 0);
        check_slopes(ctx, ct_op_power_at, t, 0, 2, 0, 0);
        check_slopes(ctx, ct_op_power_at, t, 0, 0.5, inf, 0);
        check_slopes(ctx, ct_op_power_at, t, 0, -1, -inf, -inf);
        check_slopes(ctx, ct_op_power_at, t, -2, 3, 12, nan);
        check_slopes(ctx, ct_op_power_at, t, -2, 0, 0, nan);
        check_slopes(ctx, ct_op_power_at, t, 1, 4, 4, 0);
        check_slopes(ctx, ct_op_power_at, t, inf, 0, 0, inf);
        check_slopes(ctx, ct_op_power_at, t, inf, -1, 0, 0);
    }
    ct_context_free(ctx);
}

static ct_tensor *square_power(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_power(x[0], ct_full(ct_context_of(x[0]), CT_F64, CT_SHAPE(3), 2));
}

/* x² has the second derivative 2 at 0, and the exponent's mixed one at 0 is 1/x. */
TEST(powers_second_order)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {0, -1.5, 2});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(3), {0, 0, 0});
    ct_function *f = derivatives_record(ctx, square_power, NULL, CT_LIKE(x));
    ct_tensor *one = ct_ones(ctx, CT_F64, CT_SHAPE(3)), *result[2];
    ct_function *second = ct_jvp(ct_vjp(f, CT_ARGS(0)), CT_ARGS(0));
    ct_apply(second, CT_ARGV(x, one, one), result, 2);
    CHECK_VALUES(result[1], CT_SHAPE(3), {2, 2, 2});
    ct_apply(ct_vjp(ct_vjp(f, CT_ARGS(0)), CT_ARGS(0)), CT_ARGV(x, one, one), result, 1);
    CHECK_VALUES(result[0], CT_SHAPE(3), {2, 2, 2});

    binary power = {ct_op_power_at};
    f = derivatives_record(ctx, apply_binary, &power, CT_LIKE(x, y));
    ct_apply(ct_jvp(ct_vjp(f, CT_ARGS(0)), CT_ARGS(1)),
             CT_ARGV(ct_full(ctx, CT_F64, CT_SHAPE(3), 4), y, one, one), result, 2);
    CHECK_VALUES(result[1], CT_SHAPE(3), {0.25, 0.25, 0.25});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(quotients)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY, nan = NAN;
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        check_slopes(ctx, ct_op_divide_at, t, 1, 0, inf, -inf);
        check_slopes(ctx, ct_op_divide_at, t, -1, -0.0, -inf, inf);
        check_slopes(ctx, ct_op_divide_at, t, 1, inf, 0, 0);
        check_slopes(ctx, ct_op_divide_at, t, 0, 2, 0.5, 0);
        check_slopes(ctx, ct_op_remainder_at, t, 4, 2, 1, -2);
        check_slopes(ctx, ct_op_remainder_at, t, -4, 2, 1, 2);
        check_slopes(ctx, ct_op_remainder_at, t, 5, 2, 1, -2);
        check_slopes(ctx, ct_op_remainder_at, t, 5, -2, 1, 2);
        check_slopes(ctx, ct_op_remainder_at, t, 5, inf, 1, 0);
        check_slopes(ctx, ct_op_remainder_at, t, 5, 0, 1, nan);
    }
    /* x/y rounds to 3 and is below it */
    check_slopes(ctx, ct_op_remainder_at, CT_F64, 3 - 0x1p-51, 1 + 0x1p-52, 1, -2);
    ct_context_free(ctx);
}

TEST(angles)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY, nan = NAN;
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        check_slopes(ctx, ct_op_atan2_at, t, 0, 0, nan, nan);
        check_slopes(ctx, ct_op_atan2_at, t, 0, 2, 0.5, 0);
        check_slopes(ctx, ct_op_atan2_at, t, 4, 0, 0, -0.25);
        check_slopes(ctx, ct_op_atan2_at, t, 2, inf, 0, 0);
        check_slopes(ctx, ct_op_atan2_at, t, inf, 2, 0, 0);
    }
    /* the squares overflow, or vanish */
    check_slopes(ctx, ct_op_atan2_at, CT_F16, 512, -512, -0x1p-10, -0x1p-10);
    check_slopes(ctx, ct_op_atan2_at, CT_F16, 0x1p-13, 0x1p-13, 4096, -4096);
    check_slopes(ctx, ct_op_atan2_at, CT_F32, 0x1p100, 0x1p100, 0x1p-101, -0x1p-101);
    check_slopes(ctx, ct_op_atan2_at, CT_F64, 0x1p-600, 0x1p-600, 0x1p599, -0x1p599);
    ct_context_free(ctx);
}

/* ---- A zero that meets an infinity. */

static ct_tensor *root_of_square(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_sqrt(ct_op_multiply(x[0], x[0]));
}

static ct_tensor *sigmoid(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *one = ct_ones(ct_context_of(x[0]), CT_F64, CT_SHAPE(3));
    return ct_op_divide(one, ct_op_add(one, ct_op_exponential(ct_op_negate(x[0]))));
}

static ct_tensor *log_where_positive(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *zero = ct_zeros(ct_context_of(x[0]), CT_F64, CT_SHAPE(3));
    ct_tensor *positive = ct_op_compare(x[0], zero, CT_GT, CT_COMPARE_DEFAULT);
    return ct_op_select(positive, ct_op_log(x[0]), zero);
}

static ct_tensor *times_infinity(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_multiply(x[0], ct_full(ct_context_of(x[0]), CT_F64, CT_SHAPE(2), INFINITY));
}

static ct_tensor *over_zero(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_divide(x[0], ct_zeros(ct_context_of(x[0]), CT_F64, CT_SHAPE(2)));
}

/* Constants that are not safe factors are guarded too. */
TEST(zero_meets_constant)
{
    const double inf = INFINITY;
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {1, 2});
    CHECK_MATRIX(ctx, times_infinity, NULL, CT_ARGV(x), {inf, 0, 0, inf});
    CHECK_MATRIX(ctx, over_zero, NULL, CT_ARGV(x), {inf, 0, 0, inf});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(zero_meets_infinity)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {0, -3, 3});
    CHECK_MATRIX(ctx, root_of_square, NULL, CT_ARGV(x), {0, 0, 0, 0, -1, 0, 0, 0, 1});
    x = given(ctx, CT_F64, CT_SHAPE(3), {-800, 0, 800});
    CHECK_MATRIX(ctx, sigmoid, NULL, CT_ARGV(x), {0, 0, 0, 0, 0.25, 0, 0, 0, 0});
    x = given(ctx, CT_F64, CT_SHAPE(3), {0, -1, 4});
    CHECK_MATRIX(ctx, log_where_positive, NULL, CT_ARGV(x), {0, 0, 0, 0, 0, 0, 0, 0, 0.25});

    ct_function *f = derivatives_record(ctx, sigmoid, NULL, CT_LIKE(x));
    ct_tensor *one = ct_ones(ctx, CT_F64, CT_SHAPE(3)), *second[2];
    x = given(ctx, CT_F64, CT_SHAPE(3), {-800, 0, 800});
    ct_apply(ct_jvp(ct_vjp(f, CT_ARGS(0)), CT_ARGS(0)), CT_ARGV(x, one, one), second, 2);
    CHECK_VALUES(second[1], CT_SHAPE(3), {0, 0, 0});
    ct_apply(ct_vjp(ct_vjp(f, CT_ARGS(0)), CT_ARGS(0)), CT_ARGV(x, one, one), second, 1);
    CHECK_VALUES(second[0], CT_SHAPE(3), {0, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* 0·inf is not a product of the rule when the infinity is the tangent: it stays. */
TEST(infinite_slope_stays)
{
    ct_context *ctx = ct_context_new();
    binary multiply = {ct_op_multiply_at};
    ct_tensor *x[] = {ct_scalar(ctx, CT_F64, 0), ct_scalar(ctx, CT_F64, INFINITY)};
    CHECK_MATRIX(ctx, apply_binary, &multiply, ((ct_list){2, x}), {INFINITY, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Choosing. */

static ct_tensor *choose(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_select(x[0], x[1], x[2]);
}

static ct_tensor *clamp(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_clamp(x[0], x[1], x[2]);
}

TEST(select)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *pred = given(ctx, CT_BOOL, CT_SHAPE(3), {1, 0, 1});
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {1, 2, 3});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(3), {5, NAN, 7});
    CHECK_LINEAR(ctx, choose, NULL, 2, pred, x, given(ctx, CT_F64, CT_SHAPE(3), {5, 6, 7}));
    CHECK_LINEAR(ctx, choose, NULL, 2, ct_scalar(ctx, CT_BOOL, 0), x, x);
    CHECK_MATRIX(ctx, choose, NULL, CT_ARGV(ct_scalar(ctx, CT_BOOL, 1), x, y),
                 {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(clamp)
{
    ct_context *ctx = ct_context_new();
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        ct_tensor *lo = ct_scalar(ctx, t, 1), *hi = ct_scalar(ctx, t, 3);
        ct_tensor *x = given(ctx, t, CT_SHAPE(5), {0, 1, 2, 3, 4});
        CHECK_MATRIX(ctx, clamp, NULL, CT_ARGV(lo, x, hi),
                     {1,   0, 0,   0, 0,   0, 0,   /* below: all to lo */
                      0.5, 0, 0.5, 0, 0,   0, 0,   /* at lo: half to each */
                      0,   0, 0,   1, 0,   0, 0,   /* inside */
                      0,   0, 0,   0, 0.5, 0, 0.5, /* at hi */
                      0,   0, 0,   0, 0,   0, 1}); /* above */
        /* bounds in the wrong order: hi wins; all equal: min(max(x, lo), hi) */
        ct_tensor *one = given(ctx, t, CT_SHAPE(1), {2});
        CHECK_MATRIX(ctx, clamp, NULL, CT_ARGV(ct_scalar(ctx, t, 3), one, lo), {0, 0, 1});
        CHECK_MATRIX(ctx, clamp, NULL, CT_ARGV(one, one, one), {0.25, 0.25, 0.5});
    }
    CHECK_SMOOTH(ctx, clamp, NULL, 2, given(ctx, CT_F64, CT_SHAPE(3), {1, 2, 3}),
                 given(ctx, CT_F64, CT_SHAPE(3), {0, 3, 9}),
                 given(ctx, CT_F64, CT_SHAPE(3), {5, 6, 7}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Between dtypes. */

static ct_tensor *through_f32(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *y = ct_op_convert(x[0], CT_F32);
    return ct_op_convert(ct_op_multiply(y, y), CT_F64);
}

static ct_tensor *through_integers(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_add(x[0], ct_op_convert(ct_op_convert(x[0], CT_I32), CT_F64));
}

TEST(convert)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {1.5, -2});
    CHECK_MATRIX(ctx, through_f32, NULL, CT_ARGV(x), {3, 0, 0, -4});
    CHECK_MATRIX(ctx, through_integers, NULL, CT_ARGV(x), {1, 0, 0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Bits. */

static ct_tensor *rounded(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_reduce_precision(x[0], 5, 2);
}

static ct_tensor *as_bits(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *bits = ct_op_bitcast_convert(x[0], CT_I32);
    return ct_op_multiply(x[0], ct_op_bitcast_convert(bits, CT_F32));
}

/* Rounding passes tangents and cotangents on, rounded; bits have no tangent. */
TEST(bits)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1.3, -5}), *both[2];
    CHECK_MATRIX(ctx, rounded, NULL, CT_ARGV(x), {1, 0, 0, 1});
    ct_function *f = derivatives_record(ctx, rounded, NULL, CT_LIKE(x));
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, given(ctx, CT_F32, CT_SHAPE(2), {1.3, 9})), both, 2);
    CHECK_VALUES(both[1], CT_SHAPE(2), {1.25, 8});
    CHECK_VALUES(
        ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, given(ctx, CT_F32, CT_SHAPE(2), {1.3, 9}))),
        CT_SHAPE(2), {1.25, 8});
    x = given(ctx, CT_F32, CT_SHAPE(2), {1.5, -5});
    CHECK_MATRIX(ctx, as_bits, NULL, CT_ARGV(x), {1.5, 0, 0, -5});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
