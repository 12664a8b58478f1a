/* The strict primitives that make data and move it. op.h says what they all have in common. */
#ifndef COTANGENT_OP_DATA_H
#define COTANGENT_OP_DATA_H

#include "base.h"
#include "dtype.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whole numbers per axis or lists of axes: CT_DIMS(2, 0, 1). Axes are not negative here. */
typedef ct_shape ct_dims;
#define CT_DIMS(...) CT_SHAPE(__VA_ARGS__)

/* ---- Making. The position along `axis`, converted to dtype. Recorded while a trace is open. C1:
 * ints, floats or complex. C2: axis < rank. */
CT_API ct_tensor *ct_op_iota_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_dims shape,
                                int64_t axis);

/* ---- Moving data. All dtypes; linear in x. On concrete operands broadcast_in_dim, transpose,
 * slice, reverse and most reshapes are views without a copy. */

/* result[i] = x[i[dims[0]], i[dims[1]], …], where extents 1 repeat. C1: one entry of dims per axis
 * of x. C2: entries are distinct and below the result's rank. C3: x's extent is 1 or the result's.
 * Linear: the cotangent is summed over what was repeated. */
CT_API ct_tensor *ct_op_broadcast_in_dim_at(ct_place at, ct_tensor *x, ct_dims shape, ct_dims dims);

/* The operands one after another along `axis`. C1: one dtype, one rank. C2: axis < rank. C3: other
 * extents agree. C4: at least one operand (CT_ERR_ARGUMENT). Linear: each operand gets its slice of
 * the cotangent. */
CT_API ct_tensor *ct_op_concatenate_at(ct_place at, ct_list x, int64_t axis);

/* result[low[d] + i[d] (interior[d] + 1)] = x[i] where that is inside, value elsewhere. C1: value
 * is a scalar of x's dtype. C2: one entry per axis. C3: interior >= 0. C4: result extents are >= 0.
 * low and high may be negative. Linear in x and value together: x gets the cotangent by a slice
 * with strides, zero where it was cut off; value the sum of the rest. */
CT_API ct_tensor *ct_op_pad_at(ct_place at, ct_tensor *x, ct_tensor *value, ct_dims low,
                               ct_dims high, ct_dims interior);

/* The same elements in row-major order. C1: as many elements. Linear: the cotangent is reshaped
 * back. */
CT_API ct_tensor *ct_op_reshape_at(ct_place at, ct_tensor *x, ct_dims shape);

/* Read backwards along the axes. C1: axes are distinct and below the rank. Linear: so is the
 * cotangent. */
CT_API ct_tensor *ct_op_reverse_at(ct_place at, ct_tensor *x, ct_dims axes);

/* result[i] = x[start + i stride]; ceil((limit - start) / stride) elements. C1: one entry per axis.
 * C2: 0 <= start <= limit <= extent. C3: stride > 0. Linear: the cotangent is padded with zeros. */
CT_API ct_tensor *ct_op_slice_at(ct_place at, ct_tensor *x, ct_dims start, ct_dims limit,
                                 ct_dims stride);

/* Axis d of the result is axis permutation[d] of x. C1: a permutation of the axes. Linear: the
 * cotangent is permuted by the inverse. */
CT_API ct_tensor *ct_op_transpose_at(ct_place at, ct_tensor *x, ct_dims permutation);

/* ---- The same with the caller's place. */

#define ct_op_iota(...) ct_op_iota_at(CT_HERE, __VA_ARGS__)
#define ct_op_broadcast_in_dim(...) ct_op_broadcast_in_dim_at(CT_HERE, __VA_ARGS__)
#define ct_op_concatenate(...) ct_op_concatenate_at(CT_HERE, __VA_ARGS__)
#define ct_op_pad(...) ct_op_pad_at(CT_HERE, __VA_ARGS__)
#define ct_op_reshape(...) ct_op_reshape_at(CT_HERE, __VA_ARGS__)
#define ct_op_reverse(...) ct_op_reverse_at(CT_HERE, __VA_ARGS__)
#define ct_op_slice(...) ct_op_slice_at(CT_HERE, __VA_ARGS__)
#define ct_op_transpose(...) ct_op_transpose_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
