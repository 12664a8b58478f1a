#include "interop/stablehlo/read_module.h"

/* ---- The reader. */

#define BYTE_ORDER_MARK "\xEF\xBB\xBF" /* in UTF-8: some editors put it before the text */

bool ct__reader_init(ct__reader *r, ct_context *ctx, ct_place at, const char *name, ct__span text,
                     int first_line)
{
    if (ct__starts_with(text.at, text.at + text.length, BYTE_ORDER_MARK)) {
        text.at += strlen(BYTE_ORDER_MARK);
        text.length -= strlen(BYTE_ORDER_MARK);
    }
    *r = (ct__reader){
        .ctx = ctx, .called_from = at, .text = text, .first_line = first_line, .module_name = ""};
    r->cursor = (ct__cursor){text.at, text.at + text.length};
    ct__arena_init(&r->arena, &ctx->allocator);
    ct__text_init(&r->errors, &ctx->allocator);
    ct__map_init(&r->symbols, &r->arena);
    ct__map_init(&r->aliases, &r->arena);
    ct__map_init(&r->resources, &r->arena);
    ct__map_init(&r->locations, &r->arena);
    r->name = ct__arena_text(&r->arena, name ? name : "text");
    return r->name || ct__read_fail_memory(r);
}

void ct__reader_free(ct__reader *r)
{
    for (size_t i = 0; i < r->symbols.n_entries; i++) {
        const ct__symbol *f = ct__symbol_at(r, i);
        for (const ct__special *s = f ? f->special : NULL; s; s = s->next)
            ct__graph_release(s->graph);
        ct__graph_release(f ? f->graph : NULL);
    }
    for (size_t i = 0; i < r->n_literals; i++)
        ct__literal_release(r->literal[i]);
    ct__release(&r->ctx->allocator, r->literal, r->literal_capacity * sizeof *r->literal);
    ct__release(&r->ctx->allocator, r->fold, r->fold_capacity * sizeof *r->fold);
    ct__lookup_free(&r->ctx->allocator, &r->folds);
    ct__text_free(&r->errors);
    ct__arena_free(&r->arena);
}

/* ---- Symbols and aliases. */

ct__symbol *ct__symbol_at(const ct__reader *r, size_t i)
{
    return (ct__symbol *)r->symbols.entry[i].value;
}

ct__symbol *ct__symbol_find(const ct__reader *r, const char *name)
{
    const ct__map_entry *entry = ct__map_find(&r->symbols, name, strlen(name));
    return entry ? (ct__symbol *)entry->value : NULL;
}

static ct__symbol *add_symbol(ct__reader *r, const char *at, const char *name)
{
    const ct__symbol *known = ct__symbol_find(r, name);
    if (known) {
        ct__read_fail(r, at, "@%s has been defined in line %d", name, ct__line_of(r, known->at));
        return NULL;
    }
    ct__symbol *f = CT__NEW(&r->arena, ct__symbol);
    ct__map_entry *entry = f ? ct__map_add(&r->symbols, name, strlen(name)) : NULL;
    if (!entry) {
        ct__read_fail_memory(r);
        return NULL;
    }
    entry->value = f;
    f->name = entry->key;
    f->at = at;
    return f;
}

/* "func.func private @f(…) -> R {…}", from behind the first word. */
static bool scan_function(ct__reader *r)
{
    const char *name, *end = r->cursor.end;
    ct__symbol ignored = {0};
    const bool is_public = !ct__take(r, "private") && !ct__take(r, "nested");
    if (is_public)
        ct__take(r, "public");
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__read_symbol(r, &name))
        return false;
    ct__symbol *f = add_symbol(r, at, name);
    if (ct_failed(r->ctx))
        return false;
    if (!f)
        f = &ignored;
    f->arguments = r->cursor.at;
    f->is_private = !is_public;
    f->is_declared = !is_public && ct__skip_declaration(r);
    if (f->is_declared)
        return true;
    const char *open = ct__skip_header(f->arguments, end, f);
    bool has_body = open < end && *open == '{';
    r->cursor.at = has_body ? ct__skip_body(open, end, &f->has_unknown) : open;
    return true;
}

/* "#x = …", "!t = …" */
static bool scan_alias(ct__reader *r)
{
    const char *start = r->cursor.at, *at = start + 1, *end = r->cursor.end;
    while (at < end && ct__is_word_char(*at))
        at++;
    ct__span name = {start, (size_t)(at - start)};
    r->cursor.at = at;
    if (name.length == 1)
        return ct__read_fail(r, start, "expected a name behind '%c'", *start);
    if (!ct__expect(r, "="))
        return false;
    if (ct__map_find(&r->aliases, name.at, name.length))
        return ct__read_fail(r, start, "alias '%.*s' has been defined before", ct__span_shown(name),
                             name.at);
    ct__skip_blanks(r);
    const char *definition = r->cursor.at, *behind = ct__skip_definition(definition, end);
    if (!behind)
        return ct__read_fail(r, definition, "a bracket in this definition of '%.*s' is not closed",
                             ct__span_shown(name), name.at);
    ct__map_entry *entry = ct__map_add(&r->aliases, name.at, name.length);
    if (!entry)
        return ct__read_fail_memory(r);
    entry->value = definition;
    entry->count = (size_t)(behind - definition);
    r->cursor.at = behind;
    return true;
}

/* "{-# dialect_resources: … #-}": read when the first resource is asked for. */
static bool scan_section(ct__reader *r)
{
    const char *start = r->cursor.at, *at = start, *end = r->cursor.end;
    while (at < end && !ct__starts_with(at, end, "#-}"))
        at = *at == '"' ? ct__skip_string(at, end) : at + 1;
    if (at == end)
        return ct__read_fail(r, start, "expected '#-}' for the '{-#' that begins here");
    r->cursor.at = at + 3;
    if (!ct__grow_list(r, &r->section, r->n_sections, sizeof *r->section))
        return false;
    r->section[r->n_sections++] = start;
    return true;
}

/* ---- Meshes of devices, which attributes of sharded programs name: only kept. */

static bool add_mesh(ct__reader *r, const char *at)
{
    if (!ct__grow_list(r, &r->mesh, r->n_meshes, sizeof *r->mesh))
        return false;
    r->mesh[r->n_meshes++] = (ct__span){at, (size_t)(r->cursor.at - at)};
    return true;
}

/* "sdy.mesh @mesh = <["x"=2]> {attributes}" */
static bool scan_mesh(ct__reader *r)
{
    const char *at = r->cursor.at, *name;
    if (!ct__expect(r, "sdy.mesh") || !ct__read_symbol(r, &name) || !ct__expect(r, "="))
        return false;
    if (!ct__peek(r, "<"))
        return ct__expect(r, "<");
    return ct__skip_enclosed(r) && (!ct__peek(r, "{") || ct__skip_enclosed(r)) && add_mesh(r, at);
}

/* "\"sdy.mesh\"() <{mesh = …, sym_name = "mesh"}> : () -> ()", from behind the name. */
static bool scan_generic_mesh(ct__reader *r, const char *at)
{
    ct__dict dict = {0};
    return ct__expect(r, "(") && ct__expect(r, ")") &&
           (!ct__peek(r, "<{") || ct__read_dict(r, "<{", "}>", &dict)) &&
           (!ct__peek(r, "{") || ct__read_dict(r, "{", "}", &dict)) && ct__expect(r, ":") &&
           ct__expect(r, "(") && ct__expect(r, ")") && ct__expect(r, "->") && ct__expect(r, "(") &&
           ct__expect(r, ")") && add_mesh(r, at);
}

/* When all aliases are known. */
static bool keep_meshes(ct__reader *r)
{
    ct__text out;
    bool fine = true;
    ct__text_init(&out, &r->arena.allocator);
    for (size_t i = 0; fine && i < r->n_meshes; i++) {
        const ct__attribute whole = {.kind = CT__ATTRIBUTE_OTHER, .source = r->mesh[i]};
        ct__text_add(&out, "%s", i ? "\n" : "");
        fine = ct__attribute_text(r, &whole, &out);
    }
    if (fine && r->n_meshes > 0)
        r->module_meshes = out.failed ? NULL : ct__arena_text(&r->arena, out.data);
    ct__text_free(&out);
    return !fine || r->n_meshes == 0 || r->module_meshes || ct__read_fail_memory(r);
}

/* ---- Modules. */

typedef struct scan {
    const char *open; /* "{" of the module; NULL: none is open */
    bool is_generic;
    const char *attributes; /* "{" of the pretty form's */
    ct__dict dict;          /* of the generic form */
    bool is_over;           /* a module has been closed */
} scan;

static bool may_open(ct__reader *r, const scan *q, const char *at)
{
    if (!q->open && !q->is_over && r->symbols.n_entries == 0)
        return true;
    return ct__read_fail(r, at, "a text holds one module, and none within it");
}

/* "module @name attributes {…} {", which begins at `at`, from behind the first word. */
static bool scan_module(ct__reader *r, scan *q, const char *at)
{
    const char *name;
    bool ignored = false;
    if (!may_open(r, q, at))
        return false;
    if (ct__peek(r, "@")) {
        if (!ct__read_symbol(r, &name))
            return false;
        r->module_name = name;
    }
    if (ct__take(r, "attributes")) {
        ct__skip_blanks(r);
        q->attributes = r->cursor.at;
        if (!ct__peek(r, "{"))
            return ct__expect(r, "{");
        r->cursor.at = ct__skip_body(r->cursor.at, r->cursor.end, &ignored);
    }
    ct__skip_blanks(r);
    q->open = r->cursor.at;
    return ct__expect(r, "{");
}

/* ---- The generic form: "op"() <{properties}> ({ … }) {attributes} : () -> () */

/* ") {attributes} : () -> ()" behind the body. */
static bool read_tail(ct__reader *r, ct__dict *dict)
{
    return ct__expect(r, ")") && (!ct__peek(r, "{") || ct__read_dict(r, "{", "}", dict)) &&
           ct__expect(r, ":") && ct__expect(r, "(") && ct__expect(r, ")") && ct__expect(r, "->") &&
           ct__expect(r, "(") && ct__expect(r, ")");
}

/* "() <{properties}> (", from behind the name. */
static bool read_front(ct__reader *r, ct__dict *dict)
{
    return ct__expect(r, "(") && ct__expect(r, ")") &&
           (!ct__peek(r, "<{") || ct__read_dict(r, "<{", "}>", dict)) && ct__expect(r, "(");
}

/* The name in the dictionary; NULL: none. */
static const char *symbol_name(ct__dict *dict)
{
    const ct__attribute *name = ct__dict_use(dict, "sym_name");
    return name && name->kind == CT__ATTRIBUTE_STRING && strlen(name->text) == name->text_length
               ? name->text
               : NULL;
}

static bool open_generic_module(ct__reader *r, scan *q, const char *at)
{
    ct__span label;
    if (!may_open(r, q, at) || !read_front(r, &q->dict))
        return false;
    ct__skip_blanks(r);
    q->open = r->cursor.at;
    q->is_generic = true;
    const char *name = symbol_name(&q->dict);
    if (name)
        r->module_name = name;
    return ct__expect(r, "{") &&
           (!ct__take(r, "^") || (ct__read_word(r, &label) && ct__expect(r, ":")));
}

/* A function without a body cannot be public. */
static bool is_private(const ct__dict *dict)
{
    const ct__entry *entry = ct__dict_find(dict, "sym_visibility");
    return entry && entry->value.kind == CT__ATTRIBUTE_STRING &&
           strcmp(entry->value.text, "public") != 0;
}

/* The symbol of what has been scanned: the dictionary, and the body, which begins at `open`. */
static bool add_generic_symbol(ct__reader *r, const char *at, ct__dict *dict, const char *open,
                               bool is_empty, bool has_unknown)
{
    ct__type_list params = {0}, results = {0};
    const char *where, *name = symbol_name(dict);
    if (!name)
        return ct__read_fail(r, at, "attribute 'sym_name' is missing");
    if (!ct__read_function_type(r, dict, at, &params, &results, &where))
        return false;
    ct__symbol *f = add_symbol(r, at, name);
    if (!f)
        return false;
    f->arguments = open;
    f->is_generic = true;
    f->is_private = is_private(dict);
    f->is_declared = is_empty && f->is_private;
    f->dict = *dict;
    for (size_t i = 0; i < params.count; i++)
        f->is_template = f->is_template || !ct__type_is_known(params.item[i]);
    f->has_unknown = has_unknown || f->is_template;
    return true;
}

static bool scan_generic_function(ct__reader *r, const char *at)
{
    ct__dict dict = {0};
    bool has_unknown = false;
    if (!read_front(r, &dict))
        return false;
    ct__skip_blanks(r);
    const char *open = r->cursor.at;
    if (!ct__take(r, "{"))
        return ct__expect(r, "{");
    const bool is_empty = ct__peek(r, "}");
    r->cursor.at = ct__skip_body(open, r->cursor.end, &has_unknown);
    return read_tail(r, &dict) && add_generic_symbol(r, at, &dict, open, is_empty, has_unknown);
}

static bool scan_generic(ct__reader *r, scan *q)
{
    const char *at = r->cursor.at;
    ct__span name;
    if (!ct__read_string(r, &name.at, &name.length))
        return false;
    if (ct__span_is(name, "builtin.module"))
        return open_generic_module(r, q, at);
    if (ct__span_is(name, "func.func"))
        return scan_generic_function(r, at);
    if (ct__span_is(name, "sdy.mesh"))
        return scan_generic_mesh(r, at);
    r->cursor.at = at;
    return ct__read_expected(r, "\"builtin.module\" or \"func.func\"");
}

static bool close_module(ct__reader *r, scan *q)
{
    if (!q->open)
        return ct__read_expected(r, "a function");
    r->cursor.at++;
    q->open = NULL;
    q->is_over = true;
    return !q->is_generic || read_tail(r, &q->dict);
}

static bool scan_item(ct__reader *r, scan *q)
{
    const char *at = r->cursor.at;
    switch (*at) {
    case '#':
    case '!': return scan_alias(r);
    case '}': return close_module(r, q);
    case '"': return scan_generic(r, q);
    default: break;
    }
    if (ct__peek(r, "{-#"))
        return scan_section(r);
    if (ct__take(r, "loc")) /* of what ended before; its aliases may not be known yet */
        return ct__peek(r, "(") ? ct__skip_enclosed(r) : ct__read_expected(r, "'('");
    if (ct__take(r, "builtin.module") || ct__take(r, "module"))
        return scan_module(r, q, at);
    if (ct__take(r, "func.func"))
        return scan_function(r);
    if (ct__peek(r, "sdy.mesh"))
        return scan_mesh(r);
    return ct__read_expected(r, q->is_over ? "the end of the text" : "'func.func'");
}

/* After an error outside of functions: the line where the next function begins. */
static void go_on(ct__reader *r)
{
    const char *end = r->cursor.end;
    do
        r->cursor.at = ct__skip_line(r->cursor.at, end);
    while (r->cursor.at < end && !ct__begins_function(r->cursor.at, end) && r->cursor.at++);
}

static void read_module_notes(ct__reader *r, const char *at)
{
    ct__cursor back = r->cursor;
    r->cursor.at = at;
    if (ct__read_dict(r, "{", "}", &r->module_attributes))
        r->module_notes = ct__dict_rest(r, &r->module_attributes);
    r->cursor = back;
}

void ct__scan_module(ct__reader *r)
{
    scan q = {.open = NULL};
    for (;;) {
        ct__skip_blanks(r);
        if (r->cursor.at == r->cursor.end || ct_failed(r->ctx))
            break;
        if (!scan_item(r, &q))
            go_on(r);
    }
    r->open = q.open;
    for (size_t i = 0; i < r->symbols.n_entries; i++)
        r->n_defined += !ct__symbol_at(r, i)->is_declared;
    if (q.attributes && !ct_failed(r->ctx))
        read_module_notes(r, q.attributes);
    else if (q.is_generic)
        r->module_notes = ct__dict_rest(r, &q.dict), r->module_attributes = q.dict;
    if (!ct_failed(r->ctx))
        keep_meshes(r);
}

/* ---- Functions. */

static ct__graph *read_plain(ct__reader *r, ct__symbol *f, const char *at)
{
    if (f->state == CT__READ || f->state == CT__BROKEN || (f->state == CT__SILENT && r->quiet > 0))
        return f->graph;
    ct__graph *graph = ct__record_function(r, f, at, NULL);
    if (f->state == CT__READING)
        return NULL;
    f->graph = graph;
    f->state = graph ? CT__READ : r->quiet > 0 ? CT__SILENT : CT__BROKEN;
    return graph;
}

/* A private function whose shapes depend on its arguments' values is as good as a template. Each is
 * read once to see it; when it has other errors, it is read again to report them. */
static void try_private(ct__reader *r, ct__symbol *f)
{
    const bool before = r->lacks_value;
    if (!f->is_private || f->is_declared || f->is_template || f->state != CT__UNREAD)
        return;
    r->lacks_value = false;
    r->quiet++;
    read_plain(r, f, f->at);
    r->quiet--;
    f->is_template = f->state == CT__SILENT && r->lacks_value;
    f->has_unknown = f->has_unknown || f->is_template;
    r->lacks_value = before;
}

bool ct__reads_at_calls(ct__reader *r, ct__symbol *f)
{
    if (!f->has_unknown)
        try_private(r, f);
    return f->has_unknown;
}

static void check_template(ct__reader *r, ct__symbol *f)
{
    ct__read_param_types(r, f);
    ct__check_function(r, f, f->at);
}

void ct__read_functions(ct__reader *r)
{
    for (size_t i = 0; i < r->symbols.n_entries && !ct_failed(r->ctx); i++)
        try_private(r, ct__symbol_at(r, i));
    for (size_t i = 0; i < r->symbols.n_entries && !ct_failed(r->ctx); i++) {
        ct__symbol *f = ct__symbol_at(r, i);
        if (f->is_declared)
            ct__read_declaration(r, f);
        else if (f->is_template)
            check_template(r, f);
        else
            read_plain(r, f, f->at);
    }
    if (r->open && r->n_errors == 0) /* else it may follow from an open body */
        ct__read_fail(r, r->cursor.end, "expected '}' for the module that begins in line %d",
                      ct__line_of(r, r->open));
}

ct__symbol *ct__find_callee(ct__reader *r, const char *at, const char *symbol)
{
    ct__symbol *f = ct__symbol_find(r, symbol);
    if (!f) {
        ct__read_fail(r, at, "there is no function @%.60s", symbol);
        return NULL;
    }
    if (f->is_declared) {
        ct__read_fail(r, at, "@%.60s has no body to call: line %d only declares it", symbol,
                      ct__line_of(r, f->at));
        return NULL;
    }
    return f;
}

ct__graph *ct__read_callee(ct__reader *r, const char *at, const char *symbol, size_t n_arguments,
                           ct_tensor *const *argument)
{
    ct__symbol *f = ct__find_callee(r, at, symbol);
    if (!f)
        return NULL;
    return f->is_template ? ct__read_special(r, f, at, n_arguments, argument)
                          : read_plain(r, f, at);
}
