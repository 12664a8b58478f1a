/* Derivative rules of batch normalisation: all results together against central differences, to the
 * second order; the gradient of the training form against the operation that gives it. */
#include "tests/derivatives.h"

#include <cotangent/op_large.h>

typedef struct settings {
    double epsilon;
    int64_t feature;
} settings;

/* All elements of the three, one after another. */
static ct_tensor *joined(ct_tensor *x, ct_tensor *y, ct_tensor *z)
{
    return ct_op_concatenate(CT_ARGV(ct_op_reshape(x, CT_DIMS(ct_size(x))), y, z), 0);
}

/* x, scale, offset, mean, variance */
static ct_tensor *infer(const void *user, ct_tensor *const *x)
{
    const settings *s = user;
    return ct_op_batch_norm_inference(x[0], x[1], x[2], x[3], x[4], s->epsilon, s->feature);
}

/* x, scale, offset */
static ct_tensor *train(const void *user, ct_tensor *const *x)
{
    const settings *s = user;
    ct_tensor *mean, *variance;
    ct_tensor *y = ct_op_batch_norm_training(x[0], x[1], x[2], s->epsilon, s->feature, &mean,
                                             &variance);
    return joined(y, mean, variance);
}

static ct_tensor *train_alone(const void *user, ct_tensor *const *x)
{
    const settings *s = user;
    return ct_op_batch_norm_training(x[0], x[1], x[2], s->epsilon, s->feature, NULL, NULL);
}

/* x, scale, mean, variance, ybar */
static ct_tensor *grad(const void *user, ct_tensor *const *x)
{
    const settings *s = user;
    ct_tensor *scalebar, *offsetbar;
    ct_tensor *xbar = ct_op_batch_norm_grad(x[0], x[1], x[2], x[3], x[4], s->epsilon, s->feature,
                                            &scalebar, &offsetbar);
    return joined(xbar, scalebar, offsetbar);
}

static const double xs[] = {-1, 0.75, -0.25, 1.5, 0.5, -0.5, 1.25, 0.25, -0.75, 1, 0, -1};
static const double ybars[] = {-0.75, 0.5, 0, -0.5, 0.75, 0.25, -0.25, -0.75, 0.5, 0, -0.5, 0.75};
static const double scales[] = {1.5, -0.5, 2}, offsets[] = {0.25, 1, -2};
static const double means[] = {1, -2, 0.5}, variances[] = {4, 0.25, 1};

typedef struct world {
    settings s;
    ct_tensor *x, *ybar, *scale, *offset, *mean, *variance;
} world;

static world make(ct_context *ctx, ct_shape shape, int64_t feature)
{
    const ct_shape features = {1, &shape.dim[feature]};
    return (world){{1e-3, feature},
                   ct_from_doubles(ctx, CT_F64, shape, xs),
                   ct_from_doubles(ctx, CT_F64, shape, ybars),
                   ct_from_doubles(ctx, CT_F64, features, scales),
                   ct_from_doubles(ctx, CT_F64, features, offsets),
                   ct_from_doubles(ctx, CT_F64, features, means),
                   ct_from_doubles(ctx, CT_F64, features, variances)};
}

/* Features first, in the middle, last, alone; one element of each; one of all. */
TEST(all_results)
{
    const struct {
        ct_shape shape;
        int64_t feature;
    } cases[] = {{CT_SHAPE(2, 3), 0}, {CT_SHAPE(2, 3, 2), 1}, {CT_SHAPE(2, 2, 3), 2},
                 {CT_SHAPE(3), 0},    {CT_SHAPE(1, 3, 1), 1}, {CT_SHAPE(1), 0},
                 {CT_SHAPE(4, 1), 1}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        world w = make(ctx, cases[i].shape, cases[i].feature);
        if (i >= 3)
            w.s.epsilon = 0.5; /* where the variance is 0 */
        CHECK_SMOOTH(ctx, infer, &w.s, 2, w.x, w.scale, w.offset, w.mean, w.variance);
        CHECK_SMOOTH(ctx, train, &w.s, 2, w.x, w.scale, w.offset);
        CHECK_SMOOTH(ctx, grad, &w.s, 2, w.x, w.scale, w.mean, w.variance, w.ybar);
        ct_scope_end(scope);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Each operand alone: the others are constants, with symbolic zeros. */
TEST(each_operand)
{
    ct_context *ctx = ct_context_new();
    world w = make(ctx, CT_SHAPE(2, 3), 1);
    ct_tensor *x[] = {w.x, w.scale, w.mean, w.variance, w.ybar};
    ct_function *f = derivatives_record(ctx, grad, &w.s, (ct_list){5, x});
    for (int64_t i = 0; i < 5; i++) {
        ct_tensor *dx[5], *one[2], *all[2], *arguments[10];
        for (int64_t k = 0; k < 5; k++) {
            dx[k] = k == i ? ct_ones(ctx, CT_F64, ct_shape_of(x[k])) : ct_op_subtract(x[k], x[k]);
            arguments[k] = x[k];
            arguments[5 + k] = dx[k];
        }
        ct_apply(ct_jvp(f, CT_ALL_ARGS), (ct_list){10, arguments}, all, 2);
        arguments[5] = dx[i];
        ct_apply(ct_jvp(f, CT_ARGS(i)), (ct_list){6, arguments}, one, 2);
        CHECK_EQUAL(one[0], all[0]);
        CHECK_EQUAL(one[1], all[1]);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The gradient of the training form, by the rules and by its own operation. */
TEST(gradient_of_training)
{
    ct_context *ctx = ct_context_new();
    world w = make(ctx, CT_SHAPE(2, 3, 2), 1);
    ct_function *f = derivatives_record(ctx, train_alone, &w.s, CT_LIKE(w.x, w.scale, w.offset));
    ct_tensor *bar[3], *mean, *variance, *scalebar, *offsetbar;
    ct_apply(ct_vjp(f, CT_ALL_ARGS), CT_ARGV(w.x, w.scale, w.offset, w.ybar), bar, 3);
    ct_op_batch_norm_training(w.x, w.scale, w.offset, 1e-3, 1, &mean, &variance);
    ct_tensor *xbar = ct_op_batch_norm_grad(w.x, w.scale, mean, variance, w.ybar, 1e-3, 1,
                                            &scalebar, &offsetbar);
    ct_tensor *expected[] = {xbar, scalebar, offsetbar};
    for (int i = 0; i < 3; i++) {
        double value[12];
        CHECK(ct_to_doubles(expected[i], value, (size_t)ct_size(expected[i])));
        values_check(__FILE__, __LINE__, "bar", bar[i], ct_shape_of(expected[i]), value,
                     (size_t)ct_size(expected[i]), VALUES_ABSOLUTE, 1e-14);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Units in the last place: the operation itself rounds mean and variance to the narrow dtype. */
TEST(dtypes)
{
    ct_context *ctx = ct_context_new();
    world w = make(ctx, CT_SHAPE(2, 3, 2), 1);
    w.s.epsilon = 0.125;
    CHECK_DTYPES(ctx, infer, &w.s, 2, w.x, w.scale, w.offset, w.mean, w.variance);
    CHECK_DTYPES(ctx, train, &w.s, 4, w.x, w.scale, w.offset);
    CHECK_DTYPES(ctx, grad, &w.s, 4, w.x, w.scale, w.mean, w.variance, w.ybar);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* 100000 elements are more than f16 has numbers for; their sum and mean are taken in f32. */
TEST(many_elements)
{
    enum { N = 100000 };
    ct_context *ctx = ct_context_new();
    const settings s = {0.5, 1};
    ct_tensor *x = ct_zeros(ctx, CT_F16, CT_SHAPE(N, 1)), *one = ct_ones(ctx, CT_F16, CT_SHAPE(1));
    ct_tensor *both[2], *dx = ct_ones(ctx, CT_F16, CT_SHAPE(N, 1));
    ct_function *f = derivatives_record(ctx, train, &s, CT_LIKE(x, one, one));
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, one, one, dx), both, 2);
    CHECK(ct_at(both[1], 0) == 0 && ct_at(both[1], N - 1) == 0);
    CHECK(ct_at(both[1], N) == 1 && ct_at(both[1], N + 1) == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* No features; features without elements, whose mean is NaN whatever the operands are. */
TEST(nothing)
{
    ct_context *ctx = ct_context_new();
    const settings s = {1e-3, 0};
    ct_tensor *x = ct_zeros(ctx, CT_F64, CT_SHAPE(0, 2)),
              *none = ct_zeros(ctx, CT_F64, CT_SHAPE(0));
    CHECK_LINEAR_EMPTY(ctx, infer, &s, 2, x, none, none, none, none);
    CHECK_LINEAR_EMPTY(ctx, train, &s, 2, x, none, none);
    CHECK_LINEAR_EMPTY(ctx, grad, &s, 2, x, none, none, none, x);
    x = ct_zeros(ctx, CT_F64, CT_SHAPE(2, 0));
    ct_tensor *two = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    CHECK_LINEAR_EMPTY(ctx, infer, &s, 1, x, two, two, two, two);
    CHECK_MATRIX(ctx, train, &s, CT_ARGV(x, two, two),
                 {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    CHECK_MATRIX(ctx, grad, &s, CT_ARGV(x, two, two, two, x),
                 {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void gradients(ct_context *ctx)
{
    const settings s = {1e-3, 0};
    ct_tensor *x = ct_ones(ctx, CT_F16, CT_SHAPE(2, 1)), *two = ct_ones(ctx, CT_F16, CT_SHAPE(2));
    ct_vjp(derivatives_record(ctx, infer, &s, CT_LIKE(x, two, two, two, two)), CT_ALL_ARGS);
    ct_vjp(derivatives_record(ctx, train, &s, CT_LIKE(x, two, two)), CT_ALL_ARGS);
    ct_vjp(derivatives_record(ctx, grad, &s, CT_LIKE(x, two, two, two, x)), CT_ALL_ARGS);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(gradients);
}
