#include "tests/samples.h"

#include <cotangent/ad.h>
#include <cotangent/op.h>
#include <cotangent/op_program.h>
#include <cotangent/op_stack.h>
#include <cotangent/operand.h>
#include <cotangent/tensor.h>

#include <math.h>

#define LIST(array) ((ct_list){sizeof(array) / sizeof *(array), (array)})

/* ---- Elementwise. */

static ct_function *floats_one(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(ctx, "floats_one",
                                         CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3))));
    ct_tensor *x = ct_trace_parameter(b, 0);
    ct_tensor *y[] = {ct_op_abs(x),           ct_op_cbrt(x),
                      ct_op_ceil(x),          ct_op_cosine(x),
                      ct_op_exponential(x),   ct_op_exponential_minus_one(x),
                      ct_op_floor(x),         ct_op_is_finite(x),
                      ct_op_log(x),           ct_op_log_plus_one(x),
                      ct_op_logistic(x),      ct_op_negate(x),
                      ct_op_rsqrt(x),         ct_op_round_nearest_afz(x),
                      ct_op_sign(x),          ct_op_round_nearest_even(x),
                      ct_op_sine(x),          ct_op_sqrt(x),
                      ct_op_tan(x),           ct_op_tanh(x),
                      ct_op_stop_gradient(x), ct_op_erf(x)};
    return ct_trace_end(b, LIST(y));
}

static ct_function *floats_two(ct_context *ctx)
{
    ct_tensor *like = ct_spec(ctx, CT_F64, CT_SHAPE(3));
    ct_trace_builder *b = ct_trace_begin(ctx, "floats_two", CT_LIKE(like, like));
    ct_tensor *x = ct_trace_parameter(b, 0), *y = ct_trace_parameter(b, 1);
    ct_tensor *z[] = {ct_op_add(x, y),      ct_op_atan2(x, y),        ct_op_divide(x, y),
                      ct_op_maximum(x, y),  ct_op_minimum(x, y),      ct_op_multiply(x, y),
                      ct_op_power(x, y),    ct_op_remainder(x, y),    ct_op_subtract(x, y),
                      ct_op_scale(x, y),    ct_op_scale(y, x),        ct_op_scale_either(x, y),
                      ct_op_clamp(x, y, x), ct_op_convert(x, CT_BF16)};
    return ct_trace_end(b, LIST(z));
}

static ct_function *parts_and_bits(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(
        ctx, "parts_and_bits",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 4)), ct_spec(ctx, CT_U8, CT_SHAPE(3, 4))));
    ct_tensor *x = ct_trace_parameter(b, 0), *y = ct_trace_parameter(b, 1);
    ct_tensor *z = ct_op_complex(x, x);
    ct_tensor *r[] = {ct_op_real(z),
                      ct_op_imag(z),
                      ct_op_clamp(z, ct_op_remainder(z, ct_op_exponential(z)), z),
                      ct_op_bitcast_convert(x, CT_U32),
                      ct_op_bitcast_convert(x, CT_U8),
                      ct_op_bitcast_convert(y, CT_F32),
                      ct_op_bitcast_convert(y, CT_I4),
                      ct_op_reduce_precision(x, 5, 10)};
    return ct_trace_end(b, LIST(r));
}

static ct_function *integers(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(
        ctx, "integers",
        CT_LIKE(ct_spec(ctx, CT_I32, CT_SHAPE(4)), ct_spec(ctx, CT_U8, CT_SHAPE(4))));
    ct_tensor *x = ct_trace_parameter(b, 0), *y = ct_trace_parameter(b, 1);
    ct_tensor *z[] = {ct_op_abs(x),
                      ct_op_count_leading_zeros(x),
                      ct_op_popcnt(y),
                      ct_op_not(x),
                      ct_op_and(x, x),
                      ct_op_or(y, y),
                      ct_op_xor(x, x),
                      ct_op_shift_left(x, x),
                      ct_op_shift_right_arithmetic(y, y),
                      ct_op_shift_right_logical(x, x),
                      ct_op_convert(y, CT_I32),
                      ct_op_convert(y, CT_C64)};
    return ct_trace_end(b, LIST(z));
}

/* CHLO's functions. */
static ct_function *special_one(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(ctx, "special_one",
                                         CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3))));
    ct_tensor *x = ct_trace_parameter(b, 0);
    ct_tensor *y[] = {ct_op_acos(x),    ct_op_acosh(x),   ct_op_asin(x),       ct_op_asinh(x),
                      ct_op_atan(x),    ct_op_atanh(x),   ct_op_bessel_i1e(x), ct_op_cosh(x),
                      ct_op_digamma(x), ct_op_erf_inv(x), ct_op_erfc(x),       ct_op_lgamma(x),
                      ct_op_sinh(x)};
    return ct_trace_end(b, LIST(y));
}

static ct_function *special_two(ct_context *ctx)
{
    ct_tensor *x, *y, *i;
    ct_trace_builder *b = ct_trace_begin(ctx, "special_two",
                                         CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE(3)),
                                                 ct_spec(ctx, CT_F64, CT_SHAPE(3)),
                                                 ct_spec(ctx, CT_U8, CT_SHAPE(4))));
    x = ct_trace_parameter(b, 0);
    y = ct_trace_parameter(b, 1);
    i = ct_trace_parameter(b, 2);
    ct_tensor *z[] = {ct_op_next_after(x, y), ct_op_polygamma(x, y), ct_op_zeta(x, y),
                      ct_op_mulhi(i, i)};
    return ct_trace_end(b, LIST(z));
}

static ct_function *choosing(ct_context *ctx)
{
    ct_tensor *x, *p, *lo;
    ct_trace_builder *b = ct_trace_begin(
        ctx, "choosing",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3)), ct_spec(ctx, CT_BOOL, CT_SHAPE(2, 3)),
                ct_spec(ctx, CT_BOOL, CT_SHAPE()), ct_spec(ctx, CT_F32, CT_SHAPE())));
    x = ct_trace_parameter(b, 0);
    p = ct_trace_parameter(b, 1);
    lo = ct_trace_parameter(b, 3);
    ct_tensor *z[] = {ct_op_select(p, x, x),
                      ct_op_select(ct_trace_parameter(b, 2), x, x),
                      ct_op_select(p, p, p),
                      ct_op_clamp(lo, x, x),
                      ct_op_clamp(x, x, x),
                      ct_op_compare(x, x, CT_EQ, CT_COMPARE_DEFAULT),
                      ct_op_compare(x, x, CT_NE, CT_COMPARE_FLOAT),
                      ct_op_compare(x, x, CT_GE, CT_COMPARE_TOTALORDER),
                      ct_op_compare(p, p, CT_GT, CT_COMPARE_UNSIGNED),
                      ct_op_compare(p, p, CT_LE, CT_COMPARE_DEFAULT),
                      ct_op_compare(lo, lo, CT_LT, CT_COMPARE_FLOAT)};
    return ct_trace_end(b, LIST(z));
}

/* ---- Constants: every dtype, a list, a splat, no elements, and a string of bytes. */

static ct_tensor *ramp(ct_context *ctx, ct_dtype dtype, int64_t n)
{
    double value[200];
    for (int64_t i = 0; i < n; i++)
        value[i] = dtype == CT_BOOL        ? (double)(i % 3 == 0)
                   : dtype == CT_F8E8M0FNU ? (double)(1 << i % 3)
                   : dtype >= CT_I2        ? (double)(i % 2)
                                           : (double)(i % 100);
    return ct_from_doubles(ctx, dtype, CT_SHAPE(n), value);
}

static ct_function *constants(ct_context *ctx)
{
    ct_tensor *y[4 * CT_DTYPE_COUNT];
    size_t n = 0;
    ct_trace_builder *b = ct_trace_begin(ctx, "constants", CT_NO_TENSORS);
    for (int dtype = CT_BOOL; dtype < CT_DTYPE_COUNT; dtype++) {
        y[n++] = ramp(ctx, (ct_dtype)dtype, 3);
        y[n++] = ramp(ctx, (ct_dtype)dtype, 101);
        y[n++] = ct_ones(ctx, (ct_dtype)dtype, CT_SHAPE(2, 300));
        y[n++] = ct_ones(ctx, (ct_dtype)dtype, CT_SHAPE(2, 0, 3));
    }
    return ct_trace_end(b, (ct_list){n, y});
}

static ct_function *odd_numbers(ct_context *ctx)
{
    static const double f64[] = {NAN,    -INFINITY, INFINITY, -0.0, 0.1,    1.0 / 3,
                                 5e-324, 1e-310,    1e22,     1e15, 123456, 1.7976931348623157e308,
                                 1e-5,   1e-6,      -12.5,    1e16};
    static const double small[] = {NAN, -INFINITY, 0.1, -0.0, 6e-8, 1e-30, 65504, 1.5};
    ct_trace_builder *b = ct_trace_begin(ctx, "odd_numbers", CT_NO_TENSORS);
    ct_tensor *y[] = {ct_from_doubles(ctx, CT_F64, CT_SHAPE(16), f64),
                      ct_from_doubles(ctx, CT_F32, CT_SHAPE(16), f64),
                      ct_from_doubles(ctx, CT_C128, CT_SHAPE(16), f64),
                      ct_from_doubles(ctx, CT_F16, CT_SHAPE(2, 4), small),
                      ct_from_doubles(ctx, CT_BF16, CT_SHAPE(4, 2), small),
                      ct_full(ctx, CT_I64, CT_SHAPE(), -9223372036854775808.0),
                      ct_full(ctx, CT_F32, CT_SHAPE(), NAN)};
    return ct_trace_end(b, LIST(y));
}

static ct_function *iotas(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(ctx, "iotas", CT_NO_TENSORS);
    ct_tensor *y[] = {ct_op_iota(ctx, CT_U16, CT_DIMS(2, 5), 1),
                      ct_op_iota(ctx, CT_F32, CT_DIMS(0), 0)};
    return ct_trace_end(b, LIST(y));
}

/* ---- Moving data and indexing. */

static ct_function *moving(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(
        ctx, "moving",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3, 4)), ct_spec(ctx, CT_F32, CT_SHAPE())));
    ct_tensor *x = ct_trace_parameter(b, 0), *s = ct_trace_parameter(b, 1);
    ct_tensor *y[] = {ct_op_broadcast_in_dim(x, CT_DIMS(5, 2, 3, 4), CT_DIMS(1, 2, 3)),
                      ct_op_broadcast_in_dim(s, CT_DIMS(3, 0), CT_DIMS()),
                      ct_op_concatenate(CT_ARGV(x, x, x), 1),
                      ct_op_pad(x, s, CT_DIMS(1, 0, -1), CT_DIMS(0, 2, 0), CT_DIMS(0, 1, 2)),
                      ct_op_reshape(x, CT_DIMS(6, 4)),
                      ct_op_reshape(x, CT_DIMS(2, 3, 4)),
                      ct_op_reverse(x, CT_DIMS(0, 2)),
                      ct_op_slice(x, CT_DIMS(0, 1, 0), CT_DIMS(2, 3, 4), CT_DIMS(1, 1, 3)),
                      ct_op_transpose(x, CT_DIMS(2, 0, 1)),
                      ct_op_transpose(s, CT_DIMS()),
                      ct_op_slice(s, CT_DIMS(), CT_DIMS(), CT_DIMS()),
                      ct_op_pad(s, s, CT_DIMS(), CT_DIMS(), CT_DIMS()),
                      ct_op_reverse(s, CT_DIMS())};
    return ct_trace_end(b, LIST(y));
}

static ct_function *windows(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(
        ctx, "windows",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(4, 5)), ct_spec(ctx, CT_F32, CT_SHAPE(2, 3)),
                ct_spec(ctx, CT_I32, CT_SHAPE()), ct_spec(ctx, CT_F32, CT_SHAPE())));
    ct_tensor *x = ct_trace_parameter(b, 0), *u = ct_trace_parameter(b, 1);
    ct_tensor *i = ct_trace_parameter(b, 2), *s = ct_trace_parameter(b, 3);
    ct_tensor *y[] = {ct_op_dynamic_slice(x, CT_ARGV(i, i), CT_DIMS(2, 3), false),
                      ct_op_dynamic_slice(x, CT_ARGV(i, i), CT_DIMS(2, 3), true),
                      ct_op_dynamic_slice(s, CT_NO_TENSORS, CT_DIMS(), true),
                      ct_op_dynamic_update_slice(x, u, CT_ARGV(i, i), false),
                      ct_op_dynamic_update_slice(x, u, CT_ARGV(i, i), true),
                      ct_op_dynamic_update_slice(s, s, CT_NO_TENSORS, false)};
    return ct_trace_end(b, LIST(y));
}

static ct_function *gathers(ct_context *ctx)
{
    ct_gather_dims rows = {.offset_dims = CT_DIMS(1),
                           .collapsed_slice_dims = CT_DIMS(0),
                           .start_index_map = CT_DIMS(0),
                           .index_vector_dim = 1,
                           .slice_sizes = CT_DIMS(1, 4)};
    ct_gather_dims batched = {.operand_batching_dims = CT_DIMS(0),
                              .start_indices_batching_dims = CT_DIMS(0),
                              .collapsed_slice_dims = CT_DIMS(1),
                              .start_index_map = CT_DIMS(1),
                              .index_vector_dim = 1,
                              .slice_sizes = CT_DIMS(1, 1),
                              .indices_are_sorted = true,
                              .strict = true};
    ct_trace_builder *b = ct_trace_begin(ctx, "gathers",
                                         CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(5, 4)),
                                                 ct_spec(ctx, CT_I64, CT_SHAPE(2, 1)),
                                                 ct_spec(ctx, CT_U8, CT_SHAPE(5, 1))));
    ct_tensor *x = ct_trace_parameter(b, 0);
    ct_tensor *y[] = {ct_op_gather(x, ct_trace_parameter(b, 1), &rows),
                      ct_op_gather(x, ct_trace_parameter(b, 2), &batched)};
    return ct_trace_end(b, LIST(y));
}

/* ---- Bodies. */

/* (old, new) -> old + 2 new */
static ct_function *weighted(ct_context *ctx, ct_dtype dtype)
{
    ct_tensor *like = ct_spec(ctx, dtype, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "weighted", CT_LIKE(like, like));
    ct_tensor *twice = ct_op_add(ct_trace_parameter(b, 1), ct_trace_parameter(b, 1));
    return ct_trace_end(b, CT_ARGV(ct_op_add(ct_trace_parameter(b, 0), twice)));
}

/* (a, i, x, j, limit) -> the larger of a and x, at most limit, and its index */
static ct_function *argmax_body(ct_context *ctx)
{
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *i = ct_spec(ctx, CT_I32, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "argmax", CT_LIKE(f, i, f, i, f));
    ct_tensor *old = ct_trace_parameter(b, 0), *new = ct_trace_parameter(b, 2);
    ct_tensor *later = ct_op_compare(new, old, CT_GT, CT_COMPARE_FLOAT);
    ct_tensor *value = ct_op_minimum(ct_op_maximum(old, new), ct_trace_parameter(b, 4));
    ct_tensor *place = ct_op_select(later, ct_trace_parameter(b, 3), ct_trace_parameter(b, 1));
    return ct_trace_end(b, CT_ARGV(value, place));
}

static ct_function *scatters(ct_context *ctx)
{
    ct_scatter_dims rows = {.update_window_dims = CT_DIMS(1),
                            .inserted_window_dims = CT_DIMS(0),
                            .scatter_dims_to_operand_dims = CT_DIMS(0),
                            .index_vector_dim = 1};
    ct_scatter_dims marked = rows;
    marked.indices_are_sorted = marked.unique_indices = marked.strict = true;
    ct_trace_builder *b = ct_trace_begin(ctx, "scatters",
                                         CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(5, 4)),
                                                 ct_spec(ctx, CT_I64, CT_SHAPE(2, 1)),
                                                 ct_spec(ctx, CT_F32, CT_SHAPE(2, 4))));
    ct_tensor *x = ct_trace_parameter(b, 0), *at = ct_trace_parameter(b, 1);
    ct_tensor *u = ct_trace_parameter(b, 2);
    ct_tensor *y[] = {ct_op_scatter(x, at, u, NULL, &rows), ct_op_scatter_add(x, at, u, &marked),
                      ct_op_scatter(x, at, u, weighted(ctx, CT_F32), &rows)};
    return ct_trace_end(b, LIST(y));
}

static ct_function *reductions(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(
        ctx, "reductions",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(4, 9)), ct_spec(ctx, CT_I32, CT_SHAPE(4, 9)),
                ct_spec(ctx, CT_F32, CT_SHAPE()), ct_spec(ctx, CT_BOOL, CT_SHAPE(3))));
    ct_tensor *x = ct_trace_parameter(b, 0), *i = ct_trace_parameter(b, 1);
    ct_tensor *y[] = {ct_op_reduce_add(x, CT_DIMS(0, 1)), ct_op_reduce_max(i, CT_DIMS(1)),
                      ct_op_reduce_min(x, CT_DIMS()),
                      ct_op_reduce_max(ct_trace_parameter(b, 3), CT_DIMS(0)),
                      ct_op_reduce(x, ct_trace_parameter(b, 2), weighted(ctx, CT_F32), CT_DIMS(0))};
    return ct_trace_end(b, LIST(y));
}

/* Two operands at once, and bodies that use a value from outside. */
static ct_function *captures(ct_context *ctx)
{
    ct_scatter_dims rows = {.update_window_dims = CT_DIMS(1),
                            .inserted_window_dims = CT_DIMS(0),
                            .scatter_dims_to_operand_dims = CT_DIMS(0),
                            .index_vector_dim = 1};
    ct_trace_builder *b = ct_trace_begin(
        ctx, "captures",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(5, 4)), ct_spec(ctx, CT_I32, CT_SHAPE(5, 4)),
                ct_spec(ctx, CT_F32, CT_SHAPE()), ct_spec(ctx, CT_I32, CT_SHAPE()),
                ct_spec(ctx, CT_I64, CT_SHAPE(2, 1)), ct_spec(ctx, CT_F32, CT_SHAPE(2, 4)),
                ct_spec(ctx, CT_I32, CT_SHAPE(2, 4))));
    ct_tensor *x = ct_trace_parameter(b, 0), *i = ct_trace_parameter(b, 1);
    ct_tensor *limit = ct_trace_parameter(b, 2), *y[4];
    ct_op_reduce_many(CT_ARGV(x, i), CT_ARGV(limit, ct_trace_parameter(b, 3)), argmax_body(ctx),
                      CT_ARGV(limit), CT_DIMS(1), y);
    ct_op_scatter_many(CT_ARGV(x, i), ct_trace_parameter(b, 4),
                       CT_ARGV(ct_trace_parameter(b, 5), ct_trace_parameter(b, 6)),
                       argmax_body(ctx), CT_ARGV(limit), &rows, y + 2);
    return ct_trace_end(b, LIST(y));
}

/* One list of defaults, none of them, all of them; two operands and a captured value. */
static ct_function *pools(ct_context *ctx)
{
    ct_window_dims pairs = {.window_dimensions = CT_DIMS(1, 2)};
    ct_window_dims all = {.window_dimensions = CT_DIMS(2, 3),
                          .window_strides = CT_DIMS(1, 2),
                          .base_dilations = CT_DIMS(2, 1),
                          .window_dilations = CT_DIMS(1, 3),
                          .padding_low = CT_DIMS(1, 0),
                          .padding_high = CT_DIMS(-1, 4)};
    ct_trace_builder *b = ct_trace_begin(
        ctx, "pools",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(4, 9)), ct_spec(ctx, CT_I32, CT_SHAPE(4, 9)),
                ct_spec(ctx, CT_F32, CT_SHAPE()), ct_spec(ctx, CT_I32, CT_SHAPE()),
                ct_spec(ctx, CT_F64, CT_SHAPE())));
    ct_tensor *x = ct_trace_parameter(b, 0), *i = ct_trace_parameter(b, 1);
    ct_tensor *limit = ct_trace_parameter(b, 2), *y[6];
    y[0] = ct_op_reduce_window_add(x, &pairs);
    y[1] = ct_op_reduce_window_max(i, &all);
    y[2] = ct_op_reduce_window_min(ct_trace_parameter(b, 4), NULL);
    y[3] = ct_op_reduce_window(x, limit, weighted(ctx, CT_F32), &all);
    ct_op_reduce_window_many(CT_ARGV(x, i), CT_ARGV(limit, ct_trace_parameter(b, 3)),
                             argmax_body(ctx), CT_ARGV(limit), &pairs, y + 4);
    return ct_trace_end(b, LIST(y));
}

/* (left, right, …) -> left < right, where they are compared with a limit first if there is one. */
static ct_function *less(ct_context *ctx, ct_list like)
{
    ct_trace_builder *b = ct_trace_begin(ctx, "less", like);
    ct_tensor *left = ct_trace_parameter(b, 0), *right = ct_trace_parameter(b, 1);
    if (like.count == 5) {
        left = ct_op_minimum(left, ct_trace_parameter(b, 4));
        right = ct_op_minimum(right, ct_trace_parameter(b, 4));
    }
    return ct_trace_end(b, CT_ARGV(ct_op_compare(left, right, CT_LT, CT_COMPARE_TOTALORDER)));
}

static ct_function *orders(ct_context *ctx)
{
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *n = ct_spec(ctx, CT_I32, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(
        ctx, "orders",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(4, 9)), ct_spec(ctx, CT_I32, CT_SHAPE(4, 9)), f));
    ct_tensor *x = ct_trace_parameter(b, 0), *i = ct_trace_parameter(b, 1), *y[7];
    y[0] = ct_op_sort(x, less(ctx, CT_LIKE(f, f)), 1);
    ct_op_sort_many(CT_ARGV(x, i), less(ctx, CT_LIKE(f, f, n, n, f)),
                    CT_ARGV(ct_trace_parameter(b, 2)), 0, y + 1);
    ct_op_top_k(x, 3, &y[3], &y[4]);
    ct_op_top_k(i, 0, &y[5], &y[6]);
    return ct_trace_end(b, LIST(y));
}

static ct_function *products(ct_context *ctx)
{
    ct_dot_dims batched = {.lhs_batching = CT_DIMS(0),
                           .rhs_batching = CT_DIMS(0),
                           .lhs_contracting = CT_DIMS(2),
                           .rhs_contracting = CT_DIMS(1)};
    ct_dot_dims outer = {.lhs_contracting = CT_DIMS()};
    ct_trace_builder *b = ct_trace_begin(
        ctx, "products",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3, 4)), ct_spec(ctx, CT_F32, CT_SHAPE(2, 4, 5)),
                ct_spec(ctx, CT_BF16, CT_SHAPE(3)), ct_spec(ctx, CT_BF16, CT_SHAPE(0))));
    ct_tensor *y[] = {
        ct_op_dot_general(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1), &batched),
        ct_op_dot_general(ct_trace_parameter(b, 2), ct_trace_parameter(b, 3), &outer)};
    return ct_trace_end(b, LIST(y));
}

/* By what the ragged axis is: free, contracting, batching. */
static ct_function *ragged_products(ct_context *ctx)
{
    ct_ragged_dot_dims rows = {.lhs_contracting = CT_DIMS(1),
                               .rhs_contracting = CT_DIMS(1),
                               .lhs_ragged = CT_DIMS(0),
                               .rhs_group = CT_DIMS(0)};
    ct_ragged_dot_dims terms = {
        .lhs_contracting = CT_DIMS(0), .rhs_contracting = CT_DIMS(0), .lhs_ragged = CT_DIMS(0)};
    ct_ragged_dot_dims batch = {
        .lhs_batching = CT_DIMS(0), .rhs_batching = CT_DIMS(0), .lhs_ragged = CT_DIMS(0)};
    ct_trace_builder *b = ct_trace_begin(ctx, "ragged_products",
                                         CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(5, 3)),
                                                 ct_spec(ctx, CT_F32, CT_SHAPE(2, 3, 4)),
                                                 ct_spec(ctx, CT_I32, CT_SHAPE(2))));
    ct_tensor *x = ct_trace_parameter(b, 0), *sizes = ct_trace_parameter(b, 2);
    ct_tensor *y[] = {ct_op_ragged_dot(x, ct_trace_parameter(b, 1), sizes, &rows),
                      ct_op_ragged_dot(x, x, sizes, &terms), ct_op_ragged_dot(x, x, sizes, &batch)};
    return ct_trace_end(b, LIST(y));
}

/* ---- Control. */

static ct_function *scaled(ct_context *ctx, const char *name, double factor)
{
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(3));
    ct_trace_builder *b = ct_trace_begin(ctx, name, CT_LIKE(like));
    ct_tensor *c = ct_full(ctx, CT_F32, CT_SHAPE(3), factor);
    return ct_trace_end(b, CT_ARGV(ct_op_multiply(ct_trace_parameter(b, 0), c)));
}

/* x -> outer(outer(x)) with outer calling inner; one inner has the name of the other. */
static ct_function *calls(ct_context *ctx)
{
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(3));
    ct_function *twice = scaled(ctx, "main", 2), *thrice = scaled(ctx, "main", 3);
    ct_trace_builder *b = ct_trace_begin(ctx, "outer \"\xC3\xA9\"", CT_LIKE(like));
    ct_tensor *y = ct_apply1(twice, CT_ARGV(ct_trace_parameter(b, 0)));
    ct_function *outer = ct_trace_end(b, CT_ARGV(ct_op_scale(y, ct_apply1(thrice, CT_ARGV(y)))));
    b = ct_trace_begin(ctx, "calls", CT_LIKE(like));
    y = ct_apply1(outer, CT_ARGV(ct_apply1(outer, CT_ARGV(ct_trace_parameter(b, 0)))));
    return ct_trace_end(b, CT_ARGV(y));
}

static ct_function *branches(ct_context *ctx)
{
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(3)), *p = ct_spec(ctx, CT_BOOL, CT_SHAPE());
    ct_tensor *y[2], *z[1];
    ct_trace_builder *b = ct_trace_begin(ctx, "first", CT_LIKE(x, x));
    ct_function *then = ct_trace_end(
        b, CT_ARGV(ct_op_add(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1)),
                   ct_trace_parameter(b, 1)));
    b = ct_trace_begin(ctx, "second", CT_LIKE(x, x));
    ct_function *otherwise = ct_trace_end(
        b, CT_ARGV(ct_trace_parameter(b, 1),
                   ct_apply1(scaled(ctx, "f", 2), CT_ARGV(ct_trace_parameter(b, 0)))));
    b = ct_trace_begin(ctx, "branches", CT_LIKE(p, x, x));
    ct_op_if(ct_trace_parameter(b, 0), then, otherwise,
             CT_ARGV(ct_trace_parameter(b, 1), ct_trace_parameter(b, 2)), y, 2);
    ct_op_if(ct_trace_parameter(b, 0), scaled(ctx, "g", 3), scaled(ctx, "h", 4), CT_ARGV(y[1]), z,
             1);
    return ct_trace_end(b, CT_ARGV(y[0], z[0]));
}

/* (carry, x, bias) -> (carry + x bias, carry, carry > 0) */
static ct_function *step(ct_context *ctx)
{
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(3));
    ct_trace_builder *b = ct_trace_begin(ctx, "step", CT_LIKE(like, like, like));
    ct_tensor *carry = ct_trace_parameter(b, 0);
    ct_tensor *product = ct_op_scale(ct_trace_parameter(b, 1), ct_trace_parameter(b, 2));
    ct_tensor *zero = ct_zeros(ctx, CT_F32, CT_SHAPE(3));
    ct_tensor *next = ct_name(ct_op_add(carry, product), "next");
    return ct_trace_end(b,
                        CT_ARGV(next, carry, ct_op_compare(carry, zero, CT_GT, CT_COMPARE_FLOAT)));
}

static ct_function *scan_of(ct_context *ctx, const char *name, int64_t length, bool is_reverse)
{
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(3)), *y[3];
    ct_trace_builder *b = ct_trace_begin(
        ctx, name, CT_LIKE(like, ct_spec(ctx, CT_F32, CT_SHAPE(length, 3)), like));
    ct_op_scan(length, CT_ARGV(ct_trace_parameter(b, 0)), CT_ARGV(ct_trace_parameter(b, 1)),
               CT_ARGV(ct_trace_parameter(b, 2)), is_reverse, step(ctx), y, 3);
    return ct_trace_end(b, CT_ARGV(y[0], y[1], y[2]));
}

static ct_function *scan_forward(ct_context *ctx)
{
    return scan_of(ctx, "scan_forward", 5, false);
}

static ct_function *scan_backward(ct_context *ctx)
{
    return scan_of(ctx, "scan_backward", 5, true);
}

static ct_function *scan_nothing(ct_context *ctx)
{
    return scan_of(ctx, "scan_nothing", 0, true);
}

/* A scan whose body scans, captures an outer value, and has no x: y_i = Σ_j bias. */
static ct_function *scan_nested(ct_context *ctx)
{
    ct_tensor *s = ct_spec(ctx, CT_F64, CT_SHAPE()), *y[2];
    ct_trace_builder *b = ct_trace_begin(ctx, "inner", CT_LIKE(s, s));
    ct_function *inner = ct_trace_end(
        b, CT_ARGV(ct_op_add(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1))));
    b = ct_trace_begin(ctx, "outer", CT_LIKE(s, s));
    ct_op_scan(INT64_C(3), CT_ARGV(ct_trace_parameter(b, 0)), CT_NO_TENSORS,
               CT_ARGV(ct_trace_parameter(b, 1)), false, inner, y, 1);
    ct_function *outer = ct_trace_end(b, CT_ARGV(y[0], y[0]));
    b = ct_trace_begin(ctx, "scan_nested", CT_LIKE(s, s));
    ct_op_scan(INT64_C(4), CT_ARGV(ct_trace_parameter(b, 0)), CT_NO_TENSORS,
               CT_ARGV(ct_trace_parameter(b, 1)), false, outer, y, 2);
    return ct_trace_end(b, CT_ARGV(y[0], y[1]));
}

static ct_function *barriers(ct_context *ctx)
{
    ct_tensor *y[3];
    ct_trace_builder *b = ct_trace_begin(
        ctx, "barriers",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(3)), ct_spec(ctx, CT_BOOL, CT_SHAPE())));
    ct_op_optimization_barrier(CT_ARGV(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1)), y);
    ct_op_optimization_barrier(CT_ARGV(y[0]), y + 2);
    return ct_trace_end(b, CT_ARGV(y[0], y[1], y[2]));
}

#include "tests/samples_program.inc"

/* ---- Names that an SSA name cannot be, that repeat, and that look like made ones. */

static ct_function *names(ct_context *ctx)
{
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(2)), *y[3];
    ct_trace_builder *b = ct_trace_begin(ctx, "names", CT_LIKE(like, like, like));
    ct_tensor *x = ct_name(ct_trace_parameter(b, 0), "arg1");
    ct_tensor *h = ct_name(ct_op_add(x, ct_trace_parameter(b, 1)), "layer 1/h");
    ct_tensor *k = ct_name(ct_op_multiply(h, h), "layer 1/h");
    ct_tensor *n = ct_name(ct_op_negate(k), "7");
    ct_op_optimization_barrier(CT_ARGV(n, ct_trace_parameter(b, 2)), y);
    ct_name(y[1], "w.bias-0");
    return ct_trace_end(b, CT_ARGV(y[0], y[1], x, x));
}

static ct_function *nothing(ct_context *ctx)
{
    return ct_trace_end(ct_trace_begin(ctx, "nothing", CT_NO_TENSORS), CT_NO_TENSORS);
}

const sample samples[] = {
    {"floats_one", floats_one},
    {"floats_two", floats_two},
    {"parts_and_bits", parts_and_bits},
    {"integers", integers},
    {"special_one", special_one},
    {"special_two", special_two},
    {"choosing", choosing},
    {"constants", constants},
    {"odd_numbers", odd_numbers},
    {"iotas", iotas},
    {"moving", moving},
    {"windows", windows},
    {"gathers", gathers},
    {"scatters", scatters},
    {"reductions", reductions},
    {"captures", captures},
    {"pools", pools},
    {"orders", orders},
    {"products", products},
    {"ragged_products", ragged_products},
    {"convolutions", samples_convolutions},
    {"selections", samples_selections},
    {"solving", samples_solving},
    {"random", samples_random},
    {"precisions", samples_precisions},
    {"quantized", samples_quantized},
    {"calls", calls},
    {"branches", branches},
    {"scan_forward", scan_forward},
    {"scan_backward", scan_backward},
    {"scan_nothing", scan_nothing},
    {"scan_nested", scan_nested},
    {"barriers", barriers},
    {"whiles", whiles},
    {"fors", fors},
    {"fors_backward", fors_backward},
    {"stacks", stacks},
    {"scan_of_stacks", samples_scan_of_stacks},
    {"scan_of_no_stacks", samples_scan_of_no_stacks},
    {"scan_of_deep_stacks", samples_scan_of_deep_stacks},
    {"cases", cases},
    {"maps", maps},
    {"customs", customs},
    {"tuples", tuples},
    {"composites", composites},
    {"rules", rules},
    {"collectives", collectives},
    {"channels", channels},
    {"names", names},
    {"nothing", nothing},
};
const size_t n_samples = sizeof samples / sizeof *samples;
