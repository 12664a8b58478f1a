#include "exec/threads.h"

#include "ops/ops.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* How often a thread looks for work, or for the end of it, before it sleeps: some ten microseconds,
 * for one operation often follows another. */
enum { LOOKS = 1000 };

/* What a thread begins with. */
typedef struct beginning {
    ct__threads *threads;
    size_t worker;
} beginning;

/* A job is open while threads may join it. Those that have are counted, and the caller, who closes
 * it when no tile is left, waits for them alone: for none that is still asleep. */
struct ct__threads {
    ct_allocator allocator;
    size_t count;
    atomic_flag is_taken; /* by a caller */
    pthread_mutex_t lock; /* of what is not atomic, and of jobs' beginnings and ends */
    pthread_cond_t work, done;
    pid_t process; /* that has the threads */
    size_t n_started;
    pthread_t thread[CT__MOST_THREADS];
    beginning beginning[CT__MOST_THREADS];
    bool is_open, ends;
    atomic_size_t jobs; /* so far */
    atomic_size_t n_joined;
    atomic_size_t next; /* tile */
    size_t n_tiles;
    ct__tile_function *f;
    void *user;
};

static void pause_briefly(void)
{
#ifdef __x86_64__
    _mm_pause();
#endif
}

static void do_tiles(ct__threads *t, size_t worker)
{
    for (;;) {
        const size_t tile = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (tile >= t->n_tiles)
            return;
        t->f(t->user, tile, worker);
    }
}

/* ---- The threads. */

/* Returns when there may be another job than the one of this number, or the end; locked. */
static void wait_for_work(ct__threads *t, size_t seen)
{
    for (int i = 0; i < LOOKS && atomic_load_explicit(&t->jobs, memory_order_relaxed) == seen; i++)
        pause_briefly();
    pthread_mutex_lock(&t->lock);
    while (atomic_load_explicit(&t->jobs, memory_order_relaxed) == seen && !t->ends)
        pthread_cond_wait(&t->work, &t->lock);
}

static void leave(ct__threads *t)
{
    pthread_mutex_lock(&t->lock);
    if (atomic_fetch_sub(&t->n_joined, 1) == 1)
        pthread_cond_signal(&t->done);
    pthread_mutex_unlock(&t->lock);
}

static void *work(void *user)
{
    const beginning *b = user;
    ct__threads *t = b->threads;
    size_t seen = 0;

    for (;;) {
        wait_for_work(t, seen);
        const bool joins = t->is_open, ends = t->ends;
        seen = atomic_load_explicit(&t->jobs, memory_order_relaxed);
        if (joins)
            atomic_fetch_add(&t->n_joined, 1);
        pthread_mutex_unlock(&t->lock);
        if (ends)
            return NULL;
        if (!joins)
            continue;
        do_tiles(t, b->worker);
        leave(t);
    }
}

/* Signals are for the threads that the program knows of. */
static void start(ct__threads *t)
{
    sigset_t all, before;

    t->process = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (size_t worker = 1; worker < t->count; worker++) {
        beginning *b = &t->beginning[worker];
        *b = (beginning){t, worker};
        if (pthread_create(&t->thread[t->n_started], NULL, work, b) != 0)
            break; /* those that there are will do */
        t->n_started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end(ct__threads *t)
{
    pthread_mutex_lock(&t->lock);
    t->ends = true;
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
    for (size_t i = 0; i < t->n_started; i++)
        pthread_join(t->thread[i], NULL);
    pthread_cond_destroy(&t->work);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
}

/* ---- The pool. */

ct__threads *ct__threads_new(const ct_allocator *allocator, size_t count)
{
    ct__threads *t = ct__alloc_zeroed(allocator, sizeof *t);

    if (!t)
        return NULL;
    t->allocator = *allocator;
    t->count = count < 1 ? 1 : count > CT__MOST_THREADS ? CT__MOST_THREADS : count;
    atomic_flag_clear(&t->is_taken);
    atomic_init(&t->jobs, 0);
    atomic_init(&t->n_joined, 0);
    atomic_init(&t->next, 0);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->work, NULL);
    pthread_cond_init(&t->done, NULL);
    return t;
}

/* In a child of fork there is nobody to wait for, and the lock may be anybody's. */
void ct__threads_free(ct__threads *t)
{
    if (!t)
        return;
    const ct_allocator allocator = t->allocator;
    if (t->process == 0 || t->process == getpid())
        end(t);
    ct__release(&allocator, t, sizeof *t);
}

size_t ct__threads_count(const ct__threads *t)
{
    return t ? t->count : 1;
}

/* ---- Jobs. */

static void begin_job(ct__threads *t, size_t n, ct__tile_function *f, void *user)
{
    pthread_mutex_lock(&t->lock);
    t->n_tiles = n;
    t->f = f;
    t->user = user;
    atomic_store(&t->next, 0);
    t->is_open = true;
    atomic_fetch_add(&t->jobs, 1);
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
}

static void end_job(ct__threads *t)
{
    pthread_mutex_lock(&t->lock);
    t->is_open = false;
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < LOOKS && atomic_load_explicit(&t->n_joined, memory_order_relaxed) > 0; i++)
        pause_briefly();
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->n_joined) > 0)
        pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

/* Whether the pool is the caller's now, with its threads. */
static bool take(ct__threads *t)
{
    if (!t || t->count < 2 || atomic_flag_test_and_set_explicit(&t->is_taken, memory_order_acquire))
        return false;
    if (t->process == 0)
        start(t);
    if (t->n_started > 0 && t->process == getpid())
        return true;
    atomic_flag_clear_explicit(&t->is_taken, memory_order_release);
    return false;
}

void ct__parallel(ct__threads *t, size_t n, ct__tile_function *f, void *user)
{
    if (n < 2 || !take(t)) {
        for (size_t tile = 0; tile < n; tile++)
            f(user, tile, 0);
        return;
    }
    begin_job(t, n, f, user);
    do_tiles(t, 0);
    end_job(t);
    atomic_flag_clear_explicit(&t->is_taken, memory_order_release);
}

typedef struct ranges {
    size_t n, each;
    ct__range_function *f;
    void *user;
} ranges;

static void do_range(void *user, size_t tile, size_t worker)
{
    const ranges *r = user;
    const size_t first = tile * r->each, left = r->n - first;

    r->f(r->user, first, first + (left < r->each ? left : r->each), worker);
}

void ct__parallel_ranges(ct__threads *t, size_t n, size_t each, ct__range_function *f, void *user)
{
    ct__parallel(t, (n + each - 1) / each, do_range, &(ranges){n, each, f, user});
}

/* More tiles than threads, for they are not equally fast. */
enum { TILES_OF_A_THREAD = 4 };

void ct__parallel_units(ct__threads *t, size_t n, size_t unit, ct__range_function *f, void *user)
{
    const size_t tiles = TILES_OF_A_THREAD * ct__threads_count(t), units = (n + unit - 1) / unit;
    ct__parallel_ranges(t, n, (units + tiles - 1) / tiles * unit, f, user);
}
