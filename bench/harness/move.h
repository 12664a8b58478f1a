/* Copying as fast as the machine can, to be compared with. */
#ifndef BENCH_HARNESS_MOVE_H
#define BENCH_HARNESS_MOVE_H

#include <stdbool.h>
#include <stddef.h>

/* Two blocks of so many bytes, aligned to 64 and a multiple of 4096. */
typedef struct blocks {
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
} blocks;

/* `user` is blocks; all return true. By the C library; a page at a time, through the cache, as a
 * loop writes what is read again soon; and past the cache. */
bool copy_blocks(void *user);
bool copy_through_cache(void *user);
bool copy_past_cache(void *user);

#endif
