/* Reading and writing at places chosen at run time.
 *
 * Indices are tensors of any integer dtype. An index is the start of a window (of 1 element for
 * take and the _along_axis); it is in range when 0 <= index <= dim - window. What happens
 * to the others is the mode. The way of an index never overflows: an i8 may point into 300
 * elements, and u64 is not read as signed.
 *
 * All are linear in the values that they move and constant in the indices. The slope of a clamped
 * read goes to the element that was read; those of a filled read and a skipped write are 0.
 *
 * CT_FILL is for reading and CT_SKIP for writing; the other way round they are CT_ERR_ARGUMENT.
 * Other errors: CT_ERR_TYPE for indices that are not integers, CT_ERR_SHAPE for shapes that do not
 * fit, for a window larger than its dim, and for reading or writing along an axis of extent 0; they
 * are raised when the graph is built. */
#ifndef COTANGENT_INDEX_H
#define COTANGENT_INDEX_H

#include "base.h"
#include "dtype.h"
#include "operand.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ct_index_kind {
    CT_INDEX_CLAMP = 0,  /* to the nearest index in range */
    CT_INDEX_WRAP = 1,   /* a negative one counts from the end: i + dim; then clamped */
    CT_INDEX_STRICT = 2, /* CT_ERR_INDEX when the operation runs; it gives the count and the first
                          * ten positions in the indices as they are read, after broadcasting */
    CT_INDEX_FILL = 3,   /* elements out of range read as a given value; negative is out of range */
    CT_INDEX_SKIP = 4    /* elements out of range are not written; negative is out of range */
} ct_index_kind;

typedef struct ct_index_mode {
    ct_index_kind kind;
    ct_operand fill; /* of CT_INDEX_FILL: a number or a scalar tensor of x's dtype */
} ct_index_mode;

CT__INLINE ct_index_mode ct_index_mode_new(ct_index_kind kind, ct_operand fill)
{
    ct_index_mode mode;
    mode.kind = kind;
    mode.fill = fill;
    return mode;
}

#define CT_CLAMP (ct_index_mode_new(CT_INDEX_CLAMP, ct_operand_signed(0)))
#define CT_WRAP (ct_index_mode_new(CT_INDEX_WRAP, ct_operand_signed(0)))
#define CT_STRICT (ct_index_mode_new(CT_INDEX_STRICT, ct_operand_signed(0)))
#define CT_SKIP (ct_index_mode_new(CT_INDEX_SKIP, ct_operand_signed(0)))
#define CT_FILL(value) (ct_index_mode_new(CT_INDEX_FILL, CT_OPERAND(value)))

/* x at these positions of an axis: the indices' axes stand in the place of that axis, so the
 * result's shape is shape(x)[:axis] + shape(indices) + shape(x)[axis+1:]. */
CT_API ct_tensor *ct_take_at(ct_place at, ct_tensor *x, ct_tensor *indices, int64_t axis,
                             ct_index_mode mode);

/* result[…, i, …] = x[…, indices[…, i, …], …]: one index per result element. Ranks are equal;
 * extents agree but on the axis, where the result has that of the indices; elsewhere extent 1
 * stretches. */
CT_API ct_tensor *ct_take_along_axis_at(ct_place at, ct_tensor *x, ct_tensor *indices, int64_t axis,
                                        ct_index_mode mode);

/* The window of x with this corner (one integer scalar of one dtype per axis, CT_NO_TENSORS for
 * rank 0) and these extents. A clamped window is moved inside as a whole; a filled one stays, and
 * its elements outside of x are the value. */
CT_API ct_tensor *ct_dynamic_slice_at(ct_place at, ct_tensor *x, ct_list start, ct_shape sizes,
                                      ct_index_mode mode);

/* x with a window overwritten by update, of x's dtype and rank. A clamped window is moved inside as
 * a whole; one with CT_SKIP stays, and what is outside of x is left out. */
CT_API ct_tensor *ct_dynamic_update_slice_at(ct_place at, ct_tensor *x, ct_tensor *update,
                                             ct_list start, ct_index_mode mode);

/* x with update, a number or a tensor of x's dtype, written or added at places of an axis:
 *
 *     put  result[…, indices[…, i, …], …]  = update[…, i, …]
 *     add  result[…, indices[…, i, …], …] += update[…, i, …]
 *
 * Ranks of x and indices are equal; extents agree but on the axis, where extent 1 of the indices
 * stretches, and update broadcasts to the shape of the indices. Elements are written in row-major
 * order, so of several at one place the last stays, and it alone has a slope. */
CT_API ct_tensor *ct_put_along_axis_at(ct_place at, ct_tensor *x, ct_tensor *indices,
                                       ct_operand update, int64_t axis, ct_index_mode mode);
CT_API ct_tensor *ct_add_along_axis_at(ct_place at, ct_tensor *x, ct_tensor *indices,
                                       ct_operand update, int64_t axis, ct_index_mode mode);

/* [shape(indices), n]: 1 at the index, else 0; a row of zeros for an index out of range. (Other
 * modes: ct_put_along_axis into zeros.) */
CT_API ct_tensor *ct_one_hot_at(ct_place at, ct_tensor *indices, int64_t n, ct_dtype dtype);

/* How many indices are out of range (after wrapping, with CT_WRAP) for windows of `window` elements
 * in an axis of `dim`: an i64 scalar, computed where the graph runs. 0 <= window <= dim. */
CT_API ct_tensor *ct_count_out_of_range_at(ct_place at, ct_tensor *indices, int64_t dim,
                                           int64_t window, ct_index_mode mode);

#define ct_take(x, indices, axis, mode) ct_take_at(CT_HERE, x, indices, axis, mode)
#define ct_take_along_axis(x, indices, axis, mode)                                                 \
    ct_take_along_axis_at(CT_HERE, x, indices, axis, mode)
#define ct_dynamic_slice(...) ct_dynamic_slice_at(CT_HERE, __VA_ARGS__)
#define ct_dynamic_update_slice(...) ct_dynamic_update_slice_at(CT_HERE, __VA_ARGS__)
#define ct_put_along_axis(x, indices, update, axis, mode)                                          \
    ct_put_along_axis_at(CT_HERE, x, indices, CT_OPERAND(update), axis, mode)
#define ct_add_along_axis(x, indices, update, axis, mode)                                          \
    ct_add_along_axis_at(CT_HERE, x, indices, CT_OPERAND(update), axis, mode)
#define ct_one_hot(...) ct_one_hot_at(CT_HERE, __VA_ARGS__)
#define ct_count_out_of_range(...) ct_count_out_of_range_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
