/* Reverse mode's second half: cotangents backward through nodes that are linear in unknown values.
 */
#include "ad/derive.h"

bool ct__sweep_begin(ct__sweep *w, const bool *unknown_param)
{
    w->unknown = ct__flag_params(w->arena, w->graph, unknown_param);
    w->value = CT__NEW_ARRAY(w->arena, ct_tensor *, w->graph->n_values);
    w->bar = CT__NEW_ARRAY(w->arena, ct_tensor *, w->graph->n_values);
    if (!w->unknown || !w->value || !w->bar) {
        ct__error_memory(w->ctx, w->at, "transpose");
        return false;
    }
    ct__mark_unzipped(w->graph, w->unknown);
    return true;
}

bool ct__sweep_forward(ct__sweep *w)
{
    ct__arena local; /* of the node at hand */
    ct__arena_init(&local, &w->ctx->allocator);
    for (size_t i = 0; i < w->graph->n_nodes && !ct_failed(w->ctx); i++) {
        const ct__node *node = &w->graph->node[i];
        if (!ct__any_operand(node, w->unknown))
            ct__replay_node(w->ctx, w->graph, node, &local, w->value);
        ct__arena_reset(&local);
    }
    ct__arena_free(&local);
    return !ct_failed(w->ctx);
}

static void add_bar(ct__sweep *w, ct_place at, ct__id value, ct_tensor *bar)
{
    if (bar && w->unknown[value])
        w->bar[value] = w->bar[value] ? ct__sum(at, w->bar[value], bar) : bar;
}

void ct__sweep_seed(ct__sweep *sweep, ct__id value, ct_tensor *bar)
{
    add_bar(sweep, sweep->at, value, bar);
}

/* ---- One node. */

/* Whether the node is linear in its unknown operands, as far as its traits tell. */
static bool is_linear(const ct__sweep *w, const ct__node *node)
{
    unsigned traits = ct__op_describe(node->op)->traits;
    size_t unknown = 0;
    bool alone = true;
    for (size_t i = 0; i < node->n_operands; i++) {
        ct__id id = node->operand[i];
        if (!w->unknown[id])
            continue;
        if (!ct__has_tangent(w->graph->value[id].type))
            return false;
        unknown++;
        alone = alone && i < 8 && (traits & (unsigned)CT__LINEAR_IN(i));
    }
    if (traits & CT__BILINEAR)
        return unknown == 1;
    if (traits & (CT__LINEAR | CT__REGIONS))
        return true; /* the rules of regions look into the bodies */
    return alone && unknown == 1;
}

/* The lists that a rule sees, in the arena; false after an error. */
static bool fill_rule(ct__sweep *w, const ct__node *node, ct__arena *arena, ct__transpose *q)
{
    ct_tensor **x = CT__NEW_ARRAY(arena, ct_tensor *, node->n_operands);
    ct_tensor **xbar = CT__NEW_ARRAY(arena, ct_tensor *, node->n_operands);
    bool *linear = CT__NEW_ARRAY(arena, bool, node->n_operands);
    const ct_type **type = CT__NEW_ARRAY(arena, const ct_type *, node->n_operands);
    const ct_type **result = CT__NEW_ARRAY(arena, const ct_type *, node->n_results);
    if (!x || !xbar || !linear || !type || !result) {
        ct__error_memory(w->ctx, node->at, "transpose");
        return false;
    }
    for (size_t i = 0; i < node->n_operands; i++) {
        linear[i] = w->unknown[node->operand[i]];
        x[i] = linear[i] ? NULL : w->value[node->operand[i]];
        type[i] = w->graph->value[node->operand[i]].type;
    }
    for (size_t i = 0; i < node->n_results; i++)
        result[i] = w->graph->value[node->first_result + i].type;
    *q = (ct__transpose){.ctx = w->ctx,
                         .at = node->at,
                         .op = node->op,
                         .attrs = node->attrs,
                         .n_operands = node->n_operands,
                         .linear = linear,
                         .x = x,
                         .type = type,
                         .n_regions = node->n_regions,
                         .region = node->region,
                         .n_results = node->n_results,
                         .result_type = result,
                         .ybar = w->bar + node->first_result,
                         .xbar = xbar,
                         .sweep = w,
                         .operand = node->operand};
    return true;
}

/* Nothing can be told yet of what a reshape made; then that of its operand is taken, which gets it
 * back from the reshape's rule. */
static ct_tensor *take_bar(ct__sweep *w, ct_place at, ct__id id)
{
    ct_tensor *bar = w->bar[id];
    const uint32_t maker = w->graph->value[id].node;
    const ct__node *node = maker == CT__NO_NODE ? NULL : &w->graph->node[maker];
    const ct_type *type = ct__graph_type(w->graph, id);
    w->bar[id] = NULL;
    if (bar || !node || node->op != CT__OP_reshape)
        return bar;
    bar = take_bar(w, at, node->operand[0]);
    return bar ? ct_op_reshape_at(at, bar, (ct_dims){(size_t)type->rank, type->dim}) : NULL;
}

ct_tensor *ct__cotangent_take(ct__transpose *q, size_t operand)
{
    return q->linear[operand] ? take_bar(q->sweep, q->at, q->operand[operand]) : NULL;
}

ct_tensor *ct__cotangent_take_or_zeros(ct__transpose *q, size_t operand)
{
    ct_tensor *sum = ct__cotangent_take(q, operand);
    return sum ? sum : ct__zeros(q->ctx, q->at, q->type[operand]);
}

static void transpose_node(ct__sweep *w, const ct__node *node, ct__arena *arena)
{
    const ct__derivative *row = ct__derivative_of(node->op);
    const char *name = ct__op_describe(node->op)->name;
    if (row->no_transpose || !is_linear(w, node)) {
        ct__error(w->ctx, node->at, CT_ERR_RULE,
                  "%s: it is not linear in the values that are to be transposed", name);
        return;
    }
    if (!row->transpose) {
        ct__error(w->ctx, node->at, CT_ERR_RULE, "%s: its transpose is not available", name);
        return;
    }
    ct__transpose q;
    if (!fill_rule(w, node, arena, &q))
        return;
    const ct__provenance around = w->ctx->provenance;
    w->ctx->provenance = ct__provenance_of_rule(node, true);
    row->transpose(&q);
    for (size_t i = 0; i < node->n_operands && !ct_failed(w->ctx); i++)
        add_bar(w, node->at, node->operand[i], q.xbar[i]);
    w->ctx->provenance = around;
}

bool ct__sweep_backward(ct__sweep *w)
{
    ct__arena local; /* of the node at hand */
    ct__arena_init(&local, &w->ctx->allocator);
    for (size_t i = w->graph->n_nodes; i-- > 0 && !ct_failed(w->ctx);) {
        const ct__node *node = &w->graph->node[i];
        bool live = false;
        for (size_t r = 0; r < node->n_results; r++)
            live = live || w->bar[node->first_result + r];
        if (live && ct__any_operand(node, w->unknown))
            transpose_node(w, node, &local);
        ct__arena_reset(&local);
    }
    ct__arena_free(&local);
    return !ct_failed(w->ctx);
}

/* ---- A whole graph. */

/* onto: may be NULL. */
static void make_params(ct__sweep *w, const bool *onto)
{
    for (size_t i = 0; i < w->graph->n_params; i++)
        if (!w->unknown[w->graph->param[i]])
            w->value[w->graph->param[i]] = ct__trace_param_like(w->ctx, w->at, w->graph, i);
    for (size_t i = 0; i < w->graph->n_results; i++)
        if (ct__has_tangent(ct__result_type(w->graph, i)))
            ct__sweep_seed(w, w->graph->result[i],
                           ct__trace_param(w->ctx, w->at, ct__result_type(w->graph, i)));
    for (size_t i = 0; onto && i < w->graph->n_params; i++)
        if (onto[i])
            ct__sweep_seed(w, w->graph->param[i], ct__trace_param_like(w->ctx, w->at, w->graph, i));
}

static ct__graph *transposed(ct__sweep *w, const bool *linear, const bool *onto)
{
    if (!ct__sweep_begin(w, linear))
        return NULL;
    make_params(w, onto);
    ct_tensor **result = CT__NEW_ARRAY(w->arena, ct_tensor *, w->graph->n_params);
    if (!result) {
        ct__error_memory(w->ctx, w->at, "transpose");
        return NULL;
    }
    if (!ct__sweep_forward(w) || !ct__sweep_backward(w))
        return NULL;
    size_t count = 0;
    for (size_t i = 0; i < w->graph->n_params; i++) {
        ct_tensor *bar = w->bar[w->graph->param[i]];
        if (linear[i])
            result[count++] = bar ? bar : ct__zeros(w->ctx, w->at, ct__param_type(w->graph, i));
    }
    return ct__trace_close(w->ctx, w->at, count, result);
}

ct__graph *ct__graph_transpose_onto(ct_context *ctx, ct_place at, ct__graph *graph,
                                    const bool *linear, const bool *onto)
{
    ct__arena arena;
    ct__session session;
    ct__graph *unzipped = ct__graph_unzip(ctx, at, graph, linear);
    if (!unzipped || !ct__session_begin(&session, ctx, at, &arena, "transpose", graph)) {
        ct__graph_release(unzipped);
        return NULL;
    }
    ct__sweep w = {.ctx = ctx, .at = at, .graph = unzipped, .arena = &arena};
    ct__graph *result = transposed(&w, linear, onto);
    ct__session_end(&session);
    ct__graph_release(unzipped);
    return result;
}

ct__graph *ct__graph_transpose(ct_context *ctx, ct_place at, ct__graph *graph, const bool *linear)
{
    return ct__graph_transpose_onto(ctx, at, graph, linear, NULL);
}
