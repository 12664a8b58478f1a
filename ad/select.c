#include "ad/rules.h"

#include <math.h>

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

/* Of a number that is not NaN: nothing but x can be. */
static ct_tensor *taken_of_number(ct_place at, int kind, ct_tensor *x, ct_tensor *number,
                                  ct_tensor *y)
{
    ct_comparison beyond = kind == CT__OP_maximum ? CT_LT : CT_GT;
    ct_tensor *lost = ct_op_compare_at(at, x, number, beyond, CT_COMPARE_DEFAULT);
    ct_tensor *tied = ct_op_compare_at(at, x, number, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *part = ct_op_select_at(at, tied, ct__like(at, y, 0.5), ct__like(at, y, 1));
    return ct_op_select_at(at, lost, ct__like(at, y, 0), part);
}

ct_tensor *ct__taken_of_two(ct_place at, int kind, ct_tensor *x, ct_tensor *other, ct_tensor *y)
{
    double number;
    if (!ct__is_complex(x) && ct__splat_value(other, &number) && !isnan(number))
        return taken_of_number(at, kind, x, other, y);
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

/* ---- Clamps: y = min(m, hi), m = max(x, lo), and so are the slopes: half at a bound. */

static bool are_bounds(ct_tensor *lo, ct_tensor *hi)
{
    double low, high;
    return !ct__is_complex(lo) && ct__splat_value(lo, &low) && ct__splat_value(hi, &high) &&
           low < high;
}

/* Where bounds are numbers, one below the other: 1 between them and where x is NaN. */
static ct_tensor *slope_between(ct_place at, ct_tensor *lo, ct_tensor *x, ct_tensor *hi,
                                ct_tensor *y)
{
    ct_tensor *is_low = ct_op_compare_at(at, y, lo, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *is_high = ct_op_compare_at(at, y, hi, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *is_x = ct_op_compare_at(at, x, y, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *bound = ct_op_select_at(at, is_x, ct__like(at, y, 0.5), ct__like(at, y, 0));
    return ct_op_select_at(at, ct_op_or_at(at, is_low, is_high), bound, ct__like(at, y, 1));
}

/* The sum of the tangents, each times its part; the parts add up to 1, and are exact. */
static ct_tensor *parts_of_clamp(const ct__jvp_whole *q, ct_tensor *lo, ct_tensor *hi)
{
    ct_place at = q->at;
    ct_tensor *x = q->x[1], *y = q->y[0], *m = ct_op_maximum_at(at, x, lo);
    ct_tensor *outer = ct__taken_of_two(at, CT__OP_minimum, m, hi, y);
    ct_tensor *inner = ct__taken_of_two(at, CT__OP_maximum, x, lo, m);
    ct_tensor *part[3] = {NULL, ct_op_multiply_at(at, inner, outer), NULL}, *dy = NULL;
    part[0] = ct_op_subtract_at(at, outer, part[1]);
    part[2] = ct_op_subtract_at(at, ct__like(at, y, 1), outer);
    for (int i = 0; i < 3; i++) {
        if (!q->dx[i])
            continue;
        ct_tensor *term = ct__scale(at, ct__spread(at, q->dx[i], ct_type_of(y)), part[i]);
        dy = dy ? ct__sum(at, dy, term) : term;
    }
    return dy;
}

void ct__jvp_clamp(ct__jvp_whole *q)
{
    if (!ct__primal(q) || !ct__has_tangent(ct_type_of(q->y[0])))
        return;
    ct_place at = q->at;
    const ct_type *type = ct_type_of(q->y[0]);
    ct_tensor *lo = ct__spread(at, q->x[0], type), *hi = ct__spread(at, q->x[2], type);
    if (!q->dx[0] && !q->dx[2] && are_bounds(lo, hi))
        q->dy[0] = ct__scale(at, q->dx[1], slope_between(at, lo, q->x[1], hi, q->y[0]));
    else
        q->dy[0] = parts_of_clamp(q, lo, hi);
}
