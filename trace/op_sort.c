#include "trace/compose.h"

void ct_op_sort_many_at(ct_place at, ct_list x, ct_function *comparator, ct_list captures,
                        int64_t dimension, ct_tensor **result)
{
    const ct__attrs attrs = {
        .sort = {.dimension = dimension, .n_inputs = (int64_t)x.count, .is_stable = true}};
    const ct_list lists[] = {x, captures};
    ct__with_body(at, CT__OP_sort, &attrs, 2, lists, 1, &comparator, result, x.count);
}

ct_tensor *ct_op_sort_at(ct_place at, ct_tensor *x, ct_function *comparator, int64_t dimension)
{
    ct_tensor *result;
    ct_op_sort_many_at(at, CT_ARGV(x), comparator, CT_NO_TENSORS, dimension, &result);
    return result;
}

void ct_op_top_k_at(ct_place at, ct_tensor *x, int64_t k, ct_tensor **values, ct_tensor **indices)
{
    const ct__attrs attrs = {.top_k = {.k = k}};
    const ct__request request = {
        .at = at, .op = CT__OP_top_k, .attrs = &attrs, .n_operands = 1, .operand = &x};
    ct_tensor **wanted[] = {values, indices}, *result[2];
    ct__apply(&request, result, 2);
    for (int i = 0; i < 2; i++) {
        if (wanted[i])
            *wanted[i] = result[i];
        else
            ct_release(result[i]);
    }
}
