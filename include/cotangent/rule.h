/* Derivatives that the program states itself: of functions whose own derivative is slow, unstable,
 * or not known, as of C functions behind custom calls.
 *
 * A rule is a function like any other, so derivatives of every order, vectorisation and printing go
 * through it. All return a function owned by the current scope, or a poisoned one: CT_ERR_ARGUMENT,
 * CT_ERR_TYPE or CT_ERR_SHAPE for a rule of another type, CT_ERR_CONTEXT for one of another
 * context.
 */
#ifndef COTANGENT_RULE_H
#define COTANGENT_RULE_H

#include "custom.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Functions. The result computes f and has its arguments. */

/* jvp: (args…, tangents of the float args…) -> (results…, tangents of the float results…), as
 * ct_jvp(f, CT_ALL_ARGS). It must be linear in the tangents, or else derivatives are CT_ERR_RULE,
 * which names the operation that is not; reverse ones transpose it. */
CT_API ct_function *ct_custom_jvp_at(ct_place at, ct_function *f, ct_function *jvp);

/* backward: (args…, results…, cotangents of the float results…) -> (cotangents of the float args…).
 * With a forward function, (args…) -> (results…, residuals…), it gets these residuals in place of
 * args and results; NULL: none. Reverse derivatives take backward as it is, and it may bound or
 * drop cotangents. Forward ones transpose it, and are CT_ERR_RULE where it is not linear in the
 * cotangents; of an f that has a jvp rule they go by that. Higher derivatives differentiate what
 * the rule does: the results that it reads have the rule again, residuals the derivative of
 * forward, and what it does not read is neither kept nor differentiated. So forward over reverse
 * (ct_hvp, ct_hessian) of a rule that is not linear needs one that reads no results, but residuals.
 */
CT_API ct_function *ct_custom_vjp_at(ct_place at, ct_function *f, ct_function *forward,
                                     ct_function *backward);
#define ct_custom_jvp(...) ct_custom_jvp_at(CT_HERE, __VA_ARGS__)
#define ct_custom_vjp(...) ct_custom_vjp_at(CT_HERE, __VA_ARGS__)

/* ---- C functions: f(x…) with a rule, on the spot, at once or recorded. The rule's user is NULL.
 *
 *   ct_tensor *log1pexp(ct_tensor *x) { return ct_custom_jvp_of(plain, plain_jvp, x); }
 *
 * jvp gets x… and the tangents of the float x, and gives y and its tangent (that alone where y is
 * no float: nothing). */
CT_API ct_tensor *ct_custom_jvp_of_function_at(ct_place at, const char *name,
                                               ct_signature signature, ct_any_function code,
                                               ct_many_function *jvp, ct_list x);
/* backward gets x…, y and the cotangent of y, and gives those of the float x. */
CT_API ct_tensor *ct_custom_vjp_of_function_at(ct_place at, const char *name,
                                               ct_signature signature, ct_any_function code,
                                               ct_many_function *backward, ct_list x);
#define ct_custom_jvp_of(f, jvp, ...)                                                              \
    ct_custom_jvp_of_function_at(CT_HERE, CT__NAME(f), CT_SIGNATURE(f), CT__CODE(f), jvp,          \
                                 CT_ARGV(__VA_ARGS__))
#define ct_custom_vjp_of(f, backward, ...)                                                         \
    ct_custom_vjp_of_function_at(CT_HERE, CT__NAME(f), CT_SIGNATURE(f), CT__CODE(f), backward,     \
                                 CT_ARGV(__VA_ARGS__))

/* ---- Custom calls: the derivative of a target (ct_register_custom_call), traced for the types of
 * a call when it is asked for. `call` has the target, the attributes and all types, no data. */

/* jvp: x…, y… and the tangents of the float x give the tangents of the float y. vjp: x…, y… and the
 * cotangents of the float y give those of the float x. */
typedef void ct_custom_derivative(void *user, const ct_custom_call *call, ct_list parameters,
                                  ct_tensor **result);

/* From now on. jvp or vjp may be NULL, and then the other is transposed; both: no rule any more. */
CT_API void ct_register_custom_derivative_at(ct_place at, ct_context *ctx, const char *target,
                                             ct_custom_derivative *jvp, ct_custom_derivative *vjp,
                                             void *user);
#define ct_register_custom_derivative(...) ct_register_custom_derivative_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
