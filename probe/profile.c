/* What an instance's profile says: profile.h. */
#include "exec/profile.h"
#include "interop/cost.h"

#include <cotangent/profile.h>

/* NULL: there is no such step. */
static const ct__profiled *find(const ct_instance *instance, size_t step)
{
    const ct__profile *p = ct__instance_profile(instance);
    return p && step < p->n ? &p->item[step] : NULL;
}

static uint64_t flops_of(const ct_allocator *allocator, const ct__plan *plan, const ct__step *step)
{
    uint64_t sum = 0, flops;
    for (size_t i = 0; i < step->n_nodes; i++)
        if (ct__node_flops(allocator, plan->graph, &plan->graph->node[step->node[i]], &flops))
            sum = flops > UINT64_MAX - sum ? UINT64_MAX : sum + flops;
    return sum;
}

size_t ct_profile_steps(const ct_instance *instance)
{
    const ct__profile *p = ct__instance_profile(instance);
    return p ? p->n : 0;
}

bool ct_profile_step_at(const ct_instance *instance, size_t index, ct_profile_step *found)
{
    const ct__profiled *item = find(instance, index);
    *found = (ct_profile_step){0};
    if (!item)
        return false;
    const ct__step *step = &item->plan->step[item->step];
    const ct__step_time *time =
        &ct__instance_profile(instance)->time[item->plan->first_step + item->step];
    *found = (ct_profile_step){
        .operations = step->n_nodes,
        .depth = item->depth,
        .runs = time->runs,
        .seconds = 1e-9 * (double)time->nanoseconds,
        .bytes = step->bytes,
        .flops = flops_of(ct__instance_allocator(instance), item->plan, step)};
    return true;
}

bool ct_profile_operation(const ct_instance *instance, size_t index, size_t operation,
                          const char **name, ct_place *at)
{
    const ct__profiled *item = find(instance, index);
    const ct__step *step = item ? &item->plan->step[item->step] : NULL;
    if (!step || operation >= step->n_nodes)
        return false;
    const ct__node *node = &item->plan->graph->node[step->node[operation]];
    *name = ct__op_describe(node->op)->name;
    *at = node->at;
    return true;
}
