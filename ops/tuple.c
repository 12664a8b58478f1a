#include "ops/ops.h"

#include <inttypes.h>

bool ct__infer_tuple(ct__infer *q)
{
    const ct_type *type = ct__type_tuple(q->arena, q->n_operands, q->in); /* C1 */

    return type ? ct__result_of_type(q, type) : ct__fail_memory(q);
}

bool ct__infer_get_tuple_element(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const int64_t index = q->attrs->get_tuple_element.index;

    if (x->kind != CT__TUPLE)
        return ct__fail(q, CT_ERR_TYPE, "x must be a tuple, got %s", ct__type_str(q, x));
    if (index < 0 || (uint64_t)index >= x->n_elements) /* C1 */
        return ct__fail(q, CT_ERR_ARGUMENT, "index = %" PRId64 " must lie in [0, %zu), for x: %s",
                        index, x->n_elements, ct__type_str(q, x));
    return ct__result_of_type(q, x->element[index]); /* C2 */
}

bool ct__check_token(ct__infer *q, size_t position)
{
    if (q->in[position]->kind == CT__TOKEN)
        return true;
    return ct__fail(q, CT_ERR_TYPE, "%s must be a token, got %s", ct__operand_str(q, position),
                    ct__type_str(q, q->in[position]));
}

bool ct__result_token(ct__infer *q)
{
    const ct_type *type = ct__type_token(q->arena);

    return type ? ct__result_of_type(q, type) : ct__fail_memory(q);
}

bool ct__infer_after_all(ct__infer *q)
{
    for (size_t i = 0; i < q->n_operands; i++)
        if (!ct__check_token(q, i)) /* I1 */
            return false;
    return ct__result_token(q);
}
