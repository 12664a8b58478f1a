#include "trace/compose.h"

#include <cotangent/reduce.h>

#include <math.h>

/* A reduction in progress. Between begin and finish x is in the dtype that sums are made in, and
 * reduced axes stay with extent 1. */
typedef struct reduction {
    ct__composite q;
    ct_operand operand;
    ct_tensor *x;
    ct_dtype dtype;    /* of the result */
    ct__extents full;  /* x's shape */
    ct__extents axes;  /* reduced, in rising order */
    ct__extents kept;  /* shape with 1 at the axes */
} reduction;

static bool begin(reduction *r, ct_place at, const char *name, ct_tensor *x, ct_axes axes,
                  unsigned classes)
{
    ct__composite *q = &r->q;
    if (!ct__begin1(q, at, name, &r->operand, x) || !ct__allow(q, 0, classes))
        return false;
    r->dtype = x->type->dtype;
    r->kept = r->full = ct__extents_of(x);
    if (!ct__axes(q, axes, r->full.rank, &r->axes))
        return false;
    for (int i = 0; i < r->axes.rank; i++)
        r->kept.dim[r->axes.dim[i]] = 1;
    ct__open(q);
    r->x = x;
    return true;
}

static ct_tensor *reshape(const reduction *r, ct_tensor *y, const ct__extents *shape)
{
    return ct_op_reshape_at(r->q.at, y, ct__shape(shape));
}

typedef ct_tensor *fold(ct_place at, ct_tensor *x, ct_dims axes);

/* x folded along the axes, which stay with extent 1. No axes: x itself. */
static ct_tensor *fold_kept(const reduction *r, fold *by, ct_tensor *x)
{
    if (r->axes.rank == 0)
        return x;
    return reshape(r, by(r->q.at, x, ct__shape(&r->axes)), &r->kept);
}

/* The result in its dtype, without the reduced axes unless they are kept. */
static ct_tensor *finish(reduction *r, ct_tensor *y, ct_keep_axes keep)
{
    y = ct__convert(r->q.at, y, r->dtype);
    if (keep == CT_DROP_AXES && r->axes.rank > 0) {
        ct__extents left = {.rank = 0};
        for (int d = 0, i = 0; d < r->full.rank; d++) {
            if (i < r->axes.rank && r->axes.dim[i] == d)
                i++;
            else
                left.dim[left.rank++] = r->full.dim[d];
        }
        y = reshape(r, y, &left);
    }
    return ct__close(&r->q, y);
}

static void widen(reduction *r)
{
    r->x = ct__convert(r->q.at, r->x, ct__sum_dtype(r->dtype));
}

/* ---- Sums. */

ct_tensor *ct_sum_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, "sum", x, axes, CT__INTS | CT__FLOATS | CT__COMPLEXES))
        return ct__poison(r.q.ctx);
    widen(&r);
    return finish(&r, fold_kept(&r, ct_op_reduce_add_at, r.x), keep);
}

/* How many elements each result is made of. */
static double count(const reduction *r)
{
    double n = 1;
    for (int i = 0; i < r->axes.rank; i++)
        n *= (double)r->full.dim[r->axes.dim[i]];
    return n;
}

ct_tensor *ct_mean_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, "mean", x, axes, CT__FLOATS | CT__COMPLEXES))
        return ct__poison(r.q.ctx);
    widen(&r);
    ct_tensor *n = ct__number(&r.q, ct_operand_real(count(&r)), ct__sum_dtype(r.dtype), &r.kept);
    ct_tensor *total = fold_kept(&r, ct_op_reduce_add_at, r.x);
    return finish(&r, ct_op_divide_at(at, total, n), keep);
}

/* ---- Extremes. */

static ct_tensor *extreme(ct_place at, const char *name, fold *by, ct_tensor *x, ct_axes axes,
                          ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, name, x, axes, CT__INTS | CT__FLOATS | CT__BOOLS))
        return ct__poison(r.q.ctx);
    return finish(&r, fold_kept(&r, by, x), keep);
}

ct_tensor *ct_max_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    return extreme(at, "max", ct_op_reduce_max_at, x, axes, keep);
}

ct_tensor *ct_min_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    return extreme(at, "min", ct_op_reduce_min_at, x, axes, keep);
}

/* ---- Exponentials. */

/* x - m, where m is the largest x or another number that is constant along the axes. */
static ct_tensor *shifted(const reduction *r, ct_tensor *m)
{
    return ct_op_subtract_at(r->q.at, r->x, ct__stretch(r->q.at, m, &r->full));
}

static ct_tensor *log_sum_exp(const reduction *r, ct_tensor *z)
{
    ct_tensor *e = ct_op_exponential_at(r->q.at, z);
    return ct_op_log_at(r->q.at, fold_kept(r, ct_op_reduce_add_at, e));
}

/* log Σ e^(x-m) + m for the constant m = max x. Where max x is infinite, it is the result itself, with
 * its own slope, and m is 0 so that the other side meets no inf - inf. */
ct_tensor *ct_logsumexp_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, "logsumexp", x, axes, CT__FLOATS))
        return ct__poison(r.q.ctx);
    widen(&r);
    ct_dtype dtype = ct__sum_dtype(r.dtype);
    ct_tensor *zero = ct__number(&r.q, ct_operand_real(0), dtype, &r.kept);
    ct_tensor *infinity = ct__number(&r.q, ct_operand_real(INFINITY), dtype, &r.kept);
    ct_tensor *largest = fold_kept(&r, ct_op_reduce_max_at, r.x);
    ct_tensor *size = ct_op_abs_at(at, largest);
    ct_tensor *is_infinite = ct_op_compare_at(at, size, infinity, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *m = ct_op_stop_gradient_at(at, ct_op_select_at(at, is_infinite, zero, largest));
    ct_tensor *finite = ct_op_add_at(at, log_sum_exp(&r, shifted(&r, m)), m);
    return finish(&r, ct_op_select_at(at, is_infinite, largest, finite), keep);
}

/* x less its largest, a shift that changes neither softmax nor its slope. */
static ct_tensor *below_largest(const reduction *r)
{
    ct_tensor *largest = fold_kept(r, ct_op_reduce_max_at, r->x);
    return shifted(r, ct_op_stop_gradient_at(r->q.at, largest));
}

ct_tensor *ct_softmax_at(ct_place at, ct_tensor *x, ct_axes axes)
{
    reduction r;
    if (!begin(&r, at, "softmax", x, axes, CT__FLOATS))
        return ct__poison(r.q.ctx);
    widen(&r);
    ct_tensor *e = ct_op_exponential_at(at, below_largest(&r));
    ct_tensor *total = fold_kept(&r, ct_op_reduce_add_at, e);
    return finish(&r, ct_op_divide_at(at, e, ct__stretch(at, total, &r.full)), CT_KEEP_AXES);
}

ct_tensor *ct_log_softmax_at(ct_place at, ct_tensor *x, ct_axes axes)
{
    reduction r;
    if (!begin(&r, at, "log_softmax", x, axes, CT__FLOATS))
        return ct__poison(r.q.ctx);
    widen(&r);
    ct_tensor *z = below_largest(&r);
    ct_tensor *log_total = ct__stretch(at, log_sum_exp(&r, z), &r.full);
    return finish(&r, ct_op_subtract_at(at, z, log_total), CT_KEEP_AXES);
}
