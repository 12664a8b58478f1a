/* While loops as scans: read_scan.c and read_loops.c, and read_affine.c, which knows their indices.
 */
#ifndef CT_INTEROP_STABLEHLO_LOOPS_H
#define CT_INTEROP_STABLEHLO_LOOPS_H

#include "trace/trace.h"

/* What a value of the body is in iteration t of [0, length): slope t + base, or one truth. */
typedef struct ct__affine {
    bool is_number, is_truth;
    int64_t slope, base;
    bool truth;
} ct__affine;

/* Of every value of the graph, in the arena, given those of its parameters; NULL when memory is
 * short. length > 0. */
ct__affine *ct__find_affine(ct__arena *arena, const ct__graph *graph, int64_t length,
                            const ct__affine *param);
/* The node that gives the value where it is this operation; else NULL. */
const ct__node *ct__node_with(const ct__graph *graph, ct__id id, ct__op op);

/* A while loop: operands are carry…, capture…; both bodies take the same. */
typedef struct ct__while {
    ct_place at;
    const ct__graph *cond, *body;
    size_t n_operands;
    ct_tensor *const *operand;
    size_t n_carry;
    const char *extra;
} ct__while;

/* Record the loop as a scan, where it counts up by one from a constant to a constant: then *raised,
 * and result[0 … n_carry - 1] are the loop's. Carried values that stay the same become captures,
 * rows x[i] that the body takes become inputs, and stacks that it fills row by row become stacked
 * results. False after setting the context's error. */
bool ct__raise_loop(ct_context *ctx, const ct__while *loop, ct_tensor **result, bool *raised);

#endif
