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

static void print_mark(const void *user)
{
    const loop *l = user;
    const char *extra = l->node->extra;
    ct__text_add(l->p->out, "{ct.for = {is_reverse = %s}%s%s}",
                 l->node->attrs->counted.is_reverse ? "true" : "false", extra ? ", " : "",
                 extra ? extra : "");
}

static const char *limit(const void *user)
{
    return ((const loop *)user)->count;
}

/* Backwards the body's first parameter is what the counter is from the end; else the counter. */
static void print_index(const loop *l)
{
    if (!l->node->attrs->counted.is_reverse)
        return;
    const char *one = ct__print_index(l->p, &i64, 1), *last = ct__print_fresh(l->p);
    ct__print_binary(l->p, &i64, last, "subtract", l->count, one);
    ct__print_binary(l->p, &i64, ct__print_own_value(l->p, l->body->param[0]), "subtract", last,
                     l->counter);
}

static void print_body(void *user)
{
    const loop *l = user;
    ct__printer *p = l->p;
    size_t count = l->node->n_results + 1;
    const char **name = CT__NEW_ARRAY(&p->function, const char *, count);
    const ct_type **type = CT__NEW_ARRAY(&p->function, const ct_type *, count);
    if (!name || !type)
        return;
    print_index(l);
    ct__print_statements(p);
    const char *one = ct__print_index(p, &i64, 1);
    name[0] = ct__print_fresh(p);
    ct__print_binary(p, &i64, name[0], "add", l->counter, one);
    type[0] = &i64;
    for (size_t i = 1; i < count; i++) {
        name[i] = ct__print_name(p, l->body->result[i - 1]);
        type[i] = ct__param_type(l->body, i);
    }
    ct__print_yield(p, "stablehlo.return", count, name, type);
}

/* The counter, then the carries. */
static void name_arguments(loop *l, ct__counting *lines)
{
    l->counter = l->node->attrs->counted.is_reverse ? ct__print_fresh_arg(l->p)
                                                    : ct__print_own_param(l->p, 0);
    for (size_t i = 0; i < lines->count; i++) {
        lines->argument[i] = i == 0 ? l->counter : ct__print_own_param(l->p, i);
        lines->start[i] = i == 0 ? l->zero : l->outer.name[l->node->operand[i]];
        lines->type[i] = ct__param_type(l->body, i);
    }
}

void ct__print_form_counted(ct__printer *p, const ct__node *node)
{
    loop l = {.p = p, .node = node, .body = node->region[0]};
    ct__counting lines = {.loop = &l, .mark = print_mark, .limit = limit, .body = print_body};
    l.zero = ct__print_index(p, &i64, 0);
    l.count = ct__print_name(p, node->operand[0]);
    ct__print_line(p);
    ct__print_results(p, node, 1);
    ct__print_enter(p, node, l.body, 1 + node->n_results, &l.outer);
    if (p->name && l.outer.name && ct__counting_begin(&lines, p, 1 + node->n_results)) {
        name_arguments(&l, &lines);
        ct__print_counting(&lines);
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
