/* Recomputing instead of keeping: what the reverse derivative of a function keeps between its
 * forward and its backward half, and what it computes again.
 *
 * Both transforms give a function that computes the same; only its derivatives differ, in the
 * memory and the time that they take. residuals.h tells what is kept. */
#ifndef COTANGENT_REMAT_H
#define COTANGENT_REMAT_H

#include "base.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Functions. */

/* What the backward half finds beside the function's arguments; it computes the rest again. */
typedef enum ct_keep_policy {
    CT_KEEP_NOTHING = 0,
    CT_KEEP_DOTS = 1,  /* results of dot_general, ragged_dot and convolution */
    CT_KEEP_NAMED = 2, /* values that ct_name gave one of these names */
    CT_KEEP_BYTES = 3  /* at most so many bytes: what costs most to compute again, per byte, first,
                        * together with all that would be computed again for it alone */
} ct_keep_policy;

typedef struct ct_checkpoint_options {
    size_t size; /* sizeof(ct_checkpoint_options) */
    ct_keep_policy keep;
    size_t n_names;
    const char *const *names; /* letters, digits, "_", "." and "-" */
    int64_t bytes;
} ct_checkpoint_options;

/* f, whose derivative keeps its arguments and what the options say. NULL: nothing.
 *
 *     ct_function *block = ct_checkpoint(ct_trace(ctx, layer, CT_LIKE(w, x)), NULL);
 *
 *   returns  (args…) -> (results…), a call of f that is printed as composite "ct.checkpoint"
 *   errors   CT_ERR_ARGUMENT for a keep that is none, a name with other characters, bytes below 0
 *   derivs   those of f, in every mode and order. What has an effect is never done again: its
 *            results are kept */
CT_API ct_function *ct_checkpoint_at(ct_place at, ct_function *f,
                                     const ct_checkpoint_options *options);
#define ct_checkpoint(...) ct_checkpoint_at(CT_HERE, __VA_ARGS__)

/* ---- Loops. */

typedef enum ct_reverse_strategy {
    CT_REVERSE_KEEP_ALL = 0, /* the residuals of all iterations: memory O(n), nothing done again */
    CT_REVERSE_SQRT = 1,     /* the carry after every √n iterations: O(√n), each done twice */
    CT_REVERSE_BINOMIAL = 2, /* `snapshots` carries at a time, n iterations done again as few times
                              * as can be; loops whose count only a run knows take √n */
    CT_REVERSE_LIMIT = 3     /* at most `bytes`, by the way of those that does least again */
} ct_reverse_strategy;

typedef struct ct_reverse_options {
    size_t size; /* sizeof(ct_reverse_options) */
    ct_reverse_strategy strategy;
    int64_t snapshots; /* at least 1 */
    int64_t bytes;     /* for each loop that is in no other */
} ct_reverse_options;

/* f with its loops (scan, for and while; those in bodies too) written so that the reverse
 * derivative keeps less. NULL: it keeps all, as f itself.
 *
 *     ct_function *g = ct_grad(ct_reverse_loops(f, &(ct_reverse_options){
 *         sizeof(ct_reverse_options), .strategy = CT_REVERSE_SQRT}), CT_ARGS(0));
 *
 * Loops become loops of segments, which are checkpoints. Where constants tell a count they become
 * scans: a for of a constant count, a while whose cond compares a carried integer, to which the
 * body adds a constant, with a constant. Without a limit a while whose count nobody knows before is
 * cut into segments of 1, 2, 3, … iterations.
 *
 * Rows of what a scan reads are read where they are, and rows of their cotangents are made where
 * they go. With binomial snapshots a run has, beside `snapshots` carries, those of the iteration at
 * hand and two for each time that iterations are done again: the least t of
 * (snapshots + t)!/(snapshots! t!) >= n.
 *
 * The bytes of a loop whose count is known are those of a run of its reverse derivative by all
 * operands: the memory of ct_executable_block_bytes, which arguments and results are not part of,
 * operation by operation. They are measured here, for several ways, which takes time. Where the
 * tile machine computes several operations in one step, values of a segment may live longer, and
 * the block be up to twice as large; without its pass "fusion" it is not.
 *
 * Of a loop whose count only a run knows they are those of the values that ct_residuals tells,
 * kept and recomputed: what is there once, the carries between segments, and what the iterations of
 * a segment keep. (A stack of them has room for a quarter more than it holds, and 33 bytes for each
 * value beside it.) Segments are loops of segments themselves, in up to 3 levels, as few as let a
 * million iterations fit. In as many iterations as fit the limit is kept; those beyond keep a
 * carry for each segment of the highest level. Iterations are done again once for each level. A
 * loop of which an iteration keeps nothing stays as it is.
 *
 * Loops in loops have the same limit, or a part of it where the loop around them needs the rest,
 * and what they take is part of what that one takes; of one whose count only a run knows, in
 * another such, an iteration is.
 *
 *   errors   CT_ERR_ARGUMENT for a strategy that is none, for fewer than 1 snapshots and for bytes
 *            below 0; CT_ERR_RANGE where a loop whose count is known, or an iteration of
 *            another loop, needs more than the limit (it says how much), and where so few snapshots
 *            make a loop do its iterations again more than 100 times; it names the loop's place
 *   derivs   those of f: the iterations are the same */
CT_API ct_function *ct_reverse_loops_at(ct_place at, ct_function *f,
                                        const ct_reverse_options *options);
#define ct_reverse_loops(...) ct_reverse_loops_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
