/* The public transforms: what their parameters and results are, in any nesting, and what they
 * refuse. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <string.h>

/* f(x, n, y) = Σ x² y, with an integer argument between. */
static ct_tensor *f(ct_tensor *x, ct_tensor *n, ct_tensor *y)
{
    (void)n;
    return ct_sum(ct_mul(ct_square(x), y), CT_ALL_AXES, CT_DROP_AXES);
}

typedef struct arguments {
    ct_context *ctx;
    ct_tensor *x, *n, *y;
    ct_function *f;
} arguments;

static arguments begin(void)
{
    arguments a = {.ctx = ct_context_new()};
    a.x = given(a.ctx, CT_F64, CT_SHAPE(3), {1, 2, 3});
    a.n = given(a.ctx, CT_I32, CT_SHAPE(2), {7, 8});
    a.y = given(a.ctx, CT_F64, CT_SHAPE(3), {10, -1, 0.5});
    a.f = ct_trace(a.ctx, f, CT_LIKE(a.x, a.n, a.y));
    return a;
}

TEST(grad_takes_the_arguments_in_the_order_named)
{
    arguments a = begin();
    ct_tensor *g[2];
    ct_apply(ct_grad(a.f, CT_ARGS(2, 0)), CT_ARGV(a.x, a.n, a.y), g, 2);
    CHECK_VALUES(g[0], CT_SHAPE(3), {1, 4, 9});
    CHECK_VALUES(g[1], CT_SHAPE(3), {20, -4, 3});
    ct_apply(ct_grad(a.f, CT_ALL_ARGS), CT_ARGV(a.x, a.n, a.y), g, 2);
    CHECK_VALUES(g[0], CT_SHAPE(3), {20, -4, 3});
    CHECK_VALUES(g[1], CT_SHAPE(3), {1, 4, 9});
    CHECK(ct_function_results(ct_grad(a.f, CT_ARGS())) == 0);
    CHECK_OK(a.ctx);
    ct_context_free(a.ctx);
}

TEST(value_and_grad)
{
    arguments a = begin();
    ct_tensor *r[2];
    ct_apply(ct_value_and_grad(a.f, CT_ARGS(2)), CT_ARGV(a.x, a.n, a.y), r, 2);
    CHECK_VALUES(r[0], CT_SHAPE(), {10.5});
    CHECK_VALUES(r[1], CT_SHAPE(3), {1, 4, 9});
    ct_context_free(a.ctx);
}

TEST(jvp_takes_tangents_in_the_order_named)
{
    arguments a = begin();
    ct_tensor *dx = given(a.ctx, CT_F64, CT_SHAPE(3), {1, 0, 2});
    ct_tensor *dy = given(a.ctx, CT_F64, CT_SHAPE(3), {0, 1, 0});
    ct_tensor *r[2];
    ct_apply(ct_jvp(a.f, CT_ARGS(2, 0)), CT_ARGV(a.x, a.n, a.y, dy, dx), r, 2);
    CHECK_VALUES(r[0], CT_SHAPE(), {10.5});
    CHECK_VALUES(r[1], CT_SHAPE(), {4 + 20 + 6});
    ct_context_free(a.ctx);
}

TEST(vjp_scales_with_its_cotangent)
{
    arguments a = begin();
    ct_tensor *ybar = ct_scalar(a.ctx, CT_F64, -2);
    CHECK_VALUES(ct_apply1(ct_vjp(a.f, CT_ARGS(0)), CT_ARGV(a.x, a.n, a.y, ybar)), CT_SHAPE(3),
                 {-40, 8, -6});
    ct_context_free(a.ctx);
}

/* The tangent program of a linearization is linear, and its transpose is the vjp. */
TEST(linearize_then_transpose_is_vjp)
{
    arguments a = begin();
    ct_linearized l = ct_linearize(a.f, CT_ARGS(0));
    CHECK_OK(a.ctx);
    CHECK(l.n_residuals >= 1 && l.n_residuals <= 4);
    CHECK(strcmp(ct_function_name(l.primal), "linearize_f") == 0);
    CHECK(strcmp(ct_function_name(l.tangent), "tangent_f") == 0);
    ct_tensor *primal[5], *in[5];
    ct_apply(l.primal, CT_ARGV(a.x, a.n, a.y), primal, 1 + l.n_residuals);
    CHECK_VALUES(primal[0], CT_SHAPE(), {10.5});
    for (size_t i = 0; i < l.n_residuals; i++)
        in[i] = primal[1 + i];
    in[l.n_residuals] = given(a.ctx, CT_F64, CT_SHAPE(3), {1, 0, 2});
    ct_list given_all = {l.n_residuals + 1, in};
    CHECK_VALUES(ct_apply1(l.tangent, given_all), CT_SHAPE(), {26});
    int64_t linear = (int64_t)l.n_residuals;
    ct_function *t = ct_transpose_linear(l.tangent, ((ct_args){false, 1, &linear}));
    in[l.n_residuals] = ct_scalar(a.ctx, CT_F64, 1);
    CHECK_VALUES(ct_apply1(t, given_all), CT_SHAPE(3), {20, -4, 3});
    ct_context_free(a.ctx);
}

/* ---- Nesting. */

static ct_tensor *cube(ct_tensor *x)
{
    return ct_mul(ct_mul(x, x), x);
}

TEST(grad_of_grad_of_grad)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 5);
    ct_function *g = ct_trace(ctx, cube, CT_LIKE(x));
    static const double expected[] = {75, 30, 6, 0, 0};
    for (int order = 0; order < 5; order++) {
        g = ct_grad(g, CT_ARGS(0));
        CHECK_VALUES(ct_apply1(g, CT_ARGV(x)), CT_SHAPE(), {expected[order]});
    }
    ct_context_free(ctx);
}

/* d/dx of x³ at 2x, with the gradient taken inside the traced function. */
static ct_tensor *gradient_inside(ct_tensor *x)
{
    return ct_grad_of(ct_context_of(x), cube, ct_mul(x, 2));
}

TEST(grad_of_traces_and_applies_at_once)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 5);
    CHECK_VALUES(ct_grad_of(ctx, cube, x), CT_SHAPE(), {75});
    CHECK_VALUES(gradient_inside(x), CT_SHAPE(), {300});
    ct_function *g = ct_trace(ctx, gradient_inside, CT_LIKE(x)); /* 12 x² */
    CHECK_VALUES(ct_apply1(g, CT_ARGV(x)), CT_SHAPE(), {300});
    CHECK_VALUES(ct_apply1(ct_grad(g, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(), {120});
    ct_context_free(ctx);
}

/* ---- Trees and several results. */

typedef struct model {
    ct_tensor *w, *b;
} model;

static ct_tensor *affine(ct_tensor **leaves, ct_tensor *x)
{
    model *m = (model *)leaves;
    return ct_sum(ct_add(ct_matmul(x, m->w), m->b), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(a_tree_is_one_argument)
{
    ct_context *ctx = ct_context_new();
    model m = {given(ctx, CT_F64, CT_SHAPE(2), {3, 4}), ct_scalar(ctx, CT_F64, 1)};
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {1, 2, 3, 4, 5, 6}), *r[3];
    ct_function *g = ct_trace_tree(ctx, affine, CT_TREE(&m), CT_LIKE(x));
    ct_apply(ct_grad(g, CT_ARGS(1, 0)), CT_ARGV(m.w, m.b, x), r, 3);
    CHECK_VALUES(r[0], CT_SHAPE(3, 2), {3, 4, 3, 4, 3, 4});
    CHECK_VALUES(r[1], CT_SHAPE(2), {9, 12});
    CHECK_VALUES(r[2], CT_SHAPE(), {3});
    CHECK_OK(ctx);
    ct_grad(g, CT_ARGS(2));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "there is no argument 2; it has 2");
    ct_context_free(ctx);
}

/* x -> x², an integer, 3x: cotangents only for the float results. */
static void three(void *user, ct_list x, ct_tensor **result)
{
    (void)user;
    result[0] = ct_square(x.item[0]);
    result[1] = ct_cast(x.item[0], CT_I32);
    result[2] = ct_mul(x.item[0], 3);
}

TEST(integer_results_have_no_tangent_and_no_cotangent)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {2, 5}), *r[5];
    ct_function *g = ct_trace_many(ctx, three, NULL, 3, CT_LIKE(x));
    ct_function *forward = ct_jvp(g, CT_ARGS(0)), *backward = ct_vjp(g, CT_ARGS(0));
    CHECK(ct_function_results(forward) == 5 && ct_function_parameters(backward) == 3);
    ct_apply(forward, CT_ARGV(x, ct_ones(ctx, CT_F32, CT_SHAPE(2))), r, 5);
    CHECK_VALUES(r[1], CT_SHAPE(2), {2, 5});
    CHECK_VALUES(r[3], CT_SHAPE(2), {4, 10});
    CHECK_VALUES(r[4], CT_SHAPE(2), {3, 3});
    ct_tensor *ones = ct_ones(ctx, CT_F32, CT_SHAPE(2));
    CHECK_VALUES(ct_apply1(backward, CT_ARGV(x, ones, ones)), CT_SHAPE(2), {7, 13});
    ct_context_free(ctx);
}

/* ---- Constants: a result without dependence has a zero derivative of its shape. */

static ct_tensor *constant(ct_tensor *x)
{
    return ct_floor(ct_sum(x, CT_ALL_AXES, CT_DROP_AXES));
}

TEST(no_dependence_gives_zeros)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {2.5, 5}), *r[2];
    ct_function *g = ct_trace(ctx, constant, CT_LIKE(x));
    CHECK_VALUES(ct_apply1(ct_grad(g, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(2), {0, 0});
    ct_apply(ct_jvp(g, CT_ARGS(0)), CT_ARGV(x, x), r, 2);
    CHECK_VALUES(r[1], CT_SHAPE(), {0});
    ct_context_free(ctx);
}

/* ---- What is refused. */

static ct_tensor *identity(ct_tensor *x)
{
    return ct_mul(x, 1);
}

static ct_tensor *sum_of_leaves(ct_tensor **leaf, ct_tensor *x)
{
    return ct_add(leaf[0], x);
}

TEST(errors_of_leaves)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1), *n = ct_scalar(ctx, CT_I32, 1);
    ct_grad(ct_trace_tree(ctx, sum_of_leaves, CT_LIKE(x, n), CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE,
                "grad of sum_of_leaves: argument 0, leaf 1 is i32[], which has no derivative");
    ct_context_free(ctx);
}

TEST(errors_of_arguments)
{
    arguments a = begin();
    ct_grad(a.f, CT_ARGS(1));
    CHECK_ERROR(a.ctx, CT_ERR_RULE, "grad of f: argument 1 is i32[2], which has no derivative");
    ct_grad(a.f, CT_ARGS(3));
    CHECK_ERROR(a.ctx, CT_ERR_ARGUMENT,
                "grad of f: there is no argument 3; it has 3, counted from 0");
    ct_jvp(a.f, CT_ARGS(-1));
    CHECK_ERROR(a.ctx, CT_ERR_ARGUMENT, "jvp of f: there is no argument -1");
    ct_vjp(a.f, CT_ARGS(0, 2, 0));
    CHECK_ERROR(a.ctx, CT_ERR_ARGUMENT, "vjp of f: argument 0 is named twice");
    ct_grad(NULL, CT_ARGS(0));
    CHECK_OK(a.ctx); /* without a function there is no context to tell */
    ct_function *g = ct_trace(a.ctx, identity, CT_LIKE(a.x));
    ct_grad(g, CT_ARGS(0));
    CHECK_ERROR(a.ctx, CT_ERR_SHAPE, "it gives f64[3]; a gradient needs one real float scalar");
    g = ct_trace(a.ctx, identity, CT_LIKE(ct_spec(a.ctx, CT_I32, CT_SHAPE())));
    ct_value_and_grad(g, CT_ALL_ARGS);
    CHECK_ERROR(a.ctx, CT_ERR_SHAPE, "value_and_grad of identity: it gives i32[]");
    ct_context_free(a.ctx);
}

static ct_tensor *not_linear(ct_tensor *x)
{
    return ct_mul(x, ct_sin(x));
}

static ct_tensor *bilinear(ct_tensor *x, ct_tensor *y)
{
    return ct_mul(x, y);
}

static ct_tensor *affine_not_linear(ct_tensor *x)
{
    return ct_add(x, 1);
}

static ct_tensor *sum_from_one(void *add, ct_tensor *x)
{
    return ct_op_reduce(x, ct_scalar(ct_context_of(x), CT_F64, 1), add, CT_DIMS(0));
}

static ct_tensor *sum(ct_tensor *a, ct_tensor *b)
{
    return ct_add(a, b);
}

TEST(transpose_refuses_what_is_not_linear)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {2, 5});
    ct_transpose_linear(ct_trace(ctx, not_linear, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "it is not linear in the values that are to be transposed");
    ct_transpose_linear(ct_trace(ctx, bilinear, CT_LIKE(x, x)), CT_ARGS(0, 1));
    CHECK_ERROR(ctx, CT_ERR_RULE, "multiply: it is not linear");
    ct_transpose_linear(ct_trace(ctx, affine_not_linear, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "add: it is not linear");
    ct_tensor *scalar = ct_scalar(ctx, CT_F64, 0);
    ct_function *add = ct_trace(ctx, sum, CT_LIKE(scalar, scalar));
    ct_transpose_linear(ct_trace_user(ctx, sum_from_one, add, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "reduce: it is not linear");
    ct_function *t = ct_transpose_linear(ct_trace(ctx, bilinear, CT_LIKE(x, x)), CT_ARGS(1));
    CHECK_VALUES(ct_apply1(t, CT_ARGV(x, given(ctx, CT_F64, CT_SHAPE(2), {3, -1}))), CT_SHAPE(2),
                 {6, -5});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Affine and nonlinear parts are found inside bodies too. */

static ct_tensor *affine_callee(ct_tensor *x)
{
    ct_function *g = ct_trace(ct_context_of(x), affine_not_linear, CT_LIKE(x));
    return ct_apply1(g, CT_ARGV(x));
}

static ct_tensor *plus_one(void *user)
{
    ct_tensor *x = user;
    return ct_add(x, 1);
}

static ct_tensor *times_two(void *user)
{
    ct_tensor *x = user;
    return ct_mul(x, 2);
}

static ct_tensor *affine_branch(ct_tensor *pred, ct_tensor *x)
{
    return ct_if(pred, plus_one, times_two, x);
}

static void add_one(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    (void)x;
    (void)y;
    carry[0] = ct_add(carry[0], 1);
}

static ct_tensor *affine_loop(ct_tensor *x)
{
    ct_scan(add_one, NULL, .length = 3, .n_carry = 1, .carry = &x);
    return x;
}

static ct_tensor *five(ct_tensor *x)
{
    return ct_full(ct_context_of(x), CT_F64, CT_SHAPE(2), 5);
}

static ct_tensor *rectified(ct_tensor *x)
{
    return ct_relu(x);
}

static ct_tensor *slice_at_itself(ct_tensor *x)
{
    ct_tensor *start = ct_cast(ct_sum(x, CT_ALL_AXES, CT_DROP_AXES), CT_I32);
    return ct_dynamic_slice(x, CT_ARGV(start), CT_SHAPE(1), CT_CLAMP);
}

TEST(transpose_looks_into_bodies)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {2, 5}),
              *pred = ct_ones(ctx, CT_BOOL, CT_SHAPE());
    ct_transpose_linear(ct_trace(ctx, affine_callee, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "add: it is not linear");
    ct_transpose_linear(ct_trace(ctx, affine_branch, CT_LIKE(pred, x)), CT_ARGS(1));
    CHECK_ERROR(ctx, CT_ERR_RULE, "add: it is not linear");
    ct_transpose_linear(ct_trace(ctx, affine_loop, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "add: it is not linear");
    ct_transpose_linear(ct_trace(ctx, five, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "result 0 does not depend on the linear arguments");
    ct_transpose_linear(ct_trace(ctx, rectified, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "compare: it is not linear");
    ct_transpose_linear(ct_trace(ctx, slice_at_itself, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "convert: it is not linear");
    ct_context_free(ctx);
}

static void halve(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    y[0] = ct_mul(carry[0], 0.5);
    carry[0] = ct_add(y[0], x[0]);
}

/* Linear: a loop over the rows of x from zero, and an empty end. */
static ct_tensor *linear_loop(ct_tensor *x)
{
    ct_tensor *carry = ct_scalar(ct_context_of(x), CT_F64, 0), *y;
    ct_scan(halve, NULL, .length = 2, .n_carry = 1, .carry = &carry, .xs = CT_ARGV(x), .n_ys = 1,
            .ys = &y);
    ct_tensor *nothing = ct_ones(ct_context_of(x), CT_F64, CT_SHAPE(0));
    return ct_concatenate(CT_ARGV(y, ct_reshape(carry, CT_SHAPE(1)), nothing), 0);
}

TEST(transpose_of_a_linear_loop)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {2, 5});
    ct_function *f = ct_trace(ctx, linear_loop, CT_LIKE(x)); /* (0, x0/2, x0/2 + x1) */
    ct_function *t = ct_transpose_linear(f, CT_ARGS(0));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(3), {0, 1, 6});
    CHECK_VALUES(ct_apply1(t, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(3), {7, 1, 10}))), CT_SHAPE(2),
                 {5.5, 10});
    ct_context_free(ctx);
}

static ct_tensor *through_complex(ct_tensor *x)
{
    ct_tensor *z = ct_cast(ct_cast(x, CT_C64), CT_F32);
    return ct_sum(z, CT_ALL_AXES, CT_DROP_AXES);
}

/* The cotangent of a conversion goes back by the other one. */
TEST(gradient_through_complex)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {2, 5});
    ct_function *f = ct_trace(ctx, through_complex, CT_LIKE(x));
    CHECK_VALUES(ct_apply1(ct_grad(f, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(2), {1, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *to_complex(ct_tensor *x)
{
    return ct_cast(x, CT_C64);
}

/* A complex number is no loss. */
TEST(gradient_of_a_complex_result)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, to_complex, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE())));
    ct_grad(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "it gives c64[]; a gradient needs one real float scalar (see ct_vjp)");
    ct_value_and_grad(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "a gradient needs one real float scalar");
    ct_context_free(ctx);
}

/* An error in a derivative names the line that wrote the operation. */
static ct_tensor *call_unknown(ct_tensor *x)
{
    ct_tensor *y;
    ct_op_custom_call(NULL, "unknown", NULL, false, CT_ARGV(x), CT_LIKE(x), &y); /* here */
    return y;
}
enum { CALL_LINE = __LINE__ - 3 };

TEST(a_missing_rule_names_its_place)
{
    ct_context *ctx = ct_context_new();
    ct_function *g = ct_trace(ctx, call_unknown, CT_LIKE(ct_scalar(ctx, CT_F64, 2)));
    CHECK_OK(ctx);
    ct_grad(g, CT_ARGS(0));
    CHECK(ct_error_place(ctx).line == CALL_LINE);
    CHECK_ERROR(ctx, CT_ERR_RULE, "custom_call");
    ct_context_free(ctx);
}

/* ---- By no argument: CT_ARGS(), or CT_ALL_ARGS where none is a float. */

static ct_tensor *counted(ct_tensor *n)
{
    return ct_sum(ct_cast(n, CT_F64), CT_ALL_AXES, CT_DROP_AXES);
}

static void check_by_nothing(ct_function *f, ct_args wrt, ct_tensor *x)
{
    ct_context *ctx = ct_context_of(x);
    ct_tensor *y[2];
    ct_apply(ct_jvp(f, wrt), CT_ARGV(x), y, 2);
    CHECK_VALUES(y[0], CT_SHAPE(), {5});
    CHECK_VALUES(y[1], CT_SHAPE(), {0});
    ct_apply(ct_vjp(f, wrt), CT_ARGV(x, ct_scalar(ctx, CT_F64, 1)), NULL, 0);
    CHECK_VALUES(ct_apply1(ct_value_and_grad(f, wrt), CT_ARGV(x)), CT_SHAPE(), {5});
    CHECK(ct_function_results(ct_grad(f, wrt)) == 0 && ct_function_results(ct_hvp(f, wrt)) == 0);
    CHECK(ct_function_results(ct_hessian(f, wrt)) == 0);
    CHECK(ct_function_results(ct_jacobian(f, wrt)) == 0);
    ct_linearized l = ct_linearize(f, wrt);
    CHECK(ct_function_parameters(l.tangent) == l.n_residuals);
    CHECK_VALUES(ct_apply1(l.primal, CT_ARGV(x)), CT_SHAPE(), {5});
    CHECK_VALUES(ct_apply1(l.tangent, CT_NO_TENSORS), CT_SHAPE(), {0});
    CHECK_VALUES(ct_apply1(ct_taylor(f, wrt, 1), CT_ARGV(x)), CT_SHAPE(2), {5, 0});
    CHECK_OK(ctx);
}

TEST(by_no_argument)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *n = given(ctx, CT_I32, CT_SHAPE(2), {2, 3}), *x = ct_cast(n, CT_F64);
    ct_function *of_n = ct_trace(ctx, counted, CT_LIKE(n)),
                *of_x = ct_trace(ctx, counted, CT_LIKE(x));
    check_by_nothing(of_n, CT_ARGS(), n);
    check_by_nothing(of_n, CT_ALL_ARGS, n);
    check_by_nothing(of_x, CT_ARGS(), x);
    ct_grad(of_n, CT_ARGS(0)); /* a named one is a mistake */
    CHECK_ERROR(ctx, CT_ERR_RULE, "i32");
    ct_context_free(ctx);
}
