#include "trace/graph.h"

#include "ops/hash.h"

#include <string.h>

/* ---- Making, sharing, freeing. */

ct__graph *ct__graph_new(const ct_allocator *allocator, const char *name)
{
    ct__graph *graph = ct__alloc_zeroed(allocator, sizeof *graph);
    if (!graph)
        return NULL;
    atomic_init(&graph->references, 1);
    ct__arena_init(&graph->arena, allocator);
    graph->name = ct__arena_text(&graph->arena, name ? name : "f");
    if (!graph->name) {
        ct__graph_release(graph);
        return NULL;
    }
    return graph;
}

ct__graph *ct__graph_retain(ct__graph *graph)
{
    if (graph)
        atomic_fetch_add_explicit(&graph->references, 1, memory_order_relaxed);
    return graph;
}

/* What a node refers to outside the arena. */
static void drop_node(const ct__node *node)
{
    ct__attrs_drop(ct__op_describe(node->op)->attrs, node->attrs);
    for (size_t i = 0; i < node->n_regions; i++)
        ct__graph_release(node->region[i]);
}

void ct__graph_release(ct__graph *graph)
{
    if (!graph || atomic_fetch_sub_explicit(&graph->references, 1, memory_order_acq_rel) != 1)
        return;
    ct_allocator allocator = graph->arena.allocator;
    for (size_t i = 0; i < graph->n_nodes; i++)
        drop_node(&graph->node[i]);
    ct__release(&allocator, graph->node, graph->node_capacity * sizeof *graph->node);
    ct__release(&allocator, graph->value, graph->value_capacity * sizeof *graph->value);
    ct__release(&allocator, graph->param, graph->param_capacity * sizeof *graph->param);
    ct__arena_free(&graph->arena);
    ct__release(&allocator, graph, sizeof *graph);
}

/* ---- Effects and totals. */

/* Checks count what they find, though "check.eq" does not say that it has an effect. */
static bool calls_for_effect(const struct ct__attrs_custom_call *attrs)
{
    return attrs->has_side_effect || strncmp(attrs->call_target_name, "check.", 6) == 0;
}

/* What attributes say. A `strict` index operation may raise an error, so it stays even when its
 * value is not used. */
static bool asks_for_effect(const ct__node *node)
{
    switch (node->op) {
    case CT__OP_custom_call: return calls_for_effect(&node->attrs->custom_call);
    case CT__OP_dynamic_slice: return node->attrs->dynamic_slice.strict;
    case CT__OP_dynamic_update_slice: return node->attrs->dynamic_update_slice.strict;
    case CT__OP_gather: return node->attrs->gather.strict;
    case CT__OP_scatter: return node->attrs->scatter.strict;
    default: return false;
    }
}

bool ct__node_has_effect(const ct__node *node)
{
    bool effect = ct__has(node->op, CT__EFFECT) || asks_for_effect(node);
    for (size_t i = 0; i < node->n_regions; i++)
        effect = effect || node->region[i]->has_effect;
    return effect;
}

bool ct__node_has_loop(const ct__node *node)
{
    bool loop = node->op == CT__OP_while || node->op == CT__OP_for || node->op == CT__OP_stack_add;
    for (size_t i = 0; i < node->n_regions; i++)
        loop = loop || node->region[i]->has_loop;
    return loop;
}

bool ct__is_plain_product(ct__op op)
{
    return op == CT__OP_dot_general || op == CT__OP_ragged_dot || op == CT__OP_convolution ||
           op == CT__OP_cholesky || op == CT__OP_triangular_solve;
}

static uint64_t product_of(const ct_type *type, ct__ints axes)
{
    uint64_t product = 1;
    for (size_t i = 0; i < axes.count; i++)
        if (__builtin_mul_overflow(product, (uint64_t)type->dim[axes.item[i]], &product))
            return UINT64_MAX;
    return product;
}

/* Those of a convolution are its kernel's taps and input features. */
uint64_t ct__terms_of_product(const ct__graph *graph, const ct__node *node)
{
    const ct__attrs *a = node->attrs;
    switch (node->op) {
    case CT__OP_dot_general:
        return product_of(ct__graph_type(graph, node->operand[0]),
                          a->dot_general.lhs_contracting_dimensions);
    case CT__OP_ragged_dot:
        return product_of(ct__graph_type(graph, node->operand[0]),
                          a->ragged_dot.lhs_contracting_dimensions);
    case CT__OP_convolution: {
        const ct_type *kernel = ct__graph_type(graph, node->operand[1]);
        int64_t n = kernel->dim[a->convolution.kernel_output_feature_dimension];
        return n > 0 ? (uint64_t)(kernel->size / n) : 0;
    }
    default: return 0;
    }
}

bool ct__node_has_product(const ct__node *node)
{
    bool product = ct__is_plain_product(node->op);
    for (size_t i = 0; i < node->n_regions; i++)
        product = product || node->region[i]->has_product;
    return product;
}

/* Adds the node to the graph's totals. */
static void count_node(ct__graph *graph, const ct__node *node)
{
    size_t count = 1;
    for (size_t i = 0; i < node->n_regions; i++)
        if (__builtin_add_overflow(count, node->region[i]->n_all_nodes, &count))
            count = SIZE_MAX;
    if (__builtin_add_overflow(graph->n_all_nodes, count, &graph->n_all_nodes))
        graph->n_all_nodes = SIZE_MAX;
    for (size_t i = 0; i < node->n_regions; i++)
        if (graph->depth <= node->region[i]->depth)
            graph->depth = node->region[i]->depth + 1;
    graph->has_effect = graph->has_effect || ct__node_has_effect(node);
    graph->has_loop = graph->has_loop || ct__node_has_loop(node);
    graph->has_product = graph->has_product || ct__node_has_product(node);
}

/* ---- Building. */

static bool add_value(ct__graph *graph, const ct_type *type, uint32_t node,
                      const ct__literal *copied)
{
    if (!type || graph->n_values >= CT__NO_NODE ||
        !ct__grow(&graph->arena.allocator, &graph->value, &graph->value_capacity,
                  graph->n_values + 1, sizeof *graph->value))
        return false;
    graph->value[graph->n_values++] = (ct__value){.type = type, .copied = copied, .node = node};
    return true;
}

bool ct__graph_reserve(ct__graph *graph, size_t n_nodes)
{
    const ct_allocator *allocator = &graph->arena.allocator;
    return ct__grow(allocator, &graph->node, &graph->node_capacity, n_nodes, sizeof *graph->node) &&
           ct__grow(allocator, &graph->value, &graph->value_capacity, n_nodes,
                    sizeof *graph->value);
}

bool ct__graph_add_param(ct__graph *graph, const ct_type *type, ct__id *id)
{
    if (!ct__grow(&graph->arena.allocator, &graph->param, &graph->param_capacity,
                  graph->n_params + 1, sizeof *graph->param))
        return false;
    *id = (ct__id)graph->n_values;
    if (!add_value(graph, ct__type_copy(&graph->arena, type), CT__NO_NODE, NULL))
        return false;
    graph->param[graph->n_params++] = *id;
    return true;
}

/* File names repeat from node to node. Texts are compared, not pointers: another graph, now gone,
 * may have had another name in the same memory. */
static const char *intern_file(ct__graph *graph, const char *file)
{
    if (!file)
        return NULL;
    if (!graph->last_file || strcmp(graph->last_file, file) != 0)
        graph->last_file = ct__arena_text(&graph->arena, file);
    return graph->last_file;
}

/* The type in the graph's memory; most results share the first operand's. */
static const ct_type *own_type(ct__graph *graph, const ct__node *node, const ct_type *type)
{
    if (node->n_operands > 0) {
        const ct_type *known = graph->value[node->operand[0]].type;
        if (ct__type_equal(known, type))
            return known;
    }
    return ct__type_copy(&graph->arena, type);
}

static bool own_places(ct__graph *graph, ct__node *node)
{
    if (node->n_also == 0) {
        node->also = NULL;
        return true;
    }
    ct_place *also = ct__arena_copy(&graph->arena, node->also, node->n_also * sizeof *also);
    bool fine = also != NULL;
    for (size_t i = 0; fine && i < node->n_also; i++) {
        const char *file = also[i].file;
        also[i].file = intern_file(graph, file);
        fine = !file || also[i].file;
    }
    node->also = also;
    return fine;
}

static bool holds_literal(ct__attrs_kind kind)
{
    const ct__attrs_info *info = ct__attrs_describe(kind);
    bool any = false;
    for (size_t i = 0; i < info->n_fields; i++)
        any = any || info->field[i].kind == CT__FIELD_LITERAL;
    return any;
}

/* The attributes in the graph's memory. Literals are counted, once per node: they are not shared.
 */
static const ct__attrs *own_attrs(ct__graph *graph, ct__attrs_kind kind, const ct__attrs *attrs)
{
    if (!attrs || ct__attrs_describe(kind)->n_fields == 0 || holds_literal(kind))
        return ct__attrs_copy(&graph->arena, kind, attrs);
    size_t slot = ct__mix_attrs(kind, kind, attrs) >> 20 & (CT__RECENT_ATTRS - 1);
    const ct__attrs *known = graph->recent[slot].attrs;
    if (known && graph->recent[slot].kind == kind && ct__attrs_equal(kind, known, attrs))
        return known;
    graph->recent[slot].kind = kind;
    graph->recent[slot].attrs = ct__attrs_copy(&graph->arena, kind, attrs);
    return graph->recent[slot].attrs;
}

/* A copy of the node's lists in the arena; its regions are not retained yet. */
static bool copy_node(ct__graph *graph, const ct__node *node, ct__node *copy)
{
    static ct__graph *const none[1];
    ct__arena *arena = &graph->arena;
    *copy = *node;
    copy->first_result = (ct__id)graph->n_values;
    copy->at.file = intern_file(graph, node->at.file);
    copy->operand = ct__arena_copy(arena, node->operand, node->n_operands * sizeof *node->operand);
    copy->region = none;
    if (node->n_regions > 0)
        copy->region = ct__arena_copy(arena, node->region, node->n_regions * sizeof *node->region);
    copy->extra = ct__arena_text(arena, node->extra);
    if (!copy->operand || !copy->region || (node->at.file && !copy->at.file) ||
        (node->extra && !copy->extra) || !own_places(graph, copy))
        return false;
    copy->attrs = own_attrs(graph, ct__op_describe(node->op)->attrs, node->attrs);
    return copy->attrs != NULL;
}

static const ct__literal *copied_literal(const ct__graph *graph, const ct__node *node)
{
    if (node->op == CT__OP_constant)
        return node->attrs->constant.value;
    if (ct__has(node->op, CT__MOVES_DATA | (unsigned)CT__LINEAR_IN(0)))
        return graph->value[node->operand[0]].copied;
    return NULL;
}

bool ct__graph_add_node(ct__graph *graph, const ct__node *node, const ct_type *const *types,
                        ct__id *first_result)
{
    ct__node copy;
    if (graph->n_nodes >= CT__NO_NODE ||
        !ct__grow(&graph->arena.allocator, &graph->node, &graph->node_capacity, graph->n_nodes + 1,
                  sizeof *graph->node) ||
        !copy_node(graph, node, &copy))
        return false;
    for (size_t i = 0; i < copy.n_regions; i++)
        ct__graph_retain(copy.region[i]);
    size_t before = graph->n_values;
    const ct__literal *copied = copied_literal(graph, &copy);
    for (size_t i = 0; i < copy.n_results; i++) {
        if (!add_value(graph, own_type(graph, &copy, types[i]), (uint32_t)graph->n_nodes, copied)) {
            graph->n_values = before;
            drop_node(&copy);
            return false;
        }
    }
    graph->node[graph->n_nodes++] = copy;
    count_node(graph, &copy);
    *first_result = copy.first_result;
    return true;
}

bool ct__graph_set_places(ct__graph *graph, size_t node, size_t count, const ct_place *also)
{
    ct__node changed = graph->node[node];
    changed.n_also = (uint32_t)count;
    changed.also = also;
    if (!own_places(graph, &changed))
        return false;
    graph->node[node] = changed;
    return true;
}

bool ct__graph_set_results(ct__graph *graph, size_t count, const ct__id *result)
{
    ct__id *copy = ct__arena_copy(&graph->arena, result, count * sizeof *result);
    if (!copy)
        return false;
    graph->result = copy;
    graph->n_results = count;
    return true;
}

bool ct__graph_set_arguments(ct__graph *graph, size_t count, const size_t *leaves)
{
    size_t *copy = ct__arena_copy(&graph->arena, leaves, count * sizeof *leaves);
    if (!copy)
        return false;
    graph->leaves = copy;
    graph->n_arguments = count;
    return true;
}

bool ct__graph_set_flat_arguments(ct__graph *graph)
{
    size_t *leaves = ct__arena_alloc(&graph->arena, graph->n_params * sizeof *leaves);
    if (!leaves)
        return false;
    for (size_t i = 0; i < graph->n_params; i++)
        leaves[i] = 1;
    graph->leaves = leaves;
    graph->n_arguments = graph->n_params;
    return true;
}

bool ct__graph_set_linear(ct__graph *graph, size_t n_linear)
{
    graph->linear_param = CT__NEW_ARRAY(&graph->arena, bool, graph->n_params);
    for (size_t i = graph->n_params - n_linear; graph->linear_param && i < graph->n_params; i++)
        graph->linear_param[i] = true;
    return graph->linear_param != NULL;
}

bool ct__graph_permute_params(ct__graph *graph, const size_t *order)
{
    const size_t n = graph->n_params;
    ct__id *old = ct__arena_array(&graph->arena, n, sizeof *old);
    bool *was_linear = ct__arena_array(&graph->arena, n, sizeof *was_linear);
    if (!old || !was_linear)
        return false;
    for (size_t i = 0; i < n; i++) {
        old[i] = graph->param[i];
        was_linear[i] = graph->linear_param && graph->linear_param[i];
    }
    for (size_t i = 0; i < n; i++) {
        graph->param[i] = old[order[i]];
        if (graph->linear_param)
            graph->linear_param[i] = was_linear[order[i]];
    }
    return true;
}

bool ct__graph_select_results(ct__graph *graph, size_t count, const size_t *order)
{
    ct__id *selected = ct__arena_array(&graph->arena, count, sizeof *selected);
    if (!selected)
        return false;
    for (size_t i = 0; i < count; i++)
        selected[i] = graph->result[order[i]];
    graph->result = selected;
    graph->n_results = count;
    return true;
}

bool ct__node_is_typed(const ct__graph *graph, const ct__node *node)
{
    bool is_typed = ct__has(node->op, CT__TYPED);
    for (size_t i = 0; i < node->n_results; i++)
        is_typed = is_typed || ct__graph_type(graph, node->first_result + (ct__id)i)->quantized;
    return is_typed;
}

/* ---- Pruning. */

/* live[v]: value v is needed. Backward over the nodes; returns how many are needed. */
static size_t mark_live(const ct__graph *graph, bool *live, bool *live_node)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->n_params; i++)
        live[graph->param[i]] = true;
    for (size_t i = 0; i < graph->n_results; i++)
        live[graph->result[i]] = true;
    for (size_t i = graph->n_nodes; i-- > 0;) {
        const ct__node *node = &graph->node[i];
        bool needed = ct__node_has_effect(node);
        for (size_t r = 0; r < node->n_results; r++)
            needed = needed || live[node->first_result + r];
        live_node[i] = needed;
        kept += needed;
        for (size_t k = 0; needed && k < node->n_operands; k++)
            live[node->operand[k]] = true;
        for (size_t r = 0; needed && r < node->n_results; r++)
            live[node->first_result + r] = true;
    }
    return kept;
}

/* Close the gaps: live values get consecutive numbers in their old order. */
static void compact(ct__graph *graph, const bool *live, const bool *live_node, ct__id *renamed)
{
    size_t n_values = 0, n_nodes = 0;
    for (size_t v = 0; v < graph->n_values; v++) {
        if (!live[v])
            continue;
        renamed[v] = (ct__id)n_values;
        graph->value[n_values++] = graph->value[v];
    }
    graph->n_values = n_values;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        if (!live_node[i]) {
            drop_node(&graph->node[i]);
            continue;
        }
        ct__node *node = &graph->node[n_nodes];
        *node = graph->node[i];
        node->first_result = node->n_results ? renamed[node->first_result] : 0;
        for (size_t k = 0; k < node->n_operands; k++)
            ((ct__id *)node->operand)[k] = renamed[node->operand[k]];
        for (size_t r = 0; r < node->n_results; r++)
            graph->value[node->first_result + r].node = (uint32_t)n_nodes;
        n_nodes++;
    }
    graph->n_nodes = n_nodes;
    graph->n_all_nodes = 0;
    graph->has_effect = false;
    graph->has_loop = false;
    graph->has_product = false;
    graph->depth = 0;
    for (size_t i = 0; i < n_nodes; i++)
        count_node(graph, &graph->node[i]);
    for (size_t i = 0; i < graph->n_params; i++)
        graph->param[i] = renamed[graph->param[i]];
    for (size_t i = 0; i < graph->n_results; i++)
        graph->result[i] = renamed[graph->result[i]];
}

bool ct__graph_prune(ct__graph *graph)
{
    ct__arena local;
    ct__arena_init(&local, &graph->arena.allocator);
    bool *live = CT__NEW_ARRAY(&local, bool, graph->n_values);
    bool *live_node = CT__NEW_ARRAY(&local, bool, graph->n_nodes);
    ct__id *renamed = CT__NEW_ARRAY(&local, ct__id, graph->n_values);
    bool fine = live && live_node && renamed;
    if (fine && mark_live(graph, live, live_node) < graph->n_nodes)
        compact(graph, live, live_node, renamed);
    ct__arena_free(&local);
    return fine;
}

bool ct__graph_used_params(const ct__graph *graph, ct__arena *arena, bool **used)
{
    bool *value = CT__NEW_ARRAY(arena, bool, graph->n_values);
    *used = CT__NEW_ARRAY(arena, bool, graph->n_params);
    if (!value || !*used)
        return false;
    for (size_t i = 0; i < graph->n_results; i++)
        value[graph->result[i]] = true;
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < graph->node[i].n_operands; k++)
            value[graph->node[i].operand[k]] = true;
    for (size_t i = 0; i < graph->n_params; i++)
        (*used)[i] = value[graph->param[i]];
    return true;
}

bool ct__graph_drop_params(ct__graph *graph, const bool *kept)
{
    ct__arena local;
    size_t n_params = 0;
    ct__arena_init(&local, &graph->arena.allocator);
    bool *live = CT__NEW_ARRAY(&local, bool, graph->n_values);
    bool *live_node = CT__NEW_ARRAY(&local, bool, graph->n_nodes);
    ct__id *renamed = CT__NEW_ARRAY(&local, ct__id, graph->n_values);
    bool fine = live && live_node && renamed;
    for (size_t v = 0; fine && v < graph->n_values; v++)
        live[v] = true;
    for (size_t i = 0; fine && i < graph->n_nodes; i++)
        live_node[i] = true;
    for (size_t i = 0; fine && i < graph->n_params; i++) {
        if (!kept[i]) {
            live[graph->param[i]] = false;
            continue;
        }
        if (graph->linear_param)
            graph->linear_param[n_params] = graph->linear_param[i];
        graph->param[n_params++] = graph->param[i];
    }
    if (fine) {
        graph->n_params = n_params;
        compact(graph, live, live_node, renamed);
    }
    ct__arena_free(&local);
    return fine;
}

/* ---- Asking. */

const ct__literal *ct__graph_literal(const ct__graph *graph, ct__id id)
{
    uint32_t node = graph->value[id].node;
    if (node == CT__NO_NODE || graph->node[node].op != CT__OP_constant)
        return NULL;
    return graph->node[node].attrs->constant.value;
}

bool ct__graph_body_type(const ct__graph *graph, ct__arena *arena, ct__body_type *type)
{
    const ct_type **param = CT__NEW_ARRAY(arena, const ct_type *, graph->n_params);
    const ct_type **result = CT__NEW_ARRAY(arena, const ct_type *, graph->n_results);
    if (!param || !result)
        return false;
    for (size_t i = 0; i < graph->n_params; i++)
        param[i] = ct__param_type(graph, i);
    for (size_t i = 0; i < graph->n_results; i++)
        result[i] = ct__result_type(graph, i);
    *type = (ct__body_type){graph->n_params, graph->n_results, param, result};
    return true;
}

int ct__graph_body_kind(const ct__graph *graph)
{
    if (graph->n_results != 1 || graph->n_params < 2)
        return CT__BODY_OTHER;
    if (graph->n_params == 2 && graph->n_nodes == 0)
        return graph->result[0] == graph->param[1] ? CT__BODY_NEW : CT__BODY_OLD;
    const ct__node *node = graph->node;
    if (ct__param_type(graph, 0)->quantized) /* the operation is not one on stored integers */
        return CT__BODY_OTHER;
    if (graph->n_params != 2 || graph->n_nodes != 1 || node->n_operands != 2 ||
        node->n_regions > 0 || graph->result[0] != node->first_result)
        return CT__BODY_OTHER;
    bool straight = node->operand[0] == graph->param[0] && node->operand[1] == graph->param[1];
    bool swapped = node->operand[0] == graph->param[1] && node->operand[1] == graph->param[0];
    if (!ct__has(node->op, CT__ELEMENTWISE) || ct__op_describe(node->op)->attrs != CT__ATTRS_none)
        return CT__BODY_OTHER;
    if (straight || (swapped && ct__has(node->op, CT__COMMUTATIVE)))
        return (int)node->op;
    return CT__BODY_OTHER;
}

size_t ct__updated_operands(const ct__node *node)
{
    if (node->op == CT__OP_dynamic_update_slice)
        return 1;
    return node->op == CT__OP_scatter ? (size_t)node->attrs->scatter.n_inputs : 0;
}

/* Behind the indices in a scatter. */
ct__id ct__update_of(const ct__node *node, size_t i)
{
    return node->operand[ct__updated_operands(node) + i + (node->op == CT__OP_scatter)];
}

bool ct__combines_updates(const ct__node *node)
{
    return node->op == CT__OP_scatter && ct__graph_body_kind(node->region[0]) != CT__BODY_NEW;
}

bool ct__is_checkpoint(ct__op op, const ct__attrs *attrs)
{
    return op == CT__OP_composite && strcmp(attrs->composite.name, CT__CHECKPOINT) == 0;
}
