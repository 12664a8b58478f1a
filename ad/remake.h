/* Which known values reverse mode keeps, and which it makes again from those. */
#ifndef CT_AD_REMAKE_H
#define CT_AD_REMAKE_H

#include "ad/bodies.h"

/* What keeping values takes, in shares of their bytes. */
struct ct__prices {
    const double *param; /* per param; 1: it changes in every iteration; NULL: param_share of all */
    double param_share;
    const bool *fixed;    /* per param: the same in all iterations; NULL: none is */
    double fixed_share;   /* of what is made of such alone */
    bool views_are_there; /* views of params that cost nothing cost nothing */
};
/* Of a function's arguments, which are there anyway; of a body's parameters, half of which are. */
extern const ct__prices ct__prices_of_arguments, ct__prices_of_body;

/* Of a loop's body, whose counters have these steps. False when memory is short. */
bool ct__find_loop_prices(const ct__unzip *q, const ct__loop *loop, const int64_t *step,
                          ct__prices *prices);

typedef struct ct__kept {
    bool *kept;  /* per value */
    bool *again; /* per node */
} ct__kept;

/* For those known values that are read: what is kept of the graph, and the nodes that make the
 * others of that. Without prices only nodes without operands are done again. The lists are in the
 * arena; false when memory is short. */
bool ct__choose_kept(ct__arena *arena, const ct__graph *graph, const bool *unknown,
                     const bool *read, const ct__prices *prices, ct__kept *kept);

/* Per value: known, and read by a node on unknown ones. NULL when memory is short. */
bool *ct__find_read_known(ct__arena *arena, const ct__graph *graph, const bool *unknown);

/* Whether the node's result is read where its operand is: other extents, or some of the rows. */
bool ct__is_view(const ct__graph *graph, const ct__node *node);

#endif
