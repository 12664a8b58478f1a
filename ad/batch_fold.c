/* Batching of operations that fold, order or normalise along axes: the batch is one that they leave
 * alone. Bodies work on one element at a time; what they capture, and what folds start from, is the
 * same for all lanes, or else the lanes are folded one by one. */
#include "ad/batch.h"

void ct__batch_reduce(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    size_t n_inputs = (size_t)attrs.reduce.n_inputs;
    attrs.reduce.dimensions = ct__batch_shifted(q, attrs.reduce.dimensions);
    if (ct__batch_any(q, n_inputs))
        ct__batch_loop(q);
    else
        ct__batch_apply_leading(q, &attrs, n_inputs);
}

/* A window of one lane. */
void ct__batch_reduce_window(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    struct ct__attrs_reduce_window *a = &attrs.reduce_window;
    size_t n_inputs = (size_t)a->n_inputs;
    if (ct__batch_any(q, n_inputs)) {
        ct__batch_loop(q);
        return;
    }
    a->window_dimensions = ct__batch_prepended(q, 1, a->window_dimensions);
    a->window_strides = ct__batch_prepended(q, 1, a->window_strides);
    a->base_dilations = ct__batch_prepended(q, 1, a->base_dilations);
    a->window_dilations = ct__batch_prepended(q, 1, a->window_dilations);
    a->padding_low = ct__batch_prepended(q, 0, a->padding_low);
    a->padding_high = ct__batch_prepended(q, 0, a->padding_high);
    ct__batch_apply_leading(q, &attrs, n_inputs);
}

void ct__batch_select_and_scatter(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    struct ct__attrs_select_and_scatter *a = &attrs.select_and_scatter;
    if (ct__batch_any(q, 2)) {
        ct__batch_loop(q);
        return;
    }
    a->window_dimensions = ct__batch_prepended(q, 1, a->window_dimensions);
    a->window_strides = ct__batch_prepended(q, 1, a->window_strides);
    a->padding_low = ct__batch_prepended(q, 0, a->padding_low);
    a->padding_high = ct__batch_prepended(q, 0, a->padding_high);
    ct__batch_apply_leading(q, &attrs, 2);
}

void ct__batch_map(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    size_t n_inputs = (size_t)attrs.map.n_inputs;
    attrs.map.dimensions = ct__batch_behind(q, 0, attrs.map.dimensions);
    if (ct__batch_any(q, n_inputs))
        ct__batch_loop(q);
    else
        ct__batch_apply_leading(q, &attrs, n_inputs);
}

void ct__batch_sort(ct__batch *q)
{
    ct__attrs attrs = *q->attrs;
    size_t n_inputs = (size_t)attrs.sort.n_inputs;
    attrs.sort.dimension++;
    if (ct__batch_any(q, n_inputs))
        ct__batch_loop(q);
    else
        ct__batch_apply_leading(q, &attrs, n_inputs);
}

/* Along the last axis. */
void ct__batch_top_k(ct__batch *q)
{
    ct__batch_apply_full(q, q->attrs);
}

/* ---- Normalising: each feature has its own numbers, so that the features of all lanes become the
 * features of one. */

typedef struct normalising {
    ct__batch *q;
    size_t feature;   /* of one lane's x */
    int64_t features; /* of all lanes */
} normalising;

/* Operands and results: those of x's rank have the lanes beside the features, others in front. */
static size_t place_of_lanes(const normalising *n, const ct_type *type)
{
    return type->rank == n->q->type[0]->rank ? n->feature : 0;
}

static ct_tensor *merged(const normalising *n, size_t i)
{
    const ct_type *type = n->q->type[i];
    size_t at = place_of_lanes(n, type);
    int64_t dim[CT__MAX_RANK];
    ct_tensor *x = ct__moved_axis(n->q->at, ct__batch_full(n->q, i), 0, at);
    for (int d = 0; d < type->rank; d++)
        dim[d] = (size_t)d == at ? n->features : type->dim[d];
    return ct_op_reshape_at(n->q->at, x, (ct_dims){(size_t)type->rank, dim});
}

static ct_tensor *split(const normalising *n, size_t i, ct_tensor *y)
{
    const ct_type *type = n->q->result_type[i];
    size_t at = place_of_lanes(n, type);
    int64_t dim[CT__MAX_RANK + 1];
    for (size_t d = 0; d <= (size_t)type->rank; d++)
        dim[d] = d == at ? n->q->size : type->dim[d - (d > at)];
    y = ct_op_reshape_at(n->q->at, y, (ct_dims){(size_t)type->rank + 1, dim});
    return ct__moved_axis(n->q->at, y, at, 0);
}

void ct__batch_batch_norm(ct__batch *q)
{
    normalising n = {q, (size_t)q->attrs->batch_norm.feature_index, 0};
    ct_tensor *operand[5]; /* the most that any has */
    ct__batch_fail(q);
    if (!ct__mul_i64(q->size, q->type[0]->dim[n.feature], &n.features)) {
        ct__error(q->ctx, q->at, CT_ERR_RANGE, "vmap: the features of all lanes are too many");
        return;
    }
    for (size_t i = 0; i < q->n_operands; i++)
        operand[i] = merged(&n, i);
    if (!ct__apply(&(ct__request){.ctx = q->ctx,
                                  .at = q->at,
                                  .op = q->op,
                                  .attrs = q->attrs,
                                  .n_operands = q->n_operands,
                                  .operand = operand},
                   q->y, q->n_results))
        return;
    for (size_t i = 0; i < q->n_results; i++)
        q->y[i] = split(&n, i, q->y[i]);
}
