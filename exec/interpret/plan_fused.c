/* What is run as one step: each node, or parts of several nodes as an executor divides the graph.
 */
#include "exec/interpret/planner.h"

#include <assert.h>

/* Whether nothing is to be done: it is read where it is, or a constant, if only of one element. */
static bool is_done(const ct__planner *p, const ct__node *node)
{
    return ct__is_identity(node->op) || (node->n_results == 1 && p->is_view[node->first_result]) ||
           (node->n_results == 1 && p->home[node->first_result].kind == CT__IN_CONSTANT);
}

bool ct__divide_plainly(ct__parting *to)
{
    uint32_t *node = CT__NEW_ARRAY(to->arena, uint32_t, to->graph->n_nodes);
    to->part = CT__NEW_ARRAY(to->arena, ct__part, to->graph->n_nodes);
    for (uint32_t i = 0; node && to->part && i < to->graph->n_nodes; i++) {
        node[i] = i;
        if (!to->done[i])
            to->part[to->n_parts++] = (ct__part){1, &node[i], 1, false, NULL};
    }
    return node && to->part;
}

/* What identities and slices that are read in place hand on. */
static void follow_views(const ct__planner *p, ct__id *same, ct__id *made)
{
    for (size_t id = 0; id < p->graph->n_values; id++)
        same[id] = made[id] = (ct__id)id;
    for (size_t i = 0; i < p->graph->n_nodes; i++) {
        const ct__node *node = &p->graph->node[i];
        for (size_t r = 0; r < node->n_results; r++) {
            const ct__id id = node->first_result + (ct__id)r;
            if (!p->is_view[id])
                continue;
            made[id] = made[node->operand[r]];
            same[id] = ct__is_identity(node->op) ? same[node->operand[r]] : id;
        }
    }
}

bool ct__find_parts(ct__planner *p)
{
    ct__arena *scratch = &p->s->scratch;
    bool *done = CT__NEW_ARRAY(scratch, bool, p->graph->n_nodes);
    ct__id *same = CT__NEW_ARRAY(scratch, ct__id, p->graph->n_values);
    ct__id *made = CT__NEW_ARRAY(scratch, ct__id, p->graph->n_values);
    const ct__index_view **view = CT__NEW_ARRAY(scratch, const ct__index_view *,
                                                p->graph->n_values);
    const int64_t **strides = CT__NEW_ARRAY(scratch, const int64_t *, p->graph->n_values);
    if (!done || !same || !made || !view || !strides)
        return ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
    for (size_t i = 0; i < p->graph->n_nodes; i++)
        done[i] = is_done(p, &p->graph->node[i]);
    follow_views(p, same, made);
    p->parting = (ct__parting){.graph = p->graph,
                               .same = same,
                               .made = made,
                               .view = view,
                               .strides = strides,
                               .done = done,
                               .off = p->s->off,
                               .arena = scratch};
    if (!(p->s->fusion ? p->s->fusion->divide : ct__divide_plainly)(&p->parting))
        return ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
    assert(ct__parts_are_sound(&p->parting));
    return true;
}

const ct__node *ct__part_node(const ct__planner *p, const ct__part *part, size_t i)
{
    return &p->graph->node[part->node[i]];
}

size_t ct__read_values(const ct__planner *p, ct__id id, ct__id read[2])
{
    const ct__index_view *view = p->parting.view[p->parting.same[id]];
    read[0] = view ? view->base : p->parting.same[id];
    if (view && view->is_partial)
        read[1] = view->fill;
    return view && view->is_partial ? 2 : 1;
}

/* Whether only the part that makes a value uses it, so that it needs no memory outside: in a part
 * that is fused. */
static bool is_inside(const ct__planner *p, ct__id id)
{
    return p->root[id] == id && p->home[id].kind == CT__IN_FRAME &&
           (p->last_use[id] == p->made_by[id] || p->last_use[id] == CT__UNUSED);
}

void ct__note_made(ct__planner *p, const ct__part *part)
{
    for (size_t k = 0; k < part->n_nodes; k++)
        for (size_t r = 0; r < ct__part_node(p, part, k)->n_results; r++)
            p->listed_by[ct__part_node(p, part, k)->first_result + r] = (uint32_t)(part -
                                                                                   p->parting.part);
}

/* The value as an input, if the part finds it made and has not listed it. */
static void list_input(ct__planner *p, uint32_t part, ct__id id, ct__fused *fused, ct__id *input,
                       bool *is_repeated)
{
    if (p->listed_by[id] == part)
        return;
    p->listed_by[id] = part;
    is_repeated[fused->n_inputs] = p->repeated[p->root[id]];
    input[fused->n_inputs++] = id;
}

static void list_inputs(ct__planner *p, const ct__part *part, ct__fused *fused, ct__id *input,
                        bool *is_repeated)
{
    ct__id read[2];
    ct__note_made(p, part);
    for (size_t k = 0; k < part->n_nodes; k++) {
        const ct__node *node = ct__part_node(p, part, k);
        for (size_t j = 0; j < node->n_operands; j++)
            for (size_t n = ct__read_values(p, node->operand[j], read); n > 0; n--)
                list_input(p, (uint32_t)(part - p->parting.part), read[n - 1], fused, input,
                           is_repeated);
    }
}

static bool find_ends(ct__planner *p, const ct__part *part, ct__fused *fused)
{
    ct__arena *scratch = &p->s->scratch;
    size_t most = 0;
    for (size_t k = 0; k < part->n_nodes; k++)
        most += 2 * ct__part_node(p, part, k)->n_operands;
    ct__id *input = CT__NEW_ARRAY(scratch, ct__id, most);
    ct__id *result = CT__NEW_ARRAY(scratch, ct__id, part->n_nodes);
    bool *is_repeated = CT__NEW_ARRAY(scratch, bool, most);
    if (!input || !result || !is_repeated)
        return ct__plan_fail(p->s, ct__part_node(p, part, 0), CT_ERR_MEMORY);
    list_inputs(p, part, fused, input, is_repeated);
    for (size_t k = 0; k < part->n_nodes; k++)
        if (!(part->is_again && part->is_again[k]) &&
            !is_inside(p, ct__part_node(p, part, k)->first_result))
            result[fused->n_results++] = ct__part_node(p, part, k)->first_result;
    fused->input = input;
    fused->is_repeated = is_repeated;
    fused->result = result;
    return true;
}

static ct_status place_fused(ct__planner *p, const ct__fused *fused, size_t scratch, ct__step *step)
{
    ct_status status = CT_OK;
    for (size_t i = 0; i < fused->n_results && status == CT_OK; i++)
        status = ct__place_result(p, fused->result[i]);
    if (status == CT_OK)
        status = ct__plan_take(p, scratch, &step->scratch_at);
    return status == CT_OK ? ct__frame_give(&p->frame, step->scratch_at) : status;
}

bool ct__plan_fused(ct__planner *p, const ct__part *part)
{
    ct__plan *plan = p->plan;
    ct__step *step = &plan->step[plan->n_steps++];
    const ct__node *first = ct__part_node(p, part, 0);
    ct__fused fused = {.parting = &p->parting,
                       .part = part,
                       .fusion = p->s->fusion,
                       .numerics = p->s->numerics,
                       .plain_products = p->s->plain_products,
                       .threads = p->s->threads};
    size_t scratch = 0;
    if (!find_ends(p, part, &fused))
        return false;
    step->fused = p->s->fusion->prepare(&fused, p->s->arena, &scratch);
    if (!step->fused)
        return ct__plan_fail(p->s, first, CT_ERR_MEMORY);
    ct_status status = place_fused(p, &fused, scratch, step);
    if (status != CT_OK)
        return ct__plan_fail(p->s, first, status);
    step->operands_at = plan->n_operands;
    step->results_at = plan->n_results;
    for (size_t i = 0; i < fused.n_inputs; i++)
        if (!ct__plan_operand(p, ct__home_of(p, fused.input[i])))
            return false;
    for (size_t i = 0; i < fused.n_results; i++)
        if (!ct__plan_result(p, ct__home_of(p, fused.result[i])))
            return false;
    ct__note_fused_bytes(p, &fused, step);
    return ct__note_nodes(p, part, step);
}
