#include "trace/compose.h"

#include <string.h>

/* ---- Windows. */

/* fixed…, start…: one start more than any rank has is enough for inference to find too many. */
static ct_tensor *with_starts(ct_place at, ct__op op, const ct__attrs *attrs, size_t n_fixed,
                              ct_tensor *const *fixed, ct_list start)
{
    ct_tensor *operand[2 + CT__MAX_RANK + 1];
    size_t n_starts = start.count > CT__MAX_RANK ? CT__MAX_RANK + 1 : start.count;
    ct_context *ctx = ct__context_of_list((ct_list){n_fixed, fixed});

    if (!start.item && n_starts > 0) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: start is NULL", ct__op_describe(op)->name);
        return ct__poison(ctx);
    }

    memcpy(operand, fixed, n_fixed * sizeof *operand);
    if (n_starts)
        memcpy(operand + n_fixed, start.item, n_starts * sizeof *operand);
    return ct__op_on(at, op, attrs, n_fixed + n_starts, operand);
}

ct_tensor *ct_op_dynamic_slice_at(ct_place at, ct_tensor *x, ct_list start, ct_dims sizes,
                                  bool strict)
{
    const ct__attrs attrs = {
        .dynamic_slice = {.slice_sizes = ct__ints_of(sizes), .strict = strict}};
    return with_starts(at, CT__OP_dynamic_slice, &attrs, 1, &x, start);
}

ct_tensor *ct_op_dynamic_update_slice_at(ct_place at, ct_tensor *x, ct_tensor *update,
                                         ct_list start, bool strict)
{
    const ct__attrs attrs = {.dynamic_update_slice = {.strict = strict}};
    ct_tensor *const fixed[] = {x, update};
    return with_starts(at, CT__OP_dynamic_update_slice, &attrs, 2, fixed, start);
}

/* ---- Gather. */

static const ct_gather_dims no_gather_dims;

ct_tensor *ct_op_gather_at(ct_place at, ct_tensor *x, ct_tensor *indices,
                           const ct_gather_dims *dims)
{
    const ct_gather_dims *d = dims ? dims : &no_gather_dims;
    const ct__attrs attrs = {
        .gather = {.offset_dims = ct__ints_of(d->offset_dims),
                   .collapsed_slice_dims = ct__ints_of(d->collapsed_slice_dims),
                   .operand_batching_dims = ct__ints_of(d->operand_batching_dims),
                   .start_indices_batching_dims = ct__ints_of(d->start_indices_batching_dims),
                   .start_index_map = ct__ints_of(d->start_index_map),
                   .index_vector_dim = d->index_vector_dim,
                   .slice_sizes = ct__ints_of(d->slice_sizes),
                   .indices_are_sorted = d->indices_are_sorted,
                   .strict = d->strict}};
    ct_tensor *const operand[] = {x, indices};
    return ct__op_on(at, CT__OP_gather, &attrs, 2, operand);
}

/* ---- Scatter. */

static const ct_scatter_dims no_scatter_dims;

static ct__attrs scatter_attrs(const ct_scatter_dims *dims, size_t n_inputs)
{
    const ct_scatter_dims *d = dims ? dims : &no_scatter_dims;
    return (ct__attrs){
        .scatter = {.update_window_dims = ct__ints_of(d->update_window_dims),
                    .inserted_window_dims = ct__ints_of(d->inserted_window_dims),
                    .input_batching_dims = ct__ints_of(d->input_batching_dims),
                    .scatter_indices_batching_dims = ct__ints_of(d->scatter_indices_batching_dims),
                    .scatter_dims_to_operand_dims = ct__ints_of(d->scatter_dims_to_operand_dims),
                    .index_vector_dim = d->index_vector_dim,
                    .indices_are_sorted = d->indices_are_sorted,
                    .unique_indices = d->unique_indices,
                    .strict = d->strict,
                    .n_inputs = (int64_t)n_inputs}};
}

/* Without a body (there was an error) the operation reports it. */
static ct_tensor *scatter_one(ct_place at, ct_tensor *x, ct_tensor *indices, ct_tensor *update,
                              ct__graph *body, const ct_scatter_dims *dims)
{
    const ct__attrs attrs = scatter_attrs(dims, 1);
    ct_tensor *const operand[] = {x, indices, update};
    const ct__request request = {.at = at,
                                 .op = CT__OP_scatter,
                                 .attrs = &attrs,
                                 .n_operands = 3,
                                 .operand = operand,
                                 .n_regions = body ? 1 : 0,
                                 .region = &body};
    return ct__apply1(&request);
}

ct_tensor *ct_op_scatter_at(ct_place at, ct_tensor *x, ct_tensor *indices, ct_tensor *update,
                            ct_function *body, const ct_scatter_dims *dims)
{
    if (!body)
        return scatter_one(at, x, indices, update, ct__usual_body(at, CT__BODY_NEW, x), dims);
    ct_tensor *const operand[] = {x, indices, update};
    ct_context *ctx = ct__context_of_list((ct_list){3, operand});
    if (!ct__body_check(ctx, at, CT__OP_scatter, body))
        return ct__poison(ctx);
    return scatter_one(at, x, indices, update, body->graph, dims);
}

ct_tensor *ct_op_scatter_add_at(ct_place at, ct_tensor *x, ct_tensor *indices, ct_tensor *update,
                                const ct_scatter_dims *dims)
{
    return scatter_one(at, x, indices, update, ct__usual_body(at, CT__OP_add, x), dims);
}

void ct_op_scatter_many_at(ct_place at, ct_list x, ct_tensor *indices, ct_list update,
                           ct_function *body, ct_list captures, const ct_scatter_dims *dims,
                           ct_tensor **result)
{
    const ct__attrs attrs = scatter_attrs(dims, x.count);
    const ct_list lists[] = {x, {1, &indices}, update, captures};
    ct__with_body(at, CT__OP_scatter, &attrs, 4, lists, 1, &body, result, x.count);
}
