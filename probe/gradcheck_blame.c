/* The operation whose derivative is wrong. A graph is cut before one of its nodes: what lies behind
 * the cut is a function of the values that cross it, and its reverse derivative is right or not,
 * which differences tell. Behind the last node it is right, and before the first it is wrong; by
 * bisection a node is found that makes it wrong, and if that has bodies they are searched alike. */
#include "probe/gradcheck.h"

#include <cotangent/reduce.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { DEEPEST = 8 };

/* A graph whose values are known. */
typedef struct search {
    const ct__subject *s; /* context, place, options, arena, bits */
    const ct__graph *graph;
    void **value;    /* per value: its elements; NULL: it is no tensor, or was not needed */
    bool *moves;     /* per value: it depends on what is moved, and is of f64 */
    bool *is_result; /* per value: it is a wanted result */
    size_t depth;
} search;

static void *new_array(const ct__subject *s, size_t count, size_t bytes)
{
    void *array = ct__arena_array(s->arena, count, bytes);
    if (!array)
        ct__gradcheck_memory(s);
    return array;
}

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
    ct__id *id = new_array(s, b->graph->n_values, sizeof *id);
    size_t n = 0;
    ct__machine m = {.instance = NULL};

    b->value = new_array(s, b->graph->n_values, sizeof *b->value);
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

/* What depends on the parameters that move. */
static bool find_moving(search *b, const bool *moved)
{
    bool *depends = new_array(b->s, b->graph->n_values, sizeof *depends);

    b->moves = new_array(b->s, b->graph->n_values, sizeof *b->moves);
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
        b->moves[v] = depends[v] && ct__is_f64(ct__graph_type(b->graph, (ct__id)v));
    return true;
}

/* ---- What lies behind a cut. */

typedef struct behind {
    size_t n;   /* values that cross */
    ct__id *id; /* of them */
    void **x;   /* their elements, in memory of their own where they move */
    size_t n_wrt;
    int64_t *wrt;     /* those that move */
    ct__graph *graph; /* of them to one number; owned */
} behind;

/* The values that are made before node `cut` and used from it on. False where one is no tensor. */
static bool find_crossing(const search *b, size_t cut, behind *q)
{
    bool *used = new_array(b->s, b->graph->n_values, sizeof *used);

    q->id = new_array(b->s, b->graph->n_values, sizeof *q->id);
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
    for (size_t i = 0; i < q->n; i++)
        if (!b->value[q->id[i]])
            return false;
    return true;
}

/* Σ ybar y of the results that matter, a random ybar. */
static ct_tensor *weigh(const search *b, ct_tensor *const *value)
{
    const ct__subject *s = b->s;
    ct_tensor *sum = ct_zeros_at(s->at, s->ctx, CT_F64, CT_SHAPE());

    for (size_t v = 0; v < b->graph->n_values; v++) {
        if (!b->is_result[v])
            continue;
        const ct_type *type = ct__graph_type(b->graph, (ct__id)v);
        double *ybar = new_array(s, (size_t)type->size, sizeof *ybar);
        if (!ybar)
            return ct__poison(s->ctx);
        for (size_t i = 0; i < (size_t)type->size; i++)
            ybar[i] = 1 + 0.5 * ct__mix_signed(s->options->seed, 77 + v, i);
        ct_tensor *weight = ct_from_data_at(s->at, s->ctx, CT_F64,
                                            (ct_shape){(size_t)type->rank, type->dim}, ybar);
        ct_tensor *product = ct_op_multiply_at(s->at, value[v], weight);
        sum = ct_op_add_at(s->at, sum, ct_sum_at(s->at, product, CT_ALL_AXES, CT_DROP_AXES));
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
    q->x = new_array(b->s, q->n, sizeof *q->x);
    q->wrt = new_array(b->s, q->n, sizeof *q->wrt);
    if (!q->x || !q->wrt)
        return false;
    for (size_t i = 0; i < q->n; i++) {
        q->x[i] = b->value[q->id[i]];
        if (b->moves[q->id[i]])
            q->wrt[q->n_wrt++] = (int64_t)i;
    }
    q->graph = trace_behind(b, cut, q);
    return q->graph != NULL;
}

/* ---- Whether its reverse derivative is right: along one random direction of all that moves. */

/* A random direction, each entry of the size of its element. */
static bool choose_direction(const ct__subject *sub, double **tangent)
{
    for (size_t k = 0; k < sub->n_wrt; k++) {
        const size_t p = (size_t)sub->wrt[k], n = (size_t)ct__param_type(sub->graph, p)->size;
        const double *x = sub->x[p];
        tangent[p] = new_array(sub, n, sizeof *tangent[p]);
        if (!tangent[p])
            return false;
        for (size_t i = 0; i < n; i++) {
            const double u = 0.75 + 0.25 * ct__mix_signed(sub->options->seed, 999 + p, i);
            tangent[p][i] = u * (x[i] != 0 && isfinite(x[i]) ? fmin(fabs(x[i]), 1) : 1);
        }
    }
    return true;
}

/* <J' 1, v>, and the sum of its terms' sizes. */
static bool reverse_along(const ct__subject *sub, double *const *tangent, double *sum,
                          double *terms)
{
    ct_function *f = ct__function_new(sub->ctx, sub->at, ct__graph_retain(sub->graph));
    ct_function *vjp = ct_vjp_at(sub->at, f, (ct_args){.count = sub->n_wrt, .position = sub->wrt});
    void **input = new_array(sub, sub->graph->n_params + 1, sizeof *input);
    double one = 1;
    ct__machine m = {.instance = NULL};

    if (!input || ct_failed(sub->ctx))
        return false;
    memcpy(input, sub->x, sub->graph->n_params * sizeof *input);
    input[sub->graph->n_params] = &one;
    bool fine = ct__machine_begin(&m, sub->ctx, sub->at, ct__graph_retain(vjp->graph), input,
                                  sub->bits, sub->arena) &&
                ct__machine_run(&m) == CT_OK;
    *sum = *terms = 0;
    for (size_t k = 0; fine && k < sub->n_wrt; k++) {
        const size_t p = (size_t)sub->wrt[k];
        for (int64_t i = 0; i < ct__param_type(sub->graph, p)->size; i++) {
            const double term = ((const double *)m.result[k])[i] * tangent[p][i];
            *sum += term;
            *terms += fabs(term);
        }
    }
    ct__machine_end(&m);
    return fine;
}

/* A kink's derivative lies between the one-sided ones. */
static bool is_wrong(const ct__judgement *j, double derivative, double terms)
{
    const double room = 64 * DBL_EPSILON * terms;

    if (j->verdict == CT_GRADCHECK_KINK)
        return !(derivative >= fmin(j->above, j->below) - room &&
                 derivative <= fmax(j->above, j->below) + room);
    return j->verdict == CT_GRADCHECK_WRONG && !(fabs(derivative - j->estimate) <= room);
}

/* False after an error, and where the graph cannot be cut there: *wrong is false then. */
static bool judge_cut(const search *b, size_t cut, bool *wrong)
{
    behind q;
    ct__differences d = {.s = NULL};
    const bool wanted = true;
    ct__judgement j = {.verdict = CT_GRADCHECK_RIGHT};
    double sum = 0, terms = 0;

    *wrong = false;
    if (!find_behind(b, cut, &q))
        return false;
    ct__subject sub = *b->s;
    sub.graph = q.graph;
    sub.derivative = NULL;
    sub.x = q.x;
    sub.n_wrt = q.n_wrt;
    sub.wrt = q.wrt;
    sub.wanted = &wanted;
    sub.bits = ct__exact_bits(&sub);
    double **tangent = new_array(&sub, q.n, sizeof *tangent);
    bool fine = tangent && q.n_wrt > 0 && sub.bits > 0 && choose_direction(&sub, tangent) &&
                reverse_along(&sub, tangent, &sum, &terms) &&
                ct__differences_begin(&d, &sub, tangent, NULL) && ct__differences_run(&d, 1);
    if (fine) {
        const ct__exact_row row = {
            .derivative = sum, .noise = 32 * DBL_EPSILON * terms, .scale = 1};
        ct__differences_judge(&d, 0, 0, &row, &j);
        *wrong = is_wrong(&j, sum, terms);
    }
    ct__differences_end(&d);
    ct__graph_release(q.graph);
    return fine;
}

/* ---- The search. */

/* The node that is first to be wrong, seen from behind; -1: none, or it cannot be told. */
static int64_t bisect(const search *b)
{
    size_t low = 0, high = b->graph->n_nodes;
    bool wrong;

    if (!judge_cut(b, 0, &wrong) || !wrong)
        return -1;
    while (high - low > 1 && !ct_failed(b->s->ctx)) {
        const size_t middle = low + (high - low) / 2;
        if (!judge_cut(b, middle, &wrong))
            ct_error_clear(b->s->ctx);
        *(wrong ? &low : &high) = middle;
    }
    return ct_failed(b->s->ctx) ? -1 : (int64_t)low;
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
        int64_t *index = new_array(b->s, 1, sizeof *index);
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

/* Of a rule of the program the name of its function. */
static void tell(const ct__node *node, ct__blame *blame)
{
    blame->operation = ct__op_describe(node->op)->name;
    blame->function = node->op == CT__OP_custom_rule ? plain_name(node->region[0]->name) : NULL;
    blame->place = node->at;
}

static bool search_values(const search *b, ct__blame *blame)
{
    const int64_t found = bisect(b);

    if (found < 0)
        return false;
    const ct__node *node = &b->graph->node[found];
    void **x = new_array(b->s, node->n_operands, sizeof *x);
    bool *moved = new_array(b->s, node->n_operands, sizeof *moved);
    const ct__graph *body = x && moved ? body_of(b, node, x, moved) : NULL;
    if (body && b->depth < DEEPEST && search_in(b, body, x, moved, blame))
        return true;
    if (ct_failed(b->s->ctx))
        return false;
    tell(node, blame);
    return true;
}

static bool search_in(const search *outer, const ct__graph *graph, void *const *x,
                      const bool *moved, ct__blame *blame)
{
    search b = {.s = outer->s, .graph = graph, .depth = outer->depth + 1};

    b.is_result = new_array(b.s, graph->n_values, sizeof *b.is_result);
    if (!b.is_result)
        return false;
    for (size_t i = 0; i < graph->n_results; i++)
        b.is_result[graph->result[i]] = ct__is_f64(ct__result_type(graph, i));
    return find_values(&b, x) && find_moving(&b, moved) && search_values(&b, blame);
}

bool ct__find_blame(const ct__subject *s, size_t p, ct__blame *blame)
{
    search b = {.s = s, .graph = s->graph};
    bool *moved = new_array(s, s->graph->n_params, sizeof *moved);

    *blame = (ct__blame){.operation = NULL};
    b.is_result = new_array(s, s->graph->n_values, sizeof *b.is_result);
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
