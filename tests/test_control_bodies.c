/* What bodies may do with what they are given: shift, replace, release. Called at once and recorded
 * they give the same, and nothing is read after it is gone (run under the address sanitizer). */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <stddef.h>
#include <string.h>

/* ---- The carry. */

/* c0 <- c1 <- c0 + c1, through the slots of the carry. */
static void shift_later(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)x, (void)y;
    ct_tensor *s = ct_add(c[0], c[1]);
    c[1] = c[0];
    c[0] = s;
}

static void rotate(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)x;
    ct_tensor *first = c[0];
    c[0] = c[1];
    c[1] = c[2];
    c[2] = first;
    y[0] = c[1];
}

static void rotate_back(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)x;
    ct_tensor *last = c[2];
    c[2] = c[1];
    c[1] = c[0];
    c[0] = last;
    y[0] = c[1];
}

static void all_the_same(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)x;
    c[0] = c[1] = c[2];
    y[0] = c[0];
}

static void replaces(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    ct_scope scope = ct_scope_begin(ct_context_of(c[0]));
    y[0] = c[0]; /* still there after it is replaced */
    ct_replace(&c[0], ct_add(c[0], ct_mul(c[1], x[0])));
    ct_replace(&c[1], c[2]);
    ct_scope_end(scope);
}

static void releases(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    ct_tensor *sum = ct_add(c[0], x[0]);
    ct_release(c[0]);
    c[0] = sum;
    ct_release(c[1]); /* and stays the carry */
    ct_release(x[0]);
    y[0] = x[0];
}

static void keeps(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    c[0] = ct_keep(ct_add(c[0], x[0]));
    c[1] = ct_retain(c[1]);
    y[0] = ct_keep(ct_keep(c[2]));
}

/* [c0, c1, c2, y…] after four iterations. */
static ct_tensor *loop(void *user, ct_tensor *a, ct_tensor *b, ct_tensor *c, ct_tensor *x)
{
    ct_tensor *carry[] = {a, b, c}, *y;
    ct_scan(*(ct_scan_body **)user, NULL, .length = 4, .n_carry = 3, .carry = carry,
            .xs = CT_ARGV(x), .n_ys = 1, .ys = &y);
    return ct_concatenate(CT_ARGV(ct_stack(CT_LIST(3, carry), 0), y), 0);
}

static void check_loop(ct_scan_body *body, const double *expected)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_scalar(ctx, CT_F64, 1), *b = ct_scalar(ctx, CT_F64, 20);
    ct_tensor *c = ct_scalar(ctx, CT_F64, 300), *x = given(ctx, CT_F64, CT_SHAPE(4), {2, 3, 5, 7});
    ct_tensor *want = ct_from_doubles(ctx, CT_F64, CT_SHAPE(7), expected);
    for (int direct = 0; direct < 2; direct++) {
        ct_scope scope = ct_scope_begin(ctx);
        if (direct)
            CHECK_EQUAL(loop(&body, a, b, c, x), want);
        else
            CHECK_EQUAL(ct_apply1(ct_trace_user(ctx, loop, &body, CT_LIKE(a, b, c, x)),
                                  CT_ARGV(a, b, c, x)),
                        want);
        ct_scope_end(scope);
    }
    CHECK_VALUES(a, CT_SHAPE(), {1});
    CHECK_VALUES(x, CT_SHAPE(4), {2, 3, 5, 7});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
#define CHECK_LOOP(body, ...) check_loop(body, (const double[]){__VA_ARGS__})

TEST(carries_change_places)
{
    CHECK_LOOP(rotate, 20, 300, 1, 300, 1, 20, 300);
    CHECK_LOOP(rotate_back, 300, 1, 20, 1, 300, 20, 1);
    CHECK_LOOP(all_the_same, 300, 300, 300, 300, 300, 300, 300);
}

/* 1 + 20·2 + 300·(3 + 5 + 7) */
TEST(a_body_replaces_its_carry)
{
    CHECK_LOOP(replaces, 4541, 300, 300, 1, 41, 941, 2441);
}

TEST(a_body_releases_its_parameters)
{
    CHECK_LOOP(releases, 18, 20, 300, 2, 3, 5, 7);
    CHECK_LOOP(keeps, 18, 20, 300, 300, 300, 300, 300);
}

TEST(a_carry_shifts_to_a_later_slot)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *carry[] = {ct_scalar(ctx, CT_I64, 1), ct_scalar(ctx, CT_I64, 0)};
    ct_scan(shift_later, NULL, .length = 20, .n_carry = 2, .carry = carry);
    CHECK_VALUES(carry[0], CT_SHAPE(), {10946});
    CHECK_VALUES(carry[1], CT_SHAPE(), {6765});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- What the loop or the choice is made from. */

typedef struct holder {
    ct_tensor *a, *b, *pred;
} holder;

static void lets_go(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    holder *h = user;
    c[0] = ct_add(c[0], x[0]);
    y[0] = c[0];
    ct_release(h->a);
    ct_release(h->b);
    h->a = h->b = NULL;
}

/* The body releases the initial carry and the xs. */
static ct_tensor *from_released(ct_tensor *a, ct_tensor *b)
{
    holder h = {ct_mul(a, 2), ct_mul(b, 2), NULL};
    ct_tensor *carry[] = {h.a}, *y;
    ct_scan(lets_go, &h, .length = 3, .n_carry = 1, .carry = carry, .xs = CT_ARGV(h.b), .n_ys = 1,
            .ys = &y);
    return y;
}

static void exchange(void *user, ct_tensor **result)
{
    holder *h = user;
    result[0] = h->b;
    result[1] = h->a;
    ct_release(h->pred);
    h->pred = NULL;
}

static void same_twice(void *user, ct_tensor **result)
{
    holder *h = user;
    result[0] = result[1] = h->b;
    ct_release(h->pred);
    h->pred = NULL;
}

/* The branches read what the results overwrite, and release the predicate. */
static ct_tensor *in_place(ct_tensor *a, ct_tensor *b)
{
    holder h = {a, b, ct_gt(a, 0)};
    ct_if_many(h.pred, exchange, same_twice, &h, 2, &h.a);
    return ct_stack(CT_ARGV(h.a, h.b), 0);
}

TEST(bodies_release_what_they_are_made_from)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_scalar(ctx, CT_F64, 1), *minus = ct_scalar(ctx, CT_F64, -1);
    ct_tensor *b = given(ctx, CT_F64, CT_SHAPE(3), {2, 3, 5}), *c = ct_scalar(ctx, CT_F64, 4);
    ct_function *f = ct_trace(ctx, from_released, CT_LIKE(a, b));
    ct_function *g = ct_trace(ctx, in_place, CT_LIKE(a, c));
    CHECK_VALUES(from_released(a, b), CT_SHAPE(3), {6, 12, 22});
    CHECK_VALUES(ct_apply1(f, CT_ARGV(a, b)), CT_SHAPE(3), {6, 12, 22});
    CHECK_VALUES(in_place(a, c), CT_SHAPE(2), {4, 1});
    CHECK_VALUES(ct_apply1(g, CT_ARGV(a, c)), CT_SHAPE(2), {4, 1});
    CHECK_VALUES(in_place(minus, c), CT_SHAPE(2), {4, 4});
    CHECK_VALUES(ct_apply1(g, CT_ARGV(minus, c)), CT_SHAPE(2), {4, 4});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Parameters of traced functions too. */
static ct_tensor *releases_its_parameter(ct_tensor *x)
{
    ct_release(x);
    return ct_neg(x);
}

static void releases_all(void *user, ct_list parameters, ct_tensor **result)
{
    (void)user;
    ct_release(parameters.item[1]);
    result[0] = ct_sub(parameters.item[0], parameters.item[1]);
}

TEST(traced_functions_release_their_parameters)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 3), *y = ct_scalar(ctx, CT_F64, 5);
    ct_trace_builder *b = ct_trace_begin(ctx, "by_hand", CT_LIKE(x));
    ct_release(ct_trace_parameter(b, 0));
    ct_function *h = ct_trace_end(b, CT_ARGV(ct_square(ct_trace_parameter(b, 0))));
    CHECK_VALUES(ct_apply1(h, CT_ARGV(x)), CT_SHAPE(), {9});
    CHECK_VALUES(ct_apply1(ct_trace(ctx, releases_its_parameter, CT_LIKE(x)), CT_ARGV(x)),
                 CT_SHAPE(), {-3});
    CHECK_VALUES(ct_apply1(ct_trace_many(ctx, releases_all, NULL, 1, CT_LIKE(x, y)), CT_ARGV(x, y)),
                 CT_SHAPE(), {-2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Errors are the same at once and recorded. */

static void forgets_carry(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)x;
    y[0] = c[0];
    c[1] = NULL;
}

static void forgets_y(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)c, (void)x, (void)y;
}

TEST(results_have_one_name)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_scalar(ctx, CT_F64, 1), *x = ct_ones(ctx, CT_F64, CT_SHAPE(4));
    ct_scan_body *const body[] = {forgets_carry, forgets_y};
    const char *const message[] = {"scan: carry[1] is NULL", "scan: y[0] is NULL"};
    for (int i = 0; i < 2; i++) {
        ct_scan_body *chosen = body[i];
        CHECK(ct_is_poison(loop(&chosen, a, a, a, x)));
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, message[i]);
        ct_trace_user(ctx, loop, &chosen, CT_LIKE(a, a, a, x));
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, message[i]);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Loops without carry and xs have the context that they name. */

static void makes(void *user, ct_tensor **c, ct_tensor *const *x, ct_tensor **y)
{
    (void)c, (void)x;
    y[0] = ct_scalar(user, CT_I32, 7);
}

static ct_tensor *makes_sevens(void *ctx, ct_tensor *x)
{
    ct_tensor *y;
    ct_scan(makes, ctx, .length = 3, .n_ys = 1, .ys = &y, .ctx = ctx);
    return ct_add(x, y);
}

TEST(a_loop_without_carry_and_xs)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I32, CT_SHAPE(3), {1, 2, 3}), *y = NULL;
    ct_scan(makes, ctx, .length = 3, .n_ys = 1, .ys = &y, .ctx = ctx);
    CHECK_VALUES(y, CT_SHAPE(3), {7, 7, 7});
    ct_scan(makes, ctx, .length = 0, .n_ys = 1, .ys = &y, .ctx = ctx);
    CHECK_EMPTY(y, CT_SHAPE(0));
    ct_function *f = ct_trace_user(ctx, makes_sevens, ctx, CT_LIKE(x));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(3), {8, 9, 10});
    ct_scan(forgets_y, NULL, .length = 3, .n_ys = 1, .ys = &y, .ctx = ctx);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "scan: y[0] is NULL");
    ct_scan(forgets_y, NULL, .length = -1, .ctx = ctx);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "scan: a length of -1");
    ct_scan(makes, ctx, .length = 3, .n_ys = 1, .ys = &y);
    CHECK(ct_is_poison(y));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A program that was compiled before the context was a member. */
TEST(loops_of_an_older_size)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *carry[] = {ct_scalar(ctx, CT_I64, 1), ct_scalar(ctx, CT_I64, 0)};
    ct_loop loop = {.size = offsetof(ct_loop, ctx), .length = 3, .n_carry = 2, .carry = carry};

    memset(&loop.ctx, 0xEE, sizeof loop.ctx); /* is not read */
    ct_scan_at(CT_HERE, shift_later, NULL, &loop);
    CHECK_VALUES(carry[0], CT_SHAPE(), {3});
    loop.n_carry = 0;
    ct_scan_at(CT_HERE, forgets_y, NULL, &loop);
    loop.size = 8;
    loop.n_carry = 2;
    ct_scan_at(CT_HERE, shift_later, NULL, &loop);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "scan: the loop's size is not set");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
