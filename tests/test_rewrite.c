/* Rewrites, one identity a row: what becomes of it, and that no bit of the result changes, for
 * inputs with NaN, infinities and both zeros. */
#include "tests/values.h"

#include <cotangent/checks.h>
#include <cotangent/control.h>
#include <cotangent/exec.h>
#include <cotangent/module.h>
#include <cotangent/op.h>
#include <cotangent/op_program.h>
#include <cotangent/rewrite.h>
#include <cotangent/trace.h>

#include <math.h>
#include <string.h>

typedef ct_tensor *formula(ct_tensor *x, ct_tensor *y);

typedef struct row {
    const char *text;
    formula *code;
    size_t left; /* operations after simplifying */
} row;

/* Every element is value, of x's type: a constant in a trace. */
static ct_tensor *all(ct_tensor *x, double value)
{
    return ct_full(ct_context_of(x), ct_dtype_of(x), ct_shape_of(x), value);
}

/* x and y have the shape [2, 6]. */
static ct_tensor *special(ct_context *ctx, ct_dtype dtype, bool second)
{
    static const double floats[2][12] = {
        {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0.5, -2, 3, 0x1p-14, -7},
        {-0.0, 0.0, INFINITY, NAN, -INFINITY, 2, 1, -0.0, 0.25, -3, -0x1p-14, 5}};
    static const double counts[2][12] = {{0, 1, 2, 3, 127, 100, 64, 5, 6, 7, 8, 9},
                                         {1, 0, 3, 3, 2, 7, 100, 127, 0, 1, 2, 3}};
    static const double truths[2][12] = {{0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0},
                                         {1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0}};
    const double *list = ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype) ? floats[second]
                         : dtype == CT_BOOL                                     ? truths[second]
                                                                                : counts[second];
    return ct_from_doubles(ctx, dtype, CT_SHAPE(2, 6), list);
}

static void trace_row(void *user, ct_list p, ct_tensor **r)
{
    const row *it = user;
    r[0] = it->code(p.item[0], p.item[1]);
}

/* The same bits, but for those of NaN. Division shows the sign of zero. */
static bool same(ct_tensor *x, ct_tensor *y)
{
    if (ct_dtype_is_complex(ct_dtype_of(x)))
        return same(ct_op_real(x), ct_op_real(y)) && same(ct_op_imag(x), ct_op_imag(y));
    return ct_equal(x, y) && (!ct_dtype_is_float(ct_dtype_of(x)) ||
                              ct_equal(ct_op_divide(all(x, 1), x), ct_op_divide(all(y, 1), y)));
}

static void check_row(ct_context *ctx, const row *it, ct_tensor *x, ct_tensor *y)
{
    ct_scope scope = ct_scope_begin(ctx);
    row copy = *it;
    ct_function *f = ct_trace_many(ctx, trace_row, &copy, 1, CT_LIKE(x, y));
    ct_function *g = ct_simplify(f);
    CHECK_OK(ctx);
    CHECK_MSG(ct_function_operations(g) == it->left, "%s of %s: %zu operations, not %zu\n%s",
              it->text, ct_dtype_name(ct_dtype_of(x)), ct_function_operations(g), it->left,
              ct_stablehlo_text(g, 0));
    CHECK_MSG(same(ct_apply1(g, CT_ARGV(x, y)), ct_apply1(f, CT_ARGV(x, y))), "%s of %s", it->text,
              ct_dtype_name(ct_dtype_of(x)));
    CHECK_OK(ctx);
    ct_scope_end(scope);
}

static void check_rows(const row *rows, size_t n, const ct_dtype *dtypes, size_t n_dtypes)
{
    ct_context *ctx = ct_context_new();
    for (size_t d = 0; d < n_dtypes; d++) {
        ct_tensor *x = special(ctx, dtypes[d], false), *y = special(ctx, dtypes[d], true);
        for (size_t i = 0; i < n; i++)
            check_row(ctx, &rows[i], x, y);
    }
    ct_context_free(ctx);
}

#define CHECK_ROWS(rows, ...)                                                                      \
    check_rows(rows, sizeof(rows) / sizeof *(rows), (const ct_dtype[]){__VA_ARGS__},               \
               sizeof((const ct_dtype[]){__VA_ARGS__}) / sizeof(ct_dtype))

/* ROW(name, expression, operations that are left) */
#define FUNCTION(name, expression, left)                                                           \
    static ct_tensor *name(ct_tensor *x, ct_tensor *y)                                             \
    {                                                                                              \
        (void)x;                                                                                   \
        (void)y;                                                                                   \
        return expression;                                                                         \
    }
#define ENTRY(name, expression, left) {#expression, name, left},

/* ---- Real floats. */

/* clang-format off */
#define FLOAT_ROWS(ROW)                                                                            \
    ROW(times_one, ct_op_multiply(x, all(x, 1)), 0)                                                \
    ROW(one_times, ct_op_multiply(all(x, 1), x), 0)                                                \
    ROW(by_one, ct_op_divide(x, all(x, 1)), 0)                                                     \
    ROW(plus_negative_zero, ct_op_add(x, all(x, -0.0)), 0)                                         \
    ROW(negative_zero_plus, ct_op_add(all(x, -0.0), x), 0)                                         \
    ROW(minus_zero, ct_op_subtract(x, all(x, 0)), 0)                                               \
    ROW(plus_zero_stays, ct_op_add(x, all(x, 0)), 2)                                               \
    ROW(minus_negative_zero_stays, ct_op_subtract(x, all(x, -0.0)), 2)                             \
    ROW(times_zero_stays, ct_op_multiply(x, all(x, 0)), 2)                                         \
    ROW(minus_itself_stays, ct_op_subtract(x, x), 1)                                               \
    ROW(by_itself_stays, ct_op_divide(x, x), 1)                                                    \
    ROW(equals_itself_stays, ct_op_compare(x, x, CT_EQ, CT_COMPARE_DEFAULT), 1)                    \
    ROW(log_exp_stays, ct_op_log(ct_op_exponential(x)), 2)                                         \
    ROW(scaled_by_one_stays, ct_op_scale(x, all(x, 1)), 2)                                         \
    ROW(sums_stay, ct_op_add(ct_op_add(x, all(x, 1)), all(x, 2)), 4)                               \
    ROW(minus_minus, ct_op_negate(ct_op_negate(x)), 0)                                             \
    ROW(minus_difference_stays, ct_op_negate(ct_op_subtract(x, y)), 2)                             \
    ROW(plus_minus, ct_op_add(x, ct_op_negate(y)), 1)                                              \
    ROW(minus_plus, ct_op_add(ct_op_negate(x), y), 1)                                              \
    ROW(less_minus, ct_op_subtract(x, ct_op_negate(y)), 1)                                         \
    ROW(minus_times_minus, ct_op_multiply(ct_op_negate(x), ct_op_negate(y)), 1)                    \
    ROW(abs_abs, ct_op_abs(ct_op_abs(x)), 1)                                                       \
    ROW(abs_minus, ct_op_abs(ct_op_negate(x)), 1)                                                  \
    ROW(floor_floor, ct_op_floor(ct_op_floor(x)), 1)                                               \
    ROW(ceil_ceil, ct_op_ceil(ct_op_ceil(x)), 1)                                                   \
    ROW(floor_ceil_stays, ct_op_floor(ct_op_ceil(x)), 2)                                           \
    ROW(round_round, ct_op_round_nearest_even(ct_op_round_nearest_even(x)), 1)                     \
    ROW(away_away, ct_op_round_nearest_afz(ct_op_round_nearest_afz(x)), 1)                         \
    ROW(stopped_twice, ct_op_stop_gradient(ct_op_stop_gradient(x)), 1)                             \
    ROW(precision_twice, ct_op_reduce_precision(ct_op_reduce_precision(x, 4, 3), 4, 3), 1)         \
    ROW(other_precision, ct_op_reduce_precision(ct_op_reduce_precision(x, 4, 3), 4, 2), 2)         \
    ROW(max_lowest, ct_op_maximum(x, all(x, -INFINITY)), 0)                                        \
    ROW(min_highest, ct_op_minimum(all(x, INFINITY), x), 0)                                        \
    ROW(max_highest_stays, ct_op_maximum(x, all(x, INFINITY)), 2)                                  \
    ROW(max_itself, ct_op_maximum(x, x), 0)                                                        \
    ROW(min_itself, ct_op_minimum(x, x), 0)                                                        \
    ROW(clamped_by_nothing, ct_op_clamp(all(x, -INFINITY), x, all(x, INFINITY)), 0)                \
    ROW(same_choice, ct_op_select(ct_op_is_finite(y), x, x), 0)                                    \
    ROW(negated_choice, ct_op_select(ct_op_not(ct_op_is_finite(y)), x, y), 2)                      \
    ROW(chosen, ct_op_select(ct_op_is_finite(all(x, 1)), x, y), 0)                                 \
    ROW(not_chosen, ct_op_select(ct_op_is_finite(all(x, NAN)), x, y), 0)                           \
    ROW(equal_twice, ct_op_divide(ct_op_tanh(x), ct_op_tanh(x)), 2)                                \
    ROW(equal_swapped, ct_op_divide(ct_op_add(x, y), ct_op_add(y, x)), 2)                          \
    ROW(not_equal_swapped, ct_op_divide(ct_op_subtract(x, y), ct_op_subtract(y, x)), 3)            \
    ROW(folded, ct_op_add(x, ct_op_add(ct_op_multiply(x, all(x, 1)), all(x, 0))), 3)
/* clang-format on */

FLOAT_ROWS(FUNCTION)

TEST(floats)
{
    static const row rows[] = {FLOAT_ROWS(ENTRY)};
    CHECK_ROWS(rows, CT_F16, CT_BF16, CT_F32, CT_F64);
}

/* ---- Integers: their arithmetic has no exceptions. */

/* clang-format off */
#define INTEGER_ROWS(ROW)                                                                          \
    ROW(int_times_one, ct_op_multiply(x, all(x, 1)), 0)                                            \
    ROW(int_times_zero, ct_op_multiply(x, all(x, 0)), 1)                                           \
    ROW(int_plus_zero, ct_op_add(all(x, 0), x), 0)                                                 \
    ROW(int_minus_zero, ct_op_subtract(x, all(x, 0)), 0)                                           \
    ROW(int_minus_itself, ct_op_subtract(x, x), 1)                                                 \
    ROW(int_by_one, ct_op_divide(x, all(x, 1)), 0)                                                 \
    ROW(int_minus_minus, ct_op_negate(ct_op_negate(x)), 0)                                         \
    ROW(int_plus_minus, ct_op_add(x, ct_op_negate(y)), 1)                                          \
    ROW(int_not_not, ct_op_not(ct_op_not(x)), 0)                                                   \
    ROW(int_and_all, ct_op_and(x, ct_op_not(ct_op_xor(x, x))), 0)                                  \
    ROW(int_and_none, ct_op_and(x, all(x, 0)), 1)                                                  \
    ROW(int_and_itself, ct_op_and(x, x), 0)                                                        \
    ROW(int_or_none, ct_op_or(x, all(x, 0)), 0)                                                    \
    ROW(int_or_all, ct_op_or(ct_op_not(all(x, 0)), x), 1)                                          \
    ROW(int_or_itself, ct_op_or(x, x), 0)                                                          \
    ROW(int_xor_none, ct_op_xor(x, all(x, 0)), 0)                                                  \
    ROW(int_xor_itself, ct_op_xor(x, x), 1)                                                        \
    ROW(int_shift, ct_op_shift_left(x, all(x, 0)), 0)                                              \
    ROW(int_shift_right, ct_op_shift_right_logical(x, all(x, 0)), 0)                               \
    ROW(int_shift_sign, ct_op_shift_right_arithmetic(x, all(x, 0)), 0)                             \
    ROW(int_shift_one, ct_op_shift_left(x, all(x, 1)), 2)                                          \
    ROW(int_max_itself, ct_op_maximum(x, x), 0)                                                    \
    ROW(int_equal, ct_op_compare(x, x, CT_EQ, CT_COMPARE_DEFAULT), 1)                              \
    ROW(int_less, ct_op_compare(x, x, CT_LT, CT_COMPARE_DEFAULT), 1)                               \
    ROW(int_less_other, ct_op_compare(x, y, CT_LT, CT_COMPARE_DEFAULT), 1)                         \
    ROW(int_zero_by, ct_op_divide(x, ct_op_subtract(y, y)), 2)
/* clang-format on */

INTEGER_ROWS(FUNCTION)

TEST(integers)
{
    static const row rows[] = {INTEGER_ROWS(ENTRY)};
    CHECK_ROWS(rows, CT_I8, CT_I16, CT_I32, CT_I64, CT_U8, CT_U16, CT_U32, CT_U64);
}

/* clang-format off */
#define TRUTH_ROWS(ROW)                                                                            \
    ROW(truth_and_true, ct_op_and(x, all(x, 1)), 0)                                                \
    ROW(truth_and_false, ct_op_and(all(x, 0), x), 1)                                               \
    ROW(truth_or_true, ct_op_or(x, all(x, 1)), 1)                                                  \
    ROW(truth_or_false, ct_op_or(x, all(x, 0)), 0)                                                 \
    ROW(truth_xor, ct_op_xor(x, x), 1)                                                             \
    ROW(truth_not, ct_op_not(ct_op_not(x)), 0)                                                     \
    ROW(truth_sum, ct_op_add(x, all(x, 0)), 0)                                                     \
    ROW(truth_product, ct_op_multiply(x, all(x, 1)), 0)                                            \
    ROW(truth_max, ct_op_maximum(x, all(x, 0)), 0)                                                 \
    ROW(truth_min, ct_op_minimum(x, all(x, 1)), 0)                                                 \
    ROW(truth_same, ct_op_compare(x, x, CT_GE, CT_COMPARE_DEFAULT), 1)
/* clang-format on */

TRUTH_ROWS(FUNCTION)

TEST(truths)
{
    static const row rows[] = {TRUTH_ROWS(ENTRY)};
    CHECK_ROWS(rows, CT_BOOL);
}

/* ---- Complex numbers: sums are done part by part, products are not. */

/* clang-format off */
#define COMPLEX_ROWS(ROW)                                                                          \
    ROW(complex_times_one_stays, ct_op_multiply(x, all(x, 1)), 2)                                  \
    ROW(complex_minus_zero, ct_op_subtract(x, all(x, 0)), 0)                                       \
    ROW(complex_minus_minus, ct_op_negate(ct_op_negate(x)), 0)                                     \
    ROW(complex_plus_minus, ct_op_add(x, ct_op_negate(y)), 1)                                      \
    ROW(complex_parts, ct_op_complex(ct_op_real(x), ct_op_imag(x)), 0)                             \
    ROW(complex_max_same, ct_op_maximum(x, x), 1)                                                  \
    ROW(complex_min_infinite, ct_op_minimum(x, all(x, (double)INFINITY)), 2)                       \
    ROW(complex_other_parts, ct_op_complex(ct_op_real(x), ct_op_imag(y)), 3)                       \
    ROW(real_of_pair, ct_op_real(ct_op_complex(ct_op_real(x), ct_op_imag(y))), 1)                  \
    ROW(imag_of_pair, ct_op_imag(ct_op_complex(ct_op_real(x), ct_op_imag(y))), 1)
/* clang-format on */

COMPLEX_ROWS(FUNCTION)

TEST(complex_numbers)
{
    static const row rows[] = {COMPLEX_ROWS(ENTRY)};
    CHECK_ROWS(rows, CT_C64, CT_C128);
}

/* ---- Moving data; x and y are [2, 6]. */

static ct_tensor *scalar_of(ct_tensor *x)
{
    return ct_op_reshape(ct_op_slice(x, CT_DIMS(1, 2), CT_DIMS(2, 3), CT_DIMS(1, 1)), CT_SHAPE());
}

static ct_tensor *start(ct_tensor *x, double index)
{
    return ct_scalar(ct_context_of(x), CT_I32, index);
}

#define JOIN(...) ct_op_concatenate(CT_ARGV(__VA_ARGS__), 1)
#define NOTHING ct_op_slice(x, CT_DIMS(0, 3), CT_DIMS(2, 3), CT_DIMS(1, 1))
#define ROTATE(v) ct_op_transpose(v, CT_DIMS(2, 0, 1))
#define CUBE ct_op_reshape(x, CT_SHAPE(2, 3, 2))

/* clang-format off */
#define MOVE_ROWS(ROW)                                                                             \
    ROW(transposed_twice, ct_op_transpose(ct_op_transpose(x, CT_DIMS(1, 0)), CT_DIMS(1, 0)), 0)    \
    ROW(not_transposed, ct_op_transpose(x, CT_DIMS(0, 1)), 0)                                      \
    ROW(rotated_twice, ROTATE(ROTATE(CUBE)), 2)                                                    \
    ROW(rotated_thrice, ROTATE(ROTATE(ROTATE(CUBE))), 1)                                           \
    ROW(reshaped_twice, ct_op_reshape(CUBE, CT_SHAPE(12)), 1)                                      \
    ROW(reshaped_back, ct_op_reshape(CUBE, CT_SHAPE(2, 6)), 0)                                     \
    ROW(reversed_twice, ct_op_reverse(ct_op_reverse(x, CT_DIMS(1)), CT_DIMS(1)), 0)                \
    ROW(reversed_both, ct_op_reverse(ct_op_reverse(x, CT_DIMS(0)), CT_DIMS(1)), 1)                 \
    ROW(reversed_nothing, ct_op_reverse(x, CT_DIMS()), 0)                                          \
    ROW(reversed_one, ct_op_reverse(ct_op_reshape(x, CT_SHAPE(1, 12)), CT_DIMS(0)), 1)             \
    ROW(sliced_whole, ct_op_slice(x, CT_DIMS(0, 0), CT_DIMS(2, 6), CT_DIMS(1, 1)), 0)              \
    ROW(sliced_twice,                                                                              \
        ct_op_slice(ct_op_slice(x, CT_DIMS(0, 1), CT_DIMS(2, 6), CT_DIMS(1, 2)), CT_DIMS(1, 1),    \
                    CT_DIMS(2, 3), CT_DIMS(1, 1)), 1)                                              \
    ROW(sliced_steps,                                                                              \
        ct_op_slice(ct_op_slice(x, CT_DIMS(0, 0), CT_DIMS(2, 6), CT_DIMS(1, 1)), CT_DIMS(0, 1),    \
                    CT_DIMS(2, 6), CT_DIMS(1, 3)), 1)                                              \
    ROW(sliced_empty,                                                                              \
        ct_op_slice(NOTHING, CT_DIMS(1, 0), CT_DIMS(2, 0), CT_DIMS(1, 1)), 1)                      \
    ROW(joined_one, JOIN(x), 0)                                                                    \
    ROW(joined_nothing, JOIN(NOTHING, x, NOTHING), 0)                                              \
    ROW(joined_two, JOIN(x, NOTHING, y), 1)                                                        \
    ROW(first_piece, ct_op_slice(JOIN(x, y), CT_DIMS(0, 0), CT_DIMS(2, 6), CT_DIMS(1, 1)), 0)      \
    ROW(second_piece, ct_op_slice(JOIN(x, y), CT_DIMS(0, 6), CT_DIMS(2, 12), CT_DIMS(1, 1)), 0)    \
    ROW(part_of_piece, ct_op_slice(JOIN(x, y), CT_DIMS(1, 7), CT_DIMS(2, 12), CT_DIMS(1, 2)), 1)   \
    ROW(both_pieces, ct_op_slice(JOIN(x, y), CT_DIMS(0, 5), CT_DIMS(2, 7), CT_DIMS(1, 1)), 2)      \
    ROW(padded_by_nothing,                                                                         \
        ct_op_pad(x, scalar_of(y), CT_DIMS(0, 0), CT_DIMS(0, 0), CT_DIMS(0, 0)), 0)                \
    ROW(padded_and_cut,                                                                            \
        ct_op_pad(x, scalar_of(y), CT_DIMS(0, 1), CT_DIMS(0, -1), CT_DIMS(0, 0)), 3)               \
    ROW(spread_as_is, ct_op_broadcast_in_dim(x, CT_SHAPE(2, 6), CT_DIMS(0, 1)), 0)                 \
    ROW(spread_twice,                                                                              \
        ct_op_broadcast_in_dim(ct_op_broadcast_in_dim(x, CT_SHAPE(2, 3, 6), CT_DIMS(0, 2)),        \
                               CT_SHAPE(6, 5, 3, 2), CT_DIMS(3, 2, 0)), 1)                         \
    ROW(spread_new_axis,                                                                           \
        ct_op_broadcast_in_dim(ct_op_reshape(x, CT_SHAPE(2, 1, 6)), CT_SHAPE(2, 4, 6),             \
                               CT_DIMS(0, 1, 2)), 1)                                               \
    ROW(spread_other_shape,                                                                        \
        ct_op_broadcast_in_dim(ct_op_reshape(x, CT_SHAPE(3, 1, 4)), CT_SHAPE(3, 2, 4),             \
                               CT_DIMS(0, 1, 2)), 2)                                               \
    ROW(scalar_spread_reshaped,                                                                    \
        ct_op_reshape(ct_op_broadcast_in_dim(scalar_of(x), CT_SHAPE(4, 3), CT_DIMS()),             \
                      CT_SHAPE(12)), 3)                                                            \
    ROW(scalar_spread_turned,                                                                      \
        ct_op_transpose(ct_op_broadcast_in_dim(scalar_of(x), CT_SHAPE(4, 3), CT_DIMS()),           \
                        CT_DIMS(1, 0)), 3)                                                         \
    ROW(scalar_spread_cut,                                                                         \
        ct_op_slice(ct_op_broadcast_in_dim(scalar_of(x), CT_SHAPE(4, 3), CT_DIMS()),               \
                    CT_DIMS(1, 1), CT_DIMS(4, 2), CT_DIMS(2, 1)), 3)                               \
    ROW(constant_spread,                                                                           \
        ct_op_divide(ct_op_reshape(x, CT_SHAPE(12)),                                               \
                     ct_op_broadcast_in_dim(ct_op_convert(start(x, 3), ct_dtype_of(x)),            \
                                            CT_SHAPE(12), CT_DIMS())), 3)                          \
    ROW(known_start,                                                                               \
        ct_op_dynamic_slice(x, CT_ARGV(start(x, 1), start(x, 2)), CT_SHAPE(1, 3), false), 1)              \
    ROW(start_out_of_range_stays,                                                                  \
        ct_op_dynamic_slice(x, CT_ARGV(start(x, 1), start(x, 5)), CT_SHAPE(1, 3), false), 3)              \
    ROW(updated_whole, ct_op_dynamic_update_slice(x, y, CT_ARGV(start(x, 0), start(x, 0)), false), 0)     \
    ROW(updated_clamped_stays,                                                                     \
        ct_op_dynamic_update_slice(x, y, CT_ARGV(start(x, 0), start(x, 1)), false), 3)                    \
    ROW(converted_to_itself, ct_op_convert(x, ct_dtype_of(x)), 0)                                  \
    ROW(summed_over_one, ct_op_reduce_add(ct_op_reshape(x, CT_SHAPE(2, 1, 6)), CT_DIMS(1)), 2)     \
    ROW(max_over_one, ct_op_reduce_max(ct_op_reshape(x, CT_SHAPE(2, 1, 6)), CT_DIMS(1)), 0)        \
    ROW(max_over_none, ct_op_reduce_max(x, CT_DIMS()), 0)
/* clang-format on */

MOVE_ROWS(FUNCTION)

TEST(moving_data)
{
    static const row rows[] = {MOVE_ROWS(ENTRY)};
    CHECK_ROWS(rows, CT_F32, CT_BF16);
}

/* ---- Conversions: from `from` through `through` to `to`. */

typedef struct way {
    ct_dtype from, through, to;
    bool merges;
} way;

static void convert_twice(void *user, ct_list p, ct_tensor **r)
{
    const way *w = user;
    r[0] = ct_op_convert(ct_op_convert(p.item[0], w->through), w->to);
}

/* The ends of integers and what is beyond, of which each dtype has what it makes of them. */
static ct_tensor *ends(ct_context *ctx, ct_dtype dtype)
{
    static const int64_t counts[] = {0,          1,
                                     -1,         -2,
                                     127,        128,
                                     -128,       -129,
                                     255,        256,
                                     32767,      32768,
                                     -32768,     -32769,
                                     65504,      65535,
                                     65536,      (1 << 24) + 1,
                                     INT32_MAX,  INT32_MIN,
                                     UINT32_MAX, (1LL << 53) + 1,
                                     INT64_MAX,  INT64_MIN};
    const int64_t n = sizeof counts / sizeof *counts;
    ct_tensor *x = ct_op_convert(ct_from_data(ctx, CT_I64, CT_SHAPE(n), counts), dtype);
    ct_tensor *floats = ct_op_reshape(special(ctx, CT_F64, false), CT_SHAPE(12));
    return ct_dtype_is_integer(dtype) || dtype == CT_BOOL
               ? x
               : ct_op_concatenate(CT_ARGV(x, ct_op_convert(floats, dtype)), 0);
}

TEST(conversions)
{
    ct_context *ctx = ct_context_new();
    for (int a = CT_BOOL; a < CT_DTYPE_COUNT; a++)
        for (int b = CT_BOOL; b < CT_DTYPE_COUNT; b++)
            for (int c = CT_BOOL; c < CT_DTYPE_COUNT; c++) {
                way w = {(ct_dtype)a, (ct_dtype)b, (ct_dtype)c, false};
                ct_scope scope = ct_scope_begin(ctx);
                ct_tensor *x = ends(ctx, w.from);
                ct_function *f = ct_trace_many(ctx, convert_twice, &w, 1, CT_LIKE(x));
                ct_function *g = ct_simplify(f);
                CHECK_BITS(ct_apply1(g, CT_ARGV(x)), ct_apply1(f, CT_ARGV(x)));
                CHECK_OK(ctx);
                ct_scope_end(scope);
            }
    ct_context_free(ctx);
}

TEST(conversions_that_merge)
{
    static const way ways[] = {{CT_F32, CT_F64, CT_F32, true},   {CT_F16, CT_F32, CT_F16, true},
                               {CT_BF16, CT_F32, CT_F64, true},  {CT_F64, CT_F32, CT_F64, false},
                               {CT_F16, CT_BF16, CT_F32, false}, {CT_BF16, CT_F16, CT_BF16, false},
                               {CT_I8, CT_I32, CT_U8, true},     {CT_U8, CT_I8, CT_I32, false},
                               {CT_I32, CT_F64, CT_F32, true},   {CT_I32, CT_F32, CT_F64, false},
                               {CT_I64, CT_F64, CT_I64, false},  {CT_BOOL, CT_F16, CT_I32, true},
                               {CT_I16, CT_F16, CT_F32, false},  {CT_U16, CT_I32, CT_F32, true},
                               {CT_F32, CT_BOOL, CT_F32, false}, {CT_U32, CT_I32, CT_I64, false},
                               {CT_I32, CT_F64, CT_U8, false},   {CT_U16, CT_F32, CT_I16, false},
                               {CT_I8, CT_F16, CT_I4, false},    {CT_U8, CT_F32, CT_I16, true},
                               {CT_I8, CT_F64, CT_BOOL, true},   {CT_I32, CT_F64, CT_C64, true}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        way w = ways[i];
        ct_tensor *x = special(ctx, w.from, false);
        ct_function *f = ct_trace_many(ctx, convert_twice, &w, 1, CT_LIKE(x));
        size_t want = !w.merges ? 2 : w.from == w.to ? 0 : 1;
        CHECK_MSG(ct_function_operations(ct_simplify(f)) == want, "%s to %s to %s",
                  ct_dtype_name(w.from), ct_dtype_name(w.through), ct_dtype_name(w.to));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Many readers of one value: x·y at first, then READERS unlike products with it, all of them
 * twice, and the sum of all. */

enum { READERS = 300 };

static ct_tensor *crowded(ct_tensor *x, ct_tensor *y)
{
    ct_tensor *latest = ct_op_multiply(x, y), *sum = latest;
    for (int i = 0; i < 2 * READERS; i++)
        sum = ct_op_add(sum, ct_op_multiply(latest, all(x, 1 + i % READERS)));
    return sum;
}

TEST(crowded_readers_merge)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = special(ctx, CT_F32, false), *y = special(ctx, CT_F32, true);
    ct_function *f = ct_trace(ctx, crowded, CT_LIKE(x, y)), *g = ct_simplify(f);
    /* x·y; constants 2 … READERS, and as many products (·1 is the value); all sums */
    CHECK_MSG(ct_function_operations(g) == 1 + 2 * (READERS - 1) + 2 * READERS, "%zu operations",
              ct_function_operations(g));
    CHECK_BITS(ct_apply1(g, CT_ARGV(x, y)), ct_apply1(f, CT_ARGV(x, y)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
