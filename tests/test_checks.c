/* Comparing inside programs: rules, messages, probes. */
#include "tests/values.h"

#include <cotangent/checks.h>
#include <cotangent/elementwise.h>
#include <cotangent/exec.h>
#include <cotangent/op.h>
#include <cotangent/op_program.h>
#include <cotangent/shape.h>
#include <cotangent/trace.h>

#include <math.h>
#include <pthread.h>
#include <string.h>

static void call(ct_context *ctx, const char *target, const char *attributes, ct_list x)
{
    ct_op_custom_call(ctx, target, attributes, true, x, CT_NO_TENSORS, NULL);
}

/* A failure is one line, which holds this; NULL: it passes. */
static void check(int line, ct_context *ctx, const char *target, const char *attributes,
                  ct_tensor *x, ct_tensor *y, const char *part)
{
    ct_checks *checks = ct_checks_new(ctx);
    call(ctx, target, attributes, CT_ARGV(x, y));
    values_check_ok(__FILE__, line, ctx);
    if (ct_checks_done(checks) != 1 || ct_checks_failed(checks) != (part != NULL))
        check_fail(__FILE__, line, "%zu done, %zu failed: %s", ct_checks_done(checks),
                   ct_checks_failed(checks), ct_checks_failure(checks, 0));
    if (part &&
        (!strstr(ct_checks_failure(checks, 0), part) || strchr(ct_checks_failure(checks, 0), '\n')))
        check_fail(__FILE__, line, "%s", ct_checks_failure(checks, 0));
}

#define PASSES(target, attributes, x, y)                                                           \
    check(__LINE__, ctx, "check." target, attributes, x, y, NULL)
#define FAILS(target, attributes, x, y, part)                                                      \
    check(__LINE__, ctx, "check." target, attributes, x, y, part)

static ct_tensor *f32(ct_context *ctx, double value)
{
    return ct_scalar(ctx, CT_F32, value);
}

/* The float that is n steps above 1. */
static ct_tensor *above_one(ct_context *ctx, ct_dtype dtype, int n)
{
    double step = dtype == CT_F16    ? 0x1p-10
                  : dtype == CT_BF16 ? 0x1p-7
                  : dtype == CT_F32  ? 0x1p-23
                                     : 0x1p-52;
    return ct_scalar(ctx, dtype, 1 + n * step);
}

TEST(expect_eq)
{
    ct_context *ctx = ct_context_new();
    for (int d = 1; d < CT_DTYPE_COUNT; d++) {
        ct_dtype dtype = (ct_dtype)d;
        double other = dtype == CT_F8E8M0FNU ? 2 : 0; /* which has no zero */
        ct_tensor *zero = ct_full(ctx, dtype, CT_SHAPE(2, 3), other);
        ct_tensor *one = ct_ones(ctx, dtype, CT_SHAPE(2, 3));
        PASSES("expect_eq", NULL, one, ct_ones(ctx, dtype, CT_SHAPE(2, 3)));
        FAILS("expect_eq", NULL, zero, one, "6 of 6 elements of ");
    }
    PASSES("expect_eq", NULL, f32(ctx, -0.0), f32(ctx, 0));
    PASSES("expect_eq", NULL, f32(ctx, NAN), f32(ctx, -NAN));
    PASSES("expect_eq", NULL, f32(ctx, -INFINITY), f32(ctx, -INFINITY));
    FAILS("expect_eq", NULL, f32(ctx, NAN), f32(ctx, 1),
          "check.expect_eq: 1 of 1 element of f32[] differs, the first: nan and 1, "
          "no number of ulps apart");
    FAILS("expect_eq", NULL, f32(ctx, 1), above_one(ctx, CT_F32, 2), ", 2 ulps apart");
    FAILS("expect_eq", NULL, coded(ctx, CT_I32, 2, 3),
          given(ctx, CT_I32, CT_SHAPE(2, 3), {0, 1, 2, 10, -11, 13}),
          "2 of 6 elements of i32[2,3] differ, the first at [1, 1]: 11 and -11");
    const uint64_t big[] = {UINT64_MAX, UINT64_MAX - 1};
    FAILS("expect_eq", NULL, ct_from_data(ctx, CT_U64, CT_SHAPE(1), big),
          ct_from_data(ctx, CT_U64, CT_SHAPE(1), big + 1),
          "at [0]: 18446744073709551615 and 18446744073709551614");
    FAILS("expect_eq", NULL, ct_scalar(ctx, CT_BOOL, 1), ct_scalar(ctx, CT_BOOL, 0),
          "true and false");
    PASSES("expect_eq", NULL, ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3)),
           ct_ones(ctx, CT_F32, CT_SHAPE(0, 3)));
    ct_context_free(ctx);
}

TEST(expect_close)
{
    static const ct_dtype floats[] = {CT_F16, CT_BF16, CT_F32, CT_F64};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 4; i++) {
        ct_tensor *one = ct_scalar(ctx, floats[i], 1);
        PASSES("expect_close", NULL, one, above_one(ctx, floats[i], 3));
        FAILS("expect_close", NULL, one, above_one(ctx, floats[i], 4),
              ", 4 ulps apart (3 allowed)");
        PASSES("expect_close", "max_ulp_difference = 4 : i64", one, above_one(ctx, floats[i], 4));
        FAILS("expect_close", "max_ulp_difference = 0 : i64", one, above_one(ctx, floats[i], 1),
              ", 1 ulp apart (0 allowed)");
        FAILS("expect_close", "max_ulp_difference = 9, min_ulp_difference = 1", one, one,
              ", 0 ulps apart (1 to 9 are allowed)");
        PASSES("expect_close", "max_ulp_difference = 9, min_ulp_difference = 1", one,
               above_one(ctx, floats[i], 1));
    }
    PASSES("expect_close", NULL, f32(ctx, -0.0), f32(ctx, 0));
    PASSES("expect_close", NULL, f32(ctx, NAN), f32(ctx, NAN));
    PASSES("expect_close", NULL, f32(ctx, 0x1p-149), f32(ctx, -0x1p-148)); /* across 0 */
    FAILS("expect_close", NULL, f32(ctx, 0x1p-148), f32(ctx, -0x1p-148), ", 4 ulps apart");
    FAILS("expect_close", NULL, f32(ctx, INFINITY), f32(ctx, 0x1.fffffep127), "no number of ulps");
    FAILS("expect_close", NULL, f32(ctx, INFINITY), f32(ctx, -INFINITY), "inf and -inf");
    FAILS("expect_close", NULL, f32(ctx, NAN), f32(ctx, INFINITY), "no number of ulps");
    ct_context_free(ctx);
}

/* Small floats have their signs in bits of their own. */
TEST(expect_close_of_small_floats)
{
    ct_context *ctx = ct_context_new();
    for (int d = CT_F4E2M1FN; d < CT_F8E8M0FNU; d++) {
        ct_tensor *x = ct_scalar(ctx, (ct_dtype)d, 0.5), *y = ct_scalar(ctx, (ct_dtype)d, -0.5);
        PASSES("expect_close", "max_ulp_difference = 0", x, x);
        FAILS("expect_close", "max_ulp_difference = 0", x, y, "0.5 and -0.5, ");
    }
    FAILS("expect_close", "max_ulp_difference = 1", ct_scalar(ctx, CT_F4E2M1FN, 0.5),
          ct_scalar(ctx, CT_F4E2M1FN, -0.5), ", 2 ulps apart");
    FAILS("expect_close", "max_ulp_difference = 1", ct_scalar(ctx, CT_F8E8M0FNU, 0.5),
          ct_scalar(ctx, CT_F8E8M0FNU, 4), ", 3 ulps apart");
    ct_context_free(ctx);
}

TEST(the_worse_part_of_complex_elements)
{
    ct_context *ctx = ct_context_new();
    const float x[] = {1, 2, 3, 4}, y[] = {1, 2, 3, 0x1.000004p2F};
    const double z[] = {1, 2}, w[] = {1.25, 2};
    ct_tensor *a = ct_from_data(ctx, CT_C64, CT_SHAPE(2), x);
    ct_tensor *b = ct_from_data(ctx, CT_C64, CT_SHAPE(2), y);
    FAILS("expect_close", "max_ulp_difference = 1", a, b,
          "1 of 2 elements of c64[2] differs, the first at [1]: (3, 4) and (3, 4.000001), 2 ulps");
    PASSES("expect_close", NULL, a, b);
    FAILS("expect_almost_eq", "tolerance = 0.2 : f64", ct_from_data(ctx, CT_C128, CT_SHAPE(1), z),
          ct_from_data(ctx, CT_C128, CT_SHAPE(1), w), "differing by 0.25 (0.2 allowed)");
    ct_context_free(ctx);
}

TEST(expect_almost_eq)
{
    ct_context *ctx = ct_context_new();
    PASSES("expect_almost_eq", NULL, f32(ctx, 1), f32(ctx, 1.0009765625));
    FAILS("expect_almost_eq", NULL, f32(ctx, 1), f32(ctx, 1.0078125),
          "differing by 0.0078125 (0.001 allowed)");
    FAILS("expect_almost_eq", "tolerance = 1.000000e-04 : f64", f32(ctx, 1), f32(ctx, 1.0009765625),
          "(0.0001 allowed)");
    PASSES("expect_almost_eq", NULL, f32(ctx, NAN), f32(ctx, NAN));
    PASSES("expect_almost_eq", NULL, f32(ctx, INFINITY), f32(ctx, INFINITY));
    FAILS("expect_almost_eq", "tolerance = 1.0e300", f32(ctx, INFINITY), f32(ctx, 1), "inf and 1");
    FAILS("expect_almost_eq", NULL, f32(ctx, NAN), f32(ctx, 1), "nan and 1");
    ct_context_free(ctx);
}

static double eq(ct_context *ctx, ct_tensor *x, ct_tensor *y)
{
    ct_tensor *answer;
    ct_op_custom_call(ctx, "check.eq", NULL, false, CT_ARGV(x, y),
                      CT_LIKE(ct_spec(ctx, CT_BOOL, CT_SHAPE())), &answer);
    return ct_item(answer);
}

TEST(eq_answers)
{
    ct_context *ctx = ct_context_new();
    ct_checks *checks = ct_checks_new(ctx);
    CHECK(eq(ctx, f32(ctx, 1), f32(ctx, 1.00006103515625)) == 1);
    CHECK(eq(ctx, f32(ctx, 1), f32(ctx, 1.0001220703125)) == 0);
    CHECK(eq(ctx, coded(ctx, CT_I8, 2), coded(ctx, CT_I8, 2)) == 1);
    CHECK(eq(ctx, coded(ctx, CT_I8, 2), ct_zeros(ctx, CT_I8, CT_SHAPE(2))) == 0);
    CHECK_OK(ctx);
    CHECK(ct_checks_done(checks) == 4 && ct_checks_failed(checks) == 2);
    ct_context_free(ctx);
}

TEST(what_is_not_compared)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *n = coded(ctx, CT_I32, 2, 3);
    call(ctx, "check.expect_eq", NULL, CT_ARGV(x, x));
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "check.expect_eq"); /* nobody collects yet */
    ct_checks *checks = ct_checks_new(ctx);
    call(ctx, "check.expect_eq", NULL, CT_ARGV(x, n));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "f32[2,3] and i32[2,3] are not compared");
    call(ctx, "check.expect_eq", NULL, CT_ARGV(x, ct_transpose(x, CT_AXES(1, 0))));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "f32[2,3] and f32[3,2] are not compared");
    call(ctx, "check.expect_eq", NULL, CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "two operands");
    call(ctx, "check.expect_close", NULL, CT_ARGV(n, n));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "only floats");
    call(ctx, "check.expect_almost_eq", NULL, CT_ARGV(n, n));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "only floats");
    call(ctx, "check.expect_close", "max_ulp_difference = -1", CT_ARGV(x, x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "bounds in ulps");
    CHECK(ct_checks_done(checks) == 0);
    ct_context_free(ctx);
}

/* ---- Probes. */

static ct_tensor *probed(ct_context *ctx, const char *id, ct_tensor *x)
{
    ct_tensor *same;
    ct_op_custom_call(ctx, "interpreter.probe", id, true, CT_ARGV(x), CT_LIKE(x), &same);
    return same;
}

TEST(probes)
{
    ct_context *ctx = ct_context_new();
    ct_checks *checks = ct_checks_new(ctx);
    ct_tensor *x = coded(ctx, CT_I64, 2), *y = ct_add(x, 1), *z = ct_add(x, 2);
    CHECK_BITS(probed(ctx, "probe_id = \"a\"", x), x);
    probed(ctx, "probe_id = \"b\"", z);
    probed(ctx, "probe_id = \"a\"", y);
    call(ctx, "check.expect_serialized_eq", "probe_id = \"a\", iter = 0 : i64", CT_ARGV(x));
    call(ctx, "check.expect_serialized_eq", "probe_id = \"a\", iter = 1 : i64", CT_ARGV(y));
    call(ctx, "check.expect_serialized_eq", "probe_id = \"a\"", CT_ARGV(y));
    call(ctx, "check.expect_serialized_eq", "probe_id = \"b\"", CT_ARGV(z));
    CHECK(ct_checks_done(checks) == 4 && ct_checks_failed(checks) == 0);
    call(ctx, "check.expect_serialized_eq", "probe_id = \"b\"", CT_ARGV(x));
    CHECK_OK(ctx);
    CHECK(strstr(ct_checks_failure(checks, 0), "check.expect_serialized_eq: 2 of 2 elements"));
    call(ctx, "check.expect_serialized_eq", "probe_id = \"a\", iter = 2 : i64", CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "nothing was stored");
    call(ctx, "check.expect_serialized_eq", "iter = 2 : i64", CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "no probe_id");
    call(ctx, "check.expect_serialized_eq", "probe_id = \"a\"", CT_ARGV(coded(ctx, CT_I64, 3)));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "another type");
    ct_checks_clear(checks);
    CHECK(ct_checks_done(checks) == 0 && ct_checks_failed(checks) == 0);
    call(ctx, "check.expect_serialized_eq", "probe_id = \"b\"", CT_ARGV(z));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "nothing was stored");
    ct_context_free(ctx);
}

TEST(printed)
{
    ct_context *ctx = ct_context_new();
    ct_checks *checks = ct_checks_new(ctx);
    call(ctx, "interpreter.print", NULL, CT_ARGV(coded(ctx, CT_I8, 2, 3)));
    call(ctx, "interpreter.print", NULL, CT_ARGV(f32(ctx, -0.5)));
    call(ctx, "interpreter.print", NULL, CT_ARGV(ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0))));
    CHECK_OK(ctx);
    CHECK_MSG(strcmp(ct_checks_printed(checks),
                     "i8[2,3] [[0, 1, 2], [10, 11, 12]]\nf32[] -0.5\nf32[2,0] []\n") == 0,
              "%s", ct_checks_printed(checks));
    ct_checks_clear(checks);
    call(ctx, "interpreter.print", NULL, CT_ARGV(ct_zeros(ctx, CT_BOOL, CT_SHAPE(2000))));
    CHECK(strstr(ct_checks_printed(checks), ", false, ...]\n"));
    ct_context_free(ctx);
}

/* ---- Programs. */

static void program(void *user, ct_list p, ct_tensor **result)
{
    ct_context *ctx = user;
    ct_tensor *answer;
    call(ctx, "check.expect_eq", NULL, p);
    ct_op_custom_call(ctx, "check.eq", NULL, false, p, CT_LIKE(ct_spec(ctx, CT_BOOL, CT_SHAPE())),
                      &answer);
    result[0] = answer;
}

static ct_executable *compiled(ct_context *ctx)
{
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(2));
    return ct_compile(ct_trace_many(ctx, program, ctx, 1, CT_LIKE(x, x)), NULL);
}

static void *run_often(void *f)
{
    const float x[] = {1, 2}, y[] = {1, 3};
    unsigned char answer;
    ct_instance *instance = ct_instance_new(f);
    ct_bind_input(instance, 0, x, sizeof x);
    ct_bind_input(instance, 1, y, sizeof y);
    ct_bind_output(instance, 0, &answer, 1);
    for (int i = 0; i < 200; i++)
        ct_run(instance);
    ct_instance_free(instance);
    return NULL;
}

TEST(programs_in_threads)
{
    ct_context *ctx = ct_context_new();
    ct_checks *checks = ct_checks_new(ctx);
    ct_executable *f = compiled(ctx);
    pthread_t thread[3];
    CHECK_OK(ctx);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&thread[i], NULL, run_often, f) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    CHECK(ct_checks_done(checks) == 1200 && ct_checks_failed(checks) == 1200);
    ct_context_free(ctx);
}

TEST(poison)
{
    ct_context *ctx = ct_context_new();
    ct_checks *checks = ct_checks_new(NULL);
    CHECK(ct_checks_done(checks) == 0 && ct_checks_failed(NULL) == 0);
    CHECK(*ct_checks_failure(checks, 0) == '\0' && *ct_checks_printed(checks) == '\0');
    ct_checks_clear(checks);
    ct_checks_clear(NULL);
    ct_context_free(ctx);
}

static void check_and_probe(ct_context *ctx)
{
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);
    ct_checks *checks = ct_checks_new(ctx);
    call(ctx, "check.expect_eq", NULL, CT_ARGV(x, ct_zeros(ctx, CT_F32, CT_SHAPE(2, 3))));
    probed(ctx, "probe_id = \"a\"", x);
    call(ctx, "interpreter.print", NULL, CT_ARGV(x));
    CHECK(ct_failed(ctx) || ct_checks_failed(checks) == 1);
}

TEST(memory_that_runs_out)
{
    CHECK_ALLOCATIONS(check_and_probe);
}
