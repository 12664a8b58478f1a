/* The constraints are StableHLO's, by its numbers; windows.c checks those on lists alone.
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
 * the other axes the extents of indices, but that of index_vector_dim C23  the result has x's dtype
 */
#include "ops/windows.h"

#include <inttypes.h>

static bool check_sizes(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const ct__ints sizes = q->attrs->gather.slice_sizes;

    if (!ct__check_per_axis(q, "slice_sizes", sizes, 0)) /* C20 */
        return false;
    for (int d = 0; d < x->rank; d++)
        if (sizes.item[d] < 0 || sizes.item[d] > x->dim[d]) /* C21 */
            return ct__fail(q, CT_ERR_SHAPE, "slice_sizes[%d] = %" PRId64 " does not fit x: %s", d,
                            sizes.item[d], ct__type_str(q, x));
    return true;
}

static bool check_at_most_one(ct__infer *q, const ct__axis_list *list)
{
    const ct__ints sizes = q->attrs->gather.slice_sizes;

    for (size_t i = 0; i < list->axes.count; i++)
        if (sizes.item[list->axes.item[i]] > 1)
            return ct__fail(q, CT_ERR_SHAPE,
                            "slice_sizes[%" PRId64 "] = %" PRId64
                            " must be at most 1, since %s = %s names its axis",
                            list->axes.item[i], sizes.item[list->axes.item[i]], list->name,
                            ct__ints_str(q, list->axes));
    return true;
}

/* C22 and C23. */
static bool gather_result(ct__infer *q, const ct__windows *w)
{
    int64_t batch[CT__MAX_RANK], dim[2 * CT__MAX_RANK];
    int axis[CT__MAX_RANK];
    const int rank = ct__batch_extents(w, batch) + ct__window_operand_axes(w, axis);
    int batches = 0, windows = 0;

    if (!ct__check_window_axes(q, w, rank)) /* C4, C5 */
        return false;
    for (int d = 0; d < rank; d++)
        dim[d] = ct__ints_contain(w->window.axes, d)
                     ? q->attrs->gather.slice_sizes.item[axis[windows++]]
                     : batch[batches++];
    return ct__result(q, w->operand->dtype, (size_t)rank, dim);
}

bool ct__infer_gather(ct__infer *q)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;
    const ct__windows w = {
        .operand = q->in[0],
        .indices = q->in[1],
        .window = {"offset_dims", a->offset_dims},
        .inserted = {"collapsed_slice_dims", a->collapsed_slice_dims},
        .batching = {"operand_batching_dims", a->operand_batching_dims},
        .index_batching = {"start_indices_batching_dims", a->start_indices_batching_dims},
        .map = {"start_index_map", a->start_index_map},
        .index_vector_dim = a->index_vector_dim,
    };

    return ct__check_windows(q, &w) &&          /* C1 to C3, C6 to C8, C10, C11, C13 to C19 */
           check_sizes(q) &&                    /* C20, C21 */
           check_at_most_one(q, &w.inserted) && /* C9 */
           check_at_most_one(q, &w.batching) && /* C12 */
           gather_result(q, &w);                /* C4, C5, C22, C23 */
}
