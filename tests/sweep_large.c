/* Rows of the sweep: ordering, folding, contracting, transforming, solving, random numbers,
 * normalising. */
#include "tests/sweep.h"

#include <cotangent/op_large.h>
#include <cotangent/tensor.h>

/* ---- Ordering. */

static ct_function *less(sweep *s)
{
    ct_tensor *like = ct_spec(s->ctx, s->dtype, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(s->ctx, "less", CT_LIKE(like, like));

    return ct_trace_end(b, CT_ARGV(ct_op_compare(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1),
                                                 CT_LT, CT_COMPARE_DEFAULT)));
}

static void sort(sweep *s)
{
    ct_tensor *x = sweep_x(s);

    for (size_t d = 0; d < s->shape.count; d++)
        sweep_give(s, ct_op_sort(x, less(s), (int64_t)d));
}

static void top_k(sweep *s)
{
    ct_tensor *values, *indices;

    const int64_t extent = s->shape.dim[s->shape.count - 1];
    ct_op_top_k(sweep_x(s), extent / 2 + extent % 2, &values, &indices);
    sweep_give(s, values);
    sweep_give(s, indices);
}

/* ---- Folding. */

static void reduce(sweep *s)
{
    ct_tensor *x = sweep_x(s), *init = sweep_element(s);

    sweep_give(s, ct_op_reduce(x, init, sweep_body(s, ct_op_add_at), sweep_all_axes(s)));
    sweep_give(s, ct_op_reduce(x, init, sweep_body(s, ct_op_maximum_at), CT_DIMS()));
    if (s->shape.count > 1)
        sweep_give(s, ct_op_reduce(x, init, sweep_body(s, ct_op_multiply_at), CT_DIMS(1)));
}

static void reduce_window(sweep *s)
{
    const ct_window_dims pairs = {.window_dimensions = sweep_each(s, 2),
                                  .padding_low = sweep_each(s, 1),
                                  .base_dilations = sweep_each(s, 2)};
    ct_tensor *x = sweep_x(s), *init = sweep_element(s);

    sweep_give(s, ct_op_reduce_window(x, init, sweep_body(s, ct_op_minimum_at), &pairs));
    if (s->dtype != CT_F8E8M0FNU) /* it has no 0 */
        sweep_give(s, ct_op_reduce_window_add(x, &pairs));
}

static void select_and_scatter(sweep *s)
{
    const ct_selecting_dims pairs = {.window_dimensions = sweep_each(s, 2),
                                     .padding_high = sweep_each(s, 1)};
    ct_tensor *x = sweep_x(s), *source = sweep_x(s), *init = sweep_element(s);

    for (size_t d = 0; d < s->shape.count; d++)
        if (s->shape.dim[d] == 0)
            source = ct_op_slice(source, sweep_each(s, 0), s->shape, sweep_each(s, 1));
    sweep_give(s, ct_op_select_and_scatter(x, source, init, less(s), sweep_body(s, ct_op_add_at),
                                           CT_NO_TENSORS, &pairs));
}

static void map(sweep *s)
{
    ct_tensor *x = sweep_x(s), *y = sweep_x(s);

    sweep_give(s, ct_op_map(CT_ARGV(x, y), CT_NO_TENSORS, sweep_body(s, ct_op_maximum_at)));
}

/* ---- Contracting. */

/* Batches of the first axis, sums over the last one. */
static void dot_general(sweep *s)
{
    const size_t rank = s->shape.count;
    const int64_t last[] = {(int64_t)rank - 1}, first[] = {0};
    const ct_dims contracting = {rank > 0, last}, batching = {rank > 1, first};
    ct_tensor *x = sweep_x(s), *y = sweep_x(s);

    sweep_give(s, ct_op_dot_general(x, y,
                                    &(ct_dot_dims){.lhs_batching = batching,
                                                   .rhs_batching = batching,
                                                   .lhs_contracting = contracting,
                                                   .rhs_contracting = contracting}));
}

/* Rows, terms and batches of x [2,3] in groups. */
static void ragged_dot(sweep *s)
{
    const ct_ragged_dot_dims rows = {.lhs_contracting = CT_DIMS(1),
                                     .rhs_contracting = CT_DIMS(1),
                                     .lhs_ragged = CT_DIMS(0),
                                     .rhs_group = CT_DIMS(0)};
    const ct_ragged_dot_dims terms = {
        .lhs_contracting = CT_DIMS(0), .rhs_contracting = CT_DIMS(0), .lhs_ragged = CT_DIMS(0)};
    ct_tensor *x = sweep_x(s), *y = sweep_in(s, s->dtype, CT_SHAPE(4, 3, 2));
    ct_tensor *sizes = sweep_in(s, CT_I32, CT_SHAPE(4));

    sweep_give(s, ct_op_ragged_dot(x, y, sizes, &rows));
    sweep_give(s, ct_op_ragged_dot(x, x, sizes, &terms));
}

/* x is [batch, feature, space…]; kernel [2, feature, 1…], one tap. */
static void convolution(sweep *s)
{
    const size_t rank = s->shape.count;
    int64_t kernel[6] = {2, s->shape.dim[1], 1, 1, 1, 1};
    const int64_t space[] = {2, 3, 4, 5};
    const ct_dims spatial = {rank - 2, space};
    const ct_convolution_dims dims = {.input_feature_dimension = 1,
                                      .input_spatial_dimensions = spatial,
                                      .kernel_input_feature_dimension = 1,
                                      .kernel_spatial_dimensions = spatial,
                                      .output_feature_dimension = 1,
                                      .output_spatial_dimensions = spatial};
    ct_tensor *x = sweep_x(s);

    sweep_give(s, ct_op_convolution(x, sweep_in(s, s->dtype, (ct_shape){rank, kernel}), &dims));
}

/* ---- Transforming and solving. */

static void fft(sweep *s)
{
    const ct_dims last = {1, &s->shape.dim[s->shape.count - 1]};
    ct_tensor *x = sweep_x(s);

    if (ct_dtype_is_float(s->dtype)) {
        ct_tensor *y = ct_op_fft(x, CT_RFFT, last);
        sweep_give(s, y);
        sweep_give(s, ct_op_fft(y, CT_IRFFT, last));
        return;
    }
    sweep_give(s, ct_op_fft(x, CT_FFT, last));
    sweep_give(s, ct_op_fft(x, CT_IFFT, last));
}

/* A matrix of 3 rows for each element of the shape. */
static ct_shape matrices(const sweep *s, int64_t columns, int64_t *dim)
{
    const size_t rank = s->shape.count;

    for (size_t d = 0; d < rank; d++)
        dim[d] = s->shape.dim[d];
    dim[rank] = 3;
    dim[rank + 1] = columns;
    return (ct_shape){rank + 2, dim};
}

static void solving(sweep *s)
{
    int64_t square[8], tall[8];
    ct_tensor *a = sweep_in(s, s->dtype, matrices(s, 3, square));
    ct_tensor *b = sweep_in(s, s->dtype, matrices(s, 2, tall));

    sweep_give(s, ct_op_cholesky(a, true));
    sweep_give(s, ct_op_cholesky(a, false));
    sweep_give(s, ct_op_triangular_solve(
                      a, b, &(ct_solve_options){.left_side = true, .unit_diagonal = true}));
}

/* ---- Random numbers. */

static void rng(sweep *s)
{
    ct_tensor *a = sweep_element(s), *b = sweep_element(s);

    sweep_give(s, ct_op_rng(a, b, s->shape, CT_RNG_UNIFORM));
    if (ct_dtype_is_float(s->dtype))
        sweep_give(s, ct_op_rng(a, b, s->shape, CT_RNG_NORMAL));
}

static void rng_bit_generator(sweep *s)
{
    ct_tensor *state = sweep_in(s, CT_U64, CT_SHAPE(2)), *bits;

    for (int algorithm = CT_RNG_DEFAULT; algorithm <= CT_RNG_PHILOX; algorithm++) {
        ct_op_rng_bit_generator(state, (ct_rng_algorithm)algorithm, s->dtype, s->shape, &state,
                                &bits);
        sweep_give(s, state);
        sweep_give(s, bits);
    }
}

/* ---- Normalising. */

static void batch_norm(sweep *s)
{
    const int64_t feature = (int64_t)s->shape.count - 1;
    const ct_shape features = {1, &s->shape.dim[feature]};
    ct_tensor *x = sweep_x(s), *scale = sweep_in(s, s->dtype, features), *mean, *variance;

    sweep_give(s, ct_op_batch_norm_training(x, scale, scale, 0.5, feature, &mean, &variance));
    sweep_give(s, mean);
    sweep_give(s, ct_op_batch_norm_inference(x, scale, mean, mean, variance, 0.5, feature));
    sweep_give(s, ct_op_batch_norm_grad(x, scale, mean, variance, x, 0.5, feature, &scale, &mean));
    sweep_give(s, scale);
    sweep_give(s, mean);
}

/* ---- */

static const ct_dtype wide[] = {CT_F32, CT_F64, CT_C64, CT_C128, CT_INVALID_DTYPE};

const sweep_row sweep_large_rows[] = {
    {"sort", sort, SWEEP_AXES, CT__ANY, NULL, SWEEP_RUNS},
    {"top_k", top_k, SWEEP_AXES, CT__REALS, NULL, SWEEP_RUNS},
    {"reduce", reduce, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"reduce_window", reduce_window, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"select_and_scatter", select_and_scatter, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"map", map, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"dot_general", dot_general, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"ragged_dot", ragged_dot, SWEEP_PLAIN, CT__ANY, NULL, SWEEP_RUNS},
    {"convolution", convolution, SWEEP_AXES, CT__ANY, NULL, SWEEP_RUNS},
    {"fft", fft, SWEEP_AXES, CT__FLOATS | CT__COMPLEXES, wide, SWEEP_RUNS},
    {"cholesky, triangular_solve", solving, SWEEP_ALL, CT__FLOATS | CT__COMPLEXES, NULL,
     SWEEP_RUNS},
    {"rng", rng, SWEEP_ALL, CT__REALS, NULL, SWEEP_DRAWS},
    {"rng_bit_generator", rng_bit_generator, SWEEP_ALL, CT__INTS | CT__FLOATS, NULL, SWEEP_RUNS},
    {"batch_norm", batch_norm, SWEEP_AXES, CT__FLOATS, NULL, SWEEP_RUNS},
};
const size_t n_sweep_large_rows = sizeof sweep_large_rows / sizeof *sweep_large_rows;
