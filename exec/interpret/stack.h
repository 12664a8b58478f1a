/* Stacks: values of a run that grow. What a program sees are versions, which never change; the
 * newest version of a stack has its elements in chunks, and each older one says in which element
 * it differs from the next. So adding to the newest version and reading from it take no copy, and
 * older ones stay what they were. The empty stack is NULL. */
#ifndef CT_EXEC_STACK_H
#define CT_EXEC_STACK_H

#include "ops/memory.h"
#include "ops/type.h"

#include <stdint.h>

struct ct__numerics;

typedef struct ct__stack ct__stack; /* a version */
typedef struct ct__stack_body ct__stack_body;

/* The stacks of one run. */
typedef struct ct__stacks {
    const ct_allocator *allocator;
    ct__stack_body *newest; /* a list of all */
} ct__stacks;

void ct__stacks_free(ct__stacks *stacks);
/* Free the bodies that were made after `mark` was the newest. */
void ct__stacks_rewind(ct__stacks *stacks, ct__stack_body *mark);

/* What one access needs to know. */
typedef struct ct__stack_access {
    ct__stacks *stacks;
    const struct ct__numerics *numerics;
    const ct_type *element;
    size_t n_parts;       /* an element's parts, each at an index of its own; of an element that is
                           * a stack, parts of its elements */
    const int64_t *index; /* per part; negative ones hold nothing and drop what is added */
} ct__stack_access;

/* *to = *from with x's parts added; adding to nothing gives the part itself. False when memory is
 * short. */
bool ct__stack_add(const ct__stack_access *access, ct__stack *from, const void *x, ct__stack **to);
/* y's parts, zeros where there is nothing. False when memory is short. */
bool ct__stack_get(const ct__stack_access *access, ct__stack *from, void *y);
/* Element by element x + y, of stacks of `access->element`. */
bool ct__stack_sum(const ct__stack_access *access, ct__stack *x, ct__stack *y, ct__stack **sum);

#endif
