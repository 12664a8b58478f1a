/* Every public function with bad input: NULL, poison, another context's values, values whose trace
 * has ended, wrong dtypes and ranks, extents and counts that are negative or overflow, NaN and
 * infinities, unknown enum values. Rows are read in tests/bad_input.h; a test fails when a function
 * has none. */
#include "tests/bad_input.h"

#include <string.h>

/* ---- base.h, dtype.h, context.h, tensor.h. */
#include "tests/bad_values.inc"

/* ---- elementwise.h. */

TENSOR(ct_abs_at, HERE, X)
TENSOR(ct_sign_at, HERE, X)
TENSOR(ct_square_at, HERE, X)
TENSOR(ct_reciprocal_at, HERE, X)
TENSOR(ct_neg_at, HERE, X)
TENSOR(ct_erf_at, HERE, X)
TENSOR(ct_acos_at, HERE, X)
TENSOR(ct_acosh_at, HERE, X)
TENSOR(ct_asin_at, HERE, X)
TENSOR(ct_asinh_at, HERE, X)
TENSOR(ct_atan_at, HERE, X)
TENSOR(ct_atanh_at, HERE, X)
TENSOR(ct_bessel_i1e_at, HERE, X)
TENSOR(ct_cosh_at, HERE, X)
TENSOR(ct_digamma_at, HERE, X)
TENSOR(ct_erf_inv_at, HERE, X)
TENSOR(ct_erfc_at, HERE, X)
TENSOR(ct_lgamma_at, HERE, X)
TENSOR(ct_sinh_at, HERE, X)
TENSOR(ct_next_after_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_polygamma_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_zeta_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_gelu_at, HERE, X, ENUM(ct_gelu_form, CT_GELU_TANH))
TENSOR(ct_exp_at, HERE, X)
TENSOR(ct_expm1_at, HERE, X)
TENSOR(ct_log_at, HERE, X)
TENSOR(ct_log1p_at, HERE, X)
TENSOR(ct_sqrt_at, HERE, X)
TENSOR(ct_rsqrt_at, HERE, X)
TENSOR(ct_cbrt_at, HERE, X)
TENSOR(ct_sin_at, HERE, X)
TENSOR(ct_cos_at, HERE, X)
TENSOR(ct_tan_at, HERE, X)
TENSOR(ct_tanh_at, HERE, X)
TENSOR(ct_sigmoid_at, HERE, X)
TENSOR(ct_floor_at, HERE, X)
TENSOR(ct_ceil_at, HERE, X)
TENSOR(ct_round_at, HERE, X)
TENSOR(ct_trunc_at, HERE, X)
TENSOR(ct_exp2_at, HERE, X)
TENSOR(ct_log2_at, HERE, X)
TENSOR(ct_log10_at, HERE, X)
TENSOR(ct_silu_at, HERE, X)
TENSOR(ct_softplus_at, HERE, X)
TENSOR(ct_is_nan_at, HERE, X)
TENSOR(ct_is_inf_at, HERE, X)
TENSOR(ct_relu_at, HERE, X)
TENSOR(ct_is_finite_at, HERE, X)
TENSOR(ct_stop_gradient_at, HERE, X)
TENSOR(ct_not_at, HERE, N)
TENSOR(ct_add_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_sub_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_mul_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_div_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_pow_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_rem_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_maximum_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_minimum_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_atan2_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_floor_divide_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_mod_at, HERE, OPERAND(b->w.n), OPERAND(-3))
TENSOR(ct_hypot_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_logaddexp_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_eq_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_ne_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_lt_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_le_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_gt_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_ge_at, HERE, OPERAND(b->w.x), OPERAND(b->w.y))
TENSOR(ct_and_at, HERE, OPERAND(b->w.n), OPERAND(1))
TENSOR(ct_or_at, HERE, OPERAND(b->w.n), OPERAND(1))
TENSOR(ct_xor_at, HERE, OPERAND(b->w.n), OPERAND(1))
TENSOR(ct_cast_at, HERE, X, DTYPE(CT_F64))
TENSOR(ct_where_at, HERE, T(mask), OPERAND(b->w.x), OPERAND(0.5))
TENSOR(ct_clip_at, HERE, X, OPERAND(-1), OPERAND(b->w.scalar))

/* ---- reduce.h. */

TENSOR(ct_sum_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_prod_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_argmax_at, HERE, X, INT(-1), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_argmin_at, HERE, X, INT(0), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_any_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_all_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_mean_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_max_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_min_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_logsumexp_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES))
TENSOR(ct_softmax_at, HERE, X, AXES(1))
TENSOR(ct_log_softmax_at, HERE, X, AXES(1))
TENSOR(ct_var_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES), INT(1))
TENSOR(ct_std_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES), INT(1))
TENSOR(ct_norm_at, HERE, X, AXES(0, -1), ENUM(ct_keep_axes, CT_KEEP_AXES))

/* ---- cumulative.h, sort.h. */

TENSOR(ct_cumsum_at, HERE, X, INT(-1), false)
TENSOR(ct_cumprod_at, HERE, X, INT(-1), true)
TENSOR(ct_cummax_at, HERE, X, INT(0), false)
TENSOR(ct_cummin_at, HERE, X, INT(0), true)
TENSOR(ct_sort_at, HERE, X, INT(-1), ENUM(ct_order, CT_DESCENDING))
TENSOR(ct_argsort_at, HERE, X, INT(0), ENUM(ct_order, CT_ASCENDING))
RESULTS(2, ct_top_k_at, HERE, X, INT(2), &b->result[0], &b->result[1])

/* ---- shape.h, linalg.h. */

TENSOR(ct_reshape_at, HERE, X, DIMS(3, -1))
TENSOR(ct_transpose_at, HERE, X, AXES(1, 0))
TENSOR(ct_squeeze_at, HERE, T(indices), AXES(1))
TENSOR(ct_expand_dims_at, HERE, X, AXES(0, -1))
TENSOR(ct_broadcast_to_at, HERE, X, DIMS(4, 2, 3))
TENSOR(ct_slice_at, HERE, X, DIMS(0, -3), DIMS(1, CT_END), DIMS(1, 2))
TENSOR(ct_flip_at, HERE, X, AXES(0))
TENSOR(ct_pad_at, HERE, X, DIMS(1, -1), DIMS(0, 2), OPERAND(b->w.scalar))
TENSOR(ct_stack_at, HERE, LIST(b->w.x, b->w.y), INT(-1))
TENSOR(ct_concatenate_at, HERE, LIST(b->w.x, b->w.y), INT(-1))
TENSOR(ct_swapaxes_at, HERE, X, INT(0), INT(-1))
TENSOR(ct_moveaxis_at, HERE, X, AXES(0), AXES(-1))
RESULTS(3, ct_split_at, HERE, X, INT(1), b->result, 3)
RESULTS(3, ct_split_positions_at, HERE, X, DIMS(1, -1), INT(-1), b->result, 3)
TENSOR(ct_tile_at, HERE, X, DIMS(2, 1, 3))
TENSOR(ct_repeat_at, HERE, X, INT(2), INT(-1))
TENSOR(ct_roll_at, HERE, X, DIMS(1, -7), AXES(0, -1))
TENSOR(ct_tril_at, HERE, X, INT(1))
TENSOR(ct_triu_at, HERE, X, INT(-1))
TENSOR(ct_diag_at, HERE, X, INT(1))
TENSOR(ct_matmul_at, HERE, X, T(tall))
TENSOR(ct_dot_at, HERE, X, T(tall))
TENSOR(ct_tensordot_at, HERE, X, Y, INT(2))
TENSOR(ct_tensordot_axes_at, HERE, X, T(tall), AXES(0, 1), AXES(-1, 0))
TENSOR(ct_outer_at, HERE, X, T(tall))

/* ---- index.h, index_check.h. */

static ct_index_mode mode(bad *b)
{
    return ct_index_mode_new(ENUM(ct_index_kind, CT_INDEX_FILL), OPERAND(0));
}

static ct_index_mode mode_of_writing(bad *b)
{
    return ct_index_mode_new(ENUM(ct_index_kind, CT_INDEX_SKIP), ct_operand_signed(0));
}

TENSOR(ct_take_at, HERE, X, T(indices), INT(1), mode(b))
TENSOR(ct_take_along_axis_at, HERE, X, T(indices), INT(1), mode(b))
TENSOR(ct_dynamic_slice_at, HERE, X, LIST(b->w.index, b->w.index), DIMS(1, 2), mode(b))
TENSOR(ct_dynamic_update_slice_at, HERE, X, Y, LIST(b->w.index, b->w.index), CT_WRAP)
TENSOR(ct_put_along_axis_at, HERE, X, T(indices), OPERAND(b->w.scalar), INT(1), mode_of_writing(b))
TENSOR(ct_add_along_axis_at, HERE, X, T(indices), OPERAND(2), INT(1), mode_of_writing(b))
TENSOR(ct_one_hot_at, HERE, T(indices), INT(4), DTYPE(CT_F32))
TENSOR(ct_count_out_of_range_at, HERE, T(indices), INT(9), INT(2), CT_CLAMP)

static ct_misplaced found[2];
VALUE(ct_find_out_of_range_at, HERE, T(indices), INT(9), INT(2), POINTER(found), 2)
TEXT(ct_out_of_range_text_at, HERE, T(indices), INT(9), INT(2))

/* ---- loss.h. */

/* Good indices as labels, one per row of x. */
static ct_tensor *labels(bad *b)
{
    ct_tensor *column = T(indices);

    return column == b->w.indices ? ct_reshape_at(HERE, column, CT_SHAPE(2)) : column;
}

TENSOR(ct_cross_entropy_at, HERE, X, labels(b), INT(1), mode(b))
TENSOR(ct_cross_entropy_soft_at, HERE, X, Y, INT(1))

/* ---- random.h. */

VALUE(ct_key_new, (uint64_t)INT(1))
VALUE(ct_key_fold, (ct_key){{1, 2}}, (uint64_t)INT(1))
TENSOR(ct_random_uniform_at, HERE, CONTEXT, ct_key_new(1), DTYPE(CT_F32), DIMS(2, 3), REAL(0),
       REAL(1))
TENSOR(ct_random_normal_at, HERE, CONTEXT, ct_key_new(1), DTYPE(CT_F32), DIMS(2, 3))
TENSOR(ct_random_integers_at, HERE, CONTEXT, ct_key_new(1), DTYPE(CT_I32), DIMS(2, 3), INT(-5),
       INT(6))
TENSOR(ct_random_permutation_at, HERE, CONTEXT, ct_key_new(1), INT(5))

/* ---- control.h. */

static ct_tensor *constant_branch(void *user)
{
    return user;
}

static void constant_branches(void *user, ct_tensor **result)
{
    result[0] = user;
}

static void constant_step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    (void)x;
    y[0] = carry[0];
}

#define BRANCH(f) (POINTER("f") ? (f) : NULL)

TENSOR(ct_if_at, HERE, T(pred), BRANCH(constant_branch), BRANCH(constant_branch), T(x))
RESULTS(1, ct_if_many_at, HERE, T(pred), BRANCH(constant_branches), BRANCH(constant_branches), T(x),
        1, b->result)

static ct_branch *const *one_branch(bad *b)
{
    static ct_branch *branch[2];

    branch[0] = branch[1] = BRANCH(constant_branch);
    return POINTER(branch);
}

static ct_branch_many *const *many_branches(bad *b)
{
    static ct_branch_many *branch[2];

    branch[0] = branch[1] = BRANCH(constant_branches);
    return POINTER(branch);
}

TENSOR(ct_case_at, HERE, T(index), 2, one_branch(b), T(x))
RESULTS(1, ct_case_many_at, HERE, T(index), 2, many_branches(b), T(x), 1, b->result)

/* The loop's lists are in b->result: a carry, and the y. */
static void loop_over(bad *b)
{
    b->result[0] = T(scalar);
    ct_loop loop = {.size = sizeof loop,
                    .length = INT(2),
                    .n_carry = 1,
                    .carry = b->result,
                    .xs = LIST(b->w.y, b->w.x),
                    .n_ys = 1,
                    .ys = b->result + 1};

    ct_scan_at(HERE, BRANCH(constant_step), NULL, &loop);
    loop.size = 0;
    ct_scan_at(HERE, constant_step, NULL, NULL);
    bad_end_results(b, 2);
}
CALL(ct_scan_at, loop_over(b))

static ct_tensor *never(void *user, ct_tensor *const *carry)
{
    (void)carry;
    return user;
}

static void unchanged(void *user, ct_tensor **carry)
{
    (void)user;
    (void)carry;
}

static void while_over(bad *b)
{
    b->result[0] = T(scalar);
    ct_while_at(HERE, BRANCH(never), BRANCH(unchanged), ct_scalar_at(HERE, b->w.ctx, CT_BOOL, 0), 1,
                b->result);
    bad_end_results(b, 1);
}
CALL(ct_while_at, while_over(b))

static void same_again(void *user, ct_tensor *i, ct_tensor **carry)
{
    (void)user;
    (void)i;
    (void)carry;
}

static void for_over(bad *b)
{
    b->result[0] = T(scalar);
    ct_for_at(HERE, BRANCH(same_again), NULL, T(index), 1, b->result);
    bad_end_results(b, 1);
}
CALL(ct_for_at, for_over(b))

/* ---- trace.h. */

static ct_tensor *product(ct_tensor *x, ct_tensor *y)
{
    return ct_op_multiply_at(HERE, x, y);
}

static void two_results(void *user, ct_list parameters, ct_tensor **result)
{
    (void)user;
    result[0] = parameters.count > 0 ? parameters.item[0] : NULL;
    result[1] = result[0];
}

static ct_signature two_tensors(bad *b)
{
    int parameters = bad_enum(b, CT_PARAMETERS_PLAIN), tensors = bad_enum(b, 2);
    return (ct_signature){(ct_parameters)parameters, tensors};
}

FUNCTION(ct_trace_function_at, HERE, CONTEXT, MAYBE("f"), two_tensors(b),
         (ct_any_function)BRANCH(product), NULL, CT_NO_TENSORS, EXAMPLES(b->w.x, b->w.y))
FUNCTION(ct_trace_many_at, HERE, CONTEXT, MAYBE("f"), BRANCH(two_results), NULL, 2,
         EXAMPLES(b->w.x, b->w.y))
FUNCTION(ct_trace_end_at, HERE, ct_trace_begin_at(HERE, b->w.ctx, "f", CT_NO_TENSORS),
         LIST(b->w.x, b->w.y))
TENSOR(ct_apply1_at, HERE, F(f), LIST(b->w.x, b->w.y))
RESULTS(2, ct_apply_at, HERE, F(step),
        LIST(b->w.scalar,
             ct_reshape_at(HERE,
                           ct_slice_at(HERE, b->w.x, CT_SHAPE(0, 0), CT_SHAPE(1, 3), CT_SHAPE()),
                           CT_SHAPE(3))),
        b->result, 2)
VALUE(ct_function_context, ANY_F(f))
VALUE(ct_function_is_poison, ANY_F(f))
VALUE(ct_function_name, ANY_F(f))
VALUE(ct_function_parameters, ANY_F(f))
VALUE(ct_function_results, ANY_F(f))
VALUE(ct_function_operations, ANY_F(f))
VALUE(ct_function_flops, ANY_F(f))
VALUE(ct_parameter_type, ANY_F(f), SIZE(0))
VALUE(ct_result_type, ANY_F(f), SIZE(0))
TEXT(ct_function_text, F(f), ENUM(ct_text_form, CT_TEXT_SUMMARY))

static void builder(bad *b)
{
    ct_trace_builder *one = ct_trace_begin_at(HERE, CONTEXT, MAYBE("f"), EXAMPLES(b->w.x, b->w.y));

    CHECK(one);
    bad_end_function(b, ct_trace_end_at(HERE, one, CT_NO_TENSORS));
}
CALL(ct_trace_begin_at, builder(b))

static void parameter(bad *b)
{
    CHECK(ct_is_poison(ct_trace_parameter(NULL, 0)));
    ct_trace_builder *one = ct_trace_begin_at(HERE, b->w.ctx, "f", CT_LIKE(b->w.x));
    ct_tensor *x = ct_trace_parameter(one, SIZE(0));

    bad_end_tensor(b, x);
}
CALL(ct_trace_parameter, parameter(b))

/* ---- ad.h. */

FUNCTION(ct_jvp_at, HERE, F(f), ARGS(0, 1))
FUNCTION(ct_vjp_at, HERE, F(f), ARGS(1))
FUNCTION(ct_grad_at, HERE, F(f), ARGS(0))
FUNCTION(ct_value_and_grad_at, HERE, F(f), ARGS(1, 0))
FUNCTION(ct_grad_aux_at, HERE, F(f), ARGS(1))
FUNCTION(ct_value_and_grad_aux_at, HERE, F(f), ARGS(0, 1))
FUNCTION(ct_hvp_at, HERE, F(f), ARGS(0, 1))
FUNCTION(ct_jacobian_at, HERE, F(f), ARGS(0))
FUNCTION(ct_jacobian_forward_at, HERE, F(f), ARGS(1))
FUNCTION(ct_jacobian_reverse_at, HERE, F(f), ARGS(1, 0))
FUNCTION(ct_hessian_at, HERE, F(f), ARGS(0))
FUNCTION(ct_taylor_at, HERE, F(f), ARGS(0, 1), 2)
FUNCTION(ct_transpose_linear_at, HERE, F(same), ARGS(0))
CALL(ct_linearize_at, ct_linearized both = ct_linearize_at(HERE, F(f), ARGS(0));
     CHECK(both.primal && both.tangent);
     CHECK(ct_function_is_poison(both.primal) == ct_function_is_poison(both.tangent));
     bad_end_function(b, both.primal))

static ct_tensor *loss(ct_tensor *x, ct_tensor *y)
{
    return ct_op_reduce_add_at(HERE, product(x, y), CT_DIMS(0, 1));
}

TENSOR(ct_grad_of_function_at, HERE, CONTEXT, MAYBE("loss"), two_tensors(b),
       (ct_any_function)BRANCH(loss), LIST(b->w.x, b->w.y))

FUNCTION(ct_vmap_at, HERE, F(f), INT(3), AXES(0, -1), AXES(0))
TENSOR(ct_vmap_of_function_at, HERE, CONTEXT, MAYBE("product"), two_tensors(b),
       (ct_any_function)BRANCH(product), AXES(0, 0), INT(-1), LIST(b->w.x, b->w.y))

/* ---- gradcheck.h. */

static void simplify(bad *b)
{
    ct_simplify_options options = {.size = SIZE(sizeof options)};

    if (options.size == SIZE_MAX)
        options.size = sizeof options - 1; /* nothing is behind the options */
    bad_end_function(b, ct_simplify_with_at(HERE, F(f), MAYBE(&options)));
}
CALL(ct_simplify_with_at, simplify(b))
FUNCTION(ct_inline_within_at, HERE, F(f), SIZE(100))

static void checkpoint(bad *b)
{
    ct_checkpoint_options options = {.size = SIZE(sizeof options), .keep = CT_KEEP_BYTES};

    if (options.size == SIZE_MAX)
        options.size = sizeof options - 1; /* nothing is behind the options */
    bad_end_function(b, ct_checkpoint_at(HERE, F(f), MAYBE(&options)));
}
CALL(ct_checkpoint_at, checkpoint(b))

static void reverse_loops(bad *b)
{
    ct_reverse_options options = {.size = SIZE(sizeof options), .strategy = CT_REVERSE_SQRT};

    if (options.size == SIZE_MAX)
        options.size = sizeof options - 1;
    bad_end_function(b, ct_reverse_loops_at(HERE, F(f), MAYBE(&options)));
}
CALL(ct_reverse_loops_at, reverse_loops(b))

static ct_gradcheck_options *gradcheck_options(bad *b, ct_gradcheck_options *options)
{
    static const int64_t positions[] = {0, 1};

    *options = (ct_gradcheck_options){
        .size = SIZE(sizeof *options),
        .directions = SIZE(1),
        .max_findings = SIZE(3),
        .wrt = bad_args(b, (ct_args){.count = 2, .position = positions}),
        .results = bad_args(b, (ct_args){.count = 1, .position = positions})};
    if (options->size == SIZE_MAX)
        options->size = sizeof *options - 1; /* nothing is behind the options */
    return MAYBE(options);
}

static void gradcheck(bad *b)
{
    ct_gradcheck_options options;

    CHECK(ct_gradcheck_at(HERE, F(f), LIST(b->w.x, b->w.y), gradcheck_options(b, &options)));
    bad_end_value(b);
}
CALL(ct_gradcheck_at, gradcheck(b))

static void gradcheck_against(bad *b)
{
    ct_gradcheck_options options;
    ct_function *gradient = ct_grad_at(HERE, b->w.f, CT_ARGS(0, 1));

    CHECK(ct_gradcheck_against_at(HERE, F(f), bad_function(b, gradient), LIST(b->w.x, b->w.y),
                                  gradcheck_options(b, &options)));
    bad_end_value(b);
}
CALL(ct_gradcheck_against_at, gradcheck_against(b))

static ct_gradcheck_report *report(bad *b)
{
    return MAYBE(ct_gradcheck_at(HERE, b->w.f, CT_ARGV(b->w.x, b->w.y), NULL));
}

VALUE(ct_gradcheck_verdict_name, ENUM(ct_gradcheck_verdict, CT_GRADCHECK_KINK))
VALUE(ct_gradcheck_passed, report(b))
VALUE(ct_gradcheck_count, report(b), ENUM(ct_gradcheck_verdict, CT_GRADCHECK_RIGHT))
TEXT(ct_gradcheck_text, report(b))
TEXT(ct_gradcheck_json, report(b))
VALUE(ct_gradcheck_of, report(b), 1, SIZE(0), SIZE(0))
VALUE(ct_gradcheck_findings, report(b))
VALUE(ct_gradcheck_finding_at, report(b), SIZE(0))
CALL(ct_gradcheck_release, (ct_gradcheck_release(report(b)), bad_end_value(b)))

/* ---- exec.h. */

static void compile(bad *b)
{
    ct_compile_options options = {
        .size = SIZE(sizeof options),
        .executor = ENUM(ct_executor, CT_EXECUTOR_INTERPRETER),
        .plain_products = true,
        .donated_inputs = UINT64_MAX,
        .traps = (unsigned)ENUM(ct_trap, CT_TRAP_NAN),
    };
    ct_compile_options *given = MAYBE(&options);

    if (options.size == SIZE_MAX)
        options.size = sizeof options - 1; /* nothing is behind the options */
    CHECK(ct_compile_at(HERE, F(f), given));
    bad_end_value(b);
}
CALL(ct_compile_at, compile(b))

VALUE(ct_pass_name, SIZE(0), NULL)
FUNCTION(ct_lower_at, HERE, F(f), NULL, NULL)

TENSOR(ct_call1_at, HERE, EXECUTABLE, LIST(b->w.x, b->w.y))
RESULTS(1, ct_call_at, HERE, EXECUTABLE, LIST(b->w.x, b->w.y), b->result, 1)
VALUE(ct_executable_is_poison, EXECUTABLE)
VALUE(ct_executable_parameters, EXECUTABLE)
VALUE(ct_executable_results, EXECUTABLE)
VALUE(ct_executable_block_bytes, EXECUTABLE)
VALUE(ct_executable_status, EXECUTABLE)
VALUE(ct_executable_wait, EXECUTABLE, 0.0)

/* ---- oracle.h and accuracy.h: without oracles all of it is an error. */

VALUE(ct_call_numbers_at, HERE, NULL, CT_LIST(0, NULL), NULL, 0)
VALUE(ct_number_text, NULL, SIZE(0), INT(0), ENUM(ct_number_form, CT_HEX), 0, NULL, 0)

static ct_accuracy *comparison(bad *b)
{
    ct_compare_options options = {.size = SIZE(sizeof options), .bits = 64};

    if (options.size == SIZE_MAX)
        options.size = sizeof options - 1; /* nothing is behind the options */
    ct_accuracy *accuracy = ct_compare_at(HERE, F(f), LIST(b->w.x, b->w.y), MAYBE(&options));
    CHECK(accuracy);
    return accuracy;
}
CALL(ct_compare_at, (comparison(b), bad_end_value(b)))
VALUE(ct_compared_results, NULL)
VALUE(ct_compared_values, NULL)
VALUE(ct_compared_result, NULL, SIZE(0))
VALUE(ct_compared_value, NULL, SIZE(0))
VALUE(ct_compared_same_way, NULL)
TEXT(ct_accuracy_text, NULL, SIZE(0))
CALL(ct_checks_compile_with, (ct_checks_compile_with(NULL, NULL), bad_end_value(b)))

/* A profile of an instance that never ran. */
static void profile(bad *b, ct_instance *one)
{
    ct_status status = ct_profile_begin(one);
    size_t count = ct_profile_steps(one), step = SIZE(0), operation = SIZE(0);
    ct_profile_step at_step;
    const char *name;
    ct_place at;

    CHECK(status == CT_OK || *ct_instance_error(one));
    CHECK(ct_profile_step_at(one, step, &at_step) == (step < count) && at_step.runs == 0);
    CHECK(!ct_profile_operation(one, step, operation, &name, &at) || step < count);
    ct_profile_end(one);
    CHECK(ct_profile_steps(one) == 0);
}

/* Instances keep their own errors, which are checked here. */
static void instance(bad *b)
{
    ct_instance *one = ct_instance_new(EXECUTABLE);
    float in[6] = {0}, out[1];

    CHECK(one && ct_instance_error(one));
    size_t position = SIZE(1), bytes = SIZE(sizeof in);
    void *from = POINTER(in), *to = POINTER(out);
    ct_status status = ct_bind_input(one, position, from, bytes);
    CHECK(status == CT_OK || *ct_instance_error(one));
    CHECK(status != CT_OK || (from && position <= 1 && bytes == sizeof in));
    status = ct_bind_output(one, SIZE(0), to, SIZE(sizeof out));
    CHECK(status == CT_OK ? to != NULL : *ct_instance_error(one) != 0);
    CHECK(ct_run(one) != CT_OK && *ct_instance_error(one)); /* not all is bound */
    CHECK(ct_instance_seed(one, 7) == CT_OK || *ct_instance_error(one));
    profile(b, one);
    ct_instance_free(one);
    ct_instance_free(NULL);
    CHECK(ct_bind_input(NULL, 0, in, sizeof in) == CT_ERR_ARGUMENT);
    CHECK(ct_bind_output(NULL, 0, out, sizeof out) == CT_ERR_ARGUMENT);
    CHECK(ct_run(NULL) == CT_ERR_ARGUMENT && *ct_instance_error(NULL));
    CHECK(ct_instance_seed(NULL, 7) == CT_ERR_ARGUMENT);
    CHECK(ct_profile_begin(NULL) == CT_ERR_ARGUMENT && ct_profile_steps(NULL) == 0);
    ct_profile_end(NULL);
    b->allowed |= CONTEXTLESS;
    bad_end_value(b);
}
CALL(ct_instance_new, instance(b))
CALL(ct_instance_free, instance(b))
CALL(ct_instance_error, instance(b))
CALL(ct_bind_input, instance(b))
CALL(ct_bind_output, instance(b))
CALL(ct_run, instance(b))
CALL(ct_instance_seed, instance(b))
CALL(ct_profile_begin, instance(b))
CALL(ct_profile_end, instance(b))
CALL(ct_profile_steps, instance(b))
CALL(ct_profile_step_at, instance(b))
CALL(ct_profile_operation, instance(b))

#include "tests/bad_op.inc"
#include "tests/bad_large.inc"
#include "tests/bad_quantized.inc"
#include "tests/bad_files.inc"
#include "tests/bad_program.inc"

/* ---- Running them. */

TEST(concrete)
{
    bad_run_all(false);
}

TEST(in_a_trace)
{
    bad_run_all(true);
}

/* ---- Every function has a row. */

TEST(every_function_has_a_row)
{
    int count = bad_check_headers(CT_SOURCE_DIR "/include/cotangent");

    CHECK_MSG(count > 200, "only %d functions were found", count);
}

/* ---- residuals.h. */

CALL(ct_residuals_at, CHECK(ct_residuals_at(HERE, F(f), ARGS(0))); bad_end_value(b))

static ct_residual_report *residuals(bad *b)
{
    return MAYBE(ct_residuals_at(HERE, b->w.f, CT_ARGS(0, 1)));
}

VALUE(ct_residuals_count, residuals(b))
VALUE(ct_residuals_item, residuals(b), SIZE(0))
VALUE(ct_residuals_bytes, residuals(b), ENUM(ct_residual_kind, CT_RESIDUAL_ARGUMENT))
VALUE(ct_residuals_iteration_bytes, residuals(b), ENUM(ct_residual_kind, CT_RESIDUAL_KEPT))
TEXT(ct_residuals_text, residuals(b))
CALL(ct_residuals_release, (ct_residuals_release(residuals(b)), bad_end_value(b)))
