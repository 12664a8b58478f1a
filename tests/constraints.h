/* Tests of numbered constraints: public calls that break one of them and nothing else, with the
 * whole message. Operands are made at made.c:1 and used at use.c:42, so that messages do not depend
 * on the lines of the tests.
 *
 *     ct_tensor *x = T(CT_F32, 4, 5);
 *
 *     HOLDS(ct_op_transpose_at(use, x, CT_DIMS(1, 0)));
 *     BREAKS(ct_op_transpose_at(use, x, CT_DIMS(1, 1)), CT_ERR_SHAPE, // C1
 *            "transpose: permutation = [1, 1] must not name axis 1 twice"
 *            LINE("x        ", "f32[4,5]    "));
 */
#ifndef CT_TESTS_CONSTRAINTS_H
#define CT_TESTS_CONSTRAINTS_H

#include "tests/values.h"

#include <cotangent/op.h>
#include <cotangent/trace.h>

static const ct_place made = {"made.c", 1, 0}, use = {"use.c", 42, 0};

/* A tensor, and a scalar, for its type alone; in the context `ctx`. */
#define T(dtype, ...) ct_zeros_at(made, ctx, dtype, CT_SHAPE(__VA_ARGS__))
#define S(dtype) ct_zeros_at(made, ctx, dtype, CT_SHAPE())

/* The line of a message that shows an operand: its name in 9 columns, its type in 12. */
#define LINE(name, type) "\n    " name " " type " zeros, made.c:1"

/* The call fails with exactly this message behind its place. */
#define BREAKS(call, status, text)                                                                 \
    ((call), constraints_check(__FILE__, __LINE__, ctx, status, "use.c:42: " text))
/* Its neighbour that keeps all constraints. */
#define HOLDS(call) ((call), CHECK_OK(ctx))

/* The context holds this error, with this whole message, at `use`. Clears it. */
void constraints_check(const char *file, int line, ct_context *ctx, ct_status status,
                       const char *message);

/* A function that gives those of its parameters that `results` names. */
ct_function *constraints_body(ct_context *ctx, ct_list parameters, ct_args results);

#endif
