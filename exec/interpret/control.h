/* The scratch of a scan; shared with scratch.c. */
#ifndef CT_EXEC_CONTROL_H
#define CT_EXEC_CONTROL_H

#include "exec/interpret/interpret.h"

typedef struct ct__scan {
    size_t n_carry, n_inputs;
    size_t
        scratch_bytes; /* addresses of the body's parameters and results, a second set of carries */
} ct__scan;

/* False when the scratch is too large. */
bool ct__scan_layout(const ct__eval *q, ct__scan *s);

#endif
