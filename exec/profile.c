#include "exec/profile.h"

/* One block: the profile, its items, its times. */
static size_t profile_bytes(size_t n)
{
    return sizeof(ct__profile) + n * (sizeof(ct__profiled) + sizeof(ct__step_time));
}

/* Every step has an item: the outermost plan is numbered last. */
static size_t count_steps(const ct__plan *plan)
{
    return plan->first_step + plan->n_steps;
}

/* A body that has been listed has its mark where its first step's time is counted. */
static void list_steps(ct__profile *p, const ct__plan *plan, int depth)
{
    enum { LISTED = 1 };
    if (plan->n_steps == 0 || p->time[plan->first_step].runs == LISTED)
        return;
    p->time[plan->first_step].runs = LISTED;
    for (size_t i = 0; i < plan->n_steps; i++) {
        const ct__step *step = &plan->step[i];
        p->item[p->n++] = (ct__profiled){plan, i, depth};
        for (size_t k = 0; !step->fused && k < step->eval.n_regions; k++)
            list_steps(p, step->eval.region[k], depth + 1);
    }
}

ct__profile *ct__profile_new(const ct_allocator *allocator, const ct__plan *plan)
{
    const size_t n = count_steps(plan);
    ct__profile *p = ct__alloc_zeroed(allocator, profile_bytes(n));
    if (!p)
        return NULL;
    p->bytes = profile_bytes(n);
    p->item = (ct__profiled *)(void *)(p + 1);
    p->time = (ct__step_time *)(void *)(p->item + n);
    list_steps(p, plan, 0);
    for (size_t i = 0; i < n; i++)
        p->time[i] = (ct__step_time){0};
    return p;
}

void ct__profile_free(const ct_allocator *allocator, ct__profile *p)
{
    if (p)
        ct__release(allocator, p, p->bytes);
}
