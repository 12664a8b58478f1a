#include "probe/checks.h"

#include <math.h>
#include <string.h>

/* ---- Floats as ordered bits. */

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

/* The highest bit, where the dtype has a sign. */
static uint64_t sign_bit(ct_dtype dtype)
{
    return dtype == CT_F8E8M0FNU ? 0 : UINT64_C(1) << (ct__dtype_bits(dtype) - 1);
}

/* Steps between neighbours: magnitudes on both sides of zero add up, on one side they subtract. */
static uint64_t float_ulps(ct_dtype dtype, const void *x, const void *y)
{
    size_t bytes = ct_dtype_bytes(dtype);
    double f = ct__load_double(dtype, x), g = ct__load_double(dtype, y);
    uint64_t a = bits_of(x, bytes), b = bits_of(y, bytes), sign = sign_bit(dtype);
    if (a == b || (isnan(f) && isnan(g)))
        return 0;
    if (!isfinite(f) || !isfinite(g))
        return CT__ULPS_FAR;
    bool opposite = ((a ^ b) & sign) != 0;
    a &= ~sign;
    b &= ~sign;
    return opposite ? a + b : a > b ? a - b : b - a;
}

static double float_distance(ct_dtype dtype, const void *x, const void *y)
{
    double f = ct__load_double(dtype, x), g = ct__load_double(dtype, y);
    if (f == g || (isnan(f) && isnan(g)))
        return 0;
    return isfinite(f) && isfinite(g) ? fabs(f - g) : INFINITY;
}

/* ---- Complex elements: part by part. */

typedef struct parts {
    ct_dtype dtype;
    size_t count, bytes;
} parts;

static parts parts_of(ct_dtype dtype)
{
    if (!ct_dtype_is_complex(dtype))
        return (parts){dtype, 1, ct_dtype_bytes(dtype)};
    ct_dtype part = dtype == CT_C64 ? CT_F32 : CT_F64;
    return (parts){part, 2, ct_dtype_bytes(part)};
}

uint64_t ct__ulps(ct_dtype dtype, const void *x, const void *y)
{
    parts p = parts_of(dtype);
    uint64_t worst = 0;
    for (size_t i = 0; i < p.count; i++) {
        uint64_t ulps = float_ulps(p.dtype, (const char *)x + i * p.bytes,
                                   (const char *)y + i * p.bytes);
        worst = ulps > worst ? ulps : worst;
    }
    return worst;
}

double ct__distance(ct_dtype dtype, const void *x, const void *y)
{
    parts p = parts_of(dtype);
    double worst = 0;
    for (size_t i = 0; i < p.count; i++)
        worst = fmax(worst, float_distance(p.dtype, (const char *)x + i * p.bytes,
                                           (const char *)y + i * p.bytes));
    return worst;
}

/* ---- Rules. */

/* Integers and bools have one representation of each value. */
static bool is_exact(ct_dtype dtype)
{
    return dtype == CT_BOOL || ct_dtype_is_integer(dtype);
}

static bool keeps(const ct__rule *rule, ct_dtype dtype, const void *x, const void *y)
{
    if (memcmp(x, y, ct_dtype_bytes(dtype)) == 0)
        return rule->kind != CT__RULE_CLOSE || rule->low == 0;
    if (is_exact(dtype))
        return false;
    switch (rule->kind) {
    case CT__RULE_EQUAL: return ct__distance(dtype, x, y) == 0;
    case CT__RULE_CLOSE: {
        uint64_t ulps = ct__ulps(dtype, x, y);
        return rule->low <= ulps && ulps <= rule->high;
    }
    case CT__RULE_ALMOST: return ct__distance(dtype, x, y) <= rule->tolerance;
    }
    return false;
}

ct__difference ct__compare(const ct__rule *rule, const ct_type *type, const void *x, const void *y)
{
    ct__difference difference = {0, 0};
    size_t bytes = ct_dtype_bytes(type->dtype);
    const char *a = x, *b = y;
    for (int64_t i = 0; i < type->size; i++, a += bytes, b += bytes)
        if (!keeps(rule, type->dtype, a, b) && difference.count++ == 0)
            difference.first = i;
    return difference;
}
