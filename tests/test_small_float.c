/* Floats of 4, 6 and 8 bits: every code, every rounding, every sum against ml_dtypes. */
#include "exec/interpret/interpret.h"
#include "interop/stablehlo/print.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LINE = 1 << 14, CODES = 256 };

static const ct__numerics *const numerics = &ct__reference_numerics;

/* A format as the file has it. */
typedef struct format {
    ct_dtype dtype;
    int n_codes;
    double value[CODES];
} format;

static uint8_t rounded(const format *f, double x)
{
    return ct__small_float_store(f->dtype, x);
}

/* ---- Lines of the file. */

static void check_values(format *f, char *text)
{
    f->n_codes = 0;
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        double value = strtod(word, NULL), found;
        CHECK(f->n_codes < CODES);
        const uint8_t code = (uint8_t)f->n_codes;
        found = ct__small_float_load(f->dtype, code);
        CHECK_MSG(isnan(value) ? isnan(found) : found == value && signbit(found) == signbit(value),
                  "%s: code %02X is %a, not %a", ct_dtype_name(f->dtype), code, found, value);
        CHECK_MSG(isnan(value) || rounded(f, value) == code, "%s: %a becomes %02X, not %02X",
                  ct_dtype_name(f->dtype), value, rounded(f, value), code);
        f->value[f->n_codes++] = value;
    }
    CHECK(f->n_codes == 1 << ct__dtype_bits(f->dtype));
}

static unsigned code_at(const char *text, size_t i)
{
    unsigned code = 0;
    CHECK(sscanf(text + 2 * i, "%2X", &code) == 1);
    return code;
}

/* NaNs count as FF, where the format has some. */
static void canonical(const format *f, size_t n, uint8_t *code)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(f->value[code[i]]))
            code[i] = 255;
}

static void check_number(const format *f, double x, unsigned expected)
{
    uint8_t code = rounded(f, x);
    canonical(f, 1, &code);
    CHECK_MSG(code == expected, "%s: %a becomes %02X, not %02X", ct_dtype_name(f->dtype), x, code,
              expected);
}

/* The numbers that are not negative in ascending order, and the one that would be next. */
static size_t magnitudes(const format *f, double *x)
{
    size_t n = 0;
    for (int code = 0; code < f->n_codes; code++)
        if (isfinite(f->value[code]) && !signbit(f->value[code]))
            x[n++] = f->value[code];
    for (size_t i = 1; i < n; i++)
        CHECK(x[i] > x[i - 1]);
    x[n] = x[0] > 0 ? 2 * x[n - 1] : 2 * x[n - 1] - x[n - 2];
    return n;
}

static void check_rounded(const format *f, const char *text)
{
    double x[CODES + 1];
    const size_t n = magnitudes(f, x);
    CHECK(strcspn(text, "\n") == 2 * (2 * (3 * n + 3)));
    for (int negative = 0; negative < 2; negative++) {
        const double sign = negative ? -1 : 1;
        for (size_t i = 0; i < n; i++) {
            const float middle = (float)((x[i] + x[i + 1]) / 2);
            check_number(f, sign * (double)nextafterf(middle, 0), code_at(text, 3 * i));
            check_number(f, sign * (double)middle, code_at(text, 3 * i + 1));
            check_number(f, sign * (double)nextafterf(middle, INFINITY), code_at(text, 3 * i + 2));
            /* doubles, which are rounded once, lie on the same sides */
            check_number(f, sign * nextafter((double)middle, 0), code_at(text, 3 * i));
            check_number(f, sign * nextafter((double)middle, INFINITY), code_at(text, 3 * i + 2));
        }
        check_number(f, sign * (double)INFINITY, code_at(text, 3 * n));
        check_number(f, sign * 1e300, code_at(text, 3 * n + 1));
        check_number(f, sign * 5e-324, code_at(text, 3 * n + 2));
        text += 2 * (3 * n + 3);
    }
}

static void check_unary(const format *f, ct__op op, const char *text)
{
    uint8_t x[CODES], y[CODES];
    for (int i = 0; i < f->n_codes; i++)
        x[i] = (uint8_t)i;
    numerics->unary(op, f->dtype, (size_t)f->n_codes, y, x);
    canonical(f, (size_t)f->n_codes, y);
    for (size_t i = 0; i < (size_t)f->n_codes; i++)
        CHECK_MSG(y[i] == code_at(text, i), "%s %s: of %02X gave %02X, not %02X",
                  ct_dtype_name(f->dtype), ct__op_describe(op)->name, x[i], y[i], code_at(text, i));
}

static void check_binary(const format *f, ct__op op, const char *text)
{
    static uint8_t y[CODES], z[CODES * CODES];
    const size_t n = (size_t)f->n_codes;
    for (size_t i = 0; i < n; i++)
        y[i] = (uint8_t)i;
    for (size_t i = 0; i < n; i++)
        numerics->binary(op, f->dtype, n, z + i * n, &y[i], 0, y, 1);
    canonical(f, n * n, z);
    CHECK_MSG(crc32(0, z, (uInt)(n * n)) == strtoul(text, NULL, 16), "%s %s",
              ct_dtype_name(f->dtype), ct__op_describe(op)->name);
}

static void check_line(format *f, const char *what, char *text)
{
    bool open;
    if (strcmp(what, "values") == 0) {
        check_values(f, text);
        return;
    }
    if (strcmp(what, "rounded") == 0) {
        check_rounded(f, text);
        return;
    }
    for (int op = 0; op < CT__OP_COUNT; op++)
        if (strcmp(ct__op_describe((ct__op)op)->name, what) == 0) {
            (ct__op_arity((ct__op)op, &open) == 1 ? check_unary : check_binary)(f, (ct__op)op,
                                                                                text);
            return;
        }
    CHECK_MSG(0, "there is no %s", what);
}

TEST(as_ml_dtypes)
{
    static format f;
    static char line[LINE];
    FILE *file = fopen(CT_SOURCE_DIR "/tests/data/small_floats.txt", "r");
    int lines = 0;
    CHECK(file);
    while (fgets(line, sizeof line, file)) {
        char name[32], what[32];
        int at = 0;
        CHECK(sscanf(line, "%31s %31s %n", name, what, &at) == 2 && at > 0);
        if (f.dtype == CT_INVALID_DTYPE || strcmp(ct_dtype_name(f.dtype), name) != 0)
            f.dtype = f.dtype == CT_INVALID_DTYPE ? CT_F4E2M1FN : (ct_dtype)(f.dtype + 1);
        CHECK_MSG(strcmp(ct_dtype_name(f.dtype), name) == 0, "%s", name);
        check_line(&f, what, line + at);
        lines++;
    }
    fclose(file);
    CHECK(f.dtype == CT_F8E8M0FNU && lines == 17 * (CT_F8E8M0FNU - CT_F4E2M1FN + 1));
}

/* ---- Conversions. */

/* From the small float as from the f64 that it is; to it as the f64, which is rounded once. */
static void check_conversions(ct_dtype t, ct_dtype other)
{
    const size_t bytes = ct_dtype_bytes(other);
    for (unsigned code = 0; code >> ct__dtype_bits(t) == 0; code++) {
        uint8_t x = (uint8_t)code, back;
        const double wide = ct__small_float_load(t, x);
        unsigned char y[16] = {0}, expected[16] = {0};
        numerics->convert(other, t, 1, y, &x);
        numerics->convert(other, CT_F64, 1, expected, &wide);
        CHECK_MSG(memcmp(y, expected, bytes) == 0, "%s to %s: %g", ct_dtype_name(t),
                  ct_dtype_name(other), wide);
        numerics->convert(t, other, 1, &back, y);
        CHECK_MSG(back == ct__small_float_store(t, ct__load_double(other, y)), "%s to %s: %g",
                  ct_dtype_name(other), ct_dtype_name(t), ct__load_double(other, y));
    }
}

TEST(conversions)
{
    for (ct_dtype t = CT_F4E2M1FN; t <= CT_F8E8M0FNU; t = (ct_dtype)(t + 1))
        for (ct_dtype other = CT_BOOL; other < CT_DTYPE_COUNT; other = (ct_dtype)(other + 1))
            if (other != t)
                check_conversions(t, other);
    /* a double would round these to the tie first */
    const int64_t below = (INT64_C(3) << 60) - 1, tie = INT64_C(3) << 60;
    const uint64_t beside = (UINT64_C(17) << 59) - 1;
    uint8_t y;
    numerics->convert(CT_F8E8M0FNU, CT_I64, 1, &y, &below);
    CHECK(y == 127 + 61);
    numerics->convert(CT_F8E8M0FNU, CT_I64, 1, &y, &tie);
    CHECK(y == 127 + 62);
    numerics->convert(CT_F8E8M0FNU, CT_U64, 1, &y, &beside);
    CHECK(y == 127 + 63);
}

/* A NaN's sign says nothing: it is no number of its own in formats without a NaN either. */
TEST(signs_of_nan)
{
    static const uint32_t bits[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001};
    for (ct_dtype t = CT_F4E2M1FN; t < CT_F8E8M0FNU; t = (ct_dtype)(t + 1))
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
            float x;
            uint8_t y;
            memcpy(&x, &bits[i], sizeof x);
            numerics->convert(t, CT_F32, 1, &y, &x);
            const double value = ct__small_float_load(t, y);
            CHECK_MSG(isnan(value) || (value == 0 && !signbit(value)), "%s of NaN is %g",
                      ct_dtype_name(t), value);
        }
}

/* ---- Order. */

/* Where the code stands in the total order: numbers by magnitude and sign, then what is no number;
 * NaNs that have no sign come last. */
static int place(ct_dtype dtype, unsigned code)
{
    const unsigned sign = 1U << (ct__dtype_bits(dtype) - 1);
    const double value = ct__small_float_load(dtype, (uint8_t)code);

    if (dtype == CT_F8E8M0FNU)
        return (int)code;
    if (code == sign && isnan(value))
        return 1 << 8;
    return code & sign ? -1 - (int)(code & (sign - 1)) : (int)code;
}

TEST(total_order)
{
    for (ct_dtype t = CT_F4E2M1FN; t <= CT_F8E8M0FNU; t = (ct_dtype)(t + 1)) {
        const unsigned n = 1U << ct__dtype_bits(t);
        uint8_t x[CODES], y[CODES];
        bool less[CODES], equal[CODES];
        for (unsigned i = 0; i < n; i++) {
            for (unsigned j = 0; j < n; j++)
                x[j] = (uint8_t)i, y[j] = (uint8_t)j;
            numerics->compare(CT_LT, CT_COMPARE_TOTALORDER, t, n, less, x, y);
            numerics->compare(CT_EQ, CT_COMPARE_TOTALORDER, t, n, equal, x, y);
            for (unsigned j = 0; j < n; j++) {
                CHECK_MSG(less[j] == (place(t, i) < place(t, j)), "%s: %02X < %02X",
                          ct_dtype_name(t), i, j);
                CHECK_MSG(equal[j] == (i == j), "%s: %02X == %02X", ct_dtype_name(t), i, j);
            }
        }
    }
}

TEST(is_finite)
{
    static const struct {
        ct_dtype dtype;
        int infinite; /* codes that are infinities or NaNs */
    } row[] = {{CT_F4E2M1FN, 0}, {CT_F6E2M3FN, 0},   {CT_F6E3M2FN, 0},   {CT_F8E3M4, 32},
               {CT_F8E4M3, 16},  {CT_F8E4M3FN, 2},   {CT_F8E4M3FNUZ, 1}, {CT_F8E4M3B11FNUZ, 1},
               {CT_F8E5M2, 8},   {CT_F8E5M2FNUZ, 1}, {CT_F8E8M0FNU, 1}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const size_t n = (size_t)1 << ct__dtype_bits(row[k].dtype);
        uint8_t x[CODES];
        bool finite[CODES];
        int infinite = 0;
        for (size_t i = 0; i < n; i++)
            x[i] = (uint8_t)i;
        numerics->is_finite(row[k].dtype, n, finite, x);
        for (size_t i = 0; i < n; i++) {
            infinite += !finite[i];
            CHECK(finite[i] == (bool)isfinite(ct__small_float_load(row[k].dtype, x[i])));
        }
        CHECK_MSG(infinite == row[k].infinite, "%s has %d", ct_dtype_name(row[k].dtype), infinite);
    }
}

/* The fold of nothing is a bound that the dtype has: one without infinities ends in a number. */
TEST(extremes_begin_with_a_bound)
{
    for (int d = CT_F4E2M1FN; d <= CT_F8E8M0FNU; d++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *x = given(ctx, (ct_dtype)d, CT_SHAPE(3), {1, 2, 1});
        ct_tensor *none = ct_op_slice(x, CT_DIMS(0), CT_DIMS(0), CT_DIMS(1));

        CHECK_VALUES(ct_op_reduce_max(x, CT_DIMS(0)), CT_SHAPE(), {2});
        CHECK_VALUES(ct_op_reduce_min(x, CT_DIMS(0)), CT_SHAPE(), {1});
        CHECK_VALUES(ct_op_reduce_max(none, CT_DIMS(0)), CT_SHAPE(),
                     {ct__float_bound((ct_dtype)d, false)});
        CHECK_VALUES(ct_op_reduce_min(none, CT_DIMS(0)), CT_SHAPE(),
                     {ct__float_bound((ct_dtype)d, true)});
        CHECK_VALUES(ct_argmax(x, 0, CT_DROP_AXES), CT_SHAPE(), {1});
        CHECK_OK(ctx);
        ct_context_free(ctx);
    }
    CHECK(ct__float_bound(CT_F8E4M3FN, true) == 448 && ct__float_bound(CT_F8E4M3FN, false) == -448);
    CHECK(ct__float_bound(CT_F8E5M2FNUZ, true) == 57344);
    CHECK(ct__float_bound(CT_F4E2M1FN, false) == -6);
    CHECK(ct__float_bound(CT_F8E8M0FNU, false) == 0x1p-127);
    CHECK(ct__float_bound(CT_F8E8M0FNU, true) == 0x1p127);
    CHECK(ct__float_bound(CT_F8E5M2, true) == INFINITY &&
          ct__float_bound(CT_F16, false) == -INFINITY);
}

/* A bound that is no infinity is not a candidate either. */
TEST(gradient_of_an_extreme_that_has_no_infinity)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F8E4M3FN, CT_SHAPE(3), {-448, -448, -448});
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(x));
    ct_function *f = ct_trace_end(b,
                                  CT_ARGV(ct_op_reduce_max(ct_trace_parameter(b, 0), CT_DIMS(0))));
    ct_tensor *y[2];

    ct_call(ct_compile(ct_jvp(f, CT_ARGS(0)), NULL),
            CT_ARGV(x, given(ctx, CT_F8E4M3FN, CT_SHAPE(3), {3, 3, 3})), y, 2);
    CHECK_OK(ctx);
    CHECK_VALUES(y[1], CT_SHAPE(), {3}); /* not 3 parts of 4 */
    ct_context_free(ctx);
}

TEST(sums_begin_with_a_zero)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F8E8M0FNU, CT_SHAPE(2), {1, 2});

    ct_op_reduce_add(x, CT_DIMS(0));
    CHECK_ERROR(ctx, CT_ERR_TYPE,
                "reduce: x is f8E8M0FNU[2]; a sum begins with 0, which it has not");
    ct_op_reduce_window_add(x, &(ct_window_dims){.window_dimensions = CT_DIMS(2)});
    CHECK_ERROR(ctx, CT_ERR_TYPE, "reduce_window: x is f8E8M0FNU[2]; a sum begins with 0");
    ct_context_free(ctx);
}
