/* Elementary functions of f32 as the executors compute them: machine numerics.
 *
 * Each is one expression without branches, so that a loop over an array of them is vectorised; it
 * gives the same bits in every instruction set, for products and sums are fused only where
 * ct__fma says so, and nothing else rounds differently. Bounds of the errors, in units of the last
 * place, are those that tests/test_elementary.c finds:
 *
 *   exp 1.0   expm1 1.5   log 1.0   log1p 1.5   tanh 1.5   logistic 2.5   sin, cos 1.5   tan 3.5
 *   erf 1.0   pow 0.51
 *
 * The polynomials are in elementary.inc. */
#ifndef CT_EXEC_ELEMENTARY_H
#define CT_EXEC_ELEMENTARY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "exec/kernel/elementary.inc"

/* a·b + c, rounded once. */
static inline float ct__fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

static inline double ct__fma64(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

static inline uint32_t ct__bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float ct__from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t ct__bits64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double ct__from_bits64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float ct__with_sign(float magnitude, float sign)
{
    return ct__from_bits((ct__bits(magnitude) & 0x7fffffff) | (ct__bits(sign) & 0x80000000));
}

static inline float ct__magnitude(float x)
{
    return ct__from_bits(ct__bits(x) & 0x7fffffff);
}

/* Added to a number and taken away again, these round it to an integer, to even; the sum has the
 * integer in its low bits. */
#define CT__ROUNDER 0x1.8p23f
#define CT__ROUNDER64 0x1.8p52

#define CT__LN2_HIGH 0x1.62e43p-1f
#define CT__LN2_LOW -0x1.05c61p-29f

static inline float ct__clamp(float x, float low, float high) /* a NaN stays */
{
    x = low > x ? low : x;
    return high < x ? high : x;
}

/* ---- exp: x = n ln 2 + r; e^x = 2^n e^r. */

typedef struct ct__reduced {
    int32_t n;
    float r, tail; /* e^r = 1 + r + tail */
} ct__reduced;

static inline ct__reduced ct__reduce_exp(float x)
{
    float shifted = ct__fma(x, 0x1.715476p+0f, CT__ROUNDER), n = shifted - CT__ROUNDER;
    float r = ct__fma(n, -CT__LN2_LOW, ct__fma(n, -CT__LN2_HIGH, x)), q = exp_q[5];
    q = ct__fma(q, r, exp_q[4]);
    q = ct__fma(q, r, exp_q[3]);
    q = ct__fma(q, r, exp_q[2]);
    q = ct__fma(q, r, exp_q[1]);
    q = ct__fma(q, r, exp_q[0]);
    return (ct__reduced){(int32_t)(ct__bits(shifted) - ct__bits(CT__ROUNDER)), r, r * r * q};
}

static inline float ct__power_of_two(int32_t n) /* n in [-126, 127] */
{
    return ct__from_bits((uint32_t)(n + 127) << 23);
}

/* In two steps, of which only the last may round. */
static inline float ct__exp(float x)
{
    ct__reduced e = ct__reduce_exp(ct__clamp(x, -104, 89));
    int32_t half = e.n >> 1;
    return (1 + (e.r + e.tail)) * ct__power_of_two(half) * ct__power_of_two(e.n - half);
}

/* 2^n (e^r - 1) + (2^n - 1), all halved, for n may be 128. */
static inline float ct__expm1(float x)
{
    ct__reduced e = ct__reduce_exp(ct__clamp(x, -18, 89));
    float half = ct__power_of_two(e.n - 1);
    float y = 2 * ct__fma(e.r + e.tail, half, half - 0.5f);
    return ct__magnitude(x) < 0x1p-25f ? x : y;
}

/* x + x^3 q(x^2) near 0, 1 - 2 / (e^(2|x|) + 1) elsewhere. */
static inline float ct__tanh(float x)
{
    float a = ct__magnitude(x), t = x * x, q = tanh_q[4];
    ct__reduced e = ct__reduce_exp(2 * ct__clamp(a, 0, 10));
    float large = 1 - 2 / ((1 + (e.r + e.tail)) * ct__power_of_two(e.n) + 1);
    q = ct__fma(q, t, tanh_q[3]);
    q = ct__fma(q, t, tanh_q[2]);
    q = ct__fma(q, t, tanh_q[1]);
    q = ct__fma(q, t, tanh_q[0]);
    return ct__with_sign(a > 0.6f ? large : ct__fma(q * t, a, a), x);
}

/* 1 / (1 + e^-x), or e^x / (1 + e^x): what is raised is not positive. */
static inline float ct__logistic(float x)
{
    float e = ct__exp(-ct__magnitude(x));
    return (x < 0 ? e : 1) / (1 + e);
}

/* ---- log: x = 2^n (1 + f), 1 + f near 1. */

/* n ln 2 + log(1 + f) */
static inline float ct__log_of(float n, float f)
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

#define CT__ROOT_HALF_BITS 0x3f3504f3u /* of sqrt(1/2) */

static inline float ct__log(float x)
{
    bool is_tiny = x < 0x1p-126f;
    uint32_t bits = ct__bits(is_tiny ? x * 0x1p23f : x);
    int32_t n = (int32_t)(bits - CT__ROOT_HALF_BITS) >> 23;
    float f = ct__from_bits(bits - ((uint32_t)n << 23)) - 1;
    float y = ct__log_of((float)n - (is_tiny ? 23.0f : 0.0f), f);
    y = x < INFINITY ? y : x;
    return x > 0 ? y : x == 0 ? -INFINITY : NAN;
}

/* With u = 1 + x rounded, and what was lost. */
static inline float ct__log1p(float x)
{
    float u = 1 + x, lost = x > 1 ? 1 - (u - x) : x - (u - 1);
    uint32_t bits = ct__bits(u);
    int32_t n = (int32_t)(bits - CT__ROOT_HALF_BITS) >> 23;
    float scale = ct__from_bits((uint32_t)(n < 127 ? 127 - n : 0) << 23);
    float f = ct__from_bits(bits - ((uint32_t)n << 23)) - 1;
    float y = ct__log_of((float)n, ct__fma(lost, scale, f));
    y = x < INFINITY ? y : x;
    y = u > 0 ? y : u == 0 ? -INFINITY : NAN;
    return ct__magnitude(x) < 0x1p-25f ? x : y;
}

/* ---- sin, cos, tan: x = n pi/2 + r, found in f64. Good for |x| <= CT__TURNS_LIMIT. */

#define CT__TURNS_LIMIT 0x1p28f

typedef struct ct__turned {
    uint32_t n;
    float sin, cos; /* of r */
} ct__turned;

static inline ct__turned ct__turn(float x)
{
    double shifted = ct__fma64((double)x, 0x1.45f306dc9c883p-1, CT__ROUNDER64);
    double n = shifted - CT__ROUNDER64;
    double near = ct__fma64(n, -0x1.921fb54442d18p+0, (double)x);
    float r = (float)ct__fma64(n, -0x1.1a62633145c07p-54, near), t = r * r;
    float s = sin_q[2], c = cos_q[2];
    s = ct__fma(s, t, sin_q[1]);
    s = ct__fma(s, t, sin_q[0]);
    c = ct__fma(c, t, cos_q[1]);
    c = ct__fma(c, t, cos_q[0]);
    c = ct__fma(c, t, -0.5f);
    return (ct__turned){(uint32_t)ct__bits64(shifted), ct__fma(s * t, r, r), ct__fma(c, t, 1)};
}

/* y, or -y where n has this bit. */
static inline float ct__negate_if(float y, uint32_t n, uint32_t bit)
{
    return ct__from_bits(ct__bits(y) ^ ((n & bit) != 0 ? 0x80000000 : 0));
}

static inline float ct__sin(float x)
{
    ct__turned t = ct__turn(x);
    float y = ct__negate_if(t.n & 1 ? t.cos : t.sin, t.n, 2);
    return x == 0 ? x : y;
}

static inline float ct__cos(float x)
{
    ct__turned t = ct__turn(x);
    return ct__negate_if(t.n & 1 ? t.sin : t.cos, t.n + 1, 2);
}

static inline float ct__tan(float x)
{
    ct__turned t = ct__turn(x);
    float above = t.n & 1 ? t.cos : t.sin, below = t.n & 1 ? t.sin : t.cos;
    float y = ct__negate_if(above / below, t.n, 1);
    return x == 0 ? x : y;
}

/* ---- erf: x + x q(x^2) up to 1, 1 - e^q(|x|) beyond. */

static inline float ct__erf(float x)
{
    float a = ct__magnitude(x), t = a * a, b = ct__clamp(a, 1, 3.95f);
    float small = erf_small[6], large = erf_large[8];
    small = ct__fma(small, t, erf_small[5]);
    small = ct__fma(small, t, erf_small[4]);
    small = ct__fma(small, t, erf_small[3]);
    small = ct__fma(small, t, erf_small[2]);
    small = ct__fma(small, t, erf_small[1]);
    small = ct__fma(small, t, erf_small[0]);
    small = ct__fma(small, a, a);
    large = ct__fma(large, b, erf_large[7]);
    large = ct__fma(large, b, erf_large[6]);
    large = ct__fma(large, b, erf_large[5]);
    large = ct__fma(large, b, erf_large[4]);
    large = ct__fma(large, b, erf_large[3]);
    large = ct__fma(large, b, erf_large[2]);
    large = ct__fma(large, b, erf_large[1]);
    large = ct__fma(large, b, erf_large[0]);
    large = 1 - ct__exp(large);
    return ct__with_sign(a > 1 ? large : small, x);
}

/* ---- pow: 2^(y log2 |x|) in f64, rounded once. */

/* log2 of a positive finite number, to about 2^-50 of it. */
static inline double ct__log2_64(double x)
{
    uint64_t bits = ct__bits64(x);
    int64_t n = (int64_t)(bits - 0x3fe6a09e667f3bcd) >> 52;
    double m = ct__from_bits64(bits - ((uint64_t)n << 52));
    double s = (m - 1) / (m + 1), t = s * s, q = log2_q[6];
    q = ct__fma64(q, t, log2_q[5]);
    q = ct__fma64(q, t, log2_q[4]);
    q = ct__fma64(q, t, log2_q[3]);
    q = ct__fma64(q, t, log2_q[2]);
    q = ct__fma64(q, t, log2_q[1]);
    q = ct__fma64(q, t, log2_q[0]);
    return ct__fma64(q, s,
                     ct__from_bits64((uint64_t)n + ct__bits64(CT__ROUNDER64)) - CT__ROUNDER64);
}

/* 2^x, x in [-300, 300] or NaN. */
static inline double ct__exp2_64(double x)
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
static inline float ct__pow(float x, float y)
{
    float a = ct__magnitude(x);
    double power = (double)y * ct__log2_64((double)a);
    power = -300 > power ? -300 : power;
    power = 300 < power ? 300 : power;
    float z = (float)ct__exp2_64(power);
    float end = (a == 0) == (y < 0) ? INFINITY : 0; /* of a = 0 and of a = inf */
    z = a == 0 || a == INFINITY ? end : z;
    float whole = ct__clamp(y, -0x1p24f, 0x1p24f);
    int32_t integer = (int32_t)(whole == whole ? whole : 0);
    bool is_integer = (float)integer == whole, is_odd = is_integer && (integer & 1) != 0;
    z = x < 0 && !is_integer && a != INFINITY ? NAN : z;
    z = is_odd ? ct__with_sign(z, x) : z;
    z = a == 1 && ct__magnitude(y) == INFINITY ? 1 : z;
    z = x != x || y != y ? NAN : z;
    return x == 1 || y == 0 ? 1 : z;
}

#endif
