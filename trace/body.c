#include "trace/trace.h"

/* The row of the context's cache for a body; -1: not cached. */
static int row_of(int op)
{
    static const int rows[CT__BODY_OPS] = {CT__OP_add,     CT__OP_multiply, CT__OP_maximum,
                                           CT__OP_minimum, CT__OP_and,      CT__OP_or,
                                           CT__OP_xor,     CT__BODY_NEW};
    for (int row = 0; row < CT__BODY_OPS; row++)
        if (rows[row] == op)
            return row;
    return -1;
}

static bool fill_body(ct__graph *graph, int op, ct_dtype dtype)
{
    ct__arena *arena = &graph->arena;
    const ct_type *scalar = ct__type(arena, dtype, 0, NULL);
    ct__id param[2], result;
    if (!scalar || !ct__graph_add_param(graph, scalar, &param[0]) ||
        !ct__graph_add_param(graph, scalar, &param[1]))
        return false;
    result = param[1];
    if (op != CT__BODY_NEW) {
        static const ct__attrs none;
        ct__node node = {
            .op = (ct__op)op, .attrs = &none, .n_operands = 2, .operand = param, .n_results = 1};
        if (!ct__graph_add_node(graph, &node, &scalar, &result))
            return false;
    }
    return ct__graph_set_results(graph, 1, &result);
}

ct__graph *ct__body(ct_context *ctx, ct_place at, int op, ct_dtype dtype)
{
    if (ct_failed(ctx))
        return NULL;
    ct__graph **slot = &ctx->body[row_of(op)][dtype];
    ct__graph *graph = *slot;
    if (graph)
        return graph;
    const char *name = op == CT__BODY_NEW ? "overwrite" : ct__op_describe((ct__op)op)->name;
    graph = ct__graph_new(&ctx->allocator, name);
    if (!graph || !fill_body(graph, op, dtype)) {
        ct__graph_release(graph);
        ct__error_memory(ctx, at, name);
        return NULL;
    }
    *slot = graph;
    return graph;
}
