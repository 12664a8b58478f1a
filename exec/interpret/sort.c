#include "exec/interpret/interpret.h"

#include <cotangent/op.h>

#include <string.h>

/* What goes before what along one line of elements. Either one operand's elements are compared, or
 * the comparator is run. */
typedef struct order {
    const ct__eval *q;
    size_t n;                   /* operands */
    int64_t stride;             /* between neighbours of a line, in elements */
    const unsigned char **line; /* per operand: where the line begins */
    bool is_compare;            /* a comparison of operand `key`: */
    size_t key;
    int direction, type;
    const void **param; /* of the comparator */
    void *result;       /* a bool */
    bool failed;        /* the comparator did; q->error is set */
} order;

static size_t element_bytes(const ct__eval *q, size_t operand)
{
    return q->numerics->element_bytes(q->in_type[operand]->dtype);
}

static const void *element(const order *o, size_t operand, int64_t position)
{
    return ct__at(o->line[operand], element_bytes(o->q, operand), position * o->stride);
}

/* Whether the element at position i goes first. */
static bool goes_first(order *o, int64_t i, int64_t j)
{
    const ct__eval *q = o->q;
    bool first = false;

    if (o->is_compare) {
        q->numerics->compare(o->direction, o->type, q->in_type[o->key]->dtype, 1, &first,
                             element(o, o->key, i), element(o, o->key, j));
        return first;
    }
    for (size_t k = 0; k < o->n; k++) {
        o->param[2 * k] = element(o, k, i);
        o->param[2 * k + 1] = element(o, k, j);
    }
    if (!o->failed && !ct__plan_run(q->region[0], o->param, &o->result, q->frame, q->error))
        o->failed = true;
    memcpy(&first, o->result, sizeof first);
    return !o->failed && first;
}

/* ---- Merge sort of positions. Stable: the right one of two goes first only if it must. It ends
 * for any comparator, in n log n comparisons. */

static void merge(order *o, const int64_t *from, int64_t middle, int64_t end, int64_t *to)
{
    int64_t left = 0, right = middle;

    if (middle >= end || !goes_first(o, from[middle], from[middle - 1])) {
        memcpy(to, from, (size_t)end * sizeof *to);
        return;
    }
    for (int64_t k = 0; k < end; k++) {
        bool take_right = left == middle || (right < end && goes_first(o, from[right], from[left]));
        to[k] = from[take_right ? right++ : left++];
    }
}

/* Positions 0 … count-1 in order; `room` holds twice as many. */
static const int64_t *sorted(order *o, int64_t count, int64_t *room)
{
    int64_t *from = room, *to = room + count;

    for (int64_t i = 0; i < count; i++)
        from[i] = i;
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t at = 0; at < count; at += 2 * width) {
            int64_t left = count - at;
            merge(o, from + at, left < width ? left : width, left < 2 * width ? left : 2 * width,
                  to + at);
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* ---- sort. */

/* Scratch: addresses of the lines and of the comparator's parameters, its result, positions. */
static bool find_parts(const ct__eval *q, size_t *addresses, size_t *positions)
{
    const struct ct__attrs_sort *a = &q->attrs->sort;
    size_t n = (size_t)a->n_inputs, count = (size_t)q->in_type[0]->dim[a->dimension];
    return ct__round_up((2 * n + q->n_operands) * sizeof(void *), addresses) &&
           ct__mul_size(count, 2 * sizeof(int64_t), positions);
}

bool ct__sort_scratch(const ct__eval *q, size_t *bytes)
{
    size_t addresses, positions;

    *bytes = 0;
    if (q->in_type[0]->size == 0)
        return true;
    if (!find_parts(q, &addresses, &positions) || positions > SIZE_MAX - addresses - CT__ALIGN)
        return false;
    *bytes = addresses + CT__ALIGN + positions;
    return true;
}

/* Whether the comparator is one comparison of an operand's left element with its right one. */
static void find_compare(order *o, const ct__graph *body)
{
    const ct__node *node = body->node;

    if (body->n_nodes != 1 || node->op != CT__OP_compare || body->result[0] != node->first_result)
        return;
    for (size_t k = 0; k < o->n; k++)
        if (!o->q->in_type[k]->quantized && node->operand[0] == body->param[2 * k] &&
            node->operand[1] == body->param[2 * k + 1]) {
            o->is_compare = true;
            o->key = k;
            o->direction = node->attrs->compare.comparison_direction;
            o->type = node->attrs->compare.compare_type;
        }
}

static int64_t *begin(const ct__eval *q, order *o)
{
    size_t addresses, positions;
    int64_t stride[CT__MAX_RANK];

    find_parts(q, &addresses, &positions);
    ct__row_major(q->in_type[0]->rank, q->in_type[0]->dim, stride);
    *o = (order){.q = q,
                 .n = (size_t)q->attrs->sort.n_inputs,
                 .stride = stride[q->attrs->sort.dimension],
                 .line = (const unsigned char **)(void *)q->scratch,
                 .result = q->scratch + addresses};
    o->param = (const void **)(void *)(o->line + o->n);
    for (size_t i = o->n; i < q->n_operands; i++)
        o->param[o->n + i] = q->in[i];
    find_compare(o, ct__plan_graph(q->region[0]));
    return (int64_t *)(void *)(q->scratch + addresses + CT__ALIGN);
}

/* The lines from element `at` on. */
static bool sort_line(order *o, int64_t at, int64_t count, int64_t *room)
{
    for (size_t j = 0; j < o->n; j++)
        o->line[j] = ct__at(o->q->in[j], element_bytes(o->q, j), at);
    const int64_t *position = sorted(o, count, room);
    for (size_t j = 0; j < o->n && !o->failed; j++) {
        size_t bytes = element_bytes(o->q, j);
        for (int64_t i = 0; i < count; i++)
            memcpy(ct__at(o->q->out[j], bytes, at + i * o->stride), element(o, j, position[i]),
                   bytes);
    }
    return !o->failed;
}

bool ct__meaning_sort(const ct__eval *q)
{
    const ct_type *x = q->in_type[0];
    int64_t count = x->dim[q->attrs->sort.dimension];
    order o;

    if (x->size == 0)
        return true;
    int64_t *room = begin(q, &o);
    for (int64_t block = 0; block < x->size; block += count * o.stride)
        for (int64_t at = block; at < block + o.stride; at++)
            if (!sort_line(&o, at, count, room))
                return false;
    return true;
}

/* ---- top_k: a sort of every row, of which the first k are kept. */

bool ct__top_k_scratch(const ct__eval *q, size_t *bytes)
{
    const ct_type *x = q->in_type[0];

    *bytes = 0;
    return q->out_type[0]->size == 0 ||
           ct__mul_size((size_t)x->dim[x->rank - 1], 2 * sizeof(int64_t), bytes);
}

bool ct__meaning_top_k(const ct__eval *q)
{
    const ct_type *x = q->in_type[0];
    int64_t count = x->dim[x->rank - 1], k = q->attrs->top_k.k;
    size_t bytes = element_bytes(q, 0);
    const unsigned char *line;
    unsigned char *value = q->out[0];
    int32_t *index = q->out[1];
    order o = {.q = q,
               .n = 1,
               .stride = 1,
               .line = &line,
               .is_compare = true,
               .direction = CT_GT,
               .type = ct_dtype_is_float(x->dtype) ? CT_COMPARE_TOTALORDER : CT_COMPARE_DEFAULT};

    if (q->out_type[0]->size == 0)
        return true;
    for (int64_t at = 0; at < x->size; at += count) {
        line = ct__at(q->in[0], bytes, at);
        const int64_t *position = sorted(&o, count, (int64_t *)(void *)q->scratch);
        for (int64_t i = 0; i < k; i++, value += bytes) {
            memcpy(value, element(&o, 0, position[i]), bytes);
            *index++ = (int32_t)position[i];
        }
    }
    return true;
}
