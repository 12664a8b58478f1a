/* Control flow that depends on values, written as C functions.
 *
 * The bodies are ordinary C functions over tensors. They may use tensors from outside, through
 * `user` or otherwise. Outside of a trace they are simply called; while a function is traced they
 * are called once, recorded as regions, and what they use from outside becomes an operand. What a
 * body makes belongs to the body: only its results live on, and intermediate values are released. A
 * body may be called any number of times, also to find out its types, and must not keep tensors in
 * `user`. */
#ifndef COTANGENT_CONTROL_H
#define COTANGENT_CONTROL_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Choice. */

typedef ct_tensor *ct_branch(void *user);
/* Fills result[0 … n_results - 1]. */
typedef void ct_branch_many(void *user, ct_tensor **result);

/* then(user) where pred holds, else otherwise(user).
 *
 *   pred     a bool scalar; when it is concrete, also in a trace, only the branch that it
 *            chooses is called
 *   errors   CT_ERR_TYPE, CT_ERR_SHAPE for pred; CT_ERR_TYPE when both branches are recorded
 *            and give different types (it shows both); CT_ERR_ARGUMENT for a NULL branch or result
 *   derivs   those of the branch that is taken; what only the other one uses gets 0 */
CT_API ct_tensor *ct_if_at(ct_place at, ct_tensor *pred, ct_branch *then, ct_branch *otherwise,
                           void *user);
CT_API void ct_if_many_at(ct_place at, ct_tensor *pred, ct_branch_many *then,
                          ct_branch_many *otherwise, void *user, size_t n_results,
                          ct_tensor **results);

/* branches[index](user); the last one for an index outside of [0, n_branches), also below it.
 *
 *   index    an integer scalar; when it is concrete, also in a trace, only the branch that it
 *            chooses is called
 *   errors   CT_ERR_TYPE, CT_ERR_SHAPE for index; CT_ERR_TYPE when branches are recorded and give
 *            different types (it shows both); CT_ERR_ARGUMENT for a NULL branch or result, and
 *            when there is no branch
 *   derivs   those of the branch that is taken; what only others use gets 0 */
CT_API ct_tensor *ct_case_at(ct_place at, ct_tensor *index, size_t n_branches,
                             ct_branch *const *branches, void *user);
CT_API void ct_case_many_at(ct_place at, ct_tensor *index, size_t n_branches,
                            ct_branch_many *const *branches, void *user, size_t n_results,
                            ct_tensor **results);

#define ct_case(...) ct_case_at(CT_HERE, __VA_ARGS__)
#define ct_case_many(...) ct_case_many_at(CT_HERE, __VA_ARGS__)
#define ct_if(...) ct_if_at(CT_HERE, __VA_ARGS__)
#define ct_if_many(...) ct_if_many_at(CT_HERE, __VA_ARGS__)

/* ---- Loops with a known count. */

/* One iteration: reads carry[0 … n_carry-1] and replaces what changes, reads x[0 … xs.count-1],
 * this iteration's rows, and fills y[0 … n_ys-1]. */
typedef void ct_scan_body(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y);

typedef struct ct_loop {
    size_t size;    /* sizeof(ct_loop) */
    int64_t length; /* how many iterations */
    size_t n_carry;
    ct_tensor **carry; /* in: the initial values; out: the final ones */
    ct_list xs;        /* row i along axis 0 goes to iteration i; each has `length` rows */
    size_t n_ys;
    ct_tensor **ys;  /* out: the y of all iterations, stacked along a new axis 0 */
    bool reverse;    /* from the last row to the first; ys keep the order of xs */
    ct_context *ctx; /* of a loop without carry and xs; else unused, may be NULL */
} ct_loop;

/* Runs the body `length` times.
 *
 *     ct_tensor *state[] = {position, speed}, *path;
 *     ct_scan(step, &model, .length = 100, .n_carry = 2, .carry = state,
 *             .xs = CT_ARGV(force), .n_ys = 1, .ys = &path);
 *
 * On failure carry and ys are poison. A loop without carry and xs does nothing, and cannot say so,
 * unless ctx is set. carry[i] and x[i] of the body are handles of the iteration: the body may
 * assign, ct_replace and ct_release them like its own.
 *
 *   errors   CT_ERR_SHAPE for an x without `length` rows; CT_ERR_TYPE for a carry that changes its
 *            type (it shows both) and a y that does; CT_ERR_ARGUMENT for NULL
 *   derivs   those of the iterations one after another */
CT_API void ct_scan_at(ct_place at, ct_scan_body *body, void *user, const ct_loop *loop);

#ifdef __cplusplus
/* In C++: ct_loop loop = ct_loop_new(); loop.length = 100; …; ct_scan(step, &model, loop); */
CT__INLINE ct_loop ct_loop_new()
{
    ct_loop loop = ct_loop();
    loop.size = sizeof loop;
    return loop;
}
#define ct_scan(body, user, loop) ct_scan_at(CT_HERE, body, user, &(loop))
#else
#define ct_scan(body, user, ...)                                                                   \
    ct_scan_at(CT_HERE, body, user, &(const ct_loop){.size = sizeof(ct_loop), __VA_ARGS__})
#endif

/* ---- Loops whose count the values decide. */

/* Whether to go on: a bool scalar made of carry[0 … n_carry-1]. */
typedef ct_tensor *ct_while_cond(void *user, ct_tensor *const *carry);
/* One iteration: reads carry and replaces what changes. */
typedef void ct_while_body(void *user, ct_tensor **carry);

/* While cond holds, body. carry[0 … n_carry-1] holds the initial values, then the final ones, or
 * poison on failure. The handles that cond and body see are those of the iteration: the body may
 * assign, ct_replace and ct_release them like its own.
 *
 *     ct_tensor *state[] = {x, error};
 *     ct_while(too_large, newton_step, &problem, 2, state);
 *
 *   errors   CT_ERR_TYPE, CT_ERR_SHAPE for what cond gives; CT_ERR_TYPE for a carry that changes
 *            its type (it shows both); CT_ERR_ARGUMENT for NULL. A loop without carry does
 *            nothing, and cannot say so: its condition could not change
 *   derivs   those of the iterations that were run, one after another; none by way of cond. What
 *            the reverse derivative needs of each iteration is kept (see remat.h) */
CT_API void ct_while_at(ct_place at, ct_while_cond *cond, ct_while_body *body, void *user,
                        size_t n_carry, ct_tensor **carry);
#define ct_while(...) ct_while_at(CT_HERE, __VA_ARGS__)

/* One iteration of a loop that counts: i is its number, an i64 scalar. */
typedef void ct_for_body(void *user, ct_tensor *i, ct_tensor **carry);

/* count times the body, for i = 0 … count-1; none for a count below 1. carry as for ct_while.
 *
 *     ct_for(step, &model, steps, 2, state);
 *
 *   count    an integer scalar, also one that only a run knows; for a count known before, with
 *            rows to read or to stack, see ct_scan
 *   errors   CT_ERR_TYPE, CT_ERR_SHAPE for count; CT_ERR_TYPE for a carry that changes its type
 *            (it shows both); CT_ERR_ARGUMENT for NULL
 *   derivs   those of the iterations one after another */
CT_API void ct_for_at(ct_place at, ct_for_body *body, void *user, ct_tensor *count, size_t n_carry,
                      ct_tensor **carry);
#define ct_for(...) ct_for_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
