/* Rows of a step that threads share.
 *
 * Rows know nothing of each other but in folds that run from tile to tile, which threads leave to
 * be joined by blocks that their shape alone decides: so it changes no bit who computes which of
 * them. Each thread has a scratch of its own. */
#ifndef CT_EXEC_CPU_SHARE_H
#define CT_EXEC_CPU_SHARE_H

#include "exec/cpu/tiles.h"
#include "exec/threads.h"

/* Computes the rows first … end - 1. */
typedef void ct__rows_function(void *user, size_t first, size_t end, unsigned char *scratch);

typedef struct ct__sharing {
    const ct__tiles *tiles;
    size_t rows, unit; /* as the function has them: the tiles', or some of these in each */
    const void *const *in;
    void *const *out;
    unsigned char *scratch; /* ct__sharing_bytes */
    size_t scratch_bytes;   /* of one thread */
    ct__rows_function *compute;
    void *user;
} ct__sharing;

/* Of the tiles, where each of the threads needs so many. */
size_t ct__sharing_bytes(const ct__tiles *tiles, size_t scratch_bytes);

/* All rows; where the tiles have threads, in parts that begin at multiples of the unit. */
void ct__share_rows(ct__sharing *s);

#endif
