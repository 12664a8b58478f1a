/* Moving data by static index maps: each operation is a box from the operand's strides to the
 * result's. */
#include "exec/interpret/interpret.h"

/* A stride times a step, for an axis of `dim` elements; where nothing moves, a huge step is not
 * multiplied. */
static int64_t scaled(int64_t dim, int64_t stride, int64_t step)
{
    return dim > 1 ? stride * step : 0;
}

/* result[i] = x[i[dims[0]], i[dims[1]], …], where extents 1 of x repeat. */
bool ct__meaning_broadcast_in_dim(const ct__eval *q)
{
    const ct_type *x = q->in_type[0], *y = q->out_type[0];
    const ct__ints dims = q->attrs->broadcast_in_dim.broadcast_dimensions;
    int64_t x_stride[CT__MAX_RANK], y_stride[CT__MAX_RANK], from[CT__MAX_RANK] = {0};
    ct__box box;

    ct__row_major(x->rank, x->dim, x_stride);
    ct__row_major(y->rank, y->dim, y_stride);
    for (size_t d = 0; d < dims.count; d++)
        from[dims.item[d]] = x->dim[d] == 1 ? 0 : x_stride[d];
    ct__box_begin(&box, q->numerics->element_bytes(x->dtype));
    for (int d = 0; d < y->rank; d++)
        ct__box_axis(&box, y->dim[d], y_stride[d], from[d]);
    ct__copy_box(q, &box, q->out[0], q->in[0]);
    return true;
}

/* Along the axis, each operand is a run in every row of the result. One that lies in its place was
 * made there. */
/* The operand at its strides to where it belongs in y, from element `at` on. */
static void copy_piece(const ct__eval *q, size_t operand, const int64_t *y_stride, int64_t at)
{
    const ct_type *x = q->in_type[operand];
    const size_t bytes = q->numerics->element_bytes(x->dtype);
    const int64_t *stride = q->in_stride ? q->in_stride[operand] : NULL;
    int64_t own[CT__MAX_RANK];
    ct__box box;

    if (!stride)
        ct__row_major(x->rank, x->dim, own);
    ct__box_begin(&box, bytes);
    for (int d = 0; d < x->rank; d++)
        ct__box_axis(&box, x->dim[d], y_stride[d], stride ? stride[d] : own[d]);
    if (ct__at(q->out[0], bytes, at) != q->in[operand])
        ct__copy_box(q, &box, ct__at(q->out[0], bytes, at), q->in[operand]);
}

bool ct__meaning_concatenate(const ct__eval *q)
{
    const ct_type *y = q->out_type[0];
    const int64_t axis = q->attrs->concatenate.dimension;
    int64_t stride[CT__MAX_RANK], at = 0;

    if (y->size == 0)
        return true;
    ct__row_major(y->rank, y->dim, stride);
    for (size_t i = 0; i < q->n_operands; i++) {
        copy_piece(q, i, stride, at);
        at += q->in_type[i]->dim[axis] * stride[axis];
    }
    return true;
}

/* Differences of int64_t are formed in uint64_t, where they fit. */
ct__inside ct__find_inside(int64_t dim, int64_t low, int64_t interior, int64_t extent)
{
    uint64_t step = (uint64_t)interior + 1, first = 0, end;

    if (low < 0)
        first = (0 - (uint64_t)low) / step + ((0 - (uint64_t)low) % step != 0);
    if (extent == 0 || low >= extent || first >= (uint64_t)dim)
        return (ct__inside){0, 0, 0, 0};
    end = ((uint64_t)(extent - 1) - (uint64_t)low) / step + 1;
    if (end > (uint64_t)dim)
        end = (uint64_t)dim;
    if (end <= first)
        return (ct__inside){0, 0, 0, 0};
    return (ct__inside){(int64_t)first, (int64_t)(end - first),
                        (int64_t)((uint64_t)low + first * step),
                        end - first > 1 ? (int64_t)step : 0};
}

/* result[low + i (interior + 1)] = x[i] where that is inside, the value elsewhere. */
bool ct__meaning_pad(const ct__eval *q)
{
    const struct ct__attrs_pad *a = &q->attrs->pad;
    const ct_type *x = q->in_type[0], *y = q->out_type[0];
    int64_t x_stride[CT__MAX_RANK], y_stride[CT__MAX_RANK], x_at = 0, y_at = 0;
    size_t bytes = q->numerics->element_bytes(x->dtype);
    ct__box box;

    ct__fill_elements(bytes, (size_t)y->size, q->out[0], q->in[1]);
    if (x->size == 0 || y->size == 0)
        return true;
    ct__row_major(x->rank, x->dim, x_stride);
    ct__row_major(y->rank, y->dim, y_stride);
    ct__box_begin(&box, bytes);
    for (int d = 0; d < x->rank; d++) {
        ct__inside axis = ct__find_inside(x->dim[d], a->edge_padding_low.item[d],
                                          a->interior_padding.item[d], y->dim[d]);
        x_at += axis.first * x_stride[d];
        y_at += axis.at * y_stride[d];
        ct__box_axis(&box, axis.count, y_stride[d] * axis.step, x_stride[d]);
    }
    ct__copy_box(q, &box, ct__at(q->out[0], bytes, y_at), ct__at(q->in[0], bytes, x_at));
    return true;
}

/* Read backwards along the axes. */
bool ct__meaning_reverse(const ct__eval *q)
{
    const ct_type *x = q->in_type[0];
    int64_t stride[CT__MAX_RANK], at = 0;
    size_t bytes = q->numerics->element_bytes(x->dtype);
    ct__box box;

    if (x->size == 0)
        return true;
    ct__row_major(x->rank, x->dim, stride);
    ct__box_begin(&box, bytes);
    for (int d = 0; d < x->rank; d++) {
        bool back = ct__ints_contain(q->attrs->reverse.dimensions, d);
        if (back)
            at += (x->dim[d] - 1) * stride[d];
        ct__box_axis(&box, x->dim[d], stride[d], back ? -stride[d] : stride[d]);
    }
    ct__copy_box(q, &box, q->out[0], ct__at(q->in[0], bytes, at));
    return true;
}

/* result[i] = x[start + i·stride]. */
bool ct__meaning_slice(const ct__eval *q)
{
    const struct ct__attrs_slice *a = &q->attrs->slice;
    const ct_type *x = q->in_type[0], *y = q->out_type[0];
    int64_t x_stride[CT__MAX_RANK], y_stride[CT__MAX_RANK], at = 0;
    size_t bytes = q->numerics->element_bytes(x->dtype);
    ct__box box;

    if (y->size == 0)
        return true;
    ct__row_major(x->rank, x->dim, x_stride);
    ct__row_major(y->rank, y->dim, y_stride);
    ct__box_begin(&box, bytes);
    for (int d = 0; d < y->rank; d++) {
        at += a->start_indices.item[d] * x_stride[d];
        ct__box_axis(&box, y->dim[d], y_stride[d],
                     scaled(y->dim[d], x_stride[d], a->strides.item[d]));
    }
    ct__copy_box(q, &box, q->out[0], ct__at(q->in[0], bytes, at));
    return true;
}

/* Axis d of the result is axis permutation[d] of x. */
bool ct__meaning_transpose(const ct__eval *q)
{
    const ct_type *x = q->in_type[0], *y = q->out_type[0];
    int64_t x_stride[CT__MAX_RANK], y_stride[CT__MAX_RANK];
    ct__box box;

    ct__row_major(x->rank, x->dim, x_stride);
    ct__row_major(y->rank, y->dim, y_stride);
    ct__box_begin(&box, q->numerics->element_bytes(x->dtype));
    for (int d = 0; d < y->rank; d++)
        ct__box_axis(&box, y->dim[d], y_stride[d],
                     x_stride[q->attrs->transpose.permutation.item[d]]);
    ct__copy_box(q, &box, q->out[0], q->in[0]);
    return true;
}
