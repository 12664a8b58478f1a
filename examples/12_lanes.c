/* One function, many lanes: a gradient for every example of a batch, a Jacobian row by row, and
 * Newton's method for several numbers at once, each of which takes the iterations that it needs.
 *
 * ct_vmap(f, size, in_axes, out_axes) makes of a function of one lane the function of all lanes; it
 * goes with ct_grad and the others in any order. */
#include <cotangent/cotangent.h>

#include <stdio.h>

/* The loss of one example: x is its features, y its target. */
static ct_tensor *loss(ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    return ct_square(ct_sub(ct_sum(ct_mul(w, x), CT_ALL_AXES, CT_DROP_AXES), y));
}

static void gradient_for_every_example(ct_context *ctx)
{
    static const double xs[] = {1, 0, 1, 1, 1, 2}, ys[] = {1, 3, 4};
    ct_tensor *w = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    ct_tensor *x = ct_from_data(ctx, CT_F64, CT_SHAPE(3, 2), xs);
    ct_tensor *y = ct_from_data(ctx, CT_F64, CT_SHAPE(3), ys);
    ct_tensor *row = ct_spec(ctx, CT_F64, CT_SHAPE(2)), *number = ct_spec(ctx, CT_F64, CT_SHAPE());

    ct_function *grad = ct_grad(ct_trace(ctx, loss, CT_LIKE(w, row, number)), CT_ARGS(0));
    ct_function *all = ct_vmap(grad, 3, CT_AXES(CT_UNBATCHED, 0, 0), CT_AXES(0));
    printf("gradients\n%s\n", ct_text(ct_apply1(all, CT_ARGV(w, x, y))));
}

/* From polar coordinates. */
static ct_tensor *plane(ct_tensor *p)
{
    ct_tensor *r = ct_slice(p, CT_SHAPE(0), CT_SHAPE(1), CT_SHAPE(1));
    ct_tensor *angle = ct_slice(p, CT_SHAPE(1), CT_SHAPE(2), CT_SHAPE(1));
    return ct_concatenate(CT_ARGV(ct_mul(r, ct_cos(angle)), ct_mul(r, ct_sin(angle))), 0);
}

/* The vjp of every unit vector is a row of the Jacobian. */
static void jacobian(ct_context *ctx)
{
    static const double at[] = {2, 0};
    ct_tensor *p = ct_from_data(ctx, CT_F64, CT_SHAPE(2), at);
    ct_function *vjp = ct_vjp(ct_trace(ctx, plane, CT_LIKE(p)), CT_ARGS(0));
    ct_function *rows = ct_vmap(vjp, 2, CT_AXES(CT_UNBATCHED, 0), CT_AXES(0));
    printf("Jacobian\n%s\n", ct_text(ct_apply1(rows, CT_ARGV(p, ct_eye(ctx, CT_F64, 2)))));
}

static ct_tensor *is_far(void *x, ct_tensor *const *carry)
{
    return ct_gt(ct_abs(ct_sub(ct_square(carry[0]), (ct_tensor *)x)), 1e-6);
}

static void step(void *x, ct_tensor **carry)
{
    carry[0] = ct_mul(ct_add(carry[0], ct_div((ct_tensor *)x, carry[0])), 0.5);
    carry[1] = ct_add(carry[1], 1);
}

/* How many of Newton's steps it takes from 1 to the root of x. */
static ct_tensor *steps(ct_tensor *x)
{
    ct_context *ctx = ct_context_of(x);
    ct_tensor *state[] = {ct_scalar(ctx, CT_F64, 1), ct_scalar(ctx, CT_I32, 0)};
    ct_while(is_far, step, x, 2, state);
    return state[1];
}

int main(void)
{
    static const double numbers[] = {1, 2, 100, 10000};
    ct_context *ctx = ct_context_new();

    gradient_for_every_example(ctx);
    jacobian(ctx);
    ct_tensor *x = ct_from_data(ctx, CT_F64, CT_SHAPE(4), numbers);
    printf("steps %s\n", ct_text(ct_vmap_of(ctx, steps, CT_AXES(0), 0, x)));

    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
