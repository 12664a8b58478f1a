/* Prints the gradient of Σ (2 x + y)² at x = (1, 2), y = 3; plain numbers stand beside tensors. */
#include <cotangent/cotangent.h>

#include <stdio.h>

static ct_tensor *f(ct_tensor *x, ct_tensor *y)
{
    return ct_sum(ct_square(ct_add(ct_mul(x, 2), y)), CT_ALL_AXES, CT_DROP_AXES);
}

int main(void)
{
    static const double xs[] = {1, 2};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_F64, CT_SHAPE(2), xs);
    ct_tensor *y = ct_scalar(ctx, CT_F64, 3);
    ct_function *grad = ct_grad(ct_trace(ctx, f, CT_LIKE(x, y)), CT_ARGS(0));
    printf("%s %s\n", ct_text(ct_apply1(grad, CT_ARGV(x, y))), ct_error_message(ctx));
    ct_context_free(ctx);
    return 0;
}
