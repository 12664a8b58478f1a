/* More strict primitives (op.h): convolution, select_and_scatter, Fourier transforms, factoring and
 * solving, random numbers, batch normalisation. */
#ifndef COTANGENT_OP_LARGE_H
#define COTANGENT_OP_LARGE_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* StableHLO's convolution. x is widened by lhs_dilation - 1 zeros between neighbours and by padding
 * at both ends of every spatial axis (negative padding takes elements away). A kernel whose taps lie
 * rhs_dilation apart slides over it by window_strides, and every element of the result is the sum,
 * over taps and input features, of x · kernel; window_reversal reads the kernel from its end. Per
 * spatial axis
 *
 *   widened = low + (dim > 0 ? (dim - 1) lhs_dilation + 1 : 0) + high
 *   window  = (kernel dim - 1) rhs_dilation + 1
 *   result  = widened < window or widened = 0 ? 0 : floor((widened - window) / stride) + 1
 *
 * feature_group_count = G cuts the features of x and those of the result into G blocks, and block g
 * only meets block g; batch_group_count = G cuts the batch of x and the features of the result. An
 * empty list stands for 1s, of padding and reversal for 0s; a count of 0 stands for 1; dtype 0 for
 * that of x. Both operands are converted to the result's dtype first; sums run in order from 0, and
 * f16 and bf16 are summed in f32. Constraints have StableHLO's numbers:
 *
 *   C1   rank(x) = rank(kernel) = N, at least 2
 *   C2   size(window_strides) = N - 2
 *   C3   window_strides > 0
 *   C4   size(padding_low) = size(padding_high) = N - 2
 *   C5   size(lhs_dilation) = N - 2
 *   C6   lhs_dilation > 0
 *   C7   size(rhs_dilation) = N - 2
 *   C8   rhs_dilation > 0
 *   C9   size(window_reversal) = N - 2; entries are 0 or 1 (CT_ERR_ARGUMENT)
 *   C10  batch_group_count divides dim(x, input_batch_dimension)
 *   C11  feature_group_count divides dim(x, input_feature_dimension)
 *   C12  size(input_spatial_dimensions) = N - 2
 *   C13  the three input_… together are the axes of x, each once
 *   C14  dim(kernel, kernel_input_feature_dimension) = dim(x, input_feature_dimension) /
 *        feature_group_count
 *   C15  batch_group_count divides dim(kernel, kernel_output_feature_dimension)
 *   C16  feature_group_count divides it as well
 *   C17  size(kernel_spatial_dimensions) = N - 2
 *   C18  the three kernel_… together are the axes of the kernel, each once
 *   C19  size(output_spatial_dimensions) = N - 2
 *   C20  the three output_… together are the axes of the result, each once
 *   C21  feature_group_count > 0
 *   C22  batch_group_count > 0
 *   C23  one of the two is 1
 *   C24  precision_config is NULL or two of DEFAULT, HIGH, HIGHEST: "HIGH, DEFAULT"
 *        (CT_ERR_ARGUMENT)
 *   C25  no spatial axis of the kernel is empty; the result has the batch of x divided by
 *        batch_group_count, the output features of the kernel, and the windows of the formula
 *   C26  rank(result) = N
 *   C27  x and kernel have one dtype (CT_ERR_TYPE)
 *
 * Bilinear. */
/* clang-format on */
typedef struct ct_convolution_dims {
    ct_dims window_strides;
    ct_dims padding_low, padding_high;
    ct_dims lhs_dilation, rhs_dilation;
    ct_dims window_reversal;
    int64_t input_batch_dimension, input_feature_dimension;
    ct_dims input_spatial_dimensions;
    int64_t kernel_input_feature_dimension, kernel_output_feature_dimension;
    ct_dims kernel_spatial_dimensions;
    int64_t output_batch_dimension, output_feature_dimension;
    ct_dims output_spatial_dimensions;
    int64_t feature_group_count, batch_group_count;
    ct_dtype dtype;               /* of the result */
    const char *precision_config; /* kept and printed; the result does not depend on it */
} ct_convolution_dims;
CT_API ct_tensor *ct_op_convolution_at(ct_place at, ct_tensor *x, ct_tensor *kernel,
                                       const ct_convolution_dims *dims);

/* clang-format off */
/* StableHLO's select_and_scatter. x is cut into windows, as many as source has elements. Of each
 * window, elements of x in row-major order, one is selected: the first, unless select(selected,
 * element, captures…) is false for a later one, which then takes its place. The result begins as
 * init everywhere; in row-major order of source, result[selected] = scatter(source, result[selected],
 * captures…). Padding is never selected; a window of nothing but padding changes nothing. An empty
 * list stands for 1s, of padding for 0s. Constraints have StableHLO's numbers:
 *
 *   C1   x and source have one dtype (CT_ERR_TYPE)
 *   C2   shape(source) is the number of windows: per axis floor((low + dim + high - window) /
 *        stride) + 1, or 0 where none fits
 *   C3   init is a scalar of the dtype of x
 *   C4   size(window_dimensions) = rank(x)
 *   C5   window_dimensions > 0
 *   C6   size(window_strides) = rank(x)
 *   C7   window_strides > 0
 *   C8   size(padding_low) = size(padding_high) = rank(x)
 *   C9   select takes two scalars of the dtype of x and the captures, and gives a bool scalar
 *   C10  scatter takes the same, and gives a scalar of the dtype of x
 *   C11  the result has the shape of x
 *   C12  and its dtype
 *
 * Derivatives: that of scatter, in source, init and captures, linear where that is; which elements
 * are selected does not depend on x nor on captures. */
/* clang-format on */
typedef struct ct_selecting_dims {
    ct_dims window_dimensions;
    ct_dims window_strides;
    ct_dims padding_low, padding_high;
} ct_selecting_dims;
CT_API ct_tensor *ct_op_select_and_scatter_at(ct_place at, ct_tensor *x, ct_tensor *source,
                                              ct_tensor *init, ct_function *select,
                                              ct_function *scatter, ct_list captures,
                                              const ct_selecting_dims *dims);

/* ---- Transforming and solving. */

typedef enum ct_fft_type {
    CT_FFT = 0,   /* complex -> complex: y[k] = sum over j of x[j] e^(-2 pi i jk/n) */
    CT_IFFT = 1,  /* its inverse, divided by the number of elements */
    CT_RFFT = 2,  /* real -> the elements 0 … n/2 of the last axis; the others are conjugates */
    CT_IRFFT = 3, /* its inverse; imaginary parts that the symmetry forbids are not read */
} ct_fft_type;
/* clang-format off */
/* The discrete Fourier transform along the last axes. In O(n log n) for every length; c64 and f32
 * are computed in double and rounded once.
 *
 *   C1   size(fft_length) <= rank(x)
 *   C2   x is complex; for RFFT f32 or f64, and the result complex; for IRFFT the result is real
 *        (CT_ERR_TYPE)
 *   C3   1 <= size(fft_length) <= 3
 *   C4   the last extents of x (for IRFFT, of the result) are fft_length
 *   C5   of the complex side of RFFT and IRFFT the last one is fft_length / 2 + 1, or 0 for 0
 *
 * Linear. */
/* clang-format on */
CT_API ct_tensor *ct_op_fft_at(ct_place at, ct_tensor *x, ct_fft_type type, ct_dims fft_length);

/* The triangular matrix l with a = l l^H, or, if not lower, u with a = u^H u; of each matrix in the
 * last two axes. Of a only that triangle is read; the other one of the result is 0. Where a is not
 * positive definite the triangle is NaN. C1: the result has a's type. C2: rank(a) >= 2. C3: the
 * last two extents agree. floats, complex. Derivative: dl = l phi(l^-1 da l^-H), where phi takes
 * the triangle with half its diagonal; of da the triangle is read, as of a, so the cotangent of a
 * has 0 in the other one. */
CT_API ct_tensor *ct_op_cholesky_at(ct_place at, ct_tensor *a, bool lower);

typedef enum ct_transpose {
    CT_NO_TRANSPOSE = 0,
    CT_TRANSPOSE = 1,
    CT_ADJOINT = 2 /* transposed and conjugated */
} ct_transpose;
typedef struct ct_solve_options {
    bool left_side;           /* op(a) y = b, else y op(a) = b */
    bool lower;               /* the triangle of a that is read, before op */
    bool unit_diagonal;       /* the diagonal of a is not read but taken as 1 */
    ct_transpose transpose_a; /* op */
} ct_solve_options;
/* Solves with each triangular matrix in the last two axes of a. C1: one dtype. C2: one rank, at
 * least 2. C3: the last two extents of a agree with each other and with that of b which op(a)
 * meets, the others with b's. C4: the result has b's type. floats, complex; linear in b.
 * Derivative in a: dy = -op(a)^-1 op(da) y, 0 where a is not read. */
CT_API ct_tensor *ct_op_triangular_solve_at(ct_place at, ct_tensor *a, ct_tensor *b,
                                            const ct_solve_options *options);

/* ---- Random numbers. */

typedef enum ct_rng_distribution {
    CT_RNG_UNIFORM = 0, /* in [a, b); a where that is empty */
    CT_RNG_NORMAL = 1   /* with mean a and deviation b; floats */
} ct_rng_distribution;
/* Random numbers of the run: they depend on its seed (exec.h) and on how many were drawn before
 * them in the run, so an operation gives new ones each time it runs. An effect: never merged,
 * removed or reordered. C1: a and b are scalars of one dtype, which is the result's. C2: NORMAL
 * takes floats. C3: the result has this shape. ints, floats, bool. Derivative: none. */
CT_API ct_tensor *ct_op_rng_at(ct_place at, ct_tensor *a, ct_tensor *b, ct_dims shape,
                               ct_rng_distribution distribution);

typedef enum ct_rng_algorithm {
    CT_RNG_DEFAULT = 0,   /* PHILOX */
    CT_RNG_THREE_FRY = 1, /* Threefry-2x32, 20 rounds; state (key, counter) */
    CT_RNG_PHILOX = 2     /* Philox-4x32, 10 rounds; state (key, counter), or the counter in two */
} ct_rng_algorithm;
/* Random bits that are a function of the state alone, bit by bit those of XLA; and the state after
 * them. For floats the bits of the numbers are random. C1: the new state has state's type. C2:
 * u64[2], or u64[3] but for THREE_FRY. C3: dtype is one of ints or floats. state_after or bits may
 * be NULL. Derivative: none. */
CT_API void ct_op_rng_bit_generator_at(ct_place at, ct_tensor *state, ct_rng_algorithm algorithm,
                                       ct_dtype dtype, ct_dims shape, ct_tensor **state_after,
                                       ct_tensor **bits);

/* ---- Normalising: x along all its axes but feature_index. floats. C1: feature_index is an axis of
 * x. C2: all operands have one dtype. Others than x (and ybar) have a number for each feature:
 * their shape is [dim(x, feature_index)]. epsilon is rounded to f32 first, then to the dtype. Sums
 * are made in the dtype, in row-major order. The results of which NULL is given are left out.
 * Derivatives: of every result in every operand. */

/* (x - mean) / sqrt(variance + epsilon) scale + offset. C3 to C6: the shapes of scale, offset, mean
 * and variance. C7: the result has x's type. Derivative: of that formula, in every operand. */
CT_API ct_tensor *ct_op_batch_norm_inference_at(ct_place at, ct_tensor *x, ct_tensor *scale,
                                                ct_tensor *offset, ct_tensor *mean,
                                                ct_tensor *variance, double epsilon,
                                                int64_t feature_index);
/* The same with the mean and the variance of x itself, which are results too. C3, C4: the shapes of
 * scale and offset. C5, C6: mean and variance have them too. C7: the result has x's type.
 * Derivative: of every result in every operand; batch_norm_grad gives the
 * cotangents. */
CT_API ct_tensor *ct_op_batch_norm_training_at(ct_place at, ct_tensor *x, ct_tensor *scale,
                                               ct_tensor *offset, double epsilon,
                                               int64_t feature_index, ct_tensor **mean,
                                               ct_tensor **variance);
/* The cotangents of batch_norm_training's x (the result), scale and offset, given its mean and
 * variance and the cotangent ybar of its result. C3: ybar and the result have x's shape. C4: mean,
 * variance and the other results have that of scale. C5: the shape of scale. Derivative: of every
 * result in every operand. */
CT_API ct_tensor *ct_op_batch_norm_grad_at(ct_place at, ct_tensor *x, ct_tensor *scale,
                                           ct_tensor *mean, ct_tensor *variance, ct_tensor *ybar,
                                           double epsilon, int64_t feature_index,
                                           ct_tensor **scalebar, ct_tensor **offsetbar);

/* ---- The same with the caller's place. */

#define ct_op_batch_norm_inference(...) ct_op_batch_norm_inference_at(CT_HERE, __VA_ARGS__)
#define ct_op_batch_norm_training(...) ct_op_batch_norm_training_at(CT_HERE, __VA_ARGS__)
#define ct_op_batch_norm_grad(...) ct_op_batch_norm_grad_at(CT_HERE, __VA_ARGS__)
#define ct_op_convolution(...) ct_op_convolution_at(CT_HERE, __VA_ARGS__)
#define ct_op_select_and_scatter(...) ct_op_select_and_scatter_at(CT_HERE, __VA_ARGS__)
#define ct_op_fft(...) ct_op_fft_at(CT_HERE, __VA_ARGS__)
#define ct_op_cholesky(...) ct_op_cholesky_at(CT_HERE, __VA_ARGS__)
#define ct_op_triangular_solve(...) ct_op_triangular_solve_at(CT_HERE, __VA_ARGS__)
#define ct_op_rng(...) ct_op_rng_at(CT_HERE, __VA_ARGS__)
#define ct_op_rng_bit_generator(...) ct_op_rng_bit_generator_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
