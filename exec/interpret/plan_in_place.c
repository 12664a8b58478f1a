/* Results in place of operands. Where a node can write its result over an operand that nobody needs
 * afterwards, the result is where the operand is, and the node changes only what differs: both
 * become one root. In a body, a chain of such nodes may begin in a parameter and end in a result;
 * then the result is where the parameter is, which ct__plan_over tells the caller, who gives both
 * one address, with a copy where the operand lives on.
 *
 * Lifetimes are counted in parts, the order of a run: whoever reads the operand before reads it
 * unchanged. */
#include "exec/interpret/planner.h"

/* ---- What a node can do by itself. */

/* The pairs that a node allows its body. */
static ct__pairing pairing_of(const ct__node *node, size_t region)
{
    switch (node->op) {
    case CT__OP_for: return (ct__pairing){.first = 1, .count = node->n_results};
    case CT__OP_scan: return (ct__pairing){.count = (size_t)node->attrs->scan.n_carry};
    case CT__OP_while: return (ct__pairing){.count = region == 1 ? node->n_results : 0};
    case CT__OP_if:
    case CT__OP_case: return (ct__pairing){.any = true};
    default: return (ct__pairing){.any = ct__has(node->op, CT__CALLS)};
    }
}

static bool plan_bodies(ct__planner *p, uint32_t index)
{
    const ct__node *node = &p->graph->node[index];
    const size_t n = ct__running_regions(node);
    if (n == 0)
        return true;
    ct__plan **body = CT__NEW_ARRAY(p->s->arena, ct__plan *, n);
    if (!body)
        return ct__plan_fail(p->s, node, CT_ERR_MEMORY);
    p->body[index] = body;
    for (size_t r = 0; r < n; r++) {
        body[r] = ct__plan_body(p->s, node->region[r], pairing_of(node, r));
        if (!body[r])
            return p->s->error->status != CT_OK ? false : ct__plan_fail(p->s, node, CT_ERR_MEMORY);
    }
    return true;
}

/* The operand over which all bodies that may run put result j. */
static bool body_over(const ct__planner *p, uint32_t index, size_t j, size_t *operand)
{
    const ct__node *node = &p->graph->node[index];
    const bool chooses = node->op == CT__OP_if || node->op == CT__OP_case;
    for (size_t r = node->op == CT__OP_while; r < ct__running_regions(node); r++) {
        const size_t *over = ct__plan_over(p->body[index][r]);
        if (!over || over[j] == SIZE_MAX || (r > 0 && chooses && over[j] + 1 != *operand))
            return false;
        *operand = over[j] + chooses;
    }
    return true;
}

/* The operand over which the node can write result j. */
static bool node_over(const ct__planner *p, uint32_t index, size_t j, size_t *operand)
{
    const ct__node *node = &p->graph->node[index];
    *operand = j;
    if (j < ct__updated_operands(node))
        return true;
    return ct__has(node->op, CT__CONTROL) && node->n_regions > 0 && body_over(p, index, j, operand);
}

/* ---- Whether lifetimes allow it. */

static size_t bytes_of(const ct__planner *p, ct__id id)
{
    return ct__value_bytes(p->s->numerics, ct__graph_type(p->graph, id));
}

/* Whether the value is all of its root. */
static bool is_whole(const ct__planner *p, ct__id id)
{
    return p->offset[id] == 0 && bytes_of(p, id) == bytes_of(p, p->root[id]);
}

/* Whether the root, which a node alone makes, may be where an operand of it is: *with, a root. */
static bool is_over(const ct__planner *p, ct__id y, ct__id *with)
{
    const ct__parting *parting = &p->parting;
    size_t operand;
    if (p->made_by[y] == CT__NONE || parting->part[p->made_by[y]].n_nodes > 1 ||
        !ct__has_plain_elements(ct__graph_type(p->graph, y)))
        return false;
    const uint32_t index = parting->part[p->made_by[y]].node[0];
    const ct__node *node = &p->graph->node[index];
    if (!node_over(p, index, y - node->first_result, &operand))
        return false;
    const ct__id x = node->operand[operand];
    *with = p->root[x];
    for (size_t i = 0; i < node->n_operands; i++)
        if (i != operand && p->root[node->operand[i]] == *with)
            return false;
    return p->last_use[*with] == p->made_by[y] && !p->repeated[*with] &&
           p->home[*with].kind != CT__IN_CONSTANT && is_whole(p, x) &&
           bytes_of(p, x) == bytes_of(p, y);
}

/* ---- Chains from a parameter to a result. */

static bool allows(const ct__pairing *pairs, size_t result, size_t param)
{
    return pairs->any || (result < pairs->count && param == pairs->first + result);
}

/* The root in which the chain begins that ends in y. */
static ct__id begin_of_chain(const ct__planner *p, ct__id y)
{
    ct__id with;
    while (is_over(p, y, &with))
        y = with;
    return y;
}

/* The chain that ends in y takes the place of the parameter in which it begins. */
static void take_param(ct__planner *p, ct__id y)
{
    for (ct__id with; is_over(p, y, &with); y = with)
        p->takes_param[y] = true;
}

static bool find_chains(ct__planner *p, const ct__pairing *pairs)
{
    const ct__graph *graph = p->graph;
    if (!pairs->any && pairs->count == 0)
        return true;
    size_t *over = CT__NEW_ARRAY(p->s->arena, size_t, graph->n_results);
    bool *taken = CT__NEW_ARRAY(&p->s->scratch, bool, graph->n_params);
    if (!over || !taken)
        return ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
    for (size_t j = 0; j < graph->n_results; j++)
        over[j] = SIZE_MAX;
    for (size_t j = 0; j < graph->n_results; j++) {
        const ct__id y = graph->result[j];
        const ct__home *home = &p->home[begin_of_chain(p, p->root[y])];
        if (home->kind != CT__IN_PARAM || taken[home->index] || !is_whole(p, y) ||
            !ct__has_plain_elements(ct__graph_type(graph, y)) || !allows(pairs, j, home->index))
            continue;
        taken[home->index] = true;
        over[j] = home->index;
        p->over = over;
        take_param(p, p->root[y]);
    }
    return true;
}

/* ---- Joining roots, in the order of parts. */

static void join(ct__planner *p, ct__id y, ct__id with)
{
    const ct__id x = p->root[with]; /* which may have been joined itself */
    if (p->home[x].kind == CT__IN_PARAM && !p->takes_param[y])
        return;
    if (p->home[x].kind == CT__IN_FRAME)
        p->home[x] = p->home[y];
    p->last_use[x] = p->last_use[y] == CT__UNUSED ? p->made_by[y] : p->last_use[y];
    p->root[y] = x;
}

bool ct__find_in_place(ct__planner *p, const ct__pairing *pairs)
{
    const ct__parting *parting = &p->parting;
    ct__id *with = CT__NEW_ARRAY(&p->s->scratch, ct__id, p->graph->n_values);
    if (!with)
        return ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
    for (size_t i = 0; i < parting->n_parts; i++)
        if (parting->part[i].n_nodes == 1 && !plan_bodies(p, parting->part[i].node[0]))
            return false;
    if (!find_chains(p, pairs))
        return false;
    for (ct__id id = 0; id < p->graph->n_values; id++)
        if (p->root[id] != id || !is_over(p, id, &with[id]))
            with[id] = id;
    for (size_t i = 0; i < parting->n_parts; i++) {
        const ct__node *node = ct__part_node(p, &parting->part[i], 0);
        for (ct__id y = node->first_result; y < node->first_result + node->n_results; y++)
            if (with[y] != y)
                join(p, y, with[y]);
    }
    for (size_t id = 0; id < p->graph->n_values; id++)
        p->root[id] = p->root[p->root[id]];
    return true;
}
