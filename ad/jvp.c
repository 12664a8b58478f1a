/* Forward mode: every node is recorded again, together with the tangents of its results. */
#include "ad/derive.h"

typedef struct forward {
    ct_context *ctx;
    const ct__graph *graph;
    ct__arena *arena;
    ct__arena node_arena; /* of the node at hand */
    ct_tensor **value;    /* primal, per value of the graph */
    ct_tensor **tangent;  /* NULL: a symbolic zero */
    bool only;            /* results that are not asked for get no tangent */
    bool *asked;          /* whose tangents those of the results need */
} forward;

static bool any_live(const forward *w, const ct__node *node)
{
    for (size_t i = 0; i < node->n_operands; i++)
        if (w->tangent[node->operand[i]])
            return true;
    return false;
}

/* Σ of the operands' contributions. */
static void sum_rule(forward *w, const ct__node *node, const ct__derivative *row,
                     ct_tensor *const *operand)
{
    const ct_type *type = w->graph->value[node->first_result].type;
    if (!ct__has_tangent(type))
        return;
    ct_tensor *sum = NULL;
    for (size_t i = 0; i < node->n_operands && !ct_failed(w->ctx); i++) {
        ct_tensor *dx = w->tangent[node->operand[i]];
        if (!dx)
            continue;
        ct_tensor *part = row->jvp(&(ct__jvp){.ctx = w->ctx,
                                              .at = node->at,
                                              .op = node->op,
                                              .attrs = node->attrs,
                                              .n_operands = node->n_operands,
                                              .x = operand,
                                              .y = w->value[node->first_result],
                                              .operand = i,
                                              .dx = dx});
        if (part)
            sum = sum ? ct__sum(node->at, sum, part) : part;
    }
    w->tangent[node->first_result] = sum;
}

static void whole_rule(forward *w, const ct__node *node, const ct__derivative *row,
                       ct_tensor *const *operand)
{
    ct_tensor **dx = CT__NEW_ARRAY(&w->node_arena, ct_tensor *, node->n_operands);
    const ct_type **type = CT__NEW_ARRAY(&w->node_arena, const ct_type *, node->n_results);
    if (!dx || !type) {
        ct__error_memory(w->ctx, node->at, "jvp");
        return;
    }
    for (size_t i = 0; i < node->n_operands; i++)
        dx[i] = w->tangent[node->operand[i]];
    for (size_t i = 0; i < node->n_results; i++)
        type[i] = ct__graph_type(w->graph, node->first_result + (ct__id)i);
    row->jvp_whole(&(ct__jvp_whole){.ctx = w->ctx,
                                    .at = node->at,
                                    .op = node->op,
                                    .attrs = node->attrs,
                                    .n_operands = node->n_operands,
                                    .x = operand,
                                    .dx = dx,
                                    .n_regions = node->n_regions,
                                    .region = node->region,
                                    .n_results = node->n_results,
                                    .result_type = type,
                                    .y = &w->value[node->first_result],
                                    .dy = &w->tangent[node->first_result]});
    ct__name_results(w->ctx, w->graph, node, w->value);
}

/* Whether values of the type have a tangent, or parts that have one. */
static bool carries_tangent(const ct_type *type)
{
    bool any = ct__has_tangent(type);
    for (size_t i = 0; i < type->n_elements && !any; i++)
        any = carries_tangent(type->element[i]);
    return any;
}

static bool results_carry_tangents(const forward *w, const ct__node *node)
{
    bool any = false;
    for (size_t i = 0; i < node->n_results && !any; i++)
        any = carries_tangent(ct__graph_type(w->graph, node->first_result + (ct__id)i)) &&
              w->asked[node->first_result + i];
    return any;
}

/* The values whose tangents those of these results, or of all, need. */
static bool mark_asked(forward *w, const bool *result)
{
    const ct__graph *graph = w->graph;
    w->asked = CT__NEW_ARRAY(w->arena, bool, graph->n_values);
    for (size_t i = 0; w->asked && i < graph->n_results; i++)
        w->asked[graph->result[i]] |= !w->only || result[i];
    for (size_t i = graph->n_nodes; w->asked && i-- > 0;) {
        const ct__node *node = &graph->node[i];
        bool any = false;
        for (size_t r = 0; r < node->n_results; r++)
            any = any || w->asked[node->first_result + r];
        for (size_t k = 0; any && k < node->n_operands; k++)
            w->asked[node->operand[k]] = true;
    }
    return w->asked != NULL;
}

static void forward_node(forward *w, const ct__node *node)
{
    const ct__derivative *row = ct__derivative_of(node->op);
    bool live = any_live(w, node) && !row->no_jvp && results_carry_tangents(w, node);
    if (live && !row->jvp && !row->jvp_whole) {
        ct__error(w->ctx, node->at, CT_ERR_RULE, "%s: its forward derivative is not available",
                  ct__op_describe(node->op)->name);
        return;
    }
    if (!live || row->jvp)
        ct__replay_node(w->ctx, w->graph, node, &w->node_arena, w->value);
    if (!live || ct_failed(w->ctx))
        return;
    ct_tensor **operand = CT__NEW_ARRAY(&w->node_arena, ct_tensor *, node->n_operands);
    if (!operand) {
        ct__error_memory(w->ctx, node->at, "jvp");
        return;
    }
    for (size_t i = 0; i < node->n_operands; i++)
        operand[i] = w->value[node->operand[i]];
    const ct__provenance around = w->ctx->provenance;
    w->ctx->provenance = ct__provenance_of_rule(node, false);
    if (row->jvp)
        sum_rule(w, node, row, operand);
    else
        whole_rule(w, node, row, operand);
    w->ctx->provenance = around;
}

/* Parameters: all primal ones, then the tangents of the live ones. */
static void make_params(forward *w, ct_place at, const bool *live_in)
{
    const ct__graph *graph = w->graph;
    for (size_t i = 0; i < graph->n_params; i++)
        w->value[graph->param[i]] = ct__trace_param_like(w->ctx, at, graph, i);
    for (size_t i = 0; i < graph->n_params; i++)
        if (live_in[i])
            w->tangent[graph->param[i]] = ct__trace_param(w->ctx, at, ct__param_type(graph, i));
}

/* All primal results, then the tangents of the live ones; NULL when memory is short. */
static ct_tensor **list_results(forward *w, ct_place at, const bool *must_live, bool *live_out,
                                size_t *count)
{
    const ct__graph *graph = w->graph;
    ct_tensor **result = CT__NEW_ARRAY(w->arena, ct_tensor *, 2 * graph->n_results);
    *count = graph->n_results;
    for (size_t i = 0; result && i < graph->n_results; i++) {
        ct_tensor *tangent = w->tangent[graph->result[i]];
        const ct_type *type = ct__result_type(graph, i);
        result[i] = w->value[graph->result[i]];
        live_out[i] = ct__has_tangent(type) && (!w->only || must_live[i]) &&
                      (tangent || (must_live && must_live[i]));
        if (live_out[i])
            result[(*count)++] = tangent ? tangent : ct__zeros(w->ctx, at, type);
    }
    return result;
}

/* With the trace open: all but its opening and closing. */
static ct__graph *forward_graph(forward *w, ct_place at, const bool *live_in, const bool *must_live,
                                bool *live_out)
{
    size_t count = 0;
    ct_tensor **result = NULL;
    w->value = CT__NEW_ARRAY(w->arena, ct_tensor *, w->graph->n_values);
    w->tangent = CT__NEW_ARRAY(w->arena, ct_tensor *, w->graph->n_values);
    if (w->value && w->tangent && mark_asked(w, must_live)) {
        make_params(w, at, live_in);
        for (size_t i = 0; i < w->graph->n_nodes && !ct_failed(w->ctx); i++) {
            forward_node(w, &w->graph->node[i]);
            ct__arena_reset(&w->node_arena);
        }
        if (!ct_failed(w->ctx))
            result = list_results(w, at, must_live, live_out, &count);
    }
    if (!result)
        ct__error_memory(w->ctx, at, "jvp");
    return ct__trace_close(w->ctx, at, count, result);
}

static ct__graph *derive(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *live_in,
                         const bool *must_live, bool only, bool *live_out)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, ctx, at, &arena, "jvp", graph))
        return NULL;
    forward w = {.ctx = ctx, .graph = graph, .arena = &arena, .only = only};
    ct__arena_init(&w.node_arena, &ctx->allocator);
    ct__graph *derived = forward_graph(&w, at, live_in, must_live, live_out);
    ct__arena_free(&w.node_arena);
    ct__session_end(&session);
    return derived;
}

ct__graph *ct__graph_jvp(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *live_in,
                         const bool *must_live, bool *live_out)
{
    return derive(ctx, at, graph, live_in, must_live, false, live_out);
}

ct__graph *ct__graph_jvp_of(ct_context *ctx, ct_place at, const ct__graph *graph,
                            const bool *live_in, const bool *asked, bool *live_out)
{
    return derive(ctx, at, graph, live_in, asked, true, live_out);
}
