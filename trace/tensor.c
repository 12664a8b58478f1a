#include "trace/trace.h"

#include <string.h>

static void finish_tensor(ct__handle *handle)
{
    ct_tensor *x = (ct_tensor *)handle;
    ct__literal_release(x->literal);
    ct__release(&handle->ctx->allocator, x->name, x->name_bytes);
}

/* A header with its own copy of the type behind it, so that the type lives as long as the header.
 */
static ct_tensor *new_header(ct_context *ctx, ct_place at, const char *origin, const ct_type *type)
{
    size_t bytes = sizeof(ct_tensor) + ct__type_bytes(type);
    ct_tensor *x = ct__handle_new(ctx, CT__HANDLE_TENSOR, bytes, finish_tensor);
    if (!x)
        return NULL;
    x->type = ct__type_copy_into(x + 1, type);
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
    ct__release(allocator, x->name, x->name_bytes);
    x->name = copy;
    x->name_bytes = bytes;
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
