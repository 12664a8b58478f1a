/* The derivative of a solution. Kepler's equation E - e sin E = M says where a planet is at the
 * time M on an orbit of eccentricity e; Newton's method solves it. How E was found does not matter
 * for its derivative: dE = (dM + sin E de) / (1 - e cos E). As a rule this spares the way back
 * through the loop, and it has derivatives of every order. */
#include <cotangent/cotangent.h>

#include <stdio.h>

static ct_tensor *slope(ct_tensor *E, ct_tensor *e)
{
    return ct_sub(1, ct_mul(e, ct_cos(E)));
}

static ct_tensor *error(ct_tensor *E, ct_tensor *M, ct_tensor *e)
{
    return ct_sub(ct_sub(E, ct_mul(e, ct_sin(E))), M);
}

static ct_tensor *is_off(void *user, ct_tensor *const *state)
{
    (void)user;
    return ct_gt(ct_abs(error(state[0], state[1], state[2])), 1e-14);
}

static void newton(void *user, ct_tensor **state)
{
    ct_tensor *E = state[0], *M = state[1], *e = state[2];
    (void)user;
    state[0] = ct_sub(E, ct_div(error(E, M, e), slope(E, e)));
}

static ct_tensor *solve(ct_tensor *M, ct_tensor *e)
{
    ct_tensor *state[] = {M, M, e};
    ct_while(is_off, newton, NULL, 3, state);
    return state[0];
}

/* What solve gets and gives, and the cotangent of E: those of M and e. */
static void solve_backward(void *user, ct_list in, ct_tensor **bar)
{
    ct_tensor *e = in.item[1], *E = in.item[2], *Ebar = in.item[3];
    (void)user;
    bar[0] = ct_div(Ebar, slope(E, e));
    bar[1] = ct_mul(bar[0], ct_sin(E));
}

static ct_tensor *kepler(ct_tensor *M, ct_tensor *e)
{
    return ct_custom_vjp_of(solve, solve_backward, M, e);
}

/* The distance from the sun, in units of the orbit's greatest half diameter. */
static ct_tensor *distance(ct_tensor *M, ct_tensor *e)
{
    return slope(kepler(M, e), e);
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *M = ct_scalar(ctx, CT_F64, 1.5), *e = ct_scalar(ctx, CT_F64, 0.2056), *g[3], *h[4];
    ct_function *r = ct_trace(ctx, distance, CT_LIKE(M, e));
    ct_apply(ct_value_and_grad(r, CT_ARGS(0, 1)), CT_ARGV(M, e), g, 3);
    printf("Mercury: r = %.6f, dr/dM = %.6f, dr/de = %.6f\n", ct_item(g[0]), ct_item(g[1]),
           ct_item(g[2]));
    ct_apply(ct_hessian(r, CT_ARGS(0, 1)), CT_ARGV(M, e), h, 4);
    printf("second: %.6f %.6f %.6f\n", ct_item(h[0]), ct_item(h[1]), ct_item(h[3]));

    double d = 1e-6; /* the slope of r by M again, from values */
    double ahead = ct_item(distance(ct_add(M, d), e)), behind = ct_item(distance(ct_sub(M, d), e));
    printf("differences: dr/dM = %.6f\n", (ahead - behind) / (2 * d));
    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
