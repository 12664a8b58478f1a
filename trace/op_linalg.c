#include "trace/compose.h"

#include <cotangent/op_large.h>

ct_tensor *ct_op_fft_at(ct_place at, ct_tensor *x, ct_fft_type type, ct_dims fft_length)
{
    const ct__attrs attrs = {.fft = {.fft_type = (int)type, .fft_length = ct__ints_of(fft_length)}};
    return ct__op_on(at, CT__OP_fft, &attrs, 1, &x);
}

ct_tensor *ct_op_cholesky_at(ct_place at, ct_tensor *a, bool lower)
{
    const ct__attrs attrs = {.cholesky = {.lower = lower}};
    return ct__op_on(at, CT__OP_cholesky, &attrs, 1, &a);
}

ct_tensor *ct_op_triangular_solve_at(ct_place at, ct_tensor *a, ct_tensor *b,
                                     const ct_solve_options *options)
{
    static const ct_solve_options none;
    const ct_solve_options *o = options ? options : &none;
    const ct__attrs attrs = {.triangular_solve = {.left_side = o->left_side,
                                                  .lower = o->lower,
                                                  .unit_diagonal = o->unit_diagonal,
                                                  .transpose_a = (int)o->transpose_a}};
    return ct__op_on(at, CT__OP_triangular_solve, &attrs, 2, (ct_tensor *[]){a, b});
}
