/* Batching of operations with bodies that control, but for while. */
#include "ad/batch.h"

#include <cotangent/op_stack.h>

/* operand[count …]: the list from `first` on, then the active lanes if they are asked for. */
static size_t append_operands(const ct__batch *q, size_t first, bool is_masked, ct_tensor **operand)
{
    size_t count = 0;
    for (size_t i = first; i < q->n_operands; i++)
        operand[count++] = q->x[i];
    if (is_masked)
        operand[count++] = q->active;
    return count;
}

static ct_tensor **operand_room(const ct__batch *q)
{
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_operands + 1);
    if (!operand)
        ct__error_memory(q->ctx, q->at, "vmap");
    return operand;
}

/* ---- call and composite. Another's implementation of the composite may not know of lanes; a
 * checkpoint stays one. */

void ct__batch_call(ct__batch *q)
{
    const bool *batched;
    bool is_masked = q->active && ct__asks_active(q->region[0]);
    bool is_checkpoint = ct__is_checkpoint(q->op, q->attrs);
    ct_tensor **operand = operand_room(q);
    ct__graph *callee = ct__derived_lanes(q->ctx, q->at, q->region[0], q->size, is_masked,
                                          q->batched, &batched);
    ct__batch_fail(q);
    if (!callee || !operand)
        return;
    for (size_t i = 0; i < q->n_results; i++)
        q->y_batched[i] = batched[i];
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = is_checkpoint ? q->op : CT__OP_call,
                             .attrs = is_checkpoint ? q->attrs : NULL,
                             .n_operands = append_operands(q, 0, is_masked, operand),
                             .operand = operand,
                             .n_regions = 1,
                             .region = &callee},
              q->y, q->n_results);
}

/* ---- if and case: operand 0 chooses a branch, the others are the branches' operands. */

typedef struct branches {
    ct__batch *q;
    bool is_masked;
    bool *must;        /* per result: batched in some branch */
    ct__graph **graph; /* per branch */
} branches;

static bool branches_begin(branches *w, ct__batch *q)
{
    *w = (branches){.q = q,
                    .must = CT__NEW_ARRAY(q->arena, bool, q->n_results),
                    .graph = CT__NEW_ARRAY(q->arena, ct__graph *, q->n_regions)};
    if (!w->must || !w->graph) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return false;
    }
    for (size_t b = 0; b < q->n_regions; b++) {
        const bool *batched = ct__batched_results(q->ctx, q->at, q->region[b], q->batched + 1);
        for (size_t i = 0; batched && i < q->n_results; i++)
            w->must[i] = q->y_batched[i] && (w->must[i] || batched[i] || q->batched[0]);
        w->is_masked = w->is_masked || ct__asks_active(q->region[b]);
    }
    w->is_masked = w->is_masked && (q->active || q->batched[0]);
    return !ct_failed(q->ctx);
}

static bool derive_branches(branches *w)
{
    ct__batch *q = w->q;
    bool *batched = CT__NEW_ARRAY(q->arena, bool, q->n_results);
    if (!batched)
        ct__error_memory(q->ctx, q->at, "vmap");
    for (size_t b = 0; batched && b < q->n_regions; b++) {
        w->graph[b] = ct__graph_batch(q->ctx, q->at, q->region[b], q->size, w->is_masked,
                                      q->batched + 1, w->must, batched);
        if (!w->graph[b])
            return false;
    }
    return batched != NULL;
}

static void branches_end(branches *w)
{
    for (size_t b = 0; w->graph && b < w->q->n_regions; b++)
        ct__graph_release(w->graph[b]);
}

/* One choice for all lanes. */
static void choose_once(branches *w)
{
    ct__batch *q = w->q;
    ct_tensor **operand = operand_room(q);
    if (!operand)
        return;
    operand[0] = q->x[0];
    for (size_t i = 0; i < q->n_results; i++)
        q->y_batched[i] = w->must[i];
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = q->op,
                             .attrs = q->attrs,
                             .n_operands = 1 + append_operands(q, 1, w->is_masked, operand + 1),
                             .operand = operand,
                             .n_regions = q->n_regions,
                             .region = w->graph},
              q->y, q->n_results);
}

/* bool [size]: the lanes that take branch b. An index out of range takes the last one. */
static ct_tensor *takers(const ct__batch *q, size_t b)
{
    size_t last = q->n_regions - 1;
    if (q->op == CT__OP_if)
        return b == 0 ? q->x[0] : ct_op_not_at(q->at, q->x[0]);
    ct_tensor *number = ct__like(q->at, q->x[0], (double)b);
    if (b < last)
        return ct_op_compare_at(q->at, q->x[0], number, CT_EQ, CT_COMPARE_SIGNED);
    return ct_op_or_at(
        q->at, ct_op_compare_at(q->at, q->x[0], number, CT_GE, CT_COMPARE_SIGNED),
        ct_op_compare_at(q->at, q->x[0], ct__like(q->at, q->x[0], 0), CT_LT, CT_COMPARE_SIGNED));
}

/* A branch makes its stacks, and adds to them in the lanes that take it alone. */
static ct_tensor *one_of(const ct__batch *q, ct_tensor *lanes, ct_tensor *x, ct_tensor *y, size_t i)
{
    if (q->result_type[i]->kind == CT__STACK)
        return ct_op_stack_sum_at(q->at, x, y);
    return ct__batch_choose(q, lanes, x, y, q->result_type[i]);
}

/* Every branch for all lanes, of which each keeps its own. */
static void choose_by_lane(branches *w)
{
    ct__batch *q = w->q;
    ct_tensor **operand = operand_room(q);
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_results);
    if (!operand || !result) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return;
    }
    append_operands(q, 1, false, operand);
    for (size_t b = q->n_regions; b-- > 0 && !ct_failed(q->ctx);) {
        ct_tensor *lanes = takers(q, b);
        operand[q->n_operands - 1] = q->active ? ct_op_and_at(q->at, q->active, lanes) : lanes;
        ct__replay(q->ctx, q->at, w->graph[b], operand, result);
        for (size_t i = 0; i < q->n_results; i++)
            q->y[i] = b == q->n_regions - 1 ? result[i] : one_of(q, lanes, result[i], q->y[i], i);
    }
}

/* Without bodies' effects there is no order of lanes to keep, but for that of tokens. */
static bool has_order(const ct__batch *q)
{
    bool any = false;
    for (size_t b = 0; b < q->n_regions; b++)
        any = any || q->region[b]->has_effect;
    for (size_t i = 0; i < q->n_results; i++)
        any = any || q->result_type[i]->kind == CT__TOKEN;
    return any;
}

void ct__batch_if(ct__batch *q)
{
    branches w = {.q = q};
    ct__batch_fail(q);
    if (q->batched[0] && has_order(q)) {
        ct__batch_loop(q);
        return;
    }
    if (branches_begin(&w, q) && derive_branches(&w)) {
        if (q->batched[0])
            choose_by_lane(&w);
        else
            choose_once(&w);
    }
    branches_end(&w);
}

void ct__batch_case(ct__batch *q)
{
    ct__batch_if(q);
}

/* ---- scan: slices of x lie along axis 0, so lanes go behind it, and come back in y. */

typedef struct scanning {
    ct__batch *q;
    size_t n_carry, n_inputs;
    bool is_masked;
    bool *operand; /* batched, carries as iterations make them */
    bool *result;  /* batched */
    ct__graph *body;
} scanning;

static bool derive_body(scanning *w)
{
    ct__batch *q = w->q;
    const ct__node node = {.op = q->op, .attrs = q->attrs, .region = q->region};
    const bool *flow;
    bool *must = CT__NEW_ARRAY(q->arena, bool, q->n_results);
    w->operand = ct__arena_copy(q->arena, q->batched, q->n_operands * sizeof *q->batched);
    w->result = CT__NEW_ARRAY(q->arena, bool, q->n_results);
    if (!must || !w->operand || !w->result) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return false;
    }
    if (!ct__flow_loop(q->ctx, q->at, &node, ct__batched_results, w->operand, &flow))
        return false;
    for (size_t i = 0; i < w->n_carry; i++)
        must[i] = w->operand[i];
    w->body = ct__graph_batch(q->ctx, q->at, q->region[0], q->size, w->is_masked, w->operand, must,
                              w->result);
    return w->body != NULL;
}

static void apply_scan(scanning *w)
{
    ct__batch *q = w->q;
    ct_tensor **operand = operand_room(q);
    if (!operand)
        return;
    size_t count = append_operands(q, 0, w->is_masked, operand);
    for (size_t i = 0; i < w->n_carry; i++)
        if (w->operand[i])
            operand[i] = ct__batch_full(q, i);
    for (size_t i = w->n_carry; i < w->n_carry + w->n_inputs; i++)
        if (q->batched[i] && q->type[i]->kind == CT__TENSOR)
            operand[i] = ct__moved_axis(q->at, q->x[i], 0, 1);
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = q->op,
                             .attrs = q->attrs,
                             .n_operands = count,
                             .operand = operand,
                             .n_regions = 1,
                             .region = &w->body},
              q->y, q->n_results);
    for (size_t i = 0; i < q->n_results; i++) {
        q->y_batched[i] = w->result[i];
        if (i >= w->n_carry && w->result[i] && q->result_type[i]->kind == CT__TENSOR)
            q->y[i] = ct__moved_axis(q->at, q->y[i], 1, 0);
    }
}

void ct__batch_scan(ct__batch *q)
{
    scanning w = {.q = q,
                  .n_carry = (size_t)q->attrs->scan.n_carry,
                  .n_inputs = (size_t)q->attrs->scan.n_inputs,
                  .is_masked = q->active && ct__asks_active(q->region[0])};
    ct__batch_fail(q);
    if (derive_body(&w))
        apply_scan(&w);
    ct__graph_release(w.body);
}
