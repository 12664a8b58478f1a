#include "ops/ops.h"

#include <inttypes.h>

/* a is a batch of square matrices; the caller's numbers of the two constraints. */
static bool check_square(ct__infer *q)
{
    const ct_type *a = q->in[0];

    if (a->rank < 2) /* C2 */
        return ct__fail(q, CT_ERR_SHAPE, "a must have at least two axes, got %s",
                        ct__type_str(q, a));
    if (a->dim[a->rank - 2] != a->dim[a->rank - 1]) /* C3 */
        return ct__fail(q, CT_ERR_SHAPE, "a must hold square matrices, got %s", ct__type_str(q, a));
    return true;
}

bool ct__infer_cholesky(ct__infer *q)
{
    return check_square(q) &&               /* C2, C3 */
           ct__result_of_type(q, q->in[0]); /* C1 */
}

bool ct__infer_triangular_solve(ct__infer *q)
{
    const ct_type *a = q->in[0], *b = q->in[1];
    const bool left = q->attrs->triangular_solve.left_side;

    if (!ct__check_dtypes(q, 0, 1) || !check_square(q)) /* C1 to C3 */
        return false;
    if (a->rank != b->rank) /* C2 */
        return ct__fail(q, CT_ERR_SHAPE, "a and b must have one rank, got %s and %s",
                        ct__type_str(q, a), ct__type_str(q, b));
    for (int d = 0; d < a->rank - 2; d++)
        if (a->dim[d] != b->dim[d]) /* C3 */
            return ct__fail(q, CT_ERR_SHAPE, "a and b must agree on axis %d, got %s and %s", d,
                            ct__type_str(q, a), ct__type_str(q, b));
    if (b->dim[b->rank - (left ? 2 : 1)] != a->dim[a->rank - 1]) /* C3 */
        return ct__fail(q, CT_ERR_SHAPE, "a must meet %s of b, got %s and %s",
                        left ? "the columns" : "the rows", ct__type_str(q, a), ct__type_str(q, b));
    return ct__result_of_type(q, b); /* C4 */
}
