/* What the reverse derivative of a scan that is written in some way holds at once: the memory of a
 * run of it, which is made and planned to be asked. */
#include "ad/reverse_loops.h"

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

/* What has no reverse derivative is no error here: it may never be asked for. */
bool ct__bytes_of_reverse(const ct__loop_site *s, ct__graph *graph, double *bytes)
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
