#include "probe/gradcheck.h"

#include "ops/quantize.h"

#include <string.h>

/* A body that was rewritten. */
struct ct__rewritten {
    struct ct__rewritten *next;
    const ct__graph *from;
    ct__graph *to; /* owned */
};

/* One graph in progress, inside of an open trace. */
typedef struct replay {
    ct__rewrite *r;
    const ct__graph *graph;
    ct__arena *arena;
    ct_tensor **value;
} replay;

static bool out_of_memory(const ct__rewrite *r)
{
    ct__error_memory(r->ctx, r->at, r->what);
    return false;
}

/* The type with the rewritten dtype; NULL when memory is short. */
static const ct_type *retyped(const replay *p, const ct_type *type)
{
    const ct__rewrite *r = p->r;
    if (type->kind == CT__STACK) {
        const ct_type *element = retyped(p, type->element[0]);
        return element ? ct__type_stack(p->arena, element) : NULL;
    }
    if (!r->dtype || type->kind != CT__TENSOR || type->quantized)
        return type;
    return ct__type(p->arena, r->dtype(type->dtype), type->rank, type->dim);
}

static bool add_params(replay *p)
{
    ct__rewrite *r = p->r;
    for (size_t i = 0; i < p->graph->n_params; i++) {
        const ct__value *param = &p->graph->value[p->graph->param[i]];
        const ct_type *type = retyped(p, param->type);
        if (!type)
            return out_of_memory(r);
        ct_tensor *x = ct__trace_param(r->ctx, r->at, type);
        p->value[p->graph->param[i]] = param->name ? ct_name(x, param->name) : x;
    }
    return !ct_failed(r->ctx);
}

/* ---- Bodies. */

static ct__graph *body_of(ct__rewrite *r, const ct__graph *graph)
{
    for (const struct ct__rewritten *d = r->done; d; d = d->next)
        if (d->from == graph)
            return d->to;
    ct__graph *to = ct__rewrite_graph(r, graph);
    struct ct__rewritten *entry = to ? ct__alloc(&r->ctx->allocator, sizeof *entry) : NULL;
    if (!entry) {
        ct__graph_release(to);
        out_of_memory(r); /* unless there is an error already */
        return NULL;
    }
    *entry = (struct ct__rewritten){r->done, graph, to};
    r->done = entry;
    return to;
}

void ct__rewrite_end(ct__rewrite *r)
{
    while (r->done) {
        struct ct__rewritten *next = r->done->next;
        ct__graph_release(r->done->to);
        ct__release(&r->ctx->allocator, r->done, sizeof *r->done);
        r->done = next;
    }
}

static bool replace_bodies(replay *p, ct__node *node)
{
    ct__rewrite *r = p->r;
    if (node->n_regions == 0 || (r->enters && !r->enters(node)))
        return true;
    ct__graph **body = CT__NEW_ARRAY(p->arena, ct__graph *, node->n_regions);
    if (!body)
        return out_of_memory(r);
    for (size_t i = 0; i < node->n_regions; i++) {
        body[i] = body_of(r, node->region[i]);
        if (!body[i])
            return false;
    }
    node->region = body;
    return true;
}

/* ---- Nodes. */

/* Whether a node keeps its own types: it is known by them alone, or computes with the real numbers
 * of quantized tensors, which express a dtype. */
static bool keeps_types(const replay *p, const ct__node *node)
{
    bool keeps = ct__has(node->op, CT__OPAQUE), is_real = ct__computes_with_reals(node->op);
    for (size_t i = 0; i < node->n_operands && is_real; i++)
        keeps = keeps || ct__graph_type(p->graph, node->operand[i])->quantized;
    for (size_t i = 0; i < node->n_results && is_real; i++)
        keeps = keeps || ct__graph_type(p->graph, node->first_result + (ct__id)i)->quantized;
    return keeps && p->r->dtype;
}

/* Such a node gets operands of its own types. Its results are for `after` to
 * widen. */
static bool replay_as_it_was(replay *p, const ct__node *node)
{
    ct_tensor **kept = CT__NEW_ARRAY(p->arena, ct_tensor *, node->n_operands);
    if (!kept)
        return out_of_memory(p->r);
    for (size_t i = 0; i < node->n_operands; i++) {
        ct_tensor **x = &p->value[node->operand[i]];
        const ct_type *type = ct__graph_type(p->graph, node->operand[i]);
        kept[i] = *x;
        if (type->kind == CT__TENSOR && (*x)->type->dtype != type->dtype)
            *x = ct_op_convert_at(node->at, *x, type->dtype);
    }
    bool fine = ct__replay_node(p->r->ctx, p->graph, node, p->arena, p->value);
    for (size_t i = node->n_operands; i-- > 0;)
        p->value[node->operand[i]] = kept[i];
    return fine;
}

/* A stack is empty whatever its elements are. */
static bool replay_stack(replay *p, const ct__node *node)
{
    const ct_type *type = retyped(p, ct__graph_type(p->graph, node->first_result));
    if (!type)
        return out_of_memory(p->r);
    p->value[node->first_result] = ct__stack_new_of(p->r->ctx, node->at, type);
    return !ct_failed(p->r->ctx);
}

static bool replay_node(replay *p, const ct__node *from)
{
    ct__rewrite *r = p->r;
    ct__node node = *from;
    if (node.op == CT__OP_stack_new)
        return replay_stack(p, &node);
    bool keeps = keeps_types(p, from);
    if (!replace_bodies(p, &node) || (!keeps && r->before && !r->before(r, &node, p->arena)))
        return false;
    if (!(keeps ? replay_as_it_was(p, &node)
                : ct__replay_node(r->ctx, p->graph, &node, p->arena, p->value)))
        return false;
    if (r->after)
        r->after(r, &node, p->value, &p->value[node.first_result]);
    return !ct_failed(r->ctx);
}

static ct__graph *close(replay *p)
{
    ct__rewrite *r = p->r;
    ct_tensor **result = CT__NEW_ARRAY(p->arena, ct_tensor *, p->graph->n_results);
    if (!result) {
        out_of_memory(r);
        return NULL;
    }
    for (size_t i = 0; i < p->graph->n_results; i++)
        result[i] = p->value[p->graph->result[i]];
    return ct__trace_close_flat(r->ctx, r->at, r->what, p->graph->n_results, result);
}

ct__graph *ct__rewrite_graph(ct__rewrite *r, const ct__graph *graph)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, r->ctx, r->at, &arena, r->what, graph))
        return NULL;
    replay p = {.r = r, .graph = graph, .arena = &arena};
    p.value = CT__NEW_ARRAY(&arena, ct_tensor *, graph->n_values);
    bool fine = p.value ? add_params(&p) : out_of_memory(r);
    for (size_t i = 0; fine && i < graph->n_nodes; i++)
        fine = replay_node(&p, &graph->node[i]);
    ct__graph *rewritten = fine ? close(&p) : NULL;
    ct__session_end(&session);
    return rewritten;
}
