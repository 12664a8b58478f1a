#include "interop/stablehlo/read_fields.h"

/* ---- Structures: their fields become entries. */

bool ct__spread_structures(ct__reader *r, ct__statement *s)
{
    static const char *const keys[] = {"dimension_numbers", "scatter_dimension_numbers",
                                       "dot_dimension_numbers", "ragged_dot_dimension_numbers"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        ct__entry *entry = ct__dict_find(&s->attributes, keys[k]);
        if (!entry || entry->value.kind != CT__ATTRIBUTE_DICT)
            continue;
        const ct__dict fields = entry->value.dict;
        entry->is_used = true;
        for (size_t i = 0; i < fields.count; i++)
            if (!ct__dict_add(r, &s->attributes, s->at, fields.entry[i].key,
                              &fields.entry[i].value))
                return false;
    }
    return true;
}

/* ---- What is left out. */

typedef enum absent { REQUIRED, ZERO, ONE, MINUS_ONE, EMPTY, ONES, ZEROS } absent;

static const struct {
    const char *owner; /* attribute struct; NULL: any */
    const char *field;
    absent value;
} absent_values[] = {{NULL, "offset_dims", EMPTY},
                     {NULL, "collapsed_slice_dims", EMPTY},
                     {NULL, "operand_batching_dims", EMPTY},
                     {NULL, "start_indices_batching_dims", EMPTY},
                     {NULL, "start_index_map", EMPTY},
                     {NULL, "index_vector_dim", ZERO},
                     {NULL, "update_window_dims", EMPTY},
                     {NULL, "inserted_window_dims", EMPTY},
                     {NULL, "input_batching_dims", EMPTY},
                     {NULL, "scatter_indices_batching_dims", EMPTY},
                     {NULL, "scatter_dims_to_operand_dims", EMPTY},
                     {NULL, "lhs_batching_dimensions", EMPTY},
                     {NULL, "rhs_batching_dimensions", EMPTY},
                     {NULL, "lhs_contracting_dimensions", EMPTY},
                     {NULL, "rhs_contracting_dimensions", EMPTY},
                     {NULL, "lhs_ragged_dimensions", EMPTY},
                     {NULL, "rhs_group_dimensions", EMPTY},
                     {NULL, "window_strides", ONES},
                     {NULL, "base_dilations", ONES},
                     {NULL, "window_dilations", ONES},
                     {NULL, "lhs_dilation", ONES},
                     {NULL, "rhs_dilation", ONES},
                     {NULL, "window_reversal", ZEROS},
                     {NULL, "feature_group_count", ONE},
                     {NULL, "batch_group_count", ONE},
                     {NULL, "compare_type", ZERO},
                     {NULL, "version", ZERO},
                     {NULL, "source_target_pairs", EMPTY},
                     {"sort", "dimension", MINUS_ONE},
                     {"select_and_scatter", "window_dimensions", ONES}};

static absent absent_value(const char *owner, const char *field)
{
    for (size_t i = 0; i < sizeof absent_values / sizeof *absent_values; i++)
        if (strcmp(absent_values[i].field, field) == 0 &&
            (!absent_values[i].owner || strcmp(absent_values[i].owner, owner) == 0))
            return absent_values[i].value;
    return REQUIRED;
}

/* ---- One field being filled. */

bool ct__fill_repeat(const ct__filling *f, size_t count, int64_t value, ct__ints *ints)
{
    int64_t *item = CT__NEW_ARRAY(&f->r->arena, int64_t, count);
    if (!item)
        return ct__read_fail_memory(f->r);
    for (size_t i = 0; i < count; i++)
        item[i] = value;
    *ints = (ct__ints){count, item};
    return true;
}

/* Axes that windows move along: all of operand 0, or the spatial ones of a convolution. */
size_t ct__window_rank(const ct__filling *f)
{
    const size_t rank = f->s->n_operands ? (size_t)f->s->operand[0]->type->rank : 0;
    if (strcmp(f->attrs->name, "convolution") != 0)
        return rank;
    return rank < 2 ? 0 : rank - 2;
}

static bool fill_absent(const ct__filling *f)
{
    const absent value = absent_value(f->attrs->name, f->key);
    if (value == REQUIRED && f->kind != CT__FIELD_FLAG && f->kind != CT__FIELD_TEXT)
        return ct__fail_missing(f->r, f->s, f->key);
    if (f->kind == CT__FIELD_INT)
        *(int64_t *)f->value = value == ONE ? 1 : value == MINUS_ONE ? -1 : 0;
    else if (f->kind == CT__FIELD_INTS && value != EMPTY)
        return ct__fill_repeat(f, ct__window_rank(f), value == ONES, f->value);
    return true;
}

static bool fill_enum(const ct__filling *f, const ct__attribute *value)
{
    const bool is_word = value->kind == CT__ATTRIBUTE_WORD || value->kind == CT__ATTRIBUTE_STRING;
    for (int i = 0; is_word && f->names[i]; i++)
        if (strcmp(f->names[i], value->text) == 0) {
            *(int *)f->value = i;
            return true;
        }
    return ct__read_fail(f->r, f->s->at, "attribute '%s' can not be %.*s", f->key,
                         ct__span_shown(value->source), value->source.at);
}

static bool fill_text(const ct__filling *f, const ct__attribute *value)
{
    const char **text = f->value;
    if (value->kind != CT__ATTRIBUTE_STRING && value->kind != CT__ATTRIBUTE_SYMBOL)
        return ct__fail_kind(f->r, f->s, f->key, "a text");
    if (strlen(value->text) != value->text_length)
        return ct__fail_kind(f->r, f->s, f->key, "a text without 0 in it");
    bool is_config = strcmp(f->key, "infeed_config") == 0 || strcmp(f->key, "outfeed_config") == 0;
    *text = is_config && !*value->text ? NULL : value->text; /* "" is the default */
    return true;
}

static bool fill_real(const ct__filling *f, const ct__attribute *value)
{
    if (value->kind != CT__ATTRIBUTE_FLOAT && value->kind != CT__ATTRIBUTE_INTEGER)
        return ct__fail_kind(f->r, f->s, f->key, "a number");
    *(double *)f->value = value->number;
    return true;
}

/* From the entry that has the field's name. */
bool ct__fill_plain(const ct__filling *f)
{
    const ct__attribute *value = ct__dict_use(&f->s->attributes, f->key);
    if (!value)
        return fill_absent(f);
    switch (f->kind) {
    case CT__FIELD_INT: return ct__use_integer(f->r, f->s, f->key, true, f->value);
    case CT__FIELD_INTS: return ct__use_ints(f->r, f->s, f->key, true, f->value);
    case CT__FIELD_FLAG: return ct__use_flag(f->r, f->s, f->key, f->value);
    case CT__FIELD_ENUM: return fill_enum(f, value);
    case CT__FIELD_REAL: return fill_real(f, value);
    case CT__FIELD_TEXT: return fill_text(f, value);
    case CT__FIELD_DTYPE:
        if (value->kind != CT__ATTRIBUTE_TYPE)
            return ct__fail_kind(f->r, f->s, f->key, "a type");
        *(ct_dtype *)f->value = value->type->dtype;
        return true;
    case CT__FIELD_LITERAL:
        if (value->kind != CT__ATTRIBUTE_DENSE)
            return ct__fail_kind(f->r, f->s, f->key, "a constant");
        *(ct__literal **)f->value = value->literal;
        return true;
    }
    return false;
}

/* ---- All fields. */

bool ct__fill_attrs(ct__reader *r, ct__statement *s, ct__op op, ct__attrs *attrs)
{
    const ct__op_info *info = ct__op_describe(op);
    const ct__attrs_info *describe = ct__attrs_describe(info->attrs);
    if (!ct__spread_structures(r, s))
        return false;
    for (size_t i = 0; i < describe->n_fields; i++) {
        const ct__field *field = &describe->field[i];
        const ct__filling f = {
            r,           s,           info,         describe,
            field->name, field->kind, field->names, (unsigned char *)attrs + field->offset};
        if (!ct__fill_field(&f))
            return false;
    }
    return true;
}
