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

/* ---- Blocks of headers. */

/* Those before `n_begun` have been used once; those that are free again are listed by `next`. */
struct ct__header_block {
    ct__header_block *previous, *next; /* open ones */
    ct__handle *unused;
    size_t n, n_begun, n_used;
    ct_tensor header[];
};

static size_t block_bytes(size_t n)
{
    return sizeof(ct__header_block) + n * sizeof(ct_tensor);
}

static void open_block(ct__headers *h, ct__header_block *block)
{
    block->previous = NULL;
    block->next = h->open;
    if (h->open)
        h->open->previous = block;
    h->open = block;
}

static void close_block(ct__headers *h, ct__header_block *block)
{
    if (block->previous)
        block->previous->next = block->next;
    else
        h->open = block->next;
    if (block->next)
        block->next->previous = block->previous;
}

/* A block with room; NULL when memory is short. */
static ct__header_block *find_room(ct_context *ctx)
{
    enum { FIRST = 4, MOST = 1 << 15 };
    ct__headers *h = &ctx->headers;
    if (h->open)
        return h->open;
    const size_t n = h->n_last == 0 ? FIRST : h->n_last < MOST ? 2 * h->n_last : MOST;
    ct__header_block *block = ct__alloc(&ctx->allocator, block_bytes(n));
    if (!block)
        return NULL;
    *block = (ct__header_block){.n = n};
    h->n_last = n;
    open_block(h, block);
    return block;
}

static ct__handle *take_header(ct_context *ctx)
{
    ct__header_block *block = find_room(ctx);
    if (!block)
        return NULL;
    ct__handle *header = block->unused;
    if (header)
        block->unused = header->next;
    else
        header = &block->header[block->n_begun++].handle;
    if (++block->n_used == block->n)
        close_block(&ctx->headers, block);
    memset(header, 0, sizeof(ct_tensor));
    header->block = block;
    return header;
}

static void give_header(ct_context *ctx, ct__handle *header)
{
    ct__header_block *block = header->block;
    header->next = block->unused;
    block->unused = header;
    if (block->n_used-- == block->n)
        open_block(&ctx->headers, block);
    if (block->n_used > 0)
        return;
    close_block(&ctx->headers, block);
    ctx->headers.n_last = block->n / 2; /* the next one is not larger */
    ct__release(&ctx->allocator, block, block_bytes(block->n));
}

/* The address sanitizer sees each header's memory come and go. */
static ct__handle *take_memory(ct_context *ctx, size_t bytes)
{
    if (bytes == sizeof(ct_tensor) && !CT__OWN_CHUNKS)
        return take_header(ctx);
    ct__handle *handle = ct__alloc_zeroed(&ctx->allocator, bytes);
    if (handle)
        handle->bytes = bytes;
    return handle;
}

static void give_memory(ct_context *ctx, ct__handle *handle)
{
    if (handle->block)
        give_header(ctx, handle);
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
