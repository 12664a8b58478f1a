#include "tests/witness.h"

#include <math.h>
#include <stddef.h>

double stated_bound(ct__op op, ct_dtype dtype)
{
    switch (op) {
#define BOUND(name, f32, f64)                                                                      \
    case CT__OP_##name:                                                                            \
        return dtype == CT_F32 ? f32 : f64;
#include "exec/kernel/bounds.def"
#undef BOUND
    default: return INFINITY;
    }
}

#ifdef CT_ORACLE
#include <mpfr.h>

enum { BITS = 200 };

typedef int unary_function(mpfr_t y, const mpfr_t x, mpfr_rnd_t round);

static int logistic(mpfr_t y, const mpfr_t x, mpfr_rnd_t round)
{
    mpfr_neg(y, x, round);
    mpfr_exp(y, y, round);
    mpfr_add_ui(y, y, 1, round);
    return mpfr_ui_div(y, 1, y, round);
}

/* MPFR's own has +infinity at -0. */
static int rsqrt(mpfr_t y, const mpfr_t x, mpfr_rnd_t round)
{
    mpfr_sqrt(y, x, round);
    return mpfr_ui_div(y, 1, y, round);
}

static unary_function *function_of(ct__op op)
{
    switch (op) {
    case CT__OP_exponential: return mpfr_exp;
    case CT__OP_exponential_minus_one: return mpfr_expm1;
    case CT__OP_log: return mpfr_log;
    case CT__OP_log_plus_one: return mpfr_log1p;
    case CT__OP_tanh: return mpfr_tanh;
    case CT__OP_logistic: return logistic;
    case CT__OP_sine: return mpfr_sin;
    case CT__OP_cosine: return mpfr_cos;
    case CT__OP_tan: return mpfr_tan;
    case CT__OP_erf: return mpfr_erf;
    case CT__OP_erfc: return mpfr_erfc;
    case CT__OP_cbrt: return mpfr_cbrt;
    case CT__OP_sinh: return mpfr_sinh;
    case CT__OP_cosh: return mpfr_cosh;
    case CT__OP_asinh: return mpfr_asinh;
    case CT__OP_acosh: return mpfr_acosh;
    case CT__OP_atanh: return mpfr_atanh;
    case CT__OP_atan: return mpfr_atan;
    case CT__OP_asin: return mpfr_asin;
    case CT__OP_acos: return mpfr_acos;
    default: return rsqrt;
    }
}

long double exact_value(ct__op op, long double x)
{
    mpfr_t a, y;
    mpfr_inits2(BITS, a, y, (mpfr_ptr)NULL);
    mpfr_set_ld(a, x, MPFR_RNDN);
    function_of(op)(y, a, MPFR_RNDN);
    const long double value = mpfr_get_ld(y, MPFR_RNDN);
    mpfr_clears(a, y, (mpfr_ptr)NULL);
    return value;
}

long double exact_pair(ct__op op, long double x, long double y)
{
    mpfr_t a, b, z;
    mpfr_inits2(BITS, a, b, z, (mpfr_ptr)NULL);
    mpfr_set_ld(a, x, MPFR_RNDN);
    mpfr_set_ld(b, y, MPFR_RNDN);
    if (op == CT__OP_power)
        mpfr_pow(z, a, b, MPFR_RNDN);
    else if (op == CT__OP_atan2)
        mpfr_atan2(z, a, b, MPFR_RNDN);
    else
        mpfr_fmod(z, a, b, MPFR_RNDN);
    const long double value = mpfr_get_ld(z, MPFR_RNDN);
    mpfr_clears(a, b, z, (mpfr_ptr)NULL);
    return value;
}
#else
long double exact_value(ct__op op, long double x)
{
    switch (op) {
    case CT__OP_exponential: return expl(x);
    case CT__OP_exponential_minus_one: return expm1l(x);
    case CT__OP_log: return logl(x);
    case CT__OP_log_plus_one: return log1pl(x);
    case CT__OP_tanh: return tanhl(x);
    case CT__OP_logistic: return 1 / (1 + expl(-x));
    case CT__OP_sine: return sinl(x);
    case CT__OP_cosine: return cosl(x);
    case CT__OP_tan: return tanl(x);
    case CT__OP_erf: return erfl(x);
    case CT__OP_erfc: return erfcl(x);
    case CT__OP_cbrt: return cbrtl(x);
    case CT__OP_sinh: return sinhl(x);
    case CT__OP_cosh: return coshl(x);
    case CT__OP_asinh: return asinhl(x);
    case CT__OP_acosh: return acoshl(x);
    case CT__OP_atanh: return atanhl(x);
    case CT__OP_atan: return atanl(x);
    case CT__OP_asin: return asinl(x);
    case CT__OP_acos: return acosl(x);
    default: return 1 / sqrtl(x);
    }
}

long double exact_pair(ct__op op, long double x, long double y)
{
    return op == CT__OP_power ? powl(x, y) : op == CT__OP_atan2 ? atan2l(x, y) : fmodl(x, y);
}
#endif
