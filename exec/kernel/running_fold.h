/* Folds that are fed piece by piece, while what makes the pieces is in the cache, in the order of
 * exec/interpret/reduce_lanes.c.
 *
 *   y[o, i] = op(y[o, i], x[o, 0 … n-1, i])
 *
 * x comes in row-major order, in pieces of any length; y holds the initial values before. */
#ifndef CT_EXEC_RUNNING_FOLD_H
#define CT_EXEC_RUNNING_FOLD_H

#include "exec/interpret/interpret.h"

typedef struct ct__running_fold {
    const ct__numerics *numerics;
    ct__op op; /* ct__has_running_fold */
    ct_dtype dtype;
    size_t outer, n, inner; /* inner > 1: neighbours are of other results */
} ct__running_fold;

bool ct__has_running_fold(ct__op op, ct_dtype dtype);
/* Whether every order gives the same bits: of integers. */
bool ct__folds_in_any_order(ct__op op, ct_dtype dtype);

/* Bytes of its state: a multiple of CT__ALIGN, to which it is aligned. */
size_t ct__running_fold_bytes(const ct__running_fold *f);
void ct__running_fold_begin(const ct__running_fold *f, void *memory);
/* The next `count` elements. */
void ct__running_fold_feed(const ct__running_fold *f, void *memory, size_t count, const void *x_,
                           void *y);
/* The next CT__ROW_BLOCK elements, as their lanes, where whole blocks came before: of floats, with
 * inner = 1. */
void ct__running_fold_block(const ct__running_fold *f, void *memory, const void *lanes, void *y);

/* ---- In parts, by several threads. Where there are several results (or rows of them) a part is
 * whole results. Else it is whole blocks of what is folded, the last one with what is left; their
 * results are kept, `inner` elements each, and folded as if one thread had been fed with
 * everything. */

/* Elements of which parts are multiples; 0: there is one part. */
size_t ct__running_fold_unit(const ct__running_fold *f);
/* Bytes of the results of blocks: a multiple of CT__ALIGN. */
size_t ct__running_fold_kept_bytes(const ct__running_fold *f);
/* Instead of begin, for the elements from `first` on; y, which is the whole fold's, holds the
 * initial values. `kept` is the same for all parts. */
void ct__running_fold_begin_part(const ct__running_fold *f, void *memory, size_t first, void *kept);
void ct__running_fold_end_part(const ct__running_fold *f, void *memory);
/* When all parts have ended. */
void ct__running_fold_join(const ct__running_fold *f, void *memory, const void *kept, void *y);

#endif
