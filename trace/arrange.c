/* The arranging composites that are made of several primitives. */
#include "trace/compose.h"

#include <cotangent/shape.h>

#include <inttypes.h>

/* ---- Moving axes. */

ct_tensor *ct_swapaxes_at(ct_place at, ct_tensor *x, int64_t axis1, int64_t axis2)
{
    ct__composite q;
    ct_operand operand;
    int64_t a, b;
    if (!ct__begin1(&q, at, "swapaxes", &operand, x) ||
        !ct__axis(&q, "axis", axis1, x->type->rank, &a) ||
        !ct__axis(&q, "axis", axis2, x->type->rank, &b))
        return ct__poison(q.ctx);
    ct__extents order = {.rank = x->type->rank};
    for (int d = 0; d < order.rank; d++)
        order.dim[d] = d == a ? b : d == b ? a : d;
    return ct_op_transpose_at(at, x, ct__shape(&order));
}

/* order[destination[i]] = source[i]; the others fill the gaps in their order. */
static ct__extents moved_order(const ct__extents *source, const ct__extents *destination, int rank)
{
    ct__extents order = {.rank = rank};
    bool is_taken[CT__MAX_RANK] = {false}, is_set[CT__MAX_RANK] = {false};
    for (int i = 0; i < source->rank; i++) {
        order.dim[destination->dim[i]] = source->dim[i];
        is_set[destination->dim[i]] = true;
        is_taken[source->dim[i]] = true;
    }
    for (int d = 0, from = 0; d < rank; d++) {
        if (is_set[d])
            continue;
        while (is_taken[from])
            from++;
        order.dim[d] = from++;
    }
    return order;
}

ct_tensor *ct_moveaxis_at(ct_place at, ct_tensor *x, ct_axes source, ct_axes destination)
{
    ct__composite q;
    ct_operand operand;
    ct__extents from, to;
    if (!ct__begin1(&q, at, "moveaxis", &operand, x) ||
        !ct__axes_listed(&q, source, x->type->rank, &from) ||
        !ct__axes_listed(&q, destination, x->type->rank, &to))
        return ct__poison(q.ctx);
    if (from.rank != to.rank)
        return ct__composite_error(&q, CT_ERR_SHAPE, "source has length %d and destination %d",
                                   from.rank, to.rank);
    ct__extents order = moved_order(&from, &to, x->type->rank);
    return ct_op_transpose_at(at, x, ct__shape(&order));
}

/* ---- Parts along an axis. */

/* The elements of x from start up to limit along the axis. */
static ct_tensor *part(ct_place at, ct_tensor *x, int64_t axis, int64_t start, int64_t limit)
{
    if (ct_is_poison(x))
        return x;
    ct__extents from = {.rank = x->type->rank}, to = ct__extents_of(x), step = from;
    for (int d = 0; d < from.rank; d++) {
        from.dim[d] = 0;
        step.dim[d] = 1;
    }
    from.dim[axis] = start;
    to.dim[axis] = limit;
    return ct_op_slice_at(at, x, ct__shape(&from), ct__shape(&to), ct__shape(&step));
}

static bool begin_split(ct__composite *q, ct_place at, const char *name, ct_operand *operand,
                        ct_tensor *x, int64_t *axis, ct_tensor **result, size_t n)
{
    if (ct__begin1(q, at, name, operand, x)) {
        if (!result)
            ct__composite_error(q, CT_ERR_ARGUMENT, "the result is NULL");
        else if (ct__axis(q, "axis", *axis, x->type->rank, axis))
            return true;
    }
    ct__fill_poison(q->ctx, result, n);
    return false;
}

void ct_split_at(ct_place at, ct_tensor *x, int64_t axis, ct_tensor **result, size_t n_results)
{
    ct__composite q;
    ct_operand operand;
    if (!begin_split(&q, at, "split", &operand, x, &axis, result, n_results))
        return;
    int64_t extent = x->type->dim[axis];
    if (n_results == 0 || n_results > INT64_MAX || extent % (int64_t)n_results != 0) {
        ct__composite_error(&q, CT_ERR_SHAPE,
                            "an extent of %" PRId64 " cannot be split into %zu equal parts", extent,
                            n_results);
        ct__fill_poison(q.ctx, result, n_results);
        return;
    }
    int64_t size = extent / (int64_t)n_results;
    for (size_t i = 0; i < n_results; i++)
        result[i] = part(at, x, axis, (int64_t)i * size, ((int64_t)i + 1) * size);
    if (ct_failed(q.ctx))
        ct__fill_poison(q.ctx, result, n_results);
}

/* A position counted from the end is put forward; false unless it is in [low, extent]. */
static bool resolve_position(const ct__composite *q, size_t i, int64_t low, int64_t extent,
                             int64_t *position)
{
    int64_t given = *position;
    if (given < 0 && given >= -extent)
        *position = given + extent;
    if (*position >= low && *position <= extent)
        return true;
    return ct__composite_fail(q, CT_ERR_SHAPE,
                              "positions[%zu] = %" PRId64 " is outside [%" PRId64 ", %" PRId64
                              "], from the one before to the extent",
                              i, given, low, extent);
}

static bool check_positions(const ct__composite *q, ct_shape positions, size_t n_results)
{
    if (!positions.dim && positions.count > 0)
        return ct__composite_fail(q, CT_ERR_ARGUMENT, "the positions are NULL");
    return (n_results > 0 && positions.count == n_results - 1) ||
           ct__composite_fail(q, CT_ERR_ARGUMENT,
                              "positions has length %zu; the number of results is %zu",
                              positions.count, n_results);
}

void ct_split_positions_at(ct_place at, ct_tensor *x, ct_shape positions, int64_t axis,
                           ct_tensor **result, size_t n_results)
{
    ct__composite q;
    ct_operand operand;
    if (!begin_split(&q, at, "split_positions", &operand, x, &axis, result, n_results))
        return;
    int64_t extent = x->type->dim[axis], low = 0;
    size_t n = check_positions(&q, positions, n_results) ? n_results : 0;
    for (size_t i = 0; i < n; i++) {
        int64_t position = i < positions.count ? positions.dim[i] : extent;
        if (!resolve_position(&q, i, low, extent, &position))
            break;
        result[i] = part(at, x, axis, low, position);
        low = position;
    }
    if (ct_failed(q.ctx))
        ct__fill_poison(q.ctx, result, n_results);
}

/* ---- Repeating. */

/* x, of this shape, with axis d n times as long: each element n times, or the whole axis n times
 * over. What lies before and after the axis is taken as one axis each, so that the rank is no
 * limit. No extent is 0. */
static ct_tensor *multiplied(ct_place at, ct_tensor *x, ct__extents *shape, int d, int64_t n,
                             bool each)
{
    int64_t before = 1, after = 1, extent = shape->dim[d];
    for (int i = 0; i < shape->rank; i++)
        *(i < d ? &before : &after) *= i == d ? 1 : shape->dim[i];
    shape->dim[d] = n * extent;
    ct_tensor *flat = ct_op_reshape_at(at, x, CT_DIMS(before, extent, after));
    ct_tensor *wide = each ? ct_op_broadcast_in_dim_at(at, flat, CT_DIMS(before, extent, n, after),
                                                       CT_DIMS(0, 1, 3))
                           : ct_op_broadcast_in_dim_at(at, flat, CT_DIMS(before, n, extent, after),
                                                       CT_DIMS(0, 2, 3));
    return ct_op_reshape_at(at, wide, ct__shape(shape));
}

/* x, which has this shape but for its handle, with axis d n[d] times as long. */
static ct_tensor *repeated(const ct__composite *q, ct_tensor *x, ct__extents *shape,
                           const int64_t *n, bool each)
{
    ct__extents result = *shape;
    bool is_empty = false;
    for (int d = 0; d < shape->rank; d++) {
        if (n[d] < 0)
            return ct__composite_error(q, CT_ERR_SHAPE, "%" PRId64 " repeats on axis %d", n[d], d);
        if (!ct__mul_i64(shape->dim[d], n[d], &result.dim[d]))
            return ct__composite_error(q, CT_ERR_RANGE, "the extent of axis %d overflows", d);
        is_empty = is_empty || result.dim[d] == 0;
    }
    ct_dtype dtype = ct_dtype_of(q->operand[0].tensor);
    ct_status status = ct__type_check(dtype, (size_t)result.rank, result.dim);
    if (status != CT_OK)
        return ct__composite_error(q, status, "the size of the result overflows");
    if (is_empty)
        return ct__fill(q->ctx, q->at, ct_operand_signed(0), dtype, &result);
    for (int d = 0; d < shape->rank; d++)
        if (n[d] != 1)
            x = multiplied(q->at, x, shape, d, n[d], each);
    return x;
}

ct_tensor *ct_tile_at(ct_place at, ct_tensor *x, ct_shape repeats)
{
    ct__composite q;
    ct_operand operand;
    ct__extents shape = {.rank = 0}, n = {.rank = 0};
    if (!ct__begin1(&q, at, "tile", &operand, x))
        return ct__poison(q.ctx);
    if (!repeats.dim && repeats.count > 0)
        return ct__composite_error(&q, CT_ERR_ARGUMENT, "the repeats are NULL");
    if (repeats.count > CT__MAX_RANK)
        return ct__composite_error(&q, CT_ERR_SHAPE, "repeats has length %zu; the most is %d",
                                   repeats.count, CT__MAX_RANK);
    int rank = x->type->rank, given = (int)repeats.count;
    for (int d = rank > given ? rank : given; d > 0; d--) { /* d-th axis from the end */
        shape.dim[shape.rank++] = d <= rank ? x->type->dim[rank - d] : 1;
        n.dim[n.rank++] = d <= given ? repeats.dim[given - d] : 1;
    }
    ct__open(&q);
    if (shape.rank > rank)
        x = ct_op_reshape_at(at, x, ct__shape(&shape));
    return ct__close(&q, repeated(&q, x, &shape, n.dim, false));
}

ct_tensor *ct_repeat_at(ct_place at, ct_tensor *x, int64_t count, int64_t axis)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, "repeat", &operand, x) ||
        !ct__axis(&q, "axis", axis, x->type->rank, &axis))
        return ct__poison(q.ctx);
    ct__extents shape = ct__extents_of(x), n = shape;
    for (int d = 0; d < n.rank; d++)
        n.dim[d] = d == axis ? count : 1;
    ct__open(&q);
    return ct__close(&q, repeated(&q, x, &shape, n.dim, true));
}

/* ---- Rolling. */

/* The last `by` elements of the axis come before the others; 0 < by < extent. */
static ct_tensor *rolled(ct_place at, ct_tensor *x, int64_t axis, int64_t extent, int64_t by)
{
    ct_tensor *last = part(at, x, axis, extent - by, extent);
    ct_tensor *first = part(at, x, axis, 0, extent - by);
    return ct_op_concatenate_at(at, CT_ARGV(last, first), axis);
}

ct_tensor *ct_roll_at(ct_place at, ct_tensor *x, ct_shape shifts, ct_axes axes)
{
    ct__composite q;
    ct_operand operand;
    ct__extents list;
    if (!ct__begin1(&q, at, "roll", &operand, x) ||
        !ct__axes_listed(&q, axes, x->type->rank, &list))
        return ct__poison(q.ctx);
    if (!shifts.dim && shifts.count > 0)
        return ct__composite_error(&q, CT_ERR_ARGUMENT, "the shifts are NULL");
    if (shifts.count != 1 && shifts.count != (size_t)list.rank)
        return ct__composite_error(&q, CT_ERR_SHAPE, "shifts has length %zu and axes %d",
                                   shifts.count, list.rank);
    const ct__extents shape = ct__extents_of(x);
    ct__open(&q);
    for (int i = 0; i < list.rank; i++) {
        int64_t extent = shape.dim[list.dim[i]], shift = shifts.dim[shifts.count == 1 ? 0 : i];
        int64_t by = extent > 0 ? shift % extent : 0;
        by += by < 0 ? extent : 0;
        if (by > 0)
            x = rolled(at, x, list.dim[i], extent, by);
    }
    return ct__close(&q, x);
}

/* ---- Triangles and diagonals. */

/* 0 where column - row does not compare with k. */
static ct_tensor *triangle(ct_place at, const char *name, ct_tensor *x, ct_comparison how,
                           int64_t k)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, name, &operand, x))
        return ct__poison(q.ctx);
    if (x->type->rank < 2)
        return ct__composite_error(&q, CT_ERR_SHAPE, "x has rank %d; it needs rows and columns",
                                   x->type->rank);
    const ct__extents shape = ct__extents_of(x);
    const ct__extents matrix = {.rank = 2,
                                .dim = {shape.dim[shape.rank - 2], shape.dim[shape.rank - 1]}};
    ct__open(&q);
    ct_tensor *row = ct_op_iota_at(at, q.ctx, CT_I64, ct__shape(&matrix), 0);
    ct_tensor *column = ct_op_iota_at(at, q.ctx, CT_I64, ct__shape(&matrix), 1);
    ct_tensor *offset = ct_op_subtract_at(at, column, row);
    ct_tensor *bound = ct__number(&q, ct_operand_signed(k), CT_I64, &matrix);
    ct_tensor *inside = ct_op_compare_at(at, offset, bound, how, CT_COMPARE_DEFAULT);
    ct_tensor *zero = ct__number(&q, ct_operand_signed(0), x->type->dtype, &shape);
    return ct__close(&q, ct_op_select_at(at, ct__stretch(at, inside, &shape), x, zero));
}

ct_tensor *ct_tril_at(ct_place at, ct_tensor *x, int64_t k)
{
    return triangle(at, "tril", x, CT_LE, k);
}

ct_tensor *ct_triu_at(ct_place at, ct_tensor *x, int64_t k)
{
    return triangle(at, "triu", x, CT_GE, k);
}

/* Where diagonal k begins in the elements of a matrix with rows of `columns`. */
static int64_t diagonal_start(int64_t k, int64_t columns)
{
    return k >= 0 ? k : -k * columns;
}

/* The elements of row-major [m, n] at start, start + n + 1, … */
static ct_tensor *diagonal_of(const ct__composite *q, ct_tensor *x, int64_t k)
{
    int64_t m = x->type->dim[0], n = x->type->dim[1];
    int64_t rows = k >= 0 ? m : k > -m ? m + k : 0, columns = k <= 0 ? n : k < n ? n - k : 0;
    int64_t count = rows < columns ? rows : columns, start = 0, step = 1;
    if (count > 0) {
        start = diagonal_start(k, n);
        step = n + 1;
    }
    int64_t limit = count > 0 ? start + (count - 1) * step + 1 : 0;
    ct_tensor *flat = ct_op_reshape_at(q->at, x, CT_DIMS(x->type->size));
    return ct_op_slice_at(q->at, flat, CT_DIMS(start), CT_DIMS(limit), CT_DIMS(step));
}

/* Row-major [size, size], where size = n + |k|: n elements with `size` zeros between them. */
static ct_tensor *matrix_of(const ct__composite *q, ct_tensor *x, int64_t k)
{
    static const ct__extents scalar = {.rank = 0};
    int64_t n = x->type->dim[0], away = k < -INT64_MAX ? INT64_MAX : k < 0 ? -k : k, all = 0;
    int64_t size = away > INT64_MAX - n ? INT64_MAX : away + n;
    if (!ct__mul_i64(size, size, &all))
        return ct__composite_error(q, CT_ERR_RANGE, "the size of the result overflows");
    int64_t low = n > 0 ? diagonal_start(k, size) : 0;
    int64_t length = n > 0 ? (n - 1) * (size + 1) + 1 : 0;
    ct_tensor *zero = ct__fill(q->ctx, q->at, ct_operand_signed(0), x->type->dtype, &scalar);
    ct_tensor *flat = ct_op_pad_at(q->at, x, zero, CT_DIMS(low), CT_DIMS(all - low - length),
                                   CT_DIMS(size));
    return ct_op_reshape_at(q->at, flat, CT_DIMS(size, size));
}

ct_tensor *ct_diag_at(ct_place at, ct_tensor *x, int64_t k)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, "diag", &operand, x))
        return ct__poison(q.ctx);
    int rank = x->type->rank;
    if (rank != 1 && rank != 2)
        return ct__composite_error(&q, CT_ERR_SHAPE, "x has rank %d; it is a vector or a matrix",
                                   rank);
    ct__open(&q);
    return ct__close(&q, rank == 1 ? matrix_of(&q, x, k) : diagonal_of(&q, x, k));
}
