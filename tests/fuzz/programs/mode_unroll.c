/* Scans one iteration after another: the same bits, for each operation is the same. */
#include "tests/fuzz/programs/modes.h"

#include <stdlib.h>

static ct_tensor *row_of(ct_tensor *x, int64_t i)
{
    int64_t start[CT__MAX_RANK] = {i}, limit[CT__MAX_RANK] = {i + 1}, stride[CT__MAX_RANK] = {1};
    const size_t rank = ct_rank(x);

    for (size_t d = 1; d < rank; d++) {
        limit[d] = ct_dim(x, (int64_t)d);
        stride[d] = 1;
    }
    ct_tensor *row = ct_op_slice(x, (ct_dims){rank, start}, (ct_dims){rank, limit},
                                 (ct_dims){rank, stride});
    return ct_op_reshape(row, (ct_dims){rank - 1, limit + 1});
}

static ct_tensor *stack(size_t n, ct_tensor **row)
{
    int64_t dim[CT__MAX_RANK] = {1};
    const size_t rank = ct_rank(row[0]);

    for (size_t d = 0; d < rank; d++)
        dim[d + 1] = ct_dim(row[0], (int64_t)d);
    for (size_t i = 0; i < n; i++)
        row[i] = ct_op_reshape(row[i], (ct_dims){rank + 1, dim});
    return ct_op_concatenate(((ct_list){n, row}), 0);
}

enum { MOST_LENGTH = 8, MOST_ARGUMENTS = 64 };

static recorder record;

typedef struct unrolling {
    const ct__node *node;
    size_t n_carry, n_x, n_y, length;
    ct_tensor *argument[MOST_ARGUMENTS], *row[MOST_RESULTS][MOST_LENGTH];
} unrolling;

static bool iterate(ct_context *ctx, unrolling *u, ct_tensor *const *operand, size_t i)
{
    ct_tensor *result[MOST_ARGUMENTS];

    for (size_t k = 0; k < u->n_x; k++)
        u->argument[u->n_carry + k] = row_of(operand[u->n_carry + k], (int64_t)i);
    if (!record_graph(ctx, u->node->region[0], record, u->argument, result))
        return false;
    for (size_t k = 0; k < u->n_carry; k++)
        u->argument[k] = result[k];
    for (size_t k = 0; k < u->n_y; k++)
        u->row[k][i] = result[u->n_carry + k];
    return true;
}

static bool unroll(ct_context *ctx, const ct__node *node, ct_tensor *const *operand,
                   ct_tensor **result)
{
    const struct ct__attrs_scan *a = &node->attrs->scan;
    unrolling u = {.node = node,
                   .n_carry = (size_t)a->n_carry,
                   .n_x = (size_t)a->n_inputs,
                   .length = (size_t)a->length};

    u.n_y = node->n_results - u.n_carry;
    for (size_t k = 0; k < node->n_operands; k++)
        u.argument[k] = operand[k];
    for (size_t i = 0; i < u.length; i++)
        if (!iterate(ctx, &u, operand, a->is_reverse ? u.length - 1 - i : i))
            return false;
    for (size_t k = 0; k < u.n_carry; k++)
        result[k] = u.argument[k];
    for (size_t k = 0; k < u.n_y; k++)
        result[u.n_carry + k] = stack(u.length, u.row[k]);
    return true;
}

static bool can_unroll(const ct__node *node)
{
    return node->op == CT__OP_scan && node->attrs->scan.length > 0 &&
           node->attrs->scan.length <= MOST_LENGTH && node->n_operands <= MOST_ARGUMENTS &&
           node->n_results <= MOST_RESULTS;
}

static bool record(ct_context *ctx, const ct__graph *graph, const ct__node *node, ct__arena *arena,
                   ct_tensor **value)
{
    ct_tensor *operand[MOST_ARGUMENTS];

    if (!can_unroll(node))
        return record_node(ctx, graph, node, arena, value);
    for (size_t k = 0; k < node->n_operands; k++)
        operand[k] = value[node->operand[k]];
    return unroll(ctx, node, operand, value + node->first_result);
}

/* The function with its outermost scans unrolled. */
static ct_function *unrolled(const program *p)
{
    const ct__graph *graph = p->f->graph;
    ct_tensor *argument[MOST_INPUTS], *result[MOST_OUTPUTS];

    if (!ct__trace_push(p->ctx, CT_HERE, "unrolled", false))
        return published(p->ctx, NULL);
    for (size_t i = 0; i < graph->n_params; i++)
        argument[i] = ct__trace_param(p->ctx, CT_HERE, ct__param_type(graph, i));
    record_graph(p->ctx, graph, record, argument, result);
    return published(p->ctx, ct__trace_pop(p->ctx, CT_HERE, graph->n_results, result));
}

static bool has_scan(const ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (can_unroll(&graph->node[i]))
            return true;
    return false;
}

static verdict compare_with_unrolled(const program *p, ct_executor executor, char why[WHY_BYTES])
{
    outcome x, y;

    if (!has_scan(p->f->graph) || ct_function_results(p->f) > MOST_OUTPUTS)
        return skip(why, "no scan");
    ct_function *g = unrolled(p);
    if (!went_well(p->ctx, &x))
        return differ(why, "%s", x.message);
    run(p->f, (ct_list){p->n_inputs, p->input}, executor, &x);
    run(g, (ct_list){p->n_inputs, p->input}, executor, &y);
    if (executor == CT_EXECUTOR_RATIONAL && has_no_value(&x))
        return skip(why, x.message);
    if (executor == CT_EXECUTOR_RATIONAL && has_no_value(&y))
        return skip(why, y.message);
    return same_outcomes(&x, &y, why);
}

verdict compare_unrolled(const program *p, char why[WHY_BYTES])
{
    return compare_with_unrolled(p, CT_EXECUTOR_MACHINE, why);
}

verdict compare_unrolled_rational(const program *p, char why[WHY_BYTES])
{
    return compare_with_unrolled(p, CT_EXECUTOR_RATIONAL, why);
}
