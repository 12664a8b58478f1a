/* More strict primitives: tuples and tokens, functions of the program, several processes, channels.
 * op.h says what they all have in common. */
#ifndef COTANGENT_OP_PROGRAM_H
#define COTANGENT_OP_PROGRAM_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tuples, which are one value, and tokens, which order effects and hold nothing. */

/* All x as one value. ctx: may be NULL where there is an x. Linear: the
 * tangent is a tuple of the tangents, and of zeros where there are none. */
CT_API ct_tensor *ct_op_tuple_at(ct_place at, ct_context *ctx, ct_list x);

/* Element `index` of a tuple. C1: it has one (CT_ERR_ARGUMENT). C2: the result is of its type.
 * Linear. */
CT_API ct_tensor *ct_op_get_tuple_element_at(ct_place at, ct_tensor *x, int64_t index);

/* A token that comes after all these; the first one after none. ctx: may be NULL where there is a
 * token. I1: they are tokens (CT_ERR_TYPE). No derivative. */
CT_API ct_tensor *ct_op_after_all_at(ct_place at, ct_context *ctx, ct_list tokens);

/* ---- Functions of the program: custom.h says how they are found. */

/* The C function registered for `target`, with results of the examples' types. attributes: text
 * that it reads, "backend_config = \"x\", n = 2 : i64", or NULL. With has_side_effect it is never
 * merged, removed or reordered. ctx: may be NULL where x or the examples have one. C1: the target
 * has a name (CT_ERR_ARGUMENT). CT_ERR_UNSUPPORTED when no function is registered as it is run.
 * Derivative: that of the target's rule (ct_register_custom_derivative); without one an error where
 * a float result depends on what is differentiated. */
CT_API void ct_op_custom_call_at(ct_place at, ct_context *ctx, const char *target,
                                 const char *attributes, bool has_side_effect, ct_list x,
                                 ct_list examples, ct_tensor **result);

/* decomposition(x…), printed as the composite `name` with these attributes ("n = 2 : i64", or NULL)
 * and version, so that others may compute it in another way. C1: the name is "namespace.operation".
 * C2: there is a decomposition. C3: it takes the x's types. C4: it gives the results'. Derivative:
 * that of the decomposition. */
CT_API void ct_op_composite_at(ct_place at, const char *name, const char *attributes,
                               int64_t version, ct_function *decomposition, ct_list x,
                               ct_tensor **result, size_t n_results);

/* f(x…), whose derivatives are those of the rules; rule.h is about them. Each of jvp, forward and
 * backward may be NULL. C1: there is jvp or backward, and forward only with backward. C2: f takes
 * the x's types. C3: jvp is (x…, tangents of the float x…) -> (y…, tangents of the float y…). C4:
 * forward is (x…) -> (y…, residuals…). C5: backward is (residuals…, cotangents of the float y…) ->
 * (cotangents of the float x…), without forward the residuals being x… and y…. CT_ERR_ARGUMENT for
 * another number of values, CT_ERR_TYPE and CT_ERR_SHAPE for other types. */
CT_API void ct_op_custom_rule_at(ct_place at, ct_function *f, ct_function *jvp,
                                 ct_function *forward, ct_function *backward, ct_list x,
                                 ct_tensor **result, size_t n_results);

/* ---- Several processes. A run is process 0 and the only one: in a group of itself alone these
 * operations give their operands; where others are asked for, running is CT_ERR_UNSUPPORTED. They
 * are linear, the reductions where the body adds (CT_ERR_RULE otherwise). */

/* Groups of group_size processes each, one after the other; none: all processes are one group. */
typedef struct ct_processes {
    ct_dims replica_groups;
    int64_t group_size;
    int64_t channel_id, channel_type;
    bool use_global_device_ids;
} ct_processes;

/* The x of a group's processes, concatenated. among NULL: all processes. C1: all_gather_dim is an
 * axis (CT_ERR_SHAPE). C2, C3, C4: each process is in one group (CT_ERR_ARGUMENT). C5:
 * use_global_device_ids needs a channel_id above 0. C6: the results' extent there is group_size
 * times the x's. Linear: each x gets the sum of what the group's processes hold for its part. */
CT_API void ct_op_all_gather_at(ct_place at, ct_list x, int64_t all_gather_dim,
                                const ct_processes *among, ct_tensor **result);

/* The x of a group's processes, folded. C1, C2, C3: each process is in one group; -1 fills up
 * shorter ones. C4: as C5 of all_gather. C5: the body takes two scalars of one dtype E and the
 * captures, and gives one; the x's dtypes can be promoted to E, quantized ones are E (CT_ERR_TYPE).
 * C6, C7: results have the x's shapes and the dtype E. Derivative: that of the fold. */
CT_API void ct_op_all_reduce_at(ct_place at, ct_list x, ct_function *body, ct_list captures,
                                const ct_processes *among, ct_tensor **result);

/* Part i of each x, cut in split_count along split_dimension, goes to process i of the group, which
 * concatenates what it gets. C1, C3: split_dimension and concat_dimension are axes. C2: split_count
 * divides the extent. C4: it is positive. C5, C6, C7: each process is in one group. C8: split_count
 * is group_size. C9: the results' shapes. Linear: the parts of the cotangent go back. */
CT_API void ct_op_all_to_all_at(ct_place at, ct_list x, int64_t split_dimension,
                                int64_t concat_dimension, int64_t split_count,
                                const ct_processes *among, ct_tensor **result);

/* x of the first process of a group; zeros in processes of no group. C1: no process is in two. C2:
 * none is negative. C3: the result has the type of x. Linear. */
CT_API ct_tensor *ct_op_collective_broadcast_at(ct_place at, ct_tensor *x,
                                                const ct_processes *among);

/* x of the process that is the source for this one as the target, in flat pairs (source, target);
 * zeros without one. C1: the list is of pairs. C2, C3: no source and no target is named twice. C4:
 * none is negative. C5: the result has the type of x. Linear. */
CT_API ct_tensor *ct_op_collective_permute_at(ct_place at, ct_tensor *x,
                                              ct_dims source_target_pairs, int64_t channel_id,
                                              int64_t channel_type);

/* An all_reduce of which process i keeps part i along scatter_dimension. C1: group_size divides the
 * extent. C2: scatter_dimension is an axis. C3, C4, C5: each process is in one group. C6, C7: as
 * C4, C5 of all_reduce. C8, C9: the result's shape and dtype. Derivative: that of the fold. */
CT_API ct_tensor *ct_op_reduce_scatter_at(ct_place at, ct_tensor *x, int64_t scatter_dimension,
                                          ct_function *body, ct_list captures,
                                          const ct_processes *among);

/* Which process this is: 0, u32[]. Constant. */
CT_API ct_tensor *ct_op_partition_id_at(ct_place at, ct_context *ctx);
CT_API ct_tensor *ct_op_replica_id_at(ct_place at, ct_context *ctx);

/* ---- Channels to elsewhere, in the order of tokens. They can be traced and printed; a run has
 * none (CT_ERR_UNSUPPORTED). */

/* Tensors of the examples' types, then a token. C1, C2, C3: the results' kinds. No derivative. */
CT_API void ct_op_infeed_at(ct_place at, ct_tensor *token, const char *config, ct_list examples,
                            ct_tensor **result);
/* Gives x away; returns a token. The last operand is a token. No derivative. */
CT_API ct_tensor *ct_op_outfeed_at(ct_place at, ct_list x, ct_tensor *token, const char *config);
/* As infeed, from a channel. C1: the channel's type fits is_host_transfer. C2, C3, C4: the results'
 * kinds. No derivative. */
CT_API void ct_op_recv_at(ct_place at, ct_tensor *token, int64_t channel_id, bool is_host_transfer,
                          ct_dims source_target_pairs, ct_list examples, ct_tensor **result);
/* As outfeed, to a channel. C1: the channel's type fits is_host_transfer. No derivative. */
CT_API ct_tensor *ct_op_send_at(ct_place at, ct_list x, ct_tensor *token, int64_t channel_id,
                                bool is_host_transfer, ct_dims source_target_pairs);

/* ---- The same with the caller's place. */

#define ct_op_tuple(...) ct_op_tuple_at(CT_HERE, __VA_ARGS__)
#define ct_op_get_tuple_element(...) ct_op_get_tuple_element_at(CT_HERE, __VA_ARGS__)
#define ct_op_after_all(...) ct_op_after_all_at(CT_HERE, __VA_ARGS__)
#define ct_op_custom_call(...) ct_op_custom_call_at(CT_HERE, __VA_ARGS__)
#define ct_op_composite(...) ct_op_composite_at(CT_HERE, __VA_ARGS__)
#define ct_op_custom_rule(...) ct_op_custom_rule_at(CT_HERE, __VA_ARGS__)
#define ct_op_all_gather(...) ct_op_all_gather_at(CT_HERE, __VA_ARGS__)
#define ct_op_all_reduce(...) ct_op_all_reduce_at(CT_HERE, __VA_ARGS__)
#define ct_op_all_to_all(...) ct_op_all_to_all_at(CT_HERE, __VA_ARGS__)
#define ct_op_collective_broadcast(...) ct_op_collective_broadcast_at(CT_HERE, __VA_ARGS__)
#define ct_op_collective_permute(...) ct_op_collective_permute_at(CT_HERE, __VA_ARGS__)
#define ct_op_reduce_scatter(...) ct_op_reduce_scatter_at(CT_HERE, __VA_ARGS__)
#define ct_op_partition_id(...) ct_op_partition_id_at(CT_HERE, __VA_ARGS__)
#define ct_op_replica_id(...) ct_op_replica_id_at(CT_HERE, __VA_ARGS__)
#define ct_op_infeed(...) ct_op_infeed_at(CT_HERE, __VA_ARGS__)
#define ct_op_outfeed(...) ct_op_outfeed_at(CT_HERE, __VA_ARGS__)
#define ct_op_recv(...) ct_op_recv_at(CT_HERE, __VA_ARGS__)
#define ct_op_send(...) ct_op_send_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
