#include "trace/trace.h"

#include <string.h>

/* Pairs of graphs that are known, or about to be known, as equal: calls share bodies. */
typedef struct comparison {
    const ct_allocator *allocator;
    bool with_places;
    ct__lookup pairs;
    bool failed; /* memory is short */
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

static bool same_ids(const ct__id *a, const ct__id *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool same_values(const ct__graph *a, const ct__graph *b)
{
    for (size_t i = 0; i < a->n_values; i++) {
        const ct__value *x = &a->value[i], *y = &b->value[i];
        if (x->node != y->node || !ct__type_equal(x->type, y->type) || !same_text(x->name, y->name))
            return false;
    }
    return true;
}

static bool same_places(ct_place a, ct_place b)
{
    return a.line == b.line && same_text(a.file, b.file);
}

static bool same_nodes(comparison *c, const ct__node *a, const ct__node *b)
{
    if (a->op != b->op || a->n_operands != b->n_operands || a->n_results != b->n_results ||
        a->n_regions != b->n_regions || (a->n_results > 0 && a->first_result != b->first_result) ||
        !same_ids(a->operand, b->operand, a->n_operands) || !same_text(a->extra, b->extra) ||
        !ct__attrs_equal(ct__op_describe(a->op)->attrs, a->attrs, b->attrs) ||
        (c->with_places && !same_places(a->at, b->at)))
        return false;
    for (size_t i = 0; i < a->n_regions; i++)
        if ((a->op == CT__OP_call && !same_text(a->region[i]->name, b->region[i]->name)) ||
            !same_graphs(c, a->region[i], b->region[i]))
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
        c->failed = true;
        return false;
    }
    ct__lookup_add(&c->pairs, (uintptr_t)a, (uintptr_t)b, 0);
    return true;
}

static bool same_graphs(comparison *c, const ct__graph *a, const ct__graph *b)
{
    bool is_known;
    if (a == b)
        return true;
    if (!enter_pair(c, a, b, &is_known) || is_known)
        return is_known;
    if (a->n_params != b->n_params || a->n_results != b->n_results || a->n_nodes != b->n_nodes ||
        a->n_values != b->n_values || !same_ids(a->param, b->param, a->n_params) ||
        !same_ids(a->result, b->result, a->n_results) || !same_values(a, b) ||
        !same_text(a->notes.module, b->notes.module) ||
        !same_text(a->notes.function, b->notes.function) ||
        !same_list(a->notes.param, b->notes.param, a->n_params) ||
        !same_list(a->notes.result, b->notes.result, a->n_results))
        return false;
    bool same = true;
    for (size_t i = 0; same && i < a->n_nodes; i++)
        same = same_nodes(c, &a->node[i], &b->node[i]);
    return same;
}

bool ct__graph_equal(const ct__graph *a, const ct__graph *b, bool with_places)
{
    comparison c = {.allocator = &a->arena.allocator, .with_places = with_places};
    bool same = same_text(a->name, b->name) && same_graphs(&c, a, b) && !c.failed;
    ct__lookup_free(c.allocator, &c.pairs);
    return same;
}
