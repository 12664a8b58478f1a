#include "interop/stablehlo/read_build.h"

/* Operations that newer versions of StableHLO have no more: as those that took their place. */

static ct_dims dims(const int64_t *item, size_t count)
{
    return (ct_dims){count, item};
}

static bool set_list(ct__reader *r, ct__statement *s, const char *key, const int64_t *item,
                     size_t count)
{
    const int64_t *own = ct__arena_copy(&r->arena, item, count * sizeof *item);
    if (!own)
        return ct__read_fail_memory(r);
    return ct__dict_set_ints(r, &s->attributes, key, (ct__ints){count, own});
}

static bool check_tensor(ct__reader *r, const ct__statement *s, size_t i)
{
    return s->operand[i]->type->kind == CT__TENSOR ||
           ct__read_fail(r, s->operand_at[i], "expected a tensor, found %s",
                         ct__written_type(r, s->operand[i]->type));
}

/* ---- dot(x, y): the last axis of x meets the first one of y; both have rank 1 or 2. */

static bool build_dot(ct__reader *r, ct__statement *s)
{
    const int64_t first = 0;
    if (!ct__check_operand_count(r, s, 2, 2))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (!check_tensor(r, s, i))
            return false;
        else if (s->operand[i]->type->rank < 1 || s->operand[i]->type->rank > 2)
            return ct__read_fail(r, s->operand_at[i], "dot takes vectors and matrices, not %s",
                                 ct__written_type(r, s->operand[i]->type));
    const int64_t last = s->operand[0]->type->rank - 1;
    return set_list(r, s, "lhs_contracting_dimensions", &last, 1) &&
           set_list(r, s, "rhs_contracting_dimensions", &first, 1) &&
           ct__build_as(r, s, "stablehlo.dot_general");
}

/* ---- broadcast(x): new axes in front. */

static bool build_broadcast(ct__reader *r, ct__statement *s)
{
    ct__ints sizes = {0, NULL};
    int64_t shape[CT__MAX_RANK], axis[CT__MAX_RANK];
    if (!ct__check_operand_count(r, s, 1, 1) || !check_tensor(r, s, 0) ||
        !ct__use_ints(r, s, "broadcast_sizes", true, &sizes))
        return false;
    const ct_type *x = s->operand[0]->type;
    const size_t rank = (size_t)x->rank;
    if (sizes.count > CT__MAX_RANK - rank)
        return ct__read_fail(r, s->at, "a rank above %d is not supported", CT__MAX_RANK);
    for (size_t d = 0; d < sizes.count; d++)
        shape[d] = sizes.item[d];
    for (size_t d = 0; d < rank; d++) {
        shape[sizes.count + d] = x->dim[d];
        axis[d] = (int64_t)(sizes.count + d);
    }
    return ct__build_result(r, s,
                            ct_op_broadcast_in_dim_at(s->place, s->operand[0],
                                                      dims(shape, sizes.count + rank),
                                                      dims(axis, rank)));
}

static bool build_token(ct__reader *r, ct__statement *s)
{
    return ct__check_operand_count(r, s, 0, 0) && ct__build_as(r, s, "stablehlo.after_all");
}

static bool build_sum(ct__reader *r, ct__statement *s)
{
    static const char add[] = "stablehlo.add";
    if (!ct__check_operand_count(r, s, 1, 1) || !check_tensor(r, s, 0))
        return false;
    /* ct__read_applied takes the scalars of an operand and its start */
    ct__statement pair = *s;
    if (!ct__add_operand(r, &pair, s->operand[0], s->at) ||
        !ct__read_applied(r, &pair, (ct__span){add, sizeof add - 1}))
        return false;
    s->region = pair.region;
    s->n_regions = pair.n_regions;
    return ct__build_as(r, s, "stablehlo.all_reduce");
}

/* ---- torch_index_select(x, index): result[batch…, …, i…, …] = x[batch…, …, index[batch…, i…], …]
 */

/* Axes of the result that come from x: not those of index, which stand at 0 … batch - 1 and from
 * `axis` on. */
static size_t offset_axes(const ct_type *x, const ct_type *index, int64_t axis, int64_t batch,
                          int64_t *offset)
{
    const int64_t n_new = index->rank - batch;
    size_t count = 0;
    for (int64_t d = batch; d < x->rank - 1 + n_new; d++)
        if (d < axis || d >= axis + n_new)
            offset[count++] = d;
    return count;
}

static bool set_select(ct__reader *r, ct__statement *s, int64_t axis, int64_t batch)
{
    const ct_type *x = s->operand[0]->type, *index = s->operand[1]->type;
    int64_t offset[2 * CT__MAX_RANK], batching[CT__MAX_RANK], sizes[CT__MAX_RANK];
    for (int64_t d = 0; d < x->rank; d++)
        sizes[d] = d < batch || d == axis ? 1 : x->dim[d];
    for (int64_t d = 0; d < batch; d++)
        batching[d] = d;
    return set_list(r, s, "offset_dims", offset, offset_axes(x, index, axis, batch, offset)) &&
           set_list(r, s, "collapsed_slice_dims", &axis, 1) &&
           set_list(r, s, "operand_batching_dims", batching, (size_t)batch) &&
           set_list(r, s, "start_indices_batching_dims", batching, (size_t)batch) &&
           set_list(r, s, "start_index_map", &axis, 1) &&
           set_list(r, s, "slice_sizes", sizes, (size_t)x->rank) &&
           ct__dict_set_integer(r, &s->attributes, "index_vector_dim", index->rank);
}

static bool build_select(ct__reader *r, ct__statement *s)
{
    int64_t axis = 0, batch = 0;
    if (!ct__check_operand_count(r, s, 2, 2) || !check_tensor(r, s, 0) || !check_tensor(r, s, 1) ||
        !ct__use_integer(r, s, "dim", true, &axis) ||
        !ct__use_integer(r, s, "batch_dims", true, &batch))
        return false;
    const ct_type *x = s->operand[0]->type, *index = s->operand[1]->type;
    if (batch < 0 || batch > axis || axis >= x->rank || batch > index->rank)
        return ct__read_fail(r, s->at, "dim and batch_dims do not fit %s and %s",
                             ct__written_type(r, x), ct__written_type(r, index));
    return set_select(r, s, axis, batch) && ct__build_as(r, s, "stablehlo.gather");
}

static const ct__builder_row rows[] = {{"stablehlo.dot", build_dot},
                                       {"stablehlo.broadcast", build_broadcast},
                                       {"stablehlo.create_token", build_token},
                                       {"stablehlo.cross-replica-sum", build_sum},
                                       {"stablehlo.torch_index_select", build_select},
                                       {"stablehlo.einsum", ct__build_einsum},
                                       {"stablehlo.unary_einsum", ct__build_einsum},
                                       {NULL, NULL}};

ct__builder *ct__old_builder(ct__span spelling)
{
    return ct__builder_in(rows, spelling);
}
