#include "ops/ops.h"

#include <inttypes.h>
#include <string.h>

/* The result comes first: a broken shape is not a matter of the dimensions. */
bool ct__infer_broadcast_in_dim(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const ct__ints shape = q->attrs->broadcast_in_dim.shape;
    const ct__ints dims = q->attrs->broadcast_in_dim.broadcast_dimensions;

    if (!ct__result(q, x->dtype, shape.count, shape.item) ||
        !ct__check_per_axis(q, "broadcast_dimensions", dims, 0) ||          /* C1 */
        !ct__check_axes(q, "broadcast_dimensions", dims, (int)shape.count)) /* C2 */
        return false;
    for (int d = 0; d < x->rank; d++)
        if (x->dim[d] != 1 && x->dim[d] != shape.item[dims.item[d]]) /* C3 */
            return ct__fail(q, CT_ERR_SHAPE,
                            "axis %d of x: %s must have extent 1 or %" PRId64
                            ", that of axis %" PRId64 " of the result",
                            d, ct__type_str(q, x), shape.item[dims.item[d]], dims.item[d]);
    return true;
}

/* ---- concatenate. */

static bool check_beside(ct__infer *q, size_t i, int64_t axis)
{
    const ct_type *x = q->in[i], *first = q->in[0];
    bool same = x->rank == first->rank;

    if (!ct__check_dtypes(q, 0, i)) /* C1 */
        return false;
    if (!same) /* C1 */
        return ct__fail(q, CT_ERR_SHAPE, "x[0] and x[%zu] must have one rank, got %s and %s", i,
                        ct__type_str(q, first), ct__type_str(q, x));
    for (int d = 0; d < x->rank; d++)
        same = same && (d == axis || x->dim[d] == first->dim[d]);
    if (!same) /* C3 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "x[0] and x[%zu] must agree but for axis %" PRId64 ", got %s and %s", i,
                        axis, ct__type_str(q, first), ct__type_str(q, x));
    return true;
}

bool ct__infer_concatenate(ct__infer *q)
{
    const int64_t axis = q->attrs->concatenate.dimension;
    int64_t dim[CT__MAX_RANK], extent = 0;

    if (q->n_operands == 0) /* C4 */
        return ct__fail(q, CT_ERR_ARGUMENT, "takes at least 1 operand, got 0");
    if (axis < 0 || axis >= q->in[0]->rank) /* C2 */
        return ct__fail_rank(q, "dimension = %" PRId64 " must be an axis of %s: %s", axis,
                             ct__operand_str(q, 0), ct__type_str(q, q->in[0]));
    for (size_t i = 0; i < q->n_operands; i++) {
        if (!check_beside(q, i, axis))
            return false;
        if (!ct__add_i64(extent, q->in[i]->dim[axis], &extent))
            return ct__fail(q, CT_ERR_RANGE, "the extents along axis %" PRId64 " overflow", axis);
    }
    memcpy(dim, q->in[0]->dim, (size_t)q->in[0]->rank * sizeof *dim);
    dim[axis] = extent;
    return ct__result(q, q->in[0]->dtype, (size_t)q->in[0]->rank, dim);
}

/* ---- pad. */

/* low + n + max(n - 1, 0) interior + high; the parts may overflow where the whole does not. */
__extension__ typedef __int128 wide;

static wide padded_extent(int64_t n, int64_t low, int64_t interior, int64_t high)
{
    return (wide)n + (n > 0 ? (wide)(n - 1) * interior : 0) + low + high;
}

static bool check_pad(ct__infer *q)
{
    const ct_type *value = q->in[1];
    const struct ct__attrs_pad *a = &q->attrs->pad;

    if (!ct__check_dtypes(q, 0, 1)) /* C1 */
        return false;
    if (value->rank != 0) /* C1 */
        return ct__fail(q, CT_ERR_SHAPE, "value must be a scalar, got %s", ct__type_str(q, value));
    if (!ct__check_per_axis(q, "edge_padding_low", a->edge_padding_low, 0) ||   /* C2 */
        !ct__check_per_axis(q, "edge_padding_high", a->edge_padding_high, 0) || /* C2 */
        !ct__check_per_axis(q, "interior_padding", a->interior_padding, 0))     /* C2 */
        return false;
    for (int d = 0; d < q->in[0]->rank; d++)
        if (a->interior_padding.item[d] < 0) /* C3 */
            return ct__fail(q, CT_ERR_SHAPE,
                            "interior_padding[%d] = %" PRId64 " must not be negative", d,
                            a->interior_padding.item[d]);
    return true;
}

bool ct__infer_pad(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const struct ct__attrs_pad *a = &q->attrs->pad;
    int64_t dim[CT__MAX_RANK];

    if (!check_pad(q))
        return false;
    for (int d = 0; d < x->rank; d++) {
        const int64_t low = a->edge_padding_low.item[d], high = a->edge_padding_high.item[d];

        const wide extent = padded_extent(x->dim[d], low, a->interior_padding.item[d], high);

        if (extent < 0) /* C4 */
            return ct__fail(q, CT_ERR_SHAPE,
                            "edge_padding_low[%d] = %" PRId64
                            " and edge_padding_high[%d] = %" PRId64
                            " take more than there is in x: %s",
                            d, low, d, high, ct__type_str(q, x));
        if (extent > INT64_MAX)
            return ct__fail(q, CT_ERR_RANGE, "the padded extent of axis %d overflows", d);
        dim[d] = (int64_t)extent;
    }
    return ct__result(q, x->dtype, (size_t)x->rank, dim);
}

/* ---- The others. */

bool ct__infer_reshape(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const ct__ints shape = q->attrs->reshape.shape;

    if (!ct__result(q, x->dtype, shape.count, shape.item))
        return false;
    if (q->out[0]->size != x->size) /* C1 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "shape = %s has %" PRId64 " elements, but x: %s has %" PRId64,
                        ct__ints_str(q, shape), q->out[0]->size, ct__type_str(q, x), x->size);
    return true;
}

bool ct__infer_reverse(ct__infer *q)
{
    return ct__check_axes(q, "dimensions", q->attrs->reverse.dimensions, q->in[0]->rank) && /* C1 */
           ct__result_of_type(q, q->in[0]);
}

static bool check_slice_axis(ct__infer *q, int d)
{
    const struct ct__attrs_slice *a = &q->attrs->slice;
    const int64_t start = a->start_indices.item[d], limit = a->limit_indices.item[d];

    if (start < 0 || start > limit || limit > q->in[0]->dim[d]) /* C2 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "start_indices[%d] = %" PRId64 " and limit_indices[%d] = %" PRId64
                        " must be ascending and inside x: %s",
                        d, start, d, limit, ct__type_str(q, q->in[0]));
    if (a->strides.item[d] <= 0) /* C3 */
        return ct__fail(q, CT_ERR_SHAPE, "strides[%d] = %" PRId64 " must be positive", d,
                        a->strides.item[d]);
    return true;
}

bool ct__infer_slice(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const struct ct__attrs_slice *a = &q->attrs->slice;
    int64_t dim[CT__MAX_RANK];

    if (!ct__check_per_axis(q, "start_indices", a->start_indices, 0) || /* C1 */
        !ct__check_per_axis(q, "limit_indices", a->limit_indices, 0) || /* C1 */
        !ct__check_per_axis(q, "strides", a->strides, 0))               /* C1 */
        return false;
    for (int d = 0; d < x->rank; d++) {
        if (!check_slice_axis(q, d))
            return false;
        const int64_t length = a->limit_indices.item[d] - a->start_indices.item[d];

        dim[d] = length == 0 ? 0 : (length - 1) / a->strides.item[d] + 1;
    }
    return ct__result(q, x->dtype, (size_t)x->rank, dim);
}

bool ct__infer_transpose(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const ct__ints permutation = q->attrs->transpose.permutation;
    int64_t dim[CT__MAX_RANK];

    if (!ct__check_per_axis(q, "permutation", permutation, 0) || /* C1 */
        !ct__check_axes(q, "permutation", permutation, x->rank)) /* C1 */
        return false;
    for (int d = 0; d < x->rank; d++)
        dim[d] = x->dim[permutation.item[d]];
    return ct__result(q, x->dtype, (size_t)x->rank, dim);
}
