/* The indexing composites: shapes, modes, every index dtype, and their slopes. */
#include "tests/derivatives.h"

#include <cotangent/elementwise.h>
#include <cotangent/index.h>
#include <cotangent/reduce.h>

#include <math.h>

static const ct_dtype index_dtypes[] = {CT_I8, CT_I16, CT_I32, CT_I64,
                                        CT_U8, CT_U16, CT_U32, CT_U64};
#define N_INDEX_DTYPES (sizeof index_dtypes / sizeof *index_dtypes)

/* ---- Take. */

TEST(take_shapes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3, 4); /* 100i + 10j + k */
    ct_tensor *i = given(ctx, CT_I32, CT_SHAPE(2), {2, 0});
    CHECK_VALUES(ct_take(x, i, 1, CT_CLAMP), CT_SHAPE(2, 2, 4),
                 {20, 21, 22, 23, 0, 1, 2, 3, 120, 121, 122, 123, 100, 101, 102, 103});
    CHECK_VALUES(ct_take(x, given(ctx, CT_I32, CT_SHAPE(), {1}), 0, CT_CLAMP), CT_SHAPE(3, 4),
                 {100, 101, 102, 103, 110, 111, 112, 113, 120, 121, 122, 123});
    ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(3), {5, 6, 7});
    ct_tensor *m = given(ctx, CT_U8, CT_SHAPE(2, 3), {0, 1, 2, 2, 1, 0});
    CHECK_VALUES(ct_take(y, m, -1, CT_STRICT), CT_SHAPE(2, 3), {5, 6, 7, 7, 6, 5});
    CHECK_VALUES(ct_take(coded(ctx, CT_I32, 2, 3), m, 1, CT_CLAMP), CT_SHAPE(2, 2, 3),
                 {0, 1, 2, 2, 1, 0, 10, 11, 12, 12, 11, 10});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* clamp, wrap and fill of -5 … 5 in an axis of 3. */
TEST(take_modes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {10, 20, 30});
    for (size_t d = 0; d < 4; d++) {
        ct_tensor *i = given(ctx, index_dtypes[d], CT_SHAPE(8), {-5, -3, -1, 0, 2, 3, 5, -4});
        CHECK_VALUES(ct_take(x, i, 0, CT_CLAMP), CT_SHAPE(8), {10, 10, 10, 10, 30, 30, 30, 10});
        CHECK_VALUES(ct_take(x, i, 0, CT_WRAP), CT_SHAPE(8), {10, 10, 30, 10, 30, 30, 30, 10});
        CHECK_VALUES(ct_take(x, i, 0, CT_FILL(-1)), CT_SHAPE(8), {-1, -1, -1, 10, 30, -1, -1, -1});
        CHECK_VALUES(ct_take(x, i, 0, CT_FILL(NAN)), CT_SHAPE(8),
                     {NAN, NAN, NAN, 10, 30, NAN, NAN, NAN});
        ct_take(x, i, 0, CT_STRICT);
        CHECK_ERROR(ctx, CT_ERR_INDEX, "");
    }
    for (size_t d = 4; d < N_INDEX_DTYPES; d++) {
        ct_tensor *i = given(ctx, index_dtypes[d], CT_SHAPE(4), {0, 2, 3, 255});
        CHECK_VALUES(ct_take(x, i, 0, CT_CLAMP), CT_SHAPE(4), {10, 30, 30, 30});
        CHECK_VALUES(ct_take(x, i, 0, CT_WRAP), CT_SHAPE(4), {10, 30, 30, 30});
        CHECK_VALUES(ct_take(x, i, 0, CT_FILL(-1)), CT_SHAPE(4), {10, 30, -1, -1});
        ct_take(x, i, 0, CT_STRICT);
        CHECK_ERROR(ctx, CT_ERR_INDEX, "");
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The ends of every dtype, in 300 elements: nothing wraps on the way. */
TEST(take_with_extreme_indices)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_arange(ctx, CT_I32, 0, 300, 1);
    ct_tensor *i8 = given(ctx, CT_I8, CT_SHAPE(4), {-128, -1, 0, 127});
    CHECK_VALUES(ct_take(x, i8, 0, CT_CLAMP), CT_SHAPE(4), {0, 0, 0, 127});
    CHECK_VALUES(ct_take(x, i8, 0, CT_WRAP), CT_SHAPE(4), {172, 299, 0, 127});
    CHECK_VALUES(ct_take(x, i8, 0, CT_FILL(-9)), CT_SHAPE(4), {-9, -9, 0, 127});
    ct_tensor *u8 = given(ctx, CT_U8, CT_SHAPE(3), {0, 128, 255});
    CHECK_VALUES(ct_take(x, u8, 0, CT_STRICT), CT_SHAPE(3), {0, 128, 255});
    CHECK_VALUES(ct_take(x, u8, 0, CT_FILL(-9)), CT_SHAPE(3), {0, 128, 255});
    static const int64_t ends[] = {INT64_MIN, -300, -301, INT64_MAX, 299, 300};
    ct_tensor *i64 = ct_from_data(ctx, CT_I64, CT_SHAPE(6), ends);
    CHECK_VALUES(ct_take(x, i64, 0, CT_CLAMP), CT_SHAPE(6), {0, 0, 0, 299, 299, 299});
    CHECK_VALUES(ct_take(x, i64, 0, CT_WRAP), CT_SHAPE(6), {0, 0, 0, 299, 299, 299});
    CHECK_VALUES(ct_take(x, i64, 0, CT_FILL(-9)), CT_SHAPE(6), {-9, -9, -9, -9, 299, -9});
    static const uint64_t natural[] = {UINT64_MAX, (uint64_t)INT64_MAX + 1, 299, 300};
    ct_tensor *u64 = ct_from_data(ctx, CT_U64, CT_SHAPE(4), natural);
    CHECK_VALUES(ct_take(x, u64, 0, CT_CLAMP), CT_SHAPE(4), {299, 299, 299, 299});
    CHECK_VALUES(ct_take(x, u64, 0, CT_WRAP), CT_SHAPE(4), {299, 299, 299, 299});
    CHECK_VALUES(ct_take(x, u64, 0, CT_FILL(-9)), CT_SHAPE(4), {-9, -9, 299, -9});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(take_nothing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *none = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0));
    ct_tensor *no_index = ct_zeros(ctx, CT_I32, CT_SHAPE(0, 5)),
              *i = ct_zeros(ctx, CT_I32, CT_SHAPE(3));
    CHECK_EMPTY(ct_take(none, no_index, 1, CT_STRICT), CT_SHAPE(2, 0, 5));
    CHECK_EMPTY(ct_take(none, no_index, 0, CT_FILL(1)), CT_SHAPE(0, 5, 0));
    CHECK_EMPTY(ct_take(none, i, 0, CT_WRAP), CT_SHAPE(3, 0));
    ct_take(none, i, 1, CT_FILL(1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "take: axis 1 has extent 0: there is nothing to take");
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2, 3));
    CHECK_EMPTY(ct_take_along_axis(x, ct_zeros(ctx, CT_I32, CT_SHAPE(2, 0)), 1, CT_CLAMP),
                CT_SHAPE(2, 0));
    CHECK_EMPTY(ct_take_along_axis(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3)),
                                   ct_zeros(ctx, CT_I32, CT_SHAPE(1, 2)), 1, CT_CLAMP),
                CT_SHAPE(0, 2));
    ct_take_along_axis(none, ct_zeros(ctx, CT_I32, CT_SHAPE(2, 1)), 1, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "take_along_axis: axis 1 has extent 0");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(take_errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_U8, CT_SHAPE(2, 3)), *i = ct_zeros(ctx, CT_I32, CT_SHAPE(2));
    ct_take(x, i, 2, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "take: axis 2 does not exist in rank 2");
    ct_take(x, x, -3, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "take: axis -3 does not exist in rank 2");
    ct_take(x, ct_ones(ctx, CT_F32, CT_SHAPE(2)), 0, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "take: indices is f32; it takes integers");
    ct_take(x, ct_ones(ctx, CT_BOOL, CT_SHAPE(2)), 0, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "take: indices is bool; it takes integers");
    ct_take(x, i, 0, CT_FILL(300));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "take: u8 cannot hold the number 300");
    ct_take(x, i, 0, CT_FILL(ct_scalar(ctx, CT_F32, 1)));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "take: the fill value is f32 and x is u8");
    ct_take(x, i, 0, CT_FILL(ct_ones(ctx, CT_U8, CT_SHAPE(1))));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "take: the fill value has rank 1");
    ct_take(x, NULL, 0, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "take: indices is NULL");
    ct_take_along_axis(x, i, 0, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "take_along_axis: x has rank 2 and indices have rank 1");
    ct_take_along_axis(x, ct_zeros(ctx, CT_I32, CT_SHAPE(5, 2)), 1, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "on axis 0 x has extent 2 and indices have 5");
    ct_context_free(ctx);
}

TEST(take_along_axis)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 3, 4);
    ct_tensor *columns = given(ctx, CT_I64, CT_SHAPE(3, 2), {3, 0, 2, 2, 9, -1});
    CHECK_VALUES(ct_take_along_axis(x, columns, 1, CT_CLAMP), CT_SHAPE(3, 2),
                 {3, 0, 12, 12, 23, 20});
    CHECK_VALUES(ct_take_along_axis(x, columns, -1, CT_WRAP), CT_SHAPE(3, 2),
                 {3, 0, 12, 12, 23, 23});
    CHECK_VALUES(ct_take_along_axis(x, columns, 1, CT_FILL(-7)), CT_SHAPE(3, 2),
                 {3, 0, 12, 12, -7, -7});
    ct_take_along_axis(x, columns, 1, CT_STRICT);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "");
    ct_tensor *rows = given(ctx, CT_U8, CT_SHAPE(1, 4), {2, 0, 1, 2});
    CHECK_VALUES(ct_take_along_axis(x, rows, 0, CT_STRICT), CT_SHAPE(1, 4), {20, 1, 12, 23});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Extent 1 stretches, in x and in the indices. */
TEST(take_along_axis_broadcasts)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 1, 4, 2); /* 10j + k */
    ct_tensor *i = given(ctx, CT_I32, CT_SHAPE(3, 2, 1), {0, 3, 1, 5, 2, 2});
    CHECK_VALUES(ct_take_along_axis(x, i, 1, CT_CLAMP), CT_SHAPE(3, 2, 2),
                 {0, 1, 30, 31, 10, 11, 30, 31, 20, 21, 20, 21});
    CHECK_VALUES(ct_take_along_axis(x, i, 1, CT_FILL(-1)), CT_SHAPE(3, 2, 2),
                 {0, 1, 30, 31, 10, 11, -1, -1, 20, 21, 20, 21});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Windows. */

static ct_tensor *S(ct_context *ctx, ct_dtype dtype, double value)
{
    return ct_scalar(ctx, dtype, value);
}

TEST(dynamic_slice)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 4, 5);
    for (size_t d = 0; d < 4; d++) {
        ct_dtype t = index_dtypes[d];
        CHECK_VALUES(
            ct_dynamic_slice(x, CT_ARGV(S(ctx, t, 1), S(ctx, t, 2)), CT_SHAPE(2, 3), CT_STRICT),
            CT_SHAPE(2, 3), {12, 13, 14, 22, 23, 24});
        CHECK_VALUES(
            ct_dynamic_slice(x, CT_ARGV(S(ctx, t, 9), S(ctx, t, -2)), CT_SHAPE(2, 3), CT_CLAMP),
            CT_SHAPE(2, 3), {20, 21, 22, 30, 31, 32});
        CHECK_VALUES(
            ct_dynamic_slice(x, CT_ARGV(S(ctx, t, -3), S(ctx, t, -2)), CT_SHAPE(2, 2), CT_WRAP),
            CT_SHAPE(2, 2), {13, 14, 23, 24});
        CHECK_VALUES(
            ct_dynamic_slice(x, CT_ARGV(S(ctx, t, 3), S(ctx, t, -1)), CT_SHAPE(2, 3), CT_FILL(-7)),
            CT_SHAPE(2, 3), {-7, 30, 31, -7, -7, -7});
        ct_dynamic_slice(x, CT_ARGV(S(ctx, t, 3), S(ctx, t, 0)), CT_SHAPE(2, 3), CT_STRICT);
        CHECK_ERROR(ctx, CT_ERR_INDEX, "");
    }
    CHECK_VALUES(ct_dynamic_slice(ct_scalar(ctx, CT_F32, 6), CT_NO_TENSORS, CT_SHAPE(), CT_CLAMP),
                 CT_SHAPE(), {6});
    CHECK_EMPTY(ct_dynamic_slice(x, CT_ARGV(S(ctx, CT_I32, 9), S(ctx, CT_I32, 9)), CT_SHAPE(0, 5),
                                 CT_FILL(1)),
                CT_SHAPE(0, 5));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A filled window far outside holds nothing but the value, for every dtype and end. */
TEST(filled_windows_far_outside)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_arange(ctx, CT_I32, 0, 300, 1);
    static const int64_t ends[] = {INT64_MIN, INT64_MAX, -2, 299};
    static const double expected[][2] = {{-7, -7}, {-7, -7}, {-7, -7}, {299, -7}};
    for (int i = 0; i < 4; i++) {
        ct_tensor *start = ct_from_data(ctx, CT_I64, CT_SHAPE(), &ends[i]);
        CHECK_VALUES(ct_dynamic_slice(x, CT_ARGV(start), CT_SHAPE(2), CT_FILL(-7)), CT_SHAPE(2),
                     {expected[i][0], expected[i][1]});
    }
    static const uint64_t far[] = {UINT64_MAX, (uint64_t)INT64_MAX + 1, 300};
    for (int i = 0; i < 3; i++) {
        ct_tensor *start = ct_from_data(ctx, CT_U64, CT_SHAPE(), &far[i]);
        CHECK_VALUES(ct_dynamic_slice(x, CT_ARGV(start), CT_SHAPE(2), CT_FILL(-7)), CT_SHAPE(2),
                     {-7, -7});
    }
    CHECK_VALUES(ct_dynamic_slice(x, CT_ARGV(S(ctx, CT_I8, -128)), CT_SHAPE(2), CT_WRAP),
                 CT_SHAPE(2), {172, 173});
    CHECK_VALUES(ct_dynamic_slice(x, CT_ARGV(S(ctx, CT_I8, -1)), CT_SHAPE(2), CT_FILL(-7)),
                 CT_SHAPE(2), {-7, 0});
    /* 127 … 299, then 27 times the value */
    ct_tensor *tail = ct_dynamic_slice(x, CT_ARGV(S(ctx, CT_I8, 127)), CT_SHAPE(200), CT_FILL(-7));
    CHECK(ct_at(tail, 0) == 127 && ct_at(tail, 172) == 299 && ct_at(tail, 173) == -7);
    CHECK_VALUES(ct_sum(tail, CT_ALL_AXES, CT_DROP_AXES), CT_SHAPE(),
                 {(127 + 299) * 173 / 2 - 27 * 7});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(dynamic_slice_errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 4, 5), *i = S(ctx, CT_I32, 0), *j = S(ctx, CT_I64, 0);
    ct_dynamic_slice(x, CT_ARGV(i, i), CT_SHAPE(2, 6), CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "dynamic_slice: the window has extent 6 on axis 1, where x has 5");
    ct_dynamic_slice(x, CT_ARGV(i, i), CT_SHAPE(-1, 5), CT_FILL(0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "the window has extent -1 on axis 0");
    ct_dynamic_slice(x, CT_ARGV(i), CT_SHAPE(2, 2), CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "dynamic_slice: start has length 1; x has rank 2");
    ct_dynamic_slice(x, CT_ARGV(i, i), CT_SHAPE(2), CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "dynamic_slice: sizes has length 1; x has rank 2");
    ct_dynamic_slice(x, CT_ARGV(i, j), CT_SHAPE(2, 2), CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "dynamic_slice: start[0] is i32 and start[1] is i64");
    ct_dynamic_slice(x, CT_ARGV(i, S(ctx, CT_F32, 0)), CT_SHAPE(2, 2), CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "dynamic_slice: start[1] is f32; it takes integers");
    ct_dynamic_slice(x, CT_ARGV(i, x), CT_SHAPE(2, 2), CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "dynamic_slice: start[1] has rank 2");
    ct_dynamic_update_slice(x, x, CT_ARGV(i, i), CT_FILL(0));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "dynamic_update_slice: CT_FILL is for reading");
    ct_dynamic_update_slice(x, i, CT_ARGV(i, i), CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "x has rank 2 and update has rank 0");
    ct_dynamic_update_slice(x, ct_ones(ctx, CT_F32, CT_SHAPE(1, 1)), CT_ARGV(i, i), CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "x is i32 and update is f32");
    ct_dynamic_update_slice(x, ct_ones(ctx, CT_I32, CT_SHAPE(5, 1)), CT_ARGV(i, i), CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "update has extent 5 on axis 0, where x has 4");
    ct_context_free(ctx);
}

TEST(dynamic_update_slice)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3), *u = given(ctx, CT_I32, CT_SHAPE(1, 2), {-1, -2});
    CHECK_VALUES(
        ct_dynamic_update_slice(x, u, CT_ARGV(S(ctx, CT_U8, 1), S(ctx, CT_U8, 9)), CT_CLAMP),
        CT_SHAPE(2, 3), {0, 1, 2, 10, -1, -2});
    CHECK_VALUES(
        ct_dynamic_update_slice(x, u, CT_ARGV(S(ctx, CT_I8, -2), S(ctx, CT_I8, -3)), CT_WRAP),
        CT_SHAPE(2, 3), {-1, -2, 2, 10, 11, 12});
    ct_dynamic_update_slice(x, u, CT_ARGV(S(ctx, CT_I8, 0), S(ctx, CT_I8, 2)), CT_STRICT);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- One-hot rows, and counting. */

TEST(one_hot)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *i = given(ctx, CT_I8, CT_SHAPE(2, 2), {2, -1, 0, 3});
    CHECK_VALUES(ct_one_hot(i, 3, CT_F32), CT_SHAPE(2, 2, 3), {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0});
    static const uint64_t far[] = {UINT64_MAX, 1};
    ct_tensor *y = ct_one_hot(ct_from_data(ctx, CT_U64, CT_SHAPE(2), far), 2, CT_BOOL);
    CHECK_VALUES(y, CT_SHAPE(2, 2), {0, 0, 0, 1});
    CHECK(ct_dtype_of(y) == CT_BOOL);
    CHECK_VALUES(ct_one_hot(S(ctx, CT_U8, 1), 3, CT_I16), CT_SHAPE(3), {0, 1, 0});
    CHECK_EMPTY(ct_one_hot(i, 0, CT_F32), CT_SHAPE(2, 2, 0));
    /* i8 indices in rows of 300: -1 is not 255 */
    CHECK_VALUES(ct_sum(ct_one_hot(i, 300, CT_I32), CT_AXES(-1), CT_DROP_AXES), CT_SHAPE(2, 2),
                 {1, 0, 1, 1});
    ct_one_hot(i, -1, CT_F32);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "one_hot: ");
    ct_one_hot(ct_ones(ctx, CT_F32, CT_SHAPE(2)), 3, CT_F32);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "one_hot: indices is f32; it takes integers");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(count_out_of_range)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *i = given(ctx, CT_I8, CT_SHAPE(2, 3), {-128, -1, 0, 3, 4, 127});
    ct_tensor *n = ct_count_out_of_range(i, 5, 2, CT_CLAMP);
    CHECK_VALUES(n, CT_SHAPE(), {4}); /* in range: 0, 3 */
    CHECK(ct_dtype_of(n) == CT_I64);
    CHECK_VALUES(ct_count_out_of_range(i, 5, 1, CT_FILL(0)), CT_SHAPE(), {3});
    CHECK_VALUES(ct_count_out_of_range(i, 5, 1, CT_WRAP), CT_SHAPE(), {2});
    CHECK_VALUES(ct_count_out_of_range(i, 300, 1, CT_WRAP), CT_SHAPE(), {0});
    CHECK_VALUES(ct_count_out_of_range(i, 0, 0, CT_CLAMP), CT_SHAPE(), {5});
    static const uint64_t natural[] = {UINT64_MAX, 0};
    ct_tensor *u = ct_from_data(ctx, CT_U64, CT_SHAPE(2), natural);
    CHECK_VALUES(ct_count_out_of_range(u, INT64_MAX, 1, CT_WRAP), CT_SHAPE(), {1});
    CHECK_VALUES(ct_count_out_of_range(S(ctx, CT_I64, -1), 1, 1, CT_CLAMP), CT_SHAPE(), {1});
    CHECK_VALUES(ct_count_out_of_range(ct_zeros(ctx, CT_I32, CT_SHAPE(0)), 1, 1, CT_CLAMP),
                 CT_SHAPE(), {0});
    ct_count_out_of_range(i, 1, 2, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "a window of 2 does not fit into 1");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Graphs: a take is one gather; fill adds a select. */

static ct_tensor *take_clamped(ct_tensor *x, ct_tensor *i)
{
    return ct_take(x, i, 1, CT_CLAMP);
}

TEST(take_is_one_gather)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), *i = ct_ones(ctx, CT_I32, CT_SHAPE(4));
    CHECK(ct_function_operations(ct_trace(ctx, take_clamped, CT_LIKE(x, i))) == 1);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Slopes. The indices are captured: x alone is differentiated. */

typedef struct reading {
    ct_tensor *indices, *corner[2];
    ct_index_mode mode;
} reading;

static ct_tensor *take_program(const void *user, ct_tensor *const *x)
{
    const reading *r = user;
    return ct_take(x[0], r->indices, 0, r->mode);
}

static ct_tensor *along_program(const void *user, ct_tensor *const *x)
{
    const reading *r = user;
    return ct_take_along_axis(x[0], r->indices, 0, r->mode);
}

static ct_tensor *slice_program(const void *user, ct_tensor *const *x)
{
    const reading *r = user;
    return ct_dynamic_slice(x[0], CT_ARGV(r->corner[0], r->corner[1]), CT_SHAPE(2, 2), r->mode);
}

static ct_tensor *update_program(const void *user, ct_tensor *const *x)
{
    const reading *r = user;
    return ct_dynamic_update_slice(x[0], x[1], CT_ARGV(r->corner[0], r->corner[1]), r->mode);
}

TEST(slopes_in_every_mode)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 3, 2);
    const ct_index_mode modes[] = {CT_CLAMP, CT_WRAP, CT_FILL(5)};
    for (size_t m = 0; m < 3; m++) {
        for (size_t d = 0; d < N_INDEX_DTYPES; d++) {
            bool has_sign = ct_dtype_is_signed(index_dtypes[d]);
            double low = has_sign ? -2 : 1;
            reading r = {.mode = modes[m]};
            r.indices = ct_from_doubles(ctx, index_dtypes[d], CT_SHAPE(4, 1),
                                        (const double[]){1, low, 1, 7});
            CHECK_LINEAR(ctx, along_program, &r, 1, x);
            CHECK_LINEAR(ctx, take_program, &r, 1, x);
            r.corner[0] = S(ctx, index_dtypes[d], 2);
            r.corner[1] = S(ctx, index_dtypes[d], low);
            CHECK_LINEAR(ctx, slice_program, &r, 1, x);
            if (m < 2)
                CHECK_LINEAR(ctx, update_program, &r, 1, x,
                             given(ctx, CT_F64, CT_SHAPE(2, 1), {5, 6}));
        }
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The slope of a clamped read goes to the element that was read, that of a filled one nowhere. */
TEST(slopes_out_of_range)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {3, 5});
    reading r = {.indices = given(ctx, CT_I32, CT_SHAPE(3), {-1, 1, 9})};
    r.mode = CT_CLAMP;
    CHECK_MATRIX(ctx, take_program, &r, CT_ARGV(x), {1, 0, 0, 1, 0, 1});
    r.mode = CT_WRAP;
    CHECK_MATRIX(ctx, take_program, &r, CT_ARGV(x), {0, 1, 0, 1, 0, 1});
    r.mode = CT_FILL(NAN);
    CHECK_MATRIX(ctx, take_program, &r, CT_ARGV(x), {0, 0, 0, 1, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void indexing(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(3)), *i = ct_ones(ctx, CT_I8, CT_SHAPE(2));
    ct_take(x, i, 0, CT_FILL(2));
    ct_take_along_axis(x, i, 0, CT_WRAP);
    ct_dynamic_slice(x, CT_ARGV(ct_scalar(ctx, CT_I8, 2)), CT_SHAPE(2), CT_FILL(0));
    ct_count_out_of_range(i, 3, 1, CT_CLAMP);
    ct_one_hot(i, 3, CT_F32);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(indexing);
}
