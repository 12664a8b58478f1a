#include "tests/fuzz/programs/generate.h"

/* ---- Transforming and solving. */

void make_fft(generator *g)
{
    const ct_fft_type type = (ct_fft_type)choose(g->c, 4);
    ct_tensor *x = any_of_rank(g, type == CT_RFFT ? CT__FLOATS : CT__COMPLEXES, 1);
    const size_t rank = ct_rank(x), n = 1 + choose(g->c, rank < 3 ? (uint32_t)rank : 3);
    int64_t length[3];

    for (size_t i = 0; i < n; i++)
        length[i] = ct_dim(x, (int64_t)(rank - n + i));
    if (type == CT_IRFFT)
        length[n - 1] = length[n - 1] == 0 ? 0 : 2 * length[n - 1] - 2 + (int64_t)choose(g->c, 2);
    give(g, CT__OP_fft, ct_op_fft(x, type, (ct_shape){n, length}));
}

/* Matrices [batch…, rows, columns]. */
static ct_tensor *matrices(generator *g, ct_dtype dtype, ct_shape batch, int64_t rows,
                           int64_t columns)
{
    int64_t dim[MOST_RANK];

    for (size_t d = 0; d < batch.count; d++)
        dim[d] = batch.dim[d];
    dim[batch.count] = rows;
    dim[batch.count + 1] = columns;
    return some(g, dtype, (ct_shape){batch.count + 2, dim});
}

static ct_shape choose_batch(generator *g, int64_t *dim)
{
    const size_t n = choose(g->c, 3);

    for (size_t d = 0; d < n; d++)
        dim[d] = choose_from(g->c, 1, 3);
    return (ct_shape){n, dim};
}

/* a a^T + 4: mostly positive. */
static ct_tensor *more_positive(generator *g, ct_tensor *a)
{
    const size_t rank = ct_rank(a);
    const int64_t n = ct_dim(a, -1);
    int64_t axis[MOST_RANK];

    for (size_t d = 0; d < rank; d++)
        axis[d] = (int64_t)d;
    ct_tensor *four = ct_mul(ct_eye(g->ctx, ct_dtype_of(a), n),
                             ct_full(g->ctx, ct_dtype_of(a), CT_SHAPE(), 4));
    const ct_dims batch = {rank - 2, axis}, last = {1, &axis[rank - 1]};
    const ct_dot_dims dims = {batch, batch, last, last, CT_INVALID_DTYPE, NULL, NULL};
    return ct_add(ct_op_dot_general(a, a, &dims), four);
}

void make_cholesky(generator *g)
{
    int64_t dim[MOST_RANK];
    const ct_dtype dtype = choose_dtype(g, CT__FLOATS | CT__COMPLEXES);
    const ct_shape batch = choose_batch(g, dim);
    const int64_t n = choose_from(g->c, 0, 6);
    ct_tensor *a = matrices(g, dtype, batch, n, n);

    if (choose(g->c, 4))
        a = more_positive(g, a);
    give(g, CT__OP_cholesky, ct_op_cholesky(a, choose(g->c, 2) == 0));
}

void make_solve(generator *g)
{
    int64_t dim[MOST_RANK];
    const ct_dtype dtype = choose_dtype(g, CT__FLOATS | CT__COMPLEXES);
    const ct_shape batch = choose_batch(g, dim);
    const int64_t n = choose_from(g->c, 0, 5), m = choose_from(g->c, 0, 3);
    const ct_solve_options options = {.left_side = choose(g->c, 2) == 0,
                                      .lower = choose(g->c, 2) == 0,
                                      .unit_diagonal = choose(g->c, 2) == 1,
                                      .transpose_a = (ct_transpose)choose(g->c, 3)};
    ct_tensor *a = matrices(g, dtype, batch, n, n);
    ct_tensor *b = options.left_side ? matrices(g, dtype, batch, n, m)
                                     : matrices(g, dtype, batch, m, n);

    give(g, CT__OP_triangular_solve, ct_op_triangular_solve(a, b, &options));
}

/* ---- Normalising. */

void make_batch_norm(generator *g)
{
    ct_tensor *x = any_of_rank(g, CT__FLOATS, 1), *v[4], *result[3];
    const int64_t axis = (int64_t)choose(g->c, (uint32_t)ct_rank(x));
    const ct_shape features = CT_SHAPE(ct_dim(x, axis));
    const uint32_t kind = choose(g->c, 3);

    for (int i = 0; i < 4; i++)
        v[i] = some(g, ct_dtype_of(x), features);
    if (kind == 0) {
        give(g, CT__OP_batch_norm_inference,
             ct_op_batch_norm_inference(x, v[0], v[1], v[2], v[3], 0.125, axis));
    } else if (kind == 1) {
        result[0] = ct_op_batch_norm_training(x, v[0], v[1], 0.125, axis, &result[1], &result[2]);
        give_all(g, CT__OP_batch_norm_training, 3, result);
    } else {
        result[0] = ct_op_batch_norm_grad(x, v[0], v[1], v[2], like(g, x), 0.125, axis, &result[1],
                                          &result[2]);
        give_all(g, CT__OP_batch_norm_grad, 3, result);
    }
}

/* ---- Random bits. */

void make_random_bits(generator *g)
{
    const ct_rng_algorithm algorithm = (ct_rng_algorithm)choose(g->c, 3);
    ct_tensor *state = some(g, CT_U64,
                            CT_SHAPE(algorithm == CT_RNG_PHILOX && choose(g->c, 2) ? 3 : 2));
    int64_t dim[MOST_RANK];
    ct_tensor *result[2];

    ct_op_rng_bit_generator(state, algorithm, choose_dtype(g, CT__INTS | CT__FLOATS),
                            choose_shape(g, dim, 0, MOST_RANK), &result[0], &result[1]);
    give_all(g, CT__OP_rng_bit_generator, 2, result);
}
