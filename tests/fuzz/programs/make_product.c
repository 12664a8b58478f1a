#include "tests/fuzz/programs/generate.h"

/* ---- dot_general: some axes of x are paired with axes of y, which has others of its own. */

typedef struct pairs {
    int64_t lhs_batching[MOST_RANK], rhs_batching[MOST_RANK], lhs_contracting[MOST_RANK],
        rhs_contracting[MOST_RANK], y[2 * MOST_RANK];
    size_t n_batching, n_contracting, rank; /* rank: of y */
    int64_t size;                           /* of the result */
} pairs;

static void choose_pairs(generator *g, const ct_tensor *x, pairs *p)
{
    int64_t order[2 * MOST_RANK], dim[2 * MOST_RANK];
    size_t n = 0;

    p->size = 1;
    for (size_t d = 0; d < ct_rank(x); d++) {
        const uint32_t kind = d + 1 == ct_rank(x) ? choose(g->c, 3) : 1 + choose(g->c, 3);
        if (kind == 0 || kind == 3)
            p->lhs_contracting[p->n_contracting++] = (int64_t)d;
        else if (kind == 2)
            p->lhs_batching[p->n_batching++] = (int64_t)d;
        if (kind == 1 || kind == 2)
            p->size *= ct_dim(x, (int64_t)d);
    }
    for (size_t i = 0; i < p->n_contracting; i++)
        dim[n++] = ct_dim(x, p->lhs_contracting[i]);
    for (size_t i = 0; i < p->n_batching; i++)
        dim[n++] = ct_dim(x, p->lhs_batching[i]);
    for (size_t more = choose(g->c, 3); more > 0 && n < MOST_RANK; more--)
        p->size *= dim[n++] = choose_extent(g);
    p->rank = n;
    choose_order(g, n, order);
    for (size_t i = 0; i < n; i++)
        p->y[order[i]] = dim[i];
    for (size_t i = 0; i < p->n_contracting; i++)
        p->rhs_contracting[i] = order[i];
    for (size_t i = 0; i < p->n_batching; i++)
        p->rhs_batching[i] = order[p->n_contracting + i];
}

void make_dot(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY);
    const ct_dtype dtype = ct_dtype_of(x);
    pairs p = {.size = 1};

    choose_pairs(g, x, &p);
    if (p.rank > MOST_RANK || !fits((ct_shape){p.rank, p.y}) || p.size > MOST_ELEMENTS)
        return;
    const bool is_mixed = g->style == STYLE_ANY && seldom(g->c, 6);
    ct_tensor *y = some(g, is_mixed ? choose_dtype(g, CT__ANY) : dtype, (ct_shape){p.rank, p.y});
    if (g->style == STYLE_LINEAR)
        y = numbers(g, dtype, (ct_shape){p.rank, p.y});
    const ct_dot_dims dims = {.lhs_batching = {p.n_batching, p.lhs_batching},
                              .rhs_batching = {p.n_batching, p.rhs_batching},
                              .lhs_contracting = {p.n_contracting, p.lhs_contracting},
                              .rhs_contracting = {p.n_contracting, p.rhs_contracting},
                              .dtype = is_mixed ? choose_dtype(g, CT__ANY) : CT_INVALID_DTYPE};
    give(g, CT__OP_dot_general, ct_op_dot_general(x, y, &dims));
}

/* ---- ragged_dot: x [m,k], y [groups,k,n], and by axes of x. */

void make_ragged_dot(generator *g)
{
    ct_tensor *x = some(g, choose_dtype(g, CT__FLOATS | CT__INTS | CT__COMPLEXES),
                        CT_SHAPE(choose_from(g->c, 1, 5), choose_from(g->c, 1, 4)));
    const int64_t m = ct_dim(x, 0), k = ct_dim(x, 1), groups = choose_from(g->c, 1, 3);
    const int64_t n = choose_from(g->c, 1, 3);
    const bool is_free = choose(g->c, 2) == 0;
    ct_tensor *sizes = some_indices(g, CT_SHAPE(groups), is_free ? m : k);
    ct_tensor *y = is_free ? some(g, ct_dtype_of(x), CT_SHAPE(groups, k, n))
                           : some(g, ct_dtype_of(x), CT_SHAPE(k, n));
    const ct_ragged_dot_dims dims = is_free ? (ct_ragged_dot_dims){.lhs_contracting = CT_DIMS(1),
                                                                   .rhs_contracting = CT_DIMS(1),
                                                                   .lhs_ragged = CT_DIMS(0),
                                                                   .rhs_group = CT_DIMS(0)}
                                            : (ct_ragged_dot_dims){.lhs_contracting = CT_DIMS(1),
                                                                   .rhs_contracting = CT_DIMS(0),
                                                                   .lhs_ragged = CT_DIMS(1)};

    give(g, CT__OP_ragged_dot, ct_op_ragged_dot(x, y, sizes, &dims));
}

/* ---- convolution. */

typedef struct sliding {
    int64_t stride[MOST_RANK], low[MOST_RANK], high[MOST_RANK], lhs[MOST_RANK], rhs[MOST_RANK],
        reversal[MOST_RANK];
    int64_t input[MOST_RANK], kernel[MOST_RANK], output[MOST_RANK]; /* places of the axes */
    int64_t x[MOST_RANK], k[MOST_RANK];                             /* shapes */
    int64_t features, batches;                                      /* groups */
} sliding;

static void choose_sliding(generator *g, size_t spatial, sliding *s)
{
    static const int64_t pads[] = {0, 1, 2, -1};

    for (size_t i = 0; i < spatial; i++) {
        s->stride[i] = choose(g->c, 3) == 1 ? 2 : 1;
        s->low[i] = pads[choose(g->c, 4)];
        s->high[i] = pads[choose(g->c, 4)];
        s->lhs[i] = choose(g->c, 5) == 1 ? 2 : 1;
        s->rhs[i] = choose(g->c, 5) == 1 ? 2 : 1;
        s->reversal[i] = choose(g->c, 4) == 1;
    }
    s->features = choose(g->c, 4) == 1 ? 2 : 1;
    s->batches = s->features == 1 && choose(g->c, 6) == 1 ? 2 : 1;
}

/* Axes in the order batch (output feature), feature (input feature), space. */
static void choose_extents(generator *g, size_t spatial, sliding *s)
{
    int64_t x[MOST_RANK], k[MOST_RANK];
    const size_t rank = spatial + 2;
    const int64_t each = choose_from(g->c, 1, 3);

    x[0] = s->batches * choose_from(g->c, 1, 2);
    x[1] = s->features * each;
    k[0] = s->features * s->batches * choose_from(g->c, 1, 3);
    k[1] = each;
    for (size_t i = 2; i < rank; i++) {
        x[i] = choose_from(g->c, 1, 6);
        k[i] = choose_from(g->c, 1, 3);
    }
    choose_order(g, rank, s->input);
    choose_order(g, rank, s->kernel);
    choose_order(g, rank, s->output);
    for (size_t i = 0; i < rank; i++) {
        s->x[s->input[i]] = x[i];
        s->k[s->kernel[i]] = k[i];
    }
}

static ct_convolution_dims dims_of(const sliding *s, size_t n)
{
    return (ct_convolution_dims){.window_strides = {n, s->stride},
                                 .padding_low = {n, s->low},
                                 .padding_high = {n, s->high},
                                 .lhs_dilation = {n, s->lhs},
                                 .rhs_dilation = {n, s->rhs},
                                 .window_reversal = {n, s->reversal},
                                 .input_batch_dimension = s->input[0],
                                 .input_feature_dimension = s->input[1],
                                 .input_spatial_dimensions = {n, s->input + 2},
                                 .kernel_output_feature_dimension = s->kernel[0],
                                 .kernel_input_feature_dimension = s->kernel[1],
                                 .kernel_spatial_dimensions = {n, s->kernel + 2},
                                 .output_batch_dimension = s->output[0],
                                 .output_feature_dimension = s->output[1],
                                 .output_spatial_dimensions = {n, s->output + 2},
                                 .feature_group_count = s->features,
                                 .batch_group_count = s->batches};
}

void make_convolution(generator *g)
{
    const size_t spatial = (size_t[]){1, 2, 2, 0, 3}[choose(g->c, 5)];
    sliding s = {.features = 1};

    choose_sliding(g, spatial, &s);
    choose_extents(g, spatial, &s);
    const ct_shape shape = {spatial + 2, s.k};
    ct_tensor *x = some(g, choose_dtype(g, CT__ANY), (ct_shape){spatial + 2, s.x});
    ct_tensor *kernel = g->style == STYLE_LINEAR ? numbers(g, ct_dtype_of(x), shape)
                                                 : some(g, ct_dtype_of(x), shape);
    const ct_convolution_dims dims = dims_of(&s, spatial);
    give(g, CT__OP_convolution, ct_op_convolution(x, kernel, &dims));
}
