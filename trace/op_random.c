#include "trace/compose.h"

#include <cotangent/op_large.h>

ct_tensor *ct_op_rng_at(ct_place at, ct_tensor *a, ct_tensor *b, ct_dims shape,
                        ct_rng_distribution distribution)
{
    const ct__attrs attrs = {
        .rng = {.rng_distribution = (int)distribution, .shape = ct__ints_of(shape)}};
    return ct__op_on(at, CT__OP_rng, &attrs, 2, (ct_tensor *[]){a, b});
}

void ct_op_rng_bit_generator_at(ct_place at, ct_tensor *state, ct_rng_algorithm algorithm,
                                ct_dtype dtype, ct_dims shape, ct_tensor **state_after,
                                ct_tensor **bits)
{
    const ct__attrs attrs = {.rng_bit_generator = {.rng_algorithm = (int)algorithm,
                                                   .dtype = dtype,
                                                   .shape = ct__ints_of(shape)}};
    const ct__request request = {.at = at,
                                 .op = CT__OP_rng_bit_generator,
                                 .attrs = &attrs,
                                 .n_operands = 1,
                                 .operand = &state};
    ct_tensor **wanted[] = {state_after, bits}, *result[2];
    ct__apply(&request, result, 2);
    for (int i = 0; i < 2; i++) {
        if (wanted[i])
            *wanted[i] = result[i];
        else
            ct_release(result[i]);
    }
}
