/* Axes of convolutions, as the text says them. */
#include "interop/stablehlo/read_build.h"

/* ---- #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]> */

/* One role of an axis: spatial axes by number, the batch or the input features as -1, the features
 * or the output features as -2. */
static bool read_role(ct__reader *r, const char *first, const char *second, int64_t *role)
{
    if (ct__is_digit(ct__next_char(r)))
        return ct__read_integer(r, role);
    if (ct__take(r, "?"))
        return ct__read_fail(r, r->cursor.at - 1, "axes of convolutions must be known");
    *role = ct__take(r, first) ? -1 : -2;
    return *role == -1 || ct__expect(r, second);
}

static bool read_roles(ct__reader *r, const char *first, const char *second, ct__attribute *roles)
{
    int64_t item[CT__MAX_RANK];
    size_t count = 0;
    const char *at = r->cursor.at;
    if (!ct__expect(r, "["))
        return false;
    do {
        if (count == CT__MAX_RANK)
            return ct__read_fail(r, at, "a rank above %d is not supported", CT__MAX_RANK);
        if (!read_role(r, first, second, &item[count++]))
            return false;
    } while (ct__take(r, ","));
    roles->kind = CT__ATTRIBUTE_INTS;
    roles->ints = (ct__ints){count, ct__arena_copy(&r->arena, item, count * sizeof *item)};
    return (roles->ints.item || ct__read_fail_memory(r)) && ct__expect(r, "]");
}

/* "x" between brackets is a mark, also before a bracket that follows at once. */
bool ct__expect_times(ct__reader *r)
{
    if (ct__next_char(r) != 'x')
        return ct__read_expected(r, "'x'");
    r->cursor.at++;
    return true;
}

/* ---- #stablehlo.conv<raw input_batch_dimension = 0, …>: axes by role, not roles by axis. */

static const struct tensor_keys {
    const char *name, *first, *second, *spatial;
} keys[] = {
    {"input", "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"},
    {"kernel", "kernel_input_feature_dimension", "kernel_output_feature_dimension",
     "kernel_spatial_dimensions"},
    {"output", "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"}};

/* What the axes of a tensor are: -1, -2, 0, 1, … in the order of their keys. */
static bool find_axes(ct__reader *r, const ct__dict *dict, const char *at,
                      const struct tensor_keys *key, size_t *rank, int64_t *axis)
{
    const ct__entry *entry[] = {ct__dict_find(dict, key->first), ct__dict_find(dict, key->second)};
    const ct__entry *spatial = ct__dict_find(dict, key->spatial);
    ct__ints axes = {0, NULL};
    for (size_t i = 0; i < 2; i++) {
        if (!entry[i] || entry[i]->value.kind != CT__ATTRIBUTE_INTEGER)
            return ct__read_fail(r, at, "'%s', an axis, is missing", i ? key->second : key->first);
        axis[i] = entry[i]->value.integer;
    }
    if (spatial && !ct__attribute_ints(r, &spatial->value, &axes))
        return ct__read_fail(r, at, "'%s' is not a list of axes", key->spatial);
    if (axes.count > CT__MAX_RANK - 2)
        return ct__read_fail(r, at, "a rank above %d is not supported", CT__MAX_RANK);
    for (size_t i = 0; i < axes.count; i++)
        axis[i + 2] = axes.item[i];
    *rank = axes.count + 2;
    return true;
}

static bool find_roles(ct__reader *r, const ct__dict *dict, const char *at,
                       const struct tensor_keys *key, ct__attribute *roles)
{
    int64_t axis[CT__MAX_RANK], role[CT__MAX_RANK];
    bool is_taken[CT__MAX_RANK] = {false};
    size_t rank = 0;
    if (!find_axes(r, dict, at, key, &rank, axis))
        return false;
    for (size_t i = 0; i < rank; i++) {
        if (axis[i] < 0 || axis[i] >= (int64_t)rank || is_taken[axis[i]])
            return ct__read_fail(r, at, "the axes of the %s are not 0 to %zu, each once", key->name,
                                 rank - 1);
        is_taken[axis[i]] = true;
        role[axis[i]] = i < 2 ? -1 - (int64_t)i : (int64_t)i - 2;
    }
    roles->kind = CT__ATTRIBUTE_INTS;
    roles->ints = (ct__ints){rank, ct__arena_copy(&r->arena, role, rank * sizeof *role)};
    return roles->ints.item || ct__read_fail_memory(r);
}

/* From behind "raw". */
static bool read_raw(ct__reader *r, ct__attribute *list)
{
    const char *at = r->cursor.at;
    ct__dict dict = {0};
    do
        if (!ct__read_entry(r, &dict))
            return false;
    while (ct__take(r, ","));
    for (size_t i = 0; i < 3; i++)
        if (!find_roles(r, &dict, at, &keys[i], &list[i]))
            return false;
    return true;
}

/* ---- Both. */

bool ct__read_conv(ct__reader *r, ct__attribute *value)
{
    ct__attribute *list = CT__NEW_ARRAY(&r->arena, ct__attribute, 3);
    if (!list)
        return ct__read_fail_memory(r);
    value->kind = CT__ATTRIBUTE_CONV;
    value->n_list = 3;
    value->list = list;
    if (ct__take(r, "raw"))
        return read_raw(r, list);
    return read_roles(r, "b", "f", &list[0]) && ct__expect_times(r) &&
           read_roles(r, "i", "o", &list[1]) && ct__expect(r, "->") &&
           read_roles(r, "b", "f", &list[2]);
}
