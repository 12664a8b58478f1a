/* Programs that use every operation, for what prints or reads programs. */
#ifndef CT_TESTS_SAMPLES_H
#define CT_TESTS_SAMPLES_H

#include <cotangent/context.h>
#include <cotangent/trace.h>

typedef struct sample {
    const char *name;
    ct_function *(*make)(ct_context *ctx);
} sample;

/* samples_large.c: some of them. */
ct_function *samples_convolutions(ct_context *ctx);
ct_function *samples_selections(ct_context *ctx);
ct_function *samples_solving(ct_context *ctx);
ct_function *samples_random(ct_context *ctx);
ct_function *samples_precisions(ct_context *ctx);
/* samples_loops.c */
ct_function *samples_scan_of_stacks(ct_context *ctx);
ct_function *samples_scan_of_no_stacks(ct_context *ctx);
ct_function *samples_scan_of_deep_stacks(ct_context *ctx);
/* samples_quantized.c */
ct_function *samples_quantized(ct_context *ctx);

extern const sample samples[];
extern const size_t n_samples;

#endif
