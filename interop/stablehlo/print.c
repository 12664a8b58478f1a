#include "interop/stablehlo/print.h"

#include <cotangent/module.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef void form(ct__printer *p, const ct__node *node);

static form *const form_of[CT__ATTRS_COUNT] = {
#define ATTRS(name) ct__print_form_##name,
#include "ops/attrs.def"
};

void ct__print_fail(ct__printer *p, ct_status status, const char *format, ...)
{
    va_list arguments;
    if (p->fault->status != CT_OK)
        return;
    p->fault->status = status;
    p->fault->at = p->at;
    va_start(arguments, format);
    vsnprintf(p->fault->message, sizeof p->fault->message, format, arguments);
    va_end(arguments);
}

static bool is_well(const ct__printer *p)
{
    return p->fault->status == CT_OK && !p->out->failed && !p->module.failed && !p->function.failed;
}

/* ---- Statements. */

void ct__print_line(ct__printer *p)
{
    ct__text_add(p->out, "\n%*s", 2 * p->depth, "");
}

void ct__print_head(ct__printer *p, const ct__node *node)
{
    ct__print_line(p);
    ct__print_results(p, node, 0);
    ct__text_add(p->out, "%s", ct__op_describe(node->op)->spelling);
}

/* "loss.c":42:0 */
static void print_place(ct__printer *p, ct_place at)
{
    if (!at.file) {
        ct__text_add(p->out, "unknown");
        return;
    }
    ct__print_string(p, at.file);
    ct__text_add(p->out, ":%d:%d", at.line, at.column);
}

/* loc("loss.c":42:0), and of a merged node loc(fused["loss.c":42:0, "loss.c":47:0]) */
static void print_places(ct__printer *p, const ct__node *node)
{
    ct__text_add(p->out, node->n_also > 0 ? " loc(fused[" : " loc(");
    print_place(p, node->at);
    for (size_t i = 0; i < node->n_also; i++) {
        ct__text_add(p->out, ", ");
        print_place(p, node->also[i]);
    }
    ct__text_add(p->out, node->n_also > 0 ? "])" : ")");
}

/* Our own operations are composites and loops, custom calls hold all attributes; of the others the
 * generic form has a place for attributes that are only kept. */
static bool stands_generic(const ct__printer *p, const ct__node *node)
{
    const ct__op_info *info = ct__op_describe(node->op);
    bool has_kept = node->extra && info->attrs != CT__ATTRS_custom_call;
    return (p->is_generic || has_kept) && strncmp(info->spelling, "ct.", 3) != 0;
}

void ct__print_statements(ct__printer *p)
{
    const ct__graph *graph = p->graph;
    for (size_t i = 0; i < graph->n_nodes && is_well(p); i++) {
        const ct__node *node = &graph->node[i];
        p->at = node->at;
        if (ct__is_barrier_of_tuples(p, node))
            ct__print_barrier_of_tuples(p, node);
        else if (stands_generic(p, node))
            ct__print_generic(p, node);
        else
            form_of[ct__op_describe(node->op)->attrs](p, node);
        if (p->has_places)
            print_places(p, node);
    }
}

static void print_return(ct__printer *p, const char *keyword)
{
    const ct__graph *graph = p->graph;
    const char **name = CT__NEW_ARRAY(&p->function, const char *, graph->n_results);
    const ct_type **type = CT__NEW_ARRAY(&p->function, const ct_type *, graph->n_results);
    if (!name || !type)
        return;
    for (size_t i = 0; i < graph->n_results; i++) {
        name[i] = ct__print_name(p, graph->result[i]);
        type[i] = ct__result_type(graph, i);
    }
    ct__print_yield(p, keyword, graph->n_results, name, type);
}

void ct__print_return(ct__printer *p)
{
    print_return(p, "stablehlo.return");
}

/* ---- Bodies. Names given inside are forgotten at the end: siblings use the same ones. */

static void open_graph(ct__printer *p, const ct__graph *graph)
{
    p->graph = graph;
    p->name = CT__NEW_ARRAY(&p->function, const char *, graph->n_values);
}

void ct__print_enter(ct__printer *p, const ct__node *node, const ct__graph *body, size_t n_own,
                     ct__print_outer *outer)
{
    *outer = (ct__print_outer){p->graph, p->name, p->names.n_entries, p->n_values, p->n_args};
    size_t n_captures = body->n_params - n_own;
    const ct__id *captured = node->operand + node->n_operands - n_captures;
    open_graph(p, body);
    for (size_t i = 0; i < n_captures && p->name && outer->name; i++)
        p->name[body->param[n_own + i]] = outer->name[captured[i]];
    p->depth++;
}

void ct__print_leave(ct__printer *p, const ct__print_outer *outer)
{
    p->depth--;
    p->graph = outer->graph;
    p->name = outer->name;
    p->n_values = outer->n_values;
    p->n_args = outer->n_args;
    ct__map_truncate(&p->names, outer->n_names);
}

/* ---- Functions. */

/* The type of parameter or result i, and what is only kept of it: " {mhlo.sharding = "…"}" */
static void print_part(ct__printer *p, const ct_type *type, const char *const *notes, size_t i)
{
    const char *note = notes && notes[i] ? notes[i] : "";
    bool is_stack = type->kind == CT__STACK;
    ct__print_type(p, type);
    if (!is_stack && !*note)
        return;
    ct__text_add(p->out, " {");
    if (is_stack)
        ct__print_element(p, type);
    ct__text_add(p->out, "%s%s}", is_stack && *note ? ", " : "", note);
}

static void print_params(ct__printer *p)
{
    for (size_t i = 0; i < p->graph->n_params; i++) {
        ct__text_add(p->out, "%s%s: ", i ? ", " : "", ct__print_own_param(p, i));
        print_part(p, ct__param_type(p->graph, i), p->graph->notes.param, i);
    }
}

static void print_result_types(ct__printer *p)
{
    const ct__graph *graph = p->graph;
    bool is_list = graph->n_results > 1 || graph->notes.result ||
                   (graph->n_results == 1 && ct__result_type(graph, 0)->kind == CT__STACK);
    if (graph->n_results == 0)
        return;
    ct__text_add(p->out, " -> %s", is_list ? "(" : "");
    for (size_t i = 0; i < graph->n_results; i++) {
        ct__text_add(p->out, "%s", i ? ", " : "");
        print_part(p, ct__result_type(graph, i), graph->notes.result, i);
    }
    ct__text_add(p->out, "%s", is_list ? ")" : "");
}

static void print_function(ct__printer *p, const ct__graph *graph, const char *visibility,
                           const char *symbol)
{
    ct__arena_reset(&p->function);
    ct__map_init(&p->names, &p->function);
    p->n_values = p->n_args = 0;
    p->at = (ct_place){NULL, 0, 0};
    open_graph(p, graph);
    ct__print_line(p);
    ct__text_add(p->out, "func.func %s ", visibility);
    ct__print_symbol(p, symbol);
    ct__text_add(p->out, "(");
    print_params(p);
    ct__text_add(p->out, ")");
    print_result_types(p);
    if (graph->notes.function)
        ct__text_add(p->out, " attributes {%s}", graph->notes.function);
    ct__text_add(p->out, " {");
    p->depth++;
    ct__print_statements(p);
    print_return(p, p->is_generic ? "func.return" : "return");
    p->depth--;
    ct__print_line(p);
    ct__text_add(p->out, "}");
}

/* The functions known so far, and those that they call. */
static void print_functions(ct__printer *p)
{
    for (size_t i = 0; i < p->functions.n_entries && is_well(p); i++) {
        const ct__map_entry *entry = &p->functions.entry[i];
        const ct__graph *graph = ct__map_pointer(entry);
        print_function(p, graph, i ? "private" : "public", entry->value);
    }
}

static void print_meshes(ct__printer *p, const char *meshes)
{
    for (const char *at = meshes; at && *at; at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        ct__print_line(p);
        ct__text_add_bytes(p->out, at, length);
        at += length;
    }
}

static bool enter_main(ct__printer *p, const ct__graph *graph)
{
    ct__map_entry *entry = ct__map_add_pointer(&p->functions, graph);
    if (entry)
        entry->value = ct__print_new_symbol(p, "main");
    return entry != NULL;
}

/* "module @f attributes {…} {", the meshes, the functions, "}" */
static void print_module(ct__printer *p, const ct__graph *graph)
{
    ct__text_add(p->out, "module ");
    if (graph->name && *graph->name) {
        ct__print_symbol(p, graph->name);
        ct__text_add(p->out, " ");
    }
    if (graph->notes.module)
        ct__text_add(p->out, "attributes {%s} ", graph->notes.module);
    ct__text_add(p->out, "{");
    p->depth = 1;
    p->has_meshes = graph->notes.meshes != NULL;
    print_meshes(p, graph->notes.meshes);
    print_functions(p);
    ct__print_decompositions(p);
    ct__text_add(p->out, "\n}\n");
}

bool ct__print_stablehlo_as(const ct__graph *graph, unsigned flags, ct__text *out, ct__fault *fault)
{
    ct__printer printer = {.out = out,
                           .fault = fault,
                           .is_generic = flags & CT_WRITE_GENERIC,
                           .has_places = flags & CT_WRITE_PLACES},
                *p = &printer;
    ct__arena_init(&p->module, &out->allocator);
    ct__arena_init(&p->function, &out->allocator);
    ct__map_init(&p->symbols, &p->module);
    ct__map_init(&p->functions, &p->module);
    ct__map_init(&p->decompositions, &p->module);
    if (enter_main(p, graph))
        print_module(p, graph);
    bool fine = is_well(p);
    ct__arena_free(&p->function);
    ct__arena_free(&p->module);
    return fine;
}

bool ct__print_stablehlo(const ct__graph *graph, ct__text *out, ct__fault *fault)
{
    return ct__print_stablehlo_as(graph, CT_WRITE_PRETTY, out, fault);
}
