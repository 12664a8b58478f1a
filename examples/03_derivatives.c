/* Forward mode, reverse mode, and second derivatives: transforms compose in any order. */
#include <cotangent/cotangent.h>

#include <stdio.h>

/* Rosenbrock's function of n numbers: Σ 100 (x[i+1] - x[i]²)² + (1 - x[i])². */
static ct_tensor *rosenbrock(ct_tensor *x)
{
    int64_t n = ct_dim(x, 0);
    ct_tensor *head = ct_slice(x, CT_SHAPE(0), CT_SHAPE(n - 1), CT_SHAPE(1));
    ct_tensor *tail = ct_slice(x, CT_SHAPE(1), CT_SHAPE(n), CT_SHAPE(1));
    ct_tensor *valley = ct_mul(ct_square(ct_sub(tail, ct_square(head))), 100);
    return ct_sum(ct_add(valley, ct_square(ct_sub(1, head))), CT_ALL_AXES, CT_DROP_AXES);
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_F64, CT_SHAPE(3), (double[]){-1, 2, 0.5});
    ct_tensor *v = ct_from_data(ctx, CT_F64, CT_SHAPE(3), (double[]){1, 0, -2});
    ct_function *f = ct_trace(ctx, rosenbrock, CT_LIKE(x));
    printf("f(x)              = %g\n", ct_item(ct_apply1(f, CT_ARGV(x))));

    ct_tensor *forward[2]; /* value and directional derivative */
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, v), forward, 2);
    printf("jvp: f'(x) v      = %g\n", ct_item(forward[1]));

    ct_function *gradient = ct_grad(f, CT_ARGS(0));
    printf("grad: f'(x)       = %s\n", ct_text(ct_apply1(gradient, CT_ARGV(x))));

    ct_tensor *ybar = ct_scalar(ctx, CT_F64, 3);
    ct_function *vjp = ct_vjp(f, CT_ARGS(0));
    printf("vjp: 3 f'(x)      = %s\n", ct_text(ct_apply1(vjp, CT_ARGV(x, ybar))));

    ct_tensor *both[2]; /* forward over reverse: gradient and Hessian times v */
    ct_apply(ct_jvp(gradient, CT_ARGS(0)), CT_ARGV(x, v), both, 2);
    printf("jvp of grad: f'' v = %s\n", ct_text(both[1]));

    ct_function *reverse = ct_vjp(gradient, CT_ARGS(0)); /* reverse over reverse: the same */
    printf("vjp of grad: f'' v = %s\n", ct_text(ct_apply1(reverse, CT_ARGV(x, v))));

    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
