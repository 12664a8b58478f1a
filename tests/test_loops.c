/* while, case and map as primitives: at once, compiled and inside one another. */
#include "tests/values.h"

#include <cotangent/context.h>
#include <cotangent/exec.h>
#include <cotangent/op.h>
#include <cotangent/trace.h>

/* ---- Bodies. */

typedef void filler(ct_context *ctx, ct_list p, ct_tensor **r);

/* A function of parameters like these, with results by `fill`. */
static ct_function *function_of(ct_context *ctx, const char *name, ct_list like, size_t n_results,
                                filler *fill)
{
    ct_tensor *p[8], *r[8];
    ct_trace_builder *b = ct_trace_begin(ctx, name, like);
    for (size_t i = 0; i < like.count; i++)
        p[i] = ct_trace_parameter(b, i);
    fill(ctx, (ct_list){like.count, p}, r);
    return ct_trace_end(b, (ct_list){n_results, r});
}

static ct_tensor *i32(ct_context *ctx, int64_t value)
{
    return ct_scalar(ctx, CT_I32, (double)value);
}

/* (n, x, limit) -> n < limit */
static void below(ct_context *ctx, ct_list p, ct_tensor **r)
{
    (void)ctx;
    r[0] = ct_op_compare(p.item[0], p.item[2], CT_LT, CT_COMPARE_DEFAULT);
}

/* (n, x, limit) -> n + 1, 2 x */
static void doubled(ct_context *ctx, ct_list p, ct_tensor **r)
{
    r[0] = ct_op_add(p.item[0], i32(ctx, 1));
    r[1] = ct_op_add(p.item[1], p.item[1]);
}

/* (n, x, limit) -> 2^(limit - n) x while n < limit */
static void loop(ct_context *ctx, ct_list p, ct_tensor **r)
{
    ct_function *cond = function_of(ctx, "below", p, 1, below);
    ct_function *body = function_of(ctx, "doubled", p, 2, doubled);
    ct_op_while((ct_list){2, p.item}, CT_ARGV(p.item[2]), cond, body, r);
}

/* The results of f at once and compiled; they must agree. */
static void both(ct_context *ctx, filler *fill, ct_list x, size_t n_results, ct_tensor **r)
{
    ct_tensor *compiled[8];
    fill(ctx, x, r);
    CHECK_OK(ctx);
    ct_executable *f = ct_compile(function_of(ctx, "f", x, n_results, fill), NULL);
    ct_call(f, x, compiled, n_results);
    CHECK_OK(ctx);
    for (size_t i = 0; i < n_results; i++)
        CHECK_BITS(compiled[i], r[i]);
}

/* ---- while. */

/* Both parities of the count, for the carries alternate between two places. */
TEST(while_counts)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3}), *r[2];

    for (int n = 0; n <= 5; n++) {
        double factor = 1 << n;
        both(ctx, loop, CT_ARGV(i32(ctx, 7), x, i32(ctx, 7 + n)), 2, r);
        CHECK_VALUES(r[0], CT_SHAPE(), {7 + n});
        CHECK_VALUES(r[1], CT_SHAPE(3), {factor, 2 * factor, 3 * factor});
    }
    ct_context_free(ctx);
}

/* Zero iterations: the first condition does not hold. */
TEST(while_without_iterations)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3}), *r[2];

    both(ctx, loop, CT_ARGV(i32(ctx, 9), x, i32(ctx, 3)), 2, r);
    CHECK_VALUES(r[0], CT_SHAPE(), {9});
    CHECK_VALUES(r[1], CT_SHAPE(3), {1, 2, 3});
    both(ctx, loop, CT_ARGV(i32(ctx, 0), ct_zeros(ctx, CT_F64, CT_SHAPE(0, 4)), i32(ctx, 3)), 2, r);
    CHECK_EMPTY(r[1], CT_SHAPE(0, 4));
    ct_context_free(ctx);
}

/* (a, b, limit) -> b, a + b: carries that change places in one iteration. */
static void fibonacci_step(ct_context *ctx, ct_list p, ct_tensor **r)
{
    (void)ctx;
    r[0] = p.item[1];
    r[1] = ct_op_add(p.item[0], p.item[1]);
}

static void fibonacci(ct_context *ctx, ct_list p, ct_tensor **r)
{
    ct_op_while((ct_list){2, p.item}, CT_ARGV(p.item[2]), function_of(ctx, "below", p, 1, below),
                function_of(ctx, "step", p, 2, fibonacci_step), r);
}

TEST(while_swaps_its_carries)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *r[2];

    both(ctx, fibonacci, CT_ARGV(i32(ctx, 0), i32(ctx, 1), i32(ctx, 100)), 2, r);
    CHECK_VALUES(r[0], CT_SHAPE(), {144});
    CHECK_VALUES(r[1], CT_SHAPE(), {233});
    ct_context_free(ctx);
}

/* (i, s, n) -> i + 1, s + (1 << i): a while in a while, over 0 … i - 1. */
static void outer_step(ct_context *ctx, ct_list p, ct_tensor **r)
{
    ct_tensor *inner[2], *zero = ct_op_subtract(p.item[0], p.item[0]);
    ct_tensor *x[] = {zero, ct_op_add(zero, i32(ctx, 1)), p.item[0]};
    loop(ctx, (ct_list){3, x}, inner);
    r[0] = ct_op_add(p.item[0], i32(ctx, 1));
    r[1] = ct_op_add(p.item[1], inner[1]);
}

static void nested(ct_context *ctx, ct_list p, ct_tensor **r)
{
    ct_op_while((ct_list){2, p.item}, CT_ARGV(p.item[2]), function_of(ctx, "below", p, 1, below),
                function_of(ctx, "outer", p, 2, outer_step), r);
}

TEST(while_in_while)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *r[2];

    both(ctx, nested, CT_ARGV(i32(ctx, 0), i32(ctx, 0), i32(ctx, 10)), 2, r);
    CHECK_VALUES(r[0], CT_SHAPE(), {10});
    CHECK_VALUES(r[1], CT_SHAPE(), {1023}); /* Σ 2^i, i < 10 */
    ct_context_free(ctx);
}

/* ---- case. */

static void first(ct_context *ctx, ct_list p, ct_tensor **r)
{
    (void)ctx;
    r[0] = p.item[0];
}

static void second(ct_context *ctx, ct_list p, ct_tensor **r)
{
    (void)ctx;
    r[0] = p.item[1];
}

static void sum(ct_context *ctx, ct_list p, ct_tensor **r)
{
    (void)ctx;
    r[0] = ct_op_add(p.item[0], p.item[1]);
}

/* (index, x, y) -> x, y, or x + y */
static void three_ways(ct_context *ctx, ct_list p, ct_tensor **r)
{
    ct_list captures = {2, p.item + 1};
    ct_function *branch[] = {function_of(ctx, "first", captures, 1, first),
                             function_of(ctx, "second", captures, 1, second),
                             function_of(ctx, "sum", captures, 1, sum)};
    ct_op_case(p.item[0], 3, branch, captures, r, 1);
}

static void one_way(ct_context *ctx, ct_list p, ct_tensor **r)
{
    ct_list captures = {2, p.item + 1};
    ct_function *branch[] = {function_of(ctx, "sum", captures, 1, sum)};
    ct_op_case(p.item[0], 1, branch, captures, r, 1);
}

TEST(case_takes_the_branch)
{
    static const struct {
        int64_t index;
        double want;
    } row[] = {{0, 10},   {1, 200},     {2, 210},         {3, 210},        {1000, 210},
               {-1, 210}, {-1000, 210}, {INT32_MAX, 210}, {INT32_MIN, 210}};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 10), *y = ct_scalar(ctx, CT_F64, 200), *r[1];

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        both(ctx, three_ways, CT_ARGV(i32(ctx, row[i].index), x, y), 1, r);
        CHECK_VALUES(r[0], CT_SHAPE(), {row[i].want});
        both(ctx, one_way, CT_ARGV(i32(ctx, row[i].index), x, y), 1, r);
        CHECK_VALUES(r[0], CT_SHAPE(), {210});
    }
    ct_context_free(ctx);
}

/* ---- map. */

/* (element of x, element of n, bias) -> x bias, where n > 0, else bias */
static void scaled(ct_context *ctx, ct_list p, ct_tensor **r)
{
    ct_tensor *positive = ct_op_compare(p.item[1], i32(ctx, 0), CT_GT, CT_COMPARE_DEFAULT);
    r[0] = ct_op_select(positive, ct_op_multiply(p.item[0], p.item[2]), p.item[2]);
}

static void mapped(ct_context *ctx, ct_list p, ct_tensor **r)
{
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *n = ct_spec(ctx, CT_I32, CT_SHAPE());
    ct_function *body = function_of(ctx, "scaled", CT_LIKE(f, n, f), 1, scaled);
    r[0] = ct_op_map((ct_list){2, p.item}, CT_ARGV(p.item[2]), body);
}

TEST(map_applies_its_body)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *bias = ct_scalar(ctx, CT_F32, 2), *r[1];
    ct_tensor *n = given(ctx, CT_I32, CT_SHAPE(2, 3), {1, 0, 1, -1, 5, 0});

    both(ctx, mapped, CT_ARGV(x, n, bias), 1, r);
    CHECK_VALUES(r[0], CT_SHAPE(2, 3), {0, 2, 4, 2, 22, 2});
    both(ctx, mapped, CT_ARGV(ct_scalar(ctx, CT_F32, 3), i32(ctx, 1), bias), 1, r);
    CHECK_VALUES(r[0], CT_SHAPE(), {6});
    x = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0));
    both(ctx, mapped, CT_ARGV(x, ct_zeros(ctx, CT_I32, CT_SHAPE(2, 0)), bias), 1, r);
    CHECK_EMPTY(r[0], CT_SHAPE(2, 0));
    ct_context_free(ctx);
}

/* The result's dtype is the body's. */
static void is_positive(ct_context *ctx, ct_list p, ct_tensor **r)
{
    (void)ctx;
    r[0] = ct_op_compare(p.item[0], ct_op_subtract(p.item[0], p.item[0]), CT_GT,
                         CT_COMPARE_DEFAULT);
}

TEST(map_changes_the_dtype)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {-1, 0, 1, 2});
    ct_tensor *f = ct_spec(ctx, CT_F64, CT_SHAPE());
    ct_tensor *y = ct_op_map(CT_ARGV(x), CT_NO_TENSORS,
                             function_of(ctx, "positive", CT_LIKE(f), 1, is_positive));

    CHECK_VALUES(y, CT_SHAPE(4), {0, 0, 1, 1});
    CHECK(ct_dtype_of(y) == CT_BOOL);
    ct_context_free(ctx);
}

/* ---- No memory. */

static void everything(ct_context *ctx)
{
    ct_tensor *r[2], *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3});
    three_ways(ctx, CT_ARGV(i32(ctx, 1), x, x), r);
    mapped(ctx, CT_ARGV(x, ct_zeros(ctx, CT_I32, CT_SHAPE(3)), ct_scalar(ctx, CT_F32, 2)), r);
}

static void loop_only(ct_context *ctx)
{
    ct_tensor *r[2];
    ct_list x = CT_ARGV(i32(ctx, 0), i32(ctx, 0), i32(ctx, 3));
    nested(ctx, x, r);
    ct_call(ct_compile(function_of(ctx, "f", x, 2, nested), NULL), x, r, 2);
}

TEST(memory_may_run_out)
{
    CHECK_ALLOCATIONS(everything);
    CHECK_ALLOCATIONS(loop_only);
}
