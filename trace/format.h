/* Floating-point numbers as decimal text, independent of the locale. */
#ifndef CT_TRACE_FORMAT_H
#define CT_TRACE_FORMAT_H

#include <cotangent/dtype.h>

/* ±d.ddd… × 10^exponent, without trailing zeros; zero is one digit 0 with exponent 0. */
typedef struct ct__digits {
    bool negative;
    int count;
    int exponent;
    char digit[24]; /* '0' … '9', `count` of them */
} ct__digits;

/* The fewest digits that read back to the finite value in the float dtype, and of these the
 * nearest. */
void ct__digits_shortest(ct_dtype dtype, double value, ct__digits *digits);
/* The nearest number of at most `count` (1 to 17) digits, ties to even. */
void ct__digits_round(double value, int count, ct__digits *digits);

#define CT__NUMBER_TEXT 64 /* bytes for any text below, the final 0 included */

/* "-12.5", "3.", "0.001": always a point, then at least `places` digits. |exponent| is below 20.
 * The length is returned. */
int ct__write_positional(const ct__digits *digits, int places, char *out);
/* "-1.25e+01", "3.e-310": always a point, at least `places` digits behind it, and at least
 * `exponent_digits` in the exponent. */
int ct__write_scientific(const ct__digits *digits, int places, int exponent_digits, char *out);

/* The first magnitude that a scalar writes with an exponent: 10 to the digits that the dtype keeps.
 */
double ct__exponent_cutoff(ct_dtype dtype);

/* A value of a float dtype alone, as NumPy writes its scalars but for ".0": "300", "0.1", "1e+16",
 * "-0", "nan", "-inf". The length is returned. */
int ct__format_number(ct_dtype dtype, double value, char *out);

#define CT__ELEMENT_TEXT 160
/* An element of any dtype: "0.5", "-3", "true", "nan", "(1, -0.5)". Returns buffer. */
const char *ct__element_text(ct_dtype dtype, const void *element, char buffer[CT__ELEMENT_TEXT]);

#endif
