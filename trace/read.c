/* Reading concrete tensors. A good value can be read while its context holds an error. */
#include "trace/trace.h"

#include <inttypes.h>
#include <string.h>

/* ---- Elements. */

/* x's literal; NULL after reporting why `what` cannot have its data. */
static const ct__literal *readable(ct_place at, const char *what, const ct_tensor *x)
{
    ct_context *ctx = ct_context_of(x);

    if (ct_is_concrete(x))
        return x->literal;
    if (ct_is_poison(x))
        ct__error(ctx, at, CT_ERR_POISON, "%s: x is the poisoned result of an earlier error", what);
    else if (ct_is_traced(x))
        ct__error(ctx, at, CT_ERR_TRACED,
                  "%s: x is traced and has no data (choose by its value with ct_where or ct_if)",
                  what);
    else
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: x is a type without data (ct_spec)", what);
    return NULL;
}

static const void *element_at(const ct__literal *x, int64_t offset)
{
    return x->storage->data + offset * (int64_t)ct_dtype_bytes(x->type->dtype);
}

double ct_item_at(ct_place at, ct_tensor *x)
{
    const ct__literal *literal = readable(at, "item", x);
    char type[256];

    if (!literal)
        return 0;
    if (literal->type->size != 1) {
        ct__error(ct_context_of(x), at, CT_ERR_SHAPE, "item: x has %" PRId64 " elements, not 1: %s",
                  literal->type->size, ct__type_print(literal->type, type, sizeof type));
        return 0;
    }
    return ct__load_double(literal->type->dtype, element_at(literal, literal->offset));
}

/* The element at the indices; NULL after an error. */
static const void *find(ct_place at, ct_tensor *x, ct_shape indices)
{
    const ct__literal *literal = readable(at, "at", x);
    const ct_type *type = literal ? literal->type : NULL;
    ct_context *ctx = ct_context_of(x);
    char text[256];

    if (!literal)
        return NULL;
    if (!indices.dim && indices.count > 0) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "at: the indices are NULL");
        return NULL;
    }
    if (indices.count != (size_t)type->rank) {
        ct__error(ctx, at, CT_ERR_SHAPE, "at: %zu %s for the %d axes of x: %s", indices.count,
                  indices.count == 1 ? "index" : "indices", type->rank,
                  ct__type_print(type, text, sizeof text));
        return NULL;
    }
    int64_t offset = literal->offset;

    for (int d = 0; d < type->rank; d++) {
        int64_t i = indices.dim[d] < 0 ? indices.dim[d] + type->dim[d] : indices.dim[d];

        if (i < 0 || i >= type->dim[d]) {
            ct__error(ctx, at, CT_ERR_INDEX, "at: index %" PRId64 " of axis %d is outside x: %s",
                      indices.dim[d], d, ct__type_print(type, text, sizeof text));
            return NULL;
        }
        offset += i * literal->stride[d];
    }
    return element_at(literal, offset);
}

double ct_element_at(ct_place at, ct_tensor *x, ct_shape indices)
{
    const void *element = find(at, x, indices);

    return element ? ct__load_double(x->type->dtype, element) : 0;
}

int64_t ct_element_int_at(ct_place at, ct_tensor *x, ct_shape indices)
{
    const void *element = find(at, x, indices);

    if (!element)
        return 0;
    if (!ct_dtype_is_integer(x->type->dtype)) {
        ct__error(ct_context_of(x), at, CT_ERR_TYPE, "at_int: x is %s, not an integer",
                  ct_dtype_name(x->type->dtype));
        return 0;
    }
    return (int64_t)ct__load_integer(x->type->dtype, element);
}

/* ---- All elements. */

const void *ct_data_at(ct_place at, ct_tensor *x)
{
    const void *data = readable(at, "data", x) ? ct__tensor_data(x) : NULL;

    if (!data && ct_is_concrete(x))
        ct__error_memory(ct_context_of(x), at, "data");
    return data;
}

/* The elements of a literal in row-major order. */
typedef struct walk {
    const ct__literal *x;
    int64_t left;   /* elements not visited yet */
    int64_t offset; /* of the current one, in elements */
    int64_t index[CT__MAX_RANK];
} walk;

static walk walk_begin(const ct__literal *x)
{
    walk w = {.x = x, .left = x->type->size, .offset = x->offset};

    return w;
}

/* The current element, after which the walk moves on. Needs left > 0. */
static const void *walk_next(walk *w)
{
    const void *element = element_at(w->x, w->offset);
    const int64_t *dim = w->x->type->dim, *stride = w->x->stride;

    w->left--;
    for (int d = w->x->type->rank - 1; d >= 0; d--) {
        if (++w->index[d] < dim[d]) {
            w->offset += stride[d];
            break;
        }
        w->index[d] = 0;
        w->offset -= (dim[d] - 1) * stride[d];
    }
    return element;
}

bool ct_to_doubles_at(ct_place at, ct_tensor *x, double *out, size_t count)
{
    const ct__literal *literal = readable(at, "to_doubles", x);

    if (!literal)
        return false;
    if (count != (uint64_t)literal->type->size) {
        ct__error(ct_context_of(x), at, CT_ERR_SHAPE,
                  "to_doubles: x has %" PRId64 " elements, and out has %zu", literal->type->size,
                  count);
        return false;
    }
    if (!out && count > 0) {
        ct__error(ct_context_of(x), at, CT_ERR_ARGUMENT, "to_doubles: out is NULL");
        return false;
    }
    walk w = walk_begin(literal);

    for (size_t i = 0; i < count; i++)
        out[i] = ct__load_double(literal->type->dtype, walk_next(&w));
    return true;
}

/* ---- Comparing. */

/* -0 == +0, and a NaN equals a NaN. */
static bool same_float(ct_dtype dtype, const void *x, const void *y)
{
    double a = ct__load_double(dtype, x), b = ct__load_double(dtype, y);

    return a == b || (a != a && b != b);
}

static bool same_element(ct_dtype dtype, const void *x, const void *y)
{
    size_t bytes = ct_dtype_bytes(dtype);
    ct_dtype part = dtype == CT_C64 ? CT_F32 : CT_F64;

    if (ct_dtype_is_float(dtype))
        return same_float(dtype, x, y);
    if (!ct_dtype_is_complex(dtype))
        return memcmp(x, y, bytes) == 0;
    return same_float(part, x, y) &&
           same_float(part, (const char *)x + bytes / 2, (const char *)y + bytes / 2);
}

static bool same_value(const ct_type *type, const unsigned char *x, const unsigned char *y)
{
    size_t bytes = ct_dtype_bytes(type->dtype);

    for (size_t i = 0; i < type->n_elements; i++) {
        size_t at = ct__element_offset(type, i);
        if (!same_value(type->element[i], x + at, y + at))
            return false;
    }
    for (size_t i = 0; type->kind == CT__TENSOR && i < (size_t)type->size; i++)
        if (!same_element(type->dtype, x + i * bytes, y + i * bytes))
            return false;
    return true;
}

bool ct_equal(ct_tensor *x, ct_tensor *y)
{
    if (!ct_is_concrete(x) || !ct_is_concrete(y) || !ct__type_equal(x->type, y->type))
        return false;
    const ct__literal *a = x->literal, *b = y->literal;
    if (a->type->kind != CT__TENSOR)
        return same_value(a->type, ct__literal_first(a), ct__literal_first(b));
    walk in_a = walk_begin(a), in_b = walk_begin(b);

    if (ct__literal_is_splat(a) && ct__literal_is_splat(b) && in_a.left > 0)
        in_a.left = 1; /* one value everywhere */
    while (in_a.left > 0)
        if (!same_element(a->type->dtype, walk_next(&in_a), walk_next(&in_b)))
            return false;
    return true;
}
