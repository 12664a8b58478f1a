/* Operations read from the pretty form and from the generic form are the same operations. */
#include "tests/check.h"
#include "tests/values.h"

#include "trace/trace.h"

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
