#include "exec/exec.h"

/* Plans the bodies; false after filling the error. */
static bool plan_regions(const ct__evaluation *e, ct__plan **region, ct__run_error *error)
{
    const ct__plan_options options = {.customs = &e->ctx->customs};

    for (size_t i = 0; i < e->n_regions; i++) {
        region[i] = ct__plan_new(&e->ctx->allocator, e->region[i], &ct__reference_numerics,
                                 &options, error);
        if (!region[i])
            return false;
    }
    return true;
}

/* The frame of the bodies, of which one runs at a time, and the scratch behind it. */
static ct_status memory_needed(const ct__eval *q, size_t *frame_bytes, size_t *bytes)
{
    size_t scratch;

    *frame_bytes = 0;
    for (size_t i = 0; i < q->n_regions; i++)
        if (ct__plan_frame_bytes(q->region[i]) > *frame_bytes)
            *frame_bytes = ct__plan_frame_bytes(q->region[i]);
    if (!ct__scratch_bytes(q, &scratch) || scratch > SIZE_MAX - *frame_bytes)
        return CT_ERR_RANGE;
    *bytes = scratch + *frame_bytes;
    return CT_OK;
}

/* Most operations need no memory beside their results. */
static bool evaluate_in(ct__eval *q, const ct_allocator *allocator)
{
    size_t frame_bytes, bytes;
    unsigned char *memory = NULL;

    if (memory_needed(q, &frame_bytes, &bytes) != CT_OK)
        return ct__run_fail(q, CT_ERR_RANGE, "the memory of a run is too large to address");
    if (bytes > 0 || q->n_regions > 0) {
        memory = ct__alloc_elements(allocator, bytes);
        if (!memory)
            return ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
        q->frame = memory;
        q->scratch = memory + frame_bytes;
    }
    bool fine = ct__evaluate(q);
    ct__release(allocator, memory, bytes);
    return fine;
}

/* A stack lives inside of a run. */
static bool check_types(const ct__eval *q)
{
    for (size_t i = 0; i < q->n_operands + q->n_results; i++)
        if (ct__has_stack(i < q->n_operands ? q->in_type[i] : q->out_type[i - q->n_operands]))
            return ct__run_fail(q, CT_ERR_UNSUPPORTED,
                                "stacks live inside of a run: trace the function and compile it");
    return true;
}

bool ct__evaluate_directly(const ct__evaluation *e)
{
    ct__run_error error = {.status = CT_ERR_MEMORY,
                           .at = e->at,
                           .message = "out of memory",
                           .draws = {.count = e->ctx->n_drawn},
                           .stacks = {.allocator = &e->ctx->allocator}};
    ct__arena *arena = ct__scratch_begin(e->ctx);
    ct__plan **region = CT__NEW_ARRAY(arena, ct__plan *, e->n_regions);
    ct__eval q = {.numerics = &ct__reference_numerics,
                  .op = e->op,
                  .attrs = e->attrs,
                  .at = e->at,
                  .n_operands = e->n_operands,
                  .in_type = e->in_type,
                  .in = e->in,
                  .n_results = e->n_results,
                  .out_type = e->out_type,
                  .out = e->out,
                  .n_regions = e->n_regions,
                  .region = region,
                  .error = &error};
    bool fine = region && check_types(&q) && ct__find_reals(&q, arena) &&
                plan_regions(e, region, &error) && ct__find_custom(&q, &e->ctx->customs) &&
                evaluate_in(&q, &e->ctx->allocator);

    ct__stacks_free(&error.stacks);
    e->ctx->n_drawn = error.draws.count;
    for (size_t i = 0; region && i < e->n_regions; i++)
        ct__plan_free(region[i]);
    ct__scratch_end(e->ctx);
    if (!fine)
        ct__report_run_error(e->ctx, e->at, ct__op_describe(e->op)->name, &error);
    return fine;
}
