/* Bodies that certainly run once, in the place of the node that has them. */
#include "trace/rewrite/rewrite.h"

#include <string.h>

/* Record the body's nodes on these arguments; its results become the site's. */
static ct__outcome expand(ct__site *s, const ct__graph *body, const ct__id *argument)
{
    ct__id *value = CT__NEW_ARRAY(s->p->arena, ct__id, body->n_values);
    if (!value)
        return CT__NO_ROOM;
    for (size_t i = 0; i < body->n_params; i++)
        value[body->param[i]] = argument[i];
    for (size_t i = 0; i < body->n_nodes; i++)
        if (!ct__emit_copy(s->p, body, &body->node[i], value, NULL))
            return CT__NO_ROOM;
    for (size_t i = 0; i < body->n_results; i++)
        s->result[i] = value[body->result[i]];
    return CT__REPLACED;
}

/* ---- Choices by a constant. */

static ct__outcome expand_if(ct__site *s)
{
    const unsigned char *pred = ct__splat_of(s->p, s->node.operand[0]);
    if (!pred)
        return CT__STAYS;
    return expand(s, s->node.region[*pred ? 0 : 1], s->node.operand + 1);
}

/* An index out of range chooses the last branch. */
static ct__outcome expand_case(ct__site *s)
{
    const void *element = ct__splat_of(s->p, s->node.operand[0]);
    const int64_t last = (int64_t)s->node.n_regions - 1;
    const ct_dtype dtype = ct__type_of(s->p, s->node.operand[0])->dtype;
    if (!element)
        return CT__STAYS;
    int64_t index = ct__index_in_range(dtype, element, last) ? ct__clamp_index(dtype, element, last)
                                                             : last;
    return expand(s, s->node.region[index], s->node.operand + 1);
}

/* The carried values as they come. */
static ct__outcome keep_carry(ct__site *s)
{
    memcpy(s->result, s->node.operand, s->node.n_results * sizeof *s->result);
    return CT__REPLACED;
}

static ct__outcome expand_while(ct__site *s)
{
    const ct__graph *cond = s->node.region[0];
    const ct__literal *again = ct__graph_literal(cond, cond->result[0]);
    bool never = again && !cond->has_effect && !*(const unsigned char *)ct__literal_first(again);
    return never ? keep_carry(s) : CT__STAYS;
}

static ct__outcome expand_scan(ct__site *s)
{
    const struct ct__attrs_scan *a = &s->node.attrs->scan;
    bool never = a->length == 0 && (size_t)a->n_carry == s->node.n_results;
    return never ? keep_carry(s) : CT__STAYS;
}

/* ---- Calls. */

/* A call with more than its function, as rules of its own, stays. */
bool ct__is_expanded(const ct__pass *p, const ct__node *node)
{
    const ct__rewriter *r = p->r;
    size_t sites = 0, others = p->n_expected - 1;
    if (!ct__asks(r, CT__REWRITE_CALLS | CT__REWRITE_SINGLE_CALLS) ||
        !ct__has(node->op, CT__CALLS) || node->n_regions != 1 ||
        ct__is_checkpoint(node->op, node->attrs))
        return false;
    if (ct__asks(r, CT__REWRITE_SINGLE_CALLS) &&
        (node->op != CT__OP_call ||
         !ct__lookup_find(&r->sites, (uintptr_t)node->region[0], 0, &sites) || sites > 0))
        return false;
    size_t own = node->region[0]->n_all_nodes;
    return others <= r->operations && own <= r->operations - others;
}

/* The body has not been rewritten: its nodes are, one by one, where they are recorded. */
static ct__outcome expand_call(ct__site *s)
{
    s->p->n_expected += s->node.region[0]->n_all_nodes - 1;
    return expand(s, s->node.region[0], s->node.operand);
}

/* How many nodes have each body, less one; a body's own are counted once. */
bool ct__count_sites(ct__rewriter *r, const ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < graph->node[i].n_regions; k++) {
            const ct__graph *body = graph->node[i].region[k];
            size_t sites;
            if (ct__lookup_find(&r->sites, (uintptr_t)body, 0, &sites)) {
                ct__lookup_set(&r->sites, (uintptr_t)body, 0, sites + 1);
                continue;
            }
            if (!ct__lookup_reserve(&r->ctx->allocator, &r->sites))
                return false;
            ct__lookup_add(&r->sites, (uintptr_t)body, 0, 0);
            if (!ct__count_sites(r, body))
                return false;
        }
    return true;
}

ct__outcome ct__expand(ct__site *s)
{
    if (ct__is_expanded(s->p, &s->node))
        return expand_call(s);
    if (!ct__asks(s->p->r, CT_REWRITE_BRANCHES))
        return CT__STAYS;
    switch (s->node.op) {
    case CT__OP_if: return expand_if(s);
    case CT__OP_case: return expand_case(s);
    case CT__OP_while: return expand_while(s);
    case CT__OP_scan: return expand_scan(s);
    default: return CT__STAYS;
    }
}
