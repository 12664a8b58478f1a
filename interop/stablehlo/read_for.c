#include "interop/stablehlo/loops.h"
#include "interop/stablehlo/read_build.h"

/* ---- Loops that print_for.c made of for, marked with ct.for = {…}:
 *
 *     while(n = 0, carry…)   n < count
 *         i = n, or (count - 1) - n
 *         … the body …
 *         return n + 1, carry'…
 *
 * A loop that has not exactly this form stays the while that it is. */

typedef struct loop {
    ct__reader *r;
    ct__statement *s;
    bool is_reverse;
    const ct__graph *body;
    ct_tensor *count;
    ct__id counter, index;
    ct__id last; /* count - 1, where the index is made of it; else the counter */
} loop;

static bool is_count(const loop *l, const ct__region *region, ct__id id)
{
    const ct_tensor *x = ct__captured(region, id);
    return x && x->trace == l->count->trace && x->value == l->count->value;
}

/* ---- The form of the loop. */

static bool find_count(loop *l)
{
    ct__id limit;
    if (!ct__counts_up(l->r, l->s, &limit))
        return false;
    l->count = ct__captured(&l->s->region[0], limit);
    return l->count && l->count->kind == CT__TRACED && ct_dtype_of(l->count) == CT_I64;
}

/* The value (count - 1) - n, which must be there. */
static bool find_reversed(loop *l)
{
    const ct__region *body = &l->s->region[1];
    for (size_t i = 0; i < l->body->n_nodes; i++) {
        const ct__node *node = &l->body->node[i];
        if (node->op != CT__OP_subtract || node->operand[1] != l->counter)
            continue;
        const ct__node *last = ct__node_with(l->body, node->operand[0], CT__OP_subtract);
        l->last = node->operand[0];
        l->index = node->first_result;
        return last && is_count(l, body, last->operand[0]) &&
               ct__is_integer(l->r, body, last->operand[1], 1);
    }
    return false;
}

static bool has_form(loop *l)
{
    if (!find_count(l))
        return false;
    l->index = l->last = l->counter;
    return !l->is_reverse || find_reversed(l);
}

/* ---- The body of the for: the loop's, of the index instead of the counter. */

static void map_params(const loop *l, ct_tensor **value)
{
    const ct__region *region = &l->s->region[1];
    const size_t own = l->body->n_params - region->n_captures;
    for (size_t i = 0; i < own; i++) {
        ct__id id = i == 0 ? l->index : l->body->param[i];
        value[id] = ct__param_like(l->r, l->s, id);
    }
    for (size_t i = 0; i < region->n_captures; i++)
        value[l->body->param[own + i]] = region->capture[i];
}

/* Whether node n computes the index or the next counter, which are the for's own. */
static bool is_counting(const loop *l, size_t n)
{
    const ct__value *value = l->body->value;
    return value[l->last].node == n || value[l->index].node == n ||
           value[l->body->result[0]].node == n;
}

static bool replay(const loop *l, ct_tensor **value)
{
    for (size_t n = 0; n < l->body->n_nodes; n++) {
        const ct__node *node = &l->body->node[n];
        bool is_known = !is_counting(l, n);
        for (size_t i = 0; i < node->n_operands; i++)
            is_known = is_known && value[node->operand[i]];
        if (is_known && !ct__replay_node(l->r->ctx, l->body, node, &l->r->arena, value))
            return false;
    }
    return true;
}

static bool record_body(const loop *l, ct__region *region)
{
    ct_context *ctx = l->r->ctx;
    const size_t n = l->body->n_results - 1;
    ct_tensor **value = CT__NEW_ARRAY(&l->r->arena, ct_tensor *, l->body->n_values);
    ct_tensor **result = CT__NEW_ARRAY(&l->r->arena, ct_tensor *, n);
    if (!value || !result) {
        ct__error_memory(ctx, l->s->place, "for");
        return false;
    }
    if (!ct__trace_push(ctx, l->s->place, l->body->name, true))
        return false;
    map_params(l, value);
    bool fine = !ct_failed(ctx) && replay(l, value);
    for (size_t i = 0; i < n; i++) {
        result[i] = value[l->body->result[1 + i]];
        fine = fine && result[i];
    }
    if (fine)
        return ct__region_detach(ctx, l->s->place, n, result, region);
    ct__trace_abandon(ctx);
    return false;
}

/* ---- The for in place of the loop. The counter ends at the count, or at 0. */

static bool build(const loop *l, const ct__region *region)
{
    ct__statement *s = l->s;
    const ct__attrs attrs = {
        .counted = {.n_carry = (int64_t)s->n_operands - 1, .is_reverse = l->is_reverse}};
    s->operand[0] = l->count;
    if (!ct__build_raised(l->r, s, region, CT__OP_for, &attrs))
        return false;
    ct_tensor *zero = ct__build_integer(l->r, s->place, l->count->type, 0);
    return ct__add_first_result(l->r, s, ct_op_maximum_at(s->place, l->count, zero));
}

bool ct__build_for(ct__reader *r, ct__statement *s, bool *done)
{
    const ct__attribute *mark = ct__dict_use(&s->attributes, "ct.for");
    const ct__entry *reverse = mark && mark->kind == CT__ATTRIBUTE_DICT
                                   ? ct__dict_find(&mark->dict, "is_reverse")
                                   : NULL;
    loop l = {.r = r, .s = s, .is_reverse = reverse && reverse->value.integer};
    ct__region region;
    *done = false;
    if (!reverse || s->n_regions != 2 || !s->region[0].graph || !s->region[1].graph ||
        s->n_operands == 0 || s->region[1].graph->n_results != s->n_operands)
        return true;
    l.body = s->region[1].graph;
    l.counter = l.body->param[0];
    if (!has_form(&l) || !record_body(&l, &region))
        return !ct_failed(r->ctx) || ct__read_fail_context(r, s->at);
    *done = true;
    return build(&l, &region);
}
