#include "ad/derive.h"

#include <string.h>

/* One callee derived by one mask. What it is made of depends on the kind: a jvp has graph and flags
 * (its live results), a transpose graph, a cut cut. */
typedef struct derived {
    struct derived *next;
    ct__derivation kind;
    ct__graph *source; /* held, so that its address stays its own */
    const bool *mask;  /* per parameter */
    ct__graph *graph;
    const bool *flags;
    ct__cut cut;
} derived;

#define BUCKETS 64

struct ct__derivations {
    size_t users;
    ct__arena arena;
    derived *bucket[BUCKETS];
};

bool ct__derivations_begin(ct_context *ctx, ct_place at, const char *what)
{
    if (ct_failed(ctx))
        return false;
    if (!ctx->derivations) {
        ctx->derivations = ct__alloc_zeroed(&ctx->allocator, sizeof *ctx->derivations);
        if (!ctx->derivations) {
            ct__error_memory(ctx, at, what);
            return false;
        }
        ct__arena_init(&ctx->derivations->arena, &ctx->allocator);
    }
    ctx->derivations->users++;
    return true;
}

void ct__derivations_end(ct_context *ctx)
{
    struct ct__derivations *all = ctx->derivations;
    if (--all->users > 0)
        return;
    for (size_t b = 0; b < BUCKETS; b++) {
        for (derived *d = all->bucket[b]; d; d = d->next) {
            ct__graph_release(d->source);
            ct__graph_release(d->graph);
            ct__cut_free(&d->cut);
        }
    }
    ct__arena_free(&all->arena);
    ct__release(&ctx->allocator, all, sizeof *all);
    ctx->derivations = NULL;
}

static derived **bucket_of(ct_context *ctx, const ct__graph *source)
{
    return &ctx->derivations->bucket[((uintptr_t)source >> 6) % BUCKETS];
}

static derived *find(ct_context *ctx, ct__derivation kind, const ct__graph *source,
                     const bool *mask)
{
    derived *d = *bucket_of(ctx, source);
    while (d && (d->kind != kind || d->source != source ||
                 memcmp(d->mask, mask, source->n_params * sizeof *mask) != 0))
        d = d->next;
    return d;
}

/* A new entry that is not listed yet; NULL after an error. */
static derived *prepare(ct_context *ctx, ct_place at, ct__derivation kind, ct__graph *source,
                        const bool *mask)
{
    ct__arena *arena = &ctx->derivations->arena;
    derived *d = CT__NEW(arena, derived);
    bool *flags = CT__NEW_ARRAY(arena, bool, source->n_results);
    const bool *copy = ct__arena_copy(arena, mask, source->n_params * sizeof *mask);
    if (!d || !flags || !copy) {
        ct__error_memory(ctx, at, source->name);
        return NULL;
    }
    *d = (derived){.kind = kind, .source = source, .mask = copy, .flags = flags};
    return d;
}

static void list(ct_context *ctx, derived *d)
{
    derived **bucket = bucket_of(ctx, d->source);
    ct__graph_retain(d->source);
    d->next = *bucket;
    *bucket = d;
}

ct__graph *ct__callee_jvp(ct_context *ctx, ct_place at, ct__graph *callee, const bool *live_in,
                          const bool **live_out)
{
    derived *d = find(ctx, CT__DERIVED_JVP, callee, live_in);
    if (!d) {
        d = prepare(ctx, at, CT__DERIVED_JVP, callee, live_in);
        if (!d)
            return NULL;
        d->graph = ct__graph_jvp(ctx, at, callee, live_in, NULL, (bool *)d->flags);
        if (!d->graph)
            return NULL;
        list(ctx, d);
    }
    *live_out = d->flags;
    return d->graph;
}

const ct__cut *ct__callee_cut(ct_context *ctx, ct_place at, ct__graph *callee, const bool *unknown)
{
    derived *d = find(ctx, CT__DERIVED_CUT, callee, unknown);
    if (!d) {
        d = prepare(ctx, at, CT__DERIVED_CUT, callee, unknown);
        if (!d || !ct__graph_cut(ctx, at, callee, unknown, NULL, &ctx->derivations->arena, &d->cut))
            return NULL;
        list(ctx, d);
    }
    return &d->cut;
}

ct__graph *ct__callee_transpose(ct_context *ctx, ct_place at, ct__graph *callee, const bool *linear)
{
    derived *d = find(ctx, CT__DERIVED_TRANSPOSE, callee, linear);
    if (!d) {
        d = prepare(ctx, at, CT__DERIVED_TRANSPOSE, callee, linear);
        if (!d)
            return NULL;
        d->graph = ct__graph_transpose(ctx, at, callee, linear, false);
        if (!d->graph)
            return NULL;
        list(ctx, d);
    }
    return d->graph;
}
