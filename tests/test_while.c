/* ct_while: called at once, recorded, nested, and with bodies that do what they may not. */
#include "tests/values.h"

#include <cotangent/control.h>
#include <cotangent/elementwise.h>
#include <cotangent/exec.h>
#include <cotangent/reduce.h>
#include <cotangent/trace.h>

#include <stdlib.h>
#include <string.h>

/* Newton's iteration for a root of a: x <- (x + a/x) / 2 until x² is near a. */
typedef struct problem {
    ct_tensor *a;
    double tolerance;
    int calls[2];
} problem;

static ct_tensor *is_far(void *user, ct_tensor *const *carry)
{
    problem *p = user;
    p->calls[0]++;
    return ct_gt(ct_abs(ct_sub(ct_square(carry[0]), p->a)), p->tolerance);
}

static void newton(void *user, ct_tensor **carry)
{
    problem *p = user;
    p->calls[1]++;
    carry[0] = ct_mul(ct_add(carry[0], ct_div(p->a, carry[0])), 0.5);
    carry[1] = ct_add(carry[1], 1);
}

static void root(void *user, ct_list x, ct_tensor **r)
{
    problem p = {.a = x.item[0], .tolerance = 1e-12};
    ct_context *ctx = ct_context_of(x.item[0]);
    r[0] = ct_scalar(ctx, CT_F64, 1);
    r[1] = ct_scalar(ctx, CT_I32, 0);
    ct_while(is_far, newton, &p, 2, r);
    if (user)
        *(problem *)user = p;
}

TEST(at_once)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *r[2];
    problem p;

    root(&p, CT_ARGV(ct_scalar(ctx, CT_F64, 2)), r);
    CHECK_CLOSE(r[0], CT_SHAPE(), 1e-12, {1.4142135623730951});
    CHECK_VALUES(r[1], CT_SHAPE(), {5});
    CHECK(p.calls[0] == 6 && p.calls[1] == 5);
    root(&p, CT_ARGV(ct_scalar(ctx, CT_F64, 1)), r); /* no iteration */
    CHECK_VALUES(r[0], CT_SHAPE(), {1});
    CHECK(p.calls[0] == 1 && p.calls[1] == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Recorded once, with what it uses from outside as an operand; the same values. */
TEST(recorded)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_scalar(ctx, CT_F64, 2), *r[2], *s[2];
    problem p;
    ct_function *f = ct_trace_many(ctx, root, &p, 2, CT_LIKE(a));

    CHECK(p.calls[0] == 1 && p.calls[1] == 1);
    CHECK(strstr(ct_function_text(f, CT_TEXT_STABLEHLO), "stablehlo.while("));
    ct_executable *e = ct_compile(f, NULL);
    for (int i = 1; i < 20; i++) {
        ct_list x = CT_ARGV(ct_scalar(ctx, CT_F64, i));
        root(NULL, x, r);
        ct_call(e, x, s, 2);
        CHECK_BITS(s[0], r[0]);
        CHECK_BITS(s[1], r[1]);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Nested: Σ over n = 1 … N of the steps that n takes to 1 in Collatz's sequence. */

static ct_tensor *above_one(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_gt(carry[0], 1);
}

static void collatz(void *user, ct_tensor **carry)
{
    (void)user;
    ct_tensor *odd = ct_eq(ct_and(carry[0], 1), 1);
    carry[0] = ct_where(odd, ct_add(ct_mul(carry[0], 3), 1), ct_floor_divide(carry[0], 2));
    carry[1] = ct_add(carry[1], 1);
}

static ct_tensor *positive(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_gt(carry[0], 0);
}

static void sum_steps(void *user, ct_tensor **carry)
{
    ct_tensor *inner[] = {carry[0], carry[1]};
    ct_while(above_one, collatz, user, 2, inner);
    carry[1] = inner[1];
    carry[0] = ct_sub(carry[0], 1);
}

static ct_tensor *all_steps(ct_tensor *n)
{
    ct_tensor *carry[] = {n, ct_sub(n, n)};
    ct_while(positive, sum_steps, NULL, 2, carry);
    return carry[1];
}

TEST(nested)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *n = ct_scalar(ctx, CT_I64, 10);
    ct_executable *e = ct_compile(ct_trace(ctx, all_steps, CT_LIKE(n)), NULL);

    CHECK_VALUES(all_steps(n), CT_SHAPE(), {67}); /* 0+1+7+2+5+8+16+3+19+6 */
    CHECK_VALUES(ct_call1(e, CT_ARGV(n)), CT_SHAPE(), {67});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Bodies that give their carry back in other places, and release what they were given. */

static ct_tensor *below_hundred(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_lt(carry[1], 100);
}

static void fibonacci(void *user, ct_tensor **carry)
{
    (void)user;
    ct_tensor *sum = ct_add(carry[0], carry[1]);
    ct_release(carry[0]);
    carry[0] = carry[1];
    carry[1] = sum;
}

static ct_tensor *numbers(ct_tensor *a, ct_tensor *b)
{
    ct_tensor *carry[] = {a, b};
    ct_while(below_hundred, fibonacci, NULL, 2, carry);
    return ct_add(ct_mul(carry[0], 1000), carry[1]);
}

TEST(carries_change_places)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_scalar(ctx, CT_I32, 0), *b = ct_scalar(ctx, CT_I32, 1);

    CHECK_VALUES(numbers(a, b), CT_SHAPE(), {89144});
    ct_executable *e = ct_compile(ct_trace(ctx, numbers, CT_LIKE(a, b)), NULL);
    CHECK_VALUES(ct_call1(e, CT_ARGV(a, b)), CT_SHAPE(), {89144});
    CHECK_VALUES(a, CT_SHAPE(), {0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Errors. */

static ct_tensor *give(void *user, ct_tensor *const *carry)
{
    (void)carry;
    return user;
}

static void make_integer(void *user, ct_tensor **carry)
{
    (void)user;
    carry[0] = ct_cast(carry[0], CT_I32);
}

static void make_nothing(void *user, ct_tensor **carry)
{
    (void)user;
    carry[0] = NULL;
}

/* Both at once and in a trace. */
static void check_error(ct_context *ctx, ct_while_cond *cond, ct_while_body *body, void *user,
                        ct_status status, const char *part)
{
    for (int traced = 0; traced < 2; traced++) {
        ct_tensor *carry[] = {ct_scalar(ctx, CT_F32, 1)};
        ct_trace_builder *b = NULL;
        if (traced) {
            b = ct_trace_begin(ctx, "f", CT_LIKE(carry[0]));
            carry[0] = ct_trace_parameter(b, 0);
        }
        ct_while(cond, body, user, 1, carry);
        CHECK(ct_is_poison(carry[0]));
        CHECK_ERROR(ctx, status, part);
        if (traced) {
            ct_trace_end(b, CT_NO_TENSORS);
            ct_error_clear(ctx);
        }
    }
}

TEST(errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *yes = ct_scalar(ctx, CT_BOOL, 1);

    check_error(ctx, NULL, make_integer, NULL, CT_ERR_ARGUMENT, "while: cond is NULL");
    check_error(ctx, give, NULL, NULL, CT_ERR_ARGUMENT, "while: the body is NULL");
    check_error(ctx, give, make_integer, NULL, CT_ERR_ARGUMENT, "what cond gives is NULL");
    check_error(ctx, give, make_integer, ct_scalar(ctx, CT_I32, 1), CT_ERR_TYPE,
                "while: cond must give bool[], not i32[]");
    check_error(ctx, give, make_integer, ct_ones(ctx, CT_BOOL, CT_SHAPE(1)), CT_ERR_SHAPE,
                "while: cond must give bool[], not bool[1]");
    check_error(ctx, give, make_integer, yes, CT_ERR_TYPE,
                "while: carry[0] is f32[] and after an iteration i32[]; it must keep its type");
    check_error(ctx, give, make_nothing, yes, CT_ERR_ARGUMENT, "while: carry[0] is NULL");
    ct_while(give, make_nothing, yes, 0, NULL);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

/* What iterations make is released with them. */
static ct_tensor *counts_down(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_gt(ct_max(carry[0], CT_ALL_AXES, CT_DROP_AXES), 0);
}

static void step_down(void *user, ct_tensor **carry)
{
    (void)user;
    carry[0] = ct_sub(carry[0], ct_ones(ct_context_of(carry[0]), CT_F64, CT_SHAPE(1000)));
}

static size_t held, most;

static void *counted(void *user, size_t bytes, size_t align)
{
    (void)user;
    held += bytes;
    most = held > most ? held : most;
    return aligned_alloc(align < 64 ? 64 : align, (bytes + 127) / 64 * 64);
}

static void released(void *user, void *memory, size_t bytes)
{
    (void)user;
    held -= bytes;
    free(memory);
}

TEST(iterations_release_what_they_make)
{
    const ct_allocator allocator = {sizeof allocator, NULL, counted, released};
    ct_context *ctx = ct_context_new_with(&allocator);
    ct_tensor *carry[] = {ct_full(ctx, CT_F64, CT_SHAPE(1000), 300)};

    ct_while(counts_down, step_down, NULL, 1, carry);
    CHECK(ct_at(carry[0], 999) == 0);
    CHECK_MSG(most < 100000, "%zu bytes", most); /* 300 iterations of 8000 bytes and more */
    CHECK_OK(ctx);
    ct_context_free(ctx);
    CHECK(held == 0);
}

static void loops(ct_context *ctx)
{
    ct_tensor *r[2], *n = ct_scalar(ctx, CT_I64, 3);
    root(NULL, CT_ARGV(ct_scalar(ctx, CT_F64, 2)), r);
    ct_call1(ct_compile(ct_trace(ctx, all_steps, CT_LIKE(n)), NULL), CT_ARGV(n));
}

TEST(memory_may_run_out)
{
    CHECK_ALLOCATIONS(loops);
}
