/* The forward derivative, cut in two: what is known from what is linear in the tangents. */
#include "ad/remake.h"
#include "ad/wrt.h"

/* Residuals that are parameters become results too, so that the primal gives them all. */
static bool add_param_residuals(const ct__work *w, const ct__cut *cut)
{
    ct__graph *known = cut->known;
    size_t n = w->graph->n_results;
    ct__id *result = CT__NEW_ARRAY(w->arena, ct__id, n + cut->n_residuals);
    for (size_t i = 0; result && i < n; i++)
        result[i] = known->result[i];
    for (size_t i = 0; result && i < cut->n_residuals; i++)
        result[n + i] = cut->residual[i];
    if (result && ct__graph_set_results(known, n + cut->n_residuals, result))
        return true;
    ct__error_memory(w->ctx, w->at, w->what);
    return false;
}

static bool cut_forward(const ct__work *w, ct__graph *forward, ct__cut *cut)
{
    bool *tangent = ct__tangent_params(w->graph, forward, w->arena);
    bool *must = CT__NEW_ARRAY(w->arena, bool, forward->n_results);
    if (!tangent || !must) {
        ct__error_memory(w->ctx, w->at, w->what);
        return false;
    }
    for (size_t i = w->graph->n_results; i < forward->n_results; i++)
        must[i] = true;
    return ct__graph_cut(w->ctx, w->at, forward, tangent, must, &ct__prices_of_arguments, w->arena,
                         cut) &&
           add_param_residuals(w, cut);
}

/* Groups: the primal has f's; the tangent one argument per residual, then f's named ones; their
 * leaves in the order named. */
static bool arrange_linearized(const ct__work *w, const ct__cut *cut)
{
    size_t n_leaves, n = cut->n_residuals;
    size_t *named = ct__named_leaves(w->graph, &w->selected, w->arena, &n_leaves);
    size_t *order = CT__NEW_ARRAY(w->arena, size_t, n + n_leaves);
    size_t *leaves = CT__NEW_ARRAY(w->arena, size_t, n + w->selected.n_arguments);
    if (!named || !order || !leaves)
        return false;
    for (size_t i = 0; i < n; i++) {
        order[i] = i;
        leaves[i] = 1;
    }
    for (size_t k = 0; k < n_leaves; k++)
        order[n + k] = n + named[k];
    for (size_t i = 0; i < w->selected.n_arguments; i++)
        leaves[n + i] = w->graph->leaves[w->selected.argument[i]];
    return ct__graph_permute_params(cut->unknown, order) &&
           ct__graph_set_arguments(cut->unknown, n + w->selected.n_arguments, leaves) &&
           ct__set_groups(cut->known, w->graph, NULL, NULL, 0);
}

bool ct__linearized(const ct__work *w, ct__cut *cut)
{
    ct__graph *forward = ct__forward_graph(w, NULL);
    *cut = (ct__cut){.known = NULL};
    bool fine = forward && cut_forward(w, forward, cut);
    if (fine &&
        !(arrange_linearized(w, cut) && ct__name_graph(cut->known, "linearize", w->graph->name) &&
          ct__name_graph(cut->unknown, "tangent", w->graph->name))) {
        ct__error_memory(w->ctx, w->at, w->what);
        fine = false;
    }
    ct__graph_release(forward);
    return fine;
}

static ct_linearized linearized(const ct__work *w)
{
    ct_linearized result = {ct__poison_function(w->ctx), ct__poison_function(w->ctx), 0};
    ct__cut cut;
    if (ct__linearized(w, &cut)) {
        result.primal = ct__function_new(w->ctx, w->at, ct__graph_retain(cut.known));
        result.tangent = ct__function_new(w->ctx, w->at, ct__graph_retain(cut.unknown));
        result.n_residuals = cut.n_residuals;
    }
    ct__cut_free(&cut);
    return result;
}

ct_linearized ct_linearize_at(ct_place at, ct_function *f, ct_args wrt)
{
    ct_context *ctx = ct_function_context(f);
    ct_linearized result = {ct__poison_function(ctx), ct__poison_function(ctx), 0};
    if (!ct__function_check(ctx, at, "linearize", f))
        return result;
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    ct__work w = {.ctx = ctx, .at = at, .what = "linearize", .graph = f->graph, .arena = &arena};
    if (ct__derivations_begin(ctx, at, w.what)) {
        if (ct__select_arguments(ctx, at, w.what, f->graph, wrt, &arena, &w.selected))
            result = linearized(&w);
        ct__derivations_end(ctx);
    }
    ct__arena_free(&arena);
    return result;
}
