#include "ops/ops.h"

#include <cotangent/op_large.h>

#include <inttypes.h>

/* The dtype of the other side: complex of as many bits per part, or real. */
static ct_dtype complex_of(ct_dtype dtype)
{
    return dtype == CT_F32 ? CT_C64 : dtype == CT_F64 ? CT_C128 : CT_INVALID_DTYPE;
}

static ct_dtype real_of(ct_dtype dtype)
{
    return dtype == CT_C64 ? CT_F32 : CT_F64;
}

/* C2 */
static bool find_dtype(ct__infer *q, int type, ct_dtype *dtype)
{
    const ct_type *x = q->in[0];
    const char *const name = ct__names_fft_type[type];

    if (type == CT_RFFT) {
        *dtype = complex_of(x->dtype);
        return *dtype != CT_INVALID_DTYPE ||
               ct__fail(q, CT_ERR_TYPE, "%s takes x of f32 or f64, got %s", name,
                        ct__type_str(q, x));
    }
    *dtype = type == CT_IRFFT ? real_of(x->dtype) : x->dtype;
    return ct_dtype_is_complex(x->dtype) ||
           ct__fail(q, CT_ERR_TYPE, "%s takes a complex x, got %s", name, ct__type_str(q, x));
}

static bool check_length(ct__infer *q, ct__ints length)
{
    if (length.count < 1 || length.count > 3) /* C3 */
        return ct__fail(q, CT_ERR_SHAPE, "fft_length = %s must have one to three entries",
                        ct__ints_str(q, length));
    if (length.count > (size_t)q->in[0]->rank) /* C1 */
        return ct__fail(q, CT_ERR_SHAPE, "fft_length = %s names more axes than x has: %s",
                        ct__ints_str(q, length), ct__type_str(q, q->in[0]));
    for (size_t i = 0; i < length.count; i++)
        if (length.item[i] < 0)
            return ct__fail(q, CT_ERR_SHAPE, "fft_length[%zu] = %" PRId64 " must not be negative",
                            i, length.item[i]);
    return true;
}

/* A real signal of n elements has so many complex ones that are not conjugates of others. */
static int64_t half(int64_t n)
{
    return n == 0 ? 0 : n / 2 + 1;
}

bool ct__infer_fft(ct__infer *q)
{
    const int type = q->attrs->fft.fft_type;
    const ct__ints length = q->attrs->fft.fft_length;
    const ct_type *x = q->in[0];
    int64_t dim[CT__MAX_RANK];
    ct_dtype dtype;

    if (!find_dtype(q, type, &dtype) || !check_length(q, length)) /* C1 to C3 */
        return false;
    const int first = x->rank - (int)length.count, last = x->rank - 1;
    for (int d = 0; d < x->rank; d++)
        dim[d] = x->dim[d];
    for (int d = first; d <= last; d++) { /* C4, C5 */
        const int64_t n = length.item[d - first];
        const int64_t want = type == CT_IRFFT && d == last ? half(n) : n;

        if (x->dim[d] != want)
            return ct__fail(q, CT_ERR_SHAPE,
                            "fft_length[%d] = %" PRId64 " of %s asks for extent %" PRId64
                            " of axis %d of x: %s",
                            d - first, n, ct__names_fft_type[type], want, d, ct__type_str(q, x));
        dim[d] = type == CT_RFFT && d == last ? half(n) : n;
    }
    return ct__result(q, dtype, (size_t)x->rank, dim);
}
