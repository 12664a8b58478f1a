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

ct_tensor *ct__value_before(ct_place at, ct_tensor *y, ct_tensor *init, int axis)
{
    int64_t low[CT__MAX_RANK] = {0}, high[CT__MAX_RANK] = {0}, holes[CT__MAX_RANK] = {0};
    const size_t rank = ct_rank(y);
    low[axis] = 1;
    high[axis] = -1;
    return ct_op_pad_at(at, y, init, (ct_dims){rank, low}, (ct_dims){rank, high},
                        (ct_dims){rank, holes});
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

/* ---- Running: of [lines, n, inner], along the middle. */

static ct_tensor *slice(ct_place at, ct_tensor *x, int axis, int64_t first, int64_t end)
{
    int64_t start[3] = {0}, limit[3] = {ct_dim(x, 0), ct_dim(x, 1), ct_dim(x, 2)};
    start[axis] = first;
    limit[axis] = end;
    return ct_op_slice_at(at, x, (ct_dims){3, start}, (ct_dims){3, limit}, CT_DIMS(1, 1, 1));
}

/* x[0], y[0], x[1], y[1], …; x may be longer by one. */
static ct_tensor *interleaved(ct_place at, ct_tensor *x, ct_tensor *y)
{
    const int64_t lines = ct_dim(x, 0), n = ct_dim(y, 1), inner = ct_dim(x, 2);
    const bool has_more = ct_dim(x, 1) > n;
    ct_tensor *paired = has_more ? slice(at, x, 1, 0, n) : x;
    ct_tensor *pairs = ct_op_concatenate_at(at, CT_ARGV(paired, y), 2);
    ct_tensor *line = ct_op_reshape_at(at, pairs, CT_DIMS(lines, 2 * n, inner));
    return has_more ? ct_op_concatenate_at(at, CT_ARGV(line, slice(at, x, 1, n, n + 1)), 1) : line;
}

static ct__pair slices(ct_place at, ct__pair f, int axis, int64_t first, int64_t end)
{
    return (ct__pair){slice(at, f.x, axis, first, end), slice(at, f.t, axis, first, end)};
}

/* Of the elements 2i and 2i + 1 those at one side. Slices of neighbours, whose cotangents are
 * joined without a sum. */
static ct__pair side(ct_place at, ct__pair f, bool is_right)
{
    const int64_t half = ct_dim(f.x, 1) / 2, inner = ct_dim(f.x, 2);
    const ct_dims two = CT_DIMS(ct_dim(f.x, 0), half, 2 * inner);
    const ct__pair even = slices(at, f, 1, 0, 2 * half);
    const ct__pair both = {ct_op_reshape_at(at, even.x, two), ct_op_reshape_at(at, even.t, two)};
    return slices(at, both, 2, is_right ? inner : 0, is_right ? 2 * inner : inner);
}

static ct__pair joined(ct_place at, ct__pair f, ct__pair g)
{
    return (ct__pair){ct_op_concatenate_at(at, CT_ARGV(f.x, g.x), 1),
                      ct_op_concatenate_at(at, CT_ARGV(f.t, g.t), 1)};
}

/* The folds of pairs, run, are those of even counts; each of an odd count is the one before it and
 * one element more. */
static ct__pair run(ct_place at, ct__pair f, ct__combine *combine, const void *user)
{
    const int64_t n = ct_dim(f.x, 1), half = n / 2;
    if (n <= 1 || ct_failed(ct_context_of(f.x)))
        return f;
    const ct__pair left = side(at, f, false), right = side(at, f, true);
    const ct__pair even = run(at, combine(at, user, left, right), combine, user);
    ct__pair odd = slices(at, left, 1, 0, 1), before = even, next = slices(at, left, 1, 1, half);
    if (n % 2 == 1)
        next = joined(at, next, slices(at, f, 1, n - 1, n));
    else
        before = slices(at, even, 1, 0, half - 1);
    odd = joined(at, odd, combine(at, user, before, next));
    if (ct_failed(ct_context_of(f.x)))
        return f;
    return (ct__pair){interleaved(at, odd.x, even.x), interleaved(at, odd.t, even.t)};
}

ct__pair ct__fold_running(ct_place at, ct__pair f, int axis, ct__combine *combine, const void *user)
{
    const ct_dims shape = ct_shape_of(f.x);
    int64_t lines = 1, inner = 1;
    for (int d = 0; d < (int)shape.count; d++) {
        lines *= d < axis ? shape.dim[d] : 1;
        inner *= d > axis ? shape.dim[d] : 1;
    }
    const ct_dims line = CT_DIMS(lines, shape.dim[axis], inner);
    const ct__pair all = run(
        at, (ct__pair){.x = ct__reshaped(at, f.x, line), .t = ct__reshaped(at, f.t, line)}, combine,
        user);
    return (ct__pair){.x = ct__reshaped(at, all.x, shape), .t = ct__reshaped(at, all.t, shape)};
}
