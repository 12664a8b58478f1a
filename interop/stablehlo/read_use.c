#include "interop/stablehlo/read_build.h"

/* ---- Values of entries. */

bool ct__fail_kind(ct__reader *r, const ct__statement *s, const char *key, const char *what)
{
    return ct__read_fail(r, s->at, "attribute '%s' is not %s", key, what);
}

bool ct__fail_missing(ct__reader *r, const ct__statement *s, const char *key)
{
    return ct__read_fail(r, s->at, "attribute '%s' of '%.*s' is missing", key,
                         ct__span_shown(s->spelling), s->spelling.at);
}

static int64_t element_as_integer(ct_dtype dtype, const unsigned char *element)
{
    int64_t value;
    if (dtype != CT_I64 && dtype != CT_U64)
        return (int64_t)ct__load_double(dtype, element);
    memcpy(&value, element, sizeof value);
    return value;
}

static bool dense_integers(ct__reader *r, const ct__literal *literal, ct__ints *ints)
{
    const ct_dtype dtype = literal->type->dtype;
    const size_t count = (size_t)literal->type->size, bytes = ct_dtype_bytes(dtype);
    if (!ct_dtype_is_integer(dtype) && dtype != CT_BOOL)
        return false;
    unsigned char *data = ct__arena_alloc(&r->arena, ct__data_bytes(literal->type));
    int64_t *item = CT__NEW_ARRAY(&r->arena, int64_t, count);
    if (!data || !item)
        return ct__read_fail_memory(r);
    ct__literal_copy_out(literal, data);
    for (size_t i = 0; i < count; i++)
        item[i] = element_as_integer(dtype, data + i * bytes);
    *ints = (ct__ints){count, item};
    return true;
}

/* [1 : i64, true], [[1, 2], [3, 4]] row by row. */
static bool list_integers(ct__reader *r, const ct__attribute *value, ct__ints *ints)
{
    size_t capacity = 0, count = 0;
    int64_t *item = NULL;
    for (size_t i = 0; i < value->n_list; i++) {
        const ct__attribute *entry = &value->list[i];
        ct__ints row = {1, &entry->integer};
        if (entry->kind != CT__ATTRIBUTE_INTEGER && entry->kind != CT__ATTRIBUTE_BOOL &&
            !ct__attribute_ints(r, entry, &row))
            return false;
        for (size_t j = 0; j < row.count; j++) {
            if (!ct__more(r, &item, count, &capacity, sizeof *item))
                return false;
            item[count++] = row.item[j];
        }
    }
    *ints = (ct__ints){count, item};
    return true;
}

bool ct__attribute_ints(ct__reader *r, const ct__attribute *value, ct__ints *ints)
{
    switch (value->kind) {
    case CT__ATTRIBUTE_INTS: *ints = value->ints; return true;
    case CT__ATTRIBUTE_LIST: return list_integers(r, value, ints);
    case CT__ATTRIBUTE_DENSE: return dense_integers(r, value->literal, ints);
    default: return false;
    }
}

bool ct__use_ints(ct__reader *r, ct__statement *s, const char *key, bool required, ct__ints *ints)
{
    const ct__attribute *value = ct__dict_use(&s->attributes, key);
    if (!value)
        return !required || ct__fail_missing(r, s, key);
    return ct__attribute_ints(r, value, ints) || ct__fail_kind(r, s, key, "a list of integers");
}

bool ct__use_integer(ct__reader *r, ct__statement *s, const char *key, bool required,
                     int64_t *value)
{
    const ct__attribute *entry = ct__dict_use(&s->attributes, key);
    if (!entry)
        return !required || ct__fail_missing(r, s, key);
    if (entry->kind != CT__ATTRIBUTE_INTEGER)
        return ct__fail_kind(r, s, key, "an integer");
    *value = entry->integer;
    return true;
}

bool ct__use_flag(ct__reader *r, ct__statement *s, const char *key, bool *flag)
{
    const ct__attribute *entry = ct__dict_use(&s->attributes, key);
    if (!entry)
        return true;
    const bool is_bit = entry->kind == CT__ATTRIBUTE_INTEGER && entry->type &&
                        entry->type->dtype == CT_BOOL; /* "1 : i1" */
    if (entry->kind != CT__ATTRIBUTE_BOOL && entry->kind != CT__ATTRIBUTE_UNIT && !is_bit)
        return ct__fail_kind(r, s, key, "true or false");
    *flag = entry->kind == CT__ATTRIBUTE_UNIT || entry->integer != 0;
    return true;
}
