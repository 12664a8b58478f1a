/* What is worth its bytes. Keeping the results of a node spares the node, and all that is computed
 * again for it alone: the nodes that it dominates on the ways from the residuals back to the
 * parameters. Those that spare most per byte are kept; then the others are looked at anew, for what
 * is kept shares its work no longer. What the results of the function do not need, as slopes, is
 * computed for the residuals alone: once, on the way there or back, so that nothing spares it. */
#include "ad/keep.h"
#include "ad/bodies.h"

#include "trace/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ct__find_needed_again(const ct__cut *cut, const bool *kept, bool *needed)
{
    memset(needed, 0, cut->known->n_values * sizeof *needed);
    for (size_t r = 0; r < cut->n_residuals; r++)
        needed[cut->residual[r]] = true;
    ct__find_needed(cut->known, kept, needed);
}

/* ---- Efforts: elements made; of what is not elementwise, those read too, and of products their
 * multiplications and additions. */

typedef struct efforts {
    const ct_allocator *allocator;
    ct__lookup known; /* graph -> its effort, for bodies stand in many places */
    bool failed;
} efforts;

static double effort_of(efforts *e, const ct__graph *graph, const ct__node *node);

static double effort_of_body(efforts *e, const ct__graph *body)
{
    size_t found;
    double sum = 0;
    if (ct__lookup_find(&e->known, (uintptr_t)body, 0, &found))
        return (double)found;
    for (size_t i = 0; i < body->n_nodes; i++)
        sum += effort_of(e, body, &body->node[i]);
    sum = fmin(sum, 0x1p53);
    if (ct__lookup_reserve(e->allocator, &e->known))
        ct__lookup_add(&e->known, (uintptr_t)body, 0, (size_t)sum);
    else
        e->failed = true;
    return sum;
}

/* Of calls, choices and loops; an iteration of those whose count only a run knows. */
static double effort_inside(efforts *e, const ct__node *node)
{
    double most = 0, sum = 0;
    size_t n = ct__has(node->op, CT__CALLS) ? 1 : node->n_regions;
    for (size_t b = 0; b < n; b++) {
        double body = effort_of_body(e, node->region[b]);
        most = fmax(most, body);
        sum += body;
    }
    if (node->op == CT__OP_if || node->op == CT__OP_case)
        return most;
    return node->op == CT__OP_scan ? sum * (double)node->attrs->scan.length : sum;
}

/* How many products each element of the result sums. */
static double terms_of(const ct__graph *graph, const ct__node *node)
{
    if (node->op != CT__OP_cholesky && node->op != CT__OP_triangular_solve)
        return (double)ct__terms_of_product(graph, node);
    const ct_type *a = ct__graph_type(graph, node->operand[0]);
    return (double)a->dim[a->rank - 1] / 2; /* of a row or column, half on average */
}

static double effort_of(efforts *e, const ct__graph *graph, const ct__node *node)
{
    double read = 0, made = 0;
    if (node->op == CT__OP_reshape || node->op == CT__OP_optimization_barrier)
        return 0;
    for (size_t r = 0; r < node->n_results; r++)
        made += (double)ct__graph_type(graph, node->first_result + (ct__id)r)->size;
    for (size_t k = 0; k < node->n_operands; k++) {
        double size = (double)ct__graph_type(graph, node->operand[k])->size;
        read += k == 0 && ct__has(node->op, CT__MOVES_DATA) ? fmin(size, made) : size;
    }
    if (ct__has(node->op, CT__CONTROL))
        return effort_inside(e, node);
    return made + (ct__has(node->op, CT__ELEMENTWISE) ? 0 : read) +
           2 * made * terms_of(graph, node);
}

/* ---- What keeping a node's results spares. */

enum { FREE, ABOVE, CHOSEN };

typedef struct chooser {
    const ct__cut *cut;
    const ct__graph *known;
    bool *kept, *needed;
    bool *mine;     /* per value: kept here */
    double *effort; /* per node */
    double *spared; /* per node: its effort and that of all it dominates */
    size_t *above;  /* per node: the nearest that dominates it; n_nodes stands for the residuals */
    size_t *depth;  /* under the residuals */
    unsigned char *mark; /* per node, of one round */
    struct candidate *list;
} chooser;

static bool runs_again(const chooser *c, size_t i)
{
    const ct__node *node = &c->known->node[i];
    for (size_t r = 0; r < node->n_results; r++)
        if (c->needed[node->first_result + r] && !c->kept[node->first_result + r])
            return true;
    return false;
}

/* The nearest that dominates both. */
static size_t meet(const chooser *c, size_t a, size_t b)
{
    while (a != b)
        if (c->depth[a] >= c->depth[b])
            a = c->above[a];
        else
            b = c->above[b];
    return a;
}

/* Node i, or what stands for the residuals, asks for the value. */
static void ask(const chooser *c, size_t i, ct__id id)
{
    uint32_t maker = c->known->value[id].node;
    if (maker == CT__NO_NODE || c->kept[id])
        return;
    c->above[maker] = c->above[maker] == SIZE_MAX ? i : meet(c, c->above[maker], i);
}

/* Nodes stand behind what they read: dominators are found from the last node to the first. */
static void find_spared(const chooser *c)
{
    size_t n = c->known->n_nodes;
    for (size_t i = 0; i < n; i++) {
        c->above[i] = SIZE_MAX;
        c->spared[i] = 0;
    }
    c->depth[n] = 0;
    for (size_t r = 0; r < c->cut->n_residuals; r++)
        ask(c, n, c->cut->residual[r]);
    for (size_t i = n; i-- > 0;) {
        const ct__node *node = &c->known->node[i];
        if (!runs_again(c, i))
            continue;
        c->depth[i] = c->depth[c->above[i]] + 1;
        for (size_t k = 0; k < node->n_operands; k++)
            ask(c, i, node->operand[k]);
    }
    for (size_t i = 0; i < n; i++) {
        if (!runs_again(c, i))
            continue;
        c->spared[i] += c->effort[i];
        if (c->above[i] < n)
            c->spared[c->above[i]] += c->spared[i];
    }
}

/* ---- Rounds. */

typedef struct candidate {
    size_t node;
    double bytes, worth; /* what it spares per byte */
} candidate;

static int by_worth(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth < y->worth ? 1 : -1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Of the results that are needed; 0: they cannot be kept, or need not. */
static double bytes_of(const chooser *c, const ct__node *node)
{
    double sum = 0;
    for (size_t r = 0; r < node->n_results; r++) {
        ct__id id = node->first_result + (ct__id)r;
        if (!c->needed[id] || c->kept[id])
            continue;
        if (c->known->value[id].type->kind != CT__TENSOR)
            return 0;
        sum += (double)ct__data_bytes(c->known->value[id].type);
    }
    return sum;
}

/* What became useless, since what it was for is kept, gives its bytes back. */
static double bytes_left(const chooser *c, double bytes)
{
    for (size_t id = 0; id < c->known->n_values; id++) {
        if (c->mine[id] && !c->needed[id])
            c->mine[id] = c->kept[id] = false;
        if (c->mine[id])
            bytes -= (double)ct__data_bytes(c->known->value[id].type);
    }
    return bytes;
}

/* What has no operands is recorded again where it is read. */
static size_t list_candidates(const chooser *c, double left)
{
    size_t count = 0;
    for (size_t i = 0; i < c->known->n_nodes; i++) {
        const ct__node *node = &c->known->node[i];
        c->mark[i] = FREE;
        double bytes = runs_again(c, i) && node->n_operands > 0 ? bytes_of(c, node) : 0;
        if (bytes > 0 && bytes <= left && c->spared[i] > 0)
            c->list[count++] = (candidate){i, bytes, c->spared[i] / bytes};
    }
    if (count > 0)
        qsort(c->list, count, sizeof *c->list, by_worth);
    return count;
}

/* Whether what it spares is still as it was at the beginning of the round. */
static bool is_independent(const chooser *c, size_t i)
{
    bool fine = c->mark[i] == FREE;
    for (; fine && i < c->known->n_nodes; i = c->above[i])
        fine = c->mark[i] != CHOSEN;
    return fine;
}

static void keep(const chooser *c, size_t i)
{
    const ct__node *node = &c->known->node[i];
    for (size_t r = 0; r < node->n_results; r++) {
        ct__id id = node->first_result + (ct__id)r;
        if (c->needed[id] && !c->kept[id])
            c->mine[id] = c->kept[id] = true;
    }
    c->mark[i] = CHOSEN;
    for (i = c->above[i]; i < c->known->n_nodes; i = c->above[i])
        c->mark[i] = ABOVE;
}

/* False when there is nothing to keep any more. A share of the candidates at a time, so that large
 * functions take few rounds. */
static bool keep_some(const chooser *c, double bytes)
{
    ct__find_needed_again(c->cut, c->kept, c->needed);
    double left = bytes_left(c, bytes);
    find_spared(c);
    size_t count = list_candidates(c, left), most = 1 + count / 16, taken = 0;
    for (size_t i = 0; i < count && taken < most; i++) {
        if (c->list[i].bytes > left || !is_independent(c, c->list[i].node))
            continue;
        keep(c, c->list[i].node);
        left -= c->list[i].bytes;
        taken++;
    }
    return taken > 0;
}

/* Uses needed[]. */
static bool find_efforts(const chooser *c, const ct_allocator *allocator, size_t n_results)
{
    efforts e = {.allocator = allocator};
    memset(c->needed, 0, c->known->n_values * sizeof *c->needed);
    for (size_t r = 0; r < n_results; r++)
        c->needed[c->known->result[r]] = true;
    ct__find_needed(c->known, NULL, c->needed);
    for (size_t i = 0; i < c->known->n_nodes; i++)
        if (runs_again(c, i)) /* what has an effect and is kept runs once */
            c->effort[i] = effort_of(&e, c->known, &c->known->node[i]);
    ct__lookup_free(allocator, &e.known);
    return !e.failed;
}

bool ct__keep_within(ct__arena *arena, const ct__cut *cut, size_t n_results, int64_t bytes,
                     bool *kept, bool *needed)
{
    size_t n = cut->known->n_nodes;
    chooser c = {.cut = cut,
                 .known = cut->known,
                 .mine = CT__NEW_ARRAY(arena, bool, cut->known->n_values),
                 .effort = CT__NEW_ARRAY(arena, double, n),
                 .spared = CT__NEW_ARRAY(arena, double, n),
                 .above = CT__NEW_ARRAY(arena, size_t, n),
                 .depth = CT__NEW_ARRAY(arena, size_t, n + 1),
                 .mark = CT__NEW_ARRAY(arena, unsigned char, n),
                 .list = CT__NEW_ARRAY(arena, candidate, n)};
    c.kept = kept;
    c.needed = needed;
    if (!c.mine || !c.effort || !c.spared || !c.above || !c.depth || !c.mark || !c.list ||
        !find_efforts(&c, &arena->allocator, n_results))
        return false;
    while (keep_some(&c, (double)bytes))
        ;
    return true;
}
