/* Counted while loops become scans. The loop must count a carried integer up by one, from a
 * constant to a constant bound:
 *
 *     while (i = start, …)  cond { i < limit }  do { … return i + 1, … }
 *
 * Small functions that only take or put a row, as JAX calls them, are replayed in place first. */
#include "interop/stablehlo/loops.h"

#include <cotangent/op.h>

#define NONE SIZE_MAX

typedef enum role {
    KEPT,      /* carried on */
    INVARIANT, /* the same in every iteration: a capture */
    STACKED    /* filled row by row: a stacked result */
} role;

typedef struct raising {
    ct_context *ctx;
    const ct__while *loop;
    ct__arena arena;
    ct__graph *body; /* with the small functions in place; owned */
    size_t counter;  /* its position in the carry */
    int64_t start, length;
    bool is_reverse;
    role *role;         /* of the carries */
    ct__affine *affine; /* of the body's values */
    size_t *uses;       /* of the body's values */
    size_t *param;      /* of the body's values: which parameter each is, or NONE */
    bool *is_row;       /* of the body's nodes: takes a row of an invariant value */
    bool *is_input;     /* of the body's parameters: rows of it are taken */
    /* what the scan has of each parameter */
    bool *is_carried, *is_captured;
} raising;

static bool out_of_memory(const raising *r)
{
    ct__error_memory(r->ctx, r->loop->at, "while");
    return false;
}

/* ---- The count. */

/* The integer that value `id` of cond or body is: a constant there or a capture of one. */
static bool integer_of(const raising *r, const ct__graph *graph, ct__id id, int64_t *value)
{
    for (size_t i = r->loop->n_carry; i < graph->n_params; i++)
        if (graph->param[i] == id)
            return ct__literal_integer(ct__outer_constant(r->ctx, r->loop->operand[i]), value);
    return ct__literal_integer(ct__graph_literal(graph, id), value);
}

/* "i < limit" */
static bool find_limit(raising *r, int64_t *limit)
{
    const ct__graph *cond = r->loop->cond;
    const ct__node *node = cond->n_results == 1 ? ct__node_of(cond, cond->result[0]) : NULL;
    if (!node || node->op != CT__OP_compare || node->attrs->compare.comparison_direction != CT_LT)
        return false;
    for (r->counter = 0; r->counter < r->loop->n_carry; r->counter++)
        if (cond->param[r->counter] == node->operand[0])
            return integer_of(r, cond, node->operand[1], limit);
    return false;
}

/* "i + 1" */
static bool counts_by_one(const raising *r)
{
    const ct__graph *body = r->loop->body;
    const ct__node *node = ct__node_of(body, body->result[r->counter]);
    int64_t step;
    if (!node || node->op != CT__OP_add)
        return false;
    for (int i = 0; i < 2; i++)
        if (node->operand[i] == body->param[r->counter] &&
            integer_of(r, body, node->operand[1 - i], &step))
            return step == 1;
    return false;
}

static bool is_counted(raising *r)
{
    int64_t limit;
    if (!find_limit(r, &limit) || !counts_by_one(r) ||
        !ct__literal_integer(ct__outer_constant(r->ctx, r->loop->operand[r->counter]), &r->start))
        return false;
    if (limit <= r->start) {
        r->length = 0;
        return true;
    }
    const uint64_t length = (uint64_t)limit - (uint64_t)r->start;
    r->length = (int64_t)length;
    return length <= INT64_MAX;
}

/* ---- The body with small functions in place. */

enum { SMALL = 16 };

/* A few operations that take or put a row. */
static bool is_small_access(const ct__node *node)
{
    if (node->op != CT__OP_call || node->region[0]->n_nodes > SMALL || node->region[0]->depth > 0)
        return false;
    for (size_t i = 0; i < node->region[0]->n_nodes; i++)
        if (node->region[0]->node[i].op == CT__OP_dynamic_slice ||
            node->region[0]->node[i].op == CT__OP_dynamic_update_slice)
            return true;
    return false;
}

static void replay_inline(raising *r, const ct__node *node, ct_tensor **value)
{
    ct_tensor **argument = CT__NEW_ARRAY(&r->arena, ct_tensor *, node->n_operands);
    for (size_t i = 0; argument && i < node->n_operands; i++)
        argument[i] = value[node->operand[i]];
    if (argument)
        ct__replay(r->ctx, node->at, node->region[0], argument, &value[node->first_result]);
    else
        out_of_memory(r);
}

/* Open a trace with this graph's parameters of the given types; value gains them. */
static ct_tensor *add_param(raising *r, const ct__graph *graph, size_t i, const ct_type *type)
{
    const char *name = graph->value[graph->param[i]].name;
    ct_tensor *x = ct__trace_param(r->ctx, r->loop->at, type);
    if (name && x->kind == CT__TRACED)
        ct__trace_name(x, name);
    return x;
}

static bool flatten(raising *r)
{
    const ct__graph *body = r->loop->body;
    ct_tensor **value = CT__NEW_ARRAY(&r->arena, ct_tensor *, body->n_values);
    ct_tensor **result = CT__NEW_ARRAY(&r->arena, ct_tensor *, body->n_results);
    if (!value || !result)
        return out_of_memory(r);
    if (!ct__trace_push(r->ctx, r->loop->at, body->name, false))
        return false;
    for (size_t i = 0; i < body->n_params; i++)
        value[body->param[i]] = add_param(r, body, i, ct__param_type(body, i));
    for (size_t i = 0; i < body->n_nodes && !ct_failed(r->ctx); i++) {
        if (is_small_access(&body->node[i]))
            replay_inline(r, &body->node[i], value);
        else
            ct__replay_node(r->ctx, body, &body->node[i], &r->arena, value);
    }
    for (size_t i = 0; i < body->n_results; i++)
        result[i] = ct_failed(r->ctx) ? ct__poison(r->ctx) : value[body->result[i]];
    r->body = ct__trace_pop(r->ctx, r->loop->at, body->n_results, result);
    return r->body != NULL;
}

/* ---- Who is what. */

/* How often nodes and results use each value of the graph; NULL after an error. */
static size_t *count_uses(raising *r, const ct__graph *graph)
{
    size_t *uses = CT__NEW_ARRAY(&r->arena, size_t, graph->n_values);
    if (!uses) {
        out_of_memory(r);
        return NULL;
    }
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t j = 0; j < graph->node[i].n_operands; j++)
            uses[graph->node[i].operand[j]]++;
    for (size_t i = 0; i < graph->n_results; i++)
        uses[graph->result[i]]++;
    return uses;
}

static bool number_params(raising *r)
{
    const ct__graph *body = r->body;
    r->param = CT__NEW_ARRAY(&r->arena, size_t, body->n_values);
    if (!r->param)
        return out_of_memory(r);
    for (size_t i = 0; i < body->n_values; i++)
        r->param[i] = NONE;
    for (size_t i = 0; i < body->n_params; i++)
        r->param[body->param[i]] = i;
    return true;
}

static bool find_affine(raising *r)
{
    ct__affine *param = CT__NEW_ARRAY(&r->arena, ct__affine, r->body->n_params);
    int64_t value;
    if (!param)
        return out_of_memory(r);
    for (size_t i = r->loop->n_carry; i < r->body->n_params; i++)
        if (ct__literal_integer(ct__outer_constant(r->ctx, r->loop->operand[i]), &value))
            param[i] = (ct__affine){.is_number = true, .base = value};
    param[r->counter] = (ct__affine){.is_number = true, .slope = 1, .base = r->start};
    r->affine = ct__find_affine(&r->arena, r->body, r->length > 0 ? r->length : 1, param);
    return r->affine || out_of_memory(r);
}

/* One row of `type` at a time: [1, …] of [length, …]. */
static bool is_row_of(const raising *r, const ct_type *row, const ct_type *type)
{
    if (type->rank < 1 || type->dim[0] != r->length || row->dim[0] != 1)
        return false;
    for (int d = 1; d < type->rank; d++)
        if (row->dim[d] != type->dim[d])
            return false;
    return true;
}

typedef enum direction { NEITHER, FORWARD, BACKWARD } direction;

/* Whether the index is that of iteration t, from the front or from the back. */
static direction direction_of(const raising *r, ct__id index)
{
    const ct__affine *i = &r->affine[index];
    if (i->is_number && i->slope == 1 && i->base == 0)
        return FORWARD;
    if (i->is_number && i->slope == -1 && i->base == r->length - 1)
        return BACKWARD;
    return NEITHER;
}

/* dynamic_slice(x, i, …) of one row of an invariant x. */
static direction takes_row(const raising *r, const ct__node *node)
{
    if (node->op != CT__OP_dynamic_slice || node->attrs->dynamic_slice.strict ||
        node->n_operands < 2)
        return NEITHER;
    size_t param = r->param[node->operand[0]];
    if (param == NONE || (param < r->loop->n_carry && r->role[param] != INVARIANT) ||
        !is_row_of(r, ct__graph_type(r->body, node->first_result), ct__param_type(r->body, param)))
        return NEITHER;
    return direction_of(r, node->operand[1]);
}

/* The node dynamic_update_slice(s, row, i, …) that makes carry j, which nothing else looks at. */
static const ct__node *store_of(const raising *r, size_t j)
{
    const ct__graph *body = r->body;
    const ct__node *node = ct__node_of(body, body->result[j]);
    if (!node || node->op != CT__OP_dynamic_update_slice ||
        node->attrs->dynamic_update_slice.strict || node->n_operands < 3 ||
        node->operand[0] != body->param[j] || r->uses[body->param[j]] != 1 ||
        r->uses[body->result[j]] != 1 ||
        !is_row_of(r, ct__graph_type(body, node->operand[1]), ct__param_type(body, j)))
        return NULL;
    return node;
}

static direction stores_row(const raising *r, size_t j)
{
    const ct__node *store = store_of(r, j);
    return store ? direction_of(r, store->operand[2]) : NEITHER;
}

static void find_direction(raising *r)
{
    size_t count[3] = {0, 0, 0};
    for (size_t i = 0; i < r->body->n_nodes; i++)
        count[takes_row(r, &r->body->node[i])]++;
    for (size_t j = 0; j < r->loop->n_carry; j++)
        count[stores_row(r, j)]++;
    r->is_reverse = count[BACKWARD] > count[FORWARD];
}

static bool assign_roles(raising *r)
{
    const ct__graph *body = r->body;
    r->role = CT__NEW_ARRAY(&r->arena, role, r->loop->n_carry);
    r->is_row = CT__NEW_ARRAY(&r->arena, bool, body->n_nodes);
    r->is_input = CT__NEW_ARRAY(&r->arena, bool, body->n_params);
    r->is_carried = CT__NEW_ARRAY(&r->arena, bool, body->n_params);
    r->is_captured = CT__NEW_ARRAY(&r->arena, bool, body->n_params);
    if (!r->role || !r->is_row || !r->is_input || !r->is_carried || !r->is_captured)
        return out_of_memory(r);
    for (size_t j = 0; j < r->loop->n_carry; j++)
        r->role[j] = body->result[j] == body->param[j] ? INVARIANT : KEPT;
    find_direction(r);
    direction wanted = r->is_reverse ? BACKWARD : FORWARD;
    for (size_t j = 0; j < r->loop->n_carry; j++)
        if (r->role[j] == KEPT && stores_row(r, j) == wanted)
            r->role[j] = STACKED;
    for (size_t i = 0; i < body->n_nodes; i++) {
        r->is_row[i] = takes_row(r, &body->node[i]) == wanted;
        if (r->is_row[i])
            r->is_input[r->param[body->node[i].operand[0]]] = true;
    }
    for (size_t i = 0; i < body->n_params; i++) {
        r->is_carried[i] = i < r->loop->n_carry && r->role[i] == KEPT;
        r->is_captured[i] = i >= r->loop->n_carry || r->role[i] == INVARIANT;
    }
    return true;
}

/* ---- The scan's body. */

/* x with this shape. */
static ct_tensor *shaped(ct_place at, ct_tensor *x, int rank, const int64_t *dim)
{
    const ct__attrs attrs = {.reshape = {.shape = {(size_t)rank, dim}}};
    const ct_type *type = x->type;
    bool same = type->rank == rank;
    for (int d = 0; d < rank && same; d++)
        same = type->dim[d] == dim[d];
    return same ? x : ct__op_on(at, CT__OP_reshape, &attrs, 1, &x);
}

static bool all_known(const ct__node *node, ct_tensor *const *value)
{
    for (size_t i = 0; i < node->n_operands; i++)
        if (!value[node->operand[i]])
            return false;
    return true;
}

/* Whether the value is operand 0 of its node with an axis of extent 1 in front or without: the same
 * elements in the shape of one row. */
static const ct__node *reshapes_row(const raising *r, ct__id id)
{
    const ct__node *node = ct__node_of(r->body, id);
    if (node && node->op == CT__OP_reshape)
        return node;
    if (!node || node->op != CT__OP_broadcast_in_dim)
        return NULL;
    const ct__ints dims = node->attrs->broadcast_in_dim.broadcast_dimensions;
    const ct_type *type = ct__graph_type(r->body, id);
    for (size_t d = 0; d < dims.count; d++)
        if (dims.item[d] != (int64_t)d + 1)
            return NULL;
    return (size_t)type->rank == dims.count + 1 && type->dim[0] == 1 &&
                   ct__graph_type(r->body, node->operand[0])->size == type->size
               ? node
               : NULL;
}

/* The input whose row the node gives in the input's own shape; else NONE. */
static size_t row_of(const raising *r, const ct__node *node)
{
    const ct__node *slice = node->op == CT__OP_reshape ? ct__node_of(r->body, node->operand[0])
                                                       : NULL;
    if (!slice || !r->is_row[slice - r->body->node])
        return NONE;
    size_t input = r->param[slice->operand[0]];
    const ct_type *type = ct__graph_type(r->body, node->first_result);
    const ct_type *x = ct__param_type(r->body, input);
    if (type->rank != x->rank - 1)
        return NONE;
    for (int d = 0; d < type->rank; d++)
        if (type->dim[d] != x->dim[d + 1])
            return NONE;
    return input;
}

/* Replay a node. What hangs on a parameter that the scan has not got is not needed. */
static void replay(raising *r, size_t i, ct_tensor *const *row, ct_tensor **value)
{
    const ct__node *node = &r->body->node[i];
    const ct_type *type = ct__graph_type(r->body, node->first_result);
    size_t input = row_of(r, node);
    if (input != NONE)
        value[node->first_result] = row[input];
    else if (r->is_row[i])
        value[node->first_result] = shaped(node->at, row[r->param[node->operand[0]]], type->rank,
                                           type->dim);
    else if (all_known(node, value))
        ct__replay_node(r->ctx, r->body, node, &r->arena, value);
}

typedef struct body_values {
    ct_tensor **value;  /* of the body's values */
    ct_tensor **row;    /* of its parameters, where it is an input */
    ct_tensor **result; /* of the scan's body */
} body_values;

static bool allocate(raising *r, body_values *b)
{
    b->value = CT__NEW_ARRAY(&r->arena, ct_tensor *, r->body->n_values);
    b->row = CT__NEW_ARRAY(&r->arena, ct_tensor *, r->body->n_params);
    b->result = CT__NEW_ARRAY(&r->arena, ct_tensor *, r->loop->n_carry);
    return (b->value && b->row && b->result) || out_of_memory(r);
}

/* Parameters: the carry, rows of the inputs, captures. */
static void add_params(raising *r, body_values *b)
{
    const ct__graph *body = r->body;
    for (size_t i = 0; i < body->n_params; i++)
        if (r->is_carried[i])
            b->value[body->param[i]] = add_param(r, body, i, ct__param_type(body, i));
    for (size_t i = 0; i < body->n_params; i++) {
        const ct_type *type = ct__param_type(body, i);
        const ct_type *row = r->is_input[i]
                                 ? ct__type_like(&r->arena, type, type->rank - 1, type->dim + 1)
                                 : NULL;
        if (row)
            b->row[i] = ct__trace_param(r->ctx, r->loop->at, row);
        else if (r->is_input[i])
            out_of_memory(r);
    }
    for (size_t i = 0; i < body->n_params; i++)
        if (r->is_captured[i])
            b->value[body->param[i]] = add_param(r, body, i, ct__param_type(body, i));
}

/* Results: the carry, then the rows of the stacks. */
static size_t list_results(raising *r, body_values *b)
{
    const ct__graph *body = r->body;
    size_t n = 0;
    for (size_t j = 0; j < r->loop->n_carry; j++)
        if (r->is_carried[j])
            b->result[n++] = b->value[body->result[j]];
    for (size_t j = 0; j < r->loop->n_carry; j++) {
        if (r->role[j] != STACKED)
            continue;
        const ct__node *store = store_of(r, j), *row = reshapes_row(r, store->operand[1]);
        const ct_type *stack = ct__param_type(body, j);
        ct_tensor *y = b->value[row ? row->operand[0] : store->operand[1]];
        b->result[n++] = shaped(store->at, y, stack->rank - 1, stack->dim + 1);
    }
    return n;
}

/* The scan's body with the parameters chosen so far; NULL after an error. */
static ct__graph *make_body(raising *r)
{
    body_values b;
    if (!allocate(r, &b) || !ct__trace_push(r->ctx, r->loop->at, r->body->name, false))
        return NULL;
    add_params(r, &b);
    for (size_t i = 0; i < r->body->n_nodes && !ct_failed(r->ctx); i++)
        replay(r, i, b.row, b.value);
    size_t n = ct_failed(r->ctx) ? 0 : list_results(r, &b);
    return ct__trace_pop(r->ctx, r->loop->at, n, b.result);
}

/* ---- Leaving out what the body does not need. */

/* The counter is needed where something else than counting looks at it. */
static bool needs_counter(const ct__graph *graph, const size_t *uses, size_t position)
{
    const ct__id id = graph->param[position], next = graph->result[position];
    const ct__node *count = ct__node_of(graph, next);
    size_t own = next == id; /* uses by counting */
    for (size_t i = 0; count && i < count->n_operands; i++)
        own += count->operand[i] == id;
    return uses[id] > own || uses[next] > 1;
}

/* Drop a parameter that is not needed; whether it was there. */
static bool drop(bool *flag, bool is_needed)
{
    bool dropped = *flag && !is_needed;
    *flag = *flag && is_needed;
    return dropped;
}

/* From a body with the parameters chosen so far, see which are needed; *fewer: not all are. */
static bool choose_params(raising *r, const ct__graph *graph, bool *fewer)
{
    const size_t *uses = count_uses(r, graph);
    size_t position = 0, counter = 0;
    *fewer = false;
    if (!uses)
        return false;
    for (size_t i = 0; i < r->body->n_params; i++) {
        if (i == r->counter)
            counter = position;
        position += r->is_carried[i];
    }
    for (size_t i = 0; i < r->body->n_params; i++)
        position += r->is_input[i];
    for (size_t i = 0; i < r->body->n_params; i++)
        if (r->is_captured[i])
            *fewer |= drop(&r->is_captured[i], uses[graph->param[position++]] > 0);
    if (r->is_carried[r->counter])
        *fewer |= drop(&r->is_carried[r->counter], needs_counter(graph, uses, counter));
    return true;
}

/* Without the counter, captures that only it needed go too. NULL after an error. */
static ct__graph *find_body(raising *r)
{
    for (bool fewer;;) {
        ct__graph *graph = make_body(r);
        const bool fine = graph && choose_params(r, graph, &fewer);
        if (fine && !fewer)
            return graph;
        ct__graph_release(graph);
        if (!fine)
            return NULL;
    }
}

/* ---- The scan. */

static size_t count_flags(const bool *flag, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += flag[i];
    return count;
}

static size_t append(const raising *r, const bool *chosen, ct_tensor **operand, size_t n)
{
    for (size_t i = 0; i < r->body->n_params; i++)
        if (chosen[i])
            operand[n++] = r->loop->operand[i];
    return n;
}

/* The counter ends at its bound. */
static ct_tensor *last_count(const raising *r)
{
    const ct_type *type = r->loop->operand[r->counter]->type;
    return ct__splat(r->ctx, r->loop->at, type, (double)(r->start + r->length));
}

/* The loop's results from the scan's. */
static void hand_out(const raising *r, ct_tensor *const *scanned, ct_tensor **result)
{
    size_t carried = 0, stacked = count_flags(r->is_carried, r->body->n_params);
    for (size_t j = 0; j < r->loop->n_carry; j++) {
        if (r->is_carried[j])
            result[j] = scanned[carried++];
        else if (r->role[j] == STACKED)
            result[j] = scanned[stacked++];
        else
            result[j] = j == r->counter ? last_count(r) : r->loop->operand[j];
    }
}

static bool apply_scan(raising *r, ct__graph *graph, ct_tensor **result)
{
    size_t n_params = r->body->n_params;
    ct_tensor **operand = CT__NEW_ARRAY(&r->arena, ct_tensor *, 3 * n_params);
    ct_tensor **scanned = CT__NEW_ARRAY(&r->arena, ct_tensor *, graph->n_results);
    if (!operand || !scanned)
        return out_of_memory(r);
    size_t n = append(r, r->is_carried, operand, 0);
    n = append(r, r->is_input, operand, n);
    n = append(r, r->is_captured, operand, n);
    ct__attrs attrs = {.scan = {.length = r->length,
                                .n_carry = (int64_t)count_flags(r->is_carried, n_params),
                                .n_inputs = (int64_t)count_flags(r->is_input, n_params),
                                .is_reverse = r->is_reverse}};
    ct__request request = {.ctx = r->ctx,
                           .at = r->loop->at,
                           .op = CT__OP_scan,
                           .attrs = &attrs,
                           .n_operands = n,
                           .operand = operand,
                           .n_regions = 1,
                           .region = &graph,
                           .extra = r->loop->extra};
    if (!ct__apply(&request, scanned, graph->n_results))
        return false;
    hand_out(r, scanned, result);
    return !ct_failed(r->ctx);
}

static bool raise_counted(raising *r, ct_tensor **result)
{
    if (!flatten(r) || !number_params(r) || !(r->uses = count_uses(r, r->body)) ||
        !find_affine(r) || !assign_roles(r))
        return false;
    ct__graph *graph = find_body(r);
    bool fine = graph && apply_scan(r, graph, result);
    ct__graph_release(graph);
    return fine;
}

bool ct__raise_loop(ct_context *ctx, const ct__while *loop, ct_tensor **result, bool *raised)
{
    raising r = {.ctx = ctx, .loop = loop};
    *raised = is_counted(&r);
    if (!*raised)
        return true;
    ct__arena_init(&r.arena, &ctx->allocator);
    bool fine = raise_counted(&r, result);
    ct__graph_release(r.body);
    ct__arena_free(&r.arena);
    return fine;
}
