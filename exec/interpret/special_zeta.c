#include "exec/interpret/special.h"

#include "exec/interpret/special_zeta.inc"

#include <math.h>
#include <stdbool.h>

enum {
    TAIL = sizeof zeta_tail / sizeof *zeta_tail,
    FACTORIALS = sizeof factorial / sizeof *factorial,
    STIRLING = sizeof stirling / sizeof *stirling
};

/* What is left of the sum from a on, divided by a^(1-s), by Euler and Maclaurin:
 * 1/(s-1) + 1/(2a) + sum over k of B(2k)/(2k)! s (s+1) … (s+2k-2) / a^2k. */
static double rest_of_sum(double s, double a)
{
    double rising = s / (a * a), sum = 0;

    for (int k = 0; k < TAIL && isfinite(rising); k++) {
        double term = zeta_tail[k] * rising;
        sum += term;
        if (fabs(term) < 0x1p-60 * fabs(sum))
            break;
        rising *= (s + 2 * k + 1) / a * ((s + 2 * k + 2) / a);
    }
    return 1 / (s - 1) + (0.5 / a + sum);
}

/* q^s zeta(s, q) = sum of (1 + n/q)^-s for q > 0, s > 1; it is at least 1. Terms are taken until
 * they vanish beside the sum or Euler and Maclaurin's terms fall fast: a is beyond 8 + s/2. A power
 * as e^(-s log1p(n/q)) has an error of its exponent's size times its own, which is small. */
static double scaled(double s, double q)
{
    double sum = 0, power = 1, a = q;
    int n = 0;

    while (a < 8 + s / 2) {
        sum += power;
        a = q + ++n;
        power = exp(-s * log1p(n / q));
        if (power * (1 + a / (s - 1)) < 0x1p-56 * sum)
            return sum;
    }
    return sum + power * a * rest_of_sum(s, a);
}

/* q > 0, s > 1 and finite. q^-s may leave the range where the product does not. */
static double positive(double s, double q)
{
    if (isinf(q))
        return 0;
    return q < 1 ? pow(q, -s) * scaled(s, q) : pow(q, 1 - s) * (scaled(s, q) / q);
}

/* q < 0 between two whole numbers, s whole. With f = q - floor(q), the terms before the first
 * positive base are those of 1 - f, 2 - f, … -q, with the sign of (-1)^s. 1 - f is exact as the way
 * to the whole number above, close to which f is rounded. */
static double negative(double s, double q)
{
    double f = q - floor(q), sign = fmod(s, 2) == 0 ? 1 : -1;
    double up = positive(s, f), down = positive(s, ceil(q) - q);

    if (sign < 0 && f == 0.5) /* up and down are one number */
        return positive(s, 1 - q);
    if (isinf(up) && isinf(down))
        return f < 0.5 ? up : sign * down;
    return up + sign * (down - positive(s, 1 - q));
}

double ct__zeta(double s, double q)
{
    if (s == 1)
        return (double)INFINITY;
    if (!(s > 1) || isnan(q))
        return (double)NAN;
    if (q > 0) {
        if (isinf(s)) /* the largest term alone: 1 stays 1 */
            return pow(q, -s);
        return positive(s, q);
    }
    bool is_whole = s == floor(s) && !isinf(s);
    if (q == floor(q))
        return is_whole && fmod(s, 2) == 0 ? (double)INFINITY : (double)NAN;
    return is_whole ? negative(s, q) : (double)NAN;
}

/* n! x^-n z for n up to 170: exponents apart, as x^-n alone may leave the range. */
static double with_factorial(double n, double x, double z)
{
    int e, k;
    double m = frexp(x, &e), f = frexp(factorial[(int)n], &k);

    return ldexp(f * pow(m, -n) * z, k - e * (int)n);
}

/* n! x^-n z for larger n: √(2πn) (n / (e x))^n e^(1/(12n) - …), Stirling's series. The base is kept
 * in two parts, for its rounding counts n times. */
static double with_stirling(double n, double x, double z)
{
    const double e = 2.718281828459045, e_rest = 1.4456468917292502e-16;
    double sum = 0;

    for (int k = STIRLING - 1; k >= 0; k--)
        sum = sum / (n * n) + stirling[k];
    double product = e * x, base = n / product;
    double product_rest = fma(e, x, -product) + e_rest * x;
    double base_rest = (fma(-base, product, n) - base * product_rest) / product;
    double rest = exp(sum / n + n * log1p(base_rest / base));
    return pow(base, n) * (sqrt(2 * M_PI * n) * rest * z);
}

/* n! zeta(n + 1, x), n whole. Where the factorial or zeta leaves the range, x^-n is taken to the
 * factorial first; for x < 0 such results are infinite themselves. */
static double magnitude(double n, double x)
{
    double z = ct__zeta(n + 1, x);
    bool is_small = n < FACTORIALS;

    if (!(x > 0) || isinf(x) || isnan(z) || isinf(z))
        return z == 0 ? z : z * (is_small ? factorial[(int)n] : (double)INFINITY);
    if (is_small && z >= 0x1p-1000)
        return factorial[(int)n] * z;
    double per_x = scaled(n + 1, x) / x;
    return is_small ? with_factorial(n, x, per_x) : with_stirling(n, x, per_x);
}

double ct__polygamma(double n, double x)
{
    if (n == 0)
        return ct__digamma(x);
    if (isnan(x) || !(n > 0) || n != floor(n) || isinf(n))
        return (double)NAN;
    return fmod(n, 2) == 0 ? -magnitude(n, x) : magnitude(n, x);
}
