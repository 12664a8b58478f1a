/* Quantized tensors: their types, between real numbers and stored integers, what moves, and
 * inference. Numbers that are not obvious are by tests/data/quantize.py. */
#include "ops/quantize.h"
#include "tests/infer.h"
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/op.h>

#include <math.h>
#include <string.h>

/* One scale for all: i8, f32. */
static ct_quantization one(const double *scale, const int64_t *zero_point)
{
    return (ct_quantization){.storage = CT_I8,
                             .expressed = CT_F32,
                             .axis = -1,
                             .count = 1,
                             .scale = scale,
                             .zero_point = zero_point};
}

#define ONE(scale, zero_point) one((const double[]){scale}, (const int64_t[]){zero_point})

static ct_tensor *stored(ct_tensor *x)
{
    ct_quantization q;
    CHECK(ct_type_quantization(ct_type_of(x), &q));
    return ct_op_bitcast_convert(x, q.storage);
}

/* The type of x as internal text. */
static void check_type(int line, const ct_tensor *x, const char *expected)
{
    char text[256];
    ct__type_print(ct_type_of(x), text, sizeof text);
    CHECK_MSG(strcmp(text, expected) == 0, "line %d: the type is %s, not %s", line, text, expected);
}
#define CHECK_TYPE(x, expected) check_type(__LINE__, x, expected)

/* ---- Types. */

TEST(types_are_copied_compared_printed)
{
    static const char *const text[] = {"q<i8:f32,0.5>[]",
                                       "q<i8:f32,0.5:-1>[2,3]",
                                       "q<i8<-127:127>:f32,0.5:-1>[2,3]",
                                       "q<u4:bf16:1,{0.5:3,0.25}>[2,2]",
                                       "q<i32:f64,1e-06:7>[0]",
                                       "q<i8:f32:0,{}>[0]",
                                       "tuple<q<i8:f32,0.5>[2],f32[]>"};
    char buffer[64];
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const ct_type *type = type_of_text(&arena, text[i]);
        CHECK(strcmp(ct__type_print(type, buffer, sizeof buffer), text[i]) == 0);
        const ct_type *copy = ct__type_copy(&arena, type);
        CHECK(ct__type_equal(copy, type));
        CHECK(strcmp(ct__type_print(copy, buffer, sizeof buffer), text[i]) == 0);
        for (size_t j = 0; j < i; j++)
            CHECK(!ct__type_equal(type, type_of_text(&arena, text[j])));
    }
    CHECK(!ct__type_equal(type_of_text(&arena, "q<i8:f32,0.5>[]"), type_of_text(&arena, "i8[]")));
    CHECK(!ct__has_tangent(type_of_text(&arena, "q<i8:f32,0.5>[]")));
    const ct_type *wide = type_of_text(&arena, "q<i8:f32:0,{0.125:1,0.25:2,0.5:3,2:4,4:5}>[5]");
    ct__type_print(wide, buffer, 24);
    CHECK(strlen(buffer) == 23 && strcmp(buffer + 20, "…") == 0);
    ct__arena_free(&arena);
}

static void check_wrong(int line, const char *text, ct_status status, const char *message)
{
    char found[200] = "";
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    CHECK_MSG(ct__quantized_check(type_of_text(&arena, text), found, sizeof found) == status &&
                  strcmp(found, message) == 0,
              "line %d: %s", line, found);
    ct__arena_free(&arena);
}
#define WRONG(text, status, message) check_wrong(__LINE__, text, status, message)

TEST(wrong_types)
{
    WRONG("q<u32:f64,0.5:4294967295>[2]", CT_OK, "");
    WRONG("q<i8:f32:1,{}>[2,0]", CT_OK, "");
    WRONG("q<i64:f32,0.5>[2]", CT_ERR_TYPE,
          "the storage must be integers of at most 32 bits, got i64"); /* C1, C2 */
    WRONG("q<bool:f32,0.5>[2]", CT_ERR_TYPE,
          "the storage must be integers of at most 32 bits, got bool"); /* C1, C2 */
    WRONG("q<i4<-9:7>:f32,0.5>[2]", CT_ERR_TYPE,
          "the storage bounds -9 and 7 must ascend within [-8, 7]"); /* C3 */
    WRONG("q<u2<2:2>:f32,0.5:2>[2]", CT_ERR_TYPE,
          "the storage bounds 2 and 2 must ascend within [0, 3]"); /* C3 */
    WRONG("q<i8:i32,0.5>[2]", CT_ERR_TYPE,
          "the expressed numbers must be floats, got i32"); /* C4 */
    WRONG("q<i8:f32:0,{0.5,0}>[2]", CT_ERR_TYPE,
          "scale[1] = 0 must be positive and finite in f32"); /* C5 */
    WRONG("q<i8:f32,-0.5>[2]", CT_ERR_TYPE, "scale[0] = -0.5 must be positive and finite in f32");
    WRONG("q<i8:f16,1e-9>[2]", CT_ERR_TYPE, "scale[0] = 1e-09 must be positive and finite in f16");
    WRONG("q<i8:f32,1e39>[2]", CT_ERR_TYPE,
          "scale[0] = 1e+39 must be positive and finite in f32"); /* C6 */
    WRONG("q<i8:f32,nan>[2]", CT_ERR_TYPE, "scale[0] = nan must be positive and finite in f32");
    WRONG("q<i8<-127:127>:f32,0.5:-128>[2]", CT_ERR_TYPE,
          "zero_point[0] = -128 must lie in the storage bounds [-127, 127]"); /* C7, C8 */
    WRONG("q<i8:f32,{0.5,0.5}>[2]", CT_ERR_SHAPE,
          "without an axis there must be 1 scale, not 2"); /* C10 */
    WRONG("q<i8:f32:-2,{0.5}>[2]", CT_ERR_SHAPE,
          "the quantized axis -2 must be one of rank 1"); /* C11 */
    WRONG("q<i8:f32:1,{0.5}>[2]", CT_ERR_SHAPE,
          "the quantized axis 1 must be one of rank 1"); /* C12 */
    WRONG("q<i8:f32:0,{0.5}>[2]", CT_ERR_SHAPE,
          "axis 0 of extent 2 must have as many scales, not 1"); /* C13 */
    WRONG("tuple<f32[],q<i8:f32,0>[]>", CT_ERR_TYPE,
          "scale[0] = 0 must be positive and finite in f32");
}

TEST(descriptions)
{
    ct_context *ctx = ct_context_new();
    ct_quantization q = {.count = 77};
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {0.5, -1});

    CHECK(!ct_type_quantization(ct_type_of(x), &q) && q.count == 77);
    CHECK(!ct_type_quantization(NULL, &q));
    ct_tensor *y = ct_op_uniform_quantize(x, ONE(0.25, -3));
    CHECK(ct_type_quantization(ct_type_of(y), &q));
    CHECK(ct_dtype_of(y) == CT_I8 && q.storage == CT_I8 && q.expressed == CT_F32 && q.axis == -1);
    CHECK(q.storage_min == -128 && q.storage_max == 127 && q.count == 1 && q.scale[0] == 0.25 &&
          q.zero_point[0] == -3);
    CHECK_VALUES(stored(ct_op_bitcast_quantize(stored(y), q)), CT_SHAPE(2), {-1, -7});
    q.zero_point = NULL;
    CHECK_TYPE(ct_op_uniform_quantize(x, q), "q<i8:f32,0.25>[2]");
    CHECK_OK(ctx);

    q.scale = NULL;
    ct_op_uniform_quantize(x, q);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "uniform_quantize: scale is NULL");
    q = ONE(0.5, 0);
    q.count = SIZE_MAX;
    ct_op_uniform_quantize(x, q);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "without an axis there must be 1 scale");
    q.axis = 0;
    ct_op_uniform_quantize(x, q);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "axis 0 of extent 2 must have as many scales");
    q = ONE(0.5, 0);
    q.storage = (ct_dtype)99;
    ct_op_uniform_quantize(x, q);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "the storage must be integers");
    q = ONE(0.5, 0);
    q.expressed = CT_F64;
    ct_op_uniform_quantize(x, q);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "must be quantized and express f32"); /* C2 */
    ct_op_uniform_quantize(ct_op_convert(x, CT_I32), ONE(0.5, 0));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "x must be a float or quantized"); /* C2 */
    ct_op_uniform_dequantize(x);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "x must be quantized, got f32[2]");
    ct_op_bitcast_quantize(x, ONE(0.5, 0));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "the result must store i8[2,4], not be q<i8:f32,0.5>[2]");
    ct_op_uniform_quantize(NULL, ONE(0.5, 0));
    CHECK(ct_context_of(NULL) == NULL);
    ct_context_free(ctx);
}

/* ---- Between real numbers and stored integers. */

static const double real_numbers[] = {0,     0.05, 0.15, -0.25, 1.0 / 3,  -1.0 / 3, 12.7,
                                      -12.8, 1e6,  -1e6, NAN,   INFINITY, -INFINITY};

static void check_rounding(ct_context *ctx, int line, ct_dtype storage, ct_dtype expressed,
                           double scale, int64_t zero_point, const double *integers,
                           const double *back)
{
    enum { N = sizeof real_numbers / sizeof *real_numbers };
    ct_quantization q = one(&scale, &zero_point);

    q.storage = storage;
    q.expressed = expressed;
    ct_tensor *x = ct_from_doubles(ctx, expressed, CT_SHAPE(N), real_numbers);
    ct_tensor *y = ct_op_uniform_quantize(x, q), *z = ct_op_uniform_dequantize(y);
    CHECK(ct_dtype_of(z) == expressed);
    for (int64_t i = 0; i < N; i++) {
        CHECK_MSG(ct_at(stored(y), i) == integers[i], "line %d: integer %d is %g, not %g", line,
                  (int)i, ct_at(stored(y), i), integers[i]);
        CHECK_MSG(ct_at(z, i) == back[i], "line %d: real %d is %.17g, not %.17g", line, (int)i,
                  ct_at(z, i), back[i]);
    }
}
#define CHECK_ROUNDING(storage, expressed, scale, zero_point, ...)                                 \
    check_rounding(ctx, __LINE__, storage, expressed, scale, zero_point, __VA_ARGS__)
#define ROW(...) ((const double[]){__VA_ARGS__})

TEST(quantizing_and_back)
{
    ct_context *ctx = ct_context_new();
    CHECK_ROUNDING(CT_I8, CT_F32, 0.1, -30,
                   ROW(-30, -30, -28, -32, -27, -33, 97, -128, 127, -128, 0, 127, -128),
                   ROW(0.0, 0.0, 0.20000000298023224, -0.20000000298023224, 0.30000001192092896,
                       -0.30000001192092896, 12.699999809265137, -9.800000190734863,
                       15.699999809265137, -9.800000190734863, 3.0, 15.699999809265137,
                       -9.800000190734863));
    CHECK_ROUNDING(CT_U8, CT_F32, 0.3, 7, ROW(7, 7, 8, 6, 8, 6, 49, 0, 255, 0, 0, 255, 0),
                   ROW(0.0, 0.0, 0.30000001192092896, -0.30000001192092896, 0.30000001192092896,
                       -0.30000001192092896, 12.600000381469727, -2.1000001430511475,
                       74.4000015258789, -2.1000001430511475, -2.1000001430511475, 74.4000015258789,
                       -2.1000001430511475));
    CHECK_ROUNDING(CT_I4, CT_F32, 0.5, 1, ROW(1, 1, 1, 0, 2, 0, 7, -8, 7, -8, 0, 7, -8),
                   ROW(0, 0, 0, -0.5, 0.5, -0.5, 3, -4.5, 3, -4.5, -0.5, 3, -4.5));
    CHECK_ROUNDING(
        CT_I16, CT_F64, 0.001, 100,
        ROW(100, 150, 250, -150, 433, -233, 12800, -12700, 32767, -32768, 0, 32767, -32768),
        ROW(0.0, 0.05, 0.15, -0.25, 0.333, -0.333, 12.700000000000001, -12.8, 32.667, -32.868, -0.1,
            32.667, -32.868));
    CHECK_ROUNDING(CT_I32, CT_F32, 0.001, -5,
                   ROW(-5, 45, 145, -255, 328, -338, 12695, -12805, 999999936, -999999936, 0,
                       2147483647, -2147483648),
                   ROW(0.0, 0.05000000074505806, 0.15000000596046448, -0.25, 0.3330000042915344,
                       -0.3330000042915344, 12.700000762939453, -12.800000190734863, 1000000.0,
                       -1000000.0, 0.005000000353902578, 2147483.75, -2147483.75));
    CHECK_ROUNDING(CT_I8, CT_F16, 0.1, -30,
                   ROW(-30, -30, -28, -32, -27, -33, 97, -128, 127, -128, 0, 127, -128),
                   ROW(0.0, 0.0, 0.199951171875, -0.199951171875, 0.2998046875, -0.2998046875,
                       12.6953125, -9.796875, 15.6953125, -9.796875, 3.0, 15.6953125, -9.796875));
    CHECK_ROUNDING(CT_I8, CT_BF16, 0.1, -30,
                   ROW(-30, -30, -28, -32, -27, -33, 97, -128, 127, -128, 0, 127, -128),
                   ROW(0.0, 0.0, 0.2001953125, -0.2001953125, 0.30078125, -0.30078125, 12.6875,
                       -9.8125, 15.6875, -9.8125, 3.0, 15.6875, -9.8125));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(ties_and_bounds)
{
    ct_context *ctx = ct_context_new();
    ct_quantization q = ONE(0.5, -1);
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(8), {0.25, 0.75, 1.25, 1.75, -0.25, 90, -90, NAN});
    CHECK_VALUES(stored(ct_op_uniform_quantize(x, q)), CT_SHAPE(8), {0, 0, 2, 2, -2, 127, -128, 0});
    q.storage_min = -100;
    q.storage_max = 2;
    CHECK_VALUES(stored(ct_op_uniform_quantize(x, q)), CT_SHAPE(8), {0, 0, 2, 2, -2, 2, -100, 0});
    CHECK_EMPTY(
        ct_op_uniform_dequantize(ct_op_uniform_quantize(ct_zeros(ctx, CT_F32, CT_SHAPE(3, 0)), q)),
        CT_SHAPE(3, 0));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static const double three_scales[] = {0.5, 0.25, 2};
static const int64_t three_zero_points[] = {0, 1, -3};

/* i8, f32, along an axis of extent 3. */
static ct_quantization along(int axis)
{
    ct_quantization q = one(three_scales, three_zero_points);
    q.axis = axis;
    q.count = 3;
    return q;
}

TEST(along_an_axis)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2, 3), {1, 1, 1, -3, -3, -300});
    ct_tensor *y = ct_op_uniform_quantize(x, along(1));
    CHECK_VALUES(stored(y), CT_SHAPE(2, 3), {2, 5, -2, -6, -11, -128}); /* 0.5 - 3 ties to -2 */
    CHECK_VALUES(ct_op_uniform_dequantize(y), CT_SHAPE(2, 3), {1, 1, 2, -3, -3, -250});
    CHECK_TYPE(y, "q<i8:f32:1,{0.5,0.25:1,2:-3}>[2,3]");
    ct_tensor *z = ct_op_uniform_quantize(ct_op_transpose(x, CT_DIMS(1, 0)), along(0));
    CHECK_VALUES(stored(z), CT_SHAPE(3, 2), {2, -6, 5, -11, -2, -128});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Quantizing again goes through the real numbers. */
TEST(requantizing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I8, CT_SHAPE(2, 3), {2, 5, -2, -6, -11, -128});
    ct_tensor *y = ct_op_uniform_quantize(ct_op_bitcast_quantize(x, along(1)), ONE(4, 10));
    CHECK_VALUES(stored(y), CT_SHAPE(2, 3), {10, 10, 10, 9, 9, -52}); /* 10.25 10.25 10.5 9.25 … */
    ct_tensor *z = ct_op_uniform_quantize(y, along(1));
    CHECK_VALUES(stored(z), CT_SHAPE(2, 3), {0, 1, -3, -8, -15, -127});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Moving. Where the quantized axis goes: 3-cycles tell a permutation from its inverse. */

static ct_tensor *coded_along(ct_context *ctx, int axis, ct_shape shape)
{
    return ct_op_bitcast_quantize(values_coded(ctx, CT_I8, shape), along(axis));
}

/* Moving commutes with dequantizing. */
#define CHECK_MOVES(op, ...)                                                                       \
    CHECK_BITS(ct_op_uniform_dequantize(op(q, __VA_ARGS__)),                                       \
               op(ct_op_uniform_dequantize(q), __VA_ARGS__))

TEST(moving_the_axis)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *q = coded_along(ctx, 1, CT_SHAPE(2, 3, 4));

    CHECK_TYPE(ct_op_transpose(q, CT_DIMS(1, 2, 0)), "q<i8:f32:0,{0.5,0.25:1,2:-3}>[3,4,2]");
    CHECK_TYPE(ct_op_transpose(q, CT_DIMS(2, 0, 1)), "q<i8:f32:2,{0.5,0.25:1,2:-3}>[4,2,3]");
    CHECK_MOVES(ct_op_transpose, CT_DIMS(1, 2, 0));
    CHECK_MOVES(ct_op_transpose, CT_DIMS(2, 0, 1));
    CHECK_MOVES(ct_op_broadcast_in_dim, CT_DIMS(3, 5, 4, 2), CT_DIMS(3, 0, 2));
    CHECK_TYPE(ct_op_broadcast_in_dim(q, CT_DIMS(4, 5, 2, 3), CT_DIMS(2, 3, 0)),
               "q<i8:f32:3,{0.5,0.25:1,2:-3}>[4,5,2,3]");
    CHECK_MOVES(ct_op_broadcast_in_dim, CT_DIMS(4, 5, 2, 3), CT_DIMS(2, 3, 0));
    CHECK_MOVES(ct_op_reshape, CT_DIMS(2, 1, 3, 2, 2));
    CHECK_TYPE(ct_op_reshape(q, CT_DIMS(2, 1, 3, 2, 2)),
               "q<i8:f32:2,{0.5,0.25:1,2:-3}>[2,1,3,2,2]");
    CHECK_OK(ctx);
    ct_op_reshape(q, CT_DIMS(6, 4));
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "the quantized axis 1 of x: q<i8:f32:1,{0.5,0.25:1,2:-3}>[2,3,4] has no place in "
                "i8[6,4]");
    ct_op_reshape(q, CT_DIMS(4, 3, 2));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "has no place in i8[4,3,2]");
    ct_context_free(ctx);
}

TEST(broadcasting_repeats_a_scale)
{
    ct_context *ctx = ct_context_new();
    ct_quantization one_slice = ONE(0.25, 3);
    one_slice.axis = 0;
    ct_tensor *q = ct_op_bitcast_quantize(given(ctx, CT_I8, CT_SHAPE(1, 2), {7, -1}), one_slice);
    ct_tensor *y = ct_op_broadcast_in_dim(q, CT_DIMS(2, 3), CT_DIMS(1, 0));
    CHECK_TYPE(y, "q<i8:f32:1,{0.25:3,0.25:3,0.25:3}>[2,3]");
    CHECK_VALUES(ct_op_uniform_dequantize(y), CT_SHAPE(2, 3), {1, 1, 1, -1, -1, -1});
    CHECK_TYPE(ct_op_broadcast_in_dim(q, CT_DIMS(0, 2), CT_DIMS(0, 1)), "q<i8:f32:0,{}>[0,2]");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(moving_with_one_scale)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *q = ct_op_bitcast_quantize(coded(ctx, CT_I8, 2, 3), ONE(0.5, 1));
    ct_tensor *other = ct_op_bitcast_quantize(coded(ctx, CT_I8, 2, 3), ONE(0.5, 2));
    ct_tensor *per_axis = coded_along(ctx, 1, CT_SHAPE(2, 3));
    ct_tensor *two = ct_op_bitcast_quantize(given(ctx, CT_I8, CT_SHAPE(), {77}), ONE(0.5, 1));
    ct_tensor *at[] = {given(ctx, CT_I32, CT_SHAPE(), {1}), given(ctx, CT_I32, CT_SHAPE(), {9})};
    ct_tensor *small = ct_op_slice(q, CT_DIMS(0, 0), CT_DIMS(1, 1), CT_DIMS(1, 1));

    CHECK_MOVES(ct_op_slice, CT_DIMS(0, 1), CT_DIMS(2, 3), CT_DIMS(1, 1));
    CHECK_MOVES(ct_op_reverse, CT_DIMS(1));
    CHECK_MOVES(ct_op_dynamic_slice, CT_LIST(2, at), CT_DIMS(1, 2), false);
    CHECK_VALUES(stored(ct_op_pad(q, two, CT_DIMS(0, 1), CT_DIMS(0, 0), CT_DIMS(0, 0))),
                 CT_SHAPE(2, 4), {77, 0, 1, 2, 77, 10, 11, 12});
    CHECK_VALUES(stored(ct_op_concatenate(CT_ARGV(q, q), 0)), CT_SHAPE(4, 3),
                 {0, 1, 2, 10, 11, 12, 0, 1, 2, 10, 11, 12});
    CHECK_VALUES(stored(ct_op_dynamic_update_slice(q, small, CT_LIST(2, at), false)),
                 CT_SHAPE(2, 3), {0, 1, 2, 10, 11, 0});
    ct_tensor *mask = given(ctx, CT_BOOL, CT_SHAPE(2, 3), {1, 0, 0, 1, 1, 0});
    CHECK_VALUES(stored(ct_op_select(
                     mask, per_axis,
                     ct_op_bitcast_quantize(ct_zeros(ctx, CT_I8, CT_SHAPE(2, 3)), along(1)))),
                 CT_SHAPE(2, 3), {0, 0, 0, 10, 11, 0});
    CHECK_TYPE(ct_op_stop_gradient(per_axis), "q<i8:f32:1,{0.5,0.25:1,2:-3}>[2,3]");
    CHECK_OK(ctx);

    ct_op_concatenate(CT_ARGV(q, other), 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE,
                "concatenate: x[0] and x[1] must be quantized alike, got q<i8:f32,0.5:1>[2,3] and "
                "q<i8:f32,0.5:2>[2,3]");
    ct_op_concatenate(CT_ARGV(stored(q), q), 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "x[0] and x[1] must be quantized alike, got i8[2,3]");
    ct_op_reverse(per_axis, CT_DIMS(1));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "x must have one scale for all its elements, got q<i8:f32:1");
    ct_op_dynamic_slice(stored(q), CT_ARGV(two, two), CT_DIMS(1, 2), false);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "start[0] must not be quantized, got q<i8:f32,0.5:1>[]");
    ct_op_add(q, q);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "add: the quantization of the result must be stated");
    ct_op_add(q, stored(q));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "y must be quantized as the others are, got i8[2,3]");
    ct_op_popcnt(q);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "popcnt: x must not be quantized, got q<i8:f32,0.5:1>[2,3]");
    ct_op_convert(q, CT_F32);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "convert: x must not be quantized");
    ct_context_free(ctx);
}

/* ---- Inference with stated results. */

#define Q "q<i8:f32,0.5:1>[2,3]"
#define Q2 "q<i8:f32,0.25>[2,3]"
#define AXIS "q<i8:f32:1,{0.5,0.25:1,2:-3}>[2,3]"

static const infer_case stated[] = {
    GOOD_GIVEN(add, Q " " Q2, "q<i32:f32,0.125>[2,3]", "q<i32:f32,0.125>[2,3]", NO_ATTRS),
    GOOD_GIVEN(add, AXIS " " Q2, AXIS, AXIS, NO_ATTRS),
    GOOD_GIVEN(tanh, Q, Q2, Q2, NO_ATTRS),
    GOOD(compare, Q " " Q2, "bool[2,3]", {.compare = {0}}),
    GOOD(is_finite, Q, "bool[2,3]", NO_ATTRS),
    BAD_GIVEN(add, Q " " Q2, "f32[2,3]", TYPE,
              "result 0 must be quantized and express f32, not f32[2,3]", NO_ATTRS),
    BAD_GIVEN(add, Q " " Q2, "q<i8:f64,0.5>[2,3]", TYPE,
              "result 0 must be quantized and express f32, not q<i8:f64,0.5>[2,3]", NO_ATTRS),
    BAD_GIVEN(add, Q " " Q2, "q<i8:f32,0.5>[3,2]", SHAPE,
              "result 0 must have the shape of f32[2,3], not be q<i8:f32,0.5>[3,2]", NO_ATTRS),
    BAD_GIVEN(add, Q " " Q2, "q<i8:f32,0>[2,3]", TYPE,
              "the type q<i8:f32,0>[2,3] of result 0 is wrong: scale[0] = 0 must be positive and "
              "finite in f32",
              NO_ATTRS),
    BAD_GIVEN(add, Q " q<i8:f64,0.5>[2,3]", Q, TYPE,
              "x and y must have one dtype, got f32[2,3] and f64[2,3]", NO_ATTRS),
    BAD_GIVEN(add, Q " f32[2,3]", Q, TYPE, "y must be quantized as the others are, got f32[2,3]",
              NO_ATTRS),
    BAD_GIVEN(and, Q " " Q, Q, TYPE, "x must not be quantized, got " Q, NO_ATTRS),
    BAD_GIVEN(erf, Q, Q, TYPE, "x must not be quantized, got " Q, NO_ATTRS),

    /* hybrid */
    GOOD_GIVEN(
        dot_general, "f32[2,3] q<i8:f32:1,{0.5,0.25}>[3,2]", "f32[2,2]", "f32[2,2]",
        {.dot_general = {.lhs_contracting_dimensions = L(1), .rhs_contracting_dimensions = L(0)}}),
    BAD_GIVEN(
        dot_general, "q<i8:f32,0.5>[2,3] f32[3,2]", "f32[2,2]", TYPE,
        "y must be quantized as the others are, got f32[3,2]",
        {.dot_general = {.lhs_contracting_dimensions = L(1), .rhs_contracting_dimensions = L(0)}}),

    GOOD_GIVEN(uniform_quantize, "f32[2,3]", Q, Q, NO_ATTRS),
    GOOD_GIVEN(uniform_quantize, AXIS, Q, Q, NO_ATTRS),
    BAD_GIVEN(uniform_quantize, "f32[3,2]", Q, SHAPE,
              "result 0 must have the shape of f32[3,2], not be " Q, NO_ATTRS),
    BAD(uniform_quantize, "f32[3,2]", ARGUMENT, "the type of the result must be stated", NO_ATTRS),
    BAD_GIVEN(uniform_quantize, "token", Q, TYPE, "x must be a tensor, got token", NO_ATTRS),
    GOOD(uniform_dequantize, AXIS, "f32[2,3]", NO_ATTRS),
    BAD(uniform_dequantize, "i8[2]", TYPE, "x must be quantized, got i8[2]", NO_ATTRS),
    BAD(uniform_dequantize, "token", TYPE, "x must be quantized, got token", NO_ATTRS),
    GOOD(bitcast_convert, Q, "i8[2,3]", {.bitcast_convert = {CT_I8}}),
    GOOD_GIVEN(bitcast_convert, "i8[2,3]", AXIS, AXIS, {.bitcast_convert = {CT_I8}}),
    GOOD_GIVEN(bitcast_convert, "q<i16:f32,1>[2]", "q<i8:f32,2>[2,2]", "q<i8:f32,2>[2,2]",
               {.bitcast_convert = {CT_I8}}),
    BAD_GIVEN(bitcast_convert, "u8[2,3]", Q, TYPE, "the result must store u8[2,3], not be " Q,
              {.bitcast_convert = {CT_U8}}),

    /* which of several axes of one slice */
    GOOD(reshape, "q<i8:f32:0,{0.5}>[1]", "q<i8:f32:0,{0.5}>[1,1]", {.reshape = {L(1, 1)}}),
    GOOD_GIVEN(reshape, "q<i8:f32:0,{0.5}>[1]", "q<i8:f32:1,{0.5}>[1,1]", "q<i8:f32:1,{0.5}>[1,1]",
               {.reshape = {L(1, 1)}}),
    GOOD(reshape, "q<i8:f32:1,{}>[2,0]", "q<i8:f32:2,{}>[2,1,0]", {.reshape = {L(2, 1, 0)}}),

    /* bodies on quantized scalars */
    GOOD_BODY(reduce, "q<i8:f32,0.5:1>[2,3] q<i8:f32,0.5:1>[]",
              "q<i8:f32,0.5:1>[] q<i8:f32,0.5:1>[] -> q<i8:f32,0.5:1>[]", "q<i8:f32,0.5:1>[2]",
              {.reduce = {.dimensions = L(1), .n_inputs = 1}}),
    BAD_BODY(reduce, "q<i8:f32,0.5:1>[2,3] q<i8:f32,0.5:2>[]",
             "q<i8:f32,0.5:1>[] q<i8:f32,0.5:1>[] -> q<i8:f32,0.5:1>[]", TYPE,
             "x and init must have one dtype, got q<i8:f32,0.5:1>[2,3] and q<i8:f32,0.5:2>[]",
             {.reduce = {.dimensions = L(1), .n_inputs = 1}}),
    BAD_BODY(reduce, "q<i8:f32,0.5:1>[2,3] q<i8:f32,0.5:1>[]", "i8[] i8[] -> i8[]", TYPE,
             "the body must take q<i8:f32,0.5:1>[] as parameter 0, not i8[]",
             {.reduce = {.dimensions = L(1), .n_inputs = 1}}),
    GOOD_BODY(all_reduce, "q<i8:f32,0.5:1>[2,3]",
              "q<i8:f32,0.5:1>[] q<i8:f32,0.5:1>[] -> q<i8:f32,0.5:1>[]", "q<i8:f32,0.5:1>[2,3]",
              {.all_reduce = {.n_inputs = 1}}),
    BAD_BODY(all_reduce, "q<i8:f32,0.5:2>[2]",
             "q<i8:f32,0.5:1>[] q<i8:f32,0.5:1>[] -> q<i8:f32,0.5:1>[]", TYPE,
             "the body gives q<i8:f32,0.5:1>[], to which x is not promoted: q<i8:f32,0.5:2>[2]",
             {.all_reduce = {.n_inputs = 1}}),
    BAD_BODY(all_reduce, AXIS, "i8[] i8[] -> i8[]", TYPE,
             "the body gives i8[], to which x is not promoted: " AXIS,
             {.all_reduce = {.n_inputs = 1}}),
    GOOD_BODY(
        reduce_scatter, "q<i8:f32,0.5:1>[2,4]",
        "q<i8:f32,0.5:1>[] q<i8:f32,0.5:1>[] -> q<i8:f32,0.5:1>[]", "q<i8:f32,0.5:1>[2,2]",
        {.reduce_scatter = {.scatter_dimension = 1, .replica_groups = L(0, 1), .group_size = 2}}),
    GOOD_BODY(map, "i8[2]", "i8[] -> q<i8:f32,0.5:1>[]", "q<i8:f32,0.5:1>[2]",
              {.map = {.dimensions = L(0), .n_inputs = 1}}),
};

TEST(stated_results)
{
    CHECK_CASES(stated);
}
