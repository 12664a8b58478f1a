/* All four kinds are linear. Cotangents are paired with tangents by Re Σ a b, so FFT and IFFT are
 * their own transposes, as their matrices are symmetric. RFFT and IRFFT are each other's, but for
 * weights and conjugates: with N points in all, n of them along the last axis,
 *
 *   y = RFFT x    xbar[j] = Re Σ_k ybar[k] e^(-2πi jk/N)             = IRFFT(w conj(ybar))
 *   y = IRFFT x   xbar[k] = 1/N (1 or 2) Σ_j ybar[j] e^(2πi jk/N)    = v conj(RFFT(ybar))
 *
 * where IRFFT counts each element of half a spectrum twice that is the conjugate of another one:
 * all along the last axis but the first and, for an even n, the last. So w is N there, else N/2,
 * and v is 1/N there, else 2/N. */
#include "ad/rules.h"

#include <cotangent/op_large.h>

ct_tensor *ct__jvp_fft(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* In the shape of half a spectrum, whose last axis stands for n points: `once` for the elements
 * that count once. */
static ct_tensor *weights(const ct__transpose *q, const ct_type *half, int64_t n, double once,
                          double twice)
{
    const ct_dtype dtype = half->dtype == CT_C64 ? CT_F32 : CT_F64;
    const int64_t last = half->rank - 1, is_even = n % 2 == 0;
    ct_tensor *end = ct_full_at(q->at, q->ctx, dtype, CT_SHAPE(), once);
    ct_tensor *middle = ct_full_at(q->at, q->ctx, dtype, CT_SHAPE(half->dim[last] - 1 - is_even),
                                   twice);
    ct_tensor *line = ct_op_pad_at(q->at, middle, end, CT_DIMS(1), CT_DIMS(is_even), CT_DIMS(0));
    return ct_op_broadcast_in_dim_at(q->at, line, (ct_dims){(size_t)half->rank, half->dim},
                                     CT_DIMS(last));
}

/* w conj(z); plain products, for w is finite and not 0. */
static ct_tensor *weighted(ct_place at, ct_tensor *z, ct_tensor *w)
{
    ct_tensor *re = ct_op_multiply_at(at, ct_op_real_at(at, z), w);
    ct_tensor *im = ct_op_multiply_at(at, ct_op_imag_at(at, z), w);
    return ct_op_complex_at(at, re, ct_op_negate_at(at, im));
}

void ct__transpose_fft(ct__transpose *q)
{
    const ct__ints length = q->attrs->fft.fft_length;
    const ct_type *x = q->type[0], *y = q->result_type[0];
    const int64_t n = length.item[length.count - 1];
    ct_tensor *ybar = q->ybar[0];
    double points = 1;
    if (x->size == 0)
        return;
    for (size_t i = 0; i < length.count; i++)
        points *= (double)length.item[i];
    switch (q->attrs->fft.fft_type) {
    case CT_RFFT:
        ybar = weighted(q->at, ybar, weights(q, y, n, points, points / 2));
        ct__cotangent_add(q, 0, ct_op_fft_at(q->at, ybar, CT_IRFFT, ct__dims(length)));
        break;
    case CT_IRFFT:
        ybar = ct_op_fft_at(q->at, ybar, CT_RFFT, ct__dims(length));
        ct__cotangent_add(q, 0, weighted(q->at, ybar, weights(q, x, n, 1 / points, 2 / points)));
        break;
    default:
        ct__cotangent_add(
            q, 0, ct_op_fft_at(q->at, ybar, (ct_fft_type)q->attrs->fft.fft_type, ct__dims(length)));
    }
}
