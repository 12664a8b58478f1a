/* The operation whose derivative is wrong. A graph is cut before one of its nodes: what lies behind
 * the cut is a function of the values that cross it, and its reverse derivative is right or not,
 * which differences tell. Behind the last node it is right, and before the first it is wrong; by
 * bisection a node is found that makes it wrong, and if that has bodies they are searched alike. */
#include "probe/gradcheck.h"

#include <cotangent/reduce.h>

#include <string.h>

enum { DEEPEST = 8 };

/* A graph whose values are known. */
typedef struct search {
    const ct__subject *s; /* context, place, options, arena, bits */
    const ct__graph *graph;
    void **value;    /* per value: its elements; NULL: it is no tensor, or was not needed */
    bool *moves;     /* per value: it depends on what is moved, and can be moved itself */
    bool *is_whole;  /* per node: the graph cannot be cut before it */
    bool *is_result; /* per value: it is a wanted result */
    size_t depth;
} search;

/* ---- Values: a program that gives all of them. */

static ct__graph *trace_values(const search *b, ct__id *id, size_t *n)
{
    const ct__subject *s = b->s;
    ct__arena arena;
    ct__session session;
    ct__graph *graph = NULL;

    if (!ct__session_begin(&session, s->ctx, s->at, &arena, "values", b->graph))
        return NULL;
    ct_tensor **value = CT__NEW_ARRAY(&arena, ct_tensor *, b->graph->n_values);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, b->graph->n_values);
    bool fine = value && result;
    for (size_t i = 0; fine && i < b->graph->n_params; i++)
        value[b->graph->param[i]] = ct__trace_param(s->ctx, s->at, ct__param_type(b->graph, i));
    *n = 0;
    for (size_t i = 0; fine && i < b->graph->n_nodes; i++) {
        const ct__node *node = &b->graph->node[i];
        fine = ct__replay_node(s->ctx, b->graph, node, &arena, value);
        for (size_t k = 0; fine && k < node->n_results; k++) {
            const ct__id v = node->first_result + (ct__id)k;
            if (ct__graph_type(b->graph, v)->kind == CT__TENSOR) {
                id[*n] = v;
                result[(*n)++] = value[v];
            }
        }
    }
    if (fine)
        graph = ct__trace_close_flat(s->ctx, s->at, "gradcheck", *n, result);
    ct__session_end(&session);
    return graph;
}

static bool find_values(search *b, void *const *x)
{
    const ct__subject *s = b->s;
    ct__id *id = ct__gradcheck_array(s, b->graph->n_values, sizeof *id);
    size_t n = 0;
    ct__machine m = {.instance = NULL};

    b->value = ct__gradcheck_array(s, b->graph->n_values, sizeof *b->value);
    if (!id || !b->value)
        return false;
    ct__graph *values = trace_values(b, id, &n);
    bool fine = values && ct__machine_begin(&m, s->ctx, s->at, values, x, s->bits, s->arena) &&
                ct__machine_run(&m) == CT_OK;
    for (size_t i = 0; i < b->graph->n_params; i++)
        b->value[b->graph->param[i]] = x[i];
    for (size_t i = 0; fine && i < n; i++)
        b->value[id[i]] = m.result[i];
    ct__machine_end(&m);
    return fine;
}

/* Complex values part by part. */
static bool can_move(const ct_type *type)
{
    return ct__is_f64(type) || (type->kind == CT__TENSOR && type->dtype == CT_C128);
}

/* A cut at which this value crosses tells nothing: it is not known, or should move and cannot. */
static bool is_in_the_way(const search *b, ct__id v, bool depends)
{
    return !b->value[v] ||
           (depends && !b->moves[v] && ct__has_tangent(ct__graph_type(b->graph, v)));
}

/* No cut lies between where such a value is made and where it is used last. */
static bool find_whole(search *b, const bool *depends)
{
    const ct__graph *graph = b->graph;
    size_t *end = ct__gradcheck_array(b->s, graph->n_values, sizeof *end);

    b->is_whole = ct__gradcheck_array(b->s, graph->n_nodes, sizeof *b->is_whole);
    if (!end || !b->is_whole)
        return false;
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < graph->node[i].n_operands; k++)
            end[graph->node[i].operand[k]] = i + 1;
    for (size_t v = 0; v < graph->n_values; v++) {
        const uint32_t node = graph->value[v].node;
        if (!is_in_the_way(b, (ct__id)v, depends[v]))
            continue;
        for (size_t i = node == CT__NO_NODE ? 0 : node + 1;
             i < (b->is_result[v] ? graph->n_nodes : end[v]); i++)
            b->is_whole[i] = true;
    }
    return true;
}

/* What depends on the parameters that move, and where that can be cut. */
static bool find_moving(search *b, const bool *moved)
{
    bool *depends = ct__gradcheck_array(b->s, b->graph->n_values, sizeof *depends);

    b->moves = ct__gradcheck_array(b->s, b->graph->n_values, sizeof *b->moves);
    if (!depends || !b->moves)
        return false;
    for (size_t i = 0; i < b->graph->n_params; i++)
        depends[b->graph->param[i]] = moved[i];
    for (size_t i = 0; i < b->graph->n_nodes; i++) {
        const ct__node *node = &b->graph->node[i];
        bool any = false;
        for (size_t k = 0; k < node->n_operands; k++)
            any = any || depends[node->operand[k]];
        for (size_t k = 0; k < node->n_results; k++)
            depends[node->first_result + k] = any;
    }
    for (size_t v = 0; v < b->graph->n_values; v++)
        b->moves[v] = depends[v] && can_move(ct__graph_type(b->graph, (ct__id)v));
    return find_whole(b, depends);
}

/* ---- What lies behind a cut. */

typedef struct behind {
    size_t n;   /* values that cross */
    ct__id *id; /* of them */
    void **x;   /* their elements */
    size_t n_wrt;
    int64_t *wrt;     /* those that move */
    ct__graph *graph; /* of them, complex ones by parts, to one number; owned */
} behind;

/* The values that are made before node `cut` and used from it on. */
static bool find_crossing(const search *b, size_t cut, behind *q)
{
    bool *used = ct__gradcheck_array(b->s, b->graph->n_values, sizeof *used);

    q->id = ct__gradcheck_array(b->s, b->graph->n_values, sizeof *q->id);
    if (!used || !q->id)
        return false;
    for (size_t i = cut; i < b->graph->n_nodes; i++)
        for (size_t k = 0; k < b->graph->node[i].n_operands; k++)
            used[b->graph->node[i].operand[k]] = true;
    for (size_t v = 0; v < b->graph->n_values; v++) {
        const uint32_t node = b->graph->value[v].node;
        if ((used[v] || b->is_result[v]) && (node == CT__NO_NODE || node < cut))
            q->id[q->n++] = (ct__id)v;
    }
    return true;
}

/* Σ ybar y, a random ybar of stream `stream`, y of f64. */
static ct_tensor *weigh_one(const search *b, ct_tensor *y, uint64_t stream)
{
    const ct__subject *s = b->s;

    if (ct_is_poison(y))
        return y;
    const size_t n = (size_t)y->type->size;
    double *ybar = ct__gradcheck_array(s, n, sizeof *ybar);
    if (!ybar)
        return ct__poison(s->ctx);
    for (size_t i = 0; i < n; i++)
        ybar[i] = 1 + 0.5 * ct__mix_signed(s->options->seed, stream, i);
    ct_tensor *weight = ct_from_data_at(s->at, s->ctx, CT_F64, ct_shape_of(y), ybar);
    ct_tensor *product = ct_op_multiply_at(s->at, y, weight);
    return ct_sum_at(s->at, product, CT_ALL_AXES, CT_DROP_AXES);
}

/* The same of all results that matter, of complex ones by parts. */
static ct_tensor *weigh(const search *b, ct_tensor *const *value)
{
    const ct_place at = b->s->at;
    ct_tensor *sum = ct_zeros_at(at, b->s->ctx, CT_F64, CT_SHAPE());

    for (size_t v = 0; v < b->graph->n_values; v++) {
        const bool is_real = ct__is_f64(ct__graph_type(b->graph, (ct__id)v));
        if (!b->is_result[v])
            continue;
        ct_tensor *re = is_real ? value[v] : ct_op_real_at(at, value[v]);
        sum = ct_op_add_at(at, sum, weigh_one(b, re, 77 + v));
        if (!is_real)
            sum = ct_op_add_at(at, sum, weigh_one(b, ct_op_imag_at(at, value[v]), ~(uint64_t)v));
    }
    return sum;
}

static ct__graph *trace_behind(const search *b, size_t cut, const behind *q)
{
    const ct__subject *s = b->s;
    ct__arena arena;
    ct__session session;
    ct__graph *graph = NULL;

    if (!ct__session_begin(&session, s->ctx, s->at, &arena, "behind", b->graph))
        return NULL;
    ct_tensor **value = CT__NEW_ARRAY(&arena, ct_tensor *, b->graph->n_values);
    bool fine = value;
    for (size_t i = 0; fine && i < q->n; i++)
        value[q->id[i]] = ct__trace_param(s->ctx, s->at, ct__graph_type(b->graph, q->id[i]));
    for (size_t i = cut; fine && i < b->graph->n_nodes; i++)
        fine = ct__replay_node(s->ctx, b->graph, &b->graph->node[i], &arena, value);
    ct_tensor *sum = fine ? weigh(b, value) : NULL;
    if (sum && !ct_failed(s->ctx))
        graph = ct__trace_close_flat(s->ctx, s->at, "gradcheck", 1, &sum);
    ct__session_end(&session);
    return graph;
}

static bool find_behind(const search *b, size_t cut, behind *q)
{
    *q = (behind){.n = 0};
    if (!find_crossing(b, cut, q))
        return false;
    q->x = ct__gradcheck_array(b->s, q->n, sizeof *q->x);
    q->wrt = ct__gradcheck_array(b->s, q->n, sizeof *q->wrt);
    if (!q->x || !q->wrt)
        return false;
    for (size_t i = 0; i < q->n; i++) {
        q->x[i] = b->value[q->id[i]];
        if (b->moves[q->id[i]])
            q->wrt[q->n_wrt++] = (int64_t)i;
    }
    q->graph = ct__by_parts(b->s->ctx, b->s->at, trace_behind(b, cut, q), SIZE_MAX);
    return q->graph != NULL;
}

/* Whether what lies behind cut `cut` has a wrong derivative. False after an error, and where the
 * graph cannot be cut there: *wrong is false then. */
static bool judge_cut(const search *b, size_t cut, bool *wrong)
{
    behind q;
    const bool wanted = true;

    *wrong = false;
    if (!find_behind(b, cut, &q))
        return false;
    ct__subject sub = *b->s;
    sub.graph = q.graph;
    sub.x = q.x;
    sub.n_wrt = q.n_wrt;
    sub.wrt = q.wrt;
    sub.wanted = &wanted;
    const bool fine = q.n_wrt > 0 && ct__is_wrong_along(&sub, wrong);
    ct__graph_release(q.graph);
    return fine;
}

/* ---- The search. */

static bool is_own(const ct__node *node)
{
    return node->op == CT__OP_custom_rule || node->op == CT__OP_custom_call;
}

/* A place between both where the graph can be cut, near the middle; `low`: there is none. */
static size_t middle_of(const search *b, size_t low, size_t high)
{
    const size_t middle = low + (high - low) / 2;
    size_t down = middle, up = middle;

    while (down > low && b->is_whole[down])
        down--;
    while (up < high && b->is_whole[up])
        up++;
    return down > low ? down : up < high ? up : low;
}

/* Of nodes that no cut tells apart the one that has a rule of the program's own, or the first. */
static size_t suspect(const search *b, size_t low, size_t high)
{
    for (size_t i = low; i < high; i++)
        if (is_own(&b->graph->node[i]))
            return i;
    return low;
}

/* The node that is first to be wrong, seen from behind; -1: none, or it cannot be told. */
static int64_t bisect(const search *b)
{
    size_t low = 0, high = b->graph->n_nodes, middle;
    bool wrong;

    if (high == 0 || b->is_whole[0] || !judge_cut(b, 0, &wrong) || !wrong)
        return -1;
    while ((middle = middle_of(b, low, high)) > low && !ct_failed(b->s->ctx)) {
        if (!judge_cut(b, middle, &wrong))
            ct_error_clear(b->s->ctx);
        *(wrong ? &low : &high) = middle;
    }
    return ct_failed(b->s->ctx) ? -1 : (int64_t)suspect(b, low, high);
}

static bool search_in(const search *outer, const ct__graph *graph, void *const *x,
                      const bool *moved, ct__blame *blame);

/* Row `at` of a stacked value. */
static void *row_of(const ct_type *type, void *x, int64_t at)
{
    const size_t bytes = ct__data_bytes(type) / (size_t)(type->dim[0] > 0 ? type->dim[0] : 1);
    return (unsigned char *)x + bytes * (size_t)at;
}

/* Which body runs; -1: none that could be searched. */
static int region_of(const search *b, const ct__node *node)
{
    const void *first = node->n_operands > 0 ? b->value[node->operand[0]] : NULL;
    const int last = (int)node->n_regions - 1;
    int32_t index;

    if (!ct__has(node->op, CT__CONTROL) || node->op == CT__OP_custom_rule)
        return -1;
    switch (node->op) {
    case CT__OP_while: return 1;
    case CT__OP_if: return first ? !*(const bool *)first : -1;
    case CT__OP_case:
        if (!first)
            return -1;
        memcpy(&index, first, sizeof index);
        return index < 0 || index > last ? last : index;
    case CT__OP_scan: return node->attrs->scan.length > 0 ? 0 : -1;
    default: return 0;
    }
}

/* Operand i as the body's parameter of the first iteration. */
static void *param_of(const search *b, const ct__node *node, size_t i)
{
    const ct__id v = node->operand[i];
    const size_t carries = node->op == CT__OP_scan ? (size_t)node->attrs->scan.n_carry : 0;
    void *x = b->value[v];

    if (x && node->op == CT__OP_for && i == 0) {
        int64_t *index = ct__gradcheck_array(b->s, 1, sizeof *index);
        if (index && node->attrs->counted.is_reverse)
            *index = *(const int64_t *)x - 1;
        return index;
    }
    if (x && node->op == CT__OP_scan && i >= carries &&
        i < carries + (size_t)node->attrs->scan.n_inputs)
        return row_of(ct__graph_type(b->graph, v), x,
                      node->attrs->scan.is_reverse ? node->attrs->scan.length - 1 : 0);
    return x;
}

/* The body that runs, or runs first, and where its parameters are; NULL: none. */
static const ct__graph *body_of(const search *b, const ct__node *node, void **x, bool *moved)
{
    const int region = region_of(b, node);
    const size_t first = node->op == CT__OP_if || node->op == CT__OP_case;

    for (size_t i = first; region >= 0 && i < node->n_operands; i++) {
        x[i - first] = param_of(b, node, i);
        moved[i - first] = b->moves[node->operand[i]];
        if (!x[i - first])
            return NULL;
    }
    return region >= 0 ? node->region[region] : NULL;
}

/* A name as the program has it: rewriting has put its own words before it. */
static const char *plain_name(const char *name)
{
    static const char *const words[] = {"gradcheck_", "parts_"};

    for (size_t i = 0; i < 2; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            return plain_name(name + strlen(words[i]));
    return name;
}

/* Of a rule of the program the name of its function, of a call that of its target. */
static const char *function_of(const ct__node *node)
{
    return node->op == CT__OP_custom_rule   ? plain_name(node->region[0]->name)
           : node->op == CT__OP_custom_call ? node->attrs->custom_call.call_target_name
                                            : NULL;
}

/* Whether the check itself put it there, as it takes complex arguments and results apart. */
static bool is_inserted(const search *b, const ct__node *node)
{
    const ct_place at = b->s->at;

    return !is_own(node) && at.file && node->at.file && at.line == node->at.line &&
           strcmp(at.file, node->at.file) == 0;
}

static void tell(const search *b, const ct__node *node, ct__blame *blame)
{
    if (is_inserted(b, node))
        return;
    blame->operation = ct__op_describe(node->op)->name;
    blame->function = function_of(node);
    blame->place = node->at;
}

static bool search_values(const search *b, ct__blame *blame)
{
    const int64_t found = bisect(b);

    if (found < 0)
        return false;
    const ct__node *node = &b->graph->node[found];
    void **x = ct__gradcheck_array(b->s, node->n_operands, sizeof *x);
    bool *moved = ct__gradcheck_array(b->s, node->n_operands, sizeof *moved);
    const ct__graph *body = x && moved ? body_of(b, node, x, moved) : NULL;
    if (body && b->depth < DEEPEST && search_in(b, body, x, moved, blame))
        return true;
    if (ct_failed(b->s->ctx))
        return false;
    tell(b, node, blame);
    return true;
}

static bool search_in(const search *outer, const ct__graph *graph, void *const *x,
                      const bool *moved, ct__blame *blame)
{
    search b = {.s = outer->s, .graph = graph, .depth = outer->depth + 1};

    b.is_result = ct__gradcheck_array(b.s, graph->n_values, sizeof *b.is_result);
    if (!b.is_result)
        return false;
    for (size_t i = 0; i < graph->n_results; i++)
        b.is_result[graph->result[i]] = can_move(ct__result_type(graph, i));
    return find_values(&b, x) && find_moving(&b, moved) && search_values(&b, blame);
}

bool ct__find_blame(const ct__subject *s, size_t p, ct__blame *blame)
{
    search b = {.s = s, .graph = s->graph};
    bool *moved = ct__gradcheck_array(s, s->graph->n_params, sizeof *moved);

    *blame = (ct__blame){.operation = NULL};
    b.is_result = ct__gradcheck_array(s, s->graph->n_values, sizeof *b.is_result);
    if (!moved || !b.is_result)
        return false;
    moved[p] = true;
    for (size_t i = 0; i < s->graph->n_results; i++)
        b.is_result[s->graph->result[i]] = s->wanted[i];
    if (find_values(&b, s->x) && find_moving(&b, moved))
        search_values(&b, blame);
    if (ct_failed(s->ctx) && ct_error_status(s->ctx) != CT_ERR_MEMORY)
        ct_error_clear(s->ctx); /* what cannot be searched has no name */
    return !ct_failed(s->ctx);
}
