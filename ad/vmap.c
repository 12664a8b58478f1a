/* The public transform: which axes the lanes are, around a function whose lanes are axis 0. */
#include "ad/batch.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct vmap {
    ct_context *ctx;
    ct_place at;
    const ct__graph *graph; /* of one lane */
    ct__arena *arena;
    int64_t size;
    int64_t *in, *out;      /* per parameter and result; CT_UNBATCHED: no axis */
    bool *batched, *result; /* the same as flags; all results but those that are CT_UNBATCHED */
} vmap;

/* ---- Checking. */

static bool fail(const vmap *w, ct_status status, const char *message)
{
    ct__error(w->ctx, w->at, status, "vmap of %s: %s", w->graph->name, message);
    return false;
}

/* A list of n axes, or all. */
static bool check_list(const vmap *w, const char *list, ct_axes axes, const char *what, size_t n)
{
    char text[128];
    if (axes.all || (axes.count == n && (axes.axis || n == 0)))
        return true;
    if (!axes.axis && axes.count > 0) {
        snprintf(text, sizeof text, "%s is NULL", list);
        return fail(w, CT_ERR_ARGUMENT, text);
    }
    snprintf(text, sizeof text, "%s has %zu axes for %zu %s%s", list, axes.count, n, what,
             n == 1 ? "" : "s");
    return fail(w, CT_ERR_SHAPE, text);
}

/* An axis of the batched value of each tensor in the type, which has one axis more. */
static bool check_axis(const vmap *w, const char *what, int64_t axis, const ct_type *type)
{
    char text[256], shown[128];
    for (size_t i = 0; type->kind == CT__TUPLE && i < type->n_elements; i++)
        if (!check_axis(w, what, axis, type->element[i]))
            return false;
    if (axis == CT_UNBATCHED || type->kind != CT__TENSOR ||
        (axis >= -(int64_t)type->rank - 1 && axis <= type->rank))
        return true;
    snprintf(text, sizeof text,
             "%s is %s in a lane, so that the lanes can be an axis from %d to %d, not %" PRId64,
             what, ct__type_print(type, shown, sizeof shown), -type->rank - 1, type->rank, axis);
    return fail(w, CT_ERR_SHAPE, text);
}

static bool take_in_axes(vmap *w, ct_axes axes)
{
    const ct__graph *graph = w->graph;
    size_t param = 0;
    char what[64];
    if (!check_list(w, "in_axes", axes, "argument", graph->n_arguments))
        return false;
    for (size_t i = 0; i < graph->n_arguments; i++)
        for (size_t leaf = 0; leaf < graph->leaves[i]; leaf++, param++) {
            int length = snprintf(what, sizeof what, "argument %zu", i);
            if (graph->leaves[i] > 1)
                snprintf(what + length, sizeof what - (size_t)length, ", leaf %zu,", leaf);
            w->in[param] = axes.all ? 0 : axes.axis[i];
            w->batched[param] = w->in[param] != CT_UNBATCHED;
            if (!check_axis(w, what, w->in[param], ct__param_type(graph, param)))
                return false;
        }
    return true;
}

static bool take_out_axes(vmap *w, ct_axes axes)
{
    const ct__graph *graph = w->graph;
    char what[64];
    if (!check_list(w, "out_axes", axes, "result", graph->n_results))
        return false;
    for (size_t i = 0; i < graph->n_results; i++) {
        snprintf(what, sizeof what, "result %zu", i);
        w->out[i] = axes.all ? 0 : axes.axis[i];
        w->result[i] = w->out[i] != CT_UNBATCHED;
        if (!check_axis(w, what, w->out[i], ct__result_type(graph, i)))
            return false;
    }
    return true;
}

static bool take_axes(vmap *w, ct_axes in_axes, ct_axes out_axes)
{
    char text[64];
    w->in = CT__NEW_ARRAY(w->arena, int64_t, w->graph->n_params);
    w->out = CT__NEW_ARRAY(w->arena, int64_t, w->graph->n_results);
    w->batched = CT__NEW_ARRAY(w->arena, bool, w->graph->n_params);
    w->result = CT__NEW_ARRAY(w->arena, bool, w->graph->n_results);
    if (!w->in || !w->out || !w->batched || !w->result) {
        ct__error_memory(w->ctx, w->at, "vmap");
        return false;
    }
    snprintf(text, sizeof text, "there cannot be %" PRId64 " lanes", w->size);
    return (w->size >= 0 || fail(w, CT_ERR_SHAPE, text)) && take_in_axes(w, in_axes) &&
           take_out_axes(w, out_axes);
}

/* Asked to be the same in all lanes, and not so. */
static bool check_unbatched(const vmap *w, const bool *batched)
{
    char text[128];
    for (size_t i = 0; i < w->graph->n_results; i++)
        if (batched[i] && w->out[i] == CT_UNBATCHED) {
            snprintf(text, sizeof text,
                     "result %zu cannot be CT_UNBATCHED: it may differ from lane to lane", i);
            return fail(w, CT_ERR_SHAPE, text);
        }
    return true;
}

/* ---- Moving the lanes. */

/* The axis from the front, of a value with `rank` axes in a lane. */
static size_t from_front(int64_t axis, int rank)
{
    return (size_t)(axis < 0 ? axis + rank + 1 : axis);
}

/* x, of this type in a lane, with its lanes moved from axis 0, or to it. */
static ct_tensor *moved(const vmap *w, ct_tensor *x, const ct_type *type, int64_t axis, bool to_0)
{
    if (axis == 0 || axis == CT_UNBATCHED || type->kind == CT__TOKEN)
        return x;
    if (type->kind == CT__TENSOR) {
        size_t place = from_front(axis, type->rank);
        return ct__moved_axis(w->at, x, to_0 ? place : 0, to_0 ? 0 : place);
    }
    ct_tensor **element = CT__NEW_ARRAY(w->arena, ct_tensor *, type->n_elements);
    if (!element) {
        ct__error_memory(w->ctx, w->at, "vmap");
        return ct__poison(w->ctx);
    }
    for (size_t i = 0; i < type->n_elements; i++)
        element[i] = moved(w, ct_op_get_tuple_element_at(w->at, x, (int64_t)i), type->element[i],
                           axis, to_0);
    return ct_op_tuple_at(w->at, w->ctx, (ct_list){type->n_elements, element});
}

/* A batched tensor type with its lanes at `axis`; NULL after an error. */
static const ct_type *moved_tensor(const vmap *w, const ct_type *type, size_t place)
{
    int64_t dim[CT__MAX_RANK];
    for (size_t d = 0; d < (size_t)type->rank; d++)
        dim[d] = d < place ? type->dim[d + 1] : d == place ? type->dim[0] : type->dim[d];
    const ct_type *moved = ct__type(w->arena, type->dtype, type->rank, dim);
    if (moved && type->quantized) {
        ct__quantized quantized = *type->quantized;
        if (quantized.axis >= 0 && (size_t)quantized.axis <= place)
            quantized.axis--;
        moved = ct__type_quantized(w->arena, moved, &quantized);
    }
    return moved;
}

static const ct_type *moved_type(const vmap *w, const ct_type *type, int64_t axis)
{
    if (type->kind == CT__TENSOR)
        return moved_tensor(w, type, from_front(axis, type->rank - 1));
    if (type->kind != CT__TUPLE)
        return type;
    const ct_type **element = CT__NEW_ARRAY(w->arena, const ct_type *, type->n_elements);
    for (size_t i = 0; element && i < type->n_elements; i++) {
        element[i] = moved_type(w, type->element[i], axis);
        if (!element[i])
            return NULL;
    }
    return element ? ct__type_tuple(w->arena, type->n_elements, element) : NULL;
}

/* With the trace open: the batched function with its lanes where they are asked for. */
static ct__graph *record_moved(const vmap *w, const ct__graph *batched)
{
    ct_tensor **argument = CT__NEW_ARRAY(w->arena, ct_tensor *, batched->n_params);
    ct_tensor **result = CT__NEW_ARRAY(w->arena, ct_tensor *, batched->n_results);
    bool fine = argument && result;
    for (size_t i = 0; fine && i < batched->n_params; i++) {
        const ct_type *type = ct__param_type(batched, i);
        if (w->batched[i])
            type = moved_type(w, type, w->in[i]);
        fine = type != NULL;
        if (fine)
            argument[i] = ct_name(ct__trace_param(w->ctx, w->at, type),
                                  batched->value[batched->param[i]].name);
    }
    if (!fine) {
        ct__error_memory(w->ctx, w->at, "vmap");
        return NULL;
    }
    for (size_t i = 0; i < batched->n_params; i++)
        argument[i] = moved(w, argument[i], ct__param_type(w->graph, i), w->in[i], true);
    if (!ct__replay(w->ctx, w->at, batched, argument, result))
        return NULL;
    for (size_t i = 0; i < batched->n_results; i++)
        result[i] = moved(w, result[i], ct__result_type(w->graph, i), w->out[i], false);
    return ct__trace_close(w->ctx, w->at, batched->n_results, result);
}

static ct__graph *with_axes(const vmap *w, ct__graph *batched)
{
    ct__arena arena;
    ct__session session;
    ct__graph *graph = NULL;
    bool at_0 = true;
    for (size_t i = 0; i < w->graph->n_params; i++)
        at_0 = at_0 && (w->in[i] == 0 || w->in[i] == CT_UNBATCHED);
    for (size_t i = 0; i < w->graph->n_results; i++)
        at_0 = at_0 && (w->out[i] == 0 || w->out[i] == CT_UNBATCHED);
    if (at_0)
        return batched;
    if (ct__session_begin(&session, w->ctx, w->at, &arena, "vmap", w->graph)) {
        graph = record_moved(w, batched);
        ct__session_end(&session);
    }
    ct__graph_release(batched);
    return graph;
}

/* ---- The transform. */

static ct__graph *batch(const vmap *w)
{
    bool *batched = CT__NEW_ARRAY(w->arena, bool, w->graph->n_results);
    if (!batched) {
        ct__error_memory(w->ctx, w->at, "vmap");
        return NULL;
    }
    ct__graph *graph = ct__graph_batch(w->ctx, w->at, w->graph, w->size, false, w->batched,
                                       w->result, batched);
    if (graph && check_unbatched(w, batched))
        graph = with_axes(w, graph);
    if (graph && !ct_failed(w->ctx) &&
        !ct__graph_set_arguments(graph, w->graph->n_arguments, w->graph->leaves))
        ct__error_memory(w->ctx, w->at, "vmap");
    if (ct_failed(w->ctx)) {
        ct__graph_release(graph);
        graph = NULL;
    }
    return graph;
}

ct_function *ct_vmap_at(ct_place at, ct_function *f, int64_t size, ct_axes in_axes,
                        ct_axes out_axes)
{
    ct_context *ctx = ct_function_context(f);
    if (!ct__function_check(ctx, at, "vmap", f))
        return ct__poison_function(ctx);
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    vmap w = {.ctx = ctx, .at = at, .graph = f->graph, .arena = &arena, .size = size};
    ct__graph *graph = NULL;
    if (ct__derivations_begin(ctx, at, "vmap")) {
        if (take_axes(&w, in_axes, out_axes))
            graph = batch(&w);
        ct__derivations_end(ctx);
    }
    ct__arena_free(&arena);
    return ct__function_new(ctx, at, graph);
}

/* ---- At once: how many lanes there are, and what one of them is, is read off the arguments. */

typedef struct lanes {
    ct_context *ctx;
    ct_place at;
    const char *name;
    ct_axes axes;
    ct_list arguments;
    size_t first; /* the first batched argument; arguments.count: none so far */
    int64_t size;
} lanes;

static int64_t axis_of(const lanes *w, size_t i)
{
    return w->axes.all ? 0 : w->axes.axis[i];
}

/* Whether argument i has lanes along its axis, as many as those before it. */
static bool check_lanes(lanes *w, size_t i)
{
    char text[128], other[128];
    const ct_type *type = w->arguments.item[i]->type;
    int64_t axis = axis_of(w, i);
    ct__type_print(type, text, sizeof text);
    if (type->kind != CT__TENSOR || axis >= type->rank || axis < -(int64_t)type->rank) {
        ct__error(w->ctx, w->at, CT_ERR_SHAPE,
                  "vmap of %s: argument %zu is %s, which has no axis %" PRId64, w->name, i, text,
                  axis);
        return false;
    }
    int64_t size = type->dim[from_front(axis, type->rank - 1)];
    if (w->first < w->arguments.count && size != w->size) {
        ct__error(w->ctx, w->at, CT_ERR_SHAPE,
                  "vmap of %s: argument %zu has %" PRId64 " lanes: axis %" PRId64
                  " of %s, and argument %zu has %" PRId64 ": axis %" PRId64 " of %s",
                  w->name, w->first, w->size, axis_of(w, w->first),
                  ct__type_print(w->arguments.item[w->first]->type, other, sizeof other), i, size,
                  axis, text);
        return false;
    }
    if (w->first == w->arguments.count)
        w->first = i;
    w->size = size;
    return true;
}

/* A lane of argument i, as an example of its type. */
static ct_tensor *lane_of(const lanes *w, size_t i)
{
    const ct_tensor *x = w->arguments.item[i];
    int64_t dim[CT__MAX_RANK], axis = axis_of(w, i);
    ct_type type = *x->type;
    ct__quantized quantized;
    if (axis == CT_UNBATCHED)
        return ct__tensor_spec(w->ctx, w->at, &type);
    size_t rank = 0, place = from_front(axis, type.rank - 1);
    int64_t size = 1;
    for (size_t d = 0; d < (size_t)type.rank; d++)
        if (d != place)
            dim[rank++] = type.dim[d];
    type.rank--;
    type.dim = dim;
    if (!ct__count_elements(rank, dim, &size)) {
        ct__error(w->ctx, w->at, CT_ERR_RANGE, "vmap of %s: a lane of argument %zu is too large",
                  w->name, i);
        return ct__poison(w->ctx);
    }
    type.size = size;
    if (ct__is_per_axis(&type)) {
        quantized = *type.quantized;
        quantized.axis -= (size_t)quantized.axis > place;
        type.quantized = &quantized;
    }
    return ct__tensor_spec(w->ctx, w->at, &type);
}

static bool check_lists(const lanes *w)
{
    bool no_axes = !w->axes.all && !w->axes.axis && w->axes.count > 0;
    if (no_axes || (!w->arguments.item && w->arguments.count > 0))
        ct__error(w->ctx, w->at, CT_ERR_ARGUMENT, "vmap of %s: %s is NULL", w->name,
                  no_axes ? "in_axes" : "the list of arguments");
    return !ct_failed(w->ctx);
}

static bool check_arguments(lanes *w)
{
    if (!check_lists(w))
        return false;
    for (size_t i = 0; i < w->arguments.count; i++) {
        char name[32];
        snprintf(name, sizeof name, "argument %zu", i);
        if (!ct__operand_check(w->ctx, w->at, "vmap", name, w->arguments.item[i]))
            return false;
    }
    if (!w->axes.all && w->axes.count != w->arguments.count) {
        ct__error(w->ctx, w->at, CT_ERR_SHAPE,
                  "vmap of %s: in_axes has %zu axes for %zu argument%s", w->name, w->axes.count,
                  w->arguments.count, w->arguments.count == 1 ? "" : "s");
        return false;
    }
    w->first = w->arguments.count;
    for (size_t i = 0; i < w->arguments.count; i++)
        if (axis_of(w, i) != CT_UNBATCHED && !check_lanes(w, i))
            return false;
    if (w->first < w->arguments.count)
        return true;
    ct__error(w->ctx, w->at, CT_ERR_ARGUMENT,
              "vmap of %s: no argument is batched, so that there is no number of lanes", w->name);
    return false;
}

static ct_tensor *apply_lanes(const lanes *w, ct_signature signature, ct_any_function code,
                              int64_t out_axis, ct__arena *arena)
{
    ct_tensor **lane = CT__NEW_ARRAY(arena, ct_tensor *, w->arguments.count);
    if (!lane) {
        ct__error_memory(w->ctx, w->at, "vmap");
        return ct__poison(w->ctx);
    }
    for (size_t i = 0; i < w->arguments.count; i++)
        lane[i] = lane_of(w, i);
    ct_function *f = ct_trace_function_at(w->at, w->ctx, w->name, signature, code, NULL,
                                          CT_NO_TENSORS, (ct_list){w->arguments.count, lane});
    ct_function *g = ct_vmap_at(w->at, f, w->size, w->axes, CT_AXES(out_axis));
    ct_tensor *result = ct_apply1_at(w->at, g, w->arguments);
    ct_release_function(g);
    ct_release_function(f);
    for (size_t i = 0; i < w->arguments.count; i++)
        ct_release(lane[i]);
    return result;
}

ct_tensor *ct_vmap_of_function_at(ct_place at, ct_context *ctx, const char *name,
                                  ct_signature signature, ct_any_function code, ct_axes in_axes,
                                  int64_t out_axis, ct_list arguments)
{
    lanes w = {.ctx = ctx,
               .at = at,
               .name = name ? name : "a function",
               .axes = in_axes,
               .arguments = arguments};
    if (ct_failed(ctx) || !check_arguments(&w))
        return ct__poison(ctx);
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    ct_tensor *result = apply_lanes(&w, signature, code, out_axis, &arena);
    ct__arena_free(&arena);
    return result;
}
