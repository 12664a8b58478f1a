/* Elements on their own: a chain of transcendental functions, a polynomial. */
#include "workload.h"

static ct_tensor *chain(const ct_list *p)
{
    ct_tensor *x = p->item[0];
    return ct_add(ct_mul(ct_tanh(ct_mul(x, 0.5)), ct_exp(ct_neg(ct_mul(x, x)))),
                  ct_mul(ct_sqrt(ct_add(ct_mul(x, x), 1.0)), ct_sigmoid(x)));
}

static ct_tensor *chain_total(const ct_list *p)
{
    return total(chain(p));
}

static ct_tensor *cheap(const ct_list *p)
{
    ct_tensor *x = p->item[0], *y = p->item[1];
    return ct_add(ct_mul(ct_sub(ct_add(ct_mul(x, y), ct_mul(x, 2.0)), y), 0.5), ct_mul(x, x));
}

enum { N = 1 << 22 };

workload_list elementwise_workloads(void)
{
    static const workload rows[] = {
        {.name = "chain_4M", .code = chain, .input = {NORMALS(N)}},
        {.name = "chain_4M",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = chain_total,
         .input = {NORMALS(N)}},
        {.name = "cheap_4M", .code = cheap, .input = {NORMALS(N), NORMALS(N)}},
    };
    return WORKLOADS(rows);
}
