/* A few threads that share the tiles of one operation after the other.
 *
 * What is a tile depends on the operation's shape alone, and so do its results: neither the number
 * of threads nor who takes which tile changes a bit. The threads are created when they are first
 * needed; a pool is for one operation at a time: whoever finds it taken, another call of the same
 * executable or an operation inside of a tile, does its tiles alone. So does a child of fork, which
 * has none of the threads. Every function may be called by many threads at once. */
#ifndef CT_EXEC_THREADS_H
#define CT_EXEC_THREADS_H

#include <cotangent/context.h>

#include <stddef.h>

typedef struct ct__threads ct__threads;

enum { CT__MOST_THREADS = 64 };

/* With the caller, so many threads, at most CT__MOST_THREADS; NULL when memory is short. */
ct__threads *ct__threads_new(const ct_allocator *allocator, size_t count);
void ct__threads_free(ct__threads *t); /* NULL is allowed */
/* 1 for NULL: the caller alone. */
size_t ct__threads_count(const ct__threads *t);

/* Tile `tile`; no two threads have the same `worker`, which is below the count, at a time. */
typedef void ct__tile_function(void *user, size_t tile, size_t worker);

/* Calls f for the tiles 0 … n - 1, in any order, and returns when all are done. */
void ct__parallel(ct__threads *t, size_t n, ct__tile_function *f, void *user);

/* The numbers first … end - 1. */
typedef void ct__range_function(void *user, size_t first, size_t end, size_t worker);

/* The same for tiles that are `each` of the numbers 0 … n - 1. */
void ct__parallel_ranges(ct__threads *t, size_t n, size_t each, ct__range_function *f, void *user);
/* The same for tiles that begin at multiples of `unit`: some for each thread. */
void ct__parallel_units(ct__threads *t, size_t n, size_t unit, ct__range_function *f, void *user);

#endif
