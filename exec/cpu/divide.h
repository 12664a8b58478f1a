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
    bool *is_again;   /* it is made in another part, too */
    uint32_t waiting; /* the first of the nodes that would close it: divide.c's */
} ct__collection;

enum { CT__MOST_AGAIN = 16 };

/* Nodes that make a value again, operands first. */
typedef struct ct__again {
    size_t n_nodes;
    uint32_t node[CT__MOST_AGAIN];
} ct__again;

typedef struct ct__divider {
    ct__parting *to;
    size_t n_open;
    ct__collection **open;
    ct__collection **of;         /* per value: the open one that makes it, or NULL */
    bool *is_late;               /* per value: it is there when all of the collection is done */
    bool *is_needed;             /* per value: a node needs it */
    bool *is_result;             /* per value: it goes out */
    const ct__again **again;     /* per value: not NULL: it is not kept, but made again */
    uint32_t *first_user, *user; /* per node: whom it must come before, from there to the next */
    /* told of each collection that is closed */
    void (*closed)(void *whom, const ct__collection *c);
    void *whom;
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
/* Whether it works on elements, whose operands are of its size or one element. */
bool ct__part_is_elementwise(const ct__divider *d, const ct__node *node);

/* again.c. What of a collection that is to be closed is not kept: fills d->again. False when memory
 * is short. */
bool ct__find_again(ct__divider *d, const ct__collection *c);
/* The nodes, at most, that make again what the node needs; and they go there. */
size_t ct__count_again(const ct__divider *d, const ct__node *node);
void ct__take_again(ct__divider *d, ct__collection *c, const ct__node *node);

ct__choice ct__part_choose(const ct__divider *d, const ct__node *node);
/* The largest collection that this choice closes; NULL: there is none. */
ct__collection *ct__part_closes(const ct__divider *d, const ct__node *node,
                                const ct__choice *choice);
/* Node i goes there. False when memory is short. */
bool ct__part_take(ct__divider *d, uint32_t i, const ct__choice *choice);
bool ct__part_close(ct__divider *d, ct__collection *c);

#endif
