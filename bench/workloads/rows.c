/* Folds, and what normalises rows by them. */
#include "workload.h"

static ct_tensor *softmax(const ct_list *p)
{
    return ct_softmax(p->item[0], CT_AXES(-1));
}

ct_tensor *normalise(ct_tensor *x, ct_tensor *scale, ct_tensor *offset)
{
    ct_tensor *m = ct_mean(x, CT_AXES(-1), CT_KEEP_AXES), *d = ct_sub(x, m);
    ct_tensor *v = ct_mean(ct_square(d), CT_AXES(-1), CT_KEEP_AXES);
    return ct_add(ct_mul(ct_mul(d, ct_rsqrt(ct_add(v, 1e-5))), scale), offset);
}

static ct_tensor *layernorm(const ct_list *p)
{
    return normalise(p->item[0], p->item[1], p->item[2]);
}

static ct_tensor *logsumexp(const ct_list *p)
{
    return ct_logsumexp(p->item[0], CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *sum_0(const ct_list *p)
{
    return ct_sum(p->item[0], CT_AXES(0), CT_DROP_AXES);
}

static ct_tensor *sum_1(const ct_list *p)
{
    return ct_sum(p->item[0], CT_AXES(1), CT_DROP_AXES);
}

static ct_tensor *max_0(const ct_list *p)
{
    return ct_max(p->item[0], CT_AXES(0), CT_DROP_AXES);
}

#define MATRIX NORMALS(4096, 1024)
#define AFFINE MATRIX, NORMALS(1024), NORMALS(1024)
#define SQUARE NORMALS(2048, 2048)
#define VECTOR NORMALS(1 << 22)

workload_list row_workloads(void)
{
    static const workload rows[] = {
        {.name = "softmax_4096x1024", .code = softmax, .input = {MATRIX}},
        {.name = "softmax_4096x1024", .mode = VJP, .n_wrt = 1, .code = softmax, .input = {MATRIX}},
        {.name = "layernorm_4096x1024", .code = layernorm, .input = {AFFINE}},
        {.name = "layernorm_4096x1024",
         .mode = VJP,
         .n_wrt = 3,
         .code = layernorm,
         .input = {AFFINE}},
        {.name = "logsumexp_4M", .code = logsumexp, .input = {VECTOR}},
        {.name = "logsumexp_4M",
         .mode = GRADIENT,
         .n_wrt = 1,
         .code = logsumexp,
         .input = {VECTOR}},
        {.name = "sum_axis0_2048", .code = sum_0, .input = {SQUARE}},
        {.name = "sum_axis1_2048", .code = sum_1, .input = {SQUARE}},
        {.name = "max_axis0_2048", .code = max_0, .input = {SQUARE}},
    };
    return WORKLOADS(rows);
}
