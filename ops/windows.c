#include "ops/windows.h"

#include <inttypes.h>

/* Comments give the constraint's number in gather, then in scatter. Ranges are checked before what
 * relies on them. */

static bool check_index_vector(ct__infer *q, const ct__windows *w)
{
    const ct_type *indices = w->indices;
    int64_t components = 1;

    if (!ct_dtype_is_integer(indices->dtype))
        return ct__fail(q, CT_ERR_TYPE, "indices must be integers, got %s",
                        ct__type_str(q, indices));
    if (w->index_vector_dim < 0 || w->index_vector_dim > indices->rank) /* C2, C22 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "index_vector_dim = %" PRId64 " must lie in [0, %d], up to the rank of "
                        "indices: %s",
                        w->index_vector_dim, indices->rank, ct__type_str(q, indices));
    if (w->index_vector_dim < indices->rank)
        components = indices->dim[w->index_vector_dim];
    if (w->map.axes.count != (size_t)components) /* C3, C19 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "%s = %s must have one entry for each of the %" PRId64
                        " components of an index in indices: %s",
                        w->map.name, ct__ints_str(q, w->map.axes), components,
                        ct__type_str(q, indices));
    return true;
}

static bool check_operand_axes(ct__infer *q, const ct__windows *w)
{
    const ct__axis_list *inserted = &w->inserted, *batching = &w->batching, *map = &w->map;
    const int rank = w->operand->rank;

    return ct__check_below(q, inserted->name, inserted->axes, rank) &&           /* C8, C11 */
           ct__check_below(q, batching->name, batching->axes, rank) &&           /* C11, C13 */
           ct__check_distinct(q, inserted->name, inserted->axes, batching->name, /* C6, C9 */
                              batching->axes) &&
           ct__check_sorted(q, inserted->name, inserted->axes) &&      /* C7, C10 */
           ct__check_sorted(q, batching->name, batching->axes) &&      /* C10, C12 */
           ct__check_below(q, map->name, map->axes, rank) &&           /* C19, C21 */
           ct__check_distinct(q, map->name, map->axes, batching->name, /* C18, C20 */
                              batching->axes);
}

static bool check_batching_pairs(ct__infer *q, const ct__windows *w)
{
    const ct__ints ours = w->batching.axes, theirs = w->index_batching.axes;

    if (ours.count != theirs.count) /* C16, C17 */
        return ct__fail(q, CT_ERR_SHAPE, "%s = %s and %s = %s must have one length",
                        w->batching.name, ct__ints_str(q, ours), w->index_batching.name,
                        ct__ints_str(q, theirs));
    for (size_t i = 0; i < ours.count; i++)
        if (w->operand->dim[ours.item[i]] != w->indices->dim[theirs.item[i]]) /* C17, C18 */
            return ct__fail(q, CT_ERR_SHAPE,
                            "axis %s[%zu] = %" PRId64 " of %s: %s and axis %s[%zu] = %" PRId64
                            " of indices: %s must have one extent",
                            w->batching.name, i, ours.item[i], ct__operand_str(q, 0),
                            ct__type_str(q, w->operand), w->index_batching.name, i, theirs.item[i],
                            ct__type_str(q, w->indices));
    return true;
}

static bool check_batching(ct__infer *q, const ct__windows *w)
{
    const ct__axis_list *list = &w->index_batching;

    if (!ct__check_below(q, list->name, list->axes, w->indices->rank) ||         /* C14, C15 */
        !ct__check_distinct(q, list->name, list->axes, "", (ct__ints){0, NULL})) /* C13, C14 */
        return false;
    if (ct__ints_contain(list->axes, w->index_vector_dim)) /* C15, C16 */
        return ct__fail(q, CT_ERR_SHAPE, "%s = %s must not name index_vector_dim = %" PRId64,
                        list->name, ct__ints_str(q, list->axes), w->index_vector_dim);
    return check_batching_pairs(q, w);
}

bool ct__check_windows(ct__infer *q, const ct__windows *w)
{
    const size_t axes = w->window.axes.count + w->inserted.axes.count + w->batching.axes.count;

    if (axes != (size_t)w->operand->rank) /* C1, C2 */
        return ct__fail_rank(
            q, "%s, %s and %s must have one entry per axis of %s: %s together, got %zu",
            w->window.name, w->inserted.name, w->batching.name, ct__operand_str(q, 0),
            ct__type_str(q, w->operand), axes);
    return check_index_vector(q, w) && check_operand_axes(q, w) && check_batching(q, w);
}

bool ct__check_window_axes(ct__infer *q, const ct__windows *w, int rank)
{
    return ct__check_axes(q, w->window.name, w->window.axes, rank) && /* C5 and C4, C8 and C7 */
           ct__check_sorted(q, w->window.name, w->window.axes);       /* C4, C7 */
}

int ct__batch_extents(const ct__windows *w, int64_t *extent)
{
    int count = 0;

    for (int d = 0; d < w->indices->rank; d++)
        if (d != w->index_vector_dim)
            extent[count++] = w->indices->dim[d];
    return count;
}

int ct__window_operand_axes(const ct__windows *w, int *axis)
{
    int count = 0;

    for (int d = 0; d < w->operand->rank; d++)
        if (!ct__ints_contain(w->inserted.axes, d) && !ct__ints_contain(w->batching.axes, d))
            axis[count++] = d;
    return count;
}
