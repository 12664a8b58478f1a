/* Derivatives through loops whose count is known only at run time, and through choices among many:
 * forward, reverse and differences agree, in two orders, also nested in each other. */
#include "tests/derivatives.h"

#include <cotangent/cotangent.h>
#include <cotangent/op_stack.h>

#include <string.h>

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

/* ---- while: x' = sin(x) k, n' = n + 1, while n < limit. */

typedef struct growth {
    ct_tensor *k, *limit;
} growth;

static ct_tensor *below(void *user, ct_tensor *const *carry)
{
    growth *g = user;
    return ct_lt(carry[0], g->limit);
}

static void grow(void *user, ct_tensor **carry)
{
    growth *g = user;
    carry[0] = ct_add(carry[0], 1);
    carry[1] = ct_mul(ct_sin(carry[1]), g->k);
}

/* x: start [n], k []; user: how often. The count is a value of the program. */
static ct_tensor *growing(const void *user, ct_tensor *const *x)
{
    ct_context *ctx = ct_context_of(x[0]);
    const int *times = user;
    ct_tensor *zero = ct_cast(ct_mul(total(x[0]), 0), CT_I32);
    growth g = {x[1], ct_add(zero, *times)};
    ct_tensor *carry[] = {ct_scalar(ctx, CT_I32, 0), x[0]};
    ct_while(below, grow, &g, 2, carry);
    return carry[1];
}

TEST(while_with_a_capture)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *start = given(ctx, CT_F64, CT_SHAPE(2), {0.3, -0.8}),
              *k = ct_scalar(ctx, CT_F64, 1.7);
    for (int times = 0; times < 4; times++)
        CHECK_SMOOTH(ctx, growing, &times, 2, start, k);
    ct_context_free(ctx);
}

/* ---- The values decide: Newton's iteration for the root of c, until it is close. */

static ct_tensor *is_far(void *user, ct_tensor *const *carry)
{
    ct_tensor *c = user;
    return ct_gt(ct_abs(ct_sub(ct_square(carry[0]), c)), 1e-3);
}

static void improve(void *user, ct_tensor **carry)
{
    ct_tensor *c = user;
    carry[0] = ct_mul(ct_add(carry[0], ct_div(c, carry[0])), 0.5);
}

static ct_tensor *root(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *carry[] = {x[1]};
    ct_while(is_far, improve, x[0], 1, carry);
    return carry[0];
}

TEST(while_until_close)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, root, NULL, 2, ct_scalar(ctx, CT_F64, 2), ct_scalar(ctx, CT_F64, 5));
    CHECK_SMOOTH(ctx, root, NULL, 1, ct_scalar(ctx, CT_F64, 4), ct_scalar(ctx, CT_F64, 9));
    ct_context_free(ctx);
}

/* ---- Nested: a while in a scan, a scan in a while, a while in a while. */

static void row_of_whiles(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *inner[] = {ct_zeros(ct_context_of(x[0]), CT_I32, CT_SHAPE()), x[0]};
    growth *g = user;
    ct_while(below, grow, g, 2, inner);
    carry[0] = ct_add(carry[0], inner[1]);
    y[0] = ct_mul(inner[1], carry[0]);
}

static ct_tensor *whiles_in_a_scan(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *zero = ct_cast(ct_mul(total(x[0]), 0), CT_I32), *ys, *sum = x[1];
    growth g = {x[1], ct_add(zero, 3)};
    ct_scan(row_of_whiles, &g, .length = ct_dim(x[0], 0), .n_carry = 1, .carry = &sum,
            .xs = CT_ARGV(x[0]), .n_ys = 1, .ys = &ys);
    return ct_concatenate(CT_ARGV(ys, ct_expand_dims(sum, CT_AXES(0))), 0);
}

TEST(while_in_a_scan)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *xs = given(ctx, CT_F64, CT_SHAPE(3), {0.5, -0.25, 1.125});
    CHECK_SMOOTH(ctx, whiles_in_a_scan, NULL, 2, xs, ct_scalar(ctx, CT_F64, 1.3));
    ct_context_free(ctx);
}

static void times_k(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    growth *g = user;
    (void)x;
    (void)y;
    carry[0] = ct_mul(ct_sin(carry[0]), g->k);
}

static void grow_by_scan(void *user, ct_tensor **carry)
{
    carry[0] = ct_add(carry[0], 1);
    ct_scan(times_k, user, .length = 2, .n_carry = 1, .carry = &carry[1]);
}

static void grow_by_while(void *user, ct_tensor **carry)
{
    growth *g = user;
    ct_tensor *inner[] = {ct_mul(g->limit, 0), carry[1]};
    ct_while(below, grow, g, 2, inner);
    carry[0] = ct_add(carry[0], 1);
    carry[1] = inner[1];
}

static ct_tensor *nested(const void *user, ct_tensor *const *x)
{
    ct_tensor *zero = ct_cast(ct_mul(total(x[0]), 0), CT_I32);
    growth g = {x[1], ct_add(zero, 2)};
    ct_tensor *carry[] = {zero, x[0]};
    ct_while(below, user ? grow_by_while : grow_by_scan, &g, 2, carry);
    return carry[1];
}

TEST(loops_in_a_while)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *start = given(ctx, CT_F64, CT_SHAPE(2), {0.3, -0.8}),
              *k = ct_scalar(ctx, CT_F64, 1.7);
    CHECK_SMOOTH(ctx, nested, NULL, 2, start, k);
    CHECK_SMOOTH(ctx, nested, "while", 2, start, k);
    ct_context_free(ctx);
}

/* ---- for: x' = sin(x k) + i/4, with the count behind a tensor. */

static void step(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *k = user;
    carry[0] = ct_add(ct_sin(ct_mul(carry[0], k)), ct_mul(ct_cast(i, CT_F64), 0.25));
}

static ct_tensor *counting(const void *user, ct_tensor *const *x)
{
    const int *times = user;
    ct_tensor *count = ct_add(ct_cast(ct_mul(total(x[0]), 0), CT_I32), *times), *carry = x[0];
    ct_for(step, x[1], count, 1, &carry);
    return carry;
}

TEST(for_with_an_index)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {0.3, -0.8}), *k = ct_scalar(ctx, CT_F64, 1.7);
    for (int times = -1; times < 4; times++)
        CHECK_SMOOTH(ctx, counting, &times, 2, x, k);
    ct_context_free(ctx);
}

static void nested_step(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_for(step, user, i, 1, carry);
    carry[0] = ct_mul(carry[0], carry[0]);
}

static ct_tensor *for_in_for(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *count = ct_add(ct_cast(ct_mul(total(x[0]), 0), CT_I64), 3), *carry = x[0];
    ct_for(nested_step, x[1], count, 1, &carry);
    return carry;
}

TEST(for_of_the_outer_index)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, for_in_for, NULL, 2, ct_scalar(ctx, CT_F64, 0.3),
                 ct_scalar(ctx, CT_F64, 1.7));
    ct_context_free(ctx);
}

/* ---- case: each branch with residuals and captures of its own; outside, the last one. */

static ct_tensor *sine_of_a(void *user)
{
    ct_tensor **x = user;
    return ct_sin(ct_mul(x[0], x[0]));
}

static ct_tensor *product(void *user)
{
    ct_tensor **x = user;
    return ct_mul(ct_exp(x[0]), x[1]);
}

static ct_tensor *neither(void *user)
{
    ct_tensor **x = user;
    return ct_zeros(ct_context_of(x[0]), CT_F64, CT_SHAPE());
}

static ct_tensor *choosing(const void *user, ct_tensor *const *x)
{
    static ct_branch *const branch[] = {sine_of_a, neither, product};
    const int *number = user;
    ct_tensor *index = ct_add(ct_cast(ct_mul(x[0], 0), CT_I64), *number);
    return ct_case(index, 3, branch, (ct_tensor *[]){x[0], x[1]});
}

TEST(case_of_three)
{
    ct_context *ctx = ct_context_new();
    for (int number = -1; number < 5; number++)
        CHECK_SMOOTH(ctx, choosing, &number, 2, ct_scalar(ctx, CT_F64, 0.7),
                     ct_scalar(ctx, CT_F64, 1.7));
    ct_context_free(ctx);
}

/* ---- Stacks by hand: what is added comes back, in any order, with part by part indices. */

static void push(void *user, ct_tensor *i, ct_tensor **carry)
{
    carry[0] = ct_op_stack_add(carry[0], i, ct_mul(user, ct_cast(i, CT_F64)));
}

static void pull(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *back = ct_sub(3, i);
    carry[0] = ct_add(ct_mul(carry[0], 2), ct_square(ct_op_stack_get(user, back)));
}

static ct_tensor *through_a_stack(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *four = ct_add(ct_cast(ct_mul(total(x[0]), 0), CT_I64), 4), *y = x[1];
    ct_tensor *stack = ct_op_stack_new(x[0]);
    ct_for(push, x[0], four, 1, &stack);
    stack = ct_op_stack_sum(stack, ct_op_stack_add(ct_op_stack_new(x[0]), four, x[1]));
    ct_for(pull, stack, four, 1, &y);
    ct_tensor *each = ct_from_data(ct_context_of(y), CT_I64, CT_SHAPE(2), (const int64_t[]){4, 1});
    return ct_add(y, ct_square(ct_op_stack_get(stack, each)));
}

TEST(a_stack_by_hand)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, through_a_stack, NULL, 2, given(ctx, CT_F64, CT_SHAPE(2), {0.3, -0.5}),
                 given(ctx, CT_F64, CT_SHAPE(2), {1.25, 2}));
    ct_context_free(ctx);
}

/* ---- What is not linear is told. */

static ct_tensor *is_small(void *user, ct_tensor *const *carry)
{
    return ct_lt(ct_abs(carry[0]), user);
}

static void twice(void *user, ct_tensor **carry)
{
    (void)user;
    carry[0] = ct_mul(carry[0], 2);
}

static ct_tensor *until_large(ct_tensor *x)
{
    ct_tensor *limit = ct_scalar(ct_context_of(x), CT_F64, 100);
    ct_while(is_small, twice, limit, 1, &x);
    return x;
}

TEST(transposing_a_while_that_looks_at_what_is_linear)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, until_large, CT_LIKE(ct_scalar(ctx, CT_F64, 1)));
    ct_transpose_linear(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "abs: it is not linear in the values that are to be transposed");
    ct_context_free(ctx);
}

/* ---- The halves of a linearised loop share stacks, which live inside of a run. */

static ct_tensor *grown(ct_tensor *start, ct_tensor *k)
{
    static const int times = 3;
    return growing(&times, (ct_tensor *[]){start, k});
}

static void both_halves(void *user, ct_list p, ct_tensor **result)
{
    const ct_linearized *l = user;
    ct_tensor *forward[8] = {NULL}, *tangent;
    const size_t n = l->n_residuals;
    CHECK(n < 7);
    ct_apply(l->primal, CT_ARGV(p.item[0], p.item[1]), forward, 1 + n);
    result[0] = forward[0];
    forward[1 + n] = p.item[2];
    ct_apply(l->tangent, (ct_list){n + 1, forward + 1}, &tangent, 1);
    result[1] = tangent;
}

TEST(linearized_loops)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *start = given(ctx, CT_F64, CT_SHAPE(2), {0.3, -0.8}),
              *k = ct_scalar(ctx, CT_F64, 1.7), *dx = given(ctx, CT_F64, CT_SHAPE(2), {2, -1});
    ct_tensor *want[2], *got[2];
    ct_function *f = ct_trace(ctx, grown, CT_LIKE(start, k));
    ct_linearized l = ct_linearize(f, CT_ARGS(0));
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(start, k, dx), want, 2);
    ct_function *both = ct_trace_many(ctx, both_halves, &l, 2, CT_LIKE(start, k, dx));
    ct_apply(both, CT_ARGV(start, k, dx), got, 2);
    CHECK_OK(ctx);
    CHECK(ct_equal(want[0], got[0]) && ct_equal(want[1], got[1]));
    ct_compile(l.primal, NULL);
    CHECK(strstr(ct_error_message(ctx), "test_derivatives_loops.c:")); /* where the loop is */
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED,
                "cannot be a result of a run: stacks live inside of one; "
                "trace a function that calls both");
    ct_context_free(ctx);
}
