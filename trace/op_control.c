#include "trace/compose.h"

void ct_op_if_at(ct_place at, ct_tensor *pred, ct_function *then, ct_function *otherwise,
                 ct_list captures, ct_tensor **result, size_t n_results)
{
    const ct_list lists[] = {{1, &pred}, captures};
    ct_function *const branch[] = {then, otherwise};
    ct__with_body(at, CT__OP_if, NULL, 2, lists, 2, branch, result, n_results);
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
