#include "trace/control.h"

#include <stdio.h>

/* ---- Bodies. */

ct_tensor *ct__hold(ct_place at, const char *what, ct_tensor *x)
{
    ct_tensor *held = ct__alias(at, what, x);
    if (ct_is_poison(held))
        return held;
    held->at = x->at;
    held->origin = x->origin;
    held->argument = x->argument;
    return x->name ? ct_name(held, x->name) : held;
}

const char *ct__item_name(char name[64], const char *list, size_t i)
{
    snprintf(name, 64, "%s[%zu]", list, i);
    return name;
}

ct_tensor *ct__body_result(ct_context *ctx, ct_place at, const char *what, const char *list,
                           size_t i, ct_tensor *x)
{
    char name[64];
    if (ct_failed(ctx) || !ct__operand_check(ctx, at, what, ct__item_name(name, list, i), x))
        return ct__poison(ctx);
    return ct_keep(ct__alias(at, what, x));
}

/* Takes the region's trace off the stack, with any that the body has left open. */
static bool detach(ct_context *ctx, ct_place at, const char *name, uint64_t serial,
                   size_t n_results, ct_tensor *const *result, ct__region *region)
{
    if (ctx->trace && ctx->trace->serial == serial)
        return ct__region_detach(ctx, at, n_results, result, region);
    bool is_open = ct__trace_find(ctx, serial) != NULL;
    ct__error(ctx, at, CT_ERR_STATE,
              is_open ? "%s: the body began a trace and did not end it"
                      : "%s: the body ended the trace around it",
              name);
    if (is_open) {
        while (ctx->trace->serial != serial)
            ct__trace_abandon(ctx);
        ct__trace_abandon(ctx);
    }
    return false;
}

bool ct__record_region(ct_context *ctx, ct_place at, const char *name, size_t n_params,
                       const ct_type *const *type, ct__body_call *call, void *closure,
                       size_t n_results, ct__region *region)
{
    *region = (ct__region){.graph = NULL};
    if (!ct__trace_push(ctx, at, name, true))
        return false;
    uint64_t serial = ctx->trace->serial;
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    ct_tensor **param = CT__NEW_ARRAY(&arena, ct_tensor *, n_params);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, n_results);
    if (!param || !result)
        ct__error_memory(ctx, at, name);
    for (size_t i = 0; param && i < n_params; i++)
        param[i] = ct__trace_param(ctx, at, type[i]);
    if (!ct_failed(ctx)) {
        size_t floor = ct__call_begin(ctx);
        call(closure, param, result);
        ct__call_end(ctx, at, name, floor);
    }
    bool fine = detach(ctx, at, name, serial, n_results, result, region);
    ct__arena_free(&arena);
    return fine;
}

/* ---- Choice. */

typedef struct choice {
    ct_context *ctx;
    ct_place at;
    ct_tensor *pred;
    ct_branch_many *branch[2]; /* then, otherwise */
    void *user;
    size_t n;
    ct_tensor **result;
} choice;

/* The branch fills a list of its own: the program's may hold what the branch reads. */
static void call_at_once(const choice *c)
{
    bool holds = ct_item_at(c->at, c->pred) != 0; /* an error for a traced value without a trace */
    ct__arena arena;
    ct__arena_init(&arena, &c->ctx->allocator);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, c->n);
    if (!result)
        ct__error_memory(c->ctx, c->at, "if");
    ct_scope scope = ct__scope_begin(c->ctx, c->at, "if");
    if (!ct_failed(c->ctx)) {
        size_t floor = ct__call_begin(c->ctx);
        c->branch[holds ? 0 : 1](c->user, result);
        ct__call_end(c->ctx, c->at, "if", floor);
        for (size_t i = 0; i < c->n; i++)
            c->result[i] = ct__body_result(c->ctx, c->at, "if", "result", i, result[i]);
    }
    ct_scope_end(scope);
    ct__arena_free(&arena);
}

typedef struct branch_closure {
    const choice *c;
    ct_branch_many *branch;
} branch_closure;

static void call_branch(void *closure, ct_tensor *const *param, ct_tensor **result)
{
    const branch_closure *b = closure;
    const choice *c = b->c;
    char name[64];
    (void)param;
    b->branch(c->user, result);
    for (size_t i = 0; i < c->n && !ct_failed(c->ctx); i++)
        ct__operand_check(c->ctx, c->at, "if", ct__item_name(name, "result", i), result[i]);
}

static bool same_types(const choice *c, const ct__region *region)
{
    char a[256], b[256];
    for (size_t i = 0; i < c->n; i++) {
        const ct_type *type[] = {ct__result_type(region[0].graph, i),
                                 ct__result_type(region[1].graph, i)};
        if (ct__type_equal(type[0], type[1]))
            continue;
        ct__error(c->ctx, c->at, CT_ERR_TYPE,
                  "if: result[%zu] is %s where pred holds and %s otherwise", i,
                  ct__type_print(type[0], a, sizeof a), ct__type_print(type[1], b, sizeof b));
        return false;
    }
    return true;
}

/* pred and what the branches capture are the operands. */
static void apply_if(const choice *c, ct_tensor *pred, const ct__region *region)
{
    ct__arena arena;
    ct__arena_init(&arena, &c->ctx->allocator);
    size_t n = 1 + region[0].n_captures;
    ct_tensor **operand = CT__NEW_ARRAY(&arena, ct_tensor *, n);
    ct__graph *const graph[] = {region[0].graph, region[1].graph};
    const ct__request request = {.ctx = c->ctx,
                                 .at = c->at,
                                 .op = CT__OP_if,
                                 .n_operands = n,
                                 .operand = operand,
                                 .n_regions = 2,
                                 .region = graph};
    if (operand) {
        operand[0] = pred;
        for (size_t i = 1; i < n; i++)
            operand[i] = region[0].capture[i - 1];
        ct__apply(&request, c->result, c->n);
    } else {
        ct__error_memory(c->ctx, c->at, "if");
    }
    ct__arena_free(&arena);
}

static void record(const choice *c)
{
    static const char *const name[] = {"then", "otherwise"};
    ct__region region[2] = {{.graph = NULL}, {.graph = NULL}};
    ct_scope scope = ct__scope_begin(c->ctx, c->at, "if");
    ct_tensor *pred = ct__hold(c->at, "if", c->pred);
    bool fine = true;
    for (int i = 0; fine && i < 2; i++) {
        branch_closure closure = {c, c->branch[i]};
        fine = ct__record_region(c->ctx, c->at, name[i], 0, NULL, call_branch, &closure, c->n,
                                 &region[i]);
    }
    if (fine && same_types(c, region) && ct__region_unify(c->ctx, c->at, region, 2))
        apply_if(c, pred, region);
    for (int i = 0; i < 2; i++)
        ct__region_free(c->ctx, &region[i]);
    for (size_t i = 0; !ct_failed(c->ctx) && i < c->n; i++)
        ct_keep(c->result[i]);
    ct_scope_end(scope);
}

static bool check_choice(choice *c)
{
    const ct_operand operand[] = {ct_operand_tensor(c->pred)};
    ct__composite q;
    bool fine = ct__begin(&q, c->at, "if", "pred", 1, operand) && ct__allow(&q, 0, CT__BOOLS);
    c->ctx = q.ctx;
    if (!fine)
        return false;
    if (c->pred->type->rank != 0)
        return ct__composite_fail(&q, CT_ERR_SHAPE, "pred is not a scalar");
    if (!c->branch[0] || !c->branch[1] || (!c->result && c->n > 0))
        return ct__composite_fail(&q, CT_ERR_ARGUMENT, "%s is NULL",
                                  c->result || c->n == 0 ? "a branch" : "results");
    return true;
}

void ct_if_many_at(ct_place at, ct_tensor *pred, ct_branch_many *then, ct_branch_many *otherwise,
                   void *user, size_t n_results, ct_tensor **results)
{
    choice c = {.at = at,
                .pred = pred,
                .branch = {then, otherwise},
                .user = user,
                .n = n_results,
                .result = results};
    if (check_choice(&c)) {
        if (pred->kind == CT__TRACED && c.ctx->trace)
            record(&c);
        else
            call_at_once(&c);
    }
    if (ct_failed(c.ctx))
        ct__fill_poison(c.ctx, results, n_results);
}

/* ---- One result. */

typedef struct one_result {
    ct_branch *branch[2];
    void *user;
} one_result;

static void then_one(void *user, ct_tensor **result)
{
    const one_result *c = user;
    result[0] = c->branch[0](c->user);
}

static void otherwise_one(void *user, ct_tensor **result)
{
    const one_result *c = user;
    result[0] = c->branch[1](c->user);
}

ct_tensor *ct_if_at(ct_place at, ct_tensor *pred, ct_branch *then, ct_branch *otherwise, void *user)
{
    one_result c = {{then, otherwise}, user};
    ct_tensor *result = NULL;
    ct_if_many_at(at, pred, then ? then_one : NULL, otherwise ? otherwise_one : NULL, &c, 1,
                  &result);
    return result;
}
