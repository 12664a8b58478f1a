/* The inverse of erf and the logarithm of gamma, by way of the C library. */
#include "exec/interpret/special.h"

#include <math.h>

/* Within 0.3 %: S. Winitzki, "A handy approximation for the error function and its inverse"
 * (2008); log(1 - x²) = log((1 - x) (1 + x)). Below 1/16, where it cancels, two terms of the
 * series. */
static double first_guess(double x, double rest)
{
    const double a = 0.147;

    if (x < 0.0625)
        return 0.5 / M_2_SQRTPI * x * (2 + M_PI / 6 * (x * x));
    double l = log(rest * (1 + x)), m = 2 / (M_PI * a) + l / 2;
    return sqrt(sqrt(m * m - l / a) - m);
}

/* Halley's method on erf(y) = x or, above 1/2, where 1 - x is exact, on erfc(y) = 1 - x: a step is
 * s / (1 + y s), s the step of Newton's method, for erf'' = -2y erf'. */
double ct__erf_inv(double x)
{
    double size = fabs(x), rest = 1 - size;

    if (!(size < 1))
        return size == 1 ? copysign((double)INFINITY, x) : (double)NAN;
    double y = first_guess(size, rest);
    for (int i = 0; i < 3; i++) {
        double error = size <= 0.5 ? erf(y) - size : rest - erfc(y);
        double s = error / (M_2_SQRTPI * exp(-y * y));
        y -= s / (1 + y * s);
    }
    return copysign(y, x);
}

/* lgamma would write the sign of gamma to a variable that all threads share. */
double ct__lgamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}
