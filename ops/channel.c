/* Values that come from elsewhere and go there, in the order of tokens. */
#include "ops/ops.h"

#include <inttypes.h>

/* Results are tensors…, then a token. */
static bool check_arriving(ct__infer *q)
{
    if (q->n_given == 0) /* C1 of infeed, C2 of recv */
        return ct__fail(q, CT_ERR_ARGUMENT, "must have a token as its last result, has no result");
    for (size_t i = 0; i < q->n_given; i++) {
        const ct__kind want = i + 1 < q->n_given ? CT__TENSOR : CT__TOKEN;

        if (q->given[i]->kind != want) /* C2, C3 of infeed; C3, C4 of recv */
            return ct__fail(q, CT_ERR_TYPE, "result %zu must be a %s, not %s", i,
                            want == CT__TENSOR ? "tensor" : "token", ct__type_str(q, q->given[i]));
    }
    return true;
}

bool ct__infer_infeed(ct__infer *q)
{
    return ct__check_token(q, 0) && ct__results_as_given(q) && check_arriving(q);
}

static bool check_leaving(ct__infer *q)
{
    return ct__check_tensors(q, 0, q->n_operands - 1) && ct__check_token(q, q->n_operands - 1);
}

bool ct__infer_outfeed(ct__infer *q)
{
    return check_leaving(q) && ct__result_token(q);
}

/* Between devices a channel has type 1; from a device to the host 2; from the host to a device 3.
 */
static bool check_channel(ct__infer *q, bool is_host_transfer, int64_t type, int64_t host_type)
{
    const int64_t want = is_host_transfer ? host_type : 1;

    if (type == want) /* C1 */
        return true;
    return ct__fail(q, CT_ERR_ARGUMENT,
                    "channel_type = %" PRId64 " must be %" PRId64 ", for is_host_transfer is %s",
                    type, want, is_host_transfer ? "true" : "false");
}

bool ct__infer_send(ct__infer *q)
{
    const struct ct__attrs_send *a = &q->attrs->send;

    return check_leaving(q) && check_channel(q, a->is_host_transfer, a->channel_type, 2) &&
           ct__check_pairs(q, a->source_target_pairs) && ct__result_token(q);
}

bool ct__infer_recv(ct__infer *q)
{
    const struct ct__attrs_recv *a = &q->attrs->recv;

    return ct__check_token(q, 0) && check_channel(q, a->is_host_transfer, a->channel_type, 3) &&
           ct__check_pairs(q, a->source_target_pairs) && ct__results_as_given(q) &&
           check_arriving(q);
}
