/* dot_general as a batch of products of matrices [m,k] and [k,n]. Matrices whose rows and columns
 * are not a stride apart are packed, and those of other types are converted to the type that is
 * summed in, one at a time. */
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

/* Whether these axes, in this order, are one of `step`. */
static bool is_one_axis(const ct_type *x, const int64_t *stride, const int64_t *axis, size_t count,
                        int64_t *step)
{
    ct__box box;

    ct__box_begin(&box, 1);
    for (size_t i = 0; i < count; i++)
        ct__box_axis(&box, x->dim[axis[i]], stride[axis[i]], stride[axis[i]]);
    *step = box.rank > 0 ? box.to[0] : 1;
    return box.rank <= 1;
}

/* How the matrix of one side is packed: rows are free and columns contracted on the left, the other
 * way round on the right. */
static void find_packing(const ct_type *x, ct__dot_side *side, const int64_t *stride,
                         const int64_t *axis, size_t n_free, bool is_left)
{
    const ct__ints contracted = side->contracting;
    int64_t to = side->free * side->contracted;

    if (!is_left)
        to = add_axes(&side->box, x, stride, contracted.item, contracted.count, to);
    to = add_axes(&side->box, x, stride, axis, n_free, to);
    if (is_left)
        add_axes(&side->box, x, stride, contracted.item, contracted.count, to);
}

/* Where the packed or converted matrix has its elements. */
static void find_packed_steps(ct__dot_side *side, bool is_left)
{
    side->free_step = is_left && side->contracted > 1 ? side->contracted : 1;
    side->contracted_step = !is_left && side->free > 1 ? side->free : 1;
}

static void begin_side(const ct__eval *q, ct__dot *dot, size_t operand)
{
    const ct_type *x = q->in_type[operand];
    ct__dot_side *side = &dot->side[operand];
    int64_t stride[CT__MAX_RANK], axis[CT__MAX_RANK];
    size_t n_free = free_axes(x, side, axis);

    if (q->in_stride && q->in_stride[operand])
        memcpy(stride, q->in_stride[operand], (size_t)x->rank * sizeof *stride);
    else
        ct__row_major(x->rank, x->dim, stride);
    side->free = product_of(x, (ct__ints){n_free, axis});
    side->contracted = product_of(x, side->contracting);
    side->converts = x->dtype != dot->summed;
    side->rank = (int)side->batching.count;
    for (int i = 0; i < side->rank; i++) {
        side->dim[i] = x->dim[side->batching.item[i]];
        side->stride[i] = stride[side->batching.item[i]];
    }
    ct__box_begin(&side->box, q->numerics->element_bytes(x->dtype));
    find_packing(x, side, stride, axis, n_free, operand == 0);
    bool in_place = dot->strided && !side->converts &&
                    is_one_axis(x, stride, axis, n_free, &side->free_step) &&
                    is_one_axis(x, stride, side->contracting.item, side->contracting.count,
                                &side->contracted_step);
    side->packs = !in_place && !ct__box_is_run(&side->box);
    if (!in_place)
        find_packed_steps(side, operand == 0);
}

/* The batch, of which axes that lie together on both sides are one; several matrices at a time
 * where they are read where they are. */
static void begin_batch(ct__dot *dot)
{
    ct__dot_side *left = &dot->side[0], *right = &dot->side[1];
    const int64_t m = left->free, n = right->free;
    ct__product *p = &dot->product;

    ct__box_begin(&dot->batch, 1);
    for (int i = 0; i < left->rank; i++)
        ct__box_axis(&dot->batch, left->dim[i], left->stride[i], right->stride[i]);
    *p = (ct__product){.batch = 1,
                       .m = (size_t)m,
                       .n = (size_t)n,
                       .k = (size_t)left->contracted,
                       .a = {0, left->free_step, left->contracted_step},
                       .b = {0, right->contracted_step, right->free_step},
                       .c = {m * n, n, 1}};
    bool moves = left->packs || left->converts || right->packs || right->converts || dot->rounds;
    if (!dot->strided || moves || dot->batch.rank == 0)
        return;
    const int last = --dot->batch.rank;
    p->batch = (size_t)dot->batch.dim[last];
    p->a.batch = dot->batch.to[last];
    p->b.batch = dot->batch.from[last];
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

static bool reserve_side(ct__dot_side *side, size_t summed_bytes, size_t *total)
{
    const size_t count = (size_t)(side->free * side->contracted);

    return (!side->packs || ct__reserve(count, side->box.bytes, total, &side->packed_at)) &&
           (!side->converts || ct__reserve(count, summed_bytes, total, &side->converted_at));
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
    const size_t bytes = q->numerics->element_bytes(dot->summed);
    size_t *total = &dot->scratch_bytes;
    dot->rounds = y->dtype != dot->summed;
    dot->strided = q->numerics->product && (dot->summed == CT_F32 || dot->summed == CT_F64);
    begin_side(q, dot, 0);
    begin_side(q, dot, 1);
    begin_batch(dot);
    const size_t room = dot->strided ? ct__multiply_room(&dot->product, bytes, q->threads) : 0;
    return reserve_side(&dot->side[0], bytes, total) && reserve_side(&dot->side[1], bytes, total) &&
           (!dot->rounds ||
            ct__reserve(dot->product.m * dot->product.n, bytes, total, &dot->sums_at)) &&
           ct__reserve(room, 1, total, &dot->room_at);
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

/* The matrices of one index of the batch, from `left` and `right` on. */
static void multiply(const ct__eval *q, const ct__dot *dot, int64_t left, int64_t right, void *y)
{
    const ct__product *p = &dot->product;
    const void *a = ready(q, dot, 0, ct__at(q->in[0], dot->side[0].box.bytes, left));
    const void *b = ready(q, dot, 1, ct__at(q->in[1], dot->side[1].box.bytes, right));
    void *sums = dot->rounds ? q->scratch + dot->sums_at : y;

    if (dot->strided)
        ct__multiply(q, dot->summed, p, sums, a, b, q->scratch + dot->room_at);
    else
        q->numerics->dot(dot->summed, p->m, p->n, p->k, sums, a, b);
    if (dot->rounds)
        q->numerics->convert(q->out_type[0]->dtype, dot->summed, p->m * p->n, y, sums);
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
    const size_t bytes = q->numerics->element_bytes(q->out_type[0]->dtype);
    int64_t index[CT__MAX_RANK] = {0}, at = 0;
    ct__dot dot;

    ct__dot_begin(q, &dot);
    if (dot.empty) { /* sums of nothing */
        ct__fill_zero(q->numerics, q->out_type[0], q->out[0]);
        return true;
    }
    do {
        int64_t left = 0, right = 0;
        for (int d = 0; d < dot.batch.rank; d++) {
            left += index[d] * dot.batch.to[d];
            right += index[d] * dot.batch.from[d];
        }
        multiply(q, &dot, left, right, ct__at(q->out[0], bytes, at));
        at += (int64_t)(dot.product.batch * dot.product.m * dot.product.n);
    } while (ct__next(dot.batch.rank, dot.batch.dim, index));
    return true;
}
