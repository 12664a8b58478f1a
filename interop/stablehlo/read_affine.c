/* What the values of a loop's body are as functions of the iteration. */
#include "interop/stablehlo/loops.h"

#include <cotangent/op.h>

#include <string.h>

const ct__node *ct__node_with(const ct__graph *graph, ct__id id, ct__op op)
{
    const ct__node *node = ct__node_of(graph, id);
    return node && node->op == op ? node : NULL;
}

typedef struct walk {
    const ct__graph *graph;
    int64_t length;
    ct__affine *value;
} walk;

static ct__affine number(int64_t slope, int64_t base)
{
    return (ct__affine){.is_number = true, .slope = slope, .base = base};
}

static ct__affine truth(bool is)
{
    return (ct__affine){.is_truth = true, .truth = is};
}

/* Whether the value is one of the dtype in every iteration: then no arithmetic has wrapped. It is
 * monotone, so the first and the last tell. */
static bool fits(const walk *w, ct_dtype dtype, ct__affine x)
{
    int64_t last = 0, bound = ct__integer_max(dtype) > INT64_MAX ? INT64_MAX
                                                                 : (int64_t)ct__integer_max(dtype);
    return ct_dtype_is_integer(dtype) && ct__mul_i64(x.slope, w->length - 1, &last) &&
           ct__add_i64(last, x.base, &last) && x.base >= ct__integer_min(dtype) &&
           last >= ct__integer_min(dtype) && x.base <= bound && last <= bound;
}

/* x + sign y */
static ct__affine sum(ct__affine x, ct__affine y, int64_t sign)
{
    ct__affine z = number(0, 0);
    int64_t slope, base;
    z.is_number = x.is_number && y.is_number && ct__mul_i64(y.slope, sign, &slope) &&
                  ct__mul_i64(y.base, sign, &base) && ct__add_i64(x.slope, slope, &z.slope) &&
                  ct__add_i64(x.base, base, &z.base);
    return z;
}

static bool holds(int direction, int64_t difference)
{
    switch (direction) {
    case CT_GE: return difference >= 0;
    case CT_GT: return difference > 0;
    case CT_LE: return difference <= 0;
    default: return difference < 0;
    }
}

/* x ? y, where it is the same in the first and the last iteration and so, x - y being monotone, in
 * all. */
static ct__affine comparison(const walk *w, int direction, ct__affine x, ct__affine y)
{
    ct__affine d = sum(x, y, -1);
    int64_t last;
    if (!d.is_number || direction == CT_EQ || direction == CT_NE ||
        !ct__mul_i64(d.slope, w->length - 1, &last) || !ct__add_i64(last, d.base, &last) ||
        holds(direction, d.base) != holds(direction, last))
        return (ct__affine){.is_number = false};
    return truth(holds(direction, last));
}

static ct__affine constant(const ct__node *node)
{
    int64_t value;
    return ct__literal_integer(node->attrs->constant.value, &value)
               ? number(0, value)
               : (ct__affine){.is_number = false};
}

/* What the node's first result is, from its operands. */
static ct__affine follow(const walk *w, const ct__node *node)
{
    const ct__affine nothing = {.is_number = false};
    ct__affine x[3] = {nothing, nothing, nothing};
    for (size_t i = 0; i < node->n_operands && i < 3; i++)
        x[i] = w->value[node->operand[i]];
    switch (node->op) {
    case CT__OP_constant: return constant(node);
    case CT__OP_add: return sum(x[0], x[1], 1);
    case CT__OP_subtract: return sum(x[0], x[1], -1);
    case CT__OP_compare:
        return comparison(w, node->attrs->compare.comparison_direction, x[0], x[1]);
    case CT__OP_select: return x[0].is_truth ? x[x[0].truth ? 1 : 2] : nothing;
    case CT__OP_convert:
    case CT__OP_reshape:
    case CT__OP_broadcast_in_dim: return x[0].is_number ? x[0] : nothing;
    default: return nothing;
    }
}

ct__affine *ct__find_affine(ct__arena *arena, const ct__graph *graph, int64_t length,
                            const ct__affine *param)
{
    walk w = {graph, length, CT__NEW_ARRAY(arena, ct__affine, graph->n_values)};
    for (size_t i = 0; w.value && i < graph->n_params; i++)
        w.value[graph->param[i]] = param[i];
    for (size_t i = 0; w.value && i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        if (node->n_results != 1)
            continue;
        ct__affine y = follow(&w, node);
        if (y.is_number && !fits(&w, ct__graph_type(graph, node->first_result)->dtype, y))
            y.is_number = false;
        w.value[node->first_result] = y;
    }
    return w.value;
}
