/* Which function CHLO's operations are. */
#include "exec/interpret/reference.h"
#include "exec/interpret/special.h"

#include <assert.h>
#include <math.h>

double (*ct__special_unary(ct__op op))(double)
{
    switch (op) {
    case CT__OP_acos: return acos;
    case CT__OP_acosh: return acosh;
    case CT__OP_asin: return asin;
    case CT__OP_asinh: return asinh;
    case CT__OP_atan: return atan;
    case CT__OP_atanh: return atanh;
    case CT__OP_bessel_i1e: return ct__bessel_i1e;
    case CT__OP_digamma: return ct__digamma;
    case CT__OP_erf_inv: return ct__erf_inv;
    case CT__OP_erfc: return erfc;
    case CT__OP_lgamma: return ct__lgamma;
    default: assert(false); return NULL; /* the table allows no other operation */
    }
}

double (*ct__special_binary(ct__op op))(double, double)
{
    switch (op) {
    case CT__OP_polygamma: return ct__polygamma;
    case CT__OP_zeta: return ct__zeta;
    default: assert(false); return NULL; /* the table allows no other operation */
    }
}
