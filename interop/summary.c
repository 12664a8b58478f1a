#include "interop/cost.h"
#include "interop/interop.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One screen: longer lists are cut. */
#define MAX_VALUES 12
#define MAX_OPERATIONS 16
#define TYPE_BYTES 48

/* ---- Parameters and results. */

static int type_width(const ct__graph *graph, const ct__id *id, size_t count)
{
    char text[TYPE_BYTES];
    size_t width = 0;
    for (size_t i = 0; i < count && i < MAX_VALUES; i++) {
        size_t length = strlen(ct__type_print(ct__graph_type(graph, id[i]), text, sizeof text));
        width = length > width ? length : width;
    }
    return (int)width;
}

/* The user's name, and for what an operation makes, where: "loss, by add, loss.c:9". */
static void add_origin(ct__text *out, const ct__graph *graph, ct__id id)
{
    const ct__value *value = &graph->value[id];
    bool named = value->name && *value->name;
    ct__text_add(out, "%s", named ? value->name : "");
    if (value->node == CT__NO_NODE)
        return;
    const ct__node *node = &graph->node[value->node];
    ct__text_add(out, "%sby %s", named ? ", " : "", ct__op_describe(node->op)->name);
    if (node->at.file)
        ct__text_add(out, ", %s:%d", node->at.file, node->at.line);
}

/* No line ends in spaces. */
static void trim(ct__text *out)
{
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
}

static void add_values(ct__text *out, const ct__graph *graph, const char *what, const ct__id *id,
                       size_t count)
{
    char type[TYPE_BYTES];
    int width = type_width(graph, id, count);
    ct__text_add(out, "%-12s %12zu\n", what, count);
    for (size_t i = 0; i < count && i < MAX_VALUES; i++) {
        ct__text_add(out, "  %4zu  %-*s  ", i, width,
                     ct__type_print(ct__graph_type(graph, id[i]), type, sizeof type));
        add_origin(out, graph, id[i]);
        trim(out);
        ct__text_add(out, "\n");
    }
    if (count > MAX_VALUES)
        ct__text_add(out, "        and %zu more\n", count - MAX_VALUES);
}

/* ---- Operations by count. */

typedef struct row {
    ct__op op;
    uint64_t count;
} row;

/* Most first; equal counts in the order of the table. */
static int compare_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->op > y->op) - (x->op < y->op);
}

static void add_operations(ct__text *out, const ct__cost *cost)
{
    row rows[CT__OP_COUNT];
    size_t n = 0;
    for (int op = 0; op < CT__OP_COUNT; op++)
        if (cost->count[op] > 0)
            rows[n++] = (row){(ct__op)op, cost->count[op]};
    qsort(rows, n, sizeof *rows, compare_rows);
    ct__text_add(out, "%-12s %12" PRIu64 "\n", "operations", cost->n_nodes);
    for (size_t i = 0; i < n && i < MAX_OPERATIONS; i++)
        ct__text_add(out, "  %-22s  %12" PRIu64 "\n", ct__op_describe(rows[i].op)->name,
                     rows[i].count);
    if (n > MAX_OPERATIONS)
        ct__text_add(out, "  and %zu other kinds\n", n - MAX_OPERATIONS);
}

/* ---- Amounts. */

/* "constants        1048576 bytes   1.0 MiB" */
static void add_bytes(ct__text *out, const char *what, uint64_t bytes)
{
    static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    ct__text_add(out, "%-12s %12" PRIu64 " bytes", what, bytes);
    if (bytes >= 1024) {
        size_t u = 0;
        uint64_t whole = bytes / 1024, rest = bytes % 1024;
        for (; whole >= 1024 && u + 1 < sizeof unit / sizeof *unit; u++) {
            rest = whole % 1024;
            whole /= 1024;
        }
        ct__text_add(out, "  %6" PRIu64 ".%" PRIu64 " %s", whole, rest * 10 / 1024, unit[u]);
    }
    ct__text_add(out, "\n");
}

bool ct__print_summary(const ct__graph *graph, ct__text *out, ct__fault *fault)
{
    ct__cost cost;
    (void)fault; /* every graph has a summary */
    if (!ct__graph_cost(&out->allocator, graph, &cost))
        return false;
    ct__text_add(out, "function     %s\n", graph->name ? graph->name : "");
    add_values(out, graph, "parameters", graph->param, graph->n_params);
    add_values(out, graph, "results", graph->result, graph->n_results);
    add_operations(out, &cost);
    add_bytes(out, "constants", cost.constant_bytes);
    add_bytes(out, "read", cost.bytes_read);
    add_bytes(out, "written", cost.bytes_written);
    ct__text_add(out, "%-12s %12" PRIu64 "\n", "flops", cost.flops);
    add_bytes(out, "peak memory", cost.peak_bytes);
    return !out->failed;
}

/* ---- Numbers of it. */

uint64_t ct_function_flops(const ct_function *f)
{
    ct_context *ctx = ct_function_context(f);
    ct__cost cost;
    if (!ctx || ct_function_is_poison(f))
        return 0;
    if (ct__graph_cost(&ctx->allocator, f->graph, &cost))
        return cost.flops;
    ct__error_memory(ctx, (ct_place){NULL, 0, 0}, "flops");
    return 0;
}
