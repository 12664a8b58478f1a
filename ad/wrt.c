#include "ad/wrt.h"

#include <stdio.h>

/* ---- Which parameters `wrt` names. */

static bool selection_begin(ct__selection *s, const ct__graph *graph, size_t room, ct__arena *arena)
{
    *s = (ct__selection){.argument = CT__NEW_ARRAY(arena, size_t, room),
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
                            size_t argument, bool named, ct__selection *s)
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
                         ct_args args, ct__selection *s)
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

bool ct__select_arguments(ct_context *ctx, ct_place at, const char *what, const ct__graph *graph,
                          ct_args args, ct__arena *arena, ct__selection *s)
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

/* ---- Argument groups of derived functions. */

bool ct__set_groups(ct__graph *derived, const ct__graph *graph, const ct__selection *without,
                    const ct__selection *tangents, size_t n_single)
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

size_t ct__count_float_results(const ct__graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->n_results; i++)
        count += ct__has_tangent(ct__result_type(graph, i));
    return count;
}

size_t *ct__named_leaves(const ct__graph *graph, const ct__selection *s, ct__arena *arena,
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

ct_function *ct__transform_function(ct_place at, const char *what, ct_function *f, ct_args args,
                                    ct__transform *apply, const void *options)
{
    ct_context *ctx = ct_function_context(f);
    if (!ct__function_check(ctx, at, what, f))
        return ct__poison_function(ctx);
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    ct__work w = {
        .ctx = ctx, .at = at, .what = what, .graph = f->graph, .arena = &arena, .options = options};
    ct__graph *derived = NULL;
    if (ct__derivations_begin(ctx, at, what)) {
        if (ct__select_arguments(ctx, at, what, f->graph, args, &arena, &w.selected))
            derived = apply(&w);
        ct__derivations_end(ctx);
    }
    ct__arena_free(&arena);
    if (!derived)
        ct__error_memory(ctx, at, what); /* unless there is an error already */
    return ct__function_new(ctx, at, derived);
}

ct__graph *ct__checked(const ct__work *w, ct__graph *derived, bool fine)
{
    if (fine || !derived)
        return derived;
    ct__error_memory(w->ctx, w->at, w->what);
    ct__graph_release(derived);
    return NULL;
}

bool ct__name_graph(ct__graph *graph, const char *what, const char *of)
{
    char name[128];
    snprintf(name, sizeof name, "%s_%s", what, of);
    const char *copy = ct__arena_text(&graph->arena, name);
    if (copy)
        graph->name = copy;
    return copy != NULL;
}
