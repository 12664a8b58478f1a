/* Derivatives of complex values. Small programs take and give the real and imaginary parts as two
 * real arguments and one result, so that they are compared with differences along both; the complex
 * derivatives themselves are compared with values of mpmath, and as adjoints under Re Σ a b. */
#include "tests/derivatives.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <string.h>

typedef ct_tensor *unary_op(ct_place at, ct_tensor *x);
typedef ct_tensor *binary_op(ct_place at, ct_tensor *x, ct_tensor *y);

typedef struct unary {
    unary_op *op;
} unary;
typedef struct binary {
    binary_op *op;
} binary;

static ct_tensor *flat(ct_tensor *x)
{
    return ct_op_reshape(x, CT_DIMS(ct_size(x)));
}

/* All real parts, then all imaginary ones; a real w as it is. */
static ct_tensor *parts(ct_tensor *w)
{
    if (!ct_dtype_is_complex(ct_dtype_of(w)))
        return flat(w);
    return ct_op_concatenate(CT_ARGV(flat(ct_op_real(w)), flat(ct_op_imag(w))), 0);
}

static ct_tensor *apply_unary(const void *user, ct_tensor *const *x)
{
    return parts(((const unary *)user)->op(CT_HERE, ct_op_complex(x[0], x[1])));
}

static ct_tensor *apply_binary(const void *user, ct_tensor *const *x)
{
    return parts(
        ((const binary *)user)->op(CT_HERE, ct_op_complex(x[0], x[1]), ct_op_complex(x[2], x[3])));
}

/* One complex number. */
static ct_tensor *number(ct_context *ctx, ct_dtype dtype, double re, double im)
{
    ct_dtype part = dtype == CT_C64 ? CT_F32 : CT_F64;
    return ct_op_complex(ct_scalar(ctx, part, re), ct_scalar(ctx, part, im));
}

/* The parts of x within a bound, relative to |re + i im|; NaN and infinities as they are. */
static void check_number(int line, const char *what, ct_tensor *x, double re, double im,
                         double bound)
{
    double found[2] = {ct_item(ct_op_real(x)), ct_item(ct_op_imag(x))}, want[2] = {re, im};
    for (int i = 0; i < 2; i++) {
        bool fine = isfinite(want[i]) ? fabs(found[i] - want[i]) <= bound * hypot(re, im)
                    : isnan(want[i])  ? isnan(found[i])
                                      : found[i] == want[i];
        if (!fine)
            check_fail(__FILE__, line, "%s: part %d is %.17g, expected %.17g", what, i, found[i],
                       want[i]);
    }
}
#define CHECK_NUMBER(what, x, re, im, bound) check_number(__LINE__, what, x, re, im, bound)

/* Of f: C -> C at z, along dz and back along ybar. */
static ct_tensor *forward_of(ct_function *f, ct_tensor *z, ct_tensor *dz)
{
    ct_tensor *both[2];
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(z, dz), both, 2);
    return both[1];
}

static ct_tensor *reverse_of(ct_function *f, ct_tensor *z, ct_tensor *ybar)
{
    return ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(z, ybar));
}

static ct_tensor *apply_complex(const void *user, ct_tensor *const *x)
{
    return ((const unary *)user)->op(CT_HERE, x[0]);
}

/* ---- Holomorphic functions. */

static const struct {
    unary_op *op;
    double z[2], slope[2];
} slopes[] = {
    {ct_op_acos_at, {0.75, -1.25}, {-0.56164084083260392, 0.22209945515216426}},
    {ct_op_acos_at, {-0.5, 2}, {-0.43177078956364746, 0.087192231928370984}},
    {ct_op_acosh_at, {0.75, -1.25}, {0.22209945515216426, 0.56164084083260392}},
    {ct_op_acosh_at, {-0.5, 2}, {-0.087192231928370984, -0.43177078956364746}},
    {ct_op_asin_at, {0.75, -1.25}, {0.56164084083260392, -0.22209945515216426}},
    {ct_op_asin_at, {-0.5, 2}, {0.43177078956364746, -0.087192231928370984}},
    {ct_op_asinh_at, {0.75, -1.25}, {0.51639777949432225, 0.51639777949432225}},
    {ct_op_asinh_at, {-0.5, 2}, {0.16770213325966558, 0.5157148857049605}},
    {ct_op_atan_at, {0.75, -1.25}, {0, 0.53333333333333333}},
    {ct_op_atan_at, {-0.5, 2}, {-0.23783783783783784, 0.17297297297297297}},
    {ct_op_atanh_at, {0.75, -1.25}, {0.26611226611226611, -0.24948024948024948}},
    {ct_op_atanh_at, {-0.5, 2}, {0.17882352941176471, -0.075294117647058824}},
    {ct_op_cbrt_at, {0.75, -1.25}, {0.20047181470724576, 0.16442049637976299}},
    {ct_op_cbrt_at, {-0.5, 2}, {0.072546955300879222, -0.19257415704070478}},
    {ct_op_cosh_at, {0.75, -1.25}, {0.25929485455116278, -1.2286345240950955}},
    {ct_op_cosh_at, {-0.5, 2}, {0.21685216292078971, 1.0253473885839877}},
    {ct_op_cosine_at, {0.75, -1.25}, {-1.2872229100264919, 1.1721063598927026}},
    {ct_op_cosine_at, {-0.5, 2}, {1.8036926955321817, -3.1828694483371488}},
    {ct_op_exponential_at, {0.75, -1.25}, {0.66753744642913159, -2.0090004549409488}},
    {ct_op_exponential_at, {-0.5, 2}, {-0.2524058153082637, 0.55151676816758074}},
    {ct_op_exponential_minus_one_at, {0.75, -1.25}, {0.66753744642913159, -2.0090004549409488}},
    {ct_op_exponential_minus_one_at, {-0.5, 2}, {-0.2524058153082637, 0.55151676816758074}},
    {ct_op_log_at, {0.75, -1.25}, {0.35294117647058824, 0.58823529411764706}},
    {ct_op_log_at, {-0.5, 2}, {-0.11764705882352941, -0.47058823529411765}},
    {ct_op_log_plus_one_at, {0.75, -1.25}, {0.37837837837837838, 0.27027027027027027}},
    {ct_op_log_plus_one_at, {-0.5, 2}, {0.11764705882352941, -0.47058823529411765}},
    {ct_op_logistic_at, {0.75, -1.25}, {0.27163934900528746, 0.15052668813133135}},
    {ct_op_logistic_at, {-0.5, 2}, {0.52423878665579638, 0.46802472639836135}},
    {ct_op_negate_at, {0.75, -1.25}, {-1, 0}},
    {ct_op_negate_at, {-0.5, 2}, {-1, 0}},
    {ct_op_rsqrt_at, {0.75, -1.25}, {-0.0071670541310645624, -0.28399621453944348}},
    {ct_op_rsqrt_at, {-0.5, 2}, {0.15438023776716716, 0.068559063094560104}},
    {ct_op_sine_at, {0.75, -1.25}, {1.3817387306342589, 1.0919301355539747}},
    {ct_op_sine_at, {-0.5, 2}, {3.3016373329140946, 1.7388095044743163}},
    {ct_op_sinh_at, {0.75, -1.25}, {0.40824259187796881, -0.78036593084585324}},
    {ct_op_sinh_at, {-0.5, 2}, {-0.46925797822905341, -0.47383062041640699}},
    {ct_op_sqrt_at, {0.75, -1.25}, {0.36037055877260277, 0.20403834324075191}},
    {ct_op_sqrt_at, {-0.5, 2}, {0.21430824507270379, -0.27448094398705426}},
    {ct_op_tan_at, {0.75, -1.25}, {0.074525606224349048, -0.31369202065966154}},
    {ct_op_tan_at, {-0.5, 2}, {0.040628936466162668, -0.059219760599227505}},
    {ct_op_tanh_at, {0.75, -1.25}, {-0.73521302563658965, 1.0590928904668728}},
    {ct_op_tanh_at, {-0.5, 2}, {-0.021804659410607186, -2.2485076917864899}},
};

/* f'(z), by mpmath: forward f'(z) dz and backward ybar f'(z), nothing conjugated. */
TEST(slopes_of_holomorphic_functions)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++)
        for (ct_dtype t = CT_C64; t <= CT_C128; t = (ct_dtype)(t + 1)) {
            const double re = slopes[i].slope[0], im = slopes[i].slope[1];
            const double bound = t == CT_C64 ? 0x1p-20 : 0x1p-49;
            ct_tensor *z = number(ctx, t, slopes[i].z[0], slopes[i].z[1]);
            ct_tensor *seed = number(ctx, t, 0.5, -2);
            unary u = {slopes[i].op};
            ct_function *f = derivatives_record(ctx, apply_complex, &u, CT_LIKE(z));
            const char *name = ct_function_name(f);
            CHECK_NUMBER(name, forward_of(f, z, seed), 0.5 * re + 2 * im, 0.5 * im - 2 * re, bound);
            CHECK_NUMBER(name, reverse_of(f, z, seed), 0.5 * re + 2 * im, 0.5 * im - 2 * re, bound);
            CHECK_OK(ctx);
        }
    ct_context_free(ctx);
}

TEST(unary_smooth)
{
    ct_context *ctx = ct_context_new();
    unary_op *last = NULL;
    ct_tensor *re = given(ctx, CT_F64, CT_SHAPE(3), {0.75, -0.5, -1.25});
    ct_tensor *im = given(ctx, CT_F64, CT_SHAPE(3), {-1.25, 1.5, -0.375});
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++) {
        unary u = {slopes[i].op};
        if (u.op != last)
            CHECK_SMOOTH(ctx, apply_unary, &u, 3, re, im);
        last = u.op;
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Not holomorphic, or piecewise. */
TEST(other_unary_smooth)
{
    static unary_op *const ops[] = {ct_op_abs_at, ct_op_sign_at, ct_op_real_at, ct_op_imag_at};
    ct_context *ctx = ct_context_new();
    ct_tensor *re = given(ctx, CT_F64, CT_SHAPE(3), {0.75, -0.5, -1.25});
    ct_tensor *im = given(ctx, CT_F64, CT_SHAPE(3), {-1.25, 2, 0});
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        unary u = {ops[i]};
        CHECK_SMOOTH(ctx, apply_unary, &u, 3, re, im);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(binary_smooth)
{
    static binary_op *const ops[] = {ct_op_add_at,          ct_op_subtract_at, ct_op_multiply_at,
                                     ct_op_divide_at,       ct_op_atan2_at,    ct_op_power_at,
                                     ct_op_maximum_at,      ct_op_minimum_at,  ct_op_scale_at,
                                     ct_op_scale_either_at, ct_op_remainder_at};
    ct_context *ctx = ct_context_new();
    ct_tensor *a = given(ctx, CT_F64, CT_SHAPE(3), {0.75, -0.5, 2});
    ct_tensor *b = given(ctx, CT_F64, CT_SHAPE(3), {-1.25, 2, 0.5});
    ct_tensor *c = given(ctx, CT_F64, CT_SHAPE(3), {1.5, 0.25, -0.75});
    ct_tensor *d = given(ctx, CT_F64, CT_SHAPE(3), {0.25, -0.75, 1});
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        binary u = {ops[i]};
        CHECK_SMOOTH(ctx, apply_binary, &u, 2, a, b, c, d);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Below lo, between the bounds, above hi; bounds of rank 0 and not. */
static ct_tensor *clamped(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *lo = ct_op_complex(x[0], x[1]), *z = ct_op_complex(x[2], x[3]);
    return parts(ct_op_clamp(lo, z, ct_op_complex(x[4], x[5])));
}

TEST(clamp_smooth)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *lo[] = {ct_scalar(ctx, CT_F64, -0.5), ct_scalar(ctx, CT_F64, 1)};
    ct_tensor *re = given(ctx, CT_F64, CT_SHAPE(3), {-0.75, 0.5, 2});
    ct_tensor *im = given(ctx, CT_F64, CT_SHAPE(3), {3, -2, 0.5});
    ct_tensor *hi[] = {given(ctx, CT_F64, CT_SHAPE(3), {1, 1.5, 1.25}),
                       given(ctx, CT_F64, CT_SHAPE(3), {0.25, -1, 4})};
    CHECK_SMOOTH(ctx, clamped, NULL, 2, lo[0], lo[1], re, im, hi[0], hi[1]);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Chains in which real and complex values alternate: |exp(z) / (z + w)|, and the angle of a power.
 */
static ct_tensor *mixed(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *z = ct_op_complex(x[0], x[1]), *w = ct_op_convert(x[1], CT_C128);
    ct_tensor *quotient = ct_op_divide(ct_op_exponential(z), ct_op_add(z, w));
    ct_tensor *power = ct_op_power(quotient, z);
    ct_tensor *angle = ct_op_atan2(ct_op_imag(power), ct_op_real(power));
    return ct_op_multiply(angle, ct_op_abs(ct_op_sign(ct_op_add(quotient, w))));
}

TEST(mixed_chain_smooth)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, mixed, NULL, 3, given(ctx, CT_F64, CT_SHAPE(2), {0.75, -0.5}),
                 given(ctx, CT_F64, CT_SHAPE(2), {1.25, 0.625}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Zeros, infinities, branch cuts. */

/* f'(z), where it is infinite or NaN the parts of its product with dz = 1. */
static void check_slope(int line, ct_context *ctx, unary_op *op, double re, double im,
                        double slope_re, double slope_im)
{
    unary u = {op};
    ct_tensor *z = number(ctx, CT_C128, re, im), *one = number(ctx, CT_C128, 1, 0);
    ct_function *f = derivatives_record(ctx, apply_complex, &u, CT_LIKE(z));
    check_number(line, "forward", forward_of(f, z, one), slope_re, slope_im, 0x1p-49);
    check_number(line, "reverse", reverse_of(f, z, one), slope_re, slope_im, 0x1p-49);
    CHECK_OK(ctx);
}
#define CHECK_SLOPE(name, ...) check_slope(__LINE__, ctx, ct_op_##name##_at, __VA_ARGS__)

/* On a cut the sign of the zero imaginary (or real) part says from which side the function is
 * continuous, and the slope is that of that side. */
TEST(branch_cuts)
{
    const double third = sqrt(1. / 3);
    ct_context *ctx = ct_context_new();
    CHECK_SLOPE(asin, 2, 0.0, 0, third);
    CHECK_SLOPE(asin, 2, -0.0, 0, -third);
    CHECK_SLOPE(asin, -2, 0.0, 0, -third);
    CHECK_SLOPE(asin, -2, -0.0, 0, third);
    CHECK_SLOPE(acos, 2, 0.0, 0, -third);
    CHECK_SLOPE(acos, -2, -0.0, 0, -third);
    CHECK_SLOPE(acosh, -2, 0.0, -third, 0);
    CHECK_SLOPE(acosh, -2, -0.0, -third, 0);
    CHECK_SLOPE(acosh, 0, 0.0, 0, -1);
    CHECK_SLOPE(acosh, 0, -0.0, 0, 1);
    CHECK_SLOPE(asinh, 0.0, 2, 0, -third);
    CHECK_SLOPE(asinh, -0.0, 2, 0, third);
    CHECK_SLOPE(asinh, 0.0, -2, 0, third);
    CHECK_SLOPE(asinh, -0.0, -2, 0, -third);
    CHECK_SLOPE(sqrt, -4, 0.0, 0, -0.25);
    CHECK_SLOPE(sqrt, -4, -0.0, 0, 0.25);
    CHECK_SLOPE(rsqrt, -4, 0.0, 0, -0.0625);
    CHECK_SLOPE(log, -4, -0.0, -0.25, 0);
    ct_context_free(ctx);
}

/* Where textbook formulas overflow or cancel. */
TEST(far_out)
{
    ct_context *ctx = ct_context_new();
    CHECK_SLOPE(tan, 0.5, 30, 1.8924651825776451e-26, 2.9473398939868744e-26);
    CHECK_SLOPE(tan, 0.5, 1000, 0, 0);
    CHECK_SLOPE(tanh, -30, 0.5, 1.8924651825776451e-26, 2.9473398939868744e-26);
    CHECK_SLOPE(tanh, 1000, 0.5, 0, 0);
    CHECK_SLOPE(logistic, 1000, 0.5, 0, 0);
    CHECK_SLOPE(logistic, -1000, 0.5, 0, 0);
    CHECK_SLOPE(atan, 0x1p600, 0x1p600, 0, 0);
    CHECK_SLOPE(atanh, 0x1p600, -0x1p600, 0, 0);
    CHECK_SLOPE(atan, 0x1p400, 0, 0x1p-800, 0);
    CHECK_SLOPE(asinh, 0, 0x1p600, 0, -0x1p-600);
    CHECK_SLOPE(acosh, 0x1p600, 0, 0x1p-600, 0);
    CHECK_SLOPE(exponential, -INFINITY, 0, 0, 0);
    ct_context_free(ctx);
}

/* Kinks at 0, and NaN. */
TEST(kinks)
{
    const double nan = NAN;
    ct_context *ctx = ct_context_new();
    CHECK_SLOPE(sign, 0, 0, 0, 0);
    CHECK_SLOPE(sign, -0.0, 0, 0, 0);
    CHECK_SLOPE(sign, nan, 0, nan, nan);
    CHECK_SLOPE(exponential, nan, 0, nan, nan);
    CHECK_SLOPE(sine, nan, 1, nan, nan);
    for (ct_dtype t = CT_C64; t <= CT_C128; t = (ct_dtype)(t + 1)) {
        unary u = {ct_op_abs_at};
        ct_tensor *z = number(ctx, t, 0, -0.0), *w = number(ctx, t, 3, -4);
        ct_tensor *one = ct_scalar(ctx, t == CT_C64 ? CT_F32 : CT_F64, 1);
        ct_function *f = derivatives_record(ctx, apply_complex, &u, CT_LIKE(z));
        CHECK_VALUES(forward_of(f, z, number(ctx, t, 2, 5)), CT_SHAPE(), {0});
        CHECK_NUMBER("abs at 0", reverse_of(f, z, one), 0, 0, 0);
        CHECK_NUMBER("abs", reverse_of(f, w, one), 0.6, 0.8, 0x1p-23); /* conj(w) / |w| */
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A zero tangent meets no pole, forward or back, first or second order. */
static ct_tensor *guarded(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *z = ct_op_complex(x[0], x[1]), *zero = ct_op_subtract(z, z);
    ct_tensor *away = ct_op_compare(ct_op_stop_gradient(z), ct_op_stop_gradient(zero), CT_NE,
                                    CT_COMPARE_DEFAULT);
    ct_tensor *sum = ct_op_add(ct_op_log(z), ct_op_sqrt(z));
    return parts(ct_op_select(away, ct_op_add(sum, ct_op_divide(sum, z)), z));
}

TEST(zero_meets_a_pole)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *re = given(ctx, CT_F64, CT_SHAPE(1), {0}), *one = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    CHECK_MATRIX(ctx, guarded, NULL, CT_ARGV(re, re), {1, 0, 0, 1});
    ct_function *f = derivatives_record(ctx, guarded, NULL, CT_LIKE(re, re));
    ct_tensor *dre = ct_ones(ctx, CT_F64, CT_SHAPE(1)), *result[4];
    ct_function *second = ct_jvp(ct_vjp(f, CT_ALL_ARGS), CT_ARGS(0, 1));
    ct_apply(second, CT_ARGV(re, re, one, dre, dre), result, 4);
    CHECK_VALUES(result[2], CT_SHAPE(1), {0});
    CHECK_VALUES(result[3], CT_SHAPE(1), {0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* By the base and by the exponent, at zeros: as for reals. */
TEST(powers)
{
    static const struct {
        double x[2], y[2], by_x[2], by_y[2];
    } rows[] = {{{0, 0}, {0, 0}, {0, 0}, {0, 0}},    {{0, 0}, {1, 0}, {1, 0}, {0, 0}},
                {{0, 0}, {2, 0}, {0, 0}, {0, 0}},    {{0, 0}, {2, 1}, {0, 0}, {0, 0}},
                {{1, 0}, {4, 0}, {4, 0}, {0, 0}},    {{0, 2}, {2, 0}, {0, 4}, {NAN, 0}},
                {{-2, 0}, {3, 0}, {12, 0}, {NAN, 0}}};
    ct_context *ctx = ct_context_new();
    binary power = {ct_op_power_at};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_tensor *at[4] = {
            ct_scalar(ctx, CT_F64, rows[i].x[0]), ct_scalar(ctx, CT_F64, rows[i].x[1]),
            ct_scalar(ctx, CT_F64, rows[i].y[0]), ct_scalar(ctx, CT_F64, rows[i].y[1])};
        ct_tensor *one = ct_scalar(ctx, CT_F64, 1), *both[2];
        ct_function *f = derivatives_record(ctx, apply_binary, &power, (ct_list){4, at});
        for (int k = 0; k < 2; k++) {
            ct_args wrt = CT_ARGS(2 * k);
            const double *want = k ? rows[i].by_y : rows[i].by_x;
            ct_apply(ct_jvp(f, wrt), CT_ARGV(at[0], at[1], at[2], at[3], one), both, 2);
            if (!isnan(want[0])) /* of the others only that there is no error */
                CHECK_NEAR(both[1], CT_SHAPE(2), 1e-14, {want[0], want[1]});
        }
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Lexicographic order; half to each at a tie, all to a NaN. */
TEST(ties)
{
    ct_context *ctx = ct_context_new();
    binary larger = {ct_op_maximum_at};
#define NUMBERS(a, b, c, d)                                                                        \
    CT_ARGV(ct_scalar(ctx, CT_F64, a), ct_scalar(ctx, CT_F64, b), ct_scalar(ctx, CT_F64, c),       \
            ct_scalar(ctx, CT_F64, d))
    CHECK_MATRIX(ctx, apply_binary, &larger, NUMBERS(1, 2, 1, 2), {.5, 0, .5, 0, 0, .5, 0, .5});
    CHECK_MATRIX(ctx, apply_binary, &larger, NUMBERS(1, 3, 1, 2), {1, 0, 0, 0, 0, 1, 0, 0});
    CHECK_MATRIX(ctx, apply_binary, &larger, NUMBERS(1, 3, NAN, 2), {0, 0, 1, 0, 0, 0, 0, 1});
#undef NUMBERS
    ct_tensor *one = ct_scalar(ctx, CT_F64, 1), *two = ct_scalar(ctx, CT_F64, 2);
    CHECK_MATRIX(ctx, clamped, NULL, CT_ARGV(one, two, one, two, two, two),
                 {.5, 0, .5, 0, 0, 0, 0, .5, 0, .5, 0, 0});
    CHECK_MATRIX(ctx, clamped, NULL, CT_ARGV(one, one, one, two, two, one),
                 {0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0}); /* by the imaginary part */
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Parts and conversions. */

static ct_tensor *real_of_real(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_op_add(ct_op_real(x[0]), ct_op_imag(x[0])); /* x + 0 */
}

static ct_tensor *there_and_back(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *z = ct_op_convert(ct_op_convert(x[0], CT_C64), CT_C128);
    ct_tensor *w = ct_op_multiply(z, ct_op_complex(x[1], x[1]));
    return ct_op_concatenate(CT_ARGV(ct_op_convert(w, CT_F64), ct_op_imag(w)), 0);
}

TEST(parts_and_conversions)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {2, -3, 5});
    CHECK_LINEAR(ctx, real_of_real, NULL, 2, x);
    CHECK_LINEAR(ctx, there_and_back, NULL, 2, x, given(ctx, CT_F64, CT_SHAPE(3), {7, 11, -13}));
    CHECK_LINEAR_EMPTY(ctx, there_and_back, NULL, 1, ct_zeros(ctx, CT_F64, CT_SHAPE(0)),
                       ct_zeros(ctx, CT_F64, CT_SHAPE(0)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *real_part(ct_tensor *z)
{
    return ct_op_real(z);
}
static ct_tensor *imaginary_part(ct_tensor *z)
{
    return ct_op_imag(z);
}
static ct_tensor *to_real(ct_tensor *z)
{
    return ct_op_convert(z, CT_F32);
}
static ct_tensor *from_parts(ct_tensor *re, ct_tensor *im)
{
    return ct_op_complex(re, im);
}
static ct_tensor *to_complex(ct_tensor *x)
{
    return ct_op_convert(x, CT_C64);
}

/* ybar goes to ybar + 0i, 0 - i ybar, ybar + 0i; to (Re ybar, -Im ybar); to Re ybar. The functions
 * are linear, and that is seen. */
TEST(transposes_of_parts)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *z = number(ctx, CT_C64, 2, 5), *x = ct_scalar(ctx, CT_F32, 3);
    ct_function *t = ct_transpose_linear(ct_trace(ctx, real_part, CT_LIKE(z)), CT_ARGS(0));
    CHECK_NUMBER("real", ct_apply1(t, CT_ARGV(x)), 3, 0, 0);
    t = ct_transpose_linear(ct_trace(ctx, imaginary_part, CT_LIKE(z)), CT_ARGS(0));
    CHECK_NUMBER("imag", ct_apply1(t, CT_ARGV(x)), 0, -3, 0);
    t = ct_transpose_linear(ct_trace(ctx, to_real, CT_LIKE(z)), CT_ARGS(0));
    CHECK_NUMBER("convert", ct_apply1(t, CT_ARGV(x)), 3, 0, 0);
    t = ct_transpose_linear(ct_trace(ctx, to_complex, CT_LIKE(x)), CT_ARGS(0));
    CHECK_VALUES(ct_apply1(t, CT_ARGV(z)), CT_SHAPE(), {2});
    ct_tensor *both[2];
    t = ct_transpose_linear(ct_trace(ctx, from_parts, CT_LIKE(x, x)), CT_ARGS(0, 1));
    ct_apply(t, CT_ARGV(z), both, 2);
    CHECK_VALUES(both[0], CT_SHAPE(), {2});
    CHECK_VALUES(both[1], CT_SHAPE(), {-5});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *beside_i(ct_tensor *z)
{
    ct_context *ctx = ct_context_of(z);
    return ct_op_add(z, number(ctx, CT_C64, 0, 1));
}
static ct_tensor *times_i(ct_tensor *z)
{
    return ct_op_multiply(z, number(ct_context_of(z), CT_C64, 0, 1));
}

/* i is not zero: z + i is not linear, and i z is a plain product. */
TEST(an_imaginary_constant)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *z = number(ctx, CT_C64, 2, 5);
    ct_function *f = ct_trace(ctx, times_i, CT_LIKE(z));
    CHECK_NUMBER("i z", ct_apply1(ct_transpose_linear(f, CT_ARGS(0)), CT_ARGV(z)), -5, 2, 0);
    CHECK(!strstr(ct_stablehlo_text(ct_vjp(f, CT_ARGS(0)), CT_WRITE_PRETTY), "ct.scale"));
    CHECK_OK(ctx);
    ct_transpose_linear(ct_trace(ctx, beside_i, CT_LIKE(z)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "add: it is not linear");
    ct_context_free(ctx);
}

/* ---- Forward and reverse, of complex and real arguments together. */

static ct_tensor *tangled(ct_tensor *z, ct_tensor *x)
{
    ct_tensor *turned = ct_op_complex(ct_op_imag(z), ct_op_negate(x));
    ct_tensor *scaled = ct_op_multiply(turned, ct_op_convert(ct_op_abs(z), CT_C128));
    return ct_op_multiply(ct_op_exponential(scaled), ct_op_sign(z));
}

/* Re Σ a b; a real a has no imaginary part. */
static double paired(ct_tensor *a, ct_tensor *b)
{
    double x[2][3], y[2][3], sum = 0;
    ct_to_doubles(ct_op_real(a), x[0], 3);
    ct_to_doubles(ct_op_imag(a), x[1], 3);
    ct_to_doubles(ct_op_real(b), y[0], 3);
    ct_to_doubles(ct_op_imag(b), y[1], 3);
    for (int i = 0; i < 3; i++)
        sum += x[0][i] * y[0][i] - x[1][i] * y[1][i];
    return sum;
}

TEST(adjoint_identity)
{
    ct_context *ctx = ct_context_new();
#define VECTOR(...) given(ctx, CT_F64, CT_SHAPE(3), {__VA_ARGS__})
    ct_tensor *z = ct_op_complex(VECTOR(0.5, -1, 0.25), VECTOR(0.75, 1.5, -2));
    ct_tensor *dz = ct_op_complex(VECTOR(1, -2, 3), VECTOR(-5, 7, 11));
    ct_tensor *ybar = ct_op_complex(VECTOR(13, 2, -3), VECTOR(5, -7, 1));
    ct_tensor *x = VECTOR(0.25, -0.5, 1), *dx = VECTOR(2, 3, -5), *both[2], *bars[2];
#undef VECTOR
    ct_function *f = ct_trace(ctx, tangled, CT_LIKE(z, x));
    ct_apply(ct_jvp(f, CT_ALL_ARGS), CT_ARGV(z, x, dz, dx), both, 2);
    ct_apply(ct_vjp(f, CT_ALL_ARGS), CT_ARGV(z, x, ybar), bars, 2);
    double forward = paired(ybar, both[1]), reverse = paired(bars[0], dz) + paired(bars[1], dx);
    CHECK(ct_dtype_of(bars[0]) == CT_C128 && ct_dtype_of(bars[1]) == CT_F64);
    CHECK_MSG(fabs(forward - reverse) <= 1e-13 * fabs(forward), "%.17g and %.17g", forward,
              reverse);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void derive(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE(3));
    ct_vjp(ct_trace(ctx, tangled, CT_LIKE(ct_op_complex(x, x), x)), CT_ALL_ARGS);
}

TEST(memory)
{
    CHECK_ALLOCATIONS(derive);
}
