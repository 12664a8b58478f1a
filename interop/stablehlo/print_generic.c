#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <string.h>

/* The generic form, "dialect.op"(operands) <{attributes}> ({regions}) {others} : (T) -> R, of every
 * operation. Attributes are the fields of the operation's struct under their names, written by
 * their kinds; the tables below say where StableHLO differs. */

/* ---- Attributes: " <{name = value, name = value}>". */

#define OPEN " <{"

typedef struct attributes {
    ct__printer *p;
    const char *separator; /* OPEN until there is one */
} attributes;

/* "name = ", what stands before a value. */
static void begin_attribute(attributes *a, const char *name)
{
    ct__text_add(a->p->out, "%s%s = ", a->separator, name);
    a->separator = ", ";
}

static void add_int(attributes *a, const char *name, int64_t value)
{
    begin_attribute(a, name);
    ct__text_add(a->p->out, "%" PRId64 " : i64", value);
}

static void add_flag(attributes *a, const char *name, bool value)
{
    begin_attribute(a, name);
    ct__text_add(a->p->out, "%s", value ? "true" : "false");
}

/* A promise that holds only where it stands. */
static void add_promise(attributes *a, const char *name, bool value)
{
    if (value)
        add_flag(a, name, true);
}

static void add_ints(attributes *a, const char *name, ct__ints list)
{
    begin_attribute(a, name);
    ct__print_array(a->p, list);
}

static bool is_all(ct__ints list, int64_t value)
{
    for (size_t d = 0; d < list.count; d++)
        if (list.item[d] != value)
            return false;
    return true;
}

/* Strides and dilations of 1 are left out. */
static void add_steps(attributes *a, const char *name, ct__ints list)
{
    if (!is_all(list, 1))
        add_ints(a, name, list);
}

/* "dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>" */
static void add_padding(attributes *a, ct__ints low, ct__ints high)
{
    if (is_all(low, 0) && is_all(high, 0))
        return;
    begin_attribute(a, "padding");
    ct__text_add(a->p->out, "dense<[");
    for (size_t d = 0; d < low.count; d++)
        ct__text_add(a->p->out, "%s[%" PRId64 ", %" PRId64 "]", d ? ", " : "", low.item[d],
                     high.item[d]);
    ct__text_add(a->p->out, "]> : tensor<%zux2xi64>", low.count);
}

/* "#stablehlo<fft_type RFFT>"; an empty word is an attribute that is absent. */
static void add_word(attributes *a, const char *name, const char *kind, const char *word)
{
    if (!*word)
        return;
    begin_attribute(a, name);
    ct__text_add(a->p->out, "#stablehlo<%s %s>", kind, word);
}

/* ---- #stablehlo.gather<…>: fields without a value are left out. */

static void begin_record(attributes *a, const char *name, const char *kind)
{
    begin_attribute(a, name);
    ct__text_add(a->p->out, "#stablehlo.%s<", kind);
    a->separator = "";
}

static void add_axes(attributes *a, const char *name, ct__ints list)
{
    if (list.count == 0)
        return;
    begin_attribute(a, name);
    ct__print_list(a->p, list);
}

static void add_axis(attributes *a, const char *name, int64_t axis)
{
    if (axis == 0)
        return;
    begin_attribute(a, name);
    ct__text_add(a->p->out, "%" PRId64, axis);
}

static void end_record(attributes *a)
{
    ct__text_add(a->p->out, ">");
    a->separator = ", ";
}

/* ---- Structs whose attributes are not their fields. */

typedef void writer(attributes *a, const ct__node *node);

static void write_constant(attributes *a, const ct__node *node)
{
    begin_attribute(a, "value");
    ct__print_literal(a->p, node->attrs->constant.value);
}

static void write_compare(attributes *a, const ct__node *node)
{
    const struct ct__attrs_compare *attrs = &node->attrs->compare;
    add_word(a, "comparison_direction", "comparison_direction",
             ct__names_comparison[attrs->comparison_direction]);
    add_word(a, "compare_type", "comparison_type", ct__names_compare_type[attrs->compare_type]);
}

static void write_gather(attributes *a, const ct__node *node)
{
    const struct ct__attrs_gather *attrs = &node->attrs->gather;
    begin_record(a, "dimension_numbers", "gather");
    add_axes(a, "offset_dims", attrs->offset_dims);
    add_axes(a, "collapsed_slice_dims", attrs->collapsed_slice_dims);
    add_axes(a, "operand_batching_dims", attrs->operand_batching_dims);
    add_axes(a, "start_indices_batching_dims", attrs->start_indices_batching_dims);
    add_axes(a, "start_index_map", attrs->start_index_map);
    add_axis(a, "index_vector_dim", attrs->index_vector_dim);
    end_record(a);
    add_promise(a, "indices_are_sorted", attrs->indices_are_sorted);
    add_ints(a, "slice_sizes", attrs->slice_sizes);
}

static void write_scatter(attributes *a, const ct__node *node)
{
    const struct ct__attrs_scatter *attrs = &node->attrs->scatter;
    add_promise(a, "indices_are_sorted", attrs->indices_are_sorted);
    begin_record(a, "scatter_dimension_numbers", "scatter");
    add_axes(a, "update_window_dims", attrs->update_window_dims);
    add_axes(a, "inserted_window_dims", attrs->inserted_window_dims);
    add_axes(a, "input_batching_dims", attrs->input_batching_dims);
    add_axes(a, "scatter_indices_batching_dims", attrs->scatter_indices_batching_dims);
    add_axes(a, "scatter_dims_to_operand_dims", attrs->scatter_dims_to_operand_dims);
    add_axis(a, "index_vector_dim", attrs->index_vector_dim);
    end_record(a);
    add_promise(a, "unique_indices", attrs->unique_indices);
}

static void write_reduce_window(attributes *a, const ct__node *node)
{
    const struct ct__attrs_reduce_window *attrs = &node->attrs->reduce_window;
    add_steps(a, "base_dilations", attrs->base_dilations);
    add_padding(a, attrs->padding_low, attrs->padding_high);
    add_steps(a, "window_dilations", attrs->window_dilations);
    add_ints(a, "window_dimensions", attrs->window_dimensions);
    add_steps(a, "window_strides", attrs->window_strides);
}

static void write_dot_general(attributes *a, const ct__node *node)
{
    const struct ct__attrs_dot_general *attrs = &node->attrs->dot_general;
    begin_record(a, "dot_dimension_numbers", "dot");
    add_axes(a, "lhs_batching_dimensions", attrs->lhs_batching_dimensions);
    add_axes(a, "rhs_batching_dimensions", attrs->rhs_batching_dimensions);
    add_axes(a, "lhs_contracting_dimensions", attrs->lhs_contracting_dimensions);
    add_axes(a, "rhs_contracting_dimensions", attrs->rhs_contracting_dimensions);
    end_record(a);
}

/* Ours is always stable. */
static void write_sort(attributes *a, const ct__node *node)
{
    add_int(a, "dimension", node->attrs->sort.dimension);
    add_flag(a, "is_stable", true);
}

static void write_custom_call(attributes *a, const ct__node *node)
{
    const struct ct__attrs_custom_call *attrs = &node->attrs->custom_call;
    begin_attribute(a, "call_target_name");
    ct__print_string(a->p, attrs->call_target_name);
    add_flag(a, "has_side_effect", attrs->has_side_effect);
}

static const struct {
    ct__attrs_kind kind;
    writer *write;
} writers[] = {
    {CT__ATTRS_constant, write_constant},
    {CT__ATTRS_compare, write_compare},
    {CT__ATTRS_gather, write_gather},
    {CT__ATTRS_scatter, write_scatter},
    {CT__ATTRS_sort, write_sort},
    {CT__ATTRS_reduce_window, write_reduce_window},
    {CT__ATTRS_dot_general, write_dot_general},
    {CT__ATTRS_custom_call, write_custom_call},
};

/* ---- The other structs: field by field. */

/* What the types and the lists of operands say; `strict` stands behind, as ct.strict. */
static bool is_implied(const char *field)
{
    static const char *const implied[] = {"shape", "n_inputs", "n_carry", "strict"};
    for (size_t i = 0; i < sizeof implied / sizeof *implied; i++)
        if (strcmp(field, implied[i]) == 0)
            return true;
    return false;
}

static void add_field(attributes *a, const ct__field *field, const void *value)
{
    switch (field->kind) {
    case CT__FIELD_INT: add_int(a, field->name, *(const int64_t *)value); return;
    case CT__FIELD_INTS: add_ints(a, field->name, *(const ct__ints *)value); return;
    case CT__FIELD_FLAG: add_flag(a, field->name, *(const bool *)value); return;
    case CT__FIELD_ENUM:
        add_word(a, field->name, field->name, field->names[*(const int *)value]);
        return;
    case CT__FIELD_LITERAL:
        begin_attribute(a, field->name);
        ct__print_literal(a->p, *(ct__literal *const *)value);
        return;
    case CT__FIELD_REAL: {
        char number[CT__NUMBER_BYTES];
        float rounded = (float)*(const double *)value;
        begin_attribute(a, field->name);
        ct__text_add(a->p->out, "%s : f32", ct__print_number(CT_F32, &rounded, number));
        return;
    }
    case CT__FIELD_TEXT:
        if (*(const char *const *)value) {
            begin_attribute(a, field->name);
            ct__print_string(a->p, *(const char *const *)value);
        }
        return;
    case CT__FIELD_DTYPE: return; /* the result type says it */
    }
}

static void add_fields(attributes *a, const ct__node *node)
{
    const ct__attrs_info *info = ct__attrs_describe(ct__op_describe(node->op)->attrs);
    for (size_t i = 0; i < info->n_fields; i++)
        if (!is_implied(info->field[i].name))
            add_field(a, &info->field[i], (const char *)node->attrs + info->field[i].offset);
}

static void add_attributes(attributes *a, const ct__node *node)
{
    ct__attrs_kind kind = ct__op_describe(node->op)->attrs;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (writers[i].kind == kind) {
            writers[i].write(a, node);
            return;
        }
    add_fields(a, node);
}

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

static void print_others(ct__printer *p, const ct__node *node)
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

static void print_call(ct__printer *p, const ct__node *node)
{
    ct__text_add(p->out, " <{callee = ");
    ct__print_symbol(p, ct__print_symbol_of(p, node->region[0]));
    ct__text_add(p->out, "}>");
}

void ct__print_generic(ct__printer *p, const ct__node *node)
{
    attributes a = {p, OPEN};
    bool is_call = ct__has(node->op, CT__CALLS);
    size_t n_captures = node->n_regions > 0 && !is_call
                            ? ct__op_captures(node->op, node->attrs, node->n_operands)
                            : 0;
    size_t n_operands = node->n_operands - n_captures;
    ct__print_line(p);
    ct__print_results(p, node, 0);
    ct__text_add(p->out, "\"%s\"(", ct__op_describe(node->op)->spelling);
    ct__print_operands(p, node, 0, n_operands);
    ct__text_add(p->out, ")");
    if (is_call) {
        print_call(p, node);
    } else {
        add_attributes(&a, node);
        ct__text_add(p->out, "%s", strcmp(a.separator, OPEN) == 0 ? "" : "}>");
        if (node->n_regions > 0)
            print_regions(p, node, n_captures);
    }
    print_others(p, node);
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

/* Its own form names the type of the predicate, then that of all others. */
static bool is_select(const ct__made *m)
{
    return strcmp(m->op, "select") == 0;
}

static void print_made_signature(ct__printer *p, const ct__made *m)
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
    ct__text_add(p->out, p->is_generic ? "%s = \"stablehlo.%s\"(" : "%s = stablehlo.%s ", m->name,
                 m->op);
    ct__text_add(p->out, "%s", p->is_generic || !m->before ? "" : m->before);
    for (size_t i = 0; i < m->n_operands; i++)
        ct__text_add(p->out, "%s%s", i ? ", " : "", m->operand[i]);
    if (p->is_generic)
        ct__text_add(p->out, m->attributes ? ") <{%s}>" : ")", m->attributes);
    else
        ct__text_add(p->out, "%s", m->after ? m->after : "");
    ct__text_add(p->out, " : ");
    if (p->is_generic || !(has_one_type(m) || is_select(m))) {
        print_made_signature(p, m);
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
