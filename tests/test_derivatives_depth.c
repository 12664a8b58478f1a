/* Deeply nested calls, branches and loops: work grows with the program, not with 2^depth, and
 * nesting that no stack could follow is an error. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>

/* ---- Calls: g(x) = sin(f(x)), a level each. */

static ct_tensor *level(void *f, ct_tensor *x)
{
    return ct_sin(ct_apply1(f, CT_ARGV(x)));
}

static ct_tensor *bottom(ct_tensor *x)
{
    return ct_mul(x, 1.5);
}

static ct_function *tower(ct_context *ctx, int levels)
{
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
    ct_function *f = ct_trace(ctx, bottom, CT_LIKE(x));
    for (int i = 0; i < levels; i++)
        f = ct_trace_user(ctx, level, f, CT_LIKE(x));
    return f;
}

TEST(calls)
{
    ct_context *ctx = ct_context_new();
    double x = 0.7, y = 1.5 * x, slope = 1.5;
    for (int i = 0; i < 300; i++) {
        slope *= cos(y);
        y = sin(y);
    }
    ct_function *g = ct_grad(tower(ctx, 300), CT_ARGS(0));
    CHECK_OK(ctx);
    CHECK_CLOSE(ct_apply1(g, CT_ARGV(ct_scalar(ctx, CT_F64, x))), CT_SHAPE(), 1e-12, {slope});
    ct_context_free(ctx);
}

/* ---- f(x) = g(g(x)), a level each: 2^levels calls in all. */

static ct_tensor *doubled(void *g, ct_tensor *x)
{
    return ct_apply1(g, CT_ARGV(ct_apply1(g, CT_ARGV(x))));
}

static ct_function *doublings(ct_context *ctx, int levels)
{
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
    ct_function *f = ct_trace(ctx, bottom, CT_LIKE(x));
    for (int i = 0; i < levels; i++)
        f = ct_trace_user(ctx, doubled, f, CT_LIKE(x));
    return f;
}

static void doubling_step(void *f, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)x;
    (void)y;
    carry[0] = ct_apply1(f, CT_ARGV(carry[0]));
}

static ct_tensor *doubling_loop(void *f, ct_tensor *x)
{
    ct_scan(doubling_step, f, .length = 9, .n_carry = 1, .carry = &x);
    return x;
}

TEST(functions_that_call_another_one_twice)
{
    ct_context *ctx = ct_context_new();
    const ct_reverse_options limited = {
        .size = sizeof limited, .strategy = CT_REVERSE_LIMIT, .bytes = INT64_MAX};
    ct_function *f = doublings(ctx, 50);
    ct_function *loop = ct_trace_user(ctx, doubling_loop, f,
                                      CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE())));
    ct_jvp(f, CT_ARGS(0));
    ct_vmap_leading(f, 3);
    ct_reverse_loops(loop, &limited);
    ct_transpose_linear(f, CT_ARGS(0));
    CHECK_OK(ctx);
    ct_function *back = ct_transpose_linear(doublings(ctx, 3), CT_ARGS(0));
    CHECK_VALUES(ct_apply1(back, CT_ARGV(ct_scalar(ctx, CT_F64, 1))), CT_SHAPE(), {0x1.9a1p+4});
    ct_context_free(ctx);
}

TEST(nesting_has_a_limit)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = tower(ctx, 900);
    CHECK_OK(ctx);
    ct_tensor *x = ct_scalar(ctx, CT_F64, 0.5), *y[2];
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, x), y, 2);
    CHECK(ct_function_text(f, CT_TEXT_SUMMARY)[0] != '\0');
    CHECK_OK(ctx);
    tower(ctx, 1200);
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED,
                "call: calls, branches and loops nest more than 1000 deep");
    ct_context_free(ctx);
}

/* ---- Loops in loops: each starts its carry at a constant and uses x from outside. */

typedef struct nest {
    int depth;
    ct_tensor *x;
} nest;

static ct_tensor *nested_loop(int depth, ct_tensor *x);

static void nested_body(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    nest *n = user;
    (void)x;
    (void)y;
    ct_tensor *inner = n->depth > 1 ? nested_loop(n->depth - 1, n->x) : ct_sin(n->x);
    carry[0] = ct_add(ct_mul(carry[0], 0.5), inner);
}

static ct_tensor *nested_loop(int depth, ct_tensor *x)
{
    nest n = {depth, x};
    ct_tensor *carry = ct_scalar(ct_context_of(x), CT_F64, 0);
    ct_scan(nested_body, &n, .length = 1, .n_carry = 1, .carry = &carry);
    return carry;
}

static ct_tensor *loops(ct_tensor *x)
{
    return nested_loop(20, x);
}

TEST(loops_in_loops)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 0.7);
    ct_function *f = ct_trace(ctx, loops, CT_LIKE(x)), *g = ct_grad(f, CT_ARGS(0));
    CHECK_OK(ctx);
    CHECK_CLOSE(ct_apply1(g, CT_ARGV(x)), CT_SHAPE(), 1e-14, {cos(0.7)});
    ct_function *back = ct_transpose_linear(ct_linearize(f, CT_ARGS(0)).tangent, CT_ARGS(1));
    CHECK_OK(ctx);
    CHECK_VALUES(ct_apply1(back, CT_ARGV(ct_scalar(ctx, CT_F64, 2), x)), CT_SHAPE(), {1.4});
    ct_context_free(ctx);
}

/* ---- A chain of else-ifs. */

static ct_tensor *one(void *user)
{
    return ct_scalar(ct_context_of(((nest *)user)->x), CT_F64, 1);
}

static ct_tensor *rest(void *user)
{
    nest *n = user;
    if (n->depth == 0)
        return ct_square(n->x);
    nest inner = {n->depth - 1, n->x};
    return ct_if(ct_gt(n->x, n->depth), one, rest, &inner);
}

static ct_tensor *chain(ct_tensor *x)
{
    nest n = {30, x};
    return rest(&n);
}

TEST(else_ifs)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 0.7);
    ct_function *g = ct_grad(ct_trace(ctx, chain, CT_LIKE(x)), CT_ARGS(0));
    CHECK_OK(ctx);
    CHECK_CLOSE(ct_apply1(g, CT_ARGV(x)), CT_SHAPE(), 1e-14, {1.4});
    CHECK_VALUES(ct_apply1(g, CT_ARGV(ct_scalar(ctx, CT_F64, 12.5))), CT_SHAPE(), {0});
    ct_context_free(ctx);
}
