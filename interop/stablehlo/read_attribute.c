#include "interop/stablehlo/read_values.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- Memory, depth, aliases. */

bool ct__more(ct__reader *r, void *array_pointer, size_t count, size_t *capacity,
              size_t element_bytes)
{
    void *array;
    if (count < *capacity)
        return true;
    const size_t room = *capacity ? 2 * *capacity : 4;
    void *grown = ct__arena_array(&r->arena, room, element_bytes);
    if (!grown)
        return ct__read_fail_memory(r);
    memcpy(&array, array_pointer, sizeof array);
    if (count > 0)
        memcpy(grown, array, count * element_bytes);
    memcpy(array_pointer, &grown, sizeof grown);
    *capacity = room;
    return true;
}

const char *ct__arena_span(ct__reader *r, ct__span span)
{
    char *text = ct__arena_alloc(&r->arena, span.length + 1);
    if (!text) {
        ct__read_fail_memory(r);
        return NULL;
    }
    memcpy(text, span.at, span.length);
    text[span.length] = '\0';
    return text;
}

const char *ct__arena_print(ct__reader *r, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ct__arena_text(&r->arena, text);
}

bool ct__nest(ct__reader *r)
{
    if (r->nesting == CT__MAX_NESTING)
        return ct__read_fail(r, r->cursor.at, "types and attributes nest more than %d deep",
                             CT__MAX_NESTING);
    r->nesting++;
    return true;
}

void ct__unnest(ct__reader *r)
{
    r->nesting--;
}

/* An alias that leads to itself nests too deep. */
bool ct__detour_begin(ct__reader *r, ct__span name, ct__detour *detour)
{
    const ct__map_entry *alias = ct__map_find(&r->aliases, name.at, name.length);
    if (!alias)
        return ct__read_fail(r, name.at, "alias '%.*s' is not defined", ct__span_shown(name),
                             name.at);
    if (r->detours == 0)
        r->n_expanded = 0;
    if (++r->n_expanded > CT__MAX_EXPANDED)
        return ct__read_fail(r, name.at, "the alias stands for more than %d others",
                             CT__MAX_EXPANDED);
    if (!ct__nest(r))
        return false;
    r->detours++;
    detour->back = r->cursor;
    r->cursor.at = alias->value;
    return true;
}

void ct__detour_end(ct__reader *r, const ct__detour *detour)
{
    r->cursor = detour->back;
    r->detours--;
    ct__unnest(r);
}

/* ---- Skipping. */

static bool skip_string(ct__reader *r)
{
    const char *at = r->cursor.at++;
    for (; r->cursor.at < r->cursor.end && *r->cursor.at != '\0'; r->cursor.at++) {
        if (*r->cursor.at == '"') {
            r->cursor.at++;
            return true;
        }
        if (*r->cursor.at == '\\')
            r->cursor.at++;
    }
    r->cursor.at = r->cursor.end;
    return ct__read_fail(r, at, "the string does not end");
}

static char closing(char c)
{
    return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : c == '<' ? '>' : '\0';
}

static bool is_arrow(const ct__reader *r)
{
    return r->cursor.end - r->cursor.at > 1 && memcmp(r->cursor.at, "->", 2) == 0;
}

bool ct__skip_enclosed(ct__reader *r)
{
    char expected[CT__MAX_NESTING];
    const char *at = r->cursor.at;
    size_t depth = 0;
    do {
        const char c = ct__next_char(r), close = closing(c);
        if (c == '\0')
            return ct__read_fail(r, at, "the bracket is not closed");
        if (c == '"') {
            if (!skip_string(r))
                return false;
            continue;
        }
        if (depth > 0 && expected[depth - 1] == ')' && ct__take(r, ">=")) /* in affine_set<…> */
            continue;
        if (close && depth == sizeof expected)
            return ct__read_fail(r, at, "brackets nest more than %d deep", CT__MAX_NESTING);
        if (close)
            expected[depth++] = close;
        else if (depth > 0 && c == expected[depth - 1])
            depth--;
        else if (c == ')' || c == ']' || c == '}' || (c == '>' && depth > 0))
            return ct__read_fail(r, r->cursor.at, "expected '%c'", depth ? expected[depth - 1] : c);
        r->cursor.at += is_arrow(r) ? 2 : 1;
    } while (depth > 0);
    return true;
}

/* "word", "word<…>", "word(…)": kept as text only. */
static bool skip_rest(ct__reader *r, ct__attribute *value)
{
    value->kind = CT__ATTRIBUTE_OTHER;
    const char c = ct__char(r);
    return (c != '<' && c != '(' && c != '[') || ct__skip_enclosed(r);
}

/* ---- Numbers and strings. */

static const ct_type *scalar_type(ct__reader *r, ct_dtype dtype)
{
    const ct_type *type = ct__type(&r->arena, dtype, 0, NULL);
    if (!type)
        ct__read_fail_memory(r);
    return type;
}

/* ": i64". Types that tensors do not have are passed over. */
static bool read_suffix(ct__reader *r, ct__attribute *value)
{
    ct__span word;
    if (ct__peek(r, "::") || !ct__take(r, ":"))
        return true;
    if (!ct__is_letter(ct__next_char(r))) {
        ct__attribute type;
        return ct__read_attribute(r, &type);
    }
    if (!ct__read_word(r, &word))
        return false;
    if (ct__char(r) == '<')
        return ct__skip_enclosed(r);
    const ct_dtype dtype = ct__dtype_of_word(word);
    if (dtype == CT_INVALID_DTYPE)
        return true;
    value->type = scalar_type(r, dtype);
    return value->type != NULL;
}

static bool is_integer_like(const ct_type *type)
{
    return !type || ct_dtype_is_integer(type->dtype) || type->dtype == CT_BOOL;
}

/* The value as its type holds it: hexadecimal digits are the bits of a float. */
static bool round_to_type(ct__reader *r, const char *at, ct__attribute *value, ct_dtype dtype)
{
    unsigned char element[16];
    const ct__cursor back = r->cursor;
    r->cursor.at = at;
    bool fine = ct__read_number(r, dtype, element);
    r->cursor = back;
    value->number = fine ? ct__load_double(dtype, element) : 0;
    return fine;
}

static bool read_number(ct__reader *r, ct__attribute *value)
{
    ct__scalar scalar;
    const char *at = r->cursor.at;
    if (!ct__read_scalar(r, &scalar) || !read_suffix(r, value))
        return false;
    const bool is_float = !is_integer_like(value->type);
    value->kind = scalar.is_float || is_float ? CT__ATTRIBUTE_FLOAT : CT__ATTRIBUTE_INTEGER;
    value->integer = scalar.integer;
    value->number = scalar.number;
    return !value->type || ct_dtype_is_complex(value->type->dtype) ||
           round_to_type(r, at, value, value->type->dtype);
}

static bool read_text(ct__reader *r, ct__attribute *value)
{
    value->kind = CT__ATTRIBUTE_STRING;
    return ct__read_string(r, &value->text, &value->text_length) && read_suffix(r, value);
}

/* "@a", "@a::@b" */
static bool read_symbol(ct__reader *r, ct__attribute *value)
{
    value->kind = CT__ATTRIBUTE_SYMBOL;
    if (!ct__read_symbol(r, &value->text))
        return false;
    while (ct__take(r, "::")) {
        const char *inner;
        if (!ct__read_symbol(r, &inner))
            return false;
        const size_t length = strlen(value->text) + strlen(inner) + 3;
        char *whole = ct__arena_alloc(&r->arena, length);
        if (!whole)
            return ct__read_fail_memory(r);
        snprintf(whole, length, "%s::%s", value->text, inner);
        value->text = whole;
    }
    value->text_length = strlen(value->text);
    return true;
}

/* ---- Lists. */

static bool is_plain_integer(const ct__attribute *value)
{
    return value->kind == CT__ATTRIBUTE_INTEGER && !value->type;
}

/* [1, 2] as numbers, [] too. */
static bool as_integers(ct__reader *r, ct__attribute *value)
{
    for (size_t i = 0; i < value->n_list; i++)
        if (!is_plain_integer(&value->list[i]))
            return true;
    int64_t *item = CT__NEW_ARRAY(&r->arena, int64_t, value->n_list);
    if (!item)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < value->n_list; i++)
        item[i] = value->list[i].integer;
    value->kind = CT__ATTRIBUTE_INTS;
    value->ints = (ct__ints){value->n_list, item};
    return true;
}

/* "a, b" up to the closing mark, which is taken. */
static bool read_items(ct__reader *r, const char *close, ct__attribute *value)
{
    size_t capacity = 0;
    ct__attribute *list = NULL;
    value->kind = CT__ATTRIBUTE_LIST;
    if (!ct__peek(r, close))
        do {
            if (!ct__more(r, &list, value->n_list, &capacity, sizeof *list) ||
                !ct__read_attribute(r, &list[value->n_list]))
                return false;
            value->n_list++;
        } while (ct__take(r, ","));
    value->list = list;
    return ct__expect(r, close);
}

static bool read_list(ct__reader *r, ct__attribute *value)
{
    return ct__expect(r, "[") && read_items(r, "]", value) && as_integers(r, value);
}

static bool append_integer(ct__reader *r, const ct_type *type, ct__ints *ints, size_t *capacity)
{
    int64_t *item = (int64_t *)ints->item, number = 0;
    unsigned char element[16];
    if (!ct__more(r, &item, ints->count, capacity, sizeof *item))
        return false;
    ints->item = item;
    if (!ct__read_number(r, type->dtype, element))
        return false;
    if (type->dtype == CT_U64 || type->dtype == CT_I64)
        memcpy(&number, element, sizeof number);
    else
        number = (int64_t)ct__load_double(type->dtype, element);
    item[ints->count++] = number;
    return true;
}

/* "array<i64: 1, 2>", "array<f32>", from after "array". */
static bool read_array(ct__reader *r, ct__attribute *value)
{
    size_t capacity = 0;
    if (!ct__expect(r, "<") || !ct__read_element_type(r, &value->type))
        return false;
    value->kind = CT__ATTRIBUTE_INTS;
    if (ct__take(r, ">"))
        return true;
    if (!ct__expect(r, ":"))
        return false;
    if (!is_integer_like(value->type))
        return read_items(r, ">", value);
    do {
        if (!append_integer(r, value->type, &value->ints, &capacity))
            return false;
    } while (ct__take(r, ","));
    return ct__expect(r, ">");
}

/* ---- #dialect.name<…>, #dialect<…>, #alias */

static bool is_ours(ct__span name)
{
    return (name.length >= 9 && memcmp(name.at, "stablehlo", 9) == 0) ||
           (name.length >= 4 && memcmp(name.at, "chlo", 4) == 0);
}

/* Structures of named fields. */
static bool is_structure(ct__span name)
{
    static const char *const names[] = {"gather",         "scatter",        "dot",
                                        "channel_handle", "dot_algorithm",  "output_operand_alias",
                                        "ragged_dot",     "result_accuracy"};
    const char *dot = memchr(name.at, '.', name.length);
    for (size_t i = 0; dot && i < sizeof names / sizeof *names; i++)
        if (ct__span_is((ct__span){dot + 1, (size_t)(name.at + name.length - dot) - 1}, names[i]))
            return true;
    return false;
}

static bool read_structure(ct__reader *r, ct__span name, ct__attribute *value)
{
    value->kind = CT__ATTRIBUTE_DICT;
    value->text = ct__arena_span(r, name);
    value->text_length = name.length;
    if (!value->text)
        return ct__read_fail_memory(r);
    return ct__read_dict(r, "<", ">", &value->dict);
}

/* "<precision HIGH>" or "<HIGH>"; false when it is something else. */
static bool take_enum(ct__reader *r, ct__attribute *value)
{
    ct__span word;
    const ct__cursor back = r->cursor;
    bool fine = ct__take(r, "<") && ct__is_letter(ct__next_char(r)) && ct__read_word(r, &word) &&
                (!ct__is_letter(ct__next_char(r)) || ct__read_word(r, &word)) && ct__take(r, ">");
    if (!fine) {
        r->cursor = back;
        return false;
    }
    value->kind = CT__ATTRIBUTE_WORD;
    value->text = ct__arena_span(r, word);
    value->text_length = word.length;
    return true;
}

static bool read_dialect(ct__reader *r, ct__span name, ct__attribute *value)
{
    if (is_ours(name) && ct__char(r) == '<') {
        if (is_structure(name))
            return read_structure(r, name, value);
        if (ct__span_is(name, "stablehlo.conv"))
            return ct__expect(r, "<") && ct__read_conv(r, value) && ct__expect(r, ">");
        if (take_enum(r, value))
            return value->text || ct__read_fail_memory(r);
    }
    return skip_rest(r, value);
}

static bool read_alias(ct__reader *r, ct__span name, ct__attribute *value)
{
    ct__detour detour;
    if (!ct__detour_begin(r, name, &detour))
        return false;
    bool fine = ct__read_attribute(r, value);
    ct__detour_end(r, &detour);
    return fine;
}

/* "#name" or "!name", with its sign; the name's word is "" when digits follow the sign. */
static ct__span take_name(ct__reader *r)
{
    const char *at = r->cursor.at++;
    while (ct__is_word_char(ct__char(r)))
        r->cursor.at++;
    return (ct__span){at, (size_t)(r->cursor.at - at)};
}

static bool read_hash(ct__reader *r, ct__attribute *value)
{
    const ct__span name = take_name(r);
    if (memchr(name.at, '.', name.length) || ct__char(r) == '<')
        return read_dialect(r, (ct__span){name.at + 1, name.length - 1}, value);
    return read_alias(r, name, value);
}

/* ---- Types as attributes. */

static bool read_type_value(ct__reader *r, ct__attribute *value)
{
    value->kind = CT__ATTRIBUTE_TYPE;
    return ct__read_type(r, &value->type);
}

static bool read_bang(ct__reader *r, ct__attribute *value)
{
    const ct__cursor back = r->cursor;
    const ct__span name = take_name(r);
    if (ct__span_is(name, "!stablehlo.token")) {
        r->cursor = back;
        return read_type_value(r, value);
    }
    if (memchr(name.at, '.', name.length) || ct__char(r) == '<')
        return skip_rest(r, value);
    return read_alias(r, name, value);
}

/* "(T) -> R": kept as text. */
static bool read_function_type(ct__reader *r, ct__attribute *value)
{
    ct__attribute result;
    value->kind = CT__ATTRIBUTE_OTHER;
    if (!ct__skip_enclosed(r) || !ct__expect(r, "->"))
        return false;
    return ct__next_char(r) == '(' ? ct__skip_enclosed(r) : ct__read_attribute(r, &result);
}

/* ---- Words. */

static bool read_bool(ct__attribute *value, bool is_true)
{
    value->kind = CT__ATTRIBUTE_BOOL;
    value->integer = is_true;
    return true;
}

/* "sparse<[[0, 1]], [5]> : tensor<2x3xi8>": kept as text, of no use as a constant. */
static bool read_sparse(ct__reader *r, ct__attribute *value)
{
    ct__attribute type;
    return skip_rest(r, value) && ct__expect(r, ":") && ct__read_attribute(r, &type);
}

/* "distinct[0]<…>" */
static bool read_distinct(ct__reader *r, ct__attribute *value)
{
    if (!skip_rest(r, value))
        return false;
    return skip_rest(r, value);
}

static bool read_word(ct__reader *r, ct__attribute *value)
{
    ct__span word;
    const ct__cursor back = r->cursor;
    if (!ct__read_word(r, &word))
        return false;
    if (ct__span_is(word, "true") || ct__span_is(word, "false"))
        return read_bool(value, word.length == 4);
    if (ct__span_is(word, "unit"))
        return true;
    if (ct__span_is(word, "dense"))
        return ct__read_dense(r, NULL, value);
    if (ct__span_is(word, "dense_resource"))
        return ct__read_resource(r, value);
    if (ct__span_is(word, "distinct"))
        return read_distinct(r, value);
    if (ct__span_is(word, "sparse"))
        return read_sparse(r, value);
    if (ct__span_is(word, "array"))
        return read_array(r, value);
    if (ct__span_is(word, "tensor") || ct__span_is(word, "tuple")) {
        r->cursor = back;
        return read_type_value(r, value);
    }
    const ct_dtype dtype = ct__dtype_of_word(word);
    if (dtype == CT_INVALID_DTYPE)
        return skip_rest(r, value);
    value->kind = CT__ATTRIBUTE_TYPE;
    value->type = scalar_type(r, dtype);
    return value->type != NULL;
}

static bool read_value(ct__reader *r, ct__attribute *value)
{
    const char c = ct__char(r);
    switch (c) {
    case '"': return read_text(r, value);
    case '@': return read_symbol(r, value);
    case '[': return read_list(r, value);
    case '{': value->kind = CT__ATTRIBUTE_DICT; return ct__read_dict(r, "{", "}", &value->dict);
    case '#': return read_hash(r, value);
    case '!': return read_bang(r, value);
    case '(': return read_function_type(r, value);
    default: break;
    }
    if (ct__is_digit(c) || c == '-')
        return read_number(r, value);
    return ct__is_letter(c) ? read_word(r, value) : ct__read_expected(r, "an attribute");
}

bool ct__read_attribute(ct__reader *r, ct__attribute *value)
{
    *value = (ct__attribute){.kind = CT__ATTRIBUTE_UNIT};
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__nest(r))
        return false;
    bool fine = read_value(r, value);
    ct__unnest(r);
    value->source = (ct__span){at, (size_t)(r->cursor.at - at)};
    return fine;
}
