/* A workload made ready to run: traced, derived, compiled and bound to its inputs and results. */
#ifndef BENCH_HARNESS_SESSION_H
#define BENCH_HARNESS_SESSION_H

#include "../workloads/workload.h"

typedef struct session {
    const workload *workload;
    ct_context *ctx;
    ct_function *function;
    ct_executable *executable;
    ct_instance *run;
    ct_tensor *input[MOST_INPUTS + 1];
    void *result[MOST_INPUTS + 1];
    size_t n_inputs, n_results;
    /* seconds of each step, and of the first run */
    double traced, derived, compiled, bound, ran;
    long base_kib; /* memory in use before it was opened, and of its inputs */
} session;

/* Make it ready and run it once. False after saying on stderr what failed; close it all the same.
 */
bool open_session(session *s, const workload *w, const ct_compile_options *options);
void close_session(session *s);

/* From the C function to the first results. */
double ready_seconds(const session *s);
double first_seconds(const session *s); /* the same and the first run */

/* The bytes of a tensor of this type. */
size_t type_bytes(const ct_type *type);
/* Of all inputs and results, each once. */
size_t session_bytes(const session *s);
/* The inputs and the results of the last run, as DIR/in0.npy … and DIR/out0.npy … */
bool write_session(session *s, const char *dir);

/* Wait for what is compiled in the background. */
void settle_session(const session *s);

/* Ways to run, by name: "auto", the tile machine and then compiled C; "cpu", the tile machine
 * alone; "jit", compiled C at once; "machine", "interpret"; each alone or with a number of threads
 * behind it, "cpu:2". False: there is none of this name. */
bool find_way(const char *name, ct_compile_options *options);
/* Their names; NULL behind the last. */
const char *way_name(size_t i);

#endif
