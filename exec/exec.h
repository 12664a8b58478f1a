/* Executors behind one interface: executables, instances, calls.
 *
 *   compile.c    ct_compile, handles             instance.c  buffers, pools, ct_run
 *   call.c       ct_call                         direct.c    computing at once on concrete values
 *   context.c    ct_context_new: the context with its hooks filled */
#ifndef CT_EXEC_EXEC_H
#define CT_EXEC_EXEC_H

#include "exec/interpret/interpret.h"
#include "trace/trace.h"

#include <cotangent/exec.h>

/* What an executor does. */
typedef struct ct__executor {
    const char *name;
    /* Make a graph ready; NULL when memory is short. */
    void *(*prepare)(const ct_allocator *allocator, ct__graph *graph, bool plain_products);
    void (*discard)(void *prepared);
    size_t (*block_bytes)(const void *prepared);
    bool (*run)(const void *prepared, const void *const *input, void *const *output,
                unsigned char *block, ct__run_error *error);
} ct__executor;

extern const ct__executor ct__interpreter;

#endif
