#include "tests/values.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* But f8E8M0FNU, which has no 0. */
static const ct_dtype every_dtype[] = {
    CT_BOOL,     CT_I8,         CT_I16,           CT_I32,      CT_I64,       CT_U8,
    CT_U16,      CT_U32,        CT_U64,           CT_F16,      CT_BF16,      CT_F32,
    CT_F64,      CT_C64,        CT_C128,          CT_I2,       CT_I4,        CT_U2,
    CT_U4,       CT_F4E2M1FN,   CT_F6E2M3FN,      CT_F6E3M2FN, CT_F8E3M4,    CT_F8E4M3,
    CT_F8E4M3FN, CT_F8E4M3FNUZ, CT_F8E4M3B11FNUZ, CT_F8E5M2,   CT_F8E5M2FNUZ};
_Static_assert(sizeof every_dtype / sizeof *every_dtype == CT_DTYPE_COUNT - 2, "list every dtype");
#define N_DTYPES (sizeof every_dtype / sizeof every_dtype[0])

static const double no_data[1] = {0};

/* ---- From memory. */

TEST(from_data_copies_each_c_type)
{
    ct_context *ctx = ct_context_new();
    int8_t i8[] = {-128, 127};
    uint16_t u16[] = {0, 65535};
    uint64_t u64[] = {0, UINT64_MAX};
    uint16_t f16[] = {0x3C00, 0xC000}, bf16[] = {0x3F80, 0xC000};
    float f32[] = {0x1p-149f, -1}, c64[] = {1, 2, 3, 4};
    bool bits[] = {false, true};

    CHECK_VALUES(ct_from_data(ctx, CT_I8, CT_SHAPE(2), i8), CT_SHAPE(2), {-128, 127});
    CHECK_VALUES(ct_from_data(ctx, CT_U16, CT_SHAPE(2), u16), CT_SHAPE(2), {0, 65535});
    CHECK(ct_at_int(ct_from_data(ctx, CT_U64, CT_SHAPE(2), u64), 1) == -1);
    CHECK_VALUES(ct_from_data(ctx, CT_F16, CT_SHAPE(2), f16), CT_SHAPE(2), {1, -2});
    CHECK_VALUES(ct_from_data(ctx, CT_BF16, CT_SHAPE(2), bf16), CT_SHAPE(2), {1, -2});
    CHECK_VALUES(ct_from_data(ctx, CT_F32, CT_SHAPE(2), f32), CT_SHAPE(2), {0x1p-149, -1});
    CHECK_VALUES(ct_from_data(ctx, CT_C64, CT_SHAPE(2), c64), CT_SHAPE(2), {1, 3});
    CHECK_VALUES(ct_from_data(ctx, CT_BOOL, CT_SHAPE(2, 1), bits), CT_SHAPE(2, 1), {0, 1});
    i8[0] = 5; /* the tensor has its own copy */
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(from_data_keeps_bits)
{
    ct_context *ctx = ct_context_new();
    uint32_t nan_with_payload[2] = {0xFFC12345, 0x7F800001}, found[2];
    float as_floats[2];

    memcpy(as_floats, nan_with_payload, sizeof as_floats);
    ct_tensor *x = ct_from_data(ctx, CT_F32, CT_SHAPE(2), as_floats);
    memcpy(found, ct_data(x), sizeof found);
    CHECK(memcmp(found, nan_with_payload, sizeof found) == 0);
    ct_context_free(ctx);
}

TEST(from_data_refuses)
{
    ct_context *ctx = ct_context_new();
    unsigned char three[] = {0, 1, 3};

    CHECK(ct_is_poison(ct_from_data(ctx, CT_F32, CT_SHAPE(2), NULL)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "from_data: data is NULL");
    CHECK(ct_is_poison(ct_from_data(ctx, CT_BOOL, CT_SHAPE(3), three)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "from_data: byte 3 of element 2 does not fit bool");
    /* bits that the dtype does not have; signed integers have their sign in them */
    ct_from_data(ctx, CT_U4, CT_SHAPE(2), (const unsigned char[]){15, 16});
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "from_data: byte 16 of element 1 does not fit u4");
    ct_from_data(ctx, CT_I4, CT_SHAPE(3), (const unsigned char[]){7, 0xF8, 8});
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "from_data: byte 8 of element 2 does not fit i4");
    ct_from_data(ctx, CT_I2, CT_SHAPE(3), (const unsigned char[]){1, 0xFE, 0xFD});
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "from_data: byte 253 of element 2 does not fit i2");
    ct_from_data(ctx, CT_F6E3M2FN, CT_SHAPE(2), (const unsigned char[]){63, 64});
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "from_data: byte 64 of element 1 does not fit f6E3M2FN");
    ct_from_data(ctx, CT_F4E2M1FN, CT_SHAPE(1), (const unsigned char[]){0x80});
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "from_data: byte 128 of element 0 does not fit f4E2M1FN");
    ct_zeros(ctx, CT_F8E8M0FNU, CT_SHAPE(1));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "0 does not fit f8E8M0FNU");
    ct_scalar(ctx, CT_F8E8M0FNU, -1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "-1 does not fit f8E8M0FNU");
    CHECK_EMPTY(ct_from_data(ctx, CT_F32, CT_SHAPE(2, 0), NULL), CT_SHAPE(2, 0));
    CHECK_EMPTY(ct_from_doubles(ctx, CT_F32, CT_SHAPE(0), NULL), CT_SHAPE(0));
    CHECK_OK(ctx);
    CHECK(ct_is_poison(ct_from_doubles(ctx, CT_F32, CT_SHAPE(2), NULL)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "from_doubles: data is NULL");
    CHECK(ct_is_poison(given(ctx, CT_I32, CT_SHAPE(3), {1, 2, 0.5})));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "from_doubles: 0.5, element 2, does not fit i32");
    CHECK(ct_is_poison(given(ctx, CT_I8, CT_SHAPE(), {NAN})));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "nan");
    ct_context_free(ctx);
}

TEST(from_doubles_rounds_once)
{
    ct_context *ctx = ct_context_new();
    double tie = 1 + 0x1p-11; /* between two f16, and so is 1 + 0x1p-8 for bf16 */

    CHECK_VALUES(given(ctx, CT_F16, CT_SHAPE(3), {tie, tie + 0x1p-40, 1e9}), CT_SHAPE(3),
                 {1, 1 + 0x1p-10, INFINITY});
    CHECK_VALUES(given(ctx, CT_BF16, CT_SHAPE(2), {1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-40}), CT_SHAPE(2),
                 {1, 1 + 0x1p-7});
    CHECK_VALUES(given(ctx, CT_F32, CT_SHAPE(4), {0.1, 1e300, -INFINITY, NAN}), CT_SHAPE(4),
                 {0.1f, INFINITY, -INFINITY, NAN});
    CHECK_VALUES(given(ctx, CT_C128, CT_SHAPE(1), {0.1}), CT_SHAPE(1), {0.1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Shapes that make no tensor: every maker refuses them in the same words. */

typedef ct_tensor *maker(ct_context *ctx, ct_dtype dtype, ct_shape shape);

static ct_tensor *by_data(ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    return ct_from_data(ctx, dtype, shape, no_data);
}
static ct_tensor *by_doubles(ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    return ct_from_doubles(ctx, dtype, shape, no_data);
}
static ct_tensor *by_full(ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    return ct_full(ctx, dtype, shape, 1);
}
static ct_tensor *by_zeros(ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    return ct_zeros(ctx, dtype, shape);
}
static ct_tensor *by_ones(ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    return ct_ones(ctx, dtype, shape);
}
static ct_tensor *by_spec(ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    return ct_spec(ctx, dtype, shape);
}

TEST(shapes_that_are_none)
{
    static maker *const makers[] = {by_data, by_doubles, by_full, by_zeros, by_ones, by_spec};
    static const int64_t many[65];
    ct_context *ctx = ct_context_new();

    for (size_t m = 0; m < sizeof makers / sizeof makers[0]; m++) {
        CHECK(ct_is_poison(makers[m](ctx, CT_F32, CT_SHAPE(2, -3))));
        CHECK_ERROR(ctx, CT_ERR_SHAPE, "extent -3 of axis 1 is negative");
        CHECK(ct_is_poison(makers[m](ctx, CT_F32, ((ct_shape){65, many}))));
        CHECK_ERROR(ctx, CT_ERR_SHAPE, "rank 65 is above 64");
        CHECK(ct_is_poison(makers[m](ctx, CT_F32, CT_SHAPE(INT64_MAX, 2))));
        CHECK_ERROR(ctx, CT_ERR_RANGE, "overflows");
        CHECK(ct_is_poison(makers[m](ctx, CT_C128, CT_SHAPE(INT64_MAX / 8))));
        CHECK_ERROR(ctx, CT_ERR_RANGE, "overflows");
        CHECK(ct_is_poison(makers[m](ctx, (ct_dtype)77, CT_SHAPE(2))));
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "there is no dtype 77");
        CHECK(ct_is_poison(makers[m](ctx, CT_INVALID_DTYPE, CT_SHAPE(2))));
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "there is no dtype 0");
        CHECK(ct_is_poison(makers[m](ctx, CT_F32, ((ct_shape){2, NULL}))));
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "NULL");
        CHECK(ct_is_poison(makers[m](NULL, CT_F32, CT_SHAPE(2))));
        CHECK(ct_size(makers[m](ctx, CT_F32, CT_SHAPE(INT64_MAX, 0))) == 0);
        CHECK(ct_rank(makers[m](ctx, CT_F32, ((ct_shape){64, many}))) == 64);
        CHECK_OK(ctx);
    }
    CHECK(ct_is_poison(ct_eye(ctx, CT_F32, -1)));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "eye: extent -1 of axis 0 is negative");
    CHECK(ct_is_poison(ct_eye(ctx, CT_F32, INT64_C(1) << 40)));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "eye: ");
    CHECK(ct_is_poison(ct_linspace(ctx, CT_F32, 0, 1, -1)));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "linspace: extent -1 of axis 0 is negative");
    CHECK(ct_is_poison(ct_arange(ctx, (ct_dtype)77, 0, 1, 1)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: there is no dtype 77");
    ct_context_free(ctx);
}

TEST(nothing_is_made_after_an_error)
{
    ct_context *ctx = ct_context_new();

    ct_scalar(ctx, CT_U8, -1);
    CHECK(ct_is_poison(ct_zeros(ctx, CT_F32, CT_SHAPE(2))));
    CHECK(ct_is_poison(ct_arange(ctx, CT_F32, 0, 3, 1)));
    CHECK(ct_is_poison(ct_linspace(ctx, CT_F32, 0, 3, 1)));
    CHECK(ct_is_poison(ct_eye(ctx, CT_F32, 2)));
    CHECK(ct_is_poison(ct_spec(ctx, CT_F32, CT_SHAPE(2))));
    CHECK(ct_is_poison(ct_from_data(ctx, CT_F32, CT_SHAPE(0), NULL)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "scalar: -1 does not fit u8");
    ct_context_free(ctx);
}

/* ---- One value. */

TEST(full_in_every_dtype)
{
    ct_context *ctx = ct_context_new();

    for (size_t i = 0; i < N_DTYPES; i++) {
        CHECK_VALUES(ct_full(ctx, every_dtype[i], CT_SHAPE(2, 3), 1), CT_SHAPE(2, 3),
                     {1, 1, 1, 1, 1, 1});
        CHECK_VALUES(ct_zeros(ctx, every_dtype[i], CT_SHAPE(3)), CT_SHAPE(3), {0, 0, 0});
        CHECK_VALUES(ct_ones(ctx, every_dtype[i], CT_SHAPE(1, 2)), CT_SHAPE(1, 2), {1, 1});
        CHECK_VALUES(ct_scalar(ctx, every_dtype[i], 1), CT_SHAPE(), {1});
        CHECK_VALUES(ct_eye(ctx, every_dtype[i], 3), CT_SHAPE(3, 3), {1, 0, 0, 0, 1, 0, 0, 0, 1});
        CHECK_EMPTY(ct_eye(ctx, every_dtype[i], 0), CT_SHAPE(0, 0));
        CHECK_EMPTY(ct_full(ctx, every_dtype[i], CT_SHAPE(0, 4), 1), CT_SHAPE(0, 4));
        CHECK(ct_dtype_of(ct_zeros(ctx, every_dtype[i], CT_SHAPE(2))) == every_dtype[i]);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The limits of every integer dtype fit; one beyond does not, and the message says what and where
 * to. */
TEST(full_at_the_limits)
{
    static const struct {
        ct_dtype dtype;
        double low, high;
    } limit[] = {{CT_BOOL, 0, 1},
                 {CT_I8, -128, 127},
                 {CT_I16, -32768, 32767},
                 {CT_I32, -0x1p31, 0x1p31 - 1},
                 {CT_I64, -0x1p63, 0x1p63 - 1024},
                 {CT_U8, 0, 255},
                 {CT_U16, 0, 65535},
                 {CT_U32, 0, 0x1p32 - 1},
                 {CT_U64, 0, 0x1p64 - 2048}};
    ct_context *ctx = ct_context_new();

    for (size_t i = 0; i < sizeof limit / sizeof limit[0]; i++) {
        double beyond[] = {limit[i].high + (limit[i].high > 0x1p53 ? 2048 : 1),
                           limit[i].low - (limit[i].low < -0x1p53 ? 2048 : 1), 0.5, NAN, INFINITY};

        CHECK_VALUES(ct_full(ctx, limit[i].dtype, CT_SHAPE(1), limit[i].low), CT_SHAPE(1),
                     {limit[i].low});
        CHECK_VALUES(ct_full(ctx, limit[i].dtype, CT_SHAPE(1), limit[i].high), CT_SHAPE(1),
                     {limit[i].high});
        for (size_t k = 0; k < 5; k++) {
            CHECK(ct_is_poison(ct_full(ctx, limit[i].dtype, CT_SHAPE(0), beyond[k])));
            CHECK_ERROR(ctx, CT_ERR_ARGUMENT, ct_dtype_name(limit[i].dtype));
        }
    }
    ct_full(ctx, CT_U8, CT_SHAPE(2), 300);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "full: 300 does not fit u8");
    CHECK_VALUES(ct_scalar(ctx, CT_I32, -0.0), CT_SHAPE(), {0});
    ct_context_free(ctx);
}

/* A splat of 2^60 elements takes one. */
TEST(full_stores_one_element)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_full(ctx, CT_F32, CT_SHAPE(1 << 20, 1 << 20, 1 << 20), 7);

    CHECK_OK(ctx);
    CHECK(ct_size(x) == INT64_C(1) << 60);
    CHECK(ct_at(x, 5, -1, 77) == 7);
    CHECK(ct_equal(x, ct_full(ctx, CT_F32, CT_SHAPE(1 << 20, 1 << 20, 1 << 20), 7)));
    CHECK(!ct_equal(x, ct_full(ctx, CT_F32, CT_SHAPE(1 << 20, 1 << 20, 1 << 20), 8)));
    CHECK(!ct_data(x));
    CHECK_ERROR(ctx, CT_ERR_MEMORY, "");
    ct_context_free(ctx);
}

/* ---- Sequences. */

TEST(arange_counts)
{
    ct_context *ctx = ct_context_new();

    CHECK_VALUES(ct_arange(ctx, CT_I32, 0, 4, 1), CT_SHAPE(4), {0, 1, 2, 3});
    CHECK_VALUES(ct_arange(ctx, CT_I32, 5, -1, -2), CT_SHAPE(3), {5, 3, 1});
    CHECK_VALUES(ct_arange(ctx, CT_I32, 5, -2, -2), CT_SHAPE(4), {5, 3, 1, -1});
    CHECK_VALUES(ct_arange(ctx, CT_I32, 0, 2.5, 1), CT_SHAPE(3), {0, 1, 2});
    CHECK_VALUES(ct_arange(ctx, CT_I32, 0, -2.5, -1), CT_SHAPE(3), {0, -1, -2});
    CHECK_VALUES(ct_arange(ctx, CT_F64, 1, 1.3, 0.1), CT_SHAPE(4),
                 {1, 1 + 0.1, 1 + 2 * 0.1, 1 + 3 * 0.1});
    CHECK_VALUES(ct_arange(ctx, CT_F32, 0, 1, 0.25), CT_SHAPE(4), {0, 0.25, 0.5, 0.75});
    CHECK_VALUES(ct_arange(ctx, CT_F16, 1, -1, -0.5), CT_SHAPE(4), {1, 0.5, 0, -0.5});
    CHECK_VALUES(ct_arange(ctx, CT_BF16, 0, 2, 1), CT_SHAPE(2), {0, 1});
    CHECK_VALUES(ct_arange(ctx, CT_C64, 0, 2, 1), CT_SHAPE(2), {0, 1});
    CHECK_VALUES(ct_arange(ctx, CT_BOOL, 0, 2, 1), CT_SHAPE(2), {0, 1});
    CHECK_VALUES(ct_arange(ctx, CT_F64, 0, 0x1p-1074, 1), CT_SHAPE(1), {0});
    CHECK_EMPTY(ct_arange(ctx, CT_I32, 0, 4, -1), CT_SHAPE(0));
    CHECK_EMPTY(ct_arange(ctx, CT_I32, 3, 3, 1), CT_SHAPE(0));
    CHECK_EMPTY(ct_arange(ctx, CT_U8, 300, 300, 1), CT_SHAPE(0));
    CHECK_EMPTY(ct_arange(ctx, CT_F32, 0, 1, -0.5), CT_SHAPE(0));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The whole range of each integer dtype, and steps that double arithmetic would lose. */
TEST(arange_is_exact_for_integers)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x;

    x = ct_arange(ctx, CT_I8, -128, 128, 1);
    CHECK(ct_size(x) == 256 && ct_at_int(x, 0) == -128 && ct_at_int(x, -1) == 127);
    x = ct_arange(ctx, CT_U8, 255, -1, -1);
    CHECK(ct_size(x) == 256 && ct_at_int(x, 0) == 255 && ct_at_int(x, -1) == 0);
    x = ct_arange(ctx, CT_I64, -0x1p63, 0x1p63, 0x1p62);
    CHECK(ct_size(x) == 4 && ct_at_int(x, 0) == INT64_MIN && ct_at_int(x, 3) == INT64_C(1) << 62);
    x = ct_arange(ctx, CT_I64, 0x1p62, -0x1p63, -0x1p62);
    CHECK(ct_size(x) == 3 && ct_at_int(x, 2) == -(INT64_C(1) << 62));
    x = ct_arange(ctx, CT_U64, 0, 0x1p64, 0x1p63 + 2048);
    CHECK(ct_size(x) == 2 && (uint64_t)ct_at_int(x, 1) == (UINT64_C(1) << 63) + 2048);
    x = ct_arange(ctx, CT_I64, 0x1p53, 0x1p53 + 6, 3); /* 2^53 + 3 is no double */
    CHECK(ct_size(x) == 2 && ct_at_int(x, 1) == (INT64_C(1) << 53) + 3);
    x = ct_arange(ctx, CT_I64, 0, 0x1p60, 0x1p60 - 128);
    CHECK(ct_size(x) == 2);
    x = ct_arange(ctx, CT_I64, 0, -0x1p63 - 2048, -0x1p62 - 1024); /* the third would be stop */
    CHECK(ct_size(x) == 2);
    CHECK_VALUES(ct_arange(ctx, CT_U8, 250, 260, 10), CT_SHAPE(1), {250});
    CHECK_VALUES(ct_arange(ctx, CT_U8, 250, 256, 5), CT_SHAPE(2), {250, 255});
    CHECK_VALUES(ct_arange(ctx, CT_U8, 5, -5, -10), CT_SHAPE(1), {5});
    CHECK_OK(ctx);
    ct_arange(ctx, CT_U8, 250, 260, 5.5);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: step 5.5 is not a whole number");
    ct_arange(ctx, CT_U8, 250, 261, 10);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: 260 does not fit u8");
    ct_arange(ctx, CT_U8, 5, -6, -10);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: -5 does not fit u8");
    ct_arange(ctx, CT_I8, 0, 1e300, 100);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: 200 does not fit i8");
    ct_arange(ctx, CT_U8, -1, 4, 1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: -1 does not fit u8");
    ct_arange(ctx, CT_BOOL, 0, 3, 1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: 2 does not fit bool");
    ct_arange(ctx, CT_I32, 0.5, 4, 1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: 0.5 does not fit i32");
    ct_arange(ctx, CT_U64, 0, 0x1p64, 1);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "arange: the number of elements overflows");
    ct_arange(ctx, CT_I64, -0x1p63, 0x1p63, 1);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "overflows");
    ct_context_free(ctx);
}

TEST(arange_refuses)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    ct_context *ctx = ct_context_new();

    for (size_t i = 0; i < 3; i++) {
        ct_arange(ctx, CT_F32, bad[i], 1, 1);
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: start, stop and step must be finite");
        ct_arange(ctx, CT_I32, 0, bad[i], 1);
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: start, stop and step must be finite");
        ct_arange(ctx, CT_I32, 0, 1, bad[i]);
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: start, stop and step must be finite");
    }
    ct_arange(ctx, CT_F64, 0, 1, 0);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: step is 0");
    ct_arange(ctx, CT_I64, 1, 1, -0.0);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "arange: step is 0");
    ct_arange(ctx, CT_F64, 0, 1, 1e-300);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "overflows");
    ct_arange(ctx, CT_F64, -1e308, 1e308, 1e300);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "overflows");
    ct_context_free(ctx);
}

TEST(linspace_ends_are_exact)
{
    ct_context *ctx = ct_context_new();
    double big = 1.7e308;

    CHECK_VALUES(ct_linspace(ctx, CT_F64, 0, 1, 5), CT_SHAPE(5), {0, 0.25, 0.5, 0.75, 1});
    CHECK_VALUES(ct_linspace(ctx, CT_F64, 0, 1, 11), CT_SHAPE(11),
                 {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1});
    CHECK_VALUES(ct_linspace(ctx, CT_I32, 10, -20, 4), CT_SHAPE(4), {10, 0, -10, -20});
    CHECK_VALUES(ct_linspace(ctx, CT_F64, 3, 7, 1), CT_SHAPE(1), {3});
    CHECK_VALUES(ct_linspace(ctx, CT_F64, 3, 7, 2), CT_SHAPE(2), {3, 7});
    CHECK_VALUES(ct_linspace(ctx, CT_F64, 3, 3, 3), CT_SHAPE(3), {3, 3, 3});
    CHECK_VALUES(ct_linspace(ctx, CT_F64, -big, big, 3), CT_SHAPE(3), {-big, 0, big});
    CHECK_VALUES(ct_linspace(ctx, CT_F16, 0, 0.1, 2), CT_SHAPE(2), {0, 0.0999755859375});
    CHECK_EMPTY(ct_linspace(ctx, CT_F64, 3, 7, 0), CT_SHAPE(0));
    for (int n = 2; n < 40; n++)
        CHECK(ct_at(ct_linspace(ctx, CT_F64, 0.1, 0.7, n), -1) == 0.7);
    CHECK_OK(ctx);
    ct_linspace(ctx, CT_I32, 0, 1, 3);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "linspace: 0.5 does not fit i32");
    ct_linspace(ctx, CT_F64, NAN, 1, 3);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "linspace: first and last must be finite");
    ct_linspace(ctx, CT_F64, 0, INFINITY, 3);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "linspace: first and last must be finite");
    ct_context_free(ctx);
}

/* ---- The rest. */

TEST(spec_is_a_type_without_data)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(4, 2));

    CHECK(!ct_is_concrete(x) && !ct_is_traced(x) && !ct_is_poison(x));
    CHECK(ct_dtype_of(x) == CT_F32 && ct_rank(x) == 2 && ct_dim(x, 0) == 4 && ct_size(x) == 8);
    ct_item(x);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "item: x is a type without data");
    ct_context_free(ctx);
}

TEST(coded_data_spells_coordinates)
{
    ct_context *ctx = ct_context_new();

    CHECK_VALUES(coded(ctx, CT_F32, 2, 3), CT_SHAPE(2, 3), {0, 1, 2, 10, 11, 12});
    CHECK(ct_at(coded(ctx, CT_I32, 3, 4, 5), 2, 3, 4) == 234);
    CHECK(ct_at(coded(ctx, CT_I32, 12, 4), 11, 3) == 1103);
    CHECK_VALUES(coded(ctx, CT_BOOL, 3), CT_SHAPE(3), {0, 1, 0});
    CHECK_EMPTY(coded(ctx, CT_F64, 2, 0), CT_SHAPE(2, 0));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void make_without_memory(ct_context *ctx)
{
    coded(ctx, CT_F32, 3, 2);
    ct_full(ctx, CT_F32, CT_SHAPE(3, 2), 1);
    ct_arange(ctx, CT_I32, 0, 9, 2);
    ct_arange(ctx, CT_F32, 0, 9, 2);
    ct_linspace(ctx, CT_F16, 0, 1, 5);
    ct_eye(ctx, CT_C64, 3);
    ct_spec(ctx, CT_F32, CT_SHAPE(2));
    ct_from_data(ctx, CT_F64, CT_SHAPE(1), no_data);
}

TEST(making_without_memory)
{
    CHECK_ALLOCATIONS(make_without_memory);
}
