/* What goes wrong around tracing, with the whole message. Calls are made at use.c:42 and values at
 * made.c:1, so that messages do not depend on the lines of this file. */
#include "tests/constraints.h"

#include <cotangent/cotangent.h>

#include <string.h>

static ct_function *trace(ct_context *ctx, const char *name, ct_tensor *(*f)(ct_tensor *),
                          ct_tensor *example)
{
    return ct_trace_function_at(use, ctx, name, CT_SIGNATURE(f), (ct_any_function)f, NULL,
                                CT_NO_TENSORS, CT_LIKE(example));
}

/* ---- Values outside of their trace. */

static ct_tensor *leaked;

static ct_tensor *leaks(ct_tensor *x)
{
    leaked = ct_op_exponential_at(made, x);
    return ct_op_negate_at(made, leaked);
}

static ct_tensor *gives_leaked(ct_tensor *x)
{
    (void)x;
    return leaked;
}

static ct_tensor *adds_leaked(ct_tensor *x)
{
    return ct_op_add_at(use, x, leaked);
}

#define ENDED                                                                                      \
    " is a traced value whose trace has ended, made at made.c:1; return it from the traced "       \
    "function "                                                                                    \
    "instead"

TEST(a_value_whose_trace_has_ended)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);

    trace(ctx, "leaks", leaks, x);
    BREAKS(ct_op_add_at(use, x, leaked), CT_ERR_STATE, "add: y" ENDED);
    BREAKS(ct_op_add_at(use, leaked, x), CT_ERR_STATE, "add: x" ENDED);
    BREAKS(ct_exp_at(use, leaked), CT_ERR_STATE, "exp: x" ENDED);
    BREAKS(ct_op_concatenate_at(use, CT_ARGV(x, x, leaked), 0), CT_ERR_STATE,
           "concatenate: x[2]" ENDED);
    BREAKS(trace(ctx, "f", adds_leaked, x), CT_ERR_STATE, "add: y" ENDED);
    BREAKS(trace(ctx, "gives_leaked", gives_leaked, x), CT_ERR_STATE,
           "gives_leaked: result 0" ENDED);
    ct_name(leaked, "late");
    CHECK_ERROR(ctx, CT_ERR_STATE, "name: \"late\" is for a traced value whose trace has ended");
    CHECK(ct_rank(leaked) == 1 && ct_is_traced(leaked)); /* looking is allowed */
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *outer_value;

static ct_tensor *inner_uses_outer(ct_tensor *x)
{
    return ct_op_multiply_at(use, x, outer_value);
}

static ct_tensor *outer(ct_tensor *x)
{
    outer_value = ct_op_exponential_at(made, x);
    return ct_apply1_at(use, trace(ct_context_of(x), "inner", inner_uses_outer, x), CT_ARGV(x));
}

static ct_tensor *inner_gives_outer(ct_tensor *x)
{
    (void)x;
    return outer_value;
}

static ct_tensor *outer_of_result(ct_tensor *x)
{
    outer_value = ct_op_exponential_at(made, x);
    return ct_apply1_at(use, trace(ct_context_of(x), "inner", inner_gives_outer, x), CT_ARGV(x));
}

TEST(a_value_of_the_enclosing_function)
{
    ct_context *ctx = ct_context_new();

    BREAKS(trace(ctx, "outer", outer, T(CT_F32, 2)), CT_ERR_STATE,
           "multiply: y is a value of the enclosing function outer, made at made.c:1; make it an "
           "argument of inner");
    BREAKS(
        trace(ctx, "outer", outer_of_result, T(CT_F32, 2)), CT_ERR_STATE,
        "inner: result 0 is a value of the enclosing function outer, made at made.c:1; make it an "
        "argument of inner");
    ct_context_free(ctx);
}

/* ---- Data of a traced value. */

static ct_tensor *reads(ct_tensor *x)
{
    return ct_item_at(use, x) > 0 ? x : ct_op_negate_at(use, x);
}

static ct_tensor *reads_element(ct_tensor *x)
{
    return ct_scalar_at(use, ct_context_of(x), CT_F32, ct_element_at(use, x, CT_SHAPE(0)));
}

static ct_tensor *reads_all(ct_tensor *x)
{
    return ct_data_at(use, x) ? x : NULL;
}

#define NO_DATA "x is traced and has no data (choose by its value with ct_where or ct_if)"

TEST(data_of_a_traced_value)
{
    ct_context *ctx = ct_context_new();

    BREAKS(trace(ctx, "f", reads, S(CT_F32)), CT_ERR_TRACED, "item: " NO_DATA);
    BREAKS(trace(ctx, "f", reads_element, T(CT_F32, 2)), CT_ERR_TRACED, "at: " NO_DATA);
    BREAKS(trace(ctx, "f", reads_all, T(CT_F32, 2)), CT_ERR_TRACED, "data: " NO_DATA);
    ct_context_free(ctx);
}

/* ---- Two contexts. */

static ct_tensor *foreign_value;

static ct_tensor *adds_foreign(ct_tensor *x)
{
    return ct_op_add_at(use, x, foreign_value);
}

static ct_tensor *gives_foreign(ct_tensor *x)
{
    (void)x;
    return foreign_value;
}

TEST(two_contexts)
{
    ct_context *ctx = ct_context_new(), *other = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);

    foreign_value = ct_zeros_at(made, other, CT_F32, CT_SHAPE(2));
    BREAKS(ct_op_add_at(use, x, foreign_value), CT_ERR_CONTEXT,
           "add: y belongs to another context");
    BREAKS(ct_where_at(use, T(CT_BOOL, 2), ct_operand_tensor(x), ct_operand_tensor(foreign_value)),
           CT_ERR_CONTEXT, "where: y belongs to another context");
    BREAKS(trace(ctx, "f", adds_foreign, x), CT_ERR_CONTEXT, "add: y belongs to another context");
    BREAKS(trace(ctx, "f", gives_foreign, x), CT_ERR_CONTEXT,
           "f: result 0 belongs to another context");
    BREAKS(ct_apply1_at(use, trace(ctx, "f", leaks, x), CT_ARGV(foreign_value)), CT_ERR_CONTEXT,
           "call: x belongs to another context");
    HOLDS(trace(ctx, "f", leaks, foreign_value)); /* of examples only types are read */
    CHECK_OK(other);
    ct_context_free(ctx);
    ct_context_free(other);
}

/* ---- Results. */

static ct_tensor *gives_null(ct_tensor *x)
{
    (void)x;
    return NULL;
}

static void fills_one_of_two(void *user, ct_list parameters, ct_tensor **result)
{
    (void)user;
    result[0] = parameters.item[0];
}

static ct_tensor *gives_example(ct_tensor *x)
{
    return ct_spec_at(made, ct_context_of(x), CT_F32, CT_SHAPE());
}

TEST(results)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);

    BREAKS(trace(ctx, "gives_null", gives_null, x), CT_ERR_ARGUMENT,
           "gives_null: result 0 is NULL");
    BREAKS(ct_trace_many_at(use, ctx, "two", fills_one_of_two, NULL, 2, CT_LIKE(x)),
           CT_ERR_ARGUMENT, "two: result 1 is NULL");
    BREAKS(trace(ctx, "f", gives_example, x), CT_ERR_ARGUMENT,
           "f: result 0 is a type without data (ct_spec)");
    ct_trace_builder *builder = ct_trace_begin_at(use, ctx, "by_hand", CT_LIKE(x));
    BREAKS(ct_trace_end_at(use, builder, (ct_list){2, NULL}), CT_ERR_ARGUMENT,
           "trace_end: the results are NULL");
    ct_context_free(ctx);
}

/* ---- Examples. */

static ct_tensor *takes_two(ct_tensor *x, ct_tensor *y)
{
    return ct_op_add_at(use, x, y);
}

static ct_tensor *takes_leaves(ct_tensor **leaves, ct_tensor *x)
{
    return ct_op_add_at(use, leaves[0], x);
}

TEST(examples)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2), *poison = ct_reshape(x, CT_SHAPE(3));
    const ct_list no = CT_NO_TENSORS;

#define TRACE(f, tree, examples)                                                                   \
    ct_trace_function_at(use, ctx, #f, CT_SIGNATURE(f), (ct_any_function)f, NULL, tree, examples)
#define WITH_USER(f, user, examples)                                                               \
    ct_trace_function_at(use, ctx, #f, CT_SIGNATURE(f), (ct_any_function)f, user, no, examples)
    ct_error_clear(ctx);
    BREAKS(TRACE(takes_two, no, CT_LIKE(x)), CT_ERR_ARGUMENT,
           "trace of takes_two: it takes 2 tensors, and 1 example is given");
    BREAKS(TRACE(takes_two, no, CT_LIKE(x, x, x)), CT_ERR_ARGUMENT,
           "trace of takes_two: it takes 2 tensors, and 3 examples are given");
    BREAKS(TRACE(takes_two, no, CT_LIKE(x, NULL)), CT_ERR_ARGUMENT,
           "trace of takes_two: example 1 is NULL");
    BREAKS(TRACE(takes_two, no, CT_LIKE(poison, x)), CT_ERR_POISON,
           "trace of takes_two: example 0 is the poisoned result of an earlier error");
    BREAKS(TRACE(takes_two, no, ((ct_list){2, NULL})), CT_ERR_ARGUMENT,
           "trace of takes_two: the examples are NULL");
    BREAKS(TRACE(takes_two, CT_LIKE(x), CT_LIKE(x, x)), CT_ERR_ARGUMENT,
           "trace of takes_two: a tree is given, and the first parameter is not ct_tensor **");
    BREAKS(TRACE(takes_leaves, CT_LIKE(NULL), CT_LIKE(x)), CT_ERR_ARGUMENT,
           "trace of takes_leaves: leaf 0 of the tree is NULL");
    BREAKS(ct_trace_function_at(use, ctx, "missing", (ct_signature){CT_PARAMETERS_PLAIN, 1}, NULL,
                                NULL, no, CT_LIKE(x)),
           CT_ERR_ARGUMENT, "trace: the function missing is NULL");
    BREAKS(ct_trace_function_at(use, ctx, "odd", (ct_signature){(ct_parameters)7, 1},
                                (ct_any_function)gives_null, NULL, no, CT_LIKE(x)),
           CT_ERR_ARGUMENT, "trace of odd: its signature is of no known kind (7)");
    BREAKS(ct_trace_many_at(use, ctx, "missing", NULL, NULL, 1, CT_LIKE(x)), CT_ERR_ARGUMENT,
           "trace: the function missing is NULL");
    BREAKS(TRACE(takes_leaves, ((ct_list){2, NULL}), CT_LIKE(x)), CT_ERR_ARGUMENT,
           "trace of takes_leaves: the leaves of the tree are NULL");
    BREAKS(TRACE(takes_leaves, CT_LIKE(x, poison), CT_LIKE(x)), CT_ERR_POISON,
           "trace of takes_leaves: leaf 1 of the tree is the poisoned result of an earlier error");
    BREAKS(WITH_USER(takes_two, &poison, CT_LIKE(x, x)), CT_ERR_ARGUMENT,
           "trace of takes_two: a user pointer is given, and the first parameter is not void *");
    BREAKS(WITH_USER(takes_leaves, &poison, CT_LIKE(x)), CT_ERR_ARGUMENT,
           "trace of takes_leaves: a user pointer is given, and the first parameter is not void *");
    HOLDS(WITH_USER(takes_two, NULL, CT_LIKE(x, x)));
    BREAKS(TRACE(gives_null, no, CT_NO_TENSORS), CT_ERR_ARGUMENT,
           "trace of gives_null: it takes 1 tensor, and 0 examples are given");
    HOLDS(TRACE(takes_two, no, CT_LIKE(x, x)));
    ct_context_free(ctx);
}

/* ---- Builders in disorder. */

static ct_trace_builder *left_open;

static ct_tensor *leaves_open(ct_tensor *x)
{
    left_open = ct_trace_begin_at(use, ct_context_of(x), "inner", CT_LIKE(x));
    return x;
}

TEST(a_trace_left_open)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);

    BREAKS(trace(ctx, "outer", leaves_open, x), CT_ERR_STATE,
           "trace of outer: it left the trace of inner open");
    BREAKS(ct_trace_end_at(use, left_open, CT_ARGV(x)), CT_ERR_STATE,
           "trace_end: the trace has ended before");
    HOLDS(ct_op_negate_at(use, x)); /* computes at once */
    ct_context_free(ctx);
}

TEST(ending_out_of_order)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);
    ct_trace_builder *a = ct_trace_begin_at(use, ctx, "a", CT_LIKE(x));
    ct_trace_builder *b = ct_trace_begin_at(use, ctx, "b", CT_LIKE(x));
    ct_tensor *of_a = ct_trace_parameter(a, 0), *of_b = ct_trace_parameter(b, 0);

    BREAKS(ct_trace_end_at(use, a, CT_ARGV(of_a)), CT_ERR_STATE,
           "trace_end: the trace of b, begun later, is still open");
    BREAKS(ct_trace_end_at(use, b, CT_ARGV(of_b)), CT_ERR_STATE,
           "trace_end: the trace has ended before");
    BREAKS(ct_trace_end_at(use, a, CT_ARGV(of_a)), CT_ERR_STATE,
           "trace_end: the trace has ended before");
    ct_context_free(ctx);
}

static ct_trace_builder *around;

static ct_tensor *ends_outer(ct_tensor *x)
{
    ct_trace_end_at(use, around, CT_NO_TENSORS);
    return x;
}

static ct_tensor *ends_outer_quietly(ct_tensor *x)
{
    ends_outer(x);
    ct_error_clear(ct_context_of(x));
    return x;
}

static void many_ends_outer(void *user, ct_list parameters, ct_tensor **result)
{
    (void)user;
    result[0] = ends_outer_quietly(parameters.item[0]);
}

static ct_tensor *branch_ends_outer(void *user)
{
    return ends_outer_quietly(user);
}

TEST(a_function_that_ends_the_trace_around_it)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);

    around = ct_trace_begin_at(use, ctx, "outer", CT_LIKE(x));
    BREAKS(trace(ctx, "f", ends_outer, x), CT_ERR_STATE,
           "trace_end: the trace of f, begun later, is still open");
    around = ct_trace_begin_at(use, ctx, "outer", CT_LIKE(x));
    BREAKS(trace(ctx, "f", ends_outer_quietly, x), CT_ERR_STATE,
           "trace of f: it ended the trace around it");
    around = ct_trace_begin_at(use, ctx, "outer", CT_LIKE(x));
    BREAKS(ct_trace_many_at(use, ctx, "f", many_ends_outer, NULL, 1, CT_LIKE(x)), CT_ERR_STATE,
           "trace_end: the trace has ended before");
    around = ct_trace_begin_at(use, ctx, "outer", CT_LIKE(S(CT_BOOL)));
    BREAKS(ct_if_at(use, ct_trace_parameter(around, 0), branch_ends_outer, branch_ends_outer, x),
           CT_ERR_STATE, "then: the body ended the trace around it");
    HOLDS(x = ct_op_iota_at(use, ctx, CT_I32, CT_DIMS(2), 0));
    CHECK(ct_is_concrete(x)); /* no trace is open */
    ct_context_free(ctx);
}

/* The other way round all is well; ending twice is not. */
TEST(ending_twice)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);
    ct_trace_builder *a = ct_trace_begin_at(use, ctx, "a", CT_LIKE(x));
    ct_trace_builder *b = ct_trace_begin_at(use, ctx, "b", CT_LIKE(x));

    HOLDS(ct_trace_end_at(use, b, CT_ARGV(ct_trace_parameter(b, 0))));
    HOLDS(ct_trace_end_at(use, a, CT_ARGV(ct_trace_parameter(a, 0))));
    BREAKS(ct_trace_end_at(use, b, CT_NO_TENSORS), CT_ERR_STATE,
           "trace_end: the trace has ended before");
    ct_trace_parameter(a, 1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT,
                "trace_parameter: there is no parameter 1; the function has 1");
    ct_context_free(ctx);
}

/* Every order of up to LENGTH steps: nothing is read that is gone, a builder that can end gives a
 * function, and in the end no trace is left open. */
enum { LENGTH = 5, BEGIN = 0, END = 1, CLEAR = END + LENGTH, OPEN, CLOSE, STEPS };

static void in_order(const int *step)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);
    ct_trace_builder *builder[LENGTH + 1];
    ct_scope scope[LENGTH + 1];
    int depth_of[LENGTH + 1], n = 0, depth = 0;
    for (int i = 0; i < LENGTH; i++) {
        if (step[i] == BEGIN) {
            depth_of[n] = depth;
            builder[n++] = ct_trace_begin(ctx, "f", CT_LIKE(x));
        } else if (step[i] == CLEAR) {
            ct_error_clear(ctx);
        } else if (step[i] == OPEN) {
            scope[depth++] = ct_scope_begin(ctx);
        } else if (step[i] == CLOSE) {
            if (depth > 0)
                ct_scope_end(scope[--depth]);
            while (n > 0 && depth_of[n - 1] > depth)
                n--; /* gone with its scope */
        } else if (step[i] - END < n) {
            ct_trace_builder *b = builder[step[i] - END];
            bool fine = !ct_failed(ctx);
            ct_function *f = ct_trace_end(b, CT_ARGV(ct_neg(ct_trace_parameter(b, 0))));
            CHECK(ct_function_is_poison(f) == ct_failed(ctx) && (fine || ct_failed(ctx)));
        }
    }
    while (n > 0)
        ct_trace_end(builder[--n], CT_NO_TENSORS);
    ct_error_clear(ctx);
    CHECK(ct_is_concrete(ct_op_iota(ctx, CT_F32, (ct_dims){1, (const int64_t[]){2}}, 0)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(builders_in_every_order)
{
    int step[LENGTH] = {0};
    for (int i = 0; i < LENGTH;) {
        in_order(step);
        for (i = 0; i < LENGTH && ++step[i] == STEPS; i++)
            step[i] = 0;
    }
}

/* A builder that is not ended goes with its scope, and the traces inside it. */
TEST(a_builder_that_is_not_ended)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);
    ct_scope scope = ct_scope_begin(ctx);

    ct_trace_begin_at(use, ctx, "a", CT_LIKE(x));
    ct_trace_begin_at(use, ctx, "b", CT_LIKE(x));
    ct_scope_end(scope);
    HOLDS(x = ct_op_iota_at(use, ctx, CT_I32, CT_DIMS(2), 0));
    CHECK(ct_is_concrete(x)); /* no trace is open */
    ct_trace_begin_at(use, ctx, "a", CT_LIKE(x));
    ct_context_free(ctx);
}

/* ---- After an error. */

TEST(clearing_and_poison)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);
    ct_tensor *first = ct_op_reshape_at(use, x, CT_DIMS(3));
    ct_tensor *second = ct_op_reshape_at(made, x, CT_DIMS(4)); /* not the first error */

    CHECK(ct_is_poison(first) && ct_is_poison(second) && ct_is_poison(ct_op_negate_at(use, x)));
    BREAKS((void)0, CT_ERR_SHAPE,
           "reshape: shape = [3] has 3 elements, but x: f32[2] has 2" LINE("x        ",
                                                                           "f32[2]      "));
    CHECK(strcmp(ct_error_message(ctx), "") == 0 && !ct_error_place(ctx).file);
    BREAKS(ct_op_add_at(use, x, first), CT_ERR_POISON,
           "add: y is the poisoned result of an earlier error");
    BREAKS(ct_exp_at(use, first), CT_ERR_POISON,
           "exp: x is the poisoned result of an earlier error");
    CHECK(ct_item_at(use, first) == 0);
    BREAKS((void)0, CT_ERR_POISON, "item: x is the poisoned result of an earlier error");
    HOLDS(ct_op_negate_at(use, x)); /* good values stay good */
    CHECK(ct_is_poison(first));
    ct_context_free(ctx);
}

TEST(poisoned_functions)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);
    ct_function *f = trace(ctx, "gives_null", gives_null, x);

    CHECK(f && ct_function_is_poison(f));
    ct_error_clear(ctx);
#define POISONED ": the function is the poisoned result of an earlier error"
    BREAKS(ct_grad_at(use, f, CT_ARGS(0)), CT_ERR_POISON, "grad" POISONED);
    BREAKS(ct_compile_at(use, f, NULL), CT_ERR_POISON, "compile" POISONED);
    BREAKS(ct_apply1_at(use, f, CT_ARGV(x)), CT_ERR_POISON, "apply" POISONED);
    CHECK(ct_function_parameters(f) == 0 && strcmp(ct_function_name(f), "") == 0);
    CHECK(strcmp(ct_function_text(f, CT_TEXT_STABLEHLO), "") == 0);
    CHECK_OK(ctx); /* looking at it is no error */
    ct_context_free(ctx);
}

/* Values of an abandoned trace are as those of one that ended. */
TEST(an_error_inside_a_trace)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);

    leaked = NULL;
    CHECK(ct_function_is_poison(trace(ctx, "f", leaks, T(CT_I32, 2))));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "exponential: x must be a float");
    CHECK(ct_is_poison(leaked));
    HOLDS(trace(ctx, "f", leaks, x)); /* and the next one is not touched by it */
    ct_context_free(ctx);
}
