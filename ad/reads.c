/* Which params of a function any result, or any effect, depends on. */
#include "ad/derive.h"

/* Functions that are called may leave some of what they are given. */
static bool visit(ct_context *ctx, ct_place at, const ct__node *node, bool *read)
{
    const bool *by_body = NULL;
    bool live = ct__node_has_effect(node);
    for (size_t r = 0; r < node->n_results && !live; r++)
        live = read[node->first_result + r];
    if (!live)
        return true;
    if (node->op == CT__OP_call && !(by_body = ct__read_params(ctx, at, node->region[0])))
        return false;
    for (size_t i = 0; i < node->n_operands; i++)
        read[node->operand[i]] |= !by_body || by_body[i];
    return true;
}

bool ct__find_read_params(ct_context *ctx, ct_place at, const ct__graph *graph, bool *param)
{
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    bool *read = CT__NEW_ARRAY(&arena, bool, graph->n_values);
    bool fine = read != NULL;
    if (!fine)
        ct__error_memory(ctx, at, graph->name);
    for (size_t i = 0; fine && i < graph->n_results; i++)
        read[graph->result[i]] = true;
    for (size_t i = graph->n_nodes; fine && i-- > 0;)
        fine = visit(ctx, at, &graph->node[i], read);
    for (size_t i = 0; fine && i < graph->n_params; i++)
        param[i] = read[graph->param[i]];
    ct__arena_free(&arena);
    return fine;
}
