#include "interop/stablehlo/read_fields.h"

/* ---- Fields that stand elsewhere in the text. */

/* The last written result type, a tensor's. */
static const ct_type *result_type(const ct__filling *f)
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
static bool fill_dtype(const ct__filling *f)
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

static bool fill_shape(const ct__filling *f)
{
    const ct_type *type = result_type(f);
    if (!type)
        return false;
    if (!ct__type_is_known(type) && f->s->is_open)
        return true;
    if (!ct__type_is_known(type))
        return ct__read_fail(f->r, f->s->types_at ? f->s->types_at : f->s->at,
                             "the shape of the result, %s, must be known",
                             ct__written_type(f->r, type));
    *(ct__ints *)f->value = (ct__ints){(size_t)type->rank, type->dim};
    return true;
}

static bool fill_strict(const ct__filling *f)
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
static bool fill_list_length(const ct__filling *f)
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
static bool fill_padding(const ct__filling *f, size_t column)
{
    ct__ints both = {0, NULL};
    const size_t count = ct__window_rank(f);
    if (!ct__dict_find(&f->s->attributes, "padding"))
        return ct__fill_repeat(f, count, 0, f->value);
    if (!ct__use_ints(f->r, f->s, "padding", true, &both))
        return false;
    const ct__attribute *value = ct__dict_use(&f->s->attributes, "padding");
    if (value->kind == CT__ATTRIBUTE_DENSE && both.count > 0 &&
        (value->type->rank != 2 || value->type->dim[1] != 2))
        return ct__fail_kind(f->r, f->s, "padding", "a list of pairs");
    if (both.count % 2 != 0)
        return ct__fail_kind(f->r, f->s, "padding", "a list of pairs");
    if (!ct__fill_repeat(f, both.count / 2, 0, f->value))
        return false;
    int64_t *item = (int64_t *)((ct__ints *)f->value)->item;
    for (size_t i = 0; i < both.count / 2; i++)
        item[i] = both.item[2 * i + column];
    return true;
}

static bool fill_padding_low(const ct__filling *f)
{
    return fill_padding(f, 0);
}

static bool fill_padding_high(const ct__filling *f)
{
    return fill_padding(f, 1);
}

/* The columns of dense<[[0, 1], [2, 3]]>; 0 for an empty list. */
static bool fill_group_size(const ct__filling *f)
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

static bool fill_replica_groups(const ct__filling *f)
{
    return ct__use_ints(f->r, f->s, "replica_groups", false, f->value);
}

/* #stablehlo.channel_handle<handle = 1, type = 0> */
static bool fill_channel(const ct__filling *f, const char *key)
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

static bool fill_channel_id(const ct__filling *f)
{
    return fill_channel(f, "handle");
}

static bool fill_channel_type(const ct__filling *f)
{
    return fill_channel(f, "type");
}

/* "[]", which is read as one of integers where the key does not tell of what it is. */
static bool is_empty_list(const ct__attribute *value)
{
    return (value->kind == CT__ATTRIBUTE_INTS && value->ints.count == 0) ||
           (value->kind == CT__ATTRIBUTE_LIST && value->n_list == 0);
}

/* [#stablehlo<precision HIGH>, …] as "HIGH, DEFAULT". */
static bool fill_precision(const ct__filling *f)
{
    const ct__attribute *value = ct__dict_use(&f->s->attributes, "precision_config");
    const char **text = f->value;
    ct__text out;
    bool fits = true;
    if (!value || is_empty_list(value))
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
static bool fill_inside(const ct__filling *f)
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
static bool fill_rest(const ct__filling *f)
{
    const size_t n_errors = f->r->n_errors;
    *(const char **)f->value = ct__dict_rest(f->r, &f->s->attributes);
    for (size_t i = 0; i < f->s->attributes.count; i++)
        f->s->attributes.entry[i].is_used = true;
    return f->r->n_errors == n_errors;
}

/* Of sort: from the last axis on where it is negative. */
static bool fill_sorted_axis(const ct__filling *f)
{
    int64_t *axis = f->value;
    if (!ct__fill_plain(f))
        return false;
    if (*axis < 0 && f->s->n_operands > 0)
        *axis += f->s->operand[0]->type->rank;
    return true;
}

static const struct derived {
    const char *field;
    bool (*fill)(const ct__filling *f);
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

static bool fail_roles(const ct__filling *f)
{
    return ct__fail_kind(f->r, f->s, "dimension_numbers",
                         "a list of all axes for each tensor, \"[b, 0, f]x[0, i, o]->[b, 0, f]\"");
}

static bool fill_conv(const ct__filling *f, const struct conv_field *field)
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
    if (!ct__fill_repeat(f, roles.count - 2, 0, spatial))
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

bool ct__fill_field(const ct__filling *f)
{
    for (size_t i = 0; i < sizeof conv_fields / sizeof *conv_fields; i++)
        if (strcmp(conv_fields[i].field, f->key) == 0)
            return fill_conv(f, &conv_fields[i]);
    if (strcmp(f->attrs->name, "sort") == 0 && strcmp(f->key, "dimension") == 0)
        return fill_sorted_axis(f);
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        if (strcmp(derived[i].field, f->key) == 0)
            return derived[i].fill(f);
    return ct__fill_plain(f);
}
