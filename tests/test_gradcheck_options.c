/* Gradient checking: clamped indices, options, reports, odd shapes and bad arguments. */
#include "tests/samples.h"
#include "tests/values.h"

#include "probe/gradcheck.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <string.h>

#define OPTIONS(...)                                                                               \
    (&(const ct_gradcheck_options){.size = sizeof(ct_gradcheck_options), __VA_ARGS__})

static size_t total(const ct_gradcheck_report *report)
{
    size_t sum = 0;
    for (int v = 0; v < CT_GRADCHECK_VERDICTS; v++)
        sum += ct_gradcheck_count(report, (ct_gradcheck_verdict)v);
    return sum;
}

static size_t count(const ct_gradcheck_report *report, ct_gradcheck_verdict verdict)
{
    return ct_gradcheck_count(report, verdict);
}

/* ---- Clamped indices. */

static ct_tensor *taken(ct_tensor *x, ct_tensor *at, ct_tensor *other)
{
    return ct_add(ct_square(ct_take(x, at, 0, CT_CLAMP)), other);
}

static ct_tensor *filled(ct_tensor *x, ct_tensor *at)
{
    return ct_square(ct_take(x, at, 0, CT_FILL(3)));
}

static ct_tensor *window(ct_tensor *x, ct_tensor *start)
{
    return ct_square(ct_dynamic_slice(x, CT_ARGV(start), CT_SHAPE(2), CT_CLAMP));
}

static ct_tensor *overwritten(ct_tensor *x, ct_tensor *update, ct_tensor *start)
{
    return ct_square(ct_dynamic_update_slice(x, update, CT_ARGV(start), CT_CLAMP));
}

TEST(clamped_reads)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {10, 11, 12, 13});
    ct_tensor *other = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3});
    ct_tensor *at = given(ctx, CT_I8, CT_SHAPE(3), {1, 100, -1});
    ct_function *f = ct_trace(ctx, taken, CT_LIKE(x, at, other));
    ct_gradcheck_report *r = ct_gradcheck(f, CT_ARGV(x, at, other), NULL);
    /* x[3] is read for result 1, x[0] for result 2; nothing of `other` is */
    CHECK(count(r, CT_GRADCHECK_CLAMPED) == 2 && ct_gradcheck_passed(r));
    CHECK(ct_gradcheck_findings(r) == 2);
    const ct_gradcheck_finding *first = ct_gradcheck_finding_at(r, 0);
    CHECK(first->input == 0 && first->element.dim[0] == 0 && first->result_element.dim[0] == 2);
    CHECK(first->derivative == 20);
    CHECK(strstr(ct_gradcheck_text(r), "gather: 2 of 3 indices are out of range [0, 3]"));
    CHECK(strstr(ct_gradcheck_text(r), "test_gradcheck_options.c:"));

    ct_tensor *good = given(ctx, CT_I8, CT_SHAPE(3), {1, 3, 0});
    CHECK(count(ct_gradcheck(f, CT_ARGV(x, good, other), NULL), CT_GRADCHECK_CLAMPED) == 0);
    /* a value instead of the clamped read is no clamped read */
    r = ct_gradcheck(ct_trace(ctx, filled, CT_LIKE(x, at)), CT_ARGV(x, at), NULL);
    CHECK(count(r, CT_GRADCHECK_RIGHT) == total(r));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(clamped_windows)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {10, 11, 12, 13});
    ct_tensor *update = given(ctx, CT_F64, CT_SHAPE(2), {1, 2});
    ct_tensor *far = ct_scalar(ctx, CT_U64, 9), *near = ct_scalar(ctx, CT_U64, 2);
    ct_function *f = ct_trace(ctx, window, CT_LIKE(x, far));
    ct_gradcheck_report *r = ct_gradcheck(f, CT_ARGV(x, far), OPTIONS(.directions = 2));
    CHECK(count(r, CT_GRADCHECK_CLAMPED) == 4); /* both elements of the window, both directions */
    r = ct_gradcheck(f, CT_ARGV(x, near), NULL);
    CHECK(count(r, CT_GRADCHECK_RIGHT) == total(r));
    f = ct_trace(ctx, overwritten, CT_LIKE(x, update, far));
    r = ct_gradcheck(f, CT_ARGV(x, update, far), NULL);
    CHECK(count(r, CT_GRADCHECK_CLAMPED) == 4); /* x[0], x[1] and the update, all pass through */
    CHECK(strstr(ct_gradcheck_text(r), "dynamic_update_slice: "));
    r = ct_gradcheck(f, CT_ARGV(x, update, near), NULL);
    CHECK(count(r, CT_GRADCHECK_RIGHT) == total(r));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The clamp is found inside of a body, too, and the derivative by hand is no obstacle. */
static ct_tensor *called(void *f, ct_tensor *x, ct_tensor *at)
{
    return ct_sum(ct_apply1((ct_function *)f,
                            CT_ARGV(x, at, ct_zeros(ct_context_of(x), CT_F32, CT_SHAPE(3)))),
                  CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *by_hand(void *f, ct_tensor *x, ct_tensor *at)
{
    return ct_apply1(ct_grad((ct_function *)f, CT_ARGS(0)), CT_ARGV(x, at));
}

TEST(clamped_reads_inside_of_calls_and_by_hand)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {10, 11, 12, 13});
    ct_tensor *at = given(ctx, CT_I32, CT_SHAPE(3), {1, 100, -1});
    ct_tensor *zeros = ct_zeros(ctx, CT_F32, CT_SHAPE(3));
    ct_function *inner = ct_trace(ctx, taken, CT_LIKE(x, at, zeros));
    ct_function *f = ct_trace_user(ctx, called, inner, CT_LIKE(x, at));
    ct_function *g = ct_trace_user(ctx, by_hand, f, CT_LIKE(x, at));
    ct_gradcheck_report *r = ct_gradcheck(f, CT_ARGV(x, at), NULL);
    CHECK_MSG(count(r, CT_GRADCHECK_CLAMPED) == 2, "%s", ct_gradcheck_text(r));
    r = ct_gradcheck_against(f, g, CT_ARGV(x, at), NULL);
    CHECK_MSG(count(r, CT_GRADCHECK_CLAMPED) == 2, "%s", ct_gradcheck_text(r));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Options. */

static void two_results(void *user, ct_list in, ct_tensor **out)
{
    (void)user;
    out[0] = ct_mul(in.item[0], in.item[2]);
    out[1] = ct_cast(in.item[0], CT_I32);
    out[2] = ct_sum(ct_sin(in.item[2]), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(selections)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1.25, 2.25}), *n = ct_scalar(ctx, CT_I64, 7);
    ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(2), {3, 4});
    ct_function *f = ct_trace_many(ctx, two_results, NULL, 3, CT_LIKE(x, n, y));
    ct_list arguments = CT_ARGV(x, n, y);
    /* 4 input elements by 3 result elements, and 4 by 2 identities */
    CHECK(total(ct_gradcheck(f, arguments, NULL)) == 20);
    CHECK(total(ct_gradcheck(f, arguments, OPTIONS(.wrt = CT_ARGS(2)))) == 10);
    CHECK(total(ct_gradcheck(f, arguments, OPTIONS(.wrt = CT_ARGS(2, 0)))) == 20);
    CHECK(total(ct_gradcheck(f, arguments, OPTIONS(.results = CT_ARGS(2)))) == 8);
    CHECK(total(ct_gradcheck(f, arguments, OPTIONS(.directions = 3))) == 30);
    ct_gradcheck_report *r = ct_gradcheck(f, arguments,
                                          OPTIONS(.list_right = true, .max_findings = 5));
    CHECK(ct_gradcheck_findings(r) == 5 && total(r) == 20);
    CHECK(strstr(ct_gradcheck_text(r), "15 findings are counted but not listed"));
    CHECK(!ct_gradcheck_finding_at(r, 5));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *weighted(ct_tensor **leaves, ct_tensor *x)
{
    return ct_add(ct_matmul(x, leaves[0]), leaves[1]);
}

TEST(trees_and_names)
{
    ct_context *ctx = ct_context_new();
    struct {
        ct_tensor *w, *b;
    } tree = {ct_name(given(ctx, CT_F64, CT_SHAPE(3), {1, 2, 3}), "slope"),
              ct_scalar(ctx, CT_F64, 0.5)};
    ct_tensor *x = coded(ctx, CT_F64, 2, 3);
    ct_function *f = ct_trace_tree(ctx, weighted, CT_TREE(&tree), CT_LIKE(x));
    ct_gradcheck_report *r = ct_gradcheck(f, CT_ARGV(tree.w, tree.b, x),
                                          OPTIONS(.wrt = CT_ARGS(0), .list_right = true));
    CHECK(total(r) == 12 && count(r, CT_GRADCHECK_RIGHT) == 12);
    CHECK(strstr(ct_gradcheck_text(r), "input 0 \"slope\"  f64[3]  3 elements: 9 right"));
    CHECK(strstr(ct_gradcheck_text(r), "input 1  f64[]  1 element: 3 right"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(reports_repeat)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {10, 11, 12, 13});
    ct_tensor *start = ct_scalar(ctx, CT_I32, 1);
    ct_function *f = ct_trace(ctx, window, CT_LIKE(x, start));
    const ct_gradcheck_options *options = OPTIONS(.directions = 2, .seed = 5, .list_right = true);
    const char *one = ct_gradcheck_text(ct_gradcheck(f, CT_ARGV(x, start), options));
    const char *two = ct_gradcheck_text(ct_gradcheck(f, CT_ARGV(x, start), options));
    const char *other = ct_gradcheck_text(ct_gradcheck(
        f, CT_ARGV(x, start), OPTIONS(.directions = 2, .seed = 6, .list_right = true)));
    CHECK(strcmp(one, two) == 0 && strcmp(one, other) != 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Nothing to check. */

static ct_tensor *summed(ct_tensor *x)
{
    return ct_sum(ct_square(x), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *squared(ct_tensor *x)
{
    return ct_square(x);
}

TEST(empty_and_whole)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *empty = ct_zeros(ctx, CT_F32, CT_SHAPE(3, 0));
    ct_tensor *none = ct_zeros(ctx, CT_F32, CT_SHAPE(0));
    const ct_gradcheck_options *ways[] = {NULL, OPTIONS(.directions = 2, .second_order = true)};
    for (int i = 0; i < 2; i++) {
        ct_gradcheck_report *r = ct_gradcheck(ct_trace(ctx, summed, CT_LIKE(empty)), CT_ARGV(empty),
                                              ways[i]);
        CHECK(ct_gradcheck_passed(r) && total(r) == 0);
        r = ct_gradcheck(ct_trace(ctx, squared, CT_LIKE(none)), CT_ARGV(none), ways[i]);
        CHECK(ct_gradcheck_passed(r) && total(r) == 0);
        CHECK(strstr(ct_gradcheck_text(r), "nothing to check"));
    }
    ct_tensor *scalar = ct_scalar(ctx, CT_F16, 3);
    ct_gradcheck_report *r = ct_gradcheck(ct_trace(ctx, squared, CT_LIKE(scalar)), CT_ARGV(scalar),
                                          NULL);
    CHECK(total(r) == 2 && count(r, CT_GRADCHECK_RIGHT) == 2);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Bad arguments. */

static void check_poison(ct_gradcheck_report *r)
{
    CHECK(r && !ct_gradcheck_passed(r) && total(r) == 0 && ct_gradcheck_findings(r) == 0);
    CHECK(!ct_gradcheck_finding_at(r, 0) && strcmp(ct_gradcheck_text(r), "") == 0);
    ct_gradcheck_release(r);
}

#define REFUSED(call, status, part) (check_poison(call), CHECK_ERROR(ctx, status, part))

TEST(bad_arguments)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1, 2}), *n = coded(ctx, CT_I32, 2);
    ct_tensor *wide = given(ctx, CT_F64, CT_SHAPE(2), {1, 2}), *three = coded(ctx, CT_F32, 3);
    ct_function *f = ct_trace(ctx, squared, CT_LIKE(x)), *g = ct_trace(ctx, squared, CT_LIKE(n));
    REFUSED(ct_gradcheck(NULL, CT_ARGV(x), NULL), CT_ERR_ARGUMENT, "the function is NULL");
    REFUSED(ct_gradcheck(f, CT_ARGV(x, x), NULL), CT_ERR_ARGUMENT, "takes 1 argument, got 2");
    REFUSED(ct_gradcheck(f, ((ct_list){1, NULL}), NULL), CT_ERR_ARGUMENT, "are NULL");
    REFUSED(ct_gradcheck(f, CT_ARGV(wide), NULL), CT_ERR_TYPE, "argument 0 is f64[2]");
    REFUSED(ct_gradcheck(f, CT_ARGV(three), NULL), CT_ERR_SHAPE, "squared takes f32[2]");
    REFUSED(ct_gradcheck(f, CT_ARGV(ct_spec(ctx, CT_F32, CT_SHAPE(2))), NULL), CT_ERR_ARGUMENT,
            "type without data");
    REFUSED(ct_gradcheck(f, CT_ARGV(x), OPTIONS(.wrt = CT_ARGS(1))), CT_ERR_ARGUMENT,
            "there is no argument 1");
    REFUSED(ct_gradcheck(f, CT_ARGV(x), OPTIONS(.wrt = CT_ARGS(0, 0))), CT_ERR_ARGUMENT,
            "named twice");
    REFUSED(ct_gradcheck(f, CT_ARGV(x), OPTIONS(.results = CT_ARGS(-1))), CT_ERR_ARGUMENT,
            "there is no result -1");
    REFUSED(ct_gradcheck(g, CT_ARGV(n), OPTIONS(.wrt = CT_ARGS(0))), CT_ERR_RULE,
            "which has no derivative");
    REFUSED(ct_gradcheck(g, CT_ARGV(n), OPTIONS(.results = CT_ARGS(0))), CT_ERR_RULE,
            "which has no derivative");
    REFUSED(ct_gradcheck(f, CT_ARGV(x), &(ct_gradcheck_options){.size = 3}), CT_ERR_ARGUMENT,
            "options.size = 3");
    check_poison(NULL == f ? NULL : ct_gradcheck(NULL, CT_NO_TENSORS, NULL));
    CHECK(!ct_gradcheck_passed(NULL) && strcmp(ct_gradcheck_text(NULL), "") == 0);
    CHECK(strcmp(ct_gradcheck_verdict_name((ct_gradcheck_verdict)9), "unknown verdict") == 0);
    CHECK(strcmp(ct_gradcheck_verdict_name(CT_GRADCHECK_NOISY), "too noisy to tell") == 0);
    CHECK(strcmp(ct_gradcheck_verdict_name(CT_GRADCHECK_UNDEFINED),
                 "undefined: no finite value here") == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *truncated(ct_tensor *x)
{
    return ct_cast(x, CT_I32);
}

static ct_tensor *widened(ct_tensor *n)
{
    return ct_cast(n, CT_F32);
}

/* Where nothing has a derivative, nothing was checked, and nothing passes. */
TEST(programs_without_derivatives)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1, 2}), *n = coded(ctx, CT_I32, 2);
    ct_function *f = ct_trace(ctx, truncated, CT_LIKE(x)), *g = ct_trace(ctx, widened, CT_LIKE(n));
    ct_function *h = ct_trace(ctx, squared, CT_LIKE(n));
    REFUSED(ct_gradcheck(f, CT_ARGV(x), NULL), CT_ERR_RULE, "no result of truncated is of floats");
    REFUSED(ct_gradcheck(g, CT_ARGV(n), NULL), CT_ERR_RULE, "no argument of widened is of floats");
    REFUSED(ct_gradcheck(h, CT_ARGV(n), OPTIONS(.directions = 2)), CT_ERR_RULE,
            "no argument of squared is of floats");
    ct_context_free(ctx);
}

TEST(derivatives_by_hand_that_do_not_fit)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1, 2});
    ct_function *f = ct_trace(ctx, squared, CT_LIKE(x)), *s = ct_trace(ctx, summed, CT_LIKE(x));
    REFUSED(ct_gradcheck_against(f, NULL, CT_ARGV(x), NULL), CT_ERR_ARGUMENT, "NULL");
    REFUSED(ct_gradcheck_against(f, f, CT_ARGV(x), NULL), CT_ERR_ARGUMENT,
            "takes its 1 and the cotangents of 1 result");
    REFUSED(ct_gradcheck_against(s, s, CT_ARGV(x), NULL), CT_ERR_TYPE,
            "result 0 of summed is f32[]");
    REFUSED(ct_gradcheck_against(s, f, CT_ARGV(x), OPTIONS(.second_order = true)), CT_ERR_ARGUMENT,
            "second_order");
    ct_function *none = ct_trace_end(ct_trace_begin(ctx, "none", CT_LIKE(x)), CT_NO_TENSORS);
    REFUSED(ct_gradcheck_against(s, none, CT_ARGV(x), NULL), CT_ERR_ARGUMENT, "gives 0 results");
    ct_context_free(ctx);
}

static ct_tensor *strict(ct_tensor *x, ct_tensor *at)
{
    return ct_take(x, at, 0, CT_STRICT);
}

static ct_tensor *inside(void *f, ct_tensor *x)
{
    ct_gradcheck((ct_function *)f, CT_ARGV(x), NULL);
    return x;
}

TEST(errors_of_runs_and_traces)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1, 2}), *at = coded(ctx, CT_I32, 3);
    ct_function *f = ct_trace(ctx, strict, CT_LIKE(x, at));
    REFUSED(ct_gradcheck(f, CT_ARGV(x, at), NULL), CT_ERR_INDEX, "out of range");
    ct_function *g = ct_trace(ctx, squared, CT_LIKE(x));
    ct_trace_user(ctx, inside, g, CT_LIKE(x));
    CHECK_ERROR(ctx, CT_ERR_TRACED, "argument 0 is traced");
    ct_context_free(ctx);
}

/* The digits of numbers whose ratio to their uncertainty is no number of digits. */
static const char *text_of_numbers(ct_context *ctx, double value, double uncertainty)
{
    ct_gradcheck_report *r = ct__report_new(ctx, CT_HERE);
    r->name = "numbers";
    r->max_findings = 1;
    CHECK(ct__report_input(r, &(ct__gradcheck_input){.type_text = "f64[]", .moved = 1}));
    CHECK(ct__report_finding(r, &(ct_gradcheck_finding){.verdict = CT_GRADCHECK_WRONG,
                                                        .order = 1,
                                                        .direction = -1,
                                                        .derivative = value,
                                                        .estimate = value,
                                                        .uncertainty = uncertainty,
                                                        .note = ""}));
    return ct_gradcheck_text(r);
}

TEST(digits_of_extreme_numbers)
{
    ct_context *ctx = ct_context_new();
    CHECK(strstr(text_of_numbers(ctx, 0, 1e-3), "is 0, differences give 0 ± 0.001"));
    CHECK(strstr(text_of_numbers(ctx, 1.0 / 3, INFINITY), "is 0.333333, differences give 0.33333"));
    CHECK(strstr(text_of_numbers(ctx, 1.2345678901234567e300, 1e-300), "1.2345678901234567e+300"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Promotion. */

static bool is_narrow(const ct_type *type)
{
    return type->kind == CT__TENSOR && (type->dtype == CT_F16 || type->dtype == CT_BF16 ||
                                        type->dtype == CT_F32 || type->dtype == CT_C64);
}

/* Whether a node is a function of types of its own, which get its operands and give its results. */
static bool states_types(const ct__graph *graph)
{
    bool any = false;
    for (size_t i = 0; i < graph->n_nodes; i++)
        any = any || ct__has(graph->node[i].op, CT__TYPED) ||
              ct__has(graph->node[i].op, CT__OPAQUE);
    return any;
}

static void check_wide(const char *name, const ct__graph *graph)
{
    for (size_t v = 0; v < graph->n_values && !states_types(graph); v++)
        CHECK_MSG(!is_narrow(graph->value[v].type), "%s keeps a narrow value", name);
    for (size_t i = 0; i < graph->n_params; i++)
        CHECK_MSG(!is_narrow(ct__param_type(graph, i)), "%s keeps a narrow parameter", name);
    for (size_t i = 0; i < graph->n_results; i++)
        CHECK_MSG(!is_narrow(ct__result_type(graph, i)), "%s keeps a narrow result", name);
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < graph->node[i].n_regions; k++)
            check_wide(name, graph->node[i].region[k]);
}

TEST(every_operation_is_promoted)
{
    for (size_t i = 0; i < n_samples; i++) {
        ct_context *ctx = ct_context_new();
        ct_function *f = samples[i].make(ctx);
        CHECK_OK(ctx);
        ct__graph *wide = ct__promote(ctx, CT_HERE, f->graph);
        CHECK_OK(ctx);
        check_wide(samples[i].name, wide);
        CHECK(wide->n_params == f->graph->n_params && wide->n_results == f->graph->n_results);
        ct__graph_release(wide);
        ct_context_free(ctx);
    }
}

static ct_tensor *tenth(ct_tensor *x)
{
    ct_tensor *list = ct_from_doubles(ct_context_of(x), CT_F32, CT_SHAPE(2), (double[]){0.1, 0.2});
    return ct_add(ct_mul(x, 0.1), ct_cast(ct_cast(list, CT_BF16), CT_F32));
}

/* Constants keep the value that they have, 0.1f and not 0.1. */
TEST(constants_keep_their_value)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {3, 5}),
              *y = given(ctx, CT_F64, CT_SHAPE(2), {3, 5});
    ct__graph *wide = ct__promote(ctx, CT_HERE, ct_trace(ctx, tenth, CT_LIKE(x))->graph);
    ct_function *f = ct__function_new(ctx, CT_HERE, wide);
    double bf = 0.10009765625, bf2 = 0.2001953125; /* 0.1 and 0.2 in bf16, rounded when traced */
    CHECK_VALUES(ct_apply1(f, CT_ARGV(y)), CT_SHAPE(2),
                 {(double)0.1f * 3 + bf, (double)0.1f * 5 + bf2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void check_everything(ct_context *ctx)
{
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {0, 11});
    ct_tensor *at = given(ctx, CT_I32, CT_SHAPE(1), {9}), *one = ct_ones(ctx, CT_F32, CT_SHAPE(1));
    ct_function *f = ct_trace(ctx, taken, CT_LIKE(x, at, one));
    ct_gradcheck_report *r = ct_gradcheck(f, CT_ARGV(x, at, one), OPTIONS(.second_order = true));
    ct_gradcheck_text(r);
}

static ct_tensor *ones_like(ct_tensor *x)
{
    return ct_full(ct_context_of(x), CT_F32, ct_shape_of(x), 1);
}

static ct_tensor *sum_abs(ct_tensor *x)
{
    return ct_sum(ct_abs(x), CT_ALL_AXES, CT_DROP_AXES);
}

static void check_by_hand(ct_context *ctx)
{
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {0, 1});
    ct_function *f = ct_trace(ctx, sum_abs, CT_LIKE(x)), *g = ct_trace(ctx, ones_like, CT_LIKE(x));
    ct_gradcheck_text(ct_gradcheck_against(f, g, CT_ARGV(x), OPTIONS(.directions = 1)));
}

TEST(allocation_failures)
{
    CHECK_ALLOCATIONS(check_everything);
    CHECK_ALLOCATIONS(check_by_hand);
}
