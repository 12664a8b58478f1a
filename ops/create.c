#include "ops/ops.h"

#include <inttypes.h>

bool ct__infer_constant(ct__infer *q)
{
    return ct__result_of_type(q, q->attrs->constant.value->type);
}

bool ct__infer_iota(ct__infer *q)
{
    const struct ct__attrs_iota *a = &q->attrs->iota;

    if (ct_dtype_bytes(a->dtype) == 0 || a->dtype == CT_BOOL) /* C1 */
        return ct__fail(q, CT_ERR_TYPE, "dtype must be an integer, float or complex, got %s",
                        ct_dtype_name(a->dtype));
    if (a->iota_dimension < 0 || (uint64_t)a->iota_dimension >= a->shape.count) /* C2 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "iota_dimension = %" PRId64 " must be an axis of shape = %s",
                        a->iota_dimension, ct__ints_str(q, a->shape));
    return ct__result(q, a->dtype, a->shape.count, a->shape.item);
}
