/* Tracing C functions: parameters from examples, the call through libffi, results to a graph. */
#include "trace/trace.h"

#include <ffi.h>
#include <stdio.h>

/* ---- Parameters. */

/* A traced parameter per example; NULL after an error. */
static ct_tensor **make_parameters(ct_context *ctx, ct_place at, ct__arena *arena, ct_list examples)
{
    ct_tensor **parameter = CT__NEW_ARRAY(arena, ct_tensor *, examples.count);
    if (!parameter)
        ct__error_memory(ctx, at, ctx->trace->graph->name);
    for (size_t i = 0; parameter && i < examples.count && !ct_failed(ctx); i++)
        parameter[i] = ct__trace_param(ctx, at, examples.item[i]->type);
    return ct_failed(ctx) ? NULL : parameter;
}

/* Whether every tensor has a type; item i is called `before` i `after`. */
static bool check_list(ct_context *ctx, ct_place at, const char *name, const char *list,
                       const char *before, const char *after, ct_list x)
{
    if (!x.item && x.count > 0) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "trace of %s: %s NULL", name, list);
        return false;
    }
    for (size_t i = 0; i < x.count && !ct_failed(ctx); i++) {
        char item[64];
        snprintf(item, sizeof item, "%s%zu%s", before, i, after);
        if (!x.item[i])
            ct__error(ctx, at, CT_ERR_ARGUMENT, "trace of %s: %s is NULL", name, item);
        else if (x.item[i]->kind == CT__POISON)
            ct__error(ctx, at, CT_ERR_POISON,
                      "trace of %s: %s is the poisoned result of an earlier error", name, item);
    }
    return !ct_failed(ctx);
}

bool ct__examples_check(ct_context *ctx, ct_place at, const char *name, ct_list examples)
{
    return check_list(ctx, at, name, "the examples are", "example ", "", examples);
}

static bool check_tree(ct_context *ctx, ct_place at, const char *name, ct_list tree)
{
    return check_list(ctx, at, name, "the leaves of the tree are", "leaf ", " of the tree", tree);
}

/* ---- Calling. */

/* The arguments of the C function: pointers all. */
typedef struct c_call {
    size_t count;
    void **value; /* addresses of the pointers */
    void **pointer;
    ffi_type **type;
} c_call;

static bool prepare_call(ct__arena *arena, size_t count, c_call *call)
{
    call->count = count;
    call->value = CT__NEW_ARRAY(arena, void *, count);
    call->pointer = CT__NEW_ARRAY(arena, void *, count);
    call->type = CT__NEW_ARRAY(arena, ffi_type *, count);
    if (!call->value || !call->pointer || !call->type)
        return false;
    for (size_t i = 0; i < count; i++) {
        call->value[i] = &call->pointer[i];
        call->type[i] = &ffi_type_pointer;
    }
    return true;
}

/* The traced function's result; poison after an error. */
static ct_tensor *call_c(ct_context *ctx, ct_place at, ct_signature signature, ct_any_function code,
                         void *first, ct_tensor *const *tensor, ct__arena *arena)
{
    size_t leading = signature.parameters == CT_PARAMETERS_PLAIN ? 0 : 1;
    c_call call;
    ffi_cif cif;
    if (!prepare_call(arena, leading + (size_t)signature.tensors, &call) ||
        ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)call.count, &ffi_type_pointer, call.type) !=
            FFI_OK) {
        ct__error_memory(ctx, at, ctx->trace->graph->name);
        return ct__poison(ctx);
    }
    if (leading)
        call.pointer[0] = first;
    for (size_t i = leading; i < call.count; i++)
        call.pointer[i] = tensor[i - leading];
    ct_tensor *result = NULL;
    size_t floor = ct__call_begin(ctx);
    ffi_call(&cif, code, &result, call.value);
    ct__call_end(ctx, at, "trace", floor);
    return result;
}

static bool check_signature(ct_context *ctx, ct_place at, const char *name, ct_signature signature,
                            ct_any_function code, const void *user, ct_list tree, ct_list examples)
{
    if (!code)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "trace: the function %s is NULL", name);
    else if ((unsigned)signature.parameters > CT_PARAMETERS_TREE)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "trace of %s: its signature is of no known kind (%d)",
                  name, (int)signature.parameters);
    else if (signature.tensors < 0 || (size_t)signature.tensors != examples.count)
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "trace of %s: it takes %d tensor%s, and %zu example%s given", name,
                  signature.tensors, signature.tensors == 1 ? "" : "s", examples.count,
                  examples.count == 1 ? " is" : "s are");
    else if (signature.parameters != CT_PARAMETERS_TREE && tree.count > 0)
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "trace of %s: a tree is given, and the first parameter is not ct_tensor **",
                  name);
    else if (signature.parameters != CT_PARAMETERS_USER && user)
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "trace of %s: a user pointer is given, and the first parameter is not void *",
                  name);
    return !ct_failed(ctx) && check_tree(ctx, at, name, tree) &&
           ct__examples_check(ctx, at, name, examples);
}

/* A tree is one argument, every other tensor one of its own. */
static bool set_arguments(ct_context *ctx, ct_place at, ct_signature signature, size_t tree_leaves,
                          size_t n_tensors, ct__arena *arena)
{
    size_t leading = signature.parameters == CT_PARAMETERS_TREE ? 1 : 0;
    size_t *leaves = CT__NEW_ARRAY(arena, size_t, leading + n_tensors);
    for (size_t i = 0; leaves && i < leading + n_tensors; i++)
        leaves[i] = i < leading ? tree_leaves : 1;
    if (leaves && ct__graph_set_arguments(ctx->trace->graph, leading + n_tensors, leaves))
        return true;
    ct__error_memory(ctx, at, ctx->trace->graph->name);
    return false;
}

/* With the trace open: parameters, the call, the result. */
static ct_tensor *run_traced(ct_context *ctx, ct_place at, ct_signature signature,
                             ct_any_function code, void *user, ct_list tree, ct_list examples,
                             ct__arena *arena)
{
    ct_tensor **leaf = make_parameters(ctx, at, arena, tree);
    ct_tensor **tensor = leaf ? make_parameters(ctx, at, arena, examples) : NULL;
    if (!tensor || !set_arguments(ctx, at, signature, tree.count, examples.count, arena))
        return ct__poison(ctx);
    void *first = signature.parameters == CT_PARAMETERS_TREE ? (void *)leaf : user;
    return call_c(ctx, at, signature, code, first, tensor, arena);
}

/* Traces that the function opened by hand and left open are closed with it. False when it has ended
 * the one around its own, which takes its own along. */
static bool close_inner(ct_context *ctx, ct_place at, const char *name, uint64_t serial)
{
    if (!ct__trace_find(ctx, serial)) {
        ct__error(ctx, at, CT_ERR_STATE, "trace of %s: it ended the trace around it", name);
        return false;
    }
    while (ctx->trace->serial != serial) {
        ct__error(ctx, at, CT_ERR_STATE, "trace of %s: it left the trace of %s open", name,
                  ctx->trace->graph->name);
        ct__trace_abandon(ctx);
    }
    return true;
}

ct_function *ct_trace_function_at(ct_place at, ct_context *ctx, const char *name,
                                  ct_signature signature, ct_any_function code, void *user,
                                  ct_list tree, ct_list examples)
{
    if (!name)
        name = "f";
    if (ct_failed(ctx) || !check_signature(ctx, at, name, signature, code, user, tree, examples) ||
        !ct__trace_push(ctx, at, name, false))
        return ct__poison_function(ctx);
    uint64_t serial = ctx->trace->serial;
    ct__arena local;
    ct__arena_init(&local, &ctx->allocator);
    ct_tensor *result = run_traced(ctx, at, signature, code, user, tree, examples, &local);
    ct__graph *graph = close_inner(ctx, at, name, serial) ? ct__trace_pop(ctx, at, 1, &result)
                                                          : NULL;
    ct__arena_free(&local);
    return ct__function_new(ctx, at, graph);
}

static void call_many(ct_context *ctx, ct_place at, ct_many_function *code, void *user,
                      ct_list parameters, ct_tensor **result)
{
    size_t floor = ct__call_begin(ctx);
    code(user, parameters, result);
    ct__call_end(ctx, at, "trace", floor);
}

ct_function *ct_trace_many_at(ct_place at, ct_context *ctx, const char *name,
                              ct_many_function *code, void *user, size_t n_results,
                              ct_list examples)
{
    if (!name)
        name = "f";
    ct_trace_builder *builder = ct_trace_begin_at(at, ctx, name, examples);
    if (ct_failed(ctx))
        return ct__poison_function(ctx);
    ct__arena local;
    ct__arena_init(&local, &ctx->allocator);
    ct_tensor **result = CT__NEW_ARRAY(&local, ct_tensor *, n_results);
    if (!code)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "trace: the function %s is NULL", name);
    else if (!result)
        ct__error_memory(ctx, at, name);
    else
        call_many(ctx, at, code, user, ct__builder_parameters(builder), result);
    ct_function *f = ct_trace_end_at(at, builder, (ct_list){result ? n_results : 0, result});
    ct__arena_free(&local);
    return f;
}
