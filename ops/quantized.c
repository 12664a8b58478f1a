/* Quantized types: whether they are right, equal, and what they are without their quantization. */
#include "ops/type.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Checking. */

typedef struct checker {
    const ct_type *type;
    char *message;
    size_t bytes;
} checker;

__attribute__((format(printf, 3, 4))) static ct_status fail(const checker *c, ct_status status,
                                                            const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(c->message, c->bytes, format, arguments);
    va_end(arguments);
    return status;
}

static ct_status check_dtypes(const checker *c)
{
    const ct_dtype storage = c->type->dtype, expressed = c->type->quantized->expressed;

    if (!ct_dtype_is_integer(storage) || ct__dtype_bits(storage) > 32) /* C1, C2 */
        return fail(c, CT_ERR_TYPE, "the storage must be integers of at most 32 bits, got %s",
                    ct_dtype_name(storage));
    if (!ct_dtype_is_float(expressed)) /* C4 */
        return fail(c, CT_ERR_TYPE, "the expressed numbers must be floats, got %s",
                    ct_dtype_name(expressed));
    return CT_OK;
}

static ct_status check_bounds(const checker *c) /* C3 */
{
    const ct__quantized *q = c->type->quantized;
    const int64_t least = ct__integer_min(c->type->dtype);
    const int64_t most = (int64_t)ct__integer_max(c->type->dtype);

    if (q->storage_min >= least && q->storage_min < q->storage_max && q->storage_max <= most)
        return CT_OK;
    return fail(c, CT_ERR_TYPE,
                "the storage bounds %" PRId64 " and %" PRId64 " must ascend within [%" PRId64
                ", %" PRId64 "]",
                q->storage_min, q->storage_max, least, most);
}

/* The scale as a number of the expressed dtype, which may overflow or vanish there. */
static bool is_scale(ct_dtype expressed, double scale)
{
    unsigned char element[16] = {0};
    double rounded;

    if (!(scale > 0) || !isfinite(scale) || !ct__store_double(expressed, element, scale))
        return false;
    rounded = ct__load_double(expressed, element);
    return rounded > 0 && isfinite(rounded);
}

static ct_status check_scales(const checker *c)
{
    const ct__quantized *q = c->type->quantized;

    for (size_t i = 0; i < q->n_scales; i++) {
        if (!is_scale(q->expressed, q->scale[i])) /* C5, C6 */
            return fail(c, CT_ERR_TYPE, "scale[%zu] = %g must be positive and finite in %s", i,
                        q->scale[i], ct_dtype_name(q->expressed));
        if (q->zero_point[i] < q->storage_min || q->zero_point[i] > q->storage_max) /* C7, C8 */
            return fail(c, CT_ERR_TYPE,
                        "zero_point[%zu] = %" PRId64 " must lie in the storage bounds [%" PRId64
                        ", %" PRId64 "]",
                        i, q->zero_point[i], q->storage_min, q->storage_max);
    }
    return CT_OK;
}

static ct_status check_axis(const checker *c)
{
    const ct__quantized *q = c->type->quantized;

    if (q->axis < -1 || q->axis >= c->type->rank) /* C11, C12 */
        return fail(c, CT_ERR_SHAPE, "the quantized axis %d must be one of rank %d", q->axis,
                    c->type->rank);
    if (q->axis < 0 && q->n_scales != 1) /* C10 */
        return fail(c, CT_ERR_SHAPE, "without an axis there must be 1 scale, not %zu", q->n_scales);
    if (q->axis >= 0 && (uint64_t)c->type->dim[q->axis] != q->n_scales) /* C13 */
        return fail(c, CT_ERR_SHAPE,
                    "axis %d of extent %" PRId64 " must have as many scales, not %zu", q->axis,
                    c->type->dim[q->axis], q->n_scales);
    return CT_OK;
}

/* C9, as many scales as zero points, is how ct__quantized is made. */
ct_status ct__quantized_check(const ct_type *type, char *message, size_t bytes)
{
    const checker c = {type, message, bytes};
    ct_status status = CT_OK;

    for (size_t i = 0; i < type->n_elements && status == CT_OK; i++)
        status = ct__quantized_check(type->element[i], message, bytes);
    if (status != CT_OK || !type->quantized)
        return status;
    if ((status = check_dtypes(&c)) != CT_OK || (status = check_bounds(&c)) != CT_OK ||
        (status = check_axis(&c)) != CT_OK)
        return status;
    return check_scales(&c);
}

/* ---- Asking. */

bool ct__has_full_storage(ct_dtype storage, const ct__quantized *q)
{
    return q->storage_min == ct__integer_min(storage) &&
           q->storage_max == (int64_t)ct__integer_max(storage);
}

bool ct__quantized_equal(const ct__quantized *a, const ct__quantized *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->expressed != b->expressed || a->storage_min != b->storage_min ||
        a->storage_max != b->storage_max || a->axis != b->axis || a->n_scales != b->n_scales)
        return false;
    for (size_t i = 0; i < a->n_scales; i++)
        if (a->scale[i] != b->scale[i] || a->zero_point[i] != b->zero_point[i])
            return false;
    return true;
}

/* ---- The same elements in another shape, other elements in the same shape. */

const ct_type *ct__type_like(ct__arena *arena, const ct_type *x, int rank, const int64_t *dim)
{
    const ct_type *type = ct__type(arena, x->dtype, rank, dim);

    return type && x->quantized && x->quantized->axis < 0
               ? ct__type_quantized(arena, type, x->quantized)
               : type;
}

const ct_type *ct__type_of_reals(ct__arena *arena, const ct_type *type)
{
    ct_type reals = *type;

    if (!type->quantized)
        return type;
    reals.dtype = type->quantized->expressed;
    reals.quantized = NULL;
    return ct__type_copy(arena, &reals);
}

const ct_type *ct__type_of_storage(ct__arena *arena, const ct_type *type)
{
    return type->quantized ? ct__type_quantized(arena, type, NULL) : type;
}

const ct_type *ct__type_quantized(ct__arena *arena, const ct_type *type, const ct__quantized *q)
{
    ct_type quantized = *type;

    quantized.quantized = q;
    return ct__type_copy(arena, &quantized);
}
