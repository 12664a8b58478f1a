/* Who shares memory with whom, and constants. */
#include "exec/interpret/planner.h"

#include <string.h>

enum { PATTERN = 16 }; /* bytes: a multiple of every element's */

/* ---- Constants. */

static bool place_constant(ct__planning *s, const ct__node *node, const ct__literal *literal,
                           ct__home *home)
{
    home->kind = CT__IN_CONSTANT;
    if (ct__literal_is_contiguous(literal) && literal->type->size > 0) {
        home->data = ct__literal_first(literal);
        return true;
    }
    size_t bytes = ct__data_bytes(literal->type);
    void *copy = ct__arena_alloc(s->arena, bytes > 0 ? bytes : 1);
    if (!copy)
        return ct__plan_fail(s, node, CT_ERR_MEMORY);
    ct__literal_copy_out(literal, copy);
    home->data = copy;
    return true;
}

/* Whether every element of the node's result is the first one of a constant: a constant or what
 * moving data makes of it. Indices are not looked at: those may have to be audited. */
static bool is_repeated(const ct__planner *p, const ct__node *node)
{
    if (node->n_results != 1 || node->n_operands > 1 || p->s->numerics->has_own_elements)
        return false;
    const ct__value *value = &p->graph->value[node->first_result];
    return value->copied && value->type->size > 0 && ct__literal_is_splat(value->copied);
}

/* The repetition of these first bytes; a new one is empty. NULL when memory is short. */
static ct__repetition *find_repetition(ct__planning *s, const unsigned char *pattern)
{
    const ct_allocator *allocator = &s->scratch.allocator;
    uint64_t half[2];
    size_t i;

    memcpy(half, pattern, sizeof half);
    if (ct__lookup_find(&s->repetition_of, half[0], half[1], &i))
        return &s->repetition[i];
    i = s->n_repetitions;
    if (!ct__grow(allocator, &s->repetition, &s->repetition_capacity, i + 1,
                  sizeof *s->repetition) ||
        !ct__lookup_reserve(allocator, &s->repetition_of))
        return NULL;
    ct__lookup_add(&s->repetition_of, half[0], half[1], i);
    s->repetition[s->n_repetitions++] = (ct__repetition){NULL, 0};
    return &s->repetition[i];
}

const void *ct__write_out(ct__planning *s, const void *element, size_t element_bytes, size_t bytes)
{
    unsigned char pattern[PATTERN];

    ct__fill_elements(element_bytes, PATTERN / element_bytes, pattern, element);
    ct__repetition *r = find_repetition(s, pattern);
    if (r && r->bytes < bytes) {
        void *data = ct__arena_alloc(s->arena, bytes);
        if (!data)
            return NULL;
        ct__fill_elements(element_bytes, bytes / element_bytes, data, element);
        *r = (ct__repetition){data, bytes};
    }
    return r ? r->data : NULL;
}

/* ---- Who shares memory, and how long it is needed. */

static size_t exact_bytes(const ct__planner *p, ct__id id)
{
    return ct__value_bytes(p->s->numerics, ct__graph_type(p->graph, id));
}

/* Whether the elements of the slice lie together in x, from element *first on: behind the first
 * axis of which it has more than one place, it has all. */
static bool is_run(const ct_type *x, const ct_type *y, const struct ct__attrs_slice *a,
                   int64_t *first)
{
    int64_t stride[CT__MAX_RANK];
    bool seen = false;

    ct__row_major(x->rank, x->dim, stride);
    *first = 0;
    for (int d = 0; d < x->rank; d++) {
        if (seen && y->dim[d] != x->dim[d])
            return false;
        if (y->dim[d] > 1 && a->strides.item[d] != 1)
            return false;
        seen = seen || y->dim[d] > 1;
        *first += a->start_indices.item[d] * stride[d];
    }
    return true;
}

/* Whether the slice is read where it is: nothing lives longer for it than what is there anyway, or
 * than the slice, were it copied, would take half of. */
static bool is_read_in_place(const ct__planner *p, const ct__node *node, size_t *at)
{
    ct__id x = node->operand[0], y = node->first_result, root = p->root[x];
    const ct_type *from = ct__graph_type(p->graph, x), *to = ct__graph_type(p->graph, y);
    int64_t first;

    if (!ct__has_plain_elements(from) || !ct__has_plain_elements(to) || p->repeated[root] ||
        !is_run(from, to, &node->attrs->slice, &first))
        return false;
    if (p->home[root].kind == CT__IN_FRAME && (p->bytes[y] < p->bytes[root] / 2 || p->is_result[y]))
        return false;
    *at = p->offset[x] + (size_t)first * p->s->numerics->element_bytes(from->dtype);
    return true;
}

static void share(ct__planner *p, ct__id id, ct__id with, size_t offset)
{
    p->root[id] = p->root[with];
    p->offset[id] = offset;
    p->is_view[id] = true;
}

/* Where the node's results are, as far as that is known before memory is laid out. */
static bool find_root(ct__planner *p, const ct__node *node, size_t result)
{
    ct__id id = node->first_result + (ct__id)result;
    size_t at;

    if (!ct__round_up(exact_bytes(p, id), &p->bytes[id]))
        return ct__plan_fail(p->s, node, CT_ERR_RANGE);
    p->root[id] = id;
    if (ct__is_identity(node->op)) {
        share(p, id, node->operand[result], p->offset[node->operand[result]]);
        return true;
    }
    p->repeated[id] = is_repeated(p, node);
    if (p->repeated[id])
        p->home[id] = (ct__home){.kind = CT__IN_CONSTANT,
                                 .data = ct__literal_first(p->graph->value[id].copied)};
    else if (node->op == CT__OP_constant && !p->s->numerics->has_own_elements)
        return place_constant(p->s, node, node->attrs->constant.value, &p->home[id]);
    else if (node->op == CT__OP_slice && is_read_in_place(p, node, &at))
        share(p, id, node->operand[0], at);
    return true;
}

bool ct__find_roots(ct__planner *p)
{
    const ct__graph *graph = p->graph;

    for (size_t i = 0; i < graph->n_results; i++)
        p->is_result[graph->result[i]] = true;
    for (size_t i = 0; i < graph->n_params; i++) {
        ct__id id = graph->param[i];
        p->root[id] = id;
        p->home[id] = (ct__home){.kind = CT__IN_PARAM, .index = i};
        if (!ct__round_up(exact_bytes(p, id), &p->bytes[id]))
            return ct__plan_fail(p->s, NULL, CT_ERR_RANGE);
    }
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        for (size_t j = 0; j < node->n_results; j++)
            if (!find_root(p, node, j))
                return false;
    }
    return true;
}

/* ---- Pieces: made where the whole is to be. */

/* Whether the operands follow one another in the result. */
static bool is_row_of_pieces(const ct__planner *p, const ct__node *node)
{
    const ct_type *y = ct__graph_type(p->graph, node->first_result);

    for (int64_t d = 0; d < node->attrs->concatenate.dimension; d++)
        if (y->dim[d] != 1)
            return false;
    return ct__has_plain_elements(y);
}

/* Whether the value, which is all of its root, is made in the frame; but the whole does not begin
 * to live for a small piece. */
static bool is_piece(const ct__planner *p, ct__id id, ct__id whole)
{
    ct__id root = p->root[id];
    size_t bytes = exact_bytes(p, id);

    return p->root[root] == root && root != whole && p->home[root].kind == CT__IN_FRAME &&
           p->offset[id] == 0 && bytes > 0 && bytes == exact_bytes(p, root) &&
           (p->home[whole].kind == CT__IN_RESULT || p->bytes[id] >= p->bytes[whole] / 2);
}

static void place_pieces(ct__planner *p, const ct__node *node)
{
    ct__id y = node->first_result, whole = p->root[y];
    size_t at = p->offset[y];

    for (size_t i = 0; i < node->n_operands; i++) {
        ct__id id = node->operand[i];
        if (is_piece(p, id, whole)) {
            p->offset[p->root[id]] = at;
            p->root[p->root[id]] = whole;
        }
        at += exact_bytes(p, id);
    }
}

/* A whole may be a piece itself: the outer ones come first. */
void ct__find_pieces(ct__planner *p)
{
    for (size_t i = p->graph->n_nodes; i-- > 0;) {
        const ct__node *node = &p->graph->node[i];
        if (node->op == CT__OP_concatenate && !p->repeated[p->root[node->first_result]] &&
            !p->is_view[node->first_result] && is_row_of_pieces(p, node))
            place_pieces(p, node);
    }
    for (size_t id = 0; id < p->graph->n_values; id++) {
        ct__id root = p->root[id];
        if (p->root[root] == root)
            continue;
        p->root[id] = p->root[root];
        p->offset[id] += p->offset[root];
    }
}

ct__home ct__home_of(const ct__planner *p, ct__id id)
{
    ct__home home = p->home[p->root[id]];

    home.offset = p->offset[id];
    return home;
}

/* What a part makes again it uses from nowhere else. */
static void find_uses(ct__planner *p, const ct__part *part)
{
    const uint32_t index = (uint32_t)(part - p->parting.part);
    ct__id read[2];

    ct__note_made(p, part);
    for (size_t k = 0; k < part->n_nodes; k++) {
        const ct__node *node = ct__part_node(p, part, k);
        for (size_t j = 0; j < node->n_results && !(part->is_again && part->is_again[k]); j++)
            p->made_by[node->first_result + j] = index;
        for (size_t j = 0; j < node->n_operands; j++)
            for (size_t n = ct__read_values(p, node->operand[j], read); n > 0; n--)
                if (p->listed_by[read[n - 1]] != index || p->made_by[read[n - 1]] == index)
                    p->last_use[p->root[read[n - 1]]] = index;
    }
}

void ct__find_last_uses(ct__planner *p)
{
    const ct__graph *graph = p->graph;

    for (size_t i = 0; i < graph->n_values; i++) {
        p->last_use[i] = CT__UNUSED;
        p->made_by[i] = p->listed_by[i] = CT__NONE;
    }
    for (size_t i = 0; i < p->parting.n_parts; i++)
        find_uses(p, &p->parting.part[i]);
    for (size_t i = 0; i < graph->n_results; i++)
        p->last_use[p->root[graph->result[i]]] = CT__KEPT;
}
