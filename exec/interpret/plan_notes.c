/* What is known of a step beside what it needs to run: its nodes, and the bytes that it moves. */
#include "exec/interpret/planner.h"

#include <string.h>

static uint64_t bytes_of(const ct__planner *p, ct__id id)
{
    const ct_type *type = ct__graph_type(p->graph, id);
    return p->repeated[p->root[id]] ? p->s->numerics->element_bytes(type->dtype)
                                    : ct__value_bytes(p->s->numerics, type);
}

bool ct__note_nodes(ct__planner *p, const ct__part *part, ct__step *step)
{
    uint32_t *node = CT__NEW_ARRAY(p->s->arena, uint32_t, part->n_nodes);
    if (!node)
        return ct__plan_fail(p->s, ct__part_node(p, part, 0), CT_ERR_MEMORY);
    memcpy(node, part->node, part->n_nodes * sizeof *node);
    step->node = node;
    step->n_nodes = part->n_nodes;
    return true;
}

void ct__note_fused_bytes(const ct__planner *p, const ct__fused *fused, ct__step *step)
{
    for (size_t i = 0; i < fused->n_inputs; i++)
        step->bytes += bytes_of(p, fused->input[i]);
    for (size_t i = 0; i < fused->n_results; i++)
        step->bytes += bytes_of(p, fused->result[i]);
}

/* An operand that stands twice is read once. */
void ct__note_bytes(ct__planner *p, const ct__part *part, ct__step *step)
{
    const ct__node *node = ct__part_node(p, part, 0);
    const uint32_t index = (uint32_t)(part - p->parting.part);
    for (size_t i = 0; i < node->n_operands; i++) {
        if (p->listed_by[node->operand[i]] != index)
            step->bytes += bytes_of(p, node->operand[i]);
        p->listed_by[node->operand[i]] = index;
    }
    for (size_t i = 0; i < node->n_results; i++)
        step->bytes += bytes_of(p, node->first_result + (ct__id)i);
}
