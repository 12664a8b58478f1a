/* Products of matrices stay plain: where what they are taken of is not finite, the zero that comes
 * back through a select of the result gives NaN. Guarding the operand helps, in every order and by
 * every operand, and in a branch that a lane does not take they are taken of something harmless. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>

typedef ct_tensor *program(ct_tensor *x);

static ct_tensor *is_positive(ct_tensor *x)
{
    return ct_gt(x, 0);
}

/* [[1/x]], infinite at 0 */
static ct_tensor *pole_matrix(ct_tensor *x)
{
    return ct_reshape(ct_reciprocal(x), CT_SHAPE(1, 1));
}

static ct_tensor *dot(ct_tensor *x)
{
    ct_tensor *m = pole_matrix(x);
    return ct_reshape(ct_matmul(m, m), CT_SHAPE());
}

static ct_tensor *convolution(ct_tensor *x)
{
    const ct_convolution_dims dims = {.input_feature_dimension = 1,
                                      .kernel_output_feature_dimension = 1,
                                      .output_feature_dimension = 1,
                                      .feature_group_count = 1,
                                      .batch_group_count = 1};
    ct_tensor *m = pole_matrix(x);
    return ct_reshape(ct_op_convolution(m, m, &dims), CT_SHAPE());
}

static ct_tensor *cholesky(ct_tensor *x)
{
    return ct_reshape(ct_op_cholesky(pole_matrix(x), true), CT_SHAPE());
}

static ct_tensor *triangular_solve(ct_tensor *x)
{
    ct_tensor *a = ct_reshape(x, CT_SHAPE(1, 1)), *b = pole_matrix(x);
    const ct_solve_options options = {.left_side = true, .lower = true};
    return ct_reshape(ct_op_triangular_solve(a, b, &options), CT_SHAPE());
}

static ct_tensor *ragged_dot(ct_tensor *x)
{
    const ct_ragged_dot_dims dims = {.lhs_contracting = CT_DIMS(1),
                                     .rhs_contracting = CT_DIMS(1),
                                     .lhs_ragged = CT_DIMS(0),
                                     .rhs_group = CT_DIMS(0)};
    ct_tensor *m = pole_matrix(x), *sizes = ct_ones(ct_context_of(x), CT_I64, CT_SHAPE(1));
    ct_tensor *w = ct_reshape(m, CT_SHAPE(1, 1, 1));
    return ct_reshape(ct_op_ragged_dot(m, w, sizes, &dims), CT_SHAPE());
}

/* By a guard of the result, of the operand too, and by an if of lanes. */
typedef struct choice {
    program *f;
    ct_tensor *x;
} choice;

static ct_tensor *chosen(void *user)
{
    const choice *c = user;
    return c->f(c->x);
}

static ct_tensor *zero(void *user)
{
    return ct_mul(((const choice *)user)->x, 0);
}

static void guarded_result(void *user, ct_list in, ct_tensor **out)
{
    ct_tensor *x = in.item[0];
    out[0] = ct_where(is_positive(x), (*(program **)user)(x), 0);
}

static void guarded_operand(void *user, ct_list in, ct_tensor **out)
{
    ct_tensor *x = in.item[0], *safe = ct_where(is_positive(x), x, 1);
    out[0] = ct_where(is_positive(x), (*(program **)user)(safe), 0);
}

static void chosen_in_lanes(void *user, ct_list in, ct_tensor **out)
{
    choice c = {*(program **)user, in.item[0]};
    out[0] = ct_if(is_positive(c.x), chosen, zero, &c);
}

static double slope_of(ct_context *ctx, ct_many_function *guard, program *f, bool reverse)
{
    ct_tensor *x = ct_scalar(ctx, CT_F64, 0), *one = ct_scalar(ctx, CT_F64, 1), *both[2];
    ct_function *g = ct_trace_many(ctx, guard, &f, 1, CT_LIKE(x));
    if (guard == chosen_in_lanes) {
        x = ct_reshape(x, CT_SHAPE(1));
        one = ct_reshape(one, CT_SHAPE(1));
        g = ct_vmap_leading(g, 1);
    }
    if (reverse)
        both[1] = ct_apply1(ct_vjp(g, CT_ARGS(0)), CT_ARGV(x, one));
    else
        ct_apply(ct_jvp(g, CT_ARGS(0)), CT_ARGV(x, one), both, 2);
    return ct_item(ct_reshape(both[1], CT_SHAPE()));
}

TEST(products_of_matrices_are_not_guarded)
{
    static const struct {
        const char *name;
        program *f;
    } products[] = {{"dot_general", dot},
                    {"ragged_dot", ragged_dot},
                    {"convolution", convolution},
                    {"cholesky", cholesky},
                    {"triangular_solve", triangular_solve}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        program *f = products[i].f;
        for (int reverse = 0; reverse < 2; reverse++) {
            double result = slope_of(ctx, guarded_result, f, reverse);
            double lanes = slope_of(ctx, chosen_in_lanes, f, reverse);
            CHECK_MSG((reverse ? isnan(result) : result == 0) && lanes == 0,
                      "%s, reverse %d: %g, in lanes %g", products[i].name, reverse, result, lanes);
            CHECK_MSG(slope_of(ctx, guarded_operand, f, reverse) == 0, "%s, reverse %d",
                      products[i].name, reverse);
        }
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- The remedy, as docs/derivatives.md has it: rows p of x, f = log, which is taken where all of
 * a row is above 0. */

static ct_tensor *taken_rows(ct_tensor *x)
{
    return ct_gt(ct_min(x, CT_AXES(1), CT_DROP_AXES), 0);
}

static ct_tensor *unguarded(ct_tensor *x, ct_tensor *w)
{
    ct_tensor *rows = ct_where(taken_rows(x), ct_matmul(ct_log(x), w), 0);
    return ct_sum(ct_mul(rows, ct_square(rows)), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *guarded(ct_tensor *x, ct_tensor *w)
{
    ct_tensor *p = ct_reshape(taken_rows(x), CT_SHAPE(3, 1));
    ct_tensor *rows = ct_where(taken_rows(x), ct_matmul(ct_log(ct_where(p, x, 1)), w), 0);
    return ct_sum(ct_mul(rows, ct_square(rows)), CT_ALL_AXES, CT_DROP_AXES);
}

/* The rows that are taken alone: the second one is not. */
static ct_tensor *of_taken(ct_tensor *x, ct_tensor *w)
{
    ct_tensor *above = ct_op_slice(x, CT_DIMS(0, 0), CT_DIMS(1, 2), CT_DIMS(1, 1));
    ct_tensor *below = ct_op_slice(x, CT_DIMS(2, 0), CT_DIMS(3, 2), CT_DIMS(1, 1));
    ct_tensor *rows = ct_matmul(ct_log(ct_concatenate(CT_ARGV(above, below), 0)), w);
    return ct_sum(ct_mul(rows, ct_square(rows)), CT_ALL_AXES, CT_DROP_AXES);
}

enum { N_DERIVATIVES = 5 };

static const char *const derivative_names[N_DERIVATIVES] = {"gradient", "jvp", "hessian",
                                                            "gradient of the gradient", "hvp"};

/* All derivatives by x and w, one after another, as one vector each. */
static void derive(ct_function *f, ct_tensor *x, ct_tensor *w, ct_tensor **all)
{
    ct_function *grad = ct_grad(f, CT_ALL_ARGS);
    ct_function *of[N_DERIVATIVES] = {grad, ct_jvp(f, CT_ALL_ARGS), ct_hessian(f, CT_ALL_ARGS),
                                      ct_jacobian_reverse(grad, CT_ALL_ARGS),
                                      ct_hvp(f, CT_ALL_ARGS)};
    ct_tensor *y[4], *argument[] = {x, w, ct_add(ct_mul(x, 0), 0.5), ct_add(w, 1)};
    for (int k = 0; k < N_DERIVATIVES; k++) {
        const size_t n = ct_function_results(of[k]);
        ct_apply(of[k], CT_LIST(ct_function_parameters(of[k]), argument), y, n);
        for (size_t i = 0; i < n; i++)
            y[i] = ct_reshape(y[i], CT_SHAPE(ct_size(y[i])));
        all[k] = ct_concatenate(CT_LIST(n, y), 0);
    }
}

static bool has_nan(ct_tensor *x)
{
    return ct_item(ct_cast(ct_any(ct_ne(x, x), CT_ALL_AXES, CT_DROP_AXES), CT_F64)) != 0;
}

TEST(guarding_the_operand_helps)
{
    static const double rows[] = {0.5, 2, 0, 3, 1.25, 0.75}, column[] = {0.5, -2};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_doubles(ctx, CT_F64, CT_SHAPE(3, 2), rows);
    ct_tensor *w = ct_from_doubles(ctx, CT_F64, CT_SHAPE(2), column);
    ct_tensor *found[N_DERIVATIVES], *right[N_DERIVATIVES], *plain[N_DERIVATIVES];

    derive(ct_trace(ctx, guarded, CT_LIKE(x, w)), x, w, found);
    derive(ct_trace(ctx, of_taken, CT_LIKE(x, w)), x, w, right);
    derive(ct_trace(ctx, unguarded, CT_LIKE(x, w)), x, w, plain);
    CHECK_OK(ctx);
    for (int k = 0; k < N_DERIVATIVES; k++) {
        ct_tensor *apart = ct_max(ct_abs(ct_sub(found[k], right[k])), CT_ALL_AXES, CT_DROP_AXES);
        CHECK_MSG(ct_item(apart) < 1e-12, "%s: %s, should be %s", derivative_names[k],
                  ct_text(found[k]), ct_text(right[k]));
    }
    CHECK(has_nan(plain[0])); /* so there is something to be helped */
    ct_context_free(ctx);
}
