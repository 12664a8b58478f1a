/* Operations that are functions of the program. */
#include "ops/ops.h"

/* The results are what the program says they are. */
static bool results_as_given(ct__infer *q)
{
    if (!ct__results(q, q->n_given))
        return false;
    for (size_t i = 0; i < q->n_given; i++) {
        if (!q->given[i])
            return ct__fail(q, CT_ERR_ARGUMENT, "the type of result %zu is NULL", i);
        q->out[i] = q->given[i];
    }
    return true;
}

bool ct__infer_custom_call(ct__infer *q)
{
    const char *target = q->attrs->custom_call.call_target_name;

    if (!target || !*target) /* C1 */
        return ct__fail(q, CT_ERR_ARGUMENT, "call_target_name is missing");
    return results_as_given(q);
}
