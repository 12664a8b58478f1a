/* What reverse mode makes again instead of keeping it: broadcasts, and what is cheap to compute
 * from them. Bytes by hand, those of the report, of ct_linearize and of runs; gradients of loops to
 * the bit of the same program without a loop. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <string.h>

enum { WIDE = 1000, COUNT = 10, ROWS = 32, COLUMNS = 64 };

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *wide(ct_tensor *s)
{
    return ct_broadcast_to(s, CT_SHAPE(WIDE));
}

static uint64_t bytes_of(const ct_type *type)
{
    ct_shape shape = ct_type_shape(type);
    uint64_t bytes = ct_dtype_bytes(ct_type_dtype(type));
    for (size_t d = 0; d < shape.count; d++)
        bytes *= (uint64_t)shape.dim[d];
    return bytes;
}

/* Of all that the report tells but what is recomputed; of residuals that ct_linearize gives. */
static void check_linearized(ct_function *f, ct_args wrt, const ct_residual_report *report)
{
    ct_linearized split = ct_linearize(f, wrt);
    uint64_t told = ct_residuals_bytes(report, CT_RESIDUAL_KEPT) +
                    ct_residuals_bytes(report, CT_RESIDUAL_ARGUMENT);
    uint64_t given = 0;
    for (size_t i = 0; i < split.n_residuals; i++)
        given += bytes_of(ct_result_type(split.primal, ct_function_results(f) + i));
    CHECK_MSG(told == given, "%llu bytes told, %llu given:\n%s", (unsigned long long)told,
              (unsigned long long)given, ct_residuals_text(report));
}

/* By argument 0: bytes kept, those an iteration of loops that a run counts, and recomputed. */
#define CHECK_KEPT(f, ...) check_kept(__LINE__, f, (const uint64_t[3]){__VA_ARGS__})
static void check_kept(int line, ct_function *f, const uint64_t *expected)
{
    ct_residual_report *report = ct_residuals(f, CT_ARGS(0));
    const uint64_t found[] = {ct_residuals_bytes(report, CT_RESIDUAL_KEPT),
                              ct_residuals_iteration_bytes(report, CT_RESIDUAL_KEPT),
                              ct_residuals_bytes(report, CT_RESIDUAL_RECOMPUTED)};
    CHECK_OK(ct_function_context(f));
    if (memcmp(found, expected, sizeof found) != 0)
        check_fail(__FILE__, line, "other bytes:\n%s", ct_residuals_text(report));
    if (expected[1] == 0)
        check_linearized(f, CT_ARGS(0), report);
}

static ct_tensor *spec(ct_context *ctx, ct_shape shape)
{
    return ct_spec(ctx, CT_F32, shape);
}

/* ---- Without loops. */

static ct_tensor *scaled(ct_tensor *x, ct_tensor *s)
{
    return total(ct_square(ct_mul(x, wide(s))));
}

static ct_tensor *faded(ct_tensor *x, ct_tensor *s)
{
    return total(ct_mul(x, ct_sub(1, wide(ct_exp(ct_neg(s))))));
}

static ct_tensor *folded(ct_tensor *x, ct_tensor *s)
{
    ct_tensor *rows = ct_reshape(wide(s), CT_SHAPE(10, 100));
    return total(ct_mul(ct_reshape(x, CT_SHAPE(100, 10)), ct_transpose(rows, CT_AXES(1, 0))));
}

static ct_tensor *padded(ct_tensor *x, ct_tensor *s)
{
    ct_tensor *half = ct_broadcast_to(s, CT_SHAPE(WIDE / 2));
    return total(
        ct_mul(x, ct_concatenate(((ct_list){2, (ct_tensor *[]){half, ct_mul(half, 3)}}), 0)));
}

static ct_tensor *numbered(ct_tensor *x, ct_tensor *s)
{
    ct_tensor *place = ct_arange(ct_context_of(x), CT_F32, 0, WIDE, 1);
    return total(ct_mul(x, ct_add(ct_mul(place, 0.5), s)));
}

/* Of a scalar: nothing but it, and what exp made of it. */
TEST(of_a_scalar)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = spec(ctx, CT_SHAPE(WIDE)), *s = spec(ctx, CT_SHAPE());
    CHECK_KEPT(ct_trace(ctx, scaled, CT_LIKE(x, s)), 0);
    CHECK_KEPT(ct_trace(ctx, faded, CT_LIKE(x, s)), 4);
    CHECK_KEPT(ct_trace(ctx, folded, CT_LIKE(x, s)), 0);
    CHECK_KEPT(ct_trace(ctx, padded, CT_LIKE(x, s)), 0);
    CHECK_KEPT(ct_trace(ctx, numbered, CT_LIKE(x, s)), 0);
    ct_context_free(ctx);
}

static ct_tensor *waves(ct_tensor *x, ct_tensor *s)
{
    return total(ct_mul(x, ct_exp(wide(s))));
}

static ct_tensor *products(ct_tensor *x, ct_tensor *w)
{
    return total(ct_mul(x, ct_matmul(w, w)));
}

static ct_tensor *folds(ct_tensor *x, ct_tensor *w)
{
    return total(ct_mul(x, ct_sum(w, CT_AXES(1), CT_DROP_AXES)));
}

/* Transcendental functions, products and folds are kept as they are. */
TEST(what_is_not_cheap)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = spec(ctx, CT_SHAPE(WIDE)), *s = spec(ctx, CT_SHAPE());
    ct_tensor *w = spec(ctx, CT_SHAPE(20, 20));
    CHECK_KEPT(ct_trace(ctx, waves, CT_LIKE(x, s)), 4 * WIDE);
    CHECK_KEPT(ct_trace(ctx, products, CT_LIKE(w, w)), 4 * 400);
    CHECK_KEPT(ct_trace(ctx, folds, CT_LIKE(spec(ctx, CT_SHAPE(20)), w)), 4 * 20);
    ct_context_free(ctx);
}

static ct_tensor *masked(ct_tensor *x, ct_tensor *mask)
{
    return total(ct_where(ct_not(ct_transpose(mask, CT_AXES(1, 0))), x, -1e9));
}

static ct_tensor *normalised(ct_tensor *x, ct_tensor *scale)
{
    ct_tensor *mean = ct_mean(x, CT_AXES(-1), CT_KEEP_AXES), *d = ct_sub(x, mean);
    ct_tensor *variance = ct_mean(ct_square(d), CT_AXES(-1), CT_KEEP_AXES);
    return total(ct_square(ct_mul(ct_mul(d, ct_rsqrt(ct_add(variance, 1e-5))), scale)));
}

static ct_tensor *shares(ct_tensor *x)
{
    return total(ct_square(ct_softmax(x, CT_AXES(-1))));
}

/* Rows of numbers that broadcasts spread over columns: the mean, the deviation's inverse and its
 * slope; exp(x) and its sums. */
TEST(of_rows)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = spec(ctx, CT_SHAPE(ROWS, COLUMNS));
    ct_tensor *mask = ct_spec(ctx, CT_BOOL, CT_SHAPE(20, 30));
    CHECK_KEPT(ct_trace(ctx, masked, CT_LIKE(spec(ctx, CT_SHAPE(8, 30, 20)), mask)), 0);
    CHECK_KEPT(ct_trace(ctx, normalised, CT_LIKE(x, spec(ctx, CT_SHAPE(COLUMNS)))), 3 * 4 * ROWS);
    CHECK_KEPT(ct_trace(ctx, shares, CT_LIKE(x)), 4 * ROWS * COLUMNS + 4 * ROWS);
    ct_context_free(ctx);
}

static ct_tensor *faded_lane(ct_tensor *x, ct_tensor *s)
{
    return ct_mul(x, ct_sub(1, wide(ct_exp(s))));
}

static ct_tensor *lanes(ct_tensor *x, ct_tensor *s)
{
    ct_context *ctx = ct_context_of(x);
    ct_function *f = ct_trace(ctx, faded_lane,
                              CT_LIKE(spec(ctx, CT_SHAPE(WIDE)), spec(ctx, CT_SHAPE())));
    return total(ct_apply1(ct_vmap_leading(f, 6), CT_ARGV(x, s)));
}

static ct_tensor *called(ct_tensor *x, ct_tensor *s)
{
    return total(ct_apply1(ct_trace(ct_context_of(x), faded_lane, CT_LIKE(x, s)), CT_ARGV(x, s)));
}

static ct_tensor *checkpointed(ct_tensor *x, ct_tensor *s)
{
    ct_function *f = ct_trace(ct_context_of(x), faded_lane, CT_LIKE(x, s));
    return total(ct_apply1(ct_checkpoint(f, NULL), CT_ARGV(x, s)));
}

TEST(in_functions)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = spec(ctx, CT_SHAPE(WIDE)), *s = spec(ctx, CT_SHAPE());
    CHECK_KEPT(ct_trace(ctx, called, CT_LIKE(x, s)), 4);
    CHECK_KEPT(ct_trace(ctx, checkpointed, CT_LIKE(x, s)), 0, 0, 4);
    CHECK_KEPT(ct_trace(ctx, lanes, CT_LIKE(spec(ctx, CT_SHAPE(6, WIDE)), spec(ctx, CT_SHAPE(6)))),
               6 * 4);
    ct_context_free(ctx);
}

static ct_tensor *fading(void *user)
{
    ct_tensor **a = user;
    return faded_lane(a[0], a[1]);
}

static ct_tensor *doubling(void *user)
{
    ct_tensor **a = user;
    return ct_mul(a[0], ct_mul(wide(a[1]), 2));
}

static ct_tensor *chosen(ct_tensor *x, ct_tensor *s)
{
    ct_tensor *both[] = {x, s};
    return total(ct_if(ct_gt(s, 0), fading, doubling, both));
}

/* exp(s), and what chooses. */
TEST(in_branches)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = spec(ctx, CT_SHAPE(WIDE)), *s = spec(ctx, CT_SHAPE());
    CHECK_KEPT(ct_trace(ctx, chosen, CT_LIKE(x, s)), 4 + 1);
    ct_context_free(ctx);
}

/* ---- Loops. */

static void fade(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    carry[0] = ct_mul(carry[0], ct_sub(1, wide(ct_exp(ct_neg(x[0])))));
    (void)user, (void)y;
}

static ct_tensor *scanned(ct_tensor *x, ct_tensor *rates)
{
    ct_scan(fade, NULL, .length = COUNT, .n_carry = 1, .carry = &x, .xs = CT_ARGV(rates));
    return total(x);
}

static void fade_rows(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_scan(fade, user, .length = 5, .n_carry = 1, .carry = carry, .xs = CT_ARGV(x[0]));
    (void)y;
}

static ct_tensor *nested(ct_tensor *x, ct_tensor *rates)
{
    ct_scan(fade_rows, NULL, .length = 4, .n_carry = 1, .carry = &x, .xs = CT_ARGV(rates));
    return total(x);
}

/* exp(-rate) of every iteration, as the run has it: far less than a wide row for each. */
TEST(in_scans)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = spec(ctx, CT_SHAPE(WIDE));
    ct_function *f = ct_trace(ctx, scanned, CT_LIKE(x, spec(ctx, CT_SHAPE(COUNT))));
    CHECK_KEPT(f, 4 * COUNT);
    ct_executable *run = ct_compile(ct_grad(f, CT_ARGS(0)), NULL);
    CHECK_MSG(ct_executable_block_bytes(run) < 6 * 4 * WIDE, "%zu bytes",
              ct_executable_block_bytes(run));
    CHECK_KEPT(ct_trace(ctx, nested, CT_LIKE(x, spec(ctx, CT_SHAPE(4, 5)))), 4 * 4 * 5);
    ct_context_free(ctx);
}

/* As Adam does it, without roots: user has the decay and the gradient's factor. */
static void update(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor **a = user, *g = ct_mul(carry[0], a[1]);
    carry[1] = ct_add(ct_mul(a[0], carry[1]), ct_mul(ct_sub(1, a[0]), g));
    ct_tensor *step = ct_div(carry[1], ct_add(ct_cast(i, CT_F32), 4));
    carry[0] = ct_sub(carry[0], ct_mul(step, 0.1));
}

static ct_tensor *updates(ct_tensor *w, ct_tensor *m, ct_tensor *decay, ct_tensor *factor,
                          ct_tensor *n)
{
    ct_tensor *carry[] = {w, m}, *around[] = {decay, factor};
    ct_for(update, around, n, 2, carry);
    return total(carry[0]);
}

static void by_index(void *rows, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *t = ct_add(ct_cast(i, CT_F32), 1);
    ct_tensor *zero = ct_scalar(ct_context_of(i), CT_I64, 0), *start[] = {i, zero};
    ct_tensor *row = ct_op_dynamic_slice(rows, ((ct_list){2, start}), CT_DIMS(1, WIDE), false);
    carry[0] = ct_mul(ct_mul(carry[0], wide(ct_div(1, t))), ct_reshape(row, CT_SHAPE(WIDE)));
}

static ct_tensor *indexed(ct_tensor *x, ct_tensor *rows, ct_tensor *n)
{
    ct_for(by_index, rows, n, 1, &x);
    return total(x);
}

static void fade_by_both(void *user, ct_tensor *j, ct_tensor **carry)
{
    ct_tensor **a = user; /* the index around, and e */
    ct_tensor *t = ct_cast(ct_add(ct_mul(a[0], 3), j), CT_F32);
    carry[0] = ct_mul(ct_mul(carry[0], ct_sub(1, wide(a[1]))), wide(t));
}

static void fade_inside(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor **a = user; /* rates, n */
    ct_tensor *around[] = {i, ct_exp(ct_take(a[0], i, 0, CT_CLAMP))};
    ct_for(fade_by_both, around, a[1], 1, carry);
}

static ct_tensor *nested_for(ct_tensor *x, ct_tensor *rates, ct_tensor *n)
{
    ct_tensor *around[] = {rates, n};
    ct_for(fade_inside, around, n, 1, &x);
    return total(x);
}

/* Of the index, of rows by the index, of what is the same in all iterations: nothing. */
TEST(in_a_for)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = spec(ctx, CT_SHAPE(WIDE)), *s = spec(ctx, CT_SHAPE());
    ct_tensor *n = ct_spec(ctx, CT_I64, CT_SHAPE());
    CHECK_KEPT(ct_trace(ctx, updates, CT_LIKE(x, x, s, x, n)), 0);
    CHECK_KEPT(ct_trace(ctx, indexed, CT_LIKE(x, spec(ctx, CT_SHAPE(COUNT, WIDE)), n)), 0);
    CHECK_KEPT(ct_trace(ctx, nested_for, CT_LIKE(x, spec(ctx, CT_SHAPE(COUNT)), n)), 0, 4);
    ct_context_free(ctx);
}

/* Carries x and a number. */
static ct_tensor *is_below(void *limit, ct_tensor *const *carry)
{
    return ct_lt(carry[1], (ct_tensor *)limit);
}

static void fade_more(void *user, ct_tensor **carry)
{
    carry[0] = ct_mul(carry[0], ct_sub(1, wide(carry[1])));
    carry[1] = ct_mul(carry[1], 1.5);
    (void)user;
}

static ct_tensor *until(ct_tensor *x, ct_tensor *m, ct_tensor *limit)
{
    ct_tensor *carry[] = {x, m};
    ct_while(is_below, fade_more, limit, 2, carry);
    return total(carry[0]);
}

/* The number of each iteration, and how many there were. Within bytes that no wide value fits. */
TEST(in_a_while)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = spec(ctx, CT_SHAPE(WIDE)), *s = spec(ctx, CT_SHAPE());
    ct_function *f = ct_trace(ctx, until, CT_LIKE(x, s, s));
    CHECK_KEPT(f, 8, 4);
    ct_context_free(ctx);
}

/* ---- Carries that count: computed from the index. */

typedef struct counting {
    ct_dtype dtype;
    int start, step;
    bool is_reverse; /* of a scan */
} counting;

static const counting counters[] = {{CT_I64, 0, 1, false},
                                    {CT_I64, 5, 3, false},
                                    {CT_I32, 40, -2, false},
                                    {CT_I32, -7, 2, true},
                                    {CT_I64, 9, -1, true}};

/* x·(1 + t)·row / (t + 100), t the counter. */
static ct_tensor *counted_step(ct_tensor *x, ct_tensor *t, ct_tensor *row)
{
    ct_tensor *number = ct_cast(t, CT_F64);
    ct_tensor *factor = ct_div(ct_add(number, 1), ct_add(number, 100));
    return ct_mul(ct_mul(ct_sin(x), ct_broadcast_to(factor, ct_shape_of(x))), row);
}

static void scan_step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    const counting *c = user;
    carry[0] = counted_step(carry[0], carry[1], x[0]);
    carry[1] = ct_add(carry[1], c->step);
    (void)y;
}

static const counting *how; /* the programs below count */

static ct_tensor *start_of(ct_tensor *x)
{
    return ct_scalar(ct_context_of(x), how->dtype, how->start);
}

static ct_tensor *counting_scan(ct_tensor *x, ct_tensor *rows)
{
    ct_tensor *carry[] = {x, start_of(x)};
    ct_scan(scan_step, (void *)(uintptr_t)how, .length = COUNT, .n_carry = 2, .carry = carry,
            .xs = CT_ARGV(rows), .reverse = how->is_reverse);
    return total(carry[0]);
}

static ct_tensor *row_of(ct_tensor *rows, size_t i)
{
    const int64_t first = (int64_t)i, extent = ct_shape_of(rows).dim[1];
    ct_tensor *row = ct_op_slice(rows, CT_DIMS(first, 0), CT_DIMS(first + 1, extent),
                                 CT_DIMS(1, 1));
    return ct_reshape(row, CT_SHAPE(extent));
}

static ct_tensor *unrolled(ct_tensor *x, ct_tensor *rows)
{
    ct_tensor *t = start_of(x);
    for (size_t i = 0; i < COUNT; i++) {
        x = counted_step(x, t, row_of(rows, how->is_reverse ? COUNT - 1 - i : i));
        t = ct_add(t, how->step);
    }
    return total(x);
}

/* carry: x, the counter, how many iterations are left. */
static ct_tensor *is_left(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_gt(carry[2], 0);
}

static void while_step(void *user, ct_tensor **carry)
{
    ct_tensor *rows = user, *left = carry[2];
    ct_tensor *zero = ct_scalar(ct_context_of(left), CT_I64, 0);
    ct_tensor *i = how->is_reverse ? ct_sub(left, 1) : ct_sub(COUNT, left), *start[] = {i, zero};
    ct_tensor *row = ct_op_dynamic_slice(rows, ((ct_list){2, start}),
                                         CT_DIMS(1, ct_shape_of(rows).dim[1]), false);
    carry[0] = counted_step(carry[0], carry[1], ct_reshape(row, ct_shape_of(carry[0])));
    carry[1] = ct_add(carry[1], how->step);
    carry[2] = ct_sub(left, 1);
}

static ct_tensor *counting_while(ct_tensor *x, ct_tensor *rows, ct_tensor *n)
{
    ct_tensor *carry[] = {x, start_of(x), n};
    ct_while(is_left, while_step, rows, 3, carry);
    return total(carry[0]);
}

/* Of each iteration what goes into the sine alone. */
static void check_counting(ct_context *ctx, ct_function *loop, ct_tensor *const *in)
{
    ct_tensor *found[2], *expected[2];
    ct_function *plain = ct_trace(ctx, unrolled, CT_LIKE(in[0], in[1]));
    ct_call(ct_compile(ct_value_and_grad(plain, CT_ARGS(0)), NULL), CT_ARGV(in[0], in[1]), expected,
            2);
    ct_function *f = ct_value_and_grad(loop, CT_ARGS(0));
    const size_t n = ct_function_parameters(f);
    ct_call(ct_compile(f, NULL), ((ct_list){n, in}), found, 2);
    CHECK_BITS(found[0], expected[0]);
    CHECK_BITS(found[1], expected[1]);
    const char *text = ct_stablehlo_text(f, 0);
    ct_function *again = ct_module_function(ct_read_stablehlo_text(ctx, "text", text, strlen(text)),
                                            NULL);
    ct_call(ct_compile(again, NULL), ((ct_list){n, in}), found, 2);
    CHECK_BITS(found[1], expected[1]);
    CHECK_OK(ctx);
}

TEST(counters)
{
    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++) {
        ct_context *ctx = ct_context_new();
        how = &counters[k];
        ct_tensor *x = coded(ctx, CT_F64, 3), *rows = coded(ctx, CT_F64, COUNT, 3);
        ct_tensor *in[] = {ct_add(x, 0.3), ct_add(ct_mul(rows, 0.02), 0.5),
                           ct_scalar(ctx, CT_I64, COUNT)};
        ct_function *scan = ct_trace(ctx, counting_scan, CT_LIKE(in[0], in[1]));
        ct_function *loop = ct_trace(ctx, counting_while, CT_LIKE(in[0], in[1], in[2]));
        CHECK_KEPT(scan, COUNT * 24);
        CHECK_KEPT(loop, 8, 24);
        check_counting(ctx, scan, in);
        check_counting(ctx, loop, in);
        ct_context_free(ctx);
    }
}

static void without_memory(ct_context *ctx)
{
    how = &counters[3];
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(3)),
              *rows = ct_spec(ctx, CT_F64, CT_SHAPE(COUNT, 3));
    ct_tensor *n = ct_spec(ctx, CT_I64, CT_SHAPE());
    ct_grad(ct_trace(ctx, counting_scan, CT_LIKE(x, rows)), CT_ARGS(0));
    ct_grad(ct_trace(ctx, counting_while, CT_LIKE(x, rows, n)), CT_ARGS(0));
}

TEST(out_of_memory)
{
    CHECK_ALLOCATIONS(without_memory);
}
