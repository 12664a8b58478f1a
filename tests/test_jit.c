/* Compiled C gives the bits of the interpreter in machine numerics. */
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
