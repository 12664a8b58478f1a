/* Derivatives of fft: linear, in all four kinds, compared with the sums that define them; lengths
 * that are odd, even, prime, 1 and 0, along one to three axes. */
#include "tests/derivatives.h"

#include <cotangent/cotangent.h>

#include <math.h>

typedef struct transform {
    ct_fft_type type;
    ct_dims length;
} transform;

static ct_tensor *flat(ct_tensor *x)
{
    return ct_op_reshape(x, CT_DIMS(ct_size(x)));
}

/* From parts (of RFFT, from reals) to parts. */
static ct_tensor *by_parts(const void *user, ct_tensor *const *x)
{
    const transform *t = user;
    ct_tensor *in = t->type == CT_RFFT ? x[0] : ct_op_complex(x[0], x[1]);
    ct_tensor *out = ct_op_fft(in, t->type, t->length);
    if (t->type == CT_IRFFT)
        return flat(out);
    return ct_op_concatenate(CT_ARGV(flat(ct_op_real(out)), flat(ct_op_imag(out))), 0);
}

/* Numbers that no two of are in a simple ratio. */
static ct_tensor *signal(ct_context *ctx, ct_shape shape, double phase)
{
    double data[256];
    size_t n = 1;
    for (size_t d = 0; d < shape.count; d++)
        n *= (size_t)shape.dim[d];
    for (size_t i = 0; i < n && i < 256; i++)
        data[i] = sin(phase + 1.7 * (double)i) * 3;
    return ct_from_doubles(ctx, CT_F64, shape, data);
}

static ct_shape half_of(ct_shape shape, int64_t *dim)
{
    for (size_t d = 0; d < shape.count; d++)
        dim[d] = shape.dim[d];
    int64_t *last = &dim[shape.count - 1];
    *last = *last == 0 ? 0 : *last / 2 + 1;
    return (ct_shape){shape.count, dim};
}

/* Values, forward and reverse agree, twice; all kinds over the last `rank` axes. */
static void check_all(ct_context *ctx, ct_shape shape, size_t rank)
{
    static const ct_fft_type types[] = {CT_FFT, CT_IFFT, CT_RFFT, CT_IRFFT};
    int64_t dim[8];
    ct_dims length = {rank, shape.dim + shape.count - rank};
    for (int i = 0; i < 4; i++) {
        transform t = {types[i], length};
        ct_shape in = t.type == CT_IRFFT ? half_of(shape, dim) : shape;
        ct_tensor *re = signal(ctx, in, 1), *im = signal(ctx, in, 2);
        if (t.type == CT_RFFT)
            CHECK_SMOOTH_ANY(ctx, by_parts, &t, 2, re);
        else
            CHECK_SMOOTH_ANY(ctx, by_parts, &t, 2, re, im);
    }
    CHECK_OK(ctx);
}

TEST(one_axis)
{
    ct_context *ctx = ct_context_new();
    for (int64_t n = 0; n <= 9; n++)
        check_all(ctx, CT_SHAPE(n), 1);
    check_all(ctx, CT_SHAPE(17), 1); /* a prime beyond the small ones */
    check_all(ctx, CT_SHAPE(2, 5), 1);
    check_all(ctx, CT_SHAPE(0, 3), 1);
    ct_context_free(ctx);
}

TEST(several_axes)
{
    ct_context *ctx = ct_context_new();
    check_all(ctx, CT_SHAPE(2, 3), 2);
    check_all(ctx, CT_SHAPE(3, 4), 2);
    check_all(ctx, CT_SHAPE(2, 3, 1), 2);
    check_all(ctx, CT_SHAPE(3, 2, 2), 3);
    check_all(ctx, CT_SHAPE(1, 4, 0), 3);
    check_all(ctx, CT_SHAPE(0, 4), 2);
    ct_context_free(ctx);
}

/* ---- The matrices themselves. */

static void check_parts(int line, ct_tensor *x, const double *re, const double *im, size_t n)
{
    double found[2][16];
    ct_to_doubles(ct_op_real(x), found[0], n);
    ct_to_doubles(ct_op_imag(x), found[1], n);
    for (size_t i = 0; i < n; i++)
        if (!(hypot(found[0][i] - re[i], found[1][i] - im[i]) <= 1e-14 * (1 + hypot(re[i], im[i]))))
            check_fail(__FILE__, line, "[%zu]: found %.17g + %.17g i, expected %.17g + %.17g i", i,
                       found[0][i], found[1][i], re[i], im[i]);
}

static ct_tensor *forward_4(ct_tensor *x)
{
    return ct_op_fft(x, CT_RFFT, CT_DIMS(4));
}

static ct_tensor *inverse_4(ct_tensor *z)
{
    return ct_op_fft(z, CT_IRFFT, CT_DIMS(4));
}

static ct_tensor *inverse_5(ct_tensor *z)
{
    return ct_op_fft(z, CT_IRFFT, CT_DIMS(5));
}

/* Re Σ ybar[k] (-i)^(jk), k = 0, 1, 2. */
TEST(cotangent_of_a_real_signal)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = signal(ctx, CT_SHAPE(4), 0);
    ct_tensor *ybar = ct_op_complex(given(ctx, CT_F64, CT_SHAPE(3), {1, 10, 100}),
                                    given(ctx, CT_F64, CT_SHAPE(3), {2, 20, 200}));
    ct_tensor *xbar = ct_apply1(ct_vjp(ct_trace(ctx, forward_4, CT_LIKE(x)), CT_ARGS(0)),
                                CT_ARGV(x, ybar));
    CHECK_NEAR(xbar, CT_SHAPE(4), 1e-13, {111, -79, 91, -119});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Of half a spectrum: 1/n for the first element and an even n's last, 2/n for the others, times
 * Σ ybar[j] e^(2πi jk/n). */
TEST(cotangent_of_half_a_spectrum)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *re = given(ctx, CT_F64, CT_SHAPE(3), {3, 4, 5}), *z = ct_op_complex(re, re);
    ct_tensor *ybar = given(ctx, CT_F64, CT_SHAPE(4), {1, 10, 100, 1000});
    ct_tensor *zbar = ct_apply1(ct_vjp(ct_trace(ctx, inverse_4, CT_LIKE(z)), CT_ARGS(0)),
                                CT_ARGV(z, ybar));
    check_parts(__LINE__, zbar, (const double[]){277.75, -49.5, -227.25},
                (const double[]){0, -495, 0}, 3);
    ybar = given(ctx, CT_F64, CT_SHAPE(5), {1, 0, 0, 0, 1});
    zbar = ct_apply1(ct_vjp(ct_trace(ctx, inverse_5, CT_LIKE(z)), CT_ARGS(0)), CT_ARGV(z, ybar));
    const double a = 2 * M_PI / 5;
    check_parts(__LINE__, zbar, (const double[]){0.4, 0.4 * (1 + cos(a)), 0.4 * (1 + cos(2 * a))},
                (const double[]){0, -0.4 * sin(a), -0.4 * sin(2 * a)}, 3);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* In c64, within its rounding; the gradient of the energy of a spectrum is 2 n x (Parseval). */
static ct_tensor *energy(ct_tensor *x)
{
    ct_tensor *size = ct_op_abs(ct_op_fft(ct_op_convert(x, CT_C64), CT_FFT, CT_DIMS(6)));
    return ct_op_reduce_add(ct_op_multiply(size, size), CT_DIMS(0));
}

TEST(parseval)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(6), {1, -2, 3, 0.5, -4, 5});
    ct_tensor *gradient = ct_apply1(ct_grad(ct_trace(ctx, energy, CT_LIKE(x)), CT_ARGS(0)),
                                    CT_ARGV(x));
    CHECK_CLOSE(gradient, CT_SHAPE(6), 0x1p-20, {12, -24, 36, 6, -48, 60});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void derive(ct_context *ctx)
{
    ct_tensor *x = ct_zeros(ctx, CT_F64, CT_SHAPE(4));
    ct_vjp(ct_trace(ctx, forward_4, CT_LIKE(x)), CT_ARGS(0));
    ct_tensor *z = ct_zeros(ctx, CT_C64, CT_SHAPE(3));
    ct_vjp(ct_trace(ctx, inverse_4, CT_LIKE(z)), CT_ARGS(0));
}

TEST(memory)
{
    CHECK_ALLOCATIONS(derive);
}
