/* Elementwise composites of several primitives. f16 and bf16 are computed in f32 and rounded once,
 * at the end. */
#include "trace/compose.h"

#include <cotangent/elementwise.h>

#include <float.h>
#include <math.h>

/* A formula in progress. */
typedef struct formula {
    ct__composite q;
    ct_operand operand[2];
    ct_tensor *x, *y;  /* the operands in one shape, in the dtype that is computed in */
    ct_dtype dtype;    /* of the result */
    ct_dtype wide;     /* that is computed in */
    ct__extents shape; /* of all values */
} formula;

static bool begin(formula *f, ct_place at, const char *name, size_t n, unsigned classes)
{
    ct__composite *q = &f->q;
    ct_tensor *aligned[2] = {NULL};
    if (!ct__begin(q, at, name, n == 1 ? "x" : "x y", n, f->operand))
        return false;
    ct__open(q);
    if (!ct__align(q, 0, classes, aligned)) {
        ct__close(q, ct__poison(q->ctx));
        return false;
    }
    f->dtype = aligned[0]->type->dtype;
    f->wide = ct__sum_dtype(f->dtype);
    f->shape = ct__extents_of(aligned[0]);
    f->x = ct__convert(at, aligned[0], f->wide);
    f->y = n == 1 ? NULL : ct__convert(at, aligned[1], f->wide);
    return true;
}

static bool begin1(formula *f, ct_place at, const char *name, ct_tensor *x)
{
    *f = (formula){.operand = {ct_operand_tensor(x)}};
    return begin(f, at, name, 1, CT__FLOATS);
}

static bool begin2(formula *f, ct_place at, const char *name, ct_operand x, ct_operand y,
                   unsigned classes)
{
    *f = (formula){.operand = {x, y}};
    return begin(f, at, name, 2, classes);
}

static ct_tensor *finish(formula *f, ct_tensor *y)
{
    return ct__close(&f->q, ct__convert(f->q.at, y, f->dtype));
}

static ct_tensor *number(const formula *f, double value)
{
    return ct__number(&f->q, ct_operand_real(value), f->wide, &f->shape);
}

/* x < y and so on, as bool. */
static ct_tensor *is(const formula *f, ct_tensor *x, ct_comparison how, ct_tensor *y)
{
    return ct_op_compare_at(f->q.at, x, y, how, CT_COMPARE_DEFAULT);
}

static ct_tensor *is_infinite(const formula *f, ct_tensor *x)
{
    return is(f, ct_op_abs_at(f->q.at, x), CT_EQ, number(f, INFINITY));
}

static ct_tensor *negative_if(const formula *f, ct_tensor *pred, ct_tensor *x)
{
    return ct_op_select_at(f->q.at, pred, ct_op_negate_at(f->q.at, x), x);
}

/* ---- Dividing downwards. */

/* Whether x/y, which is no whole number, was truncated upwards: the remainder r is not 0 and has
 * another sign than y. */
static ct_tensor *is_rounded_up(const formula *f, ct_tensor *r)
{
    ct_tensor *zero = number(f, 0);
    ct_tensor *differ = ct_op_xor_at(f->q.at, is(f, r, CT_LT, zero), is(f, f->y, CT_LT, zero));
    return ct_op_and_at(f->q.at, differ, is(f, r, CT_NE, zero));
}

static ct_tensor *mod_of_integers(const formula *f)
{
    ct_place at = f->q.at;
    ct_tensor *zero = number(f, 0), *r = ct_op_remainder_at(at, f->x, f->y);
    ct_tensor *up = ct_op_select_at(at, is_rounded_up(f, r), f->y, zero);
    return ct_op_select_at(at, is(f, f->y, CT_EQ, zero), zero, ct_op_add_at(at, r, up));
}

/* For y > 0 the remainder, which has the sign of x, needs y more where it is negative; adding 0
 * elsewhere makes -0 a 0. And mod(x, y) = -mod(-x, -y). */
static ct_tensor *mod_of_floats(const formula *f)
{
    ct_place at = f->q.at;
    ct_tensor *zero = number(f, 0), *is_negative = is(f, f->y, CT_LT, zero);
    ct_tensor *x = negative_if(f, is_negative, f->x), *y = negative_if(f, is_negative, f->y);
    ct_tensor *r = ct_op_remainder_at(at, x, y);
    ct_tensor *more = ct_op_select_at(at, is(f, r, CT_LT, zero), y, zero);
    return negative_if(f, is_negative, ct_op_add_at(at, r, more));
}

ct_tensor *ct_mod_at(ct_place at, ct_operand x, ct_operand y)
{
    formula f;
    if (!begin2(&f, at, "mod", x, y, CT__INTS | CT__FLOATS))
        return ct__poison(f.q.ctx);
    return finish(&f, ct_dtype_is_float(f.dtype) ? mod_of_floats(&f) : mod_of_integers(&f));
}

static ct_tensor *floor_divide_integers(const formula *f)
{
    ct_place at = f->q.at;
    ct_tensor *zero = number(f, 0), *quotient = ct_op_divide_at(at, f->x, f->y);
    ct_tensor *up = is_rounded_up(f, ct_op_remainder_at(at, f->x, f->y));
    ct_tensor *down = ct_op_subtract_at(at, quotient, ct_op_convert_at(at, up, f->dtype));
    return ct_op_select_at(at, is(f, f->y, CT_EQ, zero), zero, down);
}

/* (x - r) / y is a whole number but for rounding, so it is rounded to the nearest one, not to the
 * one below. A zero has the sign of x/y; x/0 is infinite. */
static ct_tensor *floor_divide_floats(formula *f)
{
    ct_place at = f->q.at;
    f->x = ct_op_stop_gradient_at(at, f->x);
    f->y = ct_op_stop_gradient_at(at, f->y);
    ct_tensor *zero = number(f, 0), *r = ct_op_remainder_at(at, f->x, f->y);
    ct_tensor *whole = ct_op_divide_at(at, ct_op_subtract_at(at, f->x, r), f->y);
    whole = ct_op_subtract_at(at, whole, ct_op_convert_at(at, is_rounded_up(f, r), f->wide));
    ct_tensor *down = ct_op_floor_at(at, whole), *rest = ct_op_subtract_at(at, whole, down);
    ct_tensor *up = ct_op_convert_at(at, is(f, rest, CT_GT, number(f, 0.5)), f->wide);
    ct_tensor *quotient = ct_op_divide_at(at, f->x, f->y);
    ct_tensor *nothing = ct_op_multiply_at(at, quotient, zero); /* only where |x/y| <= 1 */
    ct_tensor *y = ct_op_select_at(at, is(f, whole, CT_EQ, zero), nothing,
                                   ct_op_add_at(at, down, up));
    return ct_op_select_at(at, is(f, f->y, CT_EQ, zero), quotient, y);
}

ct_tensor *ct_floor_divide_at(ct_place at, ct_operand x, ct_operand y)
{
    formula f;
    if (!begin2(&f, at, "floor_divide", x, y, CT__INTS | CT__FLOATS))
        return ct__poison(f.q.ctx);
    return finish(&f,
                  ct_dtype_is_float(f.dtype) ? floor_divide_floats(&f) : floor_divide_integers(&f));
}

ct_tensor *ct_trunc_at(ct_place at, ct_tensor *x)
{
    formula f;
    if (!begin1(&f, at, "trunc", x))
        return ct__poison(f.q.ctx);
    ct_tensor *is_negative = is(&f, f.x, CT_LT, number(&f, 0));
    return finish(
        &f, ct_op_select_at(at, is_negative, ct_op_ceil_at(at, f.x), ct_op_floor_at(at, f.x)));
}

/* ---- Powers and logarithms. */

ct_tensor *ct_exp2_at(ct_place at, ct_tensor *x)
{
    formula f;
    if (!begin1(&f, at, "exp2", x))
        return ct__poison(f.q.ctx);
    return finish(&f, ct_op_power_at(at, number(&f, 2), f.x));
}

/* The whole number next to log x / log b, within the exponents whose powers are normal numbers; a
 * constant for differentiation. */
static ct_tensor *exponent(const formula *f, double base)
{
    static const ct__extents scalar = {.rank = 0};
    const double e = log(base), range = f->wide == CT_F32 ? 126 : 1022;
    const double last = floor(range * log(2) / e * (1 + 0x1p-50));
    ct_place at = f->q.at;
    ct_tensor *low = ct__number(&f->q, ct_operand_real(-last), f->wide, &scalar);
    ct_tensor *high = ct__number(&f->q, ct_operand_real(last), f->wide, &scalar);
    ct_tensor *x = ct_op_log_at(at, ct_op_stop_gradient_at(at, f->x));
    ct_tensor *k = ct_op_round_nearest_even_at(at, ct_op_divide_at(at, x, number(f, e)));
    return ct_op_clamp_at(at, low, k, high);
}

/* With x = b^k r the result is k + log r / log b: exact for powers of b, where r is 1, which
 * log x / log b is not. */
static ct_tensor *logarithm(ct_place at, const char *name, ct_tensor *x, double base)
{
    formula f;
    if (!begin1(&f, at, name, x))
        return ct__poison(f.q.ctx);
    ct_tensor *k = exponent(&f, base), *power = ct_op_power_at(at, number(&f, base), k);
    ct_tensor *r = ct_op_log_at(at, ct_op_divide_at(at, f.x, power));
    return finish(&f, ct_op_add_at(at, k, ct_op_divide_at(at, r, number(&f, log(base)))));
}

ct_tensor *ct_log2_at(ct_place at, ct_tensor *x)
{
    return logarithm(at, "log2", x, 2);
}

ct_tensor *ct_log10_at(ct_place at, ct_tensor *x)
{
    return logarithm(at, "log10", x, 10);
}

/* The larger of x and y is kept apart: max + log(1 + e^(min - max)). Which one is chosen is a
 * matter of digits alone, so the formula is smooth also where x = y. Where the larger one is
 * infinite, min - max may be NaN, and the result is the maximum. */
ct_tensor *ct_logaddexp_at(ct_place at, ct_operand x, ct_operand y)
{
    formula f;
    if (!begin2(&f, at, "logaddexp", x, y, CT__FLOATS))
        return ct__poison(f.q.ctx);
    ct_tensor *is_x = is(&f, f.x, CT_GT, f.y);
    ct_tensor *large = ct_op_select_at(at, is_x, f.x, f.y);
    ct_tensor *small = ct_op_select_at(at, is_x, f.y, f.x);
    ct_tensor *ratio = ct_op_exponential_at(at, ct_op_subtract_at(at, small, large));
    ct_tensor *sum = ct_op_add_at(at, large, ct_op_log_plus_one_at(at, ratio));
    ct_tensor *largest = ct_op_maximum_at(at, f.x, f.y);
    return finish(&f, ct_op_select_at(at, is_infinite(&f, large), largest, sum));
}

/* ---- Lengths. */

/* 1, where x^2 and the x^-4 of higher derivatives are far from the ends of the dtype; there is room
 * for 2^32 squares, and those that underflow are below 2^-24 or 2^-53 of the largest. Elsewhere the
 * largest itself, so that derivatives are made of numbers near 1 and of 1/s; or the smallest that
 * has a finite 1/s. */
ct_tensor *ct__square_unit(const ct__composite *q, ct_tensor *largest, ct_dtype dtype,
                           const ct__extents *shape)
{
    const bool is_f32 = dtype == CT_F32;
    const double constant[] = {1, is_f32 ? FLT_MIN : DBL_MIN, is_f32 ? 0x1p-30 : 0x1p-250,
                               is_f32 ? 0x1p30 : 0x1p250};
    ct_place at = q->at;
    ct_tensor *n[4], *size = ct_op_stop_gradient_at(at, largest);
    for (int i = 0; i < 4; i++)
        n[i] = ct__number(q, ct_operand_real(constant[i]), dtype, shape);
    ct_tensor *is_low = ct_op_compare_at(at, size, n[2], CT_LT, CT_COMPARE_DEFAULT);
    ct_tensor *is_high = ct_op_compare_at(at, size, n[3], CT_GT, CT_COMPARE_DEFAULT);
    ct_tensor *is_tiny = ct_op_compare_at(at, size, n[1], CT_LT, CT_COMPARE_DEFAULT);
    return ct_op_select_at(at, is_low, ct_op_select_at(at, is_tiny, n[1], size),
                           ct_op_select_at(at, is_high, size, n[0]));
}

/* s sqrt((x/s)^2 + (y/s)^2) for a constant s, so that all derivatives are right; infinite if x or
 * y is, also beside NaN. */
ct_tensor *ct_hypot_at(ct_place at, ct_operand x, ct_operand y)
{
    formula f;
    if (!begin2(&f, at, "hypot", x, y, CT__FLOATS))
        return ct__poison(f.q.ctx);
    ct_tensor *size[] = {ct_op_abs_at(at, f.x), ct_op_abs_at(at, f.y)};
    ct_tensor *unit = ct__square_unit(&f.q, ct_op_maximum_at(at, size[0], size[1]), f.wide,
                                      &f.shape);
    ct_tensor *a = ct_op_divide_at(at, f.x, unit), *b = ct_op_divide_at(at, f.y, unit);
    ct_tensor *sum = ct_op_add_at(at, ct_op_multiply_at(at, a, a), ct_op_multiply_at(at, b, b));
    ct_tensor *length = ct_op_multiply_at(at, ct_op_sqrt_at(at, sum), unit);
    length = ct_op_select_at(at, is_infinite(&f, f.y), size[1], length);
    return finish(&f, ct_op_select_at(at, is_infinite(&f, f.x), size[0], length));
}

/* ---- Asking. */

ct_tensor *ct_is_nan_at(ct_place at, ct_tensor *x)
{
    formula f;
    if (!begin1(&f, at, "is_nan", x))
        return ct__poison(f.q.ctx);
    return ct__close(&f.q, is(&f, f.x, CT_NE, f.x));
}

ct_tensor *ct_is_inf_at(ct_place at, ct_tensor *x)
{
    formula f;
    if (!begin1(&f, at, "is_inf", x))
        return ct__poison(f.q.ctx);
    return ct__close(&f.q, is_infinite(&f, f.x));
}

/* ---- Activations. */

/* p x, where p = 1 / (1 + e^-x) is 0 at -inf, where the product must be 0 too: scale. */
ct_tensor *ct_silu_at(ct_place at, ct_tensor *x)
{
    formula f;
    if (!begin1(&f, at, "silu", x))
        return ct__poison(f.q.ctx);
    return finish(&f, ct_op_scale_at(at, ct_op_logistic_at(at, f.x), f.x));
}

/* max(x, 0) + log(1 + e^-|x|), where the sign is chosen by a select, so that the slope is that of
 * the smooth whole: 1 - e^-x / (1 + e^-x) above 0, e^x / (1 + e^x) below and at 0. */
ct_tensor *ct_softplus_at(ct_place at, ct_tensor *x)
{
    formula f;
    if (!begin1(&f, at, "softplus", x))
        return ct__poison(f.q.ctx);
    ct_tensor *zero = number(&f, 0), *is_positive = is(&f, f.x, CT_GT, zero);
    ct_tensor *ratio = ct_op_exponential_at(at, negative_if(&f, is_positive, f.x));
    ct_tensor *line = ct_op_select_at(at, is_positive, f.x, zero);
    return finish(&f, ct_op_add_at(at, line, ct_op_log_plus_one_at(at, ratio)));
}
