/* The strict primitives: StableHLO's operations. Types must agree exactly; nothing is broadcast and
 * no dtype is promoted. Derivative rules are written in them. Composites (elementwise.h, reduce.h,
 * …) are what programs usually want.
 *
 * Each takes concrete operands (and computes at once) or traced ones (and records). Results belong
 * to the current scope. Errors: CT_ERR_TYPE and CT_ERR_SHAPE for the numbered constraints,
 * CT_ERR_RANGE for sizes that overflow, CT_ERR_ARGUMENT for NULL, CT_ERR_STATE and CT_ERR_CONTEXT
 * for values of an ended trace or another context; the result is then poison. Lists of attributes
 * are copied. */
#ifndef COTANGENT_OP_H
#define COTANGENT_OP_H

#include "base.h"
#include "dtype.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whole numbers per axis or lists of axes: CT_DIMS(2, 0, 1). Axes are not negative here. */
typedef ct_shape ct_dims;
#define CT_DIMS(...) CT_SHAPE(__VA_ARGS__)

/* ---- Elementwise, one operand. C1: the dtype is one of those named; arithmetic on complex numbers
 * is CT_ERR_UNSUPPORTED so far, here and below. The result has x's type, but for is_finite. y is
 * the result in the formulas for the derivative. */

/* |x|; wraps for the smallest integer. ints, floats. Derivative: sign(x), 0 at 0. */
CT_API ct_tensor *ct_op_abs_at(ct_place at, ct_tensor *x);
/* the real cube root. floats. Derivative: 1 / (3 y^2). */
CT_API ct_tensor *ct_op_cbrt_at(ct_place at, ct_tensor *x);
/* the least whole number >= x. floats. Derivative: 0. */
CT_API ct_tensor *ct_op_ceil_at(ct_place at, ct_tensor *x);
/* cos x, radians. floats. Derivative: -sin x. */
CT_API ct_tensor *ct_op_cosine_at(ct_place at, ct_tensor *x);
/* zero bits before the first one. ints. Derivative: none. */
CT_API ct_tensor *ct_op_count_leading_zeros_at(ct_place at, ct_tensor *x);
/* the error function 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x. floats. Derivative:
 * 2/sqrt(pi) e^(-x^2). */
CT_API ct_tensor *ct_op_erf_at(ct_place at, ct_tensor *x);
/* e^x. floats. Derivative: y. */
CT_API ct_tensor *ct_op_exponential_at(ct_place at, ct_tensor *x);
/* e^x - 1, accurate near 0. floats. Derivative: y + 1. */
CT_API ct_tensor *ct_op_exponential_minus_one_at(ct_place at, ct_tensor *x);
/* the greatest whole number <= x. floats. Derivative: 0. */
CT_API ct_tensor *ct_op_floor_at(ct_place at, ct_tensor *x);
/* neither infinite nor NaN; gives bool. floats. Derivative: none. */
CT_API ct_tensor *ct_op_is_finite_at(ct_place at, ct_tensor *x);
/* the natural logarithm; log 0 = -inf, NaN below. floats. Derivative: 1 / x. */
CT_API ct_tensor *ct_op_log_at(ct_place at, ct_tensor *x);
/* log(1 + x), accurate near 0. floats. Derivative: 1 / (1 + x). */
CT_API ct_tensor *ct_op_log_plus_one_at(ct_place at, ct_tensor *x);
/* 1 / (1 + e^-x). floats. Derivative: y (1 - y). */
CT_API ct_tensor *ct_op_logistic_at(ct_place at, ct_tensor *x);
/* -x; wraps. ints, floats. Derivative: -1; linear. */
CT_API ct_tensor *ct_op_negate_at(ct_place at, ct_tensor *x);
/* bitwise for ints, logical for bool. ints, bool. Derivative: none. */
CT_API ct_tensor *ct_op_not_at(ct_place at, ct_tensor *x);
/* the number of one bits. ints. Derivative: none. */
CT_API ct_tensor *ct_op_popcnt_at(ct_place at, ct_tensor *x);
/* to nearest, ties away from zero. floats. Derivative: 0. */
CT_API ct_tensor *ct_op_round_nearest_afz_at(ct_place at, ct_tensor *x);
/* to nearest, ties to even. floats. Derivative: 0. */
CT_API ct_tensor *ct_op_round_nearest_even_at(ct_place at, ct_tensor *x);
/* 1 / sqrt x. floats. Derivative: -y / (2 x). */
CT_API ct_tensor *ct_op_rsqrt_at(ct_place at, ct_tensor *x);
/* -1, 0 or 1; keeps -0 and NaN. ints, floats. Derivative: 0. */
CT_API ct_tensor *ct_op_sign_at(ct_place at, ct_tensor *x);
/* sin x, radians. floats. Derivative: cos x. */
CT_API ct_tensor *ct_op_sine_at(ct_place at, ct_tensor *x);
/* the square root; NaN below 0. floats. Derivative: 1 / (2 y); +inf at 0. */
CT_API ct_tensor *ct_op_sqrt_at(ct_place at, ct_tensor *x);
/* x, seen as a constant by differentiation. any. Derivative: 0 by definition. */
CT_API ct_tensor *ct_op_stop_gradient_at(ct_place at, ct_tensor *x);
/* tan x, radians. floats. Derivative: 1 + y^2. */
CT_API ct_tensor *ct_op_tan_at(ct_place at, ct_tensor *x);
/* the hyperbolic tangent. floats. Derivative: 1 - y^2. */
CT_API ct_tensor *ct_op_tanh_at(ct_place at, ct_tensor *x);

/* x converted to dtype. To bool: x != 0. Float to integer truncates and saturates, NaN gives 0; to
 * a narrower integer keeps the low bits; to a narrower float rounds to nearest, ties to even.
 * Complex loses its imaginary part. Linear between floats. C1: the dtype is valid. */
CT_API ct_tensor *ct_op_convert_at(ct_place at, ct_tensor *x, ct_dtype dtype);

/* The real part of x; x itself where it is real. floats, complex. The result has the parts' dtype.
 */
CT_API ct_tensor *ct_op_real_at(ct_place at, ct_tensor *x);
/* The imaginary part of x; 0 where it is real. floats, complex. */
CT_API ct_tensor *ct_op_imag_at(ct_place at, ct_tensor *x);
/* re + i im. C1: one type. C2: f32 or f64. C3: the result is c64 or c128. */
CT_API ct_tensor *ct_op_complex_at(ct_place at, ct_tensor *re, ct_tensor *im);
/* The bits of x as another dtype. C1: where that is narrower, the parts lie along a new last axis,
 * the lowest bits first; where it is wider, the last axis, which must have as many elements as fit,
 * is taken together. C2: both dtypes are complex, or neither. Derivative: 0. */
CT_API ct_tensor *ct_op_bitcast_convert_at(ct_place at, ct_tensor *x, ct_dtype dtype);
/* x rounded as if its dtype had so few bits: the mantissa to nearest, ties to even; beyond the
 * exponent's range infinite, below it 0. floats. C1: the result has the type of x. C2:
 * exponent_bits >= 1. C3: mantissa_bits >= 0. Derivative: the tangent is rounded the same way. */
CT_API ct_tensor *ct_op_reduce_precision_at(ct_place at, ct_tensor *x, int64_t exponent_bits,
                                            int64_t mantissa_bits);

/* ---- Quantized tensors, whose elements are integers that stand for real numbers; trace.h
 * describes them. Operations that move data take and give them as others; those that compute take
 * them from program texts, which state how results are quantized, and are CT_ERR_TYPE here:
 * dequantize before. Derivatives: none. */

/* x, floats or quantized, as the quantization says: x / scale + zero_point, each step rounded to
 * the expressed dtype, then to the nearest integer, ties to even, within the bounds; NaN gives 0.
 * C1: there are as many scales as the quantized axis has slices. C2: x is, or expresses, the
 * expressed dtype. */
CT_API ct_tensor *ct_op_uniform_quantize_at(ct_place at, ct_tensor *x,
                                            ct_quantization quantization);
/* The real numbers of a quantized tensor: (x - zero_point) scale, of the dtype that it expresses.
 */
CT_API ct_tensor *ct_op_uniform_dequantize_at(ct_place at, ct_tensor *x);
/* The integers x, of the storage dtype, as a quantized tensor; bitcast_convert to the storage dtype
 * goes back. */
CT_API ct_tensor *ct_op_bitcast_quantize_at(ct_place at, ct_tensor *x,
                                            ct_quantization quantization);

/* ---- Elementwise, two operands. C1: the dtype is one of those named. C2: both have the same type,
 * which is the result's. */

/* x + y; wraps; for bool: or. any. Derivative: linear. */
CT_API ct_tensor *ct_op_add_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* bitwise for ints, logical for bool. ints, bool. Derivative: none. */
CT_API ct_tensor *ct_op_and_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* the angle of the point (x, y): first operand y, second x. floats. Derivative: x/(x^2+y^2),
 * -y/(x^2+y^2). */
CT_API ct_tensor *ct_op_atan2_at(ct_place at, ct_tensor *y, ct_tensor *x);
/* x / y; ints truncate; x/0 has all bits set, MIN/-1 = MIN. ints, floats. Derivative: 1/y,
 * -x/y^2; linear in x. */
CT_API ct_tensor *ct_op_divide_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* the larger, NaN if either is; -0 < +0; for bool: or. any. Derivative: 1 to the larger, half to
 * each at a tie. */
CT_API ct_tensor *ct_op_maximum_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* the smaller, NaN if either is; -0 < +0; for bool: and. any. Derivative: 1 to the smaller, half
 * to each at a tie. */
CT_API ct_tensor *ct_op_minimum_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* x y; wraps; for bool: and. any. Derivative: y, x; bilinear. */
CT_API ct_tensor *ct_op_multiply_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* bitwise for ints, logical for bool. ints, bool. Derivative: none. */
CT_API ct_tensor *ct_op_or_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* x^y; ints wrap, a negative exponent gives 0 unless |x| = 1. ints, floats. Derivative:
 * y x^(y-1), x^y log x. */
CT_API ct_tensor *ct_op_power_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* x - y trunc(x / y), the sign of x; x rem 0 = x for ints, NaN for floats. ints, floats.
 * Derivative: 1, -trunc(x / y). */
CT_API ct_tensor *ct_op_remainder_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* the guarded product of derivative rules: t f, but 0 where t is 0, and 0 where f is 0 and t is
 * not NaN. floats. Derivative: bilinear: scale(dt, f) + scale(t, df). */
CT_API ct_tensor *ct_op_scale_at(ct_place at, ct_tensor *t, ct_tensor *f);
/* x * 2^amount; the amount is read as unsigned; 0 from the width on. ints. Derivative: none. */
CT_API ct_tensor *ct_op_shift_left_at(ct_place at, ct_tensor *x, ct_tensor *amount);
/* the sign bit moves in, for unsigned types too. ints. Derivative: none. */
CT_API ct_tensor *ct_op_shift_right_arithmetic_at(ct_place at, ct_tensor *x, ct_tensor *amount);
/* zeros move in. ints. Derivative: none. */
CT_API ct_tensor *ct_op_shift_right_logical_at(ct_place at, ct_tensor *x, ct_tensor *amount);
/* x - y; wraps. ints, floats. Derivative: linear. */
CT_API ct_tensor *ct_op_subtract_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* bitwise for ints, logical for bool. ints, bool. Derivative: none. */
CT_API ct_tensor *ct_op_xor_at(ct_place at, ct_tensor *x, ct_tensor *y);

/* ---- Elementwise, CHLO's functions, of one operand. C1: the dtype is one of those named. The
 * result has x's type. */

/* the angle in [0, pi] whose cosine is x; NaN beyond 1. floats, complex. Derivative: -1 / sqrt(1
 * - x^2). */
CT_API ct_tensor *ct_op_acos_at(ct_place at, ct_tensor *x);
/* the inverse of cosh from 1 on; NaN below. floats, complex. Derivative: 1 / sqrt(x^2 - 1). */
CT_API ct_tensor *ct_op_acosh_at(ct_place at, ct_tensor *x);
/* the angle in [-pi/2, pi/2] whose sine is x; NaN beyond 1. floats, complex. Derivative: 1 /
 * sqrt(1 - x^2). */
CT_API ct_tensor *ct_op_asin_at(ct_place at, ct_tensor *x);
/* the inverse of sinh. floats, complex. Derivative: 1 / sqrt(1 + x^2). */
CT_API ct_tensor *ct_op_asinh_at(ct_place at, ct_tensor *x);
/* the angle in [-pi/2, pi/2] whose tangent is x. floats, complex. Derivative: 1 / (1 + x^2). */
CT_API ct_tensor *ct_op_atan_at(ct_place at, ct_tensor *x);
/* the inverse of tanh; NaN beyond 1. floats, complex. Derivative: 1 / (1 - x^2). */
CT_API ct_tensor *ct_op_atanh_at(ct_place at, ct_tensor *x);
/* e^-|x| I1(x), the scaled modified Bessel function of order 1. floats. Derivative: later. */
CT_API ct_tensor *ct_op_bessel_i1e_at(ct_place at, ct_tensor *x);
/* the hyperbolic cosine. floats, complex. Derivative: sinh x. */
CT_API ct_tensor *ct_op_cosh_at(ct_place at, ct_tensor *x);
/* the derivative of lgamma; NaN at 0, -1, …. floats. Derivative: polygamma(1, x). */
CT_API ct_tensor *ct_op_digamma_at(ct_place at, ct_tensor *x);
/* the inverse of erf; infinite at 1 and -1, NaN beyond. floats. Derivative: sqrt(pi)/2 e^(y^2).
 * */
CT_API ct_tensor *ct_op_erf_inv_at(ct_place at, ct_tensor *x);
/* 1 - erf x, accurate where that is small. floats. Derivative: -2/sqrt(pi) e^(-x^2). */
CT_API ct_tensor *ct_op_erfc_at(ct_place at, ct_tensor *x);
/* log |gamma(x)|; infinite at 0, -1, …. floats. Derivative: digamma x. */
CT_API ct_tensor *ct_op_lgamma_at(ct_place at, ct_tensor *x);
/* the hyperbolic sine. floats, complex. Derivative: cosh x. */
CT_API ct_tensor *ct_op_sinh_at(ct_place at, ct_tensor *x);

/* And of two operands. C2: both have the same type, which is the result's. */

/* the upper half of the product in twice the bits. ints. Derivative: none. */
CT_API ct_tensor *ct_op_mulhi_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* the neighbour of x on the way to y; y where they are equal. From 0 it is the smallest number
 * with the sign of y. floats. Derivative: 1, 0. */
CT_API ct_tensor *ct_op_next_after_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* derivative n of digamma at x, (-1)^(n+1) n! zeta(n + 1, x); NaN unless n is a whole number from
 * 0 on. At the poles x = 0, -1, … it is inf for odd n, else NaN. floats. Derivative: polygamma(n +
 * 1, x) by x; CT_ERR_RULE by n. */
CT_API ct_tensor *ct_op_polygamma_at(ct_place at, ct_tensor *n, ct_tensor *x);
/* Hurwitz's zeta function, the sum of (q + n)^-s over n = 0, 1, …; inf for s = 1, NaN for s < 1.
 * At the poles q = 0, -1, … it is inf for even s, else NaN; between them NaN unless s is whole.
 * floats. Derivative: -s zeta(s + 1, q) by q; CT_ERR_RULE by s. */
CT_API ct_tensor *ct_op_zeta_at(ct_place at, ct_tensor *s, ct_tensor *q);

/* ---- Choosing. */

typedef enum ct_comparison {
    CT_EQ = 0,
    CT_NE = 1,
    CT_GE = 2,
    CT_GT = 3,
    CT_LE = 4,
    CT_LT = 5
} ct_comparison;

typedef enum ct_compare_type {
    CT_COMPARE_DEFAULT = 0, /* by dtype: IEEE for floats (NaN: only NE holds), numbers for ints */
    CT_COMPARE_FLOAT = 1,   /* floats, complex */
    CT_COMPARE_TOTALORDER = 2, /* floats: -NaN < -inf < … < -0 < +0 < … < inf < NaN */
    CT_COMPARE_SIGNED = 3,     /* signed ints */
    CT_COMPARE_UNSIGNED = 4    /* unsigned ints, bool */
} ct_compare_type;

/* bool of x's shape; complex numbers are ordered by their real, then by their imaginary parts. C1:
 * x and y have the same type. C2: the compare type fits the dtype. */
CT_API ct_tensor *ct_op_compare_at(ct_place at, ct_tensor *x, ct_tensor *y, ct_comparison direction,
                                   ct_compare_type type);

/* on_true where pred holds, else on_false; bits are copied. C1: pred is bool, of rank 0 or the
 * shape of the others. C2: on_true and on_false have the same type. Linear in the two values. */
CT_API ct_tensor *ct_op_select_at(ct_place at, ct_tensor *pred, ct_tensor *on_true,
                                  ct_tensor *on_false);

/* min(max(x, lo), hi); NaN if any is. C1: lo and hi have rank 0 or x's shape. C2: one dtype, of
 * ints, floats, bool. The derivative is that of min and max: half at a bound. */
CT_API ct_tensor *ct_op_clamp_at(ct_place at, ct_tensor *lo, ct_tensor *x, ct_tensor *hi);

/* ---- Making. The position along `axis`, converted to dtype. Recorded while a trace is open. C1:
 * ints, floats or complex. C2: axis < rank. */
CT_API ct_tensor *ct_op_iota_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_dims shape,
                                int64_t axis);

/* ---- Moving data. All dtypes; linear in x. On concrete operands broadcast_in_dim, transpose,
 * slice, reverse and most reshapes are views without a copy. */

/* result[i] = x[i[dims[0]], i[dims[1]], …], where extents 1 repeat. C1: one entry of dims per axis
 * of x. C2: entries are distinct and below the result's rank. C3: x's extent is 1 or the result's.
 */
CT_API ct_tensor *ct_op_broadcast_in_dim_at(ct_place at, ct_tensor *x, ct_dims shape, ct_dims dims);

/* The operands one after another along `axis`. C1: one dtype, one rank. C2: axis < rank. C3: other
 * extents agree. C4: at least one operand (CT_ERR_ARGUMENT). */
CT_API ct_tensor *ct_op_concatenate_at(ct_place at, ct_list x, int64_t axis);

/* result[low[d] + i[d] (interior[d] + 1)] = x[i] where that is inside, value elsewhere. C1: value
 * is a scalar of x's dtype. C2: one entry per axis. C3: interior >= 0. C4: result extents are >= 0.
 * low and high may be negative. */
CT_API ct_tensor *ct_op_pad_at(ct_place at, ct_tensor *x, ct_tensor *value, ct_dims low,
                               ct_dims high, ct_dims interior);

/* The same elements in row-major order. C1: as many elements. */
CT_API ct_tensor *ct_op_reshape_at(ct_place at, ct_tensor *x, ct_dims shape);

/* Read backwards along the axes. C1: axes are distinct and below the rank. */
CT_API ct_tensor *ct_op_reverse_at(ct_place at, ct_tensor *x, ct_dims axes);

/* result[i] = x[start + i stride]; ceil((limit - start) / stride) elements. C1: one entry per axis.
 * C2: 0 <= start <= limit <= extent. C3: stride > 0. */
CT_API ct_tensor *ct_op_slice_at(ct_place at, ct_tensor *x, ct_dims start, ct_dims limit,
                                 ct_dims stride);

/* Axis d of the result is axis permutation[d] of x. C1: a permutation of the axes. */
CT_API ct_tensor *ct_op_transpose_at(ct_place at, ct_tensor *x, ct_dims permutation);

/* ---- Indexing. Indices are of any integer dtype. Out of range, a read or update is moved inside
 * (its start is clamped into [0, extent - window]), an element of a scatter is skipped; with strict
 * = true any index out of range is CT_ERR_INDEX when the operation runs. */

/* Copy a window of x whose corner is chosen at run time. C1: one start per axis, integer scalars of
 * one dtype. C2: 0 <= sizes <= extents. Linear in x. */
CT_API ct_tensor *ct_op_dynamic_slice_at(ct_place at, ct_tensor *x, ct_list start, ct_dims sizes,
                                         bool strict);

/* x with a window overwritten. C1: as above. C2: x and update have one dtype and rank. C3: the
 * update's extents are <= x's. Linear in x and update together. */
CT_API ct_tensor *ct_op_dynamic_update_slice_at(ct_place at, ct_tensor *x, ct_tensor *update,
                                                ct_list start, bool strict);

/* clang-format off */
/* StableHLO's gather: result[batch, offset] = x[start + offset], where start is read from indices
 * at batch, along index_vector_dim, and clamped. Members are StableHLO's attributes of the same
 * names, and constraints have its numbers:
 *
 *   C1   rank(x) = size(offset_dims) + size(collapsed_slice_dims) + size(operand_batching_dims)
 *   C2   0 <= index_vector_dim <= rank(indices)
 *   C3   size(start_index_map) = dim(indices, index_vector_dim), or 1 when that is rank(indices)
 *   C4   offset_dims are unique and sorted
 *   C5   0 <= offset_dims < rank(result)
 *   C6   collapsed_slice_dims and operand_batching_dims together are unique
 *   C7   collapsed_slice_dims are sorted
 *   C8   0 <= collapsed_slice_dims < rank(x)
 *   C9   slice_sizes at collapsed_slice_dims are <= 1
 *   C10  operand_batching_dims are sorted
 *   C11  0 <= operand_batching_dims < rank(x)
 *   C12  slice_sizes at operand_batching_dims are <= 1
 *   C13  start_indices_batching_dims are unique
 *   C14  0 <= start_indices_batching_dims < rank(indices)
 *   C15  index_vector_dim is not in start_indices_batching_dims
 *   C16  as many operand_batching_dims as start_indices_batching_dims
 *   C17  their extents in x and in indices agree, in pairs
 *   C18  start_index_map and operand_batching_dims together are unique
 *   C19  0 <= start_index_map < rank(x)
 *   C20  size(slice_sizes) = rank(x)
 *   C21  0 <= slice_sizes <= shape(x)
 *   C22  shape(result): at offset_dims slice_sizes, but those of collapsed and batching axes; at
 *        the other axes the extents of indices, but that of index_vector_dim
 *   C23  the result has x's dtype
 *
 * All break as CT_ERR_SHAPE; indices that are not integers are CT_ERR_TYPE. Linear in x. */
/* clang-format on */
typedef struct ct_gather_dims {
    ct_dims offset_dims;
    ct_dims collapsed_slice_dims;
    ct_dims operand_batching_dims;
    ct_dims start_indices_batching_dims;
    ct_dims start_index_map;
    int64_t index_vector_dim;
    ct_dims slice_sizes;
    bool indices_are_sorted; /* a promise, not needed */
    bool strict;
} ct_gather_dims;
CT_API ct_tensor *ct_op_gather_at(ct_place at, ct_tensor *x, ct_tensor *indices,
                                  const ct_gather_dims *dims);

/* clang-format off */
/* StableHLO's scatter: x[start + window] = body(x[start + window], update[batch, window]), for
 * every element of update in row-major order, those outside of x left out. body(old…, new…,
 * captures…) gives the values to store. Members are StableHLO's attributes, and constraints have
 * its numbers:
 *
 *   C1   all x have one shape
 *   C2   rank(x[0]) = size(update_window_dims) + size(inserted_window_dims) +
 *        size(input_batching_dims)
 *   C3   all updates have one shape
 *   C4   shape(update): at update_window_dims at most the extents of x's axes that are neither
 *        inserted nor batching; at the other axes the extents of indices, but that of
 *        index_vector_dim
 *   C5   at least one x, and as many updates (CT_ERR_ARGUMENT)
 *   C6   update[i] has the dtype of x[i]
 *   C7   update_window_dims are unique and sorted
 *   C8   0 <= update_window_dims < rank(update[0])
 *   C9   inserted_window_dims and input_batching_dims together are unique
 *   C10  inserted_window_dims are sorted
 *   C11  0 <= inserted_window_dims < rank(x[0])
 *   C12  input_batching_dims are sorted
 *   C13  0 <= input_batching_dims < rank(x[0])
 *   C14  scatter_indices_batching_dims are unique
 *   C15  0 <= scatter_indices_batching_dims < rank(indices)
 *   C16  index_vector_dim is not in scatter_indices_batching_dims
 *   C17  as many input_batching_dims as scatter_indices_batching_dims
 *   C18  their extents in x[0] and in indices agree, in pairs
 *   C19  size(scatter_dims_to_operand_dims) = dim(indices, index_vector_dim), or 1 when that is
 *        rank(indices)
 *   C20  scatter_dims_to_operand_dims and input_batching_dims together are unique
 *   C21  0 <= scatter_dims_to_operand_dims < rank(x[0])
 *   C22  0 <= index_vector_dim <= rank(indices)
 *   C23  the body takes scalars of the x's dtypes, twice, then the captures, and gives scalars of
 *        the x's dtypes
 *   C24  the results have the shape of the x
 *   C25  and their dtypes
 *
 * Derivatives, of one x without captures: where the body adds or overwrites, linear in x and update
 * together; of maximum and minimum. Other bodies have none (CT_ERR_RULE). */
/* clang-format on */
typedef struct ct_scatter_dims {
    ct_dims update_window_dims;
    ct_dims inserted_window_dims;
    ct_dims input_batching_dims;
    ct_dims scatter_indices_batching_dims;
    ct_dims scatter_dims_to_operand_dims;
    int64_t index_vector_dim;
    bool indices_are_sorted, unique_indices; /* promises, not needed */
    bool strict;
} ct_scatter_dims;
/* One operand and update; body NULL overwrites. */
CT_API ct_tensor *ct_op_scatter_at(ct_place at, ct_tensor *x, ct_tensor *indices, ct_tensor *update,
                                   ct_function *body, const ct_scatter_dims *dims);
/* Many, with captured values behind; fills result[0 … x.count - 1]. */
CT_API void ct_op_scatter_many_at(ct_place at, ct_list x, ct_tensor *indices, ct_list update,
                                  ct_function *body, ct_list captures, const ct_scatter_dims *dims,
                                  ct_tensor **result);
/* x[i] += update: the scatter that is the transpose of a gather. */
CT_API ct_tensor *ct_op_scatter_add_at(ct_place at, ct_tensor *x, ct_tensor *indices,
                                       ct_tensor *update, const ct_scatter_dims *dims);

/* ---- Ordering. */

/* clang-format off */
/* x along `dimension` in the order that the comparator makes: it takes (left, right) of every x in
 * turn, scalars, then the captures, and says whether left goes first. Elements of which neither
 * goes first keep their order. All x are moved together. Constraints have StableHLO's numbers:
 *
 *   C1  at least one x (CT_ERR_ARGUMENT)
 *   C2  the results have the types of the x
 *   C3  all x have one shape
 *   C4  0 <= dimension < rank(x)
 *   C5  the comparator takes scalars of the x's dtypes, each twice, then the captures, and gives a
 *       bool scalar
 *
 * A comparator that contradicts itself gives some order. Linear in the x for the order that they
 * have: each tangent goes with its element. */
/* clang-format on */
CT_API ct_tensor *ct_op_sort_at(ct_place at, ct_tensor *x, ct_function *comparator,
                                int64_t dimension);
/* Several x, with captured values behind; fills result[0 … x.count - 1]. */
CT_API void ct_op_sort_many_at(ct_place at, ct_list x, ct_function *comparator, ct_list captures,
                               int64_t dimension, ct_tensor **result);

/* The k largest elements along the last axis, the largest first, and their positions, i32; of equal
 * ones the first comes first. Floats are ordered as by CT_COMPARE_TOTALORDER: a positive NaN is the
 * largest, a negative one the smallest. values or indices may be NULL. C1: x is of ints, floats,
 * bool. C2: it has an axis. C3: 0 <= k <= its last extent, which, C4, is below 2^31 (CT_ERR_RANGE).
 * Linear in x for the order that it has. */
CT_API void ct_op_top_k_at(ct_place at, ct_tensor *x, int64_t k, ct_tensor **values,
                           ct_tensor **indices);

/* ---- Contracting. */

/* Fold along axes, from init, in row-major order: body(accumulated, element) -> accumulated. C1: x
 * and init have one dtype, init is a scalar, all x one shape. C2: axes are distinct and below the
 * rank. C3: the body takes and gives scalars of these dtypes. Derivatives, of one x without
 * captures: of add, linear in x and init; of multiply, without a division; of maximum and minimum.
 * Other bodies have none (CT_ERR_RULE). */
CT_API ct_tensor *ct_op_reduce_at(ct_place at, ct_tensor *x, ct_tensor *init, ct_function *body,
                                  ct_dims axes);
/* Several operands of one shape together; body(accumulated…, elements…, captures…). */
CT_API void ct_op_reduce_many_at(ct_place at, ct_list x, ct_list init, ct_function *body,
                                 ct_list captures, ct_dims axes, ct_tensor **result);
/* The usual ones: init 0, which f8E8M0FNU has not (CT_ERR_TYPE), the smallest and the largest value
 * of the dtype (infinities where it has them). */
CT_API ct_tensor *ct_op_reduce_add_at(ct_place at, ct_tensor *x, ct_dims axes);
CT_API ct_tensor *ct_op_reduce_max_at(ct_place at, ct_tensor *x, ct_dims axes);
CT_API ct_tensor *ct_op_reduce_min_at(ct_place at, ct_tensor *x, ct_dims axes);

/* clang-format off */
/* StableHLO's reduce_window: every element of the result folds a window of x from init, in
 * row-major order of the window. x is widened first: base_dilations - 1 elements between neighbours
 * and padding at both ends, all of them init (padding may be negative and takes elements away).
 * Window o begins at o window_strides, and its elements lie window_dilations apart. Per axis
 *
 *   widened = low + (dim > 0 ? (dim - 1) base_dilation + 1 : 0) + high
 *   window  = (window_dimension - 1) window_dilation + 1
 *   result  = widened < window ? 0 : floor((widened - window) / stride) + 1
 *
 * body(accumulated…, element…, captures…) gives the next accumulated values. An empty list stands
 * for 1s, of padding for 0s. Constraints have StableHLO's numbers:
 *
 *   C1   at least one x, and as many init, scalars (CT_ERR_ARGUMENT, CT_ERR_SHAPE)
 *   C2   all x have one shape
 *   C3   init[i] has the dtype of x[i] (CT_ERR_TYPE)
 *   C4   size(window_dimensions) = rank(x)
 *   C5   window_dimensions > 0
 *   C6   size(window_strides) = rank(x)
 *   C7   window_strides > 0
 *   C8   size(base_dilations) = rank(x)
 *   C9   base_dilations > 0
 *   C10  size(window_dilations) = rank(x)
 *   C11  window_dilations > 0
 *   C12  size(padding_low) = size(padding_high) = rank(x)
 *   C13  the body takes scalars of the x's dtypes, twice, then the captures, and gives scalars of
 *        the x's dtypes
 *   C14  all results have one shape
 *   C15  which is that of the formula
 *   C16  and the x's dtypes
 *
 * Derivatives, of one x without captures: of add, linear in x and init; of multiply, without a
 * division; of maximum and minimum, to the first element in row-major order that is the extreme. An
 * init that is the dtype's own bound is not a candidate, another one is the first. Other bodies
 * have none (CT_ERR_RULE). */
/* clang-format on */
typedef struct ct_window_dims {
    ct_dims window_dimensions;
    ct_dims window_strides;
    ct_dims base_dilations;
    ct_dims window_dilations;
    ct_dims padding_low, padding_high;
} ct_window_dims;
CT_API ct_tensor *ct_op_reduce_window_at(ct_place at, ct_tensor *x, ct_tensor *init,
                                         ct_function *body, const ct_window_dims *dims);
/* Several operands of one shape together, with captured values behind. */
CT_API void ct_op_reduce_window_many_at(ct_place at, ct_list x, ct_list init, ct_function *body,
                                        ct_list captures, const ct_window_dims *dims,
                                        ct_tensor **result);
/* The usual ones, from the init of reduce_add and so on. */
CT_API ct_tensor *ct_op_reduce_window_add_at(ct_place at, ct_tensor *x, const ct_window_dims *dims);
CT_API ct_tensor *ct_op_reduce_window_max_at(ct_place at, ct_tensor *x, const ct_window_dims *dims);
CT_API ct_tensor *ct_op_reduce_window_min_at(ct_place at, ct_tensor *x, const ct_window_dims *dims);

typedef struct ct_dot_dims {
    ct_dims lhs_batching, rhs_batching;
    ct_dims lhs_contracting, rhs_contracting;
    ct_dtype dtype;                           /* of the result; 0: that of x */
    const char *precision_config, *algorithm; /* kept and printed; may be NULL */
} ct_dot_dims;
/* Σ over the contracting axes of x y: result axes are batching, free ones of x, free ones of y. C1:
 * one dtype; none is asked for where dtype is given, to which both are converted first. C2: paired
 * lists of equal length. C3: axes distinct, in range, batching and contracting apart. C4: paired
 * extents agree. C5: precision_config is two of DEFAULT, HIGH, HIGHEST: "HIGH, DEFAULT". C6:
 * algorithm has StableHLO's parts, "lhs_precision_type = tf32, …", and precisions beside it are
 * DEFAULT. f16 and bf16 are summed in f32. Bilinear. */
CT_API ct_tensor *ct_op_dot_general_at(ct_place at, ct_tensor *x, ct_tensor *y,
                                       const ct_dot_dims *dims);

typedef struct ct_ragged_dot_dims {
    ct_dims lhs_batching, rhs_batching;
    ct_dims lhs_contracting, rhs_contracting;
    ct_dims lhs_ragged; /* one axis of x, whose places are cut into consecutive groups */
    ct_dims rhs_group;  /* the axis of y that the groups choose from, where there is one */
} ct_ragged_dot_dims;
/* A product in which the groups of one axis of x, of these sizes, keep apart. By what that axis is:
 *
 *   free         x [b,m,k], y [g,b,k,n] -> [b,m,n]: row m meets the y of its group; 0 without one
 *   contracting  x [b,m,k], y [b,k,n] -> [g,b,m,n]: a product per group of k
 *   batching     x [b,m,k], y [b,k,n] -> [b,m,n]: as dot_general
 *
 * group_sizes is [g], or a row [p…, g] for each place on the axes before the ragged one: batching
 * ones, then those of its kind. Negative sizes count as 0. C1 to C4 as dot_general. C5: lhs_ragged
 * is one axis. C6: group_sizes are integers of such a shape. C7: rhs_group is one axis of y of
 * extent g for a free axis, else none; apart from its other lists. Bilinear. */
CT_API ct_tensor *ct_op_ragged_dot_at(ct_place at, ct_tensor *x, ct_tensor *y,
                                      ct_tensor *group_sizes, const ct_ragged_dot_dims *dims);

/* ---- Control. Bodies are functions; values that they use from outside are passed as captures. */

/* then(captures…) or otherwise(captures…). C1: pred is a bool scalar. C2: both take the captures'
 * types. C3: both give the same types. Derivative: that of the branch taken; none in pred. */
CT_API void ct_op_if_at(ct_place at, ct_tensor *pred, ct_function *then, ct_function *otherwise,
                        ct_list captures, ct_tensor **result, size_t n_results);

/* branches[index](captures…); the last one for an index outside of [0, n_branches), also below it.
 * I1: index is an i32 scalar. C1: there is a branch. C2: all take the captures' types. C3, C4: all
 * give the same types. Derivative: not available. */
CT_API void ct_op_case_at(ct_place at, ct_tensor *index, size_t n_branches,
                          ct_function *const *branches, ct_list captures, ct_tensor **result,
                          size_t n_results);

/* carry = body(carry…, captures…) while cond(carry…, captures…); zero iterations give the carry as
 * it is. Results: the final carry…. C1: cond takes the types of carry and captures, and gives a
 * bool scalar. C2: body takes the same, and gives the carry's types. C3: so do the results.
 * Derivative: not available; that of a loop with a known count is ct_op_scan's. */
CT_API void ct_op_while_at(ct_place at, ct_list carry, ct_list captures, ct_function *cond,
                           ct_function *body, ct_tensor **result);

/* body(elements of x…, captures…) for every element. C1: all x have one shape, which the result
 * has. C2: there is an x. C3: it is over all axes. C4: the body takes scalars of the x's dtypes,
 * then the captures, and gives a scalar, of the result's dtype. Derivative: not available. */
CT_API ct_tensor *ct_op_map_at(ct_place at, ct_list x, ct_list captures, ct_function *body);

/* length times: (carry…, y…) = body(carry…, x[i]…, captures…), i from the end when is_reverse.
 * Results: the final carry…, the stacked y…. C1: every x has extent `length` on axis 0. C2: the
 * body takes the carry's types, x's without axis 0, the captures'. C3: the carry keeps its types.
 * C4: the y are tensors. Derivative: that of the unrolled loop; linear where the body is. */
CT_API void ct_op_scan_at(ct_place at, int64_t length, ct_list carry, ct_list x, ct_list captures,
                          bool is_reverse, ct_function *body, ct_tensor **result, size_t n_results);

/* The operands, unchanged; a fence for rewrites. Linear: tangents and cotangents pass unchanged. */
CT_API void ct_op_optimization_barrier_at(ct_place at, ct_list x, ct_tensor **result);

/* ---- The same with the caller's place. */

#define ct_op_abs(...) ct_op_abs_at(CT_HERE, __VA_ARGS__)
#define ct_op_cbrt(...) ct_op_cbrt_at(CT_HERE, __VA_ARGS__)
#define ct_op_ceil(...) ct_op_ceil_at(CT_HERE, __VA_ARGS__)
#define ct_op_cosine(...) ct_op_cosine_at(CT_HERE, __VA_ARGS__)
#define ct_op_count_leading_zeros(...) ct_op_count_leading_zeros_at(CT_HERE, __VA_ARGS__)
#define ct_op_erf(...) ct_op_erf_at(CT_HERE, __VA_ARGS__)
#define ct_op_acos(...) ct_op_acos_at(CT_HERE, __VA_ARGS__)
#define ct_op_acosh(...) ct_op_acosh_at(CT_HERE, __VA_ARGS__)
#define ct_op_asin(...) ct_op_asin_at(CT_HERE, __VA_ARGS__)
#define ct_op_asinh(...) ct_op_asinh_at(CT_HERE, __VA_ARGS__)
#define ct_op_atan(...) ct_op_atan_at(CT_HERE, __VA_ARGS__)
#define ct_op_atanh(...) ct_op_atanh_at(CT_HERE, __VA_ARGS__)
#define ct_op_bessel_i1e(...) ct_op_bessel_i1e_at(CT_HERE, __VA_ARGS__)
#define ct_op_cosh(...) ct_op_cosh_at(CT_HERE, __VA_ARGS__)
#define ct_op_digamma(...) ct_op_digamma_at(CT_HERE, __VA_ARGS__)
#define ct_op_erf_inv(...) ct_op_erf_inv_at(CT_HERE, __VA_ARGS__)
#define ct_op_erfc(...) ct_op_erfc_at(CT_HERE, __VA_ARGS__)
#define ct_op_lgamma(...) ct_op_lgamma_at(CT_HERE, __VA_ARGS__)
#define ct_op_sinh(...) ct_op_sinh_at(CT_HERE, __VA_ARGS__)
#define ct_op_mulhi(...) ct_op_mulhi_at(CT_HERE, __VA_ARGS__)
#define ct_op_next_after(...) ct_op_next_after_at(CT_HERE, __VA_ARGS__)
#define ct_op_polygamma(...) ct_op_polygamma_at(CT_HERE, __VA_ARGS__)
#define ct_op_zeta(...) ct_op_zeta_at(CT_HERE, __VA_ARGS__)
#define ct_op_exponential(...) ct_op_exponential_at(CT_HERE, __VA_ARGS__)
#define ct_op_exponential_minus_one(...) ct_op_exponential_minus_one_at(CT_HERE, __VA_ARGS__)
#define ct_op_floor(...) ct_op_floor_at(CT_HERE, __VA_ARGS__)
#define ct_op_is_finite(...) ct_op_is_finite_at(CT_HERE, __VA_ARGS__)
#define ct_op_log(...) ct_op_log_at(CT_HERE, __VA_ARGS__)
#define ct_op_log_plus_one(...) ct_op_log_plus_one_at(CT_HERE, __VA_ARGS__)
#define ct_op_logistic(...) ct_op_logistic_at(CT_HERE, __VA_ARGS__)
#define ct_op_negate(...) ct_op_negate_at(CT_HERE, __VA_ARGS__)
#define ct_op_not(...) ct_op_not_at(CT_HERE, __VA_ARGS__)
#define ct_op_popcnt(...) ct_op_popcnt_at(CT_HERE, __VA_ARGS__)
#define ct_op_round_nearest_afz(...) ct_op_round_nearest_afz_at(CT_HERE, __VA_ARGS__)
#define ct_op_round_nearest_even(...) ct_op_round_nearest_even_at(CT_HERE, __VA_ARGS__)
#define ct_op_rsqrt(...) ct_op_rsqrt_at(CT_HERE, __VA_ARGS__)
#define ct_op_sign(...) ct_op_sign_at(CT_HERE, __VA_ARGS__)
#define ct_op_sine(...) ct_op_sine_at(CT_HERE, __VA_ARGS__)
#define ct_op_sqrt(...) ct_op_sqrt_at(CT_HERE, __VA_ARGS__)
#define ct_op_stop_gradient(...) ct_op_stop_gradient_at(CT_HERE, __VA_ARGS__)
#define ct_op_tan(...) ct_op_tan_at(CT_HERE, __VA_ARGS__)
#define ct_op_tanh(...) ct_op_tanh_at(CT_HERE, __VA_ARGS__)
#define ct_op_convert(...) ct_op_convert_at(CT_HERE, __VA_ARGS__)
#define ct_op_real(...) ct_op_real_at(CT_HERE, __VA_ARGS__)
#define ct_op_imag(...) ct_op_imag_at(CT_HERE, __VA_ARGS__)
#define ct_op_complex(...) ct_op_complex_at(CT_HERE, __VA_ARGS__)
#define ct_op_bitcast_convert(...) ct_op_bitcast_convert_at(CT_HERE, __VA_ARGS__)
#define ct_op_uniform_quantize(...) ct_op_uniform_quantize_at(CT_HERE, __VA_ARGS__)
#define ct_op_uniform_dequantize(...) ct_op_uniform_dequantize_at(CT_HERE, __VA_ARGS__)
#define ct_op_bitcast_quantize(...) ct_op_bitcast_quantize_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_precision(...) ct_op_reduce_precision_at(CT_HERE, __VA_ARGS__)
#define ct_op_add(...) ct_op_add_at(CT_HERE, __VA_ARGS__)
#define ct_op_and(...) ct_op_and_at(CT_HERE, __VA_ARGS__)
#define ct_op_atan2(...) ct_op_atan2_at(CT_HERE, __VA_ARGS__)
#define ct_op_divide(...) ct_op_divide_at(CT_HERE, __VA_ARGS__)
#define ct_op_maximum(...) ct_op_maximum_at(CT_HERE, __VA_ARGS__)
#define ct_op_minimum(...) ct_op_minimum_at(CT_HERE, __VA_ARGS__)
#define ct_op_multiply(...) ct_op_multiply_at(CT_HERE, __VA_ARGS__)
#define ct_op_or(...) ct_op_or_at(CT_HERE, __VA_ARGS__)
#define ct_op_power(...) ct_op_power_at(CT_HERE, __VA_ARGS__)
#define ct_op_remainder(...) ct_op_remainder_at(CT_HERE, __VA_ARGS__)
#define ct_op_scale(...) ct_op_scale_at(CT_HERE, __VA_ARGS__)
#define ct_op_shift_left(...) ct_op_shift_left_at(CT_HERE, __VA_ARGS__)
#define ct_op_shift_right_arithmetic(...) ct_op_shift_right_arithmetic_at(CT_HERE, __VA_ARGS__)
#define ct_op_shift_right_logical(...) ct_op_shift_right_logical_at(CT_HERE, __VA_ARGS__)
#define ct_op_subtract(...) ct_op_subtract_at(CT_HERE, __VA_ARGS__)
#define ct_op_xor(...) ct_op_xor_at(CT_HERE, __VA_ARGS__)
#define ct_op_compare(...) ct_op_compare_at(CT_HERE, __VA_ARGS__)
#define ct_op_select(...) ct_op_select_at(CT_HERE, __VA_ARGS__)
#define ct_op_clamp(...) ct_op_clamp_at(CT_HERE, __VA_ARGS__)
#define ct_op_iota(...) ct_op_iota_at(CT_HERE, __VA_ARGS__)
#define ct_op_broadcast_in_dim(...) ct_op_broadcast_in_dim_at(CT_HERE, __VA_ARGS__)
#define ct_op_concatenate(...) ct_op_concatenate_at(CT_HERE, __VA_ARGS__)
#define ct_op_pad(...) ct_op_pad_at(CT_HERE, __VA_ARGS__)
#define ct_op_reshape(...) ct_op_reshape_at(CT_HERE, __VA_ARGS__)
#define ct_op_reverse(...) ct_op_reverse_at(CT_HERE, __VA_ARGS__)
#define ct_op_slice(...) ct_op_slice_at(CT_HERE, __VA_ARGS__)
#define ct_op_transpose(...) ct_op_transpose_at(CT_HERE, __VA_ARGS__)
#define ct_op_dynamic_slice(...) ct_op_dynamic_slice_at(CT_HERE, __VA_ARGS__)
#define ct_op_dynamic_update_slice(...) ct_op_dynamic_update_slice_at(CT_HERE, __VA_ARGS__)
#define ct_op_gather(...) ct_op_gather_at(CT_HERE, __VA_ARGS__)
#define ct_op_scatter(...) ct_op_scatter_at(CT_HERE, __VA_ARGS__)
#define ct_op_scatter_many(...) ct_op_scatter_many_at(CT_HERE, __VA_ARGS__)
#define ct_op_scatter_add(...) ct_op_scatter_add_at(CT_HERE, __VA_ARGS__)
#define ct_op_sort(...) ct_op_sort_at(CT_HERE, __VA_ARGS__)
#define ct_op_sort_many(...) ct_op_sort_many_at(CT_HERE, __VA_ARGS__)
#define ct_op_top_k(...) ct_op_top_k_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce(...) ct_op_reduce_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_many(...) ct_op_reduce_many_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_add(...) ct_op_reduce_add_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_max(...) ct_op_reduce_max_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_min(...) ct_op_reduce_min_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window(...) ct_op_reduce_window_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window_many(...) ct_op_reduce_window_many_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window_add(...) ct_op_reduce_window_add_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window_max(...) ct_op_reduce_window_max_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window_min(...) ct_op_reduce_window_min_at(CT_HERE, __VA_ARGS__)
#define ct_op_dot_general(...) ct_op_dot_general_at(CT_HERE, __VA_ARGS__)
#define ct_op_ragged_dot(...) ct_op_ragged_dot_at(CT_HERE, __VA_ARGS__)
#define ct_op_if(...) ct_op_if_at(CT_HERE, __VA_ARGS__)
#define ct_op_case(...) ct_op_case_at(CT_HERE, __VA_ARGS__)
#define ct_op_while(...) ct_op_while_at(CT_HERE, __VA_ARGS__)
#define ct_op_map(...) ct_op_map_at(CT_HERE, __VA_ARGS__)
#define ct_op_scan(...) ct_op_scan_at(CT_HERE, __VA_ARGS__)
#define ct_op_optimization_barrier(...) ct_op_optimization_barrier_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
