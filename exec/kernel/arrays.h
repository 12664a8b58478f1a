/* Loops over arrays in machine arithmetic, compiled once per instruction set: the bits are the same
 * in all of them.
 *
 *   elementary.h, elementary64.h                  elementary functions of one element
 *   elementary.inc  their polynomials             bounds.def       their errors
 *   functions.inc, blocks.inc                     their loops
 *   arrays.inc     the loops                      basic.inc        arithmetic of f32 and of f64
 *   element.inc    functions of one element       fold.inc         folds
 *   complex.inc    complex numbers
 *   half.inc       f16 and bf16                   half_fold.inc    their folds
 *   plain.h, plain.inc                            loops of integers, comparisons, conversions
 *   integer.inc, saturate.inc                     functions of one integer, conversions to them
 *   arrays.c       which set this machine has
 *   arrays_base.c, arrays_avx2.c, arrays_avx512.c, plain_*.c       the loops in one set
 *   running_fold.c  folds that are fed piece by piece, in the loops' order */
#ifndef CT_EXEC_ARRAYS_H
#define CT_EXEC_ARRAYS_H

#include "exec/kernel/plain.h"
#include "ops/ops.h"

typedef struct ct__arrays {
    const char *name;
    /* y[i] = op(x[i]) and z[i] = op(x[i], y[i]), where a step is 0 or 1: whether that operand
     * advances; y and z may be an input. False where there is no loop for the operation. */
    bool (*unary_f32)(ct__op op, size_t n, float *y, const float *x);
    bool (*unary_f64)(ct__op op, size_t n, double *y, const double *x);
    bool (*binary_f32)(ct__op op, size_t n, float *z, const float *x, size_t x_step, const float *y,
                       size_t y_step);
    bool (*binary_f64)(ct__op op, size_t n, double *z, const double *x, size_t x_step,
                       const double *y, size_t y_step);
    /* Of complex numbers, pairs of parts; false, with the results undefined, also where numbers are
     * not finite, too large or too small. Results are no operands. abs gives reals. */
    bool (*unary_c64)(ct__op op, size_t n, float *y, const float *x);
    bool (*divide_c64)(size_t n, float *z, const float *x, size_t x_step, const float *y,
                       size_t y_step);
    bool (*divide_c128)(size_t n, double *z, const double *x, size_t x_step, const double *y,
                        size_t y_step);
    const ct__plain_arrays *plain; /* integers, comparisons, choices, conversions */
    /* *y = op(*y, x[0 … n-1]), and y[j] = op(y[j], x[i·width + j] for i = 0 … n-1), in the order of
     * exec/interpret/reduce_lanes.c; op is add, multiply, maximum or minimum */
    void (*fold_row_f32)(ct__op op, size_t n, float *y, const float *x);
    void (*fold_row_f64)(ct__op op, size_t n, double *y, const double *x);
    void (*fold_columns_f32)(ct__op op, size_t n, size_t width, float *y, const float *x);
    void (*fold_columns_f64)(ct__op op, size_t n, size_t width, double *y, const double *x);
    void (*fold_row_f16)(ct__op op, size_t n, uint16_t *y, const uint16_t *x);
    void (*fold_row_bf16)(ct__op op, size_t n, uint16_t *y, const uint16_t *x);
    void (*fold_columns_f16)(ct__op op, size_t n, size_t width, uint16_t *y, const uint16_t *x);
    void (*fold_columns_bf16)(ct__op op, size_t n, size_t width, uint16_t *y, const uint16_t *x);
    /* a part of fold_row: lane[l] = op(lane[l], x[i + l] for i = 0, LANES, … below n), n a multiple
     * of LANES */
    void (*fold_lanes_f32)(ct__op op, size_t n, float *lane, const float *x);
    void (*fold_lanes_f64)(ct__op op, size_t n, double *lane, const double *x);
    void (*fold_lanes_f16)(ct__op op, size_t n, uint16_t *lane, const uint16_t *x);
    void (*fold_lanes_bf16)(ct__op op, size_t n, uint16_t *lane, const uint16_t *x);
} ct__arrays;

/* Whether elementary.h or elementary64.h have the operation: its f32 and f64 then need not be the
 * exact values rounded once. */
bool ct__is_elementary(ct__op op);

/* Whether the loops of folds have the operation: add, multiply, maximum and minimum. */
bool ct__has_fold(ct__op op);

/* A sum over more than so many elements has as many lanes: lane l sums the elements l, l + LANES, …
 * in order, and then the upper half of the lanes is added to the lower one until one is left. */
enum { CT__LANES = 32, CT__ROW_BLOCK = 4096, CT__COLUMN_BLOCK = 64 };

extern const ct__arrays ct__arrays_base;
#ifdef __x86_64__
extern const ct__arrays ct__arrays_avx2, ct__arrays_avx512;
#endif

/* The best ones that this machine runs. */
const ct__arrays *ct__arrays_here(void);

#endif
