#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <string.h>

/* ---- Bodies between braces. */

/* "%a: T" */
static void print_param(ct__printer *p, const char *name, size_t i)
{
    ct__text_add(p->out, "%s: ", name);
    ct__print_type(p, ct__param_type(p->graph, i));
}

static void print_own_params(ct__printer *p, size_t n_own)
{
    for (size_t i = 0; i < n_own; i++) {
        ct__text_add(p->out, "%s", i ? ", " : "");
        print_param(p, ct__print_own_param(p, i), i);
    }
}

void ct__print_region(ct__printer *p, const ct__node *node, const ct__graph *body, size_t n_own)
{
    ct__print_outer outer;
    ct__text_add(p->out, "{");
    if (n_own > 0)
        ct__print_line(p);
    ct__print_enter(p, node, body, n_own, &outer);
    if (n_own > 0) {
        ct__text_add(p->out, "^bb0(");
        print_own_params(p, n_own);
        ct__text_add(p->out, "):");
    }
    ct__print_statements(p);
    ct__print_return(p);
    ct__print_leave(p, &outer);
    ct__print_line(p);
    ct__text_add(p->out, "}");
}

/* ---- reduce: body(accumulated…, elements…, captures…). */

static bool same_place(ct_place a, ct_place b)
{
    return a.line == b.line && a.column == b.column && !a.file == !b.file &&
           (!a.file || strcmp(a.file, b.file) == 0);
}

/* Whether the body, of one operation, has what the short form has no room for: names, attributes
 * that are only kept, and places that are printed and are not those of the reduction. */
static bool says_more(const ct__printer *p, const ct__node *node)
{
    const ct__graph *body = node->region[0];
    const ct__node *inner = body->node;
    for (size_t i = 0; i < body->n_values; i++)
        if (body->value[i].name && *body->value[i].name)
            return true;
    return inner->extra ||
           (p->has_places && (inner->n_also > 0 || !same_place(inner->at, node->at)));
}

/* The short form names one operation, which StableHLO wants commutative, on (accumulated, element).
 */
static const char *short_reducer(const ct__printer *p, const ct__node *node)
{
    const ct__graph *body = node->region[0];
    int kind = ct__graph_body_kind(body);
    if (kind < 0 || !ct__has((ct__op)kind, CT__COMMUTATIVE) ||
        body->node[0].operand[0] != body->param[0] || says_more(p, node))
        return NULL;
    const char *spelling = ct__op_describe((ct__op)kind)->spelling;
    return strncmp(spelling, "stablehlo.", 10) == 0 ? spelling : NULL;
}

/* " reducer(%a: T, %b: T) (%c: U, %d: U) { … }" */
static void print_reducer(ct__printer *p, const ct__node *node, size_t n_inputs)
{
    ct__print_outer outer;
    ct__print_line(p);
    ct__text_add(p->out, " reducer");
    ct__print_enter(p, node, node->region[0], 2 * n_inputs, &outer);
    for (size_t i = 0; i < 2 * n_inputs; i++) /* as MLIR counts them: in the body's order */
        ct__print_own_param(p, i);
    for (size_t i = 0; i < n_inputs; i++) {
        ct__text_add(p->out, "%s(", i ? " " : "");
        print_param(p, ct__print_name(p, p->graph->param[i]), i);
        ct__text_add(p->out, ", ");
        print_param(p, ct__print_name(p, p->graph->param[n_inputs + i]), n_inputs + i);
        ct__text_add(p->out, ")");
    }
    ct__text_add(p->out, " {");
    ct__print_statements(p);
    ct__print_return(p);
    ct__print_leave(p, &outer);
    ct__print_line(p);
    ct__text_add(p->out, "}");
}

void ct__print_form_reduce(ct__printer *p, const ct__node *node)
{
    size_t n_inputs = (size_t)node->attrs->reduce.n_inputs;
    const char *reducer = short_reducer(p, node);
    ct__print_head(p, node);
    for (size_t i = 0; i < n_inputs; i++)
        ct__text_add(p->out, "%s(%s init: %s)", i ? ", " : "", ct__print_name(p, node->operand[i]),
                     ct__print_name(p, node->operand[n_inputs + i]));
    if (reducer)
        ct__text_add(p->out, " applies %s", reducer);
    ct__text_add(p->out, " across dimensions = ");
    ct__print_list(p, node->attrs->reduce.dimensions);
    ct__text_add(p->out, " : ");
    ct__print_signature(p, node, 2 * n_inputs);
    if (!reducer)
        print_reducer(p, node, n_inputs);
}

/* ---- while: cond and body have the carry's names in common. */

/* "(%a = %x, %b = %y) : T, U", naming the carry of the current body. */
static void print_carry(ct__printer *p, const ct__node *node, const ct__print_outer *outer)
{
    size_t n_carry = node->n_results;
    ct__text_add(p->out, "(");
    for (size_t i = 0; i < n_carry; i++)
        ct__text_add(p->out, "%s%s = %s", i ? ", " : "", ct__print_own_param(p, i),
                     outer->name ? outer->name[node->operand[i]] : "%");
    ct__text_add(p->out, ")%s", n_carry ? " : " : "");
    for (size_t i = 0; i < n_carry; i++) {
        ct__text_add(p->out, "%s", i ? ", " : "");
        ct__print_type(p, ct__graph_type(outer->graph, node->operand[i]));
    }
}

/* Whether cond and body call what they carry the same, as the short form does. */
static bool has_common_names(const ct__node *node)
{
    const ct__graph *cond = node->region[0], *body = node->region[1];
    for (size_t i = 0; i < node->n_results; i++) {
        const char *a = cond->value[cond->param[i]].name, *b = body->value[body->param[i]].name;
        if (strcmp(a ? a : "", b ? b : "") != 0)
            return false;
    }
    return true;
}

void ct__print_form_loop(ct__printer *p, const ct__node *node)
{
    size_t n_carry = node->n_results;
    const char **name = CT__NEW_ARRAY(&p->function, const char *, n_carry);
    ct__print_outer outer;
    if (!has_common_names(node)) {
        ct__print_generic(p, node);
        return;
    }
    if (!name)
        return;
    ct__print_head(p, node);
    ct__print_enter(p, node, node->region[0], n_carry, &outer);
    print_carry(p, node, &outer);
    size_t n_args = p->n_args;
    for (size_t i = 0; i < n_carry; i++)
        name[i] = ct__print_name(p, p->graph->param[i]);
    ct__print_brace(p, " cond {");
    ct__print_statements(p);
    ct__print_return(p);
    ct__print_brace(p, "} do {");
    ct__print_leave(p, &outer);
    ct__print_enter(p, node, node->region[1], n_carry, &outer);
    p->n_args = n_args; /* the carry's names stay in use */
    for (size_t i = 0; i < n_carry; i++)
        ct__print_take_name(p, p->graph->param[i], name[i]);
    ct__print_statements(p);
    ct__print_return(p);
    ct__print_brace(p, "}");
    ct__print_leave(p, &outer);
}
