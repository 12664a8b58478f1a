/* Known from unknown: what a linear program keeps from the values that it is linear around. */
#include "ad/bodies.h"
#include "ad/remake.h"

#include <string.h>

bool ct__any_operand(const ct__node *node, const bool *flag)
{
    for (size_t i = 0; i < node->n_operands; i++)
        if (flag[node->operand[i]])
            return true;
    return false;
}

bool *ct__flag_params(ct__arena *arena, const ct__graph *graph, const bool *unknown_param)
{
    bool *unknown = CT__NEW_ARRAY(arena, bool, graph->n_values);
    for (size_t i = 0; unknown && i < graph->n_params; i++)
        unknown[graph->param[i]] = unknown_param[i];
    return unknown;
}

/* ---- Unzipping. */

static bool unzip_control(ct__unzip *q)
{
    if (ct__is_checkpoint(q->node->op, q->node->attrs))
        return ct__unzip_checkpoint(q);
    if (ct__has(q->node->op, CT__CALLS))
        return ct__unzip_call(q);
    if (q->node->op == CT__OP_if || q->node->op == CT__OP_case)
        return ct__unzip_branches(q);
    return ct__unzip_loop(q);
}

static bool unzip_node(ct_context *ctx, const ct__graph *graph, const ct__node *node,
                       ct__arena *arena, ct_tensor **value, bool *unknown)
{
    bool any = false;
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, node->n_operands);
    bool *flag = CT__NEW_ARRAY(arena, bool, node->n_operands);
    if (!operand || !flag) {
        ct__error_memory(ctx, node->at, "split");
        return false;
    }
    for (size_t i = 0; i < node->n_operands; i++) {
        operand[i] = value[node->operand[i]];
        flag[i] = unknown[node->operand[i]];
        any = any || flag[i];
    }
    ct__unzip q = {
        ctx, arena, node, operand, flag, value + node->first_result, unknown + node->first_result};
    if (any && ct__has(node->op, CT__CONTROL) && !ct__is_cut_out(node, flag))
        return unzip_control(&q) && ct__name_results(ctx, graph, node, value);
    for (size_t i = 0; i < node->n_results; i++)
        unknown[node->first_result + i] = any;
    return ct__replay_node(ctx, graph, node, arena, value);
}

static ct__graph *unzip_graph(ct_context *ctx, ct_place at, const ct__graph *graph,
                              ct__arena *arena, bool *unknown)
{
    ct_tensor **value = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_values);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_results);
    if (!value || !result || !unknown) {
        ct__error_memory(ctx, at, "split");
        return NULL;
    }
    for (size_t i = 0; i < graph->n_params; i++)
        value[graph->param[i]] = ct__trace_param_like(ctx, at, graph, i);
    ct__arena local; /* of the node at hand */
    ct__arena_init(&local, &ctx->allocator);
    for (size_t i = 0; i < graph->n_nodes && !ct_failed(ctx); i++) {
        unzip_node(ctx, graph, &graph->node[i], &local, value, unknown);
        ct__arena_reset(&local);
    }
    ct__arena_free(&local);
    for (size_t i = 0; i < graph->n_results; i++)
        result[i] = value[graph->result[i]];
    return ct__trace_close(ctx, at, graph->n_results, result);
}

/* Whether a node is on known and on unknown values, and to be taken apart. Marks its results. */
static bool is_mixed(const ct__node *node, bool *unknown, bool *flag)
{
    bool any = ct__any_operand(node, unknown);
    for (size_t r = 0; r < node->n_results; r++)
        unknown[node->first_result + r] = any;
    if (!any || !ct__has(node->op, CT__CONTROL))
        return false;
    for (size_t k = 0; k < node->n_operands; k++)
        flag[k] = unknown[node->operand[k]];
    return !ct__is_cut_out(node, flag);
}

/* Whether the graph has such a node; else it need not be recorded again. */
static bool needs_unzip(ct_context *ctx, ct_place at, const ct__graph *graph,
                        const bool *unknown_param)
{
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    size_t most = 0;
    bool mixed = false;
    for (size_t i = 0; i < graph->n_nodes; i++)
        most = graph->node[i].n_operands > most ? graph->node[i].n_operands : most;
    bool *unknown = ct__flag_params(&arena, graph, unknown_param);
    bool *flag = CT__NEW_ARRAY(&arena, bool, most);
    if (!unknown || !flag)
        ct__error_memory(ctx, at, "split");
    for (size_t i = 0; unknown && flag && !mixed && i < graph->n_nodes; i++)
        mixed = is_mixed(&graph->node[i], unknown, flag);
    ct__arena_free(&arena);
    return mixed || ct_failed(ctx);
}

ct__graph *ct__graph_unzip(ct_context *ctx, ct_place at, ct__graph *graph, const bool *unknown)
{
    if (!ct_failed(ctx) && !needs_unzip(ctx, at, graph, unknown))
        return ct__graph_retain(graph);
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, ctx, at, &arena, "split", graph))
        return NULL;
    ct__graph *unzipped = unzip_graph(ctx, at, graph, &arena,
                                      ct__flag_params(&arena, graph, unknown));
    ct__session_end(&session);
    return unzipped;
}

/* ---- Cutting an unzipped graph in two. */

void ct__mark_unzipped(const ct__graph *graph, bool *unknown)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        bool any = ct__any_operand(node, unknown);
        for (size_t r = 0; r < node->n_results; r++)
            unknown[node->first_result + r] = any;
    }
}

typedef struct cutter {
    ct_context *ctx;
    ct_place at;
    const ct__graph *graph; /* unzipped */
    ct__arena *arena;
    bool *unknown; /* per value */
    ct__kept kept;
    int64_t *residual; /* per value: its number among the residuals, or -1 */
    ct__id *value_of;  /* per residual */
    size_t n_residuals;
} cutter;

static void need_residual(cutter *w, ct__id id)
{
    if (!w->kept.kept[id] || w->residual[id] >= 0)
        return;
    w->value_of[w->n_residuals] = id;
    w->residual[id] = (int64_t)w->n_residuals++;
}

/* Those that are read as they are, in the order of the nodes that read them; then what others are
 * made of. */
static void find_residuals(cutter *w, const ct__cut *cut)
{
    const ct__graph *graph = w->graph;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        bool is_unknown = ct__any_operand(node, w->unknown);
        for (size_t k = 0; is_unknown && k < node->n_operands; k++)
            need_residual(w, node->operand[k]);
    }
    for (size_t i = 0; i < graph->n_results; i++)
        if (cut->unknown_result[i])
            need_residual(w, graph->result[i]);
    for (size_t id = 0; id < graph->n_values; id++)
        need_residual(w, (ct__id)id);
}

static bool choose_kept(cutter *w, const ct__cut *cut, const ct__prices *prices)
{
    const ct__graph *graph = w->graph;
    bool *read = ct__find_read_known(w->arena, graph, w->unknown);
    for (size_t i = 0; read && i < graph->n_results; i++)
        if (cut->unknown_result[i])
            read[graph->result[i]] = !w->unknown[graph->result[i]];
    return read && ct__choose_kept(w->arena, graph, w->unknown, read, prices, &w->kept);
}

/* Record the nodes of one side, given its params' values; some belong to both. */
static bool replay_side(cutter *w, bool unknown_side, ct_tensor **value)
{
    ct__arena local; /* of the node at hand */
    ct__arena_init(&local, &w->ctx->allocator);
    for (size_t i = 0; i < w->graph->n_nodes && !ct_failed(w->ctx); i++) {
        const ct__node *node = &w->graph->node[i];
        if (ct__any_operand(node, w->unknown) == unknown_side || (unknown_side && w->kept.again[i]))
            ct__replay_node(w->ctx, w->graph, node, &local, value);
        ct__arena_reset(&local);
    }
    ct__arena_free(&local);
    return !ct_failed(w->ctx);
}

static ct__graph *known_side(cutter *w, const bool *unknown_param, const ct__cut *cut,
                             ct__arena *arena)
{
    const ct__graph *graph = w->graph;
    ct_tensor **value = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_values);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_results + w->n_residuals);
    if (!value || !result) {
        ct__error_memory(w->ctx, w->at, "split");
        return NULL;
    }
    for (size_t i = 0; i < graph->n_params; i++)
        if (!unknown_param[i])
            value[graph->param[i]] = ct__trace_param_like(w->ctx, w->at, graph, i);
    replay_side(w, false, value);
    size_t count = 0;
    for (size_t i = 0; i < graph->n_results; i++)
        if (!cut->unknown_result[i])
            result[count++] = value[graph->result[i]];
    for (size_t i = 0; i < w->n_residuals; i++)
        if (cut->residual_param[i] < 0)
            result[count++] = value[w->value_of[i]];
    return ct__trace_close(w->ctx, w->at, count, result);
}

/* The residuals, then the unknown params. */
static void unknown_params(const cutter *w, const bool *unknown_param, ct_tensor **value)
{
    const ct__graph *graph = w->graph;
    for (size_t i = 0; i < w->n_residuals; i++) {
        const ct__value *residual = &graph->value[w->value_of[i]];
        value[w->value_of[i]] = ct_name(ct__trace_param(w->ctx, w->at, residual->type),
                                        residual->name);
    }
    for (size_t i = 0; i < graph->n_params; i++)
        if (unknown_param[i])
            value[graph->param[i]] = ct__trace_param_like(w->ctx, w->at, graph, i);
}

static ct__graph *unknown_side(cutter *w, const bool *unknown_param, const ct__cut *cut,
                               ct__arena *arena)
{
    const ct__graph *graph = w->graph;
    ct_tensor **value = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_values);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_results);
    if (!value || !result) {
        ct__error_memory(w->ctx, w->at, "split");
        return NULL;
    }
    unknown_params(w, unknown_param, value);
    replay_side(w, true, value);
    size_t count = 0;
    for (size_t i = 0; i < graph->n_results; i++)
        if (cut->unknown_result[i])
            result[count++] = value[graph->result[i]];
    ct__graph *side = ct__trace_close(w->ctx, w->at, count, result);
    if (side && !ct__graph_set_linear(side, side->n_params - w->n_residuals)) {
        ct__error_memory(w->ctx, w->at, "split");
        ct__graph_release(side);
        return NULL;
    }
    return side;
}

typedef ct__graph *make_side(cutter *w, const bool *unknown_param, const ct__cut *cut,
                             ct__arena *arena);

static ct__graph *in_session(cutter *w, const char *what, make_side *make,
                             const bool *unknown_param, const ct__cut *cut)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, w->ctx, w->at, &arena, what, w->graph))
        return NULL;
    ct__graph *graph = make(w, unknown_param, cut, session.arena);
    ct__session_end(&session);
    return graph;
}

static bool find_residual_params(const cutter *w, ct__cut *cut)
{
    const ct__graph *graph = w->graph;
    int64_t *param = CT__NEW_ARRAY(w->arena, int64_t, graph->n_values); /* counted from 1 */
    cut->residual_param = CT__NEW_ARRAY(w->arena, int64_t, w->n_residuals);
    for (size_t i = 0; param && i < graph->n_params; i++)
        param[graph->param[i]] = (int64_t)i + 1;
    for (size_t r = 0; param && cut->residual_param && r < w->n_residuals; r++)
        cut->residual_param[r] = param[w->value_of[r]] - 1;
    return param && cut->residual_param;
}

/* The lists of the cutter and of the cut; false when memory is short. */
static bool prepare(cutter *w, const bool *unknown, const bool *must_unknown,
                    const ct__prices *prices, ct__cut *cut)
{
    const ct__graph *graph = w->graph;
    w->unknown = ct__flag_params(w->arena, graph, unknown);
    w->residual = CT__NEW_ARRAY(w->arena, int64_t, graph->n_values);
    w->value_of = CT__NEW_ARRAY(w->arena, ct__id, graph->n_values);
    cut->unknown_result = CT__NEW_ARRAY(w->arena, bool, graph->n_results);
    if (!w->unknown || !w->residual || !w->value_of || !cut->unknown_result)
        return false;
    ct__mark_unzipped(graph, w->unknown);
    memset(w->residual, -1, graph->n_values * sizeof *w->residual);
    for (size_t i = 0; i < graph->n_results; i++)
        cut->unknown_result[i] = w->unknown[graph->result[i]] || (must_unknown && must_unknown[i]);
    if (!choose_kept(w, cut, prices))
        return false;
    find_residuals(w, cut);
    cut->n_residuals = w->n_residuals;
    return find_residual_params(w, cut);
}

/* The known side gives its known results, then the residuals that are no params. */
static bool list_residuals(const cutter *w, const bool *unknown, ct__cut *cut)
{
    const size_t n = w->graph->n_params, n_results = w->graph->n_results;
    size_t n_known = 0, computed = n_results - ct__count_set(cut->unknown_result, n_results);
    ct__id *param = CT__NEW_ARRAY(w->arena, ct__id, n);
    cut->residual = CT__NEW_ARRAY(w->arena, ct__id, w->n_residuals);
    for (size_t i = 0; param && i < n; i++)
        if (!unknown[i])
            param[i] = cut->known->param[n_known++];
    for (size_t r = 0; param && cut->residual && r < w->n_residuals; r++)
        cut->residual[r] = cut->residual_param[r] < 0 ? cut->known->result[computed++]
                                                      : param[cut->residual_param[r]];
    return param && cut->residual;
}

bool ct__graph_cut(ct_context *ctx, ct_place at, ct__graph *graph, const bool *unknown,
                   const bool *must_unknown, const ct__prices *prices, ct__arena *arena,
                   ct__cut *cut)
{
    *cut = (ct__cut){.known = NULL};
    ct__graph *unzipped = ct__graph_unzip(ctx, at, graph, unknown);
    if (!unzipped)
        return false;
    cutter w = {.ctx = ctx, .at = at, .graph = unzipped, .arena = arena};
    if (prepare(&w, unknown, must_unknown, prices, cut)) {
        cut->known = in_session(&w, "known", known_side, unknown, cut);
        cut->unknown = in_session(&w, "linear", unknown_side, unknown, cut);
        if (cut->known && !list_residuals(&w, unknown, cut))
            ct__error_memory(ctx, at, "split");
    } else {
        ct__error_memory(ctx, at, "split");
    }
    ct__graph_release(unzipped);
    if (!ct_failed(ctx))
        return true;
    ct__cut_free(cut);
    return false;
}

void ct__cut_free(ct__cut *cut)
{
    ct__graph_release(cut->known);
    ct__graph_release(cut->unknown);
    cut->known = cut->unknown = NULL;
}
