/* Elementary functions of f32 as the executors compute them: machine numerics.
 *
 * Each is one expression without branches, so that a loop over an array of them is vectorised; it
 * gives the same bits in every instruction set, for products and sums are fused only where
 * ct__fma says so, and nothing else rounds differently. bounds.def has the bounds of the errors;
 * neither tanh nor erf is beyond 1. The polynomials are in elementary.inc.
 *
 * This text is also part of generated programs: it needs no more than the types, INFINITY and NAN,
 * memcpy and gcc's __builtin_fma. */
#ifndef CT_EXEC_ELEMENTARY_H
#define CT_EXEC_ELEMENTARY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "exec/kernel/elementary.inc"

#define CT__ELEMENT static inline __attribute__((always_inline)) /* a call is not vectorised */

/* a·b + c, rounded once. */
CT__ELEMENT float ct__fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

CT__ELEMENT double ct__fma64(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

CT__ELEMENT uint32_t ct__bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

CT__ELEMENT float ct__from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

CT__ELEMENT uint64_t ct__bits64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

CT__ELEMENT double ct__from_bits64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Of the bits of both. */
CT__ELEMENT float ct__and(float x, float y)
{
    return ct__from_bits(ct__bits(x) & ct__bits(y));
}

CT__ELEMENT float ct__or(float x, float y)
{
    return ct__from_bits(ct__bits(x) | ct__bits(y));
}

CT__ELEMENT double ct__and64(double x, double y)
{
    return ct__from_bits64(ct__bits64(x) & ct__bits64(y));
}

CT__ELEMENT double ct__or64(double x, double y)
{
    return ct__from_bits64(ct__bits64(x) | ct__bits64(y));
}

CT__ELEMENT float ct__with_sign(float magnitude, float sign)
{
    return ct__from_bits((ct__bits(magnitude) & 0x7fffffff) | (ct__bits(sign) & 0x80000000));
}

CT__ELEMENT float ct__magnitude(float x)
{
    return ct__from_bits(ct__bits(x) & 0x7fffffff);
}

CT__ELEMENT float ct__truncated(float x)
{
    return __builtin_truncf(x);
}

/* Added to a number and taken away again, these round it to an integer, to even; the sum has the
 * integer in its low bits. */
#define CT__ROUNDER 0x1.8p23f
#define CT__ROUNDER64 0x1.8p52

#define CT__LN2_HIGH 0x1.62e4p-1f
#define CT__LN2_LOW 0x1.7f7d1cp-20f

/* The smaller one by bits as integers: those of positive numbers are in their order, negative ones
 * come before. Nothing is said of a NaN; fminf would take more than one instruction. */
CT__ELEMENT float ct__smaller_bits(float x, float y)
{
    int32_t a = (int32_t)ct__bits(x), b = (int32_t)ct__bits(y);
    return ct__from_bits((uint32_t)(a < b ? a : b));
}

/* condition ? yes : no, by bits: of many branches to constants gcc makes paths that it does not
 * vectorise. */
CT__ELEMENT float ct__choose(bool condition, float yes, float no)
{
    const uint32_t mask = 0 - (uint32_t)condition;
    return ct__from_bits((ct__bits(yes) & mask) | (ct__bits(no) & ~mask));
}

CT__ELEMENT float ct__at_least(float x, float low) /* a NaN stays */
{
    return low > x ? low : x;
}

CT__ELEMENT float ct__at_most(float x, float high) /* a NaN stays */
{
    return high < x ? high : x;
}

/* ---- exp: x = 2 n ln 2 + r; e^x = (2^n)^2 e^r, |r| <= ln 2. Of two factors only the last may
 * round, and neither is out of range where the result is not. */

typedef struct ct__reduced {
    float root, r; /* root: 2^n */
} ct__reduced;

/* Of x > -106. From n = 76 on, n stays and r grows, so that the result is infinite. */
CT__ELEMENT ct__reduced ct__reduce_exp(float x)
{
    const float rounder = CT__ROUNDER + 127; /* the integer's low bits are those of an exponent */
    float shifted = ct__fma(x, 0x1.715476p-1f, rounder);
    shifted = ct__smaller_bits(shifted, rounder + 76);
    float n = shifted - rounder;
    float r = ct__fma(n, -2 * CT__LN2_LOW, ct__fma(n, -2 * CT__LN2_HIGH, x));
    return (ct__reduced){ct__from_bits(ct__bits(shifted) << 23), r};
}

/* e^r of a small r */
CT__ELEMENT float ct__exp_of(float r)
{
    float q = exp_q[5];
    q = ct__fma(q, r, exp_q[4]);
    q = ct__fma(q, r, exp_q[3]);
    q = ct__fma(q, r, exp_q[2]);
    q = ct__fma(q, r, exp_q[1]);
    q = ct__fma(q, r, exp_q[0]);
    return ct__fma(ct__fma(q, r, 1), r, 1);
}

CT__ELEMENT float ct__exp(float x)
{
    ct__reduced e = ct__reduce_exp(x);
    float y = ct__exp_of(e.r) * e.root * e.root;
    return x < -104 ? 0 : y;
}

/* 2^n (2^n (e^r - 1) + 2^n - 2^-n) */
CT__ELEMENT float ct__expm1(float x)
{
    ct__reduced e = ct__reduce_exp(ct__at_least(x, -18));
    float r = e.r, q = expm1_q[6], inverse = ct__from_bits(0x7f000000 - ct__bits(e.root));
    q = ct__fma(q, r, expm1_q[5]);
    q = ct__fma(q, r, expm1_q[4]);
    q = ct__fma(q, r, expm1_q[3]);
    q = ct__fma(q, r, expm1_q[2]);
    q = ct__fma(q, r, expm1_q[1]);
    q = ct__fma(q, r, expm1_q[0]);
    float y = ct__fma(ct__fma(q, r * r, r), e.root, e.root - inverse) * e.root;
    return ct__from_bits(ct__bits(y) | (ct__bits(x) & 0x80000000)); /* of zeros too */
}

/* 1 / (1 + e^-x), both multiplied by 2^-n. */
CT__ELEMENT float ct__logistic(float x)
{
    ct__reduced e = ct__reduce_exp(ct__at_least(-x, -104));
    float inverse = ct__from_bits(0x7f000000 - ct__bits(e.root));
    return inverse / ct__fma(ct__exp_of(e.r), e.root, inverse);
}

/* y / (y + 1), y = (e^(2 a) - 1) / 2 = 2^n (e^(2 r) - 1) / 2 + (2^n - 1) / 2, a = |x| up to 10. */
CT__ELEMENT float ct__tanh(float x)
{
    const float rounder = CT__ROUNDER + 127;
    float a = ct__smaller_bits(ct__magnitude(x), 10);
    float shifted = ct__fma(a, 0x1.715476p+1f, rounder), n = shifted - rounder;
    float r = ct__fma(n, -CT__LN2_LOW / 2, ct__fma(n, -CT__LN2_HIGH / 2, a)), q = tanh_q[4];
    float scale = ct__from_bits(ct__bits(shifted) << 23);
    q = ct__fma(q, r, tanh_q[3]);
    q = ct__fma(q, r, tanh_q[2]);
    q = ct__fma(q, r, tanh_q[1]);
    q = ct__fma(q, r, tanh_q[0]);
    float y = ct__fma(ct__fma(q, r * r, r), scale, ct__fma(scale, 0.5f, -0.5f));
    y = ct__with_sign(y / (y + 1), x);
    return x == x ? y : x;
}

/* ---- log: x = 2^n (1 + f), |f| <= 1/3. */

/* n ln 2 + log(1 + f) */
CT__ELEMENT float ct__log_of(float n, float f)
{
    float square = f * f, q = log_q[7];
    q = ct__fma(q, f, log_q[6]);
    q = ct__fma(q, f, log_q[5]);
    q = ct__fma(q, f, log_q[4]);
    q = ct__fma(q, f, log_q[3]);
    q = ct__fma(q, f, log_q[2]);
    q = ct__fma(q, f, log_q[1]);
    q = ct__fma(q, f, log_q[0]);
    float tail = ct__fma(q * f, square, n * CT__LN2_LOW);
    tail = ct__fma(-0.5f, square, tail);
    return ct__fma(n, CT__LN2_HIGH, f + tail);
}

#define CT__TWO_THIRDS_BITS 0x3f2aaaabu

CT__ELEMENT float ct__log(float x)
{
    bool is_tiny = x < 0x1p-126f;
    uint32_t bits = ct__bits(x * ct__choose(is_tiny, 0x1p23f, 1));
    int32_t n = (int32_t)(bits - CT__TWO_THIRDS_BITS) >> 23;
    float f = ct__from_bits(bits - ((uint32_t)n << 23)) - 1;
    float y = ct__log_of((float)n - ct__choose(is_tiny, 23, 0), f);
    y = x < INFINITY ? y : x;
    return ct__choose(x > 0, y, ct__choose(x == 0, -INFINITY, NAN));
}

/* With u = 1 + x rounded, and what was lost. */
CT__ELEMENT float ct__log1p(float x)
{
    float u = 1 + x, lost = x > 1 ? 1 - (u - x) : x - (u - 1);
    uint32_t bits = ct__bits(u);
    int32_t n = (int32_t)(bits - CT__TWO_THIRDS_BITS) >> 23;
    float scale = ct__from_bits((uint32_t)(n < 127 ? 127 - n : 0) << 23);
    float f = ct__from_bits(bits - ((uint32_t)n << 23)) - 1;
    float y = ct__log_of((float)n, ct__fma(lost, scale, f));
    y = x < INFINITY ? y : x;
    y = ct__choose(u > 0, y, ct__choose(u == 0, -INFINITY, NAN));
    return ct__magnitude(x) < 0x1p-25f ? x : y;
}

/* ---- sin, cos, tan: x = n pi/2 + r, |r| <= pi/4. */

typedef struct ct__turned {
    uint32_t n; /* modulo 4 */
    float r;
} ct__turned;

#define CT__TURNS_LIMIT 0x1p18f

/* Of |x| <= CT__TURNS_LIMIT: what pi/2 lacks after three parts does not count. */
CT__ELEMENT ct__turned ct__turn(float x)
{
    float shifted = ct__fma(x, 0x1.45f306p-1f, CT__ROUNDER), n = shifted - CT__ROUNDER;
    float r = ct__fma(n, -0x1.921fb6p+0f, x);
    r = ct__fma(n, 0x1.777a5cp-25f, r);
    r = ct__fma(n, 0x1.ee59dap-50f, r);
    return (ct__turned){ct__bits(shifted), r};
}

/* Of any other |x|, m 2^e: of m 2^e 2/pi only what is below 4 counts, so that 2/pi begins at the
 * bit of 2^(1 - e). NaN for what is not finite. */
CT__ELEMENT ct__turned ct__turn_far(float x)
{
    const uint32_t bits = ct__bits(x), m = (bits & 0x7fffff) | 0x800000;
    const uint32_t at = (bits >> 23 & 255) - 150 + 30, k = at / 32, shift = at % 32;
    uint32_t w[3];
    if (!(ct__magnitude(x) < INFINITY))
        return (ct__turned){0, NAN};
    for (uint32_t i = 0; i < 3; i++)
        w[i] = (uint32_t)((((uint64_t)two_over_pi[k + i] << 32) | two_over_pi[k + i + 1]) >>
                          (32 - shift));
    uint64_t turns = m * (((uint64_t)w[0] << 32) | w[1]) + ((uint64_t)m * w[2] >> 32);
    uint64_t n = (turns + (UINT64_C(1) << 61)) >> 62; /* turns: in 2^-62 */
    float r = (float)((double)(int64_t)(turns - (n << 62)) * 0x1.921fb54442d18p-62);
    return x < 0 ? (ct__turned){0 - (uint32_t)n, -r} : (ct__turned){(uint32_t)n, r};
}

CT__ELEMENT float ct__sin_of(float r)
{
    float t = r * r, q = sin_q[2];
    q = ct__fma(q, t, sin_q[1]);
    q = ct__fma(q, t, sin_q[0]);
    return ct__fma(q * t, r, r);
}

CT__ELEMENT float ct__cos_of(float r)
{
    float t = r * r, q = cos_q[2];
    q = ct__fma(q, t, cos_q[1]);
    q = ct__fma(q, t, cos_q[0]);
    q = ct__fma(q, t, -0.5f);
    return ct__fma(q, t, 1);
}

/* y, or -y where n has this bit. */
CT__ELEMENT float ct__negate_if(float y, uint32_t n, uint32_t bit)
{
    return ct__from_bits(ct__bits(y) ^ ((n & bit) << (bit == 1 ? 31 : 30)));
}

CT__ELEMENT float ct__turned_sin(ct__turned t)
{
    float y = ct__choose((t.n & 1) != 0, ct__cos_of(t.r), ct__sin_of(t.r));
    return ct__negate_if(y, t.n, 2);
}

CT__ELEMENT float ct__turned_cos(ct__turned t)
{
    float y = ct__choose((t.n & 1) != 0, ct__sin_of(t.r), ct__cos_of(t.r));
    return ct__negate_if(y, t.n + 1, 2);
}

CT__ELEMENT float ct__turned_tan(ct__turned t)
{
    float sin = ct__sin_of(t.r), cos = ct__cos_of(t.r);
    float above = ct__choose((t.n & 1) != 0, cos, sin),
          below = ct__choose((t.n & 1) != 0, sin, cos);
    return ct__negate_if(above / below, t.n, 1);
}

/* Of |x| <= CT__TURNS_LIMIT; of others the same functions of ct__turn_far(x). */
CT__ELEMENT float ct__sin(float x)
{
    return ct__choose(x == 0, x, ct__turned_sin(ct__turn(x)));
}

CT__ELEMENT float ct__cos(float x)
{
    return ct__turned_cos(ct__turn(x));
}

CT__ELEMENT float ct__tan(float x)
{
    return ct__choose(x == 0, x, ct__turned_tan(ct__turn(x)));
}

/* ---- erf: x (1 + p(t)) / (1 + t q(t)), t = x^2, up to 3.95, where it is 1. */

CT__ELEMENT float ct__erf(float x)
{
    float a = ct__smaller_bits(ct__magnitude(x), 3.95f), t = a * a, p = erf_p[5], q = erf_q[4];
    p = ct__fma(p, t, erf_p[4]);
    q = ct__fma(q, t, erf_q[3]);
    p = ct__fma(p, t, erf_p[3]);
    q = ct__fma(q, t, erf_q[2]);
    p = ct__fma(p, t, erf_p[2]);
    q = ct__fma(q, t, erf_q[1]);
    p = ct__fma(p, t, erf_p[1]);
    q = ct__fma(q, t, erf_q[0]);
    p = ct__fma(p, t, erf_p[0]);
    float y = ct__fma(p, a, a) / ct__fma(q, t, 1);
    y = ct__with_sign(ct__smaller_bits(y, 1), x);
    return x == x ? y : x;
}

/* ---- pow: 2^(y log2 |x|) in f64, rounded once. */

/* log2 of a positive finite number of f32, to about 2^-50 of it. */
CT__ELEMENT double ct__log2_64(double x)
{
    const uint64_t bias = 1024; /* of n, which is then not negative */
    uint64_t bits = ct__bits64(x), n = (bits - 0x3fe6a09e667f3bcd + (bias << 52)) >> 52;
    double m = ct__from_bits64(bits - ((n - bias) << 52));
    double s = (m - 1) / (m + 1), t = s * s, q = log2_q[6];
    q = ct__fma64(q, t, log2_q[5]);
    q = ct__fma64(q, t, log2_q[4]);
    q = ct__fma64(q, t, log2_q[3]);
    q = ct__fma64(q, t, log2_q[2]);
    q = ct__fma64(q, t, log2_q[1]);
    q = ct__fma64(q, t, log2_q[0]);
    return ct__fma64(q, s, ct__from_bits64(ct__bits64(0x1p52) | n) - (0x1p52 + (double)bias));
}

/* 2^x, x in [-300, 300] or NaN. */
CT__ELEMENT double ct__exp2_64(double x)
{
    double shifted = x + CT__ROUNDER64, r = x - (shifted - CT__ROUNDER64), q = exp2_q[8];
    uint64_t n = ct__bits64(shifted) - ct__bits64(CT__ROUNDER64);
    q = ct__fma64(q, r, exp2_q[7]);
    q = ct__fma64(q, r, exp2_q[6]);
    q = ct__fma64(q, r, exp2_q[5]);
    q = ct__fma64(q, r, exp2_q[4]);
    q = ct__fma64(q, r, exp2_q[3]);
    q = ct__fma64(q, r, exp2_q[2]);
    q = ct__fma64(q, r, exp2_q[1]);
    q = ct__fma64(q, r, exp2_q[0]);
    return q * ct__from_bits64((n + 1023) << 52);
}

/* As C99's pow. */
CT__ELEMENT float ct__pow(float x, float y)
{
    float a = ct__magnitude(x), b = ct__magnitude(y);
    double power = (double)y * ct__log2_64((double)a);
    power = -300 > power ? -300 : power;
    power = 300 < power ? 300 : power;
    float z = (float)ct__exp2_64(power);
    float end = ct__choose((a == 0) == (y < 0), INFINITY, 0); /* of a = 0 and of a = inf */
    z = ct__choose((a == 0) | (a == INFINITY), end, z);
    /* An integer's last bit is that of a number in [2^23, 2^24]. */
    b = ct__smaller_bits(b, 0x1p24f);
    float shifted = ct__choose(b < 0x1p23f, b + 0x1p23f, b);
    bool is_integer = ct__choose(b < 0x1p23f, shifted - 0x1p23f, b) == b;
    z = ct__choose((x < 0) & !is_integer & (a != INFINITY), NAN, z);
    z = ct__from_bits(ct__bits(z) | (ct__bits(x) & (is_integer ? ct__bits(shifted) << 31 : 0)));
    z = ct__choose((a == 1) & (ct__magnitude(y) == INFINITY), 1, z);
    z = ct__choose((x != x) | (y != y), NAN, z);
    return ct__choose((x == 1) | (y == 0), 1, z);
}

#endif
