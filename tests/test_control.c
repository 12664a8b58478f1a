/* Loops: called at once, recorded, and differentiated; all three agree. Numbers are those of Σ and
 * Π over the rows. */
#include "tests/derivatives.h"

#include <cotangent/control.h>
#include <cotangent/elementwise.h>
#include <cotangent/exec.h>
#include <cotangent/reduce.h>
#include <cotangent/shape.h>

#include <stdlib.h>

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
typedef struct pair {
    ct_tensor *product, *x;
} pair;

static ct_tensor *times(void *user)
{
    const pair *p = user;
    return ct_mul(p->product, p->x);
}

static ct_tensor *unchanged(void *user)
{
    return ((pair *)user)->product;
}

static void inner(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)y;
    pair p = {carry[0], x[0]};
    carry[0] = ct_if(ct_gt(x[0], 0), times, unchanged, &p);
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

/* ---- Memory. */

static void loop_twice(ct_context *ctx)
{
    ct_tensor *w = ct_scalar(ctx, CT_F64, 2), *x = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    forward(w, w, x);
    ct_apply1(ct_trace(ctx, forward, CT_LIKE(w, w, x)), CT_ARGV(w, w, x));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(loop_twice);
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
