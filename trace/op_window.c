#include "trace/compose.h"

#include <cotangent/op_large.h>

static const int64_t ones[CT__MAX_RANK] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const int64_t zeros[CT__MAX_RANK];

/* An empty list stands for one default per axis. */
static ct__ints given_or(ct_dims list, size_t rank, const int64_t *preset)
{
    return list.count > 0 ? ct__ints_of(list) : (ct__ints){rank, preset};
}

static ct__attrs attrs_of(const ct_tensor *x, const ct_window_dims *dims, size_t n_inputs)
{
    static const ct_window_dims none;
    const ct_window_dims *d = dims ? dims : &none;
    size_t rank = ct_rank(x);
    return (ct__attrs){
        .reduce_window = {.window_dimensions = ct__ints_of(d->window_dimensions),
                          .window_strides = given_or(d->window_strides, rank, ones),
                          .base_dilations = given_or(d->base_dilations, rank, ones),
                          .window_dilations = given_or(d->window_dilations, rank, ones),
                          .padding_low = given_or(d->padding_low, rank, zeros),
                          .padding_high = given_or(d->padding_high, rank, zeros),
                          .n_inputs = (int64_t)n_inputs}};
}

void ct_op_reduce_window_many_at(ct_place at, ct_list x, ct_list init, ct_function *body,
                                 ct_list captures, const ct_window_dims *dims, ct_tensor **result)
{
    const ct_tensor *first = x.item && x.count > 0 ? x.item[0] : NULL;
    const ct__attrs attrs = attrs_of(first, dims, x.count);
    const ct_list lists[] = {x, init, captures};
    ct__with_body(at, CT__OP_reduce_window, &attrs, 3, lists, 1, &body, result, x.count);
}

ct_tensor *ct_op_reduce_window_at(ct_place at, ct_tensor *x, ct_tensor *init, ct_function *body,
                                  const ct_window_dims *dims)
{
    ct_tensor *result;
    ct_op_reduce_window_many_at(at, CT_ARGV(x), CT_ARGV(init), body, CT_NO_TENSORS, dims, &result);
    return result;
}

/* ---- The usual bodies. */

ct_tensor *ct__reduce_window_usual(ct_place at, int op, ct_tensor *x, const ct_window_dims *dims)
{
    const ct__attrs attrs = attrs_of(x, dims, 1);
    return ct__fold_usual(at, CT__OP_reduce_window, &attrs, op, x);
}

ct_tensor *ct_op_reduce_window_add_at(ct_place at, ct_tensor *x, const ct_window_dims *dims)
{
    return ct__reduce_window_usual(at, CT__OP_add, x, dims);
}

ct_tensor *ct_op_reduce_window_max_at(ct_place at, ct_tensor *x, const ct_window_dims *dims)
{
    return ct__reduce_window_usual(at, CT__OP_maximum, x, dims);
}

ct_tensor *ct_op_reduce_window_min_at(ct_place at, ct_tensor *x, const ct_window_dims *dims)
{
    return ct__reduce_window_usual(at, CT__OP_minimum, x, dims);
}

/* ---- Convolution: what is left out has defaults. */

static int64_t count_or_one(int64_t count)
{
    return count == 0 ? 1 : count;
}

static ct__attrs convolution_of(const ct_tensor *x, const ct_convolution_dims *d)
{
    size_t rank = ct_rank(x) > 2 ? ct_rank(x) - 2 : 0;
    return (ct__attrs){
        .convolution = {.window_strides = given_or(d->window_strides, rank, ones),
                        .padding_low = given_or(d->padding_low, rank, zeros),
                        .padding_high = given_or(d->padding_high, rank, zeros),
                        .lhs_dilation = given_or(d->lhs_dilation, rank, ones),
                        .rhs_dilation = given_or(d->rhs_dilation, rank, ones),
                        .window_reversal = given_or(d->window_reversal, rank, zeros),
                        .input_batch_dimension = d->input_batch_dimension,
                        .input_feature_dimension = d->input_feature_dimension,
                        .input_spatial_dimensions = ct__ints_of(d->input_spatial_dimensions),
                        .kernel_input_feature_dimension = d->kernel_input_feature_dimension,
                        .kernel_output_feature_dimension = d->kernel_output_feature_dimension,
                        .kernel_spatial_dimensions = ct__ints_of(d->kernel_spatial_dimensions),
                        .output_batch_dimension = d->output_batch_dimension,
                        .output_feature_dimension = d->output_feature_dimension,
                        .output_spatial_dimensions = ct__ints_of(d->output_spatial_dimensions),
                        .feature_group_count = count_or_one(d->feature_group_count),
                        .batch_group_count = count_or_one(d->batch_group_count),
                        .dtype = d->dtype,
                        .precision_config = d->precision_config}};
}

ct_tensor *ct_op_convolution_at(ct_place at, ct_tensor *x, ct_tensor *kernel,
                                const ct_convolution_dims *dims)
{
    static const ct_convolution_dims none;
    const ct__attrs attrs = convolution_of(x, dims ? dims : &none);
    return ct__op_on(at, CT__OP_convolution, &attrs, 2, (ct_tensor *[]){x, kernel});
}

/* ---- Selecting. */

ct_tensor *ct_op_select_and_scatter_at(ct_place at, ct_tensor *x, ct_tensor *source,
                                       ct_tensor *init, ct_function *select, ct_function *scatter,
                                       ct_list captures, const ct_selecting_dims *dims)
{
    static const ct_selecting_dims none;
    const ct_selecting_dims *d = dims ? dims : &none;
    const size_t rank = ct_rank(x);
    const ct__attrs attrs = {
        .select_and_scatter = {.window_dimensions = given_or(d->window_dimensions, rank, ones),
                               .window_strides = given_or(d->window_strides, rank, ones),
                               .padding_low = given_or(d->padding_low, rank, zeros),
                               .padding_high = given_or(d->padding_high, rank, zeros)}};
    const ct_list lists[] = {CT_ARGV(x, source, init), captures};
    ct_tensor *result;
    ct__with_body(at, CT__OP_select_and_scatter, &attrs, 2, lists, 2,
                  (ct_function *[]){select, scatter}, &result, 1);
    return result;
}
