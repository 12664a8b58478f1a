#include "ad/rules.h"

/* Rounding is taken for the identity, and rounds the tangent too, as JAX does. */
ct_tensor *ct__jvp_reduce_precision(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

void ct__transpose_reduce_precision(ct__transpose *q)
{
    const struct ct__attrs_reduce_precision *a = &q->attrs->reduce_precision;
    ct__cotangent_add(
        q, 0, ct_op_reduce_precision_at(q->at, q->ybar[0], a->exponent_bits, a->mantissa_bits));
}

/* Between floats: the tangent is converted too. (Other dtypes have no tangent.) */
ct_tensor *ct__jvp_convert(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

void ct__transpose_convert(ct__transpose *q)
{
    ct__cotangent_add(q, 0, ct_op_convert_at(q->at, q->ybar[0], q->type[0]->dtype));
}
