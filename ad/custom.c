/* Operations that are functions of the program: what they compute is not known. */
#include "ad/rules.h"

#include <stdio.h>

/* Asked for where a result has a tangent: a zero would be a guess. */
void ct__jvp_custom_call(ct__jvp_whole *q)
{
    char message[256];

    snprintf(message, sizeof message,
             "custom_call: the derivative of @%s, a function of the program, is not known",
             q->attrs->custom_call.call_target_name);
    ct__jvp_fail(q, message);
}

/* A composite is the call of its decomposition, and its derivative that call's; that of a
 * checkpoint is a checkpoint. */
void ct__jvp_composite(ct__jvp_whole *q)
{
    ct__jvp_whole call = *q;

    if (!ct__is_checkpoint(q->op, q->attrs)) {
        call.op = CT__OP_call;
        call.attrs = NULL;
    }
    ct__jvp_call(&call);
}

void ct__transpose_composite(ct__transpose *q)
{
    ct__transpose call = *q;

    if (!ct__is_checkpoint(q->op, q->attrs)) {
        call.op = CT__OP_call;
        call.attrs = NULL;
    }
    ct__transpose_call(&call);
}
