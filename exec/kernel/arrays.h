/* Loops over arrays in machine arithmetic, compiled once per instruction set: the bits are the same
 * in all of them.
 *
 *   elementary.h        what one element is          elementary.inc   its polynomials
 *   arrays.inc          the loops                    arrays.c         which set this machine has
 *   arrays_base.c, arrays_avx2.c, arrays_avx512.c    the loops in one set */
#ifndef CT_EXEC_ARRAYS_H
#define CT_EXEC_ARRAYS_H

#include "ops/ops.h"

typedef struct ct__arrays {
    const char *name;
    /* y[i] = op(x[i]), z[i] = op(x[i], y[i]), for an elementary op; y and z may be an input */
    void (*unary)(ct__op op, size_t n, float *y, const float *x);
    void (*binary)(ct__op op, size_t n, float *z, const float *x, const float *y);
    /* c[m,n] = Σ_k a[m,k] b[k,n], row-major: fused multiply-adds over k in order from 0; of a
     * single row or column in lanes */
    void (*dot_f32)(size_t m, size_t n, size_t k, float *c, const float *a, const float *b);
    void (*dot_f64)(size_t m, size_t n, size_t k, double *c, const double *a, const double *b);
} ct__arrays;

/* Whether elementary.h has the operation. */
bool ct__is_elementary(ct__op op);

/* A sum over more than so many elements has as many lanes: lane l sums the elements l, l + LANES, …
 * in order, and then the upper half of the lanes is added to the lower one until one is left. */
enum { CT__LANES = 32 };

extern const ct__arrays ct__arrays_base;
#ifdef __x86_64__
extern const ct__arrays ct__arrays_avx2, ct__arrays_avx512;
#endif

/* The best ones that this machine runs. */
const ct__arrays *ct__arrays_here(void);

#endif
