#include "ad/rules.h"

/* Normalising by features. "Rows" have x's shape, "columns" a number per feature; n elements of x
 * belong to each feature, and Σ and mean are over those. With
 *
 *   c = x - mean(x)    v = variance + epsilon    d = sqrt(v)    k = scale / d
 *
 * the results are sums of products of these. f16 and bf16 are taken in f32: their n and sums may be
 * beyond them. */

typedef struct norm {
    ct_place at;
    ct_type type; /* of rows */
    double n;
    size_t n_others;
    int64_t others[CT__MAX_RANK]; /* the axes but the feature's */
    ct_tensor *c;                 /* rows */
    ct_tensor *v, *d, *k;         /* columns */
} norm;

/* ---- Steps on tangents, of which NULL is a symbolic zero. */

static ct_tensor *rows(const norm *s, ct_tensor *column)
{
    const ct_dims others = {s->n_others, s->others};
    return column ? ct__spread_axes(s->at, column, &s->type, others) : NULL;
}

static ct_tensor *sum(const norm *s, ct_tensor *x)
{
    return x ? ct__sum_axes(s->at, x, (ct_dims){s->n_others, s->others}) : NULL;
}

/* What Σ is on average; without elements it is 0. */
static ct_tensor *average(const norm *s, ct_tensor *sums)
{
    return sums && s->n > 0 ? ct_op_divide_at(s->at, sums, ct__like(s->at, sums, s->n)) : sums;
}

static ct_tensor *times(const norm *s, ct_tensor *t, ct_tensor *f)
{
    return t ? ct__scale(s->at, t, f) : NULL;
}

static ct_tensor *over(const norm *s, ct_tensor *t, ct_tensor *y)
{
    return t ? ct__quotient(s->at, t, y) : NULL;
}

static ct_tensor *plus(const norm *s, ct_tensor *x, ct_tensor *y)
{
    return x && y ? ct_op_add_at(s->at, x, y) : x ? x : y;
}

static ct_tensor *minus(const norm *s, ct_tensor *x, ct_tensor *y)
{
    if (x && y)
        return ct_op_subtract_at(s->at, x, y);
    return y ? ct_op_negate_at(s->at, y) : x;
}

static ct_tensor *twice(const norm *s, ct_tensor *x)
{
    return x ? ct_op_multiply_at(s->at, x, ct__like(s->at, x, 2)) : NULL;
}

/* An operand or its tangent, in the dtype that is computed in. */
static ct_tensor *taken(const norm *s, ct_tensor *x)
{
    return x ? ct__converted(s->at, x, s->type.dtype) : NULL;
}

/* A tangent in the dtype of y. */
static ct_tensor *given(const norm *s, ct_tensor *dy, const ct_tensor *y)
{
    return dy ? ct__converted(s->at, dy, ct_dtype_of(y)) : NULL;
}

/* ---- What all of them share. */

static norm begin(ct_place at, const struct ct__attrs_batch_norm *a, ct_tensor *x, ct_tensor *scale,
                  ct_tensor *mean, ct_tensor *variance)
{
    norm s = {.at = at, .type = *ct_type_of(x), .n = 1};
    if (ct__is_narrow_float(s.type.dtype))
        s.type.dtype = CT_F32;
    for (int64_t d = 0; d < s.type.rank; d++)
        if (d != a->feature_index) {
            s.others[s.n_others++] = d;
            s.n *= (double)s.type.dim[d];
        }
    ct_tensor *wide = taken(&s, variance);
    s.c = ct_op_subtract_at(at, taken(&s, x), rows(&s, taken(&s, mean)));
    s.v = ct_op_add_at(at, wide, ct__like(at, wide, a->epsilon));
    s.d = ct_op_sqrt_at(at, s.v);
    s.k = ct_op_divide_at(at, taken(&s, scale), s.d);
    return s;
}

/* dk = dscale / d - dv k / 2v */
static ct_tensor *slope_of_k(const norm *s, ct_tensor *dscale, ct_tensor *dv)
{
    if (!dv)
        return over(s, dscale, s->d);
    ct_tensor *slope = ct_op_divide_at(s->at, s->k, twice(s, s->v));
    return minus(s, over(s, dscale, s->d), times(s, dv, slope));
}

/* Of y = c k + offset: dy = dc k + c dk + doffset */
static ct_tensor *slope_of_normed(const norm *s, ct_tensor *dc, ct_tensor *dscale,
                                  ct_tensor *doffset, ct_tensor *dv)
{
    ct_tensor *dy = times(s, dc, rows(s, s->k));
    dy = plus(s, dy, times(s, rows(s, slope_of_k(s, dscale, dv)), s->c));
    return plus(s, dy, rows(s, doffset));
}

/* ---- batch_norm_inference: x, scale, offset, mean, variance. */

ct_tensor *ct__jvp_batch_norm_inference(const ct__jvp *q)
{
    const norm s = begin(q->at, &q->attrs->batch_norm, q->x[0], q->x[1], q->x[3], q->x[4]);
    ct_tensor *dx[5] = {NULL};
    dx[q->operand] = taken(&s, q->dx);
    ct_tensor *dc = minus(&s, dx[0], rows(&s, dx[3]));
    return given(&s, slope_of_normed(&s, dc, dx[1], dx[2], dx[4]), q->y);
}

/* ---- batch_norm_training: x, scale, offset. */

/* The same with dmean = mean(dx) and dvariance = 2 mean(c dx); both are results too. */
void ct__jvp_batch_norm_training(ct__jvp_whole *q)
{
    if (!ct__primal(q))
        return;
    const norm s = begin(q->at, &q->attrs->batch_norm, q->x[0], q->x[1], q->y[1], q->y[2]);
    ct_tensor *dx = taken(&s, q->dx[0]);
    ct_tensor *dmean = average(&s, sum(&s, dx));
    ct_tensor *dvariance = twice(&s, average(&s, sum(&s, times(&s, dx, s.c))));
    ct_tensor *dy = slope_of_normed(&s, minus(&s, dx, rows(&s, dmean)), taken(&s, q->dx[1]),
                                    taken(&s, q->dx[2]), dvariance);
    q->dy[0] = given(&s, dy, q->y[0]);
    q->dy[1] = given(&s, dmean, q->y[1]);
    q->dy[2] = given(&s, dvariance, q->y[2]);
}

/* ---- batch_norm_grad: x, scale, mean, variance, ybar.
 *
 * With w = mean(ybar c) / v and e = ybar - mean(ybar) - c w it gives
 *
 *   xbar = k e    scalebar = Σ ybar c / d    offsetbar = Σ ybar
 *
 * and p is Σ ybar c. */

typedef struct slopes {
    ct_tensor *c, *v, *ybar, *k; /* of what goes in */
    ct_tensor *p, *sum;          /* of Σ ybar c and Σ ybar */
} slopes;

/* dw = mean(dp) / v - dv w / v;  de = dybar - mean(dybar) - c dw - dc w;  d(k e) = de k + dk e */
static ct_tensor *slope_of_xbar(const norm *s, const slopes *t, ct_tensor *ybar, ct_tensor *p)
{
    ct_place at = s->at;
    ct_tensor *w = ct_op_divide_at(at, average(s, p), s->v);
    ct_tensor *dw = over(s, average(s, t->p), s->v);
    if (t->v)
        dw = minus(s, dw, times(s, t->v, ct_op_divide_at(at, w, s->v)));
    ct_tensor *de = minus(s, t->ybar, rows(s, average(s, t->sum)));
    de = minus(s, de, times(s, rows(s, dw), s->c));
    de = times(s, minus(s, de, times(s, t->c, rows(s, w))), rows(s, s->k));
    if (!t->k)
        return de;
    ct_tensor *centred = minus(s, ybar, rows(s, average(s, sum(s, ybar))));
    ct_tensor *e = minus(s, centred, ct_op_multiply_at(at, s->c, rows(s, w)));
    return plus(s, de, times(s, rows(s, t->k), e));
}

/* dp / d - dv p / (2 v d) */
static ct_tensor *slope_of_scalebar(const norm *s, const slopes *t, ct_tensor *p)
{
    ct_tensor *slope = over(s, t->p, s->d);
    if (!t->v)
        return slope;
    ct_tensor *twice_vd = twice(s, ct_op_multiply_at(s->at, s->v, s->d));
    return minus(s, slope, times(s, t->v, ct_op_divide_at(s->at, p, twice_vd)));
}

void ct__jvp_batch_norm_grad(ct__jvp_whole *q)
{
    if (!ct__primal(q))
        return;
    const norm s = begin(q->at, &q->attrs->batch_norm, q->x[0], q->x[1], q->x[2], q->x[3]);
    ct_tensor *ybar = taken(&s, q->x[4]), *p = sum(&s, ct_op_multiply_at(q->at, ybar, s.c));
    slopes t = {.c = minus(&s, taken(&s, q->dx[0]), rows(&s, taken(&s, q->dx[2]))),
                .v = taken(&s, q->dx[3]),
                .ybar = taken(&s, q->dx[4])};
    t.k = slope_of_k(&s, taken(&s, q->dx[1]), t.v);
    t.p = sum(&s, plus(&s, times(&s, t.ybar, s.c), times(&s, t.c, ybar)));
    t.sum = sum(&s, t.ybar);
    q->dy[0] = given(&s, slope_of_xbar(&s, &t, ybar, p), q->y[0]);
    q->dy[1] = given(&s, slope_of_scalebar(&s, &t, p), q->y[1]);
    q->dy[2] = given(&s, t.sum, q->y[2]);
}
