#include "ad/rules.h"

/* Between floats: the tangent is converted too. (Other dtypes have no tangent.) */
ct_tensor *ct__jvp_convert(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

void ct__transpose_convert(ct__transpose *q)
{
    ct__cotangent_add(q, 0, ct_op_convert_at(q->at, q->ybar[0], q->type[0]->dtype));
}
