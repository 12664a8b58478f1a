/* Reductions.
 *
 * `axes` may be negative (from the end) and stand in any order. CT_ALL_AXES reduces every axis,
 * CT_AXES() none, which is the identity, and a list those it names. Reduced axes vanish with
 * CT_DROP_AXES and stay with extent 1 with CT_KEEP_AXES.
 *
 * f16 and bf16 are converted to f32, reduced, and converted back. Errors: CT_ERR_SHAPE for an axis
 * that does not exist or is named twice, CT_ERR_TYPE for a dtype that is not named: complex, but
 * for sums, products, means, any and all. */
#ifndef COTANGENT_REDUCE_H
#define COTANGENT_REDUCE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Σ x; 0 of nothing; integers wrap. integers, floats, complex; to count, cast bool. Linear. */
CT_API ct_tensor *ct_sum_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);
/* Π x; 1 of nothing; integers wrap. integers, floats, complex. Derivative: the product of the
 * others, exact where some are 0. */
CT_API ct_tensor *ct_prod_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);
/* Σ x / n; NaN of nothing. floats, complex. Linear. */
CT_API ct_tensor *ct_mean_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);
/* The largest and the smallest; NaN if there is one. Of nothing: the smallest and the largest value
 * of the dtype (infinities for floats, false and true). integers, floats, bool. Equal ones share
 * the slope evenly. */
CT_API ct_tensor *ct_max_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);
CT_API ct_tensor *ct_min_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);

/* Where along one axis the largest and the smallest stand, as i64: the first of equal ones, -0 and
 * +0 being equal, and the first NaN if there is one. integers, floats, bool. CT_ERR_SHAPE for an
 * axis of extent 0 (unless the result is empty). Constant for differentiation. */
CT_API ct_tensor *ct_argmax_at(ct_place at, ct_tensor *x, int64_t axis, ct_keep_axes keep);
CT_API ct_tensor *ct_argmin_at(ct_place at, ct_tensor *x, int64_t axis, ct_keep_axes keep);

/* Whether any or all x are true, or not 0 (NaN is not 0), as bool; false and true of nothing. any.
 * Constant for differentiation. */
CT_API ct_tensor *ct_any_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);
CT_API ct_tensor *ct_all_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);

/* log Σ e^x, without overflow; -inf of nothing. floats. Derivative: the softmax. Where the largest
 * x is infinite it is the result, and slopes are those of ct_max. */
CT_API ct_tensor *ct_logsumexp_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);
/* e^x / Σ e^x and its logarithm, in x's shape, without overflow; the sum runs over the axes. NaN
 * where the largest x is infinite. floats. Derivatives: y (dx - Σ y dx) and dx - Σ e^y dx. */
CT_API ct_tensor *ct_softmax_at(ct_place at, ct_tensor *x, ct_axes axes);
CT_API ct_tensor *ct_log_softmax_at(ct_place at, ct_tensor *x, ct_axes axes);

/* Σ (x - mean)^2 / (n - ddof) and its square root; NaN or infinite where n <= ddof. Two passes: no
 * digits are lost to a mean far from 0, and equal x give exactly 0. floats. Derivatives: 2 (x -
 * mean) / (n - ddof), and (x - mean) / ((n - ddof) std), which is 0 where all x are equal. */
CT_API ct_tensor *ct_var_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep,
                            int64_t ddof);
CT_API ct_tensor *ct_std_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep,
                            int64_t ddof);
/* The square root of Σ x^2, of all axes together; 0 of nothing, |x| for CT_AXES(). Squares neither
 * overflow nor underflow where the result does not, nor what its derivatives are made of up to the
 * second. floats. Derivative: x / norm, 0 where all x are
 * 0. An infinite norm has the slopes of the largest |x|. */
CT_API ct_tensor *ct_norm_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);

#define ct_sum(...) ct_sum_at(CT_HERE, __VA_ARGS__)
#define ct_prod(...) ct_prod_at(CT_HERE, __VA_ARGS__)
#define ct_mean(...) ct_mean_at(CT_HERE, __VA_ARGS__)
#define ct_max(...) ct_max_at(CT_HERE, __VA_ARGS__)
#define ct_min(...) ct_min_at(CT_HERE, __VA_ARGS__)
#define ct_argmax(...) ct_argmax_at(CT_HERE, __VA_ARGS__)
#define ct_argmin(...) ct_argmin_at(CT_HERE, __VA_ARGS__)
#define ct_any(...) ct_any_at(CT_HERE, __VA_ARGS__)
#define ct_all(...) ct_all_at(CT_HERE, __VA_ARGS__)
#define ct_logsumexp(...) ct_logsumexp_at(CT_HERE, __VA_ARGS__)
#define ct_softmax(...) ct_softmax_at(CT_HERE, __VA_ARGS__)
#define ct_log_softmax(...) ct_log_softmax_at(CT_HERE, __VA_ARGS__)
#define ct_var(...) ct_var_at(CT_HERE, __VA_ARGS__)
#define ct_std(...) ct_std_at(CT_HERE, __VA_ARGS__)
#define ct_norm(...) ct_norm_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
