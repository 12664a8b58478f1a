/* Operations that several threads share: the pool itself, and the same bits for any number of
 * threads. The thread sanitizer runs this too. */
#include "exec/threads.h"
#include "trace/trace.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t counts[] = {1, 2, 3, 8};

/* ---- The pool. */

enum { TILES = 500, CALLERS = 8 };

typedef struct tally {
    ct__threads *threads;
    atomic_int done[TILES];
    atomic_int by[CT__MOST_THREADS]; /* who is in a tile now */
    atomic_int wrong;
} tally;

static void count_tile(void *user, size_t tile, size_t worker)
{
    tally *t = user;
    if (worker >= ct__threads_count(t->threads) || atomic_fetch_add(&t->by[worker], 1) != 0)
        atomic_fetch_add(&t->wrong, 1);
    atomic_fetch_add(&t->done[tile], 1);
    atomic_fetch_sub(&t->by[worker], 1);
}

static void check_tally(tally *t, size_t n, int times)
{
    CHECK(atomic_load(&t->wrong) == 0);
    for (size_t i = 0; i < TILES; i++)
        CHECK(atomic_load(&t->done[i]) == (i < n ? times : 0));
}

TEST(every_tile_once)
{
    static const size_t sizes[] = {0, 1, 2, 3, 50, TILES};
    ct_context *ctx = ct_context_new();
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        ct__threads *threads = ct__threads_new(&ctx->allocator, counts[c]);
        CHECK(ct__threads_count(threads) == counts[c]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            tally t = {.threads = threads};
            for (int round = 0; round < 20; round++)
                ct__parallel(threads, sizes[s], count_tile, &t);
            check_tally(&t, sizes[s], 20);
        }
        ct__threads_free(threads);
    }
    CHECK(ct__threads_count(NULL) == 1);
    ct__threads_free(NULL);
    ct_context_free(ctx);
}

/* Tiles in tiles are done by whoever is in the outer one. */
static void nest(void *user, size_t tile, size_t worker)
{
    tally *inner = (tally *)user + tile;
    (void)worker;
    ct__parallel(inner->threads, TILES, count_tile, inner);
}

TEST(tiles_in_tiles)
{
    static tally t[4];
    ct_context *ctx = ct_context_new();
    ct__threads *threads = ct__threads_new(&ctx->allocator, 3);
    for (size_t i = 0; i < 4; i++)
        t[i].threads = threads;
    ct__parallel(threads, 4, nest, t);
    for (size_t i = 0; i < 4; i++)
        check_tally(&t[i], TILES, 1);
    ct__threads_free(threads);
    ct_context_free(ctx);
}

static void *call(void *user)
{
    tally *t = calloc(1, sizeof *t);
    if (t) {
        t->threads = user;
        for (int round = 0; round < 20; round++)
            ct__parallel(t->threads, TILES, count_tile, t);
        check_tally(t, TILES, 20);
    }
    free(t);
    return NULL;
}

TEST(many_callers)
{
    ct_context *ctx = ct_context_new();
    ct__threads *threads = ct__threads_new(&ctx->allocator, 3);
    pthread_t caller[CALLERS];
    for (size_t i = 0; i < CALLERS; i++)
        CHECK(pthread_create(&caller[i], NULL, call, threads) == 0);
    for (size_t i = 0; i < CALLERS; i++)
        pthread_join(caller[i], NULL);
    ct__threads_free(threads);
    ct_context_free(ctx);
}

/* A child has none of the threads, and does everything alone. */
TEST(children)
{
    ct_context *ctx = ct_context_new();
    ct__threads *threads = ct__threads_new(&ctx->allocator, 2);
    static tally t;
    int status = 1;
    t.threads = threads;
    ct__parallel(threads, TILES, count_tile, &t);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        ct__parallel(threads, TILES, count_tile, &t);
        ct__threads_free(threads);
        _exit(atomic_load(&t.done[TILES - 1]) == 2 ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    check_tally(&t, TILES, 1);
    ct__threads_free(threads);
    ct_context_free(ctx);
}

/* ---- Programs. */

/* Products of several shapes, and what their gradients need. */
static void products(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *a = ct_slice(p.item[0], CT_DIMS(0, 0), CT_DIMS(300, 300), CT_DIMS(1, 1));
    ct_tensor *b = ct_slice(p.item[0], CT_DIMS(50, 20), CT_DIMS(350, 350), CT_DIMS(1, 1));
    (void)user;
    r[0] = ct_matmul(a, b);
    r[1] = ct_matmul(ct_transpose(a, CT_AXES(1, 0)), b);
    r[2] = ct_matmul(ct_reshape(p.item[0], CT_SHAPE(16, 100, 100)),
                     ct_reshape(p.item[0], CT_SHAPE(16, 100, 100)));
    r[3] = ct_matmul(a, ct_slice(p.item[0], CT_DIMS(0, 7), CT_DIMS(300, 8), CT_DIMS(1, 1)));
}

static void convolutions(void *user, ct_list p, ct_tensor **r)
{
    ct_convolution_dims d = {.padding_low = CT_DIMS(1, 1),
                             .padding_high = CT_DIMS(1, 1),
                             .input_feature_dimension = 1,
                             .input_spatial_dimensions = CT_DIMS(2, 3),
                             .kernel_input_feature_dimension = 1,
                             .kernel_spatial_dimensions = CT_DIMS(2, 3),
                             .output_feature_dimension = 1,
                             .output_spatial_dimensions = CT_DIMS(2, 3)};
    ct_tensor *x = ct_reshape(p.item[0], CT_SHAPE(10, 16, 20, 50));
    ct_tensor *kernel = ct_reshape(ct_slice(ct_reshape(p.item[0], CT_SHAPE(160000)), CT_DIMS(0),
                                            CT_DIMS(16 * 16 * 9), CT_DIMS(1)),
                                   CT_SHAPE(16, 16, 3, 3));
    (void)user;
    r[0] = ct_op_convolution(x, kernel, &d);
    d.window_strides = CT_DIMS(2, 2);
    r[1] = ct_op_convolution(x, kernel, &d);
    /* as the gradient by the kernel: few places, much to sum */
    d = (ct_convolution_dims){.padding_low = CT_DIMS(1, 1),
                              .padding_high = CT_DIMS(1, 1),
                              .input_batch_dimension = 1,
                              .input_feature_dimension = 0,
                              .input_spatial_dimensions = CT_DIMS(2, 3),
                              .kernel_input_feature_dimension = 0,
                              .kernel_output_feature_dimension = 1,
                              .kernel_spatial_dimensions = CT_DIMS(2, 3),
                              .output_batch_dimension = 1,
                              .output_feature_dimension = 0,
                              .output_spatial_dimensions = CT_DIMS(2, 3)};
    r[2] = ct_op_convolution(x, x, &d);
    r[3] = ct_neg(kernel);
}

static void moves(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = ct_concatenate(CT_ARGV(p.item[0], p.item[0]), 0);
    ct_tensor *last = ct_op_iota(ct_context_of(x), CT_I32, CT_SHAPE(800, 400), 1);
    ct_tensor *i = ct_cast(
        ct_mul(ct_slice(p.item[0], CT_DIMS(0, 0), CT_DIMS(400, 10), CT_DIMS(1, 1)), 300.0), CT_I32);
    (void)user;
    r[0] = ct_transpose(ct_reshape(x, CT_SHAPE(800, 20, 20)), CT_AXES(2, 0, 1));
    r[1] = ct_take(x, i, 0, CT_CLAMP);
    r[2] = ct_take_along_axis(x, ct_cast(ct_mul(x, 200.0), CT_I32), 1, CT_CLAMP);
    r[3] = ct_where(ct_lt(last, 200), ct_flip(x, CT_AXES(0)), x);
}

/* Operations on elements and rows that run together: one step each. */
static void steps(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *row = ct_slice(x, CT_DIMS(3, 0), CT_DIMS(4, 400), CT_DIMS(1, 1));
    (void)user;
    r[0] = ct_softmax(ct_mul(x, row), CT_AXES(1));
    r[1] = ct_tanh(ct_add(ct_exp(ct_flip(x, CT_AXES(1))), ct_transpose(x, CT_AXES(1, 0))));
    r[2] = ct_mul(ct_sub(x, ct_mean(x, CT_AXES(1), CT_KEEP_AXES)),
                  ct_sin(ct_mul(ct_pad(x, CT_DIMS(1, 2), CT_DIMS(-1, -2), 7.0), 1e5)));
    r[3] = ct_cast(ct_and(ct_cast(ct_mul(x, 1000.0), CT_I32), 255), CT_F32);
}

/* Folds of all, whose blocks threads fold: of elements, of rows, and of neighbours; 39 blocks of
 * 4096 and a rest, 6 of 64 rows and a rest. */
static void folds(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *flat = ct_exp(ct_reshape(x, CT_SHAPE(160000)));
    (void)user;
    r[0] = ct_add(ct_sum(flat, CT_ALL_AXES, CT_DROP_AXES),
                  ct_max(ct_mul(flat, 3.0), CT_ALL_AXES, CT_DROP_AXES));
    r[1] = ct_sum(ct_mul(ct_exp(x), ct_sum(x, CT_AXES(1), CT_KEEP_AXES)), CT_ALL_AXES,
                  CT_DROP_AXES);
    r[2] = ct_sum(ct_tanh(x), CT_AXES(0), CT_DROP_AXES);
    r[3] = ct_logsumexp(x, CT_ALL_AXES, CT_DROP_AXES);
}

/* Nothing else in their steps: of one result, of rows, of neighbours, of both. */
static void folds_alone(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *whole = ct_cast(ct_mul(x, 1000.0), CT_I32);
    ct_tensor *cube = ct_reshape(x, CT_SHAPE(4, 1000, 40));
    (void)user;
    r[0] = ct_add(ct_sum(x, CT_ALL_AXES, CT_DROP_AXES),
                  ct_cast(ct_add(ct_sum(whole, CT_ALL_AXES, CT_DROP_AXES),
                                 ct_max(ct_add(whole, 1), CT_ALL_AXES, CT_DROP_AXES)),
                          CT_F32));
    r[1] = ct_add(ct_max(x, CT_AXES(0), CT_DROP_AXES), ct_sum(x, CT_AXES(1), CT_DROP_AXES));
    r[2] = ct_add(ct_sum(cube, CT_AXES(1), CT_DROP_AXES),
                  ct_prod(ct_tanh(cube), CT_AXES(1), CT_DROP_AXES));
    r[3] = ct_cast(ct_add(ct_sum(whole, CT_AXES(0), CT_DROP_AXES),
                          ct_sum(ct_mul(whole, 3), CT_AXES(1), CT_DROP_AXES)),
                   CT_F32);
}

static void make(void *user, ct_list p, ct_tensor **r)
{
    ct_many_function *code = *(ct_many_function **)user;
    ct_tensor *y[4], *sum = NULL;
    code(NULL, p, y);
    for (int i = 0; i < 4; i++) {
        r[i] = y[i];
        ct_tensor *part = ct_sum(ct_square(y[i]), CT_ALL_AXES, CT_DROP_AXES);
        sum = sum ? ct_add(sum, part) : part;
    }
    r[4] = sum;
}

static void last_only(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *y[5];
    make(user, p, y);
    r[0] = y[4];
}

static ct_executable *compile(ct_function *f, ct_executor executor, size_t threads)
{
    const ct_jit jit = executor == CT_EXECUTOR_JIT ? CT_JIT_NOW : CT_JIT_OFF;
    const ct_compile_options options = {
        .size = sizeof options, .executor = executor, .jit = jit, .threads = threads};
    return ct_compile(f, &options);
}

static void check_threads(ct_function *f, ct_executor executor, ct_tensor *x)
{
    const size_t n = ct_function_results(f);
    ct_tensor *want[5], *got[5];
    ct_call(compile(f, executor, 0), CT_ARGV(x), want, n);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        ct_executable *e = compile(f, executor, counts[c]);
        for (int round = 0; round < 2; round++) {
            ct_call(e, CT_ARGV(x), got, n);
            CHECK_OK(ct_context_of(x));
            for (size_t i = 0; i < n; i++)
                CHECK_MSG(memcmp(ct_data(want[i]), ct_data(got[i]),
                                 (size_t)ct_size(want[i]) * ct_dtype_bytes(ct_dtype_of(want[i]))) ==
                              0,
                          "result %zu, %zu threads", i, counts[c]);
        }
    }
}

static ct_many_function *const codes[] = {products, convolutions, moves, steps, folds, folds_alone};

TEST(the_same_bits_for_any_number_of_threads)
{
    static const ct_executor executors[] = {CT_EXECUTOR_MACHINE, CT_EXECUTOR_CPU, CT_EXECUTOR_JIT};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(400, 400));
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
        for (size_t e = 0; e < (k < 3 ? 2 : 3); e++) { /* what is compiled: steps and folds */
            ct_scope scope = ct_scope_begin(ctx);
            ct_many_function *code = codes[k];
            check_threads(ct_trace_many(ctx, make, &code, 5, CT_LIKE(x)), executors[e], x);
            ct_function *sum = ct_trace_many(ctx, last_only, &code, 1, CT_LIKE(x));
            check_threads(ct_grad(sum, CT_ARGS(0)), executors[e], x);
            ct_scope_end(scope);
        }
    ct_context_free(ctx);
}

/* ---- One executable in eight threads, each of which finds the pool free or taken. */

typedef struct shared {
    const ct_executable *executable;
    const float *x, *want;
    size_t size;
    atomic_int wrong;
} shared;

static void *run(void *user)
{
    shared *s = user;
    ct_context *ctx = ct_context_new();
    ct_instance *instance = ct_instance_new(ct_adopt_executable(ctx, s->executable));
    float *y = calloc(s->size, sizeof *y);
    bool fine = y && ct_bind_input(instance, 0, s->x, s->size * sizeof *y) == CT_OK &&
                ct_bind_output(instance, 0, y, s->size * sizeof *y) == CT_OK;
    for (int round = 0; round < 5 && fine; round++)
        fine = ct_run(instance) == CT_OK && memcmp(y, s->want, s->size * sizeof *y) == 0;
    atomic_fetch_add(&s->wrong, fine ? 0 : 1);
    ct_instance_free(instance);
    free(y);
    ct_context_free(ctx);
    return NULL;
}

TEST(one_executable_in_many_threads)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(400, 400));
    ct_many_function *code = products;
    ct_function *f = ct_grad(ct_trace_many(ctx, last_only, &code, 1, CT_LIKE(x)), CT_ARGS(0));
    ct_tensor *want = ct_call1(compile(f, CT_EXECUTOR_CPU, 0), CT_ARGV(x));
    shared s = {.executable = compile(f, CT_EXECUTOR_CPU, 3),
                .x = ct_data(x),
                .want = ct_data(want),
                .size = 160000};
    pthread_t thread[CALLERS];
    CHECK_OK(ctx);
    for (size_t i = 0; i < CALLERS; i++)
        CHECK(pthread_create(&thread[i], NULL, run, &s) == 0);
    for (size_t i = 0; i < CALLERS; i++)
        pthread_join(thread[i], NULL);
    CHECK(atomic_load(&s.wrong) == 0);
    ct_context_free(ctx);
}
