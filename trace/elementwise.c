#include "trace/compose.h"

#include <cotangent/elementwise.h>

#include <math.h>

#define NUMBERS (CT__INTS | CT__FLOATS | CT__COMPLEXES)

/* ---- One tensor. */

static ct_tensor *unary(ct_place at, const char *name, ct__op op, ct_tensor *x)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, name, &operand, x) || !ct__allow(&q, 0, ct__op_describe(op)->dtypes))
        return ct__poison(q.ctx);
    return ct__unary(at, op, x);
}

#define UNARY(name, primitive)                                                                     \
    ct_tensor *ct_##name##_at(ct_place at, ct_tensor *x)                                           \
    {                                                                                              \
        return unary(at, #name, CT__OP_##primitive, x);                                            \
    }

UNARY(neg, negate)
UNARY(erf, erf)
UNARY(exp, exponential)
UNARY(expm1, exponential_minus_one)
UNARY(log, log)
UNARY(log1p, log_plus_one)
UNARY(sqrt, sqrt)
UNARY(rsqrt, rsqrt)
UNARY(cbrt, cbrt)
UNARY(sin, sine)
UNARY(cos, cosine)
UNARY(tan, tan)
UNARY(tanh, tanh)
UNARY(sigmoid, logistic)
UNARY(acos, acos)
UNARY(acosh, acosh)
UNARY(asin, asin)
UNARY(asinh, asinh)
UNARY(atan, atan)
UNARY(atanh, atanh)
UNARY(bessel_i1e, bessel_i1e)
UNARY(cosh, cosh)
UNARY(digamma, digamma)
UNARY(erf_inv, erf_inv)
UNARY(erfc, erfc)
UNARY(lgamma, lgamma)
UNARY(sinh, sinh)
UNARY(floor, floor)
UNARY(ceil, ceil)
UNARY(round, round_nearest_even)
UNARY(not, not )
UNARY(is_finite, is_finite)
UNARY(stop_gradient, stop_gradient)

/* A number in x's dtype and shape. */
static ct_tensor *number_like(const ct__composite *q, ct_tensor *x, double value)
{
    const ct__extents shape = ct__extents_of(x);
    return ct__number(q, ct_operand_real(value), x->type->dtype, &shape);
}

static bool is_unsigned(const ct_tensor *x)
{
    return (ct__class_of(x->type->dtype) & CT__UNSIGNED) != 0;
}

/* The primitive is of signed numbers: unsigned ones are what they are. */
ct_tensor *ct_abs_at(ct_place at, ct_tensor *x)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, "abs", &operand, x) || !ct__allow(&q, 0, NUMBERS))
        return ct__poison(q.ctx);
    ct__open(&q);
    return ct__close(&q, is_unsigned(x) ? x : ct_op_abs_at(at, x));
}

/* Of unsigned numbers min(x, 1). */
ct_tensor *ct_sign_at(ct_place at, ct_tensor *x)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, "sign", &operand, x) || !ct__allow(&q, 0, NUMBERS))
        return ct__poison(q.ctx);
    ct__open(&q);
    return ct__close(&q, is_unsigned(x) ? ct_op_minimum_at(at, x, number_like(&q, x, 1))
                                        : ct_op_sign_at(at, x));
}

ct_tensor *ct_square_at(ct_place at, ct_tensor *x)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, "square", &operand, x))
        return ct__poison(q.ctx);
    return ct__binary(at, CT__OP_multiply, x, x);
}

ct_tensor *ct_reciprocal_at(ct_place at, ct_tensor *x)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, "reciprocal", &operand, x) ||
        !ct__allow(&q, 0, CT__FLOATS | CT__COMPLEXES))
        return ct__poison(q.ctx);
    ct__open(&q);
    return ct__close(&q, ct__binary(at, CT__OP_divide, number_like(&q, x, 1), x));
}

/* √½ x, or √(2/π) (x + 0.044715 x³) = √(2/π) x (1 + 0.044715 x²). */
static ct_tensor *gelu_argument(const ct__composite *q, ct_tensor *x, ct_gelu_form form)
{
    ct_place at = q->at;
    if (form == CT_GELU_EXACT)
        return ct_op_multiply_at(at, x, number_like(q, x, M_SQRT1_2));
    ct_tensor *square = ct_op_multiply_at(at, x, x);
    ct_tensor *cubic = ct_op_multiply_at(at, square, number_like(q, x, 0.044715));
    ct_tensor *factor = ct_op_add_at(at, cubic, number_like(q, x, 1));
    ct_tensor *linear = ct_op_multiply_at(at, x, number_like(q, x, M_2_SQRTPI * M_SQRT1_2));
    return ct_op_multiply_at(at, linear, factor);
}

/* p x, where p is the probability below x. At -inf it is 0, and so must the product be: scale. */
ct_tensor *ct_gelu_at(ct_place at, ct_tensor *x, ct_gelu_form form)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, "gelu", &operand, x) || !ct__allow(&q, 0, CT__FLOATS))
        return ct__poison(q.ctx);
    if (form != CT_GELU_EXACT && form != CT_GELU_TANH)
        return ct__composite_error(&q, CT_ERR_ARGUMENT, "there is no form %d", (int)form);
    ct_dtype dtype = x->type->dtype;
    ct__open(&q);
    ct_tensor *wide = ct__convert(at, x, ct__sum_dtype(dtype));
    if (ct_is_poison(wide))
        return ct__close(&q, wide);
    ct_tensor *z = gelu_argument(&q, wide, form), *half = number_like(&q, wide, 0.5);
    ct_tensor *odd = form == CT_GELU_EXACT ? ct_op_erf_at(at, z) : ct_op_tanh_at(at, z);
    ct_tensor *p = ct_op_add_at(at, ct_op_multiply_at(at, odd, half), half);
    return ct__close(&q, ct__convert(at, ct_op_scale_at(at, p, wide), dtype));
}

/* NaN <= 0 does not hold, so NaN stays; the constant 0 has no slope, so neither has relu at 0. */
ct_tensor *ct_relu_at(ct_place at, ct_tensor *x)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, "relu", &operand, x) || !ct__allow(&q, 0, CT__INTS | CT__FLOATS))
        return ct__poison(q.ctx);
    ct__open(&q);
    ct_tensor *zero = number_like(&q, x, 0);
    ct_tensor *off = ct_op_compare_at(at, x, zero, CT_LE, CT_COMPARE_DEFAULT);
    return ct__close(&q, ct_op_select_at(at, off, zero, x));
}

ct_tensor *ct_cast_at(ct_place at, ct_tensor *x, ct_dtype dtype)
{
    ct__composite q;
    ct_operand operand;
    if (!ct__begin1(&q, at, "cast", &operand, x))
        return ct__poison(q.ctx);
    if (ct_dtype_bytes(dtype) == 0)
        return ct__composite_error(&q, CT_ERR_ARGUMENT, "there is no dtype %d", (int)dtype);
    ct__open(&q);
    return ct__close(&q, ct__convert(at, x, dtype));
}

/* ---- Two operands. */

bool ct__align(const ct__composite *q, size_t first, unsigned classes, ct_tensor **aligned)
{
    ct_dtype dtype;
    ct__extents shape;
    if (!ct__common_dtype(q, first, &dtype))
        return false;
    for (size_t i = first; i < q->n_operands; i++)
        if (q->operand[i].kind == CT_OPERAND_TENSOR && !ct__allow(q, i, classes))
            return false;
    if (!ct__broadcast(q, 0, &shape))
        return false;
    for (size_t i = first; i < q->n_operands; i++)
        aligned[i] = ct__operand(q, i, dtype, &shape);
    return !ct_failed(q->ctx);
}

static ct_tensor *binary(ct_place at, const char *name, const char *operands, ct__op op,
                         unsigned classes, ct_operand x, ct_operand y)
{
    const ct_operand operand[] = {x, y};
    ct__composite q;
    ct_tensor *aligned[2] = {NULL};
    if (!ct__begin(&q, at, name, operands, 2, operand))
        return ct__poison(q.ctx);
    ct__open(&q);
    ct_tensor *z = ct__poison(q.ctx);
    if (ct__align(&q, 0, classes, aligned))
        z = ct__binary(at, op, aligned[0], aligned[1]);
    return ct__close(&q, z);
}

#define BINARY(name, x, y, primitive, classes)                                                     \
    ct_tensor *ct_##name##_at(ct_place at, ct_operand x, ct_operand y)                             \
    {                                                                                              \
        return binary(at, #name, #x " " #y, CT__OP_##primitive, classes, x, y);                    \
    }
BINARY(add, x, y, add, CT__ANY)
BINARY(sub, x, y, subtract, NUMBERS)
BINARY(mul, x, y, multiply, CT__ANY)
BINARY(div, x, y, divide, NUMBERS)
BINARY(pow, x, y, power, NUMBERS)
BINARY(rem, x, y, remainder, CT__INTS | CT__FLOATS)
BINARY(maximum, x, y, maximum, CT__INTS | CT__FLOATS | CT__BOOLS)
BINARY(minimum, x, y, minimum, CT__INTS | CT__FLOATS | CT__BOOLS)
BINARY(atan2, y, x, atan2, CT__FLOATS)
BINARY(next_after, x, y, next_after, CT__FLOATS)
BINARY(polygamma, n, x, polygamma, CT__FLOATS)
BINARY(zeta, s, q, zeta, CT__FLOATS)
BINARY(and, x, y, and, CT__INTS | CT__BOOLS)
BINARY(or, x, y, or, CT__INTS | CT__BOOLS)
BINARY(xor, x, y, xor, CT__INTS | CT__BOOLS)

/* ---- Comparing. */

static ct_tensor *compare(ct_place at, const char *name, ct_comparison direction, unsigned classes,
                          ct_operand x, ct_operand y)
{
    const ct_operand operand[] = {x, y};
    ct__composite q;
    ct_tensor *aligned[2] = {NULL};
    if (!ct__begin(&q, at, name, "x y", 2, operand))
        return ct__poison(q.ctx);
    ct__open(&q);
    ct_tensor *z = ct__poison(q.ctx);
    if (ct__align(&q, 0, classes, aligned))
        z = ct_op_compare_at(at, aligned[0], aligned[1], direction, CT_COMPARE_DEFAULT);
    return ct__close(&q, z);
}

#define COMPARE(name, direction, classes)                                                          \
    ct_tensor *ct_##name##_at(ct_place at, ct_operand x, ct_operand y)                             \
    {                                                                                              \
        return compare(at, #name, direction, classes, x, y);                                       \
    }
#define ORDERED (CT__INTS | CT__FLOATS | CT__BOOLS)

COMPARE(eq, CT_EQ, CT__ANY)
COMPARE(ne, CT_NE, CT__ANY)
COMPARE(lt, CT_LT, ORDERED)
COMPARE(le, CT_LE, ORDERED)
COMPARE(gt, CT_GT, ORDERED)
COMPARE(ge, CT_GE, ORDERED)

/* ---- Choosing. */

ct_tensor *ct_where_at(ct_place at, ct_tensor *pred, ct_operand x, ct_operand y)
{
    const ct_operand operand[] = {ct_operand_tensor(pred), x, y};
    ct__composite q;
    ct_tensor *aligned[3] = {NULL};
    if (!ct__begin(&q, at, "where", "pred x y", 3, operand) || !ct__allow(&q, 0, CT__BOOLS))
        return ct__poison(q.ctx);
    ct__open(&q);
    ct_tensor *z = ct__poison(q.ctx);
    if (ct__align(&q, 1, CT__ANY, aligned)) {
        const ct__extents shape = ct__extents_of(aligned[1]);
        ct_tensor *spread = pred->type->rank == 0 ? pred : ct__stretch(at, pred, &shape);
        z = ct_op_select_at(at, spread, aligned[1], aligned[2]);
    }
    return ct__close(&q, z);
}

/* A bound of rank 0 stays so, which clamp takes. */
static ct_tensor *bound(const ct__composite *q, size_t i, ct_dtype dtype, const ct__extents *shape)
{
    static const ct__extents scalar = {.rank = 0};
    bool is_scalar = q->operand[i].kind != CT_OPERAND_TENSOR || ct_rank(q->operand[i].tensor) == 0;
    return ct__operand(q, i, dtype, is_scalar ? &scalar : shape);
}

ct_tensor *ct_clip_at(ct_place at, ct_tensor *x, ct_operand lo, ct_operand hi)
{
    const ct_operand operand[] = {ct_operand_tensor(x), lo, hi};
    ct__composite q;
    ct_dtype dtype;
    ct__extents shape;
    if (!ct__begin(&q, at, "clip", "x lo hi", 3, operand) || !ct__allow(&q, 0, ORDERED) ||
        !ct__common_dtype(&q, 0, &dtype) || !ct__broadcast(&q, 0, &shape))
        return ct__poison(q.ctx);
    ct__open(&q);
    ct_tensor *low = bound(&q, 1, dtype, &shape), *high = bound(&q, 2, dtype, &shape);
    return ct__close(&q, ct_op_clamp_at(at, low, ct__stretch(at, x, &shape), high));
}
