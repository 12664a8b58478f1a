/* Identities of moving data: what is moved twice is moved once, and what stays is not moved. */
#include "trace/rewrite/rewrite.h"

#include <string.h>

/* ---- Helpers. */

static int64_t *new_ints(ct__pass *p, size_t count)
{
    return CT__NEW_ARRAY(p->arena, int64_t, count);
}

/* x in the result's shape: itself where the types are equal. */
static ct__outcome become_reshaped(ct__site *s, ct__id x)
{
    const ct__attrs attrs = {.reshape = {.shape = {(size_t)s->type[0]->rank, s->type[0]->dim}}};
    ct__attrs *copy;
    if (ct__type_equal(ct__type_of(s->p, x), s->type[0]))
        return ct__become_value(s, x);
    copy = ct__arena_copy(s->p->arena, &attrs, sizeof attrs);
    return copy ? ct__become(s, CT__OP_reshape, copy, 1, &x) : CT__NO_ROOM;
}

/* The scalar that every element of x is a copy of: through broadcast_in_dim. */
static bool is_repeated(const ct__pass *p, ct__id x, ct__id *scalar)
{
    const ct__node *spread = ct__made_by(p, x, CT__OP_broadcast_in_dim);
    if (!spread || ct__type_of(p, spread->operand[0])->rank != 0)
        return false;
    *scalar = spread->operand[0];
    return true;
}

/* Moved copies of one scalar are as many copies as there are in the result. */
static ct__outcome spread_again(ct__site *s)
{
    ct__id scalar;
    if (!is_repeated(s->p, s->node.operand[0], &scalar))
        return CT__STAYS;
    ct__attrs *attrs = CT__NEW(s->p->arena, ct__attrs);
    if (!attrs)
        return CT__NO_ROOM;
    attrs->broadcast_in_dim.shape = (ct__ints){(size_t)s->type[0]->rank, s->type[0]->dim};
    return ct__become(s, CT__OP_broadcast_in_dim, attrs, 1, &scalar);
}

/* The same operation with other attributes, on the inner one's operand. */
static ct__outcome join(ct__site *s, const ct__node *inner, const ct__attrs *attrs)
{
    return attrs ? ct__become(s, s->node.op, attrs, 1, inner->operand) : CT__NO_ROOM;
}

static const ct__node *inner_of(const ct__site *s)
{
    return ct__made_by(s->p, s->node.operand[0], s->node.op);
}

/* ---- transpose, reshape, reverse. */

static bool is_identity(ct__ints permutation)
{
    bool identity = true;
    for (size_t d = 0; d < permutation.count; d++)
        identity = identity && permutation.item[d] == (int64_t)d;
    return identity;
}

/* y[i] = x[…], axis d of y is axis p[d] of the inner result, which is axis q[p[d]] of x. */
static ct__outcome transpose(ct__site *s)
{
    ct__ints outer = s->node.attrs->transpose.permutation;
    const ct__node *inner = inner_of(s);
    if (is_identity(outer))
        return ct__become_value(s, s->node.operand[0]);
    if (!inner)
        return spread_again(s);
    int64_t *item = new_ints(s->p, outer.count);
    ct__attrs *attrs = CT__NEW(s->p->arena, ct__attrs);
    for (size_t d = 0; item && d < outer.count; d++)
        item[d] = inner->attrs->transpose.permutation.item[outer.item[d]];
    if (!item || !attrs)
        return CT__NO_ROOM;
    attrs->transpose.permutation = (ct__ints){outer.count, item};
    return join(s, inner, attrs);
}

static ct__outcome reshape(ct__site *s)
{
    const ct__node *inner = inner_of(s);
    if (ct__type_equal(ct__type_of(s->p, s->node.operand[0]), s->type[0]))
        return ct__become_value(s, s->node.operand[0]);
    return inner ? become_reshaped(s, inner->operand[0]) : spread_again(s);
}

/* Axes of extent 0 or 1 look the same from both ends. Reversed twice, an axis is as it was. */
static ct__outcome reverse(ct__site *s)
{
    const ct_type *type = s->type[0];
    const ct__node *inner = inner_of(s);
    ct__ints own = s->node.attrs->reverse.dimensions;
    int64_t *item = new_ints(s->p, (size_t)type->rank);
    ct__attrs *attrs = CT__NEW(s->p->arena, ct__attrs);
    size_t count = 0;
    if (!item || !attrs)
        return CT__NO_ROOM;
    for (int64_t d = 0; d < type->rank; d++) {
        bool turned = ct__ints_contain(own, d);
        if (inner)
            turned = turned != ct__ints_contain(inner->attrs->reverse.dimensions, d);
        if (turned && type->dim[d] > 1)
            item[count++] = d;
    }
    if (count == 0)
        return ct__become_value(s, inner ? inner->operand[0] : s->node.operand[0]);
    attrs->reverse.dimensions = (ct__ints){count, item};
    if (inner)
        return join(s, inner, attrs);
    return count < own.count ? ct__become(s, CT__OP_reverse, attrs, 1, s->node.operand)
                             : spread_again(s);
}

/* ---- broadcast_in_dim. */

/* Axis d of x is axis outer[inner[d]] of the result. */
static ct__outcome join_spreads(ct__site *s, const ct__node *inner)
{
    ct__ints first = inner->attrs->broadcast_in_dim.broadcast_dimensions;
    int64_t *item = new_ints(s->p, first.count);
    ct__attrs *attrs = CT__NEW(s->p->arena, ct__attrs);
    if (!item || !attrs)
        return CT__NO_ROOM;
    for (size_t d = 0; d < first.count; d++)
        item[d] = s->node.attrs->broadcast_in_dim.broadcast_dimensions.item[first.item[d]];
    attrs->broadcast_in_dim.shape = s->node.attrs->broadcast_in_dim.shape;
    attrs->broadcast_in_dim.broadcast_dimensions = (ct__ints){first.count, item};
    return join(s, inner, attrs);
}

/* A reshape that only puts in axes of extent 1: axis d of x is axis at[d] of y. */
static bool only_adds_axes(const ct_type *x, const ct_type *y, int64_t *at)
{
    int d = 0;
    for (int k = 0; k < y->rank; k++) {
        if (d < x->rank && x->dim[d] == y->dim[k])
            at[d++] = k;
        else if (y->dim[k] != 1)
            return false;
    }
    return d == x->rank;
}

static ct__outcome join_added_axes(ct__site *s, const ct__node *inner)
{
    const ct_type *x = ct__type_of(s->p, inner->operand[0]);
    int64_t *item = new_ints(s->p, (size_t)x->rank);
    ct__attrs *attrs = CT__NEW(s->p->arena, ct__attrs);
    if (!item || !attrs)
        return CT__NO_ROOM;
    if (!only_adds_axes(x, ct__type_of(s->p, s->node.operand[0]), item))
        return CT__STAYS;
    for (int d = 0; d < x->rank; d++)
        item[d] = s->node.attrs->broadcast_in_dim.broadcast_dimensions.item[item[d]];
    attrs->broadcast_in_dim.shape = s->node.attrs->broadcast_in_dim.shape;
    attrs->broadcast_in_dim.broadcast_dimensions = (ct__ints){(size_t)x->rank, item};
    return ct__become(s, CT__OP_broadcast_in_dim, attrs, 1, inner->operand);
}

static ct__outcome broadcast(ct__site *s)
{
    ct__id x = s->node.operand[0];
    const ct__node *inner = inner_of(s), *reshaped = ct__made_by(s->p, x, CT__OP_reshape);
    if (ct__type_equal(ct__type_of(s->p, x), s->type[0]) &&
        is_identity(s->node.attrs->broadcast_in_dim.broadcast_dimensions))
        return ct__become_value(s, x);
    if (inner)
        return join_spreads(s, inner);
    return reshaped ? join_added_axes(s, reshaped) : CT__STAYS;
}

/* ---- slice. */

/* Element i of the result is element a + i·b of the inner result: c + (a + i·b)·d of x. */
static ct__outcome join_slices(ct__site *s, const ct__node *inner)
{
    const struct ct__attrs_slice *o = &s->node.attrs->slice, *in = &inner->attrs->slice;
    size_t rank = o->start_indices.count;
    int64_t *start = new_ints(s->p, rank), *limit = new_ints(s->p, rank);
    int64_t *step = new_ints(s->p, rank);
    ct__attrs *attrs = CT__NEW(s->p->arena, ct__attrs);
    if (!start || !limit || !step || !attrs)
        return CT__NO_ROOM;
    for (size_t d = 0; d < rank; d++) {
        int64_t extent = s->type[0]->dim[d], by = in->strides.item[d], reach;
        /* the places lie within x, so their sums fit; the step of less than two elements is not
         * needed, and could be too large */
        start[d] = extent > 0 ? in->start_indices.item[d] + o->start_indices.item[d] * by : 0;
        step[d] = 1;
        if (extent > 1 && !ct__mul_i64(o->strides.item[d], by, &step[d]))
            return CT__STAYS;
        reach = extent > 0 ? (extent - 1) * step[d] + 1 : 0;
        limit[d] = start[d] + reach;
    }
    attrs->slice.start_indices = (ct__ints){rank, start};
    attrs->slice.limit_indices = (ct__ints){rank, limit};
    attrs->slice.strides = (ct__ints){rank, step};
    return join(s, inner, attrs);
}

/* A window that lies in one of the joined pieces is a window of that piece. */
static ct__outcome slice_piece(ct__site *s, const ct__node *joined)
{
    const struct ct__attrs_slice *a = &s->node.attrs->slice;
    int64_t axis = joined->attrs->concatenate.dimension, before = 0;
    int64_t extent = s->type[0]->dim[axis], first = a->start_indices.item[axis];
    if (extent == 0)
        return CT__STAYS;
    int64_t last = first + (extent - 1) * (extent > 1 ? a->strides.item[axis] : 0);
    for (size_t i = 0; i < joined->n_operands; i++) {
        int64_t length = ct__type_of(s->p, joined->operand[i])->dim[axis];
        if (first < before || last >= before + length) {
            before += length;
            continue;
        }
        size_t rank = a->start_indices.count;
        int64_t *start = ct__arena_copy(s->p->arena, a->start_indices.item, rank * sizeof *start);
        int64_t *limit = ct__arena_copy(s->p->arena, a->limit_indices.item, rank * sizeof *limit);
        ct__attrs *attrs = ct__arena_copy(s->p->arena, s->node.attrs, sizeof *attrs);
        if (!start || !limit || !attrs)
            return CT__NO_ROOM;
        start[axis] = first - before;
        limit[axis] = last - before + 1;
        attrs->slice.start_indices.item = start;
        attrs->slice.limit_indices.item = limit;
        return ct__become(s, CT__OP_slice, attrs, 1, &joined->operand[i]);
    }
    return CT__STAYS;
}

/* Everything, in steps of 1: of an axis with one element any step takes all. */
static ct__outcome slice(ct__site *s)
{
    ct__id x = s->node.operand[0];
    const ct__node *inner = inner_of(s), *joined = ct__made_by(s->p, x, CT__OP_concatenate);
    if (ct__type_equal(ct__type_of(s->p, x), s->type[0]))
        return ct__become_value(s, x);
    if (inner)
        return join_slices(s, inner);
    return joined ? slice_piece(s, joined) : spread_again(s);
}

/* ---- concatenate, pad. */

/* Without the pieces that have no elements. */
static ct__outcome concatenate(ct__site *s)
{
    const ct__node *node = &s->node;
    int64_t axis = node->attrs->concatenate.dimension;
    ct__id *piece = ct__arena_array(s->p->arena, node->n_operands, sizeof *piece);
    size_t count = 0;
    if (!piece)
        return CT__NO_ROOM;
    for (size_t i = 0; i < node->n_operands; i++)
        if (ct__type_of(s->p, node->operand[i])->dim[axis] > 0)
            piece[count++] = node->operand[i];
    if (node->n_operands == 1 || count == 1)
        return ct__become_value(s, count == 1 ? piece[0] : node->operand[0]);
    return count > 0 && count < node->n_operands
               ? ct__become(s, CT__OP_concatenate, node->attrs, count, piece)
               : CT__STAYS;
}

static bool all_zero(ct__ints list)
{
    bool zero = true;
    for (size_t i = 0; i < list.count; i++)
        zero = zero && list.item[i] == 0;
    return zero;
}

/* By nothing; elements between those of an axis with at most one do not exist. */
static ct__outcome pad(ct__site *s)
{
    const struct ct__attrs_pad *a = &s->node.attrs->pad;
    bool nothing = all_zero(a->edge_padding_low) && all_zero(a->edge_padding_high) &&
                   ct__type_equal(ct__type_of(s->p, s->node.operand[0]), s->type[0]);
    return nothing ? ct__become_value(s, s->node.operand[0]) : CT__STAYS;
}

/* ---- Indices that are constants. Those out of range stay: an audit would report them. */

/* The index as a number in [0, last]; false for others and for what is no constant. */
static bool known_index(const ct__pass *p, ct__id id, int64_t last, int64_t *index)
{
    const void *element = ct__splat_of(p, id);
    ct_dtype dtype = ct__type_of(p, id)->dtype;
    if (!element || !ct__index_in_range(dtype, element, last))
        return false;
    *index = ct__clamp_index(dtype, element, last);
    return true;
}

static ct__outcome dynamic_slice(ct__site *s)
{
    const ct_type *x = ct__type_of(s->p, s->node.operand[0]);
    size_t rank = (size_t)x->rank;
    int64_t *start = new_ints(s->p, rank), *limit = new_ints(s->p, rank);
    int64_t *step = new_ints(s->p, rank);
    ct__attrs *attrs = CT__NEW(s->p->arena, ct__attrs);
    if (!start || !limit || !step || !attrs)
        return CT__NO_ROOM;
    for (size_t d = 0; d < rank; d++) {
        int64_t size = s->type[0]->dim[d];
        if (!known_index(s->p, s->node.operand[1 + d], x->dim[d] - size, &start[d]))
            return CT__STAYS;
        limit[d] = start[d] + size;
        step[d] = 1;
    }
    attrs->slice.start_indices = (ct__ints){rank, start};
    attrs->slice.limit_indices = (ct__ints){rank, limit};
    attrs->slice.strides = (ct__ints){rank, step};
    return ct__become(s, CT__OP_slice, attrs, 1, s->node.operand);
}

/* An update of everything. */
static ct__outcome dynamic_update_slice(ct__site *s)
{
    ct__id update = s->node.operand[1];
    int64_t index;
    if (!ct__type_equal(ct__type_of(s->p, update), s->type[0]))
        return CT__STAYS;
    for (size_t i = 2; i < s->node.n_operands; i++)
        if (!known_index(s->p, s->node.operand[i], 0, &index))
            return CT__STAYS;
    return ct__become_value(s, update);
}

/* ---- The table. */

ct__outcome ct__simplify_movement(ct__site *s)
{
    switch (s->node.op) {
    case CT__OP_broadcast_in_dim: return broadcast(s);
    case CT__OP_concatenate: return concatenate(s);
    case CT__OP_dynamic_slice: return dynamic_slice(s);
    case CT__OP_dynamic_update_slice: return dynamic_update_slice(s);
    case CT__OP_pad: return pad(s);
    case CT__OP_reshape: return reshape(s);
    case CT__OP_reverse: return reverse(s);
    case CT__OP_slice: return slice(s);
    case CT__OP_transpose: return transpose(s);
    default: return CT__STAYS;
    }
}
