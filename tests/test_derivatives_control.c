/* Derivatives through call, if and scan: forward, reverse and differences agree, in two orders,
 * also where regions are nested, capture values, carry integers, run backwards or not at all. */
#include "tests/derivatives.h"

#include <cotangent/cotangent.h>

/* ---- Programs: x[0] and x[1] are f64 vectors or scalars, as each says. */

typedef struct pair {
    ct_tensor *a, *b;
} pair;

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

/* c' = tanh(c k) + x, y = c x: carry, x and a captured k, all differentiated. */
static void recurrence(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *k = user;
    if (y)
        y[0] = ct_mul(carry[0], x[0]);
    carry[0] = ct_add(ct_tanh(ct_mul(carry[0], k)), x[0]);
}

static ct_tensor *run_recurrence(ct_tensor *start, ct_tensor *xs, ct_tensor *k, bool reverse)
{
    ct_tensor *carry = start, *ys;
    ct_scan(recurrence, k, .length = ct_dim(xs, 0), .n_carry = 1, .carry = &carry,
            .xs = CT_ARGV(xs), .n_ys = 1, .ys = &ys, .reverse = reverse);
    return ct_concatenate(CT_ARGV(ys, ct_expand_dims(carry, CT_AXES(0))), 0);
}

/* x: start [], xs [n], k []. */
static ct_tensor *loop(const void *reverse, ct_tensor *const *x)
{
    return run_recurrence(x[0], x[1], x[2], reverse != NULL);
}

TEST(scan_with_carry_rows_and_capture)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *start = ct_scalar(ctx, CT_F64, 0.3), *k = ct_scalar(ctx, CT_F64, 0.7);
    ct_tensor *xs = given(ctx, CT_F64, CT_SHAPE(3), {0.5, -0.25, 0.125});
    CHECK_SMOOTH(ctx, loop, NULL, 2, start, xs, k);
    CHECK_SMOOTH(ctx, loop, "reverse", 2, start, xs, k);
    ct_context_free(ctx);
}

/* A loop of no iterations is the identity on its carry. */
TEST(scan_of_length_zero)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *start = ct_scalar(ctx, CT_F64, 0.3), *k = ct_scalar(ctx, CT_F64, 0.7);
    ct_tensor *xs = ct_zeros(ctx, CT_F64, CT_SHAPE(0));
    CHECK_SMOOTH(ctx, loop, NULL, 2, start, xs, k);
    ct_context_free(ctx);
}

/* The tangent of the second carry comes to life in the first iteration only: b' = b + a x. */
static void delayed(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    (void)y;
    carry[2] = ct_add(carry[2], ct_mul(carry[1], 0.5));
    carry[1] = ct_add(carry[1], ct_mul(ct_sin(carry[0]), x[0]));
}

static ct_tensor *delayed_loop(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_context *ctx = ct_context_of(x[0]);
    ct_tensor *carry[] = {x[0], ct_scalar(ctx, CT_F64, 0), ct_scalar(ctx, CT_F64, 1)};
    ct_tensor *xs = given(ctx, CT_F64, CT_SHAPE(4), {1, 2, -1, 0.5});
    ct_scan(delayed, NULL, .length = 4, .n_carry = 3, .carry = carry, .xs = CT_ARGV(xs));
    return carry[2];
}

TEST(scan_whose_carries_become_live_late)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, delayed_loop, NULL, 2, ct_scalar(ctx, CT_F64, 0.4));
    ct_context_free(ctx);
}

/* An integer counter indexes a captured vector: w[i] c, i' = i + 1. */
static void counted(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *w = ct_take(user, carry[0], 0, CT_CLAMP);
    (void)x;
    (void)y;
    carry[0] = ct_add(carry[0], 1);
    carry[1] = ct_sin(ct_mul(carry[1], w));
}

/* x: c [], w [3]; five iterations, so the last ones read a clamped place. */
static ct_tensor *counted_loop(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *carry[] = {ct_scalar(ct_context_of(x[0]), CT_I32, 0), x[0]};
    ct_scan(counted, x[1], .length = 5, .n_carry = 2, .carry = carry);
    return carry[1];
}

TEST(scan_with_an_integer_carry)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *w = given(ctx, CT_F64, CT_SHAPE(3), {1.5, -0.75, 2});
    CHECK_SMOOTH(ctx, counted_loop, NULL, 2, ct_scalar(ctx, CT_F64, 0.4), w);
    ct_context_free(ctx);
}

/* ---- if. */

static ct_tensor *square_of_a(void *user)
{
    pair *p = user;
    return ct_mul(p->a, p->a);
}

static ct_tensor *sine_of_both(void *user)
{
    pair *p = user;
    return ct_mul(ct_sin(p->a), p->b);
}

/* x: a, b []. The branches use different values; b is unused in the first. */
static ct_tensor *choice(const void *user, ct_tensor *const *x)
{
    (void)user;
    pair p = {x[0], x[1]};
    return ct_if(ct_gt(x[0], 1), square_of_a, sine_of_both, &p);
}

TEST(if_with_different_captures)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *b = ct_scalar(ctx, CT_F64, 0.5);
    CHECK_SMOOTH(ctx, choice, NULL, 2, ct_scalar(ctx, CT_F64, 2), b);
    CHECK_SMOOTH(ctx, choice, NULL, 2, ct_scalar(ctx, CT_F64, -0.5), b);
    ct_context_free(ctx);
}

static ct_tensor *logarithm(void *user)
{
    return ct_log(user);
}

static ct_tensor *nothing(void *user)
{
    return ct_mul(ct_stop_gradient(user), 0);
}

static ct_tensor *guarded_log(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_if(ct_gt(x[0], 0), logarithm, nothing, x[0]);
}

/* The branch that is not taken has an infinite slope there; the one that is taken has none. */
TEST(a_branch_not_taken_gives_zero)
{
    ct_context *ctx = ct_context_new();
    CHECK_MATRIX(ctx, guarded_log, NULL, CT_ARGV(ct_scalar(ctx, CT_F64, 0)), {0});
    CHECK_MATRIX(ctx, guarded_log, NULL, CT_ARGV(ct_scalar(ctx, CT_F64, 4)), {0.25});
    ct_context_free(ctx);
}

/* ---- Nested: a scan in an if in a scan; a call in each. */

static ct_tensor *callee(ct_tensor *c, ct_tensor *k)
{
    return ct_sin(ct_mul(c, ct_add(k, 1)));
}

static ct_tensor *inner_loop(void *user)
{
    pair *p = user;
    ct_tensor *ys = run_recurrence(p->a, ct_stack(CT_ARGV(p->b, p->a), 0), p->b, true);
    return total(ys);
}

static ct_tensor *inner_call(void *user)
{
    pair *p = user;
    ct_function *f = ct_trace(ct_context_of(p->a), callee, CT_LIKE(p->a, p->b));
    return ct_apply1(f, CT_ARGV(ct_apply1(f, CT_ARGV(p->a, p->b)), p->b));
}

static void outer_body(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)y;
    pair p = {ct_mul(carry[0], x[0]), user};
    carry[0] = ct_if(ct_lt(x[0], 0), inner_loop, inner_call, &p);
}

/* x: start [], xs [n], k []. */
static ct_tensor *nest(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *carry = x[0];
    ct_scan(outer_body, x[2], .length = ct_dim(x[1], 0), .n_carry = 1, .carry = &carry,
            .xs = CT_ARGV(x[1]));
    return carry;
}

TEST(scan_in_if_in_scan)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *start = ct_scalar(ctx, CT_F64, 0.6), *k = ct_scalar(ctx, CT_F64, 0.4);
    ct_tensor *xs = given(ctx, CT_F64, CT_SHAPE(3), {0.5, -0.7, 0.9});
    CHECK_SMOOTH(ctx, nest, NULL, 2, start, xs, k);
    ct_context_free(ctx);
}

/* ---- Loops against the same written out. */

static ct_tensor *unrolled(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *carry = x[0], *row[4];
    for (int64_t i = 0; i < 3; i++) {
        ct_tensor *xi = ct_squeeze(ct_slice(x[1], CT_SHAPE(i), CT_SHAPE(i + 1), CT_SHAPE(1)),
                                   CT_ALL_AXES);
        row[i] = ct_mul(carry, xi);
        carry = ct_add(ct_tanh(ct_mul(carry, x[2])), xi);
    }
    row[3] = carry;
    return ct_stack(CT_ARGV(row[0], row[1], row[2], row[3]), 0);
}

/* Third derivatives, by reverse over reverse over reverse of Σ y³. */
static ct_tensor *third(ct_context *ctx, derivatives_program *program, ct_list arguments)
{
    ct_function *f = derivatives_record(ctx, program, NULL, arguments);
    ct_tensor *const *x = arguments.item;
    ct_tensor *ybar = given(ctx, CT_F64, CT_SHAPE(4), {1, -2, 0.5, 3});
    ct_tensor *vbar = ct_scalar(ctx, CT_F64, 2), *wbar = ct_scalar(ctx, CT_F64, -1);
    f = ct_vjp(ct_vjp(ct_vjp(f, CT_ARGS(0)), CT_ARGS(2)), CT_ARGS(0));
    return ct_apply1(f, CT_ARGV(x[0], x[1], x[2], ybar, vbar, wbar));
}

TEST(third_order_equals_that_of_the_unrolled_loop)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *start = ct_scalar(ctx, CT_F64, 0.3), *k = ct_scalar(ctx, CT_F64, 0.7);
    ct_tensor *xs = given(ctx, CT_F64, CT_SHAPE(3), {0.5, -0.25, 0.125});
    double loops = ct_item(third(ctx, loop, CT_ARGV(start, xs, k)));
    double written_out = ct_item(third(ctx, unrolled, CT_ARGV(start, xs, k)));
    CHECK_OK(ctx);
    double difference = loops > written_out ? loops - written_out : written_out - loops;
    CHECK_MSG(written_out != 0 &&
                  difference <= 1e-13 * (written_out < 0 ? -written_out : written_out),
              "%.17g and %.17g", loops, written_out);
    ct_context_free(ctx);
}

/* ---- Barriers. */

static ct_tensor *fenced(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *result[2];
    ct_op_optimization_barrier(CT_ARGV(ct_sin(x[0]), x[1]), result);
    return ct_mul(result[0], result[1]);
}

TEST(optimization_barrier)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, fenced, NULL, 2, ct_scalar(ctx, CT_F64, 0.3), ct_scalar(ctx, CT_F64, 2));
    ct_context_free(ctx);
}
