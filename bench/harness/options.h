/* What every benchmark can be told:
 *
 *   [--exec NAME|all] [--seconds S] [--json] [PART OF A NAME...]
 *
 * Which core it runs on is the caller's choice: taskset. */
#ifndef BENCH_HARNESS_OPTIONS_H
#define BENCH_HARNESS_OPTIONS_H

#include "sample.h"

typedef struct bench_options {
    const char *way; /* "all": each */
    double seconds;  /* of measuring a row */
    bool is_json;    /* a line of JSON a row, nothing else */
    int n_parts;
    char **part; /* rows whose name has one of them; none: all rows */
} bench_options;

/* False after saying what the program can be told. The question is what it answers. */
bool parse_options(int argc, char **argv, const char *question, bench_options *o);
bool is_wanted(const bench_options *o, const char *name);
bool is_way_wanted(const bench_options *o, const char *name);

/* A row that says how much of something is done in a second: 1e9 times 'per_run' in the unit "G…".
 */
void print_rate(const bench_options *o, const char *name, const char *unit, double per_run,
                const sample *s);
/* A row that says how long one run takes. */
void print_nanoseconds(const bench_options *o, const char *name, const sample *s);

#endif
