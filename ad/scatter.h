/* What the rules of scatter share: where its updates go, and what stands there. */
#ifndef CT_AD_SCATTER_H
#define CT_AD_SCATTER_H

#include "ad/rules.h"

/* One scatter of one operand. */
typedef struct ct__site {
    ct_context *ctx;
    ct_place at;
    const struct ct__attrs_scatter *attrs;
    ct_tensor *indices;
    const ct_type *operand, *update;
} ct__site;

/* Whether the updates are a small part of a large operand: then nothing may take time for each of
 * the operand's elements, since a loop would take it in every iteration. */
bool ct__site_is_small(const ct__site *s);
/* Whether no place is written twice. */
bool ct__site_is_distinct(const ct__site *s);
/* In the updates' shape, the place of each of their elements, counted through all elements of the
 * operand; -1 where it is skipped. `strict` is not looked at. */
ct_tensor *ct__site_places(const ct__site *s);
/* In the updates' shape, what stands in y, which is like the operand, at the place of each of their
 * elements; 0 where it is skipped. */
ct_tensor *ct__site_read(const ct__site *s, ct_tensor *y);
/* bool, in the updates' shape: whether each element is the last at its place. Those that are
 * skipped are one thing or the other. */
ct_tensor *ct__site_last(const ct__site *s);
/* For small sites: the sum of x, which is like the updates, over all elements at the same place. */
ct_tensor *ct__site_sum(const ct__site *s, ct_tensor *x);
/* y, which is like the operand, with the updates written, or added. */
ct_tensor *ct__site_write(const ct__site *s, ct_tensor *y, ct_tensor *update);
ct_tensor *ct__site_add(const ct__site *s, ct_tensor *y, ct_tensor *update);

#endif
