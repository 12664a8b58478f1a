/* Custom calls, found when a program is compiled or run; and composites. */
#include "tests/derivatives.h"

#include <cotangent/ad.h>
#include <cotangent/custom.h>
#include <cotangent/elementwise.h>
#include <cotangent/exec.h>
#include <cotangent/op.h>
#include <cotangent/op_program.h>
#include <cotangent/reduce.h>
#include <cotangent/trace.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- Functions that programs call. */

/* y = factor x, for f32; the factor is the user's. */
static ct_status times(void *user, ct_custom_call *call)
{
    const float *x = call->operand[0], factor = *(const float *)user;
    float *y = call->result[0];
    ct_shape shape = ct_type_shape(call->operand_type[0]);
    int64_t size = 1;

    if (call->n_operands != 1 || call->n_results != 1 ||
        ct_type_dtype(call->operand_type[0]) != CT_F32 ||
        ct_type_dtype(call->result_type[0]) != CT_F32) {
        snprintf(call->message, sizeof call->message, "wants f32");
        return CT_ERR_TYPE;
    }
    for (size_t d = 0; d < shape.count; d++)
        size *= shape.dim[d];
    for (int64_t i = 0; i < size; i++)
        y[i] = factor * x[i];
    return CT_OK;
}

static ct_status count_calls(void *user, ct_custom_call *call)
{
    (void)call;
    atomic_fetch_add((atomic_int *)user, 1);
    return CT_OK;
}

static ct_status fail_with(void *user, ct_custom_call *call)
{
    const char *message = ct_custom_number(call, "silent", 0) != 0 ? "" : "no luck today";

    snprintf(call->message, sizeof call->message, "%s", message);
    return (ct_status) * (const int *)user;
}

/* x -> @target(x), of x's type. */
static ct_tensor *call_of(ct_place at, const char *target, ct_tensor *x)
{
    ct_tensor *y = NULL;
    ct_op_custom_call_at(at, NULL, target, NULL, false, CT_ARGV(x), CT_LIKE(x), &y);
    return y;
}

static const ct_place here = {"program.c", 12, 0};

static ct_function *program_of(ct_context *ctx, const char *target, ct_tensor *like)
{
    ct_trace_builder *b = ct_trace_begin(ctx, "program", CT_LIKE(like));
    return ct_trace_end(b, CT_ARGV(call_of(here, target, ct_trace_parameter(b, 0))));
}

/* ---- Finding. */

TEST(called_at_once_and_compiled)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3});
    float two = 2;

    ct_register_custom_call(ctx, "times", times, &two);
    CHECK_VALUES(call_of(here, "times", x), CT_SHAPE(3), {2, 4, 6});
    ct_executable *f = ct_compile(program_of(ctx, "times", x), NULL);
    CHECK_VALUES(ct_call1(f, CT_ARGV(x)), CT_SHAPE(3), {2, 4, 6});
    CHECK_EMPTY(call_of(here, "times", ct_zeros(ctx, CT_F32, CT_SHAPE(4, 0))), CT_SHAPE(4, 0));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A later registration replaces an earlier one; what is compiled keeps what it found. */
TEST(registered_twice)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1), {1});
    float two = 2, five = 5;
    char name[] = "times";

    ct_register_custom_call(ctx, name, times, &two);
    name[0] = '?'; /* the name is copied */
    ct_executable *f = ct_compile(program_of(ctx, "times", x), NULL);
    ct_register_custom_call(ctx, "times", times, &five);
    CHECK_VALUES(call_of(here, "times", x), CT_SHAPE(1), {5});
    CHECK_VALUES(ct_call1(f, CT_ARGV(x)), CT_SHAPE(1), {2});
    ct_register_custom_call(ctx, "times", NULL, NULL);
    CHECK_VALUES(ct_call1(f, CT_ARGV(x)), CT_SHAPE(1), {2});
    call_of(here, "times", x);
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED,
                "program.c:12: custom_call: no function is registered for target @times");
    ct_context_free(ctx);
}

/* Removing one leaves the others. */
TEST(removed)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1), {1});
    float factor[] = {2, 3, 4};
    static const char *const name[] = {"a", "b", "c"};

    for (int i = 0; i < 3; i++)
        ct_register_custom_call(ctx, name[i], times, &factor[i]);
    ct_register_custom_call(ctx, "a", NULL, NULL);
    ct_register_custom_call(ctx, "never", NULL, NULL);
    CHECK_VALUES(call_of(here, "b", x), CT_SHAPE(1), {3});
    CHECK_VALUES(call_of(here, "c", x), CT_SHAPE(1), {4});
    call_of(here, "a", x);
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "target @a");
    ct_context_free(ctx);
}

TEST(unknown_target)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1), {1});

    ct_function *f = program_of(ctx, "nobody", x);
    CHECK_OK(ctx); /* tracing asks for nothing */
    ct_compile(f, NULL);
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED,
                "program.c:12: custom_call: no function is registered for target @nobody");
    ct_apply1(f, CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "target @nobody");
    call_of(here, "", x);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "call_target_name is missing"); /* C1 */
    call_of(here, NULL, x);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "call_target_name is missing"); /* C1 */
    ct_context_free(ctx);
}

TEST(registering_wrongly)
{
    ct_context *ctx = ct_context_new();

    ct_register_custom_call(ctx, NULL, times, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "the target has no name");
    ct_register_custom_call(ctx, "", times, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "the target has no name");
    ct_register_custom_call(NULL, "x", times, NULL);
    ct_context_free(ctx);
}

/* ---- Failing. */

TEST(failures_are_errors_with_a_place)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1), {1}), *y = NULL;
    int status = CT_ERR_INDEX;

    ct_register_custom_call(ctx, "fails", fail_with, &status);
    ct_executable *f = ct_compile(program_of(ctx, "fails", x), NULL);
    CHECK(ct_is_poison(ct_call1(f, CT_ARGV(x))));
    CHECK_ERROR(ctx, CT_ERR_INDEX, "program.c:12: custom_call: @fails: no luck today");
    call_of(here, "fails", x);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "program.c:12: custom_call: @fails: no luck today");
    ct_op_custom_call(ctx, "fails", "silent", false, CT_ARGV(x), CT_LIKE(x), &y);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "@fails: failed without a message");
    status = 12345; /* no such status */
    call_of(here, "fails", x);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "@fails: no luck today");
    status = -1;
    call_of(here, "fails", x);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "@fails: no luck today");
    ct_context_free(ctx);
}

/* A message without an end is cut. */
static ct_status shout(void *user, ct_custom_call *call)
{
    (void)user;
    memset(call->message, 'x', sizeof call->message);
    return CT_ERR_STATE;
}

TEST(message_without_an_end)
{
    ct_context *ctx = ct_context_new();

    ct_register_custom_call(ctx, "shouts", shout, NULL);
    call_of(here, "shouts", ct_scalar(ctx, CT_F32, 1));
    CHECK(strstr(ct_error_message(ctx), "xxxx") && strlen(ct_error_message(ctx)) < 700);
    CHECK_ERROR(ctx, CT_ERR_STATE, "@shouts: xxx");
    ct_context_free(ctx);
}

/* ---- Effects. */

static ct_function *ticking(ct_context *ctx, bool has_side_effect)
{
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE()), *y = NULL;
    ct_trace_builder *b = ct_trace_begin(ctx, "ticking", CT_LIKE(like));
    ct_op_custom_call(ctx, "tick", NULL, has_side_effect, CT_ARGV(ct_trace_parameter(b, 0)),
                      CT_LIKE(like), &y);
    return ct_trace_end(b, CT_ARGV(ct_trace_parameter(b, 0)));
}

/* An unused call stays if it has an effect. */
TEST(effects)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1);
    atomic_int count = 0;

    ct_register_custom_call(ctx, "tick", count_calls, &count);
    ct_call1(ct_compile(ticking(ctx, false), NULL), CT_ARGV(x));
    CHECK(count == 0);
    ct_call1(ct_compile(ticking(ctx, true), NULL), CT_ARGV(x));
    CHECK(count == 1);
    ct_op_custom_call(ctx, "tick", NULL, true, CT_NO_TENSORS, CT_NO_TENSORS, NULL);
    CHECK(count == 2);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Threads: one executable, a context in each. */

enum { THREADS = 8, ROUNDS = 50 };

typedef struct shared {
    const ct_executable *f;
    atomic_int wrong;
} shared;

static void *call_often(void *user)
{
    shared *s = user;
    ct_context *ctx = ct_context_new();
    ct_executable *f = ct_adopt_executable(ctx, s->f);

    for (int i = 0; i < ROUNDS; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *y = ct_call1(f, CT_ARGV(given(ctx, CT_F32, CT_SHAPE(2), {i, 1})));
        if (ct_at(y, 0) != 3 * i || ct_at(y, 1) != 3)
            atomic_fetch_add(&s->wrong, 1);
        ct_scope_end(scope);
    }
    if (ct_failed(ctx))
        atomic_fetch_add(&s->wrong, 1);
    ct_context_free(ctx);
    return NULL;
}

TEST(many_threads)
{
    ct_context *ctx = ct_context_new();
    float three = 3;
    pthread_t thread[THREADS];

    ct_register_custom_call(ctx, "times", times, &three);
    shared s = {.f = ct_compile(program_of(ctx, "times", ct_spec(ctx, CT_F32, CT_SHAPE(2))), NULL)};
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, call_often, &s) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK(s.wrong == 0);
    ct_context_free(ctx);
}

/* ---- Attributes. */

TEST(attributes)
{
    static const char text[] =
        "backend_config = \"a, b = \\\"c\\\" \\41\\0A\\n\", n = 2 : i64, minus = -3, "
        "x = 1.250000e-01 : f64, big = 1.5e3, bits = 0x7F800000 : f32, half = 0x3C00 : f16, "
        "wide = 0x4000000000000000 : f64, hex = 0x10 : i32, yes = true, no = false, unit, "
        "\"quoted name\" = 7 : i8, dict = {n = 99, s = \"}\"}, list = [1, 2], "
        "kind = #stablehlo<comparison_type FLOAT>, map = affine_map<(d0) -> (d0)>, last = @f";
    const ct_custom_call call = {.attributes = text}, none = {.attributes = ""};
    static const struct {
        const char *name;
        double want;
    } number[] = {
        {"n", 2},           {"minus", -3},   {"x", 0.125}, {"big", 1500}, {"half", 1},
        {"wide", 2},        {"hex", 16},     {"yes", 1},   {"no", 0},     {"unit", 1},
        {"quoted name", 7}, {"missing", -1}, {"dict", -1}, {"list", -1},  {"backend_config", -1},
        {"s", -1},          {"kind", -1},    {"last", -1}};
    char out[64], small[4];

    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        double got = ct_custom_number(&call, number[i].name, -1);
        CHECK_MSG(got == number[i].want, "%s is %g", number[i].name, got);
    }
    CHECK(ct_custom_number(&call, "bits", 0) > 1e300);
    CHECK(ct_custom_number(&none, "n", 5) == 5 && ct_custom_number(&call, NULL, 5) == 5);
    CHECK(ct_custom_text(&call, "backend_config", out, sizeof out));
    CHECK_MSG(strcmp(out, "a, b = \"c\" A\n\n") == 0, "%s", out);
    CHECK(ct_custom_text(&call, "backend_config", small, sizeof small) && !strcmp(small, "a, "));
    CHECK(ct_custom_text(&call, "last", out, sizeof out) && strcmp(out, "@f") == 0);
    CHECK(ct_custom_text(&call, "map", out, sizeof out) &&
          strcmp(out, "affine_map<(d0) -> (d0)>") == 0);
    CHECK(ct_custom_text(&call, "unit", out, sizeof out) && strcmp(out, "") == 0);
    CHECK(!ct_custom_text(&call, "missing", out, sizeof out) && strcmp(out, "") == 0);
    CHECK(ct_custom_text(&call, "n", NULL, 0));
}

/* What ends too early is not read beyond its end. */
TEST(broken_attributes)
{
    static const char *const text[] = {
        "a = \"x", "a = \"\\", "a = {", "a =", "=", ",", "\"", "a = ]]"};
    char out[8];

    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const ct_custom_call call = {.attributes = text[i]};
        ct_custom_number(&call, "a", 0);
        ct_custom_text(&call, "a", out, sizeof out);
        CHECK(strlen(out) < sizeof out);
    }
}

/* ---- Derivatives. */

/* Σ x of what the program also shows to a function without float results. */
static ct_tensor *observed(ct_tensor *x)
{
    ct_op_custom_call(NULL, "tick", NULL, true, CT_ARGV(x), CT_NO_TENSORS, NULL);
    return ct_sum(ct_square(x), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *unknown(ct_tensor *x)
{
    return call_of(here, "times", x);
}

TEST(derivatives)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1, 2});
    atomic_int count = 0;

    ct_register_custom_call(ctx, "tick", count_calls, &count);
    ct_function *g = ct_grad(ct_trace(ctx, observed, CT_LIKE(x)), CT_ARGS(0));
    CHECK_VALUES(ct_call1(ct_compile(g, NULL), CT_ARGV(x)), CT_SHAPE(2), {2, 4});
    CHECK(count == 1);
    CHECK_OK(ctx);
    ct_jvp(ct_trace(ctx, unknown, CT_LIKE(x)), CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE,
                "program.c:12: custom_call: the derivative of @times, a function of the program");
    ct_context_free(ctx);
}

/* ---- Composites. */

static ct_tensor *cube(ct_tensor *x)
{
    return ct_mul(x, ct_square(x));
}

static ct_tensor *composed(ct_tensor *x)
{
    ct_tensor *y = NULL;
    ct_function *f = ct_trace(ct_context_of(x), cube, CT_LIKE(x));
    ct_op_composite("my.cube", NULL, 1, f, CT_ARGV(x), &y, 1);
    return y;
}

TEST(composites_run_their_decomposition)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {2, -3});
    ct_function *f = ct_trace(ctx, composed, CT_LIKE(x));

    CHECK_VALUES(composed(x), CT_SHAPE(2), {8, -27});
    CHECK_VALUES(ct_call1(ct_compile(f, NULL), CT_ARGV(x)), CT_SHAPE(2), {8, -27});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *summed(ct_tensor *x)
{
    return ct_sum(composed(x), CT_ALL_AXES, CT_DROP_AXES);
}

/* First and second order, as those of the call. */
TEST(composites_are_differentiated)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {2, -3});
    ct_function *g = ct_grad(ct_trace(ctx, summed, CT_LIKE(x)), CT_ARGS(0));

    CHECK_VALUES(ct_call1(ct_compile(g, NULL), CT_ARGV(x)), CT_SHAPE(2), {12, 27});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- No memory. */

static void all(ct_context *ctx)
{
    static float two = 2;
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1, 2});

    ct_register_custom_call(ctx, "a", times, &two);
    ct_register_custom_call(ctx, "times", times, &two);
    call_of(CT_HERE, "times", x);
    ct_call1(ct_compile(program_of(ctx, "times", x), NULL), CT_ARGV(x));
    composed(x);
}

TEST(memory_may_run_out)
{
    CHECK_ALLOCATIONS(all);
}
