#include "trace/compose.h"

#include <cotangent/index_check.h>

#include <inttypes.h>

/* A check of concrete indices. */
typedef struct check {
    ct__composite q;
    ct_operand operand;
    const unsigned char *data; /* contiguous */
    ct_dtype dtype;
    ct__extents shape;
    int64_t size, last;
} check;

static bool begin(check *c, ct_place at, const char *name, ct_tensor *indices, int64_t dim,
                  int64_t window)
{
    ct__composite *q = &c->q;
    *c = (check){.operand = ct_operand_tensor(indices)};
    if (!ct__begin(q, at, name, "indices", 1, &c->operand) || !ct__allow(q, 0, CT__INTS))
        return false;
    if (indices->kind == CT__TRACED)
        return ct__composite_fail(q, CT_ERR_TRACED,
                                  "indices are traced and have no values yet; "
                                  "ct_count_out_of_range counts in the graph");
    if (window < 0 || window > dim)
        return ct__composite_fail(
            q, CT_ERR_SHAPE, "a window of %" PRId64 " does not fit into %" PRId64, window, dim);
    c->data = ct__tensor_data(indices);
    c->dtype = indices->type->dtype;
    c->shape = ct__extents_of(indices);
    c->size = indices->type->size;
    c->last = dim - window;
    return c->data != NULL;
}

static const void *element(const check *c, int64_t position)
{
    return c->data + (size_t)position * ct_dtype_bytes(c->dtype);
}

/* Counts the indices out of range; the first `capacity` are stored. */
static size_t find(const check *c, ct_misplaced *found, size_t capacity)
{
    size_t count = 0;
    for (int64_t i = 0; i < c->size; i++) {
        if (ct__index_in_range(c->dtype, element(c, i), c->last))
            continue;
        if (count < capacity)
            found[count] = (ct_misplaced){i, (int64_t)ct__load_integer(c->dtype, element(c, i))};
        count++;
    }
    return count;
}

size_t ct_find_out_of_range_at(ct_place at, ct_tensor *indices, int64_t dim, int64_t window,
                               ct_misplaced *found, size_t capacity)
{
    check c;
    if (!begin(&c, at, "find_out_of_range", indices, dim, window))
        return 0;
    if (!found && capacity > 0) {
        ct__error(indices->handle.ctx, at, CT_ERR_ARGUMENT, "find_out_of_range: found is NULL");
        return 0;
    }
    return find(&c, found, capacity);
}

/* ---- The text. */

/* "[0, 2]"; "[]" for a scalar. */
static void add_coordinates(ct__text *text, const check *c, int64_t position)
{
    int64_t index[CT__MAX_RANK];
    ct__coordinates(c->shape.rank, c->shape.dim, position, index);
    ct__text_add(text, "[");
    for (int d = 0; d < c->shape.rank; d++)
        ct__text_add(text, d ? ", %" PRId64 : "%" PRId64, index[d]);
    ct__text_add(text, "]");
}

static void add_report(ct__text *text, const check *c)
{
    enum { LISTED = 10 };
    ct_misplaced found[LISTED];
    size_t count = find(c, found, LISTED);
    ct__text_add(text, "%zu of %" PRId64 " indices are outside [0, %" PRId64 "]%s", count, c->size,
                 c->last, count ? ":" : "");
    for (size_t i = 0; i < count && i < LISTED; i++) {
        ct__text_add(text, "\n  ");
        add_coordinates(text, c, found[i].position);
        if (c->dtype == CT_U64)
            ct__text_add(text, " = %" PRIu64, (uint64_t)found[i].value);
        else
            ct__text_add(text, " = %" PRId64, found[i].value);
    }
    if (count > LISTED)
        ct__text_add(text, "\n  …");
}

const char *ct_out_of_range_text_at(ct_place at, ct_tensor *indices, int64_t dim, int64_t window)
{
    check c;
    if (!begin(&c, at, "out_of_range_text", indices, dim, window))
        return "";
    ct__text text;
    ct__text_init(&text, &c.q.ctx->allocator);
    add_report(&text, &c);
    return ct__scope_take(c.q.ctx, at, "out_of_range_text", &text);
}
