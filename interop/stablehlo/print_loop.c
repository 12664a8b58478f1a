#include "interop/stablehlo/print.h"

/* ---- Loops that count, as while: what scan (print_scan.c) and for (print_for.c) have in common.
 */

void ct__print_brace(ct__printer *p, const char *text)
{
    p->depth--;
    ct__print_line(p);
    ct__text_add(p->out, "%s", text);
    p->depth++;
}

const char *ct__print_index(ct__printer *p, const ct_type *type, int64_t value)
{
    const char *name = ct__print_fresh(p);
    ct__print_made_constant(p, name, type, value);
    return name;
}

void ct__print_binary(ct__printer *p, const ct_type *type, const char *name, const char *op,
                      const char *x, const char *y)
{
    const char *const operand[] = {x, y};
    const ct_type *const types[] = {type, type};
    ct__print_made(p, &(ct__made){.name = name,
                                  .op = op,
                                  .n_operands = 2,
                                  .operand = operand,
                                  .type = types,
                                  .result = type});
}

bool ct__counting_begin(ct__counting *l, ct__printer *p, size_t count)
{
    l->p = p;
    l->count = count;
    l->argument = CT__NEW_ARRAY(&p->function, const char *, count);
    l->start = CT__NEW_ARRAY(&p->function, const char *, count);
    l->type = CT__NEW_ARRAY(&p->function, const ct_type *, count);
    return l->argument && l->start && l->type;
}

static void print_condition(const ct__counting *l)
{
    const ct_type pred = {.kind = CT__TENSOR, .dtype = CT_BOOL, .size = 1}, *result = &pred;
    const ct_type *const type[] = {l->type[0], l->type[0]};
    const char *const operand[] = {l->argument[0], l->limit(l->loop)};
    ct__made made = {.name = ct__print_fresh(l->p),
                     .op = "compare",
                     .before = "LT, ",
                     .after = ", SIGNED",
                     .attributes = "compare_type = #stablehlo<comparison_type SIGNED>, "
                                   "comparison_direction = #stablehlo<comparison_direction LT>",
                     .n_operands = 2,
                     .operand = operand,
                     .type = type,
                     .result = result};
    ct__print_made(l->p, &made);
    ct__print_yield(l->p, "stablehlo.return", 1, &made.name, &result);
}

static void print_types(const ct__counting *l)
{
    for (size_t i = 0; i < l->count; i++) {
        ct__text_add(l->p->out, "%s", i ? ", " : "");
        ct__print_type(l->p, l->type[i]);
    }
}

/* "stablehlo.while(%n = %0, %c = %carry) : T… attributes {…} cond { … } do { … }" */
static void print_pretty(const ct__counting *l)
{
    ct__text_add(l->p->out, "stablehlo.while(");
    for (size_t i = 0; i < l->count; i++)
        ct__text_add(l->p->out, "%s%s = %s", i ? ", " : "", l->argument[i], l->start[i]);
    ct__text_add(l->p->out, ") : ");
    print_types(l);
    ct__text_add(l->p->out, " attributes ");
    l->mark(l->loop);
    ct__print_brace(l->p, " cond {");
    print_condition(l);
    ct__print_brace(l->p, "} do {");
    l->body(l->loop);
    ct__print_brace(l->p, "}");
}

/* "^bb0(%n: I, %c: T):" */
static void print_block(const ct__counting *l)
{
    ct__print_brace(l->p, "^bb0(");
    for (size_t i = 0; i < l->count; i++) {
        ct__text_add(l->p->out, "%s%s: ", i ? ", " : "", l->argument[i]);
        ct__print_type(l->p, l->type[i]);
    }
    ct__text_add(l->p->out, "):");
}

static void print_generic(const ct__counting *l)
{
    ct__text_add(l->p->out, "\"stablehlo.while\"(");
    for (size_t i = 0; i < l->count; i++)
        ct__text_add(l->p->out, "%s%s", i ? ", " : "", l->start[i]);
    ct__text_add(l->p->out, ") ({");
    print_block(l);
    print_condition(l);
    ct__print_brace(l->p, "}, {");
    print_block(l);
    l->body(l->loop);
    ct__print_brace(l->p, "}) ");
    l->mark(l->loop);
    ct__text_add(l->p->out, " : (");
    print_types(l);
    ct__text_add(l->p->out, ") -> %s", l->count > 1 ? "(" : "");
    print_types(l);
    ct__text_add(l->p->out, "%s", l->count > 1 ? ")" : "");
}

void ct__print_counting(const ct__counting *l)
{
    if (l->p->is_generic)
        print_generic(l);
    else
        print_pretty(l);
}
