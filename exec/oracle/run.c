/* Runs in the numbers of an oracle. */
#include "exec/saturate.h"

#include "exec/oracle/oracle.h"

#include <string.h>

typedef struct prepared {
    ct__plan *plan;
    ct__precision how;
} prepared;

static const ct__numerics *numerics_of(const ct__precision *how)
{
    return how->is_exact ? &ct__rational_numerics : &ct__mpfr_numerics;
}

static void *prepare(const ct_allocator *allocator, ct__graph *graph,
                     const ct__plan_options *options, ct__run_error *error)
{
    prepared *p = ct__alloc_zeroed(allocator, sizeof *p);

    if (!p) {
        *error = (ct__run_error){.status = CT_ERR_MEMORY, .message = "out of memory"};
        return NULL;
    }
    p->how = options->precision;
    p->plan = ct__plan_new(allocator, graph, numerics_of(&p->how), options, error);
    if (p->plan)
        return p;
    ct__release(allocator, p, sizeof *p);
    return NULL;
}

static void discard(void *p_)
{
    prepared *p = p_;
    const ct_allocator allocator = *ct__plan_allocator(p->plan);

    ct__plan_free(p->plan);
    ct__release(&allocator, p, sizeof *p);
}

static size_t block_bytes(const void *p)
{
    return ct__plan_frame_bytes(((const prepared *)p)->plan);
}

/* ---- One run. */

static const ct_type *type_of(const ct__graph *graph, size_t i)
{
    const size_t n = graph->n_params;
    return i < n ? ct__param_type(graph, i) : ct__result_type(graph, i - n);
}

static bool fail(ct__run_error *error, ct_status status, const char *message)
{
    error->status = status;
    error->at = (ct_place){NULL, 0, 0};
    strcpy(error->message, message);
    return false;
}

static bool fail_memory(ct__run_error *error)
{
    return fail(error, CT_ERR_MEMORY, "out of memory for the values of a run");
}

/* Zeros. The addresses come first. */
static bool take_values(ct__kept_numbers *r, const ct__numerics *numerics)
{
    const ct__graph *graph = r->graph;
    const size_t count = graph->n_params + graph->n_results;
    size_t offset = ct__add_aligned(0, count * sizeof(void *)), bytes = offset;

    for (size_t i = 0; i < count; i++)
        bytes = ct__add_aligned(bytes, ct__value_bytes(numerics, type_of(graph, i)));
    r->block = bytes < SIZE_MAX ? ct__alloc_elements(&r->numbers.allocator, bytes) : NULL;
    if (!r->block)
        return false;
    r->bytes = bytes;
    memset(r->block, 0, bytes);
    r->value = (void **)(void *)r->block;
    for (size_t i = 0; i < count; i++) {
        r->value[i] = r->block + offset;
        offset = ct__add_aligned(offset, ct__value_bytes(numerics, type_of(graph, i)));
    }
    return true;
}

void ct__kept_free(ct__kept_numbers *kept)
{
    if (!kept->graph)
        return;
    ct__release(&kept->numbers.allocator, kept->block, kept->bytes);
    ct__numbers_free(&kept->numbers);
    ct__graph_release(kept->graph);
}

static bool compute(ct__kept_numbers *r, const ct__plan *plan, unsigned char *frame,
                    ct__run_error *error)
{
    const ct__root root[] = {{frame, ct__plan_frame_bytes(plan)}, {r->block, r->bytes}};
    bool fine;

    memset(frame, 0, root[0].bytes);
    r->numbers.root = root;
    r->numbers.n_roots = 2;
    fine = ct__plan_run(plan, (const void *const *)r->value, r->value + r->graph->n_params, frame,
                        error);
    r->numbers.n_roots = 0;
    r->numbers.root = NULL;
    return fine;
}

/* Inside of the numbers. */
static bool run_numbers(ct__kept_numbers *r, const prepared *p, const void *const *input,
                        void *const *output, unsigned char *frame, ct__run_error *error)
{
    const ct__numerics *numerics = numerics_of(&p->how);
    const size_t n = r->graph->n_params;

    if (!take_values(r, numerics))
        return fail_memory(error);
    for (size_t i = 0; i < n; i++)
        ct__load_value(numerics, type_of(r->graph, i), r->value[i], input[i]);
    if (r->numbers.status != CT_OK)
        return fail(error, r->numbers.status, r->numbers.message);
    if (!compute(r, p->plan, frame, error))
        return false;
    for (size_t i = 0; i < r->graph->n_results; i++)
        ct__store_value(numerics, type_of(r->graph, n + i), output[i], r->value[n + i]);
    return true;
}

static bool run(const void *p_, const void *const *input, void *const *output, unsigned char *frame,
                ct__run_error *error)
{
    const prepared *p = p_;
    const ct_allocator *allocator = ct__plan_allocator(p->plan);
    ct__kept_numbers own = {.graph = NULL}, *r = error->keep ? error->keep : &own;
    bool fine;

    error->stacks = (ct__stacks){.allocator = allocator};
    *r = (ct__kept_numbers){
        .graph = ct__graph_retain((ct__graph *)(uintptr_t)ct__plan_graph(p->plan))};
    if (ct__numbers_init(&r->numbers, allocator, &p->how)) {
        ct__numbers_enter(&r->numbers);
        fine = run_numbers(r, p, input, output, frame, error);
        ct__numbers_leave(&r->numbers);
    } else {
        fine = fail_memory(error);
    }
    ct__stacks_free(&error->stacks);
    if (!fine || r == &own) {
        ct__kept_free(r);
        r->graph = NULL;
    }
    return fine;
}

void ct__program_saturates(ct__program *program)
{
    if (program->executor == &ct__oracle)
        ((prepared *)program->prepared)->how.saturates = true;
}

void ct__executable_saturates(const ct_executable *f)
{
    ct__program_saturates(f->program);
}

const ct__executor ct__oracle = {.name = "oracle",
                                 .prepare = prepare,
                                 .discard = discard,
                                 .block_bytes = block_bytes,
                                 .run = run};
