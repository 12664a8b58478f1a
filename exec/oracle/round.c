/* What is about a dtype's own precision: neighbours, and rounding that a program asks for. */
#include "exec/interpret/reference.h"
#include "exec/oracle/oracle.h"

#include <math.h>
#include <string.h>

/* x < y or y < x. The nearest number of the dtype is the next one, or its neighbour is. */
static ct__number step(ct_dtype dtype, ct__number x, ct__number y)
{
    const int direction = ct__number_compare(y, x);
    unsigned char from[16], to[16];
    ct__number nearest;

    ct__store_numbers(dtype, 1, from, &x);
    ct__store_numbers(dtype, 1, to, &y);
    ct__load_numbers(dtype, 1, &nearest, from);
    if (ct__number_compare(nearest, x) == direction)
        return nearest;
    if (memcmp(from, to, ct_dtype_bytes(dtype)) == 0)
        return y;
    ct__reference_numerics.binary(CT__OP_next_after, dtype, 1, from, from, 1, to, 1);
    ct__load_numbers(dtype, 1, &nearest, from);
    return nearest;
}

ct__number ct__next_number(ct_dtype dtype, ct__number x, ct__number y)
{
    const int order = ct__number_compare(x, y);

    if (order == 2)
        return ct__number_is_nan(y) ? y : x;
    return order == 0 ? y : step(dtype, x, y);
}

/* ---- reduce_precision. */

typedef struct layout {
    int exponent, fraction; /* bits */
} layout;

static layout layout_of(ct_dtype dtype)
{
    switch (dtype) {
    case CT_F64: return (layout){11, 52};
    case CT_F16: return (layout){5, 10};
    case CT_BF16: return (layout){8, 7};
    default: return (layout){8, 23}; /* smaller ones are f32 numbers */
    }
}

/* The fraction rounded to nearest, ties to even: to what has a 0 as the last of its bits in the
 * dtype, which is one of the exponent where no bit of the fraction is left. Below the normal
 * numbers the places stay those of the smallest. */
static void round_fraction(layout f, int64_t bits, mpfr_ptr t)
{
    const mpfr_exp_t least = 2 - ((mpfr_exp_t)1 << (f.exponent - 1));
    const mpfr_exp_t own = mpfr_get_exp(t) - 1, e = own > least ? own : least;

    mpfr_mul_2si(t, t, (long)(bits - e), MPFR_RNDN);
    if (bits == 0 && (mpfr_cmp_d(t, 1.5) == 0 || mpfr_cmp_d(t, -1.5) == 0))
        mpfr_set_si(t, mpfr_sgn(t) * ((e - least) % 2 == 0 ? 2 : 1), MPFR_RNDN);
    else
        mpfr_roundeven(t, t);
    mpfr_mul_2si(t, t, (long)(e - bits), MPFR_RNDN);
}

/* t with a rounded fraction; then infinite or 0 where it is beyond the exponents. What is
 * no narrower than the dtype changes nothing. */
static void reduce(layout f, const struct ct__attrs_reduce_precision *a, mpfr_ptr t)
{
    const mpfr_exp_t reach = a->exponent_bits < 31 ? (1L << (a->exponent_bits - 1)) - 1 : 1L << 30;

    if (mpfr_nan_p(t) && a->mantissa_bits == 0)
        mpfr_set_inf(t, mpfr_signbit(t) ? -1 : 1);
    if (!mpfr_regular_p(t))
        return;
    if (a->mantissa_bits < f.fraction)
        round_fraction(f, a->mantissa_bits, t);
    if (a->exponent_bits >= f.exponent || !mpfr_regular_p(t))
        return;
    if (mpfr_get_exp(t) - 1 > reach)
        mpfr_set_inf(t, mpfr_sgn(t));
    else if (mpfr_get_exp(t) - 1 <= -reach)
        mpfr_set_zero(t, mpfr_sgn(t));
}

/* n->t as a number of the run. */
static ct__number settled(ct__numbers *n)
{
    if (!n->how.is_exact || !mpfr_number_p(n->t))
        return ct__keep_real(n->t);
    mpfr_get_q(n->p, n->t);
    return ct__keep_rational(n->p);
}

bool ct__oracle_reduce_precision(const ct__eval *q)
{
    const ct_type *x = q->in_type[0];
    const ct__number *from = q->in[0];
    ct__number *to = q->out[0];
    ct__numbers *n = ct__numbers_now();

    for (int64_t i = 0; i < x->size; i++) {
        n->element = (size_t)i;
        mpfr_set(n->t, ct__odd_real(from[i]), MPFR_RNDN);
        mpfr_set(n->u, n->t, MPFR_RNDN);
        mpfr_clear_flags();
        reduce(layout_of(x->dtype), &q->attrs->reduce_precision, n->t);
        if (mpfr_equal_p(n->t, n->u)) /* also where more bits than those of n->t are */
            to[i] = from[i];
        else
            to[i] = settled(n);
    }
    return true;
}
