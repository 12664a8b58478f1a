/* What the operations share whose result types are given. */
#include "trace/compose.h"

static bool check_lists(const ct__request *r, ct_list examples, bool has_result)
{
    const char *name = ct__op_describe(r->op)->name;
    const char *missing = !r->operand && r->n_operands > 0       ? "a list of operands"
                          : !examples.item && examples.count > 0 ? "the list of examples"
                          : !has_result                          ? "the result"
                                                                 : NULL;
    if (missing)
        ct__error(r->ctx, r->at, CT_ERR_ARGUMENT, "%s: %s is NULL", name, missing);
    for (size_t i = 0; !missing && i < examples.count && !ct_failed(r->ctx); i++)
        if (ct_is_poison(examples.item[i]))
            ct__error(r->ctx, r->at, examples.item[i] ? CT_ERR_POISON : CT_ERR_ARGUMENT,
                      "%s: example %zu is %s", name, i,
                      examples.item[i] ? "the poisoned result of an earlier error" : "NULL");
    return !ct_failed(r->ctx);
}

static const ct_type **types_of(ct__arena *arena, ct_list examples, bool and_token)
{
    if (examples.count == SIZE_MAX)
        return NULL;
    const ct_type **type = CT__NEW_ARRAY(arena, const ct_type *, examples.count + 1);
    for (size_t i = 0; type && i < examples.count; i++)
        type[i] = examples.item[i]->type;
    if (type && and_token)
        type[examples.count] = ct__type_token(arena);
    return type && (!and_token || type[examples.count]) ? type : NULL;
}

void ct__with_examples(const ct__request *request, ct_list examples, bool and_token,
                       ct_tensor **result)
{
    ct__request r = *request;
    size_t count = examples.count + and_token;
    if (!r.ctx)
        r.ctx = ct__context_of_list((ct_list){r.n_operands, r.operand});
    if (!r.ctx)
        r.ctx = ct__context_of_list(examples);
    ct__fill_poison(r.ctx, result, count);
    if (ct_failed(r.ctx) || !check_lists(&r, examples, result || count == 0))
        return;
    r.given = types_of(ct__scratch_begin(r.ctx), examples, and_token);
    r.n_given = count;
    if (r.given)
        ct__apply(&r, result, count);
    else
        ct__error_memory(r.ctx, r.at, ct__op_describe(r.op)->name);
    ct__scratch_end(r.ctx);
}
