/* Checking gradients: the library's own, one written by hand with a mistake, and a kink. */
#include <cotangent/cotangent.h>

#include <stdio.h>

/* Logistic regression: the mean of log(1 + exp(-y · x w)) for labels y of -1 and 1. */
static ct_tensor *loss(ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    ct_tensor *margin = ct_mul(y, ct_matmul(x, w));
    return ct_mean(ct_log1p(ct_exp(ct_neg(margin))), CT_ALL_AXES, CT_DROP_AXES);
}

/* Its gradient by w on paper: x' (-y / (1 + exp(margin))) / n. The division by n was forgotten. */
static ct_tensor *loss_gradient(ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    ct_tensor *margin = ct_mul(y, ct_matmul(x, w));
    ct_tensor *slope = ct_div(ct_neg(y), ct_add(1, ct_exp(margin)));
    return ct_matmul(ct_transpose(x, CT_AXES(1, 0)), slope);
}

/* A layer whose first unit is exactly at the kink of relu. */
static ct_tensor *layer(ct_tensor *w, ct_tensor *x)
{
    return ct_sum(ct_relu(ct_matmul(x, w)), CT_ALL_AXES, CT_DROP_AXES);
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_F32, CT_SHAPE(3, 2), (float[]){1, 2, -1, 0.5, 3, -2});
    ct_tensor *y = ct_from_data(ctx, CT_F32, CT_SHAPE(3), (float[]){1, -1, 1});
    ct_tensor *w = ct_name(ct_from_data(ctx, CT_F32, CT_SHAPE(2), (float[]){0.5, -0.25}), "w");

    /* What ct_jvp and ct_vjp make, for every input, and once more for their own derivatives. */
    ct_function *f = ct_trace(ctx, loss, CT_LIKE(w, x, y));
    ct_gradcheck_options options = {.size = sizeof options, .second_order = true};
    ct_gradcheck_report *own = ct_gradcheck(f, CT_ARGV(w, x, y), &options);
    printf("%s\n", ct_gradcheck_text(own));

    /* What was derived on paper, by argument 0 alone. */
    ct_function *paper = ct_trace(ctx, loss_gradient, CT_LIKE(w, x, y));
    options = (ct_gradcheck_options){.size = sizeof options, .wrt = CT_ARGS(0)};
    ct_gradcheck_report *by_hand = ct_gradcheck_against(f, paper, CT_ARGV(w, x, y), &options);
    printf("%s\n", ct_gradcheck_text(by_hand));

    /* x w is 0 in the first row: there is no derivative, and the report says so. */
    ct_function *g = ct_trace(ctx, layer, CT_LIKE(w, x));
    ct_gradcheck_report *kink = ct_gradcheck(g, CT_ARGV(w, x), &options);
    printf("%s", ct_gradcheck_text(kink));

    bool expected = ct_gradcheck_passed(own) && !ct_gradcheck_passed(by_hand) &&
                    ct_gradcheck_passed(kink) && ct_gradcheck_count(kink, CT_GRADCHECK_KINK) > 0;
    int status = ct_failed(ctx) || !expected ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
