/* What loops count: integers that are constant, and carries that change by a constant. */
#include "ad/bodies.h"

#include "ops/literal.h"

#include <cotangent/op_data.h>
#include <cotangent/op_elementwise.h>

#include <stdlib.h>

bool ct__loop_integer(ct_context *ctx, const ct__counted *of, const ct__graph *graph, ct__id id,
                      int64_t *value)
{
    const ct__graph *body = of->body;
    const size_t i = ct__param_position(graph, id), first = of->loop->first_carry;
    if (i == graph->n_params)
        return ct__literal_integer(ct__graph_literal(graph, id), value);
    const bool is_carry = i >= first && i < first + of->loop->n_carry;
    if (is_carry ? body->result[i - first] != body->param[i] : i < ct__first_capture(of->loop))
        return false;
    return ct__literal_integer(ct__outer_constant(ctx, of->operand[i]), value);
}

/* "i + step" or "i - 1". */
bool ct__carry_step(ct_context *ctx, const ct__counted *of, size_t carry, int64_t *step)
{
    const ct__graph *body = of->body;
    const ct__node *node = ct__node_of(body, body->result[carry]);
    if (!node || (node->op != CT__OP_add && node->op != CT__OP_subtract))
        return false;
    const bool adds = node->op == CT__OP_add;
    for (int side = 0; side < (adds ? 2 : 1); side++)
        if (node->operand[side] == body->param[of->loop->first_carry + carry] &&
            ct__loop_integer(ctx, of, body, node->operand[1 - side], step)) {
            *step = adds ? *step : -*step;
            return true;
        }
    return false;
}

/* A for that goes back has no iteration's number but its index. */
int64_t *ct__find_counters(const ct__unzip *q, const ct__loop *loop)
{
    const ct__counted of = {loop, q->node->region[loop->body], q->operand};
    const size_t first = loop->first_carry;
    int64_t *step = CT__NEW_ARRAY(q->arena, int64_t, q->node->n_operands);
    if (!step || (q->node->op == CT__OP_for && q->node->attrs->counted.is_reverse))
        return step;
    for (size_t i = first; i < first + loop->n_carry; i++) {
        const ct_type *type = ct__param_type(of.body, i);
        int64_t each;
        if (type->kind == CT__TENSOR && type->rank == 0 &&
            (type->dtype == CT_I32 || type->dtype == CT_I64) &&
            ct__carry_step(q->ctx, &of, i - first, &each) && llabs(each) <= INT32_MAX)
            step[i] = each;
    }
    return step;
}

ct_tensor *ct__counter_at(ct_place at, ct_tensor *start, int64_t step, ct_tensor *index)
{
    if (ct_is_poison(start))
        return start;
    ct_tensor *k = ct_op_convert_at(at, index, ct_dtype_of(start));
    if (step != 1)
        k = ct_op_multiply_at(at, k, ct__like(at, k, (double)step));
    return ct_op_add_at(at, start, k);
}

ct_tensor *ct__counter_rows(ct_place at, ct_tensor *start, int64_t step, int64_t length,
                            bool is_reverse)
{
    const ct_dims rows = {1, &length};
    ct_context *ctx = ct_context_of(start);
    ct_tensor *k = ct_op_iota_at(at, ctx, CT_I64, rows, 0);
    if (is_reverse)
        k = ct_op_subtract_at(at, ct__like(at, k, (double)(length - 1)), k);
    return ct__counter_at(at, ct_op_broadcast_in_dim_at(at, start, rows, (ct_dims){0, NULL}), step,
                          k);
}
