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

/* Both parts give one graph, or the same error that the operation is not supported. */
static void check_pair(const char *path, const char *text, size_t length, size_t pair)
{
    ct_context *ctx = ct_context_new();
    const ct_function *f[2];
    char message[2][400] = {"", ""};
    for (size_t i = 0; i < 2; i++) {
        ct_module *m = ct_read_stablehlo_part(ctx, path, text, length, 2 * pair + i);
        f[i] = ct_module_function(m, "main");
        const char *told = ct_failed(ctx) ? strstr(ct_error_message(ctx), ": ") : NULL;
        snprintf(message[i], sizeof message[i], "%.*s", told ? (int)strcspn(told, "\n") : 0,
                 told ? told : "");
        ct_error_clear(ctx);
    }
    if (*message[0] || *message[1])
        CHECK_MSG(strcmp(message[0], message[1]) == 0 && strstr(message[0], "supported"),
                  "pair %zu: \"%s\" and \"%s\"", pair, message[0], message[1]);
    else
        CHECK_MSG(same_but_for_names(f[0], f[1]), "pair %zu differs:\n%s\n%s", pair,
                  ct_function_text((ct_function *)f[0], CT_TEXT_STABLEHLO),
                  ct_function_text((ct_function *)f[1], CT_TEXT_STABLEHLO));
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
