/* Whether a graph is divided soundly: what debug builds check before they make a plan of it. */
#include "exec/interpret/interpret.h"

/* Whether the node that makes a value has been run, or none must be. */
static bool is_there(const ct__parting *parting, const bool *is_made, ct__id id)
{
    const uint32_t node = parting->graph->value[parting->made[id]].node;
    return node == CT__NO_NODE || parting->done[node] || is_made[node];
}

static bool has_operands(const ct__parting *parting, const bool *is_made, uint32_t node)
{
    const ct__node *n = &parting->graph->node[node];
    bool has = true;
    for (size_t k = 0; has && k < n->n_operands; k++) {
        const ct__id id = parting->same[n->operand[k]];
        const ct__index_view *view = parting->view[id];
        has = is_there(parting, is_made, view ? view->base : id) &&
              (!view || !view->is_partial || is_there(parting, is_made, view->fill));
    }
    return has;
}

static bool take_part(const ct__parting *parting, const ct__part *part, bool *is_made)
{
    for (size_t k = 0; k < part->n_nodes; k++) {
        const uint32_t node = part->node[k];
        const bool is_again = part->is_again && part->is_again[k];
        if (parting->done[node] || is_made[node] != is_again ||
            !has_operands(parting, is_made, node))
            return false;
        is_made[node] = true;
    }
    return true;
}

/* In memory of the C library, for plans are the same where nobody looks; without it all is well. */
bool ct__parts_are_sound(const ct__parting *parting)
{
    const size_t bytes = parting->graph->n_nodes * sizeof(bool);
    bool *is_made = ct__alloc_zeroed(&ct__libc_allocator, bytes);
    bool sound = true;
    for (size_t i = 0; is_made && sound && i < parting->n_parts; i++)
        sound = take_part(parting, &parting->part[i], is_made);
    for (size_t i = 0; is_made && sound && i < parting->graph->n_nodes; i++)
        sound = is_made[i] || parting->done[i];
    ct__release(&ct__libc_allocator, is_made, bytes);
    return sound;
}
