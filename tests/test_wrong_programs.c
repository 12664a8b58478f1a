/* Wrong programs and what they are told: data/wrong_programs.txt, to be read from beginning to end
 * as a user would; CT_UPDATE=1 in the environment writes it anew. A call that fails stands on one
 * line, since compilers differ in which of several lines is its place. */
#include "tests/check.h"

#include <cotangent/cotangent.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct wrong {
    const char *title;
    void (*run)(ct_context *ctx);
} wrong;

#define ONES(dtype, ...) ct_ones(ctx, dtype, CT_SHAPE(__VA_ARGS__))
#define X ONES(CT_F32, 2, 3)

/* ---- Shapes and dtypes. */

static void broadcasting(ct_context *ctx)
{
    ct_add(ONES(CT_F32, 2, 3), ONES(CT_F32, 4));
}

static void two_dtypes(ct_context *ctx)
{
    ct_mul(ONES(CT_F32, 2), ONES(CT_F64, 2));
}

static void fraction_with_integers(ct_context *ctx)
{
    ct_mul(ONES(CT_I32, 2), 0.5);
}

static void number_too_large(ct_context *ctx)
{
    ct_add(ONES(CT_U8, 2), 300);
}

static void negative_with_unsigned(ct_context *ctx)
{
    ct_add(ONES(CT_U16, 2), -1);
}

static void float_function_of_integers(ct_context *ctx)
{
    ct_exp(ONES(CT_I64, 2));
}

static void mean_of_integers(ct_context *ctx)
{
    ct_mean(ONES(CT_I32, 4), CT_ALL_AXES, CT_DROP_AXES);
}

static void sum_of_bool(ct_context *ctx)
{
    ct_sum(ONES(CT_BOOL, 4), CT_ALL_AXES, CT_DROP_AXES);
}

static void axis_beyond_rank(ct_context *ctx)
{
    ct_sum(X, CT_AXES(2), CT_DROP_AXES);
}

static void axis_twice(ct_context *ctx)
{
    ct_max(X, CT_AXES(1, -1), CT_KEEP_AXES);
}

static void reshape_count(ct_context *ctx)
{
    ct_reshape(X, CT_SHAPE(4));
}

static void reshape_two_unknown(ct_context *ctx)
{
    ct_reshape(X, CT_SHAPE(-1, -1));
}

static void transpose_not_a_permutation(ct_context *ctx)
{
    ct_transpose(X, CT_AXES(0, 0));
}

static void squeeze_wide_axis(ct_context *ctx)
{
    ct_squeeze(X, CT_AXES(1));
}

static void slice_out_of_range(ct_context *ctx)
{
    ct_slice(X, CT_SHAPE(0, 1), CT_SHAPE(2, 5), CT_SHAPE(1, 1));
}

static void slice_without_all_axes(ct_context *ctx)
{
    ct_slice(X, CT_SHAPE(0), CT_SHAPE(2), CT_SHAPE(1));
}

static void stack_of_different_shapes(ct_context *ctx)
{
    ct_stack(CT_ARGV(ONES(CT_F32, 2), ONES(CT_F32, 3)), 0);
}

static void concatenate_ranks(ct_context *ctx)
{
    ct_concatenate(CT_ARGV(X, ONES(CT_F32, 3)), 0);
}

static void matmul_inner_extents(ct_context *ctx)
{
    ct_matmul(ONES(CT_F32, 2, 3), ONES(CT_F32, 4, 5));
}

static void matmul_scalar(ct_context *ctx)
{
    ct_matmul(ONES(CT_F32, 2, 3), ct_scalar(ctx, CT_F32, 2));
}

static void where_needs_bool(ct_context *ctx)
{
    ct_where(ONES(CT_I32, 3), ONES(CT_F32, 3), 0);
}

static void strict_primitive_does_not_broadcast(ct_context *ctx)
{
    ct_op_add(ONES(CT_F32, 2, 3), ONES(CT_F32, 3));
}

static void pad_removes_too_much(ct_context *ctx)
{
    ct_op_pad(ONES(CT_F32, 3), ct_scalar(ctx, CT_F32, 0), CT_DIMS(-2), CT_DIMS(-2), CT_DIMS(0));
}

static void dot_extents(ct_context *ctx)
{
    const ct_dot_dims dims = {.lhs_contracting = CT_DIMS(1), .rhs_contracting = CT_DIMS(0)};
    ct_op_dot_general(X, X, &dims);
}

/* ---- Making. */

static void negative_extent(ct_context *ctx)
{
    ct_zeros(ctx, CT_F32, CT_SHAPE(2, -1));
}

static void too_many_elements(ct_context *ctx)
{
    ct_zeros(ctx, CT_F64, CT_SHAPE(INT64_MAX, 2));
}

static void no_data(ct_context *ctx)
{
    ct_from_data(ctx, CT_F32, CT_SHAPE(2), NULL);
}

static void step_of_zero(ct_context *ctx)
{
    ct_arange(ctx, CT_F32, 0, 1, 0);
}

static void fill_that_does_not_fit(ct_context *ctx)
{
    ct_full(ctx, CT_I8, CT_SHAPE(2), 200);
}

static void unknown_dtype(ct_context *ctx)
{
    ct_zeros(ctx, (ct_dtype)77, CT_SHAPE(2));
}

static void uniform_bounds(ct_context *ctx)
{
    ct_random_uniform(ctx, ct_key_new(1), CT_F32, CT_SHAPE(2), 1, 0);
}

/* ---- Reading. */

static void item_of_many(ct_context *ctx)
{
    ct_item(X);
}

static void element_out_of_range(ct_context *ctx)
{
    ct_at(X, 0, 3);
}

static void too_few_indices(ct_context *ctx)
{
    ct_at(X, 0);
}

static void integer_of_a_float(ct_context *ctx)
{
    ct_at_int(X, 0, 0);
}

/* ---- Indexing. */

static void float_indices(ct_context *ctx)
{
    ct_take(X, ONES(CT_F32, 2), 0, CT_CLAMP);
}

static void strict_index(ct_context *ctx)
{
    ct_take(X, ct_from_data(ctx, CT_I32, CT_SHAPE(3), (int32_t[]){0, 7, -1}), 0, CT_STRICT);
}

static void window_larger_than_operand(ct_context *ctx)
{
    const ct_list start = CT_ARGV(ct_scalar(ctx, CT_I32, 0), ct_scalar(ctx, CT_I32, 0));
    ct_dynamic_slice(X, start, CT_SHAPE(2, 4), CT_CLAMP);
}

static void starts_of_two_dtypes(ct_context *ctx)
{
    const ct_list start = CT_ARGV(ct_scalar(ctx, CT_I32, 0), ct_scalar(ctx, CT_I64, 0));
    ct_op_dynamic_slice(X, start, CT_DIMS(1, 1), false);
}

static void take_along_axis_shapes(ct_context *ctx)
{
    ct_take_along_axis(X, ONES(CT_I32, 5, 1), 1, CT_CLAMP);
}

static void fill_that_the_dtype_cannot_hold(ct_context *ctx)
{
    ct_take(ONES(CT_I32, 4), ONES(CT_I32, 2), 0, CT_FILL(0.5));
}

/* ---- Tracing. */

static ct_tensor *leaked;

static ct_tensor *leaks(ct_tensor *x)
{
    leaked = ct_exp(x);
    return x;
}

static void value_of_an_ended_trace(ct_context *ctx)
{
    ct_trace(ctx, leaks, CT_LIKE(X));
    ct_add(leaked, 1);
}

static ct_tensor *looks_at_data(ct_tensor *x)
{
    return ct_item(x) > 0 ? x : ct_neg(x);
}

static void item_of_a_traced_value(ct_context *ctx)
{
    ct_trace(ctx, looks_at_data, CT_LIKE(ct_scalar(ctx, CT_F32, 1)));
}

static ct_tensor *two_arguments(ct_tensor *x, ct_tensor *y)
{
    return ct_add(x, y);
}

static void wrong_number_of_examples(ct_context *ctx)
{
    ct_trace(ctx, two_arguments, CT_LIKE(X));
}

static ct_tensor *returns_nothing(ct_tensor *x)
{
    (void)x;
    return NULL;
}

static void result_of_null(ct_context *ctx)
{
    ct_trace(ctx, returns_nothing, CT_LIKE(X));
}

static ct_tensor *outer_value;

static ct_tensor *uses_outer(ct_tensor *x)
{
    return ct_mul(x, outer_value);
}

static ct_tensor *traces_inside(ct_tensor *x)
{
    outer_value = x;
    return ct_apply1(ct_trace(ct_context_of(x), uses_outer, CT_LIKE(x)), CT_ARGV(x));
}

static void value_of_an_enclosing_function(ct_context *ctx)
{
    ct_trace(ctx, traces_inside, CT_LIKE(X));
}

static void two_contexts(ct_context *ctx)
{
    ct_context *other = ct_context_new();
    ct_add(X, ct_ones(other, CT_F32, CT_SHAPE(2, 3)));
    ct_context_free(other);
}

static void spec_as_a_value(ct_context *ctx)
{
    ct_exp(ct_spec(ctx, CT_F32, CT_SHAPE(2)));
}

static void wrong_arguments_of_a_function(ct_context *ctx)
{
    ct_function *f = ct_trace(ctx, two_arguments, CT_LIKE(X, X));
    ct_apply1(f, CT_ARGV(X, ONES(CT_F32, 3)));
}

static void null_operand(ct_context *ctx)
{
    ct_add(X, NULL);
}

static void poison_after_clearing(ct_context *ctx)
{
    ct_tensor *y = ct_reshape(X, CT_SHAPE(4));
    ct_error_clear(ctx);
    ct_exp(y);
}

/* ---- Control. */

static ct_tensor *as_it_is(void *x)
{
    return x;
}

static ct_tensor *summed(void *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *branches_differ(ct_tensor *x, ct_tensor *pred)
{
    return ct_if(pred, as_it_is, summed, x);
}

static void branches_of_two_types(ct_context *ctx)
{
    ct_trace(ctx, branches_differ, CT_LIKE(X, ct_ones(ctx, CT_BOOL, CT_SHAPE())));
}

static void predicate_of_rank_one(ct_context *ctx)
{
    ct_if(ONES(CT_BOOL, 2), as_it_is, summed, X);
}

static void grows(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    (void)x;
    (void)y;
    carry[0] = ct_stack(CT_ARGV(carry[0], carry[0]), 0);
}

static ct_tensor *growing_loop(ct_tensor *x)
{
    ct_scan(grows, NULL, .length = 3, .n_carry = 1, .carry = &x);
    return x;
}

static void carry_that_changes(ct_context *ctx)
{
    ct_trace(ctx, growing_loop, CT_LIKE(X));
}

static void rows_of_a_scan(ct_context *ctx)
{
    ct_tensor *carry = X;
    const ct_list xs = CT_ARGV(ONES(CT_F32, 4));
    ct_scan(grows, NULL, .length = 3, .n_carry = 1, .carry = &carry, .xs = xs);
}

/* ---- Differentiation. */

static ct_tensor *doubled(ct_tensor *x)
{
    return ct_mul(x, 2);
}

static void gradient_of_a_vector(ct_context *ctx)
{
    ct_grad(ct_trace(ctx, doubled, CT_LIKE(X)), CT_ARGS(0));
}

static void gradient_by_an_integer(ct_context *ctx)
{
    ct_grad(ct_trace(ctx, doubled, CT_LIKE(ct_scalar(ctx, CT_I32, 1))), CT_ARGS(0));
}

static void gradient_by_a_missing_argument(ct_context *ctx)
{
    ct_grad(ct_trace(ctx, doubled, CT_LIKE(ct_scalar(ctx, CT_F32, 1))), CT_ARGS(1));
}

static ct_tensor *squared(ct_tensor *x)
{
    return ct_mul(x, x);
}

static void transpose_of_a_square(ct_context *ctx)
{
    ct_transpose_linear(ct_trace(ctx, squared, CT_LIKE(X)), CT_ARGS(0));
}

/* ---- Running. */

static void wrong_count_for_an_executable(ct_context *ctx)
{
    ct_call1(ct_compile(ct_trace(ctx, doubled, CT_LIKE(X)), NULL), CT_ARGV(X, X));
}

static void results_of_a_function(ct_context *ctx)
{
    ct_tensor *result[2];
    ct_apply(ct_trace(ctx, doubled, CT_LIKE(X)), CT_ARGV(X), result, 2);
}

static void wrong_type_for_an_executable(ct_context *ctx)
{
    ct_call1(ct_compile(ct_trace(ctx, doubled, CT_LIKE(X)), NULL), CT_ARGV(ONES(CT_F64, 2, 3)));
}

#define W(name)                                                                                    \
    {                                                                                              \
#name, name                                                                                \
    }
static const wrong programs[] = {
    W(broadcasting),
    W(two_dtypes),
    W(fraction_with_integers),
    W(number_too_large),
    W(negative_with_unsigned),
    W(float_function_of_integers),
    W(mean_of_integers),
    W(sum_of_bool),
    W(axis_beyond_rank),
    W(axis_twice),
    W(reshape_count),
    W(reshape_two_unknown),
    W(transpose_not_a_permutation),
    W(squeeze_wide_axis),
    W(slice_out_of_range),
    W(slice_without_all_axes),
    W(stack_of_different_shapes),
    W(concatenate_ranks),
    W(matmul_inner_extents),
    W(matmul_scalar),
    W(where_needs_bool),
    W(strict_primitive_does_not_broadcast),
    W(pad_removes_too_much),
    W(dot_extents),
    W(negative_extent),
    W(too_many_elements),
    W(no_data),
    W(step_of_zero),
    W(fill_that_does_not_fit),
    W(unknown_dtype),
    W(uniform_bounds),
    W(item_of_many),
    W(element_out_of_range),
    W(too_few_indices),
    W(integer_of_a_float),
    W(float_indices),
    W(strict_index),
    W(window_larger_than_operand),
    W(starts_of_two_dtypes),
    W(take_along_axis_shapes),
    W(fill_that_the_dtype_cannot_hold),
    W(value_of_an_ended_trace),
    W(item_of_a_traced_value),
    W(wrong_number_of_examples),
    W(result_of_null),
    W(value_of_an_enclosing_function),
    W(two_contexts),
    W(spec_as_a_value),
    W(wrong_arguments_of_a_function),
    W(null_operand),
    W(poison_after_clearing),
    W(branches_of_two_types),
    W(predicate_of_rank_one),
    W(carry_that_changes),
    W(rows_of_a_scan),
    W(gradient_of_a_vector),
    W(gradient_by_an_integer),
    W(gradient_by_a_missing_argument),
    W(transpose_of_a_square),
    W(wrong_type_for_an_executable),
    W(wrong_count_for_an_executable),
    W(results_of_a_function),
};

/* "## title", the status, the message, of every program. */
static char *all_messages(void)
{
    size_t room = 1 << 18, length = 0;
    char *text = malloc(room);
    CHECK(text != NULL);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        ct_context *ctx = ct_context_new();
        programs[i].run(ctx);
        CHECK_MSG(ct_failed(ctx), "%s is not an error", programs[i].title);
        int n = snprintf(text + length, room - length, "%s## %s (%s)\n%s\n", i ? "\n" : "",
                         programs[i].title, ct_status_name(ct_error_status(ctx)),
                         ct_error_message(ctx));
        length += (size_t)n;
        CHECK(length < room);
        ct_context_free(ctx);
    }
    return text;
}

TEST(messages_are_those_that_were_read)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/wrong_programs.txt", CT_SOURCE_DIR);
    char *found = all_messages();
    if (getenv("CT_UPDATE")) {
        FILE *file = fopen(path, "w");
        CHECK(file != NULL && fputs(found, file) >= 0 && fclose(file) == 0);
    }
    char *expected = calloc(1, 1 << 18);
    FILE *file = fopen(path, "r");
    CHECK_MSG(file != NULL && expected != NULL, "%s cannot be read", path);
    size_t n = fread(expected, 1, (1 << 18) - 1, file);
    fclose(file);
    size_t same = 0;
    while (same < n && found[same] == expected[same])
        same++;
    CHECK_MSG(same == n && found[same] == '\0', "the messages differ from %s, first at:\n%.300s",
              path, found + (same > 60 ? same - 60 : 0));
    free(expected);
    free(found);
}
