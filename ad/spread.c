/* Which values are batched, before anything is recorded: what branches and loops need to know of
 * their bodies. */
#include "ad/batch.h"

typedef struct flow {
    ct_context *ctx;
    ct_place at;
    const ct__graph *graph;
    ct__arena *arena;
    bool *flag; /* per value */
} flow;

bool ct__runs_per_lane(const ct__node *node)
{
    bool effect = ct__has(node->op, CT__EFFECT) ||
                  (node->op == CT__OP_custom_call && ct__node_has_effect(node));
    for (size_t i = 0; i < node->n_regions; i++)
        effect = effect || node->region[i]->has_effect;
    return effect;
}

static void set_flag(flow *w, const ct__node *node, size_t i, bool batched)
{
    ct__id id = node->first_result + (ct__id)i;
    w->flag[id] = w->flag[id] || (batched && w->graph->value[id].type->kind != CT__TOKEN);
}

static bool flow_call(flow *w, const ct__node *node, const bool *operand)
{
    const bool *result = ct__batched_results(w->ctx, w->at, node->region[0], operand);
    for (size_t i = 0; result && i < node->n_results; i++)
        set_flag(w, node, i, result[i]);
    return result != NULL;
}

/* if and case: operand 0 chooses. */
static bool flow_branches(flow *w, const ct__node *node, const bool *operand)
{
    for (size_t b = 0; b < node->n_regions; b++) {
        const bool *result = ct__batched_results(w->ctx, w->at, node->region[b], operand + 1);
        if (!result)
            return false;
        for (size_t i = 0; i < node->n_results; i++)
            set_flag(w, node, i, operand[0] || result[i]);
    }
    return true;
}

bool ct__spread_scan(ct_context *ctx, ct_place at, const ct__node *node, bool *operand,
                     const bool **result)
{
    size_t n_carry = (size_t)node->attrs->scan.n_carry;
    for (bool grown = true; grown;) {
        *result = ct__batched_results(ctx, at, node->region[0], operand);
        if (!*result)
            return false;
        grown = false;
        for (size_t i = 0; i < n_carry; i++) {
            grown = grown || ((*result)[i] && !operand[i]);
            operand[i] = operand[i] || (*result)[i];
        }
    }
    return true;
}

static bool flow_scan(flow *w, const ct__node *node, bool *operand)
{
    const bool *result;
    if (!ct__spread_scan(w->ctx, w->at, node, operand, &result))
        return false;
    for (size_t i = 0; i < node->n_results; i++)
        set_flag(w, node, i, i < (size_t)node->attrs->scan.n_carry ? operand[i] : result[i]);
    return true;
}

/* With an effect or a token in it the lanes follow one another. */
bool ct__while_is_looped(const ct__node *node)
{
    bool looped = ct__runs_per_lane(node);
    for (size_t i = 0; i < (size_t)node->attrs->loop.n_carry; i++)
        looped = looped || ct__param_type(node->region[1], i)->kind == CT__TOKEN;
    return looped;
}

/* Where lanes end at different times their carries differ, but for those that no iteration changes.
 */
bool ct__spread_while(ct_context *ctx, ct_place at, const ct__node *node, bool *operand,
                      bool *by_lane)
{
    const ct__graph *body = node->region[1];
    for (bool grown = true; grown;) {
        const bool *cond = ct__batched_results(ctx, at, node->region[0], operand);
        const bool *next = cond ? ct__batched_results(ctx, at, node->region[1], operand) : NULL;
        if (!next)
            return false;
        *by_lane = cond[0];
        grown = false;
        for (size_t i = 0; i < (size_t)node->attrs->loop.n_carry; i++) {
            bool changes = ct__while_is_looped(node) || body->result[i] != body->param[i];
            bool batched = next[i] || (*by_lane && changes);
            if (ct__param_type(body, i)->kind == CT__TOKEN || !batched || operand[i])
                continue;
            grown = operand[i] = true;
        }
    }
    return true;
}

static bool flow_while(flow *w, const ct__node *node, bool *operand)
{
    bool by_lane;
    if (!ct__spread_while(w->ctx, w->at, node, operand, &by_lane))
        return false;
    for (size_t i = 0; i < node->n_results; i++)
        set_flag(w, node, i, operand[i]);
    return true;
}

static bool flow_node(flow *w, const ct__node *node)
{
    bool any = false, *operand = CT__NEW_ARRAY(w->arena, bool, node->n_operands);
    bool per_lane = ct__runs_per_lane(node);
    if (!operand) {
        ct__error_memory(w->ctx, w->at, "vmap");
        return false;
    }
    for (size_t i = 0; i < node->n_operands; i++) {
        operand[i] = w->flag[node->operand[i]];
        any = any || operand[i];
    }
    if (any || per_lane) {
        if (ct__has(node->op, CT__CALLS))
            return flow_call(w, node, operand);
        if (node->op == CT__OP_if || node->op == CT__OP_case)
            return flow_branches(w, node, operand);
        if (node->op == CT__OP_scan)
            return flow_scan(w, node, operand);
        if (node->op == CT__OP_while)
            return flow_while(w, node, operand);
    }
    for (size_t i = 0; i < node->n_results; i++)
        set_flag(w, node, i, any || per_lane);
    return true;
}

bool ct__find_batched(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *batched,
                      bool *result)
{
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    flow w = {ctx, at, graph, &arena, ct__flag_params(&arena, graph, batched)};
    bool fine = w.flag != NULL;
    if (!fine)
        ct__error_memory(ctx, at, "vmap");
    for (size_t i = 0; fine && i < graph->n_nodes; i++)
        fine = flow_node(&w, &graph->node[i]);
    for (size_t i = 0; fine && i < graph->n_results; i++)
        result[i] = w.flag[graph->result[i]];
    ct__arena_free(&arena);
    return fine;
}
