/* The tile machine whose steps become compiled C. */
#include "exec/exec.h"
#include "exec/jit/jit.h"

typedef struct automatic {
    ct_allocator allocator;
    ct__fast_fusion steps;
    ct__plan *plan;
    ct__jit *jit; /* NULL: memory was short, and no step is compiled */
} automatic;

static void discard(void *prepared)
{
    automatic *a = prepared;
    const ct_allocator allocator = a->allocator;
    ct__jit_leave(a->jit);
    ct__plan_free(a->plan);
    ct__release(&allocator, a, sizeof *a);
}

static void *prepare(const ct_allocator *allocator, ct__graph *graph,
                     const ct__plan_options *options, ct__run_error *error)
{
    ct__plan_options fused = *options;
    automatic *a = ct__alloc_zeroed(allocator, sizeof *a);
    if (!a) {
        *error = (ct__run_error){.status = CT_ERR_MEMORY, .message = "out of memory"};
        return NULL;
    }
    a->allocator = *allocator;
    ct__fast_fusion_begin(&a->steps);
    fused.fusion = &a->steps.fusion;
    a->plan = ct__plan_new(allocator, graph, &ct__machine_numerics, &fused, error);
    if (!a->plan) {
        discard(a);
        return NULL;
    }
    a->jit = ct__jit_new(&a->steps);
    return a;
}

static void *prepare_now(const ct_allocator *allocator, ct__graph *graph,
                         const ct__plan_options *options, ct__run_error *error)
{
    automatic *a = prepare(allocator, graph, options, error);
    if (a && a->jit)
        ct__jit_build(a->jit);
    return a;
}

static size_t block_bytes(const void *prepared)
{
    return ct__plan_frame_bytes(((const automatic *)prepared)->plan);
}

static const ct__plan *plan_of(const void *prepared)
{
    return ((const automatic *)prepared)->plan;
}

static bool run(const void *prepared, const void *const *input, void *const *output,
                unsigned char *block, ct__run_error *error)
{
    const automatic *a = prepared;
    error->stacks = (ct__stacks){.allocator = &a->allocator};
    bool fine = ct__plan_run(a->plan, input, output, block, error);
    ct__stacks_free(&error->stacks);
    return fine;
}

static void status(const void *prepared, ct_executable_state *state)
{
    const automatic *a = prepared;
    if (a->jit)
        ct__jit_status(a->jit, state);
}

static void *prepare_background(const ct_allocator *allocator, ct__graph *graph,
                                const ct__plan_options *options, ct__run_error *error)
{
    automatic *a = prepare(allocator, graph, options, error);
    if (a)
        a->steps.jit = a->jit;
    return a;
}

static bool wait(const void *prepared, double seconds)
{
    const automatic *a = prepared;
    return !a->jit || ct__jit_wait(a->jit, seconds);
}

const ct__executor ct__automatic = {.name = "tile machine, then compiled C",
                                    .prepare = prepare_background,
                                    .discard = discard,
                                    .block_bytes = block_bytes,
                                    .run = run,
                                    .plan = plan_of,
                                    .status = status,
                                    .wait = wait};

const ct__executor ct__compiled = {.name = "compiled C",
                                   .prepare = prepare_now,
                                   .discard = discard,
                                   .block_bytes = block_bytes,
                                   .run = run,
                                   .plan = plan_of,
                                   .status = status};
