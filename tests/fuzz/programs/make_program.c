/* Functions of the program that are more than calls: C functions, rules of its own; and random
 * numbers of the run. */
#include "tests/fuzz/programs/generate.h"

#include <string.h>

/* ---- A C function: its two operands in the other order. */

static ct_status exchange(void *user, ct_custom_call *call)
{
    (void)user;
    for (size_t i = 0; i < 2; i++)
        memcpy(call->result[i], call->operand[1 - i], ct__data_bytes(call->operand_type[1 - i]));
    return CT_OK;
}

void register_custom_calls(ct_context *ctx)
{
    ct_register_custom_call(ctx, "fuzz.exchange", exchange, NULL);
}

void make_custom_call(generator *g)
{
    ct_tensor *x[2] = {any_of(g, CT__ANY), any_of(g, CT__ANY)}, *result[2] = {NULL, NULL};
    const bool has_effect = seldom(g->c, 3);

    ct_op_custom_call(g->ctx, "fuzz.exchange", choose(g->c, 2) ? "n = 2 : i64" : NULL, has_effect,
                      CT_ARGV(x[0], x[1]), CT_ARGV(x[1], x[0]), result);
    give_all(g, CT__OP_custom_call, 2, result);
}

/* ---- Functions of their own, without captures. */

static ct_function *end_function(generator *g, const opened *o, size_t n, ct_tensor *const *y)
{
    ct__graph *graph = ct__trace_pop(g->ctx, CT_HERE, n, y);

    g->depth--;
    g->n_values = o->n_values;
    g->visible = o->visible;
    g->operations = o->operations;
    return published(g->ctx, graph);
}

static opened begin_function(generator *g, size_t n, const ct_type *const *type)
{
    const opened o = {g->n_values, g->n_values, g->n_values, g->on_elements, g->operations};
    const opened kept = {o.n_values, g->visible, o.first, o.on_elements, o.operations};

    ct__trace_push(g->ctx, CT_HERE, "function", false);
    g->depth++;
    g->visible = g->n_values;
    for (size_t i = 0; i < n && g->n_values < MOST_VALUES; i++) {
        g->is_used[g->n_values] = true;
        g->value[g->n_values++] = ct__trace_param(g->ctx, CT_HERE, type[i]);
    }
    return kept;
}

/* (x…) -> y of a few operations. */
static ct_function *some_function(generator *g, size_t n, const ct_type *const *type)
{
    const opened o = begin_function(g, n, type);

    g->operations = (int)choose_from(g->c, 1, 4);
    make_operations(g, g->operations);
    ct_tensor *y = any_of(g, g->style == STYLE_ANY ? CT__ANY : CT__FLOATS);
    return end_function(g, &o, 1, &y);
}

enum { MOST_RULE = 8 };

/* (x…) -> (f(x…), x…) */
static ct_function *with_residuals(generator *g, ct_function *f, size_t n,
                                   const ct_type *const *type)
{
    ct_tensor *y[MOST_RULE];
    const opened o = begin_function(g, n, type);

    for (size_t i = 0; i < n; i++)
        y[1 + i] = g->value[o.first + i];
    ct_apply(f, ((ct_list){n, y + 1}), y, 1);
    return end_function(g, &o, n + 1, y);
}

/* (x…, y, ybar) -> (xbar…) of the one without y. */
static ct_function *with_result(generator *g, ct_function *vjp, size_t n,
                                const ct_type *const *type)
{
    const ct_type *all[MOST_RULE];
    ct_tensor *x[MOST_RULE], *y[MOST_RULE];
    const size_t n_results = ct_function_results(vjp);
    const bool has_tangent = ct__has_tangent(type[n]);
    const size_t count = n + 1 + has_tangent;

    for (size_t i = 0; i < count; i++)
        all[i] = type[i <= n ? i : n];
    const opened o = begin_function(g, count, all);
    for (size_t i = 0; i < n; i++)
        x[i] = g->value[o.first + i];
    x[n] = g->value[o.first + n + has_tangent];
    ct_apply(vjp, ((ct_list){n + has_tangent, x}), y, n_results);
    return end_function(g, &o, n_results, y);
}

/* The function's own derivatives as its rules. */
void make_custom_rule(generator *g)
{
    ct_tensor *x[2] = {any_of(g, CT__FLOATS),
                       any_of(g, g->style == STYLE_ANY ? CT__ANY : CT__FLOATS)};
    const ct_type *type[3] = {x[0]->type, x[1]->type};
    const uint32_t kind = choose(g->c, 3);
    ct_function *f = some_function(g, 2, type), *jvp = NULL, *forward = NULL, *backward = NULL;
    ct_tensor *y = NULL;

    if (refused(g, CT__OP_custom_rule))
        return;
    type[2] = ct_result_type(f, 0);
    if (kind == 0)
        jvp = ct_jvp(f, CT_ALL_ARGS);
    else
        backward = ct_vjp(f, CT_ALL_ARGS);
    if (refused(g, CT__OP_custom_rule))
        return;
    if (kind == 1)
        backward = with_result(g, backward, 2, type);
    else if (kind == 2)
        forward = with_residuals(g, f, 2, type);
    if (!refused(g, CT__OP_custom_rule))
        ct_op_custom_rule(f, jvp, forward, backward, CT_ARGV(x[0], x[1]), &y, 1);
    give(g, CT__OP_custom_rule, y);
}

/* ---- Random numbers, which each run draws anew. */

void make_rng(generator *g)
{
    const bool is_normal = seldom(g->c, 3);
    ct_tensor *a = element_of(g, choose_dtype(g, is_normal ? CT__FLOATS : CT__REALS));
    ct_tensor *b = element_of(g, ct_dtype_of(a));
    int64_t dim[MOST_RANK];

    give(g, CT__OP_rng,
         ct_op_rng(a, b, choose_shape(g, dim, 0, MOST_RANK),
                   is_normal ? CT_RNG_NORMAL : CT_RNG_UNIFORM));
}
