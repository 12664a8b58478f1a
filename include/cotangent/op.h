/* The strict primitives: StableHLO's operations. Types must agree exactly; nothing is broadcast and
 * no dtype is promoted. Derivative rules are written in them. Composites (elementwise.h, reduce.h,
 * …) are what programs usually want. The headers below declare
 * them, and op_large.h and op_program.h.
 *
 * Each takes concrete operands (and computes at once) or traced ones (and records). Results belong
 * to the current scope. Errors: CT_ERR_TYPE and CT_ERR_SHAPE for the numbered constraints,
 * CT_ERR_RANGE for sizes that overflow, CT_ERR_ARGUMENT for NULL, CT_ERR_STATE and CT_ERR_CONTEXT
 * for values of an ended trace or another context; the result is then poison. Lists of attributes
 * are copied. */
#ifndef COTANGENT_OP_H
#define COTANGENT_OP_H

#include "op_contract.h"
#include "op_control.h"
#include "op_data.h"
#include "op_elementwise.h"
#include "op_index.h"

#endif
