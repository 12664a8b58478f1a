/* Matrix products. */
#ifndef COTANGENT_LINALG_H
#define COTANGENT_LINALG_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The matrix product, by NumPy's rules.
 *
 *   x        […, m, k], or [k] for a row vector
 *   y        […, k, n], or [k] for a column vector
 *   returns  […, m, n], without m or n for a vector; leading axes broadcast, without being copied
 *   errors   CT_ERR_TYPE for bool or two dtypes; CT_ERR_SHAPE for scalars, for two values of k
 *            and for leading axes that do not broadcast
 *   derivs   bilinear
 *
 * integers, floats; f16 and bf16 are summed in f32. */
CT_API ct_tensor *ct_matmul_at(ct_place at, ct_tensor *x, ct_tensor *y);

/* Σ over the last axis of x and the last but one of y (its only one, of a vector), without pairing
 * leading axes: the result's axes are the others of x, then the others of y. With a scalar the
 * product of each element. Dtypes, errors and derivatives as those of ct_matmul. */
CT_API ct_tensor *ct_dot_at(ct_place at, ct_tensor *x, ct_tensor *y);

/* The same over the last n axes of x and the first n of y, in their order; or over pairs of axes,
 * x_axes[i] with y_axes[i], whose extents agree. CT_ERR_SHAPE unless 0 <= n <= both ranks, and for
 * lists of two lengths. */
CT_API ct_tensor *ct_tensordot_at(ct_place at, ct_tensor *x, ct_tensor *y, int64_t n);
CT_API ct_tensor *ct_tensordot_axes_at(ct_place at, ct_tensor *x, ct_tensor *y, ct_axes x_axes,
                                       ct_axes y_axes);

/* [size(x), size(y)]: the products of all pairs of elements. any. Bilinear. */
CT_API ct_tensor *ct_outer_at(ct_place at, ct_tensor *x, ct_tensor *y);

#define ct_matmul(...) ct_matmul_at(CT_HERE, __VA_ARGS__)
#define ct_dot(...) ct_dot_at(CT_HERE, __VA_ARGS__)
#define ct_tensordot(...) ct_tensordot_at(CT_HERE, __VA_ARGS__)
#define ct_tensordot_axes(...) ct_tensordot_axes_at(CT_HERE, __VA_ARGS__)
#define ct_outer(...) ct_outer_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
