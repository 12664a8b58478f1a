#include "ops/ops.h"

#include <inttypes.h>

/* C1 of both: operands first… are one start per axis of x, integer scalars of one dtype. */
static bool check_starts(ct__infer *q, size_t first)
{
    const size_t count = q->n_operands - first;

    if (count != (size_t)q->in[0]->rank)
        return ct__fail_rank(q, "takes one start per axis of x: %s, got %zu",
                             ct__type_str(q, q->in[0]), count);
    for (size_t i = first; i < q->n_operands; i++) {
        const ct_type *start = q->in[i];

        if (!ct_dtype_is_integer(start->dtype) || start->rank != 0 ||
            start->dtype != q->in[first]->dtype)
            return ct__fail(q, CT_ERR_TYPE,
                            "start must be integer scalars of one dtype, got %s: %s",
                            ct__operand_str(q, i), ct__type_str(q, start));
    }
    return true;
}

bool ct__infer_dynamic_slice(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const ct__ints sizes = q->attrs->dynamic_slice.slice_sizes;

    if (!check_starts(q, 1) ||                           /* C1 */
        !ct__check_per_axis(q, "slice_sizes", sizes, 0)) /* C2 */
        return false;
    for (int d = 0; d < x->rank; d++)
        if (sizes.item[d] < 0 || sizes.item[d] > x->dim[d]) /* C2 */
            return ct__fail(q, CT_ERR_SHAPE, "slice_sizes[%d] = %" PRId64 " does not fit x: %s", d,
                            sizes.item[d], ct__type_str(q, x));
    return ct__result(q, x->dtype, sizes.count, sizes.item);
}

bool ct__infer_dynamic_update_slice(ct__infer *q)
{
    const ct_type *x = q->in[0], *update = q->in[1];

    if (!check_starts(q, 2) ||      /* C1 */
        !ct__check_dtypes(q, 0, 1)) /* C2 */
        return false;
    if (x->rank != update->rank) /* C2 */
        return ct__fail(q, CT_ERR_SHAPE, "x and update must have one rank, got %s and %s",
                        ct__type_str(q, x), ct__type_str(q, update));
    for (int d = 0; d < x->rank; d++)
        if (update->dim[d] > x->dim[d]) /* C3 */
            return ct__fail(q, CT_ERR_SHAPE, "axis %d of update: %s does not fit x: %s", d,
                            ct__type_str(q, update), ct__type_str(q, x));
    return ct__result_of_type(q, x);
}
