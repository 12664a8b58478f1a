/* Meanings of moving, making and choosing, run through compiled plans. Every program also runs
 * directly, on views and one operation at a time, and must give the same bits. */
#include "tests/programs.h"

#include <cotangent/op.h>

#include <math.h>
#include <string.h>

/* ---- Moving data: x is coded, so the expected element is known from the coordinates it came from.
 */

typedef struct axes {
    ct_dims shape, dims, low, high, interior, start, limit, stride;
    int64_t axis;
} axes;

static void broadcast(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_broadcast_in_dim(p.item[0], a->shape, a->dims);
}

static void transpose(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_transpose(p.item[0], a->dims);
}

static void reverse(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_reverse(p.item[0], a->dims);
}

static void slice(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_slice(p.item[0], a->start, a->limit, a->stride);
}

static void pad(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_pad(p.item[0], p.item[1], a->low, a->high, a->interior);
}

static void concatenate(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_concatenate(p, a->axis);
}

static void reshape(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_reshape(p.item[0], a->shape);
}

TEST(broadcast_in_dim_by_hand)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *row = coded(ctx, CT_I32, 3), *column = coded(ctx, CT_F32, 2, 1);
    axes a = {.shape = CT_DIMS(2, 3), .dims = CT_DIMS(1)};

    CHECK_VALUES(programs_run1(ctx, broadcast, &a, CT_ARGV(row)), CT_SHAPE(2, 3),
                 {0, 1, 2, 0, 1, 2});
    a = (axes){.shape = CT_DIMS(3, 2), .dims = CT_DIMS(0)};
    CHECK_VALUES(programs_run1(ctx, broadcast, &a, CT_ARGV(row)), CT_SHAPE(3, 2),
                 {0, 0, 1, 1, 2, 2});
    a = (axes){.shape = CT_DIMS(2, 3), .dims = CT_DIMS(0, 1)};
    CHECK_VALUES(programs_run1(ctx, broadcast, &a, CT_ARGV(column)), CT_SHAPE(2, 3),
                 {0, 0, 0, 10, 10, 10});
    a = (axes){.shape = CT_DIMS(3, 2), .dims = CT_DIMS(1, 0)}; /* not sorted: also transposes */
    ct_tensor *x = coded(ctx, CT_I8, 2, 3);
    CHECK_VALUES(programs_run1(ctx, broadcast, &a, CT_ARGV(x)), CT_SHAPE(3, 2),
                 {0, 10, 1, 11, 2, 12});
    a = (axes){.shape = CT_DIMS(0, 3), .dims = CT_DIMS(1)};
    CHECK_EMPTY(programs_run1(ctx, broadcast, &a, CT_ARGV(row)), CT_SHAPE(0, 3));
    ct_context_free(ctx);
}

/* Every dtype, so every size of element; 3-cycles, where a permutation and its inverse differ. */
TEST(transpose_of_every_dtype)
{
    ct_context *ctx = ct_context_new();

    for (int dtype = CT_BOOL; dtype < CT_DTYPE_COUNT; dtype++) {
        ct_dtype real = dtype >= CT_C64 ? CT_F32 : (ct_dtype)dtype;
        ct_tensor *x = ct_op_convert(coded(ctx, real, 2, 3, 4), (ct_dtype)dtype);
        axes a = {.dims = CT_DIMS(2, 0, 1)};
        ct_tensor *y = programs_run1(ctx, transpose, &a, CT_ARGV(x));
        CHECK(ct_dim(y, 0) == 4 && ct_dim(y, 1) == 2 && ct_dim(y, 2) == 3);
        for (int64_t i = 0; i < 24; i++) {
            double moved = ct_at(y, i % 4, i / 12, i / 4 % 3),
                   was = ct_at(x, i / 12, i / 4 % 3, i % 4);
            CHECK(moved == was || (moved != moved && was != was));
        }
    }
    ct_context_free(ctx);
}

TEST(transpose_of_large_planes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 67, 33), *z = coded(ctx, CT_I32, 5, 17, 19);
    axes a = {.dims = CT_DIMS(1, 0)}, b = {.dims = CT_DIMS(2, 1, 0)};
    ct_tensor *y = programs_run1(ctx, transpose, &a, CT_ARGV(x));
    ct_tensor *w = programs_run1(ctx, transpose, &b, CT_ARGV(ct_op_convert(z, CT_I8)));

    for (int64_t i = 0; i < 67; i++)
        for (int64_t j = 0; j < 33; j++)
            CHECK(ct_at(y, j, i) == (double)(100 * i + j));
    CHECK(ct_at_int(w, 18, 16, 4) == (int8_t)(4 * 10000 + 16 * 100 + 18));
    CHECK(ct_at_int(w, 3, 2, 1) == (int8_t)(10000 + 200 + 3));
    ct_context_free(ctx);
}

TEST(slice_and_reverse)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_U8, 4, 5);
    axes a = {.start = CT_DIMS(1, 0), .limit = CT_DIMS(4, 5), .stride = CT_DIMS(2, 3)};

    CHECK_VALUES(programs_run1(ctx, slice, &a, CT_ARGV(x)), CT_SHAPE(2, 2), {10, 13, 30, 33});
    a = (axes){.start = CT_DIMS(3, 4), .limit = CT_DIMS(4, 5), .stride = CT_DIMS(INT64_MAX, 1)};
    CHECK_VALUES(programs_run1(ctx, slice, &a, CT_ARGV(x)), CT_SHAPE(1, 1), {34});
    a = (axes){.start = CT_DIMS(2, 1), .limit = CT_DIMS(2, 5), .stride = CT_DIMS(1, 1)};
    CHECK_EMPTY(programs_run1(ctx, slice, &a, CT_ARGV(x)), CT_SHAPE(0, 4));
    a = (axes){.dims = CT_DIMS(1)};
    CHECK_VALUES(programs_run1(ctx, reverse, &a, CT_ARGV(coded(ctx, CT_U16, 2, 3))), CT_SHAPE(2, 3),
                 {2, 1, 0, 12, 11, 10});
    a = (axes){.dims = CT_DIMS(0, 1)};
    CHECK_VALUES(programs_run1(ctx, reverse, &a, CT_ARGV(coded(ctx, CT_C64, 2, 3))), CT_SHAPE(2, 3),
                 {12, 11, 10, 2, 1, 0});
    ct_context_free(ctx);
}

TEST(concatenate_with_empty_operands)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3), *empty = ct_zeros(ctx, CT_I32, CT_SHAPE(2, 0));
    axes a = {.axis = 1};

    CHECK_VALUES(
        programs_run1(ctx, concatenate, &a, CT_ARGV(x, empty, coded(ctx, CT_I32, 2, 1), x)),
        CT_SHAPE(2, 7), {0, 1, 2, 0, 0, 1, 2, 10, 11, 12, 10, 10, 11, 12});
    a.axis = 0;
    CHECK_VALUES(programs_run1(ctx, concatenate, &a, CT_ARGV(x, coded(ctx, CT_I32, 1, 3))),
                 CT_SHAPE(3, 3), {0, 1, 2, 10, 11, 12, 0, 1, 2});
    a.axis = 1;
    CHECK_EMPTY(programs_run1(ctx, concatenate, &a, CT_ARGV(empty, empty)), CT_SHAPE(2, 0));
    ct_context_free(ctx);
}

/* result[low + i (interior + 1)] = x[i] where inside, for every small combination. */
TEST(pad_in_one_axis_exhaustively)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *value = ct_scalar(ctx, CT_F32, -7);

    for (int64_t n = 0; n <= 3; n++)
        for (int64_t low = -4; low <= 3; low++)
            for (int64_t high = -4; high <= 3; high++)
                for (int64_t interior = 0; interior <= 2; interior++) {
                    int64_t size = low + high + n + (n > 0 ? (n - 1) * interior : 0);
                    if (size < 0)
                        continue;
                    ct_scope scope = ct_scope_begin(ctx);
                    axes a = {
                        .low = CT_DIMS(low), .high = CT_DIMS(high), .interior = CT_DIMS(interior)};
                    ct_tensor *y = programs_run1(ctx, pad, &a,
                                                 CT_ARGV(coded(ctx, CT_F32, n), value));
                    CHECK(ct_size(y) == size);
                    for (int64_t i = 0; i < size; i++) {
                        int64_t at = i - low, step = interior + 1;
                        bool is_x = at >= 0 && at % step == 0 && at / step < n;
                        CHECK(ct_at(y, i) == (is_x ? (double)(at / step) : -7));
                    }
                    ct_scope_end(scope);
                }
    ct_context_free(ctx);
}

TEST(pad_at_the_ends_of_int64)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *value = ct_scalar(ctx, CT_I8, 9);
    axes a = {.low = CT_DIMS(0, -1), .high = CT_DIMS(1, 3), .interior = CT_DIMS(INT64_MAX - 1, 1)};

    CHECK_VALUES(programs_run1(ctx, pad, &a, CT_ARGV(coded(ctx, CT_I8, 1, 2), value)),
                 CT_SHAPE(2, 5), {9, 1, 9, 9, 9, 9, 9, 9, 9, 9});
    a = (axes){.low = CT_DIMS(-INT64_MAX), .high = CT_DIMS(INT64_MAX), .interior = CT_DIMS(0)};
    CHECK_VALUES(programs_run1(ctx, pad, &a, CT_ARGV(coded(ctx, CT_I8, 2), value)), CT_SHAPE(2),
                 {9, 9});
    ct_context_free(ctx);
}

static void iota(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_iota(ct_context_of(p.item[0]), CT_F16, a->shape, a->axis);
}

TEST(iota_along_each_axis)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *unused = ct_scalar(ctx, CT_F32, 0);

    for (int64_t axis = 0; axis < 3; axis++) {
        axes a = {.shape = CT_DIMS(2, 3, 4), .axis = axis};
        ct_tensor *y = programs_run1(ctx, iota, &a, CT_ARGV(unused));
        for (int64_t i = 0; i < 24; i++) {
            int64_t index[] = {i / 12, i / 4 % 3, i % 4};
            CHECK(ct_at(y, index[0], index[1], index[2]) == (double)index[axis]);
        }
    }
    axes a = {.shape = CT_DIMS(3, 0), .axis = 0};
    CHECK_EMPTY(programs_run1(ctx, iota, &a, CT_ARGV(unused)), CT_SHAPE(3, 0));
    ct_context_free(ctx);
}

TEST(reshape_keeps_order)
{
    ct_context *ctx = ct_context_new();
    axes a = {.shape = CT_DIMS(3, 2)};

    CHECK_VALUES(programs_run1(ctx, reshape, &a, CT_ARGV(coded(ctx, CT_F32, 2, 3))), CT_SHAPE(3, 2),
                 {0, 1, 2, 10, 11, 12});
    ct_context_free(ctx);
}

/* ---- Choosing. */

static void choose(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_select(p.item[0], p.item[1], p.item[2]);
}

TEST(select_of_every_dtype_copies_bits)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *pred = given(ctx, CT_BOOL, CT_SHAPE(3), {1, 0, 1});

    for (int dtype = CT_BOOL; dtype < CT_DTYPE_COUNT; dtype++) {
        if (dtype == CT_F8E8M0FNU) /* it has no 0 */
            continue;
        ct_tensor *x = given(ctx, (ct_dtype)dtype, CT_SHAPE(3), {0, 0, 1});
        ct_tensor *y = given(ctx, (ct_dtype)dtype, CT_SHAPE(3), {1, 1, 0});
        CHECK_VALUES(programs_run1(ctx, choose, NULL, CT_ARGV(pred, x, y)), CT_SHAPE(3), {0, 1, 1});
        CHECK_BITS(programs_run1(ctx, choose, NULL, CT_ARGV(ct_scalar(ctx, CT_BOOL, 0), x, y)), y);
        CHECK_BITS(programs_run1(ctx, choose, NULL, CT_ARGV(ct_scalar(ctx, CT_BOOL, 1), x, y)), x);
    }
    const uint32_t payload[] = {0xffc12345, 0x7fa00001};
    ct_tensor *nan = ct_from_data(ctx, CT_F32, CT_SHAPE(2), payload);
    ct_tensor *kept = programs_run1(ctx, choose, NULL,
                                    CT_ARGV(given(ctx, CT_BOOL, CT_SHAPE(2), {1, 0}), nan, nan));
    CHECK(memcmp(ct_data(kept), payload, sizeof payload) == 0);
    ct_context_free(ctx);
}

static void clamp(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_clamp(p.item[0], p.item[1], p.item[2]);
}

TEST(clamp_is_min_of_max)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(5), {-3, -1, 0, 2, NAN});
    ct_tensor *lo = ct_scalar(ctx, CT_F32, -1), *hi = ct_scalar(ctx, CT_F32, 1);
    ct_tensor *los = given(ctx, CT_F32, CT_SHAPE(5), {-9, 0, NAN, 5, 0});

    CHECK_VALUES(programs_run1(ctx, clamp, NULL, CT_ARGV(lo, x, hi)), CT_SHAPE(5),
                 {-1, -1, 0, 1, NAN});
    CHECK_VALUES(programs_run1(ctx, clamp, NULL, CT_ARGV(hi, x, lo)), CT_SHAPE(5),
                 {-1, -1, -1, -1, NAN});
    CHECK_VALUES(programs_run1(ctx, clamp, NULL, CT_ARGV(los, x, hi)), CT_SHAPE(5),
                 {-3, 0, NAN, 1, NAN});
    ct_tensor *scalar = ct_scalar(ctx, CT_F32, 7);
    CHECK_VALUES(programs_run1(ctx, clamp, NULL, CT_ARGV(lo, scalar, hi)), CT_SHAPE(), {1});
    CHECK_EMPTY(
        programs_run1(ctx, clamp, NULL, CT_ARGV(lo, ct_zeros(ctx, CT_F32, CT_SHAPE(0)), hi)),
        CT_SHAPE(0));
    ct_context_free(ctx);
}
