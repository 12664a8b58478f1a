#include "trace/compose.h"

#include <cotangent/index.h>

#include <inttypes.h>

/* ---- Indices. */

static bool check_mode(const ct__composite *q, ct_index_mode mode)
{
    if ((unsigned)mode.kind <= CT_INDEX_SKIP)
        return true;
    return ct__composite_fail(q, CT_ERR_ARGUMENT, "there is no index mode %d", (int)mode.kind);
}

static bool check_reading(const ct__composite *q, ct_index_mode mode)
{
    if (mode.kind == CT_INDEX_SKIP)
        return ct__composite_fail(q, CT_ERR_ARGUMENT, "CT_SKIP is for writing");
    return check_mode(q, mode);
}

static bool check_writing(const ct__composite *q, ct_index_mode mode)
{
    if (mode.kind == CT_INDEX_FILL)
        return ct__composite_fail(q, CT_ERR_ARGUMENT, "CT_FILL is for reading");
    return check_mode(q, mode);
}

/* In a dtype that holds every index and every extent: u64 as it is, others as i64. */
static ct_tensor *wide(const ct__composite *q, ct_tensor *i)
{
    return ct_dtype_of(i) == CT_U64 ? i : ct__convert(q->at, i, CT_I64);
}

/* A whole number beside wide indices. */
static ct_tensor *beside(const ct__composite *q, ct_tensor *i, int64_t value)
{
    if (ct_is_poison(i))
        return i;
    const ct__extents shape = ct__extents_of(i);
    return ct__number(q, ct_operand_signed(value), i->type->dtype, &shape);
}

static ct_tensor *compare(const ct__composite *q, ct_tensor *i, ct_comparison direction,
                          int64_t value)
{
    return ct_op_compare_at(q->at, i, beside(q, i, value), direction, CT_COMPARE_DEFAULT);
}

/* i < 0 ? i + dim : i. Unsigned indices stay. */
static ct_tensor *wrapped(const ct__composite *q, ct_tensor *i, int64_t dim)
{
    if (!ct_dtype_is_signed(ct_dtype_of(i)))
        return i;
    i = wide(q, i);
    ct_tensor *from_end = ct_op_add_at(q->at, i, beside(q, i, dim));
    return ct_op_select_at(q->at, compare(q, i, CT_LT, 0), from_end, i);
}

/* 0 <= i <= last, as bool. */
static ct_tensor *in_range(const ct__composite *q, ct_tensor *i, int64_t last)
{
    i = wide(q, i);
    ct_tensor *below = compare(q, i, CT_LE, last);
    if (ct_dtype_of(i) == CT_U64)
        return below;
    return ct_op_and_at(q->at, below, compare(q, i, CT_GE, 0));
}

static ct_tensor *resolved(const ct__composite *q, ct_tensor *i, int64_t dim, ct_index_mode mode)
{
    return mode.kind == CT_INDEX_WRAP ? wrapped(q, i, dim) : i;
}

/* The value of CT_FILL in this shape. */
static ct_tensor *fill_value(const ct__composite *q, ct_index_mode mode, ct_dtype dtype,
                             const ct__extents *shape)
{
    ct_tensor *value = mode.fill.tensor;
    if ((unsigned)mode.fill.kind > CT_OPERAND_UNSIGNED)
        return ct__composite_error(q, CT_ERR_ARGUMENT, "there is no operand kind %d",
                                   (int)mode.fill.kind);
    if (mode.fill.kind != CT_OPERAND_TENSOR)
        return ct__number(q, mode.fill, dtype, shape);
    if (!ct__operand_check(q->ctx, q->at, q->name, "the fill value", value))
        return ct__poison(q->ctx);
    if (ct_dtype_of(value) != dtype)
        return ct__composite_error(q, CT_ERR_TYPE,
                                   "the fill value is %s and x is %s; convert it with ct_cast",
                                   ct_dtype_name(ct_dtype_of(value)), ct_dtype_name(dtype));
    if (ct_rank(value) != 0)
        return ct__composite_error(q, CT_ERR_SHAPE, "the fill value has rank %zu; it is a scalar",
                                   ct_rank(value));
    return ct__stretch(q->at, value, shape);
}

/* ---- Take. */

/* A take in progress: one gather from x, whose result has this shape. */
typedef struct take {
    ct__composite q;
    ct_operand operand[2];
    ct_tensor *x, *indices;
    ct_dtype dtype;
    ct_index_mode mode;
    int64_t axis, dim; /* where is taken, and its extent */
    ct__extents from;  /* x's shape */
    ct__extents at;    /* the indices' */
    ct__extents shape; /* the result's */
} take;

static bool begin_take(take *t, ct_place at, const char *name, ct_tensor *x, ct_tensor *indices,
                       int64_t axis, ct_index_mode mode)
{
    *t = (take){.operand = {ct_operand_tensor(x), ct_operand_tensor(indices)},
                .x = x,
                .indices = indices,
                .mode = mode};
    if (!ct__begin(&t->q, at, name, "x indices", 2, t->operand) || !ct__allow(&t->q, 1, CT__INTS) ||
        !check_reading(&t->q, mode) || !ct__axis(&t->q, "axis", axis, x->type->rank, &t->axis))
        return false;
    t->dtype = x->type->dtype;
    t->from = ct__extents_of(x);
    t->at = ct__extents_of(indices);
    t->dim = t->from.dim[t->axis];
    if (t->dim == 0 && indices->type->size > 0)
        return ct__composite_fail(&t->q, CT_ERR_SHAPE,
                                  "axis %" PRId64 " has extent 0: there is nothing to take",
                                  t->axis);
    return true;
}

/* Where mask (its axes are the result's from `first` on) holds, y, else the fill value. */
static ct_tensor *filled(const take *t, ct_tensor *y, ct_tensor *mask, int64_t first)
{
    ct__extents axes = {.rank = (int)ct_rank(mask)};
    for (int d = 0; d < axes.rank; d++)
        axes.dim[d] = first + d;
    if (axes.rank > 0 && axes.rank < t->shape.rank)
        mask = ct_op_broadcast_in_dim_at(t->q.at, mask, ct__shape(&t->shape), ct__shape(&axes));
    return ct_op_select_at(t->q.at, mask, y, fill_value(&t->q, t->mode, t->dtype, &t->shape));
}

/* The gather, with the mode around it; the indices' axes begin at axis `first` of the result. */
static ct_tensor *gather(const take *t, ct_gather_dims *dims, int64_t first)
{
    const ct__composite *q = &t->q;
    dims->strict = t->mode.kind == CT_INDEX_STRICT;
    ct_tensor *indices = resolved(q, t->indices, t->dim, t->mode);
    ct_tensor *y = ct_op_gather_at(q->at, t->x, indices, dims);
    if (t->mode.kind != CT_INDEX_FILL)
        return y;
    return filled(t, y, in_range(q, t->indices, t->dim - 1), first);
}

/* No element is read: x may be too small for a gather that reads one at a time. */
static ct_tensor *nothing(const take *t)
{
    return ct__fill(t->q.ctx, t->q.at, ct_operand_signed(0), t->dtype, &t->shape);
}

static bool take_shape(take *t)
{
    int rank = t->from.rank - 1 + t->at.rank;
    if (rank > CT__MAX_RANK)
        return ct__composite_fail(&t->q, CT_ERR_SHAPE,
                                  "the result would have rank %d; the most is %d", rank,
                                  CT__MAX_RANK);
    int axis = (int)t->axis;
    t->shape.rank = 0;
    for (int d = 0; d < axis; d++)
        t->shape.dim[t->shape.rank++] = t->from.dim[d];
    for (int d = 0; d < t->at.rank; d++)
        t->shape.dim[t->shape.rank++] = t->at.dim[d];
    for (int d = axis + 1; d < t->from.rank; d++)
        t->shape.dim[t->shape.rank++] = t->from.dim[d];
    return true;
}

ct_tensor *ct_take_at(ct_place at, ct_tensor *x, ct_tensor *indices, int64_t axis,
                      ct_index_mode mode)
{
    take t;
    if (!begin_take(&t, at, "take", x, indices, axis, mode) || !take_shape(&t))
        return ct__poison(t.q.ctx);
    if (t.dim == 0)
        return nothing(&t);
    ct__extents offset = {.rank = 0}, sizes = t.from;
    for (int d = 0; d < t.shape.rank; d++)
        if (d < t.axis || d >= t.axis + t.at.rank)
            offset.dim[offset.rank++] = d;
    sizes.dim[t.axis] = 1;
    ct_gather_dims dims = {.offset_dims = ct__shape(&offset),
                           .collapsed_slice_dims = {1, &t.axis},
                           .start_index_map = {1, &t.axis},
                           .index_vector_dim = t.at.rank,
                           .slice_sizes = ct__shape(&sizes)};
    ct__open(&t.q);
    return ct__close(&t.q, gather(&t, &dims, t.axis));
}

/* Both shapes, stretched to agree but on the axis; the result's is that of the indices. */
static bool along_shapes(take *t)
{
    if (t->from.rank != t->at.rank)
        return ct__composite_fail(&t->q, CT_ERR_SHAPE, "x has rank %d and indices have rank %d",
                                  t->from.rank, t->at.rank);
    for (int d = 0; d < t->at.rank; d++) {
        int64_t *a = &t->from.dim[d], *b = &t->at.dim[d];
        if (d == t->axis || *a == *b)
            continue;
        if (*a != 1 && *b != 1)
            return ct__composite_fail(
                &t->q, CT_ERR_SHAPE,
                "on axis %d x has extent %" PRId64 " and indices have %" PRId64, d, *a, *b);
        if (*a == 1)
            *a = *b;
        else
            *b = *a;
    }
    t->shape = t->at;
    return true;
}

static bool is_empty(const ct__extents *shape)
{
    for (int d = 0; d < shape->rank; d++)
        if (shape->dim[d] == 0)
            return true;
    return false;
}

ct_tensor *ct_take_along_axis_at(ct_place at, ct_tensor *x, ct_tensor *indices, int64_t axis,
                                 ct_index_mode mode)
{
    take t;
    if (!begin_take(&t, at, "take_along_axis", x, indices, axis, mode) || !along_shapes(&t))
        return ct__poison(t.q.ctx);
    if (is_empty(&t.shape))
        return nothing(&t);
    ct__extents others = {.rank = 0}, sizes = {.rank = t.at.rank};
    for (int d = 0; d < t.at.rank; d++) {
        sizes.dim[d] = 1;
        if (d != t.axis)
            others.dim[others.rank++] = d;
    }
    ct_gather_dims dims = {.collapsed_slice_dims = {1, &t.axis},
                           .operand_batching_dims = ct__shape(&others),
                           .start_indices_batching_dims = ct__shape(&others),
                           .start_index_map = {1, &t.axis},
                           .index_vector_dim = t.at.rank,
                           .slice_sizes = ct__shape(&sizes)};
    ct__open(&t.q);
    t.x = ct__stretch(at, x, &t.from);
    t.indices = ct__stretch(at, indices, &t.at);
    return ct__close(&t.q, gather(&t, &dims, 0));
}

/* ---- Windows. */

/* A window in progress. Operands: `fixed` tensors, then the starts. */
typedef struct slice {
    ct__composite q;
    ct_operand operand[2 + CT__MAX_RANK + 1];
    ct_index_mode mode;
    ct__extents from; /* x's shape */
    ct__extents size; /* the window's */
    ct_tensor *start[CT__MAX_RANK];
} slice;

static bool begin_window(slice *s, ct_place at, const char *name, const char *operands,
                         size_t n_fixed, ct_tensor *const *fixed, ct_list start, ct_index_mode mode)
{
    size_t given = start.count > CT__MAX_RANK ? CT__MAX_RANK + 1 : start.count;
    size_t n_starts = start.item ? given : 0;
    *s = (slice){.mode = mode};
    for (size_t i = 0; i < n_fixed; i++)
        s->operand[i] = ct_operand_tensor(fixed[i]);
    for (size_t i = 0; i < n_starts; i++)
        s->operand[n_fixed + i] = ct_operand_tensor(start.item[i]);
    ct__composite *q = &s->q;
    if (!ct__begin(q, at, name, operands, n_fixed + n_starts, s->operand))
        return false;
    s->from = ct__extents_of(fixed[0]);
    if (n_starts < given)
        return ct__composite_fail(q, CT_ERR_ARGUMENT, "start is NULL");
    if (n_starts != (size_t)s->from.rank)
        return ct__composite_fail(q, CT_ERR_SHAPE, "start has length %zu; x has rank %d",
                                  start.count, s->from.rank);
    ct_dtype dtype;
    for (size_t i = 0; i < n_starts; i++) {
        if (!ct__allow(q, n_fixed + i, CT__INTS))
            return false;
        if (ct_rank(start.item[i]) != 0)
            return ct__composite_fail(q, CT_ERR_SHAPE, "start[%zu] has rank %zu; it is a scalar", i,
                                      ct_rank(start.item[i]));
    }
    return n_starts == 0 || ct__common_dtype(q, n_fixed, &dtype);
}

static bool fits(const slice *s, const char *name)
{
    for (int d = 0; d < s->from.rank; d++)
        if (s->size.dim[d] < 0 || s->size.dim[d] > s->from.dim[d])
            return ct__composite_fail(&s->q, CT_ERR_SHAPE,
                                      "%s has extent %" PRId64 " on axis %d, where x has %" PRId64,
                                      name, s->size.dim[d], d, s->from.dim[d]);
    return true;
}

static ct_list starts(slice *s, ct_list given)
{
    for (int d = 0; d < s->from.rank; d++)
        s->start[d] = resolved(&s->q, given.item[d], s->from.dim[d], s->mode);
    return (ct_list){(size_t)s->from.rank, s->start};
}

/* Where a window that begins at i begins in x with `size` elements of padding before it: i + size,
 * with i limited to [-size, dim], where the window holds nothing of x. */
static ct_tensor *start_in_padded(const ct__composite *q, ct_tensor *i, int64_t dim, int64_t size)
{
    i = wide(q, i);
    if (ct_dtype_of(i) == CT_U64)
        i = ct_op_convert_at(q->at, ct_op_minimum_at(q->at, i, beside(q, i, dim)), CT_I64);
    i = ct_op_clamp_at(q->at, beside(q, i, -size), i, beside(q, i, dim));
    return ct_op_add_at(q->at, i, beside(q, i, size));
}

/* x with `size` elements of the value around it, and where the window begins in that. */
static ct_tensor *padded(slice *s, ct_tensor *x, ct_tensor *value, ct_list *start)
{
    static const int64_t none[CT__MAX_RANK];
    const ct_dims size = ct__shape(&s->size);
    for (int d = 0; d < s->from.rank; d++)
        s->start[d] = start_in_padded(&s->q, start->item[d], s->from.dim[d], s->size.dim[d]);
    *start = (ct_list){size.count, s->start};
    return ct_op_pad_at(s->q.at, x, value, size, size, (ct_dims){size.count, none});
}

/* A filled window is a window of x padded with the value. */
static ct_tensor *filled_window(slice *s, ct_tensor *x, ct_list start)
{
    static const ct__extents scalar = {.rank = 0};
    ct_tensor *value = fill_value(&s->q, s->mode, ct_dtype_of(x), &scalar);
    ct_tensor *around = padded(s, x, value, &start);
    return ct_op_dynamic_slice_at(s->q.at, around, start, ct__shape(&s->size), false);
}

/* What is written beside x goes into padding that is then cut off. */
static ct_tensor *skipping_update(slice *s, ct_tensor *x, ct_tensor *update, ct_list start)
{
    static const ct__extents scalar = {.rank = 0};
    ct__extents limit = s->size, step = s->size;
    ct_place at = s->q.at;
    ct_tensor *zero = ct__fill(s->q.ctx, at, ct_operand_signed(0), ct_dtype_of(x), &scalar);
    ct_tensor *around = padded(s, x, zero, &start);
    if (ct_is_poison(around))
        return around;
    for (int d = 0; d < s->from.rank; d++) { /* less than what is padded */
        limit.dim[d] += s->from.dim[d];
        step.dim[d] = 1;
    }
    ct_tensor *written = ct_op_dynamic_update_slice_at(at, around, update, start, false);
    return ct_op_slice_at(at, written, ct__shape(&s->size), ct__shape(&limit), ct__shape(&step));
}

ct_tensor *ct_dynamic_slice_at(ct_place at, ct_tensor *x, ct_list start, ct_shape sizes,
                               ct_index_mode mode)
{
    slice s;
    if (!begin_window(&s, at, "dynamic_slice", "x start...", 1, &x, start, mode) ||
        !check_reading(&s.q, mode))
        return ct__poison(s.q.ctx);
    if (!sizes.dim && sizes.count > 0)
        return ct__composite_error(&s.q, CT_ERR_ARGUMENT, "sizes is NULL");
    if (sizes.count != (size_t)s.from.rank)
        return ct__composite_error(&s.q, CT_ERR_SHAPE, "sizes has length %zu; x has rank %d",
                                   sizes.count, s.from.rank);
    s.size.rank = s.from.rank;
    for (int d = 0; d < s.from.rank; d++)
        s.size.dim[d] = sizes.dim[d];
    if (!fits(&s, "the window"))
        return ct__poison(s.q.ctx);
    ct__open(&s.q);
    ct_tensor *y = mode.kind == CT_INDEX_FILL
                       ? filled_window(&s, x, start)
                       : ct_op_dynamic_slice_at(at, x, starts(&s, start), ct__shape(&s.size),
                                                mode.kind == CT_INDEX_STRICT);
    return ct__close(&s.q, y);
}

ct_tensor *ct_dynamic_update_slice_at(ct_place at, ct_tensor *x, ct_tensor *update, ct_list start,
                                      ct_index_mode mode)
{
    slice s;
    ct_tensor *const fixed[] = {x, update};
    if (!begin_window(&s, at, "dynamic_update_slice", "x update start...", 2, fixed, start, mode) ||
        !check_writing(&s.q, mode))
        return ct__poison(s.q.ctx);
    s.size = ct__extents_of(update);
    if (ct_dtype_of(update) != ct_dtype_of(x))
        return ct__composite_error(
            &s.q, CT_ERR_TYPE, "x is %s and update is %s; convert one of them with ct_cast",
            ct_dtype_name(ct_dtype_of(x)), ct_dtype_name(ct_dtype_of(update)));
    if (s.size.rank != s.from.rank)
        return ct__composite_error(&s.q, CT_ERR_SHAPE, "x has rank %d and update has rank %d",
                                   s.from.rank, s.size.rank);
    if (!fits(&s, "update"))
        return ct__poison(s.q.ctx);
    ct__open(&s.q);
    ct_tensor *y = mode.kind == CT_INDEX_SKIP
                       ? skipping_update(&s, x, update, start)
                       : ct_op_dynamic_update_slice_at(at, x, update, starts(&s, start),
                                                       mode.kind == CT_INDEX_STRICT);
    return ct__close(&s.q, y);
}

/* ---- Writing along an axis. */

/* A put in progress. */
typedef struct put {
    ct__composite q;
    ct_operand operand[3];
    int64_t axis, dim; /* where is written, and its extent */
    ct__extents at;    /* the shape of the indices, stretched to x's but on the axis */
} put;

/* The indices' extents are x's or 1, and those of the update the indices' or 1. */
static bool put_shapes(put *p, const ct_type *x, const ct_type *indices)
{
    const ct_operand *update = &p->operand[2];
    p->at = ct__extents_of(p->operand[1].tensor);
    if (x->rank != indices->rank)
        return ct__composite_fail(&p->q, CT_ERR_SHAPE, "x has rank %d and indices have rank %d",
                                  x->rank, indices->rank);
    for (int d = 0; d < x->rank; d++) {
        if (d != p->axis && indices->dim[d] != 1 && indices->dim[d] != x->dim[d])
            return ct__composite_fail(&p->q, CT_ERR_SHAPE,
                                      "on axis %d x has extent %" PRId64
                                      " and indices have %" PRId64,
                                      d, x->dim[d], indices->dim[d]);
        p->at.dim[d] = d == p->axis ? indices->dim[d] : x->dim[d];
    }
    const ct_type *type = update->kind == CT_OPERAND_TENSOR ? update->tensor->type : NULL;
    if (type && type->rank > x->rank)
        return ct__composite_fail(&p->q, CT_ERR_SHAPE, "update has rank %d, indices have rank %d",
                                  type->rank, x->rank);
    for (int d = 1; type && d <= type->rank; d++) {
        int64_t have = type->dim[type->rank - d], want = p->at.dim[x->rank - d];
        if (have != 1 && have != want)
            return ct__composite_fail(&p->q, CT_ERR_SHAPE,
                                      "on axis %d update has extent %" PRId64
                                      ", which does not stretch to %" PRId64,
                                      -d, have, want);
    }
    return true;
}

static bool begin_put(put *p, ct_place at, const char *name, int64_t axis, ct_index_mode mode)
{
    ct__composite *q = &p->q;
    if (!ct__begin(q, at, name, "x indices update", 3, p->operand) || !ct__allow(q, 1, CT__INTS) ||
        !check_writing(q, mode))
        return false;
    const ct_type *x = p->operand[0].tensor->type, *indices = p->operand[1].tensor->type;
    if (p->operand[2].kind == CT_OPERAND_TENSOR && p->operand[2].tensor->type->dtype != x->dtype)
        return ct__composite_fail(
            q, CT_ERR_TYPE, "x is %s and update is %s; convert one of them with ct_cast",
            ct_dtype_name(x->dtype), ct_dtype_name(p->operand[2].tensor->type->dtype));
    if (!ct__axis(q, "axis", axis, x->rank, &p->axis) || !put_shapes(p, x, indices))
        return false;
    p->dim = x->dim[p->axis];
    if (p->dim == 0 && indices->size > 0)
        return ct__composite_fail(
            q, CT_ERR_SHAPE, "axis %" PRId64 " has extent 0: there is nowhere to write", p->axis);
    return true;
}

/* A scatter skips what is out of range. */
static ct_tensor *written_index(const put *p, ct_tensor *i, ct_index_mode mode)
{
    if (mode.kind == CT_INDEX_SKIP || mode.kind == CT_INDEX_STRICT)
        return i;
    i = wide(&p->q, resolved(&p->q, i, p->dim, mode));
    return ct_op_clamp_at(p->q.at, beside(&p->q, i, 0), i, beside(&p->q, i, p->dim - 1));
}

static ct_tensor *written(const put *p, bool adds, ct_index_mode mode)
{
    ct__extents others = {.rank = 0};
    for (int d = 0; d < p->at.rank; d++)
        if (d != p->axis)
            others.dim[others.rank++] = d;
    const ct_scatter_dims dims = {.inserted_window_dims = {1, &p->axis},
                                  .input_batching_dims = ct__shape(&others),
                                  .scatter_indices_batching_dims = ct__shape(&others),
                                  .scatter_dims_to_operand_dims = {1, &p->axis},
                                  .index_vector_dim = p->at.rank,
                                  .strict = mode.kind == CT_INDEX_STRICT};
    ct_tensor *x = p->operand[0].tensor;
    ct_tensor *indices = ct__stretch(p->q.at, p->operand[1].tensor, &p->at);
    ct_tensor *update = ct__operand(&p->q, 2, x->type->dtype, &p->at);
    indices = written_index(p, indices, mode);
    return adds ? ct_op_scatter_add_at(p->q.at, x, indices, update, &dims)
                : ct_op_scatter_at(p->q.at, x, indices, update, NULL, &dims);
}

static ct_tensor *put_with(ct_place at, const char *name, bool adds, put *p, int64_t axis,
                           ct_index_mode mode)
{
    if (!begin_put(p, at, name, axis, mode))
        return ct__poison(p->q.ctx);
    ct__open(&p->q);
    return ct__close(&p->q, is_empty(&p->at) ? p->operand[0].tensor : written(p, adds, mode));
}

ct_tensor *ct_put_along_axis_at(ct_place at, ct_tensor *x, ct_tensor *indices, ct_operand update,
                                int64_t axis, ct_index_mode mode)
{
    put p = {.operand = {ct_operand_tensor(x), ct_operand_tensor(indices), update}};
    return put_with(at, "put_along_axis", false, &p, axis, mode);
}

ct_tensor *ct_add_along_axis_at(ct_place at, ct_tensor *x, ct_tensor *indices, ct_operand update,
                                int64_t axis, ct_index_mode mode)
{
    put p = {.operand = {ct_operand_tensor(x), ct_operand_tensor(indices), update}};
    return put_with(at, "add_along_axis", true, &p, axis, mode);
}

/* ---- One-hot rows, and counting. */

ct_tensor *ct_one_hot_at(ct_place at, ct_tensor *indices, int64_t n, ct_dtype dtype)
{
    const ct_operand operand[] = {ct_operand_tensor(indices)};
    ct__composite q;
    if (!ct__begin(&q, at, "one_hot", "indices", 1, operand) || !ct__allow(&q, 0, CT__INTS))
        return ct__poison(q.ctx);
    if (n < 0 || indices->type->rank == CT__MAX_RANK)
        return ct__composite_error(&q, CT_ERR_SHAPE, "rows of %" PRId64 " do not fit", n);
    if (ct_dtype_bytes(dtype) == 0)
        return ct__composite_error(&q, CT_ERR_ARGUMENT, "there is no dtype %d", (int)dtype);
    ct__extents shape = ct__extents_of(indices), axes = {.rank = shape.rank};
    for (int d = 0; d < axes.rank; d++)
        axes.dim[d] = d;
    shape.dim[shape.rank++] = n;
    ct__open(&q);
    ct_tensor *i = wide(&q, indices);
    ct_tensor *column = ct_op_iota_at(at, q.ctx, ct_dtype_of(i), ct__shape(&shape), shape.rank - 1);
    ct_tensor *row = ct_op_broadcast_in_dim_at(at, i, ct__shape(&shape), ct__shape(&axes));
    ct_tensor *hit = ct_op_compare_at(at, row, column, CT_EQ, CT_COMPARE_DEFAULT);
    return ct__close(&q, ct__convert(at, hit, dtype));
}

ct_tensor *ct_count_out_of_range_at(ct_place at, ct_tensor *indices, int64_t dim, int64_t window,
                                    ct_index_mode mode)
{
    const ct_operand operand[] = {ct_operand_tensor(indices)};
    ct__composite q;
    ct__extents all;
    if (!ct__begin(&q, at, "count_out_of_range", "indices", 1, operand) ||
        !ct__allow(&q, 0, CT__INTS) || !check_mode(&q, mode) ||
        !ct__axes(&q, CT_ALL_AXES, indices->type->rank, &all))
        return ct__poison(q.ctx);
    if (window < 0 || window > dim)
        return ct__composite_error(
            &q, CT_ERR_SHAPE, "a window of %" PRId64 " does not fit into %" PRId64, window, dim);
    ct__open(&q);
    ct_tensor *inside = in_range(&q, resolved(&q, indices, dim, mode), dim - window);
    ct_tensor *outside = ct__convert(at, ct_op_not_at(at, inside), CT_I64);
    return ct__close(&q,
                     all.rank == 0 ? outside : ct_op_reduce_add_at(at, outside, ct__shape(&all)));
}
