/* The largest errors of elementary functions, in both machine numerics, against MPFR: of every f16
 * and bf16, of a sample of f32 (of all of them: scripts/accuracy.sh), and of random f64. They are
 * those of docs/accuracy.md, which CT_ACCURACY_WRITE=1 prints. */
#include "exec/interpret/interpret.h"
#include "tests/check.h"

#ifdef CT_ORACLE
#include "exec/oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024, DTYPES = 4, SAMPLES = 1 << 14, PAIRS = 1 << 12 };

/* Of so many blocks of operands one is looked at: sanitizers take their time. */
#ifdef CT_SANITIZED
enum { EVERY = 16 };
#else
enum { EVERY = 1 };
#endif

static const ct_dtype dtypes[DTYPES] = {CT_F16, CT_BF16, CT_F32, CT_F64};

typedef struct function {
    const char *name;
    ct__op op;
    int operands;
    double low[2], high[2]; /* of two operands: where random ones are */
} function;

static const function functions[] = {
    {"abs", CT__OP_abs, 1, {0}, {0}},
    {"acos", CT__OP_acos, 1, {0}, {0}},
    {"acosh", CT__OP_acosh, 1, {0}, {0}},
    {"asin", CT__OP_asin, 1, {0}, {0}},
    {"asinh", CT__OP_asinh, 1, {0}, {0}},
    {"atan", CT__OP_atan, 1, {0}, {0}},
    {"atanh", CT__OP_atanh, 1, {0}, {0}},
    {"bessel_i1e", CT__OP_bessel_i1e, 1, {0}, {0}},
    {"cbrt", CT__OP_cbrt, 1, {0}, {0}},
    {"cosh", CT__OP_cosh, 1, {0}, {0}},
    {"cosine", CT__OP_cosine, 1, {0}, {0}},
    {"digamma", CT__OP_digamma, 1, {0}, {0}},
    {"erf", CT__OP_erf, 1, {0}, {0}},
    {"erf_inv", CT__OP_erf_inv, 1, {0}, {0}},
    {"erfc", CT__OP_erfc, 1, {0}, {0}},
    {"exponential", CT__OP_exponential, 1, {0}, {0}},
    {"exponential_minus_one", CT__OP_exponential_minus_one, 1, {0}, {0}},
    {"lgamma", CT__OP_lgamma, 1, {0}, {0}},
    {"log", CT__OP_log, 1, {0}, {0}},
    {"log_plus_one", CT__OP_log_plus_one, 1, {0}, {0}},
    {"logistic", CT__OP_logistic, 1, {0}, {0}},
    {"rsqrt", CT__OP_rsqrt, 1, {0}, {0}},
    {"sine", CT__OP_sine, 1, {0}, {0}},
    {"sinh", CT__OP_sinh, 1, {0}, {0}},
    {"sqrt", CT__OP_sqrt, 1, {0}, {0}},
    {"tan", CT__OP_tan, 1, {0}, {0}},
    {"tanh", CT__OP_tanh, 1, {0}, {0}},
    {"atan2", CT__OP_atan2, 2, {-10, -10}, {10, 10}},
    {"divide", CT__OP_divide, 2, {-10, -10}, {10, 10}},
    {"multiply", CT__OP_multiply, 2, {-10, -10}, {10, 10}},
    {"polygamma", CT__OP_polygamma, 2, {0, 0}, {6, 20}},
    {"power", CT__OP_power, 2, {0, -10}, {10, 10}},
    {"remainder", CT__OP_remainder, 2, {-100, -10}, {100, 10}},
    {"zeta", CT__OP_zeta, 2, {1, 0}, {20, 20}},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* ---- Operands. */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

/* Every `step`th bit pattern of 16 and 32 bits; of f64 random ones, and random numbers around 0. */
static uint64_t pattern_of(ct_dtype dtype, uint64_t i, uint64_t step)
{
    uint64_t bits = i * step;
    const double x = ldexp((double)(int64_t)mix(2 * i + 1), i % 4 == 0 ? -63 : -58);

    if (dtype == CT_F64 && i % 2 == 0)
        memcpy(&bits, &x, sizeof bits);
    else if (dtype == CT_F64)
        bits = mix(i);
    return bits;
}

static uint64_t count_of(ct_dtype dtype, uint64_t step)
{
    return dtype == CT_F64   ? SAMPLES
           : dtype == CT_F32 ? (UINT64_C(1) << 32) / step
                             : UINT64_C(1) << 16;
}

static void fill(const function *f, ct_dtype dtype, uint64_t first, size_t n, uint64_t step,
                 int operand, void *x)
{
    const size_t bytes = ct_dtype_bytes(dtype);

    for (size_t i = 0; i < n; i++) {
        unsigned char *element = (unsigned char *)x + i * bytes;
        const uint64_t bits = pattern_of(dtype, first + i, step);
        if (f->operands == 1) {
            memcpy(element, &bits, bytes); /* the low bytes */
            continue;
        }
        const double u = (double)(mix(2 * (first + i) + (uint64_t)operand) >> 11) * 0x1p-53;
        double number = f->low[operand] + u * (f->high[operand] - f->low[operand]);
        if (f->op == CT__OP_polygamma && operand == 0)
            number = floor(number);
        ct__store_double(dtype, element, number);
    }
}

/* ---- Measuring. */

typedef struct measured {
    double largest, sum;
    uint64_t count, infinite;
    double x[2]; /* where the largest is */
} measured;

static void judge(const function *f, ct_dtype dtype, size_t n, const void *const *x, const void *y,
                  const ct__number *exact, measured *m)
{
    const size_t bytes = ct_dtype_bytes(dtype);

    for (size_t i = 0; i < n; i++) {
        const size_t at = i * bytes;
        const double ulps = ct__error_from(dtype, (const unsigned char *)y + at, exact[i]).ulps;
        m->count++;
        m->infinite += isfinite(ulps) ? 0 : 1;
        m->sum += isfinite(ulps) ? ulps : 0;
        if (!isfinite(ulps) || ulps <= m->largest)
            continue;
        m->largest = ulps;
        for (int k = 0; k < f->operands; k++)
            m->x[k] = ct__load_double(dtype, (const unsigned char *)x[k] + at);
    }
}

static void measure_block(const function *f, ct_dtype dtype, uint64_t first, size_t n,
                          uint64_t step, measured *m)
{
    static const ct__numerics *const numerics[2] = {&ct__reference_numerics, &ct__machine_numerics};
    static double a[BLOCK], b[BLOCK], y[BLOCK];
    static ct__number p[BLOCK], q[BLOCK], exact[BLOCK];
    const void *const x[2] = {a, b};

    fill(f, dtype, first, n, step, 0, a);
    fill(f, dtype, first, n, step, 1, b);
    ct__load_numbers(dtype, n, p, a);
    ct__load_numbers(dtype, n, q, b);
    if (f->operands == 1)
        ct__mpfr_numerics.unary(f->op, dtype, n, exact, p);
    else
        ct__mpfr_numerics.binary(f->op, dtype, n, exact, p, 1, q, 1);
    for (int k = 0; k < 2; k++) {
        if (f->operands == 1)
            numerics[k]->unary(f->op, dtype, n, y, a);
        else
            numerics[k]->binary(f->op, dtype, n, y, a, 1, b, 1);
        judge(f, dtype, n, x, y, exact, &m[k]);
    }
    ct__numbers_forget(ct__numbers_now());
}

/* In the reference, and in the machine's numerics. */
static void measure(const function *f, ct_dtype dtype, uint64_t step, measured *m)
{
    const ct__precision how = {.saturates = true, .bits = 96, .most_bits = 1 << 20};
    const uint64_t count = f->operands == 1 ? count_of(dtype, step) : PAIRS;
    ct__numbers n;

    m[0] = m[1] = (measured){.largest = 0};
    CHECK(ct__numbers_init(&n, &ct__libc_allocator, &how));
    ct__numbers_enter(&n);
    for (uint64_t i = 0; i < count; i += EVERY * BLOCK)
        measure_block(f, dtype, i, count - i < BLOCK ? (size_t)(count - i) : BLOCK, step, m);
    ct__numbers_leave(&n);
    ct__numbers_free(&n);
}

/* ---- The table: a row is a function, its errors of each dtype in the reference and in the
 * machine's numerics. */

enum { STEP = 65537 }; /* a prime near 2^16 */

static uint64_t asked_step(void)
{
    const char *text = getenv("CT_ACCURACY_STEP");
    return text ? strtoull(text, NULL, 10) : STEP;
}

static bool is_asked(const char *name)
{
    const char *only = getenv("CT_ACCURACY_OP");
    return !only || strcmp(only, name) == 0;
}

/* Two digits, rounded up. */
static const char *bound(const measured *m, char text[32])
{
    double x = m->largest, unit = x > 0 ? pow(10, floor(log10(x)) - 1) : 1;
    x = x > 0 ? ceil(x / unit - 1e-6) * unit : 0;
    snprintf(text, 32, m->infinite ? "%.3g*" : "%.3g", x);
    return text;
}

static void write_row(const function *f, measured m[DTYPES][2])
{
    char text[32];
    printf("| %s |", f->name);
    for (int d = 0; d < DTYPES; d++)
        for (int k = 0; k < 2; k++)
            printf(" %s |", bound(&m[d][k], text));
    printf("\n");
    if (getenv("CT_ACCURACY_WHERE"))
        for (int d = 0; d < DTYPES; d++)
            printf("  %s: %.17g %.17g; %.17g %.17g; %llu infinite\n", ct_dtype_name(dtypes[d]),
                   m[d][0].x[0], m[d][0].x[1], m[d][1].x[0], m[d][1].x[1],
                   (unsigned long long)m[d][1].infinite);
    fflush(stdout);
}

/* "| exp | 0.5 | … |" */
static bool find_row(const char *name, char *line, size_t bytes)
{
    FILE *file = fopen(CT_SOURCE_DIR "/docs/accuracy.md", "r");
    char begin[64];
    bool found = false;

    snprintf(begin, sizeof begin, "| %s |", name);
    while (file && !found && fgets(line, (int)bytes, file))
        found = strncmp(line, begin, strlen(begin)) == 0;
    if (file)
        fclose(file);
    return found;
}

/* The C library, which has a part in some, may be another one elsewhere. */
static bool is_near(const char *cell, const measured *m)
{
    char *end;
    const double stated = strtod(cell, &end);

    return (EVERY > 1 || (*end == '*') == (m->infinite > 0)) && m->largest <= stated * 1.1 + 0.01 &&
           (EVERY > 1 || m->largest >= stated / 2 - 0.01);
}

static void check_row(const function *f, measured m[DTYPES][2])
{
    char line[512], text[32];

    CHECK_MSG(find_row(f->name, line, sizeof line), "docs/accuracy.md has no row of %s", f->name);
    const char *next = strchr(line + 1, '|');
    for (int i = 0; i < 2 * DTYPES; i++) {
        const measured *at = &m[i / 2][i % 2];
        char cell[32] = "";
        CHECK(next && sscanf(next, "| %31[^ |]", cell) == 1);
        CHECK_MSG(is_near(cell, at),
                  "%s in %s, %s numerics: %s ulps, at %.17g, %.17g; docs/accuracy.md says %s",
                  f->name, ct_dtype_name(dtypes[i / 2]), i % 2 ? "machine" : "reference",
                  bound(at, text), at->x[0], at->x[1], cell);
        next = strchr(next + 1, '|');
    }
}

/* What docs/numerics.md promises of f32 and f64. */
static void check_bounds(const function *f, measured m[DTYPES][2])
{
    static const struct {
        ct__op op;
        double bound[2];
    } rows[] = {
#define BOUND(name, narrow, wide) {CT__OP_##name, {narrow, wide}},
#include "exec/kernel/bounds.def"
#undef BOUND
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 2 && rows[i].op == f->op; k++)
            CHECK_MSG(m[2 + k][1].largest <= rows[i].bound[k] + 1e-6, "%s: %g ulps, not %g",
                      f->name, m[2 + k][1].largest, rows[i].bound[k]);
}

TEST(errors_are_those_of_the_table)
{
    size_t asked = 0;

    for (size_t i = 0; i < FUNCTIONS; i++) {
        measured m[DTYPES][2];
        if (!is_asked(functions[i].name))
            continue;
        asked++;
        for (int d = 0; d < DTYPES; d++)
            measure(&functions[i], dtypes[d], asked_step(), m[d]);
        if (getenv("CT_ACCURACY_WRITE"))
            write_row(&functions[i], m);
        else
            check_row(&functions[i], m);
        check_bounds(&functions[i], m);
    }
    CHECK_MSG(asked > 0, "there is no function called %s", getenv("CT_ACCURACY_OP"));
}

#else

TEST(errors_are_those_of_the_table)
{
    SKIP("the library has no MPFR");
}

#endif
