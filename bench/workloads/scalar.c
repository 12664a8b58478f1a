/* Little arithmetic a step: an equation integrated in a loop, a function of neighbours, a call. */
#include "workload.h"

/* ---- Lotka and Volterra's equation, u0' = p0 u0 - p1 u0 u1, u1' = -p2 u1 + p3 u0 u1, from (1, 1),
 * by the classical Runge-Kutta method; the sum of u0 and u1 after the last step. */

enum { STEPS = 1000 };
static const double step_size = 0.01;

typedef struct state {
    ct_tensor *u[2];
} state;

static state field(ct_tensor *const *p, state s)
{
    ct_tensor *both = ct_mul(s.u[0], s.u[1]);
    return (state){{ct_sub(ct_mul(p[0], s.u[0]), ct_mul(p[1], both)),
                    ct_sub(ct_mul(p[3], both), ct_mul(p[2], s.u[1]))}};
}

/* s + h k */
static state advance(state s, double h, state k)
{
    return (state){{ct_add(s.u[0], ct_mul(k.u[0], h)), ct_add(s.u[1], ct_mul(k.u[1], h))}};
}

static void runge_kutta(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *const *p = user;
    const double h = step_size;
    state s = {{carry[0], carry[1]}};
    state k1 = field(p, s), k2 = field(p, advance(s, h / 2, k1)),
          k3 = field(p, advance(s, h / 2, k2)), k4 = field(p, advance(s, h, k3));
    (void)x;
    (void)y;
    for (size_t i = 0; i < 2; i++) {
        ct_tensor *sum = ct_add(ct_add(k1.u[i], ct_mul(k2.u[i], 2.0)),
                                ct_add(ct_mul(k3.u[i], 2.0), k4.u[i]));
        carry[i] = ct_add(s.u[i], ct_mul(sum, h / 6));
    }
}

static ct_tensor *lotka(const ct_list *in)
{
    ct_tensor *p[4], *one = ct_scalar(ct_context_of(in->item[0]), ct_dtype_of(in->item[0]), 1),
                     *u[2] = {one, one};
    for (int64_t i = 0; i < 4; i++)
        p[i] = ct_reshape(ct_slice(in->item[0], CT_SHAPE(i), CT_SHAPE(i + 1), CT_SHAPE(1)),
                          CT_SHAPE());
    ct_scan(runge_kutta, p, .length = STEPS, .n_carry = 2, .carry = u);
    return ct_add(u[0], u[1]);
}

/* Σ 100 (x[i+1] - x[i]²)² + (1 - x[i])² */
static ct_tensor *rosenbrock(const ct_list *p)
{
    ct_tensor *x = p->item[0];
    int64_t n = ct_size(x);
    ct_tensor *head = ct_slice(x, CT_SHAPE(0), CT_SHAPE(n - 1), CT_SHAPE(1)),
              *tail = ct_slice(x, CT_SHAPE(1), CT_SHAPE(n), CT_SHAPE(1));
    return total(ct_add(ct_mul(ct_square(ct_sub(tail, ct_square(head))), 100.0),
                        ct_square(ct_sub(1.0, head))));
}

static ct_tensor *sum_of_squares(const ct_list *p)
{
    return total(ct_mul(p->item[0], p->item[0]));
}

#define PARAMETERS                                                                                 \
    {                                                                                              \
        .kind = LISTED, .dim = {4}, .list = { 1.5, 1, 3, 1 }                                       \
    }

workload_list scalar_workloads(void)
{
    static const workload rows[] = {
        {.name = "lotka_rk4_1000",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = lotka,
         .input = {PARAMETERS}},
        {.name = "lotka_rk4_1000_f64",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = lotka,
         .dtype = CT_F64,
         .input = {PARAMETERS}},
        {.name = "rosenbrock_1000",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = rosenbrock,
         .dtype = CT_F64,
         .input = {NORMALS(1000)}},
        {.name = "rosenbrock_1M",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = rosenbrock,
         .input = {NORMALS(1000000)}},
        {.name = "call_sumsq_4", .code = sum_of_squares, .input = {NORMALS(4)}},
        {.name = "call_sumsq_4",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = sum_of_squares,
         .input = {NORMALS(4)}},
    };
    return WORKLOADS(rows);
}
