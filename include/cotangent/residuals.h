/* What reverse mode keeps: values that the backward pass reads and the forward pass has made.
 *
 *     puts(ct_residuals_text(ct_residuals(loss, CT_ARGS(0))));
 *
 *     4000 bytes   kept        100 x f32[10]  subtract, loss.c:42, in scan (loss.c:50)
 *     400 bytes    argument 1  f32[100]       "x"
 *     4000 bytes kept
 *     400 bytes of arguments
 *
 * It is known before a run, except for how often a loop goes round whose count only the run knows:
 * of its values the bytes of one iteration are told. They are what ct_vjp, ct_grad and
 * ct_value_and_grad read, as long as nothing rewrites their functions, and the residuals that
 * ct_linearize gives, which takes forward rules (rule.h) where there are two and no rule for
 * reverse mode alone. Constants are not among them, nor is what is cheap to make again of less or
 * of what is kept anyway: of a broadcast and of simple arithmetic on it the source is kept. */
#ifndef COTANGENT_RESIDUALS_H
#define COTANGENT_RESIDUALS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are stable and never reused. */
typedef enum ct_residual_kind {
    CT_RESIDUAL_KEPT = 0,
    CT_RESIDUAL_ARGUMENT = 1,  /* an argument of f or rows of one, which are there anyway */
    CT_RESIDUAL_RECOMPUTED = 2 /* made again on the way back, in a checkpoint (remat.h) */
} ct_residual_kind;

/* Where a value is made: inside of loops and functions, the operation there. */
typedef struct ct_residual_origin {
    const char *operation; /* "tanh"; of what a derivative's rule adds, that too */
    ct_place place;        /* of the operation of f that it is, or is for; file NULL: not known */
    const char *name;      /* by ct_name; NULL without one */
} ct_residual_origin;

/* A loop that makes the value in every iteration, and keeps all of them. */
typedef struct ct_residual_loop {
    const char *operation; /* "scan" */
    ct_place place;
    int64_t count; /* of iterations; -1: only a run knows */
} ct_residual_loop;

typedef struct ct_residual {
    ct_residual_kind kind;
    size_t argument;     /* of CT_RESIDUAL_ARGUMENT: which parameter of f */
    const ct_type *type; /* of one iteration of the loops */
    size_t n_loops;      /* outermost first; what is the same in all iterations is kept outside */
    const ct_residual_loop *loop;
    size_t n_origins; /* above 1 only where branches give different values to keep */
    const ct_residual_origin *origin;
    /* Of all iterations together (of what a checkpoint recomputes: of the loops in it, for the next
     * time takes the place of the last); where only a run knows the count of a loop, of one
     * iteration of the innermost such loop. UINT64_MAX: more than that. */
    uint64_t bytes;
    bool is_uncounted; /* bytes are those of one iteration */
} ct_residual;

typedef struct ct_residual_report ct_residual_report; /* owned by a scope; never NULL */

/* What the reverse derivative of f by `wrt` keeps (ad.h says how wrt names arguments).
 *
 *   returns  a report in the current scope; a poisoned one after an error
 *   errors   those of ct_vjp */
CT_API ct_residual_report *ct_residuals_at(ct_place at, ct_function *f, ct_args wrt);
#define ct_residuals(f, ...) ct_residuals_at(CT_HERE, f, __VA_ARGS__)

/* ---- Reports. All are defined for NULL and poison too: 0, NULL, "". */

CT_API size_t ct_residuals_count(const ct_residual_report *report);
/* From most bytes to fewest; borrowed from the report; NULL when there is none at the position. */
CT_API const ct_residual *ct_residuals_item(const ct_residual_report *report, size_t position);

/* Bytes of all of a kind, without those in loops that only a run counts. */
CT_API uint64_t ct_residuals_bytes(const ct_residual_report *report, ct_residual_kind kind);
/* Of a kind in such loops: Σ of the bytes of an iteration. */
CT_API uint64_t ct_residuals_iteration_bytes(const ct_residual_report *report,
                                             ct_residual_kind kind);

/* One line a residual, totals last; owned by the current scope. */
CT_API const char *ct_residuals_text(const ct_residual_report *report);

CT_API void ct_residuals_release(ct_residual_report *report);

#ifdef __cplusplus
}
#endif
#endif
