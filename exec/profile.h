/* What is timed of an instance's runs. */
#ifndef CT_EXEC_PROFILE_H
#define CT_EXEC_PROFILE_H

#include "exec/interpret/plan.h"

#include <cotangent/exec.h>

typedef struct ct__profiled {
    const ct__plan *plan;
    size_t step; /* of the plan */
    int depth;
} ct__profiled;

typedef struct ct__profile {
    size_t bytes; /* of it all, one block */
    size_t n;
    ct__profiled *item;  /* in the order of a run */
    ct__step_time *time; /* of all steps, by plan->first_step + step */
} ct__profile;

/* All times are 0. NULL when memory is short. */
ct__profile *ct__profile_new(const ct_allocator *allocator, const ct__plan *plan);
void ct__profile_free(const ct_allocator *allocator, ct__profile *p); /* NULL is allowed */

/* Of an instance; NULL: no profile has begun. */
const ct__profile *ct__instance_profile(const ct_instance *x);
const ct_allocator *ct__instance_allocator(const ct_instance *x);

#endif
