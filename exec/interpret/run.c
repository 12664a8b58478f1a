#include "exec/interpret/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static bool (*const meaning[CT__OP_COUNT])(const ct__eval *) = {
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, means, ...)        \
    [CT__OP_##name] = ct__meaning_##means,
#include "ops/ops.def"
#undef OP
};

bool ct__evaluate(const ct__eval *q)
{
    bool (*means)(const ct__eval *) = q->real_type ? ct__evaluate_reals : meaning[q->op];

    return q->numerics->evaluate ? q->numerics->evaluate(q, means) : means(q);
}

bool ct__is_identity(ct__op op)
{
    return meaning[op] == ct__meaning_identity;
}

bool ct__takes_repeated(ct__op op, size_t operand)
{
    const bool begins_as_operand = op == CT__OP_scatter || op == CT__OP_dynamic_update_slice;
    return meaning[op] == ct__meaning_binary || (begins_as_operand && operand == 0);
}

void ct__begin_as_operand(const ct__eval *q, size_t i)
{
    const ct_type *type = q->in_type[i];

    if (i < 32 && q->repeated >> i & 1)
        ct__fill_elements(q->numerics->element_bytes(type->dtype), (size_t)type->size, q->out[i],
                          q->in[i]);
    else if (q->out[i] != q->in[i])
        memcpy(q->out[i], q->in[i], ct__value_bytes(q->numerics, type));
}

bool ct__has_tensors_only(const ct__eval *q)
{
    for (size_t i = 0; i < q->n_operands; i++)
        if (q->in_type[i]->kind != CT__TENSOR)
            return false;
    for (size_t i = 0; i < q->n_results; i++)
        if (q->out_type[i]->kind != CT__TENSOR)
            return false;
    return true;
}

bool ct__run_fail(const ct__eval *q, ct_status status, const char *format, ...)
{
    ct__run_error *error = q->error;
    va_list arguments;

    error->status = status;
    error->at = q->at;
    int length = snprintf(error->message, sizeof error->message,
                          "%s: ", ct__op_describe(q->op)->name);
    va_start(arguments, format);
    vsnprintf(error->message + length, sizeof error->message - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* Where a value is in this run. */
static void *find(const ct__home *home, const void *const *param, void *const *result,
                  unsigned char *frame)
{
    switch (home->kind) {
    case CT__IN_PARAM: return (unsigned char *)(uintptr_t)param[home->index] + home->offset;
    case CT__IN_RESULT: return (unsigned char *)result[home->index] + home->offset;
    case CT__IN_CONSTANT: return (unsigned char *)(uintptr_t)home->data + home->offset;
    default: return frame + home->index + home->offset;
    }
}

static void run_copies(size_t count, const ct__copy *copy, const void *const *param,
                       void *const *result, unsigned char *frame)
{
    for (size_t i = 0; i < count; i++) {
        void *to = find(&copy[i].to, param, result, frame);
        const void *from = find(&copy[i].from, param, result, frame);
        if (copy[i].repeated > 0)
            ct__fill_elements(copy[i].repeated, copy[i].bytes / copy[i].repeated, to, from);
        else
            memcpy(to, from, copy[i].bytes);
    }
}

static inline bool run_step(const ct__plan *plan, const ct__step *step, const void *const *in,
                            void *const *out, unsigned char *frame, ct__run_error *error)
{
    if (step->fused) {
        plan->fusion->run(step->fused, in + step->operands_at, out + step->results_at,
                          frame + step->scratch_at);
        return true;
    }
    ct__eval q = step->eval;
    q.in = in + step->operands_at;
    q.out = out + step->results_at;
    q.scratch = frame + step->scratch_at;
    q.frame = frame + step->frame_at;
    q.error = error;
    return error->watch ? error->watch->evaluate(error->watch, plan->graph, step->node[0], &q)
                        : ct__evaluate(&q);
}

static uint64_t nanoseconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool run_steps(const ct__plan *plan, const void *const *in, void *const *out,
                      unsigned char *frame, ct__run_error *error)
{
    for (size_t i = 0; i < plan->n_steps; i++)
        if (!run_step(plan, &plan->step[i], in, out, frame, error))
            return false;
    return true;
}

static bool run_steps_timed(const ct__plan *plan, const void *const *in, void *const *out,
                            unsigned char *frame, ct__run_error *error)
{
    bool fine = true;
    for (size_t i = 0; fine && i < plan->n_steps; i++) {
        ct__step_time *time = &error->time[plan->first_step + i];
        const uint64_t began = nanoseconds_now();
        fine = run_step(plan, &plan->step[i], in, out, frame, error);
        time->nanoseconds += nanoseconds_now() - began;
        time->runs++;
    }
    return fine;
}

bool ct__plan_run(const ct__plan *plan, const void *const *param, void *const *result,
                  unsigned char *frame, ct__run_error *error)
{
    const void **in = (const void **)(void *)frame;
    void **out = (void **)(void *)(in + plan->n_operands);
    ct__stack_body *mark = error->stacks.newest;

    for (size_t i = 0; i < plan->n_operands; i++)
        in[i] = find(&plan->operand[i], param, result, frame);
    for (size_t i = 0; i < plan->n_results; i++)
        out[i] = find(&plan->result[i], param, result, frame);
    run_copies(plan->n_before, plan->before, param, result, frame);
    if (!(error->time ? run_steps_timed : run_steps)(plan, in, out, frame, error))
        return false;
    run_copies(plan->n_after, plan->after, param, result, frame);
    if (plan->rewinds)
        ct__stacks_rewind(&error->stacks, mark);
    return true;
}
