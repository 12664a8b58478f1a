/* Making concrete tensors: what create.c and random.c share. */
#ifndef CT_TRACE_CREATE_H
#define CT_TRACE_CREATE_H

#include "trace/trace.h"

/* A row-major literal of this type whose elements the caller fills through ct__fresh_data, before
 * anyone else sees it. NULL after reporting the error of `what`, the public entry's name. */
ct__literal *ct__fresh(ct_context *ctx, ct_place at, const char *what, ct_dtype dtype,
                       ct_shape shape);

static inline void *ct__fresh_data(const ct__literal *literal)
{
    return literal->storage->data;
}

/* Reports that `value` does not fit the dtype; false. */
bool ct__misfit(ct_context *ctx, ct_place at, const char *what, ct_dtype dtype, double value);

#endif
