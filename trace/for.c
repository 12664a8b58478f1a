/* Loops that count to what a value says. */
#include "trace/control.h"

#include <string.h>

typedef struct loop {
    ct_context *ctx;
    ct_place at;
    ct_for_body *body;
    void *user;
    ct_tensor *count;
    size_t n;
    ct_tensor **carry; /* of the program */
    ct__arena arena;
    const ct_type **type; /* of the index, then of the carry */
} loop;

static bool out_of_memory(const loop *l)
{
    ct__error_memory(l->ctx, l->at, "for");
    return false;
}

static bool check_arguments(loop *l)
{
    const ct_operand count[] = {ct_operand_tensor(l->count)};
    ct__composite q;
    bool fine = ct__begin(&q, l->at, "for", "count", 1, count) && ct__allow(&q, 0, CT__INTS);
    l->ctx = q.ctx;
    if (!fine)
        return false;
    if (l->count->type->rank != 0)
        return ct__composite_fail(&q, CT_ERR_SHAPE, "count is not a scalar");
    if (!l->body || (!l->carry && l->n > 0))
        return ct__composite_fail(&q, CT_ERR_ARGUMENT, "%s is NULL",
                                  l->body ? "the list of carries" : "the body");
    return true;
}

static bool collect_types(loop *l)
{
    l->type = CT__NEW_ARRAY(&l->arena, const ct_type *, l->n + 1);
    if (!l->type || !(l->type[0] = ct__type(&l->arena, CT_I64, 0, NULL)))
        return out_of_memory(l);
    return ct__carry_types(l->ctx, l->at, "for", &l->arena, l->n, l->carry, l->type + 1);
}

static void check_next(const loop *l, ct_tensor *const *next)
{
    for (size_t i = 0; i < l->n; i++)
        if (!ct__check_carry(l->ctx, l->at, "for", i, l->type[1 + i], next[i]))
            return;
}

/* param: the index, then the carry. */
static void call_body(void *closure, ct_tensor *const *param, ct_tensor **result)
{
    const loop *l = closure;
    if (l->n > 0)
        memcpy(result, param + 1, l->n * sizeof *result);
    l->body(l->user, param[0], result);
    check_next(l, result);
}

/* ---- Recording. */

static void apply_for(loop *l, ct_tensor *const *held, const ct__region *region, ct_tensor **result)
{
    size_t n = 1 + l->n + region->n_captures;
    ct_tensor **operand = CT__NEW_ARRAY(&l->arena, ct_tensor *, n);
    const ct__attrs attrs = {.counted = {.n_carry = (int64_t)l->n}};
    if (!operand) {
        out_of_memory(l);
        return;
    }
    for (size_t i = 0; i < n; i++)
        operand[i] = i <= l->n ? held[i] : region->capture[i - 1 - l->n];
    if (ct_dtype_of(operand[0]) != CT_I64)
        operand[0] = ct_op_convert_at(l->at, operand[0], CT_I64);
    ct__apply(&(ct__request){.ctx = l->ctx,
                             .at = l->at,
                             .op = CT__OP_for,
                             .attrs = &attrs,
                             .n_operands = n,
                             .operand = operand,
                             .n_regions = 1,
                             .region = &region->graph},
              result, l->n);
}

/* Handles of the current scope, for the body may release the program's. */
static bool hold(const loop *l, ct_tensor **held)
{
    held[0] = ct__hold(l->at, "for", l->count);
    for (size_t i = 0; i < l->n; i++)
        held[1 + i] = ct__hold(l->at, "for", l->carry[i]);
    return !ct_failed(l->ctx);
}

static void record(loop *l)
{
    ct__region region = {.graph = NULL};
    ct_scope scope = ct__scope_begin(l->ctx, l->at, "for");
    ct_tensor **held = CT__NEW_ARRAY(&l->arena, ct_tensor *, l->n + 1);
    ct_tensor **result = CT__NEW_ARRAY(&l->arena, ct_tensor *, l->n);
    if (!held || !result)
        out_of_memory(l);
    if (!ct_failed(l->ctx) && hold(l, held) &&
        ct__record_region(l->ctx, l->at, "body", l->n + 1, l->type, call_body, l, l->n, &region))
        apply_for(l, held, &region, result);
    for (size_t i = 0; !ct_failed(l->ctx) && i < l->n; i++)
        l->carry[i] = ct_keep(result[i]);
    ct__region_free(l->ctx, &region);
    ct_scope_end(scope);
}

/* ---- Calling at once: the same as a while of (i, carry…). */

typedef struct counting {
    const loop *l;
    ct_tensor *count;
} counting;

static ct_tensor *goes_on(void *user, ct_tensor *const *carry)
{
    const counting *c = user;
    return ct_op_compare_at(c->l->at, carry[0], c->count, CT_LT, CT_COMPARE_SIGNED);
}

static void iterate(void *user, ct_tensor **carry)
{
    const counting *c = user;
    ct_tensor *i = carry[0];
    c->l->body(c->l->user, i, carry + 1);
    check_next(c->l, carry + 1);
    carry[0] = ct_op_add_at(c->l->at, i, ct_scalar_at(c->l->at, c->l->ctx, CT_I64, 1));
}

static void call_at_once(loop *l)
{
    ct_tensor **carry = CT__NEW_ARRAY(&l->arena, ct_tensor *, l->n + 1);
    if (!carry) {
        out_of_memory(l);
        return;
    }
    ct_scope scope = ct__scope_begin(l->ctx, l->at, "for");
    ct_tensor *count = l->count;
    if (ct_dtype_of(count) != CT_I64)
        count = ct_op_convert_at(l->at, count, CT_I64);
    carry[0] = ct_scalar_at(l->at, l->ctx, CT_I64, 0);
    for (size_t i = 0; i < l->n; i++)
        carry[1 + i] = l->carry[i];
    ct_while_at(l->at, goes_on, iterate, &(counting){l, count}, l->n + 1, carry);
    for (size_t i = 0; !ct_failed(l->ctx) && i < l->n; i++)
        l->carry[i] = ct_keep(carry[1 + i]);
    ct_scope_end(scope);
}

void ct_for_at(ct_place at, ct_for_body *body, void *user, ct_tensor *count, size_t n_carry,
               ct_tensor **carry)
{
    loop l = {.at = at, .body = body, .user = user, .count = count, .n = n_carry, .carry = carry};
    if (check_arguments(&l)) {
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
