#include "trace/compose.h"

static const ct_processes all_processes;

/* The fields that the attribute structs have in common. */
#define GROUPS(p)                                                                                  \
    .replica_groups = ct__ints_of((p)->replica_groups), .group_size = (p)->group_size,             \
    .channel_id = (p)->channel_id, .channel_type = (p)->channel_type

void ct_op_all_gather_at(ct_place at, ct_list x, int64_t all_gather_dim, const ct_processes *among,
                         ct_tensor **result)
{
    const ct_processes *p = among ? among : &all_processes;
    const ct__attrs attrs = {.all_gather = {.all_gather_dim = all_gather_dim,
                                            GROUPS(p),
                                            .use_global_device_ids = p->use_global_device_ids}};
    ct__with_body(at, CT__OP_all_gather, &attrs, 1, &x, 0, NULL, result, x.count);
}

void ct_op_all_reduce_at(ct_place at, ct_list x, ct_function *body, ct_list captures,
                         const ct_processes *among, ct_tensor **result)
{
    const ct_processes *p = among ? among : &all_processes;
    const ct__attrs attrs = {.all_reduce = {GROUPS(p),
                                            .use_global_device_ids = p->use_global_device_ids,
                                            .n_inputs = (int64_t)x.count}};
    const ct_list lists[] = {x, captures};
    ct__with_body(at, CT__OP_all_reduce, &attrs, 2, lists, 1, &body, result, x.count);
}

void ct_op_all_to_all_at(ct_place at, ct_list x, int64_t split_dimension, int64_t concat_dimension,
                         int64_t split_count, const ct_processes *among, ct_tensor **result)
{
    const ct_processes *p = among ? among : &all_processes;
    const ct__attrs attrs = {.all_to_all = {.split_dimension = split_dimension,
                                            .concat_dimension = concat_dimension,
                                            .split_count = split_count,
                                            GROUPS(p)}};
    ct__with_body(at, CT__OP_all_to_all, &attrs, 1, &x, 0, NULL, result, x.count);
}

ct_tensor *ct_op_collective_broadcast_at(ct_place at, ct_tensor *x, const ct_processes *among)
{
    const ct_processes *p = among ? among : &all_processes;
    const ct__attrs attrs = {.collective_broadcast = {GROUPS(p)}};
    return ct__op_on(at, CT__OP_collective_broadcast, &attrs, 1, &x);
}

ct_tensor *ct_op_collective_permute_at(ct_place at, ct_tensor *x, ct_dims source_target_pairs,
                                       int64_t channel_id, int64_t channel_type)
{
    const ct__attrs attrs = {
        .collective_permute = {.source_target_pairs = ct__ints_of(source_target_pairs),
                               .channel_id = channel_id,
                               .channel_type = channel_type}};
    return ct__op_on(at, CT__OP_collective_permute, &attrs, 1, &x);
}

ct_tensor *ct_op_reduce_scatter_at(ct_place at, ct_tensor *x, int64_t scatter_dimension,
                                   ct_function *body, ct_list captures, const ct_processes *among)
{
    const ct_processes *p = among ? among : &all_processes;
    const ct__attrs attrs = {.reduce_scatter = {.scatter_dimension = scatter_dimension,
                                                GROUPS(p),
                                                .use_global_device_ids = p->use_global_device_ids}};
    const ct_list lists[] = {{1, &x}, captures};
    ct_tensor *result = NULL;
    ct__with_body(at, CT__OP_reduce_scatter, &attrs, 2, lists, 1, &body, &result, 1);
    return result;
}

ct_tensor *ct_op_partition_id_at(ct_place at, ct_context *ctx)
{
    return ct__apply1(&(ct__request){.ctx = ctx, .at = at, .op = CT__OP_partition_id});
}

ct_tensor *ct_op_replica_id_at(ct_place at, ct_context *ctx)
{
    return ct__apply1(&(ct__request){.ctx = ctx, .at = at, .op = CT__OP_replica_id});
}
