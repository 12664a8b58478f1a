#include "ad/rules.h"

/* The tangent and the cotangent keep `strict`: where only they are computed, a wrong start is still
 * an error. */

static ct_list starts(const ct__transpose *q, size_t first)
{
    return (ct_list){q->n_operands - first, q->x + first};
}

/* The same window of dx; start is integer and has no tangent. */
ct_tensor *ct__jvp_dynamic_slice(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* Reading a window transposes to adding to it: ybar goes back where y was read, to what others have
 * added for x, or to zeros. The update clamps start to shape(x) - shape(ybar), which is shape(x) -
 * sizes: an overhanging start moves all windows to the same place. */
void ct__transpose_dynamic_slice(ct__transpose *q)
{
    const struct ct__attrs_dynamic_slice *a = &q->attrs->dynamic_slice;
    ct_tensor *sum = ct__cotangent_take(q, 0), *window = q->ybar[0];
    if (sum)
        window = ct_op_add_at(
            q->at,
            ct_op_dynamic_slice_at(q->at, sum, starts(q, 1), ct__dims(a->slice_sizes), a->strict),
            window);
    else
        sum = ct__zeros(q->ctx, q->at, q->type[0]);
    ct__cotangent_add(q, 0,
                      ct_op_dynamic_update_slice_at(q->at, sum, window, starts(q, 1), a->strict));
}

void ct__jvp_dynamic_update_slice(ct__jvp_whole *q)
{
    ct__jvp_linear(q);
}

/* The update's cotangent is read in the window, x's is zero there: written last, so that it may be
 * where ybar was. */
void ct__transpose_dynamic_update_slice(ct__transpose *q)
{
    const ct_type *update = q->type[1];
    bool strict = q->attrs->dynamic_update_slice.strict;
    if (q->linear[1]) {
        ct_dims sizes = {(size_t)update->rank, update->dim};
        ct__cotangent_add(q, 1,
                          ct_op_dynamic_slice_at(q->at, q->ybar[0], starts(q, 2), sizes, strict));
    }
    if (q->linear[0]) {
        ct_tensor *zeros = ct__zeros(q->ctx, q->at, update);
        ct__cotangent_add(
            q, 0, ct_op_dynamic_update_slice_at(q->at, q->ybar[0], zeros, starts(q, 2), strict));
    }
}
