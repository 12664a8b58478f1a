/* Operations that are functions of the program. */
#include "exec/interpret/interpret.h"

#include <stdio.h>
#include <string.h>

/* The context's function; for assertions about shapes, ours where it has none. */
static const ct__custom *find(const ct__customs *customs, const char *target)
{
    static const ct__custom assertion = {.target = CT__SHAPE_ASSERTION,
                                         .code = ct__shape_assertion};
    const ct__custom *custom = customs ? ct__customs_find(customs, target) : NULL;
    if (custom && custom->code)
        return custom;
    return strcmp(target, assertion.target) == 0 ? &assertion : NULL;
}

bool ct__find_custom(ct__eval *q, const ct__customs *customs)
{
    const char *target;
    const ct__custom *custom;

    if (q->op != CT__OP_custom_call)
        return true;
    target = q->attrs->custom_call.call_target_name;
    custom = find(customs, target);
    if (!custom)
        return ct__run_fail(q, CT_ERR_UNSUPPORTED,
                            "no function is registered for target @%s (ct_register_custom_call)",
                            target);
    q->custom = custom->code;
    q->custom_user = custom->user;
    return true;
}

/* A status that the function may have made up. */
static ct_status valid_status(ct_status status)
{
    return status > CT_OK && status <= CT_ERR_TEXT ? status : CT_ERR_ARGUMENT;
}

bool ct__meaning_custom_call(const ct__eval *q)
{
    const char *attributes = q->attrs->custom_call.attributes;
    ct_custom_call call = {.target = q->attrs->custom_call.call_target_name,
                           .attributes = attributes ? attributes : "",
                           .n_operands = q->n_operands,
                           .operand_type = q->in_type,
                           .operand = q->in,
                           .n_results = q->n_results,
                           .result_type = q->out_type,
                           .result = q->out};
    ct_status status = q->custom(q->custom_user, &call);

    if (status == CT_OK)
        return true;
    call.message[sizeof call.message - 1] = '\0';
    return ct__run_fail(q, valid_status(status), "@%s: %s", call.target,
                        call.message[0] ? call.message : "failed without a message");
}

/* A transform takes it away again. */
bool ct__meaning_transposed_call(const ct__eval *q)
{
    return ct__run_fail(q, CT_ERR_UNSUPPORTED, "it stands inside of transforms alone");
}
