/* Elementary functions of f64, and those of f32 that are rarely used, by way of f64; written as
 * those of elementary.h, with the bounds of bounds.def. */
#ifndef CT_EXEC_ELEMENTARY64_H
#define CT_EXEC_ELEMENTARY64_H

#include "exec/kernel/elementary.h"

#define CT__SIGN64 (UINT64_C(1) << 63)
#define CT__LN2_HIGH64 0x1.62e42fefa3800p-1 /* 41 bits */
#define CT__LN2_LOW64 0x1.ef35793c76730p-45

CT__ELEMENT double ct__magnitude64(double x)
{
    return ct__from_bits64(ct__bits64(x) & ~CT__SIGN64);
}

/* magnitude, not negative, with the sign of the other */
CT__ELEMENT double ct__with_sign64(double magnitude, double sign)
{
    return ct__from_bits64(ct__bits64(magnitude) | (ct__bits64(sign) & CT__SIGN64));
}

CT__ELEMENT double ct__truncated64(double x)
{
    return __builtin_trunc(x);
}

/* condition ? yes : no, as ct__choose. */
CT__ELEMENT double ct__choose64(bool condition, double yes, double no)
{
    const uint64_t mask = 0 - (uint64_t)condition;
    return ct__from_bits64((ct__bits64(yes) & mask) | (ct__bits64(no) & ~mask));
}

/* ---- exp: x = n ln 2 + r, e^x = 2^n e^r. */

typedef struct ct__reduced64 {
    double r;
    double half, rest; /* 2^n in two factors near each other: half is 2^(n/2) */
    double n;
} ct__reduced64;

CT__ELEMENT ct__reduced64 ct__reduce_exp64(double x) /* of |x| < 1400 */
{
    const double rounder = CT__ROUNDER64 + 2046; /* twice an exponent's bias */
    double shifted = ct__fma64(x, 0x1.71547652b82fep+0, rounder), n = shifted - rounder;
    double r = ct__fma64(n, -CT__LN2_LOW64, ct__fma64(n, -CT__LN2_HIGH64, x));
    uint64_t bits = ct__bits64(shifted), half = bits >> 1;
    return (ct__reduced64){r, ct__from_bits64(half << 52), ct__from_bits64((bits - half) << 52), n};
}

/* e^r - 1 of a small r */
CT__ELEMENT double ct__expm1_of64(double r)
{
    double q = exp64_q[9];
    q = ct__fma64(q, r, exp64_q[8]);
    q = ct__fma64(q, r, exp64_q[7]);
    q = ct__fma64(q, r, exp64_q[6]);
    q = ct__fma64(q, r, exp64_q[5]);
    q = ct__fma64(q, r, exp64_q[4]);
    q = ct__fma64(q, r, exp64_q[3]);
    q = ct__fma64(q, r, exp64_q[2]);
    q = ct__fma64(q, r, exp64_q[1]);
    q = ct__fma64(q, r, exp64_q[0]);
    return ct__fma64(q, r * r, r);
}

/* What exp takes for other numbers, which all give 0 or infinity; a NaN stays. */
CT__ELEMENT double ct__within_exp64(double x)
{
    x = ct__choose64(x < -750, -750, x);
    return ct__choose64(x > 750, 750, x);
}

CT__ELEMENT double ct__exp64(double x)
{
    ct__reduced64 e = ct__reduce_exp64(ct__within_exp64(x));
    return (1 + ct__expm1_of64(e.r)) * e.half * e.rest;
}

/* factor (e^x - 1), 2^n being half · rest: factor rest (half (e^r - 1) + half - 1 / rest) */
CT__ELEMENT double ct__scaled_expm1_64(double x, double factor)
{
    ct__reduced64 e = ct__reduce_exp64(x);
    double inverse = ct__from_bits64((UINT64_C(2046) << 52) - ct__bits64(e.rest));
    return ct__fma64(ct__expm1_of64(e.r), e.half, e.half - inverse) * (factor * e.rest);
}

CT__ELEMENT double ct__expm1_64(double x)
{
    return ct__with_sign64(ct__scaled_expm1_64(ct__within_exp64(x), 1), x);
}

/* y / (y + 1), y = (e^(2 |x|) - 1) / 2 */
CT__ELEMENT double ct__tanh64(double x)
{
    double a = ct__magnitude64(x);
    double y = ct__scaled_expm1_64(2 * ct__choose64(a > 20, 20, a), 0.5);
    return ct__with_sign64(y / (y + 1), x);
}

/* 1 / (1 + e^-x), both divided by 2^(n/2). */
CT__ELEMENT double ct__logistic64(double x)
{
    ct__reduced64 e = ct__reduce_exp64(ct__within_exp64(-x));
    double inverse = ct__from_bits64((UINT64_C(2046) << 52) - ct__bits64(e.half));
    return inverse / ct__fma64(1 + ct__expm1_of64(e.r), e.rest, inverse);
}

/* (e^x - e^-x) / 2 = y + y / (2 y + 1), y = (e^x - 1) / 2 */
CT__ELEMENT double ct__sinh64(double x)
{
    double a = ct__magnitude64(x), y = ct__scaled_expm1_64(ct__choose64(a > 750, 750, a), 0.5);
    y = y + ct__choose64(a > 40, 0, y / ct__fma64(2, y, 1));
    return ct__with_sign64(ct__choose64(a < 0x1p-27, a, y), x);
}

CT__ELEMENT double ct__cosh64(double x)
{
    double a = ct__magnitude64(x);
    ct__reduced64 e = ct__reduce_exp64(ct__choose64(a > 750, 750, a));
    double y = (1 + ct__expm1_of64(e.r)) * e.half * (0.5 * e.rest);
    return y + 0.25 / y;
}

/* ---- log: x = 2^n m, m from sqrt(1/2) to sqrt(2); log m = 2 s + s t q(t), s = (m - 1) / (m + 1),
 * t = s^2. */

#define CT__ROOT_HALF_BITS64 UINT64_C(0x3fe6a09e667f3bcd)

typedef struct ct__split64 {
    double n, f; /* f: m - 1 */
    uint64_t exponent;
} ct__split64;

/* Of a normal x. */
CT__ELEMENT ct__split64 ct__split64_of(double x)
{
    const uint64_t bias = 2048; /* of n, which is then not negative */
    uint64_t n = (ct__bits64(x) - CT__ROOT_HALF_BITS64 + (bias << 52)) >> 52;
    double m = ct__from_bits64(ct__bits64(x) - ((n - bias) << 52));
    double as_double = ct__from_bits64(ct__bits64(0x1p52) | (n & 4095)) - 0x1p52;
    return (ct__split64){as_double - (double)bias, m - 1, n - bias};
}

/* n ln 2 + log(1 + f); f + (f^2/2 - s (f^2/2 + t q)) loses less than 2 s + s t q. */
CT__ELEMENT double ct__log_of64(double n, double f)
{
    double s = f / (2 + f), t = s * s, half = 0.5 * f * f, q = log64_q[6];
    q = ct__fma64(q, t, log64_q[5]);
    q = ct__fma64(q, t, log64_q[4]);
    q = ct__fma64(q, t, log64_q[3]);
    q = ct__fma64(q, t, log64_q[2]);
    q = ct__fma64(q, t, log64_q[1]);
    q = ct__fma64(q, t, log64_q[0]);
    double tail = half - ct__fma64(s, ct__fma64(q, t, half), n * CT__LN2_LOW64);
    return ct__fma64(n, CT__LN2_HIGH64, f - tail);
}

/* y, but what log has where x is not a positive finite number. */
CT__ELEMENT double ct__log_end64(double x, double y)
{
    y = ct__choose64(x < INFINITY, y, x);
    return ct__choose64(x > 0, y, ct__choose64(x == 0, -INFINITY, NAN));
}

CT__ELEMENT double ct__log64(double x)
{
    bool is_tiny = x < 0x1p-1022;
    ct__split64 m = ct__split64_of(x * ct__choose64(is_tiny, 0x1p54, 1));
    return ct__log_end64(x, ct__log_of64(m.n - ct__choose64(is_tiny, 54, 0), m.f));
}

/* log(u + lost), u a sum rounded and what it lost, u at least 2^-53 */
CT__ELEMENT double ct__log_sum64(double u, double lost)
{
    ct__split64 m = ct__split64_of(u);
    uint64_t inverse = (UINT64_C(1023) - m.exponent) << 52; /* of 2^-n; n below 1023 */
    double scale = ct__choose64(m.n < 1000, ct__from_bits64(inverse), 0);
    return ct__log_of64(m.n, ct__fma64(lost, scale, m.f));
}

CT__ELEMENT double ct__log1p64(double x)
{
    double u = 1 + x, lost = ct__choose64(x > 1, 1 - (u - x), x - (u - 1));
    double y = ct__log_end64(u, ct__log_sum64(u, lost));
    return ct__choose64(ct__magnitude64(x) < 0x1p-54, x, y);
}

/* log1p of a + a^2 / (1 + sqrt(1 + a^2)), a = |x|; from 2^28 on log a + log 2. */
CT__ELEMENT double ct__asinh64(double x)
{
    double a = ct__magnitude64(x), b = ct__choose64(a > 0x1p28, 0, a), t = b * b;
    double y = ct__log1p64(a + ct__choose64(a > 0x1p28, -1, t / (1 + __builtin_sqrt(1 + t))));
    return ct__with_sign64(y + ct__choose64(a > 0x1p28, 0x1.62e42fefa39efp-1, 0), x);
}

/* log1p of t + sqrt(2 t + t^2), t = x - 1 */
CT__ELEMENT double ct__acosh64(double x)
{
    double t = x - 1, b = ct__choose64(x > 0x1p28, 0, t);
    double y = ct__log1p64(t + __builtin_sqrt(ct__fma64(b, b, 2 * b)));
    y = y + ct__choose64(x > 0x1p28, 0x1.62e42fefa39efp-1, 0);
    return ct__choose64(x >= 1, y, NAN);
}

CT__ELEMENT double ct__atanh64(double x)
{
    double a = ct__magnitude64(x), y = 0.5 * ct__log1p64(2 * a / (1 - a));
    return ct__with_sign64(ct__choose64(a > 1, NAN, y), x);
}

/* ---- sin, cos, tan: x = n pi/2 + r, |r| <= pi/4. */

typedef struct ct__turned64 {
    uint64_t n; /* modulo 4 */
    double r;
} ct__turned64;

#define CT__TURNS_LIMIT64 0x1p30

/* Of |x| <= CT__TURNS_LIMIT64. */
CT__ELEMENT ct__turned64 ct__turn64(double x)
{
    double shifted = ct__fma64(x, 0x1.45f306dc9c883p-1, CT__ROUNDER64), n = shifted - CT__ROUNDER64;
    double r = ct__fma64(n, -half_pi_parts[0], x);
    r = ct__fma64(n, -half_pi_parts[1], r);
    r = ct__fma64(n, -half_pi_parts[2], r);
    return (ct__turned64){ct__bits64(shifted), r};
}

/* w[0 … 1] = the upper two words of the product, modulo 2^192, of m with six words of 2/pi from bit
 * `at` on. */
CT__ELEMENT void ct__turn_words64(uint64_t m, uint32_t at, uint64_t *w)
{
    const uint32_t k = at / 32, shift = at % 32;
    const uint64_t low = m & UINT32_MAX, high = m >> 32;
    uint64_t carry = 0, word[7] = {0}, result[6];
    for (uint32_t i = 0; i < 6; i++)
        word[i] = (uint32_t)((((uint64_t)two_over_pi[k + i] << 32) | two_over_pi[k + i + 1]) >>
                             (32 - shift));
    for (uint32_t i = 6; i-- > 0;) {
        const uint64_t x = low * word[i], y = high * word[i + 1];
        const uint64_t sum = (x & UINT32_MAX) + (y & UINT32_MAX) + (carry & UINT32_MAX);
        carry = (carry >> 32) + (x >> 32) + (y >> 32) + (sum >> 32);
        result[i] = sum & UINT32_MAX;
    }
    w[0] = (result[0] << 32) | result[1];
    w[1] = (result[2] << 32) | result[3];
}

/* Of larger ones, as ct__turn_far. */
CT__ELEMENT ct__turned64 ct__turn_far64(double x)
{
    const uint64_t bits = ct__bits64(x), m = (bits & 0xfffffffffffff) | 0x10000000000000;
    uint64_t w[2];
    if (!(ct__magnitude64(x) < INFINITY))
        return (ct__turned64){0, NAN};
    ct__turn_words64(m, (uint32_t)(bits >> 52 & 2047) - 1075 + 30, w);
    uint64_t n = (w[0] + (UINT64_C(1) << 61)) >> 62;
    double turns = ct__fma64((double)w[1], 0x1p-64, (double)(int64_t)(w[0] - (n << 62)));
    double r = ct__fma64(turns, half_pi_parts[0] * 0x1p-62, turns * (half_pi_parts[1] * 0x1p-62));
    return x < 0 ? (ct__turned64){0 - n, -r} : (ct__turned64){n, r};
}

CT__ELEMENT double ct__sin_of64(double r)
{
    double t = r * r, q = sin64_q[5];
    q = ct__fma64(q, t, sin64_q[4]);
    q = ct__fma64(q, t, sin64_q[3]);
    q = ct__fma64(q, t, sin64_q[2]);
    q = ct__fma64(q, t, sin64_q[1]);
    q = ct__fma64(q, t, sin64_q[0]);
    return ct__fma64(q * t, r, r);
}

CT__ELEMENT double ct__cos_of64(double r)
{
    double t = r * r, q = cos64_q[5];
    q = ct__fma64(q, t, cos64_q[4]);
    q = ct__fma64(q, t, cos64_q[3]);
    q = ct__fma64(q, t, cos64_q[2]);
    q = ct__fma64(q, t, cos64_q[1]);
    q = ct__fma64(q, t, cos64_q[0]);
    q = ct__fma64(q, t, -0.5);
    return ct__fma64(q, t, 1);
}

/* y, or -y where n is odd. */
CT__ELEMENT double ct__negate_odd64(double y, uint64_t n)
{
    return ct__from_bits64(ct__bits64(y) ^ (n << 63));
}

CT__ELEMENT double ct__turned_sin64(ct__turned64 t)
{
    double y = ct__choose64((t.n & 1) != 0, ct__cos_of64(t.r), ct__sin_of64(t.r));
    return ct__negate_odd64(y, t.n >> 1);
}

CT__ELEMENT double ct__turned_cos64(ct__turned64 t)
{
    double y = ct__choose64((t.n & 1) != 0, ct__sin_of64(t.r), ct__cos_of64(t.r));
    return ct__negate_odd64(y, (t.n + 1) >> 1);
}

CT__ELEMENT double ct__turned_tan64(ct__turned64 t)
{
    double sin = ct__sin_of64(t.r), cos = ct__cos_of64(t.r);
    bool is_odd = (t.n & 1) != 0;
    double above = ct__choose64(is_odd, cos, sin), below = ct__choose64(is_odd, sin, cos);
    return ct__negate_odd64(above / below, t.n);
}

/* Of |x| <= CT__TURNS_LIMIT64; of others the same functions of ct__turn_far64(x). */
CT__ELEMENT double ct__sin64(double x)
{
    return ct__choose64(x == 0, x, ct__turned_sin64(ct__turn64(x)));
}

CT__ELEMENT double ct__cos64(double x)
{
    return ct__turned_cos64(ct__turn64(x));
}

CT__ELEMENT double ct__tan64(double x)
{
    return ct__choose64(x == 0, x, ct__turned_tan64(ct__turn64(x)));
}

/* ---- erf, erfc. */

/* Of 0 <= a <= 27.5: e^(-a^2) of what a^2 is rounded to, corrected for what it lost. */
CT__ELEMENT double ct__erfc_of64(double a)
{
    double square = a * a, lost = ct__fma64(a, a, -square), p = erfc64_p[9], q = erfc64_q[10];
    p = ct__fma64(p, a, erfc64_p[8]);
    q = ct__fma64(q, a, erfc64_q[9]);
    p = ct__fma64(p, a, erfc64_p[7]);
    q = ct__fma64(q, a, erfc64_q[8]);
    p = ct__fma64(p, a, erfc64_p[6]);
    q = ct__fma64(q, a, erfc64_q[7]);
    p = ct__fma64(p, a, erfc64_p[5]);
    q = ct__fma64(q, a, erfc64_q[6]);
    p = ct__fma64(p, a, erfc64_p[4]);
    q = ct__fma64(q, a, erfc64_q[5]);
    p = ct__fma64(p, a, erfc64_p[3]);
    q = ct__fma64(q, a, erfc64_q[4]);
    p = ct__fma64(p, a, erfc64_p[2]);
    q = ct__fma64(q, a, erfc64_q[3]);
    p = ct__fma64(p, a, erfc64_p[1]);
    q = ct__fma64(q, a, erfc64_q[2]);
    p = ct__fma64(p, a, erfc64_p[0]);
    q = ct__fma64(q, a, erfc64_q[1]);
    q = ct__fma64(q, a, erfc64_q[0]);
    ct__reduced64 e = ct__reduce_exp64(-square);
    double power = ct__expm1_of64(e.r);
    power = ct__fma64(-lost, 1 + power, power);
    double ratio = ct__fma64(p, a, 1) / ct__fma64(q, a, 1);
    return ct__fma64(power, ratio, ratio) * e.half * e.rest;
}

CT__ELEMENT double ct__erfc64(double x)
{
    double a = ct__magnitude64(x), y = ct__erfc_of64(ct__choose64(a > 27.5, 27.5, a));
    return ct__choose64(x < 0, 2 - y, y);
}

/* x + x q(x^2) up to 1, 1 - erfc x beyond. */
CT__ELEMENT double ct__erf64(double x)
{
    double a = ct__magnitude64(x), t = a * a, q = erf64_q[11];
    q = ct__fma64(q, t, erf64_q[10]);
    q = ct__fma64(q, t, erf64_q[9]);
    q = ct__fma64(q, t, erf64_q[8]);
    q = ct__fma64(q, t, erf64_q[7]);
    q = ct__fma64(q, t, erf64_q[6]);
    q = ct__fma64(q, t, erf64_q[5]);
    q = ct__fma64(q, t, erf64_q[4]);
    q = ct__fma64(q, t, erf64_q[3]);
    q = ct__fma64(q, t, erf64_q[2]);
    q = ct__fma64(q, t, erf64_q[1]);
    q = ct__fma64(q, t, erf64_q[0]);
    double large = 1 - ct__erfc_of64(ct__choose64(a > 6, 6, a));
    return ct__with_sign64(ct__choose64(a > 1, large, ct__fma64(q, a, a)), x);
}

/* ---- Roots. */

/* Of 2^(3 k) m, m from 1/sqrt(8) to sqrt(8): a polynomial, Halley's step, and Newton's with y^3 - m
 * found exactly. */
CT__ELEMENT double ct__cbrt64(double x)
{
    double a = ct__magnitude64(x);
    bool is_tiny = a < 0x1p-1022;
    ct__split64 s = ct__split64_of(a * ct__choose64(is_tiny, 0x1p54, 1));
    double k = ct__fma64(s.n, 0x1.5555555555555p-2, CT__ROUNDER64) - CT__ROUNDER64;
    double rest = ct__fma64(k, -3, s.n); /* -1, 0, 1 */
    double m = (1 + s.f) * ct__choose64(rest > 0, 2, ct__choose64(rest < 0, 0.5, 1));
    double y = cbrt64_q[5];
    y = ct__fma64(y, m, cbrt64_q[4]);
    y = ct__fma64(y, m, cbrt64_q[3]);
    y = ct__fma64(y, m, cbrt64_q[2]);
    y = ct__fma64(y, m, cbrt64_q[1]);
    y = ct__fma64(y, m, cbrt64_q[0]);
    double cube = y * y * y;
    y = y - y * ((cube - m) / ct__fma64(2, cube, m));
    double square = y * y, lost = ct__fma64(y, y, -square);
    double error = ct__fma64(square, y, -m) + lost * y;
    y = y - error / (3 * square);
    k = k - ct__choose64(is_tiny, 18, 0);
    y = y * ct__from_bits64(ct__bits64(k + (CT__ROUNDER64 + 1023)) << 52);
    return ct__with_sign64(ct__choose64((a > 0) & (a < INFINITY), y, a), x);
}

/* ---- atan2, atan, asin, acos. */

/* s + s^3 q(s^2), |s| <= tan(pi/8) */
CT__ELEMENT double ct__atan_of64(double s)
{
    double t = s * s, q = atan64_q[11];
    q = ct__fma64(q, t, atan64_q[10]);
    q = ct__fma64(q, t, atan64_q[9]);
    q = ct__fma64(q, t, atan64_q[8]);
    q = ct__fma64(q, t, atan64_q[7]);
    q = ct__fma64(q, t, atan64_q[6]);
    q = ct__fma64(q, t, atan64_q[5]);
    q = ct__fma64(q, t, atan64_q[4]);
    q = ct__fma64(q, t, atan64_q[3]);
    q = ct__fma64(q, t, atan64_q[2]);
    q = ct__fma64(q, t, atan64_q[1]);
    q = ct__fma64(q, t, atan64_q[0]);
    return ct__fma64(q * t, s, s);
}

/* The angle of (x, y): with the smaller part above the larger one it is at most pi/4; then of the
 * difference above the sum, where the quotient is more than tan(pi/8). Parts are multiplied or
 * divided by a power of two first, so that neither sums overflow nor quotients of what is tiny lose
 * digits. */
CT__ELEMENT double ct__atan2_64(double y, double x)
{
    double a = ct__magnitude64(x), b = ct__magnitude64(y);
    bool is_steep = b > a, is_left = (ct__bits64(x) >> 63) != 0;
    double low = ct__choose64(is_steep, a, b), high = ct__choose64(is_steep, b, a);
    bool both_infinite = low == INFINITY;
    double scale = ct__choose64(high > 0x1p1000, 0x1p-60,
                                ct__choose64(high < 0x1p-900, 0x1p120, 1));
    low = ct__choose64(both_infinite, 1, low * scale);
    high = ct__choose64(both_infinite, 1, ct__choose64(high == 0, 1, high * scale));
    bool is_wide = low > 0x1.a827999fcef32p-2 * high;
    double above = ct__choose64(is_wide, low - high, low),
           below = ct__choose64(is_wide, low + high, high);
    double angle = ct__atan_of64(above / below);
    /* quarter: of pi/4 added; the angle is turned about pi/2 where it is steep, and then about pi/2
     * again where it is to the left. */
    double quarters = ct__choose64(is_wide, 1, 0);
    quarters = ct__choose64(is_steep, 2 - quarters, quarters);
    angle = ct__choose64(is_steep, -angle, angle);
    quarters = ct__choose64(is_left, 4 - quarters, quarters);
    angle = ct__choose64(is_left, -angle, angle);
    angle = ct__fma64(quarters, half_pi_parts[0] / 2,
                      ct__fma64(quarters, half_pi_parts[1] / 2, angle));
    angle = ct__choose64((x != x) | (y != y), NAN, angle);
    return ct__with_sign64(angle, y);
}

CT__ELEMENT double ct__atan64(double x)
{
    return ct__atan2_64(x, 1);
}

CT__ELEMENT double ct__asin64(double x)
{
    return ct__atan2_64(x, __builtin_sqrt((1 - x) * (1 + x)));
}

CT__ELEMENT double ct__acos64(double x)
{
    return ct__atan2_64(__builtin_sqrt((1 - x) * (1 + x)), x);
}

/* ---- pow: 2^(y log2 |x|), the logarithm and the product in two parts. */

typedef struct ct__pair64 {
    double high, low;
} ct__pair64;

/* s = (m - 1) / (m + 1) in two parts; log2 m = s (c + c t / 3 + t^2 q(t)), of which two terms count
 * beyond f64. */
CT__ELEMENT ct__pair64 ct__log2_pair64(double n, double f)
{
    double sum = 2 + f, lost = f - (sum - 2), inverse = 1 / sum, s = f * inverse;
    double s_low = (ct__fma64(-s, sum, f) - s * lost) * inverse;
    double t = s * s, t_low = ct__fma64(s, s, -t) + 2 * s * s_low, q = power64_q[7];
    q = ct__fma64(q, t, power64_q[6]);
    q = ct__fma64(q, t, power64_q[5]);
    q = ct__fma64(q, t, power64_q[4]);
    q = ct__fma64(q, t, power64_q[3]);
    q = ct__fma64(q, t, power64_q[2]);
    q = ct__fma64(q, t, power64_q[1]);
    q = ct__fma64(q, t, power64_q[0]);
    q *= t;
    double third = power64_c[2] + q, third_low = q - (third - power64_c[2]) + power64_c[3];
    double u = t * third, u_low = ct__fma64(t, third, -u) + (t * third_low + t_low * third);
    double v = power64_c[0] + u, v_low = u - (v - power64_c[0]) + (u_low + power64_c[1]);
    double w = s * v, w_low = ct__fma64(s, v, -w) + (s * v_low + s_low * v);
    double high = n + w;
    return (ct__pair64){high, w - (high - n) + w_low};
}

/* 2^(x + low), |x| <= 1100 */
CT__ELEMENT double ct__exp2_pair64(double x, double low)
{
    const double rounder = CT__ROUNDER64 + 2046;
    double shifted = x + rounder, r = x - (shifted - rounder) + low, q = exp2_64_q[10];
    uint64_t bits = ct__bits64(shifted), half = bits >> 1;
    q = ct__fma64(q, r, exp2_64_q[9]);
    q = ct__fma64(q, r, exp2_64_q[8]);
    q = ct__fma64(q, r, exp2_64_q[7]);
    q = ct__fma64(q, r, exp2_64_q[6]);
    q = ct__fma64(q, r, exp2_64_q[5]);
    q = ct__fma64(q, r, exp2_64_q[4]);
    q = ct__fma64(q, r, exp2_64_q[3]);
    q = ct__fma64(q, r, exp2_64_q[2]);
    q = ct__fma64(q, r, exp2_64_q[1]);
    q = ct__fma64(q, r, exp2_64_q[0]);
    return ct__fma64(q, r, 1) * ct__from_bits64(half << 52) * ct__from_bits64((bits - half) << 52);
}

/* As C99's pow; see ct__pow. */
CT__ELEMENT double ct__pow64(double x, double y)
{
    double a = ct__magnitude64(x), b = ct__magnitude64(y);
    bool is_tiny = a < 0x1p-1022;
    ct__split64 m = ct__split64_of(a * ct__choose64(is_tiny, 0x1p54, 1));
    ct__pair64 log = ct__log2_pair64(m.n - ct__choose64(is_tiny, 54, 0), m.f);
    double power = y * log.high, low = ct__fma64(y, log.high, -power) + y * log.low;
    bool is_far = !(ct__magnitude64(power) <= 1100);
    power = ct__choose64(power > 1100, 1100, ct__choose64(power < -1100, -1100, power));
    double z = ct__exp2_pair64(power, ct__choose64(is_far, 0, low));
    double end = ct__choose64((a == 0) == (y < 0), INFINITY, 0); /* of a = 0 and of a = inf */
    z = ct__choose64((a == 0) | (a == INFINITY), end, z);
    double limited = ct__choose64(b > 0x1p53, 0x1p53, b);
    bool is_short = limited < 0x1p52;
    double shifted = ct__choose64(is_short, limited + 0x1p52, limited);
    bool is_integer = ct__choose64(is_short, shifted - 0x1p52, limited) == limited;
    z = ct__choose64((x < 0) & !is_integer & (a != INFINITY), NAN, z);
    double odd = ct__choose64(is_integer, ct__from_bits64(ct__bits64(shifted) << 63), 0);
    z = ct__from_bits64(ct__bits64(z) | (ct__bits64(x) & ct__bits64(odd)));
    z = ct__choose64((a == 1) & (b == INFINITY), 1, z);
    z = ct__choose64((x != x) | (y != y), NAN, z);
    return ct__choose64((x == 1) | (y == 0), 1, z);
}

#endif
