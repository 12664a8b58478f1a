/* The report of what reverse mode keeps: residuals.c finds, residuals_report.c holds and tells. */
#ifndef CT_AD_RESIDUALS_H
#define CT_AD_RESIDUALS_H

#include "ad/derive.h"

#include <cotangent/residuals.h>

struct ct_residual_report {
    ct__handle handle; /* ctx NULL in poison */
    ct__arena arena;   /* of what the items refer to */
    bool is_made;      /* else poison */
    size_t n_items, item_capacity;
    ct_residual *item;
};

ct_residual_report *ct__residual_poison(void);
/* An empty report in the current scope; poison after an error. */
ct_residual_report *ct__residual_report_new(ct_context *ctx, ct_place at);
/* Append what is already in the report's arena. False when memory is short. */
bool ct__residual_add(ct_residual_report *report, const ct_residual *item);
/* From most bytes to fewest; equal ones stay in order. False when memory is short. */
bool ct__residual_sort(ct_residual_report *report);

#endif
