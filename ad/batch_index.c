/* Batching of operations that index. Starts of the lanes' own make gathers and scatters, whose
 * batching axes are the lanes: no index is computed, so that none overflows its dtype. */
#include "ad/batch.h"

/* ---- gather. */

/* x alone is batched: all its lanes are a part of every window. */
static void gather_lanes(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    struct ct__attrs_gather *a = &attrs.gather;
    a->offset_dims = ct__batch_behind(q, 0, a->offset_dims);
    a->collapsed_slice_dims = ct__batch_shifted(q, a->collapsed_slice_dims);
    a->operand_batching_dims = ct__batch_shifted(q, a->operand_batching_dims);
    a->start_index_map = ct__batch_shifted(q, a->start_index_map);
    a->slice_sizes = ct__batch_prepended(q, q->size, a->slice_sizes);
    ct__batch_apply(q, &attrs, 2, q->x);
}

/* Index vectors of several lanes are not sorted together. */
static void gather_by_lane(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    struct ct__attrs_gather *a = &attrs.gather;
    a->offset_dims = ct__batch_shifted(q, a->offset_dims);
    a->start_indices_batching_dims = ct__batch_shifted(q, a->start_indices_batching_dims);
    a->index_vector_dim++;
    a->indices_are_sorted = false;
    if (q->batched[0]) {
        a->collapsed_slice_dims = ct__batch_shifted(q, a->collapsed_slice_dims);
        a->operand_batching_dims = ct__batch_behind(q, 0, a->operand_batching_dims);
        a->start_indices_batching_dims = ct__batch_prepended(q, 0, a->start_indices_batching_dims);
        a->start_index_map = ct__batch_shifted(q, a->start_index_map);
        a->slice_sizes = ct__batch_prepended(q, q->size < 1 ? q->size : 1, a->slice_sizes);
    }
    ct__batch_apply(q, &attrs, 2, q->x);
}

void ct__batch_gather(ct__batch *q)
{
    if (q->batched[1])
        gather_by_lane(q);
    else
        gather_lanes(q);
}

/* ---- scatter: x…, indices, update…, captures…. */

/* The lanes of operands and updates are a part of every window. */
static void scatter_lanes(const ct__batch *q, struct ct__attrs_scatter *a)
{
    a->update_window_dims = ct__batch_behind(q, 0, a->update_window_dims);
    a->inserted_window_dims = ct__batch_shifted(q, a->inserted_window_dims);
    a->input_batching_dims = ct__batch_shifted(q, a->input_batching_dims);
    a->scatter_dims_to_operand_dims = ct__batch_shifted(q, a->scatter_dims_to_operand_dims);
}

static void scatter_by_lane(const ct__batch *q, struct ct__attrs_scatter *a)
{
    a->update_window_dims = ct__batch_shifted(q, a->update_window_dims);
    a->inserted_window_dims = ct__batch_shifted(q, a->inserted_window_dims);
    a->input_batching_dims = ct__batch_behind(q, 0, a->input_batching_dims);
    a->scatter_indices_batching_dims = ct__batch_behind(q, 0, a->scatter_indices_batching_dims);
    a->scatter_dims_to_operand_dims = ct__batch_shifted(q, a->scatter_dims_to_operand_dims);
    a->index_vector_dim++;
    a->indices_are_sorted = false;
}

void ct__batch_scatter(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    size_t n = (size_t)attrs.scatter.n_inputs;
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_operands);
    if (ct__batch_any(q, 2 * n + 1)) {
        ct__batch_loop(q);
        return;
    }
    if (!operand) {
        ct__error_memory(q->ctx, q->at, "vmap");
        ct__batch_fail(q);
        return;
    }
    if (q->batched[n])
        scatter_by_lane(q, &attrs.scatter);
    else
        scatter_lanes(q, &attrs.scatter);
    for (size_t i = 0; i < q->n_operands; i++)
        operand[i] = i == n || i > 2 * n ? q->x[i] : ct__batch_full(q, i);
    ct__batch_apply(q, &attrs, q->n_operands, operand);
}

/* ---- dynamic_slice and dynamic_update_slice: their starts are operands `first` and on. */

/* The starts with a 0 for the lanes in front, behind the fixed operands. */
static void window_of_lanes(ct__batch *q, const ct__attrs *attrs, size_t first)
{
    ct_tensor *operand[2 + CT__MAX_RANK + 1];
    size_t n_starts = q->n_operands - first;
    ct_dtype dtype = n_starts > 0 ? q->type[first]->dtype : CT_I32;
    for (size_t i = 0; i < first; i++)
        operand[i] = ct__batch_full(q, i);
    operand[first] = ct_zeros_at(q->at, q->ctx, dtype, CT_SHAPE());
    for (size_t i = 0; i < n_starts; i++)
        operand[first + 1 + i] = q->x[first + i];
    ct__batch_apply(q, attrs, first + 1 + n_starts, operand);
}

/* [size, n]: each lane's starts. */
static ct_tensor *start_vectors(const ct__batch *q, size_t first)
{
    ct_tensor *column[CT__MAX_RANK];
    size_t n = q->n_operands - first;
    for (size_t i = 0; i < n; i++)
        column[i] = ct_op_reshape_at(q->at, ct__batch_full(q, first + i), CT_DIMS(q->size, 1));
    return ct_op_concatenate_at(q->at, (ct_list){n, column}, 1);
}

/* 0 … count - 1, from `from` on. */
static ct_dims counted(int64_t *list, size_t count, int64_t from)
{
    for (size_t i = 0; i < count; i++)
        list[i] = from + (int64_t)i;
    return (ct_dims){count, list};
}

/* A gather clamps as a dynamic_slice does. */
static void slice_by_lane(ct__batch *q)
{
    const struct ct__attrs_dynamic_slice *a = &q->attrs->dynamic_slice;
    size_t rank = (size_t)q->type[0]->rank;
    int64_t axis[CT__MAX_RANK], offset[CT__MAX_RANK];
    const ct_dims lanes = CT_DIMS(0);
    ct_gather_dims dims = {.offset_dims = counted(offset, rank, 1),
                           .start_index_map = counted(axis, rank, q->batched[0]),
                           .index_vector_dim = 1,
                           .slice_sizes = ct__dims(a->slice_sizes),
                           .strict = a->strict};
    if (q->batched[0]) {
        dims.operand_batching_dims = dims.start_indices_batching_dims = lanes;
        dims.slice_sizes = ct__dims(
            ct__batch_prepended(q, q->size < 1 ? q->size : 1, a->slice_sizes));
    }
    q->y[0] = ct_op_gather_at(q->at, q->x[0], start_vectors(q, 1), &dims);
}

void ct__batch_dynamic_slice(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.dynamic_slice.slice_sizes = ct__batch_prepended(q, q->size,
                                                          attrs.dynamic_slice.slice_sizes);
    if (!ct__batch_any(q, 1))
        window_of_lanes(q, &attrs, 1);
    else if (q->is_typed)
        ct__batch_loop(q);
    else
        slice_by_lane(q);
}

/* A scatter skips what is out of range where an update moves its window, so starts are clamped
 * first, in their own dtype; where `strict` makes them an error, the scatter finds it. */
static ct_tensor *update_places(const ct__batch *q)
{
    ct_tensor *starts = start_vectors(q, 2);
    int64_t last[CT__MAX_RANK];
    size_t rank = (size_t)q->type[0]->rank;
    if (q->attrs->dynamic_update_slice.strict || ct_is_poison(starts))
        return starts;
    for (size_t d = 0; d < rank; d++)
        last[d] = q->type[0]->dim[d] - q->type[1]->dim[d];
    ct_tensor *zero = ct_zeros_at(q->at, q->ctx, q->type[2]->dtype, CT_SHAPE());
    return ct_op_clamp_at(q->at, zero, starts, ct__per_component(q->at, starts, 1, rank, last));
}

static void update_by_lane(ct__batch *q)
{
    size_t rank = (size_t)q->type[0]->rank;
    int64_t axis[CT__MAX_RANK], window[CT__MAX_RANK];
    const ct_scatter_dims dims = {.update_window_dims = counted(window, rank, 1),
                                  .input_batching_dims = CT_DIMS(0),
                                  .scatter_indices_batching_dims = CT_DIMS(0),
                                  .scatter_dims_to_operand_dims = counted(axis, rank, 1),
                                  .index_vector_dim = 1,
                                  .unique_indices = true,
                                  .strict = q->attrs->dynamic_update_slice.strict};
    q->y[0] = ct_op_scatter_at(q->at, ct__batch_full(q, 0), update_places(q), ct__batch_full(q, 1),
                               NULL, &dims);
}

void ct__batch_dynamic_update_slice(ct__batch *q)
{
    if (!ct__batch_any(q, 2))
        window_of_lanes(q, q->attrs, 2);
    else if (q->is_typed)
        ct__batch_loop(q);
    else
        update_by_lane(q);
}
