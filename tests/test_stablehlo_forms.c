/* Operations read from the pretty form and from the generic form are the same operations. */
#include "tests/check.h"
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/exec.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- As StableHLO's own printer writes both: data/stablehlo_forms.mlir. */

static char *file_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    CHECK_MSG(file != NULL, "%s is missing", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    CHECK(text && fread(text, 1, *length, file) == *length);
    text[*length] = '\0';
    fclose(file);
    return text;
}

/* Values are called otherwise in the two forms. */
static void forget_names(ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_values; i++)
        graph->value[i].name = NULL;
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < graph->node[i].n_regions; k++)
            forget_names(graph->node[i].region[k]);
}

static bool same_but_for_names(const ct_function *a, const ct_function *b)
{
    forget_names(a->graph);
    forget_names(b->graph);
    return ct__graph_equal(a->graph, b->graph, false);
}

/* Both parts give one graph. */
static void check_pair(const char *path, const char *text, size_t length, size_t pair)
{
    ct_context *ctx = ct_context_new();
    ct_function *f[2];
    for (size_t i = 0; i < 2; i++) {
        ct_module *m = ct_read_stablehlo_part(ctx, path, text, length, 2 * pair + i);
        f[i] = ct_module_function(m, "main");
        CHECK_MSG(!ct_failed(ctx), "%s", ct_error_message(ctx));
    }
    CHECK_MSG(same_but_for_names(f[0], f[1]), "pair %zu differs:\n%s\n%s", pair,
              ct_stablehlo_text(f[0], CT_WRITE_PRETTY), ct_stablehlo_text(f[1], CT_WRITE_PRETTY));
    ct_context_free(ctx);
}

TEST(pretty_and_generic_forms)
{
    const char *path = "tests/data/stablehlo_forms.mlir";
    size_t length;
    char *text = file_text(path, &length);
    size_t parts = ct_stablehlo_parts(text, length);
    CHECK_MSG(parts > 300 && parts % 2 == 0, "%zu parts", parts);
    for (size_t pair = 0; pair < parts / 2; pair++)
        check_pair(path, text, length, pair);
    free(text);
}

/* ---- The older generic form: attributes in braces behind the bodies, not in <{…}>. */

/* Behind the string, from its quotation mark. */
static const char *behind_string(const char *c)
{
    for (c++; *c && *c != '"'; c++)
        c += *c == '\\';
    return *c ? c + 1 : c;
}

/* Where `mark` stands outside of brackets and strings; "->" and "<{" are no brackets. */
static const char *outside(const char *c, const char *mark)
{
    int depth = 0;

    while (*c && (depth > 0 || strncmp(c, mark, strlen(mark)) != 0)) {
        if (*c == '"') {
            c = behind_string(c);
            continue;
        }
        depth += strchr("({[", *c) != NULL;
        depth -= strchr(")}]", *c) != NULL;
        c++;
    }
    return c;
}

/* The text with its first <{…}> moved in front of the colon of its operation; returns whether there
 * was one. `to` has room for as much. */
static bool move_properties(const char *from, char *to)
{
    const char *open = strstr(from, "<{"), *close, *colon;

    if (!open)
        return false;
    close = outside(open + 2, "}");
    colon = outside(close + 2, " :");
    CHECK(*close && *colon);
    const int properties = (int)(close - open - 2), rest = (int)(colon - close - 2);
    if (colon[-1] == '}') /* kept attributes stand there already */
        sprintf(to, "%.*s%.*s, %.*s}%s", (int)(open - from), from, rest - 1, close + 2, properties,
                open + 2, colon);
    else
        sprintf(to, "%.*s%.*s {%.*s}%s", (int)(open - from), from, rest, close + 2, properties,
                open + 2, colon);
    return true;
}

/* The part of the file that reads like this; a copy. */
static char *part_text(const char *text, size_t part)
{
    for (; part > 0; part--)
        text = strstr(text, "// -----") + 8;
    const char *end = strstr(text, "// -----");
    size_t length = end ? (size_t)(end - text) : strlen(text);
    char *copy = malloc(length + 1);
    CHECK(copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Whether the part has properties; if so, with all of them moved it is the same graph. */
static bool check_trailing(const char *text, size_t part)
{
    ct_context *ctx = ct_context_new();
    char *now = part_text(text, part), *next = malloc(strlen(now) + 4096);
    const ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "t", now, strlen(now)),
                                              "main");
    bool has_moved = false;

    CHECK(next);
    while (move_properties(now, next)) {
        char *room = realloc(now, strlen(next) + 4096);
        CHECK(room);
        now = next;
        next = room;
        has_moved = true;
    }
    const ct_function *g = ct_module_function(ct_read_stablehlo_text(ctx, "t", now, strlen(now)),
                                              "main");
    CHECK_MSG(!ct_failed(ctx), "%s\nin\n%s", ct_error_message(ctx), now);
    CHECK_MSG(same_but_for_names(f, g), "differs:\n%s", now);
    ct_context_free(ctx);
    free(now);
    free(next);
    return has_moved;
}

TEST(properties_as_trailing_attributes)
{
    size_t length, moved = 0;
    char *text = file_text("tests/data/stablehlo_forms.mlir", &length);
    size_t parts = ct_stablehlo_parts(text, length);
    for (size_t part = 1; part < parts; part += 2)
        moved += check_trailing(text, part);
    CHECK_MSG(moved > 80, "%zu parts have properties", moved);
    free(text);
}

/* ---- Those that StableHLO's printer was not asked for. */

static void check_forms(int line, const char *arguments, const char *pretty, const char *generic)
{
    ct_context *ctx = ct_context_new();
    const char *const statement[] = {pretty, generic};
    const ct_function *f[2];
    for (size_t i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text, "func.func @main(%s) {\n%s\n return\n}", arguments,
                 statement[i]);
        f[i] = ct_module_function(ct_read_stablehlo_text(ctx, "t", text, strlen(text)), "main");
        if (ct_failed(ctx))
            check_fail(__FILE__, line, "%s", ct_error_message(ctx));
    }
    if (!same_but_for_names(f[0], f[1]))
        check_fail(__FILE__, line, "%s\nand\n%s\ndiffer", pretty, generic);
    ct_context_free(ctx);
}
/* A call keeps the results alive. */
#define USE "\n stablehlo.custom_call @use(%r) {has_side_effect = true} : "
#define Q "tensor<3x!quant.uniform<i8:f32, 0.5:3>>"
#define CHECK_FORMS(arguments, pretty, generic) check_forms(__LINE__, arguments, pretty, generic)

TEST(quantized_forms)
{
    CHECK_FORMS("%x: tensor<3xf32>",
                "%r = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> " Q USE "(" Q ") -> ()",
                "%r = \"stablehlo.uniform_quantize\"(%x) : (tensor<3xf32>) -> " Q USE "(" Q
                ") -> ()");
    CHECK_FORMS("%x: " Q,
                "%r = stablehlo.uniform_dequantize %x : (" Q ") -> tensor<3xf32>" USE
                "(tensor<3xf32>) -> ()",
                "%r = \"stablehlo.uniform_dequantize\"(%x) : (" Q ") -> tensor<3xf32>" USE
                "(tensor<3xf32>) -> ()");
    CHECK_FORMS("%x: " Q, "%r = stablehlo.add %x, %x : " Q USE "(" Q ") -> ()",
                "%r = \"stablehlo.add\"(%x, %x) : (" Q ", " Q ") -> " Q USE "(" Q ") -> ()");
    CHECK_FORMS(
        "",
        "%r = stablehlo.constant() <{value = dense<[1, -2, 3]> : tensor<3xi8>}> : () -> " Q USE
        "(" Q ") -> ()",
        "%r = \"stablehlo.constant\"() {value = dense<[1, -2, 3]> : tensor<3xi8>} : () -> " Q USE
        "(" Q ") -> ()");
}

TEST(forms_with_signatures)
{
    CHECK_FORMS("%x: tensor<3xf32>",
                "%r = stablehlo.abs %x : (tensor<3xf32>) -> tensor<3xf32>" USE
                "(tensor<3xf32>) -> ()",
                "%r = stablehlo.abs %x : tensor<3xf32>" USE "(tensor<3xf32>) -> ()");
    CHECK_FORMS("%p: tensor<i1>, %x: tensor<3xf32>",
                "%r = stablehlo.select %p, %x, %x : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> "
                "tensor<3xf32>" USE "(tensor<3xf32>) -> ()",
                "%r = stablehlo.select %p, %x, %x : tensor<i1>, tensor<3xf32>" USE
                "(tensor<3xf32>) -> ()");
    CHECK_FORMS("%x: tensor<3xf32>",
                "%r = chlo.erf %x : (tensor<3xf32>) -> tensor<3xf32>" USE "(tensor<3xf32>) -> ()",
                "%r = chlo.erf %x : tensor<3xf32> -> tensor<3xf32>" USE "(tensor<3xf32>) -> ()");
    CHECK_FORMS("%x: tensor<f32>",
                "%r = stablehlo.dynamic_slice %x, , sizes = [] : (tensor<f32>) -> tensor<f32>" USE
                "(tensor<f32>) -> ()",
                "%r = stablehlo.dynamic_slice %x, sizes = [] : (tensor<f32>) -> tensor<f32>" USE
                "(tensor<f32>) -> ()");
}

/* No precision, in all forms that name it. */
TEST(forms_without_precision)
{
#define SIGNATURE " : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>" USE "(tensor<f32>) -> ()"
    CHECK_FORMS("%x: tensor<3xf32>", "%r = stablehlo.dot %x, %x, precision = []" SIGNATURE,
                "%r = \"stablehlo.dot\"(%x, %x) <{precision_config = []}>" SIGNATURE);
    CHECK_FORMS("%x: tensor<3xf32>",
                "%r = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], precision = "
                "[]" SIGNATURE,
                "%r = \"stablehlo.dot_general\"(%x, %x) <{dot_dimension_numbers = "
                "#stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = "
                "[0]>, precision_config = []}>" SIGNATURE);
    CHECK_FORMS("%x: tensor<3xf32>", "%r = stablehlo.dot %x, %x, precision = []" SIGNATURE,
                "%r = stablehlo.dot %x, %x" SIGNATURE);
#undef SIGNATURE
}

/* What the data has beside operations: attributes of modules, functions, arguments and results,
 * blanks, flags without a value. */
TEST(forms_around_operations)
{
    static const char text[] =
        "module @demo attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, "
        "jax.uses_shape_polymorphism = true} {\n"
        "  func.func public @main(%arg0: tensor<8xf32> {mhlo.layout_mode = \"default\", "
        "mhlo.sharding = \"{replicated}\"}) -> (tensor<5xcomplex<f32>> {jax.result_info = \"\", "
        "mhlo.layout_mode = \"default\"}) {\n"
        "    %0 = stablehlo.fft %arg0, type =  RFFT, length = [8] : (tensor<8xf32>) -> "
        "tensor<5xcomplex<f32>>\n"
        "    %1 = func.call @\"<lambda>\"(%0) : (tensor<5xcomplex<f32>>) -> "
        "tensor<5xcomplex<f32>>\n"
        "    return %1 : tensor<5xcomplex<f32>>\n  }\n"
        "  func.func private @\"<lambda>\"(%x : tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>> "
        "{\n    return %x : tensor<5xcomplex<f32>>\n  }\n}\n";
    ct_context *ctx = ct_context_new();
    const ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "t", text, strlen(text)),
                                              NULL);

    CHECK_MSG(!ct_failed(ctx), "%s", ct_error_message(ctx));
    CHECK_MSG(ct_function_operations(f) == 2, "%s has %zu operations", ct_function_name(f),
              ct_function_operations(f));
    ct_context_free(ctx);
    CHECK_FORMS("%x: tensor<2xf32>",
                "%r = \"stablehlo.collective_broadcast\"(%x) {has_dynamic_root, replica_groups = "
                "dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>" USE
                "(tensor<2xf32>) -> ()",
                "%r = \"stablehlo.collective_broadcast\"(%x) <{replica_groups = dense<[[0, 1]]> : "
                "tensor<1x2xi64>}> {has_dynamic_root} : (tensor<2xf32>) -> tensor<2xf32>" USE
                "(tensor<2xf32>) -> ()");
    CHECK_FORMS("%x: tensor<4xf32>",
                "%r:2 = \"stablehlo.all_gather\"(%x, %x) {use_global_device_ids, channel_handle = "
                "#stablehlo.channel_handle<handle = 1, type = 0>, all_gather_dim = 0 : i64, "
                "replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<4xf32>, "
                "tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)\n stablehlo.custom_call "
                "@use(%r#0) {has_side_effect = true} : (tensor<4xf32>) -> ()",
                "%r, %s = \"stablehlo.all_gather\"(%x, %x) <{all_gather_dim = 0 : i64, "
                "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups "
                "= dense<[[0]]> : tensor<1x1xi64>, use_global_device_ids}> : (tensor<4xf32>, "
                "tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)" USE "(tensor<4xf32>) -> ()");
}

/* Programs of the reference interpreter for several processes: read, or named in an error. */
TEST(what_needs_other_processes)
{
    static const char parallel[] =
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n%r = "
        "\"interpreter.run_parallel\"(%x) {programs = [[@a], [@b, @c]], infeed = [@a]} : "
        "(tensor<2xf32>) -> tensor<2xf32>\nreturn %r : tensor<2xf32>\n}\n";
    static const char reduced[] =
        "func.func @main(%x: tensor<2xf32>) {\n%r = \"stablehlo.collective_reduce\"(%x) "
        "{has_dynamic_root} : (tensor<2xf32>) -> tensor<2xf32>\nreturn\n}\n";
    ct_context *ctx = ct_context_new();

    ct_function *f = ct_module_function(
        ct_read_stablehlo_text(ctx, "t", parallel, strlen(parallel)), NULL);
    CHECK_OK(ctx);
    ct_compile(f, NULL);
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "target @interpreter.run_parallel");
    ct_read_stablehlo_text(ctx, "t", reduced, strlen(reduced));
    CHECK_ERROR(ctx, CT_ERR_TEXT,
                "t:2:6: operation 'stablehlo.collective_reduce' is not supported");
    ct_context_free(ctx);
}

/* Axes of convolutions by their roles: MLIR takes this form beside [b, 0, f]x[0, i, o]->[b, 0, f].
 */
#define CONVOLUTION(axes)                                                                          \
    "module @main {\n"                                                                             \
    "  func.func public @main(%arg0: tensor<2x5x7x3xf32>, %arg1: tensor<4x3x2x3xf32>) -> "         \
    "tensor<4x2x4x5xf32> {\n"                                                                      \
    "    %0 = \"stablehlo.convolution\"(%arg0, %arg1) <{batch_group_count = 1 : i64, "             \
    "dimension_numbers = #stablehlo.conv<" axes ">, feature_group_count = 1 : i64}> : "            \
    "(tensor<2x5x7x3xf32>, tensor<4x3x2x3xf32>) -> tensor<4x2x4x5xf32>\n"                          \
    "    return %0 : tensor<4x2x4x5xf32>\n"                                                        \
    "  }\n"                                                                                        \
    "}\n"
#define RAW(batch, feature, spatial)                                                               \
    CONVOLUTION("raw input_batch_dimension = " batch ", input_feature_dimension = " feature        \
                "input_spatial_dimensions = " spatial ", kernel_input_feature_dimension = 1, "     \
                "kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [2, 3], "        \
                "output_batch_dimension = 1, output_feature_dimension = 0, "                       \
                "output_spatial_dimensions = [2, 3]")

static ct_module *read_text(ct_context *ctx, const char *text)
{
    return ct_read_stablehlo_text(ctx, "t", text, strlen(text));
}

static void check_axes_error(int line, const char *text, const char *want)
{
    ct_context *ctx = ct_context_new();
    read_text(ctx, text);
    if (!strstr(ct_error_message(ctx), want))
        check_fail(__FILE__, line, "%s\nand not %s", ct_error_message(ctx), want);
    ct_context_free(ctx);
}

TEST(axes_of_convolutions_by_role)
{
    ct_context *ctx = ct_context_new();
    const char *text[2] = {RAW("0", "3, ", "[1, 2]"),
                           CONVOLUTION("[b, 0, 1, f]x[o, i, 0, 1]->[f, b, 0, 1]")};
    for (size_t i = 0; i < 2; i++)
        text[i] = ct_stablehlo_text(ct_module_function(read_text(ctx, text[i]), NULL),
                                    CT_WRITE_PRETTY);
    CHECK_OK(ctx);
    CHECK_MSG(strcmp(text[0], text[1]) == 0, "%s\nand\n%s", text[0], text[1]);
    CHECK(strstr(text[0], "[b, 0, 1, f]x[o, i, 0, 1]->[f, b, 0, 1]"));
    ct_context_free(ctx);
    check_axes_error(__LINE__, RAW("0", "0, ", "[1, 2]"), "the axes of the input are not 0 to 3");
    check_axes_error(__LINE__, RAW("0", "3, ", "[1, 4]"), "the axes of the input are not 0 to 3");
    check_axes_error(__LINE__, RAW("0", "-1, ", "[1, 2]"), "the axes of the input are not 0 to 3");
    check_axes_error(__LINE__, RAW("0", "[3], ", "[1, 2]"),
                     "'input_feature_dimension', an axis, is missing");
    check_axes_error(__LINE__, RAW("0", "3, ", "5"), "is not a list of axes");
}
