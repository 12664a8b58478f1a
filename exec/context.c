#include "exec/exec.h"

static const ct__hooks hooks = {.evaluate = ct__evaluate_directly};

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
