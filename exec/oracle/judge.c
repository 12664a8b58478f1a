/* How far machine elements are from numbers. */
#include "exec/oracle/oracle.h"

#include <math.h>

typedef struct layout {
    int digits, least; /* significant bits; exponent of the smallest normal number */
} layout;

static layout layout_of(ct_dtype dtype)
{
    switch (dtype) {
    case CT_F64: return (layout){53, -1022};
    case CT_F32: return (layout){24, -126};
    case CT_F16: return (layout){11, -14};
    case CT_BF16: return (layout){8, -126};
    case CT_F4E2M1FN: return (layout){2, 0};
    case CT_F6E2M3FN: return (layout){4, 0};
    case CT_F6E3M2FN: return (layout){3, -2};
    case CT_F8E3M4: return (layout){5, -2};
    case CT_F8E4M3:
    case CT_F8E4M3FN: return (layout){4, -6};
    case CT_F8E4M3FNUZ: return (layout){4, -7};
    case CT_F8E4M3B11FNUZ: return (layout){4, -10};
    case CT_F8E5M2: return (layout){3, -14};
    case CT_F8E5M2FNUZ: return (layout){3, -15};
    default: return (layout){1, -127}; /* f8E8M0FNU */
    }
}

/* The exponent of the unit in the last place: of the dtype's numbers around x, subnormal ones too.
 */
static int unit_of(layout f, mpfr_srcptr x)
{
    const long exponent = mpfr_zero_p(x) ? f.least : mpfr_get_exp(x) - 1;

    return (int)(exponent < f.least ? f.least : exponent) - (f.digits - 1);
}

static ct__error_of both(double size)
{
    return (ct__error_of){size, fabs(size), 0};
}

ct__error_of ct__error_from(ct_dtype dtype, const void *machine, ct__number exact)
{
    ct__numbers *n = ct__numbers_now();
    const double x = ct__load_double(dtype, machine);
    unsigned char rounded[16];
    bool is_exact = true;
    mpfr_srcptr y = ct__real_of(exact, n->u, &is_exact);
    ct__error_of error;

    ct__store_numbers(dtype, 1, rounded, &exact);
    if (!isfinite(x) || !mpfr_number_p(y)) {
        const double z = ct__load_double(dtype, rounded);
        return both(x == z || (isnan(x) && isnan(z)) ? 0 : (double)INFINITY);
    }
    if (n->how.is_exact) {
        mpq_set_d(n->p, x);
        mpq_sub(n->p, n->p, ct__cell_of(exact)->rational);
        mpfr_set_q(n->t, n->p, MPFR_RNDN);
    } else {
        mpfr_d_sub(n->t, x, y, MPFR_RNDN);
    }
    error.difference = mpfr_get_d(n->t, MPFR_RNDN);
    error.unit = unit_of(layout_of(dtype), y);
    mpfr_mul_2si(n->t, n->t, -error.unit, MPFR_RNDN);
    error.ulps = fabs(mpfr_get_d(n->t, MPFR_RNDN));
    return error;
}
