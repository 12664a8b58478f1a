/* Dividing a graph: between parts.c, which says where a node goes, and divide.c, which says when.
 */
#ifndef CT_EXEC_DIVIDE_H
#define CT_EXEC_DIVIDE_H

#include "exec/cpu/cpu.h"

/* Nodes that are open for more; there is one at a time for each number of elements. */
typedef struct ct__collection {
    int64_t size, columns; /* columns > 1: rows of so many elements are folded */
    size_t n_nodes;
    uint32_t *node;
    uint32_t waiting; /* the first of the nodes that would close it: divide.c's */
} ct__collection;

typedef struct ct__divider {
    ct__parting *to;
    size_t n_open;
    ct__collection **open;
    ct__collection **of; /* per value: the open one that makes it, or NULL */
    bool *is_late;       /* per value: it is there when all of the collection is done */
    bool *is_needed;     /* per value: a node needs it */
    /* told of each collection that is closed */
    void (*closed)(void *user, const ct__collection *c);
    void *user;
} ct__divider;

/* Where a node goes. */
typedef struct ct__choice {
    bool is_alone, is_late;
    ct__collection *with;  /* NULL, where it is not alone: a new one */
    int64_t size, columns; /* of the collection */
} ct__choice;

/* Fills the views of d->to. False when memory is short. */
bool ct__find_views(const ct__divider *d);
/* Whether the node's operands of more than one element may be views. */
bool ct__part_takes_maps(const ct__divider *d, const ct__node *node);

ct__choice ct__part_choose(const ct__divider *d, const ct__node *node);
/* The largest collection that this choice closes; NULL: there is none. */
ct__collection *ct__part_closes(const ct__divider *d, const ct__node *node,
                                const ct__choice *choice);
/* Node i goes there. False when memory is short. */
bool ct__part_take(ct__divider *d, uint32_t i, const ct__choice *choice);
void ct__part_close(ct__divider *d, ct__collection *c);

#endif
