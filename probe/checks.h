/* Checks inside programs: the parts.
 *
 *   checks.c           the collector and its targets
 *   golden.c           modules with derivatives that are expected of them
 *   checks_compare.c   what differs between two tensors, by a rule
 *   checks_text.c      elements and tensors as text */
#ifndef CT_PROBE_CHECKS_H
#define CT_PROBE_CHECKS_H

#include "trace/trace.h"

#include <cotangent/checks.h>
#include <cotangent/custom.h>
#include <cotangent/exec.h>

/* Count a check, and keep the failure, one line, unless it is NULL. False when memory is short. */
bool ct__checks_add(ct_checks *checks, const char *failure);

/* How derivatives are run; NULL: as by default. */
const ct_compile_options *ct__checks_options(const ct_checks *checks);

/* ---- Comparing. */

typedef enum ct__rule_kind {
    CT__RULE_EQUAL,
    CT__RULE_CLOSE, /* low <= ulps <= high */
    CT__RULE_ALMOST /* |x - y| <= tolerance */
} ct__rule_kind;

typedef struct ct__rule {
    ct__rule_kind kind;
    uint64_t low, high;
    double tolerance;
} ct__rule;

/* The elements that break the rule. */
typedef struct ct__difference {
    int64_t count;
    int64_t first; /* its row-major position, where there is one */
} ct__difference;

/* Two tensors of one type, row-major. */
ct__difference ct__compare(const ct__rule *rule, const ct_type *type, const void *x, const void *y);

/* Ulps between two elements, of complex ones between the parts that are further apart. */
#define CT__ULPS_FAR UINT64_MAX /* there is no way from one to the other */
uint64_t ct__ulps(ct_dtype dtype, const void *x, const void *y);
/* |x - y|, the worse part of complex ones; infinity where there is no way. */
double ct__distance(ct_dtype dtype, const void *x, const void *y);

/* ---- Text. */

/* " at [1, 2]", nothing for rank 0. */
void ct__add_indices(ct__text *text, const ct_type *type, int64_t position);
/* "f32[2,2] [[1, 2], [3, 4]]"; long ones are cut. */
void ct__add_elements(ct__text *text, const ct_type *type, const void *data);

#endif
