/* fft of the run's numbers: along the last axes, one line after another, a length split by its
 * prime factors (Cooley and Tukey, 1965). */
#include "exec/oracle/oracle.h"

#include <cotangent/op_large.h>

#include <string.h>

typedef struct pair {
    ct__number re, im;
} pair;

static pair combine(ct__op op, pair a, pair b)
{
    pair c = a;

    ct__complex_binary(op, &c.re, &a.re, &b.re);
    return c;
}

static pair conjugate(pair a)
{
    return (pair){a.re, ct__number_unary(CT__OP_negate, a.im)};
}

/* ---- Roots of unity. */

/* e^(-2πi k/n): the angle is brought into an eighth of the circle by whole numbers, so that the
 * roots at the quarters are exact. */
static pair root_of_unity(int64_t k, int64_t n)
{
    ct__numbers *now = ct__numbers_now();
    const int octant = (int)(8 * k / n);
    const int64_t rest = 8 * k % n, part = octant % 2 ? n - rest : rest;
    ct__number c, s;

    if (part != 0 && now->how.is_exact && !now->how.continues) {
        ct__numbers_fail(CT_ERR_UNSUPPORTED,
                         "roots of unity of order %lld are irrational, and the run is exact",
                         (long long)n);
        return (pair){0, 0};
    }
    mpfr_const_pi(now->t, MPFR_RNDN);
    mpfr_mul_si(now->t, now->t, part, MPFR_RNDN);
    mpfr_div_si(now->t, now->t, n, MPFR_RNDN);
    mpfr_div_2ui(now->t, now->t, 2, MPFR_RNDN);
    mpfr_sin_cos(now->u, now->v, now->t, MPFR_RNDN);
    c = part == 0 ? ct__number_of_double(1) : ct__keep_real(now->v);
    s = part == 0 ? 0 : ct__keep_real(now->u);
    const ct__number minus_c = ct__number_unary(CT__OP_negate, c);
    const ct__number minus_s = ct__number_unary(CT__OP_negate, s);
    switch (octant) {
    case 0: return (pair){c, minus_s};
    case 1: return (pair){s, minus_c};
    case 2: return (pair){minus_s, minus_c};
    case 3: return (pair){minus_c, minus_s};
    case 4: return (pair){minus_c, s};
    case 5: return (pair){minus_s, c};
    case 6: return (pair){s, c};
    default: return (pair){c, s};
    }
}

/* ---- One line. */

typedef struct line {
    int64_t n;
    pair *in, *out, *spare, *root; /* n of each */
} line;

static int64_t factor_of(int64_t n)
{
    for (int64_t p = 2; p <= n / p; p++)
        if (n % p == 0)
            return p;
    return n;
}

/* y = the transform of x[0], x[step], …, n of them. The p transforms of every p-th element stand in
 * `spare`, as y's own are made in it. */
static void split(const line *l, int64_t n, const pair *x, int64_t step, pair *y, pair *spare)
{
    const int64_t p = factor_of(n), m = n / p;

    if (n == 1) {
        y[0] = x[0];
        return;
    }
    for (int64_t r = 0; r < p; r++)
        split(l, m, x + r * step, step * p, spare + r * m, y + r * m);
    for (int64_t k = 0; k < n; k++) {
        pair sum = spare[k % m];
        for (int64_t r = 1; r < p; r++)
            sum = combine(
                CT__OP_add, sum,
                combine(CT__OP_multiply, spare[r * m + k % m], l->root[r * k % n * (l->n / n)]));
        y[k] = sum;
    }
}

/* The inverse transform, but for its factor, is that of the conjugates, conjugated. */
static void transform_line(const line *l, bool is_inverse)
{
    for (int64_t i = 0; is_inverse && i < l->n; i++)
        l->in[i] = conjugate(l->in[i]);
    split(l, l->n, l->in, 1, l->out, l->spare);
    for (int64_t i = 0; is_inverse && i < l->n; i++)
        l->out[i] = conjugate(l->out[i]);
}

/* ---- Blocks: the last axes. */

typedef struct transform {
    int type, rank;
    bool is_inverse;
    int64_t length[3]; /* of the transforms */
    int64_t dim[3];    /* of the complex block: of RFFT and IRFFT, with half the last axis */
    int64_t size;      /* of it */
    pair *block;
    line line[3];
    pair *memory; /* all of the above */
    size_t bytes;
} transform;

static void find_extents(const ct__eval *q, transform *t)
{
    const ct__ints length = q->attrs->fft.fft_length;

    *t = (transform){.type = q->attrs->fft.fft_type, .rank = (int)length.count, .size = 1};
    t->is_inverse = t->type == CT_IFFT || t->type == CT_IRFFT;
    const ct_type *wide = t->type == CT_RFFT ? q->out_type[0] : q->in_type[0];
    for (int d = 0; d < t->rank; d++) {
        t->length[d] = length.item[d];
        t->dim[d] = wide->dim[wide->rank - t->rank + d];
        t->size *= t->dim[d];
    }
}

static bool begin(const ct__eval *q, transform *t)
{
    size_t count;
    pair *next;

    find_extents(q, t);
    count = (size_t)t->size;
    for (int d = 0; d < t->rank; d++)
        count += 4 * (size_t)t->length[d];
    t->bytes = count * sizeof(pair);
    t->memory = ct__alloc(&ct__numbers_now()->allocator, t->bytes);
    if (!t->memory) {
        ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
        return false;
    }
    t->block = t->memory;
    next = t->block + t->size;
    for (int d = 0; d < t->rank; d++) {
        const int64_t n = t->length[d];
        t->line[d] = (line){n, next, next + n, next + 2 * n, next + 3 * n};
        next += 4 * n;
        for (int64_t k = 0; k < n; k++)
            t->line[d].root[k] = root_of_unity(k, n);
    }
    return true;
}

/* Axis d of the block, in place. */
static void transform_axis(const transform *t, int d)
{
    const line *l = &t->line[d];
    int64_t inner = 1;

    for (int e = d + 1; e < t->rank; e++)
        inner *= t->dim[e];
    for (int64_t i = 0; i < t->size / l->n; i++) {
        pair *x = t->block + i / inner * inner * l->n + i % inner;
        for (int64_t k = 0; k < l->n; k++)
            l->in[k] = x[k * inner];
        transform_line(l, t->is_inverse);
        for (int64_t k = 0; k < l->n; k++)
            x[k * inner] = l->out[k];
    }
}

/* Lines of reals to the first half of their transforms. */
static void transform_reals(const transform *t, const ct__number *x)
{
    const line *l = &t->line[t->rank - 1];
    const int64_t kept = t->dim[t->rank - 1];

    for (int64_t at = 0; at < t->size; at += kept, x += l->n) {
        for (int64_t k = 0; k < l->n; k++)
            l->in[k] = (pair){x[k], 0};
        transform_line(l, false);
        for (int64_t k = 0; k < kept; k++)
            t->block[at + k] = l->out[k];
    }
}

/* Back from halves. The other half is the conjugate, and what is its own conjugate is real. */
static void restore_reals(const transform *t, ct__number *y)
{
    const line *l = &t->line[t->rank - 1];
    const int64_t kept = t->dim[t->rank - 1];

    for (int64_t at = 0; at < t->size; at += kept, y += l->n) {
        const pair *x = t->block + at;
        for (int64_t k = 0; k < l->n; k++) {
            l->in[k] = k < kept ? x[k] : conjugate(x[l->n - k]);
            if (k == 0 || 2 * k == l->n)
                l->in[k].im = 0;
        }
        transform_line(l, true);
        for (int64_t k = 0; k < l->n; k++)
            y[k] = l->out[k].re;
    }
}

static void divide(const transform *t, size_t n, ct__number *y)
{
    int64_t product = 1;
    ct__number by;

    for (int d = 0; t->is_inverse && d < t->rank; d++)
        product *= t->length[d];
    ct__convert_numbers(CT_F64, CT_I64, 1, &by, &product);
    for (size_t i = 0; product != 1 && i < n; i++)
        y[i] = ct__number_binary(CT__OP_divide, y[i], by, CT_F64);
}

/* One block from x to y. */
static void transform_block(const transform *t, const ct__number *x, ct__number *y, size_t n_out)
{
    const int last = t->rank - 1;

    if (t->type == CT_RFFT)
        transform_reals(t, x);
    else
        memcpy(t->block, x, (size_t)t->size * sizeof(pair));
    for (int d = 0; d <= last; d++)
        if (d < last || t->type == CT_FFT || t->type == CT_IFFT)
            transform_axis(t, d);
    if (t->type == CT_IRFFT)
        restore_reals(t, y);
    else
        memcpy(y, t->block, (size_t)t->size * sizeof(pair));
    divide(t, n_out, y);
}

bool ct__oracle_fft(const ct__eval *q)
{
    const ct_type *x = q->in_type[0], *y = q->out_type[0];
    int64_t blocks = 1;
    transform t;

    if (y->size == 0)
        return true;
    if (!begin(q, &t))
        return false;
    for (int d = 0; d < x->rank - t.rank; d++)
        blocks *= x->dim[d];
    const size_t in = (size_t)(x->size / blocks) * (ct_dtype_is_complex(x->dtype) ? 2 : 1);
    const size_t out = (size_t)(y->size / blocks) * (ct_dtype_is_complex(y->dtype) ? 2 : 1);
    for (size_t i = 0; i < (size_t)blocks; i++)
        transform_block(&t, (const ct__number *)q->in[0] + i * in,
                        (ct__number *)q->out[0] + i * out, out);
    ct__release(&ct__numbers_now()->allocator, t.memory, t.bytes);
    return true;
}
