/* Parts of complex numbers, and the bits of elements. */
#include "trace/trace.h"

#include <cotangent/op.h>

ct_tensor *ct_op_real_at(ct_place at, ct_tensor *x)
{
    return ct__unary(at, CT__OP_real, x);
}

ct_tensor *ct_op_imag_at(ct_place at, ct_tensor *x)
{
    return ct__unary(at, CT__OP_imag, x);
}

ct_tensor *ct_op_complex_at(ct_place at, ct_tensor *re, ct_tensor *im)
{
    return ct__binary(at, CT__OP_complex, re, im);
}

ct_tensor *ct_op_bitcast_convert_at(ct_place at, ct_tensor *x, ct_dtype dtype)
{
    const ct__attrs attrs = {.bitcast_convert = {.dtype = dtype}};
    return ct__op_on(at, CT__OP_bitcast_convert, &attrs, 1, &x);
}

ct_tensor *ct_op_reduce_precision_at(ct_place at, ct_tensor *x, int64_t exponent_bits,
                                     int64_t mantissa_bits)
{
    const ct__attrs attrs = {
        .reduce_precision = {.exponent_bits = exponent_bits, .mantissa_bits = mantissa_bits}};
    return ct__op_on(at, CT__OP_reduce_precision, &attrs, 1, &x);
}
