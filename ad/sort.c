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

typedef struct sorting {
    ct_context *ctx;
    ct_place at;
    const struct ct__attrs_sort *attrs;
    size_t n_operands;
    ct_tensor *const *x;  /* n_inputs of them, then captures */
    const bool *left_out; /* per operand, of which the comparator makes nothing; NULL: none */
    ct__graph *comparator;
    const ct_type *type; /* of an x */
    size_t n;            /* of the x that are not left out */
} sorting;

static bool is_left_out(const sorting *s, size_t operand)
{
    return s->left_out && s->left_out[operand];
}

static sorting sorting_of(sorting s)
{
    for (size_t i = 0; i < (size_t)s.attrs->n_inputs; i++)
        s.n += !is_left_out(&s, i);
    return s;
}

static ct_dtype position_dtype(const sorting *s)
{
    return s->type->dim[s->attrs->dimension] <= INT32_MAX ? CT_I32 : CT_I64;
}

/* The comparator of the x that are not left out and of positions, behind them: of what is left out
 * it gets zeros. NULL after an error. */
static ct__graph *with_positions(const sorting *s)
{
    ct__graph *own = s->comparator, *extended = NULL;
    size_t n_own = 2 * (size_t)s->attrs->n_inputs;
    const ct_type position = {.kind = CT__TENSOR, .dtype = position_dtype(s), .size = 1};
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, s->ctx, s->at, &arena, "positions", own))
        return NULL;
    ct_tensor **param = CT__NEW_ARRAY(&arena, ct_tensor *, own->n_params), *result;
    for (size_t i = 0; param && i <= own->n_params; i++) {
        for (int k = 0; i == n_own && k < 2; k++)
            ct__trace_param(s->ctx, s->at, &position);
        if (i < own->n_params)
            param[i] = i < n_own && is_left_out(s, i / 2)
                           ? ct__zeros(s->ctx, s->at, ct__param_type(own, i))
                           : ct__trace_param(s->ctx, s->at, ct__param_type(own, i));
    }
    if (!param)
        ct__error_memory(s->ctx, s->at, "sort");
    if (!ct_failed(s->ctx) && ct__replay(s->ctx, s->at, own, param, &result))
        extended = ct__trace_close(s->ctx, s->at, 1, &result);
    ct__session_end(&session);
    return extended;
}

/* The x that are not left out, the positions along the axis, the captures; NULL after an error. */
static ct_tensor **list_operands(const sorting *s, ct__arena *arena)
{
    size_t n = (size_t)s->attrs->n_inputs, count = 0;
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, s->n_operands + 1);
    if (!operand) {
        ct__error_memory(s->ctx, s->at, "sort");
        return NULL;
    }
    for (size_t i = 0; i <= s->n_operands; i++) {
        if (i == n)
            operand[count++] = ct_op_iota_at(s->at, s->ctx, position_dtype(s),
                                             (ct_dims){(size_t)s->type->rank, s->type->dim},
                                             s->attrs->dimension);
        if (i < s->n_operands && !is_left_out(s, i))
            operand[count++] = s->x[i];
    }
    return operand;
}

/* result[s->n] is the permutation; before it, what is sorted by it. */
static bool apply_with_positions(const sorting *s, ct__arena *arena, ct_tensor **result)
{
    const ct__attrs attrs = {.sort = {.dimension = s->attrs->dimension,
                                      .n_inputs = (int64_t)s->n + 1,
                                      .is_stable = true}};
    ct_tensor **operand = list_operands(s, arena);
    ct__graph *comparator = operand ? with_positions(s) : NULL;
    if (!comparator)
        return false;
    size_t n_captures = s->n_operands - (size_t)s->attrs->n_inputs;
    bool fine = ct__apply(&(ct__request){.ctx = s->ctx,
                                         .at = s->at,
                                         .op = CT__OP_sort,
                                         .attrs = &attrs,
                                         .n_operands = s->n + 1 + n_captures,
                                         .operand = operand,
                                         .n_regions = 1,
                                         .region = &comparator},
                          result, s->n + 1);
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
    const sorting all = sorting_of((sorting){.ctx = q->ctx,
                                             .at = q->at,
                                             .attrs = &q->attrs->sort,
                                             .n_operands = q->n_operands,
                                             .x = q->x,
                                             .comparator = q->region[0],
                                             .type = ct_type_of(q->x[0])});
    bool fine = result && apply_with_positions(&all, scratch, result);
    for (size_t i = 0; i < n; i++) {
        q->y[i] = fine ? result[i] : ct__poison(q->ctx);
        if (q->dx[i])
            q->dy[i] = fine ? along(q->at, q->dx[i], result[n], q->attrs->sort.dimension)
                            : ct__poison(q->ctx);
    }
    ct__scratch_end(q->ctx);
}

/* Known keys sort the others linearly. The cotangent of a sorted element goes back to where it came
 * from. */
static void go_back(ct__transpose *q, ct_tensor *permutation)
{
    int64_t others[CT__MAX_RANK], axis = q->attrs->sort.dimension;
    size_t rank = (size_t)q->type[0]->rank, n = ct__other_axes(rank, (ct_dims){1, &axis}, others);
    const ct_scatter_dims dims = {.inserted_window_dims = {1, &axis},
                                  .input_batching_dims = {n, others},
                                  .scatter_indices_batching_dims = {n, others},
                                  .scatter_dims_to_operand_dims = {1, &axis},
                                  .index_vector_dim = (int64_t)rank,
                                  .unique_indices = true};
    for (size_t i = 0; i < q->n_results; i++) {
        if (!q->linear[i] || !q->ybar[i])
            continue;
        ct_tensor *zeros = ct__zeros(q->ctx, q->at, q->type[i]);
        ct__cotangent_add(q, i, ct_op_scatter_add_at(q->at, zeros, permutation, q->ybar[i], &dims));
    }
}

/* Whether the comparator looks at nothing that is to be transposed; reports otherwise. */
static bool compares_known(const ct__transpose *q, ct__arena *arena)
{
    size_t n = (size_t)q->attrs->sort.n_inputs;
    bool *unknown = CT__NEW_ARRAY(arena, bool, q->region[0]->n_params);
    if (!unknown) {
        ct__error_memory(q->ctx, q->at, "sort");
        return false;
    }
    for (size_t i = 0; i < q->region[0]->n_params; i++)
        unknown[i] = q->linear[i < 2 * n ? i / 2 : i - n];
    const bool *result = ct__unknown_results(q->ctx, q->at, q->region[0], unknown);
    if (result && *result)
        ct__error(q->ctx, q->at, CT_ERR_RULE,
                  "sort: it is not linear in the values that are to be transposed");
    return result && !*result;
}

void ct__transpose_sort(ct__transpose *q)
{
    ct__arena arena;
    if (q->type[0]->size == 0)
        return;
    const sorting s = sorting_of((sorting){.ctx = q->ctx,
                                           .at = q->at,
                                           .attrs = &q->attrs->sort,
                                           .n_operands = q->n_operands,
                                           .x = q->x,
                                           .left_out = q->linear,
                                           .comparator = q->region[0],
                                           .type = q->type[0]});
    ct__arena_init(&arena, &q->ctx->allocator);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, s.n + 1);
    if (!result)
        ct__error_memory(q->ctx, q->at, "sort");
    else if (compares_known(q, &arena) && apply_with_positions(&s, &arena, result))
        go_back(q, result[s.n]);
    ct__arena_free(&arena);
}

/* ---- top_k. */

void ct__jvp_top_k(ct__jvp_whole *q)
{
    if (ct__primal(q) && ct_size(q->y[0]) > 0)
        q->dy[0] = along(q->at, q->dx[0], q->y[1], (int64_t)ct_rank(q->x[0]) - 1);
}
