/* Derivative rules of sort, top_k and erf. */
#include "tests/derivatives.h"

#include <math.h>

#define PROGRAM(name, ...)                                                                         \
    static ct_tensor *name(const void *user, ct_tensor *const *x)                                  \
    {                                                                                              \
        (void)user;                                                                                \
        return __VA_ARGS__;                                                                        \
    }

typedef struct sorting {
    int64_t axis;
    size_t result;
    bool has_capture; /* the comparator takes x[2], and compares distances from it */
} sorting;

/* (left, right, left2, right2, pivot?) -> left before right */
static ct_function *comparator(ct_context *ctx, const sorting *s, ct_tensor *const *x)
{
    ct_tensor *a = ct_scalar(ctx, ct_dtype_of(x[0]), 0), *b = ct_scalar(ctx, ct_dtype_of(x[1]), 0);
    ct_list with_pivot = CT_ARGV(a, a, b, b, a), without = CT_ARGV(a, a, b, b);
    ct_trace_builder *t = ct_trace_begin(ctx, "before", s->has_capture ? with_pivot : without);
    ct_tensor *left = ct_trace_parameter(t, 0), *right = ct_trace_parameter(t, 1);
    if (s->has_capture) {
        left = ct_op_abs(ct_op_subtract(left, ct_trace_parameter(t, 4)));
        right = ct_op_abs(ct_op_subtract(right, ct_trace_parameter(t, 4)));
    }
    return ct_trace_end(t, CT_ARGV(ct_op_compare(left, right, CT_LT, CT_COMPARE_DEFAULT)));
}

/* x[0] in order, and x[1] along with it. */
static ct_tensor *sort(const void *user, ct_tensor *const *x)
{
    const sorting *s = user;
    ct_context *ctx = ct_context_of(x[0]);
    ct_tensor *result[2];
    ct_list captures = s->has_capture ? (ct_list){1, &x[2]} : CT_NO_TENSORS;
    ct_op_sort_many(CT_ARGV(x[0], x[1]), comparator(ctx, s, x), captures, s->axis, result);
    return result[s->result];
}

TEST(sorts)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 2, 3),
                         {3, -1, 2, 0.5, 4, -5, 7, 1.5, -2, 6, -3, 5});
    ct_tensor *y = coded(ctx, CT_F64, 2, 2, 3), *pivot = ct_scalar(ctx, CT_F64, 1.7);
    for (int64_t axis = 0; axis < 3; axis++)
        for (size_t result = 0; result < 2; result++) {
            sorting s = {axis, result, false}, t = {axis, result, true};
            CHECK_SMOOTH(ctx, sort, &s, 2, x, y);
            CHECK_SMOOTH(ctx, sort, &t, 2, x, y, pivot);
            CHECK_DTYPES(ctx, sort, &s, 0, x, y);
        }
    sorting s = {1, 0, false};
    CHECK_LINEAR_EMPTY(ctx, sort, &s, 1, coded(ctx, CT_F64, 2, 0), coded(ctx, CT_F64, 2, 0));
    CHECK_LINEAR_EMPTY(ctx, sort, &s, 1, coded(ctx, CT_F64, 0, 2), coded(ctx, CT_F64, 0, 2));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Equal elements keep their order, and so do their tangents. The tangent of a float beside integer
 * keys moves; integers have none. */
TEST(ties_and_integer_keys)
{
    ct_context *ctx = ct_context_new();
    sorting s = {0, 0, false}, t = {0, 1, false};
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {2, 1, 2, 1}), *i = coded(ctx, CT_I32, 4);
    CHECK_MATRIX(ctx, sort, &s, CT_ARGV(x, i), {0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0});
    ct_tensor *key = given(ctx, CT_I8, CT_SHAPE(3), {2, 0, 1}), *y = coded(ctx, CT_F16, 3);
    CHECK_MATRIX(ctx, sort, &t, CT_ARGV(key, y), {0, 1, 0, 0, 0, 1, 1, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Smooth functions of sorted values have higher derivatives. */
PROGRAM(cubes_of_sorted, ct_op_multiply(sort(user, x), ct_op_multiply(sort(user, x), x[1])))

TEST(third_order)
{
    ct_context *ctx = ct_context_new();
    sorting s = {0, 0, false};
    CHECK_SMOOTH(ctx, cubes_of_sorted, &s, 3, given(ctx, CT_F64, CT_SHAPE(3), {3, -1, 2}),
                 given(ctx, CT_F64, CT_SHAPE(3), {0.5, 1, -2}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- top_k. */

static ct_tensor *top(const void *user, ct_tensor *const *x)
{
    ct_tensor *values;
    ct_op_top_k(x[0], *(const int64_t *)user, &values, NULL);
    return values;
}

TEST(top_k)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 4), {3, -1, 2, 0.5, 4, -5, 7, 1.5});
    for (int64_t k = 0; k <= 4; k++) {
        CHECK_SMOOTH_ANY(ctx, top, &k, 2, x);
        CHECK_DTYPES_ANY(ctx, top, &k, 0, x);
    }
    int64_t k = 2;
    CHECK_MATRIX(ctx, top, &k, CT_ARGV(given(ctx, CT_F16, CT_SHAPE(3), {1, 5, 5})),
                 {0, 1, 0, 0, 0, 1});
    CHECK_MATRIX(ctx, top, &k, CT_ARGV(given(ctx, CT_F32, CT_SHAPE(3), {1, INFINITY, NAN})),
                 {0, 0, 1, 0, 1, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- erf. */

PROGRAM(erf_of, ct_op_erf(x[0]))

TEST(error_function)
{
    ct_context *ctx = ct_context_new();
    const double slope = M_2_SQRTPI, inf = INFINITY;
    CHECK_SMOOTH(ctx, erf_of, NULL, 3, given(ctx, CT_F64, CT_SHAPE(5), {0, -0.5, 1, 2.5, -4}));
    CHECK_DTYPES(ctx, erf_of, NULL, 4, given(ctx, CT_F64, CT_SHAPE(4), {0, -0.5, 1, 2.5}));
    CHECK_MATRIX(ctx, erf_of, NULL, CT_ARGV(ct_zeros(ctx, CT_F64, CT_SHAPE())), {slope});
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        CHECK_MATRIX(ctx, erf_of, NULL, CT_ARGV(given(ctx, t, CT_SHAPE(1), {inf})), {0});
        CHECK_MATRIX(ctx, erf_of, NULL, CT_ARGV(given(ctx, t, CT_SHAPE(1), {-inf})), {0});
        CHECK_MATRIX(ctx, erf_of, NULL, CT_ARGV(given(ctx, t, CT_SHAPE(1), {NAN})), {NAN});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Known keys sort others linearly: their cotangents go back. */
TEST(transposes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *key = given(ctx, CT_F64, CT_SHAPE(2, 3), {3, 1, 2, 5, 5, 4});
    ct_tensor *y = coded(ctx, CT_F64, 2, 3), *pivot = ct_scalar(ctx, CT_F64, 5);
    sorting along_rows = {1, 1, false}, along_columns = {0, 1, true};
    ct_function *f = derivatives_record(ctx, sort, &along_rows, CT_LIKE(key, y));
    CHECK_VALUES(ct_apply1(ct_transpose_linear(f, CT_ARGS(1)), CT_ARGV(key, y)), CT_SHAPE(2, 3),
                 {2, 0, 1, 11, 12, 10});
    f = derivatives_record(ctx, sort, &along_columns, CT_LIKE(key, y, pivot));
    CHECK_VALUES(ct_apply1(ct_transpose_linear(f, CT_ARGS(1)), CT_ARGV(key, pivot, y)),
                 CT_SHAPE(2, 3), {10, 11, 12, 0, 1, 2});
    ct_tensor *none = ct_zeros(ctx, CT_F64, CT_SHAPE(2, 0));
    f = derivatives_record(ctx, sort, &along_rows, CT_LIKE(none, none));
    CHECK_EMPTY(ct_apply1(ct_transpose_linear(f, CT_ARGS(1)), CT_ARGV(none, none)), CT_SHAPE(2, 0));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Not linear: there is nothing to transpose. */
TEST(no_transpose)
{
    ct_context *ctx = ct_context_new();
    sorting s = {0, 0, false};
    ct_tensor *x = coded(ctx, CT_F64, 3);
    ct_transpose_linear(derivatives_record(ctx, sort, &s, CT_LIKE(x, x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "not linear");
    ct_transpose_linear(derivatives_record(ctx, sort, &s, CT_LIKE(x, x)), CT_ALL_ARGS);
    CHECK_ERROR(ctx, CT_ERR_RULE, "not linear");
    sorting pivoted = {0, 1, true};
    ct_transpose_linear(
        derivatives_record(ctx, sort, &pivoted, CT_LIKE(x, x, ct_scalar(ctx, CT_F64, 0))),
        CT_ARGS(1, 2));
    CHECK_ERROR(ctx, CT_ERR_RULE, "not linear");
    int64_t k = 1;
    ct_transpose_linear(derivatives_record(ctx, top, &k, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "top_k: it is not linear");
    ct_context_free(ctx);
}

static void derive(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(3));
    sorting s = {0, 1, true};
    int64_t k = 2;
    ct_vjp(derivatives_record(ctx, sort, &s, CT_LIKE(x, x, ct_scalar(ctx, CT_F32, 1))),
           CT_ALL_ARGS);
    ct_vjp(derivatives_record(ctx, top, &k, CT_LIKE(x)), CT_ARGS(0));
    s.has_capture = false;
    ct_transpose_linear(derivatives_record(ctx, sort, &s, CT_LIKE(x, x)), CT_ARGS(1));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(derive);
}
