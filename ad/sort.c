#include "ad/rules.h"

/* A sort moves elements by a permutation that is constant around almost every x: each tangent goes
 * where its element went. Equal elements keep their order, and so do their tangents. */

/* dx at the positions `indices` along an axis: gather with all other axes as batching ones. */
static ct_tensor *along(ct_place at, ct_tensor *dx, ct_tensor *indices, int64_t axis)
{
    int64_t others[CT__MAX_RANK], ones[CT__MAX_RANK];
    size_t rank = ct_rank(dx), n = ct__other_axes(rank, (ct_dims){1, &axis}, others);
    for (size_t d = 0; d < rank; d++)
        ones[d] = 1;
    ct_gather_dims dims = {.collapsed_slice_dims = {1, &axis},
                           .operand_batching_dims = {n, others},
                           .start_indices_batching_dims = {n, others},
                           .start_index_map = {1, &axis},
                           .index_vector_dim = (int64_t)rank,
                           .slice_sizes = {rank, ones}};
    return ct_op_gather_at(at, dx, indices, &dims);
}

/* ---- sort: the positions are sorted along, as one more operand that the comparator ignores. */

/* The comparator with two more scalars in front of the captures; NULL after an error. */
static ct__graph *with_positions(const ct__jvp_whole *q, const ct_type *position)
{
    ct__graph *own = q->region[0];
    size_t n_own = 2 * (size_t)q->attrs->sort.n_inputs;
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, q->ctx, q->at, &arena, "positions", own))
        return NULL;
    ct_tensor **param = CT__NEW_ARRAY(&arena, ct_tensor *, own->n_params), *result;
    for (size_t i = 0; param && i <= own->n_params; i++) {
        for (int k = 0; i == n_own && k < 2; k++)
            ct__trace_param(q->ctx, q->at, position);
        if (i < own->n_params)
            param[i] = ct__trace_param(q->ctx, q->at, ct__param_type(own, i));
    }
    if (!param)
        ct__error_memory(q->ctx, q->at, "sort");
    ct__graph *extended = NULL;
    if (!ct_failed(q->ctx) && ct__replay(q->ctx, q->at, own, param, &result))
        extended = ct__trace_close(q->ctx, q->at, 1, &result);
    ct__session_end(&session);
    return extended;
}

/* The x, their positions along the axis, the captures; NULL after an error. */
static ct_tensor **list_operands(const ct__jvp_whole *q, ct__arena *arena, ct_dtype dtype)
{
    const struct ct__attrs_sort *a = &q->attrs->sort;
    size_t n = (size_t)a->n_inputs;
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, q->n_operands + 1);
    if (!operand) {
        ct__error_memory(q->ctx, q->at, "sort");
        return NULL;
    }
    for (size_t i = 0; i < q->n_operands; i++)
        operand[i + (i >= n)] = q->x[i];
    operand[n] = ct_op_iota_at(q->at, q->ctx, dtype, ct_shape_of(q->x[0]), a->dimension);
    return operand;
}

/* Sorts the positions along: result[n] is the permutation. */
static bool apply_with_positions(const ct__jvp_whole *q, ct__arena *arena, ct_tensor **result)
{
    ct__attrs attrs = *q->attrs;
    int64_t count = ct_dim(q->x[0], attrs.sort.dimension);
    ct_dtype dtype = count <= INT32_MAX ? CT_I32 : CT_I64;
    const ct_type scalar = {.kind = CT__TENSOR, .dtype = dtype, .size = 1};
    ct_tensor **operand = list_operands(q, arena, dtype);
    ct__graph *comparator = operand ? with_positions(q, &scalar) : NULL;
    if (!comparator)
        return false;
    attrs.sort.n_inputs++;
    bool fine = ct__apply(&(ct__request){.ctx = q->ctx,
                                         .at = q->at,
                                         .op = CT__OP_sort,
                                         .attrs = &attrs,
                                         .n_operands = q->n_operands + 1,
                                         .operand = operand,
                                         .n_regions = 1,
                                         .region = &comparator},
                          result, q->n_results + 1);
    ct__graph_release(comparator);
    return fine;
}

/* Whether any of the x has a tangent, with elements; captures only decide. */
static bool is_moved(const ct__jvp_whole *q)
{
    bool any = false;
    for (size_t i = 0; i < (size_t)q->attrs->sort.n_inputs; i++)
        any = any || q->dx[i];
    return any && ct_size(q->x[0]) > 0;
}

void ct__jvp_sort(ct__jvp_whole *q)
{
    size_t n = q->n_results;
    if (!is_moved(q)) {
        ct__primal(q);
        return;
    }
    ct__arena *scratch = ct__scratch_begin(q->ctx);
    ct_tensor **result = CT__NEW_ARRAY(scratch, ct_tensor *, n + 1);
    if (!result)
        ct__error_memory(q->ctx, q->at, "sort");
    bool fine = result && apply_with_positions(q, scratch, result);
    for (size_t i = 0; i < n; i++) {
        q->y[i] = fine ? result[i] : ct__poison(q->ctx);
        if (q->dx[i])
            q->dy[i] = fine ? along(q->at, q->dx[i], result[n], q->attrs->sort.dimension)
                            : ct__poison(q->ctx);
    }
    ct__scratch_end(q->ctx);
}

/* ---- top_k. */

void ct__jvp_top_k(ct__jvp_whole *q)
{
    if (ct__primal(q) && ct_size(q->y[0]) > 0)
        q->dy[0] = along(q->at, q->dx[0], q->y[1], (int64_t)ct_rank(q->x[0]) - 1);
}
