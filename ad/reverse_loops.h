/* Loops of which the reverse derivative keeps less.
 *
 *   reverse_loops.c     the transform
 *   reverse_counted.c   loops whose count constants tell, as scans
 *   reverse_scan.c      scans                          reverse_cost.c   within a limit
 *   reverse_segments.c  loops whose count a run knows  reverse_needs.c  within a limit */
#ifndef CT_AD_REVERSE_LOOPS_H
#define CT_AD_REVERSE_LOOPS_H

#include "ad/bodies.h"
#include "ad/derive.h"

#include <cotangent/remat.h>

/* Graphs that are rewritten, and those of which it is known what they need: each is once. */
typedef struct ct__rewritten {
    ct__lookup position; /* of the original in the list */
    size_t count, capacity;
    ct__graph **graph; /* owned */
} ct__rewritten;

typedef struct ct__measured {
    ct__lookup position;
    size_t count, capacity;
    double *bytes;
} ct__measured;

/* A transform in progress. */
typedef struct ct__loops {
    ct_context *ctx;
    ct_place at; /* of the transform */
    const ct_reverse_options *options;
    ct__arena *arena;
    ct__rewritten rewritten;
    ct__measured measured;
    const ct_type *i64;
    double least; /* bytes that would be enough for the loop that has been refused; 0: none has */
} ct__loops;
bool ct__loops_memory(const ct__loops *w); /* reports that it is short; false */
bool ct__has_limit(const ct__loops *w);

enum { CT__MOST_LEVELS = 3 };

/* A loop node in progress; its bodies are rewritten. */
typedef struct ct__loop_site {
    ct__loops *w;
    const ct__node *node;
    ct__op written; /* node's operation in the program: a for or while may be a scan */
    ct__loop loop;
    ct__graph *const *body;
    ct_tensor *const *operand;
    /* Of segments within a limit, in levels; level 0: none, or by root. */
    int level;
    int64_t
        length[CT__MOST_LEVELS + 1]; /* the most iterations of a segment of each level, from 1 */
    double most;                     /* iterations that fit */
} ct__loop_site;

ct_tensor *ct__site_param(const ct__loop_site *s, const ct_type *type);
ct_tensor *ct__site_number(const ct__loop_site *s, int64_t value); /* below 2^53 */
bool ct__site_apply(const ct__loop_site *s, ct__op op, const ct__attrs *attrs, ct_list operands,
                    size_t n_regions, ct__graph *const *region, ct_tensor **result,
                    size_t n_results);
/* A graph made in a session of its own; the same as a checkpoint. Owned by the caller. */
typedef ct__graph *ct__make_graph(const ct__loop_site *s, int64_t count, ct__arena *arena);
ct__graph *ct__in_session(const ct__loop_site *s, const char *what, ct__make_graph *make,
                          int64_t count);
ct__graph *ct__segment(const ct__loop_site *s, const char *what, ct__make_graph *make,
                       int64_t count);

/* Reports that the loop takes `least` bytes, more than there are; false. */
bool ct__refuse_limit(const ct__loop_site *s, double least);

/* Bytes of all values that the body makes, of counted loops in it those of all iterations. */
double ct__bytes_of_body(ct__loops *w, const ct__graph *body);
double ct__bytes_of_carry(const ct__loop_site *s);

/* ---- Loops whose count constants tell: reverse_counted.c. */

/* -1: they do not. */
int64_t ct__constant_count(const ct__loop_site *s);
/* By the strategy, of at least 2 iterations. */
bool ct__reverse_counted(const ct__loop_site *s, int64_t count, ct_tensor **result);

/* ---- Loops whose count a run knows: reverse_segments.c. */

/* Of segments of the site's levels; level 0: by root. */
bool ct__record_segments(const ct__loop_site *s, ct_tensor **result);

/* Within the limit: reverse_needs.c. */
bool ct__loop_within(const ct__loop_site *s, ct_tensor **result);
/* Of the site's levels; level 0: as it is. */
bool ct__record_levels(const ct__loop_site *s, ct_tensor **result);

/* ---- Scans: reverse_scan.c. */

/* By the strategy. */
bool ct__reverse_scan(const ct__loop_site *s, ct_tensor **result);
/* Parameters as the loop's operands, with so many rows. */
bool ct__scan_params(const ct__loop_site *s, int64_t count, ct_tensor **list);
bool ct__scan_whole(const ct__loop_site *s, ct_tensor **result);
bool ct__scan_in_segments(const ct__loop_site *s, int64_t k, ct_tensor **result);
bool ct__scan_binomially(const ct__loop_site *s, int64_t snapshots, ct_tensor **result);
/* One for each row. */
bool ct__has_many_snapshots(const ct__loop_site *s, int64_t snapshots);
/* There are too few for the way to be taken. */
bool ct__is_done_too_often(const ct__loop_site *s, int64_t snapshots);

/* Within the limit: reverse_cost.c. */
bool ct__scan_within(const ct__loop_site *s, ct_tensor **result);

#endif
