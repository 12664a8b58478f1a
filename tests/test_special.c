/* CHLO's functions: against mpmath within stated bounds (tests/data/special.py), special values by
 * hand, every dtype, and the conventions of XLA and SciPy at poles. */
#include "exec/interpret/special.h"

#include "exec/interpret/interpret.h"
#include "tests/check.h"
#include "tests/exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ct__numerics *const numerics = &ct__reference_numerics;

/* ---- Against mpmath. */

/* Bounds in units in the last place of the value, or of the terms that cancel in it. */
static const struct {
    const char *name;
    ct__op op;
    int operands;
    double bound;
} function[] = {{"digamma", CT__OP_digamma, 1, 4},
                {"bessel_i1e", CT__OP_bessel_i1e, 1, 4},
                {"erf_inv", CT__OP_erf_inv, 1, 2},
                {"zeta", CT__OP_zeta, 2, 10},
                {"polygamma", CT__OP_polygamma, 2, 8},
                {"lgamma", CT__OP_lgamma, 1, 6},
                {"erfc", CT__OP_erfc, 1, 5}},
  complex_function[] = {{"complex_acos", CT__OP_acos, 1, 4}, {"complex_acosh", CT__OP_acosh, 1, 4},
                        {"complex_asin", CT__OP_asin, 1, 4}, {"complex_asinh", CT__OP_asinh, 1, 4},
                        {"complex_atan", CT__OP_atan, 1, 4}, {"complex_atanh", CT__OP_atanh, 1, 4},
                        {"complex_cosh", CT__OP_cosh, 1, 4}, {"complex_sinh", CT__OP_sinh, 1, 4}};
enum {
    FUNCTIONS = sizeof function / sizeof *function,
    COMPLEX_FUNCTIONS = sizeof complex_function / sizeof *complex_function
};

/* |got - want| in units in the last place of a number of this size. */
static double distance(double got, double want, double size)
{
    double unit = nextafter(fabs(size), (double)INFINITY) - fabs(size);

    if (got == want)
        return 0;
    return isfinite(got) && isfinite(want) ? fabs(got - want) / unit : (double)INFINITY;
}

static void check_real(size_t i, const double *number)
{
    double got;

    if (function[i].operands == 1)
        numerics->unary(function[i].op, CT_F64, 1, &got, &number[0]);
    else
        numerics->binary(function[i].op, CT_F64, 1, &got, &number[0], 1, &number[1], 1);
    CHECK_MSG(distance(got, number[2], number[3]) <= function[i].bound,
              "%s(%.17g, %.17g) is %.17g, expected %.17g", function[i].name, number[0], number[1],
              got, number[2]);
}

/* In f64 within the bound, and in f32 the rounded result of the rounded operand's neighbour in f64.
 */
static void check_complex(size_t i, const double *number)
{
    double got[2], wide[2];
    float narrow[2] = {(float)number[0], (float)number[1]}, y[2];

    numerics->unary(complex_function[i].op, CT_C128, 1, got, number);
    for (int part = 0; part < 2; part++)
        CHECK_MSG(distance(got[part], number[2 + part], number[2 + part]) <=
                      complex_function[i].bound,
                  "part %d of %s(%.17g, %.17g) is %.17g, expected %.17g", part,
                  complex_function[i].name, number[0], number[1], got[part], number[2 + part]);
    wide[0] = (double)narrow[0];
    wide[1] = (double)narrow[1];
    numerics->unary(complex_function[i].op, CT_C128, 1, got, wide);
    numerics->unary(complex_function[i].op, CT_C64, 1, y, narrow);
    CHECK(y[0] == (float)got[0] && y[1] == (float)got[1]);
}

TEST(against_mpmath)
{
    FILE *file = fopen(CT_SOURCE_DIR "/tests/data/special.txt", "r");
    char line[256], name[32];
    double number[4];
    int rows = 0, complex_rows = 0;

    CHECK(file != NULL);
    while (fgets(line, sizeof line, file)) {
        CHECK(sscanf(line, "%31s %la %la %la %la", name, &number[0], &number[1], &number[2],
                     &number[3]) == 5);
        for (size_t i = 0; i < FUNCTIONS; i++)
            if (strcmp(name, function[i].name) == 0) {
                check_real(i, number);
                rows++;
            }
        for (size_t i = 0; i < COMPLEX_FUNCTIONS; i++)
            if (strcmp(name, complex_function[i].name) == 0) {
                check_complex(i, number);
                complex_rows++;
            }
    }
    fclose(file);
    CHECK_MSG(rows > 900 && complex_rows > 500, "%d and %d rows", rows, complex_rows);
}

/* Where there is mpmath. */
TEST(coefficients_are_what_the_script_writes)
{
    if (system("python3 -c 'import mpmath' 2>/dev/null") != 0)
        SKIP("python3 has no mpmath");
    CHECK(system("python3 " CT_SOURCE_DIR "/scripts/special_coefficients.py --check") == 0);
}

/* ---- By hand. */

TEST(special_values)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        ct__op op;
        double x, y;
    } rows[] = {{CT__OP_digamma, 0, nan},
                {CT__OP_digamma, -0.0, nan},
                {CT__OP_digamma, -3, nan},
                {CT__OP_digamma, inf, inf},
                {CT__OP_digamma, -inf, nan},
                {CT__OP_lgamma, 0, inf},
                {CT__OP_lgamma, -7, inf},
                {CT__OP_lgamma, inf, inf},
                {CT__OP_lgamma, -inf, inf},
                {CT__OP_lgamma, 1, 0},
                {CT__OP_lgamma, 2, 0},
                {CT__OP_erf_inv, 1, inf},
                {CT__OP_erf_inv, -1, -inf},
                {CT__OP_erf_inv, 1.5, nan},
                {CT__OP_erf_inv, -inf, nan},
                {CT__OP_erf_inv, -0.0, -0.0},
                {CT__OP_bessel_i1e, -0.0, -0.0},
                {CT__OP_bessel_i1e, inf, 0},
                {CT__OP_bessel_i1e, -inf, -0.0},
                {CT__OP_erfc, inf, 0},
                {CT__OP_erfc, -inf, 2},
                {CT__OP_erfc, 0, 1},
                {CT__OP_acos, 1, 0},
                {CT__OP_acos, 1.5, nan},
                {CT__OP_acosh, 1, 0},
                {CT__OP_acosh, 0.5, nan},
                {CT__OP_acosh, inf, inf},
                {CT__OP_asin, -0.0, -0.0},
                {CT__OP_asin, -2, nan},
                {CT__OP_asinh, -inf, -inf},
                {CT__OP_asinh, -0.0, -0.0},
                {CT__OP_atan, -0.0, -0.0},
                {CT__OP_atanh, 1, inf},
                {CT__OP_atanh, -1, -inf},
                {CT__OP_atanh, 1.5, nan},
                {CT__OP_cosh, inf, inf},
                {CT__OP_cosh, -inf, inf},
                {CT__OP_sinh, -inf, -inf},
                {CT__OP_sinh, -0.0, -0.0},
                {CT__OP_sinh, inf, inf}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < 4; t++) {
            uint64_t x, y, z, none;
            exact_put(exact_floats[t], &x, rows[i].x);
            numerics->unary(rows[i].op, exact_floats[t], 1, &y, &x);
            CHECK_MSG(exact_same(exact_take(exact_floats[t], &y), rows[i].y), "%s %s(%g) is %g",
                      ct_dtype_name(exact_floats[t]), ct__op_describe(rows[i].op)->name, rows[i].x,
                      exact_take(exact_floats[t], &y));
            exact_put(exact_floats[t], &none, nan);
            numerics->unary(rows[i].op, exact_floats[t], 1, &z, &none);
            CHECK(isnan(exact_take(exact_floats[t], &z)));
        }
}

/* As XLA has them; where XLA gives NaN for an infinite operand, the limit. */
TEST(poles_of_zeta_and_polygamma)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        ct__op op;
        double x, y, z;
    } rows[] = {{CT__OP_zeta, 1, 2, inf},           {CT__OP_zeta, 1, 0, inf},
                {CT__OP_zeta, 1, -1.5, inf},        {CT__OP_zeta, 0.5, 2, nan},
                {CT__OP_zeta, -1, 2, nan},          {CT__OP_zeta, 2, 0, inf},
                {CT__OP_zeta, 2, -0.0, inf},        {CT__OP_zeta, 3, 0, nan},
                {CT__OP_zeta, 2.5, 0, nan},         {CT__OP_zeta, 2, -4, inf},
                {CT__OP_zeta, 3, -4, nan},          {CT__OP_zeta, 2.5, -1.5, nan},
                {CT__OP_zeta, 2, -inf, inf},        {CT__OP_zeta, 3, -inf, nan},
                {CT__OP_zeta, 2, inf, 0},           {CT__OP_zeta, inf, 2, 0},
                {CT__OP_zeta, inf, 1, 1},           {CT__OP_zeta, inf, 0.5, inf},
                {CT__OP_zeta, inf, -1.5, nan},      {CT__OP_zeta, nan, 2, nan},
                {CT__OP_zeta, 2, nan, nan},         {CT__OP_polygamma, 1, 0, inf},
                {CT__OP_polygamma, 2, 0, nan},      {CT__OP_polygamma, 1, -1, inf},
                {CT__OP_polygamma, 2, -1, nan},     {CT__OP_polygamma, 0.5, 2, nan},
                {CT__OP_polygamma, -1, 2, nan},     {CT__OP_polygamma, 0, -1, nan},
                {CT__OP_polygamma, 0, inf, inf},    {CT__OP_polygamma, nan, 2, nan},
                {CT__OP_polygamma, 1, nan, nan},    {CT__OP_polygamma, 1, inf, 0},
                {CT__OP_polygamma, 2, inf, -0.0},   {CT__OP_polygamma, inf, 2, nan},
                {CT__OP_polygamma, 2, -inf, nan},   {CT__OP_polygamma, 180, 0.25, -inf},
                {CT__OP_polygamma, 181, 0.25, inf}, {CT__OP_polygamma, 1, -inf, inf}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < 4; t++) {
            uint64_t x, y, z;
            exact_put(exact_floats[t], &x, rows[i].x);
            exact_put(exact_floats[t], &y, rows[i].y);
            numerics->binary(rows[i].op, exact_floats[t], 1, &z, &x, 1, &y, 1);
            CHECK_MSG(exact_same(exact_take(exact_floats[t], &z), rows[i].z), "%s %s(%g, %g) is %g",
                      ct_dtype_name(exact_floats[t]), ct__op_describe(rows[i].op)->name, rows[i].x,
                      rows[i].y, exact_take(exact_floats[t], &z));
        }
}

/* ---- Every f16 and bf16. */

static double rounded_once(ct__op op, double x)
{
    double y;

    numerics->unary(op, CT_F64, 1, &y, &x);
    return y;
}

/* cosh and sinh are computed in f32, step by step. */
static double by_steps(ct__op op, float x)
{
    const float c = (float)log(0.5), e = (float)expm1((double)x);
    const float up = (float)exp((double)(x + c)), down = (float)exp((double)(c - x));

    if (op == CT__OP_cosh)
        return (double)(up + down);
    return (double)(fabsf(x) < 1 ? 0.5F * (e + e / (e + 1)) : up - down);
}

TEST(every_half)
{
    static const ct__op op[] = {CT__OP_acos,    CT__OP_acosh, CT__OP_asin,       CT__OP_asinh,
                                CT__OP_atan,    CT__OP_atanh, CT__OP_bessel_i1e, CT__OP_digamma,
                                CT__OP_erf_inv, CT__OP_erfc,  CT__OP_lgamma,     CT__OP_cosh,
                                CT__OP_sinh};
    static const exact_format *const format[] = {&exact_f16, &exact_bf16};

    for (size_t k = 0; k < sizeof op / sizeof *op; k++)
        for (uint32_t bits = 0; bits < 2 << 16; bits++) {
            const exact_format *f = format[bits >> 16];
            uint16_t x = (uint16_t)bits, y;
            double v = exact_decode(f, x);
            bool steps = op[k] == CT__OP_cosh || op[k] == CT__OP_sinh;
            double want = exact_round_to(
                f, (long double)(steps ? by_steps(op[k], (float)v) : rounded_once(op[k], v)));
            numerics->unary(op[k], f->dtype, 1, &y, &x);
            CHECK_MSG(exact_same(exact_decode(f, y), want), "%s %s(%a) is %a, expected %a",
                      ct_dtype_name(f->dtype), ct__op_describe(op[k])->name, v, exact_decode(f, y),
                      want);
        }
}

TEST(cosh_and_sinh_of_f32_by_steps)
{
    for (int i = -4000; i < 4000; i++) {
        float x = (float)i / 41, y;
        numerics->unary(CT__OP_cosh, CT_F32, 1, &y, &x);
        CHECK((double)y == by_steps(CT__OP_cosh, x));
        numerics->unary(CT__OP_sinh, CT_F32, 1, &y, &x);
        CHECK((double)y == by_steps(CT__OP_sinh, x));
    }
}

/* ---- Neighbours. */

static bool same_float(float x, float y)
{
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

TEST(next_after_of_floats)
{
    static const float value[] = {0,     -0.0F,    1,         -1,  1e-45F,          -1e-45F,
                                  3e38F, INFINITY, -INFINITY, NAN, 1.17549435e-38F, -2.5F,
                                  65504};
    enum { COUNT = sizeof value / sizeof *value };

    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            double x = (double)value[i], y = (double)value[j], wide;
            float z;
            numerics->binary(CT__OP_next_after, CT_F32, 1, &z, &value[i], 1, &value[j], 1);
            CHECK_MSG(same_float(z, nextafterf(value[i], value[j])), "next_after(%a, %a) is %a", x,
                      y, (double)z);
            numerics->binary(CT__OP_next_after, CT_F64, 1, &wide, &x, 1, &y, 1);
            CHECK(exact_same(wide, nextafter(x, y)));
        }
}

/* Codes of one sign are in the order of their values. */
TEST(next_after_of_halves)
{
    static const ct_dtype dtype[] = {CT_F16, CT_BF16};
    const uint16_t infinity[] = {0x7C00, 0x7F80};

    for (int t = 0; t < 2; t++) {
        uint16_t up = infinity[t], down = (uint16_t)(up | 0x8000), y;
        for (uint16_t x = 1; x < up; x++) {
            numerics->binary(CT__OP_next_after, dtype[t], 1, &y, &x, 1, &up, 1);
            CHECK(y == x + 1);
            numerics->binary(CT__OP_next_after, dtype[t], 1, &y, &x, 1, &down, 1);
            CHECK(y == x - 1);
            uint16_t minus = (uint16_t)(x | 0x8000);
            numerics->binary(CT__OP_next_after, dtype[t], 1, &y, &minus, 1, &down, 1);
            CHECK(y == minus + 1);
        }
        for (uint16_t zero = 0; zero < 2; zero++) {
            uint16_t x = (uint16_t)(zero << 15);
            numerics->binary(CT__OP_next_after, dtype[t], 1, &y, &x, 1, &up, 1);
            CHECK(y == 1);
            numerics->binary(CT__OP_next_after, dtype[t], 1, &y, &x, 1, &down, 1);
            CHECK(y == 0x8001);
        }
    }
}

/* f4E2M1FN in order: 0, 0.5, 1, 1.5, 2, 3, 4, 6; f8E8M0FNU: powers of two without 0. */
TEST(next_after_of_small_floats)
{
    for (uint8_t x = 0; x < 8; x++)
        for (uint8_t y = 0; y < 8; y++) {
            uint8_t z;
            numerics->binary(CT__OP_next_after, CT_F4E2M1FN, 1, &z, &x, 1, &y, 1);
            CHECK(z == (x < y ? x + 1 : x > y ? x - 1 : y));
        }
    uint8_t zero = 0, minus = 9, one = 127, two = 128, z;
    numerics->binary(CT__OP_next_after, CT_F4E2M1FN, 1, &z, &zero, 1, &minus, 1);
    CHECK(z == 9);
    numerics->binary(CT__OP_next_after, CT_F8E8M0FNU, 1, &z, &one, 1, &zero, 1);
    CHECK(z == 126);
    numerics->binary(CT__OP_next_after, CT_F8E8M0FNU, 1, &z, &one, 1, &two, 1);
    CHECK(z == 128);
}

/* ---- The upper half of products. */

TEST(mulhi_of_8_and_fewer_bits)
{
    static const struct {
        ct_dtype dtype;
        int bits, first, last;
    } type[] = {{CT_I8, 8, -128, 127}, {CT_U8, 8, 0, 255}, {CT_I4, 4, -8, 7},
                {CT_U4, 4, 0, 15},     {CT_I2, 2, -2, 1},  {CT_U2, 2, 0, 3}};

    for (size_t t = 0; t < sizeof type / sizeof *type; t++)
        for (int i = type[t].first; i <= type[t].last; i++)
            for (int j = type[t].first; j <= type[t].last; j++) {
                int one = 1 << type[t].bits, product = i * j;
                int high = (product - ((product % one) + one) % one) / one; /* floor */
                uint8_t x = (uint8_t)i, y = (uint8_t)j, z;
                numerics->binary(CT__OP_mulhi, type[t].dtype, 1, &z, &x, 1, &y, 1);
                CHECK_MSG(z == (uint8_t)high, "%s: mulhi(%d, %d) is %d",
                          ct_dtype_name(type[t].dtype), i, j, z);
            }
}

__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;

/* In a loop over an array, which compilers compute in vectors. */
TEST(mulhi_of_arrays_of_16_bits)
{
    enum { N = 1 << 16 };
    static int16_t x[N], z[N];
    static uint16_t u[N], w[N];

    for (int i = 0; i < N; i++) {
        u[i] = (uint16_t)i;
        x[i] = (int16_t)u[i];
    }
    for (int k = -40; k <= 40; k++) {
        const int16_t y = (int16_t)(k * 809);
        const uint16_t v = (uint16_t)y;
        numerics->binary(CT__OP_mulhi, CT_I16, N, z, x, 1, &y, 0);
        numerics->binary(CT__OP_mulhi, CT_U16, N, w, u, 1, &v, 0);
        for (int i = 0; i < N; i++)
            CHECK(z[i] == (int16_t)(x[i] * y >> 16) &&
                  w[i] == (uint16_t)((uint32_t)u[i] * v >> 16));
    }
}

TEST(mulhi_of_16_to_64_bits)
{
    uint64_t seed = 88172645463325252U;

    for (int i = 0; i < 100000; i++) {
        uint64_t value[2];
        for (int k = 0; k < 2; k++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            value[k] = i % 7 == 0 ? (uint64_t)0 - (seed & 3) : seed >> (i % 5 * 11);
        }
        uint64_t u = 0;
        int64_t s = 0;
        numerics->binary(CT__OP_mulhi, CT_U64, 1, &u, &value[0], 1, &value[1], 1);
        CHECK(u == (uint64_t)((wide_unsigned)value[0] * value[1] >> 64));
        numerics->binary(CT__OP_mulhi, CT_I64, 1, &s, &value[0], 1, &value[1], 1);
        CHECK(s == (int64_t)((wide_signed)(int64_t)value[0] * (int64_t)value[1] >> 64));
        int32_t a = (int32_t)value[0], b = (int32_t)value[1], c;
        numerics->binary(CT__OP_mulhi, CT_I32, 1, &c, &a, 1, &b, 1);
        CHECK(c == (int32_t)((int64_t)a * b >> 32));
        uint32_t d = (uint32_t)a, e = (uint32_t)b, f;
        numerics->binary(CT__OP_mulhi, CT_U32, 1, &f, &d, 1, &e, 1);
        CHECK(f == (uint32_t)((uint64_t)d * e >> 32));
        int16_t g = (int16_t)value[0], h = (int16_t)value[1], j;
        numerics->binary(CT__OP_mulhi, CT_I16, 1, &j, &g, 1, &h, 1);
        CHECK(j == (int16_t)(g * h >> 16));
        uint16_t k = (uint16_t)g, l = (uint16_t)h, m;
        numerics->binary(CT__OP_mulhi, CT_U16, 1, &m, &k, 1, &l, 1);
        CHECK(m == (uint16_t)((uint32_t)k * l >> 16));
    }
}
