#include "ops/ops.h"

/* C1, the dtype, is checked against the table before. */

bool ct__infer_unary(ct__infer *q)
{
    return ct__result_of_type(q, q->in[0]);
}

/* C2: of complex numbers, the real type of their parts. */
bool ct__infer_abs(ct__infer *q)
{
    if (!ct_dtype_is_complex(q->in[0]->dtype))
        return ct__result_of_type(q, q->in[0]);
    return ct__result(q, ct__part_dtype(q->in[0]->dtype), (size_t)q->in[0]->rank, q->in[0]->dim);
}

bool ct__infer_is_finite(ct__infer *q)
{
    return ct__result(q, CT_BOOL, (size_t)q->in[0]->rank, q->in[0]->dim);
}

bool ct__infer_convert(ct__infer *q)
{
    const ct_dtype dtype = q->attrs->convert.dtype;

    if (ct_dtype_bytes(dtype) == 0) /* C1 */
        return ct__fail(q, CT_ERR_TYPE, "dtype = %d must be an element type", (int)dtype);
    return ct__result(q, dtype, (size_t)q->in[0]->rank, q->in[0]->dim);
}

bool ct__infer_binary(ct__infer *q)
{
    return ct__check_types(q, 0, 1) && /* C2 */
           ct__result_of_type(q, q->in[0]);
}
