/* When a node goes where it goes: as soon as its operands have gone somewhere, but later than
 * whatever closes no collection; and of what closes one, that first which closes the smallest. So
 * what a large collection makes is waited for only when there is nothing else to do. Among equals
 * the graph's order counts, and what has an effect keeps it. */
#include "exec/cpu/divide.h"
#include "exec/passes/passes.h"

#define NONE CT__NO_NODE

typedef struct wish {
    int64_t size; /* of the collection that it closes; 0: it closes none */
    uint32_t node;
} wish;

/* An operand of a node, and the reading of the same value before it. */
typedef struct reading {
    uint32_t node, before;
} reading;

typedef struct queue {
    ct__divider d;
    const ct__graph *graph;
    uint32_t *missing;      /* per node: what must come before it */
    uint32_t *next_waiting; /* per node: the next one that waits for the same collection */
    bool *is_held;          /* per node: it is among those, once */
    bool *is_gone;          /* per node */
    reading *reading;       /* all, in the graph's order */
    uint32_t *last_reading; /* per value: of what has not been written over; NONE: there is none */
    size_t n_ready, n_held; /* heaps */
    wish *ready, *held;     /* to be looked at; that close a collection */
} queue;

/* ---- Heaps, the least first. */

static bool is_before(const wish *a, const wish *b)
{
    return a->size != b->size ? a->size < b->size : a->node < b->node;
}

static void push(wish *heap, size_t *count, wish w)
{
    size_t i = (*count)++;
    for (; i > 0 && is_before(&w, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = w;
}

static wish pop(wish *heap, size_t *count)
{
    const wish least = heap[0], last = heap[--*count];
    size_t i = 0;
    for (size_t child = 1; child < *count; child = 2 * i + 1) {
        if (child + 1 < *count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return least;
}

/* ---- Who needs whom. */

/* Each pair of a node and one that must come before it, as often as it is there. */
static void count_or_list(queue *q, uint32_t node, uint32_t before, bool is_listing)
{
    if (before == NONE)
        return;
    if (is_listing)
        q->d.user[q->d.first_user[before]++] = node;
    else
        q->d.first_user[before + 1]++;
    q->missing[node] += !is_listing;
}

/* Who may write over a value comes behind those that read it before: else it has to copy it. */
static void walk_readings(queue *q, uint32_t i, uint32_t *n, bool is_listing)
{
    const ct__node *node = &q->graph->node[i];
    for (size_t k = 0; k < node->n_operands && !q->d.to->done[i]; k++) {
        uint32_t *last = &q->last_reading[q->d.to->made[node->operand[k]]];
        for (; k < ct__updated_operands(node) && *last != NONE; *last = q->reading[*last].before)
            if (q->reading[*last].node != i)
                count_or_list(q, i, q->reading[*last].node, is_listing);
        q->reading[*n] = (reading){i, *last};
        *last = (*n)++;
    }
}

static void walk_needs(queue *q, bool is_listing)
{
    const ct__graph *graph = q->graph;
    uint32_t last_effect = NONE, n_readings = 0;
    for (size_t i = 0; i < graph->n_values; i++)
        q->last_reading[i] = NONE;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        walk_readings(q, i, &n_readings, is_listing);
        const ct__node *node = &graph->node[i];
        for (size_t k = 0; k < node->n_operands; k++)
            count_or_list(q, i, graph->value[node->operand[k]].node, is_listing);
        if (!ct__node_has_effect(node))
            continue;
        count_or_list(q, i, last_effect, is_listing);
        last_effect = i;
    }
}

static bool list_users(queue *q)
{
    const size_t n = q->graph->n_nodes;
    walk_needs(q, false);
    for (size_t i = 0; i < n; i++)
        q->d.first_user[i + 1] += q->d.first_user[i];
    q->d.user = CT__NEW_ARRAY(q->d.to->arena, uint32_t, q->d.first_user[n]);
    if (!q->d.user)
        return false;
    walk_needs(q, true);
    for (size_t i = n; i > 0; i--) /* listing has moved each to the next one's */
        q->d.first_user[i] = q->d.first_user[i - 1];
    q->d.first_user[0] = 0;
    return true;
}

/* ---- Going. */

/* Those that wait for the collection are looked at again. */
static void wake(void *whom, const ct__collection *c)
{
    queue *q = whom;
    for (uint32_t i = c->waiting; i != NONE; i = q->next_waiting[i])
        if (!q->is_gone[i])
            push(q->ready, &q->n_ready, (wish){0, i});
}

static bool go(queue *q, uint32_t i, const ct__choice *choice)
{
    q->is_gone[i] = true;
    if (choice && !ct__part_take(&q->d, i, choice))
        return false;
    for (uint32_t k = q->d.first_user[i]; k < q->d.first_user[i + 1]; k++)
        if (--q->missing[q->d.user[k]] == 0)
            push(q->ready, &q->n_ready, (wish){0, q->d.user[k]});
    return true;
}

static void hold(queue *q, uint32_t i, int64_t size)
{
    if (!q->is_held[i])
        push(q->held, &q->n_held, (wish){size, i});
    q->is_held[i] = true;
}

/* It goes, or it waits. */
static bool look_at(queue *q, uint32_t i)
{
    const ct__node *node = &q->graph->node[i];
    if (q->d.to->done[i])
        return go(q, i, NULL);
    const ct__choice choice = ct__part_choose(&q->d, node);
    ct__collection *c = ct__part_closes(&q->d, node, &choice);
    if (!c || ct__is_off(q->d.to->off, CT__ORDER))
        return go(q, i, &choice);
    q->next_waiting[i] = c->waiting;
    c->waiting = i;
    hold(q, i, c->size);
    return true;
}

/* What closes the smallest collection; which one a node closes may have changed since it was held.
 */
static bool force(queue *q)
{
    const wish least = pop(q->held, &q->n_held);
    const ct__node *node = &q->graph->node[least.node];
    q->is_held[least.node] = false;
    if (q->is_gone[least.node])
        return true;
    const ct__choice choice = ct__part_choose(&q->d, node);
    const ct__collection *c = ct__part_closes(&q->d, node, &choice);
    if (!c || c->size <= least.size)
        return go(q, least.node, &choice);
    hold(q, least.node, c->size);
    return true;
}

static void find_needs(ct__divider *d)
{
    const ct__graph *graph = d->to->graph;
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < graph->node[i].n_operands && !d->to->done[i]; k++)
            d->is_needed[d->to->made[d->to->same[graph->node[i].operand[k]]]] = true;
    for (size_t i = 0; i < graph->n_results; i++)
        d->is_result[d->to->made[d->to->same[graph->result[i]]]] = true;
}

static size_t count_operands(const ct__graph *graph)
{
    size_t n = 0;
    for (size_t i = 0; i < graph->n_nodes; i++)
        n += graph->node[i].n_operands;
    return n;
}

static bool begin(queue *q, ct__parting *to)
{
    const size_t n = to->graph->n_nodes, n_values = to->graph->n_values;
    *q = (queue){.graph = to->graph,
                 .missing = CT__NEW_ARRAY(to->arena, uint32_t, n),
                 .next_waiting = CT__NEW_ARRAY(to->arena, uint32_t, n),
                 .is_held = CT__NEW_ARRAY(to->arena, bool, n),
                 .is_gone = CT__NEW_ARRAY(to->arena, bool, n),
                 .reading = CT__NEW_ARRAY(to->arena, reading, count_operands(to->graph)),
                 .last_reading = CT__NEW_ARRAY(to->arena, uint32_t, n_values),
                 .ready = CT__NEW_ARRAY(to->arena, wish, n),
                 .held = CT__NEW_ARRAY(to->arena, wish, n)};
    q->d = (ct__divider){.to = to,
                         .open = CT__NEW_ARRAY(to->arena, ct__collection *, n),
                         .of = CT__NEW_ARRAY(to->arena, ct__collection *, n_values),
                         .is_late = CT__NEW_ARRAY(to->arena, bool, n_values),
                         .is_needed = CT__NEW_ARRAY(to->arena, bool, n_values),
                         .is_result = CT__NEW_ARRAY(to->arena, bool, n_values),
                         .again = CT__NEW_ARRAY(to->arena, const ct__again *, n_values),
                         .first_user = CT__NEW_ARRAY(to->arena, uint32_t, n + 1),
                         .closed = wake,
                         .whom = q};
    to->part = CT__NEW_ARRAY(to->arena, ct__part, n);
    if (to->arena->failed || !list_users(q) ||
        !(ct__is_off(to->off, CT__VIEWS) || ct__find_views(&q->d)))
        return false;
    find_needs(&q->d);
    return true;
}

bool ct__divide(ct__parting *to)
{
    queue q;
    if (ct__is_off(to->off, CT__FUSION))
        return ct__divide_plainly(to);
    if (!begin(&q, to))
        return false;
    for (uint32_t i = 0; i < q.graph->n_nodes; i++)
        if (q.missing[i] == 0)
            push(q.ready, &q.n_ready, (wish){0, i});
    while (q.n_ready > 0 || q.n_held > 0)
        if (!(q.n_ready > 0 ? look_at(&q, pop(q.ready, &q.n_ready).node) : force(&q)))
            return false;
    while (q.d.n_open > 0)
        if (!ct__part_close(&q.d, q.d.open[0]))
            return false;
    return true;
}
