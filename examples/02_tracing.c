/* What tracing records, and how a function is shown: as StableHLO text and as a summary. */
#include <cotangent/cotangent.h>

#include <stdio.h>

/* f(x) = Σ tanh(a x), where a is a concrete tensor: the trace captures it as a constant. */
static ct_tensor *f(void *a, ct_tensor *x)
{
    ct_tensor *hidden = ct_name(ct_tanh(ct_matmul(a, x)), "hidden");
    return ct_sum(hidden, CT_ALL_AXES, CT_DROP_AXES);
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = ct_reshape(ct_arange(ctx, CT_F32, 0, 6, 1), CT_SHAPE(2, 3));
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(3)); /* a type is enough to trace */

    ct_function *traced = ct_trace_user(ctx, f, a, CT_LIKE(x));
    printf("%s\n", ct_function_text(traced, CT_TEXT_STABLEHLO));
    printf("%s\n", ct_function_text(ct_grad(traced, CT_ARGS(0)), CT_TEXT_STABLEHLO));
    printf("%s\n", ct_function_text(traced, CT_TEXT_SUMMARY));

    /* Concrete arguments are computed at once; a traced value has no data to look at. */
    ct_tensor *v = ct_from_data(ctx, CT_F32, CT_SHAPE(3), (float[]){0.1F, 0, -0.1F});
    printf("f(v)       = %s\n", ct_text(ct_apply1(traced, CT_ARGV(v))));
    printf("gradient   = %s\n", ct_text(ct_apply1(ct_grad(traced, CT_ARGS(0)), CT_ARGV(v))));
    printf("tanh(a v)  = %s\n", ct_text(ct_tanh(ct_matmul(a, v))));

    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
