/* Programs of many operations without a loop: what counts is how soon they are ready. */
#include "workload.h"

static ct_tensor *unrolled(ct_tensor *x, size_t n)
{
    for (size_t i = 0; i < n / 4; i++)
        x = ct_sub(ct_mul(ct_sin(x), 1.01), ct_mul(ct_mul(x, x), 1e-3));
    return total(x);
}

static ct_tensor *unrolled_100(const ct_list *p)
{
    return unrolled(p->item[0], 100);
}

static ct_tensor *unrolled_1000(const ct_list *p)
{
    return unrolled(p->item[0], 1000);
}

static ct_tensor *unrolled_4000(const ct_list *p)
{
    return unrolled(p->item[0], 4000);
}

/* Each value is read as it is and reversed, so that computing it at every reader doubles the work
 * with every step. */
static ct_tensor *shared_60(const ct_list *p)
{
    ct_tensor *x = p->item[0];
    for (size_t i = 0; i < 60 / 4; i++)
        x = ct_sub(ct_add(ct_mul(x, 1.0001), ct_mul(ct_flip(x, CT_AXES(0)), 0.1)),
                   ct_mul(ct_mul(x, x), 1e-3));
    return total(x);
}

workload_list unrolled_workloads(void)
{
    static const workload rows[] = {
        {.name = "unrolled_100",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = unrolled_100,
         .input = {NORMALS(64)}},
        {.name = "unrolled_1000",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = unrolled_1000,
         .input = {NORMALS(64)}},
        {.name = "unrolled_4000",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = unrolled_4000,
         .input = {NORMALS(64)}},
        {.name = "unrolled_shared_60",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = shared_60,
         .input = {NORMALS(64)}},
    };
    return WORKLOADS(rows);
}
