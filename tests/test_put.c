/* Writing along an axis, in every mode and with every index dtype; and windows that skip. */
#include "tests/derivatives.h"

#include <cotangent/elementwise.h>
#include <cotangent/index.h>

static const ct_dtype index_dtypes[] = {CT_I8, CT_I16, CT_I32, CT_I64,
                                        CT_U8, CT_U16, CT_U32, CT_U64};
#define N_INDEX_DTYPES (sizeof index_dtypes / sizeof *index_dtypes)

/* -4 … 4 in an axis of 3, one row each. */
TEST(modes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1, 3), {1, 2, 3});
    static const double at[] = {-4, -1, 0, 2, 3};
    static const double clamped[][3] = {{9, 2, 3}, {9, 2, 3}, {9, 2, 3}, {1, 2, 9}, {1, 2, 9}};
    static const double wrapped[][3] = {{9, 2, 3}, {1, 2, 9}, {9, 2, 3}, {1, 2, 9}, {1, 2, 9}};
    static const double skipped[][3] = {{1, 2, 3}, {1, 2, 3}, {9, 2, 3}, {1, 2, 9}, {1, 2, 3}};
    for (size_t d = 0; d < N_INDEX_DTYPES; d++) {
        for (size_t k = ct_dtype_is_signed(index_dtypes[d]) ? 0 : 2; k < 5; k++) {
            ct_tensor *i = ct_from_doubles(ctx, index_dtypes[d], CT_SHAPE(1, 1), &at[k]);
            CHECK_VALUES(ct_put_along_axis(x, i, 9, 1, CT_CLAMP), CT_SHAPE(1, 3),
                         {clamped[k][0], clamped[k][1], clamped[k][2]});
            CHECK_VALUES(ct_put_along_axis(x, i, 9, -1, CT_WRAP), CT_SHAPE(1, 3),
                         {wrapped[k][0], wrapped[k][1], wrapped[k][2]});
            CHECK_VALUES(ct_put_along_axis(x, i, 9, 1, CT_SKIP), CT_SHAPE(1, 3),
                         {skipped[k][0], skipped[k][1], skipped[k][2]});
            if (at[k] >= 0 && at[k] < 3) {
                CHECK_EQUAL(ct_put_along_axis(x, i, 9, 1, CT_STRICT),
                            ct_put_along_axis(x, i, 9, 1, CT_SKIP));
            } else {
                ct_put_along_axis(x, i, 9, 1, CT_STRICT);
                CHECK_ERROR(ctx, CT_ERR_INDEX, "");
                ct_add_along_axis(x, i, 9, 1, CT_STRICT);
                CHECK_ERROR(ctx, CT_ERR_INDEX, "");
            }
        }
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The ends of every dtype, in 300 elements: nothing wraps on the way. */
TEST(extreme_indices)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_I32, CT_SHAPE(300));
    static const int64_t far[] = {INT64_MIN, INT64_MAX};
    static const uint64_t natural[] = {UINT64_MAX, (uint64_t)INT64_MAX + 1};
    ct_tensor *i = ct_from_data(ctx, CT_I64, CT_SHAPE(2), far);
    ct_tensor *u = ct_from_data(ctx, CT_U64, CT_SHAPE(2), natural);
    ct_tensor *i8 = given(ctx, CT_I8, CT_SHAPE(1), {-128}), *y;
    CHECK_EQUAL(ct_add_along_axis(x, i, 1, 0, CT_SKIP), x);
    CHECK_EQUAL(ct_add_along_axis(x, u, 1, 0, CT_SKIP), x);
    y = ct_add_along_axis(x, i, 1, 0, CT_CLAMP);
    CHECK(ct_at(y, 0) == 1 && ct_at(y, 299) == 1);
    y = ct_add_along_axis(x, u, 1, 0, CT_WRAP);
    CHECK(ct_at(y, 0) == 0 && ct_at(y, 299) == 2);
    y = ct_add_along_axis(x, i8, 1, 0, CT_WRAP);
    CHECK(ct_at(y, 172) == 1 && ct_at(y, 127) == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Of several writes to one place the last stays; adds add up. */
TEST(several_at_one_place)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F32, CT_SHAPE(3)),
              *i = given(ctx, CT_U8, CT_SHAPE(4), {1, 1, 0, 1});
    ct_tensor *u = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 4, 8});
    CHECK_VALUES(ct_put_along_axis(x, i, u, 0, CT_STRICT), CT_SHAPE(3), {4, 8, 0});
    CHECK_VALUES(ct_add_along_axis(x, i, u, 0, CT_STRICT), CT_SHAPE(3), {4, 11, 0});
    ct_tensor *none = given(ctx, CT_I32, CT_SHAPE(0), {0}), *same;
    same = ct_put_along_axis(x, none, u, 0, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "put_along_axis: on axis -1 update has extent 4, which does not "
                "stretch to 0");
    same = ct_put_along_axis(x, none, 7, 0, CT_CLAMP);
    CHECK(same != x);
    CHECK_EQUAL(same, x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Slopes. */

typedef struct writing {
    ct_tensor *indices, *corner[2];
    ct_index_mode mode;
} writing;

static ct_tensor *put_program(const void *user, ct_tensor *const *x)
{
    const writing *w = user;
    return ct_put_along_axis(x[0], w->indices, x[1], 0, w->mode);
}

static ct_tensor *add_program(const void *user, ct_tensor *const *x)
{
    const writing *w = user;
    return ct_add_along_axis(x[0], w->indices, x[1], 0, w->mode);
}

static ct_tensor *window_program(const void *user, ct_tensor *const *x)
{
    const writing *w = user;
    return ct_dynamic_update_slice(x[0], x[1], CT_ARGV(w->corner[0], w->corner[1]), CT_SKIP);
}

TEST(slopes_in_every_mode)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 3, 2), *u = given(ctx, CT_F64, CT_SHAPE(4, 1), {5, 6, 7, 8});
    const ct_index_mode modes[] = {CT_CLAMP, CT_WRAP, CT_SKIP};
    for (size_t m = 0; m < 3; m++) {
        for (size_t d = 0; d < N_INDEX_DTYPES; d++) {
            double low = ct_dtype_is_signed(index_dtypes[d]) ? -2 : 1;
            writing w = {.mode = modes[m]};
            w.indices = ct_from_doubles(ctx, index_dtypes[d], CT_SHAPE(4, 2),
                                        (const double[]){1, 0, low, 1, 1, 2, 7, low});
            CHECK_LINEAR(ctx, put_program, &w, 1, x, u);
            CHECK_LINEAR(ctx, add_program, &w, 1, x, u);
        }
    }
    writing w = {.mode = CT_STRICT, .indices = given(ctx, CT_I32, CT_SHAPE(2, 1), {2, 0})};
    CHECK_LINEAR(ctx, put_program, &w, 2, x, given(ctx, CT_F64, CT_SHAPE(2, 2), {5, 6, 7, 8}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Windows that are partly outside. */

TEST(windows_that_skip)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 3, 4), *u = given(ctx, CT_F64, CT_SHAPE(2, 2), {5, 6, 7, 8});
    for (size_t d = 0; d < N_INDEX_DTYPES; d++) {
        ct_dtype t = index_dtypes[d];
        bool has_sign = ct_dtype_is_signed(t);
        ct_tensor *row = ct_scalar(ctx, t, has_sign ? -1 : 2), *column = ct_scalar(ctx, t, 3);
        ct_tensor *y = ct_dynamic_update_slice(x, u, CT_ARGV(row, column), CT_SKIP);
        if (has_sign)
            CHECK_VALUES(y, CT_SHAPE(3, 4), {0, 1, 2, 7, 10, 11, 12, 13, 20, 21, 22, 23});
        else
            CHECK_VALUES(y, CT_SHAPE(3, 4), {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 5});
        writing w = {.corner = {row, column}};
        CHECK_LINEAR(ctx, window_program, &w, 1, x, u);
        ct_tensor *outside = ct_scalar(ctx, t, 100);
        CHECK_EQUAL(ct_dynamic_update_slice(x, u, CT_ARGV(row, outside), CT_SKIP), x);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Messages. */

TEST(messages)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_U8, 2, 3), *i = ct_zeros(ctx, CT_I32, CT_SHAPE(2, 1));
    ct_put_along_axis(x, i, 300, 1, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "put_along_axis: u8 cannot hold the number 300");
    ct_put_along_axis(x, i, ct_ones(ctx, CT_F32, CT_SHAPE()), 1, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "put_along_axis: x is u8 and update is f32");
    ct_add_along_axis(x, x, 1, 1, CT_FILL(0));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "add_along_axis: CT_FILL is for reading");
    ct_take_along_axis(x, i, 1, CT_SKIP);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "take_along_axis: CT_SKIP is for writing");
    ct_dynamic_slice(x, CT_ARGV(i, i), CT_SHAPE(1, 1), CT_SKIP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "dynamic_slice: start[0] has rank 2");
    ct_put_along_axis(x, ct_zeros(ctx, CT_I32, CT_SHAPE(2)), 1, 1, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "put_along_axis: x has rank 2 and indices have rank 1");
    ct_put_along_axis(x, ct_zeros(ctx, CT_I32, CT_SHAPE(3, 1)), 1, 1, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "on axis 0 x has extent 2 and indices have 3");
    ct_put_along_axis(x, i, ct_ones(ctx, CT_U8, CT_SHAPE(1, 1, 1)), 1, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "update has rank 3, indices have rank 2");
    ct_put_along_axis(x, i, 1, 2, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "put_along_axis: axis 2 does not exist in rank 2");
    ct_put_along_axis(ct_scalar(ctx, CT_U8, 1), ct_scalar(ctx, CT_I32, 0), 1, 0, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "put_along_axis: axis 0 does not exist in rank 0");
    ct_put_along_axis(ct_ones(ctx, CT_U8, CT_SHAPE(2, 0)), i, 1, 1, CT_SKIP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "put_along_axis: axis 1 has extent 0: there is nowhere to write");
    ct_put_along_axis(x, ct_ones(ctx, CT_F32, CT_SHAPE(2, 1)), 1, 1, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "put_along_axis: indices is f32; it takes integers");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void writes(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), *i = ct_ones(ctx, CT_I8, CT_SHAPE(1, 2));
    ct_put_along_axis(x, i, 4, 1, CT_WRAP);
    ct_add_along_axis(x, i, ct_ones(ctx, CT_F32, CT_SHAPE(2, 1)), 1, CT_SKIP);
    ct_tensor *start = ct_scalar(ctx, CT_I8, 1);
    ct_dynamic_update_slice(x, ct_ones(ctx, CT_F32, CT_SHAPE(2, 2)), CT_ARGV(start, start),
                            CT_SKIP);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(writes);
}
