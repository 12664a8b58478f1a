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
    session->provenance = ctx->provenance;
    ctx->provenance = (ct__provenance){.how = CT__WRITTEN};
    return true;
}

void ct__session_end(ct__session *session)
{
    session->ctx->provenance = session->provenance;
    ct__trace_abandon(session->ctx);
    ct_scope_end(session->scope);
    ct__arena_free(session->arena);
}

ct__provenance ct__provenance_of_rule(const ct__node *node, bool is_backward)
{
    const bool was_backward = node->provenance.how == CT__DERIVED_BACKWARD;
    return (ct__provenance){.how = is_backward || was_backward ? CT__DERIVED_BACKWARD : CT__DERIVED,
                            .of = node->provenance.how == CT__WRITTEN ? (uint16_t)node->op
                                                                      : node->provenance.of};
}
