/* Loops of which the reverse derivative keeps less: loops of segments, which are checkpoints. */
#include "ad/reverse_loops.h"

#include <math.h>

static ct__graph *rewrite(ct__loops *w, ct__graph *graph);

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

bool ct__loops_memory(const ct__loops *w)
{
    ct__error_memory(w->ctx, w->at, "reverse_loops");
    return false;
}

ct_tensor *ct__site_number(const ct__loop_site *s, int64_t value)
{
    return ct__splat(s->w->ctx, s->node->at, s->w->i64, (double)value);
}

ct_tensor *ct__site_param(const ct__loop_site *s, const ct_type *type)
{
    return ct__trace_param(s->w->ctx, s->node->at, type);
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

/* ---- Loops. */

bool ct__has_limit(const ct__loops *w)
{
    return w->options->strategy == CT_REVERSE_LIMIT;
}

bool ct__refuse_limit(const ct__loop_site *s, double least)
{
    ct__error(
        s->w->ctx, s->node->at, CT_ERR_RANGE,
        "reverse_loops: the reverse derivative of this %s takes at least %.0f bytes, which is "
        "more than the limit of %lld",
        ct__op_describe(s->written)->name, least, (long long)s->w->options->bytes);
    s->w->least = least;
    return false;
}

static bool record_loop(const ct__loop_site *s, ct_tensor **result)
{
    if (s->node->op == CT__OP_scan)
        return ct__reverse_scan(s, result);
    const int64_t count = ct__constant_count(s);
    if (count >= 2)
        return ct__reverse_counted(s, count, result);
    if (count >= 0) /* there is nothing to spare */
        return ct__record_levels(s, result);
    return ct__has_limit(s->w) ? ct__loop_within(s, result) : ct__record_segments(s, result);
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

/* The node, which is a loop, with bodies that are rewritten by `inside`. */
static bool rewrite_loop(ct__loops *w, ct__loops *inside, const ct__graph *graph,
                         const ct__node *from, ct_tensor **value)
{
    ct__node node = *from;
    ct__graph **body = rewritten_bodies(inside, from);
    ct_tensor **operand = CT__NEW_ARRAY(w->arena, ct_tensor *, node.n_operands);
    ct__loop_site s = {
        .w = w, .node = &node, .written = from->op, .body = body, .operand = operand};
    if (!body)
        return false;
    if (!operand)
        return ct__loops_memory(w);
    node.region = body;
    ct__loop_of(node.op, node.attrs, &s.loop);
    for (size_t i = 0; i < node.n_operands; i++)
        operand[i] = value[node.operand[i]];
    return record_loop(&s, value + node.first_result) &&
           ct__name_results(w->ctx, graph, from, value);
}

/* The same where loops in it keep to other numbers of bytes; 0: what they need is found out. */
static bool rewrite_sharing(ct__loops *w, int64_t bytes, const ct__graph *graph,
                            const ct__node *from, ct_tensor **value, double *least)
{
    ct_reverse_options o = *w->options;
    ct__loops inside = {
        .ctx = w->ctx, .at = w->at, .options = &o, .arena = w->arena, .i64 = w->i64};
    o.bytes = bytes;
    bool fine = bytes > 0 ? rewrite_loop(w, &inside, graph, from, value)
                          : rewritten_bodies(&inside, from) != NULL;
    *least = inside.least;
    forget(&inside);
    return fine;
}

/* Forgets that the loop, or one in it, was refused; false: there is another error. */
static bool try_again(ct__loops *w, double refused)
{
    if (refused == 0 || ct_error_status(w->ctx) != CT_ERR_RANGE)
        return false;
    ct_error_clear(w->ctx);
    w->least = 0;
    return true;
}

/* A loop in this one that takes all bytes there are leaves none: it gets a power of 4, in the end
 * the least that it needs. A refusal says the least of what this one needs then: with so many bytes
 * it finds the same powers, and is not refused. */
static bool rewrite_within(ct__loops *w, const ct__graph *graph, const ct__node *from,
                           ct_tensor **value)
{
    const ct__loop_site s = {.w = w, .node = from, .written = from->op};
    const int64_t bytes = w->options->bytes;
    double inner, least, any, needed = INFINITY;
    int64_t share = 1;
    if (rewrite_loop(w, w, graph, from, value))
        return true;
    least = w->least;
    if (!try_again(w, least))
        return false;
    if (rewrite_sharing(w, 0, graph, from, value, &inner)) /* no loop in it takes anything */
        return ct__refuse_limit(&s, least);
    if (!try_again(w, inner))
        return false;
    while (share < bytes / 4)
        share *= 4;
    for (bool last = false; !last; share /= 4) {
        last = (double)share <= inner;
        if (rewrite_sharing(w, last ? (int64_t)inner : share, graph, from, value, &any))
            return true;
        least = w->least;
        if (!try_again(w, least + any))
            return false;
        needed = least > 0 ? fmin(needed, least) : needed;
    }
    return ct__refuse_limit(&s, needed);
}

static bool rewrite_node(ct__loops *w, const ct__graph *graph, const ct__node *from,
                         ct_tensor **value)
{
    ct__node node = *from;
    ct__loop loop;
    if (ct__loop_of(from->op, from->attrs, &loop))
        return ct__has_limit(w) ? rewrite_within(w, graph, from, value)
                                : rewrite_loop(w, w, graph, from, value);
    if (ct__has(from->op, CT__CONTROL)) {
        node.region = rewritten_bodies(w, from);
        if (!node.region)
            return false;
    }
    return ct__replay_node(w->ctx, graph, &node, w->arena, value);
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
