/* Scans within a limit: what the reverse derivative of a scan that is written in some way holds at
 * once is the memory of a run of it, which is made and planned to be asked. */
#include "ad/reverse_loops.h"

#include <math.h>

/* (parameters…, tangents of float ones…) -> (tangents of float results…) */
static ct__graph *forward_of(const ct__loop_site *s, ct__graph *graph, const bool *live,
                             ct__arena *arena)
{
    ct_context *ctx = s->w->ctx;
    bool *out = CT__NEW_ARRAY(arena, bool, graph->n_results);
    size_t *order = CT__NEW_ARRAY(arena, size_t, graph->n_results);
    if (!out || !order) {
        ct__loops_memory(s->w);
        return NULL;
    }
    bool before = ct__derive_to_reverse(ctx, true);
    ct__graph *forward = ct__graph_jvp(ctx, s->node->at, graph, live, NULL, out);
    ct__derive_to_reverse(ctx, before);
    size_t count = ct__count_set(out, graph->n_results);
    for (size_t i = 0; i < count; i++)
        order[i] = graph->n_results + i;
    if (forward && ct__graph_select_results(forward, count, order) && ct__graph_prune(forward))
        return forward;
    ct__graph_release(forward);
    ct__loops_memory(s->w); /* unless there is an error already */
    return NULL;
}

/* (parameters…, cotangents of results…) -> (cotangents of float parameters…) */
static ct__graph *reverse_of(const ct__loop_site *s, ct__graph *graph, ct__arena *arena)
{
    size_t n = graph->n_params;
    bool *live = CT__NEW_ARRAY(arena, bool, n), *linear = CT__NEW_ARRAY(arena, bool, 2 * n);
    if (!live || !linear) {
        ct__loops_memory(s->w);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        live[i] = ct__has_tangent(ct__param_type(graph, i));
        linear[n + i] = true;
    }
    ct__graph *forward = forward_of(s, graph, live, arena);
    ct__graph *back = forward ? ct__graph_transpose(s->w->ctx, s->node->at, forward, linear) : NULL;
    ct__graph_release(forward);
    return back;
}

/* Beside arguments and results. False where there is no derivative, which is no error here: it may
 * never be asked for; and after an error. */
static bool bytes_of_reverse(const ct__loop_site *s, ct__graph *graph, double *bytes)
{
    ct_context *ctx = s->w->ctx;
    ct__arena arena;
    size_t block = 0;
    if (!ctx->hooks.block_bytes || !ct__derivations_begin(ctx, s->node->at, "reverse_loops"))
        return false;
    ct__arena_init(&arena, &ctx->allocator);
    ct__graph *back = reverse_of(s, graph, &arena);
    ct_status status = back ? ctx->hooks.block_bytes(ctx, back, &block) : ct_error_status(ctx);
    ct__graph_release(back);
    ct__arena_free(&arena);
    ct__derivations_end(ctx);
    if (status == CT_ERR_MEMORY)
        ct__loops_memory(s->w); /* unless there is an error already */
    else
        ct_error_clear(ctx);
    *bytes = (double)block;
    return status == CT_OK;
}

/* ---- scan, within a limit: every way is made and measured, those that do least again first. */

typedef bool make_way(const ct__loop_site *s, int64_t count, ct_tensor **result);

typedef struct limit {
    const ct__loop_site *s;
    double bytes, carry; /* the limit; a carry, as a run has it */
    double least;        /* that any way took so far */
    make_way *way;       /* the one at hand */
} limit;

static ct__graph *recorded_way(const limit *l, int64_t count, ct__arena *arena)
{
    const ct__loop_site *s = l->s;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    ct__loop_site inner = *s;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    inner.operand = list;
    if (!ct__scan_params(s, s->node->attrs->scan.length, list) || !l->way(&inner, count, result))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, s->node->n_results, result);
}

/* The bytes of the reverse derivative, and the cotangent of the carry with which it begins; where
 * there is no derivative, the estimate. */
static double measured(limit *l, make_way *way, int64_t count, double estimate)
{
    const ct__loop_site *s = l->s;
    ct__arena arena;
    ct__session session;
    double bytes = 0;
    if (!ct__session_begin(&session, s->w->ctx, s->node->at, &arena, "way", s->body[0]))
        return estimate;
    l->way = way;
    ct__graph *graph = recorded_way(l, count, &arena);
    ct__session_end(&session);
    bytes = graph && bytes_of_reverse(s, graph, &bytes) ? bytes + l->carry : estimate;
    ct__graph_release(graph);
    l->least = bytes < l->least ? bytes : l->least;
    return bytes;
}

static bool way_whole(const ct__loop_site *s, int64_t count, ct_tensor **result)
{
    (void)count;
    return ct__scan_whole(s, result);
}

static double measured_binomial(limit *l, int64_t snapshots)
{
    double iteration = ct__bytes_of_body(l->s->w, l->s->body[0]);
    return measured(l, ct__scan_binomially, snapshots, (double)snapshots * l->carry + iteration);
}

/* The most snapshots that fit; 0: none do. One more takes its carry, and less than ROOM for where
 * it is: a step down of this length leaves out none that fits. */
enum { STEPS = 16, ROOM = 512 };

static int64_t most_snapshots(limit *l)
{
    int64_t length = l->s->node->attrs->scan.length;
    double most = l->carry > 0 ? floor(l->bytes / l->carry) : (double)length;
    int64_t snapshots = most < (double)(length - 1) ? (int64_t)most : length - 1;
    for (int i = 0; i < STEPS && snapshots > 0 && !ct__is_done_too_often(l->s, snapshots); i++) {
        double bytes = measured_binomial(l, snapshots);
        if (bytes <= l->bytes || ct_failed(l->s->w->ctx))
            return snapshots;
        double step = ceil((bytes - l->bytes) / (l->carry + ROOM));
        snapshots = step < (double)snapshots ? snapshots - (int64_t)step : 0;
    }
    return 0;
}

/* The same among few numbers of snapshots, for fewer of them may nest deeper and take more. */
static int64_t some_snapshots(limit *l)
{
    static const int64_t some[] = {100, 64, 40, 25, 16, 12, 9, 7, 6, 5, 4, 3, 2, 1};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (!ct__has_many_snapshots(l->s, some[i]) && !ct__is_done_too_often(l->s, some[i]) &&
            measured_binomial(l, some[i]) <= l->bytes)
            return some[i];
    return 0;
}

/* Segments of k rows take n/k carries and k iterations: least for k = √(n carry / iteration). */
bool ct__scan_within(const ct__loop_site *s, ct_tensor **result)
{
    double n = (double)s->node->attrs->scan.length;
    limit l = {.s = s,
               .bytes = (double)s->w->options->bytes,
               .carry = ct__bytes_of_carry(s),
               .least = INFINITY};
    double iteration = ct__bytes_of_body(s->w, s->body[0]);
    double all = measured(&l, way_whole, 0, n * iteration);
    if (all <= l.bytes)
        return ct__scan_whole(s, result);
    double k = floor(sqrt(n * l.carry / (all / n)));
    k = k < 1 ? 1 : k > n ? n : k;
    double estimate = ceil(n / k) * l.carry + k * iteration;
    if (measured(&l, ct__scan_in_segments, (int64_t)k, estimate) <= l.bytes)
        return ct__scan_in_segments(s, (int64_t)k, result);
    int64_t snapshots = most_snapshots(&l);
    if (snapshots == 0 && !ct_failed(s->w->ctx))
        snapshots = some_snapshots(&l);
    return snapshots > 0 ? ct__scan_binomially(s, snapshots, result)
                         : !ct_failed(s->w->ctx) && ct__refuse_limit(s, l.least);
}
