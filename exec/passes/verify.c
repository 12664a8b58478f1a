/* A graph is well-formed where operands are made before they are used, every node has the result
 * types that inference finds, and the same holds in its bodies. */
#include "exec/passes/passes.h"

#include <stdio.h>

typedef struct verifier {
    ct__arena *arena;
    char *text;
    size_t bytes;
} verifier;

static bool flaw(const verifier *v, const ct__graph *graph, size_t node, const char *what)
{
    snprintf(v->text, v->bytes, "%s: operation %zu, %s: %s", graph->name ? graph->name : "", node,
             ct__op_describe(graph->node[node].op)->name, what);
    return true;
}

/* Parameters come before every node, and a node's results behind its own. */
static bool is_made_before(const ct__graph *graph, ct__id id, size_t node)
{
    return id < graph->n_values &&
           (graph->value[id].node == CT__NO_NODE || graph->value[id].node < node);
}

static bool has_flawed_types(const verifier *v, const ct__graph *graph, size_t i)
{
    const ct__node *node = &graph->node[i];
    const ct_type **in = CT__NEW_ARRAY(v->arena, const ct_type *, node->n_operands);
    const ct_type **given = CT__NEW_ARRAY(v->arena, const ct_type *, node->n_results);
    ct__body_type *region = CT__NEW_ARRAY(v->arena, ct__body_type, node->n_regions);
    bool fine = in && given && region;
    for (size_t k = 0; fine && k < node->n_operands; k++)
        in[k] = ct__graph_type(graph, node->operand[k]);
    for (size_t k = 0; fine && k < node->n_results; k++)
        given[k] = ct__graph_type(graph, node->first_result + (ct__id)k);
    for (size_t k = 0; fine && k < node->n_regions; k++)
        fine = ct__graph_body_type(node->region[k], v->arena, &region[k]);
    ct__infer q = {.op = node->op,
                   .arena = v->arena,
                   .attrs = node->attrs,
                   .n_operands = node->n_operands,
                   .in = in,
                   .n_regions = node->n_regions,
                   .region = region,
                   .n_given = node->n_results,
                   .given = given};
    if (!fine)
        return false;
    if (!ct__infer_types(&q))
        return q.status != CT_ERR_MEMORY && flaw(v, graph, i, q.message);
    if (q.n_results != node->n_results)
        return flaw(v, graph, i, "another number of results");
    for (size_t k = 0; k < q.n_results; k++)
        if (!ct__type_equal(q.out[k], given[k]))
            return flaw(v, graph, i, "a result has another type");
    return false;
}

static bool is_flawed(const verifier *v, const ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        for (size_t k = 0; k < node->n_operands; k++)
            if (!is_made_before(graph, node->operand[k], i))
                return flaw(v, graph, i, "an operand is not made before");
        if (has_flawed_types(v, graph, i))
            return true;
        for (size_t k = 0; k < node->n_regions; k++)
            if (is_flawed(v, node->region[k]))
                return true;
    }
    return false;
}

bool ct__find_flaw(const ct_allocator *allocator, const ct__graph *graph, char *text, size_t bytes)
{
    ct__arena arena;
    ct__arena_init(&arena, allocator);
    const bool found = is_flawed(&(verifier){&arena, text, bytes}, graph);
    ct__arena_free(&arena);
    return found;
}
