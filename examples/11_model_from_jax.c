/* A loss that JAX exported is run, differentiated and minimised. */
#include "csv.h"

/* The irises' measurements, each with mean 0, and their species. */
static void read_irises(ct_context *ctx, ct_tensor **x, ct_tensor **species)
{
    ct_tensor *table = read_csv(ctx, "examples/data/iris.csv", 150, 5);
    ct_tensor *measured = columns(table, 0, 4);
    ct_tensor *mean = ct_mean(measured, CT_AXES(0), CT_KEEP_AXES);
    *x = ct_cast(ct_sub(measured, mean), CT_F32);
    *species = ct_cast(column(table, 4), CT_I32);
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *w1 = ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(4, 8));
    ct_tensor *w2 = ct_random_normal(ctx, ct_key_new(2), CT_F32, CT_SHAPE(8, 3));
    ct_tensor *x, *species, *g[2];
    read_irises(ctx, &x, &species);

    ct_module *model = ct_read_stablehlo(ctx, "examples/data/iris_loss.mlir");
    ct_function *loss = ct_module_function(model, NULL);
    printf("loss at first: %.3f\n", ct_item(ct_apply1(loss, CT_ARGV(w1, w2, x, species))));

    ct_executable *grad = ct_compile(ct_grad(loss, CT_ARGS(0, 1)), NULL);
    for (int step = 0; step < 500; step++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_call(grad, CT_ARGV(w1, w2, x, species), g, 2);
        ct_replace(&w1, ct_sub(w1, ct_mul(g[0], 0.2)));
        ct_replace(&w2, ct_sub(w2, ct_mul(g[1], 0.2)));
        ct_scope_end(scope);
    }
    printf("after 500 steps: %.3f\n", ct_item(ct_apply1(loss, CT_ARGV(w1, w2, x, species))));
    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
