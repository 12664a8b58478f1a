/* Equal operations: a hash of what a node does finds it among the nodes recorded before. */
#include "trace/rewrite/rewrite.h"

#include "ops/hash.h"

#include <stdlib.h>
#include <string.h>

/* ---- Hashes. */

static uint64_t mix_attrs(uint64_t hash, const ct__node *node)
{
    return ct__mix_attrs(hash, ct__op_describe(node->op)->attrs, node->attrs);
}

/* Which of two operands counts first: those of a commutative operation in the order of values. */
static bool is_swapped(const ct__node *node)
{
    return node->n_operands == 2 && ct__has(node->op, CT__COMMUTATIVE) &&
           node->operand[0] > node->operand[1];
}

static uint64_t hash_of(const ct__node *node, const ct_type *const *type)
{
    uint64_t hash = ct__mix(ct__mix((uint64_t)node->op, node->n_operands), node->n_results);
    bool swapped = is_swapped(node);
    for (size_t i = 0; i < node->n_operands; i++)
        hash = ct__mix(hash, node->operand[swapped ? 1 - i : i]);
    for (size_t i = 0; i < node->n_results; i++)
        hash = ct__mix_type(hash, type[i]);
    for (size_t i = 0; i < node->n_regions; i++)
        hash = ct__mix(hash, (uintptr_t)node->region[i]);
    return mix_attrs(hash, node);
}

/* A value by how it is made, for its number depends on the order of recording. */
static uint64_t mix_value(uint64_t hash, const ct__graph *graph, ct__id id)
{
    uint32_t node = graph->value[id].node;
    hash = ct__mix(hash, node);
    return node == CT__NO_NODE ? ct__mix_type(hash, graph->value[id].type)
                               : ct__mix(hash, id - graph->node[node].first_result);
}

/* Bodies inside count by pointer: equal ones are one already. */
uint64_t ct__graph_hash(const ct__graph *graph)
{
    uint64_t hash = ct__mix(ct__mix(graph->n_params, graph->n_results), graph->n_nodes);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        hash = ct__mix(mix_attrs(hash, node), (uint64_t)node->op);
        for (size_t k = 0; k < node->n_operands; k++)
            hash = mix_value(hash, graph, node->operand[k]);
        for (size_t k = 0; k < node->n_regions; k++)
            hash = ct__mix(hash, (uintptr_t)node->region[k]);
    }
    for (size_t i = 0; i < graph->n_results; i++)
        hash = mix_value(hash, graph, graph->result[i]);
    return hash;
}

/* ---- Comparing. */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_operands(const ct__node *a, const ct__node *b)
{
    if (a->n_operands != b->n_operands)
        return false;
    if (is_swapped(a) != is_swapped(b))
        return a->operand[0] == b->operand[1] && a->operand[1] == b->operand[0];
    return a->n_operands == 0 ||
           memcmp(a->operand, b->operand, a->n_operands * sizeof *a->operand) == 0;
}

static bool same_node(const ct__pass *p, const ct__node *a, const ct__node *b,
                      const ct_type *const *type)
{
    if (a->op != b->op || a->n_results != b->n_results || a->n_regions != b->n_regions ||
        !same_operands(a, b) || !same_text(a->extra, b->extra))
        return false;
    for (size_t i = 0; i < a->n_results; i++)
        if (!ct__type_equal(ct__type_of(p, a->first_result + (ct__id)i), type[i]))
            return false;
    for (size_t i = 0; i < a->n_regions; i++)
        if (a->region[i] != b->region[i])
            return false;
    return ct__attrs_equal(ct__op_describe(a->op)->attrs, a->attrs, b->attrs);
}

/* ---- The table. */

static bool may_merge(const ct__node *node, const ct_type *const *type)
{
    bool tensors = node->n_results > 0;
    for (size_t i = 0; i < node->n_results; i++)
        tensors = tensors && type[i]->kind == CT__TENSOR;
    return tensors && node->op != CT__OP_optimization_barrier && !ct__node_has_effect(node);
}

/* Where a node is listed: at first near its latest operand, for neighbours are looked up one after
 * the other; where that is crowded, as by a value of many readers, anywhere. */
enum { NEAR = 8 }; /* entries of one cache line */

typedef struct probe {
    size_t mask, near, far, tried;
} probe;

static probe start_probe(const ct__merger *m, const ct__node *node, uint32_t hash)
{
    ct__id latest = node->n_operands > 0 ? 0 : hash;
    for (size_t i = 0; i < node->n_operands; i++)
        latest = node->operand[i] > latest ? node->operand[i] : latest;
    return (probe){m->capacity - 1, (size_t)latest * NEAR, hash, 0};
}

static size_t next_probe(probe *at)
{
    size_t k = at->tried++;
    return (k < NEAR ? at->near + k : at->far + k) & at->mask;
}

bool ct__merge_find(ct__pass *p, const ct__node *node, const ct_type *const *type, ct__id *result,
                    uint32_t *hash)
{
    const ct__merger *m = &p->merger;
    *hash = 0;
    if (!may_merge(node, type))
        return false;
    *hash = (uint32_t)(hash_of(node, type) >> 20) | 1; /* 0 says that it is not listed */
    if (m->count == 0)
        return false;
    probe at = start_probe(m, node, *hash >> 1);
    const struct ct__merged *entry;
    while ((entry = &m->entry[next_probe(&at)])->node > 0) {
        if (entry->hash != *hash)
            continue;
        const ct__node *known = &p->to->node[entry->node - 1];
        if (!same_node(p, known, node, type))
            continue;
        for (size_t k = 0; k < known->n_results; k++)
            result[k] = known->first_result + (ct__id)k;
        return true;
    }
    return false;
}

static void put(ct__pass *p, ct__merger *m, uint32_t hash, uint32_t node)
{
    probe at = start_probe(m, &p->to->node[node - 1], hash >> 1);
    size_t i;
    while (m->entry[i = next_probe(&at)].node > 0)
        ;
    m->entry[i].hash = hash;
    m->entry[i].node = node;
}

/* At most three quarters full; at first with room for all nodes that are expected. */
bool ct__merge_reserve(ct__pass *p)
{
    ct__merger *m = &p->merger, grown = *m;
    if (m->count < m->capacity / 4 * 3)
        return true;
    grown.capacity = m->capacity > 0 ? 2 * m->capacity : 64;
    while (grown.capacity / 4 * 3 < p->n_expected && grown.capacity <= UINT32_MAX)
        grown.capacity *= 2;
    grown.entry = ct__arena_array(p->lasting, grown.capacity, sizeof *grown.entry);
    if (!grown.entry)
        return false;
    for (size_t i = 0; i < m->capacity; i++)
        if (m->entry[i].node > 0)
            put(p, &grown, m->entry[i].hash, m->entry[i].node);
    *m = grown;
    return true;
}

void ct__merge_add(ct__pass *p, uint32_t hash, uint32_t node)
{
    if (hash == 0)
        return;
    put(p, &p->merger, hash, node + 1);
    p->merger.count++;
}

/* ---- Places. */

/* In the order of places those of the node itself come before those moved to it. */
#define OWN_PLACES (SIZE_MAX / 2)

static int by_text(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int compare_places(const ct__moved_place *a, const ct__moved_place *b)
{
    int order = (a->node > b->node) - (a->node < b->node);
    if (order == 0)
        order = (a->at.line > b->at.line) - (a->at.line < b->at.line);
    if (order == 0)
        order = (a->at.column > b->at.column) - (a->at.column < b->at.column);
    return order != 0 ? order : by_text(a->at.file, b->at.file);
}

/* By node and place; of equal ones the first moved comes first. */
static int by_place(const void *a_, const void *b_)
{
    const ct__moved_place *a = a_, *b = b_;
    int order = compare_places(a, b);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* By node, then as they were moved. */
static int by_order(const void *a_, const void *b_)
{
    const ct__moved_place *a = a_, *b = b_;
    int order = (a->node > b->node) - (a->node < b->node);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* Make room for one more. */
static bool reserve_place(ct__pass *p)
{
    if (p->n_moved < p->moved_capacity)
        return true;
    size_t capacity = p->moved_capacity ? 2 * p->moved_capacity : 64;
    ct__moved_place *moved = ct__arena_array(p->lasting, capacity, sizeof *moved);
    if (!moved)
        return false;
    if (p->n_moved > 0)
        memcpy(moved, p->moved, p->n_moved * sizeof *moved);
    p->moved = moved;
    p->moved_capacity = capacity;
    return true;
}

static bool add_place(ct__pass *p, uint32_t node, size_t order, ct_place at)
{
    if (!at.file)
        return true;
    if (!reserve_place(p))
        return false;
    p->moved[p->n_moved++] = (ct__moved_place){node, order, at};
    return true;
}

bool ct__merge_places(ct__pass *p, uint32_t node, const ct__node *from)
{
    bool fine = add_place(p, node, OWN_PLACES + p->n_moved, from->at);
    for (size_t i = 0; fine && i < from->n_also; i++)
        fine = add_place(p, node, OWN_PLACES + p->n_moved, from->also[i]);
    return fine;
}

/* The places that the nodes have already; they come first. */
static bool add_own_places(ct__pass *p)
{
    bool fine = true;
    for (size_t i = 0, n = p->n_moved; fine && i < n; i++) {
        uint32_t at = p->moved[i].node;
        const ct__node *node = &p->to->node[at];
        if (i > 0 && p->moved[i - 1].node == at)
            continue;
        fine = add_place(p, at, 0, node->at);
        for (size_t k = 0; fine && k < node->n_also; k++)
            fine = add_place(p, at, k + 1, node->also[k]);
    }
    return fine;
}

static void drop_repeated(ct__pass *p)
{
    size_t count = 0;
    qsort(p->moved, p->n_moved, sizeof *p->moved, by_place);
    for (size_t i = 0; i < p->n_moved; i++)
        if (i == 0 || compare_places(&p->moved[i], &p->moved[i - 1]) != 0)
            p->moved[count++] = p->moved[i];
    p->n_moved = count;
}

bool ct__merge_end(ct__pass *p)
{
    if (p->n_moved == 0)
        return true;
    ct_place *also;
    qsort(p->moved, p->n_moved, sizeof *p->moved, by_order);
    if (!add_own_places(p) || !(also = ct__arena_array(p->lasting, p->n_moved, sizeof *also)))
        return false;
    drop_repeated(p);
    qsort(p->moved, p->n_moved, sizeof *p->moved, by_order);
    for (size_t i = 0, end; i < p->n_moved; i = end) {
        uint32_t node = p->moved[i].node;
        size_t count = 0;
        for (end = i; end < p->n_moved && p->moved[end].node == node; end++)
            if (p->moved[end].order > 0 || !p->to->node[node].at.file)
                also[count++] = p->moved[end].at;
        if (!ct__graph_set_places(p->to, node, count, also))
            return false;
    }
    return true;
}
