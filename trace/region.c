#include "trace/trace.h"

/* ---- Lists of captures. */

static bool has_capture(const ct__region *region, const ct_tensor *x, size_t *position)
{
    return ct__lookup_find(&region->position, x->trace, x->value, position);
}

static bool append_capture(ct_context *ctx, ct__region *region, ct_tensor *x)
{
    if (!ct__grow(&ctx->allocator, &region->capture, &region->capture_capacity,
                  region->n_captures + 1, sizeof *region->capture) ||
        !ct__lookup_reserve(&ctx->allocator, &region->position))
        return false;
    ct__lookup_add(&region->position, x->trace, x->value, region->n_captures);
    region->capture[region->n_captures++] = x;
    return true;
}

/* A header in the enclosing trace for each capture. */
static bool list_captures(ct_context *ctx, ct_place at, const ct__trace *trace, ct__region *region)
{
    size_t declared = trace->graph->n_params - trace->n_captures;
    for (size_t i = 0; i < trace->n_captures && !ct_failed(ctx); i++) {
        const ct__capture *capture = &trace->capture[i];
        const ct_type *type = ct__param_type(trace->graph, declared + i);
        ct_tensor *x = ct__tensor_traced(ctx, at, "capture", capture->trace, capture->value, type);
        if (x->kind == CT__TRACED && !append_capture(ctx, region, x))
            ct__error_memory(ctx, at, trace->graph->name);
    }
    return !ct_failed(ctx);
}

/* Leave those whose parameters, behind the declared ones, are kept. */
static bool keep_captures(ct_context *ctx, ct__region *region, const bool *kept)
{
    const size_t count = region->n_captures;
    ct__lookup_free(&ctx->allocator, &region->position);
    region->n_captures = 0;
    for (size_t i = 0; i < count; i++)
        if (kept[i] && !append_capture(ctx, region, region->capture[i]))
            return false;
    return true;
}

bool ct__region_tighten(ct_context *ctx, ct_place at, ct__region *region)
{
    const size_t declared = region->graph->n_params - region->n_captures;
    ct__arena local;
    bool *kept, is_tight = true;
    if (region->n_captures == 0)
        return true;
    ct__arena_init(&local, &ctx->allocator);
    bool fine = ct__graph_used_params(region->graph, &local, &kept);
    for (size_t i = 0; fine && i < region->graph->n_params; i++) {
        kept[i] = kept[i] || i < declared;
        is_tight = is_tight && kept[i];
    }
    fine = fine && (is_tight || (ct__graph_drop_params(region->graph, kept) &&
                                 keep_captures(ctx, region, kept + declared)));
    ct__arena_free(&local);
    if (!fine)
        ct__error_memory(ctx, at, "region");
    return fine;
}

/* ---- Closing a region. */

bool ct__region_detach(ct_context *ctx, ct_place at, size_t n_results, ct_tensor *const *results,
                       ct__region *region)
{
    *region = (ct__region){.graph = NULL};
    ct__trace *trace = ctx->trace;
    /* Captures that only a result needs are made while results are resolved; the list comes after.
     */
    ct__graph *graph = ct__trace_close(ctx, at, n_results, results);
    bool fine = graph && list_captures(ctx, at, trace, region);
    ct__trace_abandon(ctx);
    region->graph = graph;
    fine = fine && ct__region_tighten(ctx, at, region);
    if (!fine)
        ct__region_free(ctx, region);
    return fine;
}

/* ---- One list for all regions of a node. */

/* Add to the region's trailing parameters what it lacks of `all`. */
static bool add_missing(ct_context *ctx, ct__region *region, const ct__region *all)
{
    for (size_t i = 0; i < all->n_captures; i++) {
        size_t position;
        ct__id id;
        if (!has_capture(region, all->capture[i], &position) &&
            (!append_capture(ctx, region, all->capture[i]) ||
             !ct__graph_add_param(region->graph, all->capture[i]->type, &id)))
            return false;
    }
    return true;
}

/* Make the list that of `all`, which has the same members. */
static bool list_as(ct_context *ctx, ct__region *region, const ct__region *all)
{
    size_t count = region->n_captures;
    ct__lookup_free(&ctx->allocator, &region->position);
    region->n_captures = 0;
    for (size_t i = 0; i < count; i++)
        if (!append_capture(ctx, region, all->capture[i]))
            return false;
    return true;
}

/* Bring the region's trailing parameters, the same ones, into the order of `all`. */
static bool reorder(ct_context *ctx, ct__region *region, const ct__region *all)
{
    ct__graph *graph = region->graph;
    size_t declared = graph->n_params - region->n_captures;
    ct__arena local;
    ct__arena_init(&local, &ctx->allocator);
    size_t *order = CT__NEW_ARRAY(&local, size_t, graph->n_params);
    for (size_t i = 0; order && i < graph->n_params; i++) {
        order[i] = i;
        if (i >= declared && has_capture(region, all->capture[i - declared], &order[i]))
            order[i] += declared;
    }
    bool fine = order && ct__graph_permute_params(graph, order) && list_as(ctx, region, all);
    ct__arena_free(&local);
    return fine;
}

bool ct__region_unify(ct_context *ctx, ct_place at, ct__region *region, size_t count)
{
    ct__region all = {.graph = NULL};
    size_t position;
    bool fine = true;
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; fine && i < region[r].n_captures; i++)
            if (!has_capture(&all, region[r].capture[i], &position))
                fine = append_capture(ctx, &all, region[r].capture[i]);
    for (size_t r = 0; fine && r < count; r++)
        fine = add_missing(ctx, &region[r], &all) && reorder(ctx, &region[r], &all);
    ct__region_free(ctx, &all);
    if (!fine)
        ct__error_memory(ctx, at, "region");
    return fine;
}

void ct__region_free(ct_context *ctx, ct__region *region)
{
    ct__graph_release(region->graph);
    ct__release(&ctx->allocator, region->capture,
                region->capture_capacity * sizeof *region->capture);
    ct__lookup_free(&ctx->allocator, &region->position);
    *region = (ct__region){.graph = NULL};
}
