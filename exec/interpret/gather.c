#include "exec/interpret/interpret.h"
#include "ops/windows.h"

#include <string.h>

/* How one index vector finds its window of x, and where that goes in the result. */
typedef struct gather {
    ct__index_vectors vectors;
    int64_t last[CT__MAX_RANK];     /* entry k is clamped into [0, last[k]] */
    int64_t x_stride[CT__MAX_RANK]; /* of entry k */
    int64_t position_x[CT__MAX_RANK], position_y[CT__MAX_RANK]; /* strides of a vector's position */
    ct__box window;
} gather;

/* Axes that windows do not keep are read at one place. */
static void find_entries(const ct__eval *q, const ct__windows *w, const int64_t *x_stride,
                         gather *g)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;

    for (size_t k = 0; k < a->start_index_map.count; k++) {
        int64_t axis = a->start_index_map.item[k];
        bool single = ct__ints_contain(w->inserted.axes, axis);
        g->last[k] = w->operand->dim[axis] - (single ? 1 : a->slice_sizes.item[axis]);
        g->x_stride[k] = x_stride[axis];
    }
}

/* Positions of index vectors are the result's axes but offset_dims, in order; some are batching
 * coordinates of x too. */
static void find_positions(const ct__eval *q, const int64_t *x_stride, const int64_t *y_stride,
                           gather *g)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;
    int p = 0;

    for (int d = 0; d < q->out_type[0]->rank; d++)
        if (!ct__ints_contain(a->offset_dims, d))
            g->position_y[p++] = y_stride[d];
    for (size_t i = 0; i < a->operand_batching_dims.count; i++) {
        int64_t axis = a->start_indices_batching_dims.item[i];
        g->position_x[axis - (axis > a->index_vector_dim)] =
            x_stride[a->operand_batching_dims.item[i]];
    }
}

static void find_window(const ct__eval *q, const ct__windows *w, const int64_t *x_stride,
                        const int64_t *y_stride, gather *g)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;
    int axis[CT__MAX_RANK], count = ct__window_operand_axes(w, axis);

    ct__box_begin(&g->window, q->numerics->element_bytes(w->operand->dtype));
    for (int i = 0; i < count; i++)
        ct__box_axis(&g->window, a->slice_sizes.item[axis[i]], y_stride[a->offset_dims.item[i]],
                     x_stride[axis[i]]);
}

static void begin(const ct__eval *q, gather *g)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;
    const ct_type *x = q->in_type[0], *y = q->out_type[0];
    int64_t x_stride[CT__MAX_RANK], y_stride[CT__MAX_RANK];
    const ct__windows w = {.operand = x,
                           .indices = q->in_type[1],
                           .inserted = {"", a->collapsed_slice_dims},
                           .batching = {"", a->operand_batching_dims}};

    memset(g, 0, sizeof *g);
    ct__row_major(x->rank, x->dim, x_stride);
    ct__row_major(y->rank, y->dim, y_stride);
    ct__index_vectors_begin(&g->vectors, q->in_type[1], q->in[1], a->index_vector_dim);
    find_entries(q, &w, x_stride, g);
    find_positions(q, x_stride, y_stride, g);
    find_window(q, &w, x_stride, y_stride, g);
}

/* Copy the window of the index vector at a position. */
static void copy_window(const ct__eval *q, const gather *g, const int64_t *position)
{
    const ct__index_vectors *v = &g->vectors;
    int64_t vector = 0, x_at = 0, y_at = 0;

    for (int d = 0; d < v->rank; d++) {
        vector += position[d] * v->stride[d];
        x_at += position[d] * g->position_x[d];
        y_at += position[d] * g->position_y[d];
    }
    for (int64_t k = 0; k < v->entries; k++)
        x_at += g->x_stride[k] *
                ct__clamp_index(v->type->dtype,
                                ct__at(v->data, v->element_bytes, vector + k * v->entry_stride),
                                g->last[k]);
    ct__box_copy(&g->window, ct__at(q->out[0], g->window.bytes, y_at),
                 ct__at(q->in[0], g->window.bytes, x_at));
}

bool ct__meaning_gather(const ct__eval *q)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;
    int64_t position[CT__MAX_RANK] = {0};
    gather g;

    begin(q, &g);
    if (a->strict && !ct__index_vectors_audit(q, &g.vectors, a->index_vector_dim, g.last))
        return false;
    if (q->out_type[0]->size == 0)
        return true;
    if (q->in_type[0]->size == 0) { /* a window of one element where there is none */
        memset(q->out[0], 0, ct__value_bytes(q->numerics, q->out_type[0]));
        return true;
    }
    do
        copy_window(q, &g, position);
    while (ct__next(g.vectors.rank, g.vectors.dim, position));
    return true;
}
