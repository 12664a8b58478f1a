/* Derivative rules of data movement: whole matrices on coded data with distinct extents. */
#include "tests/derivatives.h"

#define PROGRAM(name, ...)                                                                         \
    static ct_tensor *name(const void *user, ct_tensor *const *x)                                  \
    {                                                                                              \
        (void)user;                                                                                \
        return __VA_ARGS__;                                                                        \
    }

/* ---- broadcast_in_dim. */

PROGRAM(spread_scalar, ct_op_broadcast_in_dim(x[0], CT_DIMS(2, 3), CT_DIMS()))
PROGRAM(spread_new_axes, ct_op_broadcast_in_dim(x[0], CT_DIMS(2, 3, 4), CT_DIMS(1)))
PROGRAM(spread_ones, ct_op_broadcast_in_dim(x[0], CT_DIMS(2, 3), CT_DIMS(0, 1)))
PROGRAM(spread_unsorted, ct_op_broadcast_in_dim(x[0], CT_DIMS(4, 2, 3), CT_DIMS(1, 2, 0)))
PROGRAM(spread_unsorted_ones, ct_op_broadcast_in_dim(x[0], CT_DIMS(4, 5, 2, 3), CT_DIMS(3, 1, 0)))
PROGRAM(spread_to_nothing, ct_op_broadcast_in_dim(x[0], CT_DIMS(0, 3), CT_DIMS(0, 1)))

TEST(broadcast_in_dim)
{
    ct_context *ctx = ct_context_new();
    CHECK_LINEAR(ctx, spread_scalar, NULL, 2, ct_scalar(ctx, CT_F64, 3));
    CHECK_LINEAR(ctx, spread_new_axes, NULL, 2, coded(ctx, CT_F64, 3));
    CHECK_LINEAR(ctx, spread_ones, NULL, 2, coded(ctx, CT_F64, 1, 3));
    CHECK_LINEAR(ctx, spread_ones, NULL, 2, coded(ctx, CT_F64, 2, 1));
    CHECK_LINEAR(ctx, spread_ones, NULL, 2, coded(ctx, CT_F64, 2, 3));
    CHECK_LINEAR(ctx, spread_unsorted, NULL, 2, coded(ctx, CT_F64, 2, 3, 4));
    CHECK_LINEAR(ctx, spread_unsorted_ones, NULL, 2, coded(ctx, CT_F64, 3, 1, 4));
    CHECK_LINEAR_EMPTY(ctx, spread_to_nothing, NULL, 2, coded(ctx, CT_F64, 1, 3));
    CHECK_DTYPES(ctx, spread_unsorted_ones, NULL, 0, coded(ctx, CT_F64, 3, 1, 4));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

PROGRAM(spread_far, ct_op_broadcast_in_dim(x[0], CT_DIMS(4096), CT_DIMS()))

/* The adjoint adds 4096 ones: in f16 and bf16 the running sum would stick at 2048 and 256. */
TEST(broadcast_sums_in_f32)
{
    ct_context *ctx = ct_context_new();
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        ct_tensor *x = ct_scalar(ctx, t, 1);
        ct_function *f = derivatives_record(ctx, spread_far, NULL, CT_LIKE(x));
        ct_tensor *ybar = ct_ones(ctx, t, CT_SHAPE(4096));
        CHECK(ct_item(ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, ybar))) == 4096);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- concatenate. */

PROGRAM(join_columns, ct_op_concatenate(CT_ARGV(x[0], x[1], x[2]), 1))
PROGRAM(join_same, ct_op_concatenate(CT_ARGV(x[0], x[1], x[0]), 0))
PROGRAM(join_with_constant,
        ct_op_concatenate(CT_ARGV(ct_ones(ct_context_of(x[0]), CT_F64, CT_SHAPE(2)), x[0]), 0))

TEST(concatenate)
{
    ct_context *ctx = ct_context_new();
    CHECK_LINEAR(ctx, join_columns, NULL, 2, coded(ctx, CT_F64, 2, 1), coded(ctx, CT_F64, 2, 0),
                 coded(ctx, CT_F64, 2, 3));
    CHECK_LINEAR(ctx, join_same, NULL, 2, coded(ctx, CT_F64, 3), coded(ctx, CT_F64, 2));
    CHECK_LINEAR(ctx, join_with_constant, NULL, 2, coded(ctx, CT_F64, 3));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- pad. */

PROGRAM(pad_edges, ct_op_pad(x[0], x[1], CT_DIMS(1, 0), CT_DIMS(2, 3), CT_DIMS(0, 0)))
PROGRAM(pad_interior, ct_op_pad(x[0], x[1], CT_DIMS(0, 1), CT_DIMS(0, 0), CT_DIMS(2, 1)))
PROGRAM(pad_negative, ct_op_pad(x[0], x[1], CT_DIMS(-1, 1), CT_DIMS(1, -2), CT_DIMS(0, 0)))
PROGRAM(pad_all, ct_op_pad(x[0], x[1], CT_DIMS(-2, 2), CT_DIMS(1, -3), CT_DIMS(1, 2)))
PROGRAM(pad_all_away, ct_op_pad(x[0], x[1], CT_DIMS(-5, 0), CT_DIMS(4, 0), CT_DIMS(0, 0)))
PROGRAM(pad_far_away,
        ct_op_pad(x[0], x[1], CT_DIMS(INT64_MIN, 0), CT_DIMS(INT64_MAX, 0), CT_DIMS(0, 0)))
PROGRAM(pad_huge_interior,
        ct_op_pad(x[0], x[1], CT_DIMS(0, 1), CT_DIMS(1, 0), CT_DIMS(INT64_MAX - 1, 0)))
PROGRAM(pad_constant, ct_op_pad(x[0], ct_scalar(ct_context_of(x[0]), CT_F64, 7), CT_DIMS(1, 0),
                                CT_DIMS(0, 0), CT_DIMS(0, 1)))

TEST(pad)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 3, 4), *value = ct_scalar(ctx, CT_F64, 7);
    CHECK_LINEAR(ctx, pad_edges, NULL, 2, x, value);
    CHECK_LINEAR(ctx, pad_interior, NULL, 2, x, value);
    CHECK_LINEAR(ctx, pad_negative, NULL, 2, x, value);
    CHECK_LINEAR(ctx, pad_all, NULL, 2, x, value);
    CHECK_LINEAR(ctx, pad_all_away, NULL, 2, x, value);
    CHECK_LINEAR_EMPTY(ctx, pad_far_away, NULL, 2, coded(ctx, CT_F64, 1, 2), value);
    CHECK_LINEAR(ctx, pad_huge_interior, NULL, 2, coded(ctx, CT_F64, 1, 2), value);
    CHECK_LINEAR_EMPTY(ctx, pad_interior, NULL, 2, coded(ctx, CT_F64, 0, 2), value);
    CHECK_LINEAR(ctx, pad_interior, NULL, 2, coded(ctx, CT_F64, 1, 1), value);
    CHECK_LINEAR(ctx, pad_constant, NULL, 2, x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- reshape, reverse, slice, transpose. */

PROGRAM(fold_axes, ct_op_reshape(x[0], CT_DIMS(4, 1, 6)))
PROGRAM(backwards, ct_op_reverse(x[0], CT_DIMS(2, 0)))
PROGRAM(strided, ct_op_slice(x[0], CT_DIMS(1, 0, 1), CT_DIMS(2, 3, 4), CT_DIMS(1, 2, 2)))
PROGRAM(slice_nothing, ct_op_slice(x[0], CT_DIMS(1, 3, 2), CT_DIMS(2, 3, 4), CT_DIMS(1, 5, 1)))
PROGRAM(long_stride,
        ct_op_slice(x[0], CT_DIMS(0, 1, 0), CT_DIMS(2, 3, 4), CT_DIMS(1, INT64_MAX, 3)))
PROGRAM(cycle, ct_op_transpose(x[0], CT_DIMS(1, 2, 0)))
PROGRAM(other_cycle, ct_op_transpose(x[0], CT_DIMS(2, 0, 1)))
PROGRAM(swap, ct_op_transpose(x[0], CT_DIMS(0, 2, 1)))

TEST(moves)
{
    derivatives_program *const programs[] = {fold_axes,   backwards, strided,     slice_nothing,
                                             long_stride, cycle,     other_cycle, swap};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 2, 3, 4);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        CHECK_LINEAR_ANY(ctx, programs[i], NULL, 2, x);
    CHECK_LINEAR_EMPTY(ctx, cycle, NULL, 2, coded(ctx, CT_F64, 2, 0, 4));
    CHECK_LINEAR(ctx, backwards, NULL, 2, coded(ctx, CT_F64, 1, 1, 1));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Second order through a movement: gradient of Σ (movement of x)³. */

PROGRAM(cubes, ct_op_multiply(x[0], ct_op_multiply(x[0], x[0])))
PROGRAM(cubes_of_all, cubes(user, (ct_tensor *[]){pad_all(user, x)}))
PROGRAM(cubes_of_cycle, cubes(user, (ct_tensor *[]){cycle(user, x)}))
PROGRAM(cubes_of_spread, cubes(user, (ct_tensor *[]){spread_unsorted_ones(user, x)}))

TEST(cubes_of_moves)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, cubes_of_all, NULL, 2, coded(ctx, CT_F64, 3, 4), ct_scalar(ctx, CT_F64, 2));
    CHECK_SMOOTH(ctx, cubes_of_cycle, NULL, 2, coded(ctx, CT_F64, 2, 1, 3));
    CHECK_SMOOTH(ctx, cubes_of_spread, NULL, 2, coded(ctx, CT_F64, 3, 1, 4));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
