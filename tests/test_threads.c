/* One executable, or one function, in eight threads: each with its own context, its own instance,
 * or both. The thread sanitizer runs this too. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 50 };

/* Row sums of x yᵀ plus a scan, so that products, bodies, scratch and constants are shared. */
static void body(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_add(p.item[0], p.item[1]);
    r[1] = ct_op_multiply(p.item[0], p.item[1]);
}

static void program(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *s = ct_spec(ctx, CT_F64, CT_SHAPE(3)), *y[2];
    const ct_dot_dims dims = {.lhs_contracting = CT_DIMS(1), .rhs_contracting = CT_DIMS(1)};
    ct_tensor *product = ct_op_dot_general(p.item[0], p.item[0], &dims);
    ct_function *step = ct_trace_many(ctx, body, NULL, 2, CT_LIKE(s, s));

    (void)user;
    ct_op_scan(3, CT_ARGV(p.item[1]), CT_ARGV(product), CT_NO_TENSORS, false, step, y, 2);
    r[0] = ct_op_add(y[0], ct_from_doubles(ctx, CT_F64, CT_SHAPE(3), (const double[]){1, 2, 3}));
    r[1] = ct_op_reduce_add(y[1], CT_DIMS(0, 1));
}

typedef struct shared {
    const ct_executable *executable;
    double expected[THREADS][4];
    atomic_int ready;
    atomic_int wrong;
} shared;

typedef struct worker {
    shared *s;
    int index;
} worker;

static void fill(int index, double *x, double *start)
{
    for (int i = 0; i < 12; i++)
        x[i] = i % 5 + index;
    for (int i = 0; i < 3; i++)
        start[i] = i - index;
}

static void call_once(ct_context *ctx, ct_executable *f, int index, double *out)
{
    double x[12], start[3];
    ct_tensor *r[2];

    fill(index, x, start);
    ct_call(f,
            CT_ARGV(ct_from_data(ctx, CT_F64, CT_SHAPE(3, 4), x),
                    ct_from_data(ctx, CT_F64, CT_SHAPE(3), start)),
            r, 2);
    ct_to_doubles(r[0], out, 3);
    ct_to_doubles(r[1], out + 3, 1);
}

static bool same(const double *a, const double *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

/* Wait until all threads are there, so that they run together. */
static void gather_threads(shared *s)
{
    atomic_fetch_add(&s->ready, 1);
    while (atomic_load(&s->ready) < THREADS)
        sched_yield();
}

static void *work(void *argument)
{
    worker *w = argument;
    ct_context *ctx = ct_context_new();
    ct_executable *f = ct_adopt_executable(ctx, w->s->executable);
    ct_instance *run = ct_instance_new(f);
    double x[12], start[3], out[4];

    fill(w->index, x, start);
    ct_bind_input(run, 0, x, sizeof x);
    ct_bind_input(run, 1, start, sizeof start);
    ct_bind_output(run, 0, out, 3 * sizeof *out);
    ct_bind_output(run, 1, out + 3, sizeof *out);
    gather_threads(w->s);
    for (int i = 0; i < ROUNDS; i++) {
        double called[4] = {0};
        ct_scope scope = ct_scope_begin(ctx);
        call_once(ctx, f, w->index, called);
        if (ct_run(run) != CT_OK || !same(out, w->s->expected[w->index]) ||
            !same(called, w->s->expected[w->index]))
            atomic_fetch_add(&w->s->wrong, 1);
        ct_scope_end(scope);
    }
    if (ct_failed(ctx))
        atomic_fetch_add(&w->s->wrong, 1);
    ct_context_free(ctx); /* the last one releases the executable's body, or the instance does */
    ct_instance_free(run);
    return NULL;
}

static void run_in_threads(ct_executor executor)
{
    ct_compile_options options = {.size = sizeof options, .executor = executor};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(3, 4)), *start = ct_spec(ctx, CT_F64, CT_SHAPE(3));
    ct_executable *f = ct_compile(ct_trace_many(ctx, program, NULL, 2, CT_LIKE(x, start)),
                                  &options);
    shared s = {.executable = f};
    worker workers[THREADS];
    pthread_t threads[THREADS];

    CHECK_OK(ctx);
    for (int i = 0; i < THREADS; i++) {
        call_once(ctx, f, i, s.expected[i]);
        CHECK(s.expected[i][0] != s.expected[(i + 1) % THREADS][0] || i == THREADS - 1);
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){&s, i};
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_OK(ctx);
    CHECK_MSG(atomic_load(&s.wrong) == 0, "%d wrong results", atomic_load(&s.wrong));
    ct_context_free(ctx);
}

TEST(eight_threads_run_one_executable)
{
    run_in_threads(CT_EXECUTOR_INTERPRETER);
    run_in_threads(CT_EXECUTOR_CPU);
}

/* More calls at once than the pool has blocks, and a body that is released by another thread. */
static void *adopt_and_free(void *argument)
{
    shared *s = argument;

    gather_threads(s);
    for (int i = 0; i < ROUNDS; i++) {
        ct_context *ctx = ct_context_new();
        ct_instance *several[4];
        ct_executable *f = ct_adopt_executable(ctx, s->executable);
        for (int k = 0; k < 4; k++)
            several[k] = ct_instance_new(f);
        ct_context_free(ctx);
        for (int k = 0; k < 4; k++)
            ct_instance_free(several[k]);
    }
    return NULL;
}

TEST(adopting_and_freeing_at_once)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(3, 4)), *start = ct_spec(ctx, CT_F64, CT_SHAPE(3));
    shared s = {
        .executable = ct_compile(ct_trace_many(ctx, program, NULL, 2, CT_LIKE(x, start)), NULL)};
    pthread_t threads[THREADS];

    CHECK_OK(ctx);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, adopt_and_free, &s) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ct_context_free(ctx);
}

/* ---- One function, which each thread adopts, transforms, compiles, calls and prints. The captured
 * constant is not contiguous. */

static ct_tensor *weighted(ct_tensor *x)
{
    static const double numbers[] = {1, 2, 3, 4, 5, 6};
    ct_tensor *w = ct_from_doubles(ct_context_of(x), CT_F64, CT_SHAPE(2, 3), numbers);
    ct_tensor *transposed = ct_transpose(w, CT_ALL_AXES);

    return ct_sum(ct_mul(ct_square(x), transposed), CT_ALL_AXES, CT_DROP_AXES);
}

typedef struct shared_function {
    const ct_function *f;
    const char *text; /* of its gradient */
    atomic_int ready;
    atomic_int wrong;
} shared_function;

/* d/dx Σ w x² = 2 w x, and its directional derivative along x is Σ 2 w x². */
static bool derivatives_are_right(ct_context *ctx, ct_function *f)
{
    static const double numbers[] = {1, -1, 2, 0, 1, 3};
    double found[6], slope;
    ct_tensor *x = ct_from_doubles(ctx, CT_F64, CT_SHAPE(3, 2), numbers), *pair[2];
    ct_executable *gradient = ct_compile(ct_grad(f, CT_ALL_ARGS), NULL);
    ct_executable *forward = ct_compile(ct_jvp(f, CT_ALL_ARGS), NULL);

    ct_to_doubles(ct_call1(gradient, CT_ARGV(x)), found, 6);
    ct_call(forward, CT_ARGV(x, x), pair, 2);
    slope = ct_item(pair[1]);
    for (int i = 0; i < 6; i++) {
        double w = i / 2 + 1 + i % 2 * 3;
        if (found[i] != 2 * w * numbers[i])
            return false;
        slope -= 2 * w * numbers[i] * numbers[i];
    }
    return slope == 0 && ct_item(pair[0]) == ct_item(ct_apply1(f, CT_ARGV(x)));
}

static void *transform(void *argument)
{
    shared_function *s = argument;
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_adopt(ctx, s->f);

    atomic_fetch_add(&s->ready, 1);
    while (atomic_load(&s->ready) < THREADS)
        sched_yield();
    for (int i = 0; i < ROUNDS / 5; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        const char *text = ct_function_text(ct_grad(f, CT_ALL_ARGS), CT_TEXT_STABLEHLO);
        if (!derivatives_are_right(ctx, f) || strcmp(text, s->text) != 0)
            atomic_fetch_add(&s->wrong, 1);
        ct_scope_end(scope);
    }
    if (ct_failed(ctx))
        atomic_fetch_add(&s->wrong, 1);
    ct_context_free(ctx);
    return NULL;
}

TEST(eight_threads_transform_one_function)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, weighted, CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE(3, 2))));
    shared_function s = {.f = f,
                         .text = ct_function_text(ct_grad(f, CT_ALL_ARGS), CT_TEXT_STABLEHLO)};
    pthread_t threads[THREADS];

    CHECK_OK(ctx);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, transform, &s) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_MSG(atomic_load(&s.wrong) == 0, "%d wrong results", atomic_load(&s.wrong));
    ct_context_free(ctx);
}
