/* Traces by hand. */
#include "trace/trace.h"

struct ct_trace_builder {
    ct__handle handle;
    uint64_t serial; /* of the trace; 0 once it has ended */
    size_t n_parameters;
    ct_tensor **parameter;
};

/* Abandon the trace, if it is open, and those inside it. */
static void abandon(ct_trace_builder *builder)
{
    ct_context *ctx = builder->handle.ctx;
    if (builder->serial != 0 && ct__trace_find(ctx, builder->serial)) {
        while (ctx->trace->serial != builder->serial)
            ct__trace_abandon(ctx);
        ct__trace_abandon(ctx);
    }
    builder->serial = 0;
}

/* A builder released before its end takes its trace along. */
static void finish_builder(ct__handle *handle)
{
    ct_trace_builder *builder = (ct_trace_builder *)handle;
    abandon(builder);
    ct__release(&handle->ctx->allocator, builder->parameter,
                builder->n_parameters * sizeof *builder->parameter);
}

/* Stands for builders that could not be made: it has no trace. */
static const ct_trace_builder poison_builder;

static bool make_parameters(ct_trace_builder *builder, ct_place at, ct_list examples)
{
    ct_context *ctx = builder->handle.ctx;
    size_t bytes;
    if (!ct__mul_size(examples.count, sizeof *builder->parameter, &bytes) ||
        !(builder->parameter = ct__alloc(&ctx->allocator, bytes))) {
        ct__error_memory(ctx, at, "trace_begin");
        return false;
    }
    builder->n_parameters = examples.count;
    for (size_t i = 0; i < examples.count; i++)
        builder->parameter[i] = ct__trace_param(ctx, at, examples.item[i]->type);
    if (!ct_failed(ctx) && !ct__graph_set_flat_arguments(ctx->trace->graph))
        ct__error_memory(ctx, at, "trace_begin");
    return !ct_failed(ctx);
}

ct_trace_builder *ct_trace_begin_at(ct_place at, ct_context *ctx, const char *name,
                                    ct_list examples)
{
    if (!name)
        name = "f";
    if (ct_failed(ctx) || !ct__examples_check(ctx, at, name, examples))
        return (ct_trace_builder *)&poison_builder;
    ct_trace_builder *builder = ct__handle_new(ctx, CT__HANDLE_BUILDER, sizeof *builder,
                                               finish_builder);
    if (!builder)
        ct__error_memory(ctx, at, name);
    if (!builder || !ct__trace_push(ctx, at, name, false))
        return (ct_trace_builder *)&poison_builder;
    builder->serial = ctx->trace->serial;
    if (!make_parameters(builder, at, examples)) {
        ct__handle_free(&builder->handle);
        return (ct_trace_builder *)&poison_builder;
    }
    return builder;
}

ct_list ct__builder_parameters(const ct_trace_builder *builder)
{
    return (ct_list){builder->n_parameters, builder->parameter};
}

ct_tensor *ct_trace_parameter(ct_trace_builder *builder, size_t position)
{
    ct_context *ctx = builder ? builder->handle.ctx : NULL;
    if (!ctx || ct_failed(ctx))
        return ct__poison(ctx);
    if (position < builder->n_parameters)
        return builder->parameter[position];
    ct__error(ctx, (ct_place){NULL, 0, 0}, CT_ERR_ARGUMENT,
              "trace_parameter: there is no parameter %zu; the function has %zu", position,
              builder->n_parameters);
    return ct__poison(ctx);
}

ct_function *ct_trace_end_at(ct_place at, ct_trace_builder *builder, ct_list results)
{
    ct_context *ctx = builder ? builder->handle.ctx : NULL;
    if (!ctx)
        return ct__poison_function(NULL);
    if (!ct__trace_find(ctx, builder->serial)) /* or was abandoned with the one around it */
        ct__error(ctx, at, CT_ERR_STATE, "trace_end: the trace has ended before");
    else if (ctx->trace->serial != builder->serial)
        ct__error(ctx, at, CT_ERR_STATE, "trace_end: the trace of %s, begun later, is still open",
                  ctx->trace->graph->name);
    else if (!results.item && results.count > 0)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "trace_end: the results are NULL");
    ct__graph *graph = NULL;
    if (!ct_failed(ctx)) {
        graph = ct__trace_pop(ctx, at, results.count, results.item);
        builder->serial = 0;
    }
    abandon(builder);
    return ct__function_new(ctx, at, graph);
}
