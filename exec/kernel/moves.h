/* Loops that move elements, compiled once per instruction set.
 *
 *   moves.inc      the loops in one set: moves_base.c, moves_avx2.c, moves_avx512.c
 *   places.inc     those that read indices of one dtype         moves.c   which set this machine
 * has
 *
 * Offsets `at` are in elements. Where a loop `streams`, what it writes is so much that it would
 * drive everything else from the caches, and goes around them. */
#ifndef CT_EXEC_MOVES_H
#define CT_EXEC_MOVES_H

#include <cotangent/dtype.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No place: what is there is left out. Stays below 0 whatever steps are added to it. */
#define CT__NOWHERE (INT64_MIN / 2)

/* Results of so many bytes are written around the caches. */
enum { CT__STREAMED_BYTES = 8 << 20 };

/* What transposition moves: rows of `to`, whose columns are adjacent, from columns of `from`, whose
 * rows are. */
typedef struct ct__plane {
    int64_t rows, columns;
    size_t bytes;        /* of an element */
    int64_t to_row;      /* bytes between rows of `to` */
    int64_t from_column; /* bytes between columns of `from` */
} ct__plane;

typedef struct ct__moves {
    const char *name;
    /* at[i] += step · index[i · index_step], where the index is clamped into [0, last]; or, where
     * it `skips`, outside of that at[i] becomes CT__NOWHERE. Any integer dtype. */
    void (*find_places)(ct_dtype dtype, size_t n, int64_t *at, const void *index,
                        int64_t index_step, int64_t last, int64_t step, bool skips);
    /* y[i] = x[at[i]] of elements of 4 and of 8 bytes */
    void (*gather_4)(size_t n, void *y, const void *x, const int64_t *at, bool streams);
    void (*gather_8)(size_t n, void *y, const void *x, const int64_t *at, bool streams);
    /* y[i] = x[step · index[i]], the index clamped into [0, last]; step · last is below 2^32 */
    void (*gather_indexed_4)(size_t n, void *y, const void *x, const int32_t *index, int32_t last,
                             uint32_t step, bool streams);
    void (*gather_indexed_8)(size_t n, void *y, const void *x, const int32_t *index, int32_t last,
                             uint32_t step, bool streams);
    /* `bytes` bytes of x, from element at[i] on, to y + i · y_step, which is in bytes */
    void (*gather_rows)(size_t n, size_t bytes, void *y, int64_t y_step, const void *x,
                        size_t element_bytes, const int64_t *at, bool streams);
    /* y[at[i] + j] += x[i · x_step + j] for j < width, in the order of i; not where at[i] < 0 */
    void (*add_rows_f32)(size_t n, size_t width, float *y, const int64_t *at, const float *x,
                         int64_t x_step);
    void (*add_rows_f64)(size_t n, size_t width, double *y, const int64_t *at, const double *x,
                         int64_t x_step);
    /* y[step · index[i]] += x[i], in order; not where the index is outside of [0, last]; step ·
     * last is below 2^32 */
    void (*add_indexed_f32)(size_t n, float *y, const int32_t *index, int32_t last, uint32_t step,
                            const float *x);
    void (*add_indexed_f64)(size_t n, double *y, const int32_t *index, int32_t last, uint32_t step,
                            const double *x);
    /* y = x, around the caches as far as y is of whole vectors; the last one is to be followed by
     * stream_end before others are told */
    void (*stream)(void *y, const void *x, size_t bytes);
    void (*stream_end)(void);
    /* `next`: where the plane begins that will be moved after this one, or NULL */
    void (*transpose)(const ct__plane *plane, void *to, const void *from, const void *next,
                      bool streams);
} ct__moves;

extern const ct__moves ct__moves_base;
#ifdef __x86_64__
extern const ct__moves ct__moves_avx2, ct__moves_avx512;
#endif

/* The best ones that this machine runs. */
const ct__moves *ct__moves_here(void);

#endif
