/* What the benchmarks share: the clock, and which machine this is. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>
#include <string.h>
#include <time.h>

static inline double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the processor, in this process: what other processes take does not count. */
static inline double processor_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The order of doubles, for qsort. */
static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void print_machine(void)
{
    char line[256], *model = NULL;
    FILE *f = fopen("/proc/cpuinfo", "r");

    while (f && !model && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0)
            model = strchr(line, ':');
    if (f)
        fclose(f);
    printf("machine: %s", model ? model + 2 : "unknown\n");
}

#endif
