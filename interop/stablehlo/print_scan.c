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
 * A loop of length 0 has no element to slice: there the elements are zeros and the stacks stay. */

typedef struct loop {
    ct__printer *p;
    const ct__node *node;
    const ct__graph *body;
    int64_t length;
    size_t n_carry, n_inputs, n_outputs;
    const char *index_type;
    const char *zero;   /* outside the loop, visible inside */
    const char **stack; /* outside */
    const char *counter;
    const char **state; /* inside: the stacks of the current iteration, then the updated ones */
    const char *index;
} loop;

static bool loop_init(loop *l, ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_scan *attrs = &node->attrs->scan;
    *l = (loop){.p = p,
                .node = node,
                .body = node->region[0],
                .length = attrs->length,
                .n_carry = (size_t)attrs->n_carry,
                .n_inputs = (size_t)attrs->n_inputs,
                .n_outputs = node->n_results - (size_t)attrs->n_carry,
                .index_type = attrs->length <= INT32_MAX ? "tensor<i32>" : "tensor<i64>"};
    l->stack = CT__NEW_ARRAY(&p->function, const char *, l->n_outputs);
    l->state = CT__NEW_ARRAY(&p->function, const char *, l->n_outputs);
    return l->stack && l->state;
}

/* ---- Outside the loop. */

static const char *index_constant(loop *l, int64_t value)
{
    const char *name = ct__print_fresh(l->p);
    ct__print_line(l->p);
    ct__text_add(l->p->out, "%s = stablehlo.constant dense<%" PRId64 "> : %s", name, value,
                 l->index_type);
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
        l->stack[i] = ct__print_fresh(p);
        ct__print_line(p);
        ct__text_add(p->out, "%s = stablehlo.constant ", l->stack[i]);
        ct__print_zero(p, stack_type(l, p->graph, i));
    }
}

static void print_mark(const loop *l)
{
    const struct ct__attrs_scan *attrs = &l->node->attrs->scan;
    ct__text_add(l->p->out,
                 " attributes {ct.scan = {is_reverse = %s, length = %" PRId64
                 " : i64, n_carry = %" PRId64 " : i64, n_inputs = %" PRId64 " : i64}}",
                 attrs->is_reverse ? "true" : "false", attrs->length, attrs->n_carry,
                 attrs->n_inputs);
}

/* "(%n = %0, %c = %carry, %s = %1) : T…", in the scope of the body. */
static void print_loop_arguments(loop *l, const ct__print_outer *outer)
{
    ct__printer *p = l->p;
    l->counter = ct__print_fresh_arg(p);
    ct__text_add(p->out, "stablehlo.while(%s = %s", l->counter, l->zero);
    for (size_t i = 0; i < l->n_carry; i++) {
        const char *name = ct__print_own_param(p, i);
        ct__text_add(p->out, ", %s = %s", name, outer->name[l->node->operand[i]]);
    }
    for (size_t i = 0; i < l->n_outputs; i++) {
        l->state[i] = ct__print_fresh_arg(p);
        ct__text_add(p->out, ", %s = %s", l->state[i], l->stack[i]);
    }
    ct__text_add(p->out, ") : %s", l->index_type);
    for (size_t i = 0; i < l->node->n_results; i++) {
        ct__text_add(p->out, ", ");
        ct__print_type(p, ct__graph_type(outer->graph, l->node->first_result + (ct__id)i));
    }
}

/* ---- Inside. */

static void print_condition(loop *l)
{
    ct__printer *p = l->p;
    const char *length = index_constant(l, l->length);
    const char *below = ct__print_fresh(p);
    ct__print_line(p);
    ct__text_add(p->out, "%s = stablehlo.compare LT, %s, %s, SIGNED : (%s, %s) -> tensor<i1>",
                 below, l->counter, length, l->index_type, l->index_type);
    ct__print_line(p);
    ct__text_add(p->out, "stablehlo.return %s : tensor<i1>", below);
}

static void print_index(loop *l)
{
    l->index = l->counter;
    if (!l->node->attrs->scan.is_reverse || l->length == 0)
        return;
    const char *last = index_constant(l, l->length - 1);
    l->index = ct__print_fresh(l->p);
    ct__print_line(l->p);
    ct__text_add(l->p->out, "%s = stablehlo.subtract %s, %s : %s", l->index, last, l->counter,
                 l->index_type);
}

/* tensor<1xT> for a slice of a stack tensor<LxT>. */
static void print_slice_type(ct__printer *p, const ct_type *stack)
{
    ct_type slice = *stack;
    int64_t dim[CT__MAX_RANK];
    for (int d = 0; d < stack->rank; d++)
        dim[d] = d == 0 ? 1 : stack->dim[d];
    slice.dim = dim;
    ct__print_type(p, &slice);
}

/* ", %i, %0, %0" and ", I, I, I": one start per axis. */
static void print_position(const loop *l, int rank)
{
    for (int d = 0; d < rank; d++)
        ct__text_add(l->p->out, ", %s", d == 0 ? l->index : l->zero);
}

static void print_position_types(const loop *l, int rank)
{
    for (int d = 0; d < rank; d++)
        ct__text_add(l->p->out, ", %s", l->index_type);
}

static const char *print_slice(loop *l, const char *x, const ct_type *type)
{
    ct__printer *p = l->p;
    const char *slice = ct__print_fresh(p);
    ct__print_line(p);
    ct__text_add(p->out, "%s = stablehlo.dynamic_slice %s", slice, x);
    print_position(l, type->rank);
    ct__text_add(p->out, ", sizes = [1");
    for (int d = 1; d < type->rank; d++)
        ct__text_add(p->out, ", %" PRId64, type->dim[d]);
    ct__text_add(p->out, "] : (");
    ct__print_type(p, type);
    print_position_types(l, type->rank);
    ct__text_add(p->out, ") -> ");
    print_slice_type(p, type);
    return slice;
}

/* Compute and name the body's parameter that stands for x[i]. */
static void print_element(loop *l, const ct__print_outer *outer, size_t i)
{
    ct__printer *p = l->p;
    ct__id x = l->node->operand[l->n_carry + i];
    const ct_type *stack = ct__graph_type(outer->graph, x);
    ct__id element = l->body->param[l->n_carry + i];
    const ct_type *type = ct__graph_type(l->body, element);
    const char *slice = l->length ? print_slice(l, outer->name[x], stack) : NULL;
    const char *name = ct__print_own_value(p, element);
    ct__print_line(p);
    if (!slice) {
        ct__text_add(p->out, "%s = stablehlo.constant ", name);
        ct__print_zero(p, type);
        return;
    }
    ct__text_add(p->out, "%s = stablehlo.reshape %s : (", name, slice);
    print_slice_type(p, stack);
    ct__text_add(p->out, ") -> ");
    ct__print_type(p, type);
}

/* state[i] = state[i] with y in place `index`. */
static void print_update(loop *l, const ct__print_outer *outer, size_t i)
{
    ct__printer *p = l->p;
    ct__id y = l->body->result[l->n_carry + i];
    const ct_type *stack = stack_type(l, outer->graph, i);
    const char *slice = ct__print_fresh(p), *updated = ct__print_fresh(p);
    ct__print_line(p);
    ct__text_add(p->out, "%s = stablehlo.reshape %s : (", slice, ct__print_name(p, y));
    ct__print_types(p, 1, &y);
    ct__text_add(p->out, ") -> ");
    print_slice_type(p, stack);
    ct__print_line(p);
    ct__text_add(p->out, "%s = stablehlo.dynamic_update_slice %s, %s", updated, l->state[i], slice);
    print_position(l, stack->rank);
    ct__text_add(p->out, " : (");
    ct__print_type(p, stack);
    ct__text_add(p->out, ", ");
    print_slice_type(p, stack);
    print_position_types(l, stack->rank);
    ct__text_add(p->out, ") -> ");
    ct__print_type(p, stack);
    l->state[i] = updated;
}

static void print_next(loop *l, const ct__print_outer *outer)
{
    ct__printer *p = l->p;
    const char *one = index_constant(l, 1), *next = ct__print_fresh(p);
    ct__print_line(p);
    ct__text_add(p->out, "%s = stablehlo.add %s, %s : %s", next, l->counter, one, l->index_type);
    ct__print_line(p);
    ct__text_add(p->out, "stablehlo.return %s", next);
    for (size_t i = 0; i < l->n_carry; i++)
        ct__text_add(p->out, ", %s", ct__print_name(p, l->body->result[i]));
    for (size_t i = 0; i < l->n_outputs; i++)
        ct__text_add(p->out, ", %s", l->state[i]);
    ct__text_add(p->out, " : %s", l->index_type);
    for (size_t i = 0; i < l->node->n_results; i++) {
        ct__text_add(p->out, ", ");
        ct__print_type(p, ct__graph_type(outer->graph, l->node->first_result + (ct__id)i));
    }
}

static void print_body(loop *l, const ct__print_outer *outer)
{
    print_index(l);
    for (size_t i = 0; i < l->n_inputs; i++)
        print_element(l, outer, i);
    ct__print_statements(l->p);
    for (size_t i = 0; i < l->n_outputs && l->length > 0; i++)
        print_update(l, outer, i);
    print_next(l, outer);
}

/* ---- The whole. */

static void print_brace(ct__printer *p, const char *text)
{
    p->depth--;
    ct__print_line(p);
    ct__text_add(p->out, "%s", text);
    p->depth++;
}

void ct__print_form_scan(ct__printer *p, const ct__node *node)
{
    loop l;
    ct__print_outer outer;
    if (!loop_init(&l, p, node))
        return;
    print_starts(&l);
    ct__print_line(p);
    ct__print_results(p, node, 1);
    ct__print_enter(p, node, l.body, l.n_carry + l.n_inputs, &outer);
    if (p->name && outer.name) {
        print_loop_arguments(&l, &outer);
        print_mark(&l);
        print_brace(p, " cond {");
        print_condition(&l);
        print_brace(p, "} do {");
        print_body(&l, &outer);
        print_brace(p, "}");
    }
    ct__print_leave(p, &outer);
}
