#include "trace/compose.h"

#include <cotangent/reduce.h>

#include <inttypes.h>
#include <math.h>

/* A reduction in progress. Between begin and finish x is in the dtype that sums are made in, and
 * reduced axes are dropped. */
typedef struct reduction {
    ct__composite q;
    ct_operand operand;
    ct_tensor *x;
    ct_dtype dtype;        /* of the result */
    ct__extents full;      /* x's shape */
    ct__extents axes;      /* those reduced, in rising order */
    ct__extents left_axes; /* the others */
    ct__extents left;      /* their extents */
    ct__extents kept;      /* x's shape with 1 at the reduced axes */
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
    r->left.rank = r->left_axes.rank = 0;
    for (int d = 0, i = 0; d < r->full.rank; d++) {
        if (i < r->axes.rank && r->axes.dim[i] == d) {
            r->kept.dim[d] = 1;
            i++;
        } else {
            r->left_axes.dim[r->left_axes.rank++] = d;
            r->left.dim[r->left.rank++] = r->full.dim[d];
        }
    }
    ct__open(q);
    r->x = x;
    return true;
}

typedef ct_tensor *fold(ct_place at, ct_tensor *x, ct_dims axes);

/* x folded along the axes; x itself when there are none. */
static ct_tensor *folded(const reduction *r, fold *by, ct_tensor *x)
{
    return r->axes.rank == 0 ? x : by(r->q.at, x, ct__shape(&r->axes));
}

/* A folded value beside every element that it was made of. */
static ct_tensor *spread(const reduction *r, ct_tensor *y)
{
    if (r->axes.rank == 0)
        return y;
    return ct_op_broadcast_in_dim_at(r->q.at, y, ct__shape(&r->full), ct__shape(&r->left_axes));
}

/* The result in its dtype and, with CT_KEEP_AXES, its rank. */
static ct_tensor *finish(reduction *r, ct_tensor *y, ct_keep_axes keep)
{
    y = ct__convert(r->q.at, y, r->dtype);
    if (keep == CT_KEEP_AXES && r->axes.rank > 0)
        y = ct_op_reshape_at(r->q.at, y, ct__shape(&r->kept));
    return ct__close(&r->q, y);
}

static void widen(reduction *r)
{
    r->x = ct__convert(r->q.at, r->x, ct__sum_dtype(r->dtype));
}

/* ---- Sums and products. */

ct_tensor *ct_sum_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, "sum", x, axes, CT__INTS | CT__FLOATS | CT__COMPLEXES))
        return ct__poison(r.q.ctx);
    widen(&r);
    return finish(&r, folded(&r, ct_op_reduce_add_at, r.x), keep);
}

static ct_tensor *fold_multiply(ct_place at, ct_tensor *x, ct_dims axes)
{
    return ct__reduce_usual(at, CT__OP_multiply, x, axes);
}

ct_tensor *ct_prod_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, "prod", x, axes, CT__INTS | CT__FLOATS | CT__COMPLEXES))
        return ct__poison(r.q.ctx);
    widen(&r);
    return finish(&r, folded(&r, fold_multiply, r.x), keep);
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
    ct_tensor *n = ct__number(&r.q, ct_operand_real(count(&r)), ct__sum_dtype(r.dtype), &r.left);
    ct_tensor *total = folded(&r, ct_op_reduce_add_at, r.x);
    return finish(&r, ct_op_divide_at(at, total, n), keep);
}

/* ---- Extremes. */

static ct_tensor *extreme(ct_place at, const char *name, fold *by, ct_tensor *x, ct_axes axes,
                          ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, name, x, axes, CT__INTS | CT__FLOATS | CT__BOOLS))
        return ct__poison(r.q.ctx);
    return finish(&r, folded(&r, by, x), keep);
}

ct_tensor *ct_max_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    return extreme(at, "max", ct_op_reduce_max_at, x, axes, keep);
}

ct_tensor *ct_min_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    return extreme(at, "min", ct_op_reduce_min_at, x, axes, keep);
}

/* ---- Places of extremes: the values and their positions are reduced together. */

static ct_tensor *reduce_positions(const reduction *r, ct__op op, int64_t axis)
{
    static const ct__extents scalar = {.rank = 0};
    ct_context *ctx = r->q.ctx;
    ct_place at = r->q.at;
    ct_tensor *operand[] = {ct_op_stop_gradient_at(at, r->x),
                            ct_op_iota_at(at, ctx, CT_I64, ct__shape(&r->full), axis),
                            ct__fill(ctx, at, ct__neutral((int)op, r->dtype), r->dtype, &scalar),
                            ct__fill(ctx, at, ct_operand_signed(INT64_MAX), CT_I64, &scalar)};
    ct_tensor *result[] = {ct__poison(ctx), ct__poison(ctx)};
    const ct__attrs attrs = {.reduce = {.dimensions = {1, &axis}, .n_inputs = 2}};
    ct__graph *body = ct__extreme_body(ctx, at, op, r->dtype, CT_I64);
    if (body)
        ct__apply(&(ct__request){.ctx = ctx,
                                 .at = at,
                                 .op = CT__OP_reduce,
                                 .attrs = &attrs,
                                 .n_operands = 4,
                                 .operand = operand,
                                 .n_regions = 1,
                                 .region = &body},
                  result, 2);
    ct__graph_release(body);
    return result[1];
}

static ct_tensor *place_of_extreme(ct_place at, const char *name, ct__op op, ct_tensor *x,
                                   int64_t axis, ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, name, x, CT_AXES(axis), CT__INTS | CT__FLOATS | CT__BOOLS))
        return ct__poison(r.q.ctx);
    bool is_empty = r.full.dim[r.axes.dim[0]] == 0;
    for (int i = 0; i < r.left.rank; i++)
        is_empty = is_empty && r.left.dim[i] > 0;
    if (is_empty)
        return ct__close(
            &r.q, ct__composite_error(&r.q, CT_ERR_SHAPE, "axis %" PRId64 " has extent 0", axis));
    ct_tensor *y = reduce_positions(&r, op, r.axes.dim[0]);
    r.dtype = CT_I64;
    return finish(&r, y, keep);
}

ct_tensor *ct_argmax_at(ct_place at, ct_tensor *x, int64_t axis, ct_keep_axes keep)
{
    return place_of_extreme(at, "argmax", CT__OP_maximum, x, axis, keep);
}

ct_tensor *ct_argmin_at(ct_place at, ct_tensor *x, int64_t axis, ct_keep_axes keep)
{
    return place_of_extreme(at, "argmin", CT__OP_minimum, x, axis, keep);
}

/* ---- Truth. */

static ct_tensor *fold_or(ct_place at, ct_tensor *x, ct_dims axes)
{
    return ct__reduce_usual(at, CT__OP_or, x, axes);
}

static ct_tensor *fold_and(ct_place at, ct_tensor *x, ct_dims axes)
{
    return ct__reduce_usual(at, CT__OP_and, x, axes);
}

static ct_tensor *truth(ct_place at, const char *name, fold *by, ct_tensor *x, ct_axes axes,
                        ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, name, x, axes, CT__ANY))
        return ct__poison(r.q.ctx);
    if (r.dtype != CT_BOOL) {
        ct_tensor *zero = ct__number(&r.q, ct_operand_signed(0), r.dtype, &r.full);
        r.x = ct_op_compare_at(at, x, zero, CT_NE, CT_COMPARE_DEFAULT);
        r.dtype = CT_BOOL;
    }
    return finish(&r, folded(&r, by, r.x), keep);
}

ct_tensor *ct_any_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    return truth(at, "any", fold_or, x, axes, keep);
}

ct_tensor *ct_all_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    return truth(at, "all", fold_and, x, axes, keep);
}

/* ---- Exponentials. */

/* x - m, where m is the largest x or another number that is constant along the axes. */
static ct_tensor *shifted(const reduction *r, ct_tensor *m)
{
    return ct_op_subtract_at(r->q.at, r->x, spread(r, m));
}

static ct_tensor *log_sum_exp(const reduction *r, ct_tensor *z)
{
    ct_tensor *e = ct_op_exponential_at(r->q.at, z);
    return ct_op_log_at(r->q.at, folded(r, ct_op_reduce_add_at, e));
}

/* log Σ e^(x-m) + m for the constant m = max x. Where max x is infinite, it is the result itself,
 * with its own slope, and m is 0 so that the other side meets no inf - inf. */
ct_tensor *ct_logsumexp_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, "logsumexp", x, axes, CT__FLOATS))
        return ct__poison(r.q.ctx);
    widen(&r);
    ct_dtype dtype = ct__sum_dtype(r.dtype);
    ct_tensor *zero = ct__number(&r.q, ct_operand_real(0), dtype, &r.left);
    ct_tensor *infinity = ct__number(&r.q, ct_operand_real(INFINITY), dtype, &r.left);
    ct_tensor *largest = folded(&r, ct_op_reduce_max_at, r.x);
    ct_tensor *size = ct_op_abs_at(at, largest);
    ct_tensor *is_infinite = ct_op_compare_at(at, size, infinity, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *m = ct_op_stop_gradient_at(at, ct_op_select_at(at, is_infinite, zero, largest));
    ct_tensor *finite = ct_op_add_at(at, log_sum_exp(&r, shifted(&r, m)), m);
    return finish(&r, ct_op_select_at(at, is_infinite, largest, finite), keep);
}

/* x less its largest, a shift that changes neither softmax nor its slope. */
static ct_tensor *below_largest(const reduction *r)
{
    ct_tensor *largest = folded(r, ct_op_reduce_max_at, r->x);
    return shifted(r, ct_op_stop_gradient_at(r->q.at, largest));
}

ct_tensor *ct_softmax_at(ct_place at, ct_tensor *x, ct_axes axes)
{
    reduction r;
    if (!begin(&r, at, "softmax", x, axes, CT__FLOATS))
        return ct__poison(r.q.ctx);
    widen(&r);
    ct_tensor *e = ct_op_exponential_at(at, below_largest(&r));
    ct_tensor *total = folded(&r, ct_op_reduce_add_at, e);
    return finish(&r, ct_op_divide_at(at, e, spread(&r, total)), CT_DROP_AXES);
}

ct_tensor *ct_log_softmax_at(ct_place at, ct_tensor *x, ct_axes axes)
{
    reduction r;
    if (!begin(&r, at, "log_softmax", x, axes, CT__FLOATS))
        return ct__poison(r.q.ctx);
    widen(&r);
    ct_tensor *z = below_largest(&r);
    return finish(&r, ct_op_subtract_at(at, z, spread(&r, log_sum_exp(&r, z))), CT_DROP_AXES);
}

/* ---- Spread and length. */

/* The middle of the smallest and the largest x. */
static ct_tensor *middle(const reduction *r)
{
    ct_place at = r->q.at;
    ct_tensor *half = ct__number(&r->q, ct_operand_real(0.5), ct__sum_dtype(r->dtype), &r->left);
    ct_tensor *low = ct_op_multiply_at(at, folded(r, ct_op_reduce_min_at, r->x), half);
    ct_tensor *high = ct_op_multiply_at(at, folded(r, ct_op_reduce_max_at, r->x), half);
    return ct_op_add_at(at, low, high);
}

/* Σ (x - mean)^2 / (n - ddof). First the middle, a constant for differentiation, is taken off: then
 * equal x are exactly 0, and a mean far from 0 costs no digits. */
static ct_tensor *variance(const reduction *r, int64_t ddof)
{
    ct_place at = r->q.at;
    ct_dtype dtype = ct__sum_dtype(r->dtype);
    double n = count(r), left = n - (double)ddof;
    ct_tensor *size = ct__number(&r->q, ct_operand_real(n), dtype, &r->left);
    ct_tensor *freedom = ct__number(&r->q, ct_operand_real(left > 0 ? left : 0), dtype, &r->left);
    ct_tensor *x = shifted(r, ct_op_stop_gradient_at(at, middle(r)));
    ct_tensor *mean = ct_op_divide_at(at, folded(r, ct_op_reduce_add_at, x), size);
    ct_tensor *distance = ct_op_subtract_at(at, x, spread(r, mean));
    ct_tensor *squares = ct_op_multiply_at(at, distance, distance);
    return ct_op_divide_at(at, folded(r, ct_op_reduce_add_at, squares), freedom);
}

ct_tensor *ct_var_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep, int64_t ddof)
{
    reduction r;
    if (!begin(&r, at, "var", x, axes, CT__FLOATS))
        return ct__poison(r.q.ctx);
    widen(&r);
    return finish(&r, variance(&r, ddof), keep);
}

ct_tensor *ct_std_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep, int64_t ddof)
{
    reduction r;
    if (!begin(&r, at, "std", x, axes, CT__FLOATS))
        return ct__poison(r.q.ctx);
    widen(&r);
    return finish(&r, ct_op_sqrt_at(at, variance(&r, ddof)), keep);
}

/* s sqrt(Σ (x/s)^2). Where the largest |x| is infinite, it is the result, with its own slope. */
ct_tensor *ct_norm_at(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep)
{
    reduction r;
    if (!begin(&r, at, "norm", x, axes, CT__FLOATS))
        return ct__poison(r.q.ctx);
    widen(&r);
    ct_dtype dtype = ct__sum_dtype(r.dtype);
    ct_tensor *largest = folded(&r, ct_op_reduce_max_at, ct_op_abs_at(at, r.x));
    ct_tensor *unit = ct__square_unit(&r.q, largest, dtype, &r.left);
    ct_tensor *scaled = ct_op_divide_at(at, r.x, spread(&r, unit));
    ct_tensor *squares = ct_op_multiply_at(at, scaled, scaled);
    ct_tensor *root = ct_op_sqrt_at(at, folded(&r, ct_op_reduce_add_at, squares));
    ct_tensor *infinity = ct__number(&r.q, ct_operand_real(INFINITY), dtype, &r.left);
    ct_tensor *is_infinite = ct_op_compare_at(at, largest, infinity, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *length = ct_op_multiply_at(at, root, unit);
    return finish(&r, ct_op_select_at(at, is_infinite, largest, length), keep);
}
