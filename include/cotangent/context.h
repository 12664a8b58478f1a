/* Contexts: the first error, the scopes that own handles, the allocator.
 *
 * A context belongs to one thread at a time. It keeps the first error; from then on its operations
 * do nothing and return poison, so an expression needs one check at its end. */
#ifndef COTANGENT_CONTEXT_H
#define COTANGENT_CONTEXT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where memory comes from. Both functions may be called from any thread that uses a function or an
 * executable of the context. */
typedef struct ct_allocator {
    size_t size;                                               /* sizeof(ct_allocator) */
    void *user;                                                /* handed to both functions */
    void *(*allocate)(void *user, size_t bytes, size_t align); /* NULL on failure; align <= 64 */
    void (*release)(void *user, void *memory, size_t bytes);
} ct_allocator;

/* A new context. Never NULL: when memory is short it is a context that has failed for good. */
CT_API ct_context *ct_context_new(void);

/* The same with an allocator, copied before returning. NULL stands for the C library's. */
CT_API ct_context *ct_context_new_with(const ct_allocator *allocator);

/* Release the context and every handle that it owns. NULL is allowed. Functions and executables
 * that were adopted by other contexts live on there. */
CT_API void ct_context_free(ct_context *ctx);

/* ---- The first error. */

CT_API bool ct_failed(const ct_context *ctx); /* true for NULL too */
CT_API ct_status ct_error_status(const ct_context *ctx);

/* The message: "loss.c:42: slice: …" and a line per operand. "" without an error. Valid until the
 * error is cleared or the context freed. */
CT_API const char *ct_error_message(const ct_context *ctx);

/* The user's source place of the error; {NULL, 0} without one. */
CT_API ct_place ct_error_place(const ct_context *ctx);

/* Forget the error. Values poisoned by it stay poisoned: using one is a new error. */
CT_API void ct_error_clear(ct_context *ctx);

/* ---- Scopes: handles made inside a scope are released at its end unless kept. They nest. */

typedef struct ct_scope {
    ct_context *ctx;
    uint32_t depth;
    uint64_t serial;
} ct_scope;

CT_API ct_scope ct_scope_begin(ct_context *ctx);

/* Release what the scope owns, and the scopes inside it. Ending a scope twice is CT_ERR_STATE. */
CT_API void ct_scope_end(ct_scope scope);

/* Move a handle of the current scope to the one around it, and return it. A handle of any other
 * scope stays where it is (keeping it twice is keeping it once), as in the outermost scope. */
CT_API ct_tensor *ct_keep(ct_tensor *x);
CT_API ct_function *ct_keep_function(ct_function *f);
CT_API ct_executable *ct_keep_executable(ct_executable *f);

/* Move a tensor out of all scopes: it lives until ct_release or the end of the context. */
CT_API ct_tensor *ct_retain(ct_tensor *x);

/* Release a handle now. NULL and poison are allowed; the handle is invalid afterwards. The
 * parameters of a traced function or of a loop's body go with their scope instead. */
CT_API void ct_release(ct_tensor *x);
CT_API void ct_release_function(ct_function *f);
CT_API void ct_release_executable(ct_executable *f);

/* *slot = next: next moves to the scope that owned *slot (where that is NULL, to the enclosing one,
 * as ct_keep does), and the old value is released. Poison is not stored: *slot then keeps its last
 * good value, as it does when next belongs to another context than *slot (CT_ERR_CONTEXT). */
CT_API void ct_replace(ct_tensor **slot, ct_tensor *next);

/* Make a handle in ctx for a function or executable of another context, perhaps another thread's.
 * The immutable body is shared. */
CT_API ct_function *ct_adopt(ct_context *ctx, const ct_function *f);
CT_API ct_executable *ct_adopt_executable(ct_context *ctx, const ct_executable *f);

#ifdef __cplusplus
}
#endif
#endif
