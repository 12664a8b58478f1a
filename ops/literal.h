/* Concrete data: counted storage, and literals, which are typed views of it. */
#ifndef CT_OPS_LITERAL_H
#define CT_OPS_LITERAL_H

#include "ops/type.h"

#include <stdatomic.h>

/* Immutable once it is shared. Released when the last literal or tensor lets go of it. */
typedef struct ct__storage {
    atomic_size_t references;
    ct_allocator allocator;
    size_t bytes;
    unsigned char *data; /* CT__ALIGN-aligned */
} ct__storage;

ct__storage *ct__storage_new(const ct_allocator *allocator, size_t bytes); /* NULL on failure */
ct__storage *ct__storage_retain(ct__storage *storage);
void ct__storage_release(ct__storage *storage); /* NULL is allowed */

/* Element i of a view lies at data + offset + Σ i[d]·stride[d]; all in elements, strides of any
 * sign and 0. A literal is immutable and counted; it holds its storage. A tuple's data is the whole
 * storage. */
typedef struct ct__literal {
    atomic_size_t references;
    ct__storage *storage;
    const ct_type *type;
    int64_t offset;
    const int64_t *stride; /* type->rank of them */
} ct__literal;

/* A view; stride NULL: row-major. Takes over one reference of storage, also when it fails. */
ct__literal *ct__literal_new(ct__storage *storage, const ct_type *type, int64_t offset,
                             const int64_t *stride);
ct__literal *ct__literal_retain(ct__literal *literal);
void ct__literal_release(ct__literal *literal); /* NULL is allowed */

/* Strides of contiguous data; all 0 where an extent is 0. */
void ct__row_major(int rank, const int64_t *dim, int64_t *stride);
/* Where the element of this number is, in row-major order; no extent is 0. */
void ct__coordinates(int rank, const int64_t *dim, int64_t element, int64_t *index);
/* " at [2,0]"; nothing for a scalar. */
enum { CT__AT_BYTES = 32 + CT__MAX_RANK * 21 };
void ct__print_at(const ct_type *type, int64_t element, char text[CT__AT_BYTES]);
bool ct__literal_is_contiguous(const ct__literal *literal);
bool ct__literal_is_splat(const ct__literal *literal); /* has a first element, and all are it */
/* The first element (of a literal that has one). */
const void *ct__literal_first(const ct__literal *literal);
/* A rank-0 integer; false for other literals, NULL, and what an int64_t cannot hold. */
bool ct__literal_integer(const ct__literal *literal, int64_t *value);
/* Copy all elements in row-major order to out. */
void ct__literal_copy_out(const ct__literal *literal, void *out);
/* Same type and layout-independent contents, bit by bit. */
bool ct__literal_equal(const ct__literal *a, const ct__literal *b);

#endif
