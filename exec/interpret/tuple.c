/* Tuples: their elements one after the other. Tokens have no bytes. */
#include "exec/interpret/interpret.h"

#include <string.h>

size_t ct__tuple_offset(const ct__numerics *numerics, const ct_type *tuple, size_t i)
{
    size_t offset = 0;

    for (size_t k = 0; k < i; k++)
        offset = ct__add_aligned(offset, ct__value_bytes(numerics, tuple->element[k]));
    return offset;
}

bool ct__meaning_tuple(const ct__eval *q)
{
    unsigned char *y = q->out[0];
    size_t offset = 0; /* of element i: ct__tuple_offset */

    for (size_t i = 0; i < q->n_operands; i++) {
        size_t bytes = ct__value_bytes(q->numerics, q->in_type[i]);
        memcpy(y + offset, q->in[i], bytes);
        offset = ct__add_aligned(offset, bytes);
    }
    return true;
}

bool ct__meaning_get_tuple_element(const ct__eval *q)
{
    const unsigned char *x = q->in[0];
    size_t index = (size_t)q->attrs->get_tuple_element.index;

    memcpy(q->out[0], x + ct__tuple_offset(q->numerics, q->in_type[0], index),
           ct__value_bytes(q->numerics, q->out_type[0]));
    return true;
}

bool ct__meaning_token(const ct__eval *q)
{
    (void)q;
    return true;
}
