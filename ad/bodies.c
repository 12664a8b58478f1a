#include "ad/bodies.h"

/* ---- Lists. */

size_t ct__count_set(const bool *flag, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += flag[i];
    return n;
}

void ct__append_live(ct_tensor **list, size_t *count, ct_tensor *const *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i])
            list[(*count)++] = x[i];
}

void ct__append_all(ct_tensor **list, size_t *count, ct_tensor *const *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        list[(*count)++] = x[i];
}

/* ---- Calls. */

bool ct__call(ct_context *ctx, ct_place at, ct__graph *function, size_t n, ct_tensor *const *x,
              ct_tensor **y)
{
    return ct__apply(&(ct__request){.ctx = ctx,
                                    .at = at,
                                    .op = CT__OP_call,
                                    .n_operands = n,
                                    .operand = x,
                                    .n_regions = 1,
                                    .region = &function},
                     y, function->n_results);
}

/* ---- Whole rules. */

bool ct__whole_begin(ct__whole *w, ct__jvp_whole *q)
{
    w->q = q;
    ct__arena_init(&w->arena, &q->ctx->allocator);
    w->live_in = CT__NEW_ARRAY(&w->arena, bool, q->n_operands);
    w->live_out = CT__NEW_ARRAY(&w->arena, bool, q->n_results);
    if (!w->live_in || !w->live_out)
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
    for (size_t i = 0; w->live_in && i < q->n_operands; i++)
        w->live_in[i] = q->dx[i] != NULL;
    return !ct_failed(q->ctx);
}

void ct__whole_end(ct__whole *w)
{
    ct__arena_free(&w->arena);
}

/* ---- Loops. */

bool ct__loop_of(ct__op op, const ct__attrs *attrs, ct__loop *loop)
{
    if (op == CT__OP_scan)
        *loop = (ct__loop){.n_carry = (size_t)attrs->scan.n_carry,
                           .n_inputs = (size_t)attrs->scan.n_inputs};
    else if (op == CT__OP_for)
        *loop = (ct__loop){.first_carry = 1, .n_carry = (size_t)attrs->counted.n_carry};
    else if (op == CT__OP_while)
        *loop = (ct__loop){.n_carry = (size_t)attrs->loop.n_carry, .body = 1};
    else
        return false;
    return true;
}

void ct__set_loop(ct__op op, ct__attrs *attrs, size_t n_carry, size_t n_inputs)
{
    if (op == CT__OP_scan) {
        attrs->scan.n_carry = (int64_t)n_carry;
        attrs->scan.n_inputs = (int64_t)n_inputs;
    } else if (op == CT__OP_for) {
        attrs->counted.n_carry = (int64_t)n_carry;
    } else {
        attrs->loop.n_carry = (int64_t)n_carry;
    }
}

size_t ct__param_position(const ct__graph *graph, ct__id id)
{
    size_t i = 0;
    while (i < graph->n_params && graph->param[i] != id)
        i++;
    return i;
}

/* ---- Other parameters for a function. */

static ct__graph *rewire(ct_context *ctx, ct_place at, const ct__graph *graph, size_t n_params,
                         const ct_type *const *type, const size_t *from, ct__arena *arena)
{
    ct_tensor **param = CT__NEW_ARRAY(arena, ct_tensor *, n_params);
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_params);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_results);
    if (!param || !argument || !result) {
        ct__error_memory(ctx, at, graph->name);
        return NULL;
    }
    for (size_t i = 0; i < n_params; i++)
        param[i] = ct__trace_param(ctx, at, type[i]);
    for (size_t i = 0; i < graph->n_params; i++)
        argument[i] = from[i] == SIZE_MAX
                          ? ct__zeros(ctx, at, ct__param_type(graph, i))
                          : ct_name(param[from[i]], graph->value[graph->param[i]].name);
    if (!ct__replay(ctx, at, graph, argument, result))
        return NULL;
    return ct__trace_close(ctx, at, graph->n_results, result);
}

ct__graph *ct__graph_rewired(ct_context *ctx, ct_place at, const ct__graph *graph, size_t n_params,
                             const ct_type *const *param, const size_t *argument)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, ctx, at, &arena, "rewired", graph))
        return NULL;
    ct__graph *result = rewire(ctx, at, graph, n_params, param, argument, &arena);
    ct__session_end(&session);
    return result;
}
