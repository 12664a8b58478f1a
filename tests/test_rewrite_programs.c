/* Rewrites of whole programs: bodies, effects, barriers, names, places. */
#include "tests/values.h"

#include <cotangent/ad.h>
#include <cotangent/control.h>
#include <cotangent/exec.h>
#include <cotangent/module.h>
#include <cotangent/op.h>
#include <cotangent/op_program.h>
#include <cotangent/rewrite.h>
#include <cotangent/shape.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Programs by their text. */

static ct_function *read_text(ct_context *ctx, const char *text)
{
    ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "test", text, strlen(text)),
                                        NULL);
    CHECK_OK(ctx);
    return f;
}

#define PROGRAM(type, body) "func.func @main(%x: " type ", %y: " type ") -> " type " {\n" body "}\n"
#define F4 "tensor<4xf32>"

static size_t left(ct_function *f)
{
    return ct_function_operations(ct_simplify(f));
}

TEST(barriers_part)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(ctx, PROGRAM(F4, "%a = stablehlo.tanh %x : " F4 "\n"
                                                "%b = stablehlo.optimization_barrier %x : " F4 "\n"
                                                "%c = stablehlo.tanh %b : " F4 "\n"
                                                "%d = stablehlo.optimization_barrier %x : " F4 "\n"
                                                "%e = stablehlo.tanh %d : " F4 "\n"
                                                "%f = stablehlo.add %a, %c : " F4 "\n"
                                                "%g = stablehlo.add %f, %e : " F4 "\n"
                                                "return %g : " F4 "\n"));
    CHECK(left(f) == 7 && ct_function_operations(f) == 7);
    ct_context_free(ctx);
}

TEST(effects_stay)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(
        ctx, PROGRAM("tensor<f32>",
                     "%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
                     "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "%one = stablehlo.constant dense<1.0> : tensor<f32>\n"
                     "%a = stablehlo.rng %zero, %one, %s, distribution = UNIFORM : (tensor<f32>, "
                     "tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>\n"
                     "%b = stablehlo.rng %zero, %one, %s, distribution = UNIFORM : (tensor<f32>, "
                     "tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>\n"
                     "stablehlo.custom_call @check.expect_eq(%x, %y) {has_side_effect = true} : "
                     "(tensor<f32>, tensor<f32>) -> ()\n"
                     "stablehlo.custom_call @check.expect_eq(%x, %y) {has_side_effect = true} : "
                     "(tensor<f32>, tensor<f32>) -> ()\n"
                     "return %x : tensor<f32>\n"));
    const char *text = ct_stablehlo_text(ct_simplify(f), 0), *at = text;
    size_t effects = 0;
    for (; (at = strstr(at, "stablehlo.rng")); at++)
        effects++;
    for (at = text; (at = strstr(at, "check.expect_eq")); at++)
        effects++;
    CHECK_MSG(effects == 4, "%s", text);
    ct_context_free(ctx);
}

/* A pure custom call may be merged and dropped, and is never computed ahead. */
TEST(custom_calls)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(
        ctx, PROGRAM("tensor<f32>",
                     "%c = stablehlo.constant dense<1.0> : tensor<f32>\n"
                     "%a = stablehlo.custom_call @foo(%c) : (tensor<f32>) -> tensor<f32>\n"
                     "%b = stablehlo.custom_call @foo(%c) : (tensor<f32>) -> tensor<f32>\n"
                     "%d = stablehlo.add %a, %b : tensor<f32>\n"
                     "%e = stablehlo.custom_call @foo(%y) : (tensor<f32>) -> tensor<f32>\n"
                     "return %d : tensor<f32>\n"));
    CHECK(left(f) == 3);
    ct_context_free(ctx);
}

/* ---- Control. */

static ct_tensor *twice_minus_itself(void *user)
{
    ct_tensor *x = user;
    return ct_op_add(ct_op_negate(ct_op_negate(x)), ct_op_negate(ct_op_tanh(x)));
}

static ct_tensor *with_product(void *user)
{
    ct_tensor *x = user;
    return ct_op_multiply(ct_op_tanh(x), ct_op_tanh(x));
}

static void chosen_by(void *user, ct_list p, ct_tensor **r)
{
    const double *bound = user;
    ct_tensor *limit = ct_scalar(ct_context_of(p.item[0]), CT_F32, *bound);
    ct_tensor *pred = isnan(*bound) ? ct_op_compare(p.item[0], limit, CT_GT, CT_COMPARE_DEFAULT)
                                    : ct_op_compare(ct_op_stop_gradient(limit), limit, CT_GT,
                                                    CT_COMPARE_DEFAULT);
    r[0] = ct_if(pred, twice_minus_itself, with_product, p.item[0]);
}

TEST(branches)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 0.25);
    double open = NAN, closed = 1;
    ct_function *f = ct_trace_many(ctx, chosen_by, &open, 1, CT_LIKE(x));
    ct_function *g = ct_trace_many(ctx, chosen_by, &closed, 1, CT_LIKE(x));
    /* constant, compare, if; of the branches tanh and subtract, tanh and multiply */
    CHECK(left(f) == 7);
    CHECK(left(g) == 2); /* the branch alone */
    CHECK_BITS(ct_apply1(ct_simplify(f), CT_ARGV(x)), ct_apply1(f, CT_ARGV(x)));
    CHECK_BITS(ct_apply1(ct_simplify(g), CT_ARGV(x)), ct_apply1(g, CT_ARGV(x)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

#define CASE(index)                                                                                \
    PROGRAM(F4, "%i = stablehlo.constant dense<" index "> : tensor<i32>\n"                         \
                "%a = \"stablehlo.case\"(%i) ({\n stablehlo.return %x : " F4 "\n}, {\n"            \
                "%t = stablehlo.tanh %y : " F4 "\n stablehlo.return %t : " F4 "\n}, {\n"           \
                "stablehlo.return %y : " F4 "\n}) : (tensor<i32>) -> " F4 "\n"                     \
                "return %a : " F4 "\n")

TEST(cases)
{
    static const struct {
        const char *text;
        size_t left;
    } rows[] = {{CASE("0"), 0}, {CASE("1"), 1}, {CASE("2"), 0}, {CASE("-1"), 0}, {CASE("7"), 0}};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 3, 4});
    ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(4), {5, 6, 7, 8});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_function *f = read_text(ctx, rows[i].text);
        CHECK_MSG(left(f) == rows[i].left, "case %zu", i);
        CHECK_BITS(ct_apply1(ct_simplify(f), CT_ARGV(x, y)), ct_apply1(f, CT_ARGV(x, y)));
    }
    ct_context_free(ctx);
}

TEST(loops_that_never_run)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(
        ctx, PROGRAM(F4, "%w = stablehlo.while(%i = %x) : " F4 "\n cond {\n"
                         "%c = stablehlo.constant dense<false> : tensor<i1>\n"
                         "stablehlo.return %c : tensor<i1>\n} do {\n"
                         "%t = stablehlo.tanh %i : " F4 "\n stablehlo.return %t : " F4 "\n}\n"
                         "return %w : " F4 "\n"));
    CHECK(left(f) == 0);
    ct_context_free(ctx);
}

/* ---- Bodies, calls. */

static const char calls[] = "func.func @main(%x: " F4 ") -> " F4 " {\n"
                            "%a = call @f(%x) : (" F4 ") -> " F4 "\n"
                            "%b = call @g(%x) : (" F4 ") -> " F4 "\n"
                            "%c = stablehlo.add %a, %b : " F4 "\n"
                            "return %c : " F4 "\n}\n"
                            "func.func private @f(%x: " F4 ") -> " F4 " {\n"
                            "%t = stablehlo.tanh %x : " F4 "\n return %t : " F4 "\n}\n"
                            "func.func private @g(%x: " F4 ") -> " F4 " {\n"
                            "%n = stablehlo.negate %x : " F4 "\n"
                            "%m = stablehlo.negate %n : " F4 "\n"
                            "%t = stablehlo.tanh %m : " F4 "\n return %t : " F4 "\n}\n";

TEST(equal_bodies)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(ctx, calls);
    CHECK(ct_function_operations(f) == 7);
    CHECK(left(f) == 3); /* one call, its tanh, and the sum */
    CHECK(ct_function_operations(ct_inline(f)) == 5);
    CHECK(left(ct_inline(f)) == 2);
    CHECK(ct_function_operations(ct_inline_within(f, 1)) == 7); /* no room for a body */
    ct_context_free(ctx);
}

static ct_tensor *deeper(void *user, ct_tensor *x)
{
    int depth = *(int *)user;
    if (depth == 0)
        return ct_op_tanh(x);
    int next = depth - 1;
    ct_function *f = ct_trace_user(ct_context_of(x), deeper, &next, CT_LIKE(x));
    return ct_op_add(ct_apply1(f, CT_ARGV(x)), ct_apply1(f, CT_ARGV(x)));
}

/* 2^12 paths: simplified, one call stays on each level; inlined, a limit holds. */
/* A body that comes to one operation stays as it is: the order of sums in lanes depends on it, and
 * so does the slope of what ties. */
static ct_tensor *folded(ct_context *ctx, const char *op, const char *of, bool simplified)
{
    char text[1024];
    double x[100];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<100xf32>, %%y: tensor<f32>) -> tensor<f32> {\n"
             "%%s = stablehlo.reduce(%%x init: %%y) across dimensions = [0] : (tensor<100xf32>, "
             "tensor<f32>) -> tensor<f32>\n reducer(%%a: tensor<f32>, %%b: tensor<f32>) {\n"
             "%%c = stablehlo.%s %%a : (tensor<f32>) -> tensor<f32>\n%%d = stablehlo.%s %%b, %%c : "
             "tensor<f32>\n"
             "stablehlo.return %%d : tensor<f32> }\nreturn %%s : tensor<f32> }\n",
             of, op);
    for (int i = 0; i < 100; i++)
        x[i] = i % 7 == 0 ? 1000.0 / 3 : sin(i);
    ct_function *f = read_text(ctx, text);
    ct_function *g = ct_value_and_grad(simplified ? ct_simplify(f) : f, CT_ARGS(0));
    const ct_compile_options options = {.size = sizeof options, .executor = CT_EXECUTOR_MACHINE};
    ct_tensor *y[2];
    ct_call(ct_compile(g, &options),
            CT_ARGV(ct_from_doubles(ctx, CT_F32, CT_SHAPE(100), x), ct_scalar(ctx, CT_F32, 0.1)), y,
            2);
    CHECK_OK(ctx);
    return ct_concatenate(CT_ARGV(ct_reshape(y[0], CT_SHAPE(1)), y[1]), 0);
}

TEST(folds_stay_what_they_are)
{
    static const char *const op[] = {"add", "multiply", "maximum", "minimum"};
    static const char *const of[] = {"convert", "reshape"};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 8; i++) {
        ct_tensor *x = folded(ctx, op[i / 2], of[i % 2], false);
        CHECK_BITS(folded(ctx, op[i / 2], of[i % 2], true), x);
    }
    ct_context_free(ctx);
}

TEST(calls_of_calls)
{
    ct_context *ctx = ct_context_new();
    int depth = 12;
    ct_tensor *x = ct_scalar(ctx, CT_F32, 0.5);
    ct_function *f = ct_trace_user(ctx, deeper, &depth, CT_LIKE(x));
    CHECK(left(f) == 2 * 12 + 1);
    CHECK(ct_function_operations(ct_inline(f)) == (1 << 13) - 1);
    CHECK(left(ct_inline(f)) == 12 + 1);
    CHECK(ct_function_operations(ct_inline_within(f, 100)) <= 3 * (1 << 12));
    CHECK_BITS(ct_apply1(ct_inline(f), CT_ARGV(x)), ct_apply1(f, CT_ARGV(x)));
    CHECK_BITS(ct_apply1(ct_inline_within(f, 100), CT_ARGV(x)), ct_apply1(f, CT_ARGV(x)));
    CHECK_BITS(ct_apply1(ct_simplify(ct_grad(f, CT_ALL_ARGS)), CT_ARGV(x)),
               ct_apply1(ct_grad(f, CT_ALL_ARGS), CT_ARGV(x)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(composites_inline)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(
        ctx, "func.func @main(%x: " F4 ") -> " F4 " {\n"
             "%a = stablehlo.composite \"my.op\" %x {decomposition = @f} : (" F4 ") -> " F4 "\n"
             "return %a : " F4 "\n}\n"
             "func.func private @f(%x: " F4 ") -> " F4 " {\n"
             "%t = stablehlo.tanh %x : " F4 "\n return %t : " F4 "\n}\n");
    CHECK(left(f) == 2);
    CHECK(ct_function_operations(ct_inline(f)) == 1);
    ct_context_free(ctx);
}

/* ---- Dropping: of choices, loops and functions what nobody reads. */

static ct_tensor *run2(ct_context *ctx, ct_function *f)
{
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, -2, 3, -4});
    ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(4), {5, 6, 7, 8});
    return ct_apply1(f, CT_ARGV(x, y));
}

/* The if gives two results and captures x and y; only the first, of x, is read. */
TEST(choices_drop_what_nobody_reads)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(
        ctx, PROGRAM(F4, "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                         "%s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across "
                         "dimensions = [0] : (" F4 ", tensor<f32>) -> tensor<f32>\n"
                         "%p = stablehlo.compare GT, %s, %zero : (tensor<f32>, tensor<f32>) -> "
                         "tensor<i1>\n"
                         "%d = stablehlo.cosine %y : " F4 "\n"
                         "%a:2 = \"stablehlo.if\"(%p) ({\n"
                         "%t = stablehlo.tanh %x : " F4 "\n"
                         "%u = stablehlo.sine %d : " F4 "\n"
                         "stablehlo.return %t, %u : " F4 ", " F4 "\n}, {\n"
                         "%n = stablehlo.negate %x : " F4 "\n"
                         "stablehlo.return %n, %d : " F4 ", " F4 "\n"
                         "}) : (tensor<i1>) -> (" F4 ", " F4 ")\n"
                         "return %a#0 : " F4 "\n"));
    ct_function *g = ct_simplify(f);
    const char *text = ct_stablehlo_text(g, 0);
    CHECK_MSG(!strstr(text, "sine") && strstr(text, "stablehlo.if"), "%s", text);
    CHECK(ct_function_operations(f) == 9 && ct_function_operations(g) == 4 + 3);
    CHECK_BITS(run2(ctx, g), run2(ctx, f));
    const ct_simplify_options kept = {.size = sizeof kept, .off = CT_REWRITE_DROPPING};
    CHECK(strstr(ct_stablehlo_text(ct_simplify_with(f, &kept), 0), "sine"));
    ct_context_free(ctx);
}

/* @f is called once, @g twice: that one stays whole. */
TEST(calls_drop_what_nobody_reads)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(
        ctx, "func.func @main(%x: " F4 ", %y: " F4 ") -> " F4 " {\n"
             "%a:2 = call @f(%x, %y) : (" F4 ", " F4 ") -> (" F4 ", " F4 ")\n"
             "%b:2 = call @g(%a#1) : (" F4 ") -> (" F4 ", " F4 ")\n"
             "%c:2 = call @g(%b#0) : (" F4 ") -> (" F4 ", " F4 ")\n"
             "return %c#0 : " F4 "\n}\n"
             "func.func private @f(%x: " F4 ", %y: " F4 ") -> (" F4 ", " F4 ") {\n"
             "%t = stablehlo.tanh %x : " F4 "\n %u = stablehlo.sine %y : " F4 "\n"
             "return %t, %u : " F4 ", " F4 "\n}\n"
             "func.func private @g(%x: " F4 ") -> (" F4 ", " F4 ") {\n"
             "%t = stablehlo.cosine %x : " F4 "\n %u = stablehlo.exponential %x : " F4 "\n"
             "return %t, %u : " F4 ", " F4 "\n}\n");
    ct_function *g = ct_simplify(f);
    const char *text = ct_stablehlo_text(g, 0);
    CHECK_MSG(!strstr(text, "tanh") && strstr(text, "exponential"), "%s", text);
    CHECK(ct_function_operations(g) == 3 + 1 + 2 + 2);
    CHECK_BITS(run2(ctx, g), run2(ctx, f));
    ct_context_free(ctx);
}

static void stepped(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *factor = user;
    y[0] = ct_op_tanh(x[1]); /* nobody reads it, and so not x[1] */
    y[1] = ct_op_multiply(carry[0], factor);
    carry[0] = ct_op_add(carry[0], x[0]);
}

static void scanned(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *carry = ct_scalar(ct_context_of(p.item[0]), CT_F32, 0.5), *y[2];
    (void)user;
    ct_scan(stepped, carry, .length = 4, .n_carry = 1, .carry = &carry, .xs = p, .n_ys = 2,
            .ys = y);
    r[0] = y[1];
}

TEST(loops_drop_what_nobody_reads)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(4));
    ct_function *f = ct_trace_many(ctx, scanned, NULL, 1, CT_LIKE(like, like));
    ct_function *g = ct_simplify(f);
    CHECK_OK(ctx);
    CHECK_MSG(!strstr(ct_stablehlo_text(g, 0), "tanh"), "%s", ct_stablehlo_text(g, 0));
    CHECK_BITS(run2(ctx, g), run2(ctx, f));
    CHECK_OK(ctx);
    ct_function *slope = ct_vjp(g, CT_ALL_ARGS), *want = ct_vjp(f, CT_ALL_ARGS);
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, -2, 3, -4}), *got[2], *expected[2];
    ct_apply(ct_simplify(slope), CT_ARGV(x, x, x), got, 2);
    ct_apply(want, CT_ARGV(x, x, x), expected, 2);
    CHECK_OK(ctx);
    CHECK_EQUAL(got[0], expected[0]);
    CHECK_EQUAL(got[1], expected[1]);
    ct_context_free(ctx);
}

/* ---- Folding. */

TEST(folding_has_a_limit)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(ctx, "func.func @main() -> tensor<3xi32> {\n"
                                    "%a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n"
                                    "%b = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>\n"
                                    "%c = stablehlo.multiply %a, %b : tensor<3xi32>\n"
                                    "%r = stablehlo.reverse %c, dims = [0] : tensor<3xi32>\n"
                                    "return %r : tensor<3xi32>\n}\n");
    const ct_simplify_options tight = {.size = sizeof tight, .fold_bytes = 11};
    const ct_simplify_options none = {.size = sizeof none, .off = CT_REWRITE_FOLDING};
    CHECK(left(f) == 1);
    CHECK(ct_function_operations(ct_simplify_with(f, &tight)) == 4);
    CHECK(ct_function_operations(ct_simplify_with(f, &none)) == 4);
    ct_tensor *r = ct_apply1(ct_simplify(f), CT_NO_TENSORS);
    CHECK_VALUES(r, CT_SHAPE(3), {90, 40, 10});
    ct_context_free(ctx);
}

/* exp is not the same in every numerics; a constant with equal elements has the bytes of one. */
TEST(what_folds)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(ctx,
                               "func.func @main() -> (tensor<f32>, tensor<100x100xf32>) {\n"
                               "%a = stablehlo.constant dense<2.0> : tensor<f32>\n"
                               "%b = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> "
                               "tensor<100x100xf32>\n"
                               "%c = stablehlo.multiply %b, %b : tensor<100x100xf32>\n"
                               "%e = stablehlo.exponential %a : tensor<f32>\n"
                               "return %e, %c : tensor<f32>, tensor<100x100xf32>\n}\n");
    CHECK(left(f) == 3);
    CHECK(strstr(ct_stablehlo_text(ct_simplify(f), 0), "dense<4.0"));
    ct_context_free(ctx);
}

/* ---- Options, errors. */

TEST(each_alone)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(
        ctx, PROGRAM(F4, "%dead = stablehlo.sine %x : " F4 "\n"
                         "%a = stablehlo.tanh %x : " F4 "\n"
                         "%b = stablehlo.tanh %x : " F4 "\n"
                         "%c = stablehlo.add %a, %b : " F4 "\n"
                         "%n = stablehlo.negate %c : " F4 "\n"
                         "%m = stablehlo.negate %n : " F4 "\n"
                         "%k = stablehlo.constant dense<2.0> : tensor<f32>\n"
                         "%kk = stablehlo.negate %k : tensor<f32>\n"
                         "%s = stablehlo.broadcast_in_dim %kk, dims = [] : (tensor<f32>) -> " F4
                         "\n%r = stablehlo.multiply %m, %s : " F4 "\n"
                         "return %r : " F4 "\n"));
    static const struct {
        ct_rewrite only;
        size_t left;
    } rows[] = {{CT_REWRITE_MERGING, 9},
                {CT_REWRITE_DROPPING, 9},
                {CT_REWRITE_FOLDING, 10},
                {CT_REWRITE_IDENTITIES, 9},
                {CT_REWRITE_BRANCHES, 10}};
    /* reading drops the dead sine */
    CHECK(ct_function_operations(f) == 9);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ct_simplify_options o = {.size = sizeof o, .off = CT_REWRITE_ALL - rows[i].only};
        ct_function *g = ct_simplify_with(f, &o);
        ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {0.5, -0.0, INFINITY, NAN});
        CHECK_BITS(ct_apply1(g, CT_ARGV(x, x)), ct_apply1(f, CT_ARGV(x, x)));
    }
    const ct_simplify_options merging = {.size = sizeof merging,
                                         .off = CT_REWRITE_ALL - CT_REWRITE_MERGING};
    CHECK(ct_function_operations(ct_simplify_with(f, &merging)) == 8);
    CHECK(left(f) == 4);
    ct_context_free(ctx);
}

TEST(wrong_arguments)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(ctx, calls);
    const ct_simplify_options short_ = {.size = 1};
    const ct_simplify_options many = {.size = sizeof many, .off = 1u << 10};
    CHECK(ct_function_is_poison(ct_simplify_with(f, &short_)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "simplify: the options");
    CHECK(ct_function_is_poison(ct_simplify_with(f, &many)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "simplify: the options");
    CHECK(ct_function_is_poison(ct_simplify(NULL)));
    CHECK(ct_function_is_poison(ct_inline(NULL)));
    ct_context_free(ctx);
}

/* ---- Names and places. */

/* A value has one name: the first that it is given. Parameters keep theirs, or none. */
static void named(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    ct_tensor *x = p.item[0], *one = ct_ones(ct_context_of(x), CT_F32, CT_SHAPE(4));
    ct_tensor *tanh = ct_op_tanh(x);
    ct_tensor *a = ct_name(ct_op_multiply(tanh, one), "a"); /* tanh is a now */
    ct_tensor *b = ct_name(ct_op_multiply(a, one), "b");    /* so is this */
    ct_tensor *c = ct_op_multiply(ct_op_tanh(x), x);
    r[0] = ct_name(ct_op_add(ct_op_add(b, c), ct_name(ct_op_multiply(x, one), "d")), "e");
}

TEST(names)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 3, 4});
    ct_function *g = ct_simplify(ct_trace_many(ctx, named, NULL, 1, CT_LIKE(x)));
    const char *text = ct_stablehlo_text(g, 0);
    CHECK_MSG(strstr(text, "%a = stablehlo.tanh %arg0") && strstr(text, "%e = stablehlo.add"), "%s",
              text);
    CHECK_MSG(ct_function_operations(g) == 4 && !strstr(text, "%b") && !strstr(text, "%d"), "%s",
              text);
    ct_context_free(ctx);
}

TEST(merged_operations_keep_places)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_text(ctx,
                               PROGRAM(F4, "%a = stablehlo.tanh %x : " F4 " loc(\"a.c\":1:0)\n"
                                           "%b = stablehlo.tanh %x : " F4 " loc(\"b.c\":7:0)\n"
                                           "%c = stablehlo.tanh %x : " F4 " loc(\"a.c\":1:0)\n"
                                           "%d = stablehlo.tanh %x : " F4 " loc(\"a.c\":9:0)\n"
                                           "%e = stablehlo.add %a, %b : " F4 " loc(\"a.c\":3:0)\n"
                                           "%f = stablehlo.add %c, %d : " F4 " loc(\"a.c\":4:0)\n"
                                           "%g = stablehlo.add %e, %f : " F4 " loc(\"a.c\":5:0)\n"
                                           "return %g : " F4 "\n"));
    ct_function *g = ct_simplify(f);
    const char *text = ct_stablehlo_text(g, CT_WRITE_PLACES);
    CHECK_MSG(strstr(text, "loc(fused[\"a.c\":1:0, \"b.c\":7:0, \"a.c\":9:0])"), "%s", text);
    CHECK_MSG(strstr(text, "loc(fused[\"a.c\":3:0, \"a.c\":4:0])"), "%s", text);
    ct_function *again = read_text(ctx, text); /* read back, and printed as before */
    CHECK(strcmp(ct_stablehlo_text(again, CT_WRITE_PLACES), text) == 0);
    CHECK(strcmp(ct_stablehlo_text(ct_simplify(again), CT_WRITE_PLACES), text) == 0);
    CHECK(strcmp(ct_stablehlo_text(ct_inline(again), CT_WRITE_PLACES), text) == 0);
    ct_context_free(ctx);
}

/* Aliases of aliases name ever more places; there is an end to it. */
TEST(places_do_not_explode)
{
    ct_context *ctx = ct_context_new();
    char text[8192];
    int length = snprintf(text, sizeof text, "#l0 = loc(\"a.c\":1:0)\n");
    for (int i = 1; i < 60; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "#l%d = loc(fused[#l%d, #l%d])\n", i, i - 1, i - 1);
    snprintf(text + length, sizeof text - (size_t)length, "%s",
             PROGRAM(F4, "%a = stablehlo.tanh %x : " F4 " loc(#l59)\nreturn %a : " F4 "\n"));
    CHECK(ct_module_is_poison(ct_read_stablehlo_text(ctx, "test", text, strlen(text))));
    CHECK_ERROR(ctx, CT_ERR_TEXT, "fused places");
    ct_context_free(ctx);
}

/* ---- Memory. */

static void simplify_in_little_memory(ct_context *ctx)
{
    ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "test", calls, strlen(calls)),
                                        NULL);
    ct_simplify(f);
    ct_simplify(ct_inline(f));
    double open = NAN;
    ct_simplify(ct_trace_many(ctx, chosen_by, &open, 1, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE()))));
}

TEST(every_allocation_may_fail)
{
    CHECK_ALLOCATIONS(simplify_in_little_memory);
}
