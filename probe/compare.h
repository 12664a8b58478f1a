/* Comparing runs with exact numbers: the parts.
 *
 *   compare.c         the entry, and both runs
 *   compare_watch.c   what is looked at while they run
 *   compare_text.c    reading and printing what was found
 *   compare_lost.c    where most digits are lost
 *   without_compare.c in their place, in a library without GMP, MPFR and MPC */
#ifndef CT_PROBE_COMPARE_H
#define CT_PROBE_COMPARE_H

#include "exec/oracle/oracle.h"
#include "trace/lookup.h"

#include <cotangent/compare.h>

/* One result of a node in the machine's run: its elements, and the signed differences from what is
 * exact on the machine's operands, one for each float, two for complex ones. */
typedef struct ct__made {
    const void *machine;
    const double *born; /* NULL: none is born */
} ct__made;

/* The results of one run of a node. */
typedef struct ct__event {
    struct ct__event *next;
    ct__made *made;
} ct__event;

/* A node that has run. */
typedef struct ct__site {
    const ct__graph *graph;
    uint32_t node;
    ct__event *first, **last, *now; /* now: what the exact run meets next */
    ct_compared *found;             /* of each result; sums in place of means */
} ct__site;

struct ct_accuracy {
    ct__handle handle;
    ct__graph *graph; /* counted; NULL in poison */
    ct__arena arena;
    ct__lookup site_of; /* by graph and node */
    size_t n_sites, site_capacity;
    ct__site *site;
    bool other_way;
    size_t n_results, n_values;
    ct_compared *result, *value;
};

/* ---- Looking. The watches live while a run does. */

typedef struct ct__comparing {
    ct__watch watch; /* its first member */
    ct_accuracy *to;
    ct__shadow *shadow; /* of the machine's run */
} ct__comparing;

bool ct__watch_machine(ct__watch *watch, const ct__graph *graph, uint32_t node, const ct__eval *q);
bool ct__watch_exact(ct__watch *watch, const ct__graph *graph, uint32_t node, const ct__eval *q);
/* Adds a value's errors to what was found; `made` of the machine, x numbers of the run. */
void ct__add_errors(ct_compared *found, const ct_type *type, const ct__made *made, const void *x);

/* ---- Ending: sums become means, and values are sorted. False when memory is short. */
bool ct__accuracy_settle(ct_accuracy *c);

#endif
