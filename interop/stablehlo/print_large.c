#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <string.h>

/* ---- convolution. */

/* "[b, 0, 1, f]": the role of every axis. */
static void print_roles(ct__printer *p, int64_t first, char first_role, int64_t second,
                        char second_role, ct__ints spatial)
{
    const int64_t rank = (int64_t)spatial.count + 2;
    ct__text_add(p->out, "[");
    for (int64_t axis = 0; axis < rank; axis++) {
        ct__text_add(p->out, "%s", axis ? ", " : "");
        if (axis == first || axis == second)
            ct__text_add(p->out, "%c", axis == first ? first_role : second_role);
        for (size_t d = 0; d < spatial.count; d++)
            if (spatial.item[d] == axis)
                ct__text_add(p->out, "%zu", d);
    }
    ct__text_add(p->out, "]");
}

/* "stride = [2, 2]", but not where all are the usual value. */
static void print_unusual(ct__printer *p, const char **separator, const char *name, ct__ints list,
                          int64_t usual)
{
    if (ct__are_all(list, usual))
        return;
    ct__text_add(p->out, "%s%s = ", *separator, name);
    ct__print_list(p, list);
    *separator = ", ";
}

/* "pad = [[1, 1], [0, 2]]" */
static void print_pad(ct__printer *p, const char **separator, ct__ints low, ct__ints high)
{
    if (ct__are_all(low, 0) && ct__are_all(high, 0))
        return;
    ct__text_add(p->out, "%spad = [", *separator);
    for (size_t d = 0; d < low.count; d++)
        ct__text_add(p->out, "%s[%" PRId64 ", %" PRId64 "]", d ? ", " : "", low.item[d],
                     high.item[d]);
    ct__text_add(p->out, "]");
    *separator = ", ";
}

/* "reverse = [true, false]" */
static void print_reversal(ct__printer *p, const char **separator, ct__ints list)
{
    if (ct__are_all(list, 0))
        return;
    ct__text_add(p->out, "%sreverse = [", *separator);
    for (size_t d = 0; d < list.count; d++)
        ct__text_add(p->out, "%s%s", d ? ", " : "", list.item[d] ? "true" : "false");
    ct__text_add(p->out, "]");
    *separator = ", ";
}

static void print_window(ct__printer *p, const struct ct__attrs_convolution *a)
{
    const char *separator = "";
    ct__text_add(p->out, ", window = {");
    print_unusual(p, &separator, "stride", a->window_strides, 1);
    print_pad(p, &separator, a->padding_low, a->padding_high);
    print_unusual(p, &separator, "lhs_dilate", a->lhs_dilation, 1);
    print_unusual(p, &separator, "rhs_dilate", a->rhs_dilation, 1);
    print_reversal(p, &separator, a->window_reversal);
    ct__text_add(p->out, "}");
}

/* "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]" */
static void print_dim_numbers(ct__printer *p, const struct ct__attrs_convolution *a)
{
    print_roles(p, a->input_batch_dimension, 'b', a->input_feature_dimension, 'f',
                a->input_spatial_dimensions);
    ct__text_add(p->out, "x");
    print_roles(p, a->kernel_input_feature_dimension, 'i', a->kernel_output_feature_dimension, 'o',
                a->kernel_spatial_dimensions);
    ct__text_add(p->out, "->");
    print_roles(p, a->output_batch_dimension, 'b', a->output_feature_dimension, 'f',
                a->output_spatial_dimensions);
}

void ct__print_form_convolution(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_convolution *a = &node->attrs->convolution;
    ct__print_head(p, node);
    ct__text_add(p->out, "(");
    ct__print_operands(p, node, 0, 2);
    ct__text_add(p->out, ") dim_numbers = ");
    print_dim_numbers(p, a);
    print_window(p, a);
    ct__properties q = {p, " {"};
    ct__property_int(&q, "batch_group_count", a->batch_group_count);
    ct__property_int(&q, "feature_group_count", a->feature_group_count);
    ct__property_precision(&q, "stablehlo", a->precision_config);
    ct__text_add(p->out, "}");
    ct__print_end(p, node);
}

/* "array<i1: true, false>" */
static void write_reversal(ct__properties *q, ct__ints list)
{
    if (ct__are_all(list, 0))
        return;
    ct__property(q, "window_reversal");
    ct__text_add(q->p->out, "array<i1");
    for (size_t d = 0; d < list.count; d++)
        ct__text_add(q->p->out, "%s %s", d ? "," : ":", list.item[d] ? "true" : "false");
    ct__text_add(q->p->out, ">");
}

void ct__write_convolution(ct__properties *q, const ct__node *node)
{
    const struct ct__attrs_convolution *a = &node->attrs->convolution;
    ct__property_int(q, "batch_group_count", a->batch_group_count);
    ct__property(q, "dimension_numbers");
    ct__text_add(q->p->out, "#stablehlo.conv<");
    print_dim_numbers(q->p, a);
    ct__text_add(q->p->out, ">");
    ct__property_int(q, "feature_group_count", a->feature_group_count);
    ct__property_steps(q, "lhs_dilation", a->lhs_dilation);
    ct__property_padding(q, a->padding_low, a->padding_high);
    ct__property_precision(q, "stablehlo", a->precision_config);
    ct__property_steps(q, "rhs_dilation", a->rhs_dilation);
    write_reversal(q, a->window_reversal);
    ct__property_steps(q, "window_strides", a->window_strides);
}

/* ---- Transforming and solving. */

void ct__print_form_fft(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_fft *a = &node->attrs->fft;
    ct__print_start(p, node, 1);
    ct__text_add(p->out, ", type = %s, length = ", ct__names_fft_type[a->fft_type]);
    ct__print_list(p, a->fft_length);
    ct__print_end(p, node);
}

static const char *truth(bool flag)
{
    return flag ? "true" : "false";
}

void ct__print_form_cholesky(ct__printer *p, const ct__node *node)
{
    ct__print_start(p, node, 1);
    ct__text_add(p->out, ", lower = %s : ", truth(node->attrs->cholesky.lower));
    ct__print_types(p, 1, node->operand);
}

/* ---- Random numbers. */

/* The shape is an operand in the text. */
static const char *print_shape(ct__printer *p, ct__ints list, const ct_type *type)
{
    const char *name = ct__print_fresh(p);
    ct__print_line(p);
    ct__text_add(p->out,
                 p->is_generic ? "%s = \"stablehlo.constant\"() <{value = dense<"
                               : "%s = stablehlo.constant dense<",
                 name);
    if (list.count > 0)
        ct__print_list(p, list);
    ct__text_add(p->out, "> : ");
    ct__print_type(p, type);
    if (p->is_generic) {
        ct__text_add(p->out, "}> : () -> ");
        ct__print_type(p, type);
    }
    return name;
}

static void print_rng_generic(ct__printer *p, const ct__node *node, const char *shape)
{
    ct__print_line(p);
    ct__print_results(p, node, 0);
    ct__text_add(p->out, "\"stablehlo.rng\"(");
    ct__print_operands(p, node, 0, 2);
    ct__text_add(p->out, ", %s) <{rng_distribution = #stablehlo<rng_distribution %s>}>", shape,
                 ct__names_rng_distribution[node->attrs->rng.rng_distribution]);
    ct__print_others(p, node);
}

void ct__print_form_rng(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_rng *a = &node->attrs->rng;
    const int64_t rank = (int64_t)a->shape.count;
    const ct_type type = {
        .kind = CT__TENSOR, .dtype = CT_I64, .rank = 1, .dim = &rank, .size = rank};
    const char *shape = print_shape(p, a->shape, &type);
    if (p->is_generic || node->extra) {
        print_rng_generic(p, node, shape);
    } else {
        ct__print_start(p, node, 2);
        ct__text_add(p->out, ", %s, distribution = %s", shape,
                     ct__names_rng_distribution[a->rng_distribution]);
    }
    ct__text_add(p->out, " : (");
    ct__print_types(p, 2, node->operand);
    ct__text_add(p->out, ", ");
    ct__print_type(p, &type);
    ct__text_add(p->out, ") -> ");
    ct__print_type(p, ct__graph_type(p->graph, node->first_result));
}

void ct__print_form_rng_bit_generator(ct__printer *p, const ct__node *node)
{
    ct__print_start(p, node, 1);
    ct__text_add(p->out, ", algorithm = %s",
                 ct__names_rng_algorithm[node->attrs->rng_bit_generator.rng_algorithm]);
    ct__print_end(p, node);
}
