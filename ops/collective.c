/* Operations of several processes. Groups of processes are lists of equal length, one after the
 * other; without any, all processes are one group, of a size that only the given result types
 * tell. */
#include "ops/ops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists of processes. */

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Each process at most once, and in [0, limit); -1 stands for none where `padded`. */
static bool check_processes(ct__infer *q, const char *name, ct__ints ids, int64_t limit,
                            bool padded)
{
    int64_t *sorted = ct__arena_copy(q->arena, ids.item, ids.count * sizeof *ids.item);

    if (!sorted)
        return ct__fail_memory(q);
    for (size_t i = 0; i < ids.count; i++)
        if ((ids.item[i] < 0 && !(padded && ids.item[i] == -1)) || ids.item[i] >= limit)
            return limit == INT64_MAX
                       ? ct__fail(q, CT_ERR_ARGUMENT, "%s[%zu] = %" PRId64 " must not be negative",
                                  name, i, ids.item[i])
                       : ct__fail(q, CT_ERR_ARGUMENT,
                                  "%s[%zu] = %" PRId64 " must be a process in [0, %" PRId64 ")",
                                  name, i, ids.item[i], limit);
    qsort(sorted, ids.count, sizeof *sorted, ascending);
    for (size_t i = 1; i < ids.count; i++)
        if (sorted[i] == sorted[i - 1] && sorted[i] >= 0)
            return ct__fail(q, CT_ERR_ARGUMENT, "%s = %s must not name process %" PRId64 " twice",
                            name, ct__ints_str(q, ids), sorted[i]);
    return true;
}

static bool check_groups(ct__infer *q, ct__ints groups, int64_t group_size, int64_t limit,
                         bool padded)
{
    if (group_size < 0 || (group_size == 0 && groups.count > 0) ||
        (group_size > 0 && groups.count % (uint64_t)group_size != 0))
        return ct__fail(q, CT_ERR_ARGUMENT,
                        "replica_groups of %zu processes are not groups of group_size = %" PRId64,
                        groups.count, group_size);
    return check_processes(q, "replica_groups", groups, limit, padded);
}

static bool check_device_ids(ct__infer *q, bool use_global_device_ids, int64_t channel_id)
{
    if (!use_global_device_ids || channel_id > 0)
        return true;
    return ct__fail(q, CT_ERR_ARGUMENT,
                    "use_global_device_ids needs a channel_id above 0, got %" PRId64, channel_id);
}

static bool check_axis(ct__infer *q, const char *name, int64_t axis, size_t position)
{
    if (axis >= 0 && axis < q->in[position]->rank)
        return true;
    return ct__fail(q, CT_ERR_SHAPE, "%s = %" PRId64 " must be an axis in [0, %d)", name, axis,
                    q->in[position]->rank);
}

bool ct__check_pairs(ct__infer *q, ct__ints pairs)
{
    const size_t count = pairs.count / 2;
    int64_t *side = CT__NEW_ARRAY(q->arena, int64_t, pairs.count);

    if (pairs.count % 2 != 0)
        return ct__fail(q, CT_ERR_ARGUMENT, "source_target_pairs = %s must be pairs",
                        ct__ints_str(q, pairs));
    if (!side)
        return ct__fail_memory(q);
    for (size_t i = 0; i < count; i++) {
        side[i] = pairs.item[2 * i];
        side[count + i] = pairs.item[2 * i + 1];
    }
    return check_processes(q, "sources", (ct__ints){count, side}, INT64_MAX, false) &&
           check_processes(q, "targets", (ct__ints){count, side + count}, INT64_MAX, false);
}

/* ---- Gathering and spreading. */

/* x with another extent on an axis and elements as of `like`; NULL after ct__fail. */
static const ct_type *with_extent(ct__infer *q, const ct_type *x, int64_t axis, int64_t extent,
                                  const ct_type *like)
{
    int64_t dim[CT__MAX_RANK];

    for (int d = 0; d < x->rank; d++)
        dim[d] = d == axis ? extent : x->dim[d];
    return ct__tensor_like(q, like, (size_t)x->rank, dim);
}

/* The size of a group: the attribute's, or how many times `whole` is `part`, extents of what is
 * given, or 1. */
static int64_t size_of_group(ct__ints groups, int64_t group_size, int64_t whole, int64_t part)
{
    if (groups.count > 0)
        return group_size;
    return part > 0 && whole > 0 && whole % part == 0 ? whole / part : 1;
}

/* The extent of given result i on an axis; -1 without it. */
static int64_t given_extent(const ct__infer *q, size_t i, int64_t axis)
{
    return i < q->n_given && q->given[i] && axis < q->given[i]->rank ? q->given[i]->dim[axis] : -1;
}

bool ct__infer_all_gather(ct__infer *q)
{
    const struct ct__attrs_all_gather *a = &q->attrs->all_gather;

    if (!ct__check_tensors(q, 0, q->n_operands) ||
        !check_groups(q, a->replica_groups, a->group_size, (int64_t)a->replica_groups.count,
                      false) ||                                          /* C2, C3, C4 */
        !check_device_ids(q, a->use_global_device_ids, a->channel_id) || /* C5 */
        !ct__results(q, q->n_operands))
        return false;
    for (size_t i = 0; i < q->n_operands; i++) {
        const ct_type *x = q->in[i];
        int64_t extent;

        if (!check_axis(q, "all_gather_dim", a->all_gather_dim, i)) /* C1 */
            return false;
        extent = x->dim[a->all_gather_dim];
        if (!ct__mul_i64(extent,
                         size_of_group(a->replica_groups, a->group_size,
                                       given_extent(q, i, a->all_gather_dim), extent),
                         &extent))
            return ct__fail(q, CT_ERR_RANGE, "the result's extent is too large");
        q->out[i] = with_extent(q, x, a->all_gather_dim, extent, x); /* C6 */
        if (!q->out[i])
            return false;
    }
    return true;
}

bool ct__infer_all_to_all(ct__infer *q)
{
    const struct ct__attrs_all_to_all *a = &q->attrs->all_to_all;
    const int64_t n = a->split_count;

    if (n <= 0) /* C4 */
        return ct__fail(q, CT_ERR_SHAPE, "split_count = %" PRId64 " must be positive", n);
    if (!ct__check_tensors(q, 0, q->n_operands) ||
        !check_groups(q, a->replica_groups, a->group_size, (int64_t)a->replica_groups.count,
                      false) || /* C5, C6, C7 */
        !ct__results(q, q->n_operands))
        return false;
    if (a->replica_groups.count > 0 && a->group_size != n) /* C8 */
        return ct__fail(q, CT_ERR_SHAPE, "split_count = %" PRId64 " must be group_size = %" PRId64,
                        n, a->group_size);
    for (size_t i = 0; i < q->n_operands; i++) {
        const ct_type *x = q->in[i];
        int64_t extent;

        if (!check_axis(q, "split_dimension", a->split_dimension, i) || /* C1 */
            !check_axis(q, "concat_dimension", a->concat_dimension, i)) /* C3 */
            return false;
        if (x->dim[a->split_dimension] % n != 0) /* C2 */
            return ct__fail(q, CT_ERR_SHAPE,
                            "split_count = %" PRId64 " must divide axis %" PRId64 " of %s: %s", n,
                            a->split_dimension, ct__operand_str(q, i), ct__type_str(q, x));
        if (!ct__mul_i64(x->dim[a->concat_dimension], n, &extent))
            return ct__fail(q, CT_ERR_RANGE, "the result's extent is too large");
        q->out[i] = x; /* C9 */
        if (a->split_dimension != a->concat_dimension) {
            x = with_extent(q, x, a->split_dimension, x->dim[a->split_dimension] / n, x);
            q->out[i] = x ? with_extent(q, x, a->concat_dimension, extent, x) : NULL;
        }
        if (!q->out[i])
            return false;
    }
    return true;
}

bool ct__infer_collective_broadcast(ct__infer *q)
{
    const struct ct__attrs_collective_broadcast *a = &q->attrs->collective_broadcast;

    return check_groups(q, a->replica_groups, a->group_size, INT64_MAX, false) && /* C1, C2 */
           ct__result_of_type(q, q->in[0]);                                       /* C3 */
}

bool ct__infer_collective_permute(ct__infer *q)
{
    return ct__check_pairs(q, q->attrs->collective_permute.source_target_pairs) && /* C1 … C4 */
           ct__result_of_type(q, q->in[0]);                                        /* C5 */
}

/* ---- Reducing. */

/* Whether elements of one dtype may be summed in the other: the same kind, not narrower; quantized
 * ones in their own type alone. */
static bool is_promotable(const ct_type *x, const ct_type *y)
{
    const ct_dtype from = x->dtype, to = y->dtype;
    const bool same_kind = (ct_dtype_is_float(from) && ct_dtype_is_float(to)) ||
                           (ct_dtype_is_complex(from) && ct_dtype_is_complex(to)) ||
                           (ct_dtype_is_integer(from) && ct_dtype_is_integer(to) &&
                            ct_dtype_is_signed(from) == ct_dtype_is_signed(to));

    if (x->quantized || y->quantized)
        return from == to && ct__quantized_equal(x->quantized, y->quantized);
    return from == to || (same_kind && ct_dtype_bytes(from) <= ct_dtype_bytes(to));
}

/* The body takes two scalars of one type, to which those of the x are promoted, then the captures,
 * and gives one. */
static bool check_computation(ct__infer *q, size_t n_inputs)
{
    const ct__body_type *body = &q->region[0];
    const size_t n_captures = q->n_operands - n_inputs;
    const ct_type **want = CT__NEW_ARRAY(q->arena, const ct_type *, 2 + n_captures);

    if (!want)
        return ct__fail_memory(q);
    if (body->n_results != 1 || body->result[0]->kind != CT__TENSOR || body->result[0]->rank != 0)
        return ct__fail(q, CT_ERR_TYPE, "the body must give one scalar");
    for (size_t i = 0; i < 2 + n_captures; i++)
        want[i] = i < 2 ? body->result[0] : q->in[n_inputs + i - 2];
    for (size_t i = 0; i < n_inputs; i++)
        if (!is_promotable(q->in[i], body->result[0]))
            return ct__fail(q, CT_ERR_TYPE, "the body gives %s, to which %s is not promoted: %s",
                            ct__type_str(q, body->result[0]), ct__operand_str(q, i),
                            ct__type_str(q, q->in[i]));
    return ct__check_params(q, 0, 2 + n_captures, want);
}

bool ct__infer_all_reduce(ct__infer *q)
{
    const struct ct__attrs_all_reduce *a = &q->attrs->all_reduce;
    const size_t n = (size_t)a->n_inputs;

    if (a->n_inputs < 0 || (uint64_t)a->n_inputs > q->n_operands)
        return ct__fail(q, CT_ERR_ARGUMENT, "takes n_inputs = %" PRId64 " x, got %zu operand%s",
                        a->n_inputs, q->n_operands, q->n_operands == 1 ? "" : "s");
    if (!ct__check_tensors(q, 0, n) ||
        !check_groups(q, a->replica_groups, a->group_size, (int64_t)a->replica_groups.count,
                      true) ||                                           /* C1, C2, C3 */
        !check_device_ids(q, a->use_global_device_ids, a->channel_id) || /* C4 */
        !check_computation(q, n) ||                                      /* C5 */
        !ct__results(q, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        q->out[i] = ct__tensor_like(q, q->region[0].result[0], (size_t)q->in[i]->rank,
                                    q->in[i]->dim); /* C6, C7 */
        if (!q->out[i])
            return false;
    }
    return true;
}

bool ct__infer_reduce_scatter(ct__infer *q)
{
    const struct ct__attrs_reduce_scatter *a = &q->attrs->reduce_scatter;
    const ct_type *x = q->in[0];
    int64_t size;

    if (!check_axis(q, "scatter_dimension", a->scatter_dimension, 0) || /* C2 */
        !check_groups(q, a->replica_groups, a->group_size, (int64_t)a->replica_groups.count,
                      false) ||                                          /* C3, C4, C5 */
        !check_device_ids(q, a->use_global_device_ids, a->channel_id) || /* C6 */
        !check_computation(q, 1))                                        /* C7 */
        return false;
    size = size_of_group(a->replica_groups, a->group_size, x->dim[a->scatter_dimension],
                         given_extent(q, 0, a->scatter_dimension));
    if (size <= 0 || x->dim[a->scatter_dimension] % size != 0) /* C1 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "group_size = %" PRId64 " must divide axis %" PRId64 " of x: %s", size,
                        a->scatter_dimension, ct__type_str(q, x));
    x = with_extent(q, x, a->scatter_dimension, x->dim[a->scatter_dimension] / size,
                    q->region[0].result[0]);
    return x && ct__result_of_type(q, x); /* C8, C9 */
}

/* ---- Who this is. */

bool ct__infer_process_id(ct__infer *q)
{
    return ct__result(q, CT_U32, 0, NULL);
}
