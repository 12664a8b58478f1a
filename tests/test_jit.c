/* Compiled C gives the bits of the interpreter in machine numerics. */
#include "tests/command.h"
#include "tests/same.h"
#include "tests/samples.h"
#include "tests/values.h"

#include <math.h>
#include <stdlib.h>

/* ---- Every operation on elements, on pairs of special values. */

enum { INTS = 1, FLOATS = 2, BOOLS = 4, UNSIGNED = 8 };

typedef ct_tensor *unary_function(ct_place at, ct_tensor *x);
typedef ct_tensor *binary_function(ct_place at, ct_tensor *x, ct_tensor *y);

static const struct {
    unary_function *call;
    int of;
} unary[] = {{ct_op_abs_at, INTS | FLOATS},
             {ct_op_negate_at, INTS | UNSIGNED | FLOATS},
             {ct_op_sign_at, INTS | FLOATS},
             {ct_op_not_at, INTS | UNSIGNED | BOOLS},
             {ct_op_popcnt_at, INTS | UNSIGNED},
             {ct_op_count_leading_zeros_at, INTS | UNSIGNED},
             {ct_op_sqrt_at, FLOATS},
             {ct_op_rsqrt_at, FLOATS},
             {ct_op_cbrt_at, FLOATS},
             {ct_op_floor_at, FLOATS},
             {ct_op_ceil_at, FLOATS},
             {ct_op_round_nearest_even_at, FLOATS},
             {ct_op_round_nearest_afz_at, FLOATS},
             {ct_op_exponential_at, FLOATS},
             {ct_op_exponential_minus_one_at, FLOATS},
             {ct_op_log_at, FLOATS},
             {ct_op_log_plus_one_at, FLOATS},
             {ct_op_tanh_at, FLOATS},
             {ct_op_logistic_at, FLOATS},
             {ct_op_erf_at, FLOATS},
             {ct_op_sine_at, FLOATS},
             {ct_op_cosine_at, FLOATS},
             {ct_op_tan_at, FLOATS},
             {ct_op_is_finite_at, FLOATS}};

static const struct {
    binary_function *call;
    int of;
} binary[] = {{ct_op_add_at, INTS | UNSIGNED | FLOATS | BOOLS},
              {ct_op_subtract_at, INTS | UNSIGNED | FLOATS},
              {ct_op_multiply_at, INTS | UNSIGNED | FLOATS | BOOLS},
              {ct_op_divide_at, INTS | UNSIGNED | FLOATS},
              {ct_op_remainder_at, INTS | UNSIGNED | FLOATS},
              {ct_op_maximum_at, INTS | UNSIGNED | FLOATS | BOOLS},
              {ct_op_minimum_at, INTS | UNSIGNED | FLOATS | BOOLS},
              {ct_op_power_at, INTS | UNSIGNED | FLOATS},
              {ct_op_mulhi_at, INTS | UNSIGNED},
              {ct_op_and_at, INTS | UNSIGNED | BOOLS},
              {ct_op_or_at, INTS | UNSIGNED | BOOLS},
              {ct_op_xor_at, INTS | UNSIGNED | BOOLS},
              {ct_op_shift_left_at, INTS | UNSIGNED},
              {ct_op_shift_right_logical_at, INTS | UNSIGNED},
              {ct_op_shift_right_arithmetic_at, INTS | UNSIGNED},
              {ct_op_scale_at, FLOATS},
              {ct_op_scale_either_at, FLOATS},
              {ct_op_atan2_at, FLOATS}};

static const ct_dtype dtypes[] = {CT_BOOL, CT_I8,  CT_I16, CT_I32, CT_I64,  CT_U8,  CT_U16,
                                  CT_U32,  CT_U64, CT_F16, CT_F32, CT_BF16, CT_F64, CT_C64};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes, MOST = 100 };

static int class_of(ct_dtype dtype)
{
    if (dtype == CT_BOOL)
        return BOOLS;
    if (dtype == CT_C64)
        return 0;
    return ct_dtype_is_float(dtype) ? FLOATS : dtype >= CT_U8 && dtype <= CT_U64 ? UNSIGNED : INTS;
}

/* Comparisons, choices and conversions to every dtype. */
static size_t add_mixed(ct_tensor *x, ct_tensor *y, ct_tensor **r)
{
    const ct_dtype dtype = ct_dtype_of(x);
    ct_tensor *less = ct_op_compare(x, y, CT_LT, CT_COMPARE_DEFAULT);
    size_t n = 0;
    r[n++] = ct_op_select(less, x, y);
    for (int direction = CT_EQ; direction <= CT_LT; direction++)
        r[n++] = ct_op_compare(x, y, (ct_comparison)direction, CT_COMPARE_DEFAULT);
    if (ct_dtype_is_float(dtype))
        r[n++] = ct_op_compare(x, y, CT_LE, CT_COMPARE_TOTALORDER);
    r[n++] = ct_op_clamp(y, x, ct_op_select(less, y, x));
    for (size_t i = 0; i < N_DTYPES; i++)
        r[n++] = ct_op_convert(x, dtypes[i]);
    return n;
}

static size_t all_operations(ct_tensor *x, ct_tensor *y, ct_tensor **r)
{
    const int class = class_of(ct_dtype_of(x));
    size_t n = 0;
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        if (unary[i].of & class)
            r[n++] = unary[i].call(CT_HERE, x);
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (binary[i].of & class)
            r[n++] = binary[i].call(CT_HERE, x, y);
    return class ? n + add_mixed(x, y, r + n) : n;
}

static void make_operations(void *user, ct_list p, ct_tensor **r)
{
    size_t n = all_operations(p.item[0], p.item[1], r);
    const size_t *want = user;
    for (; n < *want; n++)
        r[n] = p.item[0];
}

static size_t n_operations(ct_dtype dtype)
{
    const int class = class_of(dtype);
    size_t n = 8 + N_DTYPES + (class == FLOATS);
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        n += (unary[i].of & class) != 0;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        n += (binary[i].of & class) != 0;
    return n;
}

static const double special_floats[] = {
    0.0,      -0.0,      1,         -1,      0.5,          -0.5,      1.5,
    2.5,      -2.5,      3,         -7,      INFINITY,     -INFINITY, NAN,
    0x1p-149, -0x1p-149, 0x1p-1074, 0x1p-24, 0x1p-25,      0x1.8p-25, 0x1p-14,
    65504,    65519.9,   65520,     1e-20,   88.7,         89.5,      -104.2,
    1e10,     -3e38,     3.4e38,    1e300,   0x1.000002p0, 127.5,     2147483647.0,
    1e19};
static const double special_integers[] = {
    0,      1,     -1,     2,       3,      -5,      7,      8,     31,   32,
    33,     63,    64,     100,     -100,   127,     -128,   128,   255,  32767,
    -32768, 65535, 0x1p31, -0x1p31, 0x1p62, -0x1p63, 0x1p53, 12345, 99999};

/* All pairs: x repeats each value, y repeats the list. */
static void make_pairs(ct_context *ctx, ct_dtype dtype, ct_tensor **x, ct_tensor **y)
{
    const bool is_float = ct_dtype_is_float(dtype);
    const size_t n = is_float ? sizeof special_floats / sizeof(double)
                              : sizeof special_integers / sizeof(double);
    const double *value = is_float ? special_floats : special_integers;
    double *data = malloc(2 * n * n * sizeof *data);
    for (size_t i = 0; i < n * n; i++) {
        data[i] = value[i / n];
        data[n * n + i] = value[i % n];
    }
    const ct_dtype wide = is_float ? CT_F64 : CT_I64;
    const ct_shape shape = CT_SHAPE((int64_t)(n * n));
    *x = ct_cast(ct_from_doubles(ctx, wide, shape, data), dtype);
    *y = ct_cast(ct_from_doubles(ctx, wide, shape, data + n * n), dtype);
    free(data);
}

static void check_state(ct_executable *f)
{
    const ct_executable_state state = ct_executable_status(f);
    CHECK_MSG(state.compiled > 0 && state.compiled == state.kernels, "%zu of %zu: %s",
              state.compiled, state.kernels, state.reason);
}

TEST(operations_on_special_values)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < N_DTYPES - 1; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        size_t n = n_operations(dtypes[i]);
        ct_tensor *x, *y;
        CHECK(n <= MOST);
        make_pairs(ctx, dtypes[i], &x, &y);
        ct_function *f = ct_trace_many(ctx, make_operations, &n, n, CT_ARGV(x, y));
        CHECK_OK(ctx);
        CHECK(same_as_machine(f, CT_ARGV(x, y), CT_EXECUTOR_JIT, ct_dtype_name(dtypes[i])));
        check_state(compile_with(f, CT_EXECUTOR_JIT));
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* ---- Rows: folds, what is computed per row, and spread again. */

static ct_tensor *normalised(ct_tensor *x, ct_tensor *scale)
{
    ct_tensor *d = ct_sub(x, ct_mean(x, CT_AXES(1), CT_KEEP_AXES));
    ct_tensor *variance = ct_mean(ct_square(d), CT_AXES(1), CT_KEEP_AXES);
    return ct_mul(ct_mul(d, ct_rsqrt(ct_add(variance, 1e-5))), scale);
}

static void rows(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *row = p.item[1], *column = p.item[2];
    (void)user;
    r[0] = ct_softmax(x, CT_AXES(1));
    r[1] = normalised(x, row);
    r[2] = ct_logsumexp(ct_mul(x, column), CT_AXES(1), CT_DROP_AXES);
    r[3] = ct_min(ct_sub(x, row), CT_AXES(1), CT_KEEP_AXES);
    r[4] = ct_max(ct_div(x, r[3]), CT_AXES(1), CT_DROP_AXES);
    r[5] = ct_prod(ct_add(ct_mul(x, 0.01), 1.0), CT_AXES(1), CT_DROP_AXES);
    r[6] = ct_add(ct_mul(r[0], ct_sum(r[1], CT_AXES(1), CT_KEEP_AXES)), ct_sin(column));
    r[7] = ct_sum(ct_cast(ct_mul(x, 10.0), CT_I32), CT_AXES(1), CT_DROP_AXES);
    r[8] = ct_sum(ct_square(x), CT_ALL_AXES, CT_DROP_AXES);
    r[9] = ct_sum(ct_mul(x, column), CT_AXES(0), CT_DROP_AXES);
}

static ct_tensor *normal(ct_context *ctx, uint64_t key, ct_dtype dtype, ct_shape shape)
{
    return ct_cast(ct_random_normal(ctx, ct_key_new(key), CT_F32, shape), dtype);
}

TEST(rows_of_every_length)
{
    static const int64_t columns[] = {2,    7,    31,   32,   33,   40, 64,   1000, 4095,
                                      4096, 4097, 4128, 4129, 9000, 64, 4096, 96,   1024};
    static const ct_dtype floats[] = {CT_F32, CT_F64, CT_F16, CT_BF16};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        const int64_t n = columns[i], m = 3 + (int64_t)i % 4;
        const ct_dtype dtype = floats[i < 4 ? 0 : i % 4];
        ct_list arguments = CT_ARGV(normal(ctx, 1, dtype, CT_SHAPE(m, n)),
                                    normal(ctx, 2, dtype, CT_SHAPE(n)),
                                    normal(ctx, 3, dtype, CT_SHAPE(m, 1)));
        ct_function *f = ct_trace_many(ctx, rows, NULL, 10, arguments);
        CHECK_OK(ctx);
        CHECK(same_as_machine(f, arguments, CT_EXECUTOR_JIT, ct_dtype_name(dtype)));
        check_state(compile_with(f, CT_EXECUTOR_JIT));
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* Of rows of each dtype three results. Some of these folds are no expressions of C. */
static void integer_folds(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    for (size_t i = 0; i < p.count; i++, r += 3) {
        ct_tensor *x = p.item[i], *least = ct_min(x, CT_AXES(1), CT_DROP_AXES);
        r[0] = ct_op_add(ct_sum(ct_op_add(x, x), CT_AXES(1), CT_DROP_AXES), least);
        r[1] = ct_mul(x, ct_max(x, CT_AXES(1), CT_KEEP_AXES));
        r[2] = ct_op_not(ct_prod(ct_op_xor(x, x), CT_AXES(1), CT_DROP_AXES));
    }
}

TEST(rows_of_integers)
{
    static const ct_dtype integers[] = {CT_I2, CT_I4, CT_I8, CT_I16, CT_I32, CT_I64,
                                        CT_U2, CT_U4, CT_U8, CT_U16, CT_U32, CT_U64};
    enum { N = sizeof integers / sizeof *integers };
    ct_context *ctx = ct_context_new();
    for (int64_t columns = 2; columns < 50; columns += 43) {
        const ct_shape shape = CT_SHAPE(5, columns);
        ct_tensor *x = ct_reshape(ct_arange(ctx, CT_I32, 0, 5.0 * (double)columns, 1), shape);
        ct_tensor *cast[N];
        for (size_t i = 0; i < N; i++)
            cast[i] = ct_cast(x, integers[i]);
        ct_function *f = ct_trace_many(ctx, integer_folds, NULL, 3 * N, CT_LIST(N, cast));
        CHECK_OK(ctx);
        CHECK(same_as_machine(f, CT_LIST(N, cast), CT_EXECUTOR_JIT, "integers"));
        check_state(compile_with(f, CT_EXECUTOR_JIT));
    }
    ct_context_free(ctx);
}

static ct_tensor *loss(ct_tensor *x, ct_tensor *scale)
{
    return ct_sum(ct_mul(normalised(x, scale), ct_softmax(x, CT_AXES(1))), CT_ALL_AXES,
                  CT_DROP_AXES);
}

TEST(gradients_of_rows)
{
    ct_context *ctx = ct_context_new();
    for (int64_t columns = 128; columns < 130; columns++) {
        ct_list arguments = CT_ARGV(normal(ctx, 4, CT_F32, CT_SHAPE(37, columns)),
                                    normal(ctx, 5, CT_F32, CT_SHAPE(columns)));
        ct_function *f = ct_value_and_grad(ct_trace(ctx, loss, arguments), CT_ARGS(0, 1));
        CHECK(same_as_machine(f, arguments, CT_EXECUTOR_JIT, "gradient"));
        check_state(compile_with(f, CT_EXECUTOR_JIT));
    }
    ct_context_free(ctx);
}

static ct_tensor *polynomial(ct_tensor *x)
{
    return ct_add(ct_square(x), ct_mul(x, 3.0));
}

/* Results of more than 16 MiB, which are written past the cache, in rows that are not aligned, and
 * in such that are. */
static void large(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = normalised(p.item[0], p.item[1]);
    r[1] = ct_sub(ct_square(p.item[0]), 0.5);
    r[2] = ct_mul(r[1], ct_broadcast_to(p.item[1], ct_shape_of(p.item[0])));
}

TEST(results_past_the_cache)
{
    ct_context *ctx = ct_context_new();
    for (int64_t columns = 2048; columns <= 2053; columns += 5) {
        ct_list arguments = CT_ARGV(normal(ctx, 11, CT_F32, CT_SHAPE(2049, columns)),
                                    normal(ctx, 12, CT_F32, CT_SHAPE(columns)));
        ct_function *f = ct_trace_many(ctx, large, NULL, 3, arguments);
        CHECK(same_as_machine(f, arguments, CT_EXECUTOR_JIT, "large"));
    }
    ct_list line = CT_ARGV(normal(ctx, 13, CT_F32, CT_SHAPE(2049 * 2053)));
    CHECK(same_as_machine(ct_trace(ctx, polynomial, line), line, CT_EXECUTOR_JIT, "line"));
    ct_context_free(ctx);
}

/* ---- Folds of everything: of integers in a variable of the kernel. */

static void totals(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *large = ct_gt(x, 1.0);
    (void)user;
    r[0] = ct_sum(ct_cast(large, CT_I64), CT_ALL_AXES, CT_DROP_AXES);
    r[1] = ct_max(ct_cast(ct_mul(x, 100.0), CT_I32), CT_ALL_AXES, CT_DROP_AXES);
    r[2] = ct_min(ct_op_not(large), CT_ALL_AXES, CT_DROP_AXES);
    r[3] = ct_sum(ct_cast(ct_mul(x, 50.0), CT_I8), CT_ALL_AXES, CT_DROP_AXES);
    r[4] = ct_logsumexp(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *log_sum(ct_tensor *x)
{
    return ct_logsumexp(x, CT_ALL_AXES, CT_DROP_AXES);
}

TEST(totals_of_every_length)
{
    static const int64_t lengths[] = {1, 31, 33, 400, 4096, 4096, 4097, 20000, 81920, 81920};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        ct_list x = CT_ARGV(normal(ctx, 20 + i, i % 2 ? CT_F64 : CT_F32, CT_SHAPE(lengths[i])));
        ct_function *f = ct_trace_many(ctx, totals, NULL, 5, x);
        CHECK_OK(ctx);
        CHECK(same_as_machine(f, x, CT_EXECUTOR_JIT, "totals"));
        check_state(compile_with(f, CT_EXECUTOR_JIT));
        f = ct_value_and_grad(ct_trace(ctx, log_sum, x), CT_ARGS(0));
        CHECK(same_as_machine(f, x, CT_EXECUTOR_JIT, "gradient"));
    }
    ct_context_free(ctx);
}

/* What scale gives for 0, infinity and NaN on either side, where its first operand is one element.
 */
static ct_tensor *scaled_log_sum(ct_tensor *x, ct_tensor *weight)
{
    return ct_mul(log_sum(x), weight);
}

TEST(factors_that_loops_do_not_change)
{
    static const double weights[] = {0, -0.0, 2, INFINITY, -INFINITY, NAN};
    static const double x[] = {1, -200, -INFINITY, 3, 0, NAN, INFINITY, 2};
    static const ct_dtype floats[] = {CT_F32, CT_F64};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 2 * sizeof weights / sizeof *weights; i++)
        for (int64_t n = 2; n <= 8; n += 3) {
            const ct_dtype dtype = floats[i % 2];
            ct_list p = CT_ARGV(ct_from_doubles(ctx, dtype, CT_SHAPE(n), x),
                                ct_full(ctx, dtype, CT_SHAPE(), weights[i / 2]));
            ct_function *f = ct_value_and_grad(ct_trace(ctx, scaled_log_sum, p), CT_ARGS(0));
            CHECK_OK(ctx);
            CHECK(same_as_machine(f, p, CT_EXECUTOR_JIT, "factor"));
        }
    ct_context_free(ctx);
}

/* ---- Inputs at index maps: slices, pads, transpositions, reversals, broadcasts. */

static void maps(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *y = p.item[1];
    const int64_t m = ct_shape_of(x).dim[0], n = ct_shape_of(x).dim[1];
    (void)user;
    ct_tensor *inner = ct_slice(x, CT_DIMS(1, 2), CT_DIMS(m, n), CT_DIMS(1, 3));
    r[0] = ct_exp(ct_neg(inner));
    r[1] = ct_add(ct_pad(inner, CT_DIMS(1, 2), CT_DIMS(0, 3), 7.0), 0.5);
    r[2] = ct_mul(ct_transpose(x, CT_AXES(1, 0)), y);
    r[3] = ct_sub(ct_flip(x, CT_AXES(1)), ct_flip(x, CT_AXES(0)));
    r[4] = ct_softmax(ct_add(ct_flip(x, CT_AXES(1)), x), CT_AXES(1));
    r[5] = ct_tanh(ct_broadcast_to(
        ct_reshape(ct_slice(x, CT_DIMS(0, 1), CT_DIMS(m, 2), CT_DIMS(1, 1)), CT_SHAPE(1, m, 1)),
        CT_SHAPE(3, m, 5)));
}

static ct_tensor *differences(ct_tensor *x)
{
    const int64_t n = ct_size(x);
    ct_tensor *next = ct_slice(x, CT_DIMS(1), CT_DIMS(n), CT_DIMS(1));
    ct_tensor *now = ct_slice(x, CT_DIMS(0), CT_DIMS(n - 1), CT_DIMS(1));
    return ct_sum(ct_square(ct_sub(next, ct_square(now))), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(index_maps)
{
    static const int64_t shapes[][2] = {{2, 3}, {5, 40}, {33, 7}, {17, 100}, {64, 64}};
    static const ct_dtype some[] = {CT_F32, CT_F64, CT_F16};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 5; i++) {
        const int64_t m = shapes[i][0], n = shapes[i][1];
        const ct_dtype dtype = some[i % 3];
        ct_list arguments = CT_ARGV(normal(ctx, 6, dtype, CT_SHAPE(m, n)),
                                    normal(ctx, 7, dtype, CT_SHAPE(n, m)));
        CHECK(same_as_machine(ct_trace_many(ctx, maps, NULL, 6, arguments), arguments,
                              CT_EXECUTOR_JIT, "maps"));
        ct_list line = CT_ARGV(normal(ctx, 8, dtype, CT_SHAPE(m * n * 9)));
        ct_function *f = ct_value_and_grad(ct_trace(ctx, differences, line), CT_ARGS(0));
        CHECK(same_as_machine(f, line, CT_EXECUTOR_JIT, "differences"));
        check_state(compile_with(f, CT_EXECUTOR_JIT));
    }
    ct_context_free(ctx);
}

/* ---- Sines of numbers of which a few are large. */

static ct_tensor *waves(ct_tensor *x)
{
    return ct_add(ct_sin(x), ct_mul(ct_cos(ct_mul(x, x)), ct_tan(x)));
}

TEST(far_angles)
{
    ct_context *ctx = ct_context_new();
    const ct_dtype some[] = {CT_F32, CT_F64};
    for (size_t i = 0; i < 6; i++) {
        ct_tensor *x = normal(ctx, 9, some[i % 2], i < 2 ? CT_SHAPE(5000) : CT_SHAPE(40, 300));
        ct_tensor *large = ct_gt(x, i < 4 ? 3.0 : -9.0); /* few, or all */
        x = ct_where(large, ct_mul(x, 1e14), x);
        CHECK(same_as_machine(ct_trace(ctx, waves, CT_LIKE(x)), CT_ARGV(x), CT_EXECUTOR_JIT,
                              "waves"));
    }
    ct_context_free(ctx);
}

/* ---- Every sample program, and what is on disk when they are compiled again. */

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

TEST(samples_of_every_operation)
{
    ct_context *ctx = ct_context_new();
    size_t ran = 0;
    for (size_t i = 0; i < n_samples; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *argument[MOST];
        ct_function *f = samples[i].make(ctx);
        CHECK_OK(ctx);
        CHECK(ct_function_parameters(f) <= MOST);
        ran += make_arguments(ctx, f, argument) &&
               same_as_machine(f, CT_LIST(ct_function_parameters(f), argument), CT_EXECUTOR_JIT,
                               samples[i].name);
        ct_error_clear(ctx);
        ct_scope_end(scope);
    }
    CHECK_MSG(ran > n_samples * 2 / 3, "%zu of %zu samples", ran, n_samples);
    ct_context_free(ctx);
}

TEST(conformance_files)
{
    command_outcome o;
    command_run(&o, "check tests/conformance --exec jit --allow "
                    "tests/conformance/allow_machine.txt");
    CHECK_MSG(o.status == 0, "%s", o.text);
}

/* ---- Memory that runs out. */

static void compile_and_run(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(4, 30)), *row = ct_ones(ctx, CT_F32, CT_SHAPE(30));
    ct_function *f = ct_trace(ctx, loss, CT_ARGV(x, row));
    ct_call1(compile_with(f, CT_EXECUTOR_JIT), CT_ARGV(x, row));
}

TEST(memory_that_runs_out)
{
    setenv("CT_CC", "/nowhere/cc", 1);
    CHECK_ALLOCATIONS(compile_and_run);
}
