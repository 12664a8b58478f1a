/* Everything. Programs that want less include the headers that they use; each is complete.
 *
 * Where to look:
 *   context.h tensor.h              values, scopes, errors
 *   elementwise.h reduce.h shape.h
 *   cumulative.h sort.h index.h
 *   linalg.h control.h              computing, as NumPy does
 *   trace.h ad.h exec.h             functions as graphs: record, differentiate, run
 *   oracle.h compare.h              exact and high-precision results, and how far others are off
 *   rewrite.h                       the same functions with less work
 *   remat.h                         what reverse derivatives keep
 *   rule.h                          derivatives that the program states itself
 *   random.h index_check.h          random tensors; finding wrong indices
 *   loss.h gradcheck.h              losses; checking derivatives
 *   residuals.h                     what derivatives keep in memory
 *   module.h npy.h                  programs as StableHLO's text, arrays in NumPy's files
 *   custom.h checks.h               C functions that programs call; comparing inside programs
 *   op.h op_large.h op_program.h
 *   op_stack.h                      the strict primitives underneath */
#ifndef COTANGENT_COTANGENT_H
#define COTANGENT_COTANGENT_H

#include "ad.h"
#include "base.h"
#include "checks.h"
#include "compare.h"
#include "context.h"
#include "control.h"
#include "cumulative.h"
#include "custom.h"
#include "dtype.h"
#include "elementwise.h"
#include "exec.h"
#include "gradcheck.h"
#include "index.h"
#include "index_check.h"
#include "linalg.h"
#include "loss.h"
#include "module.h"
#include "npy.h"
#include "op.h"
#include "op_contract.h"
#include "op_control.h"
#include "op_data.h"
#include "op_elementwise.h"
#include "op_index.h"
#include "op_large.h"
#include "op_program.h"
#include "op_stack.h"
#include "operand.h"
#include "oracle.h"
#include "profile.h"
#include "random.h"
#include "reduce.h"
#include "residuals.h"
#include "remat.h"
#include "rewrite.h"
#include "rule.h"
#include "shape.h"
#include "sort.h"
#include "tensor.h"
#include "trace.h"

#endif
