/* The public transforms: which drivers, which results. */
#include "ad/wrt.h"

#include "trace/rewrite/rewrite.h"

/* ---- jvp. */

static bool *all_results(const ct__graph *graph, ct__arena *arena)
{
    bool *all = CT__NEW_ARRAY(arena, bool, graph->n_results);
    for (size_t i = 0; all && i < graph->n_results; i++)
        all[i] = true;
    return all;
}

ct__graph *ct__forward_graph(const ct__work *w, const bool *asked)
{
    const bool *must = asked ? asked : all_results(w->graph, w->arena);
    bool *live = CT__NEW_ARRAY(w->arena, bool, w->graph->n_results);
    if (!must || !live) {
        ct__error_memory(w->ctx, w->at, w->what);
        return NULL;
    }
    return ct__graph_jvp_of(w->ctx, w->at, w->graph, w->selected.wrt, must, live);
}

/* Bring the tangent parameters behind f's own into the order named. */
static bool order_tangents(const ct__work *w, ct__graph *derived)
{
    size_t n_leaves, own = w->graph->n_params;
    size_t *named = ct__named_leaves(w->graph, &w->selected, w->arena, &n_leaves);
    size_t *order = CT__NEW_ARRAY(w->arena, size_t, derived->n_params);
    if (!named || !order)
        return false;
    for (size_t i = 0; i < own; i++)
        order[i] = i;
    for (size_t k = 0; k < n_leaves; k++)
        order[own + k] = own + named[k];
    return ct__graph_permute_params(derived, order);
}

static ct__graph *jvp(const ct__work *w)
{
    ct__graph *derived = ct__forward_graph(w, NULL);
    return ct__checked(w, derived,
                       derived && order_tangents(w, derived) &&
                           ct__set_groups(derived, w->graph, NULL, &w->selected, 0));
}

ct_function *ct_jvp_at(ct_place at, ct_function *f, ct_args wrt)
{
    return ct__transform_function(at, "jvp", f, wrt, jvp, NULL);
}

/* ---- Reverse: jvp, unzip, sweep. */

typedef struct reverse {
    const ct__work *w;
    bool takes_cotangents; /* else result 0, the only one with a tangent, is seeded with 1 */
    bool with_value;       /* results of f first */
    bool aux_last;         /* results 1, 2, … of f last */
} reverse;

/* What is kept for the way back passes through every function that is called in another one; where
 * that goes deep, functions that are called once take the place of their calls. */
#define DEEP 8

static ct__graph *forward_to_reverse(const reverse *r)
{
    const ct__work *w = r->w;
    bool *first = CT__NEW_ARRAY(w->arena, bool, w->graph->n_results);
    if (!first) {
        ct__error_memory(w->ctx, w->at, w->what);
        return NULL;
    }
    if (!r->takes_cotangents)
        first[0] = true;
    bool before = ct__derive_to_reverse(w->ctx, true);
    ct__graph *forward = ct__forward_graph(w, r->takes_cotangents ? NULL : first);
    ct__derive_to_reverse(w->ctx, before);
    if (!forward || forward->depth <= DEEP)
        return forward;
    ct__graph *flat = ct__inline_single_calls(w->ctx, w->at, forward);
    ct__graph_release(forward);
    return flat;
}

/* Which parameters of the forward derivative are tangents. */
bool *ct__tangent_params(const ct__graph *graph, const ct__graph *forward, ct__arena *arena)
{
    bool *tangent = CT__NEW_ARRAY(arena, bool, forward->n_params);
    for (size_t i = graph->n_params; tangent && i < forward->n_params; i++)
        tangent[i] = true;
    return tangent;
}

static void seed(const reverse *r, ct__sweep *sweep)
{
    const ct__graph *graph = sweep->graph;
    for (size_t i = r->w->graph->n_results; i < graph->n_results; i++) {
        const ct_type *type = ct__result_type(graph, i);
        ct_tensor *bar = r->takes_cotangents ? ct__trace_param(sweep->ctx, sweep->at, type)
                                             : ct__splat(sweep->ctx, sweep->at, type, 1);
        ct__sweep_seed(sweep, graph->result[i], bar);
    }
}

/* The values, if asked for, and the cotangents of the named leaves in the order named. */
static ct__graph *close_reverse(const reverse *r, ct__sweep *sweep)
{
    const ct__work *w = r->w;
    const ct__graph *graph = sweep->graph;
    size_t n_leaves, count = 0;
    size_t *named = ct__named_leaves(w->graph, &w->selected, sweep->arena, &n_leaves);
    ct_tensor **result = CT__NEW_ARRAY(sweep->arena, ct_tensor *,
                                       2 * w->graph->n_results + w->graph->n_params);
    if (!named || !result) {
        ct__error_memory(w->ctx, w->at, w->what);
        return NULL;
    }
    for (size_t i = 0; r->with_value && i < w->graph->n_results; i++)
        result[count++] = sweep->value[graph->result[i]];
    for (size_t k = 0; k < n_leaves; k++) {
        size_t position = w->graph->n_params + named[k];
        ct_tensor *bar = sweep->bar[graph->param[position]];
        result[count++] = bar ? bar : ct__zeros(w->ctx, w->at, ct__param_type(graph, position));
    }
    for (size_t i = 1; r->aux_last && i < w->graph->n_results; i++)
        result[count++] = sweep->value[graph->result[i]];
    return ct__trace_close(w->ctx, w->at, count, result);
}

static ct__graph *sweep_reverse(const reverse *r, ct__sweep *sweep, const bool *tangent)
{
    if (!ct__sweep_begin(sweep, tangent))
        return NULL;
    for (size_t i = 0; i < r->w->graph->n_params; i++)
        sweep->value[sweep->graph->param[i]] = ct__trace_param_like(sweep->ctx, sweep->at,
                                                                    sweep->graph, i);
    if (!ct__sweep_forward(sweep))
        return NULL;
    seed(r, sweep);
    return ct__sweep_backward(sweep) ? close_reverse(r, sweep) : NULL;
}

static ct__graph *reverse_graph(const reverse *r)
{
    const ct__work *w = r->w;
    ct__graph *forward = forward_to_reverse(r);
    bool *tangent = forward ? ct__tangent_params(w->graph, forward, w->arena) : NULL;
    ct__graph *unzipped = tangent ? ct__graph_unzip(w->ctx, w->at, forward, tangent) : NULL;
    ct__graph *derived = NULL;
    ct__arena arena;
    ct__session session;
    if (unzipped && ct__session_begin(&session, w->ctx, w->at, &arena, w->what, w->graph)) {
        ct__sweep sweep = {.ctx = w->ctx, .at = w->at, .graph = unzipped, .arena = &arena};
        derived = sweep_reverse(r, &sweep, tangent);
        ct__session_end(&session);
    }
    ct__graph_release(forward);
    ct__graph_release(unzipped);
    size_t cotangents = r->takes_cotangents ? ct__count_float_results(w->graph) : 0;
    return ct__checked(w, derived,
                       derived && ct__set_groups(derived, w->graph, NULL, NULL, cotangents));
}

static ct__graph *vjp(const ct__work *w)
{
    return reverse_graph(&(reverse){.w = w, .takes_cotangents = true});
}

ct_function *ct_vjp_at(ct_place at, ct_function *f, ct_args wrt)
{
    return ct__transform_function(at, "vjp", f, wrt, vjp, NULL);
}

/* Of more results the first is differentiated. */
static bool check_scalar(const ct__work *w, bool has_aux)
{
    size_t n = w->graph->n_results;
    const ct_type *type = n == 1 || (has_aux && n > 0) ? ct__result_type(w->graph, 0) : NULL;
    char text[128];
    if (!type)
        ct__error(
            w->ctx, w->at, CT_ERR_SHAPE,
            "%s of %s: it gives %zu results; a gradient needs one real float scalar (see ct_vjp)",
            w->what, w->graph->name, n);
    else if (!ct_dtype_is_float(ct_type_dtype(type)) || !ct__has_tangent(type) || type->rank != 0)
        ct__error(w->ctx, w->at, CT_ERR_SHAPE,
                  "%s of %s: it gives %s; a gradient needs one real float scalar (see ct_vjp)",
                  w->what, w->graph->name, ct__type_print(type, text, sizeof text));
    return !ct_failed(w->ctx);
}

ct__graph *ct__grad_graph(const ct__work *w)
{
    return check_scalar(w, false) ? reverse_graph(&(reverse){.w = w}) : NULL;
}

ct_function *ct_grad_at(ct_place at, ct_function *f, ct_args wrt)
{
    return ct__transform_function(at, "grad", f, wrt, ct__grad_graph, NULL);
}

static ct__graph *grad_aux(const ct__work *w)
{
    return check_scalar(w, true) ? reverse_graph(&(reverse){.w = w, .aux_last = true}) : NULL;
}

ct_function *ct_grad_aux_at(ct_place at, ct_function *f, ct_args wrt)
{
    return ct__transform_function(at, "grad_aux", f, wrt, grad_aux, NULL);
}

static ct__graph *value_and_grad(const ct__work *w)
{
    return check_scalar(w, false) ? reverse_graph(&(reverse){.w = w, .with_value = true}) : NULL;
}

ct_function *ct_value_and_grad_at(ct_place at, ct_function *f, ct_args wrt)
{
    return ct__transform_function(at, "value_and_grad", f, wrt, value_and_grad, NULL);
}

static ct__graph *value_and_grad_aux(const ct__work *w)
{
    return check_scalar(w, true) ? reverse_graph(&(reverse){.w = w, .with_value = true}) : NULL;
}

ct_function *ct_value_and_grad_aux_at(ct_place at, ct_function *f, ct_args wrt)
{
    return ct__transform_function(at, "value_and_grad_aux", f, wrt, value_and_grad_aux, NULL);
}

/* ---- Hessian·vector products: the forward derivative of the gradient. */

/* Of (gradient…, H v…) the second half. */
static bool take_products(ct__graph *derived, ct__arena *arena)
{
    size_t n = derived->n_results / 2;
    size_t *order = CT__NEW_ARRAY(arena, size_t, n);
    for (size_t i = 0; order && i < n; i++)
        order[i] = n + i;
    return order && ct__graph_select_results(derived, n, order) && ct__graph_prune(derived);
}

static ct__graph *hvp(const ct__work *w)
{
    ct__graph *gradient = ct__grad_graph(w);
    ct__work inner = *w;
    inner.graph = gradient;
    ct__graph *derived = gradient ? jvp(&inner) : NULL;
    derived = ct__checked(w, derived,
                          derived && take_products(derived, w->arena) &&
                              ct__name_graph(derived, "hvp", w->graph->name));
    ct__graph_release(gradient);
    return derived;
}

ct_function *ct_hvp_at(ct_place at, ct_function *f, ct_args wrt)
{
    return ct__transform_function(at, "hvp", f, wrt, hvp, NULL);
}

/* ---- Transposing a linear function. */

/* Results come in the order of parameters; bring them into the order named. */
static bool order_results(const ct__work *w, ct__graph *derived)
{
    size_t n_leaves;
    size_t *named = ct__named_leaves(w->graph, &w->selected, w->arena, &n_leaves);
    return named && ct__graph_select_results(derived, n_leaves, named);
}

static ct__graph *transpose(const ct__work *w)
{
    if (!ct__check_linear(w->ctx, w->at, w->graph, w->selected.wrt))
        return NULL;
    ct__graph *derived = ct__graph_transpose(w->ctx, w->at, w->graph, w->selected.wrt);
    return ct__checked(w, derived,
                       derived && order_results(w, derived) &&
                           ct__set_groups(derived, w->graph, &w->selected, NULL,
                                          ct__count_float_results(w->graph)));
}

ct_function *ct_transpose_linear_at(ct_place at, ct_function *f, ct_args linear)
{
    return ct__transform_function(at, "transpose_linear", f, linear, transpose, NULL);
}

/* ---- At once. */

ct_tensor *ct_grad_of_function_at(ct_place at, ct_context *ctx, const char *name,
                                  ct_signature signature, ct_any_function code, ct_list arguments)
{
    if (ct_failed(ctx))
        return ct__poison(ctx);
    ct_function *f = ct_trace_function_at(at, ctx, name, signature, code, NULL, CT_NO_TENSORS,
                                          arguments);
    ct_function *g = ct_grad_at(at, f, CT_ARGS(0));
    ct_tensor *result = ct_apply1_at(at, g, arguments);
    ct_release_function(g);
    ct_release_function(f);
    return result;
}
