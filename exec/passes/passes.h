/* Passes: what executors do to a program before they run it. Each keeps every bit of the results,
 * and each can be switched off.
 *
 *   passes.c   the table, and the rewrites of an executor's own copy of a graph
 *   hoist.c    what is the same in every iteration, before the loop
 *   dots.c     transpositions as dimension numbers of products
 *   shift.c    pads of what is cheap to compute
 *   cost.c     what an operation on elements costs
 *   verify.c   whether a graph is well-formed: after each rewrite, in debug builds
 *
 * The rewrites are one walk of trace/rewrite; the others are done where a graph is divided into
 * steps (exec/cpu/divide.c). */
#ifndef CT_EXEC_PASSES_H
#define CT_EXEC_PASSES_H

#include "trace/trace.h"

typedef enum ct__lowering {
    CT__INLINING,   /* calls are replaced by what their functions do */
    CT__IDENTITIES, /* x·1, transpose of a transpose, … */
    CT__FOLDING,    /* operations on constants */
    CT__BRANCHES,   /* choices by a constant */
    CT__MERGING,    /* equal operations on equal operands are one */
    CT__DROPPING,   /* what nobody needs goes */
    CT__DOTS,
    CT__SHIFTING,
    CT__HOISTING,
    CT__ORDER,  /* steps in the order in which they wait for one another least */
    CT__VIEWS,  /* what moves data is read at index maps */
    CT__AGAIN,  /* large values that are cheap are computed again, not kept */
    CT__FOLDS,  /* folds run along with what makes their elements */
    CT__FUSION, /* several operations are one step */
    CT__N_LOWERINGS
} ct__lowering;

/* Names with commas between them, or "all", or NULL, as bits; false after an error. */
bool ct__passes_off(ct_context *ctx, ct_place at, const char *what, const char *names,
                    unsigned *bits);
static inline bool ct__is_off(unsigned off, ct__lowering pass)
{
    return (off >> pass & 1) != 0;
}

/* The graph after the rewrites that are not off. NULL after an error. The caller's. */
ct__graph *ct__lower(ct_context *ctx, ct_place at, ct__graph *graph, unsigned off);

/* Of an operation on an element, where an addition is 1. */
int ct__cost_of(ct__op op);

/* What is wrong with the graph, in text; false: nothing is, or memory is short. */
bool ct__find_flaw(const ct_allocator *allocator, const ct__graph *graph, char *text, size_t bytes);

#endif
