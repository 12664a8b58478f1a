/* Operands of composites: numbers beside tensors, broadcasting, axes, and messages about them. */
#include "trace/compose.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Names and messages. */

/* Word i of "pred x y"; a word with dots stands for the rest: of "x start...", 2 is "start[1]". */
static const char *operand_name(const ct__composite *q, size_t i, char *name, size_t bytes)
{
    const char *word = q->operands;
    size_t length = strcspn(word, " .");
    for (; i > 0 && word[length] == ' '; i--) {
        word += length + 1;
        length = strcspn(word, " .");
    }
    if (word[length] == '.')
        snprintf(name, bytes, "%.*s[%zu]", (int)length, word, i);
    else
        snprintf(name, bytes, "%.*s", (int)length, word);
    return name;
}

static void number_text(ct_operand x, char *text, size_t bytes)
{
    if (x.kind == CT_OPERAND_REAL)
        snprintf(text, bytes, "%.17g", x.number.real);
    else if (x.kind == CT_OPERAND_SIGNED)
        snprintf(text, bytes, "%" PRId64, x.number.integer);
    else
        snprintf(text, bytes, "%" PRIu64, x.number.natural);
}

static void operand_line(const ct__composite *q, size_t i, char *line, size_t bytes)
{
    char name[64], number[64];
    operand_name(q, i, name, sizeof name);
    if (q->operand[i].kind == CT_OPERAND_TENSOR) {
        ct__operand_line(name, q->operand[i].tensor, line, bytes);
        return;
    }
    number_text(q->operand[i], number, sizeof number);
    snprintf(line, bytes, "\n    %-9s %-12s number", name, number);
}

static void report(const ct__composite *q, ct_status status, const char *format, va_list list)
{
    enum { SHOWN = 4 };
    char text[1024], lines[SHOWN * 896] = "";
    vsnprintf(text, sizeof text, format, list);
    for (size_t i = 0, length = 0; i < q->n_operands && i < SHOWN; i++) {
        operand_line(q, i, lines + length, sizeof lines - length);
        length += strlen(lines + length);
    }
    ct__error(q->ctx, q->at, status, "%s: %s%s%s", q->name, text, lines,
              q->n_operands > SHOWN ? "\n    …" : "");
}

ct_tensor *ct__composite_error(const ct__composite *q, ct_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(q, status, format, list);
    va_end(list);
    return ct__poison(q->ctx);
}

void ct__composite_report(const ct__composite *q, ct_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(q, status, format, list);
    va_end(list);
}

/* ---- Beginning and end. */

/* Names are made only for messages: this runs for every composite. */
static bool check_operand(const ct__composite *q, size_t i)
{
    const ct_operand *operand = &q->operand[i];
    const ct_tensor *x = operand->tensor;
    char name[64];
    if (operand->kind == CT_OPERAND_TENSOR
            ? ct__operand_is_usable(q->ctx, x) && x->type->kind == CT__TENSOR
            : (unsigned)operand->kind <= CT_OPERAND_UNSIGNED)
        return true;
    operand_name(q, i, name, sizeof name);
    if (operand->kind != CT_OPERAND_TENSOR) /* without lines: not all are checked */
        ct__error(q->ctx, q->at, CT_ERR_ARGUMENT,
                  "%s: %s has operand kind %d, which does not exist", q->name, name,
                  (int)operand->kind);
    else if (ct__operand_check(q->ctx, q->at, q->name, name, x))
        ct__error(q->ctx, q->at, CT_ERR_TYPE, "%s: %s is not a tensor", q->name, name);
    return false;
}

bool ct__begin(ct__composite *q, ct_place at, const char *name, const char *operands,
               size_t n_operands, const ct_operand *operand)
{
    *q = (ct__composite){
        .at = at, .name = name, .operands = operands, .n_operands = n_operands, .operand = operand};
    for (size_t i = 0; i < n_operands && !q->ctx; i++)
        if (operand[i].kind == CT_OPERAND_TENSOR)
            q->ctx = ct_context_of(operand[i].tensor);
    if (ct_failed(q->ctx))
        return false;
    for (size_t i = 0; i < n_operands; i++)
        if (!check_operand(q, i))
            return false;
    return true;
}

bool ct__begin1(ct__composite *q, ct_place at, const char *name, ct_operand *operand, ct_tensor *x)
{
    *operand = ct_operand_tensor(x);
    return ct__begin(q, at, name, "x", 1, operand);
}

void ct__open(ct__composite *q)
{
    q->scope = ct__scope_begin(q->ctx, q->at, q->name);
}

ct_tensor *ct__close(ct__composite *q, ct_tensor *result)
{
    for (size_t i = 0; i < q->n_operands; i++) {
        if (q->operand[i].kind == CT_OPERAND_TENSOR && q->operand[i].tensor == result) {
            result = ct__alias(q->at, q->name, result);
            break;
        }
    }
    ct_keep(result);
    ct_scope_end(q->scope);
    return result;
}

ct_tensor *ct__alias(ct_place at, const char *origin, ct_tensor *x)
{
    ct_context *ctx = ct_context_of(x);
    if (ct_failed(ctx) || !ct__operand_check(ctx, at, origin, "x", x))
        return ct__poison(ctx);
    if (x->kind == CT__TRACED)
        return ct__tensor_traced(ctx, at, origin, x->trace, x->value, x->type);
    return ct__tensor_concrete(ctx, at, origin, ct__literal_retain(x->literal));
}

/* ---- Dtypes. */

ct__extents ct__extents_of(const ct_tensor *x)
{
    ct__extents extents = {.rank = x->type->rank};
    if (extents.rank)
        memcpy(extents.dim, x->type->dim, (size_t)extents.rank * sizeof *extents.dim);
    return extents;
}

bool ct__allow(const ct__composite *q, size_t i, unsigned classes)
{
    ct_dtype dtype = q->operand[i].tensor->type->dtype;
    if (ct__class_of(dtype) & classes)
        return true;
    char name[64], allowed[64] = "";
    static const struct {
        unsigned class;
        const char *words;
    } row[] = {{CT__FLOATS, "floats, "},
               {CT__INTS, "integers, "},
               {CT__BOOLS, "bool, "},
               {CT__COMPLEXES, "complex, "}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        if (classes & row[k].class)
            strcat(allowed, row[k].words);
    if (*allowed)
        allowed[strlen(allowed) - 2] = '\0';
    return ct__composite_fail(q, CT_ERR_TYPE, "%s is %s; it takes %s (ct_cast converts)",
                              operand_name(q, i, name, sizeof name), ct_dtype_name(dtype), allowed);
}

bool ct__common_dtype(const ct__composite *q, size_t first, ct_dtype *dtype)
{
    size_t from = q->n_operands;
    char a[64], b[64];
    for (size_t i = first; i < q->n_operands; i++) {
        if (q->operand[i].kind != CT_OPERAND_TENSOR)
            continue;
        ct_dtype own = q->operand[i].tensor->type->dtype;
        if (from < q->n_operands && own != *dtype)
            return ct__composite_fail(q, CT_ERR_TYPE,
                                      "%s is %s and %s is %s; convert one of them with ct_cast",
                                      operand_name(q, from, a, sizeof a), ct_dtype_name(*dtype),
                                      operand_name(q, i, b, sizeof b), ct_dtype_name(own));
        if (from == q->n_operands) {
            from = i;
            *dtype = own;
        }
    }
    if (from == q->n_operands)
        return ct__composite_fail(q, CT_ERR_ARGUMENT,
                                  "numbers alone have no dtype; make one of them with ct_scalar");
    return true;
}

ct_dtype ct__sum_dtype(ct_dtype dtype)
{
    return ct__is_narrow_float(dtype) ? CT_F32 : dtype;
}

ct_tensor *ct__convert(ct_place at, ct_tensor *x, ct_dtype dtype)
{
    return ct_dtype_of(x) == dtype ? x : ct_op_convert_at(at, x, dtype);
}

/* ---- Numbers. */

/* Whether dtype holds the number: integers and bool exactly; floats round, but not to infinity. */
static bool store(ct_dtype dtype, ct_operand x, void *element)
{
    if (x.kind == CT_OPERAND_SIGNED)
        return ct__store_signed(dtype, element, x.number.integer);
    if (x.kind == CT_OPERAND_UNSIGNED)
        return ct__store_unsigned(dtype, element, x.number.natural);
    return ct__store_double(dtype, element, x.number.real);
}

static double real_of(ct_operand x)
{
    if (x.kind == CT_OPERAND_SIGNED)
        return (double)x.number.integer;
    return x.kind == CT_OPERAND_UNSIGNED ? (double)x.number.natural : x.number.real;
}

/* Half of the last step beyond the largest finite value: from here on rounding gives infinity. */
static double overflow_of(ct_dtype dtype)
{
    switch (dtype) {
    case CT_F16: return 65520;
    case CT_BF16: return 0x1.FFp127;
    case CT_F32:
    case CT_C64: return 0x1.FFFFFFp127;
    default: return ct__is_small_float(dtype) ? ct__small_float_overflow(dtype) : INFINITY;
    }
}

static bool is_held(ct_dtype dtype, ct_operand x)
{
    _Alignas(16) unsigned char element[16];
    double real = real_of(x);
    if (!store(dtype, x, element))
        return false;
    if (isfinite(real))
        return fabs(real) < overflow_of(dtype);
    double held = ct__load_double(dtype, element); /* not all floats have infinities and NaNs */
    return isnan(real) ? isnan(held) : held == real;
}

/* A literal of the shape that repeats one element. */
static ct__literal *repeated(ct_context *ctx, ct_operand number, ct_dtype dtype,
                             const ct__extents *shape)
{
    static const int64_t still[CT__MAX_RANK];
    const ct_type *type = ct__type(ct__scratch_begin(ctx), dtype, shape->rank, shape->dim);
    ct__storage *storage = ct__storage_new(&ctx->allocator, ct_dtype_bytes(dtype));
    ct__literal *literal = NULL;
    if (type && storage) {
        store(dtype, number, storage->data);
        literal = ct__literal_new(storage, type, 0, still);
    } else {
        ct__storage_release(storage);
    }
    ct__scratch_end(ctx);
    return literal;
}

ct_tensor *ct__fill(ct_context *ctx, ct_place at, ct_operand number, ct_dtype dtype,
                    const ct__extents *shape)
{
    _Alignas(16) unsigned char element[16];
    if (ct_failed(ctx))
        return ct__poison(ctx);
    if (!store(dtype, number, element)) {
        char text[64];
        number_text(number, text, sizeof text);
        ct__error(ctx, at, CT_ERR_TYPE, "%s has no %s", ct_dtype_name(dtype), text);
        return ct__poison(ctx);
    }
    return ct__tensor_concrete(ctx, at, "number", repeated(ctx, number, dtype, shape));
}

ct_tensor *ct__number(const ct__composite *q, ct_operand number, ct_dtype dtype,
                      const ct__extents *shape)
{
    if (is_held(dtype, number))
        return ct__fill(q->ctx, q->at, number, dtype, shape);
    char text[64];
    number_text(number, text, sizeof text);
    return ct__composite_error(q, CT_ERR_ARGUMENT, "%s cannot hold the number %s",
                               ct_dtype_name(dtype), text);
}

/* ---- Broadcasting. */

/* Merges x's extents into shape; owner tells which operand an extent above 1 came from. */
static bool merge(const ct__composite *q, size_t i, ct__extents *shape, size_t *owner)
{
    const ct_type *type = q->operand[i].tensor->type;
    char a[64], b[64];
    for (int d = 1; d <= type->rank; d++) { /* d-th axis from the end */
        int64_t extent = type->dim[type->rank - d], *common = &shape->dim[CT__MAX_RANK - d];
        if (d > shape->rank || *common == 1) {
            *common = extent;
            owner[d - 1] = i;
        } else if (extent != 1 && extent != *common) {
            return ct__composite_fail(
                q, CT_ERR_SHAPE,
                "%s and %s do not broadcast: on axis %d their extents are %" PRId64 " and %" PRId64,
                operand_name(q, owner[d - 1], a, sizeof a), operand_name(q, i, b, sizeof b), -d,
                *common, extent);
        }
        if (d > shape->rank)
            shape->rank = d;
    }
    return true;
}

bool ct__broadcast(const ct__composite *q, size_t first, ct__extents *shape)
{
    size_t owner[CT__MAX_RANK];
    shape->rank = 0; /* extents are collected at the end of dim */
    for (size_t i = first; i < q->n_operands; i++)
        if (q->operand[i].kind == CT_OPERAND_TENSOR && !merge(q, i, shape, owner))
            return false;
    memmove(shape->dim, shape->dim + CT__MAX_RANK - shape->rank,
            (size_t)shape->rank * sizeof *shape->dim);
    return true;
}

ct_tensor *ct__stretch(ct_place at, ct_tensor *x, const ct__extents *shape)
{
    if (ct_is_poison(x))
        return x;
    const ct_type *type = x->type;
    int64_t axis[CT__MAX_RANK];
    bool same = type->rank == shape->rank;
    for (int d = 0; d < type->rank; d++) {
        axis[d] = shape->rank - type->rank + d;
        same = same && type->dim[d] == shape->dim[d];
    }
    if (same)
        return x;
    return ct_op_broadcast_in_dim_at(at, x, ct__shape(shape), (ct_dims){(size_t)type->rank, axis});
}

ct_tensor *ct__operand(const ct__composite *q, size_t i, ct_dtype dtype, const ct__extents *shape)
{
    if (q->operand[i].kind == CT_OPERAND_TENSOR)
        return ct__stretch(q->at, q->operand[i].tensor, shape);
    return ct__number(q, q->operand[i], dtype, shape);
}

/* ---- Axes. */

bool ct__axis(const ct__composite *q, const char *name, int64_t axis, int rank, int64_t *result)
{
    if (axis < -rank || axis >= rank)
        return ct__composite_fail(q, CT_ERR_SHAPE, "%s %" PRId64 " does not exist in rank %d", name,
                                  axis, rank);
    *result = axis < 0 ? axis + rank : axis;
    return true;
}

bool ct__axes_given(const ct__composite *q, ct_axes axes)
{
    return axes.all || axes.axis || axes.count == 0 ||
           ct__composite_fail(q, CT_ERR_ARGUMENT, "the axes are NULL");
}

bool ct__axes(const ct__composite *q, ct_axes axes, int rank, ct__extents *sorted)
{
    bool named[CT__MAX_RANK] = {false};
    if (!ct__axes_given(q, axes))
        return false;
    for (size_t i = 0; !axes.all && i < axes.count; i++) {
        int64_t axis = 0;
        if (!ct__axis(q, "axis", axes.axis[i], rank, &axis))
            return false;
        if (named[axis])
            return ct__composite_fail(q, CT_ERR_SHAPE, "axis %" PRId64 " is named twice", axis);
        named[axis] = true;
    }
    sorted->rank = 0;
    for (int d = 0; d < rank; d++)
        if (axes.all || named[d])
            sorted->dim[sorted->rank++] = d;
    return true;
}

bool ct__axes_listed(const ct__composite *q, ct_axes axes, int rank, ct__extents *list)
{
    if (!ct__axes(q, axes, rank, list)) /* checked, and all of them if so wanted */
        return false;
    for (int i = 0; !axes.all && i < list->rank; i++)
        list->dim[i] = axes.axis[i] < 0 ? axes.axis[i] + rank : axes.axis[i];
    return true;
}
