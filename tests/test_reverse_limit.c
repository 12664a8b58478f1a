/* Reverse mode through for and while within a number of bytes: what constants count is measured as
 * scans are, of what a run counts the values that are kept are those of the report, and the memory
 * that a run takes is theirs. Gradients are those of the loop itself, to the bit, but for sums over
 * all iterations. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXTENT = 64, COUNT = 60 };

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *damped(ct_tensor *x, ct_tensor *i, ct_tensor *k)
{
    return ct_sin(ct_mul(x, ct_add(k, ct_mul(ct_cast(i, CT_F64), 0.01))));
}

static ct_tensor *integer(ct_tensor *like, int64_t value)
{
    return ct_scalar(ct_context_of(like), CT_I64, (double)value);
}

/* ---- Loops that constants count. All take x and k. */

static void by_index(void *k, ct_tensor *i, ct_tensor **carry)
{
    carry[0] = damped(carry[0], i, k);
}

static ct_tensor *counted_for(ct_tensor *x, ct_tensor *k)
{
    ct_for(by_index, k, integer(x, COUNT), 1, &x);
    return total(x);
}

/* cond compares carry[1] with a limit, by steps of so much. */
typedef struct counting {
    ct_tensor *(*compare)(ct_tensor *i, ct_tensor *limit);
    int64_t start, limit, step;
    bool is_captured; /* limit and step are values around the loop */
    ct_tensor *k, *limit_around, *step_around;
} counting;

static ct_tensor *less(ct_tensor *i, ct_tensor *limit)
{
    return ct_lt(i, limit);
}

static ct_tensor *more_than(ct_tensor *i, ct_tensor *limit)
{
    return ct_gt(limit, i);
}

static ct_tensor *at_most(ct_tensor *i, ct_tensor *limit)
{
    return ct_le(i, limit);
}

static ct_tensor *at_least(ct_tensor *i, ct_tensor *limit)
{
    return ct_ge(i, limit);
}

static ct_tensor *goes_on(void *user, ct_tensor *const *carry)
{
    const counting *c = user;
    return c->compare(carry[1], c->is_captured ? c->limit_around : integer(carry[0], c->limit));
}

static void step(void *user, ct_tensor **carry)
{
    const counting *c = user;
    carry[0] = damped(carry[0], carry[1], c->k);
    carry[1] = ct_add(carry[1], c->is_captured ? c->step_around : integer(carry[0], c->step));
}

static counting way;

static ct_tensor *counted_while(ct_tensor *x, ct_tensor *k)
{
    ct_tensor *carry[] = {x, integer(x, way.start)};
    way.k = k;
    way.limit_around = integer(x, way.limit);
    way.step_around = integer(x, way.step);
    ct_while(goes_on, step, &way, 2, carry);
    return ct_add(total(carry[0]), ct_cast(carry[1], CT_F64));
}

static void outer_by_index(void *k, ct_tensor *i, ct_tensor **carry)
{
    (void)i;
    ct_for(by_index, k, integer(carry[0], 7), 1, carry);
}

static ct_tensor *nested_for(ct_tensor *x, ct_tensor *k)
{
    ct_for(outer_by_index, k, integer(x, 9), 1, &x);
    return total(x);
}

static ct_function *traced(ct_context *ctx, ct_tensor *(*f)(ct_tensor *, ct_tensor *))
{
    return ct_trace(
        ctx, f, CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE(EXTENT)), ct_spec(ctx, CT_F64, CT_SHAPE())));
}

static ct_tensor *gradient(ct_context *ctx, ct_function *f, int64_t by, size_t *bytes)
{
    ct_executable *g = ct_compile(ct_grad(f, CT_ARGS(by)), NULL);
    *bytes = ct_executable_block_bytes(g);
    return ct_call1(g,
                    CT_ARGV(ct_linspace(ctx, CT_F64, -1, 1, EXTENT), ct_scalar(ctx, CT_F64, 0.9)));
}

/* The number behind "at least " in the context's error, which is cleared. */
static int64_t needed(ct_context *ctx)
{
    const char *at = strstr(ct_error_message(ctx), "at least ");
    CHECK_MSG(at && ct_error_status(ctx) == CT_ERR_RANGE, "%s", ct_error_message(ctx));
    int64_t bytes = at ? strtoll(at + strlen("at least "), NULL, 10) : 0;
    ct_error_clear(ctx);
    return bytes;
}

static ct_function *within(ct_function *f, int64_t bytes)
{
    const ct_reverse_options o = {.size = sizeof o, .strategy = CT_REVERSE_LIMIT, .bytes = bytes};
    return ct_reverse_loops(f, &o);
}

/* Every limit is kept, by the run's memory and by the report, and nothing is left uncounted. */
static void check_limits(ct_context *ctx, ct_tensor *(*code)(ct_tensor *, ct_tensor *))
{
    ct_function *f = traced(ctx, code);
    within(f, 1000);
    const int64_t least = needed(ctx);
    size_t bytes;
    ct_tensor *want = gradient(ctx, f, 0, &bytes), *sum = gradient(ctx, f, 1, &bytes);
    for (int64_t limit = least; limit < 64 * least; limit *= 4) {
        ct_function *g = within(f, limit);
        ct_residual_report *report = ct_residuals(g, CT_ALL_ARGS);
        ct_tensor *got = gradient(ctx, g, 0, &bytes);
        CHECK_OK(ctx);
        CHECK_EQUAL(got, want);
        CHECK_MSG((int64_t)bytes <= limit, "%zu of %lld", bytes, (long long)limit);
        CHECK(fabs(ct_item(gradient(ctx, g, 1, &bytes)) - ct_item(sum)) <=
              1e-13 * fabs(ct_item(sum)));
        CHECK_MSG((int64_t)bytes <= limit, "%zu of %lld", bytes, (long long)limit);
        CHECK(ct_residuals_bytes(report, CT_RESIDUAL_KEPT) <= (uint64_t)limit);
        CHECK(ct_residuals_iteration_bytes(report, CT_RESIDUAL_KEPT) == 0);
        CHECK(ct_residuals_iteration_bytes(report, CT_RESIDUAL_RECOMPUTED) == 0);
        CHECK_OK(ctx);
    }
    if (code != nested_for) {
        within(f, least - 1);
        CHECK(needed(ctx) == least);
    }
}

TEST(counts_that_constants_tell)
{
    static const counting ways[] = {
        {less, 0, COUNT, 1, false, NULL, NULL, NULL},
        {more_than, 3, COUNT, 2, true, NULL, NULL, NULL},
        {at_most, -5, 31, 3, true, NULL, NULL, NULL},
        {at_least, 40, 1, -1, false, NULL, NULL, NULL},
    };
    ct_context *ctx = ct_context_new();
    check_limits(ctx, counted_for);
    check_limits(ctx, nested_for);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        way = ways[i];
        check_limits(ctx, counted_while);
    }
    ct_context_free(ctx);
}

/* None, one, and such as never end or go the wrong way: their loops stay while loops. */
TEST(counts_that_are_none)
{
    static const counting ways[] = {
        {less, 5, 5, 1, false, NULL, NULL, NULL},
        {less, 4, 5, 1, false, NULL, NULL, NULL},
        {at_least, 0, 1, 1, false, NULL, NULL, NULL},
        {less, 0, (int64_t)1 << 62, (int64_t)1 << 61, false, NULL, NULL, NULL}, /* nearly that */
    };
    ct_context *ctx = ct_context_new();
    const ct_reverse_options by_root = {.size = sizeof by_root, .strategy = CT_REVERSE_SQRT};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        size_t bytes;
        way = ways[i];
        ct_function *f = traced(ctx, counted_while), *g = ct_reverse_loops(f, &by_root);
        ct_tensor *got = gradient(ctx, g, 0, &bytes), *want = gradient(ctx, f, 0, &bytes);
        CHECK_OK(ctx);
        CHECK_EQUAL(got, want);
        CHECK(strstr(ct_function_text(g, CT_TEXT_STABLEHLO), "ct.scan") == NULL);
    }
    ct_context_free(ctx);
}

/* Snapshots are for counts that constants tell, in every loop. */
TEST(snapshots)
{
    ct_context *ctx = ct_context_new();
    const ct_reverse_options o = {
        .size = sizeof o, .strategy = CT_REVERSE_BINOMIAL, .snapshots = 4};
    size_t bytes, all;
    ct_function *f = traced(ctx, counted_for), *g = ct_reverse_loops(f, &o);
    CHECK_EQUAL(gradient(ctx, g, 0, &bytes), gradient(ctx, f, 0, &all));
    /* 4 carries, and 2 for each of the 4 times that 60 <= (4 + 4)!/(4! 4!) iterations are done */
    CHECK_MSG(bytes <= (4 + 2 * 4 + 6) * 8 * EXTENT + 4096, "%zu bytes", bytes);
    ct_context_free(ctx);
}

/* ---- Loops that a run counts. All take the count n, x and k. */

static ct_tensor *for_of_run(ct_tensor *n, ct_tensor *x, ct_tensor *k)
{
    ct_for(by_index, k, n, 1, &x);
    return total(x);
}

static ct_tensor *while_of_run(ct_tensor *n, ct_tensor *x, ct_tensor *k)
{
    counting c = {less, 0, 0, 1, true, k, n, integer(x, 1)};
    ct_tensor *carry[] = {x, ct_mul(n, 0)};
    ct_while(goes_on, step, &c, 2, carry);
    return total(carry[0]);
}

static void outer_of_run(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *const *nk = user;
    (void)i;
    ct_for(by_index, nk[1], nk[0], 1, carry);
}

static ct_tensor *nested_of_run(ct_tensor *n, ct_tensor *x, ct_tensor *k)
{
    ct_for(outer_of_run, (ct_tensor *[]){n, k}, n, 1, &x);
    return total(x);
}

static ct_tensor *for_in_for_of_run(ct_tensor *n, ct_tensor *x, ct_tensor *k)
{
    ct_for(outer_by_index, k, n, 1, &x);
    return total(x);
}

/* exp(k) is the same in all iterations. */
static void with_invariant(void *k, ct_tensor *i, ct_tensor **carry)
{
    (void)i;
    carry[0] = ct_sin(ct_mul(carry[0], ct_exp(ct_broadcast_to(k, CT_SHAPE(EXTENT)))));
}

static ct_tensor *invariant_of_run(ct_tensor *n, ct_tensor *x, ct_tensor *k)
{
    ct_for(with_invariant, k, n, 1, &x);
    return total(x);
}

/* Of 1 - exp(-k i), spread over all elements, exp(-k i) is kept. */
static void with_broadcast(void *k, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *faded = ct_exp(ct_neg(ct_mul(ct_cast(i, CT_F64), k)));
    ct_tensor *factor = ct_sub(1, ct_broadcast_to(faded, CT_SHAPE(EXTENT)));
    carry[0] = ct_mul(ct_sin(carry[0]), ct_add(factor, 0.5));
}

static ct_tensor *broadcast_of_run(ct_tensor *n, ct_tensor *x, ct_tensor *k)
{
    ct_for(with_broadcast, k, n, 1, &x);
    return total(x);
}

typedef ct_tensor *of_run(ct_tensor *n, ct_tensor *x, ct_tensor *k);

static ct_function *traced_of_run(ct_context *ctx, of_run *f)
{
    ct_tensor *scalar = ct_spec(ctx, CT_F64, CT_SHAPE());
    return ct_trace(
        ctx, f,
        CT_LIKE(ct_spec(ctx, CT_I64, CT_SHAPE()), ct_spec(ctx, CT_F64, CT_SHAPE(EXTENT)), scalar));
}

static ct_tensor *gradient_of_run(ct_context *ctx, ct_function *f, int64_t by, int64_t n)
{
    return ct_apply1(ct_grad(f, CT_ARGS(by)),
                     CT_ARGV(ct_scalar(ctx, CT_I64, (double)n),
                             ct_linspace(ctx, CT_F64, -1, 1, EXTENT), ct_scalar(ctx, CT_F64, 0.9)));
}

static of_run *const loops_of_run[] = {for_of_run,       while_of_run,  invariant_of_run,
                                       broadcast_of_run, nested_of_run, for_in_for_of_run};
enum { N_ALONE = 4 }; /* without loops in them */
#define N_LOOPS_OF_RUN (sizeof loops_of_run / sizeof *loops_of_run)

/* One byte less than what a refusal says is refused; with it and more, gradients are the loop's. */
TEST(gradients_of_counts_of_a_run)
{
    ct_context *ctx = ct_context_new();
    static const int64_t counts[] = {-1, 0, 1, 2, 13, 40};
    for (size_t i = 0; i < N_LOOPS_OF_RUN; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_function *f = traced_of_run(ctx, loops_of_run[i]);
        within(f, 10);
        const int64_t least = needed(ctx);
        if (i < N_ALONE) {
            within(f, least - 1);
            CHECK_MSG(needed(ctx) == least, "%zu", i);
        }
        for (int64_t limit = least; limit <= 64 * least; limit *= 8) {
            ct_function *g = within(f, limit);
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                CHECK_EQUAL(gradient_of_run(ctx, g, 1, counts[c]),
                            gradient_of_run(ctx, f, 1, counts[c]));
                double got = ct_item(gradient_of_run(ctx, g, 2, counts[c]));
                double want = ct_item(gradient_of_run(ctx, f, 2, counts[c]));
                CHECK_MSG(fabs(got - want) <= 1e-12 * fabs(want), "%zu: %g, not %g", i, got, want);
            }
        }
        CHECK_OK(ctx);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* What a refusal asks for is what the report tells: of one iteration, of a segment of one, of what
 * is there once. */
TEST(least_is_what_the_report_tells)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < N_ALONE; i++) {
        ct_function *f = traced_of_run(ctx, loops_of_run[i]);
        within(f, 10);
        const int64_t least = needed(ctx);
        ct_residual_report *report = ct_residuals(within(f, least), CT_ALL_ARGS);
        uint64_t sum = 0;
        for (ct_residual_kind kind = CT_RESIDUAL_KEPT; kind <= CT_RESIDUAL_RECOMPUTED; kind++)
            if (kind != CT_RESIDUAL_ARGUMENT)
                sum += ct_residuals_bytes(report, kind) +
                       ct_residuals_iteration_bytes(report, kind);
        CHECK_MSG((int64_t)sum == least, "%zu: %lld, not %lld\n%s", i, (long long)sum,
                  (long long)least, ct_residuals_text(report));
        /* sine and cosine, the carry of a segment, and numbers */
        CHECK_MSG(loops_of_run[i] != broadcast_of_run || sum < (3 * EXTENT + 8) * 8, "%s",
                  ct_residuals_text(report));
    }
    ct_context_free(ctx);
}

/* ---- The memory of a run: its stacks, beside the block. */

typedef struct counter {
    size_t now, most;
} counter;

enum { HEAD = 64 }; /* keeps the alignment of aligned_alloc */

static void *count_alloc(void *user, size_t bytes, size_t alignment)
{
    counter *c = user;
    bool is_fine = alignment <= HEAD && bytes <= SIZE_MAX - 2 * HEAD;
    char *block = is_fine ? aligned_alloc(HEAD, (bytes + 2 * HEAD - 1) / HEAD * HEAD) : NULL;
    if (!block)
        return NULL;
    c->now += bytes;
    c->most = c->now > c->most ? c->now : c->most;
    return block + HEAD;
}

static void count_free(void *user, void *memory, size_t bytes)
{
    counter *c = user;
    c->now -= bytes;
    free((char *)memory - HEAD);
}

/* The most bytes beside the instance. */
static size_t memory_of_run(counter *c, ct_executable *f, int64_t n)
{
    double x[EXTENT], k = 0.9, result[EXTENT];
    for (size_t i = 0; i < EXTENT; i++)
        x[i] = (double)i / EXTENT;
    ct_instance *run = ct_instance_new(f);
    CHECK(ct_bind_input(run, 0, &n, sizeof n) == CT_OK);
    CHECK(ct_bind_input(run, 1, x, sizeof x) == CT_OK);
    CHECK(ct_bind_input(run, 2, &k, sizeof k) == CT_OK);
    CHECK(ct_bind_output(run, 0, result, sizeof result) == CT_OK);
    CHECK(ct_run(run) == CT_OK); /* with it the block is there */
    size_t before = c->now;
    c->most = before;
    CHECK(ct_run(run) == CT_OK);
    ct_instance_free(run);
    return c->most - before;
}

#ifdef CT_SANITIZED
enum { LARGE = 1000, SMALL_LIMIT = 40000 };
#else
enum { LARGE = 5000, SMALL_LIMIT = 60000 };
#endif

/* Stacks have room for a quarter more than they hold, for at least 4 values, and 33 bytes for each
 * beside it; there are at most 8 of them here. The count of iterations is no matter. */
TEST(memory_of_runs)
{
    of_run *const loops[] = {for_of_run, while_of_run, invariant_of_run};
    for (size_t i = 0; i < 2 * sizeof loops / sizeof *loops; i++) {
        const int64_t limit = i % 2 ? SMALL_LIMIT : 4 * SMALL_LIMIT;
        counter c = {0, 0};
        ct_context *ctx = ct_context_new_with(
            &(ct_allocator){sizeof(ct_allocator), &c, count_alloc, count_free});
        ct_function *f = traced_of_run(ctx, loops[i / 2]), *g = within(f, limit);
        ct_executable *all = ct_compile(ct_grad(f, CT_ARGS(1)), NULL);
        ct_executable *less_of_it = ct_compile(ct_grad(g, CT_ARGS(1)), NULL);
        const double value = 8 * EXTENT;
        const double room = 1.25 * (double)limit * (value + 33) / value + 8 * 4 * (value + 100);
        CHECK_OK(ctx);
        for (int64_t n = 1; n <= LARGE; n = n < LARGE && 7 * n > LARGE ? LARGE : 7 * n) {
            size_t bytes = memory_of_run(&c, less_of_it, n);
            CHECK_MSG((double)bytes <= room, "%zu, n = %lld: %zu bytes of %lld", i, (long long)n,
                      bytes, (long long)limit);
        }
        CHECK((double)memory_of_run(&c, all, LARGE) > room);
        ct_context_free(ctx);
    }
}

/* ---- Loops that are left as they are. */

static void only_add(void *k, ct_tensor *i, ct_tensor **carry)
{
    (void)i;
    carry[0] = ct_add(carry[0], (ct_tensor *)k);
}

static ct_tensor *keeps_nothing(ct_tensor *n, ct_tensor *x, ct_tensor *k)
{
    ct_for(only_add, k, n, 1, &x);
    return total(x);
}

static void only_count(void *k, ct_tensor *i, ct_tensor **carry)
{
    (void)k;
    carry[0] = ct_add(carry[0], ct_mul(i, i));
}

static ct_tensor *without_derivative(ct_tensor *n, ct_tensor *x, ct_tensor *k)
{
    ct_tensor *sum = ct_mul(n, 0);
    ct_for(only_count, NULL, n, 1, &sum);
    return ct_mul(ct_mul(total(x), k), ct_cast(sum, CT_F64));
}

TEST(nothing_to_spare)
{
    ct_context *ctx = ct_context_new();
    of_run *const loops[] = {keeps_nothing, without_derivative};
    for (size_t i = 0; i < 2; i++) {
        ct_function *f = traced_of_run(ctx, loops[i]);
        const char *text = strstr(ct_function_text(f, CT_TEXT_STABLEHLO), "func.func");
        const char *same = strstr(ct_function_text(within(f, 0), CT_TEXT_STABLEHLO), "func.func");
        CHECK(text && same && strcmp(text, same) == 0);
        CHECK_OK(ctx);
    }
    ct_context_free(ctx);
}

/* ---- Loops that read stacks: derivatives. */

static ct_function *slope; /* of for_of_run by x */

static ct_tensor *norm_of_slope(ct_tensor *n, ct_tensor *x, ct_tensor *k)
{
    return total(ct_square(ct_apply1(slope, CT_ARGV(n, x, k))));
}

static void check_slopes(ct_context *ctx, ct_function *g, ct_function *f)
{
    ct_tensor *got = gradient_of_run(ctx, g, 1, 20), *want = gradient_of_run(ctx, f, 1, 20);
    CHECK_OK(ctx);
    for (int64_t i = 0; i < EXTENT; i++)
        CHECK(fabs(ct_at(got, i) - ct_at(want, i)) <= 1e-13 * fabs(ct_at(want, i)));
}

TEST(derivatives_of_derivatives)
{
    ct_context *ctx = ct_context_new();
    slope = ct_grad(traced_of_run(ctx, for_of_run), CT_ARGS(1));
    ct_function *f = traced_of_run(ctx, norm_of_slope), *g = within(f, 100000);
    check_slopes(ctx, g, f);
    slope = ct_grad(within(traced_of_run(ctx, for_of_run), 20000), CT_ARGS(1));
    g = traced_of_run(ctx, norm_of_slope);
    check_slopes(ctx, g, f);
    ct_context_free(ctx);
}

/* Where every run takes long, one loop. */
static void limited(ct_context *ctx)
{
    ct_grad(within(traced_of_run(ctx, while_of_run), 4000000), CT_ARGS(1));
#ifndef CT_SANITIZED
    ct_grad(within(traced(ctx, counted_for), 40000), CT_ARGS(0));
    way = (counting){less, 0, 3, 1, false, NULL, NULL, NULL};
    ct_grad(within(traced(ctx, counted_while), 4000000), CT_ARGS(0));
#endif
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(limited);
}
