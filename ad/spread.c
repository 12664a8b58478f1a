/* Which values are batched, before anything is recorded: what branches and loops need to know of
 * their bodies. */
#include "ad/batch.h"
#include "ad/flow.h"

bool ct__runs_per_lane(const ct__graph *graph, const ct__node *node)
{
    bool runs = ct__has(node->op, CT__EFFECT) ||
                (node->op == CT__OP_custom_call && ct__node_has_effect(node));
    for (size_t i = 0; i < node->n_regions; i++)
        runs = runs || node->region[i]->has_effect;
    for (size_t i = 0; i < node->n_results; i++)
        runs = runs || ct__has_stack(ct__graph_type(graph, node->first_result + (ct__id)i));
    return runs;
}

static bool flow_scan(ct__flow *w, const ct__node *node, bool *operand)
{
    const bool *result;
    if (!ct__flow_loop(w->ctx, w->at, node, w->of_body, operand, &result))
        return false;
    for (size_t i = 0; i < node->n_results; i++)
        ct__flow_flag(w, node, i, i < (size_t)node->attrs->scan.n_carry ? operand[i] : result[i]);
    return true;
}

bool ct__loops_in_order(const ct__node *node)
{
    const ct__graph *body = node->region[node->n_regions - 1];
    bool ordered = body->has_effect || node->region[0]->has_effect;
    for (size_t i = 0; i < body->n_results; i++)
        ordered = ordered || ct__result_type(body, i)->kind == CT__TOKEN;
    return ordered;
}

/* Where lanes end at different times their carries differ, but for those that no iteration changes:
 * what an iteration flags is added to the carries, which are params first … of the body. */
static bool grow_carries(const ct__node *node, bool by_lane, size_t first, const bool *next,
                         bool *operand)
{
    const ct__graph *body = node->region[node->n_regions - 1];
    bool grown = false;
    for (size_t i = 0; i < body->n_results; i++) {
        bool changes = ct__loops_in_order(node) || body->result[i] != body->param[first + i];
        bool batched = next[i] || (by_lane && changes);
        if (ct__result_type(body, i)->kind == CT__TOKEN || !batched || operand[first + i])
            continue;
        grown = operand[first + i] = true;
    }
    return grown;
}

bool ct__spread_while(ct_context *ctx, ct_place at, const ct__node *node, bool *operand,
                      bool *by_lane)
{
    for (bool grown = true; grown;) {
        const bool *cond = ct__batched_results(ctx, at, node->region[0], operand);
        const bool *next = cond ? ct__batched_results(ctx, at, node->region[1], operand) : NULL;
        if (!next)
            return false;
        *by_lane = cond[0];
        grown = grow_carries(node, *by_lane, 0, next, operand);
    }
    return true;
}

/* The body takes the index, which is one for all lanes, in the place of the count. */
bool ct__spread_for(ct_context *ctx, ct_place at, const ct__node *node, bool *operand,
                    bool *by_lane)
{
    *by_lane = operand[0];
    operand[0] = false;
    for (bool grown = true; grown;) {
        const bool *next = ct__batched_results(ctx, at, node->region[0], operand);
        if (!next)
            return false;
        grown = grow_carries(node, *by_lane, 1, next, operand);
    }
    return true;
}

static bool flow_loop(ct__flow *w, const ct__node *node, bool *operand)
{
    bool by_lane = false, is_for = node->op == CT__OP_for;
    if (!(is_for ? ct__spread_for : ct__spread_while)(w->ctx, w->at, node, operand, &by_lane))
        return false;
    for (size_t i = 0; i < node->n_results; i++)
        ct__flow_flag(w, node, i, operand[is_for + i]);
    return true;
}

static bool visit_node(ct__flow *w, const ct__node *node, bool *operand, bool any)
{
    bool per_lane = ct__runs_per_lane(w->graph, node);
    if (any || per_lane) {
        if (ct__has(node->op, CT__CALLS) && node->n_regions == 1)
            return ct__flow_bodies(w, node, operand, false);
        if (node->op == CT__OP_if || node->op == CT__OP_case)
            return ct__flow_bodies(w, node, operand, operand[0]);
        if (node->op == CT__OP_scan)
            return flow_scan(w, node, operand);
        if (node->op == CT__OP_while || node->op == CT__OP_for)
            return flow_loop(w, node, operand);
    }
    for (size_t i = 0; i < node->n_results; i++)
        ct__flow_flag(w, node, i, any || per_lane);
    return true;
}

bool ct__find_batched(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *batched,
                      bool *result)
{
    ct__flow w = {.ctx = ctx,
                  .at = at,
                  .graph = graph,
                  .what = "vmap",
                  .of_body = ct__batched_results,
                  .skips_tokens = true,
                  .visit = visit_node};
    return ct__follow(&w, batched, result);
}
