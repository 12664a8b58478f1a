/* A table from byte strings to values, kept in order of insertion. */
#ifndef CT_INTEROP_MAP_H
#define CT_INTEROP_MAP_H

#include "ops/memory.h"

typedef struct ct__map_entry {
    const void *key; /* in the map's arena, followed by a 0 byte */
    size_t bytes;
    const void *value; /* both are the owner's, and 0 at first */
    size_t count;
} ct__map_entry;

/* Memory comes from the arena and goes with it; there is nothing to free. */
typedef struct ct__map {
    ct__arena *arena;
    ct__map_entry *entry; /* in order of insertion; moves when the map grows */
    size_t n_entries, capacity;
    size_t *slot; /* open addressing: index of an entry + 1; 0 is free */
    size_t n_slots;
} ct__map;

uint64_t ct__hash(const void *key, size_t bytes);
void ct__map_init(ct__map *map, ct__arena *arena);
ct__map_entry *ct__map_find(const ct__map *map, const void *key, size_t bytes); /* or NULL */
/* A new entry for a key that is not in the map; NULL when memory is short. */
ct__map_entry *ct__map_add(ct__map *map, const void *key, size_t bytes);
/* The same with a pointer, not what it points to, as the key. */
ct__map_entry *ct__map_find_pointer(const ct__map *map, const void *pointer);
ct__map_entry *ct__map_add_pointer(ct__map *map, const void *pointer);
const void *ct__map_pointer(const ct__map_entry *entry);
/* Forget all entries but the first n_entries. */
void ct__map_truncate(ct__map *map, size_t n_entries);

#endif
