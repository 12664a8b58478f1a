#include "exec/interpret/special.h"

#include "exec/interpret/special_digamma.inc"

#include <math.h>

enum { TAIL = sizeof digamma_tail / sizeof *digamma_tail };

/* x >= 8: log x - 1/(2x) - sum of B(2k) / (2k x^2k), the asymptotic expansion. */
static double far(double x)
{
    double z = 1 / (x * x), sum = 0;

    for (int k = TAIL - 1; k >= 0; k--)
        sum = (sum + digamma_tail[k]) * z;
    return log(x) - (0.5 / x + sum);
}

/* digamma(x + above) for x + above in [1, 2]; the factor x + above - root keeps the digits near the
 * zero, and no sum is rounded before it. */
static double near_root(double x, double above)
{
    double distance = (x - (digamma_root - above)) - digamma_root_rest;
    return distance * CT__CHEBYSHEV(digamma_near_root, 2 * x - 3 + 2 * above);
}

static double positive(double x)
{
    if (x < 1)
        return near_root(x, 1) - 1 / x; /* digamma(x + 1) - 1/x */
    if (x < 2)
        return near_root(x, 0);
    if (x < 4)
        return CT__CHEBYSHEV(digamma_from_2, x - 3);
    return x < 8 ? CT__CHEBYSHEV(digamma_from_4, x / 2 - 3) : far(x);
}

/* π cot(πx). x minus the nearest whole number is exact, and so is its distance from 1/2. */
static double pi_cot_pi(double x)
{
    double r = x - round(x);

    if (fabs(r) <= 0.25)
        return M_PI / tan(M_PI * r);
    return r > 0 ? M_PI * tan(M_PI * (0.5 - r)) : -M_PI * tan(M_PI * (0.5 + r));
}

/* Below 0 by reflection: digamma(1 - x) - digamma(x) = π cot(πx); close to 0, where 1 - x would
 * round x away, by digamma(x + 1) - 1/x with the first terms of digamma at 1. */
double ct__digamma(double x)
{
    if (x > 0)
        return isinf(x) ? x : positive(x);
    if (!(x < 0) || x == floor(x))
        return (double)NAN;
    if (x > -0x1p-30)
        return -1 / x + (-0.57721566490153286061 + 1.6449340668482264365 * x);
    return positive(1 - x) - pi_cot_pi(x);
}
