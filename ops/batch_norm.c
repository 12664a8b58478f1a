/* Normalising by features: along every axis of x but one. The constraints are StableHLO's; the
 * operands' dtype is checked against the table before. */
#include "ops/ops.h"

#include <inttypes.h>

/* Operand i is a number per feature, of x's dtype. */
static bool check_per_feature(ct__infer *q, size_t i)
{
    const int64_t axis = q->attrs->batch_norm.feature_index;

    if (!ct__check_dtypes(q, 0, i))
        return false;
    if (q->in[i]->rank == 1 && q->in[i]->dim[0] == q->in[0]->dim[axis])
        return true;
    return ct__fail(q, CT_ERR_SHAPE,
                    "%s must have shape [%" PRId64 "], the extent of axis feature_index = %" PRId64
                    " of x, got %s",
                    ct__operand_str(q, i), q->in[0]->dim[axis], axis, ct__type_str(q, q->in[i]));
}

/* C1, then C2 and the sizes of operands 1 … n. */
static bool check_features(ct__infer *q, size_t n)
{
    const int64_t axis = q->attrs->batch_norm.feature_index;

    if (axis < 0 || axis >= q->in[0]->rank) /* C1 */
        return ct__fail_rank(q, "feature_index = %" PRId64 " must be an axis of x: %s", axis,
                             ct__type_str(q, q->in[0]));
    for (size_t i = 1; i <= n; i++)
        if (!check_per_feature(q, i))
            return false;
    return true;
}

bool ct__infer_batch_norm_inference(ct__infer *q)
{
    return check_features(q, 4) &&          /* C1 … C6 */
           ct__result_of_type(q, q->in[0]); /* C7 */
}

/* The results are like x and, twice, like scale. */
static bool results_by_feature(ct__infer *q)
{
    if (!ct__results(q, 3))
        return false;
    q->out[0] = q->in[0];
    q->out[1] = q->out[2] = q->in[1];
    return true;
}

bool ct__infer_batch_norm_training(ct__infer *q)
{
    return check_features(q, 2) && /* C1 … C4 */
           results_by_feature(q);  /* C5 … C7 */
}

bool ct__infer_batch_norm_grad(ct__infer *q)
{
    return check_features(q, 3) &&     /* C1, C2, C4 */
           ct__check_types(q, 0, 4) && /* C2, C3 */
           results_by_feature(q);      /* C3, C4 */
}
