/* The order in which machine numerics fold the elements x[0], x[1], … of one result, row-major: a
 * function of the operation's shape alone, so that it can be followed in any instruction set, by
 * any number of threads, and from cache.
 *
 *   up to LANES elements   one after the other, from the initial value
 *   more                   blocks of ROW_BLOCK elements in lanes: lane l folds the elements l,
 *                          l + LANES, … of the block, then the upper half of the lanes is folded
 *                          into the lower one until one is left. Where the innermost axis is kept,
 * so that neighbours are of other results, blocks of COLUMN_BLOCK in sequence. The blocks' results
 * are folded like elements, until one is left, and that one into the initial value. */
#include "exec/interpret/interpret.h"
#include "exec/kernel/arrays.h"

#include <string.h>

enum { LANES = CT__LANES, ROW_BLOCK = CT__ROW_BLOCK, COLUMN_BLOCK = CT__COLUMN_BLOCK };

typedef struct reduction {
    const ct__eval *q;
    ct__op op;
    ct_dtype dtype;
    size_t bytes;     /* of an element */
    size_t n;         /* elements of one result */
    bool is_column;   /* the innermost axis is kept */
    ct__box elements; /* of one result, to the scratch */
    int rank;         /* of the results */
    int64_t dim[CT__MAX_RANK], stride[CT__MAX_RANK];
} reduction;

bool ct__folds_in_lanes(const ct__eval *q, ct__op op)
{
    switch (op) {
    case CT__OP_add:
    case CT__OP_multiply:
    case CT__OP_maximum:
    case CT__OP_minimum:
    case CT__OP_and:
    case CT__OP_or:
    case CT__OP_xor: return q->numerics->fold_axis != NULL;
    default: return false;
    }
}

static void begin(const ct__eval *q, ct__op op, reduction *r)
{
    const ct_type *x = q->in_type[0];
    int64_t stride[CT__MAX_RANK], to = 1;
    *r = (reduction){
        .q = q, .op = op, .dtype = x->dtype, .bytes = q->numerics->element_bytes(x->dtype)};
    ct__row_major(x->rank, x->dim, stride);
    for (int d = 0; d < x->rank; d++)
        if (ct__ints_contain(q->attrs->reduce.dimensions, d))
            to *= x->dim[d];
    r->n = (size_t)to;
    ct__box_begin(&r->elements, r->bytes);
    for (int d = 0; d < x->rank; d++) {
        if (ct__ints_contain(q->attrs->reduce.dimensions, d)) {
            to /= x->dim[d];
            ct__box_axis(&r->elements, x->dim[d], to, stride[d]);
        } else {
            r->dim[r->rank] = x->dim[d];
            r->stride[r->rank++] = stride[d];
        }
        if (x->dim[d] != 1)
            r->is_column = !ct__ints_contain(q->attrs->reduce.dimensions, d);
    }
}

/* x[0 … n-1] in sequence into *y. */
static void fold(const reduction *r, size_t n, void *y, const void *x)
{
    r->q->numerics->fold(r->op, r->dtype, n, y, x, 1);
}

static void combine(const reduction *r, size_t n, void *y, const void *x)
{
    r->q->numerics->binary(r->op, r->dtype, n, y, y, 1, x, 1);
}

static void fold_lanes(const reduction *r, size_t n, unsigned char *x)
{
    size_t i = LANES;
    for (; i + LANES <= n; i += LANES)
        combine(r, LANES, x, x + i * r->bytes);
    if (i < n)
        combine(r, n - i, x, x + i * r->bytes);
    for (size_t half = LANES / 2; half > 0; half /= 2)
        combine(r, half, x, x + half * r->bytes);
}

/* The result of a block takes the place of its first element. */
static void fold_block(const reduction *r, size_t n, unsigned char *x)
{
    if (r->is_column || n <= LANES)
        fold(r, n - 1, x, x + r->bytes);
    else
        fold_lanes(r, n, x);
}

static void fold_elements(const reduction *r, unsigned char *x, void *y)
{
    const size_t block = r->is_column ? COLUMN_BLOCK : ROW_BLOCK;
    size_t n = r->n;
    if (n <= LANES) {
        fold(r, n, y, x);
        return;
    }
    while (n > 1) {
        size_t blocks = 0;
        for (size_t i = 0; i < n; i += block, blocks++) {
            fold_block(r, n - i < block ? n - i : block, x + i * r->bytes);
            memmove(x + blocks * r->bytes, x + i * r->bytes, r->bytes);
        }
        n = blocks;
    }
    fold(r, 1, y, x);
}

bool ct__is_one_axis(const ct_type *x, ct__ints reduced, ct__fold_shape *s)
{
    *s = (ct__fold_shape){1, 1, 1};
    bool began = false, ended = false;
    for (int d = 0; d < x->rank; d++) {
        const size_t dim = (size_t)x->dim[d];
        bool is_reduced = ct__ints_contain(reduced, d);
        if (dim == 1)
            continue;
        if (is_reduced && ended)
            return false;
        began = began || is_reduced;
        ended = began && !is_reduced;
        *(is_reduced ? &s->n : ended ? &s->inner : &s->outer) *= dim;
    }
    return true;
}

void ct__fold_in_lanes(const ct__eval *q, ct__op op)
{
    ct__fold_shape shape;
    const bool is_one_axis = ct__is_one_axis(q->in_type[0], q->attrs->reduce.dimensions, &shape);
    if (is_one_axis && ct__fold_in_threads(q, op, &shape))
        return;
    if (is_one_axis &&
        q->numerics->fold_axis(op, q->in_type[0]->dtype, &shape, q->out[0], q->in[0]))
        return;
    int64_t index[CT__MAX_RANK] = {0}, y = 0;
    reduction r;
    begin(q, op, &r);
    do {
        int64_t at = 0;
        for (int d = 0; d < r.rank; d++)
            at += index[d] * r.stride[d];
        ct__box_copy(&r.elements, q->scratch, ct__at(q->in[0], r.bytes, at));
        fold_elements(&r, q->scratch, ct__at(q->out[0], r.bytes, y++));
    } while (ct__next(r.rank, r.dim, index));
}

bool ct__lanes_scratch(const ct__eval *q, size_t *bytes)
{
    const ct_type *x = q->in_type[0];
    size_t n = x->size == 0 ? 0
                            : 1; /* of nothing, nothing is gathered, however long a row would be */
    for (int d = 0; d < x->rank; d++)
        if (ct__ints_contain(q->attrs->reduce.dimensions, d))
            n *= (size_t)x->dim[d];
    return ct__mul_size(n, q->numerics->element_bytes(x->dtype), bytes) &&
           ct__round_up(*bytes, bytes);
}
