/* Batching of while. Where all lanes end at the same time it stays as it is. Else, with bodies
 * derived for all lanes,
 *
 *   going = cond(carry)
 *   while any(going):
 *       carry = select(going, body(carry), carry)
 *       going = going & cond(carry)
 *
 * so that a lane that has ended keeps its carry; and lanes that nothing asks for never go. */
#include "ad/batch.h"

typedef struct looping {
    ct__batch *q;
    size_t n_carry;
    bool by_lane;
    bool *operand;                  /* batched, carries as iterations make them */
    ct__graph *cond, *body;         /* of all lanes; masked if they have a while */
    ct__graph *new_cond, *new_body; /* around them */
} looping;

static ct__graph *derive_one(looping *w, size_t region, const bool *must)
{
    ct__batch *q = w->q;
    bool is_masked = (w->by_lane || q->active) && ct__asks_active(q->region[region]);
    bool *batched = CT__NEW_ARRAY(q->arena, bool, q->region[region]->n_results);
    if (!batched) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return NULL;
    }
    return ct__graph_batch(q->ctx, q->at, q->region[region], q->size, is_masked, w->operand, must,
                           batched);
}

static bool derive_bodies(looping *w)
{
    w->cond = derive_one(w, 0, &w->by_lane);
    w->body = w->cond ? derive_one(w, 1, w->operand) : NULL;
    return w->body != NULL;
}

/* cond or body on these operands, which have room for one more; `lanes` are the active ones. */
static bool replay(const looping *w, size_t region, ct_tensor **operand, ct_tensor *lanes,
                   ct_tensor **result)
{
    operand[w->q->n_operands] = lanes;
    return ct__replay(w->q->ctx, w->q->at, region == 0 ? w->cond : w->body, operand, result);
}

/* ---- The new bodies. Their params are going, when lanes end by themselves; carries and captures;
 * and the active lanes, when not all are. */

typedef struct params {
    ct_tensor *going, *active; /* NULL: none */
    ct_tensor **operand;       /* with room for one more */
} params;

/* own: of whose params they have the names. */
static bool make_params(const looping *w, const ct__graph *own, params *p)
{
    ct__batch *q = w->q;
    const ct_type lanes = {.dtype = CT_BOOL, .rank = 1, .dim = &q->size, .size = q->size};
    *p = (params){.operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_operands + 1)};
    if (!p->operand) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return false;
    }
    if (w->by_lane)
        p->going = ct__trace_param(q->ctx, q->at, &lanes);
    for (size_t i = 0; i < q->n_operands; i++)
        p->operand[i] = ct__trace_param_like(q->ctx, q->at, own, i);
    if (q->active && !w->by_lane)
        p->active = ct__trace_param(q->ctx, q->at, &lanes);
    return !ct_failed(q->ctx);
}

static ct_tensor *any_lane(ct_place at, ct_tensor *lanes)
{
    return ct_op_reduce_max_at(at, lanes, CT_DIMS(0));
}

static ct__graph *record_cond(const looping *w)
{
    ct__batch *q = w->q;
    params p;
    ct_tensor *pred;
    if (!make_params(w, w->cond, &p))
        return NULL;
    if (w->by_lane)
        pred = any_lane(q->at, p.going);
    else if (replay(w, 0, p.operand, p.active, &pred))
        pred = ct_op_and_at(q->at, pred, any_lane(q->at, p.active));
    return ct__trace_close(q->ctx, q->at, 1, &pred);
}

static ct__graph *record_body(const looping *w)
{
    ct__batch *q = w->q;
    params p;
    size_t first = w->by_lane;
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, w->n_carry + 1);
    if (!result)
        ct__error_memory(q->ctx, q->at, "vmap");
    if (!make_params(w, w->body, &p) ||
        !replay(w, 1, p.operand, w->by_lane ? p.going : p.active, result + first))
        return NULL;
    for (size_t i = 0; w->by_lane && i < w->n_carry; i++) {
        ct_tensor **next = &result[first + i];
        *next = w->operand[i] ? ct__batch_choose(q, p.going, *next, p.operand[i], q->result_type[i])
                              : p.operand[i];
        p.operand[i] = *next;
    }
    if (w->by_lane && replay(w, 0, p.operand, p.going, result))
        result[0] = ct_op_and_at(q->at, p.going, result[0]);
    return ct__trace_close(q->ctx, q->at, first + w->n_carry, result);
}

static ct__graph *new_graph(const looping *w, bool is_body)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, w->q->ctx, w->q->at, &arena, "lanes", w->q->region[is_body]))
        return NULL;
    ct__graph *graph = is_body ? record_body(w) : record_cond(w);
    ct__session_end(&session);
    return graph;
}

/* ---- The new loop. */

static bool choose_bodies(looping *w)
{
    if (!w->by_lane && !w->q->active) {
        w->new_cond = ct__graph_retain(w->cond);
        w->new_body = ct__graph_retain(w->body);
        return true;
    }
    w->new_cond = new_graph(w, false);
    w->new_body = w->new_cond ? new_graph(w, true) : NULL;
    return w->new_body != NULL;
}

/* Which lanes run an iteration at all. */
static ct_tensor *first_going(const looping *w, ct_tensor **operand)
{
    ct__batch *q = w->q;
    ct_tensor *lanes = q->active, *going;
    if (!lanes)
        lanes = ct__batch_recorded(q, ct_ones_at(q->at, q->ctx, CT_BOOL, CT_SHAPE(q->size)));
    if (!replay(w, 0, operand, lanes, &going))
        return ct__poison(q->ctx);
    return q->active ? ct_op_and_at(q->at, lanes, going) : going;
}

static void apply_while(const looping *w)
{
    ct__batch *q = w->q;
    size_t first = w->by_lane, count = first + q->n_operands;
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_operands + 2);
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, first + w->n_carry);
    if (!operand || !result) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return;
    }
    for (size_t i = 0; i < q->n_operands; i++)
        operand[first + i] = w->operand[i] ? ct__batch_full(q, i) : q->x[i];
    if (w->by_lane)
        operand[0] = first_going(w, operand + 1);
    else if (q->active)
        operand[count++] = q->active;
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)(first + w->n_carry)}};
    ct__graph *const region[] = {w->new_cond, w->new_body};
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = q->op,
                             .attrs = &attrs,
                             .n_operands = count,
                             .operand = operand,
                             .n_regions = 2,
                             .region = region},
              result, first + w->n_carry);
    for (size_t i = 0; i < w->n_carry; i++) {
        q->y[i] = result[first + i];
        q->y_batched[i] = w->operand[i];
    }
}

void ct__batch_while(ct__batch *q)
{
    const ct__node node = {
        .op = q->op, .attrs = q->attrs, .n_regions = (uint32_t)q->n_regions, .region = q->region};
    looping w = {.q = q, .n_carry = (size_t)q->attrs->loop.n_carry};
    w.operand = ct__arena_copy(q->arena, q->batched, q->n_operands * sizeof *q->batched);
    ct__batch_fail(q);
    if (!w.operand)
        ct__error_memory(q->ctx, q->at, "vmap");
    else if (ct__spread_while(q->ctx, q->at, &node, w.operand, &w.by_lane)) {
        if (w.by_lane && ct__loops_in_order(&node))
            ct__batch_loop(q);
        else if (derive_bodies(&w) && choose_bodies(&w))
            apply_while(&w);
    }
    ct__graph_release(w.cond);
    ct__graph_release(w.body);
    ct__graph_release(w.new_cond);
    ct__graph_release(w.new_body);
}
