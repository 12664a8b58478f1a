/* Elementwise operations, as NumPy's.
 *
 * Operands named x, y, lo, hi are tensors or plain numbers where the macro says CT_OPERAND, else
 * tensors. Shapes broadcast: axes are matched from the last one, and extent 1 stretches. All
 * tensors of one call have one dtype (a pred is bool); a number takes it. Results belong to the
 * current scope and are traced if an operand is.
 *
 * Errors: CT_ERR_TYPE for a dtype that is not named or for two dtypes (convert with ct_cast),
 * CT_ERR_SHAPE for shapes that do not broadcast, CT_ERR_ARGUMENT for a number that the dtype cannot
 * hold (0.5 with i32, 300 with u8) and for NULL. The result is then poison.
 *
 * Each function names its dtypes: integers, floats, complex, bool, or any of these. A plain number
 * beside a complex tensor is real. Complex functions are the holomorphic ones of StableHLO, with
 * its branch cuts; what is not named, as order (lt, maximum, clip) or rounding, is CT_ERR_TYPE.
 *
 * Derivatives are those of the primitives (op.h); where one broadcasts, its adjoint sums. */
#ifndef COTANGENT_ELEMENTWISE_H
#define COTANGENT_ELEMENTWISE_H

#include "base.h"
#include "dtype.h"
#include "operand.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Arithmetic. */

/* x + y; wraps; bool: or. any. */
CT_API ct_tensor *ct_add_at(ct_place at, ct_operand x, ct_operand y);
/* x - y; wraps. integers, floats, complex. */
CT_API ct_tensor *ct_sub_at(ct_place at, ct_operand x, ct_operand y);
/* x y; wraps; bool: and. any. */
CT_API ct_tensor *ct_mul_at(ct_place at, ct_operand x, ct_operand y);
/* x / y; integers truncate, x/0 has all bits set. integers, floats, complex. */
CT_API ct_tensor *ct_div_at(ct_place at, ct_operand x, ct_operand y);
/* x^y; integers wrap. integers, floats, complex. Derivative: y x^(y-1), x^y log x. */
CT_API ct_tensor *ct_pow_at(ct_place at, ct_operand x, ct_operand y);
/* x - y trunc(x / y), as C's fmod and %: the sign of x. integers, floats. */
CT_API ct_tensor *ct_rem_at(ct_place at, ct_operand x, ct_operand y);
/* The larger and the smaller; NaN if either is. any but complex. A tie gives half of the slope to
 * each. */
CT_API ct_tensor *ct_maximum_at(ct_place at, ct_operand x, ct_operand y);
CT_API ct_tensor *ct_minimum_at(ct_place at, ct_operand x, ct_operand y);
/* The angle of the point (x, y) in (-pi, pi]. floats. */
CT_API ct_tensor *ct_atan2_at(ct_place at, ct_operand y, ct_operand x);
/* The largest whole number <= x / y; x / y for floats and 0 for integers where y is 0. integers,
 * floats. Derivative: 0. */
CT_API ct_tensor *ct_floor_divide_at(ct_place at, ct_operand x, ct_operand y);
/* x - y floor(x / y), as Python's %: the sign of y. NaN for floats and 0 for integers where y is 0.
 * integers, floats. Derivative: 1, -floor(x / y), also where it jumps. */
CT_API ct_tensor *ct_mod_at(ct_place at, ct_operand x, ct_operand y);
/* sqrt(x^2 + y^2), whose squares neither overflow nor underflow, nor what its derivatives are made
 * of up to the second; infinite if x or y is. floats.
 * Derivative: x / hypot, y / hypot; 0 at the origin; of infinite ones, sign(x) if x is, else
 * sign(y).
 */
CT_API ct_tensor *ct_hypot_at(ct_place at, ct_operand x, ct_operand y);
/* log(e^x + e^y), without overflow. floats. Derivative: 1 / (1 + e^(y - x)), 1 / (1 + e^(x - y));
 * those of ct_maximum where the larger one is infinite. */
CT_API ct_tensor *ct_logaddexp_at(ct_place at, ct_operand x, ct_operand y);

#define ct_add(x, y) ct_add_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_sub(x, y) ct_sub_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_mul(x, y) ct_mul_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_div(x, y) ct_div_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_pow(x, y) ct_pow_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_rem(x, y) ct_rem_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_maximum(x, y) ct_maximum_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_minimum(x, y) ct_minimum_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_atan2(y, x) ct_atan2_at(CT_HERE, CT_OPERAND(y), CT_OPERAND(x))
#define ct_floor_divide(x, y) ct_floor_divide_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_mod(x, y) ct_mod_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_hypot(x, y) ct_hypot_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_logaddexp(x, y) ct_logaddexp_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))

/* ---- Comparing: bool results, constant for differentiation. A NaN is unequal to everything, and
 * no order holds with it. any; complex only eq and ne. */

CT_API ct_tensor *ct_eq_at(ct_place at, ct_operand x, ct_operand y);
CT_API ct_tensor *ct_ne_at(ct_place at, ct_operand x, ct_operand y);
CT_API ct_tensor *ct_lt_at(ct_place at, ct_operand x, ct_operand y);
CT_API ct_tensor *ct_le_at(ct_place at, ct_operand x, ct_operand y);
CT_API ct_tensor *ct_gt_at(ct_place at, ct_operand x, ct_operand y);
CT_API ct_tensor *ct_ge_at(ct_place at, ct_operand x, ct_operand y);

#define ct_eq(x, y) ct_eq_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_ne(x, y) ct_ne_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_lt(x, y) ct_lt_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_le(x, y) ct_le_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_gt(x, y) ct_gt_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_ge(x, y) ct_ge_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))

/* ---- Logic: of truth values for bool, of bits for integers. */

CT_API ct_tensor *ct_and_at(ct_place at, ct_operand x, ct_operand y);
CT_API ct_tensor *ct_or_at(ct_place at, ct_operand x, ct_operand y);
CT_API ct_tensor *ct_xor_at(ct_place at, ct_operand x, ct_operand y);
CT_API ct_tensor *ct_not_at(ct_place at, ct_tensor *x);

#define ct_and(x, y) ct_and_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_or(x, y) ct_or_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_xor(x, y) ct_xor_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_not(x) ct_not_at(CT_HERE, x)

/* ---- Functions of one tensor. */

/* -x. integers, floats, complex. */
CT_API ct_tensor *ct_neg_at(ct_place at, ct_tensor *x);
/* |x|, which is real. integers, floats, complex. Derivative: sign(x), 0 at 0. */
CT_API ct_tensor *ct_abs_at(ct_place at, ct_tensor *x);
/* -1, 0 or 1; keeps -0 and NaN; x / |x| of complex x. integers, floats, complex. Derivative: 0 of
 * real x; see ct_op_sign. */
CT_API ct_tensor *ct_sign_at(ct_place at, ct_tensor *x);
/* x x. any. */
CT_API ct_tensor *ct_square_at(ct_place at, ct_tensor *x);
/* 1 / x. floats, complex. */
CT_API ct_tensor *ct_reciprocal_at(ct_place at, ct_tensor *x);

/* Floats, complex: e^x, e^x - 1, log x, log(1 + x), sqrt x (slope +inf at 0), 1/sqrt x, the cube
 * root: the real one of floats, the principal one of complex. */
CT_API ct_tensor *ct_exp_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_expm1_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_log_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_log1p_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_sqrt_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_rsqrt_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_cbrt_at(ct_place at, ct_tensor *x);
/* Floats: 2^x; the logarithms to base 2 and 10, exact for their powers. */
CT_API ct_tensor *ct_exp2_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_log2_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_log10_at(ct_place at, ct_tensor *x);

/* Floats, complex: sin, cos, tan (radians), tanh, 1 / (1 + e^-x). */
CT_API ct_tensor *ct_sin_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_cos_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_tan_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_tanh_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_sigmoid_at(ct_place at, ct_tensor *x);

/* Floats: the error function. Derivative: 2/sqrt(pi) e^(-x^2). */
CT_API ct_tensor *ct_erf_at(ct_place at, ct_tensor *x);

/* Floats, complex: the inverses of sin, cos, tan (radians), sinh, cosh, tanh, and the latter. NaN
 * outside their domains: beyond [-1, 1] for asin, acos, atanh, below 1 for acosh. */
CT_API ct_tensor *ct_asin_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_acos_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_atan_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_asinh_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_acosh_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_atanh_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_sinh_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_cosh_at(ct_place at, ct_tensor *x);

/* Floats: 1 - erf x, accurate where that is small, and the inverse of erf. */
CT_API ct_tensor *ct_erfc_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_erf_inv_at(ct_place at, ct_tensor *x);
/* Floats: log |gamma(x)|, infinite at 0, -1, …; its derivative, NaN there; derivative n of that,
 * for whole n from 0 on (it has no derivative by n). */
CT_API ct_tensor *ct_lgamma_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_digamma_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_polygamma_at(ct_place at, ct_operand n, ct_operand x);
/* Floats: Hurwitz's zeta function, the sum of (q + n)^-s over n = 0, 1, … (it has no derivative by
 * s); see ct_op_zeta. */
CT_API ct_tensor *ct_zeta_at(ct_place at, ct_operand s, ct_operand q);
/* Floats: e^-|x| I1(x), the scaled modified Bessel function of order 1. */
CT_API ct_tensor *ct_bessel_i1e_at(ct_place at, ct_tensor *x);
/* Floats: the neighbour of x on the way to y. Derivative: 0. */
CT_API ct_tensor *ct_next_after_at(ct_place at, ct_operand x, ct_operand y);

/* Floats: x times the probability that a normal random number is below x,
 *
 *   CT_GELU_EXACT  x (1 + erf(x / sqrt 2)) / 2
 *   CT_GELU_TANH   x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
 *
 * f16 and bf16 are computed in f32. 0 with slope 0 at -inf, slope 1 at inf. */
typedef enum ct_gelu_form { CT_GELU_EXACT = 0, CT_GELU_TANH = 1 } ct_gelu_form;
CT_API ct_tensor *ct_gelu_at(ct_place at, ct_tensor *x, ct_gelu_form form);

/* Floats: to a whole number: down, up, to the nearest (ties to even). Derivative: 0. */
CT_API ct_tensor *ct_floor_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_ceil_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_round_at(ct_place at, ct_tensor *x);
/* Floats: to a whole number, towards 0. Derivative: 0. */
CT_API ct_tensor *ct_trunc_at(ct_place at, ct_tensor *x);

/* 0 where x <= 0, else x; NaN stays. integers, floats. Derivative: 0 where x <= 0, else 1. */
CT_API ct_tensor *ct_relu_at(ct_place at, ct_tensor *x);
/* x / (1 + e^-x); 0 with slope 0 at -inf. floats. */
CT_API ct_tensor *ct_silu_at(ct_place at, ct_tensor *x);
/* log(1 + e^x), to full precision at both ends. floats. Derivative: 1 / (1 + e^-x). */
CT_API ct_tensor *ct_softplus_at(ct_place at, ct_tensor *x);
/* Neither infinite nor NaN; NaN; infinite; as bool. floats. */
CT_API ct_tensor *ct_is_finite_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_is_nan_at(ct_place at, ct_tensor *x);
CT_API ct_tensor *ct_is_inf_at(ct_place at, ct_tensor *x);
/* x, seen as a constant by differentiation. any. */
CT_API ct_tensor *ct_stop_gradient_at(ct_place at, ct_tensor *x);
/* x converted (see ct_op_convert). Between floats the derivative is the conversion; through an
 * integer or bool it is 0. */
CT_API ct_tensor *ct_cast_at(ct_place at, ct_tensor *x, ct_dtype dtype);

#define ct_neg(x) ct_neg_at(CT_HERE, x)
#define ct_abs(x) ct_abs_at(CT_HERE, x)
#define ct_sign(x) ct_sign_at(CT_HERE, x)
#define ct_square(x) ct_square_at(CT_HERE, x)
#define ct_reciprocal(x) ct_reciprocal_at(CT_HERE, x)
#define ct_exp(x) ct_exp_at(CT_HERE, x)
#define ct_expm1(x) ct_expm1_at(CT_HERE, x)
#define ct_log(x) ct_log_at(CT_HERE, x)
#define ct_log1p(x) ct_log1p_at(CT_HERE, x)
#define ct_sqrt(x) ct_sqrt_at(CT_HERE, x)
#define ct_rsqrt(x) ct_rsqrt_at(CT_HERE, x)
#define ct_cbrt(x) ct_cbrt_at(CT_HERE, x)
#define ct_exp2(x) ct_exp2_at(CT_HERE, x)
#define ct_log2(x) ct_log2_at(CT_HERE, x)
#define ct_log10(x) ct_log10_at(CT_HERE, x)
#define ct_sin(x) ct_sin_at(CT_HERE, x)
#define ct_cos(x) ct_cos_at(CT_HERE, x)
#define ct_tan(x) ct_tan_at(CT_HERE, x)
#define ct_tanh(x) ct_tanh_at(CT_HERE, x)
#define ct_sigmoid(x) ct_sigmoid_at(CT_HERE, x)
#define ct_erf(x) ct_erf_at(CT_HERE, x)
#define ct_asin(x) ct_asin_at(CT_HERE, x)
#define ct_acos(x) ct_acos_at(CT_HERE, x)
#define ct_atan(x) ct_atan_at(CT_HERE, x)
#define ct_asinh(x) ct_asinh_at(CT_HERE, x)
#define ct_acosh(x) ct_acosh_at(CT_HERE, x)
#define ct_atanh(x) ct_atanh_at(CT_HERE, x)
#define ct_sinh(x) ct_sinh_at(CT_HERE, x)
#define ct_cosh(x) ct_cosh_at(CT_HERE, x)
#define ct_erfc(x) ct_erfc_at(CT_HERE, x)
#define ct_erf_inv(x) ct_erf_inv_at(CT_HERE, x)
#define ct_lgamma(x) ct_lgamma_at(CT_HERE, x)
#define ct_digamma(x) ct_digamma_at(CT_HERE, x)
#define ct_polygamma(n, x) ct_polygamma_at(CT_HERE, CT_OPERAND(n), CT_OPERAND(x))
#define ct_zeta(s, q) ct_zeta_at(CT_HERE, CT_OPERAND(s), CT_OPERAND(q))
#define ct_bessel_i1e(x) ct_bessel_i1e_at(CT_HERE, x)
#define ct_next_after(x, y) ct_next_after_at(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
#define ct_gelu(x, form) ct_gelu_at(CT_HERE, x, form)
#define ct_floor(x) ct_floor_at(CT_HERE, x)
#define ct_ceil(x) ct_ceil_at(CT_HERE, x)
#define ct_round(x) ct_round_at(CT_HERE, x)
#define ct_trunc(x) ct_trunc_at(CT_HERE, x)
#define ct_relu(x) ct_relu_at(CT_HERE, x)
#define ct_silu(x) ct_silu_at(CT_HERE, x)
#define ct_softplus(x) ct_softplus_at(CT_HERE, x)
#define ct_is_finite(x) ct_is_finite_at(CT_HERE, x)
#define ct_is_nan(x) ct_is_nan_at(CT_HERE, x)
#define ct_is_inf(x) ct_is_inf_at(CT_HERE, x)
#define ct_stop_gradient(x) ct_stop_gradient_at(CT_HERE, x)
#define ct_cast(x, dtype) ct_cast_at(CT_HERE, x, dtype)

/* ---- Choosing. */

/* x where pred holds, else y; the three broadcast together. pred is bool; x and y are of any one
 * dtype, and at least one is a tensor. The side that is not taken has slope 0, also where it is
 * infinite or NaN. */
CT_API ct_tensor *ct_where_at(ct_place at, ct_tensor *pred, ct_operand x, ct_operand y);
/* min(max(x, lo), hi); NaN if any is; hi wins where lo > hi. integers, floats, bool. Slope 1
 * between the bounds, half on one, 0 outside. */
CT_API ct_tensor *ct_clip_at(ct_place at, ct_tensor *x, ct_operand lo, ct_operand hi);

#define ct_where(pred, x, y) ct_where_at(CT_HERE, pred, CT_OPERAND(x), CT_OPERAND(y))
#define ct_clip(x, lo, hi) ct_clip_at(CT_HERE, x, CT_OPERAND(lo), CT_OPERAND(hi))

#ifdef __cplusplus
}
#endif
#endif
