#include "tests/check.h"
#include "tests/samples_text.h"
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/exec.h>
#include <cotangent/module.h>
#include <cotangent/op.h>
#include <cotangent/op_program.h>
#include <cotangent/operand.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The module. */

TEST(whole_module)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(2, 3));
    ct_trace_builder *b = ct_trace_begin(ctx, "loss", CT_LIKE(like, like));
    ct_tensor *h = ct_op_add(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1));
    ct_name(h, "hidden");
    ct_function *f = ct_trace_end(b, CT_ARGV(h, ct_op_reduce_add(ct_op_scale(h, h), CT_DIMS(1))));
    static const char expected[] =
        "module @loss {\n"
        "  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> "
        "(tensor<2x3xf32>, tensor<2xf32>) {\n"
        "    %hidden = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>\n"
        "    %0 = stablehlo.composite \"ct.scale\" %hidden, %hidden {decomposition = "
        "@ct.scale.f32_2x3} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "    %1 = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : "
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
        "    return %hidden, %2 : tensor<2x3xf32>, tensor<2xf32>\n"
        "  }\n"
        "  func.func private @ct.scale.f32_2x3(%t: tensor<2x3xf32>, %f: tensor<2x3xf32>) -> "
        "tensor<2x3xf32> {\n"
        "    %zero = stablehlo.constant dense<0.0> : tensor<2x3xf32>\n"
        "    %product = stablehlo.multiply %t, %f : tensor<2x3xf32>\n"
        "    %t_is_zero = stablehlo.compare EQ, %t, %zero : (tensor<2x3xf32>, tensor<2x3xf32>) "
        "-> tensor<2x3xi1>\n"
        "    %t_is_number = stablehlo.compare EQ, %t, %t : (tensor<2x3xf32>, tensor<2x3xf32>) "
        "-> tensor<2x3xi1>\n"
        "    %f_is_zero = stablehlo.compare EQ, %f, %zero : (tensor<2x3xf32>, tensor<2x3xf32>) "
        "-> tensor<2x3xi1>\n"
        "    %f_wins = stablehlo.and %f_is_zero, %t_is_number : tensor<2x3xi1>\n"
        "    %is_zero = stablehlo.or %t_is_zero, %f_wins : tensor<2x3xi1>\n"
        "    %y = stablehlo.select %is_zero, %zero, %product : tensor<2x3xi1>, tensor<2x3xf32>\n"
        "    return %y : tensor<2x3xf32>\n"
        "  }\n"
        "}\n";
    const char *text = samples_text(f);
    CHECK_MSG(strcmp(text, expected) == 0, "found\n%s", text);
    ct_context_free(ctx);
}

TEST(nothing)
{
    CHECK_PIECES("nothing",
                 "module @nothing {\n  func.func public @main() {\n    return\n  }\n}\n");
}

/* A called function is printed once; symbols are unique and quoted where they must be. */
TEST(calls)
{
    ct_context *ctx = ct_context_new();
    const char *text = samples_text(samples_named("calls")->make(ctx));
    CHECK_PIECES("calls", "func.func public @main(%arg0: tensor<3xf32>)",
                 "%0 = func.call @\"outer \\22\\C3\\A9\\22\"(%arg0) : (tensor<3xf32>) -> "
                 "tensor<3xf32>\n",
                 "func.func private @\"outer \\22\\C3\\A9\\22\"(", "func.call @main_1(",
                 "func.call @main_2(", "func.func private @main_1(", "dense<2.0>",
                 "func.func private @main_2(", "dense<3.0>");
    const char *first = strstr(text, "func.func private @\"outer");
    CHECK(first && !strstr(first + 1, "func.func private @\"outer"));
    ct_context_free(ctx);
}

/* Each function calls the one before twice: the text grows by the function, not by the call. */
TEST(calls_do_not_multiply)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(like));
    ct_function *f = ct_trace_end(b, CT_ARGV(ct_op_negate(ct_trace_parameter(b, 0))));
    for (int i = 0; i < 12; i++) {
        b = ct_trace_begin(ctx, "f", CT_LIKE(like));
        ct_tensor *once = ct_apply1(f, CT_ARGV(ct_trace_parameter(b, 0)));
        f = ct_trace_end(b, CT_ARGV(ct_apply1(f, CT_ARGV(once))));
    }
    const char *text = samples_text(f);
    size_t functions = 0;
    for (const char *c = text; (c = strstr(c, "func.func")); c++)
        functions++;
    CHECK_MSG(functions == 13, "%zu functions", functions);
    CHECK(strlen(ct_function_text(f, CT_TEXT_DOT)) < 20000);
    CHECK(strstr(ct_function_text(f, CT_TEXT_SUMMARY), "negate                          4096\n"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Names. */

TEST(names)
{
    CHECK_PIECES("names",
                 "@main(%arg1: tensor<2xf32>, %arg0: tensor<2xf32>, %arg1_1: tensor<2xf32>)",
                 "%layer_1_h = stablehlo.add %arg1, %arg0 : tensor<2xf32>\n",
                 "%layer_1_h_1 = stablehlo.multiply %layer_1_h, %layer_1_h : tensor<2xf32>\n",
                 "%_7 = stablehlo.negate %layer_1_h_1 : tensor<2xf32>\n",
                 "%0, %w.bias-0 = stablehlo.optimization_barrier %_7, %arg1_1 : tensor<2xf32>, "
                 "tensor<2xf32>\n",
                 "return %0, %w.bias-0, %arg1, %arg1 : ");
}

/* Bodies of one operation use the same numbers, above those that they can see. */
TEST(names_in_bodies)
{
    CHECK_PIECES("branches", "%0:2 = \"stablehlo.if\"(%arg0) ({\n      %1 = stablehlo.add",
                 "}, {\n", "      %1 = func.call @f(%arg1)",
                 "    }) : (tensor<i1>) -> (tensor<3xf32>, "
                 "tensor<3xf32>)\n    %1 = \"stablehlo.if\"");
}

/* ---- Forms, one operation after another. */

TEST(elementwise_forms)
{
    CHECK_PIECES("floats_one", "stablehlo.abs %arg0 : tensor<2x3xf32>\n",
                 "stablehlo.is_finite %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>\n",
                 "stablehlo.composite \"ct.stop_gradient\" %arg0 {decomposition = "
                 "@ct.stop_gradient.f32_2x3} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n",
                 "func.func private @ct.stop_gradient.f32_2x3(%t: tensor<2x3xf32>) -> "
                 "tensor<2x3xf32> {\n    return %t : tensor<2x3xf32>\n");
    CHECK_PIECES("floats_two", "stablehlo.atan2 %arg0, %arg1 : tensor<3xf64>\n",
                 "stablehlo.convert %arg0 : (tensor<3xf64>) -> tensor<3xbf16>\n");
    CHECK_PIECES("integers", "stablehlo.shift_right_arithmetic %arg1, %arg1 : tensor<4xui8>\n",
                 "stablehlo.convert %arg1 : (tensor<4xui8>) -> tensor<4xcomplex<f32>>\n");
    CHECK_PIECES("choosing",
                 "stablehlo.select %arg1, %arg0, %arg0 : tensor<2x3xi1>, tensor<2x3xf32>\n",
                 "stablehlo.select %arg2, %arg0, %arg0 : tensor<i1>, tensor<2x3xf32>\n",
                 "stablehlo.select %arg1, %arg1, %arg1 : tensor<2x3xi1>, tensor<2x3xi1>\n",
                 "stablehlo.clamp %arg3, %arg0, %arg0 : (tensor<f32>, tensor<2x3xf32>, "
                 "tensor<2x3xf32>) -> tensor<2x3xf32>\n",
                 "stablehlo.clamp %arg0, %arg0, %arg0 : tensor<2x3xf32>\n",
                 "stablehlo.compare EQ, %arg0, %arg0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                 "tensor<2x3xi1>\n",
                 "compare NE, %arg0, %arg0, FLOAT : ", "compare GE, %arg0, %arg0, TOTALORDER : ",
                 "compare GT, %arg1, %arg1, UNSIGNED : ", "compare LE, %arg1, %arg1 : ",
                 "compare LT, %arg3, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n");
}

TEST(moving_forms)
{
    CHECK_PIECES("iotas", "stablehlo.iota dim = 1 : tensor<2x5xui16>\n",
                 "stablehlo.iota dim = 0 : tensor<0xf32>\n");
    CHECK_PIECES(
        "moving",
        "stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3] : (tensor<2x3x4xf32>) -> "
        "tensor<5x2x3x4xf32>\n",
        "stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3x0xf32>\n",
        "stablehlo.concatenate %arg0, %arg0, %arg0, dim = 1 : (tensor<2x3x4xf32>, "
        "tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x9x4xf32>\n",
        "stablehlo.pad %arg0, %arg1, low = [1, 0, -1], high = [0, 2, 0], interior = [0, 1, 2] : "
        "(tensor<2x3x4xf32>, tensor<f32>) -> tensor<3x7x9xf32>\n",
        "stablehlo.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>\n",
        "stablehlo.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>\n",
        "stablehlo.reverse %arg0, dims = [0, 2] : tensor<2x3x4xf32>\n",
        "stablehlo.slice %arg0 [0:2, 1:3, 0:4:3] : (tensor<2x3x4xf32>) -> tensor<2x2x2xf32>\n",
        "stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> "
        "tensor<4x2x3xf32>\n",
        "stablehlo.transpose %arg1, dims = [] : (tensor<f32>) -> tensor<f32>\n",
        "stablehlo.slice %arg1 [] : (tensor<f32>) -> tensor<f32>\n",
        "stablehlo.pad %arg1, %arg1, low = [], high = [], interior = [] : ");
}

TEST(indexing_forms)
{
    CHECK_PIECES("windows",
                 "stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [2, 3] : (tensor<4x5xf32>, "
                 "tensor<i32>, tensor<i32>) -> tensor<2x3xf32>\n",
                 "sizes = [2, 3] {ct.strict} : (tensor<4x5xf32>, ",
                 "stablehlo.dynamic_slice %arg3, sizes = [] {ct.strict} : (tensor<f32>) -> ",
                 "stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<4x5xf32>, "
                 "tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>\n",
                 "stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 {ct.strict} : ");
    CHECK_PIECES(
        "gathers",
        "\"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = "
        "[1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
        "slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<2x1xi64>) -> "
        "tensor<2x4xf32>\n",
        "<{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], "
        "operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], "
        "index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> "
        "{ct.strict} : ");
    CHECK_PIECES(
        "scatters",
        "\"stablehlo.scatter\"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = "
        "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
        "    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):\n"
        "      stablehlo.return %arg4 : tensor<f32>\n"
        "    }) : (tensor<5x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<5x4xf32>\n",
        "<{indices_are_sorted = true, scatter_dimension_numbers = ", ", unique_indices = true}> ({",
        "    }) {ct.strict} : ");
}

TEST(window_forms)
{
    CHECK_PIECES(
        "pools",
        "\"stablehlo.reduce_window\"(%arg0, %0) <{window_dimensions = array<i64: 1, 2>}> ({\n"
        "    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):\n",
        "stablehlo.add %arg5, %arg6 : tensor<f32>\n",
        "    }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<4x8xf32>\n",
        "<{base_dilations = array<i64: 2, 1>, padding = dense<[[1, -1], [0, 4]]> : tensor<2x2xi64>"
        ", window_dilations = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, "
        "window_dimensions = array<i64: 2, 3>}> ({",
        "-> tensor<6x4xi32>\n", "<{window_dimensions = array<i64>}> ({",
        " : (tensor<f64>, tensor<f64>) -> tensor<f64>\n",
        ":2 = \"stablehlo.reduce_window\"(%arg0, %arg1, %arg2, %arg3) <{",
        "^bb0(%arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<f32>, %arg8: tensor<i32>):\n",
        ", %arg2 : tensor<f32>\n", " -> (tensor<4x8xf32>, tensor<4x8xi32>)\n");
}

TEST(ordering_forms)
{
    CHECK_PIECES(
        "orders",
        "%0 = \"stablehlo.sort\"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({\n"
        "    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):\n"
        "      %1 = stablehlo.compare LT, %arg3, %arg4, TOTALORDER : ",
        ":2 = \"stablehlo.sort\"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({\n"
        "    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: "
        "tensor<i32>):\n",
        "    }) : (tensor<4x9xf32>, tensor<4x9xi32>) -> (tensor<4x9xf32>, tensor<4x9xi32>)\n",
        ":2 = chlo.top_k(%arg0, k = 3) : tensor<4x9xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)\n",
        ":2 = chlo.top_k(%arg1, k = 0) : tensor<4x9xi32> -> (tensor<4x0xi32>, tensor<4x0xi32>)\n");
    CHECK_PIECES("floats_one", " = chlo.erf %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>\n");
}

TEST(contracting_forms)
{
    CHECK_PIECES(
        "reductions",
        " applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf32>, tensor<f32>) -> "
        "tensor<f32>\n",
        "dense<-2147483648>",
        " applies stablehlo.maximum across dimensions = [1] : ", "dense<0x7F800000>",
        " applies stablehlo.minimum across dimensions = [] : ",
        "stablehlo.reduce(%arg0 init: %arg2) across dimensions = [0] : (tensor<4x9xf32>, "
        "tensor<f32>) -> tensor<9xf32>\n"
        "     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>) {\n",
        "stablehlo.return ");
    CHECK_PIECES(
        "captures",
        "%0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] : "
        "(tensor<5x4xf32>, tensor<5x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, "
        "tensor<5xi32>)\n"
        "     reducer(%arg7: tensor<f32>, %arg9: tensor<f32>) (%arg8: tensor<i32>, %arg10: "
        "tensor<i32>) {\n",
        "stablehlo.compare GT, %arg9, %arg7, FLOAT",
        "stablehlo.minimum %2, %arg2 : ", "stablehlo.return %3, %4 : tensor<f32>, tensor<i32>\n",
        "%1:2 = \"stablehlo.scatter\"(%arg0, %arg1, %arg4, %arg5, %arg6) <{",
        "^bb0(%arg7: tensor<f32>, %arg8: tensor<i32>, %arg9: tensor<f32>, %arg10: tensor<i32>):\n",
        "stablehlo.minimum %3, %arg2 : ", "return %0#0, %0#1, %1#0, %1#1 : ");
    CHECK_PIECES(
        "products",
        "stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x "
        "[1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>\n",
        "stablehlo.dot_general %arg2, %arg3, contracting_dims = [] x [] : (tensor<3xbf16>, "
        "tensor<0xbf16>) -> tensor<3x0xbf16>\n");
    CHECK_PIECES("barriers",
                 "%0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<3xf32>, tensor<i1>\n",
                 "%1 = stablehlo.optimization_barrier %0#0 : tensor<3xf32>\n");
}

/* A barrier has tensors and tokens: tuples are taken apart for it. What is printed is read, and
 * printed as it was. */
TEST(barriers_of_tuples)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1, 2}), *n = given(ctx, CT_I8, CT_SHAPE(), {3});
    ct_trace_builder *b = ct_trace_begin(ctx, "main", CT_LIKE(x, n));
    ct_tensor *p = ct_trace_parameter(b, 0), *q = ct_trace_parameter(b, 1), *r[2];
    ct_tensor *nested = ct_op_tuple(
        NULL, CT_ARGV(ct_op_tuple(NULL, CT_ARGV(p)), ct_op_tuple(ctx, CT_NO_TENSORS), q));
    ct_op_optimization_barrier(CT_ARGV(nested, q), r);
    const char *text = samples_text(ct_trace_end(b, CT_ARGV(r[0], r[1])));

    CHECK_MSG(strstr(text, "[0] : (tuple<tensor<2xf32>>) -> tensor<2xf32>\n"), "%s", text);
    CHECK_MSG(strstr(text, ":3 = stablehlo.optimization_barrier %") &&
                  strstr(text, " : tensor<2xf32>, tensor<i8>, tensor<i8>\n"),
              "%s", text);
    CHECK_MSG(strstr(text, " = stablehlo.tuple : tuple<>\n"), "%s", text);
    ct_module *again = ct_read_stablehlo_text(ctx, "again.mlir", text, strlen(text));
    ct_function *f = ct_module_function(again, "main");
    CHECK_OK(ctx);
    CHECK_MSG(strcmp(samples_text(f), text) == 0, "%s\nand\n%s", text, samples_text(f));
    ct_call(ct_compile(f, NULL), CT_ARGV(x, n), r, 2);
    CHECK_EQUAL(ct_op_get_tuple_element(ct_op_get_tuple_element(r[0], 0), 0), x);
    CHECK_EQUAL(r[1], n);
    ct_context_free(ctx);
}

/* Old + 2 new is no short form, and neither is a reducer whose operation does not commute. */
TEST(reduce_without_a_short_form)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "minus", CT_LIKE(s, s));
    ct_function *minus = ct_trace_end(
        b, CT_ARGV(ct_op_subtract(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1))));
    b = ct_trace_begin(ctx, "f", CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(3)), s));
    ct_tensor *y = ct_op_reduce(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1), minus,
                                CT_DIMS(0));
    const char *text = samples_text(ct_trace_end(b, CT_ARGV(y)));
    CHECK(strstr(text, "reducer(%arg2: tensor<f32>, %arg3: tensor<f32>) {\n"
                       "      %1 = stablehlo.subtract %arg2, %arg3 : tensor<f32>\n"));
    ct_context_free(ctx);
}

TEST(scan_forms)
{
    CHECK_PIECES("scan_forward", "%0 = stablehlo.constant dense<0> : tensor<i32>\n",
                 "%1 = stablehlo.constant dense<0.0> : tensor<5x3xf32>\n",
                 "%2 = stablehlo.constant dense<false> : tensor<5x3xi1>\n",
                 "%3:4 = stablehlo.while(%arg3 = %0, %arg4 = %arg0, %arg5 = %1, %arg6 = %2) : "
                 "tensor<i32>, tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xi1> attributes {ct.scan "
                 "= {is_reverse = false, length = 5 : i64, n_carry = 1 : i64, n_inputs = 1 : "
                 "i64}}\n     cond {\n",
                 "dense<5> : tensor<i32>", "stablehlo.compare LT, %arg3, %4, SIGNED : ",
                 "    } do {\n      %6 = stablehlo.dynamic_slice %arg1, %arg3, %0, sizes = [1, 3]",
                 "%7 = stablehlo.reshape %6 : (tensor<1x3xf32>) -> tensor<3xf32>\n",
                 "\"ct.scale\" %7, %arg2 ", "%next = stablehlo.add %arg4, ",
                 "stablehlo.dynamic_update_slice %arg5, ",
                 ", %arg3, %0 : ", "stablehlo.dynamic_update_slice %arg6, ", "stablehlo.return ",
                 ", %next, ", "return %3#1, %3#2, %3#3 : ");
    CHECK_PIECES("scan_backward", "is_reverse = true", "dense<4> : tensor<i32>\n",
                 "%7 = stablehlo.subtract %6, %arg3 : tensor<i32>\n",
                 "stablehlo.dynamic_slice %arg1, %7, %0, ", "%7, %0 : ");
    CHECK_PIECES(
        "scan_nothing", "length = 0 : i64", "} do {\n",
        "stablehlo.constant dense<0.0> : tensor<1x3xf32>\n", "stablehlo.concatenate %arg1, ",
        "sizes = [0, 3] : (tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<0x3xf32>\n",
        "stablehlo.dynamic_update_slice %arg5, ");
    CHECK_PIECES("scan_nested",
                 "stablehlo.while(%arg2 = %0, %arg3 = %arg0, %arg4 = %1) : ", "stablehlo.while(",
                 " = %arg3) : tensor<i32>, tensor<f64>", "stablehlo.add %arg6, %arg1");
}

/* A length beyond 32 bits needs a wider counter. */
TEST(long_scan)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE()), *y;
    ct_trace_builder *b = ct_trace_begin(ctx, "negate", CT_LIKE(s));
    ct_function *body = ct_trace_end(b, CT_ARGV(ct_op_negate(ct_trace_parameter(b, 0))));
    b = ct_trace_begin(ctx, "f", CT_LIKE(s));
    ct_op_scan(INT64_C(3000000000), CT_ARGV(ct_trace_parameter(b, 0)), CT_NO_TENSORS, CT_NO_TENSORS,
               false, body, &y, 1);
    const char *text = samples_text(ct_trace_end(b, CT_ARGV(y)));
    CHECK_OK(ctx);
    CHECK(strstr(text, "dense<3000000000> : tensor<i64>") && !strstr(text, "i32"));
    ct_context_free(ctx);
}

/* Every row of the table is in some sample's text. */
TEST(every_operation)
{
    static const char *const spelling[] = {
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, meaning, kernel,   \
           spelling)                                                                               \
    spelling,
#include "ops/ops.def"
#undef OP
    };
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof spelling / sizeof *spelling; i++) {
        bool found = false;
        size_t length = strlen(spelling[i]);
        for (size_t s = 0; s < n_samples && !found; s++) {
            ct_scope scope = ct_scope_begin(ctx);
            const char *c = samples_text(samples[s].make(ctx));
            while (!found && (c = strstr(c, spelling[i]))) {
                c += length;
                found = strchr(" (\"=", *c) != NULL;
            }
            ct_scope_end(scope);
        }
        CHECK_MSG(found || strcmp(spelling[i], "ct.transposed_call") == 0, "no sample prints %s",
                  spelling[i]);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- What cannot be printed. */

TEST(errors)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = samples_named("names")->make(ctx);
    CHECK(strcmp(ct_function_text(NULL, CT_TEXT_STABLEHLO), "") == 0);
    CHECK(strcmp(ct_function_text(f, (ct_text_form)9), "") == 0);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "text: there is no form number 9");
    ct_trace_builder *b = ct_trace_begin(ctx, "bad", CT_NO_TENSORS);
    ct_function *poison = ct_trace_end(b, CT_ARGV(NULL));
    ct_error_clear(ctx);
    CHECK(strcmp(samples_text(poison), "") == 0);
    ct_context_free(ctx);
}

TEST(stacks)
{
    ct_context *ctx = ct_context_new();
    ct__arena arena;
    ct__arena_init(&arena, &ct__libc_allocator);
    ct__graph *graph = ct__graph_new(&ct__libc_allocator, "f");
    ct__id id;
    const ct_type *element = ct__type(&arena, CT_F32, 1, (const int64_t[]){3});
    CHECK(graph && element);
    CHECK(ct__graph_add_param(graph, ct__type_stack(&arena, element), &id));
    CHECK(ct__graph_set_results(graph, 0, NULL));
    ct_function *f = ct__function_new(ctx, CT_HERE, graph);
    const char *text = samples_text(f);
    CHECK_MSG(strstr(text, "%arg0: !stablehlo.token {ct.element = tensor<3xf32>}"), "%s", text);
    CHECK_OK(ctx);
    ct__arena_free(&arena);
    ct_context_free(ctx);
}

static void print_all(ct_context *ctx)
{
    static const char *const names[] = {"calls",   "scan_backward", "captures", "names",
                                        "windows", "pools",         "orders"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        samples_text(samples_named(names[i])->make(ctx));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(print_all);
}

/* ---- The generic form. */

/* Every statement is quoted; functions and modules keep their own form. */
static void check_generic(const char *name, const char *text)
{
    for (const char *line = text; (line = strchr(line, '\n')); line++) {
        const char *at = line + 1 + strspn(line + 1, " ");
        const char *end = at + strcspn(at, "\n");
        const char *equals = strstr(at, " = ");
        if (*at == '%' && equals && equals < end)
            at = equals + 3;
        bool fine = *at == '"' || *at == '}' || *at == '^' || *at == '\0' ||
                    strncmp(at, "func.func ", 10) == 0;
        CHECK_MSG(fine, "%s: %.*s", name, (int)(end - at), at);
    }
}

TEST(generic_form)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < n_samples; i++)
        check_generic(samples[i].name, ct_stablehlo_text(samples[i].make(ctx), CT_WRITE_GENERIC));
    CHECK_OK(ctx);
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(4));
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(like));
    ct_tensor *y = ct_op_reverse(ct_trace_parameter(b, 0), CT_DIMS(0));
    int line = __LINE__ - 1;
    char expected[512];
    ct_function *f = ct_trace_end(b, CT_ARGV(y));
    CHECK_OK(ctx);
    snprintf(expected, sizeof expected,
             "module @f {\n"
             "  func.func public @main(%%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
             "    %%0 = \"stablehlo.reverse\"(%%arg0) <{dimensions = array<i64: 0>}> : "
             "(tensor<4xf32>) -> tensor<4xf32> loc(\"%s\":%d:0)\n"
             "    \"func.return\"(%%0) : (tensor<4xf32>) -> ()\n  }\n}\n",
             __FILE__, line);
    CHECK_MSG(strcmp(ct_stablehlo_text(f, CT_WRITE_GENERIC | CT_WRITE_PLACES), expected) == 0, "%s",
              ct_stablehlo_text(f, CT_WRITE_GENERIC | CT_WRITE_PLACES));
    CHECK(strcmp(ct_stablehlo_text(f, CT_WRITE_PRETTY), samples_text(f)) == 0);
    ct_stablehlo_text(f, 4);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "there are no flags 4");
    ct_write_stablehlo(f, "/no such folder/f.mlir", CT_WRITE_PRETTY);
    CHECK_ERROR(ctx, CT_ERR_FILE, "write_stablehlo: /no such folder/f.mlir: No such file");
    ct_context_free(ctx);
}

/* ---- StableHLO's own parser, where JAX is installed for $CT_PYTHON or python3. */

/* As itself, and in the generic form with places. */
static void write_sample(ct_context *ctx, const sample *s, const char *folder)
{
    char path[512];
    ct_function *f = s->make(ctx);
    snprintf(path, sizeof path, "%s/%s.mlir", folder, s->name);
    ct_write_stablehlo(f, path, CT_WRITE_PRETTY);
    snprintf(path, sizeof path, "%s/%s.generic.mlir", folder, s->name);
    ct_write_stablehlo(f, path, CT_WRITE_GENERIC | CT_WRITE_PLACES);
}

static void remove_samples(const char *folder)
{
    char path[512];
    for (size_t i = 0; i < n_samples; i++) {
        snprintf(path, sizeof path, "%s/%s.mlir", folder, samples[i].name);
        remove(path);
        snprintf(path, sizeof path, "%s/%s.generic.mlir", folder, samples[i].name);
        remove(path);
    }
    rmdir(folder);
}

TEST(stablehlo_accepts)
{
    char folder[] = "/tmp/cotangent_mlir_XXXXXX", command[1024];
    ct_context *ctx = ct_context_new();
    CHECK(mkdtemp(folder) != NULL);
    for (size_t i = 0; i < n_samples; i++)
        write_sample(ctx, &samples[i], folder);
    CHECK_OK(ctx);
    ct_context_free(ctx);
    snprintf(command, sizeof command,
             "\"${CT_PYTHON:-python3}\" \"$CT_SOURCE_DIR/scripts/check_stablehlo.py\" %s/*.mlir",
             folder);
    int status = system(command);
    remove_samples(folder);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 77 || code == 127)
        SKIP("JAX is not installed");
    CHECK_MSG(code == 0, "check_stablehlo.py gave %d", code);
}
