#include "tests/fuzz/programs/generate.h"

#include <string.h>

/* ---- Windows at one place. */

static int64_t largest(const ct_tensor *x)
{
    int64_t most = 1;

    for (size_t d = 0; d < ct_rank(x); d++)
        most = ct_dim(x, (int64_t)d) > most ? ct_dim(x, (int64_t)d) : most;
    return most;
}

/* All of the first one's dtype. */
static size_t choose_starts(generator *g, const ct_tensor *x, ct_tensor **start)
{
    for (size_t d = 0; d < ct_rank(x); d++)
        start[d] = d == 0 ? some_indices(g, CT_SHAPE(), largest(x))
                          : element_of(g, ct_dtype_of(start[0]));
    return ct_rank(x);
}

/* Extents within those of x. */
static ct_shape choose_window(generator *g, const ct_tensor *x, int64_t *dim)
{
    for (size_t d = 0; d < ct_rank(x); d++) {
        const int64_t extent = ct_dim(x, (int64_t)d);
        dim[d] = choose(g->c, 2) ? extent : extent - choose_from(g->c, 0, extent);
        if (dim[d] == 0 && extent > 0 && !seldom(g->c, 8))
            dim[d] = 1;
    }
    return (ct_shape){ct_rank(x), dim};
}

void make_dynamic_slice(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY), *start[2 * MOST_RANK];
    int64_t dim[2 * MOST_RANK];
    const ct_shape sizes = choose_window(g, x, dim);
    const size_t n = choose_starts(g, x, start);

    give(g, CT__OP_dynamic_slice, ct_op_dynamic_slice(x, ((ct_list){n, start}), sizes, false));
}

void make_dynamic_update(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY), *start[2 * MOST_RANK];
    int64_t dim[2 * MOST_RANK];
    ct_tensor *update = some(g, ct_dtype_of(x), choose_window(g, x, dim));
    const size_t n = choose_starts(g, x, start);

    give(g, CT__OP_dynamic_update_slice,
         ct_op_dynamic_update_slice(x, update, ((ct_list){n, start}), false));
}

/* ---- Windows at many places: the attributes of gather, which scatter has under other names. */

typedef struct places {
    int64_t offset[MOST_RANK], collapsed[MOST_RANK], batching[MOST_RANK], index_batching[MOST_RANK],
        map[MOST_RANK], sizes[MOST_RANK];
    size_t n_offset, n_collapsed, n_batching, n_map;
    int64_t vector;                /* index_vector_dim */
    int64_t index[2 * MOST_RANK];  /* shape of the indices */
    size_t index_rank, n_batch;    /* n_batch: without the vector's axis */
    int64_t window[2 * MOST_RANK]; /* shape of the result */
    size_t window_rank;
    int64_t extent; /* of an axis that is indexed */
} places;

/* What becomes of each axis of x. */
static void choose_axes(generator *g, const ct_tensor *x, places *p)
{
    int64_t candidate[MOST_RANK], order[MOST_RANK];
    size_t n = 0, n_order = 0;

    for (size_t d = 0; d < ct_rank(x); d++) {
        const int64_t extent = ct_dim(x, (int64_t)d);
        const uint32_t kind = choose(g->c, 6); /* 0, 1, 2: in the window; 3, 4: one place; 5 */
        if (kind == 5)
            p->batching[p->n_batching++] = (int64_t)d;
        else
            candidate[n++] = (int64_t)d;
        if (kind == 3 || kind == 4)
            p->collapsed[p->n_collapsed++] = (int64_t)d;
        p->sizes[d] = kind >= 3   ? extent > 0
                      : kind == 0 ? extent
                                  : choose_from(g->c, extent > 0, extent);
    }
    choose_order(g, n, order);
    p->extent = 1;
    for (; n_order < n; n_order++)
        if (choose(g->c, 3)) {
            p->map[p->n_map++] = candidate[order[n_order]];
            p->extent = ct_dim(x, p->map[p->n_map - 1]);
        }
}

/* The extents of the batching axes and others, in some order, and the vector's axis among them. */
static void choose_batch(generator *g, const ct_tensor *x, places *p)
{
    int64_t dim[2 * MOST_RANK], order[2 * MOST_RANK];
    size_t n = 0;

    for (size_t i = 0; i < p->n_batching; i++)
        dim[n++] = ct_dim(x, p->batching[i]);
    const size_t more = n < 4 ? choose(g->c, 3) : 0;
    for (size_t i = 0; i < more; i++)
        dim[n++] = choose_from(g->c, 0, 4);
    choose_order(g, n, order);
    p->n_batch = n;
    p->vector = (int64_t)choose(g->c, (uint32_t)n + 1);
    const bool has_vector = p->n_map != 1 || choose(g->c, 2) == 0;
    if (!has_vector)
        p->vector = (int64_t)n;
    for (size_t i = 0; i < n; i++)
        p->index[order[i] + (has_vector && order[i] >= p->vector)] = dim[i];
    for (size_t i = 0; i < p->n_batching; i++)
        p->index_batching[i] = order[i] + (has_vector && order[i] >= p->vector);
    if (has_vector)
        p->index[p->vector] = (int64_t)p->n_map;
    p->index_rank = n + has_vector;
}

/* The windows' axes among those of the result. */
static void choose_offsets(generator *g, const ct_tensor *x, places *p)
{
    bool is_offset[2 * MOST_RANK + 1] = {false};
    size_t at = 0, n_window = ct_rank(x) - p->n_collapsed - p->n_batching, left = n_window,
           axis = 0;

    p->window_rank = p->n_batch + n_window;
    for (size_t i = 0; i < p->window_rank && left > 0; i++)
        if (left == p->window_rank - i || choose(g->c, 2)) {
            is_offset[i] = true;
            p->offset[p->n_offset++] = (int64_t)i;
            left--;
        }
    for (size_t i = 0; i < p->window_rank; i++) {
        if (is_offset[i]) {
            while (ct__ints_contain((ct__ints){p->n_collapsed, p->collapsed}, (int64_t)axis) ||
                   ct__ints_contain((ct__ints){p->n_batching, p->batching}, (int64_t)axis))
                axis++;
            p->window[i] = p->sizes[axis++];
        } else {
            at += p->index_rank > p->n_batch && (int64_t)at == p->vector;
            p->window[i] = p->index[at++];
        }
    }
}

static bool choose_places(generator *g, const ct_tensor *x, places *p)
{
    *p = (places){.extent = 1};
    choose_axes(g, x, p);
    choose_batch(g, x, p);
    choose_offsets(g, x, p);
    return p->window_rank <= MOST_RANK && p->index_rank <= MOST_RANK &&
           fits((ct_shape){p->window_rank, p->window}) && fits((ct_shape){p->index_rank, p->index});
}

void make_gather(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY);
    places p;

    if (ct_rank(x) > 4 || !choose_places(g, x, &p))
        return;
    const ct_gather_dims dims = {.offset_dims = {p.n_offset, p.offset},
                                 .collapsed_slice_dims = {p.n_collapsed, p.collapsed},
                                 .operand_batching_dims = {p.n_batching, p.batching},
                                 .start_indices_batching_dims = {p.n_batching, p.index_batching},
                                 .start_index_map = {p.n_map, p.map},
                                 .index_vector_dim = p.vector,
                                 .slice_sizes = {ct_rank(x), p.sizes}};
    ct_tensor *at = some_indices(g, (ct_shape){p.index_rank, p.index}, p.extent);
    give(g, CT__OP_gather, ct_op_gather(x, at, &dims));
}

/* ---- Scatter. */

static ct__attrs scatter_attrs(const places *p, size_t n)
{
    return (ct__attrs){
        .scatter = {.update_window_dims = {p->n_offset, p->offset},
                    .inserted_window_dims = {p->n_collapsed, p->collapsed},
                    .input_batching_dims = {p->n_batching, p->batching},
                    .scatter_indices_batching_dims = {p->n_batching, p->index_batching},
                    .scatter_dims_to_operand_dims = {p->n_map, p->map},
                    .index_vector_dim = p->vector,
                    .n_inputs = (int64_t)n}};
}

void make_scatter(generator *g)
{
    ct_tensor *x[5] = {any_of(g, CT__ANY)};
    ct_dtype dtype[2];
    places p;

    if (ct_rank(x[0]) > 4 || !choose_places(g, x[0], &p))
        return;
    const size_t n = seldom(g->c, 6) ? 2 : 1;
    if (n == 2)
        x[1] = some(g, choose_dtype(g, CT__ANY), ct_shape_of(x[0]));
    x[n] = some_indices(g, (ct_shape){p.index_rank, p.index}, p.extent);
    for (size_t i = 0; i < n; i++) {
        dtype[i] = ct_dtype_of(x[i]);
        x[n + 1 + i] = some(g, dtype[i], (ct_shape){p.window_rank, p.window});
    }
    recorded b = reducer(g, n, dtype);
    const ct__attrs attrs = scatter_attrs(&p, n);
    give_with_bodies(g, CT__OP_scatter, &attrs, 2 * n + 1, x, 1, &b, n);
}
