/* Compiled C for the steps of a plan.
 *
 *   express.c    operations on elements as C expressions; types.inc, prelude.inc: what they need
 *   schedule.c   a part of a graph as loops          emit.c       as C
 *   units.c      all parts of a plan as files of C    build.c      made into functions
 *   compiler.c   the system's compiler               cache.c      objects on disk
 *   worker.c     the thread that compiles            jit.c        steps, and what became of them
 *
 * A plan's steps run on the tile machine until their functions are there, which take its place in
 * between two runs of a step: the bits are the same. */
#ifndef CT_EXEC_JIT_JIT_H
#define CT_EXEC_JIT_JIT_H

#include "exec/cpu/cpu.h"
#include "exec/jit/kernel.h"

#include <cotangent/exec.h>

#include <stdatomic.h>

typedef struct ct__fast_fusion ct__fast_fusion;

/* A step that may be compiled. */
typedef struct ct__fast {
    ct__fast_fusion *fusion;
    const ct__tiles *tiles;
    const ct__kernel *kernel;                /* NULL: there is none */
    const char *declined;                    /* why */
    _Atomic(ct__kernel_function *) function; /* NULL: not yet */
    ct__kernel_table table;
    uint64_t work; /* of a run on the tile machine */
    struct ct__fast *next;
} ct__fast;

/* What is known of a plan's compiled functions, which it owns. Counted: the thread that compiles
 * holds it too. Its memory is the C library's, for it may live longer than the plan's allocator. */
typedef struct ct__jit ct__jit;

/* A fusion whose steps are such. Each plan has its own, whose steps are listed in it. */
struct ct__fast_fusion {
    ct__fusion fusion; /* first */
    size_t n;
    ct__fast *newest;
    ct__jit *jit;            /* to be started when it is worth it; NULL: never */
    _Atomic(uint64_t) spent; /* work on the tile machine so far, or nearly: threads may lose some */
};

void ct__fast_fusion_begin(ct__fast_fusion *f);

/* NULL when memory is short. The steps stay the caller's, until ct__jit_leave. */
ct__jit *ct__jit_new(const ct__fast_fusion *steps);
/* Compile all, and return when it is done. */
void ct__jit_build(ct__jit *jit);
/* Compile all in the background, once. */
void ct__jit_start(ct__jit *jit);
/* Start and wait, so many seconds at most; whether it is done. */
bool ct__jit_wait(ct__jit *jit, double seconds);
/* The steps are no more; functions that are still to come are not made. */
void ct__jit_leave(ct__jit *jit); /* NULL is allowed */
void ct__jit_status(ct__jit *jit, ct_executable_state *state);

#endif
