#include "trace/compose.h"

#include <cotangent/op_stack.h>

void ct_op_for_at(ct_place at, ct_tensor *count, ct_list carry, ct_list captures, bool is_reverse,
                  ct_function *body, ct_tensor **result)
{
    const ct__attrs attrs = {
        .counted = {.n_carry = (int64_t)carry.count, .is_reverse = is_reverse}};
    const ct_list lists[] = {{1, &count}, carry, captures};
    ct__with_body(at, CT__OP_for, &attrs, 3, lists, 1, &body, result, carry.count);
}

ct_tensor *ct__stack_new_of(ct_context *ctx, ct_place at, const ct_type *stack)
{
    return ct__apply1(&(ct__request){
        .ctx = ctx, .at = at, .op = CT__OP_stack_new, .n_given = 1, .given = &stack});
}

ct_tensor *ct_op_stack_new_at(ct_place at, ct_tensor *element)
{
    ct_context *ctx = ct_context_of(element);
    if (ct_failed(ctx) || !ct__operand_check(ctx, at, "stack_new", "element", element))
        return ct__poison(ctx);
    const ct_type *stack = ct__type_stack(ct__scratch_begin(ctx), element->type);
    if (!stack)
        ct__error_memory(ctx, at, "stack_new");
    ct_tensor *result = stack ? ct__stack_new_of(ctx, at, stack) : ct__poison(ctx);
    ct__scratch_end(ctx);
    return result;
}

ct_tensor *ct_op_stack_add_at(ct_place at, ct_tensor *stack, ct_tensor *index, ct_tensor *x)
{
    return ct__op_on(at, CT__OP_stack_add, NULL, 3, (ct_tensor *[]){stack, index, x});
}

ct_tensor *ct_op_stack_get_at(ct_place at, ct_tensor *stack, ct_tensor *index)
{
    return ct__op_on(at, CT__OP_stack_get, NULL, 2, (ct_tensor *[]){stack, index});
}

ct_tensor *ct_op_stack_sum_at(ct_place at, ct_tensor *x, ct_tensor *y)
{
    return ct__op_on(at, CT__OP_stack_sum, NULL, 2, (ct_tensor *[]){x, y});
}
