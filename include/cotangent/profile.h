/* Profiles: where the time of an instance's runs goes, step by step.
 *
 * A step is what an executor runs at once: an operation, or several that it has put together. The
 * steps inside the body of a loop, a call or a choice follow the step that runs it, with a greater
 * depth; a body that several steps share follows the first of them. */
#ifndef COTANGENT_PROFILE_H
#define COTANGENT_PROFILE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ct_profile_step {
    size_t operations; /* that run as one step */
    int depth;         /* 0: outside of any body */
    uint64_t runs;     /* since the profile began */
    double seconds;    /* of all of them; with the steps in its bodies */
    /* of one run: of operands and results, each once and whole, but of windows that are read or
     * updated in place the windows; and of arithmetic, as ct_function_flops counts it */
    uint64_t bytes, flops;
} ct_profile_step;

/* From now on the runs of the instance are timed, from 0. It costs some tens of nanoseconds per
 * step. CT_ERR_MEMORY, CT_ERR_ARGUMENT for NULL; the message is ct_instance_error's. */
CT_API ct_status ct_profile_begin(ct_instance *instance);
/* Runs are no longer timed, and what was found is forgotten. */
CT_API void ct_profile_end(ct_instance *instance);

/* In the order of a run; 0 when no profile has begun. */
CT_API size_t ct_profile_steps(const ct_instance *instance);
/* False, and all 0, when there is no such step. */
CT_API bool ct_profile_step_at(const ct_instance *instance, size_t step, ct_profile_step *found);
/* Name and place of an operation of a step; false, and neither is written, when there is none. */
CT_API bool ct_profile_operation(const ct_instance *instance, size_t step, size_t operation,
                                 const char **name, ct_place *at);

#ifdef __cplusplus
}
#endif
#endif
