/* Loops of which the reverse derivative keeps less: loops of segments, which are checkpoints.
 *
 *   scan   see reverse_scan.c
 *   for    a for of segments of k = ⌈√count⌉
 *   while  a while of segments of at most 1, 2, 3, … iterations */
#include "ad/reverse_loops.h"

#include <string.h>

static ct__graph *rewrite(ct__loops *w, ct__graph *graph);

bool ct__loops_memory(const ct__loops *w)
{
    ct__error_memory(w->ctx, w->at, "reverse_loops");
    return false;
}

static ct_tensor *number(const ct__loop_site *s, int64_t value)
{
    return ct__splat(s->w->ctx, s->node->at, s->w->i64, (double)value);
}

ct_tensor *ct__site_param(const ct__loop_site *s, const ct_type *type)
{
    return ct__trace_param(s->w->ctx, s->node->at, type);
}

/* Parameters like `count` operands from `first` on. Carries and captures have the loop's names. */
static void params_like(const ct__loop_site *s, size_t first, size_t count, ct_tensor **list)
{
    for (size_t i = first; i < first + count; i++)
        list[i - first] = i < s->loop.first_carry
                              ? ct__site_param(s, s->operand[i]->type)
                              : ct__trace_param_like(s->w->ctx, s->node->at, s->body[0], i);
}

bool ct__site_apply(const ct__loop_site *s, ct__op op, const ct__attrs *attrs, ct_list operands,
                    size_t n_regions, ct__graph *const *region, ct_tensor **result,
                    size_t n_results)
{
    return ct__apply(&(ct__request){.ctx = s->w->ctx,
                                    .at = s->node->at,
                                    .op = op,
                                    .attrs = attrs,
                                    .n_operands = operands.count,
                                    .operand = operands.item,
                                    .n_regions = n_regions,
                                    .region = region},
                     result, n_results);
}

/* ---- Graphs made in a session of their own. */

ct__graph *ct__in_session(const ct__loop_site *s, const char *what, ct__make_graph *make,
                          int64_t count)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, s->w->ctx, s->node->at, &arena, what, s->body[s->loop.body]))
        return NULL;
    ct__graph *graph = make(s, count, session.arena);
    ct__session_end(&session);
    return graph;
}

/* The same as a checkpoint. */
ct__graph *ct__segment(const ct__loop_site *s, const char *what, ct__make_graph *make,
                       int64_t count)
{
    ct__graph *plain = ct__in_session(s, what, make, count);
    ct__graph *marked = plain ? ct__graph_checkpoint(s->w->ctx, s->node->at, plain, NULL) : NULL;
    ct__graph_release(plain);
    return marked;
}

/* ---- What an iteration needs. */

static double add_bytes(ct__loops *w, const ct__graph *body)
{
    double bytes = 0;
    for (size_t i = 0; i < body->n_nodes; i++) {
        const ct__node *node = &body->node[i];
        double count = node->op == CT__OP_scan ? (double)node->attrs->scan.length : 1;
        for (size_t r = 0; r < node->n_results; r++)
            bytes += (double)ct__data_bytes(ct__graph_type(body, node->first_result + (ct__id)r));
        for (size_t r = 0; ct__has(node->op, CT__CONTROL) && r < node->n_regions; r++)
            bytes += count * ct__bytes_of_body(w, node->region[r]);
    }
    return bytes;
}

double ct__bytes_of_body(ct__loops *w, const ct__graph *body)
{
    ct__measured *all = &w->measured;
    size_t at;
    if (ct__lookup_find(&all->position, (uintptr_t)body, 0, &at))
        return all->bytes[at];
    double bytes = add_bytes(w, body);
    if (!ct__lookup_reserve(&w->ctx->allocator, &all->position) ||
        !ct__grow(&w->ctx->allocator, &all->bytes, &all->capacity, all->count + 1,
                  sizeof *all->bytes)) {
        ct__loops_memory(w);
        return bytes;
    }
    all->bytes[all->count] = bytes;
    ct__lookup_add(&all->position, (uintptr_t)body, 0, all->count++);
    return bytes;
}

double ct__bytes_of_carry(const ct__loop_site *s)
{
    double bytes = 0;
    for (size_t i = 0; i < s->loop.n_carry; i++)
        bytes += (double)ct__data_bytes(s->operand[s->loop.first_carry + i]->type);
    return bytes;
}

bool ct__refuse_limit(const ct__loop_site *s, double least)
{
    ct__error(
        s->w->ctx, s->node->at, CT_ERR_RANGE,
        "reverse_loops: an iteration of this %s and its carry take up to %.0f bytes, which is "
        "more than the limit of %lld",
        ct__op_describe(s->node->op)->name, least, (long long)s->w->options->bytes);
    return false;
}

/* ---- for: (s, first index's parts…) Every segment has k iterations but the last. */

/* (j, carry…, captures…, first) -> body(first + j, carry…, captures…) */
static ct__graph *shifted_body(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    ct__graph *body = s->body[0];
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, body->n_params + 1);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, body->n_results);
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    for (size_t i = 0; i <= body->n_params; i++)
        list[i] = i < body->n_params ? ct__trace_param_like(s->w->ctx, s->node->at, body, i)
                                     : ct__site_param(s, s->w->i64);
    list[0] = ct_op_add_at(s->node->at, list[0], list[body->n_params]);
    if (!ct__replay(s->w->ctx, s->node->at, body, list, result))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, body->n_results, result);
}

/* (s, carry…, captures…, count, k) -> the segment that begins at s k */
static ct__graph *for_segment(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    ct_place at = s->node->at;
    size_t n = s->node->n_operands;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n + 2);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    params_like(s, 0, n, list);
    ct_tensor *count = ct__site_param(s, s->w->i64), *k = ct__site_param(s, s->w->i64);
    ct_tensor *first = ct_op_multiply_at(at, list[0], k);
    list[0] = ct_op_minimum_at(at, k, ct_op_subtract_at(at, count, first));
    list[n] = first;
    ct__graph *body = ct__in_session(s, "shifted", shifted_body, 0);
    bool fine = body && ct__site_apply(s, CT__OP_for, s->node->attrs, (ct_list){n + 1, list}, 1,
                                       &body, result, s->node->n_results);
    ct__graph_release(body);
    return fine ? ct__trace_close(s->w->ctx, at, s->node->n_results, result) : NULL;
}

/* ⌈√count⌉, at least 1 and at most the cap. */
static ct_tensor *segment_length(const ct__loop_site *s)
{
    ct_place at = s->node->at;
    ct_tensor *one = number(s, 1), *count = ct_op_maximum_at(at, s->operand[0], one);
    ct_tensor *root = ct_op_sqrt_at(at, ct_op_convert_at(at, count, CT_F64));
    ct_tensor *k = ct_op_convert_at(at, ct_op_ceil_at(at, root), CT_I64);
    return s->cap > 0 ? ct_op_minimum_at(at, k, number(s, s->cap)) : k;
}

static bool record_for(const ct__loop_site *s, ct_tensor **result)
{
    ct_place at = s->node->at;
    size_t n = s->node->n_operands;
    ct_tensor **operand = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n + 2);
    if (!operand)
        return ct__loops_memory(s->w);
    ct_tensor *k = segment_length(s), *less = ct_op_subtract_at(at, k, number(s, 1));
    ct__append_all(operand, &(size_t){0}, s->operand, n);
    operand[0] = ct_op_divide_at(at, ct_op_add_at(at, s->operand[0], less), k);
    operand[n] = s->operand[0];
    operand[n + 1] = k;
    ct__graph *body = ct__segment(s, "segment", for_segment, 0);
    bool fine = body && ct__site_apply(s, CT__OP_for, s->node->attrs, (ct_list){n + 2, operand}, 1,
                                       &body, result, s->node->n_results);
    ct__graph_release(body);
    return fine;
}

/* ---- while: (carry…, j, captures…), of at most j iterations in this segment. */

/* Parameters (carry…, one more, captures…, and maybe another); list[] gets the loop's own. */
static ct_tensor *split_params(const ct__loop_site *s, ct_tensor **list)
{
    size_t n_carry = s->loop.n_carry;
    params_like(s, 0, n_carry, list);
    ct_tensor *extra = ct__site_param(s, s->w->i64);
    params_like(s, n_carry, s->node->n_operands - n_carry, list + n_carry);
    return extra;
}

/* (carry…, i, captures…, j) -> cond and i < j; for `is_cond` 0 (body…, i + 1) */
static ct__graph *inner_part(const ct__loop_site *s, int64_t is_cond, ct__arena *arena)
{
    ct_place at = s->node->at;
    const ct__graph *own = s->body[is_cond ? 0 : 1];
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, own->n_results + 1);
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    ct_tensor *i = split_params(s, list), *j = ct__site_param(s, s->w->i64);
    if (!ct__replay(s->w->ctx, at, own, list, result))
        return NULL;
    if (is_cond) {
        ct_tensor *below = ct_op_compare_at(at, i, j, CT_LT, CT_COMPARE_SIGNED);
        result[0] = ct_op_and_at(at, result[0], below);
        return ct__trace_close(s->w->ctx, at, 1, result);
    }
    result[own->n_results] = ct_op_add_at(at, i, number(s, 1));
    return ct__trace_close(s->w->ctx, at, own->n_results + 1, result);
}

/* (carry…, j, captures…) -> (carry…) after at most j iterations */
static ct__graph *while_segment(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n + 2);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, n_carry + 1);
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)n_carry + 1}};
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    ct_tensor *j = split_params(s, list);
    if (s->cap > 0)
        j = ct_op_minimum_at(s->node->at, j, number(s, s->cap));
    memmove(list + n_carry + 1, list + n_carry, (n - n_carry) * sizeof *list);
    list[n_carry] = number(s, 0);
    list[n + 1] = j;
    ct__graph *cond = ct__in_session(s, "goes_on", inner_part, 1);
    ct__graph *body = cond ? ct__in_session(s, "iteration", inner_part, 0) : NULL;
    ct__graph *const region[] = {cond, body};
    bool fine = body && ct__site_apply(s, CT__OP_while, &attrs, (ct_list){n + 2, list}, 2, region,
                                       result, n_carry + 1);
    ct__graph_release(cond);
    ct__graph_release(body);
    return fine ? ct__trace_close(s->w->ctx, s->node->at, n_carry, result) : NULL;
}

/* (carry…, j, captures…) -> cond */
static ct__graph *outer_cond(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands), *goes_on;
    (void)unused;
    if (!list) {
        ct__loops_memory(s->w);
        return NULL;
    }
    split_params(s, list);
    if (!ct__replay(s->w->ctx, s->node->at, s->body[0], list, &goes_on))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, 1, &goes_on);
}

/* (carry…, j, captures…) -> (the segment's carry…, j + 1) */
static ct__graph *outer_body(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n + 1);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, n_carry + 1);
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    ct_tensor *j = split_params(s, list);
    memmove(list + n_carry + 1, list + n_carry, (n - n_carry) * sizeof *list);
    list[n_carry] = j;
    ct__graph *part = ct__segment(s, "segment", while_segment, 0);
    bool fine = part && ct__replay(s->w->ctx, s->node->at, part, list, result);
    ct__graph_release(part);
    result[n_carry] = ct_op_add_at(s->node->at, j, number(s, 1));
    return fine ? ct__trace_close(s->w->ctx, s->node->at, n_carry + 1, result) : NULL;
}

static bool record_while(const ct__loop_site *s, ct_tensor **result)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)n_carry + 1}};
    ct_tensor **operand = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n + 1);
    ct_tensor **all = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n_carry + 1);
    if (!operand || !all)
        return ct__loops_memory(s->w);
    for (size_t i = 0; i <= n; i++)
        operand[i] = i < n_carry ? s->operand[i] : i == n_carry ? number(s, 1) : s->operand[i - 1];
    ct__graph *cond = ct__in_session(s, "goes_on", outer_cond, 0);
    ct__graph *body = cond ? ct__in_session(s, "segments", outer_body, 0) : NULL;
    ct__graph *const region[] = {cond, body};
    bool fine = body && ct__site_apply(s, CT__OP_while, &attrs, (ct_list){n + 1, operand}, 2,
                                       region, all, n_carry + 1);
    ct__graph_release(cond);
    ct__graph_release(body);
    for (size_t i = 0; fine && i < n_carry; i++)
        result[i] = all[i];
    return fine;
}

/* ---- Loops whose count a run knows: half of the limit is for the iterations of a segment. */

static bool set_cap(ct__loop_site *s)
{
    if (s->w->options->strategy != CT_REVERSE_LIMIT)
        return true;
    double iteration = ct__bytes_of_body(s->w, s->body[s->loop.body]);
    double limit = (double)s->w->options->bytes;
    if (iteration == 0 || ct_failed(s->w->ctx))
        return !ct_failed(s->w->ctx);
    if (iteration + ct__bytes_of_carry(s) > limit)
        return ct__refuse_limit(s, iteration + ct__bytes_of_carry(s));
    s->cap = (int64_t)(limit / 2 / iteration);
    s->cap = s->cap > 0 ? s->cap : 1;
    return true;
}

static bool record_loop(ct__loop_site *s, ct_tensor **result)
{
    if (s->node->op == CT__OP_scan)
        return ct__reverse_scan(s, result);
    if (!set_cap(s))
        return false;
    return s->node->op == CT__OP_for ? record_for(s, result) : record_while(s, result);
}

/* ---- Graphs. */

/* The node's bodies, rewritten; borrowed. NULL after an error. */
static ct__graph **rewritten_bodies(ct__loops *w, const ct__node *node)
{
    ct__graph **body = CT__NEW_ARRAY(w->arena, ct__graph *, node->n_regions);
    if (!body)
        ct__loops_memory(w);
    for (size_t r = 0; body && r < node->n_regions; r++) {
        body[r] = rewrite(w, node->region[r]);
        if (!body[r])
            return NULL;
    }
    return body;
}

static bool rewrite_node(ct__loops *w, const ct__graph *graph, const ct__node *from,
                         ct_tensor **value)
{
    ct__node node = *from;
    ct__graph **body = ct__has(from->op, CT__CONTROL) ? rewritten_bodies(w, from) : NULL;
    ct__loop_site s = {.w = w, .node = &node, .body = body};
    if (ct__has(from->op, CT__CONTROL) && !body)
        return false;
    if (body)
        node.region = body;
    if (!ct__loop_of(node.op, node.attrs, &s.loop))
        return ct__replay_node(w->ctx, graph, &node, w->arena, value);
    ct_tensor **operand = CT__NEW_ARRAY(w->arena, ct_tensor *, node.n_operands);
    if (!operand)
        return ct__loops_memory(w);
    for (size_t i = 0; i < node.n_operands; i++)
        operand[i] = value[node.operand[i]];
    s.operand = operand;
    return record_loop(&s, value + node.first_result) &&
           ct__name_results(w->ctx, graph, from, value);
}

static ct__graph *rewrite_in(ct__loops *w, const ct__graph *graph)
{
    ct_tensor **value = CT__NEW_ARRAY(w->arena, ct_tensor *, graph->n_values);
    ct_tensor **result = CT__NEW_ARRAY(w->arena, ct_tensor *, graph->n_results);
    if (!value || !result) {
        ct__loops_memory(w);
        return NULL;
    }
    for (size_t i = 0; i < graph->n_params; i++)
        value[graph->param[i]] = ct__trace_param_like(w->ctx, w->at, graph, i);
    for (size_t i = 0; i < graph->n_nodes && !ct_failed(w->ctx); i++)
        rewrite_node(w, graph, &graph->node[i], value);
    for (size_t i = 0; i < graph->n_results; i++)
        result[i] = value[graph->result[i]];
    return ct__trace_close(w->ctx, w->at, graph->n_results, result);
}

static ct__graph *rewrite_afresh(ct__loops *w, const ct__graph *graph)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, w->ctx, w->at, &arena, "reverse", graph))
        return NULL;
    ct__graph *to = rewrite_in(w, graph);
    ct__session_end(&session);
    return to;
}

/* Borrowed from the list of what is rewritten; NULL after an error. */
static ct__graph *rewrite(ct__loops *w, ct__graph *graph)
{
    ct__rewritten *all = &w->rewritten;
    size_t at;
    if (all->graph && ct__lookup_find(&all->position, (uintptr_t)graph, 0, &at))
        return all->graph[at];
    ct__graph *to = rewrite_afresh(w, graph);
    if (!to)
        return NULL;
    if (!ct__lookup_reserve(&w->ctx->allocator, &all->position) ||
        !ct__grow(&w->ctx->allocator, &all->graph, &all->capacity, all->count + 1,
                  sizeof *all->graph)) {
        ct__loops_memory(w);
        ct__graph_release(to);
        return NULL;
    }
    all->graph[all->count] = to;
    ct__lookup_add(&all->position, (uintptr_t)graph, 0, all->count++);
    return to;
}

/* ---- The transform. */

#define WRONG(...) (ct__error(ctx, at, CT_ERR_ARGUMENT, "reverse_loops: " __VA_ARGS__), false)

static bool check_options(ct_context *ctx, ct_place at, const ct_reverse_options *o)
{
    if (o->strategy > CT_REVERSE_LIMIT)
        return WRONG("there is no strategy %d", (int)o->strategy);
    if (o->strategy == CT_REVERSE_BINOMIAL && o->snapshots < 1)
        return WRONG("snapshots = %lld; there must be 1 at least", (long long)o->snapshots);
    if (o->strategy == CT_REVERSE_LIMIT && o->bytes < 0)
        return WRONG("bytes = %lld is negative", (long long)o->bytes);
    return true;
}

static ct__graph *transformed(ct__loops *w, ct__graph *graph)
{
    w->i64 = ct__type(w->arena, CT_I64, 0, NULL);
    ct__graph *to = w->i64 ? rewrite(w, graph) : NULL;
    if (!to || !ct__graph_set_arguments(to, graph->n_arguments, graph->leaves))
        ct__loops_memory(w); /* unless there is an error already */
    return ct_failed(w->ctx) ? NULL : ct__graph_retain(to);
}

static void forget(ct__loops *w)
{
    const ct_allocator *allocator = &w->ctx->allocator;
    for (size_t i = 0; i < w->rewritten.count; i++)
        ct__graph_release(w->rewritten.graph[i]);
    ct__release(allocator, w->rewritten.graph, w->rewritten.capacity * sizeof *w->rewritten.graph);
    ct__release(allocator, w->measured.bytes, w->measured.capacity * sizeof *w->measured.bytes);
    ct__lookup_free(allocator, &w->rewritten.position);
    ct__lookup_free(allocator, &w->measured.position);
}

ct_function *ct_reverse_loops_at(ct_place at, ct_function *f, const ct_reverse_options *options)
{
    ct_context *ctx = ct_function_context(f);
    ct_reverse_options o = {.size = sizeof o};
    if (!ct__function_check(ctx, at, "reverse_loops", f) ||
        !ct__read_options(ctx, at, "reverse_loops", "ct_reverse_options", options, &o, sizeof o) ||
        !check_options(ctx, at, &o))
        return ct__poison_function(ctx);
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    ct__loops w = {.ctx = ctx, .at = at, .options = &o, .arena = &arena};
    ct__graph *graph = o.strategy == CT_REVERSE_KEEP_ALL ? ct__graph_retain(f->graph)
                                                         : transformed(&w, f->graph);
    forget(&w);
    ct__arena_free(&arena);
    return ct__function_new(ctx, at, graph);
}
