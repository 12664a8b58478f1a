/* What a graph does, counted before it runs. */
#ifndef CT_INTEROP_COST_H
#define CT_INTEROP_COST_H

#include "trace/graph.h"

/* Sums that do not fit stay at the largest number. The costs of one run count each iteration of a
 * scan, one of a while, the dearest branch of an if or case, each application of a reducer; they
 * suppose that every operation runs on its own, reading its operands from memory and writing its
 * results there. A dynamic_update_slice or scatter of what nothing reads afterwards changes it in
 * its place: then only windows are read and written. Arguments of the graph are not changed. */
typedef struct ct__cost {
    /* as written: bodies counted once where they stand */
    uint64_t n_nodes;
    uint64_t count[CT__OP_COUNT];
    uint64_t constant_bytes; /* a splat has one element */
    /* of one run */
    uint64_t flops; /* as trace.h says of ct_function_flops */
    uint64_t bytes_read, bytes_written;
    /* parameters, constants and live values at the fullest moment of a run in the given order */
    uint64_t peak_bytes;
} ct__cost;

/* False when memory is short. */
bool ct__graph_cost(const ct_allocator *allocator, const ct__graph *graph, ct__cost *cost);

/* The flops of one run of a node, its bodies included; false when memory is short. */
bool ct__node_flops(const ct_allocator *allocator, const ct__graph *graph, const ct__node *node,
                    uint64_t *flops);

#endif
