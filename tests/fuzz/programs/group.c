/* Many programs as one function, for compilers that take their time: each program has its own
 * inputs and results, and each must give what it gives alone. */
#include "tests/fuzz/programs/session.h"

#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

typedef struct group {
    ct_context *ctx;
    program *p;
    size_t n, n_inputs, n_results;
    ct_tensor **input, **result;
    ct_function *f;
} group;

static bool record_program(group *g, const program *p)
{
    ct_tensor *argument[MOST_INPUTS];

    for (size_t i = 0; i < p->n_inputs; i++) {
        argument[i] = ct__trace_param(g->ctx, CT_HERE, p->input[i]->type);
        g->input[g->n_inputs++] = p->input[i];
    }
    const size_t at = g->n_results;
    g->n_results += ct_function_results(p->f);
    return record_graph(g->ctx, p->f->graph, record_node, argument, g->result + at);
}

/* All programs one behind another. */
static bool join(group *g)
{
    bool fine = ct__trace_push(g->ctx, CT_HERE, "group", false);

    for (size_t i = 0; fine && i < g->n; i++)
        fine = record_program(g, &g->p[i]);
    ct__graph *graph = ct__trace_pop(g->ctx, CT_HERE, g->n_results, g->result);
    fine = fine && graph && ct__graph_set_flat_arguments(graph);
    g->f = ct__function_new(g->ctx, CT_HERE, graph);
    return fine && !ct_failed(g->ctx);
}

static verdict compare_one(const group *g, size_t which, ct_tensor *const *y, char why[WHY_BYTES])
{
    const program *p = &g->p[which];
    outcome alone, together = {.status = CT_OK};

    run(p->f, (ct_list){p->n_inputs, p->input}, CT_EXECUTOR_MACHINE, &alone);
    together.n = alone.n;
    memcpy(together.y, y, alone.n * sizeof *y);
    return same_outcomes(&alone, &together, why);
}

/* The first that differs, or n. */
static size_t compare_group(group *g, const char *passes_off, char why[WHY_BYTES])
{
    const ct_compile_options options = {
        .size = sizeof options, .executor = CT_EXECUTOR_JIT, .passes_off = passes_off};
    ct_executable *e = ct_compile(g->f, &options);
    ct_executable_state state = ct_executable_status(e);
    size_t at = 0;

    if (state.failed > 0 && !strstr(state.reason, "longer than")) { /* on a machine that is busy */
        differ(why, "%zu kernels are not compiled: %s", state.failed, state.reason);
        return 0;
    }
    ct_call(e, (ct_list){g->n_inputs, g->input}, g->result, g->n_results);
    if (ct_failed(g->ctx)) {
        differ(why, "%s", ct_error_message(g->ctx));
        return 0;
    }
    for (size_t i = 0; i < g->n; i++) {
        if (compare_one(g, i, g->result + at, why) == DIFFERENT)
            return i;
        at += ct_function_results(g->p[i].f);
    }
    return g->n;
}

/* Programs that run, or what they are prepared to be. */
static void add_program(group *g, choices *c, const settings *s, uint64_t index, const way *w)
{
    static op_tally unused;
    program p, q;
    outcome o;
    char why[WHY_BYTES];

    choices_seed(c, s->seed, index);
    if (generate(g->ctx, c, style_of(s, index), &unused, &p)) {
        if (w->prepare && w->prepare(&p, &q, why) == SAME)
            p = q;
        else if (w->prepare)
            return;
        run(p.f, (ct_list){p.n_inputs, p.input}, CT_EXECUTOR_MACHINE, &o);
        if (o.status == CT_OK && o.n <= MOST_OUTPUTS && !has_effect(p.f->graph))
            g->p[g->n++] = p;
    }
    ct_error_clear(g->ctx);
}

bool try_group(const settings *s, uint64_t first, size_t n, const way *w, const char *passes_off,
               char why[WHY_BYTES])
{
    static choices c;
    fuzz_meter meter = {0, 0};
    group g = {.ctx = fuzz_context(&meter)};

    g.p = calloc(n, sizeof *g.p);
    g.input = calloc(n * MOST_INPUTS, sizeof(ct_tensor *));
    g.result = calloc(n * MOST_OUTPUTS, sizeof(ct_tensor *));
    for (size_t i = 0; i < n; i++)
        add_program(&g, &c, s, first + i, w);
    bool same = true;
    if (join(&g))
        same = compare_group(&g, passes_off, why) == g.n;
    else
        same = differ(why, "%s", ct_error_message(g.ctx)) != DIFFERENT;
    free(g.p);
    free(g.input);
    free(g.result);
    fuzz_end(g.ctx, &meter);
    return same;
}
