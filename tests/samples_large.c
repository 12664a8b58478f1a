#include "tests/samples.h"

#include <cotangent/op.h>
#include <cotangent/op_large.h>
#include <cotangent/tensor.h>

#define LIST(array) ((ct_list){sizeof(array) / sizeof *(array), (array)})

/* Everything usual, everything unusual, and no spatial axes. */
ct_function *samples_convolutions(ct_context *ctx)
{
    ct_convolution_dims plain = {.input_batch_dimension = 0,
                                 .input_feature_dimension = 3,
                                 .input_spatial_dimensions = CT_DIMS(1, 2),
                                 .kernel_input_feature_dimension = 2,
                                 .kernel_output_feature_dimension = 3,
                                 .kernel_spatial_dimensions = CT_DIMS(0, 1),
                                 .output_batch_dimension = 0,
                                 .output_feature_dimension = 3,
                                 .output_spatial_dimensions = CT_DIMS(1, 2)};
    ct_convolution_dims all = plain, grouped = plain;
    all.window_strides = CT_DIMS(2, 1);
    all.padding_low = CT_DIMS(1, -1);
    all.padding_high = CT_DIMS(0, 2);
    all.lhs_dilation = CT_DIMS(1, 2);
    all.rhs_dilation = CT_DIMS(2, 1);
    all.window_reversal = CT_DIMS(0, 1);
    all.output_spatial_dimensions = CT_DIMS(3, 1);
    all.output_feature_dimension = 2;
    all.dtype = CT_F64;
    all.precision_config = "HIGH, DEFAULT";
    grouped.batch_group_count = 2;
    ct_convolution_dims none = {.input_feature_dimension = 1,
                                .kernel_input_feature_dimension = 1,
                                .output_feature_dimension = 1};
    ct_trace_builder *b = ct_trace_begin(ctx, "convolutions",
                                         CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 5, 6, 3)),
                                                 ct_spec(ctx, CT_F32, CT_SHAPE(2, 3, 3, 4)),
                                                 ct_spec(ctx, CT_I32, CT_SHAPE(2, 3)),
                                                 ct_spec(ctx, CT_I32, CT_SHAPE(5, 3))));
    ct_tensor *x = ct_trace_parameter(b, 0), *kernel = ct_trace_parameter(b, 1);
    ct_tensor *y[] = {ct_op_convolution(x, kernel, &plain), ct_op_convolution(x, kernel, &all),
                      ct_op_convolution(x, kernel, &grouped),
                      ct_op_convolution(ct_trace_parameter(b, 2), ct_trace_parameter(b, 3), &none)};
    return ct_trace_end(b, LIST(y));
}

static ct_function *body_of(ct_context *ctx, size_t n_captures, bool compares)
{
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "body",
                                         (ct_list){2 + n_captures, (ct_tensor *[]){s, s, s}});
    ct_tensor *x = ct_trace_parameter(b, 0), *y = ct_trace_parameter(b, 1);
    if (n_captures > 0)
        y = ct_op_minimum(y, ct_trace_parameter(b, 2));
    return ct_trace_end(
        b, CT_ARGV(compares ? ct_op_compare(x, y, CT_GE, CT_COMPARE_FLOAT) : ct_op_add(x, y)));
}

ct_function *samples_selections(ct_context *ctx)
{
    ct_selecting_dims pairs = {.window_dimensions = CT_DIMS(1, 2), .window_strides = CT_DIMS(1, 2)};
    ct_selecting_dims padded = {.window_dimensions = CT_DIMS(2, 2),
                                .padding_low = CT_DIMS(1, 0),
                                .padding_high = CT_DIMS(0, -1)};
    ct_trace_builder *b = ct_trace_begin(ctx, "selections",
                                         CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(3, 4)),
                                                 ct_spec(ctx, CT_F32, CT_SHAPE(3, 2)),
                                                 ct_spec(ctx, CT_F32, CT_SHAPE())));
    ct_tensor *x = ct_trace_parameter(b, 0), *source = ct_trace_parameter(b, 1);
    ct_tensor *s = ct_trace_parameter(b, 2);
    ct_tensor *y[] = {ct_op_select_and_scatter(x, source, s, body_of(ctx, 0, true),
                                               body_of(ctx, 0, false), CT_NO_TENSORS, &pairs),
                      ct_op_select_and_scatter(x, source, s, body_of(ctx, 1, true),
                                               body_of(ctx, 1, false), CT_ARGV(s), &padded)};
    return ct_trace_end(b, LIST(y));
}

ct_function *samples_solving(ct_context *ctx)
{
    ct_solve_options left = {.left_side = true, .lower = true, .transpose_a = CT_ADJOINT};
    ct_solve_options right = {.unit_diagonal = true};
    ct_trace_builder *b = ct_trace_begin(
        ctx, "solving",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3, 3)), ct_spec(ctx, CT_F32, CT_SHAPE(2, 3, 3)),
                ct_spec(ctx, CT_C64, CT_SHAPE(2, 5)), ct_spec(ctx, CT_C128, CT_SHAPE(4, 5))));
    ct_tensor *a = ct_trace_parameter(b, 0), *x = ct_trace_parameter(b, 1);
    ct_tensor *y[] = {ct_op_cholesky(a, true),
                      ct_op_cholesky(a, false),
                      ct_op_triangular_solve(a, x, &left),
                      ct_op_triangular_solve(a, x, &right),
                      ct_op_fft(a, CT_RFFT, CT_DIMS(3, 3)),
                      ct_op_fft(ct_trace_parameter(b, 2), CT_IRFFT, CT_DIMS(9)),
                      ct_op_fft(ct_trace_parameter(b, 3), CT_FFT, CT_DIMS(4, 5)),
                      ct_op_fft(ct_trace_parameter(b, 3), CT_IFFT, CT_DIMS(5))};
    return ct_trace_end(b, LIST(y));
}

ct_function *samples_random(ct_context *ctx)
{
    ct_tensor *y[10];
    ct_trace_builder *b = ct_trace_begin(
        ctx, "random",
        CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE()), ct_spec(ctx, CT_I32, CT_SHAPE()),
                ct_spec(ctx, CT_U64, CT_SHAPE(2)), ct_spec(ctx, CT_U64, CT_SHAPE(3))));
    ct_tensor *x = ct_trace_parameter(b, 0), *n = ct_trace_parameter(b, 1);
    ct_tensor *state = ct_trace_parameter(b, 2);
    y[0] = ct_op_rng(x, x, CT_DIMS(2, 3), CT_RNG_UNIFORM);
    y[1] = ct_op_rng(x, x, CT_DIMS(4), CT_RNG_NORMAL);
    y[2] = ct_op_rng(n, n, CT_DIMS(3, 0), CT_RNG_UNIFORM);
    y[3] = ct_op_rng(n, n, CT_DIMS(), CT_RNG_UNIFORM);
    ct_op_rng_bit_generator(state, CT_RNG_DEFAULT, CT_U8, CT_DIMS(5), &y[4], &y[5]);
    ct_op_rng_bit_generator(state, CT_RNG_THREE_FRY, CT_U32, CT_DIMS(2, 3), &y[6], &y[7]);
    ct_op_rng_bit_generator(ct_trace_parameter(b, 3), CT_RNG_PHILOX, CT_I64, CT_DIMS(), &y[8],
                            &y[9]);
    return ct_trace_end(b, LIST(y));
}

/* How exactly to multiply. */
ct_function *samples_precisions(ct_context *ctx)
{
    ct_dot_dims precise = {.lhs_contracting = CT_DIMS(1),
                           .rhs_contracting = CT_DIMS(0),
                           .precision_config = "HIGH, HIGHEST"};
    ct_dot_dims chosen = {.lhs_contracting = CT_DIMS(1),
                          .rhs_contracting = CT_DIMS(0),
                          .dtype = CT_F64,
                          .algorithm = "lhs_precision_type = tf32, rhs_precision_type = tf32, "
                                       "accumulation_type = f32, lhs_component_count = 1, "
                                       "rhs_component_count = 1, num_primitive_operations = 1, "
                                       "allow_imprecise_accumulation = false"};
    ct_dot_dims mixed = {
        .lhs_contracting = CT_DIMS(1), .rhs_contracting = CT_DIMS(0), .dtype = CT_F32};
    ct_trace_builder *b = ct_trace_begin(ctx, "precisions",
                                         CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 3)),
                                                 ct_spec(ctx, CT_F32, CT_SHAPE(3, 4)),
                                                 ct_spec(ctx, CT_I8, CT_SHAPE(2, 3))));
    ct_tensor *x = ct_trace_parameter(b, 0), *y = ct_trace_parameter(b, 1);
    ct_tensor *z[] = {ct_op_dot_general(x, y, &precise), ct_op_dot_general(x, y, &chosen),
                      ct_op_dot_general(ct_trace_parameter(b, 2), y, &mixed)};
    return ct_trace_end(b, LIST(z));
}
