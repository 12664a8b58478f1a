#include "interop/stablehlo/print.h"

#include <inttypes.h>

/* Operations of ours that StableHLO lacks: composites, each with a private function that says what
 * it computes. There is one function per operation and type. */

typedef struct decomposition {
    ct__op op;
    const ct_type *type; /* in a graph that outlives the printer */
    const char *symbol;
} decomposition;

/* "ct.scale.f32_4x2" */
static void key_of(ct__op op, const ct_type *type, ct__text *key)
{
    ct__text_add(key, "%s.%s", ct__op_describe(op)->spelling, ct_dtype_name(type->dtype));
    for (int d = 0; d < type->rank; d++)
        ct__text_add(key, "%c%" PRId64, d ? 'x' : '_', type->dim[d]);
}

static const char *enter(ct__printer *p, ct__op op, const ct_type *type, const ct__text *key)
{
    const ct__map_entry *known = ct__map_find(&p->decompositions, key->data, key->length);
    if (known)
        return ((const decomposition *)known->value)->symbol;
    ct__map_entry *entry = ct__map_add(&p->decompositions, key->data, key->length);
    decomposition *made = CT__NEW(&p->module, decomposition);
    if (!entry || !made)
        return "";
    *made = (decomposition){op, type, ct__print_new_symbol(p, key->data)};
    entry->value = made;
    return made->symbol;
}

static const char *symbol_of(ct__printer *p, ct__op op, const ct_type *type)
{
    ct__text key;
    const char *symbol = "";
    ct__text_init(&key, &p->out->allocator);
    key_of(op, type, &key);
    if (key.failed)
        p->out->failed = true;
    else
        symbol = enter(p, op, type, &key);
    ct__text_free(&key);
    return symbol;
}

void ct__print_own_start(ct__printer *p, const ct__node *node)
{
    ct__print_line(p);
    ct__print_results(p, node, 0);
    ct__text_add(p->out, p->is_generic ? "\"stablehlo.composite\"(" : "stablehlo.composite \"%s\" ",
                 ct__op_describe(node->op)->spelling);
    ct__print_operands(p, node, 0, node->n_operands);
    ct__text_add(p->out, p->is_generic ? ") <{" : " {");
}

void ct__print_own_end(ct__printer *p, const ct__node *node)
{
    const char *extra = node->extra ? node->extra : "";
    if (p->is_generic)
        ct__text_add(p->out, ", name = \"%s\"}>%s%s%s", ct__op_describe(node->op)->spelling,
                     *extra ? " {" : "", extra, *extra ? "}" : "");
    else
        ct__text_add(p->out, "%s%s}", *extra ? ", " : "", extra);
    ct__print_end(p, node);
}

void ct__print_composite(ct__printer *p, const ct__node *node)
{
    ct__print_own_start(p, node);
    ct__text_add(p->out, "decomposition = ");
    ct__print_symbol(p, symbol_of(p, node->op, ct__graph_type(p->graph, node->first_result)));
    ct__print_own_end(p, node);
}

/* ---- The private functions. */

/* "%name = stablehlo.compare EQ, %x, %y : (T, T) -> P" */
static void equal(ct__printer *p, const char *name, const char *x, const char *y,
                  const ct_type *type, const ct_type *pred)
{
    const char *const operand[] = {x, y};
    const ct_type *const types[] = {type, type};
    ct__print_made(
        p, &(ct__made){.name = name,
                       .op = "compare",
                       .before = "EQ, ",
                       .attributes = "comparison_direction = #stablehlo<comparison_direction EQ>",
                       .n_operands = 2,
                       .operand = operand,
                       .type = types,
                       .result = pred});
}

/* "%y = stablehlo.select %is_zero, %zero, %product : (P, T, T) -> T" */
static void choose(ct__printer *p, const ct_type *type, const ct_type *pred)
{
    static const char *const operand[] = {"%is_zero", "%zero", "%product"};
    const ct_type *const types[] = {pred, type, type};
    ct__print_made(p, &(ct__made){.name = "%y",
                                  .op = "select",
                                  .n_operands = 3,
                                  .operand = operand,
                                  .type = types,
                                  .result = type});
}

/* t·f, but 0 where t is 0, and 0 where f is 0 and t is not NaN. */
static void print_scale_body(ct__printer *p, const ct_type *type)
{
    ct_type pred = *type;
    pred.dtype = CT_BOOL;
    ct__print_made_constant(p, "%zero", type, 0);
    ct__print_binary(p, type, "%product", "multiply", "%t", "%f");
    equal(p, "%t_is_zero", "%t", "%zero", type, &pred);
    equal(p, "%t_is_number", "%t", "%t", type, &pred);
    equal(p, "%f_is_zero", "%f", "%zero", type, &pred);
    ct__print_binary(p, &pred, "%f_wins", "and", "%f_is_zero", "%t_is_number");
    ct__print_binary(p, &pred, "%is_zero", "or", "%t_is_zero", "%f_wins");
    choose(p, type, &pred);
}

/* t·u, but 0 where either is 0. */
static void print_scale_either_body(ct__printer *p, const ct_type *type)
{
    ct_type pred = *type;
    pred.dtype = CT_BOOL;
    ct__print_made_constant(p, "%zero", type, 0);
    ct__print_binary(p, type, "%product", "multiply", "%t", "%u");
    equal(p, "%t_is_zero", "%t", "%zero", type, &pred);
    equal(p, "%u_is_zero", "%u", "%zero", type, &pred);
    ct__print_binary(p, &pred, "%is_zero", "or", "%t_is_zero", "%u_is_zero");
    choose(p, type, &pred);
}

static void print_parameters(ct__printer *p, const ct_type *type, const char *const *name, size_t n)
{
    ct__text_add(p->out, "(");
    for (size_t i = 0; i < n; i++) {
        ct__text_add(p->out, "%s%s: ", i ? ", " : "", name[i]);
        ct__print_type(p, type);
    }
    ct__text_add(p->out, ") -> ");
    ct__print_type(p, type);
    ct__text_add(p->out, " {");
}

static void print_decomposition(ct__printer *p, const decomposition *d)
{
    bool is_either = d->op == CT__OP_scale_either, is_product = is_either || d->op == CT__OP_scale;
    const char *const name[] = {"%t", is_either ? "%u" : "%f"};
    ct__print_line(p);
    ct__text_add(p->out, "func.func private ");
    ct__print_symbol(p, d->symbol);
    print_parameters(p, d->type, name, is_product ? 2 : 1);
    p->depth++;
    if (is_either)
        print_scale_either_body(p, d->type);
    else if (is_product)
        print_scale_body(p, d->type);
    ct__print_yield(p, p->is_generic ? "func.return" : "return", 1, /* stop_gradient gives %t */
                    is_product ? (const char *const[]){"%y"} : name, &d->type);
    p->depth--;
    ct__print_line(p);
    ct__text_add(p->out, "}");
}

void ct__print_decompositions(ct__printer *p)
{
    for (size_t i = 0; i < p->decompositions.n_entries; i++)
        if (p->decompositions.entry[i].value)
            print_decomposition(p, p->decompositions.entry[i].value);
}
