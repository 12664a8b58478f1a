/* The one thread of a process that compiles, one plan after another. It is there while there is
 * something to be done. */
#ifndef CT_EXEC_JIT_WORKER_H
#define CT_EXEC_JIT_WORKER_H

#include "exec/jit/jit.h"

/* Takes over a reference; false: there is no thread. */
bool ct__worker_add(ct__jit *jit);

/* ---- What it does to them: jit.c. */

void ct__jit_release(ct__jit *jit);
void ct__jit_cancel(ct__jit *jit);
/* Why it cannot be compiled, if nothing else has been said. */
void ct__jit_fail(ct__jit *jit, const char *reason);
/* Around a fork, of the one that is being compiled. */
void ct__jit_before_fork(ct__jit *jit);
void ct__jit_after_fork(ct__jit *jit, bool is_child);

#endif
