/* Derivative rules of Cholesky factors and of triangular systems. */
#include "tests/derivatives.h"
#include "tests/programs.h"

#include <cotangent/op_large.h>

#include <math.h>

/* ---- triangular_solve. */

static ct_tensor *solve(const void *user, ct_tensor *const *x)
{
    return ct_op_triangular_solve(x[0], x[1], user);
}

/* Two matrices that are far from singular, whose other triangle is NaN: it is not read. */
static ct_tensor *triangles(ct_context *ctx, bool lower, bool unit)
{
    double value[18];
    for (int i = 0; i < 18; i++) {
        const int row = i % 9 / 3, column = i % 3;
        const bool read = row == column ? !unit : lower == (row > column);
        value[i] = !read ? NAN : row == column ? 1.5 + 0.25 * (i % 5) : 0.125 * (i % 7) - 0.5;
    }
    return ct_from_doubles(ctx, CT_F64, CT_SHAPE(2, 3, 3), value);
}

static ct_tensor *sides_of(ct_context *ctx, ct_shape shape)
{
    double value[64];
    for (int64_t i = 0; i < programs_count(shape.dim, shape.count); i++)
        value[i] = (double)(i * 5 % 7 - 3) / 4;
    return ct_from_doubles(ctx, CT_F64, shape, value);
}

#define EACH_SOLVE(options)                                                                        \
    for (int i_ = 0; i_ < 24; i_++)                                                                \
        for (ct_solve_options options = {.left_side = i_ % 2 == 0,                                 \
                                        .lower = i_ / 2 % 2 == 0,                                  \
                                        .unit_diagonal = i_ / 4 % 2 == 0,                          \
                                        .transpose_a = (ct_transpose)(i_ / 8)},                    \
                              *once_ = &options;                                                   \
             once_; once_ = NULL)

/* In every form, to the second order in a and b. What is not read has slope 0. */
TEST(triangular_solve)
{
    ct_context *ctx = ct_context_new();
    EACH_SOLVE(options)
    {
        ct_tensor *a = triangles(ctx, options.lower, options.unit_diagonal);
        CHECK_SMOOTH(ctx, solve, &options, 2, a,
                     sides_of(ctx, options.left_side ? CT_SHAPE(2, 3, 2) : CT_SHAPE(2, 1, 3)));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* 2x + 0 = 1, 4x + 8y = 0 and so on: powers of two, exact in every dtype. */
TEST(triangular_solve_dtypes)
{
    ct_context *ctx = ct_context_new();
    EACH_SOLVE(options)
    {
        const double off = options.unit_diagonal ? 0.5 : 4;
        ct_tensor *a = given(ctx, CT_F64, CT_SHAPE(2, 2), {2, off, off, 8});
        CHECK_DTYPES(ctx, solve, &options, 0, a, given(ctx, CT_F64, CT_SHAPE(2, 2), {1, 2, 4, -2}));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(triangular_solve_of_nothing)
{
    ct_context *ctx = ct_context_new();
    EACH_SOLVE(options)
    {
        ct_tensor *a = ct_ones(ctx, CT_F64, CT_SHAPE(2, 2));
        ct_shape none = options.left_side ? CT_SHAPE(2, 0) : CT_SHAPE(0, 2);
        CHECK_LINEAR_EMPTY(ctx, solve, &options, 2, a, ct_zeros(ctx, CT_F64, none));
        none = options.left_side ? CT_SHAPE(0, 3) : CT_SHAPE(3, 0);
        CHECK_LINEAR_EMPTY(ctx, solve, &options, 2, ct_zeros(ctx, CT_F64, CT_SHAPE(0, 0)),
                           ct_zeros(ctx, CT_F64, none));
        CHECK_LINEAR_EMPTY(ctx, solve, &options, 2, ct_zeros(ctx, CT_F64, CT_SHAPE(0, 2, 2)),
                           ct_zeros(ctx, CT_F64, CT_SHAPE(0, 2, 2)));
        CHECK_SMOOTH(ctx, solve, &options, 2, given(ctx, CT_F64, CT_SHAPE(1, 1), {4}),
                     given(ctx, CT_F64, CT_SHAPE(1, 1), {3}));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- cholesky. */

static ct_tensor *factor(const void *user, ct_tensor *const *x)
{
    return ct_op_cholesky(x[0], *(const bool *)user);
}

static const bool sides_to_read[] = {false, true};

/* Two positive definite matrices whose other triangle is NaN. */
static ct_tensor *definite(ct_context *ctx, bool lower)
{
    double value[18];
    for (int i = 0; i < 18; i++) {
        const int row = i % 9 / 3, column = i % 3;
        const bool read = row == column || lower == (row > column);
        value[i] = !read ? NAN : row == column ? 2 + 0.25 * (i % 4) : 0.25 * (row + column - i / 9);
    }
    return ct_from_doubles(ctx, CT_F64, CT_SHAPE(2, 3, 3), value);
}

/* As a function of the triangle that is read: the other one has slope 0. */
TEST(cholesky)
{
    ct_context *ctx = ct_context_new();
    for (int i = 0; i < 2; i++) {
        CHECK_SMOOTH(ctx, factor, &sides_to_read[i], 2, definite(ctx, sides_to_read[i]));
        CHECK_SMOOTH(ctx, factor, &sides_to_read[i], 3, given(ctx, CT_F64, CT_SHAPE(1, 1), {4}));
        CHECK_LINEAR_EMPTY(ctx, factor, &sides_to_read[i], 2,
                           ct_zeros(ctx, CT_F64, CT_SHAPE(0, 0)));
        CHECK_LINEAR_EMPTY(ctx, factor, &sides_to_read[i], 2,
                           ct_zeros(ctx, CT_F64, CT_SHAPE(0, 2, 2)));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* l = [2 0; 1 2]: d sqrt(a), d(b / sqrt(a)), d sqrt(c - b²/a) at a = 4, b = 2, c = 5. */
TEST(cholesky_by_hand)
{
    ct_context *ctx = ct_context_new();
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        ct_tensor *a = given(ctx, t, CT_SHAPE(2, 2), {4, 2, 2, 5});
        CHECK_MATRIX(ctx, factor, &sides_to_read[1], CT_ARGV(a),
                     {0.25, 0, 0, 0, 0, 0, 0, 0, -0.125, 0, 0.5, 0, 0.0625, 0, -0.25, 0.25});
        CHECK_MATRIX(ctx, factor, &sides_to_read[0], CT_ARGV(a),
                     {0.25, 0, 0, 0, -0.125, 0.5, 0, 0, 0, 0, 0, 0, 0.0625, -0.25, 0, 0.25});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A matrix that is not positive definite has NaN in the triangle of the factor and of its tangent,
 * 0 in the other one, and spoils no other matrix. */
TEST(cholesky_of_indefinite)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = given(ctx, CT_F64, CT_SHAPE(2, 2, 2), {1, 2, 2, 1, 4, 2, 2, 5}), *both[2];
    ct_function *f = derivatives_record(ctx, factor, &sides_to_read[1], CT_LIKE(a));
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(a, ct_ones(ctx, CT_F64, CT_SHAPE(2, 2, 2))), both, 2);
    CHECK_VALUES(both[0], CT_SHAPE(2, 2, 2), {NAN, 0, NAN, NAN, 2, 0, 1, 2});
    CHECK_VALUES(both[1], CT_SHAPE(2, 2, 2), {NAN, 0, NAN, NAN, 0.25, 0, 0.375, 0.0625});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* log det a = 2 Σ log l[i][i] has slope a^-1, put into the triangle that is read. */
static ct_tensor *log_determinant(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *l = ct_op_cholesky(x[0], true);
    ct_tensor *diagonal = ct_op_reduce_add(
        ct_op_multiply(l, given(ct_context_of(x[0]), CT_F64, CT_SHAPE(2, 2), {1, 0, 0, 1})),
        CT_DIMS(1));
    ct_tensor *sum = ct_op_reduce_add(ct_op_log(diagonal), CT_DIMS(0));
    return ct_op_add(sum, sum);
}

TEST(log_determinant)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = given(ctx, CT_F64, CT_SHAPE(2, 2), {4, 2, 2, 5}); /* a^-1 = [5 -2; -2 4] / 16 */
    CHECK_MATRIX(ctx, log_determinant, NULL, CT_ARGV(a), {0.3125, 0, -0.25, 0.25});
    CHECK_SMOOTH(ctx, log_determinant, NULL, 3, a);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* JAX's cotangent of a, of which only the symmetric part is a fact: where a is symmetric, more is
 * not told. */
TEST(cholesky_symmetric_part)
{
    static const double expected[9] = {
        0.188054159283638,    -0.1345488857477903, -0.06346054749880359,
        -0.1345488857477903,  0.09035179764032364, -0.18243756525723,
        -0.06346054749880359, -0.18243756525723,   0.26318415999412537};
    ct_context *ctx = ct_context_new();
    ct_tensor *a = given(ctx, CT_F64, CT_SHAPE(3, 3), {4, 1, 0.5, 1, 3, -0.75, 0.5, -0.75, 2.5});
    ct_tensor *ybar = given(
        ctx, CT_F64, CT_SHAPE(3, 3),
        {0.5859375, 0, 0, -0.5390625, 0.4921875, 0, -0.3046875, -0.8828125, 0.7734375});
    for (int lower = 0; lower < 2; lower++) {
        ct_function *f = derivatives_record(ctx, factor, &sides_to_read[lower], CT_LIKE(a));
        ct_tensor *turned = lower ? ybar : ct_op_transpose(ybar, CT_DIMS(1, 0));
        ct_tensor *abar = ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(a, turned));
        ct_tensor *sum = ct_op_add(abar, ct_op_transpose(abar, CT_DIMS(1, 0)));
        ct_tensor *half = ct_op_multiply(sum, ct_full(ctx, CT_F64, CT_SHAPE(3, 3), 0.5));
        values_check(__FILE__, __LINE__, "half", half, CT_SHAPE(3, 3), expected, 9, VALUES_ABSOLUTE,
                     1e-7);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Complex operands: nothing is conjugated that the operation itself does not conjugate. Parts
 * are real arguments, so that both directions of each number are compared with differences. */

TEST(complex_triangular_solve)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *b = given(ctx, CT_F64, CT_SHAPE(2, 2), {0.5, -1, 0.25, 1});
    EACH_SOLVE(options)
    {
        const double off = options.lower ? NAN : 0.75, on = options.unit_diagonal ? NAN : 2;
        ct_tensor *re = given(ctx, CT_F64, CT_SHAPE(2, 2),
                              {on, off, options.lower ? -0.5 : NAN, on});
        ct_tensor *im = ct_op_negate(re);
        CHECK_SMOOTH(ctx, derivatives_by_parts, &((derivatives_complex){solve, &options, 2, 0}), 2,
                     re, im, b, ct_op_negate(b));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Of the diagonal the real part is read. */
TEST(complex_cholesky)
{
    ct_context *ctx = ct_context_new();
    for (int i = 0; i < 2; i++) {
        ct_tensor *re = given(ctx, CT_F64, CT_SHAPE(2, 2), {3, 0.5, 0.5, 2});
        ct_tensor *im = given(ctx, CT_F64, CT_SHAPE(2, 2), {0.25, 0.75, -0.75, 1});
        CHECK_SMOOTH(ctx, derivatives_by_parts,
                     &((derivatives_complex){factor, &sides_to_read[i], 1, 0}), 2, re, im);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void gradients(ct_context *ctx)
{
    const ct_solve_options options = {.left_side = true, .transpose_a = CT_ADJOINT};
    ct_tensor *a = ct_ones(ctx, CT_F32, CT_SHAPE(2, 2));
    ct_vjp(derivatives_record(ctx, solve, &options, CT_LIKE(a, a)), CT_ALL_ARGS);
    ct_vjp(derivatives_record(ctx, factor, &sides_to_read[0], CT_LIKE(a)), CT_ALL_ARGS);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(gradients);
}
