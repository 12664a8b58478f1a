/* The strict primitives that read and write at indices, and those that put in order. op.h says what
 * they all have in common. */
#ifndef COTANGENT_OP_INDEX_H
#define COTANGENT_OP_INDEX_H

#include "op_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Indexing. Indices are of any integer dtype. Out of range, a read or update is moved inside
 * (its start is clamped into [0, extent - window]), an element of a scatter is skipped; with strict
 * = true any index out of range is CT_ERR_INDEX when the operation runs. */

/* What is read by index has a cotangent to which the places are added one after the other, where it
 * is, in the order of reverse mode: ((sum + g1) + g2), also where a gather reads a place twice. A
 * -0 in it stays -0 where nothing is added. */

/* Copy a window of x whose corner is chosen at run time. C1: one start per axis, integer scalars of
 * one dtype. C2: 0 <= sizes <= extents. Linear in x. */
CT_API ct_tensor *ct_op_dynamic_slice_at(ct_place at, ct_tensor *x, ct_list start, ct_dims sizes,
                                         bool strict);

/* x with a window overwritten. C1: as above. C2: x and update have one dtype and rank. C3: the
 * update's extents are <= x's. Linear in x and update together. */
CT_API ct_tensor *ct_op_dynamic_update_slice_at(ct_place at, ct_tensor *x, ct_tensor *update,
                                                ct_list start, bool strict);

/* clang-format off */
/* StableHLO's gather: result[batch, offset] = x[start + offset], where start is read from indices
 * at batch, along index_vector_dim, and clamped. Members are StableHLO's attributes of the same
 * names, and constraints have its numbers:
 *
 *   C1   rank(x) = size(offset_dims) + size(collapsed_slice_dims) + size(operand_batching_dims)
 *   C2   0 <= index_vector_dim <= rank(indices)
 *   C3   size(start_index_map) = dim(indices, index_vector_dim), or 1 when that is rank(indices)
 *   C4   offset_dims are unique and sorted
 *   C5   0 <= offset_dims < rank(result)
 *   C6   collapsed_slice_dims and operand_batching_dims together are unique
 *   C7   collapsed_slice_dims are sorted
 *   C8   0 <= collapsed_slice_dims < rank(x)
 *   C9   slice_sizes at collapsed_slice_dims are <= 1
 *   C10  operand_batching_dims are sorted
 *   C11  0 <= operand_batching_dims < rank(x)
 *   C12  slice_sizes at operand_batching_dims are <= 1
 *   C13  start_indices_batching_dims are unique
 *   C14  0 <= start_indices_batching_dims < rank(indices)
 *   C15  index_vector_dim is not in start_indices_batching_dims
 *   C16  as many operand_batching_dims as start_indices_batching_dims
 *   C17  their extents in x and in indices agree, in pairs
 *   C18  start_index_map and operand_batching_dims together are unique
 *   C19  0 <= start_index_map < rank(x)
 *   C20  size(slice_sizes) = rank(x)
 *   C21  0 <= slice_sizes <= shape(x)
 *   C22  shape(result): at offset_dims slice_sizes, but those of collapsed and batching axes; at
 *        the other axes the extents of indices, but that of index_vector_dim
 *   C23  the result has x's dtype
 *
 * All break as CT_ERR_SHAPE; indices that are not integers are CT_ERR_TYPE. Linear in x. */
/* clang-format on */
typedef struct ct_gather_dims {
    ct_dims offset_dims;
    ct_dims collapsed_slice_dims;
    ct_dims operand_batching_dims;
    ct_dims start_indices_batching_dims;
    ct_dims start_index_map;
    int64_t index_vector_dim;
    ct_dims slice_sizes;
    bool indices_are_sorted; /* a promise, not needed */
    bool strict;
} ct_gather_dims;
CT_API ct_tensor *ct_op_gather_at(ct_place at, ct_tensor *x, ct_tensor *indices,
                                  const ct_gather_dims *dims);

/* clang-format off */
/* StableHLO's scatter: x[start + window] = body(x[start + window], update[batch, window]), for
 * every element of update in row-major order, those outside of x left out. body(old…, new…,
 * captures…) gives the values to store. Members are StableHLO's attributes, and constraints have
 * its numbers:
 *
 *   C1   all x have one shape
 *   C2   rank(x[0]) = size(update_window_dims) + size(inserted_window_dims) +
 *        size(input_batching_dims)
 *   C3   all updates have one shape
 *   C4   shape(update): at update_window_dims at most the extents of x's axes that are neither
 *        inserted nor batching; at the other axes the extents of indices, but that of
 *        index_vector_dim
 *   C5   at least one x, and as many updates (CT_ERR_ARGUMENT)
 *   C6   update[i] has the dtype of x[i]
 *   C7   update_window_dims are unique and sorted
 *   C8   0 <= update_window_dims < rank(update[0])
 *   C9   inserted_window_dims and input_batching_dims together are unique
 *   C10  inserted_window_dims are sorted
 *   C11  0 <= inserted_window_dims < rank(x[0])
 *   C12  input_batching_dims are sorted
 *   C13  0 <= input_batching_dims < rank(x[0])
 *   C14  scatter_indices_batching_dims are unique
 *   C15  0 <= scatter_indices_batching_dims < rank(indices)
 *   C16  index_vector_dim is not in scatter_indices_batching_dims
 *   C17  as many input_batching_dims as scatter_indices_batching_dims
 *   C18  their extents in x[0] and in indices agree, in pairs
 *   C19  size(scatter_dims_to_operand_dims) = dim(indices, index_vector_dim), or 1 when that is
 *        rank(indices)
 *   C20  scatter_dims_to_operand_dims and input_batching_dims together are unique
 *   C21  0 <= scatter_dims_to_operand_dims < rank(x[0])
 *   C22  0 <= index_vector_dim <= rank(indices)
 *   C23  the body takes scalars of the x's dtypes, twice, then the captures, and gives scalars of
 *        the x's dtypes
 *   C24  the results have the shape of the x
 *   C25  and their dtypes
 *
 * Derivatives: that of the body, applied to one update after another in this order; a skipped one
 * has none. Where the body adds or overwrites, linear in x and update together. All that tie for
 * the maximum or minimum that one x without captures becomes share its slope evenly. */
/* clang-format on */
typedef struct ct_scatter_dims {
    ct_dims update_window_dims;
    ct_dims inserted_window_dims;
    ct_dims input_batching_dims;
    ct_dims scatter_indices_batching_dims;
    ct_dims scatter_dims_to_operand_dims;
    int64_t index_vector_dim;
    bool indices_are_sorted, unique_indices; /* promises, not needed */
    bool strict;
} ct_scatter_dims;
/* One operand and update; body NULL overwrites. */
CT_API ct_tensor *ct_op_scatter_at(ct_place at, ct_tensor *x, ct_tensor *indices, ct_tensor *update,
                                   ct_function *body, const ct_scatter_dims *dims);
/* Many, with captured values behind; fills result[0 … x.count - 1]. */
CT_API void ct_op_scatter_many_at(ct_place at, ct_list x, ct_tensor *indices, ct_list update,
                                  ct_function *body, ct_list captures, const ct_scatter_dims *dims,
                                  ct_tensor **result);
/* x[i] += update: the scatter that is the transpose of a gather. */
CT_API ct_tensor *ct_op_scatter_add_at(ct_place at, ct_tensor *x, ct_tensor *indices,
                                       ct_tensor *update, const ct_scatter_dims *dims);

/* ---- Ordering. */

/* clang-format off */
/* x along `dimension` in the order that the comparator makes: it takes (left, right) of every x in
 * turn, scalars, then the captures, and says whether left goes first. Elements of which neither
 * goes first keep their order. All x are moved together. Constraints have StableHLO's numbers:
 *
 *   C1  at least one x (CT_ERR_ARGUMENT)
 *   C2  the results have the types of the x
 *   C3  all x have one shape
 *   C4  0 <= dimension < rank(x)
 *   C5  the comparator takes scalars of the x's dtypes, each twice, then the captures, and gives a
 *       bool scalar
 *
 * A comparator that contradicts itself gives some order. Linear in the x for the order that they
 * have: each tangent goes with its element. */
/* clang-format on */
CT_API ct_tensor *ct_op_sort_at(ct_place at, ct_tensor *x, ct_function *comparator,
                                int64_t dimension);
/* Several x, with captured values behind; fills result[0 … x.count - 1]. */
CT_API void ct_op_sort_many_at(ct_place at, ct_list x, ct_function *comparator, ct_list captures,
                               int64_t dimension, ct_tensor **result);

/* The k largest elements along the last axis, the largest first, and their positions, i32; of equal
 * ones the first comes first. Floats are ordered as by CT_COMPARE_TOTALORDER: a positive NaN is the
 * largest, a negative one the smallest. values or indices may be NULL. C1: x is of ints, floats,
 * bool. C2: it has an axis. C3: 0 <= k <= its last extent, which, C4, is below 2^31 (CT_ERR_RANGE).
 * Linear in x for the order that it has. */
CT_API void ct_op_top_k_at(ct_place at, ct_tensor *x, int64_t k, ct_tensor **values,
                           ct_tensor **indices);

/* ---- The same with the caller's place. */

#define ct_op_dynamic_slice(...) ct_op_dynamic_slice_at(CT_HERE, __VA_ARGS__)
#define ct_op_dynamic_update_slice(...) ct_op_dynamic_update_slice_at(CT_HERE, __VA_ARGS__)
#define ct_op_gather(...) ct_op_gather_at(CT_HERE, __VA_ARGS__)
#define ct_op_scatter(...) ct_op_scatter_at(CT_HERE, __VA_ARGS__)
#define ct_op_scatter_many(...) ct_op_scatter_many_at(CT_HERE, __VA_ARGS__)
#define ct_op_scatter_add(...) ct_op_scatter_add_at(CT_HERE, __VA_ARGS__)
#define ct_op_sort(...) ct_op_sort_at(CT_HERE, __VA_ARGS__)
#define ct_op_sort_many(...) ct_op_sort_many_at(CT_HERE, __VA_ARGS__)
#define ct_op_top_k(...) ct_op_top_k_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
