/* Where a node goes. Nodes of as many elements are collected while nothing else needs one of their
 * results; whoever does closes the collection, which becomes a part before it. So a part needs only
 * what was made in parts before it.
 *
 * Where a collection folds its rows, the innermost axes, what is computed on a value per row and
 * spread over the rows again belongs to it too: a softmax is one part. Other folds of what it makes
 * run along with it; their results are there when all of it is done, so whoever needs them closes
 * it. */
#include "exec/cpu/divide.h"
#include "exec/passes/passes.h"
#include "exec/kernel/running_fold.h"

enum { MOST_COLUMNS = 1 << 14 }; /* of a row, or of a row of results: both stay in the cache */

static const ct_type *type_of(const ct__divider *d, ct__id id)
{
    return ct__graph_type(d->to->graph, id);
}

static ct__collection *maker_of(const ct__divider *d, ct__id id)
{
    return d->of[d->to->made[d->to->same[id]]];
}

/* What makes operand k; from the number of operands on, what makes the fill of its view. */
static ct__collection *maker_at(const ct__divider *d, const ct__node *node, size_t k)
{
    if (k < node->n_operands)
        return maker_of(d, node->operand[k]);
    const ct__index_view *view = d->to->view[d->to->same[node->operand[k - node->n_operands]]];
    return view && view->is_partial ? maker_of(d, view->fill) : NULL;
}

/* Whether the value is a slice, read in place, of one that a node makes: other elements of it. */
static bool is_cut(const ct__divider *d, ct__id id)
{
    return d->to->same[id] != d->to->made[id];
}

static bool has_plain_types(const ct__divider *d, const ct__node *node)
{
    bool fine = node->n_results == 1 && ct__has_plain_elements(type_of(d, node->first_result));
    for (size_t i = 0; fine && i < node->n_operands; i++)
        fine = ct__has_plain_elements(type_of(d, node->operand[i]));
    return fine;
}

bool ct__part_is_elementwise(const ct__divider *d, const ct__node *node)
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

bool ct__is_fold(const ct__graph *graph, const ct__node *node, ct__fold_shape *shape)
{
    if (node->op != CT__OP_reduce || node->n_operands != 2)
        return false;
    const ct_type *x = ct__graph_type(graph, node->operand[0]);
    const int kind = ct__graph_body_kind(node->region[0]);
    return ct__has_plain_elements(x) && kind >= 0 && ct__has_running_fold((ct__op)kind, x->dtype) &&
           ct__is_one_axis(x, node->attrs->reduce.dimensions, shape) && shape->n > 1;
}

bool ct__is_row_fold(const ct__fold_shape *shape)
{
    return shape->inner == 1 && shape->outer > 1 && shape->n <= MOST_COLUMNS;
}

bool ct__is_row_view(const ct__index_view *view, int64_t rows, int64_t columns)
{
    return view->rank == 2 && view->first == 0 && !view->is_partial && view->dim[0] == rows &&
           view->dim[1] == columns && view->stride[0] == 1 && view->stride[1] == 0;
}

static bool runs_folds(const ct__divider *d)
{
    return !ct__is_off(d->to->off, CT__FOLDS);
}

bool ct__part_takes_maps(const ct__divider *d, const ct__node *node)
{
    ct__fold_shape shape;
    if (ct__part_is_elementwise(d, node))
        return true;
    if (!ct__is_fold(d->to->graph, node, &shape))
        return false;
    return ct__is_row_fold(&shape) || (runs_folds(d) && shape.inner <= MOST_COLUMNS);
}

/* ---- Choosing. */

/* The open collection of this size that has room; NULL: there is none. */
static ct__collection *find(const ct__divider *d, int64_t size)
{
    for (size_t i = 0; i < d->n_open; i++)
        if (d->open[i]->size == size && d->open[i]->n_nodes < CT__MOST_FUSED)
            return d->open[i];
    return NULL;
}

/* The collection with rows of which the node computes a value each; NULL: there is none. */
static ct__collection *find_by_rows(const ct__divider *d, const ct__node *node)
{
    const int64_t size = type_of(d, node->first_result)->size;
    for (size_t i = 0; i < node->n_operands; i++) {
        ct__collection *c = maker_of(d, node->operand[i]);
        if (c && c->columns > 1 && size * c->columns == c->size && c->n_nodes < CT__MOST_FUSED)
            return c;
    }
    return NULL;
}

/* Whether the operand is made by the collection, but not there in the tile that needs it. */
static bool is_too_late(const ct__divider *d, const ct__collection *c, ct__id operand)
{
    const ct__id id = d->to->same[operand];
    const ct__index_view *view = d->to->view[id];
    if (c && view && view->is_partial && maker_of(d, view->fill) == c)
        return true;
    if (!c || maker_of(d, id) != c)
        return false;
    if (d->is_late[d->to->made[id]] || is_cut(d, view ? view->base : id))
        return true;
    return view && !ct__is_row_view(view, c->size / c->columns, c->columns);
}

static ct__choice alone(void)
{
    return (ct__choice){.is_alone = true};
}

static ct__choice with(const ct__divider *d, const ct__node *node, ct__collection *c, int64_t size,
                       int64_t columns)
{
    for (size_t k = 0; k < node->n_operands; k++)
        if (is_too_late(d, c, node->operand[k]))
            c = NULL;
    if (c && c->n_nodes + ct__count_again(d, node) >= CT__MOST_FUSED)
        c = NULL;
    return (ct__choice){.with = c, .size = size, .columns = columns};
}

/* Whether the fold may run along with what the collection makes, its rows or a value per row. */
static bool runs_along(const ct__divider *d, const ct__collection *c, const ct__node *node)
{
    const int64_t size = type_of(d, node->operand[0])->size;
    return c && c->n_nodes < CT__MOST_FUSED && maker_of(d, node->operand[1]) != c &&
           !is_too_late(d, c, node->operand[0]) &&
           (size == c->size || (c->columns > 1 && size * c->columns == c->size));
}

/* A fold whose result is there after the last tile: of what is in the cache, or of what nobody
 * waits for. */
static ct__choice choose_running_fold(const ct__divider *d, const ct__node *node,
                                      const ct__fold_shape *shape)
{
    const ct__id x = node->operand[0];
    const int64_t size = type_of(d, x)->size;
    const bool is_view = d->to->view[d->to->same[x]] != NULL;
    const bool waits = is_view || !d->is_needed[node->first_result];
    ct__collection *c = maker_of(d, x);
    if (!c && waits)
        c = find(d, size);
    const bool runs = runs_along(d, c, node);
    if (!runs_folds(d) || shape->inner > MOST_COLUMNS || !(runs || waits))
        return alone();
    return (ct__choice){.is_late = true, .with = runs ? c : NULL, .size = size, .columns = 1};
}

static ct__choice choose_fold(const ct__divider *d, const ct__node *node,
                              const ct__fold_shape *shape)
{
    const int64_t size = (int64_t)(shape->outer * shape->n * shape->inner);
    const int64_t columns = (int64_t)shape->n;
    ct__collection *c = find(d, size);
    const bool other_rows = c && c->columns > 1 && c->columns != columns;
    if (!ct__is_row_fold(shape) ||
        (other_rows && runs_folds(d) && maker_of(d, node->operand[0]) == c))
        return choose_running_fold(d, node, shape);
    if (other_rows || (c && maker_of(d, node->operand[1]) == c)) /* which must be there before */
        c = NULL;
    return with(d, node, c, size, columns);
}

static ct__choice choose_elementwise(const ct__divider *d, const ct__node *node)
{
    const int64_t size = type_of(d, node->first_result)->size;
    ct__collection *c = find_by_rows(d, node);
    return with(d, node, c ? c : find(d, size), size, 1);
}

ct__choice ct__part_choose(const ct__divider *d, const ct__node *node)
{
    ct__fold_shape shape;
    if (ct__part_is_elementwise(d, node))
        return choose_elementwise(d, node);
    if (ct__is_fold(d->to->graph, node, &shape))
        return choose_fold(d, node, &shape);
    return alone();
}

/* ---- Collecting. */

ct__collection *ct__part_closes(const ct__divider *d, const ct__node *node,
                                const ct__choice *choice)
{
    ct__collection *largest = NULL;
    for (size_t i = 0; i < 2 * node->n_operands; i++) {
        ct__collection *c = maker_at(d, node, i);
        if (c && c != choice->with && (!largest || c->size > largest->size))
            largest = c;
    }
    for (size_t i = 0; i < d->n_open && !choice->is_alone && !choice->with; i++)
        if (d->open[i]->size == choice->size && (!largest || choice->size > largest->size))
            largest = d->open[i];
    return largest;
}

static void add_part(ct__parting *to, const ct__collection *c, bool is_fused)
{
    to->part[to->n_parts++] = (ct__part){c->n_nodes, c->node, c->columns, is_fused, c->is_again};
}

static bool reads_views(const ct__parting *to, const ct__node *node)
{
    bool reads = false;
    for (size_t k = 0; k < node->n_operands; k++)
        reads = reads || to->view[to->same[node->operand[k]]];
    return reads;
}

bool ct__part_close(ct__divider *d, ct__collection *c)
{
    const ct__graph *graph = d->to->graph;
    if (!ct__is_off(d->to->off, CT__AGAIN) && !ct__find_again(d, c))
        return false;
    for (size_t i = 0; i < c->n_nodes; i++)
        d->of[graph->node[c->node[i]].first_result] = NULL;
    for (size_t i = 0; i < d->n_open; i++)
        if (d->open[i] == c)
            d->open[i] = d->open[--d->n_open];
    add_part(d->to, c, c->n_nodes > 1 || reads_views(d->to, &graph->node[c->node[0]]));
    d->closed(d->whom, c);
    return true;
}

/* Close what makes the node's operands, but for this one. */
static bool close_operands(ct__divider *d, const ct__node *node, const ct__collection *but_for)
{
    bool fine = true;
    for (size_t i = 0; fine && i < 2 * node->n_operands; i++) {
        ct__collection *c = maker_at(d, node, i);
        if (c && c != but_for)
            fine = ct__part_close(d, c);
    }
    return fine;
}

/* A new one in place of one that cannot be used; NULL when memory is short. */
static ct__collection *open_new(ct__divider *d, int64_t size)
{
    for (size_t i = d->n_open; i-- > 0;)
        if (d->open[i]->size == size && !ct__part_close(d, d->open[i]))
            return NULL;
    ct__collection *c = CT__NEW(d->to->arena, ct__collection);
    uint32_t *node = CT__NEW_ARRAY(d->to->arena, uint32_t, CT__MOST_FUSED);
    bool *is_again = CT__NEW_ARRAY(d->to->arena, bool, CT__MOST_FUSED);
    if (!c || !node || !is_again)
        return NULL;
    *c = (ct__collection){size, 1, 0, node, is_again, CT__NO_NODE};
    d->open[d->n_open++] = c;
    return c;
}

static bool stand_alone(ct__divider *d, uint32_t i)
{
    uint32_t *node = CT__NEW(d->to->arena, uint32_t);
    if (!node)
        return false;
    *node = i;
    add_part(d->to, &(ct__collection){.columns = 1, .n_nodes = 1, .node = node}, false);
    return true;
}

bool ct__part_take(ct__divider *d, uint32_t i, const ct__choice *choice)
{
    const ct__node *node = &d->to->graph->node[i];
    if (!close_operands(d, node, choice->with))
        return false;
    if (choice->is_alone)
        return stand_alone(d, i);
    ct__collection *c = choice->with ? choice->with : open_new(d, choice->size);
    if (!c)
        return false;
    c->columns = choice->columns > 1 ? choice->columns : c->columns;
    ct__take_again(d, c, node);
    c->node[c->n_nodes++] = i;
    d->of[node->first_result] = c;
    d->is_late[node->first_result] = choice->is_late;
    return true;
}
