/* What of the table of operations got into programs. */
#include "tests/fuzz/programs/generate.h"

#include <inttypes.h>
#include <stdio.h>

static const ct_type *first_type(const ct__graph *graph, const ct__node *node)
{
    return ct__graph_type(graph, node->n_operands > 0 ? node->operand[0] : node->first_result);
}

void tally_graph(const ct__graph *graph, op_tally *tally)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        tally->made[node->op]++;
        if (node->n_operands + node->n_results > 0 && first_type(graph, node)->kind == CT__TENSOR) {
            tally->dtypes[node->op] |= (uint64_t)1 << first_type(graph, node)->dtype;
            tally->ranks[node->op] |= (uint64_t)1 << first_type(graph, node)->rank;
        }
        for (size_t k = 0; k < node->n_regions; k++)
            tally_graph(node->region[k], tally);
    }
}

/* Dtypes that the row takes as its first operand and that no program has there. */
static void show_missing_dtypes(ct__op op, uint64_t seen)
{
    const unsigned classes = ct__op_describe(op)->dtypes;

    for (int dtype = CT_INVALID_DTYPE + 1; dtype < CT_DTYPE_COUNT; dtype++)
        if ((classes & ct__class_of((ct_dtype)dtype)) && !(seen >> dtype & 1))
            printf(" -%s", ct_dtype_name((ct_dtype)dtype));
}

/* Why an operation is in no program; NULL: it should be in one. */
static const char *reason_of(ct__op op)
{
    return op == CT__OP_transposed_call
               ? "inside of transforms alone, which jvp makes of custom_rule"
               : NULL;
}

bool show_coverage(const op_tally *tally)
{
    uint64_t dtypes = 0, ranks = 0;
    int missing = 0;

    for (int op = 0; op < CT__OP_COUNT; op++) {
        printf("%-28s %8" PRIu64, ct__op_describe((ct__op)op)->name, tally->made[op]);
        show_missing_dtypes((ct__op)op, tally->dtypes[op]);
        const char *reason = reason_of((ct__op)op);
        printf("%s%s\n", tally->made[op] > 0 ? "" : "   in no program: ",
               tally->made[op] > 0 ? ""
               : reason            ? reason
                                   : "missing");
        missing += tally->made[op] == 0 && !reason;
        dtypes |= tally->dtypes[op];
        ranks |= tally->ranks[op];
    }
    for (int dtype = CT_INVALID_DTYPE + 1; dtype < CT_DTYPE_COUNT; dtype++)
        missing += ct__class_of((ct_dtype)dtype) != 0 && !(dtypes >> dtype & 1);
    for (int rank = 0; rank <= MOST_RANK; rank++)
        missing += !(ranks >> rank & 1);
    printf("%d operations, dtypes and ranks are in no program\n", missing);
    return missing == 0;
}
