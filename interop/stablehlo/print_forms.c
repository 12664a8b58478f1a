#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <string.h>

/* ---- Without attributes. */

static bool has_one_type(const ct__printer *p, const ct__node *node)
{
    const ct_type *result = ct__graph_type(p->graph, node->first_result);
    for (size_t i = 0; i < node->n_operands; i++)
        if (!ct__type_equal(ct__graph_type(p->graph, node->operand[i]), result))
            return false;
    return true;
}

/* "stablehlo.add %x, %y : T", with a signature where types differ. */
static void print_elementwise(ct__printer *p, const ct__node *node)
{
    ct__print_start(p, node, node->n_operands);
    ct__text_add(p->out, " : ");
    if (has_one_type(p, node))
        ct__print_type(p, ct__graph_type(p->graph, node->first_result));
    else
        ct__print_signature(p, node, node->n_operands);
}

/* "chlo.erf %x : T -> R": no parentheses. */
static void print_chlo(ct__printer *p, const ct__node *node)
{
    ct__print_start(p, node, node->n_operands);
    ct__text_add(p->out, " : ");
    ct__print_types(p, node->n_operands, node->operand);
    ct__text_add(p->out, " -> ");
    ct__print_type(p, ct__graph_type(p->graph, node->first_result));
}

/* The result has the type of the two values. */
static void print_select(ct__printer *p, const ct__node *node)
{
    ct__print_start(p, node, 3);
    ct__text_add(p->out, " : ");
    ct__print_types(p, 2, node->operand);
}

static void print_call(ct__printer *p, const ct__node *node)
{
    ct__print_head(p, node);
    ct__text_add(p->out, " ");
    ct__print_symbol(p, ct__print_symbol_of(p, node->region[0]));
    ct__text_add(p->out, "(");
    ct__print_operands(p, node, 0, node->n_operands);
    ct__text_add(p->out, ") : ");
    ct__print_signature(p, node, node->n_operands);
}

/* "stablehlo.tuple %x, %y : T" with the type of the result. */
static void print_with_type(ct__printer *p, const ct__node *node)
{
    ct__print_head(p, node);
    ct__text_add(p->out, "%s", node->n_operands ? " " : "");
    ct__print_operands(p, node, 0, node->n_operands);
    ct__text_add(p->out, " : ");
    ct__print_type(p, ct__graph_type(p->graph, node->first_result));
}

/* "stablehlo.get_tuple_element %x[1] : (T) -> R" */
void ct__print_form_get_tuple_element(ct__printer *p, const ct__node *node)
{
    ct__print_head(p, node);
    ct__text_add(p->out, " %s[%" PRId64 "] : ", ct__print_name(p, node->operand[0]),
                 node->attrs->get_tuple_element.index);
    ct__print_signature(p, node, 1);
}

void ct__print_form_none(ct__printer *p, const ct__node *node)
{
    switch (node->op) {
    case CT__OP_after_all: print_with_type(p, node); return;
    case CT__OP_call: print_call(p, node); return;
    case CT__OP_mulhi: ct__print_generic(p, node); return;
    case CT__OP_optimization_barrier: ct__print_barrier(p, node); return;
    case CT__OP_complex:
    case CT__OP_partition_id:
    case CT__OP_replica_id:
    case CT__OP_tuple: print_with_type(p, node); return;
    case CT__OP_select: print_select(p, node); return;
    default: break;
    }
    const char *spelling = ct__op_describe(node->op)->spelling;
    if (strncmp(spelling, "ct.", 3) == 0)
        ct__print_composite(p, node);
    else if (strncmp(spelling, "chlo.", 5) == 0)
        print_chlo(p, node);
    else if (ct__has(node->op, CT__ELEMENTWISE))
        print_elementwise(p, node);
    else
        ct__print_generic(p, node);
}

/* ---- Elementwise, with attributes. */

void ct__print_form_convert(ct__printer *p, const ct__node *node)
{
    print_elementwise(p, node);
}

void ct__print_form_bitcast_convert(ct__printer *p, const ct__node *node)
{
    ct__print_start(p, node, 1);
    ct__print_end(p, node);
}

void ct__print_form_reduce_precision(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_reduce_precision *attrs = &node->attrs->reduce_precision;
    ct__print_start(p, node, 1);
    ct__text_add(p->out, ", format = e%" PRId64 "m%" PRId64 " : ", attrs->exponent_bits,
                 attrs->mantissa_bits);
    ct__print_type(p, ct__graph_type(p->graph, node->first_result));
}

void ct__print_form_compare(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_compare *attrs = &node->attrs->compare;
    const char *type = ct__names_compare_type[attrs->compare_type];
    ct__print_head(p, node);
    ct__text_add(p->out, " %s, ", ct__names_comparison[attrs->comparison_direction]);
    ct__print_operands(p, node, 0, 2);
    ct__text_add(p->out, "%s%s : ", *type ? ", " : "", type);
    ct__print_signature(p, node, 2);
}

/* ---- Making. */

/* The pretty form has one type, and stored integers another one than what they stand for. */
void ct__print_form_constant(ct__printer *p, const ct__node *node)
{
    if (node->attrs->constant.value->type->quantized) {
        ct__print_generic(p, node);
        return;
    }
    ct__print_head(p, node);
    ct__text_add(p->out, " ");
    ct__print_literal(p, node->attrs->constant.value);
}

void ct__print_form_iota(ct__printer *p, const ct__node *node)
{
    ct__print_head(p, node);
    ct__text_add(p->out, " dim = %" PRId64 " : ", node->attrs->iota.iota_dimension);
    ct__print_type(p, ct__graph_type(p->graph, node->first_result));
}

/* ---- Moving data, indexing. */

/* "stablehlo.transpose %x, dims = [1, 0]" */
static void print_with_list(ct__printer *p, const ct__node *node, const char *name, ct__ints list)
{
    ct__print_start(p, node, node->n_operands);
    ct__text_add(p->out, ", %s = ", name);
    ct__print_list(p, list);
}

void ct__print_form_broadcast_in_dim(ct__printer *p, const ct__node *node)
{
    print_with_list(p, node, "dims", node->attrs->broadcast_in_dim.broadcast_dimensions);
    ct__print_end(p, node);
}

void ct__print_form_concatenate(ct__printer *p, const ct__node *node)
{
    ct__print_start(p, node, node->n_operands);
    ct__text_add(p->out, ", dim = %" PRId64, node->attrs->concatenate.dimension);
    ct__print_end(p, node);
}

void ct__print_form_pad(ct__printer *p, const ct__node *node)
{
    print_with_list(p, node, "low", node->attrs->pad.edge_padding_low);
    ct__text_add(p->out, ", high = ");
    ct__print_list(p, node->attrs->pad.edge_padding_high);
    ct__text_add(p->out, ", interior = ");
    ct__print_list(p, node->attrs->pad.interior_padding);
    ct__print_end(p, node);
}

void ct__print_form_reshape(ct__printer *p, const ct__node *node)
{
    ct__print_start(p, node, 1);
    ct__print_end(p, node);
}

void ct__print_form_reverse(ct__printer *p, const ct__node *node)
{
    print_with_list(p, node, "dims", node->attrs->reverse.dimensions);
    ct__text_add(p->out, " : ");
    ct__print_types(p, 1, node->operand);
}

void ct__print_form_slice(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_slice *attrs = &node->attrs->slice;
    ct__print_start(p, node, 1);
    ct__text_add(p->out, " [");
    for (size_t d = 0; d < attrs->start_indices.count; d++) {
        ct__text_add(p->out, "%s%" PRId64 ":%" PRId64, d ? ", " : "", attrs->start_indices.item[d],
                     attrs->limit_indices.item[d]);
        if (attrs->strides.item[d] != 1)
            ct__text_add(p->out, ":%" PRId64, attrs->strides.item[d]);
    }
    ct__text_add(p->out, "]");
    ct__print_end(p, node);
}

void ct__print_form_transpose(ct__printer *p, const ct__node *node)
{
    print_with_list(p, node, "dims", node->attrs->transpose.permutation);
    ct__print_end(p, node);
}

void ct__print_form_dynamic_slice(ct__printer *p, const ct__node *node)
{
    print_with_list(p, node, "sizes", node->attrs->dynamic_slice.slice_sizes);
    ct__print_strict(p, node->attrs->dynamic_slice.strict);
    ct__print_end(p, node);
}

void ct__print_form_dynamic_update_slice(ct__printer *p, const ct__node *node)
{
    ct__print_start(p, node, node->n_operands);
    ct__print_strict(p, node->attrs->dynamic_update_slice.strict);
    ct__print_end(p, node);
}

/* ---- Ordering. */

/* "chlo.top_k(%x, k = 3) : T -> (T, I)" */
void ct__print_form_top_k(ct__printer *p, const ct__node *node)
{
    ct__print_head(p, node);
    ct__text_add(p->out, "(%s, k = %" PRId64 ") : ", ct__print_name(p, node->operand[0]),
                 node->attrs->top_k.k);
    ct__print_types(p, 1, node->operand);
    ct__text_add(p->out, " -> (");
    ct__print_types(p, 2, (const ct__id[]){node->first_result, node->first_result + 1});
    ct__text_add(p->out, ")");
}

/* ---- Contracting, normalising. */

void ct__print_form_batch_norm(ct__printer *p, const ct__node *node)
{
    ct__print_generic(p, node);
}

static void print_pair(ct__printer *p, const char *name, ct__ints lhs, ct__ints rhs)
{
    ct__text_add(p->out, ", %s = ", name);
    ct__print_list(p, lhs);
    ct__text_add(p->out, " x ");
    ct__print_list(p, rhs);
}

void ct__print_form_dot_general(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_dot_general *attrs = &node->attrs->dot_general;
    ct__print_start(p, node, 2);
    if (attrs->lhs_batching_dimensions.count > 0)
        print_pair(p, "batching_dims", attrs->lhs_batching_dimensions,
                   attrs->rhs_batching_dimensions);
    print_pair(p, "contracting_dims", attrs->lhs_contracting_dimensions,
               attrs->rhs_contracting_dimensions);
    if (attrs->precision_config)
        ct__text_add(p->out, ", precision = [%s]", attrs->precision_config);
    if (attrs->algorithm)
        ct__text_add(p->out, ", algorithm = <%s>", attrs->algorithm);
    ct__print_end(p, node);
}
