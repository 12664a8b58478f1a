/* Every operation of the table, vectorised in every way, against a loop over its lanes. */
#include "tests/lanes.h"
#include "tests/samples.h"

#include <cotangent/custom.h>

#include <string.h>

/* A function of the program: adds 1 to every byte of what it is given. */
static ct_status successor(void *user, ct_custom_call *call)
{
    (void)user;
    for (size_t i = 0; i < call->n_results; i++) {
        size_t bytes = ct__data_bytes(call->result_type[i]);
        for (size_t k = 0; k < bytes; k++)
            ((unsigned char *)call->result[i])[k] =
                (unsigned char)(((const unsigned char *)call->operand[i])[k] + 1);
    }
    return CT_OK;
}

static ct_context *new_context(void)
{
    static const char *const target[] = {"plain", "a name", "tick"};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof target / sizeof *target; i++)
        ct_register_custom_call(ctx, target[i], successor, NULL);
    return ctx;
}

static void check_nodes(ct_context *ctx, const ct__graph *graph, bool *seen)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        ct_scope scope = ct_scope_begin(ctx);
        ct_function *f = lanes_of_node(ctx, graph, node);
        CHECK_MSG(!ct_failed(ctx), "%s: %s", ct__op_describe(node->op)->name,
                  ct_error_message(ctx));
        lanes_check_all(ctx, f, ct__op_describe(node->op)->name);
        seen[node->op] = true;
        ct_scope_end(scope);
        for (size_t r = 0; r < node->n_regions && ct__has(node->op, CT__CONTROL); r++)
            check_nodes(ctx, node->region[r], seen);
    }
}

TEST(every_operation)
{
    bool seen[CT__OP_COUNT] = {false};
    for (size_t i = 0; i < n_samples; i++) {
        ct_context *ctx = new_context();
        check_nodes(ctx, samples[i].make(ctx)->graph, seen);
        ct_context_free(ctx);
    }
    for (int op = 0; op < CT__OP_COUNT; op++)
        CHECK_MSG(seen[op], "%s: there is no sample of it", ct__op_describe((ct__op)op)->name);
}

/* The same with values in between; but effects happen lane by lane for each operation. */
TEST(every_sample)
{
    for (size_t i = 0; i < n_samples; i++) {
        ct_context *ctx = new_context();
        ct_function *f = lanes_of_function(ctx, samples[i].make(ctx));
        if (!f->graph->has_effect)
            lanes_check_all(ctx, f, samples[i].name);
        ct_context_free(ctx);
    }
}
