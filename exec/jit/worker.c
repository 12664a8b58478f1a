#include "exec/jit/worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

typedef struct job {
    ct__jit *jit;
    struct job *next;
} job;

/* The library's only state that belongs to the process: programs that are compiled at the same time
 * would take its processors from each other and from the program. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    job *first;
    ct__jit *current;
    bool is_running, is_closing, knows_forks;
} worker = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* The next one, which becomes the current one; NULL: there is none, and the thread ends. */
static ct__jit *take(void)
{
    ct__jit *jit = NULL;
    pthread_mutex_lock(&worker.lock);
    job *first = worker.first;
    if (first && !worker.is_closing) {
        jit = first->jit;
        worker.first = first->next;
        free(first);
    }
    worker.current = jit;
    worker.is_running = jit != NULL;
    pthread_cond_broadcast(&worker.changed);
    pthread_mutex_unlock(&worker.lock);
    return jit;
}

static void leave(void)
{
    pthread_mutex_lock(&worker.lock);
    worker.current = NULL;
    pthread_mutex_unlock(&worker.lock);
}

static void *work(void *unused)
{
    ct__jit *jit;
    while ((jit = take())) {
        ct__jit_build(jit);
        leave();
        ct__jit_release(jit);
    }
    return unused;
}

/* ---- Forks: the child begins with nothing to be done. */

static void before_fork(void)
{
    pthread_mutex_lock(&worker.lock);
    if (worker.current)
        ct__jit_before_fork(worker.current);
}

static void after_fork(bool is_child)
{
    if (worker.current)
        ct__jit_after_fork(worker.current, is_child);
    if (is_child) {
        worker.first = NULL; /* what the parent compiles stays uncompiled here */
        worker.current = NULL;
        worker.is_running = false;
    }
    pthread_mutex_unlock(&worker.lock);
}

static void in_parent(void)
{
    after_fork(false);
}

static void in_child(void)
{
    after_fork(true);
}

/* ---- The thread. */

/* Without signals, which are for the program's own threads. */
static bool start_thread(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool fine = pthread_create(&thread, &attributes, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return fine;
}

static void append(job *added)
{
    job **end = &worker.first;
    while (*end)
        end = &(*end)->next;
    *end = added;
}

static void drop(const job *dropped)
{
    for (job **at = &worker.first; *at; at = &(*at)->next)
        if (*at == dropped) {
            *at = dropped->next;
            return;
        }
}

bool ct__worker_add(ct__jit *jit)
{
    job *added = malloc(sizeof *added);
    if (!added)
        return false;
    *added = (job){jit, NULL};
    pthread_mutex_lock(&worker.lock);
    if (!worker.knows_forks)
        worker.knows_forks = pthread_atfork(before_fork, in_parent, in_child) == 0;
    append(added);
    if (!worker.is_running)
        worker.is_running = !worker.is_closing && start_thread();
    const bool fine = worker.is_running;
    if (!fine)
        drop(added);
    pthread_mutex_unlock(&worker.lock);
    if (!fine)
        free(added);
    return fine;
}

/* When the process ends, or the library is unloaded: the compiler is stopped, and the thread is
 * waited for, since its code and data go away. */
__attribute__((destructor)) static void close_worker(void)
{
    struct timespec end;
    int status = 0;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 5;
    pthread_mutex_lock(&worker.lock);
    worker.is_closing = true;
    if (worker.current)
        ct__jit_cancel(worker.current);
    while (worker.is_running && status == 0)
        status = pthread_cond_timedwait(&worker.changed, &worker.lock, &end);
    pthread_mutex_unlock(&worker.lock);
}
