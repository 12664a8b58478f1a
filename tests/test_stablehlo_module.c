/* What stands beside functions with a body: declarations, meshes of devices; bounds of parameters;
 * many parts of a text. */
#include "tests/values.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ct_module *read_text(ct_context *ctx, const char *text)
{
    return ct_read_stablehlo_text(ctx, "t", text, strlen(text));
}

static void check_printed(int line, const char *text, const char *expected)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_module_function(read_text(ctx, text), NULL);
    const char *printed = ct_stablehlo_text(f, CT_WRITE_PRETTY);
    if (ct_failed(ctx) || strcmp(printed, expected) != 0)
        check_fail(__FILE__, line, "%s\nis printed as\n%s\n%s", text, printed,
                   ct_error_message(ctx));
    ct_context_free(ctx);
}
#define CHECK_PRINTED(text, expected) check_printed(__LINE__, text, expected)

static void check_message(int line, const char *text, const char *expected)
{
    ct_context *ctx = ct_context_new();
    read_text(ctx, text);
    if (ct_error_status(ctx) != CT_ERR_TEXT || strcmp(ct_error_message(ctx), expected) != 0)
        check_fail(__FILE__, line, "\n%s\ninstead of\n%s", ct_error_message(ctx), expected);
    ct_context_free(ctx);
}
#define CHECK_MESSAGE(text, expected) check_message(__LINE__, text, expected)

/* ---- Meshes: kept as they stand, but for comments, aliases and places. */

static const char meshes[] =
    "module @jit_f attributes {mhlo.num_partitions = 4 : i32} {\n"
    "  sdy.mesh @mesh = <[\"a\"=2, \"b\"=2]> {stablehlo.mesh = {axes = [{name = \"a\", size = 2 : "
    "i64}]}}\n"
    "  sdy.mesh @empty = <[]>\n"
    "  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, "
    "[{\"a\"}]>}) -> tensor<4xf32> {\n"
    "    %0 = stablehlo.sine %x : tensor<4xf32>\n"
    "    return %0 : tensor<4xf32>\n"
    "  }\n"
    "}\n";

TEST(meshes_are_kept)
{
    CHECK_PRINTED(meshes, meshes);
    CHECK_PRINTED("#m = {axes = [{name = \"a\", size = 2 : i64}]}\n"
                  "module @jit_f attributes {mhlo.num_partitions = 4 : i32} {\n"
                  "  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, "
                  "[{\"a\"}]>}) -> tensor<4xf32> {\n"
                  "    %0 = stablehlo.sine %x : tensor<4xf32>\n"
                  "    return %0 : tensor<4xf32>\n"
                  "  }\n"
                  "  sdy.mesh @mesh = <[\"a\"=2, // two\n"
                  "   \"b\"=2]> {stablehlo.mesh = #m} loc(#loc)\n"
                  "  sdy.mesh @empty = <[]> loc(unknown)\n"
                  "} loc(#loc)\n"
                  "#loc = loc(unknown)\n",
                  meshes);
}

TEST(generic_meshes_are_kept)
{
    static const char mesh[] =
        "\"sdy.mesh\"() <{mesh = #sdy.mesh<[\"a\"=2]>, sym_name = \"mesh\"}> : () -> ()\n";
    char text[1024], expected[1024];
    snprintf(text, sizeof text, "%sfunc.func @f() {\n return\n}", mesh);
    snprintf(expected, sizeof expected,
             "module @f {\n  %s  func.func public @main() {\n    return\n  }\n}\n", mesh);
    CHECK_PRINTED(text, expected);
    CHECK_PRINTED(expected, expected);
}

/* It is its operand, in a form of its own where the mesh is there; its derivative is the
 * identity's. */
TEST(sharding_constraints)
{
    static const char form[] = "module @f {\n"
                               "  sdy.mesh @mesh = <[\"a\"=2]>\n"
                               "  func.func public @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                               "    %%0 = %s : %s\n"
                               "    %%1 = stablehlo.multiply %%0, %%0 : tensor<4xf32>\n"
                               "    return %%1 : tensor<4xf32>\n"
                               "  }\n"
                               "}\n";
    char pretty[1024], generic[1024];
    snprintf(pretty, sizeof pretty, form, "sdy.sharding_constraint %x <@mesh, [{\"a\"}]>",
             "tensor<4xf32>");
    snprintf(generic, sizeof generic, form,
             "\"sdy.sharding_constraint\"(%x) <{sharding = #sdy.sharding<@mesh, [{\"a\"}]>}>",
             "(tensor<4xf32>) -> tensor<4xf32>");
    CHECK_PRINTED(pretty, pretty);
    CHECK_PRINTED(generic, pretty);
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_module_function(read_text(ctx, pretty), NULL);
    ct_tensor *x = ct_from_doubles(ctx, CT_F32, CT_SHAPE(4), (const double[]){1, 2, 3, 4});
    ct_tensor *y[2], *dx = ct_ones(ctx, CT_F32, CT_SHAPE(4));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(4), {1, 4, 9, 16});
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, dx), y, 2);
    CHECK_VALUES(y[1], CT_SHAPE(4), {2, 4, 6, 8});
    const char *text = ct_stablehlo_text(f, CT_WRITE_GENERIC);
    CHECK(strstr(text, "%0 = \"sdy.sharding_constraint\"(%x) <{sharding = #sdy.sharding<@mesh, "
                       "[{\"a\"}]>}> : (tensor<4xf32>) -> tensor<4xf32>\n"));
    CHECK(!strstr(text, "composite") && !strstr(text, "private"));
    CHECK(strcmp(ct_stablehlo_text(ct_module_function(read_text(ctx, text), NULL), CT_WRITE_PRETTY),
                 pretty) == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
    CHECK_MESSAGE("func.func @f(%x: tensor<4xf32>) {\n"
                  "  %0 = sdy.sharding_constraint %x @mesh : tensor<4xf32>\n"
                  "  return\n"
                  "}\n",
                  "t:2:35: expected '<', found '@mesh'\n"
                  "  %0 = sdy.sharding_constraint %x @mesh : tensor<4xf32>\n"
                  "                                  ^");
}

/* "?" of a sharding is an axis that is open to be sharded: no extent, and so no template. */
TEST(open_shardings)
{
    static const char text[] =
        "module @main {\n"
        "  sdy.mesh @mesh = <[\"a\"=2]>\n"
        "  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, "
        "[{\"a\", ?}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {\n"
        "    %0 = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
        "    return %0 : tensor<4xf32>\n"
        "  }\n"
        "  func.func private @g(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
        "    %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}p1]> : tensor<4xf32>\n"
        "    return %0 : tensor<4xf32>\n"
        "  }\n"
        "}\n";
    CHECK_PRINTED(text, text);
}

/* A mesh may stand in the sharding; where neither is there, the operation would not be read by
 * others, and is a composite. Attributes that are only kept stand in the generic form. */
TEST(meshes_of_shardings)
{
    static const char form[] = "module @f {\n"
                               "  func.func public @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                               "    %%0 = %s\n"
                               "    return %%0 : tensor<4xf32>\n"
                               "  }\n"
                               "}\n";
    char text[1024];
    snprintf(text, sizeof text, form,
             "sdy.sharding_constraint %x <mesh<[\"a\"=2]>, [{\"a\"}]> : tensor<4xf32>");
    CHECK_PRINTED(text, text);
    snprintf(text, sizeof text, form,
             "\"sdy.sharding_constraint\"(%x) <{sharding = #sdy.sharding<mesh<[\"a\"=2]>, "
             "[{\"a\"}]>}> {k = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>");
    CHECK_PRINTED(text, text);
    snprintf(text, sizeof text, form,
             "sdy.sharding_constraint %x <@mesh, [{\"a\"}]> : tensor<4xf32>");
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_module_function(read_text(ctx, text), NULL);
    CHECK(strstr(ct_stablehlo_text(f, CT_WRITE_PRETTY), "%0 = stablehlo.composite "));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* All of it when memory is short. */
static void read_all(ct_context *ctx)
{
    ct_module *m = read_text(
        ctx, "module @f {\n"
             "  sdy.mesh @mesh = <[\"a\"=2]>\n"
             "  func.func private @g(tensor<4xf32>)\n"
             "  func.func public @main(%x: tensor<4x4xf32>) -> tensor<4xf32> {\n"
             "    %0 = sdy.sharding_constraint %x <@mesh, [{\"a\"}]> : tensor<4x4xf32>\n"
             "    %1 = stablehlo.einsum %x, %0, config = \"aa,bc->ca\" : (tensor<4x4xf32>, "
             "tensor<4x4xf32>) -> tensor<4x4xf32>\n"
             "    %2 = stablehlo.unary_einsum %1, config = \"aa->a\" : (tensor<4x4xf32>) -> "
             "tensor<?xf32, #stablehlo.bounds<4>>\n"
             "    return %2 : tensor<4xf32>\n"
             "  }\n"
             "}\n");
    ct_stablehlo_text(ct_module_function(m, "main"), CT_WRITE_PRETTY);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(read_all);
}

TEST(wrong_meshes)
{
    CHECK_MESSAGE("sdy.mesh mesh = <[]>", "t:1:10: expected a symbol, @name, found 'mesh'\n"
                                          "sdy.mesh mesh = <[]>\n"
                                          "         ^");
    CHECK_MESSAGE("sdy.mesh @mesh = [\"a\"]", "t:1:18: expected '<', found '['\n"
                                              "sdy.mesh @mesh = [\"a\"]\n"
                                              "                 ^");
    CHECK_MESSAGE("sdy.mesh @mesh = <[\"a\"=2]", "t:1:18: the bracket is not closed\n"
                                                 "sdy.mesh @mesh = <[\"a\"=2]\n"
                                                 "                 ^");
}

/* ---- Functions without a body. */

TEST(declarations)
{
    static const char *const texts[] = {
        "func.func private @g(tensor<4xf32>, %b: tensor<?xi1> {a.b}) -> (tensor<f32> {c.d}) "
        "attributes {llvm.linkage = \"external\"}\n",
        "func.func private @g()\n#x = 1 : i32\n",
        "func.func nested @g(tensor<2xf32>) -> !t loc(unknown)\n!t = tensor<3xi8>\n",
        "func.func private @g() -> tensor<3xi8>\nsdy.mesh @mesh = <[\"a\"=2]> {a = {b}}\n",
        "\"func.func\"() <{function_type = (tensor<2xf32>) -> tensor<f32>, sym_name = \"g\", "
        "sym_visibility = \"private\"}> ({\n}) : () -> ()\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[1024];
        ct_context *ctx = ct_context_new();
        snprintf(text, sizeof text,
                 "%sfunc.func @f(%%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                 "  return %%x : tensor<?xf32>\n}\n"
                 "func.func @h() {\n  return\n}\n",
                 texts[i]);
        ct_module *m = read_text(ctx, text);
        CHECK_OK(ctx);
        CHECK(ct_module_functions(m) == 2 && strcmp(ct_module_function_name(m, 1), "h") == 0);
        ct_function *f = ct_specialize(m, "f", CT_ARGV(ct_spec(ctx, CT_F32, CT_SHAPE(3))));
        CHECK(ct_function_parameters(f) == 1);
        ct_module_function(m, "g");
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "there is no function @g in the module; it has @f, @h");
        ct_context_free(ctx);
    }
}

/* The only function with a body stands for the module beside them, too. */
TEST(attributes_beside_declarations)
{
    CHECK_PRINTED("module attributes {a.n = 2 : i32} {\n"
                  "  sdy.mesh @mesh = <[\"a\"=2]>\n"
                  "  func.func private @g(tensor<4xf32>)\n"
                  "  func.func @f() {\n    return\n  }\n"
                  "}\n",
                  "module @f attributes {a.n = 2 : i32} {\n"
                  "  sdy.mesh @mesh = <[\"a\"=2]>\n"
                  "  func.func public @main() {\n    return\n  }\n"
                  "}\n");
}

TEST(wrong_declarations)
{
    CHECK_MESSAGE("func.func private @g()\n"
                  "func.func @f() {\n"
                  "  call @g() : () -> ()\n"
                  "  return\n"
                  "}\n",
                  "t:3:3: @g has no body to call: line 1 only declares it\n"
                  "  call @g() : () -> ()\n"
                  "  ^");
    CHECK_MESSAGE("func.func private @g(tensor<4xf31>)\n",
                  "t:1:31: element type 'f31' is not supported\n"
                  "func.func private @g(tensor<4xf31>)\n"
                  "                              ^");
    CHECK_MESSAGE("func.func private @g()\nfunc.func private @g()\n",
                  "t:2:19: @g has been defined in line 1\n"
                  "func.func private @g()\n"
                  "                  ^");
    CHECK_MESSAGE("func.func public @g()\n",
                  "t:2:1: expected the function's body, '{', found the end of the text\n"
                  "\n"
                  "^");
}

/* ---- Resources: wherever their sections stand. */

TEST(resources)
{
    static const char module[] = "module @main {\n"
                                 "  func.func public @main() -> (tensor<2xi8>, tensor<i8>) {\n"
                                 "    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi8>\n"
                                 "    %1 = stablehlo.constant dense<3> : tensor<i8>\n"
                                 "    return %0, %1 : tensor<2xi8>, tensor<i8>\n"
                                 "  }\n}\n";
    CHECK_PRINTED("{-# dialect_resources: { builtin: { a: \"0x010000000102\" } } #-}\n"
                  "func.func @main() -> (tensor<2xi8>, tensor<i8>) {\n"
                  "  %0 = stablehlo.constant dense_resource<a> : tensor<2xi8>\n"
                  "  %1 = stablehlo.constant dense_resource<b> : tensor<i8>\n"
                  "  return %0, %1 : tensor<2xi8>, tensor<i8>\n}\n"
                  "{-# dialect_resources: { builtin: { b: \"0x0100000003\" } } #-}\n",
                  module);
}

/* ---- Bounds: a template takes what is not above them. */

TEST(bounds)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(
        ctx, "func.func @main(%x: tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x2xf32, "
             "#stablehlo.bounds<4, ?>> {\n"
             "  %y = stablehlo.add %x, %x : tensor<?x2xf32, #stablehlo.bounds<4, ?>>\n"
             "  return %y : tensor<?x2xf32, #stablehlo.bounds<4, ?>>\n"
             "}\n");
    ct_function *f = ct_specialize(m, NULL, CT_ARGV(ct_spec(ctx, CT_F32, CT_SHAPE(4, 2))));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(ct_ones(ctx, CT_F32, CT_SHAPE(4, 2)))), CT_SHAPE(4, 2),
                 {2, 2, 2, 2, 2, 2, 2, 2});
    CHECK_OK(ctx);
    ct_specialize(m, NULL, CT_ARGV(ct_spec(ctx, CT_F32, CT_SHAPE(5, 2))));
    CHECK_ERROR(ctx, CT_ERR_TEXT,
                "t:1:17: argument 0 is a tensor<5x2xf32>, and declared is tensor<?x2xf32, "
                "#stablehlo.bounds<4, ?>>\n");
    ct_context_free(ctx);
}

/* ---- Parts. */

/* Each is read, with its own lines, in a time that grows with the text alone: 20,000 of them in a
 * blink, where reading from the start for each took many seconds. */
TEST(many_parts)
{
    enum { PARTS = 20000 };
    static const char one[] = "func.func @f() {\n  return\n}\n// -----\n";
    const size_t bytes = sizeof one - 1;
    char *text = malloc(PARTS * bytes);
    ct_stablehlo_part part = {0};
    ct_context *ctx = ct_context_new();
    int count = 0;
    CHECK(text != NULL);
    for (size_t i = 0; i < PARTS; i++)
        memcpy(text + i * bytes, one, bytes);
    for (; ct_stablehlo_next_part(text, PARTS * bytes, &part); count++) {
        ct_scope scope = ct_scope_begin(ctx);
        CHECK(part.line == (count == 0 ? 1 : 4 * count));
        ct_module *m = ct_read_stablehlo_lines(ctx, "t", part.text, part.length, part.line);
        CHECK(ct_module_functions(m) == (count < PARTS ? 1 : 0));
        ct_scope_end(scope);
    }
    CHECK(count == PARTS + 1);
    CHECK_OK(ctx);
    text[PARTS / 2 * bytes] = '%';
    ct_read_stablehlo_part(ctx, "t", text, PARTS * bytes, PARTS / 2);
    CHECK_ERROR(ctx, CT_ERR_TEXT, "t:40001:1: expected 'func.func', found '%unc.func'\n");
    ct_read_stablehlo_lines(ctx, "t", text, 3, 0);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "lines begin at 1, not at 0");
    ct_context_free(ctx);
    free(text);
}

/* What fails as a program runs names the column too. */
TEST(columns_of_operations)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(ctx, "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
                                  "  %y = stablehlo.custom_call @nobody(%x) : (tensor<f32>) -> "
                                  "tensor<f32>\n"
                                  "  %z = stablehlo.custom_call @nobody(%y) : (tensor<f32>) -> "
                                  "tensor<f32> loc(\"x.py\":3:7)\n"
                                  "  return %z : tensor<f32>\n"
                                  "}\n");
    ct_function *f = ct_module_function(m, NULL);
    ct_apply1(f, CT_ARGV(ct_scalar(ctx, CT_F32, 1)));
    CHECK(ct_error_place(ctx).line == 2 && ct_error_place(ctx).column == 8);
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED,
                "t:2:8: custom_call: no function is registered for target @nobody");
    CHECK(strstr(ct_stablehlo_text(f, CT_WRITE_PLACES), " loc(\"x.py\":3:7)\n"));
    ct_context_free(ctx);
}
