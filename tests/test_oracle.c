/* Runs in exact and high-precision numbers: functions against mpmath, quotients by hand, what is an
 * error, how long runs keep their memory, and the whole sweep of operations against the reference.
 */
#include "tests/samples.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ct_executable *compile(ct_function *f, ct_executor executor, size_t bits)
{
    ct_compile_options options = {.size = sizeof options, .executor = executor, .bits = bits};
    return ct_compile(f, &options);
}

/* The texts of the first result's elements, with a blank between. */
static const char *texts(ct_executable *f, ct_list arguments, ct_number_form form, int digits)
{
    static char text[1 << 16];
    ct_tensor *result;
    ct_numbers *numbers = ct_call_numbers(f, arguments, &result, 1);
    size_t length = 0;

    text[0] = '\0';
    for (int64_t i = 0; i < ct_size(result); i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", i ? " " : "");
        length += ct_number_text(numbers, 0, i, form, digits, text + length, sizeof text - length);
        CHECK(length < sizeof text);
    }
    return text;
}

#define CHECK_TEXT(got, want)                                                                      \
    do {                                                                                           \
        const char *got_ = got;                                                                    \
        CHECK_MSG(strcmp(got_, want) == 0, "%s, expected %s", got_, want);                         \
    } while (0)

/* ---- Functions, against mpmath: tests/data/oracle.py. */

typedef struct row {
    char name[64], operands[200], value[400];
    double x[2][2]; /* operand, part */
    int n_operands;
    bool is_complex;
} row;

static void read_row(char *line, row *r)
{
    char *next = r->operands;

    CHECK(sscanf(line, "%63s %199s %399s", r->name, r->operands, r->value) == 3);
    r->is_complex = strchr(r->operands, ',') != NULL;
    for (r->n_operands = 0; *next; r->n_operands++) {
        CHECK(r->n_operands < 2);
        for (int part = 0; part <= r->is_complex; part++) {
            r->x[r->n_operands][part] = strtod(next, &next);
            next += *next == ',' || *next == ';';
        }
    }
}

/* The operation on scalars. */
static ct_function *function_of(ct_context *ctx, const row *r)
{
    const char *t = r->is_complex ? "tensor<complex<f64>>" : "tensor<f64>";
    char text[1024];
    int length = snprintf(text, sizeof text,
                          "func.func @main(%%a: %s, %%b: %s) -> %s {\n  %%0 = ", t, t, t);
    if (r->n_operands == 1)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           strncmp(r->name, "chlo", 4) == 0 ? "%s %%a : %s -> %s" : "%s %%a : %s",
                           r->name, t, t);
    else
        length += snprintf(text + length, sizeof text - (size_t)length,
                           strncmp(r->name, "chlo", 4) == 0 ? "%s %%a, %%b : %s, %s -> %s"
                                                            : "%s %%a, %%b : %s",
                           r->name, t, t, t);
    snprintf(text + length, sizeof text - (size_t)length, "\n  return %%0 : %s\n}\n", t);
    return ct_module_function(ct_read_stablehlo_text(ctx, r->name, text, strlen(text)), NULL);
}

static ct_list arguments_of(ct_context *ctx, const row *r, ct_tensor **item)
{
    for (int i = 0; i < 2; i++)
        item[i] = ct_from_data(ctx, r->is_complex ? CT_C128 : CT_F64, CT_SHAPE(), r->x[i]);
    return CT_LIST(2, item);
}

/* "re,im" of "(re, im)" */
static const char *plain(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (!strchr("() ", *from))
            *to++ = *from;
    *to = '\0';
    return text;
}

static void check_row(const row *r)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *item[2];
    ct_executable *f = compile(function_of(ctx, r), CT_EXECUTOR_MPFR, 256);
    char got[1024];

    snprintf(got, sizeof got, "%s", texts(f, arguments_of(ctx, r, item), CT_DECIMAL, 70));
    CHECK_OK(ctx);
    CHECK_MSG(strcmp(plain(got), r->value) == 0, "%s(%s) is %s, expected %s", r->name, r->operands,
              got, r->value);
    ct_context_free(ctx);
}

TEST(functions_to_70_digits)
{
    FILE *file = fopen(CT_SOURCE_DIR "/tests/data/oracle.txt", "r");
    char line[1024];
    int count = 0;
    row r;

    CHECK(file != NULL);
    for (; fgets(line, sizeof line, file); count++) {
        read_row(line, &r);
        check_row(&r);
    }
    fclose(file);
    CHECK_MSG(count >= 480, "%d rows", count);
}

/* ---- Quotients, by hand. */

static ct_tensor *quotients(ct_tensor *x, ct_tensor *y)
{
    return ct_add(ct_div(x, y), ct_square(ct_sub(x, y)));
}

TEST(quotients_are_exact)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {1, 2, 0.1, -3});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(4), {3, 7, 0.25, 0.5});
    ct_executable *f = compile(ct_trace(ctx, quotients, CT_LIKE(x, y)), CT_EXECUTOR_RATIONAL, 0);

    /* 0.1 is 3602879701896397 / 2^55 */
    CHECK_TEXT(texts(f, CT_ARGV(x, y), CT_FRACTION, 0),
               "13/3 177/7 "
               "548436355682741194924843468807209/1298074214633706907132624082305024 25/4");
    CHECK_TEXT(texts(f, CT_ARGV(x, x), CT_FRACTION, 0), "1 1 1 1");
    CHECK_TEXT(texts(f, CT_ARGV(x, x), CT_DECIMAL, 0), "1 1 1 1");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *quotient(ct_tensor *x, ct_tensor *y)
{
    return ct_div(x, y);
}

TEST(forms_of_numbers)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(6), {1, -5, 3, 0, 1, -7});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(6), {3, 4, 1e22, 5, 1024, 0});
    ct_function *f = ct_trace(ctx, quotient, CT_LIKE(x, y));
    ct_executable *exact = compile(f, CT_EXECUTOR_RATIONAL, 64);
    ct_executable *rounded = compile(f, CT_EXECUTOR_MPFR, 64);

    CHECK_TEXT(texts(exact, CT_ARGV(x, y), CT_DECIMAL, 0),
               "0.3333333333333333333… -1.25 3e-22 0 0.0009765625 -inf");
    CHECK_TEXT(texts(exact, CT_ARGV(x, y), CT_DECIMAL, 3), "0.333… -1.25 3e-22 0 0.000977 -inf");
    CHECK_TEXT(texts(exact, CT_ARGV(x, y), CT_FRACTION, 0),
               "1/3 -5/4 3/10000000000000000000000 0 1/1024 -inf");
    CHECK_TEXT(texts(exact, CT_ARGV(x, y), CT_HEX, 0),
               "0x1/0x3 -0x1.4p+0 0x3/0x21e19e0c9bab2400000 0 0x4p-12 -inf");
    CHECK_TEXT(texts(rounded, CT_ARGV(x, y), CT_DECIMAL, 18),
               "0.333333333333333333 -1.25 3e-22 0 0.0009765625 -inf");
    CHECK_TEXT(texts(rounded, CT_ARGV(x, y), CT_FRACTION, 0),
               "12297829382473034411/36893488147419103232 -5/4 "
               "13066842889764036997/43556142965880123323311949751266331066368 0 1/1024 -inf");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *roundings(ct_tensor *x)
{
    return ct_concatenate(CT_ARGV(ct_floor(x), ct_ceil(x), ct_op_round_nearest_even(x),
                                  ct_op_round_nearest_afz(x), ct_abs(x), ct_sign(x)),
                          0);
}

TEST(roundings_of_quotients)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(6), {2.5, -2.5, 1.5, -0.5, 2.25, -7});
    ct_executable *f = compile(ct_trace(ctx, roundings, CT_LIKE(x)), CT_EXECUTOR_RATIONAL, 0);

    CHECK_TEXT(texts(f, CT_ARGV(x), CT_FRACTION, 0),
               "2 -3 1 -1 2 -7 3 -2 2 0 3 -7 2 -2 2 0 2 -7 3 -3 2 -1 2 -7 5/2 5/2 3/2 1/2 9/4 7 "
               "1 -1 1 -1 1 -1");
    ct_context_free(ctx);
}

static ct_tensor *rational_values(ct_tensor *x, ct_tensor *y)
{
    return ct_concatenate(CT_ARGV(ct_sqrt(ct_div(x, y)), ct_pow(x, y), ct_op_remainder(x, y),
                                  ct_maximum(x, ct_div(y, x)), ct_exp(ct_sub(x, x)),
                                  ct_div(x, ct_sub(y, y)), ct_op_rsqrt(ct_div(y, x))),
                          0);
}

TEST(irrational_functions_may_have_rational_values)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {4, 1}),
              *y = given(ctx, CT_F64, CT_SHAPE(2), {9, 25});
    ct_executable *f = compile(ct_trace(ctx, rational_values, CT_LIKE(x, y)), CT_EXECUTOR_RATIONAL,
                               0);

    CHECK_TEXT(texts(f, CT_ARGV(x, y), CT_FRACTION, 0),
               "2/3 1/5 262144 1 4 1 4 25 1 1 inf inf 2/3 1/5");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Infinities and NaN are numbers of exact runs as well. */
static ct_tensor *specials(ct_tensor *x)
{
    ct_tensor *largest = ct_max(x, CT_ALL_AXES, CT_KEEP_AXES);
    ct_tensor *inf = ct_div(largest, ct_sub(largest, largest));
    return ct_concatenate(CT_ARGV(largest, inf, ct_sub(inf, inf), ct_div(largest, inf),
                                  ct_cast(ct_is_finite(inf), CT_F64), ct_exp(ct_neg(inf)),
                                  ct_minimum(inf, largest)),
                          0);
}

TEST(infinities_of_exact_runs)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {0.5, 0.75, -1});
    ct_function *f = ct_trace(ctx, specials, CT_LIKE(x));

    CHECK_TEXT(texts(compile(f, CT_EXECUTOR_RATIONAL, 0), CT_ARGV(x), CT_FRACTION, 0),
               "3/4 inf nan 0 0 0 3/4");
    CHECK_TEXT(texts(compile(f, CT_EXECUTOR_MPFR, 0), CT_ARGV(x), CT_FRACTION, 0),
               "3/4 inf nan 0 0 0 3/4");
    ct_context_free(ctx);
}

/* ---- Whole arrays. */

static ct_tensor *solve(ct_tensor *a, ct_tensor *b)
{
    ct_tensor *l = ct_op_cholesky(a, true);
    const ct_solve_options down = {true, true, false, CT_NO_TRANSPOSE};
    const ct_solve_options up = {true, true, false, CT_TRANSPOSE};
    return ct_op_triangular_solve(l, ct_op_triangular_solve(l, b, &down), &up);
}

/* a = l l', l = [2 0 0; 1 3 0; -1 1 1/2] */
TEST(solving_exactly)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = given(ctx, CT_F64, CT_SHAPE(3, 3), {4, 2, -2, 2, 10, 2, -2, 2, 2.25});
    ct_tensor *b = given(ctx, CT_F64, CT_SHAPE(3, 1), {1, 0, 1});
    ct_function *f = ct_trace(ctx, solve, CT_LIKE(a, b));
    ct_tensor *x = ct_call1(compile(f, CT_EXECUTOR_RATIONAL, 0), CT_ARGV(a, b));

    CHECK_VALUES(ct_matmul(a, x), CT_SHAPE(3, 1), {1, 0, 1});
    CHECK_TEXT(texts(compile(f, CT_EXECUTOR_RATIONAL, 0), CT_ARGV(a, b), CT_FRACTION, 0),
               "85/18 -41/18 20/3");
    ct_context_free(ctx);
}

static ct_tensor *fourier(ct_tensor *x)
{
    return ct_op_fft(x, CT_RFFT, CT_DIMS(ct_shape_of(x).dim[0]));
}

TEST(fourier_transforms_of_quarters_are_exact)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 3.5, 4}),
              *y = ct_arange(ctx, CT_F32, 0, 3, 1);

    CHECK_TEXT(texts(compile(ct_trace(ctx, fourier, CT_LIKE(x)), CT_EXECUTOR_RATIONAL, 0),
                     CT_ARGV(x), CT_FRACTION, 0),
               "(21/2, 0) (-5/2, 2) (-3/2, 0)");
    ct_call1(compile(ct_trace(ctx, fourier, CT_LIKE(y)), CT_EXECUTOR_RATIONAL, 0), CT_ARGV(y));
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "roots of unity of order 3 are irrational");
    ct_context_free(ctx);
}

static ct_tensor *complex_quotient(ct_tensor *x, ct_tensor *y)
{
    return ct_div(ct_mul(x, x), y);
}

/* (1 + 2i)² / (3 - 4i) = (-3 + 4i) / (3 - 4i) = -1; (1/2)² / i = -i/4 */
TEST(complex_quotients)
{
    static const double xs[] = {1, 2, 0.5, 0}, ys[] = {3, -4, 0, 1};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_C128, CT_SHAPE(2), xs);
    ct_tensor *y = ct_from_data(ctx, CT_C128, CT_SHAPE(2), ys);
    ct_function *f = ct_trace(ctx, complex_quotient, CT_LIKE(x, y));

    CHECK_TEXT(texts(compile(f, CT_EXECUTOR_RATIONAL, 0), CT_ARGV(x, y), CT_FRACTION, 0),
               "(-1, 0) (0, -1/4)");
    CHECK_TEXT(texts(compile(f, CT_EXECUTOR_MPFR, 0), CT_ARGV(x, y), CT_FRACTION, 0),
               "(-1, 0) (0, -1/4)");
    ct_context_free(ctx);
}

/* ---- Rounding on the way out. */

static ct_tensor *sum_of_three(ct_tensor *x, ct_tensor *y, ct_tensor *z)
{
    return ct_add(ct_add(x, y), z);
}

/* 1 + half an ulp + a little: by way of a double it would be a tie, and go down. */
TEST(results_are_rounded_once)
{
    static const struct {
        ct_dtype dtype;
        double ulp;
    } rows[] = {{CT_F16, 0x1p-10}, {CT_BF16, 0x1p-7}, {CT_F32, 0x1p-23}, {CT_F64, 0x1p-52}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 4; i++) {
        const ct_dtype dtype = rows[i].dtype;
        ct_tensor *x = ct_scalar(ctx, dtype, 1), *y = ct_scalar(ctx, dtype, rows[i].ulp / 2);
        ct_tensor *z = ct_scalar(ctx, dtype, dtype == CT_F16 ? 0x1p-24 : 0x1p-120);
        ct_function *f = ct_trace(ctx, sum_of_three, CT_LIKE(x, y, z));
        for (int k = 0; k < 2; k++) {
            ct_executable *g = compile(f, k ? CT_EXECUTOR_RATIONAL : CT_EXECUTOR_MPFR, 0);
            CHECK_VALUES(ct_call1(g, CT_ARGV(x, y, z)), CT_SHAPE(), {1 + rows[i].ulp});
            CHECK_VALUES(ct_call1(g, CT_ARGV(x, y, ct_mul(z, 0))), CT_SHAPE(), {1});
        }
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Errors. */

static ct_tensor *logarithm(ct_tensor *x)
{
    return ct_log(ct_mul(x, 2.0));
}

static int line_of_power;

static ct_tensor *towers(ct_tensor *x)
{
    for (int i = 0; i < 30; i++) {
        line_of_power = __LINE__ + 1;
        x = ct_mul(x, x);
    }
    return x;
}

/* Fewer bits, as the interpreter has them, whose rounding tests/test_bits.c checks: of every 7th
 * number. */
static void check_reduced(ct_context *ctx, ct_dtype dtype, int exponent, int mantissa)
{
    enum { COUNT = 65536 / 7 };
    static uint16_t bits[COUNT];
    ct_tensor *y[2];

    for (size_t i = 0; i < COUNT; i++)
        bits[i] = (uint16_t)(7 * i);
    ct_tensor *x = ct_from_data(ctx, dtype, CT_SHAPE(COUNT), bits);
    ct_trace_builder *b = ct_trace_begin(ctx, "reduced", CT_LIKE(x));
    ct_function *f = ct_trace_end(
        b, CT_ARGV(ct_op_reduce_precision(ct_trace_parameter(b, 0), exponent, mantissa)));
    y[0] = ct_call1(compile(f, CT_EXECUTOR_INTERPRETER, 0), CT_ARGV(x));
    y[1] = ct_call1(compile(f, CT_EXECUTOR_MPFR, 64), CT_ARGV(x));
    CHECK_OK(ctx);
    CHECK_MSG(ct_equal(y[0], y[1]), "%s to %d and %d bits", ct_dtype_name(dtype), exponent,
              mantissa);
}

TEST(numbers_of_fewer_bits)
{
    for (int e = 1; e <= 9; e += 2)
        for (int m = 0; m <= 10; m += m < 2 ? 1 : 4) {
            ct_context *ctx = ct_context_new();
            check_reduced(ctx, CT_F16, e, m);
            check_reduced(ctx, CT_BF16, e, m);
            ct_context_free(ctx);
        }
}

/* Additions at places, of rows and of elements, are those of the interpreter. */
static ct_tensor *added_at(ct_tensor *x, ct_tensor *at, ct_tensor *update)
{
    const ct_scatter_dims rows = {.update_window_dims = CT_DIMS(1),
                                  .inserted_window_dims = CT_DIMS(0),
                                  .scatter_dims_to_operand_dims = CT_DIMS(0),
                                  .index_vector_dim = 1};
    return ct_op_scatter_add(x, at, update, &rows);
}

/* Elements, at indices that lie one after the other. */
static ct_tensor *elements_added_at(ct_tensor *x, ct_tensor *at, ct_tensor *update)
{
    const ct_scatter_dims elements = {.inserted_window_dims = CT_DIMS(0, 1),
                                      .scatter_dims_to_operand_dims = CT_DIMS(1),
                                      .index_vector_dim = 1};
    return ct_op_scatter_add(x, at, update, &elements);
}

static void check_everywhere(ct_function *f, ct_list arguments)
{
    static const ct_executor executors[] = {CT_EXECUTOR_MPFR, CT_EXECUTOR_RATIONAL};
    ct_tensor *y = ct_call1(compile(f, CT_EXECUTOR_INTERPRETER, 0), arguments);

    for (size_t k = 0; k < 2; k++)
        CHECK_EQUAL(ct_call1(compile(f, executors[k], 0), arguments), y);
}

TEST(additions_at_places)
{
    static const ct_dtype dtypes[] = {CT_F32, CT_F64, CT_F16, CT_C64};
    ct_context *ctx = ct_context_new();

    for (size_t i = 0; i < 4; i++) {
        ct_tensor *x = coded(ctx, dtypes[i], 3, 4);
        ct_tensor *at = given(ctx, CT_I32, CT_SHAPE(5, 1), {2, 0, 2, 7, 1});
        ct_list rows = CT_ARGV(x, at, coded(ctx, dtypes[i], 5, 4));
        ct_list elements = CT_ARGV(x, at, ct_reshape(coded(ctx, dtypes[i], 5, 1), CT_SHAPE(5)));
        check_everywhere(ct_trace(ctx, added_at, rows), rows);
        check_everywhere(ct_trace(ctx, elements_added_at, elements), elements);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(what_exact_runs_cannot_do)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 0.75);
    ct_function *f = ct_trace(ctx, logarithm, CT_LIKE(x));
    ct_compile_options options = {
        .size = sizeof options, .executor = CT_EXECUTOR_RATIONAL, .continues = true, .bits = 128};

    ct_call1(compile(f, CT_EXECUTOR_RATIONAL, 0), CT_ARGV(x));
    CHECK_MSG(strstr(ct_error_place(ctx).file, "test_oracle.c") != NULL, "%s",
              ct_error_message(ctx));
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED,
                "log: an irrational value, and the run is exact: rational:BITS goes on");
    CHECK_TEXT(texts(ct_compile(f, &options), CT_ARGV(x), CT_DECIMAL, 30),
               "0.405465108108164381978013115464");

    ct_call1(compile(ct_trace(ctx, towers, CT_LIKE(x)), CT_EXECUTOR_RATIONAL, 0), CT_ARGV(x));
    CHECK(ct_error_place(ctx).line == line_of_power);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "multiply: a number would have up to ");
    ct_context_free(ctx);
}

/* ---- Ranges. */

static ct_tensor *power_of(ct_tensor *x, ct_tensor *y)
{
    return ct_op_power(x, y);
}

static ct_tensor *exponential(ct_tensor *x)
{
    return ct_op_exponential(x);
}

static ct_tensor *log_of_tower(ct_tensor *x)
{
    return ct_op_log(ct_op_exponential(ct_op_exponential(x)));
}

/* x^(2^80) */
static ct_tensor *squared_often(ct_tensor *x)
{
    for (int i = 0; i < 80; i++)
        x = ct_square(x);
    return x;
}

static ct_tensor *logistic_of(ct_tensor *x)
{
    return ct_op_logistic(x);
}

static ct_tensor *logarithm_beside_one(ct_tensor *x)
{
    return ct_op_log(ct_add(x, 1.0));
}

/* As wide as f64: it changes nothing. */
static ct_tensor *reduced_third(ct_tensor *x)
{
    return ct_op_reduce_precision(ct_div(x, 3.0), 11, 52);
}

static ct_executable *compile_going_on(ct_function *f)
{
    ct_compile_options options = {
        .size = sizeof options, .executor = CT_EXECUTOR_RATIONAL, .continues = true, .bits = 128};
    return ct_compile(f, &options);
}

/* Of 0, 1 and -1 powers have values, whatever the exponent; others are too long. */
TEST(powers_beyond_every_limit)
{
    static const double xs[] = {3, 1.0000001, 0.5, -2, -1.5}, ys[] = {1e19, -1e19, 1e308, -1e308};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(8), {0, 1, -1, -1, -1, 0, 1, -1});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(8),
                         {1e19, -1e308, 1e308, -9007199254740991, 9007199254740991, 0, 0, 0});
    ct_executable *f = compile(ct_trace(ctx, power_of, CT_LIKE(x, y)), CT_EXECUTOR_RATIONAL, 0);

    CHECK_TEXT(texts(f, CT_ARGV(x, y), CT_FRACTION, 0), "0 1 1 -1 -1 1 1 1");
    CHECK_OK(ctx);
    x = y = ct_scalar(ctx, CT_F64, 0);
    ct_executable *both[] = {
        compile(ct_trace(ctx, power_of, CT_LIKE(x, y)), CT_EXECUTOR_RATIONAL, 0),
        compile_going_on(ct_trace(ctx, power_of, CT_LIKE(x, y)))};
    for (size_t i = 0; i < sizeof xs / sizeof *xs; i++)
        for (size_t k = 0; k < sizeof ys / sizeof *ys; k++)
            for (size_t way = 0; way < 2; way++) {
                ct_call1(both[way],
                         CT_ARGV(ct_scalar(ctx, CT_F64, xs[i]), ct_scalar(ctx, CT_F64, ys[k])));
                CHECK_ERROR(ctx, CT_ERR_RANGE,
                            "power: a number would have more than 2^62 bits, the limit is 1048576");
            }
    ct_call1(both[0], CT_ARGV(ct_scalar(ctx, CT_F64, 2), ct_scalar(ctx, CT_F64, 0x1p62)));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "bits, the limit is 1048576");
    ct_context_free(ctx);
}

/* Both ends of the exponents are errors of exact runs; of others the upper one is. */
TEST(exponents_beyond_the_limit)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 2), {1, 2, 3, 1e6});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(), {-1e6}), *two = ct_scalar(ctx, CT_F64, 2),
              *half = ct_scalar(ctx, CT_F64, 0.5), *high = ct_scalar(ctx, CT_F64, 14);
    ct_function *f = ct_trace(ctx, exponential, CT_LIKE(x)),
                *g = ct_trace(ctx, exponential, CT_LIKE(y)),
                *tower = ct_trace(ctx, log_of_tower, CT_LIKE(high)),
                *squares = ct_trace(ctx, squared_often, CT_LIKE(two)),
                *logistic = ct_trace(ctx, logistic_of, CT_LIKE(y));

    ct_call1(compile(f, CT_EXECUTOR_MPFR, 0), CT_ARGV(x));
    CHECK(strstr(ct_error_place(ctx).file, "test_oracle.c") != NULL);
    CHECK_ERROR(ctx, CT_ERR_RANGE,
                "exponential: element [1,1]: overflow: a number would have an exponent beyond the "
                "limit, 2^1048576");
    ct_call1(compile_going_on(f), CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "exponential: element [1,1]: overflow: ");
    ct_call1(compile(tower, CT_EXECUTOR_MPFR, 0), CT_ARGV(high));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "exponential: overflow: ");
    ct_call1(compile(squares, CT_EXECUTOR_MPFR, 0), CT_ARGV(two));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "multiply: overflow: ");
    CHECK_TEXT(texts(compile(squares, CT_EXECUTOR_MPFR, 0), CT_ARGV(half), CT_DECIMAL, 0), "0");
    CHECK_TEXT(texts(compile(g, CT_EXECUTOR_MPFR, 0), CT_ARGV(y), CT_DECIMAL, 0), "0");
    CHECK_TEXT(texts(compile(logistic, CT_EXECUTOR_MPFR, 0), CT_ARGV(y), CT_DECIMAL, 0), "0");
    CHECK_OK(ctx);
    ct_call1(compile_going_on(g), CT_ARGV(y));
    CHECK_ERROR(ctx, CT_ERR_RANGE,
                "exponential: underflow: a number would have an exponent beyond the limit, "
                "2^-1048576");
    ct_call1(compile_going_on(logistic), CT_ARGV(y));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "logistic: underflow: ");
    ct_context_free(ctx);
}

/* x^(2^19) */
static ct_tensor *far(ct_tensor *x)
{
    for (int i = 0; i < 19; i++)
        x = ct_op_multiply(x, x);
    return x;
}

/* log(1 + x), whose steps have larger exponents than any number has, and the sign. */
static ct_tensor *far_values(ct_tensor *x)
{
    return ct_op_concatenate(CT_ARGV(ct_op_log_plus_one(far(x)), ct_op_sign(far(x))), 0);
}

static ct_tensor *too_far(ct_tensor *x)
{
    return ct_op_multiply(far(x), far(x));
}

TEST(complex_numbers_near_the_limit)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_C128, CT_SHAPE(1), ((double[]){2, 0}));

    CHECK_TEXT(texts(compile(ct_trace(ctx, far_values, CT_LIKE(x)), CT_EXECUTOR_MPFR, 0),
                     CT_ARGV(x), CT_DECIMAL, 30),
               "(363408.749001412606383741794495, 0) (1, 0)");
    CHECK_OK(ctx);
    ct_call1(compile(ct_trace(ctx, too_far, CT_LIKE(x)), CT_EXECUTOR_MPFR, 0), CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "multiply: element [0]: overflow: ");
    ct_context_free(ctx);
}

/* Checks of gradients go on where a value is beyond every range. */
TEST(gradients_beside_an_overflow)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {1, 1e8, -1});
    ct_gradcheck_report *report = ct_gradcheck(ct_trace(ctx, exponential, CT_LIKE(x)), CT_ARGV(x),
                                               NULL);

    CHECK_OK(ctx);
    CHECK(ct_gradcheck_count(report, CT_GRADCHECK_WRONG) == 0);
    CHECK(ct_gradcheck_count(report, CT_GRADCHECK_RIGHT) > 0);
    CHECK(ct_gradcheck_count(report, CT_GRADCHECK_UNDEFINED) > 0);
    ct_context_free(ctx);
}

/* Infinities that are no overflow: poles, and what infinite operands give. */
TEST(infinities_stay)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {INFINITY, -INFINITY, 0});
    ct_function *f = ct_trace(ctx, exponential, CT_LIKE(x)),
                *inverse = ct_trace(ctx, quotient, CT_LIKE(x, x));

    CHECK_TEXT(texts(compile(f, CT_EXECUTOR_MPFR, 0), CT_ARGV(x), CT_DECIMAL, 0), "inf 0 1");
    CHECK_TEXT(texts(compile_going_on(f), CT_ARGV(x), CT_DECIMAL, 0), "inf 0 1");
    x = given(ctx, CT_F64, CT_SHAPE(3), {1, -2, 0x1p900});
    ct_tensor *zero = given(ctx, CT_F64, CT_SHAPE(3), {0, 0, 0x1p-900});
    CHECK_TEXT(texts(compile(inverse, CT_EXECUTOR_MPFR, 0), CT_ARGV(x, zero), CT_DECIMAL, 5),
               "inf -inf 7.1448e+541");
    CHECK_TEXT(texts(compile_going_on(inverse), CT_ARGV(x, zero), CT_DECIMAL, 5),
               "inf -inf 7.1448e+541");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Numbers of 64 bits do not tell 1 + 2^-600 from 1, whose logarithm is 0. */
TEST(operands_next_to_zeros_and_poles)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 0x1p-600), *one = ct_scalar(ctx, CT_F64, 1);
    ct_function *f = ct_trace(ctx, logarithm_beside_one, CT_LIKE(x)),
                *g = ct_trace(ctx, reduced_third, CT_LIKE(one));

    ct_call1(compile(f, CT_EXECUTOR_RATIONAL, 64), CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "log: 64 bits do not tell the operand from one where");
    ct_call1(compile_going_on(f), CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "log: 128 bits do not tell the operand from one where");
    CHECK_TEXT(texts(compile(g, CT_EXECUTOR_RATIONAL, 0), CT_ARGV(one), CT_FRACTION, 0), "1/3");
    ct_context_free(ctx);
}

TEST(options)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 0.75), *y;
    ct_function *f = ct_trace(ctx, logarithm, CT_LIKE(x));

    compile(f, CT_EXECUTOR_MPFR, 10);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT,
                "numbers have 64 to 2^24 bits, not 10, and no more than the "
                "limit, which is 1048576 and at most 2^28");
    ct_call_numbers(compile(f, CT_EXECUTOR_MACHINE, 0), CT_ARGV(x), &y, 1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "the executable runs in machine numbers");
    ct_numbers *n = ct_call_numbers(compile(f, CT_EXECUTOR_MPFR, 2000), CT_ARGV(x), NULL, 0);
    CHECK(ct_number_text(n, 0, 1, CT_DECIMAL, 0, NULL, 0) == 0);
    CHECK(ct_number_text(n, 1, 0, CT_DECIMAL, 0, NULL, 0) == 0);
    CHECK(ct_number_text(n, 0, 0, CT_DECIMAL, 0, NULL, 0) > 590);
    CHECK(ct_number_text(NULL, 0, 0, CT_DECIMAL, 0, NULL, 0) == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *bits(ct_tensor *x)
{
    return ct_op_bitcast_convert(x, CT_U32);
}

static ct_tensor *from_bits(ct_tensor *x)
{
    return ct_op_bitcast_convert(x, CT_F32);
}

TEST(numbers_have_no_bits)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 0.75), *y = ct_scalar(ctx, CT_U32, 0x3F400000);

    ct_call1(compile(ct_trace(ctx, bits, CT_LIKE(x)), CT_EXECUTOR_MPFR, 0), CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "bitcast_convert: f32 to u32");
    CHECK_VALUES(
        ct_call1(compile(ct_trace(ctx, from_bits, CT_LIKE(y)), CT_EXECUTOR_MPFR, 0), CT_ARGV(y)),
        CT_SHAPE(), {0.75});
    ct_context_free(ctx);
}

/* ---- Memory. */

static size_t allocated, most_allocated;

static void *allocate(void *user, size_t bytes, size_t align)
{
    (void)user;
    allocated += bytes;
    most_allocated = allocated > most_allocated ? allocated : most_allocated;
    return aligned_alloc(align > sizeof(void *) ? align : sizeof(void *),
                         (bytes + align) / align * align);
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user;
    allocated -= memory ? bytes : 0;
    free(memory);
}

static const char *newton =
    "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n"
    "  %n = stablehlo.constant dense<100000> : tensor<i32>\n"
    "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %r:2 = stablehlo.while(%k = %i, %y = %x) : tensor<i32>, tensor<f64>\n"
    "    cond {\n"
    "      %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "      %two = stablehlo.constant dense<2.0> : tensor<f64>\n"
    "      %l = stablehlo.add %k, %one : tensor<i32>\n"
    "      %q = stablehlo.divide %two, %y : tensor<f64>\n"
    "      %s = stablehlo.add %q, %y : tensor<f64>\n"
    "      %h = stablehlo.divide %s, %two : tensor<f64>\n"
    "      stablehlo.return %l, %h : tensor<i32>, tensor<f64>\n"
    "    }\n"
    "  return %r#1 : tensor<f64>\n"
    "}\n";

/* Half a million numbers are made, of which a few are needed at a time. */
TEST(long_runs_keep_little)
{
    const ct_allocator counting = {
        .size = sizeof counting, .allocate = allocate, .release = release};
    ct_context *ctx = ct_context_new_with(&counting);
    ct_module *module = ct_read_stablehlo_text(ctx, "newton", newton, strlen(newton));
    ct_executable *f = compile(ct_module_function(module, NULL), CT_EXECUTOR_MPFR, 256);
    ct_tensor *x = ct_scalar(ctx, CT_F64, 3);

    most_allocated = allocated;
    CHECK_TEXT(texts(f, CT_ARGV(x), CT_DECIMAL, 60),
               "1.41421356237309504880168872420969807856967187537694807317668");
    CHECK_OK(ctx);
    CHECK_MSG(most_allocated < 16 << 20, "%zu bytes", most_allocated);
    ct_context_free(ctx);
    CHECK(allocated == 0);
}

static void run_with_failures(ct_context *ctx)
{
    ct_tensor *a = given(ctx, CT_F64, CT_SHAPE(2, 2), {4, 2, 2, 10});
    ct_tensor *b = given(ctx, CT_F64, CT_SHAPE(2, 1), {1, 0});
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 3.5, 4}), *y;
    ct_function *f = ct_trace(ctx, solve, CT_LIKE(a, b)), *g = ct_trace(ctx, fourier, CT_LIKE(x));

    ct_call1(compile(f, CT_EXECUTOR_MPFR, 0), CT_ARGV(a, b));
    ct_call1(compile(g, CT_EXECUTOR_RATIONAL, 0), CT_ARGV(x));
    ct_call_numbers(compile(g, CT_EXECUTOR_MPFR, 0), CT_ARGV(x), &y, 1);
}

TEST(any_allocation_may_fail)
{
    CHECK_ALLOCATIONS(run_with_failures);
}

/* ---- How long it takes. */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef CT_SANITIZED
enum { SLOWER = 20 };
#else
enum { SLOWER = 1 };
#endif

static ct_tensor *network(ct_tensor *w, ct_tensor *b, ct_tensor *v, ct_tensor *c, ct_tensor *x,
                          ct_tensor *y)
{
    ct_tensor *hidden = ct_tanh(ct_add(ct_matmul(x, w), b));
    ct_tensor *p = ct_log_softmax(ct_add(ct_matmul(hidden, v), c), CT_AXES(0));
    return ct_neg(ct_sum(ct_mul(p, y), CT_ALL_AXES, CT_DROP_AXES));
}

TEST(gradient_of_a_network_within_a_second)
{
    ct_context *ctx = ct_context_new();
    const ct_key key = ct_key_new(1);
    ct_tensor *w = ct_random_normal(ctx, ct_key_fold(key, 1), CT_F32, CT_SHAPE(64, 32));
    ct_tensor *b = ct_random_normal(ctx, ct_key_fold(key, 2), CT_F32, CT_SHAPE(32));
    ct_tensor *v = ct_random_normal(ctx, ct_key_fold(key, 3), CT_F32, CT_SHAPE(32, 10));
    ct_tensor *c = ct_random_normal(ctx, ct_key_fold(key, 4), CT_F32, CT_SHAPE(10));
    ct_tensor *x = ct_random_uniform(ctx, ct_key_fold(key, 5), CT_F32, CT_SHAPE(64), 0, 1);
    ct_tensor *y = ct_random_uniform(ctx, ct_key_fold(key, 6), CT_F32, CT_SHAPE(10), 0, 1);
    ct_function *f = ct_grad(ct_trace(ctx, network, CT_LIKE(w, b, v, c, x, y)),
                             CT_ARGS(0, 1, 2, 3));
    ct_tensor *got[4], *want[4];
    double began = seconds();

    ct_call(compile(f, CT_EXECUTOR_MPFR, 256), CT_ARGV(w, b, v, c, x, y), got, 4);
    CHECK_MSG(seconds() - began < 1 * SLOWER, "%g s", seconds() - began);
    ct_call(compile(f, CT_EXECUTOR_INTERPRETER, 0), CT_ARGV(w, b, v, c, x, y), want, 4);
    for (int i = 0; i < 4; i++) {
        ct_tensor *error = ct_max(ct_abs(ct_sub(got[i], want[i])), CT_ALL_AXES, CT_DROP_AXES);
        CHECK_MSG(ct_item(error) < 1e-4, "%g", ct_item(error));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* (Σ c x)^5 - Σ x^5 */
static ct_tensor *polynomial(ct_tensor *x, ct_tensor *c)
{
    ct_tensor *s = ct_sum(ct_mul(c, x), CT_ALL_AXES, CT_DROP_AXES);
    ct_tensor *x2 = ct_square(x), *s2 = ct_square(s);
    return ct_sub(ct_mul(ct_square(s2), s),
                  ct_sum(ct_mul(ct_square(x2), x), CT_ALL_AXES, CT_DROP_AXES));
}

/* Its slope by x[0] is 5 c[0] s^4 - 5 x[0]^4, here with s = Σ (i + 1) (i + 1)/2. */
TEST(gradient_of_a_polynomial_within_a_second)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *c = ct_arange(ctx, CT_F64, 1, 51, 1), *x = ct_mul(c, 0.5);
    ct_function *f = ct_grad(ct_trace(ctx, polynomial, CT_LIKE(x, c)), CT_ARGS(0));
    double began = seconds();
    const char *text = texts(compile(f, CT_EXECUTOR_RATIONAL, 0), CT_ARGV(x, c), CT_FRACTION, 0);

    CHECK_MSG(seconds() - began < 1 * SLOWER, "%g s", seconds() - began);
    CHECK_OK(ctx);
    /* s = 42925/2: 5 s^4 - 5/16 */
    CHECK_MSG(strncmp(text, "1060941009755981445 ", 20) == 0, "%s", text);
    ct_context_free(ctx);
}

/* ---- Every operation. */

/* So close that rounding explains it. */
static bool are_close(ct_tensor *x, ct_tensor *y)
{
    enum { MOST = 4096 };
    static double a[MOST], b[MOST];
    const ct_dtype dtype = ct_dtype_of(x);
    const double bound = dtype == CT_F64 ? 1e-10 : dtype == CT_F32 ? 2e-4 : 0.2;
    const size_t n = (size_t)ct_size(x);

    if (!ct_dtype_is_float(dtype) || n == 0)
        return true;
    CHECK(n <= MOST && ct_to_doubles(x, a, n) && ct_to_doubles(y, b, n));
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= bound * (1 + fabs(b[i]))) && !(isnan(a[i]) && isnan(b[i])) &&
            a[i] != b[i])
            return false;
    return true;
}

/* Ones for the parameters; false where one is no tensor. */
static bool make_arguments(ct_context *ctx, ct_function *f, ct_tensor **argument)
{
    for (size_t k = 0; k < ct_function_parameters(f); k++) {
        const ct_type *type = ct_parameter_type(f, k);
        if (ct_type_dtype(type) == CT_INVALID_DTYPE)
            return false;
        argument[k] = ct_ones(ctx, ct_type_dtype(type), ct_type_shape(type));
    }
    return !ct_failed(ctx);
}

/* False where the program cannot be run alone, or looks at bits. */
static bool check_sample(ct_context *ctx, const sample *s)
{
    ct_function *f = s->make(ctx);
    ct_tensor *argument[128], *want[128], *got[128];
    const size_t n = ct_function_parameters(f), m = ct_function_results(f);

    CHECK(n <= 128 && m <= 128);
    if (!make_arguments(ctx, f, argument))
        return false;
    ct_call(compile(f, CT_EXECUTOR_INTERPRETER, 0), CT_LIST(n, argument), want, m);
    if (ct_failed(ctx))
        return false;
    ct_call(compile(f, CT_EXECUTOR_MPFR, 0), CT_LIST(n, argument), got, m);
    CHECK_MSG(!ct_failed(ctx) || strstr(ct_error_message(ctx), "no floats"), "%s: %s", s->name,
              ct_error_message(ctx));
    for (size_t k = 0; k < m && !ct_failed(ctx); k++)
        CHECK_MSG(are_close(got[k], want[k]), "%s: result %zu", s->name, k);
    return !ct_failed(ctx);
}

TEST(samples_of_every_operation)
{
    size_t ran = 0;
    for (size_t i = 0; i < n_samples; i++) {
        ct_context *ctx = ct_context_new();
        ran += check_sample(ctx, &samples[i]);
        ct_context_free(ctx);
    }
    CHECK_MSG(ran > n_samples * 2 / 3, "%zu of %zu samples", ran, n_samples);
}
