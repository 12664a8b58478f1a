#include "ops/ops.h"

#include <string.h>

const char *const ct__names_comparison[] = {"EQ", "NE", "GE", "GT", "LE", "LT", NULL};
const char *const ct__names_compare_type[] = {"",       "FLOAT",    "TOTALORDER",
                                              "SIGNED", "UNSIGNED", NULL};
const char *const ct__names_fft_type[] = {"FFT", "IFFT", "RFFT", "IRFFT", NULL};
const char *const ct__names_transpose_a[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT", NULL};
const char *const ct__names_rng_distribution[] = {"UNIFORM", "NORMAL", NULL};
const char *const ct__names_rng_algorithm[] = {"DEFAULT", "THREE_FRY", "PHILOX", NULL};

/* ---- attrs.def as lists of fields; a nameless one ends each, so that none is empty. */

#define FIELD(owner, field, kind, names)                                                           \
    {#field, kind, offsetof(struct ct__attrs_##owner, field), names},
#define ATTRS(name) static const ct__field fields_of_##name[] = {
#define END(name)                                                                                  \
    {                                                                                              \
        NULL, CT__FIELD_INT, 0, NULL                                                               \
    }                                                                                              \
    }                                                                                              \
    ;
#define INT(owner, field) FIELD(owner, field, CT__FIELD_INT, NULL)
#define INTS(owner, field) FIELD(owner, field, CT__FIELD_INTS, NULL)
#define FLAG(owner, field) FIELD(owner, field, CT__FIELD_FLAG, NULL)
#define DTYPE(owner, field) FIELD(owner, field, CT__FIELD_DTYPE, NULL)
#define ENUM(owner, field, names) FIELD(owner, field, CT__FIELD_ENUM, ct__names_##names)
#define LITERAL(owner, field) FIELD(owner, field, CT__FIELD_LITERAL, NULL)
#define REAL(owner, field) FIELD(owner, field, CT__FIELD_REAL, NULL)
#define TEXT(owner, field) FIELD(owner, field, CT__FIELD_TEXT, NULL)
#include "ops/attrs.def"
#undef FIELD

static const ct__attrs_info table[CT__ATTRS_COUNT] = {
#define ATTRS(name)                                                                                \
    {#name, fields_of_##name, sizeof fields_of_##name / sizeof fields_of_##name[0] - 1,            \
     sizeof(struct ct__attrs_##name)},
#include "ops/attrs.def"
};

const ct__attrs_info *ct__attrs_describe(ct__attrs_kind kind)
{
    return &table[kind];
}

/* ---- Lists. */

bool ct__ints_equal(ct__ints a, ct__ints b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.item, b.item, a.count * sizeof *a.item) == 0);
}

bool ct__ints_contain(ct__ints list, int64_t item)
{
    for (size_t i = 0; i < list.count; i++)
        if (list.item[i] == item)
            return true;
    return false;
}

/* ---- Copying and comparing, field by field. */

static void *member(void *attrs, const ct__field *field)
{
    return (unsigned char *)attrs + field->offset;
}

static const void *const_member(const void *attrs, const ct__field *field)
{
    return (const unsigned char *)attrs + field->offset;
}

static bool own_list(ct__arena *arena, ct__ints *list)
{
    list->item = ct__arena_copy(arena, list->item, list->count * sizeof *list->item);
    return list->item != NULL;
}

/* Give a copied field memory of its own; false when memory is short. */
static bool own_field(ct__arena *arena, ct__field_kind kind, void *field)
{
    const char **text = field;

    if (kind == CT__FIELD_INTS)
        return own_list(arena, field);
    if (kind != CT__FIELD_TEXT || !*text)
        return true;
    *text = ct__arena_text(arena, *text);
    return *text != NULL;
}

/* The whole union, so that the copy can be assigned. Literals come last: after them nothing fails.
 */
const ct__attrs *ct__attrs_copy(ct__arena *arena, ct__attrs_kind kind, const ct__attrs *attrs)
{
    static const ct__attrs none;
    const ct__attrs_info *info = &table[kind];
    if (info->n_fields == 0) /* as of most operations: nothing to copy */
        return &none;
    ct__attrs *copy = CT__NEW(arena, ct__attrs);

    if (!copy || !attrs)
        return copy;
    memcpy(copy, attrs, info->bytes);
    for (size_t i = 0; i < info->n_fields; i++)
        if (!own_field(arena, info->field[i].kind, member(copy, &info->field[i])))
            return NULL;
    for (size_t i = 0; i < info->n_fields; i++)
        if (info->field[i].kind == CT__FIELD_LITERAL)
            ct__literal_retain(*(ct__literal **)member(copy, &info->field[i]));
    return copy;
}

void ct__attrs_drop(ct__attrs_kind kind, const ct__attrs *attrs)
{
    const ct__attrs_info *info = &table[kind];

    for (size_t i = 0; i < info->n_fields; i++)
        if (info->field[i].kind == CT__FIELD_LITERAL)
            ct__literal_release(*(ct__literal *const *)const_member(attrs, &info->field[i]));
}

static bool text_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool field_equal(ct__field_kind kind, const void *a, const void *b)
{
    switch (kind) {
    case CT__FIELD_INT: return *(const int64_t *)a == *(const int64_t *)b;
    case CT__FIELD_INTS: return ct__ints_equal(*(const ct__ints *)a, *(const ct__ints *)b);
    case CT__FIELD_FLAG: return *(const bool *)a == *(const bool *)b;
    case CT__FIELD_DTYPE: return *(const ct_dtype *)a == *(const ct_dtype *)b;
    case CT__FIELD_ENUM: return *(const int *)a == *(const int *)b;
    case CT__FIELD_LITERAL:
        return ct__literal_equal(*(ct__literal *const *)a, *(ct__literal *const *)b);
    case CT__FIELD_REAL: return memcmp(a, b, sizeof(double)) == 0;
    case CT__FIELD_TEXT: return text_equal(*(const char *const *)a, *(const char *const *)b);
    }
    return false;
}

bool ct__attrs_equal(ct__attrs_kind kind, const ct__attrs *a, const ct__attrs *b)
{
    const ct__attrs_info *info = &table[kind];

    for (size_t i = 0; i < info->n_fields; i++)
        if (!field_equal(info->field[i].kind, const_member(a, &info->field[i]),
                         const_member(b, &info->field[i])))
            return false;
    return true;
}
