/* Rules of CHLO's elementwise functions; as in elementwise.c, most are a factor of the tangent. */
#include "ad/rules.h"

#include <math.h>

static ct_tensor *number(const ct__jvp *q, double value)
{
    return ct__like(q->at, q->y, value);
}

static ct_tensor *times(const ct__jvp *q, ct_tensor *factor)
{
    return ct__scale(q->at, q->dx, factor);
}

static ct_tensor *product(const ct__jvp *q, ct_tensor *f, ct_tensor *g)
{
    return ct_op_multiply_at(q->at, f, g);
}

/* ---- Circular and hyperbolic functions. */

/* x - value and value - x. Complex ones keep the sign of a zero imaginary part, which says on which
 * side of a branch cut x lies; the real 1 - x at 1 is +0. */
static ct_tensor *beyond(const ct__jvp *q, ct_tensor *x, double value)
{
    return ct_op_subtract_at(q->at, x, number(q, value));
}

static ct_tensor *below(const ct__jvp *q, ct_tensor *x, double value)
{
    if (ct__is_complex(x))
        return ct_op_negate_at(q->at, beyond(q, x, value));
    return ct_op_subtract_at(q->at, number(q, value), x);
}

/* 1/√a 1/√b: each factor is exact near its zero, where the square of x would round it away. */
static ct_tensor *root_product(const ct__jvp *q, ct_tensor *a, ct_tensor *b)
{
    return product(q, ct_op_rsqrt_at(q->at, a), ct_op_rsqrt_at(q->at, b));
}

/* 1/√(1 - x²) = 1/√(1 - x) 1/√(1 + x); inf at both ends. */
static ct_tensor *asin_slope(const ct__jvp *q, ct_tensor *x)
{
    return root_product(q, below(q, x, 1), beyond(q, x, -1));
}

/* 1 / (1 - x²) = (1 / (1 - x)) / (1 + x): no square that overflows. */
static ct_tensor *atanh_slope(const ct__jvp *q, ct_tensor *x)
{
    ct_tensor *inverse = ct_op_divide_at(q->at, number(q, 1), below(q, x, 1));
    return ct_op_divide_at(q->at, inverse, beyond(q, x, -1));
}

/* i x */
static ct_tensor *turned(const ct__jvp *q, ct_tensor *x)
{
    return ct_op_complex_at(q->at, ct_op_negate_at(q->at, ct_op_imag_at(q->at, x)),
                            ct_op_real_at(q->at, x));
}

ct_tensor *ct__jvp_asin(const ct__jvp *q)
{
    return times(q, asin_slope(q, q->x[0]));
}

ct_tensor *ct__jvp_acos(const ct__jvp *q)
{
    return times(q, ct_op_negate_at(q->at, asin_slope(q, q->x[0])));
}

/* 1/√(x² - 1); inf at 1, NaN below. */
ct_tensor *ct__jvp_acosh(const ct__jvp *q)
{
    return times(q, root_product(q, beyond(q, q->x[0], 1), beyond(q, q->x[0], -1)));
}

ct_tensor *ct__jvp_atanh(const ct__jvp *q)
{
    return times(q, atanh_slope(q, q->x[0]));
}

/* s² (1 + x²) with a constant s, which is 1, or for x whose square would overflow a small one: 2^-k
 * where 2^2k is beyond the largest number. s and s² are exact. */
typedef struct scaled_sum {
    ct_tensor *s, *square, *sum;
} scaled_sum;

static int bits_of_exponent(ct_dtype dtype)
{
    return dtype == CT_F64 ? 512 : dtype == CT_F16 ? 8 : 64; /* of bf16 as of f32 */
}

static scaled_sum sum_of_squares(const ct__jvp *q)
{
    ct_tensor *x = q->x[0];
    const double k = bits_of_exponent(ct_dtype_of(x)), small = exp2(-k);
    ct_tensor *is_large = ct_op_compare_at(q->at, ct_op_abs_at(q->at, x), number(q, exp2(k - 1)),
                                           CT_GT, CT_COMPARE_DEFAULT);
    ct_tensor *s = ct_op_select_at(q->at, is_large, number(q, small), number(q, 1));
    ct_tensor *square = ct_op_select_at(q->at, is_large, number(q, small * small), number(q, 1));
    ct_tensor *z = product(q, x, s);
    return (scaled_sum){s, square, ct_op_add_at(q->at, square, product(q, z, z))};
}

/* 1 / (1 + x²); of complex x the slope of atanh at i x, exact near the poles ±i. */
ct_tensor *ct__jvp_atan(const ct__jvp *q)
{
    if (ct__is_complex(q->x[0]))
        return times(q, atanh_slope(q, turned(q, q->x[0])));
    const scaled_sum a = sum_of_squares(q);
    return times(q, ct_op_divide_at(q->at, a.square, a.sum));
}

/* 1 / √(1 + x²); of complex x the slope of asin at i x. */
ct_tensor *ct__jvp_asinh(const ct__jvp *q)
{
    if (ct__is_complex(q->x[0]))
        return times(q, asin_slope(q, turned(q, q->x[0])));
    const scaled_sum a = sum_of_squares(q);
    return times(q, product(q, a.s, ct_op_rsqrt_at(q->at, a.sum)));
}

ct_tensor *ct__jvp_cosh(const ct__jvp *q)
{
    return times(q, ct_op_sinh_at(q->at, q->x[0]));
}

ct_tensor *ct__jvp_sinh(const ct__jvp *q)
{
    return times(q, ct_op_cosh_at(q->at, q->x[0]));
}

/* ---- The error function's relatives. */

ct_tensor *ct__bell(ct_place at, ct_tensor *x, double sign, double factor)
{
    ct_dtype dtype = ct_dtype_of(x);
    bool narrow = ct__is_narrow_float(dtype);
    ct_tensor *wide = ct__converted(at, x, narrow ? CT_F32 : dtype);
    ct_tensor *square = ct_op_multiply_at(at, wide, wide);
    ct_tensor *bell = ct_op_exponential_at(at, sign < 0 ? ct_op_negate_at(at, square) : square);
    ct_tensor *slope = ct_op_multiply_at(at, bell, ct__like(at, bell, factor));
    return ct__converted(at, slope, dtype);
}

/* -2/√π e^(-x²) */
ct_tensor *ct__jvp_erfc(const ct__jvp *q)
{
    return times(q, ct__bell(q->at, q->x[0], -1, -M_2_SQRTPI));
}

/* √π/2 e^(y²) */
ct_tensor *ct__jvp_erf_inv(const ct__jvp *q)
{
    return times(q, ct__bell(q->at, q->y, 1, 1 / M_2_SQRTPI));
}

/* ---- The gamma function's relatives. */

ct_tensor *ct__jvp_lgamma(const ct__jvp *q)
{
    return times(q, ct_op_digamma_at(q->at, q->x[0]));
}

ct_tensor *ct__jvp_digamma(const ct__jvp *q)
{
    return times(q, ct_op_polygamma_at(q->at, number(q, 1), q->x[0]));
}

/* No closed form is known. */
static ct_tensor *no_rule(const ct__jvp *q, const char *name, const char *operand)
{
    ct_context *ctx = ct_context_of(q->dx);
    ct__error(ctx, q->at, CT_ERR_RULE, "%s: there is no derivative by %s", name, operand);
    return ct__poison(ctx);
}

/* n + 1, also where n is known: it is a whole number, not the result of an operation. */
static ct_tensor *next_order(const ct__jvp *q)
{
    double n;
    if (ct__splat_value(q->x[0], &n))
        return ct__like(q->at, q->x[0], n + 1);
    return ct_op_add_at(q->at, q->x[0], number(q, 1));
}

/* By x: polygamma(n + 1, x). */
ct_tensor *ct__jvp_polygamma(const ct__jvp *q)
{
    if (q->operand == 0)
        return no_rule(q, "polygamma", "n");
    ct_tensor *next = next_order(q);
    return times(q, ct_op_polygamma_at(q->at, next, q->x[1]));
}

/* By q: -s zeta(s + 1, q). */
ct_tensor *ct__jvp_zeta(const ct__jvp *q)
{
    if (q->operand == 0)
        return no_rule(q, "zeta", "s");
    ct_tensor *next = next_order(q);
    ct_tensor *slope = product(q, q->x[0], ct_op_zeta_at(q->at, next, q->x[1]));
    return times(q, ct_op_negate_at(q->at, slope));
}
