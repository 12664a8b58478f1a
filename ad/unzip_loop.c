/* Unzipping loops: one loop on known values, which keeps the residuals of its iterations, and one
 * on unknown values, which reads them.
 *
 *   scan   a scan that stacks residuals, and a scan that takes them as x
 *   for    a for that adds residuals to stacks, and a for that reads the stacks
 *   while  a while that adds residuals to stacks and counts, and a for of that count
 *
 * Residuals that are x, the index or captures are read where they are, those that are the same in
 * every iteration are computed before the loop, and carries that count are computed from the index.
 */
#include "ad/bodies.h"
#include "ad/remake.h"

#include <cotangent/op_stack.h>

typedef enum source {
    KEPT,    /* by the known loop, for every iteration */
    HOISTED, /* computed before the loop */
    CAPTURE,
    ROW,    /* an x of a scan */
    INDEX,  /* of a for */
    COUNTER /* a carry to which every iteration adds the same */
} source;

typedef struct residual {
    source source;
    size_t param;       /* of the body: CAPTURE, ROW */
    size_t kept;        /* its number among the kept ones */
    ct_tensor *hoisted; /* its value; of a scan's counter, all of them */
} residual;

typedef struct unzip_loop {
    ct__unzip *q;
    ct__loop loop;
    ct__cut cut;   /* of the body */
    bool *unknown; /* per operand; a carry also when an iteration makes it unknown */
    int64_t *step; /* per operand: of counters; else 0 */
    residual *residual;
    size_t n_known_results; /* of the body: known carries and y */
    size_t n_known_carries, n_kept;
    ct_tensor **known; /* results of the known loop: carries, y, then what is kept */
    ct_tensor *count;  /* of iterations */
    ct_tensor **unknown_results;
} unzip_loop;

static bool out_of_memory(const unzip_loop *w)
{
    ct__error_memory(w->q->ctx, w->q->node->at, "split");
    return false;
}

static ct__graph *body_of(const unzip_loop *w)
{
    return w->q->node->region[w->loop.body];
}

/* ---- Cutting the body: a carry is on one side for all iterations. */

static bool cut_body(unzip_loop *w)
{
    ct__unzip *q = w->q;
    size_t n = q->node->n_operands, first = w->loop.first_carry;
    bool *must = CT__NEW_ARRAY(q->arena, bool, body_of(w)->n_results);
    const bool *flow;
    ct__prices prices;
    w->unknown = ct__arena_copy(q->arena, q->unknown, n * sizeof *q->unknown);
    w->step = ct__find_counters(q, &w->loop);
    if (!w->unknown || !must || !w->step || !ct__find_loop_prices(q, &w->loop, w->step, &prices))
        return out_of_memory(w);
    if (!ct__flow_loop(q->ctx, q->node->at, q->node, ct__unknown_results, w->unknown, &flow))
        return false;
    for (bool again = true; again;) { /* once, where the flow foresaw the cut */
        for (size_t i = 0; i < w->loop.n_carry; i++)
            must[i] = w->unknown[first + i];
        ct__cut_free(&w->cut);
        if (!ct__graph_cut(q->ctx, q->node->at, body_of(w), w->unknown, must, &prices, q->arena,
                           &w->cut))
            return false;
        again = false;
        for (size_t i = 0; i < w->loop.n_carry; i++) {
            again = again || (w->cut.unknown_result[i] && !w->unknown[first + i]);
            w->unknown[first + i] = w->cut.unknown_result[i];
        }
    }
    return true;
}

/* ---- Where each residual comes from. */

/* Per value of the known body: whether captures and constants alone determine it. */
static bool *find_invariant(const unzip_loop *w)
{
    const ct__graph *body = w->cut.known;
    bool *invariant = CT__NEW_ARRAY(w->q->arena, bool, body->n_values);
    size_t position = 0;
    for (size_t i = 0; invariant && i < w->q->node->n_operands; i++)
        if (!w->unknown[i])
            invariant[body->param[position++]] = i >= ct__first_capture(&w->loop);
    for (size_t i = 0; invariant && i < body->n_nodes; i++) {
        const ct__node *node = &body->node[i];
        bool all = !ct__node_has_effect(node);
        for (size_t k = 0; k < node->n_operands; k++)
            all = all && invariant[node->operand[k]];
        for (size_t r = 0; r < node->n_results; r++)
            invariant[node->first_result + r] = all;
    }
    return invariant;
}

static void sort_residuals(unzip_loop *w, const bool *invariant)
{
    for (size_t r = 0; r < w->cut.n_residuals; r++) {
        residual *to = &w->residual[r];
        int64_t param = w->cut.residual_param[r];
        to->param = param < 0 ? SIZE_MAX : (size_t)param;
        if (param >= 0 && to->param < w->loop.first_carry)
            to->source = INDEX;
        else if (param >= 0 && to->param >= ct__first_capture(&w->loop))
            to->source = CAPTURE;
        else if (param >= 0 && to->param >= w->loop.first_carry + w->loop.n_carry)
            to->source = ROW;
        else if (param >= 0 && w->step[param])
            to->source = COUNTER;
        else
            to->source = invariant[w->cut.residual[r]] ? HOISTED : KEPT;
        if (to->source == KEPT)
            to->kept = w->n_kept++;
    }
}

/* Of a scan's counter. */
static ct_tensor *rows_of(const unzip_loop *w, size_t param)
{
    const ct__unzip *q = w->q;
    return ct__counter_rows(q->node->at, q->operand[param], w->step[param],
                            q->node->attrs->scan.length, q->node->attrs->scan.is_reverse);
}

/* Record what the hoisted ones are made of in the trace around the loop. */
static bool hoist_residuals(unzip_loop *w)
{
    const ct__graph *body = w->cut.known;
    const ct__id *id = w->cut.residual;
    bool *needed = CT__NEW_ARRAY(w->q->arena, bool, body->n_values);
    ct_tensor **value = CT__NEW_ARRAY(w->q->arena, ct_tensor *, body->n_values);
    size_t position = 0;
    if (!needed || !value)
        return out_of_memory(w);
    for (size_t i = 0; i < w->q->node->n_operands; i++)
        if (!w->unknown[i])
            value[body->param[position++]] = w->q->operand[i];
    for (size_t r = 0; r < w->cut.n_residuals; r++)
        needed[id[r]] |= w->residual[r].source == HOISTED;
    ct__find_needed(body, NULL, needed);
    if (!ct__replay_needed(w->q->ctx, body, needed, w->q->arena, value))
        return false;
    for (size_t r = 0; r < w->cut.n_residuals; r++)
        if (w->residual[r].source == HOISTED)
            w->residual[r].hoisted = value[id[r]];
        else if (w->residual[r].source == COUNTER && w->q->node->op == CT__OP_scan)
            w->residual[r].hoisted = rows_of(w, w->residual[r].param);
    return !ct_failed(w->q->ctx);
}

/* The known body gives its known results, then what is kept. */
static bool choose_residuals(unzip_loop *w)
{
    ct__graph *body = w->cut.known;
    const ct__cut *cut = &w->cut;
    size_t n = cut->n_residuals, n_results = body_of(w)->n_results;
    bool *invariant = find_invariant(w);
    ct__id *result = CT__NEW_ARRAY(w->q->arena, ct__id, n_results + n);
    w->residual = CT__NEW_ARRAY(w->q->arena, residual, n);
    if (!invariant || !result || !w->residual)
        return out_of_memory(w);
    w->n_known_results = n_results - ct__count_set(cut->unknown_result, n_results);
    w->n_known_carries = w->loop.n_carry - ct__count_set(cut->unknown_result, w->loop.n_carry);
    sort_residuals(w, invariant);
    if (!hoist_residuals(w))
        return false;
    for (size_t i = 0; i < w->n_known_results; i++)
        result[i] = body->result[i];
    for (size_t r = 0; r < n; r++)
        if (w->residual[r].source == KEPT)
            result[w->n_known_results + w->residual[r].kept] = cut->residual[r];
    return (ct__graph_set_results(body, w->n_known_results + w->n_kept, result) &&
            ct__graph_prune(body)) ||
           out_of_memory(w);
}

/* ---- Recording. */

static bool apply(const unzip_loop *w, ct__op op, const ct__attrs *attrs, ct_list operands,
                  size_t n_regions, ct__graph *const *region, ct_tensor **result, size_t n_results)
{
    return ct__apply(&(ct__request){.ctx = w->q->ctx,
                                    .at = w->q->node->at,
                                    .op = op,
                                    .attrs = attrs,
                                    .n_operands = operands.count,
                                    .operand = operands.item,
                                    .n_regions = n_regions,
                                    .region = region},
                     result, n_results);
}

/* ---- scan. */

static bool record_known_scan(unzip_loop *w)
{
    ct__unzip *q = w->q;
    size_t n = q->node->n_operands, first_capture = ct__first_capture(&w->loop), count = 0;
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, n);
    ct__attrs attrs = *q->node->attrs;
    if (!operand)
        return out_of_memory(w);
    ct__unzip_operands(w->q, w->unknown, 0, w->loop.n_carry, false, operand, &count);
    ct__unzip_operands(w->q, w->unknown, w->loop.n_carry, first_capture, false, operand, &count);
    ct__set_loop(CT__OP_scan, &attrs, w->n_known_carries, count - w->n_known_carries);
    ct__unzip_operands(w->q, w->unknown, first_capture, n, false, operand, &count);
    return apply(w, CT__OP_scan, &attrs, (ct_list){count, operand}, 1, &w->cut.known, w->known,
                 w->cut.known->n_results);
}

/* Residuals that are x, or those that are captures, as operands and as positions in the order of
 * the unknown body's params. */
static void append_residuals(const unzip_loop *w, bool captures, ct_tensor **operand, size_t *order,
                             size_t *count)
{
    for (size_t r = 0; r < w->cut.n_residuals; r++) {
        const residual *from = &w->residual[r];
        if ((from->source == HOISTED || from->source == CAPTURE) != captures)
            continue;
        order[*count] = r;
        operand[(*count)++] = from->hoisted          ? from->hoisted
                              : from->source == KEPT ? w->known[w->n_known_results + from->kept]
                                                     : w->q->operand[from->param];
    }
}

/* Unknown operands of one group, likewise; *param counts the body's unknown params. */
static void append_unknown(const unzip_loop *w, size_t first, size_t end, ct_tensor **operand,
                           size_t *order, size_t *count, size_t *param)
{
    size_t before = *count;
    ct__unzip_operands(w->q, w->unknown, first, end, true, operand, count);
    for (size_t i = before; i < *count; i++)
        order[i] = (*param)++;
}

/* The unknown body takes (residuals…, carry…, x…, captures…); a scan wants carries first. */
static bool record_unknown_scan(unzip_loop *w)
{
    ct__unzip *q = w->q;
    ct__graph *body = w->cut.unknown;
    size_t n = q->node->n_operands, first_capture = ct__first_capture(&w->loop);
    size_t count = 0, param = w->cut.n_residuals;
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, n + w->cut.n_residuals);
    size_t *order = CT__NEW_ARRAY(q->arena, size_t, body->n_params);
    ct__attrs attrs = *q->node->attrs;
    if (!operand || !order)
        return out_of_memory(w);
    append_unknown(w, 0, w->loop.n_carry, operand, order, &count, &param);
    size_t n_carry = count;
    append_residuals(w, false, operand, order, &count);
    append_unknown(w, w->loop.n_carry, first_capture, operand, order, &count, &param);
    ct__set_loop(CT__OP_scan, &attrs, n_carry, count - n_carry);
    append_residuals(w, true, operand, order, &count);
    append_unknown(w, first_capture, n, operand, order, &count, &param);
    if (!ct__graph_permute_params(body, order))
        return out_of_memory(w);
    return apply(w, CT__OP_scan, &attrs, (ct_list){count, operand}, 1, &body, w->unknown_results,
                 body->n_results);
}

/* ---- for and while: the known loop. Its body and a while's condition take
 *
 *   for    (index, known carries…, stacks…, known captures…)
 *   while  (known carries…, count, stacks…, known captures…) */

typedef struct known_body {
    ct_tensor **carry, **stack, **capture; /* its params */
    ct_tensor *index;                      /* the index, or the count so far */
} known_body;

static const ct_type *kept_type(const unzip_loop *w, size_t kept)
{
    return ct__result_type(w->cut.known, w->n_known_results + kept);
}

/* own: the loop's body or condition, whose params these are. */
static bool known_params(const unzip_loop *w, const ct__graph *own, ct__arena *arena, known_body *b)
{
    ct__unzip *q = w->q;
    const ct_type *i64 = ct__type(arena, CT_I64, 0, NULL);
    size_t n = q->node->n_operands, first = w->loop.first_carry;
    b->carry = CT__NEW_ARRAY(arena, ct_tensor *, n);
    b->stack = CT__NEW_ARRAY(arena, ct_tensor *, w->n_kept);
    b->capture = CT__NEW_ARRAY(arena, ct_tensor *, n);
    if (!i64 || !b->carry || !b->stack || !b->capture)
        return out_of_memory(w);
    if (first > 0)
        b->index = ct__trace_param_like(q->ctx, q->node->at, own, 0);
    for (size_t i = first, count = 0; i < first + w->loop.n_carry; i++)
        if (!w->unknown[i])
            b->carry[count++] = ct__trace_param_like(q->ctx, q->node->at, own, i);
    if (first == 0)
        b->index = ct__trace_param(q->ctx, q->node->at, i64);
    for (size_t k = 0; k < w->n_kept; k++) {
        const ct_type *stack = ct__type_stack(arena, kept_type(w, k));
        if (!stack)
            return out_of_memory(w);
        b->stack[k] = ct__trace_param(q->ctx, q->node->at, stack);
    }
    for (size_t i = first + w->loop.n_carry, count = 0; i < n; i++)
        if (!w->unknown[i])
            b->capture[count++] = ct__trace_param_like(q->ctx, q->node->at, own, i);
    return !ct_failed(q->ctx);
}

/* (…) -> (known carries…, count + 1 of a while, stacks with one element more…). */
static ct__graph *known_body_of(unzip_loop *w, ct__arena *arena)
{
    ct__unzip *q = w->q;
    ct_place at = q->node->at;
    const ct__graph *known = w->cut.known;
    size_t n_argument = 0, count = 0;
    known_body b;
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, known->n_params);
    ct_tensor **value = CT__NEW_ARRAY(arena, ct_tensor *, known->n_results);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, known->n_results + 1);
    if (!argument || !value || !result || !known_params(w, body_of(w), arena, &b)) {
        out_of_memory(w);
        return NULL;
    }
    if (w->loop.first_carry > 0)
        argument[n_argument++] = b.index;
    ct__append_all(argument, &n_argument, b.carry, w->n_known_carries);
    ct__append_all(argument, &n_argument, b.capture, known->n_params - n_argument);
    if (!ct__replay(q->ctx, at, known, argument, value))
        return NULL;
    ct__append_all(result, &count, value, w->n_known_carries);
    if (w->loop.first_carry == 0)
        result[count++] = ct_op_add_at(at, b.index, ct__like(at, b.index, 1));
    for (size_t k = 0; k < w->n_kept; k++)
        result[count++] = ct_op_stack_add_at(at, b.stack[k], b.index,
                                             value[w->n_known_results + k]);
    return ct__trace_close(q->ctx, at, count, result);
}

/* The condition on the same params; it does not look at unknown ones. */
static ct__graph *known_cond_of(unzip_loop *w, ct__arena *arena)
{
    ct__unzip *q = w->q;
    size_t n = q->node->n_operands, carry = 0, capture = 0;
    known_body b;
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, n);
    ct_tensor *goes_on;
    if (!argument || !known_params(w, q->node->region[0], arena, &b)) {
        out_of_memory(w);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        argument[i] = w->unknown[i]         ? ct__zeros(q->ctx, q->node->at, q->operand[i]->type)
                      : i < w->loop.n_carry ? b.carry[carry++]
                                            : b.capture[capture++];
    if (!ct__replay(q->ctx, q->node->at, q->node->region[0], argument, &goes_on))
        return NULL;
    return ct__trace_close(q->ctx, q->node->at, 1, &goes_on);
}

typedef ct__graph *make_graph(unzip_loop *w, ct__arena *arena);

static ct__graph *in_session(unzip_loop *w, const char *what, make_graph *make)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, w->q->ctx, w->q->node->at, &arena, what, body_of(w)))
        return NULL;
    ct__graph *graph = make(w, session.arena);
    ct__session_end(&session);
    return graph;
}

/* Operands of the known loop, in the order of its body's params. */
static bool known_operands(const unzip_loop *w, ct_tensor **operand, size_t *count)
{
    ct__unzip *q = w->q;
    ct_place at = q->node->at;
    size_t first = w->loop.first_carry, first_capture = first + w->loop.n_carry;
    const ct_type *i64 = ct__type(q->arena, CT_I64, 0, NULL);
    if (!i64)
        return out_of_memory(w);
    ct__unzip_operands(w->q, w->unknown, 0, first_capture, false, operand, count);
    if (first == 0)
        operand[(*count)++] = ct__splat(q->ctx, at, i64, 0);
    for (size_t k = 0; k < w->n_kept; k++) {
        const ct_type *stack = ct__type_stack(q->arena, kept_type(w, k));
        if (!stack)
            return out_of_memory(w);
        operand[(*count)++] = ct__zeros(q->ctx, at, stack);
    }
    ct__unzip_operands(w->q, w->unknown, first_capture, q->node->n_operands, false, operand, count);
    return true;
}

static bool record_known_loop(unzip_loop *w)
{
    ct__unzip *q = w->q;
    bool is_while = q->node->op == CT__OP_while;
    size_t n_carry = w->n_known_carries + is_while + w->n_kept, count = 0;
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->node->n_operands + n_carry);
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, n_carry);
    ct__attrs attrs = *q->node->attrs;
    if (!operand || !result || !known_operands(w, operand, &count))
        return out_of_memory(w);
    ct__graph *body = in_session(w, "known", known_body_of);
    ct__graph *cond = body && is_while ? in_session(w, "known_cond", known_cond_of) : NULL;
    ct__graph *const region[2] = {is_while ? cond : body, body};
    ct__set_loop(q->node->op, &attrs, n_carry, 0);
    bool fine = body && region[0] &&
                apply(w, q->node->op, &attrs, (ct_list){count, operand}, q->node->n_regions, region,
                      result, n_carry);
    ct__graph_release(body);
    ct__graph_release(cond);
    for (size_t i = 0; fine && i < w->n_known_carries; i++)
        w->known[i] = result[i];
    for (size_t k = 0; fine && k < w->n_kept; k++)
        w->known[w->n_known_results + k] = result[w->n_known_carries + is_while + k];
    w->count = fine && is_while ? result[w->n_known_carries] : q->operand[0];
    return fine;
}

/* ---- for and while: the unknown loop, (index, unknown carries…, stacks…, other residuals…,
 * unknown captures…) -> (unknown carries…). */

/* What the index's iteration kept of residual r, from a stack that is a param. */
static ct_tensor *kept_residual(const unzip_loop *w, size_t r, ct_tensor *index, ct__arena *arena)
{
    ct_place at = w->q->node->at;
    const ct__graph *unknown = w->cut.unknown;
    const ct_type *stack = ct__type_stack(arena, ct__param_type(unknown, r));
    if (!stack) {
        out_of_memory(w);
        return ct__poison(w->q->ctx);
    }
    ct_tensor *x = ct_op_stack_get_at(at, ct__trace_param(w->q->ctx, at, stack), index);
    return ct_name(x, unknown->value[unknown->param[r]].name);
}

/* Params in the order (index, stacks…, other residuals…, unknown carries…, unknown captures…): what
 * the unknown body takes. */
static void unknown_arguments(const unzip_loop *w, ct_tensor *index, ct__arena *arena,
                              ct_tensor **argument)
{
    ct__unzip *q = w->q;
    const ct__graph *unknown = w->cut.unknown;
    size_t n = w->cut.n_residuals;
    for (size_t r = 0; r < n; r++)
        if (w->residual[r].source == KEPT)
            argument[r] = kept_residual(w, r, index, arena);
    for (size_t i = 0; i < unknown->n_params; i++)
        if (i < n && w->residual[i].source == INDEX)
            argument[i] = index;
        else if (i >= n || w->residual[i].source != KEPT)
            argument[i] = ct__trace_param_like(q->ctx, q->node->at, unknown, i);
    for (size_t r = 0; r < n; r++)
        if (w->residual[r].source == COUNTER)
            argument[r] = ct__counter_at(q->node->at, argument[r], w->step[w->residual[r].param],
                                         index);
}

static ct__graph *unknown_body_of(unzip_loop *w, ct__arena *arena)
{
    ct__unzip *q = w->q;
    ct_place at = q->node->at;
    const ct__graph *unknown = w->cut.unknown;
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, unknown->n_params);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, unknown->n_results);
    const ct_type *i64 = ct__type(arena, CT_I64, 0, NULL);
    if (!argument || !result || !i64) {
        out_of_memory(w);
        return NULL;
    }
    unknown_arguments(w, ct__trace_param(q->ctx, at, i64), arena, argument);
    if (!ct__replay(q->ctx, at, unknown, argument, result))
        return NULL;
    return ct__trace_close(q->ctx, at, unknown->n_results, result);
}

/* Residuals as operands: the stacks, then those of other kinds. */
static size_t residual_operands(const unzip_loop *w, ct_tensor **operand)
{
    size_t count = 0;
    for (size_t r = 0; r < w->cut.n_residuals; r++)
        if (w->residual[r].source == KEPT)
            operand[count++] = w->known[w->n_known_results + w->residual[r].kept];
    for (size_t r = 0; r < w->cut.n_residuals; r++)
        if (w->residual[r].source == HOISTED)
            operand[count++] = w->residual[r].hoisted;
        else if (w->residual[r].source == CAPTURE || w->residual[r].source == COUNTER)
            operand[count++] = w->q->operand[w->residual[r].param];
    return count;
}

/* The body's params in the order of a for's operands: index, carries, captures. */
static bool order_params(const unzip_loop *w, ct__graph *body, size_t n_residuals, size_t n_carry)
{
    size_t *order = CT__NEW_ARRAY(w->q->arena, size_t, body->n_params);
    if (!order || !ct__graph_set_linear(body, body->n_params - 1 - n_residuals))
        return out_of_memory(w);
    for (size_t i = 0; i < body->n_params; i++)
        order[i] = i;
    for (size_t i = 0; i < n_carry; i++)
        order[1 + i] = 1 + n_residuals + i;
    for (size_t i = 0; i < n_residuals; i++)
        order[1 + n_carry + i] = 1 + i;
    return ct__graph_permute_params(body, order) || out_of_memory(w);
}

static bool record_unknown_loop(unzip_loop *w)
{
    ct__unzip *q = w->q;
    size_t n = q->node->n_operands, first = w->loop.first_carry;
    size_t first_capture = first + w->loop.n_carry, count = 0;
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, n + 1 + w->cut.n_residuals);
    ct__attrs attrs = {.counted = {.n_carry = 0}};
    if (!operand)
        return out_of_memory(w);
    operand[count++] = w->count;
    ct__unzip_operands(w->q, w->unknown, first, first_capture, true, operand, &count);
    size_t n_carry = count - 1, n_residuals = residual_operands(w, operand + count);
    count += n_residuals;
    ct__unzip_operands(w->q, w->unknown, first_capture, n, true, operand, &count);
    attrs.counted.n_carry = (int64_t)n_carry;
    attrs.counted.is_reverse = q->node->op == CT__OP_for && q->node->attrs->counted.is_reverse;
    ct__graph *body = in_session(w, "linear", unknown_body_of);
    bool fine = body && order_params(w, body, n_residuals, n_carry) &&
                apply(w, CT__OP_for, &attrs, (ct_list){count, operand}, 1, &body,
                      w->unknown_results, n_carry);
    ct__graph_release(body);
    return fine;
}

/* ---- Loops. */

static bool record(unzip_loop *w)
{
    size_t n_known = w->n_known_results + w->n_kept;
    w->known = CT__NEW_ARRAY(w->q->arena, ct_tensor *, n_known);
    w->unknown_results = CT__NEW_ARRAY(w->q->arena, ct_tensor *, w->cut.unknown->n_results);
    if (!w->known || !w->unknown_results)
        return out_of_memory(w);
    if (w->q->node->op == CT__OP_scan)
        return record_known_scan(w) && record_unknown_scan(w);
    return record_known_loop(w) && record_unknown_loop(w);
}

/* Whether the values decide how long the loop goes on that it is to be split around. */
static bool has_unknown_cond(const unzip_loop *w, bool *unknown)
{
    const ct__unzip *q = w->q;
    const bool *cond = q->node->op == CT__OP_while
                           ? ct__unknown_results(q->ctx, q->node->at, q->node->region[0],
                                                 w->unknown)
                           : NULL;
    *unknown = cond && cond[0];
    return cond || q->node->op != CT__OP_while;
}

/* Such a loop stays as it is: it is not linear, which is told when it is transposed. */
static bool leave_whole(const unzip_loop *w)
{
    const ct__unzip *q = w->q;
    for (size_t i = 0; i < q->node->n_results; i++)
        q->unknown_result[i] = true;
    return apply(w, q->node->op, q->node->attrs, (ct_list){q->node->n_operands, q->operand},
                 q->node->n_regions, q->node->region, q->result, q->node->n_results);
}

bool ct__unzip_loop(ct__unzip *q)
{
    unzip_loop w = {.q = q};
    bool unknown_cond = false;
    ct__loop_of(q->node->op, q->node->attrs, &w.loop);
    bool fine = cut_body(&w) && has_unknown_cond(&w, &unknown_cond);
    if (fine && unknown_cond)
        fine = leave_whole(&w);
    else if (fine && choose_residuals(&w) && record(&w))
        ct__unzip_merge(q, w.cut.unknown_result, w.known, w.unknown_results);
    ct__cut_free(&w.cut);
    return fine && !ct_failed(q->ctx);
}
