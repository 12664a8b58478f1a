/* Loops without arithmetic on floats: of integers, comparisons, choices, conversions;
 * compiled once per instruction set, as those of arrays.h, to which they belong. Each gives the
 * bits of the reference numerics. False where there is no loop. */
#ifndef CT_EXEC_PLAIN_H
#define CT_EXEC_PLAIN_H

#include "ops/ops.h"

typedef struct ct__plain_arrays {
    /* Of integers and bool. y and z may be an input; a step is 0 or 1. */
    bool (*unary)(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x);
    bool (*binary)(ct__op op, ct_dtype dtype, size_t n, void *z, const void *x, size_t x_step,
                   const void *y, size_t y_step);
    /* *y = op(*y, x[0 … n-1]), and y[j] = op(y[j], x[i·width + j] for i = 0 … n-1): of integers and
     * bool, of which every order gives the same bits. op is one that folds any such type. */
    bool (*fold_row)(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x);
    bool (*fold_columns)(ct__op op, ct_dtype dtype, size_t n, size_t width, void *y, const void *x);
    /* Of integers, bool, f32 and f64, in the dtype's own order. */
    bool (*compare)(int direction, ct_dtype dtype, size_t n, bool *z, const void *x, const void *y);
    bool (*is_finite)(ct_dtype dtype, size_t n, bool *y, const void *x); /* f32, f64, f16, bf16 */
    /* y[i] = pred[i] ? on_true[i] : on_false[i], of elements of 1, 2, 4, 8 or 16 bytes */
    bool (*select)(size_t n, size_t bytes, const bool *pred, void *y, const void *on_true,
                   const void *on_false);
    bool (*convert)(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x);
} ct__plain_arrays;

extern const ct__plain_arrays ct__plain_base;
#ifdef __x86_64__
extern const ct__plain_arrays ct__plain_avx2, ct__plain_avx512;
#endif

#endif
