/* Operations whose indices are out of range at the given arguments. */
#include "ad/rules.h"
#include "probe/gradcheck.h"

#include <string.h>

/* Counts operations that index; whether this one is meant. */
static bool is_meant(ct__rewrite *r, const ct__node *node)
{
    if (!ct__has(node->op, CT__INDEXES))
        return false;
    int64_t number = (int64_t)r->next_node++;
    return r->which == CT__EVERY_INDEX || r->which == number;
}

static ct__graph *rewrite(ct__rewrite *r, const ct__graph *graph)
{
    ct__graph *rewritten = ct__rewrite_graph(r, graph);
    ct__rewrite_end(r);
    return rewritten;
}

/* ---- Strict. */

static bool set_strict(ct__rewrite *r, ct__node *node, ct__arena *arena)
{
    if (!is_meant(r, node))
        return true;
    const ct__attrs_info *info = ct__attrs_describe(ct__op_describe(node->op)->attrs);
    char *copy = ct__arena_copy(arena, node->attrs, info->bytes);
    if (!copy) {
        ct__error_memory(r->ctx, node->at, r->what);
        return false;
    }
    for (size_t i = 0; i < info->n_fields; i++)
        if (info->field[i].kind == CT__FIELD_FLAG && strcmp(info->field[i].name, "strict") == 0)
            *(bool *)(copy + info->field[i].offset) = true;
    node->attrs = (const ct__attrs *)(void *)copy;
    return true;
}

/* `strict`: an index out of range is CT_ERR_INDEX. */
static ct__graph *make_strict(ct_context *ctx, ct_place at, const ct__graph *graph, int64_t which)
{
    ct__rewrite r = {.ctx = ctx, .at = at, .what = "strict", .before = set_strict, .which = which};
    return rewrite(&r, graph);
}

/* ---- Counting, in the same walk: each body once. */

static bool count(ct__rewrite *r, ct__node *node, ct__arena *arena)
{
    (void)arena;
    is_meant(r, node);
    return true;
}

static size_t count_indexing(const ct__graph *graph, ct_context *ctx, ct_place at)
{
    ct__rewrite r = {.ctx = ctx, .at = at, .what = "count", .before = count};
    ct__graph_release(rewrite(&r, graph));
    return r.next_node;
}

/* ---- Cutting: y = ok ? y : stop_gradient(y), where ok says that an index was not clamped. */

/* Every index vector is inside: bool, of the axes of indices but index_vector_dim. */
static ct_tensor *vectors_inside(ct_place at, ct_tensor *indices, int64_t vector_dim, size_t n,
                                 const int64_t *last)
{
    ct_context *ctx = ct_context_of(indices);
    ct_tensor *zero = ct_zeros_at(at, ctx, ct_dtype_of(indices), CT_SHAPE());
    ct_tensor *bound = ct__per_component(at, indices, vector_dim, n, last);
    ct_tensor *clamped = ct_op_clamp_at(at, zero, indices, bound);
    ct_tensor *inside = ct_op_compare_at(at, clamped, indices, CT_EQ, CT_COMPARE_DEFAULT);
    if (ct_failed(ctx) || (size_t)vector_dim == ct_rank(indices))
        return inside;
    return ct_op_reduce_min_at(at, inside, (ct_dims){1, &vector_dim});
}

static ct_tensor *gather_inside(const ct__node *node, ct_tensor *x, ct_tensor *indices,
                                ct_tensor *y)
{
    const struct ct__attrs_gather *a = &node->attrs->gather;
    int64_t last[CT__MAX_RANK], axis[CT__MAX_RANK];
    for (size_t k = 0; k < a->start_index_map.count; k++) {
        int64_t d = a->start_index_map.item[k];
        last[k] = x->type->dim[d] - a->slice_sizes.item[d];
    }
    ct_tensor *inside = vectors_inside(node->at, indices, a->index_vector_dim,
                                       a->start_index_map.count, last);
    size_t n = ct__other_axes(ct_rank(y), ct__dims(a->offset_dims), axis);
    return ct_op_broadcast_in_dim_at(node->at, inside, ct_shape_of(y), (ct_dims){n, axis});
}

/* A window of these extents whose corner is start[0 … rank of x - 1]: a bool scalar. */
static ct_tensor *window_inside(const ct__node *node, ct_tensor *x, ct_tensor *const *start,
                                const int64_t *size)
{
    ct_tensor *inside = ct_ones_at(node->at, x->handle.ctx, CT_BOOL, CT_SHAPE());
    for (int d = 0; d < x->type->rank; d++) {
        int64_t last = x->type->dim[d] - size[d];
        ct_tensor *one = vectors_inside(node->at, start[d], 0, 1, &last);
        inside = ct_op_and_at(node->at, inside, one);
    }
    return inside;
}

static ct_tensor *inside_of(ct__rewrite *r, const ct__node *node, ct_tensor *const *value,
                            ct_tensor *y)
{
    ct_tensor *x = value[node->operand[0]], *start[CT__MAX_RANK] = {NULL};
    size_t first = node->op == CT__OP_dynamic_slice ? 1 : 2;
    for (size_t i = first; i < node->n_operands && i < first + CT__MAX_RANK; i++)
        start[i - first] = value[node->operand[i]];
    switch (node->op) {
    case CT__OP_gather: return gather_inside(node, x, value[node->operand[1]], y);
    case CT__OP_dynamic_slice: return window_inside(node, x, start, y->type->dim);
    case CT__OP_dynamic_update_slice:
        return window_inside(node, x, start, value[node->operand[1]]->type->dim);
    default: /* a scatter skips what is out of range: nothing is clamped */ (void)r; return NULL;
    }
}

static void cut_result(ct__rewrite *r, const ct__node *node, ct_tensor *const *value,
                       ct_tensor **result)
{
    if (!is_meant(r, node) || !ct__has_tangent(result[0]->type))
        return;
    ct_tensor *inside = inside_of(r, node, value, result[0]);
    if (inside)
        result[0] = ct_op_select_at(node->at, inside, result[0],
                                    ct_op_stop_gradient_at(node->at, result[0]));
}

ct__graph *ct__cut_clamped(ct_context *ctx, ct_place at, const ct__graph *graph, int64_t which)
{
    ct__rewrite r = {.ctx = ctx, .at = at, .what = "cut", .after = cut_result, .which = which};
    return rewrite(&r, graph);
}

/* ---- The audit: each operation strict by itself. */

/* The error of index operation k when it is strict, NULL when it is well. */
static bool audit_one(const ct__subject *s, size_t k, const char **message)
{
    ct__machine m = {.instance = NULL};
    ct__graph *strict = make_strict(s->ctx, s->at, s->graph, (int64_t)k);
    *message = NULL;
    if (strict && ct__machine_begin(&m, s->ctx, s->at, strict, s->x, 0, s->arena) &&
        ct__machine_run(&m) == CT_ERR_INDEX)
        *message = ct_instance_error(m.instance);
    else if (ct_error_status(s->ctx) == CT_ERR_INDEX) /* an index known without running */
        *message = ct_error_message(s->ctx);
    const char *copy = ct__arena_text(s->arena, *message);
    bool short_of_memory = *message && !copy;
    *message = copy;
    if (ct_error_status(s->ctx) == CT_ERR_INDEX)
        ct_error_clear(s->ctx);
    ct__machine_end(&m);
    return short_of_memory ? ct__gradcheck_memory(s) : !ct_failed(s->ctx);
}

/* Note what clamps, if a derivative passes through what it moves. */
static bool note_clamp(const ct__subject *s, ct__slopes *d, size_t k, const char *message,
                       bool *clamps)
{
    bool differ = false;
    ct__graph *cut = ct__cut_clamped(s->ctx, s->at, s->graph, (int64_t)k);
    if (!cut || !ct__slopes_differ(d, cut, &differ))
        return false;
    *clamps = *clamps || differ;
    return !differ || ct__report_note(s->report, message) || ct__gradcheck_memory(s);
}

bool ct__audit_clamps(const ct__subject *s, ct__slopes *d)
{
    size_t n = count_indexing(s->graph, s->ctx, s->at);
    bool clamps = false;
    for (size_t k = 0; k < n && !ct_failed(s->ctx); k++) {
        const char *message;
        if (!audit_one(s, k, &message) || (message && !note_clamp(s, d, k, message, &clamps)))
            return false;
    }
    return !ct_failed(s->ctx) && (!clamps || ct__slopes_cut_clamped(d));
}
