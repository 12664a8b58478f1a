/* Batching of tuples, of functions of the program, and of what speaks with other processes. */
#include "ad/batch.h"

/* A tuple is batched as a whole. */
void ct__batch_tuple(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}

void ct__batch_get_tuple_element(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}

/* What the function computes is not known, so it is called for each lane. */
void ct__batch_custom_call(ct__batch *q)
{
    ct__batch_loop(q);
}

static bool batch_bodies(ct__batch *q, ct__graph **body)
{
    for (size_t r = 0; r < q->n_regions; r++) {
        const ct__graph *graph = q->region[r];
        bool *all = CT__NEW_ARRAY(q->arena, bool, graph->n_params);
        bool *must = CT__NEW_ARRAY(q->arena, bool, graph->n_results);
        bool *out = CT__NEW_ARRAY(q->arena, bool, graph->n_results);
        for (size_t i = 0; all && i < graph->n_params; i++)
            all[i] = true;
        for (size_t i = 0; must && i < graph->n_results; i++)
            must[i] = true;
        body[r] = all && must && out
                      ? ct__graph_batch(q->ctx, q->at, graph, q->size, false, all, must, out)
                      : NULL;
        if (!body[r]) {
            ct__error_memory(q->ctx, q->at, "vmap"); /* unless there is an error already */
            return false;
        }
    }
    return true;
}

static bool has_loop(const ct__batch *q)
{
    bool any = false;
    for (size_t r = 0; r < q->n_regions; r++)
        any = any || q->region[r]->has_loop;
    return any;
}

/* The function and its rules, each for all lanes. Where lanes may be inactive and a loop might not
 * end in them, lane by lane. */
void ct__batch_custom_rule(ct__batch *q)
{
    if (q->active && has_loop(q)) {
        ct__batch_loop(q);
        return;
    }
    ct__graph **body = CT__NEW_ARRAY(q->arena, ct__graph *, q->n_regions);
    ct_tensor **x = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_operands);
    ct__batch_fail(q);
    for (size_t i = 0; x && i < q->n_operands; i++)
        x[i] = ct__batch_full(q, i);
    if (!body || !x)
        ct__error_memory(q->ctx, q->at, "vmap");
    else if (batch_bodies(q, body))
        ct__apply(&(ct__request){.ctx = q->ctx,
                                 .at = q->at,
                                 .op = q->op,
                                 .attrs = q->attrs,
                                 .n_operands = q->n_operands,
                                 .operand = x,
                                 .n_regions = q->n_regions,
                                 .region = body},
                  q->y, q->n_results);
    for (size_t r = 0; body && r < q->n_regions; r++)
        ct__graph_release(body[r]);
}

/* It is the call of another function. */
void ct__batch_transposed_call(ct__batch *q)
{
    ct__batch call = *q;
    ct__graph *body = ct__transposed_body(q->ctx, q->at, q->attrs, q->region[0], NULL);
    ct__batch_fail(q);
    call.op = CT__OP_call;
    call.attrs = NULL;
    call.region = &body;
    if (body)
        ct__batch_call(&call);
}

/* Result i is of operand i alone, and as batched as it is. */
void ct__batch_each(ct__batch *q)
{
    if (ct__batch_any(q, q->n_results)) {
        ct__batch_loop(q);
        return;
    }
    for (size_t i = 0; i < q->n_results; i++)
        q->y_batched[i] = q->batched[i];
    ct__batch_apply(q, q->attrs, q->n_operands, q->x);
}

/* ---- Along an axis behind that of the lanes. */

void ct__batch_all_gather(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.all_gather.all_gather_dim++;
    ct__batch_apply_full(q, &attrs);
}

void ct__batch_all_to_all(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.all_to_all.split_dimension++;
    attrs.all_to_all.concat_dimension++;
    ct__batch_apply_full(q, &attrs);
}

void ct__batch_reduce_scatter(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.reduce_scatter.scatter_dimension++;
    if (ct__batch_any(q, 1))
        ct__batch_loop(q);
    else
        ct__batch_apply_leading(q, &attrs, 1);
}
