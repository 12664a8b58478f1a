#include "tests/fuzz/programs/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How elements are chosen. */
enum { WHOLE, REALS, MAGNITUDES, EDGES, BITS, KINDS };

static double uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(mixed(state) >> 11) * 0x1p-53;
}

static double edge(uint64_t *state)
{
    static const double list[] = {
        NAN,     INFINITY, -INFINITY, -0.0,   0,      1,       -1,        0.5,          -2.5,
        3,       1e-40,    -1e-42,    1e-310, 5e-324, 0x1p127, -0x1p1023, 65504,        -65536,
        0x1p-24, 0x1p-14,  448,       1e-8,   88.8,   -103.9,  709.8,     2147483648.0, 0x1p53,
        0x1p63,  -0x1p31,  0x1p-126,  M_PI,   -0.5,   255,     256,       1e30};

    return list[mixed(state) % (sizeof list / sizeof *list)];
}

static double real(int kind, uint64_t *state)
{
    const double sign = mixed(state) % 2 ? 1 : -1;

    switch (kind) {
    case WHOLE: return (double)(int64_t)(mixed(state) % 9) - 4;
    case REALS: return uniform(state, -2, 2);
    case MAGNITUDES: return sign * exp2(uniform(state, -40, 40));
    default: return edge(state);
    }
}

/* ---- One element. */

static void put_bits(ct_dtype dtype, unsigned char *element, uint64_t *state)
{
    const uint64_t bits = mixed(state);
    const unsigned n = ct__dtype_bits(dtype);

    if (dtype == CT_BOOL || (!ct_dtype_is_signed(dtype) && n < 8))
        *element = (unsigned char)(bits & ((1U << n) - 1));
    else if (n < 8)
        ct__store_signed(dtype, element, (int64_t)(bits << (64 - n)) >> (64 - n));
    else
        memcpy(element, &bits, n / 8);
}

static void put_integer(ct_dtype dtype, int kind, unsigned char *element, uint64_t *state)
{
    const uint64_t draw = mixed(state);

    if (kind == BITS || dtype == CT_BOOL)
        put_bits(dtype, element, state);
    else if (kind == EDGES && draw % 3 == 0)
        ct__store_signed(dtype, element, ct__integer_min(dtype));
    else if (kind == EDGES && draw % 3 == 1)
        ct__store_unsigned(dtype, element, ct__integer_max(dtype));
    else if (!ct__store_signed(dtype, element, (int64_t)(draw >> 8) % 9 - 4))
        ct__store_signed(dtype, element, (int64_t)(draw % 2));
}

static void put_float(ct_dtype dtype, int kind, unsigned char *element, uint64_t *state)
{
    if (kind == BITS)
        put_bits(dtype, element, state);
    else if (!ct__store_double(dtype, element, real(kind, state)))
        ct__store_double(dtype, element, 1); /* of a dtype without 0 or sign */
}

static void put(ct_dtype dtype, int kind, unsigned char *element, uint64_t *state)
{
    const ct_dtype part = ct__part_dtype(dtype);

    if (part != dtype) {
        put_float(part, kind, element, state);
        put_float(part, kind, element + ct_dtype_bytes(part), state);
    } else if (ct_dtype_is_float(dtype)) {
        put_float(dtype, kind, element, state);
    } else {
        put_integer(dtype, kind, element, state);
    }
}

/* Moderate numbers, away from 0. */
static void put_smooth(ct_dtype dtype, unsigned char *element, uint64_t *state)
{
    const double x = uniform(state, 0.5, 1.5);

    if (ct_dtype_is_float(dtype))
        ct__store_double(dtype, element, mixed(state) % 2 ? x : -x);
    else
        put(dtype, WHOLE, element, state);
}

/* ---- Tensors. */

static ct_tensor *filled(generator *g, ct_dtype dtype, ct_shape shape, int kind)
{
    const size_t bytes = ct_dtype_bytes(dtype), count = (size_t)elements_of(shape);
    unsigned char *data = malloc(bytes * count + 1);
    uint64_t state = choose(g->c, 1 << 16);
    ct_tensor *x = NULL;

    for (size_t i = 0; data && i < count; i++)
        if (g->style == STYLE_SMOOTH)
            put_smooth(dtype, data + i * bytes, &state);
        else
            put(dtype, g->style == STYLE_LINEAR ? WHOLE : kind, data + i * bytes, &state);
    if (data)
        x = ct_from_data(g->ctx, dtype, shape, data);
    free(data);
    return x;
}

ct_tensor *numbers(generator *g, ct_dtype dtype, ct_shape shape)
{
    return filled(g, dtype, shape, (int)choose(g->c, KINDS));
}

/* From -3 to extent + 2, or anything. */
ct_tensor *index_numbers(generator *g, ct_dtype dtype, ct_shape shape, int64_t extent)
{
    int64_t data[MOST_ELEMENTS];
    const size_t count = (size_t)elements_of(shape);
    const uint32_t kind = choose(g->c, 4);

    if (kind == 3)
        return filled(g, dtype, shape, EDGES);
    uint64_t state = choose(g->c, 1 << 16);
    const uint64_t outside = kind == 0 ? 0 : 3;
    for (size_t i = 0; i < count; i++)
        data[i] = (int64_t)(mixed(&state) % ((uint64_t)extent + 2 * outside + (extent == 0))) -
                  (int64_t)outside;
    unsigned char element[8 * 64];
    unsigned char *bytes = count <= 64 ? element : malloc(8 * count);
    const size_t each = ct_dtype_bytes(dtype);
    for (size_t i = 0; bytes && i < count; i++)
        if (!ct__store_signed(dtype, bytes + i * each, data[i]))
            ct__store_signed(dtype, bytes + i * each, 0);
    ct_tensor *x = bytes ? ct_from_data(g->ctx, dtype, shape, bytes) : NULL;
    if (bytes != element)
        free(bytes);
    return x;
}
