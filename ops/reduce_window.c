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

ct__wide ct__dilated(int64_t n, int64_t gap)
{
    return n > 0 ? (ct__wide)(n - 1) * gap + 1 : 0;
}

static bool check_list(ct__infer *q, const char *name, ct__ints list, bool is_positive)
{
    if (!ct__check_per_axis(q, name, list, 0))
        return false;
    for (size_t d = 0; is_positive && d < list.count; d++)
        if (list.item[d] < 1)
            return ct__fail(q, CT_ERR_SHAPE, "%s[%zu] = %" PRId64 " must be positive", name, d,
                            list.item[d]);
    return true;
}

static bool check_lists(ct__infer *q, const struct ct__attrs_reduce_window *a)
{
    return check_list(q, "window_dimensions", a->window_dimensions, true) && /* C4, C5 */
           check_list(q, "window_strides", a->window_strides, true) &&       /* C6, C7 */
           check_list(q, "base_dilations", a->base_dilations, true) &&       /* C8, C9 */
           check_list(q, "window_dilations", a->window_dilations, true) &&   /* C10, C11 */
           check_list(q, "padding_low", a->padding_low, false) &&            /* C12 */
           check_list(q, "padding_high", a->padding_high, false);            /* C12 */
}

/* C15: floor((padded - window) / stride) + 1, or 0 where no window fits. All positions must be
 * numbers of 64 bits. */
static bool count_windows(ct__infer *q, int d, int64_t *count)
{
    const ct__window_axis axis = ct__window_axis_of(&q->attrs->reduce_window, d);
    const ct__wide padded = ct__dilated(q->in[0]->dim[d], axis.base) + axis.low + axis.high;
    const ct__wide window = ct__dilated(axis.size, axis.dilation);

    if (padded > INT64_MAX || window > INT64_MAX)
        return ct__fail(q, CT_ERR_RANGE, "the %s of axis %d overflows",
                        padded > INT64_MAX ? "padded extent" : "window", d);
    *count = padded < window ? 0 : (int64_t)((padded - window) / axis.stride + 1);
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
    for (int d = 0; d < q->in[0]->rank; d++)
        if (!count_windows(q, d, &dim[d])) /* C15 */
            return false;
    for (size_t i = 0; i < n; i++) { /* C14, C16 */
        q->out[i] = ct__tensor_like(q, q->in[i], (size_t)q->in[i]->rank, dim);
        if (!q->out[i])
            return false;
    }
    return true;
}
