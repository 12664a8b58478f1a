/* More strict primitives: loops whose count is known only at run time, and the stacks in which they
 * keep values, of which differentiation makes use. op.h says what they all have in common.
 *
 * A stack is a sequence x[0], x[1], … of tensors (or stacks) of one type, of which all but finitely
 * many hold nothing; reading those gives zeros. It is a value like others, but lives inside a run:
 * it can be no argument and no result of one. As StableHLO it prints as a token, and its operations
 * as custom calls. */
#ifndef COTANGENT_OP_STACK_H
#define COTANGENT_OP_STACK_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* count times: carry = body(i, carry…, captures…) for i = 0 … count-1, from count-1 down when
 * is_reverse; a count below 1 gives the carry as it is. Results: the final carry…. C1: count is an
 * i64 scalar. C2: the body takes an i64 scalar, the carry's types, the captures'. C3: it gives the
 * carry's types. Derivative: that of the unrolled loop; linear where the body is. */
CT_API void ct_op_for_at(ct_place at, ct_tensor *count, ct_list carry, ct_list captures,
                         bool is_reverse, ct_function *body, ct_tensor **result);

/* The stack that holds nothing, of elements like `element`. C1: the result is a stack. */
CT_API ct_tensor *ct_op_stack_new_at(ct_place at, ct_tensor *element);

/* The stack with x added to element `index`; to nothing, that gives x itself. An index below 0 adds
 * nothing. With an index tensor every place of it says where that part of x goes; where x is a
 * stack, that part of all its elements. C1: stack is one. C2: index is i64, of a shape with which
 * the element's begins (of a stack its elements' shape). C3: x is of the element's type.
 * Linear in stack and x together. */
CT_API ct_tensor *ct_op_stack_add_at(ct_place at, ct_tensor *stack, ct_tensor *index, ct_tensor *x);

/* Element `index`; zeros where the stack holds nothing. C1: stack is one. C2: index is i64, of a
 * shape with which the element's begins: every place of it says where that part comes from. Linear
 * in stack. */
CT_API ct_tensor *ct_op_stack_get_at(ct_place at, ct_tensor *stack, ct_tensor *index);

/* Element by element x + y. C1: both are stacks of one type. Linear. */
CT_API ct_tensor *ct_op_stack_sum_at(ct_place at, ct_tensor *x, ct_tensor *y);

/* ---- The same with the caller's place. */

#define ct_op_for(...) ct_op_for_at(CT_HERE, __VA_ARGS__)
#define ct_op_stack_new(...) ct_op_stack_new_at(CT_HERE, __VA_ARGS__)
#define ct_op_stack_add(...) ct_op_stack_add_at(CT_HERE, __VA_ARGS__)
#define ct_op_stack_get(...) ct_op_stack_get_at(CT_HERE, __VA_ARGS__)
#define ct_op_stack_sum(...) ct_op_stack_sum_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
