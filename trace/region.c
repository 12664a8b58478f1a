#include "trace/trace.h"

/* A header in the enclosing trace for each capture. */
static bool list_captures(ct_context *ctx, ct_place at, const ct__trace *trace, ct__region *region)
{
    if (!ct__grow(&ctx->allocator, &region->capture, &region->capture_capacity, trace->n_captures,
                  sizeof *region->capture)) {
        ct__error_memory(ctx, at, trace->graph->name);
        return false;
    }
    for (size_t i = 0; i < trace->n_captures; i++) {
        const ct__capture *capture = &trace->capture[i];
        size_t position = trace->graph->n_params - trace->n_captures + i;
        region->capture[i] = ct__tensor_traced(ctx, at, "capture", capture->trace, capture->value,
                                               ct__param_type(trace->graph, position));
    }
    region->n_captures = trace->n_captures;
    return !ct_failed(ctx);
}

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
    if (!fine)
        ct__region_free(ctx, region);
    return fine;
}

static size_t find_capture(const ct__region *region, const ct_tensor *x)
{
    size_t i = 0;
    while (i < region->n_captures &&
           (region->capture[i]->trace != x->trace || region->capture[i]->value != x->value))
        i++;
    return i;
}

static bool append_capture(ct_context *ctx, ct__region *region, ct_tensor *x)
{
    if (!ct__grow(&ctx->allocator, &region->capture, &region->capture_capacity,
                  region->n_captures + 1, sizeof *region->capture))
        return false;
    region->capture[region->n_captures++] = x;
    return true;
}

/* Bring the region's trailing parameters into the order of `all`, adding what it lacks. */
static bool reorder(ct_context *ctx, ct__region *region, const ct__region *all)
{
    ct__graph *graph = region->graph;
    size_t declared = graph->n_params - region->n_captures;
    for (size_t i = 0; i < all->n_captures; i++) {
        ct__id id;
        if (find_capture(region, all->capture[i]) == region->n_captures &&
            (!append_capture(ctx, region, all->capture[i]) ||
             !ct__graph_add_param(graph, all->capture[i]->type, &id)))
            return false;
    }
    ct__arena local;
    ct__arena_init(&local, &ctx->allocator);
    size_t *order = CT__NEW_ARRAY(&local, size_t, graph->n_params);
    for (size_t i = 0; order && i < declared; i++)
        order[i] = i;
    for (size_t i = 0; order && i < all->n_captures; i++)
        order[declared + i] = declared + find_capture(region, all->capture[i]);
    if (order)
        ct__graph_permute_params(graph, order);
    ct__arena_free(&local);
    for (size_t i = 0; i < all->n_captures; i++)
        region->capture[i] = all->capture[i];
    return order != NULL;
}

bool ct__region_unify(ct_context *ctx, ct_place at, ct__region *region, size_t count)
{
    ct__region all = {.graph = NULL};
    bool fine = true;
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; fine && i < region[r].n_captures; i++)
            if (find_capture(&all, region[r].capture[i]) == all.n_captures)
                fine = append_capture(ctx, &all, region[r].capture[i]);
    for (size_t r = 0; fine && r < count; r++)
        fine = reorder(ctx, &region[r], &all);
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
    *region = (ct__region){.graph = NULL};
}
