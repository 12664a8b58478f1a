/* A body, which is a function of single elements, on many of them at once: a lifted value has one
 * more axis in front, along which it is what the body gives for each element. */
#include "ad/bodies.h"
#include "ad/rules.h"

#include <string.h>

/* A called function, lifted where its arguments are. */
typedef struct callee {
    struct callee *next;
    const ct__graph *source;
    const bool *lifted; /* per param */
    ct__graph *graph;
} callee;

typedef struct lifting {
    ct_context *ctx;
    ct_place at;
    bool
        is_usual; /* the body is one that many operations share, and its own place none of theirs */
    ct__arena *arena;
    int64_t count; /* how many elements */
    callee *callees;
} lifting;

/* The values of one graph. */
typedef struct values {
    const ct__graph *graph;
    ct_tensor **value;
    bool *lifted;
} values;

/* ---- Spreading. */

/* x as lifted, for a value that the body sees with this type: a scalar beside tensors stands for
 * each of their elements. */
static ct_tensor *spread(const lifting *w, ct_place at, ct_tensor *x, bool is_lifted,
                         const ct_type *type)
{
    size_t rank = ct_rank(x), wanted = (size_t)type->rank + 1;
    int64_t dim[CT__MAX_RANK + 1] = {w->count}, axis[CT__MAX_RANK + 1] = {0};
    if (is_lifted && rank == wanted)
        return x;
    for (int d = 0; d < type->rank; d++)
        dim[d + 1] = type->dim[d];
    for (size_t d = 0; d < rank && !is_lifted; d++)
        axis[d] = (int64_t)d + 1;
    return ct_op_broadcast_in_dim_at(at, x, (ct_dims){wanted, dim}, (ct_dims){rank, axis});
}

/* ---- Nodes. */

static ct_place place_of(const lifting *w, const ct__node *node)
{
    return w->is_usual ? w->at : node->at;
}

static bool out_of_memory(const lifting *w, const ct__node *node)
{
    ct__error_memory(w->ctx, place_of(w, node), ct__op_describe(node->op)->name);
    return false;
}

/* On whole tensors it does what it does on elements. */
static bool lift_elementwise(const lifting *w, values *v, const ct__node *node)
{
    const ct_type *type = ct__graph_type(v->graph, node->first_result);
    ct_tensor **operand = CT__NEW_ARRAY(w->arena, ct_tensor *, node->n_operands);
    if (!operand)
        return out_of_memory(w, node);
    for (size_t i = 0; i < node->n_operands; i++) {
        ct__id id = node->operand[i];
        operand[i] = spread(w, place_of(w, node), v->value[id], v->lifted[id], type);
    }
    return ct__apply(&(ct__request){.ctx = w->ctx,
                                    .at = place_of(w, node),
                                    .op = node->op,
                                    .attrs = node->attrs,
                                    .n_operands = node->n_operands,
                                    .operand = operand,
                                    .extra = node->extra},
                     &v->value[node->first_result], node->n_results);
}

/* The node on one element each of its lifted operands, which come first, and the others. */
static ct__graph *one_element(const lifting *w, const values *v, const ct__node *node)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, w->ctx, place_of(w, node), &arena, "each", v->graph))
        return NULL;
    ct__graph *body = NULL;
    ct_tensor **value = CT__NEW_ARRAY(&arena, ct_tensor *, v->graph->n_values);
    for (int is_lifted = 1; value && is_lifted >= 0; is_lifted--)
        for (size_t i = 0; i < node->n_operands; i++) {
            ct__id id = node->operand[i];
            if (v->lifted[id] == (is_lifted != 0))
                value[id] = ct__trace_param(w->ctx, place_of(w, node),
                                            ct__graph_type(v->graph, id));
        }
    if (!value)
        out_of_memory(w, node);
    else if (!ct_failed(w->ctx) && ct__replay_node(w->ctx, v->graph, node, &arena, value))
        body = ct__trace_close(w->ctx, place_of(w, node), node->n_results,
                               &value[node->first_result]);
    ct__session_end(&session);
    return body;
}

/* Whatever it does: once per element. */
static bool lift_by_loop(const lifting *w, values *v, const ct__node *node)
{
    ct_tensor **operand = CT__NEW_ARRAY(w->arena, ct_tensor *, node->n_operands);
    size_t count = 0, n_inputs = 0;
    if (!operand)
        return out_of_memory(w, node);
    for (int is_lifted = 1; is_lifted >= 0; is_lifted--) {
        for (size_t i = 0; i < node->n_operands; i++)
            if (v->lifted[node->operand[i]] == (is_lifted != 0))
                operand[count++] = v->value[node->operand[i]];
        n_inputs = is_lifted ? count : n_inputs;
    }
    const ct__attrs attrs = {.scan = {.length = w->count, .n_inputs = (int64_t)n_inputs}};
    ct__graph *body = one_element(w, v, node);
    bool fine = body && ct__apply(&(ct__request){.ctx = w->ctx,
                                                 .at = place_of(w, node),
                                                 .op = CT__OP_scan,
                                                 .attrs = &attrs,
                                                 .n_operands = count,
                                                 .operand = operand,
                                                 .n_regions = 1,
                                                 .region = &body},
                                  &v->value[node->first_result], node->n_results);
    ct__graph_release(body);
    return fine;
}

static bool lift_graph(lifting *w, const ct__graph *graph, const bool *lifted,
                       ct_tensor *const *argument, ct_tensor **result);

/* The function on arguments of these types; NULL after an error. */
static ct__graph *record_callee(lifting *w, ct_place at, const ct__graph *source,
                                const bool *lifted, ct_tensor *const *argument)
{
    ct__arena arena;
    ct__session session;
    ct__graph *graph = NULL;
    if (!ct__session_begin(&session, w->ctx, at, &arena, "lifted", source))
        return NULL;
    ct_tensor **param = CT__NEW_ARRAY(&arena, ct_tensor *, source->n_params);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, source->n_results);
    if (!param || !result)
        ct__error_memory(w->ctx, at, source->name);
    for (size_t i = 0; param && i < source->n_params && !ct_failed(w->ctx); i++)
        param[i] = ct__trace_param(w->ctx, at, ct_type_of(argument[i]));
    if (!ct_failed(w->ctx) && lift_graph(w, source, lifted, param, result))
        graph = ct__trace_close(w->ctx, at, source->n_results, result);
    ct__session_end(&session);
    return graph;
}

/* Each function is lifted once per set of lifted arguments: calls may share it many times. */
static ct__graph *lifted_callee(lifting *w, const ct__node *node, const bool *lifted,
                                ct_tensor *const *argument)
{
    const ct__graph *source = node->region[0];
    callee *c = w->callees;
    while (c && (c->source != source ||
                 memcmp(c->lifted, lifted, source->n_params * sizeof *lifted) != 0))
        c = c->next;
    if (c)
        return c->graph;
    ct__graph *graph = record_callee(w, place_of(w, node), source, lifted, argument);
    c = graph ? CT__NEW(w->arena, callee) : NULL;
    if (!c) {
        out_of_memory(w, node);
        ct__graph_release(graph);
        return NULL;
    }
    *c = (callee){w->callees, source, lifted, graph};
    w->callees = c;
    return graph;
}

static bool lift_call(lifting *w, values *v, const ct__node *node)
{
    ct_tensor **argument = CT__NEW_ARRAY(w->arena, ct_tensor *, node->n_operands);
    bool *lifted = CT__NEW_ARRAY(w->arena, bool, node->n_operands);
    if (!argument || !lifted)
        return out_of_memory(w, node);
    for (size_t i = 0; i < node->n_operands; i++) {
        argument[i] = v->value[node->operand[i]];
        lifted[i] = v->lifted[node->operand[i]];
    }
    ct__graph *graph = lifted_callee(w, node, lifted, argument);
    return graph && ct__call(w->ctx, place_of(w, node), graph, node->n_operands, argument,
                             &v->value[node->first_result]);
}

static bool lift_node(lifting *w, values *v, const ct__node *node)
{
    bool any = false;
    for (size_t i = 0; i < node->n_operands; i++)
        any = any || v->lifted[node->operand[i]];
    if (!any)
        return ct__replay_node(w->ctx, v->graph, node, w->arena, v->value);
    for (size_t i = 0; i < node->n_results; i++)
        v->lifted[node->first_result + i] = true;
    if (ct__has(node->op, CT__CALLS) && node->n_regions == 1)
        return lift_call(w, v, node);
    if (ct__has(node->op, CT__ELEMENTWISE) && !ct__node_is_typed(v->graph, node))
        return lift_elementwise(w, v, node);
    return lift_by_loop(w, v, node);
}

static bool lift_graph(lifting *w, const ct__graph *graph, const bool *lifted,
                       ct_tensor *const *argument, ct_tensor **result)
{
    values v = {graph, CT__NEW_ARRAY(w->arena, ct_tensor *, graph->n_values),
                CT__NEW_ARRAY(w->arena, bool, graph->n_values)};
    if (!v.value || !v.lifted) {
        ct__error_memory(w->ctx, w->at, graph->name);
        return false;
    }
    for (size_t i = 0; i < graph->n_params; i++) {
        v.value[graph->param[i]] = argument[i];
        v.lifted[graph->param[i]] = lifted[i];
    }
    for (size_t i = 0; i < graph->n_nodes && !ct_failed(w->ctx); i++)
        lift_node(w, &v, &graph->node[i]);
    for (size_t i = 0; i < graph->n_results && !ct_failed(w->ctx); i++) {
        ct__id id = graph->result[i];
        result[i] = spread(w, w->at, v.value[id], v.lifted[id], ct__graph_type(graph, id));
    }
    return !ct_failed(w->ctx);
}

bool ct__lift(ct_context *ctx, ct_place at, const ct__graph *graph, int64_t count, size_t n_lifted,
              ct_tensor *const *argument, ct_tensor **result)
{
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    bool is_usual = ct__graph_body_kind(graph) != CT__BODY_OTHER;
    lifting w = {ctx, at, is_usual, &arena, count, NULL};
    bool *lifted = CT__NEW_ARRAY(&arena, bool, graph->n_params);
    if (!lifted)
        ct__error_memory(ctx, at, graph->name);
    for (size_t i = 0; lifted && i < n_lifted; i++)
        lifted[i] = true;
    bool fine = lifted && lift_graph(&w, graph, lifted, argument, result);
    for (size_t i = 0; !fine && i < graph->n_results; i++)
        result[i] = ct__poison(ctx);
    for (const callee *c = w.callees; c; c = c->next)
        ct__graph_release(c->graph);
    ct__arena_free(&arena);
    return fine;
}
