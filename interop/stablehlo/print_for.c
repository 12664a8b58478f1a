#include "interop/stablehlo/print.h"

#include <inttypes.h>

/* ---- for(count, carry…, captures…) is printed as a counted loop:
 *
 *     %0 = constant dense<0> : tensor<i64>
 *     %1:2 = while(%n = %0, %c = %carry) : … attributes {ct.for = {is_reverse = false}}
 *      cond {
 *       n < count
 *     } do {
 *       i = n, or (count - 1) - n                           when it runs backwards
 *       … the body …
 *       return n + 1, carry'
 *     } */

typedef struct loop {
    ct__printer *p;
    const ct__node *node;
    const ct__graph *body;
    ct__print_outer outer;
    const char *zero, *counter, *count;
} loop;

static const ct_type i64 = {.kind = CT__TENSOR, .dtype = CT_I64, .size = 1};

static const char *constant(const loop *l, int64_t value)
{
    const char *name = ct__print_fresh(l->p);
    ct__print_made_constant(l->p, name, &i64, value);
    return name;
}

/* "%name = stablehlo.op %x, %y : tensor<i64>" */
static void binary(const loop *l, const char *name, const char *op, const char *x, const char *y)
{
    const char *const operand[] = {x, y};
    const ct_type *const type[] = {&i64, &i64};
    ct__print_made(l->p, &(ct__made){.name = name,
                                     .op = op,
                                     .n_operands = 2,
                                     .operand = operand,
                                     .type = type,
                                     .result = &i64});
}

static const char *argument(const loop *l, size_t i)
{
    return i == 0 ? l->counter : ct__print_name(l->p, l->body->param[i]);
}

static const char *start(const loop *l, size_t i)
{
    return i == 0 ? l->zero : l->outer.name[l->node->operand[i]];
}

static void print_types(const loop *l)
{
    for (size_t i = 0; i <= l->node->n_results; i++) {
        ct__text_add(l->p->out, "%s", i ? ", " : "");
        ct__print_type(l->p, ct__param_type(l->body, i));
    }
}

static void print_mark(const loop *l)
{
    const char *extra = l->node->extra;
    ct__text_add(l->p->out, "{ct.for = {is_reverse = %s}%s%s}",
                 l->node->attrs->counted.is_reverse ? "true" : "false", extra ? ", " : "",
                 extra ? extra : "");
}

static void print_condition(const loop *l)
{
    const ct_type pred = {.kind = CT__TENSOR, .dtype = CT_BOOL, .size = 1}, *result = &pred;
    const ct_type *const type[] = {&i64, &i64};
    const char *const operand[] = {l->counter, l->count};
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

/* The body's first parameter: the counter itself, or what it is from the end. */
static void print_index(const loop *l)
{
    if (!l->node->attrs->counted.is_reverse) {
        ct__print_take_name(l->p, l->body->param[0], l->counter);
        return;
    }
    const char *last = ct__print_fresh(l->p);
    binary(l, last, "subtract", l->count, constant(l, 1));
    binary(l, ct__print_own_value(l->p, l->body->param[0]), "subtract", last, l->counter);
}

static void print_body(const loop *l)
{
    ct__printer *p = l->p;
    size_t count = l->node->n_results + 1;
    const char **name = CT__NEW_ARRAY(&p->function, const char *, count);
    const ct_type **type = CT__NEW_ARRAY(&p->function, const ct_type *, count);
    if (!name || !type)
        return;
    print_index(l);
    ct__print_statements(p);
    name[0] = ct__print_fresh(p);
    binary(l, name[0], "add", l->counter, constant(l, 1));
    type[0] = &i64;
    for (size_t i = 1; i < count; i++) {
        name[i] = ct__print_name(p, l->body->result[i - 1]);
        type[i] = ct__param_type(l->body, i);
    }
    ct__print_yield(p, "stablehlo.return", count, name, type);
}

static void print_brace(ct__printer *p, const char *text)
{
    p->depth--;
    ct__print_line(p);
    ct__text_add(p->out, "%s", text);
    p->depth++;
}

static void print_pretty(const loop *l)
{
    ct__text_add(l->p->out, "stablehlo.while(");
    for (size_t i = 0; i <= l->node->n_results; i++)
        ct__text_add(l->p->out, "%s%s = %s", i ? ", " : "", argument(l, i), start(l, i));
    ct__text_add(l->p->out, ") : ");
    print_types(l);
    ct__text_add(l->p->out, " attributes ");
    print_mark(l);
    print_brace(l->p, " cond {");
    print_condition(l);
    print_brace(l->p, "} do {");
    print_body(l);
    print_brace(l->p, "}");
}

/* "^bb0(%n: tensor<i64>, %c: T):" */
static void print_block(const loop *l)
{
    print_brace(l->p, "^bb0(");
    for (size_t i = 0; i <= l->node->n_results; i++) {
        ct__text_add(l->p->out, "%s%s: ", i ? ", " : "", argument(l, i));
        ct__print_type(l->p, ct__param_type(l->body, i));
    }
    ct__text_add(l->p->out, "):");
}

static void print_generic(const loop *l)
{
    ct__text_add(l->p->out, "\"stablehlo.while\"(");
    for (size_t i = 0; i <= l->node->n_results; i++)
        ct__text_add(l->p->out, "%s%s", i ? ", " : "", start(l, i));
    ct__text_add(l->p->out, ") ({");
    print_block(l);
    print_condition(l);
    print_brace(l->p, "}, {");
    print_block(l);
    print_body(l);
    print_brace(l->p, "}) ");
    print_mark(l);
    ct__text_add(l->p->out, " : (");
    print_types(l);
    ct__text_add(l->p->out, ") -> %s", l->node->n_results ? "(" : "");
    print_types(l);
    ct__text_add(l->p->out, "%s", l->node->n_results ? ")" : "");
}

void ct__print_form_counted(ct__printer *p, const ct__node *node)
{
    loop l = {.p = p, .node = node, .body = node->region[0]};
    l.zero = constant(&l, 0);
    l.count = ct__print_name(p, node->operand[0]);
    ct__print_line(p);
    ct__print_results(p, node, 1);
    ct__print_enter(p, node, l.body, 1 + node->n_results, &l.outer);
    if (p->name && l.outer.name) {
        l.counter = ct__print_fresh_arg(p);
        for (size_t i = 0; i < node->n_results; i++)
            ct__print_own_param(p, 1 + i);
        if (p->is_generic)
            print_generic(&l);
        else
            print_pretty(&l);
    }
    ct__print_leave(p, &l.outer);
}

/* ---- Stacks are tokens there, made and used by custom calls that say what their elements are:
 *
 *     %1 = stablehlo.custom_call @ct.stack_add(%0, %i, %x) {ct.element = tensor<2xf32>}
 *
 * as do the parameters and results of functions. */

void ct__print_element(ct__printer *p, const ct_type *stack)
{
    int64_t depth = 0;
    for (; stack->kind == CT__STACK; depth++)
        stack = stack->element[0];
    if (depth != 1)
        ct__text_add(p->out, "ct.depth = %" PRId64 " : i64, ", depth);
    ct__text_add(p->out, "ct.element = ");
    ct__print_type(p, stack);
}

/* "stablehlo.custom_call @ct.stack_add(" */
static void open_call(ct__printer *p, ct__op op)
{
    ct__text_add(p->out,
                 p->is_generic ? "\"stablehlo.custom_call\"(" : "stablehlo.custom_call @%s(",
                 ct__op_describe(op)->spelling);
}

/* ") {ct.element = tensor<2xf32>} : " */
static void close_call(ct__printer *p, ct__op op, const ct_type *stack, const char *extra)
{
    ct__text_add(p->out, p->is_generic ? ") <{call_target_name = \"%s\"}> {" : ") {",
                 ct__op_describe(op)->spelling);
    ct__print_element(p, stack);
    ct__text_add(p->out, "%s%s} : ", extra ? ", " : "", extra ? extra : "");
}

void ct__print_form_stack(ct__printer *p, const ct__node *node)
{
    const ct_type *stack = ct__graph_type(p->graph, node->n_operands > 0 ? node->operand[0]
                                                                         : node->first_result);
    ct__print_line(p);
    ct__print_results(p, node, 0);
    open_call(p, node->op);
    ct__print_operands(p, node, 0, node->n_operands);
    close_call(p, node->op, stack, node->extra);
    ct__print_signature(p, node, node->n_operands);
}

void ct__print_made_stack(ct__printer *p, ct__op op, const ct_type *stack, const ct__made *m)
{
    ct__print_line(p);
    ct__text_add(p->out, "%s = ", m->name);
    open_call(p, op);
    for (size_t i = 0; i < m->n_operands; i++)
        ct__text_add(p->out, "%s%s", i ? ", " : "", m->operand[i]);
    close_call(p, op, stack, NULL);
    ct__print_made_signature(p, m);
}
