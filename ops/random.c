#include "ops/ops.h"

#include <cotangent/op_large.h>

bool ct__infer_rng(ct__infer *q)
{
    const ct__ints shape = q->attrs->rng.shape;

    for (size_t i = 0; i < 2; i++)
        if (q->in[i]->rank != 0)
            return ct__fail(q, CT_ERR_SHAPE, "%s must be a scalar, got %s", ct__operand_str(q, i),
                            ct__type_str(q, q->in[i]));
    if (!ct__check_dtypes(q, 0, 1)) /* C1 */
        return false;
    if (q->attrs->rng.rng_distribution == CT_RNG_NORMAL &&
        !ct_dtype_is_float(q->in[0]->dtype)) /* C2 */
        return ct__fail(q, CT_ERR_TYPE, "NORMAL takes a and b of floats, got %s",
                        ct__type_str(q, q->in[0]));
    return ct__result(q, q->in[0]->dtype, shape.count, shape.item); /* C1, C3 */
}

static bool check_state(ct__infer *q)
{
    const ct_type *state = q->in[0];
    const int algorithm = q->attrs->rng_bit_generator.rng_algorithm;
    const bool fits = state->rank == 1 &&
                      (state->dim[0] == 2 || (state->dim[0] == 3 && algorithm != CT_RNG_THREE_FRY));

    if (state->dtype != CT_U64)
        return ct__fail(q, CT_ERR_TYPE, "state must be of u64, got %s", ct__type_str(q, state));
    return fits ||
           ct__fail(q, CT_ERR_SHAPE, "state of %s must be u64[2]%s, got %s",
                    ct__names_rng_algorithm[algorithm],
                    algorithm == CT_RNG_THREE_FRY ? "" : " or u64[3]", ct__type_str(q, state));
}

bool ct__infer_rng_bit_generator(ct__infer *q)
{
    const struct ct__attrs_rng_bit_generator *a = &q->attrs->rng_bit_generator;

    if (!check_state(q)) /* C2 */
        return false;
    if (!ct_dtype_is_integer(a->dtype) && !ct_dtype_is_float(a->dtype)) /* C3 */
        return ct__fail(q, CT_ERR_TYPE, "dtype = %s must be one of integers or floats",
                        ct_dtype_name(a->dtype));
    if (!ct__results(q, 2))
        return false;
    q->out[0] = q->in[0]; /* C1 */
    q->out[1] = ct__tensor(q, a->dtype, a->shape.count, a->shape.item);
    return q->out[1] != NULL;
}
