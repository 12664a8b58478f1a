/* Complex numerics. */
#include "exec/interpret/reference.h"

#include <cotangent/op.h>

#include <assert.h>
#include <complex.h>
#include <math.h>

#ifndef CMPLX /* clang before 18 with glibc: the parts as they are, infinities and zeros too */
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

/* ---- Functions of a complex f64 that C99 lacks. */

/* The principal argument divided by 3. */
static double complex complex_cbrt(double complex z)
{
    double radius = cbrt(cabs(z)), angle = carg(z) / 3;
    return CMPLX(radius * cos(angle), radius * sin(angle));
}

/* e^x cos y - 1 = expm1(x) cos y - 2 sin²(y/2), without cancellation near 0. */
static double complex complex_expm1(double complex z)
{
    double x = creal(z), y = cimag(z), half = sin(y / 2);
    return CMPLX(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
}

/* log|1 + z| = log1p(x (2 + x) + y²) / 2 near |1 + z| = 1, where the logarithm of hypot cancels. */
static double complex complex_log1p(double complex z)
{
    double x = creal(z), y = cimag(z), radius = hypot(x + 1, y), real;

    if (radius > 0.5 && radius < 2)
        real = log1p(x * (2 + x) + y * y) / 2;
    else
        real = log(radius);
    return CMPLX(real, atan2(y, x + 1));
}

/* z / |z|; 0 for 0, NaN for a NaN in either part. */
static double complex complex_sign(double complex z)
{
    double x = creal(z), y = cimag(z), radius = hypot(x, y);

    if (x != x || y != y)
        return CMPLX((double)NAN, (double)NAN);
    return radius == 0 ? z : CMPLX(x / radius, y / radius);
}

/* -i log((x + i y) / sqrt(x² + y²)), first operand y. */
static double complex complex_atan2(double complex y, double complex x)
{
    double complex w = clog((x + I * y) / csqrt(x * x + y * y));
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
