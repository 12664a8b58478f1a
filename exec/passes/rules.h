/* The rules of passes, for the walk of trace/rewrite. */
#ifndef CT_EXEC_RULES_H
#define CT_EXEC_RULES_H

#include "trace/rewrite/rewrite.h"

/* dot_general of a transposed operand is one of the operand itself, where the result's axes stay in
 * their order. */
ct__rule ct__lower_dot;

/* A loop's operations that depend on what it captures alone are done before it. */
ct__rule ct__hoist;

/* A pad of what is cheap to compute from parameters computes it from their pads. */
ct__rule ct__shift;

#endif
