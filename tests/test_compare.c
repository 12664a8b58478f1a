/* How far runs are from exact numbers: errors that can be said by hand. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <string.h>

static ct_accuracy *compare(ct_function *f, ct_executor executor, ct_list arguments)
{
    const ct_compare_options options = {.size = sizeof options, .executor = executor};
    return ct_compare(f, arguments, &options);
}

/* The value that the operation makes. */
static ct_compared value(const ct_accuracy *a, const char *operation)
{
    for (size_t i = 0; i < ct_compared_values(a); i++)
        if (strcmp(ct_compared_value(a, i).operation, operation) == 0)
            return ct_compared_value(a, i);
    CHECK_MSG(false, "there is no %s:\n%s", operation, ct_accuracy_text(a, 0));
    return ct_compared_value(a, 0);
}

/* ((1 + y) - 1) · 3: the sum drops y, half a unit; the difference is exact, but what is left of it
 * is 0 for y, 2^23 units of y; so is the product. */
static ct_tensor *cancelling(ct_tensor *y)
{
    return ct_mul(ct_sub(ct_add(y, 1.0), 1.0), 3.0);
}

TEST(where_error_is_born)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(2), {0x1p-24, 0.5});
    ct_function *f = ct_trace(ctx, cancelling, CT_LIKE(y));
    ct_accuracy *a = compare(f, CT_EXECUTOR_MACHINE, CT_ARGV(y));

    CHECK_OK(ctx);
    CHECK(ct_compared_results(a) == 1 && ct_compared_values(a) >= 3);
    const ct_compared sum = value(a, "add"), rest = value(a, "subtract"),
                      product = value(a, "multiply"), result = ct_compared_result(a, 0);
    CHECK(sum.born.largest == 0.5 && sum.born.mean == 0.25 && sum.inherited.largest == 0);
    CHECK(sum.total.largest == 0.5 && sum.worst == 0 && sum.worst_machine == 1);
    CHECK(rest.born.largest == 0 && rest.inherited.largest == 0x1p23);
    CHECK(rest.total.largest == 0x1p23 && rest.total.mean == 0x1p22);
    CHECK(product.born.largest == 0 && product.inherited.largest == 3 * 0x1p22);
    CHECK(result.total.largest == 3 * 0x1p22 && result.worst_exact == 3 * 0x1p-24);
    CHECK(ct_compared_same_way(a));
    CHECK(strcmp(ct_compared_value(a, 0).operation, "add") == 0);
    CHECK(strstr(ct_accuracy_text(a, 1), "add f32[2]: born 0.5 ulp, mean 0.25; inherited 0 ulp"));
    CHECK(!strstr(ct_accuracy_text(a, 1), "subtract"));
    ct_context_free(ctx);
}

/* Each of the three sums of a fold is one operation with one rounding more. */
static ct_tensor *folded(ct_tensor *x)
{
    return ct_sum(x, CT_AXES(1), CT_DROP_AXES);
}

TEST(folds_are_one_operation)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {1, 0x1p-53, 0x1p-53, 1, 2, 3});
    ct_accuracy *a = compare(ct_trace(ctx, folded, CT_LIKE(x)), CT_EXECUTOR_INTERPRETER,
                             CT_ARGV(x));
    const ct_compared sum = value(a, "reduce");

    CHECK(sum.runs == 1 && sum.elements == 2 && sum.born.largest == 1 && sum.born.mean == 0.5);
    ct_context_free(ctx);
}

/* 2049 is no f16: it is 2048 there, and in steps of 1 one below. 2053 and 2051 are none either, and
 * become 2052, which is stored as 2052 / 2 + 5 = 1031; 1031.5 and 1030.5 are rounded to the even
 * 1032 and 1030. */
static ct_tensor *quantized(ct_tensor *x)
{
    const double scale[] = {1, 2};
    const int64_t zero[] = {0, 5};
    const ct_quantization q = {.storage = CT_I16,
                               .expressed = CT_F16,
                               .axis = 0,
                               .count = 2,
                               .scale = scale,
                               .zero_point = zero};

    return ct_op_uniform_quantize(ct_add(x, 1.0), q);
}

TEST(stored_integers_and_what_they_stand_for)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F16, CT_SHAPE(2, 2), {2048, 7, 2052, 2050});
    ct_accuracy *a = compare(ct_trace(ctx, quantized, CT_LIKE(x)), CT_EXECUTOR_MACHINE, CT_ARGV(x));
    const ct_compared y = ct_compared_result(a, 0), made = value(a, "uniform_quantize");

    CHECK_OK(ctx);
    CHECK_MSG(y.elements == 4 && y.differing == 3 && y.total.largest == 1 && y.total.mean == 0.75,
              "%s", ct_accuracy_text(a, 0));
    CHECK(y.worst == 0 && y.worst_machine == 2048 && y.worst_exact == 2049);
    CHECK(made.born.largest == 0 && made.inherited.largest == 1 && made.total.largest == 1);
    CHECK(
        strstr(ct_accuracy_text(a, 0),
               ": 3 of 4 elements differ; largest 1 steps, mean 0.75; element 0 is 2048 for 2049"));
    CHECK(strstr(ct_accuracy_text(a, 0), "born 0 steps, mean 0; inherited 1 steps, mean 0.75"));
    ct_context_free(ctx);
}

/* f32 overflows where the numbers do not; log brings it back. */
static ct_tensor *overflowing(ct_tensor *x)
{
    return ct_log(ct_mul(x, x));
}

TEST(what_overflows_is_infinitely_far)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1e30, 2});
    ct_accuracy *a = compare(ct_trace(ctx, overflowing, CT_LIKE(x)), CT_EXECUTOR_MACHINE,
                             CT_ARGV(x));
    const ct_compared product = value(a, "multiply"), result = ct_compared_result(a, 0);

    CHECK(product.total.infinite == 0); /* 1e60 rounds to infinity in f32 */
    CHECK(result.total.infinite == 1 && isinf(result.total.largest) && result.total.mean < 1);
    CHECK(value(a, "log").born.infinite == 0 && value(a, "log").inherited.infinite == 1);
    ct_context_free(ctx);
}

/* The branch depends on what f16 rounds away. */
static ct_tensor *deciding(ct_tensor *x)
{
    return ct_where(ct_gt(ct_add(x, 1.0), 1.0), ct_mul(x, 0.0), ct_mul(x, 2.0));
}

static ct_tensor *goes_on(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_lt(carry[0], 1.0);
}

static void step(void *user, ct_tensor **carry)
{
    (void)user;
    carry[0] = ct_add(carry[0], 0.1);
}

/* Ten times 0.1 is below 1 in f64, and above it exactly, for 0.1 is rounded up. */
static ct_tensor *counting(ct_tensor *x)
{
    ct_tensor *carry[] = {x};
    ct_while(goes_on, step, NULL, 1, carry);
    return carry[0];
}

TEST(other_ways)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F16, CT_SHAPE(2), {0x1p-12, 1}), *zero = ct_scalar(ctx, CT_F64, 0);
    ct_accuracy *a = compare(ct_trace(ctx, deciding, CT_LIKE(x)), CT_EXECUTOR_CPU, CT_ARGV(x));

    CHECK(value(a, "compare").differing == 1 && value(a, "compare").elements == 2);
    CHECK(ct_compared_same_way(a)); /* both sides of a select are computed */
    a = compare(ct_trace(ctx, counting, CT_LIKE(zero)), CT_EXECUTOR_MACHINE, CT_ARGV(zero));
    CHECK_OK(ctx);
    CHECK(!ct_compared_same_way(a) && value(a, "add").runs == 10);
    CHECK(strstr(ct_accuracy_text(a, 0), "the exact run goes another way"));
    ct_context_free(ctx);
}

static ct_tensor *logistic(ct_tensor *x)
{
    return ct_sigmoid(x);
}

/* The reference rounds each step of it, the machine once. */
TEST(either_numerics)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_linspace(ctx, CT_F32, -5, 5, 1000);
    ct_function *f = ct_trace(ctx, logistic, CT_LIKE(x));
    const ct_compared reference = ct_compared_result(compare(f, CT_EXECUTOR_DEFAULT, CT_ARGV(x)),
                                                     0);
    const ct_compared machine = ct_compared_result(compare(f, CT_EXECUTOR_MACHINE, CT_ARGV(x)), 0);

    CHECK(reference.total.largest > 0.5 && reference.total.largest < 2);
    CHECK(machine.total.largest > 0.4 && machine.total.largest < 2);
    CHECK(reference.total.mean != machine.total.mean);
    ct_context_free(ctx);
}

static ct_tensor *exponential(ct_tensor *x)
{
    return ct_op_exponential(x);
}

/* Beyond both ranges: what machine numbers make of it is right. */
TEST(overflow_of_both)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1e7, 1, -1e7});
    const ct_compared result = ct_compared_result(
        ct_compare(ct_trace(ctx, exponential, CT_LIKE(x)), CT_ARGV(x), NULL), 0);

    CHECK_OK(ctx);
    CHECK(result.elements == 3 && result.total.infinite == 0 && result.total.largest < 2);
    ct_context_free(ctx);
}

TEST(errors)
{
    static const ct_executor others[] = {CT_EXECUTOR_MPFR, CT_EXECUTOR_RATIONAL, (ct_executor)99,
                                         (ct_executor)-1};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(2)), *wide = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    ct_function *f = ct_trace(ctx, cancelling, CT_LIKE(x));

    CHECK(ct_compared_results(ct_compare(f, CT_NO_TENSORS, NULL)) == 0);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "compare: cancelling takes 1 argument, got 0");
    ct_compare(f, CT_ARGV(wide), NULL);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "compare: argument 0 of cancelling must be f32[2], got f64[2]");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const ct_compare_options options = {.size = sizeof options, .executor = others[i]};
        ct_compare(f, CT_ARGV(x), &options);
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "compare: there is no executor of machine numerics");
    }
    CHECK(ct_compared_values(NULL) == 0 && strcmp(ct_accuracy_text(NULL, 0), "") == 0);
    CHECK(ct_compared_result(NULL, 0).elements == 0);
    ct_context_free(ctx);
}

static void compare_with_failures(ct_context *ctx)
{
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {1, 2, 3, 1, 2, 3});
    ct_function *f = ct_trace(ctx, folded, CT_LIKE(x));
    ct_accuracy_text(ct_compare(f, CT_ARGV(x), NULL), 0);
}

TEST(any_allocation_may_fail)
{
    CHECK_ALLOCATIONS(compare_with_failures);
}
