#include "interop/stablehlo/read_build.h"

#include <inttypes.h>

/* Operations whose shapes are operands: when these are known, they are operations of the table. */

bool ct__read_fail_value(ct__reader *r, const char *at, const char *what)
{
    r->lacks_value = true;
    if (r->is_checking)
        return false;
    return ct__read_fail(r, at,
                         "%s must be known when the program is read; it depends on more than "
                         "constants",
                         what);
}

bool ct__fold_operand(ct__reader *r, ct__statement *s, size_t i, const char *what, ct__ints *ints)
{
    const ct__literal *literal = ct__fold_value(r, s->operand[i]);
    if (!literal && ct_failed(r->ctx))
        return ct__read_fail_context(r, s->at);
    if (!literal)
        return ct__read_fail_value(r, s->operand_at[i], what);
    const ct__attribute value = {.kind = CT__ATTRIBUTE_DENSE, .literal = (ct__literal *)literal};
    if (literal->type->kind == CT__TENSOR && ct__attribute_ints(r, &value, ints))
        return true;
    return ct__read_fail(r, s->operand_at[i], "%s must be integers, not %s", what,
                         ct__written_type(r, literal->type));
}

static ct_dims dims(ct__ints ints)
{
    return (ct_dims){ints.count, ints.item};
}

/* The written type, with these extents; an error unless they agree. */
bool ct__refine_result(ct__reader *r, ct__statement *s, size_t i, ct__ints shape)
{
    const ct_type *written = s->result_types.item[i];
    if (written->kind != CT__TENSOR ||
        ct__type_check(written->dtype, shape.count, shape.item) != CT_OK)
        return ct__read_fail(r, s->types_at, "the shape operand does not make a type like %s",
                             ct__written_type(r, written));
    ct_type known = *written;
    known.rank = (int)shape.count;
    known.dim = shape.item;
    ct__count_elements(shape.count, shape.item, &known.size);
    if (!ct__type_matches(&known, written))
        return ct__read_fail(r, s->types_at, "result %zu of '%.*s' is %s, its type says %s", i,
                             ct__span_shown(s->spelling), s->spelling.at,
                             ct__written_type(r, &known), ct__written_type(r, written));
    s->result_types.item[i] = ct__type_copy(&r->arena, &known);
    return s->result_types.item[i] || ct__read_fail_memory(r);
}

static bool check_one_result(ct__reader *r, const ct__statement *s)
{
    return s->result_types.count == 1 ||
           ct__read_fail(r, s->types_at ? s->types_at : s->at,
                         "'%.*s' has 1 result, its type says %zu", ct__span_shown(s->spelling),
                         s->spelling.at, s->result_types.count);
}

/* dynamic_reshape(x, shape) */
static bool build_reshape(ct__reader *r, ct__statement *s)
{
    ct__ints shape = {0, NULL};
    if (!ct__check_operand_count(r, s, 2, 2) || !ct__fold_operand(r, s, 1, "the shape", &shape))
        return false;
    return ct__build_result(r, s, ct_op_reshape_at(s->place, s->operand[0], dims(shape)));
}

/* Of quantized elements: the real numbers, quantized. */
static bool build_quantized_iota(ct__reader *r, ct__statement *s)
{
    const ct_type *type = s->result_types.item[0];
    int64_t axis = 0;
    if (!ct__use_integer(r, s, "iota_dimension", true, &axis))
        return false;
    if (ct__is_per_axis(type))
        return ct__read_fail(r, s->types_at,
                             "the result must have one scale for all its elements, not be %s",
                             ct__written_type(r, type));
    ct_tensor *x = ct_op_iota_at(s->place, r->ctx, type->quantized->expressed,
                                 (ct_dims){(size_t)type->rank, type->dim}, axis);
    return ct__build_result(r, s,
                            ct__apply1(&(ct__request){.ctx = r->ctx,
                                                      .at = s->place,
                                                      .op = CT__OP_uniform_quantize,
                                                      .n_operands = 1,
                                                      .operand = &x,
                                                      .n_given = 1,
                                                      .given = &type}));
}

/* iota() */
static bool build_iota(ct__reader *r, ct__statement *s)
{
    const bool is_quantized = s->result_types.count == 1 &&
                              ct__type_is_known(s->result_types.item[0]) &&
                              s->result_types.item[0]->quantized;
    if (!is_quantized)
        return ct__build_as(r, s, "stablehlo.iota");
    return ct__check_operand_count(r, s, 0, 0) && build_quantized_iota(r, s);
}

/* dynamic_iota(shape) */
static bool build_dynamic_iota(ct__reader *r, ct__statement *s)
{
    ct__ints shape = {0, NULL};
    if (!ct__check_operand_count(r, s, 1, 1) || !check_one_result(r, s) ||
        !ct__fold_operand(r, s, 0, "the shape", &shape) || !ct__refine_result(r, s, 0, shape))
        return false;
    ct__keep_operands(s, 0, 0);
    return build_iota(r, s);
}

/* dynamic_broadcast_in_dim(x, shape) */
static bool build_broadcast(ct__reader *r, ct__statement *s)
{
    ct__ints shape = {0, NULL}, axes = {0, NULL};
    if (!ct__check_operand_count(r, s, 2, 2) || !check_one_result(r, s) ||
        !ct__fold_operand(r, s, 1, "the shape", &shape) ||
        !ct__use_ints(r, s, "broadcast_dimensions", true, &axes))
        return false;
    return ct__build_result(
        r, s, ct_op_broadcast_in_dim_at(s->place, s->operand[0], dims(shape), dims(axes)));
}

/* dynamic_pad(x, value, low, high, interior) */
static bool build_pad(ct__reader *r, ct__statement *s)
{
    ct__ints low = {0, NULL}, high = {0, NULL}, interior = {0, NULL};
    if (!ct__check_operand_count(r, s, 5, 5) || !ct__fold_operand(r, s, 2, "the padding", &low) ||
        !ct__fold_operand(r, s, 3, "the padding", &high) ||
        !ct__fold_operand(r, s, 4, "the padding", &interior))
        return false;
    return ct__build_result(r, s,
                            ct_op_pad_at(s->place, s->operand[0], s->operand[1], dims(low),
                                         dims(high), dims(interior)));
}

/* ---- real_dynamic_slice(x, start, limit, strides) */

/* The vector as scalars. */
static bool split(ct__reader *r, const ct__statement *s, ct_tensor *x, ct_tensor **scalar)
{
    const int64_t one = 1;
    for (int64_t d = 0; d < x->type->dim[0]; d++) {
        const int64_t next = d + 1;
        ct_tensor *item = ct_op_slice_at(s->place, x, (ct_dims){1, &d}, (ct_dims){1, &next},
                                         (ct_dims){1, &one});
        scalar[d] = ct_op_reshape_at(s->place, item, (ct_dims){0, NULL});
    }
    return !ct_failed(r->ctx) || ct__read_fail_context(r, s->at);
}

/* Extents of the window: as they are written, or limit - start. */
static bool window_sizes(ct__reader *r, const ct__statement *s, int64_t *size)
{
    const ct_type *written = s->result_types.item[0];
    const ct__literal *difference = ct__fold_difference(r, s->operand[2], s->operand[1]);
    const ct__attribute value = {.kind = CT__ATTRIBUTE_DENSE, .literal = (ct__literal *)difference};
    ct__ints known = {0, NULL};
    if (ct_failed(r->ctx))
        return ct__read_fail_context(r, s->at);
    if (difference && !ct__attribute_ints(r, &value, &known))
        return ct__read_fail(r, s->operand_at[2], "the limit must be integers");
    for (int d = 0; d < written->rank; d++) {
        size[d] = written->dim[d];
        if (ct__extent_is_known(size[d]))
            continue;
        if ((size_t)d >= known.count)
            return ct__read_fail_value(r, s->operand_at[2], "the size of the slice");
        size[d] = known.item[d];
    }
    return true;
}

/* From a start that is known when the program runs: a dynamic_slice, whose start is clamped. */
static bool build_window(ct__reader *r, ct__statement *s)
{
    ct__ints strides = {0, NULL};
    int64_t size[CT__MAX_RANK];
    ct_tensor *start[CT__MAX_RANK];
    const ct_type *x = s->operand[0]->type, *from = s->operand[1]->type;
    if (!check_one_result(r, s) || !ct__fold_operand(r, s, 3, "the stride", &strides))
        return false;
    const size_t rank = (size_t)x->rank;
    if (x->kind != CT__TENSOR || from->kind != CT__TENSOR || from->rank != 1 ||
        from->dim[0] != x->rank || s->result_types.item[0]->kind != CT__TENSOR ||
        s->result_types.item[0]->rank != x->rank)
        return ct__read_fail(r, s->at, "start and result do not fit %s", ct__written_type(r, x));
    for (size_t d = 0; d < strides.count; d++)
        if (strides.item[d] != 1)
            return ct__read_fail(r, s->operand_at[3],
                                 "a slice whose start is not known when the program is read has "
                                 "strides 1, not %" PRId64,
                                 strides.item[d]);
    if (!window_sizes(r, s, size) || !split(r, s, s->operand[1], start))
        return false;
    return ct__build_result(r, s,
                            ct_op_dynamic_slice_at(s->place, s->operand[0], (ct_list){rank, start},
                                                   (ct_dims){rank, size}, false));
}

static bool build_slice(ct__reader *r, ct__statement *s)
{
    ct__ints start = {0, NULL}, limit = {0, NULL}, strides = {0, NULL};
    if (!ct__check_operand_count(r, s, 4, 4))
        return false;
    const bool is_known = ct__fold_value(r, s->operand[1]) && ct__fold_value(r, s->operand[2]);
    if (ct_failed(r->ctx))
        return ct__read_fail_context(r, s->at);
    if (!is_known && r->is_checking)
        return ct__read_fail_value(r, s->operand_at[1], "the start");
    if (!is_known)
        return build_window(r, s);
    if (!ct__fold_operand(r, s, 1, "the start", &start) ||
        !ct__fold_operand(r, s, 2, "the limit", &limit) ||
        !ct__fold_operand(r, s, 3, "the stride", &strides))
        return false;
    return ct__build_result(
        r, s, ct_op_slice_at(s->place, s->operand[0], dims(start), dims(limit), dims(strides)));
}

/* dynamic_gather(x, indices, sizes) */
static bool build_gather(ct__reader *r, ct__statement *s)
{
    ct__ints sizes = {0, NULL};
    if (!ct__check_operand_count(r, s, 3, 3) ||
        !ct__fold_operand(r, s, 2, "the slice's size", &sizes) ||
        !ct__dict_set_ints(r, &s->attributes, "slice_sizes", sizes))
        return false;
    ct__keep_operands(s, 0, 2);
    return ct__build_as(r, s, "stablehlo.gather");
}

/* dynamic_conv(x, kernel, padding) */
static bool build_conv(ct__reader *r, ct__statement *s)
{
    ct__ints padding = {0, NULL};
    if (!ct__check_operand_count(r, s, 3, 3) ||
        !ct__fold_operand(r, s, 2, "the padding", &padding) ||
        !ct__dict_set_ints(r, &s->attributes, "padding", padding))
        return false;
    ct__keep_operands(s, 0, 2);
    return ct__build_as(r, s, "stablehlo.convolution");
}

/* rng(a, b, shape) */
static bool build_rng(ct__reader *r, ct__statement *s)
{
    ct__ints shape = {0, NULL};
    if (!ct__check_operand_count(r, s, 3, 3) || !check_one_result(r, s) ||
        !ct__fold_operand(r, s, 2, "the shape", &shape) || !ct__refine_result(r, s, 0, shape))
        return false;
    ct__keep_operands(s, 0, 2);
    return ct__build_as(r, s, "stablehlo.rng");
}

/* "dimension", an axis of operand 0. */
static bool use_axis(ct__reader *r, ct__statement *s, int64_t *axis)
{
    const ct_type *x = s->operand[0]->type;
    if (!ct__use_integer(r, s, "dimension", true, axis))
        return false;
    return (x->kind == CT__TENSOR && *axis >= 0 && *axis < x->rank) ||
           ct__read_fail(r, s->operand_at[0], "%s has no axis %" PRId64, ct__written_type(r, x),
                         *axis);
}

/* A constant i32 scalar. */
static bool build_size(ct__reader *r, ct__statement *s)
{
    int64_t axis = 0;
    if (!ct__check_operand_count(r, s, 1, 1) || !use_axis(r, s, &axis))
        return false;
    const ct_type *x = s->operand[0]->type;
    if (x->dim[axis] > INT32_MAX)
        return ct__read_fail(r, s->operand_at[0], "the extent %" PRId64 " does not fit into i32",
                             x->dim[axis]);
    const ct_type scalar = {.kind = CT__TENSOR, .dtype = CT_I32, .size = 1};
    return ct__build_result(r, s, ct__build_integer(r, s->place, &scalar, x->dim[axis]));
}

/* set_dimension_size(x, size): the first elements along an axis. */
static bool build_resize(ct__reader *r, ct__statement *s)
{
    int64_t axis = 0, start[CT__MAX_RANK] = {0}, limit[CT__MAX_RANK], stride[CT__MAX_RANK];
    ct__ints size = {0, NULL};
    if (!ct__check_operand_count(r, s, 2, 2) || !use_axis(r, s, &axis) ||
        !ct__fold_operand(r, s, 1, "the size", &size))
        return false;
    const ct_type *x = s->operand[0]->type;
    if (s->operand[1]->type->rank != 0)
        return ct__read_fail(r, s->operand_at[1], "expected a scalar as the size, found %s",
                             ct__written_type(r, s->operand[1]->type));
    const int64_t extent = size.count == 1 ? size.item[0] : -1;
    if (extent < 0 || extent > x->dim[axis])
        return ct__read_fail(r, s->operand_at[1],
                             "expected a size of at most the extent %" PRId64 ", found %" PRId64,
                             x->dim[axis], extent);
    for (int d = 0; d < x->rank; d++) {
        limit[d] = d == axis ? extent : x->dim[d];
        stride[d] = 1;
    }
    const size_t rank = (size_t)x->rank;
    return ct__build_result(r, s,
                            ct_op_slice_at(s->place, s->operand[0], (ct_dims){rank, start},
                                           (ct_dims){rank, limit}, (ct_dims){rank, stride}));
}

/* ---- Open statements: axes and ranks. */

/* Operand i, a list with an entry for each axis of a type: its length where that is written. */
static bool check_length(ct__reader *r, const ct__statement *s, size_t i, const ct_type *of)
{
    const ct_type *list = s->operand[i]->type;
    if (!list || list->kind != CT__TENSOR || of->kind != CT__TENSOR)
        return true;
    if (list->rank == 1 && ct__extent_matches(list->dim[0], of->rank))
        return true;
    return ct__read_fail(r, s->operand_at[i], "%s has no entry for each axis of %s",
                         ct__written_type(r, list), ct__written_type(r, of));
}

static bool check_shaped(ct__reader *r, ct__statement *s, size_t n_operands)
{
    return ct__check_operand_count(r, s, n_operands, n_operands) && check_one_result(r, s) &&
           check_length(r, s, n_operands - 1, s->result_types.item[0]);
}

static bool check_broadcast(ct__reader *r, ct__statement *s)
{
    ct__ints axes = {0, NULL};
    if (!check_shaped(r, s, 2) || !ct__use_ints(r, s, "broadcast_dimensions", true, &axes))
        return false;
    const ct_type *x = s->operand[0]->type, *y = s->result_types.item[0];
    if (x && axes.count != (size_t)x->rank)
        return ct__fail_kind(r, s, "broadcast_dimensions", "a list with an axis for each of x");
    for (size_t i = 0; i < axes.count; i++) {
        bool fine = axes.item[i] >= 0 && axes.item[i] < y->rank;
        for (size_t k = 0; k < i; k++)
            fine = fine && axes.item[k] != axes.item[i];
        if (!fine)
            return ct__fail_kind(r, s, "broadcast_dimensions", "a list of axes of the result");
    }
    return true;
}

static bool check_iota(ct__reader *r, ct__statement *s)
{
    int64_t axis = 0;
    if (!check_shaped(r, s, 1) || !ct__use_integer(r, s, "iota_dimension", true, &axis))
        return false;
    return (axis >= 0 && axis < s->result_types.item[0]->rank) ||
           ct__read_fail(r, s->at, "%s has no axis %" PRId64,
                         ct__written_type(r, s->result_types.item[0]), axis);
}

static bool check_reshape(ct__reader *r, ct__statement *s)
{
    return check_shaped(r, s, 2);
}

static bool check_pad(ct__reader *r, ct__statement *s)
{
    const ct_type *x = s->n_operands > 0 ? s->operand[0]->type : NULL;
    return ct__check_operand_count(r, s, 5, 5) && check_one_result(r, s) &&
           (!x ||
            (check_length(r, s, 2, x) && check_length(r, s, 3, x) && check_length(r, s, 4, x)));
}

static bool check_slice(ct__reader *r, ct__statement *s)
{
    const ct_type *x = s->n_operands > 0 ? s->operand[0]->type : NULL;
    return ct__check_operand_count(r, s, 4, 4) && check_one_result(r, s) &&
           (!x ||
            (check_length(r, s, 1, x) && check_length(r, s, 2, x) && check_length(r, s, 3, x)));
}

static bool check_size(ct__reader *r, ct__statement *s)
{
    int64_t axis = 0;
    return ct__check_operand_count(r, s, 1, 1) && check_one_result(r, s) && use_axis(r, s, &axis);
}

static bool check_resize(ct__reader *r, ct__statement *s)
{
    int64_t axis = 0;
    return ct__check_operand_count(r, s, 2, 2) && check_one_result(r, s) && use_axis(r, s, &axis);
}

static const ct__builder_row checks[] = {{"stablehlo.dynamic_reshape", check_reshape},
                                         {"chlo.dynamic_reshape", check_reshape},
                                         {"stablehlo.dynamic_iota", check_iota},
                                         {"stablehlo.dynamic_broadcast_in_dim", check_broadcast},
                                         {"stablehlo.dynamic_pad", check_pad},
                                         {"stablehlo.real_dynamic_slice", check_slice},
                                         {"stablehlo.get_dimension_size", check_size},
                                         {"stablehlo.set_dimension_size", check_resize},
                                         {NULL, NULL}};

ct__builder *ct__dynamic_check(ct__span spelling)
{
    return ct__builder_in(checks, spelling);
}

/* ---- All of them. */

static const ct__builder_row rows[] = {{"stablehlo.dynamic_reshape", build_reshape},
                                       {"chlo.dynamic_reshape", build_reshape},
                                       {"stablehlo.iota", build_iota},
                                       {"stablehlo.dynamic_iota", build_dynamic_iota},
                                       {"stablehlo.dynamic_broadcast_in_dim", build_broadcast},
                                       {"stablehlo.dynamic_pad", build_pad},
                                       {"stablehlo.real_dynamic_slice", build_slice},
                                       {"stablehlo.dynamic_gather", build_gather},
                                       {"stablehlo.dynamic_conv", build_conv},
                                       {"stablehlo.rng", build_rng},
                                       {"stablehlo.get_dimension_size", build_size},
                                       {"stablehlo.set_dimension_size", build_resize},
                                       {NULL, NULL}};

ct__builder *ct__dynamic_builder(ct__span spelling)
{
    return ct__builder_in(rows, spelling);
}
