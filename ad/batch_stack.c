/* Batching of stacks. They are always batched: elements have the lanes in front, and an index for
 * each lane. */
#include "ad/batch.h"

void ct__batch_stack_new(ct__batch *q)
{
    ct__batch_apply(q, q->attrs, 0, NULL);
}

/* One index for all lanes stays one, unless some lanes must not add. */
static ct_tensor *index_of(const ct__batch *q, bool adds)
{
    const ct_type *index = q->type[1];
    bool is_masked = adds && q->active && q->type[0]->element[0]->kind == CT__TENSOR;
    if (!is_masked && !q->batched[1] && index->rank == 0)
        return q->x[1];
    ct_tensor *x = ct__batch_full(q, 1);
    return is_masked ? ct__batch_choose(q, q->active, x, ct__like(q->at, x, -1), index) : x;
}

/* Inactive lanes add nothing. (A stack that is an element has nothing of them.) */
void ct__batch_stack_add(ct__batch *q)
{
    ct_tensor *operand[] = {q->x[0], index_of(q, true), ct__batch_full(q, 2)};
    ct__batch_apply(q, q->attrs, 3, operand);
}

void ct__batch_stack_get(ct__batch *q)
{
    ct_tensor *operand[] = {q->x[0], index_of(q, false)};
    ct__batch_apply(q, q->attrs, 2, operand);
}

void ct__batch_stack_sum(ct__batch *q)
{
    ct__batch_apply(q, q->attrs, 2, q->x);
}
