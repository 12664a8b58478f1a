#include "trace/trace.h"

static void finish_function(ct__handle *handle)
{
    ct__graph_release(((ct_function *)handle)->graph);
}

ct_function *ct__function_new(ct_context *ctx, ct_place at, ct__graph *graph)
{
    ct_function *f = NULL;
    if (graph)
        f = ct__handle_new(ctx, CT__HANDLE_FUNCTION, sizeof *f, finish_function);
    if (!f) {
        if (graph)
            ct__error_memory(ctx, at, graph->name);
        ct__graph_release(graph);
        return ct__poison_function(ctx);
    }
    f->graph = graph;
    return f;
}

bool ct__function_check(ct_context *ctx, ct_place at, const char *what, const ct_function *f)
{
    if (ct_failed(ctx))
        return false;
    if (!f)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: the function is NULL", what);
    else if (!f->graph)
        ct__error(ctx, at, CT_ERR_POISON,
                  "%s: the function is the poisoned result of an earlier error", what);
    return !ct_failed(ctx);
}

ct_function *ct_adopt(ct_context *ctx, const ct_function *f)
{
    const ct_place nowhere = {NULL, 0, 0};
    if (!ct__function_check(ctx, nowhere, "adopt", f))
        return ct__poison_function(ctx);
    return ct__function_new(ctx, nowhere, ct__graph_retain(f->graph));
}

/* ---- Looking. */

ct_context *ct_function_context(const ct_function *f)
{
    return f ? f->handle.ctx : NULL;
}

bool ct_function_is_poison(const ct_function *f)
{
    return !f || !f->graph;
}

const char *ct_function_name(const ct_function *f)
{
    return ct_function_is_poison(f) ? "" : f->graph->name;
}

size_t ct_function_parameters(const ct_function *f)
{
    return ct_function_is_poison(f) ? 0 : f->graph->n_params;
}

size_t ct_function_results(const ct_function *f)
{
    return ct_function_is_poison(f) ? 0 : f->graph->n_results;
}

size_t ct_function_operations(const ct_function *f)
{
    return ct_function_is_poison(f) ? 0 : f->graph->n_all_nodes;
}

const ct_type *ct_parameter_type(const ct_function *f, size_t position)
{
    return position < ct_function_parameters(f) ? ct__param_type(f->graph, position) : NULL;
}

const ct_type *ct_result_type(const ct_function *f, size_t position)
{
    return position < ct_function_results(f) ? ct__result_type(f->graph, position) : NULL;
}

/* ---- Applying. */

void ct_apply_at(ct_place at, ct_function *f, ct_list arguments, ct_tensor **results,
                 size_t n_results)
{
    ct_context *ctx = ct_function_context(f);
    if (!ctx)
        ctx = ct__context_of_list(arguments);
    for (size_t i = 0; results && i < n_results; i++)
        results[i] = ct__poison(ctx);
    if (!ct__function_check(ctx, at, "apply", f))
        return;
    if ((!results && n_results > 0) || (!arguments.item && arguments.count > 0)) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "apply: %s is NULL", results ? "arguments" : "results");
        return;
    }
    ct__request request = {.ctx = ctx,
                           .at = at,
                           .op = CT__OP_call,
                           .n_operands = arguments.count,
                           .operand = arguments.item,
                           .n_regions = 1,
                           .region = &f->graph};
    ct__apply(&request, results, n_results);
}

ct_tensor *ct_apply1_at(ct_place at, ct_function *f, ct_list arguments)
{
    ct_tensor *result;
    ct_apply_at(at, f, arguments, &result, 1);
    return result ? result : ct__poison(ct_function_context(f));
}

/* ---- Replaying a graph. */

/* The types of a node's results; in the arena. */
static const ct_type **types_of(ct__arena *arena, const ct__graph *graph, const ct__node *node)
{
    const ct_type **type = CT__NEW_ARRAY(arena, const ct_type *, node->n_results);
    for (size_t i = 0; type && i < node->n_results; i++)
        type[i] = ct__graph_type(graph, node->first_result + (ct__id)i);
    return type;
}

/* The operands of a node as tensors; in the arena. */
static ct_tensor **operands_of(ct__arena *arena, const ct__node *node, ct_tensor *const *value)
{
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, node->n_operands);
    for (size_t i = 0; operand && i < node->n_operands; i++)
        operand[i] = value[node->operand[i]];
    return operand;
}

bool ct__name_results(ct_context *ctx, const ct__graph *graph, const ct__node *node,
                      ct_tensor *const *value)
{
    for (ct__id id = node->first_result; id < node->first_result + node->n_results; id++)
        if (!ct_failed(ctx))
            ct_name(value[id], graph->value[id].name);
    return !ct_failed(ctx);
}

bool ct__replay_node(ct_context *ctx, const ct__graph *graph, const ct__node *node,
                     ct__arena *arena, ct_tensor **value)
{
    ct_tensor **result = &value[node->first_result];
    /* the tensors may outlive the graph, whose memory has its files' names */
    const ct_place at = {ct__context_file(ctx, node->at.file), node->at.line, node->at.column};
    if (node->at.file && !at.file) {
        ct__error_memory(ctx, node->at, ct__op_describe(node->op)->name);
        return false;
    }
    if (node->op == CT__OP_constant) {
        *result = ct__tensor_concrete(ctx, at, "constant",
                                      ct__literal_retain(node->attrs->constant.value));
    } else {
        ct_tensor **operand = operands_of(arena, node, value);
        bool is_typed = ct__node_is_typed(graph, node);
        const ct_type **given = is_typed ? types_of(arena, graph, node) : NULL;
        if (!operand || (is_typed && !given)) {
            ct__error_memory(ctx, node->at, ct__op_describe(node->op)->name);
            return false;
        }
        ct__request request = {.ctx = ctx,
                               .at = at,
                               .op = node->op,
                               .attrs = node->attrs,
                               .n_operands = node->n_operands,
                               .operand = operand,
                               .n_regions = node->n_regions,
                               .region = node->region,
                               .n_given = is_typed ? node->n_results : 0,
                               .given = given,
                               .extra = node->extra,
                               .n_also = node->n_also,
                               .also = node->also};
        const ct__provenance around = ctx->provenance;
        ctx->provenance = node->provenance.how == CT__WRITTEN ? around : node->provenance;
        ct__apply(&request, result, node->n_results);
        ctx->provenance = around;
    }
    return ct__name_results(ctx, graph, node, value);
}

bool ct__replay(ct_context *ctx, ct_place at, const ct__graph *graph, ct_tensor *const *argument,
                ct_tensor **result)
{
    ct__arena local, of_node;
    ct__arena_init(&local, &ctx->allocator);
    ct_tensor **value = CT__NEW_ARRAY(&local, ct_tensor *, graph->n_values);
    if (!value)
        ct__error_memory(ctx, at, graph->name);
    for (size_t i = 0; value && i < graph->n_params; i++)
        value[graph->param[i]] = argument[i];
    ct__arena_init(&of_node, &ctx->allocator);
    for (size_t i = 0; value && i < graph->n_nodes && !ct_failed(ctx); i++) {
        ct__replay_node(ctx, graph, &graph->node[i], &of_node, value);
        ct__arena_reset(&of_node);
    }
    ct__arena_free(&of_node);
    for (size_t i = 0; i < graph->n_results; i++)
        result[i] = ct_failed(ctx) ? ct__poison(ctx) : value[graph->result[i]];
    ct__arena_free(&local);
    return !ct_failed(ctx);
}
