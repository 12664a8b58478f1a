/* Executors behind one interface: executables, instances, calls.
 *
 *   compile.c    ct_compile, handles             instance.c  bound buffers, ct_run
 *   call.c       ct_call                         direct.c    computing at once on concrete values
 *   program.c    the counted body of executables, its pool of blocks
 *   automatic.c  the executor that compiles C    context.c    ct_context_new, the hooks filled
 *   profile.c    what is timed of an instance    threads.c    threads that share an operation
 *   trap.c  trap_find.c  trap_integer.c  trap_text.c
 *                                       runs that stop where trouble is born (trap.h)
 *   without_oracle.c  in place of oracle/, in a library without GMP, MPFR and MPC */
#ifndef CT_EXEC_EXEC_H
#define CT_EXEC_EXEC_H

#include "exec/interpret/interpret.h"
#include "trace/trace.h"

#include <cotangent/exec.h>

/* What an executor does. What it prepares is immutable. */
typedef struct ct__executor {
    const char *name;
    /* Make a graph ready; NULL after filling the error. */
    void *(*prepare)(const ct_allocator *allocator, ct__graph *graph,
                     const ct__plan_options *options, ct__run_error *error);
    void (*discard)(void *prepared);
    size_t (*block_bytes)(const void *prepared);
    /* Block: block_bytes of memory, aligned to CT__ALIGN. Allocates nothing. */
    bool (*run)(const void *prepared, const void *const *input, void *const *output,
                unsigned char *block, ct__run_error *error);
    const ct__plan *(*plan)(const void *prepared);
    /* What became of its steps; NULL: it compiles none. */
    void (*status)(const void *prepared, ct_executable_state *state);
    /* Compile now, and wait; whether it is done. NULL: there is nothing to wait for. */
    bool (*wait)(const void *prepared, double seconds);
} ct__executor;

/* The interpreter in reference and in machine numerics, the tile machine, what begins on it and is
 * compiled in the background, and what is compiled at once. */
extern const ct__executor ct__interpreter, ct__machine, ct__cpu, ct__automatic, ct__compiled;

/* The oracles: exec/oracle/. Only where the library is built with them. */
#ifdef CT_ORACLE
extern const ct__executor ct__oracle;
#endif

enum { CT__USUAL_BITS = 256, CT__USUAL_MOST_BITS = 1 << 20 }; /* of their numbers */

/* ---- Programs: what is behind the handles of an executable. Counted; used from many threads. */

enum { CT__POOLED_BLOCKS = 16 };

typedef struct ct__program {
    atomic_size_t references;
    ct_allocator allocator;
    ct__graph *graph;
    const ct__executor *executor;
    void *prepared;
    size_t block_bytes;
    uint64_t donated_inputs, seed;
    unsigned traps;                                   /* bits of ct_trap: see trap.h */
    ct__threads *threads;                             /* of the runs; NULL: their own alone */
    _Atomic(unsigned char *) pool[CT__POOLED_BLOCKS]; /* blocks that no call uses now, or NULL */
} ct__program;

/* off: passes to do without. NULL after filling the error. */
ct__program *ct__program_new(const ct_allocator *allocator, ct__graph *graph,
                             const ct__executor *executor, const ct_compile_options *options,
                             unsigned off, const ct__customs *customs, ct__run_error *error);
ct__program *ct__program_retain(ct__program *program);
void ct__program_release(ct__program *program); /* NULL is allowed */

/* A block for one run, from the pool or new; NULL when memory is short. */
unsigned char *ct__program_take_block(ct__program *program);
void ct__program_give_block(ct__program *program, unsigned char *block); /* NULL is allowed */

/* ---- Executables. */

struct ct_executable {
    ct__handle handle;
    ct__program *program; /* counted; NULL in poison */
};

/* Report what went wrong inside a run that the user asked for at `at`. */
void ct__report_run_error(ct_context *ctx, ct_place at, const char *what,
                          const ct__run_error *error);

/* ct_call_at, of an oracle, which leaves its numbers behind unless the call fails. */
void ct__call_keeping(ct_place at, ct_executable *f, ct_list arguments, ct_tensor **results,
                      size_t n_results, struct ct__kept_numbers *keep);

/* The evaluate hook: one operation on concrete values, in reference numerics. */
bool ct__evaluate_directly(const ct__evaluation *evaluation);

#endif
