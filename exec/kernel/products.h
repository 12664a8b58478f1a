/* Products of matrices in machine arithmetic, compiled once per instruction set: the bits are the
 * same in all of them.
 *
 *   products.inc   the loops in one set: products_base.c, products_avx2.c, products_avx512.c
 *   product.inc    those of f32 and of f64          vectors.h   vectors of the set
 *   products.c     which set this machine has, and the room that a product asks for */
#ifndef CT_EXEC_PRODUCTS_H
#define CT_EXEC_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where elements of a batch of matrices lie: strides in elements, of any sign. */
typedef struct ct__strides {
    int64_t batch, row, column;
} ct__strides;

/* c[g, i, j] = Σ_p a[g, i, p] b[g, p, j] for g < batch, i < m, j < n, p < k. Each sum is formed by
 * fused multiply-adds over p in order from 0; where m or n is 1, and k more than CT__LANES, in
 * lanes as the sums of arrays.h. */
typedef struct ct__product {
    size_t batch, m, n, k;
    ct__strides a, b, c;
} ct__product;

/* c[i, j] = Σ_p a[i·a_row + a_at[p]] b[b_at[p] + j], each in order as above, from 0 or, where the
 * product is not the first, from c. */
typedef struct ct__product_at {
    size_t m, n, k;
    int64_t a_row;
    const int64_t *a_at, *b_at;
    ct__strides c; /* c.batch is not used */
    bool is_first;
} ct__product_at;

/* The largest panels of b and blocks of a that are packed, in elements. */
enum {
    CT__PRODUCT_DEPTH = 256,
    CT__PRODUCT_COLUMNS = 1024,
    CT__PRODUCT_ROWS = 120,
    CT__PRODUCT_SKEW = 16 /* between rows of a block, so that they do not fall into one set */
};

typedef struct ct__products {
    const char *name;
    /* room: ct__product_room bytes, CT__ALIGN-aligned. NULL: nothing is packed, and the columns of
     * b and of c lie together. */
    void (*f32)(const ct__product *p, float *c, const float *a, const float *b, float *room);
    void (*f64)(const ct__product *p, double *c, const double *a, const double *b, double *room);
    void (*at_f32)(const ct__product_at *p, float *c, const float *a, const float *b);
    void (*at_f64)(const ct__product_at *p, double *c, const double *a, const double *b);
} ct__products;

extern const ct__products ct__products_base;
#ifdef __x86_64__
extern const ct__products ct__products_avx2, ct__products_avx512;
#endif

/* The best ones that this machine runs. */
const ct__products *ct__products_here(void);

size_t ct__product_room(const ct__product *p, size_t element_bytes);

/* Whether a and b are read where they are: b fits into the nearest cache, or few rows meet it. */
static inline bool ct__product_is_direct(const ct__product *p, size_t element_bytes)
{
    return p->k == 0 || (p->b.column == 1 && (p->m <= 24 || p->n <= 32768 / element_bytes / p->k));
}

#endif
