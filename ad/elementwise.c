#include "ad/rules.h"

#include <math.h>

/* Most rules are a factor of the tangent: f'(x) dx, by scale, so that a zero tangent meets no
 * infinite factor. Factors are written so that they neither overflow nor cancel where the
 * derivative itself is an ordinary number.
 *
 * Of complex x most functions are holomorphic, and then f'(x) dx is the rule too. */

static ct_tensor *number(const ct__jvp *q, double value)
{
    return ct__like(q->at, q->y, value);
}

static ct_tensor *times(const ct__jvp *q, ct_tensor *factor)
{
    return ct__scale(q->at, q->dx, factor);
}

/* Of two factors, neither a tangent. */
static ct_tensor *product(const ct__jvp *q, ct_tensor *f, ct_tensor *g)
{
    return ct_op_multiply_at(q->at, f, g);
}

/* ---- One operand. */

/* sign x: 0 at 0. Of complex z: Re(conj(sign z) dz), for |z|² = conj(z) z. */
ct_tensor *ct__jvp_abs(const ct__jvp *q)
{
    ct_tensor *sign = ct_op_sign_at(q->at, q->x[0]);
    if (!ct__is_complex(q->x[0]))
        return times(q, sign);
    return ct_op_real_at(q->at, times(q, ct__conjugate(q->at, sign)));
}

/* Of reals 0. Of complex z, with s = sign z, only the angle moves: i s Im(conj(s) dz) / |z|; 0 at
 * 0, where s is. */
ct_tensor *ct__jvp_sign(const ct__jvp *q)
{
    ct_place at = q->at;
    if (!ct__is_complex(q->y))
        return NULL;
    ct_tensor *across = ct_op_imag_at(at, times(q, ct__conjugate(at, q->y)));
    ct_tensor *turn = ct__quotient(at, across, ct_op_abs_at(at, q->x[0]));
    ct_tensor *re = ct__scale(at, turn, ct_op_imag_at(at, q->y));
    return ct_op_complex_at(at, ct_op_negate_at(at, re),
                            ct__scale(at, turn, ct_op_real_at(at, q->y)));
}

/* 1 / (3 y²) = (1/y) / (3y): the square of a small y would be subnormal in f16. +inf at 0. */
ct_tensor *ct__jvp_cbrt(const ct__jvp *q)
{
    ct_tensor *inverse = ct_op_divide_at(q->at, number(q, 1), q->y);
    return times(q, ct_op_divide_at(q->at, inverse, product(q, q->y, number(q, 3))));
}

ct_tensor *ct__jvp_cosine(const ct__jvp *q)
{
    return times(q, ct_op_negate_at(q->at, ct_op_sine_at(q->at, q->x[0])));
}

/* 2/√π e^(-x²). */
ct_tensor *ct__jvp_erf(const ct__jvp *q)
{
    return times(q, ct__bell(q->at, q->x[0], -1, M_2_SQRTPI));
}

ct_tensor *ct__jvp_exponential(const ct__jvp *q)
{
    return times(q, q->y);
}

/* eˣ, computed afresh: y + 1 would cancel for x far below 0. */
ct_tensor *ct__jvp_exponential_minus_one(const ct__jvp *q)
{
    return times(q, ct_op_exponential_at(q->at, q->x[0]));
}

/* The function is one-sided at 0, so -0 stands for +0: z + 0. */
static ct_tensor *without_minus_zero(const ct__jvp *q, ct_tensor *z)
{
    return ct_op_add_at(q->at, z, number(q, 0));
}

/* 1 / x; +inf at 0. */
ct_tensor *ct__jvp_log(const ct__jvp *q)
{
    return times(q, ct_op_divide_at(q->at, number(q, 1), without_minus_zero(q, q->x[0])));
}

/* 1 / (1 + x); the sum is exact near the pole. */
ct_tensor *ct__jvp_log_plus_one(const ct__jvp *q)
{
    ct_tensor *sum = ct_op_add_at(q->at, q->x[0], number(q, 1));
    return times(q, ct_op_divide_at(q->at, number(q, 1), sum));
}

/* y (1 - y), where 1 - y is logistic(-x): the difference would cancel for large x. */
ct_tensor *ct__jvp_logistic(const ct__jvp *q)
{
    ct_tensor *rest = ct_op_logistic_at(q->at, ct_op_negate_at(q->at, q->x[0]));
    return times(q, product(q, q->y, rest));
}

ct_tensor *ct__jvp_negate(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* -1 / (2 x^(3/2)) = (-y/2) / x; 2x could overflow. */
ct_tensor *ct__jvp_rsqrt(const ct__jvp *q)
{
    ct_tensor *half = product(q, q->y, number(q, -0.5));
    return times(q, ct_op_divide_at(q->at, half, q->x[0]));
}

ct_tensor *ct__jvp_sine(const ct__jvp *q)
{
    return times(q, ct_op_cosine_at(q->at, q->x[0]));
}

/* 1 / (2y); +inf at 0. */
ct_tensor *ct__jvp_sqrt(const ct__jvp *q)
{
    return times(q, ct_op_divide_at(q->at, number(q, 0.5), without_minus_zero(q, q->y)));
}

/* 1 / c². */
static ct_tensor *over_square(const ct__jvp *q, ct_tensor *c)
{
    ct_tensor *inverse = ct_op_divide_at(q->at, number(q, 1), c);
    return times(q, product(q, inverse, inverse));
}

/* 1 + y²; of complex x 1 / cos²x, for y tends to ±i, where the sum would cancel. */
ct_tensor *ct__jvp_tan(const ct__jvp *q)
{
    if (ct__is_complex(q->y))
        return over_square(q, ct_op_cosine_at(q->at, q->x[0]));
    ct_tensor *square = product(q, q->y, q->y);
    return times(q, ct_op_add_at(q->at, square, number(q, 1)));
}

/* 1 - y² = (1 - y) (1 + y): y² would round away what |y| near 1 still shows. Of complex x
 * 1 / cosh²x, as for tan. */
ct_tensor *ct__jvp_tanh(const ct__jvp *q)
{
    if (ct__is_complex(q->y))
        return over_square(q, ct_op_cosh_at(q->at, q->x[0]));
    ct_tensor *one = number(q, 1);
    ct_tensor *below = ct_op_subtract_at(q->at, one, q->y);
    return times(q, product(q, below, ct_op_add_at(q->at, one, q->y)));
}

void ct__transpose_negate(ct__transpose *q)
{
    ct__cotangent_add(q, 0, ct_op_negate_at(q->at, q->ybar[0]));
}

/* ---- Sums. */

ct_tensor *ct__jvp_add(const ct__jvp *q)
{
    return q->dx;
}

void ct__transpose_add(ct__transpose *q)
{
    ct__cotangent_add(q, 0, q->ybar[0]);
    ct__cotangent_add(q, 1, q->ybar[0]);
}

ct_tensor *ct__jvp_subtract(const ct__jvp *q)
{
    return q->operand == 0 ? q->dx : ct_op_negate_at(q->at, q->dx);
}

void ct__transpose_subtract(ct__transpose *q)
{
    ct__cotangent_add(q, 0, q->ybar[0]);
    if (q->linear[1])
        ct__cotangent_add(q, 1, ct_op_negate_at(q->at, q->ybar[0]));
}

/* ---- Products and quotients. */

ct_tensor *ct__jvp_multiply(const ct__jvp *q)
{
    return times(q, q->x[1 - q->operand]);
}

void ct__transpose_multiply(ct__transpose *q)
{
    size_t i = q->linear[0] ? 0 : 1;
    ct__cotangent_add(q, i, ct__scale(q->at, q->ybar[0], q->x[1 - i]));
}

/* Bilinear; the operands keep their places, for scale guards t and f differently. */
ct_tensor *ct__jvp_scale(const ct__jvp *q)
{
    return q->operand == 0 ? ct__scale(q->at, q->dx, q->x[1]) : ct__scale(q->at, q->x[0], q->dx);
}

/* By f: ybar t, where either may be the zero of a branch that was not taken and the other NaN. The
 * guard of scale alone lets a NaN in its first place win. */
void ct__transpose_scale(ct__transpose *q)
{
    if (q->linear[0])
        ct__cotangent_add(q, 0, ct__scale(q->at, q->ybar[0], q->x[1]));
    else
        ct__cotangent_add(q, 1, ct__scale_either(q->at, q->ybar[0], q->x[0]));
}

/* Bilinear in its own kind: what is zero for a branch that was not taken stays so in every order.
 */
ct_tensor *ct__jvp_scale_either(const ct__jvp *q)
{
    return ct__scale_either(q->at, q->dx, q->x[1 - q->operand]);
}

void ct__transpose_scale_either(ct__transpose *q)
{
    size_t i = q->linear[0] ? 0 : 1;
    ct__cotangent_add(q, i, ct__scale_either(q->at, q->ybar[0], q->x[1 - i]));
}

/* dx / y and -(x/y) / y dy. */
ct_tensor *ct__jvp_divide(const ct__jvp *q)
{
    if (q->operand == 0)
        return ct__quotient(q->at, q->dx, q->x[1]);
    return times(q, ct_op_divide_at(q->at, ct_op_negate_at(q->at, q->y), q->x[1]));
}

void ct__transpose_divide(ct__transpose *q)
{
    ct__cotangent_add(q, 0, ct__quotient(q->at, q->ybar[0], q->x[1]));
}

/* The nearest whole number, of complex numbers that of each part. */
static ct_tensor *rounded(const ct__jvp *q, ct_tensor *x)
{
    if (!ct__is_complex(x))
        return ct_op_round_nearest_even_at(q->at, x);
    return ct_op_complex_at(q->at, ct_op_round_nearest_even_at(q->at, ct_op_real_at(q->at, x)),
                            ct_op_round_nearest_even_at(q->at, ct_op_imag_at(q->at, x)));
}

/* 1 and -n, n = trunc(x/y) = (x - y_result) / y: the rounded whole number, for x/y may have been
 * rounded across one. At the jumps too. */
ct_tensor *ct__jvp_remainder(const ct__jvp *q)
{
    if (q->operand == 0)
        return q->dx;
    ct_tensor *multiple = ct_op_subtract_at(q->at, q->x[0], q->y);
    ct_tensor *n = rounded(q, ct_op_divide_at(q->at, multiple, q->x[1]));
    return times(q, ct_op_negate_at(q->at, n));
}

/* ---- Powers and angles. */

/* log x, but 0 where x and y are 0. */
static ct_tensor *log_of_base(const ct__jvp *q)
{
    ct_tensor *zero = number(q, 0);
    ct_tensor *x0 = ct_op_compare_at(q->at, q->x[0], zero, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *y0 = ct_op_compare_at(q->at, q->x[1], zero, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *both = ct_op_and_at(q->at, x0, y0);
    return ct_op_log_at(q->at, ct_op_select_at(q->at, both, number(q, 1), q->x[0]));
}

/* By x: y x^(y-1); the guarded product makes it 0 for y = 0, with the right second derivatives.
 * By y: x^y log x; NaN for x < 0; the guarded product makes it 0 for x = 0 < y, and 0^0 gives 0. */
ct_tensor *ct__jvp_power(const ct__jvp *q)
{
    if (q->operand == 1)
        return times(q, ct__scale(q->at, log_of_base(q), q->y));
    ct_tensor *exponent = ct_op_subtract_at(q->at, q->x[1], number(q, 1));
    ct_tensor *power = ct_op_power_at(q->at, q->x[0], exponent);
    return times(q, ct__scale(q->at, q->x[1], power));
}

/* dθ = (x dy - y dx) / (x² + y²). With a the larger in size of x and -y, b the other one and r =
 * b/a, the divisor is a s, s = a + b r: no square that over- or underflows. So the slopes are 1/s
 * by what stands across a, and r/s by what stands across b. NaN at the origin. */
void ct__jvp_atan2(ct__jvp_whole *q)
{
    if (!ct__primal(q))
        return;
    ct_place at = q->at;
    ct_tensor *x = q->x[1], *minus_y = ct_op_negate_at(at, q->x[0]);
    ct_tensor *is_x = ct_op_compare_at(at, ct_op_abs_at(at, x), ct_op_abs_at(at, minus_y), CT_GE,
                                       CT_COMPARE_DEFAULT);
    ct_tensor *a = ct_op_select_at(at, is_x, x, minus_y);
    ct_tensor *b = ct_op_select_at(at, is_x, minus_y, x);
    ct_tensor *r = ct_op_divide_at(at, b, a);
    ct_tensor *s = ct_op_add_at(at, a, ct_op_multiply_at(at, b, r));
    ct_tensor *one = ct__like(at, s, 1), *dy = NULL;
    for (int i = 0; i < 2; i++) {
        if (!q->dx[i])
            continue;
        ct_tensor *above = i == 0 ? ct_op_select_at(at, is_x, one, r)
                                  : ct_op_select_at(at, is_x, r, one);
        ct_tensor *term = ct__scale(at, q->dx[i], ct_op_divide_at(at, above, s));
        dy = dy ? ct__sum(at, dy, term) : term;
    }
    q->dy[0] = dy;
}

/* ---- Largest and smallest. */

/* All to the operand that was taken, half to each at a tie: the other one's part is 1 minus that of
 * the first, which is exact. */
static void jvp_of_extreme(ct__jvp_whole *q, int kind)
{
    const size_t first = q->dx[0] ? 0 : 1;
    if (!ct__primal(q) || !ct__has_tangent(ct_type_of(q->y[0])))
        return;
    ct_tensor *part = ct__taken_of_two(q->at, kind, q->x[first], q->x[1 - first], q->y[0]);
    q->dy[0] = ct__scale(q->at, q->dx[first], part);
    if (first == 1 || !q->dx[1])
        return;
    ct_tensor *rest = ct_op_subtract_at(q->at, ct__like(q->at, part, 1), part);
    q->dy[0] = ct__sum(q->at, q->dy[0], ct__scale(q->at, q->dx[1], rest));
}

void ct__jvp_maximum(ct__jvp_whole *q)
{
    jvp_of_extreme(q, CT__OP_maximum);
}

void ct__jvp_minimum(ct__jvp_whole *q)
{
    jvp_of_extreme(q, CT__OP_minimum);
}
