/* What reads types, attributes, literals and forms, among each other. */
#ifndef CT_INTEROP_STABLEHLO_READ_VALUES_H
#define CT_INTEROP_STABLEHLO_READ_VALUES_H

#include "interop/stablehlo/read.h"

/* ---- Characters: no blanks are skipped. */

static inline char ct__char(const ct__reader *r) /* the next one; 0 at the end */
{
    return r->cursor.at < r->cursor.end ? *r->cursor.at : '\0';
}
static inline bool ct__is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool ct__is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/* Of words, and of names of values. */
static inline bool ct__is_word_char(char c)
{
    return ct__is_letter(c) || ct__is_digit(c) || c == '.' || c == '$';
}
static inline bool ct__is_name_char(char c)
{
    return ct__is_word_char(c) || c == '-';
}
static inline bool ct__starts_with(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}
/* Blanks are skipped first. */
static inline char ct__next_char(ct__reader *r)
{
    ct__skip_blanks(r);
    return ct__char(r);
}

/* ---- Memory and depth. */

/* Room for one more element of an array in r->arena, which moves as it grows. */
bool ct__more(ct__reader *r, void *array_pointer, size_t count, size_t *capacity,
              size_t element_bytes);

/* Types, attributes and lists nest at most so deep, for they are read by recursion. */
#define CT__MAX_NESTING 200
bool ct__nest(ct__reader *r);
void ct__unnest(ct__reader *r);

/* Reading an alias' definition instead of its name, "#x" or "!t". It may use other aliases, so many
 * times: each could double what the one before holds. */
#define CT__MAX_EXPANDED 10000
typedef struct ct__detour {
    ct__cursor back;
} ct__detour;
bool ct__detour_begin(ct__reader *r, ct__span name, ct__detour *detour);
void ct__detour_end(ct__reader *r, const ct__detour *detour);

/* From an opening bracket to behind the one that closes it, whatever stands between. */
bool ct__skip_enclosed(ct__reader *r);

/* ---- Types: read_type.c */

/* "f32" and "ui8"; CT_INVALID_DTYPE for others. */
ct_dtype ct__dtype_of_word(ct__span word);
/* "R" or "(R, S)" */
bool ct__read_result_types(ct__reader *r, ct__type_list *types);
/* Whether the type is the written one, in which "?" stands for any extent. */
bool ct__type_matches(const ct_type *type, const ct_type *written);
bool ct__type_is_known(const ct_type *type); /* has no "?" */
/* "tensor<2xf32>", in r->arena; never NULL. */
const char *ct__written_type(ct__reader *r, const ct_type *type);

/* ---- Numbers: read_number.c */

/* "-1.5e-3", "2": a decimal, correctly rounded whatever the locale. */
bool ct__read_decimal(ct__reader *r, double *value);
/* A number whose type is not known yet: with a point, or else an integer (its bits, when it is
 * unsigned). */
typedef struct ct__scalar {
    bool is_float, is_hex;
    int64_t integer;
    double number;
} ct__scalar;
bool ct__read_scalar(ct__reader *r, ct__scalar *scalar);
/* One element of the dtype: 12, -3, true, 1.5, 0x7FC00000 (bits of a float, or an integer),
 * (1.0, 2.0). Errors stand at the number. */
bool ct__read_number(ct__reader *r, ct_dtype dtype, void *element);

/* ---- Attributes: read_attribute.c, read_dict.c */

/* A bare or quoted key. */
bool ct__read_key(ct__reader *r, const char **key);
/* Adds an entry; a key twice is an error at `at`. */
bool ct__dict_add(ct__reader *r, ct__dict *dict, const char *at, const char *key,
                  const ct__attribute *value);
ct__entry *ct__dict_find(const ct__dict *dict, const char *key); /* or NULL */
/* "key = value", values of structures too: `#stablehlo.gather<offset_dims = [1]>`. */
bool ct__read_entry(ct__reader *r, ct__dict *dict);
/* "[b, 0, f]x[0, i, o]->[b, 0, f]" as CT__ATTRIBUTE_CONV. */
bool ct__read_conv(ct__reader *r, ct__attribute *value);
/* The x between two brackets. */
bool ct__expect_times(ct__reader *r);
/* The attribute as text on one line, without comments, aliases put in; added to `out`. */
bool ct__attribute_text(ct__reader *r, const ct__attribute *value, ct__text *out);
/* Text of the arena that format makes; NULL when memory is short. */
const char *ct__arena_print(ct__reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *ct__arena_span(ct__reader *r, ct__span span);

/* ---- Literals: read_literal.c */

/* Keeps the literal until the module has been read; takes over the reference, also on failure. */
bool ct__own_literal(ct__reader *r, ct__literal *literal);
/* dense_resource<key> : T, from after "dense_resource". */
bool ct__read_resource(ct__reader *r, ct__attribute *value);

/* ---- Statements: read_build.h has more. */

/* The operation of this spelling; CT__OP_COUNT when the table has none. */
ct__op ct__op_of_spelling(ct__span spelling);

#endif
