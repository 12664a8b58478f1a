/* Derivatives that a program states itself: of functions, of C functions, of custom calls; forward,
 * reverse, of higher order, vectorised, printed and read back, and what is refused. */
#include "tests/clipped.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <string.h>

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

/* ---- A jvp rule: 10 times the true derivative, so that it is seen to be the rule's. */

static ct_tensor *cube(ct_tensor *x)
{
    return ct_mul(ct_mul(x, x), x);
}

static void cube_jvp(void *user, ct_list in, ct_tensor **out)
{
    ct_tensor *x = in.item[0], *dx = in.item[1];
    (void)user;
    out[0] = cube(x);
    out[1] = ct_mul(dx, ct_mul(ct_square(x), 30));
}

static ct_tensor *ruled_cube(ct_tensor *x)
{
    return ct_custom_jvp_of(cube, cube_jvp, x);
}

TEST(jvp_rules_serve_every_mode_and_order)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {2, -1}), *s = ct_scalar(ctx, CT_F64, 2), *r[2];
    ct_function *f = ct_trace(ctx, ruled_cube, CT_LIKE(x));
    ct_function *g = ct_trace(ctx, ruled_cube, CT_LIKE(s));

    CHECK_VALUES(ruled_cube(x), CT_SHAPE(2), {8, -1});
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, x), r, 2);
    CHECK_VALUES(r[0], CT_SHAPE(2), {8, -1});
    CHECK_VALUES(r[1], CT_SHAPE(2), {240, -30});
    CHECK_VALUES(ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, x)), CT_SHAPE(2), {240, -30});
    CHECK_VALUES(ct_apply1(ct_jacobian_reverse(f, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(2, 2),
                 {120, 0, 0, 30});
    CHECK_VALUES(ct_apply1(ct_jacobian_forward(f, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(2, 2),
                 {120, 0, 0, 30});
    g = ct_grad(g, CT_ARGS(0));
    CHECK_VALUES(ct_apply1(g, CT_ARGV(s)), CT_SHAPE(), {120});
    g = ct_grad(g, CT_ARGS(0)); /* of 30 x² */
    CHECK_VALUES(ct_apply1(g, CT_ARGV(s)), CT_SHAPE(), {120});
    ct_apply(ct_jvp(g, CT_ARGS(0)), CT_ARGV(s, s), r, 2); /* of 60 x, along x */
    CHECK_VALUES(r[1], CT_SHAPE(), {120});
    ct_context_free(ctx);
}

TEST(rules_survive_vmap)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {2, -1, 3}), *s = ct_scalar(ctx, CT_F64, 2);
    ct_function *f = ct_vmap_leading(ct_trace(ctx, ruled_cube, CT_LIKE(s)), 3);

    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(3), {8, -1, 27});
    CHECK_VALUES(ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, ct_ones(ctx, CT_F64, ct_shape_of(x)))),
                 CT_SHAPE(3), {120, 30, 270});
    ct_context_free(ctx);
}

/* ---- A vjp rule whose cotangents are clipped: not linear, and taken as it is. */

static ct_tensor *clipped_sum(ct_tensor *x)
{
    return total(clipped_cube(x));
}

TEST(vjp_rules_need_not_be_linear_in_reverse)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {1, 2, -0.5});
    ct_function *f = ct_trace(ctx, clipped_sum, CT_LIKE(x));

    CHECK_VALUES(ct_apply1(ct_grad(f, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(3), {3, 10, 0.75});
    CHECK_VALUES(ct_apply1(ct_jacobian_reverse(ct_trace(ctx, clipped_cube, CT_LIKE(x)), CT_ARGS(0)),
                           CT_ARGV(x)),
                 CT_SHAPE(3, 3), {3, 0, 0, 0, 10, 0, 0, 0, 0.75});
    CHECK_OK(ctx);
    ct_jvp(f, CT_ARGS(0));
    CHECK(strstr(ct_error_message(ctx), "clipped.c:14: custom_vjp: the rule backward_cube is not "
                                        "linear in its cotangents, because of this clamp"));
    CHECK(strstr(ct_error_message(ctx), "clipped.c:19)"));
    CHECK_ERROR(ctx, CT_ERR_RULE, "unless ct_custom_jvp gives them a rule");
    ct_context_free(ctx);
}

/* ---- A linear vjp rule: the forward derivative is its transpose. */

static void exp_backward(void *user, ct_list in, ct_tensor **out)
{
    (void)user;
    out[0] = ct_mul(ct_mul(in.item[2], in.item[1]), 2); /* y is at hand */
}

static ct_tensor *plain_exp(ct_tensor *x)
{
    return ct_exp(x);
}

static ct_tensor *doubled_exp(ct_tensor *x)
{
    return ct_custom_vjp_of(plain_exp, exp_backward, x);
}

static ct_tensor *in_a_loop(void *user, ct_tensor *x)
{
    (void)user;
    return ct_sub(doubled_exp(x), 1);
}

static ct_tensor *nested(ct_tensor *x)
{
    return in_a_loop(NULL, in_a_loop(NULL, in_a_loop(NULL, x)));
}

TEST(the_transpose_of_a_vjp_rule_is_its_jvp)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F64, CT_SHAPE()), *one = ct_ones(ctx, CT_F64, ct_shape_of(x)),
              *r[2];
    ct_function *f = ct_trace(ctx, doubled_exp, CT_LIKE(x)), *n = ct_trace(ctx, nested, CT_LIKE(x));

    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, one), r, 2);
    CHECK_VALUES(r[0], CT_SHAPE(), {1});
    CHECK_VALUES(r[1], CT_SHAPE(), {2});
    ct_apply(ct_jvp(n, CT_ARGS(0)), CT_ARGV(x, one), r, 2);
    CHECK_VALUES(r[1], CT_SHAPE(), {8});
    CHECK_VALUES(ct_apply1(ct_grad(n, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(), {8});
    /* of 2 y, and y has the rule again */
    CHECK_VALUES(ct_apply1(ct_grad(ct_grad(f, CT_ARGS(0)), CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(),
                 {4});
    ct_context_free(ctx);
}

/* ---- Functions: residuals of one's own, integers between, both rules. */

static void scaled(void *user, ct_list in, ct_tensor **out) /* (x, n, y) -> (x y, n) */
{
    (void)user;
    out[0] = ct_mul(in.item[0], in.item[2]);
    out[1] = in.item[1];
}

static void scaled_forward(void *user, ct_list in, ct_tensor **out)
{
    scaled(user, in, out);
    out[2] = ct_mul(in.item[2], 7);
    out[3] = in.item[0];
}

static void scaled_backward(void *user, ct_list in, ct_tensor **out) /* (7y, x, ybar) */
{
    (void)user;
    out[0] = ct_mul(in.item[0], in.item[2]);
    out[1] = ct_mul(in.item[1], in.item[2]);
}

static void scaled_jvp(void *user, ct_list in, ct_tensor **out) /* (x, n, y, dx, dy) */
{
    scaled(user, in, out);
    out[2] = ct_add(ct_mul(in.item[3], 1000), in.item[4]);
}

TEST(functions_with_both_rules)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1, 2}),
              *y = given(ctx, CT_F32, CT_SHAPE(2), {3, 5});
    ct_tensor *n = ct_scalar(ctx, CT_I32, 4), *bar = given(ctx, CT_F32, CT_SHAPE(2), {1, 10}),
              *r[3];
    ct_function *f = ct_trace_many(ctx, scaled, NULL, 2, CT_LIKE(x, n, y));
    ct_function *forward = ct_trace_many(ctx, scaled_forward, NULL, 4, CT_LIKE(x, n, y));
    ct_function *backward = ct_trace_many(ctx, scaled_backward, NULL, 2, CT_LIKE(x, y, x));
    ct_function *jvp = ct_trace_many(ctx, scaled_jvp, NULL, 3, CT_LIKE(x, n, y, x, y));
    ct_function *v = ct_custom_vjp(f, forward, backward), *both = ct_custom_jvp(v, jvp);

    CHECK_OK(ctx);
    ct_apply(ct_vjp(both, CT_ARGS(2, 0)), CT_ARGV(x, n, y, bar), r, 2);
    CHECK_VALUES(r[0], CT_SHAPE(2), {1, 20});
    CHECK_VALUES(r[1], CT_SHAPE(2), {21, 350});
    ct_apply(ct_jvp(v, CT_ARGS(0)), CT_ARGV(x, n, y, bar), r, 3);
    CHECK_VALUES(r[1], CT_SHAPE(), {4});
    CHECK_VALUES(r[2], CT_SHAPE(2), {21, 350});
    ct_apply(ct_jvp(both, CT_ARGS(0)), CT_ARGV(x, n, y, bar), r, 3);
    CHECK_VALUES(r[2], CT_SHAPE(2), {1000, 10000});
    ct_context_free(ctx);
}

TEST(rules_are_printed_and_read_back)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {2, -1});
    ct_function *f[] = {ct_trace(ctx, ruled_cube, CT_LIKE(x)),
                        ct_trace(ctx, clipped_cube, CT_LIKE(x))};

    for (int i = 0; i < 2; i++) {
        const char *text = ct_function_text(f[i], CT_TEXT_STABLEHLO);
        CHECK(
            strstr(text, i ? "\"ct.custom_rule\" %arg0 {composite_attributes = {backward = "
                             "@backward_cube}, decomposition = @cube"
                           : "\"ct.custom_rule\" %arg0 {composite_attributes = {jvp = @jvp_cube}, "
                             "decomposition = @cube"));
        ct_module *m = ct_read_stablehlo_text(ctx, "text", text, strlen(text));
        ct_function *again = ct_module_function(m, NULL);
        CHECK_OK(ctx);
        CHECK(strcmp(ct_function_text(again, CT_TEXT_STABLEHLO), text) == 0);
        CHECK_EQUAL(ct_apply1(ct_vjp(again, CT_ARGS(0)), CT_ARGV(x, x)),
                    ct_apply1(ct_vjp(f[i], CT_ARGS(0)), CT_ARGV(x, x)));
    }
    ct_context_free(ctx);
}

static void two_results(void *user, ct_list in, ct_tensor **out)
{
    (void)user;
    out[0] = in.item[0];
    out[1] = total(in.item[0]);
}

TEST(rules_of_another_type_are_refused)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    ct_function *f = ct_trace(ctx, cube, CT_LIKE(x));
    ct_function *shape = ct_trace_many(ctx, two_results, NULL, 2, CT_LIKE(x, x));

    ct_custom_jvp(f, f);
    CHECK(strstr(ct_error_message(ctx), "test_custom_rules.c:"));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "the jvp rule must take 2 values, not 1");
    ct_custom_jvp(f, shape);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "the jvp rule must give f64[2] as result 1, not f64[]");
    shape = ct_trace_many(ctx, two_results, NULL, 2, CT_LIKE(x, x, x));
    ct_custom_vjp(f, NULL, shape);
    CHECK(
        strstr(ct_error_message(ctx), "the vjp rule's backward function must give 1 value, not 2"));
    ct_context_free(ctx);
}

/* ---- Custom calls. */

static ct_status square_data(void *user, ct_custom_call *call)
{
    const double *x = call->operand[0];
    double *y = call->result[0];
    (void)user;
    for (int i = 0; i < 2; i++)
        y[i] = x[i] * x[i] * ct_custom_number(call, "factor", 1);
    return CT_OK;
}

/* x, y, dx -> dy, and x, y, ybar -> xbar. */
static void square_rule(void *user, const ct_custom_call *call, ct_list in, ct_tensor **out)
{
    (void)user;
    out[0] = ct_mul(ct_mul(in.item[2], in.item[0]), 2 * ct_custom_number(call, "factor", 1));
}

static ct_tensor *external(ct_tensor *x)
{
    ct_tensor *y;
    ct_op_custom_call(ct_context_of(x), "square", "factor = 3 : i64", false, CT_ARGV(x), CT_LIKE(x),
                      &y);
    return total(y);
}

TEST(custom_calls_have_registered_derivatives)
{
    for (int way = 1; way < 4; way++) { /* jvp, vjp, both */
        ct_context *ctx = ct_context_new();
        ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {2, -1}), *r[2];
        ct_function *f = ct_trace(ctx, external, CT_LIKE(x));
        ct_register_custom_call(ctx, "square", square_data, NULL);
        ct_register_custom_derivative(ctx, "square", way & 1 ? square_rule : NULL,
                                      way & 2 ? square_rule : NULL, NULL);
        CHECK_VALUES(ct_apply1(ct_grad(f, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(2), {12, -6});
        ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, x), r, 2);
        CHECK_VALUES(r[0], CT_SHAPE(), {15});
        CHECK_VALUES(r[1], CT_SHAPE(), {30});
        CHECK_VALUES(ct_apply1(ct_hessian(f, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(2, 2),
                     {6, 0, 0, 6});
        CHECK_OK(ctx);
        ct_register_custom_derivative(ctx, "square", NULL, NULL, NULL);
        ct_grad(f, CT_ARGS(0));
        CHECK(ct_error_status(ctx) == CT_ERR_RULE);
        CHECK(strstr(ct_error_message(ctx), "the derivative of @square"));
        CHECK(strstr(ct_error_message(ctx), "(ct_register_custom_derivative states it)"));
        ct_context_free(ctx);
    }
}

/* ---- Rules that are not linear in what they must be. */

static void squared_jvp(void *user, ct_list in, ct_tensor **out)
{
    (void)user;
    out[0] = cube(in.item[0]);
    out[1] = ct_mul(in.item[1], in.item[1]);
}

static void shifted_jvp(void *user, ct_list in, ct_tensor **out)
{
    (void)user;
    out[0] = cube(in.item[0]);
    out[1] = in.item[0];
}

static void moved_jvp(void *user, ct_list in, ct_tensor **out)
{
    (void)user;
    out[0] = ct_add(cube(in.item[0]), in.item[1]);
    out[1] = in.item[1];
}

/* Forward and reverse say the same. */
static void check_claim(ct_many_function *rule, const char *message)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
    ct_function *jvp = ct_trace_many(ctx, rule, NULL, 2, CT_LIKE(x, x));
    ct_function *f = ct_custom_jvp(ct_trace(ctx, cube, CT_LIKE(x)), jvp);
    CHECK_OK(ctx);
    ct_jvp(f, CT_ARGS(0));
    CHECK(strstr(ct_error_message(ctx), "test_custom_rules.c:"));
    CHECK_ERROR(ctx, CT_ERR_RULE, message);
    ct_grad(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, message);
    ct_context_free(ctx);
}

TEST(jvp_rules_must_be_linear)
{
    check_claim(squared_jvp, "custom_jvp: the rule rule is not linear in its tangents, because of "
                             "this multiply (applied at ");
    check_claim(shifted_jvp,
                "custom_jvp: result 1 of the rule rule does not depend on its tangents, "
                "and is not known to be zero");
    check_claim(moved_jvp,
                "custom_jvp: result 0 of the rule rule is a value, and must not depend on "
                "its tangents");
}

static void clipped_call(void *user, const ct_custom_call *call, ct_list in, ct_tensor **out)
{
    (void)user;
    (void)call;
    out[0] = ct_clip(in.item[2], -1, 1);
}

TEST(registered_derivatives_must_be_linear)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    ct_function *f = ct_trace(ctx, external, CT_LIKE(x));
    ct_register_custom_derivative(ctx, "square", clipped_call, NULL, NULL);
    ct_jvp(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE,
                "custom_call @square: the rule jvp_square is not linear in its "
                "tangents, because of this clamp");
    ct_register_custom_derivative(ctx, "square", NULL, clipped_call, NULL);
    ct_grad(f, CT_ARGS(0));
    CHECK_OK(ctx);
    ct_jvp(f, CT_ARGS(0));
    CHECK(strstr(ct_error_message(ctx),
                 "custom_call @square: the rule backward_square is not linear "
                 "in its cotangents, because of this clamp"));
    CHECK_ERROR(ctx, CT_ERR_RULE, "unless ct_register_custom_derivative gives them a rule");
    ct_context_free(ctx);
}

/* Forward mode takes a C function on tangents at its word. */
static void opaque_jvp(void *user, ct_list in, ct_tensor **out)
{
    ct_tensor *dx = in.item[1];
    (void)user;
    out[0] = cube(in.item[0]);
    ct_op_custom_call(ct_context_of(dx), "linear", "", false, CT_ARGV(dx), CT_LIKE(dx), &out[1]);
}

TEST(jvp_rules_in_c_serve_forward_mode)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
    ct_function *jvp = ct_trace_many(ctx, opaque_jvp, NULL, 2, CT_LIKE(x, x));
    ct_function *f = ct_custom_jvp(ct_trace(ctx, cube, CT_LIKE(x)), jvp);
    ct_jvp(f, CT_ARGS(0));
    CHECK_OK(ctx);
    ct_grad(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "because of this custom_call");
    ct_context_free(ctx);
}

static void wrong_rule(void *user, const ct_custom_call *call, ct_list in, ct_tensor **out)
{
    (void)user;
    (void)call;
    out[0] = total(in.item[0]);
}

TEST(registered_derivatives_of_another_type_are_refused)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    ct_function *f = ct_trace(ctx, external, CT_LIKE(x));
    ct_register_custom_derivative(ctx, "square", wrong_rule, NULL, NULL);
    ct_grad(f, CT_ARGS(0));
    CHECK(ct_error_status(ctx) == CT_ERR_TYPE);
    CHECK(strstr(ct_error_message(ctx),
                 "custom_call @square: result 0 of its jvp rule is f64[], and should be f64[2]"));
    ct_context_free(ctx);
}

/* What a rule forgets to give is told with the rule and its function. */
static void gives_nothing(void *user, ct_list in, ct_tensor **out)
{
    (void)user;
    (void)in;
    (void)out;
}

static ct_tensor *cube_without_jvp(ct_tensor *x)
{
    return ct_custom_jvp_of(cube, gives_nothing, x);
}

static ct_tensor *cube_without_vjp(ct_tensor *x)
{
    return ct_custom_vjp_of(cube, gives_nothing, x);
}

static void registered_for_nothing(void *user, const ct_custom_call *call, ct_list in,
                                   ct_tensor **out)
{
    (void)user;
    (void)call;
    (void)in;
    (void)out;
}

TEST(results_that_rules_leave_out_are_named)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    ct_trace(ctx, cube_without_jvp, CT_LIKE(x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "jvp_cube: result 0 is NULL");
    ct_trace(ctx, cube_without_vjp, CT_LIKE(x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "backward_cube: result 0 is NULL");
    ct_function *f = ct_trace(ctx, external, CT_LIKE(x));
    ct_register_custom_derivative(ctx, "square", registered_for_nothing, NULL, NULL);
    ct_grad(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "jvp_square: result 0 is NULL");
    ct_context_free(ctx);
}

/* ---- Memory. */

static void all(ct_context *ctx)
{
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {2, -1});
    ct_function *f = ct_trace(ctx, clipped_sum, CT_LIKE(x)),
                *g = ct_trace(ctx, ruled_cube, CT_LIKE(x));
    ct_function *h = ct_trace(ctx, external, CT_LIKE(x));
    ct_register_custom_derivative(ctx, "square", NULL, square_rule, NULL);
    ct_grad(f, CT_ARGS(0));
    ct_grad(h, CT_ARGS(0));
    ct_jvp(h, CT_ARGS(0));
    ct_vjp(ct_vmap_leading(g, 2), CT_ARGS(0));
}

TEST(rules_without_memory)
{
    CHECK_ALLOCATIONS(all);
}
