/* What depends on what, before anything is recorded: which results have a tangent, which are
 * unknown. Both follow values forward; they differ in what stops at a node. */
#include "ad/bodies.h"

typedef struct flow {
    ct_context *ctx;
    ct_place at;
    const ct__graph *graph;
    ct__arena *arena;
    bool *flag;   /* per value */
    bool tangent; /* live tangents, else unknown values */
} flow;

static const bool *body_results(const flow *w, ct__graph *body, const bool *param)
{
    return w->tangent ? ct__live_results(w->ctx, w->at, body, param)
                      : ct__unknown_results(w->ctx, w->at, body, param);
}

static bool flow_call(flow *w, const ct__node *node, const bool *operand)
{
    const bool *result = body_results(w, node->region[0], operand);
    for (size_t i = 0; result && i < node->n_results; i++)
        w->flag[node->first_result + i] = result[i];
    return result != NULL;
}

static bool flow_branches(flow *w, const ct__node *node, const bool *operand)
{
    for (size_t b = 0; b < node->n_regions; b++) {
        const bool *result = body_results(w, node->region[b], operand + 1);
        if (!result)
            return false;
        for (size_t i = 0; i < node->n_results; i++)
            w->flag[node->first_result + i] |= result[i];
    }
    return true;
}

bool ct__flow_loop(ct_context *ctx, ct_place at, const ct__node *node, bool tangent, bool *operand,
                   const bool **result)
{
    ct__loop loop;
    ct__loop_of(node->op, node->attrs, &loop);
    ct__graph *body = node->region[loop.body];
    bool *carry = operand + loop.first_carry;
    for (bool grown = true; grown;) {
        *result = tangent ? ct__live_results(ctx, at, body, operand)
                          : ct__unknown_results(ctx, at, body, operand);
        if (!*result)
            return false;
        grown = false;
        for (size_t i = 0; i < loop.n_carry; i++) {
            grown = grown || ((*result)[i] && !carry[i]);
            carry[i] = carry[i] || (*result)[i];
        }
    }
    return true;
}

/* Where the condition of a while is unknown, so is all that the loop gives. */
static bool flow_cond(flow *w, const ct__node *node, const bool *operand)
{
    const bool *cond = node->op == CT__OP_while && !w->tangent
                           ? ct__unknown_results(w->ctx, w->at, node->region[0], operand)
                           : NULL;
    for (size_t i = 0; cond && cond[0] && i < node->n_results; i++)
        w->flag[node->first_result + i] = true;
    return cond || node->op != CT__OP_while || w->tangent;
}

static bool flow_loop(flow *w, const ct__node *node, bool *operand)
{
    const bool *result;
    ct__loop loop;
    ct__loop_of(node->op, node->attrs, &loop);
    if (!ct__flow_loop(w->ctx, w->at, node, w->tangent, operand, &result))
        return false;
    for (size_t i = 0; i < node->n_results; i++)
        w->flag[node->first_result + i] = result[i] ||
                                          (i < loop.n_carry && operand[loop.first_carry + i]);
    return flow_cond(w, node, operand);
}

/* Whether a plain node's results have the flag, given that an operand has. */
static bool passes_on(const flow *w, const ct__node *node, size_t result)
{
    return !w->tangent || (!ct__derivative_of(node->op)->no_jvp &&
                           ct__has_tangent(w->graph->value[node->first_result + result].type));
}

static bool flow_node(flow *w, const ct__node *node)
{
    bool any = false, *operand = CT__NEW_ARRAY(w->arena, bool, node->n_operands);
    ct__loop loop;
    if (!operand) {
        ct__error_memory(w->ctx, w->at, "derivative");
        return false;
    }
    for (size_t i = 0; i < node->n_operands; i++) {
        operand[i] = w->flag[node->operand[i]];
        any = any || operand[i];
    }
    if (any && (w->tangent || !ct__is_cut_out(node, operand))) {
        if (ct__has(node->op, CT__CALLS) && !(w->tangent && node->n_regions > 1)) /* no rules */
            return flow_call(w, node, operand);
        if (node->op == CT__OP_if || node->op == CT__OP_case)
            return flow_branches(w, node, operand);
        if (ct__loop_of(node->op, node->attrs, &loop))
            return flow_loop(w, node, operand);
    }
    for (size_t i = 0; i < node->n_results; i++)
        w->flag[node->first_result + i] = any && passes_on(w, node, i);
    return true;
}

static bool follow(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *param,
                   bool tangent, bool *result)
{
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    flow w = {ctx, at, graph, &arena, ct__flag_params(&arena, graph, param), tangent};
    bool fine = w.flag != NULL;
    if (!fine)
        ct__error_memory(ctx, at, "derivative");
    for (size_t i = 0; fine && i < graph->n_nodes; i++)
        fine = flow_node(&w, &graph->node[i]);
    for (size_t i = 0; fine && i < graph->n_results; i++)
        result[i] = w.flag[graph->result[i]];
    ct__arena_free(&arena);
    return fine;
}

bool ct__find_live(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *live,
                   bool *result)
{
    return follow(ctx, at, graph, live, true, result);
}

bool ct__find_unknown(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *unknown,
                      bool *result)
{
    return follow(ctx, at, graph, unknown, false, result);
}

/* ---- Bodies that a cut has made: nothing in them is known. */

bool ct__is_cut_out(const ct__node *node, const bool *unknown)
{
    /* what chooses the branch is not a param */
    size_t first = node->op == CT__OP_if || node->op == CT__OP_case ? 1 : 0;
    for (size_t r = 0; r < node->n_regions; r++) {
        const bool *linear = node->region[r]->linear_param;
        for (size_t i = 0; linear && i < node->region[r]->n_params; i++)
            if (unknown[first + i] && !linear[i])
                linear = NULL;
        if (!linear)
            return false;
    }
    return node->n_regions > 0;
}
