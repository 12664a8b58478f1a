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

void make_tuple(generator *g)
{
    ct_tensor *x[2] = {any_of(g, CT__ANY), any_of(g, CT__ANY)};
    ct_tensor *tuple = ct_op_tuple(g->ctx, CT_ARGV(x[0], x[1]));
    const int64_t which = (int64_t)choose(g->c, 2);

    if (!refused(g, CT__OP_tuple))
        give(g, CT__OP_get_tuple_element, ct_op_get_tuple_element(tuple, which));
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

void make_collective(generator *g)
{
    static const int64_t zero[] = {0};
    const ct_processes alone = {.replica_groups = {1, zero}, .group_size = 1};
    ct_tensor *x = any_of_rank(g, CT__ANY, 1), *y = NULL;
    const ct_dtype dtype = ct_dtype_of(x);

    switch (choose(g->c, 4)) {
    case 0: ct_op_all_to_all(CT_ARGV(x), 0, 0, 1, &alone, &y); break;
    case 1: y = ct_op_collective_broadcast(x, &alone); break;
    case 2: y = ct_op_collective_permute(x, (ct_dims){0, NULL}, 0, 0); break;
    default: {
        recorded b = reducer(g, 1, &dtype);
        const ct__attrs attrs = {
            .all_reduce = {.replica_groups = {1, zero}, .group_size = 1, .n_inputs = 1}};
        give_with_bodies(g, CT__OP_all_reduce, &attrs, 1, &x, 1, &b, 1);
        return;
    }
    }
    give(g, CT__OP_all_to_all, y);
}
