#include "probe/compare.h"

#include "exec/saturate.h"

#include <stdio.h>
#include <string.h>

/* ---- The report. */

/* Never written. */
static const ct_accuracy static_poison = {.handle = {.kind = CT__HANDLE_REPORT}};

static void finish(ct__handle *handle)
{
    ct_accuracy *c = (ct_accuracy *)handle;
    const ct_allocator *allocator = &handle->ctx->allocator;

    if (!c->graph)
        return;
    ct__lookup_free(allocator, &c->site_of);
    ct__release(allocator, c->site, c->site_capacity * sizeof *c->site);
    ct__arena_free(&c->arena);
    ct__graph_release(c->graph);
}

static ct_accuracy *new_accuracy(ct_context *ctx, ct_function *f)
{
    ct_accuracy *c = ct__handle_new(ctx, CT__HANDLE_REPORT, sizeof *c, finish);

    if (!c)
        return NULL;
    c->graph = ct__graph_retain(f->graph);
    ct__arena_init(&c->arena, &ctx->allocator);
    c->n_results = f->graph->n_results;
    c->result = CT__NEW_ARRAY(&c->arena, ct_compared, c->n_results);
    return c->result ? c : NULL;
}

/* ---- Runs. */

typedef struct comparing {
    ct_context *ctx;
    ct_place at;
    ct_accuracy *c;
    ct_compare_options options;
    ct_list arguments;
    const void **input;
    void **output[2]; /* of the machine, and rounded exact ones */
} comparing;

enum { MOST_BITS = 1 << 20 };

static const ct__executor *machine_of(ct_executor executor)
{
    return executor == CT_EXECUTOR_DEFAULT || executor == CT_EXECUTOR_INTERPRETER ? &ct__interpreter
                                                                                  : &ct__machine;
}

static bool run(const comparing *q, const ct__executor *executor, ct__comparing *watch,
                ct__kept_numbers *keep, void *const *output)
{
    const ct_compile_options options = {
        .size = sizeof options,
        .executor = executor == &ct__oracle ? CT_EXECUTOR_MPFR : CT_EXECUTOR_INTERPRETER,
        .bits = q->options.bits,
        .seed = q->options.seed};
    ct__run_error error;
    ct__program *program = ct__program_new(&q->ctx->allocator, q->c->graph, executor, &options, 0,
                                           &q->ctx->customs, &error);
    unsigned char *block = program ? ct__program_take_block(program) : NULL;
    bool fine = block != NULL;

    if (fine) {
        ct__program_saturates(program);
        error = (ct__run_error){
            .draws = {.seed = q->options.seed}, .keep = keep, .watch = &watch->watch};
        fine = executor->run(program->prepared, q->input, output, block, &error);
    }
    if (!fine && program && !block)
        ct__error_memory(q->ctx, q->at, "compare");
    else if (!fine)
        ct__report_run_error(q->ctx, q->at, "compare", &error);
    if (program)
        ct__program_give_block(program, block);
    ct__program_release(program);
    return fine;
}

/* Events are met from the first one on. */
static void rewind_sites(ct_accuracy *c)
{
    for (size_t i = 0; i < c->n_sites; i++)
        c->site[i].now = c->site[i].first;
}

static void compare_results(const comparing *q, ct__kept_numbers *kept)
{
    const ct__graph *graph = q->c->graph;

    ct__numbers_enter(&kept->numbers);
    for (size_t i = 0; i < graph->n_results; i++) {
        const ct_type *type = ct__result_type(graph, i);
        const ct__made made = {q->output[0][i], NULL};
        if (type->kind == CT__TENSOR)
            ct__add_errors(&q->c->result[i], type, &made, kept->value[graph->n_params + i]);
    }
    ct__numbers_leave(&kept->numbers);
    ct__kept_free(kept);
}

static bool run_both(const comparing *q)
{
    const ct__precision how = {.saturates = true, .bits = q->options.bits, .most_bits = MOST_BITS};
    ct__comparing machine = {.watch = {ct__watch_machine},
                             .to = q->c,
                             .shadow = ct__shadow_new(&q->ctx->allocator, &how)};
    ct__comparing exact = {.watch = {ct__watch_exact}, .to = q->c};
    ct__kept_numbers kept = {.graph = NULL};
    bool fine = machine.shadow != NULL;

    if (!fine)
        ct__error_memory(q->ctx, q->at, "compare");
    fine = fine && run(q, machine_of(q->options.executor), &machine, NULL, q->output[0]);
    ct__shadow_free(machine.shadow);
    rewind_sites(q->c);
    fine = fine && run(q, &ct__oracle, &exact, &kept, q->output[1]);
    if (fine)
        compare_results(q, &kept);
    return fine;
}

/* ---- The entry. */

static bool check_arguments(const comparing *q)
{
    const ct__graph *graph = q->c->graph;

    if (!q->arguments.item && q->arguments.count > 0) {
        ct__error(q->ctx, q->at, CT_ERR_ARGUMENT, "compare: the list of arguments is NULL");
        return false;
    }
    if (q->arguments.count != graph->n_params) {
        ct__error(q->ctx, q->at, CT_ERR_ARGUMENT, "compare: %s takes %zu argument%s, got %zu",
                  graph->name, graph->n_params, graph->n_params == 1 ? "" : "s",
                  q->arguments.count);
        return false;
    }
    for (size_t i = 0; i < graph->n_params; i++) {
        char name[32], want[256], got[256];
        ct_tensor *x = q->arguments.item[i];
        snprintf(name, sizeof name, "argument %zu", i);
        if (!ct__operand_check(q->ctx, q->at, "compare", name, x))
            return false;
        if (x->kind == CT__TRACED)
            ct__error(q->ctx, q->at, CT_ERR_TRACED, "compare: argument %zu is traced", i);
        else if (!ct__type_equal(x->type, ct__param_type(graph, i)))
            ct__error(q->ctx, q->at, CT_ERR_TYPE, "compare: argument %zu of %s must be %s, got %s",
                      i, graph->name, ct__type_print(ct__param_type(graph, i), want, sizeof want),
                      ct__type_print(x->type, got, sizeof got));
        q->input[i] = ct_failed(q->ctx) ? NULL : ct__tensor_data(x);
        if (!q->input[i])
            return false;
    }
    return true;
}

/* With `bits` as they are meant. */
static bool read_options(comparing *q, const ct_compare_options *given)
{
    q->options = (ct_compare_options){.size = sizeof q->options};
    if (!ct__read_options(q->ctx, q->at, "compare", "ct_compare_options", given, &q->options,
                          sizeof q->options))
        return false;
    if ((unsigned)q->options.executor > CT_EXECUTOR_JIT) {
        ct__error(q->ctx, q->at, CT_ERR_ARGUMENT,
                  "compare: there is no executor of machine numerics that is called %d",
                  (int)q->options.executor);
        return false;
    }
    if (q->options.bits == 0)
        q->options.bits = 256;
    if (q->options.bits >= 64 && q->options.bits <= MOST_BITS)
        return true;
    ct__error(q->ctx, q->at, CT_ERR_ARGUMENT, "compare: numbers have 64 to 2^20 bits, not %zu",
              q->options.bits);
    return false;
}

/* In the report's arena: what is compared stays while the runs last. */
static bool take_buffers(comparing *q)
{
    const ct__graph *graph = q->c->graph;
    ct__arena *arena = &q->c->arena;

    q->input = CT__NEW_ARRAY(arena, const void *, graph->n_params);
    for (int k = 0; k < 2; k++) {
        q->output[k] = CT__NEW_ARRAY(arena, void *, graph->n_results);
        for (size_t i = 0; q->output[k] && i < graph->n_results; i++)
            q->output[k][i] = ct__arena_zeroed(arena,
                                               ct__data_bytes(ct__result_type(graph, i)) + 1);
    }
    if (arena->failed)
        ct__error_memory(q->ctx, q->at, "compare");
    return !arena->failed;
}

ct_accuracy *ct_compare_at(ct_place at, ct_function *f, ct_list arguments,
                           const ct_compare_options *given)
{
    ct_accuracy *const poison = (ct_accuracy *)(uintptr_t)&static_poison;
    ct_context *ctx = !f && arguments.item ? ct__context_of_list(arguments)
                                           : ct_function_context(f);
    comparing q = {.ctx = ctx, .at = at, .arguments = arguments};

    /* The check says that NULL is no function. */
    if (!ct__function_check(ctx, at, "compare", f) || !f || !read_options(&q, given))
        return poison;
    q.c = new_accuracy(ctx, f);
    if (!q.c || !take_buffers(&q)) {
        if (!ct_failed(ctx))
            ct__error_memory(ctx, at, "compare");
        return poison;
    }
    if (!check_arguments(&q) || !run_both(&q))
        return poison;
    if (ct__accuracy_settle(q.c))
        return q.c;
    ct__error_memory(ctx, at, "compare");
    return poison;
}
