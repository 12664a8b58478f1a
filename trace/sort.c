#include "trace/compose.h"

#include <cotangent/sort.h>

#include <inttypes.h>
#include <math.h>

/* An ordering in progress. */
typedef struct ordering {
    ct__composite q;
    ct_operand operand;
    ct_tensor *x;
    ct__extents shape;
    int64_t axis;
    ct_order order;
} ordering;

static bool begin(ordering *o, ct_place at, const char *name, ct_tensor *x, int64_t axis,
                  ct_order order)
{
    ct__composite *q = &o->q;
    o->x = x;
    o->order = order;
    if (!ct__begin1(q, at, name, &o->operand, x) ||
        !ct__allow(q, 0, CT__INTS | CT__FLOATS | CT__BOOLS) ||
        !ct__axis(q, "axis", axis, x->type->rank, &o->axis))
        return false;
    if (order != CT_ASCENDING && order != CT_DESCENDING)
        return ct__composite_fail(q, CT_ERR_ARGUMENT, "there is no order %d", (int)order);
    o->shape = ct__extents_of(x);
    ct__open(q);
    return true;
}

/* What is compared in place of x: in the total order of its bits, 0 then equals -0, and one NaN is
 * larger than all numbers. A constant: it only decides. */
static ct_tensor *key_of(const ordering *o)
{
    ct_place at = o->q.at;
    ct_tensor *x = o->x;
    ct_dtype dtype = ct_dtype_of(x);
    if (!ct_dtype_is_float(dtype))
        return x;
    x = ct_op_stop_gradient_at(at, x);
    ct_tensor *zero = ct__number(&o->q, ct_operand_real(0), dtype, &o->shape);
    ct_tensor *nan = ct__number(&o->q, ct_operand_real(NAN), dtype, &o->shape);
    ct_tensor *is_zero = ct_op_compare_at(at, x, zero, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *is_nan = ct_op_compare_at(at, x, x, CT_NE, CT_COMPARE_DEFAULT);
    return ct_op_select_at(at, is_nan, nan, ct_op_select_at(at, is_zero, zero, x));
}

/* (left key, right key, left, right) -> whether left goes first; without the last two for one
 * operand. NULL after an error. */
static ct__graph *comparator(const ordering *o, size_t n, ct_tensor *const *operand)
{
    ct_context *ctx = o->q.ctx;
    ct_place at = o->q.at;
    ct_scope scope = ct_scope_begin(ctx);
    if (!ct__trace_push(ctx, at, "comes_first", false)) {
        ct_scope_end(scope);
        return NULL;
    }
    ct_tensor *p[4], *first;
    for (size_t i = 0; i < 2 * n; i++) {
        const ct_type scalar = {
            .kind = CT__TENSOR, .dtype = ct_dtype_of(operand[i / 2]), .size = 1};
        p[i] = ct__trace_param(ctx, at, &scalar);
    }
    first = ct_op_compare_at(at, p[0], p[1], o->order == CT_ASCENDING ? CT_LT : CT_GT,
                             ct_dtype_is_float(ct_dtype_of(p[0])) ? CT_COMPARE_TOTALORDER
                                                                  : CT_COMPARE_DEFAULT);
    ct__graph *graph = ct__trace_pop(ctx, at, 1, &first);
    ct_scope_end(scope);
    return graph;
}

/* The last of n operands, ordered by the first. */
static ct_tensor *ordered(const ordering *o, size_t n, ct_tensor *const *operand)
{
    const ct__attrs attrs = {
        .sort = {.dimension = o->axis, .n_inputs = (int64_t)n, .is_stable = true}};
    ct_tensor *result[2] = {ct__poison(o->q.ctx), ct__poison(o->q.ctx)};
    if (ct_failed(o->q.ctx))
        return result[0];
    ct__graph *body = comparator(o, n, operand);
    if (body)
        ct__apply(&(ct__request){.ctx = o->q.ctx,
                                 .at = o->q.at,
                                 .op = CT__OP_sort,
                                 .attrs = &attrs,
                                 .n_operands = n,
                                 .operand = operand,
                                 .n_regions = 1,
                                 .region = &body},
                  result, n);
    ct__graph_release(body);
    return result[n - 1];
}

ct_tensor *ct_sort_at(ct_place at, ct_tensor *x, int64_t axis, ct_order order)
{
    ordering o;
    if (!begin(&o, at, "sort", x, axis, order))
        return ct__poison(o.q.ctx);
    ct_tensor *operand[] = {key_of(&o), x};
    return ct__close(&o.q, operand[0] == x ? ordered(&o, 1, &x) : ordered(&o, 2, operand));
}

ct_tensor *ct_argsort_at(ct_place at, ct_tensor *x, int64_t axis, ct_order order)
{
    ordering o;
    if (!begin(&o, at, "argsort", x, axis, order))
        return ct__poison(o.q.ctx);
    ct_tensor *index = ct_op_iota_at(at, o.q.ctx, CT_I64, ct__shape(&o.shape), o.axis);
    ct_tensor *operand[] = {key_of(&o), index};
    return ct__close(&o.q, ordered(&o, 2, operand));
}

/* ---- The largest ones. */

/* x at these indices along the last axis. */
static ct_tensor *taken(const ordering *o, ct_tensor *indices)
{
    int64_t others[CT__MAX_RANK], one[CT__MAX_RANK];
    size_t rank = (size_t)o->shape.rank;
    for (size_t d = 0; d < rank; d++) {
        others[d] = (int64_t)d;
        one[d] = 1;
    }
    ct_dims batching = {rank - 1, others};
    ct_gather_dims dims = {.collapsed_slice_dims = {1, &o->axis},
                           .operand_batching_dims = batching,
                           .start_indices_batching_dims = batching,
                           .start_index_map = {1, &o->axis},
                           .index_vector_dim = (int64_t)rank,
                           .slice_sizes = {rank, one}};
    return ct_op_gather_at(o->q.at, o->x, indices, &dims);
}

void ct_top_k_at(ct_place at, ct_tensor *x, int64_t k, ct_tensor **values, ct_tensor **indices)
{
    ordering o;
    ct_tensor *value, *index;
    bool fine = begin(&o, at, "top_k", x, -1, CT_DESCENDING);
    value = index = ct__poison(o.q.ctx);
    if (fine && (k < 0 || k > o.shape.dim[o.axis])) {
        ct__composite_report(&o.q, CT_ERR_SHAPE, "k = %" PRId64 " must lie in [0, %" PRId64 "]", k,
                             o.shape.dim[o.axis]);
    } else if (fine) {
        ct_op_top_k_at(at, key_of(&o), k, &value, &index);
        if (ct_dtype_is_float(ct_dtype_of(x)) && ct_size(index) > 0)
            value = taken(&o, index);
        index = ct_keep(ct__convert(at, index, CT_I64));
    }
    if (fine)
        value = ct__close(&o.q, value);
    if (values)
        *values = value;
    if (indices)
        *indices = index;
}
