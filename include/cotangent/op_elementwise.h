/* The strict primitives of single elements: arithmetic, CHLO's functions, comparing and choosing.
 * op.h says what they all have in common. */
#ifndef COTANGENT_OP_ELEMENTWISE_H
#define COTANGENT_OP_ELEMENTWISE_H

#include "base.h"
#include "dtype.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Elementwise, one operand. C1: the dtype is one of those named. The result has x's type, but
 * for is_finite, and abs of complex x, which is real. y is the result in the formulas for the
 * derivative; those of complex x are the same but where one is given for z. Derivatives of complex
 * numbers: see ad.h. */

/* |x|; wraps for the smallest integer. signed ints, floats, complex. Derivative: sign(x), 0 at 0;
 * Re(conj(sign z) dz). */
CT_API ct_tensor *ct_op_abs_at(ct_place at, ct_tensor *x);
/* the real cube root. floats, complex. Derivative: 1 / (3 y^2). */
CT_API ct_tensor *ct_op_cbrt_at(ct_place at, ct_tensor *x);
/* the least whole number >= x. floats. Derivative: 0. */
CT_API ct_tensor *ct_op_ceil_at(ct_place at, ct_tensor *x);
/* cos x, radians. floats, complex. Derivative: -sin x. */
CT_API ct_tensor *ct_op_cosine_at(ct_place at, ct_tensor *x);
/* zero bits before the first one. ints. Derivative: none. */
CT_API ct_tensor *ct_op_count_leading_zeros_at(ct_place at, ct_tensor *x);
/* the error function 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x. floats. Derivative:
 * 2/sqrt(pi) e^(-x^2). */
CT_API ct_tensor *ct_op_erf_at(ct_place at, ct_tensor *x);
/* e^x. floats, complex. Derivative: y. */
CT_API ct_tensor *ct_op_exponential_at(ct_place at, ct_tensor *x);
/* e^x - 1, accurate near 0. floats, complex. Derivative: y + 1. */
CT_API ct_tensor *ct_op_exponential_minus_one_at(ct_place at, ct_tensor *x);
/* the greatest whole number <= x. floats. Derivative: 0. */
CT_API ct_tensor *ct_op_floor_at(ct_place at, ct_tensor *x);
/* neither infinite nor NaN; gives bool. floats. Derivative: none. */
CT_API ct_tensor *ct_op_is_finite_at(ct_place at, ct_tensor *x);
/* the natural logarithm; log 0 = -inf, NaN below. floats, complex. Derivative: 1 / x. */
CT_API ct_tensor *ct_op_log_at(ct_place at, ct_tensor *x);
/* log(1 + x), accurate near 0. floats, complex. Derivative: 1 / (1 + x). */
CT_API ct_tensor *ct_op_log_plus_one_at(ct_place at, ct_tensor *x);
/* 1 / (1 + e^-x). floats, complex. Derivative: y (1 - y). */
CT_API ct_tensor *ct_op_logistic_at(ct_place at, ct_tensor *x);
/* -x; wraps. ints, floats, complex. Derivative: -1; linear. */
CT_API ct_tensor *ct_op_negate_at(ct_place at, ct_tensor *x);
/* bitwise for ints, logical for bool. ints, bool. Derivative: none. */
CT_API ct_tensor *ct_op_not_at(ct_place at, ct_tensor *x);
/* the number of one bits. ints. Derivative: none. */
CT_API ct_tensor *ct_op_popcnt_at(ct_place at, ct_tensor *x);
/* to nearest, ties away from zero. floats. Derivative: 0. */
CT_API ct_tensor *ct_op_round_nearest_afz_at(ct_place at, ct_tensor *x);
/* to nearest, ties to even. floats. Derivative: 0. */
CT_API ct_tensor *ct_op_round_nearest_even_at(ct_place at, ct_tensor *x);
/* 1 / sqrt x. floats, complex. Derivative: -y / (2 x). */
CT_API ct_tensor *ct_op_rsqrt_at(ct_place at, ct_tensor *x);
/* -1, 0 or 1; keeps -0 and NaN. Of complex z it is z / |z|, or 0. signed ints, floats, complex.
 * Derivative: 0; i y Im(conj(y) dz) / |z|, 0 at 0. */
CT_API ct_tensor *ct_op_sign_at(ct_place at, ct_tensor *x);
/* sin x, radians. floats, complex. Derivative: cos x. */
CT_API ct_tensor *ct_op_sine_at(ct_place at, ct_tensor *x);
/* the square root; NaN below 0. floats, complex. Derivative: 1 / (2 y); +inf at 0. */
CT_API ct_tensor *ct_op_sqrt_at(ct_place at, ct_tensor *x);
/* x, seen as a constant by differentiation. any. Derivative: 0 by definition. */
CT_API ct_tensor *ct_op_stop_gradient_at(ct_place at, ct_tensor *x);
/* tan x, radians. floats, complex. Derivative: 1 + y^2. */
CT_API ct_tensor *ct_op_tan_at(ct_place at, ct_tensor *x);
/* the hyperbolic tangent. floats, complex. Derivative: 1 - y^2. */
CT_API ct_tensor *ct_op_tanh_at(ct_place at, ct_tensor *x);

/* x converted to dtype. To bool: x != 0. Float to integer truncates and saturates, NaN gives 0; to
 * a narrower integer keeps the low bits; to a narrower float rounds to nearest, ties to even.
 * Complex loses its imaginary part. Linear between floats and complex. C1: the dtype is valid. */
CT_API ct_tensor *ct_op_convert_at(ct_place at, ct_tensor *x, ct_dtype dtype);

/* The real part of x; x itself where it is real. floats, complex. The result has the parts' dtype.
 * Linear. */
CT_API ct_tensor *ct_op_real_at(ct_place at, ct_tensor *x);
/* The imaginary part of x; 0 where it is real. floats, complex. Linear. */
CT_API ct_tensor *ct_op_imag_at(ct_place at, ct_tensor *x);
/* re + i im. C1: one type. C2: f32 or f64. C3: the result is c64 or c128. Linear. */
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
/* the angle of the point (x, y): first operand y, second x. floats, complex. Derivative:
 * x/(x^2+y^2), -y/(x^2+y^2). */
CT_API ct_tensor *ct_op_atan2_at(ct_place at, ct_tensor *y, ct_tensor *x);
/* x / y; ints truncate; x/0 has all bits set, MIN/-1 = MIN. ints, floats, complex. Derivative: 1/y,
 * -x/y^2; linear in x. */
CT_API ct_tensor *ct_op_divide_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* the larger, NaN if either is; -0 < +0; for bool: or; complex numbers by their real, then by their
 * imaginary part, and NaN in both where any is. any. Derivative: 1 to the larger, half to each at a
 * tie. */
CT_API ct_tensor *ct_op_maximum_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* the smaller, NaN if either is; -0 < +0; for bool: and; complex numbers as for the maximum. any.
 * Derivative: 1 to the smaller, half to each at a tie. */
CT_API ct_tensor *ct_op_minimum_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* x y; wraps; for bool: and. any. Derivative: y, x; bilinear. */
CT_API ct_tensor *ct_op_multiply_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* bitwise for ints, logical for bool. ints, bool. Derivative: none. */
CT_API ct_tensor *ct_op_or_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* x^y; ints wrap, a negative exponent gives 0 unless |x| = 1. ints, floats, complex. Derivative:
 * y x^(y-1), x^y log x. */
CT_API ct_tensor *ct_op_power_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* x - y trunc(x / y), the sign of x; x rem 0 = x for ints, NaN for others. Of complex numbers both
 * parts of x / y are truncated. ints, floats, complex. Derivative: 1, -trunc(x / y). */
CT_API ct_tensor *ct_op_remainder_at(ct_place at, ct_tensor *x, ct_tensor *y);
/* the guarded product of derivative rules: t f, but 0 where t is 0, and 0 where f is 0 and t is
 * not NaN. floats, complex. Derivative: bilinear: scale(dt, f) + scale(t, df). */
CT_API ct_tensor *ct_op_scale_at(ct_place at, ct_tensor *t, ct_tensor *f);
/* the same where either may stand for a branch that was not taken, as in transposes of scale: t u,
 * but 0 where t or u is 0. floats, complex. Derivative: bilinear: scale_either(dt, u) +
 * scale_either(t, du). */
CT_API ct_tensor *ct_op_scale_either_at(ct_place at, ct_tensor *t, ct_tensor *u);
/* x * 2^amount; the amount is read as unsigned; 0 from the width on. ints. Derivative: none. */
CT_API ct_tensor *ct_op_shift_left_at(ct_place at, ct_tensor *x, ct_tensor *amount);
/* the sign bit moves in, for unsigned types too. ints. Derivative: none. */
CT_API ct_tensor *ct_op_shift_right_arithmetic_at(ct_place at, ct_tensor *x, ct_tensor *amount);
/* zeros move in. ints. Derivative: none. */
CT_API ct_tensor *ct_op_shift_right_logical_at(ct_place at, ct_tensor *x, ct_tensor *amount);
/* x - y; wraps. ints, floats, complex. Derivative: linear. */
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
/* e^-|x| I1(x), the scaled modified Bessel function of order 1. floats. Derivative: I0e(x) - |y| -
 * y / x, 1/2 at 0, where I0e is that function of order 0. */
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
 * with the sign of y. floats. Derivative: 0. */
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

/* min(max(x, lo), hi); NaN if any is; complex numbers are ordered as by compare. C1: lo and hi have
 * rank 0 or x's shape. C2: one dtype. any. The derivative is that of min and max: half at a bound.
 */
CT_API ct_tensor *ct_op_clamp_at(ct_place at, ct_tensor *lo, ct_tensor *x, ct_tensor *hi);

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
#define ct_op_scale_either(...) ct_op_scale_either_at(CT_HERE, __VA_ARGS__)
#define ct_op_shift_left(...) ct_op_shift_left_at(CT_HERE, __VA_ARGS__)
#define ct_op_shift_right_arithmetic(...) ct_op_shift_right_arithmetic_at(CT_HERE, __VA_ARGS__)
#define ct_op_shift_right_logical(...) ct_op_shift_right_logical_at(CT_HERE, __VA_ARGS__)
#define ct_op_subtract(...) ct_op_subtract_at(CT_HERE, __VA_ARGS__)
#define ct_op_xor(...) ct_op_xor_at(CT_HERE, __VA_ARGS__)
#define ct_op_compare(...) ct_op_compare_at(CT_HERE, __VA_ARGS__)
#define ct_op_select(...) ct_op_select_at(CT_HERE, __VA_ARGS__)
#define ct_op_clamp(...) ct_op_clamp_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
