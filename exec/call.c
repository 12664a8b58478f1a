#include "exec/trap.h"

#include <stdio.h>
#include <string.h>

static bool same_place(ct_place a, ct_place b)
{
    return a.file && b.file && a.line == b.line && a.column == b.column &&
           strcmp(a.file, b.file) == 0;
}

void ct__report_run_error(ct_context *ctx, ct_place at, const char *what,
                          const ct__run_error *error)
{
    bool inside = error->at.file && !same_place(error->at, at);

    if (inside && at.file)
        ct__error(ctx, error->at, error->status, "%s\n    in %s, %s:%d", error->message, what,
                  at.file, at.line);
    else
        ct__error(ctx, inside ? error->at : at, error->status, "%s", error->message);
}

/* One call in progress. Lists are in the context's scratch; `storage` is of the results. */
typedef struct call {
    ct_context *ctx;
    ct_place at;
    ct__program *program;
    ct_list arguments;
    const void **input;
    void **output;
    ct__storage **storage;
    struct ct__kept_numbers *keep; /* see ct__run_error */
} call;

static bool fail_memory(const call *c, const char *what, size_t bytes)
{
    ct__error(c->ctx, c->at, CT_ERR_MEMORY, "call: %s: out of memory: its %s %zu bytes",
              c->program->graph->name, what, bytes);
    return false;
}

/* ---- Arguments. */

static bool check_counts(const call *c, size_t n_results)
{
    const ct__graph *graph = c->program->graph;

    if (c->arguments.count != graph->n_params)
        ct__error(c->ctx, c->at, CT_ERR_ARGUMENT, "call: %s takes %zu argument%s, got %zu",
                  graph->name, graph->n_params, graph->n_params == 1 ? "" : "s",
                  c->arguments.count);
    else if (n_results != graph->n_results)
        ct__error(c->ctx, c->at, CT_ERR_ARGUMENT,
                  "call: %s gives %zu result%s, not the %zu asked for", graph->name,
                  graph->n_results, graph->n_results == 1 ? "" : "s", n_results);
    else
        return true;
    return false;
}

static bool check_type(const call *c, size_t i)
{
    const ct_type *want = ct__param_type(c->program->graph, i);
    const ct_type *got = c->arguments.item[i]->type;
    char want_text[256], got_text[256], name[32], line[896];

    if (ct__type_equal(want, got))
        return true;
    snprintf(name, sizeof name, "x[%zu]", i);
    ct__operand_line(name, c->arguments.item[i], line, sizeof line);
    ct__error(c->ctx, c->at, ct__shape_equal(want, got) ? CT_ERR_TYPE : CT_ERR_SHAPE,
              "call: argument %zu of %s must be %s, got %s%s", i, c->program->graph->name,
              ct__type_print(want, want_text, sizeof want_text),
              ct__type_print(got, got_text, sizeof got_text), line);
    return false;
}

/* Fills c->input. */
static bool read_arguments(const call *c)
{
    for (size_t i = 0; i < c->arguments.count; i++) {
        if (!check_type(c, i))
            return false;
        c->input[i] = ct__tensor_data(c->arguments.item[i]);
        if (!c->input[i])
            return false;
    }
    return true;
}

/* ---- Running. */

static bool allocate_results(const call *c)
{
    const ct__graph *graph = c->program->graph;

    for (size_t i = 0; i < graph->n_results; i++) {
        size_t bytes = ct__data_bytes(ct__result_type(graph, i));
        c->storage[i] = ct__storage_new(&c->ctx->allocator, bytes);
        if (!c->storage[i])
            return fail_memory(c, "result takes", bytes);
        c->output[i] = c->storage[i]->data;
    }
    return true;
}

static bool run(const call *c)
{
    unsigned char *block = ct__program_take_block(c->program);
    ct__run_error error;
    ct__trap trap;

    if (!block)
        return fail_memory(c, "values take", c->program->block_bytes);
    error.draws = (ct__draws){.seed = c->program->seed};
    error.time = NULL;
    error.keep = c->keep;
    error.watch = ct__trap_begin(&trap, c->program);
    bool fine = c->program->executor->run(c->program->prepared, c->input, c->output, block, &error);
    ct__program_give_block(c->program, block);
    if (!fine)
        ct__report_run_error(c->ctx, c->at, "call", &error);
    return fine;
}

/* Concrete tensors take over the storage; after an error it is let go. */
static void make_results(const call *c, bool fine, ct_tensor **results)
{
    const ct__graph *graph = c->program->graph;

    for (size_t i = 0; i < graph->n_results; i++) {
        const ct_type *type = ct__result_type(graph, i);
        if (fine && !ct_failed(c->ctx))
            results[i] = ct__tensor_concrete(c->ctx, c->at, "call",
                                             ct__literal_new(c->storage[i], type, 0, NULL));
        else
            ct__storage_release(c->storage[i]);
    }
    for (size_t i = 0; i < graph->n_results && ct_failed(c->ctx); i++)
        results[i] = ct__poison(c->ctx);
}

static void compute(call *c, ct_tensor **results)
{
    const ct__graph *graph = c->program->graph;
    ct__arena *arena = ct__scratch_begin(c->ctx);

    c->input = CT__NEW_ARRAY(arena, const void *, graph->n_params);
    c->output = CT__NEW_ARRAY(arena, void *, graph->n_results);
    c->storage = CT__NEW_ARRAY(arena, ct__storage *, graph->n_results);
    if (c->input && c->output && c->storage) {
        bool fine = read_arguments(c) && allocate_results(c) && run(c);
        make_results(c, fine, results);
    } else {
        ct__error_memory(c->ctx, c->at, "call");
    }
    ct__scratch_end(c->ctx);
}

static void record(const call *c, ct_tensor **results, size_t n_results)
{
    ct__request request = {.ctx = c->ctx,
                           .at = c->at,
                           .op = CT__OP_call,
                           .n_operands = c->arguments.count,
                           .operand = c->arguments.item,
                           .n_regions = 1,
                           .region = &c->program->graph};
    ct__apply(&request, results, n_results);
}

/* ---- The public entries. */

static bool check_lists(ct_context *ctx, ct_place at, const ct_executable *f, ct_list arguments,
                        bool results)
{
    if (ct_failed(ctx))
        return false;
    if (!f)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "call: the executable is NULL");
    else if (!f->program)
        ct__error(ctx, at, CT_ERR_POISON,
                  "call: the executable is the poisoned result of an earlier error");
    else if (!results || (!arguments.item && arguments.count > 0))
        ct__error(ctx, at, CT_ERR_ARGUMENT, "call: %s is NULL", results ? "arguments" : "results");
    else
        return true;
    return false;
}

/* False after reporting an argument that is no value of this context. */
static bool check_operands(const call *c, bool *traced)
{
    char name[32];

    *traced = false;
    for (size_t i = 0; i < c->arguments.count; i++) {
        snprintf(name, sizeof name, "argument %zu", i);
        if (!ct__operand_check(c->ctx, c->at, "call", name, c->arguments.item[i]))
            return false;
        *traced = *traced || c->arguments.item[i]->kind == CT__TRACED;
    }
    return true;
}

void ct__call_keeping(ct_place at, ct_executable *f, ct_list arguments, ct_tensor **results,
                      size_t n_results, struct ct__kept_numbers *keep)
{
    ct_context *ctx = f ? f->handle.ctx : NULL;
    bool traced;

    if (!ctx && arguments.item)
        ctx = ct__context_of_list(arguments);
    for (size_t i = 0; results && i < n_results; i++)
        results[i] = ct__poison(ctx);
    if (!check_lists(ctx, at, f, arguments, results || n_results == 0))
        return;
    call c = {.ctx = ctx, .at = at, .program = f->program, .arguments = arguments, .keep = keep};
    if (!check_counts(&c, n_results) || !check_operands(&c, &traced))
        return;
    if (traced)
        record(&c, results, n_results);
    else
        compute(&c, results);
}

void ct_call_at(ct_place at, ct_executable *f, ct_list arguments, ct_tensor **results,
                size_t n_results)
{
    ct__call_keeping(at, f, arguments, results, n_results, NULL);
}

ct_tensor *ct_call1_at(ct_place at, ct_executable *f, ct_list arguments)
{
    ct_tensor *result;

    ct_call_at(at, f, arguments, &result, 1);
    return result;
}
