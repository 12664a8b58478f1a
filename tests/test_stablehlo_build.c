/* Operations that are read as others: shapes that are values, older operations, CHLO's short ones,
 * scans, composites, checks; and what is wrong with statements. */
#include "tests/check.h"
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A module with these functions and statements. */
static ct_function *read_main(ct_context *ctx, const char *text)
{
    return ct_module_function(ct_read_stablehlo_text(ctx, "t", text, strlen(text)), "main");
}

/* The one result of @main, which takes nothing. */
static ct_tensor *run(ct_context *ctx, const char *type, const char *body)
{
    char text[4096];
    snprintf(text, sizeof text, "func.func @main() -> %s {\n%s\n}", type, body);
    ct_function *f = read_main(ctx, text);
    CHECK_OK(ctx);
    return ct_call1(ct_compile(f, NULL), CT_NO_TENSORS);
}

/* @main(ARGUMENTS) has this body, whose last line is a return. */
static void check_error(int line, const char *arguments, const char *body, const char *want)
{
    char text[4096];
    ct_context *ctx = ct_context_new();
    snprintf(text, sizeof text, "func.func @main(%s) {\n%s\nreturn\n}", arguments, body);
    read_main(ctx, text);
    if (!ct_failed(ctx))
        check_fail(__FILE__, line, "is read:\n%s", text);
    if (strncmp(ct_error_message(ctx), want, strlen(want)) != 0)
        check_fail(__FILE__, line, "%s\nand not\n%s", ct_error_message(ctx), want);
    ct_context_free(ctx);
}
#define CHECK_BODY_ERROR(arguments, body, want) check_error(__LINE__, arguments, body, want)

/* ---- Types that are written against those that are. */

TEST(wrong_statements)
{
    CHECK_BODY_ERROR("%a: tensor<2xf32>", "%b = stablehlo.abs %a : tensor<3xf32>",
                     "t:2:20: operand 0 of 'stablehlo.abs' is tensor<2xf32>, its type says "
                     "tensor<3xf32>\n");
    CHECK_BODY_ERROR("%a: tensor<2xf32>",
                     "%b = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>",
                     "t:2:6: reshape: ");
    CHECK_BODY_ERROR("%a: tensor<2xf32>",
                     "%b = stablehlo.transpose %a, dims = [0] : (tensor<2xf32>) -> tensor<3xf32>",
                     "t:2:43: result 0 of 'stablehlo.transpose' is tensor<2xf32>, its type says "
                     "tensor<3xf32>\n");
    CHECK_BODY_ERROR("%a: tensor<2xf32>",
                     "%b = \"stablehlo.abs\"(%a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
                     "t:2:28: 'stablehlo.abs' has 1 operand, its type says 2\n");
    CHECK_BODY_ERROR("%a: tensor<2xf32>", "%b = stablehlo.frob %a : tensor<2xf32>",
                     "t:2:6: operation 'stablehlo.frob' is not known\n");
    CHECK_BODY_ERROR("%a: tensor<2xf32>", "%b = \"foo.bar\"(%a) : (tensor<2xf32>) -> tensor<2xf32>",
                     "t:2:6: operation 'foo.bar' is not known\n");
    CHECK_BODY_ERROR("%a: tensor<2xf32>",
                     "%b = stablehlo.gather %a : (tensor<2xf32>) -> tensor<2xf32>",
                     "t:2:6: operation 'stablehlo.gather' has no short form: write "
                     "\"stablehlo.gather\"(…)\n");
}

TEST(wrong_attributes)
{
    CHECK_BODY_ERROR("%a: tensor<2xf32>",
                     "%b = \"stablehlo.transpose\"(%a) : (tensor<2xf32>) -> tensor<2xf32>",
                     "t:2:6: attribute 'permutation' of 'stablehlo.transpose' is missing\n");
    CHECK_BODY_ERROR("%a: tensor<2xf32>",
                     "%b = \"stablehlo.transpose\"(%a) {permutation = \"x\"} : (tensor<2xf32>) -> "
                     "tensor<2xf32>",
                     "t:2:6: attribute 'permutation' is not a list of integers\n");
    CHECK_BODY_ERROR("%a: tensor<2xf32>",
                     "%b = stablehlo.transpose %a, dims = [0] {permutation = 1 : i64} : "
                     "(tensor<2xf32>) -> tensor<2xf32>",
                     "t:2:42: attribute 'permutation' stands there twice\n");
    CHECK_BODY_ERROR("%a: tensor<2xf32>",
                     "%b = stablehlo.compare LESS, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> "
                     "tensor<2xi1>",
                     "t:2:6: attribute 'comparison_direction' can not be LESS\n");
    CHECK_BODY_ERROR("%a: tensor<2xf32>",
                     "%b = stablehlo.reduce_precision %a, format = e5 : tensor<2xf32>",
                     "t:2:46: expected a format, \"e5m10\"\n");
    CHECK_BODY_ERROR("", "%b = stablehlo.iota dim = 0 : tensor<?xf32>",
                     "t:2:31: the shape of the result, tensor<?xf32>, must be known\n");
    CHECK_BODY_ERROR("%a: tensor<2x2xf32>, %z: tensor<f32>",
                     "%b = \"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 1, "
                     "1>, padding = dense<0> : tensor<4x1xi64>}> ({\n^bb0(%x: tensor<f32>, %y: "
                     "tensor<f32>):\n stablehlo.return %x : tensor<f32>\n}) : (tensor<2x2xf32>, "
                     "tensor<f32>) -> tensor<2x2xf32>",
                     "t:2:6: attribute 'padding' is not a list of pairs\n");
    CHECK_BODY_ERROR(
        "%a: tensor<2xf32>, %z: tensor<f32>",
        "%b = stablehlo.reduce(%a init: %z) applies stablehlo.frob across dimensions = "
        "[0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>",
        "t:2:6: 'stablehlo.frob' can not be applied by a reduction\n");
    CHECK_BODY_ERROR("%a: tensor<1x3x3xf32>",
                     "%b = stablehlo.convolution(%a, %a) dim_numbers = [b, b, f]x[0, i, o]->[b, 0, "
                     "f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} "
                     ": (tensor<1x3x3xf32>, tensor<1x3x3xf32>) -> tensor<1x3x3xf32>",
                     "t:2:6: attribute 'dimension_numbers' is not a list of all axes");
    CHECK_BODY_ERROR("%a: tensor<1x3x3xf32>",
                     "%b = stablehlo.convolution(%a, %a) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, "
                     "f], window = {steps = [1]} : (tensor<1x3x3xf32>, tensor<1x3x3xf32>) -> "
                     "tensor<1x3x3xf32>",
                     "t:2:91: a window has stride, pad, lhs_dilate, rhs_dilate and reverse, not "
                     "'steps'\n");
}

/* ---- Shapes that are values. */

TEST(shapes_from_constants)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(ctx, "tensor<?x?xi32>",
                       "%a = stablehlo.iota dim = 0 : tensor<6xi32>\n"
                       "%n = stablehlo.constant dense<1> : tensor<2xi64>\n"
                       "%i = stablehlo.iota dim = 0 : tensor<2xi64>\n"
                       "%s = stablehlo.add %n, %i : tensor<2xi64>\n" /* [1, 2] */
                       "%t = stablehlo.constant dense<[2, 1]> : tensor<2xi64>\n"
                       "%u = stablehlo.add %s, %t : tensor<2xi64>\n"      /* [3, 3]: too many */
                       "%v = stablehlo.subtract %u, %i : tensor<2xi64>\n" /* [3, 2] */
                       "%b = stablehlo.dynamic_reshape %a, %v : (tensor<6xi32>, tensor<2xi64>) -> "
                       "tensor<?x?xi32>\n"
                       "return %b : tensor<?x?xi32>");
    CHECK_VALUES(y, CT_SHAPE(3, 2), {0, 1, 2, 3, 4, 5});
    ct_context_free(ctx);
}

TEST(dynamic_operations)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(ctx, "tensor<2x3xi32>",
                       "%s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>\n"
                       "%b = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> "
                       "tensor<2x3xi32>\n"
                       "return %b : tensor<2x3xi32>");
    CHECK_VALUES(y, CT_SHAPE(2, 3), {0, 1, 2, 0, 1, 2});
    y = run(ctx, "tensor<2x3xi32>",
            "%a = stablehlo.constant dense<[5, 6]> : tensor<2xi32>\n"
            "%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
            "%b = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : (tensor<2xi32>, "
            "tensor<2xi64>) -> tensor<2x3xi32>\n"
            "return %b : tensor<2x3xi32>");
    CHECK_VALUES(y, CT_SHAPE(2, 3), {5, 5, 5, 6, 6, 6});
    y = run(ctx, "tensor<?xi32>",
            "%a = stablehlo.constant dense<[5, 6]> : tensor<2xi32>\n"
            "%z = stablehlo.constant dense<9> : tensor<i32>\n"
            "%l = stablehlo.constant dense<1> : tensor<1xi64>\n"
            "%h = stablehlo.constant dense<2> : tensor<1xi64>\n"
            "%b = stablehlo.dynamic_pad %a, %z, %l, %h, %l : (tensor<2xi32>, tensor<i32>, "
            "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>\n"
            "return %b : tensor<?xi32>");
    CHECK_VALUES(y, CT_SHAPE(6), {9, 5, 9, 6, 9, 9});
    y = run(ctx, "tensor<?xi32>",
            "%a = stablehlo.iota dim = 0 : tensor<9xi32>\n"
            "%l = stablehlo.constant dense<1> : tensor<1xi64>\n"
            "%h = stablehlo.constant dense<8> : tensor<1xi64>\n"
            "%t = stablehlo.constant dense<3> : tensor<1xi64>\n"
            "%b = stablehlo.real_dynamic_slice %a, %l, %h, %t : (tensor<9xi32>, tensor<1xi64>, "
            "tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>\n"
            "return %b : tensor<?xi32>");
    CHECK_VALUES(y, CT_SHAPE(3), {1, 4, 7});
    y = run(ctx, "tensor<i32>",
            "%a = stablehlo.iota dim = 0 : tensor<4x7xi8>\n"
            "%n = stablehlo.get_dimension_size %a, dim = 1 : (tensor<4x7xi8>) -> tensor<i32>\n"
            "return %n : tensor<i32>");
    CHECK_VALUES(y, CT_SHAPE(), {7});
    ct_context_free(ctx);
}

/* A shape that stands outside the body that uses it. */
TEST(shapes_through_captures)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(ctx, "tensor<2x3xf32>",
                       "%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
                       "%p = stablehlo.constant dense<true> : tensor<i1>\n"
                       "%b = \"stablehlo.if\"(%p) ({\n"
                       " %c = \"stablehlo.if\"(%p) ({\n"
                       "  %d = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> "
                       "tensor<2x3xf32>\n"
                       "  stablehlo.return %d : tensor<2x3xf32>\n"
                       " }, {\n"
                       "  %d = stablehlo.iota dim = 1 : tensor<2x3xf32>\n"
                       "  stablehlo.return %d : tensor<2x3xf32>\n"
                       " }) : (tensor<i1>) -> tensor<2x3xf32>\n"
                       " stablehlo.return %c : tensor<2x3xf32>\n"
                       "}, {\n"
                       " %d = stablehlo.iota dim = 1 : tensor<2x3xf32>\n"
                       " stablehlo.return %d : tensor<2x3xf32>\n"
                       "}) : (tensor<i1>) -> tensor<2x3xf32>\n"
                       "return %b : tensor<2x3xf32>");
    CHECK_VALUES(y, CT_SHAPE(2, 3), {0, 0, 0, 1, 1, 1});
    ct_context_free(ctx);
}

/* The elements in front, a result that may be written with a bound. */
TEST(sizes_of_dimensions)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(ctx, "tensor<2x2xi32>",
                       "%a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
                       "%n = stablehlo.constant dense<2> : tensor<i32>\n"
                       "%b = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x3xi32>, "
                       "tensor<i32>) -> tensor<2x?xi32, #stablehlo.bounds<?, 3>>\n"
                       "%m = stablehlo.get_dimension_size %b, dim = 1 : (tensor<2x?xi32, "
                       "#stablehlo.bounds<?, 3>>) -> tensor<i32>\n"
                       "%c = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<i32>) -> "
                       "tensor<2x2xi32>\n"
                       "%d = stablehlo.multiply %b, %c : (tensor<2x?xi32, #stablehlo.bounds<?, "
                       "3>>, tensor<2x2xi32>) -> tensor<2x2xi32>\n"
                       "return %d : tensor<2x2xi32>");
    CHECK_VALUES(y, CT_SHAPE(2, 2), {2, 4, 8, 10});
    y = run(ctx, "tensor<0xi32>",
            "%a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
            "%n = stablehlo.constant dense<0> : tensor<i32>\n"
            "%b = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<2xi32>, tensor<i32>) -> "
            "tensor<0xi32>\n"
            "return %b : tensor<0xi32>");
    CHECK_EMPTY(y, CT_SHAPE(0));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(wrong_shapes)
{
    CHECK_BODY_ERROR("%s: tensor<1xi64>",
                     "%b = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<3xf32>",
                     "t:2:29: the shape must be known when the program is read; it depends on more "
                     "than constants\n");
    CHECK_BODY_ERROR("",
                     "%s = stablehlo.constant dense<4> : tensor<1xi64>\n"
                     "%b = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<3xf32>",
                     "t:3:43: result 0 of 'stablehlo.dynamic_iota' is tensor<4xf32>, its type says "
                     "tensor<3xf32>\n");
    CHECK_BODY_ERROR("",
                     "%s = stablehlo.constant dense<-4> : tensor<1xi64>\n"
                     "%b = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>",
                     "t:3:43: the shape operand does not make a type like tensor<?xf32>\n");
    CHECK_BODY_ERROR("%a: tensor<3xf32>",
                     "%s = stablehlo.constant dense<3.0> : tensor<1xf32>\n"
                     "%b = stablehlo.dynamic_reshape %a, %s : (tensor<3xf32>, tensor<1xf32>) -> "
                     "tensor<3xf32>",
                     "t:3:36: the shape must be integers, not tensor<1xf32>\n");
    CHECK_BODY_ERROR("%a: tensor<3xf32>, %n: tensor<i32>",
                     "%b = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<3xf32>, "
                     "tensor<i32>) -> tensor<3xf32>",
                     "t:2:39: the size must be known when the program is read; it depends on more "
                     "than constants\n");
    CHECK_BODY_ERROR("%a: tensor<3xf32>",
                     "%n = stablehlo.constant dense<4> : tensor<i32>\n"
                     "%b = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<3xf32>, "
                     "tensor<i32>) -> tensor<?xf32>",
                     "t:3:39: expected a size of at most the extent 3, found 4\n");
    CHECK_BODY_ERROR("%a: tensor<3xf32>",
                     "%n = stablehlo.constant dense<2> : tensor<i32>\n"
                     "%b = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<3xf32>, "
                     "tensor<i32>) -> tensor<3xf32>",
                     "t:3:53: result 0 of 'stablehlo.set_dimension_size' is tensor<2xf32>, its "
                     "type says tensor<3xf32>\n");
    CHECK_BODY_ERROR("%a: tensor<3xf32>",
                     "%n = stablehlo.constant dense<[2, 1]> : tensor<2xi32>\n"
                     "%b = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<3xf32>, "
                     "tensor<2xi32>) -> tensor<3xf32>",
                     "t:3:39: expected a scalar as the size, found tensor<2xi32>\n");
    CHECK_BODY_ERROR(
        "%a: tensor<3xf32>",
        "%b = stablehlo.get_dimension_size %a, dim = 1 : (tensor<3xf32>) -> tensor<i32>",
        "t:2:35: tensor<3xf32> has no axis 1\n");
}

/* ---- Operations of the past. */

TEST(older_operations)
{
    ct_context *ctx = ct_context_new();
    const char *const head =
        "%a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n";
    char body[1024];
#define OLD(type, text)                                                                            \
    (snprintf(body, sizeof body, "%s%s\nreturn %%b : %s", head, text, type), run(ctx, type, body))
    CHECK_VALUES(
        OLD("tensor<2xi32>",
            "%v = stablehlo.constant dense<[1, 10, 100]> : tensor<3xi32>\n"
            "%b = stablehlo.dot %a, %v : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2xi32>"),
        CT_SHAPE(2), {321, 654});
    CHECK_VALUES(OLD("tensor<2x2x3xi32>",
                     "%b = stablehlo.broadcast %a, sizes = [2] : (tensor<2x3xi32>) -> "
                     "tensor<2x2x3xi32>"),
                 CT_SHAPE(2, 2, 3), {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6});
    CHECK_VALUES(
        OLD("tensor<2x2xi32>",
            "%i = stablehlo.constant dense<[2, 0]> : tensor<2xi32>\n"
            "%b = \"stablehlo.torch_index_select\"(%a, %i) {dim = 1 : i64, batch_dims = 0 : "
            "i64} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x2xi32>"),
        CT_SHAPE(2, 2), {3, 1, 6, 4});
    CHECK_VALUES(
        OLD("tensor<2x2xi32>",
            "%i = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>\n"
            "%b = \"stablehlo.torch_index_select\"(%a, %i) {dim = 1 : i64, batch_dims = 1 : "
            "i64} : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>"),
        CT_SHAPE(2, 2), {3, 1, 5, 5});
    ct_context_free(ctx);
}

TEST(wrong_older_operations)
{
    CHECK_BODY_ERROR("%a: tensor<2x2x2xf32>",
                     "%b = stablehlo.dot %a, %a : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> "
                     "tensor<2xf32>",
                     "t:2:20: dot takes vectors and matrices, not tensor<2x2x2xf32>\n");
    CHECK_BODY_ERROR(
        "%a: tensor<2xf32>, %i: tensor<2xi32>",
        "%b = \"stablehlo.torch_index_select\"(%a, %i) {dim = 1 : i64, batch_dims = 0 : "
        "i64} : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>",
        "t:2:6: dim and batch_dims do not fit tensor<2xf32> and tensor<2xi32>\n");
}

/* ---- CHLO's short expressions. */

TEST(short_expressions)
{
    ct_context *ctx = ct_context_new();
    const char *const head = "%a = stablehlo.constant dense<[1.5, -2.0, 0x7F800000, 0xFF800000, "
                             "0x7FC00000]> : tensor<5xf32>\n";
    char body[1024];
#define SHORT(type, text)                                                                          \
    (snprintf(body, sizeof body, "%s%s\nreturn %%b : %s", head, text, type), run(ctx, type, body))
    CHECK_VALUES(SHORT("tensor<5xf32>", "%b = chlo.square %a : tensor<5xf32> -> tensor<5xf32>"),
                 CT_SHAPE(5), {2.25, 4, INFINITY, INFINITY, NAN});
    CHECK_VALUES(SHORT("tensor<5xi1>", "%b = chlo.is_inf %a : tensor<5xf32> -> tensor<5xi1>"),
                 CT_SHAPE(5), {0, 0, 1, 1, 0});
    CHECK_VALUES(SHORT("tensor<5xi1>", "%b = chlo.is_pos_inf %a : tensor<5xf32> -> tensor<5xi1>"),
                 CT_SHAPE(5), {0, 0, 1, 0, 0});
    CHECK_VALUES(SHORT("tensor<5xi1>", "%b = chlo.is_neg_inf %a : tensor<5xf32> -> tensor<5xi1>"),
                 CT_SHAPE(5), {0, 0, 0, 1, 0});
    CHECK_VALUES(SHORT("tensor<5xf32>", "%b = chlo.conj %a : tensor<5xf32> -> tensor<5xf32>"),
                 CT_SHAPE(5), {1.5, -2, INFINITY, -INFINITY, NAN});
    CHECK_CLOSE(SHORT("tensor<5xf32>", "%b = chlo.atan %a : tensor<5xf32> -> tensor<5xf32>"),
                CT_SHAPE(5), 1e-7,
                {0.982793723247329, -1.1071487177940904, M_PI / 2, -M_PI / 2, NAN});
    CHECK_VALUES(SHORT("tensor<5xf32>", "%b = \"chlo.constant_like\"(%a) {value = 2.5 : f32} : "
                                        "(tensor<5xf32>) -> tensor<5xf32>"),
                 CT_SHAPE(5), {2.5, 2.5, 2.5, 2.5, 2.5});
    CHECK_VALUES(SHORT("tensor<2x5xi1>",
                       "%c = stablehlo.constant dense<[[1.5], [-9.0]]> : tensor<2x1xf32>\n"
                       "%b = chlo.broadcast_compare %c, %a {comparison_direction = "
                       "#chlo<comparison_direction GE>} : (tensor<2x1xf32>, tensor<5xf32>) -> "
                       "tensor<2x5xi1>"),
                 CT_SHAPE(2, 5), {1, 1, 0, 1, 0, 0, 0, 0, 1, 0});
    CHECK_VALUES(SHORT("tensor<5xf32>",
                       "%c = stablehlo.constant dense<2.0> : tensor<f32>\n"
                       "%b = chlo.broadcast_multiply %a, %c : (tensor<5xf32>, tensor<f32>) -> "
                       "tensor<5xf32>"),
                 CT_SHAPE(5), {3, -4, INFINITY, -INFINITY, NAN});
    ct_context_free(ctx);
}

/* The upper half of products, by Python: (x * y) >> bits. */
TEST(upper_halves)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(ctx, "tensor<4xi8>",
                       "%a = stablehlo.constant dense<[-128, 127, 100, -1]> : tensor<4xi8>\n"
                       "%c = stablehlo.constant dense<[-128, 127, -3, 1]> : tensor<4xi8>\n"
                       "%b = chlo.mulhi %a, %c : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>\n"
                       "return %b : tensor<4xi8>");
    CHECK_VALUES(y, CT_SHAPE(4), {64, 63, -2, -1});
    y = run(ctx, "tensor<3xui64>",
            "%a = stablehlo.constant dense<[18446744073709551615, 12345678901234567890, 3]> : "
            "tensor<3xui64>\n"
            "%c = stablehlo.constant dense<[18446744073709551615, 9876543210987654321, 5]> : "
            "tensor<3xui64>\n"
            "%b = chlo.mulhi %a, %c : tensor<3xui64>, tensor<3xui64> -> tensor<3xui64>\n"
            "return %b : tensor<3xui64>");
    CHECK((uint64_t)ct_at_int(y, 0) == UINT64_C(18446744073709551614));
    CHECK(ct_at_int(y, 1) == INT64_C(6609981178781634653) && ct_at_int(y, 2) == 0);
    y = run(ctx, "tensor<4xi64>",
            "%a = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, "
            "-1234567890123456789, -1]> : tensor<4xi64>\n"
            "%c = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, "
            "987654321098765432, 1]> : tensor<4xi64>\n"
            "%b = chlo.mulhi %a, %c : tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>\n"
            "return %b : tensor<4xi64>");
    CHECK(ct_at_int(y, 0) == INT64_C(4611686018427387904));
    CHECK(ct_at_int(y, 1) == INT64_C(-4611686018427387904));
    CHECK(ct_at_int(y, 2) == INT64_C(-66099811787816347) && ct_at_int(y, 3) == -1);
    ct_context_free(ctx);
}

TEST(wrong_chlo)
{
    CHECK_BODY_ERROR("%a: tensor<2xf32>, %c: tensor<3xf32>",
                     "%b = chlo.broadcast_add %a, %c : (tensor<2xf32>, tensor<3xf32>) -> "
                     "tensor<3xf32>",
                     "t:2:29: tensor<3xf32> does not broadcast with the others\n");
    CHECK_BODY_ERROR("%a: tensor<2xi32>",
                     "%b = \"chlo.constant_like\"(%a) {value = 2.5 : f32} : (tensor<2xi32>) -> "
                     "tensor<2xi32>",
                     "t:2:6: attribute 'value' is no element of tensor<2xi32>\n");
    CHECK_BODY_ERROR("%a: tensor<2xi32>", "%b = chlo.is_inf %a : tensor<2xi32> -> tensor<2xi1>",
                     "t:2:18: expected floats, found tensor<2xi32>\n");
}

/* chlo.scan(x) inits(i): y = x - carry, along axis 1 and from its end. By NumPy's cumulative loop.
 */
TEST(chlo_scan)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(
        ctx, "tensor<2x3xi32>",
        "%x = stablehlo.constant dense<[[1, 2, 3], [10, 20, 30]]> : tensor<2x3xi32>\n"
        "%i = stablehlo.constant dense<[100, 1000]> : tensor<2xi32>\n"
        "%s:2 = chlo.scan(%x) inits(%i) dimension=1 attributes {is_reverse = true} {\n"
        "^bb0(%a: tensor<2xi32>, %c: tensor<2xi32>):\n"
        " %d = stablehlo.subtract %a, %c : tensor<2xi32>\n"
        " %e = stablehlo.negate %d : tensor<2xi32>\n"
        " stablehlo.return %d, %e : tensor<2xi32>, tensor<2xi32>\n"
        "} : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)\n"
        "return %s#0 : tensor<2x3xi32>");
    /* d2 = 3 - 100 = -97, e = 97; d1 = 2 - 97 = -95; d0 = 1 - 95 = -94 */
    CHECK_VALUES(y, CT_SHAPE(2, 3), {-94, -95, -97, -940, -950, -970});
    ct_context_free(ctx);
}

/* ---- Scans as loops, and loops that only say so. */

static const char scan_text[] =
    "func.func @main(%x: tensor<3x2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {\n"
    "%0 = stablehlo.constant dense<0> : tensor<i32>\n"
    "%1:2 = stablehlo.while(%n = %0, %a = %c) : tensor<i32>, tensor<2xf32> attributes {ct.scan = "
    "{is_reverse = false, length = 3 : i64, n_carry = 1 : i64, n_inputs = 1 : i64}}\n"
    "cond {\n"
    " %l = stablehlo.constant dense<3> : tensor<i32>\n"
    " %p = stablehlo.compare LT, %n, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    " stablehlo.return %p : tensor<i1>\n"
    "} do {\n"
    " %s = stablehlo.dynamic_slice %x, %n, %0, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, "
    "tensor<i32>) -> tensor<1x2xf32>\n"
    " %e = stablehlo.reshape %s : (tensor<1x2xf32>) -> tensor<2xf32>\n"
    " %t = stablehlo.add %a, %e : tensor<2xf32>\n"
    " %o = stablehlo.constant dense<1> : tensor<i32>\n"
    " %m = stablehlo.add %n, %o : tensor<i32>\n"
    " stablehlo.return %m, %t : tensor<i32>, tensor<2xf32>\n"
    "}\n"
    "return %1#1 : tensor<2xf32>\n"
    "}";

/* The text with the first `from` replaced. */
static const char *replaced(char *memory, size_t bytes, const char *from, const char *to)
{
    const char *at = strstr(scan_text, from);
    CHECK_MSG(at != NULL, "no %s", from);
    snprintf(memory, bytes, "%.*s%s%s", (int)(at - scan_text), scan_text, to, at + strlen(from));
    return memory;
}

static ct__op first_loop(const ct_function *f)
{
    for (size_t i = 0; i < f->graph->n_nodes; i++)
        if (f->graph->node[i].n_regions > 0)
            return f->graph->node[i].op;
    return CT__OP_COUNT;
}

TEST(marked_loops)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_main(ctx, scan_text);
    CHECK_OK(ctx);
    CHECK(first_loop(f) == CT__OP_scan);
    ct_tensor *x = coded(ctx, CT_F32, 3, 2), *c = given(ctx, CT_F32, CT_SHAPE(2), {100, 200});
    CHECK_VALUES(ct_call1(ct_compile(f, NULL), CT_ARGV(x, c)), CT_SHAPE(2), {130, 233});
    ct_context_free(ctx);
}

/* A mark that is not true of its loop does not change what the loop computes. */
TEST(wrong_marks)
{
    static const struct {
        const char *from, *to;
        double result[2];
    } rows[] = {
        {"length = 3", "length = 2", {130, 233}},
        {"n_carry = 1", "n_carry = 0", {130, 233}},
        {"n_inputs = 1", "n_inputs = 0", {130, 233}},
        {"is_reverse = false", "is_reverse = true", {130, 233}},
        {"%p = stablehlo.compare LT", "%p = stablehlo.compare LE", {150, 254}},
        {"%o = stablehlo.constant dense<1>", "%o = stablehlo.constant dense<2>", {120, 222}},
        {"%n, %0, sizes", "%0, %n, sizes", {100, 203}}};
    char text[4096];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_context *ctx = ct_context_new();
        ct_function *f = read_main(ctx, replaced(text, sizeof text, rows[i].from, rows[i].to));
        CHECK_OK(ctx);
        ct_tensor *x = coded(ctx, CT_F32, 3, 2), *c = given(ctx, CT_F32, CT_SHAPE(2), {100, 200});
        ct_tensor *y = ct_call1(ct_compile(f, NULL), CT_ARGV(x, c));
        CHECK_OK(ctx);
        CHECK_MSG(ct_at(y, 0) == rows[i].result[0] && ct_at(y, 1) == rows[i].result[1], "%s: %g %g",
                  rows[i].to, ct_at(y, 0), ct_at(y, 1));
        ct_context_free(ctx);
    }
}

/* ---- Composites of ours, checks. */

TEST(composites)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read_main(
        ctx, "func.func @main(%t: tensor<2xf32>) -> tensor<2xf32> {\n"
             "%a = stablehlo.composite \"ct.scale\" %t, %t {decomposition = @s} : (tensor<2xf32>, "
             "tensor<2xf32>) -> tensor<2xf32>\n"
             "%b = stablehlo.composite \"ct.stop_gradient\" %a {decomposition = @g} : "
             "(tensor<2xf32>) -> tensor<2xf32>\n"
             "return %b : tensor<2xf32>\n}\n"
             "func.func private @s(%t: tensor<2xf32>, %f: tensor<2xf32>) -> tensor<2xf32> {\n"
             "return %t : tensor<2xf32>\n}\n"
             "func.func private @g(%t: tensor<2xf32>) -> tensor<2xf32> {\n"
             "return %t : tensor<2xf32>\n}\n");
    CHECK_OK(ctx);
    CHECK(f->graph->n_nodes == 2 && f->graph->node[0].op == CT__OP_scale &&
          f->graph->node[1].op == CT__OP_stop_gradient);
    ct_context_free(ctx);
}

static void check_node(int line, const char *statement, const char *target, const char *attributes,
                       size_t n_operands)
{
    char text[1024];
    ct_context *ctx = ct_context_new();
    snprintf(text, sizeof text, "func.func @main(%%a: tensor<2xf32>) {\n%s\nreturn\n}", statement);
    ct_function *f = read_main(ctx, text);
    if (ct_failed(ctx))
        check_fail(__FILE__, line, "%s", ct_error_message(ctx));
    const ct__node *node = &f->graph->node[f->graph->n_nodes - 1];
    const struct ct__attrs_custom_call *attrs = &node->attrs->custom_call;
    const char *found = attrs->attributes ? attrs->attributes : "";
    if (node->op != CT__OP_custom_call || strcmp(attrs->call_target_name, target) != 0 ||
        strcmp(found, attributes) != 0 || !attrs->has_side_effect || node->n_operands != n_operands)
        check_fail(__FILE__, line, "%s {%s}, %u operands", attrs->call_target_name, found,
                   node->n_operands);
    ct_context_free(ctx);
}
#define CHECK_CALL(...) check_node(__LINE__, __VA_ARGS__)

TEST(checks)
{
    CHECK_CALL("check.expect_eq %a, %a : tensor<2xf32>", "check.expect_eq", "", 2);
    CHECK_CALL("check.expect_eq_const %a, dense<[1.0, 2.0]> : tensor<2xf32>", "check.expect_eq", "",
               2);
    CHECK_CALL("\"check.expect_eq_const\"(%a) <{value = dense<1.0> : tensor<2xf32>}> : "
               "(tensor<2xf32>) -> ()",
               "check.expect_eq", "", 2);
    CHECK_CALL("check.expect_almost_eq %a, %a, tolerance = 0.01 : tensor<2xf32>",
               "check.expect_almost_eq", "tolerance = 0.01 : f64", 2);
    CHECK_CALL(
        "check.expect_almost_eq_const %a, dense<1.0> : tensor<2xf32> {tolerance = 0.5 : f64}",
        "check.expect_almost_eq", "tolerance = 0.5 : f64", 2);
    CHECK_CALL("check.expect_close %a, %a, max_ulp_difference = 3, min_ulp_difference = 1 : "
               "tensor<2xf32>, tensor<2xf32>",
               "check.expect_close", "max_ulp_difference = 3 : ui64, min_ulp_difference = 1 : ui64",
               2);
    CHECK_CALL("\"check.expect_close\"(%a, %a) <{max_ulp_difference = 3 : ui64}> : (tensor<2xf32>, "
               "tensor<2xf32>) -> ()",
               "check.expect_close", "max_ulp_difference = 3 : ui64", 2);
    CHECK_CALL("check.expect_serialized_eq %a, probe_id = \"p0\", iter = 1 : tensor<2xf32>",
               "check.expect_serialized_eq", "probe_id = \"p0\", iter = 1 : ui32", 1);
    CHECK_CALL("%b = interpreter.probe %a, probe_id = \"p0\" : tensor<2xf32>", "interpreter.probe",
               "probe_id = \"p0\"", 1);
    CHECK_CALL("interpreter.print %a : tensor<2xf32>", "interpreter.print", "", 1);
    CHECK_CALL("stablehlo.custom_call @foo(%a) {has_side_effect = true, n = 2 : i64} : "
               "(tensor<2xf32>) -> ()",
               "foo", "n = 2 : i64", 1);
}
