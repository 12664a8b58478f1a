/* How one axis is cut into windows, for all who need to know: inference, meaning, rules. */
#ifndef CT_OPS_REDUCE_WINDOW_H
#define CT_OPS_REDUCE_WINDOW_H

#include "ops/ops.h"

/* Positions, before they are known to fit. */
__extension__ typedef __int128 ct__wide;

/* Element i stands at position low + i base; window o begins at position o stride, and its element
 * w lies w dilation further. Other positions hold init. */
typedef struct ct__window_axis {
    int64_t size, stride, base, dilation, low, high;
} ct__window_axis;

ct__window_axis ct__window_axis_of(const struct ct__attrs_reduce_window *attrs, int axis);

/* The axis along which windows begin in front of x and end at each of its elements, as those of a
 * cumulative sum, where along the others they have one element; else -1. Then each is the one
 * before it and one element more. */
int ct__running_axis(const struct ct__attrs_reduce_window *a, const ct_type *x);

/* The extent of n elements with the holes between them: 0 or (n - 1) gap + 1. */
ct__wide ct__dilated(int64_t n, int64_t gap);

/* How many windows of `size` fit an axis of x of extent `dim`: floor((padded - window) / stride) +
 * 1, 0 where none does. False after ct__fail: all positions must be numbers of 64 bits. */
bool ct__count_windows(ct__infer *q, int axis, int64_t dim, const ct__window_axis *window,
                       int64_t *count);
/* A list of windows has one entry per axis of operand 0, all positive where that is asked for. */
bool ct__check_window_list(ct__infer *q, const char *name, ct__ints list, bool is_positive);
bool ct__check_positive(ct__infer *q, const char *name, ct__ints list);

#endif
