/* Cotangents of slices: each is padded with zeros to the whole. The sum of two that lie next to
 * each other is one of a concatenation, so that what was cut into pieces is put together by moving
 * each of them once. */
#include "ad/rules.h"

/* What a node pads with zeros, along one axis. */
typedef struct piece {
    ct_tensor *x;
    int64_t axis, low, high;
} piece;

static bool is_zero(const ct__literal *literal)
{
    double part[2];
    return literal && ct__literal_number(literal, part) && part[0] == 0 && part[1] == 0;
}

static bool find_piece(const ct_tensor *whole, piece *p)
{
    const ct__graph *graph;
    const ct__node *node = ct__maker(whole, &graph);
    if (!node || node->op != CT__OP_pad || !is_zero(graph->value[node->operand[1]].copied))
        return false;
    const struct ct__attrs_pad *a = &node->attrs->pad;
    *p = (piece){ct__maker_operand(whole, graph, node, 0), -1, 0, 0};
    for (size_t d = 0; d < a->edge_padding_low.count; d++) {
        int64_t low = a->edge_padding_low.item[d], high = a->edge_padding_high.item[d];
        if (a->interior_padding.item[d] != 0 || low < 0 || high < 0)
            return false;
        if (low == 0 && high == 0)
            continue;
        if (p->axis >= 0)
            return false;
        *p = (piece){p->x, (int64_t)d, low, high};
    }
    return p->axis >= 0 && !ct_is_poison(p->x);
}

bool ct__is_piece(const ct_tensor *x)
{
    piece p;
    return find_piece(x, &p);
}

/* The operands of the concatenation that x is, or x itself; at most as many as there is room for.
 */
static size_t parts_of(ct_tensor *x, int64_t axis, size_t room, ct_tensor **part)
{
    const ct__graph *graph;
    const ct__node *node = ct__maker(x, &graph);
    bool is_joined = node && node->op == CT__OP_concatenate &&
                     node->attrs->concatenate.dimension == axis && node->n_operands <= room;
    for (size_t i = 0; is_joined && i < node->n_operands; i++)
        part[i] = ct__maker_operand(x, graph, node, i);
    if (!is_joined)
        part[0] = x;
    return is_joined ? node->n_operands : 1;
}

static ct_tensor *joined(ct_place at, const piece *first, const piece *second)
{
    ct_tensor *part[64];
    size_t room = sizeof part / sizeof *part / 2;
    size_t count = parts_of(first->x, first->axis, room, part);
    count += parts_of(second->x, first->axis, room, part + count);
    return ct_op_concatenate_at(at, (ct_list){count, part}, first->axis);
}

ct_tensor *ct__sum_pieces(ct_place at, ct_tensor *x, ct_tensor *y)
{
    int64_t low[CT__MAX_RANK] = {0}, high[CT__MAX_RANK] = {0}, interior[CT__MAX_RANK] = {0};
    piece a, b;
    if (!find_piece(x, &a) || !find_piece(y, &b) || a.axis != b.axis)
        return NULL;
    const piece *first = a.low < b.low ? &a : &b, *second = a.low < b.low ? &b : &a;
    const ct_type *type = x->type;
    if (second->low != first->low + first->x->type->dim[a.axis])
        return NULL;
    ct_tensor *both = joined(at, first, second);
    low[a.axis] = first->low;
    high[a.axis] = second->high;
    if (first->low == 0 && second->high == 0)
        return both;
    size_t rank = (size_t)type->rank;
    ct_tensor *zero = ct_zeros_at(at, x->handle.ctx, type->dtype, CT_SHAPE());
    return ct_op_pad_at(at, both, zero, (ct_dims){rank, low}, (ct_dims){rank, high},
                        (ct_dims){rank, interior});
}
