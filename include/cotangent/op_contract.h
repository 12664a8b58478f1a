/* The strict primitives that fold axes: reductions, windows, products. op.h says what they all have
 * in common. */
#ifndef COTANGENT_OP_CONTRACT_H
#define COTANGENT_OP_CONTRACT_H

#include "op_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Contracting. */

/* Fold along axes, from init, in row-major order: body(accumulated, element) -> accumulated. C1: x
 * and init have one dtype, init is a scalar, all x one shape. C2: axes are distinct and below the
 * rank. C3: the body takes and gives scalars of these dtypes. Derivatives: that of the fold, of any
 * body; linear where that is. Products have theirs without a division. All that tie for the maximum
 * or minimum of one x, by a body without captures, share its slope evenly. */
CT_API ct_tensor *ct_op_reduce_at(ct_place at, ct_tensor *x, ct_tensor *init, ct_function *body,
                                  ct_dims axes);
/* Several operands of one shape together; body(accumulated…, elements…, captures…). */
CT_API void ct_op_reduce_many_at(ct_place at, ct_list x, ct_list init, ct_function *body,
                                 ct_list captures, ct_dims axes, ct_tensor **result);
/* The usual ones: init 0, which f8E8M0FNU has not (CT_ERR_TYPE), the smallest and the largest value
 * of the dtype (infinities where it has them). */
CT_API ct_tensor *ct_op_reduce_add_at(ct_place at, ct_tensor *x, ct_dims axes);
CT_API ct_tensor *ct_op_reduce_max_at(ct_place at, ct_tensor *x, ct_dims axes);
CT_API ct_tensor *ct_op_reduce_min_at(ct_place at, ct_tensor *x, ct_dims axes);

/* clang-format off */
/* StableHLO's reduce_window: every element of the result folds a window of x from init, in
 * row-major order of the window. x is widened first: base_dilations - 1 elements between neighbours
 * and padding at both ends, all of them init (padding may be negative and takes elements away).
 * Window o begins at o window_strides, and its elements lie window_dilations apart. Per axis
 *
 *   widened = low + (dim > 0 ? (dim - 1) base_dilation + 1 : 0) + high
 *   window  = (window_dimension - 1) window_dilation + 1
 *   result  = widened < window ? 0 : floor((widened - window) / stride) + 1
 *
 * body(accumulated…, element…, captures…) gives the next accumulated values. An empty list stands
 * for 1s, of padding for 0s. Constraints have StableHLO's numbers:
 *
 *   C1   at least one x, and as many init, scalars (CT_ERR_ARGUMENT, CT_ERR_SHAPE)
 *   C2   all x have one shape
 *   C3   init[i] has the dtype of x[i] (CT_ERR_TYPE)
 *   C4   size(window_dimensions) = rank(x)
 *   C5   window_dimensions > 0
 *   C6   size(window_strides) = rank(x)
 *   C7   window_strides > 0
 *   C8   size(base_dilations) = rank(x)
 *   C9   base_dilations > 0
 *   C10  size(window_dilations) = rank(x)
 *   C11  window_dilations > 0
 *   C12  size(padding_low) = size(padding_high) = rank(x)
 *   C13  the body takes scalars of the x's dtypes, twice, then the captures, and gives scalars of
 *        the x's dtypes
 *   C14  all results have one shape
 *   C15  which is that of the formula
 *   C16  and the x's dtypes
 *
 * Derivatives: that of the fold, of any body; linear where that is. Products have theirs without a
 * division. The slope of the maximum or minimum of one x, by a body without captures, is that of
 * the first element in row-major order that is the extreme; an init that is the dtype's own bound
 * is not a candidate, another one is the first. */
/* clang-format on */
typedef struct ct_window_dims {
    ct_dims window_dimensions;
    ct_dims window_strides;
    ct_dims base_dilations;
    ct_dims window_dilations;
    ct_dims padding_low, padding_high;
} ct_window_dims;
CT_API ct_tensor *ct_op_reduce_window_at(ct_place at, ct_tensor *x, ct_tensor *init,
                                         ct_function *body, const ct_window_dims *dims);
/* Several operands of one shape together, with captured values behind. */
CT_API void ct_op_reduce_window_many_at(ct_place at, ct_list x, ct_list init, ct_function *body,
                                        ct_list captures, const ct_window_dims *dims,
                                        ct_tensor **result);
/* The usual ones, from the init of reduce_add and so on. */
CT_API ct_tensor *ct_op_reduce_window_add_at(ct_place at, ct_tensor *x, const ct_window_dims *dims);
CT_API ct_tensor *ct_op_reduce_window_max_at(ct_place at, ct_tensor *x, const ct_window_dims *dims);
CT_API ct_tensor *ct_op_reduce_window_min_at(ct_place at, ct_tensor *x, const ct_window_dims *dims);

typedef struct ct_dot_dims {
    ct_dims lhs_batching, rhs_batching;
    ct_dims lhs_contracting, rhs_contracting;
    ct_dtype dtype;                           /* of the result; 0: that of x */
    const char *precision_config, *algorithm; /* kept and printed; may be NULL */
} ct_dot_dims;
/* Σ over the contracting axes of x y: result axes are batching, free ones of x, free ones of y. C1:
 * one dtype; none is asked for where dtype is given, to which both are converted first. C2: paired
 * lists of equal length. C3: axes distinct, in range, batching and contracting apart. C4: paired
 * extents agree. C5: precision_config is two of DEFAULT, HIGH, HIGHEST: "HIGH, DEFAULT". C6:
 * algorithm has StableHLO's parts, "lhs_precision_type = tf32, …", and precisions beside it are
 * DEFAULT. f16 and bf16 are summed in f32. Bilinear. */
CT_API ct_tensor *ct_op_dot_general_at(ct_place at, ct_tensor *x, ct_tensor *y,
                                       const ct_dot_dims *dims);

typedef struct ct_ragged_dot_dims {
    ct_dims lhs_batching, rhs_batching;
    ct_dims lhs_contracting, rhs_contracting;
    ct_dims lhs_ragged; /* one axis of x, whose places are cut into consecutive groups */
    ct_dims rhs_group;  /* the axis of y that the groups choose from, where there is one */
} ct_ragged_dot_dims;
/* A product in which the groups of one axis of x, of these sizes, keep apart. By what that axis is:
 *
 *   free         x [b,m,k], y [g,b,k,n] -> [b,m,n]: row m meets the y of its group; 0 without one
 *   contracting  x [b,m,k], y [b,k,n] -> [g,b,m,n]: a product per group of k
 *   batching     x [b,m,k], y [b,k,n] -> [b,m,n]: as dot_general
 *
 * group_sizes is [g], or a row [p…, g] for each place on the axes before the ragged one: batching
 * ones, then those of its kind. Negative sizes count as 0. C1 to C4 as dot_general. C5: lhs_ragged
 * is one axis. C6: group_sizes are integers of such a shape. C7: rhs_group is one axis of y of
 * extent g for a free axis, else none; apart from its other lists. Bilinear. */
CT_API ct_tensor *ct_op_ragged_dot_at(ct_place at, ct_tensor *x, ct_tensor *y,
                                      ct_tensor *group_sizes, const ct_ragged_dot_dims *dims);

/* ---- The same with the caller's place. */

#define ct_op_reduce(...) ct_op_reduce_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_many(...) ct_op_reduce_many_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_add(...) ct_op_reduce_add_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_max(...) ct_op_reduce_max_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_min(...) ct_op_reduce_min_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window(...) ct_op_reduce_window_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window_many(...) ct_op_reduce_window_many_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window_add(...) ct_op_reduce_window_add_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window_max(...) ct_op_reduce_window_max_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_window_min(...) ct_op_reduce_window_min_at(CT_HERE, __VA_ARGS__)
#define ct_op_dot_general(...) ct_op_dot_general_at(CT_HERE, __VA_ARGS__)
#define ct_op_ragged_dot(...) ct_op_ragged_dot_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
