/* Custom calls: operations of a program that are C functions, found by their target's name.
 *
 * A program names a target (stablehlo.custom_call @name); a context knows which C function that is.
 * Executables keep what they found when they were compiled. */
#ifndef COTANGENT_CUSTOM_H
#define COTANGENT_CUSTOM_H

#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One call in progress. All of it is borrowed for the call. Operands and results are row-major;
 * results are to be filled, and overlap no operand. */
typedef struct ct_custom_call {
    const char *target;
    const char *attributes; /* the others, as text: "backend_config = \"x\", n = 2 : i64" */
    size_t n_operands;
    const ct_type *const *operand_type;
    const void *const *operand;
    size_t n_results;
    const ct_type *const *result_type;
    void *const *result;
    char message[512]; /* why it failed, to be filled by the function */
} ct_custom_call;

/* CT_OK, or the status of the error whose text is call->message. May be called from several
 * threads at once. */
typedef ct_status ct_custom_function(void *user, ct_custom_call *call);

/* From now on, programs of this context that name the target call the function. A later
 * registration of the same name replaces an earlier one; code NULL removes it. The name is copied.
 * A target without a function is CT_ERR_UNSUPPORTED when a program that names it is compiled or
 * run. One has a function from the start: JAX's @shape_assertion(ok, values...), which fails with
 * its error_message where ok is false. */
CT_API void ct_register_custom_call_at(ct_place at, ct_context *ctx, const char *target,
                                       ct_custom_function *code, void *user);
#define ct_register_custom_call(...) ct_register_custom_call_at(CT_HERE, __VA_ARGS__)

/* The number that attribute `name` of the call has, `otherwise` where there is none; and text:
 * false where there is none, else at most bytes - 1 characters of the string, without its quotes.
 */
CT_API double ct_custom_number(const ct_custom_call *call, const char *name, double otherwise);
CT_API bool ct_custom_text(const ct_custom_call *call, const char *name, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
