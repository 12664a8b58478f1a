/* Vectorised functions against a loop over their lanes.
 *
 * Arguments and results are tensors; tuples and stacks are taken apart and put together inside, and
 * tokens made there. */
#ifndef CT_TESTS_LANES_H
#define CT_TESTS_LANES_H

#include "tests/check.h"

#include "trace/trace.h"

/* One way to vectorise a function. */
typedef struct lanes_way {
    int64_t size;
    unsigned batched; /* bit i: argument i is */
    int64_t turn;     /* argument (and result) i has its lanes along axis turn modulo its rank in a
                       * lane plus 1; from the end where turn is odd */
    uint32_t seed;    /* of the values */
    /* one lane's arguments, on which the values of the others are modelled; NULL: any numbers */
    ct_tensor *const *like;
} lanes_way;

/* The function, with tensors alone for arguments and results. */
ct_function *lanes_of_function(ct_context *ctx, ct_function *f);
/* The function that is this one node. */
ct_function *lanes_of_node(ct_context *ctx, const ct__graph *graph, const ct__node *node);

/* Vectorises f, of lanes_of_…, in this way, runs it, and runs f on every lane: values are equal bit
 * by bit, and where a lane fails the whole does so with the same status. Says `what` otherwise. */
void lanes_check(ct_context *ctx, ct_function *f, lanes_way way, const char *what);
/* The same in all ways: sizes 3, 1 and 0, every axis, every subset of arguments (of more than 5:
 * all of them, all but one, and one). */
void lanes_check_all(ct_context *ctx, ct_function *f, const char *what);

#endif
