/* Loops whose count the values decide. */
#include "trace/control.h"

#include <string.h>

/* A loop in progress. Its lists and types live in the arena. */
typedef struct loop {
    ct_context *ctx;
    ct_place at;
    ct_while_cond *cond;
    ct_while_body *body;
    void *user;
    size_t n;
    ct_tensor **carry; /* of the program */
    ct__arena arena;
    const ct_type **type; /* of the carry */
} loop;

static bool out_of_memory(const loop *l)
{
    ct__error_memory(l->ctx, l->at, "while");
    return false;
}

static bool check_arguments(const loop *l)
{
    const char *missing = !l->cond ? "cond" : !l->body ? "the body" : NULL;
    if (missing)
        ct__error(l->ctx, l->at, CT_ERR_ARGUMENT, "while: %s is NULL", missing);
    return !missing;
}

static bool collect_types(loop *l)
{
    l->type = CT__NEW_ARRAY(&l->arena, const ct_type *, l->n);
    if (!l->type)
        return out_of_memory(l);
    return ct__carry_types(l->ctx, l->at, "while", &l->arena, l->n, l->carry, l->type);
}

/* The initial carry as handles of the current scope, for the body may release the program's. */
static ct_tensor **hold_carry(const loop *l, ct__arena *arena)
{
    ct_tensor **held = CT__NEW_ARRAY(arena, ct_tensor *, l->n);
    if (!held)
        out_of_memory(l);
    for (size_t i = 0; held && i < l->n; i++)
        held[i] = ct__hold(l->at, "while", l->carry[i]);
    return held;
}

/* What cond gives is a bool scalar. */
static bool check_condition(const loop *l, const ct_tensor *pred)
{
    char text[256];
    if (ct_failed(l->ctx) || !ct__operand_check(l->ctx, l->at, "while", "what cond gives", pred))
        return false;
    bool is_bool = pred->type->kind == CT__TENSOR && pred->type->dtype == CT_BOOL;
    if (is_bool && pred->type->rank == 0)
        return true;
    ct__error(l->ctx, l->at, is_bool ? CT_ERR_SHAPE : CT_ERR_TYPE,
              "while: cond must give bool[], not %s",
              ct__type_print(pred->type, text, sizeof text));
    return false;
}

/* ---- Calling: the same for recording and at once. */

static void call_cond(void *closure, ct_tensor *const *param, ct_tensor **result)
{
    const loop *l = closure;
    result[0] = l->cond(l->user, param);
    check_condition(l, result[0]);
}

static void call_body(void *closure, ct_tensor *const *param, ct_tensor **result)
{
    const loop *l = closure;
    memcpy(result, param, l->n * sizeof *result);
    l->body(l->user, result);
    for (size_t i = 0; i < l->n; i++)
        if (!ct__check_carry(l->ctx, l->at, "while", i, l->type[i], result[i]))
            return;
}

/* ---- Recording. */

static void apply_while(loop *l, ct_tensor *const *carry, const ct__region *region,
                        ct_tensor **result)
{
    size_t n = l->n + region[0].n_captures;
    ct_tensor **operand = CT__NEW_ARRAY(&l->arena, ct_tensor *, n);
    ct__graph *const graph[] = {region[0].graph, region[1].graph};
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)l->n}};
    const ct__request request = {.ctx = l->ctx,
                                 .at = l->at,
                                 .op = CT__OP_while,
                                 .attrs = &attrs,
                                 .n_operands = n,
                                 .operand = operand,
                                 .n_regions = 2,
                                 .region = graph};
    if (!operand) {
        out_of_memory(l);
        return;
    }
    for (size_t i = 0; i < n; i++)
        operand[i] = i < l->n ? carry[i] : region[0].capture[i - l->n];
    ct__apply(&request, result, l->n);
}

static void record(loop *l)
{
    ct__region region[2] = {{.graph = NULL}, {.graph = NULL}};
    ct_scope scope = ct__scope_begin(l->ctx, l->at, "while");
    ct_tensor **carry = hold_carry(l, &l->arena);
    ct_tensor **result = CT__NEW_ARRAY(&l->arena, ct_tensor *, l->n);
    if (!result)
        out_of_memory(l);
    if (!ct_failed(l->ctx) &&
        ct__record_region(l->ctx, l->at, "cond", l->n, l->type, call_cond, l, 1, &region[0]) &&
        ct__record_region(l->ctx, l->at, "body", l->n, l->type, call_body, l, l->n, &region[1]) &&
        ct__region_unify(l->ctx, l->at, region, 2))
        apply_while(l, carry, region, result);
    for (size_t i = 0; !ct_failed(l->ctx) && i < l->n; i++)
        l->carry[i] = ct_keep(result[i]);
    for (int i = 0; i < 2; i++)
        ct__region_free(l->ctx, &region[i]);
    ct_scope_end(scope);
}

/* ---- Calling at once. */

/* The iteration's own handles. */
static bool make_params(const loop *l, ct_tensor *const *carry, ct_tensor **param)
{
    for (size_t i = 0; i < l->n; i++)
        param[i] = ct__pin(ct__alias(l->at, "while", carry[i]));
    return !ct_failed(l->ctx);
}

static bool goes_on(loop *l, ct_tensor *const *carry, ct_tensor **param)
{
    ct_tensor *pred = NULL;
    bool on = false;
    ct_scope scope = ct__scope_begin(l->ctx, l->at, "while");
    if (!ct_failed(l->ctx) && make_params(l, carry, param)) {
        size_t floor = ct__call_begin(l->ctx);
        call_cond(l, param, &pred);
        ct__call_end(l->ctx, l->at, "while", floor);
        on = !ct_failed(l->ctx) && ct_item_at(l->at, pred) != 0;
    }
    ct_scope_end(scope);
    return on && !ct_failed(l->ctx);
}

/* The next carry as handles in the scope around the iteration's. All are made before one of the
 * carry before is released: the body may have given that one back in another place. */
static void iterate(loop *l, ct_tensor **carry, ct_tensor **param, ct_tensor **next)
{
    ct_scope scope = ct__scope_begin(l->ctx, l->at, "while");
    if (!ct_failed(l->ctx) && make_params(l, carry, param)) {
        size_t floor = ct__call_begin(l->ctx);
        call_body(l, param, next);
        ct__call_end(l->ctx, l->at, "while", floor);
        for (size_t i = 0; i < l->n; i++)
            next[i] = ct__body_result(l->ctx, l->at, "while", "carry", i, next[i]);
        for (size_t i = 0; !ct_failed(l->ctx) && i < l->n; i++) {
            ct_release(carry[i]);
            carry[i] = next[i];
        }
    }
    ct_scope_end(scope);
}

static void call_at_once(loop *l)
{
    ct_tensor **carry = hold_carry(l, &l->arena);
    ct_tensor **param = CT__NEW_ARRAY(&l->arena, ct_tensor *, l->n);
    ct_tensor **next = CT__NEW_ARRAY(&l->arena, ct_tensor *, l->n);
    if (!carry || !param || !next)
        out_of_memory(l);
    while (!ct_failed(l->ctx) && goes_on(l, carry, param))
        iterate(l, carry, param, next);
    for (size_t i = 0; carry && i < l->n; i++) {
        if (ct_failed(l->ctx))
            ct_release(carry[i]);
        else
            l->carry[i] = carry[i];
    }
}

/* ---- The loop. */

void ct_while_at(ct_place at, ct_while_cond *cond, ct_while_body *body, void *user, size_t n_carry,
                 ct_tensor **carry)
{
    loop l = {.at = at, .cond = cond, .body = body, .user = user, .n = n_carry, .carry = carry};
    l.ctx = carry ? ct__context_of_list((ct_list){n_carry, carry}) : NULL;
    if (!ct_failed(l.ctx) && check_arguments(&l)) {
        ct__arena_init(&l.arena, &l.ctx->allocator);
        if (collect_types(&l)) {
            if (l.ctx->trace)
                record(&l);
            else
                call_at_once(&l);
        }
        ct__arena_free(&l.arena);
    }
    if (ct_failed(l.ctx))
        ct__fill_poison(l.ctx, carry, carry ? n_carry : 0);
}
