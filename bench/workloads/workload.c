#include "workload.h"

#include <string.h>

const workload *workload_at(size_t i)
{
    const workload_list family[] = {
        elementwise_workloads(), row_workloads(),    movement_workloads(), product_workloads(),
        model_workloads(),       scalar_workloads(), unrolled_workloads()};
    for (size_t k = 0; k < sizeof family / sizeof *family; i -= family[k++].count)
        if (i < family[k].count)
            return &family[k].item[i];
    return NULL;
}

const workload *find_workload(const char *name, const char *mode_text)
{
    const workload *w;
    for (size_t i = 0; (w = workload_at(i)); i++)
        if (strcmp(w->name, name) == 0 && strcmp(mode_name(w->mode), mode_text) == 0)
            return w;
    return NULL;
}

const char *mode_name(mode m)
{
    static const char *const name[] = {"value", "grad", "vjp"};
    return name[m];
}

size_t input_count(const workload *w)
{
    size_t count = 0;
    while (count < MOST_INPUTS && w->input[count].dim[0] > 0)
        count++;
    return count;
}

size_t input_rank(const input *in)
{
    size_t rank = 0;
    while (rank < MOST_RANK && in->dim[rank] > 0)
        rank++;
    return rank;
}

ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}
