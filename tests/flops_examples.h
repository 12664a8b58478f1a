/* The functions that the examples differentiate, from their sources. */
#ifndef TESTS_FLOPS_EXAMPLES_H
#define TESTS_FLOPS_EXAMPLES_H

#include <cotangent/cotangent.h>

typedef struct flops_example {
    const char *name;
    ct_function *(*make)(ct_context *ctx);
    size_t n_args; /* the example differentiates by the first ones; a tree is one */
} flops_example;

extern const flops_example flops_examples[];
extern const size_t n_flops_examples;

#endif
