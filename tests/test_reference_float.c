/* The reference numerics of floats: every f16 and bf16, edges of all, and tables worked by hand. */
#include "exec/interpret/interpret.h"
#include "tests/check.h"
#include "tests/exact.h"

#include <math.h>
#include <string.h>

static const ct__numerics *const numerics = &ct__reference_numerics;

/* x as the C library's f64 function gives it. */
static double elementary(ct__op op, double x)
{
    switch ((int)op) {
    case CT__OP_cbrt: return cbrt(x);
    case CT__OP_cosine: return cos(x);
    case CT__OP_erf: return erf(x);
    case CT__OP_exponential: return exp(x);
    case CT__OP_exponential_minus_one: return expm1(x);
    case CT__OP_log: return log(x);
    case CT__OP_log_plus_one: return log1p(x);
    case CT__OP_rsqrt: return 1 / sqrt(x);
    case CT__OP_sine: return sin(x);
    case CT__OP_sqrt: return sqrt(x);
    case CT__OP_tan: return tan(x);
    case CT__OP_tanh: return tanh(x);
    case CT__OP_abs: return fabs(x);
    case CT__OP_negate: return -x;
    case CT__OP_ceil: return ceil(x);
    case CT__OP_floor: return floor(x);
    case CT__OP_round_nearest_afz: return signbit(x) ? -floor(0.5 - x) : floor(x + 0.5);
    case CT__OP_round_nearest_even: return nearbyint(x);
    default: return isnan(x) || x == 0 ? x : x > 0 ? 1 : -1;
    }
}

static const ct__op float_unaries[] = {CT__OP_cbrt,
                                       CT__OP_cosine,
                                       CT__OP_erf,
                                       CT__OP_exponential,
                                       CT__OP_exponential_minus_one,
                                       CT__OP_log,
                                       CT__OP_log_plus_one,
                                       CT__OP_rsqrt,
                                       CT__OP_sine,
                                       CT__OP_sqrt,
                                       CT__OP_tan,
                                       CT__OP_tanh,
                                       CT__OP_abs,
                                       CT__OP_negate,
                                       CT__OP_ceil,
                                       CT__OP_floor,
                                       CT__OP_round_nearest_afz,
                                       CT__OP_round_nearest_even,
                                       CT__OP_sign};
enum { FLOAT_UNARIES = sizeof float_unaries / sizeof *float_unaries };

static void check_half_unary(const exact_format *f, ct__op op)
{
    static uint16_t x[1 << 16], y[1 << 16];

    for (int i = 0; i < 1 << 16; i++)
        x[i] = (uint16_t)i;
    numerics->unary(op, f->dtype, 1 << 16, y, x);
    for (int i = 0; i < 1 << 16; i++) {
        double v = exact_decode(f, x[i]),
               expected = exact_round_to(f, (long double)elementary(op, v));
        CHECK_MSG(exact_same(exact_decode(f, y[i]), expected), "%s %s of %a gave %a instead of %a",
                  ct_dtype_name(f->dtype), ct__op_describe(op)->name, v, exact_decode(f, y[i]),
                  expected);
    }
}

TEST(f16_every_value)
{
    for (int k = 0; k < FLOAT_UNARIES; k++)
        check_half_unary(&exact_f16, float_unaries[k]);
}

TEST(bf16_every_value)
{
    for (int k = 0; k < FLOAT_UNARIES; k++)
        check_half_unary(&exact_bf16, float_unaries[k]);
}

TEST(logistic_rounds_each_step)
{
    for (int i = 0; i < 1 << 16; i++) {
        uint16_t x = (uint16_t)i, y;
        numerics->unary(CT__OP_logistic, CT_F16, 1, &y, &x);
        double power = exact_round_to(&exact_f16, (long double)exp(-exact_decode(&exact_f16, x)));
        double sum = exact_round_to(&exact_f16, (long double)power + 1);
        double expected = exact_round_to(&exact_f16, (long double)(1 / sum));
        CHECK_MSG(exact_same(exact_decode(&exact_f16, y), expected), "logistic(%a) = %a",
                  exact_decode(&exact_f16, x), exact_decode(&exact_f16, y));
    }
    for (int i = -2000; i < 2000; i++) {
        float x = (float)i / 16, y;
        numerics->unary(CT__OP_logistic, CT_F32, 1, &y, &x);
        float power = (float)exp(-(double)x), sum = 1 + power;
        CHECK(y == 1 / sum);
    }
}

TEST(f32_elementary_functions_round_once)
{
    for (int k = 0; k < FLOAT_UNARIES; k++)
        for (uint32_t i = 0; i < 200000; i++) {
            uint32_t bits = i * 21701u; /* spread over all exponents */
            float x, y, expected;
            memcpy(&x, &bits, sizeof x);
            numerics->unary(float_unaries[k], CT_F32, 1, &y, &x);
            expected = (float)elementary(float_unaries[k], (double)x);
            if (float_unaries[k] == CT__OP_round_nearest_afz)
                expected = roundf(x);
            CHECK_MSG(exact_same((double)y, (double)expected), "%s of %a gave %a instead of %a",
                      ct__op_describe(float_unaries[k])->name, (double)x, (double)y,
                      (double)expected);
        }
}

/* ---- Two operands: a set of edges, squared. */

static double expect_float(ct_dtype dtype, ct__op op, double x, double y)
{
    bool nan = isnan(x) || isnan(y);

    switch ((int)op) {
    case CT__OP_add: return exact_round_in(dtype, (long double)(x + y));
    case CT__OP_subtract: return exact_round_in(dtype, (long double)(x - y));
    case CT__OP_multiply: return exact_round_in(dtype, (long double)(x * y));
    case CT__OP_divide: return exact_round_in(dtype, (long double)(x / y));
    case CT__OP_maximum:
        return nan      ? (double)NAN
               : x == y ? (signbit(x) && signbit(y) ? x : fabs(x) * (x < 0 ? -1 : 1))
               : x > y  ? x
                        : y;
    case CT__OP_minimum:
        return nan      ? (double)NAN
               : x == y ? (signbit(x) || signbit(y) ? -fabs(x) * (x > 0 ? -1 : 1) : x)
               : x < y  ? x
                        : y;
    case CT__OP_scale:
        return x == 0 || (y == 0 && !isnan(x)) ? 0 : exact_round_in(dtype, (long double)(x * y));
    case CT__OP_scale_either:
        return x == 0 || y == 0 ? 0 : exact_round_in(dtype, (long double)(x * y));
    case CT__OP_remainder: return exact_round_in(dtype, (long double)fmod(x, y));
    case CT__OP_atan2: return exact_round_in(dtype, (long double)atan2(x, y));
    default: return exact_round_in(dtype, (long double)pow(x, y));
    }
}

static const ct__op float_binaries[] = {CT__OP_add,    CT__OP_subtract,     CT__OP_multiply,
                                        CT__OP_divide, CT__OP_maximum,      CT__OP_minimum,
                                        CT__OP_scale,  CT__OP_scale_either, CT__OP_remainder,
                                        CT__OP_atan2,  CT__OP_power};

TEST(floats_two_operands)
{
    for (int t = 0; t < 4; t++) {
        double edge[EXACT_EDGES];
        uint64_t stored[EXACT_EDGES], z;
        exact_float_edge_values(exact_floats[t], edge);
        for (int i = 0; i < EXACT_EDGES; i++)
            exact_put(exact_floats[t], &stored[i], edge[i]);
        for (size_t k = 0; k < sizeof float_binaries / sizeof *float_binaries; k++)
            for (int i = 0; i < EXACT_EDGES; i++)
                for (int j = 0; j < EXACT_EDGES; j++) {
                    numerics->binary(float_binaries[k], exact_floats[t], 1, &z, &stored[i], 1,
                                     &stored[j], 1);
                    double expected = expect_float(exact_floats[t], float_binaries[k], edge[i],
                                                   edge[j]);
                    CHECK_MSG(exact_same(exact_take(exact_floats[t], &z), expected),
                              "%s %s: %a, %a gave %a instead of %a", ct_dtype_name(exact_floats[t]),
                              ct__op_describe(float_binaries[k])->name, edge[i], edge[j],
                              exact_take(exact_floats[t], &z), expected);
                }
    }
}

/* Worked by hand from C99 and StableHLO's text. */
TEST(special_values_by_hand)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        ct__op op;
        double x, y, z;
    } rows[] = {{CT__OP_maximum, -0.0, 0, 0},      {CT__OP_maximum, 0, -0.0, 0},
                {CT__OP_minimum, -0.0, 0, -0.0},   {CT__OP_minimum, 0, -0.0, -0.0},
                {CT__OP_maximum, nan, inf, nan},   {CT__OP_minimum, -inf, nan, nan},
                {CT__OP_power, nan, 0, 1},         {CT__OP_power, 1, nan, 1},
                {CT__OP_power, -8, 1.0 / 3, nan},  {CT__OP_power, -2, 3, -8},
                {CT__OP_power, 0, -1, inf},        {CT__OP_power, -0.0, -1, -inf},
                {CT__OP_remainder, 5.5, -2, 1.5},  {CT__OP_remainder, -5.5, 2, -1.5},
                {CT__OP_remainder, 1, 0, nan},     {CT__OP_remainder, inf, 2, nan},
                {CT__OP_remainder, 3, inf, 3},     {CT__OP_remainder, -4, 2, -0.0},
                {CT__OP_scale, 0, inf, 0},         {CT__OP_scale, 0, nan, 0},
                {CT__OP_scale, -0.0, -inf, 0},     {CT__OP_scale, inf, 0, 0},
                {CT__OP_scale, nan, 0, nan},       {CT__OP_scale, 2, inf, inf},
                {CT__OP_scale, 2, nan, nan},       {CT__OP_scale, 3, -4, -12},
                {CT__OP_scale_either, 0, nan, 0},  {CT__OP_scale_either, nan, -0.0, 0},
                {CT__OP_scale_either, inf, 0, 0},  {CT__OP_scale_either, nan, 2, nan},
                {CT__OP_scale_either, 3, -4, -12}, {CT__OP_scale_either, -2, inf, -inf},
                {CT__OP_atan2, 0, -0.0, acos(-1)}, {CT__OP_atan2, -0.0, -0.0, -acos(-1)},
                {CT__OP_divide, 1, 0, inf},        {CT__OP_divide, 1, -0.0, -inf}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < 4; t++) {
            uint64_t x, y, z;
            double third = exact_round_in(exact_floats[t], (long double)rows[i].y);
            exact_put(exact_floats[t], &x, rows[i].x);
            exact_put(exact_floats[t], &y, third);
            numerics->binary(rows[i].op, exact_floats[t], 1, &z, &x, 1, &y, 1);
            CHECK_MSG(exact_same(exact_take(exact_floats[t], &z),
                                 exact_round_in(exact_floats[t], (long double)rows[i].z)),
                      "%s %s of %g and %g gave %g", ct_dtype_name(exact_floats[t]),
                      ct__op_describe(rows[i].op)->name, rows[i].x, rows[i].y,
                      exact_take(exact_floats[t], &z));
        }
}

TEST(one_operand_special_values_by_hand)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        ct__op op;
        double x, y;
    } rows[] = {{CT__OP_log, 0, -inf},
                {CT__OP_log, -1, nan},
                {CT__OP_log_plus_one, -1, -inf},
                {CT__OP_sqrt, -0.0, -0.0},
                {CT__OP_sqrt, -4, nan},
                {CT__OP_rsqrt, 0, inf},
                {CT__OP_rsqrt, -0.0, -inf},
                {CT__OP_cbrt, -8, -2},
                {CT__OP_ceil, -0.3125, -0.0},
                {CT__OP_floor, -0.3125, -1},
                {CT__OP_round_nearest_afz, 2.5, 3},
                {CT__OP_round_nearest_afz, -2.5, -3},
                {CT__OP_round_nearest_afz, -0.25, -0.0},
                {CT__OP_round_nearest_even, 2.5, 2},
                {CT__OP_round_nearest_even, 3.5, 4},
                {CT__OP_round_nearest_even, -0.5, -0.0},
                {CT__OP_sign, -0.0, -0.0},
                {CT__OP_sign, nan, nan},
                {CT__OP_sign, -inf, -1},
                {CT__OP_abs, -0.0, 0},
                {CT__OP_logistic, inf, 1},
                {CT__OP_logistic, -inf, 0},
                {CT__OP_logistic, 0, 0.5},
                {CT__OP_tanh, -inf, -1},
                {CT__OP_exponential, -inf, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < 4; t++) {
            uint64_t x, y;
            exact_put(exact_floats[t], &x, rows[i].x);
            numerics->unary(rows[i].op, exact_floats[t], 1, &y, &x);
            CHECK_MSG(exact_same(exact_take(exact_floats[t], &y), rows[i].y), "%s %s of %g gave %g",
                      ct_dtype_name(exact_floats[t]), ct__op_describe(rows[i].op)->name, rows[i].x,
                      exact_take(exact_floats[t], &y));
        }
}
