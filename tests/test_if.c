/* Choice: called at once, recorded, and differentiated; all three agree. */
#include "tests/derivatives.h"

#include "trace/trace.h"

#include <cotangent/control.h>
#include <cotangent/elementwise.h>
#include <cotangent/exec.h>
#include <cotangent/shape.h>

#include <string.h>

typedef struct pair {
    ct_tensor *x, *y;
    int called[2];
} pair;

static ct_tensor *times(void *user)
{
    pair *p = user;
    p->called[0]++;
    return ct_mul(p->x, p->y);
}

static ct_tensor *cubed(void *user)
{
    pair *p = user;
    p->called[1]++;
    return ct_mul(p->y, ct_square(p->y));
}

/* x y where x > y, else y^3. */
static ct_tensor *choose(ct_tensor *x, ct_tensor *y)
{
    pair p = {x, y, {0, 0}};
    return ct_if(ct_gt(x, y), times, cubed, &p);
}

TEST(if_at_once)
{
    ct_context *ctx = ct_context_new();
    pair p = {ct_scalar(ctx, CT_F32, 5), ct_scalar(ctx, CT_F32, 3), {0, 0}};
    CHECK_VALUES(ct_if(ct_gt(p.x, p.y), times, cubed, &p), CT_SHAPE(), {15});
    CHECK(p.called[0] == 1 && p.called[1] == 0);
    CHECK_VALUES(ct_if(ct_lt(p.x, p.y), times, cubed, &p), CT_SHAPE(), {27});
    CHECK(p.called[0] == 1 && p.called[1] == 1);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* How often the printed function says `what`. */
static size_t count(const char *what, ct_function *f)
{
    const char *text = ct_function_text(f, CT_TEXT_STABLEHLO);
    size_t n = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        n++;
    return n;
}

TEST(if_recorded)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 5), *y = ct_scalar(ctx, CT_F32, 3);
    ct_function *f = ct_trace(ctx, choose, CT_LIKE(x, y));
    CHECK(count("stablehlo.if", f) == 1);
    ct_executable *run = ct_compile(f, NULL);
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x, y)), CT_SHAPE(), {15});
    CHECK_VALUES(ct_call1(run, CT_ARGV(y, x)), CT_SHAPE(), {125});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *choose_program(const void *user, ct_tensor *const *x)
{
    (void)user;
    return choose(x[0], x[1]);
}

TEST(if_slopes)
{
    ct_context *ctx = ct_context_new();
    CHECK_SMOOTH(ctx, choose_program, NULL, 2, ct_scalar(ctx, CT_F64, 5),
                 ct_scalar(ctx, CT_F64, 3));
    CHECK_SMOOTH(ctx, choose_program, NULL, 2, ct_scalar(ctx, CT_F64, 2),
                 ct_scalar(ctx, CT_F64, 3));
    CHECK_MATRIX(ctx, choose_program, NULL,
                 CT_ARGV(ct_scalar(ctx, CT_F64, 2), ct_scalar(ctx, CT_F64, 3)), {0, 27});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A branch may return what is not its own: the result is still a handle of its own. */
static ct_tensor *itself(void *user)
{
    return ((pair *)user)->x;
}

static ct_tensor *choose_itself(ct_tensor *x, ct_tensor *p)
{
    pair user = {x, NULL, {0, 0}};
    return ct_if(ct_gt(p, 0), itself, itself, &user);
}

TEST(if_returns_an_outer_value)
{
    ct_context *ctx = ct_context_new();
    pair p = {ct_scalar(ctx, CT_F32, 5), NULL, {0, 0}};
    ct_tensor *y = ct_if(ct_scalar(ctx, CT_BOOL, 1), itself, itself, &p);
    CHECK(y != p.x);
    ct_release(y);
    CHECK_VALUES(p.x, CT_SHAPE(), {5});
    ct_function *f = ct_trace(ctx, choose_itself, CT_LIKE(p.x, p.x));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(p.x, p.x)), CT_SHAPE(), {5});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void swap(void *user, ct_tensor **result)
{
    pair *p = user;
    result[0] = p->y;
    result[1] = p->x;
}

static void leave(void *user, ct_tensor **result)
{
    pair *p = user;
    result[0] = p->x;
    result[1] = p->y;
}

/* (smaller, larger) */
static void sort_two(void *user, ct_list x, ct_tensor **result)
{
    (void)user;
    pair p = {x.item[0], x.item[1], {0, 0}};
    ct_if_many(ct_gt(p.x, p.y), swap, leave, &p, 2, result);
}

TEST(if_many)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_I32, 5), *y = ct_scalar(ctx, CT_I32, 3), *result[2];
    sort_two(NULL, CT_ARGV(x, y), result);
    CHECK_VALUES(result[0], CT_SHAPE(), {3});
    CHECK_VALUES(result[1], CT_SHAPE(), {5});
    ct_function *f = ct_trace_many(ctx, sort_two, NULL, 2, CT_LIKE(x, y));
    ct_apply(f, CT_ARGV(x, y), result, 2);
    CHECK_VALUES(result[0], CT_SHAPE(), {3});
    ct_apply(f, CT_ARGV(y, x), result, 2);
    CHECK_VALUES(result[1], CT_SHAPE(), {5});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *a_vector(void *user)
{
    return ct_broadcast_to(((pair *)user)->x, CT_SHAPE(3));
}

static ct_tensor *nothing(void *user)
{
    (void)user;
    return NULL;
}

static ct_tensor *mismatched(ct_tensor *x)
{
    pair p = {x, x, {0, 0}};
    return ct_if(ct_gt(x, 0), a_vector, times, &p);
}

static ct_tensor *without_result(ct_tensor *x)
{
    return ct_if(ct_gt(x, 0), nothing, nothing, x);
}

TEST(if_errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 5), *yes = ct_scalar(ctx, CT_BOOL, 1);
    pair p = {x, x, {0, 0}};
    ct_trace(ctx, mismatched, CT_LIKE(x));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "if: result[0] is f32[3] where pred holds and f32[] otherwise");
    ct_if(x, times, cubed, &p);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "if: pred is f32; it takes bool");
    ct_if(ct_ones(ctx, CT_BOOL, CT_SHAPE(1)), times, cubed, &p);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "if: pred is not a scalar");
    ct_if(yes, times, NULL, &p);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "if: a branch is NULL");
    ct_if(yes, nothing, times, &p);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "if: result[0] is NULL");
    ct_trace(ctx, without_result, CT_LIKE(x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "if: result[0] is NULL");
    CHECK(ct_is_poison(ct_if(NULL, times, cubed, &p)));
    CHECK(p.called[0] == 0 && p.called[1] == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Many captures: the branches share some, in different orders, and each has some of its own.
 */

enum { CAPTURED = 60 };

/* Σ weight[k] x[i], where i = first + k step and weights are 1, 2, 3, … */
static ct_tensor *weighted(ct_tensor *const *x, int first, int step, int count)
{
    ct_tensor *sum = ct_mul(x[first], 1);
    for (int k = 1; k < count; k++)
        sum = ct_add(sum, ct_mul(x[first + k * step], k + 1));
    return sum;
}

static ct_tensor *upwards(void *user)
{
    return weighted(user, 1, 1, 40);
}

static ct_tensor *downwards(void *user)
{
    return weighted(user, CAPTURED - 1, -2, 25);
}

static void chooses(void *user, ct_list p, ct_tensor **result)
{
    (void)user;
    result[0] = ct_if(ct_gt(p.item[0], 0), upwards, downwards, (void *)(uintptr_t)p.item);
}

TEST(many_captures)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x[CAPTURED], *slope[CAPTURED];
    for (int i = 0; i < CAPTURED; i++)
        x[i] = ct_scalar(ctx, CT_F64, i);
    ct_list list = {CAPTURED, x};
    ct_function *f = ct_trace_many(ctx, chooses, NULL, 1, list);
    ct_function *g = ct_grad(f, CT_ALL_ARGS);
    for (int up = 0; up < 2; up++) {
        x[0] = ct_scalar(ctx, CT_F64, up);
        double value = 0;
        ct_apply(g, list, slope, CAPTURED);
        for (int i = 1; i < CAPTURED; i++) {
            int k = up ? i - 1 : (CAPTURED - 1 - i) / 2;
            bool used = up ? k < 40 : k < 25 && (CAPTURED - 1 - i) % 2 == 0;
            CHECK_VALUES(slope[i], CT_SHAPE(), {used ? k + 1 : 0});
            value += used ? (k + 1) * i : 0;
        }
        CHECK_VALUES(ct_apply1(f, list), CT_SHAPE(), {value});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- What a branch computes and does not give. */

static ct_tensor *upwards_of_two(void *user)
{
    ct_tensor **p = user;
    return ct_mul(p[0], p[1]);
}

static ct_tensor *computes_more(void *user)
{
    ct_tensor **p = user;
    ct_exp(ct_if(ct_gt(p[0], 0), upwards_of_two, upwards_of_two, p));
    return p[0];
}

static ct_tensor *with_unused(ct_tensor *x)
{
    ct_tensor *p[] = {x, ct_sin(x)};
    return ct_if(ct_gt(x, 0), computes_more, computes_more, p);
}

TEST(unused_captures)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 2);
    ct_function *f = ct_trace(ctx, with_unused, CT_LIKE(x));
    for (size_t i = 0; i < f->graph->n_nodes; i++) {
        CHECK(f->graph->node[i].op != CT__OP_sine);
        CHECK(f->graph->node[i].op != CT__OP_if || f->graph->node[i].n_operands == 2);
    }
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(), {2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Traces that bodies leave open. */

static ct_tensor *opens_a_trace(void *user)
{
    ct_tensor *x = user;
    ct_trace_begin(ct_context_of(x), "open", CT_LIKE(x));
    return x;
}

static ct_tensor *with_open_trace(ct_tensor *x)
{
    return ct_if(ct_gt(x, 0), opens_a_trace, opens_a_trace, x);
}

TEST(a_trace_left_open)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1);
    ct_trace(ctx, with_open_trace, CT_LIKE(x));
    CHECK_ERROR(ctx, CT_ERR_STATE, "then: the body began a trace and did not end it");
    CHECK_VALUES(ct_add(x, 1), CT_SHAPE(), {2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void choose_twice(ct_context *ctx)
{
    ct_tensor *w = ct_scalar(ctx, CT_F64, 2);
    choose(w, w);
    ct_trace(ctx, choose, CT_LIKE(w, w));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(choose_twice);
}
