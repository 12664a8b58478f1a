/* Threads that call one executable while its steps are swapped for compiled ones. */
#include "tests/same.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLUMNS = 67, THREADS = 8 };

static ct_tensor *code(ct_tensor *x)
{
    return ct_softmax(ct_mul(ct_tanh(x), 3.0), CT_AXES(1));
}

static ct_executable *compile(ct_tensor *x, ct_executor executor, ct_jit jit)
{
    ct_compile_options options = {.size = sizeof options, .executor = executor, .jit = jit};
    return ct_compile(ct_trace(ct_context_of(x), code, CT_LIKE(x)), &options);
}

typedef struct caller {
    ct_executable *f;
    const float *in, *want;
    pthread_t thread;
    size_t wrong, runs;
} caller;

static void *call(void *user)
{
    caller *c = user;
    float out[ROWS * COLUMNS];
    size_t after = 0;
    ct_instance *run = ct_instance_new(c->f);
    ct_bind_input(run, 0, c->in, sizeof out);
    ct_bind_output(run, 0, out, sizeof out);
    for (; after < 20 && c->runs < 100000000; c->runs++) {
        memset(out, 0, sizeof out);
        c->wrong += ct_run(run) != CT_OK || memcmp(out, c->want, sizeof out) != 0;
        after += c->runs % 64 == 0 && ct_executable_status(c->f).compiled > 0;
    }
    ct_instance_free(run);
    return NULL;
}

TEST(swapped_under_threads)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(ROWS, COLUMNS));
    caller callers[THREADS];
    setenv("CT_CACHE_DIR", "", 1);
    ct_tensor *want = ct_call1(compile(x, CT_EXECUTOR_MACHINE, 0), CT_ARGV(x));
    ct_executable *f = compile(x, CT_EXECUTOR_CPU, CT_JIT_BACKGROUND);
    for (size_t i = 0; i < THREADS; i++) {
        callers[i] = (caller){.f = f, .in = ct_data(x), .want = ct_data(want)};
        CHECK(pthread_create(&callers[i].thread, NULL, call, &callers[i]) == 0);
    }
    CHECK(ct_executable_wait(f, 60));
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(callers[i].thread, NULL);
        CHECK(callers[i].wrong == 0 && callers[i].runs > 20);
    }
    CHECK(ct_executable_status(f).compiled == 1);
    ct_context_free(ctx);
}
