/* Choice and loops: called at once, recorded, and differentiated; all three agree. */
#include "tests/derivatives.h"

#include <cotangent/control.h>
#include <cotangent/elementwise.h>
#include <cotangent/exec.h>
#include <cotangent/linalg.h>
#include <cotangent/reduce.h>
#include <cotangent/shape.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Choice. */

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

/* ---- Loops. Numbers are those of Σ and Π over the rows. */

typedef struct model {
    ct_tensor *weight; /* captured */
    int calls;
} model;

/* carry[0] = weight carry[0] + x; y = the new carry, squared. */
static void step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    model *m = user;
    m->calls++;
    carry[0] = ct_add(ct_mul(m->weight, carry[0]), x[0]);
    y[0] = ct_square(carry[0]);
}

/* [final carry, y…] of a loop over the rows of x. */
static ct_tensor *filtered(ct_tensor *weight, ct_tensor *start, ct_tensor *x, bool reverse)
{
    model m = {weight, 0};
    ct_tensor *carry[] = {start}, *ys;
    ct_scan(step, &m, .length = ct_dim(x, 0), .n_carry = 1, .carry = carry, .xs = CT_ARGV(x),
            .n_ys = 1, .ys = &ys, .reverse = reverse);
    return ct_concatenate(CT_ARGV(ct_expand_dims(carry[0], CT_AXES(0)), ys), 0);
}

static ct_tensor *forward(ct_tensor *weight, ct_tensor *start, ct_tensor *x)
{
    return filtered(weight, start, x, false);
}

static ct_tensor *backward(ct_tensor *weight, ct_tensor *start, ct_tensor *x)
{
    return filtered(weight, start, x, true);
}

TEST(scan_at_once_and_recorded)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *w = ct_scalar(ctx, CT_F64, 2), *start = given(ctx, CT_F64, CT_SHAPE(2), {1, -1});
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {1, 2, 3, 4, 5, 6});
    /* 1 → 3 → 9 → 23 and -1 → 0 → 4 → 14 */
    const double up[] = {23, 14, 9, 0, 81, 16, 529, 196};
    /* 1 → 7 → 17 → 35 and -1 → 4 → 12 → 26, ys in the order of the rows */
    const double down[] = {35, 26, 1225, 676, 289, 144, 49, 16};
    ct_tensor *expected_up = ct_from_doubles(ctx, CT_F64, CT_SHAPE(4, 2), up);
    ct_tensor *expected_down = ct_from_doubles(ctx, CT_F64, CT_SHAPE(4, 2), down);
    CHECK_EQUAL(forward(w, start, x), expected_up);
    CHECK_EQUAL(backward(w, start, x), expected_down);
    ct_function *f = ct_trace(ctx, forward, CT_LIKE(w, start, x));
    ct_function *b = ct_trace(ctx, backward, CT_LIKE(w, start, x));
    CHECK_EQUAL(ct_apply1(f, CT_ARGV(w, start, x)), expected_up);
    CHECK_EQUAL(ct_call1(ct_compile(b, NULL), CT_ARGV(w, start, x)), expected_down);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Recorded, the body is called once, whatever the length. */
static ct_tensor *counted(void *user, ct_tensor *x)
{
    model *m = user;
    ct_tensor *carry[] = {x};
    ct_tensor *ys;
    m->weight = x;
    ct_scan(step, m, .length = 100, .n_carry = 1, .carry = carry,
            .xs = CT_ARGV(ct_broadcast_to(x, CT_SHAPE(100))), .n_ys = 1, .ys = &ys);
    return carry[0];
}

TEST(scan_is_recorded_once)
{
    ct_context *ctx = ct_context_new();
    model m = {NULL, 0};
    ct_function *f = ct_trace_user(ctx, counted, &m, CT_LIKE(ct_scalar(ctx, CT_F32, 1)));
    CHECK(m.calls == 1);
    CHECK_VALUES(ct_apply1(f, CT_ARGV(ct_scalar(ctx, CT_F32, 1))), CT_SHAPE(), {101});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *forward_program(const void *user, ct_tensor *const *x)
{
    (void)user;
    return forward(x[0], x[1], x[2]);
}

static ct_tensor *backward_program(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_mul(backward(x[0], x[1], x[2]), x[0]);
}

TEST(scan_slopes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *w = ct_scalar(ctx, CT_F64, 0.7), *start = given(ctx, CT_F64, CT_SHAPE(2), {1, -1});
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {0.1, 0.2, -0.3, 0.4, 0.5, -0.6});
    CHECK_SMOOTH(ctx, forward_program, NULL, 2, w, start, x);
    CHECK_SMOOTH(ctx, backward_program, NULL, 1, w, start, x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Without rows: the carry is the initial one, and ys have no rows but their type. */
TEST(scan_of_length_zero)
{
    ct_context *ctx = ct_context_new();
    model m = {ct_scalar(ctx, CT_F32, 2), 0};
    ct_tensor *start = given(ctx, CT_F32, CT_SHAPE(2), {1, -1}), *carry[] = {start}, *ys;
    ct_scan(step, &m, .length = 0, .n_carry = 1, .carry = carry,
            .xs = CT_ARGV(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 2))), .n_ys = 1, .ys = &ys);
    CHECK(carry[0] != start);
    CHECK_EQUAL(carry[0], start);
    CHECK_EMPTY(ys, CT_SHAPE(0, 2));
    ct_function *f = ct_trace(ctx, forward,
                              CT_LIKE(m.weight, start, ct_zeros(ctx, CT_F32, CT_SHAPE(0, 2))));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(m.weight, start, ct_zeros(ctx, CT_F32, CT_SHAPE(0, 2)))),
                 CT_SHAPE(1, 2), {1, -1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Fibonacci: two carries that change places, no xs and no ys. */
static void fibonacci(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *next = ct_add(carry[0], carry[1]);
    (void)user, (void)x, (void)y;
    carry[0] = carry[1];
    carry[1] = next;
}

static ct_tensor *fibonacci_of_20(ct_tensor *a, ct_tensor *b)
{
    ct_tensor *carry[] = {a, b};
    ct_scan(fibonacci, NULL, .length = 20, .n_carry = 2, .carry = carry);
    return carry[0];
}

TEST(scan_with_carries_alone)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *zero = ct_scalar(ctx, CT_I64, 0), *one = ct_scalar(ctx, CT_I64, 1);
    CHECK_VALUES(fibonacci_of_20(zero, one), CT_SHAPE(), {6765});
    ct_function *f = ct_trace(ctx, fibonacci_of_20, CT_LIKE(zero, one));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(zero, one)), CT_SHAPE(), {6765});
    CHECK_VALUES(zero, CT_SHAPE(), {0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A map: xs and ys alone. The carry keeps what the body leaves. */
static void square_and_row(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)carry;
    y[0] = ct_square(x[0]);
    y[1] = x[1];
}

TEST(scan_with_rows_alone)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = given(ctx, CT_I32, CT_SHAPE(3), {2, 3, 4}), *b = coded(ctx, CT_U8, 3, 2), *ys[2];
    ct_scan(square_and_row, NULL, .length = 3, .xs = CT_ARGV(a, b), .n_ys = 2, .ys = ys);
    CHECK_VALUES(ys[0], CT_SHAPE(3), {4, 9, 16});
    CHECK_EQUAL(ys[1], b);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A loop in a loop, and a choice in a loop. */
static void inner(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)y;
    pair p = {carry[0], x[0], {0, 0}};
    carry[0] = ct_if(ct_gt(x[0], 0), times, itself, &p);
}

static void outer(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *product[] = {carry[0]};
    (void)user;
    ct_scan(inner, NULL, .length = ct_dim(x[0], 0), .n_carry = 1, .carry = product,
            .xs = CT_ARGV(x[0]));
    y[0] = product[0];
}

/* The product of each row's positive elements, times scale. */
static ct_tensor *positive_products(ct_tensor *scale, ct_tensor *x)
{
    ct_tensor *carry[] = {scale}, *ys;
    ct_scan(outer, NULL, .length = ct_dim(x, 0), .n_carry = 1, .carry = carry, .xs = CT_ARGV(x),
            .n_ys = 1, .ys = &ys);
    return ys;
}

static ct_tensor *positive_program(const void *user, ct_tensor *const *x)
{
    (void)user;
    return positive_products(x[0], x[1]);
}

TEST(nested)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_scalar(ctx, CT_F64, 2);
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {3, -1, 5, -2, -4, 7});
    CHECK_VALUES(positive_products(s, x), CT_SHAPE(2), {30, 14});
    ct_function *f = ct_trace(ctx, positive_products, CT_LIKE(s, x));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(s, x)), CT_SHAPE(2), {30, 14});
    CHECK_SMOOTH(ctx, positive_program, NULL, 1, s, x);
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

/* ---- Errors of loops. */

static void grows(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)x, (void)y;
    carry[1] = ct_concatenate(CT_ARGV(carry[1], carry[1]), 0);
}

static ct_tensor *growing(ct_tensor *x)
{
    ct_tensor *carry[] = {x, x};
    ct_scan(grows, NULL, .length = 2, .n_carry = 2, .carry = carry);
    return carry[0];
}

static void forgets(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)carry, (void)x, (void)y;
}

static void varies(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)x;
    int *n = user;
    y[0] = ct_broadcast_to(carry[0], CT_SHAPE(++*n, 3));
}

TEST(scan_errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(3)), *carry[] = {x}, *y;
    CHECK(ct_is_poison(growing(x)));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "scan: carry[1] is f32[3] and after an iteration f32[6]");
    ct_trace(ctx, growing, CT_LIKE(x));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "scan: carry[1] is f32[3] and after an iteration f32[6]");
    ct_scan(forgets, NULL, .length = 3, .n_carry = 1, .carry = carry, .n_ys = 1, .ys = &y);
    CHECK(ct_is_poison(carry[0]) && ct_is_poison(y));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "scan: y[0] is NULL");
    int n = 0;
    carry[0] = x;
    ct_scan(varies, &n, .length = 3, .n_carry = 1, .carry = carry, .n_ys = 1, .ys = &y);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "scan: y[0] is f32[1,3] and after an iteration f32[2,3]");
    carry[0] = x;
    ct_scan(forgets, NULL, .length = 4, .n_carry = 1, .carry = carry, .xs = CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "scan: xs[0] is f32[3], which has not 4 rows");
    carry[0] = x;
    ct_scan(forgets, NULL, .length = -1, .n_carry = 1, .carry = carry);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "scan: a length of -1");
    carry[0] = x;
    ct_scan(NULL, NULL, .length = 1, .n_carry = 1, .carry = carry);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "scan: the body is NULL");
    ct_scan(forgets, NULL, .length = 3, .xs = CT_ARGV(x), .n_ys = 1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "scan: ys is NULL");
    ct_scan(forgets, NULL, .length = 3, .xs = CT_ARGV(x, NULL));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "scan: xs[1] is NULL");
    ct_scan(forgets, NULL, .length = 3);
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

static void choose_and_loop(ct_context *ctx)
{
    ct_tensor *w = ct_scalar(ctx, CT_F64, 2), *x = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    forward(w, w, x);
    choose(w, w);
    ct_apply1(ct_trace(ctx, forward, CT_LIKE(w, w, x)), CT_ARGV(w, w, x));
    ct_trace(ctx, choose, CT_LIKE(w, w));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(choose_and_loop);
}

/* Blocks that are in use, and the most at a time. */
typedef struct meter {
    long blocks, most;
} meter;

static void *count_up(void *user, size_t bytes, size_t align)
{
    meter *m = user;
    void *memory = aligned_alloc(align, (bytes + align - 1) / align * align + align);
    m->blocks += memory != NULL;
    if (m->blocks > m->most)
        m->most = m->blocks;
    return memory;
}

static void count_down(void *user, void *memory, size_t bytes)
{
    (void)bytes;
    ((meter *)user)->blocks -= memory != NULL;
    free(memory);
}

/* What an iteration makes is released before the next one. */
TEST(iterations_release_what_they_make)
{
    meter m = {0, 0};
    ct_allocator allocator = {sizeof allocator, &m, count_up, count_down};
    ct_context *ctx = ct_context_new_with(&allocator);
    ct_tensor *w = ct_scalar(ctx, CT_F64, 0.5), *x = ct_ones(ctx, CT_F64, CT_SHAPE(1000));
    forward(w, w, ct_slice(x, CT_SHAPE(0), CT_SHAPE(2), CT_SHAPE()));
    long short_loop = m.most - m.blocks;
    m.most = m.blocks;
    long before = m.blocks;
    forward(w, w, x);
    CHECK_MSG(m.most - before <= short_loop + 20, "%ld blocks at a time, %ld in a short loop",
              m.most - before, short_loop);
    CHECK_OK(ctx);
    ct_context_free(ctx);
    CHECK(m.blocks == 0);
}
