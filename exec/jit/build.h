/* C text made into functions: compiled, or found in the cache. */
#ifndef CT_EXEC_JIT_BUILD_H
#define CT_EXEC_JIT_BUILD_H

#include "exec/jit/compiler.h"

/* What dlopen gives; NULL after filling the reason. */
void *ct__load_code(const char *code, const atomic_bool *cancelled, ct__reason *reason);

#endif
