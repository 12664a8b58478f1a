/* Forward and transpose rules of the operations with bodies that control: call, if, scan, barrier.
 */
#include "ad/derive.h"

/* ---- Lists. */

static size_t count_live(const bool *live, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += live[i];
    return n;
}

/* live[i]: x[i] is not NULL. In the arena; NULL after an error. */
static bool *live_mask(ct__arena *arena, ct_tensor *const *x, size_t count)
{
    bool *live = CT__NEW_ARRAY(arena, bool, count);
    for (size_t i = 0; live && i < count; i++)
        live[i] = x[i] != NULL;
    return live;
}

/* Append the non-NULL ones of x to list. */
static void append_live(ct_tensor **list, size_t *count, ct_tensor *const *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i])
            list[(*count)++] = x[i];
}

static void append_all(ct_tensor **list, size_t *count, ct_tensor *const *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        list[(*count)++] = x[i];
}

/* ---- Forward. */

/* What a whole rule works with. */
typedef struct whole {
    ct__jvp_whole *q;
    ct__arena arena;
    bool *live_in;  /* per operand */
    bool *live_out; /* per result */
} whole;

static bool whole_begin(whole *w, ct__jvp_whole *q)
{
    w->q = q;
    ct__arena_init(&w->arena, &q->ctx->allocator);
    w->live_in = live_mask(&w->arena, q->dx, q->n_operands);
    w->live_out = CT__NEW_ARRAY(&w->arena, bool, q->n_results);
    if (!w->live_in || !w->live_out)
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
    return !ct_failed(q->ctx);
}

static void whole_end(whole *w)
{
    ct__arena_free(&w->arena);
}

/* Record the derived node; its results are all primal ones, then the live tangents. */
static void apply_whole(whole *w, const ct__attrs *attrs, ct_list operands, size_t n_regions,
                        ct__graph *const *region)
{
    ct__jvp_whole *q = w->q;
    size_t count = q->n_results + count_live(w->live_out, q->n_results);
    ct_tensor **result = CT__NEW_ARRAY(&w->arena, ct_tensor *, count);
    if (!result) {
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
        return;
    }
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = q->op,
                             .attrs = attrs,
                             .n_operands = operands.count,
                             .operand = operands.item,
                             .n_regions = n_regions,
                             .region = region},
              result, count);
    size_t next = q->n_results;
    for (size_t i = 0; i < q->n_results; i++) {
        q->y[i] = result[i];
        q->dy[i] = w->live_out[i] ? result[next++] : NULL;
    }
}

void ct__jvp_call(ct__jvp_whole *q)
{
    whole w;
    if (whole_begin(&w, q)) {
        const bool *live_out = NULL;
        ct__graph *callee = ct__derived_jvp(q->ctx, q->at, q->region[0], w.live_in, &live_out);
        ct_tensor **operand = CT__NEW_ARRAY(&w.arena, ct_tensor *, 2 * q->n_operands);
        size_t count = 0;
        if (callee && operand) {
            for (size_t i = 0; i < q->n_results; i++)
                w.live_out[i] = live_out[i];
            append_all(operand, &count, q->x, q->n_operands);
            append_live(operand, &count, q->dx, q->n_operands);
            apply_whole(&w, q->attrs, (ct_list){count, operand}, 1, &callee);
        }
        if (!operand)
            ct__error_memory(q->ctx, q->at, "call");
    }
    whole_end(&w);
}

/* Both branches give the tangents that either may give. */
static bool derive_branches(whole *w, ct__graph **branch)
{
    ct__jvp_whole *q = w->q;
    bool *must = CT__NEW_ARRAY(&w->arena, bool, q->n_results);
    if (!must) {
        ct__error_memory(q->ctx, q->at, "if");
        return false;
    }
    for (int b = 0; b < 2; b++) {
        const bool *live = ct__live_results(q->ctx, q->at, q->region[b], w->live_in + 1);
        if (!live)
            return false;
        for (size_t i = 0; i < q->n_results; i++)
            must[i] = must[i] || live[i];
    }
    for (int b = 0; b < 2; b++) {
        branch[b] = ct__graph_jvp(q->ctx, q->at, q->region[b], w->live_in + 1, must, w->live_out);
        if (!branch[b])
            return false;
    }
    return true;
}

void ct__jvp_if(ct__jvp_whole *q)
{
    whole w;
    ct__graph *branch[2] = {NULL, NULL};
    if (whole_begin(&w, q) && derive_branches(&w, branch)) {
        ct_tensor **operand = CT__NEW_ARRAY(&w.arena, ct_tensor *, 2 * q->n_operands);
        size_t count = 0;
        if (operand) {
            append_all(operand, &count, q->x, q->n_operands);
            append_live(operand, &count, q->dx, q->n_operands);
            apply_whole(&w, q->attrs, (ct_list){count, operand}, 2, branch);
        } else {
            ct__error_memory(q->ctx, q->at, "if");
        }
    }
    ct__graph_release(branch[0]);
    ct__graph_release(branch[1]);
    whole_end(&w);
}

/* ---- scan: operands in three groups, each followed by its live tangents. */

/* The body's forward derivative; a carry's tangent is live as soon as an iteration may make it so.
 */
static ct__graph *derive_body(whole *w, const ct__node *node)
{
    ct__jvp_whole *q = w->q;
    const bool *flow;
    bool *must = CT__NEW_ARRAY(&w->arena, bool, q->n_results);
    if (!must) {
        ct__error_memory(q->ctx, q->at, "scan");
        return NULL;
    }
    if (!ct__flow_scan(q->ctx, q->at, node, true, w->live_in, &flow))
        return NULL;
    for (size_t i = 0; i < q->n_results; i++)
        must[i] = i < (size_t)node->attrs->scan.n_carry ? w->live_in[i] : flow[i];
    return ct__graph_jvp(q->ctx, q->at, q->region[0], w->live_in, must, w->live_out);
}

/* order[] for a list of three groups of all items followed by their live ones, from the order in
 * which all items come first and the live ones of all groups after them. */
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

/* Operands of the derived scan, in its order; a carry without a tangent starts from zero. */
static size_t scan_operands(whole *w, const size_t *group, ct_tensor **operand)
{
    ct__jvp_whole *q = w->q;
    size_t count = 0, item = 0;
    for (size_t g = 0; g < 3; g++) {
        append_all(operand, &count, q->x + item, group[g]);
        for (size_t i = item; i < item + group[g]; i++)
            if (w->live_in[i])
                operand[count++] = q->dx[i] ? q->dx[i] : ct__zeros(q->ctx, q->at, q->x[i]->type);
        item += group[g];
    }
    return count;
}

static void apply_scan(whole *w, ct__graph *body, const size_t *group)
{
    ct__jvp_whole *q = w->q;
    size_t results[2] = {group[0], q->n_results - group[0]};
    size_t *order = CT__NEW_ARRAY(&w->arena, size_t, body->n_params + body->n_results);
    ct_tensor **operand = CT__NEW_ARRAY(&w->arena, ct_tensor *, 2 * q->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(&w->arena, ct_tensor *, body->n_results);
    if (!order || !operand || !result) {
        ct__error_memory(q->ctx, q->at, "scan");
        return;
    }
    interleave(group, 3, w->live_in, order);
    ct__graph_permute_params(body, order);
    interleave(results, 2, w->live_out, order);
    ct__attrs attrs = *q->attrs;
    attrs.scan.n_carry += (int64_t)count_live(w->live_in, group[0]);
    attrs.scan.n_inputs += (int64_t)count_live(w->live_in + group[0], group[1]);
    size_t count = scan_operands(w, group, operand);
    if (!ct__graph_select_results(body, body->n_results, order)) {
        ct__error_memory(q->ctx, q->at, "scan");
        return;
    }
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = CT__OP_scan,
                             .attrs = &attrs,
                             .n_operands = count,
                             .operand = operand,
                             .n_regions = 1,
                             .region = &body},
              result, body->n_results);
    for (size_t i = 0; i < body->n_results; i++) {
        if (order[i] < q->n_results)
            q->y[order[i]] = result[i];
    }
    size_t tangent = q->n_results;
    for (size_t r = 0; r < q->n_results; r++) {
        for (size_t i = 0; w->live_out[r] && i < body->n_results; i++)
            if (order[i] == tangent)
                q->dy[r] = result[i];
        tangent += w->live_out[r];
    }
}

void ct__jvp_scan(ct__jvp_whole *q)
{
    whole w;
    size_t n_carry = (size_t)q->attrs->scan.n_carry, n_inputs = (size_t)q->attrs->scan.n_inputs;
    size_t group[3] = {n_carry, n_inputs, q->n_operands - n_carry - n_inputs};
    if (whole_begin(&w, q)) {
        ct__node node = {.op = CT__OP_scan, .attrs = q->attrs, .region = q->region};
        ct__graph *body = derive_body(&w, &node);
        if (body)
            apply_scan(&w, body, group);
        ct__graph_release(body);
    }
    whole_end(&w);
}

/* Two fences, so that tangents do not hold the primal values. */
void ct__jvp_optimization_barrier(ct__jvp_whole *q)
{
    whole w;
    if (whole_begin(&w, q)) {
        ct_tensor **list = CT__NEW_ARRAY(&w.arena, ct_tensor *, q->n_operands);
        size_t count = 0, next = 0;
        ct_op_optimization_barrier_at(q->at, (ct_list){q->n_operands, q->x}, q->y);
        if (list) {
            append_live(list, &count, q->dx, q->n_operands);
            ct_op_optimization_barrier_at(q->at, (ct_list){count, list}, list);
            for (size_t i = 0; i < q->n_operands; i++)
                q->dy[i] = q->dx[i] ? list[next++] : NULL;
        } else {
            ct__error_memory(q->ctx, q->at, "optimization_barrier");
        }
    }
    whole_end(&w);
}

/* ---- Transposes. */

void ct__transpose_optimization_barrier(ct__transpose *q)
{
    for (size_t i = 0; i < q->n_results; i++) {
        ct_tensor *bar = q->ybar[i];
        if (bar && q->linear[i]) {
            ct_op_optimization_barrier_at(q->at, (ct_list){1, &q->ybar[i]}, &bar);
            ct__cotangent_add(q, i, bar);
        }
    }
}

/* The known operands from `first` on, then the cotangents of float results, zeros included. */
static size_t backward_operands(const ct__transpose *q, size_t first, ct_tensor **operand)
{
    size_t count = 0;
    for (size_t i = first; i < q->n_operands; i++)
        if (!q->linear[i])
            operand[count++] = q->x[i];
    for (size_t i = 0; i < q->n_results; i++)
        if (ct__has_tangent(q->result_type[i]))
            operand[count++] = q->ybar[i] ? q->ybar[i]
                                          : ct__zeros(q->ctx, q->at, q->result_type[i]);
    return count;
}

static void add_cotangents(ct__transpose *q, size_t first, ct_tensor *const *bar)
{
    size_t next = 0;
    for (size_t i = first; i < q->n_operands; i++)
        if (q->linear[i])
            ct__cotangent_add(q, i, bar[next++]);
}

/* Transposed bodies on (known…, cotangents…); operand[0] is the predicate of an if. */
static void apply_transposed(ct__transpose *q, size_t leading, ct__arena *arena,
                             ct__graph *const *region)
{
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, q->n_operands + q->n_results + leading);
    ct_tensor **bar = CT__NEW_ARRAY(arena, ct_tensor *, q->n_operands);
    if (!operand || !bar) {
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
        return;
    }
    if (leading)
        operand[0] = q->x[0];
    size_t count = leading + backward_operands(q, leading, operand + leading);
    if (ct__apply(&(ct__request){.ctx = q->ctx,
                                 .at = q->at,
                                 .op = q->op,
                                 .n_operands = count,
                                 .operand = operand,
                                 .n_regions = q->n_regions,
                                 .region = region},
                  bar, count_live(q->linear + leading, q->n_operands - leading)))
        add_cotangents(q, leading, bar);
}

void ct__transpose_call(ct__transpose *q)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    ct__graph *callee = ct__derived_transpose(q->ctx, q->at, q->region[0], q->linear);
    if (callee)
        apply_transposed(q, 0, &arena, &callee);
    ct__arena_free(&arena);
}

void ct__transpose_if(ct__transpose *q)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    ct__graph *branch[2];
    for (int i = 0; i < 2; i++)
        branch[i] = ct__graph_transpose(q->ctx, q->at, q->region[i], q->linear + 1);
    if (branch[0] && branch[1])
        apply_transposed(q, 1, &arena, branch);
    ct__graph_release(branch[0]);
    ct__graph_release(branch[1]);
    ct__arena_free(&arena);
}

/* ---- The transposed scan runs the other way:
 *
 *   carry  (cbar…, sums of the linear captures' cotangents…)
 *   x      (ybar…, known x…)            captures  (known captures…)
 *   y      (cotangents of the linear x…)
 *
 * where the body's transpose is (known x…, known captures…, cbar…, ybar…) ->
 * (cbar…, linear x bar…, linear capture bar…). */
typedef struct backward {
    ct__transpose *q;
    ct__arena *arena;
    ct__graph *body; /* transposed */
    size_t n_carry, n_y;
    size_t known_x, linear_x, known_captures, linear_captures;
    const bool *x, *capture; /* linear, per x and per capture */
} backward;

static void count_groups(backward *w)
{
    const ct__transpose *q = w->q;
    size_t n_inputs = (size_t)q->attrs->scan.n_inputs;
    w->n_carry = (size_t)q->attrs->scan.n_carry;
    w->n_y = q->n_results - w->n_carry;
    w->x = q->linear + w->n_carry;
    w->capture = w->x + n_inputs;
    size_t n_captures = q->n_operands - w->n_carry - n_inputs;
    w->linear_x = count_live(w->x, n_inputs);
    w->known_x = n_inputs - w->linear_x;
    w->linear_captures = count_live(w->capture, n_captures);
    w->known_captures = n_captures - w->linear_captures;
}

/* Parameters of the new body in its order, and the transposed body's arguments among them. */
static void body_params(backward *w, ct_tensor **sum, ct_tensor **argument)
{
    const ct__graph *body = w->body;
    ct_context *ctx = w->q->ctx;
    ct_place at = w->q->at;
    size_t known = w->known_x + w->known_captures;
    ct_tensor **cbar = argument + known, **ybar = cbar + w->n_carry;
    for (size_t i = 0; i < w->n_carry; i++)
        cbar[i] = ct__trace_param(ctx, at, ct__param_type(body, known + i));
    for (size_t i = 0; i < w->linear_captures; i++)
        sum[i] = ct__trace_param(ctx, at, ct__result_type(body, w->n_carry + w->linear_x + i));
    for (size_t i = 0; i < w->n_y; i++)
        ybar[i] = ct__trace_param(ctx, at, ct__param_type(body, known + w->n_carry + i));
    for (size_t i = 0; i < known; i++)
        argument[i] = ct__trace_param(ctx, at, ct__param_type(body, i));
}

static ct__graph *record_body(backward *w, ct__arena *arena)
{
    ct_context *ctx = w->q->ctx;
    const ct__graph *body = w->body;
    ct_tensor **sum = CT__NEW_ARRAY(arena, ct_tensor *, w->linear_captures);
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, body->n_params);
    ct_tensor **bar = CT__NEW_ARRAY(arena, ct_tensor *, body->n_results);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, body->n_results);
    if (!sum || !argument || !bar || !result) {
        ct__error_memory(ctx, w->q->at, "scan");
        return NULL;
    }
    body_params(w, sum, argument);
    if (!ct__replay(ctx, w->q->at, body, argument, bar))
        return NULL;
    size_t count = 0;
    append_all(result, &count, bar, w->n_carry);
    for (size_t i = 0; i < w->linear_captures; i++)
        result[count++] = ct_op_add_at(w->q->at, sum[i], bar[w->n_carry + w->linear_x + i]);
    append_all(result, &count, bar + w->n_carry, w->linear_x);
    return ct__trace_close(ctx, w->q->at, count, result);
}

static ct__graph *new_body(backward *w)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, w->q->ctx, w->q->at, &arena, "scan", w->q->region[0]))
        return NULL;
    ct__graph *graph = record_body(w, &arena);
    ct__session_end(&session);
    return graph;
}

static ct_tensor *ybar_or_zeros(const ct__transpose *q, size_t i)
{
    return q->ybar[i] ? q->ybar[i] : ct__zeros(q->ctx, q->at, q->result_type[i]);
}

static size_t backward_scan_operands(const backward *w, ct_tensor **operand)
{
    const ct__transpose *q = w->q;
    size_t count = 0;
    for (size_t i = 0; i < w->n_carry; i++)
        operand[count++] = ybar_or_zeros(q, i);
    for (size_t i = w->n_carry; i < q->n_operands; i++)
        if (q->linear[i] && i >= w->n_carry + w->known_x + w->linear_x)
            operand[count++] = ct__zeros(q->ctx, q->at, q->type[i]);
    for (size_t i = w->n_carry; i < q->n_results; i++)
        operand[count++] = ybar_or_zeros(q, i);
    for (size_t i = w->n_carry; i < q->n_operands; i++)
        if (!q->linear[i])
            operand[count++] = q->x[i];
    return count;
}

static void apply_backward(backward *w, ct__graph *body)
{
    ct__transpose *q = w->q;
    ct__attrs attrs = *q->attrs;
    attrs.scan.n_carry = (int64_t)(w->n_carry + w->linear_captures);
    attrs.scan.n_inputs = (int64_t)(w->n_y + w->known_x);
    attrs.scan.is_reverse = !q->attrs->scan.is_reverse;
    ct_tensor **operand = CT__NEW_ARRAY(w->arena, ct_tensor *, q->n_operands + q->n_results);
    ct_tensor **bar = CT__NEW_ARRAY(w->arena, ct_tensor *, body->n_results);
    if (!operand || !bar) {
        ct__error_memory(q->ctx, q->at, "scan");
        return;
    }
    if (!ct__apply(&(ct__request){.ctx = q->ctx,
                                  .at = q->at,
                                  .op = CT__OP_scan,
                                  .attrs = &attrs,
                                  .n_operands = backward_scan_operands(w, operand),
                                  .operand = operand,
                                  .n_regions = 1,
                                  .region = &body},
                   bar, body->n_results))
        return;
    size_t first_x = w->n_carry + w->known_x + w->linear_x; /* of captures */
    size_t sum = w->n_carry, x = w->n_carry + w->linear_captures;
    for (size_t i = 0; i < q->n_operands; i++) {
        if (i < w->n_carry)
            ct__cotangent_add(q, i, bar[i]);
        else if (q->linear[i])
            ct__cotangent_add(q, i, i < first_x ? bar[x++] : bar[sum++]);
    }
}

/* A carry's cotangent goes around whether its start is linear or a known zero. */
static bool *body_linear(const backward *w)
{
    bool *linear = CT__NEW_ARRAY(w->arena, bool, w->q->n_operands);
    for (size_t i = 0; linear && i < w->q->n_operands; i++)
        linear[i] = i < w->n_carry || w->q->linear[i];
    return linear;
}

void ct__transpose_scan(ct__transpose *q)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    backward w = {.q = q, .arena = &arena};
    count_groups(&w);
    bool *linear = body_linear(&w);
    if (linear)
        w.body = ct__graph_transpose(q->ctx, q->at, q->region[0], linear);
    else
        ct__error_memory(q->ctx, q->at, "scan");
    ct__graph *body = w.body ? new_body(&w) : NULL;
    if (body)
        apply_backward(&w, body);
    ct__graph_release(body);
    ct__graph_release(w.body);
    ct__arena_free(&arena);
}
