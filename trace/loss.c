#include "trace/compose.h"

#include <cotangent/index.h>
#include <cotangent/loss.h>
#include <cotangent/reduce.h>
#include <cotangent/shape.h>

#include <inttypes.h>

/* log_softmax along the axis, in the dtype that sums are made in. */
static ct_tensor *log_probabilities(const ct__composite *q, ct_tensor *logits, int64_t axis)
{
    ct_tensor *x = ct__convert(q->at, logits, ct__sum_dtype(logits->type->dtype));
    return ct_log_softmax_at(q->at, x, CT_AXES(axis));
}

/* The labels' extents are those of the logits without the axis. */
static bool check_labels(const ct__composite *q, const ct_type *logits, const ct_type *labels,
                         int64_t axis)
{
    if (labels->rank != logits->rank - 1)
        return ct__composite_fail(q, CT_ERR_SHAPE, "labels have rank %d; it should be %d",
                                  labels->rank, logits->rank - 1);
    for (int d = 0; d < labels->rank; d++) {
        int64_t extent = logits->dim[d < axis ? d : d + 1];
        if (labels->dim[d] != extent)
            return ct__composite_fail(
                q, CT_ERR_SHAPE, "on axis %d labels have extent %" PRId64 "; it should be %" PRId64,
                d, labels->dim[d], extent);
    }
    return true;
}

ct_tensor *ct_cross_entropy_at(ct_place at, ct_tensor *logits, ct_tensor *labels, int64_t axis,
                               ct_index_mode mode)
{
    const ct_operand operand[] = {ct_operand_tensor(logits), ct_operand_tensor(labels)};
    ct__composite q;
    if (!ct__begin(&q, at, "cross_entropy", "logits labels", 2, operand) ||
        !ct__allow(&q, 0, CT__FLOATS) || !ct__allow(&q, 1, CT__INTS) ||
        !ct__axis(&q, "axis", axis, logits->type->rank, &axis) ||
        !check_labels(&q, logits->type, labels->type, axis))
        return ct__poison(q.ctx);
    ct_dtype dtype = logits->type->dtype;
    ct__open(&q);
    /* in the logits' own dtype, which is that of the fill value */
    ct_tensor *losses = ct_op_negate_at(at, log_probabilities(&q, logits, axis));
    losses = ct__convert(at, losses, dtype);
    ct_tensor *column = ct_expand_dims_at(at, labels, CT_AXES(axis));
    ct_tensor *y = ct_take_along_axis_at(at, losses, column, axis, mode);
    return ct__close(&q, ct_squeeze_at(at, y, CT_AXES(axis)));
}

ct_tensor *ct_cross_entropy_soft_at(ct_place at, ct_tensor *logits, ct_tensor *probabilities,
                                    int64_t axis)
{
    const ct_operand operand[] = {ct_operand_tensor(logits), ct_operand_tensor(probabilities)};
    ct__composite q;
    ct_dtype dtype;
    if (!ct__begin(&q, at, "cross_entropy_soft", "logits probabilities", 2, operand) ||
        !ct__allow(&q, 0, CT__FLOATS) || !ct__common_dtype(&q, 0, &dtype) ||
        !ct__axis(&q, "axis", axis, logits->type->rank, &axis))
        return ct__poison(q.ctx);
    if (!ct__shape_equal(logits->type, probabilities->type))
        return ct__composite_error(&q, CT_ERR_SHAPE, "the shapes differ");
    ct__open(&q);
    ct_tensor *logs = log_probabilities(&q, logits, axis);
    ct_tensor *weights = ct__convert(at, probabilities, ct__sum_dtype(dtype));
    ct_tensor *terms = ct_op_scale_at(at, weights, logs); /* 0 (-inf) is 0 */
    ct_tensor *sum = ct_op_negate_at(at, ct_op_reduce_add_at(at, terms, CT_DIMS(axis)));
    return ct__close(&q, ct__convert(at, sum, dtype));
}
