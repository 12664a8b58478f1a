/* Derivative rules of reduce_window. */
#include "tests/bodies.h"

#include <cotangent/module.h>

#include <math.h>
#include <string.h>

#define PROGRAM(name, ...)                                                                         \
    static ct_tensor *name(const void *user, ct_tensor *const *x)                                  \
    {                                                                                              \
        (void)user;                                                                                \
        return __VA_ARGS__;                                                                        \
    }

typedef struct windows {
    ct_tensor *(*op)(ct_place at, ct_tensor *x, ct_tensor *y);
    ct_window_dims dims;
} windows;

static ct_tensor *step(const void *user, ct_tensor *const *x)
{
    return ((const windows *)user)->op(CT_HERE, x[0], x[1]);
}

/* x[0] from init x[1]. */
static ct_tensor *fold(const void *user, ct_tensor *const *x)
{
    ct_context *ctx = ct_context_of(x[0]);
    ct_tensor *scalar = ct_scalar(ctx, ct_dtype_of(x[0]), 0);
    ct_function *body = derivatives_record(ctx, step, user, CT_LIKE(scalar, scalar));
    return ct_op_reduce_window(x[0], x[1], body, &((const windows *)user)->dims);
}

/* Over [3,4]: overlapping, apart, with holes on either side, padded, cut, running from either end,
 * and all at once. */
#define CASES                                                                                      \
    {.window_dimensions = CT_DIMS(2, 2)},                                                          \
        {.window_dimensions = CT_DIMS(1, 2), .window_strides = CT_DIMS(2, 3)},                     \
        {.window_dimensions = CT_DIMS(2, 2), .window_dilations = CT_DIMS(2, 3)},                   \
        {.window_dimensions = CT_DIMS(2, 3), .base_dilations = CT_DIMS(3, 2)},                     \
        {.window_dimensions = CT_DIMS(3, 1),                                                       \
         .padding_low = CT_DIMS(2, 1),                                                             \
         .padding_high = CT_DIMS(1, 2)},                                                           \
        {.window_dimensions = CT_DIMS(2, 2),                                                       \
         .padding_low = CT_DIMS(-1, 0),                                                            \
         .padding_high = CT_DIMS(1, -1)},                                                          \
        {.window_dimensions = CT_DIMS(3, 1), .padding_low = CT_DIMS(2, 0)},                        \
        {.window_dimensions = CT_DIMS(1, 4), .padding_high = CT_DIMS(0, 3)},                       \
        {.window_dimensions = CT_DIMS(3, 5),                                                       \
         .padding_low = CT_DIMS(2, 0),                                                             \
         .padding_high = CT_DIMS(0, 4)},                                                           \
        {.window_dimensions = CT_DIMS(2, 3),                                                       \
         .window_strides = CT_DIMS(2, 3),                                                          \
         .base_dilations = CT_DIMS(3, 2),                                                          \
         .window_dilations = CT_DIMS(2, 1),                                                        \
         .padding_low = CT_DIMS(2, -1),                                                            \
         .padding_high = CT_DIMS(-1, 3)},                                                          \
        {.window_dimensions = CT_DIMS(2, 1),                                                       \
         .base_dilations = CT_DIMS(2, 1),                                                          \
         .padding_low = CT_DIMS(-9, 1),                                                            \
         .padding_high = CT_DIMS(2, 0)}, /* less than nothing is left */                           \
    {                                                                                              \
        .window_dimensions = CT_DIMS(4, 1)                                                         \
    } /* no window fits */

/* ---- Sums: linear, with whole numbers exact. */

TEST(sums)
{
    const ct_window_dims cases[] = {CASES};
    ct_context *ctx = ct_context_new();
    ct_tensor *init = ct_scalar(ctx, CT_F64, 7);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        windows w = {ct_op_add_at, cases[i]};
        CHECK_LINEAR_ANY(ctx, fold, &w, 2, coded(ctx, CT_F64, 3, 4), init);
        CHECK_DTYPES_ANY(ctx, fold, &w, 0, coded(ctx, CT_F64, 3, 4), init);
        CHECK_LINEAR_ANY(ctx, fold, &w, 1, coded(ctx, CT_F64, 0, 4), init);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The transpose of a pooled sum, and of that again, printed as one window operation each. */
PROGRAM(running_sum,
        ct_op_reduce_window_add(x[0], &(ct_window_dims){.window_dimensions = CT_DIMS(1, 4),
                                                        .padding_low = CT_DIMS(0, 3)}))

/* A sum that runs from the start transposes to one from the end, in one pass as well. */
TEST(long_running_sums)
{
    enum { N = 100000 };
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE(N));
    ct_window_dims dims = {.window_dimensions = CT_DIMS(N), .padding_low = CT_DIMS(N - 1)};
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(x));
    ct_function *f = ct_trace_end(
        b, CT_ARGV(ct_op_reduce_window_add(ct_trace_parameter(b, 0), &dims)));
    ct_tensor *xbar = ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, x));
    CHECK(ct_at(xbar, 0) == N && ct_at(xbar, 7) == N - 7 && ct_at(xbar, N - 1) == 1);
    ct_function *back = ct_transpose_linear(f, CT_ARGS(0));
    xbar = ct_apply1(ct_transpose_linear(back, CT_ARGS(0)), CT_ARGV(x));
    CHECK(ct_at(xbar, 0) == 1 && ct_at(xbar, N - 1) == N);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The cotangents of f16 are summed in f32: 4096 ones. */
TEST(many_terms)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F16, CT_SHAPE(1));
    ct_window_dims dims = {.window_dimensions = CT_DIMS(4096),
                           .padding_low = CT_DIMS(4095),
                           .padding_high = CT_DIMS(4095)};
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(x));
    ct_function *f = ct_trace_end(
        b, CT_ARGV(ct_op_reduce_window_add(ct_trace_parameter(b, 0), &dims)));
    ct_tensor *ybar = ct_ones(ctx, CT_F16, CT_SHAPE(4096));
    CHECK_VALUES(ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, ybar)), CT_SHAPE(1), {4096});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Largest and smallest. */

TEST(extremes_smooth)
{
    const ct_window_dims cases[] = {CASES};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 4), {3, -1, 2, 0.5, 4, -5, 7, 1.5, -2, 6, -3, 5});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        windows largest = {ct_op_maximum_at, cases[i]}, smallest = {ct_op_minimum_at, cases[i]};
        CHECK_SMOOTH_ANY(ctx, fold, &largest, 2, x, ct_scalar(ctx, CT_F64, 1));
        CHECK_SMOOTH_ANY(ctx, fold, &smallest, 2, x, ct_scalar(ctx, CT_F64, 1));
        CHECK_DTYPES_ANY(ctx, fold, &largest, 0, x, ct_scalar(ctx, CT_F64, 1));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

#define PAIRS ((ct_window_dims){.window_dimensions = CT_DIMS(2)})
PROGRAM(pair_max, ct_op_reduce_window_max(x[0], &PAIRS))
PROGRAM(pair_min, ct_op_reduce_window_min(x[0], &PAIRS))
PROGRAM(square_max,
        ct_op_reduce_window_max(x[0], &(ct_window_dims){.window_dimensions = CT_DIMS(2, 2)}))
PROGRAM(padded_max, ct_op_reduce_window_max(x[0], &(ct_window_dims){.window_dimensions = CT_DIMS(2),
                                                                    .padding_low = CT_DIMS(2)}))

/* A tie goes to the first element of the window in row-major order. */
TEST(ties)
{
    const double inf = INFINITY;
    ct_context *ctx = ct_context_new();
    ct_tensor *square = given(ctx, CT_F64, CT_SHAPE(2, 2), {1, 4, 4, 4});
    CHECK_MATRIX(ctx, square_max, NULL, CT_ARGV(square), {0, 1, 0, 0});
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        ct_tensor *x = given(ctx, t, CT_SHAPE(3), {2, 2, 1});
        CHECK_MATRIX(ctx, pair_max, NULL, CT_ARGV(x), {1, 0, 0, 0, 1, 0});
        CHECK_MATRIX(ctx, pair_min, NULL, CT_ARGV(x), {1, 0, 0, 0, 0, 1});
        x = given(ctx, t, CT_SHAPE(3), {-0.0, 0, -0.0});
        CHECK_MATRIX(ctx, pair_max, NULL, CT_ARGV(x), {1, 0, 0, 0, 1, 0});
        CHECK_MATRIX(ctx, pair_min, NULL, CT_ARGV(x), {1, 0, 0, 0, 1, 0});
        x = given(ctx, t, CT_SHAPE(3), {inf, NAN, NAN});
        CHECK_MATRIX(ctx, pair_max, NULL, CT_ARGV(x), {0, 1, 0, 0, 1, 0});
        CHECK_MATRIX(ctx, pair_min, NULL, CT_ARGV(x), {0, 1, 0, 0, 1, 0});
        /* the init that says nothing is no candidate, but padding alone has no slope */
        x = given(ctx, t, CT_SHAPE(2), {-inf, -inf});
        CHECK_MATRIX(ctx, pair_max, NULL, CT_ARGV(x), {1, 0});
        CHECK_MATRIX(ctx, padded_max, NULL, CT_ARGV(x), {0, 0, 1, 0, 1, 0});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Another init is the first candidate, in front of every element. */
TEST(init_as_candidate)
{
    ct_context *ctx = ct_context_new();
    windows w = {ct_op_maximum_at, PAIRS};
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {2, 1, 3});
    CHECK_MATRIX(ctx, fold, &w, CT_ARGV(x, ct_scalar(ctx, CT_F32, 0)), {1, 0, 0, 0, 0, 0, 1, 0});
    CHECK_MATRIX(ctx, fold, &w, CT_ARGV(x, ct_scalar(ctx, CT_F32, 2)), {0, 0, 0, 1, 0, 0, 1, 0});
    CHECK_MATRIX(ctx, fold, &w, CT_ARGV(x, ct_scalar(ctx, CT_F32, 9)), {0, 0, 0, 1, 0, 0, 0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The derivative of a maximum gives the maximum itself, bit by bit: its zeros and NaNs too. */
TEST(values_beside_tangents)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(6), {-0.0, 0, -0.0, -0.0, NAN, 1}), *both[2];
    ct_function *f = derivatives_record(ctx, pair_max, NULL, CT_LIKE(x));
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, x), both, 2);
    CHECK_BITS(both[0], ct_apply1(f, CT_ARGV(x)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Products, exact where some factors are 0. */

TEST(factors)
{
    const ct_window_dims cases[] = {CASES};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 4), {1, -2, 0, 3, 2, -1, 0, 0, 2, 3, 1, -1});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(3, 4), {1, -2, 2, 3, 2, -1, 1, 2, 2, 3, 1, -1});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        windows w = {ct_op_multiply_at, cases[i]};
        ct_tensor *init = ct_scalar(ctx, CT_F64, 1);
        CHECK_SMOOTH_ANY(ctx, fold, &w, 2, x, ct_scalar(ctx, CT_F64, 1.5));
        CHECK_SMOOTH_ANY(ctx, fold, &w, 2, y, init);
        CHECK_DTYPES_ANY(ctx, fold, &w, 0, x, init);
        CHECK_SMOOTH_ANY(ctx, fold, &w, 2, coded(ctx, CT_F64, 0, 4), init);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Every length of a running product, affine in each factor: exact. */
PROGRAM(products,
        ct_op_reduce_window(x[0], ct_scalar(ct_context_of(x[0]), CT_F64, 1),
                            derivatives_record(ct_context_of(x[0]), step,
                                               &(windows){.op = ct_op_multiply_at},
                                               CT_LIKE(ct_scalar(ct_context_of(x[0]), CT_F64, 0),
                                                       ct_scalar(ct_context_of(x[0]), CT_F64, 0))),
                            &(ct_window_dims){.window_dimensions = CT_DIMS(ct_dim(x[0], 0)),
                                              .padding_low = CT_DIMS(ct_dim(x[0], 0) - 1)}))

TEST(running_products)
{
    static const double x[] = {1, 2, -3, 1, 0, 2, -1, 2, 0, 1, 3, 1, -1};
    ct_context *ctx = ct_context_new();
    for (int64_t n = 1; n <= 13; n++)
        CHECK_LINEAR(ctx, products, NULL, n < 8 ? 2 : 1,
                     ct_from_doubles(ctx, CT_F64, CT_SHAPE(n), x));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Other bodies. */

typedef struct folding {
    bodies_body body;
    size_t n_captures;
    ct_window_dims dims;
} folding;

/* n x, n init, captures. */
static ct_tensor *fold_by(const void *user, ct_tensor *const *x)
{
    const folding *f = user;
    size_t n = f->body.n;
    ct_tensor *result[4];
    ct_list captures = {f->n_captures, x + 2 * n};
    ct_function *body = bodies_record(ct_context_of(x[0]), &f->body, ct_dtype_of(x[0]), captures);
    ct_op_reduce_window_many((ct_list){n, x}, (ct_list){n, x + n}, body, captures, &f->dims,
                             result);
    return bodies_join(n, result);
}

/* Linear in each element where no window meets init twice: then its powers are of whole numbers
 * still, but not of one. */
TEST(other_bodies)
{
    const ct_window_dims cases[] = {CASES};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 4),
                         {0.5, -1, 0.25, 1, -0.75, 0.5, 2, -0.5, 1.5, 0.75, -0.25, 1.25});
    ct_tensor *init = ct_scalar(ctx, CT_F64, 0.5), *k = ct_scalar(ctx, CT_F64, 0.75);
    ct_tensor *v = given(ctx, CT_F64, CT_SHAPE(3), {0.5, -1.5, 2});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        folding product = {{bodies_product, 1}, 0, cases[i]};
        folding captures = {{bodies_captures, 1}, 2, cases[i]};
        CHECK_SMOOTH_ANY(ctx, fold_by, &product, 2, x, init);
        CHECK_SMOOTH_ANY(ctx, fold_by, &captures, 1, x, init, k, v);
        CHECK_DTYPES_ANY(ctx, fold_by, &product, 64, x, init);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* On whole numbers, exact: the order within a window is row-major, and it may meet init. */
TEST(linear_bodies)
{
    const ct_window_dims cases[] = {CASES};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 3, 4), *one = ct_scalar(ctx, CT_F64, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        folding difference = {{bodies_difference, 1}, 0, cases[i]};
        folding crossed = {{bodies_crossed, 2}, 0, cases[i]};
        folding last = {{bodies_new, 1}, 0, cases[i]};
        CHECK_LINEAR_ANY(ctx, fold_by, &difference, 2, x, one);
        CHECK_LINEAR_ANY(ctx, fold_by, &crossed, 1, x, x, one, one);
        CHECK_LINEAR_ANY(ctx, fold_by, &last, 1, x, one);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(other_bodies_without_elements)
{
    ct_context *ctx = ct_context_new();
    folding padded = {{bodies_difference, 1},
                      0,
                      {.window_dimensions = CT_DIMS(2, 2),
                       .padding_low = CT_DIMS(1, 0),
                       .padding_high = CT_DIMS(1, 0)}};
    folding scalar = {{bodies_difference, 1}, 0, {.window_dimensions = CT_DIMS()}};
    ct_tensor *init = ct_scalar(ctx, CT_F64, 3);
    CHECK_LINEAR(ctx, fold_by, &padded, 2, ct_zeros(ctx, CT_F64, CT_SHAPE(0, 3)), init);
    CHECK_LINEAR_ANY(ctx, fold_by, &padded, 2, ct_zeros(ctx, CT_F64, CT_SHAPE(3, 0)), init);
    CHECK_LINEAR(ctx, fold_by, &scalar, 2, init, init);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* m and s of Σ exp x = s exp m, running. */
TEST(several_operands)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(5), {0.5, -1, 2, 0.25, 1.5});
    ct_tensor *low = ct_scalar(ctx, CT_F64, -40), *one = ct_scalar(ctx, CT_F64, 1);
    folding logs = {
        {bodies_logs, 2}, 0, {.window_dimensions = CT_DIMS(5), .padding_low = CT_DIMS(4)}};
    CHECK_SMOOTH(ctx, fold_by, &logs, 2, x, ct_ones(ctx, CT_F64, CT_SHAPE(5)), low, one);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Running folds, from a constant: each is the one before it and one element more. */

/* Σ exp x = s exp m, running along axis 1; the padding says nothing. */
static ct_tensor *running_logs(const void *user, ct_tensor *const *x)
{
    const folding *f = user;
    ct_context *ctx = ct_context_of(x[0]);
    ct_tensor *result[2], *init[] = {ct_scalar(ctx, CT_F64, -100), ct_scalar(ctx, CT_F64, 0)};
    ct_function *body = bodies_record(ctx, &f->body, CT_F64, CT_NO_TENSORS);
    ct_list both = {2, x}, start = {2, init};
    ct_op_reduce_window_many(both, start, body, CT_NO_TENSORS, &f->dims, result);
    return bodies_join(2, result);
}

/* 2a - b folds a number into itself, but -0 into 0. */
static ct_tensor *running_from(const void *user, ct_tensor *const *x)
{
    const bodies_body body = {bodies_difference, 1};
    ct_context *ctx = ct_context_of(x[0]);
    const ct_window_dims dims = {.window_dimensions = CT_DIMS(1, 4, 1),
                                 .padding_low = CT_DIMS(0, 3, 0)};
    return ct_op_reduce_window(x[0], ct_scalar(ctx, CT_F64, *(const double *)user),
                               bodies_record(ctx, &body, CT_F64, CT_NO_TENSORS), &dims);
}

/* A cumulative fold that is derived by looking at every window gathers them. */
static bool looks_at_windows(ct_function *f)
{
    return strstr(ct_stablehlo_text(ct_jvp(f, CT_ALL_ARGS), 0), "gather") != NULL;
}

TEST(running)
{
    static const double starts[] = {1, 3, 0, -0.0}; /* the last one is looked at */
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 2, 3, 2), *wide = coded(ctx, CT_F64, 2, 4, 3);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        CHECK_LINEAR(ctx, running_from, &starts[i], 2, x);
        CHECK_LINEAR(ctx, running_from, &starts[i], 1, wide);
        CHECK_LINEAR_ANY(ctx, running_from, &starts[i], 1,
                         ct_zeros(ctx, CT_F64, CT_SHAPE(2, 4, 0)));
        CHECK(looks_at_windows(derivatives_record(ctx, running_from, &starts[i], CT_LIKE(x))) ==
              (i == 3));
    }
    folding logs = {
        {bodies_logs, 2}, 0, {.window_dimensions = CT_DIMS(1, 5), .padding_low = CT_DIMS(0, 4)}};
    x = given(ctx, CT_F64, CT_SHAPE(1, 5), {0.5, -1, 2, 0.25, 1.5});
    CHECK_SMOOTH(ctx, running_logs, &logs, 2, x, ct_ones(ctx, CT_F64, CT_SHAPE(1, 5)));
    CHECK(!looks_at_windows(derivatives_record(ctx, running_logs, &logs, CT_LIKE(x, x))));
    logs.dims.padding_low = CT_DIMS();
    logs.dims.padding_high = CT_DIMS(0, 4);
    CHECK(looks_at_windows(derivatives_record(ctx, running_logs, &logs, CT_LIKE(x, x))));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(transposes_of_linear_bodies)
{
    ct_context *ctx = ct_context_new();
    folding f = {
        {bodies_crossed, 2}, 0, {.window_dimensions = CT_DIMS(2), .window_strides = CT_DIMS(2)}};
    ct_tensor *x = coded(ctx, CT_F64, 4), *s = ct_zeros(ctx, CT_F64, CT_SHAPE()), *xbar[4];
    ct_function *g = derivatives_record(ctx, fold_by, &f, CT_LIKE(x, x, s, s));
    ct_apply(ct_transpose_linear(g, CT_ALL_ARGS),
             CT_ARGV(given(ctx, CT_F64, CT_SHAPE(4), {1, 2, 10, 20})), xbar, 4);
    CHECK_VALUES(xbar[0], CT_SHAPE(4), {-30, -30, -60, -60});
    CHECK_VALUES(xbar[1], CT_SHAPE(4), {2, 2, 4, 4});
    CHECK_VALUES(xbar[2], CT_SHAPE(), {3});
    CHECK_VALUES(xbar[3], CT_SHAPE(), {30});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A sum is transposed as it stands; with a known init that is not 0 it is not linear. */
TEST(transposes)
{
    ct_context *ctx = ct_context_new();
    windows w = {ct_op_add_at, PAIRS};
    ct_tensor *x = coded(ctx, CT_F64, 3), *init = ct_scalar(ctx, CT_F64, 1);
    ct_function *f = derivatives_record(ctx, fold, &w, CT_LIKE(x, init));
    ct_tensor *bars[2], *ybar = given(ctx, CT_F64, CT_SHAPE(2), {10, 1});
    ct_apply(ct_transpose_linear(f, CT_ARGS(0, 1)), CT_ARGV(ybar), bars, 2);
    CHECK_VALUES(bars[0], CT_SHAPE(3), {10, 11, 1});
    CHECK_VALUES(bars[1], CT_SHAPE(), {11});
    ct_function *one = derivatives_record(ctx, running_sum, NULL,
                                          CT_LIKE(coded(ctx, CT_F64, 2, 4)));
    CHECK_VALUES(ct_apply1(ct_transpose_linear(one, CT_ARGS(0)),
                           CT_ARGV(ct_ones(ctx, CT_F64, CT_SHAPE(2, 4)))),
                 CT_SHAPE(2, 4), {4, 3, 2, 1, 4, 3, 2, 1});
    CHECK_OK(ctx);
    ct_transpose_linear(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "not linear");
    ct_context_free(ctx);
}

static void derive(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(4)), *init = ct_scalar(ctx, CT_F32, 1);
    windows w = {ct_op_multiply_at, PAIRS};
    if (ct_failed(ctx))
        return;
    ct_vjp(derivatives_record(ctx, pair_max, NULL, CT_LIKE(x)), CT_ARGS(0));
    ct_vjp(derivatives_record(ctx, fold, &w, CT_LIKE(x, init)), CT_ALL_ARGS);
    w.op = ct_op_add_at;
    ct_vjp(derivatives_record(ctx, fold, &w, CT_LIKE(x, init)), CT_ALL_ARGS);
    folding f = {{bodies_difference, 1}, 0, PAIRS};
    ct_jvp(derivatives_record(ctx, fold_by, &f, CT_LIKE(x, init)), CT_ALL_ARGS);
    const double one = 1;
    ct_vjp(derivatives_record(ctx, running_from, &one,
                              CT_LIKE(ct_ones(ctx, CT_F64, CT_SHAPE(1, 2, 1)))),
           CT_ARGS(0));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(derive);
}
