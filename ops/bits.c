/* Parts of complex numbers, and operations on the bits of elements. */
#include "ops/ops.h"

#include <inttypes.h>

bool ct__infer_part(ct__infer *q)
{
    return ct__result(q, ct__part_dtype(q->in[0]->dtype), (size_t)q->in[0]->rank, q->in[0]->dim);
}

bool ct__infer_complex(ct__infer *q)
{
    const ct_dtype dtype = ct__complex_dtype(q->in[0]->dtype);

    if (!ct__check_types(q, 0, 1)) /* C1 */
        return false;
    if (dtype == CT_INVALID_DTYPE) /* C2 */
        return ct__fail(q, CT_ERR_TYPE, "re must be f32 or f64, got %s", ct__type_str(q, q->in[0]));
    return ct__result(q, dtype, (size_t)q->in[0]->rank, q->in[0]->dim); /* C3 */
}

bool ct__infer_reduce_precision(ct__infer *q)
{
    const struct ct__attrs_reduce_precision *a = &q->attrs->reduce_precision;

    if (a->exponent_bits < 1) /* C2 */
        return ct__fail(q, CT_ERR_SHAPE, "exponent_bits = %" PRId64 " must be at least 1",
                        a->exponent_bits);
    if (a->mantissa_bits < 0) /* C3 */
        return ct__fail(q, CT_ERR_SHAPE, "mantissa_bits = %" PRId64 " must not be negative",
                        a->mantissa_bits);
    return ct__result_of_type(q, q->in[0]); /* C1 */
}

/* C1: elements of the wide dtype and of the narrow one have as many bits in all, the narrow ones
 * along a new last axis. */
bool ct__infer_bitcast_convert(ct__infer *q)
{
    const ct_type *x = q->in[0];
    const ct_dtype dtype = q->attrs->bitcast_convert.dtype;
    const unsigned from = ct__dtype_bits(x->dtype), to = ct__dtype_bits(dtype);
    int64_t dim[CT__MAX_RANK + 1];
    size_t rank = (size_t)x->rank;

    if (to == 0)
        return ct__fail(q, CT_ERR_TYPE, "dtype = %d must be an element type", (int)dtype);
    if (ct_dtype_is_complex(dtype) != ct_dtype_is_complex(x->dtype)) /* C2 */
        return ct__fail(q, CT_ERR_TYPE, "both dtypes must be complex or neither, got %s and %s",
                        ct__type_str(q, x), ct_dtype_name(dtype));
    for (size_t d = 0; d < rank; d++)
        dim[d] = x->dim[d];
    if (from > to && from % to == 0) {
        dim[rank++] = from / to;
    } else if (from < to && to % from == 0 && rank > 0 && dim[rank - 1] == (int64_t)(to / from)) {
        rank--;
    } else if (from != to) {
        return ct__fail(q, CT_ERR_SHAPE, "%s of %u bits each cannot be read as %s, of %u bits",
                        ct__type_str(q, x), from, ct_dtype_name(dtype), to);
    }
    return ct__result(q, dtype, rank, dim);
}
