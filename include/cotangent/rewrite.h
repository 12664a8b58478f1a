/* Rewrites: functions to functions that compute the same, bit by bit, with less work.
 *
 * What is exact for every input is done: NaN, infinities and both zeros are inputs like others, so
 * x*0, x-x and log(exp(x)) stay, x-0 goes and x+0 does not (-0 + 0 is 0). Of a NaN the sign and the
 * payload may change. Operations with an effect are never merged, removed, folded or reordered, and
 * nothing is merged across an optimization_barrier. A merged operation keeps the places of all
 * that it stands for; of several names for one value the first stays. Bodies are rewritten too.
 *
 * All return a function owned by the current scope, or a poisoned one with the context's error set:
 * CT_ERR_ARGUMENT for NULL and options of another size, CT_ERR_MEMORY. */
#ifndef COTANGENT_REWRITE_H
#define COTANGENT_REWRITE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of rewrites; their numbers are stable. */
typedef enum ct_rewrite {
    CT_REWRITE_IDENTITIES = 1, /* x*1, transpose of a transpose, slice of a concatenation, … */
    CT_REWRITE_FOLDING = 2,   /* operations on constants, where every way of running rounds alike */
    CT_REWRITE_MERGING = 4,   /* equal operations on equal operands become one */
    CT_REWRITE_DROPPING = 8,  /* operations that no result needs go */
    CT_REWRITE_BRANCHES = 16, /* if and case on a constant become the branch */
    CT_REWRITE_ALL = 31
} ct_rewrite;

/* Zero asks for the default. */
typedef struct ct_simplify_options {
    size_t size;       /* sizeof(ct_simplify_options); later versions may add members behind */
    unsigned off;      /* a sum of ct_rewrite: do without these */
    size_t fold_bytes; /* folding reads and makes at most so many bytes per operation; 0: 4096. A
                          constant with equal elements has the bytes of one */
} ct_simplify_options;

/* All rewrites, until none applies any more. NULL options: the defaults. One alone:
 * .off = CT_REWRITE_ALL - CT_REWRITE_MERGING. */
CT_API ct_function *ct_simplify_with_at(ct_place at, ct_function *f,
                                        const ct_simplify_options *options);
#define ct_simplify_with(...) ct_simplify_with_at(CT_HERE, __VA_ARGS__)
#define ct_simplify(f) ct_simplify_with_at(CT_HERE, f, NULL)

/* Calls and composites are replaced by what their functions do, as long as no function, nor a body,
 * comes to have more than `operations` operations of its own (0: 1000000); the others stay. No
 * other rewrites. */
CT_API ct_function *ct_inline_within_at(ct_place at, ct_function *f, size_t operations);
#define ct_inline_within(...) ct_inline_within_at(CT_HERE, __VA_ARGS__)
#define ct_inline(f) ct_inline_within_at(CT_HERE, f, 0)

#ifdef __cplusplus
}
#endif
#endif
