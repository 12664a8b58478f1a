#include "trace/trace.h"

#include <string.h>

/* Pairs of graphs that are known, or about to be known, as equal: calls share bodies. */
typedef struct comparison {
    const ct_allocator *allocator;
    bool with_places;
    bool no_memory;
    ct__arena arena; /* of the tables of values */
    ct__lookup pairs;
} comparison;

static bool same_graphs(comparison *c, const ct__graph *a, const ct__graph *b);

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_list(const char *const *a, const char *const *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!same_text(a ? a[i] : NULL, b ? b[i] : NULL))
            return false;
    return true;
}

static bool same_value(const ct__graph *a, ct__id x, const ct__graph *b, ct__id y)
{
    return ct__type_equal(a->value[x].type, b->value[y].type) &&
           same_text(a->value[x].name, b->value[y].name);
}

/* twin[x] is the value of b that stands where x does in a: values are numbered in the order of
 * recording, which captures and constants can change. False where two are not alike. */
static bool pair_values(const ct__graph *a, const ct__graph *b, ct__id *twin)
{
    bool same = true;
    for (size_t i = 0; same && i < a->n_params; i++) {
        twin[a->param[i]] = b->param[i];
        same = same_value(a, a->param[i], b, b->param[i]);
    }
    for (size_t i = 0; same && i < a->n_nodes; i++) {
        ct__id x = a->node[i].first_result, y = b->node[i].first_result;
        same = a->node[i].n_results == b->node[i].n_results;
        for (size_t k = 0; same && k < a->node[i].n_results; k++, x++, y++) {
            twin[x] = y;
            same = same_value(a, x, b, y);
        }
    }
    return same;
}

static bool same_ids(const ct__id *a, const ct__id *b, size_t n, const ct__id *twin)
{
    for (size_t i = 0; i < n; i++)
        if (twin[a[i]] != b[i])
            return false;
    return true;
}

static bool same_places(ct_place a, ct_place b)
{
    return a.line == b.line && a.column == b.column && same_text(a.file, b.file);
}

static bool same_also(const ct__node *a, const ct__node *b)
{
    bool same = a->n_also == b->n_also;
    for (size_t i = 0; same && i < a->n_also; i++)
        same = same_places(a->also[i], b->also[i]);
    return same;
}

static bool same_nodes(comparison *c, const ct__node *a, const ct__node *b, const ct__id *twin)
{
    if (a->op != b->op || a->n_operands != b->n_operands || a->n_regions != b->n_regions ||
        !same_ids(a->operand, b->operand, a->n_operands, twin) || !same_text(a->extra, b->extra) ||
        !ct__attrs_equal(ct__op_describe(a->op)->attrs, a->attrs, b->attrs) ||
        (c->with_places && !(same_places(a->at, b->at) && same_also(a, b))))
        return false;
    for (size_t i = 0; i < a->n_regions; i++)
        if (!same_graphs(c, a->region[i], b->region[i]))
            return false;
    return true;
}

static bool enter_pair(comparison *c, const ct__graph *a, const ct__graph *b, bool *is_known)
{
    size_t position;
    *is_known = ct__lookup_find(&c->pairs, (uintptr_t)a, (uintptr_t)b, &position);
    if (*is_known)
        return true;
    if (!ct__lookup_reserve(c->allocator, &c->pairs)) {
        c->no_memory = true;
        return false;
    }
    ct__lookup_add(&c->pairs, (uintptr_t)a, (uintptr_t)b, 0);
    return true;
}

static bool same_notes(const ct__graph *a, const ct__graph *b)
{
    return same_text(a->notes.module, b->notes.module) &&
           same_text(a->notes.meshes, b->notes.meshes) &&
           same_text(a->notes.function, b->notes.function) &&
           same_list(a->notes.param, b->notes.param, a->n_params) &&
           same_list(a->notes.result, b->notes.result, a->n_results);
}

static bool same_graphs(comparison *c, const ct__graph *a, const ct__graph *b)
{
    bool is_known;
    if (a == b)
        return true;
    if (!enter_pair(c, a, b, &is_known) || is_known)
        return is_known;
    if (a->n_params != b->n_params || a->n_results != b->n_results || a->n_nodes != b->n_nodes ||
        a->n_values != b->n_values || !same_notes(a, b))
        return false;
    ct__id *twin = CT__NEW_ARRAY(&c->arena, ct__id, a->n_values);
    c->no_memory = c->no_memory || !twin;
    bool same = twin && pair_values(a, b, twin) &&
                same_ids(a->result, b->result, a->n_results, twin);
    for (size_t i = 0; same && i < a->n_nodes; i++)
        same = same_nodes(c, &a->node[i], &b->node[i], twin);
    return same;
}

/* False when memory is short. */
static bool compare(const ct__graph *a, const ct__graph *b, bool with_places, bool *same)
{
    comparison c = {.allocator = &a->arena.allocator, .with_places = with_places};
    ct__arena_init(&c.arena, c.allocator);
    *same = same_graphs(&c, a, b);
    ct__lookup_free(c.allocator, &c.pairs);
    ct__arena_free(&c.arena);
    return !c.no_memory;
}

/* Names of called functions are no part of them: a text gives each a symbol of its own. */
bool ct__graph_equal(const ct__graph *a, const ct__graph *b, bool with_places)
{
    bool same;
    return same_text(a->name, b->name) && compare(a, b, with_places, &same) && same;
}

bool ct__body_equal(const ct__graph *a, const ct__graph *b, bool *same)
{
    return compare(a, b, false, same);
}
