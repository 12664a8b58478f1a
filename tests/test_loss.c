/* Losses: slopes, label modes, messages, memory. Values: test_composites.c. */
#include "tests/derivatives.h"

#include <cotangent/elementwise.h>
#include <cotangent/loss.h>
#include <cotangent/reduce.h>

#include <math.h>

typedef struct target {
    ct_tensor *labels;
    int64_t axis;
    ct_index_mode mode;
} target;

static ct_tensor *by_label(const void *user, ct_tensor *const *x)
{
    const target *t = user;
    return ct_cross_entropy(x[0], t->labels, t->axis, t->mode);
}

static ct_tensor *by_probability(const void *user, ct_tensor *const *x)
{
    return ct_cross_entropy_soft(x[0], x[1], *(const int64_t *)user);
}

TEST(slopes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {0.3, -0.8, 1.1, 0.2, 2.5, -1.4});
    ct_tensor *p = given(ctx, CT_F64, CT_SHAPE(2, 3), {0.5, 0.25, 0.25, 0, 1, 0});
    target rows = {given(ctx, CT_U8, CT_SHAPE(2), {2, 0}), -1, CT_STRICT};
    target columns = {given(ctx, CT_I64, CT_SHAPE(3), {1, 0, 1}), 0, CT_CLAMP};
    static const int64_t axis[] = {0, -1};
    CHECK_SMOOTH(ctx, by_label, &rows, 2, x);
    CHECK_SMOOTH(ctx, by_label, &columns, 2, x);
    CHECK_SMOOTH(ctx, by_probability, &axis[0], 1, x, p);
    CHECK_SMOOTH(ctx, by_probability, &axis[1], 2, x, ct_add(p, 0.25));
    ct_tensor *exact = given(ctx, CT_F64, CT_SHAPE(2, 3), {0.5, -3, 1, 4, 2.5, -1});
    CHECK_DTYPES(ctx, by_label, &rows, 4, exact);
    CHECK_DTYPES(ctx, by_probability, &axis[1], 8, exact, p);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Equal logits: each class has 1/4. A masked class has no slope, nor has a filled example. */
TEST(exact_slopes)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    ct_tensor *x = ct_zeros(ctx, CT_F64, CT_SHAPE(1, 4));
    target t = {given(ctx, CT_I32, CT_SHAPE(1), {-1}), 1, CT_CLAMP};
    CHECK_MATRIX(ctx, by_label, &t, CT_ARGV(x), {-0.75, 0.25, 0.25, 0.25});
    t.mode = CT_WRAP;
    CHECK_MATRIX(ctx, by_label, &t, CT_ARGV(x), {0.25, 0.25, 0.25, -0.75});
    t.mode = CT_FILL(0);
    CHECK_MATRIX(ctx, by_label, &t, CT_ARGV(x), {0, 0, 0, 0});
    t = (target){given(ctx, CT_I32, CT_SHAPE(1), {1}), 1, CT_STRICT};
    ct_tensor *masked = given(ctx, CT_F64, CT_SHAPE(1, 3), {-inf, 0, 0});
    CHECK_MATRIX(ctx, by_label, &t, CT_ARGV(masked), {0, -0.5, 0.5});
    static const int64_t axis = 1;
    ct_tensor *p = given(ctx, CT_F64, CT_SHAPE(1, 3), {0, 1, 0});
    CHECK_MATRIX(ctx, by_probability, &axis, CT_ARGV(masked, p),
                 {0, -0.5, 0.5, inf, log(2), log(2)});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(labels_out_of_range)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F16, CT_SHAPE(3, 2));
    ct_tensor *labels = given(ctx, CT_I8, CT_SHAPE(3), {0, -1, 2});
    ct_tensor *y = ct_cross_entropy(x, labels, 1, CT_FILL(0));
    CHECK_NEAR(y, CT_SHAPE(3), 1e-3, {log(2), 0, 0});
    CHECK(ct_dtype_of(y) == CT_F16);
    ct_cross_entropy(x, labels, 1, CT_STRICT);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(messages)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), *i = ct_zeros(ctx, CT_I32, CT_SHAPE(2));
    ct_cross_entropy(i, i, 0, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "cross_entropy: logits is i32; it takes floats");
    ct_cross_entropy(x, x, 1, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "cross_entropy: labels is f32; it takes integers");
    ct_cross_entropy(x, i, 2, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "cross_entropy: axis 2 does not exist in rank 2");
    ct_cross_entropy(x, i, 0, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "cross_entropy: on axis 0 labels have extent 2; it should be 3");
    ct_cross_entropy(x, ct_scalar(ctx, CT_I32, 0), 0, CT_CLAMP);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "cross_entropy: labels have rank 0; it should be 1");
    ct_cross_entropy(x, i, 1, CT_SKIP);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "CT_SKIP is for writing");
    ct_cross_entropy_soft(x, ct_ones(ctx, CT_F32, CT_SHAPE(3)), 1);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "cross_entropy_soft: the shapes differ");
    ct_cross_entropy_soft(x, ct_ones(ctx, CT_F64, CT_SHAPE(2, 3)), 1);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "cross_entropy_soft: logits is f32 and probabilities is f64");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void losses(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F16, CT_SHAPE(2, 3)), *i = ct_ones(ctx, CT_I8, CT_SHAPE(2));
    ct_cross_entropy(x, i, 1, CT_FILL(0));
    ct_cross_entropy_soft(x, x, 0);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(losses);
}
