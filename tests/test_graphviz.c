#include "tests/check.h"
#include "tests/samples.h"
#include "tests/values.h"

#include <cotangent/op.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char *dot_of(ct_function *f)
{
    return ct_function_text(f, CT_TEXT_DOT);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *c = text; (c = strstr(c, part)); c += strlen(part))
        n++;
    return n;
}

static ct_function *make(ct_context *ctx, const char *name)
{
    for (size_t i = 0; i < n_samples; i++)
        if (strcmp(samples[i].name, name) == 0)
            return samples[i].make(ctx);
    check_fail(__FILE__, __LINE__, "there is no sample %s", name);
    return NULL;
}

TEST(whole_drawing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(2));
    ct_trace_builder *b = ct_trace_begin(ctx, "a \"b\" \\", CT_LIKE(like));
    ct_tensor *x = ct_name(ct_trace_parameter(b, 0), "in\nput");
    ct_tensor *two = ct_full(ctx, CT_F32, CT_SHAPE(2), 2);
    ct_tensor *y = ct_op_divide_at((ct_place){"dir\\loss.c", 42, 0}, x, two);
    const char *text = dot_of(ct_trace_end_at((ct_place){"loss.c", 43, 0}, b, CT_ARGV(y)));
    CHECK_OK(ctx);
    static const char *const line[] = {
        "digraph \"a \\\"b\\\" \\\\\" {\n",
        "  subgraph cluster_0 {\n    label=\"a \\\"b\\\" \\\\\";\n",
        "    n0 [shape=ellipse, label=\"argument 0\\nf32[2]\\nin put\"];\n",
        "    n1 [label=\"constant\\nf32[2]\\n2.0\\n",
        "    n2 [label=\"divide\\nf32[2]\\ndir\\\\loss.c:42\"];\n",
        "    n3 [shape=ellipse, label=\"result 0\\nf32[2]\"];\n  }\n",
        "\n  n0 -> n2 [label=\"x\"];\n  n1 -> n2 [label=\"y\"];\n  n2 -> n3;\n}\n"};
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        CHECK_MSG(strstr(text, line[i]), "no %s in\n%s", line[i], text);
    ct_context_free(ctx);
}

/* Bodies are clusters; what they capture comes from outside. */
TEST(bodies)
{
    ct_context *ctx = ct_context_new();
    const char *text = dot_of(make(ctx, "scan_forward"));
    CHECK(count(text, "subgraph ") == 2);
    CHECK(count(text, "label=\"scan, body 0\"") == 1);
    CHECK(count(text, "shape=ellipse, label=\"parameter ") == 2);
    CHECK(count(text, "style=dashed") == 1);
    CHECK(strstr(text, "n0 [shape=ellipse, label=\"argument 0"));
    CHECK(strstr(text, "n2 [shape=ellipse, label=\"argument 2"));
    CHECK(strstr(text, "n6 [label=\"scale"));
    CHECK(strstr(text, "n2 -> n6 [label=\"f\"];"));
    CHECK(strstr(text, "n3 -> ") && strstr(text, " [taillabel=\"2\"];"));
    text = dot_of(make(ctx, "branches"));
    CHECK(count(text, "label=\"if, body 0\"") == 2 && count(text, "label=\"if, body 1\"") == 2);
    ct_context_free(ctx);
}

/* Edges would draw nodes into the cluster where they stand. */
TEST(edges_outside_clusters)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < n_samples; i++) {
        const char *text = dot_of(samples[i].make(ctx));
        const char *edge = strstr(text, " -> "), *last = NULL;
        for (const char *c = text; (c = strstr(c, "subgraph ")); c++)
            last = c;
        CHECK_MSG(!edge || (last && last < edge), "%s", samples[i].name);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(called_functions_once)
{
    ct_context *ctx = ct_context_new();
    const char *text = dot_of(make(ctx, "calls"));
    CHECK(count(text, "subgraph ") == 4);
    CHECK(count(text, "[label=\"call outer ") == 2);
    CHECK(count(text, "label=\"outer \\\"\xC3\xA9\\\"\";") == 1);
    ct_context_free(ctx);
}

static void draw_all(ct_context *ctx)
{
    dot_of(make(ctx, "scan_nested"));
    dot_of(make(ctx, "calls"));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(draw_all);
}

/* Graphviz reads and lays out every sample. */
TEST(graphviz_accepts)
{
    if (system("dot -V 2>/dev/null") != 0)
        SKIP("Graphviz is not installed");
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < n_samples; i++) {
        FILE *dot = popen("dot -Tplain >/dev/null", "w");
        CHECK(dot != NULL);
        fputs(dot_of(samples[i].make(ctx)), dot);
        int status = pclose(dot);
        CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", samples[i].name);
    }
    ct_context_free(ctx);
}
