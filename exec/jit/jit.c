#include "exec/jit/jit.h"
#include "exec/cpu/share.h"
#include "exec/jit/build.h"
#include "exec/jit/units.h"
#include "exec/jit/worker.h"

#include <stdio.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Steps. */

/* Elements times instructions, each of which costs as much as some elements. */
static uint64_t work_of(const ct__tiles *tiles)
{
    enum { OVERHEAD = 100 };
    const uint64_t runs = (tiles->rows + tiles->tile - 1) / tiles->tile;
    return (tiles->rows * tiles->columns + runs * OVERHEAD) * tiles->n_instructions;
}

/* Of one thread. */
static size_t scratch_of(const ct__fast *step)
{
    return step->kernel ? step->kernel->scratch_bytes : step->tiles->scratch_bytes;
}

static const void *prepare(const ct__fused *fused, ct__arena *arena, size_t *scratch_bytes)
{
    ct__fast_fusion *f = (ct__fast_fusion *)(uintptr_t)fused->fusion; /* its first member */
    ct__fast *step = CT__NEW(arena, ct__fast);
    if (!step)
        return NULL;
    step->fusion = f;
    step->tiles = ct__tiles_new(fused, arena);
    if (!step->tiles)
        return NULL;
    atomic_init(&step->function, NULL);
    step->kernel = ct__kernel_new(step->tiles, arena, &step->declined);
    if (!step->kernel && !step->declined)
        return NULL;
    if (step->kernel)
        step->work = work_of(step->tiles);
    *scratch_bytes = ct__sharing_bytes(step->tiles, scratch_of(step));
    step->table = (ct__kernel_table){step->tiles, ct__tiles_begin, ct__tiles_call, ct__tiles_feed};
    step->next = f->newest;
    f->newest = step;
    f->n++;
    return step;
}

/* A compiler is worth its while when as much time has been spent without it as it takes: about a
 * tenth of a second. */
static const uint64_t worth_compiling = (uint64_t)1 << 28;

static void spend(ct__fast *step)
{
    ct__fast_fusion *f = step->fusion;
    if (!f->jit)
        return;
    const uint64_t before = atomic_load_explicit(&f->spent, memory_order_relaxed);
    const uint64_t spent = before + step->work;
    if (before >= worth_compiling)
        return;
    atomic_store_explicit(&f->spent, spent, memory_order_relaxed);
    if (spent >= worth_compiling)
        ct__jit_start(f->jit);
}

typedef struct call {
    const ct__fast *step;
    ct__kernel_function *function; /* NULL: on the tile machine */
    const void *const *in;
    void *const *out;
} call;

static void compute(void *user, size_t first, size_t end, unsigned char *scratch)
{
    const call *c = user;
    if (c->function)
        c->function(c->in, c->out, scratch, &c->step->table, first, end);
    else
        ct__tiles_run_rows(c->step->tiles, first, end, c->in, c->out, scratch);
}

static ct__sharing sharing_of(call *c)
{
    const ct__tiles *tiles = c->step->tiles;
    return (ct__sharing){.tiles = tiles,
                         .rows = c->function ? c->step->kernel->rows : tiles->rows,
                         .unit = c->function ? c->step->kernel->unit : tiles->unit,
                         .in = c->in,
                         .out = c->out,
                         .scratch_bytes = scratch_of(c->step),
                         .compute = compute,
                         .user = c};
}

static void run(const void *prepared, const void *const *in, void *const *out,
                unsigned char *scratch)
{
    ct__fast *step = (ct__fast *)(uintptr_t)prepared;
    call c = {step, atomic_load_explicit(&step->function, memory_order_acquire), in, out};
    if (!c.function)
        spend(step);
    if (!step->tiles->threads) {
        compute(&c, 0, step->tiles->rows, scratch);
        return;
    }
    ct__sharing s = sharing_of(&c);
    s.scratch = scratch;
    ct__share_rows(&s);
}

void ct__fast_fusion_begin(ct__fast_fusion *f)
{
    *f = (ct__fast_fusion){.fusion = {.divide = ct__divide, .prepare = prepare, .run = run}};
    atomic_init(&f->spent, 0);
}

/* ---- What became of them. */

typedef enum phase { IDLE, QUEUED, READING, COMPILING, DONE } phase;

struct ct__jit {
    atomic_size_t references;
    atomic_bool cancelled;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    phase phase;                  /* READING: the steps, which then must not go */
    const ct__fast_fusion *steps; /* NULL: they are no more */
    size_t compiled, failed, n_libraries;
    void **library;
    ct__reason reason;
};

/* Waiting is not disturbed when somebody sets the clock. */
static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

ct__jit *ct__jit_new(const ct__fast_fusion *steps)
{
    ct__jit *jit = calloc(1, sizeof *jit);
    if (!jit)
        return NULL;
    atomic_init(&jit->references, 1);
    atomic_init(&jit->cancelled, false);
    pthread_mutex_init(&jit->lock, NULL);
    init_condition(&jit->changed);
    jit->steps = steps;
    return jit;
}

void ct__jit_release(ct__jit *jit)
{
    if (atomic_fetch_sub(&jit->references, 1) > 1)
        return;
    for (size_t i = 0; i < jit->n_libraries; i++)
        dlclose(jit->library[i]);
    free(jit->library);
    pthread_cond_destroy(&jit->changed);
    pthread_mutex_destroy(&jit->lock);
    free(jit);
}

void ct__jit_leave(ct__jit *jit)
{
    if (!jit)
        return;
    pthread_mutex_lock(&jit->lock);
    atomic_store(&jit->cancelled, true);
    while (jit->phase == READING)
        pthread_cond_wait(&jit->changed, &jit->lock);
    jit->steps = NULL;
    pthread_mutex_unlock(&jit->lock);
    ct__jit_release(jit);
}

/* What is not compiled yet will not be. */
void ct__jit_fail(ct__jit *jit, const char *reason)
{
    pthread_mutex_lock(&jit->lock);
    ct__give_reason(&jit->reason, "%s", reason);
    pthread_mutex_unlock(&jit->lock);
}

static void enter(ct__jit *jit, phase next)
{
    pthread_mutex_lock(&jit->lock);
    jit->phase = next;
    pthread_cond_broadcast(&jit->changed);
    pthread_mutex_unlock(&jit->lock);
}

/* ---- Compiling. */

/* The functions of a unit take the place of the tile machine; NULL library: they are not to come.
 */
static void install(ct__jit *jit, const ct__units *units, size_t unit, void *library)
{
    char name[CT__FUNCTION_NAME_BYTES];
    pthread_mutex_lock(&jit->lock);
    for (size_t i = 0; jit->steps && i < units->n_steps; i++) {
        ct__kernel_function *function = NULL;
        if (units->function[units->function_of[i]].unit != unit)
            continue;
        ct__function_name(units->function_of[i], name);
        void *symbol = library ? dlsym(library, name) : NULL;
        memcpy(&function, &symbol, sizeof function);
        if (function)
            atomic_store_explicit(&units->step[i]->function, function, memory_order_release);
        ++*(function ? &jit->compiled : &jit->failed);
    }
    if (library)
        jit->library[jit->n_libraries++] = library;
    pthread_mutex_unlock(&jit->lock);
}

static void build_unit(ct__jit *jit, const ct__units *units, size_t unit)
{
    ct__text code;
    ct__reason reason = {""};
    void *library = NULL;
    ct__text_init(&code, &ct__libc_allocator);
    ct__unit_code(units, unit, &code);
    if (code.failed)
        ct__give_reason(&reason, "out of memory");
    else
        library = ct__load_code(code.data, &jit->cancelled, &reason);
    ct__text_free(&code);
    install(jit, units, unit, library);
    if (!library)
        ct__jit_fail(jit, reason.text);
}

static bool begin(ct__jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    const bool here = jit->steps != NULL;
    jit->phase = here ? READING : DONE;
    pthread_mutex_unlock(&jit->lock);
    return here;
}

void ct__jit_build(ct__jit *jit)
{
    ct__units units = {0};
    if (!begin(jit))
        return;
    bool fine = ct__units_make(&units, jit->steps);
    fine = fine && (jit->library = calloc(units.n_units + 1, sizeof *jit->library));
    enter(jit, COMPILING);
    for (size_t i = 0; fine && i < units.n_units && !atomic_load(&jit->cancelled); i++)
        build_unit(jit, &units, i);
    ct__units_free(&units);
    if (!fine)
        ct__jit_fail(jit, "out of memory");
    enter(jit, DONE);
}

/* ---- In the background. */

void ct__jit_start(ct__jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    const bool first = jit->phase == IDLE;
    jit->phase = first ? QUEUED : jit->phase;
    pthread_mutex_unlock(&jit->lock);
    if (!first)
        return;
    atomic_fetch_add(&jit->references, 1);
    if (ct__worker_add(jit))
        return;
    ct__jit_fail(jit, "no thread to compile in");
    enter(jit, DONE);
    atomic_fetch_sub(&jit->references, 1); /* the caller holds another */
}

bool ct__jit_wait(ct__jit *jit, double seconds)
{
    struct timespec end;
    int status = 0;
    ct__jit_start(jit);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double whole = seconds < 0 ? 0 : seconds > 1e6 ? 1e6 : seconds;
    end.tv_sec += (time_t)whole;
    end.tv_nsec += (long)(1e9 * (whole - (double)(time_t)whole));
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&jit->lock);
    while (jit->phase != DONE && status == 0)
        status = pthread_cond_timedwait(&jit->changed, &jit->lock, &end);
    const bool done = jit->phase == DONE;
    pthread_mutex_unlock(&jit->lock);
    return done;
}

/* ---- Looking. */

static void count_declined(const ct__fast_fusion *steps, ct_executable_state *state)
{
    for (const ct__fast *step = steps->newest; step; step = step->next) {
        if (step->kernel)
            continue;
        state->declined++;
        snprintf(state->reason, sizeof state->reason, "%s", step->declined);
    }
}

void ct__jit_status(ct__jit *jit, ct_executable_state *state)
{
    pthread_mutex_lock(&jit->lock);
    if (jit->steps) {
        state->kernels = jit->steps->n;
        count_declined(jit->steps, state);
        state->compiled = jit->compiled;
        state->failed = jit->failed;
        state->waiting = state->kernels - state->declined - jit->compiled - jit->failed;
        if (jit->phase == DONE) {
            state->failed += state->waiting;
            state->waiting = 0;
        }
    }
    if (jit->reason.text[0])
        snprintf(state->reason, sizeof state->reason, "%s", jit->reason.text);
    pthread_mutex_unlock(&jit->lock);
}

/* ---- A process that forks: the child has no thread that compiles. */

void ct__jit_before_fork(ct__jit *jit)
{
    pthread_mutex_lock(&jit->lock);
}

void ct__jit_after_fork(ct__jit *jit, bool is_child)
{
    if (is_child)
        jit->phase = DONE;
    pthread_mutex_unlock(&jit->lock);
}

void ct__jit_cancel(ct__jit *jit)
{
    atomic_store(&jit->cancelled, true);
}
