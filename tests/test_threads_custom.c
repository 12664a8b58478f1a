/* Custom calls from eight threads through one executable, and cotangent check --jobs. The thread
 * sanitizer runs this too. */
#include "tests/command.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 50 };

/* ---- One registered function: y = scale x, or an error for negative numbers. */

typedef struct counting {
    atomic_int calls;
    double scale; /* never written while threads run */
} counting;

static ct_status scaled(void *user, ct_custom_call *call)
{
    counting *c = user;
    const double *x = call->operand[0];
    double *y = call->result[0];
    const double factor = c->scale * ct_custom_number(call, "factor", 1);

    atomic_fetch_add(&c->calls, 1);
    for (int i = 0; i < 3; i++) {
        if (x[i] < 0) {
            snprintf(call->message, sizeof call->message, "x[%d] = %g is negative", i, x[i]);
            return CT_ERR_ARGUMENT;
        }
        y[i] = factor * x[i];
    }
    return CT_OK;
}

static const char text[] =
    "func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {\n"
    "  %0 = stablehlo.custom_call @scaled(%x) {factor = 2.0 : f64} : (tensor<3xf64>) -> "
    "tensor<3xf64>\n"
    "  %1 = stablehlo.custom_call @scaled(%0) {has_side_effect = true} : (tensor<3xf64>) -> "
    "tensor<3xf64>\n"
    "  %2 = stablehlo.add %0, %1 : tensor<3xf64>\n"
    "  return %2 : tensor<3xf64>\n"
    "}\n";

typedef struct shared {
    const ct_executable *executable;
    counting *count;
    atomic_int next, ready, wrong;
} shared;

/* 2 · 5 x + 2 · 5 · 5 x */
static bool call_is_right(ct_context *ctx, ct_executable *f, int index)
{
    double x[3], y[3] = {0};
    for (int i = 0; i < 3; i++)
        x[i] = index + i;
    ct_to_doubles(ct_call1(f, CT_ARGV(ct_from_data(ctx, CT_F64, CT_SHAPE(3), x))), y, 3);
    return y[0] == 60 * x[0] && y[1] == 60 * x[1] && y[2] == 60 * x[2];
}

/* The message of one thread's error is not that of another's. */
static bool error_is_right(ct_context *ctx, ct_executable *f, int index)
{
    char expected[128];
    const double x[3] = {1, 1, -1 - index};
    ct_call1(f, CT_ARGV(ct_from_data(ctx, CT_F64, CT_SHAPE(3), x)));
    snprintf(expected, sizeof expected, "t:2:8: custom_call: @scaled: x[2] = %d is negative",
             -1 - index);
    const bool right = ct_error_status(ctx) == CT_ERR_ARGUMENT &&
                       strstr(ct_error_message(ctx), expected);
    ct_error_clear(ctx);
    return right;
}

static void *call_many_times(void *argument)
{
    shared *s = argument;
    const int index = atomic_fetch_add(&s->next, 1);
    ct_context *ctx = ct_context_new();
    ct_executable *f = ct_adopt_executable(ctx, s->executable);

    atomic_fetch_add(&s->ready, 1);
    while (atomic_load(&s->ready) < THREADS)
        sched_yield();
    for (int i = 0; i < ROUNDS; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        if (!call_is_right(ctx, f, index) || !error_is_right(ctx, f, index))
            atomic_fetch_add(&s->wrong, 1);
        ct_scope_end(scope);
    }
    if (ct_failed(ctx))
        atomic_fetch_add(&s->wrong, 1);
    ct_context_free(ctx);
    return NULL;
}

/* The context that registered the function ends first: executables keep what they found. */
TEST(eight_threads_call_one_custom_function)
{
    counting count = {.scale = 5};
    ct_context *ctx = ct_context_new(), *owner = ct_context_new();
    pthread_t threads[THREADS];

    ct_register_custom_call(ctx, "scaled", scaled, &count);
    ct_module *module = ct_read_stablehlo_text(ctx, "t", text, sizeof text - 1);
    ct_executable *f = ct_compile(ct_module_function(module, NULL), NULL);
    CHECK_OK(ctx);
    shared s = {.executable = ct_adopt_executable(owner, f), .count = &count};
    ct_context_free(ctx);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, call_many_times, &s) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_OK(owner);
    CHECK_MSG(atomic_load(&s.wrong) == 0, "%d wrong results", atomic_load(&s.wrong));
    CHECK(atomic_load(&count.calls) == THREADS * ROUNDS * 3);
    ct_context_free(owner);
}

/* ---- cotangent check --jobs: files that pass, that fail, that are wrong, of several parts. Under
 * the sanitizer a race ends the command with another status. */

enum { FILES = 24 };

static void write_check(const char *name, int i)
{
    static const char form[] = "func.func @main() {\n"
                               "  %%a = stablehlo.constant dense<%d> : tensor<3xi32>\n"
                               "  check.expect_eq_const %%a, dense<%d> : tensor<3xi32>\n"
                               "  return\n"
                               "}\n"
                               "// -----\n"
                               "func.func @main() {\n"
                               "  %s\n"
                               "  return\n"
                               "}\n";
    char program[1024];
    snprintf(program, sizeof program, form, i, i, i % 4 == 3 ? "%b = stablehlo.sine %c" : "");
    command_write(name, program);
}

TEST(check_with_several_jobs)
{
    char expected[4096] = "";
    command_make_folder();
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%02d.mlir", i);
        write_check(name, i);
        if (i % 4 == 3)
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected),
                     "~/%s:8:23: expected a value that is defined before, found %%c\n", name);
    }
    strcat(expected, "18 passed, 6 failed\n");
    for (int jobs = 1; jobs <= 8; jobs *= 2) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "check ~ --jobs %d", jobs);
        CHECK_RUN(arguments, 1, expected);
    }
    command_remove_folder();
}
