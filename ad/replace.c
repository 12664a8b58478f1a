/* Derivatives of an operation with a body by way of other operations: the rule says what the
 * operation could have been recorded as, and that is derived. */
#include "ad/rules.h"

/* ---- What stands for the operation, as a graph of its own. */

/* The first effect in a body and what it calls; NULL: none. A check that is made twice is none. */
static const ct__node *effect_in(const ct__graph *graph)
{
    for (size_t i = 0; graph->has_effect && i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i], *effect = NULL;
        if (ct__has(node->op, CT__EFFECT) ||
            (node->op == CT__OP_custom_call && node->attrs->custom_call.has_side_effect))
            return node;
        for (size_t r = 0; r < node->n_regions && !effect; r++)
            effect = effect_in(node->region[r]);
        if (effect)
            return effect;
    }
    return NULL;
}

static bool check_effects(const ct__replaced *q)
{
    const ct__node *effect = NULL;
    for (size_t r = 0; r < q->n_regions && !effect; r++)
        effect = effect_in(q->region[r]);
    if (effect)
        ct__error(q->ctx, effect->at, CT_ERR_RULE,
                  "%s: a derivative of the body that it is in would have its effect twice",
                  ct__op_describe(effect->op)->name);
    return !effect;
}

static ct__graph *record(const ct__replaced *given, const ct_type *const *type,
                         ct__replacement *replacement)
{
    ct__arena arena;
    ct__session session;
    ct__replaced q = *given;
    if (!check_effects(&q) ||
        !ct__session_begin(&session, q.ctx, q.at, &arena, "plain", q.region[0]))
        return NULL;
    ct__graph *graph = NULL;
    ct_tensor **param = CT__NEW_ARRAY(&arena, ct_tensor *, q.n_operands);
    q.y = CT__NEW_ARRAY(&arena, ct_tensor *, q.n_results);
    q.x = param;
    for (size_t i = 0; param && i < q.n_operands; i++)
        param[i] = ct__trace_param(q.ctx, q.at, type[i]);
    if (!param || !q.y)
        ct__error_memory(q.ctx, q.at, "derivative");
    if (!ct_failed(q.ctx))
        replacement(&q);
    if (!ct_failed(q.ctx))
        graph = ct__trace_close(q.ctx, q.at, q.n_results, q.y);
    ct__session_end(&session);
    return graph;
}

/* ---- Forward. */

typedef struct forward {
    ct__jvp_whole *q;
    ct__arena arena;
    bool *live_in;
    const bool *live_out;
    const ct_type **type;
    ct__graph *derived; /* kept with other derivations: tensors refer to the places in it */
} forward;

static bool derive(forward *w, ct__replacement *replacement)
{
    const ct__jvp_whole *q = w->q;
    w->live_in = CT__NEW_ARRAY(&w->arena, bool, q->n_operands);
    w->type = CT__NEW_ARRAY(&w->arena, const ct_type *, q->n_operands);
    if (!w->live_in || !w->type) {
        ct__error_memory(q->ctx, q->at, "derivative");
        return false;
    }
    for (size_t i = 0; i < q->n_operands; i++) {
        w->live_in[i] = q->dx[i] != NULL;
        w->type[i] = ct_type_of(q->x[i]);
    }
    const ct__replaced node = {.ctx = q->ctx,
                               .at = q->at,
                               .attrs = q->attrs,
                               .n_operands = q->n_operands,
                               .n_regions = q->n_regions,
                               .region = q->region,
                               .n_results = q->n_results};
    ct__graph *graph = record(&node, w->type, replacement);
    if (graph)
        w->derived = ct__derived_jvp(q->ctx, q->at, graph, w->live_in, &w->live_out);
    ct__graph_release(graph);
    return w->derived != NULL;
}

/* Of what the derivative gives, the tangents, and the values where they are not there yet. */
static void take_results(forward *w, bool values)
{
    ct__jvp_whole *q = w->q;
    ct_tensor **argument = CT__NEW_ARRAY(&w->arena, ct_tensor *, w->derived->n_params);
    ct_tensor **result = CT__NEW_ARRAY(&w->arena, ct_tensor *, w->derived->n_results);
    if (!argument || !result) {
        ct__error_memory(q->ctx, q->at, "derivative");
        return;
    }
    size_t count = q->n_operands, next = q->n_results;
    for (size_t i = 0; i < q->n_operands; i++) {
        argument[i] = q->x[i];
        if (q->dx[i])
            argument[count++] = q->dx[i];
    }
    ct__replay(q->ctx, q->at, w->derived, argument, result);
    for (size_t i = 0; i < q->n_results; i++) {
        q->dy[i] = w->live_out[i] ? result[next++] : NULL;
        if (values)
            q->y[i] = result[i];
    }
}

static void jvp(ct__jvp_whole *q, ct__replacement *replacement, bool values)
{
    forward w = {.q = q};
    ct__arena_init(&w.arena, &q->ctx->allocator);
    if (derive(&w, replacement))
        take_results(&w, values);
    else
        for (size_t i = 0; i < q->n_results; i++)
            q->y[i] = values ? ct__poison(q->ctx) : q->y[i];
    ct__arena_free(&w.arena);
}

void ct__jvp_replaced(ct__jvp_whole *q, ct__replacement *replacement)
{
    if (ct__primal(q))
        jvp(q, replacement, false);
}

void ct__jvp_replaced_whole(ct__jvp_whole *q, ct__replacement *replacement)
{
    jvp(q, replacement, true);
}

/* ---- Backward. */

/* (the other operands…, cotangents of float results…) -> (cotangents of linear operands…) */
static void take_cotangents(ct__transpose *q, const ct__graph *derived, ct__arena *arena)
{
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, derived->n_params);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, derived->n_results);
    size_t count = 0, next = 0;
    if (!argument || !result) {
        ct__error_memory(q->ctx, q->at, "derivative");
        return;
    }
    for (size_t i = 0; i < q->n_operands; i++)
        if (!q->linear[i])
            argument[count++] = q->x[i];
    for (size_t i = 0; i < q->n_results; i++)
        if (ct__has_tangent(q->result_type[i]))
            argument[count++] = q->ybar[i] ? q->ybar[i]
                                           : ct__zeros(q->ctx, q->at, q->result_type[i]);
    ct__replay(q->ctx, q->at, derived, argument, result);
    for (size_t i = 0; i < q->n_operands; i++)
        if (q->linear[i])
            ct__cotangent_add(q, i, result[next++]);
}

void ct__transpose_replaced(ct__transpose *q, ct__replacement *replacement)
{
    ct__arena arena;
    const ct__replaced node = {.ctx = q->ctx,
                               .at = q->at,
                               .attrs = q->attrs,
                               .n_operands = q->n_operands,
                               .n_regions = q->n_regions,
                               .region = q->region,
                               .n_results = q->n_results};
    ct__graph *graph = record(&node, q->type, replacement);
    ct__graph *derived = graph ? ct__derived_transpose(q->ctx, q->at, graph, q->linear) : NULL;
    ct__arena_init(&arena, &q->ctx->allocator);
    if (derived)
        take_cotangents(q, derived, &arena);
    ct__graph_release(graph);
    ct__arena_free(&arena);
}
