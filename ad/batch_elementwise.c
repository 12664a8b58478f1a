/* Batching of elementwise operations: those on all lanes at once. */
#include "ad/batch.h"

void ct__batch_elementwise(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}

/* Operand i where a scalar for all elements is allowed beside a value of the type: it stays one if
 * it is the same in all lanes, and else is spread over each lane's elements. */
static ct_tensor *scalar_or_full(const ct__batch *q, size_t i, const ct_type *type)
{
    if (q->type[i]->rank == type->rank)
        return ct__batch_full(q, i);
    if (!q->batched[i])
        return q->x[i];
    const ct_type *whole = ct__batched_type(q->ctx, q->at, q->arena, type, q->size);
    if (!whole)
        return ct__poison(q->ctx);
    return ct_op_broadcast_in_dim_at(q->at, q->x[i], (ct_dims){(size_t)whole->rank, whole->dim},
                                     CT_DIMS(0));
}

void ct__batch_select(ct__batch *q)
{
    ct_tensor *operand[] = {scalar_or_full(q, 0, q->type[1]), ct__batch_full(q, 1),
                            ct__batch_full(q, 2)};
    ct__batch_apply(q, q->attrs, 3, operand);
}

void ct__batch_clamp(ct__batch *q)
{
    ct_tensor *operand[] = {scalar_or_full(q, 0, q->type[1]), ct__batch_full(q, 1),
                            scalar_or_full(q, 2, q->type[1])};
    ct__batch_apply(q, q->attrs, 3, operand);
}

/* Parts lie along a last axis, which the batch is not: a lane that is taken together has it. */
void ct__batch_bitcast_convert(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}
