#include "exec/passes/rules.h"

/* Axis d of the transposed value is axis permutation[d] of x. */
static bool map_axes(ct__pass *p, ct__ints axes, ct__ints permutation, ct__ints *mapped)
{
    int64_t *item = CT__NEW_ARRAY(p->arena, int64_t, axes.count);
    for (size_t i = 0; item && i < axes.count; i++)
        item[i] = permutation.item[axes.item[i]];
    *mapped = (ct__ints){axes.count, item};
    return item != NULL;
}

/* Whether the axes that are neither batching nor contracting keep their order: they are axes of the
 * result in the order in which the operand has them. */
static bool keeps_order(ct__ints batching, ct__ints contracting, ct__ints permutation)
{
    int64_t last = -1;
    for (size_t d = 0; d < permutation.count; d++) {
        if (ct__ints_contain(batching, (int64_t)d) || ct__ints_contain(contracting, (int64_t)d))
            continue;
        if (permutation.item[d] < last)
            return false;
        last = permutation.item[d];
    }
    return true;
}

static ct__outcome lower_operand(ct__site *s, size_t k)
{
    ct__pass *p = s->p;
    const ct__node *moved = ct__made_by(p, s->node.operand[k], CT__OP_transpose);
    if (!moved)
        return CT__STAYS;
    const ct__ints permutation = moved->attrs->transpose.permutation;
    ct__attrs *attrs = ct__arena_copy(p->arena, s->node.attrs, sizeof *attrs);
    if (!attrs)
        return CT__NO_ROOM;
    struct ct__attrs_dot_general *a = &attrs->dot_general;
    ct__ints *batching = k == 0 ? &a->lhs_batching_dimensions : &a->rhs_batching_dimensions;
    ct__ints *contracting = k == 0 ? &a->lhs_contracting_dimensions
                                   : &a->rhs_contracting_dimensions;
    if (!keeps_order(*batching, *contracting, permutation))
        return CT__STAYS;
    if (!map_axes(p, *batching, permutation, batching) ||
        !map_axes(p, *contracting, permutation, contracting))
        return CT__NO_ROOM;
    ct__id operand[2] = {s->node.operand[0], s->node.operand[1]};
    operand[k] = moved->operand[0];
    return ct__become(s, CT__OP_dot_general, attrs, 2, operand);
}

ct__outcome ct__lower_dot(ct__site *s)
{
    if (s->node.op != CT__OP_dot_general)
        return CT__STAYS;
    const ct__outcome outcome = lower_operand(s, 0);
    return outcome == CT__STAYS ? lower_operand(s, 1) : outcome;
}
