/* Stacks and tuples: values made of values. Stacks are linear spaces: sequences of which all but
 * finitely many elements are zero. */
#include "ad/rules.h"

#include <cotangent/op_program.h>
#include <cotangent/op_stack.h>

/* ---- Stacks. */

void ct__jvp_stack_add(ct__jvp_whole *q)
{
    if (!ct__primal(q))
        return;
    q->dy[0] = q->dx[0] ? q->dx[0] : ct__zeros(q->ctx, q->at, q->y[0]->type);
    if (q->dx[2])
        q->dy[0] = ct_op_stack_add_at(q->at, q->dy[0], q->x[1], q->dx[2]);
}

void ct__transpose_stack_add(ct__transpose *q)
{
    ct__cotangent_add(q, 0, q->ybar[0]);
    if (q->linear[2])
        ct__cotangent_add(q, 2, ct_op_stack_get_at(q->at, q->ybar[0], q->x[1]));
}

ct_tensor *ct__jvp_stack_get(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

void ct__transpose_stack_get(ct__transpose *q)
{
    ct_tensor *empty = ct__zeros(q->ctx, q->at, q->type[0]);
    ct__cotangent_add(q, 0, ct_op_stack_add_at(q->at, empty, q->x[1], q->ybar[0]));
}

ct_tensor *ct__jvp_stack_sum(const ct__jvp *q)
{
    return q->dx;
}

void ct__transpose_stack_sum(ct__transpose *q)
{
    ct__cotangent_add(q, 0, q->ybar[0]);
    ct__cotangent_add(q, 1, q->ybar[0]);
}

/* ---- Tuples: the tangent of a tuple is one of the same type, in which what has no tangent is
 * zero. */

void ct__jvp_tuple(ct__jvp_whole *q)
{
    if (!ct__primal(q))
        return;
    ct__arena *scratch = ct__scratch_begin(q->ctx);
    ct_tensor **part = CT__NEW_ARRAY(scratch, ct_tensor *, q->n_operands);
    for (size_t i = 0; part && i < q->n_operands; i++)
        part[i] = q->dx[i] ? q->dx[i] : ct__zeros(q->ctx, q->at, q->x[i]->type);
    if (part)
        q->dy[0] = ct_op_tuple_at(q->at, q->ctx, (ct_list){q->n_operands, part});
    else
        ct__error_memory(q->ctx, q->at, "tuple");
    ct__scratch_end(q->ctx);
}

void ct__transpose_tuple(ct__transpose *q)
{
    for (size_t i = 0; i < q->n_operands; i++)
        if (q->linear[i])
            ct__cotangent_add(q, i, ct_op_get_tuple_element_at(q->at, q->ybar[0], (int64_t)i));
}

ct_tensor *ct__jvp_get_tuple_element(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

void ct__transpose_get_tuple_element(ct__transpose *q)
{
    const ct_type *type = q->type[0];
    size_t index = (size_t)q->attrs->get_tuple_element.index;
    ct__arena *scratch = ct__scratch_begin(q->ctx);
    ct_tensor **part = CT__NEW_ARRAY(scratch, ct_tensor *, type->n_elements);
    for (size_t i = 0; part && i < type->n_elements; i++)
        part[i] = i == index ? q->ybar[0] : ct__zeros(q->ctx, q->at, type->element[i]);
    if (part)
        ct__cotangent_add(q, 0, ct_op_tuple_at(q->at, q->ctx, (ct_list){type->n_elements, part}));
    else
        ct__error_memory(q->ctx, q->at, "get_tuple_element");
    ct__scratch_end(q->ctx);
}
