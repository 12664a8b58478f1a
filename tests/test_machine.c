/* Machine numerics: the interpreter as the executors compute. */
#include "tests/check.h"
#include "tests/command.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ct_executable *compile(ct_function *f)
{
    ct_compile_options options = {.size = sizeof options, .executor = CT_EXECUTOR_MACHINE};
    return ct_compile(f, &options);
}

/* ---- The order of reductions, written down once more: a sum of n elements of one result. */

enum { LANES = 32 };

static float fold_row_block(size_t n, const float *x)
{
    float lane[LANES];
    if (n <= LANES) {
        float sum = x[0];
        for (size_t i = 1; i < n; i++)
            sum += x[i];
        return sum;
    }
    memcpy(lane, x, sizeof lane);
    for (size_t i = LANES; i < n; i++)
        lane[i % LANES] += x[i];
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

static float fold_column_block(size_t n, const float *x)
{
    float sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum += x[i];
    return sum;
}

static float expected_sum(size_t n, float *x, float init, bool is_column)
{
    const size_t block = is_column ? 64 : 4096;
    if (n <= LANES) {
        for (size_t i = 0; i < n; i++)
            init += x[i];
        return init;
    }
    while (n > 1) {
        size_t blocks = 0;
        for (size_t i = 0; i < n; i += block) {
            size_t length = n - i < block ? n - i : block;
            x[blocks++] = is_column ? fold_column_block(length, &x[i])
                                    : fold_row_block(length, &x[i]);
        }
        n = blocks;
    }
    return init + x[0];
}

/* Sums of a[p, q, r] over some axes, with the elements of a result in row-major order. */
typedef struct sum_case {
    int64_t dim[3];
    bool over[3];
} sum_case;

static const sum_case *current;

static ct_tensor *traced_sum(ct_tensor *x)
{
    int64_t axis[3];
    size_t n = 0;
    for (int d = 0; d < 3; d++)
        if (current->over[d])
            axis[n++] = d;
    return ct_sum(x, (ct_axes){false, n, axis}, CT_KEEP_AXES);
}

/* The elements of the result that has `at` among them; returns their number. */
static size_t collect(const sum_case *c, const float *x, const int64_t *at, float *to)
{
    const int64_t *dim = c->dim;
    size_t n = 0;
    for (int64_t i = 0; i < dim[0]; i++)
        for (int64_t j = 0; j < dim[1]; j++)
            for (int64_t k = 0; k < dim[2]; k++)
                if ((c->over[0] || i == at[0]) && (c->over[1] || j == at[1]) &&
                    (c->over[2] || k == at[2]))
                    to[n++] = x[(i * dim[1] + j) * dim[2] + k];
    return n;
}

static bool is_column(const sum_case *c)
{
    for (int d = 2; d >= 0; d--)
        if (c->dim[d] != 1)
            return !c->over[d];
    return false;
}

static void check_sums(ct_context *ctx, const sum_case *c)
{
    const int64_t *dim = c->dim;
    const size_t size = (size_t)(dim[0] * dim[1] * dim[2]);
    float *x = calloc(size, sizeof *x), *one = calloc(size, sizeof *one);
    CHECK(x && one);
    for (size_t i = 0; i < size; i++)
        x[i] = sinf((float)i) * 1000;
    current = c;
    ct_tensor *input = ct_from_data(ctx, CT_F32, CT_SHAPE(dim[0], dim[1], dim[2]), x);
    ct_tensor *y = ct_call1(compile(ct_trace(ctx, traced_sum, CT_LIKE(input))), CT_ARGV(input));
    const float *sums = ct_data(y);
    CHECK_OK(ctx);
    int64_t count = 0, at[3];
    for (at[0] = 0; at[0] < (c->over[0] ? 1 : dim[0]); at[0]++)
        for (at[1] = 0; at[1] < (c->over[1] ? 1 : dim[1]); at[1]++)
            for (at[2] = 0; at[2] < (c->over[2] ? 1 : dim[2]); at[2]++, count++) {
                size_t n = collect(c, x, at, one);
                float want = expected_sum(n, one, 0, is_column(c));
                CHECK_MSG(sums[count] == want, "[%d,%d,%d] result %d: %a, not %a", (int)dim[0],
                          (int)dim[1], (int)dim[2], (int)count, (double)sums[count], (double)want);
            }
    free(x);
    free(one);
}

TEST(sums_have_their_order)
{
    static const sum_case cases[] = {
        {{1, 1, 32}, {false, false, true}},   {{2, 3, 33}, {false, false, true}},
        {{1, 1, 4097}, {true, true, true}},   {{3, 50, 70}, {true, true, true}},
        {{2, 3, 8300}, {false, false, true}}, {{33, 2, 5}, {true, false, false}},
        {{200, 3, 4}, {true, false, false}},  {{5, 130, 3}, {false, true, false}},
        {{70, 2, 70}, {true, false, true}},   {{70, 70, 1}, {true, false, false}},
        {{9, 40, 1}, {false, true, false}},   {{4, 5, 6}, {false, false, false}}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_sums(ctx, &cases[i]);
    ct_context_free(ctx);
}

/* ---- Against the reference numerics, in every dtype that has functions of its own. */

static ct_tensor *many_functions(ct_tensor *x)
{
    ct_tensor *y = ct_add(ct_tanh(x), ct_mul(ct_exp(ct_neg(ct_square(x))), ct_sin(x)));
    ct_tensor *z = ct_matmul(ct_softmax(x, CT_AXES(1)), ct_swapaxes(x, 0, 1));
    return ct_add(ct_sum(ct_mul(y, ct_log1p(ct_square(x))), CT_ALL_AXES, CT_DROP_AXES),
                  ct_mean(ct_pow(ct_abs(z), 1.5), CT_ALL_AXES, CT_DROP_AXES));
}

static double largest(ct_tensor *x)
{
    return ct_item(ct_cast(ct_max(ct_abs(x), CT_ALL_AXES, CT_DROP_AXES), CT_F64));
}

TEST(values_and_gradients_are_near_the_reference)
{
    static const struct {
        ct_dtype dtype;
        double tolerance;
    } rows[] = {{CT_F16, 2e-2}, {CT_BF16, 2e-1}, {CT_F32, 2e-6}, {CT_F64, 1e-13}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_tensor *x = ct_cast(ct_random_normal(ctx, ct_key_new(1), CT_F64, CT_SHAPE(5, 40)),
                               rows[i].dtype);
        ct_function *f = ct_trace(ctx, many_functions, CT_LIKE(x));
        ct_function *of[] = {f, ct_grad(f, CT_ARGS(0))};
        for (int k = 0; k < 2; k++) {
            ct_tensor *machine = ct_call1(compile(of[k]), CT_ARGV(x));
            ct_tensor *reference = ct_call1(ct_compile(of[k], NULL), CT_ARGV(x));
            double error = largest(ct_sub(machine, reference)) / largest(reference);
            CHECK_OK(ctx);
            CHECK_MSG(error <= rows[i].tolerance, "%s, %s: %g", ct_dtype_name(rows[i].dtype),
                      k ? "gradient" : "value", error);
        }
    }
    ct_context_free(ctx);
}

/* ---- Folds with any body: many results at a time, each as the reference folds it. */

/* (a, i, x, j, limit) -> the larger of a and x, at most limit, and its place */
static ct_function *place_body(ct_context *ctx)
{
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *i = ct_spec(ctx, CT_I64, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "place", CT_LIKE(f, i, f, i, f));
    ct_tensor *old = ct_trace_parameter(b, 0), *new = ct_trace_parameter(b, 2);
    ct_tensor *later = ct_op_compare(new, old, CT_GT, CT_COMPARE_FLOAT);
    ct_tensor *value = ct_op_minimum(ct_op_maximum(old, new), ct_trace_parameter(b, 4));
    ct_tensor *place = ct_op_select(later, ct_trace_parameter(b, 3), ct_trace_parameter(b, 1));
    return ct_trace_end(b, CT_ARGV(value, place));
}

/* (p, q, x, y) -> (q, p + 0.25 x): the results are exchanged, one of them as it is. */
static ct_function *exchange_body(ct_context *ctx)
{
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "exchange", CT_LIKE(f, f, f, f));
    ct_tensor *part = ct_mul(ct_trace_parameter(b, 2), 0.25);
    return ct_trace_end(
        b, CT_ARGV(ct_trace_parameter(b, 1), ct_op_add(ct_trace_parameter(b, 0), part)));
}

static ct_function *folds_along(ct_context *ctx, const int64_t *dim, int64_t axis)
{
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(
        ctx, "folds", CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(dim[0], dim[1], dim[2])), f));
    ct_tensor *x = ct_trace_parameter(b, 0), *limit = ct_trace_parameter(b, 1), *y[4];
    ct_tensor *places = ct_op_iota(ctx, CT_I64, CT_DIMS(dim[0], dim[1], dim[2]), axis);
    ct_tensor *least = ct_scalar(ctx, CT_F32, -INFINITY), *none = ct_scalar(ctx, CT_I64, -1);
    ct_op_reduce_many(CT_ARGV(x, places), CT_ARGV(least, none), place_body(ctx), CT_ARGV(limit),
                      CT_DIMS(axis), y);
    ct_op_reduce_many(CT_ARGV(x, x), CT_ARGV(limit, limit), exchange_body(ctx), CT_NO_TENSORS,
                      CT_DIMS(axis), y + 2);
    return ct_trace_end(b, CT_ARGV(y[0], y[1], y[2], y[3]));
}

static void check_bodies(ct_context *ctx, const int64_t *dim, int64_t axis)
{
    ct_function *f = folds_along(ctx, dim, axis);
    ct_tensor *x = ct_round(ct_mul(
        ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(dim[0], dim[1], dim[2])), 4.0));
    ct_tensor *limit = ct_scalar(ctx, CT_F32, 9), *y[4], *want[4];
    ct_compile_options reference = {.size = sizeof reference, .executor = CT_EXECUTOR_INTERPRETER};
    ct_call(compile(f), CT_ARGV(x, limit), y, 4);
    ct_call(ct_compile(f, &reference), CT_ARGV(x, limit), want, 4);
    CHECK_OK(ctx);
    for (int i = 0; i < 4; i++)
        CHECK_MSG(memcmp(ct_data(y[i]), ct_data(want[i]),
                         (size_t)ct_size(y[i]) * ct_dtype_bytes(ct_dtype_of(y[i]))) == 0,
                  "[%d,%d,%d] over %d: result %d", (int)dim[0], (int)dim[1], (int)dim[2], (int)axis,
                  i);
}

TEST(folds_of_any_body)
{
    static const int64_t shapes[][3] = {{1, 5, 300}, {3, 7, 20}, {300, 1, 37}, {20, 40, 1},
                                        {9, 3, 16},  {2, 3, 4},  {1, 600, 1}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int64_t axis = 0; axis < 3; axis++)
            check_bodies(ctx, shapes[i], axis);
    ct_context_free(ctx);
}

/* A row of 2^50 elements, of which there is none: nothing is gathered for it. */
static ct_tensor *sum_of_rows(ct_tensor *x)
{
    return ct_sum(x, CT_AXES(0, 2), CT_DROP_AXES);
}

TEST(long_rows_of_nothing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F64, CT_SHAPE(1 << 25, 0, 1 << 25)), *y;
    ct_call(compile(ct_trace(ctx, sum_of_rows, CT_LIKE(x))), CT_ARGV(x), &y, 1);
    CHECK_OK(ctx);
    CHECK(ct_size(y) == 0 && ct_rank(y) == 1);
    ct_context_free(ctx);
}

/* f16 and bf16 are what f32 gives, rounded. */
static ct_tensor *elementary(ct_tensor *x)
{
    return ct_concatenate(CT_ARGV(ct_exp(x), ct_log(x), ct_tanh(x), ct_sin(x), ct_erf(x)), 0);
}

TEST(narrow_floats_are_rounded_once)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *wide = ct_random_normal(ctx, ct_key_new(2), CT_F32, CT_SHAPE(1000));
    for (int k = 0; k < 2; k++) {
        ct_dtype dtype = k ? CT_BF16 : CT_F16;
        ct_tensor *x = ct_cast(wide, dtype), *same = ct_cast(x, CT_F32);
        ct_tensor *y = ct_call1(compile(ct_trace(ctx, elementary, CT_LIKE(x))), CT_ARGV(x));
        ct_tensor *z = ct_call1(compile(ct_trace(ctx, elementary, CT_LIKE(same))), CT_ARGV(same));
        ct_tensor *rounded = ct_cast(z, dtype);
        CHECK_OK(ctx);
        CHECK(memcmp(ct_data(y), ct_data(rounded), 2 * (size_t)ct_size(y)) == 0);
    }
    ct_context_free(ctx);
}

/* ---- The command. */

TEST(conformance_files)
{
    command_outcome o;
    command_run(&o, "check tests/conformance --exec machine --allow "
                    "tests/conformance/allow_machine.txt");
    CHECK_MSG(o.status == 0, "%s", o.text);
}

TEST(unknown_ways)
{
    CHECK_USAGE("check tests/conformance --exec abacus", "there is no way to run called 'abacus'");
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 2));
    ct_compile_options options = {.size = sizeof options, .executor = (ct_executor)77};
    ct_compile(ct_trace(ctx, many_functions, CT_LIKE(x)), &options);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "there is no executor 77");
    ct_context_free(ctx);
}
