#include "interop/stablehlo/read_forms.h"

#include <stdio.h>

static const struct form {
    const char *spelling, *pattern;
} forms[] = {
#define FORM(spelling, pattern) {spelling, pattern},
#include "interop/stablehlo/forms.def"
};

/* ---- Items with a key. */

void ct__form_source(const ct__reader *r, const char *at, ct__attribute *value)
{
    value->source = (ct__span){at, (size_t)(r->cursor.at - at)};
}

/* Copies bytes, no final 0; returns what is behind them. */
static char *append(char *to, const void *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

/* The source as the generic form has it: what was read, between two texts. */
static bool generic_source(ct__reader *r, const char *at, const char *before, const char *behind,
                           ct__attribute *value)
{
    const size_t n = (size_t)(r->cursor.at - at), n_before = strlen(before),
                 n_behind = strlen(behind);
    char *text = ct__arena_alloc(&r->arena, n_before + n + n_behind);
    if (!text)
        return ct__read_fail_memory(r);
    char *end = append(append(append(text, before, n_before), at, n), behind, n_behind);
    value->source = (ct__span){text, (size_t)(end - text)};
    return true;
}

static bool set(ct__reader *r, ct__statement *s, const char *key, const ct__attribute *value)
{
    return ct__dict_add(r, &s->attributes, s->at, key, value);
}

/* The generic form writes "2 : ui64". */
static bool form_integer(ct__reader *r, ct__statement *s, const char *key)
{
    int64_t value;
    char name[64];
    const char *slash = strchr(key, '/');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, "/"), key);
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__read_integer(r, &value))
        return false;
    const char *text = ct__arena_print(r, "%.*s : %s", (int)(r->cursor.at - at), at,
                                       slash ? slash + 1 : "i64");
    const char *own = ct__arena_text(&r->arena, name);
    if (!text || !own)
        return ct__read_fail_memory(r);
    return set(r, s, own,
               &(ct__attribute){.kind = CT__ATTRIBUTE_INTEGER,
                                .source = {text, strlen(text)},
                                .integer = value,
                                .number = (double)value});
}

bool ct__form_ints(ct__reader *r, ct__statement *s, const char *key)
{
    ct__attribute value;
    const char *at = r->cursor.at;
    if (!ct__read_attribute(r, &value))
        return false;
    if (value.kind != CT__ATTRIBUTE_INTS)
        return ct__read_fail(r, at, "expected a list of integers, \"[0, 1]\"");
    if (ct__dict_find(&s->attributes, key))
        return ct__read_fail(r, at, "attribute '%s' stands there twice", key);
    return ct__dict_set_ints(r, &s->attributes, key, value.ints);
}

static bool form_number(ct__reader *r, ct__statement *s, const char *key)
{
    ct__attribute value;
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    ct__scalar scalar;
    if (!ct__read_scalar(r, &scalar))
        return false;
    value = (ct__attribute){.kind = CT__ATTRIBUTE_FLOAT, .number = scalar.number};
    const char *text = ct__arena_print(r, "%.*s : f64", (int)(r->cursor.at - at), at);
    if (!text)
        return ct__read_fail_memory(r);
    value.source = (ct__span){text, strlen(text)};
    return set(r, s, key, &value);
}

static bool form_word(ct__reader *r, ct__statement *s, const char *key)
{
    ct__span word;
    if (!ct__is_letter(ct__next_char(r)))
        return ct__read_expected(r, "a word");
    return ct__read_word(r, &word) && ct__dict_set_word(r, &s->attributes, key, word);
}

static bool read_precision(ct__reader *r, ct__attribute *value)
{
    ct__span word;
    if (!ct__is_letter(ct__next_char(r)) || !ct__read_word(r, &word))
        return ct__read_expected(r, "a precision");
    *value = (ct__attribute){
        .kind = CT__ATTRIBUTE_WORD, .text = ct__arena_span(r, word), .text_length = word.length};
    return (value->text || ct__read_fail_memory(r)) &&
           generic_source(r, word.at, "#stablehlo<precision ", ">", value);
}

/* "[#stablehlo<precision HIGH>, …]" */
static bool list_source(ct__reader *r, ct__attribute *value)
{
    ct__text out;
    ct__text_init(&out, &r->arena.allocator);
    ct__text_add(&out, "[");
    for (size_t i = 0; i < value->n_list; i++) {
        ct__text_add(&out, "%s", i ? ", " : "");
        ct__text_add_bytes(&out, value->list[i].source.at, value->list[i].source.length);
    }
    ct__text_add(&out, "]");
    const char *text = out.failed ? NULL : ct__arena_text(&r->arena, out.data);
    ct__text_free(&out);
    value->source = (ct__span){text, text ? strlen(text) : 0};
    return text || ct__read_fail_memory(r);
}

/* "[HIGH, DEFAULT]" */
static bool form_precisions(ct__reader *r, ct__statement *s, const char *key)
{
    size_t capacity = 0;
    ct__attribute *list = NULL, value = {.kind = CT__ATTRIBUTE_LIST};
    if (!ct__expect(r, "["))
        return false;
    if (!ct__peek(r, "]"))
        do {
            if (!ct__more(r, &list, value.n_list, &capacity, sizeof *list) ||
                !read_precision(r, &list[value.n_list]))
                return false;
            value.n_list++;
        } while (ct__take(r, ","));
    value.list = list;
    return ct__expect(r, "]") && list_source(r, &value) && set(r, s, key, &value);
}

static bool form_text(ct__reader *r, ct__statement *s, const char *key)
{
    ct__attribute value = {.kind = CT__ATTRIBUTE_STRING};
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__read_string(r, &value.text, &value.text_length))
        return false;
    ct__form_source(r, at, &value);
    return set(r, s, key, &value);
}

static bool form_symbol(ct__reader *r, ct__statement *s, const char *key)
{
    ct__attribute value = {.kind = CT__ATTRIBUTE_SYMBOL};
    if (ct__peek(r, "\""))
        return form_text(r, s, key);
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__read_symbol(r, &value.text))
        return false;
    value.text_length = strlen(value.text);
    ct__form_source(r, at, &value);
    return set(r, s, key, &value);
}

static bool form_value(ct__reader *r, ct__statement *s, const char *key)
{
    ct__attribute value;
    return ct__read_attribute(r, &value) && set(r, s, key, &value);
}

static bool form_conv(ct__reader *r, ct__statement *s, const char *key)
{
    ct__attribute value = {.kind = CT__ATTRIBUTE_UNIT};
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    return ct__read_conv(r, &value) && generic_source(r, at, "#stablehlo.conv<", ">", &value) &&
           set(r, s, key, &value);
}

static bool form_algorithm(ct__reader *r, ct__statement *s, const char *key)
{
    ct__attribute value = {.kind = CT__ATTRIBUTE_DICT};
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    return ct__read_dict(r, "<", ">", &value.dict) &&
           generic_source(r, at, "#stablehlo.dot_algorithm", "", &value) && set(r, s, key, &value);
}

/* ---- Operands and attributes. */

static char char_behind_comma(ct__reader *r)
{
    const ct__cursor back = r->cursor;
    const char c = ct__take(r, ",") ? ct__next_char(r) : '\0';
    r->cursor = back;
    return c;
}

bool ct__form_operands(ct__reader *r, ct__statement *s)
{
    if (ct__next_char(r) != '%')
        return true;
    for (;;) {
        if (!ct__read_operand(r, s))
            return false;
        if (char_behind_comma(r) != '%')
            return true;
        ct__expect(r, ",");
    }
}

bool ct__form_dict(ct__reader *r, ct__statement *s)
{
    return !ct__peek(r, "{") || ct__read_dict(r, "{", "}", &s->attributes);
}

/* ---- Types. */

/* The operands' types are the first `count` of the list, the last one repeated. */
static bool set_operand_types(ct__reader *r, ct__statement *s, ct__type_list list)
{
    const ct_type **item = CT__NEW_ARRAY(&r->arena, const ct_type *, s->n_operands);
    if (!item)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < s->n_operands; i++)
        item[i] = list.item[i < list.count ? i : list.count - 1];
    s->operand_types = (ct__type_list){s->n_operands, item};
    s->has_types = true;
    return true;
}

bool ct__form_signature(ct__reader *r, ct__statement *s)
{
    s->has_types = true;
    return ct__read_signature(r, &s->operand_types, &s->result_types);
}

static bool form_chlo(ct__reader *r, ct__statement *s)
{
    s->has_types = true;
    if (ct__peek(r, "("))
        return ct__form_signature(r, s);
    return ct__read_types(r, &s->operand_types) && ct__expect(r, "->") &&
           ct__read_result_types(r, &s->result_types);
}

static bool form_same(ct__reader *r, ct__statement *s)
{
    if (ct__peek(r, "("))
        return ct__form_signature(r, s);
    s->result_types = (ct__type_list){1, CT__NEW(&r->arena, const ct_type *)};
    if (!s->result_types.item)
        return ct__read_fail_memory(r);
    return ct__read_type(r, s->result_types.item) && set_operand_types(r, s, s->result_types);
}

static bool form_results(ct__reader *r, ct__statement *s)
{
    if (ct__peek(r, "("))
        return ct__form_signature(r, s);
    return ct__read_types(r, &s->result_types);
}

static bool fail_type_count(ct__reader *r, const ct__statement *s, size_t count)
{
    return ct__read_fail(r, s->types_at, "%zu type%s for %zu operand%s", count,
                         count == 1 ? "" : "s", s->n_operands, s->n_operands == 1 ? "" : "s");
}

static bool form_operand_types(ct__reader *r, ct__statement *s)
{
    ct__type_list list;
    if (ct__peek(r, "("))
        return ct__form_signature(r, s);
    if (!ct__read_types(r, &list))
        return false;
    if (list.count != 1 && list.count != s->n_operands)
        return fail_type_count(r, s, list.count);
    return set_operand_types(r, s, list);
}

bool ct__form_each(ct__reader *r, ct__statement *s)
{
    ct__type_list list;
    if (ct__peek(r, "("))
        return ct__form_signature(r, s);
    if (!ct__read_types(r, &list))
        return false;
    if (list.count != s->n_operands)
        return fail_type_count(r, s, list.count);
    s->result_types = list;
    return set_operand_types(r, s, list);
}

static bool form_select(ct__reader *r, ct__statement *s)
{
    ct__type_list list;
    if (ct__peek(r, "("))
        return ct__form_signature(r, s);
    if (!ct__read_types(r, &list))
        return false;
    if (list.count != 2)
        return ct__read_fail(r, s->types_at, "expected the types of the predicate and the values");
    s->result_types = (ct__type_list){1, list.item + 1};
    return set_operand_types(r, s, list);
}

/* ---- The table of items. */

static const struct key_item {
    const char *name;
    bool (*read)(ct__reader *r, ct__statement *s, const char *key);
} key_items[] = {
    {"int", form_integer},        {"ints", ct__form_ints},         {"num", form_number},
    {"word", form_word},          {"precisions", form_precisions}, {"text", form_text},
    {"symbol", form_symbol},      {"value", form_value},           {"conv", form_conv},
    {"algorithm", form_algorithm}};

static const struct item {
    const char *name;
    bool (*read)(ct__reader *r, ct__statement *s);
} items[] = {{"x", ct__read_operand},
             {"x*", ct__form_operands},
             {"{}", ct__form_dict},
             {"!constant", ct__form_constant},
             {"!format", ct__form_format},
             {"!ranges", ct__form_ranges},
             {"!window", ct__form_window},
             {"!barrier", ct__form_barrier},
             {"!sharding", ct__form_sharding},
             {"!reduce", ct__form_reduce},
             {"!while", ct__form_while},
             {"!scan", ct__form_scan}};

static const struct item type_items[] = {{":sig", ct__form_signature},
                                         {":chlo", form_chlo},
                                         {":same", form_same},
                                         {":results", form_results},
                                         {":operands", form_operand_types},
                                         {":each", ct__form_each},
                                         {":select", form_select}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Patterns. */

/* The next item of the pattern; false at its end. */
static bool next_item(const char **pattern, char item[64])
{
    const char *at = *pattern + strspn(*pattern, " ");
    const size_t length = strcspn(at, " ");
    *pattern = at + length;
    snprintf(item, 64, "%.*s", (int)length, at);
    return length > 0;
}

static const struct key_item *key_item_of(const char *item)
{
    const size_t length = strcspn(item, ":");
    if (item[length] != ':')
        return NULL;
    for (size_t i = 0; i < COUNT(key_items); i++)
        if (strlen(key_items[i].name) == length && memcmp(item, key_items[i].name, length) == 0)
            return &key_items[i];
    return NULL;
}

static const struct item *item_in(const struct item *list, size_t count, const char *item)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, item) == 0)
            return &list[i];
    return NULL;
}

/* A mark of the text: none of the items. */
static bool is_mark(const char *item)
{
    return !key_item_of(item) && !item_in(items, COUNT(items), item) &&
           !item_in(type_items, COUNT(type_items), item) && strcmp(item, "times") != 0 &&
           strcmp(item, "[?") != 0 && strcmp(item, "?]") != 0;
}

static bool read_types(ct__reader *r, ct__statement *s, const struct item *item)
{
    if (!ct__expect(r, ":"))
        return false;
    ct__skip_blanks(r);
    s->types_at = r->cursor.at;
    return item->read(r, s);
}

static bool read_item(ct__reader *r, ct__statement *s, const char *item)
{
    const struct key_item *keyed = key_item_of(item);
    if (keyed) {
        const char *key = ct__arena_text(&r->arena, strchr(item, ':') + 1);
        return key ? keyed->read(r, s, key) : ct__read_fail_memory(r);
    }
    const struct item *plain = item_in(items, COUNT(items), item);
    if (plain)
        return plain->read(r, s);
    const struct item *types = item_in(type_items, COUNT(type_items), item);
    if (types)
        return read_types(r, s, types);
    return strcmp(item, "times") == 0 ? ct__expect_times(r) : ct__expect(r, item);
}

/* Whether the optional items are there: all of their first marks. The cursor stays. */
static bool has_option(ct__reader *r, const char *pattern)
{
    char item[64];
    const ct__cursor back = r->cursor;
    bool fits = true;
    while (fits && next_item(&pattern, item) && is_mark(item))
        fits = ct__take(r, item);
    r->cursor = back;
    return fits;
}

static void skip_option(const char **pattern)
{
    char item[64];
    while (next_item(pattern, item) && strcmp(item, "?]") != 0)
        continue;
}

static bool read_pattern(ct__reader *r, ct__statement *s, const char *pattern)
{
    char item[64];
    while (next_item(&pattern, item)) {
        if (strcmp(item, "?]") == 0)
            continue;
        if (strcmp(item, "[?") != 0) {
            if (!read_item(r, s, item))
                return false;
        } else if (!has_option(r, pattern)) {
            skip_option(&pattern);
        }
    }
    return true;
}

static const struct form *form_of(ct__span spelling)
{
    for (size_t i = 0; i < COUNT(forms); i++)
        if (ct__span_is(spelling, forms[i].spelling))
            return &forms[i];
    return NULL;
}

bool ct__read_pretty(ct__reader *r, ct__statement *s)
{
    const struct form *form = form_of(s->spelling);
    if (form)
        return read_pattern(r, s, form->pattern);
    if (ct__op_of_spelling(s->spelling) != CT__OP_COUNT)
        return ct__read_fail(r, s->at, "operation '%.*s' has no short form: write \"%.*s\"(…)",
                             ct__span_shown(s->spelling), s->spelling.at,
                             ct__span_shown(s->spelling), s->spelling.at);
    return ct__read_fail(r, s->at, "operation '%.*s' is not known", ct__span_shown(s->spelling),
                         s->spelling.at);
}
