#include "trace/create.h"

#include "trace/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Types and storage. */

bool ct__misfit(ct_context *ctx, ct_place at, const char *what, ct_dtype dtype, double value)
{
    char number[CT__NUMBER_TEXT];

    ct__format_number(CT_F64, value, number);
    ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: %s does not fit %s", what, number,
              ct_dtype_name(dtype));
    return false;
}

/* "[2, -1]"; long ones are cut. */
static const char *shape_text(ct_shape shape, char *text, size_t bytes)
{
    size_t length = (size_t)snprintf(text, bytes, "[");
    for (size_t d = 0; d < shape.count && length < bytes; d++)
        length += (size_t)snprintf(text + length, bytes - length, d ? ", %" PRId64 : "%" PRId64,
                                   shape.dim[d]);
    if (length < bytes)
        snprintf(text + length, bytes - length, "]");
    return text;
}

/* Reports why the shape makes no type; true when it makes one. */
static bool check_type(ct_context *ctx, ct_place at, const char *what, ct_dtype dtype,
                       ct_shape shape)
{
    ct_status status = CT_ERR_ARGUMENT;
    char text[128];

    if (shape.count > 0 && !shape.dim)
        ct__error(ctx, at, status, "%s: the shape's extents are NULL", what);
    else if ((status = ct__type_check(dtype, shape.count, shape.dim)) == CT_ERR_ARGUMENT)
        ct__error(ctx, at, status, "%s: there is no dtype %d", what, (int)dtype);
    else if (status == CT_ERR_RANGE)
        ct__error(ctx, at, status, "%s: the size of shape %s overflows", what,
                  shape_text(shape, text, sizeof text));
    else if (status != CT_OK && shape.count > CT__MAX_RANK)
        ct__error(ctx, at, status, "%s: rank %zu is above %d", what, shape.count, CT__MAX_RANK);
    else if (status != CT_OK)
        for (size_t d = 0; d < shape.count; d++)
            if (shape.dim[d] < 0)
                ct__error(ctx, at, status, "%s: extent %" PRId64 " of axis %zu is negative", what,
                          shape.dim[d], d);
    return status == CT_OK;
}

/* A literal with storage of its own. stride NULL: row-major. NULL when memory is short. */
static ct__literal *with_storage(ct_context *ctx, const ct_type *type, size_t bytes,
                                 const int64_t *stride)
{
    ct__storage *storage = ct__storage_new(&ctx->allocator, bytes);

    return storage ? ct__literal_new(storage, type, 0, stride) : NULL;
}

ct__literal *ct__fresh(ct_context *ctx, ct_place at, const char *what, ct_dtype dtype,
                       ct_shape shape)
{
    if (!check_type(ctx, at, what, dtype, shape))
        return NULL;
    ct__arena *scratch = ct__scratch_begin(ctx);
    const ct_type *type = ct__type(scratch, dtype, (int)shape.count, shape.dim);
    ct__literal *literal = type ? with_storage(ctx, type, ct__data_bytes(type), NULL) : NULL;

    if (!literal)
        ct__error_memory(ctx, at, what);
    ct__scratch_end(ctx);
    return literal;
}

/* ---- From the caller's memory. */

/* A bool byte other than 0 and 1 would be a third truth value; 17 is no u4. */
static bool check_bytes(ct_context *ctx, ct_place at, ct_dtype dtype, const unsigned char *data,
                        int64_t count)
{
    for (int64_t i = 0; i < count && ct_dtype_bytes(dtype) == 1; i++)
        if (!ct__byte_fits(dtype, data[i])) {
            ct__error(ctx, at, CT_ERR_ARGUMENT,
                      "from_data: byte %d of element %" PRId64 " does not fit %s", data[i], i,
                      ct_dtype_name(dtype));
            return false;
        }
    return true;
}

ct_tensor *ct_from_data_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape,
                           const void *data)
{
    if (ct_failed(ctx))
        return ct__poison(ctx);
    ct__literal *literal = ct__fresh(ctx, at, "from_data", dtype, shape);

    if (!literal)
        return ct__poison(ctx);
    if (!data && literal->type->size > 0)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "from_data: data is NULL");
    else if (check_bytes(ctx, at, dtype, data, literal->type->size)) {
        if (literal->type->size > 0)
            memcpy(ct__fresh_data(literal), data, ct__data_bytes(literal->type));
        return ct__tensor_concrete(ctx, at, "from_data", literal);
    }
    ct__literal_release(literal);
    return ct__poison(ctx);
}

/* Rounds each value; false after reporting the first that does not fit. */
static bool store_doubles(ct_context *ctx, ct_place at, const ct__literal *literal,
                          const double *data)
{
    ct_dtype dtype = literal->type->dtype;
    unsigned char *out = ct__fresh_data(literal);

    for (int64_t i = 0; i < literal->type->size; i++, out += ct_dtype_bytes(dtype))
        if (!ct__store_double(dtype, out, data[i])) {
            char number[CT__NUMBER_TEXT];

            ct__format_number(CT_F64, data[i], number);
            ct__error(ctx, at, CT_ERR_ARGUMENT,
                      "from_doubles: %s, element %" PRId64 ", does not fit %s", number, i,
                      ct_dtype_name(dtype));
            return false;
        }
    return true;
}

ct_tensor *ct_from_doubles_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape,
                              const double *data)
{
    if (ct_failed(ctx))
        return ct__poison(ctx);
    ct__literal *literal = ct__fresh(ctx, at, "from_doubles", dtype, shape);

    if (!literal)
        return ct__poison(ctx);
    if (!data && literal->type->size > 0)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "from_doubles: data is NULL");
    else if (store_doubles(ctx, at, literal, data))
        return ct__tensor_concrete(ctx, at, "from_doubles", literal);
    ct__literal_release(literal);
    return ct__poison(ctx);
}

/* ---- One value for all elements. */

/* Where a splat of this element is kept. */
static ct__literal **kept_splat(ct_context *ctx, ct_dtype dtype, const unsigned char *element)
{
    uint64_t hash = (uint64_t)dtype;
    for (size_t i = 0; i < ct_dtype_bytes(dtype); i++)
        hash = (hash ^ element[i]) * 0x100000001B3u; /* FNV-1a */
    return &ctx->splat[(hash >> 20 ^ hash) % CT__SPLATS];
}

/* One stored element, and strides of 0; NULL when memory is short. */
static ct__literal *splat_of(ct_context *ctx, const ct_type *type, const unsigned char *element)
{
    static const int64_t still[CT__MAX_RANK];
    const size_t bytes = ct_dtype_bytes(type->dtype);
    ct__literal **kept = kept_splat(ctx, type->dtype, element);

    if (*kept && ct__type_equal((*kept)->type, type) &&
        memcmp(ct__literal_first(*kept), element, bytes) == 0)
        return ct__literal_retain(*kept);
    ct__literal *literal = with_storage(ctx, type, bytes, still);
    if (!literal)
        return NULL;
    memcpy(ct__fresh_data(literal), element, bytes);
    ct__literal_release(*kept);
    *kept = ct__literal_retain(literal);
    return literal;
}

static ct_tensor *splat(ct_context *ctx, ct_place at, const char *what, const ct_type *type,
                        double value)
{
    unsigned char element[16];

    if (!ct__store_double(type->dtype, element, value)) {
        ct__misfit(ctx, at, what, type->dtype, value);
        return ct__poison(ctx);
    }
    ct__literal *literal = splat_of(ctx, type, element);
    if (!literal) {
        ct__error_memory(ctx, at, what);
        return ct__poison(ctx);
    }
    return ct__tensor_concrete(ctx, at, what, literal);
}

ct_tensor *ct__splat(ct_context *ctx, ct_place at, const ct_type *type, double value)
{
    return ct_failed(ctx) ? ct__poison(ctx) : splat(ctx, at, "full", type, value);
}

static ct_tensor *full(ct_context *ctx, ct_place at, const char *what, ct_dtype dtype,
                       ct_shape shape, double value)
{
    ct_tensor *x = NULL;

    if (ct_failed(ctx) || !check_type(ctx, at, what, dtype, shape))
        return ct__poison(ctx);
    ct__arena *scratch = ct__scratch_begin(ctx);
    const ct_type *type = ct__type(scratch, dtype, (int)shape.count, shape.dim);

    if (type)
        x = splat(ctx, at, what, type, value);
    else
        ct__error_memory(ctx, at, what);
    ct__scratch_end(ctx);
    return x ? x : ct__poison(ctx);
}

ct_tensor *ct_full_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape, double value)
{
    return full(ctx, at, "full", dtype, shape, value);
}

ct_tensor *ct_zeros_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    return full(ctx, at, "zeros", dtype, shape, 0);
}

ct_tensor *ct_ones_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    return full(ctx, at, "ones", dtype, shape, 1);
}

ct_tensor *ct_scalar_at(ct_place at, ct_context *ctx, ct_dtype dtype, double value)
{
    return full(ctx, at, "scalar", dtype, (ct_shape){0, NULL}, value);
}

/* ---- Sequences. */

/* Element i of a vector being made. */
typedef double sequence(const void *parameters, int64_t i);

/* A vector of a sequence's values. */
static ct_tensor *fill(ct_context *ctx, ct_place at, const char *what, ct_dtype dtype,
                       int64_t count, sequence *element, const void *parameters)
{
    ct__literal *literal = ct__fresh(ctx, at, what, dtype, (ct_shape){1, &count});
    unsigned char *out = literal ? ct__fresh_data(literal) : NULL;

    for (int64_t i = 0; literal && i < count; i++, out += ct_dtype_bytes(dtype)) {
        double value = element(parameters, i);

        if (!ct__store_double(dtype, out, value)) {
            ct__misfit(ctx, at, what, dtype, value);
            ct__literal_release(literal);
            literal = NULL;
        }
    }
    return literal ? ct__tensor_concrete(ctx, at, what, literal) : ct__poison(ctx);
}

typedef struct range {
    double start, stop, step;
} range;

static double range_element(const void *parameters, int64_t i)
{
    const range *r = parameters;

    return r->start + (double)i * r->step;
}

/* ceil((stop - start) / step) as a count; false after reporting that it overflows. */
static bool count_range(ct_context *ctx, ct_place at, const range *r, int64_t *count)
{
    double steps = ceil((r->stop - r->start) / r->step);

    if (steps >= 0x1p63) {
        ct__error(ctx, at, CT_ERR_RANGE, "arange: the number of elements overflows");
        return false;
    }
    *count = steps > 0 ? (int64_t)steps : 0;
    return true;
}

/* A whole number modulo 2^64. */
static uint64_t wrap(double whole)
{
    whole = fmod(whole, 0x1p64);
    return whole < 0 ? 0 - (uint64_t)-whole : (uint64_t)whole;
}

/* The first whole number above the dtype's range; exact, for it is a power of two. */
static double integer_end(ct_dtype dtype)
{
    uint64_t half = ct__integer_max(dtype) / 2 + 1;

    return 2 * (double)half;
}

/* How far the whole numbers before stop reach beyond start, at most to the end of the dtype's
 * range; *beyond is by how much they leave the range, or not above 0. Needs a start that fits. */
static uint64_t reach(ct_dtype dtype, const range *r, double stop, double *beyond)
{
    uint64_t start = wrap(r->start);

    if (r->step > 0) {
        *beyond = stop - integer_end(dtype);
        return (*beyond >= 0 ? ct__integer_max(dtype) : wrap(stop) - 1) - start;
    }
    *beyond = (double)ct__integer_min(dtype) - stop - 1; /* in this order, exact */
    return start - (*beyond > 0 ? (uint64_t)ct__integer_min(dtype) : wrap(stop) + 1);
}

/* The same over the integers, where no rounding is allowed. False after an error: there are too
 * many elements, or one of them (the first) does not fit the dtype. */
static bool count_whole(ct_context *ctx, ct_place at, ct_dtype dtype, const range *r,
                        int64_t *count)
{
    double stop = r->step > 0 ? ceil(r->stop) : floor(r->stop), beyond;

    *count = 0;
    if (r->step > 0 ? stop <= r->start : stop >= r->start)
        return true;
    if (r->start < (double)ct__integer_min(dtype) || r->start >= integer_end(dtype))
        return ct__misfit(ctx, at, "arange", dtype, r->start);
    uint64_t step = fabs(r->step) < 0x1p64 ? (uint64_t)fabs(r->step) : UINT64_MAX,
             room = reach(dtype, r, stop, &beyond);
    uint64_t last = room / step;
    uint64_t overshoot = step - 1 - room % step; /* of the next element over the range's end */

    if (beyond > 0 && (beyond >= 0x1p64 || overshoot < (uint64_t)beyond))
        return ct__misfit(ctx, at, "arange", dtype, r->start + r->step * ((double)last + 1));
    if (last >= INT64_MAX) {
        ct__error(ctx, at, CT_ERR_RANGE, "arange: the number of elements overflows");
        return false;
    }
    *count = (int64_t)last + 1;
    return true;
}

/* Elements of an integer dtype that are known to fit, computed modulo 2^64. */
static ct_tensor *fill_whole(ct_context *ctx, ct_place at, ct_dtype dtype, const range *r,
                             int64_t count)
{
    ct__literal *literal = ct__fresh(ctx, at, "arange", dtype, (ct_shape){1, &count});

    if (!literal)
        return ct__poison(ctx);
    uint64_t value = count > 0 ? wrap(r->start) : 0, step = wrap(r->step);
    unsigned char *out = ct__fresh_data(literal);

    for (int64_t i = 0; i < count; i++, out += ct_dtype_bytes(dtype), value += step) {
        if (ct_dtype_is_signed(dtype))
            ct__store_signed(dtype, out, (int64_t)value);
        else
            ct__store_unsigned(dtype, out, value);
    }
    return ct__tensor_concrete(ctx, at, "arange", literal);
}

static ct_tensor *arange_whole(ct_context *ctx, ct_place at, ct_dtype dtype, const range *r)
{
    char number[CT__NUMBER_TEXT];
    int64_t count;

    ct__format_number(CT_F64, r->step, number);
    if (floor(r->start) != r->start)
        ct__misfit(ctx, at, "arange", dtype, r->start);
    else if (floor(r->step) != r->step || fabs(r->step) >= 0x1p64)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "arange: step %s is not a whole number below 2^64",
                  number);
    else if (count_whole(ctx, at, dtype, r, &count))
        return fill_whole(ctx, at, dtype, r, count);
    return ct__poison(ctx);
}

ct_tensor *ct_arange_at(ct_place at, ct_context *ctx, ct_dtype dtype, double start, double stop,
                        double step)
{
    range r = {start, stop, step};
    int64_t count;

    if (ct_failed(ctx) || !check_type(ctx, at, "arange", dtype, (ct_shape){0, NULL}))
        return ct__poison(ctx);
    if (!isfinite(start) || !isfinite(stop) || !isfinite(step)) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "arange: start, stop and step must be finite");
        return ct__poison(ctx);
    }
    if (step == 0) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "arange: step is 0");
        return ct__poison(ctx);
    }
    if (dtype == CT_BOOL || ct_dtype_is_integer(dtype))
        return arange_whole(ctx, at, dtype, &r);
    if (!count_range(ctx, at, &r, &count))
        return ct__poison(ctx);
    return fill(ctx, at, "arange", dtype, count, range_element, &r);
}

typedef struct span {
    double first, last;
    double steps; /* between count values: count - 1 */
} span;

/* first + (last - first)·i/steps, the division last: whole results are exact. Where the difference
 * overflows, the weighted mean of the ends. */
static double span_element(const void *parameters, int64_t i)
{
    const span *s = parameters;
    double at = (double)i, far = (s->last - s->first) * s->steps;

    if (i == 0)
        return s->first;
    if (at >= s->steps)
        return s->last;
    if (isfinite(far))
        return s->first + (s->last - s->first) * at / s->steps;
    return s->first * ((s->steps - at) / s->steps) + s->last * (at / s->steps);
}

ct_tensor *ct_linspace_at(ct_place at, ct_context *ctx, ct_dtype dtype, double first, double last,
                          int64_t count)
{
    span s = {first, last, (double)count - 1};

    if (ct_failed(ctx))
        return ct__poison(ctx);
    if (!isfinite(first) || !isfinite(last)) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "linspace: first and last must be finite");
        return ct__poison(ctx);
    }
    return fill(ctx, at, "linspace", dtype, count, span_element, &s);
}

/* ---- The rest. */

ct_tensor *ct_eye_at(ct_place at, ct_context *ctx, ct_dtype dtype, int64_t n)
{
    if (ct_failed(ctx))
        return ct__poison(ctx);
    ct__literal *literal = ct__fresh(ctx, at, "eye", dtype, (ct_shape){2, (int64_t[]){n, n}});

    if (!literal)
        return ct__poison(ctx);
    unsigned char *data = ct__fresh_data(literal);
    size_t bytes = ct_dtype_bytes(dtype);

    memset(data, 0, ct__data_bytes(literal->type));
    for (size_t i = 0; i < (size_t)n; i++)
        ct__store_double(dtype, data + i * ((size_t)n + 1) * bytes, 1);
    return ct__tensor_concrete(ctx, at, "eye", literal);
}

ct_tensor *ct_spec_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    ct_tensor *x = NULL;

    if (ct_failed(ctx) || !check_type(ctx, at, "spec", dtype, shape))
        return ct__poison(ctx);
    ct__arena *scratch = ct__scratch_begin(ctx);
    const ct_type *type = ct__type(scratch, dtype, (int)shape.count, shape.dim);

    if (type)
        x = ct__tensor_spec(ctx, at, type);
    else
        ct__error_memory(ctx, at, "spec");
    ct__scratch_end(ctx);
    return x ? x : ct__poison(ctx);
}
