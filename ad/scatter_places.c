#include "ad/scatter.h"

static ct_dims shape_of_updates(const ct__site *s)
{
    return (ct_dims){(size_t)s->update->rank, s->update->dim};
}

bool ct__site_is_small(const ct__site *s)
{
    return ct__is_small_part(s->operand, s->update) && s->update->size <= INT32_MAX;
}

bool ct__site_is_distinct(const ct__site *s)
{
    int64_t window = 1;
    for (size_t i = 0; i < s->attrs->update_window_dims.count; i++)
        window *= s->update->dim[s->attrs->update_window_dims.item[i]];
    return s->attrs->unique_indices || s->update->size <= window;
}

static ct_scatter_dims dims_of(const ct__site *s)
{
    const struct ct__attrs_scatter *a = s->attrs;
    return (ct_scatter_dims){
        .update_window_dims = ct__dims(a->update_window_dims),
        .inserted_window_dims = ct__dims(a->inserted_window_dims),
        .input_batching_dims = ct__dims(a->input_batching_dims),
        .scatter_indices_batching_dims = ct__dims(a->scatter_indices_batching_dims),
        .scatter_dims_to_operand_dims = ct__dims(a->scatter_dims_to_operand_dims),
        .index_vector_dim = a->index_vector_dim,
        .indices_are_sorted = a->indices_are_sorted,
        .unique_indices = a->unique_indices,
        .strict = a->strict,
    };
}

ct_tensor *ct__site_add(const ct__site *s, ct_tensor *y, ct_tensor *update)
{
    ct_scatter_dims dims = dims_of(s);
    return ct_op_scatter_add_at(s->at, y, s->indices, update, &dims);
}

ct_tensor *ct__site_write(const ct__site *s, ct_tensor *y, ct_tensor *update)
{
    ct_scatter_dims dims = dims_of(s);
    return ct_op_scatter_at(s->at, y, s->indices, update, NULL, &dims);
}

/* ---- The axes of the updates: those of the index vectors and those in the windows. */

static size_t vector_axes(const ct__site *s, int64_t *axis)
{
    return ct__other_axes((size_t)s->update->rank, ct__dims(s->attrs->update_window_dims), axis);
}

/* For every axis of the operand the axis of the updates along which it is run through, from 0 for
 * batching axes and from an index vector's component for others; -1: along none. */
static void find_axes(const ct__site *s, int64_t *along)
{
    const struct ct__attrs_scatter *a = s->attrs;
    int64_t vector[CT__MAX_RANK];
    vector_axes(s, vector);
    for (int64_t d = 0, k = 0; d < s->operand->rank; d++) {
        along[d] = -1;
        if (!ct__ints_contain(a->inserted_window_dims, d) &&
            !ct__ints_contain(a->input_batching_dims, d))
            along[d] = a->update_window_dims.item[k++];
    }
    for (size_t i = 0; i < a->input_batching_dims.count; i++) {
        int64_t axis = a->scatter_indices_batching_dims.item[i];
        along[a->input_batching_dims.item[i]] = vector[axis - (axis > a->index_vector_dim)];
    }
}

/* Extents of a window along the operand's axes. */
static void find_window(const ct__site *s, int64_t *window)
{
    int64_t along[CT__MAX_RANK];
    find_axes(s, along);
    for (int64_t d = 0; d < s->operand->rank; d++) {
        int64_t extent = s->operand->dim[d];
        if (ct__ints_contain(s->attrs->input_batching_dims, d))
            window[d] = extent < 1 ? extent : 1;
        else
            window[d] = along[d] < 0 ? 1 : s->update->dim[along[d]];
    }
}

/* Whether a window is one element along every axis that is indexed: it is inside or skipped. */
static bool is_all_or_nothing(const ct__site *s, const int64_t *window)
{
    const ct__ints map = s->attrs->scatter_dims_to_operand_dims;
    for (size_t k = 0; k < map.count; k++)
        if (window[map.item[k]] != 1)
            return false;
    return s->operand->size > 0;
}

/* ---- Starts. */

/* In `dtype`, but at least -before[k] and at most after[k]. The bounds are those of the operand's
 * axes; a bound that the dtype of the indices cannot hold binds nothing. */
static ct_tensor *bounded_starts(const ct__site *s, const int64_t *before, const int64_t *after,
                                 ct_dtype dtype)
{
    const struct ct__attrs_scatter *a = s->attrs;
    size_t n = a->scatter_dims_to_operand_dims.count;
    int64_t first[CT__MAX_RANK], last[CT__MAX_RANK];
    for (size_t k = 0; k < n; k++) {
        int64_t d = a->scatter_dims_to_operand_dims.item[k];
        first[k] = -before[d];
        last[k] = after[d];
    }
    ct_tensor *lo = ct__per_component(s->at, s->indices, a->index_vector_dim, n, first);
    ct_tensor *hi = ct__per_component(s->at, s->indices, a->index_vector_dim, n, last);
    return ct__converted(s->at, ct_op_clamp_at(s->at, lo, s->indices, hi), dtype);
}

/* Of something that index vectors have one of each, one for every element of the updates. */
static ct_tensor *per_element(const ct__site *s, ct_tensor *x)
{
    int64_t axis[CT__MAX_RANK];
    size_t rank = vector_axes(s, axis);
    return ct_op_broadcast_in_dim_at(s->at, x, shape_of_updates(s), (ct_dims){rank, axis});
}

/* Component k of the vectors. */
static ct_tensor *component(const ct__site *s, ct_tensor *starts, int64_t k)
{
    int64_t low[CT__MAX_RANK] = {0}, high[CT__MAX_RANK], stride[CT__MAX_RANK], rest[CT__MAX_RANK];
    int64_t vector = s->attrs->index_vector_dim;
    size_t rank = ct_rank(starts), count = 0;
    if (ct_is_poison(starts) || (size_t)vector == rank)
        return starts;
    for (size_t d = 0; d < rank; d++) {
        high[d] = ct_dim(starts, (int64_t)d);
        stride[d] = 1;
        if ((int64_t)d != vector)
            rest[count++] = high[d];
    }
    low[vector] = k;
    high[vector] = k + 1;
    starts = ct_op_slice_at(s->at, starts, (ct_dims){rank, low}, (ct_dims){rank, high},
                            (ct_dims){rank, stride});
    return ct__reshaped(s->at, starts, (ct_dims){count, rest});
}

/* ---- Places. */

typedef struct places {
    ct_dtype dtype;
    ct_tensor *place, *inside; /* as far as the axes have been gone through */
} places;

/* place += stride coordinate */
static void advance(const ct__site *s, places *p, ct_tensor *coordinate, int64_t stride)
{
    ct_tensor *by = ct_op_multiply_at(s->at, coordinate,
                                      ct__like(s->at, coordinate, (double)stride));
    p->place = ct_op_add_at(s->at, p->place, by);
}

/* inside and 0 <= coordinate < extent */
static void narrow(const ct__site *s, places *p, ct_tensor *coordinate, int64_t extent)
{
    ct_tensor *zero = ct_zeros_at(s->at, s->ctx, p->dtype, CT_SHAPE());
    ct_tensor *last = ct__like(s->at, zero, (double)(extent - 1));
    ct_tensor *nearest = ct_op_clamp_at(s->at, zero, coordinate, last);
    p->inside = ct_op_and_at(
        s->at, p->inside, ct_op_compare_at(s->at, nearest, coordinate, CT_EQ, CT_COMPARE_DEFAULT));
}

static void add_axes(const ct__site *s, places *p, ct_tensor *starts)
{
    const ct__ints map = s->attrs->scatter_dims_to_operand_dims;
    int64_t along[CT__MAX_RANK], stride[CT__MAX_RANK], component_of[CT__MAX_RANK];
    ct__row_major(s->operand->rank, s->operand->dim, stride);
    find_axes(s, along);
    for (int64_t d = 0; d < s->operand->rank; d++)
        component_of[d] = -1;
    for (size_t k = 0; k < map.count; k++)
        component_of[map.item[k]] = (int64_t)k;
    for (int64_t d = 0; d < s->operand->rank; d++) {
        ct_tensor *coordinate = NULL, *run = NULL;
        if (along[d] >= 0)
            run = coordinate = ct_op_iota_at(s->at, s->ctx, p->dtype, shape_of_updates(s),
                                             along[d]);
        if (component_of[d] >= 0) {
            coordinate = per_element(s, component(s, starts, component_of[d]));
            if (run)
                coordinate = ct_op_add_at(s->at, coordinate, run);
            narrow(s, p, coordinate, s->operand->dim[d]);
        }
        if (coordinate)
            advance(s, p, coordinate, stride[d]);
    }
}

ct_tensor *ct__site_places(const ct__site *s)
{
    int64_t window[CT__MAX_RANK];
    /* a coordinate outside may lie as far behind the operand as its extent */
    places p = {.dtype = s->operand->size <= INT32_MAX / 2 ? CT_I32 : CT_I64};
    find_window(s, window);
    p.place = ct_zeros_at(s->at, s->ctx, p.dtype, shape_of_updates(s));
    p.inside = ct_ones_at(s->at, s->ctx, CT_BOOL, shape_of_updates(s));
    add_axes(s, &p, bounded_starts(s, window, s->operand->dim, p.dtype));
    return ct_op_select_at(s->at, p.inside, p.place, ct__like(s->at, p.place, -1));
}

/* ---- Reading. */

/* Windows of x at starts that are in range, or clamped. */
static ct_tensor *gather(const ct__site *s, const int64_t *window, ct_tensor *x, ct_tensor *starts)
{
    const struct ct__attrs_scatter *a = s->attrs;
    const ct_gather_dims dims = {
        .offset_dims = ct__dims(a->update_window_dims),
        .collapsed_slice_dims = ct__dims(a->inserted_window_dims),
        .operand_batching_dims = ct__dims(a->input_batching_dims),
        .start_indices_batching_dims = ct__dims(a->scatter_indices_batching_dims),
        .start_index_map = ct__dims(a->scatter_dims_to_operand_dims),
        .index_vector_dim = a->index_vector_dim,
        .slice_sizes = {(size_t)s->operand->rank, window},
        .strict = a->strict,
    };
    return ct_op_gather_at(s->at, x, starts, &dims);
}

/* bool, in the updates' shape: the window of one element along the indexed axes is not skipped. */
static ct_tensor *inside(const ct__site *s)
{
    const struct ct__attrs_scatter *a = s->attrs;
    int64_t last[CT__MAX_RANK];
    size_t n = a->scatter_dims_to_operand_dims.count;
    for (size_t k = 0; k < n; k++)
        last[k] = s->operand->dim[a->scatter_dims_to_operand_dims.item[k]] - 1;
    ct_tensor *zero = ct_zeros_at(s->at, s->ctx, ct_dtype_of(s->indices), CT_SHAPE());
    ct_tensor *bound = ct__per_component(s->at, s->indices, a->index_vector_dim, n, last);
    ct_tensor *is_in = ct_op_compare_at(s->at, ct_op_clamp_at(s->at, zero, s->indices, bound),
                                        s->indices, CT_EQ, CT_COMPARE_DEFAULT);
    if ((size_t)a->index_vector_dim < ct_rank(s->indices))
        is_in = ct_op_reduce_min_at(s->at, is_in, CT_DIMS(a->index_vector_dim));
    return per_element(s, is_in);
}

/* A scatter does not move a window inside, a gather does. Where windows are wider than one element
 * along an axis that is indexed, the operand gets a frame of zeros, as wide as the window, on every
 * such axis: each window, wherever it starts, is then inside or can be moved to lie wholly in the
 * frame, where it reads zeros as it did outside. Takes time for each element of the operand. */
static ct_tensor *read_framed(const ct__site *s, const int64_t *window, ct_tensor *y)
{
    const ct__ints map = s->attrs->scatter_dims_to_operand_dims;
    static const int64_t none[CT__MAX_RANK];
    int64_t low[CT__MAX_RANK] = {0}, high[CT__MAX_RANK] = {0}, shift[CT__MAX_RANK];
    size_t rank = (size_t)s->operand->rank;
    for (size_t d = 0; d < rank; d++)
        high[d] = s->operand->dim[d] < window[d] ? window[d] : 0;
    for (size_t k = 0; k < map.count; k++) {
        int64_t d = map.item[k];
        shift[k] = low[d] = ct_dtype_is_signed(ct_dtype_of(s->indices)) ? window[d] : 0;
        high[d] = window[d];
    }
    ct_tensor *zero = ct_zeros_at(s->at, s->ctx, ct_dtype_of(y), CT_SHAPE());
    ct_tensor *framed = ct_op_pad_at(s->at, y, zero, (ct_dims){rank, low}, (ct_dims){rank, high},
                                     (ct_dims){rank, none});
    ct_tensor *starts = bounded_starts(s, low, s->operand->dim, CT_I64);
    ct_tensor *by = ct__per_component(s->at, starts, s->attrs->index_vector_dim, map.count, shift);
    return gather(s, window, framed, ct_op_add_at(s->at, starts, by));
}

/* Element by element. */
static ct_tensor *read_places(const ct__site *s, ct_tensor *y)
{
    ct_tensor *place = ct__site_places(s), *read = ct__elements_at(s->at, y, place);
    ct_tensor *found = ct_op_compare_at(s->at, place, ct__like(s->at, place, 0), CT_GE,
                                        CT_COMPARE_DEFAULT);
    return ct_op_select_at(s->at, found, read, ct__like(s->at, read, 0));
}

ct_tensor *ct__site_read(const ct__site *s, ct_tensor *y)
{
    int64_t window[CT__MAX_RANK];
    find_window(s, window);
    if (s->attrs->strict) /* a place outside is an error */
        return gather(s, window, y, s->indices);
    if (is_all_or_nothing(s, window)) {
        ct_tensor *read = gather(s, window, y, s->indices);
        return ct_op_select_at(s->at, inside(s), read, ct__like(s->at, read, 0));
    }
    return ct__site_is_small(s) ? read_places(s, y) : read_framed(s, window, y);
}

/* ---- What comes to one place. */

/* Elements of the updates, ordered by place and of one place the last first: their numbers from
 * behind, and whether each is the first of its place here. */
typedef struct order {
    ct_place at;
    int64_t count;
    ct_tensor *number, *is_first;
} order;

static order order_of(ct_place at, ct_tensor *place)
{
    order o = {.at = at, .count = ct_size(place)};
    ct_tensor *flat = ct__reshaped(at, place, CT_DIMS(o.count)), *sorted;
    ct_op_top_k_at(at, ct_op_reverse_at(at, flat, CT_DIMS(0)), o.count, &sorted, &o.number);
    ct_tensor *none = ct__like(
        at, ct_zeros_at(at, ct_context_of(flat), ct_dtype_of(flat), CT_SHAPE()), -2);
    ct_tensor *before = ct_op_pad_at(at, sorted, none, CT_DIMS(1), CT_DIMS(-1), CT_DIMS(0));
    o.is_first = ct_op_compare_at(at, sorted, before, CT_NE, CT_COMPARE_DEFAULT);
    return o;
}

/* x, whose elements are in this order, in the elements' own order and in a shape. */
static ct_tensor *unordered(const order *o, ct_tensor *x, ct_dims shape)
{
    const ct_scatter_dims dims = {.inserted_window_dims = CT_DIMS(0),
                                  .scatter_dims_to_operand_dims = CT_DIMS(0),
                                  .index_vector_dim = 1,
                                  .unique_indices = true};
    ct_tensor *y = ct_op_scatter_at(o->at, ct__like(o->at, x, 0), o->number, x, NULL, &dims);
    return ct__reshaped(o->at, ct_op_reverse_at(o->at, y, CT_DIMS(0)), shape);
}

static ct_tensor *last_by_order(const ct__site *s)
{
    const order o = order_of(s->at, ct__site_places(s));
    return unordered(&o, o.is_first, shape_of_updates(s));
}

/* Windows that are inside or skipped lie on one another or apart: of each the corner tells. */
static ct_tensor *last_by_corner(const ct__site *s)
{
    struct ct__attrs_scatter a = *s->attrs;
    ct_type corner = *s->update;
    int64_t axis[CT__MAX_RANK], dim[CT__MAX_RANK], inserted[CT__MAX_RANK];
    corner.rank = (int)vector_axes(s, axis);
    corner.size = 1;
    corner.dim = dim;
    for (int i = 0; i < corner.rank; i++)
        corner.size *= dim[i] = s->update->dim[axis[i]];
    a.inserted_window_dims = (ct__ints){
        ct__other_axes((size_t)s->operand->rank, ct__dims(a.input_batching_dims), inserted),
        inserted};
    a.update_window_dims.count = 0;
    const ct__site corners = {s->ctx, s->at, &a, s->indices, s->operand, &corner};
    return per_element(s, last_by_order(&corners));
}

/* Numbers are written, and which of them are there is read. Takes time for each element of the
 * operand. */
static ct_tensor *last_by_writing(const ct__site *s)
{
    ct_dtype dtype = s->update->size <= INT32_MAX ? CT_I32 : CT_I64;
    ct_tensor *numbers = ct_op_iota_at(s->at, s->ctx, dtype, CT_SHAPE(s->update->size), 0);
    numbers = ct_op_reshape_at(s->at, numbers, shape_of_updates(s));
    ct_type type = *s->operand;
    type.dtype = dtype;
    ct_tensor *written = ct__site_write(s, ct__zeros(s->ctx, s->at, &type), numbers);
    return ct_op_compare_at(s->at, ct__site_read(s, written), numbers, CT_EQ, CT_COMPARE_DEFAULT);
}

ct_tensor *ct__site_last(const ct__site *s)
{
    int64_t window[CT__MAX_RANK];
    find_window(s, window);
    if (!ct__site_is_small(s))
        return last_by_writing(s);
    return is_all_or_nothing(s, window) ? last_by_corner(s) : last_by_order(s);
}

/* Each place has a number below that of elements: where in the order it is first. */
ct_tensor *ct__site_sum(const ct__site *s, ct_tensor *x)
{
    if (ct__site_is_distinct(s))
        return x;
    ct_place at = s->at;
    const order o = order_of(at, ct__site_places(s));
    const ct_window_dims running = {.window_dimensions = CT_DIMS(o.count),
                                    .padding_low = CT_DIMS(o.count - 1)};
    const ct_scatter_dims dims = {.inserted_window_dims = CT_DIMS(0),
                                  .scatter_dims_to_operand_dims = CT_DIMS(0),
                                  .index_vector_dim = 1};
    ct_tensor *position = ct_op_iota_at(at, s->ctx, CT_I32, CT_SHAPE(o.count), 0);
    position = ct_op_select_at(at, o.is_first, position, ct__like(at, position, 0));
    position = ct_op_reduce_window_max_at(at, position, &running);
    ct_tensor *slot = unordered(&o, position, CT_DIMS(o.count));
    ct_tensor *flat = ct__reshaped(at, x, CT_DIMS(o.count));
    ct_tensor *sum = ct_op_scatter_add_at(at, ct__like(at, flat, 0), slot, flat, &dims);
    return ct__reshaped(at, ct__elements_at(at, sum, slot), shape_of_updates(s));
}
