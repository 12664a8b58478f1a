#include "tests/equal/equal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAYS = 128 };

typedef struct way {
    char name[96];
    ct_compile_options options;
} way;

static const ct_compile_options machine = {.size = sizeof machine, .executor = CT_EXECUTOR_MACHINE};

/* ---- The list. */

static void add_way(way *list, size_t *n, const char *what, ct_executor executor, const char *off)
{
    way *w = &list[(*n)++];
    snprintf(w->name, sizeof w->name, "%s%s%s", what, off ? " without " : "", off ? off : "");
    w->options = (ct_compile_options){.size = sizeof w->options,
                                      .executor = executor,
                                      .passes_off = off,
                                      .jit = executor == CT_EXECUTOR_JIT ? CT_JIT_NOW : CT_JIT_OFF};
}

static void add_threads(way *list, size_t *n, const char *what, ct_executor executor)
{
    static const size_t threads[] = {2, 3, 8};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        way *w = &list[*n];
        add_way(list, n, what, executor, NULL);
        snprintf(w->name, sizeof w->name, "%s, %zu threads", what, threads[i]);
        w->options.threads = threads[i];
    }
}

static void add_executor(way *list, size_t *n, const char *what, ct_executor executor,
                         bool each_pass)
{
    const char *pass;
    add_way(list, n, what, executor, NULL);
    add_way(list, n, what, executor, "all");
    add_way(list, n, what, executor, "folding"); /* what constants give is computed by the run */
    for (size_t i = 0; each_pass && (pass = ct_pass_name(i, NULL)); i++)
        if (strcmp(pass, "folding") != 0)
            add_way(list, n, what, executor, pass);
}

/* What a full cache changes nothing of is run with threads then. */
static size_t list_ways(amount how_many, way *list)
{
    size_t n = 0;
    if (how_many == SOME)
        add_threads(list, &n, "cpu", CT_EXECUTOR_CPU);
    else
        add_executor(list, &n, "cpu", CT_EXECUTOR_CPU, true);
    if (how_many != TILES)
        add_executor(list, &n, "jit", CT_EXECUTOR_JIT, how_many == ALL);
    if (how_many == ALL) {
        add_threads(list, &n, "cpu", CT_EXECUTOR_CPU);
        add_threads(list, &n, "jit", CT_EXECUTOR_JIT);
    }
    return n;
}

size_t count_ways(amount how_many)
{
    way list[MOST_WAYS];
    return list_ways(how_many, list);
}

/* ---- Outcomes: results, then what the checks looked at. */

typedef struct outcome {
    ct_status status;
    size_t n;
    ct_tensor **item; /* to be freed */
} outcome;

/* Tensors of what was seen, behind the results. */
static void add_seen(const subject *s, outcome *o)
{
    ct_tensor **more = realloc(o->item, (o->n + s->seen->count + 1) * sizeof *more);
    if (!more)
        return;
    o->item = more;
    for (size_t i = 0; i < s->seen->count; i++) {
        const struct seen *x = &s->seen->item[i];
        o->item[o->n++] = ct_from_data(s->ctx, x->dtype, CT_SHAPE(x->size), x->data);
    }
}

static outcome call(const subject *s, ct_executable *e)
{
    outcome o = {.n = ct_function_results(s->f)};
    o.item = calloc(o.n + 1, sizeof *o.item);
    forget(s->seen);
    if (o.item)
        ct_call(e, s->arguments, o.item, o.n);
    o.status = o.item ? ct_error_status(s->ctx) : CT_ERR_MEMORY;
    ct_error_clear(s->ctx);
    if (o.status == CT_OK)
        add_seen(s, &o);
    return o;
}

/* ---- Comparing. */

static bool have_same_bytes(ct_tensor *x, ct_tensor *y)
{
    const ct_dtype dtype = ct_dtype_of(x);
    if (dtype != ct_dtype_of(y) || dtype == CT_INVALID_DTYPE || ct_size(x) != ct_size(y))
        return false;
    return memcmp(ct_data(x), ct_data(y), (size_t)ct_size(x) * ct_dtype_bytes(dtype)) == 0;
}

/* Element by element ==, but that a NaN is a NaN. */
static bool are_same(ct_tensor *x, ct_tensor *y)
{
    return have_same_bytes(x, y) || ct_equal(x, y);
}

static bool compare(const subject *s, const way *w, const outcome *want, const outcome *got,
                    const char *which)
{
    if (want->status != got->status || want->n != got->n) {
        printf("%s %s: %s: %s: %s with %zu values, not %s with %zu\n", s->file, s->part, w->name,
               which, ct_status_name(got->status), got->n, ct_status_name(want->status), want->n);
        return false;
    }
    for (size_t i = 0; want->status == CT_OK && i < want->n; i++)
        if (!are_same(want->item[i], got->item[i])) {
            printf("%s %s: %s: %s: value %zu of %zu differs\n", s->file, s->part, w->name, which, i,
                   want->n);
            return false;
        }
    return true;
}

/* Two calls; what an executor left of the first one must not be seen in the second. */
static void run_way(const subject *s, const way *w, const outcome *want, tally *t)
{
    static const char *const which[] = {"first run", "second run"};
    ct_scope scope = ct_scope_begin(s->ctx);
    ct_executable *e = ct_compile(s->f, &w->options);
    bool fine = true;
    for (size_t i = 0; fine && i < 2; i++) {
        outcome got = call(s, e);
        fine = compare(s, w, want, &got, which[i]);
        free(got.item);
        t->runs++;
    }
    t->different += !fine;
    ct_scope_end(scope);
}

void compare_ways(const subject *s, amount how_many, tally *t)
{
    way list[MOST_WAYS];
    const size_t n = list_ways(how_many, list);
    ct_scope scope = ct_scope_begin(s->ctx);
    outcome want = call(s, ct_compile(s->f, &machine));
    t->programs++;
    if (want.status == CT_ERR_UNSUPPORTED || want.status == CT_ERR_POISON)
        t->skipped++;
    else
        for (size_t i = 0; i < n; i++)
            run_way(s, &list[i], &want, t);
    free(want.item);
    ct_scope_end(scope);
}
