#include "ad/rules.h"
#include "ops/reduce_window.h"

#include "trace/compose.h"

static const char no_rule[] = "a derivative of reduce_window with this body is not available";

static int kind_of(const ct__attrs *attrs, size_t n_operands, ct__graph *const *region)
{
    return ct__fold_kind(attrs->reduce_window.n_inputs, n_operands, region);
}

/* ---- Largest and smallest: the tangent of the element that was taken. */

/* For each element of the result the position in x, counted through all its elements, of the first
 * one that is the extreme, or `none` where init is. An init that says nothing stands behind all
 * elements, another one in front of them. */
static ct_tensor *find_extremes(const ct__jvp_whole *q, int kind, ct_dtype dtype, int64_t none)
{
    ct_place at = q->at;
    ct_tensor *x = ct_op_stop_gradient_at(at, q->x[0]);
    ct_tensor *init = ct_op_stop_gradient_at(at, q->x[1]);
    ct_tensor *count = ct_op_iota_at(at, q->ctx, dtype, CT_DIMS(ct_size(x)), 0);
    ct_tensor *last = ct_scalar_at(at, q->ctx, dtype, (double)none);
    ct_tensor *operand[] = {x, ct_op_reshape_at(at, count, ct_shape_of(x)), init, last};
    ct_tensor *result[] = {ct__poison(q->ctx), ct__poison(q->ctx)};
    ct__graph *body = ct__extreme_body(q->ctx, at, (ct__op)kind, ct_dtype_of(x), dtype);
    ct__attrs attrs = *q->attrs;
    attrs.reduce_window.n_inputs = 2;
    if (body)
        ct__apply(&(ct__request){.ctx = q->ctx,
                                 .at = at,
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

/* The elements of dx at these positions, clamped. */
static ct_tensor *elements_at(ct_place at, ct_tensor *dx, ct_tensor *position)
{
    ct_tensor *flat = ct_op_reshape_at(at, dx, CT_DIMS(ct_size(dx)));
    ct_gather_dims dims = {.collapsed_slice_dims = CT_DIMS(0),
                           .start_index_map = CT_DIMS(0),
                           .index_vector_dim = (int64_t)ct_rank(position),
                           .slice_sizes = CT_DIMS(1)};
    return ct_op_gather_at(at, flat, position, &dims);
}

static void jvp_of_extreme(ct__jvp_whole *q, int kind)
{
    if (!ct__primal(q))
        return;
    ct_place at = q->at;
    int64_t size = ct_size(q->x[0]);
    int64_t none = ct__is_neutral(q->x[1], kind) ? size : -1;
    ct_tensor *position = find_extremes(q, kind, size < INT32_MAX ? CT_I32 : CT_I64, none);
    ct_tensor *y = q->y[0], *zero = ct__like(at, y, 0), *from_x = zero, *from_init = zero;
    if (q->dx[0] && size > 0)
        from_x = elements_at(at, q->dx[0], position);
    if (q->dx[1])
        from_init = ct__spread(at, q->dx[1], ct_type_of(y));
    ct_tensor *is_init = ct_op_compare_at(at, position, ct__like(at, position, (double)none), CT_EQ,
                                          CT_COMPARE_DEFAULT);
    q->dy[0] = ct_op_select_at(at, is_init, from_init, from_x);
}

/* ---- Products. Without a division, so zeros among the factors do no harm: along every axis, the
 * products of 1, 2, 4, … neighbours are made from one another, and those of a window from them,
 * each with its tangent. Log n steps for a window of n. */

typedef struct factors {
    ct_tensor *x, *dx;
} factors;

static factors product(ct_place at, factors a, factors b)
{
    return (factors){.x = ct_op_multiply_at(at, a.x, b.x),
                     .dx = ct_op_add_at(at, ct__scale(at, a.dx, b.x), ct__scale(at, b.dx, a.x))};
}

/* Every `stride`-th of the elements [first, first + count) along an axis. */
static factors part(ct_place at, factors f, int axis, int64_t first, int64_t count, int64_t stride)
{
    int64_t start[CT__MAX_RANK], limit[CT__MAX_RANK], step[CT__MAX_RANK];
    size_t rank = ct_rank(f.x);
    for (size_t d = 0; d < rank; d++) {
        start[d] = 0;
        limit[d] = ct_dim(f.x, (int64_t)d);
        step[d] = 1;
    }
    start[axis] = first;
    limit[axis] = first + count;
    step[axis] = stride;
    ct_dims s = {rank, start}, l = {rank, limit}, p = {rank, step};
    return (factors){.x = ct_op_slice_at(at, f.x, s, l, p),
                     .dx = ct_op_slice_at(at, f.dx, s, l, p)};
}

/* x as the windows see it: with init between its elements and around it. */
static factors widened(ct__jvp_whole *q)
{
    const struct ct__attrs_reduce_window *a = &q->attrs->reduce_window;
    ct_place at = q->at;
    ct_tensor *x = q->x[0], *init = q->x[1];
    ct_tensor *dx = q->dx[0] ? q->dx[0] : ct__like(at, x, 0);
    ct_tensor *dinit = q->dx[1] ? q->dx[1] : ct__like(at, init, 0);
    ct_dims low = ct__dims(a->padding_low), high = ct__dims(a->padding_high);
    int64_t holes[CT__MAX_RANK];
    for (size_t d = 0; d < low.count; d++)
        holes[d] = a->base_dilations.item[d] - 1;
    ct_dims interior = {low.count, holes};
    return (factors){.x = ct_op_pad_at(at, x, init, low, high, interior),
                     .dx = ct_op_pad_at(at, dx, dinit, low, high, interior)};
}

/* Each of the `count` windows along the axis multiplied: all of it, of which every stride-th is
 * kept. `power` holds the products of 2^k elements, `all` those of the `done` first ones of each
 * window. */
static factors along_axis(ct_place at, factors f, int axis, ct__window_axis w, int64_t count)
{
    int64_t left = (count - 1) * w.stride + 1, done = 0;
    factors power = f, all = f;
    for (int64_t k = 1;; k *= 2) {
        if (w.size & k) {
            factors next = part(at, power, axis, done * w.dilation, left, 1);
            all = done ? product(at, part(at, all, axis, 0, left, 1), next) : next;
            done += k;
        }
        if (done == w.size || ct_failed(ct_context_of(f.x)))
            break;
        int64_t reach = ct_dim(power.x, axis) - k * w.dilation;
        power = product(at, part(at, power, axis, 0, reach, 1),
                        part(at, power, axis, k * w.dilation, reach, 1));
    }
    return w.stride > 1 ? part(at, all, axis, 0, left, w.stride) : all;
}

/* y = p init, p the product of a window: dy = dp init + p dinit. */
static void jvp_of_product(ct__jvp_whole *q)
{
    if (!ct__primal(q) || ct_size(q->y[0]) == 0)
        return;
    ct_place at = q->at;
    factors f = widened(q);
    for (int d = 0; d < (int)ct_rank(q->x[0]) && !ct_failed(q->ctx); d++)
        f = along_axis(at, f, d, ct__window_axis_of(&q->attrs->reduce_window, d),
                       ct_dim(q->y[0], d));
    const ct_type *type = ct_type_of(q->y[0]);
    q->dy[0] = ct__scale(at, f.dx, ct__spread(at, q->x[1], type));
    if (q->dx[1])
        q->dy[0] = ct_op_add_at(at, q->dy[0], ct__scale(at, ct__spread(at, q->dx[1], type), f.x));
}

void ct__jvp_reduce_window(ct__jvp_whole *q)
{
    int kind = kind_of(q->attrs, q->n_operands, q->region);
    switch (kind) {
    case CT__OP_add: ct__jvp_linear(q); break;
    case CT__OP_multiply: jvp_of_product(q); break;
    case CT__OP_maximum:
    case CT__OP_minimum: jvp_of_extreme(q, kind); break;
    default: ct__jvp_fail(q, no_rule);
    }
}

/* ---- Of a sum: every element gets the cotangents of the windows that it is in. */

/* The windows of the transpose. */
typedef struct backward {
    int64_t low[CT__MAX_RANK], high[CT__MAX_RANK];
    size_t n_reversed;
    int64_t reversed[CT__MAX_RANK]; /* axes */
} backward;

/* Element i of x is element w of window o where o stride + w dilation = low + i base. So, with
 * w' = size - 1 - w, it gets the ybar[o] at o stride = (i base) + w' dilation - before, where
 *
 *   before = (size - 1) dilation - low:
 *
 * a window of the same size and dilation over ybar, in which stride and base change places. The
 * other padding lets i run through all of x. */
static bool find_padding(const ct__transpose *q, int d, backward *b)
{
    const ct__window_axis a = ct__window_axis_of(&q->attrs->reduce_window, d);
    int64_t n = q->type[0]->dim[d], count = q->result_type[0]->dim[d];
    ct__wide reach = ct__dilated(a.size, a.dilation) - 1, before = reach - a.low;
    ct__wide after = ct__dilated(n, a.base) + reach - before - ct__dilated(count, a.stride);
    if (before < INT64_MIN || before > INT64_MAX || after < INT64_MIN || after > INT64_MAX) {
        ct__error(q->ctx, q->at, CT_ERR_RANGE,
                  "the padding of reduce_window's transpose overflows on axis %d", d);
        return false;
    }
    b->low[d] = (int64_t)before;
    b->high[d] = (int64_t)after;
    return true;
}

/* An axis whose windows run on to its end, each without the first element of the one before, is
 * reversed: they then grow by one element each, as cumulative sums do, and cost no more. */
static void find_reversed(const ct__transpose *q, int d, backward *b)
{
    const ct__window_axis a = ct__window_axis_of(&q->attrs->reduce_window, d);
    int64_t n = q->type[0]->dim[d];
    if (a.stride != 1 || a.base != 1 || a.dilation != 1 || a.size < n || a.size == 1 ||
        b->low[d] != 0 || b->high[d] != a.size - 1)
        return;
    b->low[d] = a.size - 1;
    b->high[d] = 0;
    b->reversed[b->n_reversed++] = d;
}

static ct_tensor *sum_back(const ct__transpose *q, const backward *b, ct_tensor *ybar)
{
    const struct ct__attrs_reduce_window *a = &q->attrs->reduce_window;
    size_t rank = a->window_dimensions.count;
    ct_dims reversed = {b->n_reversed, b->reversed};
    ct_window_dims dims = {.window_dimensions = ct__dims(a->window_dimensions),
                           .window_strides = ct__dims(a->base_dilations),
                           .base_dilations = ct__dims(a->window_strides),
                           .window_dilations = ct__dims(a->window_dilations),
                           .padding_low = {rank, b->low},
                           .padding_high = {rank, b->high}};
    if (b->n_reversed > 0)
        ybar = ct_op_reverse_at(q->at, ybar, reversed);
    ct_tensor *xbar = ct_op_reduce_window_add_at(q->at, ybar, &dims);
    return b->n_reversed > 0 ? ct_op_reverse_at(q->at, xbar, reversed) : xbar;
}

static void transpose_to_x(ct__transpose *q)
{
    backward b = {.n_reversed = 0};
    ct_dtype dtype = q->type[0]->dtype;
    if (q->type[0]->size == 0 || q->result_type[0]->size == 0) {
        ct__cotangent_add(q, 0, ct__zeros(q->ctx, q->at, q->type[0]));
        return;
    }
    for (int d = 0; d < q->type[0]->rank; d++) {
        if (!find_padding(q, d, &b))
            return;
        find_reversed(q, d, &b);
    }
    ct_tensor *wide = ct__converted(q->at, q->ybar[0], ct__sum_dtype(dtype));
    ct__cotangent_add(q, 0, ct__converted(q->at, sum_back(q, &b, wide), dtype));
}

/* Init stands in every sum once, and once for each place of its window that is no element of x. */
static void transpose_to_init(ct__transpose *q)
{
    const struct ct__attrs_reduce_window *a = &q->attrs->reduce_window;
    ct_place at = q->at;
    ct_dtype dtype = q->type[0]->dtype, sum_dtype = ct__sum_dtype(dtype);
    const ct_type *x = q->type[0];
    const ct_type counts = {
        .kind = CT__TENSOR, .dtype = CT_I64, .rank = x->rank, .dim = x->dim, .size = x->size};
    double places = 1;
    for (size_t d = 0; d < a->window_dimensions.count; d++)
        places *= (double)a->window_dimensions.item[d];
    ct_window_dims dims = {.window_dimensions = ct__dims(a->window_dimensions),
                           .window_strides = ct__dims(a->window_strides),
                           .base_dilations = ct__dims(a->base_dilations),
                           .window_dilations = ct__dims(a->window_dilations),
                           .padding_low = ct__dims(a->padding_low),
                           .padding_high = ct__dims(a->padding_high)};
    ct_tensor *ones = ct__splat(q->ctx, at, &counts, 1);
    ct_tensor *taken = ct_op_convert_at(at, ct_op_reduce_window_add_at(at, ones, &dims), sum_dtype);
    ct_tensor *times = ct_op_subtract_at(at, ct__like(at, taken, places + 1), taken);
    ct_tensor *ybar = ct__converted(at, q->ybar[0], sum_dtype);
    ct_tensor *initbar = ct__sum_all(at, ct__scale(at, ybar, times));
    ct__cotangent_add(q, 1, ct__converted(at, initbar, dtype));
}

void ct__transpose_reduce_window(ct__transpose *q)
{
    if (kind_of(q->attrs, q->n_operands, q->region) != CT__OP_add) {
        ct__error(q->ctx, q->at, CT_ERR_RULE, "%s", no_rule);
        return;
    }
    if (q->linear[0])
        transpose_to_x(q);
    if (q->linear[1])
        transpose_to_init(q);
}
