#include "interop/stablehlo/print.h"

#include <inttypes.h>

/* scan(carry…, x…, captures…) is printed as the counted loop that JAX exports:
 *
 *     %0 = constant dense<0> : tensor<i32>                  the counter's start
 *     %1 = constant dense<0.0> : tensor<LxT>                a stack for each y
 *     %2:3 = while(%n = %0, %c = %carry, %s = %1) : … attributes {ct.scan = {…}}
 *      cond {
 *       n < L
 *     } do {
 *       i = n, or L - 1 - n                                 when it runs backwards
 *       x_i = reshape(dynamic_slice(x, i, 0…))              for each x
 *       … the body …
 *       s' = dynamic_update_slice(s, reshape(y), i, 0…)     for each y
 *       return n + 1, carry', s'
 *     }
 *
 * A loop of length 0 has no element to slice: there x_i = reshape(concatenate(x, zeros)) and
 * s' = dynamic_update_slice(s, dynamic_slice(reshape(y), i, 0…), i, 0…), a row without elements.
 *
 * Where x is a stack, x_i = stack_get(x, i); where y is one, s starts as stack_new() and
 * s' = stack_add(s, i, y). Then the counter is i64, as their index is. */

typedef struct loop {
    ct__printer *p;
    const ct__node *node;
    const ct__graph *body;
    int64_t length;
    size_t n_carry, n_inputs, n_outputs;
    ct_type index_type; /* of the counter: rank 0 */
    const char *zero;   /* outside the loop, visible inside */
    const char **stack; /* outside */
    const char *counter;
    const char **state; /* inside: the stacks of the current iteration, then the updated ones */
    const char *index;
    ct__print_outer outer;
} loop;

/* Whether rows of the scan are taken from stacks or put into them. */
static bool has_stacks(const ct__graph *graph, const ct__node *node)
{
    const size_t n_carry = (size_t)node->attrs->scan.n_carry;
    const size_t end = n_carry + (size_t)node->attrs->scan.n_inputs;
    bool found = false;
    for (size_t i = n_carry; i < end; i++)
        found = found || ct__graph_type(graph, node->operand[i])->kind == CT__STACK;
    for (size_t i = n_carry; i < node->n_results; i++)
        found = found || ct__graph_type(graph, node->first_result + (ct__id)i)->kind == CT__STACK;
    return found;
}

static bool loop_init(loop *l, ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_scan *attrs = &node->attrs->scan;
    const bool is_narrow = attrs->length <= INT32_MAX && !has_stacks(p->graph, node);
    *l = (loop){
        .p = p,
        .node = node,
        .body = node->region[0],
        .length = attrs->length,
        .n_carry = (size_t)attrs->n_carry,
        .n_inputs = (size_t)attrs->n_inputs,
        .n_outputs = node->n_results - (size_t)attrs->n_carry,
        .index_type = {.kind = CT__TENSOR, .dtype = is_narrow ? CT_I32 : CT_I64, .size = 1}};
    l->stack = CT__NEW_ARRAY(&p->function, const char *, l->n_outputs);
    l->state = CT__NEW_ARRAY(&p->function, const char *, l->n_outputs);
    return l->stack && l->state;
}

/* ---- Outside the loop. */

static const char *index_constant(const loop *l, int64_t value)
{
    return ct__print_index(l->p, &l->index_type, value);
}

/* "%name = stablehlo.op %x, %y : I" */
static const char *index_binary(const loop *l, const char *op, const char *x, const char *y)
{
    const char *name = ct__print_fresh(l->p);
    ct__print_binary(l->p, &l->index_type, name, op, x, y);
    return name;
}

static const ct_type *stack_type(const loop *l, const ct__graph *graph, size_t i)
{
    return ct__graph_type(graph, l->node->first_result + (ct__id)(l->n_carry + i));
}

static void print_starts(loop *l)
{
    ct__printer *p = l->p;
    l->zero = index_constant(l, 0);
    for (size_t i = 0; i < l->n_outputs; i++) {
        const ct_type *type = stack_type(l, p->graph, i);
        l->stack[i] = ct__print_fresh(p);
        if (type->kind == CT__STACK)
            ct__print_made_stack(p, CT__OP_stack_new, type,
                                 &(ct__made){.name = l->stack[i], .result = type});
        else
            ct__print_made_constant(p, l->stack[i], type, 0);
    }
}

/* "{ct.scan = {…}}" */
static void print_mark(const void *user)
{
    const loop *l = user;
    const struct ct__attrs_scan *attrs = &l->node->attrs->scan;
    const char *extra = l->node->extra;
    ct__text_add(l->p->out,
                 "{ct.scan = {is_reverse = %s, length = %" PRId64 " : i64, n_carry = %" PRId64
                 " : i64, n_inputs = %" PRId64 " : i64}%s%s}",
                 attrs->is_reverse ? "true" : "false", attrs->length, attrs->n_carry,
                 attrs->n_inputs, extra ? ", " : "", extra ? extra : "");
}

/* What the loop carries, in the scope of the body: the counter, the carries, the stacks. */
static void name_arguments(loop *l, ct__counting *lines)
{
    const ct__print_outer *outer = &l->outer;
    lines->argument[0] = l->counter = ct__print_fresh_arg(l->p);
    lines->start[0] = l->zero;
    lines->type[0] = &l->index_type;
    for (size_t i = 0; i + 1 < lines->count; i++) {
        const size_t y = i - l->n_carry;
        bool is_carry = i < l->n_carry;
        if (!is_carry)
            l->state[y] = ct__print_fresh_arg(l->p);
        lines->argument[1 + i] = is_carry ? ct__print_own_param(l->p, i) : l->state[y];
        lines->start[1 + i] = is_carry ? outer->name[l->node->operand[i]] : l->stack[y];
        lines->type[1 + i] = ct__graph_type(outer->graph, l->node->first_result + (ct__id)i);
    }
}

/* ---- Inside. */

static const char *limit(const void *user)
{
    const loop *l = user;
    return index_constant(l, l->length);
}

static void print_index(loop *l)
{
    l->index = l->counter;
    if (!l->node->attrs->scan.is_reverse || l->length == 0)
        return;
    l->index = index_binary(l, "subtract", index_constant(l, l->length - 1), l->counter);
}

/* tensor<1xT> for a slice of a stack tensor<LxT>, or another extent than 1. */
typedef struct slice_type {
    ct_type type;
    int64_t dim[CT__MAX_RANK];
} slice_type;

static const ct_type *slice_of(slice_type *s, const ct_type *stack, int64_t extent)
{
    s->type = *stack;
    for (int d = 0; d < stack->rank; d++)
        s->dim[d] = d == 0 ? extent : stack->dim[d];
    s->type.dim = s->dim;
    return &s->type;
}

/* Operands x, maybe y, and one start per axis: the index, then zeros. */
typedef struct operands {
    size_t count;
    const char *name[CT__MAX_RANK + 2];
    const ct_type *type[CT__MAX_RANK + 2];
} operands;

static void add_operand(operands *o, const char *name, const ct_type *type)
{
    o->name[o->count] = name;
    o->type[o->count++] = type;
}

static void add_position(operands *o, const loop *l, int rank)
{
    for (int d = 0; d < rank; d++)
        add_operand(o, d == 0 ? l->index : l->zero, &l->index_type);
}

static void print_made(loop *l, const char *name, const char *op, const operands *o,
                       const char *after, const char *attributes, const ct_type *result)
{
    ct__made made = {.name = name,
                     .op = op,
                     .after = after,
                     .attributes = attributes,
                     .n_operands = o->count,
                     .operand = o->name,
                     .type = o->type,
                     .result = result};
    ct__print_made(l->p, &made);
}

static void print_reshape(loop *l, const char *name, const char *x, const ct_type *type,
                          const ct_type *result)
{
    operands o = {.count = 0};
    add_operand(&o, x, type);
    print_made(l, name, "reshape", &o, NULL, NULL, result);
}

/* ", sizes = [1, 2, 3]" or "slice_sizes = array<i64: 1, 2, 3>" */
static void add_sizes(ct__text *text, const ct_type *slice, const char *before, const char *after)
{
    ct__text_add(text, "%s", before);
    for (int d = 0; d < slice->rank; d++)
        ct__text_add(text, d ? ", %" PRId64 : "%" PRId64, slice->dim[d]);
    ct__text_add(text, "%s", after);
}

/* A slice of x at the index, of this extent. */
static const char *print_slice(loop *l, const char *x, const ct_type *type, int64_t extent)
{
    ct__printer *p = l->p;
    const char *name = ct__print_fresh(p);
    operands o = {.count = 0};
    slice_type slice;
    ct__text after, attributes;
    slice_of(&slice, type, extent);
    ct__text_init(&after, &p->out->allocator);
    ct__text_init(&attributes, &p->out->allocator);
    add_sizes(&after, &slice.type, ", sizes = [", "]");
    add_sizes(&attributes, &slice.type, "slice_sizes = array<i64: ", ">");
    add_operand(&o, x, type);
    add_position(&o, l, type->rank);
    if (after.failed || attributes.failed)
        p->out->failed = true;
    else
        print_made(l, name, "dynamic_slice", &o, after.data, attributes.data, &slice.type);
    ct__text_free(&after);
    ct__text_free(&attributes);
    return name;
}

/* x with zeros behind, where it has no element. */
static const char *print_filled(loop *l, const char *x, const ct_type *type)
{
    const char *zeros = ct__print_fresh(l->p), *name = ct__print_fresh(l->p);
    operands o = {.count = 0};
    slice_type s;
    slice_of(&s, type, 1);
    ct__print_made_constant(l->p, zeros, &s.type, 0);
    add_operand(&o, x, type);
    add_operand(&o, zeros, &s.type);
    print_made(l, name, "concatenate", &o, ", dim = 0", "dimension = 0 : i64", &s.type);
    return name;
}

/* x_i of a stack x. */
static void print_get(loop *l, const char *name, const char *x, const ct_type *stack)
{
    operands o = {.count = 0};
    add_operand(&o, x, stack);
    add_operand(&o, l->index, &l->index_type);
    ct__print_made_stack(l->p, CT__OP_stack_get, stack,
                         &(ct__made){.name = name,
                                     .n_operands = o.count,
                                     .operand = o.name,
                                     .type = o.type,
                                     .result = stack->element[0]});
}

/* s' of a stack s, and of y. */
static const char *print_add(loop *l, const char *s, const char *y, const ct_type *stack)
{
    const char *name = ct__print_fresh(l->p);
    operands o = {.count = 0};
    add_operand(&o, s, stack);
    add_operand(&o, l->index, &l->index_type);
    add_operand(&o, y, stack->element[0]);
    ct__print_made_stack(l->p, CT__OP_stack_add, stack,
                         &(ct__made){.name = name,
                                     .n_operands = o.count,
                                     .operand = o.name,
                                     .type = o.type,
                                     .result = stack});
    return name;
}

/* Compute and name the body's parameter that stands for x[i]. */
static void print_element(loop *l, const ct__print_outer *outer, size_t i)
{
    ct__id x = l->node->operand[l->n_carry + i];
    const ct_type *stack = ct__graph_type(outer->graph, x);
    ct__id element = l->body->param[l->n_carry + i];
    slice_type s;
    if (stack->kind == CT__STACK) {
        print_get(l, ct__print_own_value(l->p, element), outer->name[x], stack);
        return;
    }
    const char *slice = l->length ? print_slice(l, outer->name[x], stack, 1)
                                  : print_filled(l, outer->name[x], stack);
    const char *name = ct__print_own_value(l->p, element);
    print_reshape(l, name, slice, slice_of(&s, stack, 1), ct__graph_type(l->body, element));
}

/* state[i] = state[i] with y in place `index`; a stack of length 0 takes nothing of it. */
static void print_update(loop *l, const ct__print_outer *outer, size_t i)
{
    ct__printer *p = l->p;
    ct__id y = l->body->result[l->n_carry + i];
    const ct_type *stack = stack_type(l, outer->graph, i);
    operands o = {.count = 0};
    slice_type s;
    if (stack->kind == CT__STACK) {
        l->state[i] = print_add(l, l->state[i], ct__print_name(p, y), stack);
        return;
    }
    const char *row = ct__print_fresh(p);
    print_reshape(l, row, ct__print_name(p, y), ct__graph_type(p->graph, y),
                  slice_of(&s, stack, 1));
    if (l->length == 0)
        row = print_slice(l, row, &s.type, 0);
    const char *updated = ct__print_fresh(p);
    add_operand(&o, l->state[i], stack);
    add_operand(&o, row, l->length ? &s.type : stack);
    add_position(&o, l, stack->rank);
    print_made(l, updated, "dynamic_update_slice", &o, NULL, NULL, stack);
    l->state[i] = updated;
}

static void print_next(loop *l, const ct__print_outer *outer)
{
    ct__printer *p = l->p;
    size_t count = l->node->n_results + 1;
    const char **name = CT__NEW_ARRAY(&p->function, const char *, count);
    const ct_type **type = CT__NEW_ARRAY(&p->function, const ct_type *, count);
    if (!name || !type)
        return;
    name[0] = index_binary(l, "add", l->counter, index_constant(l, 1));
    type[0] = &l->index_type;
    for (size_t i = 0; i + 1 < count; i++) {
        name[i + 1] = i < l->n_carry ? ct__print_name(p, l->body->result[i])
                                     : l->state[i - l->n_carry];
        type[i + 1] = ct__graph_type(outer->graph, l->node->first_result + (ct__id)i);
    }
    ct__print_yield(p, "stablehlo.return", count, name, type);
}

static void print_body(void *user)
{
    loop *l = user;
    const ct__print_outer *outer = &l->outer;
    print_index(l);
    for (size_t i = 0; i < l->n_inputs; i++)
        print_element(l, outer, i);
    ct__print_statements(l->p);
    for (size_t i = 0; i < l->n_outputs; i++)
        print_update(l, outer, i);
    print_next(l, outer);
}

/* ---- The whole. */

void ct__print_form_scan(ct__printer *p, const ct__node *node)
{
    loop l;
    ct__counting lines = {.loop = &l, .mark = print_mark, .limit = limit, .body = print_body};
    if (!loop_init(&l, p, node))
        return;
    print_starts(&l);
    ct__print_line(p);
    ct__print_results(p, node, 1);
    ct__print_enter(p, node, l.body, l.n_carry + l.n_inputs, &l.outer);
    if (p->name && l.outer.name && ct__counting_begin(&lines, p, 1 + node->n_results)) {
        name_arguments(&l, &lines);
        ct__print_counting(&lines);
    }
    ct__print_leave(p, &l.outer);
}
