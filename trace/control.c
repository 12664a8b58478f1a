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

bool ct__keeps_type(ct_context *ctx, ct_place at, const char *what, const char *list, size_t i,
                    const ct_type *was, const ct_type *is)
{
    char name[64], a[256], b[256];
    if (ct__type_equal(was, is))
        return true;
    ct__error(ctx, at, CT_ERR_TYPE, "%s: %s is %s and after an iteration %s; it must keep its type",
              what, ct__item_name(name, list, i), ct__type_print(was, a, sizeof a),
              ct__type_print(is, b, sizeof b));
    return false;
}

bool ct__check_carry(ct_context *ctx, ct_place at, const char *what, size_t i, const ct_type *was,
                     const ct_tensor *next)
{
    char name[64];
    return !ct_failed(ctx) &&
           ct__operand_check(ctx, at, what, ct__item_name(name, "carry", i), next) &&
           ct__keeps_type(ctx, at, what, "carry", i, was, next->type);
}

bool ct__carry_types(ct_context *ctx, ct_place at, const char *what, ct__arena *arena, size_t n,
                     ct_tensor *const *carry, const ct_type **type)
{
    char name[64];
    for (size_t i = 0; i < n; i++) {
        if (!ct__operand_check(ctx, at, what, ct__item_name(name, "carry", i), carry[i]))
            return false;
        type[i] = ct__type_copy(arena, carry[i]->type);
        if (!type[i]) {
            ct__error_memory(ctx, at, what);
            return false;
        }
    }
    return true;
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
    const char *what;  /* "if", "case" */
    ct_tensor *chosen; /* the predicate or the index */
    size_t n_branches; /* 2 of if: then, otherwise */
    ct_branch_many *const *branch;
    ct_branch *const *single; /* instead, where there is one result */
    void *user;
    size_t n;
    ct_tensor **result;
} choice;

static bool is_if(const choice *c)
{
    return c->what[0] == 'i';
}

static bool is_missing(const choice *c, size_t b)
{
    return c->single ? !c->single[b] : !c->branch || !c->branch[b];
}

static void run_branch(const choice *c, size_t b, ct_tensor **result)
{
    if (c->single)
        result[0] = c->single[b](c->user);
    else
        c->branch[b](c->user, result);
}

/* Outside of the branches the last one is run. */
static size_t chosen_branch(const choice *c)
{
    double index = ct_item_at(c->at, c->chosen); /* an error for a traced value without a trace */
    if (is_if(c))
        return index != 0 ? 0 : 1;
    return index >= 0 && index < (double)c->n_branches ? (size_t)index : c->n_branches - 1;
}

/* The branch fills a list of its own: the program's may hold what the branch reads. */
static void call_at_once(const choice *c)
{
    size_t chosen = chosen_branch(c);
    ct__arena arena;
    ct__arena_init(&arena, &c->ctx->allocator);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, c->n);
    if (!result)
        ct__error_memory(c->ctx, c->at, c->what);
    ct_scope scope = ct__scope_begin(c->ctx, c->at, c->what);
    if (!ct_failed(c->ctx)) {
        size_t floor = ct__call_begin(c->ctx);
        run_branch(c, chosen, result);
        ct__call_end(c->ctx, c->at, c->what, floor);
        for (size_t i = 0; i < c->n; i++)
            c->result[i] = ct__body_result(c->ctx, c->at, c->what, "result", i, result[i]);
    }
    ct_scope_end(scope);
    ct__arena_free(&arena);
}

typedef struct branch_closure {
    const choice *c;
    size_t branch;
} branch_closure;

static void call_branch(void *closure, ct_tensor *const *param, ct_tensor **result)
{
    const branch_closure *b = closure;
    const choice *c = b->c;
    char name[64];
    (void)param;
    run_branch(c, b->branch, result);
    for (size_t i = 0; i < c->n && !ct_failed(c->ctx); i++)
        ct__operand_check(c->ctx, c->at, c->what, ct__item_name(name, "result", i), result[i]);
}

/* "where pred holds", "of branch 2" */
static const char *branch_text(const choice *c, size_t b, char text[64])
{
    snprintf(text, 64, is_if(c) ? (b == 0 ? "where pred holds" : "otherwise") : "of branch %zu", b);
    return text;
}

static bool same_types(const choice *c, const ct__region *region)
{
    char a[256], b[256], first[64], other[64];
    for (size_t k = 1; k < c->n_branches; k++) {
        for (size_t i = 0; i < c->n; i++) {
            const ct_type *type[] = {ct__result_type(region[0].graph, i),
                                     ct__result_type(region[k].graph, i)};
            if (ct__type_equal(type[0], type[1]))
                continue;
            ct__error(c->ctx, c->at, CT_ERR_TYPE, "%s: result[%zu] is %s %s and %s %s", c->what, i,
                      ct__type_print(type[0], a, sizeof a), branch_text(c, 0, first),
                      ct__type_print(type[1], b, sizeof b), branch_text(c, k, other));
            return false;
        }
    }
    return true;
}

/* What chooses and what the branches capture are the operands. */
static void apply_choice(const choice *c, ct__arena *arena, ct_tensor *chosen,
                         const ct__region *region)
{
    size_t n = 1 + region[0].n_captures;
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, n);
    ct__graph **graph = CT__NEW_ARRAY(arena, ct__graph *, c->n_branches);
    if (!operand || !graph) {
        ct__error_memory(c->ctx, c->at, c->what);
        return;
    }
    operand[0] = chosen;
    for (size_t i = 1; i < n; i++)
        operand[i] = region[0].capture[i - 1];
    for (size_t b = 0; b < c->n_branches; b++)
        graph[b] = region[b].graph;
    ct__apply(&(ct__request){.ctx = c->ctx,
                             .at = c->at,
                             .op = is_if(c) ? CT__OP_if : CT__OP_case,
                             .n_operands = n,
                             .operand = operand,
                             .n_regions = c->n_branches,
                             .region = graph},
              c->result, c->n);
}

/* The index as case takes it; one that i32 could not hold is n_branches, as far outside. */
static ct_tensor *as_i32(const choice *c, ct_tensor *index)
{
    ct_dtype dtype = ct_dtype_of(index);
    if (dtype == CT_I64 || dtype == CT_U64 || dtype == CT_U32) {
        const ct_type *type = index->type;
        ct_tensor *zero = ct__splat(c->ctx, c->at, type, 0);
        ct_tensor *n = ct__splat(c->ctx, c->at, type, (double)c->n_branches);
        ct_tensor *below = ct_op_compare_at(c->at, index, zero, CT_LT, CT_COMPARE_DEFAULT);
        index = ct_op_select_at(c->at, below, n, ct_op_minimum_at(c->at, index, n));
    }
    return dtype == CT_I32 ? index : ct_op_convert_at(c->at, index, CT_I32);
}

static void record_branches(const choice *c, ct__arena *arena, ct__region *region)
{
    ct_tensor *chosen = ct__hold(c->at, c->what, c->chosen);
    bool fine = true;
    for (size_t b = 0; fine && b < c->n_branches; b++) {
        const char *name = !is_if(c) ? "branch" : b == 0 ? "then" : "otherwise";
        branch_closure closure = {c, b};
        fine = ct__record_region(c->ctx, c->at, name, 0, NULL, call_branch, &closure, c->n,
                                 &region[b]);
    }
    if (!is_if(c) && !ct_failed(c->ctx))
        chosen = as_i32(c, chosen);
    if (fine && same_types(c, region) && ct__region_unify(c->ctx, c->at, region, c->n_branches))
        apply_choice(c, arena, chosen, region);
}

static void record(const choice *c)
{
    ct__arena arena;
    ct__arena_init(&arena, &c->ctx->allocator);
    ct__region *region = CT__NEW_ARRAY(&arena, ct__region, c->n_branches);
    ct_scope scope = ct__scope_begin(c->ctx, c->at, c->what);
    if (region)
        record_branches(c, &arena, region);
    else
        ct__error_memory(c->ctx, c->at, c->what);
    for (size_t b = 0; region && b < c->n_branches; b++)
        ct__region_free(c->ctx, &region[b]);
    for (size_t i = 0; !ct_failed(c->ctx) && i < c->n; i++)
        ct_keep(c->result[i]);
    ct_scope_end(scope);
    ct__arena_free(&arena);
}

static bool check_choice(choice *c)
{
    const char *name = is_if(c) ? "pred" : "index";
    const ct_operand operand[] = {ct_operand_tensor(c->chosen)};
    ct__composite q;
    bool fine = ct__begin(&q, c->at, c->what, name, 1, operand) &&
                ct__allow(&q, 0, is_if(c) ? CT__BOOLS : CT__INTS);
    c->ctx = q.ctx;
    if (!fine)
        return false;
    if (c->chosen->type->rank != 0)
        return ct__composite_fail(&q, CT_ERR_SHAPE, "%s is not a scalar", name);
    if (c->n_branches == 0)
        return ct__composite_fail(&q, CT_ERR_ARGUMENT, "there is no branch");
    bool missing = false;
    for (size_t b = 0; !missing && b < c->n_branches; b++)
        missing = is_missing(c, b);
    if (missing || (!c->result && c->n > 0))
        return ct__composite_fail(&q, CT_ERR_ARGUMENT, "%s is NULL",
                                  missing ? "a branch" : "results");
    return true;
}

static void choose(choice *c)
{
    if (check_choice(c)) {
        if (c->chosen->kind == CT__TRACED && c->ctx->trace)
            record(c);
        else
            call_at_once(c);
    }
    if (ct_failed(c->ctx))
        ct__fill_poison(c->ctx, c->result, c->n);
}

void ct_if_many_at(ct_place at, ct_tensor *pred, ct_branch_many *then, ct_branch_many *otherwise,
                   void *user, size_t n_results, ct_tensor **results)
{
    ct_branch_many *const branch[] = {then, otherwise};
    choose(&(choice){.at = at,
                     .what = "if",
                     .chosen = pred,
                     .n_branches = 2,
                     .branch = branch,
                     .user = user,
                     .n = n_results,
                     .result = results});
}

void ct_case_many_at(ct_place at, ct_tensor *index, size_t n_branches,
                     ct_branch_many *const *branches, void *user, size_t n_results,
                     ct_tensor **results)
{
    choose(&(choice){.at = at,
                     .what = "case",
                     .chosen = index,
                     .n_branches = n_branches,
                     .branch = branches,
                     .user = user,
                     .n = n_results,
                     .result = results});
}

/* ---- One result. */

ct_tensor *ct_if_at(ct_place at, ct_tensor *pred, ct_branch *then, ct_branch *otherwise, void *user)
{
    ct_branch *const branch[] = {then, otherwise};
    ct_tensor *result = NULL;
    choose(&(choice){.at = at,
                     .what = "if",
                     .chosen = pred,
                     .n_branches = 2,
                     .single = branch,
                     .user = user,
                     .n = 1,
                     .result = &result});
    return result;
}

ct_tensor *ct_case_at(ct_place at, ct_tensor *index, size_t n_branches, ct_branch *const *branches,
                      void *user)
{
    ct_tensor *result = NULL;
    choose(&(choice){.at = at,
                     .what = "case",
                     .chosen = index,
                     .n_branches = n_branches,
                     .single = branches,
                     .user = user,
                     .n = 1,
                     .result = &result});
    return result;
}
