#include "ops/ops.h"

#include <inttypes.h>
#include <string.h>

/* ---- sort. */

/* The comparator takes two scalars for each x, (left, right) in turn, then the captures, and says
 * whether left goes first. */
static bool check_comparator(ct__infer *q, size_t n)
{
    const size_t n_captures = q->n_operands - n;
    const ct_type **want = CT__NEW_ARRAY(q->arena, const ct_type *, 2 * n + n_captures);
    const ct_type *goes_first = ct__tensor(q, CT_BOOL, 0, NULL);

    if (!want)
        return ct__fail_memory(q);
    if (!goes_first)
        return false;
    for (size_t i = 0; i < n; i++) {
        want[2 * i] = ct__tensor_like(q, q->in[i], 0, NULL);
        want[2 * i + 1] = want[2 * i];
        if (!want[2 * i])
            return false;
    }
    for (size_t i = 0; i < n_captures; i++)
        want[2 * n + i] = q->in[n + i];
    return ct__check_params(q, 0, 2 * n + n_captures, want) &&
           ct__check_body_results(q, 0, 1, &goes_first);
}

bool ct__infer_sort(ct__infer *q)
{
    const struct ct__attrs_sort *a = &q->attrs->sort;
    const size_t n = (size_t)a->n_inputs;

    if (a->n_inputs < 1 || (uint64_t)a->n_inputs > q->n_operands) /* C1 */
        return ct__fail(q, CT_ERR_ARGUMENT, "takes n_inputs = %" PRId64 " x, got %zu operand%s",
                        a->n_inputs, q->n_operands, q->n_operands == 1 ? "" : "s");
    if (!ct__check_tensors(q, 0, n))
        return false;
    for (size_t i = 1; i < n; i++)
        if (!ct__check_shapes(q, 0, i)) /* C3 */
            return false;
    if (a->dimension < 0 || a->dimension >= q->in[0]->rank) /* C4 */
        return ct__fail_rank(q, "dimension = %" PRId64 " must be an axis of %s: %s", a->dimension,
                             ct__operand_str(q, 0), ct__type_str(q, q->in[0]));
    if (!check_comparator(q, n) || !ct__results(q, n)) /* C5 */
        return false;
    for (size_t i = 0; i < n; i++) /* C2 */
        q->out[i] = q->in[i];
    return true;
}

/* ---- top_k. */

bool ct__infer_top_k(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const int64_t k = q->attrs->top_k.k;
    int64_t dim[CT__MAX_RANK];

    if (x->rank == 0) /* C2 */
        return ct__fail(q, CT_ERR_SHAPE, "x must have an axis, got %s", ct__type_str(q, x));
    memcpy(dim, x->dim, (size_t)x->rank * sizeof *dim);
    if (k < 0 || k > dim[x->rank - 1]) /* C3 */
        return ct__fail(q, CT_ERR_SHAPE, "k = %" PRId64 " must lie in [0, %" PRId64 "], got x: %s",
                        k, dim[x->rank - 1], ct__type_str(q, x));
    if (dim[x->rank - 1] > INT32_MAX) /* C4 */
        return ct__fail(q, CT_ERR_RANGE, "positions along the last axis of x: %s do not fit in i32",
                        ct__type_str(q, x));
    dim[x->rank - 1] = k;
    if (!ct__results(q, 2))
        return false;
    q->out[0] = ct__tensor(q, x->dtype, (size_t)x->rank, dim);
    q->out[1] = q->out[0] ? ct__tensor(q, CT_I32, (size_t)x->rank, dim) : NULL;
    return q->out[1] != NULL;
}
