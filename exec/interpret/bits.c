/* Parts of complex numbers, and operations on the bits of elements: independent of the arithmetic.
 */
#include "exec/interpret/interpret.h"

#include <assert.h>
#include <string.h>

/* ---- real, imag, complex: a complex element is its real part, then its imaginary part. */

static void fill_zeros(const ct__eval *q, size_t n, unsigned char *y)
{
    const ct_dtype dtype = q->out_type[0]->dtype;
    const bool zero = false;

    if (n == 0)
        return;
    q->numerics->convert(dtype, CT_BOOL, 1, y, &zero);
    ct__fill_elements(q->numerics->element_bytes(dtype), n - 1,
                      y + q->numerics->element_bytes(dtype), y);
}

bool ct__meaning_part(const ct__eval *q)
{
    const bool is_imag = q->op == CT__OP_imag,
               is_complex = ct_dtype_is_complex(q->in_type[0]->dtype);
    const size_t n = (size_t)q->in_type[0]->size;
    const size_t part = q->numerics->element_bytes(q->out_type[0]->dtype);
    unsigned char *y = q->out[0];
    const unsigned char *x = q->in[0];

    if (!is_complex && is_imag)
        fill_zeros(q, n, y);
    if (!is_complex && !is_imag)
        memcpy(y, x, n * part);
    for (size_t i = 0; is_complex && i < n; i++)
        memcpy(y + i * part, x + (2 * i + is_imag) * part, part);
    return true;
}

bool ct__meaning_complex(const ct__eval *q)
{
    const size_t n = (size_t)q->in_type[0]->size;
    const size_t part = q->numerics->element_bytes(q->in_type[0]->dtype);
    unsigned char *y = q->out[0];

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < 2; j++)
            memcpy(y + (2 * i + j) * part, (const unsigned char *)q->in[j] + i * part, part);
    return true;
}

/* ---- bitcast_convert. Elements below 8 bits fill a byte each: their bits are taken together. */

/* `count` elements of `bits` bits each as one string of bits, the first lowest; the string is
 * cleared. */
static void pack(ct_dtype dtype, size_t count, const unsigned char *x, unsigned char *string)
{
    const unsigned bits = ct__dtype_bits(dtype);

    for (size_t i = 0; i < count * bits; i++)
        if (x[i / bits] >> (i % bits) & 1)
            string[i / 8] |= (unsigned char)(1U << (i % 8));
}

static void unpack(ct_dtype dtype, size_t count, const unsigned char *string, unsigned char *y)
{
    const unsigned bits = ct__dtype_bits(dtype);

    assert(bits > 0);
    for (size_t i = 0; i < count; i++) {
        unsigned value = 0;
        for (size_t b = 0; b < bits; b++)
            value |= (unsigned)(string[(i * bits + b) / 8] >> ((i * bits + b) % 8) & 1) << b;
        if (ct_dtype_is_signed(dtype) && value >> (bits - 1))
            value |= ~0U << bits;
        y[i] = (unsigned char)value;
    }
}

/* Elements of `unit` bytes at a time: of the wider dtype. */
bool ct__meaning_bitcast_convert(const ct__eval *q)
{
    const ct_dtype from = q->in_type[0]->dtype, to = q->out_type[0]->dtype;
    const unsigned from_bits = ct__dtype_bits(from), to_bits = ct__dtype_bits(to);
    const unsigned wide = from_bits > to_bits ? from_bits : to_bits;
    const size_t n_from = wide / from_bits, n_to = wide / to_bits;
    const size_t n = (size_t)q->in_type[0]->size / n_from;
    const unsigned char *x = q->in[0];
    unsigned char *y = q->out[0];

    if (from_bits >= 8 && to_bits >= 8) {
        memcpy(y, x, n * (wide / 8));
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned char string[16] = {0};
        const unsigned char *xi = x + i * n_from * ct_dtype_bytes(from);
        if (from_bits < 8)
            pack(from, n_from, xi, string);
        else
            memcpy(string, xi, from_bits / 8);
        if (to_bits < 8)
            unpack(to, n_to, string, y + i * n_to);
        else
            memcpy(y + i * (to_bits / 8), string, to_bits / 8);
    }
    return true;
}

/* ---- reduce_precision. */

typedef struct layout {
    int exponent, fraction; /* bits */
} layout;

static layout layout_of(ct_dtype dtype)
{
    switch (dtype) {
    case CT_F64: return (layout){11, 52};
    case CT_F16: return (layout){5, 10};
    case CT_BF16: return (layout){8, 7};
    default: return (layout){8, 23};
    }
}

static bool is_below(int64_t wanted, int has)
{
    return wanted < has;
}

/* The magnitude's bits with the fraction rounded to nearest, ties to even; a carry runs into the
 * exponent. Then what is out of the exponent's range is infinite, or zero where it would be
 * subnormal. */
static uint64_t reduce_magnitude(layout f, const struct ct__attrs_reduce_precision *a, uint64_t x)
{
    const uint64_t infinity = ((UINT64_C(1) << f.exponent) - 1) << f.fraction;

    if (x > infinity)
        return a->mantissa_bits > 0 ? x : infinity;
    if (is_below(a->mantissa_bits, f.fraction)) {
        const int cut = f.fraction - (int)a->mantissa_bits;
        const uint64_t odd = x >> cut & 1;
        x += (UINT64_C(1) << (cut - 1)) - 1 + odd;
        x = x >> cut << cut;
    }
    if (is_below(a->exponent_bits, f.exponent)) {
        const int64_t bias = (1 << (f.exponent - 1)) - 1, reach = (1 << (a->exponent_bits - 1)) - 1;
        const int64_t exponent = (int64_t)(x >> f.fraction);
        if (exponent > bias + reach)
            return infinity;
        if (exponent <= bias - reach)
            return 0;
    }
    return x;
}

static void reduce_element(ct_dtype dtype, const struct ct__attrs_reduce_precision *a,
                           unsigned char *y, const unsigned char *x)
{
    const layout f = layout_of(dtype);
    const int top = f.exponent + f.fraction;
    uint64_t b8 = 0;
    uint32_t b4;
    uint16_t b2;

    switch (ct_dtype_bytes(dtype)) {
    case 8: memcpy(&b8, x, 8); break;
    case 4: b8 = (memcpy(&b4, x, 4), b4); break;
    default: b8 = (memcpy(&b2, x, 2), b2); break;
    }
    const uint64_t sign = b8 >> top << top;
    b8 = sign | reduce_magnitude(f, a, b8 ^ sign);
    b4 = (uint32_t)b8;
    b2 = (uint16_t)b8;
    switch (ct_dtype_bytes(dtype)) {
    case 8: memcpy(y, &b8, 8); break;
    case 4: memcpy(y, &b4, 4); break;
    default: memcpy(y, &b2, 2); break;
    }
}

/* Small floats are f32 numbers, and go back rounded once more. */
static void reduce_small(ct_dtype dtype, const struct ct__attrs_reduce_precision *a,
                         unsigned char *y, const unsigned char *x)
{
    float value = (float)ct__small_float_load(dtype, *x), reduced;

    reduce_element(CT_F32, a, (unsigned char *)&reduced, (const unsigned char *)&value);
    *y = ct__small_float_store(dtype, (double)reduced);
}

bool ct__meaning_reduce_precision(const ct__eval *q)
{
    const ct_dtype dtype = q->in_type[0]->dtype;
    const struct ct__attrs_reduce_precision *a = &q->attrs->reduce_precision;
    const size_t n = (size_t)q->in_type[0]->size, bytes = ct_dtype_bytes(dtype);

    for (size_t i = 0; i < n; i++) {
        unsigned char *y = (unsigned char *)q->out[0] + i * bytes;
        const unsigned char *x = (const unsigned char *)q->in[0] + i * bytes;
        if (ct__is_small_float(dtype))
            reduce_small(dtype, a, y, x);
        else
            reduce_element(dtype, a, y, x);
    }
    return true;
}
