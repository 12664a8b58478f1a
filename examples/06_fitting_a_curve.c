/* Fitting a curve: 43 years of CO₂ over Mauna Loa as a parabola and two waves a year, least squares
 * by gradient descent. */
#include <cotangent/cotangent.h>

#include "csv.h"
#include <stdio.h>

enum { WEEKS = 2225, TERMS = 7 };
static const double span = 22, two_pi = 6.283185307179586;

/* [weeks, terms]: what the curve is a sum of, at times t in years since 1980. Dividing by the span
 * keeps every term between -1 and 1, so that one rate suits all coefficients. */
static ct_tensor *terms(ct_tensor *t)
{
    ct_tensor *u = ct_div(t, span), *year = ct_mul(t, two_pi), *half = ct_mul(year, 2);
    ct_tensor *one = ct_ones(ct_context_of(t), CT_F64, ct_shape_of(t));
    return ct_stack(
        CT_ARGV(one, u, ct_square(u), ct_cos(year), ct_sin(year), ct_cos(half), ct_sin(half)), 1);
}

/* The mean square of what the curve with coefficients c leaves over. */
static ct_tensor *loss(ct_tensor *c, ct_tensor *x, ct_tensor *ppm)
{
    return ct_mean(ct_square(ct_sub(ct_matmul(x, c), ppm)), CT_ALL_AXES, CT_DROP_AXES);
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *table = read_csv(ctx, "examples/data/co2.csv", WEEKS, 2);
    ct_tensor *x = terms(column(table, 0)), *ppm = column(table, 1);
    ct_tensor *c = ct_zeros(ctx, CT_F64, CT_SHAPE(TERMS));

    ct_function *f = ct_trace(ctx, loss, CT_LIKE(c, x, ppm));
    ct_executable *value_and_grad = ct_compile(ct_value_and_grad(f, CT_ARGS(0)), NULL);
    ct_tensor *result[2]; /* the loss and its gradient */
    for (int step = 0; step <= 240; step++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_call(value_and_grad, CT_ARGV(c, x, ppm), result, 2);
        if (step % 40 == 0)
            printf("step %3d: sum of squares %14.4f\n", step, WEEKS * ct_item(result[0]));
        ct_replace(&c, ct_sub(c, ct_mul(result[1], 0.8)));
        ct_scope_end(scope);
    }

    printf("CO2 = %.6f %+.8f t %+.10f t^2\n", ct_at(c, 0), ct_at(c, 1) / span,
           ct_at(c, 2) / (span * span));
    printf("      %+.8f cos(2 pi t) %+.8f sin(2 pi t)\n", ct_at(c, 3), ct_at(c, 4));
    printf("      %+.9f cos(4 pi t) %+.9f sin(4 pi t)\n", ct_at(c, 5), ct_at(c, 6));
    printf("sum of squares %.8f\n", WEEKS * ct_item(loss(c, x, ppm)));

    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
