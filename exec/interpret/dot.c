/* dot_general as a batch of products of matrices [m,k] and [k,n]. Operands that do not lie like
 * that are packed, and converted to the type that is summed in, one matrix at a time. */
#include "exec/interpret/dot.h"

#include <string.h>

static int64_t product_of(const ct_type *x, ct__ints axes)
{
    int64_t product = 1;

    for (size_t i = 0; i < axes.count; i++)
        product *= x->dim[axes.item[i]];
    return product;
}

/* Adds the axes in this order to a box that packs them row-major: strides on the packed side are
 * found from the extents of what follows. */
static int64_t add_axes(ct__box *box, const ct_type *x, const int64_t *stride, const int64_t *axis,
                        size_t count, int64_t to)
{
    for (size_t i = 0; i < count; i++) {
        to /= x->dim[axis[i]];
        ct__box_axis(box, x->dim[axis[i]], to, stride[axis[i]]);
    }
    return to;
}

static size_t free_axes(const ct_type *x, const ct__dot_side *side, int64_t *axis)
{
    size_t count = 0;

    for (int d = 0; d < x->rank; d++)
        if (!ct__ints_contain(side->batching, d) && !ct__ints_contain(side->contracting, d))
            axis[count++] = d;
    return count;
}

/* The matrix of one side: rows are free and columns contracted on the left, the other way round on
 * the right. */
static void begin_side(const ct__eval *q, ct__dot_side *side, size_t operand, ct_dtype summed)
{
    const ct_type *x = q->in_type[operand];
    int64_t stride[CT__MAX_RANK], axis[CT__MAX_RANK];
    size_t n_free = free_axes(x, side, axis);

    ct__row_major(x->rank, x->dim, stride);
    side->free = product_of(x, (ct__ints){n_free, axis});
    side->contracted = product_of(x, side->contracting);
    side->converts = x->dtype != summed;
    side->rank = (int)side->batching.count;
    for (int i = 0; i < side->rank; i++) {
        side->dim[i] = x->dim[side->batching.item[i]];
        side->stride[i] = stride[side->batching.item[i]];
    }
    int64_t to = side->free * side->contracted;
    ct__box_begin(&side->box, q->numerics->element_bytes(x->dtype));
    if (operand == 1)
        to = add_axes(&side->box, x, stride, side->contracting.item, side->contracting.count, to);
    to = add_axes(&side->box, x, stride, axis, n_free, to);
    if (operand == 0)
        add_axes(&side->box, x, stride, side->contracting.item, side->contracting.count, to);
    side->packs = !ct__box_is_run(&side->box);
}

/* f16 and bf16 are summed in f32; whatever else in the result's type. */
ct_dtype ct__summed_in(ct_dtype dtype)
{
    return ct__is_narrow_float(dtype) ? CT_F32 : dtype;
}

/* Room for `count` elements behind *total. */
bool ct__reserve(size_t count, size_t element_bytes, size_t *total, size_t *at)
{
    size_t bytes;

    if (!ct__mul_size(count, element_bytes, &bytes) || !ct__round_up(bytes, &bytes) ||
        bytes > SIZE_MAX - *total)
        return false;
    *at = *total;
    *total += bytes;
    return true;
}

bool ct__dot_begin(const ct__eval *q, ct__dot *dot)
{
    const struct ct__attrs_dot_general *a = &q->attrs->dot_general;
    const ct_type *y = q->out_type[0];

    *dot = (ct__dot){.summed = ct__summed_in(y->dtype),
                     .empty = q->in_type[0]->size == 0 || q->in_type[1]->size == 0};
    dot->side[0].batching = a->lhs_batching_dimensions;
    dot->side[0].contracting = a->lhs_contracting_dimensions;
    dot->side[1].batching = a->rhs_batching_dimensions;
    dot->side[1].contracting = a->rhs_contracting_dimensions;
    if (dot->empty)
        return true;
    size_t summed_bytes = q->numerics->element_bytes(dot->summed), total = 0;
    dot->rounds = y->dtype != dot->summed;
    for (size_t i = 0; i < 2; i++) {
        ct__dot_side *side = &dot->side[i];
        begin_side(q, side, i, dot->summed);
        size_t count = (size_t)(side->free * side->contracted);
        if ((side->packs && !ct__reserve(count, side->box.bytes, &total, &side->packed_at)) ||
            (side->converts && !ct__reserve(count, summed_bytes, &total, &side->converted_at)))
            return false;
    }
    size_t m = (size_t)dot->side[0].free, n = (size_t)dot->side[1].free;
    if (dot->rounds && !ct__reserve(m * n, summed_bytes, &total, &dot->sums_at))
        return false;
    dot->scratch_bytes = total;
    return true;
}

/* The matrix at `from` as dot wants it. */
static const void *ready(const ct__eval *q, const ct__dot *dot, size_t operand, const void *from)
{
    const ct__dot_side *side = &dot->side[operand];

    if (side->packs) {
        void *packed = q->scratch + side->packed_at;
        ct__box_copy(&side->box, packed, from);
        from = packed;
    }
    if (!side->converts)
        return from;
    void *converted = q->scratch + side->converted_at;
    q->numerics->convert(dot->summed, q->in_type[operand]->dtype,
                         (size_t)(side->free * side->contracted), converted, from);
    return converted;
}

static const void *matrix_at(const ct__eval *q, const ct__dot *dot, size_t operand,
                             const int64_t *index)
{
    const ct__dot_side *side = &dot->side[operand];
    int64_t at = 0;

    for (int d = 0; d < side->rank; d++)
        at += index[d] * side->stride[d];
    return ct__at(q->in[operand], side->box.bytes, at);
}

static void multiply(const ct__eval *q, const ct__dot *dot, const int64_t *index, void *y)
{
    size_t m = (size_t)dot->side[0].free, n = (size_t)dot->side[1].free;
    void *sums = dot->rounds ? q->scratch + dot->sums_at : y;

    q->numerics->dot(dot->summed, m, n, (size_t)dot->side[0].contracted, sums,
                     ready(q, dot, 0, matrix_at(q, dot, 0, index)),
                     ready(q, dot, 1, matrix_at(q, dot, 1, index)));
    if (dot->rounds)
        q->numerics->convert(q->out_type[0]->dtype, dot->summed, m * n, y, sums);
}

bool ct__dot_scratch(const ct__eval *q, size_t *bytes)
{
    ct__dot dot;

    if (!ct__dot_begin(q, &dot))
        return false;
    *bytes = dot.scratch_bytes;
    return true;
}

bool ct__meaning_dot_general(const ct__eval *q)
{
    const ct_type *y = q->out_type[0];
    int64_t index[CT__MAX_RANK] = {0}, at = 0, zero = 0;
    ct__dot dot;

    ct__dot_begin(q, &dot);
    if (dot.empty) { /* sums of nothing */
        unsigned char element[64];
        q->numerics->convert(y->dtype, CT_I64, 1, element, &zero);
        ct__fill_elements(q->numerics->element_bytes(y->dtype), (size_t)y->size, q->out[0],
                          element);
        return true;
    }
    do {
        multiply(q, &dot, index, ct__at(q->out[0], q->numerics->element_bytes(y->dtype), at));
        at += dot.side[0].free * dot.side[1].free;
    } while (ct__next(dot.side[0].rank, dot.side[0].dim, index));
    return true;
}
