#include "ops/memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

/* ---- The C library's allocator. */

enum { LARGE = 4 << 20 };

/* Large pages spare large blocks most faults when they are first touched, and misses of the table
 * of pages ever after. */
static void *advised(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    enum { PAGE = 4096 };
    const uintptr_t begin = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)block + bytes) / PAGE * PAGE;
    if (block && bytes >= LARGE)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* or else small ones */
#else
    (void)bytes;
#endif
    return block;
}

static void *libc_allocate(void *user, size_t bytes, size_t align)
{
    (void)user;
    if (align <= alignof(max_align_t)) /* most blocks; malloc is quicker */
        return advised(malloc(bytes), bytes);
    if (bytes > SIZE_MAX - (align - 1))
        return NULL;
    return advised(aligned_alloc(align, (bytes + align - 1) / align * align), bytes);
}

static void libc_release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

const ct_allocator ct__libc_allocator = {sizeof(ct_allocator), NULL, libc_allocate, libc_release};

/* ---- Blocks. An empty block is one byte, so that NULL always means failure. */

static size_t block_bytes(size_t bytes)
{
    return bytes > 0 ? bytes : 1;
}

void *ct__alloc(const ct_allocator *allocator, size_t bytes)
{
    return allocator->allocate(allocator->user, block_bytes(bytes), alignof(max_align_t));
}

void *ct__alloc_elements(const ct_allocator *allocator, size_t bytes)
{
    return allocator->allocate(allocator->user, block_bytes(bytes), CT__ALIGN);
}

void *ct__alloc_zeroed(const ct_allocator *allocator, size_t bytes)
{
    void *memory = ct__alloc(allocator, bytes);

    if (memory)
        memset(memory, 0, block_bytes(bytes));
    return memory;
}

void ct__release(const ct_allocator *allocator, void *memory, size_t bytes)
{
    if (memory)
        allocator->release(allocator->user, memory, block_bytes(bytes));
}

/* What is advised is copied into pages that are large from the beginning: the C library would move
 * small ones, or bytes into them. NULL, and the old block, when memory is short. */
static void *resize(const ct_allocator *allocator, void *old, size_t old_bytes, size_t bytes)
{
    if (allocator->allocate == libc_allocate && bytes < LARGE)
        return realloc(old, block_bytes(bytes));
    void *larger = ct__alloc(allocator, bytes);

    if (larger && old) {
        memcpy(larger, old, old_bytes);
        ct__release(allocator, old, old_bytes);
    }
    return larger;
}

/* The next capacity, at least `need`, and its bytes; false where there are too many. */
static bool next_capacity(size_t capacity, size_t need, size_t element_bytes, size_t *wanted,
                          size_t *bytes)
{
    *wanted = capacity > SIZE_MAX / 2 ? need : capacity * 2;
    *wanted = *wanted < need ? need : *wanted;
    *wanted = *wanted < 8 ? 8 : *wanted;
    return ct__mul_size(*wanted, element_bytes, bytes);
}

/* `array_pointer` is the address of a pointer of any object type; it is read and written as bytes,
 * for a T * is not a void *. */
bool ct__grow_more(const ct_allocator *allocator, void *array_pointer, size_t *capacity,
                   size_t need, size_t element_bytes)
{
    size_t wanted, bytes;
    void *array, *larger;

    if (!next_capacity(*capacity, need, element_bytes, &wanted, &bytes))
        return false;
    memcpy(&array, array_pointer, sizeof array);
    larger = resize(allocator, array, array ? *capacity * element_bytes : 0, bytes);
    if (!larger)
        return false;
    memcpy(array_pointer, &larger, sizeof larger);
    *capacity = wanted;
    return true;
}

/* ---- Arenas. */

struct ct__chunk {
    ct__chunk *previous;
    size_t bytes; /* of the whole block, this header included */
    size_t usual; /* size of the arena's chunks by now; this one's, unless a request took more */
};

enum {
    UNIT = CT__ARENA_UNIT,
    HEADER = (sizeof(ct__chunk) + UNIT - 1) / UNIT * UNIT,
    FIRST_CHUNK = 512, /* many arenas hold a name and a type */
    LARGEST_CHUNK = 2 * LARGE
};

void ct__arena_init(ct__arena *arena, const ct_allocator *allocator)
{
    arena->allocator = *allocator;
    arena->newest = NULL;
    arena->next = NULL;
    arena->left = 0;
    arena->failed = false;
}

/* All of the newest chunk, if there is one, is left. */
static void begin_chunk(ct__arena *arena)
{
    ct__chunk *chunk = arena->newest;
    arena->next = chunk ? (unsigned char *)chunk + HEADER : NULL;
    arena->left = chunk ? (chunk->bytes - HEADER) / UNIT * UNIT : 0;
}

static void free_chunks(ct__arena *arena, ct__chunk *chunk)
{
    while (chunk) {
        ct__chunk *previous = chunk->previous;

        ct__release(&arena->allocator, chunk, chunk->bytes);
        chunk = previous;
    }
}

void ct__arena_free(ct__arena *arena)
{
    free_chunks(arena, arena->newest);
    arena->newest = NULL;
    begin_chunk(arena);
}

/* A chunk beyond the usual size was made for one large request; it is not worth keeping. */
void ct__arena_reset(ct__arena *arena)
{
    ct__chunk *keep = arena->newest;

    arena->failed = false;
    if (!keep)
        return;
    free_chunks(arena, keep->previous);
    keep->previous = NULL;
    begin_chunk(arena);
    if (keep->bytes > LARGEST_CHUNK)
        ct__arena_free(arena);
}

/* A new chunk with room for `bytes`: twice the last one, within bounds. */
static bool add_chunk(ct__arena *arena, size_t bytes)
{
    const size_t last = arena->newest ? arena->newest->usual : FIRST_CHUNK / 2;
    const size_t usual = last < LARGEST_CHUNK / 2 ? last * 2 : LARGEST_CHUNK;

    if (bytes > SIZE_MAX - HEADER)
        return false;
    const size_t total = usual < bytes + HEADER || CT__OWN_CHUNKS ? bytes + HEADER : usual;
    ct__chunk *chunk = ct__alloc(&arena->allocator, total);
    if (!chunk)
        return false;
    *chunk = (ct__chunk){arena->newest, total, usual};
    arena->newest = chunk;
    begin_chunk(arena);
    return true;
}

void *ct__arena_extend(ct__arena *arena, size_t bytes)
{
    const size_t padded = bytes > SIZE_MAX - UNIT ? SIZE_MAX : (bytes + UNIT - 1) / UNIT * UNIT;

    if ((!arena->newest || padded > arena->left) && !add_chunk(arena, padded)) {
        arena->failed = true;
        return NULL;
    }
    void *memory = arena->next;
    arena->next += padded;
    arena->left -= padded;
    return memory;
}

void *ct__arena_copy(ct__arena *arena, const void *data, size_t bytes)
{
    void *copy = ct__arena_alloc(arena, bytes);

    if (copy && bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

char *ct__arena_text(ct__arena *arena, const char *text)
{
    return text ? ct__arena_copy(arena, text, strlen(text) + 1) : NULL;
}

/* Most requests are a few units, which take less than a call. */
void *ct__arena_zeroed(ct__arena *arena, size_t bytes)
{
    unsigned char *memory = ct__arena_alloc(arena, bytes);
    static const unsigned char zeros[UNIT];

    if (!memory)
        return NULL;
    if (bytes > 8 * UNIT)
        return memset(memory, 0, bytes);
    for (size_t at = 0; at < bytes; at += UNIT)
        memcpy(memory + at, zeros, UNIT);
    return memory;
}

void *ct__arena_array(ct__arena *arena, size_t count, size_t element_bytes)
{
    size_t bytes;

    if (!ct__mul_size(count, element_bytes, &bytes)) {
        arena->failed = true;
        return NULL;
    }
    return ct__arena_zeroed(arena, bytes);
}

bool ct__arena_grow(ct__arena *arena, void *array_pointer, size_t *capacity, size_t need,
                    size_t element_bytes)
{
    size_t wanted, bytes;
    void *array, *larger;

    if (need <= *capacity)
        return true;
    if (!next_capacity(*capacity, need, element_bytes, &wanted, &bytes))
        arena->failed = true;
    larger = arena->failed ? NULL : ct__arena_alloc(arena, bytes);
    if (!larger)
        return false;
    memcpy(&array, array_pointer, sizeof array);
    if (array)
        memcpy(larger, array, *capacity * element_bytes);
    memcpy(array_pointer, &larger, sizeof larger);
    *capacity = wanted;
    return true;
}

/* ---- Checked arithmetic. */

bool ct__add_i64(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

bool ct__mul_i64(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

bool ct__mul_size(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

int64_t ct__mul_extents(int64_t a, int64_t b)
{
    int64_t product;

    return ct__mul_i64(a, b, &product) ? product : INT64_MAX;
}

size_t ct__add_aligned(size_t offset, size_t bytes)
{
    const size_t sum = offset + bytes, most = SIZE_MAX - (CT__ALIGN - 1);

    return sum < offset || sum > most ? SIZE_MAX : (sum + CT__ALIGN - 1) / CT__ALIGN * CT__ALIGN;
}

bool ct__count_elements(size_t rank, const int64_t *dim, int64_t *count)
{
    int64_t product = 1;
    bool fits = true;

    for (size_t d = 0; d < rank; d++) {
        if (dim[d] == 0) {
            *count = 0;
            return true;
        }
        fits = fits && ct__mul_i64(product, dim[d], &product);
    }
    *count = product;
    return fits;
}
