/* What the rules of reduce_window share. */
#ifndef CT_AD_WINDOWS_H
#define CT_AD_WINDOWS_H

#include "ad/rules.h"
#include "ops/reduce_window.h"

/* ---- Windows: windows.c. */

/* x as the windows see it: with init between its elements and around it. Of an axis from which
 * padding takes more than there is nothing is left. */
ct_tensor *ct__widened(ct_place at, const struct ct__attrs_reduce_window *a, ct_tensor *x,
                       ct_tensor *init);

/* Of windows that run along the axis: y of the one before, init in front of all. */
ct_tensor *ct__value_before(ct_place at, ct_tensor *y, ct_tensor *init, int axis);

/* Two arrays of one shape whose elements are folded together. */
typedef struct ct__pair {
    ct_tensor *x, *t;
} ct__pair;

/* (left, right) -> the fold of both; associative. */
typedef ct__pair ct__combine(ct_place at, const void *user, ct__pair left, ct__pair right);

/* The folds of each of the `count` windows along the axis of what has been widened, in log w.size
 * steps: the folds of 1, 2, 4, … neighbours are made from one another, and those of a window from
 * them. */
ct__pair ct__fold_along(ct_place at, ct__pair f, int axis, ct__window_axis w, int64_t count,
                        ct__combine *combine, const void *user);
/* How many of those steps there are. */
int ct__fold_steps(int64_t size);
/* The folds of the first 1, 2, 3, … elements along the axis, in less than two steps for each. */
ct__pair ct__fold_running(ct_place at, ct__pair f, int axis, ct__combine *combine,
                          const void *user);

/* ---- Largest and smallest: window_extremes.c. */

void ct__jvp_window_extreme(ct__jvp_whole *q, int kind);

#endif
