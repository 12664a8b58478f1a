#include "probe/compare.h"

#include "probe/checks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Ending. */

static void settle(ct_spread *spread, int64_t elements)
{
    const int64_t finite = elements - spread->infinite;
    spread->mean = finite > 0 ? spread->mean / (double)finite : 0;
}

static void settle_all(ct_compared *found, const ct_type *type)
{
    const int64_t parts = found->elements * (ct_dtype_is_complex(type->dtype) ? 2 : 1);

    settle(&found->total, parts);
    settle(&found->born, parts);
    settle(&found->inherited, parts);
}

static const char *type_text(ct_accuracy *c, const ct_type *type)
{
    char text[256];
    return ct__arena_text(&c->arena, ct__type_print(type, text, sizeof text));
}

/* What more is born comes first; of the same the larger error; else as in the program. */
static int by_birth(const void *a, const void *b)
{
    const ct_compared *x = a, *y = b;

    if (x->born.largest != y->born.largest)
        return x->born.largest < y->born.largest ? 1 : -1;
    if (x->total.largest != y->total.largest)
        return x->total.largest < y->total.largest ? 1 : -1;
    return x < y ? -1 : x > y;
}

static bool add_site(ct_accuracy *c, const ct__site *site)
{
    const ct__node *node = &site->graph->node[site->node];

    c->other_way = c->other_way || site->now;
    for (size_t i = 0; i < node->n_results; i++) {
        const ct_type *type = ct__graph_type(site->graph, node->first_result + (ct__id)i);
        if (site->found[i].runs == 0)
            continue;
        ct_compared *value = &c->value[c->n_values++];
        *value = site->found[i];
        settle_all(value, type);
        value->operation = ct__op_describe(node->op)->name;
        value->place = node->at;
        value->type = type_text(c, type);
        if (!value->type)
            return false;
    }
    return true;
}

bool ct__accuracy_settle(ct_accuracy *c)
{
    size_t count = 0;

    for (size_t i = 0; i < c->n_sites; i++)
        count += c->site[i].graph->node[c->site[i].node].n_results;
    c->value = CT__NEW_ARRAY(&c->arena, ct_compared, count);
    if (!c->value)
        return false;
    for (size_t i = 0; i < c->n_sites; i++)
        if (!add_site(c, &c->site[i]))
            return false;
    for (size_t i = 0; i < c->n_results; i++) {
        const ct_type *type = ct__result_type(c->graph, i);
        settle_all(&c->result[i], type);
        c->result[i].operation = "";
        c->result[i].type = type_text(c, type);
        if (!c->result[i].type)
            return false;
    }
    if (c->n_values > 0)
        qsort(c->value, c->n_values, sizeof *c->value, by_birth);
    return true;
}

/* ---- Reading. */

size_t ct_compared_results(const ct_accuracy *c)
{
    return c ? c->n_results : 0;
}

size_t ct_compared_values(const ct_accuracy *c)
{
    return c ? c->n_values : 0;
}

static const ct_compared nothing = {.operation = "", .type = ""};

ct_compared ct_compared_result(const ct_accuracy *c, size_t i)
{
    return i < ct_compared_results(c) ? c->result[i] : nothing;
}

ct_compared ct_compared_value(const ct_accuracy *c, size_t i)
{
    return i < ct_compared_values(c) ? c->value[i] : nothing;
}

bool ct_compared_same_way(const ct_accuracy *c)
{
    return !c || !c->other_way;
}

/* ---- Text. */

static bool is_quantized(const ct_compared *found)
{
    return strncmp(found->type, "q<", 2) == 0;
}

static bool is_of_numbers(const ct_compared *found)
{
    if (is_quantized(found))
        return true;
    return found->type[0] == 'f' || found->type[0] == 'b' ? strncmp(found->type, "bool", 4) != 0
                                                          : found->type[0] == 'c';
}

static void add_spread(ct__text *text, const char *what, const ct_compared *found,
                       const ct_spread *s)
{
    ct__text_add(text, "%s %.3g %s, mean %.3g", what, s->largest,
                 is_quantized(found) ? "steps" : "ulp", s->mean);
    if (s->infinite > 0)
        ct__text_add(text, ", %" PRId64 " without a number", s->infinite);
}

static void add_differing(ct__text *text, const ct_compared *found)
{
    ct__text_add(text, "%" PRId64 " of %" PRId64 " elements differ", found->differing,
                 found->elements);
}

static void add_result(ct__text *text, size_t i, const ct_compared *found)
{
    ct__text_add(text, "result %zu: %s: ", i, found->type);
    if (is_quantized(found) || !is_of_numbers(found))
        add_differing(text, found);
    if (is_quantized(found))
        ct__text_add(text, "; ");
    if (is_of_numbers(found))
        add_spread(text, "largest", found, &found->total);
    if (is_of_numbers(found) && found->total.largest > 0)
        ct__text_add(text, "; element %" PRId64 " is %.17g for %.17g", found->worst,
                     found->worst_machine, found->worst_exact);
    ct__text_add(text, "\n");
}

static void add_value(ct__text *text, const ct_compared *v)
{
    char place[4096] = "";

    if (v->place.file)
        ct__place_print(v->place, ": ", place, sizeof place);
    ct__text_add(text, "  %s%s %s", place, v->operation, v->type);
    if (v->runs > 1)
        ct__text_add(text, " x %" PRId64, v->runs);
    ct__text_add(text, ": ");
    if (!is_of_numbers(v)) {
        add_differing(text, v);
    } else {
        add_spread(text, "born", v, &v->born);
        add_spread(text, "; inherited", v, &v->inherited);
        add_spread(text, "; total", v, &v->total);
    }
    ct__text_add(text, "\n");
}

/* Integers that agree say nothing. */
static bool is_told(const ct_compared *v)
{
    return is_of_numbers(v) ? v->total.largest > 0 || v->born.largest > 0 : v->differing > 0;
}

const char *ct_accuracy_text(const ct_accuracy *c, size_t most)
{
    size_t told = 0;
    ct__text text;

    if (!c || !c->graph)
        return "";
    ct__text_init(&text, &c->handle.ctx->allocator);
    for (size_t i = 0; i < c->n_results; i++)
        add_result(&text, i, &c->result[i]);
    if (c->other_way)
        ct__text_add(&text, "the exact run goes another way: a comparison came out otherwise\n");
    ct__text_add(&text, "values by the largest error that is born there:\n");
    for (size_t i = 0; i < c->n_values; i++)
        if (is_told(&c->value[i]) && (most == 0 || told < most)) {
            add_value(&text, &c->value[i]);
            told++;
        }
    return ct__scope_take(c->handle.ctx, (ct_place){NULL, 0, 0}, "accuracy_text", &text);
}
