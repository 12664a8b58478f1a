/* Complex numbers: pairs of the run's numbers. Sums, differences and products of exact runs, and
 * what is about infinities, are the plain formulas on the parts; all else is MPC's. */
#include "exec/oracle/oracle.h"

#include <assert.h>

enum { MORE_BITS = 32 }; /* for the steps of what is no single function of MPC */

/* ---- Functions of one number that MPC lacks; each is z = f(x). */

/* The principal argument divided by 3. */
static void cube_root(mpc_ptr z, mpc_srcptr x)
{
    mpfr_t radius, angle;

    mpfr_inits2(mpfr_get_prec(mpc_realref(z)) + MORE_BITS, radius, angle, (mpfr_ptr)NULL);
    mpc_abs(radius, x, MPFR_RNDN);
    mpfr_cbrt(radius, radius, MPFR_RNDN);
    mpc_arg(angle, x, MPFR_RNDN);
    mpfr_div_ui(angle, angle, 3, MPFR_RNDN);
    mpfr_sin_cos(mpc_imagref(z), mpc_realref(z), angle, MPFR_RNDN);
    mpfr_mul(mpc_realref(z), mpc_realref(z), radius, MPFR_RNDN);
    mpfr_mul(mpc_imagref(z), mpc_imagref(z), radius, MPFR_RNDN);
    mpfr_clears(radius, angle, (mpfr_ptr)NULL);
}

/* Re = expm1(x) cos y - 2 sin²(y/2), in which few bits cancel beyond those that are there twice. */
static void exponential_minus_one(mpc_ptr z, mpc_srcptr x)
{
    mpfr_t a, b;

    mpfr_inits2(2 * mpfr_get_prec(mpc_realref(z)) + MORE_BITS, a, b, (mpfr_ptr)NULL);
    mpc_exp(z, x, MPC_RNDNN);
    mpfr_div_2ui(a, mpc_imagref(x), 1, MPFR_RNDN);
    mpfr_sin(a, a, MPFR_RNDN);
    mpfr_sqr(a, a, MPFR_RNDN);
    mpfr_mul_2ui(a, a, 1, MPFR_RNDN);
    mpfr_cos(b, mpc_imagref(x), MPFR_RNDN);
    if (mpfr_number_p(mpc_realref(x)) && mpfr_number_p(mpc_imagref(x))) {
        mpfr_expm1(mpc_realref(z), mpc_realref(x), MPFR_RNDN);
        mpfr_mul(b, b, mpc_realref(z), MPFR_RNDN);
        mpfr_sub(mpc_realref(z), b, a, MPFR_RNDN);
    } else {
        mpfr_sub_ui(mpc_realref(z), mpc_realref(z), 1, MPFR_RNDN);
    }
    mpfr_clears(a, b, (mpfr_ptr)NULL);
}

/* log|1 + z| = log1p(2 x + x² + y²) / 2, the sum in twice as many bits as its squares have. */
static void log_plus_one(mpc_ptr z, mpc_srcptr x)
{
    mpfr_t sum, square;

    mpfr_inits2(4 * mpfr_get_prec(mpc_realref(z)), sum, square, (mpfr_ptr)NULL);
    mpfr_sqr(sum, mpc_realref(x), MPFR_RNDN);
    mpfr_sqr(square, mpc_imagref(x), MPFR_RNDN);
    mpfr_add(sum, sum, square, MPFR_RNDN);
    mpfr_mul_2ui(square, mpc_realref(x), 1, MPFR_RNDN);
    mpfr_add(sum, sum, square, MPFR_RNDN);
    mpfr_add_ui(square, mpc_realref(x), 1, MPFR_RNDN);
    mpfr_atan2(mpc_imagref(z), mpc_imagref(x), square, MPFR_RNDN);
    mpfr_log1p(mpc_realref(z), sum, MPFR_RNDN);
    mpfr_div_2ui(mpc_realref(z), mpc_realref(z), 1, MPFR_RNDN);
    mpfr_clears(sum, square, (mpfr_ptr)NULL);
}

/* 1 / (1 + e^-x) and 1 / sqrt(x) */
static void one_over(ct__op op, mpc_ptr z, mpc_srcptr x)
{
    mpc_t e;

    mpc_init2(e, mpfr_get_prec(mpc_realref(z)) + MORE_BITS);
    if (op == CT__OP_logistic) {
        mpc_neg(e, x, MPC_RNDNN);
        mpc_exp(e, e, MPC_RNDNN);
        mpc_add_ui(e, e, 1, MPC_RNDNN);
    } else {
        mpc_sqrt(e, x, MPC_RNDNN);
    }
    mpc_ui_div(z, 1, e, MPC_RNDNN);
    mpc_clear(e);
}

/* x / |x|; 0 for 0, NaN for a NaN in either part. */
static void sign(mpc_ptr z, mpc_srcptr x)
{
    mpfr_t radius;

    mpfr_init2(radius, mpfr_get_prec(mpc_realref(z)) + MORE_BITS);
    mpc_abs(radius, x, MPFR_RNDN);
    if (mpfr_nan_p(mpc_realref(x)) || mpfr_nan_p(mpc_imagref(x)))
        mpc_set_nan(z);
    else if (mpfr_zero_p(radius))
        mpc_set(z, x, MPC_RNDNN);
    else
        mpc_div_fr(z, x, radius, MPC_RNDNN);
    mpfr_clear(radius);
}

typedef int function(mpc_ptr, mpc_srcptr, mpc_rnd_t);

/* NULL: it is none of MPC's. */
static function *function_of(ct__op op)
{
    switch (op) {
    case CT__OP_acos: return mpc_acos;
    case CT__OP_acosh: return mpc_acosh;
    case CT__OP_asin: return mpc_asin;
    case CT__OP_asinh: return mpc_asinh;
    case CT__OP_atan: return mpc_atan;
    case CT__OP_atanh: return mpc_atanh;
    case CT__OP_cosh: return mpc_cosh;
    case CT__OP_cosine: return mpc_cos;
    case CT__OP_exponential: return mpc_exp;
    case CT__OP_log: return mpc_log;
    case CT__OP_negate: return mpc_neg;
    case CT__OP_sine: return mpc_sin;
    case CT__OP_sinh: return mpc_sinh;
    case CT__OP_sqrt: return mpc_sqrt;
    case CT__OP_tan: return mpc_tan;
    case CT__OP_tanh: return mpc_tanh;
    default: return NULL;
    }
}

/* The exponents of steps reach farther than those of what they give. */
typedef struct range {
    mpfr_exp_t low, high;
} range;

static range widen(void)
{
    const range own = {mpfr_get_emin(), mpfr_get_emax()};

    mpfr_set_emin(4 * own.low);
    mpfr_set_emax(4 * own.high);
    return own;
}

static void narrow(range own, mpc_ptr z)
{
    mpfr_set_emin(own.low);
    mpfr_set_emax(own.high);
    mpfr_check_range(mpc_realref(z), 0, MPFR_RNDN);
    mpfr_check_range(mpc_imagref(z), 0, MPFR_RNDN);
}

/* False where it may have rounded. */
static bool unary(ct__op op, mpc_ptr z, mpc_srcptr x)
{
    function *f = function_of(op);

    if (f)
        return f(z, x, MPC_RNDNN) == 0;
    const range own = widen();
    switch (op) {
    case CT__OP_cbrt: cube_root(z, x); break;
    case CT__OP_exponential_minus_one: exponential_minus_one(z, x); break;
    case CT__OP_log_plus_one: log_plus_one(z, x); break;
    case CT__OP_logistic:
    case CT__OP_rsqrt: one_over(op, z, x); break;
    case CT__OP_sign: sign(z, x); break;
    default: assert(false); /* the table allows no other operation */
    }
    narrow(own, z);
    return false;
}

/* ---- Functions of two numbers. */

/* x - n y, n being x / y with both parts truncated; of reals it is theirs. x where n is 0. */
static void remainder_of(mpc_ptr z, mpc_srcptr x, mpc_srcptr y)
{
    if (mpfr_zero_p(mpc_imagref(x)) && mpfr_zero_p(mpc_imagref(y))) {
        mpc_set(z, x, MPC_RNDNN);
        mpfr_fmod(mpc_realref(z), mpc_realref(x), mpc_realref(y), MPFR_RNDN);
        if (mpfr_zero_p(mpc_realref(y)))
            mpfr_set_nan(mpc_imagref(z));
        return;
    }
    mpc_t n;
    mpc_init2(n, 2 * mpfr_get_prec(mpc_realref(z)) + MORE_BITS);
    mpc_div(n, x, y, MPC_RNDNN);
    mpfr_rint_trunc(mpc_realref(n), mpc_realref(n), MPFR_RNDN);
    mpfr_rint_trunc(mpc_imagref(n), mpc_imagref(n), MPFR_RNDN);
    if (mpfr_zero_p(mpc_realref(n)) && mpfr_zero_p(mpc_imagref(n))) {
        mpc_set(z, x, MPC_RNDNN);
    } else {
        mpc_mul(n, n, y, MPC_RNDNN);
        mpc_sub(z, x, n, MPC_RNDNN);
    }
    mpc_clear(n);
}

/* -i log((x + i y) / sqrt(x² + y²)), first operand y. */
static void arc_tangent(mpc_ptr z, mpc_srcptr y, mpc_srcptr x)
{
    mpc_t turned, root;

    mpc_init2(turned, 2 * mpfr_get_prec(mpc_realref(z)) + MORE_BITS);
    mpc_init2(root, 2 * mpfr_get_prec(mpc_realref(z)) + MORE_BITS);
    mpc_sqr(root, x, MPC_RNDNN);
    mpc_sqr(turned, y, MPC_RNDNN);
    mpc_add(root, root, turned, MPC_RNDNN);
    mpc_sqrt(root, root, MPC_RNDNN);
    mpfr_sub(mpc_realref(turned), mpc_realref(x), mpc_imagref(y), MPFR_RNDN);
    mpfr_add(mpc_imagref(turned), mpc_imagref(x), mpc_realref(y), MPFR_RNDN);
    mpc_div(turned, turned, root, MPC_RNDNN);
    mpc_log(turned, turned, MPC_RNDNN);
    mpfr_set(mpc_realref(z), mpc_imagref(turned), MPFR_RNDN);
    mpfr_neg(mpc_imagref(z), mpc_realref(turned), MPFR_RNDN);
    mpc_clear(turned);
    mpc_clear(root);
}

static bool is_zero(mpc_srcptr x)
{
    return mpfr_zero_p(mpc_realref(x)) && mpfr_zero_p(mpc_imagref(x));
}

/* x^0 is 1, and 0^y is 0 where the real part of y is positive. */
static bool power(mpc_ptr z, mpc_srcptr x, mpc_srcptr y)
{
    if (is_zero(y))
        return mpc_set_ui(z, 1, MPC_RNDNN) == 0;
    if (is_zero(x) && mpfr_sgn(mpc_realref(y)) > 0)
        return mpc_set_ui(z, 0, MPC_RNDNN) == 0;
    return mpc_pow(z, x, y, MPC_RNDNN) == 0;
}

static bool binary(ct__op op, mpc_ptr z, mpc_srcptr x, mpc_srcptr y)
{
    if (op == CT__OP_divide)
        return mpc_div(z, x, y, MPC_RNDNN) == 0;
    if (op == CT__OP_multiply)
        return mpc_mul(z, x, y, MPC_RNDNN) == 0;
    if (op == CT__OP_power)
        return power(z, x, y);
    const range own = widen();
    switch (op) {
    case CT__OP_remainder: remainder_of(z, x, y); break;
    case CT__OP_atan2: arc_tangent(z, x, y); break;
    default: assert(false); /* the table allows no other operation */
    }
    narrow(own, z);
    return false;
}

static bool any_special(const ct__number *x)
{
    return ct__is_special(x[0]) || ct__is_special(x[1]);
}

/* What an infinite operand gives is no overflow. */
static void forget_range(const ct__number *x)
{
    if (!any_special(x))
        return;
    mpfr_clear_overflow();
    mpfr_clear_underflow();
}

/* ---- Between pairs and MPC. */

/* False where a part is no number of MPFR exactly. */
static bool load(mpc_ptr z, const ct__number *x)
{
    ct__numbers *n = ct__numbers_now();
    bool is_exact = true;

    mpfr_set(mpc_realref(z), ct__real_of(x[0], n->t, &is_exact), MPFR_RNDN);
    mpfr_set(mpc_imagref(z), ct__real_of(x[1], n->t, &is_exact), MPFR_RNDN);
    return is_exact;
}

/* A part of a result as a number of the run. */
static ct__number part(mpfr_srcptr x, bool is_exact)
{
    ct__numbers *n = ct__numbers_now();

    if (!n->how.is_exact || !mpfr_number_p(x))
        return ct__keep_real(x);
    if (is_exact) {
        mpfr_get_q(n->p, x);
        return ct__keep_rational(n->p);
    }
    if (n->how.continues)
        return ct__keep_real(x);
    ct__fail_irrational();
    return 0;
}

static void store(ct__number *y, mpc_srcptr z, bool is_exact)
{
    const ct__number re = part(mpc_realref(z), is_exact);

    y[1] = part(mpc_imagref(z), is_exact);
    y[0] = re;
}

/* y[0] = |x| */
static void magnitude(ct__number *y, const ct__number *x)
{
    ct__numbers *n = ct__numbers_now();
    ct__number square;

    if (n->how.is_exact && !ct__is_special(x[0]) && !ct__is_special(x[1])) {
        square = ct__number_binary(CT__OP_add,
                                   ct__number_binary(CT__OP_multiply, x[0], x[0], CT_F64),
                                   ct__number_binary(CT__OP_multiply, x[1], x[1], CT_F64), CT_F64);
        y[0] = ct__number_unary(CT__OP_sqrt, square);
        return;
    }
    load(n->z, x);
    mpfr_clear_flags();
    mpc_abs(n->t, n->z, MPFR_RNDN);
    y[0] = ct__keep_real(n->t);
}

void ct__complex_unary(ct__op op, ct__number *y, const ct__number *x)
{
    ct__numbers *n = ct__numbers_now();
    bool is_exact;

    if (op == CT__OP_abs) {
        magnitude(y, x);
        return;
    }
    if (op == CT__OP_negate) {
        const ct__number re = ct__number_unary(op, x[0]);
        y[1] = ct__number_unary(op, x[1]);
        y[0] = re;
        return;
    }
    is_exact = load(n->z, x);
    mpfr_clear_flags();
    is_exact = unary(op, n->w, n->z) && is_exact;
    forget_range(x);
    store(y, n->w, is_exact);
}

/* ---- The plain formulas. */

static ct__number apply(ct__op op, ct__number x, ct__number y)
{
    return ct__number_binary(op, x, y, CT_F64);
}

/* a b + sign c d */
static ct__number products(ct__op sign, ct__number a, ct__number b, ct__number c, ct__number d)
{
    return apply(sign, apply(CT__OP_multiply, a, b), apply(CT__OP_multiply, c, d));
}

static void plain_product(ct__number *z, const ct__number *x, const ct__number *y)
{
    const ct__number re = products(CT__OP_subtract, x[0], y[0], x[1], y[1]);

    z[1] = products(CT__OP_add, x[0], y[1], x[1], y[0]);
    z[0] = re;
}

static void plain_quotient(ct__number *z, const ct__number *x, const ct__number *y)
{
    const ct__number norm = products(CT__OP_add, y[0], y[0], y[1], y[1]);
    const ct__number re = products(CT__OP_add, x[0], y[0], x[1], y[1]);
    const ct__number im = products(CT__OP_subtract, x[1], y[0], x[0], y[1]);

    z[0] = apply(CT__OP_divide, re, norm);
    z[1] = apply(CT__OP_divide, im, norm);
}

static bool is_nan(const ct__number *x)
{
    return ct__number_is_nan(x[0]) || ct__number_is_nan(x[1]);
}

static bool is_null(const ct__number *x)
{
    return ct__number_compare(x[0], 0) == 0 && ct__number_compare(x[1], 0) == 0;
}

static void put(ct__number *z, ct__number re, ct__number im)
{
    z[0] = re;
    z[1] = im;
}

/* By real, then by imaginary part, of equals part by part; a NaN in any part makes both NaN. */
static void choose(ct__op op, ct__number *z, const ct__number *x, const ct__number *y)
{
    const int sign = op == CT__OP_maximum ? 1 : -1;
    int order;

    if (is_nan(x) || is_nan(y)) {
        const ct__number *nan = is_nan(x) ? x : y, part = nan[!ct__number_is_nan(nan[0])];
        put(z, part, part);
        return;
    }
    order = ct__number_compare(x[0], y[0]);
    order = order == 0 ? ct__number_compare(x[1], y[1]) : order;
    if (order == 0)
        put(z, apply(op, x[0], y[0]), apply(op, x[1], y[1]));
    else if (sign * order > 0)
        put(z, x[0], x[1]);
    else
        put(z, y[0], y[1]);
}

/* What is computed part by part; false where it is MPC's. */
static bool by_parts(ct__op op, ct__number *z, const ct__number *x, const ct__number *y)
{
    const bool is_exact = ct__numbers_now()->how.is_exact,
               special = any_special(x) || any_special(y);

    switch (op) {
    case CT__OP_add:
    case CT__OP_subtract: put(z, apply(op, x[0], y[0]), apply(op, x[1], y[1])); return true;
    case CT__OP_maximum:
    case CT__OP_minimum: choose(op, z, x, y); return true;
    case CT__OP_multiply:
        if (is_exact || special)
            plain_product(z, x, y);
        return is_exact || special;
    case CT__OP_divide:
        if (is_exact && !special && !is_null(y))
            plain_quotient(z, x, y);
        return is_exact && !special && !is_null(y);
    default: return false;
    }
}

/* A guarded product that is 0 without being formed. */
static bool is_dropped(ct__op op, const ct__number *t, const ct__number *f)
{
    if (op != CT__OP_scale && op != CT__OP_scale_either)
        return false;
    return is_null(t) || (is_null(f) && (op == CT__OP_scale_either || !is_nan(t)));
}

void ct__complex_binary(ct__op op, ct__number *z, const ct__number *x, const ct__number *y)
{
    ct__numbers *n = ct__numbers_now();
    mpc_t result;
    bool is_exact;

    if (is_dropped(op, x, y)) {
        put(z, 0, 0);
        return;
    }
    if (op == CT__OP_scale || op == CT__OP_scale_either)
        op = CT__OP_multiply;
    if (by_parts(op, z, x, y))
        return;
    mpc_init2(result, (mpfr_prec_t)n->how.bits);
    is_exact = load(n->z, x);
    is_exact = load(n->w, y) && is_exact;
    mpfr_clear_flags();
    is_exact = binary(op, result, n->z, n->w) && is_exact;
    forget_range(x);
    forget_range(y);
    store(z, result, is_exact);
    mpc_clear(result);
}
