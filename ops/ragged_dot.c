#include "ops/ops.h"

#include <inttypes.h>

ct__ragged_mode ct__ragged_mode_of(const struct ct__attrs_ragged_dot *a)
{
    const int64_t ragged = a->lhs_ragged_dimensions.item[0];

    if (ct__ints_contain(a->lhs_batching_dimensions, ragged))
        return CT__RAGGED_BATCH;
    return ct__ints_contain(a->lhs_contracting_dimensions, ragged) ? CT__RAGGED_CONTRACTING
                                                                   : CT__RAGGED_FREE;
}

/* The items of a list up to the ragged axis (all of them where it is not one). */
static size_t add_before(ct__ints list, int64_t ragged, int64_t *axis, size_t count)
{
    for (size_t i = 0; i < list.count && list.item[i] != ragged; i++)
        axis[count++] = list.item[i];
    return count;
}

size_t ct__ragged_prefix(const struct ct__attrs_ragged_dot *a, int64_t axis[CT__MAX_RANK])
{
    const int64_t ragged = a->lhs_ragged_dimensions.item[0];
    size_t count = add_before(a->lhs_batching_dimensions, ragged, axis, 0);

    switch (ct__ragged_mode_of(a)) {
    case CT__RAGGED_CONTRACTING:
        return add_before(a->lhs_contracting_dimensions, ragged, axis, count);
    case CT__RAGGED_FREE:
        for (int64_t d = 0; d < ragged; d++)
            if (!ct__ints_contain(a->lhs_batching_dimensions, d) &&
                !ct__ints_contain(a->lhs_contracting_dimensions, d))
                axis[count++] = d;
        return count;
    default: return count;
    }
}

static bool check_ragged(ct__infer *q, const struct ct__attrs_ragged_dot *a)
{
    if (a->lhs_ragged_dimensions.count != 1) /* C5 */
        return ct__fail(q, CT_ERR_SHAPE, "lhs_ragged_dimensions = %s must name one axis",
                        ct__ints_str(q, a->lhs_ragged_dimensions));
    return ct__check_below(q, "lhs_ragged_dimensions", a->lhs_ragged_dimensions,
                           q->in[0]->rank); /* C5 */
}

/* [g], or [p…, g] with the extents of the prefix axes. */
static bool check_sizes(ct__infer *q, const struct ct__attrs_ragged_dot *a)
{
    const ct_type *x = q->in[0], *sizes = q->in[2];
    int64_t axis[CT__MAX_RANK];
    const size_t count = ct__ragged_prefix(a, axis);

    if (!ct_dtype_is_integer(sizes->dtype)) /* C6 */
        return ct__fail(q, CT_ERR_TYPE, "group_sizes must be integers, got %s",
                        ct__type_str(q, sizes));
    bool fits = sizes->rank == 1 || (size_t)sizes->rank == count + 1;
    for (size_t i = 0; i < count && fits && sizes->rank != 1; i++)
        fits = sizes->dim[i] == x->dim[axis[i]];
    if (!fits) /* C6 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "group_sizes must have one axis, or the axes %s of x: %s and one more, "
                        "got %s",
                        ct__ints_str(q, (ct__ints){count, axis}), ct__type_str(q, x),
                        ct__type_str(q, sizes));
    return true;
}

/* One axis of y holds the groups where the ragged axis is a free one of x, else none does. */
static bool check_groups(ct__infer *q, const struct ct__attrs_ragged_dot *a)
{
    static const char name[] = "rhs_group_dimensions";
    const ct__ints group = a->rhs_group_dimensions;
    const ct_type *y = q->in[1], *sizes = q->in[2];
    const size_t want = ct__ragged_mode_of(a) == CT__RAGGED_FREE;

    if (!ct__check_below(q, name, group, y->rank) || /* C7 */
        !ct__check_distinct(q, name, group, "rhs_batching_dimensions",
                            a->rhs_batching_dimensions) || /* C7 */
        !ct__check_distinct(q, name, group, "rhs_contracting_dimensions",
                            a->rhs_contracting_dimensions)) /* C7 */
        return false;
    if (group.count != want) /* C7 */
        return ct__fail(q, CT_ERR_SHAPE, "%s = %s must name %s: the ragged axis of x is %s", name,
                        ct__ints_str(q, group), want ? "one axis" : "no axis",
                        want ? "neither batching nor contracting" : "batching or contracting");
    const int64_t groups = sizes->dim[sizes->rank - 1];
    if (want && y->dim[group.item[0]] != groups) /* C7 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "axis %s[0] = %" PRId64 " of y: %s must have the %" PRId64
                        " groups of group_sizes",
                        name, group.item[0], ct__type_str(q, y), groups);
    return true;
}

/* [groups where contracted, batching, free of x, free of y] */
static size_t result_extents(const ct__infer *q, const struct ct__attrs_ragged_dot *a, int64_t *dim)
{
    const ct_type *x = q->in[0], *y = q->in[1], *sizes = q->in[2];
    size_t rank = 0;

    if (ct__ragged_mode_of(a) == CT__RAGGED_CONTRACTING)
        dim[rank++] = sizes->dim[sizes->rank - 1];
    for (size_t i = 0; i < a->lhs_batching_dimensions.count; i++)
        dim[rank++] = x->dim[a->lhs_batching_dimensions.item[i]];
    for (int d = 0; d < x->rank; d++)
        if (!ct__ints_contain(a->lhs_batching_dimensions, d) &&
            !ct__ints_contain(a->lhs_contracting_dimensions, d))
            dim[rank++] = x->dim[d];
    for (int d = 0; d < y->rank; d++)
        if (!ct__ints_contain(a->rhs_batching_dimensions, d) &&
            !ct__ints_contain(a->rhs_contracting_dimensions, d) &&
            !ct__ints_contain(a->rhs_group_dimensions, d))
            dim[rank++] = y->dim[d];
    return rank;
}

bool ct__infer_ragged_dot(ct__infer *q)
{
    const struct ct__attrs_ragged_dot *a = &q->attrs->ragged_dot;
    const ct_dtype dtype = a->dtype == CT_INVALID_DTYPE ? q->in[0]->dtype : a->dtype;
    int64_t dim[2 * CT__MAX_RANK + 1];

    if (!ct__check_tensors(q, 2, 1) || !ct__check_dtypes(q, 0, 1) || /* C1 */
        !ct__check_dot(q, a->lhs_batching_dimensions, a->rhs_batching_dimensions,
                       a->lhs_contracting_dimensions,
                       a->rhs_contracting_dimensions) || /* C2 to C4 */
        !check_ragged(q, a) ||                           /* C5 */
        !check_sizes(q, a) ||                            /* C6 */
        !check_groups(q, a))                             /* C7 */
        return false;
    if (ct_dtype_bytes(dtype) == 0)
        return ct__fail(q, CT_ERR_TYPE, "dtype = %d must be an element type", (int)dtype);
    const size_t rank = result_extents(q, a, dim);
    return ct__result(q, dtype, rank, dim);
}
