/* What is computed again, where it is needed once more, instead of being kept: a large value that
 * is cheap to compute from parameters, constants and single elements. What is computed again is
 * made of nothing that is, so the work is bounded. */
#include "exec/cpu/divide.h"
#include "exec/passes/passes.h"

enum {
    MOST_COST = 16,        /* of one value */
    MOST_USERS = 2,        /* that it may have outside */
    LEAST_BYTES = 1 << 20, /* which no cache keeps for long */
};

typedef struct cone {
    ct__divider *d;
    const ct__collection *c;
    int cost;
    ct__again again;
} cone;

/* Parameters, constants and single elements are there whenever they are needed. */
static bool stays_there(const ct__divider *d, ct__id id)
{
    const ct__graph *graph = d->to->graph;
    const ct__index_view *view = d->to->view[id];
    const ct__id base = view ? view->base : id;
    const uint32_t maker = graph->value[base].node;
    return maker == CT__NO_NODE || graph->node[maker].op == CT__OP_constant ||
           graph->value[base].type->size == 1;
}

static bool is_listed(const ct__again *again, uint32_t node)
{
    for (size_t i = 0; i < again->n_nodes; i++)
        if (again->node[i] == node)
            return true;
    return false;
}

/* Lists the nodes of the collection that the value needs, operands first. */
static bool collect(cone *k, ct__id id)
{
    const ct__divider *d = k->d;
    const ct__graph *graph = d->to->graph;
    id = d->to->same[id];
    const uint32_t index = graph->value[id].node;
    if (d->of[id] != k->c || d->to->view[id])
        return stays_there(d, id);
    if (is_listed(&k->again, index))
        return true;
    const ct__node *node = &graph->node[index];
    k->cost += ct__cost_of(node->op);
    if (!ct__has(node->op, CT__ELEMENTWISE) || k->cost > MOST_COST ||
        graph->value[id].type->size != k->c->size)
        return false;
    for (size_t i = 0; i < node->n_operands; i++)
        if (!collect(k, node->operand[i]))
            return false;
    if (k->again.n_nodes == CT__MOST_AGAIN)
        return false;
    k->again.node[k->again.n_nodes++] = index;
    return true;
}

static bool has_operand_of(const ct__graph *graph, const ct__node *node, uint32_t i)
{
    for (size_t k = 0; k < node->n_operands; k++)
        if (graph->value[node->operand[k]].node == i)
            return true;
    return false;
}

/* How many nodes outside of the collection need node i's result element by element; more than
 * MOST_USERS: or one needs it otherwise. */
static size_t count_users(const ct__divider *d, const ct__collection *c, uint32_t i)
{
    const ct__graph *graph = d->to->graph;
    size_t count = 0;
    for (uint32_t k = d->first_user[i]; k < d->first_user[i + 1] && count <= MOST_USERS; k++) {
        const uint32_t user = d->user[k];
        const ct__node *node = &graph->node[user];
        if (!has_operand_of(graph, node, i)) /* it comes behind for another reason */
            continue;
        if (ct__is_identity(node->op))
            count += count_users(d, c, user);
        else if (d->of[node->first_result] == c)
            continue;
        else if (d->to->done[user] || !ct__part_is_elementwise(d, node) ||
                 graph->value[node->first_result].type->size != c->size)
            count = MOST_USERS + 1;
        else
            count++;
    }
    return count;
}

static bool is_worth(const ct__divider *d, const ct__collection *c, ct__id id, uint32_t i)
{
    const ct_type *type = ct__graph_type(d->to->graph, id);
    if ((size_t)type->size < LEAST_BYTES / ct_dtype_bytes(type->dtype) || type->size != c->size ||
        d->is_result[id] || d->again[id])
        return false;
    const size_t users = count_users(d, c, i);
    return users > 0 && users <= MOST_USERS;
}

bool ct__find_again(ct__divider *d, const ct__collection *c)
{
    for (size_t i = 0; i < c->n_nodes; i++) {
        const ct__id id = d->to->graph->node[c->node[i]].first_result;
        cone k = {.d = d, .c = c};
        if (!is_worth(d, c, id, c->node[i]) || !collect(&k, id))
            continue;
        d->again[id] = ct__arena_copy(d->to->arena, &k.again, sizeof k.again);
        if (!d->again[id])
            return false;
    }
    return true;
}

/* ---- Where it is needed. */

static const ct__again *again_of(const ct__divider *d, ct__id id)
{
    id = d->to->same[id];
    return d->of[id] ? NULL : d->again[id];
}

size_t ct__count_again(const ct__divider *d, const ct__node *node)
{
    size_t count = 0;
    for (size_t k = 0; k < node->n_operands; k++) {
        const ct__again *again = again_of(d, node->operand[k]);
        count += again ? again->n_nodes : 0;
    }
    return count;
}

void ct__take_again(ct__divider *d, ct__collection *c, const ct__node *node)
{
    for (size_t k = 0; k < node->n_operands; k++) {
        const ct__again *again = again_of(d, node->operand[k]);
        for (size_t i = 0; again && i < again->n_nodes; i++) {
            const ct__id id = d->to->graph->node[again->node[i]].first_result;
            if (d->of[id])
                continue;
            d->of[id] = c;
            c->is_again[c->n_nodes] = true;
            c->node[c->n_nodes++] = again->node[i];
        }
    }
}
