/* Floats exactly: quotients of GMP, and in MPFR what is none: infinities, NaN, and, where a run
 * asks for it, what irrational operations give. Zero has no sign. */
#include "exec/oracle/oracle.h"

#include <string.h>

/* Whether all operands are quotients. */
static bool is_rational(ct__number x)
{
    return ct__cell_of(x)->kind == CT__CELL_RATIONAL;
}

static mpq_srcptr quotient(ct__number x)
{
    return ct__cell_of(x)->rational;
}

static size_t bits_of(mpq_srcptr x)
{
    return mpz_sizeinbase(mpq_numref(x), 2) + mpz_sizeinbase(mpq_denref(x), 2);
}

/* Whether a number of so many bits may be made. */
static bool is_allowed(size_t bits)
{
    const size_t most = ct__numbers_now()->how.most_bits;

    if (bits > most)
        ct__numbers_fail(CT_ERR_RANGE, "a number would have up to %zu bits, the limit is %zu", bits,
                         most);
    return bits <= most;
}

/* ---- By way of MPFR. */

/* What an operation gives in MPFR, in n->t, as a number of this run: a quotient where nothing was
 * rounded; and itself where it is special, or an operand was no quotient already. */
static ct__number settle(bool was_exact, bool goes_on)
{
    ct__numbers *n = ct__numbers_now();

    if (!ct__check_range(n->t) || mpfr_zero_p(n->t))
        return 0;
    if (!mpfr_number_p(n->t) || goes_on)
        return ct__keep_real(n->t);
    if (was_exact) {
        mpfr_get_q(n->p, n->t);
        return ct__keep_rational(n->p);
    }
    if (n->how.continues)
        return ct__keep_real(n->t);
    ct__fail_irrational();
    return 0;
}

/* Whether it is finite and no quotient: an irrational operation gave it. */
static bool is_rounded(ct__number x)
{
    return !is_rational(x) && !ct__is_special(x);
}

static ct__number in_mpfr(ct__op op, ct__number x)
{
    ct__numbers *n = ct__numbers_now();
    bool was_exact = true;
    mpfr_srcptr from = ct__real_of(x, n->u, &was_exact);

    ct__mpfr_unary(op, n->t, from);
    if (!was_exact && (mpfr_zero_p(n->t) || mpfr_inf_p(n->t))) { /* as of its neighbour */
        ct__numbers_fail(CT_ERR_RANGE,
                         "%zu bits do not tell the operand from one where the value is 0 or "
                         "infinite",
                         n->how.bits);
        return 0;
    }
    return settle(was_exact && !mpfr_inexflag_p(), is_rounded(x));
}

static ct__number both_in_mpfr(ct__op op, ct__number x, ct__number y)
{
    ct__numbers *n = ct__numbers_now();
    bool was_exact = true;
    mpfr_srcptr a = ct__real_of(x, n->u, &was_exact), b = ct__real_of(y, n->v, &was_exact);

    ct__mpfr_binary(op, n->t, a, b);
    return settle(was_exact && !mpfr_inexflag_p(), is_rounded(x) || is_rounded(y));
}

/* ---- One operand. */

/* To a whole number: the nearest one below x + 1/2, which a tie may have to leave again. */
static void round_quotient(ct__op op, mpq_ptr y, mpq_srcptr x)
{
    mpz_ptr whole = mpq_numref(y);
    bool is_tie;

    mpz_set_ui(mpq_denref(y), 1);
    if (op == CT__OP_floor) {
        mpz_fdiv_q(whole, mpq_numref(x), mpq_denref(x));
        return;
    }
    if (op == CT__OP_ceil) {
        mpz_cdiv_q(whole, mpq_numref(x), mpq_denref(x));
        return;
    }
    is_tie = mpz_cmp_ui(mpq_denref(x), 2) == 0;
    mpz_mul_2exp(whole, mpq_numref(x), 1);
    mpz_add(whole, whole, mpq_denref(x));
    mpz_fdiv_q(whole, whole, mpq_denref(x));
    mpz_fdiv_q_2exp(whole, whole, 1);
    if (is_tie && (op == CT__OP_round_nearest_even ? mpz_odd_p(whole) : mpq_sgn(x) < 0))
        mpz_sub_ui(whole, whole, 1);
}

/* The root of a quotient whose parts have one; false where they have none. */
static bool exact_root(ct__op op, mpq_ptr y, mpq_srcptr x)
{
    const unsigned long degree = op == CT__OP_cbrt ? 3 : 2;

    if (degree == 2 && mpq_sgn(x) < 0)
        return false;
    if (!mpz_root(mpq_numref(y), mpq_numref(x), degree) ||
        !mpz_root(mpq_denref(y), mpq_denref(x), degree)) {
        mpq_set_ui(y, 0, 1);
        return false;
    }
    if (op == CT__OP_rsqrt && mpq_sgn(y) == 0)
        return false;
    if (op == CT__OP_rsqrt)
        mpq_inv(y, y);
    return true;
}

ct__number ct__rational_unary(ct__op op, ct__number x)
{
    ct__numbers *n = ct__numbers_now();

    if (!is_rational(x))
        return in_mpfr(op, x);
    switch (op) {
    case CT__OP_abs: mpq_abs(n->p, quotient(x)); break;
    case CT__OP_negate: mpq_neg(n->p, quotient(x)); break;
    case CT__OP_sign: mpq_set_si(n->p, mpq_sgn(quotient(x)), 1); break;
    case CT__OP_ceil:
    case CT__OP_floor:
    case CT__OP_round_nearest_afz:
    case CT__OP_round_nearest_even: round_quotient(op, n->p, quotient(x)); break;
    case CT__OP_sqrt:
    case CT__OP_rsqrt:
    case CT__OP_cbrt:
        if (exact_root(op, n->p, quotient(x)))
            break;
        return in_mpfr(op, x);
    default: return in_mpfr(op, x);
    }
    return ct__keep_rational(n->p);
}

/* ---- Two operands. */

/* Of 0, 1 and -1: they have powers of any size. */
static int power_of_sign(int x, mpq_srcptr y)
{
    if (mpq_sgn(y) == 0)
        return 1;
    return mpz_odd_p(mpq_numref(y)) ? x : x * x;
}

/* p = x^y for whole y, x not 0 where y < 0; false otherwise. */
static bool whole_power(mpq_ptr p, mpq_srcptr x, mpq_srcptr y)
{
    unsigned long exponent;

    if (mpz_cmp_ui(mpq_denref(y), 1) != 0 || (mpq_sgn(x) == 0 && mpq_sgn(y) < 0))
        return false;
    if (mpz_cmp_ui(mpq_denref(x), 1) == 0 && mpz_cmpabs_ui(mpq_numref(x), 1) <= 0) {
        mpq_set_si(p, power_of_sign(mpq_sgn(x), y), 1);
        return true;
    }
    exponent = mpz_get_ui(mpq_numref(y)); /* its magnitude */
    if (!mpz_fits_slong_p(mpq_numref(y)) || exponent > SIZE_MAX / bits_of(x)) {
        ct__numbers_fail(CT_ERR_RANGE, "a number would have more than 2^%zu bits, the limit is %zu",
                         8 * sizeof(long) - 2, ct__numbers_now()->how.most_bits);
        return true;
    }
    if (!is_allowed(exponent * bits_of(x)))
        return true;
    mpz_pow_ui(mpq_numref(p), mpq_numref(x), exponent);
    mpz_pow_ui(mpq_denref(p), mpq_denref(x), exponent);
    if (mpq_sgn(y) < 0)
        mpq_inv(p, p);
    return true;
}

/* x - y trunc(x / y) */
static void remainder_of(ct__numbers *n, mpq_srcptr x, mpq_srcptr y)
{
    mpq_div(n->p, x, y);
    mpz_tdiv_q(mpq_numref(n->p), mpq_numref(n->p), mpq_denref(n->p));
    mpz_set_ui(mpq_denref(n->p), 1);
    mpq_mul(n->q, n->p, y);
    mpq_sub(n->p, x, n->q);
}

/* n->p = op(x, y); false where that is no quotient. */
static bool combine(ct__numbers *n, ct__op op, mpq_srcptr x, mpq_srcptr y)
{
    switch (op) {
    case CT__OP_add: mpq_add(n->p, x, y); return true;
    case CT__OP_subtract: mpq_sub(n->p, x, y); return true;
    case CT__OP_multiply:
    case CT__OP_scale:
    case CT__OP_scale_either: mpq_mul(n->p, x, y); return true;
    case CT__OP_divide:
        if (mpq_sgn(y) != 0)
            mpq_div(n->p, x, y);
        return mpq_sgn(y) != 0;
    case CT__OP_remainder:
        if (mpq_sgn(y) != 0)
            remainder_of(n, x, y);
        return mpq_sgn(y) != 0;
    case CT__OP_power: return whole_power(n->p, x, y);
    default: return false;
    }
}

static bool is_guarded(ct__op op)
{
    return op == CT__OP_scale || op == CT__OP_scale_either;
}

/* Of a guarded product whose operands are not both quotients. */
static bool is_dropped(ct__op op, ct__number t, ct__number f)
{
    return is_guarded(op) &&
           (t == 0 || (f == 0 && (op == CT__OP_scale_either || !ct__number_is_nan(t))));
}

/* The larger one, or with `sign` -1 the smaller one; a NaN wins. */
static ct__number choose(ct__number x, ct__number y, int sign)
{
    if (ct__number_is_nan(x) || ct__number_is_nan(y))
        return ct__number_is_nan(x) ? x : y;
    return sign * ct__number_compare(x, y) >= 0 ? x : y;
}

ct__number ct__rational_binary(ct__op op, ct__number x, ct__number y, ct_dtype dtype)
{
    ct__numbers *n = ct__numbers_now();

    if (op == CT__OP_maximum || op == CT__OP_minimum)
        return choose(x, y, op == CT__OP_maximum ? 1 : -1);
    if (op == CT__OP_next_after)
        return ct__next_number(dtype, x, y);
    if (!is_rational(x) || !is_rational(y))
        return is_dropped(op, x, y) ? 0 : both_in_mpfr(op, x, y);
    if (op != CT__OP_power && !is_allowed(bits_of(quotient(x)) + bits_of(quotient(y))))
        return 0;
    if (!combine(n, op, quotient(x), quotient(y)))
        return both_in_mpfr(op, x, y);
    return mpq_equal(n->p, quotient(x)) ? x : ct__keep_rational(n->p);
}
