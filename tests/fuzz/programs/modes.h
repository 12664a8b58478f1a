/* Ways to compute a program that must agree.
 *
 *   modes.c       the list         run.c       running, comparing bits     record.c    recording
 * again mode_….c      the ways: executors, text and rewrites; derivatives; lanes; numerics */
#ifndef CT_TESTS_FUZZ_MODES_H
#define CT_TESTS_FUZZ_MODES_H

#include "tests/fuzz/programs/generate.h"

typedef enum verdict {
    SAME,
    SKIPPED, /* the way does not take the program; why says the reason */
    DIFFERENT
} verdict;

enum { WHY_BYTES = 1024 };

/* What is compared, in the program's context, within a scope of the caller's. The context may hold
 * an error afterwards. */
typedef verdict comparison(const program *p, char why[WHY_BYTES]);

/* Another program made of this one: SAME; or SKIPPED where it has none, DIFFERENT where it should.
 */
typedef verdict preparation(const program *p, program *q, char why[WHY_BYTES]);

typedef struct way {
    const char *name, *meaning;
    preparation *prepare; /* NULL: the program itself is compared */
    comparison *compare;
    unsigned styles; /* bit for each style that it is for */
    size_t every;    /* made of every so many programs; 0: when asked for by name */
} way;

extern const way modes[];
extern const size_t n_modes;

/* Those that need no name: a bit for each. */
uint64_t usual_modes(void);
verdict compare_by(const way *w, const program *p, char why[WHY_BYTES]);

comparison compare_cpu, compare_jit, compare_threads, compare_passes, compare_pretty,
    compare_generic, compare_simplified, compare_inlined, compare_direct,
    compare_instance; /* mode_run.c */
preparation derive_forward, derive_reverse;
comparison compare_adjoint, compare_exact_adjoint, compare_adjoint_mpfr, compare_checkpoint_mpfr,
    compare_loops_mpfr, compare_checkpoint, compare_exact_checkpoint, compare_loops_kept,
    compare_exact_loops;                                                 /* mode_derive.c */
comparison compare_lanes, compare_lanes_machine, compare_lanes_rational; /* mode_lanes.c */
comparison compare_numerics, compare_mpfr;                               /* mode_numerics.c */
comparison compare_unrolled, compare_unrolled_rational;                  /* mode_unroll.c */

/* ---- Running: run.c. */

enum { MOST_OUTPUTS = 3 * MOST_INPUTS + 3 * MOST_RESULTS };

typedef struct outcome {
    ct_status status; /* of what failed, whose message stays in `message` */
    char message[256];
    size_t n;
    ct_tensor *y[MOST_OUTPUTS];
} outcome;
/* In quotients: irrational, or too long. */
bool has_no_value(const outcome *o);

/* Compiled for an executor and called. An error is noted and cleared. */
void run(ct_function *f, ct_list inputs, ct_executor executor, outcome *o);
void run_with(ct_function *f, ct_list inputs, const ct_compile_options *options, outcome *o);
/* Notes and clears an error of the context: false when there was one. */
bool went_well(ct_context *ctx, outcome *o);
/* Whether both have the same results, bit by bit but for NaNs, or failed alike. */
verdict same_outcomes(const outcome *a, const outcome *b, char why[WHY_BYTES]);
bool same_bits(ct_tensor *x, ct_tensor *y, char why[WHY_BYTES]);
/* The same within a bound for floats, relative to the largest element; what is not finite is
 * skipped.
 */
verdict near_outcomes(const outcome *a, const outcome *b, double bound, char why[WHY_BYTES]);
verdict skip(char why[WHY_BYTES], const char *reason);
verdict differ(char why[WHY_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- Recording again: record.c. */

/* Whether running it twice, or for several lanes, may give other numbers. */
bool has_effect(const ct__graph *graph);

/* Records a node whose operands are in `value`, which gains its results. */
typedef bool recorder(ct_context *ctx, const ct__graph *graph, const ct__node *node,
                      ct__arena *arena, ct_tensor **value);
recorder record_node; /* as it is */
bool record_graph(ct_context *ctx, const ct__graph *graph, recorder *record,
                  ct_tensor *const *argument, ct_tensor **result);

#endif
