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

static bool is_in_place(const ct__planner *p, const ct__node *node, size_t i)
{
    return i < ct__updated_operands(node) &&
           p->root[node->operand[i]] == p->root[node->first_result + i];
}

/* What is written where result i is in place of operand i, and read where it is combined with what
 * was there. */
static uint64_t window_bytes(const ct__planner *p, const ct__node *node, size_t i)
{
    return (ct__combines_updates(node) ? 2 : 1) * bytes_of(p, ct__update_of(node, i));
}

/* Of an operand: what moves data reads no more of the first than it makes. */
static uint64_t read_bytes(const ct__planner *p, const ct__node *node, size_t i)
{
    const uint64_t bytes = bytes_of(p, node->operand[i]);
    if (i > 0 || !ct__has(node->op, CT__MOVES_DATA) || node->n_results != 1)
        return bytes;
    const uint64_t made = bytes_of(p, node->first_result);
    return made < bytes ? made : bytes;
}

/* An operand that stands twice is read once. */
void ct__note_bytes(ct__planner *p, const ct__part *part, ct__step *step)
{
    const ct__node *node = ct__part_node(p, part, 0);
    const uint32_t index = (uint32_t)(part - p->parting.part);
    for (size_t i = 0; i < node->n_operands; i++) {
        if (p->listed_by[node->operand[i]] != index && !is_in_place(p, node, i))
            step->bytes += read_bytes(p, node, i);
        p->listed_by[node->operand[i]] = index;
    }
    for (size_t i = 0; i < node->n_results; i++)
        step->bytes += is_in_place(p, node, i) ? window_bytes(p, node, i)
                                               : bytes_of(p, node->first_result + (ct__id)i);
}
