#include "ad/rules.h"

/* ---- Ties. */

ct_tensor *ct__taken(ct_place at, ct_tensor *x, ct_tensor *y)
{
    ct_tensor *equal = ct_op_compare_at(at, x, y, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *nan = ct_op_compare_at(at, x, x, CT_NE, CT_COMPARE_DEFAULT);
    return ct_op_or_at(at, equal, nan);
}

ct_tensor *ct__share(ct_place at, ct_tensor *count, const ct_type *type)
{
    bool is_double = type->dtype == CT_F64 || type->dtype == CT_C128;
    ct_dtype wide = is_double ? CT_F64 : CT_F32; /* f16 ends before large counts do */
    ct_tensor *n = ct_op_convert_at(at, count, wide);
    return ct__converted(at, ct_op_divide_at(at, ct__like(at, n, 1), n), type->dtype);
}

ct_tensor *ct__taken_of_two(ct_place at, ct_tensor *x, ct_tensor *other, ct_tensor *y)
{
    ct_tensor *won = ct__taken(at, x, y), *tied = ct__taken(at, other, y);
    ct_tensor *part = ct_op_select_at(at, tied, ct__like(at, y, 0.5), ct__like(at, y, 1));
    return ct_op_select_at(at, won, part, ct__like(at, y, 0));
}

/* ---- Rules. */

/* Linear in both values; the choice is a constant. */
void ct__jvp_select(ct__jvp_whole *q)
{
    ct__jvp_linear(q);
}

/* Each value gets the cotangent where it was chosen, zero elsewhere. */
void ct__transpose_select(ct__transpose *q)
{
    ct_tensor *zero = ct__like(q->at, q->ybar[0], 0);
    if (q->linear[1])
        ct__cotangent_add(q, 1, ct_op_select_at(q->at, q->x[0], q->ybar[0], zero));
    if (q->linear[2])
        ct__cotangent_add(q, 2, ct_op_select_at(q->at, q->x[0], zero, q->ybar[0]));
}

/* y = min(m, hi), m = max(x, lo), and so are the slopes: half at a bound. */
ct_tensor *ct__jvp_clamp(const ct__jvp *q)
{
    ct_place at = q->at;
    const ct_type *type = ct_type_of(q->y);
    if (!type)
        return q->y;
    ct_tensor *lo = ct__spread(at, q->x[0], type), *x = q->x[1];
    ct_tensor *hi = ct__spread(at, q->x[2], type), *m = ct_op_maximum_at(at, x, lo);
    ct_tensor *dx = ct__spread(at, q->dx, type);
    if (q->operand == 2)
        return ct__scale(at, dx, ct__taken_of_two(at, hi, m, q->y));
    ct_tensor *inner = q->operand == 1 ? ct__taken_of_two(at, x, lo, m)
                                       : ct__taken_of_two(at, lo, x, m);
    ct_tensor *outer = ct__taken_of_two(at, m, hi, q->y);
    return ct__scale(at, dx, ct_op_multiply_at(at, inner, outer));
}
