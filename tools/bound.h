/* A function of a program compiled and bound to its arguments, to be run again and again. */
#ifndef CT_TOOLS_BOUND_H
#define CT_TOOLS_BOUND_H

#include "bench/harness/limits.h"
#include "bench/harness/sample.h"
#include "tools/tools.h"

#include <stdio.h>

typedef struct bound {
    ct_executable *executable;
    ct_instance *run;
    size_t n_results;
    void **result;
    uint64_t bytes;   /* of arguments and results */
    double compiling; /* seconds */
} bound;

/* The arguments fit (fit_inputs). False after saying why it cannot be; free it all the same. */
bool bind_function(ct_context *ctx, ct_function *f, const array_list *list, const run_words *how,
                   bound *b);
void free_bound(bound *b);
/* One run; false after an error, which is the instance's. */
bool run_bound(void *bound);

/* Run it for so long with every step timed, and print where the time went. False after saying what
 * failed. */
bool profile_bound(FILE *out, bound *b, double seconds, const machine_limits *limits, bool is_json);

#endif
