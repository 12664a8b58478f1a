/* The elementary functions of machine numerics in f64, and those of f32 that come by way of it:
 * their errors, in bounds.def, their special values, and the same bits
 * in every instruction set that this machine has. */
#include "tests/check.h"
#include "tests/witness.h"

#include "exec/interpret/interpret.h"
#include "exec/kernel/arrays.h"
#include "exec/kernel/elementary64.h"

#include <float.h>

static const struct {
    ct__op op;
    double low, high; /* where it is looked at closely */
} functions[] = {{CT__OP_exponential, -750, 720},
                 {CT__OP_exponential_minus_one, -2, 2},
                 {CT__OP_log, 0, 3},
                 {CT__OP_log_plus_one, -1, 2},
                 {CT__OP_tanh, -2, 20},
                 {CT__OP_logistic, -750, 50},
                 {CT__OP_sine, -100, 1e6},
                 {CT__OP_cosine, -100, 1e6},
                 {CT__OP_tan, -100, 1e6},
                 {CT__OP_erf, -2, 6},
                 {CT__OP_erfc, -2, 27},
                 {CT__OP_cbrt, -8, 8},
                 {CT__OP_sinh, -2, 711},
                 {CT__OP_cosh, -2, 711},
                 {CT__OP_asinh, -2, 10},
                 {CT__OP_acosh, 1, 3},
                 {CT__OP_atanh, -1, 1},
                 {CT__OP_atan, -3, 3},
                 {CT__OP_asin, -1, 1},
                 {CT__OP_acos, -1, 1},
                 {CT__OP_rsqrt, 0, 4}};
enum { FUNCTIONS = sizeof functions / sizeof *functions, COUNT = 20000 };

static const char *name_of(ct__op op)
{
    return ct__op_describe(op)->name;
}

/* Numbers of all exponents, then some of an interval. */
static void make_inputs(size_t n, double low, double high, double *x)
{
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double part = (double)(state >> 11) * 0x1p-53;
        x[i] = i % 2 == 0 ? ct__from_bits64(state) : low + (high - low) * part;
    }
}

/* What y is away from the exact value, in units of the last place of a number of so many bits and
 * such exponents there; as ulps_between of test_elementary.c. */
static double ulps_between(double y, long double exact, double rounded, int digits, int least,
                           int most)
{
    int exponent;
    if (y == rounded || (y != y && exact != exact))
        return 0;
    if (y != y || exact != exact || isinf(exact))
        return INFINITY;
    frexpl(exact, &exponent);
    exponent = exponent < least ? least : exponent > most ? most : exponent;
    long double from = isinf(y) ? copysignl(ldexpl(1, most), (long double)y) : (long double)y;
    return (double)(fabsl(from - exact) / ldexpl(1, exponent - digits));
}

static double ulps64(double y, long double exact)
{
    return ulps_between(y, exact, (double)exact, DBL_MANT_DIG, DBL_MIN_EXP, DBL_MAX_EXP);
}

static double ulps32(float y, long double exact)
{
    return ulps_between((double)y, exact, (double)(float)exact, FLT_MANT_DIG, FLT_MIN_EXP,
                        FLT_MAX_EXP);
}

static bool has_its_sign(double y, long double exact)
{
    return y != 0 || exact != 0 || (signbit(y) != 0) == (signbit(exact) != 0);
}

TEST(errors)
{
    static double x[COUNT], y[COUNT];
    if (LDBL_MANT_DIG < 64)
        SKIP("long double has no more digits than double");
    for (size_t k = 0; k < FUNCTIONS; k++) {
        make_inputs(COUNT, functions[k].low, functions[k].high, x);
        CHECK(ct__arrays_here()->unary_f64(functions[k].op, COUNT, y, x));
        for (size_t i = 0; i < COUNT; i++) {
            const long double exact = exact_value(functions[k].op, (long double)x[i]);
            CHECK_MSG(ulps64(y[i], exact) <= stated_bound(functions[k].op, CT_F64) &&
                          has_its_sign(y[i], exact),
                      "%s(%a) = %a: %g ulps", name_of(functions[k].op), x[i], y[i],
                      ulps64(y[i], exact));
        }
    }
}

static const double special[] = {0.0,
                                 -0.0,
                                 0x1p-1074,
                                 -0x1p-1074,
                                 0x1p-1022,
                                 0.5,
                                 -0.5,
                                 1.0,
                                 -1.0,
                                 0x1.fffffffffffffp-1,
                                 0x1.0000000000001p0,
                                 2.0,
                                 -2.0,
                                 3.0,
                                 -3.0,
                                 3.5,
                                 0x1p52,
                                 0x1.0000000000001p52,
                                 -0x1.0000000000001p52,
                                 0x1p53,
                                 -0x1p53,
                                 1e300,
                                 -1e300,
                                 DBL_MAX,
                                 INFINITY,
                                 -INFINITY,
                                 NAN};
enum { SPECIAL = sizeof special / sizeof *special };

TEST(special_values)
{
    double y[SPECIAL];
    for (size_t k = 0; k < FUNCTIONS; k++) {
        CHECK(ct__arrays_here()->unary_f64(functions[k].op, SPECIAL, y, special));
        for (size_t i = 0; i < SPECIAL; i++) {
            const long double exact = exact_value(functions[k].op, (long double)special[i]);
            CHECK_MSG(ulps64(y[i], exact) <= stated_bound(functions[k].op, CT_F64) &&
                          has_its_sign(y[i], exact),
                      "%s(%a) = %a", name_of(functions[k].op), special[i], y[i]);
        }
    }
}

/* ---- Of two operands. */

static void check_pair(ct__op op, double x, double y)
{
    const double ulps = stated_bound(op, CT_F64);
    double z;
    CHECK(ct__arrays_here()->binary_f64(op, 1, &z, &x, 1, &y, 1));
    const long double exact = exact_pair(op, (long double)x, (long double)y);
    /* The exact value may be too small for either. */
    CHECK_MSG(ulps64(z, exact) <= ulps && (has_its_sign(z, exact) || fabsl(exact) > 0),
              "%s(%a, %a) = %a: %g ulps", name_of(op), x, y, z, ulps64(z, exact));
}

TEST(pairs)
{
    static double x[COUNT], y[COUNT];
    for (size_t i = 0; i < SPECIAL; i++)
        for (size_t j = 0; j < SPECIAL; j++) {
            check_pair(CT__OP_power, special[i], special[j]);
            check_pair(CT__OP_atan2, special[i], special[j]);
            check_pair(CT__OP_remainder, special[i], special[j]);
        }
    make_inputs(COUNT, 0, 8, x);
    make_inputs(COUNT, -1000, 300, y);
    for (size_t i = 1; i < COUNT; i++) {
        check_pair(CT__OP_power, x[i], y[i]);
        check_pair(CT__OP_power, x[i], y[i - 1]);
        check_pair(CT__OP_atan2, x[i], y[i]);
        check_pair(CT__OP_remainder, y[i], x[i]);
        check_pair(CT__OP_remainder, x[i - 1], y[i]);
    }
}

/* ---- Those of f32: the nearest number to one of f64. */

TEST(rounded_functions)
{
    static double wide[COUNT];
    static float x[COUNT], y[COUNT];
    static const ct__op ops[] = {CT__OP_erfc,  CT__OP_cbrt,  CT__OP_sinh, CT__OP_cosh, CT__OP_asinh,
                                 CT__OP_acosh, CT__OP_atanh, CT__OP_asin, CT__OP_acos, CT__OP_atan};
    for (size_t k = 0; k < FUNCTIONS; k++) {
        bool is_rounded = false;
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
            is_rounded = is_rounded || functions[k].op == ops[o];
        if (!is_rounded)
            continue;
        make_inputs(COUNT, functions[k].low, functions[k].high, wide);
        for (size_t i = 0; i < COUNT; i++)
            x[i] = i % 2 ? (float)wide[i] : ct__from_bits((uint32_t)(ct__bits64(wide[i]) >> 32));
        CHECK(ct__arrays_here()->unary_f32(functions[k].op, COUNT, y, x));
        for (size_t i = 0; i < COUNT; i++) {
            const long double exact = exact_value(functions[k].op, (long double)x[i]);
            CHECK_MSG(ulps32(y[i], exact) <= stated_bound(functions[k].op, CT_F32) &&
                          has_its_sign((double)y[i], exact),
                      "%s(%a) = %a", name_of(functions[k].op), (double)x[i], (double)y[i]);
        }
    }
}

TEST(pairs_of_f32)
{
    static double wide_x[COUNT], wide_y[COUNT];
    static float x[COUNT], y[COUNT], z[COUNT], rest[COUNT];
    make_inputs(COUNT, 0, 8, wide_x);
    make_inputs(COUNT, -1000, 300, wide_y);
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = i % 2 ? (float)wide_x[i] : ct__from_bits((uint32_t)(ct__bits64(wide_x[i]) >> 32));
        y[i] = i % 3 ? (float)wide_y[i] : ct__from_bits((uint32_t)(ct__bits64(wide_y[i]) >> 32));
    }
    CHECK(ct__arrays_here()->binary_f32(CT__OP_atan2, COUNT, z, x, 1, y, 1));
    CHECK(ct__arrays_here()->binary_f32(CT__OP_remainder, COUNT, rest, x, 1, y, 1));
    for (size_t i = 0; i < COUNT; i++) {
        const long double exact = exact_pair(CT__OP_atan2, (long double)x[i], (long double)y[i]);
        CHECK_MSG(ulps32(z[i], exact) <= stated_bound(CT__OP_atan2, CT_F32) &&
                      has_its_sign((double)z[i], exact),
                  "atan2(%a, %a) = %a", (double)x[i], (double)y[i], (double)z[i]);
        const float left = fmodf(x[i], y[i]);
        CHECK_MSG((rest[i] == left && !signbit(rest[i]) == !signbit(left)) ||
                      (left != left && rest[i] != rest[i]),
                  "%a rem %a = %a", (double)x[i], (double)y[i], (double)rest[i]);
    }
}

/* ---- Instruction sets. */

static bool are_equal(size_t n, const double *x, const double *y)
{
    for (size_t i = 0; i < n; i++)
        if (ct__bits64(x[i]) != ct__bits64(y[i]) && (x[i] == x[i] || y[i] == y[i]))
            return false;
    return true;
}

static void check_set(const ct__arrays *set)
{
    static double x[COUNT], y[COUNT], z[COUNT], want[COUNT];
    for (size_t k = 0; k < FUNCTIONS; k++) {
        make_inputs(COUNT, functions[k].low, functions[k].high, x);
        ct__arrays_base.unary_f64(functions[k].op, COUNT, want, x);
        memcpy(z, x, sizeof z); /* in place */
        set->unary_f64(functions[k].op, COUNT, z, z);
        CHECK_MSG(are_equal(COUNT, z, want), "%s: %s", name_of(functions[k].op), set->name);
    }
    static const ct__op pairs[] = {CT__OP_power, CT__OP_atan2, CT__OP_remainder};
    make_inputs(COUNT, 0, 8, x);
    make_inputs(COUNT, -1000, 300, y);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        ct__arrays_base.binary_f64(pairs[k], COUNT, want, x, 1, y, 1);
        set->binary_f64(pairs[k], COUNT, z, x, 1, y, 1);
        CHECK_MSG(are_equal(COUNT, z, want), "%s: %s", name_of(pairs[k]), set->name);
    }
}

TEST(every_instruction_set_gives_the_same_bits)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        check_set(&ct__arrays_avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        check_set(&ct__arrays_avx512);
#endif
    check_set(ct__arrays_here());
}
