/* What is run as one step: each node, or parts of several nodes as an executor divides the graph.
 */
#include "exec/interpret/planner.h"

/* Whether nothing is to be done: an identity, or a constant, if only of one element. */
static bool is_done(const ct__planner *p, const ct__node *node)
{
    return ct__is_identity(node->op) ||
           (node->n_results == 1 && p->home[node->first_result].kind == CT__IN_CONSTANT);
}

/* A part for each node. */
static bool divide_plainly(ct__parting *to)
{
    uint32_t *node = CT__NEW_ARRAY(to->arena, uint32_t, to->graph->n_nodes);
    to->part = CT__NEW_ARRAY(to->arena, ct__part, to->graph->n_nodes);
    for (uint32_t i = 0; node && to->part && i < to->graph->n_nodes; i++) {
        node[i] = i;
        if (!to->done[i])
            to->part[to->n_parts++] = (ct__part){1, &node[i], 1};
    }
    return node && to->part;
}

bool ct__find_parts(ct__planner *p)
{
    bool *done = CT__NEW_ARRAY(&p->s->scratch, bool, p->graph->n_nodes);
    for (size_t i = 0; done && i < p->graph->n_nodes; i++)
        done[i] = is_done(p, &p->graph->node[i]);
    p->parting = (ct__parting){
        .graph = p->graph, .root = p->root, .done = done, .arena = &p->s->scratch};
    return (done && (p->s->fusion ? p->s->fusion->divide : divide_plainly)(&p->parting)) ||
           ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
}

const ct__node *ct__part_node(const ct__planner *p, const ct__part *part, size_t i)
{
    return &p->graph->node[part->node[i]];
}

/* Whether only the part that makes a root uses it, so that it needs no memory outside: in a part of
 * several nodes. */
static bool is_inside(const ct__planner *p, ct__id root)
{
    return p->last_use[root] == p->made_by[root] || p->last_use[root] == CT__UNUSED;
}

/* Roots that a part finds made, and those that it makes for others. */
static bool find_ends(ct__planner *p, const ct__part *part, ct__fused *fused)
{
    ct__arena *scratch = &p->s->scratch;
    size_t most = 0;
    for (size_t k = 0; k < part->n_nodes; k++)
        most += ct__part_node(p, part, k)->n_operands;
    ct__id *input = CT__NEW_ARRAY(scratch, ct__id, most);
    ct__id *result = CT__NEW_ARRAY(scratch, ct__id, part->n_nodes);
    bool *is_repeated = CT__NEW_ARRAY(scratch, bool, most);
    const uint32_t index = (uint32_t)(part - p->parting.part);
    if (!input || !result || !is_repeated)
        return ct__plan_fail(p->s, ct__part_node(p, part, 0), CT_ERR_MEMORY);
    for (size_t k = 0; k < part->n_nodes; k++) {
        const ct__node *node = ct__part_node(p, part, k);
        for (size_t j = 0; j < node->n_operands; j++) {
            const ct__id root = p->root[node->operand[j]];
            if (p->made_by[root] == index || p->listed_by[root] == index)
                continue;
            p->listed_by[root] = index;
            is_repeated[fused->n_inputs] = p->repeated[root];
            input[fused->n_inputs++] = root;
        }
        if (!is_inside(p, node->first_result))
            result[fused->n_results++] = node->first_result;
    }
    fused->input = input;
    fused->is_repeated = is_repeated;
    fused->result = result;
    return true;
}

bool ct__plan_fused(ct__planner *p, const ct__part *part)
{
    ct__plan *plan = p->plan;
    ct__step *step = &plan->step[plan->n_steps++];
    const ct__node *first = ct__part_node(p, part, 0);
    ct__fused fused = {.parting = &p->parting,
                       .part = part,
                       .numerics = p->s->numerics,
                       .plain_products = p->s->plain_products};
    size_t scratch = 0;
    ct_status status = CT_OK;
    if (!find_ends(p, part, &fused))
        return false;
    step->fused = p->s->fusion->prepare(&fused, p->s->arena, &scratch);
    if (!step->fused)
        return ct__plan_fail(p->s, first, CT_ERR_MEMORY);
    for (size_t i = 0; i < fused.n_results && status == CT_OK; i++)
        status = ct__place_result(p, fused.result[i]);
    if (status == CT_OK)
        status = ct__plan_take(p, scratch, &scratch, &step->scratch_at);
    if (status == CT_OK)
        status = ct__layout_give(&p->layout, step->scratch_at, scratch);
    step->operands_at = plan->n_operands;
    step->results_at = plan->n_results;
    for (size_t i = 0; i < fused.n_inputs; i++)
        plan->operand[plan->n_operands++] = p->home[fused.input[i]];
    for (size_t i = 0; i < fused.n_results; i++)
        plan->result[plan->n_results++] = p->home[fused.result[i]];
    return status == CT_OK || ct__plan_fail(p->s, first, status);
}
