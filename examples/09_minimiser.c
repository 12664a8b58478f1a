/* A minimiser of one's own: L-BFGS (Nocedal 1980) down Rosenbrock's valley in ten dimensions. */
#include <cotangent/cotangent.h>

#include <stdio.h>

/* Σ 100 (x[i+1] - x[i]²)² + (1 - x[i])²: 0 where all are 1, at the end of a bent, flat valley. */
static ct_tensor *rosenbrock(ct_tensor *x)
{
    ct_tensor *head = ct_slice(x, CT_SHAPE(0), CT_SHAPE(-1), CT_SHAPE());
    ct_tensor *tail = ct_slice(x, CT_SHAPE(1), CT_SHAPE(CT_END), CT_SHAPE());
    ct_tensor *valley = ct_mul(ct_square(ct_sub(tail, ct_square(head))), 100);
    return ct_sum(ct_add(valley, ct_square(ct_sub(1, head))), CT_ALL_AXES, CT_DROP_AXES);
}

static double dot(ct_tensor *a, ct_tensor *b)
{
    return ct_item(ct_dot(a, b));
}

/* The last steps s and the changes y of the gradient that they made; number i is at i % MEMORY. */
enum { MEMORY = 5 };
typedef struct history {
    ct_tensor *s[MEMORY], *y[MEMORY];
    int count;
    double scale; /* the newest step's guess of 1 / curvature */
} history;

/* -B g, where B is scale times the identity, corrected to map each y to its s. */
static ct_tensor *direction(const history *h, ct_tensor *g)
{
    double part[MEMORY];
    int last = h->count - 1, first = h->count > MEMORY ? h->count - MEMORY : 0;
    for (int i = last; i >= first; i--) {
        ct_tensor *s = h->s[i % MEMORY], *y = h->y[i % MEMORY];
        part[i % MEMORY] = dot(s, g) / dot(s, y);
        g = ct_sub(g, ct_mul(y, part[i % MEMORY]));
    }
    g = ct_mul(g, h->scale);
    for (int i = first; i <= last; i++) {
        ct_tensor *s = h->s[i % MEMORY], *y = h->y[i % MEMORY];
        g = ct_add(g, ct_mul(s, part[i % MEMORY] - dot(y, g) / dot(s, y)));
    }
    return ct_neg(g);
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    history h = {.count = 0, .scale = 1};                       /* s and y are NULL */
    ct_tensor *x = ct_zeros(ctx, CT_F64, CT_SHAPE(10)), *at[2]; /* value and gradient */
    ct_function *f = ct_value_and_grad(ct_trace(ctx, rosenbrock, CT_LIKE(x)), CT_ARGS(0));
    ct_executable *value_and_grad = ct_compile(f, NULL);
    ct_call(value_and_grad, CT_ARGV(x), at, 2);
    ct_tensor *value = at[0], *g = at[1];
    for (int i = 0; i < 200 && ct_item(value) > 1e-20; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        if (i % 10 == 0 && i <= 60)
            printf("step %2d: %.5f\n", i, ct_item(value));
        ct_tensor *s = ct_mul(direction(&h, g), 2);
        do { /* halve the step until it gets a little of the descent that the slope promises */
            s = ct_mul(s, 0.5);
            ct_call(value_and_grad, CT_ARGV(ct_add(x, s)), at, 2);
        } while (ct_item(at[0]) > ct_item(value) + 1e-4 * dot(s, g));
        ct_tensor *y = ct_sub(at[1], g);
        if (dot(s, y) > 0) {
            h.scale = dot(s, y) / dot(y, y);
            ct_replace(&h.s[h.count % MEMORY], s);
            ct_replace(&h.y[h.count++ % MEMORY], y);
        }
        ct_replace(&x, ct_add(x, s));
        ct_replace(&value, at[0]);
        ct_replace(&g, at[1]);
        ct_scope_end(scope);
    }
    printf("%s at %s\n", ct_item(value) <= 1e-20 ? "below 1e-20" : "stuck", ct_text(x));
    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
