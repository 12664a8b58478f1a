#include "ops/ops.h"

#include <inttypes.h>

/* Scalars of the dtypes of operands 0 … n - 1, twice, then the captures. */
bool ct__check_reducer(ct__infer *q, size_t n, size_t first_capture)
{
    const size_t n_captures = q->n_operands - first_capture;
    const ct_type **want = CT__NEW_ARRAY(q->arena, const ct_type *, 2 * n + n_captures);

    if (!want)
        return ct__fail_memory(q);
    for (size_t i = 0; i < n; i++) {
        want[i] = ct__tensor_like(q, q->in[i], 0, NULL);
        want[n + i] = want[i];
        if (!want[i])
            return false;
    }
    for (size_t i = 0; i < n_captures; i++)
        want[2 * n + i] = q->in[first_capture + i];
    return ct__check_params(q, 0, 2 * n + n_captures, want) &&
           ct__check_body_results(q, 0, n, want);
}

/* C1 of reduce; C1, C2 and C3 of reduce_window. */
bool ct__check_folded(ct__infer *q, int64_t n_inputs)
{
    const size_t n = (size_t)n_inputs;

    if (n_inputs < 1 || (uint64_t)n_inputs > q->n_operands / 2)
        return ct__fail(q, CT_ERR_ARGUMENT,
                        "takes n_inputs = %" PRId64 " x and as many init, got %zu operand%s",
                        n_inputs, q->n_operands, q->n_operands == 1 ? "" : "s");
    if (!ct__check_tensors(q, 0, 2 * n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const size_t init = n + i;

        if (!ct__check_shapes(q, 0, i) || !ct__check_dtypes(q, i, init))
            return false;
        if (q->in[init]->rank != 0)
            return ct__fail(q, CT_ERR_SHAPE, "%s must be a scalar, got %s",
                            ct__operand_str(q, init), ct__type_str(q, q->in[init]));
    }
    return true;
}

bool ct__infer_reduce(ct__infer *q)
{
    const ct__ints axes = q->attrs->reduce.dimensions;
    int64_t dim[CT__MAX_RANK];
    const size_t n = (size_t)q->attrs->reduce.n_inputs;
    size_t rank = 0;

    if (!ct__check_folded(q, q->attrs->reduce.n_inputs) ||        /* C1 */
        !ct__check_axes(q, "dimensions", axes, q->in[0]->rank) || /* C2 */
        !ct__check_reducer(q, n, 2 * n) || !ct__results(q, n))    /* C3 */
        return false;
    for (int d = 0; d < q->in[0]->rank; d++)
        if (!ct__ints_contain(axes, d))
            dim[rank++] = q->in[0]->dim[d];
    for (size_t i = 0; i < n; i++) {
        q->out[i] = ct__tensor_like(q, q->in[i], rank, dim);
        if (!q->out[i])
            return false;
    }
    return true;
}
