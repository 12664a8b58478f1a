/* The largest and smallest of windows: the tangent is that of the element that was taken, the first
 * one of those that tie. */
#include "ad/windows.h"

#include "trace/compose.h"

#include <math.h>

/* Positions are counted through all elements of x; `none` is where init is. An init that says
 * nothing stands behind all elements, another one in front of them. Nothing here has a tangent. */
typedef struct search {
    ct_context *ctx;
    ct_place at;
    int kind; /* CT__OP_maximum or CT__OP_minimum */
    const ct__attrs *attrs;
    ct_tensor *x, *init, *y, *count; /* count: of each element of x its position */
    ct_tensor *none;
    bool is_in_front; /* init */
} search;

static const struct ct__attrs_reduce_window *windows_of(const search *s)
{
    return &s->attrs->reduce_window;
}

static ct_tensor *compare(const search *s, ct_tensor *x, ct_tensor *y, ct_comparison direction)
{
    return ct_op_compare_at(s->at, x, y, direction, CT_COMPARE_DEFAULT);
}

/* Whether w is taken where v stands in front of it: it is beyond v, or NaN, and v is not NaN. */
static ct_tensor *beats(const search *s, ct_tensor *w, ct_tensor *v)
{
    ct_tensor *stays = compare(s, w, v, s->kind == CT__OP_maximum ? CT_LE : CT_GE);
    return ct_op_and_at(s->at, ct_op_not_at(s->at, stays), compare(s, v, v, CT_EQ));
}

/* ---- Windows that grow by one element each. Where one takes its last element, every later one
 * takes that or an element behind it: positions are the running maximum of those places. */

/* Of each line along the axis the position of its first element. */
static ct_tensor *first_of_lines(const search *s, int axis)
{
    int64_t start[CT__MAX_RANK], limit[CT__MAX_RANK], step[CT__MAX_RANK], along = axis;
    const ct_type *type = ct_type_of(s->x);
    size_t rank = (size_t)type->rank;
    for (size_t d = 0; d < rank; d++) {
        start[d] = 0;
        limit[d] = (int)d == axis ? 1 : type->dim[d];
        step[d] = 1;
    }
    ct_tensor *first = ct_op_slice_at(s->at, s->count, (ct_dims){rank, start},
                                      (ct_dims){rank, limit}, (ct_dims){rank, step});
    ct_dims axes = {1, &along};
    return ct__spread_axes(s->at, ct__sum_axes(s->at, first, axes), type, axes);
}

static ct_tensor *running_places(const search *s, int axis)
{
    const struct ct__attrs_reduce_window *a = windows_of(s);
    ct_window_dims dims = {.window_dimensions = ct__dims(a->window_dimensions),
                           .padding_low = ct__dims(a->padding_low)};
    ct_tensor *is_new = beats(s, s->x, ct__value_before(s->at, s->y, s->init, axis));
    ct_tensor *before = s->is_in_front ? ct__spread(s->at, s->none, ct_type_of(s->x))
                                       : first_of_lines(s, axis);
    ct_tensor *places = ct_op_select_at(s->at, is_new, s->count, before);
    return ct__reduce_window_usual(s->at, CT__OP_maximum, places, &dims);
}

/* ---- Windows of few elements: the first one that is y. */

/* The element of each window at the given place of it. */
static ct_tensor *element_of_windows(const search *s, ct_tensor *wide, const int64_t *place)
{
    int64_t start[CT__MAX_RANK], limit[CT__MAX_RANK], step[CT__MAX_RANK];
    size_t rank = ct_rank(s->y);
    for (size_t d = 0; d < rank; d++) {
        const ct__window_axis w = ct__window_axis_of(windows_of(s), (int)d);
        start[d] = place[d] * w.dilation;
        limit[d] = start[d] + (ct_dim(s->y, (int64_t)d) - 1) * w.stride + 1;
        step[d] = w.stride;
    }
    return ct_op_slice_at(s->at, wide, (ct_dims){rank, start}, (ct_dims){rank, limit},
                          (ct_dims){rank, step});
}

/* The place before, in row-major order; false at the first one. */
static bool step_back(const ct__ints *size, int64_t *place)
{
    for (size_t d = size->count; d-- > 0;) {
        if (place[d]-- > 0)
            return true;
        place[d] = size->item[d] - 1;
    }
    return false;
}

/* From the last place to the first. What is no element of x is never y: it is NaN, and not marked
 * as one. */
static ct_tensor *places_by_value(const search *s)
{
    const struct ct__attrs_reduce_window *a = windows_of(s);
    ct_place at = s->at;
    int64_t place[CT__MAX_RANK] = {0};
    ct_tensor *nan = compare(s, s->x, s->x, CT_NE);
    ct_tensor *outside = ct_zeros_at(at, s->ctx, CT_BOOL, CT_SHAPE());
    ct_tensor *x = ct__widened(at, a, s->x, ct__like(at, s->init, NAN));
    ct_tensor *is_nan = ct__widened(at, a, nan, outside);
    ct_tensor *count = ct__widened(at, a, s->count, s->none);
    ct_tensor *found = ct_op_broadcast_in_dim_at(at, s->none, ct_shape_of(s->y), CT_DIMS());
    for (size_t d = 0; d < a->window_dimensions.count; d++)
        place[d] = a->window_dimensions.item[d] - 1;
    do {
        ct_tensor *is_y = compare(s, element_of_windows(s, x, place), s->y, CT_EQ);
        is_y = ct_op_or_at(at, is_y, element_of_windows(s, is_nan, place));
        found = ct_op_select_at(at, is_y, element_of_windows(s, count, place), found);
    } while (!ct_failed(s->ctx) && step_back(&a->window_dimensions, place));
    if (!s->is_in_front)
        return found;
    ct_tensor *is_init = ct__taken(at, ct__spread(at, s->init, ct_type_of(s->y)), s->y);
    return ct_op_select_at(at, is_init, ct__like(at, found, -1), found);
}

/* ---- Windows of many elements: axis by axis from the last one, so that the first of equal ones is
 * that in row-major order. */

static ct__pair taken_of_both(ct_place at, const void *user, ct__pair left, ct__pair right)
{
    const search *s = user;
    if (ct_failed(s->ctx))
        return left;
    ct_tensor *is_right = beats(s, right.x, left.x);
    if (!s->is_in_front) /* on the left may be nothing but init */
        is_right = ct_op_or_at(
            at, is_right, compare(s, left.t, ct__spread(at, s->none, ct_type_of(left.t)), CT_EQ));
    return (ct__pair){.x = ct_op_select_at(at, is_right, right.x, left.x),
                      .t = ct_op_select_at(at, is_right, right.t, left.t)};
}

static ct_tensor *places_by_halves(const search *s)
{
    const struct ct__attrs_reduce_window *a = windows_of(s);
    ct_place at = s->at;
    ct__pair f = {.x = ct__widened(at, a, s->x, s->init),
                  .t = ct__widened(at, a, s->count, s->none)};
    for (int d = (int)ct_rank(s->x); d-- > 0 && !ct_failed(s->ctx);)
        f = ct__fold_along(at, f, d, ct__window_axis_of(a, d), ct_dim(s->y, d), taken_of_both, s);
    if (!s->is_in_front || ct_failed(s->ctx))
        return f.t;
    const ct__pair front = {.x = ct__spread(at, s->init, ct_type_of(f.x)),
                            .t = ct__spread(at, s->none, ct_type_of(f.t))};
    return taken_of_both(at, s, front, f).t;
}

/* ---- Complex numbers, and narrow ones that have no NaN: values and positions folded together. */

static ct_tensor *places_by_fold(const search *s)
{
    ct_tensor *operand[] = {s->x, s->count, s->init, s->none};
    ct_tensor *result[] = {ct__poison(s->ctx), ct__poison(s->ctx)};
    ct__graph *body = ct__extreme_body(s->ctx, s->at, (ct__op)s->kind, ct_dtype_of(s->x),
                                       ct_dtype_of(s->count));
    ct__attrs attrs = *s->attrs;
    attrs.reduce_window.n_inputs = 2;
    if (body)
        ct__apply(&(ct__request){.ctx = s->ctx,
                                 .at = s->at,
                                 .op = CT__OP_reduce_window,
                                 .attrs = &attrs,
                                 .n_operands = 4,
                                 .operand = operand,
                                 .n_regions = 1,
                                 .region = &body},
                  result, 2);
    ct__graph_release(body);
    return result[1];
}

/* ---- Choosing. */

enum { FEW = 16, MANY = 256 };

/* By value, windows take a comparison for each of their elements; by halves two for each element of
 * x and step. */
static bool is_by_value(const search *s)
{
    const ct__ints size = windows_of(s)->window_dimensions;
    int64_t elements = 1, steps = 0;
    for (size_t d = 0; d < size.count; d++) {
        if (size.item[d] > MANY / elements)
            return false;
        elements *= size.item[d];
        steps += ct__fold_steps(size.item[d]);
    }
    const double wide = (double)ct_size(s->x), windows = (double)ct_size(s->y);
    return elements <= FEW || (double)elements * windows <= 2 * (double)steps * wide;
}

/* For each window the position of what was taken. */
static ct_tensor *find_places(const search *s)
{
    int axis = ct__running_axis(windows_of(s), ct_type_of(s->x));
    if (ct__is_complex(s->x) || ct__is_small_float(ct_dtype_of(s->x)))
        return places_by_fold(s);
    if (axis >= 0)
        return running_places(s, axis);
    return is_by_value(s) ? places_by_value(s) : places_by_halves(s);
}

static search search_of(const ct__jvp_whole *q, int kind)
{
    ct_place at = q->at;
    ct_tensor *x = ct_op_stop_gradient_at(at, q->x[0]);
    const int64_t size = ct_size(x);
    const ct_dtype dtype = size < INT32_MAX ? CT_I32 : CT_I64;
    const bool is_in_front = !ct__is_neutral(q->x[1], kind);
    ct_tensor *count = ct_op_iota_at(at, q->ctx, dtype, CT_DIMS(size), 0);
    return (search){
        .ctx = q->ctx,
        .at = at,
        .kind = kind,
        .attrs = q->attrs,
        .x = x,
        .init = ct_op_stop_gradient_at(at, q->x[1]),
        .y = ct_op_stop_gradient_at(at, q->y[0]),
        .count = ct_op_reshape_at(at, count, ct_shape_of(x)),
        .none = ct_scalar_at(at, q->ctx, dtype, is_in_front ? -1 : (double)size),
        .is_in_front = is_in_front,
    };
}

/* Whether every window has an element of x, and init says nothing. */
static bool is_always_element(const search *s)
{
    const ct_type *x = ct_type_of(s->x);
    bool has_no_gaps = true;
    for (int d = 0; d < x->rank; d++) {
        const ct__window_axis w = ct__window_axis_of(windows_of(s), d);
        has_no_gaps = has_no_gaps && w.low <= 0 && w.high <= 0 && (w.base == 1 || x->dim[d] == 1);
    }
    return !s->is_in_front && (has_no_gaps || ct__running_axis(windows_of(s), x) >= 0);
}

/* Of windows over elements: that of the element, or of init. */
static ct_tensor *tangent_of_taken(const ct__jvp_whole *q, int kind, ct_tensor *from_init)
{
    const search s = search_of(q, kind);
    ct_tensor *place = ct_failed(q->ctx) ? ct__poison(q->ctx) : find_places(&s);
    if (ct_failed(q->ctx))
        return place;
    ct_tensor *from_x = q->dx[0] ? ct__elements_at(q->at, q->dx[0], place)
                                 : ct__like(q->at, q->y[0], 0);
    if (is_always_element(&s))
        return from_x;
    ct_tensor *none = ct__spread(q->at, s.none, ct_type_of(place));
    return ct_op_select_at(q->at, compare(&s, place, none, CT_EQ), from_init, from_x);
}

void ct__jvp_window_extreme(ct__jvp_whole *q, int kind)
{
    if (!ct__primal(q))
        return;
    ct_tensor *y = q->y[0];
    ct_tensor *from_init = q->dx[1] ? ct__spread(q->at, q->dx[1], ct_type_of(y))
                                    : ct__like(q->at, y, 0);
    const bool is_empty = ct_size(y) == 0 || ct_size(q->x[0]) == 0;
    q->dy[0] = is_empty ? from_init : tangent_of_taken(q, kind, from_init);
}
