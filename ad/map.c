/* A map is its body on whole tensors. */
#include "ad/rules.h"

static void lift_body(const ct__replaced *q)
{
    ct__arena arena;
    size_t n = (size_t)q->attrs->map.n_inputs;
    int64_t count = ct_size(q->x[0]);
    ct__arena_init(&arena, &q->ctx->allocator);
    ct_tensor **argument = CT__NEW_ARRAY(&arena, ct_tensor *, q->n_operands), *y;
    if (!argument)
        ct__error_memory(q->ctx, q->at, "derivative");
    for (size_t i = 0; argument && i < q->n_operands; i++)
        argument[i] = i < n ? ct_op_reshape_at(q->at, q->x[i], CT_DIMS(count)) : q->x[i];
    if (!ct_failed(q->ctx) && ct__lift(q->ctx, q->at, q->region[0], count, n, argument, &y))
        q->y[0] = ct_op_reshape_at(q->at, y, ct_shape_of(q->x[0]));
    ct__arena_free(&arena);
}

void ct__jvp_map(ct__jvp_whole *q)
{
    ct__jvp_replaced(q, lift_body);
}

void ct__transpose_map(ct__transpose *q)
{
    ct__transpose_replaced(q, lift_body);
}
