/* Which values are not made, but read at an index map by whoever needs them: slices, reversals,
 * transpositions, broadcasts and pads, one behind another, of what is in memory. Products, and rows
 * of pieces, read at strides.
 *
 * Whether all who need a value can read it so is found from the last node to the first, the maps
 * from the first to the last. */
#include "exec/cpu/divide.h"

#include <string.h>

enum {
    LEAST_ROW = 8,         /* elements that a load should find in a row */
    SMALL = 1 << 12,       /* elements of which it does not matter */
    MOST_STRIDE = 8,       /* within a row, but of a small base */
    SMALL_BASE = 32 << 10, /* bytes */
};

/* A map on the axes of a value's own shape. */
typedef struct map {
    ct__id base, fill;
    bool is_partial;
    int rank;
    int64_t first;
    int64_t dim[CT__MAX_RANK], stride[CT__MAX_RANK], low[CT__MAX_RANK], high[CT__MAX_RANK];
} map;

typedef struct viewer {
    const ct__divider *d;
    const ct__graph *graph;
    ct__parting *to;
    bool *is_whole;   /* per value: someone needs it in memory */
    bool *is_strided; /* per value: someone reads it who takes strides */
    bool *is_loaded;  /* per value: a tile reads it, which takes any map, and good ones fast */
} viewer;

static const ct_type *type_of(const viewer *v, ct__id id)
{
    return ct__graph_type(v->graph, id);
}

/* ---- Who can read a map. */

static bool moves(const ct__node *node)
{
    switch (node->op) {
    case CT__OP_slice:
    case CT__OP_reverse:
    case CT__OP_transpose:
    case CT__OP_broadcast_in_dim:
    case CT__OP_pad: return true;
    default: return false;
    }
}

/* A move of more than one element, which is worth a map. */
static bool is_move(const viewer *v, const ct__node *node)
{
    if (!moves(node) || type_of(v, node->first_result)->size <= 1 ||
        !ct__has_plain_elements(type_of(v, node->operand[0])))
        return false;
    for (size_t i = 0; node->op == CT__OP_pad && i < node->attrs->pad.interior_padding.count; i++)
        if (node->attrs->pad.interior_padding.item[i] != 0)
            return false;
    return true;
}

/* A product or a row of pieces, of what is not quantized. */
static bool takes_strides(const viewer *v, const ct__node *node)
{
    if (node->op != CT__OP_dot_general && node->op != CT__OP_concatenate)
        return false;
    bool plain = ct__has_plain_elements(type_of(v, node->first_result));
    for (size_t k = 0; k < node->n_operands; k++)
        plain = plain && ct__has_plain_elements(type_of(v, node->operand[k]));
    return plain;
}

/* How the node reads operand k. */
static void note_reading(viewer *v, const ct__node *node, size_t k)
{
    const ct__id x = node->operand[k];
    if (type_of(v, x)->size > 1 && takes_strides(v, node))
        v->is_strided[x] = true;
    else if (type_of(v, x)->size > 1 && ct__part_takes_maps(v->d, node))
        v->is_loaded[x] = true;
    else if (k > 0 || !is_move(v, node))
        v->is_whole[x] = true;
}

/* What hands operand k on is read as the result is. */
static void hand_on(viewer *v, const ct__node *node, size_t k)
{
    const ct__id x = node->operand[k], y = node->first_result + (ct__id)k;
    v->is_whole[x] = v->is_whole[x] || v->is_whole[y];
    v->is_strided[x] = v->is_strided[x] || v->is_strided[y];
    v->is_loaded[x] = v->is_loaded[x] || v->is_loaded[y];
}

static void find_whole(viewer *v)
{
    for (size_t i = 0; i < v->graph->n_results; i++)
        v->is_whole[v->graph->result[i]] = true;
    for (size_t i = v->graph->n_nodes; i-- > 0;) {
        const ct__node *node = &v->graph->node[i];
        const bool hands_on = ct__is_identity(node->op);
        const bool needs_whole = v->to->done[i] || (moves(node) && v->is_whole[node->first_result]);
        for (size_t k = 0; k < node->n_operands; k++)
            if (hands_on)
                hand_on(v, node, k);
            else if (needs_whole)
                v->is_whole[node->operand[k]] = true;
            else
                note_reading(v, node, k);
    }
}

/* ---- Maps. */

static void map_memory(const viewer *v, ct__id id, map *m)
{
    const ct_type *type = type_of(v, id);
    *m = (map){.base = v->to->same[id], .rank = type->rank};
    ct__row_major(type->rank, type->dim, m->stride);
    for (int d = 0; d < type->rank; d++) {
        m->dim[d] = m->high[d] = type->dim[d];
        m->low[d] = 0;
    }
}

/* One axis of a view, [low, high) of dim, as the axes of the type from *d on whose extents multiply
 * to dim. */
static bool split_axis(const ct__index_view *view, int axis, const ct_type *type, int *d, map *m)
{
    const int64_t dim = view->dim[axis];
    const bool is_full = view->low[axis] == 0 && view->high[axis] == dim;
    int64_t rest = dim;
    while (rest > 1) {
        if (*d == type->rank || rest % type->dim[*d] != 0)
            return false;
        const int64_t inner = rest / type->dim[*d];
        if (type->dim[*d] != 1 && type->dim[*d] != dim && !is_full)
            return false;
        m->stride[*d] = view->stride[axis] * inner;
        if (type->dim[*d] == dim) {
            m->low[*d] = view->low[axis];
            m->high[*d] = view->high[axis];
        }
        rest = inner;
        ++*d;
    }
    return true;
}

/* Whether nothing of the base is read. */
static bool is_outside(const ct__index_view *view)
{
    for (int axis = 0; axis < view->rank; axis++)
        if (view->low[axis] >= view->high[axis])
            return true;
    return false;
}

/* The view on the axes of a type of as many elements; false: there is no such map. An axis of one
 * element, which none of the type's may stand for, may be the one that is outside. */
static bool map_view(const ct__index_view *view, const ct_type *type, map *m)
{
    int d = 0;
    *m = (map){.base = view->base,
               .fill = view->fill,
               .is_partial = view->is_partial,
               .rank = type->rank,
               .first = view->first};
    for (int i = 0; i < type->rank; i++) {
        m->dim[i] = m->high[i] = type->dim[i];
        m->low[i] = m->stride[i] = 0;
    }
    for (int axis = 0; axis < view->rank; axis++)
        if (!split_axis(view, axis, type, &d, m))
            return false;
    if (is_outside(view)) {
        if (type->rank == 0)
            return false;
        m->low[0] = m->high[0] = 0;
    }
    return true;
}

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t smaller(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* The least i with start + i·step >= x. */
static int64_t least_from(int64_t x, int64_t start, int64_t step)
{
    return x <= start ? 0 : (x - start + step - 1) / step;
}

static void slice(map *m, const struct ct__attrs_slice *a, const ct_type *y)
{
    for (int d = 0; d < m->rank; d++) {
        const int64_t start = a->start_indices.item[d], step = a->strides.item[d];
        m->first += start * m->stride[d];
        m->stride[d] *= step;
        m->dim[d] = y->dim[d];
        m->low[d] = smaller(least_from(m->low[d], start, step), m->dim[d]);
        m->high[d] = smaller(least_from(m->high[d], start, step), m->dim[d]);
    }
}

static void reverse(map *m, ct__ints dimensions)
{
    for (int d = 0; d < m->rank; d++) {
        if (!ct__ints_contain(dimensions, d))
            continue;
        const int64_t low = m->low[d];
        m->first += (m->dim[d] - 1) * m->stride[d];
        m->stride[d] = -m->stride[d];
        m->low[d] = m->dim[d] - m->high[d];
        m->high[d] = m->dim[d] - low;
    }
}

static void set_axis(map *to, int d, const map *from, int axis)
{
    to->dim[d] = from->dim[axis];
    to->stride[d] = from->stride[axis];
    to->low[d] = from->low[axis];
    to->high[d] = from->high[axis];
}

static void transpose(map *m, ct__ints permutation)
{
    const map from = *m;
    for (int d = 0; d < m->rank; d++)
        set_axis(m, d, &from, (int)permutation.item[d]);
}

static void broadcast(map *m, ct__ints dims, const ct_type *y)
{
    const map from = *m;
    m->rank = y->rank;
    for (int d = 0; d < y->rank; d++) {
        m->dim[d] = m->high[d] = y->dim[d];
        m->stride[d] = m->low[d] = 0;
    }
    for (size_t i = 0; i < dims.count; i++) {
        const int d = (int)dims.item[i];
        if (from.dim[i] == y->dim[d])
            set_axis(m, d, &from, (int)i);
        else if (from.low[i] >= from.high[i]) /* of extent 1, and outside */
            m->high[d] = 0;
    }
}

static bool pad(map *m, const struct ct__attrs_pad *a, const ct_type *y, ct__id fill)
{
    if (m->is_partial && m->fill != fill)
        return false;
    m->fill = fill;
    for (int d = 0; d < m->rank; d++) {
        const int64_t low = a->edge_padding_low.item[d];
        m->first -= low * m->stride[d];
        m->dim[d] = y->dim[d];
        m->low[d] = smaller(larger(m->low[d] + low, 0), y->dim[d]);
        m->high[d] = larger(smaller(m->high[d] + low, y->dim[d]), m->low[d]);
    }
    return true;
}

/* The map of what the node makes of a value with this one. */
static bool move(const viewer *v, const ct__node *node, map *m)
{
    const ct_type *y = type_of(v, node->first_result);
    bool fine = true;
    switch (node->op) {
    case CT__OP_slice: slice(m, &node->attrs->slice, y); break;
    case CT__OP_reverse: reverse(m, node->attrs->reverse.dimensions); break;
    case CT__OP_transpose: transpose(m, node->attrs->transpose.permutation); break;
    case CT__OP_broadcast_in_dim:
        broadcast(m, node->attrs->broadcast_in_dim.broadcast_dimensions, y);
        break;
    default: fine = pad(m, &node->attrs->pad, y, v->to->same[node->operand[1]]);
    }
    m->is_partial = false;
    for (int d = 0; d < m->rank; d++)
        m->is_partial = m->is_partial || m->low[d] > 0 || m->high[d] < m->dim[d];
    return fine;
}

/* Adjacent axes as one. */
static void merge(map *m)
{
    int last = -1;
    for (int d = 0; d < m->rank; d++) {
        const bool is_full = m->low[d] == 0 && m->high[d] == m->dim[d];
        if (m->dim[d] == 1 && is_full)
            continue;
        if (last >= 0 && is_full && m->stride[last] == m->stride[d] * m->dim[d]) {
            m->low[last] *= m->dim[d];
            m->high[last] *= m->dim[d];
            m->dim[last] *= m->dim[d];
            m->stride[last] = m->stride[d];
        } else {
            set_axis(m, ++last, m, d);
        }
    }
    m->rank = last + 1;
    if (m->rank == 0) {
        m->rank = 1;
        m->dim[0] = m->high[0] = 1;
        m->low[0] = m->stride[0] = 0;
    }
}

/* Whether reading by the map is as good as reading what has been moved: rows that are long enough,
 * of neighbours. */
static bool is_good(const viewer *v, const map *m, const ct_type *type)
{
    const int64_t row = m->dim[m->rank - 1], stride = m->stride[m->rank - 1];
    const ct_type *base = type_of(v, m->base);
    const bool is_small = type->size <= SMALL;
    if (row < LEAST_ROW && !is_small)
        return false;
    return (stride <= MOST_STRIDE && stride >= -MOST_STRIDE) || is_small ||
           (size_t)base->size * ct_dtype_bytes(base->dtype) <= SMALL_BASE;
}

/* Whether what takes strides can read at it. */
static bool has_strides(const map *m)
{
    bool has = !m->is_partial;
    for (int d = 0; d < m->rank; d++)
        has = has && m->stride[d] >= 0;
    return has;
}

static bool keep(viewer *v, ct__id id, const map *m)
{
    const size_t n = (size_t)m->rank, bytes = n * sizeof(int64_t);
    int64_t *axes = CT__NEW_ARRAY(v->to->arena, int64_t, 4 * n);
    ct__index_view *view = CT__NEW(v->to->arena, ct__index_view);
    if (!axes || !view)
        return false;
    memcpy(axes, m->dim, bytes);
    memcpy(axes + n, m->stride, bytes);
    memcpy(axes + 2 * n, m->low, bytes);
    memcpy(axes + 3 * n, m->high, bytes);
    *view = (ct__index_view){m->base, m->fill,  m->is_partial, m->rank,     m->first,
                             axes,    axes + n, axes + 2 * n,  axes + 3 * n};
    v->to->view[id] = view;
    return true;
}

/* It is made, and so is what it is made of. */
static void make_whole(viewer *v, ct__id id)
{
    for (id = v->to->same[id]; v->to->view[id]; id = v->to->same[id]) {
        const uint32_t node = v->graph->value[id].node;
        v->to->view[id] = NULL;
        v->to->done[node] = false;
        v->to->made[id] = id;
        id = v->graph->node[node].operand[0];
    }
}

/* The map of the node's result, if there is a good one. */
static bool find_map(const viewer *v, const ct__node *node, map *m)
{
    const ct__id x = node->operand[0];
    const ct__index_view *view = v->to->view[v->to->same[x]];
    if (!view)
        map_memory(v, x, m);
    else if (!map_view(view, type_of(v, x), m))
        return false;
    if (!move(v, node, m))
        return false;
    merge(m);
    const ct__id y = node->first_result;
    return (!v->is_strided[y] || has_strides(m)) &&
           (!v->is_loaded[y] || node->op == CT__OP_broadcast_in_dim ||
            is_good(v, m, type_of(v, y)));
}

static bool find_view(viewer *v, uint32_t i)
{
    const ct__node *node = &v->graph->node[i];
    const ct__id x = node->operand[0], y = node->first_result;
    map m;
    if (v->is_whole[y])
        return true;
    bool found = find_map(v, node, &m);
    if (!found && v->to->view[v->to->same[x]]) {
        make_whole(v, x);
        found = find_map(v, node, &m);
    }
    if (!found)
        return true;
    v->to->done[i] = true;
    v->to->made[y] = v->to->made[m.base];
    return keep(v, y, &m);
}

/* The strides of the node's operands that are views; where there are none they are made. */
static bool find_strides(viewer *v, const ct__node *node)
{
    map m;
    for (size_t k = 0; k < node->n_operands; k++) {
        const ct__id x = node->operand[k], id = v->to->same[x];
        const ct__index_view *view = v->to->view[id];
        if (view && !map_view(view, type_of(v, x), &m))
            make_whole(v, x);
        else if (view && !(v->to->strides[x] = ct__arena_copy(v->to->arena, m.stride,
                                                              (size_t)m.rank * sizeof *m.stride)))
            return false;
    }
    return true;
}

static bool find_views(viewer *v)
{
    const ct__graph *graph = v->graph;
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        if (!v->to->done[i] && is_move(v, &graph->node[i]) && !find_view(v, i))
            return false;
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        if (takes_strides(v, &graph->node[i]) && !find_strides(v, &graph->node[i]))
            return false;
    return true;
}

bool ct__find_views(const ct__divider *d)
{
    const size_t n = d->to->graph->n_values;
    viewer v = {.d = d,
                .graph = d->to->graph,
                .to = d->to,
                .is_whole = CT__NEW_ARRAY(d->to->arena, bool, n),
                .is_strided = CT__NEW_ARRAY(d->to->arena, bool, n),
                .is_loaded = CT__NEW_ARRAY(d->to->arena, bool, n)};
    if (!v.is_whole || !v.is_strided || !v.is_loaded)
        return false;
    find_whole(&v);
    return find_views(&v);
}
