/* Open addressing; nothing is ever removed. */
#include "trace/lookup.h"

/* The entry of the pair, or the free one where it belongs. */
static ct__lookup_entry *find(const ct__lookup *table, uint64_t a, uint64_t b)
{
    uint64_t hash = (a * 0x9E3779B97F4A7C15u ^ b) * 0xBF58476D1CE4E5B9u;
    size_t mask = table->capacity - 1, i = (size_t)(hash >> 32) & mask;

    while (table->entry[i].position > 0 && (table->entry[i].a != a || table->entry[i].b != b))
        i = (i + 1) & mask;
    return &table->entry[i];
}

bool ct__lookup_find(const ct__lookup *table, uint64_t a, uint64_t b, size_t *position)
{
    const ct__lookup_entry *entry = table->count > 0 ? find(table, a, b) : NULL;

    if (!entry || entry->position == 0)
        return false;
    *position = entry->position - 1;
    return true;
}

/* The table is at most half full. */
bool ct__lookup_reserve(const ct_allocator *allocator, ct__lookup *table)
{
    size_t bytes;

    if (table->count < table->capacity / 2)
        return true;
    ct__lookup grown = {table->count, table->capacity > 0 ? table->capacity * 2 : 16, NULL};
    if (!ct__mul_size(grown.capacity, sizeof *grown.entry, &bytes))
        return false;
    grown.entry = ct__alloc_zeroed(allocator, bytes);
    if (!grown.entry)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->entry[i].position > 0)
            *find(&grown, table->entry[i].a, table->entry[i].b) = table->entry[i];
    ct__lookup_free(allocator, table);
    *table = grown;
    return true;
}

void ct__lookup_add(ct__lookup *table, uint64_t a, uint64_t b, size_t position)
{
    *find(table, a, b) = (ct__lookup_entry){a, b, position + 1};
    table->count++;
}

void ct__lookup_set(ct__lookup *table, uint64_t a, uint64_t b, size_t position)
{
    find(table, a, b)->position = position + 1;
}

void ct__lookup_free(const ct_allocator *allocator, ct__lookup *table)
{
    ct__release(allocator, table->entry, table->capacity * sizeof *table->entry);
    *table = (ct__lookup){0, 0, NULL};
}
