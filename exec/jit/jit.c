#include "exec/jit/jit.h"
#include "exec/jit/build.h"
#include "exec/jit/units.h"

#include <stdio.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Steps. */

static const void *prepare(const ct__fused *fused, ct__arena *arena, size_t *scratch_bytes)
{
    ct__fast_fusion *f = (ct__fast_fusion *)(uintptr_t)fused->fusion; /* its first member */
    ct__fast *step = CT__NEW(arena, ct__fast);
    if (!step)
        return NULL;
    step->tiles = ct__tiles_new(fused, arena, scratch_bytes);
    if (!step->tiles)
        return NULL;
    atomic_init(&step->function, NULL);
    step->kernel = ct__kernel_new(step->tiles, *scratch_bytes, arena, &step->declined);
    if (!step->kernel && !step->declined)
        return NULL;
    if (step->kernel)
        *scratch_bytes = step->kernel->scratch_bytes;
    step->table = (ct__kernel_table){step->tiles, ct__tiles_begin, ct__tiles_call};
    step->next = f->newest;
    f->newest = step;
    f->n++;
    return step;
}

static void run(const void *prepared, const void *const *in, void *const *out,
                unsigned char *scratch)
{
    ct__fast *step = (ct__fast *)(uintptr_t)prepared;
    ct__kernel_function *function = atomic_load_explicit(&step->function, memory_order_acquire);
    if (function)
        function(in, out, scratch, &step->table);
    else
        ct__tiles_run(step->tiles, in, out, scratch);
}

void ct__fast_fusion_begin(ct__fast_fusion *f)
{
    *f = (ct__fast_fusion){.fusion = {.divide = ct__divide, .prepare = prepare, .run = run}};
}

/* ---- What became of them. */

typedef enum phase { IDLE, READING, COMPILING, DONE } phase;

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

ct__jit *ct__jit_new(const ct__fast_fusion *steps)
{
    ct__jit *jit = calloc(1, sizeof *jit);
    if (!jit)
        return NULL;
    atomic_init(&jit->references, 1);
    atomic_init(&jit->cancelled, false);
    pthread_mutex_init(&jit->lock, NULL);
    pthread_cond_init(&jit->changed, NULL);
    jit->steps = steps;
    return jit;
}

static void release(ct__jit *jit)
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
    release(jit);
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
    pthread_mutex_lock(&jit->lock);
    if (!library)
        ct__give_reason(&jit->reason, "%s", reason.text);
    pthread_mutex_unlock(&jit->lock);
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
    ct__units units;
    if (!begin(jit))
        return;
    bool fine = ct__units_make(&units, jit->steps);
    fine = fine && (jit->library = calloc(units.n_units + 1, sizeof *jit->library));
    enter(jit, COMPILING);
    for (size_t i = 0; fine && i < units.n_units && !atomic_load(&jit->cancelled); i++)
        build_unit(jit, &units, i);
    ct__units_free(&units);
    pthread_mutex_lock(&jit->lock);
    if (!fine)
        ct__give_reason(&jit->reason, "out of memory");
    pthread_mutex_unlock(&jit->lock);
    enter(jit, DONE);
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
    }
    if (jit->reason.text[0])
        snprintf(state->reason, sizeof state->reason, "%s", jit->reason.text);
    pthread_mutex_unlock(&jit->lock);
}
