/* Timing something again and again, and what the times say. */
#ifndef BENCH_HARNESS_SAMPLE_H
#define BENCH_HARNESS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sample {
    size_t runs;
    /* seconds of a run: quartiles and ends */
    double least, lower, median, upper, most;
} sample;

typedef bool timed(void *user); /* false: it failed, and the sample with it */

/* Run it until this many seconds are over, at least 5 times and after two runs to warm up. What
 * takes less than some microseconds is run several times for each reading of the clock. */
bool take_sample(timed *f, void *user, double seconds, sample *s);

/* "runs": …, "min_ms": … and so on, without braces. */
void print_sample_json(const sample *s);
/* median, minimum and quartiles in a unit that fits, in columns. */
void print_sample(const sample *s);

#endif
