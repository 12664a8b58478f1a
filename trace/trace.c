#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

/* ---- The stack. */

static void trace_free(ct_context *ctx, ct__trace *trace)
{
    const ct_allocator *allocator = &ctx->allocator;
    ct__graph_release(trace->graph);
    ct__release(allocator, trace->capture, trace->capture_capacity * sizeof *trace->capture);
    ct__lookup_free(allocator, &trace->capture_of);
    ct__lookup_free(allocator, &trace->constant_of);
    ct__release(allocator, trace, sizeof *trace);
}

bool ct__trace_push(ct_context *ctx, ct_place at, const char *name, bool is_region)
{
    if (ct_failed(ctx))
        return false;
    ct__trace *trace = ct__alloc_zeroed(&ctx->allocator, sizeof *trace);
    if (trace)
        trace->graph = ct__graph_new(&ctx->allocator, name);
    if (!trace || !trace->graph) {
        ct__release(&ctx->allocator, trace, sizeof *trace);
        ct__error_memory(ctx, at, name);
        return false;
    }
    trace->serial = ++ctx->next_serial;
    trace->is_region = is_region;
    trace->parent = ctx->trace;
    ctx->trace = trace;
    return true;
}

void ct__trace_abandon(ct_context *ctx)
{
    ct__trace *trace = ctx->trace;
    ctx->trace = trace->parent;
    trace_free(ctx, trace);
}

ct__trace *ct__trace_find(ct_context *ctx, uint64_t serial)
{
    for (ct__trace *trace = ctx->trace; trace; trace = trace->parent)
        if (trace->serial == serial)
            return trace;
    return NULL;
}

ct_tensor *ct__trace_param(ct_context *ctx, ct_place at, const ct_type *type)
{
    if (ct_failed(ctx))
        return ct__poison(ctx);
    ct__trace *trace = ctx->trace;
    ct__id id;
    if (!ct__graph_add_param(trace->graph, type, &id)) {
        ct__error_memory(ctx, at, trace->graph->name);
        return ct__poison(ctx);
    }
    ct_tensor *x = ct__tensor_traced(ctx, at, "argument", trace->serial, id, type);
    if (x->kind == CT__TRACED)
        x->argument = (int)trace->graph->n_params - 1;
    return ct__pin(x);
}

ct_tensor *ct__trace_param_like(ct_context *ctx, ct_place at, const ct__graph *graph, size_t i)
{
    return ct_name(ct__trace_param(ctx, at, ct__param_type(graph, i)),
                   graph->value[graph->param[i]].name);
}

static bool name_value(ct__trace *trace, ct__id value, const char *name)
{
    const char *copy = ct__arena_text(&trace->graph->arena, name);
    trace->graph->value[value].name = copy;
    return copy != NULL;
}

void ct__trace_name(ct_tensor *x, const char *name)
{
    ct_context *ctx = x->handle.ctx;
    ct__trace *trace = ct__trace_find(ctx, x->trace);
    if (!trace) {
        ct__error(ctx, x->at, CT_ERR_STATE,
                  "name: \"%s\" is for a traced value whose trace has ended", name);
        return;
    }
    if (!name_value(trace, x->value, name))
        ct__error_memory(ctx, x->at, "name");
}

/* ---- Constants: each literal is recorded once per trace. */

static bool add_node(ct__trace *trace, ct_place at, ct__op op, size_t n_operands,
                     const ct__id *operand, const ct_type *type, ct__id *id)
{
    static const ct__attrs none;
    const ct__node node = {.op = op,
                           .at = at,
                           .attrs = &none,
                           .n_operands = (uint32_t)n_operands,
                           .operand = operand,
                           .n_results = 1};
    return ct__graph_add_node(trace->graph, &node, &type, id);
}

static bool add_constant(ct__trace *trace, ct_place at, ct__literal *literal, ct__id *id)
{
    const ct__attrs attrs = {.constant = {.value = literal}};
    const ct__node node = {.op = CT__OP_constant, .at = at, .attrs = &attrs, .n_results = 1};
    return ct__graph_add_node(trace->graph, &node, &literal->type, id);
}

/* Constants are tensors: a token is made anew, a tuple of its elements' constants. */
static bool add_parts(ct_context *ctx, ct__trace *trace, ct_place at, const ct_type *type,
                      const unsigned char *data, ct__id *id);

static bool add_part(ct_context *ctx, ct__trace *trace, ct_place at, const ct_type *type,
                     const unsigned char *data, ct__id *id)
{
    if (type->kind != CT__TENSOR)
        return add_parts(ctx, trace, at, type, data, id);
    size_t bytes = ct__data_bytes(type);
    ct__storage *storage = ct__storage_new(&ctx->allocator, bytes);
    if (storage && bytes > 0)
        memcpy(storage->data, data, bytes);
    ct__literal *literal = storage ? ct__literal_new(storage, type, 0, NULL) : NULL;
    bool fine = literal && add_constant(trace, at, literal, id);
    ct__literal_release(literal);
    return fine;
}

static bool add_parts(ct_context *ctx, ct__trace *trace, ct_place at, const ct_type *type,
                      const unsigned char *data, ct__id *id)
{
    if (type->kind != CT__TUPLE)
        return add_node(trace, at, CT__OP_after_all, 0, NULL, type, id);
    ct__arena local;
    ct__arena_init(&local, &ctx->allocator);
    ct__id *element = CT__NEW_ARRAY(&local, ct__id, type->n_elements);
    bool fine = element != NULL;
    for (size_t i = 0; fine && i < type->n_elements; i++)
        fine = add_part(ctx, trace, at, type->element[i], data + ct__element_offset(type, i),
                        &element[i]);
    fine = fine && add_node(trace, at, CT__OP_tuple, type->n_elements, element, type, id);
    ct__arena_free(&local);
    return fine;
}

static bool record_constant(ct_context *ctx, ct__trace *trace, const ct_tensor *x, ct__id *id)
{
    if (x->type->kind != CT__TENSOR)
        return add_parts(ctx, trace, x->at, x->type, ct__literal_first(x->literal), id);
    uintptr_t literal = (uintptr_t)x->literal;
    size_t known;
    if (ct__lookup_find(&trace->constant_of, literal, 0, &known)) {
        *id = (ct__id)known;
        return true;
    }
    if (!ct__lookup_reserve(&ctx->allocator, &trace->constant_of) ||
        !add_constant(trace, x->at, x->literal, id))
        return false;
    if (x->name && !name_value(trace, *id, x->name))
        return false;
    ct__lookup_add(&trace->constant_of, literal, 0, *id);
    return true;
}

/* ---- Captures. */

static bool record_capture(ct_context *ctx, ct__trace *trace, const ct_tensor *x, ct__id *id)
{
    size_t known;
    if (ct__lookup_find(&trace->capture_of, x->trace, x->value, &known)) {
        *id = trace->capture[known].param;
        return true;
    }
    if (!ct__grow(&ctx->allocator, &trace->capture, &trace->capture_capacity, trace->n_captures + 1,
                  sizeof *trace->capture) ||
        !ct__lookup_reserve(&ctx->allocator, &trace->capture_of) ||
        !ct__graph_add_param(trace->graph, x->type, id))
        return false;
    ct__lookup_add(&trace->capture_of, x->trace, x->value, trace->n_captures);
    trace->capture[trace->n_captures++] = (ct__capture){x->trace, x->value, *id};
    return true;
}

/* Whether regions alone lie between the innermost trace and the one of this serial. */
static bool can_capture(const ct_context *ctx, uint64_t serial)
{
    const ct__trace *trace = ctx->trace;
    while (trace && trace->serial != serial)
        trace = trace->is_region ? trace->parent : NULL;
    return trace != NULL;
}

/* Functions that are traced within another one see its values only as arguments; regions capture.
 */
static void report_enclosing(ct_context *ctx, ct_place at, const char *what, const char *name,
                             const ct_tensor *x)
{
    const ct__trace *outer = ct__trace_find(ctx, x->trace);
    ct__error(ctx, at, CT_ERR_STATE,
              "%s: %s is a value of the enclosing function %s, made at %s:%d; "
              "make it an argument of %s",
              what, name, outer->graph->name, x->at.file ? x->at.file : "?", x->at.line,
              ctx->trace->graph->name);
}

ct__resolution ct__trace_resolve(ct_context *ctx, ct_tensor *x, ct__id *id)
{
    ct__trace *trace = ctx->trace;
    if (x->kind != CT__TRACED)
        return record_constant(ctx, trace, x, id) ? CT__RESOLVED : CT__NO_MEMORY;
    if (x->trace == trace->serial) {
        *id = x->value;
        return CT__RESOLVED;
    }
    if (!can_capture(ctx, x->trace))
        return CT__FOREIGN;
    return record_capture(ctx, trace, x, id) ? CT__RESOLVED : CT__NO_MEMORY;
}

void ct__trace_unresolved(ct_context *ctx, ct_place at, const char *what, const char *name,
                          const ct_tensor *x, ct__resolution why)
{
    if (why == CT__FOREIGN)
        report_enclosing(ctx, at, what, name, x);
    else
        ct__error_memory(ctx, at, what);
}

const ct__literal *ct__outer_constant(const ct_context *ctx, const ct_tensor *x)
{
    if (x->kind == CT__CONCRETE)
        return x->literal;
    for (ct__trace *t = ctx->trace; t; t = t->parent)
        if (t->serial == x->trace)
            return ct__graph_literal(t->graph, x->value);
    return NULL;
}

/* ---- Closing. */

/* The results' values become the graph's results. */
static bool set_results(ct_context *ctx, ct_place at, size_t count, ct_tensor *const *results)
{
    ct__trace *trace = ctx->trace;
    ct__arena local;
    ct__arena_init(&local, &ctx->allocator);
    ct__id *id = CT__NEW_ARRAY(&local, ct__id, count);
    char name[32];
    for (size_t i = 0; id && i < count && !ct_failed(ctx); i++) {
        snprintf(name, sizeof name, "result %zu", i);
        ct__operand_check(ctx, at, trace->graph->name, name, results[i]);
        ct__resolution how = CT__RESOLVED;
        if (!ct_failed(ctx))
            how = ct__trace_resolve(ctx, results[i], &id[i]);
        if (how != CT__RESOLVED)
            ct__trace_unresolved(ctx, at, trace->graph->name, name, results[i], how);
    }
    if (!ct_failed(ctx) && (!id || !ct__graph_set_results(trace->graph, count, id) ||
                            (!trace->keeps_all && !ct__graph_prune(trace->graph))))
        ct__error_memory(ctx, at, trace->graph->name);
    ct__arena_free(&local);
    return !ct_failed(ctx);
}

ct__graph *ct__trace_close(ct_context *ctx, ct_place at, size_t n_results,
                           ct_tensor *const *results)
{
    if (ct_failed(ctx) || !set_results(ctx, at, n_results, results))
        return NULL;
    return ct__graph_retain(ctx->trace->graph);
}

ct__graph *ct__trace_close_flat(ct_context *ctx, ct_place at, const char *what, size_t n_results,
                                ct_tensor *const *results)
{
    ct__graph *graph = ct__trace_close(ctx, at, n_results, results);
    if (!graph || ct__graph_set_flat_arguments(graph))
        return graph;
    ct__graph_release(graph);
    ct__error_memory(ctx, at, what);
    return NULL;
}

ct__graph *ct__trace_pop(ct_context *ctx, ct_place at, size_t n_results, ct_tensor *const *results)
{
    ct__graph *graph = ct__trace_close(ctx, at, n_results, results);
    ct__trace_abandon(ctx);
    return graph;
}
