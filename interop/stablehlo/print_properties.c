#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <string.h>

/* The attributes of the generic form: the fields of the operation's struct under their names,
 * written by their kinds; the tables below say where StableHLO differs. */

/* ---- " <{name = value, name = value}>". */

#define OPEN " <{"

/* "name = ", what stands before a value. */
void ct__property(ct__properties *a, const char *name)
{
    ct__text_add(a->p->out, "%s%s = ", a->separator, name);
    a->separator = ", ";
}

void ct__property_int(ct__properties *a, const char *name, int64_t value)
{
    ct__property(a, name);
    ct__text_add(a->p->out, "%" PRId64 " : i64", value);
}

void ct__property_flag(ct__properties *a, const char *name, bool value)
{
    ct__property(a, name);
    ct__text_add(a->p->out, "%s", value ? "true" : "false");
}

/* A promise that holds only where it stands. */
static void add_promise(ct__properties *a, const char *name, bool value)
{
    if (value)
        ct__property_flag(a, name, true);
}

void ct__property_ints(ct__properties *a, const char *name, ct__ints list)
{
    ct__property(a, name);
    ct__print_array(a->p, list);
}

void ct__property_rows(ct__properties *a, const char *name, ct__ints list, size_t row)
{
    ct__text *out = a->p->out;
    size_t n_rows = row > 0 ? list.count / row : 0;
    ct__property(a, name);
    ct__text_add(out, "dense<%s", list.count ? "[" : "");
    for (size_t i = 0; i < n_rows; i++) {
        ct__text_add(out, "%s", i ? ", " : "");
        ct__print_list(a->p, (ct__ints){row, list.item + i * row});
    }
    ct__text_add(out, "%s> : tensor<%zux%zuxi64>", list.count ? "]" : "", n_rows, row);
}

/* Strides and dilations of 1 are left out. */
void ct__property_steps(ct__properties *a, const char *name, ct__ints list)
{
    if (!ct__are_all(list, 1))
        ct__property_ints(a, name, list);
}

/* "dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>" */
void ct__property_padding(ct__properties *a, ct__ints low, ct__ints high)
{
    if (ct__are_all(low, 0) && ct__are_all(high, 0))
        return;
    ct__property(a, "padding");
    ct__text_add(a->p->out, "dense<[");
    for (size_t d = 0; d < low.count; d++)
        ct__text_add(a->p->out, "%s[%" PRId64 ", %" PRId64 "]", d ? ", " : "", low.item[d],
                     high.item[d]);
    ct__text_add(a->p->out, "]> : tensor<%zux2xi64>", low.count);
}

/* "#stablehlo<fft_type RFFT>"; an empty word is an attribute that is absent. */
static void add_word(ct__properties *a, const char *name, const char *kind, const char *word)
{
    if (!*word)
        return;
    ct__property(a, name);
    ct__text_add(a->p->out, "#stablehlo<%s %s>", kind, word);
}

/* ---- #stablehlo.gather<…>: fields without a value are left out. */

static void begin_record(ct__properties *a, const char *name, const char *kind)
{
    ct__property(a, name);
    ct__text_add(a->p->out, "#stablehlo.%s<", kind);
    a->separator = "";
}

static void add_axes(ct__properties *a, const char *name, ct__ints list)
{
    if (list.count == 0)
        return;
    ct__property(a, name);
    ct__print_list(a->p, list);
}

static void add_axis(ct__properties *a, const char *name, int64_t axis)
{
    if (axis == 0)
        return;
    ct__property(a, name);
    ct__text_add(a->p->out, "%" PRId64, axis);
}

static void end_record(ct__properties *a)
{
    ct__text_add(a->p->out, ">");
    a->separator = ", ";
}

/* ---- Structs whose attributes are not their fields. */

static void write_constant(ct__properties *a, const ct__node *node)
{
    ct__property(a, "value");
    ct__print_literal(a->p, node->attrs->constant.value);
}

static void write_compare(ct__properties *a, const ct__node *node)
{
    const struct ct__attrs_compare *attrs = &node->attrs->compare;
    add_word(a, "comparison_direction", "comparison_direction",
             ct__names_comparison[attrs->comparison_direction]);
    add_word(a, "compare_type", "comparison_type", ct__names_compare_type[attrs->compare_type]);
}

static void write_gather(ct__properties *a, const ct__node *node)
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
    ct__property_ints(a, "slice_sizes", attrs->slice_sizes);
}

static void write_scatter(ct__properties *a, const ct__node *node)
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

static void write_reduce_window(ct__properties *a, const ct__node *node)
{
    const struct ct__attrs_reduce_window *attrs = &node->attrs->reduce_window;
    ct__property_steps(a, "base_dilations", attrs->base_dilations);
    ct__property_padding(a, attrs->padding_low, attrs->padding_high);
    ct__property_steps(a, "window_dilations", attrs->window_dilations);
    ct__property_steps(a, "window_strides", attrs->window_strides);
    ct__property_ints(a, "window_dimensions", attrs->window_dimensions);
}

void ct__property_precision(ct__properties *a, const char *dialect, const char *words)
{
    static const char blanks[] = " ,";
    if (!words)
        return;
    ct__property(a, "precision_config");
    ct__text_add(a->p->out, "[");
    for (const char *word = words + strspn(words, blanks), *separator = ""; *word;
         separator = ", ") {
        size_t length = strcspn(word, blanks);
        ct__text_add(a->p->out, "%s#%s<precision %.*s>", separator, dialect, (int)length, word);
        word += length;
        word += strspn(word, blanks);
    }
    ct__text_add(a->p->out, "]");
}

static void write_dot_general(ct__properties *a, const ct__node *node)
{
    const struct ct__attrs_dot_general *attrs = &node->attrs->dot_general;
    if (attrs->algorithm) {
        ct__property(a, "algorithm");
        ct__text_add(a->p->out, "#stablehlo.dot_algorithm<%s>", attrs->algorithm);
    }
    begin_record(a, "dot_dimension_numbers", "dot");
    add_axes(a, "lhs_batching_dimensions", attrs->lhs_batching_dimensions);
    add_axes(a, "rhs_batching_dimensions", attrs->rhs_batching_dimensions);
    add_axes(a, "lhs_contracting_dimensions", attrs->lhs_contracting_dimensions);
    add_axes(a, "rhs_contracting_dimensions", attrs->rhs_contracting_dimensions);
    end_record(a);
    ct__property_precision(a, "stablehlo", attrs->precision_config);
}

/* CHLO writes empty lists too. */
static void add_list(ct__properties *a, const char *name, ct__ints list)
{
    ct__property(a, name);
    ct__print_list(a->p, list);
}

static void write_ragged_dot(ct__properties *a, const ct__node *node)
{
    const struct ct__attrs_ragged_dot *attrs = &node->attrs->ragged_dot;
    ct__property_precision(a, "chlo", attrs->precision_config);
    ct__property(a, "ragged_dot_dimension_numbers");
    ct__text_add(a->p->out, "#chlo.ragged_dot<");
    a->separator = "";
    add_list(a, "lhs_batching_dimensions", attrs->lhs_batching_dimensions);
    add_list(a, "rhs_batching_dimensions", attrs->rhs_batching_dimensions);
    add_list(a, "lhs_contracting_dimensions", attrs->lhs_contracting_dimensions);
    add_list(a, "rhs_contracting_dimensions", attrs->rhs_contracting_dimensions);
    add_list(a, "lhs_ragged_dimensions", attrs->lhs_ragged_dimensions);
    add_list(a, "rhs_group_dimensions", attrs->rhs_group_dimensions);
    end_record(a);
}

static void write_select_and_scatter(ct__properties *a, const ct__node *node)
{
    const struct ct__attrs_select_and_scatter *attrs = &node->attrs->select_and_scatter;
    ct__property_padding(a, attrs->padding_low, attrs->padding_high);
    ct__property_steps(a, "window_strides", attrs->window_strides);
    ct__property_ints(a, "window_dimensions", attrs->window_dimensions);
}

static void write_triangular_solve(ct__properties *a, const ct__node *node)
{
    const struct ct__attrs_triangular_solve *attrs = &node->attrs->triangular_solve;
    ct__property_flag(a, "left_side", attrs->left_side);
    ct__property_flag(a, "lower", attrs->lower);
    add_word(a, "transpose_a", "transpose", ct__names_transpose_a[attrs->transpose_a]);
    ct__property_flag(a, "unit_diagonal", attrs->unit_diagonal);
}

static void write_sort(ct__properties *a, const ct__node *node)
{
    ct__property_int(a, "dimension", node->attrs->sort.dimension);
    ct__property_flag(a, "is_stable", node->attrs->sort.is_stable);
}

static void write_custom_call(ct__properties *a, const ct__node *node)
{
    const struct ct__attrs_custom_call *attrs = &node->attrs->custom_call;
    ct__property(a, "call_target_name");
    ct__print_string(a->p, attrs->call_target_name);
    ct__property_flag(a, "has_side_effect", attrs->has_side_effect);
}

static void write_composite(ct__properties *a, const ct__node *node)
{
    const struct ct__attrs_composite *attrs = &node->attrs->composite;
    if (attrs->composite_attributes) {
        ct__property(a, "composite_attributes");
        ct__text_add(a->p->out, "{%s}", attrs->composite_attributes);
    }
    ct__property(a, "decomposition");
    ct__print_symbol(a->p, ct__print_symbol_of(a->p, node->region[0]));
    ct__property(a, "name");
    ct__text_add(a->p->out, "\"%s\"", attrs->name); /* as it stands in the text */
    if (attrs->version != 0) {
        ct__property(a, "version");
        ct__text_add(a->p->out, "%" PRId64 " : i32", attrs->version);
    }
}

static void write_get_tuple_element(ct__properties *a, const ct__node *node)
{
    ct__property(a, "index");
    ct__text_add(a->p->out, "%" PRId64 " : i32", node->attrs->get_tuple_element.index);
}

static const struct {
    ct__attrs_kind kind;
    ct__property_writer *write;
} writers[] = {
    {CT__ATTRS_constant, write_constant},
    {CT__ATTRS_compare, write_compare},
    {CT__ATTRS_gather, write_gather},
    {CT__ATTRS_scatter, write_scatter},
    {CT__ATTRS_sort, write_sort},
    {CT__ATTRS_reduce_window, write_reduce_window},
    {CT__ATTRS_dot_general, write_dot_general},
    {CT__ATTRS_custom_call, write_custom_call},
    {CT__ATTRS_composite, write_composite},
    {CT__ATTRS_get_tuple_element, write_get_tuple_element},
    {CT__ATTRS_ragged_dot, write_ragged_dot},
    {CT__ATTRS_select_and_scatter, write_select_and_scatter},
    {CT__ATTRS_triangular_solve, write_triangular_solve},
#define SHARED(name)                                                                               \
    {                                                                                              \
        CT__ATTRS_##name, ct__write_##name                                                         \
    }
    SHARED(all_gather),
    SHARED(all_reduce),
    SHARED(all_to_all),
    SHARED(collective_broadcast),
    SHARED(collective_permute),
    SHARED(reduce_scatter),
    SHARED(infeed),
    SHARED(outfeed),
    SHARED(recv),
    SHARED(send),
    SHARED(convolution),
#undef SHARED
};

/* ---- The other structs: field by field. */

/* Integers that are no i64. */
static const char *integer_type(const char *field)
{
    return strcmp(field, "exponent_bits") == 0 || strcmp(field, "mantissa_bits") == 0 ? "i32"
                                                                                      : "i64";
}

/* What the types and the lists of operands say; `strict` stands behind, as ct.strict. */
static bool is_implied(const char *field)
{
    static const char *const implied[] = {"shape", "n_inputs", "n_carry", "strict"};
    for (size_t i = 0; i < sizeof implied / sizeof *implied; i++)
        if (strcmp(field, implied[i]) == 0)
            return true;
    return false;
}

static void add_field(ct__properties *a, const ct__field *field, const void *value)
{
    switch (field->kind) {
    case CT__FIELD_INT:
        ct__property(a, field->name);
        ct__text_add(a->p->out, "%" PRId64 " : %s", *(const int64_t *)value,
                     integer_type(field->name));
        return;
    case CT__FIELD_INTS: ct__property_ints(a, field->name, *(const ct__ints *)value); return;
    case CT__FIELD_FLAG: ct__property_flag(a, field->name, *(const bool *)value); return;
    case CT__FIELD_ENUM:
        add_word(a, field->name, field->name, field->names[*(const int *)value]);
        return;
    case CT__FIELD_LITERAL:
        ct__property(a, field->name);
        ct__print_literal(a->p, *(ct__literal *const *)value);
        return;
    case CT__FIELD_REAL: {
        char number[CT__NUMBER_BYTES];
        float rounded = (float)*(const double *)value;
        ct__property(a, field->name);
        ct__text_add(a->p->out, "%s : f32", ct__print_number(CT_F32, &rounded, number));
        return;
    }
    case CT__FIELD_TEXT:
        if (*(const char *const *)value) {
            ct__property(a, field->name);
            ct__print_string(a->p, *(const char *const *)value);
        }
        return;
    case CT__FIELD_DTYPE: return; /* the result type says it */
    }
}

static void add_fields(ct__properties *a, const ct__node *node)
{
    const ct__attrs_info *info = ct__attrs_describe(ct__op_describe(node->op)->attrs);
    for (size_t i = 0; i < info->n_fields; i++)
        if (!is_implied(info->field[i].name))
            add_field(a, &info->field[i], (const char *)node->attrs + info->field[i].offset);
}

static void add_all(ct__properties *a, const ct__node *node)
{
    ct__attrs_kind kind = ct__op_describe(node->op)->attrs;
    if (node->op == CT__OP_call) { /* its region is its only attribute */
        ct__property(a, "callee");
        ct__print_symbol(a->p, ct__print_symbol_of(a->p, node->region[0]));
    }
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (writers[i].kind == kind) {
            writers[i].write(a, node);
            return;
        }
    add_fields(a, node);
}

void ct__print_properties(ct__printer *p, const ct__node *node)
{
    ct__properties a = {p, OPEN};
    add_all(&a, node);
    ct__text_add(p->out, "%s", strcmp(a.separator, OPEN) == 0 ? "" : "}>");
}
