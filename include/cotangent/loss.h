/* Losses. They keep one number per example; ct_mean or ct_sum makes one of them. */
#ifndef COTANGENT_LOSS_H
#define COTANGENT_LOSS_H

#include "base.h"
#include "index.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The cross entropy of softmax(logits) along an axis: -log_softmax(logits) at the label.
 *
 *   logits   floats; the axis holds the classes
 *   labels   integers, in the shape of the logits without the axis
 *   mode     what happens to labels out of range, as in ct_take_along_axis: CT_STRICT raises an
 *            error, CT_FILL(0) leaves examples without a label out of a sum
 *   returns  the shape of the labels, in the dtype of the logits (f16, bf16: computed in f32)
 *   errors   CT_ERR_TYPE, CT_ERR_SHAPE; CT_ERR_ARGUMENT for CT_SKIP and for a fill value that the
 *            dtype does not hold
 *   derivs   softmax(logits) - one_hot(labels); 0 for filled ones; constant in the labels */
CT_API ct_tensor *ct_cross_entropy_at(ct_place at, ct_tensor *logits, ct_tensor *labels,
                                      int64_t axis, ct_index_mode mode);

/* The same against probabilities, in the dtype and shape of the logits:
 * -Σ probabilities log_softmax(logits). A probability of 0 gives 0, also where the logit is -inf.
 * Derivatives: softmax(logits) Σ probabilities - probabilities, and -log_softmax(logits). */
CT_API ct_tensor *ct_cross_entropy_soft_at(ct_place at, ct_tensor *logits, ct_tensor *probabilities,
                                           int64_t axis);

#define ct_cross_entropy(logits, labels, axis, mode)                                               \
    ct_cross_entropy_at(CT_HERE, logits, labels, axis, mode)
#define ct_cross_entropy_soft(...) ct_cross_entropy_soft_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
