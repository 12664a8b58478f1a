/* loc("f.c":42:0), loc("name"), loc("name"(…)), loc(callsite(… at …)), loc(fused<…>[…]),
 * loc(unknown), loc(#loc1). Of a place that is made of several, the first file and line counts; of
 * fused ones the others are further places. */
#include "interop/stablehlo/read_module.h"

typedef struct location {
    ct_place place;  /* file NULL: none */
    bool is_unknown; /* it says so */
    const char *name;
    ct__places also;
    bool is_open; /* being read */
} location;

static bool read_inner(ct__reader *r, location *found);

#define MAX_FURTHER_PLACES (1 << 20) /* in a text */

/* ---- Files. */

/* Most places are in the same file as the last one. */
static const char *same_file(ct__reader *r, const char *file)
{
    if (!r->last_file || strcmp(r->last_file, file) != 0)
        r->last_file = file;
    return r->last_file;
}

/* ":42:0", ":42:0 to 43:5", ":42:0 to :5", from behind the first colon. */
static bool read_position(ct__reader *r, int64_t *line, int64_t *column)
{
    int64_t ignored;
    if (!ct__read_integer(r, line) || (ct__take(r, ":") && !ct__read_integer(r, column)))
        return false;
    if (!ct__take(r, "to"))
        return true;
    if (!ct__peek(r, ":") && !ct__read_integer(r, &ignored))
        return false;
    return ct__expect(r, ":") && ct__read_integer(r, &ignored);
}

/* A file with a position, or a name around a place. */
static bool read_named(ct__reader *r, location *found)
{
    const char *text;
    size_t length;
    int64_t line = 0, column = 0;
    if (!ct__read_string(r, &text, &length))
        return false;
    if (ct__take(r, ":")) {
        if (!read_position(r, &line, &column))
            return false;
        if (!found->place.file && line >= 0 && line <= INT32_MAX)
            found->place = (ct_place){same_file(r, text), (int)line,
                                      column > 0 && column <= INT32_MAX ? (int)column : 0};
        return true;
    }
    if (!found->name)
        found->name = text;
    return !ct__take(r, "(") || (read_inner(r, found) && ct__expect(r, ")"));
}

/* ---- Aliases. */

/* What the alias says, read when it is first used; NULL after an error. */
static const location *look_up(ct__reader *r, ct__span name)
{
    ct__map_entry *known = ct__map_find(&r->locations, name.at, name.length);
    if (known) {
        const location *l = known->value;
        if (l->is_open)
            ct__read_fail(r, name.at, "the place is defined by itself");
        return l->is_open ? NULL : l;
    }
    location *l = CT__NEW(&r->arena, location);
    known = ct__map_add(&r->locations, name.at, name.length);
    if (!l || !known) {
        ct__read_fail_memory(r);
        return NULL;
    }
    known->value = l;
    ct__detour detour;
    if (!ct__detour_begin(r, name, &detour))
        return NULL;
    l->is_open = true;
    bool fine = ct__take(r, "loc") ? ct__expect(r, "(") && read_inner(r, l) && ct__expect(r, ")")
                                   : read_inner(r, l);
    ct__detour_end(r, &detour);
    l->is_open = false;
    return fine ? l : NULL;
}

/* #loc1; once a file has been found, others need not be looked up. */
static bool read_alias(ct__reader *r, location *found)
{
    const char *start = r->cursor.at, *at = start + 1;
    while (at < r->cursor.end && (ct__is_letter(*at) || ct__is_digit(*at) || *at == '$'))
        at++;
    ct__span name = {start, (size_t)(at - start)};
    r->cursor.at = at;
    if (found->place.file && ct__map_find(&r->aliases, name.at, name.length))
        return true;
    const location *l = look_up(r, name);
    if (!l)
        return false;
    found->place = l->place;
    found->also = l->also;
    found->is_unknown = found->is_unknown || l->is_unknown;
    if (!found->name)
        found->name = l->name;
    return true;
}

/* ---- Compound places. */

static bool read_call_site(ct__reader *r, location *found)
{
    return ct__expect(r, "(") && read_inner(r, found) && ct__expect(r, "at") &&
           read_inner(r, found) && ct__expect(r, ")");
}

static bool add_place(ct__reader *r, location *found, ct_place place)
{
    if (!found->place.file) {
        found->place = place;
        return true;
    }
    if (!place.file)
        return true;
    if (++r->n_further_places > MAX_FURTHER_PLACES) /* aliases of aliases could double each time */
        return ct__read_fail(r, r->cursor.at, "there are more than %d fused places",
                             MAX_FURTHER_PLACES);
    ct__places *also = &found->also;
    ct_place *item = (ct_place *)also->item;
    if (!ct__more(r, &item, also->count, &also->capacity, sizeof *item))
        return false;
    item[also->count++] = place;
    also->item = item;
    return true;
}

/* What one member of a list says. */
static bool add_part(ct__reader *r, location *found, const location *part)
{
    found->is_unknown = found->is_unknown || part->is_unknown;
    if (!found->name)
        found->name = part->name;
    bool fine = add_place(r, found, part->place);
    for (size_t i = 0; fine && i < part->also.count; i++)
        fine = add_place(r, found, part->also.item[i]);
    return fine;
}

static bool read_fused(ct__reader *r, location *found)
{
    ct__attribute ignored;
    if (ct__take(r, "<") && !(ct__read_attribute(r, &ignored) && ct__expect(r, ">")))
        return false;
    if (!ct__expect(r, "["))
        return false;
    if (ct__take(r, "]")) /* of none */
        return found->is_unknown = true;
    location all = {.place = {NULL, 0, 0}}; /* lists that are handed on stay as they are */
    do {
        location part = {.place = {NULL, 0, 0}};
        if (!read_inner(r, &part) || !add_part(r, &all, &part))
            return false;
    } while (ct__take(r, ","));
    if (!found->place.file) {
        found->place = all.place;
        found->also = all.also;
    }
    found->is_unknown = found->is_unknown || all.is_unknown;
    if (!found->name)
        found->name = all.name;
    return ct__expect(r, "]");
}

static bool read_kind(ct__reader *r, location *found)
{
    switch (ct__next_char(r)) {
    case '"': return read_named(r, found);
    case '#': return read_alias(r, found);
    default: break;
    }
    if (ct__take(r, "unknown"))
        return found->is_unknown = true;
    if (ct__take(r, "callsite"))
        return read_call_site(r, found);
    if (ct__take(r, "fused"))
        return read_fused(r, found);
    return ct__read_expected(r,
                             "a place: \"file\":line:column, \"name\", callsite, fused, unknown");
}

static bool read_inner(ct__reader *r, location *found)
{
    if (!ct__nest(r))
        return false;
    bool fine = read_kind(r, found);
    ct__unnest(r);
    return fine;
}

bool ct__read_location(ct__reader *r, ct_place *place, ct__places *also, const char **name)
{
    location found = {.place = {NULL, 0, 0}};
    if (!ct__take(r, "loc"))
        return true;
    if (!ct__expect(r, "(") || !read_inner(r, &found) || !ct__expect(r, ")"))
        return false;
    if (found.place.file || found.is_unknown)
        *place = found.place;
    if (also)
        *also = found.also;
    if (name && found.name)
        *name = found.name;
    return true;
}
