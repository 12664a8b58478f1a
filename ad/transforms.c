/* The public transforms: which arguments, which drivers, which results. */
#include "ad/derive.h"
#include "ad/residuals.h"
#include "trace/rewrite/rewrite.h"

#include <stdio.h>

/* ---- Which parameters `wrt` names. */

/* Which arguments, in the order named, and which parameters are theirs. */
typedef struct selection {
    size_t n_arguments;
    size_t *argument;
    bool *named;   /* per argument of f */
    size_t *first; /* per argument of f: its first parameter */
    bool *wrt;     /* per parameter */
} selection;

static bool selection_begin(selection *s, const ct__graph *graph, size_t room, ct__arena *arena)
{
    *s = (selection){.argument = CT__NEW_ARRAY(arena, size_t, room),
                     .named = CT__NEW_ARRAY(arena, bool, graph->n_arguments),
                     .first = CT__NEW_ARRAY(arena, size_t, graph->n_arguments),
                     .wrt = CT__NEW_ARRAY(arena, bool, graph->n_params)};
    if (!s->argument || !s->named || !s->first || !s->wrt)
        return false;
    for (size_t i = 1; i < graph->n_arguments; i++)
        s->first[i] = s->first[i - 1] + graph->leaves[i - 1];
    return true;
}

/* "argument 1"; of a tree "argument 0, leaf 2". */
static void report_leaf(ct_context *ctx, ct_place at, const char *what, const ct__graph *graph,
                        size_t argument, size_t leaf, const ct_type *type)
{
    char text[128], of_tree[32] = "";
    if (graph->leaves[argument] > 1)
        snprintf(of_tree, sizeof of_tree, ", leaf %zu", leaf);
    ct__error(ctx, at, CT_ERR_RULE,
              "%s of %s: argument %zu%s is %s, which has no derivative (ct_cast converts)", what,
              graph->name, argument, of_tree, ct__type_print(type, text, sizeof text));
}

/* Select one argument; leaves without a tangent are an error when it was named. */
static bool select_argument(ct_context *ctx, ct_place at, const char *what, const ct__graph *graph,
                            size_t argument, bool named, selection *s)
{
    size_t first = s->first[argument], count = graph->leaves[argument];
    for (size_t leaf = 0; leaf < count; leaf++) {
        const ct_type *type = ct__param_type(graph, first + leaf);
        if (ct__has_tangent(type))
            continue;
        if (named)
            report_leaf(ctx, at, what, graph, argument, leaf, type);
        return false;
    }
    for (size_t leaf = 0; leaf < count; leaf++)
        s->wrt[first + leaf] = true;
    s->named[argument] = true;
    s->argument[s->n_arguments++] = argument;
    return true;
}

static bool select_named(ct_context *ctx, ct_place at, const char *what, const ct__graph *graph,
                         ct_args args, selection *s)
{
    for (size_t i = 0; i < args.count; i++) {
        int64_t position = args.position[i];
        if (position < 0 || (uint64_t)position >= graph->n_arguments) {
            ct__error(ctx, at, CT_ERR_ARGUMENT,
                      "%s of %s: there is no argument %lld; it has %zu, counted from 0", what,
                      graph->name, (long long)position, graph->n_arguments);
            return false;
        }
        if (s->named[position]) {
            ct__error(ctx, at, CT_ERR_ARGUMENT, "%s of %s: argument %lld is named twice", what,
                      graph->name, (long long)position);
            return false;
        }
        if (!select_argument(ctx, at, what, graph, (size_t)position, true, s))
            return false;
    }
    return true;
}

static bool select_arguments(ct_context *ctx, ct_place at, const char *what, const ct__graph *graph,
                             ct_args args, ct__arena *arena, selection *s)
{
    if (!args.all && !args.position && args.count > 0) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s of %s: the argument positions are NULL", what,
                  graph->name);
        return false;
    }
    size_t room = args.all ? graph->n_arguments : args.count;
    if (!selection_begin(s, graph, room, arena)) {
        ct__error_memory(ctx, at, what);
        return false;
    }
    if (!args.all)
        return select_named(ctx, at, what, graph, args, s);
    for (size_t i = 0; i < graph->n_arguments; i++)
        select_argument(ctx, at, what, graph, i, false, s);
    return true;
}

/* ---- Argument groups of derived functions: f's own (perhaps without some), then more. */

static bool set_groups(ct__graph *derived, const ct__graph *graph, const selection *without,
                       const selection *tangents, size_t n_single)
{
    ct__arena *arena = &derived->arena;
    size_t extra = tangents ? tangents->n_arguments : 0;
    size_t *leaves = CT__NEW_ARRAY(arena, size_t, graph->n_arguments + extra + n_single);
    size_t count = 0;
    for (size_t i = 0; leaves && i < graph->n_arguments; i++)
        if (!without || !without->named[i])
            leaves[count++] = graph->leaves[i];
    for (size_t k = 0; leaves && tangents && k < tangents->n_arguments; k++)
        leaves[count++] = graph->leaves[tangents->argument[k]];
    for (size_t k = 0; leaves && k < n_single; k++)
        leaves[count++] = 1;
    return leaves && ct__graph_set_arguments(derived, count, leaves);
}

static size_t count_float_results(const ct__graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->n_results; i++)
        count += ct__has_tangent(ct__result_type(graph, i));
    return count;
}

/* Leaves of the named arguments in the order named: order[k] is the position of the k-th one among
 * the selected parameters, which transforms keep in the order of parameters. */
static size_t *named_leaves(const ct__graph *graph, const selection *s, ct__arena *arena,
                            size_t *n_leaves)
{
    size_t *order = CT__NEW_ARRAY(arena, size_t, graph->n_params);
    size_t *rank = CT__NEW_ARRAY(arena, size_t, graph->n_params); /* selected ones before */
    *n_leaves = 0;
    if (!order || !rank)
        return NULL;
    for (size_t i = 1; i < graph->n_params; i++)
        rank[i] = rank[i - 1] + s->wrt[i - 1];
    for (size_t i = 0; i < s->n_arguments; i++)
        for (size_t leaf = 0; leaf < graph->leaves[s->argument[i]]; leaf++)
            order[(*n_leaves)++] = rank[s->first[s->argument[i]] + leaf];
    return order;
}

/* ---- What every transform does around its work. */

typedef struct work {
    ct_context *ctx;
    ct_place at;
    const char *what;
    ct__graph *graph;
    ct__arena *arena;
    selection selected;
} work;

typedef ct__graph *transform(const work *w);

static ct_function *transform_function(ct_place at, const char *what, ct_function *f, ct_args args,
                                       transform *apply)
{
    ct_context *ctx = ct_function_context(f);
    if (!ct__function_check(ctx, at, what, f))
        return ct__poison_function(ctx);
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    work w = {.ctx = ctx, .at = at, .what = what, .graph = f->graph, .arena = &arena};
    ct__graph *derived = NULL;
    if (ct__derivations_begin(ctx, at, what)) {
        if (select_arguments(ctx, at, what, f->graph, args, &arena, &w.selected))
            derived = apply(&w);
        ct__derivations_end(ctx);
    }
    ct__arena_free(&arena);
    return ct__function_new(ctx, at, derived);
}

/* The derived graph, or NULL after releasing it when `fine` is false. */
static ct__graph *checked(const work *w, ct__graph *derived, bool fine)
{
    if (fine || !derived)
        return derived;
    ct__error_memory(w->ctx, w->at, w->what);
    ct__graph_release(derived);
    return NULL;
}

/* ---- jvp. */

static bool *all_results(const ct__graph *graph, ct__arena *arena)
{
    bool *all = CT__NEW_ARRAY(arena, bool, graph->n_results);
    for (size_t i = 0; all && i < graph->n_results; i++)
        all[i] = true;
    return all;
}

/* The forward derivative with its tangent parameters in the order of parameters, not of names. */
static ct__graph *forward_graph(const work *w)
{
    bool *all = all_results(w->graph, w->arena);
    bool *live = CT__NEW_ARRAY(w->arena, bool, w->graph->n_results);
    if (!all || !live) {
        ct__error_memory(w->ctx, w->at, w->what);
        return NULL;
    }
    return ct__graph_jvp(w->ctx, w->at, w->graph, w->selected.wrt, all, live);
}

/* Bring the tangent parameters behind f's own into the order named. */
static bool order_tangents(const work *w, ct__graph *derived)
{
    size_t n_leaves, own = w->graph->n_params;
    size_t *named = named_leaves(w->graph, &w->selected, w->arena, &n_leaves);
    size_t *order = CT__NEW_ARRAY(w->arena, size_t, derived->n_params);
    if (!named || !order)
        return false;
    for (size_t i = 0; i < own; i++)
        order[i] = i;
    for (size_t k = 0; k < n_leaves; k++)
        order[own + k] = own + named[k];
    ct__graph_permute_params(derived, order);
    return true;
}

static ct__graph *jvp(const work *w)
{
    ct__graph *derived = forward_graph(w);
    return checked(w, derived,
                   derived && order_tangents(w, derived) &&
                       set_groups(derived, w->graph, NULL, &w->selected, 0));
}

ct_function *ct_jvp_at(ct_place at, ct_function *f, ct_args wrt)
{
    return transform_function(at, "jvp", f, wrt, jvp);
}

/* ---- Reverse: jvp, unzip, sweep. */

typedef struct reverse {
    const work *w;
    bool with_value;       /* results of f first */
    bool takes_cotangents; /* else the only result is seeded with 1 */
} reverse;

/* What is kept for the way back passes through every function that is called in another one; where
 * that goes deep, functions that are called once take the place of their calls. */
#define DEEP 8

static ct__graph *forward_to_reverse(const work *w)
{
    ct__graph *forward = forward_graph(w);
    if (!forward || forward->depth <= DEEP)
        return forward;
    ct__graph *flat = ct__inline_single_calls(w->ctx, w->at, forward);
    ct__graph_release(forward);
    return flat;
}

/* Which parameters of the forward derivative are tangents. */
static bool *tangent_params(const ct__graph *graph, const ct__graph *forward, ct__arena *arena)
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
    const work *w = r->w;
    const ct__graph *graph = sweep->graph;
    size_t n_leaves, count = 0;
    size_t *named = named_leaves(w->graph, &w->selected, sweep->arena, &n_leaves);
    ct_tensor **result = CT__NEW_ARRAY(sweep->arena, ct_tensor *,
                                       w->graph->n_results + w->graph->n_params);
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
    return ct__trace_close(w->ctx, w->at, count, result);
}

static ct__graph *sweep_reverse(const reverse *r, ct__sweep *sweep, const bool *tangent)
{
    if (!ct__sweep_begin(sweep, tangent))
        return NULL;
    for (size_t i = 0; i < r->w->graph->n_params; i++) {
        ct__id id = sweep->graph->param[i];
        sweep->value[id] = ct__trace_param(sweep->ctx, sweep->at, sweep->graph->value[id].type);
        if (sweep->graph->value[id].name)
            ct_name(sweep->value[id], sweep->graph->value[id].name);
    }
    if (!ct__sweep_forward(sweep))
        return NULL;
    seed(r, sweep);
    return ct__sweep_backward(sweep) ? close_reverse(r, sweep) : NULL;
}

/* The forward derivative, unzipped, and which of its parameters are tangents; NULL after an error.
 */
static ct__graph *unzipped_forward(const work *w, bool **tangent)
{
    ct__graph *forward = forward_to_reverse(w);
    *tangent = forward ? tangent_params(w->graph, forward, w->arena) : NULL;
    ct__graph *unzipped = *tangent ? ct__graph_unzip(w->ctx, w->at, forward, *tangent) : NULL;
    if (!unzipped)
        ct__error_memory(w->ctx, w->at, w->what); /* unless there is an error already */
    ct__graph_release(forward);
    return unzipped;
}

static ct__graph *reverse_graph(const reverse *r)
{
    const work *w = r->w;
    bool *tangent;
    ct__graph *unzipped = unzipped_forward(w, &tangent);
    ct__graph *derived = NULL;
    ct__arena arena;
    ct__session session;
    if (unzipped && ct__session_begin(&session, w->ctx, w->at, &arena, w->what, w->graph)) {
        ct__sweep sweep = {.ctx = w->ctx, .at = w->at, .graph = unzipped, .arena = &arena};
        derived = sweep_reverse(r, &sweep, tangent);
        ct__session_end(&session);
    }
    if (!derived)
        ct__error_memory(w->ctx, w->at, w->what); /* unless there is an error already */
    ct__graph_release(unzipped);
    size_t cotangents = r->takes_cotangents ? count_float_results(w->graph) : 0;
    return checked(w, derived, derived && set_groups(derived, w->graph, NULL, NULL, cotangents));
}

static ct__graph *vjp(const work *w)
{
    return reverse_graph(&(reverse){.w = w, .takes_cotangents = true});
}

ct_function *ct_vjp_at(ct_place at, ct_function *f, ct_args wrt)
{
    return transform_function(at, "vjp", f, wrt, vjp);
}

/* The sweep back is made for its errors alone. */
static ct__graph *reversible(const work *w)
{
    bool *tangent;
    ct__graph *unzipped = unzipped_forward(w, &tangent);
    ct__graph *back = unzipped ? ct__graph_transpose(w->ctx, w->at, unzipped, tangent) : NULL;
    ct__graph_release(back);
    return checked(w, unzipped, back != NULL);
}

ct_function *ct__unzipped_forward(ct_place at, const char *what, ct_function *f, ct_args wrt)
{
    return transform_function(at, what, f, wrt, reversible);
}

static bool check_scalar(const work *w)
{
    const ct_type *type = w->graph->n_results == 1 ? ct__result_type(w->graph, 0) : NULL;
    char text[128];
    if (!type)
        ct__error(
            w->ctx, w->at, CT_ERR_SHAPE,
            "%s of %s: it gives %zu results; a gradient needs one real float scalar (see ct_vjp)",
            w->what, w->graph->name, w->graph->n_results);
    else if (!ct_dtype_is_float(ct_type_dtype(type)) || !ct__has_tangent(type) || type->rank != 0)
        ct__error(w->ctx, w->at, CT_ERR_SHAPE,
                  "%s of %s: it gives %s; a gradient needs one real float scalar (see ct_vjp)",
                  w->what, w->graph->name, ct__type_print(type, text, sizeof text));
    return !ct_failed(w->ctx);
}

static ct__graph *grad(const work *w)
{
    return check_scalar(w) ? reverse_graph(&(reverse){.w = w}) : NULL;
}

ct_function *ct_grad_at(ct_place at, ct_function *f, ct_args wrt)
{
    return transform_function(at, "grad", f, wrt, grad);
}

static ct__graph *value_and_grad(const work *w)
{
    return check_scalar(w) ? reverse_graph(&(reverse){.w = w, .with_value = true}) : NULL;
}

ct_function *ct_value_and_grad_at(ct_place at, ct_function *f, ct_args wrt)
{
    return transform_function(at, "value_and_grad", f, wrt, value_and_grad);
}

/* ---- Linearize: the forward derivative, cut in two. */

/* Residuals that are parameters become results too, so that the primal gives them all. */
static ct__graph *with_param_residuals(const work *w, ct__graph *known, const ct__cut *cut)
{
    size_t n = w->graph->n_results, computed = n;
    ct__id *result = CT__NEW_ARRAY(w->arena, ct__id, n + cut->n_residuals);
    for (size_t i = 0; result && i < n; i++)
        result[i] = known->result[i];
    for (size_t i = 0; result && i < cut->n_residuals; i++)
        result[n + i] = cut->residual_param[i] < 0 ? known->result[computed++]
                                                   : known->param[cut->residual_param[i]];
    if (result && ct__graph_set_results(known, n + cut->n_residuals, result))
        return known;
    ct__error_memory(w->ctx, w->at, w->what);
    return NULL;
}

static bool cut_forward(const work *w, ct__graph *forward, ct__cut *cut)
{
    bool *tangent = tangent_params(w->graph, forward, w->arena);
    bool *must = CT__NEW_ARRAY(w->arena, bool, forward->n_results);
    if (!tangent || !must) {
        ct__error_memory(w->ctx, w->at, w->what);
        return false;
    }
    for (size_t i = w->graph->n_results; i < forward->n_results; i++)
        must[i] = true;
    if (!ct__graph_cut(w->ctx, w->at, forward, tangent, must, w->arena, cut))
        return false;
    return with_param_residuals(w, cut->known, cut) != NULL;
}

/* Groups: the primal has f's; the tangent one argument per residual, then f's named ones; their
 * leaves in the order named. */
static bool arrange_linearized(const work *w, const ct__cut *cut)
{
    size_t n_leaves, n = cut->n_residuals;
    size_t *named = named_leaves(w->graph, &w->selected, w->arena, &n_leaves);
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
    ct__graph_permute_params(cut->unknown, order);
    return ct__graph_set_arguments(cut->unknown, n + w->selected.n_arguments, leaves) &&
           set_groups(cut->known, w->graph, NULL, NULL, 0);
}

static bool name_graph(ct__graph *graph, const char *what, const ct__graph *of)
{
    char name[128];
    snprintf(name, sizeof name, "%s_%s", what, of->name);
    const char *copy = ct__arena_text(&graph->arena, name);
    if (copy)
        graph->name = copy;
    return copy != NULL;
}

static ct_linearized linearized(const work *w)
{
    ct_linearized result = {ct__poison_function(w->ctx), ct__poison_function(w->ctx), 0};
    ct__graph *forward = forward_to_reverse(w);
    ct__cut cut = {.known = NULL};
    if (forward && cut_forward(w, forward, &cut)) {
        if (arrange_linearized(w, &cut) && name_graph(cut.known, "linearize", w->graph) &&
            name_graph(cut.unknown, "tangent", w->graph)) {
            result.primal = ct__function_new(w->ctx, w->at, ct__graph_retain(cut.known));
            result.tangent = ct__function_new(w->ctx, w->at, ct__graph_retain(cut.unknown));
            result.n_residuals = cut.n_residuals;
        } else {
            ct__error_memory(w->ctx, w->at, w->what);
        }
    }
    ct__cut_free(&cut);
    ct__graph_release(forward);
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
    work w = {.ctx = ctx, .at = at, .what = "linearize", .graph = f->graph, .arena = &arena};
    if (ct__derivations_begin(ctx, at, w.what)) {
        if (select_arguments(ctx, at, w.what, f->graph, wrt, &arena, &w.selected))
            result = linearized(&w);
        ct__derivations_end(ctx);
    }
    ct__arena_free(&arena);
    return result;
}

/* ---- Transposing a linear function. */

/* Results come in the order of parameters; bring them into the order named. */
static bool order_results(const work *w, ct__graph *derived)
{
    size_t n_leaves;
    size_t *named = named_leaves(w->graph, &w->selected, w->arena, &n_leaves);
    return named && ct__graph_select_results(derived, n_leaves, named);
}

static ct__graph *transpose(const work *w)
{
    if (!ct__check_linear(w->ctx, w->at, w->graph, w->selected.wrt))
        return NULL;
    ct__graph *derived = ct__graph_transpose(w->ctx, w->at, w->graph, w->selected.wrt);
    return checked(
        w, derived,
        derived && order_results(w, derived) &&
            set_groups(derived, w->graph, &w->selected, NULL, count_float_results(w->graph)));
}

ct_function *ct_transpose_linear_at(ct_place at, ct_function *f, ct_args linear)
{
    return transform_function(at, "transpose_linear", f, linear, transpose);
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
