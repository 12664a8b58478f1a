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
/* Two axes change places; axes source[i] move to places destination[i] of the result, the others
 * keep their order. */
CT_API ct_tensor *ct_swapaxes_at(ct_place at, ct_tensor *x, int64_t axis1, int64_t axis2);
CT_API ct_tensor *ct_moveaxis_at(ct_place at, ct_tensor *x, ct_axes source, ct_axes destination);
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

/* Fills result[0 … n_results - 1] with parts of x along the axis: equal ones, when n_results
 * divides the extent; or part i up to positions[i], which rise from 0 to the extent (negative ones
 * count from the end), and the last part to the end: one more than there are positions. On failure
 * all are poison. CT_ERR_ARGUMENT for NULL and for a count of results that does not fit the
 * positions. */
CT_API void ct_split_at(ct_place at, ct_tensor *x, int64_t axis, ct_tensor **result,
                        size_t n_results);
CT_API void ct_split_positions_at(ct_place at, ct_tensor *x, ct_shape positions, int64_t axis,
                                  ct_tensor **result, size_t n_results);

/* x beside itself repeats[d] times along axis d; axes are matched from the last one, and either
 * side gets leading 1s. And every element of an axis `count` times, side by side. CT_ERR_RANGE when
 * extents overflow. */
CT_API ct_tensor *ct_tile_at(ct_place at, ct_tensor *x, ct_shape repeats);
CT_API ct_tensor *ct_repeat_at(ct_place at, ct_tensor *x, int64_t count, int64_t axis);

/* Element i of an axis moves to i + shift, and around the end to the beginning; any shifts, one for
 * each axis of the list or one for all of them. */
CT_API ct_tensor *ct_roll_at(ct_place at, ct_tensor *x, ct_shape shifts, ct_axes axes);

/* x with 0 above (below) diagonal k of its last two axes: where column - row > k (< k). */
CT_API ct_tensor *ct_tril_at(ct_place at, ct_tensor *x, int64_t k);
CT_API ct_tensor *ct_triu_at(ct_place at, ct_tensor *x, int64_t k);
/* Of a vector the matrix [n + |k|, n + |k|] with x on diagonal k, where column - row = k, and 0
 * elsewhere; of a matrix its diagonal k, empty where there is none. */
CT_API ct_tensor *ct_diag_at(ct_place at, ct_tensor *x, int64_t k);

#define ct_reshape(...) ct_reshape_at(CT_HERE, __VA_ARGS__)
#define ct_transpose(...) ct_transpose_at(CT_HERE, __VA_ARGS__)
#define ct_swapaxes(...) ct_swapaxes_at(CT_HERE, __VA_ARGS__)
#define ct_moveaxis(...) ct_moveaxis_at(CT_HERE, __VA_ARGS__)
#define ct_squeeze(...) ct_squeeze_at(CT_HERE, __VA_ARGS__)
#define ct_expand_dims(...) ct_expand_dims_at(CT_HERE, __VA_ARGS__)
#define ct_broadcast_to(...) ct_broadcast_to_at(CT_HERE, __VA_ARGS__)
#define ct_slice(...) ct_slice_at(CT_HERE, __VA_ARGS__)
#define ct_flip(...) ct_flip_at(CT_HERE, __VA_ARGS__)
#define ct_pad(x, low, high, value) ct_pad_at(CT_HERE, x, low, high, CT_OPERAND(value))
#define ct_stack(...) ct_stack_at(CT_HERE, __VA_ARGS__)
#define ct_concatenate(...) ct_concatenate_at(CT_HERE, __VA_ARGS__)
#define ct_split(...) ct_split_at(CT_HERE, __VA_ARGS__)
#define ct_split_positions(...) ct_split_positions_at(CT_HERE, __VA_ARGS__)
#define ct_tile(...) ct_tile_at(CT_HERE, __VA_ARGS__)
#define ct_repeat(...) ct_repeat_at(CT_HERE, __VA_ARGS__)
#define ct_roll(...) ct_roll_at(CT_HERE, __VA_ARGS__)
#define ct_tril(...) ct_tril_at(CT_HERE, __VA_ARGS__)
#define ct_triu(...) ct_triu_at(CT_HERE, __VA_ARGS__)
#define ct_diag(...) ct_diag_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
