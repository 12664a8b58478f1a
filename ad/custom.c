/* Operations that are functions of the program: custom calls, of which it is not known what they
 * compute, composites, and functions with rules of their own. */
#include "ad/bodies.h"
#include "ad/rules.h"

#include <stdio.h>

/* A composite is the call of its decomposition, and its derivative that call's; that of a
 * checkpoint is a checkpoint. */
void ct__jvp_composite(ct__jvp_whole *q)
{
    ct__jvp_whole call = *q;

    if (!ct__is_checkpoint(q->op, q->attrs)) {
        call.op = CT__OP_call;
        call.attrs = NULL;
    }
    ct__jvp_call(&call);
}

void ct__transpose_composite(ct__transpose *q)
{
    ct__transpose call = *q;

    if (!ct__is_checkpoint(q->op, q->attrs)) {
        call.op = CT__OP_call;
        call.attrs = NULL;
    }
    call.n_regions = 1;
    ct__transpose_call(&call);
}

/* ---- The transpose of a function that a rule gives. */

ct__graph *ct__transposed_body(ct_context *ctx, ct_place at, const ct__attrs *attrs,
                               ct__graph *function, const ct__claim *claim)
{
    ct__arena arena;
    ct__graph *result = NULL;
    ct__arena_init(&arena, &ctx->allocator);
    bool *linear = CT__NEW_ARRAY(&arena, bool, function->n_params);
    for (size_t i = (size_t)attrs->transposed_call.n_residuals; linear && i < function->n_params;
         i++)
        linear[i] = true;
    if (!linear)
        ct__error_memory(ctx, at, function->name);
    else if (ct__check_claim(ctx, at, function, linear, claim))
        result = ct__derived_transpose(ctx, at, function, linear);
    ct__arena_free(&arena);
    return result;
}

void ct__jvp_transposed_call(ct__jvp_whole *q)
{
    ct__jvp_whole call = *q;
    ct__graph *body = ct__transposed_body(q->ctx, q->at, q->attrs, q->region[0], NULL);

    call.op = CT__OP_call;
    call.attrs = NULL;
    call.region = &body;
    if (body)
        ct__jvp_call(&call);
}

/* The function itself, on the residuals and all ybar. */
void ct__transpose_transposed_call(ct__transpose *q)
{
    size_t n = (size_t)q->attrs->transposed_call.n_residuals, count = n + q->n_results;
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    ct_tensor **operand = CT__NEW_ARRAY(&arena, ct_tensor *, count);
    ct_tensor **xbar = CT__NEW_ARRAY(&arena, ct_tensor *, q->n_operands - n);
    if (!operand || !xbar)
        ct__error_memory(q->ctx, q->at, "vjp");
    for (size_t i = 0; operand && i < count; i++)
        operand[i] = i < n            ? q->x[i]
                     : q->ybar[i - n] ? q->ybar[i - n]
                                      : ct__zeros(q->ctx, q->at, q->result_type[i - n]);
    if (operand && xbar && ct__call(q->ctx, q->at, q->region[0], count, operand, xbar))
        for (size_t i = n; i < q->n_operands; i++)
            ct__cotangent_add(q, i, xbar[i - n]);
    ct__arena_free(&arena);
}

/* ---- Functions with rules. */

/* The tangents of all float operands, zeros included. Returns how many there are. */
static size_t append_tangents(const ct__jvp_whole *q, ct_tensor **list)
{
    size_t count = 0;
    for (size_t i = 0; i < q->n_operands; i++) {
        const ct_type *type = ct_type_of(q->x[i]);
        if (q->dx[i])
            list[count++] = q->dx[i];
        else if (type && ct__has_tangent(type))
            list[count++] = ct__zeros(q->ctx, q->at, type);
    }
    return count;
}

/* dy[] gets those of the float results in order. */
static void set_tangents(ct__jvp_whole *q, ct_tensor *const *tangent)
{
    for (size_t i = 0; i < q->n_results; i++)
        q->dy[i] = ct__has_tangent(q->result_type[i]) ? *tangent++ : NULL;
}

/* Residuals that the rule does not read are not kept, and their derivatives are not needed: y's
 * above all, which is the operation itself again. */
static bool drop_unread(const ct__jvp_whole *q, ct__graph *backward, size_t n_residuals,
                        ct_tensor **list)
{
    const bool *read = ct__read_params(q->ctx, q->at, backward);
    for (size_t i = 0; read && i < n_residuals; i++)
        if (!read[i])
            list[i] = ct__zeros(q->ctx, q->at, ct__param_type(backward, i));
    return read != NULL;
}

static void name_call(const ct__jvp_whole *q, const char *otherwise, char *what, size_t size)
{
    if (q->op == CT__OP_custom_call)
        snprintf(what, size, "custom_call @%s", q->attrs->custom_call.call_target_name);
    else
        snprintf(what, size, "%s", otherwise);
}

/* The transpose of a rule, or a message that says what would help. */
static ct__graph *transposed_rule(const ct__jvp_whole *q, const ct__attrs *attrs,
                                  ct__graph *backward)
{
    char what[256], remedy[256];
    name_call(q, "custom_vjp", what, sizeof what);
    snprintf(remedy, sizeof remedy,
             "; forward derivatives transpose it, unless %s gives them a rule, and so do second "
             "ones of a result that it reads",
             q->op == CT__OP_custom_call ? "ct_register_custom_derivative" : "ct_custom_jvp");
    const ct__claim claim = {what, "cotangents", remedy, 0, false};
    return ct__transposed_body(q->ctx, q->at, attrs, backward, &claim);
}

/* A rule for tangents, which come behind n other params, must be linear in them in forward mode
 * too. */
static bool check_jvp_rule(const ct__jvp_whole *q, const ct__graph *rule, size_t n, size_t n_values,
                           ct__arena *arena)
{
    char what[256];
    bool *linear = CT__NEW_ARRAY(arena, bool, rule->n_params);
    if (!linear) {
        ct__error_memory(q->ctx, q->at, "jvp");
        return false;
    }
    for (size_t i = n; i < rule->n_params; i++)
        linear[i] = true;
    name_call(q, "custom_jvp", what, sizeof what);
    const ct__claim claim = {what, "tangents", "", n_values, !ct__derives_to_reverse(q->ctx)};
    return ct__check_claim(q->ctx, q->at, rule, linear, &claim);
}

/* By (residuals…, ybar…) -> (xbar…): list begins with the residuals, and has room for all dx. */
static void by_backward(ct__jvp_whole *q, ct__graph *backward, size_t n_residuals, ct_tensor **list,
                        ct_tensor **tangent)
{
    const ct__attrs attrs = {.transposed_call = {.n_residuals = (int64_t)n_residuals}};
    bool stays = ct__derives_to_reverse(q->ctx);
    if (!drop_unread(q, backward, n_residuals, list))
        return;
    size_t n = n_residuals + append_tangents(q, list + n_residuals);
    ct__graph *function = stays ? backward : transposed_rule(q, &attrs, backward);
    if (function && ct__apply(&(ct__request){.ctx = q->ctx,
                                             .at = q->at,
                                             .op = stays ? CT__OP_transposed_call : CT__OP_call,
                                             .attrs = stays ? &attrs : NULL,
                                             .n_operands = n,
                                             .operand = list,
                                             .n_regions = 1,
                                             .region = &function},
                              tangent, backward->n_params - n_residuals))
        set_tangents(q, tangent);
}

/* The operations of forward that make y and the residuals that are read; the others stay NULL. */
static bool record_needed(ct__jvp_whole *q, ct__arena *arena, const ct__graph *forward,
                          const bool *read, ct_tensor **y)
{
    ct_tensor **value = CT__NEW_ARRAY(arena, ct_tensor *, forward->n_values);
    bool *needed = CT__NEW_ARRAY(arena, bool, forward->n_values);
    if (!value || !needed) {
        ct__error_memory(q->ctx, q->at, "vjp");
        return false;
    }
    for (size_t i = 0; i < forward->n_params; i++)
        value[forward->param[i]] = q->x[i];
    for (size_t i = 0; i < forward->n_results; i++)
        needed[forward->result[i]] |= i < q->n_results || read[i - q->n_results];
    ct__find_needed(forward, NULL, needed);
    if (!ct__replay_needed(q->ctx, forward, needed, arena, value))
        return false;
    for (size_t i = 0; i < forward->n_results; i++)
        y[i] = value[forward->result[i]];
    return true;
}

static bool record_forward(ct__jvp_whole *q, ct__arena *arena, ct__graph *forward,
                           ct__graph *backward, ct_tensor **y)
{
    const bool *read = ct__read_params(q->ctx, q->at, backward);
    bool all = true;
    for (size_t i = 0; read && i < forward->n_results - q->n_results; i++)
        all = all && read[i];
    if (read && !all && !forward->has_effect)
        return record_needed(q, arena, forward, read, y);
    return read && ct__call(q->ctx, q->at, forward, q->n_operands, q->x, y);
}

/* By a function of its own that says what is kept. */
static void by_forward(ct__jvp_whole *q, ct__arena *arena, ct__graph *forward, ct__graph *backward)
{
    size_t n_residuals = forward->n_results - q->n_results;
    ct_tensor **y = CT__NEW_ARRAY(arena, ct_tensor *, forward->n_results + q->n_operands);
    ct_tensor **tangent = CT__NEW_ARRAY(arena, ct_tensor *, q->n_results);
    if (!y || !tangent) {
        ct__error_memory(q->ctx, q->at, "vjp");
        return;
    }
    if (!record_forward(q, arena, forward, backward, y))
        return;
    for (size_t i = 0; i < q->n_results; i++)
        q->y[i] = y[i];
    by_backward(q, backward, n_residuals, y + q->n_results, tangent);
}

/* x… and y… are kept; y is the same operation again, so that it has the rule in higher orders too.
 */
static void by_values(ct__jvp_whole *q, ct__arena *arena, ct__graph *backward)
{
    size_t n = 0;
    ct_tensor **kept = CT__NEW_ARRAY(arena, ct_tensor *, 2 * q->n_operands + q->n_results);
    ct_tensor **tangent = CT__NEW_ARRAY(arena, ct_tensor *, q->n_results);
    if (!kept || !tangent) {
        ct__error_memory(q->ctx, q->at, "vjp");
        return;
    }
    if (!ct__primal(q))
        return;
    ct__append_all(kept, &n, q->x, q->n_operands);
    ct__append_all(kept, &n, q->y, q->n_results);
    by_backward(q, backward, n, kept, tangent);
}

static void by_jvp(ct__jvp_whole *q, ct__arena *arena, ct__graph *rule)
{
    ct_tensor **x = CT__NEW_ARRAY(arena, ct_tensor *, 2 * q->n_operands);
    ct_tensor **y = CT__NEW_ARRAY(arena, ct_tensor *, rule->n_results);
    size_t n = 0;
    if (!x || !y) {
        ct__error_memory(q->ctx, q->at, "jvp");
        return;
    }
    ct__append_all(x, &n, q->x, q->n_operands);
    n += append_tangents(q, x + n);
    if (!check_jvp_rule(q, rule, q->n_operands, q->n_results, arena) ||
        !ct__call(q->ctx, q->at, rule, n, x, y))
        return;
    for (size_t i = 0; i < q->n_results; i++)
        q->y[i] = y[i];
    set_tangents(q, y + q->n_results);
}

static void poison(ct__jvp_whole *q)
{
    for (size_t i = 0; i < q->n_results; i++)
        q->y[i] = q->dy[i] = ct__poison(q->ctx);
}

void ct__jvp_custom_rule(ct__jvp_whole *q)
{
    const struct ct__attrs_custom_rule *a = &q->attrs->custom_rule;
    const ct__rules rules = ct__rules_of(a);
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    poison(q);
    if (a->has_jvp && !(a->has_vjp && ct__derives_to_reverse(q->ctx)))
        by_jvp(q, &arena, q->region[rules.jvp]);
    else if (a->has_forward)
        by_forward(q, &arena, q->region[rules.forward], q->region[rules.backward]);
    else
        by_values(q, &arena, q->region[rules.backward]);
    ct__arena_free(&arena);
}

/* Of a function that is linear itself. */
void ct__transpose_custom_rule(ct__transpose *q)
{
    ct__transpose_composite(q);
}

/* ---- Custom calls, by the rules registered for their target. */

/* Asked for where a result has a tangent: a zero would be a guess. */
static void fail_unknown(ct__jvp_whole *q)
{
    char message[256];

    snprintf(message, sizeof message,
             "custom_call: the derivative of @%s, a function of the program, is not known "
             "(ct_register_custom_derivative states it)",
             q->attrs->custom_call.call_target_name);
    ct__jvp_fail(q, message);
}

typedef struct derivation {
    const ct__jvp_whole *q;
    ct_custom_derivative *code;
    void *user;
    ct__arena *arena;
} derivation;

/* A ct_many_function. */
static void run_rule(void *user, ct_list parameters, ct_tensor **result)
{
    const derivation *d = user;
    const ct__jvp_whole *q = d->q;
    const char *attributes = q->attrs->custom_call.attributes;
    const ct_type **type = CT__NEW_ARRAY(d->arena, const ct_type *, q->n_operands);
    if (!type) {
        ct__error_memory(q->ctx, q->at, "custom_call");
        return;
    }
    for (size_t i = 0; i < q->n_operands; i++)
        type[i] = ct_type_of(q->x[i]);
    const ct_custom_call made = {.target = q->attrs->custom_call.call_target_name,
                                 .attributes = attributes ? attributes : "",
                                 .n_operands = q->n_operands,
                                 .operand_type = type,
                                 .n_results = q->n_results,
                                 .result_type = q->result_type};
    d->code(d->user, &made, parameters, result);
}

/* Those of x that have a tangent; returns how many. */
static size_t append_floats(ct_tensor **list, size_t n, ct_tensor *const *x)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (ct__has_tangent(ct_type_of(x[i])))
            list[count++] = x[i];
    return count;
}

static bool rule_fits(const ct__jvp_whole *q, const char *what, ct_function *rule, size_t n,
                      ct_tensor *const *like)
{
    char got[128], want[128];
    for (size_t i = 0; i < n; i++) {
        const ct_type *type = ct_result_type(rule, i);
        if (type && ct__type_equal(type, ct_type_of(like[i])))
            continue;
        if (type)
            ct__error(q->ctx, q->at, CT_ERR_TYPE,
                      "custom_call @%s: result %zu of its %s rule is %s, and should be %s",
                      q->attrs->custom_call.call_target_name, i, what,
                      ct__type_print(type, got, sizeof got),
                      ct__type_print(ct_type_of(like[i]), want, sizeof want));
        return false;
    }
    return !ct_failed(q->ctx);
}

/* list: x…, y…, and then dx of float x, or the dy that there are to be; room for 2 (x + y). Traces
 * the rule for these types and records what it says of dx. */
static void by_rule(ct__jvp_whole *q, const ct__custom *custom, bool by_jvp_rule, ct__arena *arena,
                    ct_tensor **list)
{
    size_t n = 0, n_floats;
    derivation d = {q, by_jvp_rule ? custom->jvp : custom->vjp, custom->derivative_user, arena};
    ct_tensor **like = CT__NEW_ARRAY(arena, ct_tensor *, q->n_operands + q->n_results);
    ct_tensor **tangent = CT__NEW_ARRAY(arena, ct_tensor *, q->n_results);
    if (!like || !tangent) {
        ct__error_memory(q->ctx, q->at, "custom_call");
        return;
    }
    ct__append_all(list, &n, q->x, q->n_operands);
    ct__append_all(list, &n, q->y, q->n_results);
    n_floats = by_jvp_rule ? append_floats(like, q->n_results, q->y)
                           : append_floats(like, q->n_operands, q->x);
    size_t n_more = by_jvp_rule ? append_floats(list + n, q->n_operands, q->x)
                                : append_floats(list + n, q->n_results, q->y);
    char name[256];
    snprintf(name, sizeof name, "%s_%s", by_jvp_rule ? "jvp" : "backward",
             q->attrs->custom_call.call_target_name);
    ct_function *rule = ct_trace_many_at(q->at, q->ctx, name, run_rule, &d, n_floats,
                                         (ct_list){n + n_more, list});
    if (!rule_fits(q, by_jvp_rule ? "jvp" : "vjp", rule, n_floats, like))
        return;
    if (!by_jvp_rule) {
        by_backward(q, rule->graph, n, list, tangent);
    } else {
        append_tangents(q, list + n);
        if (check_jvp_rule(q, rule->graph, n, 0, arena) &&
            ct__call(q->ctx, q->at, rule->graph, n + n_more, list, tangent))
            set_tangents(q, tangent);
    }
}

void ct__jvp_custom_call(ct__jvp_whole *q)
{
    const ct__custom *known = ct__customs_find(&q->ctx->customs,
                                               q->attrs->custom_call.call_target_name);
    if (!known || (!known->jvp && !known->vjp)) {
        fail_unknown(q);
        return;
    }
    const ct__custom custom = *known; /* the rule may register others */
    bool by_jvp_rule = custom.jvp && !(custom.vjp && ct__derives_to_reverse(q->ctx));
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    poison(q);
    ct_tensor **list = CT__NEW_ARRAY(&arena, ct_tensor *, 2 * (q->n_operands + q->n_results));
    if (!list)
        ct__error_memory(q->ctx, q->at, "custom_call");
    else if (ct__primal(q))
        by_rule(q, &custom, by_jvp_rule, &arena, list);
    ct__arena_free(&arena);
}
