/* Elements in other places: permuted, gathered by row and by element, and scattered back. */
#include "workload.h"

static ct_tensor *transpose(const ct_list *p)
{
    return ct_transpose(p->item[0], CT_AXES(1, 0));
}

static ct_tensor *permute_021(const ct_list *p)
{
    return ct_transpose(p->item[0], CT_AXES(0, 2, 1));
}

static ct_tensor *permute_120(const ct_list *p)
{
    return ct_transpose(p->item[0], CT_AXES(1, 2, 0));
}

static ct_tensor *embedding(const ct_list *p)
{
    return ct_take(p->item[0], p->item[1], 0, CT_CLAMP);
}

static ct_tensor *take_along(const ct_list *p)
{
    return ct_take_along_axis(p->item[0], p->item[1], 1, CT_CLAMP);
}

#define CUBE NORMALS(256, 256, 256)
#define TABLE NORMALS(50000, 64), INDICES(50000, 262144)
#define PICKED NORMALS(4096, 1024), INDICES(1024, 4096, 1024)

workload_list movement_workloads(void)
{
    static const workload rows[] = {
        {.name = "transpose_4096", .code = transpose, .input = {NORMALS(4096, 4096)}},
        {.name = "permute021_256", .code = permute_021, .input = {CUBE}},
        {.name = "permute120_256", .code = permute_120, .input = {CUBE}},
        {.name = "embedding_50kx64_262144", .code = embedding, .input = {TABLE}},
        {.name = "embedding_50kx64_262144",
         .mode = VJP,
         .n_wrt = 1,
         .code = embedding,
         .input = {TABLE}},
        {.name = "take_along_4096x1024", .code = take_along, .input = {PICKED}},
        {.name = "take_along_4096x1024",
         .mode = VJP,
         .n_wrt = 1,
         .code = take_along,
         .input = {PICKED}},
    };
    return WORKLOADS(rows);
}
