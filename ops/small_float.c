/* Floats of 4, 6 and 8 bits, each in the low bits of a byte. They differ in how bits are shared
 * out, in the bias, and in what the largest codes mean; the names say it all: E4M3 has 4 exponent
 * and 3 fraction bits, FN has no infinities ("finite"), UZ no negative zero ("unsigned zero"), B11
 * a bias of 11. What happens beyond the range is as in ml_dtypes, but for the sign of a NaN, which
 * nothing fixes: where there is no NaN every one becomes 0, as ml_dtypes makes of a negative one,
 * which x86 has for what is no number. */
#include "ops/type.h"

#include <math.h>
#include <string.h>

typedef enum special {
    IEEE,        /* infinities and NaNs as in wider floats */
    ONE_NAN,     /* no infinities; all bits set are a NaN, which stands for what is too large */
    NO_SPECIAL,  /* neither: what is too large is the largest, NaN becomes 0 */
    ZERO_IS_NAN, /* no infinities and no -0, whose code is the only NaN; also for what is too large
                  */
    SCALE        /* an exponent alone: no sign, no zero; all bits set are a NaN */
} special;

typedef struct format {
    int exponent, fraction, bias; /* bits, bits, what is subtracted */
    special special;
} format;

static const format format_of[CT_DTYPE_COUNT] = {
    [CT_F4E2M1FN] = {2, 1, 1, NO_SPECIAL},
    [CT_F6E2M3FN] = {2, 3, 1, NO_SPECIAL},
    [CT_F6E3M2FN] = {3, 2, 3, NO_SPECIAL},
    [CT_F8E3M4] = {3, 4, 3, IEEE},
    [CT_F8E4M3] = {4, 3, 7, IEEE},
    [CT_F8E4M3FN] = {4, 3, 7, ONE_NAN},
    [CT_F8E4M3FNUZ] = {4, 3, 8, ZERO_IS_NAN},
    [CT_F8E4M3B11FNUZ] = {4, 3, 11, ZERO_IS_NAN},
    [CT_F8E5M2] = {5, 2, 15, IEEE},
    [CT_F8E5M2FNUZ] = {5, 2, 16, ZERO_IS_NAN},
    [CT_F8E8M0FNU] = {8, 0, 127, SCALE},
};

bool ct__is_small_float(ct_dtype dtype)
{
    return dtype >= CT_F4E2M1FN && dtype <= CT_F8E8M0FNU;
}

static unsigned sign_bit(const format *f)
{
    return 1U << (f->exponent + f->fraction);
}

/* The code of the first magnitude that is no number. */
static unsigned first_special(const format *f)
{
    switch (f->special) {
    case IEEE: return sign_bit(f) - (1U << f->fraction);
    case ONE_NAN: return sign_bit(f) - 1;
    case SCALE: return 255;
    default: return sign_bit(f);
    }
}

/* ---- To double, exact. */

static double load_scale(unsigned code)
{
    return code == 255 ? NAN : ldexp(1, (int)code - 127);
}

/* NaNs keep what tells them apart: the fraction, from the top. */
static double nan_of(const format *f, unsigned fraction)
{
    const uint64_t bits = UINT64_C(0x7ff) << 52 | (uint64_t)fraction << (52 - f->fraction);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

double ct__small_float_load(ct_dtype dtype, uint8_t code)
{
    const format *f = &format_of[dtype];
    unsigned magnitude = code & (sign_bit(f) - 1), exponent = magnitude >> f->fraction;
    unsigned fraction = magnitude & ((1U << f->fraction) - 1);

    if (f->special == SCALE)
        return load_scale(code);
    if (f->special == ZERO_IS_NAN && code == sign_bit(f))
        return NAN;
    double value = ldexp(exponent > 0 ? fraction + (1U << f->fraction) : fraction,
                         (exponent > 0 ? (int)exponent : 1) - f->bias - f->fraction);
    if (magnitude >= first_special(f))
        value = f->special != IEEE ? NAN : fraction == 0 ? INFINITY : nan_of(f, fraction);
    return code & sign_bit(f) ? -value : value;
}

/* ---- From double, rounded once to nearest, ties to even. */

/* The magnitude's code without regard to the range; at most `limit`. A finite x, which is not
 * negative, is x = s 2^e with s in [1, 2): below the normal range fewer digits are kept. rint
 * rounds ties to even, and a carry runs into the exponent. */
static unsigned round_magnitude(const format *f, double x, unsigned limit)
{
    int e;

    if (x == 0)
        return 0;
    frexp(x, &e);
    e -= 1;
    if (e + f->bias < 1)
        e = 1 - f->bias;
    double digits = rint(ldexp(x, f->fraction - e)); /* [2^m, 2^(m+1)] where it is normal */
    double code = digits + (double)(e + f->bias - 1) * (double)(1U << f->fraction);
    return code > (double)limit ? limit : (unsigned)code;
}

/* Powers of two: the only digit, 1, is odd, so ties go up; nothing is below the smallest. */
static uint8_t store_scale(double x)
{
    int e;

    if (!(x > 0) || x == INFINITY)
        return 255;
    double s = 2 * frexp(x, &e); /* x = s 2^(e-1), s in [1, 2) */
    e += 126;
    e += s >= 1.5;
    return (uint8_t)(e < 0 ? 0 : e > 255 ? 255 : e);
}

uint8_t ct__small_float_store(ct_dtype dtype, double x)
{
    const format *f = &format_of[dtype];
    const unsigned sign = signbit(x) ? sign_bit(f) : 0, first = first_special(f);
    unsigned code;

    if (f->special == SCALE)
        return store_scale(x);
    if (x != x) {
        if (f->special == NO_SPECIAL)
            return 0;
        if (f->special == ZERO_IS_NAN)
            return (uint8_t)sign_bit(f);
        code = f->special == IEEE ? first | 1U << (f->fraction - 1) : first;
        return (uint8_t)(sign | code);
    }
    code = isinf(x) ? first : round_magnitude(f, fabs(x), first);
    if (code >= first && f->special == NO_SPECIAL)
        code = first - 1;
    if (f->special == ZERO_IS_NAN && (code >= first || code == 0))
        return (uint8_t)(code == 0 ? 0 : sign_bit(f));
    return (uint8_t)(sign | code);
}

double ct__float_bound(ct_dtype dtype, bool is_largest)
{
    const format *f = &format_of[dtype];

    if (!ct__is_small_float(dtype) || f->special == IEEE)
        return is_largest ? INFINITY : -INFINITY;
    if (f->special == SCALE && !is_largest)
        return load_scale(0);
    const double largest = ct__small_float_load(dtype, (uint8_t)(first_special(f) - 1));
    return is_largest ? largest : -largest;
}

double ct__small_float_overflow(ct_dtype dtype)
{
    const format *f = &format_of[dtype];
    unsigned first = first_special(f);
    double largest = ct__small_float_load(dtype, (uint8_t)(first - 1));
    int e;

    frexp(largest, &e);
    return largest + ldexp(0.5, e - 1 - f->fraction);
}
