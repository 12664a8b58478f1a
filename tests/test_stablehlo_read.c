/* Modules, functions, names, places and kept attributes of StableHLO's text. Forms of single
 * operations: test_stablehlo_forms.c. */
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ct_module *read_text(ct_context *ctx, const char *text)
{
    return ct_read_stablehlo_text(ctx, "test.mlir", text, strlen(text));
}

/* The text is read, and its main function is printed so. */
static void check_printed(int line, const char *text, unsigned flags, const char *expected)
{
    ct_context *ctx = ct_context_new();
    const char *printed = ct_stablehlo_text(ct_module_function(read_text(ctx, text), NULL), flags);
    if (ct_failed(ctx))
        check_fail(__FILE__, line, "%s\nin\n%s", ct_error_message(ctx), text);
    if (strcmp(printed, expected) != 0)
        check_fail(__FILE__, line, "%s\nis printed as\n%s\nand not as\n%s", text, printed,
                   expected);
    ct_context_free(ctx);
}
#define CHECK_PRINTED(text, flags, expected) check_printed(__LINE__, text, flags, expected)

/* ---- Modules. */

static const char plain[] = "module @main {\n"
                            "  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {\n"
                            "    %0 = stablehlo.negate %arg0 : tensor<3xf32>\n"
                            "    return %0 : tensor<3xf32>\n"
                            "  }\n"
                            "}\n";

TEST(module_forms)
{
    CHECK_PRINTED(plain, CT_WRITE_PRETTY, plain);
    /* no module, no visibility, blanks and comments between any two tokens */
    CHECK_PRINTED("// first\nfunc.func// f\n@main\n(%arg0// name\n: tensor<3xf32>) -> tensor<3xf32>"
                  "{%0=stablehlo.negate %arg0:tensor<3xf32>return %0:tensor<3xf32>}// last",
                  CT_WRITE_PRETTY, plain);
    /* neither name nor attributes of the module */
    CHECK_PRINTED("module {\n func.func private @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>) {\n"
                  "  %5 = stablehlo.negate %arg0 : tensor<3xf32>\n\treturn %5 : tensor<3xf32>\r\n"
                  " } loc(unknown)\n} loc(\"x\")\n",
                  CT_WRITE_PRETTY, plain);
    /* the module's whole name; attributes of the return */
    CHECK_PRINTED("builtin.module {\n func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {\n"
                  "  %5 = stablehlo.negate %arg0 : tensor<3xf32>\n"
                  "  return {a.b = 1 : i32} %5 : tensor<3xf32>\n }\n}\n",
                  CT_WRITE_PRETTY, plain);
}

/* Some editors put it before UTF-8. */
TEST(byte_order_mark)
{
    CHECK_PRINTED("\xEF\xBB\xBF"
                  "module @main {\nfunc.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {\n"
                  "%0 = stablehlo.negate %arg0 : tensor<3xf32> return %0 : tensor<3xf32> } }",
                  CT_WRITE_PRETTY, plain);
    ct_context *ctx = ct_context_new();
    read_text(ctx, "\xEF\xBB\xBF"
                   "func.fun @main() { return }");
    CHECK_ERROR(ctx, CT_ERR_TEXT, "test.mlir:1:1: expected 'func.func', found 'func.fun'");
    read_text(ctx, " \xEF\xBB\xBF"
                   "func.func @main() { return }");
    CHECK_ERROR(ctx, CT_ERR_TEXT, "test.mlir:1:2: expected 'func.func', found");
    ct_context_free(ctx);
}

TEST(module_attributes)
{
    static const char text[] =
        "module @jit_f attributes {mhlo.num_partitions = 1 : i32, a.list = [1, \"}\", {b}]} {\n"
        "  func.func public @main(%x: tensor<2xf32> {jax.arg = \"x // {\"}, %arg0: tensor<2xf32>) "
        "-> (tensor<2xf32> {jax.result_info = \"\"}) attributes {no.inline} {\n"
        "    %0 = stablehlo.add %x, %arg0 : tensor<2xf32>\n"
        "    return %0 : tensor<2xf32>\n"
        "  }\n"
        "}\n";
    CHECK_PRINTED(text, CT_WRITE_PRETTY, text);
}

/* What mlir-opt prints with --mlir-print-op-generic. */
TEST(generic_modules)
{
    CHECK_PRINTED("\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
                  "^bb0:\n"
                  "  \"func.func\"() <{arg_attrs = [{a.b = 1 : i32}, {}], function_type = "
                  "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, res_attrs = [{r}], sym_name = "
                  "\"main\", sym_visibility = \"public\"}> ({\n"
                  "  ^bb0(%arg0: tensor<2xf32> loc(\"x\"), %arg1: tensor<2xf32> loc(#l)):\n"
                  "    %0 = \"stablehlo.add\"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> "
                  "tensor<2xf32> loc(#l)\n"
                  "    \"func.call\"() <{callee = @g}> : () -> ()\n"
                  "    \"func.return\"(%0) : (tensor<2xf32>) -> () loc(#l)\n"
                  "  }) {c.d} : () -> () loc(#l)\n"
                  "  \"func.func\"() <{function_type = () -> (), sym_name = \"g\"}> ({\n"
                  "    \"func.return\"() : () -> ()\n"
                  "  }) : () -> ()\n"
                  "}) {m.n = 2 : i64} : () -> () loc(#l)\n"
                  "#l = loc(\"f.c\":1:2)\n",
                  CT_WRITE_PRETTY,
                  "module @m attributes {m.n = 2 : i64} {\n"
                  "  func.func public @main(%x: tensor<2xf32> {a.b = 1 : i32}, %arg0: "
                  "tensor<2xf32>) -> (tensor<2xf32> {r}) attributes {c.d} {\n"
                  "    %0 = stablehlo.add %x, %arg0 : tensor<2xf32>\n"
                  "    return %0 : tensor<2xf32>\n"
                  "  }\n"
                  "}\n");
}

TEST(empty_modules)
{
    static const char *const texts[] = {"", "// nothing\n", "module {}", "module @m {\n}\n",
                                        "#x = 1 : i32\n"};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ct_module *m = read_text(ctx, texts[i]);
        CHECK_OK(ctx);
        CHECK(!ct_module_is_poison(m) && ct_module_functions(m) == 0);
        ct_module_function(m, NULL);
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT,
                    "module_function: there is no function @main in the module; it has none");
    }
    CHECK(strcmp(ct_module_name(read_text(ctx, texts[3])), "m") == 0);
    ct_context_free(ctx);
}

static const char two[] = "func.func @f(%x: tensor<f32>) -> tensor<f32> {\n"
                          "  return %x : tensor<f32>\n}\n"
                          "func.func private @\"<g>\"(%x: tensor<f32>) -> tensor<f32> {\n"
                          "  return %x : tensor<f32>\n}\n";

TEST(functions_by_name)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(ctx, two);
    CHECK_OK(ctx);
    CHECK(ct_module_functions(m) == 2);
    CHECK(strcmp(ct_module_function_name(m, 0), "f") == 0);
    CHECK(strcmp(ct_module_function_name(m, 1), "<g>") == 0);
    CHECK(strcmp(ct_module_function_name(m, 2), "") == 0);
    CHECK(strcmp(ct_function_name(ct_module_function(m, "<g>")), "<g>") == 0);
    CHECK_OK(ctx);
    CHECK(ct_function_is_poison(ct_module_function(m, NULL))); /* neither main nor the only one */
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT,
                "module_function: there is no function @main in the module; it has @f, @<g>");
    ct_context_free(ctx);
}

/* Functions live on without their module, and compute. */
TEST(functions_outlive_modules)
{
    ct_context *ctx = ct_context_new();
    ct_scope scope = ct_scope_begin(ctx);
    ct_function *f = ct_keep_function(ct_module_function(read_text(ctx, plain), "main"));
    ct_scope_end(scope);
    CHECK_VALUES(ct_apply1(f, CT_ARGV(given(ctx, CT_F32, CT_SHAPE(3), {1, -2, 3}))), CT_SHAPE(3),
                 {-1, 2, -3});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(poison)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(ctx, "func.func");
    CHECK(ct_module_is_poison(m) && ct_module_functions(m) == 0);
    CHECK(strcmp(ct_module_name(m), "") == 0 && strcmp(ct_module_function_name(m, 0), "") == 0);
    CHECK(ct_function_is_poison(ct_module_function(m, NULL)));
    CHECK_ERROR(ctx, CT_ERR_TEXT, "test.mlir:1:10: expected a symbol, @name");
    CHECK(ct_function_is_poison(ct_module_function(m, NULL)));
    CHECK_ERROR(ctx, CT_ERR_POISON, "module_function: the module is the poisoned result");
    CHECK(ct_module_is_poison(NULL) && ct_module_functions(NULL) == 0);
    CHECK(ct_function_is_poison(ct_module_function(NULL, NULL)));
    CHECK(ct_function_is_poison(ct_specialize(NULL, NULL, CT_NO_TENSORS)));
    ct_read_stablehlo_text(ctx, NULL, NULL, 3);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "read_stablehlo: the text is NULL");
    ct_read_stablehlo(ctx, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "the path is NULL");
    ct_read_stablehlo(ctx, "/nowhere/to/be.mlir");
    CHECK_ERROR(ctx, CT_ERR_FILE, "/nowhere/to/be.mlir");
    ct_read_stablehlo(ctx, "/");
    CHECK_ERROR(ctx, CT_ERR_FILE, "/");
    ct_context_free(ctx);
}

/* ---- Calls. */

TEST(calls_before_the_definition)
{
    static const char text[] =
        "module @m {\n"
        "  func.func public @main() -> tensor<3xf32> {\n"
        "    %0:2 = func.call @inputs() : () -> (tensor<3xf32>, tensor<3xf32>)\n"
        "    %1 = stablehlo.subtract %0#0, %0#1 : tensor<3xf32>\n"
        "    return %1 : tensor<3xf32>\n"
        "  }\n"
        "  func.func private @inputs() -> (tensor<3xf32>, tensor<3xf32>) {\n"
        "    %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>\n"
        "    %y = stablehlo.constant dense<0.5> : tensor<3xf32>\n"
        "    return %x, %y : tensor<3xf32>, tensor<3xf32>\n"
        "  }\n"
        "}\n";
    CHECK_PRINTED(text, CT_WRITE_PRETTY, text);
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_module_function(read_text(ctx, text), NULL);
    CHECK_VALUES(ct_apply1(f, CT_NO_TENSORS), CT_SHAPE(3), {0.5, 1.5, 2.5});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A function that is called twice is recorded once. */
TEST(callees_are_shared)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(
        ctx, "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
             "  %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>\n"
             "  %1 = \"func.call\"(%0) <{callee = @g}> : (tensor<f32>) -> tensor<f32>\n"
             "  func.return %1 : tensor<f32>\n}\n"
             "func.func private @g(%x: tensor<f32>) -> tensor<f32> {\n"
             "  %0 = stablehlo.sine %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n");
    CHECK_OK(ctx);
    const ct__graph *f = ct_module_function(m, NULL)->graph;
    const ct__graph *g = ct_module_function(m, "g")->graph;
    CHECK(f->n_nodes == 2 && f->node[0].region[0] == g && f->node[1].region[0] == g);
    ct_context_free(ctx);
}

/* ---- Names. */

static const char *value_name(const ct__graph *graph, ct__id id)
{
    return graph->value[id].name ? graph->value[id].name : "";
}

TEST(names_of_values)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(
        ctx, "func.func @main(%x.y$-1: tensor<2xf32>, %arg1: tensor<2xf32>, %arg0: tensor<2xf32> "
             "loc(\"weights\")) -> (tensor<2xf32>, tensor<2xf32>) {\n"
             "  %12 = stablehlo.add %x.y$-1, %arg0 : tensor<2xf32>\n"
             "  %_h = stablehlo.add %12, %arg1 : tensor<2xf32>\n"
             "  %p:2 = stablehlo.optimization_barrier %12, %_h : tensor<2xf32>, tensor<2xf32>\n"
             "  return %p#1, %p#0 : tensor<2xf32>, tensor<2xf32>\n}\n");
    CHECK_OK(ctx);
    const ct__graph *f = ct_module_function(m, NULL)->graph;
    CHECK(strcmp(value_name(f, f->param[0]), "x.y$-1") == 0);
    CHECK(strcmp(value_name(f, f->param[1]), "arg1") == 0); /* the first one without is %arg0 */
    CHECK(strcmp(value_name(f, f->param[2]), "weights") == 0);
    CHECK(strcmp(value_name(f, f->node[0].first_result), "") == 0);
    CHECK(strcmp(value_name(f, f->node[1].first_result), "_h") == 0);
    CHECK(strcmp(value_name(f, f->node[2].first_result), "p_0") == 0);
    CHECK(f->result[0] == f->node[2].first_result + 1 && f->result[1] == f->node[2].first_result);
    ct_context_free(ctx);
}

/* Results may be named one by one, in groups, both, or not at all. */
TEST(names_of_results)
{
    static const char *const left[] = {"%a, %b, %c = ", "%a, %r:2 = ", "%r:2, %c = ", "%r:3 = "};
    static const char *const right[] = {"%a, %b, %c", "%a, %r#0, %r#1", "%r#0, %r#1, %c",
                                        "%r#0, %r#1, %r#2"};
    char text[600];
    for (size_t i = 0; i < 4; i++) {
        ct_context *ctx = ct_context_new();
        snprintf(text, sizeof text,
                 "func.func @main(%%x: tensor<1xf32>, %%y: tensor<2xf32>, %%z: tensor<3xf32>) -> "
                 "(tensor<1xf32>, tensor<2xf32>, tensor<3xf32>) {\n"
                 "  %sstablehlo.optimization_barrier %%x, %%y, %%z : tensor<1xf32>, tensor<2xf32>, "
                 "tensor<3xf32>\n"
                 "  return %s : tensor<1xf32>, tensor<2xf32>, tensor<3xf32>\n}\n",
                 left[i], right[i]);
        const ct_function *f = ct_module_function(read_text(ctx, text), NULL);
        CHECK_OK(ctx);
        CHECK(ct_function_results(f) == 3 && ct_type_shape(ct_result_type(f, 2)).dim[0] == 3);
        ct_context_free(ctx);
    }
    CHECK_PRINTED("func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {\n"
                  "  stablehlo.sine %arg0 : tensor<3xf32>\n" /* dropped: nothing needs it */
                  "  %0 = stablehlo.negate %arg0 : tensor<3xf32>\n"
                  "  return %0 : tensor<3xf32>\n}",
                  CT_WRITE_PRETTY, plain);
}

/* ---- Regions. */

TEST(regions_capture)
{
    static const char text[] =
        "module @m {\n"
        "  func.func public @main(%arg0: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>) -> "
        "tensor<f32> {\n"
        "    %0 = \"stablehlo.if\"(%arg0) ({\n"
        "      %1 = \"stablehlo.if\"(%arg0) ({\n"
        "        stablehlo.return %y : tensor<f32>\n"
        "      }, {\n"
        "        stablehlo.return %x : tensor<f32>\n"
        "      }) : (tensor<i1>) -> tensor<f32>\n"
        "      stablehlo.return %1 : tensor<f32>\n"
        "    }, {\n"
        "      %1 = stablehlo.negate %x : tensor<f32>\n"
        "      stablehlo.return %1 : tensor<f32>\n"
        "    }) : (tensor<i1>) -> tensor<f32>\n"
        "    return %0 : tensor<f32>\n"
        "  }\n"
        "}\n";
    CHECK_PRINTED(text, CT_WRITE_PRETTY, text);
}

/* Siblings use the same names; a name of a region is free again behind it. */
TEST(regions_are_scopes)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(ctx, "func.func @main(%p: tensor<i1>) -> tensor<i1> {\n"
                                  "  %0 = \"stablehlo.if\"(%p) ({\n"
                                  "    %q = stablehlo.not %p : tensor<i1>\n"
                                  "    stablehlo.return %q : tensor<i1>\n"
                                  "  }, {\n"
                                  "  ^bb0:\n"
                                  "    %q = stablehlo.and %p, %p : tensor<i1>\n"
                                  "    \"stablehlo.return\"(%q) : (tensor<i1>) -> ()\n"
                                  "  }) : (tensor<i1>) -> tensor<i1>\n"
                                  "  %q = stablehlo.or %0, %p : tensor<i1>\n"
                                  "  return %q : tensor<i1>\n}\n");
    CHECK_OK(ctx);
    CHECK(ct_function_operations(ct_module_function(m, NULL)) == 4);
    ct_context_free(ctx);
}

/* ---- Places. */

static void check_place(int line, const char *loc, const char *file, int number)
{
    ct_context *ctx = ct_context_new();
    char text[800];
    snprintf(text, sizeof text,
             "#a = loc(\"a.c\":7:1)\n"
             "func.func @main(%%x: tensor<f32> loc(#end)) -> tensor<f32> {\n"
             "  %%0 = stablehlo.sine %%x : tensor<f32> %s\n"
             "  return %%0 : tensor<f32> loc(#a)\n} loc(#end)\n"
             "#end = loc(\"name\"(#inner)) // a comment\n"
             "#inner = loc(callsite(unknown at #a))\n"
             "#only = loc(\"name\")\n",
             loc);
    const ct_function *f = ct_module_function(read_text(ctx, text), NULL);
    if (ct_failed(ctx))
        check_fail(__FILE__, line, "%s", ct_error_message(ctx));
    ct_place at = f->graph->node[0].at;
    if (at.line != number || (file ? !at.file || strcmp(at.file, file) != 0 : at.file != NULL))
        check_fail(__FILE__, line, "%s is %s:%d", loc, at.file ? at.file : "nothing", at.line);
    ct_context_free(ctx);
}
#define CHECK_PLACE(loc, file, number) check_place(__LINE__, loc, file, number)

TEST(places)
{
    CHECK_PLACE("", "test.mlir", 3);
    CHECK_PLACE("loc(\"f.c\":42:5)", "f.c", 42);
    CHECK_PLACE("loc(\"f.c\":42:5 to 43:6)", "f.c", 42);
    CHECK_PLACE("loc(\"f.c\":42:5 to :6)", "f.c", 42);
    CHECK_PLACE("loc(\"a \\\"b\\\".c\":1:1)", "a \"b\".c", 1);
    CHECK_PLACE("loc(#a)", "a.c", 7);
    CHECK_PLACE("loc(#end)", "a.c", 7);
    CHECK_PLACE("loc(unknown)", NULL, 0);
    CHECK_PLACE("loc(\"only a name\")", "test.mlir", 3);
    CHECK_PLACE("loc(#only)", "test.mlir", 3);
    CHECK_PLACE("loc(\"jit(f)/sin\"(\"g.py\":3:4))", "g.py", 3);
    CHECK_PLACE("loc(\"x\"(\"y\"(#a)))", "a.c", 7);
    CHECK_PLACE("loc(callsite(\"f.c\":1:2 at \"g.c\":3:4))", "f.c", 1);
    CHECK_PLACE("loc(callsite(\"n\" at callsite(unknown at \"g.c\":3:4)))", "g.c", 3);
    CHECK_PLACE("loc(fused[\"x\", \"f.c\":9:2, #a])", "f.c", 9);
    CHECK_PLACE("loc(fused<\"meta\">[#a, unknown])", "a.c", 7);
    CHECK_PLACE("loc(fused[])", NULL, 0);
}

TEST(places_are_printed)
{
    static const char text[] = "module @m {\n"
                               "  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {\n"
                               "    %0 = stablehlo.sine %arg0 : tensor<f32> loc(\"dir/f.c\":42:0)\n"
                               "    %1 = stablehlo.sine %0 : tensor<f32> loc(unknown)\n"
                               "    return %1 : tensor<f32>\n"
                               "  }\n"
                               "}\n";
    CHECK_PRINTED(text, CT_WRITE_PLACES, text);
}

/* ---- Attributes that are only kept. */

TEST(kept_attributes)
{
    static const char text[] =
        "module @m {\n"
        "  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
        "    %0 = \"stablehlo.add\"(%arg0, %arg0) {mhlo.frontend_attributes = {a = \"b\"}, x.unit} "
        ": (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
        "    return %0 : tensor<2xf32>\n"
        "  }\n"
        "}\n";
    CHECK_PRINTED(text, CT_WRITE_PRETTY, text);
    CHECK_PRINTED("#a = {a = \"b\"}\n"
                  "module @m {\n"
                  "  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
                  "    %0 = stablehlo.add %arg0, %arg0 {mhlo.frontend_attributes = #a, x.unit} : "
                  "tensor<2xf32>\n"
                  "    return %0 : tensor<2xf32>\n"
                  "  }\n"
                  "}\n",
                  CT_WRITE_PRETTY, text);
}

/* As JAX calls LAPACK: layouts are tensors of index. */
TEST(kept_attributes_of_custom_calls)
{
    static const char text[] =
        "module @m {\n"
        "  func.func public @main(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {\n"
        "    %0 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) {mhlo.backend_config = {uplo = "
        "76 "
        ": ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = "
        "[#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, "
        "operand_tuple_indices = []>]} : (tensor<3x3xf32>) -> tensor<3x3xf32>\n"
        "    return %0 : tensor<3x3xf32>\n"
        "  }\n"
        "}\n";
    CHECK_PRINTED(text, CT_WRITE_PRETTY, text);
}

TEST(aliases)
{
    CHECK_PRINTED("!t = tensor<3xf32>\n"
                  "module @main {\n"
                  "  func.func public @main(%arg0: !t) -> !t {\n"
                  "    %0 = stablehlo.negate %arg0 : !t\n"
                  "    return %0 : !t\n"
                  "  }\n"
                  "}\n",
                  CT_WRITE_PRETTY, plain);
}

/* ---- Texts of several modules. */

static const char chunks[] = "// -----\n"
                             "func.func @a() { return }\n"
                             "  // -----  \n"
                             "func.func @b() { return }\n"
                             "func.func @b() { return }\n"
                             "// // -----";

TEST(parts)
{
    ct_context *ctx = ct_context_new();
    size_t length = strlen(chunks);
    CHECK(ct_stablehlo_parts(chunks, length) == 4 && ct_stablehlo_parts(NULL, 0) == 1);
    CHECK(ct_stablehlo_parts("", 0) == 1 && ct_stablehlo_parts("// ----", 7) == 1);
    CHECK(ct_module_functions(ct_read_stablehlo_part(ctx, "t", chunks, length, 0)) == 0);
    CHECK(ct_module_functions(ct_read_stablehlo_part(ctx, "t", chunks, length, 1)) == 1);
    CHECK(ct_module_functions(ct_read_stablehlo_part(ctx, "t", chunks, length, 3)) == 0);
    CHECK_OK(ctx);
    ct_read_stablehlo_part(ctx, "t", chunks, length, 2);
    CHECK_ERROR(ctx, CT_ERR_TEXT,
                "t:5:11: @b has been defined in line 4\n"
                "func.func @b() { return }\n"
                "          ^");
    ct_read_stablehlo_part(ctx, "t", chunks, length, 4);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "there is no part 4 of 4");
    ct_read_stablehlo_text(ctx, "t", chunks, length);
    CHECK_ERROR(ctx, CT_ERR_FILE, "t holds 4 modules, parted by lines with // -----");
    ct_context_free(ctx);
}

/* ---- Functions with "?". */

static const char template[] =
    "module @m {\n"
    "  func.func public @main(%arg0: tensor<?x3xf32>) -> tensor<?x3xf32> {\n"
    "    %n = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>\n"
    "    %0 = call @g(%n, %arg0) : (tensor<i32>, tensor<?x3xf32>) -> tensor<?x3xf32>\n"
    "    return %0 : tensor<?x3xf32>\n"
    "  }\n"
    "  func.func private @g(%n: tensor<i32>, %x: tensor<?x3xf32>) -> tensor<?x3xf32> {\n"
    "    %c = stablehlo.constant dense<3> : tensor<1xi32>\n"
    "    %r = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
    "    %s = stablehlo.concatenate %r, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> "
    "tensor<2xi32>\n"
    "    %h = stablehlo.constant dense<1.5> : tensor<f32>\n"
    "    %b = stablehlo.dynamic_broadcast_in_dim %h, %s, dims = [] : (tensor<f32>, tensor<2xi32>) "
    "-> tensor<?x3xf32>\n"
    "    %y = call @h(%x, %b) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>\n"
    "    return %y : tensor<?x3xf32>\n"
    "  }\n"
    "  func.func private @h(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {\n"
    "    %z = stablehlo.add %x, %y : tensor<?x3xf32>\n"
    "    return %z : tensor<?x3xf32>\n"
    "  }\n"
    "  func.func private @static(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "    return %x : tensor<2xf32>\n"
    "  }\n"
    "}\n";

TEST(templates)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(ctx, template);
    CHECK_OK(ctx);
    ct_module_function(m, NULL);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "test.mlir:2:20: @main has extents \"?\", which are not known");
    for (int64_t n = 0; n < 4; n++) {
        ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(n, 3));
        ct_function *f = ct_specialize(m, "main", CT_LIKE(like));
        CHECK_OK(ctx);
        CHECK(ct_type_shape(ct_result_type(f, 0)).dim[0] == n);
        CHECK(ct_specialize(m, NULL, CT_LIKE(like))->graph == f->graph); /* read once */
    }
    ct_function *f = ct_specialize(m, NULL, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3))));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(coded(ctx, CT_F32, 2, 3))), CT_SHAPE(2, 3),
                 {1.5, 2.5, 3.5, 11.5, 12.5, 13.5});
    ct_tensor *two_f = ct_spec(ctx, CT_F32, CT_SHAPE(2));
    CHECK(ct_specialize(m, "static", CT_LIKE(two_f))->graph ==
          ct_module_function(m, "static")->graph);
    CHECK_OK(ctx);
    ct_specialize(m, "static", CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(3))));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "specialize: @static has no extents \"?\"");
    ct_specialize(m, NULL, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 4))));
    CHECK_ERROR(ctx, CT_ERR_TEXT,
                "test.mlir:2:26: argument 0 is a tensor<2x4xf32>, and declared is tensor<?x3xf32>");
    ct_specialize(m, NULL, CT_NO_TENSORS);
    CHECK_ERROR(ctx, CT_ERR_TEXT, "test.mlir:2:20: the function takes 1 argument, not 0");
    ct_context_free(ctx);
}

TEST(templates_by_shapes)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(ctx, template);
    CHECK(ct_module_parameters(m, NULL) == 1 && ct_module_parameters(m, "g") == 2 &&
          ct_module_parameters(m, "static") == 1 && ct_module_parameters(m, "none") == 0 &&
          ct_module_parameters(NULL, NULL) == 0);
    ct_function *f = ct_specialize_shapes(m, NULL, 1, &CT_SHAPE(2, 3));
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(2, 3));
    CHECK(f->graph == ct_specialize(m, NULL, CT_LIKE(like))->graph); /* read once */
    CHECK(ct_specialize_shapes(m, "static", 1, &CT_SHAPE(2))->graph ==
          ct_module_function(m, "static")->graph);
    CHECK_OK(ctx);
    ct_specialize_shapes(m, "static", 1, &CT_SHAPE(3));
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "@static: argument 0 is a tensor<2xf32>, and cannot have the shape 3");
    ct_specialize_shapes(m, NULL, 1, &CT_SHAPE(2, 4));
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "@main: argument 0 is a tensor<?x3xf32>, and cannot have the shape "
                "2x4");
    ct_specialize_shapes(m, NULL, 1, &(ct_shape){0, NULL});
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "and cannot have the shape scalar");
    ct_specialize_shapes(m, NULL, 1, &CT_SHAPE(INT64_MAX, 3));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "and cannot have the shape 9223372036854775807x3");
    ct_specialize_shapes(m, NULL, 1, &CT_SHAPE(-1, 3));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "and cannot have the shape -1x3");
    ct_specialize_shapes(m, "g", 1, &CT_SHAPE(2, 3));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "@g takes 2 arguments, and 1 shape is given");
    ct_specialize_shapes(m, NULL, 1, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "@main: the shape of argument 0 is NULL");
    ct_specialize_shapes(m, "none", 0, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "specialize: there is no function @none");
    ct_context_free(ctx);
}

/* Element types are those of the text: quantized ones, with a scale for each slice, too. */
TEST(element_types_by_shapes)
{
    static const char text[] =
        "func.func @f(%x: tensor<?x?x!quant.uniform<i8:f32:1, {0.5,0.25:3}>>, %n: tensor<i1>) {\n"
        "  return\n}\n"
        "func.func @token(%t: !stablehlo.token, %x: tensor<?xf32>) {\n  return\n}\n";
    ct_context *ctx = ct_context_new();
    ct_module *m = read_text(ctx, text);
    ct_shape shapes[] = {CT_SHAPE(3, 2), {0, NULL}};
    ct_function *f = ct_specialize_shapes(m, "f", 2, shapes);
    CHECK_OK(ctx);
    CHECK(strcmp(ct_stablehlo_text(f, CT_WRITE_PRETTY),
                 "module @f {\n  func.func public @main(%x: "
                 "tensor<3x2x!quant.uniform<i8:f32:1, {0.5,0.25:3}>>, %n: tensor<i1>) {\n"
                 "    return\n  }\n}\n") == 0);
    shapes[0] = CT_SHAPE(2, 3);
    ct_specialize_shapes(m, "f", 2, shapes);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "@f: argument 0 is a tensor<?x?x!quant");
    ct_specialize_shapes(m, "token", 2, shapes);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "@token: argument 0 is a !stablehlo.token, and cannot have");
    read_text(ctx, "func.func @wrong(%x: tensor<?xf31>) {\n  return\n}\n");
    CHECK_ERROR(ctx, CT_ERR_TEXT, "test.mlir:1:31: element type 'f31' is not supported");
    ct_context_free(ctx);
}

/* ---- Files. */

TEST(files)
{
    ct_context *ctx = ct_context_new();
    const char *path = "build-test-read.mlir";
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    fputs(plain, file);
    fclose(file);
    const char *text = ct_stablehlo_text(ct_module_function(ct_read_stablehlo(ctx, path), NULL), 0);
    remove(path);
    CHECK_OK(ctx);
    CHECK(strcmp(text, plain) == 0);
    ct_context_free(ctx);
}

/* All sorts are stable here; what the program asks for is kept nevertheless. */
TEST(sorts_stay_as_stable_as_they_are_written)
{
    static const char form[] = "module @main {\n"
                               "  func.func public @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                               "    %%0 = \"stablehlo.sort\"(%%x) <{dimension = 0 : i64%s}> ({\n"
                               "    ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n"
                               "      %%1 = stablehlo.compare LT, %%a, %%b, FLOAT : "
                               "(tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                               "      stablehlo.return %%1 : tensor<i1>\n"
                               "    }) : (tensor<4xf32>) -> tensor<4xf32>\n"
                               "    return %%0 : tensor<4xf32>\n  }\n}\n";
    static const char *const written[] = {", is_stable = true", ", is_stable = false", ""};
    for (size_t i = 0; i < 3; i++) {
        char text[800], expected[800];
        snprintf(text, sizeof text, form, written[i]);
        snprintf(expected, sizeof expected, form, written[i ? 1 : 0]);
        CHECK_PRINTED(text, CT_WRITE_PRETTY, expected);
    }
}
