#include "ad/batch.h"
#include "ad/remake.h"

#include <string.h>

/* One graph derived by one mask. What it is made of depends on the kind: a jvp has graph and flags
 * (its live results), a batched one graph and flags (its batched results), a transpose graph, one
 * onto sums graph and flags (its params with a sum), a cut cut; the analyses have flags (per
 * result, that of places per param). */
typedef struct derived {
    struct derived *next;
    ct__derivation kind;
    ct__graph *source; /* held, so that its address stays its own */
    const bool *mask;  /* per parameter */
    int64_t size;      /* of batched ones: how many lanes; else 0 */
    size_t hash;
    ct__graph *graph;
    bool *flags;
    ct__cut cut;
} derived;

struct ct__derivations {
    size_t users;
    bool to_reverse;
    ct__arena arena;
    size_t count, n_buckets; /* a power of two */
    derived **bucket;
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

static void release(derived *d)
{
    ct__graph_release(d->source);
    ct__graph_release(d->graph);
    ct__cut_free(&d->cut);
}

void ct__derivations_end(ct_context *ctx)
{
    struct ct__derivations *all = ctx->derivations;
    if (--all->users > 0)
        return;
    for (size_t b = 0; b < all->n_buckets; b++)
        for (derived *d = all->bucket[b]; d; d = d->next)
            release(d);
    ct__arena_free(&all->arena);
    ct__release(&ctx->allocator, all->bucket, all->n_buckets * sizeof(derived *));
    ct__release(&ctx->allocator, all, sizeof *all);
    ctx->derivations = NULL;
}

bool ct__derive_to_reverse(ct_context *ctx, bool to_reverse)
{
    bool before = ctx->derivations->to_reverse;
    ctx->derivations->to_reverse = to_reverse;
    return before;
}

bool ct__derives_to_reverse(const ct_context *ctx)
{
    return ctx->derivations->to_reverse;
}

/* ---- Looking up: by kind, graph and mask. */

static size_t hash_of(ct__derivation kind, const ct__graph *source, const bool *mask)
{
    uint64_t hash = ((uintptr_t)source >> 4) * 0x9E3779B97F4A7C15u + (uint64_t)kind;
    for (size_t i = 0; i < source->n_params; i++)
        hash = (hash ^ mask[i]) * 0x100000001B3u; /* FNV-1a */
    return (size_t)(hash ^ hash >> 32);
}

static derived *find(ct_context *ctx, ct__derivation kind, const ct__graph *source,
                     const bool *mask, int64_t size)
{
    const struct ct__derivations *all = ctx->derivations;
    if (all->count == 0)
        return NULL;
    size_t hash = hash_of(kind, source, mask);
    derived *d = all->bucket[hash & (all->n_buckets - 1)];
    while (d && (d->hash != hash || d->kind != kind || d->source != source || d->size != size ||
                 memcmp(d->mask, mask, source->n_params * sizeof *mask) != 0))
        d = d->next;
    return d;
}

/* Keeps the table at most full. */
static bool grow(ct_context *ctx)
{
    struct ct__derivations *all = ctx->derivations;
    if (all->count < all->n_buckets)
        return true;
    size_t n = all->n_buckets ? 2 * all->n_buckets : 64;
    derived **bucket = ct__alloc_zeroed(&ctx->allocator, n * sizeof(derived *));
    if (!bucket)
        return false;
    for (size_t b = 0; b < all->n_buckets; b++) {
        for (derived *d = all->bucket[b], *next; d; d = next) {
            next = d->next;
            d->next = bucket[d->hash & (n - 1)];
            bucket[d->hash & (n - 1)] = d;
        }
    }
    ct__release(&ctx->allocator, all->bucket, all->n_buckets * sizeof(derived *));
    all->bucket = bucket;
    all->n_buckets = n;
    return true;
}

/* A new entry that is not listed yet; NULL after an error. */
static derived *prepare(ct_context *ctx, ct_place at, ct__derivation kind, ct__graph *source,
                        const bool *mask, int64_t size)
{
    ct__arena *arena = &ctx->derivations->arena;
    derived *d = CT__NEW(arena, derived);
    bool *flags = CT__NEW_ARRAY(arena, bool, source->n_params + source->n_results);
    const bool *copy = ct__arena_copy(arena, mask, source->n_params * sizeof *mask);
    if (!d || !flags || !copy || !grow(ctx)) {
        ct__error_memory(ctx, at, source->name);
        return NULL;
    }
    *d = (derived){.kind = kind,
                   .source = source,
                   .mask = copy,
                   .size = size,
                   .hash = hash_of(kind, source, mask),
                   .flags = flags};
    return d;
}

/* Other entries may have been listed meanwhile, so the table may have grown. */
static void list(ct_context *ctx, derived *d)
{
    struct ct__derivations *all = ctx->derivations;
    derived **bucket = &all->bucket[d->hash & (all->n_buckets - 1)];
    ct__graph_retain(d->source);
    d->next = *bucket;
    *bucket = d;
    all->count++;
}

/* ---- The derivations. */

static ct__graph *transpose_onto(ct_context *ctx, ct_place at, derived *d)
{
    const bool *in_places = ct__read_in_places(ctx, at, d->source);
    for (size_t i = 0; in_places && i < d->source->n_params; i++)
        d->flags[i] = d->mask[i] && in_places[i];
    return in_places ? ct__graph_transpose_onto(ctx, at, d->source, d->mask, d->flags) : NULL;
}

static bool derive(ct_context *ctx, ct_place at, derived *d)
{
    switch (d->kind) {
    case CT__DERIVED_JVP:
    case CT__DERIVED_JVP_TO_REVERSE:
        d->graph = ct__graph_jvp(ctx, at, d->source, d->mask, NULL, d->flags);
        return d->graph != NULL;
    case CT__DERIVED_CUT:
    case CT__DERIVED_CUT_AS_READ:
        return ct__graph_cut(ctx, at, d->source, d->mask, NULL,
                             d->kind == CT__DERIVED_CUT ? &ct__prices_of_body : NULL,
                             &ctx->derivations->arena, &d->cut);
    case CT__DERIVED_TRANSPOSE:
        d->graph = ct__graph_transpose(ctx, at, d->source, d->mask);
        return d->graph != NULL;
    case CT__DERIVED_TRANSPOSE_ONTO: d->graph = transpose_onto(ctx, at, d); return d->graph != NULL;
    case CT__DERIVED_PLACES: return ct__find_places(ctx, at, d->source, false, d->flags);
    case CT__DERIVED_READ: return ct__find_read_params(ctx, at, d->source, d->flags);
    case CT__DERIVED_LANES:
    case CT__DERIVED_MASKED_LANES:
        d->graph = ct__graph_batch(ctx, at, d->source, d->size, d->kind == CT__DERIVED_MASKED_LANES,
                                   d->mask, NULL, d->flags);
        return d->graph != NULL;
    case CT__DERIVED_BATCHED: return ct__find_batched(ctx, at, d->source, d->mask, d->flags);
    case CT__DERIVED_LIVE: return ct__find_live(ctx, at, d->source, d->mask, d->flags);
    case CT__DERIVED_UNKNOWN: return ct__find_unknown(ctx, at, d->source, d->mask, d->flags);
    }
    return false;
}

/* The entry, made when it is not there; NULL after an error. */
static derived *obtain_sized(ct_context *ctx, ct_place at, ct__derivation kind, ct__graph *source,
                             const bool *mask, int64_t size)
{
    derived *d = find(ctx, kind, source, mask, size);
    if (d)
        return d;
    d = prepare(ctx, at, kind, source, mask, size);
    if (!d || !derive(ctx, at, d))
        return NULL;
    list(ctx, d);
    return d;
}

static derived *obtain(ct_context *ctx, ct_place at, ct__derivation kind, ct__graph *source,
                       const bool *mask)
{
    return obtain_sized(ctx, at, kind, source, mask, 0);
}

ct__graph *ct__derived_jvp(ct_context *ctx, ct_place at, ct__graph *source, const bool *live_in,
                           const bool **live_out)
{
    ct__derivation kind = ctx->derivations->to_reverse ? CT__DERIVED_JVP_TO_REVERSE
                                                       : CT__DERIVED_JVP;
    derived *d = obtain(ctx, at, kind, source, live_in);
    *live_out = d ? d->flags : NULL;
    return d ? d->graph : NULL;
}

const ct__cut *ct__derived_cut(ct_context *ctx, ct_place at, ct__graph *source, const bool *unknown,
                               bool as_read)
{
    derived *d = obtain(ctx, at, as_read ? CT__DERIVED_CUT_AS_READ : CT__DERIVED_CUT, source,
                        unknown);
    return d ? &d->cut : NULL;
}

ct__graph *ct__derived_transpose(ct_context *ctx, ct_place at, ct__graph *source,
                                 const bool *linear)
{
    derived *d = obtain(ctx, at, CT__DERIVED_TRANSPOSE, source, linear);
    return d ? d->graph : NULL;
}

ct__graph *ct__derived_transpose_onto(ct_context *ctx, ct_place at, ct__graph *source,
                                      const bool *linear, const bool **onto)
{
    derived *d = obtain(ctx, at, CT__DERIVED_TRANSPOSE_ONTO, source, linear);
    *onto = d ? d->flags : NULL;
    return d ? d->graph : NULL;
}

/* Of an analysis that has no mask. */
static const bool *obtain_flags(ct_context *ctx, ct_place at, ct__derivation kind,
                                ct__graph *source)
{
    const bool *none = CT__NEW_ARRAY(&ctx->derivations->arena, bool, source->n_params);
    if (!none)
        ct__error_memory(ctx, at, source->name);
    derived *d = none ? obtain(ctx, at, kind, source, none) : NULL;
    return d ? d->flags : NULL;
}

const bool *ct__read_in_places(ct_context *ctx, ct_place at, ct__graph *source)
{
    return obtain_flags(ctx, at, CT__DERIVED_PLACES, source);
}

const bool *ct__read_params(ct_context *ctx, ct_place at, ct__graph *source)
{
    return obtain_flags(ctx, at, CT__DERIVED_READ, source);
}

const bool *ct__live_results(ct_context *ctx, ct_place at, ct__graph *source, const bool *live)
{
    derived *d = obtain(ctx, at, CT__DERIVED_LIVE, source, live);
    return d ? d->flags : NULL;
}

const bool *ct__unknown_results(ct_context *ctx, ct_place at, ct__graph *source,
                                const bool *unknown)
{
    derived *d = obtain(ctx, at, CT__DERIVED_UNKNOWN, source, unknown);
    return d ? d->flags : NULL;
}

ct__graph *ct__derived_lanes(ct_context *ctx, ct_place at, ct__graph *source, int64_t size,
                             bool is_masked, const bool *batched, const bool **batched_out)
{
    ct__derivation kind = is_masked ? CT__DERIVED_MASKED_LANES : CT__DERIVED_LANES;
    derived *d = obtain_sized(ctx, at, kind, source, batched, size);
    *batched_out = d ? d->flags : NULL;
    return d ? d->graph : NULL;
}

const bool *ct__batched_results(ct_context *ctx, ct_place at, ct__graph *source,
                                const bool *batched)
{
    derived *d = obtain(ctx, at, CT__DERIVED_BATCHED, source, batched);
    return d ? d->flags : NULL;
}
