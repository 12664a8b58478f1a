#include "ops/ops.h"

#include <cotangent/op.h>

static bool compare_type_fits(int type, ct_dtype dtype)
{
    switch (type) {
    case CT_COMPARE_FLOAT: return ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype);
    case CT_COMPARE_TOTALORDER: return ct_dtype_is_float(dtype);
    case CT_COMPARE_SIGNED: return ct_dtype_is_signed(dtype);
    case CT_COMPARE_UNSIGNED:
        return dtype == CT_BOOL || (ct_dtype_is_integer(dtype) && !ct_dtype_is_signed(dtype));
    default: return true;
    }
}

bool ct__infer_compare(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const int type = q->attrs->compare.compare_type;

    if (!ct__check_types(q, 0, 1)) /* C1 */
        return false;
    if (!compare_type_fits(type, x->dtype)) /* C2 */
        return ct__fail(q, CT_ERR_TYPE, "compare_type = %s does not fit x: %s",
                        ct__names_compare_type[type], ct__type_str(q, x));
    return ct__result(q, CT_BOOL, (size_t)x->rank, x->dim);
}

/* Operand i has rank 0 or the shape of operand `of`. */
static bool check_scalar_or_shape(ct__infer *q, size_t i, size_t of)
{
    if (q->in[i]->rank == 0 || ct__shape_equal(q->in[i], q->in[of]))
        return true;
    return ct__fail(q, CT_ERR_SHAPE, "%s must have rank 0 or the shape of %s, got %s and %s",
                    ct__operand_str(q, i), ct__operand_str(q, of), ct__type_str(q, q->in[i]),
                    ct__type_str(q, q->in[of]));
}

bool ct__infer_select(ct__infer *q)
{
    return check_scalar_or_shape(q, 0, 1) && /* C1, with the table's bool */
           ct__check_types(q, 1, 2) &&       /* C2 */
           ct__result_of_type(q, q->in[1]);
}

bool ct__infer_clamp(ct__infer *q)
{
    return check_scalar_or_shape(q, 0, 1) && /* C1 */
           check_scalar_or_shape(q, 2, 1) && /* C1 */
           ct__check_dtypes(q, 0, 1) &&      /* C2, with the table's classes */
           ct__check_dtypes(q, 1, 2) &&      /* C2 */
           ct__result_of_type(q, q->in[1]);
}
