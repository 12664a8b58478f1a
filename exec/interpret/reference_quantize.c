/* Between stored integers and the real numbers that they stand for, each step rounded to the
 * expressed dtype. */
#include "exec/interpret/reference.h"

#include <math.h>
#include <string.h>

/* One step's result, rounded. Steps on elements of at most f32 are exact in f64, or so close that
 * rounding twice is rounding once. */
static double rounded(ct_dtype dtype, double value)
{
    unsigned char element[16];

    if (dtype == CT_F64)
        return value;
    if (dtype == CT_F32)
        return (double)(float)value;
    memset(element, 0xFF, sizeof element); /* f8E8M0FNU, without zero and sign, has NaN there */
    ct__store_double(dtype, element, value);
    return ct__load_double(dtype, element);
}

/* y = (x - zero_point) · scale; the difference is one of integers. */
void ct__reference_dequantize(const ct__scaling *s, size_t n, void *y_, const void *x_)
{
    const size_t x_bytes = ct_dtype_bytes(s->storage), y_bytes = ct_dtype_bytes(s->expressed);
    const double scale = rounded(s->expressed, s->scale), zero_point = (double)s->zero_point;
    const unsigned char *x = x_;
    unsigned char *y = y_;

    for (size_t i = 0; i < n; i++) {
        const double difference = ct__load_double(s->storage, x + i * x_bytes) - zero_point;
        const double real = rounded(s->expressed, rounded(s->expressed, difference) * scale);

        memset(y + i * y_bytes, 0xFF, y_bytes);
        ct__store_double(s->expressed, y + i * y_bytes, real);
    }
}

/* NaN becomes 0. The bounds, as numbers of the expressed dtype, may lie outside themselves. */
static int64_t stored(const ct__scaling *s, double q)
{
    const double low = (double)s->storage_min, high = (double)s->storage_max;

    if (isnan(q))
        return 0;
    q = nearbyint(q);
    return q <= low ? s->storage_min : q >= high ? s->storage_max : (int64_t)q;
}

/* y = x / scale + zero_point, clamped to the bounds, to the nearest integer, ties to even. */
void ct__reference_quantize(const ct__scaling *s, size_t n, void *y_, const void *x_)
{
    const ct_dtype dtype = s->expressed;
    const size_t x_bytes = ct_dtype_bytes(dtype), y_bytes = ct_dtype_bytes(s->storage);
    const double scale = rounded(dtype, s->scale);
    const double zero_point = rounded(dtype, (double)s->zero_point);
    const unsigned char *x = x_;
    unsigned char *y = y_;

    for (size_t i = 0; i < n; i++) {
        const double quotient = rounded(dtype, ct__load_double(dtype, x + i * x_bytes) / scale);

        ct__store_signed(s->storage, y + i * y_bytes,
                         stored(s, rounded(dtype, quotient + zero_point)));
    }
}
