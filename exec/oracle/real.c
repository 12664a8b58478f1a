/* Floats as numbers of MPFR: each operation rounds once, to nearest. */
#include "exec/oracle/oracle.h"

#include <assert.h>

typedef int function(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/* ---- One operand. */

static int log_gamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t round)
{
    int sign;
    return mpfr_lgamma(y, &sign, x, round);
}

/* NaN at 0 too, where MPFR has an infinity. */
static int digamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t round)
{
    if (!mpfr_zero_p(x))
        return mpfr_digamma(y, x, round);
    mpfr_set_nan(y);
    return 0;
}

/* -0 has the root -0. */
static int rsqrt(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t round)
{
    if (!mpfr_zero_p(x))
        return mpfr_rec_sqrt(y, x, round);
    mpfr_set_inf(y, mpfr_signbit(x) ? -1 : 1);
    return 0;
}

/* Whole numbers of x's size, whatever their bits. */
static int ceiling(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t round)
{
    (void)round;
    return mpfr_ceil(y, x);
}

static int floor_of(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t round)
{
    (void)round;
    return mpfr_floor(y, x);
}

static int round_afz(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t round)
{
    (void)round;
    return mpfr_round(y, x);
}

static int round_even(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t round)
{
    (void)round;
    return mpfr_roundeven(y, x);
}

/* NULL: it is none of MPFR's. */
static function *function_of(ct__op op)
{
    switch (op) {
    case CT__OP_abs: return mpfr_abs;
    case CT__OP_acos: return mpfr_acos;
    case CT__OP_acosh: return mpfr_acosh;
    case CT__OP_asin: return mpfr_asin;
    case CT__OP_asinh: return mpfr_asinh;
    case CT__OP_atan: return mpfr_atan;
    case CT__OP_atanh: return mpfr_atanh;
    case CT__OP_cbrt: return mpfr_cbrt;
    case CT__OP_ceil: return ceiling;
    case CT__OP_cosh: return mpfr_cosh;
    case CT__OP_cosine: return mpfr_cos;
    case CT__OP_digamma: return digamma;
    case CT__OP_erf: return mpfr_erf;
    case CT__OP_erfc: return mpfr_erfc;
    case CT__OP_exponential: return mpfr_exp;
    case CT__OP_exponential_minus_one: return mpfr_expm1;
    case CT__OP_floor: return floor_of;
    case CT__OP_lgamma: return log_gamma;
    case CT__OP_log: return mpfr_log;
    case CT__OP_log_plus_one: return mpfr_log1p;
    case CT__OP_negate: return mpfr_neg;
    case CT__OP_round_nearest_afz: return round_afz;
    case CT__OP_round_nearest_even: return round_even;
    case CT__OP_rsqrt: return rsqrt;
    case CT__OP_sine: return mpfr_sin;
    case CT__OP_sinh: return mpfr_sinh;
    case CT__OP_sqrt: return mpfr_sqrt;
    case CT__OP_tan: return mpfr_tan;
    case CT__OP_tanh: return mpfr_tanh;
    default: return NULL;
    }
}

/* 1 / (1 + e^-x), with a few bits more for its steps. */
static void logistic(mpfr_ptr y, mpfr_srcptr x)
{
    mpfr_t e;

    mpfr_init2(e, mpfr_get_prec(y) + 16);
    mpfr_neg(e, x, MPFR_RNDN);
    mpfr_exp(e, e, MPFR_RNDN);
    mpfr_add_ui(e, e, 1, MPFR_RNDN);
    mpfr_ui_div(y, 1, e, MPFR_RNDN);
    mpfr_clear(e);
}

/* x itself where that is 0 or NaN. */
static void sign(mpfr_ptr y, mpfr_srcptr x)
{
    if (mpfr_nan_p(x) || mpfr_zero_p(x))
        mpfr_set(y, x, MPFR_RNDN);
    else
        mpfr_set_si(y, mpfr_sgn(x) > 0 ? 1 : -1, MPFR_RNDN);
}

/* What an infinite operand gives is no overflow. */
static void forget_range(mpfr_srcptr x)
{
    if (mpfr_number_p(x))
        return;
    mpfr_clear_overflow();
    mpfr_clear_underflow();
}

void ct__mpfr_unary(ct__op op, mpfr_ptr y, mpfr_srcptr x)
{
    function *f = function_of(op);

    mpfr_clear_flags();
    if (f)
        f(y, x, MPFR_RNDN);
    else if (op == CT__OP_logistic)
        logistic(y, x);
    else if (op == CT__OP_sign)
        sign(y, x);
    else if (op == CT__OP_bessel_i1e)
        ct__mpfr_bessel_i1e(y, x);
    else if (op == CT__OP_erf_inv)
        ct__mpfr_erf_inv(y, x);
    else
        assert(false); /* the table allows no other operation */
    forget_range(x);
}

ct__number ct__real_unary(ct__op op, ct__number x)
{
    ct__numbers *n = ct__numbers_now();

    ct__mpfr_unary(op, n->t, ct__cell_of(x)->real);
    return ct__keep_real(n->t);
}

/* ---- Two operands. */

/* A NaN wins; -0 < +0. */
static bool is_larger(mpfr_srcptr x, mpfr_srcptr y)
{
    if (mpfr_nan_p(x) || mpfr_nan_p(y))
        return mpfr_nan_p(x);
    return mpfr_equal_p(x, y) ? mpfr_signbit(y) : mpfr_greater_p(x, y);
}

static bool is_smaller(mpfr_srcptr x, mpfr_srcptr y)
{
    if (mpfr_nan_p(x) || mpfr_nan_p(y))
        return mpfr_nan_p(x);
    return mpfr_equal_p(x, y) ? mpfr_signbit(x) : mpfr_less_p(x, y);
}

/* Whether the guarded product of t and f is 0 without being formed. */
static bool is_dropped(ct__op op, mpfr_srcptr t, mpfr_srcptr f)
{
    if (op == CT__OP_multiply)
        return false;
    return mpfr_zero_p(t) || (mpfr_zero_p(f) && (op == CT__OP_scale_either || !mpfr_nan_p(t)));
}

void ct__mpfr_binary(ct__op op, mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y)
{
    mpfr_clear_flags();
    switch (op) {
    case CT__OP_add: mpfr_add(z, x, y, MPFR_RNDN); break;
    case CT__OP_subtract: mpfr_sub(z, x, y, MPFR_RNDN); break;
    case CT__OP_divide: mpfr_div(z, x, y, MPFR_RNDN); break;
    case CT__OP_multiply:
    case CT__OP_scale:
    case CT__OP_scale_either:
        if (is_dropped(op, x, y))
            mpfr_set_zero(z, 1);
        else
            mpfr_mul(z, x, y, MPFR_RNDN);
        break;
    case CT__OP_atan2: mpfr_atan2(z, x, y, MPFR_RNDN); break;
    case CT__OP_power: mpfr_pow(z, x, y, MPFR_RNDN); break;
    case CT__OP_remainder: mpfr_fmod(z, x, y, MPFR_RNDN); break;
    case CT__OP_polygamma: ct__mpfr_polygamma(z, x, y); break;
    case CT__OP_zeta: ct__mpfr_zeta(z, x, y); break;
    default: assert(false); /* the table allows no other operation */
    }
    forget_range(x);
    forget_range(y);
}

/* An operand that is the result stays the same number. */
ct__number ct__real_binary(ct__op op, ct__number x, ct__number y, ct_dtype dtype)
{
    ct__numbers *n = ct__numbers_now();
    mpfr_srcptr a = ct__cell_of(x)->real, b = ct__cell_of(y)->real;

    if (op == CT__OP_maximum)
        return is_larger(a, b) ? x : y;
    if (op == CT__OP_minimum)
        return is_smaller(a, b) ? x : y;
    if (op == CT__OP_next_after)
        return ct__next_number(dtype, x, y);
    ct__mpfr_binary(op, n->t, a, b);
    if (mpfr_equal_p(n->t, a) && mpfr_signbit(n->t) == mpfr_signbit(a))
        return x;
    return ct__keep_real(n->t);
}
