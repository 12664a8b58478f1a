/* ragged_dot, one row of the result after the other: the terms that its group allows are packed
 * into a vector [k] and a matrix [k,n], in contraction order, and multiplied. */
#include "exec/interpret/dot.h"

#include <string.h>

typedef struct ragged {
    const struct ct__attrs_ragged_dot *attrs;
    ct__ragged_mode mode;
    ct_dtype dtype, summed;
    size_t bytes;      /* of an element of x and y */
    int64_t n;         /* columns: the free elements of y */
    int64_t contracts; /* terms of a sum without groups */
    ct__box columns;   /* packs one row of the matrix */
    /* rows of the result: [groups where contracted] batching, free axes of x */
    int rank;
    int64_t dim[CT__MAX_RANK], x_step[CT__MAX_RANK], y_step[CT__MAX_RANK];
    int64_t sizes_step[CT__MAX_RANK]; /* of group_sizes */
    int ragged_at;                    /* which of them is the ragged axis; -1: none */
    /* contracting axes */
    int n_contracting;
    int64_t c_dim[CT__MAX_RANK], c_x_step[CT__MAX_RANK], c_y_step[CT__MAX_RANK];
    int64_t c_sizes_step[CT__MAX_RANK];
    int c_ragged_at;
    int64_t groups, extent;                                               /* of the ragged axis */
    int64_t group_step;                                                   /* of y */
    size_t vector_at, matrix_at, wide_vector_at, wide_matrix_at, sums_at; /* in the scratch */
    size_t scratch_bytes;
} ragged;

/* ---- Preparing. */

/* The step in group_sizes of an axis of x: 0 unless it is one of the prefix. */
static int64_t sizes_step(const ct__eval *q, int64_t axis)
{
    const ct_type *sizes = q->in_type[2];
    int64_t prefix[CT__MAX_RANK], stride[CT__MAX_RANK];
    size_t count = ct__ragged_prefix(&q->attrs->ragged_dot, prefix);

    ct__row_major(sizes->rank, sizes->dim, stride);
    while (sizes->rank > 1 && count-- > 0)
        if (prefix[count] == axis)
            return stride[count];
    return 0;
}

static void add_row_axis(const ct__eval *q, ragged *r, int64_t axis, int64_t x_step, int64_t y_step)
{
    if (axis == r->attrs->lhs_ragged_dimensions.item[0])
        r->ragged_at = r->rank;
    r->dim[r->rank] = q->in_type[0]->dim[axis];
    r->x_step[r->rank] = x_step;
    r->y_step[r->rank] = y_step;
    r->sizes_step[r->rank++] = sizes_step(q, axis);
}

static void begin_rows(const ct__eval *q, ragged *r, const int64_t *x_stride,
                       const int64_t *y_stride)
{
    const struct ct__attrs_ragged_dot *a = r->attrs;

    r->ragged_at = -1;
    if (r->mode == CT__RAGGED_CONTRACTING)
        r->dim[r->rank++] = r->groups; /* all steps 0 */
    for (size_t i = 0; i < a->lhs_batching_dimensions.count; i++)
        add_row_axis(q, r, a->lhs_batching_dimensions.item[i],
                     x_stride[a->lhs_batching_dimensions.item[i]],
                     y_stride[a->rhs_batching_dimensions.item[i]]);
    for (int d = 0; d < q->in_type[0]->rank; d++)
        if (!ct__ints_contain(a->lhs_batching_dimensions, d) &&
            !ct__ints_contain(a->lhs_contracting_dimensions, d))
            add_row_axis(q, r, d, x_stride[d], 0);
}

static void begin_terms(const ct__eval *q, ragged *r, const int64_t *x_stride,
                        const int64_t *y_stride)
{
    const ct__ints lhs = r->attrs->lhs_contracting_dimensions;

    r->contracts = 1;
    r->c_ragged_at = -1;
    r->n_contracting = (int)lhs.count;
    for (int i = 0; i < r->n_contracting; i++) {
        if (lhs.item[i] == r->attrs->lhs_ragged_dimensions.item[0])
            r->c_ragged_at = i;
        r->c_dim[i] = q->in_type[0]->dim[lhs.item[i]];
        r->c_x_step[i] = x_stride[lhs.item[i]];
        r->c_y_step[i] = y_stride[r->attrs->rhs_contracting_dimensions.item[i]];
        r->c_sizes_step[i] = sizes_step(q, lhs.item[i]);
        r->contracts = ct__mul_extents(r->contracts, r->c_dim[i]);
    }
}

static void begin_columns(const ct__eval *q, ragged *r, const int64_t *y_stride)
{
    const struct ct__attrs_ragged_dot *a = r->attrs;
    const ct_type *y = q->in_type[1];
    int64_t axis[CT__MAX_RANK];
    size_t count = 0;

    r->n = 1;
    for (int d = 0; d < y->rank; d++)
        if (!ct__ints_contain(a->rhs_batching_dimensions, d) &&
            !ct__ints_contain(a->rhs_contracting_dimensions, d) &&
            !ct__ints_contain(a->rhs_group_dimensions, d)) {
            axis[count++] = d;
            r->n *= y->dim[d];
        }
    ct__box_begin(&r->columns, r->bytes);
    int64_t to = r->n;
    for (size_t i = 0; i < count && r->n > 0; i++) {
        to /= y->dim[axis[i]];
        ct__box_axis(&r->columns, y->dim[axis[i]], to, y_stride[axis[i]]);
    }
}

static bool reserve_all(const ct__eval *q, ragged *r)
{
    const size_t wide = q->numerics->element_bytes(r->summed);
    const size_t k = (size_t)r->contracts, n = (size_t)r->n;
    size_t cells;

    return ct__mul_size(k, n, &cells) &&
           ct__reserve(k, r->bytes, &r->scratch_bytes, &r->vector_at) &&
           ct__reserve(cells, r->bytes, &r->scratch_bytes, &r->matrix_at) &&
           ct__reserve(k, wide, &r->scratch_bytes, &r->wide_vector_at) &&
           ct__reserve(cells, wide, &r->scratch_bytes, &r->wide_matrix_at) &&
           ct__reserve(n, wide, &r->scratch_bytes, &r->sums_at);
}

static bool begin(const ct__eval *q, ragged *r)
{
    const ct_type *x = q->in_type[0], *y = q->in_type[1], *sizes = q->in_type[2];
    int64_t x_stride[CT__MAX_RANK], y_stride[CT__MAX_RANK];

    *r = (ragged){.attrs = &q->attrs->ragged_dot, .dtype = x->dtype};
    r->mode = ct__ragged_mode_of(r->attrs);
    r->summed = ct__summed_in(q->out_type[0]->dtype);
    r->bytes = q->numerics->element_bytes(x->dtype);
    r->groups = sizes->dim[sizes->rank - 1];
    r->extent = x->dim[r->attrs->lhs_ragged_dimensions.item[0]];
    if (q->out_type[0]->size == 0)
        return true;
    ct__row_major(x->rank, x->dim, x_stride);
    ct__row_major(y->rank, y->dim, y_stride);
    if (r->mode == CT__RAGGED_FREE)
        r->group_step = y_stride[r->attrs->rhs_group_dimensions.item[0]];
    begin_rows(q, r, x_stride, y_stride);
    begin_terms(q, r, x_stride, y_stride);
    begin_columns(q, r, y_stride);
    return reserve_all(q, r);
}

bool ct__ragged_dot_scratch(const ct__eval *q, size_t *bytes)
{
    ragged r;

    if (!begin(q, &r))
        return false;
    *bytes = r.scratch_bytes;
    return true;
}

/* ---- Groups: consecutive ranges of the ragged axis. A negative size counts as 0, and what reaches
 * beyond the axis is cut. */

typedef struct range {
    int64_t start, end;
} range;

/* The next range behind `last` in the row of group_sizes at `at`. */
static range next_range(const ct__eval *q, const ragged *r, int64_t at, int64_t group, range last)
{
    const ct_dtype dtype = q->in_type[2]->dtype;
    const void *size = ct__at(q->in[2], q->numerics->element_bytes(dtype), at + group);

    return (range){last.end, last.end + ct__clamp_index(dtype, size, r->extent - last.end)};
}

static range range_of(const ct__eval *q, const ragged *r, int64_t at, int64_t group)
{
    range now = {0, 0};

    for (int64_t g = 0; g <= group; g++)
        now = next_range(q, r, at, g, now);
    return now;
}

/* The group that a place belongs to; -1: none. */
static int64_t group_of(const ct__eval *q, const ragged *r, int64_t at, int64_t place)
{
    range now = {0, 0};

    for (int64_t g = 0; g < r->groups; g++) {
        now = next_range(q, r, at, g, now);
        if (place < now.end)
            return g;
    }
    return -1;
}

/* ---- Rows. */

typedef struct row {
    int64_t x, y, sizes; /* offsets, in elements */
    int64_t group;       /* -1: no terms */
} row;

static row row_at(const ct__eval *q, const ragged *r, const int64_t *index)
{
    row w = {0, 0, 0, 0};

    for (int d = 0; d < r->rank; d++) {
        w.x += index[d] * r->x_step[d];
        w.y += index[d] * r->y_step[d];
        w.sizes += index[d] * r->sizes_step[d];
    }
    if (r->mode == CT__RAGGED_CONTRACTING)
        w.group = index[0];
    else if (r->mode == CT__RAGGED_FREE) {
        w.group = group_of(q, r, w.sizes, index[r->ragged_at]);
        w.y += w.group * r->group_step; /* not read without a group */
    }
    return w;
}

/* Whether the term belongs to the row's group. */
static bool takes(const ct__eval *q, const ragged *r, const row *w, const int64_t *term)
{
    int64_t sizes = w->sizes;

    if (r->mode != CT__RAGGED_CONTRACTING)
        return w->group >= 0;
    for (int i = 0; i < r->n_contracting; i++)
        sizes += term[i] * r->c_sizes_step[i];
    const range group = range_of(q, r, sizes, w->group);
    return term[r->c_ragged_at] >= group.start && term[r->c_ragged_at] < group.end;
}

/* Packs the row's terms, and returns how many there are. */
static size_t pack(const ct__eval *q, const ragged *r, const row *w)
{
    unsigned char *vector = q->scratch + r->vector_at, *matrix = q->scratch + r->matrix_at;
    const size_t matrix_row = r->bytes * (size_t)r->n;
    int64_t term[CT__MAX_RANK] = {0};
    size_t k = 0;

    if (r->contracts == 0)
        return 0;
    do {
        int64_t x = w->x, y = w->y;
        if (!takes(q, r, w, term))
            continue;
        for (int i = 0; i < r->n_contracting; i++) {
            x += term[i] * r->c_x_step[i];
            y += term[i] * r->c_y_step[i];
        }
        memcpy(vector + k * r->bytes, ct__at(q->in[0], r->bytes, x), r->bytes);
        ct__box_copy(&r->columns, matrix + k * matrix_row, ct__at(q->in[1], r->bytes, y));
        k++;
    } while (ct__next(r->n_contracting, r->c_dim, term));
    return k;
}

static void multiply(const ct__eval *q, const ragged *r, const int64_t *index, void *z)
{
    const row w = row_at(q, r, index);
    const size_t k = pack(q, r, &w), n = (size_t)r->n;
    void *vector = q->scratch + r->vector_at, *matrix = q->scratch + r->matrix_at;
    void *sums = q->scratch + r->sums_at;

    if (r->dtype != r->summed) {
        void *wide_vector = q->scratch + r->wide_vector_at;
        void *wide_matrix = q->scratch + r->wide_matrix_at;
        q->numerics->convert(r->summed, r->dtype, k, wide_vector, vector);
        q->numerics->convert(r->summed, r->dtype, k * n, wide_matrix, matrix);
        vector = wide_vector;
        matrix = wide_matrix;
    }
    q->numerics->dot(r->summed, 1, n, k, sums, vector, matrix);
    q->numerics->convert(q->out_type[0]->dtype, r->summed, n, z, sums);
}

bool ct__meaning_ragged_dot(const ct__eval *q)
{
    const size_t bytes = q->numerics->element_bytes(q->out_type[0]->dtype);
    int64_t index[CT__MAX_RANK] = {0}, at = 0;
    ragged r;

    begin(q, &r);
    if (q->out_type[0]->size == 0)
        return true;
    do {
        multiply(q, &r, index, ct__at(q->out[0], bytes, at));
        at += r.n;
    } while (ct__next(r.rank, r.dim, index));
    return true;
}
