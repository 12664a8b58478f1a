/* Values of functions for judging machine numerics: by MPFR with 200 bits, rounded to long double;
 * in a build without it, those of the C library in long double. */
#ifndef CT_TESTS_WITNESS_H
#define CT_TESTS_WITNESS_H

#include "ops/ops.h"

/* Of an elementary operation of one operand. */
long double exact_value(ct__op op, long double x);
/* Of power, atan2 or remainder. */
long double exact_pair(ct__op op, long double x, long double y);

/* exec/kernel/bounds.def: of f32 or f64, in units of the last place; infinite without a row. */
double stated_bound(ct__op op, ct_dtype dtype);

#endif
