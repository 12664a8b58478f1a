#include "interop/stablehlo/module.h"

#include "interop/interop.h"
#include "interop/stablehlo/read_parts.h"
#include "interop/stablehlo/read_values.h"

#include <stdio.h>
#include <sys/stat.h>

static void finish_module(ct__handle *handle)
{
    ct_module *module = (ct_module *)handle;
    for (size_t i = 0; i < module->n_functions; i++)
        ct__graph_release(module->function[i].graph);
    for (const ct__module_special *s = module->special; s; s = s->next)
        ct__graph_release(s->graph);
    ct__release(&handle->ctx->allocator, module->text, module->text_length);
    ct__arena_free(&module->arena);
}

static const ct_module static_poison = {.handle = {.kind = CT__HANDLE_MODULE}, .is_poison = true};

/* Poisoned until it is filled. */
static ct_module *new_module(ct_context *ctx, ct_place at)
{
    ct_module *module = NULL;
    if (ctx)
        module = ct__handle_new(ctx, CT__HANDLE_MODULE, sizeof *module, finish_module);
    if (!module) {
        ct__error_memory(ctx, at, "read_stablehlo");
        return (ct_module *)&static_poison;
    }
    ct__arena_init(&module->arena, &ctx->allocator);
    ct__map_init(&module->names, &module->arena);
    module->is_poison = true;
    return module;
}

/* ---- From a reader to a module. */

static bool keep_text(ct_module *module, const ct__reader *r)
{
    ct_context *ctx = r->ctx;
    module->text = ct__alloc(&ctx->allocator, r->text.length);
    if (!module->text)
        return false;
    memcpy(module->text, r->text.at, r->text.length);
    module->text_length = r->text.length;
    module->first_line = r->first_line;
    return true;
}

static void fill_attribute(ct__arena *arena, ct__reader *r, const ct__entry *entry,
                           ct__module_attribute *a)
{
    const ct__attribute *value = &entry->value;
    ct__text text;
    ct__text_init(&text, &arena->allocator);
    if (value->kind != CT__ATTRIBUTE_UNIT && !ct__attribute_text(r, value, &text))
        text.failed = true;
    *a = (ct__module_attribute){.name = ct__arena_text(arena, entry->key),
                                .value = ct__arena_text(arena, text.data ? text.data : ""),
                                .is_number = value->kind == CT__ATTRIBUTE_INTEGER ||
                                             value->kind == CT__ATTRIBUTE_FLOAT,
                                .number = value->number};
    arena->failed = arena->failed || text.failed;
    ct__text_free(&text);
}

static void fill_attributes(ct_module *module, ct__reader *r)
{
    const ct__dict *dict = &r->module_attributes;
    module->attribute = CT__NEW_ARRAY(&module->arena, ct__module_attribute, dict->count);
    for (size_t i = 0; module->attribute && i < dict->count; i++)
        if (!dict->entry[i].is_used)
            fill_attribute(&module->arena, r, &dict->entry[i],
                           &module->attribute[module->n_attributes++]);
}

const ct_type **ct__copy_types(ct__arena *arena, size_t n, const ct_type *const *type)
{
    const ct_type **copy = CT__NEW_ARRAY(arena, const ct_type *, n);
    for (size_t i = 0; copy && i < n; i++)
        copy[i] = ct__type_copy(arena, type[i]);
    return copy;
}

/* The module's next function, *f. */
static void fill_function(ct_module *module, ct__reader *r, const ct__symbol *symbol,
                          ct__module_function *f)
{
    ct__map_entry *entry = ct__map_add(&module->names, symbol->name, strlen(symbol->name));
    *f = (ct__module_function){.name = entry ? entry->key : "",
                               .place = ct__place_of(r, symbol->at),
                               .graph = ct__graph_retain(symbol->graph)};
    f->place.file = module->text_name;
    f->n_params = f->graph ? f->graph->n_params : symbol->n_params;
    if (symbol->param)
        f->param = ct__copy_types(&module->arena, symbol->n_params, symbol->param);
    if (entry)
        entry->count = module->n_functions;
    module->n_functions++;
}

static bool fill_module(ct_module *module, ct__reader *r)
{
    ct__arena *arena = &module->arena;
    const size_t n = r->symbols.n_entries;
    bool has_template = false;
    module->name = ct__arena_text(arena, r->module_name);
    module->text_name = ct__arena_text(arena, r->name);
    fill_attributes(module, r);
    ct__module_function *list = CT__NEW_ARRAY(arena, ct__module_function, n);
    module->function = list;
    for (size_t i = 0; list && i < n; i++) {
        const ct__symbol *f = ct__symbol_at(r, i);
        if (f->is_declared)
            continue;
        fill_function(module, r, f, &list[module->n_functions]);
        has_template = has_template || f->is_template;
    }
    return !arena->failed && (!has_template || keep_text(module, r));
}

static void read_lines(ct_module *module, ct_place at, const char *name, ct__span text,
                       int first_line)
{
    ct_context *ctx = module->handle.ctx;
    ct__reader r;
    if (ct__reader_init(&r, ctx, at, name, text, first_line)) {
        ct__scan_module(&r);
        ct__read_functions(&r);
        ct__report_errors(&r);
        if (!ct_failed(ctx) && !fill_module(module, &r))
            ct__error_memory(ctx, at, "read_stablehlo");
        module->is_poison = ct_failed(ctx);
    }
    ct__reader_free(&r);
}

/* ---- Texts. */

ct_module *ct_read_stablehlo_part_at(ct_place at, ct_context *ctx, const char *name,
                                     const char *text, size_t length, size_t part)
{
    ct_module *module = new_module(ctx, at);
    ct__span whole = {text ? text : "", text ? length : 0};
    ct_stablehlo_part found;
    if (ct_failed(ctx))
        return module;
    if (!text && length > 0)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "read_stablehlo: the text is NULL");
    else if (!ct__part_of(whole, part, &found))
        ct__error(ctx, at, CT_ERR_ARGUMENT, "read_stablehlo: there is no part %zu of %zu", part,
                  ct_stablehlo_parts(text, length));
    else
        read_lines(module, at, name, (ct__span){found.text, found.length}, found.line);
    return module;
}

static void read_whole(ct_module *module, ct_place at, const char *name, ct__span text)
{
    size_t parts = ct_stablehlo_parts(text.at, text.length);
    if (parts > 1)
        ct__error(module->handle.ctx, at, CT_ERR_FILE,
                  "read_stablehlo: %s holds %zu modules, parted by lines with // -----; it must be "
                  "one (ct_read_stablehlo_part reads one of them)",
                  name ? name : "the text", parts);
    else
        read_lines(module, at, name, text, 1);
}

ct_module *ct_read_stablehlo_lines_at(ct_place at, ct_context *ctx, const char *name,
                                      const char *text, size_t length, int first_line)
{
    ct_module *module = new_module(ctx, at);
    if (ct_failed(ctx))
        return module;
    if (!text && length > 0)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "read_stablehlo: the text is NULL");
    else if (first_line < 1)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "read_stablehlo: lines begin at 1, not at %d",
                  first_line);
    else
        read_lines(module, at, name, (ct__span){text ? text : "", length}, first_line);
    return module;
}

ct_module *ct_read_stablehlo_text_at(ct_place at, ct_context *ctx, const char *name,
                                     const char *text, size_t length)
{
    ct_module *module = new_module(ctx, at);
    if (ct_failed(ctx))
        return module;
    if (!text && length > 0)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "read_stablehlo: the text is NULL");
    else
        read_whole(module, at, name, (ct__span){text ? text : "", length});
    return module;
}

/* ---- Files. */

typedef struct buffer {
    char *data;
    size_t length, capacity;
} buffer;

/* Room for the file and its end in one piece; where the size is not known, for a first part. */
static size_t room_for(FILE *file)
{
    struct stat state;
    bool is_known = fstat(fileno(file), &state) == 0 && S_ISREG(state.st_mode) && state.st_size > 0;
    return is_known ? (size_t)state.st_size + 1 : 65536;
}

/* The rest of the file; false after an error. */
static bool read_all(ct_context *ctx, ct_place at, const char *path, FILE *file, buffer *b)
{
    for (size_t more = room_for(file);; more = 65536) {
        if (b->length == b->capacity &&
            !ct__grow(&ctx->allocator, &b->data, &b->capacity, b->length + more, 1)) {
            ct__error_memory(ctx, at, "read_stablehlo");
            return false;
        }
        size_t count = fread(b->data + b->length, 1, b->capacity - b->length, file);
        b->length += count;
        if (count > 0)
            continue;
        if (ferror(file))
            ct__error(ctx, at, CT_ERR_FILE, "read_stablehlo: %s cannot be read", path);
        return !ferror(file);
    }
}

ct_module *ct_read_stablehlo_at(ct_place at, ct_context *ctx, const char *path)
{
    ct_module *module = new_module(ctx, at);
    buffer b = {0};
    if (ct_failed(ctx))
        return module;
    FILE *file = ct__file_open(ctx, at, "read_stablehlo", path, "rb");
    if (file && read_all(ctx, at, path, file, &b))
        read_whole(module, at, path, (ct__span){b.data, b.length});
    if (file)
        fclose(file);
    ct__release(&ctx->allocator, b.data, b.capacity);
    return module;
}

/* ---- Looking. */

bool ct_module_is_poison(const ct_module *module)
{
    return !module || module->is_poison;
}

const char *ct_module_name(const ct_module *module)
{
    return ct_module_is_poison(module) ? "" : module->name;
}

size_t ct_module_functions(const ct_module *module)
{
    return ct_module_is_poison(module) ? 0 : module->n_functions;
}

const char *ct_module_function_name(const ct_module *module, size_t i)
{
    return i < ct_module_functions(module) ? module->function[i].name : "";
}

static const ct__module_attribute *find_attribute(const ct_module *module, const char *name)
{
    size_t count = ct_module_is_poison(module) || !name ? 0 : module->n_attributes;
    for (size_t i = 0; i < count; i++)
        if (strcmp(module->attribute[i].name, name) == 0)
            return &module->attribute[i];
    return NULL;
}

const char *ct_module_attribute(const ct_module *module, const char *name)
{
    const ct__module_attribute *a = find_attribute(module, name);
    return a ? a->value : NULL;
}

bool ct_module_number(const ct_module *module, const char *name, double *number)
{
    const ct__module_attribute *a = find_attribute(module, name);
    if (!a || !a->is_number)
        return false;
    *number = a->number;
    return true;
}

/* "@a, @b", of the module's first functions. */
static const char *function_names(const ct_module *module, char *text, size_t bytes)
{
    enum { SHOWN = 8 };
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; module->function && i < module->n_functions && i < SHOWN && n < bytes; i++)
        n += (size_t)snprintf(text + n, bytes - n, "%s@%.60s", i ? ", " : "",
                              module->function[i].name);
    if (module->n_functions > SHOWN && n < bytes)
        snprintf(text + n, bytes - n, ", …");
    return n > 0 ? text : "none";
}

static const ct__module_function *find_function(const ct_module *module, const char *name)
{
    if (!name && module->n_functions == 1)
        return &module->function[0];
    name = name ? name : "main";
    const ct__map_entry *entry = ct__map_find(&module->names, name, strlen(name));
    return entry ? &module->function[entry->count] : NULL;
}

const ct__module_function *ct__module_ask(ct_place at, const ct_module *module, const char *what,
                                          const char *name)
{
    ct_context *ctx = module ? module->handle.ctx : NULL;
    char names[600];
    if (!module || ct_failed(ctx))
        return NULL;
    if (module->is_poison) {
        ct__error(ctx, at, CT_ERR_POISON,
                  "%s: the module is the poisoned result of an earlier error", what);
        return NULL;
    }
    const ct__module_function *f = find_function(module, name);
    if (!f)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: there is no function @%s in the module; it has %s",
                  what, name ? name : "main", function_names(module, names, sizeof names));
    return f;
}

ct_function *ct_module_function_at(ct_place at, ct_module *module, const char *name)
{
    ct_context *ctx = module ? module->handle.ctx : NULL;
    const ct__module_function *f = ct__module_ask(at, module, "module_function", name);
    if (f && !f->graph)
        ct__error(ctx, f->place, CT_ERR_TYPE,
                  "@%s has extents \"?\", which are not known without its arguments%s", f->name,
                  at.file ? " (ct_specialize)" : "");
    if (!f || !f->graph)
        return ct__poison_function(ctx);
    return ct__function_new(ctx, at, ct__graph_retain(f->graph));
}

size_t ct_module_parameters(const ct_module *module, const char *name)
{
    const ct__module_function *f = ct_module_is_poison(module) ? NULL : find_function(module, name);
    return f ? f->n_params : 0;
}

ct_place ct_module_place(const ct_module *module, const char *name)
{
    const ct__module_function *f = ct_module_is_poison(module) ? NULL : find_function(module, name);
    return f ? f->place : (ct_place){NULL, 0, 0};
}
