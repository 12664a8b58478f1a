#include "ops/ops.h"

/* A stack is a sequence x[0], x[1], … of values of its element type, of which all but finitely many
 * hold nothing. An index may be a tensor: its shape is the first part of the element's (where that
 * is a stack, of what its elements are in the end), and each place of it says which element that
 * part belongs to. */

static bool check_stack(ct__infer *q, size_t position)
{
    if (q->in[position]->kind == CT__STACK)
        return true;
    return ct__fail(q, CT_ERR_TYPE, "%s must be a stack, got %s", ct__operand_str(q, position),
                    ct__type_str(q, q->in[position]));
}

/* i64, of a shape with which the element's begins. */
static bool check_index(ct__infer *q)
{
    const ct_type *index = q->in[1], *element = q->in[0];
    while (element->kind == CT__STACK)
        element = element->element[0];
    bool fits = index->kind == CT__TENSOR && index->dtype == CT_I64 && !index->quantized;

    if (!fits)
        return ct__fail(q, CT_ERR_TYPE, "index must be i64, got %s", ct__type_str(q, index));
    fits = index->rank == 0 || (element->kind == CT__TENSOR && index->rank <= element->rank);
    for (int d = 0; fits && d < index->rank; d++)
        fits = index->dim[d] == element->dim[d];
    return fits ||
           ct__fail(q, CT_ERR_SHAPE, "index %s must have the first extents of the element %s",
                    ct__type_str(q, index), ct__type_str(q, element));
}

bool ct__infer_stack_new(ct__infer *q)
{
    if (q->n_given != 1) /* C1 */
        return ct__fail(q, CT_ERR_ARGUMENT, "its one result's type must be given");
    if (q->given[0]->kind != CT__STACK) /* C1 */
        return ct__fail(q, CT_ERR_TYPE, "its result must be a stack, got %s",
                        ct__type_str(q, q->given[0]));
    return ct__results_as_given(q);
}

bool ct__infer_stack_add(ct__infer *q)
{
    if (!check_stack(q, 0) || !check_index(q)) /* C1, C2 */
        return false;
    if (!ct__type_equal(q->in[2], q->in[0]->element[0])) /* C3 */
        return ct__fail(q, CT_ERR_TYPE, "x must be an element of %s, got %s",
                        ct__type_str(q, q->in[0]), ct__type_str(q, q->in[2]));
    return ct__result_of_type(q, q->in[0]);
}

bool ct__infer_stack_get(ct__infer *q)
{
    return check_stack(q, 0) && check_index(q) && /* C1, C2 */
           ct__result_of_type(q, q->in[0]->element[0]);
}

bool ct__infer_stack_sum(ct__infer *q)
{
    if (!check_stack(q, 0)) /* C1 */
        return false;
    if (!ct__type_equal(q->in[0], q->in[1])) /* C1 */
        return ct__fail(q, CT_ERR_TYPE, "y must be %s, as x, got %s", ct__type_str(q, q->in[0]),
                        ct__type_str(q, q->in[1]));
    return ct__result_of_type(q, q->in[0]);
}
