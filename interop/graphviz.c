#include "interop/interop.h"
#include "interop/map.h"
#include "interop/stablehlo/print.h"

#include <string.h>

/* Every operation is a box n0, n1, …; parameters and results are ellipses. A body is a cluster
 * beside its operation; what it captures comes in by edges from outside. A called function is drawn
 * once. Edges stand behind all clusters: one inside a cluster would draw both its ends into it. */

typedef struct drawing {
    ct__text *out;
    ct__text edges;
    ct__arena arena;
    ct__map functions; /* graph pointer -> nothing, in the order of drawing */
    size_t n_nodes, n_clusters;
    int depth;
} drawing;

/* The graph being drawn, and the box of each of its values. */
typedef struct layer {
    const ct__graph *graph;
    size_t *box;
} layer;

static void draw_graph(drawing *d, const layer *l, size_t *last_box);

/* ---- Text. */

static void line(drawing *d)
{
    ct__text_add(d->out, "\n%*s", 2 * d->depth, "");
}

/* Inside a quoted string. */
static void add_quoted(ct__text *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            ct__text_add_bytes(out, "\\", 1);
        ct__text_add_bytes(out, (unsigned char)*c < ' ' ? " " : c, 1);
    }
}

static void add_label_line(drawing *d, const char *text)
{
    ct__text_add(d->out, "\\n");
    add_quoted(d->out, text);
}

static void add_type(drawing *d, const ct_type *type)
{
    char text[128];
    add_label_line(d, ct__type_print(type, text, sizeof text));
}

static bool has_name(const ct__graph *graph, ct__id id)
{
    return graph->value[id].name && *graph->value[id].name;
}

/* ---- Ellipses. */

static size_t draw_ellipse(drawing *d, const char *what, size_t position, const ct__graph *graph,
                           ct__id id)
{
    size_t box = d->n_nodes++;
    line(d);
    ct__text_add(d->out, "n%zu [shape=ellipse, label=\"%s %zu", box, what, position);
    add_type(d, ct__graph_type(graph, id));
    if (has_name(graph, id))
        add_label_line(d, graph->value[id].name);
    ct__text_add(d->out, "\"];");
    return box;
}

/* ---- Edges. */

/* Operands whose order matters are named, and results of an operation that has several. */
static void draw_edge(drawing *d, const layer *l, ct__id id, size_t to, const char *label)
{
    uint32_t from = l->graph->value[id].node;
    const ct__node *node = from == CT__NO_NODE ? NULL : &l->graph->node[from];
    ct__text_add(&d->edges, "\n  n%zu -> n%zu", l->box[id], to);
    if (node && node->n_results > 1)
        ct__text_add(&d->edges, " [taillabel=\"%u\"]", (unsigned)(id - node->first_result));
    if (*label) {
        ct__text_add(&d->edges, " [label=\"");
        add_quoted(&d->edges, label);
        ct__text_add(&d->edges, "\"]");
    }
    ct__text_add(&d->edges, ";");
}

static bool is_call(const ct__node *node)
{
    return ct__has(node->op, CT__CALLS);
}

static size_t n_captures(const ct__node *node)
{
    return ct__op_captures(node->op, node->attrs, node->n_operands);
}

/* Captures lead to where the body uses them. */
static size_t n_drawn_operands(const ct__node *node)
{
    return node->n_operands - n_captures(node);
}

static void draw_operands(drawing *d, const layer *l, const ct__node *node, size_t box)
{
    char name[64];
    size_t n = n_drawn_operands(node);
    bool is_named = n > 1 && !ct__has(node->op, CT__COMMUTATIVE) && !is_call(node);
    for (size_t i = 0; i < n; i++)
        draw_edge(d, l, node->operand[i], box,
                  is_named ? ct__operand_name(node->op, node->attrs, node->n_operands, i, name,
                                              sizeof name)
                           : "");
}

/* ---- Bodies. */

static void draw_body(drawing *d, const layer *outer, const ct__node *node, size_t r, size_t box)
{
    const ct__graph *body = node->region[r];
    size_t n_captured = n_captures(node), n_own = body->n_params - n_captured;
    layer inner = {.graph = body, .box = CT__NEW_ARRAY(&d->arena, size_t, body->n_values)};
    if (!inner.box)
        return;
    line(d);
    ct__text_add(d->out, "subgraph cluster_%zu {", d->n_clusters++);
    d->depth++;
    line(d);
    ct__text_add(d->out, "label=\"%s, body %zu\";", ct__op_describe(node->op)->name, r);
    for (size_t i = 0; i < n_captured; i++)
        inner.box[body->param[n_own + i]] =
            outer->box[node->operand[node->n_operands - n_captured + i]];
    for (size_t i = 0; i < n_own; i++)
        inner.box[body->param[i]] = draw_ellipse(d, "parameter", i, body, body->param[i]);
    size_t last = SIZE_MAX;
    draw_graph(d, &inner, &last);
    d->depth--;
    line(d);
    ct__text_add(d->out, "}");
    if (last != SIZE_MAX)
        ct__text_add(&d->edges, "\n  n%zu -> n%zu [style=dashed];", last, box);
}

/* ---- Operations. */

/* The value of a constant that has one value. */
static void add_constant(drawing *d, const ct__literal *literal)
{
    char number[CT__NUMBER_BYTES];
    if (literal->type->size > 0 && ct__literal_is_splat(literal))
        add_label_line(d,
                       ct__print_number(literal->type->dtype, ct__literal_first(literal), number));
}

static void draw_label(drawing *d, const layer *l, const ct__node *node)
{
    add_quoted(d->out, ct__op_describe(node->op)->name);
    if (is_call(node)) {
        ct__text_add(d->out, " ");
        add_quoted(d->out, node->region[0]->name);
    }
    for (size_t i = 0; i < node->n_results; i++) {
        ct__id id = node->first_result + (ct__id)i;
        add_type(d, ct__graph_type(l->graph, id));
        if (has_name(l->graph, id))
            add_label_line(d, l->graph->value[id].name);
    }
    if (node->op == CT__OP_constant)
        add_constant(d, node->attrs->constant.value);
    if (!node->at.file)
        return;
    add_label_line(d, node->at.file);
    ct__text_add(d->out, ":%d", node->at.line);
}

static void draw_node(drawing *d, const layer *l, const ct__node *node)
{
    size_t box = d->n_nodes++;
    line(d);
    ct__text_add(d->out, "n%zu [label=\"", box);
    draw_label(d, l, node);
    ct__text_add(d->out, "\"];");
    for (size_t i = 0; i < node->n_results; i++)
        l->box[node->first_result + i] = box;
    draw_operands(d, l, node, box);
    if (is_call(node)) {
        const ct__graph *callee = node->region[0];
        if (!ct__map_find_pointer(&d->functions, callee))
            ct__map_add_pointer(&d->functions, callee);
        return;
    }
    for (size_t r = 0; r < node->n_regions; r++)
        draw_body(d, l, node, r, box);
}

/* Its operations and results; parameters have boxes already. *last_box: a result's, if it has one.
 */
static void draw_graph(drawing *d, const layer *l, size_t *last_box)
{
    const ct__graph *graph = l->graph;
    for (size_t i = 0; i < graph->n_nodes && !d->out->failed && !d->arena.failed; i++)
        draw_node(d, l, &graph->node[i]);
    for (size_t i = 0; i < graph->n_results; i++) {
        *last_box = draw_ellipse(d, "result", i, graph, graph->result[i]);
        draw_edge(d, l, graph->result[i], *last_box, "");
    }
}

/* ---- Functions. */

static void draw_function(drawing *d, const ct__graph *graph)
{
    size_t last;
    layer l = {.graph = graph, .box = CT__NEW_ARRAY(&d->arena, size_t, graph->n_values)};
    if (!l.box)
        return;
    line(d);
    ct__text_add(d->out, "subgraph cluster_%zu {", d->n_clusters++);
    d->depth++;
    line(d);
    ct__text_add(d->out, "label=\"");
    add_quoted(d->out, graph->name);
    ct__text_add(d->out, "\";");
    for (size_t i = 0; i < graph->n_params; i++)
        l.box[graph->param[i]] = draw_ellipse(d, "argument", i, graph, graph->param[i]);
    draw_graph(d, &l, &last);
    d->depth--;
    line(d);
    ct__text_add(d->out, "}");
}

static bool is_well(const drawing *d)
{
    return !d->out->failed && !d->edges.failed && !d->arena.failed;
}

bool ct__print_dot(const ct__graph *graph, ct__text *out, ct__fault *fault)
{
    drawing d = {.out = out, .depth = 1};
    (void)fault; /* every graph can be drawn */
    ct__arena_init(&d.arena, &out->allocator);
    ct__text_init(&d.edges, &out->allocator);
    ct__map_init(&d.functions, &d.arena);
    ct__text_add(out, "digraph \"");
    add_quoted(out, graph->name);
    ct__text_add(out, "\" {\n  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n"
                      "  edge [fontname=\"Helvetica\", fontsize=9];");
    ct__map_add_pointer(&d.functions, graph);
    for (size_t i = 0; i < d.functions.n_entries && is_well(&d); i++)
        draw_function(&d, ct__map_pointer(&d.functions.entry[i]));
    if (d.edges.length > 0)
        ct__text_add_bytes(out, d.edges.data, d.edges.length);
    ct__text_add(out, "\n}\n");
    bool fine = is_well(&d);
    ct__text_free(&d.edges);
    ct__arena_free(&d.arena);
    return fine;
}
