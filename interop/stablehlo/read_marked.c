#include "interop/stablehlo/loops.h"
#include "interop/stablehlo/read_build.h"

/* ---- What loops have in common that the printer marks: read_scan.c, read_for.c. They count in
 * what they carry first. */

ct_tensor *ct__captured(const ct__region *region, ct__id id)
{
    const ct__graph *graph = region->graph;
    const size_t own = graph->n_params - region->n_captures;
    if (graph->value[id].node != CT__NO_NODE)
        return NULL;
    for (size_t i = 0; i < region->n_captures; i++)
        if (graph->param[own + i] == id)
            return region->capture[i];
    return NULL;
}

static bool literal_is(const ct__literal *literal, int64_t value)
{
    int64_t found;
    return ct__literal_integer(literal, &found) && found == value;
}

bool ct__is_integer(ct__reader *r, const ct__region *region, ct__id id, int64_t value)
{
    ct_tensor *outside = ct__captured(region, id);
    return literal_is(outside ? ct__fold_value(r, outside) : ct__graph_literal(region->graph, id),
                      value);
}

bool ct__counts_up(ct__reader *r, const ct__statement *s, ct__id *limit)
{
    const ct__region *region = &s->region[1];
    const ct__graph *cond = s->region[0].graph, *body = region->graph;
    const ct__node *next = ct__node_with(body, body->result[0], CT__OP_add);
    if (cond->n_results != 1 || !next || next->operand[0] != body->param[0] ||
        !ct__is_integer(r, region, next->operand[1], 1))
        return false;
    const ct__node *below = ct__node_with(cond, cond->result[0], CT__OP_compare);
    if (!below || below->attrs->compare.comparison_direction != CT_LT ||
        below->operand[0] != cond->param[0])
        return false;
    *limit = below->operand[1];
    return literal_is(ct__fold_value(r, s->operand[0]), 0);
}

ct_tensor *ct__param_like(ct__reader *r, const ct__statement *s, ct__id id)
{
    const ct__graph *body = s->region[1].graph;
    const char *name = body->value[id].name;
    ct_tensor *x = ct__trace_param(r->ctx, s->place, ct__graph_type(body, id));
    if (x->kind == CT__TRACED && name)
        ct__trace_name(x, name);
    return x;
}

bool ct__build_raised(ct__reader *r, ct__statement *s, const ct__region *body, ct__op op,
                      const ct__attrs *attrs)
{
    const ct__type_list types = s->result_types;
    ct__region_free(r->ctx, &s->region[0]);
    ct__region_free(r->ctx, &s->region[1]);
    s->region[0] = *body;
    s->n_regions = 1;
    s->has_types = false;
    s->result_types = (ct__type_list){types.count - 1, types.item + 1};
    const bool fine = ct__build_with(r, s, op, attrs);
    s->result_types = types;
    return fine;
}

bool ct__add_first_result(ct__reader *r, ct__statement *s, ct_tensor *x)
{
    ct_tensor **result = CT__NEW_ARRAY(&r->arena, ct_tensor *, s->n_results + 1);
    if (!result)
        return ct__read_fail_memory(r);
    if (x->kind == CT__POISON)
        return ct__read_fail_context(r, s->at);
    result[0] = x;
    for (size_t i = 0; i < s->n_results; i++)
        result[i + 1] = s->result[i];
    s->result = result;
    s->n_results++;
    return true;
}
