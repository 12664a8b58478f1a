/* The ordering composites: edges, errors, slopes. Their values are compared with NumPy's in
 * test_folds_and_orders. */
#include "tests/derivatives.h"

#include <cotangent/elementwise.h>
#include <cotangent/index.h>
#include <cotangent/reduce.h>
#include <cotangent/sort.h>

#include <math.h>

#define PROGRAM(name, ...)                                                                         \
    static ct_tensor *name(const void *user, ct_tensor *const *x)                                  \
    {                                                                                              \
        (void)user;                                                                                \
        return __VA_ARGS__;                                                                        \
    }

/* NaNs of either sign are equal and larger than all numbers, and -0 equals 0; bits are kept. */
TEST(odd_floats)
{
    ct_context *ctx = ct_context_new();
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        ct_tensor *x = given(ctx, t, CT_SHAPE(6), {-NAN, 0, NAN, -0.0, INFINITY, -1});
        CHECK_VALUES(ct_argsort(x, 0, CT_ASCENDING), CT_SHAPE(6), {5, 1, 3, 4, 0, 2});
        CHECK_VALUES(ct_argsort(x, 0, CT_DESCENDING), CT_SHAPE(6), {0, 2, 4, 1, 3, 5});
        ct_tensor *y = ct_sort(x, 0, CT_ASCENDING), *value, *index;
        CHECK(signbit(ct_at(y, 2)) && !signbit(ct_at(y, 1)));
        CHECK(signbit(ct_at(y, 4)) && !signbit(ct_at(y, 5)) && isnan(ct_at(y, 4)));
        ct_top_k(x, 3, &value, &index);
        CHECK_VALUES(value, CT_SHAPE(3), {NAN, NAN, INFINITY});
        CHECK_VALUES(index, CT_SHAPE(3), {0, 2, 4});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(nothing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0)), *value, *index;
    CHECK_EMPTY(ct_sort(x, -1, CT_ASCENDING), CT_SHAPE(2, 0));
    CHECK_EMPTY(ct_sort(x, 0, CT_DESCENDING), CT_SHAPE(2, 0));
    CHECK_EMPTY(ct_argsort(x, 1, CT_ASCENDING), CT_SHAPE(2, 0));
    ct_top_k(x, 0, &value, &index);
    CHECK_EMPTY(value, CT_SHAPE(2, 0));
    ct_top_k(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3)), 2, &value, NULL);
    CHECK_EMPTY(value, CT_SHAPE(0, 2));
    ct_top_k(ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), 0, NULL, &index);
    CHECK_EMPTY(index, CT_SHAPE(2, 0));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), *value, *index;
    ct_sort(x, 2, CT_ASCENDING);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "sort: axis 2");
    ct_argsort(ct_ones(ctx, CT_F32, CT_SHAPE()), 0, CT_ASCENDING);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "argsort: axis 0");
    ct_sort(ct_ones(ctx, CT_C64, CT_SHAPE(2)), 0, CT_ASCENDING);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "sort: x is c64; it takes floats, integers, bool");
    ct_sort(x, 0, (ct_order)7);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "sort: there is no order 7");
    ct_top_k(x, 4, &value, &index);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "top_k: k = 4 must lie in [0, 3]");
    CHECK(ct_is_poison(value) && ct_is_poison(index));
    ct_top_k(x, -1, NULL, NULL);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "top_k: k = -1 must lie in [0, 3]");
    ct_top_k(NULL, 1, &value, NULL);
    CHECK(ct_is_poison(value));
    ct_context_free(ctx);
}

/* ---- Slopes. */

PROGRAM(ascending, ct_sort(x[0], 1, CT_ASCENDING))
PROGRAM(descending, ct_sort(x[0], 0, CT_DESCENDING))
PROGRAM(by_index, ct_take_along_axis(x[0], ct_argsort(x[0], 1, CT_DESCENDING), 1, CT_CLAMP))
PROGRAM(weighted_squares, ct_square(ct_mul(ct_sort(x[0], 1, CT_ASCENDING), x[1])))

static ct_tensor *largest_two(const void *user, ct_tensor *const *x)
{
    ct_tensor *value, *index;
    (void)user;
    ct_top_k(x[0], 2, &value, &index);
    return ct_add(ct_square(value), ct_cast(index, ct_dtype_of(value)));
}

TEST(slopes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 4), {3, -1, 2, 0.5, 4, -5, 7, 1.5});
    CHECK_SMOOTH(ctx, ascending, NULL, 2, x);
    CHECK_SMOOTH(ctx, descending, NULL, 2, x);
    CHECK_SMOOTH(ctx, by_index, NULL, 2, x);
    CHECK_SMOOTH(ctx, largest_two, NULL, 3, x);
    CHECK_SMOOTH(ctx, weighted_squares, NULL, 2, x, coded(ctx, CT_F64, 2, 4));
    CHECK_DTYPES(ctx, ascending, NULL, 0, x);
    CHECK_DTYPES(ctx, largest_two, NULL, 0, x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* At ties and NaNs each slope stays with its element. */
TEST(slopes_at_ties)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1, 3), {2, 1, 2});
    CHECK_MATRIX(ctx, ascending, NULL, CT_ARGV(x), {0, 1, 0, 1, 0, 0, 0, 0, 1});
    x = given(ctx, CT_F32, CT_SHAPE(1, 3), {NAN, -0.0, 0});
    CHECK_MATRIX(ctx, ascending, NULL, CT_ARGV(x), {0, 1, 0, 0, 0, 1, 1, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The gradient at once, of a median. */
static ct_tensor *median(ct_tensor *x)
{
    ct_tensor *i = ct_full(ct_context_of(x), CT_I32, CT_SHAPE(), 1);
    return ct_take(ct_sort(x, 0, CT_ASCENDING), i, 0, CT_STRICT);
}

TEST(gradient_of_a_median)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {5, -1, 2});
    CHECK_VALUES(median(x), CT_SHAPE(), {2});
    CHECK_VALUES(ct_grad_of(ctx, median, x), CT_SHAPE(3), {0, 0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void order_a_little(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(3)), *value, *index;
    ct_sort(x, 0, CT_DESCENDING);
    ct_argsort(x, 0, CT_ASCENDING);
    ct_top_k(x, 2, &value, &index);
    ct_argmax(x, 0, CT_KEEP_AXES);
    ct_grad_of(ctx, median, x);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(order_a_little);
}
