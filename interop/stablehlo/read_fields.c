#include "interop/stablehlo/read_build.h"

#include <inttypes.h>

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

typedef struct filling {
    ct__reader *r;
    ct__statement *s;
    const ct__op_info *op;
    const ct__attrs_info *attrs;
    const char *key;
    ct__field_kind kind;
    const char *const *names; /* of enums */
    void *value;              /* in the struct */
} filling;

static bool repeat(const filling *f, size_t count, int64_t value, ct__ints *ints)
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
static size_t window_rank(const filling *f)
{
    const size_t rank = f->s->n_operands ? (size_t)f->s->operand[0]->type->rank : 0;
    if (strcmp(f->attrs->name, "convolution") != 0)
        return rank;
    return rank < 2 ? 0 : rank - 2;
}

static bool fill_absent(const filling *f)
{
    const absent value = absent_value(f->attrs->name, f->key);
    if (value == REQUIRED && f->kind != CT__FIELD_FLAG && f->kind != CT__FIELD_TEXT)
        return ct__fail_missing(f->r, f->s, f->key);
    if (f->kind == CT__FIELD_INT)
        *(int64_t *)f->value = value == ONE ? 1 : value == MINUS_ONE ? -1 : 0;
    else if (f->kind == CT__FIELD_INTS && value != EMPTY)
        return repeat(f, window_rank(f), value == ONES, f->value);
    return true;
}

static bool fill_enum(const filling *f, const ct__attribute *value)
{
    const bool is_word = value->kind == CT__ATTRIBUTE_WORD || value->kind == CT__ATTRIBUTE_STRING;
    for (int i = 0; is_word && f->names[i]; i++)
        if (strcmp(f->names[i], value->text) == 0) {
            *(int *)f->value = i;
            return true;
        }
    return ct__read_fail(f->r, f->s->at, "attribute '%s' can not be %.*s", f->key,
                         value->source.length < 60 ? (int)value->source.length : 60,
                         value->source.at);
}

static bool fill_text(const filling *f, const ct__attribute *value)
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

static bool fill_real(const filling *f, const ct__attribute *value)
{
    if (value->kind != CT__ATTRIBUTE_FLOAT && value->kind != CT__ATTRIBUTE_INTEGER)
        return ct__fail_kind(f->r, f->s, f->key, "a number");
    *(double *)f->value = value->number;
    return true;
}

/* From the entry that has the field's name. */
static bool fill_plain(const filling *f)
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

/* ---- Fields that stand elsewhere in the text. */

/* The last written result type, a tensor's. */
static const ct_type *result_type(const filling *f)
{
    const ct__type_list *types = &f->s->result_types;
    const ct_type *type = types->count ? types->item[types->count - 1] : NULL;
    if (type && type->kind == CT__TENSOR)
        return type;
    ct__read_fail(f->r, f->s->types_at ? f->s->types_at : f->s->at,
                  "the type of the result must be a tensor's");
    return NULL;
}

/* Of a product, the dtype that both operands have is the default. */
static bool is_default_dtype(const ct__statement *s, ct_dtype dtype)
{
    return s->n_operands >= 2 && s->operand[0]->type->dtype == dtype &&
           s->operand[1]->type->dtype == dtype;
}

/* A dtype that is computed is that of the real numbers; bitcasts give the stored integers. */
static bool fill_dtype(const filling *f)
{
    const ct_type *type = result_type(f);
    const bool is_stored = f->attrs == ct__attrs_describe(CT__ATTRS_bitcast_convert);
    if (!type)
        return false;
    ct_dtype dtype = type->quantized && !is_stored ? type->quantized->expressed : type->dtype;
    if (type->quantized || !is_default_dtype(f->s, dtype))
        *(ct_dtype *)f->value = dtype;
    return true;
}

static bool fill_shape(const filling *f)
{
    const ct_type *type = result_type(f);
    if (!type)
        return false;
    if (!ct__type_is_known(type))
        return ct__read_fail(f->r, f->s->types_at ? f->s->types_at : f->s->at,
                             "the shape of the result, %s, must be known",
                             ct__written_type(f->r, type));
    *(ct__ints *)f->value = (ct__ints){(size_t)type->rank, type->dim};
    return true;
}

static bool fill_strict(const filling *f)
{
    return ct__use_flag(f->r, f->s, "ct.strict", f->value);
}

/* The row's operands, "x... init... capture...": how many lists there are, and single ones;
 * captures do not count. */
static void count_lists(const char *operands, size_t *lists, size_t *single)
{
    *lists = *single = 0;
    for (const char *c = operands; *c && *c != '|'; c += strspn(c, " ")) {
        const size_t length = strcspn(c, " ");
        const bool is_list = length > 3 && memcmp(c + length - 3, "...", 3) == 0;
        if (is_list && strncmp(c, "capture", 7) != 0)
            ++*lists;
        else if (!is_list)
            ++*single;
        c += length;
    }
}

/* How many members each of the lists has. */
static bool fill_list_length(const filling *f)
{
    size_t lists, single;
    const size_t n = f->s->n_operands;
    count_lists(f->op->operands, &lists, &single);
    if (lists == 0 || n < single || (n - single) % lists != 0)
        return ct__read_fail(f->r, f->s->at, "%zu operands are not %zu lists of one length%s", n,
                             lists, single ? " and one more" : "");
    *(int64_t *)f->value = (int64_t)((n - single) / lists);
    return true;
}

/* One of the two columns of an Nx2 list, "padding". */
static bool fill_padding(const filling *f, size_t column)
{
    ct__ints both = {0, NULL};
    const size_t count = window_rank(f);
    if (!ct__dict_find(&f->s->attributes, "padding"))
        return repeat(f, count, 0, f->value);
    if (!ct__use_ints(f->r, f->s, "padding", true, &both))
        return false;
    const ct__attribute *value = ct__dict_use(&f->s->attributes, "padding");
    if (value->kind == CT__ATTRIBUTE_DENSE && both.count > 0 &&
        (value->type->rank != 2 || value->type->dim[1] != 2))
        return ct__fail_kind(f->r, f->s, "padding", "a list of pairs");
    if (both.count % 2 != 0)
        return ct__fail_kind(f->r, f->s, "padding", "a list of pairs");
    if (!repeat(f, both.count / 2, 0, f->value))
        return false;
    int64_t *item = (int64_t *)((ct__ints *)f->value)->item;
    for (size_t i = 0; i < both.count / 2; i++)
        item[i] = both.item[2 * i + column];
    return true;
}

static bool fill_padding_low(const filling *f)
{
    return fill_padding(f, 0);
}

static bool fill_padding_high(const filling *f)
{
    return fill_padding(f, 1);
}

/* The columns of dense<[[0, 1], [2, 3]]>; 0 for an empty list. */
static bool fill_group_size(const filling *f)
{
    const ct__attribute *value = ct__dict_use(&f->s->attributes, "replica_groups");
    int64_t *size = f->value;
    *size = 0;
    if (!value)
        return true;
    if (value->kind != CT__ATTRIBUTE_DENSE || value->type->rank != 2)
        return ct__fail_kind(f->r, f->s, "replica_groups", "a matrix of integers");
    *size = value->type->dim[1];
    return true;
}

static bool fill_replica_groups(const filling *f)
{
    return ct__use_ints(f->r, f->s, "replica_groups", false, f->value);
}

/* #stablehlo.channel_handle<handle = 1, type = 0> */
static bool fill_channel(const filling *f, const char *key)
{
    const ct__attribute *handle = ct__dict_use(&f->s->attributes, "channel_handle");
    if (!handle)
        return true;
    if (handle->kind != CT__ATTRIBUTE_DICT)
        return ct__fail_kind(f->r, f->s, "channel_handle", "#stablehlo.channel_handle<…>");
    const ct__entry *entry = ct__dict_find(&handle->dict, key);
    if (entry && entry->value.kind != CT__ATTRIBUTE_INTEGER)
        return ct__fail_kind(f->r, f->s, key, "an integer");
    *(int64_t *)f->value = entry ? entry->value.integer : 0;
    return true;
}

static bool fill_channel_id(const filling *f)
{
    return fill_channel(f, "handle");
}

static bool fill_channel_type(const filling *f)
{
    return fill_channel(f, "type");
}

/* [#stablehlo<precision HIGH>, …] as "HIGH, DEFAULT". */
static bool fill_precision(const filling *f)
{
    const ct__attribute *value = ct__dict_use(&f->s->attributes, "precision_config");
    const char **text = f->value;
    ct__text out;
    bool fits = true;
    if (!value || (value->kind == CT__ATTRIBUTE_INTS && value->ints.count == 0))
        return true;
    ct__text_init(&out, &f->r->arena.allocator);
    for (size_t i = 0; i < value->n_list; i++) {
        fits = fits && value->list[i].kind == CT__ATTRIBUTE_WORD;
        ct__text_add(&out, "%s%s", i ? ", " : "", fits ? value->list[i].text : "");
    }
    *text = out.failed ? NULL : ct__arena_text(&f->r->arena, out.data);
    ct__text_free(&out);
    if (value->kind != CT__ATTRIBUTE_LIST || !fits)
        return ct__fail_kind(f->r, f->s, "precision_config", "a list of precisions");
    return *text || ct__read_fail_memory(f->r);
}

/* What stands inside <…> or {…}; NULL for nothing. */
static bool fill_inside(const filling *f)
{
    const ct__attribute *value = ct__dict_use(&f->s->attributes, f->key);
    const size_t n_errors = f->r->n_errors;
    if (!value)
        return true;
    if (value->kind != CT__ATTRIBUTE_DICT)
        return ct__fail_kind(f->r, f->s, f->key, "a structure");
    *(const char **)f->value = ct__dict_rest(f->r, &value->dict);
    return f->r->n_errors == n_errors;
}

/* All that no other field has taken. */
static bool fill_rest(const filling *f)
{
    const size_t n_errors = f->r->n_errors;
    *(const char **)f->value = ct__dict_rest(f->r, &f->s->attributes);
    for (size_t i = 0; i < f->s->attributes.count; i++)
        f->s->attributes.entry[i].is_used = true;
    return f->r->n_errors == n_errors;
}

/* Of sort: from the last axis on where it is negative. */
static bool fill_sorted_axis(const filling *f)
{
    int64_t *axis = f->value;
    if (!fill_plain(f))
        return false;
    if (*axis < 0 && f->s->n_operands > 0)
        *axis += f->s->operand[0]->type->rank;
    return true;
}

static const struct derived {
    const char *field;
    bool (*fill)(const filling *f);
} derived[] = {{"dtype", fill_dtype},
               {"shape", fill_shape},
               {"strict", fill_strict},
               {"n_inputs", fill_list_length},
               {"n_carry", fill_list_length},
               {"padding_low", fill_padding_low},
               {"padding_high", fill_padding_high},
               {"group_size", fill_group_size},
               {"replica_groups", fill_replica_groups},
               {"channel_id", fill_channel_id},
               {"channel_type", fill_channel_type},
               {"precision_config", fill_precision},
               {"algorithm", fill_inside},
               {"composite_attributes", fill_inside},
               {"attributes", fill_rest}};

/* ---- dim_numbers of convolutions: [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]. */

static const struct conv_field {
    const char *field;
    size_t list;
    int64_t role; /* 0: the spatial axes */
} conv_fields[] = {
    {"input_batch_dimension", 0, -1},           {"input_feature_dimension", 0, -2},
    {"input_spatial_dimensions", 0, 0},         {"kernel_input_feature_dimension", 1, -1},
    {"kernel_output_feature_dimension", 1, -2}, {"kernel_spatial_dimensions", 1, 0},
    {"output_batch_dimension", 2, -1},          {"output_feature_dimension", 2, -2},
    {"output_spatial_dimensions", 2, 0}};

/* The place of `role` in the list; -1: not there, or twice. */
static int64_t place_of(ct__ints roles, int64_t role)
{
    int64_t place = -1;
    for (size_t i = 0; i < roles.count; i++)
        if (roles.item[i] == role) {
            if (place >= 0)
                return -1;
            place = (int64_t)i;
        }
    return place;
}

static bool fail_roles(const filling *f)
{
    return ct__fail_kind(f->r, f->s, "dimension_numbers",
                         "a list of all axes for each tensor, \"[b, 0, f]x[0, i, o]->[b, 0, f]\"");
}

static bool fill_conv(const filling *f, const struct conv_field *field)
{
    const ct__attribute *value = ct__dict_use(&f->s->attributes, "dimension_numbers");
    if (!value)
        return ct__fail_missing(f->r, f->s, "dimension_numbers");
    if (value->kind != CT__ATTRIBUTE_CONV)
        return ct__fail_kind(f->r, f->s, "dimension_numbers", "#stablehlo.conv<…>");
    const ct__ints roles = value->list[field->list].ints;
    if (roles.count < 2)
        return fail_roles(f);
    if (field->role != 0) {
        const int64_t place = place_of(roles, field->role);
        *(int64_t *)f->value = place;
        return place >= 0 || fail_roles(f);
    }
    ct__ints *spatial = f->value;
    if (!repeat(f, roles.count - 2, 0, spatial))
        return false;
    for (size_t i = 0; i < spatial->count; i++) {
        const int64_t place = place_of(roles, (int64_t)i);
        if (place < 0)
            return fail_roles(f);
        ((int64_t *)spatial->item)[i] = place;
    }
    return true;
}

/* ---- All fields. */

static bool fill(const filling *f)
{
    for (size_t i = 0; i < sizeof conv_fields / sizeof *conv_fields; i++)
        if (strcmp(conv_fields[i].field, f->key) == 0)
            return fill_conv(f, &conv_fields[i]);
    if (strcmp(f->attrs->name, "sort") == 0 && strcmp(f->key, "dimension") == 0)
        return fill_sorted_axis(f);
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        if (strcmp(derived[i].field, f->key) == 0)
            return derived[i].fill(f);
    return fill_plain(f);
}

bool ct__fill_attrs(ct__reader *r, ct__statement *s, ct__op op, ct__attrs *attrs)
{
    const ct__op_info *info = ct__op_describe(op);
    const ct__attrs_info *describe = ct__attrs_describe(info->attrs);
    if (!ct__spread_structures(r, s))
        return false;
    for (size_t i = 0; i < describe->n_fields; i++) {
        const ct__field *field = &describe->field[i];
        const filling f = {
            r,           s,           info,         describe,
            field->name, field->kind, field->names, (unsigned char *)attrs + field->offset};
        if (!fill(&f))
            return false;
    }
    return true;
}
