/* Functions that MPFR lacks, by series in a few bits more than asked for, with errors that are
 * bounded before they are used: exec/interpret/special.h says what they are at the ends. */
#include "exec/interpret/special.h"

#include "exec/oracle/oracle.h"

#include <math.h>

enum { MORE_BITS = 64 };

/* Whether |x| < 2^-bits |y|, or x is 0. */
static bool is_below(mpfr_srcptr x, mpfr_srcptr y, mpfr_prec_t bits)
{
    if (mpfr_zero_p(x))
        return true;
    return mpfr_regular_p(x) && mpfr_regular_p(y) &&
           mpfr_get_exp(x) < mpfr_get_exp(y) - (mpfr_exp_t)bits;
}

/* ---- bessel_i1e. */

/* sum = I1(x) / (x/2) = Σ (x²/4)^k / (k! (k+1)!), whose terms are all positive. */
static void bessel_series(mpfr_ptr sum, mpfr_srcptr x)
{
    const mpfr_prec_t bits = mpfr_get_prec(sum);
    mpfr_t term, square;

    mpfr_inits2(bits, term, square, (mpfr_ptr)NULL);
    mpfr_sqr(square, x, MPFR_RNDN);
    mpfr_div_2ui(square, square, 2, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(sum, 1, MPFR_RNDN);
    for (unsigned long k = 1; !is_below(term, sum, bits); k++) {
        mpfr_mul(term, term, square, MPFR_RNDN);
        mpfr_div_ui(term, term, k, MPFR_RNDN);
        mpfr_div_ui(term, term, k + 1, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_clears(term, square, (mpfr_ptr)NULL);
}

/* sum = √(2πx) e^-x I1(x) = Σ t_k, t_k = t_(k-1) ((2k-1)² - 4) / (8 k x); the smallest term is
 * about e^-2x, which x > bits / 2 makes small enough. */
static void bessel_far(mpfr_ptr sum, mpfr_srcptr x)
{
    const mpfr_prec_t bits = mpfr_get_prec(sum);
    mpfr_t term;

    mpfr_init2(term, bits);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(sum, 1, MPFR_RNDN);
    for (long k = 1; !is_below(term, sum, bits); k++) {
        mpfr_mul_si(term, term, (2 * k - 1) * (2 * k - 1) - 4, MPFR_RNDN);
        mpfr_div_si(term, term, 8 * k, MPFR_RNDN);
        mpfr_div(term, term, x, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_clear(term);
}

void ct__mpfr_bessel_i1e(mpfr_ptr y, mpfr_srcptr x)
{
    const mpfr_prec_t bits = mpfr_get_prec(y) + MORE_BITS;
    mpfr_t size, sum, factor;

    if (!mpfr_regular_p(x)) {
        if (mpfr_inf_p(x))
            mpfr_set_zero(y, mpfr_sgn(x));
        else
            mpfr_set(y, x, MPFR_RNDN);
        return;
    }
    mpfr_inits2(bits, size, sum, factor, (mpfr_ptr)NULL);
    mpfr_abs(size, x, MPFR_RNDN);
    if (mpfr_cmp_ui(size, (unsigned long)bits / 2) > 0) {
        bessel_far(sum, size);
        mpfr_const_pi(factor, MPFR_RNDN);
        mpfr_mul(factor, factor, size, MPFR_RNDN);
        mpfr_mul_2ui(factor, factor, 1, MPFR_RNDN);
        mpfr_rec_sqrt(factor, factor, MPFR_RNDN);
    } else {
        bessel_series(sum, size);
        mpfr_neg(factor, size, MPFR_RNDN);
        mpfr_exp(factor, factor, MPFR_RNDN);
        mpfr_mul(factor, factor, size, MPFR_RNDN);
        mpfr_div_2ui(factor, factor, 1, MPFR_RNDN);
    }
    mpfr_mul(sum, sum, factor, MPFR_RNDN);
    mpfr_setsign(y, sum, mpfr_signbit(x), MPFR_RNDN);
    mpfr_clears(size, sum, factor, (mpfr_ptr)NULL);
}

/* ---- erf_inv. */

/* A start for y > 0 with erf(y) = x: a double's, √(-log rest) where the double is 1, and the first
 * term of the series where it is 0 or near. */
static void guess_erf_inv(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr rest)
{
    const double d = mpfr_get_d(x, MPFR_RNDZ);

    if (d < 1e-100) {
        mpfr_const_pi(y, MPFR_RNDN);
        mpfr_sqrt(y, y, MPFR_RNDN);
        mpfr_mul(y, y, x, MPFR_RNDN);
        mpfr_div_2ui(y, y, 1, MPFR_RNDN);
    } else if (mpfr_cmp_d(rest, 0x1p-50) > 0) {
        mpfr_set_d(y, ct__erf_inv(d), MPFR_RNDN);
    } else {
        mpfr_log(y, rest, MPFR_RNDN);
        mpfr_neg(y, y, MPFR_RNDN);
        mpfr_sqrt(y, y, MPFR_RNDN);
    }
}

/* step = (log erfc(y) - log rest) erfc(y) / (2/√π e^-y²): Newton's on the logarithm, which is
 * nearly a parabola, so that it comes near from afar; or below 1/2 (x - erf(y)) / (2/√π e^-y²). */
static void newton_step(mpfr_ptr step, mpfr_srcptr y, mpfr_srcptr x, mpfr_srcptr rest)
{
    mpfr_t f, slope;

    mpfr_inits2(mpfr_get_prec(step), f, slope, (mpfr_ptr)NULL);
    if (mpfr_cmp_d(x, 0.5) < 0) {
        mpfr_erf(f, y, MPFR_RNDN);
        mpfr_sub(f, x, f, MPFR_RNDN);
    } else {
        mpfr_erfc(slope, y, MPFR_RNDN);
        mpfr_div(f, slope, rest, MPFR_RNDN);
        mpfr_log(f, f, MPFR_RNDN);
        mpfr_mul(f, f, slope, MPFR_RNDN);
    }
    mpfr_sqr(slope, y, MPFR_RNDN);
    mpfr_exp(slope, slope, MPFR_RNDN);
    mpfr_mul(f, f, slope, MPFR_RNDN);
    mpfr_const_pi(slope, MPFR_RNDN);
    mpfr_sqrt(slope, slope, MPFR_RNDN);
    mpfr_mul(f, f, slope, MPFR_RNDN);
    mpfr_div_2ui(step, f, 1, MPFR_RNDN);
    mpfr_clears(f, slope, (mpfr_ptr)NULL);
}

/* 0 < x < 1. After a step of relative size e what is left is about e². */
static void erf_inv_inside(mpfr_ptr y, mpfr_srcptr x)
{
    const mpfr_prec_t bits = mpfr_get_prec(x);
    mpfr_t rest, step;

    mpfr_inits2(bits, rest, step, (mpfr_ptr)NULL);
    mpfr_ui_sub(rest, 1, x, MPFR_RNDN);
    guess_erf_inv(y, x, rest);
    for (int i = 0; i < 200; i++) {
        newton_step(step, y, x, rest);
        mpfr_add(y, y, step, MPFR_RNDN);
        if (is_below(step, y, bits / 2 + 8))
            break;
    }
    mpfr_clears(rest, step, (mpfr_ptr)NULL);
}

void ct__mpfr_erf_inv(mpfr_ptr y, mpfr_srcptr x)
{
    const mpfr_prec_t bits = mpfr_get_prec(x) + mpfr_get_prec(y) + MORE_BITS;
    mpfr_t size, inverse;

    if (mpfr_cmpabs_ui(x, 1) > 0 || !mpfr_regular_p(x)) {
        if (mpfr_zero_p(x))
            mpfr_set(y, x, MPFR_RNDN);
        else
            mpfr_set_nan(y);
        return;
    }
    if (mpfr_cmpabs_ui(x, 1) == 0) {
        mpfr_set_inf(y, mpfr_sgn(x));
        return;
    }
    mpfr_inits2(bits, size, inverse, (mpfr_ptr)NULL);
    mpfr_abs(size, x, MPFR_RNDN);
    erf_inv_inside(inverse, size);
    mpfr_setsign(y, inverse, mpfr_signbit(x), MPFR_RNDN);
    mpfr_clears(size, inverse, (mpfr_ptr)NULL);
}

/* ---- zeta. */

/* y = B(2k) / (2k)! = (-1)^(k+1) 2 ζ(2k) / (2π)^2k */
static void compute_ratio(mpfr_ptr y, unsigned long k)
{
    mpfr_t circle;

    mpfr_init2(circle, mpfr_get_prec(y));
    mpfr_const_pi(circle, MPFR_RNDN);
    mpfr_mul_2ui(circle, circle, 1, MPFR_RNDN);
    mpfr_pow_ui(circle, circle, 2 * k, MPFR_RNDN);
    mpfr_zeta_ui(y, 2 * k, MPFR_RNDN);
    mpfr_mul_2ui(y, y, 1, MPFR_RNDN);
    mpfr_div(y, y, circle, MPFR_RNDN);
    if (k % 2 == 0)
        mpfr_neg(y, y, MPFR_RNDN);
    mpfr_clear(circle);
}

void ct__ratios_free(ct__numbers *n)
{
    for (size_t i = 0; i < n->n_ratios; i++)
        mpfr_clear(n->ratio[i]);
    ct__release(&n->allocator, n->ratio, n->ratio_capacity * sizeof *n->ratio);
    n->ratio = NULL;
    n->n_ratios = n->ratio_capacity = 0;
}

/* The same, kept for later terms and sums. */
static void bernoulli_ratio(mpfr_ptr y, unsigned long k)
{
    ct__numbers *n = ct__numbers_now();

    if (n->ratio_bits < mpfr_get_prec(y))
        ct__ratios_free(n);
    if (n->n_ratios == 0)
        n->ratio_bits = mpfr_get_prec(y);
    while (n->n_ratios < k && ct__grow(&n->allocator, &n->ratio, &n->ratio_capacity,
                                       n->n_ratios + 1, sizeof *n->ratio)) {
        mpfr_init2(n->ratio[n->n_ratios], n->ratio_bits);
        compute_ratio(n->ratio[n->n_ratios], n->n_ratios + 1);
        n->n_ratios++;
    }
    if (n->n_ratios >= k)
        mpfr_set(y, n->ratio[k - 1], MPFR_RNDN);
    else
        compute_ratio(y, k);
}

/* Adds what is left of the sum from a on, by Euler and Maclaurin:
 * a^(1-s)/(s-1) + a^-s/2 + Σ_k B(2k)/(2k)! s (s+1) … (s+2k-2) a^(-s-2k+1). */
static void add_rest(mpfr_ptr sum, mpfr_srcptr s, mpfr_srcptr a)
{
    const mpfr_prec_t bits = mpfr_get_prec(sum);
    mpfr_t power, rising, term;

    mpfr_inits2(bits, power, rising, term, (mpfr_ptr)NULL);
    mpfr_neg(term, s, MPFR_RNDN);
    mpfr_pow(power, a, term, MPFR_RNDN);
    mpfr_mul(term, power, a, MPFR_RNDN);
    mpfr_sub_ui(rising, s, 1, MPFR_RNDN);
    mpfr_div(term, term, rising, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
    mpfr_div_2ui(term, power, 1, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
    mpfr_mul(rising, power, s, MPFR_RNDN);
    mpfr_div(rising, rising, a, MPFR_RNDN);
    for (unsigned long k = 1; k <= (unsigned long)bits; k++) {
        bernoulli_ratio(term, k);
        mpfr_mul(term, term, rising, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        if (is_below(term, sum, bits))
            break;
        mpfr_add_ui(term, s, 2 * k - 1, MPFR_RNDN);
        mpfr_mul(rising, rising, term, MPFR_RNDN);
        mpfr_add_ui(term, s, 2 * k, MPFR_RNDN);
        mpfr_mul(rising, rising, term, MPFR_RNDN);
        mpfr_div(rising, rising, a, MPFR_RNDN);
        mpfr_div(rising, rising, a, MPFR_RNDN);
    }
    mpfr_clears(power, rising, term, (mpfr_ptr)NULL);
}

/* Whether all terms from a on, at most term (1 + a / (s - 1)), are below the sum's last bit. */
static bool is_over(mpfr_srcptr sum, mpfr_srcptr term, mpfr_srcptr s, mpfr_srcptr a)
{
    mpfr_t rest, slope;

    mpfr_inits2(64, rest, slope, (mpfr_ptr)NULL);
    mpfr_sub_ui(slope, s, 1, MPFR_RNDN);
    mpfr_div(rest, a, slope, MPFR_RNDN);
    mpfr_add_ui(rest, rest, 1, MPFR_RNDN);
    mpfr_mul(rest, rest, term, MPFR_RNDN);
    const bool over = is_below(rest, sum, mpfr_get_prec(sum));
    mpfr_clears(rest, slope, (mpfr_ptr)NULL);
    return over;
}

/* Σ (q + n)^-s for q > 0, s > 1, both finite. Beyond a = s + bits/4 the terms of the rest fall
 * nine times and more each. */
static void zeta_positive(mpfr_ptr y, mpfr_srcptr s, mpfr_srcptr q)
{
    const mpfr_prec_t bits = mpfr_get_prec(y) + MORE_BITS;
    mpfr_t sum, a, term, far, exponent;
    bool over = false;

    mpfr_inits2(bits, sum, a, term, far, exponent, (mpfr_ptr)NULL);
    mpfr_set_zero(sum, 1);
    mpfr_set(a, q, MPFR_RNDN);
    mpfr_neg(exponent, s, MPFR_RNDN);
    mpfr_add_ui(far, s, (unsigned long)bits / 4, MPFR_RNDN);
    for (unsigned long n = 1; !over && mpfr_less_p(a, far); n++) {
        mpfr_pow(term, a, exponent, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        over = mpfr_inf_p(sum) || is_over(sum, term, s, a);
        mpfr_add_ui(a, q, n, MPFR_RNDN);
    }
    if (!over)
        add_rest(sum, s, a);
    mpfr_set(y, sum, MPFR_RNDN);
    mpfr_clears(sum, a, term, far, exponent, (mpfr_ptr)NULL);
}

/* q < 0 between two whole numbers, s whole: with f = q - floor(q), the terms before the first
 * positive base are those of 1 - f, 2 - f, … -q, with the sign of (-1)^s. What cancels is computed
 * once more with as many bits more. */
static void zeta_negative(mpfr_ptr y, mpfr_srcptr s, mpfr_srcptr q, bool is_even)
{
    mpfr_prec_t bits = mpfr_get_prec(y) + mpfr_get_prec(q) + MORE_BITS;
    mpfr_exp_t most = 0;
    mpfr_t f, up, down, behind;

    mpfr_inits2(bits, f, up, down, behind, (mpfr_ptr)NULL);
    for (int i = 0; i < 2; i++) {
        mpfr_floor(f, q);
        mpfr_sub(f, q, f, MPFR_RNDN);
        zeta_positive(up, s, f);
        mpfr_ui_sub(f, 1, f, MPFR_RNDN);
        zeta_positive(down, s, f);
        mpfr_ui_sub(f, 1, q, MPFR_RNDN);
        zeta_positive(behind, s, f);
        mpfr_sub(down, down, behind, MPFR_RNDN);
        most = mpfr_regular_p(up) ? mpfr_get_exp(up) : 0;
        if (is_even)
            mpfr_add(f, up, down, MPFR_RNDN);
        else
            mpfr_sub(f, up, down, MPFR_RNDN);
        if (!mpfr_regular_p(f) || most - mpfr_get_exp(f) < MORE_BITS / 2)
            break;
        bits += (mpfr_prec_t)(most - mpfr_get_exp(f));
        if (i == 0) {
            mpfr_set_prec(f, bits);
            mpfr_set_prec(up, bits);
            mpfr_set_prec(down, bits);
            mpfr_set_prec(behind, bits);
        }
    }
    mpfr_set(y, f, MPFR_RNDN);
    mpfr_clears(f, up, down, behind, (mpfr_ptr)NULL);
}

static bool is_even(mpfr_srcptr s)
{
    mpfr_t half;

    mpfr_init2(half, mpfr_get_prec(s));
    mpfr_div_2ui(half, s, 1, MPFR_RNDN);
    const bool even = mpfr_integer_p(half);
    mpfr_clear(half);
    return even;
}

void ct__mpfr_zeta(mpfr_ptr y, mpfr_srcptr s, mpfr_srcptr q)
{
    if (mpfr_nan_p(s) || mpfr_nan_p(q) || mpfr_cmp_ui(s, 1) < 0) {
        mpfr_set_nan(y);
    } else if (mpfr_cmp_ui(s, 1) == 0) {
        mpfr_set_inf(y, 1);
    } else if (mpfr_sgn(q) > 0 && mpfr_inf_p(s)) { /* the largest term alone: 1 stays 1 */
        mpfr_pow(y, q, s, MPFR_RNDN);
        mpfr_ui_div(y, 1, y, MPFR_RNDN);
    } else if (mpfr_sgn(q) > 0) {
        if (mpfr_inf_p(q))
            mpfr_set_zero(y, 1);
        else
            zeta_positive(y, s, q);
    } else if (!mpfr_integer_p(s) || (!mpfr_integer_p(q) && !mpfr_number_p(q))) {
        mpfr_set_nan(y);
    } else if (mpfr_integer_p(q)) {
        if (is_even(s))
            mpfr_set_inf(y, 1);
        else
            mpfr_set_nan(y);
    } else {
        zeta_negative(y, s, q, is_even(s));
    }
}

/* ---- polygamma. */

/* y = n! for whole n >= 0. */
static void factorial(mpfr_ptr y, mpfr_srcptr n)
{
    if (mpfr_cmp_ui(n, 100000) < 0) {
        mpfr_fac_ui(y, mpfr_get_ui(n, MPFR_RNDN), MPFR_RNDN);
        return;
    }
    mpfr_add_ui(y, n, 1, MPFR_RNDN);
    mpfr_gamma(y, y, MPFR_RNDN);
}

void ct__mpfr_polygamma(mpfr_ptr y, mpfr_srcptr n, mpfr_srcptr x)
{
    const mpfr_prec_t bits = mpfr_get_prec(y) + MORE_BITS;
    mpfr_t s, z;

    if (mpfr_zero_p(n)) {
        ct__mpfr_unary(CT__OP_digamma, y, x);
        return;
    }
    if (mpfr_nan_p(x) || !mpfr_integer_p(n) || mpfr_sgn(n) < 0) {
        mpfr_set_nan(y);
        return;
    }
    mpfr_inits2(bits, s, z, (mpfr_ptr)NULL);
    mpfr_add_ui(s, n, 1, MPFR_RNDN);
    ct__mpfr_zeta(z, s, x);
    factorial(s, n);
    mpfr_mul(z, z, s, MPFR_RNDN);
    if (is_even(n))
        mpfr_neg(z, z, MPFR_RNDN);
    mpfr_set(y, z, MPFR_RNDN);
    mpfr_clears(s, z, (mpfr_ptr)NULL);
}
