/* The interpreter: what every operation means, with the arithmetic as a parameter.
 *
 *   plan.c       a graph as steps over one frame of memory     run.c     walking the steps
 *   reference.c  the reference numerics                        FAMILY.c  meanings, by operation family
 *
 * Values are contiguous and row-major. Moving data is index arithmetic on elements of
 * numerics->element_bytes; everything else goes through the numerics. */
#ifndef CT_EXEC_INTERPRET_H
#define CT_EXEC_INTERPRET_H

#include "trace/graph.h"

/* Arithmetic on arrays. `op` is the operation of the table; dtype its operands'. Arrays do not
 * overlap, unless an output is exactly an input. */
typedef struct ct__numerics {
    const char *name;
    size_t (*element_bytes)(ct_dtype dtype);
    /* y[i] = op(x[i]) */
    void (*unary)(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x);
    /* z[i] = op(x[i], y[i]); a step is 0 or 1: whether that operand advances */
    void (*binary)(ct__op op, ct_dtype dtype, size_t n, void *z, const void *x, size_t x_step,
                   const void *y, size_t y_step);
    /* *accumulator = op(*accumulator, x[i·stride]) for i = 0 … n-1, in this order */
    void (*fold)(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x,
                 size_t stride);
    void (*compare)(int direction, int type, ct_dtype dtype, size_t n, bool *z, const void *x,
                    const void *y);
    void (*is_finite)(ct_dtype dtype, size_t n, bool *y, const void *x);
    void (*convert)(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x);
    void (*iota)(ct_dtype dtype, size_t n, void *y, int64_t first); /* first, first + 1, … */
    /* c[m,n] = Σ_k a[m,k] b[k,n], row-major, each sum over k in order from 0, by the rules of
     * reference numerics; f16 and bf16 are summed in f32. */
    void (*dot)(ct_dtype dtype, size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
} ct__numerics;

extern const ct__numerics ct__reference_numerics;

/* The first error of a run. */
typedef struct ct__run_error {
    ct_status status;
    ct_place at; /* borrowed from the graph */
    char message[1024];
} ct__run_error;

typedef struct ct__plan ct__plan;

/* One operation in progress. */
typedef struct ct__eval {
    const ct__numerics *numerics;
    ct__op op;
    const ct__attrs *attrs;
    ct_place at;
    size_t n_operands;
    const ct_type *const *in_type;
    const void *const *in;
    size_t n_results;
    const ct_type *const *out_type;
    void *const *out; /* never overlaps an input */
    size_t n_regions;
    ct__plan *const *region; /* planned bodies */
    unsigned char *scratch;  /* ct__scratch_bytes(…) of them, CT__ALIGN-aligned */
    unsigned char *frame;    /* where the frames of bodies go, CT__ALIGN-aligned */
    bool plain_products;     /* scale is multiply */
    ct__run_error *error;
} ct__eval;

/* Meanings: fill q->out; false after ct__run_fail. */
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, meaning, ...)      \
    bool ct__meaning_##meaning(const ct__eval *q);
#include "ops/ops.def"
#undef OP

/* Fills the error: "gather: 2 of 2 indices are out of range: …". Returns false. */
bool ct__run_fail(const ct__eval *q, ct_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Scratch bytes that an operation's meaning asks for; false on overflow. */
bool ct__scratch_bytes(const ct__numerics *numerics, ct__op op, const ct__attrs *attrs,
                       const ct_type *const *in_type, const ct_type *const *out_type,
                       size_t *bytes);

/* ---- Plans. */

/* Plan a graph: offsets of values by lifetime, constants made contiguous, regions planned. NULL when
 * memory is short. The plan holds the graph. */
ct__plan *ct__plan_new(const ct_allocator *allocator, ct__graph *graph,
                       const ct__numerics *numerics, bool plain_products);
void ct__plan_free(ct__plan *plan);
size_t ct__plan_frame_bytes(const ct__plan *plan); /* its own and the deepest body's */

/* Run: params and results are contiguous buffers, frame is ct__plan_frame_bytes of memory. Allocates
 * nothing. */
bool ct__plan_run(const ct__plan *plan, const void *const *param, void *const *result,
                  unsigned char *frame, ct__run_error *error);

/* ---- Walking index spaces; used by the meanings that move data. */

/* The next coordinate in row-major order; false after the last. */
bool ct__next(int rank, const int64_t *dim, int64_t *index);

#endif
