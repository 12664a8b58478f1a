#include "ops/type.h"

#include <string.h>

/* ---- What a dtype is. */

typedef enum class { NOTHING, BOOLEAN, SIGNED, UNSIGNED, FLOAT, COMPLEX } class;

static const struct description {
    const char *name;
    size_t bytes;
    unsigned bits;
    class class;
} table[CT_DTYPE_COUNT] = {
    [CT_INVALID_DTYPE] = {"invalid", 0, 0, NOTHING},
    [CT_BOOL] = {"bool", 1, 1, BOOLEAN},
    [CT_I8] = {"i8", 1, 8, SIGNED},
    [CT_I16] = {"i16", 2, 16, SIGNED},
    [CT_I32] = {"i32", 4, 32, SIGNED},
    [CT_I64] = {"i64", 8, 64, SIGNED},
    [CT_U8] = {"u8", 1, 8, UNSIGNED},
    [CT_U16] = {"u16", 2, 16, UNSIGNED},
    [CT_U32] = {"u32", 4, 32, UNSIGNED},
    [CT_U64] = {"u64", 8, 64, UNSIGNED},
    [CT_F16] = {"f16", 2, 16, FLOAT},
    [CT_BF16] = {"bf16", 2, 16, FLOAT},
    [CT_F32] = {"f32", 4, 32, FLOAT},
    [CT_F64] = {"f64", 8, 64, FLOAT},
    [CT_C64] = {"c64", 8, 64, COMPLEX},
    [CT_C128] = {"c128", 16, 128, COMPLEX},
    [CT_I2] = {"i2", 1, 2, SIGNED},
    [CT_I4] = {"i4", 1, 4, SIGNED},
    [CT_U2] = {"u2", 1, 2, UNSIGNED},
    [CT_U4] = {"u4", 1, 4, UNSIGNED},
    [CT_F4E2M1FN] = {"f4E2M1FN", 1, 4, FLOAT},
    [CT_F6E2M3FN] = {"f6E2M3FN", 1, 6, FLOAT},
    [CT_F6E3M2FN] = {"f6E3M2FN", 1, 6, FLOAT},
    [CT_F8E3M4] = {"f8E3M4", 1, 8, FLOAT},
    [CT_F8E4M3] = {"f8E4M3", 1, 8, FLOAT},
    [CT_F8E4M3FN] = {"f8E4M3FN", 1, 8, FLOAT},
    [CT_F8E4M3FNUZ] = {"f8E4M3FNUZ", 1, 8, FLOAT},
    [CT_F8E4M3B11FNUZ] = {"f8E4M3B11FNUZ", 1, 8, FLOAT},
    [CT_F8E5M2] = {"f8E5M2", 1, 8, FLOAT},
    [CT_F8E5M2FNUZ] = {"f8E5M2FNUZ", 1, 8, FLOAT},
    [CT_F8E8M0FNU] = {"f8E8M0FNU", 1, 8, FLOAT},
};

static const struct description *describe(ct_dtype dtype)
{
    return &table[(unsigned)dtype < CT_DTYPE_COUNT ? dtype : CT_INVALID_DTYPE];
}

const char *ct_dtype_name(ct_dtype dtype)
{
    return describe(dtype)->name;
}

size_t ct_dtype_bytes(ct_dtype dtype)
{
    return describe(dtype)->bytes;
}

bool ct_dtype_is_float(ct_dtype dtype)
{
    return describe(dtype)->class == FLOAT;
}

bool ct_dtype_is_integer(ct_dtype dtype)
{
    return describe(dtype)->class == SIGNED || describe(dtype)->class == UNSIGNED;
}

bool ct_dtype_is_signed(ct_dtype dtype)
{
    return describe(dtype)->class == SIGNED;
}

bool ct_dtype_is_complex(ct_dtype dtype)
{
    return describe(dtype)->class == COMPLEX;
}

ct_dtype ct__part_dtype(ct_dtype dtype)
{
    return dtype == CT_C64 ? CT_F32 : dtype == CT_C128 ? CT_F64 : dtype;
}

ct_dtype ct__complex_dtype(ct_dtype part)
{
    return part == CT_F32 ? CT_C64 : part == CT_F64 ? CT_C128 : CT_INVALID_DTYPE;
}

bool ct__is_narrow_float(ct_dtype dtype)
{
    return ct_dtype_is_float(dtype) && ct_dtype_bytes(dtype) < 4;
}

/* ---- Ranges of the integers, from their widths. */

unsigned ct__dtype_bits(ct_dtype dtype)
{
    return describe(dtype)->bits;
}

int64_t ct__integer_min(ct_dtype dtype)
{
    return ct_dtype_is_signed(dtype) ? INT64_MIN >> (64 - ct__dtype_bits(dtype)) : 0;
}

uint64_t ct__integer_max(ct_dtype dtype)
{
    if (!ct_dtype_is_integer(dtype))
        return dtype == CT_BOOL ? 1 : 0;
    return UINT64_MAX >> (64 - ct__dtype_bits(dtype) + (ct_dtype_is_signed(dtype) ? 1 : 0));
}

bool ct__byte_fits(ct_dtype dtype, uint8_t byte)
{
    const unsigned bits = ct__dtype_bits(dtype), above = byte >> (bits < 8 ? bits : 8);
    const bool negative = ct_dtype_is_signed(dtype) && bits < 8 && (byte >> (bits - 1) & 1);

    return above == (negative ? 255U >> bits : 0);
}

/* ---- Half precision. */

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Round a double to a 16-bit float with a fraction of m bits, to nearest, ties to even. The
 * significand s (53 bits) is cut by `cut` bits to q; the bits that are cut decide whether q goes
 * up, and a carry runs into the exponent, to the next binade or to infinity. NaNs stay NaNs, made
 * quiet. */
static uint16_t round_to_16_bits(double value, int m)
{
    const int exponent_all_ones = (1 << (15 - m)) - 1, bias = exponent_all_ones >> 1;
    const uint64_t bits = bits_of(value), fraction = bits & 0xfffffffffffff;
    const uint64_t infinity = (uint64_t)exponent_all_ones << m;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023 + bias;
    uint64_t magnitude;

    if (value != value) {
        magnitude = infinity | (uint64_t)1 << (m - 1) | fraction >> (52 - m);
    } else if (exponent >= exponent_all_ones) {
        magnitude = infinity;
    } else {
        const uint64_t s = fraction | (uint64_t)1 << 52;
        const int below = exponent < 1 ? 1 - exponent : 0; /* how far under the normal range */
        /* At 54 nothing is left, not even half. */
        const int cut = below < m + 2 ? 52 - m + below : 54;
        const uint64_t q = s >> cut, rest = s & (((uint64_t)1 << cut) - 1);
        const uint64_t half = (uint64_t)1 << (cut - 1);

        magnitude = q + (rest > half || (rest == half && (q & 1)));
        if (exponent > 1)
            magnitude += (uint64_t)(exponent - 1) << m; /* q holds the implicit bit */
    }
    return (uint16_t)(bits >> 63 << 15 | magnitude);
}

uint16_t ct__f64_to_f16(double value)
{
    return round_to_16_bits(value, 10);
}

uint16_t ct__f64_to_bf16(double value)
{
    return round_to_16_bits(value, 7);
}

/* A float is a double exactly, so the only rounding is the one to 16 bits. */
uint16_t ct__f32_to_f16(float value)
{
    return ct__f64_to_f16((double)value);
}

uint16_t ct__f32_to_bf16(float value)
{
    return ct__f64_to_bf16((double)value);
}

float ct__bf16_to_f32(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

float ct__f16_to_f32(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits >> 15) << 31, exponent = bits >> 10 & 31;
    const uint32_t fraction = bits & 1023;

    if (exponent == 31)
        return float_of(sign | 0x7f800000 | fraction << 13);
    if (exponent > 0)
        return float_of(sign | (exponent + 127 - 15) << 23 | fraction << 13);
    return (sign ? -0x1p-24F : 0x1p-24F) * (float)fraction; /* subnormal, exact */
}

/* ---- One element. */

#define LOAD(type, make)                                                                           \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, element, sizeof value);                                                     \
        return (double)(make);                                                                     \
    }

/* The real part of complex comes first. */
double ct__load_double(ct_dtype dtype, const void *element)
{
    switch (dtype) {
    case CT_BOOL:
    case CT_U2:
    case CT_U4:
    case CT_U8: LOAD(uint8_t, value)
    case CT_I2:
    case CT_I4:
    case CT_I8: LOAD(int8_t, value)
    case CT_I16: LOAD(int16_t, value)
    case CT_I32: LOAD(int32_t, value)
    case CT_I64: LOAD(int64_t, value)
    case CT_U16: LOAD(uint16_t, value)
    case CT_U32: LOAD(uint32_t, value)
    case CT_U64: LOAD(uint64_t, value)
    case CT_F16: LOAD(uint16_t, ct__f16_to_f32(value))
    case CT_BF16: LOAD(uint16_t, ct__bf16_to_f32(value))
    case CT_F32:
    case CT_C64: LOAD(float, value)
    case CT_F64:
    case CT_C128: LOAD(double, value)
    default:
        return ct__is_small_float(dtype) ? ct__small_float_load(dtype, *(const uint8_t *)element)
                                         : 0;
    }
}

/* Integers of less than a byte fill theirs. */
uint64_t ct__load_integer(ct_dtype dtype, const void *element)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    uint64_t value = 0;
    uint32_t value32;
    uint16_t value16;

    switch (bytes) {
    case 1: value = *(const uint8_t *)element; break;
    case 2: value = (memcpy(&value16, element, 2), value16); break;
    case 4: value = (memcpy(&value32, element, 4), value32); break;
    default: memcpy(&value, element, 8); break;
    }
    if (!ct_dtype_is_signed(dtype))
        return value;
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (value ^ sign) - sign;
}

/* The low bits of an integer that is known to fit. */
static void store_integer(ct_dtype dtype, void *element, uint64_t value)
{
    const uint8_t narrow8 = (uint8_t)value;
    const uint16_t narrow16 = (uint16_t)value;
    const uint32_t narrow32 = (uint32_t)value;

    switch (ct_dtype_bytes(dtype)) {
    case 1: memcpy(element, &narrow8, 1); return;
    case 2: memcpy(element, &narrow16, 2); return;
    case 4: memcpy(element, &narrow32, 4); return;
    default: memcpy(element, &value, 8); return;
    }
}

static bool store_real(ct_dtype dtype, void *element, double value)
{
    const float parts[2] = {(float)value, 0};
    const double wide_parts[2] = {value, 0};
    const uint16_t bits = dtype == CT_F16 ? ct__f64_to_f16(value) : ct__f64_to_bf16(value);

    switch (dtype) {
    case CT_F16:
    case CT_BF16: memcpy(element, &bits, sizeof bits); return true;
    case CT_F32:
    case CT_C64: memcpy(element, parts, ct_dtype_bytes(dtype)); return true;
    case CT_F64:
    case CT_C128: memcpy(element, wide_parts, ct_dtype_bytes(dtype)); return true;
    default:
        if (dtype == CT_F8E8M0FNU && value <= 0) /* it has no such number */
            return false;
        if (ct__is_small_float(dtype))
            *(uint8_t *)element = ct__small_float_store(dtype, value);
        return ct__is_small_float(dtype);
    }
}

static bool is_integer_or_bool(ct_dtype dtype)
{
    return dtype == CT_BOOL || ct_dtype_is_integer(dtype);
}

bool ct__store_double(ct_dtype dtype, void *element, double value)
{
    if (!is_integer_or_bool(dtype))
        return store_real(dtype, element, value);
    if (value >= (double)INT64_MIN && value < 0x1p63 && (double)(int64_t)value == value)
        return ct__store_signed(dtype, element, (int64_t)value);
    if (value >= 0x1p63 && value < 0x1p64) /* doubles of this size are whole */
        return ct__store_unsigned(dtype, element, (uint64_t)value);
    return false;
}

double ct__odd_double(uint64_t magnitude)
{
    if (magnitude >> 53 != 0)
        magnitude = (magnitude >> 11 | ((magnitude & 0x7ff) != 0)) << 11;
    return (double)magnitude;
}

static bool is_wide(ct_dtype dtype)
{
    return dtype == CT_F64 || dtype == CT_C128;
}

bool ct__store_signed(ct_dtype dtype, void *element, int64_t value)
{
    if (value >= 0)
        return ct__store_unsigned(dtype, element, (uint64_t)value);
    if (!is_integer_or_bool(dtype))
        return store_real(dtype, element,
                          is_wide(dtype) ? (double)value : -ct__odd_double(-(uint64_t)value));
    if (value < ct__integer_min(dtype))
        return false;
    store_integer(dtype, element, (uint64_t)value);
    return true;
}

bool ct__store_unsigned(ct_dtype dtype, void *element, uint64_t value)
{
    if (!is_integer_or_bool(dtype))
        return store_real(dtype, element, is_wide(dtype) ? (double)value : ct__odd_double(value));
    if (value > ct__integer_max(dtype))
        return false;
    store_integer(dtype, element, value);
    return true;
}
