#include "trace/compose.h"

/* An operation on a list that may be empty: its context may have to be given. */
static ct_tensor *on_list(ct_place at, ct_context *ctx, ct__op op, ct_list x)
{
    if (!ctx)
        ctx = ct__context_of_list(x);
    if (!ct_failed(ctx) && !x.item && x.count > 0)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: a list of operands is NULL",
                  ct__op_describe(op)->name);
    if (ct_failed(ctx))
        return ct__poison(ctx);
    return ct__apply1(
        &(ct__request){.ctx = ctx, .at = at, .op = op, .n_operands = x.count, .operand = x.item});
}

ct_tensor *ct_op_tuple_at(ct_place at, ct_context *ctx, ct_list x)
{
    return on_list(at, ctx, CT__OP_tuple, x);
}

ct_tensor *ct_op_get_tuple_element_at(ct_place at, ct_tensor *x, int64_t index)
{
    const ct__attrs attrs = {.get_tuple_element = {.index = index}};
    return ct__op_on(at, CT__OP_get_tuple_element, &attrs, 1, &x);
}

ct_tensor *ct_op_after_all_at(ct_place at, ct_context *ctx, ct_list tokens)
{
    return on_list(at, ctx, CT__OP_after_all, tokens);
}
