/* Rules of the program to the third order, whatever they read: x, y, both or none of them, or
 * residuals of their own; linear in the cotangent, and not. */
#include "tests/clipped.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

enum { READS_X = 1, READS_Y = 2, CLIPS = 4, N_RULES = 8 };

static ct_tensor *cube(ct_tensor *x)
{
    return ct_mul(ct_mul(x, x), x);
}

/* 2 t x^a y^b, where a rule reads x for a = 1, and y for b = 1. */
static ct_tensor *times(unsigned rule, ct_tensor *x, ct_tensor *y, ct_tensor *t)
{
    ct_tensor *product = ct_mul(t, 2);
    if (rule & READS_X)
        product = ct_mul(product, x);
    if (rule & READS_Y)
        product = ct_mul(product, y);
    return rule & CLIPS ? ct_clip(product, -1e6, 1e6) : product;
}

/* ---- What is expected at x, and whether forward over reverse is. */

typedef struct orders {
    double order[3];
    bool forward;
} orders;

/* y has the rule again: its derivative is the first order. */
static orders by_rule(unsigned rule, double x)
{
    double a = rule & READS_X ? 1 : 0, b = rule & READS_Y ? 1 : 0, y = x * x * x;
    double x_a = a > 0 ? x : 1, y_b = b > 0 ? y : 1;
    double first = 2 * x_a * y_b, second = 2 * (a * y_b + b * x_a * first);
    return (orders){{first, second, 2 * b * (2 * a * first + x_a * second)},
                    !(rule & CLIPS && rule & READS_Y)};
}

/* y is x³. */
static orders by_cube(unsigned rule, double x)
{
    double a = rule & READS_X ? 1 : 0, b = rule & READS_Y ? 1 : 0, y = x * x * x;
    double x_a = a > 0 ? x : 1, y_b = b > 0 ? y : 1;
    return (orders){{2 * x_a * y_b, 2 * (a * y_b + b * x_a * 3 * x * x),
                     2 * b * (2 * a * 3 * x * x + x_a * 6 * x)},
                    true};
}

static double at_two(ct_function *f)
{
    ct_context *ctx = ct_function_context(f);
    ct_tensor *x = ct_scalar(ctx, CT_F64, 2), *one = ct_scalar(ctx, CT_F64, 1);
    ct_tensor *all[] = {x, one};
    double y = ct_item(ct_apply1(f, CT_LIST(ct_function_parameters(f), all)));
    CHECK_OK(ctx);
    return y;
}

static void check_orders(ct_function *f, const orders *expected)
{
    ct_context *ctx = ct_function_context(f);
    ct_function *grad = ct_grad(f, CT_ARGS(0)), *second = ct_grad(grad, CT_ARGS(0));

    CHECK_OK(ctx);
    CHECK(at_two(f) == 8);
    CHECK(at_two(grad) == expected->order[0]);
    CHECK(at_two(second) == expected->order[1]);
    CHECK(at_two(ct_grad(second, CT_ARGS(0))) == expected->order[2]);
    if (!expected->forward) {
        ct_hvp(f, CT_ARGS(0));
        CHECK_ERROR(ctx, CT_ERR_RULE, "not linear");
        return;
    }
    CHECK(at_two(ct_hvp(f, CT_ARGS(0))) == expected->order[1]);
    CHECK(at_two(ct_hessian(f, CT_ARGS(0))) == expected->order[1]);
    CHECK(at_two(ct_hvp(grad, CT_ARGS(0))) == expected->order[2]);
    CHECK(at_two(ct_hessian(grad, CT_ARGS(0))) == expected->order[2]);
    CHECK(at_two(ct_grad(ct_hessian(f, CT_ARGS(0)), CT_ARGS(0))) == expected->order[2]);
}

/* ---- Rules that get x and y. */

static void backward(void *user, ct_list in, ct_tensor **out)
{
    out[0] = times(*(unsigned *)user, in.item[0], in.item[1], in.item[2]);
}

TEST(of_values)
{
    for (unsigned rule = 0; rule < N_RULES; rule++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
        ct_function *f = ct_trace(ctx, cube, CT_LIKE(x));
        ct_function *back = ct_trace_many(ctx, backward, &rule, 1, CT_LIKE(x, x, x));
        const orders expected = by_rule(rule, 2);
        check_orders(ct_custom_vjp(f, NULL, back), &expected);
        ct_context_free(ctx);
    }
}

/* What a rule hands to a function that does not read it is not read. */
static void backward_by_call(void *user, ct_list in, ct_tensor **out)
{
    ct_function *back = user;
    out[0] = ct_apply1(back, CT_ARGV(in.item[0], in.item[1], in.item[2]));
}

TEST(of_values_by_way_of_a_call)
{
    for (unsigned rule = 0; rule < N_RULES; rule++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
        ct_function *f = ct_trace(ctx, cube, CT_LIKE(x));
        ct_function *back = ct_trace_many(ctx, backward, &rule, 1, CT_LIKE(x, x, x));
        back = ct_trace_many(ctx, backward_by_call, back, 1, CT_LIKE(x, x, x));
        const orders expected = by_rule(rule, 2);
        check_orders(ct_custom_vjp(f, NULL, back), &expected);
        ct_context_free(ctx);
    }
}

/* Of C functions: the rule clips, and reads x alone. */
TEST(of_functions)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 1.5), *one = ct_scalar(ctx, CT_F64, 1);
    ct_function *f = ct_trace(ctx, clipped_cube, CT_LIKE(x));
    CHECK_VALUES(ct_apply1(ct_hvp(f, CT_ARGS(0)), CT_ARGV(x, one)), CT_SHAPE(), {9});
    CHECK_VALUES(ct_apply1(ct_hessian(f, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(), {9});
    CHECK_VALUES(ct_apply1(ct_hessian(f, CT_ARGS(0)), CT_ARGV(ct_scalar(ctx, CT_F64, 2))),
                 CT_SHAPE(), {0});
    ct_context_free(ctx);
}

/* ---- Residuals of one's own: 7x, y, and one whose derivative is not known, which no rule reads.
 */

static void forward(void *user, ct_list in, ct_tensor **out)
{
    ct_tensor *x = in.item[0];
    (void)user;
    out[0] = cube(x);
    out[1] = ct_mul(x, 7);
    ct_op_custom_call(ct_context_of(x), "unknown", "", false, CT_ARGV(x), CT_LIKE(x), &out[2]);
    out[3] = out[0];
}

static void backward_of_residuals(void *user, ct_list in, ct_tensor **out)
{
    out[0] = times(*(unsigned *)user, ct_div(in.item[0], 7), in.item[2], in.item[3]);
}

TEST(of_residuals)
{
    for (unsigned rule = 0; rule < N_RULES; rule++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
        ct_function *f = ct_trace(ctx, cube, CT_LIKE(x));
        ct_function *there = ct_trace_many(ctx, forward, NULL, 4, CT_LIKE(x));
        ct_function *back = ct_trace_many(ctx, backward_of_residuals, &rule, 1,
                                          CT_LIKE(x, x, x, x));
        const orders expected = by_cube(rule, 2);
        check_orders(ct_custom_vjp(f, there, back), &expected);
        ct_context_free(ctx);
    }
}

/* ---- Forward rules: y is what they compute. */

static void jvp(void *user, ct_list in, ct_tensor **out)
{
    out[0] = cube(in.item[0]);
    out[1] = times(*(unsigned *)user, in.item[0], out[0], in.item[1]);
}

TEST(of_forward_rules)
{
    for (unsigned rule = 0; rule < CLIPS; rule++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
        ct_function *f = ct_trace(ctx, cube, CT_LIKE(x));
        ct_function *there = ct_trace_many(ctx, jvp, &rule, 2, CT_LIKE(x, x));
        const orders expected = by_cube(rule, 2);
        check_orders(ct_custom_jvp(f, there), &expected);
        ct_context_free(ctx);
    }
}

/* ---- Custom calls. */

static ct_status cube_data(void *user, ct_custom_call *call)
{
    const double *x = call->operand[0];
    double *y = call->result[0];
    (void)user;
    *y = *x * *x * *x;
    return CT_OK;
}

static void call_rule(void *user, const ct_custom_call *call, ct_list in, ct_tensor **out)
{
    (void)call;
    backward(user, in, out);
}

static ct_tensor *called(ct_tensor *x)
{
    ct_tensor *y;
    ct_op_custom_call(ct_context_of(x), "cube", "", false, CT_ARGV(x), CT_LIKE(x), &y);
    return y;
}

TEST(of_custom_calls)
{
    for (unsigned rule = 0; rule < N_RULES; rule++)
        for (int way = 1; way < 4; way++) { /* jvp, vjp, both */
            if (rule & CLIPS && way != 2)
                continue;
            ct_context *ctx = ct_context_new();
            ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
            const orders expected = by_rule(rule, 2);
            ct_register_custom_call(ctx, "cube", cube_data, NULL);
            ct_register_custom_derivative(ctx, "cube", way & 1 ? call_rule : NULL,
                                          way & 2 ? call_rule : NULL, &rule);
            check_orders(ct_trace(ctx, called, CT_LIKE(x)), &expected);
            ct_context_free(ctx);
        }
}
