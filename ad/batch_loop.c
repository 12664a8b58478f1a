/* Batching by a loop, for what has no way to work on many lanes at once: a scan whose iterations
 * are the lanes.
 *
 *   carry  a token, if there is any
 *   x      the batched tensors          captures  the others
 *   y      the resulting tensors
 *
 * Tuples are taken apart, for a scan stacks tensors. All tokens of the operands become one, which
 * goes through the lanes in order and is every token of the results. */
#include "ad/batch.h"

typedef struct leaves {
    size_t count;
    ct_tensor **item;
    const ct_type **type; /* in one lane */
} leaves;

typedef struct loop {
    ct__batch *q;
    leaves x, capture, token;
    bool has_token;
    ct__graph *body;
} loop;

/* How many leaves the types have, tokens among them. */
static size_t count_leaves(size_t count, const ct_type *const *type)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += type[i]->kind == CT__TUPLE ? count_leaves(type[i]->n_elements, type[i]->element) : 1;
    return n;
}

static bool has_token(size_t count, const ct_type *const *type)
{
    bool any = false;
    for (size_t i = 0; i < count && !any; i++)
        any = type[i]->kind == CT__TOKEN || has_token(type[i]->n_elements, type[i]->element);
    return any;
}

static bool room(const ct__batch *q, leaves *list, size_t count)
{
    *list = (leaves){.item = CT__NEW_ARRAY(q->arena, ct_tensor *, count),
                     .type = CT__NEW_ARRAY(q->arena, const ct_type *, count)};
    if (!list->item || !list->type)
        ct__error_memory(q->ctx, q->at, "vmap");
    return !ct_failed(q->ctx);
}

static void add_leaf(leaves *list, ct_tensor *x, const ct_type *type)
{
    list->item[list->count] = x;
    list->type[list->count++] = type;
}

/* The leaves of x: tensors to `list`, tokens to `tokens`. */
static void take_apart(const ct__batch *q, ct_tensor *x, const ct_type *type, leaves *list,
                       leaves *tokens)
{
    if (type->kind != CT__TUPLE) {
        add_leaf(type->kind == CT__TOKEN ? tokens : list, x, type);
        return;
    }
    for (size_t i = 0; i < type->n_elements; i++)
        take_apart(q, ct_op_get_tuple_element_at(q->at, x, (int64_t)i), type->element[i], list,
                   tokens);
}

/* A value of the type from the next tensors; its tokens are this one. */
static ct_tensor *put_together(const ct__batch *q, const ct_type *type, ct_tensor *token,
                               ct_tensor *const **next)
{
    if (type->kind == CT__TOKEN)
        return token;
    if (type->kind != CT__TUPLE)
        return *(*next)++;
    ct_tensor **element = CT__NEW_ARRAY(q->arena, ct_tensor *, type->n_elements);
    if (!element) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return ct__poison(q->ctx);
    }
    for (size_t i = 0; i < type->n_elements; i++)
        element[i] = put_together(q, type->element[i], token, next);
    return ct_op_tuple_at(q->at, q->ctx, (ct_list){type->n_elements, element});
}

static ct_tensor *one_token(const ct__batch *q, const leaves *tokens)
{
    if (tokens->count == 1)
        return tokens->item[0];
    return ct_op_after_all_at(q->at, q->ctx, (ct_list){tokens->count, tokens->item});
}

/* ---- The body: one lane. */

static ct_tensor **params(const loop *w, const leaves *list)
{
    const ct__batch *q = w->q;
    ct_tensor **param = CT__NEW_ARRAY(q->arena, ct_tensor *, list->count);
    if (!param)
        ct__error_memory(q->ctx, q->at, "vmap");
    for (size_t i = 0; param && i < list->count; i++)
        param[i] = ct__trace_param(q->ctx, q->at, list->type[i]);
    return param;
}

/* The node itself on this lane's operands; false after an error. */
static bool apply_lane(const loop *w, ct_tensor *const *operand, ct_tensor **result)
{
    const ct__batch *q = w->q;
    return ct__apply(&(ct__request){.ctx = q->ctx,
                                    .at = q->at,
                                    .op = q->op,
                                    .attrs = q->attrs,
                                    .n_operands = q->n_operands,
                                    .operand = operand,
                                    .n_regions = q->n_regions,
                                    .region = q->region,
                                    .n_given = q->is_typed ? q->n_results : 0,
                                    .given = q->is_typed ? q->result_type : NULL},
                     result, q->n_results);
}

static ct__graph *record_body(const loop *w)
{
    static const ct_type token_type = {.kind = CT__TOKEN};
    const ct__batch *q = w->q;
    ct_tensor *token = w->has_token ? ct__trace_param(q->ctx, q->at, &token_type) : NULL;
    ct_tensor *const *x = params(w, &w->x), *const *capture = params(w, &w->capture);
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_results);
    size_t count = count_leaves(q->n_results, q->result_type);
    leaves y, tokens;
    if (!x || !capture || !operand || !result || !room(q, &y, count + 1) ||
        !room(q, &tokens, count)) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return NULL;
    }
    for (size_t i = 0; i < q->n_operands; i++)
        operand[i] = put_together(q, q->type[i], token, q->batched[i] ? &x : &capture);
    if (!apply_lane(w, operand, result))
        return NULL;
    y.count = w->has_token;
    for (size_t i = 0; i < q->n_results; i++)
        take_apart(q, result[i], q->result_type[i], &y, &tokens);
    if (w->has_token)
        y.item[0] = tokens.count ? one_token(q, &tokens) : token;
    return ct__trace_close(q->ctx, q->at, y.count, y.item);
}

/* The arena of the rule holds the lists, which outlive the body's trace. */
static ct__graph *loop_body(const loop *w)
{
    ct__arena arena;
    ct__session session;
    const ct__graph name = {.name = ct__op_describe(w->q->op)->name};
    if (!ct__session_begin(&session, w->q->ctx, w->q->at, &arena, "lane", &name))
        return NULL;
    ct__graph *body = record_body(w);
    ct__session_end(&session);
    return body;
}

/* ---- Around it. */

static bool collect(loop *w)
{
    ct__batch *q = w->q;
    size_t count = count_leaves(q->n_operands, q->type);
    w->has_token = has_token(q->n_operands, q->type) || has_token(q->n_results, q->result_type);
    if (!room(q, &w->x, count) || !room(q, &w->capture, count) || !room(q, &w->token, count))
        return false;
    for (size_t i = 0; i < q->n_operands; i++)
        take_apart(q, ct__batch_recorded(q, q->x[i]), q->type[i],
                   q->batched[i] ? &w->x : &w->capture, &w->token);
    return !ct_failed(q->ctx);
}

static void apply_loop(const loop *w)
{
    ct__batch *q = w->q;
    size_t count = 0, first_y = w->has_token;
    const ct__attrs attrs = {
        .scan = {.length = q->size, .n_carry = w->has_token, .n_inputs = (int64_t)w->x.count}};
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, w->x.count + w->capture.count + 1);
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, w->body->n_results);
    if (!operand || !result) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return;
    }
    if (w->has_token)
        operand[count++] = one_token(q, &w->token);
    for (size_t i = 0; i < w->x.count; i++)
        operand[count++] = w->x.item[i];
    for (size_t i = 0; i < w->capture.count; i++)
        operand[count++] = w->capture.item[i];
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = CT__OP_scan,
                             .attrs = &attrs,
                             .n_operands = count,
                             .operand = operand,
                             .n_regions = 1,
                             .region = &w->body},
              result, w->body->n_results);
    ct_tensor *const *next = result + first_y;
    for (size_t i = 0; i < q->n_results; i++)
        q->y[i] = put_together(q, q->result_type[i], result[0], &next);
}

/* A scan has no stacks of one lane: values for derivatives of loops that have effects and a count
 * of each lane's own. */
static bool refuse_stacks(const ct__batch *q)
{
    bool any = false;
    for (size_t i = 0; i < q->n_operands; i++)
        any = any || ct__has_stack(q->type[i]);
    for (size_t i = 0; i < q->n_results; i++)
        any = any || ct__has_stack(q->result_type[i]);
    if (any)
        ct__error(q->ctx, q->at, CT_ERR_UNSUPPORTED,
                  "vmap: %s with an effect, in lanes that end at different times, keeps values for "
                  "its derivative",
                  ct__op_describe(q->op)->name);
    return any;
}

void ct__batch_loop(ct__batch *q)
{
    loop w = {.q = q};
    ct__batch_fail(q);
    if (refuse_stacks(q))
        return;
    if (collect(&w))
        w.body = loop_body(&w);
    if (w.body)
        apply_loop(&w);
    ct__graph_release(w.body);
}

/* Numbers are drawn in the order of the lanes either way. */
void ct__batch_rng(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.rng.shape = ct__batch_prepended(q, q->size, attrs.rng.shape);
    if (ct__batch_any(q, 0))
        ct__batch_loop(q);
    else
        ct__batch_apply(q, &attrs, q->n_operands, q->x);
}
