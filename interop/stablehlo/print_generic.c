#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <string.h>

/* The generic form, "dialect.op"(operands) <{attributes}> ({regions}) {others} : (T) -> R, of every
 * operation. */

/* ---- Attributes behind the regions: those that are only kept, and our own. */

static bool is_strict(const ct__node *node)
{
    switch (ct__op_describe(node->op)->attrs) {
    case CT__ATTRS_gather: return node->attrs->gather.strict;
    case CT__ATTRS_scatter: return node->attrs->scatter.strict;
    case CT__ATTRS_dynamic_slice: return node->attrs->dynamic_slice.strict;
    case CT__ATTRS_dynamic_update_slice: return node->attrs->dynamic_update_slice.strict;
    default: return false;
    }
}

static const char *kept_text(const ct__node *node)
{
    bool is_call = ct__op_describe(node->op)->attrs == CT__ATTRS_custom_call;
    const char *text = is_call ? node->attrs->custom_call.attributes : node->extra;
    return text ? text : "";
}

void ct__print_others(ct__printer *p, const ct__node *node)
{
    const char *kept = kept_text(node);
    bool strict = is_strict(node);
    if (strict || *kept)
        ct__text_add(p->out, " {%s%s%s}", strict ? "ct.strict" : "", strict && *kept ? ", " : "",
                     kept);
}

/* ---- Statements. */

static void print_regions(ct__printer *p, const ct__node *node, size_t n_captures)
{
    ct__text_add(p->out, " (");
    for (size_t r = 0; r < node->n_regions; r++) {
        ct__text_add(p->out, "%s", r ? ", " : "");
        ct__print_region(p, node, node->region[r], node->region[r]->n_params - n_captures);
    }
    ct__text_add(p->out, ")");
}

void ct__print_generic(ct__printer *p, const ct__node *node)
{
    if (node->op == CT__OP_rng) { /* its shape is an operand */
        ct__print_form_rng(p, node);
        return;
    }
    if (node->op == CT__OP_composite && ct__print_sharding(p, node))
        return;
    bool has_bodies = node->n_regions > 0 && !ct__has(node->op, CT__CALLS);
    size_t n_captures = has_bodies ? ct__op_captures(node->op, node->attrs, node->n_operands) : 0;
    size_t n_operands = node->n_operands - n_captures;
    ct__print_line(p);
    ct__print_results(p, node, 0);
    ct__text_add(p->out, "\"%s\"(", ct__op_describe(node->op)->spelling);
    ct__print_operands(p, node, 0, n_operands);
    ct__text_add(p->out, ")");
    ct__print_properties(p, node);
    if (has_bodies)
        print_regions(p, node, n_captures);
    ct__print_others(p, node);
    ct__text_add(p->out, " : ");
    ct__print_signature(p, node, n_operands);
}

/* ---- Statements that no node stands for, in either form. */

static bool has_one_type(const ct__made *m)
{
    for (size_t i = 0; i < m->n_operands; i++)
        if (!ct__type_equal(m->type[i], m->result))
            return false;
    return true;
}

/* Its own form names the type of the result alone. */
static bool is_tuple(const ct__made *m)
{
    return strcmp(m->op, "tuple") == 0;
}

/* Its own form names the type of the predicate, then that of all others. */
static bool is_select(const ct__made *m)
{
    return strcmp(m->op, "select") == 0;
}

void ct__print_made_signature(ct__printer *p, const ct__made *m)
{
    ct__text_add(p->out, "(");
    for (size_t i = 0; i < m->n_operands; i++) {
        ct__text_add(p->out, "%s", i ? ", " : "");
        ct__print_type(p, m->type[i]);
    }
    ct__text_add(p->out, ") -> ");
    ct__print_type(p, m->result);
}

void ct__print_made(ct__printer *p, const ct__made *m)
{
    ct__print_line(p);
    ct__text_add(p->out, p->is_generic ? "%s = \"stablehlo.%s\"(" : "%s = stablehlo.%s", m->name,
                 m->op);
    ct__text_add(p->out, "%s", p->is_generic || m->n_operands == 0 ? "" : " ");
    ct__text_add(p->out, "%s", p->is_generic || !m->before ? "" : m->before);
    for (size_t i = 0; i < m->n_operands; i++)
        ct__text_add(p->out, "%s%s", i ? ", " : "", m->operand[i]);
    if (p->is_generic)
        ct__text_add(p->out, m->attributes ? ") <{%s}>" : ")", m->attributes);
    else
        ct__text_add(p->out, "%s", m->after ? m->after : "");
    ct__text_add(p->out, " : ");
    if (p->is_generic || !(has_one_type(m) || is_select(m) || is_tuple(m))) {
        ct__print_made_signature(p, m);
        return;
    }
    if (is_select(m)) {
        ct__print_type(p, m->type[0]);
        ct__text_add(p->out, ", ");
    }
    ct__print_type(p, m->result);
}

void ct__print_made_constant(ct__printer *p, const char *name, const ct_type *type, int64_t value)
{
    const bool is_generic = p->is_generic || type->quantized;
    ct__print_line(p);
    ct__text_add(
        p->out,
        is_generic ? "%s = \"stablehlo.constant\"() <{value = " : "%s = stablehlo.constant ", name);
    if (value == 0) {
        ct__print_zero(p, type);
    } else {
        ct__text_add(p->out, "dense<%" PRId64 "> : ", value);
        ct__print_stored_type(p, type);
    }
    if (is_generic) {
        ct__text_add(p->out, "}> : () -> ");
        ct__print_type(p, type);
    }
}

void ct__print_yield(ct__printer *p, const char *keyword, size_t count, const char *const *name,
                     const ct_type *const *type)
{
    ct__print_line(p);
    ct__text_add(p->out, p->is_generic ? "\"%s\"(" : count ? "%s " : "%s", keyword);
    for (size_t i = 0; i < count; i++)
        ct__text_add(p->out, "%s%s", i ? ", " : "", name[i]);
    ct__text_add(p->out, p->is_generic ? ") : (" : count ? " : " : "");
    for (size_t i = 0; i < count; i++) {
        ct__text_add(p->out, "%s", i ? ", " : "");
        ct__print_type(p, type[i]);
    }
    ct__text_add(p->out, p->is_generic ? ") -> ()" : "");
}

/* ---- Operations that have this form alone. */

#define FORM(name)                                                                                 \
    void ct__print_form_##name(ct__printer *p, const ct__node *node)                               \
    {                                                                                              \
        ct__print_generic(p, node);                                                                \
    }
FORM(gather)
FORM(scatter)
FORM(reduce_window)
FORM(select_and_scatter)
FORM(triangular_solve)
FORM(ragged_dot)
FORM(sort)
FORM(map)
FORM(all_gather)
FORM(all_reduce)
FORM(all_to_all)
FORM(collective_broadcast)
FORM(collective_permute)
FORM(reduce_scatter)
FORM(infeed)
FORM(outfeed)
FORM(recv)
FORM(send)
