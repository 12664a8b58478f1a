#include "interop/stablehlo/print.h"

#include <stdio.h>
#include <string.h>

/* ---- Texts that are not in use yet. */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* `text` if the map does not hold it, else text_1, text_2, …; now in the map. NULL when memory is
 * short. */
static const char *enter_unique(ct__map *map, const char *text)
{
    size_t length = strlen(text);
    ct__map_entry *entry = ct__map_find(map, text, length);
    if (!entry) {
        entry = ct__map_add(map, text, length);
        return entry ? entry->key : NULL;
    }
    size_t room = length + 24;
    char *longer = ct__arena_alloc(map->arena, room);
    if (!longer)
        return NULL;
    size_t suffix = entry->count;
    do
        snprintf(longer, room, "%s_%zu", text, ++suffix);
    while (ct__map_find(map, longer, strlen(longer)));
    entry->count = suffix; /* before the map moves its entries */
    entry = ct__map_add(map, longer, strlen(longer));
    return entry ? entry->key : NULL;
}

/* What went wrong shows in the arena. */
static const char *or_dummy(const char *name)
{
    return name ? name : "%";
}

/* ---- Values. */

const char *ct__print_name(const ct__printer *p, ct__id id)
{
    return or_dummy(p->name ? p->name[id] : NULL);
}

static const char *fresh(ct__printer *p, const char *prefix, size_t number)
{
    char text[40];
    snprintf(text, sizeof text, "%%%s%zu", prefix, number);
    return or_dummy(enter_unique(&p->names, text));
}

const char *ct__print_fresh(ct__printer *p)
{
    return fresh(p, "", p->n_values++);
}

const char *ct__print_fresh_arg(ct__printer *p)
{
    return fresh(p, "arg", p->n_args++);
}

/* "%" and the name, with what an SSA name may not hold turned into "_". Names do not begin with a
 * digit: those are the ones without a name. */
static const char *from_user(ct__printer *p, const char *name)
{
    size_t length = strlen(name), n = 0;
    char *text = ct__arena_alloc(&p->function, length + 3);
    if (!text)
        return "%";
    text[n++] = '%';
    if (is_digit(name[0]))
        text[n++] = '_';
    for (size_t i = 0; i < length; i++) {
        bool fine = is_letter(name[i]) || is_digit(name[i]) || strchr("_$.-", name[i]);
        text[n++] = fine ? name[i] : '_';
    }
    text[n] = '\0';
    return or_dummy(enter_unique(&p->names, text));
}

static bool has_name(const ct__printer *p, ct__id id)
{
    const char *name = p->graph->value[id].name;
    return name && *name;
}

const char *ct__print_own_param(ct__printer *p, size_t i)
{
    ct__id id = p->graph->param[i];
    const char *name = has_name(p, id) ? from_user(p, p->graph->value[id].name)
                                       : ct__print_fresh_arg(p);
    if (p->name)
        p->name[id] = name;
    return name;
}

const char *ct__print_own_value(ct__printer *p, ct__id id)
{
    const char *name = has_name(p, id) ? from_user(p, p->graph->value[id].name)
                                       : ct__print_fresh(p);
    if (p->name)
        p->name[id] = name;
    return name;
}

void ct__print_take_name(ct__printer *p, ct__id id, const char *name)
{
    size_t length = strlen(name);
    if (p->name)
        p->name[id] = name;
    if (!ct__map_find(&p->names, name, length))
        ct__map_add(&p->names, name, length);
}

/* "%3:2 = ", and the values are %3#0, %3#1. */
static void print_group(ct__printer *p, const ct__node *node, size_t hidden)
{
    const char *group = ct__print_fresh(p);
    size_t total = hidden + node->n_results, room = strlen(group) + 24;
    for (size_t i = 0; i < node->n_results; i++) {
        char *name = ct__arena_alloc(&p->function, room);
        if (!name)
            return;
        snprintf(name, room, "%s#%zu", group, hidden + i);
        p->name[node->first_result + i] = total > 1 ? name : group;
    }
    if (total > 1)
        ct__text_add(p->out, "%s:%zu = ", group, total);
    else
        ct__text_add(p->out, "%s = ", group);
}

void ct__print_results(ct__printer *p, const ct__node *node, size_t hidden)
{
    bool named = false;
    for (size_t i = 0; i < node->n_results; i++)
        named = named || has_name(p, node->first_result + (ct__id)i);
    if (!p->name || hidden + node->n_results == 0)
        return;
    if (!named) {
        print_group(p, node, hidden);
        return;
    }
    for (size_t i = 0; i < hidden; i++)
        ct__text_add(p->out, "%s%s", i ? ", " : "", ct__print_fresh(p));
    for (size_t i = 0; i < node->n_results; i++)
        ct__text_add(p->out, "%s%s", hidden + i ? ", " : "",
                     ct__print_own_value(p, node->first_result + (ct__id)i));
    ct__text_add(p->out, " = ");
}

/* ---- Functions. */

const char *ct__print_new_symbol(ct__printer *p, const char *text)
{
    return or_dummy(enter_unique(&p->symbols, *text ? text : "f"));
}

const char *ct__print_symbol_of(ct__printer *p, const ct__graph *graph)
{
    ct__map_entry *entry = ct__map_find_pointer(&p->functions, graph);
    if (entry)
        return entry->value;
    entry = ct__map_add_pointer(&p->functions, graph);
    const char *symbol = ct__print_new_symbol(p, graph->name);
    if (entry)
        entry->value = symbol;
    return symbol;
}

static bool is_plain(const char *symbol)
{
    if (!is_letter(symbol[0]) && symbol[0] != '_')
        return false;
    for (const char *c = symbol; *c; c++)
        if (!is_letter(*c) && !is_digit(*c) && !strchr("_$.-", *c))
            return false;
    return true;
}

void ct__print_string(ct__printer *p, const char *text)
{
    ct__text_add(p->out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c >= ' ' && *c <= '~' && *c != '"' && *c != '\\')
            ct__text_add_bytes(p->out, c, 1);
        else
            ct__text_add(p->out, "\\%02X", (unsigned)(unsigned char)*c);
    }
    ct__text_add(p->out, "\"");
}

void ct__print_symbol(ct__printer *p, const char *symbol)
{
    if (is_plain(symbol)) {
        ct__text_add(p->out, "@%s", symbol);
        return;
    }
    ct__text_add(p->out, "@");
    ct__print_string(p, symbol);
}
