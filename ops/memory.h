/* Memory: the allocator, arenas, and size arithmetic that cannot overflow unseen. */
#ifndef CT_OPS_MEMORY_H
#define CT_OPS_MEMORY_H

#include <cotangent/context.h>

#include <stdalign.h>
#include <stddef.h>

/* Alignment of the elements of tensors, in bytes: a cache line, and the widest vector. */
#define CT__ALIGN 64

/* The C library's allocator. */
extern const ct_allocator ct__libc_allocator;

/* NULL on failure; never NULL for 0 bytes otherwise. Aligned for any C type, not cleared. */
void *ct__alloc(const ct_allocator *allocator, size_t bytes);
void *ct__alloc_zeroed(const ct_allocator *allocator, size_t bytes);
void *ct__alloc_elements(const ct_allocator *allocator, size_t bytes); /* aligned to CT__ALIGN */
void ct__release(const ct_allocator *allocator, void *memory, size_t bytes); /* NULL is allowed */

/* A growing array of `bytes` per element: makes room for at least `need`; *capacity counts
 * elements. */
bool ct__grow_more(const ct_allocator *allocator, void *array_pointer, size_t *capacity,
                   size_t need, size_t element_bytes);
static inline bool ct__grow(const ct_allocator *allocator, void *array_pointer, size_t *capacity,
                            size_t need, size_t element_bytes)
{
    return need <= *capacity ||
           ct__grow_more(allocator, array_pointer, capacity, need, element_bytes);
}

/* ---- Arenas: chunks that are released together. */

/* Under the address sanitizer every request gets a chunk of its own: it sees where one ends, and
 * every one can fail. */
#if defined(__SANITIZE_ADDRESS__)
#define CT__OWN_CHUNKS 1
#elif defined(__has_feature)
#define CT__OWN_CHUNKS __has_feature(address_sanitizer)
#else
#define CT__OWN_CHUNKS 0
#endif

#define CT__ARENA_UNIT alignof(max_align_t) /* what is given is whole units */

typedef struct ct__chunk ct__chunk;
typedef struct ct__arena {
    ct_allocator allocator;
    ct__chunk *newest;
    unsigned char *next; /* what is left of the newest chunk */
    size_t left;         /* bytes, whole units */
    bool failed;         /* an allocation failed; stays true until a reset */
} ct__arena;

void ct__arena_init(ct__arena *arena, const ct_allocator *allocator);
void ct__arena_free(ct__arena *arena);
/* Forget the contents; keeps one chunk for later use. */
void ct__arena_reset(ct__arena *arena);
void *ct__arena_extend(ct__arena *arena, size_t bytes); /* by a chunk, if there is need */
/* Aligned for any C type, not cleared; NULL on failure. */
static inline void *ct__arena_alloc(ct__arena *arena, size_t bytes)
{
    if (bytes >= arena->left)
        return ct__arena_extend(arena, bytes);
    const size_t padded = (bytes + CT__ARENA_UNIT - 1) / CT__ARENA_UNIT * CT__ARENA_UNIT;
    unsigned char *memory = arena->next;
    arena->next += padded;
    arena->left -= padded;
    return memory;
}
void *ct__arena_copy(ct__arena *arena, const void *data, size_t bytes);
char *ct__arena_text(ct__arena *arena, const char *text); /* NULL for NULL */
#define CT__NEW(arena, type) ((type *)ct__arena_zeroed(arena, sizeof(type)))
#define CT__NEW_ARRAY(arena, type, count) ((type *)ct__arena_array(arena, count, sizeof(type)))
void *ct__arena_zeroed(ct__arena *arena, size_t bytes);
/* ct__grow in an arena, which keeps the shorter array, too. */
bool ct__arena_grow(ct__arena *arena, void *array_pointer, size_t *capacity, size_t need,
                    size_t element_bytes);
void *ct__arena_array(ct__arena *arena, size_t count, size_t element_bytes); /* zeroed, checked */

/* ---- Checked arithmetic: false when the result does not fit. */

bool ct__add_i64(int64_t a, int64_t b, int64_t *sum);
bool ct__mul_i64(int64_t a, int64_t b, int64_t *product);
bool ct__mul_size(size_t a, size_t b, size_t *product);
/* The product of two extents, INT64_MAX where it does not fit. A running product of extents may
 * reach that only in a tensor without elements; a zero extent still makes it 0. */
int64_t ct__mul_extents(int64_t a, int64_t b);
/* offset + bytes, rounded up to a multiple of CT__ALIGN; SIZE_MAX when that is too much. */
size_t ct__add_aligned(size_t offset, size_t bytes);
/* The product of extents, 1 for none. Zero wins over overflow only where a zero extent stands. */
bool ct__count_elements(size_t rank, const int64_t *dim, int64_t *count);

#endif
