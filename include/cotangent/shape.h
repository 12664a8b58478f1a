/* Shapes: the same elements in another arrangement.
 *
 * All dtypes; all linear in their tensors. Axes may be negative (from the end). On concrete tensors
 * most are views that copy nothing. Errors: CT_ERR_SHAPE for shapes, axes and bounds that do not
 * fit, CT_ERR_TYPE for lists of several dtypes. */
#ifndef COTANGENT_SHAPE_H
#define COTANGENT_SHAPE_H

#include "base.h"
#include "operand.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The same elements in row-major order; one extent may be -1 and follows from the others (an error
 * when one of those is 0). */
CT_API ct_tensor *ct_reshape_at(ct_place at, ct_tensor *x, ct_shape shape);
/* Axis i of the result is axis axes[i] of x; CT_ALL_AXES reverses them all. */
CT_API ct_tensor *ct_transpose_at(ct_place at, ct_tensor *x, ct_axes axes);
/* Without the axes, whose extents are 1; CT_ALL_AXES: without all axes of extent 1. */
CT_API ct_tensor *ct_squeeze_at(ct_place at, ct_tensor *x, ct_axes axes);
/* With new axes of extent 1, at these positions of the result. */
CT_API ct_tensor *ct_expand_dims_at(ct_place at, ct_tensor *x, ct_axes axes);
/* x repeated: axes are matched from the last one, and extent 1 stretches. */
CT_API ct_tensor *ct_broadcast_to_at(ct_place at, ct_tensor *x, ct_shape shape);

/* The elements from start, in steps of stride, up to and without limit: one entry per axis.
 * Negative starts and limits count from the end, CT_END stands for the extent. Nothing is clipped:
 * it must be 0 <= start <= limit <= extent and stride >= 1. Strides CT_SHAPE() are all 1. */
CT_API ct_tensor *ct_slice_at(ct_place at, ct_tensor *x, ct_shape start, ct_shape limit,
                              ct_shape stride);
#define CT_END INT64_MAX

/* Backwards along the axes. */
CT_API ct_tensor *ct_flip_at(ct_place at, ct_tensor *x, ct_axes axes);
/* low[d] copies of the value before and high[d] after axis d; negative ones remove elements. The
 * value is a number or a scalar of x's dtype. */
CT_API ct_tensor *ct_pad_at(ct_place at, ct_tensor *x, ct_shape low, ct_shape high,
                            ct_operand value);

/* Tensors of one shape side by side on a new axis of the result; one after another on an axis that
 * they have, where they may differ. At least one tensor. */
CT_API ct_tensor *ct_stack_at(ct_place at, ct_list x, int64_t axis);
CT_API ct_tensor *ct_concatenate_at(ct_place at, ct_list x, int64_t axis);

#define ct_reshape(...) ct_reshape_at(CT_HERE, __VA_ARGS__)
#define ct_transpose(...) ct_transpose_at(CT_HERE, __VA_ARGS__)
#define ct_squeeze(...) ct_squeeze_at(CT_HERE, __VA_ARGS__)
#define ct_expand_dims(...) ct_expand_dims_at(CT_HERE, __VA_ARGS__)
#define ct_broadcast_to(...) ct_broadcast_to_at(CT_HERE, __VA_ARGS__)
#define ct_slice(...) ct_slice_at(CT_HERE, __VA_ARGS__)
#define ct_flip(...) ct_flip_at(CT_HERE, __VA_ARGS__)
#define ct_pad(x, low, high, value) ct_pad_at(CT_HERE, x, low, high, CT_OPERAND(value))
#define ct_stack(...) ct_stack_at(CT_HERE, __VA_ARGS__)
#define ct_concatenate(...) ct_concatenate_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
