/* The steps in which the tile machine runs a program. */
#ifndef CT_TOOLS_STEPS_H
#define CT_TOOLS_STEPS_H

#include <cotangent/trace.h>

#include <stdbool.h>

/* Prints each step, and under it its operations and where they come from; after the passes up to
 * `after`, NULL or "all" for all of them, but for those that `without` names (NULL: none). False
 * after an error of the function's context, or after saying that memory is short. */
bool print_steps(ct_function *f, const char *after, const char *without);

#endif
