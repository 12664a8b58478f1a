/* Batch normalisation. */
#include "trace/trace.h"

#include <cotangent/op_large.h>

static ct_tensor *apply(ct_place at, ct__op op, double epsilon, int64_t feature_index, size_t n,
                        ct_tensor *const *operand, ct_tensor **results, size_t n_results)
{
    const ct__attrs attrs = {.batch_norm = {.epsilon = (double)(float)epsilon, /* an f32 in text */
                                            .feature_index = feature_index}};
    const ct__request request = {
        .at = at, .op = op, .attrs = &attrs, .n_operands = n, .operand = operand};

    ct__apply(&request, results, n_results);
    return results[0];
}

ct_tensor *ct_op_batch_norm_inference_at(ct_place at, ct_tensor *x, ct_tensor *scale,
                                         ct_tensor *offset, ct_tensor *mean, ct_tensor *variance,
                                         double epsilon, int64_t feature_index)
{
    ct_tensor *operand[] = {x, scale, offset, mean, variance}, *y;

    return apply(at, CT__OP_batch_norm_inference, epsilon, feature_index, 5, operand, &y, 1);
}

/* NULL leaves a result out, which is then released. */
static ct_tensor *hand_out(ct_tensor *const *result, ct_tensor **second, ct_tensor **third)
{
    ct_tensor **wanted[] = {second, third};

    for (int i = 0; i < 2; i++) {
        if (wanted[i])
            *wanted[i] = result[i + 1];
        else
            ct_release(result[i + 1]);
    }
    return result[0];
}

ct_tensor *ct_op_batch_norm_training_at(ct_place at, ct_tensor *x, ct_tensor *scale,
                                        ct_tensor *offset, double epsilon, int64_t feature_index,
                                        ct_tensor **mean, ct_tensor **variance)
{
    ct_tensor *operand[] = {x, scale, offset}, *result[3];

    apply(at, CT__OP_batch_norm_training, epsilon, feature_index, 3, operand, result, 3);
    return hand_out(result, mean, variance);
}

ct_tensor *ct_op_batch_norm_grad_at(ct_place at, ct_tensor *x, ct_tensor *scale, ct_tensor *mean,
                                    ct_tensor *variance, ct_tensor *ybar, double epsilon,
                                    int64_t feature_index, ct_tensor **scalebar,
                                    ct_tensor **offsetbar)
{
    ct_tensor *operand[] = {x, scale, mean, variance, ybar}, *result[3];

    apply(at, CT__OP_batch_norm_grad, epsilon, feature_index, 5, operand, result, 3);
    return hand_out(result, scalebar, offsetbar);
}
