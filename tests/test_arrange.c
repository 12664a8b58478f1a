/* Arranging composites: slopes, messages, memory, sizes that overflow. Values: test_composites.c.
 */
#include "tests/derivatives.h"

#include <cotangent/linalg.h>
#include <cotangent/reduce.h>
#include <cotangent/shape.h>

/* ---- Slopes: all are linear. */

#define PROGRAM(name, call)                                                                        \
    static ct_tensor *name(const void *user, ct_tensor *const *x)                                  \
    {                                                                                              \
        (void)user;                                                                                \
        return call;                                                                               \
    }

PROGRAM(swapped, ct_swapaxes(x[0], 0, -1))
PROGRAM(moved, ct_moveaxis(x[0], CT_AXES(0), CT_AXES(-1))) /* a 3-cycle */
PROGRAM(tiled, ct_tile(x[0], CT_SHAPE(2, 1, 1, 3)))
PROGRAM(repeated, ct_repeat(x[0], 3, 1))
PROGRAM(rolled, ct_roll(x[0], CT_SHAPE(1, -2), CT_AXES(0, 2)))
PROGRAM(lower, ct_tril(x[0], 1))
PROGRAM(upper, ct_triu(x[0], -1))
PROGRAM(matrix, ct_diag(x[0], -2))
PROGRAM(diagonal, ct_diag(x[0], 1))

static ct_tensor *parts(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *third[3], *uneven[2];
    ct_split(x[0], 1, third, 3);
    ct_split_positions(x[0], CT_SHAPE(-1), 1, uneven, 2);
    return ct_concatenate(CT_ARGV(third[2], uneven[1], third[0], uneven[0]), 1);
}

TEST(slopes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 2, 3, 4), *v = coded(ctx, CT_F64, 3);
    CHECK_LINEAR(ctx, swapped, NULL, 1, x);
    CHECK_LINEAR(ctx, moved, NULL, 2, x);
    CHECK_LINEAR(ctx, tiled, NULL, 1, x);
    CHECK_LINEAR(ctx, repeated, NULL, 1, x);
    CHECK_LINEAR(ctx, rolled, NULL, 1, x);
    CHECK_LINEAR(ctx, lower, NULL, 1, x);
    CHECK_LINEAR(ctx, upper, NULL, 2, x);
    CHECK_LINEAR(ctx, parts, NULL, 1, x);
    CHECK_LINEAR(ctx, matrix, NULL, 2, v);
    CHECK_LINEAR(ctx, diagonal, NULL, 2, coded(ctx, CT_F64, 3, 4));
    CHECK_LINEAR_EMPTY(ctx, tiled, NULL, 1, ct_zeros(ctx, CT_F64, CT_SHAPE(2, 0)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

PROGRAM(dot, ct_dot(x[0], x[1]))
PROGRAM(outer, ct_outer(x[0], x[1]))
PROGRAM(contracted, ct_tensordot(x[0], x[1], 2))
PROGRAM(paired, ct_tensordot_axes(x[0], x[1], CT_AXES(0, 2), CT_AXES(-1, 0)))

TEST(slopes_of_products)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 2, 3), *v = coded(ctx, CT_F64, 3);
    CHECK_LINEAR(ctx, dot, NULL, 2, v, v);
    CHECK_LINEAR(ctx, dot, NULL, 2, x, v);
    CHECK_LINEAR(ctx, dot, NULL, 1, x, coded(ctx, CT_F64, 2, 3, 2));
    CHECK_LINEAR(ctx, dot, NULL, 1, x, ct_scalar(ctx, CT_F64, 5));
    CHECK_LINEAR(ctx, outer, NULL, 2, x, v);
    CHECK_LINEAR(ctx, contracted, NULL, 1, coded(ctx, CT_F64, 2, 2, 3),
                 coded(ctx, CT_F64, 2, 3, 2));
    CHECK_LINEAR(ctx, paired, NULL, 1, coded(ctx, CT_F64, 2, 3, 4), coded(ctx, CT_F64, 4, 2));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- What is not NumPy's. */

/* Nothing to change is a handle of its own. */
TEST(identities)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3), *y[1];
    ct_tensor *same[] = {ct_tile(x, CT_SHAPE()), ct_repeat(x, 1, 0),
                         ct_roll(x, CT_SHAPE(0, 6), CT_AXES(0, 1)), ct_swapaxes(x, 1, 1)};
    for (int i = 0; i < 4; i++) {
        CHECK(same[i] != x);
        CHECK_EQUAL(same[i], x);
        ct_release(same[i]);
    }
    ct_split(x, 0, y, 1);
    CHECK(y[0] != x);
    CHECK_EQUAL(y[0], x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A rank of 64 leaves no room for new axes. */
TEST(rank_64)
{
    ct_context *ctx = ct_context_new();
    int64_t dim[64], n[64];
    for (int i = 0; i < 64; i++)
        dim[i] = n[i] = 1;
    dim[63] = 3;
    ct_tensor *x = ct_from_doubles(ctx, CT_F32, (ct_shape){64, dim}, (const double[]){1, 2, 3});
    n[0] = n[63] = 2;
    ct_tensor *flat = ct_reshape(ct_tile(x, (ct_shape){64, n}), CT_SHAPE(-1));
    CHECK_VALUES(flat, CT_SHAPE(12), {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
    CHECK_VALUES(ct_reshape(ct_repeat(x, 2, -1), CT_SHAPE(-1)), CT_SHAPE(6), {1, 1, 2, 2, 3, 3});
    CHECK_VALUES(ct_reshape(ct_roll(x, CT_SHAPE(1), CT_ALL_AXES), CT_SHAPE(-1)), CT_SHAPE(3),
                 {3, 1, 2});
    CHECK_VALUES(ct_dot(x, given(ctx, CT_F32, CT_SHAPE(3), {1, 1, 1})), ((ct_shape){63, dim}), {6});
    ct_tensordot(x, x, 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "tensordot: the result would have rank 128; the most is 64");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Messages. */

TEST(sizes_that_overflow)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(3)), *none = ct_ones(ctx, CT_F32, CT_SHAPE(0));
    ct_tile(x, CT_SHAPE(INT64_MAX));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "tile: the extent of axis 0 overflows");
    ct_tile(x, CT_SHAPE(INT64_MAX / 4, 2));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "tile: the size of the result overflows");
    ct_repeat(x, INT64_MAX / 2, 0);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "repeat: the extent of axis 0 overflows");
    ct_diag(x, INT64_MIN);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "diag: the size of the result overflows");
    ct_diag(x, INT64_MAX);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "diag: the size of the result overflows");
    CHECK_EMPTY(ct_tile(none, CT_SHAPE(INT64_MAX)), CT_SHAPE(0));
    CHECK_EMPTY(ct_diag(ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), INT64_MIN), CT_SHAPE(0));
    CHECK_EMPTY(ct_diag(ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), INT64_MAX), CT_SHAPE(0));
    CHECK_EMPTY(ct_diag(ct_zeros(ctx, CT_F32, CT_SHAPE(0, INT64_MAX)), 0), CT_SHAPE(0));
    CHECK_VALUES(ct_tril(ct_ones(ctx, CT_F32, CT_SHAPE(1, 2)), INT64_MAX), CT_SHAPE(1, 2), {1, 1});
    CHECK_VALUES(ct_roll(x, CT_SHAPE(INT64_MIN), CT_AXES(0)), CT_SHAPE(3), {1, 1, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(messages)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *y[4] = {NULL};
    ct_swapaxes(x, 0, 2);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "swapaxes: axis 2 does not exist in rank 2");
    ct_moveaxis(x, CT_AXES(0), CT_AXES(1, 0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "moveaxis: source has length 1 and destination 2");
    ct_moveaxis(x, CT_AXES(0, -2), CT_AXES(1, 0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "moveaxis: axis 0 is named twice");
    ct_tile(x, CT_SHAPE(2, -1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "tile: -1 repeats on axis 1");
    ct_repeat(x, 2, 2);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "repeat: axis 2 does not exist in rank 2");
    ct_roll(x, CT_SHAPE(1, 2, 3), CT_AXES(0, 1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "roll: shifts has length 3 and axes 2");
    ct_tril(ct_ones(ctx, CT_F32, CT_SHAPE(3)), 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "tril: x has rank 1; it needs rows and columns");
    ct_diag(ct_ones(ctx, CT_F32, CT_SHAPE(1, 2, 3)), 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "diag: x has rank 3; it is a vector or a matrix");
    ct_split(x, 1, y, 2);
    CHECK(ct_is_poison(y[0]) && ct_is_poison(y[1]));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "split: an extent of 3 cannot be split into 2 equal parts");
    ct_split(x, 1, y, 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "into 0 equal parts");
    ct_split(x, 1, NULL, 3);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "split: the result is NULL");
    ct_split_positions(x, CT_SHAPE(2, 1), 1, y, 3);
    CHECK(ct_is_poison(y[0]) && ct_is_poison(y[2]));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "split_positions: positions[1] = 1 is outside [2, 3]");
    ct_split_positions(x, CT_SHAPE(1), 1, y, 3);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT,
                "split_positions: positions has length 1; the number of results is 3");
    ct_split_positions(x, CT_SHAPE(), 1, y, 0);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT,
                "split_positions: positions has length 0; the number of results is 0");
    ct_split_positions(x, CT_SHAPE(4), 1, y, 2);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "split_positions: positions[0] = 4 is outside [0, 3]");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(messages_of_products)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *i = coded(ctx, CT_I32, 2, 3);
    ct_tensor *b = coded(ctx, CT_BOOL, 2, 3);
    ct_dot(x, x);
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "dot: the contracted extents differ: x has 3 on axis 1 and y has 2 on axis 0");
    ct_dot(x, i);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "dot: x is f32 and y is i32");
    ct_dot(b, b);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "dot: x is bool; it takes floats, integers");
    ct_tensordot(x, x, 3);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "tensordot: n = 3 is outside [0, 2]");
    ct_tensordot(x, x, -1);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "tensordot: n = -1 is outside [0, 2]");
    ct_tensordot_axes(x, x, CT_AXES(0, 1), CT_AXES(0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "tensordot_axes: x_axes has length 2 and y_axes 1");
    ct_tensordot_axes(x, x, CT_AXES(0), CT_AXES(2));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "tensordot_axes: axis 2 does not exist in rank 2");
    ct_outer(x, i);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "outer: x is f32 and y is i32");
    CHECK_VALUES(ct_sum(ct_tensordot_axes(x, x, CT_ALL_AXES, CT_ALL_AXES), CT_AXES(), CT_DROP_AXES),
                 CT_SHAPE(), {1 + 4 + 100 + 121 + 144});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void arrangements(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), *part[4];
    ct_tile(x, CT_SHAPE(2, 1, 2));
    ct_repeat(x, 2, 1);
    ct_roll(x, CT_SHAPE(1), CT_ALL_AXES);
    ct_triu(x, 1);
    ct_diag(ct_diag(x, 1), -1);
    ct_moveaxis(x, CT_AXES(0), CT_AXES(1));
    ct_split(x, 1, part, 3);
    ct_split_positions(x, CT_SHAPE(1), 1, part, 2);
    ct_dot(x, ct_swapaxes(x, 0, 1));
    ct_dot(x, ct_scalar(ctx, CT_F32, 2));
    ct_outer(x, x);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(arrangements);
}
