#include "tests/check.h"
#include "tests/samples.h"
#include "tests/values.h"

#include <cotangent/control.h>
#include <cotangent/op.h>
#include <cotangent/op_large.h>
#include <cotangent/operand.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *summary_of(ct_function *f)
{
    return ct_function_text(f, CT_TEXT_SUMMARY);
}

/* The number in the line that begins with `what`. */
static void check_amount(int line, const char *text, const char *what, unsigned long long expected)
{
    char key[40];
    snprintf(key, sizeof key, "\n%-12s ", what);
    const char *found = strstr(text, key);
    if (!found)
        check_fail(__FILE__, line, "no %s in\n%s", what, text);
    unsigned long long amount = strtoull(found + strlen(key), NULL, 10);
    if (amount != expected)
        check_fail(__FILE__, line, "%s: %llu, expected %llu", what, amount, expected);
}
#define CHECK_AMOUNT(text, what, expected) check_amount(__LINE__, text, what, expected)

TEST(whole_summary)
{
    ct_context *ctx = ct_context_new();
    ct_trace_builder *b = ct_trace_begin(
        ctx, "loss",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(100, 20)), ct_spec(ctx, CT_F32, CT_SHAPE(20))));
    ct_tensor *x = ct_name(ct_trace_parameter(b, 0), "x"), *w = ct_trace_parameter(b, 1);
    ct_dot_dims dims = {.lhs_contracting = CT_DIMS(1), .rhs_contracting = CT_DIMS(0)};
    ct_place at = {"loss.c", 7, 0};
    ct_tensor *h = ct_name(ct_op_dot_general_at(at, x, w, &dims), "hidden");
    ct_tensor *y = ct_op_multiply_at(at, h, h);
    const char *text = summary_of(ct_trace_end(b, CT_ARGV(h, y)));
    static const char expected[] = "function     loss\n"
                                   "parameters              2\n"
                                   "     0  f32[100,20]  x\n"
                                   "     1  f32[20]\n"
                                   "results                 2\n"
                                   "     0  f32[100]  hidden, by dot_general, loss.c:7\n"
                                   "     1  f32[100]  by multiply, loss.c:7\n"
                                   "operations              2\n"
                                   "  multiply                           1\n"
                                   "  dot_general                        1\n"
                                   "constants               0 bytes\n"
                                   "read                 8880 bytes       8.6 KiB\n"
                                   "written               800 bytes\n"
                                   "flops                4100\n"
                                   "peak memory          8880 bytes       8.6 KiB\n";
    CHECK_MSG(strcmp(text, expected) == 0, "found\n%s", text);
    ct_context_free(ctx);
}

/* Iterations, branches, reducers and calls count as often as they run. */
TEST(flops)
{
    ct_context *ctx = ct_context_new();
    const char *text[CT_DTYPE_COUNT];
    static const char *const name[] = {"scan_forward", "scan_nested", "branches", "calls",
                                       "products",     "reductions",  "pools",    "orders"};
    for (size_t i = 0; i < 8; i++)
        for (size_t s = 0; s < n_samples; s++)
            if (strcmp(samples[s].name, name[i]) == 0)
                text[i] = summary_of(samples[s].make(ctx));
    CHECK_OK(ctx);
    CHECK_AMOUNT(text[0], "flops", 5 * (3 + 3 + 3)); /* scale, add, compare on f32[3] */
    CHECK_AMOUNT(text[1], "flops", 4 * 3 * 1);
    CHECK_AMOUNT(text[2], "flops", 3 + 3);             /* either branch has one f32[3] */
    CHECK_AMOUNT(text[3], "flops", 2 * (3 + 3 + 3));   /* two multiplications and a scale */
    CHECK_AMOUNT(text[4], "flops", 2 * 2 * 3 * 5 * 4); /* 2·b·m·n·k, and an empty product */
    CHECK_AMOUNT(text[5], "flops", 36 + 36 + 36 + 3 + 36 * 2);
    /* windows of 2, 6, 1, 6 and 2 elements, bodies of 1, 1, 1, 2 and 3 operations and a select */
    CHECK_AMOUNT(text[6], "flops", 32 * 2 + 24 * 6 + 1 + 24 * 6 * 2 + 32 * 2 * 3);
    /* comparisons: n log2 n rounded up, of lines of 9 and of 4 */
    CHECK_AMOUNT(text[7], "flops", 36 * 4 + 36 * 2 * 3);
    CHECK_AMOUNT(text[0], "operations", 1 + 4);
    CHECK_AMOUNT(text[3], "operations", 2 + 2 * (2 + 2 * 2 + 1));
    ct_context_free(ctx);
}

static void solve(void *user, ct_list p, ct_tensor **r)
{
    r[0] = ct_op_triangular_solve(p.item[0], p.item[1], user);
}

static void transform(void *user, ct_list p, ct_tensor **r)
{
    const ct_fft_type *type = user;
    r[0] = ct_op_fft(p.item[0], *type, *type == CT_IRFFT ? CT_DIMS(2, 6) : CT_DIMS(8));
}

static ct_tensor *cholesky(ct_tensor *a)
{
    return ct_op_cholesky(a, true);
}

/* Operations that are algorithms. */
#define CHECK_FLOPS(f, want)                                                                       \
    CHECK_MSG(ct_function_flops(f) == (want), "%" PRIu64, ct_function_flops(f))

TEST(flops_of_algorithms)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_spec(ctx, CT_F64, CT_SHAPE(2, 3, 3));
    ct_tensor *left = ct_spec(ctx, CT_F64, CT_SHAPE(2, 3, 5));
    ct_tensor *right = ct_spec(ctx, CT_F64, CT_SHAPE(2, 5, 3));
    ct_tensor *z = ct_spec(ctx, CT_C64, CT_SHAPE(3, 8)), *x = ct_spec(ctx, CT_F32, CT_SHAPE(3, 8));
    ct_tensor *half = ct_spec(ctx, CT_C128, CT_SHAPE(7, 2, 4));
    ct_tensor *none = ct_spec(ctx, CT_F64, CT_SHAPE(2, 0, 0));
    ct_solve_options by_left = {.left_side = true}, by_right = {.unit_diagonal = true};
    ct_fft_type type[] = {CT_FFT, CT_IFFT, CT_RFFT, CT_IRFFT};

    CHECK_FLOPS(ct_trace(ctx, cholesky, CT_LIKE(a)), 2 * (1 + 4 + 9));
    CHECK_FLOPS(ct_trace(ctx, cholesky, CT_LIKE(none)), 0);
    CHECK_FLOPS(ct_trace_many(ctx, solve, &by_left, 1, CT_LIKE(a, left)), 2 * 3 * 3 * 5);
    CHECK_FLOPS(ct_trace_many(ctx, solve, &by_right, 1, CT_LIKE(a, right)), 2 * 5 * (3 * 3 - 3));
    for (size_t i = 0; i < 2; i++)
        CHECK_FLOPS(ct_trace_many(ctx, transform, &type[i], 1, CT_LIKE(z)), 3 * 5 * 8 * 3);
    CHECK_FLOPS(ct_trace_many(ctx, transform, &type[2], 1, CT_LIKE(x)), 3 * 5 * 8 * 3 / 2);
    /* 7 transforms of 12: 2.5 · 12 log2 12 = 107.5489 each */
    CHECK_FLOPS(ct_trace_many(ctx, transform, &type[3], 1, CT_LIKE(half)), 753);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* What moves data reads no more than it writes; a splat constant has one element. */
TEST(bytes)
{
    ct_context *ctx = ct_context_new();
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE(1000))));
    ct_tensor *x = ct_trace_parameter(b, 0);
    ct_tensor *part = ct_op_slice(x, CT_DIMS(3), CT_DIMS(8), CT_DIMS(1));
    ct_tensor *y = ct_op_add(part, ct_full(ctx, CT_F64, CT_SHAPE(5), 3));
    const char *text = summary_of(ct_trace_end(b, CT_ARGV(y)));
    CHECK_AMOUNT(text, "read", 5 * 8 + 2 * 5 * 8);
    CHECK_AMOUNT(text, "written", 2 * 5 * 8);
    CHECK_AMOUNT(text, "constants", 8);
    CHECK_AMOUNT(text, "peak memory", 8000 + 8 + 2 * 5 * 8);
    ct_context_free(ctx);
}

/* ---- Updates of 5 of 1000 numbers. */

static ct_tensor *updated(ct_tensor *x, ct_tensor *part, ct_tensor *start)
{
    return ct_op_dynamic_update_slice(x, part, CT_ARGV(start), false);
}

static ct_tensor *update_argument(ct_tensor *x, ct_tensor *part, ct_tensor *start)
{
    return updated(x, part, start);
}

/* Of a sum that nobody reads afterwards, and of one that is given too. */
static ct_tensor *update_own(ct_tensor *x, ct_tensor *part, ct_tensor *start)
{
    return updated(ct_op_add(x, x), part, start);
}

static void update_kept(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_add(p.item[0], p.item[0]);
    r[1] = updated(r[0], p.item[1], p.item[2]);
}

static void update_row(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    const ct_list *p = user;
    (void)x;
    (void)y;
    carry[0] = updated(carry[0], p->item[1], p->item[2]);
}

static ct_tensor *update_often(ct_tensor *x, ct_tensor *part, ct_tensor *start)
{
    ct_list p = CT_ARGV(x, part, start);
    ct_scan(update_row, &p, .length = 7, .n_carry = 1, .carry = &x);
    return x;
}

/* An argument is the caller's, and is copied; what is the program's own is changed in its place. */
TEST(bytes_of_updates)
{
    enum { X = 8000, PART = 5 * 8, START = 4 };
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(1000)), *part = ct_spec(ctx, CT_F64, CT_SHAPE(5)),
              *start = ct_spec(ctx, CT_I32, CT_SHAPE());
    const char *argument = summary_of(ct_trace(ctx, update_argument, CT_LIKE(x, part, start)));
    const char *own = summary_of(ct_trace(ctx, update_own, CT_LIKE(x, part, start)));
    const char *kept = summary_of(
        ct_trace_many(ctx, update_kept, NULL, 2, CT_LIKE(x, part, start)));
    const char *often = summary_of(ct_trace(ctx, update_often, CT_LIKE(x, part, start)));
    CHECK_OK(ctx);
    CHECK_AMOUNT(argument, "read", X + PART + START);
    CHECK_AMOUNT(argument, "written", X);
    CHECK_AMOUNT(argument, "peak memory", 2 * X + PART + START);
    CHECK_AMOUNT(own, "read", 2 * X + PART + START);
    CHECK_AMOUNT(own, "written", X + PART);
    CHECK_AMOUNT(own, "peak memory", 2 * X + PART + START);
    CHECK_AMOUNT(kept, "read", 2 * X + X + PART + START);
    CHECK_AMOUNT(kept, "written", X + X);
    CHECK_AMOUNT(kept, "peak memory", 3 * X + PART + START);
    CHECK_AMOUNT(often, "read", 7 * (PART + START));
    CHECK_AMOUNT(often, "written", 7 * PART);
    ct_context_free(ctx);
}

/* A chain holds two links at a time, an operand that stands twice is freed once. */
TEST(peak)
{
    ct_context *ctx = ct_context_new();
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(25))));
    ct_tensor *x = ct_trace_parameter(b, 0);
    for (int i = 0; i < 10; i++)
        x = ct_op_add(x, x);
    CHECK_AMOUNT(summary_of(ct_trace_end(b, CT_ARGV(x))), "peak memory", 100 + 200);
    ct_context_free(ctx);
}

/* A sum that does not fit stays at the largest number. */
TEST(saturation)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE(1000)), *y;
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(s));
    ct_function *f = ct_trace_end(b, CT_ARGV(ct_op_negate(ct_trace_parameter(b, 0))));
    for (int i = 0; i < 3; i++) {
        b = ct_trace_begin(ctx, "f", CT_LIKE(s));
        ct_op_scan(INT64_C(1000000000), CT_ARGV(ct_trace_parameter(b, 0)), CT_NO_TENSORS,
                   CT_NO_TENSORS, false, f, &y, 1);
        f = ct_trace_end(b, CT_ARGV(y));
    }
    CHECK_OK(ctx);
    CHECK_AMOUNT(summary_of(f), "flops", UINT64_MAX);
    CHECK_AMOUNT(summary_of(f), "operations", 4);
    ct_context_free(ctx);
}

static void many(void *user, ct_list parameters, ct_tensor **result)
{
    (void)user;
    for (size_t i = 0; i < parameters.count; i++)
        result[i] = ct_op_negate(parameters.item[i]);
}

/* One screen, however many parameters; no line ends in a space. */
TEST(one_screen)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *like[100];
    for (size_t i = 0; i < 100; i++)
        like[i] = ct_spec(ctx, CT_F32, CT_SHAPE(1));
    ct_list examples = {100, like};
    const char *text = summary_of(ct_trace_many(ctx, many, NULL, 100, examples));
    CHECK(strstr(text, "parameters            100\n") && strstr(text, "        and 88 more\n"));
    for (size_t i = 0; i < n_samples; i++) {
        size_t lines = 0;
        text = summary_of(samples[i].make(ctx));
        for (const char *c = text; *c; c++)
            lines += *c == '\n';
        CHECK_MSG(lines >= 8 && lines <= 60, "%s: %zu lines", samples[i].name, lines);
        CHECK(!strstr(text, " \n"));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void summarise(ct_context *ctx)
{
    for (size_t i = 0; i < n_samples; i++)
        if (strcmp(samples[i].name, "scan_nested") == 0)
            summary_of(samples[i].make(ctx));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(summarise);
}
