#include "interop/stablehlo/read_module.h"

#include <stdio.h>

/* ---- Results' names: "%r:2, %s = " */

typedef struct target {
    ct__span name;
    size_t count;
} target;

typedef struct targets {
    size_t n, n_values; /* Σ count */
    target *item;
} targets;

static bool read_target(ct__reader *r, targets *t)
{
    target next = {.count = 1};
    int64_t count;
    if (!ct__read_name(r, &next.name))
        return false;
    if (ct__take(r, ":")) {
        const char *at = r->cursor.at;
        if (!ct__read_integer(r, &count))
            return false;
        if (count < 1 || count > UINT32_MAX)
            return ct__read_fail(r, at, "a group of results has at least one");
        next.count = (size_t)count;
    }
    if (!ct__grow_list(r, &t->item, t->n, sizeof *t->item))
        return false;
    t->item[t->n++] = next;
    t->n_values += next.count; /* each below 2^32, and each takes text */
    return true;
}

static bool read_targets(ct__reader *r, targets *t)
{
    if (!ct__peek(r, "%"))
        return true;
    do
        if (!read_target(r, t))
            return false;
    while (ct__take(r, ","));
    return ct__expect(r, "=");
}

/* ---- Naming values. */

/* %x:2 names its values x_0, x_1, unless x is a number. */
static bool name_values(ct__reader *r, const target *t, ct_tensor **value)
{
    if (t->count == 1)
        return ct__name_value(r, value[0], t->name);
    if (ct__is_digit(t->name.at[0]))
        return true;
    for (size_t i = 0; i < t->count; i++) {
        size_t room = t->name.length + 24;
        char *text = ct__arena_alloc(&r->arena, room);
        if (!text)
            return ct__read_fail_memory(r);
        memcpy(text, t->name.at, t->name.length);
        snprintf(text + t->name.length, room - t->name.length, "_%zu", i);
        if (!ct__name_value(r, value[i], (ct__span){text, strlen(text)}))
            return false;
    }
    return true;
}

static bool define(ct__reader *r, const targets *t, ct_tensor **value)
{
    bool fine = true;
    for (size_t i = 0; i < t->n; i++) {
        fine = ct__names_define(r, t->item[i].name, t->item[i].count, value) &&
               name_values(r, &t->item[i], value) && fine;
        value += t->item[i].count;
    }
    return fine;
}

static bool define_results(ct__reader *r, const ct__statement *s, const targets *t)
{
    if (t->n_values == s->n_results || t->n == 0)
        return define(r, t, s->result);
    ct__read_fail(r, t->item[0].name.at - 1, "%.*s gives %zu result%s, and %zu %s named",
                  ct__span_shown(s->spelling), s->spelling.at, s->n_results,
                  s->n_results == 1 ? "" : "s", t->n_values, t->n_values == 1 ? "is" : "are");
    return false;
}

#define MOST_PLACEHOLDERS 65536

/* After an error: the results that the statement names. */
static void define_placeholders(ct__reader *r, const ct__statement *s, const targets *t,
                                const char *start)
{
    ct__type_list types = s->result_types;
    if (t->n == 0 || t->n_values > MOST_PLACEHOLDERS || r->is_lost || ct_failed(r->ctx))
        return;
    if (types.count == 0)
        ct__guess_types(r, start, r->cursor.at, &types);
    ct_tensor **value = CT__NEW_ARRAY(&r->arena, ct_tensor *, t->n_values);
    if (!value) {
        ct__read_fail_memory(r);
        return;
    }
    for (size_t i = 0; i < t->n_values; i++)
        value[i] = ct__placeholder(r, ct__guessed_type(&types, t->n_values, i));
    define(r, t, value);
}

/* ---- Operations. */

static bool read_operands(ct__reader *r, ct__statement *s)
{
    do
        if (!ct__read_operand(r, s))
            return false;
    while (ct__take(r, ","));
    return true;
}

static bool read_regions(ct__reader *r, ct__statement *s)
{
    do
        if (!ct__read_region(r, s, 0, NULL, NULL))
            return false;
    while (ct__take(r, ","));
    return ct__expect(r, ")");
}

/* "(%x, %y) <{properties}> ({region}) {attributes} : (T, U) -> R" */
static bool read_generic(ct__reader *r, ct__statement *s)
{
    s->is_generic = true;
    if (!ct__expect(r, "("))
        return false;
    if (!ct__take(r, ")") && (!read_operands(r, s) || !ct__expect(r, ")")))
        return false;
    if (ct__peek(r, "["))
        return ct__read_fail(r, r->cursor.at, "branches to other blocks are not supported");
    if (ct__peek(r, "<{") && !ct__read_dict(r, "<{", "}>", &s->attributes))
        return false;
    if (ct__take(r, "(") && !read_regions(r, s))
        return false;
    if (ct__peek(r, "{") && !ct__read_dict(r, "{", "}", &s->attributes))
        return false;
    if (!ct__expect(r, ":"))
        return false;
    ct__skip_blanks(r);
    s->types_at = r->cursor.at;
    s->has_types = true;
    return ct__read_signature(r, &s->operand_types, &s->result_types);
}

static bool is_return(ct__span spelling)
{
    return ct__span_is(spelling, "return") || ct__span_is(spelling, "func.return") ||
           ct__span_is(spelling, "stablehlo.return");
}

/* " %a, %b : T, U", of a function with attributes before the values, which nothing asks for. */
static bool read_return(ct__reader *r, ct__statement *s)
{
    const bool is_inner = ct__span_is(s->spelling, "stablehlo.return");
    if (!is_inner && ct__peek(r, "{") && !ct__read_dict(r, "{", "}", &s->attributes))
        return false;
    if (!ct__peek(r, "%"))
        return true;
    if (!read_operands(r, s) || !ct__expect(r, ":"))
        return false;
    ct__skip_blanks(r);
    s->types_at = r->cursor.at;
    s->has_types = true;
    return ct__read_types(r, &s->operand_types);
}

static bool read_operation(ct__reader *r, ct__statement *s)
{
    ct__skip_blanks(r);
    s->at = r->cursor.at;
    s->place = ct__place_of(r, s->at);
    if (ct__peek(r, "\"")) {
        if (!ct__read_string(r, &s->spelling.at, &s->spelling.length) || !read_generic(r, s))
            return false;
    } else {
        if (s->at == r->cursor.end || !ct__is_letter(*s->at))
            return ct__read_expected(r, "an operation");
        ct__read_word(r, &s->spelling);
        if (!(is_return(s->spelling) ? read_return(r, s) : ct__read_pretty(r, s)))
            return false;
    }
    return ct__read_location(r, &s->place, &s->also, NULL);
}

/* ---- The end of a body. */

static bool check_return_types(ct__reader *r, const ct__statement *s)
{
    if (!s->has_types)
        return s->n_operands == 0 || ct__read_fail(r, s->at, "the types are missing");
    if (s->operand_types.count != s->n_operands)
        return ct__read_fail(r, s->types_at, "%zu types for %zu values", s->operand_types.count,
                             s->n_operands);
    for (size_t i = 0; i < s->n_operands; i++) {
        const ct_type *type = s->operand[i]->type, *written = s->operand_types.item[i];
        const bool has_type = !ct_is_poison(s->operand[i]) || ct__is_open(s->operand[i]);
        if (has_type && !ct__type_matches(type, written))
            return ct__read_fail(r, s->operand_at[i], "the value is a %s, and written is %s",
                                 ct__written_type(r, type), ct__written_type(r, written));
    }
    return true;
}

static bool end_body(ct__reader *r, const ct__statement *s, bool is_function, ct__ending *ending)
{
    bool is_inner = ct__span_is(s->spelling, "stablehlo.return");
    *ending = (ct__ending){s->at, s->place, s->n_operands, s->operand, s->operand_at};
    if (!is_inner && !is_function) /* JAX writes functions that end in either */
        return ct__read_fail(r, s->at, "a body ends in 'stablehlo.return'");
    r->n_open += s->is_open;
    return check_return_types(r, s) && !s->is_broken;
}

/* ---- Statements. */

static bool is_call(const ct__statement *s)
{
    return ct__span_is(s->spelling, "call") || ct__span_is(s->spelling, "func.call");
}

/* The function that the statement calls, or NULL. */
static ct__symbol *called(const ct__reader *r, ct__statement *s)
{
    if (!is_call(s))
        return NULL;
    const ct__entry *callee = ct__dict_find(&s->attributes, "callee");
    return callee && callee->value.kind == CT__ATTRIBUTE_SYMBOL
               ? ct__symbol_find(r, callee->value.text)
               : NULL;
}

/* Of the nodes that the statement has recorded, from n_before on, the one with a body, which a loop
 * has been raised to, or else the last one takes its further places. */
static bool keep_places(ct__reader *r, const ct__statement *s, size_t n_before)
{
    ct__graph *graph = r->ctx->trace->graph;
    size_t node = graph->n_nodes;
    if (s->also.count == 0 || node == n_before)
        return true;
    while (node-- > n_before && graph->node[node].n_regions == 0)
        continue;
    if (node + 1 == n_before)
        node = graph->n_nodes - 1;
    return graph->node[node].at.line != s->place.line ||
           graph->node[node].at.column != s->place.column ||
           ct__graph_set_places(graph, node, s->also.count, s->also.item) ||
           ct__read_fail_memory(r);
}

static bool build(ct__reader *r, ct__statement *s)
{
    if (s->is_broken)
        return false;
    const size_t n_before = r->ctx->trace->graph->n_nodes;
    ct__symbol *f = called(r, s);
    const bool is_inline = f && f->is_template;
    bool fine = is_inline ? ct__read_inline(r, s, f) : ct__build(r, s);
    if (ct_failed(r->ctx))
        return ct__read_fail_context(r, s->at);
    return fine && (is_inline || keep_places(r, s, n_before));
}

/* The same where a template is checked: what depends on "?" stays open. */
static bool build_or_check(ct__reader *r, ct__statement *s)
{
    if (s->is_broken)
        return false;
    ct__symbol *f = called(r, s);
    const bool before = r->lacks_value;
    s->is_open = s->is_open || (f && ct__reads_at_calls(r, f));
    if (!s->is_open) {
        r->lacks_value = false;
        const bool fine = build(r, s);
        s->is_open = !fine && r->lacks_value && !ct_failed(r->ctx);
        r->lacks_value = before;
        if (!s->is_open)
            return fine;
    }
    return (is_call(s) ? ct__check_call(r, s) : ct__build_open(r, s)) && ct__open_results(r, s);
}

static void free_regions(ct__reader *r, ct__statement *s)
{
    for (size_t i = 0; i < s->n_regions; i++)
        ct__region_free(r->ctx, &s->region[i]);
}

/* False after an error in it; the cursor is behind it. */
static bool read_statement(ct__reader *r, bool is_function, ct__ending *ending)
{
    const char *start = r->cursor.at;
    ct__statement s = {.at = start, .resume = start};
    targets t = {0};
    bool is_read = read_targets(r, &t) && read_operation(r, &s), fine;
    if (is_read && is_return(s.spelling)) {
        fine = end_body(r, &s, is_function, ending);
    } else {
        fine = is_read && !s.is_broken && (r->is_checking ? build_or_check(r, &s) : build(r, &s)) &&
               define_results(r, &s, &t);
        if (!is_read && !r->is_lost)
            r->cursor.at = ct__next_statement(s.resume, r->cursor.end);
        if (!fine)
            define_placeholders(r, &s, &t, s.resume);
    }
    free_regions(r, &s);
    return fine;
}

/* ---- Bodies. */

/* The body that was opened has no end. */
static bool lose(ct__reader *r, const char *open, bool fine)
{
    if (fine)
        ct__read_fail(r, r->cursor.at, "expected '}' for the body that begins in line %d",
                      ct__line_of(r, open));
    r->is_lost = true;
    return false;
}

/* What stands between the return and the end of the body. */
static bool close_body(ct__reader *r, const char *open, bool fine)
{
    if (ct__take(r, "}"))
        return fine;
    if (fine)
        ct__read_expected(r, "'}' behind the return");
    do
        r->cursor.at = ct__next_statement(r->cursor.at, r->cursor.end);
    while (r->cursor.at < r->cursor.end && *r->cursor.at != '}' && !ct__peek(r, "func.func"));
    return ct__take(r, "}") ? false : lose(r, open, false);
}

bool ct__read_body(ct__reader *r, const char *open, bool is_function, ct__ending *ending)
{
    bool fine = true;
    *ending = (ct__ending){0};
    while (!ending->at) {
        ct__skip_blanks(r);
        if (ct_failed(r->ctx))
            return false;
        if (r->cursor.at == r->cursor.end || ct__peek(r, "func.func"))
            return lose(r, open, fine);
        if (ct__peek(r, "}")) {
            if (fine)
                ct__read_expected(r, is_function ? "'return'" : "'stablehlo.return'");
            return !ct__take(r, "}");
        }
        if (ct__peek(r, "^")) {
            ct__read_fail(r, r->cursor.at, "a body is one block; branches are not supported");
            r->cursor.at = ct__next_statement(r->cursor.at, r->cursor.end);
            fine = false;
            continue;
        }
        fine = read_statement(r, is_function, ending) && fine;
        if (r->is_lost)
            return false;
    }
    return close_body(r, open, fine);
}
