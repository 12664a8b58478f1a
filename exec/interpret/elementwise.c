#include "exec/interpret/interpret.h"

#include <string.h>

static size_t size_of(const ct_type *type)
{
    return (size_t)type->size;
}

bool ct__meaning_unary(const ct__eval *q)
{
    const ct_type *x = q->in_type[0];

    q->numerics->unary(q->op, x->dtype, size_of(x), q->out[0], q->in[0]);
    return true;
}

bool ct__meaning_binary(const ct__eval *q)
{
    const ct_type *x = q->in_type[0];

    q->numerics->binary(ct__arithmetic(q, q->op), x->dtype, size_of(x), q->out[0], q->in[0],
                        !(q->repeated & 1), q->in[1], !(q->repeated & 2));
    return true;
}

bool ct__meaning_convert(const ct__eval *q)
{
    const ct_type *x = q->in_type[0], *y = q->out_type[0];

    q->numerics->convert(y->dtype, x->dtype, size_of(x), q->out[0], q->in[0]);
    return true;
}

bool ct__meaning_is_finite(const ct__eval *q)
{
    const ct_type *x = q->in_type[0];

    q->numerics->is_finite(x->dtype, size_of(x), q->out[0], q->in[0]);
    return true;
}

/* Result i is operand i, with the same elements in the same order. */
bool ct__meaning_identity(const ct__eval *q)
{
    for (size_t i = 0; i < q->n_operands; i++)
        memcpy(q->out[i], q->in[i], ct__value_bytes(q->numerics, q->in_type[i]));
    return true;
}
