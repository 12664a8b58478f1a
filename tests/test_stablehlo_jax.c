/* What JAX writes where extents are not known: assertions about them, functions and loops that
 * depend on them, and custom calls whose sizes are operands. */
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <string.h>

static ct_module *read_text(ct_context *ctx, const char *text)
{
    return ct_read_stablehlo_text(ctx, "t", text, strlen(text));
}

/* The first result of @main on these arguments, which give the extents. */
static ct_tensor *run(ct_context *ctx, const char *text, ct_list arguments)
{
    ct_tensor *y[4];
    ct_function *f = ct_specialize(read_text(ctx, text), NULL, arguments);
    ct_apply(f, arguments, y, ct_function_results(f));
    return y[0];
}

static ct_tensor *vector(ct_context *ctx, int64_t n)
{
    return ct_arange(ctx, CT_F32, 0, (double)n, 1);
}

/* Reading the text, or its @main for a vector of 6 floats, fails so. */
static void check_error(int line, const char *text, const char *want)
{
    ct_context *ctx = ct_context_new();
    ct_specialize(read_text(ctx, text), NULL, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(6))));
    if (strncmp(ct_error_message(ctx), want, strlen(want)) != 0)
        check_fail(__FILE__, line, "\"%s\" and not\n\"%s\"", ct_error_message(ctx), want);
    ct_context_free(ctx);
}
#define CHECK_TEXT_ERROR(text, want) check_error(__LINE__, text, want)

/* ---- @shape_assertion */

static const char at_least_two[] =
    "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
    "  %two = stablehlo.constant dense<2> : tensor<i32>\n"
    "  %ok = stablehlo.compare GE, %n, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "  stablehlo.custom_call @shape_assertion(%ok, %n, %two) {error_message = \"b = {0}, not "
    "{1}; {0}{2}{x}{}{\", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()\n"
    "  return %x : tensor<?xf32>\n"
    "}\n";

TEST(assertions_that_hold_are_gone)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_specialize(read_text(ctx, at_least_two), NULL,
                                   CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2))));
    CHECK_OK(ctx);
    CHECK(f->graph->n_nodes == 0);
    ct_context_free(ctx);
}

TEST(assertions_that_do_not_hold)
{
    ct_context *ctx = ct_context_new();
    ct_specialize(read_text(ctx, at_least_two), NULL, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(1))));
    CHECK_ERROR(ctx, CT_ERR_TEXT, "t:5:3: b = 1, not 2; 1{2}{x}{}{\n");
    ct_context_free(ctx);
    CHECK_TEXT_ERROR("func.func @main(%x: tensor<f32>) {\n"
                     "  stablehlo.custom_call @shape_assertion(%x) : (tensor<f32>) -> ()\n"
                     "  return\n}",
                     "t:2:3: the first operand of @shape_assertion is a tensor<i1>");
    CHECK_TEXT_ERROR("func.func @main(%x: tensor<f32>) {\n"
                     "  %f = stablehlo.constant dense<false> : tensor<i1>\n"
                     "  stablehlo.custom_call @shape_assertion(%f) : (tensor<i1>) -> ()\n"
                     "  return\n}",
                     "t:3:3: an assertion about shapes does not hold");
}

/* What constants do not decide, runs do. */
TEST(assertions_when_the_program_runs)
{
    static const char text[] =
        "func.func @main(%n: tensor<i64>) -> tensor<i64> {\n"
        "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
        "  %ok = stablehlo.compare GE, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
        "  stablehlo.custom_call @shape_assertion(%ok, %n) {error_message = \"n is {0}, {1}\", "
        "has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()\n"
        "  return %n : tensor<i64>\n"
        "}\n";
    ct_context *ctx = ct_context_new();
    ct_executable *e = ct_compile(ct_module_function(read_text(ctx, text), NULL), NULL);
    CHECK_VALUES(ct_call1(e, CT_ARGV(ct_scalar(ctx, CT_I64, 4))), CT_SHAPE(), {4});
    ct_call1(e, CT_ARGV(ct_scalar(ctx, CT_I64, -7)));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "@shape_assertion: n is -7, {1}");
    ct_context_free(ctx);
}

/* ---- Functions whose shapes depend on their arguments' values. */

static const char through_functions[] =
    "func.func public @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {\n"
    "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
    "  %0 = call @count(%n) : (tensor<i32>) -> tensor<?xf32>\n"
    "  %1 = call @sum(%n) : (tensor<i32>) -> tensor<f32>\n"
    "  return %0, %1 : tensor<?xf32>, tensor<f32>\n"
    "}\n"
    "func.func private @sum(%n: tensor<i32>) -> tensor<f32> {\n" /* has no "?" itself */
    "  %0 = call @inner(%n) : (tensor<i32>) -> tensor<f32>\n"
    "  return %0 : tensor<f32>\n"
    "}\n"
    "func.func private @inner(%n: tensor<i32>) -> tensor<f32> {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = call @count(%n) : (tensor<i32>) -> tensor<?xf32>\n"
    "  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : "
    "(tensor<?xf32>, tensor<f32>) -> tensor<f32>\n"
    "  return %1 : tensor<f32>\n"
    "}\n"
    "func.func private @count(%n: tensor<i32>) -> tensor<?xf32> {\n"
    "  %1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
    "  %2 = stablehlo.dynamic_iota %1, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>\n"
    "  return %2 : tensor<?xf32>\n"
    "}\n";

TEST(functions_of_extents)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(ctx, through_functions);
    for (int64_t n = 0; n < 5; n++) {
        ct_tensor *x = vector(ctx, n), *y[2];
        ct_apply(ct_specialize(m, NULL, CT_LIKE(x)), CT_ARGV(x), y, 2);
        CHECK_OK(ctx);
        CHECK(ct_size(y[0]) == n && ct_item(y[1]) == (double)(n * (n - 1) / 2));
    }
    ct_module_function(m, "sum");
    CHECK_ERROR(ctx, CT_ERR_TYPE, "@sum has extents \"?\"");
    ct_context_free(ctx);
}

/* ---- What bodies need of the extents only while the program is read. */

/* A loop and a branch with a broadcast to the extent, inside of a branch: it is no capture. */
static const char only_while_read[] =
    "func.func public @main(%x: tensor<?xf32>, %p: tensor<i32>) -> tensor<?xf32> {\n"
    "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
    "  %0 = call @f(%n, %x, %p) : (tensor<i32>, tensor<?xf32>, tensor<i32>) -> tensor<?xf32>\n"
    "  return %0 : tensor<?xf32>\n"
    "}\n"
    "func.func private @f(%n: tensor<i32>, %x: tensor<?xf32>, %p: tensor<i32>) -> tensor<?xf32> {\n"
    "  %two = stablehlo.constant dense<2.0> : tensor<f32>\n"
    "  %most = stablehlo.constant dense<100.0> : tensor<f32>\n"
    "  %0 = stablehlo.while(%a = %x) : tensor<?xf32>\n"
    "  cond {\n"
    "    %1 = stablehlo.reduce(%a init: %two) applies stablehlo.add across dimensions = [0] : "
    "(tensor<?xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %2 = stablehlo.compare LT, %1, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %2 : tensor<i1>\n"
    "  } do {\n"
    "    %1 = \"stablehlo.case\"(%p) ({\n"
    "      %2 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
    "      %3 = stablehlo.dynamic_broadcast_in_dim %two, %2, dims = [] : (tensor<f32>, "
    "tensor<1xi32>) -> tensor<?xf32>\n"
    "      %4 = stablehlo.multiply %a, %3 : tensor<?xf32>\n"
    "      stablehlo.return %4 : tensor<?xf32>\n"
    "    }, {\n"
    "      %2 = stablehlo.add %a, %a : tensor<?xf32>\n"
    "      stablehlo.return %2 : tensor<?xf32>\n"
    "    }) : (tensor<i32>) -> tensor<?xf32>\n"
    "    stablehlo.return %1 : tensor<?xf32>\n"
    "  }\n"
    "  return %0 : tensor<?xf32>\n"
    "}\n";

TEST(extents_that_bodies_read)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = vector(ctx, 4), *p = ct_scalar(ctx, CT_I32, 0);
    ct_function *f = ct_specialize(read_text(ctx, only_while_read), NULL, CT_LIKE(x, p));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x, p)), CT_SHAPE(4), {0, 32, 64, 96});
    const char *text = ct_stablehlo_text(f, CT_WRITE_PRETTY);
    CHECK_MSG(!strstr(text, "dense<4>"), "%s", text);
    ct_function *g = ct_module_function(read_text(ctx, text), NULL);
    CHECK(strcmp(ct_stablehlo_text(g, CT_WRITE_PRETTY), text) == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Private functions are read first: what is wrong with them is reported all the same, once. */
TEST(wrong_private_functions)
{
    CHECK_TEXT_ERROR("func.func @main() -> tensor<f32> {\n"
                     "  %0 = call @f() : () -> tensor<f32>\n"
                     "  return %0 : tensor<f32>\n"
                     "}\n"
                     "func.func private @f() -> tensor<f32> {\n"
                     "  %0 = call @g() : () -> tensor<f32>\n"
                     "  return %0 : tensor<f32>\n"
                     "}\n"
                     "func.func private @g() -> tensor<f32> {\n"
                     "  %0 = stablehlo.fly : tensor<f32>\n"
                     "  return %0 : tensor<f32>\n"
                     "}\n",
                     "t:10:8: operation 'stablehlo.fly' is not known");
    CHECK_TEXT_ERROR("func.func private @f() { call @g() : () -> () return }\n"
                     "func.func private @g() { call @f() : () -> () return }\n"
                     "func.func @main() { return }\n",
                     "t:2:26: @f calls itself, through @g");
    CHECK_TEXT_ERROR(
        "func.func @main(%n: tensor<1xi32>) -> tensor<?xf32> {\n"
        "  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>\n"
        "  return %0 : tensor<?xf32>\n"
        "}\n",
        "t:2:31: the shape must be known when the program is read");
}

/* JAX ends functions that are comparators or reducers so. */
TEST(functions_that_end_as_bodies)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(ctx,
                       "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
                       "  %0 = stablehlo.add %a, %a : tensor<2xf32>\n"
                       "  stablehlo.return %0 : tensor<2xf32>\n"
                       "}\n",
                       CT_ARGV(vector(ctx, 2)));
    CHECK_VALUES(y, CT_SHAPE(2), {0, 2});
    ct_context_free(ctx);
}

/* ---- Loops. */

TEST(loops_that_carry_open_extents)
{
    static const char text[] =
        "func.func public @main(%x: tensor<?xf32>) -> tensor<f32> {\n"
        "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %s = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
        "  %0:3 = stablehlo.while(%a = %x, %i = %z, %v = %s) : tensor<?xf32>, tensor<i32>, "
        "tensor<f32>\n"
        "  cond {\n"
        "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %c : tensor<i1>\n"
        "  } do {\n"
        "    %d = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<?xf32>, tensor<i32>) -> "
        "tensor<1xf32>\n"
        "    %e = stablehlo.reshape %d : (tensor<1xf32>) -> tensor<f32>\n"
        "    %w = stablehlo.add %v, %e : tensor<f32>\n"
        "    %j = stablehlo.add %i, %one : tensor<i32>\n"
        "    stablehlo.return %a, %j, %w : tensor<?xf32>, tensor<i32>, tensor<f32>\n"
        "  }\n"
        "  return %0#2 : tensor<f32>\n"
        "}\n";
    ct_context *ctx = ct_context_new();
    CHECK_VALUES(run(ctx, text, CT_ARGV(vector(ctx, 5))), CT_SHAPE(), {10});
    ct_context_free(ctx);
}

TEST(other_bodies_have_no_open_extents)
{
    CHECK_TEXT_ERROR("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                     "  %0 = \"stablehlo.map\"(%x) <{dimensions = array<i64: 0>}> ({\n"
                     "  ^bb0(%a: tensor<?xf32>):\n"
                     "    stablehlo.return %a : tensor<?xf32>\n"
                     "  }) : (tensor<?xf32>) -> tensor<?xf32>\n"
                     "  return %0 : tensor<?xf32>\n"
                     "}\n",
                     "t:3:9: a body's argument has extents \"?\": tensor<?xf32>");
}

/* ---- real_dynamic_slice from a start that runs decide. */

#define SLICE(limit, strides, result)                                                              \
    "func.func public @main(%x: tensor<?xf32>, %i: tensor<1xi32>) -> " result " {\n"               \
    "  %k = stablehlo.constant dense<2> : tensor<1xi32>\n"                                         \
    "  %s = stablehlo.constant dense<" strides "> : tensor<1xi32>\n"                               \
    "  %e = " limit " : tensor<1xi32>\n"                                                           \
    "  %0 = stablehlo.real_dynamic_slice %x, %i, %e, %s : (tensor<?xf32>, tensor<1xi32>, "         \
    "tensor<1xi32>, tensor<1xi32>) -> " result "\n"                                                \
    "  return %0 : " result "\n"                                                                   \
    "}\n"

TEST(slices_from_anywhere)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = vector(ctx, 6);
    static const char *const texts[] = {
        SLICE("stablehlo.add %i, %k", "1", "tensor<?xf32>"),
        SLICE("stablehlo.add %k, %i", "1", "tensor<?xf32>"),
        SLICE("stablehlo.multiply %i, %k", "1", "tensor<2xf32>")}; /* its type says the size */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_VALUES(run(ctx, texts[i], CT_ARGV(x, ct_full(ctx, CT_I32, CT_SHAPE(1), 3))),
                     CT_SHAPE(2), {3, 4});
        CHECK_VALUES(run(ctx, texts[i], CT_ARGV(x, ct_full(ctx, CT_I32, CT_SHAPE(1), 9))),
                     CT_SHAPE(2), {4, 5});
    }
    ct_context_free(ctx);
}

static void check_slice_error(int line, const char *text, const char *want)
{
    ct_context *ctx = ct_context_new();
    run(ctx, text, CT_ARGV(vector(ctx, 6), ct_full(ctx, CT_I32, CT_SHAPE(1), 3)));
    if (!strstr(ct_error_message(ctx), want))
        check_fail(__FILE__, line, "%s\nand not %s", ct_error_message(ctx), want);
    ct_context_free(ctx);
}

TEST(wrong_slices_from_anywhere)
{
    check_slice_error(__LINE__, SLICE("stablehlo.multiply %i, %k", "1", "tensor<?xf32>"),
                      "t:5:45: the size of the slice must be known when the program is read");
    check_slice_error(__LINE__, SLICE("stablehlo.add %i, %k", "2", "tensor<?xf32>"),
                      "t:5:49: a slice whose start is not known when the program is read has "
                      "strides 1, not 2");
    check_slice_error(__LINE__, SLICE("stablehlo.add %i, %k", "1", "tensor<7xf32>"),
                      "t:5:8: dynamic_slice: slice_sizes[0] = 7 does not fit x: f32[6]");
}

/* ---- Custom calls whose sizes are operands. */

#define OPEN(body)                                                                                 \
    "func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"                  \
    "  %0 = stablehlo.add %a, %b : tensor<f32>\n"                                                  \
    "  stablehlo.return %0 : tensor<f32>\n"                                                        \
    "}\n"                                                                                          \
    "func.func private @later(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: "             \
    "tensor<i32>) -> tensor<i1> {\n"                                                               \
    "  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"             \
    "  stablehlo.return %0 : tensor<i1>\n"                                                         \
    "}\n"                                                                                          \
    "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"                               \
    "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"           \
    "  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"                               \
    "  %one = stablehlo.constant dense<1> : tensor<1xi32>\n"                                       \
    "  %two = stablehlo.constant dense<2> : tensor<i32>\n"                                         \
    "  %k = stablehlo.subtract %n, %two : tensor<i32>\n"                                           \
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n" body "\n}\n"

TEST(windows_whose_size_is_an_operand)
{
    ct_context *ctx = ct_context_new();
    static const char text[] = OPEN(
        "  %l = stablehlo.subtract %m, %one : tensor<1xi32>\n"
        "  %h = stablehlo.constant dense<0> : tensor<1xi32>\n"
        "  %p = stablehlo.concatenate %l, %h, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> "
        "tensor<2xi32>\n"
        "  %q = stablehlo.reshape %p : (tensor<2xi32>) -> tensor<1x2xi32>\n"
        "  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, %m, %one, "
        "%one, %one, %q) {api_version = 2 : i32, called_computations = [@add]} : "
        "(tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, "
        "tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>\n"
        "  return %0 : tensor<?xf32>");
    CHECK_VALUES(run(ctx, text, CT_ARGV(vector(ctx, 5))), CT_SHAPE(5), {0, 1, 3, 6, 10});
    ct_context_free(ctx);
    CHECK_TEXT_ERROR(OPEN("  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, "
                          "%m) : (tensor<?xf32>, tensor<f32>, tensor<1xi32>) -> tensor<?xf32>\n"
                          "  return %0 : tensor<?xf32>"),
                     "t:16:8: expected tensors, as many starts, and 5 lists of integers");
}

#define TOP_K(operand, type)                                                                       \
    OPEN("  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, " operand                    \
         ") : (tensor<?xf32>, " type ") -> (tensor<?xf32>, tensor<?xi32>)\n"                       \
         "  return %0#0 : tensor<?xf32>")

TEST(the_first_k_where_k_is_an_operand)
{
    ct_context *ctx = ct_context_new();
    CHECK_VALUES(run(ctx, TOP_K("%k", "tensor<i32>"), CT_ARGV(vector(ctx, 5))), CT_SHAPE(3),
                 {4, 3, 2});
    ct_context_free(ctx);
    CHECK_TEXT_ERROR(TOP_K("%x", "tensor<?xf32>"), "t:16:61: k must be known");
}

#define APPROXIMATE(whole)                                                                         \
    OPEN("  %i = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>\n"          \
         "  %r = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>\n"                          \
         "  %0:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %i, %z, %two, %k, "   \
         "%r, %r) {called_computations = [@later], indices_of_shape_operands = dense<[5, 6]> : "   \
         "tensor<2xi64>, mhlo.backend_config = {aggregate_to_topk = " whole                        \
         ", reduction_dim = 0 : i64}} : (tensor<?xf32>, tensor<?xi32>, tensor<f32>, tensor<i32>, " \
         "tensor<i32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<?xf32>, tensor<?xi32>)\n"          \
         "  return %0#0 : tensor<?xf32>")

TEST(approximate_first_k)
{
    ct_context *ctx = ct_context_new();
    CHECK_VALUES(run(ctx, APPROXIMATE("true"), CT_ARGV(vector(ctx, 5))), CT_SHAPE(3), {4, 3, 2});
    ct_context_free(ctx);
    CHECK_TEXT_ERROR(APPROXIMATE("false"), "t:18:10: only the aggregated first k");
}

TEST(random_bits_whose_shape_is_an_operand)
{
    ct_context *ctx = ct_context_new();
    static const char text[] =
        "func.func public @main(%x: tensor<?xui8>, %s: tensor<2xui64>) -> tensor<?xui32> {\n"
        "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xui8>) -> tensor<i32>\n"
        "  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
        "  %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %m) "
        "{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi32>) "
        "-> (tensor<2xui64>, tensor<?xui32>)\n"
        "  return %0#1 : tensor<?xui32>\n"
        "}\n";
    static const char known[] =
        "func.func public @main(%x: tensor<3xui8>, %s: tensor<2xui64>) -> tensor<3xui32> {\n"
        "  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> "
        "(tensor<2xui64>, tensor<3xui32>)\n"
        "  return %1 : tensor<3xui32>\n"
        "}\n";
    ct_tensor *x = ct_zeros(ctx, CT_U8, CT_SHAPE(3)), *s = ct_full(ctx, CT_U64, CT_SHAPE(2), 5);
    CHECK(ct_equal(run(ctx, text, CT_ARGV(x, s)), run(ctx, known, CT_ARGV(x, s))));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_status twice(void *user, ct_custom_call *call)
{
    (void)user;
    if (call->n_operands != 1 || *call->attributes)
        return CT_ERR_ARGUMENT;
    for (int64_t i = 0; i < call->operand_type[0]->size; i++)
        ((float *)call->result[0])[i] = 2 * ((const float *)call->operand[0])[i];
    return CT_OK;
}

/* The shapes of any custom call's results may be its last operands. */
#define CALL(index)                                                                                \
    OPEN("  %0 = stablehlo.custom_call @twice(%x, %m) {indices_of_shape_operands = dense<" index   \
         "> : tensor<1xi64>} : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>\n"                  \
         "  return %0 : tensor<?xf32>")

TEST(results_whose_shapes_are_operands)
{
    ct_context *ctx = ct_context_new();
    ct_register_custom_call(ctx, "twice", twice, NULL);
    CHECK_VALUES(run(ctx, CALL("1"), CT_ARGV(vector(ctx, 3))), CT_SHAPE(3), {0, 2, 4});
    ct_context_free(ctx);
    CHECK_TEXT_ERROR(CALL("0"), "t:16:8: attribute 'indices_of_shape_operands' is not the list");
}

/* ---- When memory is short. */

static void read_all(ct_context *ctx)
{
    static const char *const texts[] = {at_least_two, through_functions,
                                        SLICE("stablehlo.add %i, %k", "1", "tensor<?xf32>"),
                                        TOP_K("%k", "tensor<i32>"), APPROXIMATE("true")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(5)), *k = ct_spec(ctx, CT_I32, CT_SHAPE(1));
        ct_specialize(read_text(ctx, texts[i]), NULL, i == 2 ? CT_LIKE(x, k) : CT_LIKE(x));
    }
    ct_specialize(read_text(ctx, only_while_read), NULL,
                  CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(5)), ct_spec(ctx, CT_I32, CT_SHAPE())));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(read_all);
}
