/* The check of one function in progress, and one line of it. */
#ifndef CT_PROBE_GRADCHECK_RUN_H
#define CT_PROBE_GRADCHECK_RUN_H

#include "probe/gradcheck.h"

enum { CT__VALUE_SHAKES = 4, CT__MOST_HALVINGS = 64 };

typedef struct ct__checking {
    const ct__subject *s;
    ct__slopes slopes;
    ct__own own;
    ct__blame lost; /* where the newest input loses digits, in what was found first */
    ct__jitter jitter;
    ct__machine value, shaken[CT__VALUE_SHAKES];
    ct__differences differences; /* where the subject has bits */
    ct__differences sweep;       /* the same over many elements, where r->sweeps */
    ct__lanes lanes;             /* of the newest input */
    bool sweeps;
    size_t n_rows;
    double *at, *noise;                        /* values at x, per row, and their noise */
    double *moved;                             /* values of a run */
    double *up[CT__LEVELS], *down[CT__LEVELS]; /* values at a step up and down; made when needed */
    double *near_noise;                        /* on a line, at x */
    double *far_noise;                         /* and at x + step_far v */
    double *dy, *dy_noise;                     /* along v */
    bool *undecided, *cuts;
    /* Rows that a sweep found right, over elements of which this is one; by depth of their halving.
     */
    bool *is_right, *right_at[CT__MOST_HALVINGS];
    ct__judgement *judgement;
} ct__checking;

/* A line through x along parameter p. */
typedef struct ct__line {
    size_t p;
    int64_t element;   /* v is the unit vector of this element; or -1 */
    int64_t direction; /* the number of a random v; or -1 */
    double scale;      /* of t */
    double smallest;   /* |x| where it is not 0: features of f may be as small */
    size_t n_levels, n_sampled;
    bool has_finer; /* steps as small as `smallest` are a series of their own */
    double step_up[CT__LEVELS], step_down[CT__LEVELS], step_far;
} ct__line;

/* Adds what was found along the line to the report: gradcheck_tell.c. False after an error. */
bool ct__tell_line(ct__checking *r, const ct__line *l);

/* Makes ready for sweeps where they are allowed. False after an error. */
bool ct__elements_begin(ct__checking *r);
/* Makes r->is_right a list of the rows that are right for a part of the elements, at this depth of
 * halving: those that were right for the whole, one less deep. False after an error. */
bool ct__elements_part(ct__checking *r, size_t depth);
/* Whether all rows are. */
bool ct__elements_right(const ct__checking *r);
/* Sets is_right for rows in which the derivatives by all of these elements of parameter p are right
 * and f is smooth, and whether all rows are so. False after an error. */
bool ct__elements_agree(ct__checking *r, size_t p, size_t first, size_t count, bool *is_right,
                        bool *all);

#endif
