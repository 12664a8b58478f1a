/* Numbers for tests of arithmetic, by means that share nothing with the library's: integers in 128
 * bits, f16 and bf16 as lists of their values, rounding by search. */
#ifndef CT_TESTS_EXACT_H
#define CT_TESTS_EXACT_H

#include <cotangent/dtype.h>

/* ---- Integers. */

__extension__ typedef __int128 exact_wide;
__extension__ typedef unsigned __int128 exact_unsigned_wide;

typedef struct exact_integer {
    ct_dtype dtype;
    int bits;
    bool is_signed;
} exact_integer;

enum { EXACT_INTEGERS = 12 };
extern const exact_integer exact_integers[EXACT_INTEGERS];
const exact_integer *exact_integer_of(ct_dtype dtype); /* NULL for other dtypes */

/* The low bits of x, as the type reads them. */
exact_wide exact_wrap(const exact_integer *t, exact_wide x);
/* The product's low 128 bits. */
exact_wide exact_times(exact_wide x, exact_wide y);
exact_wide exact_smallest(const exact_integer *t);
exact_wide exact_largest(const exact_integer *t);
void exact_put_integer(const exact_integer *t, void *element, exact_wide x);
exact_wide exact_take_integer(const exact_integer *t, const void *element);

/* ---- Floats. */

typedef struct exact_format {
    ct_dtype dtype;
    int digits, least; /* significant bits; exponent of the smallest subnormal */
    double *value;     /* of every pattern of bits */
} exact_format;

extern const exact_format exact_f16, exact_bf16;
double exact_decode(const exact_format *f, uint16_t bits);
/* The nearest value of the format, ties to even. */
double exact_round_to(const exact_format *f, long double x);

/* The four float dtypes. */
extern const ct_dtype exact_floats[4];
double exact_take(ct_dtype dtype, const void *element);
void exact_put(ct_dtype dtype, void *element, double x); /* x must be one of the dtype's values */
double exact_round_in(ct_dtype dtype, long double x);
/* Equal with the same sign of zero, or both NaN. */
bool exact_same(double x, double y);

/* Values where something happens: zeros, ties, ends of ranges, infinities, NaN. */
enum { EXACT_EDGES = 31 };
void exact_float_edge_values(ct_dtype dtype, double *x);

/* An element of any real dtype. */
long double exact_take_any(ct_dtype dtype, const void *element);

#endif
