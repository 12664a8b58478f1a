/* Parts of complex numbers. Cotangents are paired with tangents by Re Σ a b, so the transposes
 * conjugate nothing: Re(a (x + i y)) is Re(a) x - Im(a) y. */
#include "ad/rules.h"

ct_tensor *ct__jvp_real(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* Of a real x the part is x itself. */
void ct__transpose_real(ct__transpose *q)
{
    ct__cotangent_add(q, 0, ct__converted(q->at, q->ybar[0], q->type[0]->dtype));
}

/* Of a real x it is 0. */
ct_tensor *ct__jvp_imag(const ct__jvp *q)
{
    return ct__is_complex(q->x[0]) ? ct__jvp_same(q) : NULL;
}

void ct__transpose_imag(ct__transpose *q)
{
    if (!ct_dtype_is_complex(q->type[0]->dtype))
        return;
    ct_tensor *zero = ct__like(q->at, q->ybar[0], 0);
    ct__cotangent_add(q, 0, ct_op_complex_at(q->at, zero, ct_op_negate_at(q->at, q->ybar[0])));
}

void ct__jvp_complex(ct__jvp_whole *q)
{
    ct__jvp_linear(q);
}

void ct__transpose_complex(ct__transpose *q)
{
    if (q->linear[0])
        ct__cotangent_add(q, 0, ct_op_real_at(q->at, q->ybar[0]));
    if (q->linear[1])
        ct__cotangent_add(q, 1, ct_op_negate_at(q->at, ct_op_imag_at(q->at, q->ybar[0])));
}
