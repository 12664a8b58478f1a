/* The birth of trouble: looking at each operation of a run for the first NaN, infinity, overflow,
 * division by zero or index out of range.
 *
 *   trap.c        what is looked at, loops around it, indices    trap_text.c  the message
 *   trap_find.c   elements in which trouble is born */
#ifndef CT_EXEC_TRAP_H
#define CT_EXEC_TRAP_H

#include "exec/exec.h"

/* A node with bodies that runs now. */
typedef struct ct__trap_frame ct__trap_frame;
struct ct__trap_frame {
    ct__trap_frame *outer; /* NULL: the function itself */
    const ct__node *node;
    uint32_t first;    /* node of the last body: each iteration begins with it */
    int64_t iteration; /* from 0; -1: the body has not run */
};

typedef struct ct__trap {
    ct__watch watch; /* its first member */
    unsigned kinds;  /* bits of ct_trap */
    ct_allocator allocator;
    ct__trap_frame *frame; /* the innermost */
} ct__trap;

/* What the run is watched by: the trap, or NULL where the program has none. */
ct__watch *ct__trap_begin(ct__trap *trap, const ct__program *program);

/* An element in which trouble is born. */
typedef struct ct__trouble {
    ct_trap kind;
    size_t result; /* of the node */
    int64_t element;
    bool is_elementwise; /* its operands are those of the same element */
} ct__trouble;

/* Operands as they were before the operation, which has run; false: there is no trouble. May run
 * the operation again, on memory of the arena. */
bool ct__trap_find(const ct__eval *q, unsigned kinds, ct__arena *arena, ct__trouble *trouble);

/* Fills q->error with what is known of it. */
void ct__trap_tell(const ct__trap *trap, const ct__node *node, const ct__eval *q,
                   const ct__trouble *trouble);
/* The same of an index, behind the operation's own message. */
void ct__trap_tell_index(const ct__trap *trap, const ct__node *node, const ct__eval *q);

#endif
