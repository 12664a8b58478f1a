#include "trace/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Contexts without memory, and poison without a context. */

/* Never written: every entry looks at its status first. */
static const ct_context dead_context = {
    .dead = true,
    .poison = {.handle = {.kind = CT__HANDLE_TENSOR, .ctx = (ct_context *)&dead_context},
               .kind = CT__POISON,
               .argument = -1},
    .poison_function = {.handle = {.kind = CT__HANDLE_FUNCTION,
                                   .ctx = (ct_context *)&dead_context}},
    .status = CT_ERR_MEMORY,
    .message = "out of memory: the context could not be made",
};

static const ct_tensor static_poison = {
    .handle = {.kind = CT__HANDLE_TENSOR}, .kind = CT__POISON, .argument = -1};

static const ct_function static_poison_function = {.handle = {.kind = CT__HANDLE_FUNCTION}};

ct_tensor *ct__poison(ct_context *ctx)
{
    return ctx ? &ctx->poison : (ct_tensor *)&static_poison;
}

ct_function *ct__poison_function(ct_context *ctx)
{
    return ctx ? &ctx->poison_function : (ct_function *)&static_poison_function;
}

/* ---- Making and freeing. */

static bool push_scope(ct_context *ctx)
{
    if (!ct__grow(&ctx->allocator, &ctx->scope, &ctx->scope_capacity, ctx->n_scopes + 1,
                  sizeof *ctx->scope))
        return false;
    ct__scope_list *list = ct__alloc_zeroed(&ctx->allocator, sizeof *list);
    if (!list)
        return false;
    list->head.previous = list->head.next = &list->head;
    list->serial = ++ctx->next_serial;
    ctx->scope[ctx->n_scopes++] = list;
    return true;
}

/* Handles go newest first, so that a builder closes the traces that were opened after it. */
static void pop_scope(ct_context *ctx)
{
    ct__scope_list *list = ctx->scope[ctx->n_scopes - 1];
    while (list->head.next != &list->head)
        ct__handle_free(list->head.next);
    ctx->n_scopes--;
    ct__release(&ctx->allocator, list, sizeof *list);
}

ct_context *ct__context_new(const ct_allocator *allocator, const ct__hooks *hooks)
{
    if (!allocator)
        allocator = &ct__libc_allocator;
    ct_context *ctx = ct__alloc_zeroed(allocator, sizeof *ctx);
    if (!ctx)
        return (ct_context *)&dead_context;
    ctx->allocator = *allocator;
    ctx->hooks = *hooks;
    ctx->poison.handle = (ct__handle){.kind = CT__HANDLE_TENSOR, .ctx = ctx};
    ctx->poison.kind = CT__POISON;
    ctx->poison.argument = -1;
    ctx->poison_function.handle = (ct__handle){.kind = CT__HANDLE_FUNCTION, .ctx = ctx};
    ct__arena_init(&ctx->scratch, allocator);
    if (!push_scope(ctx)) {
        ct_context_free(ctx);
        return (ct_context *)&dead_context;
    }
    return ctx;
}

/* ---- Names of files. */

typedef struct ct__file {
    struct ct__file *next;
    size_t bytes; /* of all of it */
    char name[];
} ct__file;

static ct__file *new_file(ct_context *ctx, const char *name)
{
    const size_t length = strlen(name) + 1, bytes = sizeof(ct__file) + length;
    ct__file *file = ct__alloc_zeroed(&ctx->allocator, bytes);
    if (!file)
        return NULL;
    file->bytes = bytes;
    memcpy(file->name, name, length);
    return file;
}

const char *ct__context_file(ct_context *ctx, const char *name)
{
    ct__file **at = &ctx->files;
    if (!name)
        return NULL;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    ct__file *file = *at ? *at : new_file(ctx, name);
    if (!file)
        return NULL;
    if (*at)
        *at = file->next;
    file->next = ctx->files;
    ctx->files = file;
    return file->name;
}

static void free_files(ct_context *ctx)
{
    while (ctx->files) {
        ct__file *file = ctx->files;
        ctx->files = file->next;
        ct__release(&ctx->allocator, file, file->bytes);
    }
}

void ct_context_free(ct_context *ctx)
{
    if (!ctx || ctx->dead)
        return;
    while (ctx->trace)
        ct__trace_abandon(ctx);
    while (ctx->n_scopes > 0)
        pop_scope(ctx);
    for (size_t row = 0; row < CT__BODY_OPS; row++)
        for (size_t dtype = 0; dtype < CT_DTYPE_COUNT; dtype++)
            ct__graph_release(ctx->body[row][dtype]);
    for (size_t i = 0; i < CT__SPLATS; i++)
        ct__literal_release(ctx->splat[i]);
    for (size_t i = 0; i < CT__TYPES; i++)
        ct__shared_type_release(ctx, ctx->type[i]);
    ct__customs_free(&ctx->allocator, &ctx->customs);
    ct__arena_free(&ctx->scratch);
    free_files(ctx);
    ct_allocator allocator = ctx->allocator;
    ct__release(&allocator, ctx->scope, ctx->scope_capacity * sizeof *ctx->scope);
    ct__release(&allocator, ctx, sizeof *ctx);
}

/* ---- The first error. */

static void set_place(ct_context *ctx, ct_place at)
{
    ctx->place = (ct_place){NULL, at.line, at.column};
    if (at.file) {
        snprintf(ctx->place_file, sizeof ctx->place_file, "%s", at.file);
        ctx->place.file = ctx->place_file;
    }
}

int ct__place_print(ct_place at, const char *behind, char *text, size_t bytes)
{
    if (at.column > 0)
        return snprintf(text, bytes, "%s:%d:%d%s", at.file, at.line, at.column, behind);
    return snprintf(text, bytes, "%s:%d%s", at.file, at.line, behind);
}

void ct__error(ct_context *ctx, ct_place at, ct_status status, const char *format, ...)
{
    if (!ctx || ctx->status != CT_OK)
        return;
    ctx->status = status;
    set_place(ctx, at);
    int prefix = 0;
    if (at.file)
        prefix = ct__place_print(at, ": ", ctx->message, sizeof ctx->message);
    if (prefix < 0 || (size_t)prefix >= sizeof ctx->message)
        prefix = 0;
    size_t room = sizeof ctx->message - (size_t)prefix;
    va_list list;
    va_start(list, format);
    int length = vsnprintf(ctx->message + prefix, room, format, list);
    va_end(list);
    if (length < 0 || (size_t)length >= room)
        memcpy(ctx->message + sizeof ctx->message - 4, "...", 4);
}

void ct__error_text(ct_context *ctx, ct_place at, ct_status status, const char *message)
{
    if (ct_failed(ctx))
        return;
    ct__error(ctx, (ct_place){NULL, 0, 0}, status, "%s", message);
    set_place(ctx, at);
}

void ct__error_memory(ct_context *ctx, ct_place at, const char *what)
{
    ct__error(ctx, at, CT_ERR_MEMORY, "%s: out of memory", what);
}

bool ct_failed(const ct_context *ctx)
{
    return !ctx || ctx->status != CT_OK;
}

ct_status ct_error_status(const ct_context *ctx)
{
    return ctx ? ctx->status : CT_ERR_ARGUMENT;
}

const char *ct_error_message(const ct_context *ctx)
{
    if (!ctx)
        return "the context is NULL";
    return ctx->status == CT_OK ? "" : ctx->message;
}

ct_place ct_error_place(const ct_context *ctx)
{
    return ct_failed(ctx) && ctx ? ctx->place : (ct_place){NULL, 0, 0};
}

void ct_error_clear(ct_context *ctx)
{
    if (!ctx || ctx->dead)
        return;
    ctx->status = CT_OK;
    ctx->message[0] = '\0';
    ctx->place = (ct_place){NULL, 0, 0};
}

static const char *const status_names[] = {
    "ok",      "memory", "argument", "type",        "shape",  "range", "index", "state",
    "context", "traced", "rule",     "unsupported", "poison", "file",  "text",  "trap"};

const char *ct_status_name(ct_status status)
{
    size_t i = (size_t)status;
    return i < sizeof status_names / sizeof *status_names ? status_names[i] : "unknown status";
}

#define CT__TEXT_OF(number) CT__TEXT_OF_(number)
#define CT__TEXT_OF_(number) #number

const char *ct_version(void)
{
    return CT__TEXT_OF(CT_VERSION_MAJOR) "." CT__TEXT_OF(CT_VERSION_MINOR) "." CT__TEXT_OF(
        CT_VERSION_PATCH);
}

/* ---- Scopes. */

ct_scope ct__scope_begin(ct_context *ctx, ct_place at, const char *what)
{
    if (!ctx || ctx->dead)
        return (ct_scope){NULL, 0, 0};
    if (!push_scope(ctx)) {
        ct__error_memory(ctx, at, what);
        return (ct_scope){NULL, 0, 0};
    }
    return (ct_scope){ctx, (uint32_t)ctx->n_scopes - 1, ctx->next_serial};
}

ct_scope ct_scope_begin(ct_context *ctx)
{
    return ct__scope_begin(ctx, (ct_place){NULL, 0, 0}, "scope_begin");
}

void ct_scope_end(ct_scope scope)
{
    ct_context *ctx = scope.ctx;
    if (!ctx)
        return; /* its beginning failed, and the context says so */
    if (scope.depth == 0 || scope.depth >= ctx->n_scopes ||
        ctx->scope[scope.depth]->serial != scope.serial) {
        ct__error(ctx, (ct_place){NULL, 0, 0}, CT_ERR_STATE,
                  "scope_end: the scope has ended before");
        return;
    }
    if (scope.depth < ctx->scope_floor) {
        ct__error(ctx, (ct_place){NULL, 0, 0}, CT_ERR_STATE,
                  "scope_end: the scope was begun outside of the function that ends it");
        return;
    }
    while (ctx->n_scopes > scope.depth)
        pop_scope(ctx);
}

size_t ct__call_begin(ct_context *ctx)
{
    size_t floor = ctx->scope_floor;
    ctx->scope_floor = ctx->n_scopes;
    return floor;
}

void ct__call_end(ct_context *ctx, ct_place at, const char *what, size_t floor)
{
    if (ctx->n_scopes > ctx->scope_floor)
        ct__error(ctx, at, CT_ERR_STATE, "%s: the function left a scope open", what);
    while (ctx->n_scopes > ctx->scope_floor)
        pop_scope(ctx);
    ctx->scope_floor = floor;
}

ct__arena *ct__scratch_begin(ct_context *ctx)
{
    ctx->scratch_users++;
    return &ctx->scratch;
}

void ct__scratch_end(ct_context *ctx)
{
    if (--ctx->scratch_users == 0)
        ct__arena_reset(&ctx->scratch);
}

/* ---- Options. */

bool ct__read_options(ct_context *ctx, ct_place at, const char *what, const char *type,
                      const void *given, void *options, size_t bytes)
{
    size_t size;
    if (!given)
        return true;
    memcpy(&size, given, sizeof size);
    bool is_more = false;
    for (size_t i = bytes; size >= sizeof size && i < size; i++)
        is_more = is_more || ((const unsigned char *)given)[i] != 0;
    if (size < sizeof size)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: options.size = %zu is not sizeof(%s)", what, size,
                  type);
    else if (is_more)
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "%s: options of %zu bytes ask for what this version does not have", what, size);
    if (size < sizeof size || is_more)
        return false;
    memcpy(options, given, size < bytes ? size : bytes);
    memcpy(options, &bytes, sizeof bytes);
    return true;
}
