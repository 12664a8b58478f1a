#include "trace/trace.h"

#include "ops/hash.h"

#include <stddef.h>
#include <string.h>

/* ---- Types: tensors made one after the other have few. */

void ct__shared_type_release(ct_context *ctx, ct__shared_type *shared)
{
    if (shared && --shared->references == 0)
        ct__release(&ctx->allocator, shared, shared->bytes);
}

static ct__shared_type *new_shared_type(ct_context *ctx, const ct_type *type)
{
    size_t bytes = offsetof(ct__shared_type, type) + ct__type_bytes(type);
    ct__shared_type *shared = ct__alloc(&ctx->allocator, bytes);
    if (!shared)
        return NULL;
    shared->references = 1;
    shared->bytes = bytes;
    ct__type_copy_into(&shared->type, type);
    return shared;
}

/* The type for one more tensor, or NULL. */
static const ct_type *share_type(ct_context *ctx, const ct_type *type)
{
    ct__shared_type **slot = &ctx->type[ct__mix_type(0, type) >> 20 & (CT__TYPES - 1)];
    if (!*slot || !ct__type_equal(&(*slot)->type, type)) {
        ct__shared_type *fresh = new_shared_type(ctx, type);
        if (!fresh)
            return NULL;
        ct__shared_type_release(ctx, *slot);
        *slot = fresh;
    }
    (*slot)->references++;
    return &(*slot)->type;
}

static void unshare_type(ct_context *ctx, const ct_type *type)
{
    size_t before = offsetof(ct__shared_type, type);
    if (type)
        ct__shared_type_release(ctx, (ct__shared_type *)((unsigned char *)type - before));
}

/* ---- Making. */

static void free_name(ct_tensor *x)
{
    if (x->name)
        ct__release(&x->handle.ctx->allocator, x->name, strlen(x->name) + 1);
}

static void finish_tensor(ct__handle *handle)
{
    ct_tensor *x = (ct_tensor *)handle;
    ct__literal_release(x->literal);
    unshare_type(handle->ctx, x->type);
    free_name(x);
}

static ct_tensor *new_header(ct_context *ctx, ct_place at, const char *origin, const ct_type *type)
{
    ct_tensor *x = ct__handle_new(ctx, CT__HANDLE_TENSOR, sizeof *x, finish_tensor);
    if (!x)
        return NULL;
    x->type = share_type(ctx, type);
    if (!x->type) {
        ct__handle_free(&x->handle);
        return NULL;
    }
    x->at = at;
    x->origin = origin;
    x->argument = -1;
    return x;
}

ct_tensor *ct__tensor_concrete(ct_context *ctx, ct_place at, const char *origin,
                               ct__literal *literal)
{
    ct_tensor *x = literal ? new_header(ctx, at, origin, literal->type) : NULL;
    if (!x) {
        ct__literal_release(literal);
        ct__error_memory(ctx, at, origin);
        return ct__poison(ctx);
    }
    x->kind = CT__CONCRETE;
    x->literal = literal;
    return x;
}

ct_tensor *ct__tensor_traced(ct_context *ctx, ct_place at, const char *origin, uint64_t trace,
                             ct__id value, const ct_type *type)
{
    ct_tensor *x = new_header(ctx, at, origin, type);
    if (!x) {
        ct__error_memory(ctx, at, origin);
        return ct__poison(ctx);
    }
    x->kind = CT__TRACED;
    x->trace = trace;
    x->value = value;
    return x;
}

ct_tensor *ct__tensor_spec(ct_context *ctx, ct_place at, const ct_type *type)
{
    ct_tensor *x = new_header(ctx, at, "spec", type);
    if (!x) {
        ct__error_memory(ctx, at, "spec");
        return ct__poison(ctx);
    }
    x->kind = CT__SPEC;
    return x;
}

/* A row-major copy of a view, or NULL. */
static ct__literal *contiguous_copy(const ct_allocator *allocator, const ct__literal *view)
{
    ct__storage *storage = ct__storage_new(allocator, ct__data_bytes(view->type));
    if (!storage)
        return NULL;
    ct__literal_copy_out(view, storage->data);
    return ct__literal_new(storage, view->type, 0, NULL);
}

/* A contiguous view may begin anywhere in its storage; the data must be aligned too. */
static bool is_plain(const ct__literal *literal)
{
    size_t start = (size_t)literal->offset * ct_dtype_bytes(literal->type->dtype);
    return ct__literal_is_contiguous(literal) && start % CT__ALIGN == 0;
}

const void *ct__tensor_data(ct_tensor *x)
{
    if (!is_plain(x->literal)) {
        ct__literal *copy = contiguous_copy(&x->handle.ctx->allocator, x->literal);
        if (!copy) {
            ct__error_memory(x->handle.ctx, x->at, x->origin);
            return NULL;
        }
        ct__literal_release(x->literal);
        x->literal = copy;
    }
    return x->literal->storage->data +
           (size_t)x->literal->offset * ct_dtype_bytes(x->literal->type->dtype);
}

/* ---- Looking. */

ct_context *ct_context_of(const ct_tensor *x)
{
    return x ? x->handle.ctx : NULL;
}

bool ct_is_poison(const ct_tensor *x)
{
    return !x || x->kind == CT__POISON;
}

bool ct_is_traced(const ct_tensor *x)
{
    return x && x->kind == CT__TRACED;
}

bool ct_is_concrete(const ct_tensor *x)
{
    return x && x->kind == CT__CONCRETE;
}

const ct_type *ct_type_of(const ct_tensor *x)
{
    return ct_is_poison(x) ? NULL : x->type;
}

ct_dtype ct_type_dtype(const ct_type *type)
{
    return type && type->kind == CT__TENSOR ? type->dtype : CT_INVALID_DTYPE;
}

ct_shape ct_type_shape(const ct_type *type)
{
    if (!type || type->kind != CT__TENSOR)
        return (ct_shape){0, NULL};
    return (ct_shape){(size_t)type->rank, type->dim};
}

ct_dtype ct_dtype_of(const ct_tensor *x)
{
    return ct_type_dtype(ct_type_of(x));
}

ct_shape ct_shape_of(const ct_tensor *x)
{
    return ct_type_shape(ct_type_of(x));
}

size_t ct_rank(const ct_tensor *x)
{
    return ct_shape_of(x).count;
}

int64_t ct_dim(const ct_tensor *x, int64_t axis)
{
    ct_shape shape = ct_shape_of(x);
    int64_t rank = (int64_t)shape.count;
    if (axis < -rank || axis >= rank)
        return -1;
    return shape.dim[axis < 0 ? axis + rank : axis];
}

size_t ct_tuple_size(const ct_tensor *x)
{
    return ct_is_poison(x) || x->type->kind != CT__TUPLE ? 0 : x->type->n_elements;
}

int64_t ct_size(const ct_tensor *x)
{
    const ct_type *type = ct_type_of(x);
    return type && type->kind == CT__TENSOR ? type->size : 0;
}

/* ---- Naming. */

static void name_concrete(ct_tensor *x, const char *name)
{
    const ct_allocator *allocator = &x->handle.ctx->allocator;
    size_t bytes = strlen(name) + 1;
    char *copy = ct__alloc(allocator, bytes);
    if (!copy) {
        ct__error_memory(x->handle.ctx, x->at, "name");
        return;
    }
    memcpy(copy, name, bytes);
    free_name(x);
    x->name = copy;
}

ct_tensor *ct_name(ct_tensor *x, const char *name)
{
    if (ct_is_poison(x) || !name)
        return x;
    if (x->kind == CT__CONCRETE)
        name_concrete(x, name);
    else if (x->kind == CT__TRACED)
        ct__trace_name(x, name);
    return x;
}

ct_context *ct__context_of_list(ct_list list)
{
    for (size_t i = 0; list.item && i < list.count; i++)
        if (ct_context_of(list.item[i]))
            return list.item[i]->handle.ctx;
    return NULL;
}
