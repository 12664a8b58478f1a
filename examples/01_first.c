#include <cotangent/cotangent.h>
#include <stdio.h>

/* An ordinary C function over tensors. */
static ct_tensor *loss(ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    ct_tensor *residual = ct_sub(ct_matmul(x, w), y);
    return ct_mean(ct_square(residual), CT_ALL_AXES, CT_DROP_AXES);
}

int main(void)
{
    static const double xs[] = {1, 0, 1, 1, 1, 2, 1, 3}, ys[] = {1, 3, 5, 7};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_F64, CT_SHAPE(4, 2), xs);
    ct_tensor *y = ct_from_data(ctx, CT_F64, CT_SHAPE(4), ys);
    ct_tensor *w = ct_zeros(ctx, CT_F64, CT_SHAPE(2));

    printf("direct: %g\n", ct_item(loss(w, x, y))); /* computes at once */

    ct_function *f = ct_trace(ctx, loss, CT_LIKE(w, x, y)); /* calls it with traced tensors */
    ct_executable *grad = ct_compile(ct_grad(f, CT_ARGS(0)), NULL);
    for (int i = 0; i < 200; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *next = ct_sub(w, ct_mul(ct_call1(grad, CT_ARGV(w, x, y)), 0.1));
        ct_replace(&w, next); /* keeps next, releases the old w */
        ct_scope_end(scope);  /* releases the rest */
    }
    printf("w = %g %g\n", ct_at(w, 0), ct_at(w, 1));
    if (ct_failed(ctx))
        fprintf(stderr, "%s\n", ct_error_message(ctx));
    int status = ct_failed(ctx) ? 1 : 0;
    ct_context_free(ctx);
    return status;
}
