/* Whether a function is linear in some of its params: every value is followed as zero, known,
 * linear in them, or spoiled; a result that is known (and not zero) or spoiled is refused at the
 * operation that made it so. */
#include "ad/bodies.h"
#include "ad/rules.h"

#include <string.h>

typedef enum state {
    ZERO,   /* zero whatever the params are */
    LINEAR, /* linear in the params */
    KNOWN,  /* does not depend on the linear params */
    SPOILED /* depends on them, and not linearly */
} state;

/* A graph that was followed from these states of its params. */
typedef struct followed {
    const state *param, *result;
} followed;

/* All of them, so that one is followed once: otherwise work would double with each level of
 * functions that call another one twice, or of loops in loops. */
typedef struct memory {
    ct__lookup position; /* in the list: (graph, hash of the states) -> position */
    size_t count, capacity;
    followed *list;
} memory;

typedef struct linearity {
    ct_context *ctx;
    const ct__graph *graph;
    ct__arena *arena;
    memory *done;
    state *value;
    ct_place at; /* of the operation that spoiled the first value */
    ct__op op;
    bool spoiled;
    bool trusts_calls;
} linearity;

static state spoil(linearity *w, const ct__node *node)
{
    if (!w->spoiled) {
        w->at = node->at;
        w->op = node->op;
        w->spoiled = true;
    }
    return SPOILED;
}

/* The sum of two: zero and linear add up to linear; anything known beside a linear part is affine.
 */
static state join(linearity *w, const ct__node *node, state a, state b)
{
    if (a == ZERO || a == b)
        return b;
    if (b == ZERO)
        return a;
    return a == SPOILED || b == SPOILED ? SPOILED : spoil(w, node);
}

static bool is_zero(const ct__literal *literal)
{
    double part[2];
    return literal->type->size == 0 ||
           (ct__literal_number(literal, part) && part[0] == 0 && part[1] == 0);
}

/* Whether operand i makes the whole product zero when it is zero. */
static bool is_factor(unsigned traits, size_t i)
{
    return (traits & CT__BILINEAR && i < 2) || (i < 8 && traits & (unsigned)CT__LINEAR_IN(i));
}

/* Without a linear operand: a stack that holds nothing is zero, and zeros stay zero where the
 * operation is linear in them. */
static state of_known(const linearity *w, const ct__node *node, unsigned traits)
{
    if (node->op == CT__OP_constant)
        return is_zero(node->attrs->constant.value) ? ZERO : KNOWN;
    if (node->op == CT__OP_stack_new)
        return ZERO;
    bool all = node->n_operands > 0, factor = false;
    for (size_t i = 0; i < node->n_operands; i++) {
        bool zero = w->value[node->operand[i]] == ZERO;
        if (ct__has_tangent(w->graph->value[node->operand[i]].type)) {
            all = all && zero;
            factor = factor || (zero && is_factor(traits, i));
        }
    }
    return (traits & CT__LINEAR ? all : factor) ? ZERO : KNOWN;
}

/* A sum of its float operands, in the wide sense of the LINEAR trait. */
static state of_sum(linearity *w, const ct__node *node)
{
    state sum = ZERO;
    for (size_t i = 0; i < node->n_operands; i++)
        if (ct__has_tangent(w->graph->value[node->operand[i]].type))
            sum = join(w, node, sum, w->value[node->operand[i]]);
    return sum;
}

static bool adds(const ct__node *node)
{
    int kind = ct__graph_body_kind(node->region[0]);
    return (kind == CT__OP_add && node->n_regions == 1 && node->op != CT__OP_map) ||
           (node->op == CT__OP_scatter && kind == CT__BODY_NEW);
}

/* With a linear operand, for operations without control. */
static state of_linear(linearity *w, const ct__node *node, unsigned traits)
{
    size_t linear = 0;
    bool alone = true;
    for (size_t i = 0; i < node->n_operands; i++) {
        if (w->value[node->operand[i]] != LINEAR)
            continue;
        linear++;
        alone = alone && i < 8 && (traits & (unsigned)CT__LINEAR_IN(i));
    }
    if (node->op == CT__OP_custom_call && w->trusts_calls)
        return LINEAR;
    if (traits & CT__BILINEAR)
        return linear == 1 ? LINEAR : spoil(w, node);
    if (traits & CT__LINEAR || (traits & CT__REGIONS && adds(node)))
        return of_sum(w, node);
    return alone && linear == 1 ? LINEAR : spoil(w, node);
}

/* ---- Bodies. */

static bool follow(linearity *w, const ct__graph *graph, const state *param, state *result);

static bool follow_branches(linearity *w, const ct__node *node, const state *operand, state *result)
{
    state *other = CT__NEW_ARRAY(w->arena, state, node->n_results);
    if (!other || !follow(w, node->region[0], operand + 1, result))
        return false;
    for (size_t b = 1; b < node->n_regions; b++) {
        if (!follow(w, node->region[b], operand + 1, other))
            return false;
        for (size_t i = 0; i < node->n_results; i++)
            result[i] = join(w, node, result[i], other[i]);
    }
    return true;
}

static void spoil_all(linearity *w, const ct__node *node, state *result)
{
    for (size_t i = 0; i < node->n_results; i++)
        result[i] = spoil(w, node);
}

/* How long a while goes on must not depend on what it is to be linear in. */
static bool follow_cond(linearity *w, const ct__node *node, const state *operand, state *result)
{
    state cond = KNOWN;
    if (node->op == CT__OP_while && !follow(w, node->region[0], operand, &cond))
        return false;
    if (cond == LINEAR || cond == SPOILED)
        spoil_all(w, node, result);
    return true;
}

/* A carry is what it starts as and what an iteration makes of it; states only grow. */
static bool follow_loop(linearity *w, const ct__node *node, state *operand, state *result)
{
    ct__loop loop;
    ct__loop_of(node->op, node->attrs, &loop);
    state *carry = operand + loop.first_carry;
    for (bool grown = true; grown;) {
        if (!follow(w, node->region[loop.body], operand, result))
            return false;
        grown = false;
        for (size_t i = 0; i < loop.n_carry; i++) {
            state both = join(w, node, carry[i], result[i]);
            grown = grown || both != carry[i];
            carry[i] = result[i] = both;
        }
    }
    return follow_cond(w, node, operand, result);
}

static bool is_choice(const ct__node *node)
{
    return node->op == CT__OP_if || node->op == CT__OP_case;
}

static bool follow_control(linearity *w, const ct__node *node, state *operand, state *result)
{
    if (ct__has(node->op, CT__CALLS))
        return follow(w, node->region[0], operand, result);
    if (is_choice(node) && (operand[0] == LINEAR || operand[0] == SPOILED)) {
        spoil_all(w, node, result);
        return true;
    }
    return is_choice(node) ? follow_branches(w, node, operand, result)
                           : follow_loop(w, node, operand, result);
}

/* ---- Bodies on single elements. */

/* A body that folds gets what it gave before: result[] are the states of its parameters from `old`
 * on, first as the fold starts, and in the end after any number of steps. */
static bool follow_fold(linearity *w, const ct__node *node, const ct__graph *body, state *param,
                        size_t old, state *result)
{
    state *next = CT__NEW_ARRAY(w->arena, state, node->n_results);
    for (bool grown = next != NULL; grown;) {
        for (size_t i = 0; i < node->n_results; i++)
            param[old + i] = result[i];
        if (!follow(w, body, param, next))
            return false;
        grown = false;
        for (size_t i = 0; i < node->n_results; i++) {
            state both = join(w, node, result[i], next[i]);
            grown = grown || both != result[i];
            result[i] = both;
        }
    }
    return next != NULL;
}

/* n x, n init, captures; the body gets old, x, captures. A window holds init where x ends. */
static bool follow_reduce(linearity *w, const ct__node *node, state *operand, state *result)
{
    size_t n = node->n_results;
    for (size_t i = 0; i < n; i++) {
        state x = operand[i];
        result[i] = operand[n + i];
        operand[n + i] = node->op == CT__OP_reduce ? x : join(w, node, x, result[i]);
    }
    return follow_fold(w, node, node->region[0], operand, 0, result);
}

/* n x, indices, n updates, captures; the body gets old, updates, captures. */
static bool follow_scatter(linearity *w, const ct__node *node, state *operand, state *result)
{
    size_t n = node->n_results;
    for (size_t i = 0; i < n; i++)
        result[i] = operand[i];
    for (size_t i = n + 1; i < node->n_operands; i++)
        operand[i - 1] = operand[i];
    return follow_fold(w, node, node->region[0], operand, 0, result);
}

/* x, source, init, captures; select gets two of x and the captures, scatter source, old and the
 * captures. */
static bool follow_select_and_scatter(linearity *w, const ct__node *node, state *operand,
                                      state *result)
{
    state chosen, source = operand[1];
    *result = operand[2];
    operand[1] = operand[2] = operand[0];
    if (!follow(w, node->region[0], operand + 1, &chosen))
        return false;
    operand[1] = source;
    if (chosen != LINEAR && chosen != SPOILED)
        return follow_fold(w, node, node->region[1], operand + 1, 1, result);
    *result = spoil(w, node);
    return true;
}

/* Known keys move the others; the comparator gets two of each x, and the captures. */
static bool follow_sort(linearity *w, const ct__node *node, const state *operand, state *result)
{
    state *param = CT__NEW_ARRAY(w->arena, state, node->region[0]->n_params), before;
    size_t n = node->n_results;
    for (size_t i = 0; param && i < node->region[0]->n_params; i++)
        param[i] = operand[i < 2 * n ? i / 2 : i - n];
    if (!param || !follow(w, node->region[0], param, &before))
        return false;
    for (size_t i = 0; i < n; i++)
        result[i] = before == LINEAR || before == SPOILED ? spoil(w, node) : operand[i];
    return true;
}

/* With a linear operand; overwrites operand[]. */
static bool follow_elements(linearity *w, const ct__node *node, state *operand, state *result)
{
    switch (node->op) {
    case CT__OP_map: return follow(w, node->region[0], operand, result);
    case CT__OP_scatter: return follow_scatter(w, node, operand, result);
    case CT__OP_sort: return follow_sort(w, node, operand, result);
    case CT__OP_select_and_scatter: return follow_select_and_scatter(w, node, operand, result);
    default: return follow_reduce(w, node, operand, result);
    }
}

/* ---- Nodes. */

static state of_node(linearity *w, const ct__node *node)
{
    unsigned traits = ct__op_describe(node->op)->traits;
    bool any = false;
    for (size_t i = 0; i < node->n_operands; i++) {
        state operand = w->value[node->operand[i]];
        if (operand == SPOILED)
            return SPOILED;
        any = any || operand == LINEAR;
    }
    if (!any)
        return of_known(w, node, traits);
    if (!ct__has_tangent(w->graph->value[node->first_result].type))
        return spoil(w, node); /* a conversion to integers */
    return of_linear(w, node, traits);
}

/* Whether it is the body on elements that makes the results what they are. */
static bool asks_elements(const linearity *w, const ct__node *node)
{
    bool any = false;
    for (size_t i = 0; i < node->n_operands; i++) {
        if (w->value[node->operand[i]] == SPOILED)
            return false;
        any = any || w->value[node->operand[i]] == LINEAR;
    }
    return any && ct__has(node->op, CT__BODY_LINEAR) && !adds(node);
}

static bool follow_node(linearity *w, const ct__node *node)
{
    state *result = w->value + node->first_result;
    bool controls = ct__has(node->op, CT__CONTROL);
    if (controls || asks_elements(w, node)) {
        state *operand = CT__NEW_ARRAY(w->arena, state, node->n_operands);
        for (size_t i = 0; operand && i < node->n_operands; i++)
            operand[i] = w->value[node->operand[i]];
        return operand && (controls ? follow_control(w, node, operand, result)
                                    : follow_elements(w, node, operand, result));
    }
    state all = of_node(w, node);
    for (size_t i = 0; i < node->n_results; i++)
        result[i] = all;
    return true;
}

/* An empty tensor is zero. False when memory is short. */
static bool follow_graph(linearity *w, const ct__graph *graph, const state *param, state *result)
{
    linearity inner = *w;
    inner.graph = graph;
    inner.value = CT__NEW_ARRAY(w->arena, state, graph->n_values);
    bool fine = inner.value != NULL;
    for (size_t i = 0; fine && i < graph->n_params; i++)
        inner.value[graph->param[i]] = param[i];
    for (size_t i = 0; fine && i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        fine = follow_node(&inner, node);
        for (size_t r = 0; fine && r < node->n_results; r++) {
            const ct_type *type = graph->value[node->first_result + r].type;
            if (type->kind == CT__TENSOR && type->size == 0)
                inner.value[node->first_result + r] = ZERO;
        }
    }
    for (size_t i = 0; fine && i < graph->n_results; i++)
        result[i] = inner.value[graph->result[i]];
    w->at = inner.at;
    w->op = inner.op;
    w->spoiled = inner.spoiled;
    return fine;
}

static uint64_t hash_of(const state *param, size_t n)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)param[i]) * 0x100000001B3u;
    return hash;
}

static bool remember(linearity *w, const ct__graph *graph, const state *param, const state *result)
{
    const ct_allocator *allocator = &w->ctx->allocator;
    const uint64_t key = (uintptr_t)graph, hash = hash_of(param, graph->n_params);
    memory *done = w->done;
    const followed one = {
        ct__arena_copy(w->arena, param, graph->n_params * sizeof *param),
        ct__arena_copy(w->arena, result, graph->n_results * sizeof *result),
    };
    size_t other;
    if (!one.param || !one.result || !ct__lookup_reserve(allocator, &done->position) ||
        !ct__grow(allocator, &done->list, &done->capacity, done->count + 1, sizeof *done->list))
        return false;
    done->list[done->count] = one;
    if (ct__lookup_find(&done->position, key, hash, &other)) /* of other states */
        ct__lookup_set(&done->position, key, hash, done->count);
    else
        ct__lookup_add(&done->position, key, hash, done->count);
    done->count++;
    return true;
}

static bool follow(linearity *w, const ct__graph *graph, const state *param, state *result)
{
    const memory *done = w->done;
    size_t at, n = graph->n_params;
    if (done->list && ct__lookup_find(&done->position, (uintptr_t)graph, hash_of(param, n), &at) &&
        memcmp(done->list[at].param, param, n * sizeof *param) == 0) {
        memcpy(result, done->list[at].result, graph->n_results * sizeof *result);
        return true;
    }
    return follow_graph(w, graph, param, result) && remember(w, graph, param, result);
}

static void judge(linearity *w, ct_place at, const ct__graph *graph, const state *result)
{
    for (size_t i = 0; i < graph->n_results; i++) {
        if (result[i] == SPOILED)
            ct__error(
                w->ctx, w->at, CT_ERR_RULE,
                "%s: it is not linear in the values that are to be transposed, or adds something "
                "constant to them; ct_linearize gives the linear part of %s at a point",
                ct__op_describe(w->op)->name, graph->name);
        else if (result[i] == KNOWN && ct__has_tangent(ct__result_type(graph, i)))
            ct__error(w->ctx, at, CT_ERR_RULE,
                      "transpose_linear of %s: result %zu does not depend on the linear arguments "
                      "and is not known to be zero",
                      graph->name, i);
    }
}

/* The same of a rule, applied at `at`: the operation's place comes first. */
static void judge_claim(linearity *w, ct_place at, const ct__graph *graph, const state *result,
                        const ct__claim *claim)
{
    for (size_t i = 0; i < graph->n_results; i++) {
        const bool is_value = i < claim->n_values, depends = result[i] == LINEAR;
        if (result[i] == SPOILED && !is_value)
            ct__error(w->ctx, w->at, CT_ERR_RULE,
                      "%s: the rule %s is not linear in its %s, because of this %s (applied at "
                      "%s:%d)%s",
                      claim->what, graph->name, claim->values, ct__op_describe(w->op)->name,
                      at.file ? at.file : "?", at.line, claim->remedy);
        else if (is_value && (depends || result[i] == SPOILED))
            ct__error(w->ctx, at, CT_ERR_RULE,
                      "%s: result %zu of the rule %s is a value, and must not depend on its %s",
                      claim->what, i, graph->name, claim->values);
        else if (!is_value && result[i] == KNOWN && ct__has_tangent(ct__result_type(graph, i)))
            ct__error(
                w->ctx, at, CT_ERR_RULE,
                "%s: result %zu of the rule %s does not depend on its %s, and is not known to "
                "be zero%s",
                claim->what, i, graph->name, claim->values, claim->remedy);
    }
}

bool ct__check_claim(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *linear,
                     const ct__claim *claim)
{
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    memory done = {.list = NULL};
    linearity w = {
        .ctx = ctx, .arena = &arena, .done = &done, .trusts_calls = claim && claim->trusts_calls};
    state *param = CT__NEW_ARRAY(&arena, state, graph->n_params);
    state *result = CT__NEW_ARRAY(&arena, state, graph->n_results);
    for (size_t i = 0; param && i < graph->n_params; i++)
        param[i] = linear[i] ? LINEAR : KNOWN;
    if (!param || !result || !follow(&w, graph, param, result))
        ct__error_memory(ctx, at, "transpose_linear");
    else if (claim)
        judge_claim(&w, at, graph, result, claim);
    else
        judge(&w, at, graph, result);
    ct__lookup_free(&ctx->allocator, &done.position);
    ct__release(&ctx->allocator, done.list, done.capacity * sizeof *done.list);
    ct__arena_free(&arena);
    return !ct_failed(ctx);
}

bool ct__check_linear(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *linear)
{
    return ct__check_claim(ctx, at, graph, linear, NULL);
}
