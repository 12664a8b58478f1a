/* Shapes: every element names the place that it came from. */
#include "tests/derivatives.h"

#include <cotangent/shape.h>

#include <math.h>

TEST(reshape)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3);
    CHECK_VALUES(ct_reshape(x, CT_SHAPE(3, 2)), CT_SHAPE(3, 2), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(ct_reshape(x, CT_SHAPE(-1)), CT_SHAPE(6), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(ct_reshape(x, CT_SHAPE(3, -1, 1)), CT_SHAPE(3, 2, 1), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(ct_reshape(ct_scalar(ctx, CT_F32, 4), CT_SHAPE(-1, 1)), CT_SHAPE(1, 1), {4});
    CHECK_VALUES(ct_reshape(given(ctx, CT_F32, CT_SHAPE(1), {4}), CT_SHAPE()), CT_SHAPE(), {4});
    CHECK_EMPTY(ct_reshape(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3)), CT_SHAPE(-1, 3)), CT_SHAPE(0, 3));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(reshape_errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3);
    ct_reshape(x, CT_SHAPE(4));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "reshape: ");
    ct_reshape(x, CT_SHAPE(4, -1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "reshape: 6 elements cannot be split by the other extents, whose product is 4");
    ct_reshape(x, CT_SHAPE(-1, 2, -1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "reshape: axes 0 and 2 are both -1");
    ct_reshape(ct_zeros(ctx, CT_F32, CT_SHAPE(0)), CT_SHAPE(0, -1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "reshape: the extent of axis 1 cannot be told");
    ct_reshape(x, CT_SHAPE(-2, -3));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "reshape: ");
    ct_reshape(x, CT_SHAPE(INT64_MAX, INT64_MAX, -1));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "reshape: the new extents overflow");
    int64_t dim[65] = {6};
    ct_reshape(x, ((ct_shape){65, dim}));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "rank 65");
    ct_context_free(ctx);
}

TEST(transpose)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3, 1);
    CHECK_VALUES(ct_transpose(x, CT_ALL_AXES), CT_SHAPE(1, 3, 2), {0, 100, 10, 110, 20, 120});
    CHECK_VALUES(ct_transpose(x, CT_AXES(1, 0, 2)), CT_SHAPE(3, 2, 1), {0, 100, 10, 110, 20, 120});
    CHECK_VALUES(ct_transpose(x, CT_AXES(2, 0, 1)), CT_SHAPE(1, 2, 3), {0, 10, 20, 100, 110, 120});
    CHECK_VALUES(ct_transpose(x, CT_AXES(-2, -1, -3)), CT_SHAPE(3, 1, 2),
                 {0, 100, 10, 110, 20, 120});
    CHECK_VALUES(ct_transpose(ct_scalar(ctx, CT_F32, 2), CT_ALL_AXES), CT_SHAPE(), {2});
    CHECK_VALUES(ct_transpose(ct_scalar(ctx, CT_F32, 2), CT_AXES()), CT_SHAPE(), {2});
    ct_transpose(x, CT_AXES(0, 1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "transpose: axes has length 2; x has rank 3");
    ct_transpose(x, CT_AXES(0, 1, -2));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "transpose: axis 1 is named twice");
    ct_transpose(x, ((ct_axes){false, 3, NULL}));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "transpose: the axes are NULL");
    ct_transpose(x, CT_AXES(0, 1, 3));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "transpose: axis 3 does not exist in rank 3");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(squeeze_and_expand)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1, 3, 1), {7, 8, 9});
    CHECK_VALUES(ct_squeeze(x, CT_ALL_AXES), CT_SHAPE(3), {7, 8, 9});
    CHECK_VALUES(ct_squeeze(x, CT_AXES(0)), CT_SHAPE(3, 1), {7, 8, 9});
    CHECK_VALUES(ct_squeeze(x, CT_AXES(-1, 0)), CT_SHAPE(3), {7, 8, 9});
    CHECK_VALUES(ct_squeeze(x, CT_AXES()), CT_SHAPE(1, 3, 1), {7, 8, 9});
    ct_squeeze(x, CT_AXES(1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "squeeze: axis 1 has extent 3, which is not 1");
    ct_tensor *y = coded(ctx, CT_I32, 2, 3);
    CHECK_VALUES(ct_expand_dims(y, CT_AXES(0, -1)), CT_SHAPE(1, 2, 3, 1), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(ct_expand_dims(y, CT_AXES(1)), CT_SHAPE(2, 1, 3), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(ct_expand_dims(y, CT_AXES(2, 1)), CT_SHAPE(2, 1, 1, 3), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(ct_expand_dims(ct_scalar(ctx, CT_F32, 2), CT_AXES(0)), CT_SHAPE(1), {2});
    ct_expand_dims(y, CT_AXES(3));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "expand_dims: axis 3 does not exist in rank 3");
    ct_expand_dims(y, CT_AXES(0, -4));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "expand_dims: axis 0 is named twice");
    ct_expand_dims(y, CT_ALL_AXES);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "expand_dims: ");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(broadcast_to)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3, 1), {1, 2, 3});
    CHECK_VALUES(ct_broadcast_to(x, CT_SHAPE(2, 3, 2)), CT_SHAPE(2, 3, 2),
                 {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3});
    ct_tensor *same = ct_broadcast_to(x, CT_SHAPE(3, 1));
    CHECK(same != x);
    CHECK_EQUAL(same, x);
    CHECK_EMPTY(ct_broadcast_to(x, CT_SHAPE(3, 0)), CT_SHAPE(3, 0));
    ct_broadcast_to(x, CT_SHAPE(2, 2));
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "broadcast_to: axis -2 has extent 3, which does not stretch to 2");
    ct_broadcast_to(x, CT_SHAPE(3));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "broadcast_to: x has rank 2, the shape only 1");
    ct_broadcast_to(x, CT_SHAPE(3, -1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(slice)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 4, 5);
    CHECK_VALUES(ct_slice(x, CT_SHAPE(1, 2), CT_SHAPE(3, 5), CT_SHAPE()), CT_SHAPE(2, 3),
                 {12, 13, 14, 22, 23, 24});
    CHECK_VALUES(ct_slice(x, CT_SHAPE(-3, -5), CT_SHAPE(-1, CT_END), CT_SHAPE(1, 2)),
                 CT_SHAPE(2, 3), {10, 12, 14, 20, 22, 24});
    CHECK_VALUES(ct_slice(x, CT_SHAPE(0, 1), CT_SHAPE(4, 2), CT_SHAPE(3, 7)), CT_SHAPE(2, 1),
                 {1, 31});
    CHECK_EMPTY(ct_slice(x, CT_SHAPE(4, 0), CT_SHAPE(4, 5), CT_SHAPE()), CT_SHAPE(0, 5));
    CHECK_EMPTY(ct_slice(x, CT_SHAPE(CT_END, 0), CT_SHAPE(CT_END, 5), CT_SHAPE()), CT_SHAPE(0, 5));
    CHECK_VALUES(ct_slice(ct_scalar(ctx, CT_F32, 3), CT_SHAPE(), CT_SHAPE(), CT_SHAPE()),
                 CT_SHAPE(), {3});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Nothing is clipped. */
TEST(slice_errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 4, 5);
    ct_slice(x, CT_SHAPE(0, 6), CT_SHAPE(4, 6), CT_SHAPE());
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "slice: start[1] = 6 is outside an extent of 5");
    ct_slice(x, CT_SHAPE(-5, 0), CT_SHAPE(4, 5), CT_SHAPE());
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "slice: start[0] = -5 is outside an extent of 4");
    ct_slice(x, CT_SHAPE(0, 0), CT_SHAPE(4, 6), CT_SHAPE());
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "slice: limit[1] = 6 is outside [0, 5]");
    ct_slice(x, CT_SHAPE(2, 0), CT_SHAPE(1, 5), CT_SHAPE());
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "slice: limit[0] = 1 is outside [2, 4]");
    ct_slice(x, CT_SHAPE(0, 0), CT_SHAPE(4, 5), CT_SHAPE(1, 0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "slice: stride[1] = 0 is not positive");
    ct_slice(x, CT_SHAPE(0), CT_SHAPE(4, 5), CT_SHAPE());
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "slice: start has length 1; x has rank 2");
    ct_slice(x, CT_SHAPE(0, 0), CT_SHAPE(4, 5), CT_SHAPE(1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "slice: stride has length 1; x has rank 2");
    ct_slice(x, CT_SHAPE(INT64_MIN, 0), CT_SHAPE(4, 5), CT_SHAPE());
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "slice: start[0] = -9223372036854775808");
    ct_context_free(ctx);
}

TEST(flip)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3);
    CHECK_VALUES(ct_flip(x, CT_AXES(-1)), CT_SHAPE(2, 3), {2, 1, 0, 12, 11, 10});
    CHECK_VALUES(ct_flip(x, CT_AXES(0)), CT_SHAPE(2, 3), {10, 11, 12, 0, 1, 2});
    CHECK_VALUES(ct_flip(x, CT_ALL_AXES), CT_SHAPE(2, 3), {12, 11, 10, 2, 1, 0});
    CHECK_VALUES(ct_flip(x, CT_AXES()), CT_SHAPE(2, 3), {0, 1, 2, 10, 11, 12});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(pad)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3);
    CHECK_VALUES(ct_pad(x, CT_SHAPE(0, 1), CT_SHAPE(1, 0), -7), CT_SHAPE(3, 4),
                 {-7, 0, 1, 2, -7, 10, 11, 12, -7, -7, -7, -7});
    CHECK_VALUES(ct_pad(x, CT_SHAPE(-1, 0), CT_SHAPE(0, -2), 0), CT_SHAPE(1, 1), {10});
    CHECK_VALUES(ct_pad(x, CT_SHAPE(0, -2), CT_SHAPE(0, 1), ct_scalar(ctx, CT_I32, 4)),
                 CT_SHAPE(2, 2), {2, 4, 12, 4});
    ct_pad(x, CT_SHAPE(0, 1), CT_SHAPE(1), 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "pad: high has length 1; x has rank 2");
    ct_pad(x, CT_SHAPE(0, 1), CT_SHAPE(1, 0), 0.5);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "pad: i32 cannot hold the number 0.5");
    ct_pad(x, CT_SHAPE(0, 1), CT_SHAPE(1, 0), x);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "pad: the value is not a scalar");
    ct_pad(x, CT_SHAPE(0, -2), CT_SHAPE(0, -2), 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "pad: ");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(stack)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3});
    ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(3), {4, 5, 6});
    CHECK_VALUES(ct_stack(CT_ARGV(x, y), 0), CT_SHAPE(2, 3), {1, 2, 3, 4, 5, 6});
    CHECK_VALUES(ct_stack(CT_ARGV(x, y), 1), CT_SHAPE(3, 2), {1, 4, 2, 5, 3, 6});
    CHECK_VALUES(ct_stack(CT_ARGV(x, y), -1), CT_SHAPE(3, 2), {1, 4, 2, 5, 3, 6});
    CHECK_VALUES(ct_stack(CT_ARGV(x), 0), CT_SHAPE(1, 3), {1, 2, 3});
    ct_tensor *s = ct_scalar(ctx, CT_F32, 8);
    CHECK_VALUES(ct_stack(CT_ARGV(s, s), 0), CT_SHAPE(2), {8, 8});
    ct_stack(CT_ARGV(x, s), 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "stack: x[0] has rank 1 and x[1] has rank 0");
    ct_stack(CT_ARGV(x, y, ct_zeros(ctx, CT_F32, CT_SHAPE(2))), 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "stack: on axis 0 x[0] has extent 3 and x[2] has 2");
    ct_stack(CT_ARGV(x, y), 2);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "stack: axis 2 does not exist in rank 2");
    ct_stack(CT_ARGV(x, NULL), 0);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "stack: x[1] is NULL");
    CHECK(ct_is_poison(ct_stack(CT_NO_TENSORS, 0)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(concatenate)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3), *y = given(ctx, CT_I32, CT_SHAPE(2, 1), {7, 8});
    ct_tensor *none = ct_zeros(ctx, CT_I32, CT_SHAPE(2, 0));
    CHECK_VALUES(ct_concatenate(CT_ARGV(y, x, none, y), 1), CT_SHAPE(2, 5),
                 {7, 0, 1, 2, 7, 8, 10, 11, 12, 8});
    CHECK_VALUES(ct_concatenate(CT_ARGV(x, x), -2), CT_SHAPE(4, 3),
                 {0, 1, 2, 10, 11, 12, 0, 1, 2, 10, 11, 12});
    ct_tensor *same = ct_concatenate(CT_ARGV(x), 0);
    CHECK(same != x);
    CHECK_EQUAL(same, x);
    ct_concatenate(CT_ARGV(x, y), 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "concatenate: on axis 1 x[0] has extent 3 and x[1] has 1");
    ct_concatenate(CT_ARGV(x, ct_zeros(ctx, CT_F32, CT_SHAPE(2, 3))), 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "concatenate: x[0] is i32 and x[1] is f32");
    ct_concatenate(CT_ARGV(ct_scalar(ctx, CT_F32, 1)), 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "concatenate: axis 0 does not exist in rank 0");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Slopes: all of it in one linear program. */

static ct_tensor *arranged(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *a = ct_transpose(ct_expand_dims(x[0], CT_AXES(1)), CT_AXES(2, 0, 1)); /* 3 2 1 */
    ct_tensor *b = ct_flip(ct_broadcast_to(a, CT_SHAPE(3, 2, 2)), CT_AXES(0, 2));
    ct_tensor *c = ct_slice(b, CT_SHAPE(0, 0, 0), CT_SHAPE(CT_END, -1, 2), CT_SHAPE(2, 1, 1));
    ct_tensor *d = ct_reshape(ct_squeeze(c, CT_ALL_AXES), CT_SHAPE(-1)); /* 4 */
    ct_tensor *e = ct_pad(ct_stack(CT_ARGV(d, x[1]), 1), CT_SHAPE(1, 0), CT_SHAPE(-1, 1), 0);
    return ct_concatenate(CT_ARGV(e, ct_flip(e, CT_AXES(0))), 1);
}

TEST(linear_slopes)
{
    ct_context *ctx = ct_context_new();
    CHECK_LINEAR(ctx, arranged, NULL, 2, coded(ctx, CT_F64, 2, 3), coded(ctx, CT_F64, 4));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void arrange(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE(2, 3)), *y = ct_ones(ctx, CT_F64, CT_SHAPE(4));
    arranged(NULL, (ct_tensor *const[]){x, y});
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(arrange);
}
