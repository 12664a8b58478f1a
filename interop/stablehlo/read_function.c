#include "interop/stablehlo/read_build.h"
#include "interop/stablehlo/read_module.h"

/* ---- What is set aside while another function is read. */

typedef struct frame {
    ct__cursor cursor;
    ct__names *outer, names;
    ct__symbol *caller;
    bool is_template, is_lost, is_checking;
    int nesting;
    size_t n_args;
} frame;

static void enter(ct__reader *r, ct__symbol *f, bool is_checking, frame *saved)
{
    *saved = (frame){.cursor = r->cursor,
                     .outer = r->names,
                     .caller = r->caller,
                     .is_template = r->is_template,
                     .is_lost = r->is_lost,
                     .is_checking = r->is_checking,
                     .nesting = r->nesting,
                     .n_args = r->n_args};
    ct__names_init(&saved->names, &r->ctx->allocator);
    f->caller = r->caller;
    f->state = CT__READING;
    r->cursor.at = f->arguments;
    r->names = &saved->names;
    r->caller = f;
    r->is_template = f->has_unknown;
    r->is_lost = false;
    r->is_checking = is_checking;
    r->nesting = 0;
    r->n_args = 0;
    r->depth++;
}

static void leave(ct__reader *r, frame *saved)
{
    ct__names_free(&saved->names);
    r->cursor = saved->cursor;
    r->names = saved->outer;
    r->caller = saved->caller;
    r->is_template = saved->is_template;
    r->is_lost = saved->is_lost;
    r->is_checking = saved->is_checking;
    r->nesting = saved->nesting;
    r->n_args = saved->n_args;
    r->depth--;
}

/* "@a calls itself, through @b and @c" */
static bool fail_circle(ct__reader *r, const ct__symbol *f, const char *at)
{
    enum { SHOWN = 6 };
    const ct__symbol *between[SHOWN] = {NULL};
    size_t n = 0;
    for (const ct__symbol *g = r->caller; g && g != f; g = g->caller)
        between[n++ % SHOWN] = g; /* the last ones are the first that were called */
    ct__text text;
    ct__text_init(&text, &r->ctx->allocator);
    ct__text_add(&text, "@%s calls itself%s", f->name, n ? ", through " : "");
    for (size_t i = 0; i < n && i < SHOWN; i++)
        ct__text_add(&text, "%s@%s", i ? ", then " : "", between[(n - 1 - i) % SHOWN]->name);
    ct__text_add(&text, "%s", n > SHOWN ? ", …" : "");
    if (text.failed)
        ct__read_fail_memory(r);
    else
        ct__read_fail(r, at, "%s", text.data);
    ct__text_free(&text);
    return false;
}

static bool may_read(ct__reader *r, const ct__symbol *f, const char *at)
{
    if (f->state == CT__READING)
        return fail_circle(r, f, at);
    if (r->depth >= CT__MAX_DEPTH)
        return ct__read_fail(r, at, "calls nest more than %d deep", CT__MAX_DEPTH);
    return true;
}

/* ---- Recording. */

static const ct__literal *value_of(const ct__given *given, size_t i)
{
    return given && given->value ? given->value[i] : NULL;
}

static ct_tensor *make_param(ct__reader *r, const ct_type *type, const ct__literal *value)
{
    if (value)
        return ct__build_literal(r, r->called_from, (ct__literal *)(uintptr_t)value);
    return r->is_checking && !ct__type_is_known(type)
               ? ct__open_value(r, type)
               : ct__trace_param(r->ctx, r->called_from, type);
}

static bool add_params(ct__reader *r, const ct__header *h, const ct__given *given)
{
    for (size_t i = 0; i < h->n_params; i++) {
        const ct__part *p = &h->param[i];
        ct_tensor *x = make_param(r, given ? given->type[i] : p->type, value_of(given, i));
        if (ct_failed(r->ctx))
            return false;
        ct__span name = p->name;
        if (ct__take_arg_name(r, name))
            name = (ct__span){p->given_name, p->given_name ? strlen(p->given_name) : 0};
        if (!ct__names_define(r, p->name, 1, &x) || !ct__name_value(r, x, name))
            return false;
    }
    return true;
}

/* The types that a template is read for are those that it declares, but for "?". */
static bool check_given(ct__reader *r, const ct__header *h, const char *at, const ct__given *given)
{
    if (h->n_params != given->count)
        return ct__read_fail(r, at, "the function takes %zu argument%s, not %zu", h->n_params,
                             h->n_params == 1 ? "" : "s", given->count);
    for (size_t i = 0; i < given->count; i++)
        if (!ct__type_matches(given->type[i], h->param[i].type))
            return ct__read_fail(r, h->param[i].at, "argument %zu is a %s, and declared is %s", i,
                                 ct__written_type(r, given->type[i]),
                                 ct__written_type(r, h->param[i].type));
    return true;
}

static bool check_results(ct__reader *r, const ct__header *h, const ct__ending *ending)
{
    if (ending->n_results != h->n_results)
        return ct__read_fail(r, ending->at, "%zu value%s returned, and %zu declared",
                             ending->n_results, ending->n_results == 1 ? " is" : "s are",
                             h->n_results);
    for (size_t i = 0; i < h->n_results; i++)
        if (!ct__type_matches(ending->result[i]->type, h->result[i].type))
            return ct__read_fail(r, ending->result_at[i], "result %zu is a %s, and declared is %s",
                                 i, ct__written_type(r, ending->result[i]->type),
                                 ct__written_type(r, h->result[i].type));
    return true;
}

static bool copy_notes(ct__arena *arena, size_t n, const ct__part *from, const char ***list)
{
    bool has_any = false;
    for (size_t i = 0; i < n; i++)
        has_any = has_any || from[i].notes;
    if (!has_any)
        return true;
    const char **copy = CT__NEW_ARRAY(arena, const char *, n);
    for (size_t i = 0; copy && i < n; i++)
        if (from[i].notes && !(copy[i] = ct__arena_text(arena, from[i].notes)))
            return false;
    *list = copy;
    return copy != NULL;
}

static bool is_main(const ct__symbol *f)
{
    return strcmp(f->name, "main") == 0;
}

/* The function that stands for the module: main, or the only one. */
static bool is_entry(const ct__reader *r, const ct__symbol *f)
{
    return is_main(f) || r->n_defined == 1;
}

/* Notes, and each parameter as an argument. */
static bool finish(ct__reader *r, const ct__symbol *f, const ct__header *h, ct__graph *graph)
{
    ct__arena *arena = &graph->arena;
    ct__notes *notes = &graph->notes;
    notes->function = ct__arena_text(arena, h->notes);
    if (is_entry(r, f)) {
        notes->module = ct__arena_text(arena, r->module_notes);
        notes->meshes = ct__arena_text(arena, r->module_meshes);
    }
    bool fine = !arena->failed && ct__graph_set_flat_arguments(graph) &&
                copy_notes(arena, h->n_params, h->param, &notes->param) &&
                copy_notes(arena, h->n_results, h->result, &notes->result);
    return fine || ct__read_fail_memory(r);
}

/* Parameters whose values are known are none of the graph. */
static void leave_params(ct__header *h, const ct__given *given)
{
    size_t n = 0;
    for (size_t i = 0; i < h->n_params; i++)
        if (!value_of(given, i))
            h->param[n++] = h->param[i];
    h->n_params = n;
}

/* From the cursor to the end of the function, into an open trace, which this closes. */
static ct__graph *record(ct__reader *r, const ct__symbol *f, const char *at, const ct__given *given)
{
    ct__header h = {0};
    ct__ending ending = {0};
    ct__graph *graph = NULL;
    bool fine = ct__read_header(r, f, &h) && (!given || check_given(r, &h, at, given)) &&
                add_params(r, &h, given);
    fine = fine && ct__read_body(r, h.open, true, &ending) && check_results(r, &h, &ending);
    if (!fine || r->is_checking) {
        ct__trace_abandon(r->ctx);
        return NULL;
    }
    graph = ct__trace_pop(r->ctx, ending.place, ending.n_results, ending.result);
    leave_params(&h, given);
    if (graph && !finish(r, f, &h, graph)) {
        ct__graph_release(graph);
        graph = NULL;
    }
    if (!graph)
        ct__read_fail_context(r, ending.at);
    return graph;
}

/* The name of a module's main function is the module's, as in the printed text. */
static const char *graph_name(const ct__reader *r, const ct__symbol *f)
{
    return is_main(f) && *r->module_name ? r->module_name : f->name;
}

static ct__graph *read_function(ct__reader *r, ct__symbol *f, const char *at,
                                const ct__given *given, bool is_checking)
{
    frame saved;
    ct__graph *graph = NULL;
    if (!may_read(r, f, at) || !ct__trace_push(r->ctx, r->called_from, graph_name(r, f), false))
        return NULL;
    ct__reading before = f->state;
    ct_scope scope = ct__scope_begin(r->ctx, r->called_from, "read_stablehlo");
    enter(r, f, is_checking, &saved);
    graph = record(r, f, at, given);
    leave(r, &saved);
    ct_scope_end(scope);
    f->state = before;
    return graph;
}

ct__graph *ct__record_function(ct__reader *r, ct__symbol *f, const char *at, const ct__given *given)
{
    return read_function(r, f, at, given, false);
}

bool ct__check_function(ct__reader *r, ct__symbol *f, const char *at)
{
    const bool before = r->lacks_value;
    if (f->state == CT__READING)
        return fail_circle(r, f, at);
    if (!f->is_template || f->is_checked)
        return true;
    f->is_checked = true;
    read_function(r, f, at, NULL, true);
    r->lacks_value = before;
    return !ct_failed(r->ctx);
}

/* ---- Templates that are called. */

#define MOST_INLINED 100000

static bool bind(ct__reader *r, const ct__statement *s, const ct__header *h, const ct_type **type)
{
    for (size_t i = 0; i < s->n_operands; i++)
        type[i] = s->operand[i]->type;
    if (!check_given(r, h, s->at, &(ct__given){s->n_operands, type, NULL}))
        return false;
    for (size_t i = 0; i < s->n_operands; i++)
        if (!ct__names_define(r, h->param[i].name, 1, &s->operand[i]))
            return false;
    return true;
}

static bool read_inlined(ct__reader *r, ct__statement *s, const ct__symbol *f)
{
    ct__header h = {0};
    ct__ending ending = {0};
    const ct_type **type = CT__NEW_ARRAY(&r->arena, const ct_type *, s->n_operands);
    if (!type)
        return ct__read_fail_memory(r);
    if (!ct__read_header(r, f, &h) || !bind(r, s, &h, type) ||
        !ct__read_body(r, h.open, true, &ending) || !check_results(r, &h, &ending))
        return false;
    s->n_results = ending.n_results;
    s->result = ending.result;
    return true;
}

bool ct__read_inline(ct__reader *r, ct__statement *s, ct__symbol *f)
{
    frame saved;
    bool done = false;
    if (!may_read(r, f, s->at) || !ct__call_special(r, s, f, &done))
        return false;
    if (done)
        return true;
    if (r->trying > 0 && r->lacks_value) /* it is not to be called, which is all that is asked */
        return false;
    if (++r->n_inlined > MOST_INLINED)
        return ct__read_fail(
            r, s->at, "more than %d calls of functions whose shapes depend on their arguments",
            MOST_INLINED);
    ct__reading before = f->state;
    enter(r, f, false, &saved);
    bool fine = read_inlined(r, s, f);
    leave(r, &saved);
    f->state = before;
    return fine;
}
