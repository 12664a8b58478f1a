/* What one core can do, found in a moment: what times are compared with. */
#ifndef BENCH_HARNESS_LIMITS_H
#define BENCH_HARNESS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct machine_limits {
    double copy;  /* bytes a second, read and written ones together */
    double flops; /* f32 operations a second, two for a multiply-add */
} machine_limits;

/* The best of some tries, in about a tenth of a second; false when memory is short. */
bool find_limits(machine_limits *limits);

/* The seconds that this work takes at least. */
double least_seconds(const machine_limits *limits, uint64_t bytes, uint64_t flops);

#endif
