#include "trace/compose.h"

/* ---- One operand. */

#define UNARY(name)                                                                                \
    ct_tensor *ct_op_##name##_at(ct_place at, ct_tensor *x)                                        \
    {                                                                                              \
        return ct__unary(at, CT__OP_##name, x);                                                    \
    }

UNARY(abs)
UNARY(cbrt)
UNARY(ceil)
UNARY(cosine)
UNARY(count_leading_zeros)
UNARY(erf)
UNARY(exponential)
UNARY(exponential_minus_one)
UNARY(floor)
UNARY(is_finite)
UNARY(log)
UNARY(log_plus_one)
UNARY(logistic)
UNARY(negate)
UNARY(not )
UNARY(popcnt)
UNARY(round_nearest_afz)
UNARY(round_nearest_even)
UNARY(rsqrt)
UNARY(sign)
UNARY(sine)
UNARY(sqrt)
UNARY(stop_gradient)
UNARY(tan)
UNARY(tanh)

/* CHLO's functions. */
UNARY(acos)
UNARY(acosh)
UNARY(asin)
UNARY(asinh)
UNARY(atan)
UNARY(atanh)
UNARY(bessel_i1e)
UNARY(cosh)
UNARY(digamma)
UNARY(erf_inv)
UNARY(erfc)
UNARY(lgamma)
UNARY(sinh)

ct_tensor *ct_op_convert_at(ct_place at, ct_tensor *x, ct_dtype dtype)
{
    const ct__attrs attrs = {.convert = {.dtype = dtype}};
    return ct__op_on(at, CT__OP_convert, &attrs, 1, &x);
}

/* ---- Two operands. */

#define BINARY(name)                                                                               \
    ct_tensor *ct_op_##name##_at(ct_place at, ct_tensor *x, ct_tensor *y)                          \
    {                                                                                              \
        return ct__binary(at, CT__OP_##name, x, y);                                                \
    }

ct_tensor *ct_op_atan2_at(ct_place at, ct_tensor *y, ct_tensor *x)
{
    return ct__binary(at, CT__OP_atan2, y, x);
}

ct_tensor *ct_op_polygamma_at(ct_place at, ct_tensor *n, ct_tensor *x)
{
    return ct__binary(at, CT__OP_polygamma, n, x);
}

ct_tensor *ct_op_zeta_at(ct_place at, ct_tensor *s, ct_tensor *q)
{
    return ct__binary(at, CT__OP_zeta, s, q);
}

BINARY(add)
BINARY(and)
BINARY(divide)
BINARY(maximum)
BINARY(minimum)
BINARY(mulhi)
BINARY(multiply)
BINARY(next_after)
BINARY(or)
BINARY(power)
BINARY(remainder)
BINARY(scale)
BINARY(scale_either)
BINARY(shift_left)
BINARY(shift_right_arithmetic)
BINARY(shift_right_logical)
BINARY(subtract)
BINARY(xor)

/* ---- Choosing. */

ct_tensor *ct_op_compare_at(ct_place at, ct_tensor *x, ct_tensor *y, ct_comparison direction,
                            ct_compare_type type)
{
    const ct__attrs attrs = {
        .compare = {.comparison_direction = (int)direction, .compare_type = (int)type}};
    ct_tensor *const operand[] = {x, y};
    return ct__op_on(at, CT__OP_compare, &attrs, 2, operand);
}

ct_tensor *ct_op_select_at(ct_place at, ct_tensor *pred, ct_tensor *on_true, ct_tensor *on_false)
{
    ct_tensor *const operand[] = {pred, on_true, on_false};
    return ct__op_on(at, CT__OP_select, NULL, 3, operand);
}

ct_tensor *ct_op_clamp_at(ct_place at, ct_tensor *lo, ct_tensor *x, ct_tensor *hi)
{
    ct_tensor *const operand[] = {lo, x, hi};
    return ct__op_on(at, CT__OP_clamp, NULL, 3, operand);
}
