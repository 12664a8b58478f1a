/* Every view is compared with what the interpreter computes for the same operation, and with values
 * written out here. */
#include "tests/values.h"

#include "trace/trace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The interpreter's result has the view's bits. */
static void check_meaning(ct__op op, const ct__attrs *attrs, ct_tensor *x, ct_tensor *y)
{
    size_t bytes = ct__data_bytes(y->type);
    void *out = malloc(bytes + 1);
    const void *in = ct__tensor_data(x);
    ct__evaluation e = {.ctx = ct_context_of(x),
                        .at = CT_HERE,
                        .op = op,
                        .attrs = attrs,
                        .n_operands = 1,
                        .in_type = &x->type,
                        .in = &in,
                        .n_results = 1,
                        .out_type = &y->type,
                        .out = &out};

    CHECK(out && in && e.ctx->hooks.evaluate(&e));
    CHECK(bytes == 0 || memcmp(out, ct_data(y), bytes) == 0);
    free(out);
}

/* NULL when there is no view. x itself stays a view: a copy of it is what the interpreter reads. */
static ct_tensor *view(ct__op op, ct__attrs attrs, ct_tensor *x, ct_shape shape)
{
    ct_context *ctx = ct_context_of(x);
    ct__arena *arena = ct__scratch_begin(ctx);
    const ct_type *type = ct__type(arena, ct_dtype_of(x), (int)shape.count, shape.dim);
    ct__literal *literal = NULL;
    ct__view(op, &attrs, x->literal, type, &literal);
    ct_tensor *y = NULL;

    CHECK(!literal || literal->storage == x->literal->storage);
    if (literal) {
        y = ct__tensor_concrete(ctx, CT_HERE, "view", ct__literal_retain(literal));
        if (type->size < 10000)
            check_meaning(op, &attrs,
                          ct__tensor_concrete(ctx, CT_HERE, "x", ct__literal_retain(x->literal)),
                          ct__tensor_concrete(ctx, CT_HERE, "y", literal));
        else
            ct__literal_release(literal);
    }
    ct__scratch_end(ctx);
    return y;
}

#define INTS(...) ((ct__ints){CT_SHAPE(__VA_ARGS__).count, CT_SHAPE(__VA_ARGS__).dim})
#define TRANSPOSE(x, shape, ...)                                                                   \
    view(CT__OP_transpose, (ct__attrs){.transpose = {.permutation = INTS(__VA_ARGS__)}}, x, shape)
#define REVERSE(x, ...)                                                                            \
    view(CT__OP_reverse, (ct__attrs){.reverse = {.dimensions = INTS(__VA_ARGS__)}}, x,             \
         ct_shape_of(x))
#define BROADCAST(x, shape, ...)                                                                   \
    view(CT__OP_broadcast_in_dim,                                                                  \
         (ct__attrs){.broadcast_in_dim = {.broadcast_dimensions = INTS(__VA_ARGS__)}}, x, shape)
#define RESHAPE(x, to)                                                                             \
    view(CT__OP_reshape, (ct__attrs){.reshape = {.shape = {(to).count, (to).dim}}}, x, to)
#define SLICE(x, shape, starts, limits, steps)                                                     \
    view(CT__OP_slice,                                                                             \
         (ct__attrs){                                                                              \
             .slice = {.start_indices = starts, .limit_indices = limits, .strides = steps}},       \
         x, shape)

TEST(transpose_of_three_axes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3, 4);
    ct_tensor *y = TRANSPOSE(x, CT_SHAPE(3, 4, 2), 1, 2, 0); /* a 3-cycle, not its inverse */
    ct_tensor *z = TRANSPOSE(y, CT_SHAPE(2, 3, 4), 2, 0, 1);

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                CHECK(ct_at(y, j, k, i) == 100 * i + 10 * j + k);
    CHECK_EQUAL(z, x);
    CHECK_EQUAL(TRANSPOSE(x, CT_SHAPE(2, 3, 4), 0, 1, 2), x);
    CHECK_VALUES(TRANSPOSE(ct_scalar(ctx, CT_F32, 3), CT_SHAPE(), ), CT_SHAPE(), {3});
    CHECK_EMPTY(TRANSPOSE(coded(ctx, CT_F32, 2, 0), CT_SHAPE(0, 2), 1, 0), CT_SHAPE(0, 2));
    ct_context_free(ctx);
}

TEST(slice_with_steps)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 5, 7);

    CHECK_VALUES(SLICE(x, CT_SHAPE(2, 3), INTS(1, 0), INTS(4, 7), INTS(2, 3)), CT_SHAPE(2, 3),
                 {10, 13, 16, 30, 33, 36});
    CHECK_VALUES(SLICE(x, CT_SHAPE(1, 1), INTS(4, 6), INTS(5, 7), INTS(INT64_MAX, INT64_MAX)),
                 CT_SHAPE(1, 1), {46});
    CHECK_EMPTY(SLICE(x, CT_SHAPE(0, 2), INTS(5, 2), INTS(5, 4), INTS(1, 1)), CT_SHAPE(0, 2));
    CHECK_VALUES(SLICE(REVERSE(x, 1), CT_SHAPE(1, 3), INTS(2, 1), INTS(3, 7), INTS(1, 2)),
                 CT_SHAPE(1, 3), {25, 23, 21});
    ct_context_free(ctx);
}

TEST(reverse_of_some_axes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I8, 2, 3);

    CHECK_VALUES(REVERSE(x, 0), CT_SHAPE(2, 3), {10, 11, 12, 0, 1, 2});
    CHECK_VALUES(REVERSE(x, 1), CT_SHAPE(2, 3), {2, 1, 0, 12, 11, 10});
    CHECK_VALUES(REVERSE(x, 1, 0), CT_SHAPE(2, 3), {12, 11, 10, 2, 1, 0});
    CHECK_EQUAL(REVERSE(x, ), x);
    CHECK_EQUAL(REVERSE(REVERSE(x, 1), 1), x);
    CHECK_EMPTY(REVERSE(coded(ctx, CT_I8, 0, 3), 0, 1), CT_SHAPE(0, 3));
    CHECK_VALUES(REVERSE(coded(ctx, CT_I8, 1, 2), 0), CT_SHAPE(1, 2), {0, 1});
    ct_context_free(ctx);
}

TEST(broadcast_in_any_order)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);

    CHECK_VALUES(BROADCAST(x, CT_SHAPE(2, 2, 3), 1, 2), CT_SHAPE(2, 2, 3),
                 {0, 1, 2, 10, 11, 12, 0, 1, 2, 10, 11, 12});
    CHECK_VALUES(BROADCAST(x, CT_SHAPE(3, 2), 1, 0), CT_SHAPE(3, 2), {0, 10, 1, 11, 2, 12});
    CHECK_VALUES(BROADCAST(coded(ctx, CT_F32, 2, 1), CT_SHAPE(2, 3), 0, 1), CT_SHAPE(2, 3),
                 {0, 0, 0, 10, 10, 10});
    CHECK_VALUES(BROADCAST(ct_scalar(ctx, CT_F32, 4), CT_SHAPE(2, 2), ), CT_SHAPE(2, 2),
                 {4, 4, 4, 4});
    CHECK_EMPTY(BROADCAST(coded(ctx, CT_F32, 1), CT_SHAPE(0, 3), 0), CT_SHAPE(0, 3));
    CHECK(ct_at(BROADCAST(ct_scalar(ctx, CT_I8, 4), CT_SHAPE(1 << 30, 1 << 30), ), 9, 9) == 4);
    ct_context_free(ctx);
}

TEST(reshape_where_strides_allow)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);
    ct_tensor *t = TRANSPOSE(x, CT_SHAPE(3, 2), 1, 0);
    ct_tensor *cube = coded(ctx, CT_I32, 2, 3, 4);

    CHECK_VALUES(RESHAPE(x, CT_SHAPE(6)), CT_SHAPE(6), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(RESHAPE(x, CT_SHAPE(3, 2)), CT_SHAPE(3, 2), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(RESHAPE(x, CT_SHAPE(1, 2, 1, 3, 1)), CT_SHAPE(1, 2, 1, 3, 1),
                 {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(RESHAPE(t, CT_SHAPE(3, 1, 2)), CT_SHAPE(3, 1, 2), {0, 10, 1, 11, 2, 12});
    CHECK(!RESHAPE(t, CT_SHAPE(6)));
    CHECK(!RESHAPE(t, CT_SHAPE(2, 3)));
    /* axes 1 and 2 stay behind one another when axis 0 moves to the end */
    ct_tensor *moved = TRANSPOSE(cube, CT_SHAPE(3, 4, 2), 1, 2, 0);
    ct_tensor *merged = RESHAPE(moved, CT_SHAPE(12, 2));
    CHECK(merged && ct_at(merged, 7, 1) == 113);
    CHECK(RESHAPE(moved, CT_SHAPE(6, 2, 2)) && RESHAPE(moved, CT_SHAPE(2, 6, 2)));
    CHECK(!RESHAPE(moved, CT_SHAPE(24)) && !RESHAPE(moved, CT_SHAPE(4, 6)));
    /* a slice with steps is one run along the axis, but its rows are apart */
    ct_tensor *steps = SLICE(cube, CT_SHAPE(2, 3, 2), INTS(0, 0, 0), INTS(2, 3, 4), INTS(1, 1, 2));
    CHECK_VALUES(RESHAPE(steps, CT_SHAPE(12)), CT_SHAPE(12),
                 {0, 2, 10, 12, 20, 22, 100, 102, 110, 112, 120, 122});
    ct_tensor *window = SLICE(cube, CT_SHAPE(2, 2, 3), INTS(0, 1, 0), INTS(2, 3, 3), INTS(1, 1, 1));
    CHECK(!RESHAPE(window, CT_SHAPE(2, 6)) && !RESHAPE(window, CT_SHAPE(4, 3)));
    CHECK_VALUES(RESHAPE(REVERSE(x, 1, 0), CT_SHAPE(6)), CT_SHAPE(6), {12, 11, 10, 2, 1, 0});
    CHECK(!RESHAPE(REVERSE(x, 1), CT_SHAPE(6)));
    ct_context_free(ctx);
}

TEST(reshape_of_splats_and_of_nothing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *splat = ct_full(ctx, CT_F32, CT_SHAPE(4, 6), 7);
    ct_tensor *column = BROADCAST(coded(ctx, CT_F32, 2, 1), CT_SHAPE(2, 3), 0, 1);

    CHECK_VALUES(RESHAPE(splat, CT_SHAPE(3, 8)), CT_SHAPE(3, 8),
                 {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7});
    CHECK(!RESHAPE(column, CT_SHAPE(6)));
    CHECK_VALUES(RESHAPE(column, CT_SHAPE(2, 3, 1)), CT_SHAPE(2, 3, 1), {0, 0, 0, 10, 10, 10});
    CHECK_EMPTY(RESHAPE(coded(ctx, CT_F32, 0, 3), CT_SHAPE(5, 0)), CT_SHAPE(5, 0));
    CHECK_VALUES(RESHAPE(ct_scalar(ctx, CT_F32, 2), CT_SHAPE(1, 1)), CT_SHAPE(1, 1), {2});
    CHECK_VALUES(RESHAPE(ct_full(ctx, CT_F32, CT_SHAPE(1, 1), 2), CT_SHAPE()), CT_SHAPE(), {2});
    ct_context_free(ctx);
}

TEST(other_operations_have_no_view)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);

    for (int op = 0; op < CT__OP_COUNT; op++)
        if (op != CT__OP_transpose && op != CT__OP_slice && op != CT__OP_reverse &&
            op != CT__OP_broadcast_in_dim && op != CT__OP_reshape)
            CHECK(!view((ct__op)op, (ct__attrs){.none = {0}}, x, CT_SHAPE(2, 3)));
    ct_context_free(ctx);
}
