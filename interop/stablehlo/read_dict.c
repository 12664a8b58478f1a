#include "interop/stablehlo/read_values.h"

#include <inttypes.h>

/* ---- Entries. */

/* So many keys are searched one by one. */
enum { FEW = 16 };

ct__entry *ct__dict_find(const ct__dict *dict, const char *key)
{
    if (dict->places) {
        const ct__map_entry *place = ct__map_find(dict->places, key, strlen(key));
        return place ? &dict->entry[place->count] : NULL;
    }
    for (size_t i = 0; i < dict->count; i++)
        if (strcmp(dict->entry[i].key, key) == 0)
            return &dict->entry[i];
    return NULL;
}

/* Entry i, which is new, has its place. */
static bool add_place(ct__dict *dict, size_t i)
{
    const char *key = dict->entry[i].key;
    ct__map_entry *place = key ? ct__map_add(dict->places, key, strlen(key)) : NULL;
    if (place)
        place->count = i;
    return place != NULL;
}

static bool add_places(ct__reader *r, ct__dict *dict)
{
    dict->places = ct__arena_zeroed(&r->arena, sizeof *dict->places);
    if (!dict->places)
        return false;
    ct__map_init(dict->places, &r->arena);
    for (size_t i = 0; i < dict->count; i++)
        if (!add_place(dict, i))
            return false;
    return true;
}

bool ct__dict_set(ct__reader *r, ct__dict *dict, const char *key, const ct__attribute *value)
{
    ct__entry *entry = ct__dict_find(dict, key);
    if (entry) {
        *entry = (ct__entry){.key = key, .value = *value};
        return true;
    }
    if (!ct__more(r, &dict->entry, dict->count, &dict->capacity, sizeof *dict->entry))
        return false;
    dict->entry[dict->count++] = (ct__entry){.key = key, .value = *value};
    if (dict->places ? add_place(dict, dict->count - 1) : dict->count <= FEW || add_places(r, dict))
        return true;
    return ct__read_fail_memory(r);
}

bool ct__dict_add(ct__reader *r, ct__dict *dict, const char *at, const char *key,
                  const ct__attribute *value)
{
    if (ct__dict_find(dict, key))
        return ct__read_fail(r, at, "attribute '%s' stands there twice", key);
    return ct__dict_set(r, dict, key, value);
}

const ct__attribute *ct__dict_use(ct__dict *dict, const char *key)
{
    ct__entry *entry = ct__dict_find(dict, key);
    if (!entry)
        return NULL;
    entry->is_used = true;
    return &entry->value;
}

/* ---- Reading. */

bool ct__read_key(ct__reader *r, const char **key)
{
    ct__span word;
    size_t length;
    if (ct__next_char(r) == '"') {
        const char *at = r->cursor.at;
        if (!ct__read_string(r, key, &length))
            return false;
        return strlen(*key) == length || ct__read_fail(r, at, "a name has no 0 in it");
    }
    if (!ct__is_letter(ct__char(r)))
        return ct__read_expected(r, "the name of an attribute");
    if (!ct__read_word(r, &word))
        return false;
    *key = ct__arena_span(r, word);
    return *key || ct__read_fail_memory(r);
}

bool ct__read_entry(ct__reader *r, ct__dict *dict)
{
    ct__attribute value = {.kind = CT__ATTRIBUTE_UNIT};
    const char *key = NULL;
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__read_key(r, &key))
        return false;
    if (ct__take(r, "=") && !ct__read_attribute(r, &value))
        return false;
    return ct__dict_add(r, dict, at, key, &value);
}

bool ct__read_dict(ct__reader *r, const char *open, const char *close, ct__dict *dict)
{
    if (!ct__expect(r, open))
        return false;
    if (ct__take(r, close))
        return true;
    do {
        if (!ct__read_entry(r, dict))
            return false;
    } while (ct__take(r, ","));
    return ct__peek(r, close) ? ct__expect(r, close)
                              : ct__read_expected(r, "',' or the end of the attributes");
}

/* ---- Entries of pretty forms, with the text that the generic form has. */

bool ct__dict_set_ints(ct__reader *r, ct__dict *dict, const char *key, ct__ints ints)
{
    ct__text out;
    ct__text_init(&out, &r->arena.allocator);
    ct__text_add(&out, "array<i64%s", ints.count ? ": " : "");
    for (size_t i = 0; i < ints.count; i++)
        ct__text_add(&out, "%s%" PRId64, i ? ", " : "", ints.item[i]);
    ct__text_add(&out, ">");
    const char *text = out.failed ? NULL : ct__arena_text(&r->arena, out.data);
    ct__text_free(&out);
    if (!text)
        return ct__read_fail_memory(r);
    return ct__dict_set(
        r, dict, key,
        &(ct__attribute){.kind = CT__ATTRIBUTE_INTS, .source = {text, strlen(text)}, .ints = ints});
}

bool ct__dict_set_integer(ct__reader *r, ct__dict *dict, const char *key, int64_t value)
{
    const char *text = ct__arena_print(r, "%" PRId64 " : i64", value);
    if (!text)
        return ct__read_fail_memory(r);
    return ct__dict_set(r, dict, key,
                        &(ct__attribute){.kind = CT__ATTRIBUTE_INTEGER,
                                         .source = {text, strlen(text)},
                                         .integer = value,
                                         .number = (double)value});
}

bool ct__dict_set_word(ct__reader *r, ct__dict *dict, const char *key, ct__span word)
{
    const char *text = ct__arena_span(r, word);
    if (!text)
        return ct__read_fail_memory(r);
    return ct__dict_set(
        r, dict, key,
        &(ct__attribute){
            .kind = CT__ATTRIBUTE_WORD, .source = word, .text = text, .text_length = word.length});
}

/* ---- Attributes as text again: blanks and comments are one blank, aliases are what they stand
 * for, strings stay. */

static ct__span name_at(const char *at, const char *end)
{
    const char *c = at + 1;
    while (c < end && ct__is_word_char(*c))
        c++;
    return (ct__span){at, (size_t)(c - at)};
}

static bool add_source(ct__reader *r, ct__span source, ct__text *out);

/* "#name" or "!name": what it stands for, or itself. */
static bool add_name(ct__reader *r, ct__span name, ct__text *out)
{
    ct__detour detour;
    ct__attribute value;
    if (!ct__map_find(&r->aliases, name.at, name.length)) {
        ct__text_add_bytes(out, name.at, name.length);
        return true;
    }
    if (!ct__detour_begin(r, name, &detour))
        return false;
    bool fine = ct__read_attribute(r, &value) && add_source(r, value.source, out);
    ct__detour_end(r, &detour);
    return fine;
}

/* Behind a string, from its quotation mark. */
static const char *end_of_string(const char *c, const char *end)
{
    for (c++; c < end && *c != '"'; c++)
        c += *c == '\\';
    return c < end ? c + 1 : end;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Behind blanks and comments; c itself when there are none. */
static const char *end_of_blanks(const char *c, const char *end)
{
    for (;;) {
        if (c < end && is_blank(*c)) {
            c++;
        } else if (end - c > 1 && c[0] == '/' && c[1] == '/') {
            while (c < end && *c != '\n')
                c++;
        } else {
            return c;
        }
    }
}

static bool add_source(ct__reader *r, ct__span source, ct__text *out)
{
    const char *end = source.at + source.length, *next;
    for (const char *c = source.at; c < end; c = next) {
        next = end_of_blanks(c, end);
        if (next > c) {
            if (next < end)
                ct__text_add_bytes(out, " ", 1);
        } else if (*c == '"') {
            next = end_of_string(c, end);
            ct__text_add_bytes(out, c, (size_t)(next - c));
        } else if (*c == '#' || *c == '!') {
            const ct__span name = name_at(c, end);
            next = c + name.length;
            if (!add_name(r, name, out))
                return false;
        } else {
            ct__text_add_bytes(out, c, 1);
            next = c + 1;
        }
    }
    return true;
}

bool ct__attribute_text(ct__reader *r, const ct__attribute *value, ct__text *out)
{
    return add_source(r, value->source, out);
}

/* "key", quoted unless it is a word. */
static void add_key(const char *key, ct__text *out)
{
    size_t n = 0;
    while (ct__is_word_char(key[n]))
        n++;
    if (key[n] == '\0' && ct__is_letter(key[0])) {
        ct__text_add(out, "%s", key);
        return;
    }
    ct__text_add(out, "\"");
    for (; *key; key++) {
        if (*key == '"' || *key == '\\')
            ct__text_add(out, "\\%c", *key);
        else if ((unsigned char)*key < ' ')
            ct__text_add(out, "\\%02X", (unsigned)(unsigned char)*key);
        else
            ct__text_add_bytes(out, key, 1);
    }
    ct__text_add(out, "\"");
}

static bool add_rest(ct__reader *r, const ct__dict *dict, ct__text *out)
{
    for (size_t i = 0; i < dict->count; i++) {
        const ct__entry *entry = &dict->entry[i];
        if (entry->is_used)
            continue;
        ct__text_add(out, "%s", out->length ? ", " : "");
        add_key(entry->key, out);
        if (entry->value.kind == CT__ATTRIBUTE_UNIT)
            continue;
        ct__text_add(out, " = ");
        if (!ct__attribute_text(r, &entry->value, out))
            return false;
    }
    return true;
}

const char *ct__dict_rest(ct__reader *r, const ct__dict *dict)
{
    ct__text out;
    ct__text_init(&out, &r->arena.allocator);
    const bool fine = add_rest(r, dict, &out);
    const char *text = fine && !out.failed && out.length ? ct__arena_text(&r->arena, out.data)
                                                         : NULL;
    if (fine && (out.failed || (out.length && !text)))
        ct__read_fail_memory(r);
    ct__text_free(&out);
    return text;
}
