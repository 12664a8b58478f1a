/* Conversions in reference numerics, against long double, which holds every i64, u64 and f64. */
#include "exec/interpret/interpret.h"
#include "tests/check.h"
#include "tests/exact.h"

#include <math.h>
#include <string.h>

static const ct__numerics *const numerics = &ct__reference_numerics;

static bool conversion_fits(ct_dtype to, ct_dtype from, const void *x, const void *y)
{
    const exact_integer *t = exact_integer_of(to), *s = exact_integer_of(from);
    long double v = exact_take_any(from, x);

    if (to == CT_BOOL)
        return exact_take_any(to, y) == (v != 0);
    if (t && (s || from == CT_BOOL))
        return exact_take_integer(t, y) == exact_wrap(t, (exact_wide)v);
    if (t && v != v)
        return exact_take_integer(t, y) == 0;
    if (t) {
        long double low = (long double)exact_smallest(t), high = (long double)exact_largest(t);
        long double whole = truncl(v);
        return exact_take_any(to, y) == (whole < low ? low : whole > high ? high : whole);
    }
    return exact_same(exact_take(to, y), exact_round_in(to, v));
}

static const ct_dtype real_dtypes[] = {CT_BOOL, CT_I8,  CT_I16, CT_I32, CT_I64,  CT_U8,
                                       CT_U16,  CT_U32, CT_U64, CT_F16, CT_BF16, CT_F32,
                                       CT_F64,  CT_I2,  CT_I4,  CT_U2,  CT_U4};
enum { REALS = sizeof real_dtypes / sizeof *real_dtypes };

/* Elements whose conversion is delicate: near halfway points of exact_bf16, exact_f16 and f32, at
 * the ends. */
static size_t delicate(ct_dtype dtype, uint64_t *x)
{
    const exact_integer *t = exact_integer_of(dtype);
    static const exact_wide whole[] = {0,     1,     -1,       2,        127,      128,   255,
                                       256,   -128,  -129,     2049,     2051,     65519, 65520,
                                       65535, 65536, 16777217, 16777219, -16777217};
    size_t n = 0;

    if (dtype == CT_BOOL) {
        x[0] = 0;
        x[1] = 1;
        return 2;
    }
    if (!t) {
        double edge[EXACT_EDGES];
        exact_float_edge_values(dtype, edge);
        for (int i = 0; i < EXACT_EDGES; i++)
            exact_put(dtype, &x[n++], edge[i]);
        const double more[] = {127.5,      128,          -128.9,           -129,
                               255.99,     256,          0x1p31,           -0x1p31,
                               0x1p32,     0x1p63,       -0x1p63,          0x1p64,
                               0.99,       -0.99,        65519.99,         65520,
                               1.00390625, 1.0000000001, 0x1.0080000001p0, 0x1.002000000001p0,
                               1e-8,       2.9e-8,       0x1.01p0,         0x1.0100001p0};
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            exact_put(dtype, &x[n++], exact_round_in(dtype, (long double)more[i]));
        return n;
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        exact_put_integer(t, &x[n++], exact_wrap(t, whole[i]));
    for (int bit = 5; bit < t->bits;
         bit++) /* halfway between two exact_bf16's or f32's, and one beside */
        for (int below = 8; below <= 24; below += 16)
            for (exact_wide beside = -1; beside <= 1; beside++)
                if (bit >= below) {
                    exact_wide half = ((exact_wide)1 << bit) + ((exact_wide)1 << (bit - below));
                    exact_put_integer(t, &x[n++], exact_wrap(t, half + beside));
                    exact_put_integer(t, &x[n++], exact_wrap(t, -half - beside));
                    exact_put_integer(
                        t, &x[n++],
                        exact_wrap(t, 3 * ((exact_wide)1 << (bit - below)) + half + beside));
                }
    exact_put_integer(t, &x[n++], exact_smallest(t));
    exact_put_integer(t, &x[n++], exact_largest(t));
    return n;
}

TEST(convert_between_all_dtypes)
{
    static uint64_t x[1200];

    for (int i = 0; i < REALS; i++) {
        size_t n = delicate(real_dtypes[i], x);
        CHECK(n <= sizeof x / sizeof *x);
        for (int j = 0; j < REALS; j++)
            for (size_t k = 0; k < n; k++) {
                uint64_t y;
                numerics->convert(real_dtypes[j], real_dtypes[i], 1, &y, &x[k]);
                CHECK_MSG(conversion_fits(real_dtypes[j], real_dtypes[i], &x[k], &y),
                          "%s to %s: %.20Lg gave %.20Lg", ct_dtype_name(real_dtypes[i]),
                          ct_dtype_name(real_dtypes[j]), exact_take_any(real_dtypes[i], &x[k]),
                          exact_take_any(real_dtypes[j], &y));
            }
    }
}

TEST(convert_by_hand)
{
    const double f64[] = {(double)NAN, 1e300, -1e300, -0.5, 0x1.002000000001p0};
    const int64_t halfway = (1ll << 40) + (1ll << 32) +
                            1; /* just above half a step of exact_bf16 */
    int8_t i8[5];
    uint8_t u8[5];
    uint16_t half[5], bf;
    bool b[5];

    numerics->convert(CT_I8, CT_F64, 5, i8, f64);
    CHECK(i8[0] == 0 && i8[1] == 127 && i8[2] == -128 && i8[3] == 0 && i8[4] == 1);
    numerics->convert(CT_U8, CT_F64, 5, u8, f64);
    CHECK(u8[0] == 0 && u8[1] == 255 && u8[2] == 0 && u8[3] == 0);
    numerics->convert(CT_BOOL, CT_F64, 5, b, f64);
    CHECK(b[0] && b[1] && b[2] && b[3]);
    numerics->convert(CT_F16, CT_F64, 5, half, f64); /* through f32 the last would be a tie */
    CHECK(half[4] == 0x3c01);
    numerics->convert(CT_BF16, CT_I64, 1, &bf, &halfway);
    CHECK(exact_take(CT_BF16, &bf) == 0x1.02p40);
}

TEST(convert_long_arrays)
{
    enum { N = 1000 };
    static int32_t i32[N];
    static double f64[N];
    static float complex_[2 * N];

    numerics->iota(CT_I32, N, i32, -500);
    numerics->convert(CT_F64, CT_I32, N, f64, i32);
    numerics->convert(CT_C64, CT_I32, N, complex_, i32);
    for (int i = 0; i < N; i++) {
        CHECK(f64[i] == i - 500);
        CHECK(complex_[2 * i] == (float)(i - 500) && complex_[2 * i + 1] == 0);
    }
    memset(i32, 0, sizeof i32);
    for (int i = 0; i < N; i++)
        complex_[2 * i + 1] = 7;
    numerics->convert(CT_I32, CT_C64, N, i32, complex_);
    for (int i = 0; i < N; i++)
        CHECK(i32[i] == i - 500);
}

TEST(convert_complex)
{
    const float c64[] = {0, 1, 2.5f, -3};
    double c128[4];
    bool b[2];
    int16_t i16[2];

    numerics->convert(CT_C128, CT_C64, 2, c128, c64);
    CHECK(c128[0] == 0 && c128[1] == 1 && c128[2] == 2.5 && c128[3] == -3);
    numerics->convert(CT_BOOL, CT_C64, 2, b, c64);
    CHECK(!b[0] && b[1]); /* the imaginary part is dropped first */
    numerics->convert(CT_I16, CT_C64, 2, i16, c64);
    CHECK(i16[0] == 0 && i16[1] == 2);
    numerics->convert(CT_C64, CT_BOOL, 2, c128, b);
    CHECK(memcmp(c128, (const float[]){0, 0, 1, 0}, 16) == 0);
}

TEST(iota_of_every_dtype)
{
    for (int i = 1; i < REALS; i++) {
        unsigned char y[300 * 8];
        numerics->iota(real_dtypes[i], 300, y, 0);
        for (int k = 0; k < 300; k++) {
            int64_t position = k;
            CHECK(conversion_fits(real_dtypes[i], CT_I64, &position,
                                  y + (size_t)k * ct_dtype_bytes(real_dtypes[i])));
        }
    }
}
