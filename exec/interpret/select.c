#include "exec/interpret/interpret.h"

#include <string.h>

bool ct__meaning_compare(const ct__eval *q)
{
    const struct ct__attrs_compare *a = &q->attrs->compare;
    const ct_type *x = q->in_type[0];

    q->numerics->compare(a->comparison_direction, a->compare_type, x->dtype, (size_t)x->size,
                         q->out[0], q->in[0], q->in[1]);
    return true;
}

/* Bits are copied, so any value passes unchanged. */
bool ct__meaning_select(const ct__eval *q)
{
    const ct_type *x = q->in_type[1];
    const bool *pred = q->in[0];

    if (q->in_type[0]->rank == 0)
        memcpy(q->out[0], pred[0] ? q->in[1] : q->in[2], ct__value_bytes(q->numerics, x));
    else
        q->numerics->select((size_t)x->size, q->numerics->element_bytes(x->dtype), pred, q->out[0],
                            q->in[1], q->in[2]);
    return true;
}

/* min(max(x, lo), hi): hi wins when lo > hi. */
bool ct__meaning_clamp(const ct__eval *q)
{
    const ct_type *x = q->in_type[1];
    size_t n = (size_t)x->size;
    bool lo_step = q->in_type[0]->rank != 0 || x->rank == 0;
    bool hi_step = q->in_type[2]->rank != 0 || x->rank == 0;

    q->numerics->binary(CT__OP_maximum, x->dtype, n, q->out[0], q->in[1], 1, q->in[0], lo_step);
    q->numerics->binary(CT__OP_minimum, x->dtype, n, q->out[0], q->out[0], 1, q->in[2], hi_step);
    return true;
}
