/* What a context knows of custom calls: targets and their C functions. */
#ifndef CT_TRACE_CUSTOM_H
#define CT_TRACE_CUSTOM_H

#include "ops/memory.h"

#include <cotangent/rule.h>

typedef struct ct__custom {
    const char *target;       /* owned by the table */
    ct_custom_function *code; /* NULL: only derivatives are known */
    void *user;
    ct_custom_derivative *jvp, *vjp; /* each may be NULL */
    void *derivative_user;
} ct__custom;

/* Zeroed memory is an empty one. */
typedef struct ct__customs {
    size_t count, capacity;
    ct__custom *item;
} ct__customs;

/* NULL when the target is not there. Borrowed until the table changes. */
const ct__custom *ct__customs_find(const ct__customs *customs, const char *target);
void ct__customs_free(const ct_allocator *allocator, ct__customs *customs);

/* JAX's assertions about shapes, @shape_assertion(ok, values…) {error_message = "… {0} …"}, which
 * every context knows: assertion.c. */
#define CT__SHAPE_ASSERTION "shape_assertion"
ct_status ct__shape_assertion(void *user, ct_custom_call *call);
/* The message with the values in place of "{0}", "{1}", …; those that are NULL stay as they are. */
void ct__assertion_text(char *text, size_t bytes, const char *message, size_t n,
                        const int64_t *const *value);

#endif
