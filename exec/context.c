#include "exec/exec.h"

/* In reference numerics. */
static ct_status block_bytes(ct_context *ctx, ct__graph *graph, size_t *bytes)
{
    const ct__plan_options options = {.customs = &ctx->customs};
    ct__run_error error;
    ct__plan *plan = ct__plan_new(&ctx->allocator, graph, &ct__reference_numerics, &options,
                                  &error);

    *bytes = plan ? ct__plan_frame_bytes(plan) : 0;
    ct__plan_free(plan);
    return plan ? CT_OK : error.status;
}

static const ct__hooks hooks = {.evaluate = ct__evaluate_directly, .block_bytes = block_bytes};

ct_context *ct_context_new(void)
{
    return ct__context_new(&ct__libc_allocator, &hooks);
}

/* ---- An allocator without its functions is one that never has memory. */

static void *allocate_nothing(void *user, size_t bytes, size_t align)
{
    (void)user;
    (void)bytes;
    (void)align;
    return NULL;
}

static void release_nothing(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)memory;
    (void)bytes;
}

ct_context *ct_context_new_with(const ct_allocator *allocator)
{
    static const ct_allocator nothing = {
        .size = sizeof nothing, .allocate = allocate_nothing, .release = release_nothing};

    if (!allocator)
        return ct_context_new();
    if (allocator->size < sizeof *allocator || !allocator->allocate || !allocator->release)
        return ct__context_new(&nothing, &hooks);
    return ct__context_new(allocator, &hooks);
}
