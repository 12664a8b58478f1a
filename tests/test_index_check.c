/* The host check of indices. */
#include "tests/values.h"

#include <cotangent/index_check.h>
#include <cotangent/shape.h>
#include <cotangent/trace.h>

#include <string.h>

TEST(positions)
{
    ct_context *ctx = ct_context_new();
    static const ct_dtype dtypes[] = {CT_I8, CT_I16, CT_I32, CT_I64, CT_U8, CT_U16, CT_U32, CT_U64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        double low = ct_dtype_is_signed(dtypes[d]) ? -1 : 9;
        ct_tensor *i = ct_from_doubles(ctx, dtypes[d], CT_SHAPE(2, 3),
                                       (const double[]){0, 4, 7, low, 3, 5});
        ct_misplaced found[6] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
        CHECK(ct_find_out_of_range(i, 5, 1, found, 6) == 3);
        CHECK(found[0].position == 2 && found[1].position == 3 && found[2].position == 5 &&
              found[3].position == -1);
        CHECK(found[0].value == 7 && found[1].value == (int64_t)low && found[2].value == 5);
        CHECK(ct_find_out_of_range(i, 5, 2, found, 2) == 4); /* 4 is out too */
        CHECK(found[0].position == 1 && found[1].position == 2 && found[2].position == 5);
        CHECK(ct_find_out_of_range(i, 100, 1, NULL, 0) == (low < 0 ? 1 : 0));
        CHECK(ct_find_out_of_range(i, 0, 0, NULL, 0) == 5);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(narrow_dtypes)
{
    ct_context *ctx = ct_context_new();
    ct_misplaced found[4] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    ct_tensor *i = given(ctx, CT_I4, CT_SHAPE(5), {0, -8, 4, 7, 3});
    CHECK(ct_find_out_of_range(i, 5, 1, found, 4) == 2);
    CHECK(found[0].position == 1 && found[0].value == -8);
    CHECK(found[1].position == 3 && found[1].value == 7);
    CHECK(ct_find_out_of_range(given(ctx, CT_I2, CT_SHAPE(3), {1, -2, 0}), 1, 1, found, 4) == 2);
    CHECK(found[0].value == 1 && found[1].value == -2);
    CHECK(ct_find_out_of_range(given(ctx, CT_U4, CT_SHAPE(2), {15, 3}), 4, 1, found, 4) == 1);
    CHECK(found[0].position == 0 && found[0].value == 15);
    CHECK(ct_find_out_of_range(given(ctx, CT_U2, CT_SHAPE(2), {3, 2}), 3, 1, found, 4) == 1);
    CHECK(found[0].value == 3);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The ends of the dtypes, and a view: positions are those of the view. */
TEST(ends_and_views)
{
    ct_context *ctx = ct_context_new();
    static const int64_t low[] = {INT64_MIN, INT64_MAX, 0};
    static const uint64_t high[] = {UINT64_MAX, (uint64_t)INT64_MAX, 1};
    CHECK(ct_find_out_of_range(ct_from_data(ctx, CT_I64, CT_SHAPE(3), low), INT64_MAX, 1, NULL,
                               0) == 2);
    ct_misplaced found[2];
    CHECK(ct_find_out_of_range(ct_from_data(ctx, CT_U64, CT_SHAPE(3), high), INT64_MAX, 1, found,
                               2) == 2);
    CHECK(found[0].value == -1 && found[1].value == INT64_MAX);
    ct_tensor *x = given(ctx, CT_I32, CT_SHAPE(2, 3), {0, 1, 9, 8, 2, 3});
    CHECK(ct_find_out_of_range(ct_transpose(x, CT_ALL_AXES), 5, 1, found, 2) == 2);
    CHECK(found[0].position == 1 && found[1].position == 4);
    CHECK(ct_find_out_of_range(ct_zeros(ctx, CT_I8, CT_SHAPE(0, 2)), 5, 1, NULL, 0) == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(text)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *i = given(ctx, CT_I8, CT_SHAPE(2, 3), {0, 4, 7, -1, 3, 2});
    const char *text = ct_out_of_range_text(i, 5, 1);
    CHECK_MSG(strcmp(text, "2 of 6 indices are outside [0, 4]:\n  [0, 2] = 7\n  [1, 0] = -1") == 0,
              "%s", text);
    text = ct_out_of_range_text(i, 100, 101 - 93);
    CHECK_MSG(strcmp(text, "1 of 6 indices are outside [0, 92]:\n  [1, 0] = -1") == 0, "%s", text);
    static const uint64_t far = UINT64_MAX;
    text = ct_out_of_range_text(ct_from_data(ctx, CT_U64, CT_SHAPE(), &far), 1, 1);
    CHECK_MSG(strcmp(text, "1 of 1 indices are outside [0, 0]:\n  [] = 18446744073709551615") == 0,
              "%s", text);
    text = ct_out_of_range_text(given(ctx, CT_U16, CT_SHAPE(2), {1, 2}), 3, 1);
    CHECK_MSG(strcmp(text, "0 of 2 indices are outside [0, 2]") == 0, "%s", text);
    /* ten are listed of eleven */
    text = ct_out_of_range_text(ct_full(ctx, CT_I32, CT_SHAPE(11), 9), 3, 1);
    CHECK_MSG(strstr(text, "11 of 11") && strstr(text, "[9] = 9\n  …") && !strstr(text, "[10]"),
              "%s", text);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *checks_itself(ct_tensor *i)
{
    ct_find_out_of_range(i, 3, 1, NULL, 0);
    return i;
}

TEST(errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *i = ct_ones(ctx, CT_I32, CT_SHAPE(2));
    CHECK(ct_find_out_of_range(ct_ones(ctx, CT_F32, CT_SHAPE(2)), 3, 1, NULL, 0) == 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "find_out_of_range: indices is f32; it takes integers");
    CHECK(strcmp(ct_out_of_range_text(ct_ones(ctx, CT_BOOL, CT_SHAPE(2)), 3, 1), "") == 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "out_of_range_text: indices is bool");
    ct_find_out_of_range(i, 3, 4, NULL, 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "find_out_of_range: a window of 4 does not fit into 3");
    ct_find_out_of_range(i, 3, -1, NULL, 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "a window of -1 does not fit");
    CHECK(ct_find_out_of_range(NULL, 3, 1, NULL, 0) == 0);
    ct_trace(ctx, checks_itself, CT_LIKE(i));
    CHECK_ERROR(ctx, CT_ERR_TRACED, "ct_count_out_of_range counts in the graph");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void report(ct_context *ctx)
{
    ct_out_of_range_text(ct_full(ctx, CT_I32, CT_SHAPE(100), 9), 3, 1);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(report);
}
