/* The birth of trouble: looking at each operation of a run for the first NaN, infinity, overflow,
 * division by zero or index out of range.
 *
 *   trap.c          what is looked at, loops around it, indices    trap_text.c  the message
 *   trap_find.c     elements in which trouble is born
 *   trap_integer.c  integers that do not fit */
#ifndef CT_EXEC_TRAP_H
#define CT_EXEC_TRAP_H

#include "exec/exec.h"
#include "ops/reduce_window.h"

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

/* What an integer would be if it fitted; not known where that takes more than 127 bits. */
typedef struct ct__exact {
    bool is_known;
    ct__wide value;
} ct__exact;

/* An element in which trouble is born. */
typedef struct ct__trouble {
    ct_trap kind;
    size_t result; /* of the node */
    int64_t element;
    bool is_elementwise; /* its operands are those of the same element */
    ct__exact exact;     /* of an overflow */
} ct__trouble;

/* Operands as they were before the operation, which has run; false: there is no trouble. May run
 * the operation again, on memory of the arena. */
bool ct__trap_find(const ct__eval *q, unsigned kinds, ct__arena *arena, ct__trouble *trouble);

/* ---- Integers. */

/* Whether element i of an elementwise operation does not fit in its dtype. */
bool ct__overflows(const ct__eval *q, int64_t i, ct__exact *exact);
/* Whether a sum, a product or a sum of products does not: the operation runs again on integers of
 * 127 bits, in memory of the arena. */
bool ct__sums_overflow(const ct__eval *q, ct__arena *arena, ct__trouble *trouble);
/* Whether trouble of integers in the bodies is seen nowhere but in them. */
bool ct__hides_integers(const ct__eval *q);

/* ---- Elements of operands. */

static inline bool ct__is_single(const ct__eval *q, size_t i)
{
    return (i < 32 && q->repeated >> i & 1) || q->in_type[i]->size == 1;
}

static inline const void *ct__operand_at(const ct__eval *q, size_t i, int64_t element)
{
    return ct__at(q->in[i], ct_dtype_bytes(q->in_type[i]->dtype),
                  ct__is_single(q, i) ? 0 : element);
}

static inline int64_t ct__integer_at(const ct__eval *q, size_t i, int64_t element)
{
    return (int64_t)ct__load_integer(q->in_type[i]->dtype, ct__operand_at(q, i, element));
}

/* Fills q->error with what is known of it. */
void ct__trap_tell(const ct__trap *trap, const ct__node *node, const ct__eval *q,
                   const ct__trouble *trouble);
/* The same of an index, behind the operation's own message. */
void ct__trap_tell_index(const ct__trap *trap, const ct__node *node, const ct__eval *q);

#endif
