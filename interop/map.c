#include "interop/map.h"

#include <string.h>

void ct__map_init(ct__map *map, ct__arena *arena)
{
    *map = (ct__map){.arena = arena};
}

/* FNV-1a. */
uint64_t ct__hash(const void *key, size_t bytes)
{
    const unsigned char *byte = key;
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ byte[i]) * UINT64_C(1099511628211);
    return h ^ (h >> 32);
}

/* The slot that holds the key, or the free one where it belongs. n_slots is a power of two and more
 * than half of them are free. */
static size_t *find_slot(const ct__map *map, const void *key, size_t bytes)
{
    size_t i = (size_t)ct__hash(key, bytes) & (map->n_slots - 1);
    for (; map->slot[i]; i = (i + 1) & (map->n_slots - 1)) {
        const ct__map_entry *entry = &map->entry[map->slot[i] - 1];
        if (entry->bytes == bytes && memcmp(entry->key, key, bytes) == 0)
            break;
    }
    return &map->slot[i];
}

/* Twice the room. Entries are entered again in order of insertion, as truncation needs. */
static bool grow(ct__map *map)
{
    size_t capacity = map->capacity ? 2 * map->capacity : 16;
    ct__map_entry *entry = CT__NEW_ARRAY(map->arena, ct__map_entry, capacity);
    size_t *slot = CT__NEW_ARRAY(map->arena, size_t, 2 * capacity);
    if (!entry || !slot)
        return false;
    if (map->n_entries)
        memcpy(entry, map->entry, map->n_entries * sizeof *entry);
    map->entry = entry;
    map->capacity = capacity;
    map->slot = slot;
    map->n_slots = 2 * capacity;
    for (size_t i = 0; i < map->n_entries; i++)
        *find_slot(map, entry[i].key, entry[i].bytes) = i + 1;
    return true;
}

ct__map_entry *ct__map_find(const ct__map *map, const void *key, size_t bytes)
{
    if (map->n_entries == 0)
        return NULL;
    size_t found = *find_slot(map, key, bytes);
    return found ? &map->entry[found - 1] : NULL;
}

ct__map_entry *ct__map_add(ct__map *map, const void *key, size_t bytes)
{
    if (map->n_entries == map->capacity && !grow(map))
        return NULL;
    char *copy = ct__arena_alloc(map->arena, bytes + 1);
    if (!copy)
        return NULL;
    memcpy(copy, key, bytes);
    copy[bytes] = '\0';
    ct__map_entry *entry = &map->entry[map->n_entries++];
    *entry = (ct__map_entry){.key = copy, .bytes = bytes};
    *find_slot(map, key, bytes) = map->n_entries;
    return entry;
}

ct__map_entry *ct__map_find_pointer(const ct__map *map, const void *pointer)
{
    return ct__map_find(map, (const void *)&pointer, sizeof pointer);
}

ct__map_entry *ct__map_add_pointer(ct__map *map, const void *pointer)
{
    return ct__map_add(map, (const void *)&pointer, sizeof pointer);
}

const void *ct__map_pointer(const ct__map_entry *entry)
{
    const void *pointer;
    memcpy((void *)&pointer, entry->key, sizeof pointer);
    return pointer;
}

/* In the reverse order of insertion each removed entry is the last one of its chain, so emptying
 * its slot breaks no chain. */
void ct__map_truncate(ct__map *map, size_t n_entries)
{
    while (map->n_entries > n_entries) {
        const ct__map_entry *entry = &map->entry[map->n_entries - 1];
        *find_slot(map, entry->key, entry->bytes) = 0;
        map->n_entries--;
    }
}
