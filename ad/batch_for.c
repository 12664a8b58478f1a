/* Batching of for. Where each lane has a count of its own,
 *
 *   for i = 0 … max(count) - 1:
 *       carry = select(i < count, body(i, carry), carry)
 *
 * and lanes that nothing asks for have a count of 0. */
#include "ad/batch.h"

typedef struct counting {
    ct__batch *q;
    size_t n_carry;
    bool by_lane, is_masked;
    bool *operand;   /* batched, carries as iterations make them; [0] is the index */
    ct__graph *body; /* of all lanes */
} counting;

static bool derive_body(counting *w)
{
    ct__batch *q = w->q;
    bool *batched = CT__NEW_ARRAY(q->arena, bool, q->n_results);
    if (!batched) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return false;
    }
    w->is_masked = (w->by_lane || q->active) && ct__asks_active(q->region[0]);
    w->body = ct__graph_batch(q->ctx, q->at, q->region[0], q->size, w->is_masked, w->operand,
                              w->operand + 1, batched);
    return w->body != NULL;
}

/* ---- A count of each lane's own: the new body has the counts behind its other captures. */

static ct_tensor *going_lanes(const ct__batch *q, ct_tensor *index, ct_tensor *counts)
{
    ct_tensor *all = ct_op_broadcast_in_dim_at(q->at, index, CT_DIMS(q->size), CT_DIMS());
    return ct_op_compare_at(q->at, all, counts, CT_LT, CT_COMPARE_SIGNED);
}

static ct__graph *record_body(const counting *w)
{
    ct__batch *q = w->q;
    const ct_type counts = {.dtype = CT_I64, .rank = 1, .dim = &q->size, .size = q->size};
    ct_tensor **param = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_operands + 1);
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, w->n_carry);
    if (!param || !result) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return NULL;
    }
    for (size_t i = 0; i < q->n_operands; i++)
        param[i] = ct__trace_param_like(q->ctx, q->at, w->body, i);
    param[q->n_operands] = ct__trace_param(q->ctx, q->at, &counts);
    ct_tensor *lanes = going_lanes(q, param[0], param[q->n_operands]);
    param[q->n_operands] = lanes; /* which a masked body takes there */
    if (!ct__replay(q->ctx, q->at, w->body, param, result))
        return NULL;
    for (size_t i = 0; i < w->n_carry; i++)
        result[i] = w->operand[1 + i]
                        ? ct__batch_choose(q, lanes, result[i], param[1 + i], q->result_type[i])
                        : param[1 + i];
    return ct__trace_close(q->ctx, q->at, w->n_carry, result);
}

static ct__graph *counted_body(const counting *w)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, w->q->ctx, w->q->at, &arena, "lanes", w->q->region[0]))
        return NULL;
    ct__graph *graph = record_body(w);
    ct__session_end(&session);
    return graph;
}

/* ---- The new loop. */

/* How often the loop runs, and what its body takes last: the counts, the active lanes, or NULL. */
static ct_tensor *count_of(const counting *w, ct_tensor **last)
{
    ct__batch *q = w->q;
    ct_tensor *count = ct__batch_recorded(q, q->x[0]);
    if (q->active) {
        ct_tensor *lanes = w->by_lane ? q->active
                                      : ct_op_reduce_max_at(q->at, q->active, CT_DIMS(0));
        count = ct_op_select_at(q->at, lanes, count, ct__like(q->at, count, 0));
    }
    *last = w->by_lane ? count : w->is_masked ? q->active : NULL;
    return w->by_lane ? ct_op_reduce_max_at(q->at, count, CT_DIMS(0)) : count;
}

static void apply_for(const counting *w, ct__graph *body)
{
    ct__batch *q = w->q;
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_operands + 1);
    if (!operand) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return;
    }
    operand[0] = count_of(w, &operand[q->n_operands]);
    for (size_t i = 1; i < q->n_operands; i++)
        operand[i] = w->operand[i] ? ct__batch_full(q, i) : q->x[i];
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = q->op,
                             .attrs = q->attrs,
                             .n_operands = q->n_operands + (operand[q->n_operands] != NULL),
                             .operand = operand,
                             .n_regions = 1,
                             .region = &body},
              q->y, q->n_results);
    for (size_t i = 0; i < q->n_results; i++)
        q->y_batched[i] = w->operand[1 + i];
}

void ct__batch_for(ct__batch *q)
{
    const ct__node node = {
        .op = q->op, .attrs = q->attrs, .n_regions = (uint32_t)q->n_regions, .region = q->region};
    counting w = {.q = q, .n_carry = (size_t)q->attrs->counted.n_carry};
    w.operand = ct__arena_copy(q->arena, q->batched, q->n_operands * sizeof *q->batched);
    ct__batch_fail(q);
    if (!w.operand)
        ct__error_memory(q->ctx, q->at, "vmap");
    else if (ct__spread_for(q->ctx, q->at, &node, w.operand, &w.by_lane)) {
        if (w.by_lane && ct__loops_in_order(&node)) {
            ct__batch_loop(q);
            return;
        }
        ct__graph *body = derive_body(&w) && w.by_lane ? counted_body(&w)
                                                       : ct__graph_retain(w.body);
        if (body)
            apply_for(&w, body);
        ct__graph_release(body);
    }
    ct__graph_release(w.body);
}
