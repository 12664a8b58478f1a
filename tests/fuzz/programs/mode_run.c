/* Executors, text, rewrites: the same bits. */
#include "tests/fuzz/programs/modes.h"

#include <cotangent/module.h>
#include <cotangent/rewrite.h>

#include <stdlib.h>
#include <string.h>

static ct_list inputs_of(const program *p)
{
    return (ct_list){p->n_inputs, p->input};
}

static verdict compare_executors(ct_function *f, ct_list inputs, ct_executor a, ct_executor b,
                                 char why[WHY_BYTES])
{
    outcome x, y;

    run(f, inputs, a, &x);
    run(f, inputs, b, &y);
    return same_outcomes(&x, &y, why);
}

verdict compare_cpu(const program *p, char why[WHY_BYTES])
{
    return compare_executors(p->f, inputs_of(p), CT_EXECUTOR_MACHINE, CT_EXECUTOR_CPU, why);
}

/* Also where a kernel is not compiled for an error in it: then the tile machine runs it. */
verdict compare_jit(const program *p, char why[WHY_BYTES])
{
    const ct_compile_options options = {.size = sizeof options, .executor = CT_EXECUTOR_JIT};
    const ct_executable_state state = ct_executable_status(ct_compile(p->f, &options));

    if (state.failed > 0)
        return differ(why, "%s", state.reason);
    return compare_executors(p->f, inputs_of(p), CT_EXECUTOR_MACHINE, CT_EXECUTOR_JIT, why);
}

/* One thread and three. */
verdict compare_threads(const program *p, char why[WHY_BYTES])
{
    ct_compile_options options = {.size = sizeof options, .executor = CT_EXECUTOR_CPU};
    outcome x, y;

    run_with(p->f, inputs_of(p), &options, &x);
    options.threads = 3;
    run_with(p->f, inputs_of(p), &options, &y);
    return same_outcomes(&x, &y, why);
}

/* Each pass off, and all of them. */
verdict compare_passes(const program *p, char why[WHY_BYTES])
{
    ct_compile_options options = {.size = sizeof options, .executor = CT_EXECUTOR_CPU};
    outcome x, y;
    verdict v = SAME;

    run(p->f, inputs_of(p), CT_EXECUTOR_MACHINE, &x);
    for (size_t i = 0; v == SAME; i++) {
        const char *name = ct_pass_name(i, NULL);
        options.passes_off = name ? name : "all";
        run_with(p->f, inputs_of(p), &options, &y);
        v = same_outcomes(&x, &y, why);
        if (!name)
            break;
    }
    return v;
}

/* ---- Another function for the same program. */

static verdict compare_functions(const program *p, ct_function *g, char why[WHY_BYTES])
{
    outcome x, y;

    if (!went_well(p->ctx, &x))
        return differ(why, "%s", x.message);
    run(p->f, inputs_of(p), CT_EXECUTOR_MACHINE, &x);
    run(g, inputs_of(p), CT_EXECUTOR_MACHINE, &y);
    return same_outcomes(&x, &y, why);
}

static ct_function *read_again(ct_function *f, unsigned flags)
{
    ct_context *ctx = ct_function_context(f);
    const char *text = ct_stablehlo_text(f, flags);

    return ct_module_function(ct_read_stablehlo_text(ctx, "printed", text, strlen(text)), NULL);
}

/* Whether an operation has constants alone: the reader computes it at once, in reference numerics.
 */
static bool has_constant_operation(const ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        bool all = node->n_operands > 0;
        for (size_t k = 0; k < node->n_operands; k++)
            all = all && ct__graph_literal(graph, node->operand[k]);
        for (size_t k = 0; k < node->n_regions; k++)
            all = all || has_constant_operation(node->region[k]);
        if (all)
            return true;
    }
    return false;
}

/* The same graph; or, where a loop that counts is read as one, or a body has a value twice, a graph
 * that computes the same and whose text is read as it is. */
static verdict compare_text(const program *p, unsigned flags, char why[WHY_BYTES])
{
    outcome o;
    ct_function *g = read_again(p->f, flags);

    if (!went_well(p->ctx, &o))
        return differ(why, "%s", o.message);
    if (ct__graph_equal(p->f->graph, g->graph, false))
        return SAME;
    if (has_constant_operation(p->f->graph))
        return skip(why, "constants are computed while it is read");
    const char *text = ct_stablehlo_text(g, flags);
    const char *again = ct_stablehlo_text(read_again(g, flags), flags);
    if (!went_well(p->ctx, &o))
        return differ(why, "%s", o.message);
    if (strcmp(text, again) != 0)
        return differ(why, "what is printed is read as another program");
    return compare_functions(p, g, why);
}

verdict compare_pretty(const program *p, char why[WHY_BYTES])
{
    return compare_text(p, CT_WRITE_PRETTY, why);
}

verdict compare_generic(const program *p, char why[WHY_BYTES])
{
    return compare_text(p, CT_WRITE_GENERIC, why);
}

verdict compare_simplified(const program *p, char why[WHY_BYTES])
{
    return compare_functions(p, ct_simplify(p->f), why);
}

verdict compare_inlined(const program *p, char why[WHY_BYTES])
{
    return compare_functions(p, ct_inline(p->f), why);
}

/* ---- Other ways to run. */

verdict compare_direct(const program *p, char why[WHY_BYTES])
{
    outcome x, y;

    run(p->f, inputs_of(p), CT_EXECUTOR_INTERPRETER, &x);
    y.n = x.n;
    ct_apply(p->f, inputs_of(p), y.y, y.n);
    went_well(p->ctx, &y);
    return same_outcomes(&x, &y, why);
}

static ct_tensor *from_bytes(ct_context *ctx, const ct_type *type, const void *data)
{
    ct_tensor *x = ct_from_data(ctx, ct_type_dtype(type), ct_type_shape(type), data);
    ct_quantization q;

    return ct_type_quantization(type, &q) ? ct_op_bitcast_quantize(x, q) : x;
}

/* Bound buffers, run twice: the second run finds what the first one left in the block. */
static bool run_bound(const program *p, ct_instance *instance, void *const *out)
{
    bool fine = true;

    for (size_t i = 0; i < p->n_inputs; i++)
        fine = fine && ct_bind_input(instance, i, ct_data(p->input[i]),
                                     ct__data_bytes(p->input[i]->type)) == CT_OK;
    for (size_t i = 0; i < ct_function_results(p->f); i++)
        fine = fine && ct_bind_output(instance, i, out[i],
                                      ct__data_bytes(ct_result_type(p->f, i))) == CT_OK;
    return fine && ct_run(instance) == CT_OK && ct_run(instance) == CT_OK;
}

verdict compare_instance(const program *p, char why[WHY_BYTES])
{
    const ct_compile_options options = {.size = sizeof options, .executor = CT_EXECUTOR_CPU};
    ct_instance *instance = ct_instance_new(ct_compile(p->f, &options));
    const size_t n = ct_function_results(p->f);
    void *out[MOST_RESULTS] = {NULL};
    outcome x, y = {.n = n};

    for (size_t i = 0; i < n; i++)
        out[i] = malloc(ct__data_bytes(ct_result_type(p->f, i)) + 1);
    const bool fine = run_bound(p, instance, out);
    for (size_t i = 0; i < n; i++) {
        const ct_type *type = ct_result_type(p->f, i);
        y.y[i] = from_bytes(p->ctx, type, out[i]);
        free(out[i]);
    }
    run(p->f, inputs_of(p), CT_EXECUTOR_CPU, &x);
    if (!fine && x.status == CT_OK)
        differ(why, "%s", ct_instance_error(instance));
    ct_instance_free(instance);
    if (!fine)
        return x.status == CT_OK ? DIFFERENT : skip(why, x.message);
    return same_outcomes(&x, &y, why);
}
