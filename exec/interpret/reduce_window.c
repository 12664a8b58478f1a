#include "exec/interpret/interpret.h"
#include "ops/reduce_window.h"

#include <string.h>

/* An operation in progress. */
typedef struct folding {
    const ct__eval *q;
    size_t n; /* operands */
    const ct_type *x, *y;
    const struct ct__attrs_reduce_window *attrs;
    int kind; /* of the body */
    ct__scalar_body body;
    void **old;  /* per operand: what is folded into, */
    void **next; /* and what is folded next; at first room for as many elements as y has */
} folding;

static size_t element_bytes(const ct__eval *q, size_t operand)
{
    return q->numerics->element_bytes(q->in_type[operand]->dtype);
}

/* ---- Scratch: what the body needs, the addresses in `old` and `next`, and what is in next. */

/* Rounded sizes of the first two; false on overflow. */
static bool find_parts(const ct__eval *q, size_t *body, size_t *addresses)
{
    size_t n = (size_t)q->attrs->reduce_window.n_inputs;
    return ct__round_up(ct__scalar_body_bytes(q, n), body) &&
           ct__round_up(2 * n * sizeof(void *), addresses);
}

bool ct__reduce_window_scratch(const ct__eval *q, size_t *bytes)
{
    size_t addresses, elements;

    if (!find_parts(q, bytes, &addresses))
        return false;
    *bytes += addresses;
    for (size_t j = 0; j < q->n_results; j++) {
        if (!ct__round_up(ct__value_bytes(q->numerics, q->out_type[j]), &elements) ||
            *bytes > SIZE_MAX - elements)
            return false;
        *bytes += elements;
    }
    return true;
}

static void begin(const ct__eval *q, folding *f)
{
    size_t body = 0, addresses = 0, elements = 0;

    *f = (folding){.q = q,
                   .n = (size_t)q->attrs->reduce_window.n_inputs,
                   .x = q->in_type[0],
                   .y = q->out_type[0],
                   .attrs = &q->attrs->reduce_window};
    f->kind = ct__body_kind(q, f->n);
    ct__scalar_body_begin(&f->body, q, f->n, 2 * f->n);
    find_parts(q, &body, &addresses);
    f->old = (void **)(void *)(q->scratch + body);
    f->next = f->old + f->n;
    unsigned char *at = q->scratch + body + addresses;
    for (size_t j = 0; j < f->n; j++) {
        f->old[j] = q->out[j];
        f->next[j] = at;
        ct__round_up(ct__value_bytes(q->numerics, q->out_type[j]), &elements);
        at += elements;
    }
}

/* ---- Folding `count` elements: old = body(old, next). */

static bool fold(const folding *f, int64_t count)
{
    const ct__eval *q = f->q;

    if (f->kind >= 0) {
        q->numerics->binary(ct__arithmetic(q, (ct__op)f->kind), f->x->dtype, (size_t)count,
                            f->old[0], f->old[0], 1, f->next[0], 1);
        return true;
    }
    for (int64_t i = 0; i < count; i++) {
        for (size_t j = 0; j < f->n; j++) {
            f->body.param[j] = ct__at(f->old[j], element_bytes(q, j), i);
            f->body.param[f->n + j] = ct__at(f->next[j], element_bytes(q, j), i);
        }
        if (!ct__scalar_body_run(&f->body, q))
            return false;
    }
    return true;
}

/* ---- All windows at once: element w of each, for w in row-major order. */

/* The windows along one axis whose element w is an element of x, and not init: `count` of them from
 * window y on, each y_step further, which read x from element x on, each x_step further. */
typedef struct hits {
    int64_t count, y, y_step, x, x_step;
} hits;

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Window o has its element w at p = o stride + shift, counted from x's first element. It hits when
 * p = i base for an element i of x; the o that do lie base / gcd(base, stride) apart. */
static hits find_hits(const folding *f, int d, int64_t w)
{
    const ct__window_axis a = ct__window_axis_of(f->attrs, d);
    ct__wide shift = (ct__wide)w * a.dilation - a.low;
    ct__wide last = (ct__wide)(f->x->dim[d] - 1) * a.base;
    int64_t common = divisor(a.base, a.stride), step = a.base / common;
    ct__wide o = shift < 0 ? (-shift + a.stride - 1) / a.stride : 0, end = o + step;

    while (o < end && o < f->y->dim[d] && (o * a.stride + shift) % a.base != 0)
        o++;
    if (o >= end || o >= f->y->dim[d] || o * a.stride + shift > last)
        return (hits){.count = 0};
    ct__wide most = (last - shift) / a.stride;
    if (most >= f->y->dim[d])
        most = f->y->dim[d] - 1;
    return (hits){.count = (int64_t)((most - o) / step) + 1,
                  .y = (int64_t)o,
                  .y_step = step,
                  .x = (int64_t)((o * a.stride + shift) / a.base),
                  .x_step = a.stride / common};
}

/* Element w of all windows: a box of x, with init around it. */
static void load_next(const folding *f, const int64_t *w)
{
    int64_t x_stride[CT__MAX_RANK], y_stride[CT__MAX_RANK], x_at = 0, y_at = 0, count = 1;
    hits axis[CT__MAX_RANK];

    ct__row_major(f->x->rank, f->x->dim, x_stride);
    ct__row_major(f->y->rank, f->y->dim, y_stride);
    for (int d = 0; d < f->x->rank; d++) {
        axis[d] = find_hits(f, d, w[d]);
        x_at += axis[d].x * x_stride[d];
        y_at += axis[d].y * y_stride[d];
        count *= axis[d].count;
    }
    for (size_t j = 0; j < f->n; j++) {
        size_t bytes = element_bytes(f->q, j);
        ct__box box;
        ct__box_begin(&box, bytes);
        for (int d = 0; d < f->x->rank; d++)
            ct__box_axis(&box, axis[d].count, axis[d].count > 1 ? axis[d].y_step * y_stride[d] : 0,
                         axis[d].count > 1 ? axis[d].x_step * x_stride[d] : 0);
        if (count < f->y->size)
            ct__fill_elements(bytes, (size_t)f->y->size, f->next[j], f->q->in[f->n + j]);
        if (count > 0)
            ct__box_copy(&box, ct__at(f->next[j], bytes, y_at), ct__at(f->q->in[j], bytes, x_at));
    }
}

static bool fold_windows(const folding *f)
{
    int64_t w[CT__MAX_RANK] = {0};

    for (size_t j = 0; j < f->n; j++)
        ct__fill_elements(element_bytes(f->q, j), (size_t)f->y->size, f->q->out[j],
                          f->q->in[f->n + j]);
    do {
        load_next(f, w);
        if (!fold(f, f->y->size))
            return false;
    } while (ct__next(f->x->rank, f->attrs->window_dimensions.item, w));
    return true;
}

/* ---- Running folds, as a cumulative sum: the windows along one axis begin in front of x and end
 * at each of its elements, so each is the one before it and one element more. */

/* Whether init folded into init is init, in all its bits: then what is in front of x says nothing.
 * Uses the first element of every result. */
static bool padding_is_idle(const folding *f, bool *idle)
{
    const ct__eval *q = f->q;

    for (size_t j = 0; j < f->n; j++) {
        memcpy(f->old[j], q->in[f->n + j], element_bytes(q, j));
        memcpy(f->next[j], q->in[f->n + j], element_bytes(q, j));
    }
    if (!fold(f, 1))
        return false;
    *idle = true;
    for (size_t j = 0; j < f->n; j++)
        *idle = *idle && memcmp(f->old[j], q->in[f->n + j], element_bytes(q, j)) == 0;
    return true;
}

/* y[i] = body(y[i-1], x[i]) along the axis, for `inner` elements side by side. */
static bool fold_running(const folding *f, int axis)
{
    const ct__eval *q = f->q;
    int64_t stride[CT__MAX_RANK];

    ct__row_major(f->x->rank, f->x->dim, stride);
    int64_t inner = stride[axis], count = f->x->dim[axis];
    for (int64_t at = 0; at < f->x->size; at += inner) {
        bool is_first = at / inner % count == 0;
        for (size_t j = 0; j < f->n; j++) {
            size_t bytes = element_bytes(q, j);
            f->old[j] = ct__at(q->out[j], bytes, at);
            f->next[j] = ct__at(q->in[j], bytes, at);
            if (is_first)
                ct__fill_elements(bytes, (size_t)inner, f->old[j], q->in[f->n + j]);
            else
                memcpy(f->old[j], ct__at(q->out[j], bytes, at - inner), bytes * (size_t)inner);
        }
        if (!fold(f, inner))
            return false;
    }
    return true;
}

/* Every window is folded from init in row-major order, in the element type. */
bool ct__meaning_reduce_window(const ct__eval *q)
{
    folding f;
    bool idle = false;

    if (q->out_type[0]->size == 0)
        return true;
    begin(q, &f);
    int axis = ct__running_axis(f.attrs, f.x);
    if (axis >= 0 && !padding_is_idle(&f, &idle))
        return false;
    return idle ? fold_running(&f, axis) : fold_windows(&f);
}
