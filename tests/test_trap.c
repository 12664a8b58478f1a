/* Where trouble is born. What is expected follows from the arguments by hand: log(-1) is the only
 * NaN, 100 + 100 the only i8 that does not fit, and so on. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const ct_executor executors[] = {CT_EXECUTOR_DEFAULT, CT_EXECUTOR_INTERPRETER,
                                        CT_EXECUTOR_MACHINE, CT_EXECUTOR_CPU, CT_EXECUTOR_JIT};

/* In every executor the run ends so. NULL: it does not end before its end. */
static void check_function(int line, ct_function *f, ct_list arguments, unsigned traps,
                           const char *expected)
{
    ct_context *ctx = ct_function_context(f);

    for (size_t i = 0; i < sizeof executors / sizeof *executors; i++) {
        const ct_compile_options options = {
            .size = sizeof options, .executor = executors[i], .traps = traps};
        ct_executable *x = ct_compile(f, &options);
        ct_tensor *result[4];
        ct_call(x, arguments, result, ct_executable_results(x));
        const char *message = ct_error_message(ctx);
        if (expected)
            CHECK_MSG(ct_error_status(ctx) == CT_ERR_TRAP && strstr(message, expected),
                      "line %d, executor %d: %s", line, (int)executors[i], message);
        else
            CHECK_MSG(!ct_failed(ctx), "line %d: %s", line, message);
        ct_error_clear(ctx);
    }
}

#define CHECK_TRAP(f, arguments, traps, expected)                                                  \
    check_function(__LINE__, ct_trace(ctx, f, arguments), arguments, traps, expected)

/* ---- NaN. */

static ct_tensor *logarithm(ct_tensor *x)
{
    return ct_sum(ct_log(ct_add(x, 0.0)), CT_AXES(1), CT_DROP_AXES);
}

static ct_tensor *folded(ct_tensor *x)
{
    return ct_sum(ct_mul(ct_transpose(x, CT_AXES(1, 0)), 2.0), CT_AXES(0), CT_DROP_AXES);
}

TEST(nans)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *bad = given(ctx, CT_F32, CT_SHAPE(2, 3), {1, 2, 3, 4, -1, 6});
    ct_tensor *with = given(ctx, CT_F32, CT_SHAPE(2, 3), {1, NAN, 3, 4, -INFINITY, 6});

    CHECK_TRAP(logarithm, CT_ARGV(bad), CT_TRAP_NAN, "log: nan born at [1,1] of f32[2,3]");
    CHECK_TRAP(logarithm, CT_ARGV(bad), CT_TRAP_ALL, "\n    x = -1");
    CHECK_TRAP(logarithm, CT_ARGV(bad), CT_TRAP_ALL & ~CT_TRAP_NAN, NULL);
    /* the NaN among the arguments arrives everywhere, and is born nowhere */
    CHECK_TRAP(folded, CT_ARGV(with), CT_TRAP_ALL, NULL);
    /* -inf gives a NaN, and that is a birth; the older NaN at [0,1] is none */
    CHECK_TRAP(logarithm, CT_ARGV(with), CT_TRAP_ALL, "log: nan born at [1,1] of f32[2,3]");
    CHECK_TRAP(logarithm, CT_ARGV(with), CT_TRAP_ALL, "\n    x = -inf");
    ct_context_free(ctx);
}

static ct_tensor *product(ct_tensor *x, ct_tensor *w)
{
    return ct_matmul(x, w);
}

/* Row 0 has a NaN; row 1 an infinity, which 0 makes one. */
TEST(nans_of_sums_of_products)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {NAN, 1, INFINITY, 1, 2, 3});
    ct_tensor *w = given(ctx, CT_F64, CT_SHAPE(2, 2), {0, 1, 1, 1});
    ct_tensor *ones = given(ctx, CT_F64, CT_SHAPE(2, 2), {1, 1, 1, 1});

    CHECK_TRAP(product, CT_ARGV(x, w), CT_TRAP_NAN, "dot_general: nan born at [1,0] of f64[3,2]");
    CHECK_TRAP(product, CT_ARGV(x, w), CT_TRAP_NAN, "\n    y f64[2,2] = [0, 1, 1, 1]");
    CHECK_TRAP(product, CT_ARGV(x, ones), CT_TRAP_ALL, NULL);
    ct_context_free(ctx);
}

/* ---- Infinities. */

static ct_tensor *exponential(ct_tensor *x)
{
    return ct_add(ct_exp(x), 1.0);
}

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *largest(ct_tensor *x)
{
    return ct_max(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *narrowed(ct_tensor *x)
{
    return ct_cast(x, CT_F16);
}

TEST(infinities)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {INFINITY, 1, 89});
    ct_tensor *large = given(ctx, CT_F32, CT_SHAPE(2), {3e38, 3e38});
    ct_tensor *least = given(ctx, CT_F32, CT_SHAPE(2), {-INFINITY, -INFINITY});

    CHECK_TRAP(exponential, CT_ARGV(x), CT_TRAP_INFINITY,
               "exponential: infinity born at [2] of f32[3]");
    CHECK_TRAP(exponential, CT_ARGV(x), CT_TRAP_INFINITY, "\n    x = 89");
    CHECK_TRAP(exponential, CT_ARGV(x), CT_TRAP_ALL & ~CT_TRAP_INFINITY, NULL);
    CHECK_TRAP(total, CT_ARGV(large), CT_TRAP_ALL, "reduce: infinity born in f32[]");
    CHECK_TRAP(total, CT_ARGV(x), CT_TRAP_ALL, NULL);
    CHECK_TRAP(largest, CT_ARGV(least), CT_TRAP_ALL, NULL);
    CHECK_TRAP(narrowed, CT_ARGV(large), CT_TRAP_ALL, "convert: infinity born at [0] of f16[2]");
    ct_context_free(ctx);
}

/* ---- Integers. */

static ct_tensor *plus(ct_tensor *x, ct_tensor *y)
{
    return ct_op_add(x, y);
}

static ct_tensor *times(ct_tensor *x, ct_tensor *y)
{
    return ct_op_multiply(x, y);
}

static ct_tensor *over(ct_tensor *x, ct_tensor *y)
{
    return ct_op_divide(x, y);
}

static ct_tensor *rest(ct_tensor *x, ct_tensor *y)
{
    return ct_op_remainder(x, y);
}

static ct_tensor *power(ct_tensor *x, ct_tensor *y)
{
    return ct_op_power(x, y);
}

static ct_tensor *magnitude(ct_tensor *x)
{
    return ct_op_abs(x);
}

static ct_tensor *as_i8(ct_tensor *x)
{
    return ct_cast(x, CT_I8);
}

TEST(overflows)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I8, CT_SHAPE(3), {27, -28, 100});
    ct_tensor *y = given(ctx, CT_I8, CT_SHAPE(3), {100, -100, 28});
    ct_tensor *low = given(ctx, CT_I8, CT_SHAPE(2), {-127, -128});
    ct_tensor *minus = given(ctx, CT_I8, CT_SHAPE(2), {-1, -1});
    ct_tensor *u = given(ctx, CT_U8, CT_SHAPE(2), {200, 255});
    ct_tensor *large = given(ctx, CT_I64, CT_SHAPE(2), {0x1p31, 0x1p32});
    ct_tensor *three = given(ctx, CT_I64, CT_SHAPE(2), {-3, 3});
    ct_tensor *n = given(ctx, CT_I64, CT_SHAPE(2), {39, 40}); /* 3^39 < 2^63 < 3^40 */
    ct_tensor *real = given(ctx, CT_F64, CT_SHAPE(2), {127.9, -129});

    CHECK_TRAP(plus, CT_ARGV(x, y), CT_TRAP_OVERFLOW, "add: integer overflow at [2] of i8[3]");
    CHECK_TRAP(plus, CT_ARGV(x, y), CT_TRAP_ALL, "\n    x = 100\n    y = 28");
    CHECK_TRAP(plus, CT_ARGV(x, y), CT_TRAP_ALL & ~CT_TRAP_OVERFLOW, NULL);
    CHECK_TRAP(plus, CT_ARGV(u, u), CT_TRAP_ALL, NULL); /* wraps by definition */
    CHECK_TRAP(magnitude, CT_ARGV(low), CT_TRAP_ALL, "abs: integer overflow at [1] of i8[2]");
    CHECK_TRAP(over, CT_ARGV(low, minus), CT_TRAP_ALL, "divide: integer overflow at [1]");
    CHECK_TRAP(times, CT_ARGV(large, large), CT_TRAP_ALL, "multiply: integer overflow at [1]");
    CHECK_TRAP(power, CT_ARGV(three, n), CT_TRAP_ALL, "power: integer overflow at [1] of i64[2]");
    CHECK_TRAP(as_i8, CT_ARGV(real), CT_TRAP_ALL, "convert: integer overflow at [1] of i8[2]");
    CHECK_TRAP(as_i8, CT_ARGV(n), CT_TRAP_ALL, NULL);
    CHECK_TRAP(as_i8, CT_ARGV(large), CT_TRAP_ALL, "\n    x = 2147483648");
    ct_context_free(ctx);
}

TEST(divisions_by_zero)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_I32, CT_SHAPE(2), {7, 0});
    ct_tensor *y = given(ctx, CT_I32, CT_SHAPE(2), {2, 0});
    ct_tensor *a = given(ctx, CT_F32, CT_SHAPE(3), {0, 1, -2.5});
    ct_tensor *b = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, -0.0});

    CHECK_TRAP(over, CT_ARGV(x, y), CT_TRAP_DIVISION, "divide: division by zero at [1] of i32[2]");
    CHECK_TRAP(rest, CT_ARGV(x, y), CT_TRAP_ALL, "remainder: division by zero at [1] of i32[2]");
    CHECK_TRAP(over, CT_ARGV(a, b), CT_TRAP_DIVISION, "divide: division by zero at [2] of f32[3]");
    CHECK_TRAP(over, CT_ARGV(a, b), CT_TRAP_ALL, "\n    x = -2.5\n    y = -0");
    CHECK_TRAP(over, CT_ARGV(a, b), CT_TRAP_INFINITY, "divide: infinity born at [2] of f32[3]");
    CHECK_TRAP(over, CT_ARGV(a, b), CT_TRAP_NAN | CT_TRAP_OVERFLOW, NULL);
    ct_context_free(ctx);
}

/* ---- Indices. */

static ct_tensor *taken(ct_tensor *x, ct_tensor *at)
{
    return ct_take(x, at, 0, CT_CLAMP);
}

static ct_tensor *window(ct_tensor *x, ct_tensor *at)
{
    return ct_dynamic_slice(x, CT_ARGV(at), CT_SHAPE(2), CT_CLAMP);
}

TEST(indices)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 3, 4});
    ct_tensor *at = given(ctx, CT_I32, CT_SHAPE(3), {3, 0, 4});
    ct_tensor *good = given(ctx, CT_I32, CT_SHAPE(3), {3, 0, 2});
    ct_tensor *three = given(ctx, CT_I64, CT_SHAPE(), {3});

    CHECK_TRAP(taken, CT_ARGV(x, at), CT_TRAP_INDEX, "gather: 1 of 3 indices are out of range");
    CHECK_TRAP(taken, CT_ARGV(x, at), CT_TRAP_ALL, "is 4");
    CHECK_TRAP(taken, CT_ARGV(x, at), CT_TRAP_ALL & ~CT_TRAP_INDEX, NULL);
    CHECK_TRAP(taken, CT_ARGV(x, good), CT_TRAP_ALL, NULL);
    CHECK_TRAP(window, CT_ARGV(x, three), CT_TRAP_ALL, "dynamic_slice: 1 of 1 indices are out of");
    ct_context_free(ctx);
}

/* ---- Derivatives. */

static ct_tensor *roots(ct_tensor *x)
{
    return ct_sum(ct_sqrt(x), CT_ALL_AXES, CT_DROP_AXES);
}

/* 1e-30 · 1e30 · 1e30 fits in f32; the cotangent 1e30 · 1e30 does not. */
static ct_tensor *scaled(ct_tensor *x, ct_tensor *a)
{
    return ct_sum(ct_mul(ct_mul(x, a), a), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(derivatives)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 4, 0});
    ct_tensor *small = given(ctx, CT_F32, CT_SHAPE(2), {1e-30, 2e-30});
    ct_tensor *a = given(ctx, CT_F32, CT_SHAPE(), {1e30});
    ct_function *f = ct_trace(ctx, roots, CT_ARGV(x)),
                *g = ct_trace(ctx, scaled, CT_ARGV(small, a));

    check_function(__LINE__, f, CT_ARGV(x), CT_TRAP_ALL, NULL);
    check_function(__LINE__, ct_grad(f, CT_ARGS(0)), CT_ARGV(x), CT_TRAP_ALL,
                   "divide: division by zero at [2] of f32[3], in the derivative of sqrt");
    check_function(__LINE__, g, CT_ARGV(small, a), CT_TRAP_ALL, NULL);
    check_function(__LINE__, ct_grad(g, CT_ARGS(0)), CT_ARGV(small, a), CT_TRAP_ALL,
                   "infinity born at [0] of f32[2], in the backward derivative of multiply");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The forward operation's line is the backward one's place. */
TEST(places_of_derivatives)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *small = given(ctx, CT_F32, CT_SHAPE(2), {1e-30, 2e-30});
    ct_tensor *a = given(ctx, CT_F32, CT_SHAPE(), {1e30});
    ct_function *g = ct_grad(ct_trace(ctx, scaled, CT_ARGV(small, a)), CT_ARGS(0));
    const ct_compile_options options = {.size = sizeof options, .traps = CT_TRAP_ALL};

    ct_call1(ct_compile(g, &options), CT_ARGV(small, a));
    CHECK(ct_failed(ctx) && strstr(ct_error_place(ctx).file, "test_trap.c") != NULL);
    ct_context_free(ctx);
}

/* ---- Loops and branches. */

static void shrink(void *user, ct_tensor *i, ct_tensor **carry)
{
    (void)user, (void)i;
    carry[0] = ct_sub(ct_log(carry[0]), 0.0);
}

/* From 1 on 0, -inf, NaN; from 4 on 1.39, 0.33, -1.12, NaN. */
static ct_tensor *logarithms(ct_tensor *x)
{
    ct_tensor *carry[] = {x};

    ct_for(shrink, NULL, ct_scalar(ct_context_of(x), CT_I64, 9), 1, carry);
    return carry[0];
}

static ct_tensor *logarithms_now(void *user)
{
    return logarithms(user);
}

static ct_tensor *nothing(void *user)
{
    return user;
}

static ct_tensor *chosen(ct_tensor *x)
{
    return ct_if(ct_gt(x, 2.0), logarithms_now, nothing, x);
}

TEST(iterations)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(), {1}), *four;

    CHECK_TRAP(logarithms, CT_ARGV(x), CT_TRAP_INFINITY, "in iteration 1 of for, ");
    CHECK_TRAP(logarithms, CT_ARGV(x), CT_TRAP_INFINITY, "log: infinity born in f64[]\n    x = 0");
    CHECK_TRAP(logarithms, CT_ARGV(x), CT_TRAP_NAN, "log: nan born in f64[]\n    x = -inf");
    CHECK_TRAP(logarithms, CT_ARGV(x), CT_TRAP_NAN, "in iteration 2 of for, ");
    four = given(ctx, CT_F64, CT_SHAPE(), {4});
    CHECK_TRAP(chosen, CT_ARGV(four), CT_TRAP_NAN, "in iteration 3 of for, ");
    CHECK_TRAP(chosen, CT_ARGV(four), CT_TRAP_NAN, "\n    in a branch of if, ");
    CHECK_TRAP(chosen, CT_ARGV(x), CT_TRAP_ALL, NULL);
    ct_context_free(ctx);
}

static void step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    carry[0] = ct_div(carry[0], x[0]);
    y[0] = carry[0];
}

static ct_tensor *quotients(ct_tensor *x)
{
    ct_tensor *carry[] = {ct_scalar(ct_context_of(x), CT_F32, 1)}, *ys;

    ct_scan(step, NULL, .length = 4, .n_carry = 1, .carry = carry, .xs = CT_ARGV(x), .n_ys = 1,
            .ys = &ys);
    return ct_sum(ys, CT_ALL_AXES, CT_DROP_AXES);
}

TEST(iterations_of_scans)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(4), {1, 2, 0, 3});
    ct_tensor *tiny = given(ctx, CT_F32, CT_SHAPE(4), {1, 1e-25, 1e10, 1});
    ct_function *f = ct_trace(ctx, quotients, CT_ARGV(x));

    check_function(__LINE__, f, CT_ARGV(x), CT_TRAP_ALL, "in iteration 2 of scan, ");
    check_function(__LINE__, f, CT_ARGV(tiny), CT_TRAP_ALL, NULL);
    /* d(1/x)/dx is -1/x², which is 1e50 at 1e-25 */
    check_function(__LINE__, ct_grad(f, CT_ARGS(0)), CT_ARGV(tiny), CT_TRAP_ALL,
                   "derivative of divide");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Options, bits, instances, memory. */

TEST(options)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1), {1});
    ct_function *f = ct_trace(ctx, exponential, CT_ARGV(x));
    ct_compile_options options = {.size = sizeof options, .traps = 64};

    CHECK(ct_executable_is_poison(ct_compile(f, &options)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "compile: there is no trap 64");
    options = (ct_compile_options){
        .size = sizeof options, .executor = CT_EXECUTOR_MPFR, .traps = CT_TRAP_NAN};
    CHECK(ct_executable_is_poison(ct_compile(f, &options)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "compile: ");
    options.executor = (ct_executor)77;
    CHECK(ct_executable_is_poison(ct_compile(f, &options)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "compile: there is no executor 77");
    CHECK(strcmp(ct_status_name(CT_ERR_TRAP), "trap") == 0);
    ct_context_free(ctx);
}

static ct_tensor *mixed(ct_tensor *x)
{
    ct_tensor *y = ct_softmax(ct_matmul(ct_tanh(x), ct_transpose(x, CT_AXES(1, 0))), CT_AXES(1));
    return ct_sum(ct_mul(y, ct_sin(y)), CT_ALL_AXES, CT_DROP_AXES);
}

/* Looking changes no bit. */
TEST(bits)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(33, 65));
    ct_function *f = ct_grad(ct_trace(ctx, mixed, CT_ARGV(x)), CT_ARGS(0));

    for (size_t i = 0; i < sizeof executors / sizeof *executors; i++) {
        const ct_compile_options plain = {.size = sizeof plain, .executor = executors[i]};
        ct_compile_options looking = plain;
        looking.traps = CT_TRAP_ALL;
        CHECK_BITS(ct_call1(ct_compile(f, &looking), CT_ARGV(x)),
                   ct_call1(ct_compile(f, &plain), CT_ARGV(x)));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(instances)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {1, 710});
    const ct_compile_options options = {.size = sizeof options, .traps = CT_TRAP_INFINITY};
    ct_instance *instance = ct_instance_new(
        ct_compile(ct_trace(ctx, exponential, CT_ARGV(x)), &options));
    double in[2] = {1, 710}, out[2];

    CHECK(ct_bind_input(instance, 0, in, sizeof in) == CT_OK);
    CHECK(ct_bind_output(instance, 0, out, sizeof out) == CT_OK);
    CHECK(ct_run(instance) == CT_ERR_TRAP);
    CHECK(strstr(ct_instance_error(instance), "exponential: infinity born at [1] of f64[2]"));
    CHECK(strstr(ct_instance_error(instance), "x = 710"));
    in[1] = 2;
    CHECK(ct_run(instance) == CT_OK && fabs(out[1] - (exp(2) + 1)) < 1e-12);
    ct_instance_free(instance);
    ct_context_free(ctx);
}

static void trap_with_failures(ct_context *ctx)
{
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {NAN, 1, INFINITY, 1, 2, 3});
    ct_tensor *w = given(ctx, CT_F64, CT_SHAPE(2, 2), {1, 1, 1, 1});
    const ct_compile_options options = {.size = sizeof options, .traps = CT_TRAP_ALL};

    ct_call1(ct_compile(ct_trace(ctx, product, CT_ARGV(x, w)), &options), CT_ARGV(x, w));
}

TEST(short_memory)
{
    CHECK_ALLOCATIONS(trap_with_failures);
}
