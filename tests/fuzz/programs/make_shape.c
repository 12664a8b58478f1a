#include "tests/fuzz/programs/generate.h"

/* Axes of x at ascending or any places among those of the result; extents of 1 may be spread. */
void make_broadcast(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY);
    const size_t rank = ct_rank(x), more = choose(g->c, 3);
    int64_t place[2 * MOST_RANK], order[2 * MOST_RANK], dim[2 * MOST_RANK];

    if (rank + more > MOST_RANK)
        return;
    choose_order(g, rank + more, order);
    for (size_t d = 0; d < rank + more; d++)
        dim[d] = choose_extent(g);
    for (size_t d = 0; d < rank; d++) {
        place[d] = seldom(g->c, 4) ? order[d] : (int64_t)(more + d);
        if (ct_dim(x, (int64_t)d) != 1 || choose(g->c, 2))
            dim[place[d]] = ct_dim(x, (int64_t)d);
    }
    if (fits((ct_shape){rank + more, dim}))
        give(g, CT__OP_broadcast_in_dim,
             ct_op_broadcast_in_dim(x, (ct_shape){rank + more, dim}, (ct_shape){rank, place}));
}

void make_concatenate(generator *g)
{
    ct_tensor *x[4] = {any_of_rank(g, CT__ANY, 1)};
    const size_t n = 1 + choose(g->c, 4), rank = ct_rank(x[0]);
    const size_t axis = choose(g->c, (uint32_t)rank);
    int64_t dim[2 * MOST_RANK];

    for (size_t i = 1; i < n; i++) {
        for (size_t d = 0; d < rank; d++)
            dim[d] = ct_dim(x[0], (int64_t)d);
        if (choose(g->c, 2))
            dim[axis] = choose_from(g->c, 0, 5);
        x[i] = some(g, ct_dtype_of(x[0]), (ct_shape){rank, dim});
    }
    give(g, CT__OP_concatenate, ct_op_concatenate(((ct_list){n, x}), (int64_t)axis));
}

void make_pad(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY), *value = element_of(g, ct_dtype_of(x));
    int64_t low[2 * MOST_RANK], high[2 * MOST_RANK], interior[2 * MOST_RANK];
    const size_t rank = ct_rank(x);

    for (size_t d = 0; d < rank; d++) {
        static const int64_t pads[] = {0, 1, 2, -1, 3, -2};
        low[d] = pads[choose(g->c, 6)];
        high[d] = pads[choose(g->c, 6)];
        interior[d] = choose(g->c, 4) == 1 ? choose_from(g->c, 0, 2) : 0;
    }
    give(g, CT__OP_pad,
         ct_op_pad(x, value, (ct_shape){rank, low}, (ct_shape){rank, high},
                   (ct_shape){rank, interior}));
}

/* Factors of the size. */
void make_reshape(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY);
    int64_t dim[MOST_RANK], left = ct_size(x);
    size_t rank = 0;

    while (rank + 1 < MOST_RANK && choose(g->c, 4) != 0) {
        const int64_t most = left > 0 ? left : 4;
        int64_t factor = choose_from(g->c, 1, most < 12 ? most : 12);
        while (left > 0 && left % factor != 0)
            factor--;
        dim[rank++] = factor;
        left /= factor;
    }
    if (left != 1 || rank == 0)
        dim[rank++] = left;
    if (ct_size(x) == 1 && choose(g->c, 2))
        rank = 0;
    give(g, CT__OP_reshape, ct_op_reshape(x, (ct_shape){rank, dim}));
}

void make_reverse(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY);
    int64_t axis[2 * MOST_RANK];
    const size_t n = choose_subset(g, ct_rank(x), axis);

    give(g, CT__OP_reverse, ct_op_reverse(x, (ct_shape){n, axis}));
}

void make_slice(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY);
    int64_t start[2 * MOST_RANK], limit[2 * MOST_RANK], stride[2 * MOST_RANK];
    const size_t rank = ct_rank(x);

    for (size_t d = 0; d < rank; d++) {
        const int64_t extent = ct_dim(x, (int64_t)d);
        start[d] = choose_from(g->c, 0, extent);
        limit[d] = extent - choose_from(g->c, 0, extent - start[d]);
        stride[d] = 1 + (choose(g->c, 3) == 1 ? choose_from(g->c, 0, 3) : 0);
        if (start[d] == limit[d] && !seldom(g->c, 8))
            start[d] = 0, limit[d] = extent;
    }
    give(
        g, CT__OP_slice,
        ct_op_slice(x, (ct_shape){rank, start}, (ct_shape){rank, limit}, (ct_shape){rank, stride}));
}

void make_transpose(generator *g)
{
    ct_tensor *x = any_of_rank(g, CT__ANY, 2);
    int64_t order[2 * MOST_RANK];

    choose_order(g, ct_rank(x), order);
    give(g, CT__OP_transpose, ct_op_transpose(x, (ct_shape){ct_rank(x), order}));
}

void make_iota(generator *g)
{
    int64_t dim[MOST_RANK];
    const ct_shape shape = choose_shape(g, dim, 1, MOST_RANK);
    const ct_dtype dtype = choose_dtype(g, CT__INTS | CT__FLOATS | CT__COMPLEXES);

    give(g, CT__OP_iota,
         ct_op_iota(g->ctx, dtype, shape, (int64_t)choose(g->c, (uint32_t)shape.count)));
}
