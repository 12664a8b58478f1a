/* What is read at a few places: by index, or a small slice of it. Its cotangent is then added to at
 * those places, and so in the bodies that read it: a sum of whole arrays in every iteration of a
 * loop would take time for each of their elements. */
#include "ad/bodies.h"
#include "ad/rules.h"

typedef struct finder {
    ct_context *ctx;
    ct_place at;
    const ct__graph *graph;
    bool with_slices;
    bool *whole; /* per value: all of it is read, or given back */
} finder;

bool ct__is_small_part(const ct_type *x, const ct_type *y)
{
    enum { LARGE = 64, PART = 4 };
    return x->size >= LARGE && x->size / PART >= y->size;
}

bool ct__is_small_window(const ct__attrs *attrs, const ct_type *x, const ct_type *y)
{
    const ct__ints strides = attrs->slice.strides;
    for (size_t d = 0; d < strides.count; d++)
        if (strides.item[d] != 1)
            return false;
    return ct__is_small_part(x, y);
}

/* A plain node reads all of operand i. What it does to a reshaped value is known already. */
static bool reads_whole(const finder *w, const ct__node *node, size_t i)
{
    switch (node->op) {
    case CT__OP_dynamic_slice:
    case CT__OP_gather: return i > 0;
    case CT__OP_slice:
        return !w->with_slices ||
               !ct__is_small_window(node->attrs, ct__graph_type(w->graph, node->operand[0]),
                                    ct__graph_type(w->graph, node->first_result));
    case CT__OP_reshape: return w->whole[node->first_result];
    default: return true;
    }
}

/* Operands from `first` on are params of the body, from param `first_param` on. */
static bool visit_body(finder *w, const ct__node *node, ct__graph *body, size_t first,
                       size_t first_param)
{
    const bool *in_places = ct__read_in_places(w->ctx, w->at, body);
    for (size_t i = first; in_places && i < node->n_operands; i++)
        w->whole[node->operand[i]] |= !in_places[first_param + i - first];
    return in_places;
}

static void read_all(finder *w, const ct__node *node, size_t n)
{
    for (size_t i = 0; i < n; i++)
        w->whole[node->operand[i]] = true;
}

static bool visit(finder *w, const ct__node *node)
{
    ct__loop loop;
    if (ct__has(node->op, CT__CALLS) && node->n_regions == 1)
        return visit_body(w, node, node->region[0], 0, 0);
    if (ct__loop_of(node->op, node->attrs, &loop)) {
        const size_t capture = ct__first_capture(&loop);
        bool fine = true;
        read_all(w, node, capture);
        for (size_t r = 0; fine && r < node->n_regions; r++)
            fine = visit_body(w, node, node->region[r], capture, capture);
        return fine;
    }
    if (node->op == CT__OP_if || node->op == CT__OP_case) {
        bool fine = true;
        read_all(w, node, 1);
        for (size_t r = 0; fine && r < node->n_regions; r++)
            fine = visit_body(w, node, node->region[r], 1, 0);
        return fine;
    }
    for (size_t i = 0; i < node->n_operands; i++)
        w->whole[node->operand[i]] |= reads_whole(w, node, i);
    return true;
}

bool ct__find_places(ct_context *ctx, ct_place at, const ct__graph *graph, bool with_slices,
                     bool *param)
{
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    finder w = {ctx, at, graph, with_slices, CT__NEW_ARRAY(&arena, bool, graph->n_values)};
    bool fine = w.whole;
    if (!fine)
        ct__error_memory(ctx, at, graph->name);
    for (size_t i = 0; fine && i < graph->n_results; i++)
        w.whole[graph->result[i]] = true;
    for (size_t i = graph->n_nodes; fine && i-- > 0;)
        fine = visit(&w, &graph->node[i]);
    for (size_t i = 0; fine && i < graph->n_params; i++)
        param[i] = !w.whole[graph->param[i]] && ct__param_type(graph, i)->kind == CT__TENSOR;
    ct__arena_free(&arena);
    return fine;
}
