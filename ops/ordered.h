/* Ordered sets whose members lie where their owner put them: nothing is allocated, and finding,
 * inserting and removing take a time that grows with the logarithm of the size. */
#ifndef CT_OPS_ORDERED_H
#define CT_OPS_ORDERED_H

#include <stddef.h>

/* A member, ordered by key, then by tie; no two are equal in both. As an interval it is
 * [key, end). */
typedef struct ct__ordered {
    size_t key, tie, end;
    size_t furthest; /* the largest end in this subtree; the set keeps it */
    struct ct__ordered *left, *right;
} ct__ordered;

/* The set is its root; NULL is the empty one. Fill key, tie and end before. */
void ct__ordered_insert(ct__ordered **root, ct__ordered *member);
void ct__ordered_remove(ct__ordered **root, const ct__ordered *member);
/* The first member at or after (key, tie), the last one before it; NULL without one. */
ct__ordered *ct__ordered_from(ct__ordered *root, size_t key, size_t tie);
ct__ordered *ct__ordered_before(ct__ordered *root, size_t key, size_t tie);
/* The smallest tie, but `except`, among the intervals that overlap [begin, end); SIZE_MAX without
 * one. */
size_t ct__ordered_overlap(const ct__ordered *root, size_t begin, size_t end, size_t except);

#endif
