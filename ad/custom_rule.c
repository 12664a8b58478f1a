/* Functions with rules of their own, from functions and from C functions. */
#include "ad/bodies.h"

#include <cotangent/op_program.h>
#include <cotangent/rule.h>

#include <stdio.h>

/* ---- Functions with rules. */

/* The one node of a function that only passes on to it; NULL where there is more. */
static const ct__node *only_rule(const ct__graph *graph)
{
    const ct__node *node = graph->node;
    bool is_only = graph->n_nodes == 1 && node->op == CT__OP_custom_rule &&
                   node->n_operands == graph->n_params && node->n_results == graph->n_results;
    for (size_t i = 0; is_only && i < graph->n_params; i++)
        is_only = node->operand[i] == graph->param[i];
    for (size_t i = 0; is_only && i < graph->n_results; i++)
        is_only = graph->result[i] == node->first_result + (ct__id)i;
    return is_only ? node : NULL;
}

typedef struct ruled {
    ct_context *ctx;
    ct_place at;
    const char *what;
    const ct__graph *f;
    ct__attrs attrs;
    ct__graph *function, *jvp, *forward, *backward;
} ruled;

/* Rules that f has already stay, but for a new one of the same kind. */
static void take_rules(ruled *q, const ct__node *had)
{
    if (!had)
        return;
    const ct__rules rules = ct__rules_of(&had->attrs->custom_rule);
    q->function = had->region[0];
    if (!q->jvp && rules.jvp)
        q->jvp = had->region[rules.jvp];
    if (!q->backward && rules.backward) {
        q->forward = rules.forward ? had->region[rules.forward] : NULL;
        q->backward = had->region[rules.backward];
    }
}

static bool apply(ruled *q, ct_tensor *const *x, ct_tensor **y)
{
    ct__graph *region[4] = {q->function};
    size_t count = 1;
    if (q->jvp)
        region[count++] = q->jvp;
    if (q->forward)
        region[count++] = q->forward;
    if (q->backward)
        region[count++] = q->backward;
    q->attrs.custom_rule.has_forward = q->forward != NULL;
    q->attrs.custom_rule.has_jvp = q->jvp != NULL;
    q->attrs.custom_rule.has_vjp = q->backward != NULL;
    return ct__apply(&(ct__request){.ctx = q->ctx,
                                    .at = q->at,
                                    .op = CT__OP_custom_rule,
                                    .attrs = &q->attrs,
                                    .n_operands = q->f->n_params,
                                    .operand = x,
                                    .n_regions = count,
                                    .region = region},
                     y, q->f->n_results);
}

static ct__graph *record(ruled *q, ct__arena *arena)
{
    ct_tensor **x = CT__NEW_ARRAY(arena, ct_tensor *, q->f->n_params);
    ct_tensor **y = CT__NEW_ARRAY(arena, ct_tensor *, q->f->n_results);
    if (!x || !y) {
        ct__error_memory(q->ctx, q->at, q->what);
        return NULL;
    }
    for (size_t i = 0; i < q->f->n_params; i++)
        x[i] = ct__trace_param_like(q->ctx, q->at, q->f, i);
    return apply(q, x, y) ? ct__trace_close(q->ctx, q->at, q->f->n_results, y) : NULL;
}

static ct_function *with_rules(ruled *q)
{
    ct__arena arena;
    ct__session session;
    ct__graph *graph = NULL;
    if (!ct__session_begin(&session, q->ctx, q->at, &arena, q->what, q->f))
        return ct__poison_function(q->ctx);
    graph = record(q, &arena);
    ct__session_end(&session);
    if (graph && !ct__graph_set_arguments(graph, q->f->n_arguments, q->f->leaves)) {
        ct__error_memory(q->ctx, q->at, q->what);
        ct__graph_release(graph);
        graph = NULL;
    }
    return ct__function_new(q->ctx, q->at, graph);
}

static bool check(ct_context *ctx, ct_place at, const char *what, const ct_function *f)
{
    if (!ct__function_check(ctx, at, what, f))
        return false;
    if (ct_function_context(f) == ctx)
        return true;
    ct__error(ctx, at, CT_ERR_CONTEXT, "%s: a rule belongs to another context", what);
    return false;
}

static ruled begin(ct_context *ctx, ct_place at, const char *what, const ct_function *f)
{
    return (ruled){.ctx = ctx, .at = at, .what = what, .f = f->graph, .function = f->graph};
}

ct_function *ct_custom_jvp_at(ct_place at, ct_function *f, ct_function *jvp)
{
    ct_context *ctx = ct_function_context(f);
    if (!check(ctx, at, "custom_jvp", f) || !check(ctx, at, "custom_jvp", jvp))
        return ct__poison_function(ctx);
    ruled q = begin(ctx, at, "custom_jvp", f);
    q.jvp = jvp->graph;
    take_rules(&q, only_rule(f->graph));
    return with_rules(&q);
}

ct_function *ct_custom_vjp_at(ct_place at, ct_function *f, ct_function *forward,
                              ct_function *backward)
{
    ct_context *ctx = ct_function_context(f);
    if (!check(ctx, at, "custom_vjp", f) || !check(ctx, at, "custom_vjp", backward) ||
        (forward && !check(ctx, at, "custom_vjp", forward)))
        return ct__poison_function(ctx);
    ruled q = begin(ctx, at, "custom_vjp", f);
    q.forward = forward ? forward->graph : NULL;
    q.backward = backward->graph;
    take_rules(&q, only_rule(f->graph));
    return with_rules(&q);
}

/* ---- C functions. */

typedef struct examples {
    size_t count;
    ct_tensor **item; /* x…, y, and one for each float x or y: room for all */
} examples;

static void append_floats(examples *e, const ct_list x)
{
    for (size_t i = 0; i < x.count; i++)
        if (ct__has_tangent(ct_type_of(x.item[i])))
            e->item[e->count++] = x.item[i];
}

/* "WHAT_F". How many results the rule has is the number of floats of `of`, behind `n` others. */
static ct_function *trace_rule(ct_context *ctx, ct_place at, const char *what, const char *f,
                               ct_many_function *rule, const examples *e, ct_list of, size_t n)
{
    char name[256];
    snprintf(name, sizeof name, "%s_%s", what, f);
    for (size_t i = 0; i < of.count; i++)
        n += ct__has_tangent(ct_type_of(of.item[i]));
    return ct_trace_many_at(at, ctx, name, rule, NULL, n, (ct_list){e->count, e->item});
}

static ct_tensor *apply_ruled(ct_place at, ct_function *f, ct_list x)
{
    ct_tensor *y = ct_apply1_at(at, f, x);
    ct_release_function(f);
    return y;
}

static ct_tensor *custom_of(ct_place at, const char *name, ct_signature signature,
                            ct_any_function code, ct_many_function *rule, bool is_vjp, ct_list x)
{
    ct_context *ctx = ct__context_of_list(x);
    ct_function *f = ct_trace_function_at(at, ctx, name, signature, code, NULL, CT_NO_TENSORS, x);
    if (ct_function_is_poison(f))
        return ct__poison(ctx);
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    examples e = {0, CT__NEW_ARRAY(&arena, ct_tensor *, 2 * x.count + 2)};
    ct_tensor *y = ct__tensor_spec(ctx, at, ct_result_type(f, 0)), *result = ct__poison(ctx);
    ct_list of_y = {1, &y};
    if (!e.item) {
        ct__error_memory(ctx, at, name);
    } else if (!ct_failed(ctx)) {
        ct__append_all(e.item, &e.count, x.item, x.count);
        if (is_vjp)
            e.item[e.count++] = y;
        append_floats(&e, is_vjp ? of_y : x);
        ct_function *r = trace_rule(ctx, at, is_vjp ? "backward" : "jvp", f->graph->name, rule, &e,
                                    is_vjp ? x : of_y, !is_vjp);
        result = apply_ruled(
            at, is_vjp ? ct_custom_vjp_at(at, f, NULL, r) : ct_custom_jvp_at(at, f, r), x);
        ct_release_function(r);
    }
    ct_release_function(f);
    ct__arena_free(&arena);
    return result;
}

ct_tensor *ct_custom_jvp_of_function_at(ct_place at, const char *name, ct_signature signature,
                                        ct_any_function code, ct_many_function *jvp, ct_list x)
{
    return custom_of(at, name, signature, code, jvp, false, x);
}

ct_tensor *ct_custom_vjp_of_function_at(ct_place at, const char *name, ct_signature signature,
                                        ct_any_function code, ct_many_function *backward, ct_list x)
{
    return custom_of(at, name, signature, code, backward, true, x);
}
