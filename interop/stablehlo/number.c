#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Significant digits that tell any two values of f64 apart. */
#define MAX_DIGITS 17

/* A decimal as snprintf and strtod of one locale see it, and its digits alone. */
typedef struct decimal {
    char text[64];
    char digit[MAX_DIGITS + 1];
    int n_digits;
    int exponent; /* value = d.ddd·10^exponent */
    bool negative;
} decimal;

/* The decimal point is whatever stands between the digits, so the locale does not matter. */
static void to_decimal(double value, int n_digits, decimal *d)
{
    snprintf(d->text, sizeof d->text, "%.*e", n_digits - 1, value);
    const char *c = d->text;
    d->negative = *c == '-';
    d->n_digits = 0;
    for (; *c != 'e' && *c != '\0'; c++)
        if (*c >= '0' && *c <= '9' && d->n_digits < MAX_DIGITS)
            d->digit[d->n_digits++] = *c;
    d->digit[d->n_digits] = '\0';
    d->exponent = *c == 'e' ? (int)strtol(c + 1, NULL, 10) : 0;
}

/* Decimals are read as f64 and then rounded to the dtype. */
static bool reads_back(const decimal *d, ct_dtype dtype, const void *element)
{
    unsigned char read[sizeof(double)];
    return ct__store_double(dtype, read, strtod(d->text, NULL)) &&
           memcmp(read, element, ct_dtype_bytes(dtype)) == 0;
}

/* A float literal has a point: 0.001, 120.0, 1.5e-09. */
static void print_decimal(const decimal *d, char *buffer)
{
    const char *sign = d->negative ? "-" : "", *digit = d->digit;
    int n = d->n_digits, e = d->exponent;
    if (e < -5 || e > 15)
        snprintf(buffer, CT__NUMBER_BYTES, "%s%c.%se%+03d", sign, digit[0], n > 1 ? digit + 1 : "0",
                 e);
    else if (e < 0)
        snprintf(buffer, CT__NUMBER_BYTES, "%s0.%.*s%s", sign, -e - 1, "0000", digit);
    else if (e + 1 < n)
        snprintf(buffer, CT__NUMBER_BYTES, "%s%.*s.%s", sign, e + 1, digit, digit + e + 1);
    else
        snprintf(buffer, CT__NUMBER_BYTES, "%s%s%.*s.0", sign, digit, e + 1 - n, "000000000000000");
}

/* The element's bits as an unsigned number, whatever the order of its bytes. */
static uint64_t bits_of(const void *element, size_t bytes)
{
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;
    switch (bytes) {
    case 1: return memcpy(&b1, element, 1), b1;
    case 2: return memcpy(&b2, element, 2), b2;
    case 4: return memcpy(&b4, element, 4), b4;
    default: return memcpy(&b8, element, 8), b8;
    }
}

/* NaN and infinities are bit patterns as wide as the type. */
static void print_float(ct_dtype dtype, const void *element, char *buffer)
{
    double value = ct__load_double(dtype, element);
    size_t bytes = ct_dtype_bytes(dtype);
    decimal d;
    if (!isfinite(value)) {
        snprintf(buffer, CT__NUMBER_BYTES, "0x%0*" PRIX64, (int)(2 * bytes),
                 bits_of(element, bytes));
        return;
    }
    for (int digits = 1; digits <= MAX_DIGITS; digits++) {
        to_decimal(value, digits, &d);
        if (reads_back(&d, dtype, element))
            break;
    }
    print_decimal(&d, buffer);
}

static void print_complex(ct_dtype part, const void *element, char *buffer)
{
    char re[CT__NUMBER_BYTES], im[CT__NUMBER_BYTES];
    print_float(part, element, re);
    print_float(part, (const unsigned char *)element + ct_dtype_bytes(part), im);
    snprintf(buffer, CT__NUMBER_BYTES, "(%.34s,%.34s)", re, im);
}

static void print_integer(ct_dtype dtype, const void *element, char *buffer)
{
    size_t bytes = ct_dtype_bytes(dtype);
    uint64_t bits = bits_of(element, bytes);
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    if (ct_dtype_is_signed(dtype) && (bits & sign)) /* the magnitude of -2^63 needs all 64 bits */
        snprintf(buffer, CT__NUMBER_BYTES, "-%" PRIu64, sign - (bits & (sign - 1)));
    else
        snprintf(buffer, CT__NUMBER_BYTES, "%" PRIu64, bits);
}

const char *ct__print_number(ct_dtype dtype, const void *element, char buffer[CT__NUMBER_BYTES])
{
    if (dtype == CT_BOOL)
        snprintf(buffer, CT__NUMBER_BYTES, "%s", bits_of(element, 1) ? "true" : "false");
    else if (ct_dtype_is_integer(dtype))
        print_integer(dtype, element, buffer);
    else if (dtype == CT_C64 || dtype == CT_C128)
        print_complex(dtype == CT_C64 ? CT_F32 : CT_F64, element, buffer);
    else
        print_float(dtype, element, buffer);
    return buffer;
}
