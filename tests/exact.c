#include "tests/exact.h"

#include <math.h>
#include <string.h>

/* ---- Integers. */

const exact_integer exact_integers[] = {
    {CT_I8, 8, true},  {CT_I16, 16, true},  {CT_I32, 32, true},  {CT_I64, 64, true},
    {CT_U8, 8, false}, {CT_U16, 16, false}, {CT_U32, 32, false}, {CT_U64, 64, false},
    {CT_I2, 2, true},  {CT_I4, 4, true},    {CT_U2, 2, false},   {CT_U4, 4, false}};

exact_wide exact_wrap(const exact_integer *t, exact_wide x)
{
    exact_wide modulus = (exact_wide)1 << t->bits, low = ((x % modulus) + modulus) % modulus;
    return t->is_signed && low >= modulus / 2 ? low - modulus : low;
}

exact_wide exact_times(exact_wide x, exact_wide y)
{
    return (exact_wide)((exact_unsigned_wide)x * (exact_unsigned_wide)y);
}

exact_wide exact_smallest(const exact_integer *t)
{
    return t->is_signed ? -((exact_wide)1 << (t->bits - 1)) : 0;
}

exact_wide exact_largest(const exact_integer *t)
{
    return ((exact_wide)1 << (t->bits - t->is_signed)) - 1;
}

static size_t bytes_of(const exact_integer *t)
{
    return t->bits < 8 ? 1 : (size_t)t->bits / 8;
}

void exact_put_integer(const exact_integer *t, void *element, exact_wide x)
{
    uint64_t bits = (uint64_t)x;
    memcpy(element, &bits, bytes_of(t)); /* little-endian */
}

exact_wide exact_take_integer(const exact_integer *t, const void *element)
{
    uint64_t bits = 0;
    memcpy(&bits, element, bytes_of(t));
    if (t->bits < 8) /* the whole byte is the number */
        return t->is_signed ? (exact_wide)(int8_t)bits : (exact_wide)bits;
    return exact_wrap(t, (exact_wide)bits);
}

/* ---- Floats of 16 bits: every value, by the definition of the format. */

static double f16_values[1 << 16], bf16_values[1 << 16];
const exact_format exact_f16 = {CT_F16, 11, -24, f16_values};
const exact_format exact_bf16 = {CT_BF16, 8, -133, bf16_values};

static double value_of(const exact_format *f, uint16_t bits)
{
    int fraction_bits = f->digits - 1, exponent_bits = 15 - fraction_bits;
    int fraction = bits & ((1 << fraction_bits) - 1);
    int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    double sign = bits >> 15 ? -1 : 1;

    if (exponent == (1 << exponent_bits) - 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, f->least);
    return sign * ldexp(fraction + (1 << fraction_bits), f->least + exponent - 1);
}

__attribute__((constructor)) static void fill_formats(void)
{
    for (int bits = 0; bits < 1 << 16; bits++) {
        exact_f16.value[bits] = value_of(&exact_f16, (uint16_t)bits);
        exact_bf16.value[bits] = value_of(&exact_bf16, (uint16_t)bits);
    }
}

double exact_decode(const exact_format *f, uint16_t bits)
{
    return f->value[bits];
}

/* The nearest value of the format, ties to even: among magnitudes 0 … exact_largest, by their bits.
 */
double exact_round_to(const exact_format *f, long double x)
{
    if (x != x)
        return (double)NAN;
    long double magnitude = fabsl(x);
    int low = 0, high = (1 << 15) - (1 << (f->digits - 1)); /* high: infinity */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (exact_decode(f, (uint16_t)middle) <= (double)INFINITY &&
            (long double)exact_decode(f, (uint16_t)middle) <= magnitude)
            low = middle;
        else
            high = middle;
    }
    long double below = exact_decode(f, (uint16_t)low);
    long double above = ldexpl(
        1, f->least); /* the step after the exact_largest is as large as before it */
    if (exact_decode(f, (uint16_t)high) == (double)INFINITY)
        above = below + (below - exact_decode(f, (uint16_t)(low - 1)));
    else
        above = exact_decode(f, (uint16_t)high);
    int up = magnitude - below > above - magnitude ||
             (magnitude - below == above - magnitude && low % 2 == 1);
    if (magnitude == (long double)INFINITY)
        up = 1;
    double rounded = exact_decode(f, (uint16_t)(up ? low + 1 : low));
    return signbit(x) ? -rounded : rounded;
}

bool exact_same(double x, double y)
{
    return (isnan(x) && isnan(y)) || (x == y && signbit(x) == signbit(y));
}

double exact_take(ct_dtype dtype, const void *element)
{
    uint16_t bits;
    float f;
    double d;

    switch ((int)dtype) {
    case CT_F32: memcpy(&f, element, sizeof f); return (double)f;
    case CT_F64: memcpy(&d, element, sizeof d); return d;
    default:
        memcpy(&bits, element, sizeof bits);
        return exact_decode(dtype == CT_F16 ? &exact_f16 : &exact_bf16, bits);
    }
}

/* The value must be one of the dtype's. */
void exact_put(ct_dtype dtype, void *element, double x)
{
    float f = (float)x;

    if (dtype == CT_F64)
        memcpy(element, &x, sizeof x);
    else if (dtype == CT_F32)
        memcpy(element, &f, sizeof f);
    else
        for (int bits = 0; bits < 1 << 16; bits++) {
            uint16_t b = (uint16_t)bits;
            if (exact_same(exact_decode(dtype == CT_F16 ? &exact_f16 : &exact_bf16, b), x)) {
                memcpy(element, &b, sizeof b);
                return;
            }
        }
}

double exact_round_in(ct_dtype dtype, long double x)
{
    return dtype == CT_F64   ? (double)x
           : dtype == CT_F32 ? (double)(float)x
                             : exact_round_to(dtype == CT_F16 ? &exact_f16 : &exact_bf16, x);
}

const ct_dtype exact_floats[] = {CT_F16, CT_BF16, CT_F32, CT_F64};

/* ---- Edges. */

static const double float_edges[] = {
    0,       -0.0,     1,        -1,       0.5,      -0.5,           1.5,    -2.5,  3,      7,
    -8,      0.1,      1.0 / 3,  100,      -1000,    60000,          -65504, 1e30,  -1e-30, 0x1p-14,
    0x1p-24, -0x1p-25, 0x1p-126, 0x1p-133, 0x1p-149, 0x1.fffffep127, 2049,   1025.5};
_Static_assert(sizeof float_edges / sizeof *float_edges + 3 == EXACT_EDGES, "count the edges");

void exact_float_edge_values(ct_dtype dtype, double *x)
{
    size_t n = sizeof float_edges / sizeof *float_edges;

    for (size_t i = 0; i < n; i++)
        x[i] = exact_round_in(dtype, (long double)float_edges[i]);
    x[n] = (double)INFINITY;
    x[n + 1] = -(double)INFINITY;
    x[n + 2] = (double)NAN;
}

const exact_integer *exact_integer_of(ct_dtype dtype)
{
    for (int i = 0; i < EXACT_INTEGERS; i++)
        if (exact_integers[i].dtype == dtype)
            return &exact_integers[i];
    return NULL;
}

long double exact_take_any(ct_dtype dtype, const void *element)
{
    const exact_integer *t = exact_integer_of(dtype);
    if (dtype == CT_BOOL)
        return *(const unsigned char *)element;
    return t ? (long double)exact_take_integer(t, element)
             : (long double)exact_take(dtype, element);
}
