#include "exec/interpret/special.h"

#include "exec/interpret/special_bessel.inc"

#include <math.h>

enum { TERMS = sizeof bessel_i1_series / sizeof *bessel_i1_series };

/* Up to 8 by the power series of I1, whose terms are all positive; beyond by a Chebyshev series in
 * 8/x of the slowly varying √x e^-x I1(x). */
double ct__bessel_i1e(double x)
{
    double size = fabs(x), sum = 0;

    if (size > 8)
        return copysign(CT__CHEBYSHEV(bessel_i1e_far, 16 / size - 1) / sqrt(size), x);
    for (int k = TERMS - 1; k >= 0; k--)
        sum = sum * (x * x) + bessel_i1_series[k];
    return x * sum * exp(-size);
}
