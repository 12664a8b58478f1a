/* What all operations' inference shares: the checks before it, messages, checks of lists and
 * bodies. */
#include "ops/quantize.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Failing. */

bool ct__fail(ct__infer *q, ct_status status, const char *format, ...)
{
    va_list arguments;

    q->status = status;
    va_start(arguments, format);
    vsnprintf(q->message, sizeof q->message, format, arguments);
    va_end(arguments);
    return false;
}

bool ct__fail_rank(ct__infer *q, const char *format, ...)
{
    va_list arguments;

    q->status = CT_ERR_SHAPE;
    q->by_rank = true;
    va_start(arguments, format);
    vsnprintf(q->message, sizeof q->message, format, arguments);
    va_end(arguments);
    return false;
}

bool ct__fail_memory(ct__infer *q)
{
    return ct__fail(q, CT_ERR_MEMORY, "out of memory");
}

/* ---- Text. A message holds a few of these: each is short. */

#define TEXT_BYTES 120

static const char *in_arena(ct__infer *q, const char *text)
{
    const char *copy = ct__arena_text(q->arena, text);

    return copy ? copy : "?";
}

const char *ct__type_str(ct__infer *q, const ct_type *type)
{
    char text[TEXT_BYTES];

    return in_arena(q, ct__type_print(type, text, sizeof text));
}

const char *ct__operand_str(ct__infer *q, size_t position)
{
    char text[TEXT_BYTES];

    return in_arena(q,
                    ct__operand_name(q->op, q->attrs, q->n_operands, position, text, sizeof text));
}

const char *ct__ints_str(ct__infer *q, ct__ints list)
{
    char text[TEXT_BYTES] = "[";
    size_t used = 1;

    for (size_t i = 0; i < list.count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64, i > 0 ? ", " : "",
                                 list.item[i]);
    if (used + 1 < sizeof text)
        memcpy(text + used, "]", 2);
    else
        memcpy(text + sizeof text - sizeof "…]", "…]", sizeof "…]");
    return in_arena(q, text);
}

/* "x: f32[4,5]" */
static const char *operand_and_type(ct__infer *q, size_t position)
{
    char text[2 * TEXT_BYTES];

    snprintf(text, sizeof text, "%s: %s", ct__operand_str(q, position),
             ct__type_str(q, q->in[position]));
    return in_arena(q, text);
}

/* ---- Results. */

bool ct__results(ct__infer *q, size_t count)
{
    q->out = CT__NEW_ARRAY(q->arena, const ct_type *, count);
    if (!q->out)
        return ct__fail_memory(q);
    q->n_results = count;
    return true;
}

bool ct__result_of_type(ct__infer *q, const ct_type *type)
{
    if (!ct__results(q, 1))
        return false;
    q->out[0] = type;
    return true;
}

const ct_type *ct__tensor(ct__infer *q, ct_dtype dtype, size_t rank, const int64_t *dim)
{
    const ct_status status = ct__type_check(dtype, rank, dim);
    const char *shape = status == CT_OK ? "" : ct__ints_str(q, (ct__ints){rank, dim});
    const ct_type *type = NULL;

    assert(ct_dtype_bytes(dtype) > 0);
    if (status == CT_ERR_SHAPE && rank > CT__MAX_RANK)
        ct__fail(q, status, "the result has rank %zu; at most %d is allowed", rank, CT__MAX_RANK);
    else if (status == CT_ERR_SHAPE)
        ct__fail(q, status, "the result's shape %s must not be negative", shape);
    else if (status != CT_OK)
        ct__fail(q, status, "the result's shape %s has too many elements", shape);
    else if (!(type = ct__type(q->arena, dtype, (int)rank, dim)))
        ct__fail_memory(q);
    return type;
}

const ct_type *ct__tensor_like(ct__infer *q, const ct_type *x, size_t rank, const int64_t *dim)
{
    const ct_type *type = ct__tensor(q, x->dtype, rank, dim);

    if (!type || !x->quantized)
        return type;
    if (x->quantized->axis >= 0) {
        ct__fail(q, CT_ERR_TYPE, "operands must have one scale for all their elements, got %s",
                 ct__type_str(q, x));
        return NULL;
    }
    type = ct__type_quantized(q->arena, type, x->quantized);
    if (!type)
        ct__fail_memory(q);
    return type;
}

bool ct__result(ct__infer *q, ct_dtype dtype, size_t rank, const int64_t *dim)
{
    const ct_type *type = ct__tensor(q, dtype, rank, dim);

    return type && ct__result_of_type(q, type);
}

/* ---- Operands. */

bool ct__check_tensors(ct__infer *q, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        if (q->in[i]->kind != CT__TENSOR)
            return ct__fail(q, CT_ERR_TYPE, "%s must be a tensor, got %s", ct__operand_str(q, i),
                            ct__type_str(q, q->in[i]));
    return true;
}

static bool must_agree(ct__infer *q, ct_status status, const char *what, size_t i, size_t j)
{
    return ct__fail(q, status, "%s and %s must have one %s, got %s and %s", ct__operand_str(q, i),
                    ct__operand_str(q, j), what, ct__type_str(q, q->in[i]),
                    ct__type_str(q, q->in[j]));
}

bool ct__check_dtypes(ct__infer *q, size_t i, size_t j)
{
    return (q->in[i]->dtype == q->in[j]->dtype &&
            ct__quantized_equal(q->in[i]->quantized, q->in[j]->quantized)) ||
           must_agree(q, CT_ERR_TYPE, "dtype", i, j);
}

bool ct__check_shapes(ct__infer *q, size_t i, size_t j)
{
    return ct__shape_equal(q->in[i], q->in[j]) || must_agree(q, CT_ERR_SHAPE, "shape", i, j);
}

bool ct__check_types(ct__infer *q, size_t i, size_t j)
{
    return ct__check_dtypes(q, i, j) && ct__check_shapes(q, i, j);
}

/* ---- Lists: of axes, or with an entry for each. */

bool ct__check_below(ct__infer *q, const char *name, ct__ints axes, int rank)
{
    for (size_t i = 0; i < axes.count; i++)
        if (axes.item[i] < 0 || axes.item[i] >= rank)
            return ct__fail_rank(q, "%s[%zu] = %" PRId64 " must be an axis in [0, %d)", name, i,
                                 axes.item[i], rank);
    return true;
}

/* Entry i of the two lists, one after the other. */
static int64_t entry(ct__ints axes, ct__ints other, size_t i)
{
    return i < axes.count ? axes.item[i] : other.item[i - axes.count];
}

/* Entries are axes, so the search ends after 64 of them. */
bool ct__check_distinct(ct__infer *q, const char *name, ct__ints axes, const char *other_name,
                        ct__ints other)
{
    for (size_t i = 1; i < axes.count + other.count; i++) {
        const int64_t axis = entry(axes, other, i);

        for (size_t j = 0; j < i; j++) {
            if (entry(axes, other, j) != axis)
                continue;
            if (other.count == 0)
                return ct__fail_rank(q, "%s = %s must not name axis %" PRId64 " twice", name,
                                     ct__ints_str(q, axes), axis);
            return ct__fail_rank(q, "%s = %s and %s = %s must not name axis %" PRId64 " twice",
                                 name, ct__ints_str(q, axes), other_name, ct__ints_str(q, other),
                                 axis);
        }
    }
    return true;
}

bool ct__check_sorted(ct__infer *q, const char *name, ct__ints axes)
{
    for (size_t i = 1; i < axes.count; i++)
        if (axes.item[i - 1] > axes.item[i])
            return ct__fail_rank(q, "%s = %s must be in ascending order", name,
                                 ct__ints_str(q, axes));
    return true;
}

bool ct__check_axes(ct__infer *q, const char *name, ct__ints axes, int rank)
{
    return ct__check_below(q, name, axes, rank) &&
           ct__check_distinct(q, name, axes, "", (ct__ints){0, NULL});
}

bool ct__check_per_axis(ct__infer *q, const char *name, ct__ints list, size_t position)
{
    if (list.count == (size_t)q->in[position]->rank)
        return true;
    return ct__fail_rank(q, "%s = %s must have one entry per axis of %s", name,
                         ct__ints_str(q, list), operand_and_type(q, position));
}

/* ---- Regions. */

static const char *region_name(ct__infer *q, size_t region)
{
    char text[TEXT_BYTES];

    if (q->op == CT__OP_custom_rule)
        return ct__rule_name(&q->attrs->custom_rule, region);
    return in_arena(q, ct__body_name(q->op, region, text, sizeof text));
}

static bool check_signature(ct__infer *q, size_t region, const char *verb, const char *what,
                            size_t n_got, const ct_type *const *got, size_t n_want,
                            const ct_type *const *want)
{
    if (n_got != n_want)
        return ct__fail(q, CT_ERR_ARGUMENT, "%s must %s %zu value%s, not %zu",
                        region_name(q, region), verb, n_want, n_want == 1 ? "" : "s", n_got);
    for (size_t i = 0; i < n_want; i++) {
        const bool same_shape = ct__shape_equal(got[i], want[i]);

        if (!ct__type_equal(got[i], want[i]))
            return ct__fail(q, same_shape ? CT_ERR_TYPE : CT_ERR_SHAPE,
                            "%s must %s %s as %s %zu, not %s", region_name(q, region), verb,
                            ct__type_str(q, want[i]), what, i, ct__type_str(q, got[i]));
    }
    return true;
}

bool ct__check_params(ct__infer *q, size_t region, size_t count, const ct_type *const *want)
{
    const ct__body_type *body = &q->region[region];

    return check_signature(q, region, "take", "parameter", body->n_params, body->param, count,
                           want);
}

bool ct__check_body_results(ct__infer *q, size_t region, size_t count, const ct_type *const *want)
{
    const ct__body_type *body = &q->region[region];

    return check_signature(q, region, "give", "result", body->n_results, body->result, count, want);
}

/* ---- Before an operation's own inference: what the table says. */

static bool check_bodies(ct__infer *q)
{
    bool open;
    const size_t bodies = ct__op_bodies(q->op, &open);

    if (open ? q->n_regions > bodies : q->n_regions == bodies)
        return true;
    return ct__fail(q, CT_ERR_ARGUMENT, "takes %s%zu bod%s, got %zu", open ? "more than " : "",
                    bodies, bodies == 1 ? "y" : "ies", q->n_regions);
}

static bool check_counts(ct__infer *q)
{
    bool open;
    const size_t arity = ct__op_arity(q->op, &open);

    if (q->n_operands < arity || (q->n_operands > arity && !open))
        return ct__fail(q, CT_ERR_ARGUMENT, "takes %s%zu operand%s, got %zu",
                        open ? "at least " : "", arity, arity == 1 ? "" : "s", q->n_operands);
    if (!check_bodies(q))
        return false;
    for (size_t i = 0; i < q->n_operands; i++)
        if (!q->in[i])
            return ct__fail(q, CT_ERR_ARGUMENT, "%s is NULL", ct__operand_str(q, i));
    return true;
}

static bool check_enum(ct__infer *q, const ct__field *field, int value)
{
    int count = 0;

    while (field->names[count])
        count++;
    if (value >= 0 && value < count)
        return true;
    return ct__fail(q, CT_ERR_ARGUMENT, "%s = %d must lie in [0, %d)", field->name, value, count);
}

static bool check_field(ct__infer *q, const ct__field *field)
{
    const void *value = (const unsigned char *)q->attrs + field->offset;

    switch (field->kind) {
    case CT__FIELD_INTS: {
        const ct__ints *list = value;

        if (list->count > 0 && !list->item)
            return ct__fail(q, CT_ERR_ARGUMENT, "%s is NULL", field->name);
        return true;
    }
    case CT__FIELD_LITERAL:
        if (!*(ct__literal *const *)value)
            return ct__fail(q, CT_ERR_ARGUMENT, "%s is NULL", field->name);
        return true;
    case CT__FIELD_ENUM: return check_enum(q, field, *(const int *)value);
    case CT__FIELD_INT:
    case CT__FIELD_FLAG:
    case CT__FIELD_DTYPE:
    case CT__FIELD_REAL:
    case CT__FIELD_TEXT: return true;
    }
    return true;
}

/* Attributes are there, lists and literals have memory behind them, enums are known. */
static bool check_attrs(ct__infer *q)
{
    const ct__attrs_info *info = ct__attrs_describe(ct__op_describe(q->op)->attrs);

    if (info->n_fields > 0 && !q->attrs)
        return ct__fail(q, CT_ERR_ARGUMENT, "the attributes are NULL");
    for (size_t i = 0; i < info->n_fields; i++)
        if (!check_field(q, &info->field[i]))
            return false;
    return true;
}

/* "an integer, float or bool" */
static const char *classes_str(ct__infer *q, unsigned classes)
{
    static const struct {
        unsigned class;
        const char *article, *name;
    } word[] = {{CT__INTS, "an ", "integer"},
                {CT__SIGNED, "a ", "signed integer"},
                {CT__FLOATS, "a ", "float"},
                {CT__BOOLS, "a ", "bool"},
                {CT__COMPLEXES, "a ", "complex"}};
    char text[TEXT_BYTES] = "";
    unsigned left = classes & CT__ANY;
    size_t used = 0;

    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
        const char *before = used == 0 ? word[i].article : left == word[i].class ? " or " : ", ";

        if ((left & word[i].class) != word[i].class)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", before, word[i].name);
        left &= ~word[i].class;
    }
    return in_arena(q, text);
}

/* C1 of elementwise operations. Where there are bodies, only the first operand is looked at here:
 * captures may be of any kind. */
static bool check_operands(ct__infer *q)
{
    const ct__op_info *info = ct__op_describe(q->op);

    if (q->n_operands == 0 || info->dtypes == CT__OTHER)
        return true;
    if (!ct__check_tensors(q, 0, ct__has(q->op, CT__REGIONS) ? 1 : q->n_operands))
        return false;
    if (!(ct__class_of(q->in[0]->dtype) & info->dtypes)) /* C1 */
        return ct__fail(q, CT_ERR_TYPE, "%s must be %s, got %s", ct__operand_str(q, 0),
                        classes_str(q, info->dtypes), ct__type_str(q, q->in[0]));
    return true;
}

/* The row's own inference, after what the table says of its operands. */
static bool infer_row(ct__infer *q)
{
    static bool (*const infer_of[CT__OP_COUNT])(ct__infer *) = {
#define OP(name, operands, dtypes, attrs, traits, infer, ...) ct__infer_##infer,
#include "ops/ops.def"
#undef OP
    };

    return check_operands(q) && infer_of[q->op](q);
}

bool ct__infer_types(ct__infer *q)
{
    q->status = CT_OK;
    q->message[0] = 0;
    q->by_rank = false;
    q->n_results = 0;
    q->out = NULL;
    if (check_counts(q) && check_attrs(q) && ct__infer_quantized(q, infer_row))
        return true;
    q->n_results = 0;
    q->out = NULL;
    return false;
}
