/* Ordering along an axis.
 *
 * Equal elements keep their order; -0 and +0 are equal. A NaN, whatever its bits, counts as larger
 * than every number and equal to other NaNs: it comes last in ascending order and first in
 * descending order. integers, floats, bool.
 *
 * The axis may be negative (from the end). Indices are i64, as ct_take_along_axis takes them.
 * Linear in x for the order that x has: each tangent goes with its element. Errors: CT_ERR_SHAPE
 * for an axis that does not exist, CT_ERR_TYPE for a dtype that is not named. */
#ifndef COTANGENT_SORT_H
#define COTANGENT_SORT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ct_order { CT_ASCENDING = 0, CT_DESCENDING = 1 } ct_order;

/* x in order along the axis. */
CT_API ct_tensor *ct_sort_at(ct_place at, ct_tensor *x, int64_t axis, ct_order order);
/* The indices that put x in order: ct_take_along_axis(x, ct_argsort(x, axis, order), axis, …). */
CT_API ct_tensor *ct_argsort_at(ct_place at, ct_tensor *x, int64_t axis, ct_order order);

/* The k largest elements along the last axis in descending order, and their indices: the first k of
 * the above. values or indices may be NULL. CT_ERR_SHAPE unless 0 <= k <= extent. */
CT_API void ct_top_k_at(ct_place at, ct_tensor *x, int64_t k, ct_tensor **values,
                        ct_tensor **indices);

#define ct_sort(...) ct_sort_at(CT_HERE, __VA_ARGS__)
#define ct_argsort(...) ct_argsort_at(CT_HERE, __VA_ARGS__)
#define ct_top_k(...) ct_top_k_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
