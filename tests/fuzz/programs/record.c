/* Recording programs again, as they are or changed. */
#include "tests/fuzz/programs/modes.h"

#include <stdlib.h>

/* A constant is a value of the trace: operations on it are recorded too, not computed at once. */
bool record_node(ct_context *ctx, const ct__graph *graph, const ct__node *node, ct__arena *arena,
                 ct_tensor **value)
{
    if (node->op != CT__OP_constant)
        return ct__replay_node(ctx, graph, node, arena, value);
    return ct__apply(
        &(ct__request){.ctx = ctx, .at = CT_HERE, .op = CT__OP_constant, .attrs = node->attrs},
        value + node->first_result, 1);
}

bool has_effect(const ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        if (ct__has(node->op, CT__EFFECT))
            return true;
        for (size_t k = 0; k < node->n_regions; k++)
            if (has_effect(node->region[k]))
                return true;
    }
    return false;
}

bool record_graph(ct_context *ctx, const ct__graph *graph, recorder *record,
                  ct_tensor *const *argument, ct_tensor **result)
{
    ct_tensor **value = calloc(graph->n_values + 1, sizeof *value);
    ct__arena arena;
    bool fine = value != NULL;

    ct__arena_init(&arena, &ctx->allocator);
    for (size_t i = 0; fine && i < graph->n_params; i++)
        value[graph->param[i]] = argument[i];
    for (size_t i = 0; fine && i < graph->n_nodes; i++)
        fine = record(ctx, graph, &graph->node[i], &arena, value);
    for (size_t i = 0; fine && i < graph->n_results; i++)
        result[i] = value[graph->result[i]];
    ct__arena_free(&arena);
    free(value);
    return fine;
}
