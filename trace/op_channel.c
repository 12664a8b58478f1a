#include "trace/compose.h"

enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

void ct_op_infeed_at(ct_place at, ct_tensor *token, const char *config, ct_list examples,
                     ct_tensor **result)
{
    const ct__attrs attrs = {.infeed = {.infeed_config = config && *config ? config : NULL}};
    const ct__request request = {
        .at = at, .op = CT__OP_infeed, .attrs = &attrs, .n_operands = 1, .operand = &token};
    ct__with_examples(&request, examples, true, result);
}

static ct_tensor *leave(ct_place at, ct__op op, const ct__attrs *attrs, ct_list x, ct_tensor *token)
{
    const ct_list lists[] = {x, {1, &token}};
    ct_tensor *result = NULL;
    ct__with_body(at, op, attrs, 2, lists, 0, NULL, &result, 1);
    return result;
}

ct_tensor *ct_op_outfeed_at(ct_place at, ct_list x, ct_tensor *token, const char *config)
{
    const ct__attrs attrs = {.outfeed = {.outfeed_config = config && *config ? config : NULL}};
    return leave(at, CT__OP_outfeed, &attrs, x, token);
}

void ct_op_recv_at(ct_place at, ct_tensor *token, int64_t channel_id, bool is_host_transfer,
                   ct_dims source_target_pairs, ct_list examples, ct_tensor **result)
{
    const ct__attrs attrs = {
        .recv = {.channel_id = channel_id,
                 .channel_type = is_host_transfer ? HOST_TO_DEVICE : DEVICE_TO_DEVICE,
                 .is_host_transfer = is_host_transfer,
                 .source_target_pairs = ct__ints_of(source_target_pairs)}};
    const ct__request request = {
        .at = at, .op = CT__OP_recv, .attrs = &attrs, .n_operands = 1, .operand = &token};
    ct__with_examples(&request, examples, true, result);
}

ct_tensor *ct_op_send_at(ct_place at, ct_list x, ct_tensor *token, int64_t channel_id,
                         bool is_host_transfer, ct_dims source_target_pairs)
{
    const ct__attrs attrs = {
        .send = {.channel_id = channel_id,
                 .channel_type = is_host_transfer ? DEVICE_TO_HOST : DEVICE_TO_DEVICE,
                 .is_host_transfer = is_host_transfer,
                 .source_target_pairs = ct__ints_of(source_target_pairs)}};
    return leave(at, CT__OP_send, &attrs, x, token);
}
