/* Differentiation and vectorisation: transforms from function to function. They compose in any
 * order.
 *
 * `wrt` names arguments by position; a tree counts as one argument and gives one result per leaf.
 * CT_ALL_ARGS names every float and complex argument. Integer and bool values have no tangent.
 * CT_ARGS() names none, and so does CT_ALL_ARGS of a function without float arguments: then no
 * tangents are taken, those of results are 0, and no cotangents, gradients or matrices are given.
 * ct_grad has no results then, ct_value_and_grad the value alone; what is asked of f (one real
 * float scalar) stays.
 *
 * Complex values have complex tangents and cotangents of their type, and "float" below means them
 * too. The reverse derivative is the transpose of the forward one, which is linear over the reals,
 * under Re Σ a b. So nothing is conjugated: of a holomorphic f it is ybar f'(z), of Re z ybar, of
 * Im z -i ybar, of |z| ybar conj(z) / |z| (0 at 0). A gradient is of a real function: it is
 * df/dx - i df/dy, the conjugate of the direction in which f grows fastest.
 *
 * All return a function owned by the current scope, or a poisoned one with the context's error set:
 * CT_ERR_ARGUMENT for a position out of range or named twice, CT_ERR_RULE for an integer argument
 * or an operation without the rule that is needed (it names the operation and its place),
 * CT_ERR_SHAPE for a gradient of a function whose result is not one real float scalar. */
#ifndef COTANGENT_AD_H
#define COTANGENT_AD_H

#include "base.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* (args…, tangents of wrt…) -> (results…, tangents of the float results…). */
CT_API ct_function *ct_jvp_at(ct_place at, ct_function *f, ct_args wrt);

/* primal:  (args…) -> (results…, residuals…)
 * tangent: (residuals…, tangents of wrt…) -> (tangents of the float results…), linear in the
 * tangents
 *
 * Residuals of a loop whose count only a run knows are stacks, which live inside of a run: the
 * halves of such a function are compiled together, as one function that calls both. */
typedef struct ct_linearized {
    ct_function *primal;
    ct_function *tangent;
    size_t n_residuals;
} ct_linearized;
CT_API ct_linearized ct_linearize_at(ct_place at, ct_function *f, ct_args wrt);

/* For f linear in the arguments `linear`: (other args…, cotangents of the float results…) ->
 * (cotangents of linear…). CT_ERR_RULE, naming the place, where f is not linear. */
CT_API ct_function *ct_transpose_linear_at(ct_place at, ct_function *f, ct_args linear);

/* (args…, cotangents of the float results…) -> (cotangents of wrt…). */
CT_API ct_function *ct_vjp_at(ct_place at, ct_function *f, ct_args wrt);

/* (args…) -> (gradient of wrt…) of a function with one real float scalar result. */
CT_API ct_function *ct_grad_at(ct_place at, ct_function *f, ct_args wrt);

/* (args…) -> (value, gradient of wrt…). */
CT_API ct_function *ct_value_and_grad_at(ct_place at, ct_function *f, ct_args wrt);

/* Of a function whose first result is one real float scalar; the other results, of any type, are
 * handed through and not differentiated. (args…) -> (gradient of wrt…, other results…), and
 * (args…) -> (value, other results…, gradient of wrt…). */
CT_API ct_function *ct_grad_aux_at(ct_place at, ct_function *f, ct_args wrt);
CT_API ct_function *ct_value_and_grad_aux_at(ct_place at, ct_function *f, ct_args wrt);

/* (args…, tangents v of wrt…) -> (H v for wrt…) of a function with one real float scalar result,
 * without the Hessian H: the forward derivative of the gradient, at the cost of a few gradients.
 * ct_jvp(ct_value_and_grad(f, wrt), wrt) gives value, gradient, slope along v and H v. */
CT_API ct_function *ct_hvp_at(ct_place at, ct_function *f, ct_args wrt);

/* ---- Whole matrices. (args…) -> one result for each pair of a float result and an argument of
 * wrt, in the order df0/dx, df0/dy, df1/dx, df1/dy (of a tree one per leaf). It has the result's
 * axes and then the argument's: entry [i…, j…] is the derivative of f[i…] by x[j…].
 *
 * Forward costs a forward derivative for each element of an argument, reverse a reverse one for
 * each element of a result, done at once, as by ct_vmap; the function itself is computed once.
 * ct_jacobian takes the way with fewer. Errors: CT_ERR_RULE for a complex argument, and in reverse
 * for a complex result: their derivatives are no complex numbers. CT_ERR_TYPE for loops in loops
 * whose counts only a run knows: there, ct_vmap of the function's ct_jvp or ct_vjp does it. */
CT_API ct_function *ct_jacobian_at(ct_place at, ct_function *f, ct_args wrt);
CT_API ct_function *ct_jacobian_forward_at(ct_place at, ct_function *f, ct_args wrt);
CT_API ct_function *ct_jacobian_reverse_at(ct_place at, ct_function *f, ct_args wrt);

/* Of a function with one real float scalar result: for each pair of arguments, d²f/dx dx, d²f/dx
 * dy, d²f/dy dx, d²f/dy dy, with the axes of the first and then of the second. Forward over
 * reverse. */
CT_API ct_function *ct_hessian_at(ct_place at, ct_function *f, ct_args wrt);

/* ---- Taylor series along a path: x(t) = x + x1 t + x2 t² + … + xn tⁿ for every argument of wrt,
 * n = order.
 *
 * (args…, series of wrt…) -> (series of the results…). The series of an argument is [n, shape], its
 * row k - 1 being xk; that of a float result y(t) is [n + 1, shape], row k the coefficient yk of
 * tᵏ; of other results it is the value. The derivatives are exact. Each order derives the one
 * before, and what both compute is computed once: without loops, y to order 8 costs 100 to 800
 * times f, by the operations in it, and that grows with n² (products) to n³ (quotients, roots); the
 * bodies of loops are derived as a whole, 2ⁿ times f. CT_ERR_ARGUMENT for an order below 0 or above
 * 100. */
CT_API ct_function *ct_taylor_at(ct_place at, ct_function *f, ct_args wrt, int order);

#define ct_jvp(f, ...) ct_jvp_at(CT_HERE, f, __VA_ARGS__)
#define ct_linearize(f, ...) ct_linearize_at(CT_HERE, f, __VA_ARGS__)
#define ct_transpose_linear(f, ...) ct_transpose_linear_at(CT_HERE, f, __VA_ARGS__)
#define ct_vjp(f, ...) ct_vjp_at(CT_HERE, f, __VA_ARGS__)
#define ct_grad(f, ...) ct_grad_at(CT_HERE, f, __VA_ARGS__)
#define ct_value_and_grad(f, ...) ct_value_and_grad_at(CT_HERE, f, __VA_ARGS__)
#define ct_grad_aux(f, ...) ct_grad_aux_at(CT_HERE, f, __VA_ARGS__)
#define ct_value_and_grad_aux(f, ...) ct_value_and_grad_aux_at(CT_HERE, f, __VA_ARGS__)
#define ct_hvp(f, ...) ct_hvp_at(CT_HERE, f, __VA_ARGS__)
#define ct_jacobian(f, ...) ct_jacobian_at(CT_HERE, f, __VA_ARGS__)
#define ct_jacobian_forward(f, ...) ct_jacobian_forward_at(CT_HERE, f, __VA_ARGS__)
#define ct_jacobian_reverse(f, ...) ct_jacobian_reverse_at(CT_HERE, f, __VA_ARGS__)
#define ct_hessian(f, ...) ct_hessian_at(CT_HERE, f, __VA_ARGS__)
#define ct_taylor(f, ...) ct_taylor_at(CT_HERE, f, __VA_ARGS__)

/* The gradient by the first argument of loss(arguments…), at once: traces, differentiates and
 * applies; with traced arguments it records the call. */
CT_API ct_tensor *ct_grad_of_function_at(ct_place at, ct_context *ctx, const char *name,
                                         ct_signature signature, ct_any_function code,
                                         ct_list arguments);
#define ct_grad_of(ctx, loss, ...)                                                                 \
    ct_grad_of_function_at(CT_HERE, ctx, CT__NAME(loss), CT_SIGNATURE(loss), CT__CODE(loss),       \
                           CT_ARGV(__VA_ARGS__))

/* ---- Vectorisation. */

/* The function that does to `size` lanes what f does to one; 0 lanes are allowed.
 *
 *   in_axes   for every argument the axis along which its lanes lie: f32[4] in a lane is
 *             f32[size,4] for axis 0, f32[4,size] for axis 1 or -1, which counts from the end.
 *             CT_UNBATCHED: it is the same in all lanes, and keeps its type. A tree has one axis
 *             for all leaves
 *   out_axes  for every result where its lanes are to lie. CT_UNBATCHED: once for all lanes,
 *             where that can be told before a run
 *   returns   (args…) -> (results…), every lane's bit by bit as f gives them. Effects happen lane
 *             by lane, one operation after the other
 *   errors    CT_ERR_SHAPE for lists of a wrong length, for an axis that is none (it names the
 *             argument or result, its type and the axis), for a result that is asked to be the
 *             same in all lanes but may differ; CT_ERR_RANGE for lanes that are too many
 *   derivs    as those of every function */
#define CT_UNBATCHED INT64_MIN
CT_API ct_function *ct_vmap_at(ct_place at, ct_function *f, int64_t size, ct_axes in_axes,
                               ct_axes out_axes);
#define ct_vmap(f, ...) ct_vmap_at(CT_HERE, f, __VA_ARGS__)

/* For in_axes and out_axes: axis 0 of every argument or result. */
#ifdef __cplusplus
#define CT_LEADING_AXES (ct_axes{true, 0, nullptr})
#else
#define CT_LEADING_AXES ((ct_axes){true, 0, NULL})
#endif
#define ct_vmap_leading(f, size) ct_vmap_at(CT_HERE, f, size, CT_LEADING_AXES, CT_LEADING_AXES)

/* The only result of code for all lanes of the arguments, at once: traces it for one lane,
 * vectorises and applies; with traced arguments it records the call. There are as many lanes as the
 * batched arguments have along their axes: one number, or else CT_ERR_SHAPE, which names two that
 * differ. */
CT_API ct_tensor *ct_vmap_of_function_at(ct_place at, ct_context *ctx, const char *name,
                                         ct_signature signature, ct_any_function code,
                                         ct_axes in_axes, int64_t out_axis, ct_list arguments);
#define ct_vmap_of(ctx, code, in_axes, out_axis, ...)                                              \
    ct_vmap_of_function_at(CT_HERE, ctx, CT__NAME(code), CT_SIGNATURE(code), CT__CODE(code),       \
                           in_axes, out_axis, CT_ARGV(__VA_ARGS__))

#ifdef __cplusplus
}
#endif
#endif
