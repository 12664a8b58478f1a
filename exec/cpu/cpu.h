/* The tile machine: the interpreter's plan in machine numerics, with operations on elements run
 * several at a time, tile by tile, so that what is between them stays in the cache.
 *
 *   divide.c       which nodes are one step: when each goes    parts.c   where
 *   views.c        what is read at index maps                  again.c   what is not kept
 *   make_tiles.c   such a step made ready        tiles.c   and run: share.c   by threads */
#ifndef CT_EXEC_CPU_H
#define CT_EXEC_CPU_H

#include "exec/interpret/interpret.h"

/* Divides a graph into parts: fills parting->part. False when memory is short. */
bool ct__divide(ct__parting *parting);

/* Whether the node is a fold that has loops. */
bool ct__is_fold(const ct__graph *graph, const ct__node *node, ct__fold_shape *shape);
/* Whether it folds rows that stay in the cache. */
bool ct__is_row_fold(const ct__fold_shape *shape);
/* Whether it is one element per row over rows of so many columns. */
bool ct__is_row_view(const ct__index_view *view, int64_t rows, int64_t columns);

enum { CT__MOST_FUSED = 64 }; /* nodes of a part: its tiles share the cache */

typedef struct ct__tiles ct__tiles;

/* In the arena; NULL when memory is short. */
const ct__tiles *ct__tiles_new(const ct__fused *fused, ct__arena *arena);

extern const ct__fusion ct__tile_fusion;

#endif
