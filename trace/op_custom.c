#include "trace/compose.h"

static ct_context *context_of(ct_list x, ct_list examples)
{
    ct_context *ctx = ct__context_of_list(x);
    return ctx ? ctx : ct__context_of_list(examples);
}

static const ct_type **types_of(ct_context *ctx, ct_place at, ct__arena *arena, ct_list examples)
{
    const ct_type **type = CT__NEW_ARRAY(arena, const ct_type *, examples.count);
    if (!type)
        ct__error_memory(ctx, at, "custom_call");
    for (size_t i = 0; type && i < examples.count; i++)
        type[i] = examples.item[i]->type;
    return type;
}

static bool check(ct_context *ctx, ct_place at, ct_list x, ct_list examples, ct_tensor **result)
{
    const char *missing = !x.item && x.count > 0                 ? "x"
                          : !examples.item && examples.count > 0 ? "examples"
                          : !result && examples.count > 0        ? "the result"
                                                                 : NULL;
    if (ct_failed(ctx))
        return false;
    if (missing)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "custom_call: %s is NULL", missing);
    for (size_t i = 0; i < examples.count && !ct_failed(ctx); i++)
        if (ct_is_poison(examples.item[i]))
            ct__error(ctx, at, examples.item[i] ? CT_ERR_POISON : CT_ERR_ARGUMENT,
                      "custom_call: example %zu is %s", i,
                      examples.item[i] ? "the poisoned result of an earlier error" : "NULL");
    return !ct_failed(ctx);
}

void ct_op_custom_call_at(ct_place at, ct_context *ctx, const char *target, const char *attributes,
                          bool has_side_effect, ct_list x, ct_list examples, ct_tensor **result)
{
    if (!ctx)
        ctx = context_of(x, examples);
    ct__fill_poison(ctx, result, examples.count);
    if (!check(ctx, at, x, examples, result))
        return;
    const ct__attrs attrs = {
        .custom_call = {.call_target_name = target,
                        .has_side_effect = has_side_effect,
                        .attributes = attributes && *attributes ? attributes : NULL}};
    const ct_type **given = types_of(ctx, at, ct__scratch_begin(ctx), examples);
    if (given)
        ct__apply(&(ct__request){.ctx = ctx,
                                 .at = at,
                                 .op = CT__OP_custom_call,
                                 .attrs = &attrs,
                                 .n_operands = x.count,
                                 .operand = x.item,
                                 .n_given = examples.count,
                                 .given = given},
                  result, examples.count);
    ct__scratch_end(ctx);
}
