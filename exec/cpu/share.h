/* Rows of a step that threads share.
 *
 * Rows know nothing of each other, so that it changes no bit who computes which of them. Each
 * thread has a scratch of its own. */
#ifndef CT_EXEC_CPU_SHARE_H
#define CT_EXEC_CPU_SHARE_H

#include "exec/threads.h"

/* Computes the rows first … end - 1. */
typedef void ct__rows_function(void *user, size_t first, size_t end, unsigned char *scratch);

/* All rows, in parts that begin at multiples of `unit`. The scratch has scratch_bytes for each of
 * the threads. */
typedef struct ct__sharing {
    ct__threads *threads; /* NULL: the caller alone */
    size_t rows, unit;
    unsigned char *scratch;
    size_t scratch_bytes;
    ct__rows_function *compute;
    void *user;
} ct__sharing;

void ct__share_rows(ct__sharing *s);

#endif
