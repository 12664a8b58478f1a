/* Forward and transpose rules of loops: scan, for and while. Operands come in groups (the count of
 * a for, carries, x of a scan, captures), each followed by its live tangents. */
#include "ad/bodies.h"

#define GROUPS 4

/* ---- Forward. */

typedef struct forward {
    ct__whole whole;
    ct__jvp_whole *q;
    ct__loop loop;
    size_t group[GROUPS];
    ct__graph *body, *cond; /* derived; cond is NULL but for while */
    size_t *order;          /* of the body's params, see interleave */
} forward;

static bool no_memory(const ct__jvp_whole *q)
{
    ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
    return false;
}

/* The body's forward derivative; a carry's tangent is live as soon as an iteration may make it so.
 */
static bool derive_body(forward *f)
{
    ct__jvp_whole *q = f->q;
    ct__whole *w = &f->whole;
    ct__graph *body = q->region[f->loop.body];
    const ct__node node = {.op = q->op, .attrs = q->attrs, .region = q->region};
    const bool *flow;
    bool *must = CT__NEW_ARRAY(&w->arena, bool, q->n_results);
    if (!must)
        return no_memory(q);
    if (!ct__flow_loop(q->ctx, q->at, &node, ct__live_results, w->live_in, &flow))
        return false;
    for (size_t i = 0; i < q->n_results; i++)
        must[i] = i < f->loop.n_carry ? w->live_in[f->loop.first_carry + i] : flow[i];
    f->body = ct__graph_jvp(q->ctx, q->at, body, w->live_in, must, w->live_out);
    return f->body != NULL;
}

/* order[] for a list of groups of all items followed by their live ones, from the order in which
 * all items come first and the live ones of all groups after them. */
static void interleave(const size_t *group, size_t n_groups, const bool *live, size_t *order)
{
    size_t total = 0, item = 0, tangent = 0, count = 0;
    for (size_t g = 0; g < n_groups; g++)
        total += group[g];
    for (size_t g = 0; g < n_groups; g++) {
        for (size_t i = 0; i < group[g]; i++)
            order[count++] = item + i;
        for (size_t i = 0; i < group[g]; i++)
            if (live[item + i])
                order[count++] = total + tangent++;
        item += group[g];
    }
}

/* The condition, which does not look at tangents, on the new body's parameters. */
static bool derive_cond(forward *f)
{
    ct__jvp_whole *q = f->q;
    size_t n = f->body->n_params;
    const ct_type **type = CT__NEW_ARRAY(&f->whole.arena, const ct_type *, n);
    size_t *argument = CT__NEW_ARRAY(&f->whole.arena, size_t, n);
    if (!type || !argument)
        return no_memory(q);
    for (size_t i = 0; i < n; i++) {
        type[i] = ct__param_type(f->body, i);
        if (f->order[i] < q->n_operands)
            argument[f->order[i]] = i;
    }
    f->cond = ct__graph_rewired(q->ctx, q->at, q->region[0], n, type, argument);
    return f->cond != NULL;
}

/* Params and results of the derived bodies in their groups. */
static bool arrange(forward *f)
{
    ct__jvp_whole *q = f->q;
    size_t result_group[2] = {f->loop.n_carry, q->n_results - f->loop.n_carry};
    f->order = CT__NEW_ARRAY(&f->whole.arena, size_t, f->body->n_params + f->body->n_results);
    if (!f->order)
        return no_memory(q);
    size_t *result_order = f->order + f->body->n_params;
    interleave(f->group, GROUPS, f->whole.live_in, f->order);
    interleave(result_group, 2, f->whole.live_out, result_order);
    return ((ct__graph_permute_params(f->body, f->order) &&
             ct__graph_select_results(f->body, f->body->n_results, result_order)) ||
            no_memory(q)) &&
           (q->op != CT__OP_while || derive_cond(f));
}

/* Operands of the derived loop, in its order; a carry without a tangent starts from zero. */
static size_t forward_operands(const forward *f, ct_tensor **operand)
{
    ct__jvp_whole *q = f->q;
    size_t count = 0, item = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        ct__append_all(operand, &count, q->x + item, f->group[g]);
        for (size_t i = item; i < item + f->group[g]; i++)
            if (f->whole.live_in[i])
                operand[count++] = q->dx[i] ? q->dx[i] : ct__zeros(q->ctx, q->at, q->x[i]->type);
        item += f->group[g];
    }
    return count;
}

/* Results of the derived loop are the carries, their live tangents, the y, their live tangents. */
static void spread_results(const forward *f, ct_tensor *const *result)
{
    ct__jvp_whole *q = f->q;
    size_t position = 0;
    for (size_t g = 0, item = 0; g < 2; g++) {
        size_t count = g == 0 ? f->loop.n_carry : q->n_results - f->loop.n_carry;
        for (size_t i = 0; i < count; i++)
            q->y[item + i] = result[position++];
        for (size_t i = 0; i < count; i++)
            q->dy[item + i] = f->whole.live_out[item + i] ? result[position++] : NULL;
        item += count;
    }
}

static void apply_forward(forward *f)
{
    ct__jvp_whole *q = f->q;
    const ct__loop *loop = &f->loop;
    const bool *live = f->whole.live_in + loop->first_carry;
    ct_tensor **operand = CT__NEW_ARRAY(&f->whole.arena, ct_tensor *, 2 * q->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(&f->whole.arena, ct_tensor *, f->body->n_results);
    ct__graph *const region[2] = {f->cond ? f->cond : f->body, f->body};
    ct__attrs attrs = *q->attrs;
    if (!operand || !result) {
        no_memory(q);
        return;
    }
    ct__set_loop(q->op, &attrs, loop->n_carry + ct__count_set(live, loop->n_carry),
                 loop->n_inputs + ct__count_set(live + loop->n_carry, loop->n_inputs));
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = q->op,
                             .attrs = &attrs,
                             .n_operands = forward_operands(f, operand),
                             .operand = operand,
                             .n_regions = q->n_regions,
                             .region = region},
              result, f->body->n_results);
    spread_results(f, result);
}

static void jvp_loop(ct__jvp_whole *q)
{
    forward f = {.q = q};
    ct__loop_of(q->op, q->attrs, &f.loop);
    f.group[0] = f.loop.first_carry;
    f.group[1] = f.loop.n_carry;
    f.group[2] = f.loop.n_inputs;
    f.group[3] = q->n_operands - ct__first_capture(&f.loop);
    if (ct__whole_begin(&f.whole, q) && derive_body(&f) && arrange(&f))
        apply_forward(&f);
    ct__graph_release(f.body);
    ct__graph_release(f.cond);
    ct__whole_end(&f.whole);
}

void ct__jvp_scan(ct__jvp_whole *q)
{
    jvp_loop(q);
}

void ct__jvp_for(ct__jvp_whole *q)
{
    jvp_loop(q);
}

void ct__jvp_while(ct__jvp_whole *q)
{
    jvp_loop(q);
}

/* ---- The transposed scan or for runs the other way:
 *
 *   carry  (cbar…, sums of the linear captures' cotangents…)
 *   x      (ybar…, known x…)            captures  (known captures…)
 *   y      (cotangents of the linear x…)
 *
 * where the body's transpose is (index, known x…, known captures…, cbar…, ybar…, sums of captures
 * of which it reads a few places…) -> (cbar…, linear x bar…, linear capture bar…). A for has the
 * index, a scan x and y. */
typedef struct backward {
    ct__transpose *q;
    ct__arena *arena;
    ct__loop loop;
    ct__graph *body; /* transposed */
    bool *onto;      /* per operand: the body adds to its sum */
    size_t n_y;
    size_t known_x, linear_x, known_captures, linear_captures;
} backward;

static void count_groups(backward *w)
{
    const ct__transpose *q = w->q;
    ct__loop_of(q->op, q->attrs, &w->loop);
    const bool *x = q->linear + w->loop.first_carry + w->loop.n_carry;
    const bool *capture = x + w->loop.n_inputs;
    size_t n_captures = q->n_operands - ct__first_capture(&w->loop);
    w->n_y = q->n_results - w->loop.n_carry;
    w->linear_x = ct__count_set(x, w->loop.n_inputs);
    w->known_x = w->loop.n_inputs - w->linear_x;
    w->linear_captures = ct__count_set(capture, n_captures);
    w->known_captures = n_captures - w->linear_captures;
}

/* Parameters of the new body in its order, and the transposed body's arguments among them. */
static void body_params(backward *w, ct_tensor **sum, ct_tensor **argument)
{
    const ct__graph *body = w->body;
    ct_context *ctx = w->q->ctx;
    ct_place at = w->q->at;
    size_t index = w->loop.first_carry, n_carry = w->loop.n_carry;
    size_t known = index + w->known_x + w->known_captures, capture = 0;
    ct_tensor **cbar = argument + known, **ybar = cbar + n_carry, **onto = ybar + w->n_y;
    for (size_t i = 0; i < index; i++)
        argument[i] = ct__trace_param_like(ctx, at, body, i);
    for (size_t i = 0; i < n_carry; i++)
        cbar[i] = ct__trace_param(ctx, at, ct__param_type(body, known + i));
    for (size_t i = 0; i < w->linear_captures; i++)
        sum[i] = ct__trace_param(ctx, at, ct__result_type(body, n_carry + w->linear_x + i));
    for (size_t i = 0; i < w->n_y; i++)
        ybar[i] = ct__trace_param(ctx, at, ct__param_type(body, known + n_carry + i));
    for (size_t i = index; i < known; i++)
        argument[i] = ct__trace_param_like(ctx, at, body, i);
    for (size_t i = ct__first_capture(&w->loop); i < w->q->n_operands; i++) {
        if (w->onto[i])
            *onto++ = sum[capture];
        capture += w->q->linear[i];
    }
}

/* The sums with what the transposed body says of the linear captures: bar[]. */
static void add_to_sums(const backward *w, ct_tensor *const *sum, ct_tensor *const *bar,
                        ct_tensor **result)
{
    size_t capture = 0;
    for (size_t i = ct__first_capture(&w->loop); i < w->q->n_operands; i++) {
        if (!w->q->linear[i])
            continue;
        result[capture] = w->onto[i] ? bar[capture] : ct__sum(w->q->at, sum[capture], bar[capture]);
        capture++;
    }
}

static ct__graph *record_body(backward *w, ct__arena *arena)
{
    ct_context *ctx = w->q->ctx;
    const ct__graph *body = w->body;
    size_t n_carry = w->loop.n_carry, count = 0;
    ct_tensor **sum = CT__NEW_ARRAY(arena, ct_tensor *, w->linear_captures);
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, body->n_params);
    ct_tensor **bar = CT__NEW_ARRAY(arena, ct_tensor *, body->n_results);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, body->n_results);
    if (!sum || !argument || !bar || !result) {
        ct__error_memory(ctx, w->q->at, "loop");
        return NULL;
    }
    body_params(w, sum, argument);
    if (!ct__replay(ctx, w->q->at, body, argument, bar))
        return NULL;
    ct__append_all(result, &count, bar, n_carry);
    add_to_sums(w, sum, bar + n_carry + w->linear_x, result + count);
    count += w->linear_captures;
    ct__append_all(result, &count, bar + n_carry, w->linear_x);
    return ct__trace_close(ctx, w->q->at, count, result);
}

static ct__graph *new_body(backward *w)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, w->q->ctx, w->q->at, &arena, "loop", w->q->region[0]))
        return NULL;
    ct__graph *graph = record_body(w, &arena);
    ct__session_end(&session);
    return graph;
}

static ct_tensor *ybar_or_zeros(const ct__transpose *q, size_t i)
{
    return q->ybar[i] ? q->ybar[i] : ct__zeros(q->ctx, q->at, q->result_type[i]);
}

static size_t backward_operands(const backward *w, ct_tensor **operand)
{
    ct__transpose *q = w->q;
    size_t count = 0, first = w->loop.first_carry, n_carry = w->loop.n_carry;
    ct__append_all(operand, &count, q->x, first);
    for (size_t i = 0; i < n_carry; i++)
        operand[count++] = ybar_or_zeros(q, i);
    for (size_t i = ct__first_capture(&w->loop); i < q->n_operands; i++)
        if (q->linear[i])
            operand[count++] = w->onto[i] ? ct__cotangent_take_or_zeros(q, i)
                                          : ct__zeros(q->ctx, q->at, q->type[i]);
    for (size_t i = n_carry; i < q->n_results; i++)
        operand[count++] = ybar_or_zeros(q, i);
    for (size_t i = first + n_carry; i < q->n_operands; i++)
        if (!q->linear[i])
            operand[count++] = q->x[i];
    return count;
}

/* Results of the transposed loop: (cbar…, sums…, linear x bar…). */
static void add_cotangents(const backward *w, ct_tensor *const *bar)
{
    ct__transpose *q = w->q;
    size_t n_carry = w->loop.n_carry, first_x = w->loop.first_carry + n_carry;
    size_t sum = n_carry, x = n_carry + w->linear_captures;
    for (size_t i = 0; i < n_carry; i++)
        ct__cotangent_add(q, w->loop.first_carry + i, bar[i]);
    for (size_t i = first_x; i < q->n_operands; i++)
        if (q->linear[i])
            ct__cotangent_add(q, i, i < ct__first_capture(&w->loop) ? bar[x++] : bar[sum++]);
}

static void apply_backward(backward *w, ct__graph *body)
{
    ct__transpose *q = w->q;
    ct__attrs attrs = *q->attrs;
    ct__set_loop(q->op, &attrs, w->loop.n_carry + w->linear_captures, w->n_y + w->known_x);
    if (q->op == CT__OP_scan)
        attrs.scan.is_reverse = !attrs.scan.is_reverse;
    else
        attrs.counted.is_reverse = !attrs.counted.is_reverse;
    ct_tensor **operand = CT__NEW_ARRAY(w->arena, ct_tensor *, q->n_operands + q->n_results);
    ct_tensor **bar = CT__NEW_ARRAY(w->arena, ct_tensor *, body->n_results);
    if (!operand || !bar) {
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
        return;
    }
    if (ct__apply(&(ct__request){.ctx = q->ctx,
                                 .at = q->at,
                                 .op = q->op,
                                 .attrs = &attrs,
                                 .n_operands = backward_operands(w, operand),
                                 .operand = operand,
                                 .n_regions = 1,
                                 .region = &body},
                  bar, body->n_results))
        add_cotangents(w, bar);
}

/* A carry's cotangent goes around whether its start is linear or a known zero. */
static bool *body_linear(const backward *w)
{
    bool *linear = CT__NEW_ARRAY(w->arena, bool, w->q->n_operands);
    for (size_t i = 0; linear && i < w->q->n_operands; i++)
        linear[i] = w->q->linear[i] ||
                    (i >= w->loop.first_carry && i < w->loop.first_carry + w->loop.n_carry);
    return linear;
}

/* The sums of captures of which the body reads a few places go through it, those of others get what
 * it gives. */
static bool find_onto(backward *w)
{
    ct__transpose *q = w->q;
    w->onto = CT__NEW_ARRAY(w->arena, bool, q->n_operands);
    if (!w->onto)
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
    else if (!ct__find_places(q->ctx, q->at, q->region[0], true, w->onto))
        return false;
    for (size_t i = 0; w->onto && i < q->n_operands; i++)
        w->onto[i] = w->onto[i] && q->linear[i] && i >= ct__first_capture(&w->loop);
    return w->onto;
}

static void transpose_loop(ct__transpose *q)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    backward w = {.q = q, .arena = &arena};
    count_groups(&w);
    bool *linear = body_linear(&w);
    if (!linear)
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
    else if (find_onto(&w))
        w.body = ct__graph_transpose_onto(q->ctx, q->at, q->region[0], linear, w.onto);
    ct__graph *body = w.body ? new_body(&w) : NULL;
    if (body)
        apply_backward(&w, body);
    ct__graph_release(body);
    ct__graph_release(w.body);
    ct__arena_free(&arena);
}

void ct__transpose_scan(ct__transpose *q)
{
    transpose_loop(q);
}

/* What is linear in a while has become a for (unzip_loop.c), but where it decides how often. */
void ct__transpose_while(ct__transpose *q)
{
    ct__error(q->ctx, q->at, CT_ERR_RULE,
              "while: its condition depends on the values in which it is to be transposed");
}

void ct__transpose_for(ct__transpose *q)
{
    transpose_loop(q);
}
