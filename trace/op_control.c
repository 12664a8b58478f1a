#include "trace/compose.h"

void ct_op_if_at(ct_place at, ct_tensor *pred, ct_function *then, ct_function *otherwise,
                 ct_list captures, ct_tensor **result, size_t n_results)
{
    const ct_list lists[] = {{1, &pred}, captures};
    ct_function *const branch[] = {then, otherwise};
    ct__with_body(at, CT__OP_if, NULL, 2, lists, 2, branch, result, n_results);
}

void ct_op_case_at(ct_place at, ct_tensor *index, size_t n_branches, ct_function *const *branches,
                   ct_list captures, ct_tensor **result, size_t n_results)
{
    const ct_list lists[] = {{1, &index}, captures};
    ct__with_body(at, CT__OP_case, NULL, 2, lists, n_branches, branches, result, n_results);
}

void ct_op_while_at(ct_place at, ct_list carry, ct_list captures, ct_function *cond,
                    ct_function *body, ct_tensor **result)
{
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)carry.count}};
    const ct_list lists[] = {carry, captures};
    ct_function *const bodies[] = {cond, body};
    ct__with_body(at, CT__OP_while, &attrs, 2, lists, 2, bodies, result, carry.count);
}

ct_tensor *ct_op_map_at(ct_place at, ct_list x, ct_list captures, ct_function *body)
{
    int64_t axes[CT__MAX_RANK];
    const ct_type *type = x.count > 0 && x.item && x.item[0] ? x.item[0]->type : NULL;
    size_t rank = type ? (size_t)type->rank : 0;
    for (size_t d = 0; d < rank; d++)
        axes[d] = (int64_t)d;
    const ct__attrs attrs = {.map = {.dimensions = {rank, axes}, .n_inputs = (int64_t)x.count}};
    const ct_list lists[] = {x, captures};
    ct_tensor *result = NULL;
    ct__with_body(at, CT__OP_map, &attrs, 2, lists, 1, &body, &result, 1);
    return result;
}

void ct_op_scan_at(ct_place at, int64_t length, ct_list carry, ct_list x, ct_list captures,
                   bool is_reverse, ct_function *body, ct_tensor **result, size_t n_results)
{
    const ct__attrs attrs = {.scan = {.length = length,
                                      .n_carry = (int64_t)carry.count,
                                      .n_inputs = (int64_t)x.count,
                                      .is_reverse = is_reverse}};
    const ct_list lists[] = {carry, x, captures};
    ct__with_body(at, CT__OP_scan, &attrs, 3, lists, 1, &body, result, n_results);
}

void ct_op_optimization_barrier_at(ct_place at, ct_list x, ct_tensor **result)
{
    const ct_list lists[] = {x};
    ct__with_body(at, CT__OP_optimization_barrier, NULL, 1, lists, 0, NULL, result, x.count);
}
