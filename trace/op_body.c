/* What the operations with bodies share. */
#include "trace/compose.h"

#include <string.h>

void ct__fill_poison(ct_context *ctx, ct_tensor **result, size_t n_results)
{
    for (size_t i = 0; result && i < n_results; i++)
        result[i] = ct__poison(ctx);
}

ct__graph *ct__usual_body(ct_place at, int op, const ct_tensor *x)
{
    ct_dtype dtype = ct_dtype_of(x);
    return dtype == CT_INVALID_DTYPE ? NULL : ct__body(x->handle.ctx, at, op, dtype);
}

static bool check_lists(ct_context *ctx, ct_place at, ct__op op, size_t n_lists,
                        const ct_list *lists, bool has_bodies, bool has_result)
{
    const char *missing = !has_result ? "the result" : !has_bodies ? "the list of bodies" : NULL;
    for (size_t i = 0; i < n_lists; i++)
        if (!lists[i].item && lists[i].count > 0)
            missing = "a list of operands";
    if (missing)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: %s is NULL", ct__op_describe(op)->name, missing);
    return !missing;
}

/* The lists one after another in `all`; false when their lengths overflow or memory is short. */
static bool join(ct__arena *arena, size_t n_lists, const ct_list *lists, ct_list *all)
{
    size_t count = 0;
    for (size_t i = 0; i < n_lists; i++) {
        if (lists[i].count > SIZE_MAX - count)
            return false;
        count += lists[i].count;
    }
    ct_tensor **item = CT__NEW_ARRAY(arena, ct_tensor *, count);
    if (!item)
        return false;
    *all = (ct_list){count, item};
    for (size_t i = 0; i < n_lists; i++) {
        if (lists[i].count)
            memcpy(item, lists[i].item, lists[i].count * sizeof *item);
        item += lists[i].count;
    }
    return true;
}

bool ct__body_check(ct_context *ctx, ct_place at, ct__op op, const ct_function *body)
{
    const char *name = ct__op_describe(op)->name;
    if (!ct__function_check(ctx, at, name, body))
        return false;
    if (body->handle.ctx == ctx)
        return true;
    ct__error(ctx, at, CT_ERR_CONTEXT, "%s: the body belongs to another context", name);
    return false;
}

static bool graphs_of(ct_context *ctx, ct_place at, ct__op op, size_t n_bodies,
                      ct_function *const *bodies, ct__graph **graph)
{
    for (size_t i = 0; i < n_bodies; i++) {
        if (!ct__body_check(ctx, at, op, bodies[i]))
            return false;
        graph[i] = bodies[i]->graph;
    }
    return true;
}

static void apply_joined(ct_context *ctx, ct_place at, ct__arena *arena, ct__op op,
                         const ct__attrs *attrs, ct_list operands, size_t n_bodies,
                         ct_function *const *bodies, ct_tensor **result, size_t n_results)
{
    ct__graph **graph = CT__NEW_ARRAY(arena, ct__graph *, n_bodies);
    if (!graph)
        ct__error_memory(ctx, at, ct__op_describe(op)->name);
    if (!graph || !graphs_of(ctx, at, op, n_bodies, bodies, graph)) {
        ct__fill_poison(ctx, result, n_results);
        return;
    }
    const ct__request request = {.ctx = ctx,
                                 .at = at,
                                 .op = op,
                                 .attrs = attrs,
                                 .n_operands = operands.count,
                                 .operand = operands.item,
                                 .n_regions = n_bodies,
                                 .region = graph};
    ct__apply(&request, result, n_results);
}

void ct__with_body(ct_place at, ct__op op, const ct__attrs *attrs, size_t n_lists,
                   const ct_list *lists, size_t n_bodies, ct_function *const *bodies,
                   ct_tensor **result, size_t n_results)
{
    ct_context *ctx = NULL;
    for (size_t i = 0; i < n_lists && !ctx; i++)
        ctx = ct__context_of_list(lists[i]);
    for (size_t i = 0; bodies && i < n_bodies && !ctx; i++)
        ctx = ct_function_context(bodies[i]);
    if (ct_failed(ctx) || !check_lists(ctx, at, op, n_lists, lists, bodies || n_bodies == 0,
                                       result || n_results == 0)) {
        ct__fill_poison(ctx, result, n_results);
        return;
    }
    ct_list all;
    ct__arena *arena = ct__scratch_begin(ctx);
    if (join(arena, n_lists, lists, &all)) {
        apply_joined(ctx, at, arena, op, attrs, all, n_bodies, bodies, result, n_results);
    } else {
        ct__error_memory(ctx, at, ct__op_describe(op)->name);
        ct__fill_poison(ctx, result, n_results);
    }
    ct__scratch_end(ctx);
}

/* ---- The body of an argmax. */

/* Whether w at position j comes before v at position i. */
static ct_tensor *comes_before(ct_place at, ct__op op, ct_tensor *const *p)
{
    ct_tensor *v = p[0], *i = p[1], *w = p[2], *j = p[3];
    ct_comparison direction = op == CT__OP_maximum ? CT_GT : CT_LT;
    ct_tensor *better = ct_op_compare_at(at, w, v, direction, CT_COMPARE_DEFAULT);
    ct_tensor *same = ct_op_compare_at(at, w, v, CT_EQ, CT_COMPARE_DEFAULT);
    if (ct_dtype_is_float(ct_dtype_of(v))) {
        ct_tensor *w_is_nan = ct_op_compare_at(at, w, w, CT_NE, CT_COMPARE_DEFAULT);
        ct_tensor *v_is_nan = ct_op_compare_at(at, v, v, CT_NE, CT_COMPARE_DEFAULT);
        ct_tensor *only_w = ct_op_and_at(at, w_is_nan, ct_op_not_at(at, v_is_nan));
        better = ct_op_or_at(at, better, only_w);
        same = ct_op_or_at(at, same, ct_op_and_at(at, w_is_nan, v_is_nan));
    }
    ct_tensor *earlier = ct_op_compare_at(at, j, i, CT_LT, CT_COMPARE_DEFAULT);
    return ct_op_or_at(at, better, ct_op_and_at(at, same, earlier));
}

ct__graph *ct__extreme_body(ct_context *ctx, ct_place at, ct__op op, ct_dtype dtype, ct_dtype index)
{
    const ct_type value = {.kind = CT__TENSOR, .dtype = dtype, .size = 1};
    const ct_type position = {.kind = CT__TENSOR, .dtype = index, .size = 1};
    const char *name = op == CT__OP_maximum ? "argmax" : "argmin";
    ct_scope scope = ct_scope_begin(ctx);
    if (!ct__trace_push(ctx, at, name, false)) {
        ct_scope_end(scope);
        return NULL;
    }
    ct_tensor *p[4];
    for (int i = 0; i < 4; i++)
        p[i] = ct__trace_param(ctx, at, i % 2 ? &position : &value);
    ct_tensor *result[] = {
        ct__binary(at, op, p[0], p[2]),
        ct_op_select_at(at, comes_before(at, op, p), p[3], p[1]),
    };
    ct__graph *body = ct__trace_pop(ctx, at, 2, result);
    ct_scope_end(scope);
    return body;
}
