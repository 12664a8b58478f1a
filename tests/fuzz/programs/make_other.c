#include "tests/fuzz/programs/generate.h"

#include <cotangent/op_stack.h>

/* ---- Functions of the program. */

/* A function of two values and what it captures, called: as it is, or as a composite. */
void make_call(generator *g)
{
    ct_tensor *x[2] = {any_of(g, CT__ANY)};
    recorded b = {.is_fine = false};

    x[1] = choose(g->c, 2) ? any_of(g, CT__ANY) : x[0];
    const ct_type *type[2] = {x[0]->type, x[1]->type};
    const uint32_t kind = choose(g->c, 3);
    const opened o = body_open(g, 2, type, g->on_elements, true);
    g->operations = (int)choose_from(g->c, 1, 4);
    make_operations(g, g->operations);
    g->operations = o.operations;
    ct_tensor *y = any_of(g, CT__ANY);
    body_close(g, &o, 1, &y, &b);
    const ct__attrs attrs = {.composite = {.name = kind == 1 ? "fuzz.part" : CT__CHECKPOINT}};
    give_with_bodies(g, kind == 0 ? CT__OP_call : CT__OP_composite, kind == 0 ? NULL : &attrs, 2, x,
                     1, &b, 1);
}

void make_barrier(generator *g)
{
    ct_tensor *x[2] = {any_of(g, CT__ANY), any_of(g, CT__ANY)}, *result[2];
    const size_t n = 1 + choose(g->c, 2);

    ct_op_optimization_barrier(((ct_list){n, x}), result);
    give_all(g, CT__OP_optimization_barrier, n, result);
}

/* ---- Values that are no tensors. */

/* A tuple of x, from a body with one parameter, which is such a tuple: with its parts exchanged
 * where they are of one type. */
static ct_tensor *called(generator *g, ct_tensor *tuple)
{
    const ct_type *type = tuple->type;
    recorded b = {.is_fine = false};
    const opened o = body_open(g, 1, &type, g->on_elements, false);
    ct_tensor *x[2] = {ct_op_get_tuple_element(g->value[o.first], 0),
                       ct_op_get_tuple_element(g->value[o.first], 1)};
    const bool is_exchanged = ct__type_equal(x[0]->type, x[1]->type);
    ct_tensor *y = ct_op_tuple(g->ctx, CT_ARGV(x[is_exchanged], x[!is_exchanged]));

    body_close(g, &o, 1, &y, &b);
    const size_t before = g->n_values;
    give_with_bodies(g, CT__OP_call, NULL, 1, &tuple, 1, &b, 1);
    return g->n_values > before ? g->value[g->n_values - 1] : tuple;
}

static ct_tensor *passed_on(generator *g, ct_tensor *tuple)
{
    ct_tensor *y = tuple;

    switch (choose(g->c, 4)) {
    case 1: y = ct_op_get_tuple_element(ct_op_tuple(g->ctx, CT_ARGV(tuple, tuple)), 1); break;
    case 2: ct_op_optimization_barrier(CT_ARGV(tuple), &y); break;
    case 3: y = called(g, tuple); break;
    default: break;
    }
    return y;
}

void make_tuple(generator *g)
{
    ct_tensor *x[2] = {any_of(g, CT__ANY), any_of(g, CT__ANY)};
    ct_tensor *tuple = ct_op_tuple(g->ctx, CT_ARGV(x[0], x[1]));
    const int64_t which = (int64_t)choose(g->c, 2);

    if (refused(g, CT__OP_tuple))
        return;
    tuple = passed_on(g, tuple);
    if (!refused(g, CT__OP_tuple))
        give(g, CT__OP_get_tuple_element, ct_op_get_tuple_element(tuple, which));
}

/* Which order nothing here; beside a tensor through a tuple or a barrier. */
void make_token(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY), *y[2] = {x, NULL};
    ct_tensor *first = ct_op_after_all(g->ctx, CT_NO_TENSORS);
    ct_tensor *both = ct_op_after_all(NULL, CT_ARGV(first, first));

    if (choose(g->c, 2) == 0)
        ct_op_optimization_barrier(CT_ARGV(x, both), y);
    else
        y[0] = ct_op_get_tuple_element(ct_op_tuple(g->ctx, CT_ARGV(both, x)), 1);
    give(g, CT__OP_after_all, y[0]);
}

/* Channels, which a run has not: programs with them are printed, read and rewritten alone. */
void make_channel(generator *g)
{
    static const int64_t pair[] = {0, 0};
    ct_tensor *x = any_of(g, CT__ANY), *result[2] = {x, NULL};
    ct_tensor *token = ct_op_after_all(g->ctx, CT_NO_TENSORS);

    if (choose(g->c, 4) != 0)
        return;
    switch (choose(g->c, 4)) {
    case 0: ct_op_infeed(token, "here", CT_ARGV(x), result); break;
    case 1: ct_op_outfeed(CT_ARGV(x), token, "there"); break;
    case 2:
        ct_op_recv(token, 1, choose(g->c, 2) == 0, (ct_dims){2, pair}, CT_ARGV(x), result);
        break;
    default: ct_op_send(CT_ARGV(x), token, 1, choose(g->c, 2) == 0, (ct_dims){2, pair});
    }
    give(g, CT__OP_infeed, result[0]);
}

/* Added, summed and read. */
void make_stack(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY), *y = like(g, x);
    ct_tensor *i = element_of(g, CT_I64), *j = element_of(g, CT_I64);
    ct_tensor *few = ct_full(g->ctx, CT_I64, CT_SHAPE(), 5);

    i = ct_op_minimum(i, few);
    j = ct_op_minimum(j, few);
    ct_tensor *empty = ct_op_stack_new(x);
    ct_tensor *one = ct_op_stack_add(empty, i, x);
    ct_tensor *two = ct_op_stack_add(choose(g->c, 2) ? one : empty, j, y);
    ct_tensor *all = choose(g->c, 2) ? ct_op_stack_sum(one, two) : two;
    give(g, CT__OP_stack_get, ct_op_stack_get(all, choose(g->c, 2) ? i : j));
}

/* ---- Several processes, of which there is one. */

static const int64_t itself[] = {0, 0};

/* Sums and others, of elements that may be promoted to those of the body. */
static void fold_processes(generator *g, ct_tensor *x, bool scatters)
{
    const ct_dtype dtype = ct_dtype_of(x) == CT_F16 && choose(g->c, 2) ? CT_F32 : ct_dtype_of(x);
    const int64_t axis = scatters ? (int64_t)choose(g->c, (uint32_t)ct_rank(x)) : 0;
    const ct__attrs attrs = scatters ? (ct__attrs){.reduce_scatter = {.scatter_dimension = axis,
                                                                      .replica_groups = {1, itself},
                                                                      .group_size = 1}}
                                     : (ct__attrs){.all_reduce = {.replica_groups = {1, itself},
                                                                  .group_size = 1,
                                                                  .n_inputs = 1}};
    recorded b = reducer(g, 1, &dtype);

    give_with_bodies(g, scatters ? CT__OP_reduce_scatter : CT__OP_all_reduce, &attrs, 1, &x, 1, &b,
                     1);
}

static void move_processes(generator *g, ct_tensor *x, uint32_t kind)
{
    const ct_processes alone = {.replica_groups = {1, itself}, .group_size = 1};
    ct_tensor *y[2] = {NULL, NULL};
    const int64_t axis = (int64_t)choose(g->c, (uint32_t)ct_rank(x));
    const size_t pairs = choose(g->c, 4) ? 2 : 0;

    switch (kind) {
    case 0:
        ct_op_all_to_all(CT_ARGV(x), axis, 0, 1, &alone, y);
        give(g, CT__OP_all_to_all, y[0]);
        break;
    case 1: give(g, CT__OP_collective_broadcast, ct_op_collective_broadcast(x, &alone)); break;
    case 2:
        give(g, CT__OP_collective_permute,
             ct_op_collective_permute(x, (ct_dims){pairs, itself}, 0, 0));
        break;
    default: ct_op_all_gather(CT_ARGV(x, x), axis, &alone, y); give_all(g, CT__OP_all_gather, 2, y);
    }
}

void make_collective(generator *g)
{
    ct_tensor *x = any_of_rank(g, CT__ANY, 1);
    const uint32_t kind = choose(g->c, 8);

    if (kind < 4)
        move_processes(g, x, kind);
    else if (kind < 6)
        fold_processes(g, x, kind == 5);
    else
        give(g, CT__OP_partition_id,
             kind == 6 ? ct_op_partition_id(g->ctx) : ct_op_replica_id(g->ctx));
}
