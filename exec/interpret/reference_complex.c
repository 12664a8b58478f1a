/* Complex numerics. */
#include "exec/interpret/reference.h"

#include <cotangent/op.h>

#include <assert.h>
#include <complex.h>
#include <math.h>

#ifndef CMPLX /* clang before 18 with glibc: the parts as they are, infinities and zeros too */
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

static bool is_finite(double complex z)
{
    return isfinite(creal(z)) && isfinite(cimag(z));
}

/* ---- Quotients. The compiler's own division differs between compilers. */

/* a b + c d with an error of about one rounding, however much cancels (Kahan). */
static double sum_of_products(double a, double b, double c, double d)
{
    double cd = c * d, error = fma(c, d, -cd);
    return fma(a, b, cd) + error;
}

static double boxed(double x)
{
    return copysign(isinf(x) ? 1 : 0, x);
}

/* Where the formula gives two NaNs: what is no NaN by C99's annex G, of operands that have an
 * infinite or a zero part. An infinity has one part infinite, whatever the other is. */
static double complex divide_special(double a, double b, double c, double d)
{
    const bool is_nan = isnan(a) || isnan(b);

    if (c == 0 && d == 0 && !(isnan(a) && isnan(b))) {
        double infinity = copysign((double)INFINITY, c);
        return CMPLX(infinity * a, infinity * b);
    }
    if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
        a = boxed(a), b = boxed(b);
        return CMPLX((double)INFINITY * (a * c + b * d), (double)INFINITY * (b * c - a * d));
    }
    if ((isinf(c) || isinf(d)) && !is_nan && isfinite(a) && isfinite(b)) {
        c = boxed(c), d = boxed(d);
        return CMPLX(0 * (a * c + b * d), 0 * (b * c - a * d));
    }
    return CMPLX((double)NAN, (double)NAN);
}

/* The power of two that brings the larger part to [1, 2); 0 where there is none. */
static int exponent_of(double x, double y)
{
    double exponent = logb(fmax(fabs(x), fabs(y)));
    return isfinite(exponent) ? (int)exponent : 0;
}

/* (a + i b) / (c + i d) = (a c + b d + i (b c - a d)) / (c² + d²), both scaled so that the sums
 * neither overflow nor lose digits; numerators only where they are extreme, which keeps the smaller
 * part. */
static double complex divide(double complex x, double complex y)
{
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    const int up = exponent_of(c, d), top = exponent_of(a, b);
    const int shift = top > 1000 ? -4 : top < -900 ? 120 : 0;
    double re, im, norm;

    c = scalbn(c, -up);
    d = scalbn(d, -up);
    norm = c * c + d * d;
    re = sum_of_products(scalbn(a, shift), c, scalbn(b, shift), d) / norm;
    im = sum_of_products(scalbn(b, shift), c, -scalbn(a, shift), d) / norm;
    re = scalbn(re, -up - shift);
    im = scalbn(im, -up - shift);
    return isnan(re) && isnan(im) ? divide_special(a, b, creal(y), cimag(y)) : CMPLX(re, im);
}

/* ---- Functions of a complex f64 that C99 lacks. */

/* The principal argument divided by 3. */
static double complex complex_cbrt(double complex z)
{
    double radius = cbrt(cabs(z)), angle = carg(z) / 3;
    return CMPLX(radius * cos(angle), radius * sin(angle));
}

/* e^x cos y - 1 = expm1(x) cos y - 2 sin²(y/2), without cancellation near 0; for large x the 1 does
 * not count, and e^x may overflow alone. */
static double complex complex_expm1(double complex z)
{
    double complex e = cexp(z);
    double x = creal(z), y = cimag(z), half = sin(y / 2);

    if (x > 100 || !is_finite(z))
        return CMPLX(creal(e) - 1, cimag(e));
    return CMPLX(expm1(x) * cos(y) - 2 * half * half, cimag(e));
}

/* x + y, and in *error what that lost (Knuth). */
static double two_sum(double x, double y, double *error)
{
    double sum = x + y, part = sum - x;
    *error += (x - (sum - part)) + (y - part);
    return sum;
}

/* |1 + z|² - 1 = 2 x + x² + y², in which nearly all may cancel. */
static double norm_minus_one(double x, double y)
{
    double xx = x * x, yy = y * y, error = fma(x, x, -xx) + fma(y, y, -yy);
    double sum = two_sum(two_sum(2 * x, xx, &error), yy, &error);
    return sum + error;
}

/* log|1 + z| is log1p(|1 + z|² - 1) / 2 near |1 + z| = 1, where the logarithm of hypot cancels. */
static double complex complex_log1p(double complex z)
{
    double x = creal(z), y = cimag(z), radius = hypot(x + 1, y);
    bool near_one = radius > 0.5 && radius < 2;

    return CMPLX(near_one ? log1p(norm_minus_one(x, y)) / 2 : log(radius), atan2(y, x + 1));
}

/* z / |z|; 0 for 0, NaN for a NaN in either part. */
static double complex complex_sign(double complex z)
{
    double x = creal(z), y = cimag(z), radius = hypot(x, y);

    if (x != x || y != y)
        return CMPLX((double)NAN, (double)NAN);
    if (isinf(radius) && is_finite(z)) /* halves have the same sign */
        return complex_sign(z / 2);
    return radius == 0 ? z : CMPLX(x / radius, y / radius);
}

/* x - n y, n being x / y with both parts truncated; of reals it is theirs. x where n is 0, for
 * infinite y too. */
static double complex complex_remainder(double complex x, double complex y)
{
    double c = creal(y), d = cimag(y);
    double complex quotient = divide(x, y);
    double n = trunc(creal(quotient)), m = trunc(cimag(quotient));

    if (cimag(x) == 0 && d == 0)
        return CMPLX(fmod(creal(x), c), c == 0 ? (double)NAN : cimag(x));
    if (n == 0 && m == 0)
        return x;
    return CMPLX(creal(x) - sum_of_products(n, c, -m, d), cimag(x) - sum_of_products(n, d, m, c));
}

/* -i log((x + i y) / sqrt(x² + y²)), first operand y. */
static double complex complex_atan2(double complex y, double complex x)
{
    double complex turned = CMPLX(creal(x) - cimag(y), cimag(x) + creal(y));
    double complex w = clog(divide(turned, csqrt(x * x + y * y)));
    return CMPLX(cimag(w), -creal(w));
}

/* x^0 is 1, and 0^y is 0 where the real part of y is positive: cpow would take the log of 0. */
static double complex complex_power(double complex x, double complex y)
{
    if (y == 0)
        return 1;
    return x == 0 && creal(y) > 0 ? 0 : cpow(x, y);
}

typedef struct c64 {
    float re, im;
} c64;
typedef struct c128 {
    double re, im;
} c128;

#define T c64
#define P float
#define N(name) name##_c64
#include "exec/interpret/reference_complex.inc"

#define T c128
#define P double
#define N(name) name##_c128
#include "exec/interpret/reference_complex.inc"

const ct__reference ct__reference_c64 = {.unary = unary_c64,
                                         .binary = binary_c64,
                                         .fold = fold_c64,
                                         .compare = compare_c64,
                                         .dot = ct__dot_c64};
const ct__reference ct__reference_c128 = {.unary = unary_c128,
                                          .binary = binary_c128,
                                          .fold = fold_c128,
                                          .compare = compare_c128,
                                          .dot = ct__dot_c128};
