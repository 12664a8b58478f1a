/* What tables of numbers do not show of the large primitives: lengths of transforms against the
 * definition, the order of select_and_scatter, padding that meets infinities, seeds and counts of
 * random numbers, and memory that runs out. */
#include "tests/programs.h"

#include <cotangent/exec.h>
#include <cotangent/op_large.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- fft */

enum { LONGEST = 1 << 17 };

/* The sum over j of x[j] e^(-2 pi i jk/n), in long double. */
static double complex defined(const double complex *x, int64_t n, int64_t k)
{
    long double complex sum = 0;
    for (int64_t j = 0; j < n; j++) {
        long double angle = 2 * acosl(-1) * (long double)(j * k % n) / (long double)n;
        sum += (cosl(angle) - I * sinl(angle)) * (long double complex)x[j];
    }
    return (double complex)sum;
}

static void transform(void *user, ct_list p, ct_tensor **r)
{
    r[0] = ct_op_fft(p.item[0], *(ct_fft_type *)user, ct_shape_of(p.item[0]));
}

/* A few elements against the definition, and the way back against x: errors relative to the root
 * of the mean square. */
static void check_length(ct_context *ctx, int64_t n)
{
    static double complex x[LONGEST];
    ct_fft_type forward = CT_FFT, inverse = CT_IFFT;
    double norm = 0, worst = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)(programs_pick(2001) - 1000) + I * (double)(programs_pick(2001) - 1000);
        norm += creal(x[i] * conj(x[i]));
    }
    ct_tensor *given = ct_from_data(ctx, CT_C128, CT_SHAPE(n), x);
    ct_tensor *y = programs_run1(ctx, transform, &forward, CT_ARGV(given));
    ct_tensor *back = programs_run1(ctx, transform, &inverse, CT_ARGV(y));
    const double complex *found = ct_data(y), *again = ct_data(back);
    for (int i = 0; i < 8; i++) {
        int64_t k = i < 2 ? i * (n - 1) : programs_pick(n);
        worst = fmax(worst, cabs(found[k] - defined(x, n, k)) / sqrt(norm));
    }
    CHECK_MSG(worst < 2e-15, "length %d: the error is %g", (int)n, worst);
    for (int64_t i = 0; i < n; i++)
        worst = fmax(worst, cabs(again[i] - x[i]) / sqrt(norm / (double)n));
    CHECK_MSG(worst < 8e-15, "length %d and back: the error is %g", (int)n, worst);
}

TEST(lengths_of_transforms)
{
    static const int64_t large[] = {997,  1009, 1024,  2310,  4096,  17 * 31, 3 * 5 * 7 * 11 * 13,
                                    8191, 9973, 65536, 65537, 99991, LONGEST};
    ct_context *ctx = ct_context_new();
    for (int64_t n = 1; n <= 130; n++) {
        ct_scope scope = ct_scope_begin(ctx);
        check_length(ctx, n);
        ct_scope_end(scope);
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        check_length(ctx, large[i]);
        ct_scope_end(scope);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Imaginary parts that a real signal cannot have are not read. */
TEST(irfft_reads_half)
{
    ct_context *ctx = ct_context_new();
    const double complex odd[] = {8 + 100 * I, 0, 0 + 100 * I}, even[] = {6 + 100 * I, 0};
    ct_tensor *x = ct_from_data(ctx, CT_C128, CT_SHAPE(3), odd);
    CHECK_VALUES(ct_op_fft(x, CT_IRFFT, CT_DIMS(4)), CT_SHAPE(4), {2, 2, 2, 2});
    x = ct_from_data(ctx, CT_C128, CT_SHAPE(2), even);
    CHECK_VALUES(ct_op_fft(x, CT_IRFFT, CT_DIMS(3)), CT_SHAPE(3), {2, 2, 2});
    ct_context_free(ctx);
}

/* ---- convolution: padding is a zero that is multiplied, as any other. */

TEST(padding_meets_infinity)
{
    ct_context *ctx = ct_context_new();
    ct_convolution_dims line = {.padding_low = CT_DIMS(1),
                                .padding_high = CT_DIMS(1),
                                .input_feature_dimension = 1,
                                .input_spatial_dimensions = CT_DIMS(2),
                                .kernel_input_feature_dimension = 1,
                                .kernel_spatial_dimensions = CT_DIMS(2),
                                .output_feature_dimension = 1,
                                .output_spatial_dimensions = CT_DIMS(2)};
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1, 1, 3), {1, 2, 3});
    ct_tensor *kernel = given(ctx, CT_F32, CT_SHAPE(1, 1, 2), {INFINITY, 1});
    CHECK_VALUES(ct_op_convolution(x, kernel, &line), CT_SHAPE(1, 1, 4),
                 {NAN, INFINITY, INFINITY, INFINITY});
    ct_context_free(ctx);
}

/* ---- select_and_scatter */

/* select: a + bias >= e; scatter: 2 old - source + bias, which shows order and operands. */
static ct_function *body(ct_context *ctx, bool selects)
{
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "body", CT_LIKE(s, s, s));
    ct_tensor *a = ct_trace_parameter(b, 0), *e = ct_trace_parameter(b, 1);
    ct_tensor *bias = ct_trace_parameter(b, 2);
    return ct_trace_end(
        b, CT_ARGV(selects ? ct_op_compare(ct_op_add(a, bias), e, CT_GE, CT_COMPARE_FLOAT)
                           : ct_op_add(ct_op_subtract(ct_op_add(e, e), a), bias)));
}

static void choose(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    r[0] = ct_op_select_and_scatter(p.item[0], p.item[1], p.item[2], body(ctx, true),
                                    body(ctx, false), CT_ARGV(p.item[3]), user);
}

/* Windows {1 3 2} {3 2 5} {2 5 4}: with bias 2 the first one keeps 1 (1 + 2 >= 3, 2), the second
 * keeps 3 (3 + 2 >= 5), the third takes 5 (2 + 2 < 5). Everything begins at 10. */
TEST(select_keeps_the_earlier)
{
    ct_context *ctx = ct_context_new();
    ct_selecting_dims dims = {.window_dimensions = CT_DIMS(3)};
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(5), {1, 3, 2, 5, 4});
    ct_tensor *source = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3});
    ct_tensor *init = given(ctx, CT_F32, CT_SHAPE(), {10}),
              *bias = given(ctx, CT_F32, CT_SHAPE(), {2});
    ct_tensor *y = programs_run1(ctx, choose, &dims, CT_ARGV(x, source, init, bias));
    CHECK_VALUES(y, CT_SHAPE(5), {21, 20, 10, 19, 10});
    bias = given(ctx, CT_F32, CT_SHAPE(), {0}); /* the largest: 3, then 5 twice, in order */
    y = programs_run1(ctx, choose, &dims, CT_ARGV(x, source, init, bias));
    CHECK_VALUES(y, CT_SHAPE(5), {10, 19, 10, 33, 10});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- rng */

static void draw(void *user, ct_list p, ct_tensor **r)
{
    r[0] = ct_op_rng(p.item[0], p.item[1], CT_DIMS(1000), *(ct_rng_distribution *)user);
    r[1] = ct_op_rng(p.item[0], p.item[1], CT_DIMS(1000), *(ct_rng_distribution *)user);
}

static ct_executable *drawing(ct_context *ctx, ct_dtype dtype, ct_rng_distribution distribution,
                              uint64_t seed)
{
    ct_tensor *s = ct_spec(ctx, dtype, CT_SHAPE());
    ct_function *f = ct_trace_many(ctx, draw, &distribution, 2, CT_LIKE(s, s));
    return ct_compile(f, &(ct_compile_options){.size = sizeof(ct_compile_options), .seed = seed});
}

static double mean_of(ct_tensor *x, int power)
{
    double sum = 0;
    for (int64_t i = 0; i < ct_size(x); i++)
        sum += pow(ct_at(x, i), power);
    return sum / (double)ct_size(x);
}

TEST(uniform_numbers)
{
    static const ct_dtype dtypes[] = {CT_F16, CT_BF16, CT_F32, CT_F64, CT_I8, CT_U16, CT_I64};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        ct_tensor *a = ct_full(ctx, dtypes[i], CT_SHAPE(), 20);
        ct_tensor *b = ct_full(ctx, dtypes[i], CT_SHAPE(), 28), *y[2];
        ct_call(drawing(ctx, dtypes[i], CT_RNG_UNIFORM, 0), CT_ARGV(a, b), y, (size_t)2);
        CHECK_OK(ctx);
        for (int64_t j = 0; j < 1000; j++)
            CHECK(ct_at(y[0], j) >= 20 && ct_at(y[0], j) < 28);
        CHECK(!ct_equal(y[0], y[1]));
        double expected = ct_dtype_is_integer(dtypes[i]) ? 23.5 : 24;
        CHECK_MSG(fabs(mean_of(y[0], 1) - expected) < 0.3, "the mean is %g", mean_of(y[0], 1));
        ct_call(drawing(ctx, dtypes[i], CT_RNG_UNIFORM, 0), CT_ARGV(b, a), y, (size_t)2);
        CHECK(ct_at(y[0], 7) == 28); /* nothing lies in [28, 20) */
    }
    ct_context_free(ctx);
}

/* The whole range of a signed dtype, and the two of bool. */
TEST(uniform_ends)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_full(ctx, CT_I8, CT_SHAPE(), -128), *b = ct_full(ctx, CT_I8, CT_SHAPE(), 127);
    ct_tensor *y = ct_op_rng(a, b, CT_DIMS(5000), CT_RNG_UNIFORM);
    double least = 0, most = 0;
    for (int64_t i = 0; i < 5000; i++) {
        least = fmin(least, ct_at(y, i));
        most = fmax(most, ct_at(y, i));
    }
    CHECK(least == -128 && most == 126);
    a = ct_full(ctx, CT_BOOL, CT_SHAPE(), 0);
    b = ct_full(ctx, CT_BOOL, CT_SHAPE(), 1);
    CHECK_VALUES(ct_op_rng(a, b, CT_DIMS(3), CT_RNG_UNIFORM), CT_SHAPE(3), {0, 0, 0});
    CHECK_EMPTY(ct_op_rng(a, b, CT_DIMS(3, 0), CT_RNG_UNIFORM), CT_SHAPE(3, 0));
    ct_context_free(ctx);
}

TEST(normal_numbers)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_full(ctx, CT_F32, CT_SHAPE(), 0), *b = ct_full(ctx, CT_F32, CT_SHAPE(), 2);
    ct_tensor *y[2];
    ct_call(drawing(ctx, CT_F32, CT_RNG_NORMAL, 0), CT_ARGV(a, b), y, (size_t)2);
    CHECK(fabs(mean_of(y[0], 1)) < 0.25 && fabs(mean_of(y[0], 2) - 4) < 0.7);
    CHECK(fabs(mean_of(y[0], 3)) < 3);
    ct_context_free(ctx);
}

/* A dtype that has no number near a drawn one, as powers of two have none below 0, has NaN there:
 * about half of them. */
TEST(normal_numbers_of_powers_of_two)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *one = ct_full(ctx, CT_F8E8M0FNU, CT_SHAPE(), 0x1p-100);
    ct_tensor *four = ct_full(ctx, CT_F8E8M0FNU, CT_SHAPE(), 4), *y[2];
    int nans = 0;

    ct_call(drawing(ctx, CT_F8E8M0FNU, CT_RNG_NORMAL, 0), CT_ARGV(one, four), y, (size_t)2);
    for (int i = 0; i < 1000; i++) {
        const double x = ct_at(y[0], i);
        nans += isnan(x);
        CHECK_MSG(isnan(x) || (x > 0 && x < 64), "element %d is %g", i, x);
    }
    CHECK_MSG(nans > 400 && nans < 600, "%d are NaN", nans);
    ct_context_free(ctx);
}

/* Calls with one seed give the same numbers; another seed, in options or instance, gives others. */
TEST(seeds)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_full(ctx, CT_F64, CT_SHAPE(), 0), *b = ct_full(ctx, CT_F64, CT_SHAPE(), 1);
    ct_tensor *y[2], *z[2];
    double zero = 0, one = 1, out[2][1000];
    ct_executable *f = drawing(ctx, CT_F64, CT_RNG_UNIFORM, 0);
    ct_executable *g = drawing(ctx, CT_F64, CT_RNG_UNIFORM, 5);
    ct_call(f, CT_ARGV(a, b), y, (size_t)2);
    ct_call(f, CT_ARGV(a, b), z, (size_t)2);
    CHECK_EQUAL(y[0], z[0]);
    CHECK_EQUAL(y[1], z[1]);
    ct_call(g, CT_ARGV(a, b), z, (size_t)2);
    CHECK(!ct_equal(y[0], z[0]));
    ct_instance *instance = ct_instance_new(f);
    CHECK(ct_bind_input(instance, 0, &zero, sizeof zero) == CT_OK);
    CHECK(ct_bind_input(instance, 1, &one, sizeof one) == CT_OK);
    CHECK(ct_bind_output(instance, 0, out[0], sizeof out[0]) == CT_OK);
    CHECK(ct_bind_output(instance, 1, out[1], sizeof out[1]) == CT_OK);
    CHECK(ct_run(instance) == CT_OK && out[0][3] == ct_at(y[0], 3) && out[1][3] == ct_at(y[1], 3));
    CHECK(ct_instance_seed(instance, 5) == CT_OK && ct_run(instance) == CT_OK);
    CHECK(out[0][3] == ct_at(z[0], 3) && out[1][3] == ct_at(z[1], 3));
    ct_instance_free(instance);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* (a, b) -> (a, numbers): every turn of a loop draws new ones. */
static ct_function *turn(ct_context *ctx)
{
    ct_tensor *s = ct_spec(ctx, CT_F64, CT_SHAPE());
    ct_trace_builder *t = ct_trace_begin(ctx, "turn", CT_LIKE(s, s));
    ct_tensor *a = ct_trace_parameter(t, 0), *b = ct_trace_parameter(t, 1);
    return ct_trace_end(t, CT_ARGV(a, ct_op_rng(a, b, CT_DIMS(2), CT_RNG_UNIFORM)));
}

TEST(loops_draw_anew)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F64, CT_SHAPE()), *y[2];
    ct_trace_builder *t = ct_trace_begin(ctx, "loop", CT_LIKE(s, s));
    ct_op_scan(INT64_C(3), CT_ARGV(ct_trace_parameter(t, 0)), CT_NO_TENSORS,
               CT_ARGV(ct_trace_parameter(t, 1)), false, turn(ctx), y, 2);
    ct_function *f = ct_trace_end(t, CT_ARGV(y[1]));
    ct_tensor *a = ct_full(ctx, CT_F64, CT_SHAPE(), 0), *b = ct_full(ctx, CT_F64, CT_SHAPE(), 1);
    ct_tensor *numbers = ct_call1(ct_compile(f, NULL), CT_ARGV(a, b));
    CHECK_OK(ctx);
    const double *x = ct_data(numbers);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            CHECK(x[i] != x[j]);
    ct_context_free(ctx);
}

/* Numbers of constants are drawn when the program runs, not while it is recorded; and what nobody
 * uses is drawn all the same. */
static void draw_from_constants(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *a = ct_full(ctx, CT_F64, CT_SHAPE(), 0), *b = ct_full(ctx, CT_F64, CT_SHAPE(), 1);
    if (*(bool *)user)
        ct_op_rng(a, b, CT_DIMS(4), CT_RNG_UNIFORM);
    r[0] = ct_op_add(p.item[0], ct_op_rng(a, b, CT_DIMS(), CT_RNG_UNIFORM));
}

TEST(drawing_is_an_effect)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_full(ctx, CT_F64, CT_SHAPE(), 0), *y[2];
    for (int i = 0; i < 2; i++) {
        bool more = i == 1;
        ct_function *f = ct_trace_many(ctx, draw_from_constants, &more, 1, CT_LIKE(s));
        CHECK(strstr(ct_function_text(f, CT_TEXT_STABLEHLO), "stablehlo.rng") != NULL);
        y[i] = ct_call1(ct_compile(f, NULL), CT_ARGV(s));
    }
    CHECK_OK(ctx);
    CHECK(!ct_equal(y[0], y[1]));
    ct_context_free(ctx);
}

/* Computed at once: every call draws on. */
TEST(direct_calls_draw_on)
{
    ct_context *ctx = ct_context_new(), *other = ct_context_new();
    ct_tensor *a = ct_full(ctx, CT_F32, CT_SHAPE(), 0), *b = ct_full(ctx, CT_F32, CT_SHAPE(), 1);
    ct_tensor *x = ct_op_rng(a, b, CT_DIMS(3), CT_RNG_UNIFORM);
    ct_tensor *y = ct_op_rng(a, b, CT_DIMS(3), CT_RNG_UNIFORM);
    CHECK(!ct_equal(x, y));
    a = ct_full(other, CT_F32, CT_SHAPE(), 0);
    b = ct_full(other, CT_F32, CT_SHAPE(), 1);
    CHECK(ct_at(ct_op_rng(a, b, CT_DIMS(3), CT_RNG_UNIFORM), 1) == ct_at(x, 1));
    ct_context_free(ctx);
    ct_context_free(other);
}

/* ---- Memory. */

static void everything(ct_context *ctx)
{
    ct_selecting_dims pairs = {.window_dimensions = CT_DIMS(3)};
    ct_convolution_dims points = {.input_feature_dimension = 1,
                                  .kernel_input_feature_dimension = 1,
                                  .output_feature_dimension = 1};
    ct_tensor *x = ct_full(ctx, CT_F16, CT_SHAPE(4, 4), 2);
    ct_tensor *line = ct_full(ctx, CT_F32, CT_SHAPE(5), 1),
              *s = ct_full(ctx, CT_F32, CT_SHAPE(), 1);
    ct_op_convolution(x, x, &points);
    ct_op_cholesky(x, true);
    ct_op_triangular_solve(x, x, NULL);
    ct_op_fft(line, CT_RFFT, CT_DIMS(5));
    ct_op_rng(s, s, CT_DIMS(3), CT_RNG_NORMAL);
    ct_op_rng_bit_generator(ct_zeros(ctx, CT_U64, CT_SHAPE(2)), CT_RNG_DEFAULT, CT_U8, CT_DIMS(3),
                            NULL, NULL);
    ct_op_select_and_scatter(line, ct_full(ctx, CT_F32, CT_SHAPE(3), 1), s, body(ctx, true),
                             body(ctx, false), CT_ARGV(s), &pairs);
}

TEST(memory_runs_out)
{
    CHECK_ALLOCATIONS(everything);
}
