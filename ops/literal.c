#include "ops/literal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Storage. */

ct__storage *ct__storage_new(const ct_allocator *allocator, size_t bytes)
{
    ct__storage *storage = ct__alloc(allocator, sizeof *storage);

    if (!storage)
        return NULL;
    atomic_init(&storage->references, 1);
    storage->allocator = *allocator;
    storage->bytes = bytes;
    storage->data = ct__alloc_elements(allocator, bytes);
    if (!storage->data) {
        ct__release(allocator, storage, sizeof *storage);
        return NULL;
    }
    return storage;
}

ct__storage *ct__storage_retain(ct__storage *storage)
{
    atomic_fetch_add_explicit(&storage->references, 1, memory_order_relaxed);
    return storage;
}

void ct__storage_release(ct__storage *storage)
{
    ct_allocator allocator;

    if (!storage || atomic_fetch_sub_explicit(&storage->references, 1, memory_order_acq_rel) > 1)
        return;
    allocator = storage->allocator;
    ct__release(&allocator, storage->data, storage->bytes);
    ct__release(&allocator, storage, sizeof *storage);
}

/* ---- Literals. A literal is one block: itself, its strides, its type. */

static size_t stride_bytes(const ct_type *type)
{
    return (size_t)type->rank * sizeof(int64_t);
}

static size_t literal_bytes(const ct_type *type)
{
    return sizeof(ct__literal) + stride_bytes(type) + ct__type_bytes(type);
}

ct__literal *ct__literal_new(ct__storage *storage, const ct_type *type, int64_t offset,
                             const int64_t *stride)
{
    ct__literal *literal = ct__alloc(&storage->allocator, literal_bytes(type));
    int64_t *own_stride;

    if (!literal) {
        ct__storage_release(storage);
        return NULL;
    }
    own_stride = (void *)(literal + 1);
    if (stride && type->rank > 0)
        memcpy(own_stride, stride, stride_bytes(type));
    else
        ct__row_major(type->rank, type->dim, own_stride);
    atomic_init(&literal->references, 1);
    literal->storage = storage;
    literal->type = ct__type_copy_into(own_stride + type->rank, type);
    literal->offset = offset;
    literal->stride = own_stride;
    return literal;
}

ct__literal *ct__literal_retain(ct__literal *literal)
{
    atomic_fetch_add_explicit(&literal->references, 1, memory_order_relaxed);
    return literal;
}

void ct__literal_release(ct__literal *literal)
{
    ct__storage *storage;

    if (!literal || atomic_fetch_sub_explicit(&literal->references, 1, memory_order_acq_rel) > 1)
        return;
    storage = literal->storage;
    ct__release(&storage->allocator, literal, literal_bytes(literal->type));
    ct__storage_release(storage);
}

/* ---- Layout. */

/* Where an extent is 0 there are no elements, and products of the others may overflow: strides are
 * 0 there. */
void ct__row_major(int rank, const int64_t *dim, int64_t *stride)
{
    int64_t step = 1;

    for (int d = 0; d < rank; d++)
        if (dim[d] == 0)
            step = 0;
    for (int d = rank - 1; d >= 0; d--) {
        stride[d] = step;
        step *= dim[d];
    }
}

void ct__coordinates(int rank, const int64_t *dim, int64_t element, int64_t *index)
{
    for (int d = rank - 1; d >= 0; element /= dim[d], d--)
        index[d] = element % dim[d];
}

void ct__print_at(const ct_type *type, int64_t element, char text[CT__AT_BYTES])
{
    int64_t index[CT__MAX_RANK];
    size_t length = 0;

    ct__coordinates(type->rank, type->dim, element, index);
    for (int d = 0; d < type->rank; d++)
        length += (size_t)snprintf(text + length, CT__AT_BYTES - length, "%s%" PRId64,
                                   d == 0 ? " at [" : ",", index[d]);
    snprintf(text + length, CT__AT_BYTES - length, type->rank > 0 ? "]" : "");
}

bool ct__literal_is_contiguous(const ct__literal *literal)
{
    const ct_type *type = literal->type;
    int64_t step = 1;

    if (type->size == 0)
        return true;
    for (int d = type->rank - 1; d >= 0; d--) {
        if (type->dim[d] > 1 && literal->stride[d] != step)
            return false;
        step *= type->dim[d];
    }
    return true;
}

bool ct__literal_is_splat(const ct__literal *literal)
{
    const ct_type *type = literal->type;

    for (int d = 0; d < type->rank; d++)
        if (type->dim[d] > 1 && literal->stride[d] != 0)
            return false;
    return type->size > 0;
}

const void *ct__literal_first(const ct__literal *literal)
{
    return literal->storage->data + (size_t)literal->offset * ct_dtype_bytes(literal->type->dtype);
}

/* ---- Walking rows (the last axis) in row-major order. */

typedef struct rows {
    const ct__literal *literal;
    const unsigned char *first; /* the element at which the current row begins */
    int64_t index[CT__MAX_RANK];
    int64_t length, step; /* of a row: elements, bytes between them */
    bool done;
} rows;

static int64_t element_bytes(const ct__literal *literal)
{
    return (int64_t)ct_dtype_bytes(literal->type->dtype);
}

static rows rows_of(const ct__literal *literal)
{
    const ct_type *type = literal->type;
    rows r = {.literal = literal, .length = 1, .done = type->size == 0};

    if (!r.done)
        r.first = ct__literal_first(literal);
    if (type->rank > 0) {
        r.length = type->dim[type->rank - 1];
        r.step = literal->stride[type->rank - 1] * element_bytes(literal);
    }
    return r;
}

static void next_row(rows *r)
{
    const ct_type *type = r->literal->type;

    for (int d = type->rank - 2; d >= 0; d--) {
        const int64_t step = r->literal->stride[d] * element_bytes(r->literal);

        if (++r->index[d] < type->dim[d]) {
            r->first += step;
            return;
        }
        r->first -= step * (type->dim[d] - 1);
        r->index[d] = 0;
    }
    r->done = true;
}

/* Copies of a fixed size are single moves. */
#define COPY(size)                                                                                 \
    for (int64_t i = 0; i < count; i++)                                                            \
        memcpy(out + i * (size), from + i * step, (size));                                         \
    return;

static void copy_row(unsigned char *out, const unsigned char *from, int64_t count, int64_t step,
                     int64_t bytes)
{
    switch (bytes) {
    case 1: COPY(1)
    case 2: COPY(2)
    case 4: COPY(4)
    case 8: COPY(8)
    default: COPY(16)
    }
}

void ct__literal_copy_out(const ct__literal *literal, void *out)
{
    const int64_t bytes = element_bytes(literal);
    unsigned char *next = out;

    if (literal->type->size == 0 && literal->type->kind == CT__TENSOR)
        return;
    if (ct__literal_is_contiguous(literal)) {
        memcpy(out, ct__literal_first(literal), ct__data_bytes(literal->type));
        return;
    }
    for (rows r = rows_of(literal); !r.done; next_row(&r)) {
        copy_row(next, r.first, r.length, r.step, bytes);
        next += r.length * bytes;
    }
}

/* Elements of values; what lies between them does not count. */
static bool data_equal(const ct_type *type, const unsigned char *a, const unsigned char *b)
{
    if (type->kind != CT__TUPLE)
        return ct__data_bytes(type) == 0 || memcmp(a, b, ct__data_bytes(type)) == 0;
    for (size_t i = 0; i < type->n_elements; i++) {
        const size_t at = ct__element_offset(type, i);
        if (!data_equal(type->element[i], a + at, b + at))
            return false;
    }
    return true;
}

static bool rows_equal(const rows *x, const rows *y, size_t bytes)
{
    const int64_t length = x->step == 0 && y->step == 0 ? 1 : x->length;
    if (x->step == (int64_t)bytes && y->step == (int64_t)bytes)
        return memcmp(x->first, y->first, (size_t)x->length * bytes) == 0;
    for (int64_t i = 0; i < length; i++)
        if (memcmp(x->first + i * x->step, y->first + i * y->step, bytes) != 0)
            return false;
    return true;
}

bool ct__literal_equal(const ct__literal *a, const ct__literal *b)
{
    const size_t bytes = (size_t)element_bytes(a);
    rows x, y;

    if (a == b)
        return true;
    if (!ct__type_equal(a->type, b->type))
        return false;
    if (a->type->kind != CT__TENSOR)
        return data_equal(a->type, ct__literal_first(a), ct__literal_first(b));
    if (ct__literal_is_splat(a) && ct__literal_is_splat(b))
        return memcmp(ct__literal_first(a), ct__literal_first(b), bytes) == 0;
    x = rows_of(a);
    y = rows_of(b);
    for (; !x.done && !y.done; next_row(&x), next_row(&y))
        if (!rows_equal(&x, &y, bytes))
            return false;
    return true;
}

bool ct__literal_integer(const ct__literal *literal, int64_t *value)
{
    if (!literal || literal->type->kind != CT__TENSOR || literal->type->rank != 0 ||
        !ct_dtype_is_integer(literal->type->dtype))
        return false;
    const ct_dtype dtype = literal->type->dtype;
    if (dtype != CT_I64 && dtype != CT_U64) {
        *value = (int64_t)ct__load_double(dtype, ct__literal_first(literal));
        return true;
    }
    memcpy(value, ct__literal_first(literal), sizeof *value);
    return dtype == CT_I64 || *value >= 0;
}
