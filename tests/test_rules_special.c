/* Derivative rules of CHLO's functions: against central differences, in every float dtype, and the
 * slopes at the ends of domains and far out. */
#include "tests/derivatives.h"

#include <cotangent/elementwise.h>

#include <math.h>

typedef ct_tensor *unary_op(ct_place at, ct_tensor *x);
typedef struct unary {
    unary_op *op;
} unary;

static ct_tensor *apply(const void *user, ct_tensor *const *x)
{
    return ((const unary *)user)->op(CT_HERE, x[0]);
}

TEST(smooth_points)
{
    static const struct {
        unary_op *op;
        double x[4], bound; /* of narrow dtypes */
    } cases[] = {
        {ct_op_acos_at, {-0.75, -0.25, 0.125, 0.5}, 8},
        {ct_op_acosh_at, {1.25, 1.5, 3, 8}, 8},
        {ct_op_asin_at, {-0.75, -0.25, 0.125, 0.5}, 8},
        {ct_op_asinh_at, {-3, -0.25, 0.75, 8}, 8},
        {ct_op_atan_at, {-3, -0.25, 0.75, 8}, 8},
        {ct_op_atanh_at, {-0.75, -0.25, 0.125, 0.5}, 8},
        {ct_op_bessel_i1e_at, {-6, 0.25, 3, 12}, 8},
        {ct_op_cosh_at, {-2, 0.25, 0.75, 1.5}, 8},
        {ct_op_digamma_at, {0.5, 1.25, 3, 12}, 8},
        {ct_op_erf_inv_at, {-0.75, -0.25, 0.125, 0.5}, 8},
        {ct_op_erfc_at, {-1.5, -0.25, 0.125, 2}, 8},
        {ct_op_lgamma_at, {0.5, 2.25, 3, 12}, 8},
        {ct_op_sinh_at, {-2, 0.25, 0.75, 1.5}, 8},
    };
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unary u = {cases[i].op};
        ct_tensor *x = ct_from_doubles(ctx, CT_F64, CT_SHAPE(2, 2), cases[i].x);
        CHECK_SMOOTH(ctx, apply, &u, 3, x);
        CHECK_DTYPES(ctx, apply, &u, cases[i].bound, x);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* At orders and exponents that are constants. */
static ct_tensor *second_derivative(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_polygamma(2, x[0]);
}

static ct_tensor *zeta_of_three_halves(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_zeta(1.5, x[0]);
}

static ct_tensor *neighbour(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_next_after(x[0], x[1]);
}

TEST(two_operands)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {0.75, 1.5, 6});
    CHECK_SMOOTH(ctx, second_derivative, NULL, 2, x);
    CHECK_SMOOTH(ctx, zeta_of_three_halves, NULL, 2, x);
    CHECK_DTYPES(ctx, second_derivative, NULL, 8, x);
    CHECK_DTYPES(ctx, zeta_of_three_halves, NULL, 8, x);
    CHECK_MATRIX(
        ctx, neighbour, NULL,
        CT_ARGV(given(ctx, CT_F32, CT_SHAPE(2), {1, 0}), given(ctx, CT_F32, CT_SHAPE(2), {-1, 2})),
        {0, 0, 0, 0, 0, 0, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Reflection: digamma's slope below 0 is polygamma's, which sums on both sides of the pole. */
TEST(below_zero)
{
    ct_context *ctx = ct_context_new();
    unary digamma = {ct_op_digamma_at}, lgamma = {ct_op_lgamma_at};
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {-0.25, -1.5, -6.75});
    CHECK_SMOOTH(ctx, apply, &lgamma, 3, x);
    CHECK_SMOOTH(ctx, apply, &digamma, 2, x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(ends_and_far_out)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        unary_op *op;
        ct_dtype dtype;
        double x, slope;
    } rows[] = {
        {ct_op_asin_at, CT_F32, 1, inf},          {ct_op_asin_at, CT_F64, -1, inf},
        {ct_op_acos_at, CT_F32, 1, -inf},         {ct_op_acosh_at, CT_F64, 1, inf},
        {ct_op_acosh_at, CT_F64, 0.5, nan},       {ct_op_atanh_at, CT_F32, 1, inf},
        {ct_op_asinh_at, CT_F16, 32768, 0x1p-15}, {ct_op_asinh_at, CT_F64, -0x1p600, 0x1p-600},
        {ct_op_atan_at, CT_F16, 1024, 0x1p-20},   {ct_op_atan_at, CT_F32, -0x1p70, 0x1p-140},
        {ct_op_atan_at, CT_F32, inf, 0},          {ct_op_atan_at, CT_F64, -inf, 0},
        {ct_op_asinh_at, CT_F16, -inf, 0},        {ct_op_asinh_at, CT_F64, inf, 0},
        {ct_op_atan_at, CT_F64, nan, nan},        {ct_op_asinh_at, CT_F32, nan, nan},
        {ct_op_acosh_at, CT_F32, inf, 0},         {ct_op_bessel_i1e_at, CT_F64, inf, -0.0},
        {ct_op_erf_inv_at, CT_F64, 1, inf},       {ct_op_erfc_at, CT_F32, inf, -0.0},
        {ct_op_lgamma_at, CT_F64, -2, nan},       {ct_op_digamma_at, CT_F64, -2, inf}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unary u = {rows[i].op};
        CHECK_MATRIX(ctx, apply, &u, CT_ARGV(ct_scalar(ctx, rows[i].dtype, rows[i].x)),
                     {rows[i].slope});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* First and second derivative of e^-|x| I1(x), by mpmath: where the recurrence would cancel, on
 * both sides of 8, where the polynomials meet, and at the kink. */
TEST(bessel_far_and_near)
{
    static const double rows[][3] = {{0, 0.5, 0},
                                     {0.5, 0.17577286089453498, -0.39024983720839651},
                                     {8, -0.0074785230974351399, 0.001220026378160809},
                                     {9, -0.0064015686803783262, 0.00094899225750079188},
                                     {-100, -0.00019721525628487255, -2.9355501838043297e-6},
                                     {1e6, -1.9947091579556674e-10, 2.9920614928808362e-16}};
    ct_context *ctx = ct_context_new();
    unary bessel = {ct_op_bessel_i1e_at};
    ct_tensor *one = ct_ones(ctx, CT_F64, CT_SHAPE()), *both[2];
    ct_function *f = derivatives_record(ctx, apply, &bessel, CT_LIKE(one));
    ct_function *slope = ct_grad(f, CT_ARGS(0));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_tensor *x = ct_scalar(ctx, CT_F64, rows[i][0]);
        ct_apply(ct_jvp(slope, CT_ARGS(0)), CT_ARGV(x, one), both, 2);
        CHECK_CLOSE(both[0], CT_SHAPE(), 0x1p-50, {rows[i][1]});
        CHECK_CLOSE(both[1], CT_SHAPE(), 0x1p-46, {rows[i][2]});
    }
    CHECK_MATRIX(ctx, apply, &bessel, CT_ARGV(ct_scalar(ctx, CT_F64, INFINITY)), {0});
    CHECK_MATRIX(ctx, apply, &bessel, CT_ARGV(ct_scalar(ctx, CT_F16, NAN)), {NAN});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A zero tangent meets no pole. */
static ct_tensor *untaken(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *inside = ct_lt(ct_abs(x[0]), 1);
    return ct_where(inside, ct_asin(x[0]), x[0]);
}

TEST(branches_not_taken)
{
    ct_context *ctx = ct_context_new();
    CHECK_MATRIX(ctx, untaken, NULL, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(2), {1, 3})),
                 {1, 0, 0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* There is no derivative by an order or an exponent, and that is said. */
static ct_tensor *by_order(ct_place at, ct_tensor *n)
{
    return ct_op_polygamma_at(at, n, n);
}

static ct_tensor *by_exponent(ct_place at, ct_tensor *s)
{
    return ct_op_zeta_at(at, s, s);
}

TEST(no_derivative)
{
    ct_context *ctx = ct_context_new();
    static const struct {
        unary_op *op;
        const char *message;
    } rows[] = {{by_order, "polygamma: there is no derivative by n"},
                {by_exponent, "zeta: there is no derivative by s"}};
    for (int i = 0; i < 2; i++) {
        unary u = {rows[i].op};
        ct_function *f = derivatives_record(ctx, apply, &u, CT_LIKE(ct_scalar(ctx, CT_F64, 2)));
        ct_jvp(f, CT_ARGS(0));
        CHECK_ERROR(ctx, CT_ERR_RULE, rows[i].message);
    }
    ct_context_free(ctx);
}
