/* Machine numerics against the reference, and against numbers of 256 bits, operation by operation
 * on equal operands: those that the program has in machine numerics.
 *
 *   what rounds at most once, moves data or has no floats     the same bits
 *   other operations on elements                              a few units in the last place
 *   sums and products of n terms                              n units of the sum of magnitudes
 *   others                                                    not compared */
#include "tests/fuzz/programs/modes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ULPS = 8, LOOSE_ULPS = 1000 }; /* loose: of functions that the reference makes of others */

/* ---- What is promised of a node. */

typedef enum promise { BITS, CLOSE, TERMS, NOTHING } promise;

static bool has_floats(const ct__graph *graph, const ct__node *node)
{
    for (size_t i = 0; i < node->n_operands; i++) {
        const ct_type *t = ct__graph_type(graph, node->operand[i]);
        if (t->kind != CT__TENSOR || ct_dtype_is_float(t->dtype) || ct_dtype_is_complex(t->dtype))
            return true;
    }
    return false;
}

/* Whether it rounds alike: numbers of many bits are not rounded inside of a body at all. */
static bool is_exact_body(const ct__graph *body, ct_executor reference)
{
    const bool rounds = reference == CT_EXECUTOR_INTERPRETER;

    for (size_t i = 0; i < body->n_nodes; i++) {
        const ct__node *node = &body->node[i];
        if (node->n_regions > 0 ||
            (has_floats(body, node) && !(rounds && ct__has(node->op, CT__EXACT))))
            return false;
    }
    return true;
}

static bool is_complex(const ct__graph *graph, const ct__node *node)
{
    return node->n_operands > 0 &&
           ct_dtype_is_complex(ct__graph_type(graph, node->operand[0])->dtype);
}

static promise of_fold(const ct__graph *graph, const ct__node *node, ct_executor reference)
{
    const int kind = ct__graph_body_kind(node->region[0]);
    const bool is_exact = is_exact_body(node->region[node->n_regions - 1], reference);

    if (!has_floats(graph, node))
        return is_exact ? BITS : NOTHING;
    if (kind == CT__OP_maximum || kind == CT__OP_minimum)
        return BITS;
    if (node->op == CT__OP_reduce && kind == CT__OP_add && node->n_operands == 2)
        return TERMS;
    return reference == CT_EXECUTOR_INTERPRETER && kind == CT__BODY_OTHER && is_exact ? BITS
                                                                                      : NOTHING;
}

/* Sums of integers in floats, and products of both, are in neither numerics what bounds are known
 * of. */
static promise of_product(const ct__graph *graph, const ct__node *node)
{
    const ct_dtype x = ct__graph_type(graph, node->operand[0])->dtype,
                   y = ct__graph_type(graph, node->operand[1])->dtype,
                   z = ct__graph_type(graph, node->first_result)->dtype;

    if (!has_floats(graph, node))
        return ct_dtype_is_float(z) || ct_dtype_is_complex(z) ? NOTHING : BITS;
    return ct_dtype_is_float(x) && ct_dtype_is_float(y) ? TERMS : NOTHING;
}

static promise promise_of(const ct__graph *graph, const ct__node *node, ct_executor reference)
{
    const unsigned traits = ct__op_describe(node->op)->traits;

    if (node->op == CT__OP_constant || (traits & CT__CONTROL))
        return NOTHING;
    if (node->n_regions > 0)
        return of_fold(graph, node, reference);
    if (node->op == CT__OP_dot_general || node->op == CT__OP_convolution)
        return of_product(graph, node);
    if ((traits & CT__MOVES_DATA) || !has_floats(graph, node) || node->op == CT__OP_top_k)
        return BITS;
    if (!(traits & CT__ELEMENTWISE))
        return NOTHING;
    return (traits & CT__EXACT) && !is_complex(graph, node) ? BITS
           : is_complex(graph, node)                        ? NOTHING
                                                            : CLOSE;
}

/* ---- One node. */

/* As a program; false where an operand is no tensor. */
static bool alone(const program *p, const ct__node *node, ct_tensor *const *known, program *q)
{
    const ct__graph *graph = p->f->graph;
    ct_tensor **value = calloc(graph->n_values, sizeof *value);
    ct__arena arena;
    bool fine = node->n_operands <= MOST_INPUTS && ct__trace_push(p->ctx, CT_HERE, "one", false);

    ct__arena_init(&arena, &p->ctx->allocator);
    *q = (program){.ctx = p->ctx};
    for (size_t i = 0; fine && i < node->n_operands; i++) {
        const ct__id id = node->operand[i];
        if (value[id])
            continue;
        q->input[q->n_inputs++] = known[id];
        value[id] = ct__trace_param(p->ctx, CT_HERE, known[id]->type);
    }
    if (fine && record_node(p->ctx, graph, node, &arena, value))
        q->f = published(
            p->ctx, ct__trace_pop(p->ctx, CT_HERE, node->n_results, value + node->first_result));
    else if (fine)
        ct__trace_abandon(p->ctx);
    ct__arena_free(&arena);
    free(value);
    return q->f && !ct_failed(p->ctx);
}

/* The unit of the last place of numbers around 1. */
static double epsilon(ct_dtype dtype)
{
    const ct_dtype part = ct__part_dtype(dtype);

    return part == CT_F64    ? DBL_EPSILON
           : part == CT_F32  ? FLT_EPSILON
           : part == CT_F16  ? 0x1p-10
           : part == CT_BF16 ? 0x1p-7
                             : 0.5;
}

/* The smallest normal number. */
static double smallest(ct_dtype dtype)
{
    return dtype == CT_F64 ? DBL_MIN : dtype == CT_F32 || dtype == CT_BF16 ? FLT_MIN : 0x1p-14;
}

/* Within so many units of the size, and at least `slack` units of the smallest number, element by
 * element; what is not finite is the same. */
static verdict within(ct_tensor *a, ct_tensor *b, const double *size, double units, double slack,
                      char why[WHY_BYTES])
{
    static double x[MOST_ELEMENTS], y[MOST_ELEMENTS];
    const size_t n = (size_t)ct_size(a);
    const ct_dtype dtype = ct_dtype_of(a);

    if (n > MOST_ELEMENTS || !ct_dtype_is_float(dtype) || ct__is_small_float(dtype))
        return SAME;
    ct_to_doubles(a, x, n);
    ct_to_doubles(b, y, n);
    for (size_t i = 0; i < n; i++) {
        const double bound = epsilon(dtype) * (units * fabs(size[i]) + slack * smallest(dtype));
        if (x[i] == y[i] || (x[i] != x[i] && y[i] != y[i]) || fabs(x[i] - y[i]) <= bound ||
            !isfinite(size[i] * (1 + units * epsilon(dtype))))
            continue;
        return differ(why, "element %zu: reference %.17g, machine %.17g, bound %.3g", i, x[i], y[i],
                      bound);
    }
    return SAME;
}

/* The reference's logistic is 1 / (1 + e^-x) by its letters, 0 where e^-x is infinite. */
static verdict check_close(ct__op op, const outcome *reference, const outcome *machine,
                           char why[WHY_BYTES])
{
    static double size[MOST_ELEMENTS];
    ct_tensor *x = reference->y[0];

    if (ct_size(x) > MOST_ELEMENTS || !ct_dtype_is_float(ct_dtype_of(x)))
        return SAME;
    ct_to_doubles(x, size, (size_t)ct_size(x));
    const double units = strncmp(ct__op_describe(op)->spelling, "chlo", 4) == 0 ? LOOSE_ULPS : ULPS;
    const double slack = op == CT__OP_logistic ? 1 / epsilon(ct_dtype_of(x)) : units;
    return within(x, machine->y[0], size, units, slack, why);
}

/* ---- Sums: the same of magnitudes bounds them. */

static int64_t terms_of(const program *q)
{
    int64_t n = 1;

    for (size_t i = 0; i < q->n_inputs; i++)
        n = ct_size(q->input[i]) > n ? ct_size(q->input[i]) : n;
    return n;
}

static verdict check_terms(const program *q, const outcome *reference, const outcome *machine,
                           char why[WHY_BYTES])
{
    static double size[MOST_ELEMENTS];
    ct_tensor *magnitude[MOST_INPUTS];
    outcome all;

    if (!ct_dtype_is_float(ct_dtype_of(reference->y[0])) ||
        ct_size(reference->y[0]) > MOST_ELEMENTS)
        return SAME;
    for (size_t i = 0; i < q->n_inputs; i++)
        magnitude[i] = ct_dtype_is_float(ct_dtype_of(q->input[i])) ? ct_op_abs(q->input[i])
                                                                   : q->input[i];
    run(q->f, (ct_list){q->n_inputs, magnitude}, CT_EXECUTOR_INTERPRETER, &all);
    if (all.status != CT_OK)
        return SAME;
    ct_to_doubles(all.y[0], size, (size_t)ct_size(all.y[0]));
    const double units = 2 * (double)terms_of(q) + 2;
    return within(reference->y[0], machine->y[0], size, units, units, why);
}

static verdict compare_node(const program *p, const ct__node *node, ct_tensor *const *known,
                            ct_executor reference, char why[WHY_BYTES])
{
    program q;
    outcome a, b;
    const promise kind = promise_of(p->f->graph, node, reference);

    if (kind == NOTHING || !alone(p, node, known, &q))
        return SAME;
    run(q.f, (ct_list){q.n_inputs, q.input}, reference, &a);
    run(q.f, (ct_list){q.n_inputs, q.input}, CT_EXECUTOR_MACHINE, &b);
    if (kind == BITS || a.status != CT_OK || b.status != CT_OK)
        return same_outcomes(&a, &b, why) == DIFFERENT ? DIFFERENT : SAME;
    return kind == CLOSE ? check_close(node->op, &a, &b, why) : check_terms(&q, &a, &b, why);
}

/* ---- All nodes. */

static bool is_plain(const ct_type *type)
{
    return type->kind == CT__TENSOR && !type->quantized;
}

/* The values of the program in machine numerics: NULL for those that are no tensors. */
static bool find_values(const program *p, ct_tensor **known)
{
    ct__graph *graph = p->f->graph;
    ct__id *kept = graph->result, *all = calloc(graph->n_values + 1, sizeof *all);
    const size_t n_kept = graph->n_results;
    size_t n = 0;
    outcome o;

    for (ct__id id = 0; id < graph->n_values; id++)
        if (is_plain(ct__graph_type(graph, id)) && n < MOST_OUTPUTS)
            all[n++] = id;
    graph->result = all;
    graph->n_results = n;
    run(p->f, (ct_list){p->n_inputs, p->input}, CT_EXECUTOR_MACHINE, &o);
    graph->result = kept;
    graph->n_results = n_kept;
    for (size_t i = 0; o.status == CT_OK && i < n; i++)
        known[all[i]] = o.y[i];
    free(all);
    return o.status == CT_OK;
}

static bool is_known(const ct__node *node, ct_tensor *const *known)
{
    for (size_t i = 0; i < node->n_operands; i++)
        if (!known[node->operand[i]])
            return false;
    return true;
}

static verdict compare_nodes(const program *p, ct_executor reference, char why[WHY_BYTES])
{
    const ct__graph *graph = p->f->graph;
    ct_tensor **known = calloc(graph->n_values + 1, sizeof *known);
    char detail[WHY_BYTES / 2];
    verdict v = find_values(p, known) ? SAME : skip(why, "it does not run");

    for (size_t i = 0; v == SAME && i < graph->n_nodes; i++)
        if (is_known(&graph->node[i], known)) {
            v = compare_node(p, &graph->node[i], known, reference, why);
            memcpy(detail, why, sizeof detail - 1);
            detail[sizeof detail - 1] = '\0';
            if (v == DIFFERENT)
                differ(why, "%s: %s", ct__op_describe(graph->node[i].op)->name, detail);
        }
    free(known);
    return v;
}

verdict compare_numerics(const program *p, char why[WHY_BYTES])
{
    return compare_nodes(p, CT_EXECUTOR_INTERPRETER, why);
}

verdict compare_mpfr(const program *p, char why[WHY_BYTES])
{
    return compare_nodes(p, CT_EXECUTOR_MPFR, why);
}
