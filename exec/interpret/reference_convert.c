/* Conversions between dtypes. An element travels in a carrier that holds it exactly: int64_t for
 * bool and integers up to i64, uint64_t for u64, double for floats. So there are three ways in and
 * three ways out, and every conversion rounds once, on the way out. */
#include "exec/interpret/reference.h"

#include <math.h>
#include <string.h>

#include "exec/kernel/saturate.inc"

enum { BLOCK = 256 };

typedef union carrier {
    int64_t i[BLOCK];
    uint64_t u[BLOCK];
    double d[BLOCK];
} carrier;

typedef enum carrier_kind { SIGNED, UNSIGNED, REAL } carrier_kind;

static carrier_kind carrier_of(ct_dtype dtype)
{
    return ct_dtype_is_float(dtype) ? REAL : dtype == CT_U64 ? UNSIGNED : SIGNED;
}

/* ---- In. */

#define LOAD(member, type, value)                                                                  \
    do {                                                                                           \
        const type *x = x_;                                                                        \
        CT__EACH(c->member[i] = value);                                                            \
    } while (0)

static void load(ct_dtype dtype, size_t n, carrier *c, const void *x_)
{
    switch (dtype) {
    case CT_BOOL: LOAD(i, uint8_t, x[i]); break;
    case CT_I8: LOAD(i, int8_t, x[i]); break;
    case CT_I16: LOAD(i, int16_t, x[i]); break;
    case CT_I32: LOAD(i, int32_t, x[i]); break;
    case CT_I64: LOAD(i, int64_t, x[i]); break;
    case CT_U8: LOAD(i, uint8_t, x[i]); break;
    case CT_U16: LOAD(i, uint16_t, x[i]); break;
    case CT_U32: LOAD(i, uint32_t, x[i]); break;
    case CT_U64: LOAD(u, uint64_t, x[i]); break;
    case CT_F16: LOAD(d, uint16_t, (double)ct__f16_to_f32(x[i])); break;
    case CT_BF16: LOAD(d, uint16_t, (double)ct__bf16_to_f32(x[i])); break;
    case CT_F32: LOAD(d, float, (double)x[i]); break;
    case CT_F64: LOAD(d, double, x[i]); break;
    case CT_I2:
    case CT_I4: LOAD(i, int8_t, x[i]); break;
    case CT_U2:
    case CT_U4: LOAD(i, uint8_t, x[i]); break;
    default:
        LOAD(d, uint8_t, ct__small_float_load(dtype, x[i]));
        break; /* not complex: those have
                  been taken apart */
    }
}

/* ---- Out, from integers: the low bits; to floats rounded once. */

static double signed_odd_double(int64_t value)
{
    return value < 0 ? -ct__odd_double(0 - (uint64_t)value) : ct__odd_double((uint64_t)value);
}

#define STORE(type, value)                                                                         \
    do {                                                                                           \
        type *y = y_;                                                                              \
        CT__EACH(y[i] = (type)(value));                                                            \
    } while (0)

static void store_signed(ct_dtype dtype, size_t n, void *y_, const carrier *c)
{
    switch (dtype) {
    case CT_BOOL: STORE(uint8_t, c->i[i] != 0); break;
    case CT_I8: STORE(int8_t, c->i[i]); break;
    case CT_I16: STORE(int16_t, c->i[i]); break;
    case CT_I32: STORE(int32_t, c->i[i]); break;
    case CT_I64: STORE(int64_t, c->i[i]); break;
    case CT_U8: STORE(uint8_t, c->i[i]); break;
    case CT_U16: STORE(uint16_t, c->i[i]); break;
    case CT_U32: STORE(uint32_t, c->i[i]); break;
    case CT_U64: STORE(uint64_t, c->i[i]); break;
    /* An integer beyond 53 bits is beyond f16's range too. */
    case CT_F16: STORE(uint16_t, ct__f64_to_f16((double)c->i[i])); break;
    case CT_BF16: STORE(uint16_t, ct__f64_to_bf16(signed_odd_double(c->i[i]))); break;
    case CT_F32: STORE(float, c->i[i]); break;
    case CT_F64: STORE(double, c->i[i]); break;
    case CT_I2:
    case CT_I4:
    case CT_U2:
    case CT_U4: STORE(uint8_t, ct__wrap_small(dtype, (uint64_t)c->i[i])); break;
    default: STORE(uint8_t, ct__small_float_store(dtype, signed_odd_double(c->i[i]))); break;
    }
}

static void store_unsigned(ct_dtype dtype, size_t n, void *y_, const carrier *c)
{
    switch (dtype) {
    case CT_BOOL: STORE(uint8_t, c->u[i] != 0); break;
    case CT_I8: STORE(int8_t, c->u[i]); break;
    case CT_I16: STORE(int16_t, c->u[i]); break;
    case CT_I32: STORE(int32_t, c->u[i]); break;
    case CT_I64: STORE(int64_t, c->u[i]); break;
    case CT_U8: STORE(uint8_t, c->u[i]); break;
    case CT_U16: STORE(uint16_t, c->u[i]); break;
    case CT_U32: STORE(uint32_t, c->u[i]); break;
    case CT_U64: STORE(uint64_t, c->u[i]); break;
    case CT_F16: STORE(uint16_t, ct__f64_to_f16((double)c->u[i])); break;
    case CT_BF16: STORE(uint16_t, ct__f64_to_bf16(ct__odd_double(c->u[i]))); break;
    case CT_F32: STORE(float, c->u[i]); break;
    case CT_F64: STORE(double, c->u[i]); break;
    case CT_I2:
    case CT_I4:
    case CT_U2:
    case CT_U4: STORE(uint8_t, ct__wrap_small(dtype, c->u[i])); break;
    default: STORE(uint8_t, ct__small_float_store(dtype, ct__odd_double(c->u[i]))); break;
    }
}

/* ---- Out, from floats. */

static void store_real(ct_dtype dtype, size_t n, void *y_, const carrier *c)
{
    switch (dtype) {
    case CT_BOOL: STORE(uint8_t, c->d[i] != 0); break;
    case CT_I8: STORE(int8_t, to_signed(c->d[i], INT8_MIN, 0x1p7)); break;
    case CT_I16: STORE(int16_t, to_signed(c->d[i], INT16_MIN, 0x1p15)); break;
    case CT_I32: STORE(int32_t, to_signed(c->d[i], INT32_MIN, 0x1p31)); break;
    case CT_I64: STORE(int64_t, to_signed(c->d[i], INT64_MIN, 0x1p63)); break;
    case CT_U8: STORE(uint8_t, to_unsigned(c->d[i], UINT8_MAX, 0x1p8)); break;
    case CT_U16: STORE(uint16_t, to_unsigned(c->d[i], UINT16_MAX, 0x1p16)); break;
    case CT_U32: STORE(uint32_t, to_unsigned(c->d[i], UINT32_MAX, 0x1p32)); break;
    case CT_U64: STORE(uint64_t, to_unsigned(c->d[i], UINT64_MAX, 0x1p64)); break;
    case CT_F16: STORE(uint16_t, ct__f64_to_f16(c->d[i])); break;
    case CT_BF16: STORE(uint16_t, ct__f64_to_bf16(c->d[i])); break;
    case CT_F32: STORE(float, c->d[i]); break;
    case CT_F64: STORE(double, c->d[i]); break;
    case CT_I2: STORE(int8_t, to_signed(c->d[i], -2, 0x1p1)); break;
    case CT_I4: STORE(int8_t, to_signed(c->d[i], -8, 0x1p3)); break;
    case CT_U2: STORE(uint8_t, to_unsigned(c->d[i], 3, 0x1p2)); break;
    case CT_U4: STORE(uint8_t, to_unsigned(c->d[i], 15, 0x1p4)); break;
    default: STORE(uint8_t, ct__small_float_store(dtype, c->d[i])); break;
    }
}

static void store(ct_dtype dtype, size_t n, void *y, carrier_kind kind, const carrier *c)
{
    if (kind == SIGNED)
        store_signed(dtype, n, y, c);
    else if (kind == UNSIGNED)
        store_unsigned(dtype, n, y, c);
    else
        store_real(dtype, n, y, c);
}

/* ---- Whole arrays. */

/* The common ways between floats, without the carrier; false for others. */
static bool convert_directly(ct_dtype to, ct_dtype from, size_t n, void *y_, const void *x_)
{
    if (to == from)
        memcpy(y_, x_, n * ct_dtype_bytes(to));
    else if (to == CT_F32 && from == CT_F16)
        STORE(float, ct__f16_to_f32(((const uint16_t *)x_)[i]));
    else if (to == CT_F32 && from == CT_BF16)
        STORE(float, ct__bf16_to_f32(((const uint16_t *)x_)[i]));
    else if (to == CT_F16 && from == CT_F32)
        STORE(uint16_t, ct__f32_to_f16(((const float *)x_)[i]));
    else if (to == CT_BF16 && from == CT_F32)
        STORE(uint16_t, ct__f32_to_bf16(((const float *)x_)[i]));
    else if (to == CT_F64 && from == CT_F32)
        STORE(double, ((const float *)x_)[i]);
    else if (to == CT_F32 && from == CT_F64)
        STORE(float, ((const double *)x_)[i]);
    else
        return false;
    return true;
}

static void convert_real(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x)
{
    carrier c;
    carrier_kind kind = carrier_of(from);
    size_t to_bytes = ct_dtype_bytes(to), from_bytes = ct_dtype_bytes(from);

    if (convert_directly(to, from, n, y, x))
        return;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        load(from, count, &c, (const unsigned char *)x + i * from_bytes);
        store(to, count, (unsigned char *)y + i * to_bytes, kind, &c);
    }
}

/* The real parts; both parts live `part` bytes apart. */
static void take_real(size_t n, size_t part, unsigned char *y, const unsigned char *x)
{
    for (size_t i = 0; i < n; i++)
        memcpy(y + i * part, x + 2 * i * part, part);
}

static void put_real(size_t n, size_t part, unsigned char *y, const unsigned char *x)
{
    memset(y, 0, 2 * n * part);
    for (size_t i = 0; i < n; i++)
        memcpy(y + 2 * i * part, x + i * part, part);
}

static ct_dtype part_of(ct_dtype dtype)
{
    return dtype == CT_C64 ? CT_F32 : CT_F64;
}

/* Complex loses its imaginary part, or gets 0; between complex types both parts are converted. */
void ct__reference_convert(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x)
{
    unsigned char real[BLOCK * sizeof(double)];
    bool to_complex = ct_dtype_is_complex(to), from_complex = ct_dtype_is_complex(from);
    size_t to_bytes = ct_dtype_bytes(to), from_bytes = ct_dtype_bytes(from);

    if (to_complex && from_complex) {
        convert_real(part_of(to), part_of(from), 2 * n, y, x);
        return;
    }
    if (!to_complex && !from_complex) {
        convert_real(to, from, n, y, x);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        unsigned char *yi = (unsigned char *)y + i * to_bytes;
        const unsigned char *xi = (const unsigned char *)x + i * from_bytes;
        if (from_complex) {
            take_real(count, from_bytes / 2, real, xi);
            convert_real(to, part_of(from), count, yi, real);
        } else {
            convert_real(part_of(to), from, count, real, xi);
            put_real(count, to_bytes / 2, yi, real);
        }
    }
}

void ct__reference_real(ct_dtype dtype, void *y, double value)
{
    ct__reference_convert(dtype, CT_F64, 1, y, &value);
}

void ct__reference_iota(ct_dtype dtype, size_t n, void *y, int64_t first)
{
    int64_t position[BLOCK] = {0};
    size_t bytes = ct_dtype_bytes(dtype);

    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        for (size_t j = 0; j < count; j++)
            position[j] = first + (int64_t)(i + j);
        ct__reference_convert(dtype, CT_I64, count, (unsigned char *)y + i * bytes, position);
    }
}
