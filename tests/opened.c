#include "tests/opened.h"

#include "probe/gradcheck.h"

#include <string.h>

typedef struct opening {
    ct_context *ctx;
    ct_place at;
    ct__arena *arena;
    const ct__graph *graph;
    ct_tensor **value;
} opening;

static bool is_call_of(const ct__node *node, const char *name)
{
    return node->op == CT__OP_call && strcmp(node->region[0]->name, name) == 0;
}

static bool open_node(opening *o, const ct__node *node)
{
    if (node->op == CT__OP_custom_call && node->n_results == 0)
        return true;
    if (!is_call_of(node, "inputs"))
        return ct__replay_node(o->ctx, o->graph, node, o->arena, o->value);
    for (size_t i = 0; i < node->n_results; i++) {
        ct__id id = node->first_result + (ct__id)i;
        o->value[id] = ct__trace_param(o->ctx, o->at, ct__graph_type(o->graph, id));
    }
    return !ct_failed(o->ctx);
}

static ct__graph *close(opening *o)
{
    ct_tensor **result = CT__NEW_ARRAY(o->arena, ct_tensor *, o->graph->n_results);
    for (size_t i = 0; result && i < o->graph->n_results; i++)
        result[i] = o->value[o->graph->result[i]];
    if (!result)
        return NULL;
    return ct__trace_close_flat(o->ctx, o->at, "opened", o->graph->n_results, result);
}

ct_function *opened_main(ct_context *ctx, ct_module *module)
{
    const ct_place at = CT_HERE;
    const ct_function *f = ct_module_function_at(at, module, NULL);
    ct__graph *graph = NULL;
    ct__session session;
    ct__arena arena;
    if (ct_failed(ctx) || !ct__session_begin(&session, ctx, at, &arena, "opened", f->graph))
        return ct__poison_function(ctx);
    opening o = {ctx, at, &arena, f->graph, CT__NEW_ARRAY(&arena, ct_tensor *, f->graph->n_values)};
    bool fine = o.value && f->graph->n_params == 0;
    for (size_t i = 0; fine && i < f->graph->n_nodes; i++)
        fine = open_node(&o, &f->graph->node[i]);
    if (fine)
        graph = close(&o);
    ct__session_end(&session);
    return graph ? ct__function_new(ctx, at, graph) : ct__poison_function(ctx);
}

ct_function *opened_wide(ct_context *ctx, ct_function *f)
{
    ct__graph *graph = ct__promote(ctx, CT_HERE, f->graph);
    return graph ? ct__function_new(ctx, CT_HERE, graph) : ct__poison_function(ctx);
}
