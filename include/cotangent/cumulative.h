/* Running folds along an axis: result[i] folds x[0] … x[i] or, with `reverse`, x[i] … x[n-1] from
 * the end. The result has x's type.
 *
 * The axis may be negative (from the end). Sums and products of f16 and bf16 are made in f32 and
 * converted back. Errors: CT_ERR_SHAPE for an axis that does not exist, CT_ERR_TYPE for a dtype
 * that is not named. */
#ifndef COTANGENT_CUMULATIVE_H
#define COTANGENT_CUMULATIVE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sums; integers wrap. integers, floats. Linear. */
CT_API ct_tensor *ct_cumsum_at(ct_place at, ct_tensor *x, int64_t axis, bool reverse);
/* Products; integers wrap. integers, floats. Derivative: the product of the others, exact
 * where some are 0. */
CT_API ct_tensor *ct_cumprod_at(ct_place at, ct_tensor *x, int64_t axis, bool reverse);
/* The largest and the smallest so far; NaN from the first one on. integers, floats, bool. The slope
 * goes to the first of equal ones. */
CT_API ct_tensor *ct_cummax_at(ct_place at, ct_tensor *x, int64_t axis, bool reverse);
CT_API ct_tensor *ct_cummin_at(ct_place at, ct_tensor *x, int64_t axis, bool reverse);

#define ct_cumsum(...) ct_cumsum_at(CT_HERE, __VA_ARGS__)
#define ct_cumprod(...) ct_cumprod_at(CT_HERE, __VA_ARGS__)
#define ct_cummax(...) ct_cummax_at(CT_HERE, __VA_ARGS__)
#define ct_cummin(...) ct_cummin_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
