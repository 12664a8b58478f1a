#include "ad/windows.h"

#include "trace/compose.h"

#include <math.h>

static int kind_of(const ct__attrs *attrs, size_t n_operands, ct__graph *const *region)
{
    return ct__fold_kind(attrs->reduce_window.n_inputs, n_operands, region);
}

/* ---- Products. Without a division, so zeros among the factors do no harm: folded along every
 * axis, each with its tangent. */

static ct__pair product(ct_place at, const void *user, ct__pair a, ct__pair b)
{
    (void)user;
    return (ct__pair){.x = ct_op_multiply_at(at, a.x, b.x),
                      .t = ct_op_add_at(at, ct__scale(at, a.t, b.x), ct__scale(at, b.t, a.x))};
}

static ct__pair widened_factors(ct__jvp_whole *q)
{
    const struct ct__attrs_reduce_window *a = &q->attrs->reduce_window;
    ct_place at = q->at;
    ct_tensor *x = q->x[0], *init = q->x[1];
    ct_tensor *dx = q->dx[0] ? q->dx[0] : ct__like(at, x, 0);
    ct_tensor *dinit = q->dx[1] ? q->dx[1] : ct__like(at, init, 0);
    return (ct__pair){.x = ct__widened(at, a, x, init), .t = ct__widened(at, a, dx, dinit)};
}

/* The axis along which windows run and all but them is 1, a constant; else -1. */
static int axis_of_running_product(const ct__jvp_whole *q)
{
    double init;
    if (q->dx[1] || !ct__splat_value(q->x[1], &init) || init != 1)
        return -1;
    return ct__running_axis(&q->attrs->reduce_window, ct_type_of(q->x[0]));
}

/* t = x t + b, of every element one step: of two, (x, b) is that of both. */
static ct__pair two_steps(ct_place at, const void *user, ct__pair first, ct__pair second)
{
    (void)user;
    return (ct__pair){.x = ct_op_multiply_at(at, first.x, second.x),
                      .t = ct_op_add_at(at, ct__scale(at, first.t, second.x), second.t)};
}

/* dy[i] = x[i] dy[i-1] + y[i-1] dx[i] */
static void jvp_of_running_product(ct__jvp_whole *q, int axis)
{
    ct_place at = q->at;
    ct_tensor *before = ct__value_before(at, q->y[0], q->x[1], axis);
    const ct__pair step = {.x = q->x[0], .t = ct__scale(at, q->dx[0], before)};
    q->dy[0] = ct_failed(q->ctx) ? ct__poison(q->ctx)
                                 : ct__fold_running(at, step, axis, two_steps, NULL).t;
}

static ct__pair product_of_windows(ct__jvp_whole *q)
{
    ct_place at = q->at;
    ct__pair f = widened_factors(q);
    for (int d = 0; d < (int)ct_rank(q->x[0]) && !ct_failed(q->ctx); d++)
        f = ct__fold_along(at, f, d, ct__window_axis_of(&q->attrs->reduce_window, d),
                           ct_dim(q->y[0], d), product, NULL);
    return f;
}

/* y = p init, p the product of a window: dy = dp init + p dinit. */
static void jvp_of_product(ct__jvp_whole *q)
{
    if (!ct__primal(q) || ct_size(q->y[0]) == 0)
        return;
    ct_place at = q->at;
    const int axis = axis_of_running_product(q);
    if (axis >= 0) {
        jvp_of_running_product(q, axis);
        return;
    }
    const ct__pair f = product_of_windows(q);
    const ct_type *type = ct_type_of(q->y[0]);
    q->dy[0] = ct__scale(at, f.t, ct__spread(at, q->x[1], type));
    if (q->dx[1])
        q->dy[0] = ct_op_add_at(at, q->dy[0], ct__scale(at, ct__spread(at, q->dx[1], type), f.x));
}

/* ---- Any body: all windows side by side, and their elements folded in row-major order. */

/* Per axis what windows there are, and how far apart in a widened x, counted through all its
 * elements, they and their elements lie. */
typedef struct grid {
    ct_dtype dtype; /* of positions */
    size_t rank;
    int64_t dim[CT__MAX_RANK], step[CT__MAX_RANK];   /* windows */
    int64_t size[CT__MAX_RANK], apart[CT__MAX_RANK]; /* elements of one */
} grid;

static grid grid_of(const struct ct__attrs_reduce_window *a, const ct_type *wide)
{
    grid g = {.dtype = wide->size < INT32_MAX ? CT_I32 : CT_I64, .rank = (size_t)wide->rank};
    int64_t stride = 1; /* of the axis in the widened x, if that has elements */
    for (int d = wide->rank - 1; d >= 0; d--) {
        const ct__window_axis w = ct__window_axis_of(a, d);
        ct__wide reach = ct__dilated(w.size, w.dilation);
        g.size[d] = w.size;
        g.dim[d] = wide->dim[d] < reach ? 0 : (int64_t)((wide->dim[d] - reach) / w.stride) + 1;
        g.step[d] = g.dim[d] > 1 ? w.stride * stride : 0;
        g.apart[d] = g.dim[d] > 0 && w.size > 1 ? w.dilation * stride : 0;
        stride = wide->size > 0 ? stride * wide->dim[d] : 0;
    }
    return g;
}

/* Σ over axes of coordinate · step, for all coordinates in row-major order: [count]. */
static ct_tensor *offsets(const ct__replaced *q, const grid *g, const int64_t *dim,
                          const int64_t *step, int64_t count)
{
    ct_dims shape = {g->rank, dim};
    ct_tensor *sum = ct_zeros_at(q->at, q->ctx, g->dtype, shape);
    for (size_t d = 0; d < g->rank; d++) {
        if (step[d] == 0)
            continue;
        ct_tensor *coordinate = ct_op_iota_at(q->at, q->ctx, g->dtype, shape, (int64_t)d);
        ct_tensor *by = ct__like(q->at, coordinate, (double)step[d]);
        sum = ct_op_add_at(q->at, sum, ct_op_multiply_at(q->at, coordinate, by));
    }
    return ct_op_reshape_at(q->at, sum, CT_DIMS(count));
}

/* Where the elements of all windows are in a widened x: [elements, windows]. */
static ct_tensor *positions(const ct__replaced *q, const grid *g, int64_t count, int64_t m)
{
    ct_dims shape = CT_DIMS(count, m);
    ct_tensor *inside = offsets(q, g, g->size, g->apart, count);
    ct_tensor *begin = offsets(q, g, g->dim, g->step, m);
    return ct_op_add_at(q->at, ct_op_broadcast_in_dim_at(q->at, inside, shape, CT_DIMS(0)),
                        ct_op_broadcast_in_dim_at(q->at, begin, shape, CT_DIMS(1)));
}

static void fold_grid(const ct__replaced *q, const grid *g, ct_tensor **x)
{
    int64_t count = 0, m = 0;
    if (!ct__count_elements(g->rank, g->size, &count) || !ct__count_elements(g->rank, g->dim, &m)) {
        ct__error(q->ctx, q->at, CT_ERR_RANGE,
                  "reduce_window: its windows have too many elements for a derivative");
        return;
    }
    ct_dims shape = {g->rank, g->dim};
    if (m == 0) {
        ct__fold_nothing(q, shape);
        return;
    }
    ct_tensor *position = positions(q, g, count, m);
    for (size_t i = 0; i < q->n_results; i++)
        x[i] = ct__elements_at(q->at, x[i], position);
    ct__fold_rows(q, x, count, m, false);
    for (size_t i = 0; i < q->n_results && !ct_failed(q->ctx); i++)
        q->y[i] = ct_op_reshape_at(q->at, q->y[i], shape);
}

static void fold_windows(const ct__replaced *q)
{
    const struct ct__attrs_reduce_window *a = &q->attrs->reduce_window;
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    size_t n = q->n_results;
    ct_tensor **x = CT__NEW_ARRAY(&arena, ct_tensor *, n);
    if (!x)
        ct__error_memory(q->ctx, q->at, "derivative");
    for (size_t i = 0; x && i < n; i++)
        x[i] = ct__widened(q->at, a, q->x[i], q->x[n + i]);
    if (!ct_failed(q->ctx)) {
        const grid g = grid_of(a, ct_type_of(x[0]));
        fold_grid(q, &g, x);
    }
    ct__arena_free(&arena);
}

/* ---- Running folds: the windows along one axis begin in front of x and end at each of its
 * elements. Where init folded into init is init, and a constant, what is in front says nothing, and
 * each is the one before it and one element more. */

/* Whether the body may be tried out: it only computes. */
static bool is_plain(const ct__graph *body)
{
    for (size_t i = 0; i < body->n_nodes; i++)
        if (!ct__has(body->node[i].op, CT__ELEMENTWISE) && body->node[i].op != CT__OP_constant)
            return false;
    return true;
}

static bool is_same(ct_tensor *x, ct_tensor *y)
{
    double a, b;
    return ct__splat_value(x, &a) && ct__splat_value(y, &b) && a == b && signbit(a) == signbit(b);
}

/* A number that a double holds for certain. */
static bool is_known(const ct_tensor *x, double *value)
{
    return !ct_dtype_is_complex(ct_dtype_of(x)) && ct__splat_value(x, value) &&
           (ct_dtype_is_float(ct_dtype_of(x)) || fabs(*value) <= 0x1p53);
}

/* param[] has room for twice n. */
static bool try_padding(const ct__jvp_whole *q, ct_tensor **param, ct_tensor **result)
{
    size_t n = q->n_results;
    double value;
    for (size_t i = 0; i < n; i++) {
        if (q->dx[n + i] || !is_known(q->x[n + i], &value))
            return false;
        param[i] = param[n + i] = ct_scalar_at(q->at, q->ctx, ct_dtype_of(q->x[n + i]), value);
    }
    if (!ct__replay(q->ctx, q->at, q->region[0], param, result))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_same(result[i], param[i]))
            return false;
    return true;
}

static bool padding_is_idle(const ct__jvp_whole *q)
{
    bool idle = false;
    if (q->n_operands > 2 * q->n_results || !is_plain(q->region[0]))
        return false;
    ct_scope scope = ct__scope_begin(q->ctx, q->at, "reduce_window");
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    ct_tensor **param = CT__NEW_ARRAY(&arena, ct_tensor *, 2 * q->n_results);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, q->n_results);
    if (param && result)
        idle = try_padding(q, param, result);
    else
        ct__error_memory(q->ctx, q->at, "reduce_window");
    ct__arena_free(&arena);
    ct_scope_end(scope);
    return idle;
}

/* order: the axis in front, then the others. */
static ct_tensor *rows_of(const ct__replaced *q, ct_tensor *x, const int64_t *order, int64_t n)
{
    ct_tensor *front = ct__permute(q->at, x, ct_rank(x), order);
    return ct_op_reshape_at(q->at, front, CT_DIMS(n, ct_size(x) / n));
}

static ct_tensor *rows_back(const ct__replaced *q, ct_tensor *rows, const int64_t *order)
{
    const ct_type *type = ct_type_of(q->x[0]);
    size_t rank = (size_t)type->rank;
    int64_t dim[CT__MAX_RANK], inverse[CT__MAX_RANK];
    for (size_t d = 0; d < rank; d++) {
        dim[d] = type->dim[order[d]];
        inverse[order[d]] = (int64_t)d;
    }
    return ct__permute(q->at, ct_op_reshape_at(q->at, rows, (ct_dims){rank, dim}), rank, inverse);
}

static void fold_running(const ct__replaced *q)
{
    const ct_type *type = ct_type_of(q->x[0]);
    int64_t order[CT__MAX_RANK], axis = ct__running_axis(&q->attrs->reduce_window, type);
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    ct_tensor **x = CT__NEW_ARRAY(&arena, ct_tensor *, q->n_results);
    order[0] = axis;
    ct__other_axes((size_t)type->rank, (ct_dims){1, &axis}, order + 1);
    if (!x)
        ct__error_memory(q->ctx, q->at, "derivative");
    for (size_t i = 0; x && i < q->n_results; i++)
        x[i] = rows_of(q, q->x[i], order, type->dim[axis]);
    if (x)
        ct__fold_rows(q, x, type->dim[axis], type->size / type->dim[axis], true);
    for (size_t i = 0; i < q->n_results && !ct_failed(q->ctx); i++)
        q->y[i] = rows_back(q, q->y[i], order);
    ct__arena_free(&arena);
}

static void jvp_of_any(ct__jvp_whole *q)
{
    bool runs = ct__running_axis(&q->attrs->reduce_window, ct_type_of(q->x[0])) >= 0;
    ct__jvp_replaced(q, runs && padding_is_idle(q) ? fold_running : fold_windows);
}

void ct__jvp_reduce_window(ct__jvp_whole *q)
{
    int kind = kind_of(q->attrs, q->n_operands, q->region);
    switch (kind) {
    case CT__OP_add: ct__jvp_linear(q); break;
    case CT__OP_multiply: jvp_of_product(q); break;
    case CT__OP_maximum:
    case CT__OP_minimum: ct__jvp_window_extreme(q, kind); break;
    default: jvp_of_any(q);
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
        ct__transpose_replaced(q, fold_windows);
        return;
    }
    if (q->linear[0])
        transpose_to_x(q);
    if (q->linear[1])
        transpose_to_init(q);
}
