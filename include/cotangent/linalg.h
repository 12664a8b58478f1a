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
 * integers, floats, complex (CT_ERR_UNSUPPORTED so far); f16 and bf16 are summed in f32. */
CT_API ct_tensor *ct_matmul_at(ct_place at, ct_tensor *x, ct_tensor *y);
#define ct_matmul(...) ct_matmul_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
