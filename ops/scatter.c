/* The constraints are StableHLO's, by its numbers; windows.c checks those on lists alone.
 *
 *   C1   all x have one shape
 *   C2   rank(x[0]) = size(update_window_dims) + size(inserted_window_dims) +
 * size(input_batching_dims) C3   all updates have one shape C4   shape(update): at
 * update_window_dims at most the extents of x's axes that are neither inserted nor batching; at the
 * other axes the extents of indices, but that of index_vector_dim C5   at least one x, and as many
 * updates C6   update[i] has the dtype of x[i] C7   update_window_dims are unique and sorted C8   0
 * <= update_window_dims < rank(update[0]) C9   inserted_window_dims and input_batching_dims
 * together are unique C10  inserted_window_dims are sorted C11  0 <= inserted_window_dims <
 * rank(x[0]) C12  input_batching_dims are sorted C13  0 <= input_batching_dims < rank(x[0]) C14
 * scatter_indices_batching_dims are unique C15  0 <= scatter_indices_batching_dims < rank(indices)
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
 *   C25  and their dtypes */
#include "ops/windows.h"

#include <inttypes.h>

/* Operands are n times x, indices, n times update, captures. */
static bool check_groups(ct__infer *q)
{
    const int64_t given = q->attrs->scatter.n_inputs;
    const size_t n = (size_t)given;

    if (given < 1 || (uint64_t)given > (q->n_operands - 1) / 2) /* C5 */
        return ct__fail(q, CT_ERR_ARGUMENT,
                        "takes n_inputs = %" PRId64 " x, indices and as many updates, got %zu "
                        "operands",
                        given, q->n_operands);
    if (!ct__check_tensors(q, 0, 2 * n + 1))
        return false;
    for (size_t i = 1; i < n; i++)
        if (!ct__check_shapes(q, 0, i) ||           /* C1 */
            !ct__check_shapes(q, n + 1, n + 1 + i)) /* C3 */
            return false;
    for (size_t i = 0; i < n; i++)
        if (!ct__check_dtypes(q, i, n + 1 + i)) /* C6 */
            return false;
    return true;
}

static bool check_update(ct__infer *q, const ct__windows *w, size_t position)
{
    const ct_type *update = q->in[position];
    int64_t batch[CT__MAX_RANK];
    int axis[CT__MAX_RANK], batches = 0, windows = 0;
    const int rank = ct__batch_extents(w, batch) + ct__window_operand_axes(w, axis);

    if (update->rank != rank) /* C4 */
        return ct__fail_rank(q, "%s must have rank %d, got %s", ct__operand_str(q, position), rank,
                             ct__type_str(q, update));
    for (int d = 0; d < rank; d++) {
        const bool in_window = ct__ints_contain(w->window.axes, d);
        const int64_t want = in_window ? w->operand->dim[axis[windows++]] : batch[batches++];

        if (update->dim[d] > want || (!in_window && update->dim[d] < want)) /* C4 */
            return ct__fail(q, CT_ERR_SHAPE, "axis %d of %s must have extent %" PRId64 "%s, got %s",
                            d, ct__operand_str(q, position), want, in_window ? " at most" : "",
                            ct__type_str(q, update));
    }
    return true;
}

bool ct__infer_scatter(ct__infer *q)
{
    const struct ct__attrs_scatter *a = &q->attrs->scatter;
    const size_t n = (size_t)a->n_inputs;

    if (!check_groups(q)) /* C1, C3, C5, C6 */
        return false;
    const ct__windows w = {
        .operand = q->in[0],
        .indices = q->in[n],
        .window = {"update_window_dims", a->update_window_dims},
        .inserted = {"inserted_window_dims", a->inserted_window_dims},
        .batching = {"input_batching_dims", a->input_batching_dims},
        .index_batching = {"scatter_indices_batching_dims", a->scatter_indices_batching_dims},
        .map = {"scatter_dims_to_operand_dims", a->scatter_dims_to_operand_dims},
        .index_vector_dim = a->index_vector_dim,
    };
    if (!ct__check_windows(q, &w) ||                               /* C2, C9 to C22 */
        !ct__check_window_axes(q, &w, q->in[n + 1]->rank) ||       /* C7, C8 */
        !check_update(q, &w, n + 1) ||                             /* C4 */
        !ct__check_reducer(q, n, 2 * n + 1) || !ct__results(q, n)) /* C23 */
        return false;
    for (size_t i = 0; i < n; i++) /* C24, C25 */
        q->out[i] = q->in[i];
    return true;
}
