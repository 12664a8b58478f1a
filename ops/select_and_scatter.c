#include "ops/select_and_scatter.h"

ct__window_axis ct__selecting_axis(const struct ct__attrs_select_and_scatter *attrs, int axis)
{
    return (ct__window_axis){.size = attrs->window_dimensions.item[axis],
                             .stride = attrs->window_strides.item[axis],
                             .base = 1,
                             .dilation = 1,
                             .low = attrs->padding_low.item[axis],
                             .high = attrs->padding_high.item[axis]};
}

static bool check_lists(ct__infer *q, const struct ct__attrs_select_and_scatter *a)
{
    return ct__check_window_list(q, "window_dimensions", a->window_dimensions, true) && /* C4, C5 */
           ct__check_window_list(q, "window_strides", a->window_strides, true) &&       /* C6, C7 */
           ct__check_window_list(q, "padding_low", a->padding_low, false) &&            /* C8 */
           ct__check_window_list(q, "padding_high", a->padding_high, false);            /* C8 */
}

/* One element of source per window of x. */
static bool check_source(ct__infer *q, const struct ct__attrs_select_and_scatter *a)
{
    const ct_type *x = q->in[0], *source = q->in[1];
    int64_t dim[CT__MAX_RANK] = {0};
    bool fits = source->rank == x->rank;

    for (int d = 0; d < x->rank; d++) {
        const ct__window_axis axis = ct__selecting_axis(a, d);

        if (!ct__count_windows(q, d, x->dim[d], &axis, &dim[d]))
            return false;
        fits = fits && dim[d] == source->dim[d];
    }
    return fits ||
           ct__fail(q, CT_ERR_SHAPE, "source must have one element per window, %s, got %s",
                    ct__ints_str(q, (ct__ints){(size_t)x->rank, dim}), ct__type_str(q, source));
}

/* Both bodies take two scalars and the captures. */
static bool check_bodies(ct__infer *q)
{
    const ct_type *scalar = ct__tensor_like(q, q->in[0], 0, NULL);
    const ct_type *truth = ct__type(q->arena, CT_BOOL, 0, NULL);
    const size_t n_captures = q->n_operands - 3;
    const ct_type **want = CT__NEW_ARRAY(q->arena, const ct_type *, 2 + n_captures);

    if (!scalar)
        return false;
    if (!truth || !want)
        return ct__fail_memory(q);
    want[0] = want[1] = scalar;
    for (size_t i = 0; i < n_captures; i++)
        want[2 + i] = q->in[3 + i];
    return ct__check_params(q, 0, 2 + n_captures, want) && /* C9 */
           ct__check_body_results(q, 0, 1, &truth) &&      /* C9 */
           ct__check_params(q, 1, 2 + n_captures, want) && /* C10 */
           ct__check_body_results(q, 1, 1, &scalar);       /* C10 */
}

bool ct__infer_select_and_scatter(ct__infer *q)
{
    const struct ct__attrs_select_and_scatter *a = &q->attrs->select_and_scatter;

    if (!ct__check_tensors(q, 1, 2) || !ct__check_dtypes(q, 0, 1) || /* C1 */
        !ct__check_dtypes(q, 0, 2))                                  /* C3 */
        return false;
    if (q->in[2]->rank != 0) /* C3 */
        return ct__fail(q, CT_ERR_SHAPE, "init must be a scalar, got %s",
                        ct__type_str(q, q->in[2]));
    return check_lists(q, a) &&             /* C4 to C8 */
           check_source(q, a) &&            /* C2 */
           check_bodies(q) &&               /* C9, C10 */
           ct__result_of_type(q, q->in[0]); /* C11, C12 */
}
