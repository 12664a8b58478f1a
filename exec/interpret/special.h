/* Special functions of a double, which no C library has. They call nothing but the C library's
 * elementary functions, keep no state, and are accurate to a few units in the last place; bounds
 * are stated in tests/test_special.c, which compares them with tables made by mpmath.
 *
 *   special_digamma.c  digamma                   special_erf_inv.c  erf_inv, lgamma
 *   special_bessel.c   bessel_i1e                special_zeta.c     zeta, polygamma
 *   special_*.inc      their numbers, by scripts/special_coefficients.py */
#ifndef CT_EXEC_SPECIAL_H
#define CT_EXEC_SPECIAL_H

/* The derivative of log gamma(x). NaN at 0 and at the negative integers, and at -inf. */
double ct__digamma(double x);

/* e^-|x| I1(x), the scaled modified Bessel function of order 1; odd; ±0 at ±inf. */
double ct__bessel_i1e(double x);

/* The inverse of erf: ±inf at ±1, NaN beyond. */
double ct__erf_inv(double x);

/* log |gamma(x)|: +inf at 0, at the negative integers and at ±inf. Keeps no sign, so it may be
 * called in any thread. */
double ct__lgamma(double x);

/* Hurwitz's zeta function, the sum of (q + n)^-s over n = 0, 1, …: inf for s = 1, NaN for s < 1.
 * For q <= 0 as XLA has it: at the poles q = 0, -1, … it is inf for even s, else NaN; between them
 * NaN unless s is whole. */
double ct__zeta(double s, double q);

/* Derivative n of digamma, (-1)^(n+1) n! zeta(n + 1, x); digamma for n = 0. NaN for negative n and
 * for n that are no whole numbers. At x = 0, -1, … inf for odd n, else NaN. */
double ct__polygamma(double n, double x);

/* c[0]/2 + sum of c[k] T_k(t), by Clenshaw's recurrence. */
static inline double ct__chebyshev(const double *c, int count, double t)
{
    double after = 0, sum = 0;

    for (int k = count - 1; k > 0; k--) {
        double next = 2 * t * sum - after + c[k];
        after = sum;
        sum = next;
    }
    return t * sum - after + c[0] / 2;
}
#define CT__CHEBYSHEV(c, t) ct__chebyshev(c, (int)(sizeof(c) / sizeof *(c)), t)

#endif
