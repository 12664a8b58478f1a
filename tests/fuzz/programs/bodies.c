/* Bodies: recorded as regions, which capture what they use from outside. */
#include "tests/fuzz/programs/generate.h"

opened body_open(generator *g, size_t n, const ct_type *const *type, bool on_elements,
                 bool has_captures)
{
    const opened o = {g->n_values, g->visible, g->n_values, g->on_elements, g->operations};

    ct__trace_push(g->ctx, CT_HERE, "body", true);
    g->depth++;
    if (!has_captures)
        g->visible = g->n_values;
    g->on_elements = on_elements;
    for (size_t i = 0; i < n && g->n_values < MOST_VALUES; i++) {
        g->is_used[g->n_values] = true;
        g->value[g->n_values++] = ct__trace_param(g->ctx, CT_HERE, type[i]);
    }
    return o;
}

void body_close(generator *g, const opened *o, size_t n_results, ct_tensor *const *result,
                recorded *b)
{
    b->is_fine = ct__region_detach(g->ctx, CT_HERE, n_results, result, &b->region);
    g->depth--;
    g->n_values = o->n_values;
    g->visible = o->visible;
    g->on_elements = o->on_elements;
}

/* ---- Applying. */

static void free_all(generator *g, size_t n, recorded *bodies)
{
    for (size_t i = 0; i < n; i++)
        if (bodies[i].is_fine)
            ct__region_free(g->ctx, &bodies[i].region);
}

static bool are_fine(generator *g, size_t n, recorded *bodies, ct__region *region)
{
    bool fine = !ct_failed(g->ctx);

    for (size_t i = 0; i < n; i++) {
        fine = fine && bodies[i].is_fine;
        region[i] = bodies[i].region;
    }
    fine = fine && ct__region_unify(g->ctx, CT_HERE, region, n);
    for (size_t i = 0; i < n; i++)
        bodies[i].region = region[i];
    return fine;
}

enum { MOST_OPERANDS = 64, MOST_BODIES = 5 };

void give_with_bodies(generator *g, ct__op op, const ct__attrs *attrs, size_t n,
                      ct_tensor *const *x, size_t n_bodies, recorded *bodies, size_t n_results)
{
    ct__region region[MOST_BODIES];
    ct__graph *graph[MOST_BODIES];
    ct_tensor *operand[MOST_OPERANDS], *result[MOST_RESULTS];

    if (are_fine(g, n_bodies, bodies, region) && n + region[0].n_captures <= MOST_OPERANDS) {
        for (size_t i = 0; i < n; i++)
            operand[i] = x[i];
        for (size_t i = 0; i < region[0].n_captures; i++)
            operand[n + i] = region[0].capture[i];
        for (size_t i = 0; i < n_bodies; i++)
            graph[i] = region[i].graph;
        ct__apply(&(ct__request){.ctx = g->ctx,
                                 .at = CT_HERE,
                                 .op = op,
                                 .attrs = attrs,
                                 .n_operands = n + region[0].n_captures,
                                 .operand = operand,
                                 .n_regions = n_bodies,
                                 .region = graph},
                  result, n_results);
        give_all(g, op, n_results, result);
    }
    free_all(g, n_bodies, bodies);
    refused(g, op);
}

/* ---- On elements. */

static const ct_type *scalar(generator *g, ct_dtype dtype)
{
    return ct_spec(g->ctx, dtype, CT_SHAPE())->type;
}

/* One operation on old and new that all know. */
static ct_tensor *usual(generator *g, ct_tensor *old, ct_tensor *new)
{
    static const ct__op numbers_[] = {CT__OP_add, CT__OP_maximum, CT__OP_minimum, CT__OP_multiply};
    static const ct__op bits[] = {CT__OP_add, CT__OP_maximum, CT__OP_minimum, CT__OP_multiply,
                                  CT__OP_and, CT__OP_or,      CT__OP_xor};
    const ct_dtype dtype = ct_dtype_of(old);
    const bool has_bits = ct_dtype_is_integer(dtype) || dtype == CT_BOOL;
    const uint32_t n = g->style == STYLE_LINEAR ? 1 : has_bits ? 7 : 4;

    return ct__binary(CT_HERE, (has_bits ? bits : numbers_)[choose(g->c, n)], old, new);
}

/* What a few operations on the parameters come to. */
static ct_tensor *anything(generator *g, ct_dtype dtype)
{
    const int kept = g->operations;

    if (g->style != STYLE_LINEAR) {
        g->operations = (int)choose_from(g->c, 1, 4);
        make_operations(g, g->operations);
    }
    g->operations = kept;
    return element_of(g, dtype);
}

recorded reducer(generator *g, size_t n, const ct_dtype *dtype)
{
    const bool is_usual = !seldom(g->c, 3), has_captures = !is_usual && seldom(g->c, 3);
    const ct_type *type[2 * MOST_RESULTS];
    ct_tensor *result[MOST_RESULTS];
    recorded b = {.is_fine = false};

    for (size_t i = 0; i < 2 * n; i++)
        type[i] = scalar(g, dtype[i % n]);
    const opened o = body_open(g, 2 * n, type, true, has_captures);
    for (size_t i = 0; i < n; i++)
        result[i] = is_usual ? usual(g, g->value[o.first + i], g->value[o.first + n + i])
                             : anything(g, dtype[i]);
    body_close(g, &o, n, result, &b);
    return b;
}

/* Now and then one that contradicts itself. */
recorded comparator(generator *g, size_t n, const ct_dtype *dtype)
{
    const ct_type *type[2 * MOST_RESULTS];
    recorded b = {.is_fine = false};

    for (size_t i = 0; i < 2 * n; i++)
        type[i] = scalar(g, dtype[i / 2]);
    const opened o = body_open(g, 2 * n, type, true, false);
    const uint32_t kind = choose(g->c, 6);
    ct_tensor *left = g->value[o.first], *right = g->value[o.first + 1];
    ct_tensor *less = kind == 5 ? anything(g, CT_BOOL)
                                : ct_op_compare(left, right, kind % 2 ? CT_GT : CT_LT,
                                                CT_COMPARE_DEFAULT);
    body_close(g, &o, 1, &less, &b);
    return b;
}
