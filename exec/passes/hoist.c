/* Loop-invariant motion. An operation of a body that depends on captures alone is done before the
 * loop, and its result captured; but what only moves data, or makes a constant, stays where it is
 * read, for it costs less than its memory, unless what goes needs it. */
#include "exec/passes/rules.h"

typedef struct hoist {
    ct__site *s;
    const ct__graph *body;
    bool *is_fixed;    /* per value: the same in every iteration */
    bool *goes;        /* per node */
    bool *is_crossing; /* per value: made before, needed in the body */
    ct__id *before;    /* per value: outside of the loop */
} hoist;

/* How many trailing parameters of each body are captures. */
static size_t captures_of(const ct__node *node)
{
    return ct__op_captures(node->op, node->attrs, node->n_operands);
}

static bool is_loop(const ct__node *node)
{
    return node->op == CT__OP_scan || node->op == CT__OP_while;
}

static bool may_go(const ct__graph *body, const ct__node *node)
{
    bool fine = !ct__node_has_effect(node) && !ct__has(node->op, CT__CONTROL) &&
                node->op != CT__OP_optimization_barrier;
    for (size_t i = 0; i < node->n_results; i++)
        fine = fine && body->value[node->first_result + i].type->kind == CT__TENSOR;
    return fine;
}

static bool is_cheap(const ct__node *node)
{
    return ct__has(node->op, CT__MOVES_DATA) || node->n_operands == 0;
}

static void find_fixed(hoist *h, size_t n_captures)
{
    const ct__graph *body = h->body;
    for (size_t i = body->n_params - n_captures; i < body->n_params; i++)
        h->is_fixed[body->param[i]] = true;
    for (size_t i = 0; i < body->n_nodes; i++) {
        const ct__node *node = &body->node[i];
        bool fixed = may_go(body, node);
        for (size_t k = 0; k < node->n_operands; k++)
            fixed = fixed && h->is_fixed[node->operand[k]];
        for (size_t k = 0; k < node->n_results; k++)
            h->is_fixed[node->first_result + k] = fixed;
    }
}

/* From the last node on: what is worth it, and what that needs. */
static void find_going(hoist *h)
{
    const ct__graph *body = h->body;
    for (size_t i = body->n_nodes; i-- > 0;) {
        const ct__node *node = &body->node[i];
        h->goes[i] = h->goes[i] ||
                     (node->n_results > 0 && h->is_fixed[node->first_result] && !is_cheap(node));
        for (size_t k = 0; k < node->n_operands && h->goes[i]; k++) {
            const uint32_t maker = body->value[node->operand[k]].node;
            if (maker != CT__NO_NODE)
                h->goes[maker] = true;
        }
    }
}

static bool stays(const hoist *h, size_t node)
{
    return !h->goes[node] || is_cheap(&h->body->node[node]);
}

/* Values that go and that what stays needs. Returns how many. */
static size_t find_crossing(hoist *h)
{
    const ct__graph *body = h->body;
    size_t count = 0;
    for (size_t i = 0; i < body->n_nodes; i++)
        for (size_t k = 0; k < body->node[i].n_operands && stays(h, i); k++)
            h->is_crossing[body->node[i].operand[k]] = true;
    for (size_t i = 0; i < body->n_results; i++)
        h->is_crossing[body->result[i]] = true;
    for (size_t id = 0; id < body->n_values; id++) {
        const uint32_t maker = body->value[id].node;
        h->is_crossing[id] = h->is_crossing[id] && maker != CT__NO_NODE && !stays(h, maker);
        count += h->is_crossing[id];
    }
    return count;
}

static bool emit_before(hoist *h, size_t n_captures)
{
    const ct__graph *body = h->body;
    for (size_t i = 0; i < n_captures; i++)
        h->before[body->param[body->n_params - n_captures + i]] =
            h->s->node.operand[h->s->node.n_operands - n_captures + i];
    for (size_t i = 0; i < body->n_nodes; i++)
        if (h->goes[i] && !ct__emit_copy(h->s->p, body, &body->node[i], h->before, NULL))
            return false;
    return true;
}

/* ---- The bodies that are left. */

typedef struct copier {
    ct__arena *arena;
    const ct__graph *from;
    ct__graph *to;
    ct__id *value; /* of `from`, in `to` */
} copier;

static bool copy_params(copier *c, size_t n_more, const ct_type *const *more, ct__id *added)
{
    bool fine = true;
    for (size_t i = 0; fine && i < c->from->n_params; i++)
        fine = ct__graph_add_param(c->to, ct__param_type(c->from, i), &c->value[c->from->param[i]]);
    for (size_t i = 0; fine && i < n_more; i++)
        fine = ct__graph_add_param(c->to, more[i], &added[i]);
    return fine && ct__graph_set_flat_arguments(c->to);
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
    for (size_t k = 0; k < node->n_results; k++)
        c->value[node->first_result + k] = first + (ct__id)k;
    return true;
}

/* The body with more captures: those at which `crossing`, where it is not NULL, are given. */
static bool fill_body(copier *c, const hoist *h, size_t n_more, const ct_type *const *more)
{
    ct__id *added = CT__NEW_ARRAY(c->arena, ct__id, n_more);
    ct__id *result = CT__NEW_ARRAY(c->arena, ct__id, c->from->n_results);
    c->value = CT__NEW_ARRAY(c->arena, ct__id, c->from->n_values);
    if (!added || !result || !c->value || !copy_params(c, n_more, more, added))
        return false;
    const bool is_own = h->body == c->from;
    for (size_t id = 0, k = 0; id < c->from->n_values && is_own; id++)
        if (h->is_crossing[id])
            c->value[id] = added[k++];
    for (size_t i = 0; i < c->from->n_nodes; i++)
        if ((!is_own || stays(h, i)) && !copy_node(c, &c->from->node[i]))
            return false;
    for (size_t i = 0; i < c->from->n_results; i++)
        result[i] = c->value[c->from->result[i]];
    return ct__graph_set_results(c->to, c->from->n_results, result);
}

static ct__graph *copy_body(const hoist *h, const ct__graph *from, size_t n_more,
                            const ct_type *const *more)
{
    ct__pass *p = h->s->p;
    copier c = {p->arena, from, ct__graph_new(&p->r->ctx->allocator, from->name), NULL};
    if (c.to && fill_body(&c, h, n_more, more))
        return ct__list_body(p->r, c.to);
    ct__graph_release(c.to);
    return NULL;
}

static bool replace_bodies(hoist *h, size_t n_more)
{
    ct__site *s = h->s;
    ct__arena *arena = s->p->arena;
    const size_t n = s->node.n_operands;
    ct__graph **region = CT__NEW_ARRAY(arena, ct__graph *, s->node.n_regions);
    ct__id *operand = CT__NEW_ARRAY(arena, ct__id, n + n_more);
    const ct_type **more = CT__NEW_ARRAY(arena, const ct_type *, n_more);
    if (!region || !operand || !more)
        return false;
    for (size_t k = 0; k < n; k++)
        operand[k] = s->node.operand[k];
    for (size_t id = 0, k = 0; id < h->body->n_values; id++)
        if (h->is_crossing[id]) {
            more[k] = h->body->value[id].type;
            operand[n + k++] = h->before[id];
        }
    for (size_t i = 0; i < s->node.n_regions; i++)
        if (!(region[i] = copy_body(h, s->node.region[i], n_more, more)))
            return false;
    s->node.region = region;
    s->node.operand = operand;
    s->node.n_operands = (uint32_t)(n + n_more);
    return true;
}

static ct__outcome hoist_from(ct__site *s, const ct__graph *body)
{
    ct__arena *arena = s->p->arena;
    const size_t n_captures = captures_of(&s->node);
    hoist h = {.s = s,
               .body = body,
               .is_fixed = CT__NEW_ARRAY(arena, bool, body->n_values),
               .goes = CT__NEW_ARRAY(arena, bool, body->n_nodes),
               .is_crossing = CT__NEW_ARRAY(arena, bool, body->n_values),
               .before = CT__NEW_ARRAY(arena, ct__id, body->n_values)};
    if (!h.is_fixed || !h.goes || !h.is_crossing || !h.before)
        return CT__NO_ROOM;
    find_fixed(&h, n_captures);
    find_going(&h);
    const size_t n_more = find_crossing(&h);
    if (n_more == 0)
        return CT__STAYS;
    return emit_before(&h, n_captures) && replace_bodies(&h, n_more) ? CT__CHANGED : CT__NO_ROOM;
}

ct__outcome ct__hoist(ct__site *s)
{
    ct__outcome outcome = CT__STAYS;
    for (size_t i = 0; is_loop(&s->node) && i < s->node.n_regions && outcome == CT__STAYS; i++)
        outcome = hoist_from(s, s->node.region[i]);
    return outcome;
}
