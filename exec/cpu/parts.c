/* Which nodes are run as one step. Nodes of as many elements are collected while nothing else needs
 * one of their results; whoever does closes the collection, which becomes a part before it. So a
 * part needs only what was made in parts before it.
 *
 * Where a collection folds its rows, the innermost axes, what is computed on a value per row and
 * spread over the rows again belongs to it too: a softmax is one part. */
#include "exec/cpu/cpu.h"
#include "exec/kernel/arrays.h"

enum { MOST_COLUMNS = 1 << 14 }; /* of a row, which must stay in the cache */

/* A collection that is open; there is one at a time for each number of elements. */
typedef struct collection {
    int64_t size, columns; /* columns > 1: rows of so many elements are folded */
    size_t n_nodes;
    uint32_t *node;
} collection;

typedef struct divider {
    ct__parting *to;
    size_t n_open;
    collection **open;
    collection **of; /* per value: the open one that makes it, or NULL */
} divider;

static const ct_type *type_of(const divider *d, ct__id id)
{
    return ct__graph_type(d->to->graph, id);
}

static collection *maker_of(const divider *d, ct__id id)
{
    return d->of[d->to->made[id]];
}

/* Whether the value is a slice, read in place, of one that a node makes: other elements of it. */
static bool is_cut(const divider *d, ct__id id)
{
    return d->to->same[id] != d->to->made[id];
}

static bool has_plain_types(const divider *d, const ct__node *node)
{
    bool fine = node->n_results == 1 && ct__has_plain_elements(type_of(d, node->first_result));
    for (size_t i = 0; fine && i < node->n_operands; i++)
        fine = ct__has_plain_elements(type_of(d, node->operand[i]));
    return fine;
}

/* An operation on elements, whose operands are of its size or one element. */
static bool is_elementwise(const divider *d, const ct__node *node)
{
    if (!ct__has(node->op, CT__ELEMENTWISE) || !has_plain_types(d, node))
        return false;
    const int64_t size = type_of(d, node->first_result)->size;
    for (size_t i = 0; i < node->n_operands; i++) {
        const int64_t own = type_of(d, node->operand[i])->size;
        if (own != size && own != 1)
            return false;
    }
    return true;
}

bool ct__is_row_fold(const ct__graph *graph, const ct__node *node, ct__fold_shape *shape)
{
    if (node->op != CT__OP_reduce || node->n_operands != 2)
        return false;
    const ct_type *x = ct__graph_type(graph, node->operand[0]);
    const int kind = ct__graph_body_kind(node->region[0]);
    return ct__has_plain_elements(x) && (x->dtype == CT_F32 || x->dtype == CT_F64) && kind >= 0 &&
           ct__has_fold((ct__op)kind) &&
           ct__is_one_axis(x, node->attrs->reduce.dimensions, shape) && shape->inner == 1 &&
           shape->outer > 1 && shape->n > 1 && shape->n <= MOST_COLUMNS;
}

/* y[r, :] = x[r] of rows. */
bool ct__is_row_spread(const ct__graph *graph, const ct__node *node, int64_t columns)
{
    if (node->op != CT__OP_broadcast_in_dim || columns <= 1)
        return false;
    const ct_type *x = ct__graph_type(graph, node->operand[0]);
    const ct_type *y = ct__graph_type(graph, node->first_result);
    const ct__ints dims = node->attrs->broadcast_in_dim.broadcast_dimensions;
    int64_t inner = 1, before = -1;
    if (x->size * columns != y->size)
        return false;
    for (int d = y->rank; d-- > 0 && inner < columns;)
        inner *= y->dim[d];
    if (inner != columns)
        return false;
    for (size_t i = 0; i < dims.count; i++) { /* axes in order, each whole or of extent 1 */
        const int64_t at = dims.item[i];
        if (x->dim[i] != 1 && (at <= before || x->dim[i] != y->dim[at]))
            return false;
        before = x->dim[i] != 1 ? at : before;
    }
    inner = 1;
    for (int d = y->rank; d-- > 0 && inner < columns;) {
        inner *= y->dim[d];
        for (size_t i = 0; i < dims.count; i++)
            if (dims.item[i] == d && x->dim[i] != 1)
                return false; /* it varies along the row */
    }
    return true;
}

/* ---- Collections. */

static void add_part(ct__parting *to, size_t n_nodes, const uint32_t *node, int64_t columns)
{
    to->part[to->n_parts++] = (ct__part){n_nodes, node, columns};
}

static void close(divider *d, collection *c)
{
    const ct__graph *graph = d->to->graph;
    for (size_t i = 0; i < c->n_nodes; i++)
        d->of[graph->node[c->node[i]].first_result] = NULL;
    for (size_t i = 0; i < d->n_open; i++)
        if (d->open[i] == c)
            d->open[i] = d->open[--d->n_open];
    add_part(d->to, c->n_nodes, c->node, c->columns);
}

/* Close what makes the node's operands, but for this one. */
static void close_operands(divider *d, const ct__node *node, const collection *but_for)
{
    for (size_t i = 0; i < node->n_operands; i++) {
        collection *c = maker_of(d, node->operand[i]);
        if (c && c != but_for)
            close(d, c);
    }
}

/* The open collection of this size that has room; NULL: there is none. */
static collection *find(const divider *d, int64_t size)
{
    for (size_t i = 0; i < d->n_open; i++)
        if (d->open[i]->size == size && d->open[i]->n_nodes < CT__MOST_FUSED)
            return d->open[i];
    return NULL;
}

/* A new one in place of one that cannot be used; NULL when memory is short. */
static collection *open_new(divider *d, int64_t size)
{
    for (size_t i = d->n_open; i-- > 0;)
        if (d->open[i]->size == size)
            close(d, d->open[i]);
    collection *c = CT__NEW(d->to->arena, collection);
    uint32_t *node = CT__NEW_ARRAY(d->to->arena, uint32_t, CT__MOST_FUSED);
    if (!c || !node)
        return NULL;
    *c = (collection){size, 1, 0, node};
    d->open[d->n_open++] = c;
    return c;
}

/* `c` is the collection for the node; NULL: a new one of this size. */
static bool join(divider *d, uint32_t i, collection *c, int64_t size, int64_t columns)
{
    const ct__node *node = &d->to->graph->node[i];
    for (size_t k = 0; k < node->n_operands; k++)
        if (c && maker_of(d, node->operand[k]) == c && is_cut(d, node->operand[k]))
            c = NULL;
    close_operands(d, node, c);
    if (!c)
        c = open_new(d, size);
    if (!c)
        return false;
    c->columns = columns > 1 ? columns : c->columns;
    c->node[c->n_nodes++] = i;
    d->of[node->first_result] = c;
    return true;
}

/* The collection with rows of which the node computes a value each; NULL: there is none. */
static collection *find_by_rows(const divider *d, const ct__node *node)
{
    const int64_t size = type_of(d, node->first_result)->size;
    for (size_t i = 0; i < node->n_operands; i++) {
        collection *c = maker_of(d, node->operand[i]);
        if (c && c->columns > 1 && size * c->columns == c->size && c->n_nodes < CT__MOST_FUSED)
            return c;
    }
    return NULL;
}

static bool stand_alone(divider *d, uint32_t i)
{
    uint32_t *node = CT__NEW(d->to->arena, uint32_t);
    if (!node)
        return false;
    *node = i;
    close_operands(d, &d->to->graph->node[i], NULL);
    add_part(d->to, 1, node, 1);
    return true;
}

static bool collect_fold(divider *d, uint32_t i, const ct__fold_shape *shape)
{
    const ct__node *node = &d->to->graph->node[i];
    const int64_t size = (int64_t)(shape->outer * shape->n), columns = (int64_t)shape->n;
    collection *c = find(d, size);
    if (c && c->columns > 1 && c->columns != columns)
        c = NULL;
    if (c && maker_of(d, node->operand[1]) == c) /* the initial value must be there before */
        c = NULL;
    return join(d, i, c, size, columns);
}

static bool collect_broadcast(divider *d, uint32_t i)
{
    const ct__node *node = &d->to->graph->node[i];
    const int64_t size = type_of(d, node->first_result)->size;
    collection *from = maker_of(d, node->operand[0]), *c = find(d, size);
    if (c && from == c && !ct__is_row_spread(d->to->graph, node, c->columns))
        c = NULL; /* what is broadcast must be whole before */
    return join(d, i, c, size, 1);
}

static bool collect_elementwise(divider *d, uint32_t i)
{
    const ct__node *node = &d->to->graph->node[i];
    const int64_t size = type_of(d, node->first_result)->size;
    collection *c = find_by_rows(d, node);
    return join(d, i, c ? c : find(d, size), size, 1);
}

static bool collect(divider *d, uint32_t i)
{
    const ct__node *node = &d->to->graph->node[i];
    ct__fold_shape shape;
    if (is_elementwise(d, node))
        return collect_elementwise(d, i);
    if (node->op == CT__OP_broadcast_in_dim && has_plain_types(d, node))
        return collect_broadcast(d, i);
    if (ct__is_row_fold(d->to->graph, node, &shape))
        return collect_fold(d, i, &shape);
    return stand_alone(d, i);
}

bool ct__divide(ct__parting *to)
{
    const ct__graph *graph = to->graph;
    divider d = {.to = to,
                 .open = CT__NEW_ARRAY(to->arena, collection *, graph->n_nodes),
                 .of = CT__NEW_ARRAY(to->arena, collection *, graph->n_values)};
    to->part = CT__NEW_ARRAY(to->arena, ct__part, graph->n_nodes);
    if (!d.open || !d.of || !to->part)
        return false;
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        if (!to->done[i] && !collect(&d, i))
            return false;
    while (d.n_open > 0)
        close(&d, d.open[0]);
    return true;
}
