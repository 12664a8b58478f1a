#include "ad/windows.h"

ct_tensor *ct__widened(ct_place at, const struct ct__attrs_reduce_window *a, ct_tensor *x,
                       ct_tensor *init)
{
    const size_t rank = a->padding_low.count;
    int64_t high[CT__MAX_RANK], holes[CT__MAX_RANK];
    for (size_t d = 0; d < rank; d++) {
        const int64_t base = a->base_dilations.item[d], low = a->padding_low.item[d];
        const ct__wide least = -(ct__wide)low - ct__dilated(ct_dim(x, (int64_t)d), base);
        high[d] = a->padding_high.item[d];
        if (high[d] < least)
            high[d] = (int64_t)least;
        holes[d] = base - 1;
    }
    return ct_op_pad_at(at, x, init, ct__dims(a->padding_low), (ct_dims){rank, high},
                        (ct_dims){rank, holes});
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

/* Every `stride`-th of the elements [first, first + count) along an axis. */
static ct__pair part(ct_place at, ct__pair f, int axis, int64_t first, int64_t count,
                     int64_t stride)
{
    int64_t start[CT__MAX_RANK], limit[CT__MAX_RANK], step[CT__MAX_RANK];
    size_t rank = ct_rank(f.x);
    for (size_t d = 0; d < rank; d++) {
        start[d] = 0;
        limit[d] = ct_dim(f.x, (int64_t)d);
        step[d] = 1;
    }
    start[axis] = first;
    limit[axis] = first + count;
    step[axis] = stride;
    ct_dims s = {rank, start}, l = {rank, limit}, p = {rank, step};
    return (ct__pair){.x = ct_op_slice_at(at, f.x, s, l, p), .t = ct_op_slice_at(at, f.t, s, l, p)};
}

/* `power` holds the folds of 2^k elements, `all` those of the `done` first ones of each window, of
 * which every stride-th is kept. */
ct__pair ct__fold_along(ct_place at, ct__pair f, int axis, ct__window_axis w, int64_t count,
                        ct__combine *combine, const void *user)
{
    int64_t left = (count - 1) * w.stride + 1, done = 0;
    ct__pair power = f, all = f;
    for (int64_t k = 1;; k *= 2) {
        if (w.size & k) {
            ct__pair next = part(at, power, axis, done * w.dilation, left, 1);
            all = done ? combine(at, user, part(at, all, axis, 0, left, 1), next) : next;
            done += k;
        }
        if (done == w.size || ct_failed(ct_context_of(f.x)))
            break;
        int64_t reach = ct_dim(power.x, axis) - k * w.dilation;
        power = combine(at, user, part(at, power, axis, 0, reach, 1),
                        part(at, power, axis, k * w.dilation, reach, 1));
    }
    return w.stride > 1 ? part(at, all, axis, 0, left, w.stride) : all;
}

int ct__fold_steps(int64_t size)
{
    int steps = -1;
    for (; size > 0; size /= 2)
        steps += 1 + (int)(size & 1);
    return steps - 1;
}
