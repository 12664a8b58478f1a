/* What depends on what, before anything is recorded: which results have a tangent, which are
 * unknown. Both follow values forward; they differ in what stops at a node. */
#include "ad/flow.h"

#include "ad/bodies.h"

/* ---- Following flags, whatever they mean. */

static bool visit(ct__flow *w, const ct__node *node)
{
    bool any = false, *operand = CT__NEW_ARRAY(&w->arena, bool, node->n_operands);
    if (!operand) {
        ct__error_memory(w->ctx, w->at, w->what);
        return false;
    }
    for (size_t i = 0; i < node->n_operands; i++) {
        operand[i] = w->flag[node->operand[i]];
        any = any || operand[i];
    }
    return w->visit(w, node, operand, any);
}

bool ct__follow(ct__flow *w, const bool *param, bool *result)
{
    ct__arena_init(&w->arena, &w->ctx->allocator);
    w->flag = ct__flag_params(&w->arena, w->graph, param);
    bool fine = w->flag != NULL;
    if (!fine)
        ct__error_memory(w->ctx, w->at, w->what);
    for (size_t i = 0; fine && i < w->graph->n_nodes; i++)
        fine = visit(w, &w->graph->node[i]);
    for (size_t i = 0; fine && i < w->graph->n_results; i++)
        result[i] = w->flag[w->graph->result[i]];
    ct__arena_free(&w->arena);
    return fine;
}

void ct__flow_flag(ct__flow *w, const ct__node *node, size_t i, bool flag)
{
    const ct__id id = node->first_result + (ct__id)i;
    const bool skipped = w->skips_tokens && ct__graph_type(w->graph, id)->kind == CT__TOKEN;
    w->flag[id] = w->flag[id] || (flag && !skipped);
}

bool ct__flow_bodies(ct__flow *w, const ct__node *node, const bool *operand, bool chosen)
{
    const bool is_call = ct__has(node->op, CT__CALLS);
    const size_t n_bodies = is_call ? 1 : node->n_regions, first = is_call ? 0 : 1;
    for (size_t b = 0; b < n_bodies; b++) {
        const bool *result = w->of_body(w->ctx, w->at, node->region[b], operand + first);
        if (!result)
            return false;
        for (size_t i = 0; i < node->n_results; i++)
            ct__flow_flag(w, node, i, chosen || result[i]);
    }
    return true;
}

bool ct__flow_loop(ct_context *ctx, ct_place at, const ct__node *node, ct__body_flags *of_body,
                   bool *operand, const bool **result)
{
    ct__loop loop;
    ct__loop_of(node->op, node->attrs, &loop);
    bool *carry = operand + loop.first_carry;
    for (bool grown = true; grown;) {
        *result = of_body(ctx, at, node->region[loop.body], operand);
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

/* ---- Tangents and unknown values. */

static bool of_tangents(const ct__flow *w)
{
    return w->of_body == ct__live_results;
}

/* Where the condition of a while is unknown, so is all that the loop gives. */
static bool flow_cond(ct__flow *w, const ct__node *node, const bool *operand)
{
    const bool *cond = node->op == CT__OP_while && !of_tangents(w)
                           ? ct__unknown_results(w->ctx, w->at, node->region[0], operand)
                           : NULL;
    for (size_t i = 0; cond && cond[0] && i < node->n_results; i++)
        w->flag[node->first_result + i] = true;
    return cond || node->op != CT__OP_while || of_tangents(w);
}

static bool flow_loop(ct__flow *w, const ct__node *node, bool *operand)
{
    const bool *result;
    ct__loop loop;
    ct__loop_of(node->op, node->attrs, &loop);
    if (!ct__flow_loop(w->ctx, w->at, node, w->of_body, operand, &result))
        return false;
    for (size_t i = 0; i < node->n_results; i++)
        w->flag[node->first_result + i] = result[i] ||
                                          (i < loop.n_carry && operand[loop.first_carry + i]);
    return flow_cond(w, node, operand);
}

/* Whether a plain node's results have the flag, given that an operand has. */
static bool passes_on(const ct__flow *w, const ct__node *node, size_t result)
{
    return !of_tangents(w) || (!ct__derivative_of(node->op)->no_jvp &&
                               ct__has_tangent(w->graph->value[node->first_result + result].type));
}

static bool visit_node(ct__flow *w, const ct__node *node, bool *operand, bool any)
{
    ct__loop loop;
    if (any && (of_tangents(w) || !ct__is_cut_out(node, operand))) {
        if (ct__has(node->op, CT__CALLS) && !(of_tangents(w) && node->n_regions > 1)) /* no rules */
            return ct__flow_bodies(w, node, operand, false);
        if (node->op == CT__OP_if || node->op == CT__OP_case)
            return ct__flow_bodies(w, node, operand, false);
        if (ct__loop_of(node->op, node->attrs, &loop))
            return flow_loop(w, node, operand);
    }
    for (size_t i = 0; i < node->n_results; i++)
        w->flag[node->first_result + i] = any && passes_on(w, node, i);
    return true;
}

static bool find(ct_context *ctx, ct_place at, const ct__graph *graph, ct__body_flags *of_body,
                 const bool *param, bool *result)
{
    ct__flow w = {.ctx = ctx,
                  .at = at,
                  .graph = graph,
                  .what = "derivative",
                  .of_body = of_body,
                  .visit = visit_node};
    return ct__follow(&w, param, result);
}

bool ct__find_live(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *live,
                   bool *result)
{
    return find(ctx, at, graph, ct__live_results, live, result);
}

bool ct__find_unknown(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *unknown,
                      bool *result)
{
    return find(ctx, at, graph, ct__unknown_results, unknown, result);
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
