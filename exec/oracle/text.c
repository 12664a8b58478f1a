/* Numbers as text. */
#include "exec/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fixed notation for exponents of ten in this range. */
enum { LEAST_FIXED = -5, MOST_FIXED = 21 };

/* ---- Decimals. */

/* Digits d, the first with the value d · 10^exponent. */
static void add_digits(ct__text *text, const char *d, long exponent)
{
    const long count = (long)strlen(d);

    if (exponent < LEAST_FIXED || exponent >= MOST_FIXED) {
        ct__text_add(text, "%.1s%s%s", d, count > 1 ? "." : "", d + 1);
        ct__text_add(text, "e%+ld", exponent);
        return;
    }
    if (exponent < 0)
        ct__text_add(text, "0.%.*s%s", (int)(-exponent - 1), "0000000", d);
    else if (exponent + 1 >= count)
        ct__text_add(text, "%s%.*s", d, (int)(exponent + 1 - count), "0000000000000000000000");
    else
        ct__text_add(text, "%.*s.%s", (int)(exponent + 1), d, d + exponent + 1);
}

static size_t digits_of(size_t bits)
{
    return 1 + (size_t)ceil((double)bits * 0.30103);
}

/* To so many digits, zeros at the end left out. */
static void add_decimal(ct__text *text, mpfr_srcptr x, int digits, mpfr_rnd_t round)
{
    mpfr_exp_t exponent = 0;
    char *d = mpfr_get_str(NULL, &exponent, 10,
                           digits > 0 ? (size_t)digits : digits_of((size_t)mpfr_get_prec(x)), x,
                           round);
    const bool is_negative = d && d[0] == '-';

    if (!d) {
        text->failed = true;
        return;
    }
    for (size_t n = strlen(d); n > 1 + (size_t)is_negative && d[n - 1] == '0';)
        d[--n] = '\0';
    ct__text_add(text, "%s", is_negative ? "-" : "");
    add_digits(text, d + is_negative, exponent - 1);
    mpfr_free_str(d);
}

/* How often p divides x; x is what is left. */
static unsigned long take_out(mpz_ptr x, unsigned long p)
{
    mpz_t factor;
    unsigned long count;

    mpz_init_set_ui(factor, p);
    count = mpz_remove(x, x, factor);
    mpz_clear(factor);
    return count;
}

/* How many digits the decimals of x have, where its denominator is 2^a 5^b; 0 where they do not
 * end, or not soon. */
static size_t ends_after(mpq_srcptr x)
{
    enum { MOST = 10000 };
    unsigned long twos, fives;
    size_t digits;
    mpz_t rest;

    mpz_init_set(rest, mpq_denref(x));
    twos = take_out(rest, 2);
    fives = take_out(rest, 5);
    digits = (twos > fives ? twos : fives) + mpz_sizeinbase(mpq_numref(x), 10);
    if (mpz_cmp_ui(rest, 1) != 0 || digits > MOST)
        digits = 0;
    mpz_clear(rest);
    return digits;
}

/* In full, or cut: then all digits are x's own. */
static void add_quotient(ct__text *text, mpq_srcptr x, int digits)
{
    ct__numbers *n = ct__numbers_now();
    const size_t end = ends_after(x), own = end ? end : digits_of(n->how.bits) - 2;
    mpfr_t rounded;

    mpfr_init2(rounded, (mpfr_prec_t)(4 * own + 128));
    mpfr_set_q(rounded, x, MPFR_RNDN);
    add_decimal(text, rounded, digits > 0 ? digits : (int)own, digits > 0 ? MPFR_RNDN : MPFR_RNDZ);
    ct__text_add(text, "%s", end ? "" : "…");
    mpfr_clear(rounded);
}

/* ---- Other forms. */

static void add_integer(ct__text *text, mpz_srcptr x, int base)
{
    char *digits = mpz_get_str(NULL, base, x);
    void (*release)(void *, size_t);

    if (!digits) {
        text->failed = true;
        return;
    }
    ct__text_add(text, "%s%s%s", *digits == '-' ? "-" : "", base == 16 ? "0x" : "",
                 digits + (*digits == '-'));
    mp_get_memory_functions(NULL, NULL, &release);
    release(digits, strlen(digits) + 1);
}

static void add_fraction(ct__text *text, mpq_srcptr x, int base)
{
    add_integer(text, mpq_numref(x), base);
    if (mpz_cmp_ui(mpq_denref(x), 1) == 0)
        return;
    ct__text_add(text, "/");
    add_integer(text, mpq_denref(x), base);
}

static void add_hex(ct__text *text, mpfr_srcptr x)
{
    char *digits = NULL;

    if (mpfr_asprintf(&digits, "%Ra", x) < 0)
        text->failed = true;
    else
        ct__text_add(text, "%s", digits);
    if (digits)
        mpfr_free_str(digits);
}

static void add_quotient_in_hex(ct__text *text, mpq_srcptr x)
{
    mpfr_t exact;

    mpfr_init2(exact, (mpfr_prec_t)(mpz_sizeinbase(mpq_numref(x), 2) + 1));
    if (mpfr_set_q(exact, x, MPFR_RNDN) == 0)
        add_hex(text, exact);
    else
        add_fraction(text, x, 16);
    mpfr_clear(exact);
}

static void add_real(ct__text *text, mpfr_srcptr x, ct_number_form form, int digits)
{
    ct__numbers *n = ct__numbers_now();

    if (mpfr_nan_p(x)) {
        ct__text_add(text, "nan");
    } else if (mpfr_inf_p(x)) {
        ct__text_add(text, mpfr_sgn(x) < 0 ? "-inf" : "inf");
    } else if (form == CT_HEX) {
        add_hex(text, x);
    } else if (mpfr_zero_p(x)) {
        ct__text_add(text, mpfr_signbit(x) ? "-0" : "0");
    } else if (form == CT_FRACTION) {
        mpfr_get_q(n->p, x);
        add_fraction(text, n->p, 10);
    } else {
        add_decimal(text, x, digits, MPFR_RNDN);
    }
}

void ct__add_number(ct__text *text, ct__number x, ct_number_form form, int digits)
{
    const ct__cell *cell = ct__cell_of(x);

    if (cell->kind == CT__CELL_REAL)
        add_real(text, cell->real, form, digits);
    else if (form == CT_FRACTION || mpq_sgn(cell->rational) == 0)
        add_fraction(text, cell->rational, 10);
    else if (form == CT_HEX)
        add_quotient_in_hex(text, cell->rational);
    else
        add_quotient(text, cell->rational, digits);
}
