#include "interop/stablehlo/read_values.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- A number as it stands in the text. */

typedef struct token {
    const char *at;     /* of the sign or the first digit */
    const char *digits; /* behind the sign and 0x */
    const char *end;
    bool negative, is_hex, has_point;
} token;

static bool is_hex_digit(char c)
{
    return ct__is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static void skip_digits(ct__reader *r)
{
    while (ct__is_digit(ct__char(r)))
        r->cursor.at++;
}

static char second_char(const ct__reader *r)
{
    return r->cursor.end - r->cursor.at > 1 ? r->cursor.at[1] : '\0';
}

/* ".5e-3", of which the exponent may be missing, and digits behind the point too. */
static bool scan_fraction(ct__reader *r)
{
    r->cursor.at++;
    skip_digits(r);
    if (ct__char(r) != 'e' && ct__char(r) != 'E')
        return true;
    r->cursor.at++;
    if (ct__char(r) == '-' || ct__char(r) == '+')
        r->cursor.at++;
    if (!ct__is_digit(ct__char(r)))
        return ct__read_expected(r, "digits of an exponent");
    skip_digits(r);
    return true;
}

static bool scan(ct__reader *r, token *t)
{
    ct__skip_blanks(r);
    *t = (token){.at = r->cursor.at, .negative = ct__char(r) == '-'};
    if (t->negative)
        r->cursor.at++;
    if (!ct__is_digit(ct__char(r))) {
        r->cursor.at = t->at;
        return ct__read_expected(r, "a number");
    }
    t->digits = r->cursor.at;
    t->is_hex = ct__char(r) == '0' && second_char(r) == 'x';
    if (t->is_hex) {
        t->digits = r->cursor.at += 2;
        while (is_hex_digit(ct__char(r)))
            r->cursor.at++;
        if (r->cursor.at == t->digits)
            return ct__read_expected(r, "hexadecimal digits");
    } else {
        skip_digits(r);
        t->has_point = ct__char(r) == '.';
        if (t->has_point && !scan_fraction(r))
            return false;
    }
    t->end = r->cursor.at;
    if (ct__is_letter(ct__char(r)))
        return ct__read_expected(r, "the end of the number");
    return true;
}

static bool fail_fit(ct__reader *r, const token *t, ct_dtype dtype)
{
    size_t length = (size_t)(t->end - t->at);
    return ct__read_fail(r, t->at, "%.*s%s does not fit into %s", (int)(length < 40 ? length : 40),
                         t->at, length < 40 ? "" : "…", ct_dtype_name(dtype));
}

/* ---- Integers. */

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
}

/* The magnitude; false when it needs more than 64 bits. */
static bool magnitude(const token *t, uint64_t *value)
{
    const uint64_t base = t->is_hex ? 16 : 10;
    *value = 0;
    for (const char *c = t->digits; c < t->end; c++)
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit_value(*c), value))
            return false;
    return true;
}

/* Signed integers take the patterns of unsigned ones too: 255 is -1 in 8 bits. */
static bool store_integer(ct_dtype dtype, bool negative, uint64_t value, void *element)
{
    const uint64_t most = ct__integer_max(dtype);
    const uint64_t all = ct_dtype_is_signed(dtype) ? 2 * most + 1 : most;
    if (negative && value > 0) {
        uint64_t limit = UINT64_C(0) - (uint64_t)ct__integer_min(dtype);
        return value <= limit && ct__store_signed(dtype, element, -(int64_t)(value - 1) - 1);
    }
    if (value > all)
        return false;
    if (value > most)
        return ct__store_signed(dtype, element, -(int64_t)(all - value) - 1);
    return ct__store_unsigned(dtype, element, value);
}

static bool read_integer(ct__reader *r, ct_dtype dtype, void *element)
{
    token t;
    uint64_t value;
    if (!scan(r, &t))
        return false;
    if (t.has_point)
        return ct__read_fail(r, t.at, "expected an integer, found a float");
    if (!magnitude(&t, &value) || !store_integer(dtype, t.negative, value, element))
        return fail_fit(r, &t, dtype);
    return true;
}

/* ---- Decimals: m·10^e is exact in double arithmetic when m < 2^53 and |e| <= 22. Otherwise strtod
 * sees an integer and an exponent, "15e-1": the decimal point is the locale's, these are not. 768
 * digits decide every rounding; of more, it only matters whether all the others are 0. */

#define MAX_DIGITS 800

typedef struct decimal {
    char text[MAX_DIGITS + 32]; /* digits without leading zeros */
    size_t n_digits;
    bool more; /* a digit that is not 0 was left out */
    int64_t exponent;
} decimal;

static void add_digit(decimal *d, char c)
{
    if (d->n_digits < MAX_DIGITS) {
        if (d->n_digits > 0 || c != '0')
            d->text[d->n_digits++] = c;
        return;
    }
    d->more = d->more || c != '0';
    d->exponent++;
}

static int64_t exponent_of(const char *c, const char *end)
{
    bool negative = c < end && *c == '-';
    int64_t exponent = 0;
    for (c += c < end && (*c == '-' || *c == '+'); c < end; c++)
        exponent = exponent < 1000000 ? 10 * exponent + (*c - '0') : exponent;
    return negative ? -exponent : exponent;
}

static void to_decimal(const token *t, decimal *d)
{
    const char *c = t->digits;
    d->n_digits = 0;
    d->more = false;
    d->exponent = 0;
    for (; c < t->end && ct__is_digit(*c); c++)
        add_digit(d, *c);
    if (c < t->end && *c == '.')
        for (c++; c < t->end && ct__is_digit(*c); c++) {
            add_digit(d, *c);
            d->exponent--;
        }
    if (c < t->end)
        d->exponent += exponent_of(c + 1, t->end);
}

static double slow_value(decimal *d)
{
    if (d->more)
        d->text[d->n_digits - 1] |= 1; /* '0' and '5' could tie: then the rest decides */
    int64_t e = d->exponent > 100000 ? 100000 : d->exponent < -100000 ? -100000 : d->exponent;
    snprintf(d->text + d->n_digits, sizeof d->text - d->n_digits, "e%d", (int)e);
    return strtod(d->text, NULL);
}

static double decimal_value(const token *t)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal d;
    uint64_t m = 0;
    double value;
    to_decimal(t, &d);
    for (size_t i = 0; i < d.n_digits && i < 16; i++)
        m = 10 * m + (uint64_t)(d.text[i] - '0');
    if (d.n_digits == 0)
        value = 0;
    else if (d.n_digits > 15 || d.exponent < -22 || d.exponent > 22)
        value = slow_value(&d);
    else
        value = d.exponent < 0 ? (double)m / power[-d.exponent] : (double)m * power[d.exponent];
    return t->negative ? -value : value;
}

bool ct__read_decimal(ct__reader *r, double *value)
{
    token t;
    if (!scan(r, &t))
        return false;
    if (t.is_hex)
        return ct__read_fail(r, t.at, "expected a decimal number");
    *value = decimal_value(&t);
    return true;
}

bool ct__read_scalar(ct__reader *r, ct__scalar *scalar)
{
    token t;
    uint64_t value = 0;
    if (!scan(r, &t))
        return false;
    *scalar = (ct__scalar){.is_float = t.has_point, .is_hex = t.is_hex};
    if (t.has_point) {
        scalar->number = decimal_value(&t);
        return true;
    }
    if (!magnitude(&t, &value) || (t.negative && value > UINT64_C(1) << 63))
        return fail_fit(r, &t, t.negative ? CT_I64 : CT_U64);
    scalar->integer = (int64_t)(t.negative ? UINT64_C(0) - value : value);
    scalar->number = t.negative ? -(double)value : (double)value;
    return true;
}

/* ---- Floats. */

/* The low bytes of bits, in the machine's order. */
static void store_bits(size_t bytes, void *element, uint64_t bits)
{
    const uint8_t b1 = (uint8_t)bits;
    const uint16_t b2 = (uint16_t)bits;
    const uint32_t b4 = (uint32_t)bits;
    switch (bytes) {
    case 1: memcpy(element, &b1, 1); return;
    case 2: memcpy(element, &b2, 2); return;
    case 4: memcpy(element, &b4, 4); return;
    default: memcpy(element, &bits, 8); return;
    }
}

static bool read_float(ct__reader *r, ct_dtype dtype, void *element)
{
    token t;
    uint64_t bits;
    if (!scan(r, &t))
        return false;
    if (t.is_hex) {
        const unsigned width = ct__dtype_bits(dtype);
        if (t.negative)
            return ct__read_fail(r, t.at, "the bits of a float have no sign in front");
        if (!magnitude(&t, &bits) || (width < 64 && bits >> width))
            return fail_fit(r, &t, dtype);
        store_bits(ct_dtype_bytes(dtype), element, bits);
        return true;
    }
    if (!t.has_point)
        return ct__read_fail(r, t.at, "expected a float, found an integer: write %.*s.0",
                             (int)(t.end - t.at < 40 ? t.end - t.at : 40), t.at);
    return ct__store_double(dtype, element, decimal_value(&t)) || fail_fit(r, &t, dtype);
}

/* "(1.0, -2.0)" */
static bool read_complex(ct__reader *r, ct_dtype dtype, unsigned char *element)
{
    const ct_dtype part = dtype == CT_C64 ? CT_F32 : CT_F64;
    return ct__expect(r, "(") && read_float(r, part, element) && ct__expect(r, ",") &&
           read_float(r, part, element + ct_dtype_bytes(part)) && ct__expect(r, ")");
}

/* ---- All. */

static bool read_bool(ct__reader *r, void *element)
{
    if (ct__is_digit(ct__next_char(r)) || ct__char(r) == '-')
        return read_integer(r, CT_BOOL, element);
    bool value = ct__take(r, "true");
    if (!value && !ct__take(r, "false"))
        return ct__read_expected(r, "true or false");
    memcpy(element, &value, 1);
    return true;
}

bool ct__read_number(ct__reader *r, ct_dtype dtype, void *element)
{
    if (ct_dtype_is_complex(dtype))
        return read_complex(r, dtype, element);
    if (dtype == CT_BOOL)
        return read_bool(r, element);
    if (ct_dtype_is_integer(dtype))
        return read_integer(r, dtype, element);
    return read_float(r, dtype, element);
}
