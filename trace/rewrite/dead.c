/* What nobody reads: nodes, results of choices and calls, and operands that their bodies do not
 * use. */
#include "trace/rewrite/rewrite.h"

/* ---- Which values are read. */

bool ct__is_live(const ct__node *node, const bool *read)
{
    bool live = ct__node_has_effect(node);
    for (size_t r = 0; !live && r < node->n_results; r++)
        live = read[node->first_result + r];
    return live;
}

const bool *ct__find_read(ct__arena *arena, const ct__graph *graph)
{
    bool *read = CT__NEW_ARRAY(arena, bool, graph->n_values);
    for (size_t i = 0; read && i < graph->n_results; i++)
        read[graph->result[i]] = true;
    for (size_t i = graph->n_nodes; read && i-- > 0;) {
        const ct__node *node = &graph->node[i];
        bool live = ct__is_live(node, read);
        for (size_t k = 0; live && k < node->n_operands; k++)
            read[node->operand[k]] = true;
    }
    return read;
}

/* ---- Bodies with fewer parameters and results. */

typedef struct copier {
    ct__arena *arena;
    const ct__graph *from;
    ct__graph *to;
    ct__id *value; /* of `from`, in `to` */
} copier;

static bool copy_name(const copier *c, ct__id id)
{
    const char *name = c->from->value[id].name;
    ct__value *copy = &c->to->value[c->value[id]];
    copy->name = ct__arena_text(&c->to->arena, name);
    return copy->name || !name;
}

static bool copy_params(copier *c, const bool *keep)
{
    const ct__graph *from = c->from;
    bool *linear = from->linear_param ? CT__NEW_ARRAY(&c->to->arena, bool, from->n_params) : NULL;
    if (from->linear_param && !linear)
        return false;
    for (size_t i = 0; i < from->n_params; i++) {
        ct__id id = from->param[i];
        if (!keep[i])
            continue;
        if (linear)
            linear[c->to->n_params] = from->linear_param[i];
        if (!ct__graph_add_param(c->to, from->value[id].type, &c->value[id]) || !copy_name(c, id))
            return false;
    }
    c->to->linear_param = linear;
    return true;
}

/* Arguments with the leaves that are left of them. */
static bool copy_arguments(copier *c, const bool *keep)
{
    const ct__graph *from = c->from;
    size_t *leaves = CT__NEW_ARRAY(c->arena, size_t, from->n_arguments);
    for (size_t i = 0, param = 0; leaves && i < from->n_arguments; i++)
        for (size_t k = 0; k < from->leaves[i]; k++)
            leaves[i] += keep[param++];
    return leaves && ct__graph_set_arguments(c->to, from->n_arguments, leaves);
}

static bool copy_node(copier *c, const ct__node *node)
{
    ct__node copy = *node;
    ct__id *operand = CT__NEW_ARRAY(c->arena, ct__id, node->n_operands), first;
    const ct_type **type = CT__NEW_ARRAY(c->arena, const ct_type *, node->n_results);
    if (!operand || !type)
        return false;
    for (size_t k = 0; k < node->n_operands; k++)
        operand[k] = c->value[node->operand[k]];
    for (size_t k = 0; k < node->n_results; k++)
        type[k] = ct__graph_type(c->from, node->first_result + (ct__id)k);
    copy.operand = operand;
    if (!ct__graph_add_node(c->to, &copy, type, &first))
        return false;
    for (size_t k = 0; k < node->n_results; k++) {
        c->value[node->first_result + k] = first + (ct__id)k;
        if (!copy_name(c, node->first_result + (ct__id)k))
            return false;
    }
    return true;
}

/* No node needs a parameter that is not kept. */
static bool fill_copy(copier *c, const bool *keep_param, const bool *keep_result)
{
    const ct__graph *from = c->from;
    size_t count = 0;
    c->value = CT__NEW_ARRAY(c->arena, ct__id, from->n_values);
    ct__id *result = CT__NEW_ARRAY(c->arena, ct__id, from->n_results);
    if (!c->value || !result || !copy_params(c, keep_param) || !copy_arguments(c, keep_param))
        return false;
    for (size_t i = 0; i < from->n_nodes; i++)
        if (!copy_node(c, &from->node[i]))
            return false;
    for (size_t i = 0; i < from->n_results; i++)
        if (keep_result[i])
            result[count++] = c->value[from->result[i]];
    return ct__graph_set_results(c->to, count, result) && ct__graph_prune(c->to);
}

static ct__graph *copy_body(ct__pass *p, const ct__graph *from, const bool *keep_param,
                            const bool *keep_result)
{
    copier c = {p->arena, from, ct__graph_new(&p->r->ctx->allocator, from->name), NULL};
    if (c.to && fill_copy(&c, keep_param, keep_result))
        return c.to;
    ct__graph_release(c.to);
    return NULL;
}

/* ---- Nodes. */

/* How a node's operands and results are those of its bodies, and which must stay. */
typedef struct narrowing {
    size_t before;  /* operands that are no parameters */
    size_t n_fixed; /* parameters, and results, that stay in any case */
    size_t n_params, n_results;
    bool *param, *result; /* to keep */
} narrowing;

/* Functions that are called at several places stay as they are. */
static bool may_narrow(const ct__pass *p, const ct__node *node, const ct__graph *body, narrowing *n)
{
    size_t sites;
    *n = (narrowing){.n_results = node->n_results};
    switch (node->op) {
    case CT__OP_if:
    case CT__OP_case: n->before = 1; break;
    case CT__OP_scan: n->n_fixed = (size_t)node->attrs->scan.n_carry; break;
    case CT__OP_call:
        if (!ct__lookup_find(&p->r->sites, (uintptr_t)body, 0, &sites) || sites > 0)
            return false;
        break;
    default: return false;
    }
    n->n_params = node->n_operands - n->before;
    for (size_t i = 0; i < node->n_regions; i++)
        if (node->region[i]->notes.param || node->region[i]->notes.result)
            return false;
    return node->n_regions > 0 && !ct__node_has_effect(node);
}

/* Flags the parameters that the body uses. */
static void find_used(const ct__graph *body, const narrowing *n, bool *used)
{
    for (size_t i = 0; i < body->n_nodes; i++)
        for (size_t k = 0; k < body->node[i].n_operands; k++)
            used[body->node[i].operand[k]] = true;
    for (size_t i = 0; i < body->n_results; i++)
        used[body->result[i]] = true;
    for (size_t i = 0; i < n->n_params; i++)
        n->param[i] = n->param[i] || i < n->n_fixed || used[body->param[i]];
}

static bool all_of(const bool *list, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++)
        all = all && list[i];
    return all;
}

static bool *all_kept(ct__pass *p, size_t count)
{
    bool *all = CT__NEW_ARRAY(p->arena, bool, count);
    for (size_t i = 0; all && i < count; i++)
        all[i] = true;
    return all;
}

/* Each region by its narrowed copy, listed with the rewriter. */
static bool narrow_regions(ct__pass *p, ct__graph **region, size_t count, const bool *param,
                           const bool *result)
{
    for (size_t i = 0; i < count; i++) {
        ct__graph *copy = copy_body(p, region[i], param, result);
        region[i] = copy ? ct__list_body(p->r, copy) : NULL;
        if (!region[i])
            return false;
    }
    return true;
}

/* Leave out what is not kept; attributes that count it follow. */
static bool narrow_node(ct__pass *p, ct__node *node, const narrowing *n)
{
    ct__id *operand = CT__NEW_ARRAY(p->arena, ct__id, node->n_operands);
    ct__attrs *attrs = ct__arena_copy(p->arena, node->attrs, sizeof *attrs);
    size_t count = 0;
    if (!operand || !attrs)
        return false;
    for (size_t i = 0; i < node->n_operands; i++) {
        if (i < n->before || n->param[i - n->before])
            operand[count++] = node->operand[i];
        else if (node->op == CT__OP_scan &&
                 i < (size_t)(node->attrs->scan.n_carry + node->attrs->scan.n_inputs))
            attrs->scan.n_inputs--;
    }
    node->operand = operand;
    node->n_operands = (uint32_t)count;
    node->attrs = attrs;
    p->n_changes++;
    return true;
}

bool ct__narrow(ct__pass *p, ct__node *node, const ct__graph *source, bool *keep)
{
    narrowing n;
    if (!may_narrow(p, node, source, &n)) {
        for (size_t i = 0; i < node->n_results; i++)
            keep[i] = true;
        return true;
    }
    for (size_t i = 0; i < n.n_fixed && i < n.n_results; i++)
        keep[i] = true;
    ct__graph **region = ct__arena_copy(p->arena, node->region, node->n_regions * sizeof *region);
    n.param = CT__NEW_ARRAY(p->arena, bool, n.n_params);
    bool *params = all_kept(p, n.n_params), *results = all_kept(p, n.n_results);
    if (!region || !n.param || !params || !results)
        return false;
    if (!all_of(keep, n.n_results) && !narrow_regions(p, region, node->n_regions, params, keep))
        return false;
    for (size_t i = 0; i < node->n_regions; i++) {
        bool *used = CT__NEW_ARRAY(p->arena, bool, region[i]->n_values);
        if (!used)
            return false;
        find_used(region[i], &n, used);
    }
    bool all_params = all_of(n.param, n.n_params);
    if (!all_params && !narrow_regions(p, region, node->n_regions, n.param, results))
        return false;
    node->region = region;
    return (all_params && all_of(keep, n.n_results)) || narrow_node(p, node, &n);
}
