#include "trace/compose.h"

void ct_op_custom_call_at(ct_place at, ct_context *ctx, const char *target, const char *attributes,
                          bool has_side_effect, ct_list x, ct_list examples, ct_tensor **result)
{
    const ct__attrs attrs = {
        .custom_call = {.call_target_name = target,
                        .has_side_effect = has_side_effect,
                        .attributes = attributes && *attributes ? attributes : NULL}};
    const ct__request request = {.ctx = ctx,
                                 .at = at,
                                 .op = CT__OP_custom_call,
                                 .attrs = &attrs,
                                 .n_operands = x.count,
                                 .operand = x.item};
    ct__with_examples(&request, examples, false, result);
}

void ct_op_composite_at(ct_place at, const char *name, const char *attributes, int64_t version,
                        ct_function *decomposition, ct_list x, ct_tensor **result, size_t n_results)
{
    const ct__attrs attrs = {
        .composite = {.name = name,
                      .composite_attributes = attributes && *attributes ? attributes : NULL,
                      .version = version}};
    ct__with_body(at, CT__OP_composite, &attrs, 1, &x, 1, &decomposition, result, n_results);
}

void ct_op_custom_rule_at(ct_place at, ct_function *f, ct_function *jvp, ct_function *forward,
                          ct_function *backward, ct_list x, ct_tensor **result, size_t n_results)
{
    const ct__attrs attrs = {
        .custom_rule = {.has_jvp = jvp, .has_vjp = backward, .has_forward = forward}};
    ct_function *body[4] = {f};
    size_t count = 1;
    if (jvp)
        body[count++] = jvp;
    if (forward)
        body[count++] = forward;
    if (backward)
        body[count++] = backward;
    ct__with_body(at, CT__OP_custom_rule, &attrs, 1, &x, count, body, result, n_results);
}
