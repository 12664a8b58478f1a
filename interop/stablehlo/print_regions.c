#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <string.h>

/* ---- Bodies between braces. */

/* "%a: T", naming parameter i of the current body. */
static void print_own_param(ct__printer *p, size_t i)
{
    ct__text_add(p->out, "%s: ", ct__print_own_param(p, i));
    ct__print_type(p, ct__param_type(p->graph, i));
}

static void print_own_params(ct__printer *p, size_t n_own)
{
    for (size_t i = 0; i < n_own; i++) {
        ct__text_add(p->out, "%s", i ? ", " : "");
        print_own_param(p, i);
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

/* "%3 = \"stablehlo.gather\"(%x, %indices)" */
void ct__print_generic_head(ct__printer *p, const ct__node *node, size_t n_operands)
{
    ct__print_line(p);
    ct__print_results(p, node, 0);
    ct__text_add(p->out, "\"%s\"(", ct__op_describe(node->op)->spelling);
    ct__print_operands(p, node, 0, n_operands);
    ct__text_add(p->out, ")");
}

/* ---- Fields of #stablehlo.gather<…> and #stablehlo.scatter<…>: empty ones and a 0 are left out.
 */

static void print_axes(ct__printer *p, const char **separator, const char *name, ct__ints list)
{
    if (list.count == 0)
        return;
    ct__text_add(p->out, "%s%s = ", *separator, name);
    ct__print_list(p, list);
    *separator = ", ";
}

static void print_axis(ct__printer *p, const char **separator, const char *name, int64_t axis)
{
    if (axis == 0)
        return;
    ct__text_add(p->out, "%s%s = %" PRId64, *separator, name, axis);
    *separator = ", ";
}

/* ---- gather. */

void ct__print_form_gather(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_gather *attrs = &node->attrs->gather;
    const char *separator = "";
    ct__print_generic_head(p, node, 2);
    ct__text_add(p->out, " <{dimension_numbers = #stablehlo.gather<");
    print_axes(p, &separator, "offset_dims", attrs->offset_dims);
    print_axes(p, &separator, "collapsed_slice_dims", attrs->collapsed_slice_dims);
    print_axes(p, &separator, "operand_batching_dims", attrs->operand_batching_dims);
    print_axes(p, &separator, "start_indices_batching_dims", attrs->start_indices_batching_dims);
    print_axes(p, &separator, "start_index_map", attrs->start_index_map);
    print_axis(p, &separator, "index_vector_dim", attrs->index_vector_dim);
    ct__text_add(p->out, ">, %sslice_sizes = ",
                 attrs->indices_are_sorted ? "indices_are_sorted = true, " : "");
    ct__print_array(p, attrs->slice_sizes);
    ct__text_add(p->out, "}>");
    ct__print_strict(p, attrs->strict);
    ct__text_add(p->out, " : ");
    ct__print_signature(p, node, 2);
}

/* ---- scatter: body(old…, new…, captures…). */

static void print_scatter_attrs(ct__printer *p, const struct ct__attrs_scatter *attrs)
{
    const char *separator = "";
    ct__text_add(p->out, " <{%sscatter_dimension_numbers = #stablehlo.scatter<",
                 attrs->indices_are_sorted ? "indices_are_sorted = true, " : "");
    print_axes(p, &separator, "update_window_dims", attrs->update_window_dims);
    print_axes(p, &separator, "inserted_window_dims", attrs->inserted_window_dims);
    print_axes(p, &separator, "input_batching_dims", attrs->input_batching_dims);
    print_axes(p, &separator, "scatter_indices_batching_dims",
               attrs->scatter_indices_batching_dims);
    print_axes(p, &separator, "scatter_dims_to_operand_dims", attrs->scatter_dims_to_operand_dims);
    print_axis(p, &separator, "index_vector_dim", attrs->index_vector_dim);
    ct__text_add(p->out, ">%s}>", attrs->unique_indices ? ", unique_indices = true" : "");
}

void ct__print_form_scatter(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_scatter *attrs = &node->attrs->scatter;
    size_t n_inputs = (size_t)attrs->n_inputs;
    ct__print_generic_head(p, node, 2 * n_inputs + 1);
    print_scatter_attrs(p, attrs);
    ct__text_add(p->out, " (");
    ct__print_region(p, node, node->region[0], 2 * n_inputs);
    ct__text_add(p->out, ")");
    ct__print_strict(p, attrs->strict);
    ct__text_add(p->out, " : ");
    ct__print_signature(p, node, 2 * n_inputs + 1);
}

/* ---- reduce: body(accumulated…, elements…, captures…). */

/* The short form names one operation, which StableHLO wants commutative, on (accumulated, element).
 */
static const char *short_reducer(const ct__node *node)
{
    const ct__graph *body = node->region[0];
    int kind = ct__graph_body_kind(body);
    if (kind < 0 || !ct__has((ct__op)kind, CT__COMMUTATIVE) ||
        body->node[0].operand[0] != body->param[0])
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
    for (size_t i = 0; i < n_inputs; i++) {
        ct__text_add(p->out, "%s(", i ? " " : "");
        print_own_param(p, i);
        ct__text_add(p->out, ", ");
        print_own_param(p, n_inputs + i);
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
    const char *reducer = short_reducer(node);
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

/* ---- reduce_window: body(accumulated…, elements…, captures…). Lists of defaults are left out. */

static bool is_all(ct__ints list, int64_t value)
{
    for (size_t d = 0; d < list.count; d++)
        if (list.item[d] != value)
            return false;
    return true;
}

/* "window_strides = array<i64: 2, 2>, " */
static void print_window_list(ct__printer *p, const char *name, ct__ints list)
{
    if (is_all(list, 1))
        return;
    ct__text_add(p->out, "%s = ", name);
    ct__print_array(p, list);
    ct__text_add(p->out, ", ");
}

/* "padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, " */
static void print_padding(ct__printer *p, ct__ints low, ct__ints high)
{
    if (is_all(low, 0) && is_all(high, 0))
        return;
    ct__text_add(p->out, "padding = dense<[");
    for (size_t d = 0; d < low.count; d++)
        ct__text_add(p->out, "%s[%" PRId64 ", %" PRId64 "]", d ? ", " : "", low.item[d],
                     high.item[d]);
    ct__text_add(p->out, "]> : tensor<%zux2xi64>, ", low.count);
}

void ct__print_form_reduce_window(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_reduce_window *attrs = &node->attrs->reduce_window;
    size_t n_inputs = (size_t)attrs->n_inputs;
    ct__print_generic_head(p, node, 2 * n_inputs);
    ct__text_add(p->out, " <{");
    print_window_list(p, "base_dilations", attrs->base_dilations);
    print_padding(p, attrs->padding_low, attrs->padding_high);
    print_window_list(p, "window_dilations", attrs->window_dilations);
    print_window_list(p, "window_strides", attrs->window_strides);
    ct__text_add(p->out, "window_dimensions = ");
    ct__print_array(p, attrs->window_dimensions);
    ct__text_add(p->out, "}> (");
    ct__print_region(p, node, node->region[0], 2 * n_inputs);
    ct__text_add(p->out, ") : ");
    ct__print_signature(p, node, 2 * n_inputs);
}

/* ---- select_and_scatter: select(a, b, captures…), scatter(a, b, captures…). */

void ct__print_form_select_and_scatter(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_select_and_scatter *attrs = &node->attrs->select_and_scatter;
    ct__print_generic_head(p, node, 3);
    ct__text_add(p->out, " <{");
    print_padding(p, attrs->padding_low, attrs->padding_high);
    print_window_list(p, "window_strides", attrs->window_strides);
    ct__text_add(p->out, "window_dimensions = ");
    ct__print_array(p, attrs->window_dimensions);
    ct__text_add(p->out, "}> (");
    ct__print_region(p, node, node->region[0], 2);
    ct__text_add(p->out, ", ");
    ct__print_region(p, node, node->region[1], 2);
    ct__text_add(p->out, ") : ");
    ct__print_signature(p, node, 3);
}

/* ---- sort: comparator(left, right of each x, captures…). Ours is always stable. */

void ct__print_form_sort(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_sort *attrs = &node->attrs->sort;
    size_t n_inputs = (size_t)attrs->n_inputs;
    ct__print_generic_head(p, node, n_inputs);
    ct__text_add(p->out, " <{dimension = %" PRId64 " : i64, is_stable = true}> (",
                 attrs->dimension);
    ct__print_region(p, node, node->region[0], 2 * n_inputs);
    ct__text_add(p->out, ") : ");
    ct__print_signature(p, node, n_inputs);
}

/* ---- if: both bodies have captures only. */

void ct__print_if(ct__printer *p, const ct__node *node)
{
    ct__print_generic_head(p, node, 1);
    ct__text_add(p->out, " (");
    ct__print_region(p, node, node->region[0], 0);
    ct__text_add(p->out, ", ");
    ct__print_region(p, node, node->region[1], 0);
    ct__text_add(p->out, ") : ");
    ct__print_signature(p, node, 1);
}

/* ---- case: as if. */

void ct__print_case(ct__printer *p, const ct__node *node)
{
    ct__print_generic_head(p, node, 1);
    ct__text_add(p->out, " (");
    for (size_t r = 0; r < node->n_regions; r++) {
        ct__text_add(p->out, "%s", r ? ", " : "");
        ct__print_region(p, node, node->region[r], 0);
    }
    ct__text_add(p->out, ") : ");
    ct__print_signature(p, node, 1);
}

/* ---- map: body(elements…, captures…). */

void ct__print_form_map(ct__printer *p, const ct__node *node)
{
    size_t n_inputs = (size_t)node->attrs->map.n_inputs;
    ct__print_generic_head(p, node, n_inputs);
    ct__text_add(p->out, " <{dimensions = ");
    ct__print_array(p, node->attrs->map.dimensions);
    ct__text_add(p->out, "}> (");
    ct__print_region(p, node, node->region[0], n_inputs);
    ct__text_add(p->out, ") : ");
    ct__print_signature(p, node, n_inputs);
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

/* A line one step further out: the marks around the bodies. */
static void print_mark(ct__printer *p, const char *text)
{
    p->depth--;
    ct__print_line(p);
    ct__text_add(p->out, "%s", text);
    p->depth++;
}

void ct__print_form_loop(ct__printer *p, const ct__node *node)
{
    size_t n_carry = node->n_results;
    const char **name = CT__NEW_ARRAY(&p->function, const char *, n_carry);
    ct__print_outer outer;
    if (!name)
        return;
    ct__print_head(p, node);
    ct__print_enter(p, node, node->region[0], n_carry, &outer);
    print_carry(p, node, &outer);
    for (size_t i = 0; i < n_carry; i++)
        name[i] = ct__print_name(p, p->graph->param[i]);
    size_t n_args = p->n_args;
    print_mark(p, " cond {");
    ct__print_statements(p);
    ct__print_return(p);
    print_mark(p, "} do {");
    ct__print_leave(p, &outer);
    ct__print_enter(p, node, node->region[1], n_carry, &outer);
    for (size_t i = 0; i < n_carry; i++)
        ct__print_take_name(p, p->graph->param[i], name[i]);
    p->n_args = n_args;
    ct__print_statements(p);
    ct__print_return(p);
    print_mark(p, "}");
    ct__print_leave(p, &outer);
}
