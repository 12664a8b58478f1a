#include "interop/stablehlo/read_module.h"

#include <stdio.h>

/* ---- The table. */

void ct__names_init(ct__names *names, const ct_allocator *allocator)
{
    *names = (ct__names){.allocator = *allocator};
}

void ct__names_free(ct__names *names)
{
    ct__release(&names->allocator, names->entry, names->capacity * sizeof *names->entry);
    ct__release(&names->allocator, names->slot, names->n_slots * sizeof *names->slot);
    *names = (ct__names){.allocator = names->allocator};
}

/* The slot of the name, or the free one where it belongs: at most half of them are taken. */
static size_t *find_slot(const ct__names *names, ct__span name, uint64_t hash)
{
    size_t i = (size_t)hash & (names->n_slots - 1);
    for (; names->slot[i]; i = (i + 1) & (names->n_slots - 1)) {
        const ct__named *entry = &names->entry[names->slot[i] - 1];
        if (entry->hash == hash && entry->name.length == name.length &&
            memcmp(entry->name.at, name.at, name.length) == 0)
            break;
    }
    return &names->slot[i];
}

const ct__named *ct__names_find(const ct__names *names, ct__span name)
{
    if (names->n_entries == 0)
        return NULL;
    size_t found = *find_slot(names, name, ct__hash(name.at, name.length));
    return found ? &names->entry[found - 1] : NULL;
}

/* Twice the slots. Entries are entered again in the order of definition, as truncation needs. */
static bool grow_slots(ct__names *names)
{
    size_t count = names->n_slots ? 2 * names->n_slots : 64;
    size_t *slot = ct__alloc_zeroed(&names->allocator, count * sizeof *slot);
    if (!slot)
        return false;
    ct__release(&names->allocator, names->slot, names->n_slots * sizeof *slot);
    names->slot = slot;
    names->n_slots = count;
    for (size_t i = 0; i < names->n_entries; i++)
        *find_slot(names, names->entry[i].name, names->entry[i].hash) = i + 1;
    return true;
}

/* The newest entry is the last of its chain, so emptying its slot breaks none. */
void ct__names_truncate(ct__names *names, size_t n_entries)
{
    while (names->n_entries > n_entries) {
        const ct__named *entry = &names->entry[names->n_entries - 1];
        *find_slot(names, entry->name, entry->hash) = 0;
        names->n_entries--;
    }
}

bool ct__names_define(ct__reader *r, ct__span name, size_t n_values, ct_tensor **value)
{
    ct__names *names = r->names;
    if ((2 * (names->n_entries + 1) > names->n_slots && !grow_slots(names)) ||
        !ct__grow(&names->allocator, &names->entry, &names->capacity, names->n_entries + 1,
                  sizeof *names->entry))
        return ct__read_fail_memory(r);
    uint64_t hash = ct__hash(name.at, name.length);
    size_t *slot = find_slot(names, name, hash);
    if (*slot)
        return ct__read_fail(r, name.at - 1, "%%%.*s has been defined in line %d",
                             ct__span_shown(name), name.at,
                             ct__line_of(r, names->entry[*slot - 1].name.at));
    ct__named *entry = &names->entry[names->n_entries++];
    *entry = (ct__named){.name = name, .hash = hash, .n_values = n_values, .value = value};
    if (n_values == 1)
        entry->only = value[0];
    *slot = names->n_entries;
    return true;
}

/* ---- In the text. */

/* Digits, or [A-Za-z_$.-][A-Za-z0-9_$.-]*. */
bool ct__read_name(ct__reader *r, ct__span *name)
{
    ct__skip_blanks(r);
    const char *start = r->cursor.at, *at = start + 1, *end = r->cursor.end;
    if (start == end || *start != '%')
        return ct__read_expected(r, "a value, %name");
    bool is_number = at < end && ct__is_digit(*at);
    while (at < end && (is_number ? ct__is_digit(*at) : ct__is_name_char(*at)))
        at++;
    if (at == start + 1)
        return ct__read_fail(r, start, "expected a name or a number behind '%%'");
    *name = (ct__span){start + 1, (size_t)(at - start - 1)};
    r->cursor.at = at;
    return true;
}

/* "#1" behind a name, without blanks between. */
static bool read_number(ct__reader *r, const ct__named *entry, const char *at, size_t *number)
{
    int64_t i = 0;
    *number = 0;
    if (r->cursor.at == r->cursor.end || *r->cursor.at != '#')
        return true;
    r->cursor.at++;
    if (!ct__read_integer(r, &i))
        return false;
    if (i < 0 || (uint64_t)i >= entry->n_values)
        return ct__read_fail(r, at, "%%%.*s names %zu value%s; there is no #%lld",
                             ct__span_shown(entry->name), entry->name.at, entry->n_values,
                             entry->n_values == 1 ? "" : "s", (long long)i);
    *number = (size_t)i;
    return true;
}

/* Room for one more operand: the lists double at powers of two. */
static bool grow_operands(ct__reader *r, ct__statement *s)
{
    size_t n = s->n_operands, bytes;
    if (n > 0 && (n & (n - 1)) != 0)
        return true;
    if (!ct__mul_size(n ? 2 * n : 1, sizeof *s->operand, &bytes))
        return ct__read_fail_memory(r);
    ct_tensor **operand = ct__arena_alloc(&r->arena, bytes);
    const char **operand_at = ct__arena_alloc(&r->arena, bytes);
    if (!operand || !operand_at)
        return ct__read_fail_memory(r);
    if (n > 0) {
        memcpy(operand, s->operand, n * sizeof *operand);
        memcpy(operand_at, s->operand_at, n * sizeof *operand_at);
    }
    s->operand = operand;
    s->operand_at = operand_at;
    return true;
}

bool ct__read_operand(ct__reader *r, ct__statement *s)
{
    ct__span name = {NULL, 0};
    size_t number;
    if (!ct__read_name(r, &name))
        return false;
    const char *at = name.at - 1;
    const ct__named *entry = ct__names_find(r->names, name);
    if (!entry)
        return ct__read_fail(r, at, "expected a value that is defined before, found %%%.*s",
                             ct__span_shown(name), name.at);
    if (!read_number(r, entry, at, &number) || !grow_operands(r, s))
        return false;
    ct_tensor *x = entry->n_values == 1 ? entry->only : entry->value[number];
    s->is_broken = s->is_broken || !x;
    s->is_open = s->is_open || ct__is_open(x);
    s->operand[s->n_operands] = x ? x : ct__poison(r->ctx);
    s->operand_at[s->n_operands++] = at;
    return true;
}

/* ---- In the graph. */

static size_t count_digits(ct__span text, size_t from)
{
    size_t i = from;
    while (i < text.length && ct__is_digit(text.at[i]))
        i++;
    return i - from;
}

/* %3 */
static bool is_number(ct__span name)
{
    return count_digits(name, 0) == name.length;
}

/* %argN, N counting the parameters of the function without a name, or %argN_1 where %argN is in
 * use: what the printer writes for a parameter without a name. */
bool ct__take_arg_name(ct__reader *r, ct__span name)
{
    char text[32];
    size_t length = (size_t)snprintf(text, sizeof text, "arg%zu", r->n_args);
    if (is_number(name))
        return true;
    if (name.length < length || memcmp(name.at, text, length) != 0)
        return false;
    if (name.length > length && !(name.at[length] == '_' && length + 1 < name.length &&
                                  count_digits(name, length + 1) == name.length - length - 1 &&
                                  ct__names_find(r->names, (ct__span){text, length})))
        return false;
    r->n_args++;
    return true;
}

bool ct__name_value(ct__reader *r, ct_tensor *x, ct__span name)
{
    if (!x || x->kind != CT__TRACED || is_number(name))
        return true;
    const ct__trace *trace = ct__trace_find(r->ctx, x->trace);
    if (!trace || trace->graph->value[x->value].name)
        return true;
    const char *text = ct__arena_span(r, name);
    if (!text)
        return ct__read_fail_memory(r);
    ct__trace_name(x, text);
    return !ct_failed(r->ctx);
}
