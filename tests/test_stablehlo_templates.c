/* What is checked of templates, functions with "?" extents, when their module is read. */
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ct_module *read_text(ct_context *ctx, const char *text)
{
    return ct_read_stablehlo_text(ctx, "t", text, strlen(text));
}

/* The first lines of the messages, one after the other; caret lines and those of the text between
 * are left out. */
static void check_errors(int line, const char *text, const char *want)
{
    ct_context *ctx = ct_context_new();
    char got[4096] = "";
    read_text(ctx, text);
    for (const char *c = ct_error_message(ctx); *c; c += strcspn(c, "\n"), c += *c == '\n')
        if (strncmp(c, "t:", 2) == 0)
            sprintf(got + strlen(got), "%.*s\n", (int)strcspn(c, "\n"), c);
    if (strcmp(got, want) != 0)
        check_fail(__FILE__, line, "%s\ngave\n%s\nnot\n%s", text, got, want);
    ct_context_free(ctx);
}
#define CHECK_ERRORS(text, want) check_errors(__LINE__, text, want)

/* A body of three values with "?", and one without; it returns nothing. */
static void check_body(int line, const char *body, const char *want)
{
    char text[2048];
    snprintf(text, sizeof text,
             "func.func @f(%%x: tensor<?x4xf32>, %%y: tensor<?x?xf32>, %%i: tensor<?xi32>, %%s: "
             "tensor<2xf32>) {\n%s\n  return\n}\n",
             body);
    check_errors(line, text, want);
}
#define CHECK_BODY(body, want) check_body(__LINE__, body, want)

/* ---- What does not depend on extents. */

TEST(syntax_names_and_operations)
{
    CHECK_BODY("  %0 = stablehlo.add %x, %z : tensor<?x4xf32>",
               "t:2:26: expected a value that is defined before, found %z\n");
    CHECK_BODY("  %0 = stablehlo.add %x %x : tensor<?x4xf32>",
               "t:2:25: expected ',', found '%x'\n");
    CHECK_BODY("  %0 = \"stablehlo.nonsense\"(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>",
               "t:2:8: operation 'stablehlo.nonsense' is not supported\n");
    CHECK_BODY("  %0 = \"my.own\"(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>",
               "t:2:8: operation 'my.own' is not known\n");
    CHECK_BODY("  %x = stablehlo.add %y, %y : tensor<?x?xf32>",
               "t:2:3: %x has been defined in line 1\n");
    CHECK_BODY("  %0:2 = stablehlo.add %y, %y : tensor<?x?xf32>",
               "t:2:3: stablehlo.add gives 1 result, and 2 are named\n");
    CHECK_BODY("  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>",
               "t:2:38: axis 0 has 3 elements: there are fewer\n");
}

TEST(several_errors_in_one_run)
{
    CHECK_ERRORS("func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n"
                 "  %k = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
                 "  %q = stablehlo.add %k, %k : tensor<3xi32>\n"
                 "  %t = stablehlo.transpose %x, dims = [0, 7] : (tensor<?x4xf32>) -> "
                 "tensor<?x4xf32>\n"
                 "  %s = call @nope(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>\n"
                 "  return %u : tensor<?x4xf32>\n"
                 "}\n"
                 "func.func @other(%x: tensor<?xf32>) {\n"
                 "  %0 = nonsense\n"
                 "  return\n"
                 "}\n",
                 "t:3:22: operand 0 of 'stablehlo.add' is tensor<2xi32>, its type says "
                 "tensor<3xi32>\n"
                 "t:4:8: transpose: permutation[1] = 7 must be an axis in [0, 2)\n"
                 "t:5:8: there is no function @nope\n"
                 "t:6:10: expected a value that is defined before, found %u\n"
                 "t:9:8: operation 'nonsense' is not known\n");
}

TEST(types_and_attributes)
{
    CHECK_BODY("  %0 = stablehlo.add %s, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>",
               "t:2:31: result 0 of 'stablehlo.add' is tensor<2xf32>, its type says "
               "tensor<3xf32>\n");
    CHECK_BODY("  %0 = stablehlo.add %x, %i : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x4xf32>",
               "t:2:8: add: x and y must have one dtype, got f32[?,4] and i32[?]\n");
    CHECK_BODY("  %0 = stablehlo.add %x, %s : (tensor<?x4xf32>, tensor<2xf32>) -> tensor<?x4xf32>",
               "t:2:8: add: x and y must have one shape, got f32[?,4] and f32[2]\n");
    CHECK_BODY("  %0 = stablehlo.add %x, %y : (tensor<?x4xf32>, tensor<?x5xf32>) -> "
               "tensor<?x4xf32>\n"
               "  %1 = stablehlo.add %x, %y : (tensor<?x4xf32>, tensor<7x?xf32>) -> "
               "tensor<7x4xf32>",
               ""); /* "?" may be what is written */
    CHECK_BODY(
        "  %p = stablehlo.constant dense<true> : tensor<i1>\n"
        "  %0 = stablehlo.select %p, %x, %y : (tensor<i1>, tensor<?x4xf32>, tensor<3x?xf32>) "
        "-> tensor<3x4xf32>",
        "");
    CHECK_BODY("  %0 = stablehlo.sine %i : tensor<?xi32>",
               "t:2:8: sine: x must be a float or complex, got i32[?]\n");
    CHECK_BODY("  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32>) -> "
               "tensor<5x?xf32>",
               "t:2:48: result 0 of 'stablehlo.transpose' is tensor<4x?xf32>, its type says "
               "tensor<5x?xf32>\n");
    CHECK_BODY("  %0 = \"stablehlo.transpose\"(%x) : (tensor<?x4xf32>) -> tensor<4x?xf32>",
               "t:2:8: attribute 'permutation' of 'stablehlo.transpose' is missing\n");
    CHECK_BODY("  %0 = \"stablehlo.concatenate\"(%x, %y) <{dimension = 2 : i64}> : "
               "(tensor<?x4xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>",
               "t:2:8: concatenate: dimension = 2 must be an axis of x[0]: f32[?,4]\n");
    CHECK_BODY("  %0 = stablehlo.convert %x : (tensor<?x4xf32>) -> tensor<?xf64>",
               "t:2:31: result 0 of 'stablehlo.convert' is tensor<?x4xf64>, its type says "
               "tensor<?xf64>\n");
    CHECK_BODY("  %0 = stablehlo.sine %i : (tensor<?x4xf32>) -> tensor<?xi32>",
               "t:2:23: operand 0 of 'stablehlo.sine' is tensor<?xi32>, its type says "
               "tensor<?x4xf32>\n");
}

/* What extents decide is left to them, whether they fit or not. */
TEST(what_extents_decide)
{
    CHECK_BODY("  %0 = stablehlo.reshape %x : (tensor<?x4xf32>) -> tensor<7xf32>\n"
               "  %1 = stablehlo.slice %x [90:200, 0:4] : (tensor<?x4xf32>) -> tensor<110x4xf32>\n"
               "  %2 = stablehlo.slice %1 [0:110, 0:4] : (tensor<110x4xf32>) -> tensor<110x4xf32>\n"
               "  %3 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
               "(tensor<?x4xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>",
               "");
    CHECK_BODY("  %0 = stablehlo.slice %s [0:2] : (tensor<2xf32>) -> tensor<2xf32>\n"
               "  %1 = stablehlo.slice %s [0:3] : (tensor<2xf32>) -> tensor<3xf32>",
               "t:3:8: slice: start_indices[0] = 0 and limit_indices[0] = 3 must be ascending and "
               "inside x: "
               "f32[2]\n");
}

TEST(shapes_that_are_values)
{
    CHECK_BODY("  %n = stablehlo.get_dimension_size %x, dim = 2 : (tensor<?x4xf32>) -> tensor<i32>",
               "t:2:37: tensor<?x4xf32> has no axis 2\n");
    CHECK_BODY(
        "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>\n"
        "  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
        "  %0 = stablehlo.dynamic_broadcast_in_dim %s, %m, dims = [0] : (tensor<2xf32>, "
        "tensor<1xi32>) -> tensor<?x?xf32>\n"
        "  %1 = stablehlo.dynamic_broadcast_in_dim %n, %m, dims = [1] : (tensor<i32>, "
        "tensor<1xi32>) -> tensor<?xi32>\n"
        "  %2 = stablehlo.dynamic_iota %m, dim = 1 : (tensor<1xi32>) -> tensor<?xi32>\n"
        "  %3 = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>\n"
        "  %4 = stablehlo.add %3, %0 : (tensor<?xi32>, tensor<?x?xf32>) -> tensor<?xi32>",
        "t:4:47: tensor<1xi32> has no entry for each axis of tensor<?x?xf32>\n"
        "t:5:8: attribute 'broadcast_dimensions' is not a list with an axis for each of x\n"
        "t:6:8: tensor<?xi32> has no axis 1\n"
        "t:8:8: add: x and y must have one dtype, got i32[?] and f32[?,?]\n");
}

/* The program fails, and not its text. */
TEST(assertions)
{
    CHECK_BODY(
        "  %0 = stablehlo.constant dense<false> : tensor<i1>\n"
        "  stablehlo.custom_call @shape_assertion(%0) {has_side_effect = true} : (tensor<i1>) "
        "-> ()",
        "");
}

TEST(bodies)
{
    CHECK_BODY(
        "  %0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [3] : "
        "(tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>\n"
        "  %2 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [0] : "
        "(tensor<?x4xf32>, tensor<f32>) -> tensor<5xf32>",
        "t:3:8: reduce: dimensions[0] = 3 must be an axis in [0, 2)\n"
        "t:4:86: result 0 of 'stablehlo.reduce' is tensor<4xf32>, its type says "
        "tensor<5xf32>\n");
    CHECK_BODY("  %0 = stablehlo.while(%a = %x) : tensor<?x4xf32>\n"
               "  cond {\n"
               "    %1 = stablehlo.constant dense<true> : tensor<2xi1>\n"
               "    stablehlo.return %p : tensor<i1>\n"
               "  } do {\n"
               "    %1 = stablehlo.sine %a : tensor<?x4xf32>\n"
               "    %2 = stablehlo.add %s, %s : tensor<3xf32>\n"
               "    stablehlo.return %1 : tensor<?x4xf32>\n"
               "  }",
               "t:5:22: expected a value that is defined before, found %p\n"
               "t:8:24: operand 0 of 'stablehlo.add' is tensor<2xf32>, its type says "
               "tensor<3xf32>\n");
    CHECK_BODY("  %0 = \"stablehlo.sort\"(%x, %x) <{dimension = 0 : i64}> ({\n"
               "  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):\n"
               "    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
               "    stablehlo.return %1 : tensor<i1>\n"
               "  }) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>",
               "t:6:8: 'stablehlo.sort' has 2 results, its type says 1\n");
}

/* ---- Calls. */

TEST(calls)
{
#define CALLEE                                                                                     \
    "func.func private @g(%a: tensor<?xf32>) -> tensor<?xf32> {\n  return %a : tensor<?xf32>\n}\n" \
    "func.func private @h(tensor<?xf32>)\n"
    CHECK_ERRORS("func.func @main(%x: tensor<?xf32>, %i: tensor<?xi32>) {\n"
                 "  %0 = call @g(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>\n"
                 "  %1 = call @g(%i) : (tensor<?xi32>) -> tensor<?xf32>\n"
                 "  %2 = call @g(%x) : (tensor<?xf32>) -> tensor<?xi32>\n"
                 "  call @h(%x) : (tensor<?xf32>) -> ()\n"
                 "  %3 = stablehlo.composite \"my.f\" %x {decomposition = @nope} : "
                 "(tensor<?xf32>) -> tensor<?xf32>\n"
                 "  return\n"
                 "}\n" CALLEE,
                 "t:2:8: the function takes 1 argument, not 2\n"
                 "t:3:16: argument 0 is a tensor<?xi32>, and declared is tensor<?xf32>\n"
                 "t:4:22: result 0 of 'call' is tensor<?xf32>, its type says tensor<?xi32>\n"
                 "t:5:3: @h has no body to call: line 12 only declares it\n"
                 "t:6:8: there is no function @nope\n");
    CHECK_ERRORS("func.func @f(%x: tensor<?xf32>) {\n  call @g(%x) : (tensor<?xf32>) -> ()\n"
                 "  return\n}\n"
                 "func.func @g(%x: tensor<?xf32>) {\n  call @f(%x) : (tensor<?xf32>) -> ()\n"
                 "  return\n}\n",
                 "t:6:3: @f calls itself, through @g\n");
}

/* A private function whose shapes depend on its arguments' values is a template too. */
TEST(private_functions)
{
    CHECK_ERRORS("func.func @main(%x: tensor<?xf32>) {\n"
                 "  return\n"
                 "}\n"
                 "func.func private @count(%n: tensor<i32>) -> tensor<3xf32> {\n"
                 "  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
                 "  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<3xf32>\n"
                 "  %2 = stablehlo.add %1, %0 : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>\n"
                 "  return %z : tensor<3xf32>\n"
                 "}\n",
                 "t:7:8: add: x and y must have one dtype, got f32[3] and i32[1]\n"
                 "t:8:10: expected a value that is defined before, found %z\n");
}

TEST(returns)
{
    CHECK_ERRORS("func.func @f(%x: tensor<?xf32>) -> tensor<?xi32> {\n"
                 "  return %x : tensor<?xf32>\n"
                 "}\n"
                 "func.func @g(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                 "  return %x, %x : tensor<?xf32>, tensor<?xf32>\n"
                 "}\n"
                 "func.func @h(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                 "  return %x : tensor<?x?xf32>\n"
                 "}\n"
                 "func.func @i(%x: tensor<?xf32>) {\n"
                 "}\n",
                 "t:2:10: result 0 is a tensor<?xf32>, and declared is tensor<?xi32>\n"
                 "t:5:3: 2 values are returned, and 1 declared\n"
                 "t:8:10: the value is a tensor<?xf32>, and written is tensor<?x?xf32>\n"
                 "t:10:34: expected 'return', found '}' on line 11\n");
}

/* ---- Nothing of this stays. */

static const char well[] =
    "func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n"
    "  %z = stablehlo.constant dense<2.0> : tensor<f32>\n"
    "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>\n"
    "  %k = call @twice(%n) : (tensor<i32>) -> tensor<i32>\n"
    "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>\n"
    "  %1 = stablehlo.while(%a = %0) : tensor<4x?xf32>\n"
    "  cond {\n"
    "    %2 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 1] : "
    "(tensor<4x?xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %3 = stablehlo.compare LT, %2, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %3 : tensor<i1>\n"
    "  } do {\n"
    "    %2 = stablehlo.add %a, %a : tensor<4x?xf32>\n"
    "    stablehlo.return %2 : tensor<4x?xf32>\n"
    "  }\n"
    "  %4 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x?xf32>) -> tensor<?x4xf32>\n"
    "  return %4 : tensor<?x4xf32>\n"
    "}\n"
    "func.func private @twice(%n: tensor<i32>) -> tensor<i32> {\n"
    "  %0 = stablehlo.add %n, %n : tensor<i32>\n"
    "  return %0 : tensor<i32>\n"
    "}\n";

TEST(checked_and_specialised)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(ctx, well);
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(3, 4));
    CHECK(ct_dim(ct_apply1(ct_specialize(m, "main", CT_LIKE(x)), CT_ARGV(x)), 0) == 3);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void read_all(ct_context *ctx)
{
    read_text(ctx, well);
    read_text(ctx, "func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x?xf32>, %n: tensor<1xi32>) -> "
                   "tensor<?xf32> {\n"
                   "  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<?x4xf32>, "
                   "tensor<?x?xf32>) -> tensor<?x?xf32>\n"
                   "  %1 = stablehlo.slice %x [200:201, 0:4] : (tensor<?x4xf32>) -> "
                   "tensor<1x4xf32>\n"
                   "  %2 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> "
                   "tensor<?xf32>\n"
                   "  return %2 : tensor<?xf32>\n}\n");
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(read_all);
}
