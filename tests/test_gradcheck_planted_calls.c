/* Wrong derivatives of C functions, which are checked in f64, and of rules where f64 is asked for:
 * each is told by its name and place. */
#include "tests/blamed.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <string.h>

#define X p.item[0]
#define BAR p.item[2] /* the tangent or the cotangent */

enum { COUNT = 3 };

static int line; /* of what is planted */

static ct_tensor *all(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

/* ---- x sin x of f64, and of f32. */

static ct_status run_wide(void *user, ct_custom_call *call)
{
    const double *x = call->operand[0];
    (void)user;
    for (int64_t i = 0; i < COUNT; i++)
        ((double *)call->result[0])[i] = x[i] * sin(x[i]);
    return CT_OK;
}

static ct_status run_narrow(void *user, ct_custom_call *call)
{
    const float *x = call->operand[0];
    (void)user;
    for (int64_t i = 0; i < COUNT; i++)
        ((float *)call->result[0])[i] = x[i] * sinf(x[i]);
    return CT_OK;
}

/* sin x + x cos x times what comes, times *user. */
static void derive(void *user, const ct_custom_call *call, ct_list p, ct_tensor **r)
{
    ct_tensor *slope = ct_add(ct_sin(X), ct_mul(X, ct_cos(X)));
    (void)call;
    r[0] = ct_mul(ct_mul(BAR, slope), *(const double *)user);
}

/* Linear, of sin x - x cos x. */
static void derive_wrong_sign(void *user, const ct_custom_call *call, ct_list p, ct_tensor **r)
{
    (void)user, (void)call;
    r[0] = ct_mul(BAR, ct_sub(ct_sin(X), ct_mul(X, ct_cos(X))));
}

static ct_tensor *call_of(ct_place at, const char *target, ct_tensor *x)
{
    ct_tensor *y;
    ct_op_custom_call_at(at, ct_context_of(x), target, NULL, false, CT_ARGV(x), CT_ARGV(x), &y);
    return y;
}

static ct_tensor *call_right(ct_tensor *x)
{
    return call_of(CT_HERE, "right", x);
}

static ct_tensor *call_wrong(ct_tensor *x)
{
    line = __LINE__ + 1;
    return call_of(CT_HERE, "wrong", x);
}

/* ---- Programs. */

static ct_tensor *alone(ct_tensor *x)
{
    return all(call_wrong(x));
}

static ct_tensor *between(ct_tensor *x)
{
    return all(ct_mul(ct_sin(call_wrong(ct_exp(ct_mul(x, 0.5)))), x));
}

static ct_tensor *beside_a_right_one(ct_tensor *x)
{
    return all(ct_mul(call_right(call_wrong(call_right(x))), call_right(ct_tanh(x))));
}

static void body(void *user, ct_tensor *i, ct_tensor **carry)
{
    (void)user, (void)i;
    carry[0] = ct_mul(call_wrong(ct_cos(call_right(carry[0]))), 0.9);
}

static ct_tensor *looping(ct_tensor *x)
{
    ct_tensor *carry[] = {x};
    ct_for(body, NULL, ct_scalar(ct_context_of(x), CT_I64, 2), 1, carry);
    return all(ct_sin(carry[0]));
}

/* A rule in front of a call. */
static ct_tensor *square(ct_tensor *x)
{
    return ct_mul(x, x);
}

static void square_back(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_mul(BAR, ct_mul(X, 3.0));
}

static ct_tensor *plant_square(ct_tensor *x)
{
    line = __LINE__ + 1;
    return ct_custom_vjp_of(square, square_back, x);
}

static ct_tensor *rule_before(ct_tensor *x)
{
    return all(call_right(plant_square(ct_sin(x))));
}

/* And behind it, where what follows runs in numbers of MPFR. */
static ct_tensor *rule_behind(ct_tensor *x)
{
    return all(ct_sin(plant_square(call_right(x))));
}

static ct_tensor *rule_alone(ct_tensor *x)
{
    return all(ct_exp(plant_square(ct_sin(x))));
}

/* ---- Checks. */

static const double one = 1;
#define AS_USER ((void *)(uintptr_t)&one)

static ct_context *context_with(ct_custom_function *run, ct_custom_derivative *jvp,
                                ct_custom_derivative *vjp)
{
    ct_context *ctx = ct_context_new();
    ct_register_custom_call(ctx, "right", run, NULL);
    ct_register_custom_call(ctx, "wrong", run, NULL);
    ct_register_custom_derivative(ctx, "right", derive, derive, AS_USER);
    ct_register_custom_derivative(ctx, "wrong", jvp, vjp, AS_USER);
    return ctx;
}

static void check(ct_tensor *(*program)(ct_tensor *), ct_tensor *x, const char *operation,
                  const char *function, bool in_f64)
{
    const ct_gradcheck_options options = {.size = sizeof options, .in_f64 = in_f64};
    ct_gradcheck_report *report = ct_gradcheck(ct_trace(ct_context_of(x), program, CT_LIKE(x)),
                                               CT_ARGV(x), &options);

    CHECK_OK(ct_context_of(x));
    check_blamed(report, operation, function, (ct_place){__FILE__, line, 0});
}

static void check_calls(ct_custom_function *run, ct_dtype dtype, ct_custom_derivative *jvp,
                        ct_custom_derivative *vjp)
{
    ct_context *ctx = context_with(run, jvp, vjp);
    ct_tensor *x = ct_cast(given(ctx, CT_F64, CT_SHAPE(COUNT), {0.75, -0.5, 1.25}), dtype);

    check(alone, x, "custom_call", "wrong", false);
    check(between, x, "custom_call", "wrong", false);
    check(beside_a_right_one, x, "custom_call", "wrong", false);
    check(looping, x, "custom_call", "wrong", false);
    check(rule_before, x, "custom_rule", "square", false);
    check(rule_behind, x, "custom_rule", "square", false);
    ct_context_free(ctx);
}

TEST(calls_whose_reverse_rule_is_wrong)
{
    check_calls(run_wide, CT_F64, NULL, derive_wrong_sign);
    check_calls(run_wide, CT_F64, derive, derive_wrong_sign);
}

TEST(calls_whose_forward_rule_is_wrong)
{
    check_calls(run_wide, CT_F64, derive_wrong_sign, NULL);
    check_calls(run_wide, CT_F64, derive_wrong_sign, derive);
}

/* Values of f32 lead to a call and from it: no cut is between. */
TEST(calls_of_f32)
{
    check_calls(run_narrow, CT_F32, NULL, derive_wrong_sign);
}

static ct_tensor *honest(ct_tensor *x)
{
    return all(ct_sin(call_right(x)));
}

/* Steps that f32 swallows are not taken for a slope of 0. */
TEST(right_calls_of_f32)
{
    ct_context *ctx = context_with(run_narrow, NULL, derive_wrong_sign);
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(COUNT), {0.75, -0.5, 1.25});
    ct_gradcheck_report *report = ct_gradcheck(ct_trace(ctx, honest, CT_LIKE(x)), CT_ARGV(x), NULL);

    CHECK_OK(ctx);
    CHECK_MSG(ct_gradcheck_passed(report), "%s", ct_gradcheck_text(report));
    ct_context_free(ctx);
}

TEST(rules_where_f64_is_asked_for)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(COUNT), {0.75, -0.5, 1.25});

    check(rule_alone, x, "custom_rule", "square", true);
    ct_context_free(ctx);
}

/* ---- A forward rule that is wrong below a reverse rule that is right. */

static void square_forward(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = square(X);
    r[1] = ct_mul(ct_mul(p.item[1], X), 3.0);
}

static void square_reverse(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_mul(BAR, ct_mul(X, 2.0));
}

static ct_function *both_rules; /* of square */

static ct_tensor *with_both(ct_tensor *x)
{
    ct_tensor *argument = ct_sin(x), *y;
    ct_apply(both_rules, CT_ARGV(argument), &y, 1);
    return all(ct_exp(y));
}

TEST(forward_rules_beside_right_reverse_ones)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(COUNT), {0.75, -0.5, 1.25});
    ct_function *f = ct_trace(ctx, square, CT_LIKE(x));
    ct_function *jvp = ct_trace_many(ctx, square_forward, NULL, 2, CT_LIKE(x, x));
    ct_function *vjp = ct_trace_many(ctx, square_reverse, NULL, 1, CT_LIKE(x, x, x));

    line = __LINE__ + 1;
    both_rules = ct_custom_vjp(ct_custom_jvp(f, jvp), NULL, vjp);
    check(with_both, x, "custom_rule", "square", true);
    check(with_both, x, "custom_rule", "square", false);
    ct_context_free(ctx);
}

/* ---- By design. */

static ct_tensor *stopped(ct_tensor *x)
{
    line = __LINE__ + 1;
    return all(ct_mul(x, ct_stop_gradient(ct_exp(x))));
}

TEST(stop_gradient_is_by_design)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {0.75, -0.5});
    ct_gradcheck_report *report = ct_gradcheck(ct_trace(ctx, stopped, CT_LIKE(x)), CT_ARGV(x),
                                               NULL);

    check_blamed(report, "stop_gradient", NULL, (ct_place){__FILE__, line, 0});
    CHECK(strstr(wrong_finding(report)->note, "the program asks for it") != NULL);
    CHECK(!ct_gradcheck_passed(report));
    ct_context_free(ctx);
}
