#include "trace/format.h"

#include "ops/type.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Digits. */

void ct__digits_round(double value, int count, ct__digits *digits)
{
    char text[64];
    const char *p = text;

    snprintf(text, sizeof text, "%.*e", count - 1, fabs(value));
    digits->negative = signbit(value);
    digits->count = 0;
    for (; *p && *p != 'e'; p++) /* skips the decimal point, whatever the locale makes it */
        if (*p >= '0' && *p <= '9' && digits->count < (int)sizeof digits->digit)
            digits->digit[digits->count++] = *p;
    digits->exponent = (int)strtol(p + 1, NULL, 10);
    while (digits->count > 1 && digits->digit[digits->count - 1] == '0')
        digits->count--;
}

/* One unit more in the last of `count` places. */
static void increment(ct__digits *digits, int count)
{
    int i = count - 1;

    while (digits->count < count)
        digits->digit[digits->count++] = '0';
    while (i >= 0 && digits->digit[i] == '9')
        i--;
    if (i < 0) {
        digits->digit[0] = '1';
        digits->exponent++;
    } else {
        digits->digit[i]++;
    }
    digits->count = i < 0 ? 1 : i + 1;
}

/* Whether reading the digits as the dtype gives the value. The text is digits and an exponent: a
 * decimal point would depend on the locale. */
static bool reads_back(ct_dtype dtype, double value, const ct__digits *digits)
{
    char text[64];

    snprintf(text, sizeof text, "%s%.*se%d", digits->negative ? "-" : "", digits->count,
             digits->digit, digits->exponent - digits->count + 1);
    switch ((int)dtype) {
    case CT_F16: return ct__f16_to_f32(ct__f64_to_f16(strtod(text, NULL))) == (float)value;
    case CT_BF16: return ct__bf16_to_f32(ct__f64_to_bf16(strtod(text, NULL))) == (float)value;
    case CT_F32: return strtof(text, NULL) == (float)value;
    default:
        if (ct__is_small_float(dtype))
            return ct__small_float_load(dtype, ct__small_float_store(dtype, strtod(text, NULL))) ==
                   value;
        return strtod(text, NULL) == value;
    }
}

/* Above a power of two the numbers are twice as far apart as below: there the next number of
 * `count` digits may read back where the nearest one does not. */
void ct__digits_shortest(ct_dtype dtype, double value, ct__digits *digits)
{
    int ignored;
    bool power_of_two = fabs(frexp(value, &ignored)) == 0.5;

    for (int count = 1; count <= 17; count++) {
        ct__digits_round(value, count, digits);
        if (reads_back(dtype, value, digits))
            return;
        if (power_of_two) {
            increment(digits, count);
            if (reads_back(dtype, value, digits))
                return;
        }
    }
}

/* ---- Text. */

int ct__write_positional(const ct__digits *digits, int places, char *out)
{
    char *p = out;
    int filled = digits->count - 1 - digits->exponent; /* places that the digits reach */
    int last = filled > places ? filled : places;

    if (digits->negative)
        *p++ = '-';
    for (int k = digits->exponent > 0 ? digits->exponent : 0; k >= 0 || k >= -last; k--) {
        int i = digits->exponent - k; /* the digit of 10^k */

        *p++ = i >= 0 && i < digits->count ? digits->digit[i] : '0';
        if (k == 0)
            *p++ = '.';
    }
    *p = 0;
    return (int)(p - out);
}

int ct__write_scientific(const ct__digits *digits, int places, int exponent_digits, char *out)
{
    char *p = out;
    int fraction = digits->count - 1;

    if (digits->negative)
        *p++ = '-';
    *p++ = digits->digit[0];
    *p++ = '.';
    memcpy(p, digits->digit + 1, (size_t)fraction);
    p += fraction;
    for (; fraction < places; fraction++)
        *p++ = '0';
    p += snprintf(p, 16, "e%c%0*d", digits->exponent < 0 ? '-' : '+', exponent_digits,
                  abs(digits->exponent));
    return (int)(p - out);
}

double ct__exponent_cutoff(ct_dtype dtype)
{
    switch ((int)dtype) {
    case CT_F16: return 1e3;
    case CT_BF16: return 1e2;
    case CT_F32: return 1e6;
    default: return ct__is_small_float(dtype) ? 1e3 : 1e16;
    }
}

int ct__format_number(ct_dtype dtype, double value, char *out)
{
    ct__digits digits;

    if (isnan(value))
        return snprintf(out, CT__NUMBER_TEXT, "nan");
    if (isinf(value))
        return snprintf(out, CT__NUMBER_TEXT, value < 0 ? "-inf" : "inf");
    ct__digits_shortest(dtype, value, &digits);
    if (value == 0 || (fabs(value) >= 1e-4 && fabs(value) < ct__exponent_cutoff(dtype))) {
        int length = ct__write_positional(&digits, 0, out);

        if (out[length - 1] == '.')
            out[--length] = 0;
        return length;
    }
    int length = ct__write_scientific(&digits, 0, 2, out);
    char *point = strstr(out, ".e");
    if (point) {
        memmove(point, point + 1, strlen(point));
        length--;
    }
    return length;
}

const char *ct__element_text(ct_dtype dtype, const void *element, char buffer[CT__ELEMENT_TEXT])
{
    char re[CT__NUMBER_TEXT], im[CT__NUMBER_TEXT];
    if (dtype == CT_BOOL) {
        snprintf(buffer, CT__ELEMENT_TEXT, "%s", *(const uint8_t *)element ? "true" : "false");
    } else if (ct_dtype_is_integer(dtype)) {
        int64_t value = (int64_t)ct__load_integer(dtype, element);
        snprintf(buffer, CT__ELEMENT_TEXT, ct_dtype_is_signed(dtype) ? "%" PRId64 : "%" PRIu64,
                 value);
    } else if (ct_dtype_is_complex(dtype)) {
        ct_dtype part = dtype == CT_C64 ? CT_F32 : CT_F64;
        const void *imaginary = (const char *)element + ct_dtype_bytes(part);
        ct__format_number(part, ct__load_double(part, element), re);
        ct__format_number(part, ct__load_double(part, imaginary), im);
        snprintf(buffer, CT__ELEMENT_TEXT, "(%s, %s)", re, im);
    } else {
        ct__format_number(dtype, ct__load_double(dtype, element), buffer);
    }
    return buffer;
}
