/* The strict primitives whose operands are functions: branches, loops, map; and the fence for
 * rewrites. op.h says what they all have in common. */
#ifndef COTANGENT_OP_CONTROL_H
#define COTANGENT_OP_CONTROL_H

#include "base.h"
#include "dtype.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Control. Bodies are functions; values that they use from outside are passed as captures. */

/* then(captures…) or otherwise(captures…). C1: pred is a bool scalar. C2: both take the captures'
 * types. C3: both give the same types. Derivative: that of the branch taken; none in pred. */
CT_API void ct_op_if_at(ct_place at, ct_tensor *pred, ct_function *then, ct_function *otherwise,
                        ct_list captures, ct_tensor **result, size_t n_results);

/* branches[index](captures…); the last one for an index outside of [0, n_branches), also below it.
 * I1: index is an i32 scalar. C1: there is a branch. C2: all take the captures' types. C3, C4: all
 * give the same types. Derivative: that of the branch taken; none in index. */
CT_API void ct_op_case_at(ct_place at, ct_tensor *index, size_t n_branches,
                          ct_function *const *branches, ct_list captures, ct_tensor **result,
                          size_t n_results);

/* carry = body(carry…, captures…) while cond(carry…, captures…); zero iterations give the carry as
 * it is. Results: the final carry…. C1: cond takes the types of carry and captures, and gives a
 * bool scalar. C2: body takes the same, and gives the carry's types. C3: so do the results.
 * Derivative: that of the iterations that are run; none by way of cond. */
CT_API void ct_op_while_at(ct_place at, ct_list carry, ct_list captures, ct_function *cond,
                           ct_function *body, ct_tensor **result);

/* body(elements of x…, captures…) for every element. C1: all x have one shape, which the result
 * has. C2: there is an x. C3: it is over all axes. C4: the body takes scalars of the x's dtypes,
 * then the captures, and gives a scalar, of the result's dtype. Derivative: the body's; linear
 * where that is. */
CT_API ct_tensor *ct_op_map_at(ct_place at, ct_list x, ct_list captures, ct_function *body);

/* length times: (carry…, y…) = body(carry…, x[i]…, captures…), i from the end when is_reverse.
 * Results: the final carry…, the stacked y…. C1: every x has extent `length` on axis 0. C2: the
 * body takes the carry's types, x's without axis 0, the captures'. C3: the carry keeps its types.
 * C4: the y are tensors. Derivative: that of the unrolled loop; linear where the body is. */
CT_API void ct_op_scan_at(ct_place at, int64_t length, ct_list carry, ct_list x, ct_list captures,
                          bool is_reverse, ct_function *body, ct_tensor **result, size_t n_results);

/* The operands, unchanged; a fence for rewrites. Linear: tangents and cotangents pass unchanged. */
CT_API void ct_op_optimization_barrier_at(ct_place at, ct_list x, ct_tensor **result);

/* ---- The same with the caller's place. */

#define ct_op_if(...) ct_op_if_at(CT_HERE, __VA_ARGS__)
#define ct_op_case(...) ct_op_case_at(CT_HERE, __VA_ARGS__)
#define ct_op_while(...) ct_op_while_at(CT_HERE, __VA_ARGS__)
#define ct_op_map(...) ct_op_map_at(CT_HERE, __VA_ARGS__)
#define ct_op_scan(...) ct_op_scan_at(CT_HERE, __VA_ARGS__)
#define ct_op_optimization_barrier(...) ct_op_optimization_barrier_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
