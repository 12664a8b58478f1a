#include "interop/cost.h"
#include "interop/map.h"
#include "ops/reduce_window.h"

#include <cotangent/op_large.h>

#include <math.h>
#include <string.h>

/* ---- Arithmetic that stays at the top. */

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t mul(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- One node. */

/* The costs of graphs are kept by pointer: a function may be called from many places, and those
 * functions from many more. */
typedef struct memo {
    ct__arena arena;
    const ct__graph *outermost; /* whose parameters are the caller's */
    ct__map costs;              /* graph pointer -> ct__cost */
} memo;

static const ct__cost *cost_of(memo *m, const ct__graph *graph);

typedef struct visit {
    const ct__graph *graph;
    const ct__node *node;
    const ct__cost **body; /* of its regions */
    const bool *in_place;  /* per value: it is written over the operand of its number */
} visit;

static uint64_t bytes_of(const visit *v, ct__id id)
{
    return ct__data_bytes(ct__graph_type(v->graph, id));
}

static uint64_t size_of(const visit *v, ct__id id)
{
    const ct_type *type = ct__graph_type(v->graph, id);
    return type->kind == CT__TENSOR ? (uint64_t)type->size : 0;
}

/* Every result element folds one window, or one element more than the one before it. */
static uint64_t window_elements(const visit *v)
{
    const struct ct__attrs_reduce_window *a = &v->node->attrs->reduce_window;
    ct__ints window = a->window_dimensions;
    uint64_t count = size_of(v, v->node->first_result);
    if (ct__running_axis(a, ct__graph_type(v->graph, v->node->operand[0])) >= 0)
        return count;
    for (size_t d = 0; d < window.count; d++)
        count = mul(count, (uint64_t)window.item[d]);
    return count;
}

/* Every element of a source looks at one window. */
static uint64_t selected_elements(const visit *v)
{
    ct__ints window = v->node->attrs->select_and_scatter.window_dimensions;
    uint64_t count = size_of(v, v->node->operand[1]);
    for (size_t d = 0; d < window.count; d++)
        count = mul(count, (uint64_t)window.item[d]);
    return count;
}

/* n log2 n per line of n elements. */
static uint64_t comparisons(const visit *v)
{
    const ct_type *x = ct__graph_type(v->graph, v->node->operand[0]);
    uint64_t levels = 0, count = (uint64_t)x->dim[v->node->attrs->sort.dimension];
    while (levels < 63 && (uint64_t)1 << levels < count)
        levels++;
    return mul((uint64_t)x->size, levels);
}

/* How often the bodies are applied in a run; a while without a known count counts as one iteration.
 */
static uint64_t body_runs(const visit *v)
{
    const ct__node *node = v->node;
    size_t n;
    switch (node->op) {
    case CT__OP_map:
    case CT__OP_reduce: return size_of(v, node->operand[0]);
    case CT__OP_reduce_window: return window_elements(v);
    case CT__OP_select_and_scatter: return selected_elements(v);
    case CT__OP_sort: return comparisons(v);
    case CT__OP_scatter:
        n = (size_t)node->attrs->scatter.n_inputs;
        return size_of(v, node->operand[n + 1]);
    case CT__OP_scan: return (uint64_t)node->attrs->scan.length;
    default: return 1;
    }
}

/* A product and a sum for each term. */
static uint64_t product_flops(const visit *v)
{
    uint64_t terms = ct__terms_of_product(v->graph, v->node);
    return mul(mul(2, size_of(v, v->node->first_result)), terms);
}

/* Of n·n: n roots, n (n - 1)/2 quotients, (n^3 - n)/6 products and as many differences, which is
 * 1 + 4 + … + n^2 = n (n + 1) (2n + 1)/6, about n^3/3. */
static uint64_t cholesky_flops(const visit *v)
{
    const ct_type *a = ct__graph_type(v->graph, v->node->operand[0]);
    uint64_t n = (uint64_t)a->dim[a->rank - 1], sum = 0;
    uint64_t matrices = a->size > 0 ? (uint64_t)a->size / (n * n) : 0;
    for (uint64_t k = 1; matrices > 0 && k <= n && sum < UINT64_MAX; k++)
        sum = add(sum, mul(k, k));
    return mul(matrices, sum);
}

/* n^2 for each column of n: n (n - 1)/2 products, as many differences, n quotients. */
static uint64_t triangular_solve_flops(const visit *v)
{
    const ct_type *a = ct__graph_type(v->graph, v->node->operand[0]);
    uint64_t n = (uint64_t)a->dim[a->rank - 1];
    uint64_t per_element = n > 0 && v->node->attrs->triangular_solve.unit_diagonal ? n - 1 : n;
    return mul(size_of(v, v->node->operand[1]), per_element);
}

/* 5 n log2 n of complex and half of that of real numbers, where n are the elements of a transform:
 * what the usual radix 2 takes. */
static uint64_t fft_flops(const visit *v)
{
    const struct ct__attrs_fft *a = &v->node->attrs->fft;
    bool is_real = a->fft_type == CT_RFFT || a->fft_type == CT_IRFFT;
    ct__id longer = a->fft_type == CT_IRFFT ? v->node->first_result : v->node->operand[0];
    double elements = (double)size_of(v, longer), n = 1;
    for (size_t d = 0; d < a->fft_length.count; d++)
        n *= (double)a->fft_length.item[d];
    double flops = n > 1 ? (is_real ? 2.5 : 5) * elements * log2(n) : 0;
    return flops < 0x1p63 ? (uint64_t)llround(flops) : UINT64_MAX;
}

/* Whether one of the bodies runs; else all do. */
static bool chooses(const ct__node *node)
{
    return node->op == CT__OP_if || node->op == CT__OP_case;
}

/* Rules do not run. */
static size_t running_bodies(const ct__node *node)
{
    return ct__has(node->op, CT__CALLS) ? 1 : node->n_regions;
}

static uint64_t body_flops(const visit *v)
{
    uint64_t most = 0, sum = 0;
    for (size_t r = 0; r < running_bodies(v->node); r++) {
        most = larger(most, v->body[r]->flops);
        sum = add(sum, v->body[r]->flops);
    }
    return mul(body_runs(v), chooses(v->node) ? most : sum);
}

/* Copies bits, or combines truth values. */
static bool computes_nothing(const visit *v)
{
    const ct__node *node = v->node;
    switch (node->op) {
    case CT__OP_select:
    case CT__OP_stop_gradient:
    case CT__OP_bitcast_convert:
    case CT__OP_real:
    case CT__OP_imag:
    case CT__OP_complex: return true;
    case CT__OP_convert:
    case CT__OP_and:
    case CT__OP_or:
    case CT__OP_xor:
    case CT__OP_not: return ct__graph_type(v->graph, node->operand[0])->dtype == CT_BOOL;
    default: return false;
    }
}

/* Per element. What is made of several operations counts them: a maximum and a minimum; a quotient
 * and an arctangent; a logarithm, a product and an exponential. So does bessel_i1e, whose
 * derivative is written out: a product and a sum for each of 32 terms of its series. */
static uint64_t elementwise_flops(const visit *v)
{
    switch (v->node->op) {
    case CT__OP_clamp:
    case CT__OP_atan2: return 2;
    case CT__OP_power: return 3;
    case CT__OP_bessel_i1e: return 64;
    default: return computes_nothing(v) ? 0 : 1;
    }
}

static uint64_t flops_of(const visit *v)
{
    const ct__node *node = v->node;
    if (node->n_regions > 0)
        return body_flops(v);
    switch (node->op) {
    case CT__OP_dot_general:
    case CT__OP_ragged_dot:
    case CT__OP_convolution: return product_flops(v);
    case CT__OP_cholesky: return cholesky_flops(v);
    case CT__OP_triangular_solve: return triangular_solve_flops(v);
    case CT__OP_fft: return fft_flops(v);
    default: break;
    }
    if (!ct__has(node->op, CT__ELEMENTWISE))
        return 0;
    return mul(size_of(v, node->first_result), elementwise_flops(v));
}

/* ---- Updates in place. */

/* last[root]: the last node that reads it, n_nodes where it is a result; reshapes share a root. */
static void find_last_reads(const ct__graph *graph, ct__id *root, size_t *last)
{
    for (ct__id id = 0; id < graph->n_values; id++)
        root[id] = id;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        if (node->op == CT__OP_reshape)
            root[node->first_result] = root[node->operand[0]];
        for (size_t k = 0; k < node->n_operands; k++)
            last[root[node->operand[k]]] = i;
    }
    for (size_t i = 0; i < graph->n_results; i++)
        last[root[graph->result[i]]] = graph->n_nodes;
}

/* Whether there is memory of the value's own: not of a constant, nor of one element repeated. */
static bool is_own(const memo *m, const ct__graph *graph, ct__id root)
{
    const uint32_t maker = graph->value[root].node;
    if (maker == CT__NO_NODE)
        return graph != m->outermost;
    const ct__node *node = &graph->node[maker];
    return node->op != CT__OP_constant && (node->op != CT__OP_broadcast_in_dim ||
                                           ct__graph_type(graph, node->operand[0])->size > 1);
}

static size_t count_operand(const ct__node *node, const ct__id *root, ct__id wanted)
{
    size_t count = 0;
    for (size_t k = 0; k < node->n_operands; k++)
        count += root[node->operand[k]] == wanted;
    return count;
}

/* NULL when memory is short. */
static const bool *find_in_place(memo *m, const ct__graph *graph)
{
    ct__id *root = CT__NEW_ARRAY(&m->arena, ct__id, graph->n_values);
    size_t *last = CT__NEW_ARRAY(&m->arena, size_t, graph->n_values);
    bool *in_place = CT__NEW_ARRAY(&m->arena, bool, graph->n_values);
    if (!root || !last || !in_place)
        return NULL;
    find_last_reads(graph, root, last);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        for (size_t k = 0; k < ct__updated_operands(node); k++) {
            const ct__id x = root[node->operand[k]];
            in_place[node->first_result + k] = last[x] == i && is_own(m, graph, x) &&
                                               count_operand(node, root, x) == 1;
        }
    }
    return in_place;
}

static bool is_in_place(const visit *v, size_t result)
{
    return v->in_place && result < v->node->n_results &&
           v->in_place[v->node->first_result + result];
}

/* What is written where result i is in place of operand i. */
static uint64_t window_bytes(const visit *v, size_t i)
{
    return bytes_of(v, ct__update_of(v->node, i));
}

/* ---- Bytes. */

static uint64_t read_in_place(const visit *v, size_t i)
{
    return ct__combines_updates(v->node) ? window_bytes(v, i) : 0;
}

/* What moves data reads no more of an operand than it writes. */
static uint64_t own_reads(const visit *v)
{
    const ct__node *node = v->node;
    uint64_t sum = 0, limit = UINT64_MAX;
    if (ct__has(node->op, CT__MOVES_DATA) && node->n_results == 1)
        limit = bytes_of(v, node->first_result);
    for (size_t i = 0; i < node->n_operands; i++) {
        uint64_t bytes = bytes_of(v, node->operand[i]);
        sum = add(sum, is_in_place(v, i) ? read_in_place(v, i)
                       : i == 0          ? smaller(limit, bytes)
                                         : bytes);
    }
    return sum;
}

static uint64_t own_writes(const visit *v)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < v->node->n_results && v->node->op != CT__OP_constant; i++)
        sum = add(sum, is_in_place(v, i) ? window_bytes(v, i)
                                         : bytes_of(v, v->node->first_result + (ct__id)i));
    return sum;
}

/* The body that moves the most bytes. */
static const ct__cost *dearest(const visit *v)
{
    const ct__cost *most = v->body[0];
    for (size_t r = 1; r < v->node->n_regions; r++)
        if (add(v->body[r]->bytes_read, v->body[r]->bytes_written) >
            add(most->bytes_read, most->bytes_written))
            most = v->body[r];
    return most;
}

static void add_bytes(const visit *v, ct__cost *cost)
{
    uint64_t reads = 0, writes = 0;
    if (!ct__has(v->node->op, CT__CONTROL)) {
        reads = own_reads(v);
        writes = own_writes(v);
    } else if (chooses(v->node)) {
        const ct__cost *branch = dearest(v);
        reads = add(branch->bytes_read, bytes_of(v, v->node->operand[0]));
        writes = branch->bytes_written;
    } else {
        for (size_t r = 0; r < running_bodies(v->node); r++) {
            reads = add(reads, mul(body_runs(v), v->body[r]->bytes_read));
            writes = add(writes, mul(body_runs(v), v->body[r]->bytes_written));
        }
    }
    cost->bytes_read = add(cost->bytes_read, reads);
    cost->bytes_written = add(cost->bytes_written, writes);
}

static uint64_t constant_bytes(const ct__literal *literal)
{
    if (literal->type->size > 0 && ct__literal_is_splat(literal))
        return ct_dtype_bytes(literal->type->dtype);
    return ct__data_bytes(literal->type);
}

static void add_counts(const visit *v, ct__cost *cost)
{
    const ct__node *node = v->node;
    cost->n_nodes = add(cost->n_nodes, 1);
    cost->count[node->op] = add(cost->count[node->op], 1);
    if (node->op == CT__OP_constant)
        cost->constant_bytes = add(cost->constant_bytes,
                                   constant_bytes(node->attrs->constant.value));
    for (size_t r = 0; r < node->n_regions; r++) {
        const ct__cost *body = v->body[r];
        cost->n_nodes = add(cost->n_nodes, body->n_nodes);
        cost->constant_bytes = add(cost->constant_bytes, body->constant_bytes);
        for (size_t op = 0; op < CT__OP_COUNT; op++)
            cost->count[op] = add(cost->count[op], body->count[op]);
    }
}

/* in_place: find_in_place; NULL: nothing is. */
static bool open_visit(memo *m, const ct__graph *graph, const ct__node *node, const bool *in_place,
                       visit *v)
{
    *v = (visit){graph, node, CT__NEW_ARRAY(&m->arena, const ct__cost *, node->n_regions),
                 in_place};
    if (!v->body)
        return false;
    for (size_t r = 0; r < node->n_regions; r++)
        if (!(v->body[r] = cost_of(m, node->region[r])))
            return false;
    return true;
}

/* ---- The fullest moment. */

/* last[v]: the node after which v is dead; n_nodes for what lives to the end. */
static void find_last_uses(const ct__graph *graph, size_t *last)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        for (size_t r = 0; r < node->n_results; r++)
            last[node->first_result + r] = node->op == CT__OP_constant ? graph->n_nodes : i;
        for (size_t k = 0; k < node->n_operands; k++)
            if (last[node->operand[k]] != graph->n_nodes)
                last[node->operand[k]] = i;
    }
    for (size_t i = 0; i < graph->n_params; i++)
        last[graph->param[i]] = graph->n_nodes;
    for (size_t i = 0; i < graph->n_results; i++)
        last[graph->result[i]] = graph->n_nodes;
}

/* What a body holds beyond its parameters and results, which are counted outside. */
static uint64_t inner_peak(const visit *v)
{
    uint64_t peak = 0;
    for (size_t r = 0; r < running_bodies(v->node); r++) {
        const ct__graph *body = v->node->region[r];
        uint64_t held = 0;
        for (size_t i = 0; i < body->n_params; i++)
            held = add(held, ct__data_bytes(ct__param_type(body, i)));
        peak = larger(peak, v->body[r]->peak_bytes - smaller(v->body[r]->peak_bytes, held));
    }
    return ct__has(v->node->op, CT__CONTROL) ? peak : 0;
}

static uint64_t result_bytes(const visit *v)
{
    uint64_t sum = 0;
    if (v->node->op == CT__OP_constant)
        return constant_bytes(v->node->attrs->constant.value);
    for (size_t i = 0; i < v->node->n_results; i++)
        if (!is_in_place(v, i))
            sum = add(sum, bytes_of(v, v->node->first_result + (ct__id)i));
    return sum;
}

/* What is written over an operand lives where that is: it is freed, or not, in its stead. */
static void take_over(const visit *v, size_t n_nodes, size_t *last)
{
    for (size_t i = 0; i < v->node->n_results; i++) {
        if (!is_in_place(v, i))
            continue;
        if (last[v->node->operand[i]] == n_nodes)
            last[v->node->first_result + i] = n_nodes;
        last[v->node->operand[i]] = SIZE_MAX;
    }
}

/* The bytes that are free after node i; an operand that stands twice is freed once. */
static uint64_t freed_after(const visit *v, size_t i, size_t *last)
{
    uint64_t sum = 0;
    const ct__node *node = v->node;
    for (size_t k = 0; k < node->n_operands; k++) {
        if (last[node->operand[k]] != i)
            continue;
        sum = add(sum, bytes_of(v, node->operand[k]));
        last[node->operand[k]] = SIZE_MAX;
    }
    for (size_t r = 0; r < node->n_results; r++)
        if (last[node->first_result + r] == i)
            sum = add(sum, bytes_of(v, node->first_result + (ct__id)r));
    return sum;
}

static bool add_peak(memo *m, const ct__graph *graph, const bool *in_place, ct__cost *cost)
{
    size_t *last = CT__NEW_ARRAY(&m->arena, size_t, graph->n_values);
    uint64_t live = 0;
    if (!last)
        return false;
    find_last_uses(graph, last);
    for (size_t i = 0; i < graph->n_params; i++)
        live = add(live, ct__data_bytes(ct__param_type(graph, i)));
    cost->peak_bytes = live;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        visit v;
        if (!open_visit(m, graph, &graph->node[i], in_place, &v))
            return false;
        take_over(&v, graph->n_nodes, last);
        live = add(live, result_bytes(&v));
        cost->peak_bytes = larger(cost->peak_bytes, add(live, inner_peak(&v)));
        live -= smaller(live, freed_after(&v, i, last));
    }
    return true;
}

/* ---- Graphs. */

static const ct__cost *cost_of(memo *m, const ct__graph *graph)
{
    const ct__map_entry *known = ct__map_find_pointer(&m->costs, graph);
    if (known)
        return known->value;
    ct__cost *cost = CT__NEW(&m->arena, ct__cost);
    const bool *in_place = find_in_place(m, graph);
    if (!cost || !in_place)
        return NULL;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        visit v;
        if (!open_visit(m, graph, &graph->node[i], in_place, &v))
            return NULL;
        add_counts(&v, cost);
        add_bytes(&v, cost);
        cost->flops = add(cost->flops, flops_of(&v));
    }
    ct__map_entry *entry = ct__map_add_pointer(&m->costs, graph);
    if (!entry)
        return NULL;
    entry->value = cost;
    return add_peak(m, graph, in_place, cost) ? cost : NULL;
}

bool ct__graph_cost(const ct_allocator *allocator, const ct__graph *graph, ct__cost *cost)
{
    memo m;
    ct__arena_init(&m.arena, allocator);
    ct__map_init(&m.costs, &m.arena);
    m.outermost = graph;
    const ct__cost *found = cost_of(&m, graph);
    if (found)
        *cost = *found;
    ct__arena_free(&m.arena);
    return found != NULL;
}

bool ct__node_flops(const ct_allocator *allocator, const ct__graph *graph, const ct__node *node,
                    uint64_t *flops)
{
    memo m;
    visit v;
    ct__arena_init(&m.arena, allocator);
    ct__map_init(&m.costs, &m.arena);
    m.outermost = graph;
    const bool fine = open_visit(&m, graph, node, NULL, &v);
    if (fine)
        *flops = flops_of(&v);
    ct__arena_free(&m.arena);
    return fine;
}
