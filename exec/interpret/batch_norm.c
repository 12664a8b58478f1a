/* Batch normalisation as StableHLO's specification decomposes it, each step rounded in the element
 * type, sums folded in row-major order as reduce folds them. "Rows" are arrays of x's shape,
 * "columns" have a number per feature. */
#include "exec/interpret/interpret.h"

/* x is [outer, count, run]: where features are the last axis, rows of them, else runs of one. */
typedef struct shape {
    const ct__eval *q;
    ct_dtype dtype;
    size_t bytes; /* of an element */
    size_t outer, count, run;
    void *epsilon, *elements; /* one element: and how many of x belong to a feature */
    unsigned char *scratch;   /* what is left */
} shape;

enum { COLUMNS = 3 }; /* of scratch, at most */

static size_t scratch_rows(ct__op op)
{
    return op == CT__OP_batch_norm_grad ? 2 : 0;
}

bool ct__batch_norm_scratch(const ct__eval *q, size_t *bytes)
{
    size_t column, rows;

    if (!ct__round_up(ct__value_bytes(q->numerics, q->in_type[1]), &column) ||
        !ct__round_up(ct__value_bytes(q->numerics, q->in_type[0]), &rows) ||
        !ct__mul_size(rows, scratch_rows(q->op), &rows) || !ct__mul_size(column, COLUMNS, &column))
        return false;
    return !__builtin_add_overflow(rows, column, bytes) &&
           !__builtin_add_overflow(*bytes, 2 * CT__ALIGN, bytes);
}

static void *take(shape *s, size_t elements)
{
    void *taken = s->scratch;
    size_t bytes;

    ct__round_up(elements * s->bytes, &bytes);
    s->scratch += bytes;
    return taken;
}

static shape begin(const ct__eval *q)
{
    const ct_type *x = q->in_type[0];
    const int axis = (int)q->attrs->batch_norm.feature_index;
    const float epsilon = (float)q->attrs->batch_norm.epsilon; /* StableHLO's is an f32 */
    shape s = {.q = q,
               .dtype = x->dtype,
               .bytes = q->numerics->element_bytes(x->dtype),
               .outer = 1,
               .count = (size_t)x->dim[axis],
               .run = 1,
               .scratch = q->scratch};
    int64_t elements;

    if (x->size > 0) {
        for (int d = 0; d < x->rank; d++)
            *(d < axis ? &s.outer : &s.run) *= d == axis ? 1 : (size_t)x->dim[d];
    } else {
        s.outer = 0;
    }
    elements = (int64_t)(s.outer * s.run);
    s.epsilon = take(&s, 1);
    s.elements = take(&s, 1);
    q->numerics->real(s.dtype, s.epsilon, (double)epsilon);
    q->numerics->convert(s.dtype, CT_I64, 1, s.elements, &elements);
    return s;
}

/* ---- Steps. An output may be an input. */

/* z = op(x, y) on rows. */
static void rows(const shape *s, ct__op op, void *z, const void *x, const void *y)
{
    s->q->numerics->binary(op, s->dtype, s->outer * s->count * s->run, z, x, 1, y, 1);
}

/* z = op(x, y) on rows x and a column y. */
static void by_column(const shape *s, ct__op op, void *z, const void *x, const void *y)
{
    const int64_t run = (int64_t)s->run, count = (int64_t)s->count;

    for (size_t o = 0; o < s->outer && s->run == 1; o++) {
        const int64_t at = (int64_t)o * count;

        s->q->numerics->binary(op, s->dtype, s->count, ct__at(z, s->bytes, at),
                               ct__at(x, s->bytes, at), 1, y, 1);
    }
    for (size_t i = 0; i < s->outer * s->count && s->run > 1; i++) {
        const int64_t at = (int64_t)i * run;

        s->q->numerics->binary(op, s->dtype, s->run, ct__at(z, s->bytes, at),
                               ct__at(x, s->bytes, at), 1,
                               ct__at(y, s->bytes, (int64_t)(i % s->count)), 0);
    }
}

/* z = op(x, y) on n elements x and one y. */
static void by_number(const shape *s, ct__op op, size_t n, void *z, const void *x, const void *y)
{
    s->q->numerics->binary(op, s->dtype, n, z, x, 1, y, 0);
}

/* column = the sums of rows, from 0. */
static void sum(const shape *s, void *column, const void *x)
{
    const bool zero = false;

    for (size_t f = 0; f < s->count; f++)
        s->q->numerics->convert(s->dtype, CT_BOOL, 1, ct__at(column, s->bytes, (int64_t)f), &zero);
    for (size_t i = 0; i < s->outer && s->run == 1; i++)
        s->q->numerics->binary(CT__OP_add, s->dtype, s->count, column, column, 1,
                               ct__at(x, s->bytes, (int64_t)(i * s->count)), 1);
    for (size_t i = 0; i < s->outer * s->count && s->run > 1; i++)
        s->q->numerics->fold(CT__OP_add, s->dtype, s->run,
                             ct__at(column, s->bytes, (int64_t)(i % s->count)),
                             ct__at(x, s->bytes, (int64_t)(i * s->run)), 1);
}

/* y = (x - mean) / sqrt(variance + epsilon) · scale + offset */
static void normalize(shape *s, void *y, const void *x, const void *scale, const void *offset,
                      const void *mean, const void *variance)
{
    void *deviation = take(s, s->count);

    by_number(s, CT__OP_add, s->count, deviation, variance, s->epsilon);
    s->q->numerics->unary(CT__OP_sqrt, s->dtype, s->count, deviation, deviation);
    by_column(s, CT__OP_subtract, y, x, mean);
    by_column(s, CT__OP_divide, y, y, deviation);
    by_column(s, CT__OP_multiply, y, y, scale);
    by_column(s, CT__OP_add, y, y, offset);
}

/* ---- Meanings. */

bool ct__meaning_batch_norm_inference(const ct__eval *q)
{
    shape s = begin(q);

    normalize(&s, q->out[0], q->in[0], q->in[1], q->in[2], q->in[3], q->in[4]);
    return true;
}

/* mean = Σx / n; variance = Σ(x - mean)² / n */
bool ct__meaning_batch_norm_training(const ct__eval *q)
{
    shape s = begin(q);
    void *y = q->out[0], *mean = q->out[1], *variance = q->out[2];

    sum(&s, mean, q->in[0]);
    by_number(&s, CT__OP_divide, s.count, mean, mean, s.elements);
    by_column(&s, CT__OP_subtract, y, q->in[0], mean);
    rows(&s, CT__OP_multiply, y, y, y);
    sum(&s, variance, y);
    by_number(&s, CT__OP_divide, s.count, variance, variance, s.elements);
    normalize(&s, y, q->in[0], q->in[1], q->in[2], mean, variance);
    return true;
}

/* With c = x - mean, v = variance + epsilon, d = sqrt(v) and sums over a feature's n elements:
 *
 *   xbar = scale / d / n · ((n ybar - Σ ybar) - (Σ ybar·c) c / v)
 *   scalebar = Σ ybar · (c / d)      offsetbar = Σ ybar */
bool ct__meaning_batch_norm_grad(const ct__eval *q)
{
    shape s = begin(q);
    const void *scale = q->in[1], *variance = q->in[3], *ybar = q->in[4];
    void *xbar = q->out[0], *scalebar = q->out[1], *offsetbar = q->out[2];
    void *v = take(&s, s.count), *d = take(&s, s.count), *column = take(&s, s.count);
    void *c = take(&s, (size_t)q->in_type[0]->size), *t = take(&s, (size_t)q->in_type[0]->size);

    by_number(&s, CT__OP_add, s.count, v, variance, s.epsilon);
    q->numerics->unary(CT__OP_sqrt, s.dtype, s.count, d, v);
    by_column(&s, CT__OP_subtract, c, q->in[0], q->in[2]);
    by_column(&s, CT__OP_divide, t, c, d);
    rows(&s, CT__OP_multiply, t, ybar, t);
    sum(&s, scalebar, t);
    sum(&s, offsetbar, ybar);
    rows(&s, CT__OP_multiply, t, ybar, c);
    sum(&s, column, t);
    by_column(&s, CT__OP_multiply, t, c, column);
    by_column(&s, CT__OP_divide, t, t, v);
    by_number(&s, CT__OP_multiply, (size_t)q->in_type[0]->size, xbar, ybar, s.elements);
    by_column(&s, CT__OP_subtract, xbar, xbar, offsetbar);
    rows(&s, CT__OP_subtract, xbar, xbar, t);
    q->numerics->binary(CT__OP_divide, s.dtype, s.count, column, scale, 1, d, 1);
    by_number(&s, CT__OP_divide, s.count, column, column, s.elements);
    by_column(&s, CT__OP_multiply, xbar, xbar, column);
    return true;
}
