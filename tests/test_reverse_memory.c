/* What gradients of scans with stacked inputs take in memory when less is kept: the block of a run.
 * Gradients are those of the scan itself, to the bit, but for sums over all iterations. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    int64_t rows, extent;
} shape;

static const shape shapes[] = {{100, 1000}, {1000, 100}, {7, 300}, {23, 64}};
#define N_SHAPES (sizeof shapes / sizeof *shapes)

static void step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    if (y)
        y[0] = ct_sum(ct_mul(carry[0], x[0]), CT_ALL_AXES, CT_DROP_AXES);
    carry[0] = ct_tanh(ct_add(ct_mul(carry[0], x[0]), (ct_tensor *)user));
}

static void only_carry(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)y;
    step(user, carry, x, NULL);
}

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *last(ct_tensor *start, ct_tensor *xs, ct_tensor *k)
{
    ct_tensor *carry = start;
    ct_scan(only_carry, k, .length = ct_dim(xs, 0), .n_carry = 1, .carry = &carry,
            .xs = CT_ARGV(xs));
    return total(carry);
}

/* Backwards, of computed rows, with y. */
static ct_tensor *all_of_it(ct_tensor *start, ct_tensor *xs, ct_tensor *k)
{
    ct_tensor *carry = start, *ys;
    ct_scan(step, k, .length = ct_dim(xs, 0), .n_carry = 1, .carry = &carry,
            .xs = CT_ARGV(ct_sin(xs)), .n_ys = 1, .ys = &ys, .reverse = true);
    return ct_add(total(carry), total(ct_square(ys)));
}

static ct_list specs(ct_context *ctx, const shape *s, ct_tensor **list)
{
    list[0] = ct_spec(ctx, CT_F64, CT_SHAPE(s->extent));
    list[1] = ct_spec(ctx, CT_F64, CT_SHAPE(s->rows, s->extent));
    list[2] = ct_spec(ctx, CT_F64, CT_SHAPE());
    return (ct_list){3, list};
}

/* What the function gives for some arguments, and the block of its run. */
static ct_tensor *run(ct_context *ctx, ct_function *f, const shape *s, size_t *bytes)
{
    ct_tensor *start = ct_linspace(ctx, CT_F64, -1, 1, s->extent);
    ct_tensor *xs = ct_reshape(ct_sin(ct_arange(ctx, CT_F64, 0, (double)(s->rows * s->extent), 1)),
                               CT_SHAPE(s->rows, s->extent));
    ct_executable *g = ct_compile(f, NULL);
    *bytes = ct_executable_block_bytes(g);
    return ct_call1(g, CT_ARGV(start, xs, ct_scalar(ctx, CT_F64, 0.1)));
}

/* The block of the gradient by one argument, before and after ct_simplify: the larger one. */
static size_t block(ct_context *ctx, const shape *s, ct_function *f, ct_function *g, int64_t by)
{
    size_t most = 0, bytes;
    ct_tensor *want = run(ctx, ct_grad(f, CT_ARGS(by)), s, &bytes);
    for (int simplified = 0; simplified < 2; simplified++) {
        ct_function *derived = ct_grad(g, CT_ARGS(by));
        ct_tensor *got = run(ctx, simplified ? ct_simplify(derived) : derived, s, &bytes);
        CHECK_OK(ctx);
        if (by < 2)
            CHECK_EQUAL(got, want);
        else
            CHECK(fabs(ct_item(got) - ct_item(want)) <= 1e-13 * fabs(ct_item(want)));
        most = bytes > most ? bytes : most;
    }
    return most;
}

static size_t larger_block(ct_context *ctx, const shape *s, ct_function *f, ct_function *g)
{
    size_t by_carry = block(ctx, s, f, g, 0), by_xs = block(ctx, s, f, g, 1);
    return by_carry > by_xs ? by_carry : by_xs;
}

/* Residuals, carries, and cotangents of √n rows each, also where n is no square. */
TEST(root_of_rows)
{
    ct_context *ctx = ct_context_new();
    const ct_reverse_options o = {.size = sizeof o, .strategy = CT_REVERSE_SQRT};
    for (size_t i = 0; i < N_SHAPES; i++) {
        const shape *s = &shapes[i];
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *list[3];
        ct_function *f = ct_trace(ctx, last, specs(ctx, s, list));
        size_t bytes = larger_block(ctx, s, f, ct_reverse_loops(f, &o));
        double rows = 3 * ceil(sqrt((double)s->rows)) + 8;
        CHECK_MSG((double)bytes <= rows * 8 * (double)s->extent + 4096, "%zu: %zu bytes", i, bytes);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* How often rows are done again: the least t of (s+t)!/(s! t!) >= n. */
static int64_t times(int64_t n, int64_t s)
{
    int64_t t = 0;
    for (double beta = 1; beta < (double)n; beta = beta * (double)(s + t) / (double)t)
        t++;
    return t;
}

/* Snapshots, and a few carries for each time. */
TEST(snapshots)
{
    ct_context *ctx = ct_context_new();
    static const int64_t snapshots[] = {1, 3, 5, 10};
    for (size_t i = 0; i < 4 * N_SHAPES; i++) {
        const shape *s = &shapes[i / 4];
        const ct_reverse_options o = {
            .size = sizeof o, .strategy = CT_REVERSE_BINOMIAL, .snapshots = snapshots[i % 4]};
        const int64_t t = times(s->rows, o.snapshots);
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *list[3];
        ct_function *f = ct_trace(ctx, last, specs(ctx, s, list));
        if (t <= 50) {
            size_t bytes = larger_block(ctx, s, f, ct_reverse_loops(f, &o));
            double rows = (double)(o.snapshots + 2 * t + 6);
            CHECK_MSG((double)bytes <= rows * 8 * (double)s->extent + 512 * (double)t + 2048,
                      "%zu: %zu bytes, t = %d", i, bytes, (int)t);
        }
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* The number before "bytes" in the context's error, which is cleared. */
static int64_t needed(ct_context *ctx)
{
    const char *at = strstr(ct_error_message(ctx), "takes at least ");
    CHECK(ct_error_status(ctx) == CT_ERR_RANGE);
    CHECK_MSG(at, "%s", ct_error_message(ctx));
    int64_t bytes = at ? strtoll(at + strlen("takes at least "), NULL, 10) : 0;
    ct_error_clear(ctx);
    return bytes;
}

/* Every limit is kept or refused, what a refusal says is enough, and what allows for it keeps all.
 */
TEST(limits)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < N_SHAPES; i++) {
        const shape *s = &shapes[i];
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *list[3];
        ct_function *f = ct_trace(ctx, last, specs(ctx, s, list));
        ct_reverse_options o = {.size = sizeof o, .strategy = CT_REVERSE_LIMIT, .bytes = 6000};
        ct_reverse_loops(f, &o);
        int64_t least = needed(ctx);
        uint64_t flops = 0;
        for (o.bytes = least; o.bytes < 100 * least; o.bytes += least / 3 + 2 * o.bytes) {
            ct_function *g = ct_reverse_loops(f, &o);
            CHECK_OK(ctx);
            size_t bytes = larger_block(ctx, s, f, g);
            CHECK_MSG((int64_t)bytes <= o.bytes, "%zu: %zu of %d", i, bytes, (int)o.bytes);
            flops = ct_function_flops(ct_grad(g, CT_ARGS(0)));
        }
        CHECK(flops == ct_function_flops(ct_grad(f, CT_ARGS(0))));
        o.bytes = least / 2;
        ct_reverse_loops(f, &o);
        CHECK(needed(ctx) == least);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* y, the other direction, rows that are computed. */
TEST(gradients_are_those_of_the_scan)
{
    ct_context *ctx = ct_context_new();
    static const ct_reverse_options ways[] = {
        {sizeof *ways, CT_REVERSE_SQRT, 0, 0},      {sizeof *ways, CT_REVERSE_BINOMIAL, 2, 0},
        {sizeof *ways, CT_REVERSE_BINOMIAL, 6, 0},  {sizeof *ways, CT_REVERSE_BINOMIAL, 1000, 0},
        {sizeof *ways, CT_REVERSE_LIMIT, 0, 40000},
    };
    for (size_t i = 2; i < N_SHAPES; i++) {
        ct_tensor *list[3];
        ct_function *f = ct_trace(ctx, all_of_it, specs(ctx, &shapes[i], list));
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
            for (int64_t by = 0; by < 3; by++)
                block(ctx, &shapes[i], f, ct_reverse_loops(f, &ways[w]), by);
    }
    ct_context_free(ctx);
}

/* ---- Cotangents of neighbouring slices are put together, not added. */

static ct_tensor *columns(ct_tensor *x, int64_t first, int64_t end)
{
    return ct_slice(x, CT_SHAPE(0, first), CT_SHAPE(2, end), CT_SHAPE());
}

static ct_tensor *by_pieces(ct_tensor *x)
{
    ct_tensor *low = total(ct_square(columns(x, 1, 2)));
    ct_tensor *middle = total(ct_mul(ct_square(columns(x, 2, 4)), 3));
    return ct_add(ct_add(low, middle), total(ct_mul(ct_square(columns(x, 4, 6)), 5)));
}

static ct_tensor *apart(ct_tensor *x)
{
    return ct_add(total(ct_mul(columns(x, 0, 2), 3)), total(ct_mul(columns(x, 3, 6), 5)));
}

TEST(pieces)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 2, 6);
    ct_function *g = ct_grad(ct_trace(ctx, by_pieces, CT_LIKE(x)), CT_ARGS(0));
    CHECK_VALUES(ct_apply1(g, CT_ARGV(x)), CT_SHAPE(2, 6),
                 {0, 2, 12, 18, 40, 50, 0, 22, 72, 78, 140, 150});
    const char *text = ct_function_text(g, CT_TEXT_STABLEHLO);
    const char *pad = strstr(text, "stablehlo.pad");
    CHECK_MSG(pad && !strstr(pad + 1, "stablehlo.pad"), "%s", text);
    g = ct_grad(ct_trace(ctx, apart, CT_LIKE(x)), CT_ARGS(0));
    CHECK_VALUES(ct_apply1(g, CT_ARGV(x)), CT_SHAPE(2, 6), {3, 3, 0, 5, 5, 5, 3, 3, 0, 5, 5, 5});
    ct_context_free(ctx);
}

/* A limit that takes several ways to be tried; where every run takes long, one. */
#ifdef CT_SANITIZED
enum { LIMITED_ROWS = 4, LIMITED_EXTENT = 16, LIMIT = 2600 };
#else
enum { LIMITED_ROWS = 5, LIMITED_EXTENT = 64, LIMIT = 6000 };
#endif

static void limited(ct_context *ctx)
{
    ct_tensor *list[3];
    const ct_reverse_options o = {.size = sizeof o, .strategy = CT_REVERSE_LIMIT, .bytes = LIMIT};
    ct_function *f = ct_trace(ctx, last, specs(ctx, &(shape){LIMITED_ROWS, LIMITED_EXTENT}, list));
    ct_grad(ct_reverse_loops(f, &o), CT_ARGS(1));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(limited);
}
