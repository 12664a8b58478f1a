/* A hash table from pairs of numbers to positions. Zeroed memory is an empty one. */
#ifndef CT_TRACE_LOOKUP_H
#define CT_TRACE_LOOKUP_H

#include "ops/memory.h"

typedef struct ct__lookup_entry {
    uint64_t a, b;
    size_t position; /* + 1; 0 is a free entry */
} ct__lookup_entry;

typedef struct ct__lookup {
    size_t count, capacity; /* a power of 2, at least twice the count; 0 while empty */
    ct__lookup_entry *entry;
} ct__lookup;

bool ct__lookup_find(const ct__lookup *table, uint64_t a, uint64_t b, size_t *position);
/* Room for one more pair; false when memory is short. Then add one that is not there yet. */
bool ct__lookup_reserve(const ct_allocator *allocator, ct__lookup *table);
void ct__lookup_add(ct__lookup *table, uint64_t a, uint64_t b, size_t position);
void ct__lookup_set(ct__lookup *table, uint64_t a, uint64_t b, size_t position); /* of one there */
void ct__lookup_free(const ct_allocator *allocator, ct__lookup *table);

#endif
