#include "tests/fuzz/programs/generate.h"

/* As many x of one shape, then as many elements; their number. */
static size_t choose_folded(generator *g, size_t least_rank, ct_tensor **x, ct_dtype *dtype)
{
    const size_t n = seldom(g->c, 5) ? 2 : 1;

    x[0] = any_of_rank(g, CT__ANY, least_rank);
    if (n == 2)
        x[1] = some(g, choose_dtype(g, CT__ANY), ct_shape_of(x[0]));
    for (size_t i = 0; i < n; i++)
        dtype[i] = ct_dtype_of(x[i]);
    return n;
}

static void choose_starts(generator *g, size_t n, const ct_dtype *dtype, ct_tensor **start)
{
    for (size_t i = 0; i < n; i++)
        start[i] = element_of(g, dtype[i]);
}

void make_reduce(generator *g)
{
    ct_tensor *x[4];
    ct_dtype dtype[2];
    int64_t axis[2 * MOST_RANK];
    const size_t n = choose_folded(g, 1, x, dtype);
    const size_t n_axes = choose_subset(g, ct_rank(x[0]), axis);

    choose_starts(g, n, dtype, x + n);
    recorded b = reducer(g, n, dtype);
    const ct__attrs attrs = {.reduce = {.dimensions = {n_axes, axis}, .n_inputs = (int64_t)n}};
    give_with_bodies(g, CT__OP_reduce, &attrs, 2 * n, x, 1, &b, n);
}

/* ---- Windows. */

typedef struct window {
    int64_t size[2 * MOST_RANK], stride[2 * MOST_RANK], base[2 * MOST_RANK],
        dilation[2 * MOST_RANK], low[2 * MOST_RANK], high[2 * MOST_RANK];
} window;

static void choose_window(generator *g, size_t rank, window *w)
{
    static const int64_t pads[] = {0, 1, 2, -1};

    for (size_t d = 0; d < rank; d++) {
        w->size[d] = choose_from(g->c, 1, 3);
        w->stride[d] = choose(g->c, 3) == 1 ? 2 : 1;
        w->base[d] = choose(g->c, 6) == 1 ? 2 : 1;
        w->dilation[d] = choose(g->c, 6) == 1 ? 2 : 1;
        w->low[d] = pads[choose(g->c, 4)];
        w->high[d] = pads[choose(g->c, 4)];
    }
}

void make_reduce_window(generator *g)
{
    ct_tensor *x[4];
    ct_dtype dtype[2];
    window w;
    const size_t n = choose_folded(g, 1, x, dtype), rank = ct_rank(x[0]);

    choose_window(g, rank, &w);
    choose_starts(g, n, dtype, x + n);
    recorded b = reducer(g, n, dtype);
    const ct__attrs attrs = {.reduce_window = {.window_dimensions = {rank, w.size},
                                               .window_strides = {rank, w.stride},
                                               .base_dilations = {rank, w.base},
                                               .window_dilations = {rank, w.dilation},
                                               .padding_low = {rank, w.low},
                                               .padding_high = {rank, w.high},
                                               .n_inputs = (int64_t)n}};
    give_with_bodies(g, CT__OP_reduce_window, &attrs, 2 * n, x, 1, &b, n);
}

static int64_t windows_of(int64_t extent, const window *w, size_t d)
{
    const int64_t room = extent + w->low[d] + w->high[d] - w->size[d];

    return room < 0 ? 0 : room / w->stride[d] + 1;
}

/* A comparison as a body of two elements. */
static recorded selector(generator *g, ct_dtype dtype)
{
    const ct_type *type = ct_spec(g->ctx, dtype, CT_SHAPE())->type;
    recorded b = {.is_fine = false};
    const opened o = body_open(g, 2, (const ct_type *[]){type, type}, true, false);
    const ct_comparison how = choose(g->c, 2) ? CT_LE : CT_GE;
    ct_tensor *better = ct_op_compare(g->value[o.first], g->value[o.first + 1], how,
                                      CT_COMPARE_DEFAULT);

    body_close(g, &o, 1, &better, &b);
    return b;
}

void make_select_and_scatter(generator *g)
{
    ct_tensor *x[3] = {any_of_rank(g, CT__ANY, 1)};
    const size_t rank = ct_rank(x[0]);
    const ct_dtype dtype = ct_dtype_of(x[0]);
    int64_t dim[2 * MOST_RANK];
    window w;

    choose_window(g, rank, &w);
    for (size_t d = 0; d < rank; d++)
        dim[d] = windows_of(ct_dim(x[0], (int64_t)d), &w, d);
    if (!fits((ct_shape){rank, dim}))
        return;
    x[1] = some(g, dtype, (ct_shape){rank, dim});
    x[2] = element_of(g, dtype);
    recorded bodies[2] = {selector(g, dtype)};
    bodies[1] = reducer(g, 1, &dtype);
    const ct__attrs attrs = {.select_and_scatter = {.window_dimensions = {rank, w.size},
                                                    .window_strides = {rank, w.stride},
                                                    .padding_low = {rank, w.low},
                                                    .padding_high = {rank, w.high}}};
    give_with_bodies(g, CT__OP_select_and_scatter, &attrs, 3, x, 2, bodies, 1);
}

/* ---- Ordering. */

void make_sort(generator *g)
{
    ct_tensor *x[2];
    ct_dtype dtype[2];
    const size_t n = choose_folded(g, 1, x, dtype);
    const int64_t axis = (int64_t)choose(g->c, (uint32_t)ct_rank(x[0]));
    recorded b = comparator(g, n, dtype);
    const ct__attrs attrs = {
        .sort = {.dimension = axis, .n_inputs = (int64_t)n, .is_stable = choose(g->c, 2) == 0}};

    give_with_bodies(g, CT__OP_sort, &attrs, n, x, 1, &b, n);
}

void make_top_k(generator *g)
{
    ct_tensor *x = settled(g, any_of_rank(g, CT__REALS, 1)), *result[2];
    const int64_t extent = ct_dim(x, -1);

    ct_op_top_k(x, extent - choose_from(g->c, 0, extent), &result[0], &result[1]);
    give_all(g, CT__OP_top_k, 2, result);
}

/* ---- Every element. */

void make_map(generator *g)
{
    const size_t n = (size_t)choose_from(g->c, 1, 3);
    ct_tensor *x[3] = {any_of(g, CT__ANY)};
    const ct_type *type[3];
    int64_t axis[2 * MOST_RANK];
    recorded b = {.is_fine = false};

    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            x[i] = some(g, choose_dtype(g, CT__ANY), ct_shape_of(x[0]));
        type[i] = ct_spec(g->ctx, ct_dtype_of(x[i]), CT_SHAPE())->type;
    }
    for (size_t d = 0; d < ct_rank(x[0]); d++)
        axis[d] = (int64_t)d;
    const bool has_captures = seldom(g->c, 2);
    const opened o = body_open(g, n, type, true, has_captures);
    g->operations = (int)choose_from(g->c, 1, 4);
    make_operations(g, g->operations);
    g->operations = o.operations;
    ct_tensor *y = any_of(g, CT__ANY);
    body_close(g, &o, 1, &y, &b);
    const ct__attrs attrs = {.map = {.dimensions = {ct_rank(x[0]), axis}, .n_inputs = (int64_t)n}};
    give_with_bodies(g, CT__OP_map, &attrs, n, x, 1, &b, 1);
}
