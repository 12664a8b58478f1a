/* What every transform stands in: a trace of its own, a scope for its headers, an arena. */
#include "ad/derive.h"

#include <stdio.h>

bool ct__session_begin(ct__session *session, ct_context *ctx, ct_place at, ct__arena *arena,
                       const char *what, const ct__graph *graph)
{
    char name[128];
    snprintf(name, sizeof name, "%s_%s", what, graph->name);
    session->ctx = ctx;
    session->arena = arena;
    if (ct_failed(ctx))
        return false;
    session->scope = ct__scope_begin(ctx, at, what);
    if (!ct__trace_push(ctx, at, name, false)) {
        ct_scope_end(session->scope);
        return false;
    }
    ct__arena_init(arena, &ctx->allocator);
    return true;
}

void ct__session_end(ct__session *session)
{
    ct__trace_abandon(session->ctx);
    ct_scope_end(session->scope);
    ct__arena_free(session->arena);
}
