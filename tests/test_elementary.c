/* The elementary functions of machine numerics: their errors against f64, their special values, and
 * the same bits in every instruction set that this machine has. */
#include "tests/check.h"
#include "tests/witness.h"

#include "exec/interpret/interpret.h"
#include "exec/kernel/arrays.h"
#include "exec/kernel/elementary.h"

#include <stdlib.h>

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double rsqrt(double x)
{
    return 1 / sqrt(x);
}

static const struct {
    ct__op op;
    double (*exact)(double);
} functions[] = {{CT__OP_exponential, exp}, {CT__OP_exponential_minus_one, expm1},
                 {CT__OP_log, log},         {CT__OP_log_plus_one, log1p},
                 {CT__OP_tanh, tanh},       {CT__OP_logistic, logistic},
                 {CT__OP_sine, sin},        {CT__OP_cosine, cos},
                 {CT__OP_tan, tan},         {CT__OP_erf, erf},
                 {CT__OP_rsqrt, rsqrt}};
enum { FUNCTIONS = sizeof functions / sizeof *functions, BLOCK = 4096 };

/* Every `step`th float, in blocks; 0 after the last. */
static size_t next_block(uint64_t *bits, uint32_t step, float *x)
{
    size_t n = 0;
    for (; n < BLOCK && *bits <= UINT32_MAX; *bits += step)
        x[n++] = ct__from_bits((uint32_t)*bits);
    return n;
}

/* What y is away from the exact value, in units of the last place of a float there; 0 when both
 * round to the same, and infinity when one is special and the other is not. */
static double ulps_between(float y, double exact)
{
    float rounded = (float)exact;
    int exponent;
    if (y == rounded || (y != y && exact != exact))
        return 0;
    if (y != y || exact != exact)
        return INFINITY;
    frexp(exact, &exponent);
    exponent = exponent < -125 ? -125 : exponent > 128 ? 128 : exponent;
    double from = isinf(y) ? copysign(0x1p128, y) : (double)y;
    return isinf(exact) ? INFINITY : fabs(from - exact) / ldexp(1, exponent - 24);
}

/* A signed zero is that of the exact value. */
static bool has_its_sign(float y, double exact)
{
    return y != 0 || exact != 0 || (signbit(y) != 0) == (signbit(exact) != 0);
}

/* Where there is mpmath. */
TEST(coefficients_are_what_the_script_writes)
{
    if (system("python3 -c 'import mpmath' 2>/dev/null") != 0)
        SKIP("python3 has no mpmath");
    CHECK(system("python3 " CT_SOURCE_DIR "/scripts/elementary_coefficients.py --check") == 0);
}

/* One float in so many is looked at: CT_FLOAT_STEP=1 is all of them, for some minutes. */
static uint32_t float_step(void)
{
    const char *text = getenv("CT_FLOAT_STEP");
    const unsigned long step = text ? strtoul(text, NULL, 10) : 0;
    return step > 0 && step < UINT32_MAX ? (uint32_t)step : 10007;
}

TEST(errors)
{
    static float x[BLOCK], y[BLOCK];
    const uint32_t step = float_step();
    for (size_t k = 0; k < FUNCTIONS; k++) {
        uint64_t bits = 0;
        double worst = 0;
        float at = 0;
        for (size_t n; (n = next_block(&bits, step, x)) > 0;) {
            ct__arrays_here()->unary_f32(functions[k].op, n, y, x);
            for (size_t i = 0; i < n; i++) {
                double exact = functions[k].exact((double)x[i]), ulps = ulps_between(y[i], exact);
                bool is_within_one = !(fabs(exact) <= 1) || fabsf(y[i]) <= 1;
                CHECK_MSG(has_its_sign(y[i], exact) && is_within_one, "%s(%a) = %a",
                          ct__op_describe(functions[k].op)->name, (double)x[i], (double)y[i]);
                at = ulps > worst ? x[i] : at;
                worst = ulps > worst ? ulps : worst;
            }
        }
        CHECK_MSG(worst <= stated_bound(functions[k].op, CT_F32), "%s: %g ulps at %a",
                  ct__op_describe(functions[k].op)->name, worst, (double)at);
    }
}

/* Of special values and their neighbours, each with each. */
static const float special[] = {0.0f,
                                -0.0f,
                                0x1p-149f,
                                -0x1p-149f,
                                0x1p-126f,
                                0.5f,
                                -0.5f,
                                1.0f,
                                -1.0f,
                                0x1.fffffep-1f,
                                0x1.000002p0f,
                                2.0f,
                                -2.0f,
                                3.0f,
                                -3.0f,
                                3.5f,
                                0x1p23f,
                                0x1.000002p23f,
                                -0x1.000002p23f,
                                0x1p24f,
                                -0x1p24f,
                                1e30f,
                                -1e30f,
                                0x1.fffffep127f,
                                INFINITY,
                                -INFINITY,
                                NAN};
enum { SPECIAL = sizeof special / sizeof *special };

static void check_pow(float x, float y)
{
    float z;
    ct__arrays_here()->binary_f32(CT__OP_power, 1, &z, &x, 1, &y, 1);
    double exact = pow((double)x, (double)y);
    CHECK_MSG(ulps_between(z, exact) <= stated_bound(CT__OP_power, CT_F32) &&
                  has_its_sign(z, exact),
              "pow(%a, %a) = %a, not %a", (double)x, (double)y, (double)z, exact);
}

TEST(powers)
{
    uint32_t state = 1;
    for (size_t i = 0; i < SPECIAL; i++)
        for (size_t j = 0; j < SPECIAL; j++)
            check_pow(special[i], special[j]);
    for (int i = 0; i < 200000; i++) {
        state = state * 1664525 + 1013904223;
        float x = ct__from_bits(state >> 1);
        state = state * 1664525 + 1013904223;
        check_pow(x, ldexpf((float)(int32_t)state, -(int)(state % 29) - 8));
    }
}

/* ---- Instruction sets. */

static size_t list_sets(const ct__arrays **set)
{
    size_t count = 0;
    set[count++] = &ct__arrays_base;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        set[count++] = &ct__arrays_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        set[count++] = &ct__arrays_avx512;
#endif
    return count;
}

/* A NaN equals a NaN. */
static bool are_equal(size_t n, const float *x, const float *y)
{
    for (size_t i = 0; i < n; i++)
        if (ct__bits(x[i]) != ct__bits(y[i]) && (x[i] == x[i] || y[i] == y[i]))
            return false;
    return true;
}

TEST(every_instruction_set_gives_the_same_bits)
{
    const ct__arrays *set[3];
    const size_t sets = list_sets(set);
    static float x[BLOCK], y[BLOCK], z[BLOCK];
    for (size_t k = 0; k < FUNCTIONS; k++) {
        uint64_t bits = 77;
        for (size_t n; (n = next_block(&bits, 100003, x)) > 0;) {
            set[0]->unary_f32(functions[k].op, n, y, x);
            for (size_t s = 1; s < sets; s++) {
                set[s]->unary_f32(functions[k].op, n, z, x);
                CHECK_MSG(are_equal(n, y, z), "%s: %s", ct__op_describe(functions[k].op)->name,
                          set[s]->name);
            }
        }
    }
    uint64_t bits = 5;
    for (size_t n; (n = next_block(&bits, 200003, x)) > 0;) {
        for (size_t i = 0; i < n; i++)
            y[i] = special[i % SPECIAL];
        static float one[BLOCK];
        set[0]->binary_f32(CT__OP_power, n, one, x, 1, y, 1);
        for (size_t s = 1; s < sets; s++) {
            set[s]->binary_f32(CT__OP_power, n, z, x, 1, y, 1);
            CHECK_MSG(are_equal(n, one, z), "power: %s", set[s]->name);
        }
    }
}

/* ---- What is exact or rounded once: the bits of the reference numerics. */

static const ct__op pairs[] = {CT__OP_add,    CT__OP_subtract,    CT__OP_multiply,
                               CT__OP_divide, CT__OP_maximum,     CT__OP_minimum,
                               CT__OP_scale,  CT__OP_scale_either};
static const ct__op singles[] = {CT__OP_abs, CT__OP_negate, CT__OP_sqrt, CT__OP_sign};

enum { PAIRS = SPECIAL * SPECIAL };

static void check_pairs(const ct__arrays *set, ct__op op, size_t x_step, size_t y_step)
{
    static float x[PAIRS], y[PAIRS], z[PAIRS], want[PAIRS];
    static double wide_x[PAIRS], wide_y[PAIRS], wide_z[PAIRS], wide[PAIRS];
    for (size_t i = 0; i < PAIRS; i++) {
        wide_x[i] = (double)(x[i] = special[i / SPECIAL]);
        wide_y[i] = (double)(y[i] = special[i % SPECIAL]);
    }
    CHECK(set->binary_f32(op, PAIRS, z, x, x_step, y, y_step));
    CHECK(set->binary_f64(op, PAIRS, wide_z, wide_x, x_step, wide_y, y_step));
    ct__reference_numerics.binary(op, CT_F32, PAIRS, want, x, x_step, y, y_step);
    ct__reference_numerics.binary(op, CT_F64, PAIRS, wide, wide_x, x_step, wide_y, y_step);
    CHECK_MSG(are_equal(PAIRS, z, want), "%s, %s", set->name, ct__op_describe(op)->name);
    for (size_t i = 0; i < PAIRS; i++)
        CHECK_MSG(ct__bits64(wide_z[i]) == ct__bits64(wide[i]) ||
                      (wide_z[i] != wide_z[i] && wide[i] != wide[i]),
                  "%s, %s: %a, %a", set->name, ct__op_describe(op)->name, wide_x[i], wide_y[i]);
}

TEST(exact_operations_are_those_of_the_reference)
{
    const ct__arrays *set[3];
    const size_t sets = list_sets(set);
    float y[SPECIAL], want[SPECIAL];
    for (size_t s = 0; s < sets; s++) {
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            for (size_t steps = 0; steps < 4; steps++)
                check_pairs(set[s], pairs[k], steps & 1, steps >> 1);
        for (size_t k = 0; k < sizeof singles / sizeof *singles; k++) {
            CHECK(set[s]->unary_f32(singles[k], SPECIAL, y, special));
            ct__reference_numerics.unary(singles[k], CT_F32, SPECIAL, want, special);
            CHECK_MSG(are_equal(SPECIAL, y, want), "%s, %s", set[s]->name,
                      ct__op_describe(singles[k])->name);
        }
    }
}
