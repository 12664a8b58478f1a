/* What pads a value that is cheap to compute from parameters computes it in place, from padded
 * parameters, and chooses:
 *
 *   pad(f(u, v), p) = select(pad(true, false), f(pad(u, 0), pad(v, 0)), p)
 *
 * The pads of parameters are read at index maps, so the value itself needs no memory. It may be
 * computed twice for that, within a budget; what it is computed from is never computed again, so
 * nothing grows along a chain. */
#include "exec/passes/passes.h"
#include "exec/passes/rules.h"

#include <string.h>

enum {
    MOST_COST = 16,  /* of what is computed again */
    MOST_NODES = 16, /* the same */
    MOST_LEAVES = 8,
    LEAST_BYTES = 16 << 10 /* of a value that is worth it */
};

typedef struct cone {
    ct__pass *p;
    size_t n_nodes, n_leaves;
    int cost;
    uint32_t node[MOST_NODES]; /* in the order of the graph */
    ct__id leaf[MOST_LEAVES];
    ct__id padded_leaf[MOST_LEAVES], padded_node[MOST_NODES];
} cone;

/* A parameter or a constant, or moves of one. */
static bool is_leaf(const ct__pass *p, ct__id id)
{
    const ct__node *maker;
    if (ct__type_of(p, id)->kind != CT__TENSOR || ct__type_of(p, id)->quantized)
        return false;
    for (; p->to->value[id].node != CT__NO_NODE; id = maker->operand[0]) {
        maker = ct__maker(p, id);
        if (!maker || (maker->op != CT__OP_constant && !ct__has(maker->op, CT__MOVES_DATA)) ||
            maker->n_operands > 2)
            return false;
        if (maker->op == CT__OP_constant)
            return true;
    }
    return true;
}

static size_t find(size_t n, const uint32_t *list, uint32_t item)
{
    size_t i = 0;
    while (i < n && list[i] != item)
        i++;
    return i;
}

/* Lists the nodes that the value needs, operands first, and its leaves; false: they cost too much,
 * or it is made of something else. */
static bool collect(cone *c, ct__id id)
{
    const ct__pass *p = c->p;
    const uint32_t index = p->to->value[id].node;
    if (is_leaf(p, id)) {
        if (find(c->n_leaves, c->leaf, id) == c->n_leaves) {
            if (c->n_leaves == MOST_LEAVES)
                return false;
            c->leaf[c->n_leaves++] = id;
        }
        return true;
    }
    if (index != CT__NO_NODE && find(c->n_nodes, c->node, index) < c->n_nodes)
        return true;
    const ct__node *node = ct__maker(p, id);
    if (!node || !ct__has(node->op, CT__ELEMENTWISE) || ct__node_has_effect(node) ||
        c->n_nodes == MOST_NODES)
        return false;
    c->cost += ct__cost_of(node->op);
    for (size_t k = 0; k < node->n_operands && c->cost <= MOST_COST; k++)
        if (!ct__shape_equal(ct__type_of(p, node->operand[k]), ct__type_of(p, id)) ||
            !collect(c, node->operand[k]))
            return false;
    if (c->cost > MOST_COST || c->n_nodes == MOST_NODES)
        return false;
    c->node[c->n_nodes++] = index;
    return true;
}

/* ---- Recording. */

/* A constant whose elements are all the one at `element`; NULL: bytes 0. */
static bool emit_constant(ct__site *s, const ct_type *type, const void *element, ct__id *id)
{
    static const int64_t repeated[CT__MAX_RANK];
    const size_t bytes = ct_dtype_bytes(type->dtype);
    ct__storage *storage = ct__storage_new(&s->p->r->ctx->allocator, bytes);
    if (!storage)
        return false;
    if (element)
        memcpy(storage->data, element, bytes);
    else
        memset(storage->data, 0, bytes);
    ct__literal *literal = ct__literal_new(storage, type, 0, repeated);
    if (!literal)
        return false;
    const ct__attrs attrs = {.constant = {.value = literal}};
    const ct__node node = {
        .op = CT__OP_constant, .at = s->node.at, .attrs = &attrs, .n_results = 1};
    const bool fine = ct__emit(s->p, &node, &type, NULL, id);
    ct__literal_release(literal);
    return fine;
}

/* The type of the site's result with other elements. */
static const ct_type *padded_type(const ct__site *s, ct_dtype dtype)
{
    return ct__type(s->p->arena, dtype, s->type[0]->rank, s->type[0]->dim);
}

static bool emit(ct__site *s, ct__op op, const ct__attrs *attrs, ct_dtype dtype, size_t n_operands,
                 const ct__id *operand, ct__id *result)
{
    const ct_type *type = padded_type(s, dtype);
    const ct__node node = {.op = op,
                           .at = s->node.at,
                           .attrs = attrs,
                           .n_operands = (uint32_t)n_operands,
                           .operand = operand,
                           .n_results = 1};
    return type && ct__emit(s->p, &node, &type, NULL, result);
}

/* x padded as the site pads, with anything outside, which nobody looks at. */
static bool pad_leaf(ct__site *s, ct__id x, ct__id *result)
{
    const ct_type *type = ct__type_of(s->p, x);
    const ct_type *scalar = ct__type(s->p->arena, type->dtype, 0, NULL);
    const ct_type *whole = padded_type(s, type->dtype);
    const void *all = ct__splat_of(s->p, x);
    ct__id operand[2] = {x, 0};
    if (!scalar || !whole)
        return false;
    if (all)
        return emit_constant(s, whole, all, result);
    return emit_constant(s, scalar, NULL, &operand[1]) &&
           emit(s, CT__OP_pad, s->node.attrs, type->dtype, 2, operand, result);
}

static ct__id padded(const cone *c, ct__id id)
{
    const size_t leaf = find(c->n_leaves, c->leaf, id);
    return leaf < c->n_leaves ? c->padded_leaf[leaf]
                              : c->padded_node[find(c->n_nodes, c->node, c->p->to->value[id].node)];
}

/* The nodes may move in memory while others are recorded. */
static bool pad_node(ct__site *s, cone *c, size_t i)
{
    const ct__node node = s->p->to->node[c->node[i]];
    ct__id *operand = CT__NEW_ARRAY(s->p->arena, ct__id, node.n_operands);
    for (size_t k = 0; operand && k < node.n_operands; k++)
        operand[k] = padded(c, node.operand[k]);
    return operand && emit(s, node.op, node.attrs, ct__type_of(s->p, node.first_result)->dtype,
                           node.n_operands, operand, &c->padded_node[i]);
}

/* true where the value is, false outside. */
static bool emit_mask(ct__site *s, ct__id *mask)
{
    static const bool yes = true;
    const ct_type *x = ct__type_of(s->p, s->node.operand[0]);
    const ct_type *inside = ct__type(s->p->arena, CT_BOOL, x->rank, x->dim);
    const ct_type *scalar = ct__type(s->p->arena, CT_BOOL, 0, NULL);
    ct__id operand[2];
    return inside && scalar && emit_constant(s, inside, &yes, &operand[0]) &&
           emit_constant(s, scalar, NULL, &operand[1]) &&
           emit(s, CT__OP_pad, s->node.attrs, CT_BOOL, 2, operand, mask);
}

static bool emit_fill(ct__site *s, ct__id *fill)
{
    const ct_type *type = s->type[0];
    const void *value = ct__splat_of(s->p, s->node.operand[1]);
    const ct__attrs attrs = {.broadcast_in_dim = {.shape = {(size_t)type->rank, type->dim}}};
    return value ? emit_constant(s, type, value, fill)
                 : emit(s, CT__OP_broadcast_in_dim, &attrs, type->dtype, 1, &s->node.operand[1],
                        fill);
}

static bool may_shift(const ct__site *s)
{
    const ct_type *type = s->type[0];
    if (s->node.op != CT__OP_pad || (size_t)type->size < LEAST_BYTES / ct_dtype_bytes(type->dtype))
        return false;
    for (size_t i = 0; i < s->node.attrs->pad.interior_padding.count; i++)
        if (s->node.attrs->pad.interior_padding.item[i] != 0)
            return false;
    return !is_leaf(s->p, s->node.operand[0]);
}

ct__outcome ct__shift(ct__site *s)
{
    cone c = {.p = s->p};
    ct__id choice[3];
    if (!may_shift(s) || !collect(&c, s->node.operand[0]))
        return CT__STAYS;
    bool fine = emit_mask(s, &choice[0]) && emit_fill(s, &choice[2]);
    for (size_t i = 0; fine && i < c.n_leaves; i++)
        fine = pad_leaf(s, c.leaf[i], &c.padded_leaf[i]);
    for (size_t i = 0; fine && i < c.n_nodes; i++)
        fine = pad_node(s, &c, i);
    choice[1] = fine ? padded(&c, s->node.operand[0]) : 0;
    return fine ? ct__become(s, CT__OP_select, NULL, 3, choice) : CT__NO_ROOM;
}
