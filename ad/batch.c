/* Batching: every node is recorded again, by its row's rule if an operand is batched. */
#include "ad/batch.h"

typedef void batch_rule(ct__batch *);

static batch_rule *const rules[CT__OP_COUNT] = {
#define CT__BATCH_RULE(name) ct__batch_##name
#define BY(name) CT__BATCH_RULE(name)
#define NONE(reason) NULL
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, ...)               \
    [CT__OP_##name] = batch,
#include "ops/ops.def"
#undef OP
#undef NONE
#undef BY
};

typedef struct driver {
    ct_context *ctx;
    const ct__graph *graph;
    ct__arena *arena;
    int64_t size;
    bool is_masked;
    ct_tensor *active; /* NULL: all */
    ct_tensor **value; /* per value of the graph */
    bool *batched;     /* per value */
} driver;

/* The lists that a rule sees; false after an error. */
static bool fill_rule(driver *w, const ct__node *node, ct__batch *q)
{
    ct_tensor **x = CT__NEW_ARRAY(w->arena, ct_tensor *, node->n_operands);
    bool *batched = CT__NEW_ARRAY(w->arena, bool, node->n_operands);
    const ct_type **type = CT__NEW_ARRAY(w->arena, const ct_type *, node->n_operands);
    const ct_type **result = CT__NEW_ARRAY(w->arena, const ct_type *, node->n_results);
    if (!x || !batched || !type || !result) {
        ct__error_memory(w->ctx, node->at, "vmap");
        return false;
    }
    for (size_t i = 0; i < node->n_operands; i++) {
        x[i] = w->value[node->operand[i]];
        batched[i] = w->batched[node->operand[i]];
        type[i] = w->graph->value[node->operand[i]].type;
    }
    for (size_t i = 0; i < node->n_results; i++) {
        result[i] = w->graph->value[node->first_result + i].type;
        w->batched[node->first_result + i] = result[i]->kind != CT__TOKEN;
    }
    *q = (ct__batch){.ctx = w->ctx,
                     .at = node->at,
                     .arena = w->arena,
                     .op = node->op,
                     .attrs = node->attrs,
                     .n_operands = node->n_operands,
                     .x = x,
                     .batched = batched,
                     .type = type,
                     .n_regions = node->n_regions,
                     .region = node->region,
                     .n_results = node->n_results,
                     .result_type = result,
                     .is_typed = ct__node_is_typed(w->graph, node),
                     .size = w->size,
                     .active = w->active,
                     .y = &w->value[node->first_result],
                     .y_batched = &w->batched[node->first_result]};
    return true;
}

/* An effect in the body of a fold happens in the order of the lanes. */
static bool is_looped(const ct__node *node)
{
    bool effect = false;
    for (size_t i = 0; i < node->n_regions; i++)
        effect = effect || node->region[i]->has_effect;
    return effect && !ct__has(node->op, CT__CONTROL);
}

bool ct__asks_active(const ct__graph *body)
{
    return body->has_loop || body->has_product;
}

/* Matrices 1, or zeros. */
static ct_tensor *harmless(const ct__batch *q, size_t i)
{
    const ct_type *type = ct_type_of(q->x[i]);
    const ct_dims dims = {(size_t)type->rank, type->dim};
    ct_tensor *zeros = ct__like(q->at, q->x[i], 0);
    if (i > 0 || (q->op != CT__OP_cholesky && q->op != CT__OP_triangular_solve))
        return zeros;
    ct_tensor *row = ct_op_iota_at(q->at, q->ctx, CT_I64, dims, type->rank - 2);
    ct_tensor *column = ct_op_iota_at(q->at, q->ctx, CT_I64, dims, type->rank - 1);
    return ct_op_select_at(q->at, ct_op_compare_at(q->at, row, column, CT_EQ, CT_COMPARE_SIGNED),
                           ct__like(q->at, q->x[i], 1), zeros);
}

/* Operands of a product of matrices become harmless in the lanes that are not active: what is
 * infinite there would make NaN of the zero cotangents that come back to it. */
static void guard_operands(ct__batch *q)
{
    ct_tensor **x = ct__arena_copy(q->arena, q->x, q->n_operands * sizeof *x);
    if (!x) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return;
    }
    for (size_t i = 0; i < q->n_operands && !ct_failed(q->ctx); i++) {
        const ct_dtype dtype = q->type[i]->dtype;
        if (q->batched[i] && !q->type[i]->quantized &&
            (ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype)))
            x[i] = ct__batch_choose(q, q->active, x[i], harmless(q, i), q->type[i]);
    }
    q->x = x;
}

static void batch_node(driver *w, const ct__node *node)
{
    ct__batch q;
    if (!ct__any_operand(node, w->batched) && !ct__runs_per_lane(w->graph, node) &&
        !(w->active && ct__node_has_loop(node))) {
        ct__replay_node(w->ctx, w->graph, node, w->arena, w->value);
        return;
    }
    if (!fill_rule(w, node, &q))
        return;
    if (w->active && ct__is_plain_product(node->op))
        guard_operands(&q);
    if (is_looped(node))
        ct__batch_loop(&q);
    else
        rules[node->op](&q);
    ct__name_results(w->ctx, w->graph, node, w->value);
}

static bool make_params(driver *w, ct_place at, const bool *batched)
{
    for (size_t i = 0; i < w->graph->n_params; i++) {
        ct__id id = w->graph->param[i];
        const ct_type *type = w->graph->value[id].type;
        w->batched[id] = batched[i] && type->kind != CT__TOKEN;
        if (w->batched[id])
            type = ct__batched_type(w->ctx, at, w->arena, type, w->size);
        if (!type)
            return false;
        w->value[id] = ct_name(ct__trace_param(w->ctx, at, type), w->graph->value[id].name);
    }
    if (w->is_masked)
        w->active = ct__trace_param(
            w->ctx, at, &(ct_type){.dtype = CT_BOOL, .rank = 1, .dim = &w->size, .size = w->size});
    return !ct_failed(w->ctx);
}

/* NULL after an error. */
static ct_tensor **list_results(driver *w, ct_place at, const bool *must, bool *batched_out)
{
    const ct__graph *graph = w->graph;
    ct_tensor **result = CT__NEW_ARRAY(w->arena, ct_tensor *, graph->n_results);
    const ct__batch q = {.ctx = w->ctx, .at = at, .arena = w->arena, .size = w->size};
    if (!result)
        ct__error_memory(w->ctx, at, "vmap");
    for (size_t i = 0; result && i < graph->n_results; i++) {
        const ct_type *type = ct__result_type(graph, i);
        bool batched = w->batched[graph->result[i]];
        result[i] = w->value[graph->result[i]];
        batched_out[i] = batched || (must && must[i] && type->kind != CT__TOKEN);
        if (batched_out[i] && !batched)
            result[i] = ct__batch_spread(&q, result[i], type);
    }
    return result;
}

/* With the trace open. */
static ct__graph *batched_graph(driver *w, ct_place at, const bool *batched, const bool *must,
                                bool *batched_out)
{
    w->value = CT__NEW_ARRAY(w->arena, ct_tensor *, w->graph->n_values);
    w->batched = CT__NEW_ARRAY(w->arena, bool, w->graph->n_values);
    if (!w->value || !w->batched) {
        ct__error_memory(w->ctx, at, "vmap");
        return NULL;
    }
    if (!make_params(w, at, batched))
        return NULL;
    for (size_t i = 0; i < w->graph->n_nodes && !ct_failed(w->ctx); i++)
        batch_node(w, &w->graph->node[i]);
    ct_tensor **result = ct_failed(w->ctx) ? NULL : list_results(w, at, must, batched_out);
    return result ? ct__trace_close(w->ctx, at, w->graph->n_results, result) : NULL;
}

ct__graph *ct__graph_batch(ct_context *ctx, ct_place at, const ct__graph *graph, int64_t size,
                           bool is_masked, const bool *batched, const bool *must, bool *batched_out)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, ctx, at, &arena, "vmap", graph))
        return NULL;
    driver w = {.ctx = ctx, .graph = graph, .arena = &arena, .size = size, .is_masked = is_masked};
    ct__graph *result = batched_graph(&w, at, batched, must, batched_out);
    ct__session_end(&session);
    return result;
}
