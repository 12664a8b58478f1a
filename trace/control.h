/* What choice (control.c) and loops (scan.c, for.c, while.c) share: calling the bodies that a
 * program gives. */
#ifndef CT_TRACE_CONTROL_H
#define CT_TRACE_CONTROL_H

#include "trace/compose.h"

#include <cotangent/control.h>

/* Calls a body: reads param, fills result (NULL-filled before). */
typedef void ct__body_call(void *closure, ct_tensor *const *param, ct_tensor **result);

/* Records the call of a body as a region of the innermost trace. The headers that it leaves belong
 * to the current scope. False, and nothing to free, after an error. */
bool ct__record_region(ct_context *ctx, ct_place at, const char *name, size_t n_params,
                       const ct_type *const *type, ct__body_call *call, void *closure,
                       size_t n_results, ct__region *region);

/* x as its own handle in the current scope, described as x is: bodies may release what they are
 * made from. Poison after an error. */
ct_tensor *ct__hold(ct_place at, const char *what, ct_tensor *x);

/* The name of item i of a list, "carry[1]". */
const char *ct__item_name(char name[64], const char *list, size_t i);

/* Whether carry or y i of a loop is what it was before the iteration; reports otherwise: "for:
 * carry[0] is f32[] and after an iteration f64[]; it must keep its type". */
bool ct__keeps_type(ct_context *ctx, ct_place at, const char *what, const char *list, size_t i,
                    const ct_type *was, const ct_type *is);
/* The same of a carry that a body gave, which must be a value. */
bool ct__check_carry(ct_context *ctx, ct_place at, const char *what, size_t i, const ct_type *was,
                     const ct_tensor *next);
/* Copies of the types of n carries in the arena, which hold whatever a body releases; reports one
 * that is no value. */
bool ct__carry_types(ct_context *ctx, ct_place at, const char *what, ct__arena *arena, size_t n,
                     ct_tensor *const *carry, const ct_type **type);

/* Result i of a body that was called at once, as a handle of its own in the scope around the
 * body's; poison after an error. */
ct_tensor *ct__body_result(ct_context *ctx, ct_place at, const char *what, const char *list,
                           size_t i, ct_tensor *x);

#endif
