/* The derivative of e^-|x| I1(x). By the recurrence it is e^-|x| (I0(x) - I1(x)/x - |I1(x)|), which
 * cancels to 1/(2x) of its terms for large x; so it is a polynomial of its own. */
#include "ad/rules.h"

#include "ad/bessel.inc"

enum { N_NEAR = sizeof near / sizeof *near, N_FAR = sizeof far / sizeof *far };

/* c[0] + c[1] t + … */
static ct_tensor *polynomial(ct_place at, ct_tensor *t, const double *c, size_t n)
{
    ct_tensor *sum = ct__like(at, t, c[n - 1]);
    for (size_t i = n - 1; i-- > 0 && !ct_is_poison(sum);)
        sum = ct_op_add_at(at, ct_op_multiply_at(at, sum, t), ct__like(at, t, c[i]));
    return sum;
}

/* It is even: of size = |x|. Up to 8 a polynomial in size/4 - 1, beyond one in 16/size - 1 that is
 * divided by size^(3/2). Each stays in its range, so that the one not taken is finite. */
static ct_tensor *slope(ct_place at, ct_tensor *size)
{
    ct_tensor *one = ct__like(at, size, 1), *end = ct__like(at, size, 8);
    ct_tensor *is_near = ct_op_compare_at(at, size, end, CT_LE, CT_COMPARE_DEFAULT);
    ct_tensor *low = ct_op_select_at(at, is_near, size, end);
    ct_tensor *high = ct_op_select_at(at, is_near, end, size);
    ct_tensor *t = ct_op_subtract_at(at, ct_op_multiply_at(at, low, ct__like(at, size, 0.25)), one);
    ct_tensor *u = ct_op_subtract_at(at, ct_op_divide_at(at, ct__like(at, size, 16), high), one);
    ct_tensor *root = ct_op_divide_at(at, ct_op_rsqrt_at(at, high), high);
    ct_tensor *beyond = ct_op_multiply_at(at, polynomial(at, u, far, N_FAR), root);
    return ct_op_select_at(at, is_near, polynomial(at, t, near, N_NEAR), beyond);
}

/* f16 and bf16 take the polynomials in f32. */
ct_tensor *ct__jvp_bessel_i1e(const ct__jvp *q)
{
    ct_dtype dtype = ct_dtype_of(q->x[0]);
    ct_tensor *x = ct__converted(q->at, q->x[0], ct__is_narrow_float(dtype) ? CT_F32 : dtype);
    ct_tensor *factor = slope(q->at, ct_op_abs_at(q->at, x));
    return ct__scale(q->at, q->dx, ct__converted(q->at, factor, dtype));
}
