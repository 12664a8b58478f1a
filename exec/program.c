#include "exec/cpu/cpu.h"
#include "exec/exec.h"

static void *prepare(const ct_allocator *allocator, ct__graph *graph,
                     const ct__plan_options *options, ct__run_error *error)
{
    return ct__plan_new(allocator, graph, &ct__reference_numerics, options, error);
}

static void *prepare_machine(const ct_allocator *allocator, ct__graph *graph,
                             const ct__plan_options *options, ct__run_error *error)
{
    return ct__plan_new(allocator, graph, &ct__machine_numerics, options, error);
}

static void *prepare_cpu(const ct_allocator *allocator, ct__graph *graph,
                         const ct__plan_options *options, ct__run_error *error)
{
    ct__plan_options fused = *options;
    fused.fusion = &ct__tile_fusion;
    return ct__plan_new(allocator, graph, &ct__machine_numerics, &fused, error);
}

static void discard(void *plan)
{
    ct__plan_free(plan);
}

static size_t block_bytes(const void *plan)
{
    return ct__plan_frame_bytes(plan);
}

static const ct__plan *plan_of(const void *plan)
{
    return plan;
}

static bool run(const void *plan, const void *const *input, void *const *output,
                unsigned char *block, ct__run_error *error)
{
    error->stacks = (ct__stacks){.allocator = ct__plan_allocator(plan)};
    bool fine = ct__plan_run(plan, input, output, block, error);
    ct__stacks_free(&error->stacks);
    return fine;
}

const ct__executor ct__interpreter = {.name = "interpreter",
                                      .prepare = prepare,
                                      .discard = discard,
                                      .block_bytes = block_bytes,
                                      .run = run,
                                      .plan = plan_of};

const ct__executor ct__machine = {.name = "interpreter in machine numerics",
                                  .prepare = prepare_machine,
                                  .discard = discard,
                                  .block_bytes = block_bytes,
                                  .run = run,
                                  .plan = plan_of};

const ct__executor ct__cpu = {.name = "tile machine",
                              .prepare = prepare_cpu,
                              .discard = discard,
                              .block_bytes = block_bytes,
                              .run = run,
                              .plan = plan_of};

static ct__precision precision_of(const ct_compile_options *options)
{
    const bool is_exact = options->executor == CT_EXECUTOR_RATIONAL;
    return (ct__precision){.is_exact = is_exact,
                           .continues = options->continues,
                           .bits = options->bits ? options->bits : CT__USUAL_BITS,
                           .most_bits = options->most_bits ? options->most_bits
                                                           : CT__USUAL_MOST_BITS};
}

static const ct__run_error out_of_memory = {.status = CT_ERR_MEMORY, .message = "out of memory"};

static void *prepare_with(ct__program *program, ct__plan_options *options, ct__run_error *error)
{
    options->threads = program->threads;
    return program->executor->prepare(&program->allocator, program->graph, options, error);
}

ct__program *ct__program_new(const ct_allocator *allocator, ct__graph *graph,
                             const ct__executor *executor, const ct_compile_options *options,
                             unsigned off, const ct__customs *customs, ct__run_error *error)
{
    ct__program *program = ct__alloc_zeroed(allocator, sizeof *program);
    ct__plan_options plan_options = {.plain_products = options->plain_products,
                                     .results_last = options->donated_inputs != 0,
                                     .customs = customs,
                                     .off = off,
                                     .precision = precision_of(options)};

    if (!program) {
        *error = out_of_memory;
        return NULL;
    }
    atomic_init(&program->references, 1);
    program->allocator = *allocator;
    program->graph = ct__graph_retain(graph);
    program->executor = executor;
    program->donated_inputs = options->donated_inputs;
    program->seed = options->seed;
    program->traps = options->traps;
    for (size_t i = 0; i < CT__POOLED_BLOCKS; i++)
        atomic_init(&program->pool[i], NULL);
    if (options->threads > 1)
        program->threads = ct__threads_new(allocator, options->threads);
    if (options->threads > 1 && !program->threads)
        *error = out_of_memory;
    else
        program->prepared = prepare_with(program, &plan_options, error);
    if (!program->prepared) {
        ct__program_release(program);
        return NULL;
    }
    program->block_bytes = executor->block_bytes(program->prepared);
    return program;
}

ct__program *ct__program_retain(ct__program *program)
{
    atomic_fetch_add_explicit(&program->references, 1, memory_order_relaxed);
    return program;
}

void ct__program_release(ct__program *program)
{
    ct_allocator allocator;

    if (!program || atomic_fetch_sub_explicit(&program->references, 1, memory_order_acq_rel) > 1)
        return;
    allocator = program->allocator;
    for (size_t i = 0; i < CT__POOLED_BLOCKS; i++)
        ct__release(&allocator, atomic_load(&program->pool[i]), program->block_bytes);
    if (program->prepared)
        program->executor->discard(program->prepared);
    ct__threads_free(program->threads);
    ct__graph_release(program->graph);
    ct__release(&allocator, program, sizeof *program);
}

unsigned char *ct__program_take_block(ct__program *program)
{
    for (size_t i = 0; i < CT__POOLED_BLOCKS; i++) {
        unsigned char *block = NULL;
        if (atomic_load_explicit(&program->pool[i], memory_order_relaxed))
            block = atomic_exchange_explicit(&program->pool[i], NULL, memory_order_acquire);
        if (block)
            return block;
    }
    return ct__alloc_elements(&program->allocator, program->block_bytes);
}

void ct__program_give_block(ct__program *program, unsigned char *block)
{
    for (size_t i = 0; i < CT__POOLED_BLOCKS && block; i++) {
        unsigned char *empty = NULL;
        if (atomic_compare_exchange_strong_explicit(&program->pool[i], &empty, block,
                                                    memory_order_release, memory_order_relaxed))
            return;
    }
    ct__release(&program->allocator, block, program->block_bytes);
}
