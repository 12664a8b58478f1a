#include "exec/interpret/interpret.h"

#include <string.h>

/* The operand's axes from outermost to innermost, with adjacent ones of the same kind merged.
 * Walking them in row-major order visits, for every output, its elements in row-major order. */
typedef struct reduction {
    int rank;
    int64_t dim[CT__MAX_RANK];
    int64_t y_stride[CT__MAX_RANK]; /* 0: reduced */
} reduction;

static void add_axis(reduction *r, int64_t dim, int64_t y_stride)
{
    int last = r->rank - 1;

    if (dim == 1)
        return;
    if (last >= 0 && r->y_stride[last] == y_stride * dim) {
        r->dim[last] *= dim;
    } else {
        last = r->rank++;
        r->dim[last] = dim;
    }
    r->y_stride[last] = y_stride;
}

static void begin(const ct__eval *q, reduction *r)
{
    const ct_type *x = q->in_type[0], *y = q->out_type[0];
    int64_t stride[CT__MAX_RANK];
    int kept = 0;

    r->rank = 0;
    ct__row_major(y->rank, y->dim, stride);
    for (int d = 0; d < x->rank; d++)
        add_axis(r, x->dim[d],
                 ct__ints_contain(q->attrs->reduce.dimensions, d) ? 0 : stride[kept++]);
    if (r->rank == 0) {
        r->rank = 1;
        r->dim[0] = 1;
        r->y_stride[0] = 0;
    }
}

/* Where the outputs of the row at `index` begin. */
static int64_t output_at(const reduction *r, const int64_t *index)
{
    int64_t at = 0;

    for (int d = 0; d < r->rank - 1; d++)
        at += index[d] * r->y_stride[d];
    return at;
}

/* A body of one operation: rows along the innermost axis fold into one output, or meet a row of
 * outputs. */
static void fold_rows(const ct__eval *q, const reduction *r, ct__op op)
{
    const ct_type *x = q->in_type[0];
    size_t bytes = q->numerics->element_bytes(x->dtype);
    int64_t row = r->dim[r->rank - 1], index[CT__MAX_RANK] = {0};
    bool reduced = r->y_stride[r->rank - 1] == 0;

    for (int64_t at = 0; at < x->size; at += row) {
        void *y = ct__at(q->out[0], bytes, output_at(r, index));
        const void *elements = ct__at(q->in[0], bytes, at);
        if (reduced)
            q->numerics->fold(op, x->dtype, (size_t)row, y, elements, 1);
        else
            q->numerics->binary(op, x->dtype, (size_t)row, y, y, 1, elements, 1);
        ct__next(r->rank - 1, r->dim, index);
    }
}

/* Any body: once per element, on the outputs in place. */
static bool fold_elements(const ct__eval *q, const reduction *r)
{
    size_t n = (size_t)q->attrs->reduce.n_inputs;
    int64_t row = r->dim[r->rank - 1], y_stride = r->y_stride[r->rank - 1];
    int64_t index[CT__MAX_RANK] = {0};
    ct__scalar_body body;

    ct__scalar_body_begin(&body, q, n, 2 * n);
    for (int64_t at = 0; at < q->in_type[0]->size; at += row) {
        int64_t y_at = output_at(r, index);
        for (int64_t i = 0; i < row; i++) {
            for (size_t j = 0; j < n; j++) {
                size_t bytes = q->numerics->element_bytes(q->in_type[j]->dtype);
                body.param[j] = ct__at(q->out[j], bytes, y_at + i * y_stride);
                body.param[n + j] = ct__at(q->in[j], bytes, at + i);
            }
            if (!ct__scalar_body_run(&body, q))
                return false;
        }
        ct__next(r->rank - 1, r->dim, index);
    }
    return true;
}

/* ---- Any body whose operations are on elements: many results at a time. */

enum { LEAST_LANES = 8, STRIP = 16 /* elements of a row that are gathered at a time */ };

/* Whether enough results are folded alike, over one axis; the reference folds element by element.
 */
static bool has_lanes(const ct__eval *q, ct__fold_shape *shape)
{
    return q->numerics->fold_axis != NULL && ct__body_has_lanes(ct__plan_graph(q->region[0])) &&
           ct__is_one_axis(q->in_type[0], q->attrs->reduce.dimensions, shape) &&
           (shape->inner > 1 ? shape->inner : shape->outer) >= LEAST_LANES;
}

static size_t strip_bytes(const ct__eval *q, size_t j)
{
    return STRIP * CT__BODY_LANES * q->numerics->element_bytes(q->in_type[j]->dtype);
}

static size_t lanes_bytes(const ct__eval *q)
{
    size_t bytes = ct__lanes_body_bytes(ct__plan_graph(q->region[0]));
    for (size_t j = 0; j < (size_t)q->attrs->reduce.n_inputs; j++)
        bytes += strip_bytes(q, j);
    return bytes;
}

/* Neighbours in rows of `inner` results. */
static bool fold_neighbours(const ct__eval *q, ct__lanes_body *body, const ct__fold_shape *s,
                            size_t outer, size_t column, size_t lanes)
{
    for (size_t j = 0; j < body->n; j++)
        ct__lanes_body_param(body, j,
                             ct__at(q->out[j], q->numerics->element_bytes(q->in_type[j]->dtype),
                                    (int64_t)(outer * s->inner + column)));
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < body->n; j++)
            ct__lanes_body_param(body, body->n + j,
                                 ct__at(q->in[j], q->numerics->element_bytes(q->in_type[j]->dtype),
                                        (int64_t)((outer * s->n + i) * s->inner + column)));
        if (!ct__lanes_body_run(body, lanes))
            return false;
    }
    return true;
}

/* to[k, l] = from[l, k] of `rows` rows that lie `step` elements apart: a memcpy of fixed size is a
 * move. */
#define GATHER(size)                                                                               \
    for (size_t l = 0; l < rows; l++)                                                              \
        for (size_t k = 0; k < columns; k++)                                                       \
    memcpy(to + (k * CT__BODY_LANES + l) * (size), from + (l * step + k) * (size), size)

static void gather(size_t bytes, size_t rows, size_t columns, size_t step, unsigned char *to,
                   const unsigned char *from)
{
    switch (bytes) {
    case 1: GATHER(1); break;
    case 2: GATHER(2); break;
    case 4: GATHER(4); break;
    case 8: GATHER(8); break;
    default: GATHER(bytes);
    }
}

/* Results from `first` on, whose elements lie together: a strip of them is transposed at a time. */
static bool fold_whole_rows(const ct__eval *q, ct__lanes_body *body, const ct__fold_shape *s,
                            size_t first, size_t lanes)
{
    unsigned char *strips = q->scratch + ct__lanes_body_bytes(body->graph);
    for (size_t j = 0; j < body->n; j++)
        ct__lanes_body_param(
            body, j,
            ct__at(q->out[j], q->numerics->element_bytes(q->in_type[j]->dtype), (int64_t)first));
    for (size_t i = 0; i < s->n; i += STRIP) {
        const size_t columns = s->n - i < STRIP ? s->n - i : STRIP;
        unsigned char *strip = strips;
        for (size_t j = 0; j < body->n; strip += strip_bytes(q, j++)) {
            const size_t bytes = q->numerics->element_bytes(q->in_type[j]->dtype);
            gather(bytes, lanes, columns, s->n, strip,
                   ct__at(q->in[j], bytes, (int64_t)(first * s->n + i)));
        }
        for (size_t k = 0; k < columns; k++) {
            strip = strips;
            for (size_t j = 0; j < body->n; strip += strip_bytes(q, j++))
                ct__lanes_body_param(body, body->n + j, strip + k * strip_bytes(q, j) / STRIP);
            if (!ct__lanes_body_run(body, lanes))
                return false;
        }
    }
    return true;
}

static bool fold_in_body_lanes(const ct__eval *q, const ct__fold_shape *s)
{
    const size_t n = (size_t)q->attrs->reduce.n_inputs;
    const size_t width = s->inner > 1 ? s->inner : s->outer;
    ct__lanes_body body;
    ct__lanes_body_begin(&body, q, n, 2 * n);
    for (size_t o = 0; o < (s->inner > 1 ? s->outer : 1); o++)
        for (size_t at = 0; at < width; at += CT__BODY_LANES) {
            const size_t lanes = width - at < CT__BODY_LANES ? width - at : CT__BODY_LANES;
            if (s->inner > 1 ? !fold_neighbours(q, &body, s, o, at, lanes)
                             : !fold_whole_rows(q, &body, s, at, lanes))
                return false;
        }
    return true;
}

/* Of a kind of body, the operation on elements as the numerics has them; else negative. */
static int operation_of(const ct__eval *q, int kind)
{
    return kind < 0 ? kind : (int)ct__arithmetic(q, (ct__op)kind);
}

static size_t larger(size_t x, size_t y)
{
    return x > y ? x : y;
}

bool ct__reduce_scratch(const ct__eval *q, size_t *bytes)
{
    const bool is_single = q->attrs->reduce.n_inputs == 1; /* nobody watches yet */
    int kind = operation_of(q, is_single ? ct__plan_body_kind(q->region[0]) : CT__BODY_OTHER);
    size_t lanes = 0;
    ct__fold_shape shape;
    if (kind < 0 && has_lanes(q, &shape))
        lanes = lanes_bytes(q);
    else if (kind >= 0 && ct__folds_in_lanes(q, (ct__op)kind) && !ct__lanes_scratch(q, &lanes))
        return false;
    *bytes = larger(ct__scalar_body_bytes(q, (size_t)q->attrs->reduce.n_inputs), lanes);
    if (kind >= 0)
        *bytes = larger(*bytes, ct__fold_threads_scratch(q, (ct__op)kind));
    return true;
}

/* y = init; y = body(y, x) in row-major order of the reduced coordinates, in the element type; or
 * in the order of reduce_lanes.c. */
bool ct__meaning_reduce(const ct__eval *q)
{
    size_t n = (size_t)q->attrs->reduce.n_inputs;
    int kind = operation_of(q, ct__body_kind(q, n));
    reduction r;

    for (size_t j = 0; j < n; j++)
        ct__fill_elements(q->numerics->element_bytes(q->in_type[j]->dtype),
                          (size_t)q->out_type[j]->size, q->out[j], q->in[n + j]);
    if (q->in_type[0]->size == 0)
        return true;
    ct__fold_shape shape;
    if (kind < 0 && !q->error->watch && has_lanes(q, &shape)) /* who watches sees one at a time */
        return fold_in_body_lanes(q, &shape);
    begin(q, &r);
    if (kind < 0)
        return fold_elements(q, &r);
    if (ct__folds_in_lanes(q, (ct__op)kind))
        ct__fold_in_lanes(q, (ct__op)kind);
    else
        fold_rows(q, &r, (ct__op)kind);
    return true;
}
