#include "ops/reduce_window.h"

#include <inttypes.h>

ct__window_axis ct__window_axis_of(const struct ct__attrs_reduce_window *attrs, int axis)
{
    return (ct__window_axis){.size = attrs->window_dimensions.item[axis],
                             .stride = attrs->window_strides.item[axis],
                             .base = attrs->base_dilations.item[axis],
                             .dilation = attrs->window_dilations.item[axis],
                             .low = attrs->padding_low.item[axis],
                             .high = attrs->padding_high.item[axis]};
}

int ct__running_axis(const struct ct__attrs_reduce_window *a, const ct_type *x)
{
    int axis = -1;
    for (int d = 0; d < x->rank; d++) {
        const ct__window_axis w = ct__window_axis_of(a, d);
        bool plain = w.stride == 1 && w.base == 1 && w.dilation == 1 && w.high == 0;
        if (!plain || w.low != w.size - 1 || (w.size > 1 && (axis >= 0 || w.size < x->dim[d])))
            return -1;
        if (w.size > 1)
            axis = d;
    }
    return x->size > 0 ? axis : -1;
}

ct__wide ct__dilated(int64_t n, int64_t gap)
{
    return n > 0 ? (ct__wide)(n - 1) * gap + 1 : 0;
}

bool ct__check_positive(ct__infer *q, const char *name, ct__ints list)
{
    for (size_t d = 0; d < list.count; d++)
        if (list.item[d] < 1)
            return ct__fail(q, CT_ERR_SHAPE, "%s[%zu] = %" PRId64 " must be positive", name, d,
                            list.item[d]);
    return true;
}

bool ct__check_window_list(ct__infer *q, const char *name, ct__ints list, bool is_positive)
{
    return ct__check_per_axis(q, name, list, 0) &&
           (!is_positive || ct__check_positive(q, name, list));
}

static bool check_lists(ct__infer *q, const struct ct__attrs_reduce_window *a)
{
    return ct__check_window_list(q, "window_dimensions", a->window_dimensions, true) && /* C4, C5 */
           ct__check_window_list(q, "window_strides", a->window_strides, true) &&       /* C6, C7 */
           ct__check_window_list(q, "base_dilations", a->base_dilations, true) &&       /* C8, C9 */
           ct__check_window_list(q, "window_dilations", a->window_dilations, true) && /* C10, C11 */
           ct__check_window_list(q, "padding_low", a->padding_low, false) &&          /* C12 */
           ct__check_window_list(q, "padding_high", a->padding_high, false);          /* C12 */
}

bool ct__count_windows(ct__infer *q, int axis, int64_t dim, const ct__window_axis *w,
                       int64_t *count)
{
    const ct__wide padded = ct__dilated(dim, w->base) + w->low + w->high;
    const ct__wide window = ct__dilated(w->size, w->dilation);

    if (padded >= INT64_MAX || window > INT64_MAX)
        return ct__fail(q, CT_ERR_RANGE, "the %s of axis %d overflows",
                        padded >= INT64_MAX ? "padded extent" : "window", axis);
    *count = padded < window || padded == 0 ? 0 : (int64_t)((padded - window) / w->stride) + 1;
    return true;
}

/* A window is no larger than a tensor may be: so many elements are folded. */
static bool check_size(ct__infer *q, ct__ints window)
{
    if (ct__type_check(q->in[0]->dtype, window.count, window.item) == CT_OK)
        return true;
    return ct__fail(q, CT_ERR_RANGE, "window_dimensions = %s has too many elements",
                    ct__ints_str(q, window));
}

bool ct__infer_reduce_window(ct__infer *q)
{
    const struct ct__attrs_reduce_window *a = &q->attrs->reduce_window;
    const size_t n = (size_t)a->n_inputs;
    int64_t dim[CT__MAX_RANK];

    if (!ct__check_folded(q, a->n_inputs) || !check_lists(q, a) || /* C1 to C12 */
        !check_size(q, a->window_dimensions) ||                    /* CT_ERR_RANGE */
        !ct__check_reducer(q, n, 2 * n) || !ct__results(q, n))     /* C13 */
        return false;
    for (int d = 0; d < q->in[0]->rank; d++) {
        const ct__window_axis axis = ct__window_axis_of(a, d);

        if (!ct__count_windows(q, d, q->in[0]->dim[d], &axis, &dim[d])) /* C15 */
            return false;
    }
    for (size_t i = 0; i < n; i++) { /* C14, C16 */
        q->out[i] = ct__tensor_like(q, q->in[i], (size_t)q->in[i]->rank, dim);
        if (!q->out[i])
            return false;
    }
    return true;
}
