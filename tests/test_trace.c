/* Tracing: parameters of every kind, results, nesting, captured constants, names and places. What
 * goes wrong is in tests/test_trace_errors.c, who owns what in tests/test_scope.c. */
#include "tests/values.h"
#include "trace/trace.h"

#include <cotangent/cotangent.h>

#include <stdio.h>
#include <string.h>

/* How often `part` stands in the function's text. */
static int count_in_text(ct_function *f, const char *part)
{
    int count = 0;

    for (const char *at = ct_function_text(f, CT_TEXT_STABLEHLO); (at = strstr(at, part)); at++)
        count++;
    return count;
}

/* ---- Parameters: f(x1, x2, …) = x1 + 2 x2 + 4 x3 …, so that the result tells which is which. */

static ct_tensor *weighted(size_t n, ct_tensor *const *x)
{
    ct_tensor *y = x[0];

    for (size_t i = 1; i < n; i++)
        y = ct_add(y, ct_mul(x[i], (double)((size_t)1 << i)));
    return y;
}

#define X(i) ct_tensor *x##i
#define WEIGHTED(n, ...)                                                                           \
    {                                                                                              \
        return weighted(n, (ct_tensor *const[]){__VA_ARGS__});                                     \
    }
static ct_tensor *f1(X(1)) WEIGHTED(1, x1) static ct_tensor *f2(X(1), X(2))
    WEIGHTED(2, x1, x2) static ct_tensor *f3(X(1), X(2), X(3))
        WEIGHTED(3, x1, x2, x3) static ct_tensor *f4(X(1), X(2), X(3), X(4))
            WEIGHTED(4, x1, x2, x3, x4) static ct_tensor *f5(X(1), X(2), X(3), X(4), X(5))
                WEIGHTED(5, x1, x2, x3, x4, x5) static ct_tensor *f6(X(1), X(2), X(3), X(4), X(5),
                                                                     X(6))
                    WEIGHTED(6, x1, x2, x3, x4, x5, x6) static ct_tensor *f7(X(1), X(2), X(3), X(4),
                                                                             X(5), X(6), X(7))
                        WEIGHTED(7, x1, x2, x3, x4, x5, x6,
                                 x7) static ct_tensor *f8(X(1), X(2), X(3), X(4), X(5), X(6), X(7),
                                                          X(8))
                            WEIGHTED(8, x1, x2, x3, x4, x5, x6, x7,
                                     x8) static ct_tensor *f9(X(1), X(2), X(3), X(4), X(5), X(6),
                                                              X(7), X(8), X(9))
                                WEIGHTED(9, x1, x2, x3, x4, x5, x6, x7, x8,
                                         x9) static ct_tensor *f10(X(1), X(2), X(3), X(4), X(5),
                                                                   X(6), X(7), X(8), X(9), X(10))
                                    WEIGHTED(10, x1, x2, x3, x4, x5, x6, x7, x8, x9,
                                             x10) static ct_tensor *f11(X(1), X(2), X(3), X(4),
                                                                        X(5), X(6), X(7), X(8),
                                                                        X(9), X(10), X(11))
                                        WEIGHTED(11, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10,
                                                 x11) static ct_tensor *f12(X(1), X(2), X(3), X(4),
                                                                            X(5), X(6), X(7), X(8),
                                                                            X(9), X(10), X(11),
                                                                            X(12))
                                            WEIGHTED(12, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10,
                                                     x11, x12)

    /* f takes n scalars of value 1, 2, 3, …: the sum of i 2^(i-1) is (n - 1) 2^n + 1. */
    static void check_weighted(ct_function *f, size_t n)
{
    ct_context *ctx = ct_function_context(f);
    ct_tensor *x[16];

    for (size_t i = 0; i < n; i++)
        x[i] = ct_scalar(ctx, CT_F64, (double)i + 1);
    CHECK(ct_function_parameters(f) == n && ct_function_results(f) == 1);
    CHECK(ct_item(ct_apply1(f, (ct_list){n, x})) == (double)((n - 1) * ((size_t)1 << n)) + 1);
    CHECK_OK(ctx);
}

TEST(one_to_twelve_tensors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F64, CT_SHAPE());

    check_weighted(ct_trace(ctx, f1, CT_LIKE(s)), 1);
    check_weighted(ct_trace(ctx, f2, CT_LIKE(s, s)), 2);
    check_weighted(ct_trace(ctx, f3, CT_LIKE(s, s, s)), 3);
    check_weighted(ct_trace(ctx, f4, CT_LIKE(s, s, s, s)), 4);
    check_weighted(ct_trace(ctx, f5, CT_LIKE(s, s, s, s, s)), 5);
    check_weighted(ct_trace(ctx, f6, CT_LIKE(s, s, s, s, s, s)), 6);
    check_weighted(ct_trace(ctx, f7, CT_LIKE(s, s, s, s, s, s, s)), 7);
    check_weighted(ct_trace(ctx, f8, CT_LIKE(s, s, s, s, s, s, s, s)), 8);
    check_weighted(ct_trace(ctx, f9, CT_LIKE(s, s, s, s, s, s, s, s, s)), 9);
    check_weighted(ct_trace(ctx, f10, CT_LIKE(s, s, s, s, s, s, s, s, s, s)), 10);
    check_weighted(ct_trace(ctx, f11, CT_LIKE(s, s, s, s, s, s, s, s, s, s, s)), 11);
    check_weighted(ct_trace(ctx, f12, CT_LIKE(s, s, s, s, s, s, s, s, s, s, s, s)), 12);
    ct_context_free(ctx);
}

/* Shapes and dtypes are those of the examples. */
TEST(parameter_types)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, f2,
                              CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 1)), coded(ctx, CT_F32, 3)));
    ct_shape shape = ct_type_shape(ct_parameter_type(f, 1));

    CHECK(shape.count == 1 && shape.dim[0] == 3);
    CHECK(ct_type_dtype(ct_parameter_type(f, 0)) == CT_F32);
    shape = ct_type_shape(ct_result_type(f, 0));
    CHECK(shape.count == 2 && shape.dim[0] == 2 && shape.dim[1] == 3);
    CHECK(strcmp(ct_function_name(f), "f2") == 0);
    CHECK(!ct_parameter_type(f, 2) && !ct_result_type(f, 1) && !ct_result_type(f, SIZE_MAX));
    ct_context_free(ctx);
}

/* ---- A user pointer. */

typedef struct settings {
    double scale;
    int calls;
} settings;

static ct_tensor *constant(void *user)
{
    return ct_scalar(user, CT_F32, 7);
}

static ct_tensor *scaled(void *user, ct_tensor *x)
{
    settings *s = user;

    s->calls++;
    return ct_mul(x, s->scale);
}

static ct_tensor *scaled_sum(void *user, ct_tensor *x, ct_tensor *y, ct_tensor *z)
{
    return scaled(user, ct_add(ct_add(x, y), z));
}

TEST(user_pointer)
{
    ct_context *ctx = ct_context_new();
    settings s = {.scale = 3};
    ct_tensor *x = ct_scalar(ctx, CT_F32, 2);

    ct_function *f = ct_trace_user(ctx, scaled, &s, CT_LIKE(x));
    s.scale = 100; /* the number was recorded */
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(), {6});
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(), {6});
    CHECK(s.calls == 1);
    s.scale = 2;
    f = ct_trace_user(ctx, scaled_sum, &s, CT_LIKE(x, x, x));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x, x, x)), CT_SHAPE(), {12});
    f = ct_trace_user(ctx, constant, ctx, CT_NO_TENSORS);
    CHECK(ct_function_parameters(f) == 0);
    CHECK_VALUES(ct_apply1(f, CT_NO_TENSORS), CT_SHAPE(), {7});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- A tree: a struct of tensors. */

typedef struct layer {
    ct_tensor *weight, *bias;
} layer;

typedef struct model {
    layer hidden;
    ct_tensor *out;
} model;

static ct_tensor *predict(ct_tensor **leaves, ct_tensor *x)
{
    const model *m = (const model *)(void *)leaves;

    return ct_mul(ct_add(ct_matmul(x, m->hidden.weight), m->hidden.bias), m->out);
}

static ct_tensor *only_leaves(ct_tensor **leaves)
{
    return ct_sub(leaves[0], leaves[1]);
}

TEST(tree)
{
    ct_context *ctx = ct_context_new();
    model m = {{coded(ctx, CT_F32, 2, 3), coded(ctx, CT_F32, 3)}, ct_scalar(ctx, CT_F32, 2)};
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1, 2), {1, 1});
    ct_function *f = ct_trace_tree(ctx, predict, CT_TREE(&m), CT_LIKE(x));

    CHECK(ct_function_parameters(f) == 4); /* leaves one by one, then x */
    CHECK(ct_type_shape(ct_parameter_type(f, 0)).count == 2);
    CHECK(ct_type_shape(ct_parameter_type(f, 2)).count == 0);
    CHECK_VALUES(ct_apply1(f, CT_ARGV(m.hidden.weight, m.hidden.bias, m.out, x)), CT_SHAPE(1, 3),
                 {20, 26, 32});
    layer two = {ct_scalar(ctx, CT_I32, 5), ct_scalar(ctx, CT_I32, 3)};
    f = ct_trace_tree(ctx, only_leaves, CT_TREE(&two), CT_NO_TENSORS);
    CHECK_VALUES(ct_apply1(f, CT_TREE(&two)), CT_SHAPE(), {2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Many, and by hand. */

static void quotient_and_rest(void *user, ct_list p, ct_tensor **result)
{
    *(size_t *)user = p.count;
    result[0] = ct_div(p.item[0], p.item[1]);
    result[1] = ct_rem(p.item[0], p.item[1]);
}

static void nothing(void *user, ct_list p, ct_tensor **result)
{
    (void)user;
    (void)p;
    (void)result;
}

TEST(many_results)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I32, CT_SHAPE(2), {17, -17}),
              *y = given(ctx, CT_I32, CT_SHAPE(2), {5, 5});
    ct_tensor *result[2];
    size_t count = 0;
    ct_function *f = ct_trace_many(ctx, quotient_and_rest, &count, 2, CT_LIKE(x, y));

    CHECK(count == 2 && ct_function_results(f) == 2);
    ct_apply(f, CT_ARGV(x, y), result, 2);
    CHECK_VALUES(result[0], CT_SHAPE(2), {3, -3});
    CHECK_VALUES(result[1], CT_SHAPE(2), {2, -2});
    f = ct_trace_many(ctx, nothing, NULL, 0, CT_LIKE(x));
    CHECK(ct_function_results(f) == 0 && ct_function_operations(f) == 0);
    ct_apply(f, CT_ARGV(x), NULL, 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(by_hand)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F64, CT_SHAPE()), *x[40];

    for (int i = 0; i < 40; i++)
        x[i] = s;
    ct_trace_builder *builder = ct_trace_begin(ctx, "forty", (ct_list){40, x});
    ct_tensor *sum = ct_trace_parameter(builder, 0);
    for (size_t i = 1; i < 40; i++)
        sum = ct_add(sum, ct_trace_parameter(builder, i));
    ct_function *f = ct_trace_end(builder, CT_ARGV(sum, ct_trace_parameter(builder, 39)));
    CHECK(ct_function_parameters(f) == 40 && ct_function_operations(f) == 39);
    CHECK(strcmp(ct_function_name(f), "forty") == 0);
    for (int i = 0; i < 40; i++)
        x[i] = ct_scalar(ctx, CT_F64, i);
    ct_tensor *result[2];
    ct_apply(f, (ct_list){40, x}, result, 2);
    CHECK(ct_item(result[0]) == 780 && ct_item(result[1]) == 39);
    builder = ct_trace_begin(ctx, NULL, CT_NO_TENSORS); /* it needs no name */
    CHECK(strcmp(ct_function_name(ct_trace_end(builder, CT_NO_TENSORS)), "f") == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Any number of parameters through the function behind the macros. */
static ct_tensor *f13(X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12),
                      X(13)) WEIGHTED(13, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13)

    TEST(signature_at_run_time)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x[13];

    for (int i = 0; i < 13; i++)
        x[i] = ct_spec(ctx, CT_F64, CT_SHAPE());
    check_weighted(
        ct_trace_function_at(CT_HERE, ctx, "f13", (ct_signature){CT_PARAMETERS_PLAIN, 13},
                             (ct_any_function)f13, NULL, CT_NO_TENSORS, (ct_list){13, x}),
        13);
    ct_context_free(ctx);
}

/* ---- Results. */

static ct_tensor *known; /* a concrete tensor that the functions use */

static ct_tensor *gives_known(ct_tensor *x)
{
    (void)x;
    return known;
}

static ct_tensor *gives_computed(ct_tensor *x)
{
    (void)x;
    return ct_add(known, known);
}

static ct_tensor *gives_parameter(ct_tensor *x)
{
    return x;
}

static void gives_twice(void *user, ct_list p, ct_tensor **result)
{
    (void)user;
    result[0] = result[2] = ct_neg(p.item[0]);
    result[1] = p.item[0];
    result[3] = known;
}

TEST(results)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2), *y[4];

    known = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3});
    ct_function *f = ct_trace(ctx, gives_known, CT_LIKE(x));
    CHECK(ct_function_parameters(f) == 1);
    CHECK_EQUAL(ct_apply1(f, CT_ARGV(x)), known);
    f = ct_trace(ctx, gives_computed, CT_LIKE(x));
    CHECK(ct_function_operations(f) == 1); /* computed at once: a constant */
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(3), {2, 4, 6});
    f = ct_trace(ctx, gives_parameter, CT_LIKE(x));
    CHECK(ct_function_operations(f) == 0);
    CHECK_EQUAL(ct_apply1(f, CT_ARGV(x)), x);
    ct_apply(ct_trace_many(ctx, gives_twice, NULL, 4, CT_LIKE(x)), CT_ARGV(x), y, 4);
    CHECK_VALUES(y[0], CT_SHAPE(2), {0, -1});
    CHECK_EQUAL(y[0], y[2]);
    CHECK_EQUAL(y[1], x);
    CHECK_EQUAL(y[3], known);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* What no result needs is not kept; parameters are. */
static ct_tensor *wasteful(ct_tensor *x, ct_tensor *y)
{
    ct_exp(ct_add(x, known));
    return ct_neg(y);
}

TEST(unused_operations_are_dropped)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 3);

    known = x;
    ct_function *f = ct_trace(ctx, wasteful, CT_LIKE(x, x));
    CHECK(ct_function_operations(f) == 1 && ct_function_parameters(f) == 2);
    ct_context_free(ctx);
}

/* ---- Constants are captured by reference, once each. */

static ct_tensor *uses_known_thrice(ct_tensor *x)
{
    ct_tensor *again = ct_reshape(known, CT_SHAPE(3)); /* another tensor */

    return ct_add(ct_add(ct_mul(x, known), known), ct_sub(known, again));
}

TEST(constants_are_shared)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 4});

    known = given(ctx, CT_F32, CT_SHAPE(3), {10, 20, 30});
    ct_function *f = ct_trace(ctx, uses_known_thrice, CT_LIKE(x));
    CHECK_MSG(count_in_text(f, "stablehlo.constant") == 2, "%s",
              ct_function_text(f, CT_TEXT_STABLEHLO));
    ct_release(known); /* the function keeps the data */
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(3), {20, 60, 150});
    ct_context_free(ctx);
}

/* A concrete tensor as a value of the open trace, if there is one: what moves it is recorded too.
 */
static ct_tensor *recorded(ct_context *ctx, ct_tensor *x)
{
    ct__id id;

    if (!ctx->trace)
        return x;
    CHECK(ct__trace_resolve(ctx, x, &id) == CT__RESOLVED);
    return ct__tensor_traced(ctx, CT_HERE, "constant", ctx->trace->serial, id, x->type);
}

/* What a value copies is known when it is recorded, and stays so when others are dropped. */
static ct_tensor *copies_known(ct_tensor *x)
{
    ct_tensor *constant = recorded(ct_context_of(x), known);
    ct_tensor *spread = ct_op_broadcast_in_dim(constant, CT_SHAPE(2, 3), CT_DIMS(1));

    ct_op_negate(constant); /* dropped */
    return ct_op_concatenate(CT_ARGV(ct_op_reverse(spread, CT_DIMS(0)), ct_op_add(spread, x), x),
                             0);
}

TEST(copies_of_constants)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 3));

    known = given(ctx, CT_F32, CT_SHAPE(3), {10, 20, 30});
    ct_function *f = ct_trace(ctx, copies_known, CT_LIKE(x));
    const ct__graph *graph = f->graph;
    const ct__node *joins = &graph->node[graph->n_nodes - 1];
    const ct__value *reversed = &graph->value[joins->operand[0]];
    CHECK(graph->node[reversed->node].op == CT__OP_reverse);
    CHECK(reversed->copied == graph->value[graph->node[0].first_result].copied);
    CHECK(reversed->copied && !graph->value[joins->operand[1]].copied);
    CHECK(!graph->value[joins->operand[2]].copied && !graph->value[joins->first_result].copied);
    ct_context_free(ctx);
}

/* ---- Nesting. */

static ct_function *inner;

static ct_tensor *square_plus_one(ct_tensor *x)
{
    return ct_add(ct_square(x), 1);
}

static ct_tensor *applies_inner(ct_tensor *x)
{
    return ct_add(ct_apply1(inner, CT_ARGV(x)), ct_apply1(inner, CT_ARGV(ct_neg(x))));
}

static ct_tensor *traces_inside(ct_tensor *x)
{
    ct_function *f = ct_trace(ct_context_of(x), square_plus_one, CT_LIKE(x));

    return ct_mul(ct_apply1(f, CT_ARGV(x)), 3);
}

static ct_tensor *differentiates_inside(ct_tensor *x)
{
    return ct_add(ct_grad_of(ct_context_of(x), square_plus_one, x), x);
}

TEST(nesting)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 5);

    inner = ct_trace(ctx, square_plus_one, CT_LIKE(x));
    ct_function *f = ct_trace(ctx, applies_inner, CT_LIKE(x));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(), {52});
    CHECK_MSG(count_in_text(f, "call @") == 2, "%s", ct_function_text(f, CT_TEXT_STABLEHLO));
    CHECK(count_in_text(f, "func.func private") == 1); /* one body */
    f = ct_trace(ctx, traces_inside, CT_LIKE(x));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(), {78});
    CHECK(count_in_text(f, "call @") == 1);
    f = ct_trace(ctx, differentiates_inside, CT_LIKE(x));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(), {15});
    CHECK_VALUES(traces_inside(x), CT_SHAPE(), {78}); /* directly, too */
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Second derivative by nesting: d/dx of 2x is 2. */
TEST(gradient_of_nested_gradient)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 5);

    CHECK_VALUES(ct_grad_of(ctx, differentiates_inside, x), CT_SHAPE(), {3});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Names and places. */

static ct_tensor *named(ct_tensor *x)
{
    ct_name(x, "input");
    return ct_name(ct_neg(ct_name(ct_exp(x), "power")), "output");
}

TEST(names)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 0);
    ct_function *f = ct_trace(ctx, named, CT_LIKE(x));
    const char *text = ct_function_text(f, CT_TEXT_STABLEHLO);

    CHECK_MSG(strstr(text, "%input") && strstr(text, "%power") && strstr(text, "%output"), "%s",
              text);
    CHECK(ct_name(x, "x") == x && ct_name(x, "y") == x && ct_name(x, NULL) == x);
    CHECK(!ct_name(NULL, "none"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static int line_of_add;

static ct_tensor *adds_wrongly(ct_tensor *x)
{
    ct_tensor *y = ct_reshape(x, CT_SHAPE(6));

    line_of_add = __LINE__ + 1;
    return ct_add(x, y);
}

/* An error names the line of the user's function, and those where the operands were made. */
TEST(places)
{
    ct_context *ctx = ct_context_new();
    char begin[512], made[512];

    ct_trace(ctx, adds_wrongly, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3))));
    snprintf(begin, sizeof begin, "%s:%d: add: ", __FILE__, line_of_add);
    snprintf(made, sizeof made, "f32[6]       reshape, %s:%d", __FILE__, line_of_add - 3);
    ct_place place = ct_error_place(ctx);
    CHECK(place.line == line_of_add && strcmp(place.file, __FILE__) == 0);
    CHECK_MSG(strncmp(ct_error_message(ctx), begin, strlen(begin)) == 0 &&
                  strstr(ct_error_message(ctx), made),
              "%s", ct_error_message(ctx));
    ct_context_free(ctx);
}

static int line_of_power;

static ct_tensor *integer_power(ct_tensor *x)
{
    line_of_power = __LINE__ + 1;
    return ct_sum(ct_take(x, ct_cast(x, CT_I32), 0, CT_STRICT), CT_ALL_AXES, CT_DROP_AXES);
}

/* Also when the graph runs long after it was recorded. */
TEST(places_of_runs)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {0, 2});
    ct_function *f = ct_trace(ctx, integer_power, CT_LIKE(x));
    char begin[512];

    CHECK_OK(ctx);
    ct_apply1(f, CT_ARGV(x));
    snprintf(begin, sizeof begin, "%s:%d: gather: ", __FILE__, line_of_power);
    CHECK_MSG(strncmp(ct_error_message(ctx), begin, strlen(begin)) == 0, "%s",
              ct_error_message(ctx));
    CHECK(ct_error_status(ctx) == CT_ERR_INDEX);
    ct_context_free(ctx);
}

/* Values that are replayed from a graph keep the places of their operations when it is gone. */
TEST(places_of_replayed_values)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(2)), *y;
    ct_scope scope = ct_scope_begin(ctx);
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(like));
    ct_tensor *negative = ct_op_negate_at((ct_place){"made_up.c", 7, 0}, ct_trace_parameter(b, 0));
    ct__graph *graph = ct__graph_retain(ct_trace_end(b, CT_ARGV(negative))->graph);
    ct_scope_end(scope);
    b = ct_trace_begin(ctx, "g", CT_LIKE(like));
    ct_tensor *x = ct_trace_parameter(b, 0);
    CHECK(ct__replay(ctx, CT_HERE, graph, &x, &y));
    ct__graph_release(graph);
    ct_op_add(y, ct_op_convert(x, CT_F64));
    CHECK(strstr(ct_error_message(ctx), "made_up.c:7"));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "negate");
    ct_context_free(ctx);
}
