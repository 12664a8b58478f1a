/* How fast an instruction set can multiply and add f32, with nothing to wait for. */
#ifndef BENCH_HARNESS_MULTIPLY_ADD_H
#define BENCH_HARNESS_MULTIPLY_ADD_H

#include <stdbool.h>

typedef struct instruction_set {
    const char *name;
    double flops;            /* of one call; 2 for a multiply-add */
    bool (*run)(void *user); /* always true */
    bool (*is_here)(void);
} instruction_set;

/* From the narrowest to the widest; all that the compiler knows. NULL behind the last. */
const instruction_set *instruction_set_at(unsigned i);

#endif
