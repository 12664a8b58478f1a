#include "exec/interpret/places.h"
#include "ops/windows.h"

#include <string.h>

typedef struct gather {
    ct__places places;
    ct__box window; /* from x to the result */
} gather;

/* Axes that windows do not keep are read at one place. */
static void find_entries(const ct__eval *q, const ct__windows *w, const int64_t *x_stride,
                         gather *g)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;

    for (size_t k = 0; k < a->start_index_map.count; k++) {
        int64_t axis = a->start_index_map.item[k];
        bool single = ct__ints_contain(w->inserted.axes, axis);
        g->places.last[k] = w->operand->dim[axis] - (single ? 1 : a->slice_sizes.item[axis]);
        g->places.step[k] = x_stride[axis];
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
            g->places.y_step[p++] = y_stride[d];
    for (size_t i = 0; i < a->operand_batching_dims.count; i++) {
        int64_t axis = a->start_indices_batching_dims.item[i];
        g->places.x_step[axis - (axis > a->index_vector_dim)] =
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
    ct__index_vectors_begin(&g->places.vectors, q->in_type[1], q->in[1], a->index_vector_dim);
    find_entries(q, &w, x_stride, g);
    find_positions(q, x_stride, y_stride, g);
    find_window(q, &w, x_stride, y_stride, g);
}

/* The windows of a block of vectors, whose runs at one coordinate are copied together. */
static void copy_windows(const ct__eval *q, const gather *g, const ct__places_block *b,
                         bool streams)
{
    const ct__moves *moves = ct__moves_here();
    const ct__box *w = &g->window;
    const ct__runs runs = ct__runs_of(w);
    int64_t index[CT__MAX_RANK] = {0};

    do {
        int64_t x_at = 0, y_at = b->y;
        for (int d = 0; d < runs.outer; d++) {
            x_at += index[d] * w->from[d];
            y_at += index[d] * w->to[d];
        }
        const void *x = ct__at(q->in[0], w->bytes, x_at);
        void *y = ct__at(q->out[0], w->bytes, y_at);
        if (runs.length == 1 && b->y_step == 1 && w->bytes == 4)
            moves->gather_4(b->n, y, x, b->at, streams);
        else if (runs.length == 1 && b->y_step == 1 && w->bytes == 8)
            moves->gather_8(b->n, y, x, b->at, streams);
        else
            moves->gather_rows(b->n, (size_t)runs.length * w->bytes, y,
                               b->y_step * (int64_t)w->bytes, x, w->bytes, b->at, streams);
    } while (ct__next(runs.outer, w->dim, index));
}

/* The windows of a few vectors, one after the other. */
static void copy_boxes(const ct__eval *q, const gather *g, const ct__places_block *b)
{
    const size_t bytes = g->window.bytes;

    for (size_t i = 0; i < b->n; i++)
        ct__box_copy(&g->window, ct__at(q->out[0], bytes, b->y + (int64_t)i * b->y_step),
                     ct__at(q->in[0], bytes, b->at[i]));
}

/* ---- Vectors in tiles, which threads share. */

enum { FEW = 8, TILE_BYTES = 1 << 18, MOST_TILES = 64 };

typedef struct tiles {
    const ct__eval *q;
    const gather *g;
    bool streams;
} tiles;

/* Whether windows are elements. */
static bool is_indexed(const gather *g)
{
    return g->window.rank == 0 && (g->window.bytes == 4 || g->window.bytes == 8) &&
           ct__places_are_indexed(&g->places);
}

static void gather_indexed(const tiles *t, ct__places *p)
{
    const ct__moves *moves = ct__moves_here();
    const size_t bytes = t->g->window.bytes;
    ct__places_row row;

    while (ct__places_next_row(p, INT64_MAX, &row))
        (bytes == 4 ? moves->gather_indexed_4 : moves->gather_indexed_8)(
            (size_t)row.n, ct__at(t->q->out[0], bytes, row.y), ct__at(t->q->in[0], bytes, row.x),
            ct__at(p->vectors.data, sizeof(int32_t), row.vector), (int32_t)p->last[0],
            (uint32_t)p->step[0], t->streams);
}

static void gather_some(void *user, size_t first, size_t end, size_t worker)
{
    const tiles *t = user;
    ct__places places = t->g->places;
    ct__places_block block;

    (void)worker;
    ct__places_limit(&places, (int64_t)first, (int64_t)end);
    if (is_indexed(t->g))
        gather_indexed(t, &places);
    while (ct__places_next(&places, &block))
        if (block.n < FEW)
            copy_boxes(t->q, t->g, &block);
        else
            copy_windows(t->q, t->g, &block, t->streams);
}

static void gather_all(const ct__eval *q, const gather *g)
{
    const size_t bytes = ct__value_bytes(q->numerics, q->out_type[0]);
    const size_t wanted = bytes / TILE_BYTES + 1, n = wanted < MOST_TILES ? wanted : MOST_TILES;
    const size_t count = (size_t)g->places.left;
    tiles t = {.q = q, .g = g, .streams = bytes >= CT__STREAMED_BYTES};

    ct__parallel_ranges(q->threads, count, (count + n - 1) / n, gather_some, &t);
}

bool ct__meaning_gather(const ct__eval *q)
{
    const struct ct__attrs_gather *a = &q->attrs->gather;
    gather g;

    begin(q, &g);
    if (a->strict &&
        !ct__index_vectors_audit(q, &g.places.vectors, a->index_vector_dim, g.places.last))
        return false;
    if (q->out_type[0]->size == 0)
        return true;
    if (q->in_type[0]->size == 0) { /* a window of one element where there is none */
        memset(q->out[0], 0, ct__value_bytes(q->numerics, q->out_type[0]));
        return true;
    }
    ct__places_begin(&g.places);
    gather_all(q, &g);
    return true;
}
