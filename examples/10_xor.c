/* A tiny network learns exclusive or. */
#include <cotangent/cotangent.h>

#include <stdio.h>

static ct_tensor *network(ct_tensor *w1, ct_tensor *w2, ct_tensor *x)
{
    return ct_matmul(ct_tanh(ct_matmul(x, w1)), w2);
}

/* The mean of -log(probability of y), where the probability of 1 is sigmoid(network). */
static ct_tensor *loss(ct_tensor *w1, ct_tensor *w2, ct_tensor *x, ct_tensor *y)
{
    ct_tensor *z = network(w1, w2, x);
    return ct_mean(ct_sub(ct_softplus(z), ct_mul(y, z)), CT_ALL_AXES, CT_DROP_AXES);
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_F32, CT_SHAPE(4, 3),
                                (float[]){0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1}); /* a, b, 1 */
    ct_tensor *y = ct_from_data(ctx, CT_F32, CT_SHAPE(4), (float[]){0, 1, 1, 0});
    ct_tensor *w1 = ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(3, 4));
    ct_tensor *w2 = ct_random_normal(ctx, ct_key_new(2), CT_F32, CT_SHAPE(4)), *g[2];
    ct_function *f = ct_trace(ctx, loss, CT_LIKE(w1, w2, x, y));
    ct_executable *grad = ct_compile(ct_grad(f, CT_ARGS(0, 1)), NULL);
    for (int step = 0; step < 2000; step++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_call(grad, CT_ARGV(w1, w2, x, y), g, 2);
        ct_replace(&w1, ct_sub(w1, g[0]));
        ct_replace(&w2, ct_sub(w2, g[1]));
        ct_scope_end(scope);
    }
    ct_tensor *p = ct_sigmoid(network(w1, w2, x));
    for (int i = 0; i < 4; i++)
        printf("%g xor %g: %.2f\n", ct_at(x, i, 0), ct_at(x, i, 1), ct_at(p, i));
    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
