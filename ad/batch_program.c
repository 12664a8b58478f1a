/* Batching of tuples, of functions of the program, and of what speaks with other processes. */
#include "ad/batch.h"

/* A tuple is batched as a whole. */
void ct__batch_tuple(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}

void ct__batch_get_tuple_element(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}

/* What the function computes is not known, so it is called for each lane. */
void ct__batch_custom_call(ct__batch *q)
{
    ct__batch_loop(q);
}

/* Result i is of operand i alone, and as batched as it is. */
void ct__batch_each(ct__batch *q)
{
    if (ct__batch_any(q, q->n_results)) {
        ct__batch_loop(q);
        return;
    }
    for (size_t i = 0; i < q->n_results; i++)
        q->y_batched[i] = q->batched[i];
    ct__batch_apply(q, q->attrs, q->n_operands, q->x);
}

/* ---- Along an axis behind that of the lanes. */

void ct__batch_all_gather(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.all_gather.all_gather_dim++;
    ct__batch_apply_full(q, &attrs);
}

void ct__batch_all_to_all(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.all_to_all.split_dimension++;
    attrs.all_to_all.concat_dimension++;
    ct__batch_apply_full(q, &attrs);
}

void ct__batch_reduce_scatter(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.reduce_scatter.scatter_dimension++;
    if (ct__batch_any(q, 1))
        ct__batch_loop(q);
    else
        ct__batch_apply_leading(q, &attrs, 1);
}
