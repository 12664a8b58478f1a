/* fft: along the last axes, one line after another, in double. A length whose prime factors are
 * small is split by them (Cooley and Tukey, 1965); any other one becomes a convolution, of a length
 * that is a power of two (Bluestein, 1970). */
#include "exec/interpret/interpret.h"

#include <cotangent/op_large.h>

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct number {
    double re, im;
} number;

static number add(number a, number b)
{
    return (number){a.re + b.re, a.im + b.im};
}

static number subtract(number a, number b)
{
    return (number){a.re - b.re, a.im - b.im};
}

static number multiply(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* The inverse transform is the forward one with both parts exchanged before and after. */
static number exchanged(number a)
{
    return (number){a.im, a.re};
}

/* ---- Roots of unity. */

/* e^(-2 pi i k/n), 0 <= k < n, where 8 k does not overflow. Integers bring the angle into an eighth
 * of the circle, so that the roots at the quarters are exact. */
static number root_of_unity(int64_t k, int64_t n)
{
    const int octant = (int)(8 * k / n);
    const int64_t rest = 8 * k % n;
    const double t = M_PI_4 * (double)(octant % 2 ? n - rest : rest) / (double)n;
    const double c = cos(t), s = sin(t);

    switch (octant) {
    case 0: return (number){c, -s};
    case 1: return (number){s, -c};
    case 2: return (number){-s, -c};
    case 3: return (number){-c, -s};
    case 4: return (number){-c, s};
    case 5: return (number){-s, c};
    case 6: return (number){s, c};
    default: return (number){c, s};
    }
}

static void fill_roots(int64_t n, number *root)
{
    assert(root);
    for (int64_t k = 0; k < n; k++)
        root[k] = root_of_unity(k, n);
}

/* ---- Lengths of small prime factors. */

/* The factor that is split off first; 0: there is a large one. */
static int64_t radix_of(int64_t n)
{
    static const int64_t radix[] = {4, 2, 3, 5, 7, 11, 13};

    for (size_t i = 0; i < sizeof radix / sizeof radix[0]; i++)
        if (n % radix[i] == 0)
            return radix[i];
    return 0;
}

static bool is_smooth(int64_t n)
{
    while (n > 1) {
        const int64_t p = radix_of(n);

        if (p == 0)
            return false;
        n /= p;
    }
    return true;
}

/* The transform of four numbers. */
static void combine_four(const number *t, number *y, int64_t m)
{
    const number a = add(t[0], t[2]), b = subtract(t[0], t[2]);
    const number c = add(t[1], t[3]), d = subtract(t[1], t[3]);

    y[0] = add(a, c);
    y[m] = (number){b.re + d.im, b.im - d.re};
    y[2 * m] = subtract(a, c);
    y[3 * m] = (number){b.re - d.im, b.im + d.re};
}

/* y[q m] = sum over r of t[r] e^(-2 pi i q r/p); root[j step] is the j-th of the p-th roots. */
static void combine(int64_t p, const number *t, number *y, int64_t m, const number *root,
                    int64_t step)
{
    if (p == 4) {
        combine_four(t, y, m);
        return;
    }
    if (p == 2) {
        y[0] = add(t[0], t[1]);
        y[m] = subtract(t[0], t[1]);
        return;
    }
    for (int64_t q = 0; q < p; q++) {
        number sum = t[0];

        for (int64_t r = 1; r < p; r++)
            sum = add(sum, multiply(t[r], root[q * r % p * step]));
        y[q * m] = sum;
    }
}

/* y = the transform of x[0], x[step], …, n of them; root: of n step. The p transforms of every p-th
 * element stand in y one after another, and are combined in place. */
static void split(int64_t n, const number *x, int64_t step, number *y, const number *root)
{
    assert(y);
    if (n == 1) {
        y[0] = x[0];
        return;
    }
    const int64_t p = radix_of(n), m = n / p;
    for (int64_t r = 0; r < p; r++)
        split(m, x + r * step, step * p, y + r * m, root);
    for (int64_t k = 0; k < m; k++) {
        number t[13];

        t[0] = y[k];
        for (int64_t r = 1; r < p; r++)
            t[r] = k == 0 ? y[r * m] : multiply(y[r * m + k], root[r * k * step]);
        combine(p, t, y + k, m, root, m * step);
    }
}

/* ---- One axis: tables and lines, in the scratch. */

typedef struct axis {
    int64_t n, m; /* the length, and that of the convolution; 0: there is none */
    number *root; /* of n, or of m */
    number *in, *out;
    /* with w[k] = e^(-pi i k^2/n): y[k] = w[k] sum over j of (x[j] w[j]) conj(w[k-j]), for
     * jk = (j^2 + k^2 - (k-j)^2)/2 */
    number *chirp, *filter; /* w, and the transform of conj(w) around 0 */
    number *wide, *wide_out;
} axis;

/* Room for `count` numbers behind *total; base may be NULL, for measuring. */
static bool take(unsigned char *base, size_t *total, int64_t count, number **numbers)
{
    size_t bytes;

    if (!ct__mul_size((size_t)count, sizeof(number), &bytes) || !ct__round_up(bytes, &bytes) ||
        bytes > SIZE_MAX / 2 - *total)
        return false;
    if (base)
        *numbers = (number *)(void *)(base + *total);
    *total += bytes;
    return true;
}

static bool take_axis(unsigned char *base, size_t *total, int64_t n, axis *a)
{
    *a = (axis){.n = n};
    if (!take(base, total, n, &a->in) || !take(base, total, n, &a->out)) /* so 16 n fits */
        return false;
    if (is_smooth(n))
        return take(base, total, n, &a->root);
    for (a->m = 1; a->m < 2 * n - 1;)
        a->m *= 2;
    return take(base, total, n, &a->chirp) && take(base, total, a->m, &a->filter) &&
           take(base, total, a->m, &a->root) && take(base, total, a->m, &a->wide) &&
           take(base, total, a->m, &a->wide_out);
}

static void fill_tables(axis *a)
{
    if (a->m == 0) {
        fill_roots(a->n, a->root);
        return;
    }
    fill_roots(a->m, a->root);
    assert(a->wide);
    memset(a->wide, 0, (size_t)a->m * sizeof *a->wide);
    for (int64_t k = 0, square = 0; k < a->n; k++) { /* square = k^2 mod 2n */
        a->chirp[k] = root_of_unity(square, 2 * a->n);
        a->wide[k] = (number){a->chirp[k].re, -a->chirp[k].im};
        if (k > 0)
            a->wide[a->m - k] = a->wide[k];
        square = (square + 2 * k + 1) % (2 * a->n);
    }
    split(a->m, a->wide, 1, a->filter, a->root);
}

static void convolve(const axis *a)
{
    memset(a->wide, 0, (size_t)a->m * sizeof *a->wide);
    for (int64_t k = 0; k < a->n; k++)
        a->wide[k] = multiply(a->in[k], a->chirp[k]);
    split(a->m, a->wide, 1, a->wide_out, a->root);
    for (int64_t k = 0; k < a->m; k++)
        a->wide_out[k] = exchanged(multiply(a->wide_out[k], a->filter[k]));
    split(a->m, a->wide_out, 1, a->wide, a->root);
    for (int64_t k = 0; k < a->n; k++) {
        const number y = exchanged(a->wide[k]);

        a->out[k] = multiply((number){y.re / (double)a->m, y.im / (double)a->m}, a->chirp[k]);
    }
}

/* out = the transform of in. */
static void transform_line(const axis *a)
{
    if (a->m == 0)
        split(a->n, a->in, 1, a->out, a->root);
    else
        convolve(a);
}

/* ---- A block: the last axes of x. */

typedef struct transform {
    int type, rank; /* axes that are transformed */
    int64_t dim[3]; /* of the complex block: of RFFT and IRFFT, with half the last axis */
    int64_t size;   /* of it */
    int64_t in_size, out_size;
    axis axis[3];
    number *block; /* complex */
    number *ends;  /* the reals of RFFT and IRFFT, two in each */
    double scale;  /* what the result is divided by */
    bool is_inverse;
    size_t bytes;
} transform;

static bool begin(const ct__eval *q, unsigned char *base, transform *t)
{
    const ct__ints length = q->attrs->fft.fft_length;
    const int type = q->attrs->fft.fft_type;
    const ct_type *x = q->in_type[0], *y = q->out_type[0];
    const ct_type *wide = type == CT_RFFT ? y : x;

    *t = (transform){.type = type,
                     .rank = (int)length.count,
                     .size = 1,
                     .in_size = 1,
                     .out_size = 1,
                     .scale = 1,
                     .is_inverse = type == CT_IFFT || type == CT_IRFFT};
    if (y->size == 0)
        return true;
    for (int d = 0; d < t->rank; d++) {
        t->dim[d] = wide->dim[x->rank - t->rank + d];
        t->size *= t->dim[d];
        t->in_size *= x->dim[x->rank - t->rank + d];
        t->out_size *= y->dim[x->rank - t->rank + d];
        if (!take_axis(base, &t->bytes, length.item[d], &t->axis[d]))
            return false;
        t->scale *= t->is_inverse ? (double)length.item[d] : 1;
    }
    return take(base, &t->bytes, t->size, &t->block) &&
           (type == CT_FFT || type == CT_IFFT ||
            take(base, &t->bytes, (type == CT_RFFT ? t->in_size : t->out_size) / 2 + 1, &t->ends));
}

bool ct__fft_scratch(const ct__eval *q, size_t *bytes)
{
    transform t;

    if (!begin(q, NULL, &t))
        return false;
    *bytes = t.bytes;
    return true;
}

/* Axis d of the block, in place. */
static void transform_axis(transform *t, int d)
{
    const axis *a = &t->axis[d];
    int64_t inner = 1;

    for (int e = d + 1; e < t->rank; e++)
        inner *= t->dim[e];
    for (int64_t line = 0; line < t->size / a->n; line++) {
        number *x = t->block + line / inner * inner * a->n + line % inner;

        for (int64_t i = 0; i < a->n; i++)
            a->in[i] = t->is_inverse ? exchanged(x[i * inner]) : x[i * inner];
        transform_line(a);
        for (int64_t i = 0; i < a->n; i++)
            x[i * inner] = t->is_inverse ? exchanged(a->out[i]) : a->out[i];
    }
}

/* Lines of reals to the first half of their transforms. */
static void transform_reals(transform *t, const double *x)
{
    const axis *a = &t->axis[t->rank - 1];
    const int64_t kept = t->dim[t->rank - 1];

    for (int64_t line = 0; line < t->size / kept; line++) {
        for (int64_t i = 0; i < a->n; i++)
            a->in[i] = (number){x[line * a->n + i], 0};
        transform_line(a);
        memcpy(t->block + line * kept, a->out, (size_t)kept * sizeof *a->out);
    }
}

/* Back from halves. The other half is the conjugate, and what is its own conjugate is real. */
static void restore_reals(transform *t, double *y)
{
    const axis *a = &t->axis[t->rank - 1];
    const int64_t kept = t->dim[t->rank - 1];

    assert(y && t->block);
    for (int64_t line = 0; line < t->size / kept; line++) {
        const number *x = t->block + line * kept;

        for (int64_t i = 0; i < a->n; i++) {
            const number z = i < kept ? x[i] : x[a->n - i];

            a->in[i] = (number){z.im, z.re}; /* exchanged */
            if (i == 0 || 2 * i == a->n)
                a->in[i].re = 0;
            else if (i >= kept)
                a->in[i].re = -z.im;
        }
        transform_line(a);
        for (int64_t i = 0; i < a->n; i++)
            y[line * a->n + i] = a->out[i].im;
    }
}

static void divide(double *x, int64_t n, double by)
{
    assert(x);
    for (int64_t i = 0; by != 1 && i < n; i++)
        x[i] /= by;
}

/* One block from x to y. The real side is next to the last axis. */
static void transform_block(const ct__eval *q, transform *t, const void *x, void *y)
{
    const ct_dtype from = q->in_type[0]->dtype, to = q->out_type[0]->dtype;
    double *reals = t->ends ? &t->ends->re : NULL;
    int last = t->rank - 1;

    if (t->type == CT_RFFT) {
        q->numerics->convert(CT_F64, from, (size_t)t->in_size, reals, x);
        transform_reals(t, reals);
    } else {
        q->numerics->convert(CT_C128, from, (size_t)t->in_size, t->block, x);
    }
    for (int d = 0; d <= last; d++)
        if (d < last || t->type == CT_FFT || t->type == CT_IFFT)
            transform_axis(t, d);
    if (t->type == CT_IRFFT) {
        restore_reals(t, reals);
        divide(reals, t->out_size, t->scale);
        q->numerics->convert(to, CT_F64, (size_t)t->out_size, y, reals);
    } else {
        divide(&t->block->re, 2 * t->size, t->scale);
        q->numerics->convert(to, CT_C128, (size_t)t->out_size, y, t->block);
    }
}

bool ct__meaning_fft(const ct__eval *q)
{
    const ct_type *x = q->in_type[0], *y = q->out_type[0];
    transform t;

    if (y->size == 0)
        return true;
    begin(q, q->scratch, &t);
    for (int d = 0; d < t.rank; d++)
        fill_tables(&t.axis[d]);
    const size_t x_bytes = q->numerics->element_bytes(x->dtype);
    const size_t y_bytes = q->numerics->element_bytes(y->dtype);
    for (int64_t i = 0; i < y->size / t.out_size; i++)
        transform_block(q, &t, ct__at(q->in[0], x_bytes, i * t.in_size),
                        ct__at(q->out[0], y_bytes, i * t.out_size));
    return true;
}
