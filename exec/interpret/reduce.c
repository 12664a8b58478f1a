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

/* The operation that the body is, where there is one input; else -1. */
static int kind_of(const ct__eval *q)
{
    int kind = q->attrs->reduce.n_inputs == 1 ? ct__plan_body_kind(q->region[0]) : CT__BODY_OTHER;
    return kind < 0 ? kind : (int)ct__arithmetic(q, (ct__op)kind);
}

bool ct__reduce_scratch(const ct__eval *q, size_t *bytes)
{
    int kind = kind_of(q);
    if (kind >= 0 && ct__folds_in_lanes(q, (ct__op)kind))
        return ct__lanes_scratch(q, bytes);
    *bytes = ct__scalar_body_bytes(q, (size_t)q->attrs->reduce.n_inputs);
    return true;
}

/* y = init; y = body(y, x) in row-major order of the reduced coordinates, in the element type; or
 * in the order of reduce_lanes.c. */
bool ct__meaning_reduce(const ct__eval *q)
{
    size_t n = (size_t)q->attrs->reduce.n_inputs;
    int kind = kind_of(q);
    reduction r;

    for (size_t j = 0; j < n; j++)
        ct__fill_elements(q->numerics->element_bytes(q->in_type[j]->dtype),
                          (size_t)q->out_type[j]->size, q->out[j], q->in[n + j]);
    if (q->in_type[0]->size == 0)
        return true;
    begin(q, &r);
    if (kind < 0)
        return fold_elements(q, &r);
    if (ct__folds_in_lanes(q, (ct__op)kind))
        ct__fold_in_lanes(q, (ct__op)kind);
    else
        fold_rows(q, &r, (ct__op)kind);
    return true;
}
