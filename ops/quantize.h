/* Operations on quantized tensors. */
#ifndef CT_OPS_QUANTIZE_H
#define CT_OPS_QUANTIZE_H

#include "ops/ops.h"

/* infer(q), the checks and inference of q->op, where operands or given results may be quantized.
 * The one place that says which operations take them. */
bool ct__infer_quantized(ct__infer *q, bool (*infer)(ct__infer *));

/* Whether the operation, on quantized operands, computes with the real numbers; others move stored
 * integers or pass them to bodies. */
bool ct__computes_with_reals(ct__op op);

bool ct__has_quantized(size_t count, const ct_type *const *type);

#endif
