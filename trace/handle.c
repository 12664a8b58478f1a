#include "trace/trace.h"

#include <string.h>

static void link_into(ct__scope_list *list, ct__handle *handle)
{
    handle->next = list->head.next;
    handle->previous = &list->head;
    handle->next->previous = handle;
    list->head.next = handle;
}

static void unlink_handle(ct__handle *handle)
{
    handle->previous->next = handle->next;
    handle->next->previous = handle->previous;
}

/* ---- Memory. */

/* The address sanitizer sees each header's memory come and go. */
static bool is_pooled(size_t bytes)
{
    return bytes == sizeof(ct_tensor) && !CT__OWN_CHUNKS;
}

static ct__handle *take_header(ct__headers *h)
{
    ct__handle *header = h->unused;
    if (header) {
        h->unused = header->next;
        memset(header, 0, sizeof(ct_tensor));
    } else {
        header = ct__arena_zeroed(&h->arena, sizeof(ct_tensor));
    }
    h->n_used += header != NULL;
    return header;
}

static void give_header(ct__headers *h, ct__handle *header)
{
    header->next = h->unused;
    h->unused = header;
    if (--h->n_used == 0) {
        ct__arena_reset(&h->arena);
        h->unused = NULL;
    }
}

static ct__handle *take_memory(ct_context *ctx, size_t bytes)
{
    return is_pooled(bytes) ? take_header(&ctx->headers) : ct__alloc_zeroed(&ctx->allocator, bytes);
}

static void give_memory(ct_context *ctx, ct__handle *handle)
{
    if (is_pooled(handle->bytes))
        give_header(&ctx->headers, handle);
    else
        ct__release(&ctx->allocator, handle, handle->bytes);
}

/* ---- Handles. */

void *ct__handle_new(ct_context *ctx, ct__handle_kind kind, size_t bytes,
                     void (*finish)(ct__handle *))
{
    if (ctx->dead)
        return NULL;
    ct__handle *handle = take_memory(ctx, bytes);
    if (!handle)
        return NULL;
    handle->kind = (uint8_t)kind;
    handle->ctx = ctx;
    handle->bytes = bytes;
    handle->finish = finish;
    handle->depth = (uint32_t)ctx->n_scopes - 1;
    link_into(ctx->scope[handle->depth], handle);
    return handle;
}

void ct__handle_free(ct__handle *handle)
{
    unlink_handle(handle);
    if (handle->finish)
        handle->finish(handle);
    give_memory(handle->ctx, handle);
}

void ct__handle_move(ct__handle *handle, uint32_t depth)
{
    unlink_handle(handle);
    handle->depth = depth;
    link_into(handle->ctx->scope[depth], handle);
}

/* Poison is part of its context, or static: no scope owns it. */
static bool is_owned(const ct__handle *handle)
{
    return handle && handle->next;
}

/* Whether the program may free it: pinned handles go with their scope. */
static bool is_released(const ct__handle *handle)
{
    return is_owned(handle) && !handle->is_pinned;
}

void ct__handle_keep(ct__handle *handle)
{
    if (is_owned(handle) && handle->depth > 0 && handle->depth + 1 == handle->ctx->n_scopes)
        ct__handle_move(handle, handle->depth - 1);
}

ct_tensor *ct__pin(ct_tensor *x)
{
    if (x->kind != CT__POISON)
        x->handle.is_pinned = true;
    return x;
}

ct_tensor *ct_keep(ct_tensor *x)
{
    if (x)
        ct__handle_keep(&x->handle);
    return x;
}

ct_function *ct_keep_function(ct_function *f)
{
    if (f)
        ct__handle_keep(&f->handle);
    return f;
}

ct_tensor *ct_retain(ct_tensor *x)
{
    if (x && is_owned(&x->handle))
        ct__handle_move(&x->handle, 0);
    return x;
}

void ct_release(ct_tensor *x)
{
    if (x && is_released(&x->handle))
        ct__handle_free(&x->handle);
}

void ct_release_function(ct_function *f)
{
    if (f && is_owned(&f->handle))
        ct__handle_free(&f->handle);
}

void ct_replace(ct_tensor **slot, ct_tensor *next)
{
    if (!slot || *slot == next || ct_is_poison(next))
        return;
    ct_tensor *old = *slot;
    ct_context *ctx = ct_context_of(old);
    if (ctx && ctx != next->handle.ctx) {
        ct__error(ctx, (ct_place){NULL, 0, 0}, CT_ERR_CONTEXT,
                  "replace: the next value belongs to another context");
        return;
    }
    *slot = next;
    if (!old || !is_owned(&old->handle)) {
        ct_keep(next);
        return;
    }
    if (next->handle.depth > old->handle.depth)
        ct__handle_move(&next->handle, old->handle.depth);
    ct_release(old);
}

/* ---- Texts. */

typedef struct scope_text {
    ct__handle handle;
    char text[];
} scope_text;

const char *ct__scope_text(ct_context *ctx, const char *text, size_t length)
{
    if (!ctx || length > SIZE_MAX - sizeof(scope_text) - 1)
        return "";
    scope_text *copy = ct__handle_new(ctx, CT__HANDLE_TEXT, sizeof *copy + length + 1, NULL);
    if (!copy) {
        ct__error_memory(ctx, (ct_place){NULL, 0, 0}, "text");
        return "";
    }
    memcpy(copy->text, text, length);
    copy->text[length] = '\0';
    return copy->text;
}

const char *ct__scope_take(ct_context *ctx, ct_place at, const char *what, ct__text *text)
{
    if (text->failed)
        ct__error_memory(ctx, at, what);
    const char *taken = text->failed ? "" : ct__scope_text(ctx, text->data, text->length);
    ct__text_free(text);
    return taken;
}
