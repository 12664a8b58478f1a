/* Operations of several processes. They are linear: the tangents of all processes take the way of
 * their values. Transposed, what one process reads of another flows back to that other; what many
 * read is summed. */
#include "ad/rules.h"

#include <cotangent/op_program.h>

/* ---- Forward. */

static void apply(const ct__jvp_whole *q, const ct__attrs *attrs, size_t n, ct_tensor *const *x,
                  const ct_type *const *type, ct_tensor **y)
{
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = q->op,
                             .attrs = attrs,
                             .n_operands = n,
                             .operand = x,
                             .n_regions = q->n_regions,
                             .region = q->region,
                             .n_given = n,
                             .given = type},
              y, n);
}

/* The live tangents, as many as the primal operands before, on the way of their values. */
static void move_tangents(ct__jvp_whole *q, const ct__attrs *attrs, ct__arena *arena)
{
    ct_tensor **x = CT__NEW_ARRAY(arena, ct_tensor *, q->n_results);
    ct_tensor **y = CT__NEW_ARRAY(arena, ct_tensor *, q->n_results);
    const ct_type **type = CT__NEW_ARRAY(arena, const ct_type *, q->n_results);
    size_t n = 0, next = 0;
    if (!x || !y || !type) {
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
        return;
    }
    for (size_t i = 0; i < q->n_results; i++)
        if (q->dx[i]) {
            type[n] = q->result_type[i];
            x[n++] = q->dx[i];
        }
    ct__attrs live = *attrs;
    if (q->op == CT__OP_all_reduce)
        live.all_reduce.n_inputs = (int64_t)n;
    apply(q, &live, n, x, type, y);
    for (size_t i = 0; i < q->n_results; i++)
        q->dy[i] = q->dx[i] ? y[next++] : NULL;
}

/* Result i is of operand i, and so is its tangent. */
static void each(ct__jvp_whole *q)
{
    ct__arena arena;
    if (!ct__primal(q))
        return;
    ct__arena_init(&arena, &q->ctx->allocator);
    move_tangents(q, q->attrs, &arena);
    ct__arena_free(&arena);
}

/* Whether the body adds, which alone is linear. */
static bool adds(ct__graph *const *region)
{
    return ct__graph_body_kind(region[0]) == CT__OP_add;
}

static void each_sum(ct__jvp_whole *q)
{
    if (!adds(q->region))
        ct__jvp_fail(q, q->op == CT__OP_all_reduce
                            ? "all_reduce: only one whose body adds has a derivative"
                            : "reduce_scatter: only one whose body adds has a derivative");
    else
        each(q);
}

void ct__jvp_all_gather(ct__jvp_whole *q)
{
    each(q);
}

void ct__jvp_all_to_all(ct__jvp_whole *q)
{
    each(q);
}

void ct__jvp_all_reduce(ct__jvp_whole *q)
{
    each_sum(q);
}

void ct__jvp_reduce_scatter(ct__jvp_whole *q)
{
    each_sum(q);
}

ct_tensor *ct__jvp_collective_broadcast(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

ct_tensor *ct__jvp_collective_permute(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* ---- Backward. */

/* The cotangent of operand i is that of result i by another operation. */
static ct_tensor *back(const ct__transpose *q, size_t i, ct__op op, const ct__attrs *attrs,
                       bool sums)
{
    ct_tensor *ybar = ct__converted(q->at, q->ybar[i], q->type[i]->dtype);
    ct__graph *body = sums ? ct__body(q->ctx, q->at, CT__OP_add, q->type[i]->dtype) : NULL;
    if (sums && !body)
        return ct__poison(q->ctx);
    return ct__apply1(&(ct__request){.ctx = q->ctx,
                                     .at = q->at,
                                     .op = op,
                                     .attrs = attrs,
                                     .n_operands = 1,
                                     .operand = &ybar,
                                     .n_regions = sums,
                                     .region = &body,
                                     .n_given = 1,
                                     .given = &q->type[i]});
}

static void each_back(ct__transpose *q, ct__op op, const ct__attrs *attrs, bool sums)
{
    for (size_t i = 0; i < q->n_results; i++)
        if (q->ybar[i] && q->linear[i])
            ct__cotangent_add(q, i, back(q, i, op, attrs, sums));
}

/* All read the piece of one, to whom the sum of its cotangents is scattered. */
void ct__transpose_all_gather(ct__transpose *q)
{
    const struct ct__attrs_all_gather *a = &q->attrs->all_gather;
    const ct__attrs attrs = {.reduce_scatter = {.scatter_dimension = a->all_gather_dim,
                                                .replica_groups = a->replica_groups,
                                                .group_size = a->group_size,
                                                .channel_id = a->channel_id,
                                                .channel_type = a->channel_type,
                                                .use_global_device_ids = a->use_global_device_ids}};
    each_back(q, CT__OP_reduce_scatter, &attrs, true);
}

static bool check_sum(const ct__transpose *q)
{
    if (adds(q->region))
        return true;
    ct__error(q->ctx, q->at, CT_ERR_RULE, "%s: only one whose body adds has a transpose",
              ct__op_describe(q->op)->name);
    return false;
}

void ct__transpose_reduce_scatter(ct__transpose *q)
{
    const struct ct__attrs_reduce_scatter *a = &q->attrs->reduce_scatter;
    const ct__attrs attrs = {.all_gather = {.all_gather_dim = a->scatter_dimension,
                                            .replica_groups = a->replica_groups,
                                            .group_size = a->group_size,
                                            .channel_id = a->channel_id,
                                            .channel_type = a->channel_type,
                                            .use_global_device_ids = a->use_global_device_ids}};
    if (check_sum(q))
        each_back(q, CT__OP_all_gather, &attrs, false);
}

/* All of a group read the x of each. */
void ct__transpose_all_reduce(ct__transpose *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.all_reduce.n_inputs = 1;
    if (check_sum(q))
        each_back(q, CT__OP_all_reduce, &attrs, true);
}

/* The pieces go back on the way they came. */
void ct__transpose_all_to_all(ct__transpose *q)
{
    ct__attrs attrs = *q->attrs;
    attrs.all_to_all.split_dimension = q->attrs->all_to_all.concat_dimension;
    attrs.all_to_all.concat_dimension = q->attrs->all_to_all.split_dimension;
    each_back(q, CT__OP_all_to_all, &attrs, false);
}

/* From targets to sources. Who sent nothing gets zeros. */
void ct__transpose_collective_permute(ct__transpose *q)
{
    const ct__ints pairs = q->attrs->collective_permute.source_target_pairs;
    ct__attrs attrs = *q->attrs;
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    int64_t *swapped = CT__NEW_ARRAY(&arena, int64_t, pairs.count);
    if (!swapped)
        ct__error_memory(q->ctx, q->at, "collective_permute");
    for (size_t i = 0; swapped && i < pairs.count; i++)
        swapped[i] = pairs.item[i ^ 1];
    attrs.collective_permute.source_target_pairs = (ct__ints){pairs.count, swapped};
    if (swapped)
        each_back(q, CT__OP_collective_permute, &attrs, false);
    ct__arena_free(&arena);
}

/* Without groups all processes are one, whose first is process 0: it keeps the sum of all. */
static void back_to_first(ct__transpose *q)
{
    const struct ct__attrs_collective_broadcast *a = &q->attrs->collective_broadcast;
    const ct__attrs attrs = {.all_reduce = {.channel_id = a->channel_id,
                                            .channel_type = a->channel_type,
                                            .n_inputs = 1}};
    ct_tensor *sum = back(q, 0, CT__OP_all_reduce, &attrs, true);
    ct_tensor *process = a->channel_id > 0 ? ct_op_partition_id_at(q->at, q->ctx)
                                           : ct_op_replica_id_at(q->at, q->ctx);
    ct_tensor *is_first = ct_op_compare_at(q->at, process, ct__like(q->at, process, 0), CT_EQ,
                                           CT_COMPARE_DEFAULT);
    ct__cotangent_add(q, 0,
                      ct_op_select_at(q->at, is_first, sum, ct__zeros(q->ctx, q->at, q->type[0])));
}

/* Σ over the members of a group, member k of each at once: what it has goes to its first. Others
 * get zeros. */
static void back_to_firsts(ct__transpose *q, ct__arena *arena)
{
    const struct ct__attrs_collective_broadcast *a = &q->attrs->collective_broadcast;
    size_t size = (size_t)a->group_size, n = a->replica_groups.count / size;
    int64_t *pair = CT__NEW_ARRAY(arena, int64_t, 2 * n);
    if (!pair)
        ct__error_memory(q->ctx, q->at, "collective_broadcast");
    for (size_t k = 0; pair && k < size; k++) {
        for (size_t g = 0; g < n; g++) {
            pair[2 * g] = a->replica_groups.item[g * size + k];
            pair[2 * g + 1] = a->replica_groups.item[g * size];
        }
        const ct__attrs attrs = {.collective_permute = {.source_target_pairs = {2 * n, pair},
                                                        .channel_id = a->channel_id,
                                                        .channel_type = a->channel_type}};
        each_back(q, CT__OP_collective_permute, &attrs, false);
    }
}

void ct__transpose_collective_broadcast(ct__transpose *q)
{
    ct__arena arena;
    if (q->attrs->collective_broadcast.replica_groups.count == 0) {
        back_to_first(q);
        return;
    }
    ct__arena_init(&arena, &q->ctx->allocator);
    back_to_firsts(q, &arena);
    ct__arena_free(&arena);
}
