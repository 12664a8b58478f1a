/* The derivative of e^-|x| I1(x). By the recurrence it is e^-|x| (I0(x) - I1(x)/x - |I1(x)|), which
 * cancels to 1/(2x) of its terms for large x; so it is a polynomial of its own. */
#include "ad/rules.h"

#include "ad/bessel.inc"

enum { TERMS = sizeof near / sizeof *near };
_Static_assert(sizeof far == sizeof near, "both polynomials have as many terms");

/* near[0] + near[1] t + …, or the same of far */
static ct_tensor *polynomial(ct_place at, ct_tensor *is_near, ct_tensor *t)
{
    ct_tensor *sum = NULL;
    for (size_t i = TERMS; i-- > 0 && !ct_is_poison(t);) {
        ct_tensor *c = ct_op_select_at(at, is_near, ct__like(at, t, near[i]),
                                       ct__like(at, t, far[i]));
        sum = sum ? ct_op_add_at(at, ct_op_multiply_at(at, sum, t), c) : c;
    }
    return sum ? sum : t;
}

/* It is even: of size = |x|. Up to 8 a polynomial in size/4 - 1, beyond one in 16/size - 1 that is
 * divided by size^(3/2). What is not taken is finite. */
static ct_tensor *slope(ct_place at, ct_tensor *size)
{
    ct_tensor *one = ct__like(at, size, 1), *end = ct__like(at, size, 8);
    ct_tensor *is_near = ct_op_compare_at(at, size, end, CT_LE, CT_COMPARE_DEFAULT);
    ct_tensor *high = ct_op_select_at(at, is_near, end, size);
    ct_tensor *below = ct_op_multiply_at(at, size, ct__like(at, size, 0.25));
    ct_tensor *beyond = ct_op_divide_at(at, ct__like(at, size, 16), high);
    ct_tensor *t = ct_op_subtract_at(at, ct_op_select_at(at, is_near, below, beyond), one);
    ct_tensor *root = ct_op_divide_at(at, ct_op_rsqrt_at(at, high), high);
    ct_tensor *factor = ct_op_select_at(at, is_near, one, root);
    return ct_op_multiply_at(at, polynomial(at, is_near, t), factor);
}

/* f16 and bf16 take the polynomials in f32. */
ct_tensor *ct__jvp_bessel_i1e(const ct__jvp *q)
{
    ct_dtype dtype = ct_dtype_of(q->x[0]);
    ct_tensor *x = ct__converted(q->at, q->x[0], ct__is_narrow_float(dtype) ? CT_F32 : dtype);
    ct_tensor *factor = slope(q->at, ct_op_abs_at(q->at, x));
    return ct__scale(q->at, q->dx, ct__converted(q->at, factor, dtype));
}
