/* Fitting a differential equation: hares and lynxes by Lotka and Volterra, integrated in a loop
 * that is traced once, with the gradient of its parameters through all steps. */
#include <cotangent/cotangent.h>

#include <stdio.h>

enum { STEPS = 100 };
static const double dt = 0.1;

typedef struct model {
    ct_tensor *growth, *effect; /* f64[2], of hares and lynxes alone, and of the other species */
} model;

/* dz/dt of z = (hares, lynxes). */
static ct_tensor *change(const model *m, ct_tensor *z)
{
    ct_tensor *other = ct_flip(z, CT_AXES(0));
    return ct_mul(z, ct_add(m->growth, ct_mul(m->effect, other)));
}

/* One step of Runge and Kutta's method of order 4. */
static void advance(void *m, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)x;
    ct_tensor *z = carry[0], *k1 = change(m, z);
    ct_tensor *k2 = change(m, ct_add(z, ct_mul(k1, dt / 2)));
    ct_tensor *k3 = change(m, ct_add(z, ct_mul(k2, dt / 2)));
    ct_tensor *k4 = change(m, ct_add(z, ct_mul(k3, dt)));
    ct_tensor *slope = ct_add(ct_add(k1, k4), ct_mul(ct_add(k2, k3), 2));
    carry[0] = y[0] = ct_add(z, ct_mul(slope, dt / 6));
}

/* f64[steps, 2]: z after every step, from (1, 0.5). */
static ct_tensor *simulate(ct_tensor **leaves)
{
    ct_context *ctx = ct_context_of(leaves[0]);
    ct_tensor *z = ct_from_data(ctx, CT_F64, CT_SHAPE(2), (double[]){1, 0.5}), *path;
    ct_scan(advance, leaves, .length = STEPS, .n_carry = 1, .carry = &z, .n_ys = 1, .ys = &path);
    return path;
}

static ct_tensor *loss(ct_tensor **leaves, ct_tensor *seen)
{
    return ct_mean(ct_square(ct_sub(simulate(leaves), seen)), CT_ALL_AXES, CT_DROP_AXES);
}

static model model_of(ct_context *ctx, const double growth[2], const double effect[2])
{
    return (model){ct_from_data(ctx, CT_F64, CT_SHAPE(2), growth),
                   ct_from_data(ctx, CT_F64, CT_SHAPE(2), effect)};
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    model truth = model_of(ctx, (double[]){1.1, -0.9}, (double[]){-0.8, 0.6});
    model m = model_of(ctx, (double[]){1, -1}, (double[]){-1, 1}); /* a guess */
    ct_tensor *seen = simulate((ct_tensor **)&truth), *result[3];  /* loss, gradient */
    ct_function *f = ct_trace_tree(ctx, loss, CT_TREE(&m), CT_LIKE(seen));
    ct_executable *value_and_grad = ct_compile(ct_value_and_grad(f, CT_ARGS(0)), NULL);
    for (int i = 0; i <= 1000; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_call(value_and_grad, CT_ARGV(m.growth, m.effect, seen), result, 3);
        if (i % 200 == 0)
            printf("step %4d: loss %.2e\n", i, ct_item(result[0]));
        ct_replace(&m.growth, ct_sub(m.growth, ct_mul(result[1], 0.02)));
        ct_replace(&m.effect, ct_sub(m.effect, ct_mul(result[2], 0.02)));
        ct_scope_end(scope);
    }
    printf("hares:  growth %6.3f, effect of lynxes %6.3f\n", ct_at(m.growth, 0),
           ct_at(m.effect, 0));
    printf("lynxes: growth %6.3f, effect of hares  %6.3f\n", ct_at(m.growth, 1),
           ct_at(m.effect, 1));

    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
