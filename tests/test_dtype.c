/* Element types: names, classes, ranges, the 16-bit floats, and storing without loss. */
#include "tests/check.h"

#include "ops/type.h"

#include <float.h>
#include <math.h>
#include <string.h>

TEST(names_sizes_and_classes)
{
    static const struct {
        ct_dtype dtype;
        const char *name;
        size_t bytes;
        bool is_float, is_integer, is_signed, is_complex;
    } row[] = {
        {CT_INVALID_DTYPE, "invalid", 0, false, false, false, false},
        {CT_BOOL, "bool", 1, false, false, false, false},
        {CT_I8, "i8", 1, false, true, true, false},
        {CT_I16, "i16", 2, false, true, true, false},
        {CT_I32, "i32", 4, false, true, true, false},
        {CT_I64, "i64", 8, false, true, true, false},
        {CT_U8, "u8", 1, false, true, false, false},
        {CT_U16, "u16", 2, false, true, false, false},
        {CT_U32, "u32", 4, false, true, false, false},
        {CT_U64, "u64", 8, false, true, false, false},
        {CT_F16, "f16", 2, true, false, false, false},
        {CT_BF16, "bf16", 2, true, false, false, false},
        {CT_F32, "f32", 4, true, false, false, false},
        {CT_F64, "f64", 8, true, false, false, false},
        {CT_C64, "c64", 8, false, false, false, true},
        {CT_C128, "c128", 16, false, false, false, true},
        {CT_I2, "i2", 1, false, true, true, false},
        {CT_I4, "i4", 1, false, true, true, false},
        {CT_U2, "u2", 1, false, true, false, false},
        {CT_U4, "u4", 1, false, true, false, false},
        {CT_F4E2M1FN, "f4E2M1FN", 1, true, false, false, false},
        {CT_F6E2M3FN, "f6E2M3FN", 1, true, false, false, false},
        {CT_F6E3M2FN, "f6E3M2FN", 1, true, false, false, false},
        {CT_F8E3M4, "f8E3M4", 1, true, false, false, false},
        {CT_F8E4M3, "f8E4M3", 1, true, false, false, false},
        {CT_F8E4M3FN, "f8E4M3FN", 1, true, false, false, false},
        {CT_F8E4M3FNUZ, "f8E4M3FNUZ", 1, true, false, false, false},
        {CT_F8E4M3B11FNUZ, "f8E4M3B11FNUZ", 1, true, false, false, false},
        {CT_F8E5M2, "f8E5M2", 1, true, false, false, false},
        {CT_F8E5M2FNUZ, "f8E5M2FNUZ", 1, true, false, false, false},
        {CT_F8E8M0FNU, "f8E8M0FNU", 1, true, false, false, false},
        {CT_DTYPE_COUNT, "invalid", 0, false, false, false, false},
        {(ct_dtype)77, "invalid", 0, false, false, false, false},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const ct_dtype dtype = row[i].dtype;

        CHECK_MSG(strcmp(ct_dtype_name(dtype), row[i].name) == 0, "%s", ct_dtype_name(dtype));
        CHECK_MSG(ct_dtype_bytes(dtype) == row[i].bytes, "bytes of %s", row[i].name);
        CHECK_MSG(ct_dtype_is_float(dtype) == row[i].is_float, "float: %s", row[i].name);
        CHECK_MSG(ct_dtype_is_integer(dtype) == row[i].is_integer, "integer: %s", row[i].name);
        CHECK_MSG(ct_dtype_is_signed(dtype) == row[i].is_signed, "signed: %s", row[i].name);
        CHECK_MSG(ct_dtype_is_complex(dtype) == row[i].is_complex, "complex: %s", row[i].name);
    }
}

/* ---- The 16-bit floats, against definitions that are slow and different. */

typedef struct format {
    const char *name;
    int fraction_bits, bias;
    uint16_t infinity; /* its bits; below it, bits and values ascend together */
    float (*widen)(uint16_t);
    uint16_t (*from_f32)(float);
    uint16_t (*from_f64)(double);
} format;

static const format formats[] = {
    {"f16", 10, 15, 0x7c00, ct__f16_to_f32, ct__f32_to_f16, ct__f64_to_f16},
    {"bf16", 7, 127, 0x7f80, ct__bf16_to_f32, ct__f32_to_bf16, ct__f64_to_bf16},
};

/* (fraction + hidden bit) 2^(exponent - bias - fraction bits); at infinity's bits the value that
 * would come next. */
static double value_of(const format *f, uint16_t bits)
{
    const int exponent = bits >> f->fraction_bits, fraction = bits & ((1 << f->fraction_bits) - 1);
    const int hidden = exponent > 0 ? 1 << f->fraction_bits : 0;

    return ldexp(fraction + hidden, (exponent > 0 ? exponent : 1) - f->bias - f->fraction_bits);
}

/* The nearest of all values, found by halving; of two as near, the one with even bits. */
static uint16_t nearest(const format *f, double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const double magnitude = fabs(value);
    uint16_t low = 0, high = f->infinity; /* value_of(low) <= magnitude < value_of(high) */
    double middle;

    if (magnitude >= value_of(f, high))
        return sign | f->infinity;
    while (high - low > 1) {
        const uint16_t probe = (uint16_t)((low + high) / 2);

        if (value_of(f, probe) <= magnitude)
            low = probe;
        else
            high = probe;
    }
    middle = (value_of(f, low) + value_of(f, high)) / 2; /* exact: one bit more */
    if (magnitude != middle)
        return sign | (magnitude < middle ? low : high);
    return sign | (low % 2 == 0 ? low : high);
}

static void check_f64(const format *f, double value)
{
    const uint16_t got = f->from_f64(value), want = nearest(f, value);

    CHECK_MSG(got == want, "%s of %a is %04x, not %04x", f->name, value, got, want);
}

static void check_f32(const format *f, float value)
{
    const uint16_t got = f->from_f32(value), want = nearest(f, (double)value);

    CHECK_MSG(got == want, "%s of f32 %a is %04x, not %04x", f->name, (double)value, got, want);
}

static void check_both_signs(const format *f, double value)
{
    check_f64(f, value);
    check_f64(f, -value);
    check_f32(f, (float)value);
    check_f32(f, (float)-value);
}

static void check_all_patterns(const format *f)
{
    for (int i = 0; i < 65536; i++) {
        const uint16_t bits = (uint16_t)i, magnitude = bits & 0x7fff;
        const uint16_t quiet = (uint16_t)(1 << (f->fraction_bits - 1));
        const float wide = f->widen(bits);
        const double want = copysign(value_of(f, magnitude), bits >> 15 ? -1.0 : 1.0);

        if (magnitude > f->infinity) {
            CHECK_MSG(isnan(wide), "%s %04x is not NaN", f->name, bits);
            CHECK_MSG(f->from_f32(wide) == (bits | quiet), "%s %04x: NaN changed", f->name, bits);
            CHECK_MSG(f->from_f64((double)wide) == (bits | quiet), "%s %04x", f->name, bits);
            continue;
        }
        CHECK_MSG(magnitude == f->infinity ? isinf(wide) : (double)wide == want, "%s %04x is %a",
                  f->name, bits, (double)wide);
        CHECK_MSG(!signbit(wide) == !signbit(want), "%s %04x: sign", f->name, bits);
        CHECK_MSG(f->from_f32(wide) == bits, "%s %04x does not come back", f->name, bits);
        CHECK_MSG(f->from_f64((double)wide) == bits, "%s %04x does not come back", f->name, bits);
    }
}

TEST(every_16_bit_pattern_round_trips)
{
    check_all_patterns(&formats[0]);
    check_all_patterns(&formats[1]);
}

/* Halfway between every two neighbours, and the nearest f32 and f64 on both sides of it. */
static void check_ties(const format *f)
{
    for (uint16_t bits = 0; bits < f->infinity; bits++) {
        const double tie = (value_of(f, bits) + value_of(f, (uint16_t)(bits + 1))) / 2;
        const float narrow = (float)tie;

        CHECK((double)narrow == tie || isinf(narrow));
        check_both_signs(f, tie);
        check_both_signs(f, nextafter(tie, 0));
        check_both_signs(f, nextafter(tie, INFINITY));
        check_f32(f, nextafterf(narrow, 0));
        check_f32(f, nextafterf(narrow, INFINITY));
    }
}

TEST(ties_go_to_even)
{
    check_ties(&formats[0]);
    check_ties(&formats[1]);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state ^ *state >> 33;
}

TEST(random_patterns_and_extremes)
{
    static const double extreme[] = {0,        1,        INFINITY, DBL_MAX, DBL_MIN, DBL_TRUE_MIN,
                                     FLT_MAX,  FLT_MIN,  65504,    65519,   65520,   65536,
                                     0x1p-24,  0x1p-25,  0x1p-26,  0x1p-14, 0x1p127, 0x1p128,
                                     0x1p-133, 0x1p-134, 0x1p-149, 0x1p-150};
    uint64_t state = 1;

    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < sizeof extreme / sizeof extreme[0]; i++)
            check_both_signs(&formats[k], extreme[i]);
        for (int i = 0; i < 100000; i++) {
            const uint64_t random = next_random(&state);
            const uint32_t low = (uint32_t)random;
            float narrow;
            double wide = ldexp((double)random, (int)(next_random(&state) % 320) - 64 - 160);

            memcpy(&narrow, &low, sizeof narrow);
            if (!isnan(narrow))
                check_f32(&formats[k], narrow);
            check_both_signs(&formats[k], wide);
        }
    }
}

/* A hair above a tie: rounding to f32 first would lose the hair and then go to even. */
TEST(doubles_are_rounded_once)
{
    const double f16 = 1 + 0x1p-11 + 0x1p-40, bf16 = 1 + 0x1p-8 + 0x1p-40;
    const double subnormal = 0x1p-25 + 0x1p-60, largest = 65520 - 0x1p-20;

    CHECK(ct__f64_to_f16(f16) == 0x3c01 && ct__f32_to_f16((float)f16) == 0x3c00);
    CHECK(ct__f64_to_bf16(bf16) == 0x3f81 && ct__f32_to_bf16((float)bf16) == 0x3f80);
    CHECK(ct__f64_to_f16(subnormal) == 0x0001 && ct__f32_to_f16((float)subnormal) == 0);
    CHECK(ct__f64_to_f16(largest) == 0x7bff && ct__f32_to_f16((float)largest) == 0x7c00);
}

TEST(nan_stays_nan)
{
    const float quiet = NAN;
    const uint64_t low_payload = 0x7ff0000000000001; /* vanishes when it is cut, but NaN must not */
    double signalling;

    memcpy(&signalling, &low_payload, sizeof signalling);
    for (size_t k = 0; k < 2; k++) {
        CHECK(isnan(formats[k].widen(formats[k].from_f32(quiet))));
        CHECK(isnan(formats[k].widen(formats[k].from_f32(-quiet))));
        CHECK(isnan(formats[k].widen(formats[k].from_f64(signalling))));
    }
}

/* ---- Storing. */

typedef union element {
    unsigned char bytes[16];
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32[2];
    double f64[2];
} element;

static const ct_dtype integers[] = {CT_I8,  CT_I16, CT_I32, CT_I64, CT_U8, CT_U16,
                                    CT_U32, CT_U64, CT_I2,  CT_I4,  CT_U2, CT_U4};
enum { INTEGERS = sizeof integers / sizeof *integers };

TEST(integer_ranges)
{
    static const int64_t low[] = {INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN, 0, 0,
                                  0,        0,         -2,        -8,        0, 0};
    static const uint64_t high[] = {INT8_MAX,  INT16_MAX,  INT32_MAX,  INT64_MAX,
                                    UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX,
                                    1,         7,          3,          15};

    for (size_t i = 0; i < INTEGERS; i++) {
        CHECK_MSG(ct__integer_min(integers[i]) == low[i], "%s", ct_dtype_name(integers[i]));
        CHECK_MSG(ct__integer_max(integers[i]) == high[i], "%s", ct_dtype_name(integers[i]));
    }
    CHECK(ct__integer_min(CT_BOOL) == 0 && ct__integer_max(CT_BOOL) == 1);
}

static element untouched(void)
{
    element e;

    memset(&e, 0xa5, sizeof e);
    return e;
}

/* What a refused store leaves behind: every byte as it was. */
static bool is_untouched(const element *e)
{
    const element other = untouched();

    return memcmp(e, &other, sizeof other) == 0;
}

static bool refuses_double(ct_dtype dtype, double value)
{
    element e = untouched();

    return !ct__store_double(dtype, &e, value) && is_untouched(&e);
}

static bool refuses_signed(ct_dtype dtype, int64_t value)
{
    element e = untouched();

    return !ct__store_signed(dtype, &e, value) && is_untouched(&e);
}

static bool refuses_unsigned(ct_dtype dtype, uint64_t value)
{
    element e = untouched();

    return !ct__store_unsigned(dtype, &e, value) && is_untouched(&e);
}

/* The store writes the dtype's bytes, no more, and the value is read back. */
static bool holds(ct_dtype dtype, double value)
{
    element e = untouched();
    const size_t bytes = ct_dtype_bytes(dtype);
    bool beyond = true;

    if (!ct__store_double(dtype, &e, value))
        return false;
    for (size_t i = bytes; i < sizeof e; i++)
        beyond = beyond && e.bytes[i] == 0xa5;
    return beyond && ct__load_double(dtype, &e) == value;
}

TEST(integers_hold_whole_numbers_in_range)
{
    for (size_t i = 0; i < INTEGERS; i++) {
        const ct_dtype dtype = integers[i];
        const int64_t low = ct__integer_min(dtype);
        const uint64_t high = ct__integer_max(dtype);
        const double above = high == UINT64_MAX ? 0x1p64 : ldexp((double)(high / 2 + 1), 1);

        CHECK(holds(dtype, (double)low) && holds(dtype, 0) && holds(dtype, 1));
        CHECK(holds(dtype, above / 2) && refuses_double(dtype, above));
        CHECK(refuses_double(dtype, 0.5) && refuses_double(dtype, -0.5));
        CHECK(refuses_double(dtype, NAN) && refuses_double(dtype, INFINITY));
        CHECK(refuses_double(dtype, -INFINITY) && refuses_double(dtype, 1e300));
        CHECK(refuses_double(dtype, nextafter((double)low, -INFINITY)));
        CHECK(low == INT64_MIN || refuses_signed(dtype, low - 1));
        CHECK(high == UINT64_MAX || refuses_unsigned(dtype, high + 1));
        CHECK(high > INT64_MAX || high == INT64_MAX || refuses_signed(dtype, (int64_t)high + 1));
    }
}

TEST(stored_integers_are_exact)
{
    element e;

    CHECK(ct__store_signed(CT_I8, &e, -128) && e.i8 == -128);
    CHECK(ct__store_signed(CT_I16, &e, -32768) && e.i16 == -32768);
    CHECK(ct__store_signed(CT_I32, &e, INT32_MIN) && e.i32 == INT32_MIN);
    CHECK(ct__store_signed(CT_I64, &e, INT64_MIN) && e.i64 == INT64_MIN);
    CHECK(ct__store_signed(CT_I64, &e, INT64_MAX - 1) && e.i64 == INT64_MAX - 1);
    CHECK(ct__store_signed(CT_U8, &e, 255) && e.u8 == 255);
    CHECK(ct__store_unsigned(CT_U16, &e, 65535) && e.u16 == 65535);
    CHECK(ct__store_unsigned(CT_U32, &e, UINT32_MAX) && e.u32 == UINT32_MAX);
    CHECK(ct__store_unsigned(CT_U64, &e, UINT64_MAX) && e.u64 == UINT64_MAX);
    CHECK(ct__store_double(CT_U64, &e, 0x1p63 + 2048) && e.u64 == ((uint64_t)1 << 63) + 2048);
    CHECK(ct__store_double(CT_I64, &e, -0x1p63) && e.i64 == INT64_MIN);
    CHECK(ct__store_double(CT_U8, &e, -0.0) && e.u8 == 0);
    CHECK(refuses_signed(CT_U64, -1) && refuses_unsigned(CT_I64, (uint64_t)1 << 63));
}

TEST(bool_holds_0_and_1)
{
    CHECK(holds(CT_BOOL, 0) && holds(CT_BOOL, 1));
    CHECK(refuses_double(CT_BOOL, 2) && refuses_double(CT_BOOL, 0.5));
    CHECK(refuses_double(CT_BOOL, -1) && refuses_double(CT_BOOL, NAN));
    CHECK(refuses_signed(CT_BOOL, -1) && refuses_unsigned(CT_BOOL, 2));
}

TEST(floats_round)
{
    element e;

    CHECK(ct__store_double(CT_F16, &e, 0.1) && e.u16 == 0x2e66);
    CHECK(ct__store_double(CT_BF16, &e, 0.1) && e.u16 == 0x3dcd);
    CHECK(ct__store_double(CT_F32, &e, 0.1) && e.f32[0] == 0.1F);
    CHECK(ct__store_double(CT_F64, &e, 0.1) && e.f64[0] == 0.1);
    CHECK(ct__store_double(CT_F16, &e, 1e6) && e.u16 == 0x7c00);
    CHECK(ct__store_double(CT_F16, &e, NAN) && isnan(ct__load_double(CT_F16, &e)));
    CHECK(ct__store_double(CT_F32, &e, -0.0) && signbit(e.f32[0]));
    e = untouched();
    CHECK(ct__store_double(CT_C64, &e, 1.5) && e.f32[0] == 1.5F && e.f32[1] == 0);
    e = untouched();
    CHECK(ct__store_double(CT_C128, &e, 1.5) && e.f64[0] == 1.5 && e.f64[1] == 0);
    CHECK(ct__load_double(CT_C128, &e) == 1.5);
}

/* 64-bit integers just beside a tie of the target, in bits that a double does not have. */
TEST(integers_become_floats_with_one_rounding)
{
    const int64_t bf16_tie = ((int64_t)1 << 62) + ((int64_t)1 << 54);
    const int64_t f32_tie = ((int64_t)1 << 62) + ((int64_t)1 << 38);
    const uint64_t high = (uint64_t)1 << 63;
    element e;

    CHECK(ct__store_signed(CT_BF16, &e, bf16_tie) && e.u16 == 0x5e80);
    CHECK(ct__store_signed(CT_BF16, &e, bf16_tie + 1) && e.u16 == 0x5e81);
    CHECK(ct__store_signed(CT_BF16, &e, -bf16_tie - 1) && e.u16 == 0xde81);
    CHECK(ct__store_signed(CT_F32, &e, f32_tie) && e.f32[0] == 0x1p62F);
    CHECK(ct__store_signed(CT_F32, &e, f32_tie + 1) && e.f32[0] == (float)(f32_tie + 1));
    CHECK(e.f32[0] > 0x1p62F);
    CHECK(ct__store_unsigned(CT_F32, &e, high + ((uint64_t)1 << 39) + 1) && e.f32[0] > 0x1p63F);
    CHECK(ct__store_signed(CT_F64, &e, INT64_MAX) && e.f64[0] == 0x1p63);
    CHECK(ct__store_signed(CT_F64, &e, ((int64_t)1 << 53) + 3) && e.f64[0] == 0x1p53 + 4);
    CHECK(ct__store_signed(CT_F64, &e, INT64_MIN) && e.f64[0] == -0x1p63);
    CHECK(ct__store_signed(CT_BF16, &e, INT64_MIN) && e.u16 == 0xdf00);
    CHECK(ct__store_unsigned(CT_F16, &e, 65519) && e.u16 == 0x7bff);
    CHECK(ct__store_unsigned(CT_F16, &e, 65520) && e.u16 == 0x7c00);
}
