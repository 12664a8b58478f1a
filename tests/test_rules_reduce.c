/* Derivative rules of reductions and products. */
#include "tests/derivatives.h"

#include <math.h>

#define PROGRAM(name, ...)                                                                         \
    static ct_tensor *name(const void *user, ct_tensor *const *x)                                  \
    {                                                                                              \
        (void)user;                                                                                \
        return __VA_ARGS__;                                                                        \
    }

typedef struct folding {
    ct_tensor *(*op)(ct_place at, ct_tensor *x, ct_tensor *y);
    ct_dims axes;
} folding;

static ct_tensor *fold(const void *user, ct_tensor *const *x)
{
    return ((const folding *)user)->op(CT_HERE, x[0], x[1]);
}

/* x[0] from init x[1]. */
static ct_tensor *reduce(const void *user, ct_tensor *const *x)
{
    ct_context *ctx = ct_context_of(x[0]);
    ct_tensor *scalar = ct_scalar(ctx, ct_dtype_of(x[0]), 0);
    ct_function *body = derivatives_record(ctx, fold, user, CT_LIKE(scalar, scalar));
    return ct_op_reduce(x[0], x[1], body, ((const folding *)user)->axes);
}

/* ---- Sums. */

TEST(sums)
{
    const ct_dims axes[] = {CT_DIMS(), CT_DIMS(0), CT_DIMS(1), CT_DIMS(2, 0), CT_DIMS(0, 1, 2)};
    ct_context *ctx = ct_context_new();
    ct_tensor *init = ct_scalar(ctx, CT_F64, 7);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        folding f = {ct_op_add_at, axes[i]};
        CHECK_LINEAR(ctx, reduce, &f, 2, coded(ctx, CT_F64, 2, 3, 4), init);
        CHECK_LINEAR(ctx, reduce, &f, 2, coded(ctx, CT_F64, 2, 1, 3), init);
        CHECK_LINEAR_ANY(ctx, reduce, &f, 2, coded(ctx, CT_F64, 2, 0, 3), init);
        CHECK_LINEAR_ANY(ctx, reduce, &f, 2, coded(ctx, CT_F64, 0, 3, 1), init);
        CHECK_DTYPES(ctx, reduce, &f, 0, coded(ctx, CT_F64, 2, 3, 4), init);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

PROGRAM(norm, ct_op_sqrt(ct_op_reduce_add(ct_op_multiply(x[0], x[0]), CT_DIMS(1))))

TEST(norms)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, norm, NULL, 3, given(ctx, CT_F64, CT_SHAPE(2, 2), {1, -2, 0.5, 3}));
    CHECK_MATRIX(ctx, norm, NULL, CT_ARGV(ct_zeros(ctx, CT_F32, CT_SHAPE(1, 3))), {0, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Largest and smallest. */

TEST(extremes_smooth)
{
    const ct_dims axes[] = {CT_DIMS(), CT_DIMS(0), CT_DIMS(1), CT_DIMS(0, 1)};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {3, -1, 2, 0.5, 4, -5});
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        folding largest = {ct_op_maximum_at, axes[i]}, smallest = {ct_op_minimum_at, axes[i]};
        CHECK_SMOOTH(ctx, reduce, &largest, 2, x, ct_scalar(ctx, CT_F64, 1));
        CHECK_SMOOTH(ctx, reduce, &smallest, 2, x, ct_scalar(ctx, CT_F64, 1));
        CHECK_DTYPES(ctx, reduce, &largest, 2, x, ct_scalar(ctx, CT_F64, 1));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

PROGRAM(row_max, ct_op_reduce_max(x[0], CT_DIMS(1)))
PROGRAM(row_min, ct_op_reduce_min(x[0], CT_DIMS(1)))
PROGRAM(all_max, ct_op_reduce_max(x[0], CT_DIMS(0)))

TEST(ties)
{
    const double third = 1.0 / 3, inf = INFINITY;
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {2, 2, 1, 4, 4, 4});
    CHECK_MATRIX(ctx, row_max, NULL, CT_ARGV(x),
                 {0.5, 0.5, 0, 0, 0, 0, 0, 0, 0, third, third, third});
    CHECK_MATRIX(ctx, row_min, NULL, CT_ARGV(x), {0, 0, 1, 0, 0, 0, 0, 0, 0, third, third, third});
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        CHECK_MATRIX(ctx, all_max, NULL, CT_ARGV(given(ctx, t, CT_SHAPE(3), {-0.0, 0, -1})),
                     {0.5, 0.5, 0});
        /* the init that says nothing is not a candidate */
        CHECK_MATRIX(ctx, all_max, NULL, CT_ARGV(given(ctx, t, CT_SHAPE(2), {-inf, -inf})),
                     {0.5, 0.5});
        CHECK_MATRIX(ctx, all_max, NULL, CT_ARGV(given(ctx, t, CT_SHAPE(3), {1, NAN, inf})),
                     {0, 1, 0});
        CHECK_MATRIX(ctx, all_max, NULL, CT_ARGV(given(ctx, t, CT_SHAPE(1), {5})), {1});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* An init takes part as one more candidate. */
TEST(init_as_candidate)
{
    ct_context *ctx = ct_context_new();
    folding f = {ct_op_maximum_at, CT_DIMS(0)};
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {2, 1, 2});
    CHECK_MATRIX(ctx, reduce, &f, CT_ARGV(x, ct_scalar(ctx, CT_F32, 0)), {0.5, 0, 0.5, 0});
    CHECK_MATRIX(ctx, reduce, &f, CT_ARGV(x, ct_scalar(ctx, CT_F32, 3)), {0, 0, 0, 1});
    x = given(ctx, CT_F32, CT_SHAPE(3), {2, 2, 2});
    CHECK_MATRIX(ctx, reduce, &f, CT_ARGV(x, ct_scalar(ctx, CT_F32, 2)), {0.25, 0.25, 0.25, 0.25});
    x = ct_zeros(ctx, CT_F32, CT_SHAPE(0));
    CHECK_MATRIX(ctx, reduce, &f, CT_ARGV(x, ct_scalar(ctx, CT_F32, 2)), {1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The count of ties is a whole number, exact beyond what f16 can hold. */
TEST(many_ties)
{
    ct_context *ctx = ct_context_new();
    const int64_t n = 1 << 17;
    ct_tensor *x = ct_ones(ctx, CT_F16, CT_SHAPE(n));
    ct_function *f = derivatives_record(ctx, all_max, NULL, CT_LIKE(x));
    ct_tensor *xbar = ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, ct_scalar(ctx, CT_F16, 1)));
    CHECK(ct_at(xbar, 0) == 0x1p-17 && ct_at(xbar, n - 1) == 0x1p-17);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Products of elements, exact where some are 0. */

TEST(factors)
{
    const ct_dims axes[] = {CT_DIMS(), CT_DIMS(0), CT_DIMS(1), CT_DIMS(2, 0), CT_DIMS(0, 1, 2)};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 1, 5), {1, -2, 0, 3, 2, -1, 0, 0, 2, 3});
    ct_tensor *init = ct_scalar(ctx, CT_F64, 3);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        folding f = {ct_op_multiply_at, axes[i]};
        CHECK_LINEAR(ctx, reduce, &f, 2, x, init);
        CHECK_LINEAR_ANY(ctx, reduce, &f, 2, coded(ctx, CT_F64, 2, 0, 3), init);
        CHECK_LINEAR(ctx, reduce, &f, 2, coded(ctx, CT_F64, 1, 2, 1), init);
        CHECK_DTYPES(ctx, reduce, &f, 0, x, init);
    }
    folding all = {ct_op_multiply_at, CT_DIMS(0)};
    CHECK_LINEAR(ctx, reduce, &all, 2, given(ctx, CT_F64, CT_SHAPE(7), {1, 2, 3, 0, -1, 2, 1}),
                 init);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Products. */

#define DOT_DIMS(x_batching, y_batching, x_contracting, y_contracting)                             \
    {                                                                                              \
        .lhs_batching = x_batching, .rhs_batching = y_batching, .lhs_contracting = x_contracting,  \
        .rhs_contracting = y_contracting                                                           \
    }

static ct_tensor *dot(const void *user, ct_tensor *const *x)
{
    return ct_op_dot_general(x[0], x[1], user);
}

TEST(dots)
{
    const struct {
        ct_dot_dims dims;
        ct_shape x, y;
    } cases[] = {
        {DOT_DIMS(CT_DIMS(), CT_DIMS(), CT_DIMS(1), CT_DIMS(0)), CT_SHAPE(2, 3), CT_SHAPE(3, 4)},
        {DOT_DIMS(CT_DIMS(), CT_DIMS(), CT_DIMS(0), CT_DIMS(1)), CT_SHAPE(3, 2), CT_SHAPE(4, 3)},
        {DOT_DIMS(CT_DIMS(), CT_DIMS(), CT_DIMS(0), CT_DIMS(0)), CT_SHAPE(3), CT_SHAPE(3)},
        {DOT_DIMS(CT_DIMS(), CT_DIMS(), CT_DIMS(), CT_DIMS()), CT_SHAPE(2, 3), CT_SHAPE(4)},
        {DOT_DIMS(CT_DIMS(), CT_DIMS(), CT_DIMS(), CT_DIMS()), CT_SHAPE(), CT_SHAPE(2)},
        /* two contracted axes, in another order on the other side, around a free one */
        {DOT_DIMS(CT_DIMS(), CT_DIMS(), CT_DIMS(2, 0), CT_DIMS(1, 2)), CT_SHAPE(3, 2, 4),
         CT_SHAPE(5, 4, 3)},
        /* batching axes in the middle and crossed */
        {DOT_DIMS(CT_DIMS(1, 3), CT_DIMS(2, 0), CT_DIMS(0), CT_DIMS(3)), CT_SHAPE(4, 2, 5, 3),
         CT_SHAPE(3, 1, 2, 4)},
        /* three contracted axes in a cycle, with a batching one */
        {DOT_DIMS(CT_DIMS(3), CT_DIMS(0), CT_DIMS(0, 1, 2), CT_DIMS(2, 3, 1)), CT_SHAPE(2, 3, 4, 2),
         CT_SHAPE(2, 4, 2, 3)},
        {DOT_DIMS(CT_DIMS(), CT_DIMS(), CT_DIMS(1), CT_DIMS(0)), CT_SHAPE(2, 0), CT_SHAPE(0, 3)},
        {DOT_DIMS(CT_DIMS(), CT_DIMS(), CT_DIMS(1), CT_DIMS(0)), CT_SHAPE(0, 2), CT_SHAPE(2, 3)},
        {DOT_DIMS(CT_DIMS(0), CT_DIMS(0), CT_DIMS(), CT_DIMS()), CT_SHAPE(3), CT_SHAPE(3)},
    };
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ct_tensor *x = values_coded(ctx, CT_F64, cases[i].x);
        ct_tensor *y = values_coded(ctx, CT_F64, cases[i].y);
        CHECK_LINEAR_ANY(ctx, dot, &cases[i].dims, 2, x, y);
    }
    ct_tensor *x = coded(ctx, CT_F64, 2, 3), *y = coded(ctx, CT_F64, 3, 4);
    CHECK_DTYPES(ctx, dot, &cases[0].dims, 0, x, y);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

PROGRAM(gram,
        ct_op_dot_general(x[0], x[0],
                          &(ct_dot_dims)DOT_DIMS(CT_DIMS(), CT_DIMS(), CT_DIMS(0), CT_DIMS(0))))

TEST(product_with_itself)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, gram, NULL, 3, given(ctx, CT_F64, CT_SHAPE(3, 2), {1, -2, 0.5, 3, 2, -1}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

PROGRAM(softmax, ct_op_divide(x[0], ct_op_broadcast_in_dim(ct_op_reduce_add(x[0], CT_DIMS(1)),
                                                           CT_DIMS(2, 3), CT_DIMS(0))))
PROGRAM(softmax_of_shifted,
        softmax(user,
                (ct_tensor *[]){ct_op_exponential(ct_op_subtract(
                    x[0], ct_op_broadcast_in_dim(row_max(user, x), CT_DIMS(2, 3), CT_DIMS(0))))}))

TEST(softmax)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {1, -2, 0.5, 3, 2, -1});
    CHECK_SMOOTH(ctx, softmax_of_shifted, NULL, 2, x);
    CHECK_DTYPES(ctx, softmax_of_shifted, NULL, 6, x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static ct_tensor *contractions(const void *user, ct_tensor *const *x)
{
    (void)user;
    folding product = {ct_op_multiply_at, CT_DIMS(0)}, largest = {ct_op_maximum_at, CT_DIMS(0)};
    ct_tensor *init = ct_scalar(ct_context_of(x[0]), CT_F64, 1);
    ct_tensor *y = gram(NULL, x);
    ct_tensor *a = reduce(&product, (ct_tensor *[]){y, init});
    ct_tensor *b = reduce(&largest, (ct_tensor *[]){y, init});
    return ct_op_pad(ct_op_concatenate(CT_ARGV(a, b), 0), init, CT_DIMS(1), CT_DIMS(-1),
                     CT_DIMS(1));
}

static void derive_contractions(ct_context *ctx)
{
    ct_tensor *x = coded(ctx, CT_F64, 3, 2);
    ct_function *f = derivatives_record(ctx, contractions, NULL, CT_LIKE(x));
    ct_function *twice = ct_vjp(ct_vjp(f, CT_ALL_ARGS), CT_ARGS(0));
    ct_tensor *ybar = ct_ones(ctx, CT_F64, CT_SHAPE(7)), *result[1];
    ct_apply(twice, CT_ARGV(x, ybar, x), result, 1);
}

/* Twice in reverse, with each allocation failing once. */
TEST(allocations)
{
    CHECK_ALLOCATIONS(derive_contractions);
}
