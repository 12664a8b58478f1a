#include "ops/type.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Checking. */

ct_status ct__type_check(ct_dtype dtype, size_t rank, const int64_t *dim)
{
    int64_t size, bytes;

    if (ct_dtype_bytes(dtype) == 0)
        return CT_ERR_ARGUMENT;
    if (rank > CT__MAX_RANK)
        return CT_ERR_SHAPE;
    for (size_t d = 0; d < rank; d++)
        if (dim[d] < 0)
            return CT_ERR_SHAPE;
    if (!ct__count_elements(rank, dim, &size))
        return CT_ERR_RANGE;
    if (!ct__mul_i64(size, (int64_t)ct_dtype_bytes(dtype), &bytes) || bytes > PTRDIFF_MAX)
        return CT_ERR_RANGE;
    return CT_OK;
}

/* ---- Making: every constructor copies a description into one block. */

const ct_type *ct__type(ct__arena *arena, ct_dtype dtype, int rank, const int64_t *dim)
{
    ct_type type = {.kind = CT__TENSOR, .dtype = dtype, .rank = rank, .dim = dim};

    if (!ct__count_elements((size_t)rank, dim, &type.size))
        return NULL;
    return ct__type_copy(arena, &type);
}

const ct_type *ct__type_token(ct__arena *arena)
{
    return ct__type_copy(arena, &(ct_type){.kind = CT__TOKEN});
}

const ct_type *ct__type_tuple(ct__arena *arena, size_t count, const ct_type *const *element)
{
    return ct__type_copy(arena,
                         &(ct_type){.kind = CT__TUPLE, .n_elements = count, .element = element});
}

const ct_type *ct__type_stack(ct__arena *arena, const ct_type *element)
{
    return ct__type_copy(arena,
                         &(ct_type){.kind = CT__STACK, .n_elements = 1, .element = &element});
}

const ct_type *ct__type_copy(ct__arena *arena, const ct_type *type)
{
    void *memory = ct__arena_alloc(arena, ct__type_bytes(type));

    return memory ? ct__type_copy_into(memory, type) : NULL;
}

/* ---- A type in one block: itself, its extents, its quantization, pointers to its elements, its
 * elements' blocks. Each part is a multiple of 8 bytes. */

static size_t padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static size_t extents_bytes(const ct_type *type)
{
    return (size_t)type->rank * sizeof *type->dim;
}

/* Itself, its scales, its zero points. */
static size_t quantized_bytes(const ct__quantized *q)
{
    return q ? padded(sizeof *q) + q->n_scales * (sizeof *q->scale + sizeof *q->zero_point) : 0;
}

size_t ct__type_bytes(const ct_type *type)
{
    size_t bytes = padded(sizeof *type) + extents_bytes(type) + quantized_bytes(type->quantized) +
                   padded(type->n_elements * sizeof *type->element);

    for (size_t i = 0; i < type->n_elements; i++)
        bytes += ct__type_bytes(type->element[i]);
    return bytes;
}

static const ct__quantized *copy_quantized(void *memory, const ct__quantized *q)
{
    ct__quantized *copy = memory;
    double *scale = (void *)((unsigned char *)memory + padded(sizeof *q));
    int64_t *zero_point = (void *)(scale + q->n_scales);

    *copy = *q;
    if (q->n_scales > 0) {
        memcpy(scale, q->scale, q->n_scales * sizeof *scale);
        memcpy(zero_point, q->zero_point, q->n_scales * sizeof *zero_point);
    }
    copy->scale = scale;
    copy->zero_point = zero_point;
    return copy;
}

const ct_type *ct__type_copy_into(void *memory, const ct_type *type)
{
    unsigned char *next = memory;
    ct_type *copy = memory;
    int64_t *dim = (void *)(next + padded(sizeof *type));
    void *quantized = (unsigned char *)dim + extents_bytes(type);
    const ct_type **element = (void *)((unsigned char *)quantized +
                                       quantized_bytes(type->quantized));

    *copy = *type;
    copy->dim = dim;
    copy->element = element;
    if (type->rank > 0)
        memcpy(dim, type->dim, extents_bytes(type));
    if (type->quantized)
        copy->quantized = copy_quantized(quantized, type->quantized);
    next = (unsigned char *)element + padded(type->n_elements * sizeof *element);
    for (size_t i = 0; i < type->n_elements; i++) {
        element[i] = ct__type_copy_into(next, type->element[i]);
        next += ct__type_bytes(type->element[i]);
    }
    return copy;
}

/* ---- Asking. */

bool ct__shape_equal(const ct_type *a, const ct_type *b)
{
    if (a->rank != b->rank)
        return false;
    for (int d = 0; d < a->rank; d++)
        if (a->dim[d] != b->dim[d])
            return false;
    return true;
}

bool ct__type_equal(const ct_type *a, const ct_type *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->dtype != b->dtype || a->n_elements != b->n_elements)
        return false;
    for (size_t i = 0; i < a->n_elements; i++)
        if (!ct__type_equal(a->element[i], b->element[i]))
            return false;
    return ct__shape_equal(a, b) && ct__quantized_equal(a->quantized, b->quantized);
}

size_t ct__data_bytes(const ct_type *type)
{
    if (type->kind == CT__TUPLE)
        return ct__element_offset(type, type->n_elements);
    return type->kind == CT__TENSOR ? (size_t)type->size * ct_dtype_bytes(type->dtype) : 0;
}

size_t ct__element_offset(const ct_type *tuple, size_t i)
{
    size_t offset = 0;

    for (size_t k = 0; k < i; k++)
        offset = ct__add_aligned(offset, ct__data_bytes(tuple->element[k]));
    return offset;
}

bool ct__has_tangent(const ct_type *type)
{
    for (size_t i = 0; i < type->n_elements; i++)
        if (ct__has_tangent(type->element[i]))
            return true;
    return type->kind == CT__TENSOR && !type->quantized && type->dtype != CT_F8E8M0FNU &&
           (ct_dtype_is_float(type->dtype) || ct_dtype_is_complex(type->dtype));
}

bool ct__has_stack(const ct_type *type)
{
    bool any = type->kind == CT__STACK;

    for (size_t i = 0; i < type->n_elements && !any; i++)
        any = ct__has_stack(type->element[i]);
    return any;
}

/* ---- Printing. */

typedef struct writer {
    char *buffer;
    size_t bytes;
    size_t used; /* what the whole text takes so far, without the final 0 */
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    size_t room = w->used < w->bytes ? w->bytes - w->used : 0;
    int length;

    va_start(arguments, format);
    length = vsnprintf(room > 0 ? w->buffer + w->used : NULL, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        w->used += (size_t)length;
}

/* "0.5:-1"; a zero point of 0 is left out, as in StableHLO's text. */
static void put_scale(writer *w, const ct__quantized *q, size_t i)
{
    put(w, "%g", q->scale[i]);
    if (q->zero_point[i] != 0)
        put(w, ":%" PRId64, q->zero_point[i]);
}

/* "q<i8:f32,0.5:-1>", "q<i8<-127:127>:f32:1,{0.5,0.25}>" */
static void put_quantized(writer *w, ct_dtype storage, const ct__quantized *q)
{
    put(w, "q<%s", ct_dtype_name(storage));
    if (!ct__has_full_storage(storage, q))
        put(w, "<%" PRId64 ":%" PRId64 ">", q->storage_min, q->storage_max);
    put(w, ":%s", ct_dtype_name(q->expressed));
    if (q->axis < 0) {
        put(w, ",");
        put_scale(w, q, 0);
    } else {
        put(w, ":%d,{", q->axis);
        for (size_t i = 0; i < q->n_scales && w->used < w->bytes; i++) {
            put(w, "%s", i > 0 ? "," : "");
            put_scale(w, q, i);
        }
        put(w, "}");
    }
    put(w, ">");
}

static void put_type(writer *w, const ct_type *type)
{
    switch (type->kind) {
    case CT__TENSOR:
        if (type->quantized)
            put_quantized(w, type->dtype, type->quantized);
        else
            put(w, "%s", ct_dtype_name(type->dtype));
        put(w, "[");
        for (int d = 0; d < type->rank; d++)
            if (type->dim[d] < 0) /* of a template, in messages */
                put(w, "%s?", d > 0 ? "," : "");
            else
                put(w, "%s%" PRId64, d > 0 ? "," : "", type->dim[d]);
        put(w, "]");
        return;
    case CT__TOKEN: put(w, "token"); return;
    case CT__TUPLE:
    case CT__STACK:
        put(w, type->kind == CT__TUPLE ? "tuple<" : "stack<");
        for (size_t i = 0; i < type->n_elements; i++) {
            put(w, i > 0 ? "," : "");
            put_type(w, type->element[i]);
        }
        put(w, ">");
        return;
    }
}

const char *ct__type_print(const ct_type *type, char *buffer, size_t bytes)
{
    static const char cut[] = "…";
    writer w = {buffer, bytes, 0};

    if (bytes == 0)
        return buffer;
    buffer[0] = 0;
    put_type(&w, type);
    if (w.used >= bytes && bytes >= sizeof cut)
        memcpy(buffer + bytes - sizeof cut, cut, sizeof cut);
    return buffer;
}
